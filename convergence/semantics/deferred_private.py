"""What a thread's queue lets happen next: its own memory by dependence, shared memory in program order.

An object that no other thread can know is like registers: accesses to it wait for what they need and for
earlier ones to the same object, and no access to anything else waits for them (D-MEM orders what threads
may share). So neither is a choice, and a program means the same with its state in allocas or in phis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir import instructions as ir
from .deferred import is_open, settled
from .deferred_accesses import Issued
from .instructions import footprint, operands
from .values import Value

if TYPE_CHECKING:
    from .deferred_machine import DeferredMachine


def perform_private(machine: DeferredMachine, number: int) -> bool:
    """Performs what needs no choice: accesses to private objects, and the ends of stack objects."""
    moved = False
    while True:
        free, _ = _front(machine, number)
        for issued in free:
            machine.queues[number].remove(issued)
            machine.perform_issued(number, issued)
        moved = moved or bool(free)
        if not free:
            return moved


def first_shared(machine: DeferredMachine, number: int) -> Issued | None:
    """The access that is the thread's next in the order of shared memory, whether its operands are there or
    not; ``None`` if it has none, or one that may touch what earlier accesses wait for."""
    return _front(machine, number)[1]


def _front(machine: DeferredMachine, number: int) -> tuple[list[Issued], Issued | None]:
    """What needs no choice now, in program order, and the next shared access."""
    free: list[Issued] = []
    first: Issued | None = None
    waiting = set[int]()  # private objects whose accesses wait
    shared = False  # whether a shared access waits
    for issued in machine.queues[number]:
        if issued.prepared is None:
            ended = {p.provenance.id for p in issued.released if p.provenance is not None}
            if not ended & waiting and not (shared and ended - machine.private):
                free.append(issued)
            continue
        ready = machine.can_perform(number, issued)
        objects = _objects(machine, number, issued) if ready else _objects_to_come(machine, issued)
        if objects is None:  # it may touch anything: it keeps its place among all
            return free, issued if not shared and not waiting and not free else first
        if objects <= machine.private:
            if ready and not objects & waiting:
                free.append(issued)
            else:
                waiting |= objects
            continue
        if not shared and not objects & waiting:
            first = issued
        shared = True
        waiting |= objects & machine.private
        if not machine.private:
            break
    return free, first


def _objects(machine: DeferredMachine, number: int, issued: Issued) -> frozenset[int] | None:
    """The objects that an access touches but for constants, which nobody changes; ``None`` for one that
    touches no bytes: it may end objects, or be undefined."""
    if issued.objects is None:
        touches = footprint(issued.access, machine.memory, number)
        if not touches and issued.access.shape.kind != "fence":
            return None
        if not touches:
            return _FENCE
        known = {t.object: machine.memory.allocations.get(t.object) for t in touches}
        issued.objects = frozenset(o for o, a in known.items() if a is None or not a.constant)
    return issued.objects


_FENCE = frozenset([-1])
"""What a fence orders is shared."""

_ADDRESS = {ir.Load: 0, ir.Store: 1, ir.AtomicRMW: 0, ir.CmpXchg: 0}
"""Which operand of an access is its address."""


def _objects_to_come(machine: DeferredMachine, issued: Issued) -> frozenset[int] | None:
    """The object that an access will touch whose address is known; ``None`` where that is not known."""
    site = issued.site
    instruction = machine.program.module.functions[site.function].instructions[site.index]
    place = _ADDRESS.get(type(instruction))
    if place is None:
        return None
    assert len(issued.operands) == len(operands(instruction))
    address = issued.operands[place]
    if is_open(address):
        return None
    pointer = settled(address)
    if not isinstance(pointer, Value) or pointer.provenance is None:
        return None
    return frozenset([pointer.provenance.id])
