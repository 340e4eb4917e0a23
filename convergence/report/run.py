"""What ``run`` says, in each format."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import accumulate, groupby, zip_longest
from json import dumps
from math import isfinite
from typing import TYPE_CHECKING, Protocol

from ..alignment import Columns, DynamicInstance, Execution, StaticInstance, order
from ..diagnostics import Severity
from ..frozen import Json
from ..ir.module import Module
from ..semantics import ENDING_NAMES, Ending, OutOfBound, Returned
from ..semantics.machine import Accessed, Called, Event, Stepped, TraceEvent, each_visit
from ..semantics.machine.launch import Launch, LaunchSpec, Waves
from ..semantics.machine.program import name_of
from ..semantics.machine.run import Contents, Group, Outcome, Run, ThreadOutcome
from ..semantics.operations import Extent
from .parts import PLAIN, SCHEMA, Style, block_name, printable
from .parts import words as endings
from .parts import words as races
from .parts.words import details, key_text, members, ranges, reason, results, threads, value, words

if TYPE_CHECKING:
    from ..semantics.machine.buffers import BufferContents

# ----------------------------------------------------------------------------------------------------------
# A run for people: the picture, the groups of each operation, what came out, how it ended.
# ----------------------------------------------------------------------------------------------------------


LONGEST = 120  # characters of a global's contents, or of an event, that are shown
COLUMNS = 500  # columns of a picture that are shown
EVENTS = 20  # events of a thread that are shown


def text(
    run: Run,
    module: Module,
    picture: Sequence[str],
    notes: Sequence[str],
    style: Style = PLAIN,
    quiet: bool = False,
    verbose: bool = False,
    buffers: Sequence[BufferContents] = (),
    caveats: Sequence[str] = (),
) -> str:
    """What ``convcheck run`` prints. The picture, if there is one, comes first. ``quiet`` stops after it
    unless the run failed; ``verbose`` adds the control intrinsics, the rules and the choices. ``buffers`` are
    those that are to be shown; ``caveats`` are said even where ``quiet`` leaves out the notes: why numbers
    that are shown may be others."""
    rows = picture if verbose else [cut(row) for row in picture]
    parts = ["\n".join(f"Thread {number}: {row}" for number, row in enumerate(rows))]
    why = reason(run.ending)
    if not quiet:
        parts.append("" if run.unlisted else group_lines(run.groups, verbose, run.waiting))
        parts.append(
            outcome_text(
                run.eventless if run.unlisted else run.outcome,
                run.changed_memory,
                frozenset(held.name for held in buffers),
            )
        )
    parts.append("\n".join(map(contents, buffers)))
    if why is not None:
        lines = [style.severity(Severity.ERROR, why[0].upper() + why[1:])]
        parts.append("\n".join([*lines, *(f"  {line}" for line in details(run.ending, module))]))
    shown_notes = notes if not quiet or why is not None else caveats
    if run.unlisted and not quiet:
        shown_notes = [*shown_notes, run.unlisted]
    parts.append("\n".join(f"note: {printable(note)}" for note in shown_notes))
    if verbose:
        parts.append(_verbose(run))
    return "\n\n".join(part for part in parts if part) + "\n"


def cut(row: str) -> str:
    """A row of very many columns without its end."""
    columns = row.split(" ", COLUMNS)
    if len(columns) <= COLUMNS:
        return row
    left = columns.pop().count(" ") + 1
    return " ".join(columns) + f" ... ({left} more columns with -v)"


def group_lines(
    met: Sequence[Group], control: bool, incomplete: frozenset[DynamicInstance] = frozenset()
) -> str:
    """Each convergent operation, and under it the groups that executed it together."""
    lines: list[str] = []
    several = len({group.site.function for group in met}) > 1
    shown = [group for group in met if control or not group.control]
    for site, groups in groupby(shown, key=lambda group: group.site):
        first, *rest = groups
        callee = "" if first.operation.startswith(first.callee) else f" ({printable(first.callee)})"
        where = f" in @{printable(site.function)}" if several else ""
        lines.append(f"{printable(first.operation)}{callee}{where}:")
        lines += [
            _group_line(group) + (" (waiting)" if group.members[0] in incomplete else "")
            for group in (first, *rest)
        ]
    return "\n".join(lines)


def _group_line(group: Group) -> str:
    group_members = members((member.thread, member.nth) for member in group.members)
    return f"  {group_members}" + (f": {results(group.results)}" if group.results else "")


def contents(held: BufferContents) -> str:
    """What a buffer holds, all of it, in the words in which the command line takes it."""
    element = held.placed.element
    values = (v if isinstance(v, str) else element.spelled(v) for v in held.values)
    return f"{printable(held.name)} = {held.placed.words}: {', '.join(values)}".rstrip()


def outcome_text(outcome: Outcome, changed: Contents, apart: frozenset[str] = frozenset()) -> str:
    """Return values, threads with the same one on one line; events; memory that changed, shared memory
    first, but for what is shown ``apart``."""
    lines: list[str] = []
    for ending, group in groupby(outcome.threads, key=_ended):
        numbers = [thread.thread for thread in group]
        lines.append(f"Thread{'' if len(numbers) == 1 else 's'} {ranges(numbers)} {ending}")
    for thread in outcome.threads:
        if thread.events:
            lines.append(f"Thread {thread.thread} events:")
            lines += [f"  {number} {_event(e)}" for number, e in enumerate(thread.events[:EVENTS], 1)]
            if len(thread.events) > EVENTS:
                lines.append(f"  ... ({len(thread.events) - EVENTS} more in --format json)")
    shared = {name: v for name, v in changed.shared.items() if name not in apart}
    if shared or any(changed.own):
        lines.append("Memory:")
        lines += [f"  {printable(name)} = {_short(value(v))}" for name, v in shared.items()]
    by_value: dict[tuple[str, str], list[int]] = {}
    for thread, own in zip(outcome.threads, changed.own, strict=False):
        for name, v in own.items():
            by_value.setdefault((name, value(v)), []).append(thread.thread)
    for (name, held), numbers in sorted(by_value.items(), key=lambda entry: (entry[0][0], entry[1])):
        whose = f"thread{'s' * (len(numbers) > 1)} {ranges(numbers)}"
        lines.append(f"  {printable(name)} = {_short(held)} in {whose}")
    return "\n".join(lines)


def _ended(thread: ThreadOutcome) -> str:
    if thread.ended == "returned":
        return "returned" if thread.value is None else f"returned {value(thread.value)}"
    return "did not finish" if thread.ended == "unfinished" else thread.ended


def _event(event: Event) -> str:
    operands = ", ".join(value(operand) for operand in event.operands)  # type: ignore[arg-type]
    if isinstance(event, Called):
        call = f"@{printable(event.callee.removeprefix('@'))}({operands})"
    else:
        call = f"volatile {event.operation}({operands})"
    if event.result is not None:
        call += f" => {value(event.result)}"  # type: ignore[arg-type]
    if isinstance(event, Called) and event.group is not None:
        call += f" with {members(event.group.items())}"
    return _short(call)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _verbose(run: Run) -> str:
    lines = ["Rules: " + ", ".join(rule.id for rule in run.rules)]
    lines += [f"Choice: {printable(c.label)}: option {c.option + 1} of {c.options}" for c in run.choices]
    ended = "returned" if isinstance(run.ending, Returned) else "not returned"
    lines.append(f"Steps: {json.dumps(run.steps)} instructions, {ended}")
    lines += endings.engine_lines(run.engine)
    return "\n".join(lines)


# ----------------------------------------------------------------------------------------------------------
# A run as data: the objects A (alignment) and O (outcome) of ``convcheck/1``, and the whole answer.
# ----------------------------------------------------------------------------------------------------------


class HasAlignment(Protocol):
    """What has an alignment: one run, or one that enumeration found."""

    @property
    def execution(self) -> Execution: ...
    @property
    def groups(self) -> tuple[Group, ...]: ...


def alignment(run: HasAlignment, picture: tuple[str, ...]) -> dict[str, Json]:
    """A: the picture, and per operation its groups. ``column`` is the group's place in
    convergence-before, from 1; ``null`` where that has a cycle."""
    ordered = order(run.execution) if run.groups else None  # a long run without any is answered at once
    column = ordered.column if isinstance(ordered, Columns) else {}
    operations: dict[object, dict[str, Json]] = {}
    groups: dict[object, list[Json]] = {}
    for group in run.groups:
        if group.site not in operations:
            operations[group.site] = {
                "operation": group.operation,
                "callee": group.callee,
                "function": "@" + group.site.function,
            }
        groups.setdefault(group.site, []).append(_group_data(group, column.get(group.members[0])))
    return {
        "picture": list(picture),
        "operations": [{**operation, "groups": groups[site]} for site, operation in operations.items()],
    }


def _group_data(group: Group, column: int | None) -> dict[str, Json]:
    return {
        "column": column,
        "members": [{"thread": member.thread, "nth": member.nth} for member in group.members],
        "results": {str(thread): value for thread, value in group.results.items()},
    }


def event(value: Event) -> dict[str, Json]:
    """An event: what was called or accessed, with what, what came back, and a convergent call's group
    as a map from thread to the number of the event there, from 1."""
    operands = list(value.operands)
    if isinstance(value, Called):
        group = None if value.group is None else {str(t): n for t, n in value.group.items()}
        return {
            "callee": "@" + value.callee.removeprefix("@"),
            "operands": _list(operands),
            "result": _any(value.result),
            "group": None if group is None else dict(group),
        }
    return {
        "callee": f"volatile {value.operation}",
        "operands": _list(operands),
        "result": _any(value.result),
        "group": None,
    }


def _any(value: object) -> Json:
    """Plain data that the machine hands out without its type."""
    return value  # type: ignore[return-value]


def _list(values: list[object]) -> list[Json]:
    return [_any(value) for value in values]


def outcome(value: Outcome) -> dict[str, Json]:
    """O: per thread how it ended, what it returned, its events, its own thread_local memory where there is
    any; and the final shared memory."""
    return {
        "threads": [
            {
                "thread": thread.thread,
                "return": thread.value,
                "events": [event(e) for e in thread.events],
                "ended": thread.ended,
                **({"memory": dict(thread.memory)} if thread.memory else {}),
            }
            for thread in value.threads
        ],
        "memory": dict(value.memory),
    }


def buffer(held: BufferContents) -> dict[str, Json]:
    """What a buffer holds: its type, its shape, its numbers in a row; ``"poison"``, ``"undef"``, and strings
    for infinities and NaN, where JSON has no number."""

    def plain(value: int | float | str) -> Json:
        if not isinstance(value, float) or isfinite(value):
            return value
        return held.placed.element.spelled(value)

    return {
        "type": held.placed.element.name,
        "shape": list(held.placed.shape),
        "values": [plain(value) for value in held.values],
    }


def bound(ending: Ending | None) -> dict[str, Json]:
    """``bound``: the name of the one that was hit, where one was."""
    return {"bound": words(ending.bound)} if isinstance(ending, OutOfBound) else {}


def waves(waves: Waves | None) -> Json:
    """``wave``: how many lanes one has, and how many of each run; ``null`` where the module does not say
    it."""
    return None if waves is None else {"size": waves.size, "lanes": list(waves.lanes)}


def shape(launch: Launch) -> dict[str, Json]:
    """What is launched: the function, how many threads in all, the grid of workgroups and the threads of each
    along x, y and z, and the lanes of a subgroup, if they were asked for."""
    return {
        "function": "@" + launch.function,
        "threads": launch.threads,
        "grid": list(launch.grid),
        "workgroup": list(launch.workgroup or Extent(launch.threads)),
        "subgroup_size": launch.subgroup_size,
    }


def answer(run: Run, module: Module, picture: tuple[str, ...], notes: tuple[str, ...]) -> dict[str, Json]:
    """``convcheck run --format json``."""
    launch = run.machine.launch
    return {
        "schema": SCHEMA,
        "command": "run",
        "ending": ENDING_NAMES[type(run.ending)],
        "alignment": alignment(run, picture),
        "outcome": outcome(run.outcome),
        "rules": [rule.id for rule in run.rules],
        **shape(launch),
        "wave": waves(run.waves),
        "reason": reason(run.ending),
        **bound(run.ending),
        "details": list(details(run.ending, module)),
        "notes": list(notes),
        **({} if run.otherwise is None else {"otherwise": run.otherwise}),
        "races": races.race_data(run.races, module),
        "choices": [
            {"choice": choice.label, "options": choice.options, "taken": choice.option}
            for choice in run.choices
        ],
        "steps": run.steps,
        "engine": endings.engine_data(run.engine),
    }


# ----------------------------------------------------------------------------------------------------------
# Where two engines' answers for one run differ, and what shows it again.
# ----------------------------------------------------------------------------------------------------------


def difference(first: Run, second: Run, module: Module) -> str | None:
    """The first part of the answers that differs, or the first event; ``None`` if all is the same. Which
    engine it was is no part of an answer."""
    mine, its = (answer(run, module, (), run.notes) for run in (first, second))
    for name in mine:
        if name != "engine" and mine[name] != its.get(name):
            return f"{name}: {dumps(mine[name])}\nagainst {dumps(its.get(name))}"
    logs = [map(_event_data, filter(_is_compared, each_visit(run.log))) for run in (first, second)]
    for number, (event, against) in enumerate(zip_longest(*logs)):
        if event != against:
            return f"event {number}: {event}\nagainst {against}"
    return None


def _is_compared(event: object) -> bool:
    """All but who touched shared memory: native code knows whom a thread met there, and no more."""
    return not isinstance(event, Accessed) or event.owner is not None


def _event_data(event: object) -> tuple[str, object]:
    """An event without its key, which each run makes for itself."""
    fields = event._asdict() if hasattr(event, "_asdict") else event
    if isinstance(fields, dict):
        fields = {name: value for name, value in fields.items() if name not in ("key", "together")}
    return type(event).__name__, fields


def reproducer(where: str, spec: LaunchSpec, text: str) -> str:
    """A file's contents: what differs, how it was launched, and the program."""
    report = f"The engines differ. {where}\nThe launch: {spec}"
    return "".join(f"; {line}\n" for line in report.splitlines()) + "\n" + text


