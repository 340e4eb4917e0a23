"""Keys, groups, endings, bounds, engines and races in words and as data; and the notes of an answer."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING

from ...alignment import StaticInstance
from ...frozen import Json
from ...ir.calls import callee_name, unfit
from ...ir.instructions import CallSite
from ...ir.module import Module, Upgrade
from ...semantics import (
    INTERRUPTED,
    Bound,
    BoundKind,
    Cut,
    Deadlock,
    Ending,
    Endless,
    GoesRound,
    Illegal,
    NoModel,
    OutOfBound,
    Returned,
    Sampled,
    SolverGaveUp,
    StackEntry,
    UndefinedBehaviour,
    Unmodelled,
    Waiting,
)
from ...semantics.convergence import (
    Alone,
    ChosenLabel,
    Key,
    KeyDifference,
    KeyKind,
    LaunchGroup,
    Own,
    Pass,
    Reason,
    Root,
    Selected,
    chain,
)
from ...source import Span
from . import printable

if TYPE_CHECKING:
    from ...semantics.attributes import AttributeStanding, UnmodelledAttribute
    from ...semantics.machine.tally import Tally
    from ...semantics.memory.races import Race, RacingAccess
    from ...transform.infer import Transformed


# ----------------------------------------------------------------------------------------------------------
# Keys in words: ``use(%sum, loop(%heart, entry(%t, launch), 2))``; and in what two keys differ.
# ----------------------------------------------------------------------------------------------------------

DEEPEST = 6  # links of a key that are written out

Describe = Callable[[StaticInstance], str]


def key_text(key: Root | None, name: Describe, depth: int = DEEPEST) -> str:
    """A key as a term; ``name`` says how an instruction is called. A deep one ends in ``...``."""
    text = "none" if key is None else "..."
    for link in [*islice(chain(key), depth)][::-1] if key is not None else ():
        text = _launch(link) if isinstance(link, LaunchGroup) else _term(link, name, text)
    return text


def _launch(launch: LaunchGroup) -> str:
    return "launch" if launch.number == 0 else f"launch {launch.number}"


def _term(key: Key, name: Describe, parent: str) -> str:
    where = f"%{key.passes[0]}" if key.kind is KeyKind.HEADER else name(key.site)
    parts = [where, *([parent] if key.parents else []), *_own(key.own)]
    return f"{key.kind}({', '.join(parts)})"


def _own(own: Own) -> tuple[str, ...]:
    match own:
        case None:
            return ()
        case ChosenLabel(group):
            return (f"group {group}",)
        case Alone(thread, nth):
            return (f"thread {thread} alone, #{nth}",)
        case Selected(value):
            return (f"value {value}",)
        case Pass(_, n) | int(n):
            return (str(n),)


def link_text(key: Root, name: Describe) -> str:
    """One link of a key, without what it hangs from."""
    if isinstance(key, LaunchGroup):
        return f"launch group {key.number}"
    match key.kind, key.own:
        case KeyKind.LOOP, int(n):
            return f"{name(key.site)} for the {ordinal(n)} time with its token"
        case KeyKind.HEADER, Pass(block, n):
            return f"header %{block} for the {ordinal(n)} time"
        case KeyKind.FREE, own:
            which = f", thread {own.thread} alone" if isinstance(own, Alone) else "".join(
                f", {words}" for words in _own(own)
            )  # fmt: skip
            return f"uncontrolled {name(key.site)}{which}"
        case kind, own:
            return ", ".join((f"{kind} {name(key.site)}", *_own(own)))


def difference_words(
    difference: KeyDifference, name: Describe, called: tuple[str, str] = ("the one", "the other")
) -> str:
    """Why two keys are not the same; ``called`` is what the two are called, in order."""
    left, right = called
    a, b = difference.first, difference.second
    if difference.reason is Reason.LAUNCH or isinstance(a, LaunchGroup) or isinstance(b, LaunchGroup):
        return "their threads were launched in different groups"
    match difference.reason:
        case Reason.COUNT:
            what = "the header " if a.kind is KeyKind.HEADER else ""
            token = "" if a.kind is KeyKind.HEADER else " with its token"
            return (
                f"{what}{_place(a, name)} was executed for the {ordinal(times(a))} time{token} in {left}, "
                f"for the {ordinal(times(b))} time in {right}"
            )
        case Reason.LABEL if a.kind is KeyKind.ANCHOR:
            return f"{name(a.site)} put them in different groups, by choice"
        case Reason.LABEL:
            return f"{name(a.site)} is uncontrolled, and its groups were chosen apart"
        case Reason.VALUE:
            return f"a switch led to {name(a.site)} by different values"
        case Reason.ALONE:
            return f"{name(a.site)} is uncontrolled, and mode none keeps it apart"
        case Reason.TOKENS:
            return f"{name(a.site)} was called under tokens that are not converged"
        case Reason.DEPTH:
            first, inner = difference.deeper
            return f"{left if first else right} is nested deeper, in {_through(inner, name)}"
        case Reason.PLACE:
            return f"{left} comes through {_through(a, name)}, {right} through {_through(b, name)}"


def times(key: Root) -> int:
    """How often a loop or a header was executed."""
    assert isinstance(key, Key) and isinstance(key.own, int | Pass)
    return key.own.n if isinstance(key.own, Pass) else key.own


def _place(key: Key, name: Describe) -> str:
    return f"%{key.passes[0]}" if key.kind is KeyKind.HEADER else name(key.site)


def _through(key: Key, name: Describe) -> str:
    if key.kind is KeyKind.HEADER:
        return f"the cycle of {_place(key, name)} in @{key.site.function}"
    return name(key.site)


def ordinal(n: int) -> str:
    """``1st``, ``2nd``, ``11th``."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


