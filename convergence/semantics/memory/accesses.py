"""Memory accesses as data, apart from when they are done; and what each thread wrote last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...frozen import Json, dataclass
from ...ir import VOID, IntType, Type
from .. import NotModelled, Undefined
from ..values import Pointer, ReadDependence, RuntimeValue, Value, plain
from . import Piece, Touch, byte_of, filled
from .allocations import Allocation, Memory
from .synchronisation import PLAIN, kind_of

if TYPE_CHECKING:
    from ..values.context import Context

# ----------------------------------------------------------------------------------------------------------
# Memory accesses as data: what an instruction does to memory, apart from when it is done.
#
# A prepared instruction makes an :class:`Access`; :func:`perform` does it. In between, an engine can
# queue it, and a race detector can compare footprints.
# ----------------------------------------------------------------------------------------------------------

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


# ----------------------------------------------------------------------------------------------------------
# What each thread wrote last, where: what a function may depend on that reads memory, and has no model.
#
# Such a function reads what the outside can see, and what its arguments point to. Of that its stand-in
# depends on what the own thread wrote there, as far as that is not what was there before: it is a function
# of memory that a callee may be, and a transform that moves the call over a write of its thread changes
# what it is given. What other threads wrote is left out: a callee need not look at it, and so no access of
# another thread races with the call.
# ----------------------------------------------------------------------------------------------------------


Result = TypeVar("Result")

Place = tuple[int, int]
"""An object's identity and an offset in it; -1 stands for what calls wrote there, somewhere."""


class OwnWrites:
    """``readable`` are the variables that every function may read, as messages name them."""

    def __init__(self, memory: Memory, readable: frozenset[str]) -> None:
        self.readable = readable
        self._memory = memory
        self._first: dict[Place, Piece | None] = {}
        self._last: dict[int, dict[Place, Piece | int | None]] = {}

    def perform(self, access: Access, thread: int) -> RuntimeValue | None:
        """Does an access, and notes what it wrote."""
        memory = self._memory
        touches = [t for t in footprint(access, memory, thread) if t.write]
        return self.noted(thread, touches, lambda: access.shape.perform(access, memory, thread))

    def noted(self, thread: int, touches: Sequence[Touch], write: Callable[[], Result]) -> Result:
        """Does what writes to these places, and notes what it wrote."""
        before = [self._cells(t) for t in touches]
        value = write()
        last = self._last.setdefault(thread, {})
        for touch, were in zip(touches, before, strict=True):
            for offset, (was, now) in enumerate(zip(were, self._cells(touch), strict=True), touch.start):
                self._first.setdefault((touch.object, offset), was)
                last[touch.object, offset] = now
        return value

    def called(self, thread: int, pointers: Iterable[object]) -> None:
        """The thread called what may write to what these point to."""
        last = self._last.setdefault(thread, {})
        for identity in self._objects(pointers):
            number = last.get((identity, -1), 0)
            assert isinstance(number, int)
            last[identity, -1] = number + 1

    def dependence(
        self, thread: int, calls: Mapping[str, int], pointers: Sequence[object], where: frozenset[str]
    ) -> ReadDependence:
        """For a callee that may read ``where``, given these pointers; so many ``calls`` of its thread may
        have written, by kind of place (:data:`~..operations.EVERYWHERE`)."""
        objects = list(self._objects(pointers)) if "argmem" in where else []
        everywhere = "other" in where
        places = where | {"other"} if self._points_to_readable(objects) else where
        writes: list[tuple[str | int, int, Json]] = []
        last = self._last.get(thread) or {}
        names = {identity: self._name(identity) for identity in {identity for identity, _ in last}}
        read = {i for i, name in names.items() if i in objects or (everywhere and name in self.readable)}
        for identity, offset in sorted(place for place in last if place[0] in read):
            now = self._plainly(last[identity, offset], offset)
            if now == self._plainly(self._first.get((identity, offset)), offset):
                continue
            if identity in objects:
                writes.append((objects.index(identity), offset, now))
            else:
                writes.append((names[identity], offset, now))
        return ReadDependence(sum(calls.get(place, 0) for place in places), sorted(writes, key=repr))

    def _objects(self, pointers: Iterable[object]) -> Iterator[int]:
        """The objects that pointers point to: those that they are based on, or in which the address lies of
        one that was an integer in between."""
        for pointer in pointers:
            if not isinstance(pointer, Value):
                continue
            if pointer.provenance is not None:
                yield pointer.provenance.id
                continue
            if pointer.poison is not False:
                continue
            for identity, allocation in self._memory.allocations.items():
                if 0 <= pointer.bits - allocation.provenance.base < allocation.provenance.size:
                    yield identity
                    break

    def _points_to_readable(self, objects: Iterable[int]) -> bool:
        """Whether one of these may be written to by every function."""
        known = map(self._memory.allocations.get, objects)
        return any(a is not None and a.provenance.name in self.readable for a in known)

    def _name(self, identity: int) -> str:
        allocation = self._memory.allocations.get(identity)
        return "" if allocation is None else allocation.provenance.name

    def _cells(self, touch: Touch) -> Sequence[Piece | None]:
        """What lies there: as data it is wanted of few bytes, and pieces do not change. Raises NotModelled
        where nobody knows."""
        allocation = self._memory.allocations.get(touch.object)
        if allocation is None or not _is_watched(allocation):
            return [None] * (touch.stop - touch.start)
        cells = allocation.contents()[touch.start : touch.stop]
        for cell in cells:
            _ = cell.value
        return cells

    def _plainly(self, what: Piece | int | None, at: int) -> Json:
        return self._plain_byte(what, at) if isinstance(what, Piece) else what

    def _plain_byte(self, piece: Piece, at: int) -> Json:
        """A byte as data that means the same wherever objects lie."""
        value = piece.value
        if value.undef:
            return "undef"
        if isinstance(value, Pointer) and value.provenance is not None:
            name = value.provenance.name
            if name.startswith("%"):  # a stack object, which the other side may call by another name
                name = "%"
            return [name, value.bits - value.provenance.base, at - piece.start]
        bits, mask = byte_of(piece, at, self._memory.layout, self._memory.domain)
        return "poison" if mask else int(bits)


