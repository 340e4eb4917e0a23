"""Small programs that exchange data through shared memory, and what their fences and barriers order.

The meaning of each operation is written down from the tables of D-SYNC in docs/semantics.md, not from the
product.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Storage = Literal["local", "global"]
BOTH: frozenset[Storage] = frozenset({"local", "global"})
LOCAL: frozenset[Storage] = frozenset({"local"})
GLOBAL: frozenset[Storage] = frozenset({"global"})
Reach = Literal["own", "group", "all"]
"""The threads in a scope: the own one, its launch group, all."""


@dataclass(frozen=True)
class Variable:
    """A global variable: ``count`` elements of ``size`` bytes, each ``initial`` at first; None is undef."""

    name: str
    space: int
    size: int
    count: int
    initial: int | None

    @property
    def storage(self) -> Storage:
        return "local" if self.space == 3 else "global"


@dataclass(frozen=True)
class Place:
    """``size`` bytes at ``offset`` of one element: the first, the thread's own, or the next thread's.

    ``generic``: through a pointer of address space 0.
    """

    variable: Variable
    element: Literal["first", "own", "peer"]
    offset: int
    size: int
    generic: bool = False


Value = int | str
"""A constant, ``arg`` (the thread's argument), or a register."""


@dataclass(frozen=True)
class Load:
    register: str
    place: Place
    ordering: str | None
    scope: str | None


@dataclass(frozen=True)
class Store:
    place: Place
    value: Value
    ordering: str | None
    scope: str | None


@dataclass(frozen=True)
class Update:
    """``xchg``, ``add``, or ``cmpxchg`` (of ``expected``); the register gets the old value. A ``cmpxchg``
    that fails is a load with the ordering ``failure``."""

    register: str
    place: Place
    operation: Literal["xchg", "add", "cmpxchg"]
    value: Value
    expected: Value
    ordering: str
    scope: str | None
    failure: str = "monotonic"


@dataclass(frozen=True)
class Vote:
    """The sum of the group's operands."""

    register: str
    value: Value


@dataclass(frozen=True)
class FenceInstruction:
    """``tags`` are those of ``amdgpu-synchronize-as``; none: no tag."""

    ordering: str
    scope: str | None
    tags: tuple[Storage, ...]


@dataclass(frozen=True)
class Call:
    """A fence or a barrier that is a call, with constant operands."""

    callee: str
    operands: tuple[int, ...]
    convergent: bool


@dataclass(frozen=True)
class If:
    """Taken if the condition is not 0; ``over``: if the thread's argument is larger than that number."""

    condition: str | None
    over: int
    body: tuple[Op, ...]
    otherwise: tuple[Op, ...] = ()


@dataclass(frozen=True)
class Loop:
    """The body, and again while the condition holds, up to ``limit`` times. Without a register: as often as
    the thread's argument says, but at least once."""

    condition: str | None
    limit: int
    body: tuple[Op, ...]


Op = Load | Store | Update | Vote | FenceInstruction | Call | If | Loop


@dataclass(frozen=True)
class Program:
    """The same operations for all threads, with an argument each."""

    variables: tuple[Variable, ...]
    ops: tuple[Op, ...]
    arguments: tuple[int, ...]
    group_size: int | None
    tokens: bool

    @property
    def threads(self) -> int:
        return len(self.arguments)

    def launch_group(self, thread: int) -> frozenset[int]:
        size = self.group_size or self.threads
        return frozenset(t for t in range(self.threads) if t // size == thread // size)


def registers(ops: tuple[Op, ...], times: int = 1) -> Iterator[tuple[str, int, int]]:
    """Each register, its size in bytes, and how often it can be defined."""
    for op in ops:
        match op:
            case Load(register, place) | Update(register, place):
                yield register, place.size, times
            case Vote(register):
                yield register, 4, times
            case If(_, _, body, otherwise):
                yield from registers(body, times)
                yield from registers(otherwise, times)
            case Loop(_, limit, body):
                yield from registers(body, times * limit)
            case Store() | FenceInstruction() | Call():
                pass


# -- what fences and barriers are ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Fence:
    """``object_only``: through memory it orders the class of the atomic's object only (``-one-as``)."""

    release: bool
    acquire: bool
    storage: frozenset[Storage]
    reach: Reach
    object_only: bool = False


@dataclass(frozen=True)
class Meeting:
    """A barrier that orders nothing by itself. ``name``: of the workgroup, where launch groups meet."""

    name: str | None = None


def reach_of(scope: str | None) -> Reach:
    """The threads that a ``syncscope`` names."""
    match (scope or "").removesuffix("one-as").removesuffix("-"):
        case "singlethread":
            return "own"
        case "wavefront" | "subgroup" | "sub_group" | "warp":
            return "group"
        case _:
            return "all"


def object_only(scope: str | None) -> bool:
    return scope is not None and scope.endswith("one-as")


def releases(ordering: str | None) -> bool:
    return ordering in ("release", "acq_rel", "seq_cst")


def acquires(ordering: str | None) -> bool:
    return ordering in ("acquire", "acq_rel", "seq_cst")


def _flags(flags: int) -> frozenset[Storage]:
    """OpenCL's cl_mem_fence_flags."""
    return (LOCAL if flags & 1 else frozenset()) | (GLOBAL if flags & 2 else frozenset())


def _opencl(scope: int) -> Reach:
    return {0: "own", 4: "group"}.get(scope, "all")  # type: ignore[return-value]


def _spirv(scope: int) -> Reach:
    return {4: "own", 3: "group"}.get(scope, "all")  # type: ignore[return-value]


def _semantics(semantics: int, reach: Reach) -> Fence:
    """SPIR-V's memory semantics."""
    storage = (LOCAL if semantics & 0x100 else frozenset()) | (
        GLOBAL if semantics & (0x40 | 0x200) else frozenset()
    )
    return Fence(bool(semantics & (0x4 | 0x18)), bool(semantics & (0x2 | 0x18)), storage, reach)


def _around(fence: Fence, name: str | None = None) -> list[Fence | Meeting]:
    """A barrier as three operations."""
    return [
        Fence(fence.release, False, fence.storage, fence.reach),
        Meeting(name),
        Fence(False, fence.acquire, fence.storage, fence.reach),
    ]


def parts(op: FenceInstruction | Call) -> list[Fence | Meeting]:
    """The fences and the barrier that an operation is; fences that order nothing are left out."""
    return [
        part
        for part in _parts(op)
        if isinstance(part, Meeting) or (part.storage and (part.release or part.acquire))
    ]


def _parts(op: FenceInstruction | Call) -> list[Fence | Meeting]:
    match op:
        case FenceInstruction(ordering, scope, tags):
            storage = frozenset(tags) or BOTH
            return [
                Fence(releases(ordering), acquires(ordering), storage, reach_of(scope), object_only(scope))
            ]
        case Call("llvm.nvvm.membar.cta" | "llvm.nvvm.membar.gl" | "llvm.nvvm.membar.sys"):
            return [Fence(True, True, BOTH, "all")]
        case Call("llvm.nvvm.fence.sc.cluster"):
            return [Fence(True, True, BOTH, "all")]
        case Call("_Z9mem_fencej", (flags,)):
            return [Fence(True, True, _flags(flags), "all")]
        case Call("_Z14read_mem_fencej", (flags,)):
            return [Fence(False, True, _flags(flags), "all")]
        case Call("_Z15write_mem_fencej", (flags,)):
            return [Fence(True, False, _flags(flags), "all")]
        case Call("_Z22atomic_work_item_fencej12memory_order12memory_scope", (flags, order, scope)):
            return [Fence(order in (3, 4, 5), order in (1, 2, 4, 5), _flags(flags), _opencl(scope))]
        case Call("_Z21__spirv_MemoryBarrierjj" | "__spirv_MemoryBarrier", (scope, semantics)):
            return [_semantics(semantics, _spirv(scope))]
        case Call("_Z22__spirv_ControlBarrierjjj" | "__spirv_ControlBarrier", (execution, scope, semantics)):
            meets = "workgroup" if _spirv(execution) == "all" else None
            return _around(_semantics(semantics, _spirv(scope)), meets)
        case Call("llvm.nvvm.barrier.cta.sync.aligned.all" | "llvm.nvvm.barrier.cta.sync.all", (number,)):
            return _around(Fence(True, True, BOTH, "all"), f"cta {number}")
        case Call("llvm.nvvm.bar.warp.sync"):
            return _around(Fence(True, True, BOTH, "all"))
        case Call("_Z7barrierj" | "_Z18work_group_barrierj", (flags,)):
            return _around(Fence(True, True, _flags(flags), "all"), "workgroup")
        case Call("_Z18work_group_barrierj12memory_scope", (flags, scope)):
            return _around(Fence(True, True, _flags(flags), _opencl(scope)), "workgroup")
        case Call("_Z17sub_group_barrierj", (flags,)):
            return _around(Fence(True, True, _flags(flags), "group"))
        case Call("_Z17sub_group_barrierj12memory_scope", (flags, scope)):
            return _around(Fence(True, True, _flags(flags), _opencl(scope)))
        case Call(
            "llvm.spv.group.memory.barrier.with.group.sync" | "llvm.dx.group.memory.barrier.with.group.sync"
        ):
            return _around(Fence(True, True, LOCAL, "all"), "workgroup")
        case Call("subgroupBarrier" | "subgroupMemoryBarrier"):
            return _around(Fence(True, True, BOTH, "group"))
        case Call("workgroupBarrier"):
            return _around(Fence(True, True, LOCAL, "all"), "workgroup")
        case Call("llvm.amdgcn.wave.barrier" | "subgroupControlBarrier" | "controlBarrier"):
            return [Meeting()]
        case Call("llvm.amdgcn.s.barrier"):
            return [Meeting("workgroup")]
    raise AssertionError(op)