# -- Threads and groups in few words: ``threads 0-3``, ``0-1 #2, 3 #1``, results by thread

SHOWN = 16  # results that one group shows in text; the machine-readable forms have all


def ranges(numbers: Iterable[int]) -> str:
    """Numbers in order, runs of them shortened.

    >>> ranges([0, 1, 2, 3, 5, 7, 8])
    '0-3, 5, 7, 8'
    """
    parts: list[str] = []
    for _, run in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
        values = [number for _, number in run]
        parts += [f"{values[0]}-{values[-1]}"] if len(values) > 2 else [str(v) for v in values]
    return ", ".join(parts)


def threads(numbers: Sequence[int]) -> str:
    """``thread 3`` or ``threads 0-2``."""
    return f"thread{'' if len(numbers) == 1 else 's'} {ranges(numbers)}"


def members(instances: Iterable[tuple[int, int]]) -> str:
    """(thread, nth) pairs, by nth where threads share it.

    >>> members([(0, 2), (1, 1), (2, 1)])
    'thread 0 #2, threads 1, 2 #1'
    """
    by_nth: dict[int, list[int]] = {}
    for thread, nth in sorted(instances):
        by_nth.setdefault(nth, []).append(thread)
    ordered = sorted(by_nth.items(), key=lambda item: item[1][0])
    return ", ".join(f"{threads(numbers)} #{nth}" for nth, numbers in ordered)


def value(plain: Json) -> str:
    """A plain value as people read it: a word without quotes, anything else as JSON."""
    return plain if isinstance(plain, str) else json.dumps(plain)


def argument_words(argument: object) -> str:
    """A value as ``--arg`` takes it: ``3``, ``<1,2>``."""
    if isinstance(argument, (list, tuple)):
        return "<" + ",".join(map(argument_words, argument)) + ">"
    if isinstance(argument, bool):
        return str(int(argument))
    return printable(value(argument))  # type: ignore[arg-type]


def results(by_thread: Mapping[int, Json]) -> str:
    """One value if all threads got the same one, else each thread's: ``0: 3, 1: 4``."""
    texts = {thread: value(plain) for thread, plain in sorted(by_thread.items())}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    shown = [f"{thread}: {word}" for thread, word in list(texts.items())[:SHOWN]]
    if len(texts) > SHOWN:
        shown.append(f"... ({len(texts) - SHOWN} more in --format json)")
    return ", ".join(shown)


