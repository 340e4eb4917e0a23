"""``callbr`` (LangRef, *'callbr' Instruction*): a call that goes on at one of several labels.

LLVM has it for inline assembly, and for the intrinsic that kills a thread. Nobody models what assembly does:
a call of it is a call of a function without a model, whose name is its text, and which label it goes on to is
a free choice of the thread, the direct one first. In a refinement that is a stand-in, as results are: the
same assembly on the same operands goes the same way on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ir import instructions as ir
from ...ir import operands as op
from ...ir.calls import assembly_name, callee_name, is_convergent
from ...ir.module import Block
from ...ir.types import FunctionType, IntType
from ..errors import NotModelled
from ..instructions import operands
from ..operations.model import Callee
from ..values.value import Value
from .calls import KILL, Calls
from .segments import SegmentBuilder
from .state import Finish, Frame, Registers, Thread


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
