"""An alignment as people draw it: ``A B - B C D / A B C B C D``, a row per thread, a column per group.

A picture leaves out blocks that hold only control intrinsics and a branch; a path through the function needs
them. They are put back where the control flow leaves no other way.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from ...alignment.instances import DynamicInstance, StaticInstance
from ...alignment.picture import ABSENT, left_out
from ...frozen import dataclass
from ...ir.instructions import successors
from ...ir.module import Block, Function
from ...semantics.errors import UsageError, alternatives

Rows = tuple[tuple[str | None, ...], ...]
"""Per thread and column the block, ``None`` where the thread is absent."""

_LABEL = re.compile(r"\s*Thread\s+\d+\s*:\s*")


def read_rows(text: str | Sequence[str | Sequence[str]]) -> Rows:
    """The rows of a picture, of one text with ``/`` or line ends between them, as answers print them, too; or
    of a text, or a list of words, for each thread.

    :raises UsageError: for no row
    :raises TypeError: for what is none of these
    """
    value: object = text
    lines = re.split(r"[/\n]", value) if isinstance(value, str) else value
    if not isinstance(lines, list | tuple) or not all(_is_row(line) for line in lines):
        raise TypeError(f"an alignment has a row for each thread, as in 'A B - / A B C', and not {value!r}")
    lines = [line if isinstance(line, str) else " ".join(line) for line in lines]
    rows: list[tuple[str | None, ...]] = []
    for line in lines:
        label = _LABEL.match(line)
        words = _words(line[label.end() :] if label else line)
        if words:
            rows.append(
                tuple(None if word == ABSENT else word.strip('"').removeprefix("%") for word in words)
            )
    if not rows:
        raise UsageError("an alignment has a row for each thread, as in 'A B - B C D / A B C B C D'")
    width = max(map(len, rows))
    return tuple(row + (None,) * (width - len(row)) for row in rows)


def _is_row(line: object) -> bool:
    """Whether it is a text, or a list of them."""
    return isinstance(line, str) or (
        isinstance(line, list | tuple) and all(isinstance(word, str) for word in line)
    )


def _words(line: str) -> list[str]:
    """A line's words, a name in quotes as one, with its quotes."""
    try:
        return [word for word in shlex.split(line, posix=False) if word]
    except ValueError as error:
        raise UsageError(f"{line.strip()!r}: {str(error).lower()}") from None


@dataclass(frozen=True, slots=True)
class NoWay:
    """A thread cannot take these blocks: no way leads from ``before`` (``None``: the launch) to ``block``, or
    from there to an end (``block`` is ``None``)."""

    thread: int
    before: str | None
    block: str | None


def visible(function: Function, path: Sequence[str]) -> tuple[str, ...]:
    """A path's blocks, without those that pictures leave out."""
    hidden = left_out(function)
    return tuple(block for block in path if block not in hidden)


def check_blocks(function: Function, rows: Rows) -> None:
    """A picture of blocks that the function lacks is no question, whatever paths or arguments say.

    :raises UsageError: for a word of a picture that is no block of the function
    """
    known = [block.name for block in function.blocks]
    for block in (block for row in rows for block in row):
        if block is not None and block not in known:
            named = alternatives(f"%{block}", [f"%{name}" for name in known])
            raise UsageError(f"@{function.name} has no block %{block}{named}")


def path_of(
    function: Function, thread: int, row: Sequence[str | None], all_blocks: bool
) -> tuple[str, ...] | NoWay:
    """The path of a thread whose shown blocks are those of a row."""
    known = {block.name: block for block in function.blocks}
    hidden = frozenset() if all_blocks else left_out(function)
    path: list[str] = []
    entry = function.blocks[0].name
    for block in row:
        if block is None:
            continue
        if not path:
            if block != entry:
                return NoWay(thread, None, block)
            path.append(block)
            continue
        way = _way(known, path[-1], hidden, block.__eq__)
        if way is None:
            return NoWay(thread, path[-1], block)
        path += way
    if not path:
        return NoWay(thread, None, None)

    def ends(block: str) -> bool:
        return not successors(known[block].terminator)

    if not ends(path[-1]):
        end = _way(known, path[-1], hidden, lambda block: block in hidden and ends(block))
        if end is None:
            return NoWay(thread, path[-1], None)
        path += end
    return tuple(path)


