"""The D-rules: who is together. Those that decide with whom an instance is converged are one function each,
which gives its key; then convergence-before (D-ORDER), and groups in the making, until they happen.

Two instances are converged-with exactly if their keys are equal (semantics.md, §2, *Keys*). Each
docstring begins with the rule's sentence. A rule counts nothing: asked twice it says the same, but for a
label, which is a choice. Who executes the instance commits it (:func:`beat`, :func:`enter_header`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ...alignment import StaticInstance
from ...frozen import dataclass
from ...rules import Rule
from .. import IllegalExecution, NotModelled, Waiting
from ..threads import UNSET, Code, CodeBlock, Environment, Exchange, Frame, Thread
from ..values import Unknown
from . import Alone, Key, KeyKind, LaunchGroup, Root, Selected, SwitchedCase, chain

if TYPE_CHECKING:
    from ...alignment import StaticInstance
    from ..machine import Chooser
    from ..operations import Subgroup


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


# ----------------------------------------------------------------------------------------------------------
# Groups in the making: of an exchange that waits for its threads, and of a free choice.
# ----------------------------------------------------------------------------------------------------------


class PendingGroup:
    """The threads that wait at one exchange with one key.

    ``operands``  per waiting thread, in order of arrival; ``operands_shown`` the same as plain data
    ``checked``   how many threads of the launch group are known to come no more
    ``witness``   the thread after those, with its epoch when it was seen that it may still come
    ``passed_over`` its extent when another group was closed in its stead (0: never): closing it with no
                  larger one would repeat an execution seen before
    """

    __slots__ = (
        "checked",
        "exchange",
        "key",
        "launch",
        "operands",
        "operands_shown",
        "passed_over",
        "witness",
    )

    def __init__(self, key: Key, exchange: Exchange, launch: LaunchGroup) -> None:
        self.key = key
        self.exchange = exchange
        self.launch = launch
        self.operands: dict[int, tuple[Any, ...]] = {}
        self.operands_shown: dict[int, tuple[Any, ...]] = {}
        self.checked = 0
        self.witness = (-1, -1)
        self.passed_over = 0


class Member(NamedTuple):
    """A dynamic instance in a chosen group."""

    thread: int
    nth: int


class ChosenGroup:
    """A label of an anchor, or of an uncontrolled operation in mode any: who chose it so far, by
    ``members`` in order and by ``threads``.

    ``closed``: an operation that hangs from it was resolved, so that nobody can join any more.
    ``cases``: with what its members came to a case of a switch, where it is one's.
    """

    __slots__ = ("cases", "closed", "key", "launch", "members", "number", "site", "threads")

    def __init__(self, number: int, site: StaticInstance, launch: LaunchGroup) -> None:
        self.cases: set[SwitchedCase] = set()
        self.number = number
        self.site = site
        self.launch = launch
        self.key: Key | None = None
        self.members: list[Member] = []
        self.threads: set[int] = set()
        self.closed = False

    def join(self, member: Member) -> None:
        self.members.append(member)
        self.members.sort()
        self.threads.add(member.thread)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"thread {m.thread} #{m.nth}" for m in self.members) + "}"


class NewGroup(NamedTuple):
    """The option to found a group."""

    thread: int
    nth: int

    def __repr__(self) -> str:
        return f"{{thread {self.thread} #{self.nth}}} alone so far"


class Inventory(Environment, Protocol):
    """What the rules of convergence look at besides one thread: all threads, and groups in the making.

    ``threads``   by number; ``subgroups`` what models see of each launch group
    ``pending``   the groups that wait at exchanges, by key; ``resolved`` the keys of those that happened
    ``chosen_groups``    the groups founded by free labels, by number; ``groups_at`` the same by site
    ``order``     convergence-before, where a choice could close a cycle in it
    ``chooser``   answers free choices
    ``guesses``   closings of a group although another thread might still have come
    ``fired``     the rules that left something out, put it last, or let something wait
    """

    threads: list[Thread]
    subgroups: dict[LaunchGroup, Subgroup]
    pending: dict[Key, PendingGroup]
    resolved: set[Key]
    chosen_groups: list[ChosenGroup]
    groups_at: dict[tuple[StaticInstance, LaunchGroup], list[ChosenGroup]]
    order: ConvergenceBefore | None
    chooser: Chooser
    guesses: list[Waiting]
    fired: set[Rule]

    def members_of(self, launch: LaunchGroup) -> Sequence[Thread]:
        """The threads of a launch group."""

    def complete(self, group: PendingGroup) -> bool:
        """Whether all operands of a group are there."""

    def missing(self, group: PendingGroup) -> Iterator[Thread]:
        """The threads of other launch groups for which a group waits at a barrier of the workgroup."""

    def contributions(self, group: PendingGroup) -> Mapping[int, tuple[Any, ...]] | None:
        """What all threads bring to a collective of the workgroup at which launch groups meet, by their
        numbers in it; ``None`` for any other exchange."""

    def saw_result(self, thread: Thread, group: PendingGroup, value: Any) -> None:
        """An exchange with side effects happened."""

    def deliver(self, thread: Thread, group: PendingGroup, value: Any) -> None:
        """A member of a resolved group gets its result."""


# ----------------------------------------------------------------------------------------------------------
# Whether a thread can still come to an operation with a given key.
#
# A group is resolved when no other thread can. The answer may err only towards yes: control is taken
# from the CFG. A key hangs from a chain of others (its token, that token's token, the call that
# entered the function); the first link that the thread has executed decides, by whether the next
# link can be reached from where the thread is now, in the frame that holds that link.
# ----------------------------------------------------------------------------------------------------------


def may_come(inventory: Inventory, thread: Thread, key: Key, by_choice: bool = True) -> bool:
    """Whether ``thread``, alive and not there yet, may still execute an instance with ``key``.

    ``by_choice``: also if that takes a label that it may choose, but need not.
    """
    link: Key = key
    while True:
        if not link.parents:
            if link.group is None:
                return False
            group = inventory.chosen_groups[link.group]
            return _has_to_join(inventory, thread, group) or (
                by_choice and may_join(inventory, thread, group)
            )
        above: Root = link.parents[0]
        match link.kind:
            case KeyKind.USE | KeyKind.LOOP:
                if above in thread.keys:
                    return _from_token(thread, link)
            case KeyKind.ENTRY:
                frame = _frame_of(thread, above)
                if frame is not None:
                    return _reaches(thread, frame, link.site)
            case KeyKind.FREE | KeyKind.CALL:
                above = link.frame
                frame = _frame_of(thread, above)
                if frame is not None:
                    return _from_header(thread, frame, link)
            case KeyKind.ANCHOR:  # of a case: who comes there with its token may have to join
                if above in thread.keys:
                    return _from_token(thread, link) and _open_to(inventory, thread, link)
            case KeyKind.WAY if above is way(thread):
                return may_reach(inventory, thread, link.site)
            case KeyKind.WAY:
                if above in thread.keys:
                    return _begins(link) and _from_token(thread, link)
            case KeyKind.HEADER:
                raise AssertionError("a header is no operation")
        if isinstance(above, LaunchGroup) or above in thread.keys:
            return False
        link = above


def may_join(inventory: Inventory, thread: Thread, group: ChosenGroup) -> bool:
    """Whether the thread may still come to the group's site and choose its label (D-EQ, D-ORDER)."""
    return (
        not group.closed
        and d_eq(thread, group)
        and may_reach(inventory, thread, group.site)
        and d_order(inventory, thread, group)
    )


