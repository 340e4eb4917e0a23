"""The machine whose memory order is a choice (D-MEM) and that waits for no more than D-CAUSE says.

Accesses are issued to a queue per thread, in program order, and performed by later choices; an
exchange neither empties the queue nor holds a thread up before its result is needed. When nothing
else can happen, one choice is made: the next access to perform, or the next group to close.
Choices that commute are not made in both orders: an option that was passed over sleeps until
something happens that it depends on (Godefroid's sleep sets).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ...alignment import StaticInstance
from ...ir import Global
from ...ir import instructions as ir
from ...ir.calls import callee_name
from ...ir.escape import address_place, carried
from ...ir.instructions import operands
from ...rules import Rule
from .. import Ending, Endless, GoesRound, IllegalExecution, NotModelled, UsageError
from ..convergence.rules import (
    Closing,
    PendingGroup,
    Unordered,
    awaited,
    close,
    closings,
    extent,
    may_come,
    waiting,
)
from ..instructions import is_volatile
from ..machine import Log, Performed, Queued
from ..machine.recurrence import facts_of, goes_round, mark_of
from ..memory import Touch, conflict
from ..memory.accesses import (
    Access,
    AccessShape,
    Footprint,
    WritingCallee,
    fill_footprint,
    fill_objects,
    footprint,
    perform,
    performed_as,
)
from ..memory.accesses import Perform as PerformAccess
from ..memory.races import note_races, raced
from ..memory.synchronisation import Clock, IssuedFence, MemoryFence, d_sync, joined
from ..threads import CodeBlock, Exchange, Finish, Frame, Planned, Registers, Runs, Status, Step, Thread
from ..threads.recurrence import DEEPEST, KeptPlace, Lives, own_state
from ..threads.translation import Translation, entering, require_defined, require_executed
from ..values import (
    Composite,
    Later,
    Pending,
    Pointer,
    Undef,
    Unknown,
    Value,
    is_open,
    needed,
    same,
    settle,
    settled,
)
from .speculation import Continuation, Independence, Supposed, WayCheck, depending, join_of, last, region_of
from .watched import SynchronisedMachine

if TYPE_CHECKING:
    from ...ir import Type
    from ...ir.module import Block, Function
    from ..convergence import Key
    from ..instructions.promises import ByvalCopy
    from ..machine import Chooser
    from ..machine.launch import Launch
    from ..machine.program import Program
    from ..memory.allocations import Memory
    from ..threads.step import TurnEnd


class _AtBarrier(NamedTuple):
    """A thread's coming to a barrier of the workgroup: the instance for which it waits, if it does, and
    whether it ``arrives`` there."""

    barrier: str
    key: Key | None
    arrives: bool


class QueuedMachine(SynchronisedMachine):
    """The inventory of :class:`SynchronisedMachine`, and:

    ``queues``     per thread its accesses that were issued and not performed, in program order
    ``sleeping``   those of them that would repeat an execution, each with its thread
    ``unsettled``  per thread the computations that wait for values: they may be undefined behaviour
    ``owed``       the results that members of exchanges wait for
    ``needs``      per blocked thread the value that it needs
    ``private``    stack objects whose address no other thread can know: performing an access to
                   one is no choice; nor is it to a constant (``has_constants``)
    ``mixed``      accesses that others of their thread wait for, although they may be to such objects, with
                   their threads
    ``slots``      those of them in which addresses of such objects may lie (:mod:`convergence.ir.escape`)
    ``raced``      the objects of which a read gave undef, because it raced
    ``effects``    per thread the exchanges with side effects that did not happen yet, in program order,
                   where these are dependences (``by_dependence``, D-DEP)
    ``supposed``   per thread the ways that it supposed and has not left, innermost last
    ``supposed_operands``  the values that a member's coming to an exchange depends on, where it supposed them
    ``guessed``    the closings of groups for which others might still have come, as long as they might;
                   ``only_guesses`` whether there was nothing else to do when one was made
    ``alone``      who runs long, and may go round alone
    ``logs_accesses``  whether someone asks for the order in which accesses are performed
    ``own_variables``  per thread its instances of thread_local variables, which are private, by the variable
    ``performed``  per thread how many accesses to shared memory were performed; ``ordered`` how many of each
                   thread's a thread's next one comes after, by barriers (D-SYNC)
    ``unfinished``  per thread the first barrier of the workgroup for which it waits still, and all at which
                   it arrived or waits behind that one, in program order
    """

    def __init__(self, program: Program, launch: Launch, chooser: Chooser, log: Log | None = None) -> None:
        self.queues: list[deque[IssuedAccess]] = [deque() for _ in range(launch.threads)]
        self.sleeping: dict[IssuedAccess, int] = {}
        self.unsettled: list[list[Pending]] = [[] for _ in range(launch.threads)]
        self.owed: dict[tuple[Key, int], Pending] = {}
        self.needs: dict[int, Pending] = {}
        self.private: set[int] = set()
        self.slots: set[int] = set()
        self.mixed: list[tuple[int, IssuedAccess]] = []
        self.has_constants = any(variable.constant for variable in program.module.globals.values())
        self.raced: dict[str, None] = {}
        self.by_dependence = program.settings.order == "dependence"
        self.effects: list[deque[Key]] = [deque() for _ in range(launch.threads)]
        self.supposed: list[list[Supposed]] = [[] for _ in range(launch.threads)]
        self.supposed_operands: dict[tuple[Key, int], tuple[Pending, ...]] = {}
        self.guessed: list[Guess] = []
        self.only_guesses = False
        self.alone: GoesAlone | None = None
        self.logs_accesses = False
        self.performed = [0] * launch.threads
        self.ordered: list[Clock] = [{} for _ in range(launch.threads)]
        self.unfinished: list[deque[_AtBarrier]] = [deque() for _ in range(launch.threads)]
        super().__init__(program, launch, chooser, log)
        variables = [a for a in self.memory.allocations.values() if a.thread_local]
        self.own_variables = [
            {a.provenance.id: self.memory.instance_number(a, number) for a in variables}
            for number in range(launch.threads)
        ]
        self.private.update(i for instances in self.own_variables for i in instances.values())

    @property
    def supposes_places(self) -> bool:
        """Whether it is supposed of some access that its address, which is to come, is one of its thread's
        own objects."""
        return any(issued.own for queue in self.queues for issued in queue)

    @property
    def passes(self) -> bool:
        """Whether some access may not wait for shared ones that were issued before: one to a private object,
        or to a constant."""
        return bool(self.private) or self.has_constants

    # -- what threads do ------------------------------------------------------------------------------

    def issue(
        self,
        thread: Thread,
        site: StaticInstance,
        prepared: Callable[..., Any],
        operands: tuple[Any, ...],
        has_result: bool,
        volatile: bool,
    ) -> Pending | None:
        """An access joins its thread's queue; its result, if it has one, is to come."""
        require_executed(operands)
        issued = IssuedAccess(site, prepared, operands, Pending(site) if has_result else None)
        self.issued[thread.number] += 1
        issued.order = self.issued[thread.number]
        if self.logs_accesses:
            issued.place = len(self.log)
            self.log.append(Queued(thread.number, site))
        if volatile:
            thread.events += 1
            issued.event = thread.events
        self.queues[thread.number].append(issued)
        return issued.result

    def _watch(self, thread: Thread) -> TurnEnd | None:
        """Where a thread that runs long may come back to alone."""
        if not self.program.settings.recurrence or thread.depth > DEEPEST:
            self.alone = None
            return None
        self.alone = GoesAlone(self, thread, facts_of(self.program).lives)
        return self.alone

    def _came_back(self) -> Ending | None:
        if self.alone is None or not self.alone.goes_round:
            return None
        answer = goes_round(self.program, self.alone.thread, self.alone.mark)
        return Endless((answer,), waiting(self)) if isinstance(answer, GoesRound) else answer

    def release(self, thread: Thread, objects: list[Any]) -> None:
        """A frame's stack objects end, after the accesses before."""
        known = [o for o in objects if o.provenance is not None and o.provenance.id in self.private]
        for some in (known, [o for o in objects if o not in known]):
            if some:
                self.queues[thread.number].append(IssuedAccess(StaticInstance("", 0), None, released=some))

    def fence(self, thread: Thread, site: StaticInstance, fence: MemoryFence) -> None:
        """A fence joins its thread's queue."""
        if fence.orders:
            issued = self.fences.fence(thread.number, fence)
            self.queues[thread.number].append(IssuedAccess(site, None, fence=issued))

    def block(self, thread: Thread, value: Pending, index: int) -> None:
        """A thread cannot go on without a value."""
        self.fired.add(Rule.D_CAUSE)
        self.needs[thread.number] = value
        thread.status, thread.at = Status.BLOCKED, index

    def arrive(
        self, thread: Thread, key: Key, exchange: Exchange, operands: tuple[Any, ...], shown: tuple[Any, ...]
    ) -> Frame | None:
        """A thread comes to an exchange; it goes on until it needs the result."""
        if any(guess.key is key for guess in self.guessed):
            raise wrong(self, f"thread {thread.number} comes to {exchange.name} after it was closed")
        self.come(thread, key, exchange)
        super().arrive(thread, key, exchange, operands, shown)
        frame = thread.frame
        assert frame is not None
        if self.supposed[thread.number]:
            self.supposed_operands[key, thread.number] = tuple(s.value for s in self.supposed[thread.number])
        if exchange.result >= 0:
            frame.registers[exchange.result] = self.owed[key, thread.number] = Pending(exchange.site)
        if exchange.model.effect:
            if self.by_dependence:
                self.effects[thread.number].append(key)
            source = self.owed.get((key, thread.number))
            result = None if source is None else Later(source, exchange.type)
            self.saw_call(thread, exchange.site, exchange.callee, shown, result, key)
        for acquire in exchange.part(release=False):
            self.fence(thread, exchange.site, acquire)
        frame.segment = exchange.after
        thread.status, thread.at = Status.READY, -1
        return frame

    def meet(self, thread: Thread, key: Key, exchange: Exchange, operands: tuple[Any, ...]) -> None:
        super().meet(thread, key, exchange, operands)
        meeting = self.meetings.get((key, thread.number))
        if meeting is not None:
            here = _AtBarrier(meeting.name, key, exchange.model.arrives)
            self.unfinished[thread.number].append(here)

    def signal(self, thread: Thread, name: str, members: int | None) -> None:
        super().signal(thread, name, members)
        if self.unfinished[thread.number]:
            self.unfinished[thread.number].append(_AtBarrier(name, None, True))

    def times_at(self, thread: Thread, name: str) -> int:
        """A thread goes on while it waits, but comes to no barrier behind one for which it waits."""
        behind = islice(self.unfinished[thread.number], 1, None)
        return super().times_at(thread, name) - sum(at.arrives and at.barrier == name for at in behind)

    def is_over(self, thread: Thread) -> bool:
        return super().is_over(thread) and not self.unfinished[thread.number]

    def deliver(self, thread: Thread, group: PendingGroup, value: Any) -> None:
        self.met(thread, group)
        unfinished = self.unfinished[thread.number]
        waited = bool(unfinished) and unfinished[0].key is group.key
        if waited:
            unfinished.popleft()
            while unfinished and unfinished[0].key is None:
                unfinished.popleft()
        if group.exchange.model.effect and self.by_dependence:
            self.effects[thread.number].popleft()
        self.fences.happened(group.key)
        source = self.owed.pop((group.key, thread.number), None)
        if source is not None:
            source.set(value)

    def saw_result(self, thread: Thread, group: PendingGroup, value: Any) -> None:
        """The event was noted on arrival, where it stands in program order."""

    # -- branches that are not waited for (D-DEP) ------------------------------------------------------

    def suppose(self, thread: Thread, frame: Frame, value: Pending, join: CodeBlock) -> bool:
        """The way that a thread goes on, up to ``join``, before it knows the branch's value."""
        self.fired.add(Rule.D_DEP)
        way = self.chooser.choose(f"way of thread {thread.number}", (True, False))
        where = value.where
        self.unsettled[thread.number].append(Pending(where, WayCheck(way), (value,)))
        self.supposed[thread.number].append(Supposed(frame, join, value))
        return way

    def rejoin(self, thread: Thread, join: CodeBlock, phis: Sequence[int]) -> None:
        """A thread comes to the end of ways that it supposed: the join's phis depend on them."""
        supposed, registers = self.supposed[thread.number], thread.frame.registers if thread.frame else []
        while supposed and supposed[-1].frame is thread.frame and supposed[-1].join is join:
            value = supposed.pop().value
            for slot in phis:
                registers[slot] = part = depending(value.where, registers[slot], value)
                self.unsettled[thread.number].append(part)

    # -- what happens next ----------------------------------------------------------------------------

    def complete(self, group: PendingGroup) -> bool:
        """Whether all operands are there; under D-DEP, too, whether its members' earlier effects are over."""
        if not all(d_cause(self, values) for values in group.operands.values()) or not d_dep(self, group):
            return False
        if not super().complete(group) or not self._all_brought(group):
            return False
        if not all(self._is_next(number, group.key) for number in group.operands):
            return False
        group.operands = {t: tuple(map(settled, values)) for t, values in group.operands.items()}
        return True

    def _is_next(self, number: int, key: Key) -> bool:
        """Whether a thread waits for no barrier of the workgroup before the instance, if that is one."""
        unfinished = self.unfinished[number]
        return all(at.key is not key for at in islice(unfinished, 1, None))

    def _all_brought(self, group: PendingGroup) -> bool:
        """Whether all operands of a collective of the workgroup are there."""
        for number in group.operands:
            meeting = self.meetings.get((group.key, number))
            here = {} if meeting is None else self.collectives.get(meeting, {})
            if not all(d_cause(self, each.operands) for each in here.values()):
                return False
            for other, each in here.items():
                here[other] = each._replace(operands=tuple(map(settled, each.operands)))
        return True

    def resolve_certain(self) -> bool:
        """Resolves what needs no choice, wakes who can go on, and performs private accesses."""
        moved = super().resolve_certain()
        for number, value in list(self.needs.items()):
            if not is_open(value):
                del self.needs[number]
                thread = self.threads[number]
                thread.status, thread.at = Status.READY, -1
                thread.epoch += 1
                self.ready.append(thread)
                moved = True
        for number, values in enumerate(self.unsettled):
            if values:
                self.unsettled[number] = [v for v in values if not self._settled_for(number, v)]
        for number, queue in enumerate(self.queues):
            if queue:
                moved = perform_private(self, number) or moved
        return moved

    def _settled_for(self, number: int, value: Pending) -> bool:
        self.acting = number, value.where
        return settle(value)

    def can_perform(self, number: int, issued: IssuedAccess) -> bool:
        """Whether an access's operands are there, so that it can be performed."""
        if issued.access is None and d_cause(self, issued.operands):
            self.acting = number, issued.site
            assert issued.prepared is not None
            issued.access = issued.prepared(*map(settled, issued.operands))
        return issued.access is not None

    def accesses(self) -> list[Perform]:
        """The accesses that could be performed next, sleeping ones included."""
        accesses = []
        for number, queue in enumerate(self.queues):
            issued = d_mem(self, number) if queue else None
            if issued is not None and self.can_perform(number, issued):
                touches = footprint(issued.access, self.memory, number)
                foreign = self.is_foreign(number, touches)
                accesses.append(Perform(number, issued.site, touches, issued, self.ordered[number], foreign))
        return accesses

    def is_foreign(self, number: int, touches: Iterable[Touch]) -> bool:
        """Whether an access of a thread touches a stack object of another thread."""
        objects = (self.memory.allocations.get(touch.object) for touch in touches)
        return any(o is not None and o.owner is not None and o.owner != number for o in objects)

    def go_on(self) -> bool:
        if not (self.pending or self.needs or any(self.queues)):
            return False
        self.guessed = unconfirmed(self)
        groups = closings(self)
        options: list[Perform | Closing] = []
        self.mixed.clear()
        accesses = self.accesses()
        if any(lies_elsewhere(self, issued) for queue in self.queues for issued in queue):
            words = "an address lies elsewhere than was supposed"
            raise IllegalExecution(Rule.D_CAUSE, words, repeats=True)
        if self.mixed:
            number, issued = self.mixed[0]
            issued.own = self.chooser.choose(f"place of thread {number}", (False, True))
            return True
        if not self.guessed:
            options += [a for a in accesses if not a.issued.asleep]
        options += [g for g in groups if not g.guesses]
        certain = bool(options)
        options += worth_a_guess(self, [g for g in groups if g.guesses])
        if not options and self.guessed:
            raise wrong(self, "a group was closed without a thread that waits for what memory holds")
        asleep = bool(self.sleeping) or any(extent(self, g) == g.passed_over for g in self.pending.values())
        if not (certain or self.guessed or asleep):
            self.stuck = waiting(self)
        if not options:
            words = (
                "whatever can happen next was tried before" if asleep else "every thread waits for another"
            )
            raise IllegalExecution(Rule.D_CAUSE, words, repeats=asleep)
        if isinstance(self.chooser, Scheduler):
            taken, before = self.chooser.next(options)
        else:
            taken = options[0] if len(options) == 1 else self.chooser.choose("next", options)
            before = options[: options.index(taken)]
        if isinstance(taken, Closing):
            if taken.guesses:
                self.only_guesses = self.only_guesses or not (certain or self.guessed or asleep)
                late = tuple(t.number for t in awaited(self, taken.pending))
                self.guessed.append(Guess(taken.pending.key, late))
            # a guess that was passed over may be right later, when accesses were performed that it forbids
            close(self, taken, [o for o in before if isinstance(o, Closing) and not o.guesses])
            self._sleep(before, (), False)
        else:
            self._sleep(before, taken.touches, taken.foreign)
            self.queues[taken.thread].remove(taken.issued)
            self.performed[taken.thread] += 1
            self.perform_issued(taken.thread, taken.issued)
        return True

    def _sleep(self, passed_over: list[Perform | Closing], touches: tuple[Touch, ...], foreign: bool) -> None:
        """What was passed over sleeps; what does not commute with what happens now wakes."""
        if not self.program.settings.prune:
            return
        for option in passed_over:
            if isinstance(option, Perform):
                option.issued.asleep = True
                self.sleeping[option.issued] = option.thread
        for issued, number in list(self.sleeping.items()):
            theirs = footprint(issued.access, self.memory, number)
            if foreign or self.is_foreign(number, theirs) or conflict(theirs, touches):
                issued.asleep = False
                del self.sleeping[issued]

    def perform_issued(self, number: int, issued: IssuedAccess) -> None:
        """Does an access: memory changes, or a value has come."""
        thread = self.threads[number]
        if issued.fence is not None:
            self._perform_fence(issued.fence)
            return
        if issued.prepared is None:
            self.memory.release(*issued.released)
            return
        self.acting = number, issued.site
        touched = footprint(issued.access, self.memory, number)
        if self.logs_accesses:
            self.log.append(Performed(number, issued.place, touched))
        shape, touches = performed_as(issued.access, touched, self.memory, number)
        value = perform(issued.access, self.memory, number)
        value = self._raced(number, issued, shape, touches, value)
        if issued.result is not None:
            issued.result.set(value)
        if issued.event:
            self.log_volatile(thread, issued.event, issued.site, issued.access, value)

    def _raced(
        self, number: int, issued: IssuedAccess, shape: AccessShape, touches: tuple[Touch, ...], value: Any
    ) -> Any:
        """What an access gives in view of data races: a read that races gives undef."""
        if issued.objects is not None and issued.objects <= self.private:
            return value
        races, undefined = self.races.performed(number, issued.order, issued.site, shape, touches)
        if races or undefined:
            names = note_races(self.memory, races)
            if undefined:
                self.raced.update(dict.fromkeys(names))
                return raced(issued.access, value, touches, self.memory, self.program.context)
        return value

    def _perform_fence(self, issued: IssuedFence) -> None:
        """A fence: what its thread knows of others from now on, and what it lets them know."""
        thread, storage = issued.thread, issued.fence.storage
        for barrier in issued.barriers:
            for met in [fence for s in storage for fence in barrier.meets(thread, issued.fence, s)]:
                self.ordered[thread] = joined(self.ordered[thread], met.accesses)
        issued.accesses = {**self.ordered[thread], thread: self.performed[thread]}
        self.races.fence(issued)


