"""Instructions on values that are larger than any that are modelled."""

from __future__ import annotations

from ...ir import instructions as ir
from ..values.context import Context
from ..values.limits import refuse_large_type
from .operands import operands, result_type


def refuse_large(instruction: ir.Instruction, context: Context) -> None:
    """Raises NotModelled if an operand or the result is beyond a limit of :mod:`..values.limits`."""
    for operand in operands(instruction):
        refuse_large_type(operand.type, context.layout)
    result = result_type(instruction, context.layout)
    if result is not None:
        refuse_large_type(result, context.layout)
