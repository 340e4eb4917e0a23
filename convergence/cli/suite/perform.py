"""One lit test: its RUN lines read without a shell, its commands run, and what LLVM's tools do in them
checked.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from ...frozen import dataclass
from ..plumbing import InputError
from ..plumbing.load import load
from ..wrappers.checks import Check
from ..wrappers.main import LLC, OPT, Tool, Unprinted, printed_modules, program_of, with_response_files
from ..wrappers.store import FindingFolder, key_of

# ----------------------------------------------------------------------------------------------------------
# What lit's tests ask of a compiler's tools: their RUN lines, read without a shell.
#
# The form is that of LLVM's ``docs/TestingGuide.rst`` and ``docs/CommandGuide/lit.rst``: substitutions,
# pipes, redirections, lines that go on, ``DEFINE``. A line is taken up to where something stands that is no
# part of it; what is left out is named, and nothing is run that stands behind it.
# ----------------------------------------------------------------------------------------------------------

TOOLS = ("opt", "llc")
"""Those that are checked."""
READERS = ("FileCheck", "count", "wc", "grep", "diff", "cmp", "llvm-objdump", "llvm-readobj")
"""What only looks at output."""

_KEY = re.compile(r"(?<![\w-])(RUN|DEFINE|REDEFINE):")
_NAMED = re.compile(r"%\{[^}]*\}")
_LETTER = re.compile(r"%(?:basename_t|[tT]|:?[A-Za-z]+|%)")
"""A name is a whole word, but for ``%t``, behind which tests write more of a file's name."""
_DEFINITION = re.compile(r"\s*(%\{[^}]*\})\s*=(.*)")
_LEVELS = 10
"""How deep substitutions stand in each other at most."""


class NotTaken(Exception):
    """A RUN line that is not run: the message says why."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A command of a pipe: its words, and the files that its streams are, where they are files."""

    words: tuple[str, ...]
    stdin: str | None = None
    stdout: str | None = None

    @property
    def tool(self) -> str:
        return self.words[0]

    @property
    def only_reads(self) -> bool:
        """Whether it only looks at output, or asks that such a look fails."""
        return (self.words[1:2] or ("",) if self.tool == "not" else self.words)[0] in READERS


Pipe = tuple[Stage, ...]
"""Commands, each of which reads what the one before wrote."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """A RUN line with its ``pipes``; or ``left_out``, why it is not run."""

    pipes: tuple[Pipe, ...] = ()
    left_out: str | None = None


def run_lines(text: str, paths: Mapping[str, str]) -> Iterator[RunLine]:
    """The RUN lines of a test; ``paths`` says what ``%s``, ``%S``, ``%t``, ... stand for."""
    known = {"%%": "%", **paths}
    for key, words in _whole(text):
        if key == "RUN":
            try:
                yield RunLine(tuple(_pipes(_substituted(words, known))))
            except NotTaken as problem:
                yield RunLine(left_out=str(problem))
        elif (definition := _DEFINITION.match(words)) is not None:
            known[definition[1]] = definition[2].strip()


def _whole(text: str) -> Iterator[tuple[str, str]]:
    """The keys and their lines, continued ones joined."""
    key, begun = "", ""
    for line in text.splitlines():
        match = _KEY.search(line)
        if match is None:
            continue
        words = line[match.end() :].strip()
        words = f"{begun} {words}" if begun and match[1] == key else words
        key, begun = match[1], ""
        if words.endswith("\\"):
            begun = words[:-1].rstrip()
        else:
            yield key, words
    if begun:
        yield key, begun


def _substituted(words: str, known: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        if match[0] not in known:
            raise NotTaken(f"the substitution {match[0]}")
        return known[match[0]]

    if re.search(r"%if\b", words):
        raise NotTaken("%if")
    for _ in range(_LEVELS):
        if "%{" not in words:
            break
        words = _NAMED.sub(value, words)
    return _LETTER.sub(value, words)


def _pipes(words: str) -> Iterator[Pipe]:
    """A line's pipes, in their order."""
    lexer = shlex.shlex(words, posix=True, punctuation_chars="|<>;&()")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        tokens = list(lexer)
    except ValueError:
        raise NotTaken("a quote that is never closed") from None
    pipe: list[list[str]] = [[]]
    for word in tokens:
        match word:
            case "|" | "|&":
                pipe.append([])
            case ";" | "&&":
                yield from _pipe(pipe)
                pipe = [[]]
            case "||" | "(" | ")" | "&":
                raise NotTaken(f"`{word}` of a shell")
            case _:
                pipe[-1].append(word)
    yield from _pipe(pipe)


def _pipe(commands: Sequence[Sequence[str]]) -> Iterator[Pipe]:
    if stages := tuple(_stage(words) for words in commands if words):
        yield stages


