"""The D-rules that decide with whom an instance is converged: one function each, giving its key.

Two instances are converged-with exactly if their keys are equal (semantics.md, §2, *Keys*). Each
docstring begins with the rule's sentence. A rule counts nothing: asked twice it says the same, but for a
label, which is a choice. Who executes the instance commits it (:func:`beat`, :func:`enter_header`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...alignment.instances import StaticInstance
from ...rules import Rule
from ..errors import IllegalExecution, NotModelled
from ..threads.state import UNSET, CodeBlock, Environment, Frame, Thread
from .keys import Alone, Key, KeyKind, Root, Selected, SwitchedCase


def d_entry(thread: Thread, frame: Frame, site: StaticInstance) -> Key:
    """Instances of entry are converged iff their call-site instances are, or, in a launched function,
    iff the environment launched the threads together."""
    machine = thread.environment
    root = frame.root
    if root is None or (isinstance(root, Key) and root.kind is KeyKind.CALL):
        assert frame.caller is not None
        root = frame.root = _entered_freely(thread, frame, StaticInstance(frame.caller.code.name, frame.call))
        thread.holders[root] = frame
    return machine.keys.entry(site, root)


def _entered_freely(thread: Thread, frame: Frame, call: StaticInstance) -> Key:
    """D-CALL: a call that is no convergent operation but reaches entry groups as under mode any."""
    machine = thread.environment
    machine.warnings.setdefault((Rule.W_ENTRY_CALL, call), None)
    keys = machine.keys
    what = f"entry through {machine.program.name(call)}"
    return machine.label(thread, call, what, lambda label: keys.free(call, label), recorded=False)


def d_loop(thread: Thread, frame: Frame, site: StaticInstance, token: Key) -> Key:
    """Instances of loop are converged iff their tokens come from converged instances and both threads
    execute it for the n-th time with that token value."""
    counted, n = (frame.loops or {}).get(site.index, (None, 0))
    return thread.environment.keys.loop(site, token, n + 1 if counted is token else 1)


def beat(frame: Frame, key: Key) -> None:
    """An instance of loop with this key is executed: the next one with its token counts on."""
    (token,) = key.parents
    assert isinstance(token, Key) and isinstance(key.own, int)
    if frame.loops is None:
        frame.loops = {}
    frame.loops[key.site.index] = token, key.own


def d_use(thread: Thread, frame: Frame, site: StaticInstance, token: Key) -> Key:
    """Instances of any other controlled operation are converged iff their tokens come from converged
    instances."""
    return thread.environment.keys.use(site, token)


def d_anchor(thread: Thread, frame: Frame, site: StaticInstance, case: SwitchedCase | None = None) -> Key:
    """Instances of anchor are converged by any partition that D-EQ and D-ORDER allow.

    Where one begins a ``case`` of a switch (R-CASE), the threads of a group came to the switch with one
    token, and those that came with one value, or fell out of another case together, are not parted. Where
    ways meet (R-UNIFORM), threads of one way are not parted.
    """
    machine = thread.environment
    keys = machine.keys
    what = f"anchor {machine.program.name(site)}"
    token = None if case is None else case.token
    return machine.label(thread, site, what, lambda label: keys.anchor(site, label, token), case=case)


def way(thread: Thread) -> Root:
    """What a thread's way hangs from since its latest anchor on it; before there is one, the launch."""
    return thread.launch if thread.way is None else thread.way


def d_way(thread: Thread, site: StaticInstance, before: Root, value: Selected | None) -> Key:
    """Threads are together where a way begins, or goes on, iff what is ``before`` on it is (R-UNIFORM), and
    the same value of a switch led them here."""
    return thread.environment.keys.way(site, value, before)


def switched_case(frame: Frame, number: int, token: Key, value: Any) -> SwitchedCase:
    """With what a thread comes to a case of the switch with this number: a case that it came to before, since
    it had the token, is one that it fell out of."""
    before = (frame.cases or {}).get(number)
    fallen = before is not None and before.parents[0] is token
    return SwitchedCase(token, before if fallen and before is not None else value)


def enter_case(frame: Frame, number: int, key: Key) -> None:
    """The anchor of a case of the switch with this number is executed."""
    if frame.cases is None:
        frame.cases = {}
    frame.cases[number] = key


def d_free(thread: Thread, frame: Frame, site: StaticInstance) -> Key:
    """Instances of an uncontrolled operation are converged as the mode says: maximal, any or none."""
    machine = thread.environment
    match machine.program.uncontrolled:
        case "maximal":
            assert frame.root is not None
            return machine.keys.maximal(site, frame.root, most_recent_header(frame, site))
        case "none":
            return machine.keys.free(site, Alone(thread.number, thread.counts.get(site, 0) + 1))
        case "any":
            keys = machine.keys
            return machine.label(
                thread, site, machine.program.name(site), lambda label: keys.free(site, label)
            )


def d_call(thread: Thread, frame: Frame, site: StaticInstance) -> Key | None:
    """A convergent call of a declared function exchanges data; a call of a defined one only enters it.

    This is for a call of a defined function that is no convergent operation: under mode maximal
    the called frame still needs converged call-site instances, by COS's *Controlled Maximal
    Convergence*. ``None`` where nothing asks for it.
    """
    machine = thread.environment
    if not machine.program.counts_headers or frame.root is None:
        return None
    held = (frame.registers[slot] for slot in frame.code.region_tokens.get(site.index, ()))
    tokens = tuple(token for token in held if isinstance(token, Key))
    return machine.keys.call(site, frame.root, most_recent_header(frame, site), tokens)


# -- CAU's maximal converged-with relation, by headers ---------------------------------------------


