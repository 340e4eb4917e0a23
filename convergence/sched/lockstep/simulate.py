"""``simulate``: a module on one machine, on some or on all, beside the interpreter's run of the same."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from functools import cached_property, partial
from typing import Any, Unpack

from ...alignment import DynamicInstance, Execution, StaticInstance
from ...frozen import Json, Shown, dataclass
from ...ir.calls import is_lowered
from ...ir.cfg import Order
from ...ir.instructions import CallSite
from ...ir.module import Module, needs_module
from ...semantics import ENDING_NAMES, Ending, OutOfBound, Returned, UndefinedBehaviour
from ...semantics.machine import Event, Issued, MostConverged, depends_on_order
from ...semantics.machine.launch import (
    Launch,
    LaunchOptions,
    Limits,
    engine_named,
    launch_groups,
    launch_spec,
)
from ...semantics.machine.machine import Machine, ProvedLong
from ...semantics.machine.program import EngineKind, Program, Settings
from ...semantics.machine.run import Group, Outcome, Run, finished, prepare_run, runnable, unattended
from ...semantics.machine.tally import Tally
from .conform import Departure, Misled, Stranded, Unmasked, departure
from .exec_effects import ExecEffects
from .executor import LockstepExecutor
from .lanes import Claim, LanesApart, claims
from .listing import Listing, listings
from .machine import LockstepMachine
from .policies import NAMES
from .policies.outside import in_file, machine
from .policy import MachineOptions, Policy, Refused
from .waits import Waits

# ----------------------------------------------------------------------------------------------------------
# The interpreter's run of what a machine runs: with the same groups both must compute the same.
#
# One legal alignment has one outcome where nothing else is free: no label is a choice, and no two threads
# meet in shared memory (then every order of accesses gives the same values, semantics.md, D-MEM). A
# difference there is no property of the machine but our own bug.
# ----------------------------------------------------------------------------------------------------------


class Uncompared(Enum):
    """Why a machine's results say nothing about the interpreter's."""

    REFUSED = "refused"
    UNFINISHED = "unfinished"
    """The machine hung, hit a bound, or came to what has no model."""
    LANES = "lanes"
    """The machine's set-up wakes lanes, keeps some off, or loses registers."""
    LOWERED = "lowered"
    """Its control flow is operations on exec, which the interpreter has no meaning for."""
    CHOICES = "choices"
    """The interpreter's run is one of several."""
    INTERPRETER = "interpreter"
    """Its run did not return."""
    MEMORY = "memory"
    """Threads meet in memory."""
    GROUPS = "groups"


class Aspect(Enum):
    ENDING = "ending"
    THREAD = "thread"
    RETURN = "return"
    EVENTS = "events"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Unequal:
    """What a machine and the interpreter say of one thing: a thread's end, return value or events, or the
    final contents of the global variable ``name``."""

    aspect: Aspect
    thread: int | None
    name: str | None
    machine: Json | tuple[Event, ...]
    interpreter: Json | tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """``reason``: why nothing was compared; ``None`` if it was, and then ``differences`` should be empty."""

    reason: Uncompared | None
    differences: tuple[Unequal, ...] = ()


