"""Ids and sizes: what a thread knows of its place in the launch, by the names of each dialect (D-ENTRY).

OpenCL C, *Work-Item Functions*; SPIR-V, *BuiltIn*, as calls of ``__spirv_BuiltIn...`` (clang's
``__clang_spirv_builtins.h``); LLVM's ``llvm.spv`` and ``llvm.dx`` (HLSL, *Semantics*); LLVM's *User Guide for
AMDGPU Backend*, *LLVM IR Intrinsics*, and ROCm's ``__ockl_get_...``; PTX ISA, *Special Registers*.

Every name that would be an id, a size or a lane number and has no model stops the run: a stand-in is never an
index.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ...ir import PointerType, Type, VectorType
from ...ir.resources import is_shader
from .. import NotModelled
from ..values import Composite, RuntimeValue, Value, scalar
from . import ORIGIN, SINGLE, Callee, Extent, Family, Model, PerThread, Prepare, ThreadPlace
from .lanes import about, integer, width_of
from .subgroup import SUFFIX, named

if TYPE_CHECKING:
    from ...ir.module import Module

Number = Callable[[ThreadPlace], int]
Along = Callable[[ThreadPlace], Extent]
"""A number along each dimension."""


# -- What a place says


def local_id(place: ThreadPlace) -> Extent:
    """Where a thread is in its workgroup."""
    return place.local_id


def group_id(place: ThreadPlace) -> Extent:
    """Where its workgroup is in the grid."""
    return place.group_id


def global_id(place: ThreadPlace) -> Extent:
    """Where it is among all threads."""
    return place.global_id


def local_size(place: ThreadPlace) -> Extent:
    """How many threads a workgroup has."""
    return place.subgroup.grid.workgroup


def global_size(place: ThreadPlace) -> Extent:
    """How many threads there are."""
    return place.subgroup.grid.threads


def group_count(place: ThreadPlace) -> Extent:
    """How many workgroups there are."""
    return place.subgroup.grid.workgroups


def offset(place: ThreadPlace) -> Extent:
    """From where global ids are counted."""
    return ORIGIN


def cluster_count(place: ThreadPlace) -> Extent:
    """How many clusters there are."""
    grid = place.subgroup.grid
    return Extent(*(-(-n // c) for n, c in zip(grid.workgroups, grid.cluster, strict=True)))


def cluster_id(place: ThreadPlace) -> Extent:
    """Where its cluster is in the grid of clusters."""
    return cluster_count(place).at(place.subgroup.cluster)


def cluster_size(place: ThreadPlace) -> Extent:
    """How many workgroups a cluster has."""
    return place.subgroup.grid.cluster


def last_in_cluster(place: ThreadPlace) -> Extent:
    """The last workgroup of a cluster."""
    return Extent(*(n - 1 for n in place.subgroup.grid.cluster))


def id_in_cluster(place: ThreadPlace) -> Extent:
    """Where its workgroup is in its cluster."""
    return Extent(*(n % c for n, c in zip(place.group_id, place.subgroup.grid.cluster, strict=True)))


def linear(along: Along, size: Along) -> Number:
    """The number of a place, x growing fastest."""

    def number(place: ThreadPlace) -> int:
        (x, y, z), (sx, sy, _) = along(place), size(place)
        return x + sx * (y + sy * z)

    return number


def _lane(place: ThreadPlace) -> int:
    return place.lane


def _subgroup(place: ThreadPlace) -> int:
    return place.subgroup.number


def _subgroups(place: ThreadPlace) -> int:
    return place.subgroup.siblings


def _room(place: ThreadPlace) -> int:
    return place.subgroup.size


_WAVES = (32, 64)
"""Lanes of AMD's waves."""


def _wavefront(place: ThreadPlace) -> int:
    """How many lanes a wave of AMD's has: what the module says, else the launch. Raises NotModelled where
    that is neither of the two: LLVM counts on them."""
    size = place.subgroup.wave or place.subgroup.size
    if size not in _WAVES:
        raise NotModelled("@llvm.amdgcn.wavefrontsize, as nothing says whether waves have 32 or 64 lanes")
    return size


