"""A function's prepared code over registers that hold emitted values: to run a step once is to emit it.

What a step asks of its thread, its frame or its environment is not native: these are stand-ins that refuse
(:class:`~..arithmetic.emission.NotNative`), and so the step is left to the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...ir import instructions as ir
from ...ir.module import Block, Function
from ..arithmetic.emitting import EmittedLines as Lines
from ..arithmetic.emitting import EmittingDomain, NotNative, Term, int_text
from ..errors import NotModelled
from ..instructions import is_volatile, operands
from ..instructions.promises import promised_bytes
from ..machine.program import Program
from ..memory.emitted import EmittedMemory
from ..threads.compile import Compiler
from ..threads.state import CodeBlock, Finish, Frame, Planned, Registers, Runs, Segment, Step, Thread
from ..threads.translation import SegmentBuilder, Translation
from ..values.context import Context
from ..values.value import Pointer, RuntimeValue, Value, any_undef, scalars


class Absent:
    """Stands where a thread, a frame or an environment would be: there is none when code is made."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotNative(f"what asks for {name}")

    def __setattr__(self, name: str, value: object) -> None:
        raise NotNative(f"what sets {name}")


ABSENT: Any = Absent()


class FrameInTheMaking:
    """The frame of a finish that is emitted: its registers, and the segment in which it goes on."""

    __slots__ = ("registers", "segment")

    def __init__(self, registers: Any) -> None:
        self.registers = registers
        self.segment: Segment | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotNative(f"what asks for {name}")


DONE: Any = FrameInTheMaking(None)
"""What a finish gives that has emitted the way on itself."""


class Emitter:
    """What the translation asks of who puts the function together: ``lines`` under way, ``edge`` emits the
    way into a block, ``follow`` a finish (whether it could), each in a basic block of its own, ``branch`` and
    ``switch`` one of several by bits that only the run knows. ``accesses`` are those to memory that were
    emitted, by whether they write."""

    lines: Lines
    domain: EmittingDomain
    memory: EmittedMemory | None
    accesses: list[bool]

    def edge(self, source: int, into: CodeBlock, moves: tuple[tuple[int, int], ...], r: Any) -> None:
        raise NotImplementedError

    def follow(self, finish: Finish, frame: Any) -> bool:
        raise NotImplementedError

    def branch(self, condition: Term, then: Finish, otherwise: Finish, frame: Any) -> None:
        lines = self.lines
        first, second = lines.new_label("then"), lines.new_label("else")
        lines.line(f"br i1 {condition}, label %{first}, label %{second}")
        for label, way in (first, then), (second, otherwise):
            lines.label(label)
            self.follow(way, frame)

    def switch(self, bits: Term, table: Mapping[object, Finish], default: Finish, frame: Any) -> None:
        lines = self.lines
        labels = {case: lines.new_label("case") for case in table}
        other = lines.new_label("default")
        type_ = f"i{bits.width}"
        cases = " ".join(f"{type_} {int_text(case)}, label %{label}" for case, label in labels.items())
        lines.line(f"switch {type_} {bits}, label %{other} [ {cases} ]")
        for label, way in [*((labels[case], way) for case, way in table.items()), (other, default)]:
            lines.label(label)
            self.follow(way, frame)


