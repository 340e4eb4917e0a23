"""An alignment as people draw it: ``A B - B C D / A B C B C D``, a row per thread, a column per group.

A picture leaves out blocks that hold only control intrinsics and a branch; a path through the function needs
them. They are put back where the control flow leaves no other way.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, product

from ...alignment.instances import DynamicInstance, StaticInstance
from ...alignment.picture import ABSENT, left_out
from ...frozen import dataclass
from ...ir.instructions import successors
from ...ir.module import Block, Function
from ...semantics.errors import UsageError

Rows = tuple[tuple[str | None, ...], ...]
"""Per thread and column the block, ``None`` where the thread is absent."""

_LABEL = re.compile(r"\s*Thread\s+\d+\s*:\s*")


def read_rows(text: str | Sequence[str]) -> Rows:
    """The rows of a picture, of one text with ``/`` or line ends between them, as answers print them, too.

    :raises UsageError: for rows of different lengths, or none
    """
    lines = re.split(r"[/\n]", text) if isinstance(text, str) else list(text)
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


def path_of(
    function: Function, thread: int, row: Sequence[str | None], all_blocks: bool
) -> tuple[str, ...] | NoWay:
    """The path of a thread whose shown blocks are those of a row. Raises UsageError for a block that there is
    not."""
    known = {block.name: block for block in function.blocks}
    hidden = frozenset() if all_blocks else left_out(function)
    path: list[str] = []
    entry = function.blocks[0].name
    for block in row:
        if block is None:
            continue
        if block not in known:
            raise UsageError(
                f"@{function.name} has no block %{block}; it has: {', '.join('%' + n for n in known)}"
            )
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
class Wanted:
    """What a picture says of two threads' visits of a block, in ``column``: all ``pairs`` of their instances
    are converged (``together``), or not all of them."""

    column: int
    together: bool
    pairs: tuple[tuple[DynamicInstance, DynamicInstance], ...]


def wanted(function: Function, rows: Rows, operations: Iterable[StaticInstance]) -> tuple[Wanted, ...]:
    """All that a picture says of ``operations``, by column. Two visits of a block share a column iff all of
    its operations are converged."""
    block_of = [block.name for block in function.blocks for _ in block.instructions]
    sites: defaultdict[str, list[StaticInstance]] = defaultdict(list)
    for site in operations:
        if site.function == function.name:
            sites[block_of[site.index]].append(site)
    visits: defaultdict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for thread, row in enumerate(rows):
        for column, block in enumerate(row, 1):
            if block is not None and block in sites:
                at = visits[block, thread]
                at.append((column, len(at) + 1))
    made = []
    for block, its in sites.items():
        for one, other in combinations(range(len(rows)), 2):
            for (mine, nth), (theirs, mth) in product(visits[block, one], visits[block, other]):
                pairs = [(DynamicInstance(one, site, nth), DynamicInstance(other, site, mth)) for site in its]
                made.append(Wanted(min(mine, theirs), mine == theirs, tuple(pairs)))
    return tuple(sorted(made, key=lambda one: (one.column, not one.together, one.pairs)))
