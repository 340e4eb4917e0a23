"""LangRef, *Memory Access and Addressing Operations*: alloca, load, store, fence."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from ...ir import instructions as ir
from ...ir.operands import Metadata, MetadataString, MetadataTuple
from ...ir.types import Type
from ..arithmetic.domain import Domain
from ..memory.accesses import Access, AccessShape, Footprint, PrepareAccess, address, touched
from ..memory.allocations import Memory
from ..memory.bytes import Typed, typed
from ..memory.synchronisation import EVERYWHERE, MemoryFence, Storage, ordered_by
from ..values.context import Context
from ..values.datalayout import Layout
from ..values.of_type import poison
from ..values.value import Pointer, RuntimeValue, Truth, Value, scalars
from .promises import metadata_promises


class Request(NamedTuple):
    """What an alloca asks :meth:`Memory.allocate` for."""

    size: int
    align: int
    address_space: int | str


def prepare_alloca(instruction: ir.Alloca, context: Context) -> Callable[..., Request]:
    """Room for ``count`` elements; an undefined count is undefined behaviour."""
    layout, d = context.layout, context.domain
    size = layout.size(instruction.type)
    align = instruction.align or layout.preferred_align(instruction.type)
    if instruction.count is None:
        fixed = Request(size, align, instruction.address_space)
        return lambda: fixed

    def request(count: Value) -> Request:
        d.require(d.negate(count.poison), "alloca of a poison number of elements", "'alloca' Instruction")
        return Request(size * d.concrete(count.bits, "a symbolic alloca"), align, instruction.address_space)

    return request


def contiguous(size: int, write: bool) -> Footprint:
    """The footprint of an access of ``size`` bytes at its address."""
    return lambda access, memory, thread: (touched(memory, address(access), size, thread, write),)


ReadMemory = Callable[[Memory, Value, int], RuntimeValue]


class WriteMemory(Protocol):
    """Writing a value. Where not ``written``, what was there is written back: nobody sees that as a write."""

    def __call__(
        self, memory: Memory, pointer: Value, value: RuntimeValue, thread: int, written: Truth = True
    ) -> None: ...


def loaded(
    form: Typed, type_: Type, align: int, layout: Layout, domain: Domain, moves: bool = False
) -> ReadMemory:
    """Reading a value: undef where bytes are uninitialised, poison outside the object's lifetime. Of what it
    only ``moves`` nothing is noted: undef stays undef where it goes."""
    size, read, _ = form

    def load(memory: Memory, pointer: Value, thread: int) -> RuntimeValue:
        allocation, at = memory.locate(pointer, size, align, thread, "load", False)
        if not allocation.alive:
            return poison(type_, layout, domain)
        value = read(allocation.cells or allocation.contents(), at)
        if not moves and value.__class__ is not Value and value.__class__ is not Pointer:
            memory.note_undef(allocation, value)
        return value

    return load


def holds(form: Typed, align: int) -> ReadMemory:
    """What an object holds, which nobody sees as a read."""
    size, read, _ = form

    def look(memory: Memory, pointer: Value, thread: int) -> RuntimeValue:
        allocation, at = memory.place(pointer, size, align, thread, "load", False)
        return read(allocation.cells or allocation.contents(), at)

    return look


def stored(form: Typed, align: int) -> WriteMemory:
    """Writing a value."""
    size, _, write = form

    def store(
        memory: Memory, pointer: Value, value: RuntimeValue, thread: int, written: Truth = True
    ) -> None:
        allocation, at = memory.locate(pointer, size, align, thread, "store", True, written)
        write(allocation.cells or allocation.contents(), at, value)

    return store


Promised = Callable[[RuntimeValue], RuntimeValue]


def _promised(instruction: ir.Load, context: Context) -> Promised | None:
    """!range, !nonnull, !align: poison if not kept. !noundef: undefined behaviour to load undef or poison."""
    if not instruction.attachments:
        return None
    keep = metadata_promises(instruction.attachments, instruction.type, context)
    noundef, d = any(kind == "noundef" for kind, _ in instruction.attachments), context.domain

    def checked(value: RuntimeValue) -> RuntimeValue:
        if keep is not None:
            value = keep(value)
        for part in scalars(value) if noundef else ():
            defined = False if part.undef else d.negate(part.poison)
            d.require(defined, "a !noundef load of undef or poison", "noundef Metadata")
        return value

    return checked


def prepare_load(instruction: ir.Load, context: Context, moves: bool = False) -> PrepareAccess:
    """The value at the address, which the load only ``moves`` (:mod:`convergence.ir.moves`) or not."""
    layout, d, type_ = context.layout, context.domain, instruction.type
    form = typed(type_, layout, d)
    align = instruction.align or layout.align(type_)
    load, promised = loaded(form, type_, align, layout, d, moves), _promised(instruction, context)

    def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        value = load(memory, address(access), thread)
        return value if promised is None else promised(value)

    shape = AccessShape(
        "load", True, False, perform, form.size, type_, align, instruction.ordering, None, instruction.scope,
        instruction.volatile, contiguous(form.size, False), promised=promised,
    )  # fmt: skip
    return lambda pointer: Access(shape, pointer)


def prepare_store(instruction: ir.Store, context: Context) -> PrepareAccess:
    """The value is written at the address, poison and undef included."""
    layout, d, type_ = context.layout, context.domain, instruction.value.type
    form = typed(type_, layout, d)
    align = instruction.align or layout.align(type_)
    store = stored(form, align)

    def perform(access: Access, memory: Memory, thread: int) -> None:
        store(memory, address(access), access.operands[0], thread)

    shape = AccessShape(
        "store", False, True, perform, form.size, type_, align, instruction.ordering, None, instruction.scope,
        instruction.volatile, contiguous(form.size, True),
    )  # fmt: skip
    return lambda value, pointer: Access(shape, pointer, (value,))


_SYNCHRONIZE_AS = "amdgpu-synchronize-as"
"""AMDGPU's user guide, *Memory Model Relaxation Annotations*: a fence with these tags orders only such
storage."""


def fence_of(instruction: ir.Fence, context: Context) -> MemoryFence:
    """What a fence orders (D-SYNC)."""
    tags = [tag for kind, node in instruction.attachments if kind == "mmra" for tag in _tags(node, context)]
    named = {name for prefix, name in tags if prefix == _SYNCHRONIZE_AS}
    storage = frozenset(s for s in Storage if s.value in named) or EVERYWHERE
    return ordered_by(instruction.ordering, instruction.scope, storage)


def _tags(node: Metadata, context: Context) -> list[tuple[str, str]]:
    """The tags of an ``!mmra`` attachment: one pair of strings, or a list of such nodes."""
    match context.module.referenced(node):
        case MetadataTuple((MetadataString(prefix), MetadataString(name))):
            return [(prefix.decode(errors="replace"), name.decode(errors="replace"))]
        case MetadataTuple(parts):
            return [tag for part in parts if part is not None for tag in _tags(part, context)]
        case _:
            return []
