"""The static rules S-* decided by brute force, straight from their definitions.

Sources: ``shared/semantics.md`` section 4 and LLVM's *Convergent Operation Semantics* (static rules) and *Cycle
Terminology* (closed path). Nothing here is clever: every simple closed path is enumerated, dominance is
reachability with a node taken out, and a convergence region is computed point by point.

Readings where the definitions leave room:

* a token is what a control intrinsic defines: an operand that comes from elsewhere breaks S-PRODUCER and is
  no use for the rules about paths and regions;
* every operand of every convergencectrl bundle is a use, in a malformed bundle too;
* S-DOM, inside one block: the definition stands above the use, reachable or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from .model import CONTROL, INTEGER, NONE, Exit, Function, Item, Kind, Spelling


class Violation(NamedTuple):
    """A broken rule, where (block, position in it; the call of a terminator counts as last), which token."""

    rule: str
    block: int
    position: int
    token: str | None = None


class Point(NamedTuple):
    """A program point: the ``index``-th of its block."""

    block: int
    index: int


class Use(NamedTuple):
    """The ``operand``-th convergencectrl operand of the item at (block, position) is ``token``."""

    block: int
    position: int
    operand: int
    token: str


@dataclass(frozen=True)
class Facts:
    """What the rules ask about one function, each thing by its definition."""

    function: Function

    @cached_property
    def items(self) -> list[tuple[int, int, Item]]:
        """Every item with its block and its position in the block."""
        blocks = enumerate(self.function.blocks)
        return [(b, p, item) for b, block in blocks for p, item in enumerate(block.all_items)]

    @cached_property
    def definitions(self) -> dict[str, tuple[int, int]]:
        """Where each token of a control intrinsic is defined."""
        return {i.token: (b, p) for b, p, i in self.items if i.kind in CONTROL and i.token is not None}

    @cached_property
    def anything_named(self) -> dict[str, tuple[int, int]]:
        """Where each value of type token is defined, whatever defines it."""
        return {i.token: (b, p) for b, p, i in self.items if i.token is not None}

    @cached_property
    def uses(self) -> list[Use]:
        """Every use of a token that a control intrinsic defines."""
        known = self.definitions
        return [
            Use(b, p, k, operand)
            for b, p, item in self.items
            for k, operand in enumerate(item.operands)
            if operand in known
        ]

    def item(self, block: int, position: int) -> Item:
        return self.function.blocks[block].all_items[position]

    # Blocks.

    @cached_property
    def successors(self) -> list[list[int]]:
        return [sorted(set(block.targets)) for block in self.function.blocks]

    def reached(self, without: int | None = None) -> set[int]:
        """The blocks that the entry block reaches on paths that avoid one block."""
        if without == 0:
            return set()
        seen, todo = {0}, [0]
        while todo:
            for target in self.successors[todo.pop()]:
                if target != without and target not in seen:
                    seen.add(target)
                    todo.append(target)
        return seen

    @cached_property
    def reachable(self) -> set[int]:
        return self.reached()

    @cached_property
    def dominated(self) -> list[set[int]]:
        """For each block the blocks it dominates: itself, what is cut off without it, what is unreachable."""
        every = set(range(len(self.function.blocks)))
        return [(every - self.reached(without=b)) | {b} for b in range(len(self.function.blocks))]

    @cached_property
    def closed_paths(self) -> set[frozenset[int]]:
        """The node sets of all closed paths: distinct nodes, back to the first; a self loop is one."""
        found: set[frozenset[int]] = set()

        def walk(first: int, path: list[int]) -> None:
            for target in self.successors[path[-1]]:
                if target == first:
                    found.add(frozenset(path))
                elif target > first and target not in path:
                    path.append(target)
                    walk(first, path)
                    path.pop()

        for first in range(len(self.function.blocks)):
            walk(first, [first])
        return found

    # Program points. An item is two of them: where it reads its operands, then where it defines its result;
    # one more point per block is the terminator.

    def reads(self, block: int, position: int) -> Point:
        return Point(block, 2 * position)

    def defines(self, block: int, position: int) -> Point:
        return Point(block, 2 * position + 1)

    @cached_property
    def point_successors(self) -> dict[Point, list[Point]]:
        result = {}
        for b, block in enumerate(self.function.blocks):
            end = 2 * len(block.all_items)
            for k in range(end):
                result[Point(b, k)] = [Point(b, k + 1)]
            result[Point(b, end)] = [Point(target, 0) for target in self.successors[b]]
        return result

    @cached_property
    def point_predecessors(self) -> dict[Point, list[Point]]:
        result: dict[Point, list[Point]] = {point: [] for point in self.point_successors}
        for point, targets in self.point_successors.items():
            for target in targets:
                result[target].append(point)
        return result

    def points_without(self, removed: Point | None) -> set[Point]:
        """The points that the first point of the function reaches when one point is taken out."""
        start = Point(0, 0)
        if removed == start:
            return set()
        seen, todo = {start}, [start]
        while todo:
            for target in self.point_successors[todo.pop()]:
                if target != removed and target not in seen:
                    seen.add(target)
                    todo.append(target)
        return seen

    @cached_property
    def live_points(self) -> set[Point]:
        return self.points_without(None)

    @cached_property
    def dominated_points(self) -> dict[str, set[Point]]:
        """For each token the points that its definition dominates, the definition included: those that are
        cut off without it, and all that are unreachable but for those above it in its own block."""
        result = {}
        unreachable = set(self.point_successors) - self.live_points
        for token, (block, position) in self.anything_named.items():
            definition = self.defines(block, position)
            cut_off = self.live_points - self.points_without(definition)
            above = {p for p in unreachable if p.block == block and p.index < definition.index}
            result[token] = (cut_off | unreachable) - above
        return result

    def region(self, token: str) -> set[Point]:
        """The convergence region: points that the definition dominates and from which some path reaches
        a use of the token without passing the definition again."""
        definition = self.defines(*self.definitions[token])
        uses = [self.reads(use.block, use.position) for use in self.uses if use.token == token]
        live, todo = set(uses), list(uses)
        while todo:
            point = todo.pop()
            if point == definition:
                continue  # what comes before would pass the definition
            for before in self.point_predecessors[point]:
                if before not in live:
                    live.add(before)
                    todo.append(before)
        return live & self.dominated_points[token]


# One function per rule. Each yields its violations.


def s_bundle(facts: Facts) -> Iterator[Violation]:
    for b, p, item in facts.items:
        malformed = any(len(bundle) != 1 or bundle[0] == INTEGER for bundle in item.bundles)
        if malformed or len(item.bundles) > 1:
            yield Violation("S-BUNDLE", b, p)


def s_producer(facts: Facts) -> Iterator[Violation]:
    for b, p, item in facts.items:
        for operand in item.operands:
            if operand == NONE or (operand != INTEGER and operand not in facts.definitions):
                yield Violation("S-PRODUCER", b, p, operand)


def s_entry_fn(facts: Facts) -> Iterator[Violation]:
    for b, p, item in facts.items:
        if item.kind is Kind.ENTRY and not facts.function.convergent:
            yield Violation("S-ENTRY-FN", b, p)


def s_entry_block(facts: Facts) -> Iterator[Violation]:
    count = 0
    for b, p, item in facts.items:
        if item.kind is Kind.ENTRY:
            count += 1
            if b != 0 or count > 1:
                yield Violation("S-ENTRY-BLOCK", b, p)


def _first(facts: Facts, kind: Kind, rule: str, by_bundle: bool) -> Iterator[Violation]:
    for b, p, item in facts.items:
        if item.kind is kind:
            above = facts.function.blocks[b].items[:p]
            if any(i.convergent or (by_bundle and i.bundles) for i in above):
                yield Violation(rule, b, p)


def s_entry_first(facts: Facts) -> Iterator[Violation]:
    yield from _first(facts, Kind.ENTRY, "S-ENTRY-FIRST", by_bundle=True)


def s_loop_first(facts: Facts) -> Iterator[Violation]:
    yield from _first(facts, Kind.LOOP, "S-LOOP-FIRST", by_bundle=True)


def s_loop_token(facts: Facts) -> Iterator[Violation]:
    for b, p, item in facts.items:
        wrong = not item.bundles if item.kind is Kind.LOOP else bool(item.bundles)
        if wrong and item.kind in CONTROL:
            yield Violation("S-LOOP-TOKEN", b, p)


def s_mix(facts: Facts) -> Iterator[Violation]:
    controlled = any(item.kind in CONTROL or item.bundles for _, _, item in facts.items)
    for b, p, item in facts.items:
        if controlled and item.kind is Kind.CALL and item.convergent and not item.bundles:
            yield Violation("S-MIX", b, p)


def s_dom(facts: Facts) -> Iterator[Violation]:
    for b, p, item in facts.items:
        if item.kind is Kind.PHI:
            yield Violation("S-DOM", b, p, item.incoming)
        for operand in item.operands:
            if operand not in facts.anything_named:
                continue
            if facts.reads(b, p) not in facts.dominated_points[operand]:
                yield Violation("S-DOM", b, p, operand)


def _outside(facts: Facts, path: frozenset[int]) -> list[Use]:
    """The uses on a closed path of tokens that are not defined on it."""
    return [u for u in facts.uses if u.block in path and facts.definitions[u.token][0] not in path]


def s_cycle_use(facts: Facts) -> Iterator[Violation]:
    for path in facts.closed_paths:
        for use in _outside(facts, path):
            if facts.item(use.block, use.position).kind is not Kind.LOOP:
                yield Violation("S-CYCLE-USE", use.block, use.position, use.token)


def s_cycle_twice(facts: Facts) -> Iterator[Violation]:
    for path in facts.closed_paths:
        outside = _outside(facts, path)
        for use in outside:
            if any(other != use and other.token == use.token for other in outside):
                yield Violation("S-CYCLE-TWICE", use.block, use.position, use.token)


def s_cycle_two(facts: Facts) -> Iterator[Violation]:
    for path in facts.closed_paths:
        outside = _outside(facts, path)
        for use in outside:
            if any(other.token != use.token for other in outside):
                yield Violation("S-CYCLE-TWO", use.block, use.position, use.token)


def s_heart_dom(facts: Facts) -> Iterator[Violation]:
    for path in facts.closed_paths:
        for use in _outside(facts, path):
            if not path <= facts.dominated[use.block]:
                yield Violation("S-HEART-DOM", use.block, use.position, use.token)


def s_nest(facts: Facts) -> Iterator[Violation]:
    for token in facts.definitions:
        region = facts.region(token)
        for use in facts.uses:
            inside = facts.reads(use.block, use.position) in region
            if inside and facts.defines(*facts.definitions[use.token]) not in region:
                yield Violation("S-NEST", use.block, use.position, use.token)


TEXTUAL: tuple[Callable[[Facts], Iterator[Violation]], ...] = (
    s_bundle,
    s_producer,
    s_entry_fn,
    s_entry_block,
    s_entry_first,
    s_loop_token,
    s_mix,
)
"""The rules that look at no flow; S-LOOP-FIRST apart."""

PATHS_AND_REGIONS = (s_cycle_use, s_cycle_twice, s_cycle_two, s_heart_dom, s_nest)
"""The rules about closed paths and regions."""


def violations(function: Function) -> frozenset[Violation]:
    """Every violation of every rule in one function."""
    facts = Facts(function)
    if not any(item.bundles or item.kind in (*CONTROL, Kind.PHI) for _, _, item in facts.items):
        return frozenset()
    return frozenset(v for rule in (*TEXTUAL, s_loop_first, s_dom, *PATHS_AND_REGIONS) for v in rule(facts))


def broken_rules(function: Function) -> frozenset[str]:
    """The ids of the rules that a function breaks."""
    return frozenset(v.rule for v in violations(function))


def irreducible(facts: Facts, within: set[int]) -> bool:
    """Whether some closed path has no node that dominates all others (so: no single way in)."""
    return any(
        path <= within and not any(path <= facts.dominated[node] for node in path)
        for path in facts.closed_paths
    )


# What LLVM 22.1's verifier leaves out, each as a change to the question.


def without_callbr(function: Function) -> Function:
    """The function as seen by someone who does not look at callbr."""
    result = function.copy()
    for block in result.blocks:
        if block.exit is Exit.CALLBR:
            block.last = Item(Kind.CALL, spelling=Spelling.PLAIN)
    return result


def without_unreachable(function: Function) -> Function:
    """The function for someone who checks no flow in unreachable code: there definitions stay, uses and
    edges go. (A reachable use of a token defined there is still not dominated.)"""
    result = function.copy()
    reachable = Facts(function).reachable
    for index, block in enumerate(result.blocks):
        if index not in reachable:
            block.exit, block.targets, block.last = Exit.UNREACHABLE, [], None
            for item in block.items:
                item.bundles = ()
    return result


class Weakness(NamedTuple):
    """Which of LLVM's known gaps are granted."""

    irreducible_nesting: bool = False
    loop_after_bundle_only: bool = False
    callbr: bool = False
    unreachable: bool = False