class Reference:
    """A launch on the interpreter, once for all machines, when it is first asked for."""

    def __init__(self, program: Program, launch: Launch, limits: Limits) -> None:
        self.program, self.launch = program, launch
        self.limits = limits

    @cached_property
    def run(self) -> Run:
        """Its first execution: natively from its beginning to its end, where that goes."""
        program, launch, limits = self.program, self.launch, self.limits

        def begun() -> Machine:
            return Machine(program, launch, MostConverged(), asleep=True)

        while True:
            machine, ending = unattended(begun, limits.steps, limits.clock)
            if ending is None:
                machine.wake()
                machine.anew = launch.threads > 1
                try:
                    ending = machine.run(limits.steps, limits.clock)
                except ProvedLong:
                    program.long = True
                    continue
            return finished(machine, ending, ())

    @cached_property
    def uncompared(self) -> Uncompared | None:
        """Why no machine can be compared with it."""
        if self.program.has_choices:
            return Uncompared.CHOICES
        if not isinstance(self.run.ending, Returned):
            return Uncompared.INTERPRETER
        if self.run.guesses:
            return Uncompared.CHOICES
        if depends_on_order(self.run.machine.log):
            return Uncompared.MEMORY
        return None

    def agreement(self, simulated: Simulated) -> Agreement:
        """Whether a machine computed the same. Where its groups are known to be those of the definition they
        are not compared one by one: the interpreter's are, too."""
        ending = simulated.ending
        if not isinstance(ending, Returned | UndefinedBehaviour):
            return Agreement(Uncompared.UNFINISHED)
        if self.uncompared is not None:
            return Agreement(self.uncompared)
        assert simulated.run is not None
        if simulated.groups_are_keys and isinstance(ending, Returned):
            if self.run.machine.whole is None:
                return Agreement(None, tuple(_unequal(simulated.run.outcome, self.run.outcome)))
            # what the outside saw is exchanges alone, which these groups and the threads' control flow say
            return Agreement(None, tuple(_unequal(simulated.run.eventless, self.run.eventless)))
        outcome = simulated.run.outcome
        mine, theirs = self._communicating(simulated.groups), self._communicating(self.run.groups)
        if isinstance(ending, UndefinedBehaviour):
            if not mine <= theirs:
                return Agreement(Uncompared.GROUPS)
            names = ENDING_NAMES[UndefinedBehaviour], ENDING_NAMES[Returned]
            return Agreement(None, (Unequal(Aspect.ENDING, ending.thread, None, *names),))
        if mine != theirs:
            return Agreement(Uncompared.GROUPS)
        return Agreement(None, tuple(_unequal(outcome, self.run.outcome)))

    def _communicating(self, groups: Sequence[Group]) -> frozenset[frozenset[DynamicInstance]]:
        """The groups of operations that exchange data: no control intrinsic, no call that only enters."""
        defined = {f"@{function.name}" for function in self.program.module.definitions()}
        return frozenset(frozenset(g.members) for g in groups if not g.control and g.callee not in defined)


def _unequal(machine: Outcome, interpreter: Outcome) -> Iterator[Unequal]:
    for mine, theirs in zip(machine.threads, interpreter.threads, strict=True):
        if mine.ended != theirs.ended:
            yield Unequal(Aspect.THREAD, mine.thread, None, mine.ended, theirs.ended)
        if mine.value != theirs.value:
            yield Unequal(Aspect.RETURN, mine.thread, None, mine.value, theirs.value)
        if mine.events != theirs.events:
            yield Unequal(Aspect.EVENTS, mine.thread, None, mine.events, theirs.events)
        for name, contents in mine.memory.items():
            if contents != theirs.memory[name]:
                yield Unequal(Aspect.MEMORY, mine.thread, name, contents, theirs.memory[name])
    for name, contents in machine.memory.items():
        if contents != interpreter.memory[name]:
            yield Unequal(Aspect.MEMORY, None, name, contents, interpreter.memory[name])


# ----------------------------------------------------------------------------------------------------------
# ``simulate``: a module on one machine, from what the user gave to what came of it.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Setup:
    """What a machine's run is a function of, beside the program and the launch."""

    kind: type[Policy]
    options: MachineOptions | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Activity:
    """How much each wave issued, and how many lanes were on in that, all in all, if that is known."""

    issues: Mapping[int, int]
    active: int | None


