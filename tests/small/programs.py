"""Every program of few blocks, control intrinsics and uses, one of each kind that the rules treat alike.

A *shape* is a control flow graph: for each block its set of successors, the entry block first and without
predecessors. A rule asks which blocks a block goes on to, never in which order, so that one order stands
for all; and never for a block's name, so that one shape stands for all that a renaming makes of it.

A *program* is a shape with items in its blocks: ``entry``, ``anchor``, ``loop`` of a token, a *use* of a
token. Tokens are numbered in text order, which is what "up to renaming" means for them.

Most placements break a rule at sight. A rule is *steady* if a program that holds a program that breaks it
breaks it, too. All static rules are but S-NEST: their sentences speak of two items at most, of what stands
between them in a block, and of paths, and none of these goes away when items are added. (Another use may
make a region larger, so that S-NEST is kept where it was broken.) So three families stand for all programs
up to a size:

- :func:`clean`: those that break no steady rule. What decides about them is S-NEST.
- :func:`smallest_broken`: those that break a steady rule, while whatever is left when an item is taken out
  does not. Every program that breaks a steady rule holds one of them. (An item can be taken out if nobody
  uses its token; loops that use one another's tokens in a ring are such a program by themselves.)
- :func:`everything`: without any of this reasoning, blocks that nothing reaches among them, for small sizes.

``clean`` leaves out, unless ``reduce`` is off, what does not change whether S-NEST is kept:

- a use of a token right behind another use of it: no point of a region or of a path lies between them that
  tells them apart;
- an entry or an anchor whose token nobody uses: its region is empty, and no use asks where it is defined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import combinations, pairwise, permutations, product
from typing import NamedTuple

from tests.oracles.model import Block, Exit, Function, Item, Kind

Successors = tuple[tuple[int, ...], ...]
"""Of each block, ascending."""


class Size(NamedTuple):
    """How large a program may be. A loop counts as a control intrinsic; ``uses`` are controlled calls."""

    blocks: int
    controls: int
    uses: int


class Placed(NamedTuple):
    """An item; ``token`` is the number of the control intrinsic whose token it uses, in text order."""

    kind: Kind
    token: int | None = None


Placement = tuple[tuple[Placed, ...], ...]
"""The items of each block."""

ENTRY = Placed(Kind.ENTRY)
ANCHOR = Placed(Kind.ANCHOR)


class Shape:
    """A control flow graph, and what the steady rules ask about it."""

    def __init__(self, successors: Successors) -> None:
        self.successors = successors
        self.blocks = range(len(successors))

    def __repr__(self) -> str:
        return f"Shape({self.successors})"

    def reached(self, without: int | None = None) -> set[int]:
        """The blocks that the entry block reaches on paths that avoid one block."""
        seen, todo = {0} - {without}, [0] if without != 0 else []
        while todo:
            for target in self.successors[todo.pop()]:
                if target != without and target not in seen:
                    seen.add(target)
                    todo.append(target)
        return seen

    @cached_property
    def dominated(self) -> list[frozenset[int]]:
        """For each block those that it dominates, itself among them."""
        return [frozenset(set(self.blocks) - self.reached(without=b) | {b}) for b in self.blocks]

    @cached_property
    def closed_paths(self) -> list[frozenset[int]]:
        """The node sets of all simple closed paths."""
        paths: set[frozenset[int]] = set()

        def walk(path: list[int]) -> None:
            for target in self.successors[path[-1]]:
                if target == path[0]:
                    paths.add(frozenset(path))
                elif target > path[0] and target not in path:
                    walk([*path, target])

        for block in self.blocks:
            walk([block])
        return sorted(paths, key=sorted)

    @cached_property
    def renamings(self) -> list[tuple[int, ...]]:
        """The renamings of blocks that leave the shape as it is, but for the one that renames nothing."""
        same = [m for m in _renamings(len(self.successors)) if renamed(self.successors, m) == self.successors]
        return same[1:]

    @property
    def ordered(self) -> bool:
        """A block stands before those that it dominates."""
        return all(other >= block for block in self.blocks for other in self.dominated[block])


def _renamings(count: int) -> Iterator[tuple[int, ...]]:
    return ((0, *rest) for rest in permutations(range(1, count)))


def renamed(successors: Successors, names: tuple[int, ...]) -> Successors:
    """The shape in which block ``b`` is ``names[b]``."""
    result: list[tuple[int, ...]] = [()] * len(successors)
    for block, targets in enumerate(successors):
        result[names[block]] = tuple(sorted(names[t] for t in targets))
    return tuple(result)


def shapes(blocks: int, most_successors: int | None = None, connected: bool = True) -> Iterator[Shape]:
    """Every shape of that many blocks, one of those that are alike; ``connected``: the entry block reaches
    all of them.

    Of connected ones that is the least in which a block stands before those that it dominates.
    """
    width = blocks - 1 if most_successors is None else most_successors
    sets = [s for size in range(width + 1) for s in combinations(range(1, blocks), size)]
    for successors in product(sets, repeat=blocks):
        shape = Shape(successors)
        if connected and (len(shape.reached()) < blocks or not shape.ordered):
            continue
        others = (renamed(successors, names) for names in _renamings(blocks))
        if not any(o < successors and (not connected or Shape(o).ordered) for o in others):
            yield shape


# -- placements -------------------------------------------------------------------------------------


def clean(shape: Shape, controls: int, uses: int, reduce: bool = True) -> Iterator[Placement]:
    """Every placement of at most so many items that breaks no steady rule, with and without items; ``reduce``
    leaves out what is said above."""
    items: list[list[Placed]] = [[] for _ in shape.blocks]
    homes: list[int] = []
    """The block of each token."""
    needed: list[bool] = []
    """Whether each token has to be used, and is not."""
    busy = [False] * len(shape.closed_paths)
    """The closed paths with a use of a token from outside."""

    def entered(block: int, token: int) -> list[int]:
        """The closed paths through a block on which a token is not defined."""
        return [n for n, path in enumerate(shape.closed_paths) if block in path and homes[token] not in path]

    def control(block: int, item: Placed, left: int) -> Iterator[Placement]:
        homes.append(block)
        needed.append(reduce and item.kind is not Kind.LOOP)
        items[block].append(item)
        yield from go(block, left - 1, uses - used())
        items[block].pop()
        needed.pop()
        homes.pop()

    def used() -> int:
        return sum(item.kind is Kind.CALL for block in items for item in block)

    def use(block: int, item: Placed, act: Callable[[], Iterator[Placement]]) -> Iterator[Placement]:
        assert item.token is not None
        before, needed[item.token] = needed[item.token], False
        yield from act()
        needed[item.token] = before

    def call(block: int, item: Placed, left: int, left_uses: int) -> Iterator[Placement]:
        items[block].append(item)
        yield from go(block, left, left_uses - 1)
        items[block].pop()

    def go(first: int, left: int, left_uses: int) -> Iterator[Placement]:
        """All ways to append items to ``first`` and the blocks behind it."""
        if not any(needed):
            yield tuple(map(tuple, items))
        for block in range(first, len(shape.blocks)):
            here = items[block]
            if left:
                if block == 0 and not here:
                    yield from control(block, ENTRY, left)
                yield from control(block, ANCHOR, left)
                if not here:
                    for token, home in enumerate(homes):
                        paths = entered(block, token) if block in shape.dominated[home] else []
                        if block in shape.dominated[home] and all(
                            not busy[p] and shape.closed_paths[p] <= shape.dominated[block] for p in paths
                        ):
                            for p in paths:
                                busy[p] = True
                            loop = Placed(Kind.LOOP, token)
                            yield from use(block, loop, lambda i=loop, b=block: control(b, i, left))  # type: ignore[misc]
                            for p in paths:
                                busy[p] = False
            if left_uses:
                for token, home in enumerate(homes):
                    item = Placed(Kind.CALL, token)
                    if reduce and here and here[-1] == item:
                        continue
                    if block in shape.dominated[home] and not entered(block, token):
                        yield from use(block, item, lambda i=item, b=block: call(b, i, left, left_uses))  # type: ignore[misc]

    for placement in go(0, controls, uses):
        if not shape.renamings or _is_least(placement, shape.renamings):
            yield placement


def _is_least(placement: Placement, renamings: list[tuple[int, ...]]) -> bool:
    """Of the placements that renamings of blocks make of this one it is the first."""
    mine = _places(placement, tuple(range(len(placement))))
    return all(mine <= _places(placement, names) for names in renamings)


def _places(placement: Placement, names: tuple[int, ...]) -> list[tuple[int, int, str, tuple[int, int]]]:
    """Each item's place and kind, and the place of the token that it uses, with blocks renamed."""
    homes = [
        (names[b], p)
        for b, items in enumerate(placement)
        for p, i in enumerate(items)
        if i.kind is not Kind.CALL
    ]
    return sorted(
        (names[b], p, i.kind.value, (-1, -1) if i.token is None else homes[i.token])
        for b, items in enumerate(placement)
        for p, i in enumerate(items)
    )