def _has_to_join(inventory: Inventory, thread: Thread, group: ChosenGroup) -> bool:
    """Whether the thread may come to the group's site by the way of a member, where ways meet (R-UNIFORM):
    it is on that way, and what is next on it can be reached."""
    if not group.cases or group.closed or thread.number in group.threads:
        return False
    return any(
        case.token is None and _is_on(inventory, thread, case.value, group.site) for case in group.cases
    )


def _is_on(inventory: Inventory, thread: Thread, came: Root, site: StaticInstance) -> bool:
    """Whether a thread may still come to ``site`` by the way that hangs from ``came``."""
    here, following = way(thread), site
    for link in chain(came):
        if link is here:
            return may_reach(inventory, thread, following)
        if isinstance(link, LaunchGroup):
            break
        following = link.site
        if not link.parents:  # ways met there, so by which others came counts, too
            assert link.group is not None
            return _has_to_join(inventory, thread, inventory.chosen_groups[link.group])
        if _begins(link):
            return link not in thread.keys and may_come(inventory, thread, link, by_choice=False)
    return False


def _begins(key: Key) -> bool:
    """Whether a way begins there: it hangs from a token."""
    above = key.parents[0]
    return isinstance(above, Key) and above.kind not in (KeyKind.WAY, KeyKind.ANCHOR)