@dataclasses.dataclass(frozen=True, repr=False)
class Simulated(Shown):
    """What became of a program on one machine.

    ``ending`` is ``None`` where the machine hangs (``waits``) or refused the program (``refused``).
    ``operations`` counts machine operations, ``lanes`` is the room of each wave;
    ``claims`` are the branches that the program says do not diverge. ``care``: woken lanes, helper lanes
    and spilled registers; ``listings``: the code of exec-mask, mask-stack and predication, if asked for;
    ``wrong``: the mask in the program's own text that ended the run. ``engine``: what native code ran of it;
    ``None``: the reference ran it all. ``activity`` sums up the ``steps``.
    """

    policy: str
    refused: str | None
    ending: Ending | None
    waits: tuple[Waits, ...]
    steps: Sequence[Issued]
    operations: Counter[str]
    lanes: Mapping[int, int]
    run: Run | None = field(repr=False, compare=False)
    uncontrolled: bool = False
    claims: tuple[Claim, ...] = ()
    care: ExecEffects | None = field(default=None, repr=False, compare=False)
    listings: tuple[Listing, ...] = ()
    wrong: Departure | None = None
    reference: Reference | None = field(default=None, repr=False, compare=False)
    setup: Setup | None = field(default=None, repr=False, compare=False)
    by_wave: Mapping[int, Counter[str]] = field(default_factory=dict, repr=False)
    engine: Tally | None = field(default=None, repr=False, compare=False)
    activity: Activity | None = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> Any:
        """Pickled, it is what it is a function of, and runs once more when it is read."""
        if self.machine is None or self.setup is None:
            return super().__reduce__()
        program, setup = self.machine.program, self.setup
        cut = isinstance(self.ending, OutOfBound)  # by a clock, perhaps, which would be another one
        limits = Limits(max_steps=len(self.steps) if cut else setup.limits.max_steps)
        setup = replace(setup, limits=limits)
        arguments = (program.module, program.settings, self.machine.launch, self.policy, setup, self.ending)
        return _once_more, arguments

    @cached_property
    def agreement(self) -> Agreement:
        """Whether the machine computed what the interpreter does with these groups; if not, one is wrong."""
        if self.run is None or self.reference is None:
            return Agreement(Uncompared.REFUSED)
        if self.machine is not None and is_lowered(self.machine.program.module):
            return Agreement(Uncompared.LOWERED)
        if self.care is not None and self.care.changes_lanes:
            return Agreement(Uncompared.LANES)
        return self.reference.agreement(self)

    @cached_property
    def groups_are_keys(self) -> bool:
        """Whether its groups are known to be those of the definition, as native code saw them all to be; a
        short run is looked at instance by instance."""
        known = self.engine is not None and self.engine.instructions > 0
        return known and self.machine is not None and self.machine.groups_are_keys

    @property
    def is_excerpt(self) -> bool:
        """Whether a clock ended it after so many events that nobody looks at its groups: an excerpt of them
        may end within an issue slot, and so say nothing."""
        return self.run is not None and self.run.is_excerpt

    @property
    def machine(self) -> LockstepMachine | None:
        machine = None if self.run is None else self.run.machine
        assert machine is None or isinstance(machine, LockstepMachine)
        return machine

    @cached_property
    def departure(self) -> Departure | None:
        """Where the groups leave what is legal, or a lane what it does alone; not looked at of an
        :attr:`is_excerpt`."""
        if self.run is None or self.machine is None:
            return None
        if self.wrong is not None:
            return self.wrong
        if self.care is not None and (astray := self.care.departure()) is not None:
            return astray
        if self.groups_are_keys or self.is_excerpt:
            return None
        free = self.machine.program.uncontrolled != "none"
        return departure(self.machine, self.run, free)

    @cached_property
    def from_maximal(self) -> Departure | None:
        """For a program with uncontrolled operations: where its groups differ from those of mode maximal."""
        if self.run is None or self.machine is None or not self.uncontrolled:
            return None
        if self.groups_are_keys or self.is_excerpt:
            return None
        return departure(self.machine, self.run, free=False)

    @property
    def conforms(self) -> bool | None:
        """Whether the groups are a legal alignment; ``None`` where the run was not completed."""
        if self.departure is not None:
            return False
        from ...semantics import Returned

        return True if isinstance(self.ending, Returned) else None

    @cached_property
    def execution(self) -> Execution | None:
        """The traces, with the machine's groups as the relation; ``None`` of an :attr:`is_excerpt`, too."""
        if self.run is None or self.machine is None or self.is_excerpt:
            return None
        return self.machine.execution(self.run)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        return () if self.machine is None or self.is_excerpt else self.machine.groups()

    @property
    def outcome(self) -> Outcome | None:
        return None if self.run is None else self.run.outcome

    @property
    def issues(self) -> int:
        return len(self.steps)

    @cached_property
    def active_lanes(self) -> int:
        known = None if self.activity is None else self.activity.active
        return sum(step.mask.bit_count() for step in self.steps) if known is None else known

    @cached_property
    def lane_slots(self) -> int:
        if self.activity is not None:
            return sum(self.lanes[wave] * issues for wave, issues in self.activity.issues.items())
        return sum(self.lanes[step.wave] for step in self.steps)

    @property
    def utilisation(self) -> float:
        return self.active_lanes / self.lane_slots if self.lane_slots else 0.0

    @cached_property
    def alignment_name(self) -> str | None:
        """``natural``, ``nested`` or ``other`` for a program with uncontrolled operations, else ``None``."""
        if self.machine is None or self.run is None or not self.uncontrolled:
            return None
        if self.groups_are_keys:
            return "natural"
        if self.is_excerpt:
            return None
        from .machine import name_of

        return name_of(self.machine, self.run)


