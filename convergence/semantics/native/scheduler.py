"""Who runs next and who meets whom, natively; and whether a thread may still come to an exchange."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

from ...frozen import dataclass
from ...ir import instructions as ir
from ...ir.calls import Control, control
from ..memory.synchronisation import AHEAD, RELEASED, STATE, STATES, Storage, storage_offset
from ..threads import Code, Segment
from ..threads.step import QUANTUM
from .jit import Routine
from .unattended import (
    LAUNCHED,
    ExpandedFunction,
    NativeExchange,
    Stop,
    ThreadWords,
    Unattended,
    WorkgroupExtent,
    fenced,
)

# ----------------------------------------------------------------------------------------------------------
# Whether a thread may still come to an exchange at which others wait, natively: what
# :func:`~..convergence.rules.may_come` says, for expanded code.
#
# There a key is a list of counts, outermost first: of the headers around each call on the way and around
# the operation, or, where these have tokens, of the loops from which the tokens hang. A thread that has the
# same counts up to one of them is before or behind the others by that one: behind them it never comes;
# before them it comes if it can reach the header, or the loop, often enough. Who has all counts the same
# comes if it can reach the operation, or the call that leads there. What the text alone decides, which is
# whether something can be reached, is known when code is made; counts are compared when it runs.
# ----------------------------------------------------------------------------------------------------------

Chain = Sequence[tuple[ExpandedFunction, Segment]]
"""The activations of a thread, the innermost first, and where each goes on."""

NO, YES, OPEN = 0, 1, 2
"""Whether a thread may come; OPEN: not known here."""


@dataclass(frozen=True, slots=True)
class Level:
    """A count that is compared: the thread's own, and the others'; ``same`` are words that have to be alike
    among the thread's own for its count to count, else it is 0. Who is before comes or not, if one more is
    missing and if several are."""

    own: int
    theirs: int
    same: tuple[tuple[int, int], ...]
    once: bool
    often: bool


@dataclass(frozen=True, slots=True)
class Arrival:
    """What is asked of a thread at one place about an operation: its counts in turn, and whether who has them
    all comes."""

    levels: tuple[Level, ...]
    here: bool


@dataclass(frozen=True, slots=True)
class Standpoint:
    """A place where threads stop: who ``waits`` there has its exchange before it."""

    stop: int
    waits: bool

    @property
    def number(self) -> int:
        return 2 * self.stop + self.waits


def may_come(stops: Sequence[Stop], chains: Mapping[int, Chain]) -> Iterator[str]:
    """``i64 @may.come(i64 at, i64 stand, ptr own, ptr theirs)``: whether a thread at a :class:`Standpoint`
    may come to the exchange with the number ``at``, by the words of both."""
    exchanges = [stop for stop in stops if stop.exchange is not None]
    stands = [Standpoint(stop.number, False) for stop in stops if stop.number in chains]
    stands += [Standpoint(stop.number, True) for stop in exchanges]
    for stop in exchanges:
        yield _about(stop, stands, stops, chains)
    whole = Routine("define internal i64 @may.come(i64 %at, i64 %stand, ptr %own, ptr %theirs)")

    def ask(number: int) -> None:
        question = f"call i64 @may.come.{number}(i64 %stand, ptr %own, ptr %theirs)"
        whole.give(whole.typed(question))

    ways = {stop.number: partial(ask, stop.number) for stop in exchanges}
    whole.switch("%at", ways, lambda: whole.give(OPEN))
    yield whole.text()


def _about(
    stop: Stop, stands: Sequence[Standpoint], stops: Sequence[Stop], chains: Mapping[int, Chain]
) -> str:
    routine = Routine(f"define internal i64 @may.come.{stop.number}(i64 %stand, ptr %own, ptr %theirs)")
    by_answer: dict[Arrival, partial[None]] = {}
    ways = {}
    for stand in stands:
        arrival = _arrival(stop, chains[stop.number], stand, stops[stand.stop - 1], chains[stand.stop])
        if arrival is not None:
            ways[stand.number] = by_answer.setdefault(arrival, partial(_decided, routine, arrival))
    routine.switch("%stand", ways, lambda: routine.give(OPEN))
    return routine.text()


def _decided(r: Routine, arrival: Arrival) -> None:
    for level in arrival.levels:
        theirs, own = r.read("%theirs", level.theirs), r.read("%own", level.own)
        for a, b in level.same:
            alike = r.compare("eq", r.read("%own", a), r.read("%own", b))
            own = r.choose(alike, own, 0)
        with r.when(r.compare("ne", own, theirs)):
            with r.when(r.compare("ugt", own, theirs)):
                r.give(NO)
            last = r.compare("eq", r.do("sub", theirs, own), 1)
            r.give(r.choose(last, int(level.once), int(level.often)))
    r.give(int(arrival.here))


def _arrival(stop: Stop, chain: Chain, stand: Standpoint, where: Stop, there: Chain) -> Arrival | None:
    """``None`` where it is not known."""
    assert stop.exchange is not None
    ours, theirs = list(reversed(chain)), list(reversed(there))
    levels: list[Level] = []
    depth = 0
    while True:
        activation = ours[depth][0]
        innermost = depth + 1 == len(ours)
        if innermost:
            site = stop.exchange.site.index
        else:
            call = ours[depth + 1][0].call
            assert call is not None
            site = call.index
            if call.holds:
                return None
        at = theirs[depth][1].first
        if stand.waits and depth + 1 == len(theirs):
            assert where.exchange is not None
            at = where.exchange.site.index
        own, here = _levels(activation, site, at)
        if own is None:
            return None
        levels += own
        further = not innermost and depth + 1 < len(theirs) and theirs[depth + 1][0] is ours[depth + 1][0]
        if not further:
            return Arrival(tuple(levels), here)
        depth += 1


def _levels(activation: ExpandedFunction, site: int, at: int) -> tuple[list[Level] | None, bool]:
    """The counts that an operation has in its activation, for a thread that is at an instruction there; and
    whether who has them all comes to it."""
    code = activation.reference
    token = code.token_of.get(site)
    return _by_headers(activation, code, site, at) if token is None else _by_tokens(
        activation, code, token, site, at
    )  # fmt: skip


def _by_headers(
    activation: ExpandedFunction, code: Code, site: int, at: int
) -> tuple[list[Level] | None, bool]:
    """As :func:`~..convergence.arrival._from_header` for the most recent headers around."""
    graph, block = code.graph, code.graph.block_of[site]
    inside = [b for b in activation.code.blocks if b.heads and activation.code.blocks[block].cycle in b.heads]
    levels = []
    for header in sorted(inside, key=lambda b: -len(b.heads)):
        others, target = code.around[header.number] - {header.number}, frozenset([header.number])
        nothing: frozenset[int] = frozenset()
        once = graph.reaches(at, nothing, nothing, target, others)
        first = graph.nodes[header.number].first
        often = once and graph.reaches(first, nothing, nothing, target, others)
        word = activation.headers[header.cycle]
        levels.append(Level(word, word, (), once, often))
    return levels, graph.reaches(at, frozenset([site]), avoid_blocks=code.around[block])


def _by_tokens(
    activation: ExpandedFunction, code: Code, token: int, site: int, at: int
) -> tuple[list[Level] | None, bool]:
    """As :func:`~..convergence.arrival._from_token` for each loop from which the token hangs."""
    graph, slots = code.graph, [token]
    while True:
        index = code.defined_at.get(slots[0], -1)
        instruction = code.instructions[index] if index >= 0 else None
        kind = control(instruction) if isinstance(instruction, ir.Call) else None
        if kind is Control.ENTRY:
            break
        above = code.token_of.get(index)
        if kind is not Control.LOOP or above is None:
            return None, False
        slots.insert(0, above)
    columns = activation.tokens.get(token)
    if columns is None or any(slot not in activation.tokens for slot in slots):
        return None, False
    levels = []
    for above, slot in pairwise(slots):
        own, parent = activation.tokens[slot], activation.tokens[above]
        loop, avoid = frozenset([code.defined_at[slot]]), frozenset([code.defined_at[above]])
        once = graph.reaches(at, loop, avoid)
        often = once and graph.reaches(code.defined_at[slot] + 1, loop, avoid)
        same = tuple(zip(own, parent, strict=False))
        levels.append(Level(own[-1], columns[len(own) - 1], same, once, often))
    return levels, graph.reaches(at, frozenset([site]), frozenset([code.defined_at[token]]))


def same_instance(stops: Sequence[Stop]) -> Iterator[str]:
    """``i1 @same(i64 at, ptr one, ptr other)``: whether two threads at one exchange have equal keys."""
    routine = Routine("define internal i1 @same(i64 %at, ptr %one, ptr %other)")

    def compared(columns: tuple[int, ...]) -> None:
        alike = "true"
        for column in columns:
            first, second = routine.read("%one", column), routine.read("%other", column)
            alike = routine.both(alike, routine.compare("eq", first, second))
        routine.give(alike, "i1")

    ways = {s.number: partial(compared, s.exchange.columns) for s in stops if s.exchange is not None}
    routine.switch("%at", ways, lambda: routine.give("false", "i1"))
    yield routine.text()


# ----------------------------------------------------------------------------------------------------------
# Who runs next, and who meets whom, natively: :meth:`~..machine.machine.Machine.run` for threads that need
# nobody (:mod:`.unattended`).
#
# Threads have their turns in the order in which the reference gives them; who comes to an exchange waits
# with those whose key is equal, of whom the first is the *lead*; a group is done when nobody can come any
# more (arrivals, above), in the order in which its lead came. Whether all have come to a barrier of the
# workgroup is asked of those who wait at the same place: who waits for it elsewhere makes the launch an
# attended one.
# ----------------------------------------------------------------------------------------------------------


TURN = 200_000
"""Instructions of a turn at most."""
RUNNING, WAITS, OVER = 0, 1, 2
"""What a thread does."""
ENDED, INTERRUPTED, DIVERGED, BOUND = 0, 1, -(1 << 40), -(1 << 41)
"""What a call of native code comes back with, besides minus the number of why it gave up."""


class GroupWords:
    """The words of ``group``: how many threads there are; where their words are; by thread, where it goes on
    and what it does, its lead, and whose turn it is; by lead, how many it leads, the leads that came before
    and behind it, whether its group is done now, and what the threads of a barrier had released; by launch
    group, how many of it are not over, its latest lead, and the sites that it came to; what of the budgets is
    left; whether this is a launch, and the words of each thread then; what was counted; who is asked for what
    a group gets that is not native; and the code for parts of groups (:class:`PartTable`)."""

    COUNT = 27
    (THREADS, WORDS, PLACES, STATES, LEADS, QUEUE, COUNTS, NEXT, PREVIOUS, SURE, LEAST, ALIVE, LATEST, SITES,
     LEFT, LOOK, FRESH, LAUNCHED, LAUNCH, VISITS, CUT, PARTS, EXCHANGES, HEAD, READY, ASKED,
     MASKS) = range(COUNT)  # fmt: skip
    OF_THREADS = (PLACES, STATES, LEADS, QUEUE, COUNTS, NEXT, PREVIOUS, SURE)
    """One word a thread; the lists of leads have one more, for both their ends."""
    OF_GROUPS = (ALIVE, LATEST, SITES)
    """One word a launch group."""


class PartTable:
    """Where the code is that gives a part of a launch group what it gets at an exchange, by the mask of its
    lanes: for each stop so many pairs of a mask and an address, in one of a few places that the mask says.
    They are only added, so that native code may look while somebody adds one."""

    ENTRIES, PROBES = 512, 4
    LANES = 64
    """Lanes of a group that has masks, at most."""
    _FACTOR, _SHIFT = 0x9E3779B97F4A7C15, 55

    def __init__(self, stops: int) -> None:
        self._words = array("Q", bytes(16 * self.ENTRIES * (stops + 1)))
        self.address = self._words.buffer_info()[0]

    def __len__(self) -> int:
        """How many masks have code."""
        return sum(map(bool, self._words[::2]))

    def add(self, stop: int, mask: int, address: int) -> None:
        """Code for a mask; nothing, if all its places are taken."""
        first = (mask * self._FACTOR & (1 << 64) - 1) >> self._SHIFT
        for probe in range(self.PROBES):
            at = 2 * (stop * self.ENTRIES + (first + probe) % self.ENTRIES)
            if not self._words[at]:
                self._words[at + 1] = address
                self._words[at] = mask
                return

    @classmethod
    def look(cls, r: Routine, table: str, stop: int | str, mask: str, found: Callable[[str], None]) -> None:
        """What happens with the address of the code for a mask, if there is one."""
        begin = stop * cls.ENTRIES if isinstance(stop, int) else r.do("mul", stop, cls.ENTRIES)
        first = r.do("lshr", r.do("mul", mask, cls._FACTOR - (1 << 64)), cls._SHIFT)
        for probe in range(cls.PROBES):
            place = r.do("urem", r.do("add", first, probe), cls.ENTRIES)
            at = r.do("mul", r.do("add", place, begin), 2)
            with r.when(r.compare("eq", r.read(table, at), mask)):
                found(r.pointer(r.at(table, r.do("add", at, 1))))


LEAST_WORDS = len(Storage) + 1
"""Of each lead: what all that came to its barrier had released, by class of storage, and whether all of the
workgroup came."""


def lane_counts(shape: WorkgroupExtent) -> tuple[int, ...]:
    """How many threads the launch groups of a workgroup have."""
    rest = shape.workgroup % shape.size
    full = (shape.size,) if shape.workgroup >= shape.size else ()
    return (*full, *((rest,) if rest else ()))


def exchange_is_void(exchange: NativeExchange) -> bool:
    """Whether nothing is exchanged but that all have come."""
    return exchange.result is None and not exchange.operands


class _Scheduler(Routine):
    """A routine that knows the words of ``%group``."""

    def __init__(self, head: str, kernel: Unattended, shape: WorkgroupExtent) -> None:
        super().__init__(head)
        self.kernel = kernel
        self.shape = shape
        self.per = -(-shape.workgroup // shape.size)

    def word(self, number: int) -> str:
        """Where a word of the group is."""
        return self.at("%group", number)

    def array(self, number: int) -> str:
        """The words that a word of the group points to."""
        return self.pointer(self.word(number))

    def words(self, thread: str) -> str:
        """A thread's own words."""
        off = self.do("mul", thread, 8 * self.kernel.words)
        return self.typed(f"getelementptr i8, ptr {self.array(GroupWords.WORDS)}, i64 {off}")

    def group(self, thread: str) -> str:
        """The number of a thread's launch group."""
        number = self.do("udiv", thread, self.shape.workgroup)
        lane = self.do("urem", thread, self.shape.workgroup)
        return self.do("add", self.do("mul", number, self.per), self.do("udiv", lane, self.shape.size))

    def range(self, thread: str) -> tuple[str, str]:
        """The threads of a thread's launch group, from the first to the one behind the last."""
        first, end = self.workgroup(thread)
        launch = self.do("udiv", self.do("sub", thread, first), self.shape.size)
        begin = self.do("add", first, self.do("mul", launch, self.shape.size))
        stop = self.do("add", begin, self.shape.size)
        return begin, self.choose(self.compare("ult", stop, end), stop, end)

    def workgroup(self, thread: str) -> tuple[str, str]:
        """The threads of a thread's workgroup."""
        number = self.do("udiv", thread, self.shape.workgroup)
        first = self.do("mul", number, self.shape.workgroup)
        return first, self.do("add", first, self.shape.workgroup)

    def push(self, thread: str) -> None:
        """A thread is the last one in the queue."""
        ready, threads = self.word(GroupWords.READY), self.get(self.word(GroupWords.THREADS))
        behind = self.do("add", self.get(self.word(GroupWords.HEAD)), self.get(ready))
        self.write(self.array(GroupWords.QUEUE), self.do("urem", behind, threads), thread)
        self.add(ready, 1)

    def state(self, thread: str) -> str:
        """What a thread of the launch knows of others."""
        at = self.typed(f"getelementptr i8, ptr %env, i64 {STATES}")
        return self.typed(f"getelementptr [{STATE} x i8], ptr {self.pointer(at)}, i64 {thread}")


