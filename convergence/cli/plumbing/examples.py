"""RUN and CHECK lines of an example: what they run, and what ``update_convcheck_checks`` has written down.

LLVM's own form. A file with :data:`NOTE` holds all that its commands print, so that it can be read back.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ...frozen import dataclass
from ...report.explain import Example, Explanation, NoRule, rule_named
from ...rules import Rule

NOTE = "; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true."
_SUFFIXES = "NEXT|SAME|NOT|DAG|EMPTY|LABEL|COUNT-[0-9]+"
RUN = re.compile(r"^\s*;\s*RUN:\s?(.*?)\s*$")
_FOR_THE_RUNNER = re.compile(rf"\s*;\s*(?!CONVCHECK:)[A-Z][A-Z0-9_-]*(?:-(?:{_SUFFIXES}))?:")
_BRACKETS = re.compile(r"\{\{|\[\[")


class CheckRefused(Exception):
    """A file that cannot be updated, and why."""


@dataclass(frozen=True, slots=True)
class ExampleRun:
    """One RUN line: ``arguments`` of convcheck with ``%s`` in them, whether standard error is checked too,
    and the ``prefix`` of the CHECK lines; ``None`` if nothing checks its output."""

    arguments: tuple[str, ...]
    merged: bool
    prefix: str | None


def run_lines(text: str) -> list[ExampleRun]:
    """The RUN lines of a file. Raises :class:`CheckRefused` for one that is not ``[not] convcheck ... [|
    FileCheck ...]``, and where two share a prefix: their lines could not be told apart."""
    lines = [_run_line(line) for line in joined_run_lines(text)]
    prefixes = [line.prefix for line in lines if line.prefix is not None]
    for prefix in prefixes:
        if prefixes.count(prefix) > 1:
            raise CheckRefused(f"two RUN lines have the prefix {prefix}")
    if not prefixes:
        raise CheckRefused("no RUN line ends in FileCheck")
    return lines


def joined_run_lines(text: str) -> Iterator[str]:
    """What follows each ``RUN:``; one that ends in ``\\`` goes on in the next. Raises :class:`CheckRefused`
    where there is none."""
    open_line = ""
    for line in text.splitlines():
        if match := RUN.match(line):
            open_line += match[1]
            if open_line.endswith("\\"):
                open_line = open_line[:-1]
                continue
            yield open_line
            open_line = ""
    if open_line:
        raise CheckRefused("a RUN line goes on after the last one")


def _run_line(line: str) -> ExampleRun:
    commands: list[list[str]] = [[]]
    for word in shlex.split(line):
        if word == "|":
            commands.append([])
        else:
            commands[-1].append(word)
    first = commands[0]
    merged = "2>&1" in first
    first = [word for word in first if word != "2>&1"]
    while first[:1] == ["not"]:
        first = first[1:]
    checks = commands[1:]
    if first[:1] != ["convcheck"] or len(checks) > 1 or (checks and checks[0][:1] != ["FileCheck"]):
        raise CheckRefused(f"this RUN line is not understood: {line}")
    return ExampleRun(tuple(first[1:]), merged, _prefix(checks[0][1:]) if checks else None)


def _prefix(words: Sequence[str]) -> str:
    """FileCheck's prefix, CHECK by default. Raises :class:`CheckRefused` for options that change matching."""
    prefix = "CHECK"
    rest = [word for word in words if word != "%s"]
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if name not in ("--check-prefix", "-check-prefix", "--check-prefixes", "-check-prefixes"):
            raise CheckRefused(f"FileCheck {word} is not understood")
        prefix = value if equals else rest.pop(0) if rest else ""
        if not prefix or "," in prefix:
            raise CheckRefused("FileCheck must have one prefix")
    return prefix


def pattern(line: str, path: Path) -> str:
    """A line of output as FileCheck's pattern for it, and for nothing else: file names without folders."""
    named = line.replace(str(path), "\0")
    escaped = _BRACKETS.sub(lambda match: "{{\\" + "\\".join(match[0]) + "}}", named)
    return "{{^}}" + escaped.replace("\0", "{{.*}}" + path.name) + "{{$}}"


def checks(prefix: str, printed: str, path: Path) -> list[str]:
    """The CHECK lines of an output: the first, then each next one."""
    lines: list[str] = []
    for number, line in enumerate(printed.rstrip("\n").splitlines()):
        if not line.strip():
            lines.append(f"; {prefix}-EMPTY:")
        else:
            lines.append(f"; {prefix}{'-NEXT' if number else ''}: {pattern(line, path)}")
    return lines


