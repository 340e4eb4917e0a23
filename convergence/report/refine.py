"""What ``refine`` says, in each format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, zip_longest
from typing import Any

from ..alignment import picture
from ..diagnostics import Severity
from ..frozen import dataclass
from ..ir.cfg import Order
from ..ir.module import Module
from ..refine.sides.observable import (
    EndMismatch,
    EventMismatch,
    ExtraEvent,
    MaskFault,
    MemoryMismatch,
    Mismatch,
    NoOutcome,
    OnlyEndless,
    OnlyUndefined,
    ReturnMismatch,
)
from ..refine.verdict.result import (
    WORST_FIRST,
    AddressNumber,
    AnotherObject,
    AssumedBundle,
    BreaksRule,
    CompilerKnows,
    Counterexample,
    DeclaredOtherwise,
    DoesNotFit,
    GroupDeparture,
    InPart,
    KnownByName,
    LeftOut,
    MachineRefuses,
    MachineStops,
    MayNotRead,
    MoreLaunches,
    MoreUnknown,
    NoCall,
    NotConverged,
    Note,
    NotInTarget,
    NotSymbolic,
    OneOrder,
    OnlyACopy,
    OnlyBarriers,
    OnlyThere,
    OpenSide,
    OperationPlace,
    PartialWaves,
    PassedOver,
    PastIterations,
    PointerWithoutModel,
    PoisonRepeats,
    ReadRaces,
    Refinement,
    Side,
    SilentLaunches,
    TargetUnreadable,
    TwoOperations,
    Unconfirmed,
    Unknown,
    UnknownSymbolically,
    Unobserved,
    UnobservedSymbolically,
    ValueTaken,
    Verdict,
    VolatileCopy,
    WhichNaN,
)
from ..semantics import Bound, NoModel, Returned, Sampled, SolverGaveUp
from . import verify as diagnostics
from .parts import PLAIN, Style, printable
from .parts import words as endings
from .parts.words import argument_words, details, difference_words, ordinal, reason, threads
from .parts.words import words as cut_words
from .run import cut, group_lines, outcome_text
from .simulate import departure as machine_departure

# ----------------------------------------------------------------------------------------------------------
# A mismatch between source and target, and a group that differs between them, in words.
# ----------------------------------------------------------------------------------------------------------


LONG = 16
"""Elements of an aggregate that are shown."""


def mismatch_reason(departure: GroupDeparture) -> str:
    """Why the group is another one on one of the sides; empty if nothing is known."""
    match departure.why:
        case None:
            return ""
        case NoCall(side, thread, number, _, other=True):
            return f"in the {side} thread {thread} makes no {ordinal(number)} call of it"
        case NoCall(side, thread, number, callee, begun):
            which = f"{ordinal(number)} call of {callee} in the {side}"
            return f"thread {thread} {'is not done with its' if begun else 'makes no'} {which}"
        case TwoOperations(side, (thread, name), (other, theirs)):
            return f"in the {side} it is {name} in thread {thread}, {theirs} in thread {other}"
        case NotConverged(side, (thread, other), difference, names):
            if difference is None:
                return f"in the {side} they are not converged"
            reason = difference_words(difference, names.__getitem__, (f"thread {thread}", f"thread {other}"))
            return f"in the {side} {reason} ({difference.rule.id})"


def words(mismatch: Mismatch) -> str:
    """``thread 1 returns 0 in the source, 1 in the target``."""
    match mismatch:
        case OnlyUndefined(side, reason):
            return f"undefined behaviour only in the {side}: {reason}"
        case OnlyEndless(side, waits):
            if waits:
                return f"only the {side} may run without an end"
            return f"only the {side} has no execution that is complete"
        case MaskFault(side, left):
            return f"a wrong mask in the {side}: {machine_departure(left)}"
        case NoOutcome(side):
            return f"the {side} has no outcome"
        case ExtraEvent(side, thread, number, event):
            return f"event {number} of thread {thread}, {event}, is only in the {side}"
        case EventMismatch(thread, number):
            return f"event {number} of thread {thread}: {_event(mismatch)}"
        case EndMismatch(thread, source, target):
            return f"thread {thread} {_sides(source, target)}"
        case ReturnMismatch(thread, source, target):
            return f"thread {thread} returns {_sides(_value_text(source), _value_text(target))}"
        case MemoryMismatch(name, source, target, thread):
            whose = "" if thread is None else f" of thread {thread}"
            return f"at the end {name}{whose} is {_sides(_value_text(source), _value_text(target))}"


def _event(mismatch: EventMismatch) -> str:
    event, source, target = mismatch.event, mismatch.source, mismatch.target
    match mismatch.part:
        case "callee":
            return _sides(str(source), str(target))
        case "operand count":
            return f"{event} has {source} operands in the source, {target} in the target"
        case "operand":
            return f"{event} with {_sides(_value_text(source), _value_text(target))}"
        case "group":
            return f"{event} by {_group(source)} in the source, by {_group(target)} in the target"
        case "memory":
            return f"{event} may read {_place(source)} in the source, {_place(target)} in the target"
        case "result":
            return f"{event} gives {_sides(_value_text(source), _value_text(target))}"


def _place(read: Any) -> str:
    """``7 in byte 0 of @out``; a number stands for what the pointer operand of that number points to."""
    what, offset, byte = read
    where = what if isinstance(what, str) else f"what pointer operand {what + 1} points to"
    return f"{'what was there before' if byte is None else _value_text(byte)} in byte {offset} of {where}"


def _sides(source: str, target: str) -> str:
    return f"{source} in the source, {target} in the target"


def _group(group: Any) -> str:
    """``thread 0 (event 2) and thread 1 (event 3)``."""
    if group is None:
        return "one thread alone, no convergent operation"
    return " and ".join(f"thread {thread} (event {number})" for thread, number in group)


def _value_text(value: object) -> str:
    if isinstance(value, list | tuple):
        left = ", ..." if len(value) > LONG else ""
        return f"[{', '.join(map(_value_text, value[:LONG]))}{left}]"
    return str(value)


# ----------------------------------------------------------------------------------------------------------
# Why a comparison leaves something open, and what there is to know besides, in words.
# ----------------------------------------------------------------------------------------------------------


def reason_words(why: Unknown) -> str:
    """Why something is not known."""
    match why:
        case Bound() | Sampled() | NoModel() | SolverGaveUp():
            return cut_words(why)
        case ReadRaces():
            return "threads that race in memory"
        case DeclaredOtherwise(callee):
            return f"@{callee}, which has no model and other attributes than on the other side,"
        case MayNotRead(callee) | OpenSide(MayNotRead(callee), _):
            return f"what @{callee} reads, which has no model,"
        case PointerWithoutModel(callee) | OpenSide(PointerWithoutModel(callee), _):
            return f"@{callee} has no model, and where the pointer goes that it gives"
        case OnlyBarriers(callee) | OpenSide(OnlyBarriers(callee), _):
            return f"calls of @{callee} or another barrier are gone or replaced; what they order is the same"
        case AddressNumber() | OpenSide(AddressNumber(), _):
            return "a result depends on where variables lie, and the two sides have other variables"
        case PoisonRepeats(callee) | OpenSide(PoisonRepeats(callee), _):
            return f"how many different calls of @{callee} those with poison or undef are"
        case KnownByName(callee) | OpenSide(KnownByName(callee), _):
            return f"@{callee} has no model, and LLVM may know what it gives or writes"
        case AnotherObject(callee) | OpenSide(AnotherObject(callee), _):
            return f"@{callee} has no model, and is given another object of which it keeps no address"
        case VolatileCopy(operation) | OpenSide(VolatileCopy(operation), _):
            return f"which accesses a volatile {operation} is, LangRef leaves open"
        case WhichNaN() | OpenSide(WhichNaN(), _):
            return "memory differs in the bits of NaNs, and which of them an operation gives is left open"
        case OnlyThere(callee):
            return f"@{callee}, which has no model and is called on one side only,"
        case ValueTaken("freeze", _):
            return "only some of the values that freeze may give were tried"
        case ValueTaken(_, ()):
            return "undef was taken as 0"
        case ValueTaken(_, read):
            return f"undef was read from {', '.join(read)} and taken as 0"
        case CompilerKnows(callee):
            return f"what @{callee} gives is the compiler's to say, and one answer was taken"
        case AssumedBundle(tag):
            return f'the promise "{tag}" of @llvm.assume was not checked'
        case OneOrder():
            return "threads met in memory, in the machine's order only"
        case MachineRefuses(policy, reason):
            return f"{policy} refuses the program: {reason}"
        case MachineStops(policy, reason):
            return f"{policy}: {reason}"
        case OpenSide(DeclaredOtherwise(callee), _):
            return f"@{callee} has no model, and the two sides declare it with different attributes"
        case OnlyACopy(callee) | OpenSide(OnlyACopy(callee), _):
            return f"one side has a copy of @{callee} (available_externally), and the other only declares it"
        case OpenSide(OnlyThere(callee), side):
            return f"@{callee} has no model, and only the {side} has it"
        case OpenSide(what, side):
            return f"{reason_words(what)} in the {side}"
        case BreaksRule(rule):
            return f"the target breaks {rule}"
        case NotSymbolic(what):
            return f"not supported symbolically: {what}"
        case PastIterations(iterations):
            return f"the target goes past {iterations} iterations"
        case Unconfirmed(arguments, threads):
            where = inputs(dict(arguments))
            return f"z3 tells the two apart {where} with {threads} threads, running them does not confirm it"
        case NotInTarget(function):
            return f"@{function} is not defined in the target"
        case TargetUnreadable(how):
            return f"what the passes made cannot be read: {how}"
        case DoesNotFit(how):
            return how


def inputs(arguments: Mapping[str, Iterable[object]]) -> str:
    """For which inputs: ``for %x=1,2``."""
    assignments = ", ".join(f"{name}={','.join(map(str, values))}" for name, values in arguments.items())
    return f"for {assignments}" if assignments else "without arguments"


def _launches(number: int) -> str:
    return "1 launch" if number == 1 else f"{number} launches"


def note_words(note: Note | str) -> str:
    """A note; what the command line adds has its words already."""
    match note:
        case str():
            return note
        case PartialWaves(size):
            return f"a wave has {size} lanes, of which launches ran fewer"
        case SilentLaunches(silent, launches):
            say = "says" if silent == 1 else "say"
            there = "the source is undefined there, or may run without an end"
            return f"{silent} of {_launches(launches)} {say} nothing: {there}"
        case LeftOut(launches, bound):
            was = "was" if launches == 1 else "were"
            return f"{_launches(launches)} {was} left out: {reason_words(bound)} in the source"
        case PassedOver(launches, bound):
            which = "that have too many executions, or are larger than one that has, were left out"
            if launches == 1:
                which = "that has too many executions, or is larger than one that has, was left out"
            return f"{_launches(launches)} {which}: {reason_words(bound)}"
        case InPart(launches):
            return (
                f"of {_launches(launches)} only some executions of the target were looked at: "
                "each is one of the source's"
            )
        case MoreLaunches(bound):
            return f"what more launches show is not known: {reason_words(bound)}"
        case MoreUnknown(why):
            return f"whether the source does more is not known: {reason_words(why)}"
        case UnobservedSymbolically():
            return "symbolically nothing observable was compared"
        case UnknownSymbolically(why, established):
            return f"symbolically unknown: {None if why is None else reason_words(why)}; {established}"


# ----------------------------------------------------------------------------------------------------------
# What ``refine`` answers, with what a report needs besides: the modules, who ran the passes, the walk.
# ----------------------------------------------------------------------------------------------------------


PICTURED = 100_000  # passes through blocks that a picture shows at most


@dataclass(frozen=True, slots=True)
class Pipeline:
    """LLVM's pipeline that made the target: ``by`` ran it, ``notes`` say on what terms."""

    passes: str
    by: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """One pass that changed the module: the ``number``-th of the ``of`` passes that ran, what it ran on, and
    how the module after it compares with the original source."""

    number: int
    of: int
    name: str
    on: str
    verdict: Verdict

    def __str__(self) -> str:
        return f"{self.name} on {self.on} (pass {self.number} of {self.of})"


