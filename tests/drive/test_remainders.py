"""Vulkan leaves the remainder of a negative number open, and only that.

covers: drive.trial
"""

from __future__ import annotations

import pytest

from convergence.drive import with_open_remainders
from convergence.parser import parse
from convergence.parser.printer import print_module
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.run import execute

TEXT = """
define i32 @f(i32 %a, i32 %b) {
  %f.number = add i32 %a, 0
  %f = srem i32 %f.number, %b
  ret i32 %f
}
"""
VECTORS = """
define <2 x i32> @f(<2 x i32> %a) {
  %1 = srem <2 x i32> %a, <i32 7, i32 -7>
  ret <2 x i32> %1
}
"""


def returned(text: str, **arguments: object) -> object:
    module = with_open_remainders(parse(text))
    assert parse(print_module(module)) == module  # it is LLVM IR still
    spec = launch_spec(arguments={f"%{name}": value for name, value in arguments.items()})
    return execute(module, spec, None, None).outcome.threads[0].value


@pytest.mark.parametrize(
    ("a", "b", "result"), [(7, 3, 1), (-7, 3, "poison"), (7, -3, "poison"), (-7, -3, "poison"), (0, 5, 0)]
)
def test_a_remainder_is_open_where_an_operand_is_negative(a: int, b: int, result: object) -> None:
    assert returned(TEXT, a=a, b=b) == result


def test_elements_of_vectors_are_open_one_by_one() -> None:
    assert returned(VECTORS, a=[9, 9]) == [2, "poison"]


def test_other_programs_stay_as_they_are() -> None:
    module = parse(TEXT.replace("srem", "urem"))
    assert with_open_remainders(module) is module
