"""``convcheck simulate --format json``: per machine whether it conforms, its groups, and what it issued."""

from __future__ import annotations

from collections.abc import Sequence

from ...frozen import Json
from ...ir.module import Module
from ...sched.lockstep.conform import Departure
from ...sched.lockstep.lanes import Claim
from ...sched.lockstep.simulate import Agreement, Simulated
from ...sched.lockstep.waves import code_size
from ...semantics.errors import ENDING_NAMES, Returned
from ...semantics.machine.buffers import BufferContents
from ...semantics.machine.launch import Launch, waves_of
from ...semantics.machine.log import Event
from ...semantics.machine.run import Group
from ..parts import endings
from ..parts.endings import details, reason
from ..run.json import alignment, bound, buffer, event, outcome, shape, waves
from ..verify.json import SCHEMA
from . import figures
from .listing import as_json
from .text import because, block, operation, targets

STEPS = 10_000
"""Steps that are listed of a run that did not come to its end: a loop without one issues some for ever."""
NUMBERS = 10_000
"""The numbers of a variable that are listed of such a run: a variable of more is left out, and named."""


def answer(
    machines: Sequence[Simulated],
    module: Module,
    launch: Launch,
    pictures: Sequence[tuple[str, ...]],
    notes: Sequence[str],
    buffers: Sequence[Sequence[BufferContents]] = (),
) -> dict[str, Json]:
    """The whole answer; ``pictures`` are the machines' alignments, in their order, ``buffers`` what is to be
    shown of their memory."""
    held = buffers or [()] * len(machines)
    return {
        "schema": SCHEMA,
        "command": "simulate",
        "policies": [_policy(s, module, p, b) for s, p, b in zip(machines, pictures, held, strict=True)],
        **shape(launch),
        "wave": waves(waves_of(module, launch)),
        "code_size": code_size(module),
        "notes": list(notes),
    }


class _Aligned:
    """The machine's groups as what has an alignment."""

    def __init__(self, simulated: Simulated) -> None:
        assert simulated.execution is not None
        self.execution = simulated.execution
        self.groups: tuple[Group, ...] = simulated.groups


def _policy(
    simulated: Simulated, module: Module, picture: tuple[str, ...], buffers: Sequence[BufferContents]
) -> dict[str, Json]:
    left, ending, machine = simulated.departure, simulated.ending, simulated.machine
    steps: list[Json] = []
    if machine is not None:
        program = machine.program
        steps = [
            {
                "slot": s.slot,
                "wave": s.wave,
                "block": block(program, s),
                "operation": operation(program, s),
                "mask": s.mask,
                "function": "@" + s.function,
            }
            for s in simulated.steps[: _listed(simulated)]
        ]
    nothing: dict[str, Json] = {"picture": [], "operations": []}
    written = None if simulated.outcome is None else outcome(simulated.outcome)
    large: list[Json] = []
    if written is not None and not isinstance(ending, Returned):
        memory = written["memory"]
        assert isinstance(memory, dict)
        large += [name for name, contents in memory.items() if _size(contents) > NUMBERS]
        written["memory"] = {name: contents for name, contents in memory.items() if name not in large}
    return {
        "policy": simulated.policy,
        "conforms": simulated.conforms,
        "departure": None if left is None else departure_data(left),
        "alignment": nothing if simulated.execution is None else alignment(_Aligned(simulated), picture),
        "issues": simulated.issues,
        "active_lanes": simulated.active_lanes,
        "lane_slots": simulated.lane_slots,
        "utilisation": round(simulated.utilisation, 6),
        "engine": endings.engine_data(simulated.engine),
        "steps": steps,
        "steps_left_out": simulated.issues - len(steps),
        "ending": _ending(simulated),
        "refused": simulated.refused,
        "waiting": [
            {"thread": w.thread, "function": "@" + w.function, "block": w.block, "spins": w.spins}
            for w in simulated.waits
        ],
        "reason": None if ending is None else reason(ending),
        **bound(ending),
        "details": [] if ending is None else list(details(ending, module)),
        "uncontrolled": simulated.alignment_name,
        "maximal": None if simulated.from_maximal is None else departure_data(simulated.from_maximal),
        "machine_operations": dict(sorted(simulated.operations.items())),
        "claims": [_claim(c, module) for c in simulated.claims],
        **({"listing": as_json(simulated.listings)} if simulated.listings else {}),
        "outcome": written,
        "memory_left_out": large,
        **({"buffers": {held.name: buffer(held) for held in buffers}} if buffers else {}),
        "agreement": _agreement(simulated.agreement),
        "figures": figures.figures_data(simulated),
    }


def _size(contents: Json) -> int:
    """How many numbers there are."""
    return sum(map(_size, contents)) if isinstance(contents, list) else 1


def _listed(simulated: Simulated) -> int:
    """How many steps are listed: all of a run that came to its end."""
    return simulated.issues if isinstance(simulated.ending, Returned) else STEPS


def _ending(machine: Simulated) -> str:
    """How the machine's run ended; a machine may hang, or stop at a mask that is wrong."""
    if machine.refused is not None:
        return "refused"
    if machine.wrong is not None:
        return "wrong-mask"
    return "hang" if machine.ending is None else ENDING_NAMES[type(machine.ending)]


def _agreement(agreement: Agreement) -> dict[str, Json]:
    return {
        "compared": agreement.reason is None,
        "reason": None if agreement.reason is None else agreement.reason.value,
        "differences": [
            {
                "of": unequal.aspect.value,
                "thread": unequal.thread,
                "global": unequal.name,
                "machine": _value(unequal.machine),
                "interpreter": _value(unequal.interpreter),
            }
            for unequal in agreement.differences
        ],
    }


def _value(value: Json | tuple[Event, ...]) -> Json:
    return [event(e) for e in value] if isinstance(value, tuple) else value


def departure_data(left: Departure) -> dict[str, Json]:
    """Where a machine leaves what is legal."""
    return {
        "rule": left.rule.id,
        "operation": left.operation,
        "lane": left.lane,
        "group": list(left.group),
        "legal": [list(group) for group in left.legal],
        "thread": left.thread,
        "nth": left.nth,
        "because": because(left),
    }


def _claim(claim: Claim, module: Module) -> dict[str, Json]:
    divergent: Json = None
    if claim.broken is not None:
        step = claim.broken.step
        divergent = {
            "slot": step.slot,
            "wave": step.wave,
            "lanes": dict(targets(module, claim.broken)),
            "values": {str(lane): value for lane, value in sorted(claim.broken.values.items())},
        }
    return {
        "function": "@" + claim.function,
        "block": claim.block,
        "proved": claim.proved,
        "divergent": divergent,
    }
