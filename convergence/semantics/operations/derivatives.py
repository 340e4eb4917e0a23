"""Derivatives in screen space: differences between neighbours of a quad.

After *Exec masks in LLVM*, *whole quad mode*. A quad is four lanes in a row, two rows of two: ``@ddx`` is
the right value less the left one in the lane's own row, ``@ddy`` the lower less the upper one in its own
column (fine derivatives). A neighbour that does not take part gives poison.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...ir.instructions import Binary
from ...ir.operands import Local
from ..instructions.binary import prepare_binary
from ..values.of_type import poison
from ..values.value import RuntimeValue
from .model import Callee, Exchanging, Family, Model, Operands, Prepare, Subgroup
from .reductions import element_type, width_of


def derivative(step: int) -> Prepare:
    """The difference between the two lanes of the quad whose numbers differ in bit ``step``."""

    def prepare(callee: Callee) -> Model | None:
        if len(callee.type.parameters) != 1 or callee.type.parameters[0] != callee.type.result:
            return None
        type_, context = callee.type.result, callee.context
        opcode = "fsub" if width_of(element_type(type_)) is None else "sub"
        less = prepare_binary(Binary(opcode, Local(type_, "far"), Local(type_, "near")), context)
        bad = poison(type_, context.layout, context.domain)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            found = {}
            for lane in group:
                near, far = group.get(lane & ~step), group.get(lane | step)
                found[lane] = bad if near is None or far is None else less(far[0], near[0])
            return found

        return Exchanging(together)

    return prepare


DERIVATIVE = Family(
    ("dd",),
    ((r"ddx(?:\.\w+)*", derivative(1)), (r"ddy(?:\.\w+)*", derivative(2))),
)
