"""LangRef, *'getelementptr' Instruction*."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...ir import instructions as ir
from ...ir.operands import Aggregate, Int, Operand, Simple, Splat
from ...ir.types import ArrayType, PointerType, StructType, Type, VectorType
from ..context import Context, Evaluate
from ..domain import Domain, Unary, Width
from ..layout import Layout
from ..values import Bits, Composite, NotModelled, Pointer, Provenance, Truth, Value
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
        self.lossy: list[Callable[[Bits], Truth] | None] = []
        for operand in instruction.indices:
            n = int_width(operand.type)
            self.resize.append(d.sext(n, width) if n <= width else d.trunc(n, width))
            self.lossy.append(None if n <= width else _changes(d, n, width))


def _changes(d: Domain, source: int, target: int) -> Callable[[Bits], Truth]:
    w, cut, back = d.width(source), d.trunc(source, target), d.sext(target, source)
    return lambda a: w.ne(back(cut(a)), a)


def _wrapping(offsets: _Offsets) -> Callable[[Sequence[Value]], tuple[Bits, Truth]]:
    """Without flags: the sum of the offsets modulo 2^n, and whether an index is poison."""
    w, d = offsets.w, offsets.domain
    given = w.constant(sum(step.scale for step in offsets.steps if step.operand is None))
    scaled = [(step.operand, w.constant(step.scale)) for step in offsets.steps if step.operand is not None]
    resize = offsets.resize

    def total(indices: Sequence[Value]) -> tuple[Bits, Truth]:
        offset, poison = given, d.false
        for index, scale in scaled:
            value = indices[index]
            offset = w.add(offset, w.mul(resize[index](value.bits), scale))
            poison = d.either(poison, value.poison)
        return offset, poison

    return total


def _outside(d: Domain, w: Width, provenance: Provenance | None) -> Callable[[Bits], Truth]:
    """Whether an address is neither in the object nor one past its end."""
    if provenance is None:
        return lambda address: d.false
    base, size = w.constant(provenance.base), w.constant(provenance.size)
    return lambda address: w.ult(size, w.sub(address, base))


def _careful(
    offsets: _Offsets, flags: tuple[str, ...]
) -> Callable[[Value, Bits, Sequence[Value]], tuple[Bits, Truth]]:
    """With flags: the address, and whether it is poison.

    nusw: an index that does not fit, a scaled offset or a partial sum that wraps as signed, or an address
    plus
    a signed offset that wraps gives poison. nuw: the same, all unsigned. inbounds implies nusw, and each
    partial sum must lie in the object that the pointer is based on, or one past it.
    """
    w, d = offsets.w, offsets.domain
    inbounds, nuw = "inbounds" in flags, "nuw" in flags
    nusw = inbounds or "nusw" in flags
    none = w.constant(0)
    staged = [(step.operand, w.constant(step.scale)) for step in offsets.steps]

    def move(pointer: Value, start: Bits, indices: Sequence[Value]) -> tuple[Bits, Truth]:
        either = d.either
        poison, address, total = d.false, start, none
        outside = _outside(d, w, pointer.provenance) if inbounds else None
        for index, scale in staged:
            offset = scale
            if index is not None:
                value = indices[index]
                poison = either(poison, value.poison)
                lossy = offsets.lossy[index]
                if lossy is not None:
                    poison = either(poison, lossy(value.bits))
                resized = offsets.resize[index](value.bits)
                offset = w.mul(resized, scale)
                if nusw:
                    poison = either(poison, w.smul_overflows(resized, scale))
                if nuw:
                    poison = either(poison, w.umul_overflows(resized, scale))
            if nusw:
                poison = either(poison, w.sadd_overflows(total, offset))
                down = w.slt(offset, none)
                wraps = d.ite(
                    down,
                    d.bit(w.ule(address, w.add(address, offset))),
                    d.bit(w.uadd_overflows(address, offset)),
                )
                poison = either(poison, d.truth(wraps))
            if nuw:
                poison = either(poison, w.uadd_overflows(address, offset))
            if outside is not None:
                poison = either(poison, outside(address))
            address, total = w.add(address, offset), w.add(total, offset)
        return address, either(poison, outside(address)) if outside is not None else poison

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
        move = _careful(offsets, instruction.flags)

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
