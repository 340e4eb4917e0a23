"""Which values live at each block's head: what a fast register allocator spills."""

from __future__ import annotations

from ....ir.instructions import Phi
from ....ir.operands import Local
from ....semantics.instructions import operands
from ..facts import Facts


def live_in(facts: Facts, names: frozenset[str]) -> tuple[frozenset[str], ...]:
    """By block: its phis, and those of ``names`` that it or blocks behind it read without writing them."""
    blocks, cfg = facts.function.blocks, facts.cfg
    reads: list[set[str]] = [set() for _ in blocks]
    writes = [{i.result for i in block.instructions if i.result is not None} for block in blocks]
    phis = [{i.result for i in b.instructions if isinstance(i, Phi) and i.result is not None} for b in blocks]
    for number, block in enumerate(blocks):
        for instruction in block.instructions:
            if isinstance(instruction, Phi):  # read at the end of the block that it comes from
                for value, source in instruction.incoming:
                    if isinstance(value, Local):
                        reads[cfg.index[source]].add(value.name)
            else:
                reads[number].update(o.name for o in operands(instruction) if isinstance(o, Local))
    for number, written in enumerate(writes):  # in SSA a block writes what it reads before it reads it,
        reads[number] -= written  # but for its phis, which are there at its head
    live = [reads[n] | phis[n] for n in range(len(blocks))]
    work = list(range(len(blocks)))
    while work:
        number = work.pop()
        behind = set().union(*(live[s] for s in cfg.successors[number]))
        found = live[number] | (behind - writes[number])
        if found != live[number]:
            live[number] = found
            work.extend(cfg.predecessors[number])
    return tuple(frozenset(found & names) for found in live)
