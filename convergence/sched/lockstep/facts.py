"""What a policy may know of a function: its CFG, and orders and trees that hardware compilers make of it."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import Any

from ...frozen import dataclass
from ...ir.cfg import Cfg, Dominators, build_cfg, dominators, graph
from ...ir.cycles import Cycles, cycles
from ...ir.instructions import DebugRecord, Instruction, Phi, Unreachable, opcode
from ...ir.module import Block, Function

EXIT = -1
"""Stands for the end of the function where a block's number is asked for."""


def _is_never(block: Block) -> bool:
    """Whether a block is nothing but ``unreachable``."""
    *before, terminator = block.instructions
    return isinstance(terminator, Unreachable) and all(isinstance(i, Phi | DebugRecord) for i in before)


@dataclass(frozen=True)
class Facts:
    """The CFG of ``function``; a block is its index in the text. ``derived``: what machines make of it."""

    function: Function
    derived: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def cfg(self) -> Cfg:
        return build_cfg(self.function)

    @cached_property
    def dominators(self) -> Dominators:
        return dominators(self.cfg)

    @cached_property
    def cycles(self) -> Cycles:
        return cycles(self.cfg)

    @cached_property
    def terminators(self) -> tuple[Instruction, ...]:
        return tuple(block.terminator for block in self.function.blocks)

    def name(self, block: int) -> str:
        return self.cfg.names[block]

    @cached_property
    def post_dominator(self) -> tuple[int, ...]:
        """Each block's immediate post-dominator; ``EXIT`` where that is the function's end, and where the
        end cannot be reached.

        A block that is nothing but ``unreachable`` is no end: no lane comes there, and LLVM's back ends give
        a switch no way to such a default (``SelectionDAGBuilder::visitSwitch``). Optimising makes one of
        every switch that has all cases.
        """
        cfg = self.cfg
        ends = [
            b
            for b in range(len(cfg))
            if not cfg.successors[b] and cfg.reachable[b] and not _is_never(self.function.blocks[b])
        ]
        backwards = [[p + 1 for p in cfg.predecessors[b] if cfg.reachable[p]] for b in range(len(cfg))]
        tree = dominators(graph(("end", *cfg.names), ([b + 1 for b in ends], *backwards)))
        return tuple(tree.idom[b + 1] - 1 if tree.idom[b + 1] > 0 else EXIT for b in range(len(cfg)))

    @cached_property
    def irreducible(self) -> tuple[str, ...]:
        """The blocks through which some cycle with several entries is entered; none if all are reducible."""
        for cycle in self.cycles.all:
            if not cycle.is_reducible:
                return tuple(self.name(b) for b in sorted(cycle.entries))
        return ()

    @cached_property
    def back_edges(self) -> tuple[tuple[int, int], ...]:
        """The edges (latch, header) whose header dominates the latch, in text order of the latches."""
        cfg, tree = self.cfg, self.dominators
        return tuple(
            (b, s)
            for b in range(len(cfg))
            if cfg.reachable[b]
            for s in cfg.successors[b]
            if tree.dominates(s, b)
        )

    def loop_body(self, header: int, latches: tuple[int, ...]) -> frozenset[int]:
        """The natural loop of these back edges: the header, and what reaches a latch without it."""
        body, work = {header}, [b for b in latches if b != header]
        while work:
            block = work.pop()
            if block not in body:
                body.add(block)
                work.extend(p for p in self.cfg.predecessors[block] if self.cfg.reachable[p])
        return frozenset(body)

    def lacks_model(self, *kinds: type[Instruction]) -> str | None:
        """The first terminator of these kinds, by its name."""
        for terminator in self.terminators:
            if isinstance(terminator, kinds):
                return opcode(terminator)
        return None
