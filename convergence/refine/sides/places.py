"""Where in one side's objects another side's addresses are, where nobody outside can name the objects.

A variable with a linkage that hides it, workgroup memory, and a stack object have no name for the outside: a
pass may rename one, put several into a struct, or take one apart (semantics.md, §6).
"""

from __future__ import annotations

from dataclasses import dataclass

from ...semantics.values.display import Place


@dataclass(frozen=True, slots=True)
class UnnamedObjects:
    """``names`` of the objects that one side alone has, and that nobody outside can name; ``several``: the
    stack objects that there may be more than one of in a thread, for a function that is called has them."""

    names: frozenset[str] = frozenset()
    several: frozenset[str] = frozenset()


ALL_NAMED = UnnamedObjects()
"""No objects but those that both sides have by one name."""


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

    def named(self, thread: int | None, source: object, target: object) -> object:
        """The target's data with addresses that correspond to the source's called as there. ``thread``: whose
        it is; none for what threads share."""
        if not self._unnamed.names:
            return target
        if isinstance(source, Place) and isinstance(target, Place):
            return source if self._correspond(thread, source, target) else target
        if isinstance(source, list | tuple) and isinstance(target, list | tuple):
            if len(source) == len(target):
                return [self.named(thread, a, b) for a, b in zip(source, target, strict=True)]
        return target

    def _correspond(self, thread: int | None, source: Place, target: Place) -> bool:
        names, several = self._unnamed.names, self._unnamed.several
        if source != target and not (source.object in names or target.object in names):
            return False
        stack = target.object.startswith("%")
        if stack != source.object.startswith("%"):
            return False
        whose = thread if stack else None
        forks = self._targets.setdefault((whose, source), target) != target
        joins = self._sources.setdefault((whose, target), source) != source
        return not ((forks and source.object not in several) or (joins and target.object not in several))
