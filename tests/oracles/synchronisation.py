"""All that a small program with fences, barriers, atomics and races may give, by D-SYNC to the letter.

For every path of every thread, and every total order of the accesses that dependence, exchanges and
barriers allow, the oracle computes happens-before as a transitive closure, looks at each pair of accesses for
a race and at each read for what makes it undef, computes the values, and keeps the execution if each branch
goes as its path says. Relations are lists of bit sets: bit b of ``relation[a]`` says that a is before b.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import NamedTuple

from .synchronisation_model import (
    BOTH,
    Call,
    Fence,
    FenceInstruction,
    If,
    Load,
    Loop,
    Meeting,
    Op,
    Place,
    Program,
    Reach,
    Storage,
    Store,
    Update,
    Value,
    Vote,
    acquires,
    object_only,
    parts,
    reach_of,
    registers,
    releases,
)

UNDEF = "undef"
Content = int | str
"""A value, or undef."""
Byte = tuple[str, int]
"""(variable, offset)"""
Key = tuple[int, int]
"""Which exchange: (the place in the text, the iteration)."""


class TooLong(Exception):
    """There are more orders than the oracle is given time for."""


class Beyond(Exception):
    """Threads may wait for ever for each other at barriers of the workgroup: what happens until then is more
    than the oracle knows."""


class Circular(Exception):
    """Whether a read is undef depends on itself: the definition leaves it open."""


class Outcome(NamedTuple):
    """Per thread the values of its registers, in text order and by iteration, 0 where it never came to define
    one; and the elements of the variables."""

    returned: tuple[tuple[Content, ...], ...]
    memory: tuple[tuple[Content, ...], ...]


@dataclass
class Answer:
    """The outcomes of all executions, and the variables that some execution has a race on."""

    outcomes: set[Outcome] = field(default_factory=set)
    races: set[str] = field(default_factory=set)


# -- one thread on one path ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Access:
    op: Load | Store | Update
    variable: str
    storage: Storage
    first: int
    size: int

    @cached_property
    def bytes(self) -> frozenset[Byte]:
        return frozenset((self.variable, n) for n in range(self.first, self.first + self.size))

    @property
    def reads(self) -> bool:
        return not isinstance(self.op, Store)

    @property
    def writes(self) -> bool:
        return not isinstance(self.op, Load)

    @property
    def atomic(self) -> bool:
        return self.op.ordering is not None


@dataclass(frozen=True)
class Joining:
    """A vote or a barrier. Of a barrier of the workgroup its name, and which of these it is in its thread."""

    key: Key
    op: Vote | None
    name: str | None = None
    number: int = 0


@dataclass(frozen=True)
class Event:
    """``data``, ``control``: the events of the thread whose values the operands need, and all branches
    before it.

    ``operands`` are constants, or ``(n,)``: what the n-th event of the thread gave.
    """

    what: Access | Fence | Joining
    operands: tuple[int | tuple[int], ...] = ()
    data: frozenset[int] = frozenset()
    control: frozenset[int] = frozenset()


@dataclass
class Trace:
    """``missed``: per exchange that the thread does not come to, the events that its leaving needs; ``left``:
    how many of its events are before that. ``end``: what its end needs."""

    events: list[Event] = field(default_factory=list)
    branches: list[tuple[int, bool]] = field(default_factory=list)
    missed: dict[Key, frozenset[int]] = field(default_factory=dict)
    left: dict[Key, int] = field(default_factory=dict)
    end: frozenset[int] = frozenset()
    registers: dict[tuple[str, int], int] = field(default_factory=dict)


def traces(program: Program, thread: int) -> Iterator[Trace]:
    """The thread on each of its paths."""
    decisions: list[bool] = []
    while True:
        walk = _Walk(program, thread, decisions)
        walk.ops(program.ops, 0)
        walk.trace.end = walk.control
        yield walk.trace
        decisions = walk.decided
        while decisions and decisions[-1]:
            decisions.pop()
        if not decisions:
            return
        decisions[-1] = True


class _Walk:
    def __init__(self, program: Program, thread: int, decisions: Sequence[bool]) -> None:
        self.program = program
        self.thread = thread
        self.decisions = decisions
        self.decided: list[bool] = []
        self.trace = Trace()
        self.control: frozenset[int] = frozenset()
        self.named: dict[str | None, int] = {}
        self.number = {id(op): n for n, op in enumerate(_flat(program.ops))}

    def ops(self, ops: Sequence[Op], iteration: int) -> None:
        for op in ops:
            match op:
                case If(condition, over, body, otherwise):
                    taken = self._branch(condition, iteration, over)
                    self.ops(body if taken else otherwise, iteration)
                    self._miss(otherwise if taken else body, iteration)
                case Loop(condition, limit, body):
                    for n in range(limit):
                        self.ops(body, n)
                        if n + 1 == limit:  # the branch is there, and needs its condition, but always leaves
                            self.control |= self._needs(condition, n)
                        elif not self._branch(condition, n, n):
                            for later in range(n + 1, limit):
                                self._miss(body, later)
                            break
                case Load(register, place):
                    self.trace.registers[register, iteration] = self._add(self._access(op, place))
                case Store(place, value):
                    self._add(self._access(op, place), iteration, value)
                case Update(register, place, _, value, expected):
                    event = self._add(self._access(op, place), iteration, value, expected)
                    self.trace.registers[register, iteration] = event
                case Vote(register, value):
                    event = self._add(Joining(self._key(op, iteration), op), iteration, value)
                    self.trace.registers[register, iteration] = event
                case FenceInstruction() | Call():
                    for part in parts(op):
                        match part:
                            case Meeting(name):
                                number = self.named[name] = self.named.get(name, 0) + 1
                                self._add(Joining(self._key(op, iteration), None, name, number))
                            case Fence():
                                self._add(part)

    def _key(self, op: Op, iteration: int) -> Key:
        return self.number[id(op)], iteration

    def _add(self, what: Access | Fence | Joining, iteration: int = 0, *values: Value) -> int:
        operands: list[int | tuple[int]] = []
        data: set[int] = set()
        for value in values:
            if isinstance(value, int):
                operands.append(value)
            elif value == "arg":
                operands.append(self.program.arguments[self.thread])
            else:
                event = self._register(value, iteration)
                data.add(event)
                operands.append((event,))
        self.trace.events.append(Event(what, tuple(operands), frozenset(data), self.control))
        return len(self.trace.events) - 1

    def _register(self, name: str, iteration: int) -> int:
        """The event that defined a register: in this iteration, or before the loop."""
        defined = self.trace.registers
        return defined[name, iteration] if (name, iteration) in defined else defined[name, 0]

    def _access(self, op: Load | Store | Update, place: Place) -> Access:
        n = self.program.threads
        element = {"first": 0, "own": self.thread, "peer": (self.thread + 1) % n}[place.element]
        first = element * place.variable.size + place.offset
        return Access(op, place.variable.name, place.variable.storage, first, place.size)

    def _needs(self, condition: str | None, iteration: int) -> frozenset[int]:
        return frozenset() if condition is None else frozenset({self._register(condition, iteration)})

    def _branch(self, condition: str | None, iteration: int, over: int) -> bool:
        if condition is None:
            return self.program.arguments[self.thread] > over
        self.control |= self._needs(condition, iteration)
        known = len(self.decided) < len(self.decisions)
        self.decided.append(self.decisions[len(self.decided)] if known else False)
        self.trace.branches.append((self._register(condition, iteration), self.decided[-1]))
        return self.decided[-1]

    def _miss(self, ops: Sequence[Op], iteration: int) -> None:
        for op in ops:
            match op:
                case Vote() | Call():
                    self.trace.missed[self._key(op, iteration)] = self.control
                    self.trace.left[self._key(op, iteration)] = len(self.trace.events)
                case If(_, _, body, otherwise):
                    self._miss(body, iteration)
                    self._miss(otherwise, iteration)
                case Loop(_, limit, body):
                    for n in range(limit):
                        self._miss(body, n)
                case _:
                    pass


def _flat(ops: Sequence[Op]) -> Iterator[Op]:
    for op in ops:
        yield op
        match op:
            case If(_, _, body, otherwise):
                yield from _flat(body)
                yield from _flat(otherwise)
            case Loop(_, _, body):
                yield from _flat(body)
            case _:
                pass


# -- relations ----------------------------------------------------------------------------------------------


def closure(relation: Sequence[int]) -> list[int]:
    """Its transitive closure (Warshall)."""
    closed = list(relation)
    for middle in range(len(closed)):
        for a in range(len(closed)):
            if closed[a] >> middle & 1:
                closed[a] |= closed[middle]
    return closed


def has(relation: Sequence[int], a: int, b: int) -> bool:
    return bool(relation[a] >> b & 1)


# -- executions ---------------------------------------------------------------------------------------------


class Candidate:
    """A path for each thread. The events of all threads are numbered through; ``thread`` is each one's."""

    def __init__(self, program: Program, chosen: Sequence[Trace]) -> None:
        self.program = program
        self.traces = chosen
        self.start = [sum(len(t.events) for t in chosen[:n]) for n in range(len(chosen))]
        self.events = [event for trace in chosen for event in trace.events]
        self.thread = [t for t, trace in enumerate(chosen) for _ in trace.events]
        self.all = range(len(self.events))
        self.accesses = {n: e.what for n, e in enumerate(self.events) if isinstance(e.what, Access)}
        self.fences = {n: e.what for n, e in enumerate(self.events) if isinstance(e.what, Fence)}
        self.program_order = [
            sum(1 << b for b in self.all if a < b and self.thread[a] == self.thread[b]) for a in self.all
        ]
        self.groups: dict[tuple[Key, frozenset[int]], list[int]] = {}
        for n, event in enumerate(self.events):
            if isinstance(event.what, Joining):
                launched = program.launch_group(self.thread[n])
                self.groups.setdefault((event.what.key, launched), []).append(n)
        self.barriers = [
            members
            for (_, _), members in self.groups.items()
            if any(isinstance(w := self.events[m].what, Joining) and w.op is None for m in members)
        ]

    @cached_property
    def conflicts(self) -> set[tuple[int, int]]:
        """Accesses of two threads with a common byte, one of which writes, and that are not both atomic."""
        return {
            (a, b)
            for a, x in self.accesses.items()
            for b, y in self.accesses.items()
            if self.thread[a] != self.thread[b]
            and x.bytes & y.bytes
            and (x.writes or y.writes)
            and not (x.atomic and y.atomic)
        }

    def reached(self, thread: int, reach: Reach) -> frozenset[int]:
        match reach:
            case "own":
                return frozenset({thread})
            case "group":
                return self.program.launch_group(thread)
            case "all":
                return frozenset(range(self.program.threads))

    def include(self, x: int, x_reach: Reach, y: int, y_reach: Reach) -> bool:
        """Whether two operations include each other."""
        t, u = self.thread[x], self.thread[y]
        return u in self.reached(t, x_reach) and t in self.reached(u, y_reach)

    @cached_property
    def through_barriers(self) -> dict[Storage, list[tuple[int, int]]]:
        """Synchronises-with through barriers."""
        return {storage: self._through_barriers(storage) for storage in BOTH}

    @cached_property
    def meetings(self) -> list[tuple[int, int]]:
        """Barriers of two threads that are converged, or of two launch groups and of one name and number."""
        joined = {
            n: e.what for n, e in enumerate(self.events) if isinstance(e.what, Joining) and not e.what.op
        }
        return [
            (a, b)
            for a, x in joined.items()
            for b, y in joined.items()
            if self.thread[a] != self.thread[b]
            and (
                x.key == y.key
                if self.thread[b] in self.program.launch_group(self.thread[a])
                else x.name is not None and (x.name, x.number) == (y.name, y.number)
            )
        ]

    def others(self, barrier: int) -> Iterator[tuple[int, int | None]]:
        """Of a barrier of the workgroup: the threads of other launch groups, and what it waits for there."""
        what = self.events[barrier].what
        assert isinstance(what, Joining)
        if what.name is None:
            return
        for thread in set(range(self.program.threads)) - self.program.launch_group(self.thread[barrier]):
            same = [b for a, b in self.meetings if a == barrier and self.thread[b] == thread]
            yield thread, same[0] if same else None

    def waits_for_ever(self) -> bool:
        """Whether some thread waits at an exchange for what cannot come."""
        at = list(self.start)
        ends = [start + len(t.events) for start, t in zip(self.start, self.traces, strict=True)]

        def past(thread: int, event: int) -> bool:
            return at[thread] >= event

        def complete(event: int) -> bool:
            what = self.events[event].what
            if not isinstance(what, Joining):
                return True
            launched = self.program.launch_group(self.thread[event])
            members = {self.thread[m]: m for m in self.groups[what.key, launched]}
            if not all(past(thread, instance) for thread, instance in members.items()):
                return False
            return all(
                past(thread, ends[thread] if instance is None else instance)
                for member in members.values()
                for thread, instance in self.others(member)
            )

        moved = True
        while moved:
            moved = False
            for thread, end in enumerate(ends):
                while at[thread] < end and complete(at[thread]):
                    at[thread] += 1
                    moved = True
        return at != ends

    def _through_barriers(self, storage: Storage) -> list[tuple[int, int]]:
        return [
            (x, y)
            for a, b in self.meetings
            for x, release in self.fences.items()
            if release.release and storage in release.storage and has(self.program_order, x, a)
            for y, acquire in self.fences.items()
            if acquire.acquire and storage in acquire.storage and has(self.program_order, b, y)
            if self.include(x, release.reach, y, acquire.reach)
        ]

    @cached_property
    def before(self) -> list[int]:
        """What must be before what, whatever is read: by program order of accesses and fences, dependence,
        exchanges and barriers."""
        edges = [0] * len(self.events)
        for b, event in enumerate(self.events):
            mine = self.start[self.thread[b]]
            for cause in event.data | event.control:
                edges[mine + cause] |= 1 << b
        for (_, launched), members in self.groups.items():
            for result in members:
                for cause in self.arrival(members, launched):
                    edges[cause] |= 1 << result
        ordered = [*self.accesses, *self.fences]
        for a, b in product(ordered, ordered):
            if has(self.program_order, a, b):
                edges[a] |= 1 << b
        for storage in BOTH:
            for x, y in self.through_barriers[storage]:
                edges[x] |= 1 << y
        for barrier in (b for members in self.barriers for b in members):
            for thread, instance in self.others(barrier):
                needed = self.traces[thread].end if instance is None else self.events[instance].control
                for cause in needed:
                    edges[self.start[thread] + cause] |= 1 << barrier
        for members in self.barriers:
            for barrier, (y, fence) in product(members, self.fences.items()):
                if fence.acquire and fence.reach != "own" and has(self.program_order, barrier, y):
                    edges[barrier] |= 1 << y
        return closure(edges)

    def arrival(self, members: Sequence[int], launched: frozenset[int]) -> Iterator[int]:
        """The events that the operands of a group need, and who is in it."""
        what = self.events[members[0]].what
        assert isinstance(what, Joining)
        present = {self.thread[m]: m for m in members}
        for thread in launched:
            if thread in present:
                event = self.events[present[thread]]
                needed = event.data | event.control
            else:
                needed = self.traces[thread].missed[what.key]
            yield from (self.start[thread] + cause for cause in needed)

    def how_many_orders(self) -> int:
        """As many as :meth:`orders` gives, without making them."""
        if any(has(self.before, a, a) for a in [*self.accesses, *self.fences]):
            return 0
        ways: dict[frozenset[int], int] = {frozenset(): 1}
        for _ in self.accesses:
            longer: dict[frozenset[int], int] = {}
            for done, number in ways.items():
                for b in self.accesses:
                    if b not in done and self._needed[b] <= done:
                        longer[done | {b}] = longer.get(done | {b}, 0) + number
            ways = longer
        return sum(ways.values())

    @cached_property
    def _needed(self) -> dict[int, set[int]]:
        return {b: {a for a in self.accesses if has(self.before, a, b)} for b in self.accesses}

    def orders(self) -> Iterator[list[int]]:
        """Every total order of the accesses in which none is its own cause."""
        if any(has(self.before, a, a) for a in [*self.accesses, *self.fences]):
            return
        needed = self._needed

        def extend(order: list[int]) -> Iterator[list[int]]:
            if len(order) == len(needed):
                yield order
            for b, causes in needed.items():
                if b not in order and causes <= set(order):
                    yield from extend([*order, b])

        yield from extend([])


