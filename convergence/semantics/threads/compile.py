"""From a function's IR to prepared code: one register per SSA value, one closure per instruction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ir import instructions as ir
from ...ir import operands as op
from ...ir.calls import assembly_name, callee_name, is_convergent
from ...ir.escape import moving_loads
from ...ir.instructions import operands
from ...ir.module import Block, Function, Module
from ...ir.types import FunctionType, IntType
from ..errors import NotModelled, Undefined
from ..instructions import prepare_access
from ..instructions.memory import fence_of
from ..instructions.promises import attribute_promises, defined_word
from ..operations.effects import promises_memory
from ..operations.model import Callee
from ..values.value import Value
from .calls import KILL, Calls, counted
from .state import Code, CodeBlock, Finish, Frame, Registers, Thread
from .translation import SegmentBuilder, Terminators, Translation, failing, failing_finish

# ----------------------------------------------------------------------------------------------------------
# ``callbr`` (LangRef, *'callbr' Instruction*): a call that goes on at one of several labels.
#
# LLVM has it for inline assembly, and for the intrinsic that kills a thread. Nobody models what assembly
# does: a call of it is a call of a function without a model, whose name is its text, and which label it goes
# on to is a free choice of the thread, the direct one first. In a refinement that is a stand-in, as results
# are: the same assembly on the same operands goes the same way on both sides.
# ----------------------------------------------------------------------------------------------------------


class Branching:
    """Prepares the ``callbr`` of one function."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self.declared = calls.declared
        self.translation = calls.translation
        self.program = calls.program

    def callbr(self, segments: SegmentBuilder, block: Block, index: int, call: ir.CallBr) -> None:
        """The end of a block. NotModelled for what LLVM does not take there, either."""
        terminators, labels = self.calls.terminators, (call.fallthrough, *call.indirect)
        edges = [terminators.edge(block, label) for label in labels]
        if callee_name(call) == KILL:
            finish = self.declared.kill(index, call, KILL, edges[0])
        elif isinstance(call.callee, op.InlineAsm):
            finish = self._to_one_of(segments, index, call, assembly_name(call.callee), edges)
        else:
            raise NotModelled("a callbr of what is neither assembly nor an intrinsic")
        if self.program.settings.path_of == self.translation.code.name:
            finish = terminators.by_path(block, call, finish, labels)
        segments.finish(index, finish)

    def _to_one_of(
        self, segments: SegmentBuilder, index: int, call: ir.CallBr, name: str, edges: Sequence[Finish]
    ) -> Finish:
        """Assembly. Labels have numbers, the direct one is 0; the number is the result of the event."""
        declared, translation, settings = self.declared, self.translation, self.program.settings
        site, promised = self.calls.site(index), self.program.effects(name, call)
        labels = (call.fallthrough, *call.indirect)
        effects = declared.is_event(promised)
        slots, result, label = (
            translation.slots(operands(call)),
            translation.result(call),
            translation.unnamed_register(),
        )
        check = self.calls.noundef(call, None, slots)
        record = declared.recorded(index, is_convergent(self.program.module, call))
        number = IntType(max(1, (len(labels) - 1).bit_length()))
        which = Callee(f"label of {name}", FunctionType(number, call.type.parameters), self.program.context)
        callee = Callee.of(name, call, self.program.context)
        before = declared.before(index, call, name, promised)

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            frame = thread.frame
            assert frame is not None
            if check is not None:
                check(r)
            key = record(thread, frame)
            shown = declared.operand_data(frame, slots, call.type.parameters) if effects else ()
            nth = before(r, shown)
            if settings.reading:
                taken: Any = Value(thread.environment.target(thread, site, labels), False)
                r[label] = taken
            else:
                taken = translation.stand_in(r, which, nth, slots, label)
            if result >= 0:
                translation.stand_in(r, callee, nth, slots, result)
                thread.environment.stand_ins[name] = None
            if effects:
                number_shown = translation.plain_value(taken, IntType(32))
                thread.environment.saw_call(thread, site, name, shown, number_shown, key)

        go_on = translation.switch(label, index, dict(enumerate(edges)), edges[0])
        if not settings.reading:  # then the thread waits for the stand-in alone
            segments.step(index, step, result)
            return go_on

        def finish(thread: Thread, frame: Frame) -> Frame | None:
            step(frame.registers)
            return go_on(thread, frame)

        waiting: Finish = finish
        for slot in dict.fromkeys(slots):  # where it goes depends on its operands (D-CAUSE)
            waiting = translation.needing(slot, index, waiting)
        return waiting


class Compiler:
    """Cuts a function's blocks into segments. Never fails for what a thread may never reach."""

    TERMINATORS: type[Terminators] = Terminators
    CALLS: type[Calls] = Calls

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.code = translation.code
        self.terminators = self.TERMINATORS(translation)
        self.calls = self.CALLS(translation, self.terminators)
        self.branching = Branching(self.calls)
        self.moving = moving_loads(translation.function)
        self.broken = _forbidden(translation.program.module, translation.function)
        for block, code in zip(translation.function.blocks, self.code.blocks, strict=True):
            self._block(block, code)
        translation.compiled()

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
            keep = attribute_promises(words, parameter.type, self.translation.context)
            if keep is not None:
                segments.promise(0, self.translation.pure(keep, (slot,), slot), slot)
            if (word := defined_word(words)) is not None:
                undefined = self.translation.defined((slot,), f"the {word} %{parameter.name}")
                segments.promise(0, undefined, slot)

    def _instruction(
        self, segments: SegmentBuilder, block: Block, index: int, instruction: ir.Instruction
    ) -> None:
        if self.translation.stands_alone(block, instruction):
            segments.cut(index)
        if self.broken is not None and (promise := self.broken(instruction)) is not None:
            raise Undefined(promise, "Function Attributes")
        if instruction is block.terminator and not isinstance(instruction, ir.CallSite):
            segments.finish(index, self.terminators.terminator(block, index, instruction))
        elif isinstance(instruction, ir.CallBr):
            self.branching.callbr(segments, block, index, instruction)
        elif isinstance(instruction, ir.CallSite):
            self.calls.call(segments, block, index, instruction)
        elif isinstance(instruction, ir.Alloca):
            segments.step(index, self.translation.alloca(instruction), self.translation.result(instruction))
        elif isinstance(instruction, ir.Fence):
            fence = fence_of(instruction, self.translation.context)
            segments.step(index, self.translation.fence(index, fence), -1)
        elif (access := prepare_access(instruction, self.translation.context, self.moving)) is not None:
            segments.add(
                index,
                counted(self.translation.access(index, instruction, access), instruction),
                self.translation.result(instruction),
            )
        elif (evaluate := self.translation.evaluate(instruction)) is not None:
            slots = self.translation.slots(operands(instruction))
            slot = self.translation.result(instruction)
            segments.step(index, self.translation.pure(evaluate, slots, slot), slot)
        else:
            raise NotModelled(f"the instruction {ir.opcode(instruction)}")


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
