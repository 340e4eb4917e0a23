"""Accesses to objects that no other thread can know: their order with those of others is no choice."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ..ir.instructions import Store
from ..ir.module import Module
from ..ir.types import PointerType
from .deferred import is_open, settled
from .deferred_accesses import Issued
from .instructions import footprint
from .values import Value

if TYPE_CHECKING:
    from .deferred_machine import DeferredMachine


def needs_no_choice(machine: DeferredMachine, number: int, issued: Issued) -> bool:
    if issued.prepared is None:
        return True
    if not machine.can_perform(number, issued):
        return False
    touches = footprint(issued.access, machine.memory, number)
    return bool(touches) and all(t.object in machine.private for t in touches)


def go_ahead(machine: DeferredMachine, number: int, queue: deque[Issued]) -> bool:
    """Under D-DEP an access to a private object waits for earlier accesses to that object, and for no
    others: it goes ahead of those whose operands are still to come."""
    moved, before = False, set[int]()
    for issued in list(queue):
        if issued.prepared is None:
            continue
        if machine.can_perform(number, issued):
            objects = {t.object for t in footprint(issued.access, machine.memory, number)}
            if objects and objects <= machine.private and not objects & before:
                queue.remove(issued)
                machine.perform_issued(number, issued)
                moved = True
                continue
        else:
            objects = _objects_to_come(issued, machine.program.module)
        if not objects:  # it may touch anything
            break
        before |= objects
    return moved


def _objects_to_come(issued: Issued, module: Module) -> set[int]:
    """The object that a store of a value to come will touch; empty where that is not known."""
    site = issued.site
    instruction = module.functions[site.function].instructions[site.index]
    if not isinstance(instruction, Store) or isinstance(instruction.value.type, PointerType):
        return set()
    known = [settled(v) for v in issued.operands if not is_open(v)]
    pointers = [v.provenance for v in known if isinstance(v, Value) and v.provenance is not None]
    return {p.id for p in pointers} if len(pointers) == 1 else set()