def _stage(words: Sequence[str]) -> Stage:
    """A command without its redirections: of standard error nothing is kept."""
    kept: list[str] = []
    stage = Stage(())
    rest = iter(words)
    for word in rest:
        if re.fullmatch(r"[<>&]*[<>][<>&]*", word):
            number = kept.pop() if kept and word.startswith(">") and kept[-1] in ("1", "2") else "1"
            file = next(rest, "")
            if word == "<":
                stage = replace(stage, stdin=file)
            elif word in (">", "&>") and number == "1":
                stage = replace(stage, stdout=file)
            elif word == ">>" or word.startswith("<<"):
                raise NotTaken(f"`{word}` of a shell")
        else:
            kept.append(word)
    if not kept:
        raise NotTaken("a redirection alone")
    return replace(stage, words=tuple(kept))


def target(lines: Sequence[RunLine]) -> tuple[str, ...]:
    """The flags of the first command that say what machine the file is for: they hold for other pipelines
    over it, too."""
    for line in lines:
        for stage in (stage for pipe in line.pipes for stage in pipe):
            flags = tuple(word for word in stage.words if _TARGET.match(word))
            if flags and stage.tool in TOOLS:
                return flags
    return ()


_TARGET = re.compile(r"^--?(?:mtriple|march|mcpu|mattr|data-layout)=")


def split(text: str) -> dict[str, str]:
    """The parts of a file for ``split-file``: each begins at a line with ``--- name``."""
    parts: dict[str, str] = {}
    heads = list(re.finditer(r"(?m)^(?://|;|#|<!--)?--- (\S+).*\n", text))
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        parts[head[1]] = text[head.end() : following.start() if following else len(text)]
    return parts


# ----------------------------------------------------------------------------------------------------------
# One test: its commands are run, without a shell, and what LLVM's tools do in them is checked.
# ----------------------------------------------------------------------------------------------------------


# ----------------------------------------------------------------------------------------------------------
# What a suite asks: which files, and of each which commands.
# ----------------------------------------------------------------------------------------------------------

CONVERGES = re.compile(r"\bconvergen|@\"?llvm\.(?:amdgcn|nvvm|spv|dx|r600)\.")
"""What a file mentions that may hold convergent operations: the word, or an intrinsic of a machine, whose
attributes LLVM knows."""
ENDINGS = (".ll",)
INPUTS = "Inputs"
"""LLVM's name for folders of what other files' commands read."""


@dataclass(frozen=True, slots=True)
class SuitePlan:
    """What is asked of each file: its own commands where ``own``, opt with each of ``passes`` for the file's
    own machine, and where ``verify`` whether convcheck and LLVM agree that it is valid.

    ``budget`` is in seconds for a function and pass, ``file_limit`` for a file. Of the commands each
    ``every``-th is run, by a hash of its name, so that a sample does not hang on the order of files.
    ``tools`` are programs by the names that RUN lines call them.
    """

    own: bool = True
    passes: tuple[str, ...] = ()
    verify: bool = False
    budget: float = 2.0
    file_limit: float = 300.0
    every: int = 1
    tools: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "own": self.own, "passes": list(self.passes), "verify": self.verify, "budget": self.budget,
            "file_limit": self.file_limit, "every": self.every, "tools": dict(self.tools),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SuitePlan:
        return cls(**{**data, "passes": tuple(data["passes"])})

    def takes(self, question: str) -> bool:
        """Whether a command is in the sample."""
        return int.from_bytes(sha256(question.encode()).digest()[:8], "big") % self.every == 0


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """A test: ``name`` is what it is called in the results, relative to the folder that was given. ``key`` is
    for its content and the plan: it is asked again only if that changes."""

    path: Path
    name: str
    key: str


def files_of(roots: Iterable[str], plan: SuitePlan, only: str = "") -> Iterator[SuiteFile]:
    """The tests below folders, and files that are named. Of a folder those that may hold convergent
    operations, but for what stands in ``Inputs``; ``only``: with this word in their names. Their order has
    nothing to do with their names, so that what is answered first is a fair sample.

    :raises InputError: for what is not there
    """
    known: dict[Path, SuiteFile] = {}
    for root in map(Path, roots):
        for path, name in _below(root):
            if only not in name or path in known:
                continue
            try:
                text = path.read_text(encoding="utf-8", errors="surrogateescape")
            except OSError as error:
                raise InputError(str(path), error.strerror or str(error)) from None
            if path == root or CONVERGES.search(text):
                known[path] = SuiteFile(path, name, key_of(name, text, repr(plan)))
    yield from sorted(known.values(), key=lambda file: file.key)