# ----------------------------------------------------------------------------------------------------------
# Bounds, and what else cuts an answer short, in words.
# ----------------------------------------------------------------------------------------------------------


_WORDS: Mapping[BoundKind, str] = {
    BoundKind.MAX_STEPS: "--max-steps {}",
    BoundKind.TIMEOUT: "--timeout {:g}",
    BoundKind.MAX_EXECUTIONS: "--max-executions {}",
    BoundKind.MAX_ALIGNMENTS: "--max-alignments {}",
    BoundKind.CALL_DEPTH: "call depth {}",
    BoundKind.ANSWERS: "{} branches on results in one trace",
    BoundKind.ITERATIONS: "{} iterations",
    BoundKind.PATHS: "{} paths of one thread",
    BoundKind.GROUPINGS: "{} ways to group anchors",
    BoundKind.INTERRUPTED: "interrupted",
}


def words(cut: Cut) -> str:
    """What cut an answer short; a bound by the option that sets it, if there is one."""
    match cut:
        case Bound(kind, limit):
            return _WORDS[kind].format(limit)
        case Sampled(seed, executions):
            return f"--seed {seed}: {executions} executions at random"
        case NoModel(what):
            return f"not modelled: {what}"
        case SolverGaveUp(reason):
            return f"the solver gave up: {reason}"


# -- How a run ended, in words: a line, the call stack with places, who waits for whom

FRAMES = 12  # frames of a call stack that are shown, and threads that could go on


def cited(section: str) -> str:
    """The document and its section: the LangRef's, where no other document is named."""
    return section if ", " in section else f"LangRef, {section}"


def reason(ending: Ending) -> str | None:
    """One line that says why the run ended so; ``None`` if every thread returned."""
    match ending:
        case Returned():
            return None
        case UndefinedBehaviour(why, section, thread):
            return f"undefined behaviour in thread {thread}: {why} ({cited(section)})"
        case Deadlock(()):
            return "deadlock: no execution can be completed"
        case Deadlock(waiting):
            return f"deadlock: {threads([w.thread for w in waiting])} can never go on"
        case Endless(spinning, waiting):
            waits = f", {threads([w.thread for w in waiting])} can never go on" if waiting else ""
            return f"endless: {goes_round(spinning)}{waits}"
        case OutOfBound(bound, thread):
            if bound == INTERRUPTED:
                return "stopped: interrupted"
            where = "" if thread is None else f", in thread {thread}"
            return f"stopped: the bound {words(bound)} was hit{where}"
        case Unmodelled(what, thread):
            return f"not modelled: {what}, reached by thread {thread}"
        case Illegal(rule, broken, thread):
            return f"no legal execution: {rule.id} is broken in thread {thread}: {broken}"


def details(ending: Ending, module: Module) -> list[str]:
    """Where that was: a line per frame, then a line per waiting thread, and at a bound for some of these and
    of the others."""
    match ending:
        case Returned():
            return []
        case Deadlock(waiting):
            return _waiting(waiting, module)
        case Endless(spinning, waiting):
            return _spinning(spinning, module) + _waiting(waiting, module)
        case OutOfBound(_, _, stack, waiting, standing):
            # nobody is known to wait for ever: a few say where the run was
            waits = _shortened(_waiting(waiting, module), "threads that wait")
            return _stack(stack, module) + waits + _standing(standing, module)
        case UndefinedBehaviour(_, _, _, stack) | Unmodelled(_, _, stack) | Illegal(_, _, _, stack):
            return _stack(stack, module)


def place(span: Span, module: Module) -> str:
    """Where that stands: file, line and column."""
    if span.start < 0:
        return ""
    position = module.source.position(span.start)
    return f"{printable(module.source.name)}:{position.line}:{position.column}"


def _stack(stack: Sequence[StackEntry], module: Module) -> list[str]:
    return _shortened([_at(entry, module) for entry in stack], "frames")


