"""Prepared code over emitted values, and how registers lie in memory where native code runs."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from ...frozen import dataclass
from ...ir import (
    ArrayType,
    FloatType,
    IntType,
    PointerType,
    StructType,
    TargetType,
    Type,
    VectorType,
    is_handle,
)
from ...ir import instructions as ir
from ...ir.instructions import operands
from .. import NotModelled
from ..arithmetic.emitting import EmittedLines, EmittingDomain, NotNative, Term, int_text, truth_text
from ..arithmetic.emitting import EmittedLines as Lines
from ..instructions import is_volatile
from ..instructions.promises import promised_bytes
from ..threads import CodeBlock, Finish, Frame, Planned, Registers, Runs, Segment, Step, Thread
from ..threads.compile import Compiler
from ..threads.translation import SegmentBuilder, Translation
from ..values import Composite, Pointer, RuntimeValue, Value, any_undef, scalars
from ..values.datalayout import DEPTH, Layout

if TYPE_CHECKING:
    from ...ir.module import Block, Function
    from ..machine.program import Program
    from ..memory.emitted import EmittedMemory
    from ..memory.packed import ProvenanceNumbers
    from ..values.context import Context

# ----------------------------------------------------------------------------------------------------------
# A function's prepared code over registers that hold emitted values: to run a step once is to emit it.
#
# What a step asks of its thread, its frame or its environment is not native: these are stand-ins that refuse
# (:class:`~..arithmetic.emitting.NotNative`), and so the step is left to the reference.
# ----------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------
# How a frame's registers lie in memory where native code runs: the words of each scalar, packed and
# unpacked.
#
# A scalar has the words of its bits, 64 each, lowest first, and one word behind them: bit 0 says poison, and
# what is above it is a pointer's provenance, by its number in the table of objects. Vectors, arrays and
# structs are their scalars in order. What native code never holds has no place: undef, tokens, values to
# come.
# ----------------------------------------------------------------------------------------------------------


WORD = (1 << 64) - 1
LARGEST = 64
"""Scalars of one register at most: more of them stay in the reference."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """``bits`` wide, from word ``at`` on; ``meta`` is the word behind its bits."""

    bits: int
    pointer: bool
    at: int
    meta: int


@dataclass(frozen=True, slots=True)
class Parts:
    """A vector, array or struct."""

    parts: tuple[Place, ...]


Place = Scalar | Parts


class RegisterFile:
    """The places of a function's registers, from the word ``first`` on: ``places`` by register, ``words``
    with those before."""

    def __init__(self, types: Mapping[int, Type], layout: Layout, first: int = 0) -> None:
        self._layout = layout
        self.words = first
        self.places: dict[int, Place] = {}
        for slot, type_ in types.items():
            before = self.words
            measure = layout.measure(type_)
            small = measure.depth <= DEPTH and measure.elements <= LARGEST
            place = self._placed(type_) if small else None
            if place is None:
                self.words = before
            else:
                self.places[slot] = place

    def _scalar(self, type_: Type, pointer: bool) -> Scalar:
        bits, at = self._layout.bits(type_), self.words
        self.words = at + (bits + 63) // 64 + 1
        return Scalar(bits, pointer, at, self.words - 1)

    def _placed(self, type_: Type) -> Place | None:
        type_ = self._layout.resolve(type_)
        match type_:
            case IntType() | FloatType():
                return self._scalar(type_, False)
            case PointerType():
                return self._scalar(type_, True)
            case TargetType() if is_handle(type_):
                return self._scalar(type_, True)
            case VectorType(count, element, False) | ArrayType(count, element) if count <= LARGEST:
                parts = [self._placed(element) for _ in range(count)]
            case StructType(elements) if len(elements) <= LARGEST:
                parts = [self._placed(element) for element in elements]
            case _:
                return None
        parts_there = tuple(part for part in parts if part is not None)
        return Parts(parts_there) if len(parts_there) == len(parts) else None


def native_scalars(place: Place) -> Iterator[Scalar]:
    """All scalars of a place, depth first."""
    if isinstance(place, Scalar):
        yield place
    else:
        for part in place.parts:
            yield from native_scalars(part)


def pack(place: Place, value: Any, words: array[int] | memoryview[int], numbers: ProvenanceNumbers) -> bool:
    """Puts a register's contents into its words; False for what native code does not hold."""
    if place.__class__ is Parts:
        if value.__class__ is not Composite:
            return False
        return all(
            pack(part, element, words, numbers)
            for part, element in zip(place.parts, value.elements, strict=True)
        )
    assert isinstance(place, Scalar)
    if place.pointer:
        if value.__class__ is not Pointer:
            return False
        number = numbers.number(value.provenance)
        if number is None:
            return False
        words[place.meta] = number << 1 | value.poison
    elif value.__class__ is Value:
        words[place.meta] = value.poison
    else:
        return False
    bits = value.bits
    if bits >> place.bits:  # wider than its type: a fault elsewhere, which the reference goes on with
        return False
    if place.bits <= 64:
        words[place.at] = bits
    else:
        for at in range(place.at, place.meta):
            words[at] = bits & WORD
            bits >>= 64
    return True


