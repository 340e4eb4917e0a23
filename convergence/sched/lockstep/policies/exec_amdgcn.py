"""``exec-amdgcn``: code that LLVM's AMDGPU back end has lowered, with its own operations on exec.

After LLVM 22's ``SIAnnotateControlFlow.cpp``, which writes them, and ``SILowerControlFlow.cpp``, which makes
machine code of them. A wave has one place in the code, exec says which lanes are on, and a mask is a scalar
register: the wave has one value of it, whichever lanes are off (E-WAVE). What each operation does is one
function here.

``if``, ``else`` and ``loop`` change exec at the branch that ends their block, ``else`` and ``end.cf`` wake
lanes at the head of theirs. A lane that is off stands, as a thread, before the block that it branched to; a
mask that wakes it elsewhere is wrong, and so is a branch without a mask on which lanes do not agree.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, cast

from ....frozen import dataclass
from ....ir import Int, Local, Operand
from ....ir.calls import ExecKind, ExecOperation, exec_operations
from ....ir.instructions import Br, CallSite, CondBr, ExtractValue, Instruction, Phi, opcode, operands
from ....semantics import Undefined
from ..conform import Misled, Stranded, Unmasked, WrongMask
from ..policy import Facts, Mask, Policy, Refused, WaveResult, lanes

_MACHINE_CODE: Mapping[ExecKind, tuple[str, ...]] = {
    ExecKind.IF: ("s_and_saveexec", "s_xor", "s_cbranch_execz"),
    ExecKind.ELSE: ("s_or_saveexec", "s_and", "s_xor", "s_cbranch_execz"),
    ExecKind.IF_BREAK: ("s_and", "s_or"),
    ExecKind.LOOP: ("s_andn2", "s_cbranch_execnz"),
    ExecKind.END_CF: ("s_or",),
}
"""What ``si-lower-control-flow`` makes of each, without its size."""


class Saved(NamedTuple):
    """The mask in a scalar register, and the lanes whose bit in it is poison."""

    bits: Mask
    poison: Mask = 0


@dataclass(frozen=True)
class BlockMasks:
    """What a block does to masks. ``phis``: by result, the operand for each block before; ``wakes``: the
    operation that turns lanes on at its head; ``branch``: the operation that goes with its terminator;
    ``operations``: by instruction index, in order."""

    phis: Mapping[str, Mapping[int, Operand]]
    wakes: int | None
    branch: ExecKind | None
    operations: Mapping[int, ExecOperation]


class LoweredFunction:
    """The operations on exec of a function, block by block. Raises Refused for what the back end would not
    take: a mask that something else reads, ``if``, ``else`` or ``loop`` without the branch of its block."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        function = facts.function
        self.operations: dict[int, ExecOperation] = dict(exec_operations(function))
        self.width = max((operation.width for operation in self.operations.values()), default=64)
        self._results = {
            i.result: self.operations[n] for n, i in enumerate(function.instructions) if n in self.operations
        }
        self.extracted: dict[str, str] = {
            i.result: i.aggregate.name
            for i in function.instructions
            if isinstance(i, ExtractValue) and i.indices == (1,) and i.result is not None
            and isinstance(i.aggregate, Local) and i.aggregate.name in self._results
        }  # fmt: skip
        self._masks = self._mask_names()
        starts, at = [], 0
        for block in function.blocks:
            starts.append(at)
            at += len(block.instructions)
        self.starts = tuple(starts)
        self.blocks = tuple(self._block(number) for number in range(len(function.blocks)))

    def _mask_names(self) -> frozenset[str]:
        """The values that are masks: of the operations, taken out of their results, and phis of these."""
        instructions = self.facts.function.instructions
        breaks = {n for n, o in self._results.items() if n is not None and o.kind is ExecKind.IF_BREAK}
        names, grown = breaks | set(self.extracted), set[str]()
        while grown != names:
            grown = set(names)
            names |= {
                i.result
                for i in instructions
                if isinstance(i, Phi) and i.result is not None
                and any(isinstance(v, Local) and v.name in grown for v, _ in i.incoming)
            }  # fmt: skip
        pairs = {n for n, o in self._results.items() if o.kind in (ExecKind.IF, ExecKind.ELSE)}
        for index, instruction in enumerate(instructions):
            if isinstance(instruction, ExtractValue | Phi) or index in self.operations:
                continue
            for operand in operands(instruction):
                if isinstance(operand, Local) and operand.name in names | pairs:
                    raise Refused(f"a mask of lanes, %{operand.name}, is read by {opcode(instruction)}")
        return frozenset(names)

    def _block(self, number: int) -> BlockMasks:
        facts = self.facts
        block, start = facts.function.blocks[number], self.starts[number]
        inside = {start + n: i for n, i in enumerate(block.instructions)}
        mine = {index: self.operations[index] for index in inside if index in self.operations}
        phis = {
            i.result: {facts.cfg.index[source]: value for value, source in i.incoming}
            for i in inside.values()
            if isinstance(i, Phi) and i.result is not None and i.result in self._masks
        }
        waking = [n for n, o in mine.items() if o.kind in (ExecKind.ELSE, ExecKind.END_CF)]
        if len(waking) > 1:
            raise Refused(f"two operations turn lanes on at the head of %{block.name}")
        if waking:
            own = {i.result for i in inside.values() if i.result is not None and not isinstance(i, Phi)}
            (mask,) = operands(inside[waking[0]])
            if isinstance(mask, Local) and mask.name in own:
                raise Refused(f"%{block.name} turns lanes on by a mask that it makes itself")
        branching = [n for n, o in mine.items() if o.kind in (ExecKind.IF, ExecKind.ELSE, ExecKind.LOOP)]
        branch = self._branch(block.terminator, inside)
        if [inside[n].result for n in branching] != ([] if branch is None else [branch]):
            raise Refused(f"an operation on exec in %{block.name} does not decide the branch of its block")
        kind = None if branch is None else self._results[branch].kind
        return BlockMasks(phis, waking[0] if waking else None, kind, mine)

    def _branch(self, terminator: Instruction, inside: Mapping[int, Instruction]) -> str | None:
        """The operation of the block by whose result its terminator branches, by that result's name."""
        match terminator:
            case CondBr(condition=Local(name=name)):
                definition = next((i for i in inside.values() if i.result == name), None)
            case _:
                return None
        match definition:
            case ExtractValue(aggregate=Local(name=source), indices=(0,)) if source in self._results:
                return source
            case CallSite() if name in self._results and self._results[name].kind is ExecKind.LOOP:
                return name
            case _:
                return None


