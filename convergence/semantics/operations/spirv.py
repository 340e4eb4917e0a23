"""Wave operations of the SPIR-V and DirectX backends, which share their names but for the prefix."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ...ir.types import FloatType, IntType
from ..errors import NotModelled
from ..values.value import RuntimeValue, Value, scalar, scalars
from .barriers import HLSL_UNIFORM, barrier, fence, hlsl, named_by
from .collectives import (
    all_the_same,
    any_lane,
    behind,
    below,
    counted,
    extracted_bit,
    group_operation,
    highest,
    lowest,
    matching,
    of_mask,
    of_workgroup,
    own_bit,
    rotation,
    two_register_shuffle,
    up_to,
)
from .lanes import (
    Decide,
    ballot,
    broadcast,
    elect,
    everywhere,
    first_of_group,
    how_many,
    lane_by,
    lane_in,
    moving,
    somewhere,
    vote,
)
from .model import (
    BarrierName,
    Callee,
    Exchanging,
    Model,
    Operands,
    Operations,
    PerThread,
    Prepare,
    Subgroup,
    ThreadPlace,
)
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


SPIRV_AND_DIRECTX: Operations = (
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


# ----------------------------------------------------------------------------------------------------------
# SPIR-V's group instructions as functions: ``__spirv_GroupNonUniformIAdd(scope, group operation, value)``.
#
# SPIR-V, *Group and Subgroup Instructions*, *Non-Uniform Instructions*, and the extensions
# ``SPV_KHR_shader_ballot``, ``SPV_KHR_subgroup_rotate``, ``SPV_KHR_uniform_group_instructions``,
# ``SPV_NV_shader_subgroup_partitioned``, ``SPV_INTEL_subgroups``. The names come plain or mangled
# (``_Z27__spirv_GroupNonUniformFAddiif``), as a template's instance
# (``...IAddIiET_N5__spv5Scope4FlagEjS0_``), and with the result's type behind them (``_Rint4``).
# ----------------------------------------------------------------------------------------------------------

_WORKGROUP, _SUBGROUP = 2, 3
"""SPIR-V's *Scope*: those in which threads communicate here."""


def _scoped(prepare: Prepare) -> Prepare:
    """The operation behind a scope, which is a constant: the subgroup, or a workgroup that is one."""
    inner, wide = behind(1, prepare), behind(1, of_workgroup(prepare))

    def prepare_call(callee: Callee) -> Model | None:
        d, models = callee.context.domain, {_SUBGROUP: inner(callee), _WORKGROUP: wide(callee)}

        def of(scope: RuntimeValue) -> Model:
            model = models.get(d.concrete(scalar(scope).bits, "a symbolic scope"))
            if model is None:
                raise NotModelled(f"@{callee.name} in a scope other than workgroup and subgroup")
            return model

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            model = of(group[min(group)][0])
            assert isinstance(model, Exchanging)
            return model.together(group, subgroup)

        def alone(place: ThreadPlace, *operands: RuntimeValue) -> RuntimeValue:
            model = of(operands[0])
            assert isinstance(model, PerThread)
            return model.alone(place, *operands)

        match models[_SUBGROUP]:
            case Exchanging() as model:
                name: BarrierName = lambda values: f"@{callee.name}" if values[0] == _WORKGROUP else None  # noqa: E731
                return replace(model, together=together, wide=True, workgroup=name)
            case PerThread():
                return PerThread(alone)
            case _:
                return None

    return prepare_call


def _bit_count(callee: Callee) -> Model | None:
    """``(group operation, mask)``: bits of the mask, or up to or below the own lane."""
    d = callee.context.domain
    models = [behind(1, of_mask(counts, counted))(callee) for counts in (any_lane, up_to, below)]

    def alone(place: ThreadPlace, operation: RuntimeValue, mask: RuntimeValue) -> RuntimeValue:
        number = d.concrete(scalar(operation).bits, "a symbolic group operation")
        model = models[number] if number < len(models) else None
        if not isinstance(model, PerThread):
            raise NotModelled(f"a group operation of @{callee.name} other than reductions and scans")
        return model.alone(place, operation, mask)

    return PerThread(alone) if isinstance(models[0], PerThread) else None


