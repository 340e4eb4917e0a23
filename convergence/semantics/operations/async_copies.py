"""OpenCL C's copies by the workgroup: ``async_work_group_copy``, ``async_work_group_strided_copy``, and
``wait_group_events``.

OpenCL C 3.0, *Async Copies from Global to Local Memory, Local to Global Memory, and Prefetch*: all work-items
of a workgroup come to such a call with the same operands, else the results are undefined. So they meet there,
and a part is copied beside each (:mod:`..instructions.library.opencl_async`); then a thread releases that,
and arrives at a barrier that ``wait_group_events`` waits at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...ir.resources import is_handle
from ...ir.types import PointerType
from ..memory.synchronisation import ASYNC_DOCUMENT, EVERYWHERE, MemoryFence, Scope
from ..values.value import Pointer, RuntimeValue, any_undef, scalar
from .barriers import always, named_by, waiting
from .collectives import of_workgroup
from .model import (
    ASYNC_COPY,
    ASYNC_WAIT,
    Callee,
    Exchanging,
    Fencing,
    Model,
    Operands,
    Subgroup,
    Uniform,
)

_RELEASE = MemoryFence(True, False, EVERYWHERE, Scope.WORKGROUP, apart=True)
_ACQUIRE = MemoryFence(False, True, EVERYWHERE, Scope.WORKGROUP, apart=True)
_COPIES = Uniform(Scope.WORKGROUP, ASYNC_DOCUMENT, ASYNC_COPY)
_WAITS = Uniform(Scope.WORKGROUP, ASYNC_DOCUMENT, ASYNC_WAIT)
EVENT = 1
"""The address that stands for an event: events are not told apart."""


def _meeting(callee: Callee) -> Model | None:
    """``(target, source, ..., event)``: gives the event that it is given, else a new one."""
    result, d = callee.type.result, callee.context.domain
    if not (isinstance(result, PointerType) or is_handle(result)) or callee.type.parameters[-1] != result:
        return None
    widths = [d.width(callee.context.layout.bits(type_)) for type_ in callee.type.parameters]
    kind = "a strided copy" if "strided" in callee.name else "a copy"

    def require(truth: object, what: str) -> None:
        d.require(truth, f"{kind} by the workgroup with {what}", ASYNC_DOCUMENT)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        for width, *given in zip(widths, *group.values(), strict=True):
            require(not any(map(any_undef, given)), "an undef operand")
            first = scalar(given[0])
            for other in map(scalar, given):
                require(d.negate(other.poison), "a poison operand")
                require(width.eq(first.bits, other.bits), "operands that are not the same in all threads")
        event, width = scalar(next(iter(group.values()))[-1]), widths[-1]
        new = Pointer(width.constant(EVENT), None, d.false)
        return dict.fromkeys(group, d.choose(width.eq(event.bits, width.constant(0)), new, event))

    arrives = Fencing(always(_RELEASE), named_by(ASYNC_WAIT))
    return Exchanging(together, uniform=_COPIES, accesses=True, behind=arrives)


_copy = of_workgroup(_meeting, named_by(ASYNC_COPY))


def _wait(callee: Callee) -> Model | None:
    """``(count, events)``."""
    model = waiting(always(_ACQUIRE), named_by(ASYNC_WAIT))(callee)
    return replace(model, uniform=_WAITS, accesses=True) if isinstance(model, Exchanging) else None


def async_copies(callee: Callee) -> Model | None:
    """The model of one of the three functions, by its mangled name."""
    return _wait(callee) if callee.name.startswith("_Z17wait") else _copy(callee)
