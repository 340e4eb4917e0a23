"""Uniformity by brute force, for two threads: *Convergence And Uniformity* read literally.

Written before the package's own analysis, and without it. Values are terms: an operation is an unknown
function of its operands, a branch on a term goes as an unknown predicate of that term says. So all pairs of
traces of a program are tried, up to a length, and all of its cycle hierarchies. A value differs if it does in
some pair of converged dynamic instances.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product

Operand = int | str
"""A constant, or a value's name; ``"undef"`` is no value of any thread, and the same only as itself."""
Term = object
Hierarchy = frozenset[tuple[frozenset[int], int]]
"""Cycles as (blocks, header)."""

UNDEF = "undef"


@dataclass(frozen=True)
class ShapeBlock:
    """``phis`` as (name, {predecessor: operand}); ``operations`` as (name, kind, operands), where the kind is
    ``lane`` (another value in each thread) or ``op``; ``condition`` decides among ``successors``."""

    phis: tuple[tuple[str, Mapping[int, Operand]], ...] = ()
    operations: tuple[tuple[str, str, tuple[Operand, ...]], ...] = ()
    condition: Operand | None = None
    successors: tuple[int, ...] = ()


@dataclass(frozen=True)
class Shape:
    """A function; block 0 is its entry. ``arguments`` are uniform. No condition is undef."""

    blocks: tuple[ShapeBlock, ...]
    arguments: tuple[str, ...] = ()


# -- Cycles (*Cycle Terminology*), for every depth-first search


def hierarchies(shape: Shape) -> frozenset[Hierarchy]:
    """The cycle hierarchies of all depth-first searches."""
    targets = [tuple(dict.fromkeys(block.successors)) for block in shape.blocks]
    orders = product(*(list(permutations(t)) for t in targets))
    return frozenset(_hierarchy(order) for order in orders)


def _hierarchy(edges: Sequence[Sequence[int]]) -> Hierarchy:
    order: list[int] = []
    _search(0, edges, order)
    place = {block: at for at, block in enumerate(order)}
    found: set[tuple[frozenset[int], int]] = set()

    def inside(blocks: frozenset[int]) -> None:
        for region in _regions(blocks, edges):
            header = min(region, key=place.__getitem__)
            found.add((region, header))
            inside(region - {header})

    inside(frozenset(order))
    return frozenset(found)


def _search(block: int, edges: Sequence[Sequence[int]], order: list[int]) -> None:
    order.append(block)
    for successor in edges[block]:
        if successor not in order:
            _search(successor, edges, order)


def _regions(blocks: frozenset[int], edges: Sequence[Sequence[int]]) -> Iterator[frozenset[int]]:
    """Maximal strongly connected sets with an edge inside, within ``blocks``."""
    reach = {block: _reach(block, blocks, edges) for block in blocks}
    left = set(blocks)
    while left:
        block = left.pop()
        if block in reach[block]:
            region = frozenset(b for b in reach[block] if block in reach[b])
            left -= region
            yield region


def _reach(block: int, blocks: frozenset[int], edges: Sequence[Sequence[int]]) -> set[int]:
    found: set[int] = set()
    todo = [block]
    while todo:
        for successor in edges[todo.pop()]:
            if successor in blocks and successor not in found:
                found.add(successor)
                todo.append(successor)
    return found


# -- Traces


@dataclass
class _Trace:
    """What one thread did: its visits, with the values that it had at the end of each, and where it went."""

    visits: list[int] = field(default_factory=list)
    values: list[dict[str, Term]] = field(default_factory=list)
    went: list[int | None] = field(default_factory=list)


class _Undecided(Exception):
    def __init__(self, question: Term) -> None:
        super().__init__()
        self.question = question


class _Long(Exception):
    pass


