"""Whether a thread can still come to an operation with a given key.

A group is resolved when no other thread can. The answer may err only towards yes: control is taken
from the CFG. A key hangs from a chain of others (its token, that token's token, the call that
entered the function); the first link that the thread has executed decides, by whether the next
link can be reached from where the thread is now, in the frame that holds that link.
"""

from __future__ import annotations

from ...alignment.instances import StaticInstance
from ...rules import Rule
from ..threads.state import Code, Frame, Thread
from .groups import ChosenGroup, Inventory
from .keys import Key, KeyKind, LaunchGroup, Root, chain
from .rules import way


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
    if group.closed or thread.number in group.threads:
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
