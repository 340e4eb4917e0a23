"""An exchange happens: when its group is certain (semantics.md, §3), and what each member is given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...alignment.instances import StaticInstance
from ...frozen import dataclass
from ...rules import Rule
from ..errors import IllegalExecution, Waiting
from ..threads.state import Thread
from ..values.pending import Unknown
from .arrival import d_eq, d_order, may_come
from .groups import ChosenGroup, Inventory, Member, NewGroup, PendingGroup
from .keys import Key, SwitchedCase
from .order import ConvergenceBefore


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
    same = next((g for g in known if case in g.cases), None)
    if same is not None:
        if not _joinable(inventory, thread, same):
            words = f"thread {thread.number} comes to {what} with the value of threads that did not wait"
            raise IllegalExecution(Rule.D_ANCHOR, words)
        same.join(Member(thread.number, nth))
        return same
    open_groups = sorted(
        (g for g in known if _of_one_switch(g, case) and _joinable(inventory, thread, g)),
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
