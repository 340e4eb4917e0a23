"""Atomic accesses whose order nobody can tell: a histogram's additions."""

from __future__ import annotations

from collections.abc import Iterable

from ...alignment.instances import StaticInstance
from ...ir.instructions import AtomicRMW
from ...ir.module import Module
from ...ir.types import IntType
from ..threads.liveness import needed

_SUMS = frozenset(("add", "sub"))
_ALIKE = frozenset(("and", "or", "xor", "max", "min", "umax", "umin"))
"""Operations that commute with themselves."""


def commute(module: Module, sites: Iterable[StaticInstance]) -> bool:
    """Whether atomic accesses come to the same in any order: integers of one width, to which numbers are
    added, or one such operation is done, monotonic, and nobody uses what was there before."""
    operations, types = set[str](), set[object]()
    for site in sites:
        function = module.functions[site.function]
        instruction = function.instructions[site.index]
        if not isinstance(instruction, AtomicRMW) or not isinstance(instruction.value.type, IntType):
            return False
        if instruction.ordering != "monotonic" or instruction.result in needed(function):
            return False
        operations.add(instruction.operation)
        types.add(instruction.value.type)
    alike = operations <= _SUMS or (len(operations) == 1 and operations <= _ALIKE)
    return alike and len(types) <= 1
