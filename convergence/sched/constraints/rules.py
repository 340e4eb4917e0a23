"""The D-rules as constraints between candidate instances: one function a rule (semantics.md, §2).

Each gives :class:`Axiom`: a z3 term with the rule and the instances that it is about, so that the
core of an unsatisfiable question is its explanation. Docstrings are the rules' sentences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import z3

from ...alignment import StaticInstance
from ...frozen import dataclass
from ...rules import Rule
from ...semantics.convergence import LaunchGroup
from ...semantics.machine.program import Uncontrolled as Mode
from .candidates import (
    Anchored,
    Beat,
    FrameEntry,
    FreeEntry,
    HeaderInstance,
    Instance,
    PlainCall,
    Root,
    TraceNode,
    Uncontrolled,
    Uses,
    WayInstance,
)

Truth = Any
"""A z3 Bool, or a Python bool where it is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Axiom:
    """What ``rule`` demands of ``instances``."""

    rule: Rule
    instances: tuple[Instance, ...]
    term: z3.BoolRef


def all_of(*parts: Truth) -> Truth:
    """Conjunction; known parts are evaluated here."""
    unknown = [p for p in parts if p is not True]
    if any(p is False for p in unknown):
        return False
    return True if not unknown else unknown[0] if len(unknown) == 1 else z3.And(*unknown)


def any_of(*parts: Truth) -> Truth:
    """Disjunction; known parts are evaluated here."""
    unknown = [p for p in parts if p is not False]
    if any(p is True for p in unknown):
        return True
    return False if not unknown else unknown[0] if len(unknown) == 1 else z3.Or(*unknown)


class ConvergedWithAxioms:
    """``≡`` between all candidate instances: one boolean for each two of one static instance in different
    threads of one launch group, and one column for each.

    ``pairs``  the booleans, by the instances' numbers in order
    ``free``   those that no rule determines from others
    ``at``     the instances of each site
    """

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self.pairs: dict[tuple[int, int], z3.BoolRef] = {}
        self.free: dict[tuple[int, int], z3.BoolRef] = {}
        self.at: defaultdict[tuple[StaticInstance, LaunchGroup, bool], list[Instance]] = defaultdict(list)
        self._columns: dict[int, z3.ArithRef] = {}
        self._alike_pairs: dict[tuple[int, int], bool] = {}

    def column(self, instance: Instance) -> z3.ArithRef:
        column = self._columns.get(instance.number)
        if column is None:
            column = self._columns[instance.number] = z3.Int(f"column {instance.number}")
        return column

    def converged(self, a: Instance, b: Instance) -> Truth:
        """a ≡ b."""
        if a is b:
            return True
        if a.thread == b.thread:
            return self._alike(a, b)
        return self.pairs.get((min(a.number, b.number), max(a.number, b.number)), False)

    def _alike(self, a: Instance, b: Instance) -> bool:
        """What the iff-rules say of two instances of one thread, where nothing is unknown. Kept, as each
        is asked of when the later one comes: what it hangs from then needs no recursion, however long the
        chain of tokens."""
        pair = (min(a.number, b.number), max(a.number, b.number))
        known = self._alike_pairs.get(pair)
        if known is None:
            known = a.site == b.site and a.recorded == b.recorded and self.demanded(a, b) is True
            self._alike_pairs[pair] = known
        return known

    def demanded(self, a: Instance, b: Instance) -> Truth:
        """What D-ENTRY, D-LOOP, D-USE and D-FREE say of two instances of one site; ``None``: free."""
        match a.hangs, b.hangs:
            case FrameEntry(), FrameEntry():
                return d_entry(self, a, b)
            case Beat(), Beat():
                return d_loop(self, a, b)
            case Uses(), Uses():
                return d_use(self, a, b)
            case Uncontrolled(), Uncontrolled():
                return d_free(self, a, b)
            case WayInstance(), WayInstance():
                return d_way(self, a, b)
            case (Anchored(), Anchored()) | (FreeEntry(), FreeEntry()):
                return None
            case _:
                return False

    def hung_alike(self, a: Root | HeaderInstance | None, b: Root | HeaderInstance | None) -> Truth:
        """Whether what two frames or operations hang from is converged."""
        match a, b:
            case Instance(), Instance():
                return a.site == b.site and self.converged(a, b)
            case LaunchGroup(), LaunchGroup():
                return a.number == b.number
            case HeaderInstance(), HeaderInstance():
                if (a.function, a.block, a.n) != (b.function, b.block, b.n):
                    return False
                return all_of(self.hung_alike(a.base, b.base), self.hung_alike(a.frame, b.frame))
            case PlainCall(), PlainCall():
                if a.site != b.site or len(a.tokens) != len(b.tokens):
                    return False
                tokens = [self.hung_alike(x, y) for x, y in zip(a.tokens, b.tokens, strict=True)]
                return all_of(self.hung_alike(a.frame, b.frame), self.hung_alike(a.header, b.header), *tokens)
            case _:
                return a is None and b is None

    def add(self, instance: Instance) -> Iterator[Axiom]:
        """Takes in an instance; what all rules demand of it and those before it."""
        home = self.at[instance.site, instance.launch, instance.recorded]
        others = [j for j in home if j.thread != instance.thread]
        for j in others:
            pair = (j.number, instance.number)
            self.pairs[pair] = z3.Bool(f"{j.number}={instance.number}")
        for j in home:
            if j.thread == instance.thread and self._alike(instance, j):
                yield Axiom(Rule.D_EQ, (j, instance), z3.Not(z3.And(j.node.act, instance.node.act)))
        for j in others:
            yield from self._pair(j, instance)
        if self._is_free(instance):
            yield from d_eq(self, instance, others)
        if instance.recorded:
            yield from d_order(self, instance, others)
        home.append(instance)

    def _is_free(self, a: Instance) -> bool:
        return self.demanded(a, a) is None

    def _pair(self, a: Instance, b: Instance) -> Iterator[Axiom]:
        """The rule that decides whether two instances are converged."""
        same = self.converged(a, b)
        both = z3.And(a.node.act, b.node.act)
        yield Axiom(Rule.D_EQ, (a, b), z3.Implies(same, both))
        must = self.demanded(a, b)
        if must is None:
            self.free[min(a.number, b.number), max(a.number, b.number)] = same
            yield from d_anchor(self, a, b)
        else:
            yield Axiom(rule_of(a), (a, b), z3.Implies(both, same == must))


