"""An exchange happens: when its group is certain (semantics.md, §3), and what each member is given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .arrival import may_come
from .groups import PendingGroup
from .keys import Key
from .unknown import Unknown

if TYPE_CHECKING:
    from .machine import Machine


def certain(machine: Machine, group: PendingGroup) -> bool:
    """Whether no other thread can come. Looks only at threads that moved since the last look:
    who cannot come now never can."""
    members = machine.members_of(group.launch)
    while group.checked < len(members):
        thread = members[group.checked]
        if thread.alive and thread.number not in group.operands:
            if group.witness == (thread.number, thread.epoch):
                return False
            if may_come(machine, thread, group.key):
                group.witness = (thread.number, thread.epoch)
                return False
        group.checked += 1
    return True


def resolve(machine: Machine, group: PendingGroup) -> None:
    """D-THREAD: every member gets what the model gives for the group and its operands."""
    exchange, launch = group.exchange, group.launch
    by_lane = {number - launch.first: group.operands[number] for number in sorted(group.operands)}
    if exchange.model.numbered:
        by_lane = {
            lane: (*operands, machine.event_number(machine.threads[launch.first + lane], group.key))
            for lane, operands in by_lane.items()
        }
    unknown = _first_unknown(by_lane.values()) if machine.program.settings.unknowns else None
    results: dict[int, Any] = (
        dict.fromkeys(by_lane, unknown)
        if unknown is not None
        else dict(exchange.model.together(by_lane, machine.subgroups[launch]))
    )
    del machine.pending[group.key]
    machine.resolved.add(group.key)
    _close_labels(machine, group.key)
    if exchange.stand_in:
        machine.stand_ins[exchange.callee] = None
    for lane in by_lane:
        thread = machine.threads[launch.first + lane]
        value = results.get(lane)
        if value is not None:
            machine.gave(thread, group.key, value)
        if exchange.model.effect:
            machine.saw_result(thread, group, value)
        machine.deliver(thread, group, value)


def _close_labels(machine: Machine, key: Key) -> None:
    """Nobody can join a chosen group any more once an operation that hangs from it happened."""
    if machine.order is None:
        return
    label = machine.keys.label(key)
    if label is not None:
        machine.chosen[label.group].closed = True


def _first_unknown(operands: Iterable[tuple[Any, ...]]) -> Unknown | None:
    return next((v for values in operands for v in values if isinstance(v, Unknown)), None)
