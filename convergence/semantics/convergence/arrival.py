"""Whether a thread can still come to an operation with a given key.

A group is resolved when no other thread can. The answer may err only towards yes: control is taken
from the CFG. A key hangs from a chain of others (its token, that token's token, the call that
entered the function); the first link that the thread has executed decides, by whether the next
link can be reached from where the thread is now, in the frame that holds that link.
"""

from __future__ import annotations

from ...alignment.instances import StaticInstance
from ..threads.state import Frame, Thread
from .groups import ChosenGroup, Inventory
from .keys import AnchorKey, CallKey, EntryKey, FreeKey, HeaderKey, Key, LaunchGroup, LoopKey, Root, UseKey


def may_come(inventory: Inventory, thread: Thread, key: Key, by_choice: bool = True) -> bool:
    """Whether ``thread``, alive and not there yet, may still execute an instance with ``key``.

    ``by_choice``: also if that takes a label that it may choose, but need not.
    """
    link: Key = key
    while True:
        above: Root
        match link:
            case UseKey(token=token) | LoopKey(token=token):
                if token in thread.keys:
                    return _from_token(thread, link)
                above = token
            case EntryKey(site=site, caller=caller):
                frame = _frame_of(thread, caller)
                if frame is not None:
                    return _reaches(thread, frame, site)
                above = caller
            case AnchorKey(label=label):
                return by_choice and may_join(inventory, thread, inventory.chosen[label.group])
            case FreeKey(label=None, frame=root) | CallKey(frame=root):
                assert root is not None
                frame = _frame_of(thread, root)
                if frame is not None:
                    return _from_header(thread, frame, link)
                above = root
            case FreeKey(label=choice):
                if not by_choice or choice is None or len(choice) != 1:
                    return False
                return may_join(inventory, thread, inventory.chosen[choice.group])
            case HeaderKey():
                raise AssertionError("a header is no operation")
        if isinstance(above, LaunchGroup) or above in thread.keys:
            return False
        link = above


def may_join(inventory: Inventory, thread: Thread, group: ChosenGroup) -> bool:
    """Whether the thread may still come to the group's site and choose its label (D-EQ, D-ORDER)."""
    return (
        not group.closed
        and thread.launch is group.launch
        and thread.number not in group.threads
        and may_reach(inventory, thread, group.site)
        and joining_keeps_order(inventory, thread, group)
    )


def joining_keeps_order(inventory: Inventory, thread: Thread, group: ChosenGroup) -> bool:
    """Whether the group is not convergence-before what the thread did last."""
    order = inventory.order
    assert order is not None and group.key is not None
    node = order.node_of.get(group.key)
    return node is None or thread.last < 0 or not order.precedes(node, thread.last)


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


def _from_token(thread: Thread, key: UseKey | LoopKey) -> bool:
    """The thread executed the token's definition: does a frame still hold that token, and can the
    use be reached before the definition runs again, often enough?"""
    frame = thread.holders.get(key.token)
    if frame is None or frame.code.name != key.site.function:
        return False
    slot = frame.code.token_of.get(key.site.index, -1)
    if slot < 0 or frame.registers[slot] is not key.token:
        return False
    graph, site = frame.code.graph, key.site.index
    avoid = frozenset([frame.code.defined_at[slot]])
    missing = 1
    if isinstance(key, LoopKey):
        token, met = (frame.loops or {}).get(site, (None, 0))
        missing = key.n - (met if token is key.token else 0)
    if missing < 1:
        return False
    target = frozenset([site])
    return graph.reaches(thread.position(frame), target, avoid) and (
        missing == 1 or graph.reaches(site + 1, target, avoid)
    )


def _from_header(thread: Thread, frame: Frame, key: FreeKey | CallKey) -> bool:
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


def _header_may_come(thread: Thread, frame: Frame, header: HeaderKey) -> bool:
    """Whether the frame may still execute this header instance, or one that it follows."""
    code = frame.code
    while True:
        block = code.graph.number[header.block]
        now = _recent(frame, code.blocks[block].cycle)
        if now is header.base:
            met = 0
        elif now is not None and now.block == header.block and now.base is header.base:
            met = now.n
        elif header.base is not None:
            header = header.base
            continue
        else:
            return False
        break
    if met >= header.n:
        return False
    target, others = frozenset([block]), code.around[block] - {block}
    nothing: frozenset[int] = frozenset()
    return code.graph.reaches(thread.position(frame), nothing, nothing, target, others) and (
        header.n - met == 1
        or code.graph.reaches(code.graph.nodes[block].first, nothing, nothing, target, others)
    )


def _recent(frame: Frame, cycle: int) -> HeaderKey | None:
    return None if cycle < 0 or frame.recent is None else frame.recent[cycle]