def scheduler(kernel: Unattended, shape: WorkgroupExtent) -> str:
    """``i64 @workgroup(ptr group, ptr env, i64 first)``: runs the threads from number ``first`` on, those of
    a workgroup or of all."""
    several = shape.workgroup > shape.size
    exchanges = [stop for stop in kernel.stops if stop.exchange is not None]
    parts = [_arrive(kernel, shape, exchanges), _certain(kernel, shape)]
    for stop in exchanges:
        assert stop.exchange is not None
        parts += _look(kernel, shape, stop, stop.exchange, several)
        parts.append(_settle(kernel, shape, stop, stop.exchange, several))
    parts.append(_run(kernel, shape, exchanges, several))
    return "\n".join(parts)


def _run(kernel: Unattended, shape: WorkgroupExtent, exchanges: list[Stop], several: bool) -> str:
    r = _Scheduler("define i64 @workgroup(ptr %group, ptr %env, i64 %first)", kernel, shape)
    threads = r.get(r.word(GroupWords.THREADS))
    with r.when(r.compare("ne", r.get(r.word(GroupWords.FRESH)), 0)):
        _begin(r, threads)
        r.set(r.word(GroupWords.FRESH), 0)
    went = r.variable("went")
    with r.loop():
        with r.loop() as leave:
            ready, head = r.word(GroupWords.READY), r.word(GroupWords.HEAD)
            leave(r.compare("eq", r.get(ready), 0))
            queue, now = r.array(GroupWords.QUEUE), r.get(head)
            thread = r.read(queue, now)
            r.set(head, r.do("urem", r.do("add", now, 1), threads))
            r.add(ready, -1)
            _turn(r, thread, exchanges)
            none = r.compare("eq", r.get(ready), 0)
            following = r.read(queue, r.get(head))
            leave(none)
            leave(r.compare("uge", thread, following))  # a round is over
        _resolve(r, threads, went, exchanges, several)
        with r.when(r.compare("eq", r.do("or", r.get(went), r.get(r.word(GroupWords.READY))), 0)):
            last = r.compare("eq", r.read(r.array(GroupWords.NEXT), threads), threads)
            r.give(r.choose(last, ENDED, DIVERGED))
        with r.when(r.compare("sle", r.get(r.word(GroupWords.LOOK)), 0)):
            r.give(INTERRUPTED)
    return r.text()