@dataclass(frozen=True, slots=True)
class DumpedStep:
    """The pass of a dump that is between the two sides: the ``number``-th that the dump tells of, what it ran
    on, and the passes before it whose changes show with its own."""

    number: int
    name: str
    on: str
    unseen: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = f", with {', '.join(self.unseen)} before it" if self.unseen else ""
        return f"{self.name} on {self.on} (pass {self.number}{more})"


@dataclass(frozen=True, slots=True)
class FunctionComparison:
    """One function before and after. ``walk`` is what ``--bisect`` saw, up to the pass to blame; ``step`` the
    pass of a dump."""

    function: str
    target_function: str
    source: Module
    target: Module
    refinement: Refinement
    walk: tuple[Judged, ...] | None = None
    step: DumpedStep | None = None

    @property
    def title(self) -> str:
        """``@f``, or ``@src -> @tgt`` where the names differ; of a dump also after which pass."""
        name = f"@{self.function}"
        if self.function != self.target_function:
            name = f"@{self.function} -> @{self.target_function}"
        return name if self.step is None else f"{name} after {self.step}"

    @property
    def blamed(self) -> Judged | None:
        """The pass to blame, as the walk met it."""
        if self.refinement.blame is None or not self.walk:
            return None
        return next((j for j in self.walk if j.verdict in ("wrong", "invalid-output")), None)