class GoesAlone(KeptPlace):
    """A thread that comes back to where it was in one turn, without any access, exchange or choice: whatever
    others do, it goes round for ever."""

    def __init__(self, machine: QueuedMachine, thread: Thread, lives: Lives) -> None:
        self.machine = machine
        self.thread = thread
        self.goes_round = False
        self._lives = lives
        super().__init__(thread)

    def keep(self, thread: Thread) -> None:
        super().keep(thread)
        self.mark = mark_of(thread)
        self._last_state = self._state()

    def came_back(self, thread: Thread) -> bool:
        self.goes_round = thread.depth == self.depth and self._state() == self._last_state
        return self.goes_round

    def _state(self) -> Hashable:
        machine, thread = self.machine, self.thread
        done = (
            machine.issued[thread.number],
            machine.choices,
            tuple(thread.calls.items()),
            thread.writing_calls,
        )
        sizes = len(machine.unsettled[thread.number]), len(machine.memory.allocations)
        ordered = machine.order is not None and not isinstance(machine.order, Unordered)
        breaks = ordered or not machine.program.settings.verified  # what it executes: D-ORDER, or D-EQ
        executed = len(thread.keys) if breaks else 0
        return done, sizes, executed, own_state(thread, self._lives, machine.memory)


# -- Memory accesses on their way: issued, to be chosen as what happens next, performed