def _below(root: Path) -> Iterator[tuple[Path, str]]:
    if root.is_file():
        yield root.resolve(), root.name
        return
    if not root.is_dir():
        raise InputError(str(root), "no such file or folder")
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix in ENDINGS and INPUTS not in PurePosixPath(name).parts and path.is_file():
            yield path.resolve(), name


PATIENCE = 60.0
"""Seconds for a tool that is run."""
_CHECKED = {"opt": OPT, "llc": LLC}
_FEEDERS = ("llvm-as", "llvm-dis", "llvm-extract", "llvm-link", "sed")
"""What makes inputs of files. GNU's sed is run without its commands that run or write anything."""


def perform(file: SuiteFile, plan: SuitePlan, store: FindingFolder) -> int:
    """Run a test's commands and write what comes of it; gives how many of its commands were checked."""
    with tempfile.TemporaryDirectory(prefix="convcheck-suite-") as folder:
        test = _Test(file, plan, store, Path(folder), time.monotonic() + plan.file_limit)
        if plan.verify:
            test.verify()
        test.run()
        return test.count


def _paths(path: Path, folder: Path) -> dict[str, str]:
    """lit's substitutions for a test."""
    quoted = shlex.quote
    base = folder / f"{path.name}.tmp"
    return {
        "%s": quoted(str(path)), "%S": quoted(str(path.parent)), "%p": quoted(str(path.parent)),
        "%t": quoted(str(base)), "%T": quoted(str(folder)), "%basename_t": quoted(base.name),
        "%{s:basename}": quoted(path.name), "%{t:stem}": quoted(base.stem),
    }  # fmt: skip


