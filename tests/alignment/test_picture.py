"""The pictures of semantics.md §5 and what the rules for columns say beyond them.

covers: alignment
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from time import process_time

import pytest

from convergence.alignment import (
    BlockVisit,
    ConvergedWith,
    DynamicInstance,
    Execution,
    StaticInstance,
    left_out,
    picture,
)
from convergence.ir import I1
from convergence.ir.instructions import Br, DebugRecord, Phi
from convergence.ir.module import Body, Module

from .programs import (
    NATURAL,
    NATURAL_PATHS,
    NESTED,
    NESTED_PATHS,
    UNCONTROLLED,
    apart,
    execute,
    function,
    module,
)


def draw(
    lines: tuple[str, ...],
    paths: Sequence[str],
    label: Callable[[DynamicInstance], Hashable] | None = None,
    all_blocks: bool = False,
) -> tuple[str, ...]:
    program = module(f=lines)
    return picture(execute(program, "f", paths, label), program, "f", all_blocks)


def test_natural_loop() -> None:
    assert draw(NATURAL, NATURAL_PATHS) == ("A B - B C D", "A B C B C D")


def test_nested_loop() -> None:
    assert draw(NESTED, NESTED_PATHS) == ("A B B C - - D", "A B - C B C D")


def test_nested_loop_all_blocks() -> None:
    assert draw(NESTED, NESTED_PATHS, all_blocks=True) == ("A O B B C - - - D", "A O B - C O B C D")


def test_an_anchor_that_splits_keeps_what_its_token_controls_apart() -> None:
    assert draw(NATURAL, NATURAL_PATHS, apart({0: 0, 1: 1})) == (
        "A B B C - - - - - D",
        "- - - - A B C B C D",
    )


@pytest.mark.parametrize(
    ("together", "expected"),
    [
        ("11 22", ("A B - B C D", "A B C B C D")),
        ("11", ("A B B C - - - D", "A B - - C B C D")),
        ("21", ("A B B C - - D", "A - B C B C D")),
        ("12", ("A - - B B C - D", "A B C B - - C D")),
        ("22", ("A B - - B C D", "A - B C B C D")),
        ("", ("A B B C - - - - D", "A - - - B C B C D")),
    ],
)
def test_the_six_uncontrolled_alignments(together: str, expected: tuple[str, str]) -> None:
    """``ij``: thread 0's i-th sum is converged with thread 1's j-th, in the original without tokens."""
    labels: dict[tuple[int, int], Hashable] = {}
    for pair in together.split():
        labels[0, int(pair[0])] = labels[1, int(pair[1])] = pair
    assert draw(UNCONTROLLED, NATURAL_PATHS, lambda i: labels.get((i.thread, i.nth), i)) == expected


def test_threads_that_skip_a_block_are_absent_there() -> None:
    lines = ("A: t=entry -> B C", "B: x=sum[t] -> D", "C: y=sum[t] -> D", "D:")
    assert draw(lines, ("A B D", "A C D", "A B D")) == ("A B - D", "A - C D", "A B - D")


def test_a_row_goes_on_after_its_thread_has_ended() -> None:
    assert draw(("A: x -> B C", "B:", "C:"), ("A B", "A C")) == ("A B -", "A - C")


def test_one_thread_and_no_visits() -> None:
    assert draw(NATURAL, ("A B D",)) == ("A B D",)
    assert draw(NATURAL, ("A B D", "")) == ("A B D", "- - -")


def test_threads_of_different_launch_groups_share_no_column() -> None:
    program = module(f=("A: x -> B", "B: x -> A C", "C:"))
    execution = replace(execute(program, "f", ("A B C",) * 3), launch_groups=(0, 0, 1))
    assert picture(execution, program, "f") == ("A B C - - -", "A B C - - -", "- - - A B C")


def test_iterations_follow_the_anchor_that_groups_them() -> None:
    """An anchor in a loop pairs thread 0's first iteration with thread 1's second; the header and
    the latch, which hold no operation, go along."""
    lines = ("A: x -> H", "H: x -> P", "P: t=anchor s=sum[t] -> L", "L: x -> H D", "D:")
    label = {(0, 1): "a", (0, 2): "b", (1, 1): "-", (1, 2): "a", (1, 3): "b"}
    paths = ("A H P L H P L D", "A H P L H P L H P L D")
    assert draw(lines, paths, lambda i: label[i.thread, i.nth]) == (
        "A H - - - P L H P L D",
        "A H P L H P L H P L D",
    )


def test_visits_that_share_some_operations_stand_side_by_side() -> None:
    """f is converged in every iteration, the anchor behind it never: no shared column, but no
    thread runs ahead of the other's f."""
    lines = ("A: t=entry -> L", "L: h=loop[t] x=f[h] a=anchor y=g[a] -> L D", "D:")
    assert draw(lines, ("A L L D", "A L L D"), apart({0: 0, 1: 1})) == ("A L - L - D", "A - L - L D")


