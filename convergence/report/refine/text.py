"""``refine`` for people: the verdict, what was established, and the counterexample side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest

from ...diagnostics import Severity
from ...refine.verdict.result import Counterexample, GroupDeparture, OperationPlace, Side
from ...semantics.errors import Returned
from ..parts import endings
from ..parts.endings import details, reason
from ..parts.groups import argument_words, threads
from ..parts.html import PLAIN, Style
from ..parts.printable import printable
from ..run.text import cut, group_lines, outcome_text
from ..verify import text as diagnostics
from . import mismatches
from .answer import SENTENCES, FunctionComparison, RefineAnswer, bound, notes, rows

WIDE = 120  # columns of a line that shows both sides; wider ones stand below each other


def text(answer: RefineAnswer, style: Style = PLAIN, quiet: bool = False, verbose: bool = False) -> str:
    """What ``convcheck refine`` prints. The first line begins with the verdict. ``quiet`` says no more than
    the verdicts; ``verbose`` adds the control intrinsics, and the target where LLVM made it."""
    if quiet:
        return "".join(_verdict(comparison, style) + "\n" for comparison in answer.compared) + _last(answer)
    parts: list[str] = []
    for brief, several in groupby(answer.compared, lambda comparison: _is_brief(comparison) and not verbose):
        if brief:
            parts.append("\n".join(_verdict(comparison, style) for comparison in several))
        else:
            parts += [
                part
                for comparison in several
                for part in _comparison_lines(answer, comparison, style, verbose)
            ]
    parts.append("\n".join(f"note: {printable(note)}" for note in answer.notes))
    if answer.pipeline is not None:
        lines = [f"Passes: {printable(answer.pipeline.passes)}, run by {printable(answer.pipeline.by)}"]
        lines += [f"note: {printable(note)}" for note in answer.pipeline.notes]
        parts.append("\n".join(lines))
        if verbose:
            parts.append(f"Target:\n{answer.compared[0].target.source.text.strip()}")
    return "\n\n".join(part for part in parts if part) + "\n" + _last(answer)


def _last(answer: RefineAnswer) -> str:
    """``Verdict: wrong (1 wrong, 2 equal)``, of several functions."""
    if len(answer.compared) < 2:
        return ""
    counted = Counter(comparison.refinement.verdict for comparison in answer.compared)
    counts = ", ".join(f"{counted[verdict]} {verdict}" for verdict in SENTENCES if counted[verdict])
    return f"\nVerdict: {answer.verdict} ({counts})\n"


def _verdict(comparison: FunctionComparison, style: Style) -> str:
    """``wrong: @f: the target does what the source cannot``."""
    verdict = comparison.refinement.verdict
    line = f"{verdict}: {printable(comparison.title)}: {SENTENCES[verdict]}"
    match verdict:
        case "equal" | "refines":
            return style.good(line)
        case "wrong" | "invalid-output":
            return style.severity(Severity.ERROR, line)
        case "unknown":
            return style.severity(Severity.WARNING, line)


def _is_brief(comparison: FunctionComparison) -> bool:
    """Whether a line says enough: a dump has many passes that are right."""
    return comparison.step is not None and comparison.refinement.verdict in ("equal", "refines")


def _comparison_lines(
    answer: RefineAnswer, comparison: FunctionComparison, style: Style, verbose: bool
) -> list[str]:
    refinement = comparison.refinement
    head = [_verdict(comparison, style)]
    if (why := bound(refinement)) is not None:
        head.append(f"Bound: {printable(why)}")
    if refinement.behaviour is not None:
        head.append(
            f"Behaviour: {refinement.behaviour}: run all the same, {_behaviour(refinement.behaviour)}"
        )
    head.append(f"Established: {printable(refinement.established)}")
    if len(refinement.models) > 1:
        width = max(map(len, refinement.models))
        head.append("Models:")
        head += [f"  {model:<{width}}  {verdict}" for model, verdict in refinement.models.items()]
    head += _walk(comparison)
    parts = ["\n".join(head)]
    name = printable(comparison.target.source.name)
    parts += [
        diagnostics.diagnostic(name, comparison.target.source, d, style) for d in refinement.diagnostics
    ]
    if refinement.counterexample is not None:
        parts += _counterexample(answer, comparison, refinement.counterexample, verbose)
    parts.append("\n".join(f"note: {printable(note)}" for note in notes(refinement)))
    if verbose:
        parts.append("\n".join(endings.engine_lines(refinement.engine)))
    return parts


def _behaviour(verdict: str) -> str:
    return {"equal": "it behaves as the source", "unknown": "no more is known"}.get(
        verdict,
        SENTENCES[verdict],  # type: ignore[index]
    )


def _walk(comparison: FunctionComparison) -> list[str]:
    """What ``--bisect`` found."""
    if comparison.walk is None:
        return []
    if (blamed := comparison.blamed) is not None:
        clean = sum(judged.verdict in ("equal", "refines") for judged in comparison.walk)
        before = f"{clean} before it kept to the source" if clean else "the first that changed anything"
        return [f"Blame: {printable(str(blamed))}: {blamed.verdict}; {before}"]
    if not comparison.walk:
        return ["Blame: no pass changed anything"]
    unknown = [judged for judged in comparison.walk if judged.verdict == "unknown"]
    left = f", {len(unknown)} of them unknown" if unknown else ""
    return [f"Blame: none: {_passes(len(comparison.walk))} changed something{left}"]


def _passes(number: int) -> str:
    return "1 pass" if number == 1 else f"{number} passes"


# -- the counterexample ---------------------------------------------------------------------------


def _counterexample(
    answer: RefineAnswer, comparison: FunctionComparison, example: Counterexample, verbose: bool
) -> list[str]:
    return [
        "\n".join(launch(example)),
        _pictures(answer, comparison, example, verbose),
        _beside(_groups(example.source, verbose), _groups(example.target, verbose)),
        "" if example.departure is None else departure(example.departure),
        _beside(_outcome(comparison, example, example.source), _outcome(comparison, example, example.target)),
        f"Difference: {printable(mismatches.words(example.difference))}",
    ]


def launch(example: Counterexample) -> list[str]:
    """The launch, and below it the options that make it: ``run``, ``enumerate`` and ``explore`` take them."""
    first = f"Launch: {example.threads} thread{'' if example.threads == 1 else 's'}"
    if example.writes:
        calls = "" if example.writer is None else f" that thread {example.writer} calls"
        first += f"; functions without a model{calls} write wherever they may, which `run` does not do"
    lines = [first]
    if example.shape is None:
        lines.append(f"  --threads {example.threads}{' --partial' if example.partial else ''}")
    else:
        lines.append(f"  --grid {example.launch.grid} --workgroup {example.launch.workgroup}")
    if example.subgroup_size is not None:
        lines.append(f"  --subgroup-size {example.subgroup_size}")
    for key, (element, numbers) in example.buffers.items():
        lines.append(f"  --buffer {printable(key)}={element}[{len(numbers)}]:{','.join(map(str, numbers))}")
    lines += [f"  --buffer {printable(key)}={printable(other)}" for key, other in example.shared.items()]
    for name, values in example.arguments.items():
        alike = len({repr(v) for v in values}) == 1
        if f"%{name}" in example.shared or (alike and f"%{name}" in example.buffers):
            continue
        shown_values = values[:1] if alike else values
        if shown_values[0] == f"@%{name}" and f"%{name}" not in example.buffers:
            lines.append(f"  --buffer {printable(shown_values[0][1:])} as given")
            if alike:
                continue
        lines.append(f"  --arg %{printable(name)}={','.join(map(argument_words, shown_values))}")
    for name, values in example.globals.items():
        lines.append(f"  --global @{printable(name)}={','.join(map(argument_words, values))}")
    for name, streams in example.inputs.items():
        streams_in_words = "/".join(",".join(map(argument_words, stream)) for stream in streams)
        lines.append(f"  --input @{printable(name.removeprefix('@'))}={streams_in_words}")
    lines += [f'  --path "{printable(" ".join(blocks))}"' for blocks in example.paths or ()]
    return lines


def departure(departure: GroupDeparture) -> str:
    """``First difference: %s thread 1 #1: with threads 0, 1 in the source, alone in the target``."""
    place, thread = departure.place, departure.thread
    subject = _instance(place, thread)
    if departure.source is None or departure.target is None:
        there, missing = ("source", "target") if departure.target is None else ("target", "source")
        sentence = f"{subject} in the {there}: {_with(place, thread)}, without a counterpart in the {missing}"
    elif departure.source.group == departure.target.group:
        sentence = f"{subject}: {_with(place, thread)} on both sides, at different instances"
    elif _instance(departure.target, thread) == subject:
        sentence = f"{subject}: {_with(departure.source, thread)} in the source, "
        sentence += f"{_with(departure.target, thread)} in the target"
    else:  # each side has its own name for it
        sentence = f"{subject} in the source: {_with(departure.source, thread)}; "
        sentence += f"{_instance(departure.target, thread)} in the target: {_with(departure.target, thread)}"
    why = mismatches.mismatch_reason(departure)
    return f"First difference: {sentence}" + (f"\n  {printable(why)}" if why else "")