def _is_watched(allocation: Allocation) -> bool:
    return not allocation.constant and not allocation.thread_local


class WritingCallee(NamedTuple):
    """A callee without a model: its name, its operands' types, the places of the pointers behind which it may
    write, and what gives stand-ins for it; and ``variables`` to which it may write, as messages name them.
    What it writes depends on ``nth``, too, which call it is. ``keeps``: pointers in memory stay."""

    name: str
    types: tuple[Type, ...]
    places: tuple[int, ...]
    stand_in: Callable[[str, Json, Type, Context], RuntimeValue | None]
    context: Context
    variables: frozenset[str] = frozenset()
    nth: int = 0
    keeps: bool = False


class CalleeWrites:
    """Whether functions without a model write in this run, and to which variables besides what they are given
    pointers to: to all that the outside can name, or to none where several threads would race. ``may`` says
    which functions are such; ``writer``, if not none, whose calls alone write."""

    def __init__(self, may: Callable[[str], bool]) -> None:
        self.may = may
        self.on = False
        self.variables = frozenset[str]()
        self.writer: int | None = None

    def begin(self, on: bool, variables: frozenset[str] = frozenset(), writer: int | None = None) -> None:
        """A new run starts."""
        self.on, self.variables, self.writer = on, variables, writer


def fill_objects(memory: Memory, thread: int, writer: WritingCallee, values: Sequence[RuntimeValue]) -> None:
    """What a callee writes to all of the objects that pointers among its operands point to, and to variables:
    a function of the callee, the thread, and the operands; of pointers their offsets."""
    types, layout = writer.types, memory.layout
    pointed = [_pointed(memory, value) for value in values]
    shown: list[Json] = [
        value.bits - allocation.provenance.base
        if allocation is not None and isinstance(value, Value)
        else plain(value, type_, layout)
        for value, type_, allocation in zip(values, types, pointed, strict=False)
    ]
    for what, allocation in _written(memory, writer, pointed):
        arguments: Json = [thread, shown, what, *([writer.nth] if writer.nth else [])]
        number = writer.stand_in(f"memory behind {writer.name}", arguments, IntType(64), writer.context)
        assert isinstance(number, Value)
        fill = partial(_fill, allocation.contents(), number, writer.keeps)
        if not allocation.thread_local:
            memory.note(allocation, thread, 0, len(allocation.contents()), True)
        if memory.watcher is None:
            fill()
        else:
            whole = Touch(allocation.provenance.id, 0, len(allocation.contents()), True)
            memory.watcher.noted(thread, [whole], fill)


def _written(
    memory: Memory, writer: WritingCallee, pointed: Sequence[Allocation | None]
) -> list[tuple[int | str, Allocation]]:
    """The objects that a callee writes to, by the operand that points there, or by their name."""
    objects: list[tuple[int | str, Allocation]] = []
    for place in writer.places:
        allocation = pointed[place]
        if allocation is not None and not (writer.keeps and allocation.constant):
            objects.append((place, allocation))
    if writer.variables:
        named = ((a.provenance.name, a) for a in memory.allocations.values() if not a.constant)
        objects += [(name, a) for name, a in named if name in writer.variables]
    return objects


def fill_footprint(
    memory: Memory, writer: WritingCallee, values: Sequence[RuntimeValue]
) -> tuple[Touch, ...]:
    """What :func:`fill_objects` touches of what threads share."""
    pointed = [_pointed(memory, value) for value in values]
    return tuple(
        Touch(allocation.provenance.id, 0, allocation.provenance.size, True)
        for _, allocation in _written(memory, writer, pointed)
        if not allocation.thread_local and allocation.owner is None
    )


def _pointed(memory: Memory, value: RuntimeValue) -> Allocation | None:
    """The object that a pointer is based on, or in which the address lies that an integer became."""
    if not isinstance(value, Pointer):
        return None
    if value.provenance is not None:
        return memory.allocations.get(value.provenance.id)
    return memory.allocation_at(value.bits, 1)


def _fill(cells: Any, number: Value, keeps: bool) -> None:
    for at in range(len(cells)):
        if keeps and isinstance(cells[at].value, Pointer):
            continue
        byte = (number.bits >> 8 * (at % 8) ^ at // 8) & 255
        (cells[at],) = filled(1, Value(byte, number.poison))
