"""Why two instances are converged or not, for people: the reason, the source with carets, what would help."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from ..alignment import DynamicInstance, OrderCycle
from ..frozen import Json
from ..ir.module import Module
from ..rules import Rule
from ..sched.why import Alternatives, Apart, Converged, Never, NotExecuted, Same, Why, times_executed
from ..semantics.convergence import Key, KeyDifference, KeyKind, LaunchGroup, Reason, Root, chain
from ..semantics.machine.program import Program
from ..semantics.machine.run import Run
from ..source import Span
from .parts import PLAIN, Mark, Style, excerpt, printable
from .parts.words import difference_words, key_text, members, ordinal, times
from .run import alignment

LABELS = 6
"""Places between the operation and the reason that an excerpt marks at most."""


def verdict(value: Why) -> str:
    """``converged``, ``not converged`` or ``not executed``."""
    match value.answer:
        case Converged() | Same():
            return "converged"
        case NotExecuted():
            return "not executed"
        case Never() | Apart():
            return "not converged"


def rule(value: Why) -> Rule | None:
    """The D-rule that decides, if it is one."""
    match value.answer:
        case Converged(by) | Never(_, by):
            return by
        case Apart(difference):
            return difference.rule
        case NotExecuted() | Same():
            return None


def reason(value: Why) -> str:
    """One sentence."""
    first, second, program = value.first, value.second, value.run.machine.program
    match value.answer:
        case Same():
            return "they are one and the same instance"
        case NotExecuted(times):
            missing = [(i, n) for i, n in ((first, times[0]), (second, times[1])) if i.nth > n]
            return "; ".join(_not_executed(i, n, program) for i, n in dict(missing).items())
        case Never(one_thread):
            if one_thread:
                return f"both are thread {first.thread}'s: two instances of one thread are never converged"
            return (
                f"{program.name(first.site)} and {program.name(second.site)} are two operations: "
                "only instances of the same one are converged"
            )
        case Converged(_, key):
            return _why_converged(key, program)
        case Apart(difference):
            called = f"thread {first.thread}", f"thread {second.thread}"
            return difference_words(difference, program.name, called)


def _not_executed(instance: DynamicInstance, times: int, program: Program) -> str:
    name = program.name(instance.site)
    often = {0: "never", 1: "only once", 2: "only twice"}.get(times, f"only {times} times")
    return f"thread {instance.thread} executes {name} {often}, so there is no #{instance.nth}"


def _why_converged(key: Key, program: Program) -> str:
    """What two instances have in common, as the rule has it."""
    match key.kind, key.own:
        case KeyKind.ENTRY, _ if isinstance(key.parent, LaunchGroup):
            return "their threads were launched together"
        case KeyKind.ENTRY, _:
            return "their functions were entered by converged calls"
        case KeyKind.LOOP, int(n):
            return (
                "their tokens come from converged instances, and both threads execute "
                f"{program.name(key.site)} for the {ordinal(n)} time with that token"
            )
        case KeyKind.WAY, _:
            return "they came by one way"
        case KeyKind.ANCHOR, _:
            return "the anchor put them in one group, by choice"
        case KeyKind.USE, _:
            return "their tokens come from converged instances"
        case ((KeyKind.CALL | KeyKind.HEADER), _):
            return "they were executed in converged frames, at the same passes through the cycles around them"
        case _:
            mode = program.uncontrolled
            if mode == "any":
                return "uncontrolled, and put in one group, by choice (--uncontrolled any)"
            return "uncontrolled, in converged frames, after the same passes through the cycles around it"


def keys(value: Why) -> tuple[str, ...]:
    """The keys of the two in words; one of both if they are the same."""
    name = value.run.machine.program.name
    match value.answer:
        case Converged(_, key):
            return (key_text(key, name),)
        case Apart(_, both):
            return tuple(key_text(key, name) for key in both)
        case _:
            known = value.run.keys
            return tuple(key_text(known[i], name) for i in (value.first, value.second) if i in known)


def marks(value: Why) -> list[Mark]:
    """The operation itself, and the places that decide: where the two keys part, and what leads from there
    to the operation."""
    program = value.run.machine.program
    mine, theirs = value.first, value.second
    marks_shown = [Mark(program.span(mine.site))]
    if theirs.site != mine.site:
        marks_shown.append(Mark(program.span(theirs.site), "the other one"))
    match value.answer:
        case Apart(difference, (key, _)):
            first, second = _place(difference.first, program), _place(difference.second, program)
            heading = _here(difference, mine, theirs)
            if first == second or second is None:
                parting = [(first, heading)]
            else:
                parting = [(first, f"thread {mine.thread} comes through here"),
                           (second, f"thread {theirs.thread} comes through here")]  # fmt: skip
            marks_shown += [Mark(span, words, primary=False) for span, words in parting if span is not None]
            marks_shown += _between(key, difference.first, program)
        case Converged(_, key):
            marks_shown += _between(key, None, program)
        case _:
            pass
    return _distinct(marks_shown)


def _here(difference: KeyDifference, first: DynamicInstance, second: DynamicInstance) -> str:
    if difference.reason is not Reason.COUNT:
        return "here they part"
    m, n = times(difference.first), times(difference.second)
    return f"{ordinal(m)} time in thread {first.thread}, {ordinal(n)} time in thread {second.thread}"


def _between(key: Key, stop: Root | None, program: Program) -> list[Mark]:
    """The tokens and calls from which the operation hangs, as far as ``stop``."""
    marks_between: list[Mark] = []
    for link in islice(chain(key), 1, None):
        if link is stop or isinstance(link, LaunchGroup) or len(marks_between) == LABELS:
            break
        span = _place(link, program)
        if span is not None:
            match link.kind:
                case KeyKind.LOOP:
                    times_in_words = f"their {ordinal(times(link))} time"
                case KeyKind.ANCHOR:
                    times_in_words = "their group was chosen here"
                case KeyKind.ENTRY if isinstance(link.parent, LaunchGroup):
                    times_in_words = "their threads were launched together"
                case KeyKind.ENTRY:
                    times_in_words = "entered by converged calls"
                case KeyKind.HEADER:
                    times_in_words = f"their {ordinal(times(link))} pass through this header"
                case _:
                    times_in_words = "a converged call"
            marks_between.append(Mark(span, times_in_words, primary=False))
    return marks_between


def _place(key: Root, program: Program) -> Span | None:
    """Where a key's instance stands; of a header, its block's first instruction."""
    return None if isinstance(key, LaunchGroup) else program.span(key.site)


def _distinct(marks: Sequence[Mark]) -> list[Mark]:
    """Each place once, as it was marked first."""
    by_span: dict[Span, Mark] = {}
    for mark in marks:
        if mark.span not in by_span or (by_span[mark.span].message == "" and mark.message):
            before = by_span.get(mark.span)
            by_span[mark.span] = mark if before is None else Mark(mark.span, mark.message, before.primary)
    return list(by_span.values())


def cycle(value: OrderCycle, run: Run) -> list[str]:
    """A walk in convergence-before back to where it began, a line a step."""
    lines = []
    program, known = run.machine.program, run.keys
    for at, (early, late) in enumerate(value.steps):
        following = value.steps[(at + 1) % len(value.steps)][0]
        line = f"thread {early.thread} executes {_named(early, program)} before {_named(late, program)}"
        if following != late:
            meets = "is" if known[following] is known[late] else "would be"
            met = f"thread {following.thread}'s {_named(following, program)}"
            line += f", which {meets} converged with {met}"
        lines.append(line)
    return lines


def _named(instance: DynamicInstance, program: Program) -> str:
    return f"{printable(program.name(instance.site))} #{instance.nth}"


def choices(value: Alternatives) -> str:
    """What was found about other choices, in one line; a picture or a cycle follows it."""
    if value.meeting is not None:
        if value.least:
            return "another choice makes them meet, with as few other changes as that takes:"
        if value.cycle is not None:
            return "with all other choices as they are, they cannot meet; with other ones, they do:"
        return "other choices make them meet:"
    tried = f"{value.searched} execution{'' if value.searched == 1 else 's'} tried"
    if value.complete:
        return f"no legal execution makes them meet ({tried}: all there are)"
    return f"no legal execution was found that makes them meet ({tried}, not all)"


def text(
    value: Why, module: Module, picture: Sequence[str] = (), style: Style = PLAIN, columns: int = 500
) -> str:
    """The answer as a block of lines, ended by a newline. ``picture`` is that of the execution in which
    they meet, if there is one."""
    program = value.run.machine.program
    source = module.source
    span = program.span(value.first.site)
    at = ""
    if span.start >= 0:
        position = source.position(span.start)
        at = f"{printable(source.name)}:{position.line}:{position.column}: "
    by = rule(value)
    head = verdict(value) + ("" if by is None else f"[{by.id}]")
    dressed = style.good(head) if verdict(value) == "converged" else style.secondary(head)
    lines = [
        f"{style.strong(at)}{dressed}: {style.strong(printable(_question_text(value)))}: "
        f"{style.strong(printable(reason(value)))}"
    ]
    rows = excerpt(source, marks(value))
    gutter = max((len(str(row.number)) for row in rows if row.number is not None), default=1) + 1
    for row in rows:
        if row.kind == "gap":
            lines.append(style.gutter(" " * (gutter - 1) + "..."))
            continue
        edge = style.gutter(f"{'' if row.number is None else row.number:>{gutter}} |")
        lines.append(f"{edge} {row.text if row.kind == 'source' else style.secondary(row.text)}".rstrip())
    lines += _notes(value, picture, style, " " * (gutter + 1) + "=", columns)
    return "\n".join(lines) + "\n"


def _notes(value: Why, picture: Sequence[str], style: Style, edge: str, columns: int) -> list[str]:
    edge = style.gutter(edge)
    lines = []
    key_words = keys(value)
    owners = ("both",) if len(key_words) == 1 and isinstance(value.answer, Converged) else tuple(
        _short(i) for i in (value.first, value.second) if i in value.run.keys
    )  # fmt: skip
    lines += [f"{edge} key of {name}: {printable(key)}" for name, key in zip(owners, key_words, strict=False)]
    match value.answer:
        case Converged(_, _, group):
            lines.append(f"{edge} group: {members((m.thread, m.nth) for m in group)}")
        case Apart(_, _, Alternatives() as alternatives):
            if alternatives.cycle is not None and (alternatives.meeting is None or not alternatives.least):
                lines.append(f"{edge} together they would close a cycle in convergence-before (D-ORDER):")
                lines += [f"    {line}" for line in cycle(alternatives.cycle, value.run)]
            lines.append(f"{edge} {choices(alternatives)}")
            lines += [f"    Thread {n}: {row[:columns]}" for n, row in enumerate(picture)]
        case _:
            pass
    return lines


def _question_text(value: Why) -> str:
    """``%sum.b thread 0 #2, thread 1 #1``."""
    program = value.run.machine.program
    mine, theirs = value.first, value.second
    second = "" if mine.site == theirs.site else program.name(theirs.site) + " "
    return f"{program.name(mine.site)} {_short(mine)}, {second}{_short(theirs)}"


