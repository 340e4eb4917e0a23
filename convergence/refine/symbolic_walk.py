"""A candidate trace whose loops are bounded, and on which functions without a model are uninterpreted."""

from __future__ import annotations

from typing import Any

import z3

from ..alignment.instances import StaticInstance
from ..ir import instructions as ir
from ..ir.types import Type
from ..sched.shapes import Instance
from ..sched.traces_calls import Walk
from ..sched.traces_state import Activation
from ..sched.tree import Node
from ..sched.world import World
from ..semantics.domain_z3 import boolean, folded
from ..semantics.errors import BoundHit, NotModelled
from ..semantics.instructions import operands
from ..semantics.values import Composite, Pointer, RuntimeValue, Value
from .symbolic_values import Limits, uninterpreted

FROZEN = "frozen in the "
"""How unknowns are named that stand for what a freeze of poison gives."""


class BoundedWalk(Walk):
    """``frozen`` counts the values that may be poison and were frozen."""

    def __init__(self, world: World, node: Node, limits: Limits, side: str) -> None:
        super().__init__(world, node, limits.steps)
        self.iterations = limits.iterations
        self.side = side
        self.passes: dict[tuple[int, int], int] = {}
        self.frozen = 0

    def enter_block(self, frame: Activation, block: int) -> None:
        passes = self.passes[frame.number, block] = self.passes.get((frame.number, block), 0) + 1
        if passes > self.iterations + 1:
            raise BoundHit(f"{self.iterations} iterations")
        super().enter_block(frame, block)

    def compute(self, frame: Activation, instruction: ir.Instruction) -> None:
        if not isinstance(instruction, ir.Freeze):
            super().compute(frame, instruction)
            return
        (value,) = self.look(frame, operands(instruction))
        self.define(frame, instruction.result, self._frozen(value))
        frame.at += 1

    def _frozen(self, value: RuntimeValue) -> RuntimeValue:
        """Poison becomes any value, the same at every use."""
        if isinstance(value, Composite):
            return Composite(tuple(self._frozen(e) for e in value.elements))
        if value.poison is False:
            return value
        if isinstance(value, Pointer) or not isinstance(value.bits, z3.BitVecRef):
            raise NotModelled("a freeze of what may be poison")
        self.frozen += 1
        chosen = z3.BitVec(f"{FROZEN}{self.side} {self.node.thread} {self.frozen}", value.bits.size())
        return Value(folded(z3.If(boolean(value.poison), chosen, value.bits)), False)

    def happened(
        self, site: StaticInstance, callee: str, values: tuple[Any, ...], types: tuple[Type, ...],
        result: Any, type_: Type | None, instance: Instance | None, volatile: bool = False,
    ) -> None:  # fmt: skip
        """What an event depends on is noted for calls that exchange nothing, too."""
        if instance is not None and instance.call is None:
            instance.needs = self.control | self.looking
        super().happened(site, callee, values, types, result, type_, instance, volatile)

    def _stand_in(self, frame: Activation, call: ir.CallSite, name: str, effects: bool) -> None:
        values = self.look(frame, operands(call))
        nth = self.calls[name] = self.calls.get(name, 0) + 1
        which = f"{name} {self.node.thread} alone {nth if effects else 0}"
        result = uninterpreted(self.world, which, values, call.type.parameters, call.type.result)
        if effects:
            site = StaticInstance(frame.code.name, frame.at)
            types = call.type.parameters
            self.happened(site, name, tuple(values), types, result, call.type.result, None)
        self._returned(frame, call, result)