def _begin(r: _Scheduler, threads: str) -> None:
    """The launch: all threads are ready, and nobody waits."""
    size = r.get(r.word(GroupWords.LAUNCHED))
    launch = r.array(GroupWords.LAUNCH)
    arrays = {n: r.array(n) for n in (GroupWords.PLACES, GroupWords.STATES, GroupWords.QUEUE)}
    alive, latest = r.array(GroupWords.ALIVE), r.array(GroupWords.LATEST)
    groups = r.do("mul", r.do("udiv", threads, r.shape.workgroup), r.per)
    with r.each(0, groups) as group:
        r.write(alive, group, 0)
        r.write(latest, group, -1)
        r.write(r.array(GroupWords.SITES), group, 0)
    with r.each(0, threads) as thread:
        r.write(arrays[GroupWords.PLACES], thread, LAUNCHED)
        r.write(arrays[GroupWords.STATES], thread, RUNNING)
        r.write(arrays[GroupWords.QUEUE], thread, thread)
        r.add(r.at(alive, r.group(thread)), 1)
        with r.when(r.compare("ne", size, 0)):
            words = r.words(thread)
            r.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {words}, ptr {launch}, i64 {size}, i1 false)")
    r.write(r.array(GroupWords.NEXT), threads, threads)
    r.write(r.array(GroupWords.PREVIOUS), threads, threads)
    r.set(r.word(GroupWords.HEAD), 0)
    r.set(r.word(GroupWords.READY), threads)


