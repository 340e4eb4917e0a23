"""SVG: elements, text of known width, and an alignment as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from ...alignment import BlockVisit, DynamicInstance, Execution, StaticInstance
from ...alignment import cells as pictured
from ...frozen import dataclass
from ...ir.cfg import Order
from ...ir.module import Module
from ...semantics.machine.run import Group
from . import attribute, markup, printable, width
from .words import members, ranges, results

# ----------------------------------------------------------------------------------------------------------
# An SVG and its elements; text in it is escaped, of known width in any font, and cut where it is long.
# ----------------------------------------------------------------------------------------------------------

SIZE = 14.0
"""Font size in user units; the font is a monospaced one."""
ADVANCE = 0.6
"""Width of a display cell in font sizes. ``textLength`` makes every font keep to it."""


def text_width(text: str) -> int:
    """Display cells of a text."""
    return sum(map(width, text))


def shortened(text: str, most: int) -> str:
    """A text of at most ``most`` display cells, with ``…`` for what is missing."""
    if text_width(text) <= most:
        return text
    kept, used = [], 0
    for character in text:
        used += width(character)
        if used > most - 1:
            break
        kept.append(character)
    return "".join(kept) + "…"


def length(text: str, size: float = SIZE) -> float:
    """The width of a text in user units."""
    return text_width(text) * size * ADVANCE


def number(value: float) -> str:
    """A coordinate, with no more digits than it needs.

    >>> number(3.0), number(8.400000001)
    ('3', '8.4')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(name: str, *inner: str, **attributes: str | float) -> str:
    """An element; an attribute ``class_`` is ``class``, and ``text_anchor`` is ``text-anchor``."""
    words = [name]
    for key, value in attributes.items():
        text = value if isinstance(value, str) else number(value)
        words.append(f"{_ATTRIBUTES.get(key, key)}={attribute(text)}")
    return f"<{' '.join(words)}>{''.join(inner)}</{name}>" if inner else f"<{' '.join(words)}/>"


_ATTRIBUTES = {
    "class_": "class",
    "text_anchor": "text-anchor",
    "font_size": "font-size",
    "stroke_dasharray": "stroke-dasharray",
}


def title(text: str) -> str:
    """What a pointer or a screen reader tells about the element around it."""
    return element("title", markup(printable(text)))


def text_line(
    text: str, x: float, y: float, size: float = SIZE, anchor: str = "start", kind: str = "ink"
) -> str:
    """A line of text, its baseline at ``y``."""
    spelled = printable(text)
    if not spelled:
        return ""
    return element(
        "text", markup(spelled), x=x, y=y, textLength=length(spelled, size), lengthAdjust="spacingAndGlyphs",
        class_=kind, font_size=size, text_anchor=anchor,
    )  # fmt: skip


def document(prefix: str, across: float, height: float, parts: Sequence[str], y: float = 0.0) -> str:
    """An ``svg`` element with these parts, to stand at ``y`` in another; it is told by the elements with the
    ids ``PREFIX-title`` and ``PREFIX-desc``."""
    size = f"{number(across)} {number(height)}"
    place = f' y="{number(y)}"' if y else ""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{prefix}"{place} viewBox="0 0 {size}" '
        f'width="{number(across)}" height="{number(height)}" role="img" '
        f'aria-labelledby="{prefix}-title {prefix}-desc">'
    )
    return "\n".join([head, *(part for part in parts if part), "</svg>"]) + "\n"