# ----------------------------------------------------------------------------------------------------------
# ``--trace``: a line per step, or an event per line as JSON.
# ----------------------------------------------------------------------------------------------------------


LONGEST_STEP = 100  # characters of an instruction that a line shows


class TraceView:
    """Renders the trace events of one module's run."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._name = lru_cache(maxsize=None)(partial(name_of, module))
        self._instruction = lru_cache(maxsize=None)(self._spelled)
        self._ends: dict[str, list[int]] = {}
        self._block = lru_cache(maxsize=None)(self._block_of)

    def text(self, event: TraceEvent) -> str:
        """``thread 0  B  %x = add i32 %a, 1  => 5``; for a convergent operation or control intrinsic
        also its group, its key and the rule that gave the key."""
        place = f"thread {event.thread}  {block_name(self._block(event.site))}"
        if not isinstance(event, Stepped):
            key = key_text(event.key, self._name)
            waits = printable(f"waits at {self._name(event.site)} #{event.nth}, {key}")
            return f"{place}  {waits}\n"
        line = f"{place}  {self._instruction(event.site)}"
        if event.value is not None:
            line += f"  => {value(event.value)}"
        if event.key is not None:
            together = f"with {threads(event.group)}, " if event.group else ""
            rule = "" if event.rule is None else f" [{event.rule.id}]"
            line += f"  #{event.nth} {together}{printable(key_text(event.key, self._name))}{rule}"
        return line + "\n"

    def json(self, event: TraceEvent) -> dict[str, Json]:
        """The same as data."""
        stepped = isinstance(event, Stepped)
        data: dict[str, Json] = {
            "event": "step" if stepped else "wait",
            "thread": event.thread,
            "frame": event.frame,
            "function": "@" + event.site.function,
            "block": self._block(event.site),
            "instruction": self._instruction(event.site),
        }
        if isinstance(event, Stepped):
            data["result"] = None if event.result is None else "%" + event.result
            data["value"] = event.value
        if event.key is not None:
            data["nth"] = event.nth
            data["key"] = key_text(event.key, self._name)
            data["rule"] = None if event.rule is None else event.rule.id
            data["group"] = list(event.group) if isinstance(event, Stepped) else []
        return data

    def _spelled(self, site: StaticInstance) -> str:
        """The instruction as the source spells it, on one line."""
        instruction = self._module.functions[site.function].instructions[site.index]
        words = " ".join(self._module.source.excerpt(instruction.span).split())
        return printable(words if len(words) <= LONGEST_STEP else words[: LONGEST_STEP - 1] + "…")

    def _block_of(self, site: StaticInstance) -> str:
        blocks = self._module.functions[site.function].blocks
        ends = self._ends.get(site.function)
        if ends is None:
            ends = self._ends[site.function] = list(accumulate(len(block.instructions) for block in blocks))
        return blocks[bisect_right(ends, site.index)].name