def _running(place: ThreadPlace) -> int:
    """How many threads its subgroup has: the last one of a workgroup may have fewer."""
    subgroup = place.subgroup
    return max(1, min(subgroup.size, subgroup.threads - subgroup.base))


def _dimensions(place: ThreadPlace) -> int:
    return place.subgroup.grid.dimensions


def _invocation(place: ThreadPlace) -> int:
    return place.invocation


global_linear_id = linear(global_id, global_size)


# -- How a call asks for it


def along_axis(along: Along, axis: str) -> Prepare:
    """The number along ``x``, ``y`` or ``z``."""
    place = "xyz".index(axis)
    return about(lambda where: along(where)[place])


def along_operand(along: Along, beyond: int) -> Prepare:
    """The number along the dimension that the operand says, known when it runs; ``beyond`` along those that
    there are not. All three as a vector where the call returns one."""

    def prepare(callee: Callee) -> Model | None:
        result, parameters = callee.type.result, callee.type.parameters
        if isinstance(result, VectorType) and not parameters:
            return vector(along)(callee)
        bits = width_of(result)
        if bits is None or len(parameters) > 1:
            return None
        width, d = bits, callee.context.domain
        if not parameters:
            return PerThread(lambda place: integer(along(place).x, width))
        wide = width_of(parameters[0])
        if wide is None:
            return None
        along_which, w = d.width(wide), d.width(width)
        every = d.sext(1, width) if width > 1 else (lambda bit: bit)

        def alone(place: ThreadPlace, dimension: RuntimeValue) -> RuntimeValue:
            number, component = scalar(dimension), w.constant(0)
            rest = w.constant(beyond)
            for axis, size in enumerate(along(place)):
                here = every(d.bit(along_which.eq(number.bits, along_which.constant(axis))))
                component = w.or_(component, w.and_(here, w.constant(size)))
                rest = w.and_(rest, w.not_(here))
            return Value(w.or_(component, rest), number.poison)

        return PerThread(alone)

    return prepare


def vector(along: Along) -> Prepare:
    """The numbers along x, y and z as a vector of integers."""

    def prepare(callee: Callee) -> Model | None:
        value = as_value(callee.type.result)
        return None if value is None else PerThread(lambda place, *operands: value(along(place)))

    return prepare


def as_value(type_: Type) -> Callable[[Extent], RuntimeValue] | None:
    """Three numbers as a value of a vector type; ``None`` for any other type."""
    if not isinstance(type_, VectorType) or type_.count not in (3, 4) or type_.scalable:
        return None
    bits, padding = width_of(type_.element), (0,) * (type_.count - 3)
    if bits is None:
        return None
    width = bits
    return lambda extent: Composite(tuple(integer(n, width) for n in (*extent, *padding)))


def or_vector(prepare: Prepare, along: Along) -> Prepare:
    """A number, or, where the call returns a vector, three."""
    return lambda callee: (vector(along) if isinstance(callee.type.result, VectorType) else prepare)(callee)


def each_axis(prefix: str, along: Along, axes: str = "xyz") -> tuple[tuple[str, Prepare], ...]:
    """``PREFIX.x``, ``.y`` and ``.z``."""
    return tuple((named(f"{prefix}.{axis}"), along_axis(along, axis)) for axis in axes)


def object_key(intrinsic: str) -> str:
    """Under which name a context knows the object whose address an intrinsic gives: no variable has it."""
    return f"{intrinsic} "


def address(callee: Callee) -> Model | None:
    """The address of an object that the environment has made for the kernel."""
    pointer = callee.context.address_of(object_key(callee.name))
    return PerThread(lambda place: pointer) if isinstance(callee.type.result, PointerType) else None


def refused(callee: Callee) -> Model | None:
    """What would be an id, and has no model."""
    raise NotModelled(f"@{callee.name}, which gives an id, a size or a lane number")