def _at(entry: StackEntry, module: Module) -> str:
    return f"at {place(entry.span, module)} in @{printable(entry.function)}"


def _shortened(lines: list[str], of: str) -> list[str]:
    """The first and the last lines; of how many others there are."""
    if len(lines) > FRAMES:
        half = FRAMES // 2
        lines[half:-half] = [f"... {len(lines) - 2 * half} more {of}"]
    return lines


def _standing(standing: Sequence[tuple[int, StackEntry]], module: Module) -> list[str]:
    return _shortened([f"thread {thread} {_at(entry, module)}" for thread, entry in standing], "threads")


def goes_round(spinning: Sequence[GoesRound]) -> str:
    """Who never stops."""
    return f"{threads([s.thread for s in spinning])} {'goes' if len(spinning) == 1 else 'go'} round for ever"


def _spinning(spinning: Sequence[GoesRound], module: Module) -> list[str]:
    return [
        f"thread {s.thread} comes back to %{printable(s.block)} ({place(s.span, module)})"
        f" in @{printable(s.function)}"
        for s in spinning
    ]


def _waiting(waiting: Sequence[Waiting], module: Module) -> list[str]:
    return [
        f"thread {w.thread} waits at {w.name} ({place(w.span, module)})"
        + (f" for {threads(w.for_threads)}" if w.for_threads else "")
        for w in waiting
    ]


# ----------------------------------------------------------------------------------------------------------
# What ran threads: the reference, or native code, and how much of it, in words and as data.
# ----------------------------------------------------------------------------------------------------------

HANDED = 8  # instructions that native code handed back, the most frequent ones


def engine_lines(tally: Tally | None) -> list[str]:
    """What ran the threads."""
    if tally is None:
        return ["Engine: reference"]
    compiled = f"{tally.functions} function{'s' * (tally.functions != 1)} compiled in {tally.compiling:.3f} s"
    parts = [f"Engine: native, {tally.instructions} instructions in {tally.calls} calls; {compiled}"]
    if tally.unattended:
        several = tally.unattended != 1
        order = "one after the other" if tally.cores == 1 else f"on {tally.cores} cores, which was looked at"
        how = f", {order}: no two met in memory but by additions" if several else ""
        parts.append(f"  {tally.unattended} workgroup{'s' * several} from launch to end{how}")
    elif tally.attended:
        parts.append(f"  no workgroup from launch to end: {printable(tally.attended)}")
    for (function, opcode, why), times in tally.handed_back[:HANDED]:
        parts.append(f"  handed back {times} times: {opcode} in @{printable(function)} ({printable(why)})")
    parts += [
        f"  @{printable(name)} has no native code: {printable(why)}" for name, why in tally.refused.items()
    ]
    return parts


def engine_data(tally: Tally | None) -> dict[str, Json]:
    """``engine``: what ran the threads; of native code, how much of the run, and what was handed back."""
    if tally is None:
        return {"used": "reference"}
    return {
        "used": "native",
        "instructions": tally.instructions,
        "calls": tally.calls,
        "compile_seconds": round(tally.compiling, 6),
        "handed_back": [
            {"function": "@" + function, "instruction": opcode, "why": why, "times": times}
            for (function, opcode, why), times in tally.handed_back
        ],
        "unattended": tally.unattended,
        "cores": tally.cores,
        "attended": tally.attended or None,
        "refused": {"@" + function: why for function, why in tally.refused.items()},
    }


# ----------------------------------------------------------------------------------------------------------
# Races in words and as data: which variable, and where the two accesses stand (D-SYNC).
# ----------------------------------------------------------------------------------------------------------


RACES_SHOWN = 8  # pairs of places that are shown


def race_lines(races: Sequence[Race], module: Module) -> list[str]:
    """A line for each two places at which threads race for a variable; the first threads that did."""
    pairs: dict[tuple[object, ...], Race] = {}
    for race in races:
        pairs.setdefault((race.variable, race.first.site, race.second.site), race)
    shown = [
        f"race on {race.variable}: {_access_text(race.first, module)}, {_access_text(race.second, module)}"
        for race in list(pairs.values())[:RACES_SHOWN]
    ]
    if len(pairs) > RACES_SHOWN:
        shown.append(f"races at {len(pairs) - RACES_SHOWN} more pairs of places")
    return shown


