"""What all candidate traces of one enumeration share: the module under the symbolic domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

import z3

from ...semantics.arithmetic.domain import Domain
from ...semantics.arithmetic.symbolic import SymbolicDomain
from ...semantics.convergence.keys import LaunchGroup
from ...semantics.instructions import prepare_access
from ...semantics.machine.launch import Launch, launch_groups
from ...semantics.machine.program import Program
from ...semantics.memory.allocations import Memory
from ...semantics.memory.globals import initial_memory
from ...semantics.operations.model import Place
from ...semantics.values.context import Context
from ...semantics.values.value import Value


class Asked(Protocol):
    """A candidate trace under way: its answers to what decides how it goes on."""

    def decide(self, condition: Any) -> bool: ...
    def number(self, bits: Any) -> int: ...


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
    ``walk`` is the candidate trace that is being followed, ``codes`` the functions prepared over terms."""

    walk: Asked

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
        self._performed: dict[tuple[str, int], Callable[..., Any]] = {}
        self.codes: dict[Any, Any] = {}
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

    def performed(self, function: str, index: int) -> Callable[..., Any]:
        """A memory instruction as a function from its operands, known values, to an access."""
        known = self._performed.get((function, index))
        if known is None:
            known = prepare_access(self.module.functions[function].instructions[index], self.program.context)
            assert known is not None
            self._performed[function, index] = known
        return known

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
