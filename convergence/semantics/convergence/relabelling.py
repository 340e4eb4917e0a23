"""Keys up to the counts of iterations: what of them the rest of a run can depend on.

A loop's instances, and headers, have the number of the iteration in their keys (D-LOOP; D-FREE, mode
maximal), so no state of a thread that goes round comes back as it was. Two views of the keys do come back:

*Against what waits* (:class:`AgainstWaiting`), for a stretch in which nobody comes to an exchange. A thread
that comes to none is asked one thing about its keys: whether it may still come to one of the groups that
wait (:func:`~.arrival.may_come`). That looks at the links of these groups' keys, at who holds them, and,
where such a link is the n-th iteration, at how many iterations the thread is short of n: all numbers above
the largest such n are the same. No other key decides anything.

*Counted from the last* (:class:`FromTheLast`), for any stretch. A number of an iteration is only compared
with others of the same loop, token and frame: for equality, and for how many are missing. So from all
numbers of one loop with one token the smallest that a live thread has reached can be taken away. A thread
that holds the token and has not begun to count has reached 0, and one that has left the loop has no say,
for it cannot come back to that token. The same for headers with the same parents. This maps keys one to
one, and the rules commute with it: they compare keys by identity, by site, by parents and by differences of
these numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from ...alignment.instances import StaticInstance
from ...ir.calls import Control, control
from ..threads.state import Frame, Thread
from .groups import PendingGroup
from .keys import Key, KeyKind, LaunchGroup, Pass, Root, fold

_Count = tuple[StaticInstance, tuple[Root, ...]]
"""What numbers are compared within: a loop and its token; a header and what it hangs from."""
_COUNTED = frozenset((KeyKind.LOOP, KeyKind.HEADER))


def _number(key: Key) -> int:
    return key.own if isinstance(key.own, int) else key.passes.n


class AgainstWaiting:
    """What threads' keys say of the groups that wait."""

    def __init__(self, groups: Iterable[PendingGroup]) -> None:
        self.links: set[Root] = set()
        self._most: dict[_Count, int] = {}
        work: list[Root] = [group.key for group in groups]
        while work:
            link = work.pop()
            if link in self.links:
                continue
            self.links.add(link)
            if isinstance(link, Key):
                work += link.parents
                if link.kind in _COUNTED:
                    count = link.site, link.parents
                    self._most[count] = max(self._most.get(count, 0), _number(link))

    def thread(self, thread: Thread, frames: Sequence[Frame], live: Sequence[Sequence[Key]]) -> Hashable:
        """All that the groups ask of one thread, with these live tokens in its frames."""
        if not self.links:
            return ()
        return (
            frozenset(link for link in self.links if link in thread.keys),
            tuple(
                (
                    self._link(frame.root),
                    tuple(map(self._link, tokens)),
                    tuple(map(self._header, frame.recent or ())),
                    tuple(
                        (at, token, self._short(StaticInstance(frame.code.name, at), (token,), n))
                        for at, (token, n) in sorted((frame.loops or {}).items())
                        if token in self.links
                    ),
                )
                for frame, tokens in zip(frames, live, strict=True)
            ),
        )

    def _link(self, root: Root | None) -> Hashable:
        return root if root in self.links else None

    def _header(self, header: Key | None) -> Hashable:
        if header is None or header in self.links:
            return header
        count = header.site, header.parents
        return (count, self._short(*count, _number(header))) if count in self._most else None

    def _short(self, site: StaticInstance, parents: tuple[Root, ...], n: int) -> int:
        most = self._most.get((site, parents))
        return 0 if most is None else min(n, most + 1)


class FromTheLast:
    """The keys of live threads, with all iterations counted from the one that the last thread is in."""

    def __init__(self, frames: Iterable[tuple[Frame, int]]) -> None:
        """``frames`` are the activations of live threads, each with the instruction that it executes next."""
        self._least: dict[_Count, int] = {}
        self._known: dict[Root, Hashable] = {}
        by_root: dict[Root | None, list[tuple[Frame, int]]] = {}
        for frame, position in frames:
            by_root.setdefault(frame.root, []).append((frame, position))
            self._count_loops(frame, position)
        for fellows in by_root.values():
            self._count_headers(fellows)

    def _count_loops(self, frame: Frame, position: int) -> None:
        code = frame.code
        for at, slot in code.token_of.items():
            token = frame.registers[slot]
            if not isinstance(token, Key) or control(code.instructions[at]) is not Control.LOOP:
                continue
            tokens = frozenset([code.defined_at[slot]]) if slot in code.defined_at else frozenset()
            if code.graph.reaches(position, frozenset([at]), tokens):
                counted, n = (frame.loops or {}).get(at, (None, 0))
                self._reached((StaticInstance(code.name, at), (token,)), n if counted is token else 0)

    def _count_headers(self, fellows: Sequence[tuple[Frame, int]]) -> None:
        """Headers of frames that hang from one root: a frame without one has not come to it."""
        reached = [(dict(_headers(frame)), frame, position) for frame, position in fellows]
        nothing: frozenset[int] = frozenset()
        for count in {count for counts, _, _ in reached for count in counts}:
            for counts, frame, position in reached:
                graph = frame.code.graph
                header = frozenset([graph.block_of[count[0].index]])
                if graph.reaches(position, nothing, nothing, header):
                    self._reached(count, counts.get(count, 0))

    def _reached(self, count: _Count, n: int) -> None:
        self._least[count] = min(n, self._least.get(count, n))

    def frame(self, frame: Frame, tokens: Sequence[Key]) -> Hashable:
        """The keys of one activation, with these live tokens."""
        code, loops = frame.code, frame.loops or {}
        return (
            None if frame.root is None else self.key(frame.root),
            tuple(map(self.key, tokens)),
            tuple(None if header is None else self.key(header) for header in frame.recent or ()),
            tuple(
                (at, n - self._least.get((StaticInstance(code.name, at), (token,)), 0))
                for at, (token, n) in sorted(loops.items())
                if at in code.token_of and frame.registers[code.token_of[at]] is token
            ),
        )

    def key(self, key: Root) -> Hashable:
        """One key."""
        return fold(key, _launch, self._node, self._known)

    def _node(self, key: Key, parents: tuple[Hashable, ...]) -> Hashable:
        own: Hashable = key.own
        least = self._least.get((key.site, key.parents), 0) if key.kind in _COUNTED else 0
        if isinstance(key.own, int):
            own = key.own - least
        elif isinstance(key.own, Pass):
            own = key.own.block, key.own.n - least
        return key.kind, key.site, own, parents


def _launch(group: LaunchGroup) -> Hashable:
    return group.number


def _headers(frame: Frame) -> Iterable[tuple[_Count, int]]:
    """The headers that a frame met last, and those around them."""
    for header in frame.recent or ():
        link = header
        while link is not None:
            yield (link.site, link.parents), _number(link)
            link = link.header
