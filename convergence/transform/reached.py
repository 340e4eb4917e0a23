"""A CFG in which unreachable blocks count, too: the static rules hold for them, so tokens must be theirs."""

from __future__ import annotations

from ..ir.cfg import Cfg, build_cfg, graph
from ..ir.module import Function


def cfg_with_unreachable(function: Function) -> Cfg:
    """The CFG, with an edge from the entry to a block of each unreachable part that nothing else leads to.

    So every block is reachable, and every cycle is one of the CFG's; the entry block stays in none.
    """
    cfg = build_cfg(function)
    if all(cfg.reachable):
        return cfg
    roots: list[int] = []
    seen = [bool(flag) for flag in cfg.reachable]
    for block in range(len(cfg)):
        if seen[block]:
            continue
        below = _below(cfg, block)
        roots = [root for root in roots if root not in below] + [block]
        for other in below:
            seen[other] = True
    edges = [list(targets) for targets in cfg.successors]
    edges[0] += roots
    return graph(cfg.names, edges, cfg.lengths)


def _below(cfg: Cfg, root: int) -> set[int]:
    """The blocks that can be reached from a block, itself too."""
    found, todo = {root}, [root]
    while todo:
        for target in cfg.successors[todo.pop()]:
            if target not in found:
                found.add(target)
                todo.append(target)
    return found