def _instance(place: OperationPlace, thread: int) -> str:
    """``%s thread 1 #1``."""
    return f"{printable(place.operation)} thread {thread} #{place.nth}"


def _with(place: OperationPlace, thread: int) -> str:
    if place.group is None:
        return "not done"
    return "alone" if set(place.group) == {thread} else f"in a group of {threads(sorted(place.group))}"


def _pictures(
    answer: RefineAnswer, comparison: FunctionComparison, example: Counterexample, verbose: bool
) -> str:
    sides = []
    for title, side in (("Source", example.source), ("Target", example.target)):
        shown = rows(answer, comparison, side, example)
        picture = [f"Thread {n}: {printable(row if verbose else cut(row))}" for n, row in enumerate(shown)]
        sides.append([title, *(picture or ["(no picture: too many blocks)"])])
    return _beside(*sides)


def _groups(side: Side, verbose: bool) -> list[str]:
    return group_lines(side.groups, verbose).splitlines()


def _outcome(comparison: FunctionComparison, example: Counterexample, side: Side) -> list[str]:
    """What can be seen of a side; of memory only what the sides have differently."""
    if not isinstance(side.ending, Returned):
        module = side.of(comparison.source if side is example.source else comparison.target)
        why = reason(side.ending) or ""
        return [why[:1].upper() + why[1:], *(f"  {line}" for line in details(side.ending, module))]
    other = (example.target if side is example.source else example.source).outcome
    return outcome_text(side.outcome, side.outcome.contents.unlike(other.contents)).splitlines()


def _beside(left: Sequence[str], right: Sequence[str]) -> str:
    """Two lists of lines in two columns, or below each other where that is too wide."""
    width = max(map(len, left), default=0)
    if width + 5 + max(map(len, right), default=0) > WIDE:
        return "\n".join(_marked("source", left)) + "\n" + "\n".join(_marked("target", right))
    pairs = zip_longest(left, right, fillvalue="")
    return "\n".join(f"{upper:<{width}}  |  {other}".rstrip() for upper, other in pairs)


def _marked(side: str, lines: Iterable[str]) -> list[str]:
    return [f"{side} | {line}".rstrip() for line in lines]
