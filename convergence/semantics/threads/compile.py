"""From a function's IR to prepared code: one register per SSA value, one closure per instruction."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from ...ir import Local
from ...ir import instructions as ir
from ...ir.cfg import is_no_ssa
from ...ir.instructions import operands
from .. import NotModelled, Undefined
from ..instructions import PURE, is_volatile, prepare_access
from ..operations import promises_memory
from .translation import (
    SegmentBuilder,
    Terminators,
    Translation,
    failing,
    failing_finish,
    require_executed,
)

if TYPE_CHECKING:
    from ...ir.module import Block, Function, Module
    from ..memory.accesses import PrepareAccess
    from . import Code, CodeBlock
    from .calls import Calls


class Compiler:
    """Cuts a function's blocks into segments. Never fails for what a thread may never reach."""

    TERMINATORS: type[Terminators] = Terminators

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.code = translation.code
        self.terminators = self.TERMINATORS(translation)
        self.broken = _forbidden(translation.program.module, translation.function)
        self.is_no_ssa = self.terminators.is_no_ssa = is_no_ssa(translation.function)
        for block, code in zip(translation.function.blocks, self.code.blocks, strict=True):
            self._block(block, code)
        translation.compiled()

    @cached_property
    def moving(self) -> frozenset[str]:
        """The loads that nothing is computed from."""
        from ...ir.escape import moving_loads

        return moving_loads(self.translation.function)

    @cached_property
    def calls(self) -> Calls:
        """Of functions that call: the others need nothing of what calls are."""
        from .calls import Calls

        calls = self.code.calls = Calls(self.translation, self.terminators)
        return calls

    def _block(self, block: Block, code: CodeBlock) -> None:
        """Cuts a block into segments: each call that may stop or enter, and the terminator, ends one."""
        first = self.code.graph.nodes[code.number].first
        segments = SegmentBuilder(code.entry, first)
        if code.number == 0:
            self._parameters(segments)
        for index, instruction in enumerate(block.instructions, first):
            if isinstance(instruction, ir.Phi | ir.DebugRecord):
                continue
            try:
                self._instruction(segments, block, index, instruction)
            except (NotModelled, Undefined) as problem:
                step = failing(problem)
                if instruction is block.terminator:
                    segments.finish(index, failing_finish(problem))
                else:
                    segments.step(index, step, -1)

    def _parameters(self, segments: SegmentBuilder) -> None:
        """What arguments become by what the function's parameters promise: poison where that is not kept, and
        undefined behaviour where they may not be poison."""
        for parameter, slot in zip(self.translation.function.parameters, self.code.parameters, strict=True):
            words = self.translation.program.module.resolve(parameter.attributes)
            if not words:
                continue
            from ..instructions.promises import attribute_promises, defined_word, poisoning_words

            keep = attribute_promises(words, parameter.type, self.translation.context)
            if keep is not None:
                segments.promise(0, self.translation.pure(keep, (slot,), slot), slot)
            if (word := defined_word(words)) is not None:
                others = "".join(f" {other}" for other in poisoning_words(words))
                called = f"the {word}{others} %{parameter.name}"
                undefined = self.translation.defined((slot,), called)
                segments.promise(0, undefined, slot)

    def _instruction(
        self, segments: SegmentBuilder, block: Block, index: int, instruction: ir.Instruction
    ) -> None:
        if self.translation.stands_alone(block, instruction):
            segments.cut(index)
        if self.is_no_ssa:
            self._executed(segments, index, instruction)
        if self.broken is not None and (promise := self.broken(instruction)) is not None:
            raise Undefined(promise, "Function Attributes")
        if instruction.__class__ in PURE:
            self._pure(segments, index, instruction)
        elif instruction is block.terminator and not isinstance(instruction, ir.CallSite):
            segments.finish(index, self.terminators.terminator(block, index, instruction))
        elif isinstance(instruction, ir.CallBr):
            self.calls.branching.callbr(segments, block, index, instruction)
        elif isinstance(instruction, ir.CallSite):
            self.calls.call(segments, block, index, instruction)
        elif isinstance(instruction, ir.Alloca):
            segments.step(index, self.translation.alloca(instruction), self.translation.result(instruction))
        elif isinstance(instruction, ir.Fence):
            from ..instructions.memory import fence_of

            fence = fence_of(instruction, self.translation.context)
            segments.step(index, self.translation.fence(index, fence), -1)
        elif (access := self._access(instruction)) is not None:
            planned = self.translation.access(index, instruction, access)
            if is_volatile(instruction):
                from .calls import counted

                planned = counted(planned, instruction)
            segments.add(index, planned, self.translation.result(instruction))
        else:
            self._pure(segments, index, instruction)

    def _executed(self, segments: SegmentBuilder, index: int, instruction: ir.Instruction) -> None:
        """In front of an instruction of broken SSA form: NotModelled where a definition has given no value
        yet. Instructions that only hand a value on would not notice."""
        read = [*operands(instruction)]
        if isinstance(instruction, ir.CallSite):
            read.append(instruction.callee)
        slots = tuple(self.code.slots[value.name] for value in read if isinstance(value, Local))
        if slots:
            segments.promise(index, lambda r: require_executed([r[s] for s in slots]), slots[0])

    def _pure(self, segments: SegmentBuilder, index: int, instruction: ir.Instruction) -> None:
        evaluate = self.translation.evaluate(instruction)
        if evaluate is None:
            raise NotModelled(f"the instruction {ir.opcode(instruction)}")
        slots = self.translation.slots(operands(instruction))
        slot = self.translation.result(instruction)
        segments.step(index, self.translation.pure(evaluate, slots, slot), slot)

    def _access(self, instruction: ir.Instruction) -> PrepareAccess | None:
        moving = self.moving if isinstance(instruction, ir.Load) else ()
        return prepare_access(instruction, self.translation.context, moving)


def _forbidden(module: Module, function: Function) -> Callable[[ir.Instruction], str | None] | None:
    """Which promise of memory an instruction breaks for certain, if the function makes any: most do not, and
    need nothing of what finds it out."""
    if not promises_memory(module, function):
        return None
    from ..instructions.promises import ForbiddenAccesses

    return ForbiddenAccesses(module, function).broken


def compiled(translation: Translation) -> Code:
    """A function's prepared code, for one environment."""
    return Compiler(translation).code
