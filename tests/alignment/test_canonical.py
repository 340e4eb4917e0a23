"""Alignments as data: equality, groups by operation, names of operations."""

from __future__ import annotations

from convergence.alignment.canonical import canonical, operation_groups, operation_name

from .programs import NATURAL, NATURAL_PATHS, apart, execute, function, module


def test_equal_relations_have_equal_forms():
    program = module(f=NATURAL)
    together = canonical(execute(program, "f", NATURAL_PATHS))
    assert together == canonical(execute(program, "f", NATURAL_PATHS, lambda i: "any"))
    assert together != canonical(execute(program, "f", NATURAL_PATHS, apart({0: 0, 1: 1})))
    assert len({together, canonical(execute(program, "f", NATURAL_PATHS))}) == 1


def test_groups_in_text_and_column_order():
    program = module(f=NATURAL)
    got = operation_groups(execute(program, "f", NATURAL_PATHS), program)
    assert [(o.operation, o.callee) for o in got] == [
        ("%t", "@llvm.experimental.convergence.anchor"),
        ("%h", "@llvm.experimental.convergence.loop"),
        ("%s", "@sum"),
    ]
    assert [(g.column, [(m.thread, m.nth) for m in g.members]) for g in got[2].groups] == [
        (3, [(0, 1), (1, 1)]),
        (5, [(0, 2), (1, 2)]),
    ]


def test_a_cycle_leaves_the_columns_out():
    program = module(f=("A: -> B", "B: s=sum -> B C", "C:"))
    crossed = {(0, 1): 1, (0, 2): 2, (1, 1): 2, (1, 2): 1}
    execution = execute(program, "f", ("A B B C", "A B B C"), lambda i: crossed[i.thread, i.nth])
    assert [g.column for g in operation_groups(execution, program)[0].groups] == [None, None]


def test_operations_without_a_name_count_calls_of_their_callee():
    f = function("f", ("A: 0=f 1=g a=g 2=g 3=f",))
    assert [operation_name(f, n) for n in range(5)] == ["@f#1", "@g#1", "%a", "@g#3", "@f#2"]
