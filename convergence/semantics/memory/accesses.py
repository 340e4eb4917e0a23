"""Memory accesses as data: what an instruction does to memory, apart from when it is done.

A prepared instruction makes an :class:`Access`; :func:`perform` does it. In between, an engine can
queue it, and a race detector can compare footprints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import NamedTuple

from ...frozen import dataclass
from ...ir.types import VOID, Type
from ..errors import NotModelled, Undefined
from ..values.value import RuntimeValue, Value
from .allocations import Memory
from .bytes import Touch
from .encounters import PLAIN, kind_of

Perform = Callable[["Access", Memory, int], RuntimeValue | None]


Footprint = Callable[["Access", Memory, int], tuple[Touch, ...]]


def _nothing(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class AccessShape:
    """What is known of an access before it is made.

    ``kind`` is the instruction (``load``, ``store``, ``atomicrmw``, ``cmpxchg``) or the
    intrinsic's name without type suffix (``llvm.memcpy``). ``size`` is in bytes, 0 where an operand says it.
    ``type`` is that of what is read or written; ``result`` that of the result (``void`` if there is none) and
    ``operands`` those of the access's operands, where they are others. ``ordering`` is ``None`` for what is
    not atomic; ``failure`` is cmpxchg's second ordering; ``operation`` what an atomicrmw does with the old
    value. ``promised``: what is read becomes by its metadata; it may be undefined.
    ``apart``: a part of a copy by the workgroup, which goes on beside the thread (D-SYNC).
    ``heap``: it makes an object there or ends one. ``fails``: whether a cmpxchg that is performed next finds
    something else than it expects.
    """

    kind: str
    reads: bool
    writes: bool
    perform: Perform = field(compare=False, repr=False)
    size: int = 0
    type: Type | None = None
    align: int = 1
    ordering: str | None = None
    failure: str | None = None
    scope: str | None = None
    volatile: bool = False
    footprint: Footprint = field(default=_nothing, compare=False, repr=False)
    operands: tuple[Type, ...] | None = None
    result: Type | None = None
    operation: str | None = None
    promised: Callable[[RuntimeValue], RuntimeValue] | None = field(default=None, compare=False, repr=False)
    apart: bool = False
    heap: bool = False
    fails: Callable[[Access, Memory, int], bool] | None = field(default=None, compare=False, repr=False)

    def operand_types(self, count: int) -> tuple[Type, ...]:
        """The types of an access's operands, of which there are ``count``; empty where none is known."""
        if self.operands is not None:
            return self.operands
        return () if self.type is None else (self.type,) * count

    @property
    def result_type(self) -> Type | None:
        """The type of what the access gives, if it gives something."""
        if self.result == VOID:
            return None
        return self.type if self.result is None else self.result

    @property
    def atomic(self) -> bool:
        return self.ordering is not None and self.ordering != "not_atomic"

    @property
    def atomicity(self) -> int:
        """How atomic it is, as threads of a native run note it (:func:`.encounters.kind_of`)."""
        return kind_of(self.ordering, self.failure, self.scope, self.reads, self.writes)

    @property
    def has_result(self) -> bool:
        """Whether the thread needs the access's result to go on."""
        return self.kind not in _WITHOUT_RESULT and self.result != VOID


_WITHOUT_RESULT = frozenset(
    {
        "store", "byval", "llvm.memcpy", "llvm.memcpy.inline", "llvm.memmove", "llvm.memset",
        "llvm.memset.inline", "llvm.masked.store", "llvm.masked.scatter", "llvm.masked.compressstore",
        "llvm.lifetime.start", "llvm.lifetime.end", "llvm.spv.lifetime.start", "llvm.spv.lifetime.end",
        "llvm.stackrestore", "llvm.amdgcn.load.to.lds", "llvm.amdgcn.global.load.lds",
        *(f"llvm.amdgcn.{form}.buffer.load.lds" for form in ("raw", "raw.ptr", "struct", "struct.ptr")),
    }
)  # fmt: skip


class Access(NamedTuple):
    """One access: its shape, the address (``None`` for none or several), and the other operands' values."""

    shape: AccessShape
    pointer: Value | None
    operands: tuple[RuntimeValue, ...] = ()


def address(access: Access) -> Value:
    """The pointer of an access that has one."""
    assert access.pointer is not None
    return access.pointer


PrepareAccess = Callable[..., Access]
"""Called with the operand values positionally, as :func:`operands` orders them."""


def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue | None:
    """Do the access for a thread; its result, if it has one. Raises Undefined or NotModelled."""
    value: RuntimeValue | None
    if memory.watcher is not None and access.shape.writes:
        value = memory.watcher.perform(access, thread)
        return value
    if memory.encounters is None:
        return access.shape.perform(access, memory, thread)
    memory.atomicity = access.shape.atomicity
    memory.encounters.apart = memory.encounters.apart or access.shape.apart
    value = access.shape.perform(access, memory, thread)
    memory.atomicity = PLAIN  # for what accesses memory otherwise
    return value


def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
    """The bytes that the access would touch, for a race detector; empty where performing it is undefined."""
    try:
        return access.shape.footprint(access, memory, thread)
    except Undefined:
        return ()


def performed_as(
    access: Access, touches: tuple[Touch, ...], memory: Memory, thread: int
) -> tuple[AccessShape, tuple[Touch, ...]]:
    """What an access that is performed next is, and what it does to the bytes that it touches. A cmpxchg
    that fails is an atomic load of its failure ordering (LangRef, *'cmpxchg' Instruction*): the first of its
    touches is the object that it compares with."""
    shape = access.shape
    if shape.fails is None or not touches or not shape.fails(access, memory, thread):
        return shape, touches
    compared, *others = touches
    ordering = shape.failure or "monotonic"
    failed = replace(shape, writes=bool(others), ordering=ordering, failure=None, fails=None)
    return failed, (compared._replace(write=False), *others)


def touched(memory: Memory, pointer: Value, size: int, thread: int, write: bool) -> Touch:
    """One contiguous touch. A thread's own instance of a thread_local variable counts as an object of its
    own."""
    allocation, offset = memory.place(pointer, size, 1, thread, "access", False)
    return Touch(allocation.provenance.id, offset, offset + size, write)


def failing_access(problem: NotModelled | Undefined) -> PrepareAccess:
    """An access that cannot be prepared; that counts only when a thread reaches it."""

    def fail(*operands: RuntimeValue) -> Access:
        raise problem

    return fail