_ARITHMETIC = {
    "IAdd": ("add", True), "FAdd": ("add", True), "IMul": ("mul", True), "FMul": ("mul", True),
    "SMin": ("min", True), "UMin": ("min", False), "FMin": ("min", True),
    "SMax": ("max", True), "UMax": ("max", False), "FMax": ("max", True),
    "BitwiseAnd": ("and", True), "BitwiseOr": ("or", True), "BitwiseXor": ("xor", True),
    "LogicalAnd": ("logical_and", True), "LogicalOr": ("logical_or", True),
    "LogicalXor": ("logical_xor", True),
}  # fmt: skip
"""The operation, and whether integers have a sign."""

_SHUFFLES = {
    "Shuffle": moving(lane_in(1)),
    "ShuffleXor": moving(lane_by(1, "xor")),
    "ShuffleUp": moving(lane_by(1, "sub")),
    "ShuffleDown": moving(lane_by(1, "add")),
}


def _rotate(callee: Callee) -> Model | None:
    return rotation(2 if len(callee.type.parameters) == 3 else None)(callee)


_SCOPED: Mapping[str, Prepare] = {
    **{"NonUniform" + name: group_operation(*what) for name, what in _ARITHMETIC.items()},
    **{name: group_operation(*what) for name, what in _ARITHMETIC.items()},
    **{name + "KHR": group_operation(*what) for name, what in _ARITHMETIC.items()},
    **{"NonUniform" + name: prepare for name, prepare in _SHUFFLES.items()},
    "All": vote(everywhere),
    "Any": vote(somewhere),
    "Broadcast": broadcast(1),
    "NonUniformElect": elect,
    "NonUniformAll": vote(everywhere),
    "NonUniformAny": vote(somewhere),
    "NonUniformAllEqual": all_the_same,
    "NonUniformBroadcast": broadcast(1),
    "NonUniformBroadcastFirst": first_of_group(),
    "NonUniformBallot": ballot(),
    "NonUniformInverseBallot": own_bit,
    "NonUniformBallotBitExtract": extracted_bit,
    "NonUniformBallotBitCount": _bit_count,
    "NonUniformBallotFindLSB": of_mask(any_lane, lowest),
    "NonUniformBallotFindMSB": of_mask(any_lane, highest),
    "NonUniformRotateKHR": _rotate,
}
"""By what stands behind ``__spirv_Group``."""

_WITHOUT_SCOPE: Mapping[str, Prepare] = {"NonUniformPartitionNV": matching}
"""Those behind ``__spirv_Group`` that have no scope: it is the subgroup."""

_OF_SUBGROUP: Mapping[str, Prepare] = {
    "BallotKHR": ballot(),
    "FirstInvocationKHR": first_of_group(),
    "AllKHR": vote(everywhere),
    "AnyKHR": vote(somewhere),
    "AllEqualKHR": all_the_same,
    "ReadInvocationKHR": moving(lane_in(1)),
    "ShuffleINTEL": moving(lane_in(1)),
    "ShuffleXorINTEL": moving(lane_by(1, "xor")),
    "ShuffleUpINTEL": two_register_shuffle(True),
    "ShuffleDownINTEL": two_register_shuffle(False),
}
"""By what stands behind ``__spirv_Subgroup``: without a scope."""

_NAME = re.compile(r"__spirv_(Group|Subgroup)([A-Za-z0-9]+?)(?:_R\w+)?")


def spirv_name(name: str) -> str | None:
    """The function's own name: of a mangled one what its length counts."""
    mangled = re.match(r"_Z(\d+)", name)
    if mangled is None:
        return name if name.startswith("__spirv_") else None
    length, start = int(mangled[1]), mangled.end()
    return name[start : start + length] if len(name) >= start + length else None


def _spirv_function(callee: Callee) -> Model | None:
    own = _NAME.fullmatch(spirv_name(callee.name) or "")
    if own is None:
        return None
    if own[1] == "Subgroup":
        prepare = _OF_SUBGROUP.get(own[2])
        return None if prepare is None else prepare(callee)
    if own[2] in _WITHOUT_SCOPE:
        return _WITHOUT_SCOPE[own[2]](callee)
    prepare = _SCOPED.get(own[2])
    return None if prepare is None else _scoped(prepare)(callee)


SPIRV_FUNCTIONS: Operations = ((r"(?:_Z\d+)?__spirv_(?:Group|Subgroup)\w+", _spirv_function),)
