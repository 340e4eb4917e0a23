"""LangRef, *Memory Access and Addressing Operations*: alloca, load, store, fence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from ...ir import instructions as ir
from ...ir.operands import Metadata, MetadataString, MetadataTuple
from ...ir.types import I1, StructType, Type
from ..arithmetic.domain import Domain, Width
from ..errors import NotModelled
from ..memory.accesses import Access, AccessShape, Footprint, PrepareAccess, address, touched
from ..memory.allocations import Memory
from ..memory.bytes import Typed, typed
from ..memory.synchronisation import EVERYWHERE, MemoryFence, Storage, ordered_by
from ..values.constants import poison
from ..values.context import Context, Evaluate
from ..values.datalayout import Layout
from ..values.value import Bits, Composite, Pointer, RuntimeValue, Truth, Value, scalar, scalars
from . import fast_math as minmax
from .lifting import float_kind, int_width, lanewise, scalar_bits, strict2
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


# ----------------------------------------------------------------------------------------------------------
# LangRef, *'atomicrmw' Instruction* and *'cmpxchg' Instruction*.
# ----------------------------------------------------------------------------------------------------------

Operation = Callable[[Bits, Bits], Bits]


def _uinc_wrap(w: Width, d: Domain) -> Operation:
    """One more, or 0 from the operand on."""
    none, one = w.constant(0), w.constant(1)
    return lambda old, v: d.ite(w.ule(v, old), none, w.add(old, one))


def _udec_wrap(w: Width, d: Domain) -> Operation:
    """One less; the operand from 0 and from above the operand."""
    none, one = w.constant(0), w.constant(1)
    return lambda old, v: d.ite(d.either(w.eq(old, none), w.ult(v, old)), v, w.sub(old, one))


INTEGER: Mapping[str, Callable[[Width, Domain], Operation]] = {
    "add": lambda w, d: w.add,
    "sub": lambda w, d: w.sub,
    "and": lambda w, d: w.and_,
    "or": lambda w, d: w.or_,
    "xor": lambda w, d: w.xor,
    "nand": lambda w, d: lambda old, v: w.not_(w.and_(old, v)),
    "max": minmax.INTEGER["smax"],
    "min": minmax.INTEGER["smin"],
    "umax": minmax.INTEGER["umax"],
    "umin": minmax.INTEGER["umin"],
    "uinc_wrap": _uinc_wrap,
    "udec_wrap": _udec_wrap,
    "usub_cond": lambda w, d: lambda old, v: d.ite(w.ule(v, old), w.sub(old, v), old),
    "usub_sat": lambda w, d: lambda old, v: d.ite(w.ule(v, old), w.sub(old, v), w.constant(0)),
}

_MINMAX = {"fmax": "maxnum", "fmin": "minnum", "fmaximum": "maximum", "fminimum": "minimum"}
_MINMAX |= {"fmaximumnum": "maximumnum", "fminimumnum": "minimumnum"}


def combine(operation: str, type_: Type, context: Context) -> Evaluate:
    """The new value from the old one and the operand."""
    d = context.domain
    if operation == "xchg":
        return lambda old, value: value
    if (integer := INTEGER.get(operation)) is not None:
        return lanewise(type_, strict2(d, integer(d.width(int_width(type_)), d)))
    if operation in ("fadd", "fsub"):
        floats = d.floats(float_kind(type_))
        return lanewise(type_, strict2(d, floats.add if operation == "fadd" else floats.sub))
    if operation in _MINMAX:
        floats = d.floats(float_kind(type_))
        return lanewise(type_, strict2(d, minmax.floating(_MINMAX[operation], d, floats)))
    raise NotModelled(f"atomicrmw {operation}")


def prepare_atomicrmw(instruction: ir.AtomicRMW, context: Context) -> PrepareAccess:
    """Reads, combines with the operand, writes; gives the old value."""
    type_ = instruction.value.type
    form = typed(type_, context.layout, context.domain)
    align = instruction.align or form.size
    load, store = loaded(form, type_, align, context.layout, context.domain), stored(form, align)
    new = combine(instruction.operation, type_, context)

    def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        old = load(memory, address(access), thread)
        store(memory, address(access), new(old, access.operands[0]), thread)
        return old

    shape = AccessShape(
        "atomicrmw", True, True, perform, form.size, type_, align, instruction.ordering, None,
        instruction.scope,
        instruction.volatile, contiguous(form.size, True), operation=instruction.operation,
    )  # fmt: skip
    return lambda pointer, value: Access(shape, pointer, (value,))


def prepare_cmpxchg(instruction: ir.CmpXchg, context: Context) -> PrepareAccess:
    """Writes the replacement if the old value is the expected one; gives the old value and whether it was.

    A weak one never fails without cause here. Comparing poison is undefined behaviour, as branching on it is.
    """
    d, type_ = context.domain, instruction.expected.type
    form = typed(type_, context.layout, d)
    align = instruction.align or form.size
    load, store = loaded(form, type_, align, context.layout, d), stored(form, align)
    look = holds(form, align)
    w = d.width(scalar_bits(type_, context.layout))

    def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        expected, replacement = scalar(access.operands[0]), access.operands[1]
        old = scalar(load(memory, address(access), thread))
        sound = d.negate(d.either(old.poison, expected.poison))
        d.require(sound, "cmpxchg compares a poison value", "'cmpxchg' Instruction")
        same = w.eq(old.bits, expected.bits)
        store(memory, address(access), d.choose(same, replacement, old), thread, same)
        return Composite((old, Value(d.bit(same), d.false)))

    def fails(access: Access, memory: Memory, thread: int) -> bool:
        old, expected = scalar(look(memory, address(access), thread)), scalar(access.operands[0])
        return w.eq(old.bits, expected.bits) is False

    shape = AccessShape(
        "cmpxchg", True, True, perform, form.size, type_, align, instruction.success, instruction.failure,
        instruction.scope, instruction.volatile, contiguous(form.size, True), result=StructType((type_, I1)),
        fails=fails,
    )  # fmt: skip
    return lambda pointer, expected, replacement: Access(shape, pointer, (expected, replacement))
