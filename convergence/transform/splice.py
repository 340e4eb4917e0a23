"""A callee's body in place of a call.

The result of ``entry`` in the copy becomes the token of the call's ``convergencectrl`` bundle. A callee of
one block without ``loop`` goes between the call's neighbours; any other body gets blocks of its own, so that
a ``loop`` stays the first convergent operation of its block (S-LOOP-FIRST), and what followed the call goes
to a new block, to which its returns lead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..ir import instructions as ir
from ..ir.calls import Control, callee_name, control, token_used
from ..ir.instructions import Call, CallSite, Instruction
from ..ir.module import Block, Function
from ..ir.operands import Int, Local, Operand, Simple
from ..ir.types import VOID
from .rewrite import Names, Substitution, renamed_by, with_incoming, with_operands, with_targets

_LEFT = frozenset(("dbg", "DIAssignID", "alias.scope", "noalias"))
"""Attachments that a copy does not take along: places and variables of the callee, and scopes of one
activation. Where there is debug information ``llvm.loop`` may hold places, too."""


@dataclass(slots=True)
class Splicer:
    """One caller on its way: ``names`` are its names, ``values`` stand in place of calls' results,
    ``allocas`` go to its entry block, ``moved`` maps a block to the one that now has its end."""

    names: Names
    values: Substitution = field(default_factory=lambda: Substitution({}))
    allocas: list[Instruction] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)

    def function(self, caller: Function, bodies: dict[int, Function]) -> tuple[Block, ...]:
        """The caller's blocks with the calls at some indices (in ``Function.instructions``) replaced by
        copies of bodies."""
        blocks: list[Block] = []
        index = 0
        for block in caller.blocks:
            name, kept = block.name, list[Instruction]()
            for instruction in block.instructions:
                body = bodies.get(index)
                index += 1
                if body is None:
                    kept.append(instruction)
                    continue
                assert isinstance(instruction, Call)
                copy = Copy(self, instruction, body)
                if copy.is_straight:
                    kept += copy.straight()
                    continue
                end, inner = copy.blocks()
                blocks.append(Block(name, (*kept, ir.Br(inner[0].name)), block.span))
                blocks += inner
                name, kept = end, copy.joined()
            blocks.append(Block(name, tuple(kept), block.span))
            if name != block.name:
                self.moved[block.name] = name
        return self._finished(blocks)

    def _finished(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """Phis name the blocks that now branch to them; values are substituted; allocas stand first."""
        with_phis = [with_incoming(block, renamed_by(self.moved)) for block in blocks]
        first, *rest = self.values.over(with_phis)
        at = self.values.over([Block("", tuple(self.allocas))])[0].instructions
        return (replace(first, instructions=(*at, *first.instructions)), *rest)


_TAILS = ("tail", "musttail")


class Copy:
    """One copy of a body for one call.

    ``operands`` maps what the body has from the call (parameters, the token of ``entry``) to the caller's
    operands, ``renamed`` its other values and its blocks to their names in the caller.
    """

    def __init__(self, splicer: Splicer, call: Call, body: Function) -> None:
        self.splicer, self.call, self.body = splicer, call, body
        self.location = tuple(pair for pair in call.attachments if pair[0] == "dbg")
        self.left = _LEFT | {"llvm.loop"} if self.location else _LEFT
        self.returns: list[tuple[Operand | None, str]] = []
        self.prefix = body.name.strip('"')
        self.operands: dict[str, Operand] = {}
        self.renamed: dict[str, str] = {}
        for parameter, argument in zip(body.parameters, call.arguments, strict=True):
            self.operands[parameter.name] = argument.value
        for block in body.blocks:
            self.renamed[block.name] = self._new(block.name)
            for instruction in block.instructions:
                if control(instruction) is Control.ENTRY:
                    by = token_used(call)
                    assert by is not None and instruction.result is not None
                    self.operands[instruction.result] = by
                elif instruction.result is not None:
                    self.renamed[instruction.result] = self._new(instruction.result)

    def _new(self, name: str) -> str:
        """``name.i``, as LLVM's inliner has it; for what has only a number, named for the callee."""
        bare = name.strip('"')
        return self.splicer.names.new(f"{self.prefix}.{bare}" if bare.isdigit() else f"{bare}.i")

    @property
    def is_straight(self) -> bool:
        """One block that returns, without ``loop``."""
        if len(self.body.blocks) != 1 or not isinstance(self.body.blocks[0].terminator, ir.Ret):
            return False
        return not any(control(i) is Control.LOOP for i in self.body.instructions)

    def straight(self) -> list[Instruction]:
        """The only block's instructions; the call's result is what it returns."""
        block = self.body.blocks[0]
        instructions = list(self._copied(block, is_first=True))
        last = block.terminator
        assert isinstance(last, ir.Ret)
        if last.value is not None and self.call.result is not None:
            self.splicer.values.by_name[self.call.result] = self._operand(last.value)
        return instructions

    def blocks(self) -> tuple[str, list[Block]]:
        """The name of the block after the call, and the copied blocks, the callee's entry first."""
        end = self._new("after")
        self.end = end
        copies = []
        for number, block in enumerate(self.body.blocks):
            kept = list(self._copied(block, is_first=number == 0))
            kept.append(self._ended(block))
            copied = Block(self.renamed[block.name], tuple(kept))
            copies.append(with_incoming(copied, renamed_by(self.renamed)))
        return end, copies

    def joined(self) -> list[Instruction]:
        """What the block after the call begins with: a phi where several returns bring values.

        A callee that never returns leaves it without predecessors, and its result is poison.
        """
        if self.call.result is None or self.call.type.result == VOID:
            return []
        values = [(value, block) for value, block in self.returns if value is not None]
        if len(values) == 1:
            self.splicer.values.by_name[self.call.result] = values[0][0]
            return []
        if not values:
            self.splicer.values.by_name[self.call.result] = Simple(self.call.type.result, "poison")
            return []
        return [ir.Phi(self.call.type.result, tuple(values), result=self.call.result)]

    # -- instructions -----------------------------------------------------------------------------------

    def _copied(self, block: Block, is_first: bool) -> Iterator[Instruction]:
        """A block's instructions without its terminator, ``entry``, and debug records."""
        for instruction in block.instructions[:-1]:
            if control(instruction) is Control.ENTRY or is_debug(instruction):
                continue
            copied = self._copy(instruction)
            if is_first and isinstance(copied, ir.Alloca) and _is_static(copied):
                self.splicer.allocas.append(copied)
            else:
                yield copied

    def _copy(self, instruction: Instruction) -> Instruction:
        copied = with_operands(instruction, self._local)
        if copied.result is not None:
            copied = replace(copied, result=self.renamed[copied.result])
        if isinstance(copied, Call) and copied.marker == "tail" and self.call.marker not in _TAILS:
            copied = replace(copied, marker="")  # it may now be given memory of the caller's activation
        kept = tuple(pair for pair in copied.attachments if pair[0] not in self.left)
        attachments = (*self.location, *kept)
        return replace(copied, attachments=attachments) if attachments != copied.attachments else copied

    def _ended(self, block: Block) -> Instruction:
        last = block.terminator
        if isinstance(last, ir.Ret):
            value = None if last.value is None else self._operand(last.value)
            self.returns.append((value, self.renamed[block.name]))
            return ir.Br(self.end, attachments=self.location)
        return with_targets(self._copy(last), renamed_by(self.renamed))

    def _operand(self, operand: Operand) -> Operand:
        return self._local(operand) if isinstance(operand, Local) else operand

    def _local(self, local: Local) -> Operand:
        """What a value of the body is in the caller."""
        if local.name in self.operands:
            return self.operands[local.name]
        return Local(local.type, self.renamed[local.name])


def is_debug(instruction: Instruction) -> bool:
    """A debug record, or its older form, a call of ``llvm.dbg``: true of the function that it was in."""
    if isinstance(instruction, ir.DebugRecord):
        return True
    name = callee_name(instruction) if isinstance(instruction, CallSite) else None
    return name is not None and name.startswith(("llvm.dbg.", "llvm.experimental.noalias.scope.decl"))


def _is_static(alloca: ir.Alloca) -> bool:
    return alloca.count is None or isinstance(alloca.count, Int)
