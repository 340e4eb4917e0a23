"""The type of what an instruction defines, read off its operands (LangRef, *Instruction Reference*)."""

from __future__ import annotations

from ...ir import instructions as ir
from ...ir.types import I1, ArrayType, PointerType, SimpleType, StructType, Type, VectorType
from ..values.datalayout import Layout


def result_type(instruction: ir.Instruction, layout: Layout) -> Type | None:
    """``None`` for an instruction that defines nothing, and for tokens."""
    match instruction:
        case ir.FNeg(value) | ir.Freeze(value) | ir.AtomicRMW(value=value):
            return value.type
        case ir.Binary(lhs=lhs):
            return lhs.type
        case ir.ICmp(lhs=lhs) | ir.FCmp(lhs=lhs):
            return VectorType(lhs.type.count, I1) if isinstance(lhs.type, VectorType) else I1
        case ir.Conversion(to=type_) | ir.Load(type=type_) | ir.Phi(type=type_) | ir.VAArg(type=type_):
            return type_
        case ir.LandingPad(type=type_):
            return type_
        case ir.Select(then=value) | ir.InsertElement(vector=value) | ir.InsertValue(aggregate=value):
            return value.type
        case ir.ExtractElement(vector):
            return vector.type.element if isinstance(vector.type, VectorType) else None
        case ir.ShuffleVector(first, _, mask):
            if isinstance(first.type, VectorType) and isinstance(mask.type, VectorType):
                return VectorType(mask.type.count, first.type.element)
            return None
        case ir.ExtractValue(aggregate, indices):
            return _element(aggregate.type, indices, layout)
        case ir.CmpXchg(expected=expected):
            return StructType((expected.type, I1))
        case ir.Alloca(address_space=space):
            return PointerType(space)
        case ir.GetElementPtr(pointer=pointer, indices=indices):
            for operand in (pointer, *indices):
                if isinstance(operand.type, VectorType):
                    return VectorType(operand.type.count, PointerType())
            return pointer.type
        case ir.CallSite():
            return None if isinstance(instruction.type.result, SimpleType) else instruction.type.result
        case _:
            return None


def _element(type_: Type, indices: tuple[int, ...], layout: Layout) -> Type | None:
    for index in indices:
        type_ = layout.resolve(type_)
        if isinstance(type_, StructType):
            type_ = type_.elements[index]
        elif isinstance(type_, ArrayType):
            type_ = type_.element
        else:
            return None
    return type_
