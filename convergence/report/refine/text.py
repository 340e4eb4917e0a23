"""``refine`` for people: the verdict, what was established, and the counterexample side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest

from ...diagnostics import Severity
from ...refine.verdict.result import Counterexample, GroupDeparture, OperationPlace, Side
from ...semantics.errors import Returned
from ..parts.endings import details, reason
from ..parts.groups import threads, value
from ..parts.html import PLAIN, Style
from ..parts.printable import printable
from ..run.text import cut, operations, seen
from ..verify import text as diagnostics
from . import mismatches
from .answer import SENTENCES, FunctionComparison, RefineAnswer, bound, notes, rows

WIDE = 120  # columns of a line that shows both sides; wider ones stand below each other


def text(answer: RefineAnswer, style: Style = PLAIN, quiet: bool = False, verbose: bool = False) -> str:
    """What ``convcheck refine`` prints. The first line begins with the verdict. ``quiet`` says no more than
    the verdicts; ``verbose`` adds the control intrinsics, and the target where LLVM made it."""
    if quiet:
        return "".join(_verdict(one, style) + "\n" for one in answer.compared) + _last(answer)
    parts: list[str] = []
    for brief, several in groupby(answer.compared, lambda one: _is_brief(one) and not verbose):
        if brief:
            parts.append("\n".join(_verdict(one, style) for one in several))
        else:
            parts += [part for one in several for part in _one(answer, one, style, verbose)]
    parts.append("\n".join(f"note: {printable(note)}" for note in answer.notes))
    if answer.pipeline is not None:
        made = [f"Passes: {printable(answer.pipeline.passes)}, run by {printable(answer.pipeline.by)}"]
        made += [f"note: {printable(note)}" for note in answer.pipeline.notes]
        parts.append("\n".join(made))
        if verbose:
            parts.append(f"Target:\n{answer.compared[0].target.source.text.strip()}")
    return "\n\n".join(part for part in parts if part) + "\n" + _last(answer)


def _last(answer: RefineAnswer) -> str:
    """``Verdict: wrong (1 wrong, 2 equal)``, of several functions."""
    if len(answer.compared) < 2:
        return ""
    counted = Counter(one.found.verdict for one in answer.compared)
    said = ", ".join(f"{counted[verdict]} {verdict}" for verdict in SENTENCES if counted[verdict])
    return f"\nVerdict: {answer.verdict} ({said})\n"


def _verdict(one: FunctionComparison, style: Style) -> str:
    """``wrong: @f: the target does what the source cannot``."""
    verdict = one.found.verdict
    line = f"{verdict}: {printable(one.title)}: {SENTENCES[verdict]}"
    match verdict:
        case "equal" | "refines":
            return style.good(line)
        case "wrong" | "invalid-output":
            return style.severity(Severity.ERROR, line)
        case "unknown":
            return style.severity(Severity.WARNING, line)


def _is_brief(one: FunctionComparison) -> bool:
    """Whether a line says enough: a dump has many passes that are right."""
    return one.step is not None and one.found.verdict in ("equal", "refines")


def _one(answer: RefineAnswer, one: FunctionComparison, style: Style, verbose: bool) -> list[str]:
    found = one.found
    head = [_verdict(one, style)]
    if (why := bound(found)) is not None:
        head.append(f"Bound: {printable(why)}")
    if found.behaviour is not None:
        head.append(f"Behaviour: {found.behaviour}: run all the same, {_behaviour(found.behaviour)}")
    head.append(f"Established: {printable(found.established)}")
    if len(found.models) > 1:
        width = max(map(len, found.models))
        head.append("Models:")
        head += [f"  {model:<{width}}  {verdict}" for model, verdict in found.models.items()]
    head += _walk(one)
    parts = ["\n".join(head)]
    name = printable(one.target.source.name)
    parts += [diagnostics.diagnostic(name, one.target.source, d, style) for d in found.diagnostics]
    if found.counterexample is not None:
        parts += _counterexample(answer, one, found.counterexample, verbose)
    parts.append("\n".join(f"note: {printable(note)}" for note in notes(found)))
    return parts


def _behaviour(verdict: str) -> str:
    return {"equal": "it behaves as the source", "unknown": "no more is known"}.get(
        verdict,
        SENTENCES[verdict],  # type: ignore[index]
    )


def _walk(one: FunctionComparison) -> list[str]:
    """What ``--bisect`` found."""
    if one.walk is None:
        return []
    if (blamed := one.blamed) is not None:
        clean = sum(judged.verdict in ("equal", "refines") for judged in one.walk)
        before = f"{clean} before it kept to the source" if clean else "the first that changed anything"
        return [f"Blame: {printable(str(blamed))}: {blamed.verdict}; {before}"]
    if not one.walk:
        return ["Blame: no pass changed anything"]
    unknown = [judged for judged in one.walk if judged.verdict == "unknown"]
    left = f", {len(unknown)} of them unknown" if unknown else ""
    return [f"Blame: none: {_passes(len(one.walk))} changed something{left}"]


def _passes(number: int) -> str:
    return "1 pass" if number == 1 else f"{number} passes"


# -- the counterexample ---------------------------------------------------------------------------


def _counterexample(
    answer: RefineAnswer, one: FunctionComparison, example: Counterexample, verbose: bool
) -> list[str]:
    return [
        "\n".join(launch(example)),
        _pictures(answer, one, example, verbose),
        _beside(_groups(example.source, verbose), _groups(example.target, verbose)),
        "" if example.departure is None else departure(example.departure),
        _beside(_outcome(one, example, example.source), _outcome(one, example, example.target)),
        f"Difference: {printable(mismatches.words(example.difference))}",
    ]


def launch(example: Counterexample) -> list[str]:
    """The launch, and below it the options that make it: ``run``, ``enumerate`` and ``explore`` take them."""
    lines = [f"Launch: {example.threads} thread{'' if example.threads == 1 else 's'}"]
    if example.shape is None:
        lines.append(f"  --threads {example.threads}")
    else:
        lines.append(f"  --grid {example.launch.grid} --workgroup {example.launch.workgroup}")
    if example.subgroup_size is not None:
        lines.append(f"  --subgroup-size {example.subgroup_size}")
    for key, (element, numbers) in example.buffers.items():
        lines.append(f"  --buffer {printable(key)}={element}[{len(numbers)}]:{','.join(map(str, numbers))}")
    for name, values in example.arguments.items():
        if f"%{name}" in example.buffers:
            continue
        given = values[:1] if len({repr(v) for v in values}) == 1 else values
        if isinstance(given[0], str) and given[0].startswith("@%"):  # no variable of a text is called so
            lines.append(f"  --buffer {printable(given[0][1:])} as given")
            continue
        lines.append(f"  --arg %{printable(name)}={','.join(map(plain, given))}")
    for name, values in example.globals.items():
        lines.append(f"  --global @{printable(name)}={','.join(map(plain, values))}")
    for name, streams in example.inputs.items():
        said = "/".join(",".join(map(plain, stream)) for stream in streams)
        lines.append(f"  --input @{printable(name.removeprefix('@'))}={said}")
    lines += [f'  --path "{printable(" ".join(blocks))}"' for blocks in example.paths or ()]
    return lines


def plain(given: object) -> str:
    """A value as ``--arg`` takes it: ``3``, ``<1,2>``."""
    if isinstance(given, (list, tuple)):
        return "<" + ",".join(map(plain, given)) + ">"
    if isinstance(given, bool):
        return str(int(given))
    return printable(value(given))  # type: ignore[arg-type]


def departure(found: GroupDeparture) -> str:
    """``First difference: %s thread 1 #1: with threads 0, 1 in the source, alone in the target``."""
    place, thread = found.place, found.thread
    who = _instance(place, thread)
    if found.source is None or found.target is None:
        there, missing = ("source", "target") if found.target is None else ("target", "source")
        said = f"{who} in the {there}: {_with(place, thread)}, without a counterpart in the {missing}"
    elif found.source.group == found.target.group:
        said = f"{who}: {_with(place, thread)} on both sides, at different instances"
    elif _instance(found.target, thread) == who:
        said = f"{who}: {_with(found.source, thread)} in the source, "
        said += f"{_with(found.target, thread)} in the target"
    else:  # each side has its own name for it
        said = f"{who} in the source: {_with(found.source, thread)}; "
        said += f"{_instance(found.target, thread)} in the target: {_with(found.target, thread)}"
    why = mismatches.why(found)
    return f"First difference: {said}" + (f"\n  {printable(why)}" if why else "")