@dataclass(slots=True, eq=False)
class IssuedAccess:
    """An access in a thread's queue; ``released`` ends stack objects instead when its turn comes, ``fence``
    is a fence.

    ``asleep``: performing it next would repeat an execution that was found before. ``event`` is the number
    of a volatile access among its thread's events, 0 for no volatile one; ``place`` its place in the log,
    where accesses are logged; ``order`` its place in the thread's program order.
    ``objects`` are those that it touches, once they are known, but for constants. ``own`` is whether it was
    supposed to be to objects of its thread alone, where its address is to come.
    """

    site: StaticInstance
    prepared: Callable[..., Any] | None
    operands: tuple[Any, ...] = ()
    result: Pending | None = None
    event: int = 0
    released: list[Any] = field(default_factory=list)
    access: Any = None
    fence: IssuedFence | None = None
    objects: frozenset[int] | None = None
    own: bool | None = None
    asleep: bool = False
    place: int = -1
    order: int = 0


@dataclass(frozen=True, slots=True)
class Perform:
    """The option to perform a thread's next memory access: where it stands, what it touches, how many
    accesses of each thread it comes after by barriers, and whether it touches a ``foreign`` object, of
    another thread's stack: that may end with any step, by which a value comes to an exchange, and its thread
    returns, so that such an access commutes with nothing."""

    thread: int
    operation: StaticInstance
    touches: tuple[Touch, ...]
    issued: IssuedAccess = field(repr=False, compare=False)
    after: Clock = field(repr=False, compare=False)
    foreign: bool = False


