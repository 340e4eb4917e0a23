"""Keys in words: ``use(%sum, loop(%heart, entry(%t, launch), 2))``; and in what two keys differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, islice

from ...alignment.instances import StaticInstance
from ...frozen import Json
from ...semantics.convergence.keys import (
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
from .printable import printable

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
