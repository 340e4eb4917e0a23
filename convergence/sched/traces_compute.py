"""The instructions of a candidate trace that compute and that access memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..alignment.instances import StaticInstance
from ..ir import instructions as ir
from ..semantics.errors import NotModelled, UsageError
from ..semantics.instructions import Touch, footprint, operands, perform, prepare_alloca
from ..semantics.result_types import result_type
from ..semantics.unknown import Unknown, needed
from .traces_state import Activation, Underway
from .tree import Reading


class Computing(Underway):
    """What a thread computes alone; what it reads of shared memory is an unknown."""

    def alloca(self, frame: Activation, instruction: ir.Alloca) -> None:
        values = self.look(frame, operands(instruction))
        name = instruction.result or "alloca"
        for value in values:
            if isinstance(value, Unknown):
                raise UsageError(needed(value, f"alloca %{name}"))
        size, align, space = prepare_alloca(instruction, self.world.context)(*values)
        pointer = self.memory.allocate(size, align, self.node.thread, f"%{name}", space)
        self.define(frame, name, pointer)
        frame.allocas.append(pointer)
        frame.at += 1

    def compute(self, frame: Activation, instruction: ir.Instruction) -> None:
        function, index = frame.code.name, frame.at
        values = self.look(frame, operands(instruction))
        prepared = self.world.access(function, index)
        if prepared is not None:
            self.do_access(frame, instruction, prepared, values)
        else:
            evaluate = self.world.evaluate(function, index)
            if evaluate is None:
                raise NotModelled(f"the instruction {type(instruction).__name__.lower()}")
            unknown = next((v for v in values if isinstance(v, Unknown)), None)
            result = unknown if unknown is not None else evaluate(*values)
            self.define(frame, instruction.result, result)
        frame.at += 1

    def do_access(
        self, frame: Activation, instruction: ir.Instruction, prepared: Any, values: list[Any]
    ) -> None:
        """A memory access: done at once on what is the thread's own; else one that all threads see."""
        for value in values:
            if isinstance(value, Unknown):
                raise UsageError(needed(value, f"a memory access in @{frame.code.name}"))
        thread = self.node.thread
        access = prepared(*values)
        provenance = None if access.pointer is None else access.pointer.provenance
        if provenance is not None and provenance.id > 0 and provenance.id >> 46 not in (0, thread + 1):
            raise NotModelled("an access to a stack object of another thread")
        touches = footprint(access, self.memory, thread)
        shared = [t for t in touches if self._is_shared(t.object)]
        if not shared:
            result = perform(access, self.memory, thread)
            self._own(touches)
        else:
            if len(shared) != len(touches):
                raise NotModelled("a copy between shared and private memory")
            result = self._read(frame, instruction, access, values, shared)
        self.define(frame, instruction.result, result)
        if getattr(instruction, "volatile", False):
            shape = access.shape
            shown: list[Any] = [] if access.pointer is None else [access.pointer]
            types: list[Any] = [None] * len(shown)
            if shape.type is not None:
                shown += access.operands
                types += [shape.type] * len(access.operands)
            site = StaticInstance(frame.code.name, frame.at)
            self.happened(site, shape.kind, tuple(shown), tuple(types), result, shape.type, None, True)

    def _own(self, touches: Iterable[Touch]) -> None:
        """What the thread's own memory depends on after an access to it, and what its result depends on."""
        needs = self.looking
        for touch in touches:
            place = touch[:3]
            overlapping = [p for p in self.stored if _overlap(p, place)]
            if touch.write:
                for p in overlapping:
                    if place[1] <= p[1] and p[2] <= place[2]:
                        del self.stored[p]
            else:
                needs = needs.union(*(self.stored[p] for p in overlapping))
        self.looking = needs
        for touch in touches:
            if touch.write and needs:
                self.stored[touch[:3]] = needs

    def _is_shared(self, identity: int) -> bool:
        allocation = self.memory.allocations.get(identity)
        return allocation is not None and allocation.owner is None and not allocation.constant

    def _read(
        self,
        frame: Activation,
        instruction: ir.Instruction,
        access: Any,
        values: list[Any],
        touches: list[Any],
    ) -> Any:
        if self.met_readings < self.known_readings:
            reading = self.readings[self.met_readings]
        else:
            reading = Reading(
                self.world.number(), self.node.thread, self.node, StaticInstance(frame.code.name, frame.at),
                tuple(values), frozenset(t[:3] for t in touches), any(t.write for t in touches),
                self.readings[-1] if self.readings else None, self.control | self.looking,
            )  # fmt: skip
            self.readings.append(reading)
            if access.shape.has_result:
                reading.type = result_type(instruction, self.world.program.layout)
                assert reading.type is not None
                if not self.holds_pointers(reading.type):
                    reading.result = self.fresh(reading.type, reading)
        self.met_readings += 1
        if reading.type is None:
            return None
        self.looking = frozenset((reading,))
        return reading.result if reading.result is not None else self.pick(reading)


def _overlap(a: tuple[int, int, int], b: tuple[int, int, int]) -> bool:
    return a[0] == b[0] and a[1] < b[2] and b[1] < a[2]
