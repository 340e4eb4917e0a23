"""Where in one side's objects another side's addresses are, where nobody outside can name the objects.

A variable with a linkage that hides it, workgroup memory, and a stack object have no name for the outside: a
pass may rename one, put several into a struct, or take one apart (semantics.md, §6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...semantics.machine.log import Called
from ...semantics.values.display import Json, Place


@dataclass(frozen=True, slots=True)
class UnnamedObjects:
    """``names`` of the objects that one side alone has, and that nobody outside can name; ``several``: the
    stack objects that there may be more than one of in a thread, for a function that is called has them.
    ``uncaptured``: by function without a model the operands, from 0, of which every call says that the
    pointer is not captured (LangRef, *captures*): nothing can depend on which stack object it is.
    ``stack``: the stack objects that a thread has once, where the sides give calls others of them: a name
    that both sides have says no more than one that is one side's."""

    names: frozenset[str] = frozenset()
    several: frozenset[str] = frozenset()
    uncaptured: Mapping[str, frozenset[int]] = field(default_factory=dict)
    stack: frozenset[str] = frozenset()

    def arguments(self, callee: str, arguments: list[Json]) -> list[Json]:
        """What a stand-in is made of (the thread, the operands, which call it is, and what was written), with
        stack objects that are not captured called by the operands."""
        uncaptured = self.uncaptured.get(callee)
        if not uncaptured or len(arguments) < 3 or not isinstance(arguments[1], list):
            return arguments
        thread, operands, number, *memory = arguments
        assert isinstance(operands, list)
        places = [m for m in memory if isinstance(m, list | tuple)]
        shown, written = _without_names(operands, places, uncaptured)
        return [thread, shown, number, *written]


ALL_NAMED = UnnamedObjects()
"""No objects but those that both sides have by one name."""


def _without_names(
    operands: Sequence[object], memory: Sequence[Sequence[Any]], uncaptured: frozenset[int]
) -> tuple[list[Any], list[list[Any]]]:
    """A call's operands, and what its thread had written (object, offset, byte), with stack objects whose
    pointers are not captured called by the operand. An object of several such operands has the first one's
    name; a place in it is as far from there as it is."""
    starts: dict[str, tuple[str, int]] = {}
    shown = list(operands)
    for number in sorted(uncaptured):
        place = shown[number] if number < len(shown) else None
        if isinstance(place, Place) and place.object.startswith("%"):
            name, start = starts.setdefault(place.object, (f"operand {number}", place.offset))
            shown[number] = f"{name}{place.offset - start:+d}"
    written: list[list[Any]] = []
    for name, offset, *rest in memory:
        whose, start = starts.get(str(name), (name, 0))
        # offsets below zero are counts of writes by calls, and no places
        written.append([whose, offset if offset < 0 else offset - start, *rest])
    return shown, written


class Correspondence:
    """Which address of the target is which of the source, as far as a comparison of two outcomes has come.

    What is in an ``unnamed`` object corresponds to the first place of the other side that is compared with
    it, and from then on to no other. So the same places are the same, and different ones differ, whatever
    they are called. A stack object of a function that is called may be several of the other side's.
    """

    def __init__(self, unnamed: UnnamedObjects) -> None:
        self._unnamed = unnamed
        self._sources: dict[tuple[int | None, Place], Place] = {}
        self._targets: dict[tuple[int | None, Place], Place] = {}

    def event(self, event: Called) -> Called:
        """A call with stack objects whose pointers it does not capture called by its operands."""
        uncaptured = self._unnamed.uncaptured.get(event.callee)
        if not uncaptured:
            return event
        operands, memory = _without_names(event.operands, event.memory, uncaptured)
        written = tuple((name, offset, byte) for name, offset, byte in memory)
        return replace(event, operands=tuple(operands), memory=written)

    def named(self, thread: int | None, source: object, target: object) -> object:
        """The target's data with addresses that correspond to the source's called as there. ``thread``: whose
        it is; none for what threads share."""
        if not self._unnamed.names and not self._unnamed.stack:
            return target
        if isinstance(source, Place) and isinstance(target, Place):
            return source if self._correspond(thread, source, target) else target
        if isinstance(source, list | tuple) and isinstance(target, list | tuple):
            if len(source) == len(target):
                return [self.named(thread, a, b) for a, b in zip(source, target, strict=True)]
        return target

    def _correspond(self, thread: int | None, source: Place, target: Place) -> bool:
        names, several = self._unnamed.names, self._unnamed.several
        if {source.object, target.object} <= self._unnamed.stack:
            if source.offset != target.offset:
                return False
            source, target = Place(source.object, 0), Place(target.object, 0)
        elif source != target and not (source.object in names or target.object in names):
            return False
        stack = target.object.startswith("%")
        if stack != source.object.startswith("%"):
            return False
        whose = thread if stack else None
        forks = self._targets.setdefault((whose, source), target) != target
        joins = self._sources.setdefault((whose, target), source) != source
        return not ((forks and source.object not in several) or (joins and target.object not in several))
