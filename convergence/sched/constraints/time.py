"""D-MEM, D-SYNC and D-CAUSE as constraints: one integer *time* for each access to shared memory and each
exchange.

That an order is acyclic is said by numbers that grow along it. Accesses of one thread grow in program
order; two that conflict are never at once; and nothing happens before what it depends on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import z3

from ...alignment import StaticInstance
from ...rules import Rule
from ...semantics.convergence import LaunchGroup
from ...semantics.machine.machine import BarrierMeeting
from ...semantics.machine.program import Program
from ...semantics.memory import Touch, conflict
from ...semantics.memory.accesses import AccessShape
from ...semantics.memory.synchronisation import MemoryFence, Scope, ScopeNumbers, Storage, ordered_by
from ...semantics.threads import Code
from ...semantics.values import NOTHING, Needs
from .candidates import (
    ActivationPlace,
    Anchored,
    Beat,
    CaseInstance,
    FrameEntry,
    FreeEntry,
    HeaderInstance,
    Instance,
    MemoryEvent,
    PlainCall,
    Query,
    Root,
    Trace,
    TraceNode,
    Uncontrolled,
    Uses,
    WayInstance,
    meet,
)
from .rules import Axiom, ConvergedWithAxioms, Truth, any_of

Item = Instance | MemoryEvent


def writes_into(a: MemoryEvent, b: MemoryEvent) -> bool:
    """Whether an access may write a byte that another one touches."""
    return any(meet(x, y) for x in a.written for y in b.touches)


def is_ordered(a: MemoryEvent, b: MemoryEvent) -> bool:
    """Whether it matters which of two accesses is first: they touch a common byte, and one may write it."""
    return writes_into(a, b) or writes_into(b, a)


class Times:
    """The times of all candidate accesses and exchanges."""

    def __init__(self, relation: ConvergedWithAxioms) -> None:
        self._relation = relation
        self._times: dict[int, z3.ArithRef] = {}
        self._readings: list[MemoryEvent] = []
        self._exchanges: defaultdict[StaticInstance, list[Instance]] = defaultdict(list)
        self._barriers: defaultdict[StaticInstance, list[Instance]] = defaultdict(list)
        self._acquires: defaultdict[StaticInstance, list[tuple[Instance, MemoryEvent]]] = defaultdict(list)
        self._meetings: defaultdict[BarrierMeeting, list[Instance]] = defaultdict(list)
        self._acquires_of: defaultdict[BarrierMeeting, list[tuple[Instance, MemoryEvent]]] = defaultdict(list)

    def of(self, item: Item) -> z3.ArithRef:
        time = self._times.get(item.number)
        if time is None:
            time = self._times[item.number] = z3.Int(f"time {item.number}")
        return time

    def after(self, needs: Needs, item: Item) -> list[z3.BoolRef]:
        """That an item comes after all that is needed: no access is its own cause. Exchanges alone may go
        round in a circle, by who stays away from whom: then they have one time, and columns order them."""
        return [
            self.of(s) < self.of(item)
            if isinstance(s, MemoryEvent) or isinstance(item, MemoryEvent)
            else self.of(s) <= self.of(item)
            for s in sorted(needs, key=lambda s: s.number)
        ]

    def reading(self, reading: MemoryEvent) -> Iterator[Axiom]:
        """Takes in an access or a fence."""
        yield from d_mem(self, reading, self._readings)
        yield from d_cause(self, reading, reading.needs)
        self._readings.append(reading)
        for barrier in reading.barriers:
            self._acquires[barrier.site].append((barrier, reading))
            for other in self._barriers[barrier.site]:
                yield from d_sync(self, other, barrier, reading)
            if barrier.meeting is not None:
                self._acquires_of[barrier.meeting].append((barrier, reading))
                for other in self._meetings[barrier.meeting]:
                    yield from d_sync_wide(self, other, barrier, reading)

    def exchange(self, instance: Instance) -> Iterator[Axiom]:
        """Takes in an instance of an exchange: a group gets its results at one time."""
        yield from d_cause(self, instance, instance.needs)
        for other in self._exchanges[instance.site]:
            same = self._relation.converged(other, instance)
            if other.thread != instance.thread and same is not False:
                together = z3.Implies(same, self.of(other) == self.of(instance))
                yield Axiom(Rule.D_CAUSE, (other, instance), together)
        self._exchanges[instance.site].append(instance)
        if instance.released is not None:
            self._barriers[instance.site].append(instance)
            for barrier, reading in self._acquires[instance.site]:
                yield from d_sync(self, instance, barrier, reading)
        if instance.meeting is not None:
            self._meetings[instance.meeting].append(instance)
            for barrier, reading in self._acquires_of[instance.meeting]:
                yield from d_sync_wide(self, instance, barrier, reading)

    def converged(self, first: Instance, second: Instance) -> Truth:
        """Whether two instances are converged."""
        return False if first.thread == second.thread else self._relation.converged(first, second)


def d_mem(times: Times, reading: MemoryEvent, others: Iterable[MemoryEvent]) -> Iterator[Axiom]:
    """One total order of all accesses extends each thread's program order; a read returns the last
    earlier write.

    Only of two that conflict it matters which is first. What a read returns is computed by the candidate
    check.
    """
    if reading.previous is not None:
        yield Axiom(Rule.D_MEM, (), times.of(reading.previous) < times.of(reading))
    for other in others:
        if other.thread != reading.thread and is_ordered(reading, other):
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


def d_sync(times: Times, other: Instance, barrier: Instance, reading: MemoryEvent) -> Iterator[Axiom]:
    """What stands before a release comes before what stands behind an acquire that meets it, through memory
    or through a barrier.

    Here through a barrier: ``reading`` is an acquire fence behind ``barrier``. Through memory a release comes
    first in any case, as the acquire reads what was written behind it.
    """
    together = times.converged(other, barrier)
    assert reading.fence is not None
    if together is False or other.released is None:
        return
    for storage in sorted(reading.fence.storage, key=lambda s: s.value):
        release = other.released.get(storage)
        if release is not None:
            term = z3.Implies(together, times.of(release) < times.of(reading))
            yield Axiom(Rule.D_SYNC, (other, barrier), term)


def d_sync_wide(times: Times, other: Instance, barrier: Instance, reading: MemoryEvent) -> Iterator[Axiom]:
    """The same of two launch groups that meet at a barrier of their workgroup."""
    assert reading.fence is not None
    if other.launch is barrier.launch or reading.fence.scope < Scope.WORKGROUP:
        return
    both = z3.And(other.node.act, barrier.node.act)
    for storage in sorted(reading.fence.storage, key=lambda s: s.value):
        release = (other.wide or {}).get(storage)
        if release is not None:
            term = z3.Implies(both, times.of(release) < times.of(reading))
            yield Axiom(Rule.D_SYNC, (other, barrier), term)


def d_cause_closing(times: Times, instance: Instance, node: TraceNode, premises: list[Truth]) -> Axiom:
    """Nor does a group get its results before the branch after which a thread that is not in it could no
    longer reach it: each branch from before which it could, if the thread comes to it."""
    assert isinstance(node.end, Query)
    here = [instance.node.act, node.act, *(g for g in premises if g is not True)]
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
        self._watched: defaultdict[int, list[MemoryEvent]] = defaultdict(list)
        self._known: dict[tuple[int, int], Truth] = {}

    def overwrites(
        self, reading: MemoryEvent, thread: int, last: MemoryEvent | None
    ) -> tuple[Truth, list[Axiom]]:
        """That ``thread`` writes there after its own access ``last`` (``None``: at all) and before
        ``reading``; and what that means, when it is asked first."""
        root = self._roots[thread]
        axioms: list[Axiom] = []
        if (reading.number, root.number) not in self._known:
            self._watched[thread].append(reading)
            for node in root.branches():
                axioms += self._meaning(reading, node)
        node = root if last is None else last.node
        rest = node.readings[node.own_readings :]
        if last is not None:
            rest = rest[rest.index(last) + 1 :]
        return any_of(*self._in(reading, rest), self._known[reading.number, node.number]), axioms

    def grown(self, node: TraceNode) -> list[Axiom]:
        """A node was added below a question."""
        return [axiom for reading in self._watched[node.thread] for axiom in self._meaning(reading, node)]

    def _in(self, reading: MemoryEvent, others: Iterable[MemoryEvent]) -> list[Truth]:
        times = self._times
        return [times.of(w) < times.of(reading) for w in others if writes_into(w, reading)]

    def _meaning(self, reading: MemoryEvent, node: TraceNode) -> list[Axiom]:
        axioms, times = [], self._times
        after: Truth = False
        if isinstance(node.end, Query):
            after = z3.Bool(f"{reading.number} overwritten after {node.number}")
            bounds = [node.act, *times.after(node.end.accesses, reading)]
            if node.readings:
                bounds.append(times.of(node.readings[-1]) < times.of(reading))
            axioms.append(Axiom(Rule.D_CAUSE, (), z3.Implies(after, z3.And(*bounds))))
        self._known[reading.number, node.number] = after
        if node.parent is not None:
            before = self._known[reading.number, node.parent.number]
            here = any_of(*self._in(reading, node.readings[node.own_readings :]), after)
            axioms.append(Axiom(Rule.D_MEM, (), z3.Implies(node.act, before == here)))
        return axioms


# -- who can still come -----------------------------------------------------------------------------


class Reach:
    """Whether a thread that stands at a question could still come to a group: by the CFG, and without
    choosing a label that it need not choose."""

    def __init__(self, program: Program, relation: ConvergedWithAxioms, holds: Any) -> None:
        self._program = program
        self._relation = relation
        self._holds = holds
        self.premises: list[Truth] = []

    def may_come(self, instance: Instance, node: TraceNode) -> bool:
        """``given`` collects what of the proposal the answer rests on."""
        match instance.hangs:
            case WayInstance(before, _) | Anchored(CaseInstance(None, before)):
                if isinstance(before, LaunchGroup):
                    return not any(isinstance(i.hangs, WayInstance) for i in node.path) and self._comes(
                        node, instance.site
                    )
                held = self._executed(before, node)
                if held is None:
                    return self.may_come(before, node)
                later = node.path[node.path.index(held) + 1 :]
                passed = any(map(_is_bound_by_ways, later))
                return not passed and self._comes(node, instance.site)
            case Uses(token) | Beat(token, _) | Anchored(CaseInstance(Instance() as token, _)):
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
            case FrameEntry(root):
                if isinstance(root, Instance):
                    return self._executed(root, node) is None and self.may_come(root, node)
                return self._reaches(node, 0, instance.site, frozenset())
            case Anchored() | FreeEntry():
                return False
            case Uncontrolled(root, header):
                maximal = self._relation.mode == "maximal"
                return maximal and self._comes_below(node, instance.site, root, header)

    def _comes_below(
        self, node: TraceNode, site: StaticInstance, root: Root | None, header: HeaderInstance | None
    ) -> bool:
        """Mode maximal: whether the thread may come to ``site`` in an activation that hangs from ``root``,
        with ``header`` as the most recent one of the cycles around it."""
        for standing in _stack(node):
            if standing.function == site.function and self._alike(standing.root, root):
                return self._comes_in(node, standing, site, header)
        match root:
            case Instance():
                return self._executed(root, node) is None and self.may_come(root, node)
            case PlainCall(call, frame, around, _):
                return self._comes_below(node, call, frame, around)
            case _:
                return False

    def _comes_in(
        self, node: TraceNode, standing: ActivationPlace, site: StaticInstance, header: HeaderInstance | None
    ) -> bool:
        """The same in an activation that is there: the header is the most recent one, and the thread need not
        come to another before; or it may still come to it, or to one that it follows."""
        code: Code = self._program.code(standing.function)
        graph, at = code.graph, standing.at
        reaches = graph.reaches if standing is _stack(node)[-1] else graph.reaches_behind
        nothing: frozenset[int] = frozenset()
        block = graph.block_of[site.index]
        if self._alike(standing.recent.get(code.blocks[block].cycle), header):
            return reaches(at, frozenset((site.index,)), nothing, nothing, code.around[block])
        while header is not None:
            block = graph.number[header.block]
            now = standing.recent.get(code.blocks[block].cycle)
            if self._alike(now, header.base):
                visits = 0
            elif now is not None and now.block == header.block and self._alike(now.base, header.base):
                visits = now.n
            else:
                header = header.base
                continue
            into, others = frozenset((block,)), code.around[block] - {block}
            again = graph.reaches(graph.nodes[block].first, nothing, nothing, into, others)
            once = header.n - visits == 1
            return visits < header.n and reaches(at, nothing, nothing, into, others) and (once or again)
        return False

    def _alike(self, a: Root | HeaderInstance | None, b: Root | HeaderInstance | None) -> bool:
        """Whether what two activations or operations hang from is converged in the proposal."""
        same = self._relation.hung_alike(a, b)
        if isinstance(same, bool):
            return same
        holds = bool(self._holds(same))
        self.premises.append(same if holds else z3.Not(same))
        return holds

    def _comes(self, node: TraceNode, site: StaticInstance) -> bool:
        """Whether the thread may come to ``site`` in any frame, old or new."""
        stack = _stack(node)
        for number, name, at, *_ in stack:
            code = self._program.code(name)
            leading = self._program.calls.sites_leading_to(name, site.function)
            targets = leading | {site.index} if name == site.function else leading
            reaches = code.graph.reaches if number == stack[-1][0] else code.graph.reaches_behind
            if targets and reaches(at, frozenset(targets), frozenset()):
                return True
        return False

    def _executed(self, other: Instance, node: TraceNode) -> Instance | None:
        """The thread's own instance that is converged with another one, if it came to it."""
        for mine in node.path:
            if mine.site == other.site:
                same = self._relation.converged(mine, other)
                if same is not False and self._holds(same):
                    self.premises.append(same)
                    return mine
                if same is not False:
                    self.premises.append(z3.Not(same) if same is not True else False)
        return None

    def _reaches(self, node: TraceNode, frame: int, site: StaticInstance, avoid: frozenset[int]) -> bool:
        stack = _stack(node)
        for number, name, at, *_ in stack:
            if number == frame and name == site.function:
                code: Code = self._program.code(name)
                reaches = code.graph.reaches if number == stack[-1][0] else code.graph.reaches_behind
                return reaches(at, frozenset((site.index,)), avoid)
        return False


