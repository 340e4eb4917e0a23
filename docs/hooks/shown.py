"""What the generated pages show: commands with their output, pictures, example files."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import convergence as cc
from convergence.cli import invoke
from convergence.report.parts.module_html import control_flow

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def output(*words: str) -> str:
    """What a command prints in the repository's folder. Raises AssertionError for our own bugs."""
    out, err = io.StringIO(), io.StringIO()
    with inside(ROOT), redirect_stdout(out), redirect_stderr(err):
        code = int(invoke(words))
    assert code != 4, err.getvalue()
    return out.getvalue() + err.getvalue()


def console(*words: str) -> str:
    """A command and what it prints, as a fenced block."""
    said = " ".join(f'"{word}"' if " " in word else word for word in words)
    return fenced(f"$ convcheck {said}\n{output(*words)}", "console")


def fenced(text: str, language: str = "") -> str:
    return f"```{language}\n{text.rstrip(chr(10))}\n```"


def drawing(svg: str) -> str:
    """An SVG between blank lines, as Markdown takes HTML."""
    lines = "\n".join(line for line in svg.splitlines() if line.strip())
    return f'<div class="convcheck-picture" style="overflow-x:auto">\n{lines}\n</div>'


def alignment(file: str) -> str:
    """The picture of the run that a file asks for."""
    return drawing(_renamed(output("run", "--format", "svg", file), file))


def alignments(file: str) -> str:
    """The pictures of all alignments."""
    return drawing(_renamed(output("enumerate", "--format", "svg", file), file))


def _renamed(svg: str, file: str) -> str:
    """Ids of this picture alone: several stand on one page."""
    prefix = "a" + re.sub(r"\W", "", file)
    return re.sub(r"\bconvcheck(?=[-\s\".{])", prefix, svg)


def flow(file: Path) -> str:
    """The control flow of each function of an example, its first error's witness marked."""
    module = cc.parse_file(file)
    found = cc.verify(module)
    drawn = []
    for number, function in enumerate(module.definitions()):
        witnesses = [d.witness for d in found if d.function == function.name and d.witness is not None]
        prefix = f"f{number}" + re.sub(r"\W", "", file.name)
        drawn.append(control_flow(module, function, witnesses[0] if witnesses else None, prefix))
    return drawing("\n".join(drawn))