def _open_to(inventory: Inventory, thread: Thread, key: Key) -> bool:
    """Whether a thread that comes to an anchor with this key can join."""
    assert key.group is not None
    group = inventory.chosen_groups[key.group]
    return not group.closed and d_eq(thread, group) and d_order(inventory, thread, group)


def d_eq(thread: Thread, group: ChosenGroup) -> bool:
    """Converged-with relates only instances of one static instance, never two of one thread, never threads of
    different launch groups.

    So a thread joins no group of others, and none that it is in; all members are instances of a group's site.
    """
    return thread.launch is group.launch and thread.number not in group.threads


def d_order(inventory: Inventory, thread: Thread, group: ChosenGroup) -> bool:
    """Convergence-before over convergent operations and control intrinsics is a strict partial order.

    So what a thread did last does not come after the group that it is to join.
    """
    order = inventory.order
    assert order is not None and group.key is not None
    node = order.node_of.get(group.key)
    keeps = node is None or thread.last < 0 or not order.precedes(node, thread.last)
    if not keeps:
        inventory.fired.add(Rule.D_ORDER)
    return keeps


def may_reach(inventory: Inventory, thread: Thread, site: StaticInstance) -> bool:
    """Whether the thread may come to execute ``site`` again, in any frame, old or new."""
    frame = thread.frame
    while frame is not None:
        leading = inventory.program.calls.sites_leading_to(frame.code.name, site.function)
        targets = leading | {site.index} if frame.code.name == site.function else leading
        if targets and frame.code.graph.reaches(thread.position(frame), targets):
            return True
        frame = frame.caller
    return False


def _frame_of(thread: Thread, root: Root) -> Frame | None:
    """The live frame that hangs from ``root``."""
    if isinstance(root, LaunchGroup):
        return thread.bottom if thread.launch is root and thread.alive else None
    return thread.holders.get(root)


def _reaches(thread: Thread, frame: Frame, site: StaticInstance) -> bool:
    return frame.code.name == site.function and frame.code.graph.reaches(
        thread.position(frame), frozenset([site.index])
    )


def _from_token(thread: Thread, key: Key) -> bool:
    """The thread executed the token's definition: does a frame still hold that token, and can the
    use be reached before the definition runs again, often enough?"""
    (token,) = key.parents
    frame = thread.holders.get(token)
    if frame is None or frame.code.name != key.site.function:
        return False
    slot = frame.code.token_of.get(key.site.index)
    if slot is None:
        return False
    graph, site = frame.code.graph, key.site.index
    missing = 1
    if isinstance(key.own, int):
        counted, met = (frame.loops or {}).get(site, (None, 0))
        missing = key.own - (met if counted is token else 0)
    if missing < 1:
        return False
    if frame.code.token_moves:
        holding = frozenset(s for s in frame.code.token_slots if frame.registers[s] is token)
        arriving = _carried(frame.code, frozenset([(thread.position(frame), holding)]), site)
        again = frozenset((site + 1, held) for _, held in arriving)
        return bool(arriving if missing == 1 else _carried(frame.code, again, site))
    if frame.registers[slot] is not token:
        return False
    avoid = frozenset([frame.code.defined_at[slot]])
    target = frozenset([site])
    # Once is enough: who has the key came here as often as it counts, always with this token.
    return graph.reaches(thread.position(frame), target, avoid)


Standing = tuple[int, frozenset[int]]
"""An instruction that is executed next, and the registers that hold a token by then."""


def _carried(code: Code, starts: frozenset[Standing], site: int) -> frozenset[Standing]:
    """How a token may come to be used at ``site``, where phis carry tokens from register to register, which a
    pass may make and no static rule allows: over all paths, a register holds it until it is written anew."""
    slot, graph = code.token_of[site], code.graph
    defines = {index: register for register, index in code.defined_at.items()}
    arriving: set[Standing] = set()
    visited, work = set(starts), list(starts)
    while work:
        at, holding = work.pop()
        block = graph.block_of[at]
        for index in range(at, graph.nodes[block].last + 1):
            if index == site and slot in holding:
                arriving.add((index, holding))
                break
            holding -= {defines.get(index)}
        else:
            for successor in graph.nodes[block].successors:
                moves = code.token_moves.get((block, successor), ())
                kept = holding.difference(into for _, into in moves)
                carried = kept.union(into for source, into in moves if source in holding)
                entered = graph.nodes[successor].first, carried
                if carried and entered not in visited:
                    visited.add(entered)
                    work.append(entered)
    return frozenset(arriving)


