"""What lit's tests ask of a compiler's tools: their RUN lines, read without a shell.

The form is that of LLVM's ``docs/TestingGuide.rst`` and ``docs/CommandGuide/lit.rst``: substitutions, pipes,
redirections, lines that go on, ``DEFINE``. A line is taken up to where something stands that is no part of
it; what is left out is named, and nothing is run that stands behind it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...frozen import dataclass

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