def _access_text(access: RacingAccess, module: Module) -> str:
    atomic = "atomic " if access.atomic else ""
    return f"{atomic}{access.kind} by thread {access.thread} ({place(_span(access, module), module)})"


def _span(access: RacingAccess, module: Module) -> Span:
    return module.functions[access.site.function].instructions[access.site.index].span


def race_data(races: Sequence[Race], module: Module) -> list[Json]:
    """Every race, as ``convcheck/1`` has it."""
    return [
        {
            "variable": race.variable,
            "accesses": [_access(race.first, module), _access(race.second, module)],
        }
        for race in races
    ]


def _access(access: RacingAccess, module: Module) -> Json:
    span = _span(access, module)
    position = module.source.position(span.start) if span.start >= 0 else None
    return {
        "thread": access.thread,
        "access": access.kind,
        "atomic": access.atomic,
        "function": "@" + access.site.function,
        "line": None if position is None else position.line,
        "column": None if position is None else position.column,
    }


# ----------------------------------------------------------------------------------------------------------
# Which attributes of a program are not modelled, in words.
# ----------------------------------------------------------------------------------------------------------


def attribute_notes(module: Module, launched: Iterable[str]) -> tuple[str, ...]:
    """A line for each way of not being modelled: ``attributes that are not modelled: noalias (@f): ...``."""
    if not _has_words(module):
        return ()
    from ...semantics.attributes import AttributeStanding, unmodelled_attributes

    why = {
        AttributeStanding.PROMISE: "what breaks such a promise is undefined behaviour, "
        "which is not noticed here",
        AttributeStanding.EFFECT: "with them a program may do something else",
    }
    attributes = list(dict.fromkeys(a for name in launched for a in unmodelled_attributes(module, name)))
    named = {standing: _named(attributes, standing) for standing in why}
    return tuple(_line(functions, why[standing]) for standing, functions in named.items() if functions)


def _has_words(module: Module) -> bool:
    """Whether there may be attributes at all: small programs need not read what is known of each."""
    return any(
        function.attributes
        or function.return_attributes
        or any(parameter.attributes for parameter in function.parameters)
        or any(isinstance(instruction, CallSite) for instruction in function.instructions)
        for function in module.definitions()
    )


def _named(attributes: list[UnmodelledAttribute], standing: AttributeStanding) -> dict[str, list[str]]:
    """The functions of each attribute."""
    functions: dict[str, list[str]] = {}
    for attribute in attributes:
        if attribute.standing is standing:
            functions.setdefault(attribute.name, []).append(f"@{attribute.function}")
    return functions


def _line(functions: Mapping[str, Sequence[str]], why: str) -> str:
    names = ", ".join(f"{name} ({', '.join(of)})" for name, of in functions.items())
    return f"attributes that are not modelled: {names}: {why}"


