"""What each thread does at OpenCL C's copies by the workgroup: its part of the copy, and a look at the events
that it waits for.

OpenCL C 3.0, *Async Copies from Global to Local Memory, Local to Global Memory, and Prefetch*. It leaves open
which work-item copies which element. Here element k is copied beside thread k + n/2, modulo the number n of
threads: each element once, and seldom beside the thread whose own it is, so that it shows that threads meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ....ir import instructions as ir
from ....ir.mangled import MangledName
from ....ir.types import VOID, PointerType
from ...errors import NotModelled, Undefined
from ...memory.accesses import Access, AccessShape, PrepareAccess, address, touched
from ...memory.allocations import Memory
from ...memory.bytes import Touch, moved_cells, typed
from ...memory.synchronisation import ASYNC_DOCUMENT
from ...values.context import Context
from ...values.limits import ACCESS
from ...values.value import Pointer, RuntimeValue, Value, any_undef, scalar
from ..intrinsics_memory import BuildAccess
from ..memory import loaded
from .kit import parameter_types

_LOCAL, _PRIVATE = 3, 5


def _number(value: RuntimeValue, memory: Memory, what: str) -> int:
    number, d = scalar(value), memory.domain
    d.require(d.negate(number.poison), f"a poison number of {what}", ASYNC_DOCUMENT)
    known = d.concrete(number.bits, f"a symbolic number of {what}")
    if known > ACCESS:
        raise NotModelled(f"a copy by the workgroup of {known} {what}")
    return known


def _copy(strided: bool) -> Callable[[MangledName], BuildAccess]:
    """``(target, source, count[, stride], event)``; the stride, in elements, is that in global memory."""

    def of(name: MangledName) -> BuildAccess:
        element = name.parameters[0]
        size = (4 if element.lanes == 3 else element.lanes) * element.bits // 8
        to_local = element.address_space == _LOCAL

        def build(full: str, call: ir.CallSite, context: Context) -> PrepareAccess:
            d = context.domain
            pointers = [t for t in parameter_types(call)[:2] if isinstance(t, PointerType)]
            if not size or len(pointers) != 2:
                raise NotModelled(f"{name.name} of {element.name}")
            to, from_ = (d.width(context.layout.pointer(t).bits) for t in pointers)

            def part(access: Access, memory: Memory, thread: int) -> Iterator[tuple[Value, Value]]:
                """The own part: where to, and where from."""
                if memory.rank is None:
                    raise NotModelled(f"{name.name}, here")
                rank, threads = memory.rank(thread)
                count = _number(access.operands[1], memory, "elements")
                stride = _number(access.operands[2], memory, "elements") if strided else 1
                target, source = address(access), scalar(access.operands[0])
                for k in range((rank - threads // 2) % threads, count, threads):
                    there, here = (k, k * stride) if to_local else (k * stride, k)
                    yield (
                        Pointer(to.add(target.bits, to.constant(there * size)), target.provenance, d.false),
                        Pointer(
                            from_.add(source.bits, from_.constant(here * size)), source.provenance, d.false
                        ),
                    )

            def perform(access: Access, memory: Memory, thread: int) -> None:
                for target, source in part(access, memory, thread):
                    origin, start = memory.locate(source, size, size, thread, name.name, False)
                    object_, at = memory.locate(target, size, size, thread, name.name, True)
                    cells = moved_cells(origin.contents()[start : start + size], at - start)
                    object_.contents()[at : at + size] = cells

            def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
                return tuple(
                    touched(memory, place, size, thread, write)
                    for target, source in part(access, memory, thread)
                    for place, write in ((source, False), (target, True))
                )

            shape = AccessShape(
                name.name, True, True, perform, align=size, footprint=footprint,
                operands=parameter_types(call)[1:], result=VOID, apart=True,
            )  # fmt: skip
            return lambda target, source, *others: Access(shape, target, (source, *others))

        return build

    return of


def _wait(name: MangledName) -> BuildAccess:
    """``(count, events)``: each must be what a copy gave. Of a list in AMD's private memory (5) that is not
    looked at: how large an event is there depends on the version of OpenCL C, which the call does not say."""

    def build(full: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        d, type_ = context.domain, parameter_types(call)[1]
        if not isinstance(type_, PointerType):
            raise NotModelled(f"{name.name} of {type_}")
        event, looks = PointerType(0), type_.address_space != _PRIVATE
        form = typed(event, context.layout, d)
        load = loaded(form, event, form.size, context.layout, d)
        w, of_event = d.width(context.layout.pointer(type_).bits), d.width(context.layout.pointer(event).bits)

        def places(access: Access, memory: Memory) -> list[Value]:
            count = _number(access.operands[0], memory, "events") if looks else 0
            events = address(access)
            steps = (w.constant(form.size * k) for k in range(count))
            return [Pointer(w.add(events.bits, step), events.provenance, events.poison) for step in steps]

        def perform(access: Access, memory: Memory, thread: int) -> None:
            for place in places(access, memory):
                listed = scalar(load(memory, place, thread))
                if any_undef(listed):
                    raise Undefined(f"{name.name} of an undef event", ASYNC_DOCUMENT)
                there = d.both(d.negate(listed.poison), of_event.ne(listed.bits, of_event.constant(0)))
                d.require(there, f"{name.name} of what is no event", ASYNC_DOCUMENT)

        def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
            return tuple(touched(memory, place, form.size, thread, False) for place in places(access, memory))

        shape = AccessShape(
            name.name, True, False, perform, align=form.size, footprint=footprint,
            operands=parameter_types(call)[:1], result=VOID,
        )  # fmt: skip
        return lambda count, events: Access(shape, events, (count,))

    return build


ASYNC: Mapping[str, Callable[[MangledName], BuildAccess]] = {
    "async_work_group_copy": _copy(False),
    "async_work_group_strided_copy": _copy(True),
    "wait_group_events": _wait,
}
"""By the function's name without its operands' types."""