def rule_of(instance: Instance) -> Rule:
    """The rule that decides with whom an instance is converged."""
    match instance.hangs:
        case FrameEntry():
            return Rule.D_ENTRY
        case Beat():
            return Rule.D_LOOP
        case Uses():
            return Rule.D_USE
        case Anchored() | WayInstance():
            return Rule.D_ANCHOR
        case FreeEntry():
            return Rule.D_CALL
        case Uncontrolled():
            return Rule.D_FREE


# -- the rules --------------------------------------------------------------------------------------


def d_eq(relation: ConvergedWithAxioms, a: Instance, others: Iterable[Instance]) -> Iterator[Axiom]:
    """Converged-with relates only instances of one static instance, never two of one thread, never
    threads of different launch groups.

    And it is an equivalence. For free instances; the others take it over from what they hang from.
    (Booleans exist only within one static instance and one launch group.)
    """
    others = list(others)
    for n, b in enumerate(others):
        for c in others[n + 1 :]:
            ab, ac = relation.converged(a, b), relation.converged(a, c)
            if b.thread == c.thread:
                yield Axiom(Rule.D_EQ, (a, b, c), z3.Not(z3.And(ab, ac)))
                continue
            bc = relation.converged(b, c)
            for x, y, z in ((ab, ac, bc), (ab, bc, ac), (ac, bc, ab)):
                yield Axiom(Rule.D_EQ, (a, b, c), z3.Implies(z3.And(x, y), z))


def d_entry(relation: ConvergedWithAxioms, a: Instance, b: Instance) -> Truth:
    """Instances of entry are converged iff their call-site instances are, or, in a launched function,
    iff the environment launched the threads together."""
    assert isinstance(a.hangs, FrameEntry) and isinstance(b.hangs, FrameEntry)
    return relation.hung_alike(a.hangs.root, b.hangs.root)


def d_loop(relation: ConvergedWithAxioms, a: Instance, b: Instance) -> Truth:
    """Instances of loop are converged iff their tokens come from converged instances and both threads
    execute it for the n-th time with that token value."""
    assert isinstance(a.hangs, Beat) and isinstance(b.hangs, Beat)
    return a.hangs.n == b.hangs.n and relation.hung_alike(a.hangs.token, b.hangs.token)


def d_use(relation: ConvergedWithAxioms, a: Instance, b: Instance) -> Truth:
    """Instances of any other controlled operation are converged iff their tokens come from converged
    instances."""
    assert isinstance(a.hangs, Uses) and isinstance(b.hangs, Uses)
    return relation.hung_alike(a.hangs.token, b.hangs.token)


def d_anchor(relation: ConvergedWithAxioms, a: Instance, b: Instance) -> Iterator[Axiom]:
    """Instances of anchor are converged by any partition that D-EQ and D-ORDER allow.

    Where one begins a case of a switch (R-CASE), the threads of a group came to the switch with one
    token, and those that came with one value, or fell out of another case together, are not parted. Where
    ways meet (R-UNIFORM), threads of one way are not parted.
    """
    mine = a.hangs.case if isinstance(a.hangs, Anchored) else None
    theirs = b.hangs.case if isinstance(b.hangs, Anchored) else None
    if mine is None or theirs is None:
        return
    same, both = relation.converged(a, b), z3.And(a.node.act, b.node.act)
    tokens = relation.hung_alike(mine.token, theirs.token)
    if tokens is not True:
        yield Axiom(Rule.D_ANCHOR, (a, b), z3.Implies(same, tokens))
    alike = all_of(tokens, _one_value(relation, mine.value, theirs.value))
    if alike is not False:
        yield Axiom(Rule.D_ANCHOR, (a, b), z3.Implies(all_of(both, alike), same))


