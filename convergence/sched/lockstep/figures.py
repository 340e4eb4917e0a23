"""Machines compared on one program, in figures: per wave, and in total."""

from __future__ import annotations

from collections import Counter

from ...alignment.instances import StaticInstance
from ...frozen import dataclass
from ...ir.instructions import CallSite
from .policy import Policy
from .simulate import Simulated


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
