"""Dominators against their definition.

covers: ir.cfg
"""

from __future__ import annotations

import time

from convergence.ir.cfg import Point, dominators

from .shapes import NEST_DEPTH, cfg_of, deep_nest, random_cfgs, reached


def test_dominance_is_cutting_off() -> None:
    """``a`` dominates ``b`` iff without ``a`` nothing leads to ``b``; unreachable blocks all dominate."""
    for cfg in random_cfgs(2, 300):
        tree = dominators(cfg)
        for a in range(len(cfg)):
            left = reached(cfg, without=a)
            for b in range(len(cfg)):
                assert tree.dominates(a, b) == (not cfg.reachable[b] or a == b or b not in left)


def test_immediate_dominator_is_the_nearest() -> None:
    for cfg in random_cfgs(3, 200):
        tree = dominators(cfg)
        for block in cfg.rpo[1:]:
            nearest = tree.idom[block]
            above = [a for a in cfg.rpo if a != block and tree.dominates(a, block)]
            assert all(tree.dominates(a, nearest) for a in above)
            assert nearest in above
        assert tree.idom[0] == -1


def test_irreducible_entries_are_siblings() -> None:
    tree = dominators(cfg_of([[1, 2], [2, 3], [1], []]))
    assert tree.idom == (-1, 0, 0, 1)


def test_in_one_block_a_definition_comes_first_even_where_nothing_leads() -> None:
    tree = dominators(cfg_of([[], [1]]))
    assert tree.defined_before(Point(1, 0), Point(1, 1))
    assert not tree.defined_before(Point(1, 1), Point(1, 0))
    assert not tree.defined_before(Point(1, 1), Point(1, 1))
    assert tree.defined_before(Point(0, 5), Point(1, 0)), "everything dominates an unreachable point"
    assert not tree.defined_before(Point(1, 0), Point(0, 5)), "nothing unreachable dominates a reachable one"


def test_deep_nest_is_no_trouble() -> None:
    cfg = deep_nest()
    begin = time.process_time()
    tree = dominators(cfg)
    assert time.process_time() - begin < 5
    assert tree.idom[NEST_DEPTH] == NEST_DEPTH - 1
    assert tree.dominates(1, len(cfg) - 1)
