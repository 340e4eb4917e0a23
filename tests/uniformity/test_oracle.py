"""The static rules against a brute-force oracle that was written before them
(``tests/oracles/uniformity.py``).

covers: uniformity.analysis
"""

from __future__ import annotations

from random import Random

import pytest

import convergence as cc
from convergence.ir.cfg import Order
from convergence.rules import Rule
from convergence.uniformity.answer import uniformity
from convergence.uniformity.result import Verdict

from ..oracles.uniformity import Shape, ShapeBlock, truth
from ..oracles.uniformity_generate import HEAD, draw_shape, write


def differences(seed: int, size: tuple[int, int], most: int) -> tuple[list[str], int, int]:
    """What is called uniform and differs, of both hierarchies; how much differs, and is called divergent."""
    random = Random(seed)
    shape = draw_shape(random, random.randint(*size))
    known = truth(shape, random.choice((8, 12)), most)
    module = cc.parse(HEAD + write(shape))
    wrong, called = [], 0
    for order in Order:
        found = uniformity(module, dfs=order).functions["f"]
        called += sum(found.divergent(name) for name in found.values)
        wrong += [f"{seed} {order.value} %{name}" for name in known.differing if not found.divergent(name)]
        wrong += [
            f"{seed} {order.value} branch of b{block}"
            for block in known.divergent
            if found.branches[f"b{block}"].verdict is not Verdict.DIVERGENT
        ]
    return wrong, len(known.differing), called


def test_nothing_that_differs_is_called_uniform() -> None:
    results = [differences(seed, (4, 7), 60) for seed in range(150)]
    assert [wrong for found, _, _ in results for wrong in found] == []
    assert sum(known for _, known, _ in results) > 500


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(8))
def test_nothing_that_differs_is_called_uniform_in_many_programs(part: int) -> None:
    for seed in range(1000 + 1000 * part, 2000 + 1000 * part):
        assert differences(seed, (5, 9), 400)[0] == []


def loop_with_two_exits() -> Shape:
    """A header that leaves at a uniform or divergent moment, and a body that may, to one block behind."""
    lane = ("id", "lane", ())
    return Shape(
        (
            ShapeBlock((), (lane,), None, (1,)),
            ShapeBlock(
                (("i", {0: 0, 2: "n"}),), (("n", "op", ("i", 1)), ("c", "op", ("n", "id"))), "c", (2, 3)
            ),
            ShapeBlock((), (("d", "op", ("n", "a")),), "d", (1, 3)),
            ShapeBlock((("r", {1: 0, 2: 1}),), (("t", "op", ("n", "n")),), None, ()),
        ),
        ("a",),
    )


def test_the_oracle_sees_temporal_divergence_and_exits() -> None:
    """It is right by hand: the counter agrees within the loop, not behind it, and exits bring two
    constants."""
    known = truth(loop_with_two_exits(), 12, 400)
    assert known.differing == {"id", "c", "r", "t"}
    assert known.divergent == {1}
    assert known.split == frozenset()
    found = uniformity(cc.parse(HEAD + write(loop_with_two_exits()))).functions["f"]
    assert {n for n in found.values if found.divergent(n)} == known.differing | {"c1"}
    assert found.values["n"].verdict is Verdict.OUTSIDE
    assert found.values["n"].outside == ("b1",)


def test_a_join_needs_two_ways_that_do_not_lead_through_it() -> None:
    """Threads part before a loop, and some never come to it: its header is no place where they meet."""
    lane = ("id", "lane", ())
    shape = Shape(
        (
            ShapeBlock((), (lane,), "id", (1, 2)),
            ShapeBlock((("i", {0: 0, 1: "n"}),), (("n", "op", ("i", 1)),), "n", (1, 2)),
            ShapeBlock((("r", {0: 0, 1: 1}),)),
        )
    )
    found = uniformity(cc.parse(HEAD + write(shape))).functions["f"]
    assert truth(shape, 10, 200).differing == {"id", "r"}
    assert {n for n in found.values if found.divergent(n)} == {"id", "c0", "r"}
    assert found.branches["b0"].joins == ("b2",)


def test_the_oracle_sees_what_depends_on_the_hierarchy() -> None:
    lane = ("id", "lane", ())
    count = (("x", "op", (1, 2)), ("j", "op", ("i", 1)), ("v", "op", ("j", "id")))
    shape = Shape(
        (
            ShapeBlock((), (lane,), "id", (1, 2)),
            ShapeBlock((("i", {0: 0, 2: "k"}),), count, "v", (2, 3)),
            ShapeBlock((("k", {0: 5, 1: "j"}),), (), None, (1,)),
            ShapeBlock(),
        )
    )
    assert truth(shape, 10, 400).split == {1, 2}
    found = uniformity(cc.parse(HEAD + write(shape))).functions["f"]
    cause = found.values["j"].cause
    assert cause is not None and cause.rule is Rule.U_CYCLE
    assert not found.divergent("x")  # it is computed of constants


def test_a_cycle_in_an_irreducible_one_may_be_entered_anew() -> None:
    """One thread stays in the inner cycle, the other leaves it and comes to its header by an entry of the
    cycle around it. With that header as the outer cycle's, too, they are converged there."""
    lane = ("id", "lane", ())
    shape = Shape(
        (
            ShapeBlock((), (lane,), "a", (1, 2)),
            ShapeBlock((("w", {0: 0, 3: 1}), ("k", {0: 0, 3: "n"})), (), None, (2,)),
            ShapeBlock(
                (("x", {0: 0, 1: "w", 2: "x"}), ("i", {0: 0, 1: "k", 2: "n"})),
                (("n", "op", ("i", 1)), ("c", "op", ("n", "id"))),
                "c",
                (2, 3),
            ),
            ShapeBlock((), (("d", "op", ("i", 2)),), "d", (1, 4)),
            ShapeBlock(),
        ),
        ("a",),
    )
    known = truth(shape, 12, 400)
    assert "x" in known.differing
    for order in Order:
        found = uniformity(cc.parse(HEAD + write(shape)), dfs=order).functions["f"]
        assert [name for name in known.differing if not found.divergent(name)] == []
