"""LangRef, *Constant Expressions*, by the same functions as the instructions of those names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir import instructions as ir
from .. import NotModelled
from ..values.context import Context, Evaluate, constant_value
from ..values.datalayout import refuse_large_constant

if TYPE_CHECKING:
    from ...ir import ConstantExpression, Operand
    from ..values import RuntimeValue


def _prepared(expression: ConstantExpression, context: Context) -> Evaluate:
    flags, parts = expression.flags, expression.operands
    match expression.opcode:
        case "getelementptr":
            assert expression.source is not None
            words = tuple(flag for flag in flags if not flag.startswith("inrange"))
            gep = ir.GetElementPtr(expression.source, parts[0], parts[1:], words)
            from .memory import prepare_gep

            return prepare_gep(gep, context)
        case "extractelement":
            from .other import prepare_extractelement

            return prepare_extractelement(ir.ExtractElement(*parts), context)
        case "insertelement":
            from .other import prepare_insertelement

            return prepare_insertelement(ir.InsertElement(*parts), context)
        case "shufflevector":
            from .other import prepare_shufflevector

            return prepare_shufflevector(ir.ShuffleVector(*parts), context)
        case "select":
            from .other import prepare_select

            return prepare_select(ir.Select(parts[0], parts[1], parts[2]), context)
        case opcode if len(parts) == 1:
            from .conversion import BY_ELEMENT, prepare_conversion

            if opcode != "bitcast" and opcode not in BY_ELEMENT:
                raise NotModelled(f"constant expression {opcode}")
            return prepare_conversion(ir.Conversion(opcode, parts[0], expression.type, flags), context)
        case opcode if len(parts) == 2:
            from .binary import prepare_binary

            return prepare_binary(ir.Binary(opcode, parts[0], parts[1], flags), context)
        case opcode:
            raise NotModelled(f"constant expression {opcode}")


def _evaluate(expression: ConstantExpression, context: Context) -> RuntimeValue:
    parts = expression.operands[:2] if expression.opcode == "shufflevector" else expression.operands
    return _prepared(expression, context)(*(constant(part, context) for part in parts))


def constant(operand: Operand, context: Context) -> RuntimeValue:
    """The value of an operand that is no local. Raises NotModelled for what has no value here."""
    refuse_large_constant(operand, context.layout)
    return constant_value(operand, context, _evaluate)