@dataclass(frozen=True, slots=True)
class RefineAnswer:
    """All functions compared, at least one, in the source's order. ``all_blocks`` and ``search`` are for the
    pictures; ``source`` and ``target`` are the files' names."""

    compared: tuple[FunctionComparison, ...]
    source: str
    target: str
    pipeline: Pipeline | None = None
    notes: tuple[str, ...] = ()
    all_blocks: bool = False
    search: Order = Order.TEXT

    @property
    def worst(self) -> FunctionComparison:
        """The first function with the worst verdict."""
        return min(self.compared, key=lambda comparison: WORST_FIRST.index(comparison.refinement.verdict))

    @property
    def verdict(self) -> Verdict:
        return self.worst.refinement.verdict


def notes(refinement: Refinement) -> tuple[str, ...]:
    """What there is to know besides, each once: bounds that differ may have the same words."""
    more = () if refinement.more is None else (f"the source does more: {words(refinement.more)}",)
    return tuple(dict.fromkeys((*map(note_words, refinement.notes), *more)))


UNOBSERVED: Mapping[Unobserved, str] = {
    "nothing-observable": "nothing observable was compared: no return value, no event, "
    "and no memory that the outside can see",
    "source-says-nothing": "nothing observable was compared: "
    "for every input tried the source is undefined or may run without an end",
    "no-launch": "nothing observable was compared: there was no input to try",
}


