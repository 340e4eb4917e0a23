"""Keys in words: ``use(%sum, loop(%heart, entry(%t, launch), 2))``; deep ones end in ``...``."""

from __future__ import annotations

from collections.abc import Callable

from ...alignment.instances import StaticInstance
from ...semantics.convergence.keys import (
    Alone,
    AnchorKey,
    CallKey,
    Chosen,
    EntryKey,
    FreeKey,
    HeaderKey,
    LaunchGroup,
    LoopKey,
    Root,
    UseKey,
)

DEEPEST = 6  # links of a key that are written out

Describe = Callable[[StaticInstance], str]


def key_text(key: Root | None, name: Describe, depth: int = DEEPEST) -> str:
    """A key as a term; ``name`` says how an instruction is called."""
    if key is None:
        return "none"
    if depth == 0:
        return "..."

    def inner(other: Root | None) -> str:
        return key_text(other, name, depth - 1)

    match key:
        case LaunchGroup(number):
            return "launch" if number == 0 else f"launch {number}"
        case EntryKey(site, caller):
            return f"entry({name(site)}, {inner(caller)})"
        case LoopKey(site, token, n):
            return f"loop({name(site)}, {inner(token)}, {n})"
        case UseKey(site, token):
            return f"use({name(site)}, {inner(token)})"
        case AnchorKey(site, label):
            return f"anchor({name(site)}, {_label(label)})"
        case FreeKey(site, label, frame, header):
            return f"free({name(site)}, {_label(label) if label is not None else inner(header or frame)})"
        case HeaderKey(frame, _, block, base, n):
            return f"header(%{block}, {inner(base or frame)}, {n})"
        case CallKey(site, frame, header):
            return f"call({name(site)}, {inner(header or frame)})"


def _label(label: Chosen | Alone) -> str:
    match label:
        case Chosen(group):
            return f"group {group}"
        case Alone(thread, nth):
            return f"thread {thread} alone, #{nth}"
