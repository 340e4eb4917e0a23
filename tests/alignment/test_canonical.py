"""Alignments as data: equality, and the names of operations.

covers: alignment
"""

from __future__ import annotations

from convergence.alignment import canonical, operation_name

from .programs import NATURAL, NATURAL_PATHS, apart, execute, function, module


def test_equal_relations_have_equal_forms() -> None:
    program = module(f=NATURAL)
    together = canonical(execute(program, "f", NATURAL_PATHS))
    assert together == canonical(execute(program, "f", NATURAL_PATHS, lambda i: "any"))
    assert together != canonical(execute(program, "f", NATURAL_PATHS, apart({0: 0, 1: 1})))
    assert len({together, canonical(execute(program, "f", NATURAL_PATHS))}) == 1


def test_operations_without_a_name_count_calls_of_their_callee() -> None:
    f = function("f", ("A: 0=f 1=g a=g 2=g 3=f",))
    assert [operation_name(f, n) for n in range(5)] == ["@f#1", "@g#1", "%a", "@g#3", "@f#2"]
