"""The operational machine: threads with keys, groups in the making, and choices (semantics.md, §3).

One :class:`Machine` is one run: a function of the program, the launch and the list of choices.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ...alignment import DynamicInstance, StaticInstance
from ...ir import PTR
from ...packages import required_llvm, without_llvm
from ...rules import Rule
from .. import (
    NEVER,
    STOPS,
    Bound,
    BoundHit,
    BoundKind,
    Clock,
    Crash,
    Ending,
    IllegalExecution,
    NotModelled,
    Returned,
    StackEntry,
    Tell,
    UsageError,
    Waiting,
    ending_of,
)
from ..convergence import ChosenLabel, Key, Keys, LaunchGroup, SwitchedCase
from ..convergence.rules import (
    ChosenGroup,
    ConvergenceBefore,
    PendingGroup,
    Unordered,
    certain,
    choose_group,
    close,
    closings,
    d_thread,
    extent,
    repeated,
    waiting,
)
from ..memory.accesses import OwnWrites
from ..memory.synchronisation import MemoryFence, ScopeNumbers
from ..operations import CLUSTER_BARRIER, ThreadPlace
from ..threads import Exchange, Frame, Status, Thread
from ..threads.step import (
    PATIENCE,
    QUANTUM,
    TurnEnd,
    advance,
    advance_traced,
    advance_watched,
    stack_of,
    start_thread,
)
from ..values import RuntimeValue, Value, settled
from . import Called, Executed, Log, ObservedEvent, Result, VolatileAccess, accessed
from .launch import Launch, groups_of, launched_memory

if TYPE_CHECKING:
    from ..memory.races import RaceDetector
    from ..native.engine import NativeEngine
    from ..native.workgroups import UnattendedLaunch
    from . import Chooser
    from .program import Program
    from .recurrence import Recurrence
    from .tally import Tally

LONG = 50_000
"""Instructions, over all threads, after which the engine ``auto`` goes on natively."""
FEWEST = 8
"""Instructions that each thread of a kernel executes at least, it is guessed."""
PRICE = 1_500
"""Instructions that the reference executes in the time in which one of a kernel is compiled."""


class ProvedLong(Exception):
    """A run of several threads has proved long: it begins again, natively."""


class BarrierMeeting(NamedTuple):
    """Where the launch groups of a workgroup meet, or the workgroups of a cluster: its number, the barrier's
    name, how often each thread has come to it then."""

    place: int
    name: str
    nth: int


Foreseen = Mapping[tuple[int, StaticInstance, int], Collection[int]]
"""By thread, static instance and how often the thread came to it, the threads of that group."""


class _Counts(dict[object, int]):
    """How often something was, 0 where it was not: as a Counter, which takes longer to make."""

    def __missing__(self, what: object) -> int:
        return 0


class Contribution(NamedTuple):
    """What a thread brings to a collective: its callee and its operands; whether it has its result."""

    callee: str
    operands: tuple[Any, ...]
    complete: bool = False


class Machine:
    """The inventory of a run.

    ``program``    what runs, and what never changes
    ``chooser``    answers free choices
    ``threads``    all threads, by number; ``ready`` those that can run, in turn
    ``subgroups``  per launch group what models see of it
    ``memory``     shared memory and the threads' stacks
    ``keys``       every key made so far
    ``pending``    the groups that wait at exchanges, by key, in order of first arrival
    ``resolved``   the keys of exchanges that happened
    ``chosen_groups``     the groups founded by free labels, by number; ``groups_at`` the same by site
    ``order``      convergence-before, where free labels or broken rules could close a cycle in it
    ``log``        what happened, in order
    ``fired``      the rules that left something out, put it last, or let something wait (see ``say``)
    ``acting``     for whom and where something happens while no thread runs
    ``until``      when to end; ``most`` is the bound on instructions; ``tell`` is told how far the run is
    ``choices``    how many were made; ``recurrence`` what a run without an end is known by
    ``foreseen``   the groups that instances are known to come to, if they are: those have no others
    ``guesses``    closings of a group although another thread might still have come
    ``races``      what orders accesses and which of them race, where that is watched
    ``barriers``   per thread how often it came to each barrier of the workgroup, where launch groups meet
    ``gathers``    whether they do: a workgroup has several
    ``lanes_apart`` whether threads of one launch group wait for each other there as well, as they may come
                   without each other
    ``meetings``   where threads are that wait where others than their group meet, by the group's key
    ``collectives`` what threads bring to collectives of their workgroup
    ``whole``      the launch that went natively to its end, if it did
    """

    def __init__(
        self, program: Program, launch: Launch, chooser: Chooser, log: Log | None = None, asleep: bool = False
    ) -> None:
        """``asleep``: there are no threads yet (:meth:`wake`)."""
        self.program = program
        self.launch = launch
        self.chooser = chooser
        self.memory = launched_memory(program, launch)
        if program.settings.readable is not None:
            self.memory.watcher = OwnWrites(self.memory, program.settings.readable)
        self.keys = Keys()
        self.pending: dict[Key, PendingGroup] = {}
        self.resolved: set[Key] = set()
        self.chosen_groups: list[ChosenGroup] = []
        self.groups_at: dict[tuple[StaticInstance, LaunchGroup], list[ChosenGroup]] = {}
        # without choices the static rules alone keep convergence-before acyclic (semantics.md, §2, fact 2)
        self.order: ConvergenceBefore | None = None
        if program.has_choices or not program.settings.verified:
            self.order = ConvergenceBefore() if program.settings.order == "columns" else Unordered()
        if log is not None:
            self.memory.log = log
        self.log = self.memory.log
        self.stand_ins: dict[str, None] = {}
        self.fired: set[Rule] = set()
        self.warnings: dict[tuple[Rule, StaticInstance], None] = {}
        self.guesses: list[Waiting] = []
        self.races: RaceDetector | None = None
        self.barriers: list[_Counts] = []
        self.collectives: defaultdict[BarrierMeeting, dict[int, Contribution]] = defaultdict(dict)
        self.meetings: dict[tuple[Key, int], BarrierMeeting] = {}
        self.stuck: tuple[Waiting, ...] = ()
        self.acting: tuple[int, StaticInstance | None] = (0, None)
        self.choices = 0
        self.foreseen: Foreseen | None = None
        self.until = NEVER
        self.tell: Tell | None = None
        self.most = 0
        self.recurrence: Recurrence | None = None
        self.native: NativeEngine | None = None
        self.whole: UnattendedLaunch | None = None
        self.subgroups = groups_of(program, launch)
        self.gathers = len(self.subgroups) > launch.workgroups
        self.lanes_apart = False
        self.threads: list[Thread] = []
        self.ready: deque[Thread] = deque()
        self.memory.lane = lambda thread: self.threads[thread].lane
        self.memory.rank = self._rank
        self._ranks: dict[int, dict[int, int]] = {}
        self._late: dict[tuple[LaunchGroup, str | None, int, bool], Thread] = {}
        """Who had not come to a barrier for so many times, when some of a launch group looked last."""
        if not asleep:
            self.wake()

    def wake(self) -> None:
        """The threads begin."""
        self.threads = [Thread(n, g, self) for g in self.subgroups for n in range(g.first, g.first + g.size)]
        self.ready.extend(self.threads)
        self.barriers = [_Counts() for _ in self.threads]
        self.log.launched(self.threads)
        for thread in self.threads:
            self._start(thread)

    def _start(self, thread: Thread) -> None:
        arguments = self.launch.arguments[thread.number] if self.launch.arguments else ()
        start_thread(thread, self.program.code(self.launch.function), arguments)
        if self.launch.paths is not None:
            path = self.launch.paths[thread.number]
            entry = self.program.module.functions[self.launch.function].blocks[0].name
            if not path or path[0] != entry:
                raise UsageError(
                    f"the path of thread {thread.number} does not begin with %{entry}, the entry block"
                )
            thread.path = path

    # -- the run --------------------------------------------------------------------------------------

    def run(self, max_steps: int = 10_000_000, until: Clock = NEVER) -> Ending:
        """Runs to an ending. ``max_steps`` bounds instructions over all threads."""
        self.until, self.most = until, max_steps
        thread: Thread | None = None
        try:
            while True:
                thread = None
                while self.ready:
                    thread = self.ready.popleft()
                    self._turn(thread, max_steps)
                    self.until.check()
                    if self.ready and thread.number >= self.ready[0].number:
                        break  # a round is over: see who can go on before the next one
                thread = None
                if self.tell is not None:
                    self.tell(lambda: sum(not t.alive for t in self.threads), len(self.threads), "threads")
                if self.resolve_certain() or self.ready:
                    ending = self._came_back()
                    if ending is not None:
                        return ending
                    continue
                self.until.check()  # what is queued may be performed one by one, without a turn between
                if not self.go_on():
                    return self.returned()
        except STOPS as stop:
            bound = isinstance(stop, BoundHit)
            thread_of_bound = None if bound and thread is None else self._who(thread)
            stack = self.stack(thread)
            if not bound:
                return ending_of(stop, thread_of_bound, stack)
            return ending_of(stop, thread_of_bound, stack, waiting(self), self._standing(thread_of_bound))

    @property
    def tally(self) -> Tally | None:
        """What native code ran; ``None`` if the reference ran it all."""
        of = self.native if self.whole is None else self.whole
        return None if of is None else of.tally

    def may_run_unattended(self) -> bool:
        """Whether the launch may go natively from its beginning to its end, with nothing recorded of single
        instances: no choice is to be made, and the run is known to be long, or asked to be native."""
        program, launch = self.program, self.launch
        settings, engine = program.settings, program.settings.engine
        if engine in ("reference", "attended") or not program.unattended or settings.environment != "direct":
            return False
        if engine == "auto" and not (program.long or launch.threads * FEWEST >= self._worth):
            return False
        if settings.unknowns or settings.path_of is not None or launch.paths is not None:
            return False
        if self.log.detailed or self.log.attentive or program.has_choices or program.layout.big_endian:
            return False
        return self.memory.watcher is None and without_llvm() is None

    @cached_property
    def _worth(self) -> int:
        """Instructions of a launch from which on it is worth compiling."""
        program, name = self.program, self.launch.function
        functions = (program.module.functions[n] for n in program.functions_from(name))
        return LONG + PRICE * sum(len(function.instructions) for function in functions)

    def run_unattended(self, max_steps: int, until: Clock) -> Ending:
        """Runs so, without a thread's being woken. Raises GivenUp: then the machine is of no use any more."""
        from ..native.workgroups import UnattendedLaunch

        self.until, self.most = until, max_steps
        self.whole = UnattendedLaunch(self.program, self.launch, self.memory, [*self.subgroups.items()])
        try:
            self.whole.run(max_steps, until, self.tell)
        except BoundHit as stop:  # where each thread stood then nobody knows
            return ending_of(stop, None, ())
        self.log.append(self.whole.event())
        return Returned()

    def returned(self) -> Ending:
        """Every thread has ended; undefined, if they did not come to a barrier as one."""
        if not self.program.uniform_barriers:
            return Returned()
        from .uniform_barriers import divergent_barrier, unawaited_copy

        standings = {t.number: self.standing(t) for t in self.threads if t.status is not Status.OFF}
        executed = [(event.thread, event.site) for event in self.log.of(Executed)]
        return (
            divergent_barrier(self.program, standings, executed)
            or unawaited_copy(self.program, executed)
            or Returned()
        )

    def _who(self, thread: Thread | None) -> int:
        return self.acting[0] if thread is None else thread.number

    def go_on(self) -> bool:
        """Nothing can happen but by choice: makes one; False when nothing is left to do."""
        if not self.pending:
            return False
        if self._let_go():
            return True
        if not all(map(self.complete, self.pending.values())):
            self.stuck = waiting(self)
            words = "the launch groups of a workgroup wait for each other at a barrier of the workgroup"
            raise IllegalExecution(Rule.D_SYNC, words)
        if self.order is None and self.program.settings.verified:
            raise Crash("every thread waits, although the static rules hold and no label is free")
        if not self.stuck:
            self.stuck = waiting(self)
        options = closings(self)
        if not options:
            raise repeated(next(iter(self.pending.values())))
        self.choices += 1
        taken = options[0] if len(options) == 1 else self.chooser.choose("close", options)
        close(self, taken, options[: options.index(taken)])
        return True

    def _let_go(self) -> bool:
        """Where each thread waits for itself, those of a group go on for whom the others have arrived often
        enough, though not for all of it; whether there are some."""
        for group in list(self.pending.values()):
            exchange = group.exchange
            if not exchange.parts or exchange.members is not None or self.complete(group):
                continue
            content = [number for number in sorted(group.operands) if self._is_content(group, number)]
            for number in content:
                thread = self.threads[number]
                del group.operands[number]
                if exchange.model.effect:
                    self.saw_result(thread, group, None)
                self.deliver(thread, group, None)
            if content:
                return True
        return False

    def _is_content(self, group: PendingGroup, number: int) -> bool:
        """Whether all have arrived as often as a member of a group has."""
        meeting = self.meetings.get((group.key, number))
        return meeting is not None and next(self._behind(group, meeting.nth), None) is None

    @property
    def steps(self) -> int:
        """Instructions executed, over all threads."""
        return sum(t.steps for t in self.threads) if self.whole is None else self.whole.steps

    def _turn(self, thread: Thread, max_steps: int) -> None:
        """One thread runs until it stops or its quantum is over."""
        before = thread.steps
        left = max_steps - self._used
        if left <= 0:
            raise BoundHit(Bound(BoundKind.MAX_STEPS, max_steps))
        budget = min(QUANTUM, left)
        if before < PATIENCE:
            self._advance(thread, min(budget, PATIENCE - before), None)
            budget -= thread.steps - before
        if budget > 0 and thread.status is Status.READY:
            self._advance(thread, budget, self._watch(thread))
        self._used += thread.steps - before
        if thread.status is Status.READY:
            self.ready.append(thread)

    def _advance(self, thread: Thread, budget: int, place: TurnEnd | None) -> None:
        if self.log.detailed:
            advance_traced(thread, budget, place)
        elif self._runs_natively():
            assert self.native is not None
            self.native.steps = self._used
            self.native.advance(thread, budget, place)
        elif place is not None:
            advance_watched(thread, budget, place)
        else:
            advance(thread, budget)

    def _runs_natively(self) -> bool:
        """Whether threads run natively now: from the start, or since this run has proved long."""
        if self.native is not None:
            return True
        settings = self.program.settings
        waits = settings.engine == "auto" and not self.program.long
        if settings.engine == "reference" or self.log.attentive or (waits and self._used < LONG):
            return False
        if settings.environment == "queued" or settings.unknowns or settings.path_of is not None:
            return False
        if self.memory.watcher is not None:
            return False
        if without_llvm() is not None:
            if settings.engine == "auto":
                return False
            required_llvm("native code")
        if waits and self.anew and self.program.unattended:
            if self._used < self._worth:
                return False
            raise ProvedLong
        if waits and self.anew and accessed(self.log):
            raise ProvedLong
        from ..native.engine import NativeEngine

        self.native = NativeEngine(self.program, self.memory, self.keys, self.launch)
        self.native.tally.attended = self.program.attended
        return True

    _used = 0
    anew = False
    """Whether the run may begin again, natively, if it proves long: how its threads met until then is not
    known."""

    # -- what has no end ------------------------------------------------------------------------------

    def _watch(self, thread: Thread) -> TurnEnd | None:
        """Where a thread that runs long may come back to."""
        if self.recurrence is None:
            if not self.program.settings.recurrence:
                return None
            self.recurrence = self._recurrence()
        return self.recurrence.watch(thread)

    def _came_back(self) -> Ending | None:
        """At the end of a round: the ending of a run whose state is again what it was."""
        if self._used < PATIENCE or not self.program.settings.recurrence:
            return None
        if self.recurrence is None:
            self.recurrence = self._recurrence()
        return self.recurrence.came_back(self, self.ready, self.choices)

    def _recurrence(self) -> Recurrence:
        from .recurrence import Recurrence

        return Recurrence(self.program)

    # -- exchanges ------------------------------------------------------------------------------------

    def arrive(
        self, thread: Thread, key: Key, exchange: Exchange, operands: tuple[Any, ...], shown: tuple[Any, ...]
    ) -> Frame | None:
        """A thread, whose instance is recorded, comes to an exchange and waits for its group."""
        if key in self.resolved:
            if not self.guesses:
                raise Crash(f"thread {thread.number} came to {exchange.name} after its group was certain")
            raise IllegalExecution(
                Rule.D_EQ,
                f"thread {thread.number} comes to {exchange.name} after its group was closed without it",
            )
        if exchange.fence is not None:
            self._comes_to_barrier(thread, key, exchange)
        if exchange.workgroup is not None:
            self.meet(thread, key, exchange, operands)
        group = self.pending.get(key)
        if group is None:
            group = self.pending[key] = PendingGroup(key, exchange, thread.launch)
        group.operands[thread.number] = operands
        group.operands_shown[thread.number] = shown
        thread.status = Status.WAITING
        if self.log.detailed:
            from .trace import arrived

            arrived(thread, exchange.site, key)
        return None

    def meet(self, thread: Thread, key: Key, exchange: Exchange, operands: tuple[Any, ...]) -> None:
        """A thread comes to where launch groups meet, if it does."""
        at = self.at_workgroup(thread, exchange)
        if at is None:
            return
        name, nth = at
        self.barriers[thread.number][name] = nth
        meeting = self.meetings[key, thread.number] = BarrierMeeting(
            self._place_of(thread.launch, name), name, nth
        )
        if exchange.model.wide:
            self.collectives[meeting][thread.number] = Contribution(exchange.callee, operands)
        self._counted(thread, name, exchange.members)

    def times_at(self, thread: Thread, name: str) -> int:
        """How often a thread has come to a barrier of the workgroup."""
        return self.barriers[thread.number][name]

    def is_over(self, thread: Thread) -> bool:
        """Whether no barrier waits for a thread, as it has ended."""
        return not thread.alive

    def signal(self, thread: Thread, name: str, members: int | None) -> None:
        """A thread arrives at a barrier of the workgroup, and does not wait for it."""
        self.barriers[thread.number][name] += 1
        self._counted(thread, name, members)

    def _counted(self, thread: Thread, name: str, members: int | None) -> None:
        """A barrier for so many threads has no more: who comes for which time would be open else."""
        if members is None:
            return
        came = self._present(thread.launch, name, 1)
        if came > members:
            raise NotModelled(f"{name} for {members} threads, to which {came} come")

    def met(self, thread: Thread, group: PendingGroup) -> None:
        """A thread has what it came to a barrier or collective of the workgroup for."""
        meeting = self.meetings.pop((group.key, thread.number), None)
        here = None if meeting is None else self.collectives.get(meeting)
        if meeting is not None and here is not None:
            here[thread.number] = here[thread.number]._replace(complete=True)
            if all(each.complete for each in here.values()):
                del self.collectives[meeting]

    def contributions(self, group: PendingGroup) -> dict[int, tuple[Any, ...]] | None:
        """What all threads bring to a collective of the workgroup at which launch groups meet, by their
        numbers in it; ``None`` for any other exchange. NotModelled where they do not come to it as one."""
        if not group.exchange.model.wide:
            return None
        meeting = next((self.meetings.get((group.key, number)) for number in group.operands), None)
        if meeting is None:
            return None
        here = self.collectives[meeting]
        exchange, threads = group.exchange, self.workgroup_of(group.launch)
        if any(b.callee != exchange.callee for b in here.values()) or any(
            t.alive and t.number not in here for t in threads
        ):
            raise NotModelled(f"@{exchange.callee}, to which the threads of a workgroup do not come together")
        return {self.place(t).invocation: here[t.number].operands for t in threads if t.number in here}

    def members_of(self, launch: LaunchGroup) -> Sequence[Thread]:
        """The threads of a launch group."""
        return self.threads[launch.first : launch.first + launch.size]

    def place(self, thread: Thread) -> ThreadPlace:
        """Where a thread stands among the others."""
        return ThreadPlace(thread.number, thread.lane, self.subgroups[thread.launch])

    def standing(self, thread: Thread) -> ScopeNumbers:
        """Which scopes a thread is in (D-SYNC)."""
        return ScopeNumbers(
            thread.launch.number, thread.launch.workgroup, self.subgroups[thread.launch].cluster
        )

    def resolve_certain(self) -> bool:
        """Resolves every group that no other thread can still join."""
        sure = [
            g
            for g in self.pending.values()
            if (certain(self, g) or self._is_foreseen(g)) and self.complete(g)
        ]
        for group in sure:
            if group.passed_over and extent(self, group) == group.passed_over:
                raise repeated(group)
            d_thread(self, group)
        return bool(sure)

    def _is_foreseen(self, group: PendingGroup) -> bool:
        """Whether a group has all members that it is known to get."""
        if self.foreseen is None:
            return False
        number = min(group.operands)
        member = number, group.exchange.site, self.threads[number].keys[group.key]
        return self.foreseen.get(member) == group.operands.keys()

    def complete(self, group: PendingGroup) -> bool:
        """Whether all operands of a group are there; at a barrier of the workgroup also, whether each thread
        of the other launch groups of the workgroup that is not over has come to as many of its instances, or
        as many threads have as it waits for."""
        name, members = group.exchange.workgroup, group.exchange.members
        if name is None:
            return True
        nth = self._latest(group)
        if members is not None:
            return self._present(group.launch, name, nth) >= members
        meeting = group.launch, name, nth, group.exchange.parts
        late = self._late.get(meeting)
        if late is not None and not self.is_over(late) and self.times_at(late, name) < nth:
            return False  # it is missing still: no other need be looked at
        late = next(self._behind(group, nth), None)
        if late is not None:
            self._late[meeting] = late
        return late is None

    def complete_by_waves(self, group: PendingGroup) -> bool:
        """:meth:`complete` where a launch group has come to a barrier once one of its threads has."""
        name, nth = group.exchange.workgroup, self._latest(group)
        if name is None or group.exchange.members is not None:
            return False
        return all(
            any(self.times_at(other, name) >= nth for other in self.members_of(thread.launch))
            for thread in self.missing(group)
        )

    def _latest(self, group: PendingGroup) -> int:
        """For which time the members of a group have come to its barrier; 0 where none meets others there."""
        meetings = (self.meetings.get((group.key, number)) for number in group.operands)
        return max((meeting.nth for meeting in meetings if meeting is not None), default=0)

    def _present(self, beside: LaunchGroup, name: str, nth: int) -> int:
        """How many threads of a launch group's workgroup have come to a barrier so many times; lanes that
        were not launched come with their wave."""
        present = 0
        for launch, subgroup in self.subgroups.items():
            if launch.workgroup == beside.workgroup:
                came = sum(self.times_at(t, name) >= nth for t in self.members_of(launch))
                present += came + (subgroup.size - launch.size if came else 0)
        return present

    def missing(self, group: PendingGroup) -> Iterator[Thread]:
        """The threads for which a group waits at a barrier of the workgroup: those of other launch groups,
        or any, where threads come by themselves."""
        yield from self._behind(group, self._latest(group))

    def _behind(self, group: PendingGroup, nth: int) -> Iterator[Thread]:
        """Those of them that have come to it fewer times than so many."""
        name = group.exchange.workgroup
        if name is None or nth == 0:
            return
        any_ = group.exchange.parts or self.lanes_apart
        for thread in self._parties(group.launch, name):
            other = any_ or thread.launch is not group.launch
            if other and not self.is_over(thread) and self.times_at(thread, name) < nth:
                yield thread

    def _place_of(self, launch: LaunchGroup, name: str) -> int:
        """The number of the workgroup or the cluster that a barrier is of."""
        return self.subgroups[launch].cluster if name == CLUSTER_BARRIER else launch.workgroup

    def _parties(self, launch: LaunchGroup, name: str) -> Sequence[Thread]:
        """The threads that a barrier is for: those of a workgroup, or of a cluster."""
        if name != CLUSTER_BARRIER:
            return self.workgroup_of(launch)
        cluster = self.subgroups[launch].cluster
        return [t for t in self.threads if self.subgroups[t.launch].cluster == cluster]

    def workgroup_of(self, launch: LaunchGroup) -> Sequence[Thread]:
        """The threads of a launch group's workgroup."""
        size = self.launch.workgroup_threads
        return self.threads[launch.workgroup * size : (launch.workgroup + 1) * size]

    def _rank(self, number: int) -> tuple[int, int]:
        """Which of the launched threads of its workgroup a thread is, and how many these are."""
        launch = self.threads[number].launch
        ranks = self._ranks.get(launch.workgroup)
        if ranks is None:
            launched = [t.number for t in self.workgroup_of(launch) if t.status is not Status.OFF]
            ranks = self._ranks[launch.workgroup] = {thread: rank for rank, thread in enumerate(launched)}
        return ranks[number], len(ranks)

    def at_workgroup(self, thread: Thread, exchange: Exchange) -> tuple[str, int] | None:
        """At which barrier of the workgroup a thread comes to be, if threads meet there that are not one
        group: its name, and how often the thread has arrived at it, with this time if that is an arrival."""
        name, model = exchange.workgroup, exchange.model
        if name is None or not (self.gathers or exchange.parts):
            return None
        if model.parts and not exchange.parts:
            raise NotModelled(f"a call of @{exchange.callee} with a number of threads that is no constant")
        return name, self.barriers[thread.number][name] + model.arrives

    def deliver(self, thread: Thread, group: PendingGroup, value: Any) -> None:
        """A member of a resolved group gets its result, if there is one, and goes on."""
        frame, exchange = thread.frame, group.exchange
        assert frame is not None
        if self.meetings:
            self.met(thread, group)
        if exchange.result >= 0:
            frame.registers[exchange.result] = value
        frame.segment = exchange.after
        thread.at = -1
        thread.status = Status.READY
        thread.epoch += 1
        self.ready.append(thread)
        if self.log.detailed:
            from .trace import exchanged

            exchanged(thread, frame, group, value)
        if exchange.fence is not None:
            self._passes_barrier(thread, group.key, exchange)

    def _comes_to_barrier(self, thread: Thread, key: Key, exchange: Exchange) -> None:
        """What a barrier releases, where threads of a native run find out by it what is ordered."""
        encounters = self.memory.encounters
        if encounters is None:
            return
        for release in exchange.part(release=True):
            encounters.fence(thread.number, release)
        if self._is_of_all(exchange):
            barrier = self.at_workgroup(thread, exchange) or key
            encounters.came(thread.number, barrier, thread.launch, key)

    def _passes_barrier(self, thread: Thread, key: Key, exchange: Exchange) -> None:
        """What a barrier acquires."""
        encounters = self.memory.encounters
        if encounters is None:
            return
        name = exchange.workgroup
        if self._is_of_all(exchange):
            count = None if name is None else self.barriers[thread.number][name]
            encounters.passed(thread.number, (name, count) if self.gathers else key)
        for acquire in exchange.part(release=False):
            encounters.fence(thread.number, acquire)

    def _is_of_all(self, exchange: Exchange) -> bool:
        """Whether a barrier is one at which all threads of a workgroup wait for each other, as they come."""
        if exchange.parts or not exchange.model.arrives or exchange.workgroup == CLUSTER_BARRIER:
            return False
        return exchange.workgroup is not None or not self.gathers

    def execute(self, thread: Thread, executed: Executed) -> None:
        """A thread executes an instance: D-EQ keeps two of one thread apart, D-ORDER watches its place."""
        key = executed.key
        if key in thread.keys:
            name = self.program.name(executed.site)
            raise IllegalExecution(
                Rule.D_EQ,
                f"thread {thread.number} meets its own key again at {name}: "
                "no relation can tell the two apart",
            )
        thread.keys[key] = executed.nth
        self.log.append(executed)
        if self.order is not None:
            thread.last = self.order.execute(thread.last, key, thread.number)

    def label(
        self,
        thread: Thread,
        site: StaticInstance,
        what: str,
        key_of: Callable[[ChosenLabel], Key],
        recorded: bool = True,
        case: SwitchedCase | None = None,
    ) -> Key:
        """The key of an instance whose group is free (D-ANCHOR, D-FREE): by the group that it joins.

        ``what`` names the operation to the chooser; not ``recorded`` is a call that is no convergent
        operation (D-CALL).
        """
        self.choices += 1
        self.until.check()
        group = choose_group(self, thread, site, what, case)
        group.key = key = key_of(ChosenLabel(group.number))
        return key

    def switched_on(self, value: Any) -> Any:
        """The bits of a value that a switch has gone by."""
        value = settled(value)
        if not isinstance(value, Value):
            raise NotModelled("a case of a switch on a value that is to come")
        return value.bits

    def target(self, thread: Thread, site: StaticInstance, labels: tuple[str, ...]) -> int:
        """The label at which a ``callbr`` goes on, a free choice."""
        self.choices += 1
        nth = thread.counts.get(site, 0) + 1
        name = f"label of {self.program.name(site)} thread {thread.number} #{nth}"
        return self.chooser.choose(name, range(len(labels))) if len(labels) > 1 else 0

    # -- what is noted --------------------------------------------------------------------------------

    def settle(self) -> None:
        """Threads have the keys of all their instances, though native code may have noted these apart."""

    def gave(self, thread: Thread, key: Key | None, value: RuntimeValue) -> None:
        """An instance of a convergent operation, if it is one, returned a value."""
        if key is not None:
            self.log.append(Result(thread.number, key, value))

    def release(self, thread: Thread, objects: list[Any]) -> None:
        """A frame's stack objects end."""
        self.memory.release(*objects)

    def fence(self, thread: Thread, site: StaticInstance, fence: MemoryFence) -> None:
        """A fence: accesses are done at once, in program order, so nothing is left to order; threads of a
        native run find out by it what is ordered."""
        if self.memory.encounters is not None:
            self.memory.encounters.fence(thread.number, fence)

    def saw_call(
        self,
        thread: Thread,
        site: StaticInstance,
        callee: str,
        operands: tuple[Any, ...],
        result: Any,
        key: Key | None,
    ) -> None:
        """A call of a declared function with side effects; ``key`` if it is a convergent operation, which has
        executed its instance already."""
        self.fired.add(Rule.D_CALL)
        instance = (
            DynamicInstance(thread.number, site, thread.keys[key])
            if key is not None
            else thread.executes(site)
        )
        thread.events += 1
        self.log.append(
            ObservedEvent(thread.number, thread.events, Called(instance, callee, operands, result), key)
        )

    def saw_result(self, thread: Thread, group: PendingGroup, value: Any) -> None:
        """An exchange with side effects happened."""
        exchange, shown = group.exchange, group.operands_shown[thread.number]
        result = self.program.plain(value, exchange.type)
        self.saw_call(thread, exchange.site, exchange.callee, shown, result, group.key)

    def saw_volatile(self, thread: Thread, frame: Any, index: int, access: Any, value: Any) -> None:
        """A volatile load, store, read-modify-write, copy or fill."""
        thread.events += 1
        self.log_volatile(thread, thread.events, StaticInstance(frame.code.name, index), access, value)

    def log_volatile(
        self, thread: Thread, number: int, site: StaticInstance, access: Any, value: Any
    ) -> None:
        """A volatile access, event number ``number`` of its thread, is done."""
        shape, plain = access.shape, self.program.plain
        shown: list[Any] = [] if access.pointer is None else [plain(access.pointer, PTR)]
        types = shape.operand_types(len(access.operands))
        shown += [plain(v, t) for v, t in zip(access.operands, types, strict=False)]
        result = None if value is None else plain(value, shape.result_type)
        event = VolatileAccess(thread.executes(site), shape.kind, tuple(shown), result)
        self.log.append(ObservedEvent(thread.number, number, event, None))

    def take_apart(self) -> None:
        """Drops what a machine that is needed no more has in cycles: no collector has to find them."""
        for thread in self.threads:
            thread.frame = thread.bottom = None
            thread.holders.clear()
        self.threads.clear()
        self.ready.clear()
        self.recurrence = None
        self.memory.watcher = self.memory.lane = self.memory.rank = None

    def _standing(self, but: int | None) -> tuple[tuple[int, StackEntry], ...]:
        """Where each thread is that could go on, all but one."""
        return tuple(
            (thread.number, self.stack(thread)[0])
            for thread in self.threads
            if thread.alive and thread.status is not Status.WAITING and thread.number != but
        )

    def stack(self, thread: Thread | None) -> tuple[StackEntry, ...]:
        """A thread's call stack; where no thread runs, the place at which something happens."""
        if thread is None:
            _, site = self.acting
            return () if site is None else (StackEntry(site.function, site, self.program.span(site)),)
        return stack_of(thread, self.program.span)