class NativeTranslation(Translation):
    """Values travel in registers as SSA values."""

    def __init__(self, program: Program, function: Function, emitter: Emitter, lines: Lines) -> None:
        self.emitter = emitter
        self.lines = lines
        super().__init__(program, function)

    def context_of(self, program: Program) -> Context:
        return replace(program.context, domain=self.emitter.domain)

    def evaluate(self, instruction: ir.Instruction) -> Callable[..., Any] | None:
        evaluate = super().evaluate(instruction)
        if evaluate is None or not isinstance(instruction, ir.Freeze):
            return evaluate

        def freeze(value: RuntimeValue) -> RuntimeValue:
            for scalar in scalars(value):
                if isinstance(scalar, Pointer):  # which is null if it is poison, and based on nothing
                    self.emitter.domain.guard(self.emitter.domain.negate(scalar.poison))
            return evaluate(value)  # type: ignore[no-any-return]

        return freeze

    def pure(self, evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int) -> Step:
        def step(r: Registers) -> None:
            value = evaluate(*[r[s] for s in slots])
            if slot >= 0:
                r[slot] = value

        return step

    def compute(self, r: Registers, evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int) -> Any:
        raise NotNative("what depends on the thread")

    def argument(self, keep: Callable[..., Any], passed: int, slot: int) -> Step:
        # into a register that has no name in the text: the reference would miss it where code is left
        return _refusing_step("an argument that its callee promises something of")

    def copied(self, index: int, load: ir.Load, prepared: Callable[..., Any]) -> Planned:
        return Runs(_refusing_step("a copy that a declared callee is given"))

    def defined(self, slots: tuple[int, ...], what: str) -> Step:
        def check(r: Registers) -> None:
            for slot in slots:
                self.require_plain(r[slot])

        return check

    def behind(self, slot: int, words: Iterable[str], what: str) -> Step | None:
        bytes_, bytes_or_null = promised_bytes(words)
        if not (bytes_ or bytes_or_null):
            return None
        memory = self.emitter.memory
        if memory is None:
            return _refusing_step("a promise of what lies behind a pointer")

        def check(r: Registers) -> None:
            for size, or_null in (bytes_, False), (bytes_or_null, True):
                if size:
                    memory.lies_behind(r[slot], size, or_null)

        return check

    def require_plain(self, value: RuntimeValue) -> None:
        """Neither undef nor poison."""
        if any_undef(value):
            raise NotNative("undef where it is not allowed")
        for scalar in scalars(value):
            self.emitter.domain.guard(self.emitter.domain.negate(scalar.poison))

    def _decided(self, value: Any) -> Any:
        """The bits on which a branch depends."""
        if value.__class__ is not Value:
            raise NotNative("a branch on undef")
        self.require_plain(value)
        return value.bits

    def branch(self, block: Block, slot: int, index: int, then: Finish, otherwise: Finish) -> Finish:
        def finish(thread: Thread, frame: Frame) -> Frame | None:
            condition = self._decided(frame.registers[slot])
            if not isinstance(condition, Term):
                return (then if condition else otherwise)(thread, frame)
            self.emitter.branch(condition, then, otherwise, frame)
            return DONE  # type: ignore[no-any-return]

        return finish

    def switch(self, slot: int, index: int, table: Mapping[object, Finish], default: Finish) -> Finish:
        def finish(thread: Thread, frame: Frame) -> Frame | None:
            bits = self._decided(frame.registers[slot])
            if not isinstance(bits, Term):
                return table.get(bits, default)(thread, frame)
            self.emitter.switch(bits, table, default, frame)
            return DONE  # type: ignore[no-any-return]

        return finish

    def pointing(
        self, slot: int, index: int, what: str, use: Callable[[Thread, Frame, Any], Frame | None]
    ) -> Finish:
        return _refusing(what)

    def entering(self, block: Block, into: CodeBlock, finish: Finish) -> Finish:
        source = self.code.graph.number[block.name]
        moves = self.copies(block.name, into.name)

        def edge(thread: Thread, frame: Frame) -> Frame | None:
            self.emitter.edge(source, into, moves, frame.registers)
            return DONE  # type: ignore[no-any-return]

        return edge

    # -- memory ---------------------------------------------------------------------------------------

    def alloca(self, instruction: ir.Alloca) -> Step:
        return _refusing_step("an alloca")

    def noted_besides(self, instruction: ir.Instruction) -> int:
        """What else is noted of an access than how atomic it is."""
        return 0

    def access(self, index: int, instruction: ir.Instruction, prepared: Callable[..., Any]) -> Planned:
        if is_volatile(instruction):
            return Runs(_refusing_step("a volatile access"))
        return self.accessed(instruction, prepared)

    def accessed(self, instruction: ir.Instruction, prepared: Callable[..., Any]) -> Planned:
        """An access, whether anybody sees it or not."""
        memory = self.emitter.memory
        if memory is None:
            return Runs(_refusing_step("a memory access that may race"))
        slots, slot = self.slots(operands(instruction)), self.result(instruction)
        noundef = any(kind == "noundef" for kind, _ in instruction.attachments)
        besides = self.noted_besides(instruction)

        def step(r: Registers) -> None:
            access = prepared(*[r[s] for s in slots])
            if access.shape.apart:
                raise NotNative("a copy that goes on beside its thread")
            memory.atomicity = access.shape.atomicity | besides
            memory.atomic = memory.atomic or access.shape.atomic
            self.emitter.accesses.append(access.shape.writes)
            value = access.shape.perform(access, memory, 0)
            if noundef and value is not None:
                self.require_plain(value)
            if slot >= 0:
                r[slot] = value

        return Runs(step)


class NativeCompiler(Compiler):
    """What cannot be emitted is left to the reference when it is reached."""

    def _instruction(
        self, segments: SegmentBuilder, block: Block, index: int, instruction: ir.Instruction
    ) -> None:
        try:
            super()._instruction(segments, block, index, instruction)
        except NotNative as problem:
            raise NotModelled(problem.feature) from None


def _refusing(what: str) -> Finish:
    def finish(thread: Thread, frame: Frame) -> Frame | None:
        raise NotNative(what)

    return finish


def _refusing_step(what: str) -> Step:
    def step(r: Registers) -> None:
        raise NotNative(what)

    return step


def is_plain(value: Any) -> bool:
    """Whether a value has nothing that native registers do not hold."""
    return all(s.__class__ is Value or s.__class__ is Pointer for s in scalars(value))