# -- Colours, patterns and outlines of an SVG: a palette that colour-blind people can tell apart
# Colour says which operation a block executes, and never says it alone: the band in front of the block's
# name has a pattern too, the name stands in the cell, and groups have letters. The palette's yellow and
# black are left out, for they vanish on white or on black.

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito, *Color Universal Design*: blue, vermilion, bluish green, reddish purple, orange, sky
blue."""

_LIGHT = "--ink:#1a1a1a;--paper:#ffffff;--faint:#767676;--wash:.16"
_DARK = "--ink:#f2f2f2;--paper:#16181c;--faint:#9a9a9a;--wash:.34"

_SHAPES = (
    "",
    '<path d="M0 8L8 0M-2 2L2 -2M6 10L10 6" stroke="#fff" stroke-width="2"/>',
    '<circle cx="4" cy="4" r="1.8" fill="#fff"/>',
    '<path d="M0 4H8" stroke="#fff" stroke-width="2.4"/>',
    '<path d="M0 0L8 8M-2 6L2 10M6 -2L10 2" stroke="#fff" stroke-width="2"/>',
    '<path d="M4 0V8M0 4H8" stroke="#fff" stroke-width="1.6"/>',
)
"""What lies over a colour in the band, on tiles of 8 by 8."""


def sheet(prefix: str) -> str:
    """The style sheet, for this picture only: ``prefix`` is its class."""
    p = f".{prefix}"
    return element(
        "style",
        f"{p}{{{_LIGHT};font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}}",
        f"@media (prefers-color-scheme:dark){{{p}{{{_DARK}}}}}",
        f"{p} .paper{{fill:#ffffff;fill:var(--paper)}}",
        f"{p} .ink{{fill:#1a1a1a;fill:var(--ink)}}",
        f"{p} .faint{{fill:#767676;fill:var(--faint)}}",
        f"{p} .lane{{stroke:#767676;stroke:var(--faint);stroke-width:1;stroke-dasharray:1 5}}",
        f"{p} .group{{fill:none;stroke:#1a1a1a;stroke:var(--ink);stroke-width:2}}",
        f"{p} .control{{fill:none;stroke:#767676;stroke:var(--faint);stroke-width:1.5;stroke-dasharray:4 3}}",
        f"{p} .alone{{fill:none;stroke:#767676;stroke:var(--faint);stroke-width:1}}",
        f"{p} .badge{{fill:#1a1a1a;fill:var(--ink)}}",
        f"{p} .inverse{{fill:#ffffff;fill:var(--paper)}}",
        f"{p} .wash{{fill-opacity:.16;fill-opacity:var(--wash)}}",
    )


def appearing(prefix: str, names: Sequence[str]) -> str:
    """The style by which elements with these ids appear one after the other, again and again: no script. Who
    wants less motion, and paper, has them all at once."""
    seconds = 0.9 * len(names) + 2.5
    rules = []
    for n, name in enumerate(names):
        start = 100 * (0.9 * n) / seconds
        there = number(min(start + 3, 99.0))
        rules.append(
            f"@keyframes {name}{{0%,{number(start)}%{{opacity:.08}}{there}%,100%{{opacity:1}}}}"
            f"#{name}{{animation:{name} {number(seconds)}s infinite}}"
        )
    still = f"@media print,(prefers-reduced-motion:reduce){{.{prefix} g{{animation:none!important}}}}"
    return element("style", *rules, still)


def paint(index: int) -> int:
    """Which of the paints the ``index``-th operation of a picture has."""
    return index % (len(PALETTE) * len(_SHAPES))


def colour(index: int) -> str:
    """The colour of a paint."""
    return PALETTE[index % len(PALETTE)]


def pattern(prefix: str, index: int) -> str:
    """The definition of a paint's pattern, for ``<defs>``: colours and shapes go round at different places,
    so that equal colours have different shapes."""
    shape = _SHAPES[(index + index // len(PALETTE)) % len(_SHAPES)]
    return element(
        "pattern",
        element("rect", width=8.0, height=8.0, fill=colour(index)),
        shape,
        id=f"{prefix}-p{index}",
        width=8.0,
        height=8.0,
        patternUnits="userSpaceOnUse",
    )


# ----------------------------------------------------------------------------------------------------------
# An alignment as SVG: lanes are rows, time goes to the right, groups are outlined and lettered.
#
# A column holds one class of block visits, as in :mod:`alignment`. A box around cells says that their
# threads are converged there; a letter, that the block holds a convergent operation, so that they
# communicate; a dashed box, that it holds control intrinsics only. Threads of one group that are not
# neighbours are joined by a line. The list below says what each group executed and what came out.
# ----------------------------------------------------------------------------------------------------------


DRAWN = 64  # alignments of an enumeration that are drawn


def alignment(
    execution: Execution,
    groups: Sequence[Group],
    module: Module,
    function: str,
    all_blocks: bool = False,
    search: Order = Order.TEXT,
    prefix: str = "convcheck",
    legend: bool = False,
    animated: bool = False,
) -> str:
    """The SVG document, ended by a newline. The same execution gives the same text.

    With a ``legend`` it says below what its signs mean; ``animated``, its columns come one after the other.
    ``prefix`` begins every id and names the class that the style sheet applies to: pictures on one page need
    different ones.
    """
    rows = rows_of(pictured(execution, module, function, all_blocks, search))
    return Drawing(rows, groups, function, prefix, legend=legend, animated=animated).document()


def alignments(
    executions: Sequence[tuple[Execution, Sequence[Group]]],
    summary: str,
    module: Module,
    function: str,
    all_blocks: bool = False,
    search: Order = Order.TEXT,
    prefix: str = "convcheck",
    legend: bool = False,
) -> str:
    """All alignments of an enumeration below each other, ``summary`` as the last line; the first ones, if
    there are very many, and then a line says how many are left."""
    parts: list[str] = []
    right, y = 0.0, 0.0
    for n, (execution, groups) in enumerate(executions[:DRAWN], 1):
        rows = rows_of(pictured(execution, module, function, all_blocks, search))
        last = legend and n == min(len(executions), DRAWN)
        drawing = Drawing(rows, groups, function, f"{prefix}-{n}", f" {n}", legend=last)
        parts.append(drawing.document(y).rstrip("\n"))
        right, y = max(right, drawing.size[0]), y + drawing.size[1]
    lines = [f"... and {len(executions) - DRAWN} more alignments"] if len(executions) > DRAWN else []
    lines = [*lines, shortened(" ".join(printable(summary).split()), LONG)]
    right = max(right, 2 * MARGIN + max(map(length, lines)))
    height = y + LINE * len(lines) + MARGIN
    head = [
        element("title", markup(printable(f"Alignments of @{function}")), id=f"{prefix}-title"),
        element("desc", markup(printable(". ".join(lines))), id=f"{prefix}-desc"),
        sheet(prefix),
        element("rect", width=right, height=height, class_="paper"),
    ]
    foot = [text_line(line, MARGIN, y + LINE * (n + 1)) for n, line in enumerate(lines)]
    return document(prefix, right, height, [*head, *parts, *foot])


def lines(lines_of_text: Sequence[str], prefix: str = "convcheck") -> str:
    """Text in place of a picture, where there is none to draw."""
    right = 2 * MARGIN + max(map(length, lines_of_text), default=0.0)
    head = [
        element("title", markup(printable(" ".join(lines_of_text[:1]))), id=f"{prefix}-title"),
        element("desc", markup(printable(" ".join(lines_of_text))), id=f"{prefix}-desc"),
        sheet(prefix),
        element("rect", width=right, height=LINE * len(lines_of_text) + 2 * MARGIN, class_="paper"),
    ]
    foot = [text_line(line, MARGIN, LINE * (n + 1)) for n, line in enumerate(lines_of_text)]
    return document(prefix, right, LINE * len(lines_of_text) + 2 * MARGIN, [*head, *foot])


# -- Where things stand in a picture of an alignment: its rows, its columns, the letters of its groups

MARGIN = 16.0
LINE = 20.0  # from line to line of the list
GAP = 10.0  # between columns
PAD = 8.0  # between a cell's edge and its text
BAND = 8.0  # the patterned band at a cell's left edge
SMALL = 11.0  # font size of letters

NAME = 24  # display cells of a block's name
FEW = 32  # more threads than that share a row where they do the same


@dataclass(frozen=True, slots=True)
class LaneRow:
    """Threads that take the same way, and their cells by column."""

    threads: tuple[int, ...]
    cells: Mapping[int, BlockVisit]

    @property
    def label(self) -> str:
        return f"Thread{'' if len(self.threads) == 1 else 's'} {ranges(self.threads)}"


@dataclass(frozen=True, slots=True)
class Column:
    """A class of block visits: where it stands, its block, its letter and its paint.

    ``letter`` is empty where no convergent operation is; ``control`` where control intrinsics are.
    """

    number: int
    x: float
    width: float
    block: str
    letter: str
    control: bool
    paint: int | None


def rows_of(cells: Sequence[Mapping[int, BlockVisit]]) -> list[LaneRow]:
    """A row per thread; with very many threads, one for all that stand in the same columns throughout."""
    if len(cells) <= FEW:
        return [LaneRow((n,), row) for n, row in enumerate(cells)]
    same: dict[tuple[int, ...], list[int]] = {}
    for thread, row in enumerate(cells):
        same.setdefault(tuple(row), []).append(thread)
    return [LaneRow(tuple(threads), cells[threads[0]]) for threads in same.values()]


def columns_of(
    rows: Sequence[LaneRow], used: Sequence[int], group_of: Mapping[DynamicInstance, Group], left: float
) -> list[Column]:
    """The columns that are used, from ``left`` to the right; letters and paints are given in that order."""
    paints: dict[StaticInstance, int] = {}
    columns: list[Column] = []
    x, lettered = left, 0
    for column in used:
        visit = next(row.cells[column] for row in rows if column in row.cells)
        operations = [group_of[o] for o in visit.operations if o in group_of]
        talking = [group for group in operations if not group.control]
        letter = ""
        if talking:
            letter, lettered = _letter(lettered), lettered + 1
            paints.setdefault(talking[0].site, len(paints))
        name = shortened(printable(visit.block), NAME)
        width = BAND + 2 * PAD + max(length(name), length(letter, SMALL) + 8 if letter else 0.0)
        colours = paint(paints[talking[0].site]) if talking else None
        columns.append(Column(column, x, width, visit.block, letter, bool(operations), colours))
        x += width + GAP
    return columns


def letters_of(
    rows: Sequence[LaneRow],
    columns: Sequence[Column],
    groups: Sequence[Group],
    group_of: Mapping[DynamicInstance, Group],
) -> dict[int, list[str]]:
    """The letters of each group, by the group's place: several where blocks share a part of their
    operations."""
    by_group: dict[int, list[str]] = {}
    place = {id(group): n for n, group in enumerate(groups)}
    for column in columns:
        if not column.letter:
            continue
        for row in rows:
            visit = row.cells.get(column.number)
            for operation in visit.operations if visit is not None else ():
                group = group_of.get(operation)
                if group is not None and not group.control:
                    letters = by_group.setdefault(place[id(group)], [])
                    if column.letter not in letters:
                        letters.append(column.letter)
    return by_group


def _letter(n: int) -> str:
    """``a`` to ``z``, then ``aa``: small letters, as blocks often have capital ones for names."""
    letter = ""
    n += 1
    while n:
        n, rest = divmod(n - 1, 26)
        letter = chr(ord("a") + rest) + letter
    return letter


def rank(letter: str) -> tuple[int, str]:
    return len(letter), letter


# -- One alignment on its way to SVG: its cells, boxes and bands, the list of its groups, and it in words

ROW = 48.0  # from lane to lane
CELL = 38.0  # height of a cell

LANE = 24  # display cells of a row's label
LONG = 110  # display cells of a line in the list
ROWS = 128  # rows that are shown
COLUMNS = 256  # columns that are shown
LISTED = 64  # groups that are listed


LEGEND = (
    ("group", "a frame: the threads in it execute the block together, and communicate there"),
    ("letter", "the group's letter: below it is said what the group executed and what came out"),
    ("band", "colour and pattern: which operation; equal ones are the same operation of the text"),
    ("control", "a dashed frame: together, in a block that has control intrinsics only"),
    ("alone", "a thin frame: a block without convergent operations"),
    ("lane", "a thread, time to the right; where there is no cell it is not there"),
)
"""The signs of a picture, and what each means (docs/pictures.md)."""


def _badge(letter: str, middle: float, base: float) -> list[str]:
    """A group's letter: paper on ink, so that it is not taken for a block's name."""
    width = length(letter, SMALL) + 8
    box = {"x": middle - width / 2, "y": base - SMALL + 0.5, "width": width, "height": SMALL + 2, "rx": 3.0}
    return [
        element("rect", **box, class_="badge"),
        text_line(letter, middle, base, SMALL, "middle", "inverse"),
    ]


class Drawing:
    """One picture on its way to text."""

    size = 0.0, 0.0

    def __init__(
        self,
        rows: list[LaneRow],
        groups: Sequence[Group],
        function: str,
        prefix: str,
        number: str = "",
        legend: bool = False,
        animated: bool = False,
    ) -> None:
        self.legend, self.animated = legend, animated
        self.function, self.prefix, self.groups = function, prefix, groups
        self.number, self.name = number, f"Alignment{number} of @{function}"
        self.rows, self.rows_left = rows[:ROWS], max(0, len(rows) - ROWS)
        used = sorted({column for row in rows for column in row.cells})
        self.columns_left = max(0, len(used) - COLUMNS)
        self.group_of = {member: group for group in groups for member in group.members}
        self.left = (
            MARGIN + max((length(shortened(row.label, LANE)) for row in self.rows), default=0.0) + MARGIN
        )
        self.columns = columns_of(rows, used[:COLUMNS], self.group_of, self.left)
        self.letters = letters_of(rows, self.columns, groups, self.group_of)
        self.top = MARGIN + LINE

    # -- the parts ------------------------------------------------------------------------------------

    def document(self, y: float = 0.0) -> str:
        """The whole text, to stand at ``y`` in another picture; ``size`` is known from here on."""
        p = self.prefix
        grid_right = self.columns[-1].x + self.columns[-1].width if self.columns else self.left
        bottom = self.top + ROW * len(self.rows)
        description = self._list()
        right = (
            max([grid_right, *(MARGIN + length(line) for line in (*description, self._caption()))]) + MARGIN
        )
        height = bottom + LINE * (len(description) + 1) + MARGIN
        signs, across, tall = (
            self._legend(bottom + LINE * (len(description) + 1)) if self.legend else ([], 0.0, 0.0)
        )
        right, height = max(right, across), height + tall
        self.size = right, height
        parts = [
            element("title", markup(printable(self.name)), id=f"{p}-title"),
            element("desc", markup(printable(self._description())), id=f"{p}-desc"),
            sheet(p),
            element("defs", *(pattern(p, n) for n in self._paints())),
            element("rect", width=right, height=height, class_="paper"),
            text_line(self._caption(), MARGIN, MARGIN + SIZE, kind="faint"),
            *self._lanes(grid_right),
            *(self._column(column) for column in self.columns),
            *(text_line(line, MARGIN, bottom + LINE * (n + 1)) for n, line in enumerate(description)),
            *signs,
        ]
        if self.animated:
            parts.append(appearing(p, [f"{p}-c{column.number}" for column in self.columns]))
        return document(p, right, height, parts, y)

    def _legend(self, y: float) -> tuple[list[str], float, float]:
        """What the signs mean, from ``y`` on; how far it goes to the right, and how tall it is."""
        parts, across = [], 0.0
        tall, wide, step = 16.0, 34.0, 24.0
        for n, (kind, words) in enumerate(LEGEND):
            top = y + step * n + 6
            box = {"x": MARGIN, "y": top, "width": wide, "height": tall, "rx": 4.0}
            match kind:
                case "letter":
                    parts += _badge("a", MARGIN + wide / 2, top + 12)
                case "band":
                    paints = self._paints() or [0]
                    if not self._paints():
                        parts.append(element("defs", pattern(self.prefix, 0)))
                    fill = f"url(#{self.prefix}-p{paints[0]})"
                    parts.append(element("rect", **{**box, "width": BAND, "rx": 0.0}, fill=fill))
                case "lane":
                    middle = top + tall / 2
                    parts.append(
                        element("line", x1=MARGIN, y1=middle, x2=MARGIN + wide, y2=middle, class_="lane")
                    )
                case _:
                    parts.append(element("rect", **box, class_=kind))
            parts.append(text_line(words, MARGIN + wide + 10, top + 12, SMALL))
            across = max(across, MARGIN + wide + 10 + length(words, SMALL) + MARGIN)
        return parts, across, step * len(LEGEND) + 6

    def _paints(self) -> list[int]:
        return sorted({column.paint for column in self.columns if column.paint is not None})

    def _caption(self) -> str:
        left = f" ({self.columns_left} more columns)" if self.columns_left else ""
        which = f"Alignment{self.number}, " if self.number else ""
        return which + shortened(printable(f"@{self.function}"), NAME * 2) + f", time to the right{left}"

    def _description(self) -> str:
        """The picture in words, for those who cannot see it."""
        lines = []
        for row in self.rows:
            steps = []
            for column in self.columns:
                if column.number in row.cells:
                    steps.append(column.block + (f" (group {column.letter})" if column.letter else ""))
                else:
                    steps.append("-")
            lines.append(f"{row.label}: {', '.join(steps)}.")
        return " ".join([*lines, *(f"{line}." for line in self._list())])

    def _lanes(self, right: float) -> list[str]:
        """A dotted line and a label per row."""
        parts = []
        for n, row in enumerate(self.rows):
            middle = self.top + ROW * n + ROW / 2
            parts.append(
                element("line", x1=self.left, y1=middle, x2=max(right, self.left), y2=middle, class_="lane")
            )
            label = text_line(shortened(row.label, LANE), MARGIN, middle + SIZE * 0.35)
            parts.append(element("g", title(row.label), label))
        return parts

    def _column(self, column: Column) -> str:
        """The cells of one class, boxed where they are neighbours, joined where they are not."""
        there = [n for n, row in enumerate(self.rows) if column.number in row.cells]
        parts: list[str] = []
        kind = "group" if column.letter else "control" if column.control else "alone"
        runs = _neighbours(there) if kind != "alone" else [[n] for n in there]
        inset = (ROW - CELL) / 2
        middle = column.x + column.width / 2
        if kind != "alone":
            for above, below in pairwise(runs):
                y1, y2 = self.top + ROW * (above[-1] + 1) - inset, self.top + ROW * below[0] + inset
                parts.append(element("line", x1=middle, y1=y1, x2=middle, y2=y2, class_=kind))
        parts += [self._cell(column, n) for n in there]
        for run in runs:
            y = self.top + ROW * run[0] + inset
            tall = ROW * (len(run) - 1) + CELL
            parts.append(
                element("rect", x=column.x, y=y, width=column.width, height=tall, rx=6.0, class_=kind)
            )
        return element("g", *parts, id=f"{self.prefix}-c{column.number}")

    def _cell(self, column: Column, n: int) -> str:
        """One visit: its block's name, its group's letter above it, the band of its operation."""
        row = self.rows[n]
        y = self.top + ROW * n + (ROW - CELL) / 2
        parts = [title(self._tooltip(row, column))]
        box = {"x": column.x, "y": y, "width": column.width, "height": CELL, "rx": 6.0}
        parts.append(element("rect", **box, class_="paper"))
        if column.paint is not None:
            parts.append(element("rect", **box, fill=colour(column.paint), class_="wash"))
            fill = f"url(#{self.prefix}-p{column.paint})"
            band = {"x": column.x + 2, "y": y + 4, "width": BAND - 2, "height": CELL - 8}
            parts.append(element("rect", **band, fill=fill))
        band_width = 0.0 if column.paint is None else BAND
        middle = column.x + band_width + (column.width - band_width) / 2
        name = shortened(printable(column.block), NAME)
        if column.letter:
            parts += _badge(column.letter, middle, y + SMALL + 3)
            parts.append(text_line(name, middle, y + CELL - 7, SIZE, "middle"))
        else:
            parts.append(text_line(name, middle, y + CELL / 2 + SIZE * 0.35, SIZE, "middle"))
        return element("g", *parts)

    def _tooltip(self, row: LaneRow, column: Column) -> str:
        """What a pointer over a cell is told."""
        operations = [
            f"{self.group_of[o].operation} #{o.nth}"
            for o in row.cells[column.number].operations
            if o in self.group_of
        ]
        group = f", group {column.letter}" if column.letter else ""
        what = f": {', '.join(operations)}" if operations else ""
        return f"{row.label}, block {column.block}{group}{what}"

    def _list(self) -> list[str]:
        """A line per group that communicated: letters, operation, who, what came out."""
        lines = []
        for n in sorted(self.letters, key=lambda n: ([rank(letter) for letter in self.letters[n]], n)):
            group = self.groups[n]
            members_of_group = members((member.thread, member.nth) for member in group.members)
            out = f" => {results(group.results)}" if group.results else ""
            callee = "" if group.operation.startswith(group.callee) else f" ({group.callee})"
            letters = ", ".join(self.letters[n])
            lines.append(
                shortened(printable(f"{letters}: {group.operation}{callee}, {members_of_group}{out}"), LONG)
            )
        if len(lines) > LISTED:
            lines[LISTED:] = [f"... and {len(lines) - LISTED} more groups"]
        if self.rows_left:
            lines.append(f"... and {self.rows_left} more rows")
        return lines


def _neighbours(numbers: Sequence[int]) -> list[list[int]]:
    """Runs of consecutive numbers."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and runs[-1][-1] == n - 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return runs
