"""Group functions by Khronos' names: OpenCL C's as clang mangles them, SPIR-V's, and those of LLVM's back
ends.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ...ir import FloatType, IntType, PointerType, is_handle
from ...ir.mangled import MangledName, demangled
from .. import NotModelled
from ..memory.synchronisation import ASYNC_DOCUMENT, EVERYWHERE, MemoryFence, Scope
from ..values import Pointer, RuntimeValue, Value, any_undef, scalar, scalars
from . import (
    ASYNC_COPY,
    ASYNC_WAIT,
    BarrierName,
    Callee,
    Exchanging,
    Fencing,
    Model,
    Operands,
    Operations,
    PerThread,
    Prepare,
    Subgroup,
    ThreadPlace,
    Uniform,
)
from .barriers import HLSL_UNIFORM, always, barrier, fence, hlsl, named_by, waiting
from .lanes import (
    Decide,
    ballot,
    broadcast,
    elect,
    element_type,
    everywhere,
    first_of_group,
    how_many,
    lane_by,
    lane_in,
    moving,
    of_one,
    reduction,
    scan,
    some_poison,
    somewhere,
    truth_of,
    vote,
    width_of,
)
from .subgroup import (
    CLUSTERED,
    EXCLUSIVE,
    INCLUSIVE,
    REDUCE,
    SUFFIX,
    above,
    all_the_same,
    any_lane,
    arithmetic,
    behind,
    below,
    counted,
    extracted_bit,
    from_own,
    group_operation,
    highest,
    lane_mask,
    lowest,
    matching,
    of_mask,
    of_work_item,
    of_workgroup,
    own,
    own_bit,
    rotation,
    two_register_shuffle,
    up_to,
)

# ----------------------------------------------------------------------------------------------------------
# OpenCL C's subgroup and work-group functions, by the names that clang mangles
# (``_Z20sub_group_reduce_addi``).
#
# OpenCL C 3.0, *Subgroup Functions*, *Work-group Collective Functions*, and the extensions
# ``cl_khr_subgroup_*``, ``cl_khr_work_group_uniform_arithmetic``, ``cl_intel_subgroups``. The mangled name
# says what an integer's type does not: whether it has a sign.
# ----------------------------------------------------------------------------------------------------------

_KINDS = {
    "reduce": REDUCE,
    "scan_inclusive": INCLUSIVE,
    "scan_exclusive": EXCLUSIVE,
    "clustered_reduce": CLUSTERED,
}
_OPERATIONS = "add|mul|min|max|and|or|xor|logical_and|logical_or|logical_xor"
_REDUCTION_NAME = re.compile(
    rf"(?:intel_)?(sub_group|work_group)_(?:non_uniform_)?({'|'.join(_KINDS)})_({_OPERATIONS})"
)

_NAMED: Mapping[str, Prepare] = {
    "sub_group_all": vote(everywhere),
    "sub_group_any": vote(somewhere),
    "sub_group_non_uniform_all": vote(everywhere),
    "sub_group_non_uniform_any": vote(somewhere),
    "sub_group_non_uniform_all_equal": all_the_same,
    "sub_group_elect": elect,
    "sub_group_broadcast": broadcast(1),
    "intel_sub_group_broadcast": broadcast(1),
    "sub_group_non_uniform_broadcast": broadcast(1),
    "sub_group_broadcast_first": first_of_group(),
    "sub_group_ballot": ballot(),
    "sub_group_inverse_ballot": own_bit,
    "sub_group_ballot_bit_extract": extracted_bit,
    "sub_group_ballot_bit_count": of_mask(any_lane, counted),
    "sub_group_ballot_inclusive_scan": of_mask(up_to, counted),
    "sub_group_ballot_exclusive_scan": of_mask(below, counted),
    "sub_group_ballot_find_lsb": of_mask(any_lane, lowest),
    "sub_group_ballot_find_msb": of_mask(any_lane, highest),
    "get_sub_group_eq_mask": lane_mask(own),
    "get_sub_group_ge_mask": lane_mask(from_own),
    "get_sub_group_gt_mask": lane_mask(above),
    "get_sub_group_le_mask": lane_mask(up_to),
    "get_sub_group_lt_mask": lane_mask(below),
    "sub_group_shuffle": moving(lane_in(1)),
    "sub_group_shuffle_xor": moving(lane_by(1, "xor")),
    "sub_group_shuffle_up": moving(lane_by(1, "sub")),
    "sub_group_shuffle_down": moving(lane_by(1, "add")),
    "sub_group_rotate": rotation(),
    "sub_group_clustered_rotate": rotation(2),
    "intel_sub_group_shuffle": moving(lane_in(1)),
    "intel_sub_group_shuffle_xor": moving(lane_by(1, "xor")),
    "intel_sub_group_shuffle_up": two_register_shuffle(True),
    "intel_sub_group_shuffle_down": two_register_shuffle(False),
    "work_group_all": of_workgroup(vote(everywhere)),
    "work_group_any": of_workgroup(vote(somewhere)),
    "work_group_broadcast": of_workgroup(of_one(of_work_item, 1)),
}


def _opencl_function(callee: Callee) -> Model | None:
    """The model of a mangled name; ``None`` for functions of other kinds."""
    name = demangled(callee.name)
    if name is None:
        return None
    entry = _NAMED.get(name.name) or _arithmetic(name)
    return None if entry is None else entry(callee)


def _arithmetic(name: MangledName) -> Prepare | None:
    """Reductions and scans; the first operand's type says whether integers have a sign."""
    match = _REDUCTION_NAME.fullmatch(name.name)
    if match is None or not name.parameters:
        return None
    group, kind, operation = match.groups()
    prepare = arithmetic(operation, _KINDS[kind], name.parameters[0].signed)
    return of_workgroup(prepare) if group == "work_group" else prepare


