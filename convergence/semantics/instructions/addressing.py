"""LangRef, *'getelementptr' Instruction*."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...ir import instructions as ir
from ...ir.operands import Aggregate, Int, Operand, Simple, Splat
from ...ir.types import ArrayType, PointerType, StructType, Type, VectorType
from ..arithmetic.domain import Domain, Unary
from ..errors import NotModelled
from ..values.context import Context, Evaluate
from ..values.datalayout import Layout
from ..values.value import Bits, Composite, Pointer, Truth, Value, is_outside
from .lifting import element_type, int_width


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