def _from_header(thread: Thread, frame: Frame, key: Key) -> bool:
    """The frame is there (mode maximal): can the site be reached with this header instance as the
    most recent one around it?"""
    code = frame.code
    if code.name != key.site.function:
        return False
    block = code.graph.block_of[key.site.index]
    if _recent(frame, code.blocks[block].cycle) is key.header:
        return code.graph.reaches(
            thread.position(frame), frozenset([key.site.index]), avoid_blocks=code.around[block]
        )
    return key.header is not None and _header_may_come(thread, frame, key.header)


def _header_may_come(thread: Thread, frame: Frame, header: Key) -> bool:
    """Whether the frame may still execute this header instance, or one that it follows."""
    code = frame.code
    while True:
        name, n = header.passes
        block, base = code.graph.number[name], header.header
        now = _recent(frame, code.blocks[block].cycle)
        if now is base:
            met = 0
        elif now is not None and now.site == header.site and now.header is base:
            _, met = now.passes
        elif base is not None:
            header = base
            continue
        else:
            return False
        break
    if met >= n:
        return False
    target, others = frozenset([block]), code.around[block] - {block}
    nothing: frozenset[int] = frozenset()
    return code.graph.reaches(thread.position(frame), nothing, nothing, target, others) and (
        n - met == 1 or code.graph.reaches(code.graph.nodes[block].first, nothing, nothing, target, others)
    )


def _recent(frame: Frame, cycle: int) -> Key | None:
    return None if cycle < 0 or frame.recent is None else frame.recent[cycle]


# ----------------------------------------------------------------------------------------------------------
# An exchange happens: when its group is certain (semantics.md, §3), and what each member is given.
# ----------------------------------------------------------------------------------------------------------


def certain(inventory: Inventory, group: PendingGroup) -> bool:
    """Whether no other thread can come. Looks only at threads that moved since the last look:
    who cannot come now never can."""
    members = inventory.members_of(group.launch)
    while group.checked < len(members):
        thread = members[group.checked]
        if thread.alive and thread.number not in group.operands:
            if group.witness == (thread.number, thread.epoch):
                return False
            if may_come(inventory, thread, group.key):
                group.witness = (thread.number, thread.epoch)
                return False
        group.checked += 1
    return True


def d_thread(inventory: Inventory, group: PendingGroup) -> None:
    """Each trace is a run of the program by that thread alone, in which every exchange returned what its
    model gives for its group.

    So a group is done: each member gets what the model gives for all operands, and goes on.
    """
    exchange, launch = group.exchange, group.launch
    by_lane = {number - launch.first: group.operands[number] for number in sorted(group.operands)}
    together, subgroup = exchange.model.together, inventory.subgroups[launch]
    wide = inventory.contributions(group)
    unknown = _first_unknown((wide or by_lane).values()) if inventory.program.settings.unknowns else None
    results: dict[int, Any]
    if unknown is not None:
        results = dict.fromkeys(by_lane, unknown)
    elif wide is None:
        results = dict(together(by_lane, subgroup))
    else:
        all_results = together(wide, subgroup.whole)
        results = {lane: all_results.get(subgroup.base + lane) for lane in by_lane}
    del inventory.pending[group.key]
    inventory.resolved.add(group.key)
    _close_labels(inventory, group.key)
    if exchange.stand_in:
        inventory.stand_ins[exchange.callee] = None
    for lane in by_lane:
        thread = inventory.threads[launch.first + lane]
        value = results.get(lane)
        if value is not None:
            inventory.gave(thread, group.key, value)
        if exchange.model.effect:
            inventory.saw_result(thread, group, value)
        inventory.deliver(thread, group, value)


def _close_labels(inventory: Inventory, key: Key) -> None:
    """Nobody can join a chosen group any more once an operation that hangs from it happened."""
    if inventory.order is None:
        return
    group = inventory.keys.group(key)
    if group is not None:
        inventory.chosen_groups[group].closed = True


def _first_unknown(operands: Iterable[tuple[Any, ...]]) -> Unknown | None:
    return next((v for values in operands for v in values if isinstance(v, Unknown)), None)


