"""Prepared code that waits for values only where they are needed (D-CAUSE)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from ...alignment.instances import StaticInstance
from ...ir import instructions as ir
from ...ir.module import Block, Function
from ...ir.types import Type
from ..errors import NotModelled, UsageError
from ..instructions import operands
from ..instructions.byval import ByvalCopy
from ..threads.compile import Cutting, Translation, require_defined
from ..threads.state import CodeBlock, Finish, Frame, Planned, Registers, Runs, Step
from ..threads.step import Thread
from ..values.pending import Later, Pending, Unknown, is_open, needed, settled
from .speculation import join_of, region_of

if TYPE_CHECKING:
    from ..machine.program import Program
    from .queued import DeferredMachine


def machine_of(thread: Thread) -> DeferredMachine:
    return cast("DeferredMachine", thread.machine)


class DeferredTranslation(Translation):
    """Steps on values to come give values to come; accesses are issued, branches wait."""

    def __init__(self, program: Program, function: Function) -> None:
        self._joins: dict[int, CodeBlock] = {}
        super().__init__(program, function)
        if program.settings.joins:
            for join in self._joins.values():
                self._rejoins(join)

    def _instruction(self, cutting: Cutting, block: Block, index: int, instruction: ir.Instruction) -> None:
        if instruction is block.terminator or isinstance(instruction, ir.CallSite):
            cutting.cut(index)  # what may wait stands alone, so that it can be tried again
        super()._instruction(cutting, block, index, instruction)

    def pure(self, evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int) -> Step:
        def step(r: Registers) -> None:
            self.compute(r, evaluate, slots, slot)

        return step

    def compute(self, r: Registers, evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int) -> Any:
        values: list[Any] = []
        unknown: Unknown | None = None
        waits = False
        for s in slots:  # this is where runs spend their time
            operand = r[s]
            if operand.__class__ is Pending:
                if operand.ready:
                    operand = operand.value
                else:
                    waits = True
            if operand.__class__ is Unknown and unknown is None:
                unknown = operand
            values.append(operand)
        if unknown is not None:
            value: Any = unknown
        elif waits:
            thread: Thread = r[0]
            value = Pending(self._here(thread), evaluate, tuple(values))
            machine_of(thread).unsettled[thread.number].append(value)
        else:
            value = evaluate(*values)
        if slot >= 0:
            r[slot] = value
        return value

    def _here(self, thread: Thread) -> StaticInstance:
        """Where the thread is, near enough for a message: the instruction that its segment ends with."""
        assert thread.frame is not None
        return StaticInstance(self.code.name, thread.frame.segment.last)

    def defined(self, slots: tuple[int, ...], what: str) -> Step:
        def every(*values: Any) -> None:
            for value in values:
                require_defined(value, what)

        def check(r: Registers) -> None:
            known = tuple(s for s in slots if r[s].__class__ is not Unknown)
            self.compute(r, every, known, -1)

        return check

    def needing(self, slot: int, index: int, finish: Finish) -> Finish:
        def wait(thread: Thread, frame: Frame) -> Frame | None:
            value = frame.registers[slot]
            if value.__class__ is Pending:
                if is_open(value):
                    machine_of(thread).block(thread, value, index)
                    return None
                frame.registers[slot] = value.value
            return finish(thread, frame)

        return wait

    def branch(self, block: Block, slot: int, index: int, then: Finish, otherwise: Finish) -> Finish:
        """Under D-DEP what follows the join of a branch over computations need not wait for it."""
        wait = super().branch(block, slot, index, then, otherwise)
        if self.program.settings.order != "dependence":
            return wait
        region = region_of(self, block)
        if region is None:
            return self._supposing(block, slot, wait, then, otherwise)
        follow, program = self.control.skip(region.join), self.program

        def go_on(thread: Thread, frame: Frame) -> Frame | None:
            value = frame.registers[slot]
            if value.__class__ is Pending and is_open(value):
                if program.settings.joins:
                    region.pass_over(machine_of(thread).unsettled, thread.number, frame)
                    return follow(thread, frame)
                program.waits_at_joins = True
            return wait(thread, frame)

        return go_on

    def _supposing(self, block: Block, slot: int, wait: Finish, then: Finish, otherwise: Finish) -> Finish:
        """As :meth:`branch`, where there are operations before the join."""
        join = join_of(self, block)
        if join is None:
            return wait
        self._joins[join.number] = join
        program = self.program

        def go_on(thread: Thread, frame: Frame) -> Frame | None:
            value = frame.registers[slot]
            if value.__class__ is Pending and is_open(value):
                if program.settings.joins:
                    way = machine_of(thread).suppose(thread, frame, value, join)
                    return (then if way else otherwise)(thread, frame)
                program.waits_at_joins = True
            return wait(thread, frame)

        return go_on

    def _rejoins(self, join: CodeBlock) -> None:
        """A step before all others of a block in which ways that were supposed come together."""
        block, entry = self.function.blocks[join.number], join.entry
        phis = [self.result(i) for i in block.instructions if isinstance(i, ir.Phi)]

        def step(r: Registers) -> None:
            machine_of(r[0]).rejoin(r[0], join, phis)

        entry.steps = (step, *entry.steps)
        entry.indices = (entry.first, *entry.indices)
        entry.slots = (-1, *entry.slots)

    def shown(self, value: Any, type_: Type) -> Any:
        return Later(value, type_) if is_open(value) else super().shown(settled(value), type_)

    def _alloca(self, instruction: ir.Alloca) -> Step:
        allocate, slots, slot = (
            super()._alloca(instruction),
            self.slots(operands(instruction)),
            self.result(instruction),
        )
        name = instruction.result
        private = name is not None and not self.program.escapes.escapes(self.function, name)

        def step(r: Registers) -> None:
            for s in slots:
                if is_open(r[s]):
                    raise NotModelled("an alloca whose size is still to come")
                r[s] = settled(r[s])
            allocate(r)
            if private:
                machine_of(r[0]).private.add(r[slot].provenance.id)

        return step

    def access(self, index: int, instruction: ir.Instruction, prepared: Callable[..., Any]) -> Planned:
        slots, slot = self.slots(operands(instruction)), self.result(instruction)
        volatile, site = getattr(instruction, "volatile", False), StaticInstance(self.code.name, index)

        def step(r: Registers) -> None:
            values = tuple([settled(r[s]) for s in slots])
            for value in values:
                if isinstance(value, Unknown):
                    raise UsageError(needed(value, f"a memory access in @{self.code.name}"))
            source = machine_of(r[0]).issue(r[0], site, prepared, values, slot >= 0, volatile)
            if slot >= 0:
                r[slot] = source

        return Runs(step)

    def copy_argument(self, thread: Thread, index: int, copy: ByvalCopy, source: Any) -> Any:
        """The copy is an access like any other: it is issued, and performed by a later choice."""
        own = copy.allocate(thread.memory, thread.number)
        site = StaticInstance(self.code.name, index)
        machine_of(thread).issue(thread, site, copy.access, (own, settled(source)), False, False)
        return own