def lowered_function(facts: Facts) -> LoweredFunction:
    """What a function does to masks, made once."""
    entry = facts.derived.get("lowered")
    if entry is None:
        entry = facts.derived["lowered"] = LoweredFunction(facts)
    return cast(LoweredFunction, entry)


class ExecAmdgcn(Policy):
    """``exec``: the lanes that are on; ``saved``: the masks in scalar registers; ``off``: by lane that is
    off, the block before which it stands."""

    name = "exec-amdgcn"
    lowered = True

    def begin(self, mask: Mask) -> None:
        self.code = lowered_function(self.facts)
        if mask >> self.code.width:
            raise Refused(f"the program's masks have {self.code.width} lanes, and the wave has more")
        self.operations = frozenset(self.code.operations)
        self.exec = mask
        self.saved: dict[str, Saved] = {}
        self.off: dict[int, int] = {}
        self.block: int | None = None
        self._arrive(0, None)

    # -- the wave's way ----------------------------------------------------------------------------------

    def pick(self) -> tuple[int, Mask] | None:
        return None if self.block is None else (self.block, self.exec)

    def _arrive(self, block: int, before: int | None) -> None:
        """The wave comes to a block: its masks take their values by the wave's edge, then lanes wake."""
        masks = self.code.blocks[block]
        self.block, self.awake, self.performed = block, self.exec, set[int]()
        if before is not None:
            taken = {name: self._value(incoming[before]) for name, incoming in masks.phis.items()}
            self.saved.update(taken)
        if masks.wakes is not None:
            self._wake(masks.wakes, block)

    def _wake(self, index: int, block: int) -> None:
        """E-END, E-ELSE: the lanes of the mask are on from the head of the block."""
        (mask,) = operands(self.facts.function.instructions[index])
        woken = self._mask(mask)
        for lane in lanes(woken & ~self.exec):
            if self.off.get(lane) != block:
                at = self.off.get(lane)
                self._wrong(
                    index, lane, self.exec | woken, self.exec | (self._standing(block) & woken),
                    Misled(self.facts.name(block), None if at is None else self.facts.name(at)),
                )  # fmt: skip
            del self.off[lane]
        self.exec |= woken

    def _standing(self, block: int) -> Mask:
        return sum(1 << lane for lane, at in self.off.items() if at == block)

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        """The branch at the end of a block; operations that ran for nobody are done before."""
        masks = self.code.blocks[block]
        for index in masks.operations:
            if index not in self.performed:
                self.perform(index, 0, {})
        ran = self.exec  # some of them are gone, and then they go nowhere
        following, on = self._following(block, targets)
        for target, mask in targets.items():
            self.off.update(dict.fromkeys(lanes(mask & ~on), target))
        if following is None:
            self._ends(block, ran)
        self._counts(self._terminator(block))
        if following is not None:
            self.exec = on
            self._arrive(following, block)

    def _following(self, block: int, targets: Mapping[int, Mask]) -> tuple[int | None, Mask]:
        """Where the wave goes, ``None`` if it returns, and the lanes that are on then."""
        terminator, successors = self.facts.terminators[block], self.facts.cfg.successors[block]
        branch = self.code.blocks[block].branch
        if branch is not None:  # s_cbranch_execz to the second successor, s_cbranch_execnz of a loop
            inside, outside = successors[0], successors[-1]
            if branch is ExecKind.LOOP:
                inside, outside = outside, inside
            on = targets.get(inside, 0)
            return (inside if on else outside), on
        if not successors:
            return None, 0
        if not targets:
            return self._with_nobody(block, terminator, successors), 0
        if len(targets) > 1:
            self._parts(block, targets)
        return next(iter(targets.items()))

    def _with_nobody(self, block: int, terminator: Instruction, successors: Sequence[int]) -> int:
        """Where a wave goes by a branch without a mask, if no lane is on."""
        match terminator:
            case Br():
                return successors[0]
            case CondBr(condition=Int(value=value)):
                return successors[0] if value & 1 else successors[-1]
            case _:
                raise Refused(f"the branch of %{self.facts.name(block)} is taken while no lane is on")

    def _parts(self, block: int, targets: Mapping[int, Mask]) -> None:
        """E-WAVE: lanes do not agree at a branch without a mask. The wave goes where its lowest lane goes."""
        where = {lane: target for target, mask in targets.items() for lane in lanes(mask)}
        wave = where[min(where)]
        lane = min(lane for lane, target in where.items() if target != wave)
        index = self._terminator(block)
        because = Unmasked(self.facts.name(where[lane]), self.facts.name(wave))
        self._wrong(index, lane, sum(targets.values()), targets[wave], because)

    def _ends(self, block: int, ran: Mask) -> None:
        """The wave leaves the function: nobody may be left behind."""
        self.block = None
        if self.off:
            lane = min(self.off)
            index = self._terminator(block)
            standing = sum(1 << n for n in self.off)
            self._wrong(index, lane, ran, ran | standing, Stranded(self.facts.name(self.off[lane])))

    def _terminator(self, block: int) -> int:
        """The index of a block's terminator in its function."""
        return self.code.starts[block] + len(self.facts.function.blocks[block].instructions) - 1

    def _counts(self, index: int) -> None:
        """The wave has executed an instruction: in whatever activation of its function."""
        self.issued.times[self.issued.wave, self.facts.function.name, index] += 1

    def _wrong(
        self, index: int, lane: int, ran: Mask, rightly: Mask, because: Unmasked | Misled | Stranded
    ) -> None:
        nth = self.issued.times[self.issued.wave, self.facts.function.name, index] + 1
        raise WrongMask(self.facts.function.name, index, nth, lane, ran, rightly, because)

    # -- operations --------------------------------------------------------------------------------------

    def perform(self, index: int, on: Mask, conditions: Mapping[int, bool | None]) -> WaveResult:
        instruction = self.facts.function.instructions[index]
        kind = self.code.operations[index].kind
        self.performed.add(index)
        self._counts(index)
        self.did(
            *(f"{name}_b{self.code.width}" if "branch" not in name else name for name in _MACHINE_CODE[kind])
        )
        true = sum(1 << lane for lane, holds in conditions.items() if holds)
        match kind:
            case ExecKind.IF:
                return self._if(instruction, on, true)
            case ExecKind.ELSE:
                return self._else(instruction, on)
            case ExecKind.IF_BREAK:
                unknown = sum(1 << lane for lane, holds in conditions.items() if holds is None)
                return self._if_break(instruction, true, unknown)
            case ExecKind.LOOP:
                return self._loop(instruction, on)
            case ExecKind.END_CF:
                return WaveResult(None, None)

    def _if(self, instruction: Instruction, on: Mask, true: Mask) -> WaveResult:
        """E-IF: lanes whose condition is false are saved; the others are on behind the branch."""
        mask = self._set(instruction, Saved(on & ~true))
        return WaveResult({lane: bool(true >> lane & 1) for lane in lanes(on)}, mask)

    def _else(self, instruction: Instruction, on: Mask) -> WaveResult:
        """E-ELSE: lanes that were on before this block are saved; those that it woke go on."""
        mask = self._set(instruction, Saved(on & self.awake))
        return WaveResult({lane: not self.awake >> lane & 1 for lane in lanes(on)}, mask)

    def _if_break(self, instruction: Instruction, true: Mask, unknown: Mask) -> WaveResult:
        """E-BREAK: the mask with the lanes whose condition is true added to it."""
        _, mask = operands(instruction)
        old = self._value(mask)
        new = Saved(old.bits | true, (old.poison | unknown) & ~(old.bits | true))
        return WaveResult(None, self._set(instruction, new))

    def _loop(self, instruction: Instruction, on: Mask) -> WaveResult:
        """E-LOOP: lanes of the mask leave; the others are on behind the branch. Undefined where a lane's bit
        is poison, as its branch would be."""
        (mask,) = operands(instruction)
        if self._value(mask).poison & on:
            raise Undefined("br on poison, by llvm.amdgcn.loop", "'br' Instruction")
        leaving = self._mask(mask, on)
        return WaveResult({lane: bool(leaving >> lane & 1) for lane in lanes(on)}, None)

    # -- scalar registers --------------------------------------------------------------------------------

    def _set(self, instruction: Instruction, value: Saved) -> Mask:
        if instruction.result is not None:
            self.saved[instruction.result] = value
        return value.bits

    def _value(self, operand: Operand) -> Saved:
        """What a mask holds; all lanes of undef and poison are poison."""
        match operand:
            case Int(value=value):
                return Saved(value & (1 << self.code.width) - 1)
            case Local(name=name):
                return self.saved.get(self.code.extracted.get(name, name), self._nothing)
            case _:
                return self._nothing

    def _mask(self, operand: Operand, of: Mask = -1) -> Mask:
        """A mask that decides which lanes are on: poison in it decides nothing that is defined."""
        value = self._value(operand)
        if value.poison & of:
            raise Refused("a mask of lanes is poison where it decides who is on")
        return value.bits

    @property
    def _nothing(self) -> Saved:
        return Saved(0, (1 << self.code.width) - 1)

    def state(self) -> Hashable:
        return self.block, self.exec, tuple(sorted(self.off.items())), tuple(sorted(self.saved.items()))
