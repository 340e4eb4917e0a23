"""Atomic accesses whose order nobody can tell: a histogram's additions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ...alignment.instances import StaticInstance
from ...ir import instructions as ir
from ...ir.calls import is_atomic
from ...ir.module import Module
from ...ir.types import IntType
from ..memory.accesses import AccessShape
from ..memory.bytes import Touch
from ..threads.recurrence import needed

_SUMS = frozenset(("add", "sub"))
_ALIKE = frozenset(("and", "or", "xor", "max", "min", "umax", "umin"))
"""Operations that commute with themselves."""


def commute(module: Module, accesses: Iterable[tuple[StaticInstance, AccessShape, Touch]]) -> bool:
    """Whether atomic accesses come to the same in any order: integers to which numbers are added, or one such
    operation is done, monotonic, and nobody uses what was there before. That is asked of those that touch
    one byte: what is left in one place does not hang from the others, and where threads come to hangs from
    none."""
    accesses = tuple(accesses)
    for site in {site for site, _, _ in accesses}:
        function = module.functions[site.function]
        if function.instructions[site.index].result in needed(function):
            return False
    places: defaultdict[tuple[int, int], set[tuple[AccessShape, int, int]]] = defaultdict(set)
    for _, shape, (number, start, stop, _) in accesses:
        for at in range(start, stop):
            places[number, at].add((shape, start, stop))
    return all(map(_commute_here, set(map(frozenset, places.values()))))


def may_commute(module: Module) -> bool:
    """Whether each atomic instruction of a module may be one whose order nobody can tell (:func:`commute`),
    by its text alone: else no run need be asked."""
    return all(
        isinstance(i, ir.AtomicRMW) and i.operation in _SUMS | _ALIKE and i.ordering == "monotonic"
        and i.result not in needed(function)
        for function in module.functions.values()
        for i in function.instructions
        if is_atomic(i)
    )  # fmt: skip


def _commute_here(accesses: Iterable[tuple[AccessShape, int, int]]) -> bool:
    """The same of accesses to one byte: of one width, and to the same bytes around it."""
    operations, types, extents = set[str](), set[object](), set[tuple[int, int]]()
    for shape, start, stop in accesses:
        if shape.operation is None or shape.ordering != "monotonic" or not isinstance(shape.type, IntType):
            return False
        operations.add(shape.operation)
        types.add(shape.type)
        extents.add((start, stop))
    alike = operations <= _SUMS or (len(operations) == 1 and operations <= _ALIKE)
    return alike and len(types) <= 1 and len(extents) <= 1