def _once_more(
    module: Module, settings: Settings, launch: Launch, name: str, setup: Setup, ending: Ending | None
) -> Simulated:
    """The same on the same machine again."""
    program = runnable(module, settings)
    simulated = simulate_machine(program, launch, setup.kind, setup.options, setup.limits)
    return replace(simulated, policy=name, ending=ending)


LANES = 64
"""A wave has at most so many."""


def simulate_machine(
    program: Program,
    launch: Launch,
    policy: str | type[Policy],
    options: MachineOptions | None = None,
    limits: Limits | None = None,
    reference: Reference | None = None,
) -> Simulated:
    """Runs a program on the machine called ``policy``, or on one of that class. ``reference`` is the
    interpreter's run of the launch, for several machines to be compared with. Raises UsageError for a name
    that is no machine's."""
    kind = machine(policy) if isinstance(policy, str) else policy
    name = policy if isinstance(policy, str) and not in_file(policy) else kind.name
    limits = limits or Limits()
    size = max(group.size for group in launch_groups(launch, program.module))
    if size > LANES:
        return _refused(name, f"a wave has at most {LANES} lanes, a subgroup of this launch has {size}")
    if is_lowered(program.module) and not kind.lowered:
        return _refused(name, "its branches are lowered to operations on exec, which exec-amdgcn runs")
    tally: Tally | None = None
    engine = program.settings.engine
    while True:
        running = LockstepMachine(program, launch)
        running.remade = partial(_remade, program, launch, kind, options, limits)
        try:
            executor = LockstepExecutor(running, kind, options, engine)
            ending = executor.run(limits.steps, limits.clock)
            tally = tally if executor.native is None else executor.native.tally
        except Refused as refused:
            return _refused(name, refused.reason)
        except LanesApart as problem:  # the reference does what only it can do in between
            engine, tally = "reference", Tally(attended=problem.why)
            continue
        break
    return Simulated(
        name,
        None,
        ending,
        executor.waits,
        executor.steps,
        executor.issued.counts,
        {wave.number: wave.size for wave in executor.waves},
        running.as_run(ending) if ending is not None else running.as_run(_unfinished()),
        program.counts_headers,
        claims(program.module, launch, executor.parted),
        executor.effects,
        listings(executor) if executor.options.listing else (),
        executor.wrong,
        reference or Reference(program, launch, limits),
        Setup(kind, options, limits),
        dict(sorted(executor.issued.by_wave.items())),
        tally,
        Activity({wave.number: wave.issues for wave in executor.waves}, executor.active_lanes),
    )


def _remade(
    program: Program, launch: Launch, kind: type[Policy], options: MachineOptions | None, limits: Limits
) -> LockstepMachine:
    """The machine after a run by the reference."""
    machine = LockstepMachine(program, launch)
    LockstepExecutor(machine, kind, options).run(limits.steps)
    return machine


def _refused(policy: str, reason: str) -> Simulated:
    return Simulated(policy, reason, None, (), (), Counter(), {}, None)


def _unfinished() -> Ending:
    from ...semantics import Deadlock

    return Deadlock(())


# ----------------------------------------------------------------------------------------------------------
# Machines compared on one program, in figures: per wave, and in total.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figures:
    """One wave of a machine (``None``: all of them). ``slots`` are issue slots, ``active`` the lanes that
    were on in them, of ``room`` lanes; ``operations`` are the machine's own, beside the program's
    instructions, of which so many ``saved`` a mask; ``departure`` is the first slot whose group is not
    legal."""

    wave: int | None
    slots: int
    active: int
    room: int
    operations: int
    saved: int
    departure: int | None

    @property
    def utilisation(self) -> float:
        """The share of lanes that were on, from 0 to 1."""
        return self.active / self.room if self.room else 0.0


def figures(machine: Simulated) -> tuple[Figures, ...]:
    """The waves in order, then all of them together; nothing for a machine that refused the program."""
    if machine.refused is not None:
        return ()
    left = departure_slot(machine)
    kind = None if machine.setup is None else machine.setup.kind
    rows = []
    for wave in sorted(machine.lanes):
        steps = [step for step in machine.steps if step.wave == wave]
        active = sum(step.mask.bit_count() for step in steps)
        did = machine.by_wave.get(wave, Counter())
        first = left[1] if left is not None and left[0] == wave else None
        room = machine.lanes[wave] * len(steps)
        rows.append(Figures(wave, len(steps), active, room, did.total(), saved(kind, did), first))
    all_of = Figures(
        None, machine.issues, machine.active_lanes, machine.lane_slots, machine.operations.total(),
        saved(kind, machine.operations), None if left is None else left[1],
    )  # fmt: skip
    return (*rows, all_of)