def _is_bound_by_ways(instance: Instance) -> bool:
    match instance.hangs:
        case WayInstance() | Anchored(CaseInstance(None, _)):
            return True
        case _:
            return False


def _stack(node: TraceNode) -> tuple[ActivationPlace, ...]:
    assert isinstance(node.end, Query)
    return node.end.stack


# -- Happens-before among accesses to shared memory, and data races (semantics.md, §2, *Synchronisation*)
# A second formulation of what :mod:`convergence.semantics.memory.races` does step by step: all edges of one
# execution, and their closure. A read that races is undef, which this engine has no values for: it says so.


class HappensBefore:
    """One execution: ``order`` are its accesses and fences by their times, ``shapes`` what each access is and
    ``touches`` what it did to the bytes that it touches; ``groups`` the barriers' instances that are
    converged. ``storage_of`` gives an object's storage class."""

    def __init__(
        self,
        order: Sequence[MemoryEvent],
        shapes: Mapping[MemoryEvent, AccessShape],
        touches: Mapping[MemoryEvent, Sequence[Touch]],
        groups: Iterable[Sequence[Instance]],
        storage_of: Callable[[int], Storage],
        standing_of: Callable[[int], ScopeNumbers],
    ) -> None:
        self._order = order
        self._shapes = shapes
        self._touches = touches
        self._groups = groups
        self._storage_of = storage_of
        self._standing_of = standing_of
        self._place = {reading: n for n, reading in enumerate(order)}

    def races(self) -> bool:
        """Whether two accesses race: of different threads, to a common byte, one a write, not both atomic,
        and neither before the other."""
        before = {storage: self._closed(storage) for storage in Storage}
        done = [r for r in self._order if r in self._shapes]
        for n, later in enumerate(done):
            for earlier in done[:n]:
                if earlier.thread == later.thread:
                    continue
                if self._shapes[earlier].atomic and self._shapes[later].atomic:
                    continue
                for number in self._common(earlier, later):
                    known = before[self._storage_of(number)][self._place[later]]
                    if not known >> self._place[earlier] & 1:
                        return True
        return False

    def _common(self, a: MemoryEvent, b: MemoryEvent) -> Iterator[int]:
        """The objects of which two accesses touch a common byte that one of them wrote."""
        for touch in self._touches[a]:
            if conflict((touch,), self._touches[b]):
                yield touch.object

    def _closed(self, storage: Storage) -> list[int]:
        """Per place in the order, as a mask, the places that happen before it."""
        edges = [0] * len(self._order)
        last: dict[int, int] = {}
        for n, reading in enumerate(self._order):
            if reading.thread in last:
                edges[n] |= 1 << last[reading.thread]
            last[reading.thread] = n
        for release, acquire in (*self._by_barriers(storage), *self._by_memory(storage)):
            if self._include(release, acquire):
                edges[self._place[acquire.item]] |= 1 << self._place[release.item]
        closed: list[int] = []
        for direct in edges:  # every edge leads forward in the order
            mask, rest = direct, direct
            while rest:
                low = rest & -rest
                mask |= closed[low.bit_length() - 1]
                rest ^= low
            closed.append(mask)
        return closed

    def _include(self, release: _Side, acquire: _Side) -> bool:
        """Whether a release and an acquire of two threads include each other."""
        scope = min(release.fence.scope, acquire.fence.scope)
        return self._standing_of(release.item.thread).shares(scope, self._standing_of(acquire.item.thread))

    def _by_barriers(self, storage: Storage) -> Iterator[tuple[_Side, _Side]]:
        """Through a barrier: release fences before it, acquire fences behind converged instances."""
        group_of = {i: members for members in self._groups for i in members}
        for acquire in self._order:
            if acquire.fence is None or not acquire.fence.acquires(storage):
                continue
            for barrier in acquire.barriers:
                for other in group_of[barrier]:
                    release = (other.released or {}).get(storage)
                    if other is not barrier and release is not None and release.fence is not None:
                        yield _Side(release, release.fence), _Side(acquire, acquire.fence)
                for other in group_of if barrier.meeting is not None else ():
                    release = (other.wide or {}).get(storage)
                    if other.meeting == barrier.meeting and other.launch is not barrier.launch:
                        if release is not None and release.fence is not None:
                            yield _Side(release, release.fence), _Side(acquire, acquire.fence)

    def _by_memory(self, storage: Storage) -> Iterator[tuple[_Side, _Side]]:
        """Through memory: what an atomic read gets from an atomic write, or by read-modify-writes."""
        heads: dict[tuple[int, int], frozenset[MemoryEvent]] = {}
        for item in self._order:
            shape = self._shapes.get(item)
            if shape is None:
                continue
            for touch in sorted(self._touches[item]):
                through = self._storage_of(touch.object)
                for place in ((touch.object, at) for at in range(touch.start, touch.stop)):
                    heads_there = heads.get(place, frozenset())
                    if shape.atomic and shape.reads:
                        for write in heads_there:
                            for release in self._sides(write, True, storage, through):
                                for acquire in self._sides(item, False, storage, through):
                                    if write.thread != item.thread:
                                        yield release, acquire
                    if touch.write:
                        mine = frozenset((item,)) if shape.atomic else frozenset()
                        heads[place] = mine | heads_there if shape.atomic and shape.reads else mine

    def _sides(self, item: MemoryEvent, release: bool, storage: Storage, through: Storage) -> Iterator[_Side]:
        """The releases that an atomic write carries, or the acquires that an atomic read feeds."""
        shape = self._shapes[item]
        own = ordered_by(shape.ordering, shape.scope)
        place = self._place[item]
        fences = [r for r in self._order if r.fence is not None and r.thread == item.thread]
        sides = [_Side(item, own), *(_Side(r, r.fence) for r in fences if r.fence is not None)]
        for side in sides:
            here = self._place[side.item]
            if side.item is not item and (here > place) is release:
                continue  # a release fence stands before its write, an acquire fence behind its read
            covers = side.fence.releases(storage) if release else side.fence.acquires(storage)
            if covers and (not side.fence.one_as or storage is through):
                yield side