# -- Names

_OPENCL: Mapping[str, Prepare] = {
    "get_global_id": along_operand(global_id, 0),
    "get_local_id": along_operand(local_id, 0),
    "get_group_id": along_operand(group_id, 0),
    "get_global_size": along_operand(global_size, 1),
    "get_local_size": along_operand(local_size, 1),
    "get_enqueued_local_size": along_operand(local_size, 1),
    "get_num_groups": along_operand(group_count, 1),
    "get_global_offset": along_operand(offset, 0),
    "get_work_dim": about(_dimensions),
    "get_global_linear_id": about(global_linear_id),
    "get_local_linear_id": about(_invocation),
    "get_sub_group_size": about(_running),
    "get_max_sub_group_size": about(_room),
    "get_num_sub_groups": about(_subgroups),
    "get_enqueued_num_sub_groups": about(_subgroups),
    "get_sub_group_id": about(_subgroup),
    "get_sub_group_local_id": about(_lane),
    "get_sub_group_local_linear_id": about(_lane),
}
_OPENCL_LIKE = (
    r"get_(?:global|local|group|enqueued|work|sub_group|num_groups|num_sub_groups|max_sub_group)\w*?"
    r"(?:id|size|offset|dim|groups)[a-z]?"
)

SPIRV_VECTORS: Mapping[str, Along] = {
    "GlobalInvocationId": global_id,
    "LocalInvocationId": local_id,
    "WorkgroupId": group_id,
    "GlobalSize": global_size,
    "WorkgroupSize": local_size,
    "EnqueuedWorkgroupSize": local_size,
    "NumWorkgroups": group_count,
    "GlobalOffset": offset,
}
"""SPIR-V's built-ins that are vectors, without ``__spirv_BuiltIn``."""
SPIRV_NUMBERS: Mapping[str, Number] = {
    "WorkDim": _dimensions,
    "GlobalLinearId": global_linear_id,
    "LocalInvocationIndex": _invocation,
    "SubgroupSize": _running,
    "SubgroupMaxSize": _room,
    "NumSubgroups": _subgroups,
    "NumEnqueuedSubgroups": _subgroups,
    "SubgroupId": _subgroup,
    "SubgroupLocalInvocationId": _lane,
}
"""Those that are numbers."""


def spirv_number(name: str, module: Module) -> Number | None:
    """A built-in that is a number, by the environment's rules: in OpenCL a SubgroupSize is how many threads
    run (*get_sub_group_size*), in Vulkan (*SubgroupSize*) how many lanes there are, in a last subgroup of
    fewer threads, too."""
    return _room if name == "SubgroupSize" and is_shader(module) else SPIRV_NUMBERS.get(name)


def _about_spirv(name: str) -> Prepare:
    def prepare(callee: Callee) -> Model | None:
        number = spirv_number(name, callee.context.module)
        return None if number is None else about(number)(callee)

    return prepare


_ONES = frozenset({"GlobalSize", "WorkgroupSize", "EnqueuedWorkgroupSize", "NumWorkgroups"})


def _called(name: str) -> str:
    """A function's name, mangled or not."""
    return rf"(?:_Z\d+)?{name}[a-z]?"


def _spirv() -> tuple[tuple[str, Prepare], ...]:
    models: list[tuple[str, Prepare]] = []
    for name, along in SPIRV_VECTORS.items():
        start = rf"(?:_Z\d+)?__spirv_(?:BuiltIn)?{name}"
        models += [(rf"{start}_{axis}v?", along_axis(along, axis)) for axis in "xyz"]
        models.append((start + "[a-z]?", along_operand(along, int(name in _ONES))))
    for name in SPIRV_NUMBERS:
        models.append((rf"(?:_Z\d+)?__spirv_(?:BuiltIn)?{name}[a-z]?", _about_spirv(name)))
    return (*models, (r"(?:_Z\d+)?__spirv_BuiltIn\w*", refused))


