"""What ``simulate`` says, in each format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby

from ..alignment import StaticInstance
from ..frozen import Json
from ..ir.instructions import CallSite, opcode
from ..ir.module import Module
from ..sched.lockstep.conform import (
    Cyclic,
    Departure,
    DifferentKeys,
    Misled,
    SameKey,
    SpoiltRegister,
    Stranded,
    Ungroupable,
    Unmasked,
    Woken,
)
from ..sched.lockstep.lanes import Claim, Parted
from ..sched.lockstep.listing import Line, Listing
from ..sched.lockstep.policies.structured import linear
from ..sched.lockstep.policy import Facts, Mask, lanes
from ..sched.lockstep.simulate import Agreement, Aspect, Figures, Simulated, Unequal, figures
from ..sched.lockstep.waves import code_size
from ..semantics import ENDING_NAMES, Returned
from ..semantics.convergence import Key, Pass
from ..semantics.machine import Event, Issued
from ..semantics.machine.buffers import BufferContents
from ..semantics.machine.launch import Launch, waves_of
from ..semantics.machine.program import Program
from ..semantics.machine.run import Group
from ..source import NOWHERE, Span
from .parts import SCHEMA, markup, printable
from .parts import words as endings
from .parts.formats import ended_command, workflow_command
from .parts.svg import SIZE, document, element, length, paint, pattern, sheet, shortened, text_line, title
from .parts.words import details, difference_words, ordinal, reason
from .run import (
    COLUMNS,
    alignment,
    bound,
    buffer,
    contents,
    cut,
    event,
    group_lines,
    outcome,
    outcome_text,
    shape,
    waves,
)

# ----------------------------------------------------------------------------------------------------------
# Machines for people: a table of who conforms, and masks over time (rows lanes, columns slots).
# ----------------------------------------------------------------------------------------------------------


def text(
    machines: Sequence[Simulated],
    module: Module,
    pictures: Sequence[tuple[str, ...]],
    notes: Sequence[str],
    quiet: bool = False,
    verbose: bool = False,
    buffers: Sequence[Sequence[BufferContents]] = (),
    caveats: Sequence[str] = (),
) -> str:
    """The table, then, for one machine alone, its picture, masks, groups and results; ``verbose`` adds
    every slot. ``buffers`` is what is to be shown of each machine's memory; ``caveats`` are said even where
    ``quiet`` leaves out the notes: why numbers that are shown may be others."""
    parts = ["\n".join(table(machines))]
    if len(machines) == 1 and not quiet and machines[0].run is not None:
        (only,), (picture,) = machines, pictures
        assert only.run is not None and only.outcome is not None
        parts.append("\n".join(f"Thread {number}: {cut(row)}" for number, row in enumerate(picture)))
        parts.append("\n".join(masks(only)))
        parts.append(group_lines(only.groups, verbose))
        apart = frozenset(held.name for shown in buffers for held in shown)
        parts.append(outcome_text(only.outcome, only.run.changed_memory, apart))
        if only.operations:
            counted = ", ".join(f"{n} {name}" for name, n in sorted(only.operations.items()))
            parts.append(f"Machine operations: {counted}")
        if verbose:
            parts.append("\n".join(slots(only)))
            parts.append("\n".join(endings.engine_lines(only.engine)))
    titles = [f"{machine.policy}: " if len(machines) > 1 else "" for machine in machines]
    of_machines = zip(titles, buffers or [()] * len(machines), strict=True)
    parts.append("\n".join(title + contents(held) for title, shown in of_machines for held in shown))
    for machine in machines:
        why = None if machine.ending is None else reason(machine.ending)
        if why is not None and machine.ending is not None:
            parts.append(
                "\n".join([f"{machine.policy}: {why}", *(f"  {d}" for d in details(machine.ending, module))])
            )
    parts.append("\n".join(line for machine in machines for line in claims(machine, module)))
    parts.append("\n".join(line for machine in machines for line in unlike_maximal(machine)))
    parts.append("\n".join(line for machine in machines for line in disagreements(machine)))
    parts.append("\n".join(f"note: {printable(note)}" for note in (caveats if quiet else notes)))
    return "\n\n".join(part for part in parts if part) + "\n"


def table(machines: Sequence[Simulated]) -> list[str]:
    """A line per machine: its name, its verdict, issue slots, the share of lanes that were active."""
    rows = [("machine", "issues", "utilisation", "verdict")]
    for machine in machines:
        ran = machine.refused is None
        rows.append(
            (
                machine.policy,
                str(machine.issues) if ran else "-",
                f"{100 * machine.utilisation:.0f} %" if ran else "-",
                verdict(machine),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return [f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d}".rstrip() for a, b, c, d in rows]


def verdict(machine: Simulated) -> str:
    """Conforms, or where it leaves; hangs, with those that wait; refused, with the reason."""
    if machine.refused is not None:
        return f"refused: {machine.refused}"
    if machine.departure is not None:
        words = f"departs: {printable(departure(machine.departure))}"
    elif machine.ending is None:
        words = "hangs"
    elif isinstance(machine.ending, Returned):
        words = "conforms"
    else:
        words = "not known: the run did not end"
    if machine.agreement.differences:
        words = "wrong results: a bug of convcheck"
    if machine.waits:
        words += f" ({waiting(machine)})"
    if machine.alignment_name is not None:
        words += f" ({machine.alignment_name})"
    return words


def departure(left: Departure) -> str:
    """Where a machine leaves every legal alignment, and why."""
    ran = "{" + ",".join(map(str, left.group)) + "}"
    legal = " or ".join("{" + ",".join(map(str, group)) + "}" for group in left.legal)
    allows = f"{left.rule.id} allows only {legal}" if left.legal else f"{left.rule.id} forbids it"
    words = f"{left.operation}, lane {left.lane}, {_spelled(left.nth)} time: ran {ran}; {allows}"
    return f"{words}, because {because(left)}"


def because(left: Departure) -> str:
    """What makes the groups that a machine ran illegal."""
    match left.because:
        case SameKey() as same:
            return _same(same)
        case DifferentKeys((reason, other), difference, names):
            return difference_words(difference, names.__getitem__, (f"lane {reason}", f"lane {other}"))
        case Ungroupable():
            return "its token comes from an anchor that cannot group so"
        case Cyclic():
            return "convergence-before has a cycle"
        case Woken(thread):
            return f"thread {thread} had ended: a saved mask woke its lane"
        case SpoiltRegister(register=register, had=had, value=got):
            return f"%{register} was spilled while the lane was off: {got}, it was {had}"
        case Unmasked(block, wave):
            return f"no mask goes with the branch: the lane goes to %{block}, the wave to %{wave}"
        case Misled(block, None):
            return f"its mask turns the lane on in %{block}, and its thread had ended"
        case Misled(block, at):
            return f"its mask turns the lane on in %{block}, and its thread stands before %{at}"
        case Stranded(at):
            return f"the wave returns, and no mask turned the lane on before %{at}"


def _same(key: SameKey) -> str:
    """What it is that says that two lanes have one key."""
    match key.part:
        case None if key.token:
            return f"the token of lane {key.lane} is the same"
        case None:
            return "no header of a cycle around it was passed"
        case Key(own=Pass(block, n)) as part:
            return f"its most recent header %{block} n={n} is equal ({part.rule.id})"
        case Key(own=int(n)) as part:
            return f"{key.operation} n={n} is equal ({part.rule.id})"
        case part:
            return f"{key.operation} is equal ({part.rule.id})"


_FIRST = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def _spelled(n: int) -> str:
    """``first``, ``second``, ``11th``."""
    return _FIRST[n - 1] if n <= len(_FIRST) else ordinal(n)


def unlike_maximal(machine: Simulated) -> list[str]:
    """Where a program without tokens leaves what mode maximal says, which is no rule for the machine."""
    left = None if machine.departure is not None else machine.from_maximal
    return [] if left is None else [f"{machine.policy}: not the maximal alignment: {departure(left)}"]


def disagreements(machine: Simulated) -> list[str]:
    """Where the machine computes something else than the interpreter with the same groups."""
    lines = [f"{machine.policy}: {_difference(d)}" for d in machine.agreement.differences]
    if lines:
        lines.append(
            f"{machine.policy}: a bug of convcheck: the groups are the interpreter's, nothing else is free; "
            f"to show it, this file and launch with `simulate --policy {machine.policy}` and with `run`"
        )
    return lines


def _difference(unequal: Unequal) -> str:
    sides = f"{_short(unequal.machine)}, the interpreter says {_short(unequal.interpreter)}"
    match unequal.aspect:
        case Aspect.ENDING:
            return f"ends with {sides} (thread {unequal.thread})"
        case Aspect.THREAD:
            return f"thread {unequal.thread} ends as {sides}"
        case Aspect.RETURN:
            return f"thread {unequal.thread} returns {sides}"
        case Aspect.EVENTS:
            return f"the events of thread {unequal.thread} are {sides}"
        case Aspect.MEMORY:
            whose = "" if unequal.thread is None else f" of thread {unequal.thread}"
            return f"{printable(unequal.name or '')}{whose} holds {sides}"


def _short(value: Json | tuple[Event, ...]) -> str:
    if isinstance(value, tuple):
        return printable(json.dumps([event(e) for e in value]))
    return printable(value if isinstance(value, str) else json.dumps(value))


def claims(machine: Simulated, module: Module) -> list[str]:
    """What became of the branches that are claimed not to diverge."""
    lines = []
    for claim in machine.claims:
        standing = "proved" if claim.proved else "not proved; lanes that took it together went one way"
        if claim.broken is not None:
            step, where = claim.broken.step, targets(module, claim.broken)
            taken = ", ".join(
                f"lane {lane} with {claim.broken.values[int(lane)]} to %{printable(name)}"
                for lane, name in where.items()
            )
            standing = f"broken in wave {step.wave}, slot {step.slot}: {taken}"
        place = f"%{printable(claim.block)} in @{printable(claim.function)}"
        lines.append(f"{machine.policy}: the branch of {place} is claimed not to diverge: {standing}")
    return lines


def waiting(machine: Simulated) -> str:
    """Who waits where for ever, and who goes round in vain."""
    return "; ".join(
        f"thread {w.thread} {'goes round' if w.spins else 'waits'} at %{printable(w.block)}"
        for w in machine.waits
    )


def masks(simulated: Simulated) -> list[str]:
    """Per wave the block at each slot where it changes, and a line per lane: ``#`` where it is active."""
    lines: list[str] = []
    machine = simulated.machine
    assert machine is not None
    for wave, size in simulated.lanes.items():
        steps = [s for s in simulated.steps if s.wave == wave]
        if len(simulated.lanes) > 1:
            lines.append(f"Wave {wave}:")
        left, steps = max(0, len(steps) - COLUMNS), steps[:COLUMNS]
        more = f" ... ({left} more slots)" if left else ""
        heads, last, free = [" "] * len(steps), None, 0
        for at, step in enumerate(steps):
            here = (step.function, step.block, step.mask)
            name = printable(block(machine.program, step))
            if here != last and at >= free:
                heads[at : at + len(name)] = list(name)[: len(steps) - at]
                free = at + len(name) + 1
            last = here
        lines.append(f"{'':8} {''.join(heads)}".rstrip())
        for lane in range(size):
            row = "".join("#" if s.mask >> lane & 1 else "." for s in steps)
            lines.append(f"Lane {lane:<3} {row}{more}")
    return lines


