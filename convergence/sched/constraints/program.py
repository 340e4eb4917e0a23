"""What all candidate traces of one enumeration share: the module under the symbolic domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import z3

from ...ir import instructions as ir
from ...ir.operands import Operand
from ...semantics.arithmetic.domain import Domain
from ...semantics.arithmetic.symbolic import SymbolicDomain
from ...semantics.convergence.keys import LaunchGroup
from ...semantics.instructions import constant, prepare, prepare_access, prepare_intrinsic
from ...semantics.machine.launch import Launch, launch_groups
from ...semantics.machine.program import Program
from ...semantics.memory.allocations import Memory
from ...semantics.memory.globals import initial_memory
from ...semantics.operations.model import Place
from ...semantics.values.context import Context
from ...semantics.values.value import RuntimeValue, Value

if TYPE_CHECKING:
    from .walk import Steps


class Following(SymbolicDomain):
    """The symbolic domain along one candidate trace: what decides how it goes on is asked."""

    def __init__(self, world: World) -> None:
        super().__init__(lambda condition: world.walk.decide(condition))
        self._world = world

    def concrete(self, bits: Any, what: str, /) -> int:
        return bits if isinstance(bits, int) else self._world.walk.number(bits)


class World:
    """``program`` is the module as the operational machine has it, for models and names; ``launch`` how it
    starts. ``context`` and ``memory`` are the module's and its globals' under the symbolic domain.
    ``walk`` is the candidate trace that is being followed."""

    walk: Steps

    def __init__(self, program: Program, launch: Launch) -> None:
        self.program = program
        self.launch = launch
        self.module = program.module
        self.subgroups = launch_groups(launch)
        self.groups = list(self.subgroups)
        self.domain = Following(self)
        self._addresses: dict[str, Value] = {}
        self.context = Context(
            self.module, cast(Domain, self.domain), program.layout, self._address_of, program.address_of_block
        )
        self.memory: Memory = initial_memory(self.context, self._addresses)
        self._constants: dict[Operand, RuntimeValue] = {}
        self._prepared: dict[tuple[str, int, str], Any] = {}
        self.names: dict[str, dict[int, str]] = {}
        self._numbers = 0
        self.values: list[Any] = []
        self.unknown: dict[int, Any] = {}

    def _address_of(self, name: str) -> Value:
        found = self._addresses.get(name)
        return found if found is not None else self.program.address_of(name)

    def number(self) -> int:
        """A number that was not given out before."""
        self._numbers += 1
        return self._numbers

    def group_of(self, thread: int) -> LaunchGroup:
        size = self.launch.subgroup_size or self.launch.threads
        return self.groups[thread // size]

    def place(self, thread: int) -> Place:
        group = self.group_of(thread)
        return Place(thread, thread - group.first, self.subgroups[group])

    def constant(self, operand: Operand) -> RuntimeValue:
        """Raises NotModelled or Undefined for a constant without a value."""
        known = self._constants.get(operand)
        if known is None:
            known = self._constants[operand] = constant(operand, self.context)
        return known

    def evaluate(self, function: str, index: int) -> Callable[..., Any] | None:
        """A pure instruction as a function of its operands."""
        return self._once("pure", function, index, lambda i: prepare(i, self.context))

    def access(self, function: str, index: int) -> Callable[..., Any] | None:
        """A memory instruction as a function from its operands to an access."""
        return self._once("access", function, index, lambda i: prepare_access(i, self.context))

    def performed(self, function: str, index: int) -> Callable[..., Any]:
        """The same under the concrete domain."""
        concrete = self.program.context
        found = self._once("concrete", function, index, lambda i: prepare_access(i, concrete))
        assert found is not None
        return found

    def intrinsic(self, function: str, index: int) -> Callable[..., Any] | None:
        """A call of a pure intrinsic as a function of its operands."""
        return self._once("intrinsic", function, index, lambda i: prepare_intrinsic(i, self.context))

    def _once(
        self, kind: str, function: str, index: int, build: Callable[[Any], Any]
    ) -> Callable[..., Any] | None:
        name = (function, index, kind)
        if name not in self._prepared:
            self._prepared[name] = build(self.module.functions[function].instructions[index])
        found: Callable[..., Any] | None = self._prepared[name]
        return found

    def register(self, function: str, slot: int) -> str:
        """The SSA name of a prepared function's register."""
        names = self.names.get(function)
        if names is None:
            slots = self.program.code(function).slots
            names = self.names[function] = {s: name for name, s in slots.items()}
        return names[slot]

    def pick_of(self, value: Any) -> int:
        """The index of a value that is no term."""
        for index, known in enumerate(self.values):
            if type(known) is type(value) and known == value and _provenance(known) == _provenance(value):
                return index
        self.values.append(value)
        return len(self.values) - 1


def _provenance(value: Any) -> Any:
    return getattr(value, "provenance", None)


def is_term(value: object) -> bool:
    return isinstance(value, z3.ExprRef)


def instruction_at(world: World, function: str, index: int) -> ir.Instruction:
    return world.module.functions[function].instructions[index]
