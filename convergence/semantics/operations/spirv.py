"""Wave operations of the SPIR-V and DirectX backends, which share their names but for the prefix."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir.types import FloatType, IntType
from ..values.value import RuntimeValue, Value, scalar, scalars
from .barriers import HLSL_UNIFORM, barrier, fence, hlsl, named_by
from .collectives import all_the_same, matching
from .lanes import (
    Decide,
    ballot,
    elect,
    everywhere,
    first_of_group,
    how_many,
    lane_in,
    moving,
    somewhere,
    vote,
)
from .model import Callee, Exchanging, Family, Model, Operands, PerThread, Prepare, Subgroup, ThreadPlace
from .reductions import element_type, reduction, scan, some_poison, truth_of, width_of
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


def _prefix(callee: Callee) -> Model | None:
    """``sum``, ``usum``, ``product``, ``uproduct`` over the lanes below the own one."""
    name = callee.parts[0] or ""
    return scan({"sum": "add", "product": "mul"}[name.removeprefix("u")], False, not name.startswith("u"))(
        callee
    )


def _prefix_count(callee: Callee) -> Model | None:
    """In how many lanes below the own one the operand is true."""
    bits = width_of(callee.type.result)
    if bits is None or callee.type.parameters != (IntType(1),):
        return None
    d, width = callee.context.domain, bits

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        def result(lane: int) -> RuntimeValue:
            votes = [scalar(group[other][0]) for other in sorted(group) if other < lane]
            return Value(how_many([d.truth(v.bits) for v in votes], d, width), some_poison(list(votes), d))

        return {lane: result(lane) for lane in group}

    return Exchanging(together)


def _of_vector(decide: Decide) -> Prepare:
    """``all`` and ``any``: which of the own operand's elements are not zero; no other thread is asked. A NaN
    is none of those to LLVM's SPIR-V back end (OpFOrdNotEqual), one of them to DirectX's (``fcmp une``)."""

    def prepare(callee: Callee) -> Model | None:
        if width_of(callee.type.result) != 1 or len(callee.type.parameters) != 1:
            return None
        type_, d = element_type(callee.type.parameters[0]), callee.context.domain
        floats = d.floats(type_.kind) if isinstance(type_, FloatType) else None
        ordered = floats is not None and callee.name.startswith("llvm.spv.")

        def alone(place: ThreadPlace, value: RuntimeValue) -> RuntimeValue:
            truths = [truth_of(s, type_, d) for s in scalars(value)]
            if ordered and floats is not None:
                numbers = [d.negate(floats.is_nan(s.bits)) for s in scalars(value)]
                truths = [d.both(t, n) for t, n in zip(truths, numbers, strict=True)]
            return Value(decide(truths, d, 1), some_poison([value], d))

        return PerThread(alone)

    return prepare


OPERATIONS: tuple[tuple[str, Prepare], ...] = (
    (_PREFIX + r"wave\.reduce\.(sum|usum|product|min|max|umin|umax|and|or|xor)" + SUFFIX, _reduce),
    (_PREFIX + r"wave\.prefix\.(u?sum|u?product)" + SUFFIX, _prefix),
    (_both("wave.prefix.bit.count", "wave.prefix.countbits"), _prefix_count),
    (_both("wave.match"), matching),
    (_both("wave.readlane.first", "wave.read.lane.first"), first_of_group()),
    (_both("wave.all.equal"), all_the_same),
    (_both("wave.active.countbits"), vote(how_many)),
    (_both("wave.all"), vote(everywhere)),
    (_both("wave.any"), vote(somewhere)),
    (_both("wave.ballot"), ballot()),
    (_both("wave.is.first.lane"), elect),
    (_both("wave.readlane"), moving(lane_in(1))),
    (
        _PREFIX + r"(group|device|all)\.memory\.barrier\.with\.group\.sync",
        hlsl(lambda orders: barrier(orders, named_by("barrier"), HLSL_UNIFORM)),
    ),
    (_PREFIX + r"(group|device|all)\.memory\.barrier", hlsl(fence)),
    (_both("all"), _of_vector(everywhere)),
    (_both("any"), _of_vector(somewhere)),
)

SPIRV_AND_DIRECTX = Family(("llvm.spv.", "llvm.dx."), OPERATIONS)