def _turn(r: _Scheduler, thread: str, exchanges: list[Stop]) -> None:
    """A thread runs to where it stops."""
    place = r.at(r.array(GroupWords.PLACES), thread)
    control = r.at("%group", GroupWords.COUNT)
    r.write(control, ThreadWords.PLACE, r.get(place))
    r.write(control, ThreadWords.LEFT, TURN)
    number = r.do("add", "%first", thread)
    answer = r.typed(f"call i64 @thread(ptr {r.words(thread)}, ptr {control}, ptr %env, i64 {number})")
    used = r.do("sub", TURN, r.read(control, ThreadWords.LEFT))
    left = r.do("sub", r.get(r.word(GroupWords.LEFT)), used)
    r.set(r.word(GroupWords.LEFT), left)
    r.set(r.word(GroupWords.LOOK), r.do("sub", r.get(r.word(GroupWords.LOOK)), used))
    with r.when(r.compare("sge", used, QUANTUM)):  # the reference's would have been cut
        r.add(r.word(GroupWords.CUT), 1)
    r.add(r.word(GroupWords.VISITS), r.read(control, ThreadWords.VISITS))
    group = r.group(thread)
    sites = r.at(r.array(GroupWords.SITES), group)
    r.set(sites, r.do("or", r.get(sites), r.read(control, ThreadWords.SITES)))
    r.set(place, answer)
    with r.when(r.compare("sle", left, 0)):
        r.give(BOUND)
    with r.when(r.compare("slt", answer, 0)):
        r.give(answer)

    def over() -> None:
        r.write(r.array(GroupWords.STATES), thread, OVER)
        r.add(r.at(r.array(GroupWords.ALIVE), group), -1)

    def waits() -> None:
        r.line(f"call void @arrive(ptr %group, ptr %env, i64 %first, i64 {thread}, i64 {group})")

    r.switch(answer, {0: over, **{stop.number: waits for stop in exchanges}}, lambda: r.push(thread))


