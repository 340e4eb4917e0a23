"""A split's lanes, natively, as far as one call goes; and branches that the program says do not diverge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...frozen import Json, dataclass
from ...ir import Local, Metadata, MetadataReference, MetadataString, MetadataTuple, Operand, Type
from ...ir import instructions as ir
from ...ir.calls import callee_name, control, is_grouped
from ...ir.instructions import CallSite, Instruction, operands
from ...ir.module import Function, Module
from ...packages import required_llvm, without_llvm
from ...semantics.machine import Issued, MaskVisited
from ...semantics.machine.launch import Launch
from ...semantics.machine.program import EngineKind, Program
from ...semantics.machine.tally import Tally
from ...semantics.threads import Code, Frame, Segment, Thread
from ...semantics.threads.step import explain
from ...semantics.values import plain
from .machine import LockstepMachine
from .policy import Mask
from .waits import ConvergenceWait
from .waves import Activation, Issuer, WarpSplit

if TYPE_CHECKING:
    from ...semantics.native.lanes import LaneAnswer, LaneEngine, WaveLanes

# ----------------------------------------------------------------------------------------------------------
# Branches that the program says do not diverge: ``!llvm.branch`` non_divergent, a claim per wave.
#
# After *Non-divergent branches*. Both spellings count: the proposal's own, a node that holds itself and the
# node with the string, and the flat one.
# A claim is *proved* by a conservative static uniformity: the condition is made, by instructions without
# memory, of constants and of arguments that have one value for all threads of the launch.
# ----------------------------------------------------------------------------------------------------------

KIND = "llvm.branch"
NON_DIVERGENT = b"llvm.branch.non_divergent"


@dataclass(frozen=True, slots=True)
class Parted:
    """A branch, issued as ``step``, sent lanes to several blocks; ``values`` of its condition by lane, if
    it was claimed not to."""

    step: Issued
    targets: Mapping[int, Mask]
    values: Mapping[int, Json]


@dataclass(frozen=True, slots=True)
class Claim:
    """A branch at the end of ``block`` that is claimed not to diverge; ``broken``: where it first did."""

    function: str
    block: str
    proved: bool
    broken: Parted | None


class ClaimCondition(NamedTuple):
    """The register that holds what a claimed branch decides by."""

    slot: int
    type: Type


class ClaimedBranches:
    """The claimed branches of a program, by function and instruction index."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[str, dict[int, ClaimCondition]] = {}

    def at(self, code: Code, index: int) -> ClaimCondition | None:
        """The condition of the branch at ``index``, if the program claims that it does not diverge."""
        known = self._known.get(code.name)
        if known is None:
            known = self._known[code.name] = {}
            for at, instruction in enumerate(code.instructions):
                wanted = operands(instruction)
                if instruction.attachments and wanted and isinstance(wanted[0], Local):
                    if claimed(self._program.module, instruction):
                        known[at] = ClaimCondition(code.slots[wanted[0].name], wanted[0].type)
        return known.get(index)

    def values(self, condition: ClaimCondition, threads: Sequence[Thread]) -> dict[int, Json]:
        """What the condition is in each lane, as plain data."""
        values_by_lane: dict[int, Json] = {}
        for thread in threads:
            assert thread.frame is not None
            value = thread.frame.registers[condition.slot]
            values_by_lane[thread.lane] = plain(value, condition.type, self._program.layout)
        return values_by_lane


def claims(module: Module, launch: Launch, parted: Sequence[Parted]) -> tuple[Claim, ...]:
    """Every claim of the module, in text order, against the branches that parted lanes."""
    first: dict[tuple[str, int], Parted] = {}
    for divergence in parted:
        first.setdefault((divergence.step.function, divergence.step.block), divergence)
    return tuple(
        Claim(function.name, block.name, _proved(function, block.terminator, launch),
              first.get((function.name, number)))
        for function in module.definitions()
        for number, block in enumerate(function.blocks)
        if claimed(module, block.terminator)
    )  # fmt: skip


