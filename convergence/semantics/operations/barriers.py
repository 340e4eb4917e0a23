"""Barriers and fences that are declared functions, and what they order by dialect (D-SYNC).

PTX ISA, *barrier*, *bar.warp.sync*, *membar*; OpenCL C, *Synchronization Functions* and *Explicit Memory
Fence Functions*; SPIR-V, *OpControlBarrier*, *OpMemoryBarrier*, *Memory Semantics*; HLSL's
``...MemoryBarrier...``; AMDGPU's user guide, *Memory Model*: its barriers order nothing without fences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..memory.synchronisation import EVERYWHERE, MemoryFence, Scope, Storage
from . import (
    CLUSTER_BARRIER,
    BarrierName,
    Callee,
    Exchanging,
    Fencing,
    Members,
    Model,
    Operations,
    Orders,
    Prepare,
    Uniform,
)
from .lanes import is_void

LOCAL, GLOBAL = frozenset({Storage.LOCAL}), frozenset({Storage.GLOBAL})
NOTHING = MemoryFence(False, False, frozenset())


def full(storage: frozenset[Storage] = EVERYWHERE, scope: Scope = Scope.ALL) -> MemoryFence:
    """A release and an acquire."""
    return MemoryFence(True, True, storage, scope)


def always(fence: MemoryFence) -> Orders:
    """What orders the same whatever the operands are."""
    return lambda operands: fence


def named_by(name: str) -> BarrierName:
    """The workgroup's only barrier of a dialect."""
    return lambda operands: name


def resource(operands: Sequence[int | None]) -> str:
    """PTX's barriers have a number, their first operand; one that is no constant could be any, and is one of
    its own."""
    return f"barrier {operands[0] if operands else 0}"


def barrier(orders: Orders, workgroup: BarrierName | None = None, uniform: Uniform | None = None) -> Prepare:
    """Threads wait for their group; nothing is exchanged, and memory is ordered as the operands say."""

    def prepare(callee: Callee) -> Model | None:
        if not is_void(callee.type.result):
            return None
        return Exchanging(
            lambda group, subgroup: {}, effect=True, orders=orders, workgroup=workgroup, uniform=uniform
        )

    return prepare


def arrival(orders: Orders, workgroup: BarrierName, members: Members | None = None) -> Prepare:
    """A thread arrives at a barrier of the workgroup, with what that orders before it, and goes on."""

    def prepare(callee: Callee) -> Model | None:
        return Fencing(orders, workgroup, members) if is_void(callee.type.result) else None

    return prepare


def waiting(orders: Orders, workgroup: BarrierName) -> Prepare:
    """A thread waits until all others have arrived at a barrier as often as it has."""

    def prepare(callee: Callee) -> Model | None:
        model = barrier(orders, workgroup)(callee)
        return replace(model, parts=True, arrives=False) if isinstance(model, Exchanging) else None

    return prepare


def of_cluster(orders: Orders) -> Prepare:
    """A barrier of the cluster."""

    def prepare(callee: Callee) -> Model | None:
        model = barrier(orders, named_by(CLUSTER_BARRIER))(callee)
        return replace(model, parts=True) if isinstance(model, Exchanging) else None

    return prepare


def counted(orders: Orders, workgroup: BarrierName, members: Members) -> Prepare:
    """A barrier for so many threads of the workgroup, each of which comes for itself."""

    def prepare(callee: Callee) -> Model | None:
        model = barrier(orders, workgroup)(callee)
        return replace(model, parts=True, members=members) if isinstance(model, Exchanging) else None

    return prepare


def fence(orders: Orders) -> Prepare:
    """A thread's own accesses are ordered as the operands say; it waits for nobody."""
    return lambda callee: Fencing(orders) if is_void(callee.type.result) else None


def _constant(orders: Callable[[Sequence[int]], MemoryFence]) -> Orders:
    """What all operands matter to."""

    def known(operands: Sequence[int | None]) -> MemoryFence | None:
        operands_there = [o for o in operands if o is not None]
        return orders(operands_there) if len(operands_there) == len(operands) else None

    return known


OPENCL_UNIFORM = Uniform(Scope.WORKGROUP, "OpenCL C, Synchronization Functions")
SPIRV_UNIFORM = Uniform(Scope.WORKGROUP, "SPIR-V, OpControlBarrier")
HLSL_UNIFORM = Uniform(Scope.WORKGROUP, "HLSL, GroupMemoryBarrierWithGroupSync")
WGSL_UNIFORM = Uniform(Scope.WORKGROUP, "WGSL, workgroupBarrier")
PTX_ALIGNED = Uniform(Scope.LAUNCH, "PTX ISA, barrier")

BARE = barrier(always(NOTHING))
"""A barrier that orders no memory."""


# -- OpenCL C: flags, and enumerations as clang numbers them

_FLAGS = {1: Storage.LOCAL, 2: Storage.GLOBAL}
_OPENCL_SCOPES = {0: Scope.THREAD, 1: Scope.WORKGROUP, 4: Scope.LAUNCH}
"""Work-item, work-group, sub-group; device and all devices are all threads."""
_RELEASES, _ACQUIRES = frozenset({3, 4, 5}), frozenset({1, 2, 4, 5})


def _flagged(flags: int) -> frozenset[Storage]:
    return frozenset(storage for bit, storage in _FLAGS.items() if flags & bit)


def _opencl_scope(scope: int) -> Scope:
    return _OPENCL_SCOPES.get(scope, Scope.ALL)


