"""D-MEM and D-CAUSE as constraints: one integer *time* for each access to shared memory and each exchange.

That an order is acyclic is said by numbers that grow along it. Accesses of one thread grow in program
order; two that conflict are never at once; and nothing happens before what it depends on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import z3

from ...alignment.instances import StaticInstance
from ...rules import Rule
from ...semantics.instructions import Access
from ...semantics.machine.program import Program
from ...semantics.threads.state import Code
from ...semantics.values.pending import Needs
from .candidates import (
    Anchored,
    Beat,
    Entered,
    EnteredFreely,
    Instance,
    Question,
    Reading,
    TraceNode,
    Uncontrolled,
    Uses,
)
from .rules import Axiom, ConvergedWithAxioms, Truth, any_of

Item = Instance | Reading


def overlap(a: Reading, b: Reading) -> bool:
    """Whether two accesses touch a common byte."""
    return any(x[0] == y[0] and x[1] < y[2] and y[1] < x[2] for x in a.touches for y in b.touches)


class Times:
    """The times of all candidate accesses and exchanges."""

    def __init__(self, relation: ConvergedWithAxioms) -> None:
        self._relation = relation
        self._times: dict[int, z3.ArithRef] = {}
        self._readings: list[Reading] = []
        self._exchanges: defaultdict[StaticInstance, list[Instance]] = defaultdict(list)

    def of(self, item: Item) -> z3.ArithRef:
        found = self._times.get(item.number)
        if found is None:
            found = self._times[item.number] = z3.Int(f"time {item.number}")
        return found

    def after(self, needs: Needs, item: Item) -> list[z3.BoolRef]:
        """That an item comes after all that is needed: no access is its own cause. Exchanges alone may go
        round in a circle, by who stays away from whom: then they have one time, and columns order them."""
        return [
            self.of(s) < self.of(item)
            if isinstance(s, Reading) or isinstance(item, Reading)
            else self.of(s) <= self.of(item)
            for s in sorted(needs, key=lambda s: s.number)
        ]

    def reading(self, reading: Reading) -> Iterator[Axiom]:
        """Takes in an access."""
        yield from d_mem(self, reading, self._readings)
        yield from d_cause(self, reading, reading.needs)
        self._readings.append(reading)

    def exchange(self, instance: Instance) -> Iterator[Axiom]:
        """Takes in an instance of an exchange: a group gets its results at one time."""
        yield from d_cause(self, instance, instance.needs)
        for other in self._exchanges[instance.site]:
            same = self._relation.converged(other, instance)
            if other.thread != instance.thread and same is not False:
                together = z3.Implies(same, self.of(other) == self.of(instance))
                yield Axiom(Rule.D_CAUSE, (other, instance), together)
        self._exchanges[instance.site].append(instance)


def d_mem(times: Times, reading: Reading, others: Iterable[Reading]) -> Iterator[Axiom]:
    """One total order of all accesses extends each thread's program order; a read returns the last
    earlier write.

    Only of two that conflict it matters which is first. What a read returns is computed by the candidate
    check.
    """
    if reading.previous is not None:
        yield Axiom(Rule.D_MEM, (), times.of(reading.previous) < times.of(reading))
    for other in others:
        if other.thread != reading.thread and (reading.writes or other.writes) and overlap(reading, other):
            yield Axiom(Rule.D_MEM, (), times.of(reading) != times.of(other))


def d_cause(times: Times, item: Item, needs: Needs) -> Iterator[Axiom]:
    """No access to shared memory is its own cause, by the order of accesses, dependence, and the exchange
    of data.

    Dependence is data, address and control; the exchange of data gives edges to each result from every
    participant's operands and arrival decision.
    """
    about = (item,) if isinstance(item, Instance) else ()
    for term in times.after(needs, item):
        yield Axiom(Rule.D_CAUSE, about, term)


def d_cause_closing(times: Times, instance: Instance, node: TraceNode, given: list[Truth]) -> Axiom:
    """Nor does a group get its results before the branch after which a thread that is not in it could no
    longer reach it: each branch from before which it could, if the thread comes to it."""
    assert isinstance(node.end, Question)
    here = [instance.node.act, node.act, *(g for g in given if g is not True)]
    return Axiom(
        Rule.D_CAUSE, (instance,), z3.Implies(z3.And(*here), z3.And(*times.after(node.end.needs, instance)))
    )


# -- writes that may still come ---------------------------------------------------------------------


class Overwriting:
    """Whether a thread writes over what an access touches before it, anywhere on the rest of its trace,
    what is not yet known of it included (as :class:`axioms.Joining` does for groups)."""

    def __init__(self, times: Times, roots: dict[int, TraceNode]) -> None:
        self._times = times
        self._roots = roots
        self._watched: defaultdict[int, list[Reading]] = defaultdict(list)
        self._known: dict[tuple[int, int], Truth] = {}

    def overwrites(self, reading: Reading, thread: int, last: Reading | None) -> tuple[Truth, list[Axiom]]:
        """That ``thread`` writes there after its own access ``last`` (``None``: at all) and before
        ``reading``; and what that means, when it is asked first."""
        root = self._roots[thread]
        made: list[Axiom] = []
        if (reading.number, root.number) not in self._known:
            self._watched[thread].append(reading)
            for node in root.branches():
                made += self._meaning(reading, node)
        node = root if last is None else last.node
        rest = node.readings[node.own_readings :]
        if last is not None:
            rest = rest[rest.index(last) + 1 :]
        return any_of(*self._in(reading, rest), self._known[reading.number, node.number]), made

    def grown(self, node: TraceNode) -> list[Axiom]:
        """A node was added below a question."""
        return [axiom for reading in self._watched[node.thread] for axiom in self._meaning(reading, node)]

    def _in(self, reading: Reading, others: Iterable[Reading]) -> list[Truth]:
        times = self._times
        return [times.of(w) < times.of(reading) for w in others if w.writes and overlap(w, reading)]

    def _meaning(self, reading: Reading, node: TraceNode) -> list[Axiom]:
        made, times = [], self._times
        after: Truth = False
        if isinstance(node.end, Question):
            after = z3.Bool(f"{reading.number} overwritten after {node.number}")
            bounds = [node.act, *times.after(node.end.needs, reading)]
            if node.readings:
                bounds.append(times.of(node.readings[-1]) < times.of(reading))
            made.append(Axiom(Rule.D_CAUSE, (), z3.Implies(after, z3.And(*bounds))))
        self._known[reading.number, node.number] = after
        if node.parent is not None:
            before = self._known[reading.number, node.parent.number]
            here = any_of(*self._in(reading, node.readings[node.own_readings :]), after)
            made.append(Axiom(Rule.D_MEM, (), z3.Implies(node.act, before == here)))
        return made


# -- who can still come -----------------------------------------------------------------------------


class Reach:
    """Whether a thread that stands at a question could still come to a group: by the CFG, and without
    choosing a label that it need not choose."""

    def __init__(self, program: Program, relation: ConvergedWithAxioms, holds: Any) -> None:
        self._program = program
        self._relation = relation
        self._holds = holds
        self.given: list[Truth] = []

    def may_come(self, instance: Instance, node: TraceNode) -> bool:
        """``given`` collects what of the proposal the answer rests on."""
        match instance.hangs:
            case Uses(token) | Beat(token, _):
                held = self._executed(token, node)
                if held is None:
                    return self.may_come(token, node)
                if isinstance(instance.hangs, Beat):
                    beats = [
                        i.hangs.n
                        for i in node.path
                        if i.site == instance.site and isinstance(i.hangs, Beat) and i.hangs.token is held
                    ]
                    if beats and max(beats) >= instance.hangs.n:
                        return False
                return self._reaches(node, held.frame, instance.site, frozenset((held.site.index,)))
            case Entered(root):
                if isinstance(root, Instance):
                    return self._executed(root, node) is None and self.may_come(root, node)
                return self._reaches(node, 0, instance.site, frozenset())
            case Anchored() | EnteredFreely():
                return False
            case Uncontrolled():
                return self._relation.mode == "maximal" and any(
                    name == instance.site.function and self._reaches(node, frame, instance.site, frozenset())
                    for frame, name, _ in _stack(node)
                )

    def _executed(self, other: Instance, node: TraceNode) -> Instance | None:
        """The thread's own instance that is converged with another one, if it came to it."""
        for mine in node.path:
            if mine.site == other.site:
                same = self._relation.converged(mine, other)
                if same is not False and self._holds(same):
                    self.given.append(same)
                    return mine
                if same is not False:
                    self.given.append(z3.Not(same) if same is not True else False)
        return None

    def _reaches(self, node: TraceNode, frame: int, site: StaticInstance, avoid: frozenset[int]) -> bool:
        stack = _stack(node)
        for number, name, at in stack:
            if number == frame and name == site.function:
                code: Code = self._program.code(name)
                start = at if number == stack[-1][0] else at + 1
                return start < len(code.instructions) and code.graph.reaches(
                    start, frozenset((site.index,)), avoid
                )
        return False


