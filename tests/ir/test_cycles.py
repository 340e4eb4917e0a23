"""Cycles against LLVM's terminology, and against LLVM.

covers: ir.cfg
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time

import pytest

from convergence.ir.cfg import Cfg, Cycle, Cycles, Order, cycles

from .shapes import NEST_DEPTH, cfg_of, deep_nest, random_cfgs, reached

OPT = next((tool for tool in ("opt-22", "opt") if shutil.which(tool)), None)


def named(cfg: Cfg, forest: Cycles, cycle: Cycle) -> tuple[int, str, frozenset[str], frozenset[str]]:
    """Depth, header, entries and blocks by name."""
    names = [cfg.names[b] for b in cycle.entries]
    blocks = frozenset(cfg.names[b] for b in forest.blocks(cycle))
    return cycle.depth, cfg.names[cycle.header], frozenset(names), blocks


def test_natural_loops_nest() -> None:
    cfg = cfg_of([[1], [2], [2, 3], [1, 4], []])
    for order in Order:
        forest = cycles(cfg, order)
        assert [named(cfg, forest, c) for c in forest.all] == [
            (1, "b1", frozenset({"b1"}), frozenset({"b1", "b2", "b3"})),
            (2, "b2", frozenset({"b2"}), frozenset({"b2"})),
        ]
        inner = forest.innermost(2)
        assert inner is not None
        assert forest.parent(inner) is forest.all[0]
        assert [c.header for c in forest.around(2)] == [2, 1]
        assert forest.innermost(0) is None
        assert forest.innermost(4) is None
        assert [c.header for c in forest.top_level()] == [1]


def test_the_search_decides_the_header_of_an_irreducible_cycle() -> None:
    cfg = cfg_of([[1, 2], [2, 3], [1, 3], []])
    text, backwards = cycles(cfg), cycles(cfg, Order.REVERSED)
    assert [c.header for c in text.all] == [1]
    assert [c.header for c in backwards.all] == [2]
    for forest in (text, backwards):
        assert set(forest.all[0].entries) == {1, 2}
        assert not forest.all[0].is_reducible


def test_unreachable_blocks_are_in_no_cycle_and_make_no_entry() -> None:
    cfg = cfg_of([[1], [2], [1, 3], [], [2, 4]])
    forest = cycles(cfg)
    assert [c.header for c in forest.all] == [1]
    assert forest.all[0].is_reducible
    assert forest.innermost(4) is None


def strongly_connected(cfg: Cfg, blocks: set[int]) -> list[set[int]]:
    """The strongly connected parts with an edge inside, of the CFG cut down to ``blocks``."""

    def from_(start: int) -> set[int]:
        seen: set[int] = set()
        todo = [b for b in cfg.successors[start] if b in blocks]
        while todo:
            block = todo.pop()
            if block not in seen:
                seen.add(block)
                todo.extend(b for b in cfg.successors[block] if b in blocks)
        return seen

    after = {block: from_(block) for block in blocks}
    parts = [{b for b in after[a] if a in after[b]} for a in blocks if a in after[a]]
    return [part for at, part in enumerate(parts) if part not in parts[:at]]


def agree(cfg: Cfg, forest: Cycles, expected: list[set[int]], found: list[Cycle]) -> None:
    """Whether the cycles found are those expected, and so on inside, by the recursive definition."""
    by_blocks = {frozenset(forest.blocks(c)): c for c in found}
    assert set(by_blocks) == {frozenset(part) for part in expected}
    for part, cycle in by_blocks.items():
        outside = [p for b in part for p in cfg.predecessors[b] if p not in part and cfg.reachable[p]]
        entries = {b for p in outside for b in cfg.successors[p] if b in part} | ({0} & part)
        assert set(cycle.entries) == entries
        assert cycle.entries[0] == cycle.header == forest.blocks(cycle)[0]
        children = [forest.all[at] for at in cycle.children]
        assert all(child.parent == cycle.index for child in children)
        agree(cfg, forest, strongly_connected(cfg, set(part) - {cycle.header}), children)


@pytest.mark.parametrize("order", Order)
def test_the_forest_is_the_recursive_definition(order: Order) -> None:
    """Cycles of a set of blocks: its strongly connected parts; inside, those without the header."""
    for cfg in random_cfgs(4, 300):
        forest = cycles(cfg, order)
        agree(cfg, forest, strongly_connected(cfg, reached(cfg)), list(forest.top_level()))
        for cycle in forest.all:
            blocks = forest.blocks(cycle)
            first, last = forest.span(cycle)
            for block in range(len(cfg)):
                assert forest.contains(cycle, block) == (block in blocks)
                assert (first <= forest.rank(block) < last) == (block in blocks)


def test_outermost_without_is_the_walk_up() -> None:
    for cfg in random_cfgs(5, 300):
        forest = cycles(cfg)
        for block in range(len(cfg)):
            for avoided in range(len(cfg)):
                wanted = [c for c in forest.around(block) if not forest.contains(c, avoided)]
                assert forest.outermost_without(block, avoided) == (wanted[-1] if wanted else None)


def test_deep_nest_is_no_trouble() -> None:
    cfg = deep_nest()
    begin = time.process_time()
    forest = cycles(cfg)
    for header in range(1, NEST_DEPTH):
        outermost = forest.outermost_without(NEST_DEPTH, header)
        assert outermost is not None
        assert outermost.header == header + 1
    assert time.process_time() - begin < 5
    assert forest.all[-1].depth == NEST_DEPTH


def ir(cfg: Cfg, name: str) -> str:
    """A function with this CFG, its branches all switches."""
    lines = [f"define void @{name}(i32 %x) {{"]
    for block, targets in enumerate(cfg.successors):
        lines.append(f"b{block}:")
        if targets:
            cases = " ".join(f"i32 {case}, label %b{b}" for case, b in enumerate(targets[1:]))
            lines.append(f"  switch i32 %x, label %b{targets[0]} [ {cases} ]")
        else:
            lines.append("  ret void")
    return "\n".join([*lines, "}"])


@pytest.mark.skipif(OPT is None, reason="LLVM's `opt`, which prints its cycles, is not installed")
def test_equal_to_llvm() -> None:
    """LLVM's search takes the last successor first, so that its forest is ``Order.REVERSED``."""
    assert OPT is not None
    cfgs = list(random_cfgs(6, 400))
    text = "\n".join(ir(cfg, f"f{number}") for number, cfg in enumerate(cfgs))
    ran = subprocess.run(
        [OPT, "-passes=print<cycles>", "-disable-output", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    if "unknown pass" in ran.stderr or ran.returncode:
        pytest.skip(f"this {OPT} prints no cycles: {ran.stderr[:80]}")
    parts = re.split(r"CycleInfo for function: f(\d+)\n", ran.stderr)[1:]
    printed = dict(zip(map(int, parts[::2]), parts[1::2], strict=True))
    for number, cfg in enumerate(cfgs):
        llvm = set()
        for line in printed[number].splitlines():
            found = re.match(r"\s*depth=(\d+): entries\(([^)]*)\)(.*)", line)
            assert found is not None
            entries = found[2].split()
            blocks = frozenset([*entries, *found[3].split()])
            llvm.add((int(found[1]), entries[0], frozenset(entries), blocks))
        forest = cycles(cfg, Order.REVERSED)
        assert {named(cfg, forest, cycle) for cycle in forest.all} == llvm