def _resolve(r: _Scheduler, threads: str, went: str, exchanges: list[Stop], several: bool) -> None:
    """As :meth:`~..machine.machine.Machine.resolve_certain`."""
    r.set(went, 0)
    onward, sure = r.array(GroupWords.NEXT), r.array(GroupWords.SURE)
    places, this = r.array(GroupWords.PLACES), r.variable("this")
    looks = {
        stop.number: partial(_call_look, r, stop.number, this, sure)
        for stop in exchanges
        if stop.exchange is not None and looked_at(stop.exchange, several)
    }
    r.set(this, r.read(onward, threads))
    with r.loop() as leave:
        lead = r.get(this)
        leave(r.compare("eq", lead, threads))
        certain = r.typed(f"call i64 @certain(ptr %group, i64 {lead})")
        with r.when(r.compare("slt", certain, 0)):
            r.give(DIVERGED)
        r.write(sure, lead, certain)
        with r.when(r.compare("ne", certain, 0)):
            r.switch(r.read(places, lead), looks, lambda: None)
            r.set(went, r.do("or", r.get(went), r.read(sure, lead)))
        r.set(this, r.read(onward, lead))
    with r.when(r.compare("ne", r.get(went), 0)):
        r.set(this, r.read(onward, threads))
        with r.loop() as leave:
            lead = r.get(this)
            leave(r.compare("eq", lead, threads))
            r.set(this, r.read(onward, lead))
            with r.when(r.compare("ne", r.read(sure, lead), 0)):
                ways = {stop.number: partial(_call_settle, r, stop.number, lead) for stop in exchanges}
                r.switch(r.read(places, lead), ways, lambda: r.give(DIVERGED))


