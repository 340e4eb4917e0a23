"""Keys with their labels taken out: what two keys have in common whatever anchors choose."""

from __future__ import annotations

from ...semantics.keys import (
    AnchorKey,
    CallKey,
    Chosen,
    EntryKey,
    FreeKey,
    HeaderKey,
    Key,
    LaunchGroup,
    LoopKey,
    Root,
    UseKey,
)
from .machine import Happened

Label = tuple[int, int]
"""A thread's label, by thread and the number of the group that it joined for the machine."""
Skeleton = tuple[object, ...]
"""A key with the labels taken out."""


class Skeletons:
    """The skeletons of one run; equal ones are the same number inside others, so that they stay small."""

    def __init__(self) -> None:
        self.parts: dict[tuple[int, Key], tuple[Skeleton, tuple[Label, ...]]] = {}
        self.interned: dict[Skeleton, int] = {}

    def of(self, happened: Happened) -> tuple[Skeleton, tuple[Label, ...]]:
        """A key's skeleton, and its labels in order."""
        return self._split(happened.instance.thread, happened.key)

    def _split(self, thread: int, key: Key) -> tuple[Skeleton, tuple[Label, ...]]:
        """Parts first, without recursion: keys nest as deep as calls do."""
        work = [key]
        while work:
            top = work[-1]
            missing = [p for p in _parts(top) if (thread, p) not in self.parts]
            if missing and (thread, top) not in self.parts:
                work.extend(missing)
                continue
            work.pop()
            self.parts.setdefault((thread, top), self._made(thread, top))
        return self.parts[thread, key]

    def _made(self, thread: int, key: Key) -> tuple[Skeleton, tuple[Label, ...]]:
        inner = [self.parts[thread, part] for part in _parts(key)]
        labels = tuple(label for _, found in inner for label in found)
        own: tuple[object, ...] = ()
        match key:
            case LoopKey():
                own = (key.site, key.n)
            case HeaderKey():
                own = (key.function, key.block, key.n, key.frame if _is_launch(key.frame) else None)
            case AnchorKey(site, Chosen(group)):
                own, labels = (site,), (*labels, (thread, group))
            case FreeKey(site, Chosen(group)):
                own, labels = (site,), (*labels, (thread, group))
            case FreeKey() | CallKey():
                own = (key.site, getattr(key, "label", None), key.frame if _is_launch(key.frame) else None)
            case EntryKey():
                own = (key.site, key.caller if _is_launch(key.caller) else None)
            case UseKey():
                own = (key.site,)
        skeleton: Skeleton = (type(key).__name__, *own, *(self._number(s) for s, _ in inner))
        return skeleton, labels

    def _number(self, skeleton: Skeleton) -> int:
        return self.interned.setdefault(skeleton, len(self.interned))


def _is_launch(root: Root | None) -> bool:
    return isinstance(root, LaunchGroup)


def _parts(key: Key) -> tuple[Key, ...]:
    """The keys that a key is made from."""
    found: tuple[Root | None, ...]
    match key:
        case AnchorKey():
            found = ()
        case EntryKey(caller=caller):
            found = (caller,)
        case LoopKey(token=token) | UseKey(token=token):
            found = (token,)
        case HeaderKey(frame=frame, base=base):
            found = (frame, base)
        case FreeKey(frame=frame, header=header):
            found = (frame, header)
        case CallKey(frame=frame, header=header, tokens=tokens):
            found = (frame, header, *tokens)
    return tuple(p for p in found if p is not None and not isinstance(p, LaunchGroup))
