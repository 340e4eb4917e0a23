"""What ``drive`` says, in each format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ..device.client import DeviceFacts, DeviceFailed
from ..drive.trial import Driven, ElementDifference, IllegalResult, Trial
from ..frozen import Json
from .parts import SCHEMA, printable
from .parts.words import ranges, reason, words
from .run import buffer, shape
from .simulate import departure, departure_data

# ----------------------------------------------------------------------------------------------------------
# What ``drive`` says, a module a format.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# A device's results in words: each outcome with how often it was seen, what is not legal, one last line.
# ----------------------------------------------------------------------------------------------------------


LONGEST = 32
"""Elements of a buffer that are shown."""


def text(driven: Driven, shown: Sequence[str], quiet: bool = False) -> str:
    """What ``convcheck drive`` prints; of buffers those that are to be ``shown``, else those that differ."""
    trial = driven.trial
    parts = [] if quiet else [_launch(driven)]
    if not quiet:
        parts += _outcomes(driven, shown)
    parts += [_illegal(n, result) for n, result in enumerate(trial.illegal, 1)]
    parts.append("\n".join(f"note: {printable(note)}" for note in (*driven.notes, *trial.notes)))
    parts.append(summary(trial))
    return "\n\n".join(part for part in parts if part) + "\n"


def summary(trial: Trial) -> str:
    """``legal: 100 of 100 runs; 1 of 1 legal outcomes seen (complete)``."""
    how = "complete" if trial.bound is None else f"not complete: {printable(words(trial.bound))}"
    if trial.undefined:
        return "unknown: an execution has undefined behaviour, so that every result is legal; nothing was run"
    if trial.failed is not None:
        return f"unknown: no answer: {failure(trial.failed)}"
    legal = sum(outcome.runs for outcome in trial.legal)
    count = sum(outcome.runs > 0 for outcome in trial.legal)
    outcomes = f"{count} of {len(trial.legal)} legal outcomes seen ({how})"
    line = f"{trial.verdict}: {legal} of {trial.runs} runs; {outcomes}"
    if trial.verdict == "unknown":
        floats = any(result.floating for result in trial.illegal)
        why = "the precision of floating-point numbers is open" if floats else "other outcomes may be legal"
        if not floats and trial.open_reads:
            reads = ", ".join(map(printable, trial.open_reads))
            why = f"a read of {reads} gives undef, from which anything may come"
        line += f"; {why}"
    return line


def failure(failed: DeviceFailed) -> str:
    """Why a device gave no answer."""
    return f"{printable(failed.why)} ({failed.stage})"


def _launch(driven: Driven) -> str:
    facts = driven.facts
    size = f"subgroups of {driven.subgroup_size}" if driven.subgroup_size else "no subgroups"
    groups = f"{driven.workgroups} workgroup{'s' * (driven.workgroups != 1)} of {driven.threads}"
    lines = [f"Device {number(facts)}: {printable(facts.words)}", f"{groups}, {size}; {driven.origin}"]
    return "\n".join(lines)


def _outcomes(driven: Driven, shown: Sequence[str]) -> list[str]:
    parts = []
    for number, legal in enumerate(driven.trial.legal, 1):
        times = f"seen {legal.runs} time{'s' * (legal.runs != 1)}" if legal.runs else "not seen"
        why = reason(legal.outcome.example)
        lines = [f"Outcome {number}: {times}" + ("" if why is None else f": {why}")]
        memory = driven.memory_of(legal.outcome)
        lines += [f"  {_contents(name, memory[name])}" for name in _names(memory, shown)]
        parts.append("\n".join(lines))
    return parts


def _names(memory: Mapping[str, Json], shown: Sequence[str]) -> list[str]:
    return [name for name in memory if name in shown] if shown else list(memory)


def _contents(name: str, value: Json) -> str:
    if isinstance(value, list):
        more = f", ... ({len(value)} in all)" if len(value) > LONGEST else ""
        return f"{printable(name)} = {', '.join(map(str, value[:LONGEST]))}{more}"
    return f"{printable(name)} = {value}"


def _illegal(number: int, result: IllegalResult) -> str:
    word = "differs in floating-point numbers" if result.floating else "no legal outcome"
    times = f"seen {result.runs} time{'s' * (result.runs != 1)}"
    lines = [
        f"Result {number}: {word}, {times}, {result.elements} element{'s' * (result.elements != 1)} differ"
    ]
    lines += [f"  {difference(explanation)}" for explanation in result.differences]
    if result.elements > len(result.differences):
        lines.append(f"  ... and {result.elements - len(result.differences)} more")
    for explanation in result.explanations:
        why = "" if explanation.departure is None else f": {departure(explanation.departure)}"
        lines.append(f"  the machine {explanation.policy} comes to it{why}")
    if not result.explanations:
        lines.append("  no machine of simulate comes to it")
    return "\n".join(lines)


def difference(difference: ElementDifference) -> str:
    """``u0[3]: 7, where 6 is legal; thread 3 (lane 3) writes there``."""
    element = f"{printable(difference.buffer)}[{difference.index}]"
    words = f"{element}: {difference.value}, where {difference.legal} is legal"
    if not difference.threads:
        return words
    many = len(difference.threads) > 1
    lanes = ranges(sorted(set(difference.lanes)))
    writers = f"thread{'s' * many} {ranges(list(difference.threads))} (lane{'s' * many} {lanes})"
    where = f"; {writers} write{'s' * (not many)} there"
    line = "" if difference.line is None else f" in line {difference.line}"
    source = "" if difference.operation is None else f", what comes from {printable(difference.operation)}"
    return words + where + line + source


_CALLED = {"vulkan": "Vulkan", "opencl": "OpenCL"}


def number(facts: DeviceFacts) -> str:
    """What ``--device`` takes: ``0``, ``opencl:0``."""
    return str(facts.number) if facts.interface == "vulkan" else f"{facts.interface}:{facts.number}"


def listed(devices: Sequence[DeviceFacts], verbose: bool = False) -> str:
    """What ``convcheck drive --list`` prints."""
    return "\n\n".join(_facts(device, verbose) for device in devices) + "\n"


def _facts(facts: DeviceFacts, verbose: bool) -> str:
    sizes = str(facts.subgroup_size or "none")
    if facts.least_subgroup_size != facts.most_subgroup_size:
        sizes += f" ({facts.least_subgroup_size} to {facts.most_subgroup_size} can be asked for)"
    extensions = facts.extensions if verbose else [name for name in facts.extensions if "shader" in name]
    title = "extensions" if verbose else "extensions for shaders"
    lines = [
        f"Device {number(facts)}: {printable(facts.words)}",
        f"  kind: {facts.kind}, {_CALLED[facts.interface]} {facts.api}",
        f"  subgroup size: {sizes}"
        + ("" if facts.compute else ", no subgroup operations in compute shaders"),
        f"  subgroup operations: {', '.join(facts.operations) or 'none'}",
        f"  workgroup: at most {','.join(map(str, facts.workgroup))}, {facts.invocations} invocations",
        f"  {title}: {', '.join(extensions) or 'none'}",
    ]
    return "\n".join(lines)


# ----------------------------------------------------------------------------------------------------------
# ``convcheck drive --format json``: the device, the legal outcomes with counts, what is not legal.
# ----------------------------------------------------------------------------------------------------------


def device(facts: DeviceFacts) -> dict[str, Json]:
    """A device as data."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(facts).items()}