def test_a_shared_operation_holds_up_who_comes_early_and_who_goes_on() -> None:
    """f is converged and the anchor behind it is not: no shared column, but thread 0 comes to its f no sooner
    than thread 1 to its own, and goes on to E no sooner than thread 1 has passed."""
    lines = ("A: t=entry -> L M", "M: x -> L", "L: x=f[t] a=anchor y=g[a] -> D E", "E: x -> D", "D:")
    assert draw(lines, ("A L E D", "A M L D"), apart({0: 0, 1: 1})) == ("A - L - E D", "A M - L - D")


def test_a_visit_that_shares_with_two_others_that_are_apart_goes_on_before_the_later_one() -> None:
    """Thread 0's only a is converged with thread 1's first, its only b with thread 1's third: it cannot wait
    for both without holding up thread 1's second, which is behind the first."""
    lines = ("A: x -> V", "V: a=anchor b=anchor x -> V D", "D:")
    shared = {(0, 2, 1): "a", (1, 2, 1): "a", (0, 3, 1): "b", (1, 3, 3): "b"}
    rows = draw(lines, ("A V D", "A V V V D"), lambda i: shared.get((i.thread, i.site.index, i.nth), i))
    assert rows == ("A - V - - D", "A V - V V D")


def test_a_function_is_shown_where_it_was_launched_though_a_thread_has_not_begun() -> None:
    program = module(f=("A:", "B:"))
    launched, called_ = BlockVisit(0, None, "f", "A", ()), BlockVisit(1, 0, "f", "B", ())
    execution = Execution(((launched, called_), ()), ConvergedWith(frozenset()))
    assert picture(execution, program, "f") == ("A", "-")


def test_a_thread_that_stopped_in_a_block_stays_with_those_that_went_on() -> None:
    program = module(f=("A: t=entry -> L", "L: h=loop[t] x=f[h] y=g[h] -> L D", "D:"))
    whole = execute(program, "f", ("A L L D", "A L L"))
    for kept in (0, 1, 2):
        last = whole.visits[1][-1]
        stopped = last._replace(operations=last.operations[:kept])
        gone = set(last.operations[kept:])
        execution = Execution(
            (whole.visits[0], (*whole.visits[1][:-1], stopped)),
            ConvergedWith(frozenset(g - gone for g in whole.converged.classes)),
        )
        assert picture(execution, program, "f") == ("A L L D", "A L L -"), kept


def test_an_illegal_relation_still_has_a_picture() -> None:
    """Crossed anchors: D-ORDER forbids them, and whoever shows the fault needs a picture of it."""
    lines = ("A: x -> B", "B: t=anchor s=sum[t] -> B D", "D:")
    crossed = {(0, 1): "a", (0, 2): "b", (1, 1): "b", (1, 2): "a"}
    rows = draw(lines, ("A B B D", "A B B D"), lambda i: crossed[i.thread, i.nth])
    assert [row.replace("- ", "").replace(" -", "") for row in rows] == ["A B B D", "A B B D"]


