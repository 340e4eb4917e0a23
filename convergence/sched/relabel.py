"""An execution with one label for another: what would be converged then, the traces as they are."""

from __future__ import annotations

from collections.abc import Mapping

from ..alignment.instances import ConvergedWith, DynamicInstance, Execution
from ..semantics.keys import (
    AnchorKey,
    CallKey,
    Chosen,
    EntryKey,
    FreeKey,
    HeaderKey,
    Key,
    Keys,
    LaunchGroup,
    LoopKey,
    Root,
    UseKey,
)
from ..semantics.run import Run

Move = Mapping[int, Mapping[int, int]]
"""Per thread which of its labels become which others."""


def relabelled(run: Run, move: Move) -> Execution | None:
    """The execution with the labels that ``move`` says, the traces as they are; ``None`` where two
    instances of one thread would be converged."""
    renaming = _Renaming()
    classes: dict[Key, list[DynamicInstance]] = {}
    for instance, key in run.keys.items():
        renamed = renaming.renamed(key, instance.thread, move.get(instance.thread, {}))
        classes.setdefault(renamed, []).append(instance)
    for members in classes.values():
        if len({member.thread for member in members}) < len(members):
            return None
    execution = run.execution
    return Execution(
        execution.visits, ConvergedWith(frozenset(map(frozenset, classes.values()))), execution.launch_groups
    )


class _Renaming:
    """Keys made again, in a table of their own, with other labels."""

    def __init__(self) -> None:
        self.keys = Keys()
        self._known: dict[int, dict[Root, Root]] = {}

    def renamed(self, key: Key, thread: int, labels: Mapping[int, int]) -> Key:
        """The key with the thread's other labels."""
        return self._copy(key, self._known.setdefault(thread if labels else -1, {}), labels)

    def _copy(self, key: Key, known: dict[Root, Root], labels: Mapping[int, int]) -> Key:
        """Parts first, without recursion: keys nest as deep as calls do."""
        work: list[Root] = [key]
        while work:
            top = work[-1]
            missing = [part for part in _parts(top) if part not in known]
            if top in known or not missing:
                work.pop()
                if top not in known:
                    known[top] = self._made(top, known, labels)
            work.extend(missing if top not in known else [])
        made = known[key]
        assert not isinstance(made, LaunchGroup)
        return made

    def _made(self, key: Root, known: Mapping[Root, Root], labels: Mapping[int, int]) -> Root:
        def copied(part: Key) -> Key:
            made = known[part]
            assert not isinstance(made, LaunchGroup)
            return made

        def header(part: HeaderKey | None) -> HeaderKey | None:
            made = None if part is None else known[part]
            assert made is None or isinstance(made, HeaderKey)
            return made

        keys = self.keys
        match key:
            case LaunchGroup():
                return key
            case EntryKey(site, caller):
                return keys.entry(site, known[caller])
            case LoopKey(site, token, n):
                return keys.loop(site, copied(token), n)
            case UseKey(site, token):
                return keys.use(site, copied(token))
            case AnchorKey(site, label):
                return keys.anchor(site, Chosen(labels.get(label.group, label.group)))
            case HeaderKey(frame, function, block, base, n):
                return keys.header(known[frame], function, block, header(base), n)
            case FreeKey(site, Chosen(group), _, _):
                return keys.free(site, Chosen(labels.get(group, group)))
            case FreeKey(site, None, frame, around):
                assert frame is not None
                return keys.maximal(site, known[frame], header(around))
            case FreeKey(site, label, _, _):
                assert label is not None
                return keys.free(site, label)
            case CallKey(site, frame, around, tokens):
                return keys.call(site, known[frame], header(around), tuple(map(copied, tokens)))


def _parts(key: Root) -> tuple[Root, ...]:
    """The keys that a key is made from."""
    match key:
        case LaunchGroup() | AnchorKey():
            return ()
        case EntryKey(_, caller):
            return (caller,)
        case LoopKey(_, token, _) | UseKey(_, token):
            return (token,)
        case HeaderKey(frame, _, _, base, _):
            return (frame,) if base is None else (frame, base)
        case FreeKey(_, _, frame, header):
            return tuple(part for part in (frame, header) if part is not None)
        case CallKey(_, frame, header, tokens):
            return (frame, *tokens) if header is None else (frame, header, *tokens)
