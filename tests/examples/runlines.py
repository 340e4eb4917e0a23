"""RUN lines in this process: what lit does for them, without a process for each command.

The part of lit's shell that examples may use: ``not``, ``convcheck``, ``FileCheck``, pipes, ``2>&1``,
``%s`` and ``%S``. Anything else is refused by name, so that no line passes for being misread.
"""

from __future__ import annotations

import io
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options
from filecheck.parser import Parser

from convergence.cli import invoke
from convergence.cli.plumbing.examples import joined_run_lines

_ARGUMENT = re.compile(r"%(?![stSTpb{])[-\w$.]+(=| thread )")  # of --arg and --why; not what lit would take


class UnknownCommandError(Exception):
    """A RUN line says what this runner does not know."""


def run_lines(text: str) -> list[str]:
    """The RUN lines of an example; a line that ends in ``\\`` goes on in the next."""
    return list(joined_run_lines(text))


@dataclass(frozen=True)
class Ran:
    """How one command ended: exit code, and what it printed."""

    code: int
    out: str
    err: str


def run(line: str, file: Path) -> str | None:
    """Run one RUN line; ``None`` if it passes, else what went wrong."""
    words = shlex.split(
        line.replace("%s", shlex.quote(str(file))).replace("%S", shlex.quote(str(file.parent)))
    )
    commands: list[list[str]] = [[]]
    for word in words:
        if word == "|":
            commands.append([])
        elif word in {"&&", "||", ";", ">", "<"} or (word.startswith("%") and not _ARGUMENT.match(word)):
            raise UnknownCommandError(f"{word} in {line!r}")
        else:
            commands[-1].append(word)
    text = ""
    for command in commands:
        ran, wanted = _run(command, text, line)
        if (ran.code != 0) is wanted:
            return (
                f"exit code {ran.code}: {shlex.join(command)}\ninput:\n{text}\noutput:\n{ran.out}\n{ran.err}"
            )
        text = ran.out
    return None


def _run(command: list[str], text: str, line: str) -> tuple[Ran, bool]:
    """One command of a pipe, and whether it is to succeed."""
    merged = "2>&1" in command
    command = [word for word in command if word != "2>&1"]
    wanted = True
    while command and command[0] == "not":
        command, wanted = command[1:], not wanted
    match command:
        case ["convcheck", *arguments]:
            ran = _convcheck(arguments, text)
        case ["FileCheck", *arguments]:
            ran = _filecheck(arguments, text)
        case _:
            raise UnknownCommandError(f"{command[:1]} in {line!r}")
    return (Ran(ran.code, ran.out + ran.err, "") if merged else ran), wanted


def _convcheck(arguments: list[str], text: str) -> Ran:
    out, err = io.StringIO(), io.StringIO()
    given = io.TextIOWrapper(io.BytesIO(text.encode()))  # bytes below, as of a real pipe
    with redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", given):
        code = int(invoke(arguments))
    return Ran(code, out.getvalue(), err.getvalue())


def _filecheck(arguments: list[str], text: str) -> Ran:
    out, err = io.StringIO(), io.StringIO()
    spread = [
        part for word in arguments for part in (word.split("=", 1) if word.startswith("--") else [word])
    ]
    with redirect_stdout(out), redirect_stderr(err):
        options = parse_argv_options(["filecheck", *spread])
        code = Matcher(options, FInput("<stdin>", text), Parser.from_opts(options)).run()
    return Ran(code, out.getvalue(), err.getvalue())