class Scheduler(ABC):
    """A chooser that decides by itself in which order the options for what happens next are tried."""

    @abstractmethod
    def next(self, options: list[Perform | Closing]) -> tuple[Perform | Closing, list[Perform | Closing]]:
        """What happens next, and the options that were tried before it."""


def dependent(mine: Perform, theirs: Perform) -> bool:
    """Whether accesses of two threads do not commute."""
    return mine.foreign or theirs.foreign or conflict(mine.touches, theirs.touches)


# -- What waits for what


def d_cause(machine: QueuedMachine, values: Iterable[Any]) -> bool:
    """No access to shared memory is its own cause, by the order of accesses, dependence, and the exchange of
    data.

    So an access, or a member of an exchange, waits until the values that it depends on have come.
    """
    for value in values:
        if value.__class__ is Pending and not settle(value):
            machine.fired.add(Rule.D_CAUSE)
            return False
    return True


def d_dep(machine: QueuedMachine, group: PendingGroup) -> bool:
    """For refinement a free choice is legal if dependence, carried across converged exchanges, is acyclic.

    So an exchange waits until what its members supposed before they came is settled, and, if it has side
    effects, until their earlier ones with side effects are over.
    """
    held = (machine.supposed_operands.get((group.key, number), ()) for number in group.operands)
    ready = not (machine.supposed_operands and any(is_open(value) for values in held for value in values))
    if ready and machine.by_dependence and group.exchange.model.effect:
        ready = all(machine.effects[number][0] is group.key for number in group.operands)
    if not ready:
        machine.fired.add(Rule.D_DEP)
    return ready


