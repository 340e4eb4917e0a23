"""``simulate``: a module on one machine, from what the user gave to what came of it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from ...alignment.instances import Execution, StaticInstance
from ...frozen import dataclass
from ...ir.exec_masks import is_lowered
from ...ir.instructions import CallSite
from ...ir.module import Module
from ...semantics.errors import Ending, OutOfBound
from ...semantics.machine.launch import Launch, Limits, launch_groups
from ...semantics.machine.log import Issued
from ...semantics.machine.outcome import Outcome
from ...semantics.machine.program import Program, Settings
from ...semantics.machine.run import Group, Run
from ...semantics.machine.start import runnable
from ...semantics.machine.tally import Tally
from ...shown import Shown
from .claims import Claim, claims
from .conform import Departure, departure
from .cycle_detector import Waits
from .exec_effects import ExecEffects
from .executor import LockstepExecutor
from .lanes import LanesApart
from .machine import LockstepMachine
from .masked.listing import Listing, listings
from .policies.outside import in_file, machine
from .policy import MachineOptions, Policy, Refused
from .reference import Agreement, Reference, Uncompared


@dataclass(frozen=True, slots=True)
class Setup:
    """What a machine's run is a function of, beside the program and the launch."""

    kind: type[Policy]
    options: MachineOptions | None = None
    limits: Limits = field(default_factory=Limits)


@dataclasses.dataclass(frozen=True, repr=False)
class Simulated(Shown):
    """What became of a program on one machine.

    ``ending`` is ``None`` where the machine hangs (``waits``) or refused the program (``refused``).
    ``operations`` counts machine operations, ``lanes`` is the room of each wave;
    ``claims`` are the branches that the program says do not diverge. ``care``: woken lanes, helper lanes
    and spilled registers; ``listings``: the code of exec-mask, mask-stack and predication, if asked for;
    ``wrong``: the mask in the program's own text that ended the run. ``engine``: what native code ran of it;
    ``None``: the reference ran it all.
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
        return self.reference.agreement(self.ending, self.groups, self.run.outcome)

    @property
    def machine(self) -> LockstepMachine | None:
        machine = None if self.run is None else self.run.machine
        assert machine is None or isinstance(machine, LockstepMachine)
        return machine

    @cached_property
    def departure(self) -> Departure | None:
        """Where the groups leave what is legal, or a lane what it does alone."""
        if self.run is None or self.machine is None:
            return None
        if self.wrong is not None:
            return self.wrong
        if self.care is not None and (astray := self.care.departure()) is not None:
            return astray
        free = self.machine.program.uncontrolled != "none"
        return departure(self.machine, self.run, free)

    @cached_property
    def from_maximal(self) -> Departure | None:
        """For a program with uncontrolled operations: where its groups differ from those of mode maximal."""
        if self.run is None or self.machine is None or not self.uncontrolled:
            return None
        return departure(self.machine, self.run, free=False)

    @property
    def conforms(self) -> bool | None:
        """Whether the groups are a legal alignment; ``None`` where the run was not completed."""
        if self.departure is not None:
            return False
        from ...semantics.errors import Returned

        return True if isinstance(self.ending, Returned) else None

    @cached_property
    def execution(self) -> Execution | None:
        """The traces, with the machine's groups as the relation."""
        return None if self.run is None or self.machine is None else self.machine.execution(self.run)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        return () if self.machine is None else self.machine.groups()

    @property
    def outcome(self) -> Outcome | None:
        return None if self.run is None else self.run.outcome

    @property
    def issues(self) -> int:
        return len(self.steps)

    @cached_property
    def active_lanes(self) -> int:
        return sum(step.mask.bit_count() for step in self.steps)

    @cached_property
    def lane_slots(self) -> int:
        return sum(self.lanes[step.wave] for step in self.steps)

    @property
    def utilisation(self) -> float:
        return self.active_lanes / self.lane_slots if self.lane_slots else 0.0

    @cached_property
    def alignment_name(self) -> str | None:
        """``natural``, ``nested`` or ``other`` for a program with uncontrolled operations, else ``None``."""
        if self.machine is None or self.run is None or not self.uncontrolled:
            return None
        from .naming import name_of

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
    )


def _refused(policy: str, reason: str) -> Simulated:
    return Simulated(policy, reason, None, (), (), Counter(), {}, None)


def _unfinished() -> Ending:
    from ...semantics.errors import Deadlock

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
    """Wave and slot of the first departure; ``None`` where there is none, or no slot is to blame."""
    left, machine = simulated.departure, simulated.machine
    if left is None or machine is None:
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
