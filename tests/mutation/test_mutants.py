"""Mutants: each is one change, and every module's can be written out."""

from __future__ import annotations

import ast

import pytest

from tests.meta.package_modules import modules
from tests.mutation.__main__ import ROOMS, population
from tests.mutation.mutants import mutants, mutated

SOURCE = '''
"""A text is left alone, 1 < 2."""

from a import Colour, Shape


def rule(items: list[int | None], n: int = 1) -> bool:
    """So is this."""
    assert n < 3, "and this"
    if not items:
        return False
    items.append(n + 1)
    return any(i <= n for i in items if i is not None) and isinstance(n, Colour | Shape)
'''

CHANGES = [
    "1 becomes 2",
    "condition is never true",
    "not is left out",
    "False becomes True",
    "call is left out",
    "Add becomes Sub",
    "1 becomes 2",
    "And becomes Or",
    "any becomes all",
    "LtE becomes Lt",
    "filter is left out",
    "IsNot becomes Is",
]


def test_what_can_be_changed() -> None:
    assert [m.change for m in mutants(SOURCE) if m.line > 4] == CHANGES[1:]


@pytest.mark.parametrize("number", range(len(CHANGES) - 1))
def test_each_mutant_is_one_change(number: int) -> None:
    before, after = (ast.unparse(ast.parse(s)).splitlines() for s in (SOURCE, mutated(SOURCE, number)))
    assert len(before) == len(after)
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_there_is_none_behind_the_last() -> None:
    with pytest.raises(IndexError):
        mutated(SOURCE, len(CHANGES))


def test_a_sample_has_every_room_alike() -> None:
    sample = population()[: 10 * len(ROOMS)]
    rooms = [next(r for r in ROOMS if name.startswith(r)) for name, *_ in sample]
    assert {rooms.count(room) for room in ROOMS} == {10}
    for name, number, _, _ in sample[:7]:
        source = modules()[name].read_text(encoding="utf-8")
        assert mutated(source, number) != ast.unparse(ast.parse(source))
