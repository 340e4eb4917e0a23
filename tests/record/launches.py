"""What a module's text says of how to launch it: functions, their parameters, its RUN lines."""

from __future__ import annotations

import re
import shlex
from random import Random

_DEFINITION = re.compile(r"^define [^@]*@([\w.$]+)\(([^)]*)\)", re.MULTILINE)
_INTEGER = re.compile(r"^i(\d+) (?:\w+ )*%([\w.]+)$")
_RUN = re.compile(r"^; RUN: (.*)$", re.MULTILINE)
_OPERATION = re.compile(r"^  (%[\w.]+) = call \w+ @(?!llvm)[\w.]+\(.*", re.MULTILINE)


def functions(text: str) -> list[tuple[str, list[str]]]:
    """Each definition's name and parameters, as written."""
    return [
        (name, [p.strip() for p in inside.split(",") if p.strip()])
        for name, inside in _DEFINITION.findall(text)
    ]


def arguments(parameters: list[str], threads: int, random: Random, most: int = 4) -> list[str]:
    """``--threads`` and an ``--arg`` for each integer parameter, with numbers up to ``most``."""
    words = ["--threads", str(threads)]
    for parameter in parameters:
        integer = _INTEGER.match(parameter)
        if integer is not None:
            bits, name = integer.groups()
            top = 1 if bits == "1" else most
            values = ",".join(str(random.randint(0, top)) for _ in range(threads))
            words += ["--arg", f"%{name}={values}"]
    return words


def question(text: str, random: Random) -> str | None:
    """Two instances of some named operation of the first function, to ask about with ``--why``."""
    first = text.split("\n}", 1)[0]
    names = _OPERATION.findall(first)
    if not names:
        return None
    return f"{random.choice(names)} thread 0 #1, thread 1 #{random.choice((1, 1, 1, 2))}"


def run_lines(text: str, file: str) -> list[tuple[tuple[str, ...], ...]]:
    """The pipes of ``convcheck`` commands in a file's RUN lines, without what only judges them."""
    joined = re.sub(r"\\\n; RUN:", "", text)
    folder = file.rpartition("/")[0]
    pipes = []
    for line in _RUN.findall(joined):
        pipe: list[tuple[str, ...]] = []
        for command in line.split("|"):
            words = shlex.split(command.replace("%s", file).replace("%S", folder))
            while words and words[0] == "not":
                words = words[1:]
            if not words or words[0] != "convcheck":
                break
            pipe.append(tuple(word for word in words[1:] if word != "2>&1"))
        if pipe:
            pipes.append(tuple(pipe))
    return pipes
