"""A CFG in which unreachable blocks count, too: the static rules hold for them, so tokens must be theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..frozen import dataclass
from ..ir import instructions as ir
from ..ir.cfg import Cfg, build_cfg, graph
from ..ir.cycles import Cycle, Cycles, cycles
from ..ir.instructions import Instruction
from ..ir.module import Block, Function
from ..ir.operands import Int, Local, Operand, Simple
from ..ir.types import I1, IntType
from .notes import CannotTransform
from .rewrite import Names, with_blocks, with_targets


def cfg_with_unreachable(function: Function) -> Cfg:
    """The CFG, with an edge from the entry to a block of each unreachable part that nothing else leads to.

    So every block is reachable, and every cycle is one of the CFG's; the entry block stays in none.
    """
    cfg = build_cfg(function)
    if all(cfg.reachable):
        return cfg
    roots: list[int] = []
    visited = [bool(flag) for flag in cfg.reachable]
    for block in range(len(cfg)):
        if visited[block]:
            continue
        below = _below(cfg, block)
        roots = [root for root in roots if root not in below] + [block]
        for other in below:
            visited[other] = True
    edges = [list(targets) for targets in cfg.successors]
    edges[0] += roots
    return graph(cfg.names, edges, cfg.lengths)


def _below(cfg: Cfg, root: int) -> set[int]:
    """The blocks that can be reached from a block, itself too."""
    blocks, todo = {root}, [root]
    while todo:
        for target in cfg.successors[todo.pop()]:
            if target not in blocks:
                blocks.add(target)
                todo.append(target)
    return blocks


# -- Irreducible cycles made reducible: a block that dispatches becomes their only entry
# COS, *Inferring Tokens*, asks for it first; LLVM's own ``fix-irreducible`` pass does it in the same way.
# Of an irreducible cycle with the entries E1 (its header) to En, the edges from outside to any of them,
# and the edges from inside to the header, go to a new block instead. There a phi has the number of the
# entry that the edge led to, and a branch goes there. So the new block is the header of a natural loop,
# and a thread passes the same other blocks in the same order as before.
# Why values keep their dominance: each entry could be reached from outside without another block of the
# cycle, so what dominated a use in the cycle from inside still lies behind the dispatch, and what
# dominated it from outside dominated every entry. Phis of an entry get what edges from outside brought
# through a phi of the new block, which is poison for edges to other entries.


@dataclass(frozen=True, slots=True)
class DispatchBlock:
    """What was done to one cycle: ``block`` is its only entry now, ``entries`` were they (the header
    first), ``cycle`` its blocks as they were, ``split`` the new blocks on edges to ``block``."""

    block: str
    entries: tuple[str, ...]
    cycle: tuple[str, ...]
    split: tuple[str, ...] = ()

    def __str__(self) -> str:
        entries = ", ".join(f"%{name}" for name in self.entries)
        inside = " ".join(f"%{name}" for name in self.cycle)
        through = f", through {', '.join(f'%{name}' for name in self.split)}" if self.split else ""
        return (
            f"the cycle of {inside} is irreducible, with entries {entries}: edges from outside to them, and "
            f"edges back to %{self.entries[0]}, go to the new block %{self.block}{through}, which dispatches"
        )


def make_reducible(function: Function) -> tuple[Function, tuple[DispatchBlock, ...]]:
    """The function without irreducible cycles, and what was done for it, outermost cycles first.

    A cycle that was made reducible stays so when the cycles in it are: each has fewer blocks of the text.

    :raises CannotTransform: if an edge to an entry cannot be led elsewhere (an indirect branch, exceptions)
    """
    done: list[DispatchBlock] = []
    while True:
        cfg = cfg_with_unreachable(function)
        forest = cycles(cfg)
        worst = next((cycle for cycle in forest.all if not cycle.is_reducible), None)
        if worst is None:
            return function, tuple(done)
        function, dispatch = _Dispatching(function, cfg, forest, worst).finish()
        done.append(dispatch)


_MOVABLE = (ir.Br, ir.CondBr, ir.Switch, ir.CallBr)


class _Dispatching:
    """One cycle of one function on its way. ``edges`` are those led to the new block: (from, to) with
    ``from`` the block that ends in a branch to it after all, be it new."""

    def __init__(self, function: Function, cfg: Cfg, forest: Cycles, cycle: Cycle) -> None:
        self.function = function
        self.blocks = function.blocks
        self.names = Names(function)
        self.inside = frozenset(forest.blocks(cycle))
        self.entries = [cfg.names[e] for e in cycle.entries]
        self.cfg = cfg
        self.cycle = tuple(cfg.names[b] for b in sorted(self.inside))
        self.guard = self.names.new(f"{self.entries[0]}.dispatch")
        self.edges: list[tuple[str, str]] = []
        self.came_from: dict[tuple[str, str], str] = {}  # edge -> the predecessor of the text
        self.split: list[str] = []

    def finish(self) -> tuple[Function, DispatchBlock]:
        blocks: list[Block] = []
        at = {name: number for number, name in enumerate(self.cfg.names)}
        first = min(at[e] for e in self.entries)
        changed = [self._redirect(number, block) for number, block in enumerate(self.blocks)]
        guard = self._guard()
        for number, group in enumerate(changed):
            if number == first:
                blocks.append(guard)
            head, *rest = group
            blocks.append(self._entry(head) if head.name in self.entries else head)
            blocks += rest
        dispatch = DispatchBlock(self.guard, tuple(self.entries), self.cycle, tuple(self.split))
        return with_blocks(self.function, blocks), dispatch

    # -- edges ------------------------------------------------------------------------------------------

    def _redirect(self, number: int, block: Block) -> list[Block]:
        """A block whose edges to entries, as far as they are to move, lead to the new block; then the
        blocks put on these edges, where it has several or more than one way to spell one."""
        leaving = ir.successors(block.terminator)
        internal = number in self.inside
        moved = [t for t in leaving if t in self.entries and (not internal or t == self.entries[0])]
        if not moved:
            return [block]
        last = block.terminator
        if isinstance(last, ir.Invoke) and last.unwind not in moved:
            pass
        elif not isinstance(last, _MOVABLE):
            cycle = " ".join(f"%{name}" for name in self.cycle)
            raise CannotTransform(
                f"an edge to the irreducible cycle of {cycle} cannot be led elsewhere: "
                f"%{block.name} ends in {ir.opcode(last)}"
            )
        if len(moved) == 1:
            self._note(block.name, moved[0], block.name)
            target = {moved[0]: self.guard}
            extra: list[Block] = []
        else:
            target, extra = {}, []
            for entry in dict.fromkeys(moved):
                name = self.names.new(f"{block.name.strip(chr(34))}.to.{entry.strip(chr(34))}")
                target[entry] = name
                extra.append(Block(name, (ir.Br(self.guard),)))
                self.split.append(name)
                self._note(name, entry, block.name)
        ended = with_targets(last, lambda name: target.get(name, name))
        return [replace(block, instructions=(*block.instructions[:-1], ended)), *extra]

    def _note(self, source: str, entry: str, before: str) -> None:
        self.edges.append((source, entry))
        self.came_from[source, entry] = before

    # -- blocks -----------------------------------------------------------------------------------------

    def _guard(self) -> Block:
        """The phis of the entries, the selector, the branch."""
        two = len(self.entries) == 2
        kind = I1 if two else IntType(32)
        number = {name: n for n, name in enumerate(self.entries)}
        selector = self.names.new(f"{self.entries[0]}.entered".strip('"'))
        chosen = tuple((Int(kind, number[entry]), source) for source, entry in self.edges)
        self.carried: dict[tuple[str, str], Local] = {}
        phis: list[Instruction] = [ir.Phi(kind, chosen, result=selector)]
        for block in self.blocks:
            if block.name in number:
                phis += self._carrying(block)
        value = Local(kind, selector)
        way: Instruction
        if two:
            way = ir.CondBr(value, self.entries[1], self.entries[0])
        else:
            cases = tuple((Int(kind, n), name) for name, n in number.items() if n)
            way = ir.Switch(value, self.entries[0], cases)
        return Block(self.guard, (*phis, way))

    def _carrying(self, entry: Block) -> Iterable[Instruction]:
        """For each phi of an entry a phi of the new block with what the moved edges brought."""
        for phi in _phis(entry):
            assert phi.result is not None
            brought = {block: value for value, block in phi.incoming}
            name = self.names.new(f"{phi.result}.in")
            self.carried[entry.name, phi.result] = Local(phi.type, name)
            incoming: list[tuple[Operand, str]] = []
            for source, target in self.edges:
                if target == entry.name:
                    incoming.append((brought[self.came_from[source, target]], source))
                else:
                    incoming.append((Simple(phi.type, "poison"), source))
            yield ir.Phi(phi.type, tuple(incoming), result=name)

    def _entry(self, block: Block) -> Block:
        """An entry whose phis take what was brought through the new block from there."""
        gone = {self.came_from[edge] for edge in self.edges if edge[1] == block.name}
        instructions: list[Instruction] = []
        for instruction in block.instructions:
            if isinstance(instruction, ir.Phi):
                assert instruction.result is not None
                kept = tuple((value, b) for value, b in instruction.incoming if b not in gone)
                value = self.carried[block.name, instruction.result]
                instruction = replace(instruction, incoming=((value, self.guard), *kept))
            instructions.append(instruction)
        return replace(block, instructions=tuple(instructions))


def _phis(block: Block) -> Sequence[ir.Phi]:
    return [i for i in block.instructions if isinstance(i, ir.Phi)]