def claimed(module: Module, terminator: Instruction) -> bool:
    """Whether the branch is claimed not to diverge."""
    return any(kind == KIND and _says_so(module, node) for kind, node in terminator.attachments)


def _says_so(module: Module, root: Metadata) -> bool:
    """Whether a node holds the string, itself or by nodes that it refers to; a node may hold itself."""
    names: set[str] = set()
    work: list[Metadata | None] = [root]
    while work:
        match work.pop():
            case MetadataString(data):
                if data == NON_DIVERGENT:
                    return True
            case MetadataTuple(elements):
                work.extend(elements)
            case MetadataReference(name) if name not in names and name in module.metadata:
                names.add(name)
                work.append(module.metadata[name].value)
            case _:
                pass
    return False


_PURE = (
    ir.FNeg, ir.Binary, ir.ICmp, ir.FCmp, ir.Conversion, ir.Select, ir.ExtractElement, ir.InsertElement,
    ir.ShuffleVector, ir.ExtractValue, ir.InsertValue, ir.GetElementPtr,
)  # fmt: skip


def _proved(function: Function, terminator: Instruction, launch: Launch) -> bool:
    uniform = _uniform_arguments(function, launch)
    by_name = {i.result: i for i in function.instructions if i.result is not None}
    work: list[Operand] = list(operands(terminator))
    names: set[str] = set()
    while work:
        operand = work.pop()
        if not isinstance(operand, Local) or operand.name in names | uniform:
            continue
        names.add(operand.name)
        definition = by_name.get(operand.name)
        if not isinstance(definition, _PURE):
            return False
        work.extend(operands(definition))
    return True


def _uniform_arguments(function: Function, launch: Launch) -> set[str]:
    """The parameters of the launched function that have one value for all threads."""
    if function.name != launch.function or not launch.arguments:
        return set()
    columns = zip(*launch.arguments, strict=True)
    return {
        parameter.name
        for parameter, column in zip(function.parameters, columns, strict=True)
        if all(value == column[0] for value in column)
    }


# ----------------------------------------------------------------------------------------------------------
# A split's lanes run natively as far as one call of native code goes, and what that issued.
#
# Who runs next is the policy's doing, what is issued is logged, and what is not native is the executor's.
# ----------------------------------------------------------------------------------------------------------


LONG = 50_000
"""Instructions, over all lanes, after which ``auto`` goes on natively."""
WORTH = 48
"""Instructions, over the lanes of a mask, for which it is worth putting their registers into words."""

ALONE = 1024
"""Pieces of lanes that run alone, before it is asked how many of them were whole turns."""


