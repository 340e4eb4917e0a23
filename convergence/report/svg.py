"""An alignment as SVG: lanes are rows, time goes to the right, groups are outlined and lettered.

A column holds one class of block visits, as in :mod:`alignment.picture`. A box around cells says that their
threads are converged there; a letter, that the block holds a convergent operation, so that they
communicate; a dashed box, that it holds control intrinsics only. Threads of one group that are not neighbours
are joined by a line. The list below says what each group executed and what came out.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..alignment.instances import Execution
from ..alignment.picture import cells as pictured
from ..ir.cycles import Order
from ..ir.module import Module
from ..semantics.run import Group
from .printable import markup, printable
from .svg_drawing import LONG, Drawing
from .svg_layout import LINE, MARGIN, rows_of
from .svg_paint import sheet
from .svg_text import cut, document, element, length, written

DRAWN = 64  # alignments of an enumeration that are drawn


def alignment(
    execution: Execution,
    groups: Sequence[Group],
    module: Module,
    function: str,
    all_blocks: bool = False,
    search: Order = Order.TEXT,
    prefix: str = "convcheck",
) -> str:
    """The SVG document, ended by a newline. The same execution gives the same text.

    ``prefix`` begins every id and names the class that the style sheet applies to: pictures on one page need
    different ones.
    """
    rows = rows_of(pictured(execution, module, function, all_blocks, search))
    return Drawing(rows, groups, function, prefix).document()


def alignments(
    found: Sequence[tuple[Execution, Sequence[Group]]],
    summary: str,
    module: Module,
    function: str,
    all_blocks: bool = False,
    search: Order = Order.TEXT,
    prefix: str = "convcheck",
) -> str:
    """All alignments of an enumeration below each other, ``summary`` as the last line; the first ones, if
    there are very many, and then a line says how many are left."""
    parts: list[str] = []
    right, y = 0.0, 0.0
    for n, (execution, groups) in enumerate(found[:DRAWN], 1):
        rows = rows_of(pictured(execution, module, function, all_blocks, search))
        drawing = Drawing(rows, groups, function, f"{prefix}-{n}", f" {n}")
        parts.append(drawing.document(y).rstrip("\n"))
        right, y = max(right, drawing.size[0]), y + drawing.size[1]
    lines = [f"... and {len(found) - DRAWN} more alignments"] if len(found) > DRAWN else []
    lines = [*lines, cut(" ".join(printable(summary).split()), LONG)]
    right = max(right, 2 * MARGIN + max(map(length, lines)))
    height = y + LINE * len(lines) + MARGIN
    head = [
        element("title", markup(printable(f"Alignments of @{function}")), id=f"{prefix}-title"),
        element("desc", markup(printable(". ".join(lines))), id=f"{prefix}-desc"),
        sheet(prefix),
        element("rect", width=right, height=height, class_="paper"),
    ]
    foot = [written(line, MARGIN, y + LINE * (n + 1)) for n, line in enumerate(lines)]
    return document(prefix, right, height, [*head, *parts, *foot])


def lines(said: Sequence[str], prefix: str = "convcheck") -> str:
    """Text in place of a picture, where there is none to draw."""
    right = 2 * MARGIN + max(map(length, said), default=0.0)
    head = [
        element("title", markup(printable(" ".join(said[:1]))), id=f"{prefix}-title"),
        element("desc", markup(printable(" ".join(said))), id=f"{prefix}-desc"),
        sheet(prefix),
        element("rect", width=right, height=LINE * len(said) + 2 * MARGIN, class_="paper"),
    ]
    foot = [written(line, MARGIN, LINE * (n + 1)) for n, line in enumerate(said)]
    return document(prefix, right, LINE * len(said) + 2 * MARGIN, [*head, *foot])