def is_clean(shape: Shape, placement: Placement) -> bool:
    """Whether a placement breaks no steady rule; its tokens may be used anywhere."""
    homes: list[tuple[int, int]] = []
    for block, items in enumerate(placement):
        for position, item in enumerate(items):
            if item.kind is not Kind.CALL:
                homes.append((block, position))
            if item.kind is Kind.ENTRY and (block or position):
                return False  # S-ENTRY-BLOCK, S-ENTRY-FIRST
            if item.kind is Kind.LOOP and position:
                return False  # S-LOOP-FIRST
    busy: set[frozenset[int]] = set()
    for block, items in enumerate(placement):
        for position, item in enumerate(items):
            if item.token is None:
                continue
            home, at = homes[item.token]
            if block not in shape.dominated[home] or (home == block and at >= position):
                return False  # S-DOM
            for path in shape.closed_paths:
                if block in path and home not in path:
                    if item.kind is Kind.CALL or path in busy or not path <= shape.dominated[block]:
                        return False  # S-CYCLE-USE, S-CYCLE-TWICE, S-CYCLE-TWO, S-HEART-DOM
                    busy.add(path)
    return True


def smallest_broken(shape: Shape, controls: int, uses: int) -> Iterator[Placement]:
    """Every placement of at most so many items that breaks a steady rule, while none breaks one that lacks
    an item of it."""
    seen: set[Placement] = set()
    for placement in clean(shape, controls, uses, reduce=False):
        for longer in _with_one_more(placement, controls, uses):
            if longer not in seen and not is_clean(shape, longer):
                seen.add(longer)
                if all(is_clean(shape, shorter) for shorter in without_one(longer)) and (
                    not shape.renamings or _is_least(longer, shape.renamings)
                ):
                    yield longer
    for count in range(2, controls + 1):
        for ring in _rings(len(shape.blocks), count):
            if not shape.renamings or _is_least(ring, shape.renamings):
                yield ring