_BOTH = r"llvm\.(?:spv|dx)\."


def _of_both(*names: str) -> str:
    return _BOTH + "(?:" + "|".join(n.replace(".", r"\.") for n in names) + r")(?:\.i\d+)?"


_SPV_AND_DX: tuple[tuple[str, Prepare], ...] = (
    (_of_both("thread.id"), along_operand(global_id, 0)),
    (_of_both("thread.id.in.group"), along_operand(local_id, 0)),
    (_of_both("group.id"), along_operand(group_id, 0)),
    (_of_both("flattened.thread.id.in.group"), about(_invocation)),
    (_of_both("num.workgroups"), along_operand(group_count, 1)),
    (_of_both("workgroup.size"), along_operand(local_size, 1)),
    (_of_both("global.size"), along_operand(global_size, 1)),
    (_of_both("global.offset"), along_operand(offset, 0)),
    (_of_both("wave.getlaneindex", "subgroup.local.invocation.id"), about(_lane)),
    (_of_both("wave.get.lane.count", "subgroup.size", "subgroup.max.size"), about(_room)),
    (_of_both("subgroup.id"), about(_subgroup)),
    (_of_both("num.subgroups"), about(_subgroups)),
    ("__hlsl_wave_get_lane_index", about(_lane)),
    ("__hlsl_wave_get_lane_count", about(_room)),
    (_BOTH + r"(?:\w+\.)*(?:id|size|offset|laneindex|lane\.index|lane\.count)" + SUFFIX, refused),
    (r"__hlsl_wave_get_lane_\w*", refused),
)

_AMDGCN = "llvm.amdgcn."
_AMDGPU: tuple[tuple[str, Prepare], ...] = (
    *each_axis(_AMDGCN + "workitem.id", local_id),
    *each_axis(_AMDGCN + "workgroup.id", group_id),
    *each_axis(_AMDGCN + "cluster.id", cluster_id),
    *each_axis(_AMDGCN + "cluster.workgroup.id", id_in_cluster),
    *each_axis(_AMDGCN + "cluster.workgroup.max.id", last_in_cluster),
    (named(_AMDGCN + "cluster.workgroup.flat.id"), about(linear(id_in_cluster, cluster_size))),
    (named(_AMDGCN + "cluster.workgroup.max.flat.id"), about(lambda p: cluster_size(p).volume - 1)),
    (r"llvm\.amdgcn\.(?:dispatch|queue|implicitarg|kernarg\.segment)\.ptr", address),
    (named(_AMDGCN + "wavefrontsize"), about(_wavefront)),
    (named(_AMDGCN + "wave.id"), about(_subgroup)),
    (named(_AMDGCN + "dispatch.id"), about(lambda p: 0)),
    *each_axis("llvm.r600.read.tidig", local_id),
    *each_axis("llvm.r600.read.tgid", group_id),
    *each_axis("llvm.r600.read.ngroups", group_count),
    *each_axis("llvm.r600.read.local.size", local_size),
    *each_axis("llvm.r600.read.global.size", global_size),
    *((f"__ockl_{name}", model) for name, model in _OPENCL.items()),
    (r"__ockl_get_\w*", refused),
    (
        r"llvm\.amdgcn\.(?:workitem|workgroup|cluster|lds\.kernel|wave)\.(?:\w+\.)*id(?:\.\w+)*|llvm\.r600\.read\..*",
        refused,
    ),
    (r"llvm\.amdgcn\.lds\.kernel\.id|llvm\.amdgcn\.groupstaticsize", refused),
)


def _lane_mask(kind: str) -> Prepare:
    ones = (1 << 32) - 1
    masks: Mapping[str, Callable[[int], int]] = {
        "eq": lambda lane: 1 << lane,
        "lt": lambda lane: (1 << lane) - 1,
        "le": lambda lane: (2 << lane) - 1,
        "gt": lambda lane: ones & ~((2 << lane) - 1),
        "ge": lambda lane: ones & ~((1 << lane) - 1),
    }
    return about(lambda p: masks[kind](p.lane))