def slots(simulated: Simulated) -> list[str]:
    """Every slot on a line: number, wave, block, operation, mask in binary (lane 0 last)."""
    machine = simulated.machine
    assert machine is not None
    return [
        f"{s.slot:>5}  wave {s.wave}  %{printable(block(machine.program, s))}: "
        f"{printable(operation(machine.program, s))}  {s.mask:0{simulated.lanes[s.wave]}b}"
        for s in simulated.steps
    ]


# -- What answers about lock-step machines call a slot's operation


def operation(program: Program, step: Issued) -> str:
    """``%name`` for an instruction with a name, ``@callee#k`` for a call without, else its opcode."""
    instruction = program.module.functions[step.function].instructions[step.at]
    if instruction.result is not None and not instruction.result.isdecimal():
        return f"%{instruction.result}"
    if isinstance(instruction, CallSite):
        return program.name(StaticInstance(step.function, step.at))
    return opcode(instruction)


def block(program: Program, step: Issued) -> str:
    """The name of a slot's block."""
    return program.module.functions[step.function].blocks[step.block].name


def targets(module: Module, parted: Parted) -> dict[str, str]:
    """Where a branch that parted its lanes sent each of them."""
    blocks = module.functions[parted.step.function].blocks
    destinations = [
        (lane, blocks[target].name) for target, mask in parted.targets.items() for lane in lanes(mask)
    ]
    return {str(lane): name for lane, name in sorted(destinations)}