def _short(instance: DynamicInstance) -> str:
    return f"thread {instance.thread} #{instance.nth}"


# -- Why two instances are converged or not, as data: the entries of ``why`` in ``run --format json``


def answer(value: Why, module: Module, question: str, picture: tuple[str, ...]) -> dict[str, Json]:
    """One question and its answer. ``picture`` is that of the execution in which they meet, if any."""
    by = rule(value)
    return {
        "question": question,
        "instances": [_instance(value, instance) for instance in (value.first, value.second)],
        "verdict": verdict(value).replace(" ", "-"),
        "rule": None if by is None else by.id,
        "reason": reason(value),
        "places": [
            _place_of(module, mark.span, mark.message) for mark in marks(value) if mark.span.start >= 0
        ],
        "keys": list(keys(value)),
        "alternatives": _alternatives(value, picture),
    }


def _instance(value: Why, instance: DynamicInstance) -> dict[str, Json]:
    run = value.run
    return {
        "operation": run.machine.program.name(instance.site),
        "function": "@" + instance.site.function,
        "thread": instance.thread,
        "nth": instance.nth,
        "executed": times_executed(run, instance.thread, instance.site),
    }


def _place_of(module: Module, span: Span, message: str) -> dict[str, Json]:
    position = module.source.position(span.start)
    return {"line": position.line, "column": position.column, "message": message}


def _alternatives(value: Why, picture: tuple[str, ...]) -> Json:
    """What other choices do; ``null`` where no choice put the two apart."""
    match value.answer:
        case Apart(_, _, Alternatives() as alternatives):
            return {
                "summary": choices(alternatives).rstrip(":"),
                "meeting": None if alternatives.meeting is None else alignment(alternatives.meeting, picture),
                "choices": None
                if alternatives.meeting is None
                else [
                    {"choice": c.label, "options": c.options, "taken": c.option}
                    for c in alternatives.meeting.choices
                ],
                "cycle": None if alternatives.cycle is None else list(cycle(alternatives.cycle, value.run)),
                "searched": alternatives.searched,
                "complete": alternatives.complete,
            }
        case _:
            return None
