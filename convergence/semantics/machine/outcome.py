"""How a run ends, and what the outside can see of it (semantics.md, *Outcomes and refinement*).

Endings are a closed set. A failed assertion is none of them: it is our own bug, a :class:`Crash`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from hashlib import sha256
from typing import TYPE_CHECKING

from ...frozen import Json, dataclass
from ...ir.module import builtin_name, is_thread_local
from ...ir.types import ArrayType, Type
from ..errors import NotModelled
from ..memory.bytes import ZERO, typed
from ..memory.globals import object_type, own_values
from ..values import context as constants
from ..values.datalayout import ELEMENTS as LARGEST_VALUE
from ..values.value import NULL, Value
from .launch import Launch, launched_memory

if TYPE_CHECKING:
    from ..memory.allocations import Allocation, Memory, PackedNumbers
    from .log import Event
    from .program import Program


@dataclass(frozen=True, slots=True)
class ThreadOutcome:
    """How one thread ended (``returned``, ``exited`` or, elsewhere, ``unfinished``), its return value
    (``None`` for void), its events in order, the final contents of its own thread_local globals that are no
    constants, and how many of its last events come again for ever (``period``)."""

    thread: int
    ended: str
    value: Json
    events: tuple[Event, ...]
    memory: Mapping[str, Json] = field(default_factory=dict)
    period: int = 0


@dataclass(frozen=True, slots=True)
class Contents:
    """What globals that are no constants hold: ``shared`` ones, and per thread its ``own``."""

    shared: Mapping[str, Json]
    own: tuple[Mapping[str, Json], ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The globals, of the threads' own all that some thread has."""
        return frozenset(self.shared).union(*self.own)

    def changed(self, before: Contents) -> Contents:
        """What is not as it was ``before``."""
        own = zip(self.own, before.own, strict=False)
        return Contents(_changed(self.shared, before.shared), tuple(_changed(*pair) for pair in own))

    def unlike(self, other: Contents) -> Contents:
        """What the other one has differently."""
        own = zip(self.own, other.own, strict=False)
        return Contents(_unlike(self.shared, other.shared), tuple(_unlike(*pair) for pair in own))

    def __bool__(self) -> bool:
        return bool(self.shared) or any(self.own)


def _unlike(mine: Mapping[str, Json], theirs: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in mine.items() if value != theirs.get(name, value)}


def _changed(now: Mapping[str, Json], before: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in now.items() if value != before.get(name)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the outside can see: per thread, and the final contents of globals that are no constants and that
    all threads share."""

    threads: tuple[ThreadOutcome, ...]
    memory: Mapping[str, Json]

    @property
    def contents(self) -> Contents:
        """All of memory that the outside can see."""
        return Contents(self.memory, tuple(thread.memory for thread in self.threads))


# -- What the globals of a program hold, as plain data


def initial_contents(program: Program, launch: Launch) -> Contents:
    """What they hold at a launch."""
    memory = launched_memory(program, launch)
    own = tuple(own_contents(program, memory, thread) for thread in range(launch.threads))
    return Contents(shared_contents(program, memory), own)


def shared_contents(program: Program, memory: Memory) -> dict[str, Json]:
    """The contents of every global that is no constant and that threads share; of one that each of several
    workgroups has for itself, those of each (:func:`of_workgroup`). Of one that no thread touched
    it may be said that its initial contents have no model; NotModelled for what is too large to be shown and
    may have changed."""
    contents: dict[str, Json] = {}
    for name, variable in program.module.globals.items():
        if variable.constant or name.startswith("llvm.") or is_thread_local(variable):
            continue
        if builtin_name(variable) is not None:
            continue
        allocation = None
        try:
            pointer = program.address_of(name)
            assert isinstance(pointer, Value) and pointer.provenance is not None
            if pointer.provenance is NULL:
                continue
            allocation = original = memory.allocations[pointer.provenance.id]
            type_ = object_type(variable, program.layout)
            if not memory.is_of_workgroups(allocation):
                contents[variable.label] = _contents(allocation, type_, program)
                continue
            untouched = _contents(allocation, type_, program)
            for workgroup in range(memory.workgroups):
                allocation = memory.known_of_workgroup(original, workgroup)
                shown = untouched if allocation is original else _contents(allocation, type_, program)
                contents[of_workgroup(variable.label, workgroup)] = shown
        except NotModelled as problem:
            if allocation is not None and allocation.cells is not None:
                raise NotModelled(f"the contents of {variable.label}: {problem.feature}") from None
            contents[variable.label] = f"not modelled: {problem.feature}"
    return contents


def of_workgroup(name: str, workgroup: int) -> str:
    """What the instance of a variable in workgroup memory is called, where there are several workgroups."""
    return f"{name} (workgroup {workgroup})"


def own_contents(program: Program, memory: Memory, thread: int) -> dict[str, Json]:
    """The contents of a thread's own thread_local globals that are no constants. NotModelled as above."""
    values = own_values(program.own_variables, program.context, memory, thread)
    return {name: program.plain(value, type_) for name, type_, value in values}


ELEMENTS = 1 << 20
"""Elements of an array that are shown: more than a value may have."""


def _contents(allocation: Allocation, type_: Type, program: Program) -> Json:
    """An object's bytes as a value of the type. NotModelled for one that is too large."""
    type_, layout, domain = program.layout.resolve(type_), program.layout, program.domain
    if not isinstance(type_, ArrayType) or layout.measure(type_).elements <= LARGEST_VALUE:
        return program.plain(typed(type_, layout, domain).read(allocation.contents(), 0), type_)
    element, size = type_.element, layout.size(type_.element)
    if allocation.stride:
        return _digest(allocation.numbers(element, type_.count, layout, domain), type_)
    if layout.measure(type_).elements > ELEMENTS:
        raise NotModelled(f"an array of {layout.measure(type_).elements} elements")
    read, cells = typed(element, layout, domain).read, allocation.contents()
    zero, zeros = program.plain(constants.zero(element, layout, domain), element), [ZERO] * size

    def shown(at: int) -> Json:
        return zero if cells[at : at + size] == zeros else program.plain(read(cells, at), element)

    return [shown(index * size) for index in range(type_.count)]


def _digest(numbers: PackedNumbers, type_: ArrayType) -> str:
    """What tells the contents of a large buffer from others: nobody reads so many numbers."""
    digest = sha256(numbers.data)
    for missing in (numbers.poison, numbers.undef):
        digest.update(repr(sorted(missing)).encode())
    return f"{type_.count} x {type_.element}, sha256 {digest.hexdigest()[:16]}"