def most_recent_header(frame: Frame, site: StaticInstance) -> Key | None:
    """The most recent instance of a header of a cycle that contains ``site``, in this frame."""
    if frame.recent is None:
        return None
    cycle = frame.code.blocks[frame.code.graph.block_of[site.index]].cycle
    return frame.recent[cycle] if cycle >= 0 else None


def enter_header(environment: Environment, frame: Frame, block: CodeBlock) -> None:
    """A cycle's header is executed: it is now the most recent one for its cycle and all cycles inside.

    CAU, *Dependence on Cycles Headers*: two instances are converged iff the last headers around
    them that either thread met are converged instances of one header, or neither met any.
    """
    assert frame.recent is not None and frame.root is not None
    before = frame.recent[block.cycle]
    if before is not None and before.passes.block == block.name:
        site, base, n = before.site, before.header, before.passes.n + 1
    else:
        site, base, n = StaticInstance(block.function, block.entry.first), before, 1
    now = environment.keys.header(site, block.name, frame.root, base, n)
    for cycle in block.heads:
        frame.recent[cycle] = now


def token_in(frame: Frame, slot: int) -> Key:
    """The token value in a register. Raises NotModelled where a broken program has none there."""
    token = frame.registers[slot]
    if token is UNSET:
        raise NotModelled("a token whose definition was not executed")
    if not isinstance(token, Key):
        raise NotModelled("a token that no control intrinsic produced")
    return token


# ----------------------------------------------------------------------------------------------------------
# Convergence-before while the run goes on (D-ORDER): a choice that would close a cycle is not offered.
#
# Nodes are classes of instances (one key each), edges program order. A topological numbering is kept
# up to date by Pearce and Kelly's algorithm (*A dynamic topological sort algorithm for directed
# acyclic graphs*, JEA 2006): an edge that agrees with it costs nothing, another one only what lies between.
# ----------------------------------------------------------------------------------------------------------


class ConvergenceBefore:
    """``keys`` the key of each node; ``rank`` its topological number; edges in both directions."""

    __slots__ = ("_after", "_before", "keys", "node_of", "rank")

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.node_of: dict[Key, int] = {}
        self.rank: list[int] = []
        self._after: list[set[int]] = []
        self._before: list[set[int]] = []

    def execute(self, last: int, key: Key, thread: int) -> int:
        """A thread whose latest class is ``last`` (-1: none) executes an instance of class ``key``;
        its node. Raises IllegalExecution when convergence-before has a cycle now."""
        node = self.node_of.get(key)
        if node is None:
            node = self.node_of[key] = len(self.keys)
            self.keys.append(key)
            self.rank.append(node)
            self._after.append(set())
            self._before.append(set())
        if last >= 0 and node not in self._after[last] and not self._add(last, node):
            raise IllegalExecution(
                Rule.D_ORDER,
                f"thread {thread} closes a cycle in convergence-before: no columns fit this relation",
            )
        return node

    def precedes(self, early: int, late: int) -> bool:
        """Whether class ``early`` is convergence-before class ``late``, or the same."""
        if early == late:
            return True
        limit = self.rank[late]
        return self.rank[early] < limit and any(
            n == late for n in self._walk([early], self._after, lambda r: r <= limit)
        )

    def has_earlier(self, node: int) -> bool:
        """Whether any other class is convergence-before this one."""
        return bool(self._before[node])

    def behind(self, nodes: Iterable[int], stop: Callable[[Key], bool]) -> set[int]:
        """The classes that some of ``nodes`` are before, along paths of classes that ``stop`` does not
        accept."""
        behind: set[int] = set()
        work = list(nodes)
        while work:
            for following in self._after[work.pop()]:
                if following not in behind and not stop(self.keys[following]):
                    behind.add(following)
                    work.append(following)
        return behind

    def at_or_before(self, node: int) -> set[int]:
        """A class and all that are convergence-before it."""
        return set(self._walk([node], self._before, lambda r: True))

    def later(self, node: int) -> set[int]:
        """A class and all that it is convergence-before."""
        return set(self._walk([node], self._after, lambda r: True))

    def earlier(self, nodes: Iterable[int], stop: Callable[[Key], bool]) -> Iterator[Key]:
        """The classes at or before ``nodes``, not looking behind those that ``stop`` accepts."""
        numbers: set[int] = set()
        work = list(nodes)
        while work:
            node = work.pop()
            if node in numbers or stop(self.keys[node]):
                continue
            numbers.add(node)
            yield self.keys[node]
            work.extend(self._before[node])

    def _walk(self, start: list[int], edges: list[set[int]], near: Callable[[int], bool]) -> Iterator[int]:
        visited = set(start)
        work = list(start)
        while work:
            node = work.pop()
            yield node
            for following in edges[node]:
                if following not in visited and near(self.rank[following]):
                    visited.add(following)
                    work.append(following)

    def _add(self, early: int, late: int) -> bool:
        """Adds an edge and renumbers; False, and nothing is changed, if it would close a cycle."""
        rank = self.rank
        low, high = rank[late], rank[early]
        if high > low:
            forward = list(self._walk([late], self._after, lambda r: r <= high))
            if early in forward:
                return False
            backward = list(self._walk([early], self._before, lambda r: r >= low))
            moved = sorted(backward, key=rank.__getitem__) + sorted(forward, key=rank.__getitem__)
            for node, number in zip(moved, sorted(rank[n] for n in moved), strict=True):
                rank[node] = number
        elif early == late:
            return False
        self._after[early].add(late)
        self._before[late].add(early)
        return True


class Unordered(ConvergenceBefore):
    """No columns: program order is no dependence (D-DEP), so no relation closes a cycle here.

    What D-DEP asks for is kept by a machine that waits for what it depends on, and for nothing else.
    """

    __slots__ = ()

    def execute(self, last: int, key: Key, thread: int) -> int:
        return -1