def _call_look(r: _Scheduler, number: int, this: str, sure: str) -> None:
    lead = r.get(this)
    r.write(sure, lead, r.typed(f"call i64 @look.{number}(ptr %group, ptr %env, i64 %first, i64 {lead})"))


def _call_settle(r: _Scheduler, number: int, lead: str) -> None:
    gave = r.typed(f"call i64 @settle.{number}(ptr %group, ptr %env, i64 %first, i64 {lead})")
    with r.when(r.compare("ne", gave, 0)):
        r.give(gave)


def _arrive(kernel: Unattended, shape: WorkgroupExtent, exchanges: list[Stop]) -> str:
    """``void @arrive(ptr group, ptr env, i64 first, i64 thread, i64 of)``: a thread, of the launch group
    ``of``, waits with those who wait with its key."""
    r = _Scheduler(
        "define internal void @arrive(ptr %group, ptr %env, i64 %first, i64 %thread, i64 %of)", kernel, shape
    )
    places, leads, states = (
        r.array(GroupWords.PLACES),
        r.array(GroupWords.LEADS),
        r.array(GroupWords.STATES),
    )
    counts, words, place = r.array(GroupWords.COUNTS), r.words("%thread"), r.read(places, "%thread")
    number = r.do("add", "%first", "%thread")

    def released(exchange: NativeExchange) -> None:
        fence = None if exchange.fence is None else exchange.fence.part(True)
        if fence is not None:
            r.raw([*fenced(r.fresh(), fence, number)])

    releases = {s.number: partial(released, s.exchange) for s in exchanges if s.exchange and s.exchange.fence}
    if releases:
        r.switch(place, releases, lambda: None)
    r.write(states, "%thread", WAITS)
    latest = r.at(r.array(GroupWords.LATEST), "%of")

    def join(lead: str) -> None:
        with r.when(r.compare("eq", r.read(places, lead), place)):
            question = f"call i1 @same(i64 {place}, ptr {words}, ptr {r.words(lead)})"
            with r.when(r.typed(question)):
                r.write(leads, "%thread", lead)
                r.add(r.at(counts, lead), 1)
                r.set(latest, lead)
                r.give("", "void")

    known = r.get(latest)
    with r.when(r.compare("sge", known, 0)):
        join(known)
        begin, end = r.range("%thread")
        with r.each(begin, end) as other:
            waits = r.compare("eq", r.read(states, other), WAITS)
            leading = r.both(waits, r.compare("eq", r.read(leads, other), other))
            with r.when(r.both(leading, r.compare("ne", other, "%thread"))):
                join(other)
    r.write(leads, "%thread", "%thread")
    r.write(counts, "%thread", 1)
    r.set(latest, "%thread")
    onward, before = r.array(GroupWords.NEXT), r.array(GroupWords.PREVIOUS)
    end = r.get(r.word(GroupWords.THREADS))
    last = r.read(before, end)
    r.write(onward, last, "%thread")
    r.write(before, "%thread", last)
    r.write(onward, "%thread", end)
    r.write(before, end, "%thread")
    r.give("", "void")
    return r.text()


