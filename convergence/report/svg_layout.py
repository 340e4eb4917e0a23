"""Where things stand in a picture of an alignment: its rows, its columns, the letters of its groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..alignment.instances import BlockVisit, DynamicInstance, StaticInstance
from ..semantics.run import Group
from .groups import ranges
from .printable import printable
from .svg_paint import paint
from .svg_text import cut, length

MARGIN = 16.0
LINE = 20.0  # from line to line of the list
GAP = 10.0  # between columns
PAD = 8.0  # between a cell's edge and its text
BAND = 8.0  # the patterned band at a cell's left edge
SMALL = 11.0  # font size of letters

NAME = 24  # display cells of a block's name
FEW = 32  # more threads than that share a row where they do the same


@dataclass(frozen=True, slots=True)
class Row:
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


def rows_of(cells: Sequence[Mapping[int, BlockVisit]]) -> list[Row]:
    """A row per thread; with very many threads, one for all that stand in the same columns throughout."""
    if len(cells) <= FEW:
        return [Row((n,), row) for n, row in enumerate(cells)]
    same: dict[tuple[int, ...], list[int]] = {}
    for thread, row in enumerate(cells):
        same.setdefault(tuple(row), []).append(thread)
    return [Row(tuple(threads), cells[threads[0]]) for threads in same.values()]


def columns_of(
    rows: Sequence[Row], used: Sequence[int], group_of: Mapping[DynamicInstance, Group], left: float
) -> list[Column]:
    """The columns that are used, from ``left`` to the right; letters and paints are given in that order."""
    paints: dict[StaticInstance, int] = {}
    found: list[Column] = []
    x, lettered = left, 0
    for column in used:
        visit = next(row.cells[column] for row in rows if column in row.cells)
        operations = [group_of[o] for o in visit.operations if o in group_of]
        talking = [group for group in operations if not group.control]
        letter = ""
        if talking:
            letter, lettered = _letter(lettered), lettered + 1
            paints.setdefault(talking[0].site, len(paints))
        name = cut(printable(visit.block), NAME)
        width = BAND + 2 * PAD + max(length(name), length(letter, SMALL))
        colours = paint(paints[talking[0].site]) if talking else None
        found.append(Column(column, x, width, visit.block, letter, bool(operations), colours))
        x += width + GAP
    return found


def letters_of(
    rows: Sequence[Row],
    columns: Sequence[Column],
    groups: Sequence[Group],
    group_of: Mapping[DynamicInstance, Group],
) -> dict[int, list[str]]:
    """The letters of each group, by the group's place: several where blocks share a part of their
    operations."""
    found: dict[int, list[str]] = {}
    place = {id(group): n for n, group in enumerate(groups)}
    for column in columns:
        if not column.letter:
            continue
        for row in rows:
            visit = row.cells.get(column.number)
            for operation in visit.operations if visit is not None else ():
                group = group_of.get(operation)
                if group is not None and not group.control:
                    letters = found.setdefault(place[id(group)], [])
                    if column.letter not in letters:
                        letters.append(column.letter)
    return found


def _letter(n: int) -> str:
    """``a`` to ``z``, then ``aa``: small letters, as blocks often have capital ones for names."""
    said = ""
    n += 1
    while n:
        n, rest = divmod(n - 1, 26)
        said = chr(ord("a") + rest) + said
    return said


def rank(letter: str) -> tuple[int, str]:
    return len(letter), letter
