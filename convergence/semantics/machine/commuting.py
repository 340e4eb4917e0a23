"""Atomic accesses whose order nobody can tell: a histogram's additions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ...alignment.instances import StaticInstance
from ...ir.instructions import AtomicRMW
from ...ir.module import Module
from ...ir.types import IntType
from ..memory.bytes import Touch
from ..threads.liveness import needed

_SUMS = frozenset(("add", "sub"))
_ALIKE = frozenset(("and", "or", "xor", "max", "min", "umax", "umin"))
"""Operations that commute with themselves."""


def commute(module: Module, accesses: Iterable[tuple[StaticInstance, Touch]]) -> bool:
    """Whether atomic accesses come to the same in any order: integers to which numbers are added, or one such
    operation is done, monotonic, and nobody uses what was there before. That is asked of those that touch
    one byte: what is left in one place does not hang from the others, and where threads come to hangs from
    none."""
    places: defaultdict[tuple[int, int], set[tuple[StaticInstance, int, int]]] = defaultdict(set)
    for site, (number, start, stop, _) in set(accesses):
        for at in range(start, stop):
            places[number, at].add((site, start, stop))
    return all(_commute_here(module, here) for here in set(map(frozenset, places.values())))


def _commute_here(module: Module, accesses: Iterable[tuple[StaticInstance, int, int]]) -> bool:
    """The same of accesses to one byte: of one width, and to the same bytes around it."""
    operations, types, extents = set[str](), set[object](), set[tuple[int, int]]()
    for site, start, stop in accesses:
        function = module.functions[site.function]
        instruction = function.instructions[site.index]
        if not isinstance(instruction, AtomicRMW) or not isinstance(instruction.value.type, IntType):
            return False
        if instruction.ordering != "monotonic" or instruction.result in needed(function):
            return False
        operations.add(instruction.operation)
        types.add(instruction.value.type)
        extents.add((start, stop))
    alike = operations <= _SUMS or (len(operations) == 1 and operations <= _ALIKE)
    return alike and len(types) <= 1 and len(extents) <= 1
