"""Notebooks as pages: ``docs/notebooks/*.py`` in jupytext's percent format, run cell by cell.

The runner is a few lines, so that building the pages and testing the notebooks needs no Jupyter: the value of
a cell's last expression is asked for HTML as a notebook asks, and what a cell prints stands before it.
"""

from __future__ import annotations

import ast
import io
import os
import re
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shown import ROOT, drawing, fenced, inside

FOLDER = ROOT / "docs" / "notebooks"
_CELL = re.compile(r"^# %%(.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """A cell: Markdown or code, and its tags."""

    is_text: bool
    source: str
    tags: tuple[str, ...] = ()


def files() -> list[Path]:
    return sorted(FOLDER.glob("[0-9]*.py"))


def names() -> set[str]:
    return {"notebooks/index.md", *(f"notebooks/{file.stem}.md" for file in files())}


def nav() -> list[tuple[str, str]]:
    return [(title(file), f"notebooks/{file.stem}.md") for file in files()]


def title(file: Path) -> str:
    """The first heading."""
    match = re.search(r"^# # (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert match, f"{file.name} has no heading"
    return match[1]


def cells(text: str) -> list[Cell]:
    """The cells of a file in percent format; what stands before the first is its header."""
    pieces = _CELL.split(text)[1:]
    found = []
    for head, body in zip(pieces[::2], pieces[1::2], strict=True):
        tags = tuple(re.findall(r'"([^"]+)"', head)) if "tags" in head else ()
        if "[markdown]" in head:
            lines = [re.sub(r"^# ?", "", line) for line in body.strip("\n").splitlines()]
            found.append(Cell(True, "\n".join(lines), tags))
        else:
            found.append(Cell(False, body.strip("\n"), tags))
    return found


def run(cell: Cell, scope: dict[str, Any], name: str) -> tuple[str, Any]:
    """Run a code cell: what it printed, and the value of its last expression if it is one."""
    tree = ast.parse(cell.source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with redirect_stdout(printed):
        exec(compile(tree, name, "exec"), scope)
        if last is not None:
            assert isinstance(last, ast.Expr)
            value = eval(compile(ast.Expression(last.value), name, "eval"), scope)
    return printed.getvalue(), value


def shown(value: Any) -> str:
    """A value as a notebook shows it."""
    if value is None:
        return ""
    if hasattr(value, "_repr_html_"):
        return drawing(value._repr_html_().replace("\n\n", "\n&#8203;\n"))
    return fenced(repr(value), "text")


def is_run(file: Path) -> bool:
    """Whether a notebook is run for its page: all are, unless ``CONVCHECK_RUN_NOTEBOOKS`` names some."""
    wanted = os.environ.get("CONVCHECK_RUN_NOTEBOOKS")
    return wanted is None or file.stem in wanted.split(",")


def page(file: Path) -> str:
    """A notebook, run, as Markdown."""
    scope: dict[str, Any] = {"__name__": "__notebook__"}
    parts = []
    with inside(ROOT):
        for number, cell in enumerate(cells(file.read_text(encoding="utf-8")), 1):
            if cell.is_text:
                parts.append(cell.source)
                continue
            parts.append(fenced(cell.source, "python"))
            if not is_run(file):
                continue
            printed, value = run(cell, scope, f"{file.name}, cell {number}")
            parts += [fenced(printed, "text")] if printed.strip() else []
            parts += [text] if (text := shown(value)) else []
    how = "run when the pages were built" if is_run(file) else "not run for this page"
    parts.append(f"This page is [`docs/notebooks/{file.name}`](index.md), {how}.")
    return "\n\n".join(parts) + "\n"


def pages() -> dict[str, str]:
    made = {f"notebooks/{file.stem}.md": page(file) for file in files()}
    listed = "\n".join(f"- [{title(file)}]({file.stem}.md)" for file in files())
    index = f"{_INDEX}\n{listed}\n"
    return {"notebooks/index.md": index, **made}


_INDEX = """# Notebooks

Each begins with what you will be able to answer at its end, and has two exercises with checked answers. They
are Python files in jupytext's percent format in `docs/notebooks/`. With `pip install '.[notebook]'` in a
checkout, `jupyter lab docs/notebooks` opens them (right click, *Open With*, *Notebook*), with sliders; an
editor that knows `# %%` cells opens them, too, or run them as they are.
"""