class Execution:
    """A candidate with one order of its accesses."""

    def __init__(self, candidate: Candidate, order: Sequence[int]) -> None:
        self.candidate = candidate
        self.moment = {a: n for n, a in enumerate(order)}
        self._before: dict[tuple[int, Byte], int | None] = {}
        last: dict[Byte, int] = {}
        for a in order:
            access = candidate.accesses[a]
            if access.reads:
                self._before |= {(a, byte): last.get(byte) for byte in access.bytes}
            if access.writes:
                last |= dict.fromkeys(access.bytes, a)
        self.failed = self._failed()
        self.writer = {(read, byte): self._from(byte, a) for (read, byte), a in self._before.items()}
        self.last: dict[Byte, int | None] = {byte: self._from(byte, a) for byte, a in last.items()}
        self.happens = {storage: self._happens_before(storage) for storage in BOTH}

    # Which exchanges fail: they are loads

    def _failed(self) -> frozenset[int]:
        """The ``cmpxchg`` that do not find what they expect."""
        updates = ((a, access.op) for a, access in self.candidate.accesses.items())
        return frozenset(
            a
            for a, op in updates
            if isinstance(op, Update) and op.operation == "cmpxchg" and self._plain(a) != self._number(a, 1)
        )

    def _from(self, byte: Byte, write: int | None) -> int | None:
        """Who wrote what such a write left: a ``cmpxchg`` that fails leaves what was there."""
        while write is not None and write in self.failed:
            write = self._before[write, byte]
        return write

    def _plain(self, event: int) -> int:
        """What an event gives if no race makes it undef."""
        if event not in self._plains:
            what = self.candidate.events[event].what
            if isinstance(what, Joining):
                launched = self.candidate.program.launch_group(self.candidate.thread[event])
                members = self.candidate.groups[what.key, launched]
                self._plains[event] = sum(self._number(m, 0) for m in members) % 2**32
            else:
                assert isinstance(what, Access)
                each = enumerate(range(what.first, what.first + what.size))
                self._plains[event] = sum(self._left((what.variable, at), event) << 8 * n for n, at in each)
        return self._plains[event]

    @cached_property
    def _plains(self) -> dict[int, int]:
        return {}

    def _left(self, byte: Byte, read: int) -> int:
        """What a read finds in a byte."""
        write = self._before[read, byte]
        if write is None:
            content = self.initial(byte)
            assert isinstance(content, int), "a cmpxchg of undef"
            return content
        access, value = self.candidate.accesses[write], self._number(write, 0)
        if isinstance(access.op, Update) and access.op.operation == "add":
            value = (self._plain(write) + value) % 2**32
        if isinstance(access.op, Update) and access.op.operation == "cmpxchg":
            old = self._plain(write)
            value = value if old == self._number(write, 1) else old
        return value >> 8 * (byte[1] - access.first) & 0xFF

    def _number(self, event: int, n: int) -> int:
        value = self.candidate.events[event].operands[n]
        if isinstance(value, int):
            return value
        return self._plain(self.candidate.start[self.candidate.thread[event]] + value[0])

    def _writes(self, event: int) -> bool:
        return self.candidate.accesses[event].writes and event not in self.failed

    # Synchronises-with and happens-before

    def _carried(self) -> Iterator[tuple[int, int]]:
        """Atomic writes A and atomic reads B that read what A wrote, or a read-modify-write behind it."""
        accesses = self.candidate.accesses
        for b, read in accesses.items():
            if not (read.reads and read.atomic):
                continue
            for byte in read.bytes:
                a = self.writer[b, byte]
                while a is not None:
                    if accesses[a].atomic:
                        yield a, b
                    if not isinstance(accesses[a].op, Update):
                        break
                    a = self.writer[a, byte]

    def _through_memory(self, storage: Storage) -> Iterator[tuple[int, int]]:
        candidate = self.candidate
        for a, b in set(self._carried()):
            if candidate.thread[a] == candidate.thread[b]:
                continue
            write, read = candidate.accesses[a], candidate.accesses[b]
            sides: list[list[tuple[int, Reach]]] = [[], []]
            if releases(write.op.ordering) and (not object_only(write.op.scope) or write.storage == storage):
                sides[0].append((a, reach_of(write.op.scope)))
            ordering = read.op.ordering
            if b in self.failed:
                assert isinstance(read.op, Update)
                ordering = read.op.failure
            if acquires(ordering) and (not object_only(read.op.scope) or read.storage == storage):
                sides[1].append((b, reach_of(read.op.scope)))
            for f, fence in candidate.fences.items():
                if storage not in fence.storage or (fence.object_only and write.storage != storage):
                    continue
                if fence.release and has(candidate.program_order, f, a):
                    sides[0].append((f, fence.reach))
                if fence.acquire and has(candidate.program_order, b, f):
                    sides[1].append((f, fence.reach))
            for (x, x_reach), (y, y_reach) in product(*sides):
                if candidate.include(x, x_reach, y, y_reach):
                    yield x, y

    def _happens_before(self, storage: Storage) -> list[int]:
        relation = list(self.candidate.program_order)
        for x, y in self.candidate.through_barriers[storage]:
            relation[x] |= 1 << y
        for x, y in self._through_memory(storage):
            relation[x] |= 1 << y
        return closure(relation)

    def extends_happens_before(self) -> bool:
        accesses = self.candidate.accesses
        return all(
            self.moment[a] < self.moment[b]
            for a in accesses
            for b in accesses
            if accesses[a].storage == accesses[b].storage and has(self.happens[accesses[a].storage], a, b)
        )

    # Races

    def race(self, a: int, b: int) -> bool:
        if (a, b) not in self.candidate.conflicts or not (self._writes(a) or self._writes(b)):
            return False
        happens = self.happens[self.candidate.accesses[a].storage]
        return not has(happens, a, b) and not has(happens, b, a)

    def may_depend(self, read: int) -> int:
        """The events to which a chain leads from what a read gave: by program order, by reads that give what
        was written, and by exchanges, at barriers of the workgroup to all who meet there."""
        candidate = self.candidate
        reached, ahead = 0, [read]
        while ahead:
            event = ahead.pop()
            after = candidate.program_order[event]
            what = candidate.events[event].what
            if isinstance(what, Access) and self._writes(event):
                after |= sum(
                    1 << b
                    for b in {b for (b, _), writer in self.writer.items() if writer == event}
                    if not reached >> b & 1 and not self.undefined(b)
                )
            elif isinstance(what, Joining):
                launched = candidate.program.launch_group(candidate.thread[event])
                after |= sum(1 << m for m in candidate.groups[what.key, launched])
                for a, b in candidate.meetings:
                    after |= 1 << b if a == event else 0
            ahead += [b for b in candidate.all if after >> b & 1 and not reached >> b & 1]
            reached |= after
        return reached

    def visible(self, write: int, read: int, byte: Byte) -> bool:
        accesses = self.candidate.accesses
        happens = self.happens[accesses[read].storage]
        return not has(happens, read, write) and not any(
            has(happens, write, other) and has(happens, other, read)
            for other, access in accesses.items()
            if other != write and self._writes(other) and byte in access.bytes
        )

    def undefined(self, read: int) -> bool:
        """Whether a read gives undef because of races."""
        if read not in self._undefined:
            self._undefined[read] = None
            self._undefined[read] = self._is_undefined(read)
        answer = self._undefined[read]
        if answer is None:
            raise Circular
        return answer

    @cached_property
    def _undefined(self) -> dict[int, bool | None]:
        return {}

    def _is_undefined(self, read: int) -> bool:
        writes = {
            byte: [
                w
                for w, access in self.candidate.accesses.items()
                if w != read and self._writes(w) and byte in access.bytes and self.visible(w, read, byte)
            ]
            for byte in self.candidate.accesses[read].bytes
        }
        for visible in writes.values():
            earlier = [w for w in visible if self.moment[w] < self.moment[read]]
            if any(self.race(w, read) for w in earlier):
                return True
            if any(self.race(a, b) for a, b in product(earlier, earlier)):
                return True
        behind = {w for v in writes.values() for w in v if self.moment[w] > self.moment[read]}
        racing = [w for w in behind if self.race(w, read)]
        if not racing:
            return False
        dependent = self.may_depend(read)
        return any(not dependent >> w & 1 for w in racing)

    # Values

    def initial(self, byte: Byte) -> Content:
        name, offset = byte
        (variable,) = (v for v in self.candidate.program.variables if v.name == name)
        if variable.initial is None:
            return UNDEF
        return variable.initial >> 8 * (offset % variable.size) & 0xFF

    def written(self, byte: Byte, write: int | None) -> Content:
        """What a write left in a byte."""
        if write is None:
            return self.initial(byte)
        access = self.candidate.accesses[write]
        operands = [self.operand(write, n) for n in range(len(self.candidate.events[write].operands))]
        value = operands[0]
        match access.op:
            case Update(operation="add"):
                old = self.given(write)
                assert isinstance(old, int) and isinstance(value, int)
                value = (old + value) % 2**32
            case Update(operation="cmpxchg"):
                old = self.given(write)
                assert isinstance(old, int)
                value = value if old == operands[1] else old
            case _:
                pass
        return value if isinstance(value, str) else value >> 8 * (byte[1] - access.first) & 0xFF

    def operand(self, event: int, n: int) -> Content:
        value = self.candidate.events[event].operands[n]
        if isinstance(value, int):
            return value
        return self.given(self.candidate.start[self.candidate.thread[event]] + value[0])

    def given(self, event: int) -> Content:
        """What a read or a vote gave."""
        if event not in self._given:
            self._given[event] = self._give(event)
        return self._given[event]

    @cached_property
    def _given(self) -> dict[int, Content]:
        return {}

    def _give(self, event: int) -> Content:
        what = self.candidate.events[event].what
        match what:
            case Joining(key):
                launched = self.candidate.program.launch_group(self.candidate.thread[event])
                values = [self.operand(m, 0) for m in self.candidate.groups[key, launched]]
                assert all(isinstance(v, int) for v in values), "a vote on undef"
                return sum(v for v in values if isinstance(v, int)) % 2**32
            case Access():
                if self.undefined(event):
                    return UNDEF
                found = [
                    self.written((what.variable, n), self.writer[event, (what.variable, n)])
                    for n in range(what.first, what.first + what.size)
                ]
                return together(found)
            case _:
                raise AssertionError(what)

    def goes_as_its_paths(self) -> bool:
        for start, trace in zip(self.candidate.start, self.candidate.traces, strict=True):
            for condition, taken in trace.branches:
                value = self.given(start + condition)
                assert isinstance(value, int), "a branch on undef"
                if (value != 0) != taken:
                    return False
        return True

    def outcome(self) -> Outcome:
        program, candidate = self.candidate.program, self.candidate
        returned = []
        for start, trace in zip(candidate.start, candidate.traces, strict=True):
            values: list[Content] = []
            for name, _, times in registers(program.ops):
                events = [trace.registers.get((name, n)) for n in range(times)]
                values += [0 if e is None else self.given(start + e) for e in events]
            returned.append(tuple(values))
        memory = []
        for v in program.variables:
            found = [self.written((v.name, n), self.last.get((v.name, n))) for n in range(v.size * v.count)]
            memory.append(tuple(together(found[n : n + v.size]) for n in range(0, len(found), v.size)))
        return Outcome(tuple(returned), tuple(memory))


def together(found: Sequence[Content]) -> Content:
    """A value of its bytes, the lowest first."""
    total = 0
    for n, byte in enumerate(found):
        if isinstance(byte, str):
            return UNDEF
        total |= byte << 8 * n
    return total


def outcomes(program: Program, limit: int = 1000) -> Answer:
    """All that the program may give.

    Raises TooLong: there are more than ``limit`` orders to look at; Beyond, Circular: see there.
    """
    candidates = [
        Candidate(program, chosen)
        for chosen in product(*(list(traces(program, t)) for t in range(program.threads)))
    ]
    if sum(candidate.how_many_orders() for candidate in candidates) > limit:
        raise TooLong
    if any(candidate.waits_for_ever() for candidate in candidates):
        raise Beyond
    answer = Answer()
    for candidate in candidates:
        for order in candidate.orders():
            execution = Execution(candidate, order)
            if execution.extends_happens_before() and execution.goes_as_its_paths():
                answer.outcomes.add(execution.outcome())
                answer.races |= {
                    candidate.accesses[a].variable for a, b in candidate.conflicts if execution.race(a, b)
                }
    return answer