# -- What a thread's queue lets happen next: its own memory by dependence, shared memory in program order
# An object that no other thread can know is like registers: accesses to it wait for what they need and for
# earlier ones to the same object, and no access to anything else waits for them (D-MEM orders what threads
# may share). So neither is a choice, and a program means the same with its state in allocas or in phis.


def perform_private(machine: QueuedMachine, number: int) -> bool:
    """Performs what needs no choice: accesses to private objects, the ends of stack objects, and fences: they
    change no memory, and whoever waits for one comes after it whenever it is performed."""
    moved = False
    while True:
        free, _ = _front(machine, number)
        for issued in free:
            machine.queues[number].remove(issued)
            machine.perform_issued(number, issued)
        moved = moved or bool(free)
        if not free:
            return moved


def d_mem(machine: QueuedMachine, number: int) -> IssuedAccess | None:
    """One total order of all accesses extends each thread's program order; a read returns the last earlier
    write.

    So of each thread one access is next in the order of shared memory, whether its operands are there or
    not; ``None`` if it has none, or one that may touch what earlier accesses wait for."""
    return _front(machine, number)[1]


def _front(machine: QueuedMachine, number: int) -> tuple[list[IssuedAccess], IssuedAccess | None]:
    """What needs no choice now, in program order, and the next shared access."""
    free: list[IssuedAccess] = []
    first: IssuedAccess | None = None
    waiting = set[int]()  # private objects whose accesses wait
    shared = False  # whether a shared access waits
    mixed: IssuedAccess | None = None  # one that may be none, where nobody has supposed yet whether it is
    for issued in machine.queues[number]:
        if issued.fence is not None:
            if mixed is not None:
                machine.mixed.append((number, mixed))
            if not shared and d_sync(issued.fence):
                free.append(issued)
            else:
                shared = True
                if not machine.passes:
                    break
            continue
        if issued.prepared is None:
            ended = {p.provenance.id for p in issued.released if p.provenance is not None}
            if not ended & waiting and not (shared and ended - machine.private):
                free.append(issued)
            continue
        ready = machine.can_perform(number, issued)
        reach = _reach(machine, number, issued)
        if mixed is not None and (reach is None or reach.shared):
            machine.mixed.append((number, mixed))
        if reach is None:  # it may touch anything: it keeps its place among all
            return free, issued if not shared and not waiting and not free else first
        if not reach.shared:
            if ready and not reach.private & waiting:
                free.append(issued)
            else:
                waiting |= reach.private
            continue
        if not shared and not reach.private & waiting:
            first = issued
        if mixed is None and reach.private and issued.own is None and not ready:
            mixed = issued
        shared = True
        waiting |= reach.private
        if not machine.passes:
            break
    return free, first


class AccessReach(NamedTuple):
    """What an access touches or may touch: ``private`` objects, and whether ``shared`` memory, too."""

    private: frozenset[int]
    shared: bool


def _reach(machine: QueuedMachine, number: int, issued: IssuedAccess) -> AccessReach | None:
    """What an access reaches, as far as it is known; ``None`` where it may touch anything."""
    known = issued.access is not None
    objects = _objects(machine, number, issued) if known else _object_to_come(machine, number, issued)
    if lies_elsewhere(machine, issued):
        return None
    if objects is not None:
        return AccessReach(objects & machine.private, not objects <= machine.private)
    return None if known else _reach_to_come(machine, number, issued)


def lies_elsewhere(machine: QueuedMachine, issued: IssuedAccess) -> bool:
    """Whether an access was supposed to be to its thread's own objects, and is not."""
    objects = issued.objects
    return bool(issued.own and objects is not None and not (objects and objects <= machine.private))


def _objects(machine: QueuedMachine, number: int, issued: IssuedAccess) -> frozenset[int] | None:
    """The objects that an access touches but for constants, which nobody changes; ``None`` for one that
    touches no bytes: it may end objects, or be undefined."""
    if issued.objects is None:
        touches = footprint(issued.access, machine.memory, number)
        if not touches:
            return None
        known = {t.object: machine.memory.allocations.get(t.object) for t in touches}
        issued.objects = frozenset(o for o, a in known.items() if a is None or not a.constant)
    return issued.objects


_ADDRESS = {ir.Load: 0, ir.Store: 1, ir.AtomicRMW: 0, ir.CmpXchg: 0}
"""Which operand of an access is its address."""


def _address_place(instruction: ir.Instruction) -> int | None:
    if isinstance(instruction, ir.CallSite):
        return address_place(callee_name(instruction) or "")
    return _ADDRESS.get(type(instruction))


def _object_to_come(machine: QueuedMachine, number: int, issued: IssuedAccess) -> frozenset[int] | None:
    """The object that an access will touch whose address is known; ``None`` where that is not known."""
    site = issued.site
    instruction = machine.program.module.functions[site.function].instructions[site.index]
    place = _address_place(instruction)
    if place is None:
        return None
    assert len(issued.operands) == len(operands(instruction))
    address = issued.operands[place]
    if is_open(address):
        return None
    pointer = settled(address)
    if not isinstance(pointer, Value) or pointer.provenance is None:
        return None
    identity = pointer.provenance.id
    return frozenset([machine.own_variables[number].get(identity, identity)])


def _reach_to_come(machine: QueuedMachine, number: int, issued: IssuedAccess) -> AccessReach | None:
    """What an access reaches whose address is to come.

    A private stack object's address is nowhere but in registers and slots (:mod:`convergence.ir.escape`): no
    exchange gives it, and no read but one of a slot. So what is to come is such an address only if it is
    computed from one, or loaded from where it may lie. That of a thread_local variable may come from
    anywhere."""
    own = machine.own_variables[number]
    module, escapes = machine.program.module, machine.program.escapes
    function = module.functions[issued.site.function]
    instruction = function.instructions[issued.site.index]
    place = _address_place(instruction)
    address = None if place is None else operands(instruction)[place]
    base = None if address is None else escapes.base(function, address)
    if isinstance(base, Global) and not own:
        return AccessReach(frozenset(), not module.globals[base.name].constant)
    private: set[int] = set()
    reads = isinstance(instruction, ir.Load)  # else what is a constant is undefined, and in its place
    shared = place is None and not _has_addresses(machine, instruction)
    seen = set[int]()
    work = list(issued.operands) if place is None else [issued.operands[place]]
    while work:
        top = settled(work.pop())
        if isinstance(top, Pending):
            if isinstance(top.evaluate, Continuation):  # it has registers of its own
                return None
            if id(top) in seen:
                continue
            seen.add(id(top))
            sources = _sources(machine, number, top)
            shared = shared or sources is None
            work += top.operands if sources is None else sources
        elif isinstance(top, Composite):
            work += top.elements
        elif isinstance(top, Pointer):
            identity = None if top.provenance is None else top.provenance.id
            if identity in machine.private:
                private.add(identity)
            else:
                shared = shared or identity is None or not (reads and _is_constant(machine, identity))
        elif not isinstance(top, Undef):  # a number that lies in a slot may be any address
            shared = True
    if shared:
        private.update(own.values())
    return AccessReach(frozenset(private), shared and not (issued.own and private))