def accepted(function: Function, weakness: Weakness) -> bool:
    """Whether a function obeys the rules when the given gaps are granted.

    Dominance is a rule for every value, so that LLVM sees a callbr's operand there, and no phi may give a
    token anywhere.
    """
    controlled = without_callbr(function) if weakness.callbr else function
    text, flow, dominance = Facts(controlled), Facts(controlled), Facts(function)
    if weakness.unreachable:
        flow, dominance = Facts(without_unreachable(controlled)), Facts(without_unreachable(function))
    broken = [v for rule in TEXTUAL for v in rule(text)]
    broken += _first(text, Kind.LOOP, "S-LOOP-FIRST", by_bundle=not weakness.loop_after_bundle_only)
    broken += s_dom(dominance)
    for rule in PATHS_AND_REGIONS:
        if rule is s_nest and weakness.irreducible_nesting and irreducible(flow, flow.reachable):
            continue
        broken += rule(flow)
    return not broken


def gaps(function: Function) -> frozenset[str]:
    """The fewest of LLVM's gaps that, granted, have a broken function accepted; empty if none do."""
    names = Weakness._fields
    for count in range(1, len(names) + 1):
        for chosen in combinations(names, count):
            if accepted(function, Weakness(**dict.fromkeys(chosen, True))):
                return frozenset(chosen)
    return frozenset()
