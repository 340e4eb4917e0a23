"""The options of a free label: which groups an instance may join, most converged first.

A group is *safe* to join when no thread behind it, the new member included, can still come to a
controlled operation that is then before it: that would close a cycle in convergence-before
(D-ORDER). Founding a group is always safe, so taking the first option always ends legally.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..alignment.instances import StaticInstance
from .arrival import joining_keeps_order, may_come
from .groups import ChosenGroup, Member, NewGroup
from .threads import Thread

if TYPE_CHECKING:
    from .machine import Machine


def choose_group(machine: Machine, thread: Thread, site: StaticInstance, what: str) -> ChosenGroup:
    """The group that ``thread`` joins at ``site``, by choice; ``what`` names the operation."""
    known = machine.groups_at.setdefault((site, thread.launch), [])
    nth = sum(thread.number in g.threads for g in known) + 1
    open_groups = sorted(
        (g for g in known if _joinable(machine, thread, g)),
        key=lambda g: (-len(g.members), g.members),
    )
    new = NewGroup(thread.number, nth)
    safe: list[ChosenGroup] = []
    unsafe: list[ChosenGroup] = []
    for group in open_groups:
        (safe if _safe(machine, thread, group) else unsafe).append(group)
    options: list[ChosenGroup | NewGroup] = [*safe, new, *unsafe]
    taken = (
        options[0]
        if len(options) == 1
        else machine.chooser.choose(f"{what} thread {thread.number} #{nth}", options)
    )
    if isinstance(taken, NewGroup):
        taken = ChosenGroup(len(machine.chosen), site, thread.launch)
        machine.chosen.append(taken)
        known.append(taken)
    taken.join(Member(thread.number, nth))
    return taken


def _joinable(machine: Machine, thread: Thread, group: ChosenGroup) -> bool:
    return (
        not group.closed
        and thread.number not in group.threads
        and joining_keeps_order(machine, thread, group)
    )


def _safe(machine: Machine, thread: Thread, group: ChosenGroup) -> bool:
    order = machine.order
    assert order is not None and group.key is not None
    node = order.node_of.get(group.key)
    if node is None or (thread.last < 0 and not order.has_earlier(node)):
        return True
    behind = order.later(node)
    starts = [node] if thread.last < 0 else [node, thread.last]
    for other in machine.members_of(thread.launch):
        if not other.alive or not (other is thread or other.last in behind):
            continue
        for key in order.earlier(starts, other.keys.__contains__):
            if key is not group.key and may_come(machine, other, key, by_choice=False):
                return False
    return True
