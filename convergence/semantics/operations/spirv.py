"""Wave operations of the SPIR-V and DirectX backends, which share their names but for the prefix."""

from __future__ import annotations

from ..values.value import RuntimeValue, Value, scalars
from .barriers import barrier, fence, hlsl, named_by
from .lanes import (
    Decide,
    ballot,
    elect,
    everywhere,
    how_many,
    lane_in,
    moving,
    somewhere,
    vote,
)
from .model import Callee, Family, Model, PerThread, Prepare, ThreadPlace
from .reductions import element_type, reduction, some_poison, truth_of, width_of
from .subgroup import SUFFIX

_PREFIX = r"llvm\.(?:spv|dx)\."


def _both(*names: str) -> str:
    """A pattern for these names under both prefixes."""
    return _PREFIX + "(?:" + "|".join(n.replace(".", r"\.") for n in names) + ")" + SUFFIX


def _reduce(callee: Callee) -> Model | None:
    """``sum``, ``usum``, ``min``, ``umin``, ...: unsigned with a ``u``."""
    name = callee.parts[0] or ""
    operation = {"sum": "add", "product": "mul"}.get(name.removeprefix("u"), name.removeprefix("u"))
    return reduction(operation, not name.startswith("u"))(callee)


def _of_vector(decide: Decide) -> Prepare:
    """``all`` and ``any``: of the own operand's elements, no other thread is asked."""

    def prepare(callee: Callee) -> Model | None:
        if width_of(callee.type.result) != 1 or len(callee.type.parameters) != 1:
            return None
        type_, d = element_type(callee.type.parameters[0]), callee.context.domain

        def alone(place: ThreadPlace, value: RuntimeValue) -> RuntimeValue:
            truths = [truth_of(s, type_, d) for s in scalars(value)]
            return Value(decide(truths, d, 1), some_poison([value], d))

        return PerThread(alone)

    return prepare


OPERATIONS: tuple[tuple[str, Prepare], ...] = (
    (_PREFIX + r"wave\.reduce\.(sum|usum|product|min|max|umin|umax|and|or|xor)" + SUFFIX, _reduce),
    (_both("wave.active.countbits"), vote(how_many)),
    (_both("wave.all"), vote(everywhere)),
    (_both("wave.any"), vote(somewhere)),
    (_both("wave.ballot"), ballot()),
    (_both("wave.is.first.lane"), elect),
    (_both("wave.readlane"), moving(lane_in(1))),
    (
        _PREFIX + r"(group|device|all)\.memory\.barrier\.with\.group\.sync",
        hlsl(lambda orders: barrier(orders, named_by("barrier"))),
    ),
    (_PREFIX + r"(group|device|all)\.memory\.barrier", hlsl(fence)),
    (_both("all"), _of_vector(everywhere)),
    (_both("any"), _of_vector(somewhere)),
)

SPIRV_AND_DIRECTX = Family(("llvm.spv.", "llvm.dx."), OPERATIONS)
