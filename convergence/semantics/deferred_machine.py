"""The machine whose memory order is a choice (D-MEM) and that waits for no more than D-CAUSE says.

Accesses are issued to a queue per thread, in program order, and performed by later choices; an
exchange neither empties the queue nor holds a thread up before its result is needed. When nothing
else can happen, one choice is made: the next access to perform, or the next group to close.
Choices that commute are not made in both orders: an option that was passed over sleeps until
something happens that it depends on (Godefroid's sleep sets).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from ..alignment.instances import StaticInstance
from ..rules import Rule
from .choice import Chooser
from .closing import Closing, awaited, close, closings, waiting
from .deferred import Deferred, Later, is_open, settle, settled
from .deferred_accesses import Issued, Perform, Performed, Scheduler, conflict
from .deferred_guesses import Guess, unconfirmed, worth_a_guess, wrong
from .deferred_private import first_shared, perform_private
from .deferred_supposed import Checked, Supposed, depending
from .errors import IllegalExecution
from .exchanges import Exchange
from .frames import CodeBlock, Frame
from .groups import PendingGroup
from .instructions import Touch, footprint, perform
from .keys import Key
from .launch import Launch
from .machine import Machine
from .program import Program
from .races import Races
from .threads import Status, Thread
from .trace import Tracer
from .values import Composite, RuntimeValue
from .values_of_types import undef


class DeferredMachine(Machine):
    """The inventory of :class:`Machine`, and:

    ``queues``     per thread its accesses that were issued and not performed, in program order
    ``unsettled``  per thread the computations that wait for values: they may be undefined behaviour
    ``owed``       the results that members of exchanges wait for
    ``needs``      per blocked thread the value that it needs
    ``private``    stack objects whose address no other thread can know: performing an access to
                   one is no choice
    ``raced``      the objects of which a read gave undef, because it raced
    ``effects``    per thread the exchanges with side effects that did not happen yet, in program order,
                   where these are dependences (``by_dependence``, D-DEP)
    ``supposed``   per thread the ways that it supposed and has not left, innermost last
    ``held``       the values that a member's coming to an exchange depends on, where it supposed them
    ``guessed``    the closings of groups for which others might still have come, as long as they might;
                   ``only_guesses`` whether there was nothing else to do when one was made
    ``performed``  the accesses in the order in which they were performed, where someone asks for it
    """

    def __init__(
        self, program: Program, launch: Launch, chooser: Chooser, tracer: Tracer | None = None
    ) -> None:
        self.queues: list[deque[Issued]] = [deque() for _ in range(launch.threads)]
        self.unsettled: list[list[Deferred]] = [[] for _ in range(launch.threads)]
        self.owed: dict[tuple[Key, int], Deferred] = {}
        self.needs: dict[int, Deferred] = {}
        self.private: set[int] = set()
        self.raced: dict[str, None] = {}
        self.by_dependence = program.settings.order == "dependence"
        self.effects: list[deque[Key]] = [deque() for _ in range(launch.threads)]
        self.supposed: list[list[Supposed]] = [[] for _ in range(launch.threads)]
        self.held: dict[tuple[Key, int], tuple[Deferred, ...]] = {}
        self.guessed: list[Guess] = []
        self.only_guesses = False
        self.performed: list[Performed] | None = None
        self.races = Races(launch.threads)
        super().__init__(program, launch, chooser, tracer)

    # -- what threads do ------------------------------------------------------------------------------

    def issue(
        self,
        thread: Thread,
        site: StaticInstance,
        prepared: Callable[..., Any],
        operands: tuple[Any, ...],
        has_result: bool,
        volatile: bool,
    ) -> Deferred | None:
        """An access joins its thread's queue; its result, if it has one, is to come."""
        issued = Issued(site, prepared, operands, Deferred(site) if has_result else None)
        if self.performed is not None:
            assert thread.frame is not None
            issued.visit, issued.records = thread.frame.visit, len(thread.records)
        if volatile:
            issued.event = len(thread.events)
            thread.events.append(None)
        self.queues[thread.number].append(issued)
        return issued.result

    def release(self, thread: Thread, objects: list[Any]) -> None:
        """A frame's stack objects end, after the accesses before."""
        known = [o for o in objects if o.provenance is not None and o.provenance.id in self.private]
        for some in (known, [o for o in objects if o not in known]):
            if some:
                self.queues[thread.number].append(Issued(StaticInstance("", 0), None, released=some))

    def block(self, thread: Thread, value: Deferred, index: int) -> None:
        """A thread cannot go on without a value."""
        self.needs[thread.number] = value
        thread.status, thread.at = Status.BLOCKED, index

    def arrive(
        self, thread: Thread, key: Key, exchange: Exchange, operands: tuple[Any, ...], shown: tuple[Any, ...]
    ) -> Frame | None:
        """A thread comes to an exchange; it goes on until it needs the result."""
        if any(guess.key is key for guess in self.guessed):
            raise wrong(self, f"thread {thread.number} comes to {exchange.name} after it was closed")
        super().arrive(thread, key, exchange, operands, shown)
        frame = thread.frame
        assert frame is not None
        if self.supposed[thread.number]:
            self.held[key, thread.number] = tuple(s.value for s in self.supposed[thread.number])
        if exchange.result >= 0:
            frame.registers[exchange.result] = self.owed[key, thread.number] = Deferred(exchange.site)
        if exchange.model.effect:
            if self.by_dependence:
                self.effects[thread.number].append(key)
            source = self.owed.get((key, thread.number))
            result = None if source is None else Later(source, exchange.type)
            self.saw_call(thread, exchange.site, exchange.callee, shown, result, key)
        frame.segment = exchange.after
        thread.status, thread.at = Status.READY, -1
        return frame

    def event_number(self, thread: Thread, key: Key) -> int:
        return self.seen.number(key, thread)

    def deliver(self, thread: Thread, group: PendingGroup, value: Any) -> None:
        if group.exchange.model.effect and self.by_dependence:
            self.effects[thread.number].popleft()
        self.races.exchanged([t.number for t in self.members_of(group.launch)])
        source = self.owed.pop((group.key, thread.number), None)
        if source is not None:
            source.set(value)

    def saw_result(self, thread: Thread, group: PendingGroup, value: Any) -> None:
        """The event was noted on arrival, where it stands in program order."""

    # -- branches that are not waited for (D-DEP) ------------------------------------------------------

    def suppose(self, thread: Thread, frame: Frame, value: Deferred, join: CodeBlock) -> bool:
        """The way that a thread goes on, up to ``join``, before it knows the branch's value."""
        way = self.chooser.choose(f"way of thread {thread.number}", (True, False))
        where = value.where
        self.unsettled[thread.number].append(Deferred(where, Checked(way), (value,)))
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
        if any(is_open(v) for values in group.operands.values() for v in values):
            return False
        if self.held and any(is_open(v) for t in group.operands for v in self.held.get((group.key, t), ())):
            return False
        if group.exchange.model.effect and self.by_dependence:
            if any(self.effects[number][0] is not group.key for number in group.operands):
                return False
        group.operands = {t: tuple(map(settled, values)) for t, values in group.operands.items()}
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

    def _settled_for(self, number: int, value: Deferred) -> bool:
        self.acting = number, value.where
        return settle(value)

    def can_perform(self, number: int, issued: Issued) -> bool:
        """Whether an access's operands are there, so that it can be performed."""
        if issued.access is None and not any(map(is_open, issued.operands)):
            self.acting = number, issued.site
            assert issued.prepared is not None
            issued.access = issued.prepared(*map(settled, issued.operands))
        return issued.access is not None

    def accesses(self) -> list[Perform]:
        """The accesses that could be performed next, sleeping ones included."""
        found = []
        for number, queue in enumerate(self.queues):
            issued = first_shared(self, number) if queue else None
            if issued is not None and self.can_perform(number, issued):
                touches = footprint(issued.access, self.memory, number)
                found.append(Perform(number, issued.site, touches, issued))
        return found

    def go_on(self) -> bool:
        if not (self.pending or self.needs or any(self.queues)):
            self._finish()
            return False
        self.guessed = unconfirmed(self)
        groups = closings(self)
        options: list[Perform | Closing] = []
        if not self.guessed:
            options += [a for a in self.accesses() if not a.issued.asleep]
        options += [g for g in groups if not g.guesses]
        certain = bool(options)
        options += worth_a_guess(self, [g for g in groups if g.guesses])
        if not options and self.guessed:
            raise wrong(self, "a group was closed without a thread that waits for what memory holds")
        asleep = any(issued.asleep for queue in self.queues for issued in queue)
        asleep = asleep or any(len(g.operands) == g.passed_over for g in self.pending.values())
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
            self._sleep(before, ())
        else:
            self._sleep(before, taken.touches)
            self.queues[taken.thread].remove(taken.issued)
            self.perform_issued(taken.thread, taken.issued)
        return True

    def _sleep(self, passed_over: list[Perform | Closing], touches: tuple[Touch, ...]) -> None:
        """What was passed over sleeps; what the access that is performed conflicts with wakes."""
        if not self.program.settings.prune:
            return
        for option in passed_over:
            if isinstance(option, Perform):
                option.issued.asleep = True
        for number, queue in enumerate(self.queues):
            for issued in queue:
                if issued.asleep and conflict(footprint(issued.access, self.memory, number), touches):
                    issued.asleep = False

    def perform_issued(self, number: int, issued: Issued) -> None:
        """Does an access: memory changes, or a value has come."""
        thread = self.threads[number]
        if issued.prepared is None:
            self.memory.release(*issued.released)
            return
        self.acting = number, issued.site
        if self.performed is not None:
            touches = footprint(issued.access, self.memory, number)
            self.performed.append(Performed(number, issued.site, touches, issued.visit, issued.records))
        touched = footprint(issued.access, self.memory, number)
        value = perform(issued.access, self.memory, number)
        value = self._raced(number, issued, touched, value)
        if issued.result is not None:
            issued.result.set(value)
        if issued.event >= 0:
            thread.events[issued.event] = self.seen.volatile_event(thread, issued.site, issued.access, value)

    def _raced(self, number: int, issued: Issued, touches: tuple[Touch, ...], value: Any) -> Any:
        """What an access gives in view of data races: a read that races gives undef."""
        if any(t.object in self.private for t in touches):
            return value
        races, undefined = self.races.performed(number, issued.access, touches)
        if races:
            for touch in touches:
                allocation = self.memory.allocations.get(touch.object)
                if allocation is not None:
                    self.memory.races[allocation.provenance.name] = None
                    if undefined:
                        self.raced[allocation.provenance.name] = None
        type_ = issued.access.shape.type
        if undefined and issued.result is not None and type_ is not None and value.__class__ is not Composite:
            return undef(type_, self.program.layout, self.program.domain)
        return value

    def _finish(self) -> None:
        """The run is over: every value has come."""
        for thread in self.threads:
            thread.value = settled(thread.value)
        for values in self.results.values():
            for number, value in values.items():
                known: RuntimeValue = settled(value)
                values[number] = known