def _way(
    known: Mapping[str, Block], start: str, hidden: frozenset[str], done: Callable[[str], bool]
) -> list[str] | None:
    """The shortest way behind ``start`` to where it is ``done``, over hidden blocks only."""
    before: dict[str, str] = {}
    queue = deque([start])
    while queue:
        block = queue.popleft()
        for after in successors(known[block].terminator):
            if after in before:
                continue
            before[after] = block
            if done(after):
                way = [after]
                while before[way[0]] != start:
                    way.insert(0, before[way[0]])
                return way
            if after in hidden:
                queue.append(after)
    return None


@dataclass(frozen=True, slots=True)
class TwoBlocks:
    """A column (from 1) that holds visits of two blocks."""

    column: int
    blocks: tuple[str, str]


def two_blocks(rows: Rows) -> TwoBlocks | None:
    """The first column that no alignment can have."""
    for column, cells in enumerate(zip(*rows, strict=True), 1):
        blocks = [*dict.fromkeys(block for block in cells if block is not None)]
        if len(blocks) > 1:
            return TwoBlocks(column, (blocks[0], blocks[1]))
    return None


@dataclass(frozen=True, slots=True)
class DrawnDeparture:
    """Where an alignment is not as drawn: ``pair`` should share ``column`` and does not (``together``), or
    the other way round."""

    column: int
    together: bool
    pair: tuple[DynamicInstance, DynamicInstance]


@dataclass(frozen=True, slots=True)
class OperationPicture:
    """What a picture says of operations. Two visits of a block share a column iff all of its operations are
    converged.

    ``sites``    the operations of a block
    ``block``    of an operation
    ``column``   of an instance, from 1
    ``visits``   in a column, by thread: a thread, and which of its visits of the block
    ``in_column`` the block of a column, where it has operations
    """

    sites: Mapping[str, tuple[StaticInstance, ...]]
    block: Mapping[StaticInstance, str]
    column: Mapping[DynamicInstance, int]
    visits: Mapping[int, tuple[tuple[int, int], ...]]
    in_column: Mapping[int, str]

    def departure(self, class_of: Callable[[DynamicInstance], Hashable | None]) -> DrawnDeparture | None:
        """The first column, from the left, that is not as ``class_of`` has the instances: its classes are
        those of converged-with, ``None`` where there is no such instance."""
        vectors: dict[tuple[str, tuple[Hashable, ...]], int] = {}
        apart: dict[int, int] = {}
        for column, block in self.in_column.items():
            vector = tuple(class_of(drawn) for drawn in self._instances(column, 0))
            if vector and None not in vector:
                first = vectors.setdefault((block, vector), column)
                if first != column:
                    apart.setdefault(first, column)
        for column in self.in_column:
            mine = self._instances(column, 0)
            for place in range(1, len(self.visits[column])):
                for drawn, other in zip(mine, self._instances(column, place), strict=True):
                    if class_of(drawn) is None or class_of(drawn) != class_of(other):
                        return DrawnDeparture(column, True, (drawn, other))
            if column in apart:
                return DrawnDeparture(column, False, (mine[-1], self._instances(apart[column], 0)[-1]))
        return None

    def _instances(self, column: int, place: int) -> tuple[DynamicInstance, ...]:
        """Those of one visit in a column."""
        thread, nth = self.visits[column][place]
        return tuple(DynamicInstance(thread, site, nth) for site in self.sites[self.in_column[column]])


def operation_picture(
    function: Function, rows: Rows, operations: Iterable[StaticInstance]
) -> OperationPicture:
    """All that a picture says of ``operations``."""
    block_of = [block.name for block in function.blocks for _ in block.instructions]
    sites: defaultdict[str, list[StaticInstance]] = defaultdict(list)
    for site in operations:
        if site.function == function.name:
            sites[block_of[site.index]].append(site)
    columns: dict[DynamicInstance, int] = {}
    visits: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    in_column: dict[int, str] = {}
    for thread, row in enumerate(rows):
        counts: defaultdict[str, int] = defaultdict(int)
        for column, block in enumerate(row, 1):
            if block is None or block not in sites:
                continue
            counts[block] += 1
            visits[column].append((thread, counts[block]))
            in_column[column] = block
            for site in sites[block]:
                columns[DynamicInstance(thread, site, counts[block])] = column
    return OperationPicture(
        {block: tuple(its) for block, its in sites.items()},
        {site: block for block, its in sites.items() for site in its},
        columns,
        {column: tuple(its) for column, its in visits.items()},
        dict(sorted(in_column.items())),
    )