# -- Two programs side by side on each machine, such as one before and after a transform


def beside(
    names: tuple[str, str],
    modules: tuple[Module, Module],
    machines: Sequence[Simulated],
    others: Sequence[Simulated],
) -> str:
    """A line per machine: issue slots, the share of active lanes and the verdict, of one and of the other;
    then the code sizes."""
    rows: list[tuple[str, ...]] = [
        ("machine", "issues", "beside", "", "utilisation", "beside", "verdict", "beside")
    ]
    for left, other in zip(machines, others, strict=True):
        both = (left, other)
        ran = all(s.refused is None for s in both)
        issues = [str(s.issues) if s.refused is None else "-" for s in both]
        active = [f"{100 * s.utilisation:.0f} %" if s.refused is None else "-" for s in both]
        more = change(left.issues, other.issues) if ran else ""
        rows.append((left.policy, *issues, more, *active, *map(word, both)))
    sizes = [code_size(module) for module in modules]
    rows.append(("code size", *map(str, sizes), change(*sizes), "", "", "", ""))
    widths = [max(len(row[column]) for row in rows) for column in range(8)]
    right = (1, 2, 3, 4, 5)
    lines = [
        "  ".join(
            cell.rjust(widths[at]) if at in right else cell.ljust(widths[at]) for at, cell in enumerate(row)
        )
        for row in rows
    ]
    lines_beside = [f"{names[0]}, and beside it {names[1]}", "", *lines]
    return "\n".join(line.rstrip() for line in lines_beside) + "\n"