def bound(refinement: Refinement) -> str | None:
    """Why the verdict is ``unknown``, if it is."""
    if refinement.unobserved is not None:
        return UNOBSERVED[refinement.unobserved]
    return None if refinement.bound is None else reason_words(refinement.bound)


SENTENCES: Mapping[Verdict, str] = {
    "equal": "each does what the other may do",
    "refines": "the target does less than the source may do, and nothing else",
    "wrong": "the target does what the source cannot",
    "invalid-output": "the target breaks a static rule",
    "unknown": "not established",
}


def rows(
    answer: RefineAnswer, comparison: FunctionComparison, side: Side, example: Counterexample
) -> tuple[str, ...]:
    """A side's picture; none of one so long that nobody could read it."""
    if sum(map(len, side.execution.visits)) > PICTURED:
        return ()
    module = side.of(comparison.source if side is example.source else comparison.target)
    function = comparison.function if side is example.source else comparison.target_function
    return picture(side.execution, module, function, answer.all_blocks, answer.search)


# ----------------------------------------------------------------------------------------------------------
# ``refine`` for people: the verdict, what was established, and the counterexample side by side.
# ----------------------------------------------------------------------------------------------------------


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
        f"Difference: {printable(words(example.difference))}",
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
        behind = isinstance(values[0], str) and values[0].startswith(f"@%{name}+")
        if f"%{name}" in example.shared or (alike and not behind and f"%{name}" in example.buffers):
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
    why = mismatch_reason(departure)
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


# ----------------------------------------------------------------------------------------------------------
# A finding as the text of a bug report: Markdown with the IR before and after, the command, both executions,
# and the verdict by model.
# ----------------------------------------------------------------------------------------------------------


_FENCE = "```"
_WORDS = {"wrong": "not what it was", "invalid-output": "not valid any more"}


def issue(
    answer: RefineAnswer,
    comparison: FunctionComparison,
    before: str,
    after: str,
    pass_: str,
    command: str,
    by: str,
) -> str:
    """``before`` and ``after`` are the modules around the pass ``pass_``, ``command`` what was run, ``by``
    which LLVM."""
    refinement = comparison.refinement
    parts = [
        f"# {pass_}: @{comparison.function} is {_WORDS.get(refinement.verdict, refinement.verdict)}",
        f"{by}. The pass is {pass_}, in:",
        _block("sh", command),
        "The module before it:",
        _block("llvm", before),
        "and after it:",
        _block("llvm", after),
    ]
    if refinement.models:
        rows = "\n".join(f"| {model} | {verdict} |" for model, verdict in refinement.models.items())
        parts.append(f"| who converges with whom | verdict |\n| --- | --- |\n{rows}")
    parts += [
        "What convcheck says of the two, where each thread is at a time, and what is seen of it:",
        _block("", text(answer)),
    ]
    return "\n\n".join(parts) + "\n"


def _block(language: str, content: str) -> str:
    """A fenced block, with a fence that is not in its content."""
    fence = _FENCE
    while fence in content:
        fence += "`"
    return f"{fence}{language}\n{content.strip()}\n{fence}"
