"""Which operands an instruction evaluates, in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...ir import instructions as ir
from ...ir.operands import Operand
from ...ir.types import I1, ArrayType, PointerType, SimpleType, StructType, Type, VectorType
from ..values.datalayout import Layout

_Operands = Callable[[Any], tuple[Operand, ...]]

_BY_CLASS: Mapping[type[ir.Instruction], _Operands] = {
    ir.FNeg: lambda i: (i.value,),
    ir.Binary: lambda i: (i.lhs, i.rhs),
    ir.ICmp: lambda i: (i.lhs, i.rhs),
    ir.FCmp: lambda i: (i.lhs, i.rhs),
    ir.Conversion: lambda i: (i.value,),
    ir.ExtractElement: lambda i: (i.vector, i.index),
    ir.InsertElement: lambda i: (i.vector, i.element, i.index),
    ir.ShuffleVector: lambda i: (i.first, i.second),
    ir.ExtractValue: lambda i: (i.aggregate,),
    ir.InsertValue: lambda i: (i.aggregate, i.element),
    ir.Alloca: lambda i: () if i.count is None else (i.count,),
    ir.Load: lambda i: (i.pointer,),
    ir.Store: lambda i: (i.value, i.pointer),
    ir.CmpXchg: lambda i: (i.pointer, i.expected, i.replacement),
    ir.AtomicRMW: lambda i: (i.pointer, i.value),
    ir.GetElementPtr: lambda i: (i.pointer, *i.indices),
    ir.Select: lambda i: (i.condition, i.then, i.otherwise),
    ir.Freeze: lambda i: (i.value,),
    ir.VAArg: lambda i: (i.list,),
    ir.Ret: lambda i: () if i.value is None else (i.value,),
    ir.CondBr: lambda i: (i.condition,),
    ir.Switch: lambda i: (i.value,),
    ir.IndirectBr: lambda i: (i.address,),
    ir.Resume: lambda i: (i.value,),
    ir.Call: lambda i: tuple(a.value for a in i.arguments),
    ir.Invoke: lambda i: tuple(a.value for a in i.arguments),
    ir.CallBr: lambda i: tuple(a.value for a in i.arguments),
}


def operands(instruction: ir.Instruction) -> tuple[Operand, ...]:
    """The operands that executing the instruction evaluates.

    A call's are its arguments (not the callee, not the bundles); a phi has none here, since it
    evaluates one of its incoming values, by the edge taken; a shuffle mask is a part of the instruction.
    """
    of = _BY_CLASS.get(type(instruction))
    return of(instruction) if of else ()


# -- The type of what an instruction defines, read off its operands (LangRef, *Instruction Reference*)


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