def word(machine: Simulated) -> str:
    """The verdict in a word."""
    if machine.refused is not None:
        return "refused"
    if machine.departure is not None:
        return "departs"
    if machine.ending is None:
        return "hangs"
    return "conforms" if isinstance(machine.ending, Returned) else "not known"


def change(figure: int, other: int) -> str:
    """By how much a number changes.

    >>> change(18, 26), change(20, 10), change(3, 3)
    ('+44 %', '-50 %', '+0 %')
    """
    return f"{100 * (other - figure) / figure:+.0f} %" if figure else ""


def github(name: str, module: Module, machines: Sequence[Simulated]) -> str:
    """``convcheck simulate --format github``: of one machine alone a departure or a hang is an error, of
    several a notice, for they need not all conform."""
    severity = "error" if len(machines) == 1 else "notice"
    lines = []
    for machine in machines:
        if machine.refused is not None:
            lines.append(workflow_command("warning", name, None, NOWHERE, machine.policy, verdict(machine)))
        elif machine.departure is not None or machine.ending is None:
            span = _departing_call(machine) if machine.departure is not None else NOWHERE
            lines.append(
                workflow_command(severity, name, module.source, span, machine.policy, verdict(machine))
            )
        else:
            lines.append(ended_command(name, module, machine.ending, machine.policy))
    return "".join(lines)


def _departing_call(machine: Simulated) -> Span:
    """Where the operation stands at which a machine departs."""
    assert machine.departure is not None and machine.machine is not None
    for group in machine.groups:
        if group.operation == machine.departure.operation:
            return machine.machine.program.span(group.site)
    return NOWHERE


# ----------------------------------------------------------------------------------------------------------
# Machines side by side in figures: slots, active lanes, masks saved, the first departure.
# ----------------------------------------------------------------------------------------------------------


_HEAD = (
    "machine", "wave", "slots", "active lanes", "utilisation", "machine operations", "masks saved",
    "first departure", "verdict",
)  # fmt: skip
_RIGHT = range(1, 7)