def _instance(place: OperationPlace, thread: int) -> str:
    """``%s thread 1 #1``."""
    return f"{printable(place.operation)} thread {thread} #{place.nth}"


def _with(place: OperationPlace, thread: int) -> str:
    if place.group is None:
        return "not done"
    return "alone" if set(place.group) == {thread} else f"in a group of {threads(sorted(place.group))}"


def _pictures(answer: RefineAnswer, one: FunctionComparison, example: Counterexample, verbose: bool) -> str:
    sides = []
    for title, side in (("Source", example.source), ("Target", example.target)):
        shown = rows(answer, one, side, example)
        picture = [f"Thread {n}: {printable(row if verbose else cut(row))}" for n, row in enumerate(shown)]
        sides.append([title, *(picture or ["(no picture: too many blocks)"])])
    return _beside(*sides)


def _groups(side: Side, verbose: bool) -> list[str]:
    return operations(side.groups, verbose).splitlines()


def _outcome(one: FunctionComparison, example: Counterexample, side: Side) -> list[str]:
    """What can be seen of a side; of memory only what the sides have differently."""
    if not isinstance(side.ending, Returned):
        module = side.of(one.source if side is example.source else one.target)
        why = reason(side.ending) or ""
        return [why[:1].upper() + why[1:], *(f"  {line}" for line in details(side.ending, module))]
    other = (example.target if side is example.source else example.source).outcome
    return seen(side.outcome, side.outcome.contents.unlike(other.contents)).splitlines()


def _beside(left: Sequence[str], right: Sequence[str]) -> str:
    """Two lists of lines in two columns, or below each other where that is too wide."""
    width = max(map(len, left), default=0)
    if width + 5 + max(map(len, right), default=0) > WIDE:
        return "\n".join(_marked("source", left)) + "\n" + "\n".join(_marked("target", right))
    pairs = zip_longest(left, right, fillvalue="")
    return "\n".join(f"{one:<{width}}  |  {other}".rstrip() for one, other in pairs)


def _marked(side: str, lines: Iterable[str]) -> list[str]:
    return [f"{side} | {line}".rstrip() for line in lines]