class _Test:
    """A test on its way; ``count`` commands were checked."""

    def __init__(
        self, file: SuiteFile, plan: SuitePlan, store: FindingFolder, folder: Path, end: float
    ) -> None:
        self.file, self.plan, self.store, self.folder, self.end = file, plan, store, folder, end
        self.text = file.path.read_text(encoding="utf-8", errors="surrogateescape")
        self.count = 0

    def run(self) -> None:
        lines = list(run_lines(self.text, _paths(self.file.path, self.folder)))
        if self.plan.own:
            for number, line in enumerate(lines, 1):
                self._line(number, line)
        for pipeline in self.plan.passes:
            if self.plan.takes(f"{self.file.name} {pipeline}"):
                self._checked(OPT, [f"-passes={pipeline}", "-S", *target(lines), str(self.file.path)], None)

    def verify(self) -> None:
        """Whether convcheck and LLVM take the file."""
        opt, path = self._program("opt"), str(self.file.path)
        accepted = _run([opt, "-passes=verify", "-disable-output", path], None, self.folder).returncode == 0
        ours = _refusal(path)
        self.store.append(
            {
                "tool": "verify", "file": self.file.name, "agree": accepted == (ours is None),
                "llvm": accepted, "ours": ours,
            }
        )  # fmt: skip

    def _line(self, number: int, line: RunLine) -> None:
        if line.left_out is not None:
            self.store.skip("suite", f"a RUN line with {line.left_out}")
            return
        for place, pipe in enumerate(line.pipes):
            try:
                self._pipe(f"{self.file.name} {number}.{place}", pipe)
            except NotTaken as problem:
                self.store.skip("suite", f"a RUN line with {problem}")
                return
            except OSError as error:
                self.store.skip("suite", f"a RUN line: {error.strerror or 'a file'}")
                return

    def _pipe(self, question: str, pipe: Pipe) -> None:
        """The commands of a pipe, as far as their outputs are needed."""
        data: bytes | None = None
        for stage, rest in zip(pipe, (pipe[n:] for n in range(1, len(pipe) + 1)), strict=True):
            if stage.stdin is not None:
                data = Path(stage.stdin).read_bytes() if stage.stdin != os.devnull else b""
            if stage.only_reads:
                return
            data = self._stage(question, stage, data, _is_read(rest))
            if stage.stdout is not None and stage.stdout != os.devnull:
                self._inside(stage.stdout).write_bytes(data)
                data = None

    def _stage(self, question: str, stage: Stage, data: bytes | None, needed: bool) -> bytes:
        """What a command writes to its standard output."""
        arguments = with_response_files(stage.words[1:])
        if (tool := _CHECKED.get(stage.tool)) is not None:
            if self.plan.takes(question):
                self._checked(tool, arguments, data)
            file = output_file(arguments)
            if file is not None:
                self._inside(file)
            if not (needed or stage.stdout is not None or file is not None):
                return b""
        else:
            match stage.tool:
                case "cat":
                    if not arguments and data is not None:
                        return data
                    return b"".join(data or b"" if a == "-" else Path(a).read_bytes() for a in arguments)
                case "split-file":
                    return self._split(arguments)
                case "echo" if arguments[:1] not in (["-n"], ["-e"], ["-ne"], ["-en"]):
                    return f"{' '.join(arguments)}\n".encode("utf-8", "surrogateescape")
                case "rm":
                    return b""  # the folder is new
                case "mkdir":
                    for name in (a for a in arguments if not a.startswith("-")):
                        self._inside(name).mkdir(parents=True, exist_ok=True)
                    return b""
                case "cp" if len(arguments) == 2:
                    self._inside(arguments[1]).write_bytes(Path(arguments[0]).read_bytes())
                    return b""
                case "not":
                    raise NotTaken("`not`: the command is to fail")
                case name if name not in _FEEDERS:
                    raise NotTaken(f"the command {name}")
            if stage.tool == "sed":
                arguments = ["--sandbox", *arguments]
        done = _run([self._program(stage.tool), *arguments], data, self.folder)
        if done.returncode:
            raise NotTaken(f"{stage.tool}, which fails on an input of a later command")
        return done.stdout

    def _program(self, tool: str) -> str:
        """A tool's program; what is not named comes from where opt is.

        :raises NotTaken: if it is not there
        """
        if (known := self.plan.tools.get(tool)) is not None:
            return known
        beside = Path(self.plan.tools["opt"]).resolve().parent / tool if "opt" in self.plan.tools else None
        program = str(beside) if beside is not None and beside.is_file() else program_of(tool)
        if program is None:
            raise NotTaken(f"the command {tool}, which is not there")
        return program

    def _checked(self, tool: Tool, arguments: Sequence[str], data: bytes | None) -> None:
        """One command of LLVM's."""
        left = self.end - time.monotonic()
        if left < 0:
            self.store.skip(tool.name, f"the {self.plan.file_limit:g} s for a file are over")
            return
        self.count += 1
        command = shlex.join([tool.name, *(_plain(word, self) for word in arguments)])
        store = replace(self.store, about={**self.store.about, "command": command})
        try:
            program = self._program(tool.name)
            printed = printed_modules(tool, program, arguments, data, min(PATIENCE, left + 1), self.folder)
        except Unprinted as problem:
            store.skip(tool.name, str(problem))
            return
        if printed is not None:
            check = Check(tool.name, command, self.plan.budget, store, self.file.name, self.end, program)
            check.dump(printed.decode("utf-8", "surrogateescape"))

    def _split(self, arguments: Sequence[str]) -> bytes:
        if len(arguments) != 2 or arguments[0].startswith("-"):
            raise NotTaken("split-file with options")
        folder = self._inside(arguments[1])
        for name, part in split(
            Path(arguments[0]).read_text(encoding="utf-8", errors="surrogateescape")
        ).items():
            path = self._inside(str(folder / name))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(part, encoding="utf-8", errors="surrogateescape")
        return b""

    def _inside(self, name: str) -> Path:
        """A file that may be written.

        :raises NotTaken: for one outside of the test's own folder
        """
        path = Path(os.path.normpath(self.folder / name))
        if not path.is_relative_to(self.folder):
            raise NotTaken("an output outside of %t and %T")
        return path


def output_file(arguments: Sequence[str]) -> str | None:
    """The file of ``-o``, if it is one."""
    for word, following in pairwise([*arguments, ""]):
        name = following if word in ("-o", "--o") else ""
        if word.startswith(("-o=", "--o=")):
            name = word.partition("=")[2]
        if name not in ("", "-", os.devnull):
            return name
    return None


def _is_read(rest: Sequence[Stage]) -> bool:
    return bool(rest) and not rest[0].only_reads


def _plain(word: str, test: _Test) -> str:
    """A word of a command without this machine's paths."""
    return word.replace(str(test.file.path), test.file.path.name).replace(str(test.folder), "%T")


def _run(command: Sequence[str], data: bytes | None, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """:raises NotTaken: for a command that does not end"""
    try:
        return subprocess.run(
            command, input=data if data is not None else b"", capture_output=True, timeout=PATIENCE,
            check=False, cwd=folder,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise NotTaken(f"{Path(command[0]).name}, which does not end in {PATIENCE:g} s") from None


def _refusal(path: str) -> str | None:
    """Why convcheck refuses a file; ``None`` if it takes it."""
    from ...diagnostics import Severity
    from ...verifier import verify
    from ..plumbing.load import refusal

    try:
        module = load(path).module
        diagnostics = verify(module)
        if rules := sorted({d.rule.id for d in diagnostics if d.severity is Severity.ERROR}):
            return " ".join(rules)
        return refusal(module, diagnostics)
    except InputError as error:
        return error.why