class LanesApart(Exception):
    """The lanes of a mask cannot go on natively as one: ``why``, in words."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Onward(NamedTuple):
    """Where lanes are that have gone through their segment natively: in other blocks, by number; or all in
    the segment behind, in which the block goes on."""

    targets: dict[int, Mask]
    stays: Segment | None


class NativeLanes:
    """``tally``: what native code ran, once some did. ``wait`` looks where single lanes are."""

    def __init__(
        self,
        machine: LockstepMachine,
        watch: ClaimedBranches,
        issuer: Issuer,
        engine: EngineKind,
        wait: ConvergenceWait | None,
    ) -> None:
        self.machine = machine
        self._watch = watch
        self._issuer = issuer
        self._auto = engine == "auto"
        self._wait = wait
        self._engine: LaneEngine | None = None
        self._waves: dict[Activation, WaveLanes] = {}
        self._answers: dict[WarpSplit, Sequence[LaneAnswer]] = {}
        self._entries: dict[Code, dict[Segment, int]] = {}
        self._pieces: dict[tuple[Segment, int, int], tuple[list[int], int]] = {}
        self._keyed: dict[Code, frozenset[int]] = {}
        self._off = self._auto and without_llvm() is not None
        if not self._auto:
            required_llvm("native code")

    @property
    def engine(self) -> LaneEngine | None:
        """What runs lanes, once some went natively."""
        return self._engine

    def lanes_of(self, activation: Activation) -> WaveLanes | None:
        """The lanes of an activation, once some went natively."""
        return self._waves.get(activation)

    def expect(self, split: WarpSplit, answers: Sequence[LaneAnswer]) -> None:
        """The lanes of a split have gone on from where it is, and gave these answers."""
        self._answers[split] = answers

    @property
    def tally(self) -> Tally | None:
        return None if self._engine is None else self._engine.tally

    def _ready(self) -> LaneEngine | None:
        if self._engine is None and not self._off and (not self._auto or self._issuer.executed >= LONG):
            from ...semantics.native.lanes import LaneEngine

            of = self.machine
            lanes = 1 + max(thread.lane for thread in of.threads)
            self._engine = LaneEngine(
                of.program, of.memory, of.keys, of.launch, of.subgroups, self._cut, self._holds, lanes,
                of.lanes_apart,
            )  # fmt: skip
        return self._engine

    def _cut(self, code: Code, index: int) -> bool:
        """Whether somebody looks at what lanes hold before an instruction."""
        return self._watch.at(code, index) is not None

    def _holds(self, code: Code, index: int) -> bool:
        """Whether lanes are held before an instruction."""
        return self._wait is not None and self._wait.asks(code, index)

    def is_keyed(self, code: Code, index: int) -> bool:
        """Whether an instruction has a key, or what it enters hangs from what does."""
        known = self._keyed.get(code)
        if known is None:
            known = self._keyed[code] = frozenset(
                at for at, i in enumerate(code.instructions) if isinstance(i, CallSite) and self._has_key(i)
            )
        return index in known

    def _has_key(self, call: CallSite) -> bool:
        module, name = self.machine.program.module, callee_name(call)
        function = None if name is None else module.functions.get(name)
        return is_grouped(module, call) or function is None or not function.is_declaration

    def prepare(self, split: WarpSplit, index: int) -> None:
        """The reference executes an instruction that has a key: what native code noted of tokens is known
        now, and what is done to them now native code has to be told."""
        code = split.activation.code
        if self._engine is not None and self.is_keyed(code, index):
            self.machine.settle()
            lanes = self._waves.get(split.activation)
            if lanes is not None and control(code.instructions[index]) is not None:
                lanes.stale |= split.mask

    def enters(self, split: WarpSplit) -> bool:
        """Whether native code may go on where the split is."""
        if self._engine is None:
            return False
        compiled = self._engine.of(split.activation.code, self._issuer.executed)
        return compiled is not None and split.at in compiled.entries.get(split.segment, ())

    def forward(self, split: WarpSplit) -> Onward | None:
        """Issues what is native from where the split is. ``None``: what comes next is not; then its steps
        before that are done. Raises LanesApart."""
        engine = self._ready()
        if engine is None:
            return None
        activation, segment = split.activation, split.segment
        code = activation.code
        compiled = engine.of(code, self._issuer.executed)
        if compiled is None or activation.policy.operations:
            return None
        entries = compiled.entries.get(segment)
        if entries is None:
            return None
        lanes = self._waves.get(activation)
        if lanes is None:
            lanes = self._waves[activation] = engine.wave(compiled, activation.wave.threads)
        wave = activation.wave
        while (number := entries.get(split.at)) is not None:
            if number in compiled.meetings and split not in self._answers:
                return None  # somebody looks at keys
            if self._auto and not self._answers and not self._is_worth(lanes, split):
                return None
            answers = self._answers.pop(split, None) if self._answers else None
            if answers is None:
                answers = engine.advance(compiled, lanes, number, split.mask, wave.threads, wave.first)
            if not answers:
                return None
            if len(answers) == 1:
                place, back, _, _ = answers[0]
                if place.segment is segment and (place.step or back):
                    split.passing = split.passing and place.step == split.at
                    self._issue(split, place.step)
                    split.at = place.step
                    if back:
                        return None
                    continue
            split.passing = False
            return self._onward(split, answers)
        return None

    def _is_worth(self, lanes: WaveLanes, split: WarpSplit) -> bool:
        """Whether the lanes are native already, or what is ahead is much. Where lanes run alone, it is little
        each time, and worth it as long as what follows mostly goes natively from turn to turn."""
        registers = lanes.registers.get((split.mask & -split.mask).bit_length() - 1)
        if registers is not None and registers.place >= 0:
            return True
        if split.activation.policy.alone and self._engine is not None:
            tally = self._engine.tally
            return tally.calls < ALONE or 2 * tally.turns > tally.calls
        return (len(split.segment.steps) - split.at) * split.mask.bit_count() >= WORTH

    def _issue(self, split: WarpSplit, end: int) -> None:
        """What a piece is issues, from where the split is to before a place of its segment."""
        segment, code = split.segment, split.activation.code
        compiled = None if self._engine is None else self._engine.of(code, self._issuer.executed)
        for k in () if compiled is None else compiled.controls[segment]:
            if split.at <= k < end:
                self._issue_piece(split, k)
                self._count(split, k)
                split.at = k + 1
        self._issue_piece(split, end)

    def _issue_piece(self, split: WarpSplit, end: int) -> None:
        issuer, segment = self._issuer, split.segment
        piece = self._pieces.get((segment, split.at, end))
        if piece is None:
            silent = issuer.silent(split.activation.code)
            issued = segment.instructions(split.at, end)
            shown = [index for index in issued if index not in silent]
            piece = self._pieces[segment, split.at, end] = shown, len(issued)
        shown, instructions = piece
        issuer.issue_all(split, shown, split.mask)
        self.machine.ticks(end - split.at)
        if self._engine is not None:
            self._engine.tally.instructions += instructions * split.mask.bit_count()

    def _count(self, split: WarpSplit, k: int) -> None:
        """Lanes have executed a control intrinsic natively: their tokens are as if the reference had."""
        self.machine.settle()
        self.machine.tick()
        step, index = split.segment.steps[k], split.segment.indices[k]
        for thread in split.activation.wave.of(split.mask):
            frame = thread.frame
            assert frame is not None
            try:
                step(frame.registers)
            except Exception as error:
                thread.at = index
                explain(thread, frame, error)
                raise
        if self._engine is not None:
            self._engine.tally.instructions += split.mask.bit_count()

    def _onward(self, split: WarpSplit, answers: Sequence[LaneAnswer]) -> Onward:
        """The rest of the segment is issued, and what ends it: then the lanes are at these places."""
        behind = [answer for answer in answers if answer.back or answer.place.step]
        if behind:
            name, opcode, why = min(behind, key=lambda answer: answer.place.instruction).blame
            raise LanesApart(f"{opcode} in @{name} ({why}) in some lanes")
        segment, code = split.segment, split.activation.code
        self._issue(split, len(segment.steps) + 1)
        entries = self._entries.get(code)
        if entries is None:
            entries = self._entries[code] = {block.entry: block.number for block in code.blocks}
        if self._wait is not None:
            self._waves[split.activation].place(split.mask)
            for thread in split.activation.wave.of(split.mask):
                thread.epoch += 1
        targets: dict[int, Mask] = {}
        log, first = self.machine.log, split.activation.wave.first
        for place, _, mask, _ in answers:
            number = entries.get(place.segment)
            if number is not None:
                targets[number] = mask
                log.append(MaskVisited(first, mask, code.name, code.blocks[number].name))
            elif len(answers) > 1:
                raise LanesApart("some lanes stay in their block")
            else:
                return Onward({}, place.segment)
        return Onward(targets, None)

    def hand(self, split: WarpSplit, frames: Sequence[Frame | None]) -> None:
        """The next step, or what ends the segment, is not native: it reads the frames' own registers."""
        lanes = self._waves.get(split.activation)
        if lanes is None or self._engine is None:
            return
        lanes.place(split.mask)
        for frame in frames:
            if frame is not None and frame.native is not None:
                self._engine.hand(frame, split.segment, split.at)

    def close(self, activation: Activation) -> None:
        """An activation is over."""
        self._waves.pop(activation, None)

    def place(self) -> None:
        """All frames say in which segment they are."""
        for lanes in self._waves.values():
            lanes.place(lanes.ahead)