def test_names_that_would_mislead_are_quoted() -> None:
    program = module(f=("A:", "B:"))
    f = program.functions["f"]
    blocks = (
        replace(f.blocks[0], name="-", instructions=(Br(target="a b"),)),
        replace(f.blocks[1], name="a b"),
    )
    odd = replace(program, functions={"f": replace(f, body=Body(blocks))})
    visits = tuple(BlockVisit(0, None, "f", name, ()) for name in ("-", "a b"))
    assert picture(Execution((visits,), ConvergedWith(frozenset())), odd, "f") == ('"-" "a b"',)


def called() -> tuple[Module, Execution]:
    """@f's loop calls @g, whose entry and sum follow the call; thread 1 makes one round more."""
    program = module(
        f=("A: t=entry -> B", "B: h=loop[t] c=g[h] -> B D", "D:"),
        g=("X: e=entry -> Y Z", "Y: s=sum[e] -> Z", "Z:"),
    )
    outer = execute(program, "f", ("A B B D", "A B B B D"))
    entry, total = StaticInstance("g", 0), StaticInstance("g", 2)
    call = StaticInstance("f", 3)
    rows = []
    for thread, visits in enumerate(outer.visits):
        row, frame = [], 0
        for visit in visits:
            row.append(visit)
            if visit.block == "B":
                frame += 1
                row += [
                    BlockVisit(frame, 0, "g", "X", (DynamicInstance(thread, entry, frame),), call),
                    BlockVisit(frame, 0, "g", "Y", (DynamicInstance(thread, total, frame),), call),
                    BlockVisit(frame, 0, "g", "Z", (), call),
                ]
        rows.append(tuple(row))
    inner = {
        frozenset(o for row in rows for v in row for o in v.operations if o.site == site and o.nth == nth)
        for site in (entry, total)
        for nth in (1, 2, 3)
    }
    return program, Execution(tuple(rows), ConvergedWith(outer.converged.classes | inner))


def test_only_the_launched_function_is_shown() -> None:
    program, execution = called()
    assert picture(execution, program, "f") == ("A B B - D", "A B B B D")


def test_a_callee_has_a_picture_of_its_own() -> None:
    program, execution = called()
    assert picture(execution, program, "g") == ("X Y Z X Y Z - - -", "X Y Z X Y Z X Y Z")


def test_what_is_left_out() -> None:
    f = function(
        "f",
        (
            "A: t=entry -> B",
            "B: h=loop[t] -> C D",
            "C: -> D",
            "D: u=anchor x -> E",
            "E: u2=anchor v=anchor -> F G H",
            "F: w=anchor",
            "G: w=anchor s=sum[w] -> F",
            "H: -> F",
        ),
    )
    assert left_out(f) == {"B", "E"}


def test_phis_and_debug_records_do_not_keep_a_block() -> None:
    f = function("f", ("A: x -> B", "B: h=anchor -> A"))
    block = f.blocks[1]
    phi = Phi(result="i", type=I1, incoming=())
    record = DebugRecord(kind="dbg_value", operands=())
    busy = replace(block, instructions=(phi, record, *block.instructions))
    assert left_out(replace(f, body=Body((f.blocks[0], busy)))) == {"B"}


def test_many_threads() -> None:
    """1,024 threads, thread n makes n rounds: linear in the visits, a second or so."""
    paths = tuple("A " + "B C " * (1 + thread % 64) + "D" for thread in range(1024))
    started = process_time()
    rows = draw(("A: t=entry -> B", "B: h=loop[t] s=sum[h] -> C", "C: x -> B D", "D:"), paths)
    assert process_time() - started < 20
    assert rows[63] == "A " + "B C " * 64 + "D"
    assert rows[0] == "A B C " + "- " * 126 + "D"


def test_a_long_run() -> None:
    """10,000 visits in a thread."""
    paths = tuple("A " + "B C " * rounds + "D" for rounds in (5000, 4999))
    started = process_time()
    rows = draw(("A: -> B", "B: x -> C", "C: t=anchor s=sum[t] -> B D", "D:"), paths, apart({0: 0, 1: 1}))
    assert process_time() - started < 20
    assert [len(row.split()) for row in rows] == [1 + 5000 + 5000 + 4999 + 1] * 2