def notes_of_both(source: Module, target: Module, pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Of the functions compared, each with its target's name: once where both sides say the same."""
    pairs = tuple(pairs)
    notes = attribute_notes(source, (name for name, _ in pairs))
    other = attribute_notes(target, (name for _, name in pairs))
    if notes == other:
        return notes
    return (*(f"source: {note}" for note in notes), *(f"target: {note}" for note in other))


# ----------------------------------------------------------------------------------------------------------
# What a compiler is known to write that makes a program undefined, with a way round.
# ----------------------------------------------------------------------------------------------------------

_INITIALISER = "_init_buffer_"
"""How clang's HLSL front end calls what initialises a constant buffer. It defines it with the C convention,
and calls it with SPIR-V's, as it did its other initialisers (llvm/llvm-project#118651)."""


def program_notes(module: Module, launched: Iterable[str]) -> tuple[str, ...]:
    """A line each."""
    return (*attribute_notes(module, launched), *compiler_notes(module))


def compiler_notes(module: Module) -> tuple[str, ...]:
    """A line where clang calls constant buffers' initialisers by a convention that they do not have."""
    names = sorted(
        {
            callee.name
            for function in module.definitions()
            for call in function.instructions
            if isinstance(call, CallSite)
            and (callee := module.functions.get(callee_name(call) or "")) is not None
            and callee.name.startswith(_INITIALISER)
            and unfit(call, callee) is not None
        }
    )
    if not names:
        return ()
    named = ", ".join(f"@{name}" for name in names)
    return (
        f"clang calls {named} by a calling convention that it does not have, so each launch is "
        "undefined here: this is clang's fault and not the shader's (docs/llvm-findings.md); "
        "without clang's -disable-llvm-passes, or behind `opt -passes=always-inline`, there is no such call",
    )


# ----------------------------------------------------------------------------------------------------------
# What to know of how a text was read: where LLVM, and so convcheck, took it for something else.
# ----------------------------------------------------------------------------------------------------------


Note = tuple[int | None, int | None, str]
"""Line and column in the user's text, if it has a place there, and the sentence."""


def reading_notes(module: Module) -> Iterator[Note]:
    """What was read as something else."""
    if module.typed_pointer.start >= 0:
        place = (module.original or module.source).position(module.typed_pointer.start)
        yield place.line, place.column, "typed pointers are read as `ptr`, as LLVM 22 does"
    if module.upgrades:
        yield None, None, f"{_replaced(module.upgrades)}; positions are in LLVM's print of the file"


NOT_ASKED = "LLVM was not asked: convcheck's own reader took this for LLVM IR"
"""What every answer says of a module that was read without LLVM."""


def reading_standing(module: Module) -> str | None:
    """What every answer says of how the module was read: that LLVM was not asked, or of what text positions
    are, if not of the user's."""
    if module.without_llvm:
        return NOT_ASKED
    if not module.upgrades:
        return None
    return "positions are in LLVM's print of the file, as it replaced old intrinsics"


def _replaced(upgrades: Sequence[Upgrade]) -> str:
    """What LLVM put in place of old intrinsics."""
    old = [f"@{upgrade.old}" for upgrade in upgrades]
    if len(old) > 1:
        return f"LLVM replaced old intrinsics: {', '.join(old)}"
    (upgrade,) = upgrades
    new = " and ".join(f"@{name}" for name in upgrade.new if name != upgrade.old)
    if upgrade.new == (upgrade.old,):
        return f"{old[0]} has other parameters in LLVM 22, which rewrites its calls"
    return f"LLVM replaced the old intrinsic {old[0]}{' by ' + new if new else ''}"


# ----------------------------------------------------------------------------------------------------------
# A transformed module as text: what was done as comments, the file's own defaults, and the IR.
# ----------------------------------------------------------------------------------------------------------


def transformed_text(command: str, before: Module, after: Transformed, ir: str) -> str:
    """The answer of ``infer`` and ``inline``; ``ir`` is the module as LLVM IR.

    The file's ``CONVCHECK`` words stay, but for its paths where a function has other blocks now.
    """
    lines = [f"; convcheck {command}: {printable(str(note))}" for note in after.notes]
    words: list[str] = []
    for directive in before.directives:
        try:
            words += directive.words()
        except ValueError:  # a quote that is not closed: the line stays as faulty as it was
            lines.append(f"; CONVCHECK: {directive.text}")
    if not _same_blocks(before, after.module):
        words = _without_paths(words)
    if words:
        lines.append(f"; CONVCHECK: {shlex.join(words)}")
    return "\n".join([*(line.replace("\n", " ") for line in lines), ir])


def _same_blocks(before: Module, after: Module) -> bool:
    return before is after or all(
        [block.name for block in function.blocks] == [b.name for b in after.functions[function.name].blocks]
        for function in before.definitions()
    )


def _without_paths(words: Sequence[str]) -> list[str]:
    """Words without ``--path X`` and ``--path=X``."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--path":
            next(rest, None)
        elif not word.startswith("--path="):
            kept.append(word)
    return kept
