"""LangRef, *Aggregate Operations*."""

from __future__ import annotations

from ...ir import instructions as ir
from ..context import Context, Evaluate
from ..values import Composite, RuntimeValue, elements


def prepare_extractvalue(instruction: ir.ExtractValue, context: Context) -> Evaluate:
    """The element of a struct or array that the indices name."""
    indices = instruction.indices

    def evaluate(aggregate: RuntimeValue) -> RuntimeValue:
        for index in indices:
            aggregate = elements(aggregate)[index]
        return aggregate

    return evaluate


def inserted(aggregate: RuntimeValue, element: RuntimeValue, indices: tuple[int, ...]) -> RuntimeValue:
    """The aggregate with the element that the indices name replaced."""
    if not indices:
        return element
    first, *rest = indices
    parts = elements(aggregate)
    replaced = inserted(parts[first], element, tuple(rest))
    return Composite((*parts[:first], replaced, *parts[first + 1 :]))


def prepare_insertvalue(instruction: ir.InsertValue, context: Context) -> Evaluate:
    """The struct or array with the element that the indices name replaced."""
    indices = instruction.indices
    return lambda aggregate, element: inserted(aggregate, element, indices)
