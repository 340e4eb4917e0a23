"""LangRef, *Memory Access and Addressing Operations*: alloca, load, store, fence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ...ir import (
    I1,
    Aggregate,
    ArrayType,
    Int,
    Metadata,
    MetadataString,
    MetadataTuple,
    Operand,
    PointerType,
    Simple,
    Splat,
    StructType,
    Type,
    VectorType,
)
from .. import NotModelled
from ..memory import Typed, typed
from ..memory.accesses import Access, AccessShape, Footprint, PrepareAccess, address, touched
from ..memory.allocations import Memory
from ..memory.synchronisation import EVERYWHERE, MemoryFence, Storage, ordered_by
from ..values import Bits, Composite, Pointer, RuntimeValue, Truth, Value, is_outside, scalar, scalars
from ..values.context import Context, Evaluate, poison
from . import lifting as minmax
from .lifting import element_type, float_kind, int_width, lanewise, scalar_bits, strict2
from .promises import metadata_promises

if TYPE_CHECKING:
    from ...ir import instructions as ir
    from ..arithmetic.domain import Domain, Unary, Width
    from ..values.datalayout import Layout


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
    """Writing a value. Where it is not ``written`` the bytes stay as they are, undefined ones too."""
    size, _, write = form

    def store(
        memory: Memory, pointer: Value, value: RuntimeValue, thread: int, written: Truth = True
    ) -> None:
        allocation, at = memory.locate(pointer, size, align, thread, "store", True, written)
        if written is not False:
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
    """The value at the address, which the load only ``moves`` (:mod:`convergence.ir.escape`) or not."""
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


# ----------------------------------------------------------------------------------------------------------
# LangRef, *'getelementptr' Instruction*.
# ----------------------------------------------------------------------------------------------------------


class _Step(NamedTuple):
    """Adds ``scale`` bytes times an index: index ``operand`` (0: the first), or 1 if that is ``None``."""

    scale: int
    operand: int | None


def _static_index(operand: Operand) -> int | None:
    """The value of an index that the text gives, the same in all lanes."""
    match operand:
        case Int(_, value):
            return value
        case Splat(_, element):
            return _static_index(element)
        case Simple(_, "zeroinitializer"):
            return 0
        case Aggregate(_, parts) if parts and len({_static_index(part) for part in parts}) == 1:
            return _static_index(parts[0])
        case _:
            return None


def _steps(instruction: ir.GetElementPtr, layout: Layout) -> list[_Step]:
    """The offsets that the indices add, in order; those that the text gives are computed here."""
    steps: list[_Step] = []
    type_: Type = instruction.source
    for number, operand in enumerate(instruction.indices):
        static = _static_index(operand)
        if number == 0:
            scale = layout.size(type_)
        else:
            type_ = layout.resolve(type_)
            match type_:
                case StructType(parts):
                    if static is None:
                        raise NotModelled("getelementptr with a struct index that is no constant")
                    steps.append(_Step(layout.offsets(type_)[static], None))
                    type_ = parts[static]
                    continue
                case ArrayType(_, element):
                    type_, scale = element, layout.size(element)
                case VectorType(_, element):
                    type_, scale = element, layout.bits(element) // 8
                case _:
                    raise NotModelled(f"getelementptr into {type_}")
        steps.append(_Step(scale, number) if static is None else _Step(scale * static, None))
    return _merged(steps)


def _merged(steps: Sequence[_Step]) -> list[_Step]:
    """Neighbouring given offsets of one direction as one: no intermediate address is further away."""
    result: list[_Step] = []
    for step in steps:
        if step == (0, None) and (result or len(steps) > 1):
            continue
        if (
            result
            and step.operand is None
            and result[-1].operand is None
            and (step.scale < 0) == (result[-1].scale < 0)
        ):
            result[-1] = _Step(result[-1].scale + step.scale, None)
        else:
            result.append(step)
    return result or [_Step(0, None)]


class _Offsets:
    """Offsets of one getelementptr in the index type: each index resized, then scaled."""

    def __init__(self, instruction: ir.GetElementPtr, context: Context, width: int) -> None:
        d = context.domain
        self.domain, self.w = d, d.width(width)
        self.steps = _steps(instruction, context.layout)
        self.resize: list[Unary] = []
        self.lossy: list[Callable[[Bits], Truth] | None] = []  # cutting an index changes it as signed
        self.lossy_unsigned: list[Callable[[Bits], Truth] | None] = []
        self.widths = [int_width(operand.type) for operand in instruction.indices]
        for n in self.widths:
            self.resize.append(d.sext(n, width) if n <= width else d.trunc(n, width))
            self.lossy.append(None if n <= width else _changes(d, n, width, d.sext))
            self.lossy_unsigned.append(None if n <= width else _changes(d, n, width, d.zext))


def _changes(
    d: Domain, source: int, target: int, extend: Callable[[int, int], Unary]
) -> Callable[[Bits], Truth]:
    w, cut, back = d.width(source), d.trunc(source, target), extend(target, source)
    return lambda a: w.ne(back(cut(a)), a)


def _wrapping(offsets: _Offsets) -> Callable[[Sequence[Value]], tuple[Bits, Truth]]:
    """Without flags: the sum of the offsets modulo 2^n, and whether an index is poison."""
    w, d = offsets.w, offsets.domain
    constant = w.constant(sum(step.scale for step in offsets.steps if step.operand is None))
    scaled = [(step.operand, w.constant(step.scale)) for step in offsets.steps if step.operand is not None]
    resize = offsets.resize

    def total(indices: Sequence[Value]) -> tuple[Bits, Truth]:
        offset, poison = constant, d.false
        for index, scale in scaled:
            value = indices[index]
            offset = w.add(offset, w.mul(resize[index](value.bits), scale))
            poison = d.either(poison, value.poison)
        return offset, poison

    return total


Move = Callable[[Value, Bits, Sequence[Value]], tuple[Bits, Truth]]
"""From the pointer, its address bits and the indices to the new address and whether it is poison."""


def _guarded(offsets: _Offsets, flags: tuple[str, ...]) -> Move:
    """inbounds, where it is known how large the object is; else only what the flags say about wrapping."""
    wrapping = _not_wrapping(offsets, "inbounds" in flags or "nusw" in flags, "nuw" in flags)
    if "inbounds" not in flags:
        return wrapping
    inside = _in_bounds(offsets, "nuw" in flags)

    def move(pointer: Value, start: Bits, indices: Sequence[Value]) -> tuple[Bits, Truth]:
        known = not is_outside(pointer.provenance) and pointer.provenance
        return (inside if known else wrapping)(pointer, start, indices)

    return move


def _in_bounds(offsets: _Offsets, nuw: bool) -> Move:
    """The base and each partial sum must lie in the object that the pointer is based on, or one past it.

    Computed without wrapping, in twice the width and more: an address in bounds then also says that
    nothing wraps, which is the rest of what inbounds promises. nuw: no offset may be negative.
    """
    d, n = offsets.domain, offsets.w.width
    widest = max([n, *offsets.widths])
    wide = d.width(n + widest + 8)
    widen, narrow = d.zext(n, wide.width), d.trunc(wide.width, n)
    none = wide.constant(0)
    staged = [
        (
            step.operand,
            wide.constant(step.scale),
            d.sext(offsets.widths[step.operand], wide.width) if step.operand is not None else widen,
        )
        for step in offsets.steps
    ]

    def move(pointer: Value, start: Bits, indices: Sequence[Value]) -> tuple[Bits, Truth]:
        assert pointer.provenance is not None
        low, length = wide.constant(pointer.provenance.base), wide.constant(pointer.provenance.room)
        address = widen(start)
        poison = wide.ult(length, wide.sub(address, low))
        for operand, scale, extend in staged:
            offset = scale
            if operand is not None:
                value = indices[operand]
                poison = d.either(poison, value.poison)
                offset = wide.mul(extend(value.bits), scale)
            if nuw:
                poison = d.either(poison, wide.slt(offset, none))
            address = wide.add(address, offset)
            poison = d.either(poison, wide.ult(length, wide.sub(address, low)))
        return narrow(address), poison

    return move


def _not_wrapping(offsets: _Offsets, nusw: bool, nuw: bool) -> Move:
    """nusw: an index that does not fit, a scaled offset or a partial sum that wraps as signed, or an
    address plus a signed offset that wraps gives poison. nuw: the same, all unsigned."""
    w, d = offsets.w, offsets.domain
    either, none = d.either, w.constant(0)
    staged = [(step.operand, w.constant(step.scale)) for step in offsets.steps]

    def added(address: Bits, total: Bits, offset: Bits) -> Truth:
        """Whether adding one more offset wraps."""
        poison = w.uadd_overflows(address, offset) if nuw else d.false
        if nusw:
            poison = either(poison, w.sadd_overflows(total, offset))
            down, sum_ = w.slt(offset, none), w.add(address, offset)
            wraps = d.ite(down, d.bit(w.ule(address, sum_)), d.bit(w.ult(sum_, address)))
            poison = either(poison, d.truth(wraps))
        return poison

    def scaled(operand: int, value: Value, scale: Bits) -> tuple[Bits, Truth]:
        """An index times its scale, and whether that loses something or is poison."""
        resized, poison = offsets.resize[operand](value.bits), value.poison
        for wanted, lossy in ((nusw, offsets.lossy[operand]), (nuw, offsets.lossy_unsigned[operand])):
            if wanted and lossy is not None:
                poison = either(poison, lossy(value.bits))
        if nusw:
            poison = either(poison, w.smul_overflows(resized, scale))
        if nuw:
            poison = either(poison, w.umul_overflows(resized, scale))
        return w.mul(resized, scale), poison

    def move(pointer: Value, start: Bits, indices: Sequence[Value]) -> tuple[Bits, Truth]:
        poison, address, total = d.false, start, none
        for operand, scale in staged:
            offset = scale
            if operand is not None:
                offset, lost = scaled(operand, indices[operand], scale)
                poison = either(poison, lost)
            poison = either(poison, added(address, total, offset))
            address, total = w.add(address, offset), w.add(total, offset)
        return address, poison

    return move


def prepare_gep(instruction: ir.GetElementPtr, context: Context) -> Evaluate:
    """An address in the object that the pointer is based on; with vector operands, one per lane."""
    type_ = element_type(instruction.pointer.type)
    if not isinstance(type_, PointerType):
        raise NotModelled(f"getelementptr on {type_}")
    pointer, d = context.layout.pointer(type_), context.domain
    offsets = _Offsets(instruction, context, pointer.index)
    whole, cut = pointer.bits == pointer.index, d.trunc(pointer.bits, pointer.index)
    w, widths = offsets.w, (pointer.index, pointer.bits - pointer.index)
    keep = None if whole else d.extract(pointer.bits - 1, pointer.index)

    def finish(base: Value, address: Bits, poison: Truth) -> Pointer:
        """The high bits of a pointer that are no address bits stay."""
        bits = address if keep is None else d.concat((address, keep(base.bits)), widths)
        return Pointer(bits, base.provenance, d.either(base.poison, poison))

    evaluate: Evaluate
    if instruction.flags and {"inbounds", "nusw", "nuw"} & set(instruction.flags):
        move = _guarded(offsets, instruction.flags)

        def evaluate(base: Value, *indices: Value) -> Pointer:
            return finish(base, *move(base, base.bits if whole else cut(base.bits), indices))
    else:
        total = _wrapping(offsets)

        def evaluate(base: Value, *indices: Value) -> Pointer:
            offset, poison = total(indices)
            return finish(base, w.add(base.bits if whole else cut(base.bits), offset), poison)

    types = [instruction.pointer.type, *(index.type for index in instruction.indices)]
    counts = [t.count for t in types if isinstance(t, VectorType)]
    for t in types:
        element_type(t)
    return _by_lane(evaluate, counts[0]) if counts else evaluate


def _by_lane(evaluate: Evaluate, count: int) -> Evaluate:
    """Scalars among the operands stand for every lane."""

    def lanes(*operands: Value | Composite) -> Composite:
        spread = [o.elements if isinstance(o, Composite) else (o,) * count for o in operands]
        return Composite(tuple(map(evaluate, *spread)))

    return lanes