def listed_data(devices: Sequence[DeviceFacts]) -> dict[str, Json]:
    """``--list``."""
    return {"schema": SCHEMA, "command": "drive", "devices": [device(facts) for facts in devices]}


def answer(driven: Driven, shown: Sequence[str]) -> dict[str, Json]:
    """The whole answer. ``buffers`` are those of the result that was seen most often."""
    trial = driven.trial
    return {
        "schema": SCHEMA,
        "command": "drive",
        "verdict": trial.verdict,
        "device": device(driven.facts),
        "module": {"made": driven.origin, "entry": driven.entry, "bytes": driven.size},
        **shape(driven.launch),
        "runs": trial.runs,
        "complete": trial.complete,
        "bound": None if trial.bound is None else words(trial.bound),
        "undefined": trial.undefined,
        "open_reads": list(trial.open_reads),
        "failed": None if trial.failed is None else {"why": trial.failed.why, "stage": trial.failed.stage},
        "legal": [
            {
                "ending": outcome.outcome.ending,
                "seen": outcome.runs,
                "memory": dict(driven.memory_of(outcome.outcome)),
            }
            for outcome in trial.legal
        ],
        "illegal": [_illegal_data(result) for result in trial.illegal],
        "buffers": {held.name: buffer(held) for held in driven.held(shown)},
        "notes": [*driven.notes, *trial.notes],
    }


def _illegal_data(result: IllegalResult) -> dict[str, Json]:
    return {
        "seen": result.runs,
        "memory": dict(result.contents),
        "elements": result.elements,
        "floating": result.floating,
        "differences": [_difference(difference) for difference in result.differences],
        "machines": [
            {
                "policy": difference.policy,
                "departure": None if difference.departure is None else departure_data(difference.departure),
            }
            for difference in result.explanations
        ],
    }


def _difference(difference: ElementDifference) -> dict[str, Json]:
    return {
        "buffer": difference.buffer, "index": difference.index, "legal": difference.legal,
        "seen": difference.value,
        "threads": list(difference.threads), "lanes": list(difference.lanes), "line": difference.line,
        "operation": difference.operation,
    }  # fmt: skip