def _certain(kernel: Unattended, shape: WorkgroupExtent) -> str:
    """``i64 @certain(ptr group, i64 lead)``: 1 if nobody can come any more, 0 if somebody may, less than 0 if
    that is not known."""
    r = _Scheduler("define internal i64 @certain(ptr %group, i64 %lead)", kernel, shape)
    alive = r.read(r.array(GroupWords.ALIVE), r.group("%lead"))
    with r.when(r.compare("eq", alive, r.read(r.array(GroupWords.COUNTS), "%lead"))):
        r.give(1)
    begin, end = r.range("%lead")
    states, leads, places = (
        r.array(GroupWords.STATES),
        r.array(GroupWords.LEADS),
        r.array(GroupWords.PLACES),
    )
    place, words = r.read(places, "%lead"), r.words("%lead")
    with r.each(begin, end) as other:
        state = r.read(states, other)
        with r.when(r.compare("ne", state, OVER)):
            waits = r.compare("eq", state, WAITS)
            member = r.both(waits, r.compare("eq", r.read(leads, other), "%lead"))
            with r.when(r.typed(f"xor i1 {member}, true")):
                stand = r.do("add", r.do("mul", r.read(places, other), 2), state)
                question = f"i64 {place}, i64 {r.choose(waits, stand, r.do('sub', stand, state))}"
                comes = r.typed(f"call i64 @may.come({question}, ptr {r.words(other)}, ptr {words})")
                with r.when(r.compare("ne", comes, NO)):
                    r.give(r.do("sub", 1, comes))
    r.give(1)
    return r.text()


def is_of_all(exchange: NativeExchange, several: bool) -> bool:
    """As :meth:`~..machine.machine.Machine._is_of_all`: whether all of a workgroup wait there for each
    other."""
    return exchange.workgroup is not None or not several


def looked_at(exchange: NativeExchange, several: bool) -> bool:
    """Whether other threads of the workgroup count than those of the group."""
    ordered = exchange.fence is not None and is_of_all(exchange, several)
    return ordered or (exchange.workgroup is not None and several)


def _look(
    kernel: Unattended, shape: WorkgroupExtent, stop: Stop, exchange: NativeExchange, several: bool
) -> Iterator[str]:
    """``i64 @look.N(ptr group, ptr env, i64 first, i64 lead)``: whether all have come to a barrier; and what
    they had released."""
    if not looked_at(exchange, several):
        return
    head = f"define internal i64 @look.{stop.number}(ptr %group, ptr %env, i64 %first, i64 %lead)"
    r = _Scheduler(head, kernel, shape)
    begin, end = r.workgroup("%lead")
    states, places = r.array(GroupWords.STATES), r.array(GroupWords.PLACES)
    words, here, least = r.words("%lead"), r.variable("here"), [r.variable("least") for _ in Storage]
    for each in least:
        r.set(each, -1)
    r.set(here, 0)
    with r.each(begin, end) as other:
        state = r.read(states, other)
        with r.when(r.compare("ne", state, OVER)):
            come = r.variable("come")
            r.set(come, 0)
            same_place = r.compare("eq", r.read(places, other), stop.number)
            with r.when(r.both(r.compare("eq", state, WAITS), same_place)):
                question = f"call i1 @same(i64 {stop.number}, ptr {words}, ptr {r.words(other)})"
                with r.when(r.typed(question)):
                    r.set(come, 1)
                    r.add(here, 1)
                    its = r.state(r.do("add", "%first", other))
                    for storage, each in zip(Storage, least, strict=True):
                        at = r.typed(f"getelementptr i8, ptr {its}, i64 {RELEASED + storage_offset(storage)}")
                        released, known = r.get(at), r.get(each)
                        r.set(each, r.choose(r.compare("ult", released, known), released, known))
            if exchange.workgroup is not None and several:
                with r.when(r.compare("eq", r.get(come), 0)):
                    r.give(0)
    kept = _least(r)
    for number, each in enumerate(least):
        r.write(kept, number, r.get(each))
    came = r.compare("eq", r.get(here), shape.workgroup)
    r.write(kept, len(least), r.choose(came, 1, 0))
    r.give(1)
    yield r.text()