# -- When every thread waits and no group is certain: a group is closed by choice, against who might come
# Safe closings come first: those against threads that may come only by a label that they need not
# choose. A forced one is a guess; if a thread then comes after all, the run is no execution. Programs
# that keep the static rules and have no free labels never get here (semantics.md, §2, fact 2).


@dataclass(frozen=True, slots=True)
class Closing:
    """The option to go on with the threads that are at an operation, without any other. ``guesses``: another
    may still come without choosing to."""

    operation: str
    threads: tuple[int, ...]
    pending: PendingGroup
    guesses: bool = False


def closings(inventory: Inventory) -> list[Closing]:
    """The groups that can be closed: safe ones first, then large ones, then by lowest thread."""
    candidates = [
        g
        for g in inventory.pending.values()
        if extent(inventory, g) > g.passed_over and inventory.complete(g)
    ]
    forced = {g.key: bool(awaited(inventory, g)) for g in candidates}
    candidates.sort(key=lambda g: (forced[g.key], -len(g.operands), min(g.operands)))
    return [Closing(g.exchange.name, tuple(sorted(g.operands)), g, forced[g.key]) for g in candidates]


def close(inventory: Inventory, taken: Closing, passed_over: Sequence[Closing]) -> None:
    """Closes a group. Those that were passed over must grow in extent before they are closed: without that
    they commute with this one, so that the execution is found when they are closed first (the
    sleep sets of Godefroid, *Partial-Order Methods for the Verification of Concurrent Systems*)."""
    if inventory.program.settings.prune:
        for option in passed_over:
            option.pending.passed_over = extent(inventory, option.pending)
    if taken.guesses:
        inventory.guesses.extend(w for w in waiting(inventory) if w.thread in taken.pending.operands)
    d_thread(inventory, taken.pending)


def extent(inventory: Inventory, group: PendingGroup) -> int:
    """How many members a group has, and how many the label from which it hangs: closing the group closes
    its label, so an instance that joins the label meanwhile could not have done so after the closing."""
    label = inventory.keys.group(group.key)
    return len(group.operands) + (0 if label is None else len(inventory.chosen_groups[label].members))


def repeated(group: PendingGroup) -> IllegalExecution:
    """A group is closed with the threads with which it could have been closed before."""
    words = f"{group.exchange.name} could have been closed before: the same execution in another order"
    return IllegalExecution(Rule.D_ORDER, words, repeats=True)


def waiting(inventory: Inventory) -> tuple[Waiting, ...]:
    """Who waits, at what, and for whom."""
    pending = []
    for group in inventory.pending.values():
        others = tuple(
            t.number
            for t in inventory.members_of(group.launch)
            if t.alive and t.number not in group.operands and may_come(inventory, t, group.key)
        )
        others = tuple(sorted((*others, *(t.number for t in inventory.missing(group)))))
        site = group.exchange.site
        for number in group.operands:
            pending.append(Waiting(number, site, group.exchange.name, others, inventory.program.span(site)))
    return tuple(sorted(pending, key=lambda w: w.thread))


def awaited(inventory: Inventory, group: PendingGroup) -> list[Thread]:
    """The threads that may come to the group's operation without choosing to."""
    return [
        t
        for t in inventory.members_of(group.launch)
        if t.alive and t.number not in group.operands and may_come(inventory, t, group.key, by_choice=False)
    ]


# -- The options of a free label: which groups an instance may join, most converged first
# A group is *safe* to join when no thread behind it, the new member included, can still come to a
# controlled operation that is then before it: that would close a cycle in convergence-before
# (D-ORDER). Founding a group is always safe, so taking the first option always ends legally.