class _Side(NamedTuple):
    """A release or an acquire: an access or a fence, and what it orders."""

    item: MemoryEvent
    fence: MemoryFence


# ----------------------------------------------------------------------------------------------------------
# Barriers of the workgroup at which launch groups meet, as constraints (semantics.md, §2, *Barriers*).
#
# In a legal execution every thread ends. So a thread's n-th instance of a barrier of one name comes, in
# columns, after all that each thread of another launch group of its workgroup does before its own n-th
# instance; or, of a thread that ends with fewer, after all that it does. And it is not its own cause by that
# (D-CAUSE).
# ----------------------------------------------------------------------------------------------------------


class Meetings:
    """The barriers of the workgroup on all candidate traces, by workgroup and name, and the traces that are
    complete, by workgroup. ``times``: ``None`` where no memory is shared. ``standing_of`` says where a thread
    stands."""

    def __init__(
        self, relation: ConvergedWithAxioms, times: Times | None, standing_of: Callable[[int], ScopeNumbers]
    ) -> None:
        self._relation = relation
        self._times = times
        self._standing_of = standing_of
        self._barriers: defaultdict[tuple[int, str], list[Instance]] = defaultdict(list)
        self._ended: defaultdict[int, list[TraceNode]] = defaultdict(list)

    def grown(self, node: TraceNode) -> Iterator[Axiom]:
        """Takes in a piece of a trace."""
        for instance in node.instances:
            if instance.meeting is not None:
                yield from self._meets(instance)
        if isinstance(node.end, Trace):
            workgroup = self._standing_of(node.thread).workgroup
            self._ended[workgroup].append(node)
            for (where, _), barriers in self._barriers.items():
                for barrier in barriers if where == workgroup else ():
                    yield from self._ends_early(barrier, node)

    def _meets(self, instance: Instance) -> Iterator[Axiom]:
        assert instance.meeting is not None
        workgroup, name = instance.meeting[:2]
        others = self._barriers[workgroup, name]
        for other in others:
            if other.launch is not instance.launch and other.meeting == instance.meeting:
                yield from self._waits(instance, other.node, other.previous, other.needs)
                yield from self._waits(other, instance.node, instance.previous, instance.needs)
        others.append(instance)
        for node in self._ended[workgroup]:
            yield from self._ends_early(instance, node)

    def _ends_early(self, barrier: Instance, node: TraceNode) -> Iterator[Axiom]:
        """A thread that ends with fewer instances: nobody waits for it any more once it has ended."""
        assert barrier.meeting is not None
        name, nth = barrier.meeting[1:]
        if self._standing_of(node.thread).launch == barrier.launch.number:
            return
        came = sum(i.meeting is not None and i.meeting.name == name for i in node.path)
        if came < nth:
            question = None if node.parent is None else node.parent.end
            needs = question.behind if isinstance(question, Query) else NOTHING
            yield from self._waits(barrier, node, node.last, needs)

    def _waits(
        self, barrier: Instance, node: TraceNode, before: Instance | None, needs: Needs
    ) -> Iterator[Axiom]:
        """A barrier comes after an instance of another thread, and what that has needed to come there."""
        both = z3.And(barrier.node.act, node.act)
        if before is not None:
            later = self._relation.column(before) < self._relation.column(barrier)
            yield Axiom(Rule.D_SYNC, (before, barrier), z3.Implies(both, later))
        if self._times is not None:
            for term in self._times.after(needs, barrier):
                yield Axiom(Rule.D_CAUSE, (barrier,), z3.Implies(both, term))