def d_way(relation: ConvergedWithAxioms, a: Instance, b: Instance) -> Truth:
    """Threads are together where a way begins, or goes on, iff what is before on it is (R-UNIFORM), and the
    same value of a switch led them here."""
    assert isinstance(a.hangs, WayInstance) and isinstance(b.hangs, WayInstance)
    before = relation.hung_alike(a.hangs.before, b.hangs.before)
    return before if a.hangs.value is None else all_of(before, a.hangs.value == b.hangs.value)


def _one_value(relation: ConvergedWithAxioms, a: Any, b: Any) -> Truth:
    """Whether two threads came to a case with one value, or fell out of another case together."""
    if isinstance(a, Instance) or isinstance(b, Instance):
        one_case = isinstance(a, Instance) and isinstance(b, Instance)
        return one_case and relation.hung_alike(a, b)
    return a == b


def d_free(relation: ConvergedWithAxioms, a: Instance, b: Instance) -> Truth:
    """Instances of an uncontrolled operation are converged as the mode says: maximal, any or none.

    maximal: iff their frames are and the most recent headers of cycles around them are (Convergence And
    Uniformity, *Dependence on Cycles Headers*: the least relation closed under its rule). any: ``None``,
    they are free.
    """
    assert isinstance(a.hangs, Uncontrolled) and isinstance(b.hangs, Uncontrolled)
    match relation.mode:
        case "none":
            return False
        case "any":
            return None
        case "maximal":
            frames = relation.hung_alike(a.hangs.root, b.hangs.root)
            return all_of(frames, relation.hung_alike(a.hangs.header, b.hangs.header))


def d_order(relation: ConvergedWithAxioms, a: Instance, others: Iterable[Instance]) -> Iterator[Axiom]:
    """Convergence-before over convergent operations and control intrinsics is a strict partial order.

    Each instance has an integer column, strictly growing along its thread and equal on converged instances.
    """
    column = relation.column(a)
    if a.previous is not None:
        yield Axiom(Rule.D_ORDER, (a.previous, a), relation.column(a.previous) < column)
    else:
        yield Axiom(Rule.D_ORDER, (a,), column >= 1)
    for b in others:
        yield Axiom(Rule.D_ORDER, (a, b), z3.Implies(relation.converged(a, b), column == relation.column(b)))


# -- D-THREAD ---------------------------------------------------------------------------------------


class Joining:
    """Whether a thread joins an instance's group anywhere on its trace, what is not yet known of it included.

    A thread that stands at an open question may join later, with a later column; once it is known how
    it goes on, that is what decides.
    """

    def __init__(self, relation: ConvergedWithAxioms, roots: dict[int, TraceNode]) -> None:
        self._relation = relation
        self._roots = roots
        self._watched: defaultdict[int, list[Instance]] = defaultdict(list)
        self._known: dict[tuple[int, int], Truth] = {}

    def joins(self, instance: Instance, thread: int) -> tuple[Truth, list[Axiom]]:
        """That ``thread`` joins; and what that means, when it is asked first."""
        root = self._roots[thread]
        axioms: list[Axiom] = []
        if (instance.number, root.number) not in self._known:
            self._watched[thread].append(instance)
            for node in root.branches():
                axioms += self._meaning(instance, node)
        later = self._known[instance.number, root.number]
        return any_of(*self._in(instance, root), later), axioms

    def grown(self, node: TraceNode) -> list[Axiom]:
        """A node was added below a question."""
        return [axiom for instance in self._watched[node.thread] for axiom in self._meaning(instance, node)]

    def _in(self, instance: Instance, node: TraceNode) -> list[Truth]:
        return [
            self._relation.converged(instance, j)
            for j in node.instances
            if j.site == instance.site and j.launch is instance.launch and j.recorded
        ]

    def _meaning(self, instance: Instance, node: TraceNode) -> list[Axiom]:
        axioms = []
        after: Truth = False
        if node.ends_open:
            after = z3.Bool(f"{instance.number} joined after {node.number}")
            bounds = [node.act]
            if node.last is not None:
                bounds.append(self._relation.column(instance) > self._relation.column(node.last))
            axioms.append(Axiom(Rule.D_ORDER, (instance,), z3.Implies(after, z3.And(*bounds))))
        self._known[instance.number, node.number] = after
        if node.parent is not None:
            before = self._known[instance.number, node.parent.number]
            here = any_of(*self._in(instance, node), after)
            axioms.append(Axiom(Rule.D_THREAD, (instance,), z3.Implies(node.act, before == here)))
        return axioms
