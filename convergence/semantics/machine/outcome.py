"""How a run ends, and what the outside can see of it (semantics.md, *Outcomes and refinement*).

Endings are a closed set. A failed assertion is none of them: it is our own bug, a :class:`Crash`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...ir.module import Module
from ...ir.types import ArrayType, Type
from ..errors import NotModelled
from ..memory.allocations import Allocation, Memory
from ..memory.bytes import ZERO, typed
from ..values import of_type
from ..values.display import Json, plain
from ..values.limits import ELEMENTS as LARGEST_VALUE
from ..values.value import Value
from .log import Event
from .program import Program, Settings


@dataclass(frozen=True, slots=True)
class ThreadOutcome:
    """How one thread ended (``returned``, ``exited`` or, elsewhere, ``unfinished``), its return
    value (``None`` for void), and its events in order."""

    thread: int
    ended: str
    value: Json
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the outside can see: per thread, and the final contents of globals that are no constants."""

    threads: tuple[ThreadOutcome, ...]
    memory: Mapping[str, Json]


# -- What the globals of a program hold, as plain data


def initial_contents(module: Module) -> Mapping[str, Json]:
    """The contents at the launch of every global that is no constant, as :attr:`Outcome.memory` has them."""
    program = Program(module, Settings())
    return shared_contents(program, program.memory)


def shared_contents(program: Program, memory: Memory) -> dict[str, Json]:
    """The contents of every global that is no constant. Of one that no thread touched it may be said that its
    initial contents have no model; NotModelled for what is too large to be shown and may have changed."""
    found: dict[str, Json] = {}
    for name, variable in program.module.globals.items():
        if (
            variable.constant
            or name.startswith("llvm.")
            or any(w.startswith("thread_local") for w in variable.words)
        ):
            continue
        allocation = None
        try:
            pointer = program.address_of(name)
            assert isinstance(pointer, Value) and pointer.provenance is not None
            allocation = memory.allocations[pointer.provenance.id]
            found[f"@{name}"] = _contents(allocation, variable.type, program)
        except NotModelled as problem:
            if allocation is not None and allocation.cells is not None:
                raise NotModelled(f"the contents of @{name}: {problem.what}") from None
            found[f"@{name}"] = f"not modelled: {problem.what}"
    return found


ELEMENTS = 1 << 20
"""Elements of an array that are shown: more than a value may have."""


def _contents(allocation: Allocation, type_: Type, program: Program) -> Json:
    """An object's bytes as a value of the type. NotModelled for one that is too large."""
    type_, layout, domain = program.layout.resolve(type_), program.layout, program.domain
    if not isinstance(type_, ArrayType) or layout.measure(type_).elements <= LARGEST_VALUE:
        return plain(typed(type_, layout, domain).read(allocation.contents(), 0), type_, layout)
    element, size = type_.element, layout.size(type_.element)
    if layout.measure(type_).elements > ELEMENTS:
        raise NotModelled(f"an array of {layout.measure(type_).elements} elements")
    read, cells = typed(element, layout, domain).read, allocation.contents()
    zero, zeros = plain(of_type.zero(element, layout, domain), element, layout), [ZERO] * size

    def shown(at: int) -> Json:
        return zero if cells[at : at + size] == zeros else plain(read(cells, at), element, layout)

    return [shown(index * size) for index in range(type_.count)]