def without_checks(lines: Iterable[str], prefixes: Iterable[str]) -> list[str]:
    """The lines of a file that are no CHECK lines of these prefixes, nor the note."""
    words = "|".join(map(re.escape, prefixes))
    old = re.compile(rf"^\s*;\s*(?:{words})(?:-(?:{_SUFFIXES}))?:")
    return [line for line in lines if not old.match(line) and line.strip() != NOTE]


def recorded(text: str) -> list[tuple[tuple[str, ...], str]]:
    """The arguments of each checked command of a file, and all that it prints. Only of files that
    ``update_convcheck_checks`` made: in others the CHECK lines may leave something out."""
    if NOTE not in text.splitlines():
        return []
    return [
        (line.arguments, _output(text, line.prefix)) for line in run_lines(text) if line.prefix is not None
    ]


def program(text: str) -> str:
    """An example without the lines that are for the test runner: RUN, CHECK and NOTE lines."""
    lines: list[str] = []
    for line in text.splitlines():
        if _FOR_THE_RUNNER.match(line):
            continue
        empty = line.strip() in ("", ";")
        if not empty or (lines and lines[-1]):
            lines.append("" if empty else line)
    return "\n".join(lines).strip("\n") + "\n"


def _output(text: str, prefix: str) -> str:
    """The output that the CHECK lines of a prefix stand for: :func:`pattern`, read backwards."""
    wanted = re.compile(rf"^; {re.escape(prefix)}(?:-NEXT|-EMPTY)?: ?(.*)$", re.MULTILINE)
    lines = [match[1].removeprefix("{{^}}").removesuffix("{{$}}") for match in wanted.finditer(text)]
    return "".join(f"{_unescaped(line)}\n" for line in lines)


def _unescaped(line: str) -> str:
    line = line.replace("{{.*}}", "")
    return re.sub(r"\{\{((?:\\[\[{])+)\}\}", lambda match: match[1].replace("\\", ""), line)


# -- The example files of the rules: inside an installed package, or beside it in a checkout

_PACKAGE = Path(__file__).resolve().parents[2]
_ORDER = {"good": 0, "shows": 0, "bad": 1, "excludes": 1}


def folder() -> Path | None:
    """Where the rules' examples are; ``None`` if they were not installed."""
    for candidate in (_PACKAGE / "examples" / "rules", _PACKAGE.parent / "examples_ll" / "rules"):
        if candidate.is_dir():
            return candidate
    return None


def examples(rule: Rule) -> list[Example]:
    """The files ``RULE.KIND.ll`` of a rule: first what keeps or shows it, then what breaks it or what it
    excludes, then others."""
    where = folder()
    if where is None:
        return []
    named = re.compile(re.escape(rule.id) + r"\.(.+)\.(?:ll|spvasm)\Z")
    shelf = [_example(match[1], path) for path in where.iterdir() if (match := named.match(path.name))]
    return sorted(shelf, key=lambda example: (_ORDER.get(example.kind, 2), example.kind))


def explanation(rule: Rule, every: bool = False) -> Explanation:
    """A rule with its plain examples, ``RULE.good.ll`` and the like; with all of them on demand."""
    shelf = examples(rule)
    plain = shelf if every else [example for example in shelf if "." not in example.kind] or shelf[:1]
    return Explanation(rule, tuple(plain), tuple(example.name for example in shelf if example not in plain))


def explain(rule: str | Rule, every: bool = False) -> Explanation:
    """One rule: its sentence, why it is there, and examples, as ``convcheck explain`` shows it.

    ``rule`` is an identifier in any case (``"d-loop"``), or a :class:`convergence.Rule`; ``every`` adds the
    examples of special cases. Raises UsageError for a rule that there is not, with those near it.
    """
    from ...semantics import UsageError

    try:
        return explanation(rule if isinstance(rule, Rule) else rule_named(rule), every)
    except NoRule as error:
        raise UsageError(str(error)) from None


def _example(kind: str, path: Path) -> Example:
    text = path.read_text(encoding="utf-8")
    runs = tuple(
        (" ".join(["convcheck", *map(_quoted, arguments)]).replace("%s", path.name), output)
        for arguments, output in recorded(text)
    )
    return Example(kind, path.name, program(text), runs)


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word else word