def _opencl(scope: Scope, release: bool = True, acquire: bool = True) -> Orders:
    """``(flags)`` or ``(flags, scope)``; ``scope`` is the one without."""

    def orders(operands: Sequence[int]) -> MemoryFence:
        met = _opencl_scope(operands[1]) if len(operands) > 1 else scope
        return MemoryFence(release, acquire, _flagged(operands[0]), met)

    return _constant(orders)


def _work_item_fence(operands: Sequence[int]) -> MemoryFence:
    """``(flags, order, scope)``."""
    flags, order, scope = operands
    return MemoryFence(order in _RELEASES, order in _ACQUIRES, _flagged(flags), _opencl_scope(scope))


# -- SPIR-V: bits of *Memory Semantics*, and numbers of *Scope*

_SPIRV_RELEASES, _SPIRV_ACQUIRES = 0x4 | 0x8 | 0x10, 0x2 | 0x8 | 0x10
_SPIRV_STORAGE = {0x40: Storage.GLOBAL, 0x100: Storage.LOCAL, 0x200: Storage.GLOBAL, 0x800: Storage.GLOBAL}
"""Uniform memory, that of the workgroup, of other workgroups, of images, which are buffers of texels here."""
_SUBGROUP, _INVOCATION = 3, 4
_SPIRV_SCOPES = {2: Scope.WORKGROUP, _SUBGROUP: Scope.LAUNCH, _INVOCATION: Scope.THREAD}
"""Workgroup, Subgroup, Invocation; the others are all threads."""


def _execution(operands: Sequence[int | None]) -> str | None:
    """Whether ``(execution, scope, semantics)`` is a barrier of the workgroup."""
    return None if operands[0] in (_SUBGROUP, _INVOCATION) else "barrier"


def _spirv(operands: Sequence[int]) -> MemoryFence:
    """``(scope, semantics)``, with the execution scope in front for a control barrier."""
    scope, semantics = operands[-2:]
    return MemoryFence(
        bool(semantics & _SPIRV_RELEASES),
        bool(semantics & _SPIRV_ACQUIRES),
        frozenset(storage for bit, storage in _SPIRV_STORAGE.items() if semantics & bit),
        _SPIRV_SCOPES.get(scope, Scope.ALL),
    )


def _half(release: bool) -> Orders:
    """What the first or the second half of a split barrier orders."""

    def half(operands: Sequence[int | None]) -> MemoryFence | None:
        whole = _constant(_spirv)(operands)
        return None if whole is None else whole.part(release) or NOTHING

    return half


def _split(operands: Sequence[int | None]) -> str | None:
    return None if _execution(operands) is None else "split barrier"


def _taking(count: int, prepare: Prepare) -> Prepare:
    """For calls with so many operands."""
    return lambda callee: prepare(callee) if len(callee.type.parameters) == count else None


_SCOPED = "(?:12memory_scope)?"

BY_LANGUAGE: Operations = (
    (
        r"__syncthreads|_Z13__syncthreadsv",
        barrier(always(full(scope=Scope.WORKGROUP)), named_by(resource((0,))), PTX_ALIGNED),
    ),
    (r"__syncwarp|_Z10__syncwarp[vj]", barrier(always(full()))),
    (r"_Z7barrierj", barrier(_opencl(Scope.WORKGROUP), named_by("barrier"), OPENCL_UNIFORM)),
    (
        r"_Z18work_group_barrierj" + _SCOPED,
        barrier(_opencl(Scope.WORKGROUP), named_by("barrier"), OPENCL_UNIFORM),
    ),
    (
        r"_Z31intel_work_group_barrier_arrivej" + _SCOPED,
        arrival(_opencl(Scope.WORKGROUP, acquire=False), named_by("split barrier")),
    ),
    (
        r"_Z29intel_work_group_barrier_waitj" + _SCOPED,
        waiting(_opencl(Scope.WORKGROUP, release=False), named_by("split barrier")),
    ),
    (
        r"(?:_Z\d+)?__spirv_ControlBarrierArriveINTEL\w*",
        _taking(3, arrival(_half(True), _split)),
    ),
    (
        r"(?:_Z\d+)?__spirv_ControlBarrierWaitINTEL\w*",
        _taking(3, waiting(_half(False), _split)),
    ),
    (r"_Z17sub_group_barrierj" + _SCOPED, barrier(_opencl(Scope.LAUNCH))),
    (r"_Z9mem_fencej", fence(_opencl(Scope.WORKGROUP))),
    (r"_Z14read_mem_fencej", fence(_opencl(Scope.WORKGROUP, release=False))),
    (r"_Z15write_mem_fencej", fence(_opencl(Scope.WORKGROUP, acquire=False))),
    (
        r"_Z22atomic_work_item_fencej12memory_order12memory_scope",
        _taking(3, fence(_constant(_work_item_fence))),
    ),
    (
        r"(?:_Z\d+)?__spirv_ControlBarrier(?!Arrive|Wait)[a-zA-Z0-9_]*",
        _taking(3, barrier(_constant(_spirv), _execution, SPIRV_UNIFORM)),
    ),
    (r"(?:_Z\d+)?__spirv_MemoryBarrier[a-zA-Z0-9_]*", _taking(2, fence(_constant(_spirv)))),
)
"""CUDA's, OpenCL's and SPIR-V's functions, by the names that clang and the translators give them."""


HLSL_FENCES = {
    "group": full(LOCAL, Scope.WORKGROUP),
    "device": full(GLOBAL),
    "all": full(),
}


def hlsl(make: Callable[[Orders], Prepare]) -> Prepare:
    """``group``, ``device`` or ``all`` ``.memory.barrier``: the first part of the name says what is
    ordered, and for whom."""

    def prepare(callee: Callee) -> Model | None:
        return make(always(HLSL_FENCES[callee.parts[0] or ""]))(callee)

    return prepare
