"""``update_convcheck_checks FILE...``: write a file's CHECK lines anew from what its RUN lines print.

As LLVM's ``update_*_checks`` scripts do for ``opt`` and ``llc``: each ``RUN: convcheck ... | FileCheck ...``
is run, and all of its output becomes the lines of its prefix. A file so made carries a NOTE line, and
running the script again changes nothing. Positions in the output count lines of the file, so the file is
written anew until it stays as it is.
"""

from __future__ import annotations

import io
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import click

from .exits import Exit
from .main import invoke
from .output import complain

NOTE = "; NOTE: CHECK lines made by update_convcheck_checks; running it again keeps them true."
ROUNDS = 5
"""How often a file is written anew before it is said not to settle."""
_RUN = re.compile(r"^\s*;\s*RUN:\s?(.*?)\s*$")
_BRACKETS = re.compile(r"\{\{|\[\[")
_SUFFIXES = "NEXT|SAME|NOT|DAG|EMPTY|LABEL|COUNT-[0-9]+"


class Refused(Exception):
    """A file that cannot be updated, and why."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """One RUN line: ``arguments`` of convcheck with ``%s`` in them, whether standard error is checked too,
    and the ``prefix`` of the CHECK lines; ``None`` if nothing checks its output."""

    arguments: tuple[str, ...]
    merged: bool
    prefix: str | None


def run_lines(text: str) -> list[RunLine]:
    """The RUN lines of a file. Raises :class:`Refused` for one that is not ``[not] convcheck ... [|
    FileCheck ...]``, and where two share a prefix: their lines could not be told apart."""
    found = [_run_line(line) for line in joined_run_lines(text)]
    prefixes = [line.prefix for line in found if line.prefix is not None]
    for prefix in prefixes:
        if prefixes.count(prefix) > 1:
            raise Refused(f"two RUN lines have the prefix {prefix}")
    if not prefixes:
        raise Refused("no RUN line ends in FileCheck")
    return found


def joined_run_lines(text: str) -> Iterator[str]:
    """What follows each ``RUN:``; one that ends in ``\\`` goes on in the next. Raises :class:`Refused`
    where there is none."""
    open_line = ""
    for line in text.splitlines():
        if match := _RUN.match(line):
            open_line += match[1]
            if open_line.endswith("\\"):
                open_line = open_line[:-1]
                continue
            yield open_line
            open_line = ""
    if open_line:
        raise Refused("a RUN line goes on after the last one")


def _run_line(line: str) -> RunLine:
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
        raise Refused(f"this RUN line is not understood: {line}")
    return RunLine(tuple(first[1:]), merged, _prefix(checks[0][1:]) if checks else None)


def _prefix(words: Sequence[str]) -> str:
    """FileCheck's prefix, CHECK by default. Raises :class:`Refused` for options that change the matching."""
    prefix = "CHECK"
    rest = [word for word in words if word != "%s"]
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if name not in ("--check-prefix", "-check-prefix", "--check-prefixes", "-check-prefixes"):
            raise Refused(f"FileCheck {word} is not understood")
        prefix = value if equals else rest.pop(0) if rest else ""
        if not prefix or "," in prefix:
            raise Refused("FileCheck must have one prefix")
    return prefix


def _printed(line: RunLine, path: Path) -> str:
    """What the command prints for the file."""
    out, err = io.StringIO(), io.StringIO()
    folder = str(path.parent)
    words = [word.replace("%s", str(path)).replace("%S", folder) for word in line.arguments]
    with redirect_stdout(out), redirect_stderr(err):
        code = invoke(words)
    if code is Exit.OUR_BUG:
        raise Refused(err.getvalue().strip())
    return out.getvalue() + (err.getvalue() if line.merged else "")


def _pattern(line: str, path: Path) -> str:
    """A line of output as FileCheck's pattern for it, and for nothing else: file names without folders."""
    named = line.replace(str(path), "\0")
    escaped = _BRACKETS.sub(lambda match: "{{\\" + "\\".join(match[0]) + "}}", named)
    return "{{^}}" + escaped.replace("\0", "{{.*}}" + path.name) + "{{$}}"


def _checks(prefix: str, printed: str, path: Path) -> list[str]:
    """The CHECK lines of an output: the first, then each next one."""
    lines: list[str] = []
    for number, line in enumerate(printed.rstrip("\n").splitlines()):
        if not line.strip():
            lines.append(f"; {prefix}-EMPTY:")
        else:
            lines.append(f"; {prefix}{'-NEXT' if number else ''}: {_pattern(line, path)}")
    return lines


def _without(lines: Iterable[str], prefixes: Iterable[str]) -> list[str]:
    """The lines of a file that are no CHECK lines of these prefixes, nor the note."""
    words = "|".join(map(re.escape, prefixes))
    old = re.compile(rf"^\s*;\s*(?:{words})(?:-(?:{_SUFFIXES}))?:")
    return [line for line in lines if not old.match(line) and line.strip() != NOTE]


def updated(text: str, path: Path) -> str:
    """The text with CHECK lines from what the RUN lines print now. They stand behind the last RUN line.

    Raises :class:`Refused`. The file at ``path`` is what the commands read.
    """
    found = run_lines(text)
    kept = _without(text.splitlines(), [line.prefix for line in found if line.prefix is not None])
    last = max(number for number, line in enumerate(kept) if _RUN.match(line)) + 1
    made = [NOTE]
    for line in found:
        if line.prefix is not None:
            made += _checks(line.prefix, _printed(line, path), path)
    before, after = kept[:last], kept[last:]
    while before and before[0].strip() in ("", ";"):
        before.pop(0)
    return "\n".join([*before, *made, *after]) + "\n"


def settle(path: Path) -> bool:
    """Rewrite a file until it stays as it is; whether it changed. Raises :class:`Refused` and OSError, and
    leaves the file as it was then."""
    original = text = path.read_text(encoding="utf-8")
    try:
        for _ in range(ROUNDS):
            new = updated(text, path)
            if new == text:
                return text != original
            path.write_text(new, encoding="utf-8", newline="\n")
            text = new
        raise Refused(f"its output is another one after each of {ROUNDS} rounds")
    except BaseException:
        if text != original:
            path.write_text(original, encoding="utf-8", newline="\n")
        raise


@click.command("update_convcheck_checks", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("-u", "--update-only", is_flag=True, help="Leave files alone that this script did not make.")
@click.option("--check", is_flag=True, help="Change nothing; exit code 1 if a file is not up to date.")
def command(files: tuple[str, ...], update_only: bool, check: bool) -> None:
    """Write the CHECK lines of each FILE anew, from what its RUN lines print."""
    code = 0
    for name in files:
        path = Path(name)
        try:
            original = path.read_text(encoding="utf-8")
            if update_only and NOTE not in original.splitlines():
                continue
            changed = settle(path)
            if changed and check:
                path.write_text(original, encoding="utf-8", newline="\n")
        except (Refused, OSError, UnicodeDecodeError) as error:
            complain(f"{name}: {error}")
            code = 2
            continue
        if changed:
            click.echo(f"{name}: {'not up to date' if check else 'updated'}")
            code = max(code, 1) if check else code
    click.get_current_context().exit(code)


def main() -> None:
    """The console script."""
    try:
        sys.exit(command.main(sys.argv[1:], prog_name="update_convcheck_checks", standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(2)