def unpack(place: Place, words: array[int] | memoryview[int], numbers: ProvenanceNumbers) -> Any:
    """A register's contents from its words."""
    if place.__class__ is Parts:
        return Composite(tuple([unpack(part, words, numbers) for part in place.parts]))
    assert isinstance(place, Scalar)
    meta = words[place.meta]
    if place.bits <= 64:
        bits = words[place.at]
    else:
        bits = 0
        for at in range(place.meta - 1, place.at - 1, -1):
            bits = bits << 64 | words[at]
    if place.pointer:
        return Pointer(bits, numbers.provenance(meta >> 1), bool(meta & 1))
    return Value(bits, bool(meta & 1))


# ----------------------------------------------------------------------------------------------------------
# Emitted code that reads and writes the homes of registers: bits in ``%aN``, poison in ``%pN``, and of
# pointers the number of what they are based on in ``%nN``.
#
# The numbers are those above; whoever emits a function declares the places.
# ----------------------------------------------------------------------------------------------------------


def load_home(home: Place, lines: EmittedLines, domain: EmittingDomain) -> Any:
    """The value in a register's home, of the domain that emits ``lines``."""
    if isinstance(home, Parts):
        return Composite(tuple([load_home(part, lines, domain) for part in home.parts]))
    bits = lines.value(home.bits, f"load i{home.bits}, ptr %a{home.at}")
    poison = lines.value(1, f"load i1, ptr %p{home.at}")
    if not home.pointer:
        return Value(bits, poison)
    return Pointer(bits, domain.provenance(lines.value(32, f"load i32, ptr %n{home.at}")), poison)


def store_home(home: Place, value: Any, lines: EmittedLines, domain: EmittingDomain) -> None:
    """Puts a value into a register's home. Raises NotNative for undef, which registers do not hold."""
    if isinstance(home, Parts):
        for part, element in zip(home.parts, value.elements, strict=True):
            store_home(part, element, lines, domain)
        return
    if value.__class__ is not (Pointer if home.pointer else Value):
        raise NotNative("undef")
    lines.line(f"store i{home.bits} {int_text(value.bits)}, ptr %a{home.at}")
    lines.line(f"store i1 {truth_text(value.poison)}, ptr %p{home.at}")
    if home.pointer:
        lines.line(f"store i32 {int_text(domain.object_number(value))}, ptr %n{home.at}")


class RegisterOwner(Protocol):
    """Who emits loads and stores of registers, by their slots."""

    def load(self, slot: int) -> Any: ...

    def store(self, slot: int, value: Any) -> None: ...


class SegmentRegisters:
    """The registers while a segment is emitted: what is known of them in this stretch, else loads."""

    def __init__(self, owner: RegisterOwner) -> None:
        self.owner = owner
        self.values: dict[int, Any] = {}

    def __getitem__(self, slot: int) -> Any:
        if slot == 0:
            return ABSENT
        known = self.values.get(slot)
        if known is None:
            known = self.values[slot] = self.owner.load(slot)
        return known

    def __setitem__(self, slot: int, value: Any) -> None:
        self.owner.store(slot, value)
        self.values[slot] = value