def saved(kind: type[Policy] | None, did: Counter[str]) -> int:
    """How many of these machine operations keep a mask for later."""
    return 0 if kind is None else sum(count for name, count in did.items() if name in kind.saves)


def departure_slot(simulated: Simulated) -> tuple[int, int] | None:
    """Wave and slot of the first departure; ``None`` where there is none, or no slot is to blame: a wrong
    mask is none of a slot that was issued."""
    left, machine = simulated.departure, simulated.machine
    if left is None or machine is None or isinstance(left.because, Unmasked | Misled | Stranded):
        return None
    threads = {thread.number: thread for thread in machine.threads}
    wave = threads[left.thread].launch.number
    times, program = 0, machine.program
    for step in simulated.steps:
        call = program.module.functions[step.function].instructions[step.at]
        if step.wave != wave or not step.mask >> left.lane & 1 or not isinstance(call, CallSite):
            continue
        if program.name(StaticInstance(step.function, step.at)) == left.operation:
            times += 1
            if times == left.nth:
                return wave, step.slot
    return None


# ----------------------------------------------------------------------------------------------------------
# The front door's ``simulate``: a module on one machine, on some, or on all.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False, slots=True)
class Simulations(Shown):
    """One launch of a module on several machines, in the order in which they were asked for.

    ``found["heart"]`` and ``found[0]`` give one machine's :class:`Simulated`; iterating gives all.
    """

    machines: tuple[Simulated, ...]
    module: Module = field(repr=False)
    function: str
    dfs: Order = Order.TEXT

    def __iter__(self) -> Iterator[Simulated]:
        return iter(self.machines)

    def __len__(self) -> int:
        return len(self.machines)

    def __getitem__(self, which: str | int) -> Simulated:
        """A machine by its policy's name or by its place. Raises KeyError or IndexError."""
        if isinstance(which, int):
            return self.machines[which]
        for simulated in self.machines:
            if simulated.policy == which:
                return simulated
        raise KeyError(which)


def simulate(
    module: Module,
    policy: str | type[Policy] | Sequence[str | type[Policy]] = "all",
    *,
    options: MachineOptions | None = None,
    engine: EngineKind = "auto",
    **launch: Unpack[LaunchOptions],
) -> Simulations:
    """Run a module on lock-step machines (semantics.md, *Lock-step machines*), a wave per subgroup.

    ``policy`` is a machine's name, ``FILE.py:CLASS``, a class made from
    :class:`convergence.sched.lockstep.policy.Policy`, several of these, or ``all``. ``launch`` takes what
    :func:`convergence.run` takes: function, threads, subgroup_size, arguments, inputs, paths,
    uncontrolled, dfs, operations. ``max_steps`` bounds the issue slots of each machine, ``timeout`` its
    seconds. ``engine`` is what runs the lanes of a mask: the ``"reference"``, ``"native"`` code, or
    ``"auto"``, native code once a run has proved long; the answer is the same. What becomes of each is a
    :class:`Simulated`: ``conforms`` is ``None`` where it did not end.

    Raises UsageError for an unknown machine or a launch that does not fit the program, NotModelled when a
    global variable's initial value has no model.
    """
    needs_module(module, "simulate")
    wanted = list(policy) if isinstance(policy, Iterable) and not isinstance(policy, str | type) else [policy]
    chosen: dict[str | type[Policy], None] = {}
    for kind in wanted:
        if isinstance(kind, str) and kind != "all":
            machine(kind)
        elif not (isinstance(kind, str) or (isinstance(kind, type) and issubclass(kind, Policy))):
            raise TypeError(f"a machine is a name or a class made from Policy, and not {kind!r}")
        chosen |= dict.fromkeys(NAMES if kind == "all" else (kind,))
    spec = replace(launch_spec(**launch), engine=engine_named(engine))
    program, prepared = prepare_run(module, spec)
    reference = Reference(program, prepared, spec.limits)
    machines = tuple(
        simulate_machine(program, prepared, kind, options, spec.limits, reference) for kind in chosen
    )
    return Simulations(machines, module, prepared.function, spec.dfs)
