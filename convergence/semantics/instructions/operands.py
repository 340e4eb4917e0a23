"""Which operands an instruction evaluates, in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...ir import instructions as ir
from ...ir.operands import Operand

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