def _settle(
    kernel: Unattended, shape: WorkgroupExtent, stop: Stop, exchange: NativeExchange, several: bool
) -> str:
    """``i64 @settle.N(ptr group, ptr env, i64 first, i64 lead)``: a group's exchange happens; 0, or why
    native code gives up. As :func:`~..convergence.resolution.d_thread`."""
    number = stop.number
    head = f"define internal i64 @settle.{number}(ptr %group, ptr %env, i64 %first, i64 %lead)"
    r = _Scheduler(head, kernel, shape)
    begin, end = r.range("%lead")
    count = r.read(r.array(GroupWords.COUNTS), "%lead")
    asked, mask = r.variable("asked"), r.variable("mask")
    whole = r.compare("eq", count, r.do("sub", end, begin))

    def part() -> None:
        if exchange.model.uniform is not None:
            r.give(DIVERGED)
        r.add(r.word(GroupWords.PARTS), 1)
        if exchange_is_void(exchange):
            return
        r.set(asked, 1)
        if shape.size <= PartTable.LANES:
            PartTable.look(r, r.array(GroupWords.MASKS), number, masked(), of_part)
        with r.when(r.compare("ne", r.get(asked), 0)):
            ask()

    def masked() -> str:
        """The lanes of the group."""
        r.set(mask, 0)
        with r.each(begin, end) as thread:
            waits = r.compare("eq", r.read(r.array(GroupWords.STATES), thread), WAITS)
            with r.when(r.both(waits, r.compare("eq", r.read(r.array(GroupWords.LEADS), thread), "%lead"))):
                r.set(mask, r.do("or", r.get(mask), r.do("shl", 1, r.do("sub", thread, begin))))
        return r.get(mask)

    def of_part(code: str) -> None:
        parameters = (
            f"ptr {r.words(begin)}, i64 {8 * kernel.words}, ptr %env, i64 {r.do('add', '%first', begin)}"
        )
        r.set(asked, r.typed(f"call i64 {code}({parameters})"))

    def ask() -> None:
        threads = r.array(GroupWords.ASKED)
        gave = r.typed(f"call i64 {threads}(i64 {number}, i64 %first, i64 %lead)")
        with r.when(r.compare("ne", gave, 0)):
            r.give(DIVERGED)

    def all_of_it() -> None:
        if exchange_is_void(exchange):
            return
        words, thread = r.words(begin), r.do("add", "%first", begin)

        def of(size: int) -> None:
            parameters = f"ptr {words}, i64 {8 * kernel.words}, ptr %env, i64 {thread}"
            gave = r.typed(f"call i64 @together.{number}.{size}({parameters})")
            with r.when(r.compare("ne", gave, 0)):
                ask()

        r.switch(count, {size: partial(of, size) for size in lane_counts(shape)}, ask)

    if exchange.model.uniform is not None and exchange.workgroup is not None and several:
        # all of each launch group, and of all of them: one that has ended did not wait
        with r.when(r.compare("eq", r.read(_least(r), len(Storage)), 0)):
            r.give(DIVERGED)
    r.either(whole, all_of_it, part)
    states, leads = r.array(GroupWords.STATES), r.array(GroupWords.LEADS)
    acquire = None if exchange.fence is None else exchange.fence.part(False)
    with r.each(begin, end) as thread:
        waits = r.compare("eq", r.read(states, thread), WAITS)
        with r.when(r.both(waits, r.compare("eq", r.read(leads, thread), "%lead"))):
            place = r.do("add", "%first", thread)
            if exchange.fence is not None and is_of_all(exchange, several):
                _acquires(r, place)
            if acquire is not None:
                r.raw([*fenced(r.fresh(), acquire, place)])
            r.write(states, thread, RUNNING)
            r.push(thread)
    r.add(r.word(GroupWords.EXCHANGES), count)
    onward, before = r.array(GroupWords.NEXT), r.array(GroupWords.PREVIOUS)
    following, last = r.read(onward, "%lead"), r.read(before, "%lead")
    r.write(onward, last, following)
    r.write(before, following, last)
    latest = r.at(r.array(GroupWords.LATEST), r.group("%lead"))
    other = r.variable("other")
    with r.when(r.compare("eq", r.get(latest), "%lead")):
        r.set(other, -1)
        with r.each(begin, end) as thread:
            waits = r.compare("eq", r.read(states, thread), WAITS)
            with r.when(waits):
                r.set(other, r.read(leads, thread))
        r.set(latest, r.get(other))
    r.give(0)
    return r.text()


def _least(r: _Scheduler) -> str:
    """Where it stands what all that came to the lead's barrier had released, and whether all came."""
    return r.at(r.array(GroupWords.LEAST), r.do("mul", "%lead", LEAST_WORDS))


def _acquires(r: _Scheduler, thread: str) -> None:
    """What a thread may acquire, as :meth:`.Encounters.passed`."""
    kept = _least(r)
    with r.when(r.compare("ne", r.read(kept, len(Storage)), 0)):
        state = r.state(thread)
        for number, storage in enumerate(Storage):
            at = r.typed(f"getelementptr i8, ptr {state}, i64 {AHEAD + storage_offset(storage)}")
            least, known = r.read(kept, number), r.get(at)
            r.set(at, r.choose(r.compare("ugt", least, known), least, known))
