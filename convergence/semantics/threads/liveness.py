"""Which registers the rest of a run may depend on, by place: the others may hold anything.

A value is *needed* if it decides a branch, goes into a call, an access, a return or a division, or into the
computation of a needed value: a counter that nobody looks at is not. It is *live* where a path leads from
to a use before it is defined again (Aho, Lam, Sethi, Ullman, *Compilers*, section 9.2.5, over needed uses
only).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...ir import instructions as ir
from ...ir.module import Function
from ...ir.operands import Local, Operand
from ..instructions import operands
from .state import Code

_COMPUTES = (
    ir.FNeg, ir.ICmp, ir.FCmp, ir.Conversion, ir.ExtractElement, ir.InsertElement, ir.ShuffleVector,
    ir.ExtractValue, ir.InsertValue, ir.GetElementPtr, ir.Select, ir.Freeze, ir.Phi,
)  # fmt: skip
_DIVISIONS = frozenset(("udiv", "sdiv", "urem", "srem"))
"""What may be undefined at once, so that its operands matter although nobody uses the result."""


def only_computes(instruction: ir.Instruction) -> bool:
    """Whether all that an instruction does is to define its result."""
    if isinstance(instruction, ir.Binary):
        return instruction.opcode not in _DIVISIONS
    return isinstance(instruction, _COMPUTES)


def uses(instruction: ir.Instruction) -> Iterator[str]:
    """The values that an instruction reads, tokens included, but for those of a phi."""
    read: list[Operand] = [*operands(instruction)]
    if isinstance(instruction, ir.CallSite):
        read.append(instruction.callee)
        for bundle in instruction.bundles:
            read += bundle.inputs
    for operand in read:
        if isinstance(operand, Local):
            yield operand.name


def needed(function: Function) -> frozenset[str]:
    """The values of a function that matter to anything but themselves."""
    roots = (name for i in function.instructions if not only_computes(i) for name in uses(i))
    return computed_from(function, roots)


def computed_from(function: Function, roots: Iterable[str]) -> frozenset[str]:
    """These values and those that they are computed from, back to what does more than compute."""
    definitions = {i.result: i for i in function.instructions if i.result is not None}
    names: set[str] = set()
    work = [*roots]
    while work:
        name = work.pop()
        if name in names:
            continue
        names.add(name)
        instruction = definitions.get(name)
        if instruction is None:
            continue
        if isinstance(instruction, ir.Phi):
            work += [value.name for value, _ in instruction.incoming if isinstance(value, Local)]
        elif only_computes(instruction):
            work += uses(instruction)
    return frozenset(names)


class Liveness:
    """The registers of a prepared function that are live, by the instruction that is executed next. With
    ``all_uses`` also those that only something reads which nobody needs."""

    def __init__(self, code: Code, all_uses: bool = False) -> None:
        self._code = code
        self._needed = frozenset(code.slots) if all_uses else needed(code.function)
        self._leaving = self._solve()
        self._known: dict[int, tuple[int, ...]] = {}

    def at(self, index: int) -> tuple[int, ...]:
        """The registers that are live before an instruction; in front of a block's phis, behind them: an edge
        has given them their values."""
        known = self._known.get(index)
        if known is None:
            code = self._code
            block = code.graph.block_of[index]
            live = self._back(block, index, set(self._leaving[block]))
            known = self._known[index] = tuple(sorted(code.slots[n] for n in live if n in code.slots))
        return known

    def _back(self, block: int, index: int, live: set[str]) -> set[str]:
        """What is live before an instruction of a block, from what is where the block ends."""
        code = self._code
        node = code.graph.nodes[block]
        for at in range(node.last, index - 1, -1):
            instruction = code.instructions[at]
            if isinstance(instruction, ir.Phi):
                break
            if only_computes(instruction) and instruction.result not in self._needed:
                continue
            live.discard(instruction.result or "")
            live.update(uses(instruction))
            held = code.region_tokens.get(at, ())  # a call hangs from these as well (D-CALL)
            if held:
                live.update(name for name, slot in code.slots.items() if slot in held)
        return live

    def _solve(self) -> list[set[str]]:
        """What is live where each block ends."""
        code = self._code
        blocks = code.function.blocks
        leaving: list[set[str]] = [set() for _ in blocks]
        before: list[list[int]] = [[] for _ in blocks]
        for number, node in enumerate(code.graph.nodes):
            for successor in node.successors:
                before[successor].append(number)
        work = list(range(len(blocks)))
        while work:
            number = work.pop()
            live = self._back(number, code.graph.nodes[number].first, set(leaving[number]))
            phis = [i for i in blocks[number].instructions if isinstance(i, ir.Phi)]
            taken = [phi for phi in phis if phi.result in live]
            live -= {phi.result or "" for phi in phis}
            for source in before[number]:
                name = blocks[source].name
                arriving = live | {
                    value.name
                    for phi in taken
                    for value, block in phi.incoming
                    if block == name and isinstance(value, Local)
                }
                if not arriving <= leaving[source]:
                    leaving[source] |= arriving
                    work.append(source)
        return leaving