_AT_POINTERS = ("llvm.memcpy.", "llvm.memmove.", "llvm.masked.gather.", "llvm.masked.scatter.")


def _has_addresses(machine: QueuedMachine, instruction: ir.Instruction) -> bool:
    """Whether an access with more than one address is where pointers among its operands point, and nowhere
    else; that of a call of a defined function copies an argument (``byval``)."""
    name = callee_name(instruction) if isinstance(instruction, ir.CallSite) else None
    function = None if name is None else machine.program.module.functions.get(name)
    return function is not None and (not function.is_declaration or function.name.startswith(_AT_POINTERS))


def _sources(machine: QueuedMachine, number: int, value: Pending) -> Sequence[Any] | None:
    """The values into whose objects what is to come points, if it is a pointer; ``None`` for one that may
    come from elsewhere."""
    evaluate = value.evaluate
    if evaluate is None:
        return _in_slot(machine, number, value)
    if evaluate is same:
        return value.operands
    if evaluate is last:
        return value.operands[-1:]
    places = machine.program.carriers.get(evaluate)
    return None if places is None else [value.operands[place] for place in places]


def _in_slot(machine: QueuedMachine, number: int, value: Pending) -> Sequence[Any] | None:
    """The values of which a load from a slot will give one or parts: what lies there, and what its thread
    stores there before, but for what it stores over wholly. They are all: a slot is accessed only where its
    address is known. ``None`` for another load."""
    queue = machine.queues[number]
    place = next((place for place, issued in enumerate(queue) if issued.result is value), None)
    part = None if place is None else _part_of_slot(machine, number, queue[place])
    if part is None:
        return None
    sources: list[Any] = []
    for issued in list(islice(queue, place))[::-1]:
        if issued.result is not None or issued.prepared is None:
            continue
        stored = _part_of_slot(machine, number, issued)
        if stored is not None and stored.slot == part.slot and _overlap(stored, part):
            sources.append(issued.operands[0])
            if stored.start <= part.start and part.stop <= stored.stop:
                return sources
    allocation = machine.memory.allocations.get(part.slot)
    cells = (allocation and allocation.cells) or ()
    return [*sources, *{id(piece): piece.value for piece in cells[part.start : part.stop]}.values()]


class SlotPart(NamedTuple):
    """The bytes of a slot, from ``start`` to before ``stop``."""

    slot: int
    start: int
    stop: int


def _part_of_slot(machine: QueuedMachine, number: int, issued: IssuedAccess) -> SlotPart | None:
    """The part of a slot that a load or store is of."""
    instruction = machine.program.module.functions[issued.site.function].instructions[issued.site.index]
    match instruction:
        case ir.Load(type=type_):
            address = settled(issued.operands[0])
        case ir.Store(value=value):
            address, type_ = settled(issued.operands[1]), value.type
        case _:
            return None
    provenance = address.provenance if isinstance(address, Pointer) else None
    if provenance is None or provenance.id not in machine.slots:
        return None
    start = address.bits - provenance.base
    return SlotPart(provenance.id, start, start + machine.program.layout.store_size(type_))


def _overlap(a: SlotPart, b: SlotPart) -> bool:
    return a.start < b.stop and b.start < a.stop


def _is_constant(machine: QueuedMachine, identity: int) -> bool:
    allocation = machine.memory.allocations.get(identity)
    return allocation is not None and allocation.constant


# -- Groups that are closed although another thread might still have come, where the memory order is a choice
#
# D-CAUSE asks that no access to shared memory is its own cause: neither by what threads read, nor by who
# stays away from an exchange. A circle of exchanges and branches alone is none of that: there a thread stays
# away from a group because of something that the group's result has brought about, and keys and columns are
# all that says whether that is legal (D-EQ, D-ORDER). Such a circle has no access in it, so it can always be
# run as one stretch: a group is closed by guess, and until everyone who was waited for can come no more, no
# shared access is performed. If one of them comes, or waits for a read, the run is no execution.


@dataclass(frozen=True, slots=True)
class Guess:
    """A group, with ``key``, that was closed although ``threads`` might still have come to it."""

    key: Key
    threads: tuple[int, ...]


def unconfirmed(machine: QueuedMachine) -> list[Guess]:
    """The guesses of which it is not certain yet that they were right."""

    def may(number: int, key: Key) -> bool:
        thread = machine.threads[number]
        return thread.alive and may_come(machine, thread, key, by_choice=False)

    return [g for g in machine.guessed if any(may(number, g.key) for number in g.threads)]


def worth_a_guess(machine: QueuedMachine, options: Sequence[Closing]) -> list[Closing]:
    """The closings by guess that can be confirmed: none that waits for a thread which waits for a read."""
    if not options or machine.order is None:  # nobody has to guess (semantics.md, §2, fact 2)
        return []
    reads = {
        id(issued.result): (number, place)
        for number, queue in enumerate(machine.queues)
        for place, issued in enumerate(queue)
        if issued.result is not None
    }
    owed = {id(value): key for (key, _), value in machine.owed.items()}
    return [
        option
        for option in options
        if not any(
            _needs_a_read(machine, machine.needs.get(thread.number), reads, owed)
            for thread in awaited(machine, option.pending)
        )
    ]