def figures_text(machines: Sequence[Simulated]) -> str:
    """A line per machine and wave, and one for all waves where there are several."""
    rows: list[tuple[str, ...]] = [_HEAD]
    for machine in machines:
        lines = figures(machine)
        if not lines:
            rows.append((machine.policy, *["-"] * (len(_HEAD) - 2), word(machine)))
        for line in lines if len(lines) > 2 else lines[-1:]:
            verdict = word(machine) if line.wave is None else ""
            rows.append((machine.policy, *_cells(line), verdict))
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    return "".join(
        "  ".join(
            cell.rjust(width) if column in _RIGHT else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        + "\n"
        for row in rows
    )


def _cells(line: Figures) -> tuple[str, ...]:
    return (
        "all" if line.wave is None else str(line.wave),
        str(line.slots),
        f"{line.active}/{line.room}",
        f"{100 * line.utilisation:.0f} %",
        str(line.operations),
        str(line.saved),
        "-" if line.departure is None else f"slot {line.departure}",
    )


def figures_data(machine: Simulated) -> list[Json]:
    """The same as data: the waves in order, then all of them (``wave`` is ``null``)."""
    return [
        {
            "wave": line.wave,
            "issues": line.slots,
            "active_lanes": line.active,
            "lane_slots": line.room,
            "utilisation": round(line.utilisation, 6),
            "machine_operations": line.operations,
            "masks_saved": line.saved,
            "departure_slot": line.departure,
        }
        for line in figures(machine)
    ]


# ----------------------------------------------------------------------------------------------------------
# The listing of a machine's code, with the mask behind each operation, and the structured CFG.
# ----------------------------------------------------------------------------------------------------------


ROWS_SHOWN = 6  # so many of the times that an operation ran are shown
TEXT = 34  # columns of an operation
NAMES = {"exec-mask": "exec"}


def listing_text(policy: str, listings: Sequence[Listing], listing: bool, structured: bool) -> str:
    """What was asked for, function by function; masks in binary, lane 0 last, one for each time."""
    parts = []
    for item in listings:
        if structured:
            head = f"Structured CFG of @{printable(item.function)}:"
            parts.append("\n".join([head, *(printable(line) for line in item.structured)]))
        if listing:
            name = NAMES.get(policy, "mask")
            head = f"Listing of @{printable(item.function)}:"
            rows = [_row(line, item.lanes) for line in item.lines]
            width = max([len(name), *(len(masks) for _, masks, _ in rows)])
            wide = max([TEXT, *(len(t) for t, _, _ in rows)])
            lines = [f"{head:<{wide}}  {name}"]
            lines += [f"{t:<{wide}}  {m:<{width}}  {n}".rstrip() for t, m, n in rows]
            parts.append("\n".join(lines))
    if not parts:
        return f"{policy} has no code on masks to list"
    return "\n\n".join(parts)


def _row(line: Line, lanes: int) -> tuple[str, str, str]:
    if line.label is not None:
        return f"{line.label}:", "", ""
    note = f"// {printable(line.note)}" if line.note else ""
    return f"    {printable(line.text)}", _masks(line.masks, lanes), note


def _masks(masks: Sequence[Mask], lanes: int) -> str:
    """``-`` for what never ran."""
    shown = " ".join(f"{mask & (1 << lanes) - 1:0{lanes}b}" for mask in masks[:ROWS_SHOWN])
    more = f" ... (+{len(masks) - ROWS_SHOWN})" if len(masks) > ROWS_SHOWN else ""
    return f"{shown}{more}" if masks else "-"


def as_json(listings: Sequence[Listing]) -> Json:
    """The same for programs: masks as integers, bit i for lane i."""
    return [
        {
            "function": "@" + listing.function,
            "structured": [line.strip() for line in listing.structured],
            "lines": [
                {"label": line.label, "operation": line.text, "machine": line.extra,
                 "masks": [mask & (1 << listing.lanes) - 1 for mask in line.masks]}
                for line in listing.lines
            ],
        }
        for listing in listings
    ]  # fmt: skip


# ----------------------------------------------------------------------------------------------------------
# ``convcheck simulate --format json``: per machine whether it conforms, its groups, and what it issued.
# ----------------------------------------------------------------------------------------------------------


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
        "figures": figures_data(simulated),
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


# ----------------------------------------------------------------------------------------------------------
# ``block-ip``'s linearised CFG, as *Unstructured Branches* draws it: numbers, JOIN points, jumps.
# ----------------------------------------------------------------------------------------------------------


def linear_text(module: Module, order: str) -> str:
    """A line per block of each defined function."""
    parts = []
    for function in module.definitions():
        facts = Facts(function)
        lines = linear(facts, order)
        names = [f"%{printable(facts.name(line.block))}" for line in lines] + ["the return block"]
        rows = []
        for line in lines:
            head = "" if line.join is None else f"JOIN, else to {names[line.join]}"
            jumps = [f"back to {names[to]} if any lane wants" for to in line.back]
            if line.forward is not None:
                jumps.append(f"on to {names[line.forward]} if all lanes are beyond {names[line.number + 1]}")
            rows.append((f"{line.number:>4}", names[line.number], head, "; ".join(jumps)))
        widths = [max((len(row[at]) for row in rows), default=0) for at in range(4)]
        shown_rows = [
            "  ".join(cell.ljust(w) for cell, w in zip(r, widths, strict=True)).rstrip() for r in rows
        ]
        parts.append("\n".join([f"@{printable(function.name)}, linearised:", *shown_rows]))
    return "\n\n".join(parts) + "\n"


# ----------------------------------------------------------------------------------------------------------
# Masks over time as SVG, in the style of alignments: a row per lane, a column per issue slot, a colour with
# a pattern per block. A filled cell is a lane that is on.
# ----------------------------------------------------------------------------------------------------------


CELL, GAP, MARGIN, LINE, SMALL = 14.0, 2.0, 16.0, 20.0, 11.0
LANES_SHOWN = 2_000  # slots of a wave that are drawn
LONG = 110  # display cells of a verdict
TICK = 10  # slots from number to number


def masks_svg(machines: Sequence[Simulated], prefix: str = "convcheck") -> str:
    """One picture, machine under machine, wave under wave."""
    drawing = _Masks(prefix)
    for machine in machines:
        drawing.machine(machine)
    return drawing.document(machines)


class _Masks:
    """The picture in the making: ``y`` is where it goes on."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.parts: list[str] = []
        self.y, self.right = MARGIN, 400.0
        self.paints: dict[tuple[str, int], int] = {}
        self.names: dict[tuple[str, int], str] = {}

    def document(self, machines: Sequence[Simulated]) -> str:
        """The whole text."""
        self._blocks()
        names = ", ".join(machine.policy for machine in machines)
        title = ". ".join(printable(f"{machine.policy}: {verdict(machine)}") for machine in machines)
        width, height = self.right + MARGIN, self.y + MARGIN
        head = [
            element("title", markup(printable(f"Masks over time: {names}")), id=f"{self.prefix}-title"),
            element("desc", markup(title), id=f"{self.prefix}-desc"),
            sheet(self.prefix),
            element("defs", *(pattern(self.prefix, n) for n in sorted(set(self.paints.values())))),
            element("rect", width=width, height=height, class_="paper"),
        ]
        return document(self.prefix, width, height, [*head, *self.parts])

    def machine(self, machine: Simulated) -> None:
        """A machine: its verdict, and its waves."""
        heading = shortened(printable(f"{machine.policy}: {verdict(machine)}"), LONG)
        self._line(heading)
        if machine.machine is None:
            return
        for wave, size in machine.lanes.items():
            steps = [step for step in machine.steps if step.wave == wave]
            self._wave(machine, wave, size, steps[:LANES_SHOWN], len(steps))

    def _line(self, text: str, kind: str = "ink", size: float = SIZE) -> None:
        self.y += LINE
        self.parts.append(text_line(text, MARGIN, self.y, size, kind=kind))
        self.right = max(self.right, MARGIN + length(text, size))

    def _wave(self, machine: Simulated, wave: int, size: int, steps: Sequence[Issued], of: int) -> None:
        assert machine.machine is not None
        program = machine.machine.program
        left = f" of {of}" if of > len(steps) else ""
        many = f"wave {wave}: " if len(machine.lanes) > 1 else ""
        self._line(
            f"{many}{len(steps)}{left} issue slots, time to the right; filled: the lane is on", "faint", SMALL
        )
        start = MARGIN + length(f"lane {size - 1}") + MARGIN / 2
        self.y += 4
        self._labels(machine, start, steps)
        top = self.y
        for lane in range(size):
            middle = top + (CELL + GAP) * lane + CELL / 2 + SMALL * 0.35
            self.parts.append(text_line(f"lane {lane}", MARGIN, middle, SMALL))
        for at, step in enumerate(steps):
            key = step.function, step.block
            if key not in self.paints:
                self.paints[key] = paint(len(self.paints))
                self.names[key] = printable(block(program, step))
            x = start + (CELL + GAP) * at
            tooltip = f"slot {step.slot}: %{self.names[key]}: {printable(operation(program, step))}"
            row = [title(tooltip)]
            for lane in range(size):
                box = {"x": x, "y": top + (CELL + GAP) * lane, "width": CELL, "height": CELL, "rx": 2.0}
                on = step.mask >> lane & 1
                fill = f"url(#{self.prefix}-p{self.paints[key]})" if on else "none"
                row.append(element("rect", **box, fill=fill, class_="" if on else "alone"))
            self.parts.append(element("g", *row))
        self.y = top + (CELL + GAP) * size
        self._ticks(start, len(steps))
        self.right = max(self.right, start + (CELL + GAP) * len(steps))

    def _labels(self, machine: Simulated, start: float, steps: Sequence[Issued]) -> None:
        """Block names above the first slot of each stay, in as many lines as they need not to run into each
        other: none is left out."""
        assert machine.machine is not None
        program = machine.machine.program
        ends: list[float] = []
        stays = []
        at = 0
        for _, stay in groupby(steps, key=lambda step: (step.function, step.block, step.mask)):
            run = list(stay)
            stays.append((at, printable(block(program, run[0]))))
            at += len(run)
        placed = []
        for at, name in stays:
            x = start + (CELL + GAP) * at
            line = next((n for n, end in enumerate(ends) if end <= x), len(ends))
            if line == len(ends):
                ends.append(0.0)
            ends[line] = x + length(name, SMALL) + GAP * 2
            self.right = max(self.right, ends[line])
            placed.append((x, line, name))
        height = (SMALL + 3) * len(ends)
        for x, line, name in placed:
            base = self.y + height - (SMALL + 3) * line - 2
            if line:
                self.parts.append(
                    element("line", x1=x + 1, y1=base + 2, x2=x + 1, y2=self.y + height, class_="lane")
                )
            self.parts.append(text_line(name, x, base, SMALL))
        self.y += height + 3

    def _ticks(self, start: float, slots: int) -> None:
        """The slots' numbers below."""
        self.y += SMALL + 1
        for at in range(0, slots, TICK):
            x = start + (CELL + GAP) * at + CELL / 2
            self.parts.append(text_line(str(at), x, self.y, SMALL, "middle", "faint"))
        self.y += 4

    def _blocks(self) -> None:
        """What each paint stands for."""
        if not self.paints:
            return
        self.y += LINE
        x = MARGIN
        several = len({function for function, _ in self.paints}) > 1
        for (function, number), kind in self.paints.items():
            name = self.names[function, number]
            label = shortened(f"@{function} %{name}" if several else f"%{name}", 40)
            width = CELL + 6 + length(label, SMALL) + MARGIN
            if x > MARGIN and x + width > max(self.right, 640.0):
                x, self.y = MARGIN, self.y + LINE
            fill = f"url(#{self.prefix}-p{kind})"
            self.parts.append(
                element("rect", x=x, y=self.y - CELL + 3, width=CELL, height=CELL, rx=2.0, fill=fill)
            )
            self.parts.append(text_line(label, x + CELL + 6, self.y, SMALL))
            x += width
            self.right = max(self.right, x)
