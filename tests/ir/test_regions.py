"""Convergence regions against their definition.

covers: ir.cfg
"""

from __future__ import annotations

from convergence.ir.cfg import Cfg, Point, Region, convergence_region, dominators, graph

from .shapes import random_cfgs


def region(cfg: Cfg, definition: tuple[int, int], *uses: tuple[int, int]) -> Region:
    points = [Point(*use) for use in uses]
    return convergence_region(cfg, dominators(cfg), Point(*definition), points)


LINE = graph(["a", "b", "c"], [[1], [2], []], [3, 4, 5])


def test_within_a_block_from_the_definition_to_the_last_use() -> None:
    found = region(LINE, (1, 1), (1, 2), (1, 3))
    assert found.spans == {1: (2, 4)}
    assert not found.contains(Point(1, 1)), "its own operand is read before the token is there"
    assert found.contains(Point(1, 3)), "the last use is inside"
    assert found.contains_definition(Point(1, 1)), "a region contains its own definition"
    assert found.contains_definition(Point(1, 2))
    assert not found.contains_definition(Point(1, 3)), "what the last use defines comes after the region"


def test_across_blocks() -> None:
    found = region(LINE, (0, 2), (2, 1))
    assert found.spans == {0: (3, 4), 1: (0, 5), 2: (0, 2)}
    assert found.blocks == (0, 1, 2)
    assert found.contains_definition(Point(0, 2))
    assert found.contains_definition(Point(1, 3))


def test_no_use_no_region() -> None:
    assert region(LINE, (0, 0)).spans == {}


def test_a_path_that_passes_the_definition_again_does_not_count() -> None:
    loop = graph(["a", "b", "c"], [[1], [1, 2], []], [1, 5, 1])
    assert region(loop, (1, 2), (1, 3)).spans == {1: (3, 4)}


def test_use_before_the_definition_in_an_unreachable_loop() -> None:
    """The definition reaches the use over the back edge, and the points above it are not dominated."""
    nowhere = graph(["a", "b"], [[], [1]], [1, 5])
    assert region(nowhere, (1, 3), (1, 1)).spans == {1: (4, 6)}


def test_points_of_a_use_that_is_not_dominated_are_left_out() -> None:
    diamond = graph(["a", "b", "c", "d"], [[1, 2], [3], [3], []], [1, 2, 2, 2])
    assert region(diamond, (1, 0), (3, 0)).spans == {1: (1, 3)}


def test_every_point_by_its_definition() -> None:
    """A point is inside iff the definition is before it on every path and a use can be reached."""
    for seed, cfg in enumerate(random_cfgs(7, 300, most=7)):
        cfg = graph(cfg.names, cfg.successors, [2] * len(cfg))
        tree = dominators(cfg)
        size = len(cfg)
        definition = Point(seed % size, seed // 3 % 2)
        uses = [Point((seed * 5 + k * 3) % size, (seed + k) % 2) for k in range(seed % 3 + 1)]
        uses = [use for use in uses if use != definition]
        found = convergence_region(cfg, tree, definition, uses)
        for block in range(size):
            for position in range(2):
                start = Point(block, position)
                seen: set[Point] = set()
                todo = [start]
                while todo:
                    point = todo.pop()
                    if point in seen or point == definition:
                        continue
                    seen.add(point)
                    if point.position == 0:
                        todo.append(Point(point.block, 1))
                    else:
                        todo.extend(Point(b, 0) for b in cfg.successors[point.block])
                # A definition that reads its own point is a use there, and passing it ends the walk.
                live = any(use in seen for use in uses)
                assert found.contains(start) == (live and tree.defined_before(definition, start))