def _needs_a_read(
    machine: QueuedMachine, value: Any, reads: dict[int, tuple[int, int]], owed: dict[int, Key]
) -> bool:
    """Whether a value cannot come before some access is performed that is a choice, whatever groups are
    closed. ``reads``: whose queue the read stands in that gives a value, and at which place."""
    work, known = [value], set[int]()
    while work:
        top = work.pop()
        if top.__class__ is not Pending or top.ready or id(top) in known:
            continue
        known.add(id(top))
        if (read := reads.get(id(top))) is not None:
            accesses = _before_private_read(machine, *read)
            if accesses is None:
                return True
            work += (v for issued in accesses for v in issued.operands)
        work += top.operands
        key = owed.get(id(top))
        if key is not None and key in machine.pending:
            work += _operands(machine, key)
    return False


def _before_private_read(machine: QueuedMachine, number: int, place: int) -> list[IssuedAccess] | None:
    """A read of an object that no other thread can know, and the accesses that come before it, which are no
    choices either; ``None`` for one that waits for shared memory."""
    *earlier, read = islice(machine.queues[number], place + 1)
    touched = _reach(machine, number, read)
    if touched is not None and touched.shared:
        return None
    accesses = [read]
    for issued in earlier:
        if issued.prepared is None:
            continue
        reach = _reach(machine, number, issued)
        if reach is None or touched is None or reach.private & touched.private:
            if reach is not None and reach.shared:
                return None
            accesses.append(issued)
    return accesses


def _operands(machine: QueuedMachine, key: Key) -> Iterable[Any]:
    return [v for values in machine.pending[key].operands.values() for v in values]


def wrong(machine: QueuedMachine, words: str) -> IllegalExecution:
    """A guess cannot be confirmed any more. Where there were other ways to go on, those show what this run
    would have shown."""
    return IllegalExecution(Rule.D_CAUSE, words, repeats=not machine.only_guesses)


# -- Prepared code that waits for values only where they are needed (D-CAUSE)
#


def machine_of(thread: Thread) -> QueuedMachine:
    return cast("QueuedMachine", thread.environment)


