"""Control-flow graphs: edges, reachability, orders."""

from __future__ import annotations

import pytest

from convergence.ir import I1, VOID, FunctionType, Int, IntType, Local
from convergence.ir.cfg import build_cfg, depth_first
from convergence.ir.instructions import Br, CondBr, Ret, Switch
from convergence.ir.module import Block, Body, Function

from .shapes import cfg_of, random_cfgs, reached

I32 = IntType(32)


def function(*blocks: Block) -> Function:
    return Function("f", FunctionType(VOID, ()), (), Body(tuple(blocks)))


def test_edges_keep_the_order_of_the_text_without_repetition() -> None:
    switch = Switch(Local(I32, "x"), "c", ((Int(I32, 0), "b"), (Int(I32, 1), "c"), (Int(I32, 2), "b")))
    cfg = build_cfg(
        function(
            Block("a", (switch,)),
            Block("b", (CondBr(Local(I1, "y"), "c", "c"),)),
            Block("c", (Ret(None),)),
        )
    )
    assert cfg.names == ("a", "b", "c")
    assert cfg.successors == ((2, 1), (2,), ())
    assert cfg.predecessors == ((), (0,), (0, 1))
    assert cfg.lengths == (1, 1, 1)
    assert cfg.index["c"] == 2
    assert len(cfg) == 3


def test_missing_block_is_an_error_with_its_name() -> None:
    with pytest.raises(ValueError, match="@f has no block %nowhere"):
        build_cfg(function(Block("a", (Br("nowhere"),))))


def test_unreachable_blocks_are_in_no_order() -> None:
    cfg = cfg_of([[1], [], [1, 2]])
    assert cfg.reachable == (True, True, False)
    assert cfg.rpo == (0, 1)
    assert cfg.preorder == (0, 1)
    assert cfg.predecessors[1] == (0, 2)


def test_orders_take_successors_in_text_order() -> None:
    diamond = cfg_of([[2, 1], [3], [3], []])
    assert diamond.preorder == (0, 2, 3, 1)
    assert diamond.rpo == (0, 1, 2, 3)
    preorder, postorder = depth_first(diamond.successors, backwards=True)
    assert preorder == [0, 1, 3, 2]
    assert postorder == [3, 1, 2, 0]


def test_reverse_postorder_puts_a_block_before_what_only_it_leads_to() -> None:
    for cfg in random_cfgs(1, 200):
        assert set(cfg.rpo) == set(cfg.preorder) == reached(cfg)
        place = {block: at for at, block in enumerate(cfg.rpo)}
        finished = {block: at for at, block in enumerate(reversed(cfg.rpo))}
        for block in cfg.rpo:
            for successor in cfg.successors[block]:
                back_edge = finished[successor] >= finished[block]
                assert back_edge or place[block] < place[successor]
