"""What each thread wrote last, where: what a function may depend on that reads memory, and has no model.

Such a function reads what the outside can see, and what its arguments point to. Of that its stand-in depends
on what the own thread wrote there, as far as that is not what was there before: it is a function of memory
that a callee may be, and a transform that moves the call over a write of its thread changes what it is
given. What other threads wrote is left out: a callee need not look at it, and so no access of another thread
races with the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from ...ir.types import IntType, Type
from ..values.context import Context
from ..values.display import Json, plain
from ..values.value import Pointer, RuntimeValue, Value
from .accesses import Access, footprint
from .allocations import Allocation, Memory
from .bytes import Piece, Touch, byte_of, filled
from .readings import ReadDependence

Result = TypeVar("Result")

Place = tuple[int, int]
"""An object's identity and an offset in it; -1 stands for what calls wrote there, somewhere."""


class OwnWrites:
    """``readable`` are the variables that every function may read, as messages name them."""

    def __init__(self, memory: Memory, readable: frozenset[str]) -> None:
        self.readable = readable
        self._memory = memory
        self._first: dict[Place, Json] = {}
        self._last: dict[int, dict[Place, Json]] = {}

    def perform(self, access: Access, thread: int) -> RuntimeValue | None:
        """Does an access, and notes what it wrote."""
        memory = self._memory
        touches = [t for t in footprint(access, memory, thread) if t.write]
        return self.noted(thread, touches, lambda: access.shape.perform(access, memory, thread))

    def noted(self, thread: int, touches: Sequence[Touch], write: Callable[[], Result]) -> Result:
        """Does what writes to these places, and notes what it wrote."""
        before = [self._bytes(t) for t in touches]
        value = write()
        last = self._last.setdefault(thread, {})
        for touch, were in zip(touches, before, strict=True):
            for offset, (was, now) in enumerate(zip(were, self._bytes(touch), strict=True), touch.start):
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
        have written, by kind of place (:data:`~..operations.effects.EVERYWHERE`)."""
        objects = list(self._objects(pointers)) if "argmem" in where else []
        everywhere = "other" in where
        places = where | {"other"} if self._points_to_readable(objects) else where
        writes: list[tuple[str | int, int, Json]] = []
        last = self._last.get(thread)
        for (identity, offset), now in sorted(last.items()) if last else ():
            if now == self._first.get((identity, offset)):
                continue
            allocation = self._memory.allocations.get(identity)
            name = "" if allocation is None else allocation.provenance.name
            if identity in objects:
                writes.append((objects.index(identity), offset, now))
            elif everywhere and name in self.readable:
                writes.append((name, offset, now))
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

    def _bytes(self, touch: Touch) -> list[Json]:
        allocation = self._memory.allocations.get(touch.object)
        if allocation is None or not _is_watched(allocation):
            return [None] * (touch.stop - touch.start)
        cells = allocation.contents()
        return [self._plain_byte(cells[at], at) for at in range(touch.start, touch.stop)]

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