class QueuedTranslation(Translation):
    """Steps on values to come give values to come; accesses are issued, branches wait."""

    def __init__(self, program: Program, function: Function) -> None:
        self._joins: dict[int, CodeBlock] = {}
        super().__init__(program, function)

    def stands_alone(self, block: Block, instruction: ir.Instruction) -> bool:
        """What may wait can be tried again."""
        return instruction is block.terminator or isinstance(instruction, ir.CallSite)

    def compiled(self) -> None:
        if self.program.settings.joins:
            for join in self._joins.values():
                self._rejoins(join)

    def evaluate(self, instruction: ir.Instruction) -> Callable[..., Any] | None:
        evaluate = super().evaluate(instruction)
        places = carried(instruction)
        if evaluate is not None and places is not None:
            self.program.carriers[evaluate] = places
        return evaluate

    def pure(self, evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int) -> Step:
        def step(r: Registers) -> None:
            self.compute(r, evaluate, slots, slot)

        if self.program.settings.order != "dependence" or slot < 0:
            return self._known(evaluate, slots, slot, step)
        program = self.program

        def independent(r: Registers) -> None:
            """Under D-DEP a value does not wait for what cannot change it."""
            step(r)
            value = r[slot]
            if value.__class__ is not Pending or value.ready:
                return
            if not program.settings.joins:  # whether there may be more executions with joins: no proof yet
                if not program.waits_at_joins:
                    suspects = self._independence.suspects(slot)
                    program.waits_at_joins = any(is_open(r[s]) for s in suspects)
                return
            reduced = self._independence.of(slot)
            if reduced is not None and any(is_open(r[s]) for s in reduced.without):
                self.compute(r, reduced.evaluate, reduced.slots, slot)

        return self._known(evaluate, slots, slot, independent)

    @staticmethod
    def _known(evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int, step: Step) -> Step:
        """A step that is this one, for values that are there, as most are."""
        if slot < 0 or not 1 <= len(slots) <= 2:
            return step
        first, second = slots[0], slots[-1]
        if len(slots) == 1:

            def unary(r: Registers) -> None:
                a = r[first]
                if a.__class__ is Value:
                    r[slot] = evaluate(a)
                else:
                    step(r)

            return unary

        def binary(r: Registers) -> None:
            a, b = r[first], r[second]
            if a.__class__ is Value and b.__class__ is Value:
                r[slot] = evaluate(a, b)
            else:
                step(r)

        return binary

    @cached_property
    def _independence(self) -> Independence:
        return Independence(self)

    def compute(self, r: Registers, evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int) -> Any:
        values: list[Any] = []
        unknown: Unknown | None = None
        waits = False
        for s in slots:  # this is where runs spend their time
            operand = r[s]
            if operand.__class__ is Pending:
                if operand.ready:
                    operand = operand.value
                else:
                    waits = True
            if operand.__class__ is Unknown and unknown is None:
                unknown = operand
            values.append(operand)
        if unknown is not None:
            value: Any = unknown
        elif waits:
            require_executed(values)  # later nobody would know whose fault it is
            thread: Thread = r[0]
            value = Pending(self._here(thread), evaluate, tuple(values))
            machine_of(thread).unsettled[thread.number].append(value)
        else:
            value = evaluate(*values)
        if slot >= 0:
            r[slot] = value
        return value

    def _here(self, thread: Thread) -> StaticInstance:
        """Where the thread is, near enough for a message: the instruction that its segment ends with."""
        assert thread.frame is not None
        return StaticInstance(self.code.name, thread.frame.segment.last)

    def defined(self, slots: tuple[int, ...], what: str) -> Step:
        def every(*values: Any) -> None:
            for value in values:
                require_defined(value, what)

        def check(r: Registers) -> None:
            known = tuple(s for s in slots if r[s].__class__ is not Unknown)
            self.compute(r, every, known, -1)

        return check

    def needing(self, slot: int, index: int, finish: Finish) -> Finish:
        def wait(thread: Thread, frame: Frame) -> Frame | None:
            value = frame.registers[slot]
            if value.__class__ is Pending:
                if is_open(value):
                    machine_of(thread).block(thread, value, index)
                    return None
                frame.registers[slot] = value.value
            return finish(thread, frame)

        return wait

    def branch(self, block: Block, slot: int, index: int, then: Finish, otherwise: Finish) -> Finish:
        """Under D-DEP what follows the join of a branch over computations need not wait for it."""
        wait = super().branch(block, slot, index, then, otherwise)
        if self.program.settings.order != "dependence":
            return wait
        region = region_of(self, block)
        if region is None:
            return self._supposing(block, slot, wait, then, otherwise)
        follow, program = entering(region.join), self.program

        def go_on(thread: Thread, frame: Frame) -> Frame | None:
            value = frame.registers[slot]
            if value.__class__ is Pending and is_open(value):
                if program.settings.joins:
                    region.pass_over(machine_of(thread).unsettled, thread.number, frame)
                    return follow(thread, frame)
                program.waits_at_joins = True
            return wait(thread, frame)

        return go_on

    def _supposing(self, block: Block, slot: int, wait: Finish, then: Finish, otherwise: Finish) -> Finish:
        """As :meth:`branch`, where there are operations before the join."""
        join = join_of(self, block)
        if join is None:
            return wait
        self._joins[join.number] = join
        program = self.program

        def go_on(thread: Thread, frame: Frame) -> Frame | None:
            value = frame.registers[slot]
            if value.__class__ is Pending and is_open(value):
                if program.settings.joins:
                    way = machine_of(thread).suppose(thread, frame, value, join)
                    return (then if way else otherwise)(thread, frame)
                program.waits_at_joins = True
            return wait(thread, frame)

        return go_on

    def _rejoins(self, join: CodeBlock) -> None:
        """A step before all others of a block in which ways that were supposed come together."""
        block, entry = self.function.blocks[join.number], join.entry
        phis = [self.result(i) for i in block.instructions if isinstance(i, ir.Phi)]

        def step(r: Registers) -> None:
            machine_of(r[0]).rejoin(r[0], join, phis)

        entry.steps = (step, *entry.steps)
        entry.indices = (entry.first, *entry.indices)
        entry.slots = (-1, *entry.slots)

    def plain_value(self, value: Any, type_: Type) -> Any:
        return Later(value, type_) if is_open(value) else super().plain_value(settled(value), type_)

    def alloca(self, instruction: ir.Alloca) -> Step:
        allocate, slots, slot = (
            super().alloca(instruction),
            self.slots(operands(instruction)),
            self.result(instruction),
        )
        name = instruction.result
        escapes = self.program.escapes
        private = name is not None and not escapes.escapes(self.function, name)
        holds_addresses = name is not None and escapes.loads_of_slot(self.function, name) is not None

        def step(r: Registers) -> None:
            for s in slots:
                if is_open(r[s]):
                    raise NotModelled("an alloca whose size is still to come")
                r[s] = settled(r[s])
            allocate(r)
            if private:
                machine, identity = machine_of(r[0]), r[slot].provenance.id
                machine.private.add(identity)
                if holds_addresses:
                    machine.slots.add(identity)

        return step

    def access(self, index: int, instruction: ir.Instruction, prepared: Callable[..., Any]) -> Planned:
        slots, slot = self.slots(operands(instruction)), self.result(instruction)
        volatile, site = is_volatile(instruction), StaticInstance(self.code.name, index)
        name = (callee_name(instruction) if isinstance(instruction, ir.CallSite) else None) or ""
        if name.startswith("llvm.stacksave"):  # objects are allocated at once, whatever waits
            return super().access(index, instruction, prepared)
        restores = name.startswith("llvm.stackrestore")

        def step(r: Registers) -> None:
            values = tuple([settled(r[s]) for s in slots])
            if restores:  # what is allocated from now on stays, whenever that is done
                objects = r[0].memory.own_objects(r[0].number)
                if not objects:
                    return
                values = (*values, *objects)
            for value in values:
                if isinstance(value, Unknown):
                    raise UsageError(needed(value, f"a memory access in @{self.code.name}"))
            source = machine_of(r[0]).issue(r[0], site, prepared, values, slot >= 0, volatile)
            if slot >= 0:
                r[slot] = source

        return Runs(step)

    def dependence(self, r: Registers, index: int, pointers: tuple[int, ...], where: frozenset[str]) -> Any:
        """A call that reads memory has its place among its thread's accesses, and races with nobody's."""
        thread: Thread = r[0]
        if thread.memory.watcher is None or where.isdisjoint(("argmem", "other")):
            return super().dependence(r, index, pointers, where)
        calls = dict(thread.writing_calls)

        def see(access: Access, memory: Memory, number: int) -> Any:
            return memory.watcher.dependence(number, calls, access.operands, where)

        return self._among_accesses(r, index, pointers, see, True)

    def called(self, r: Registers, index: int, pointers: tuple[int, ...]) -> None:
        thread: Thread = r[0]

        def write(access: Access, memory: Memory, number: int) -> Any:
            memory.watcher.called(number, access.operands)

        if thread.memory.watcher is not None:
            self._among_accesses(r, index, pointers, write, False)

    def fill(self, r: Registers, index: int, writer: WritingCallee, slots: tuple[int, ...]) -> None:
        def fill(access: Access, memory: Memory, number: int) -> None:
            fill_objects(memory, number, writer, access.operands)

        def footprint(access: Access, memory: Memory, number: int) -> tuple[Touch, ...]:
            return fill_footprint(memory, writer, access.operands)

        self._among_accesses(r, index, slots, fill, False, footprint)

    def _among_accesses(
        self,
        r: Registers,
        index: int,
        pointers: tuple[int, ...],
        do: PerformAccess,
        has_result: bool,
        writes: Footprint | None = None,
    ) -> Any:
        values = tuple([settled(r[s]) for s in pointers])
        shape = AccessShape("call", False, False, do)
        if writes is not None:
            shape = AccessShape("call", False, True, do, footprint=writes)
        site = StaticInstance(self.code.name, index)
        return machine_of(r[0]).issue(
            r[0], site, lambda *known: Access(shape, None, known), values, has_result, False
        )

    def copy_argument(self, thread: Thread, index: int, copy: ByvalCopy, source: Any) -> Any:
        """The copy is an access like any other: it is issued, and performed by a later choice."""
        own = copy.allocate(thread.memory, thread.number)
        if not copy.escapes and own.provenance is not None:
            machine_of(thread).private.add(own.provenance.id)
        site = StaticInstance(self.code.name, index)
        machine_of(thread).issue(thread, site, copy.access, (own, settled(source)), False, False)
        return own