def _rings(blocks: int, count: int) -> Iterator[Placement]:
    """Every placement of so many loops, each of which uses another one's token, so that none can go first."""
    for order in permutations(range(1, count)):
        ring = (0, *order)
        uses = dict(zip(ring, (*ring[1:], 0), strict=True))
        for cuts in combinations(range(count + blocks - 1), blocks - 1):
            ends = [0, *(cut - k for k, cut in enumerate(cuts)), count]
            yield tuple(tuple(Placed(Kind.LOOP, uses[k]) for k in range(a, b)) for a, b in pairwise(ends))


def _with_one_more(placement: Placement, controls: int, uses: int) -> Iterator[Placement]:
    """The placement with another item somewhere, whichever token it uses, its own among them."""
    tokens = sum(i.kind is not Kind.CALL for items in placement for i in items)
    calls = sum(map(len, placement)) - tokens
    before = 0
    for block, items in enumerate(placement):
        for position in range(len(items) + 1):
            if calls < uses:
                for token in range(tokens):
                    yield _inserted(placement, block, position, Placed(Kind.CALL, token))
            if tokens < controls:
                number = before + sum(i.kind is not Kind.CALL for i in items[:position])
                apart = tuple(
                    tuple(
                        i if i.token is None else i._replace(token=i.token + (i.token >= number))
                        for i in here
                    )
                    for here in placement
                )
                yield _inserted(apart, block, position, ENTRY)
                yield _inserted(apart, block, position, ANCHOR)
                for token in range(tokens + 1):
                    yield _inserted(apart, block, position, Placed(Kind.LOOP, token))
        before += sum(i.kind is not Kind.CALL for i in items)


def _inserted(placement: Placement, block: int, position: int, item: Placed) -> Placement:
    items = placement[block]
    return (*placement[:block], (*items[:position], item, *items[position:]), *placement[block + 1 :])


def without_one(
    placement: Placement, kinds: tuple[Kind, ...] = (Kind.ENTRY, Kind.LOOP, Kind.ANCHOR, Kind.CALL)
) -> Iterator[Placement]:
    """The placement without one item, of these kinds, whose token no other one uses."""
    using = [i.token for items in placement for i in items if i.token is not None]
    number = 0
    for block, items in enumerate(placement):
        for position, item in enumerate(items):
            mine = number
            number += item.kind is not Kind.CALL
            if item.kind not in kinds:
                continue
            if item.kind is not Kind.CALL:
                if using.count(mine) > (item.token == mine):
                    continue
            rest = (*placement[:block], (*items[:position], *items[position + 1 :]), *placement[block + 1 :])
            if item.kind is not Kind.CALL:
                rest = tuple(
                    tuple(
                        i if i.token is None else i._replace(token=i.token - (i.token > mine)) for i in here
                    )
                    for here in rest
                )
            yield rest


def everything(blocks: int, controls: int, uses: int) -> Iterator[Placement]:
    """Every placement of exactly so many items, rule or no rule."""
    names = range(controls)
    kinds = [ENTRY, ANCHOR, *(Placed(Kind.LOOP, t) for t in names)]
    calls = [Placed(Kind.CALL, t) for t in names]
    total = controls + uses
    for defining in combinations(range(total), controls):
        for items in product(*(kinds if k in defining else calls for k in range(total))):
            for cuts in combinations(range(total + blocks - 1), blocks - 1):
                ends = [cut - k for k, cut in enumerate(cuts)]
                yield tuple(items[a:b] for a, b in zip([0, *ends], [*ends, total], strict=True))


# -- as functions -----------------------------------------------------------------------------------


def function(shape: Shape, placement: Placement) -> Function:
    """The program for the oracles."""
    blocks = []
    number = 0
    for targets, placed in zip(shape.successors, placement, strict=True):
        items = []
        for item in placed:
            bundles = () if item.token is None else ((f"t{item.token}",),)
            name = None
            if item.kind is not Kind.CALL:
                name = f"t{number}"
                number += 1
            items.append(Item(item.kind, name, bundles))
        exits = (Exit.RET, Exit.BR, Exit.CONDBR)
        blocks.append(Block(items, exits[len(targets)] if len(targets) < 3 else Exit.SWITCH, list(targets)))
    return Function(blocks)