def choose_group(
    inventory: Inventory, thread: Thread, site: StaticInstance, what: str, case: SwitchedCase | None = None
) -> ChosenGroup:
    """The group that ``thread`` joins at ``site``, by choice; ``what`` names the operation. ``case``: with
    what it comes to a case of a switch, which leaves no choice where another thread came with the same."""
    known = inventory.groups_at.setdefault((site, thread.launch), [])
    nth = sum(thread.number in g.threads for g in known) + 1
    same = None if case is None else next((g for g in known if case in g.cases), None)
    if same is not None:
        if not _joinable(inventory, thread, same):
            words = f"thread {thread.number} comes to {what} with the value of threads that did not wait"
            raise IllegalExecution(Rule.D_ANCHOR, words)
        same.join(Member(thread.number, nth))
        return same
    open_groups = sorted(
        [g for g in known if _joinable(inventory, thread, g) and _of_one_switch(g, case)],
        key=lambda g: (-len(g.members), g.members),
    )
    new = NewGroup(thread.number, nth)
    safe: list[ChosenGroup] = []
    unsafe: list[ChosenGroup] = []
    hazards = _hazards(inventory, thread) if len(open_groups) > FEW else None
    for group in open_groups:
        fits = _safe(inventory, thread, group) if hazards is None else hazards.spare(group)
        (safe if fits else unsafe).append(group)
    if unsafe:
        inventory.fired.add(Rule.D_ORDER)
    options: list[ChosenGroup | NewGroup] = [*safe, new, *unsafe]
    taken = (
        options[0]
        if len(options) == 1
        else inventory.chooser.choose(f"{what} thread {thread.number} #{nth}", options)
    )
    if isinstance(taken, NewGroup):
        taken = ChosenGroup(len(inventory.chosen_groups), site, thread.launch)
        inventory.chosen_groups.append(taken)
        known.append(taken)
    taken.join(Member(thread.number, nth))
    if case is not None:
        taken.cases.add(case)
    return taken


def _of_one_switch(group: ChosenGroup, case: SwitchedCase | None) -> bool:
    """Whether a group's members came with one token to the switch, if it is a switch's case."""
    return case is None or all(case.token is other.token for other in group.cases)


def _joinable(inventory: Inventory, thread: Thread, group: ChosenGroup) -> bool:
    return not group.closed and d_eq(thread, group) and d_order(inventory, thread, group)


FEW = 4
"""Open groups that are looked at one by one: each time at what is before it and behind it. Where
there are more, as in a loop with an anchor whose groups stay open, all of convergence-before is looked at
once."""


@dataclass(frozen=True, slots=True)
class _Hazards:
    """Of all classes at once what :func:`_safe` asks of one: per live thread the classes that are at or
    ``before`` its latest one (``None``: all, of the thread itself), and those ``behind`` an operation to
    which it may still come. ``always``: whether such an operation is before the choosing thread's latest
    one."""

    order: ConvergenceBefore
    fresh: bool
    threads: tuple[tuple[frozenset[int] | None, frozenset[int], bool], ...]

    def spare(self, group: ChosenGroup) -> bool:
        """Whether a group is safe to join."""
        assert group.key is not None
        node = self.order.node_of.get(group.key)
        if node is None or (self.fresh and not self.order.has_earlier(node)):
            return True
        return not any(
            (always or node in behind)
            for before, behind, always in self.threads
            if before is None or node in before
        )


def _hazards(inventory: Inventory, thread: Thread) -> _Hazards:
    order = inventory.order
    assert order is not None
    hazards = []
    for other in inventory.members_of(thread.launch):
        if not other.alive or (other is not thread and other.last < 0):
            continue
        coming = [n for n, key in enumerate(order.keys) if _comes_unchosen(inventory, other, key)]
        if not coming:
            continue
        passed = other.keys.__contains__
        behind = order.behind(coming, passed)
        always = thread.last >= 0 and (thread.last in behind or thread.last in coming)
        before = None if other is thread else frozenset(order.at_or_before(other.last))
        hazards.append((before, frozenset(behind), always))
    return _Hazards(order, thread.last < 0, tuple(hazards))


def _comes_unchosen(inventory: Inventory, thread: Thread, key: Key) -> bool:
    """Whether a thread may come to an operation that it has not executed, without a label that it need not
    choose: never to one that hangs from a group which it has not joined."""
    number = inventory.keys.group(key)
    if number is not None and thread.number not in inventory.chosen_groups[number].threads:
        return False
    return key not in thread.keys and may_come(inventory, thread, key, by_choice=False)


def _safe(inventory: Inventory, thread: Thread, group: ChosenGroup) -> bool:
    order = inventory.order
    assert order is not None and group.key is not None
    node = order.node_of.get(group.key)
    if node is None or (thread.last < 0 and not order.has_earlier(node)):
        return True
    behind = order.later(node)
    starts = [node] if thread.last < 0 else [node, thread.last]
    for other in inventory.members_of(thread.launch):
        if not other.alive or not (other is thread or other.last in behind):
            continue
        for key in order.earlier(starts, other.keys.__contains__):
            if key is not group.key and may_come(inventory, other, key, by_choice=False):
                return False
    return True