_SREG = "llvm.nvvm.read.ptx.sreg."
_FOURTH = (
    "tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster.ctaid", "cluster.nctaid",
)  # fmt: skip
"""Registers whose fourth element is unused: 0, of sizes, too, as the ranges of LLVM's declarations say."""
_NVVM: tuple[tuple[str, Prepare], ...] = (
    *each_axis(_SREG + "tid", local_id),
    *each_axis(_SREG + "ntid", local_size),
    *each_axis(_SREG + "ctaid", group_id),
    *each_axis(_SREG + "nctaid", group_count),
    *each_axis(_SREG + "clusterid", cluster_id),
    *each_axis(_SREG + "nclusterid", cluster_count),
    *each_axis(_SREG + "cluster.ctaid", id_in_cluster),
    *each_axis(_SREG + "cluster.nctaid", cluster_size),
    (named(_SREG + "cluster.ctarank"), about(linear(id_in_cluster, cluster_size))),
    (named(_SREG + "cluster.nctarank"), about(lambda p: cluster_size(p).volume)),
    (named("llvm.nvvm.is_explicit_cluster"), about(lambda p: int(cluster_size(p) != SINGLE))),
    (named(*(f"{_SREG}{name}.w" for name in _FOURTH)), about(lambda p: 0)),
    (named(_SREG + "laneid"), about(_lane)),
    (named(_SREG + "warpid"), about(_subgroup)),
    (named(_SREG + "nwarpid"), about(_subgroups)),
    (named(_SREG + "warpsize"), about(_room)),
    (named(_SREG + "smid", _SREG + "gridid"), about(lambda p: 0)),
    (named(_SREG + "nsmid"), about(lambda p: 1)),
    *((named(_SREG + "lanemask." + kind), _lane_mask(kind)) for kind in ("eq", "lt", "le", "gt", "ge")),
    (r"llvm\.nvvm\.read\.ptx\.sreg\.(?!clock|globaltimer|pm\d|envreg).*", refused),
)

_PLAIN: tuple[tuple[str, Prepare], ...] = (
    (named("getSubgroupLocalInvocationId", "getSubgroupLocalId"), about(_lane)),
    (named("getSubgroupSize"), about(_room)),
    (named("getSubgroupId"), about(_subgroup)),
    (named("getLocalInvocationIndex"), about(_invocation)),
    (named("getLocalInvocationId"), or_vector(about(_invocation), local_id)),
    (named("getGlobalInvocationId"), or_vector(about(global_linear_id), global_id)),
    (named("getThreadId"), about(global_linear_id)),
    (named("getWorkgroupId", "getWorkGroupId"), or_vector(about(lambda p: p.subgroup.group), group_id)),
    (
        named("getNumWorkgroups", "getNumWorkGroups"),
        or_vector(about(lambda p: group_count(p).volume), group_count),
    ),
)

IDS: tuple[Family, ...] = (
    Family(("getSubgroup", "getLocal", "getGlobal", "getThread", "getWork", "getNum"), _PLAIN),
    Family(("_Z", "__spirv_"), _spirv()),
    Family(
        ("_Z", "get_"),
        (
            *((_called(name), model) for name, model in _OPENCL.items()),
            (rf"(?:_Z\d+)?{_OPENCL_LIKE}", refused),
        ),
    ),
    Family(("llvm.spv.", "llvm.dx.", "__hlsl_"), _SPV_AND_DX),
    Family(("llvm.amdgcn.", "llvm.r600.read.", "__ockl_get_"), _AMDGPU),
    Family(("llvm.nvvm.",), _NVVM),
)
"""All of them, by their whole names."""


def tells_place(name: str) -> bool:
    """Whether a function of this name tells a thread of its place in the launch, or how large that is."""
    return any(
        name.startswith(family.prefixes)
        and any(re.fullmatch(pattern, name) is not None for pattern, _ in family.operations)
        for family in IDS
    )