def _stack(node: TraceNode) -> tuple[tuple[int, str, int], ...]:
    assert isinstance(node.end, Question)
    return node.end.stack


# -- Happens-before among accesses to shared memory, and data races (LangRef, *Memory Model*)
# Happens-before is program order and what a release gives to an acquire that reads it; an exchange orders
# no memory (D-CAUSE). A read that races is undef, which this engine has no values for: it says so.

Clock = dict[int, int]
"""Per thread, how many of its accesses happen before."""

_ACQUIRES = frozenset({"acquire", "acq_rel", "seq_cst"})
_RELEASES = frozenset({"release", "acq_rel", "seq_cst"})


class Happens:
    """The accesses of one execution so far, in the order of their times. Fences are not looked at, which
    finds more races than there are and never fewer."""

    def __init__(self) -> None:
        self._clocks: defaultdict[int, Clock] = defaultdict(dict)
        self._released: dict[tuple[int, int, int], Clock] = {}
        self._done: list[tuple[Reading, bool, int]] = []

    def races(self, reading: Reading, access: Access) -> bool:
        """Performs an access: whether it races with one before it, not both being atomic."""
        shape, clock = access.shape, self._clocks[reading.thread]
        nth = clock[reading.thread] = clock.get(reading.thread, 0) + 1
        if shape.atomic and shape.reads and shape.ordering in _ACQUIRES:
            for place in reading.touches:
                _join(clock, self._released.get(place, {}))
        raced = any(
            other.thread != reading.thread
            and (other.writes or reading.writes)
            and not (atomic and shape.atomic)
            and at > clock.get(other.thread, 0)
            and overlap(other, reading)
            for other, atomic, at in self._done
        )
        self._done.append((reading, shape.atomic, nth))
        if shape.writes:
            for place in reading.touches:
                given = dict(self._released.get(place, {})) if shape.atomic and shape.reads else {}
                if shape.ordering in _RELEASES:
                    _join(given, clock)
                self._released[place] = given
        return raced


def _join(clock: Clock, other: Clock) -> None:
    for thread, nth in other.items():
        clock[thread] = max(nth, clock.get(thread, 0))