def _trace(shape: Shape, thread: int, decisions: Mapping[Term, int], longest: int) -> _Trace:
    trace, here, before = _Trace(), 0, -1
    environment: dict[str, Term] = {name: ("argument", name) for name in shape.arguments}

    def term(operand: Operand) -> Term:
        if operand == UNDEF:
            return (UNDEF,)
        return operand if isinstance(operand, int) else environment[operand]

    while True:
        if len(trace.visits) == longest:
            raise _Long
        block = shape.blocks[here]
        environment.update({name: term(incoming[before]) for name, incoming in block.phis})
        for name, kind, operands in block.operations:
            parts = tuple(map(term, operands))
            environment[name] = ("lane", name, thread) if kind == "lane" else ("op", name, parts)
        trace.visits.append(here)
        trace.values.append(dict(environment))
        if not block.successors:
            trace.went.append(None)
            return trace
        way = 0
        if block.condition is not None:
            question = (len(block.successors), term(block.condition))
            if isinstance(question[1], int):
                way = 0 if question[1] else len(block.successors) - 1
            elif question in decisions:
                way = decisions[question]
            else:
                raise _Undecided(question)
        before, here = here, block.successors[way]
        trace.went.append(way)


def executions(shape: Shape, longest: int, most: int) -> Iterator[tuple[_Trace, _Trace]]:
    """Pairs of traces of at most ``longest`` visits each, at most ``most`` pairs."""
    todo: list[dict[Term, int]] = [{}]
    tries = 0
    while todo and tries < most:
        decisions = todo.pop(0)
        tries += 1
        try:
            yield _trace(shape, 0, decisions, longest), _trace(shape, 1, decisions, longest)
        except _Undecided as stop:
            size: int = stop.question[0]  # type: ignore[index]
            todo += [{**decisions, stop.question: way} for way in range(size)]
        except _Long:
            pass


# -- Maximal converged-with


def converged(
    first: Sequence[int], second: Sequence[int], hierarchy: Hierarchy
) -> frozenset[tuple[int, int]]:
    """The pairs of visits that are converged: the least relation that the rule allows.

    "For every cycle C with header H that contains X: every dynamic instance H1 of H that precedes X1 is
    convergence-before X2, and the reverse, without assuming that X1 is converged with X2."
    """
    related: set[tuple[int, int]] = set()
    pairs = [(i, j) for i, a in enumerate(first) for j, b in enumerate(second) if a == b]

    def before(i: int, j: int, pair: tuple[int, int]) -> bool:
        """Visit i of the first thread is convergence-before visit j of the second."""
        return any(i <= a and b <= j and (i, j) != (a, b) and (a, b) != pair for a, b in related)

    def behind(i: int, j: int, pair: tuple[int, int]) -> bool:
        """Visit j of the second thread is convergence-before visit i of the first."""
        return any(j <= b and a <= i and (i, j) != (a, b) and (a, b) != pair for a, b in related)

    def holds(i: int, j: int) -> bool:
        for blocks, header in hierarchy:
            if first[i] in blocks:
                if not all(before(h, j, (i, j)) for h in range(i) if first[h] == header):
                    return False
                if not all(behind(i, h, (i, j)) for h in range(j) if second[h] == header):
                    return False
        return True

    changed = True
    while changed:
        changed = False
        for pair in pairs:
            if pair not in related and holds(*pair):
                related.add(pair)
                changed = True
    return frozenset(related)


# -- Uniformity


@dataclass(frozen=True)
class Truth:
    """``differing`` values and ``divergent`` branches (by block): seen to differ in converged instances, for
    some hierarchy. ``split`` blocks are not m-converged: the relation depends on the hierarchy."""

    differing: frozenset[str]
    divergent: frozenset[int]
    split: frozenset[int]
    executions: int


def truth(shape: Shape, longest: int = 12, most: int = 400) -> Truth:
    """What differs in executions up to a length."""
    differing: set[str] = set()
    divergent: set[int] = set()
    split: set[int] = set()
    forests = hierarchies(shape)
    count = 0
    for one, other in executions(shape, longest, most):
        count += 1
        relations = [converged(one.visits, other.visits, forest) for forest in forests]
        for pair in frozenset().union(*relations):
            block = one.visits[pair[0]]
            if not all(pair in relation for relation in relations):
                split.add(block)
            _compare(shape.blocks[block], block, one, other, pair, differing, divergent)
    return Truth(frozenset(differing), frozenset(divergent), frozenset(split), count)


def _compare(
    block: ShapeBlock, number: int, one: _Trace, other: _Trace, pair: tuple[int, int],
    differing: set[str], divergent: set[int],
) -> None:  # fmt: skip
    i, j = pair
    for name in [name for name, _ in block.phis] + [name for name, _, _ in block.operations]:
        if one.values[i][name] != other.values[j][name]:
            differing.add(name)
    if one.went[i] != other.went[j]:
        divergent.add(number)
