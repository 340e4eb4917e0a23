"""Whether what the target may do for one input is what the source may do (semantics.md, §6)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

from .execute import ENDLESS, UNDEFINED, Outcomes
from .observable import difference

Answer = Literal["holds", "fails", "open"]


@dataclass(frozen=True, slots=True)
class Relation:
    """``fails``: ``outcome`` is what the target does and the source cannot (an outcome's identity,
    ``UNDEFINED`` or ``ENDLESS``), ``nearest`` the identity of the source's outcome nearest to it, ``words``
    how they differ. ``open``: ``words`` says what was cut. ``says``: whether the input says anything."""

    answer: Answer
    words: str = ""
    outcome: Hashable = None
    nearest: Hashable = None
    says: bool = True

    def cut(self, bound: str) -> bool:
        """Whether it is open because of this bound."""
        return self.answer == "open" and self.words.startswith(bound)


HOLDS = Relation("holds")


def refines(source: Outcomes, target: Outcomes) -> Relation:
    """Whether each outcome of the target is refined by some outcome of the source.

    If some execution of the source is undefined, or may be endless, the input says nothing.
    """
    if source.undefined is not None or source.endless is not None:
        return Relation("holds", says=False)
    if target.undefined is not None:
        return _fails(source, UNDEFINED, f"undefined behaviour only in the target: {target.undefined.reason}")
    for identity, outcome in target.found.items():
        if identity in source.found:
            continue
        words, nearest = "", None
        for known, allowed in source.found.items():
            found = difference(allowed, outcome)
            if found is None:
                break
            if not words or _further(found, words):
                words, nearest = found, known
        else:
            if not source.found:
                words = "the source has no outcome"
            return _fails(source, identity, words, nearest)
    if target.endless is not None:
        words = "only the target may run without an end"
        if not target.endless.waiting:
            words = "only the target has no execution that is complete"
        return _fails(source, ENDLESS, words)
    if target.bound is not None:
        return Relation("open", f"{target.bound} in the target")
    return HOLDS


def _fails(source: Outcomes, outcome: Hashable, words: str, nearest: Hashable = None) -> Relation:
    """The target does what was not found in the source: a failure if nothing else can be there."""
    if source.bound is not None:
        return Relation("open", f"{source.bound} in the source")
    if source.undecided is not None:
        return Relation("open", f"{source.undecided} in the source")
    if nearest is None and source.found:
        nearest = next(iter(source.found))
    return Relation("fails", words, outcome, nearest)


def _further(one: str, other: str) -> bool:
    """Whether one difference comes later in an execution than the other: at the end, or at a later event."""
    return _place(one) > _place(other)


def _place(words: str) -> tuple[int, int]:
    if words.startswith("event "):
        return 0, int(words.split()[1].rstrip(","))
    return 1, 0