def _async_copies(callee: Callee) -> Model | None:

    return async_copies(callee)


OPENCL: Operations = (
    (r"_Z\d+(?:get_|intel_)?(?:sub_group|work_group)_[a-z_]+[A-Z0-9a-z_]*", _opencl_function),
    (r"_Z(?:21async_work_group_copy|29async_work_group_strided_copy)\w+9ocl_event", _async_copies),
    (r"_Z17wait_group_events[ij]P\w*9ocl_event", _async_copies),
)


# ----------------------------------------------------------------------------------------------------------
# OpenCL C's copies by the workgroup: ``async_work_group_copy``, ``async_work_group_strided_copy``, and
# ``wait_group_events``.
#
# OpenCL C 3.0, *Async Copies from Global to Local Memory, Local to Global Memory, and Prefetch*: all
# work-items of a workgroup come to such a call with the same operands, else the results are undefined. So
# they meet there, and a part is copied beside each (:mod:`..instructions.library.opencl_memory`); then a
# thread releases that, and arrives at a barrier that ``wait_group_events`` waits at.
# ----------------------------------------------------------------------------------------------------------

_RELEASE = MemoryFence(True, False, EVERYWHERE, Scope.WORKGROUP, apart=True)
_ACQUIRE = MemoryFence(False, True, EVERYWHERE, Scope.WORKGROUP, apart=True)
_COPIES = Uniform(Scope.WORKGROUP, ASYNC_DOCUMENT, ASYNC_COPY)
_WAITS = Uniform(Scope.WORKGROUP, ASYNC_DOCUMENT, ASYNC_WAIT)
EVENT = 1
"""The address that stands for an event: events are not told apart."""


def _meeting(callee: Callee) -> Model | None:
    """``(target, source, ..., event)``: gives the event that it is given, else a new one."""
    result, d = callee.type.result, callee.context.domain
    if not (isinstance(result, PointerType) or is_handle(result)) or callee.type.parameters[-1] != result:
        return None
    widths = [d.width(callee.context.layout.bits(type_)) for type_ in callee.type.parameters]
    kind = "a strided copy" if "strided" in callee.name else "a copy"

    def require(truth: object, what: str) -> None:
        d.require(truth, f"{kind} by the workgroup with {what}", ASYNC_DOCUMENT)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        for width, *given in zip(widths, *group.values(), strict=True):
            require(not any(map(any_undef, given)), "an undef operand")
            first = scalar(given[0])
            for other in map(scalar, given):
                require(d.negate(other.poison), "a poison operand")
                require(width.eq(first.bits, other.bits), "operands that are not the same in all threads")
        event, width = scalar(next(iter(group.values()))[-1]), widths[-1]
        new = Pointer(width.constant(EVENT), None, d.false)
        return dict.fromkeys(group, d.choose(width.eq(event.bits, width.constant(0)), new, event))

    arrives = Fencing(always(_RELEASE), named_by(ASYNC_WAIT))
    return Exchanging(together, uniform=_COPIES, accesses=True, behind=arrives)


_copy = of_workgroup(_meeting, named_by(ASYNC_COPY))


def _wait(callee: Callee) -> Model | None:
    """``(count, events)``."""
    model = waiting(always(_ACQUIRE), named_by(ASYNC_WAIT))(callee)
    return replace(model, uniform=_WAITS, accesses=True) if isinstance(model, Exchanging) else None


def async_copies(callee: Callee) -> Model | None:
    """The model of one of the three functions, by its mangled name."""
    return _wait(callee) if callee.name.startswith("_Z17wait") else _copy(callee)


# ----------------------------------------------------------------------------------------------------------
# Wave operations of the SPIR-V and DirectX backends, which share their names but for the prefix.
# ----------------------------------------------------------------------------------------------------------


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
