"""A function on its way to prepared code: where values travel, all in which environments differ,
segments, terminators.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...alignment import StaticInstance
from ...ir import TOKEN, Int, IntType, Local, Operand, PointerType, SimpleType, Type
from ...ir import instructions as ir
from ...ir.calls import Control, callee_name, case_of, control, token_used, way_of
from ...ir.cfg import Point, build_cfg, convergence_region, cycles, dominators
from ...ir.instructions import operands
from .. import NotModelled, Undefined, UsageError, option
from ..convergence.reachability import Graph
from ..convergence.rules import enter_header
from ..instructions import is_volatile, prepare
from ..instructions.expressions import constant
from ..machine import ReturnEvent
from ..memory.accesses import WritingCallee, fill_objects, perform
from ..values import ReadDependence, RuntimeValue, Unknown, Value, any_poison, any_undef, needed
from ..values.datalayout import refuse_large_constant
from . import (
    UNEXECUTED,
    UNSET,
    Code,
    CodeBlock,
    Finish,
    Frame,
    Planned,
    Registers,
    Runs,
    Segment,
    Status,
    Step,
    Stops,
    Thread,
    as_finish,
)

if TYPE_CHECKING:
    from ...ir.module import Block, Function
    from ..instructions.promises import ByvalCopy
    from ..machine.program import Program
    from ..memory.synchronisation import MemoryFence
    from ..operations import Callee
    from ..values.context import Context

# ----------------------------------------------------------------------------------------------------------
# How one function's values travel in registers: all in which environments differ.
# ----------------------------------------------------------------------------------------------------------

STARTS = ("llvm.lifetime.start", "llvm.spv.lifetime.start")
"""Intrinsics by which the life of a stack object begins."""
MANY = 64
"""Stack objects of a frame, among which those are looked for that have ended."""


class Translation:
    """How one function's values travel, in the direct environment: registers are given out, values are
    known when they are read, accesses are done at once. Environments of other kinds say otherwise."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program = program
        self.context = self.context_of(program)
        self.function = function
        self.code = Code(function, Graph(function))
        self._constants: dict[Hashable, int] = {}
        self._incoming: dict[str, list[tuple[int, dict[str, Operand]]]] = {}
        self._has_phis = ir.Phi in function.kinds
        self._registers: Registers = [None]
        self.code.initial = self._registers
        self.code.parameters = tuple(self.named_register(p.name) for p in function.parameters)
        for instruction in function.instructions:
            if instruction.result is not None:
                self.named_register(instruction.result)
        self._tokens()
        graph = self.code.graph
        self.code.blocks = tuple(CodeBlock(function.name, n.name, i) for i, n in enumerate(graph.nodes))
        if program.counts_headers:
            self._count_headers()

    # -- registers ----------------------------------------------------------------------------------

    def named_register(self, name: str) -> int:
        """A register for a value that operands name."""
        slot = self.code.slots[name] = len(self._registers)
        self._registers.append(UNSET)
        return slot

    def unnamed_register(self) -> int:
        """A register for a value that has no name in the text."""
        self._registers.append(UNSET)
        return len(self._registers) - 1

    def slot(self, operand: Operand) -> int:
        """An operand's register. Raises NotModelled or Undefined for a constant without a value."""
        if isinstance(operand, Local):
            return self.code.slots[operand.name]
        refuse_large_constant(operand, self.context.layout)  # before it is hashed, which recurses
        name: Hashable = operand
        if isinstance(operand, Int) and isinstance(operand.type, IntType):  # most constants
            name = operand.value, operand.type.bits
        known = self._constants.get(name)
        if known is None:
            value = constant(operand, self.context)
            known = self._constants[name] = len(self._registers)
            self._registers.append(value)
        return known

    def slots(self, wanted: tuple[Operand, ...]) -> tuple[int, ...]:
        named = self.code.slots
        return tuple([named[o.name] if isinstance(o, Local) else self.slot(o) for o in wanted])

    def result(self, instruction: ir.Instruction) -> int:
        """The register of an instruction's result, -1 for none."""
        return -1 if instruction.result is None else self.code.slots[instruction.result]

    # -- tokens and headers -------------------------------------------------------------------------

    def _tokens(self) -> None:
        slots = self.code.slots
        for index, instruction in enumerate(self.function.instructions):
            if not isinstance(instruction, ir.CallSite):
                continue
            token, kind = token_used(instruction), control(instruction)
            if kind is Control.ANCHOR:
                if (case := case_of(instruction)) is not None:
                    token = case.token
                elif (bound := way_of(instruction)) is not None:
                    token = bound.token
            if token is not None and token.name in slots:
                self.code.token_of[index] = slots[token.name]
            if kind is not None and instruction.result is not None:
                self.code.defined_at[slots[instruction.result]] = index
        carrying = [slots[phi.result] for phi in _token_phis(self.function.blocks) if phi.result is not None]
        self.code.token_slots = (*self.code.defined_at, *carrying)
        if carrying:
            self._token_moves(frozenset(carrying))

    def _token_moves(self, carrying: frozenset[int]) -> None:
        """Which edges carry tokens on through phis: what a pass may make, and no valid function has."""
        graph = self.code.graph
        for number, node in enumerate(graph.nodes):
            for successor in node.successors:
                copies = self.copies(node.name, graph.nodes[successor].name)
                moves = tuple((source, into) for source, into in copies if into in carrying)
                if moves:
                    self.code.token_moves[number, successor] = moves

    def _count_headers(self) -> None:
        """Where this function's cycles have their headers; and which tokens' regions hold its calls."""
        cfg = build_cfg(self.function)
        forest = cycles(cfg, self.program.settings.dfs)
        self.code.cycles = len(forest.all)
        around = []
        for block in self.code.blocks:
            block.cycle = forest.of[block.number]
            around.append(frozenset(c.header for c in forest.around(block.number)))
        self.code.around = tuple(around)
        for cycle in forest.all:
            inside = {forest.of[b] for b in forest.blocks(cycle)}
            self.code.blocks[cycle.header].heads = tuple(sorted(inside))
        if not self.code.token_of:
            return
        tree = dominators(cfg)
        graph = self.code.graph

        def point(index: int) -> Point:
            block = graph.block_of[index]
            return Point(block, index - graph.nodes[block].first)

        held: dict[int, list[int]] = {}
        for slot, definition in self.code.defined_at.items():
            uses = [point(use) for use, token in self.code.token_of.items() if token == slot]
            region = convergence_region(cfg, tree, point(definition), uses)
            for index, instruction in enumerate(self.function.instructions):
                if isinstance(instruction, ir.CallSite) and region.contains(point(index)):
                    held.setdefault(index, []).append(slot)
        self.code.region_tokens = {index: tuple(slots) for index, slots in held.items()}

    # -- blocks: what an environment may do besides ---------------------------------------------------

    def copies(self, source: str, target: str) -> tuple[tuple[int, int], ...]:
        """What the phis of a block take from which register into which, on the edge from another."""
        phis = self._incoming.get(target)
        if phis is None and not self._has_phis:
            return ()
        if phis is None:  # a switch may lead to it from thousands of blocks
            phis = self._incoming[target] = [
                (self.code.slots[phi.result], {block: value for value, block in reversed(phi.incoming)})
                for phi in self.function.blocks[self.code.graph.number[target]].instructions
                if isinstance(phi, ir.Phi) and phi.result is not None
            ]
        return tuple((self.slot(values[source]), slot) for slot, values in phis if source in values)

    def stands_alone(self, block: Block, instruction: ir.Instruction) -> bool:
        """Whether an instruction gets a segment of its own, so that it can be tried again."""
        return False

    def compiled(self) -> None:
        """All blocks are cut into segments."""

    # -- how values are computed: an environment of another kind may do these otherwise ----------------

    def context_of(self, program: Program) -> Context:
        """The module's context over the arithmetic domain of the run."""
        return program.context

    def code_of(self, name: str) -> Code:
        """A defined function, compiled in the same way."""
        code: Code = self.program.code(name)
        return code

    def evaluate(self, instruction: ir.Instruction) -> Callable[..., Any] | None:
        """A pure instruction as a function of its operands' values; ``None`` for all others."""
        return prepare(instruction, self.context)

    def read(self, r: Registers, slots: tuple[int, ...]) -> list[Any]:
        """The values in registers."""
        return [r[s] for s in slots]

    def write(self, r: Registers, slot: int, value: Any) -> None:
        """An instruction's result, unless it has none (-1)."""
        if slot >= 0:
            r[slot] = value

    def pure(self, evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int) -> Step:
        """``r[slot] = evaluate(r[slots]...)``; a result in register -1 is dropped. Where arguments
        may be unknown, a step on an unknown value gives that unknown value."""
        step = pure_step(evaluate, slots, slot)
        if not self.program.settings.unknowns or not slots:
            return step

        def cautious(r: Registers) -> None:
            for s in slots:
                if r[s].__class__ is Unknown:
                    if slot >= 0:
                        r[slot] = r[s]
                    return
            step(r)

        return cautious

    def compute(self, r: Registers, evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int) -> Any:
        """As :meth:`pure`, at once; for what depends on the thread, too. The value."""
        values = [r[s] for s in slots]
        unknown = next((v for v in values if v.__class__ is Unknown), None)
        value = unknown if unknown is not None else evaluate(*values)
        if slot >= 0:
            r[slot] = value
        return value

    def compute_known(
        self, r: Registers, evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int
    ) -> Any:
        """As :meth:`compute`, for a function that asks for values as plain numbers."""
        return self.compute(r, evaluate, slots, slot)

    def argument(self, keep: Callable[..., Any], passed: int, slot: int) -> Step:
        """A step that puts into a register what an argument becomes by what is promised of it."""
        return self.pure(keep, (passed,), slot)

    def copied(self, index: int, load: ir.Load, prepared: Callable[..., Any]) -> Planned:
        """The access by which a call copies what a declared callee is given."""
        return self.access(index, load, prepared)

    def defined(self, slots: tuple[int, ...], what: str) -> Step:
        """A step that is undefined behaviour if a register holds undef or poison."""

        def check(r: Registers) -> None:
            for s in slots:
                require_defined(r[s], what)

        return check

    def behind(self, slot: int, words: Iterable[str], what: str) -> Step | None:
        """A step that is undefined behaviour if a pointer in a register has not behind it what attributes
        promise; ``None`` if they promise nothing."""
        from ..instructions.promises import promised_bytes

        bytes_, bytes_or_null = promised_bytes(words)
        if not (bytes_ or bytes_or_null):
            return None

        def check(r: Registers) -> None:
            thread: Thread = r[0]

            def look(pointer: Value) -> None:
                for size, or_null in ((bytes_, False), (bytes_or_null, True)):
                    if size and not thread.memory.lies_behind(pointer, size, or_null, thread.number):
                        raise Undefined(f"{what} has no {size} bytes behind it", "Parameter Attributes")

            if r[slot].__class__ is not Unknown:
                self.compute(r, look, (slot,), -1)

        return check

    def needing(self, slot: int, index: int, finish: Finish) -> Finish:
        """A finish that cannot do without the value in a register."""
        return finish

    def branch(self, block: Block, slot: int, index: int, then: Finish, otherwise: Finish) -> Finish:
        """The finish of a conditional branch on the value in a register."""
        return self.needing(slot, index, branch_on(slot, then, otherwise))

    def switch(self, slot: int, index: int, table: Mapping[object, Finish], default: Finish) -> Finish:
        """The finish of a switch: ``table`` has the edges by the value's bits."""
        return self.needing(slot, index, switch_on(slot, table, default))

    def pointing(
        self, slot: int, index: int, what: str, use: Callable[[Thread, Frame, Any], Frame | None]
    ) -> Finish:
        """A finish that goes where the pointer in a register says; ``what`` the instruction is."""

        def finish(thread: Thread, frame: Frame) -> Frame | None:
            return use(thread, frame, frame.registers[slot])

        return self.needing(slot, index, finish)

    def entering(self, block: Block, into: CodeBlock, finish: Finish) -> Finish:
        """Following an edge from a block into another."""
        return finish

    def plain_value(self, value: Any, type_: Type) -> Any:
        """A value as plain data."""
        return self.program.plain(value, type_)

    def refusing(self, step: Step, slots: tuple[int, ...], by: str) -> Step:
        """Where arguments may be unknown: a step that cannot do without them."""
        if not self.program.settings.unknowns:
            return step

        def strict(r: Registers) -> None:
            for s in slots:
                if r[s].__class__ is Unknown:
                    raise UsageError(needed(r[s], by))
            step(r)

        return strict

    # -- memory -------------------------------------------------------------------------------------

    def alloca(self, instruction: ir.Alloca) -> Step:
        from ..instructions.memory import prepare_alloca

        request = prepare_alloca(instruction, self.context)
        slots, slot, name = (
            self.slots(operands(instruction)),
            self.result(instruction),
            instruction.result or "alloca",
        )
        dead = name in self.started

        def step(r: Registers) -> None:
            size, align, space = request(*self.read(r, slots))
            thread: Thread = r[0]
            frame = thread.frame
            assert frame is not None
            pointer = thread.memory.allocate(size, align, thread.number, f"%{name}", space)
            if dead:
                thread.memory.set_lifetime(pointer, False)
            self.write(r, slot, pointer)
            objects = frame.allocas
            if objects is None:
                objects = frame.allocas = []
            elif len(objects) >= MANY and not len(objects) & (len(objects) - 1):
                objects[:] = thread.memory.stored(objects)  # a loop ends its own by llvm.stackrestore
            objects.append(pointer)

        return self.refusing(step, slots, f"alloca %{name}")

    @cached_property
    def started(self) -> frozenset[str]:
        """The stack objects of which some ``llvm.lifetime.start`` of the function says where they begin:
        before, they are dead (LangRef, *'llvm.lifetime.start' Intrinsic*)."""
        return frozenset(
            argument.value.name
            for call in self.function.calls
            if (callee_name(call) or "").startswith(STARTS)
            for argument in call.arguments
            if isinstance(argument.value, Local)
        )

    def access(self, index: int, instruction: ir.Instruction, prepared: Callable[..., Any]) -> Planned:
        """A memory access: done at once, or a stop where performing it is a choice."""
        slots, slot = self.slots(operands(instruction)), self.result(instruction)
        volatile = is_volatile(instruction)
        if volatile:

            def step(r: Registers) -> None:
                done_volatile(r[0], index, prepared(*[r[s] for s in slots]), slot)

        elif slot >= 0 and len(slots) == 1:
            (only,) = slots

            def step(r: Registers) -> None:
                thread: Thread = r[0]
                r[slot] = perform(prepared(r[only]), thread.memory, thread.number)

        else:

            def step(r: Registers) -> None:
                thread: Thread = r[0]
                value = perform(prepared(*[r[s] for s in slots]), thread.memory, thread.number)
                if slot >= 0:
                    r[slot] = value

        return Runs(self.refusing(step, slots, f"a memory access in @{self.function.name}"))

    def fence(self, index: int, fence: MemoryFence) -> Step:
        """A fence: what it orders is the environment's to say."""
        site = StaticInstance(self.code.name, index)

        def step(r: Registers) -> None:
            r[0].environment.fence(r[0], site, fence)

        return step

    def dependence(self, r: Registers, index: int, pointers: tuple[int, ...], where: frozenset[str]) -> Any:
        """What a call at ``index`` depends on that may read ``where`` and writes nothing, besides its
        operands, of which ``pointers`` are the registers of pointers: a number, or
        :class:`ReadDependence`."""
        thread: Thread = r[0]
        watcher = thread.memory.watcher
        if watcher is None or where.isdisjoint(("argmem", "other")):
            return Value(sum(thread.writing_calls.get(place, 0) for place in where), False)
        return watcher.dependence(thread.number, thread.writing_calls, self.read(r, pointers), where)

    def called(self, r: Registers, index: int, pointers: tuple[int, ...]) -> None:
        """A call at ``index`` may write to what these registers' values point to."""
        thread: Thread = r[0]
        if thread.memory.watcher is not None:
            thread.memory.watcher.called(thread.number, self.read(r, pointers))

    def fill(self, r: Registers, index: int, writer: WritingCallee, slots: tuple[int, ...]) -> None:
        """A call at ``index`` writes stand-ins to the stack objects that its operands point to."""
        thread: Thread = r[0]
        fill_objects(thread.memory, thread.number, writer, self.read(r, slots))

    def stand_in(
        self,
        r: Registers,
        callee: Callee,
        count: int,
        slots: tuple[int, ...],
        slot: int,
        scalar: bool = False,
    ) -> Any:
        """D-CALL: the value that a callee without a model returns: a function of the callee, the thread, the
        operands, and for an event ``count``, which call of that function in its thread it is (else 0). A
        register behind those of the operands holds what :meth:`dependence` gives. ``scalar``: the launch
        group has one such result, which is that of its first thread."""
        thread, stand_in = r[0], self.program.settings.stand_in
        number_of_thread = thread.launch.first if scalar else thread.number

        def value_of(*values: RuntimeValue) -> RuntimeValue:
            types, plain = callee.type.parameters, self.program.plain
            operands_: list[Any] = [plain(v, t) for v, t in zip(values, types, strict=False)]
            number = count
            for extra in values[len(types) :]:
                number, *changed = seen_plainly(extra)
                operands_ += changed
            value = stand_in(
                callee.name, [number_of_thread, operands_, number], callee.type.result, callee.context
            )
            assert value is not None
            if isinstance(callee.type.result, PointerType):
                thread.memory.unknown_objects = True
            return value

        return self.compute_known(r, value_of, slots, slot)

    def copy_argument(self, thread: Thread, index: int, copy: ByvalCopy, source: Any) -> Any:
        """``byval``: the callee's own object, filled with what ``source`` points to, by an access of the call
        at ``index``."""
        own = copy.allocate(thread.memory, thread.number)
        perform(copy.access(own, source), thread.memory, thread.number)
        return own


def seen_plainly(value: Any) -> list[Any]:
    """What :meth:`Translation.dependence` gives, as plain data: a number, and what was changed if there is
    any."""
    if isinstance(value, ReadDependence):
        return [value.calls, [list(place) for place in value.changed]] if value.changed else [value.calls]
    return [value.bits]


# -- Steps of prepared code that translations have in common


def pure_step(evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int) -> Step:
    """``r[slot] = evaluate(r[slots]...)``, by number of operands: this is where runs spend their time."""
    if slot < 0:
        return lambda r: evaluate(*[r[s] for s in slots])
    match slots:
        case (a,):

            def unary(r: Registers) -> None:
                r[slot] = evaluate(r[a])

            return unary
        case (a, b):

            def binary(r: Registers) -> None:
                r[slot] = evaluate(r[a], r[b])

            return binary
        case (a, b, c):

            def ternary(r: Registers) -> None:
                r[slot] = evaluate(r[a], r[b], r[c])

            return ternary
        case _:

            def many(r: Registers) -> None:
                r[slot] = evaluate(*[r[s] for s in slots])

            return many


def done_volatile(thread: Thread, index: int, access: Any, slot: int) -> None:
    """Performs a volatile access: the outside sees it."""
    seen_volatile(thread, index, access, slot, perform(access, thread.memory, thread.number))


def seen_volatile(thread: Thread, index: int, access: Any, slot: int, value: Any) -> None:
    """The outside sees a volatile access that was performed and gave a value."""
    frame = thread.frame
    assert frame is not None
    if slot >= 0:
        frame.registers[slot] = value
    thread.environment.saw_volatile(thread, frame, index, access, value)


def require_defined(value: Any, what: str) -> None:
    """Undefined behaviour on undef and poison; what is unknown may be anything."""
    if value.__class__ is not Unknown and (any_poison(value) or any_undef(value)):
        raise Undefined(f"{what} is undef or poison", "Parameter Attributes")


def require_executed(values: Iterable[Any]) -> None:
    """NotModelled for what no definition has given a value yet, as only broken SSA form uses."""
    for value in values:
        if value is UNSET:
            raise NotModelled(UNEXECUTED)


# -- branches on known values


def branch_on(slot: int, then: Finish, otherwise: Finish) -> Finish:
    """A conditional branch on the known value in a register."""

    def finish(thread: Thread, frame: Frame) -> Frame | None:
        value = frame.registers[slot]
        if value.__class__ is not Value or value.poison:
            decided(value, "br")
        return (then if value.bits else otherwise)(thread, frame)

    return finish


def switch_on(slot: int, table: Mapping[object, Finish], default: Finish) -> Finish:
    """A switch on the known value in a register."""

    def finish(thread: Thread, frame: Frame) -> Frame | None:
        value = frame.registers[slot]
        if value.__class__ is not Value or value.poison:
            decided(value, "switch")
        return table.get(value.bits, default)(thread, frame)

    return finish


def decided(value: object, instruction: str) -> None:
    """A branch on poison or undef is undefined behaviour; on an unknown argument, a usage error."""
    if isinstance(value, Unknown):
        raise UsageError(needed(value, "a branch") + f", or give the blocks with {option('path')}")
    require_executed((value,))
    assert isinstance(value, Value)
    if value.poison:
        raise Undefined(f"{instruction} on poison", f"'{instruction}' Instruction")
    if value.undef:
        raise Undefined(f"{instruction} on undef", f"'{instruction}' Instruction")


def _token_phis(blocks: Iterable[Block]) -> Iterator[ir.Phi]:
    return (i for block in blocks for i in block.instructions if isinstance(i, ir.Phi) and _is_token(i.type))


def _is_token(type_: Type) -> bool:
    return isinstance(type_, SimpleType) and type_ == TOKEN


def carries_tokens(block: Block) -> bool:
    """Whether a phi of the block takes a token: a key, which no value to come stands for."""
    return any(_token_phis([block]))


# ----------------------------------------------------------------------------------------------------------
# A block of prepared code on its way into segments: straight runs of steps, each with what ends it.
# ----------------------------------------------------------------------------------------------------------


class SegmentBuilder:
    """A block on its way into segments."""

    def __init__(self, entry: Segment, first: int) -> None:
        self.segment = entry
        entry.first = first
        self._begun = first
        self._steps: list[Step] = []
        self._indices: list[int] = []
        self._slots: list[int] = []
        self._promises: list[int] = []

    def add(self, index: int, planned: Planned, slot: int) -> None:
        """An instruction that is not the block's terminator."""
        match planned:
            case Runs(step):
                self.step(index, step, slot)
            case Stops(make):
                self.stop(index, make)

    def step(self, index: int, step: Step, slot: int) -> None:
        """An instruction that runs on within the segment."""
        self._steps.append(step)
        self._indices.append(index)
        self._slots.append(slot)

    def promise(self, index: int, step: Step, slot: int) -> None:
        """What looks after a promise of the value in a register, behind or before the instruction there."""
        self._promises.append(len(self._steps))
        self.step(index, step, slot)

    def stop(self, index: int, make: Callable[[Segment], Finish]) -> None:
        """An instruction that ends the segment; ``make`` is given the segment after it."""
        after = Segment(index + 1)
        done = self.segment
        self.finish(index, make(after))
        done.after = after
        self.segment = after
        self._begun = index + 1
        self._steps, self._indices, self._slots, self._promises = [], [], [], []

    def cut(self, index: int) -> None:
        """The instruction at ``index`` begins a segment."""
        if self._steps:
            after = Segment(index)
            self.finish(index - 1, as_finish(Runs(_nothing), after))
            self.segment = after
            self._begun = index
            self._steps, self._indices, self._slots, self._promises = [], [], [], []

    def finish(self, index: int, finish: Finish) -> None:
        """The instruction that ends the block."""
        segment = self.segment
        segment.steps, segment.indices, segment.slots = (
            tuple(self._steps),
            tuple(self._indices),
            tuple(self._slots),
        )
        segment.promises = frozenset(self._promises)
        segment.finish = finish
        segment.last = index
        segment.cost = index + 1 - self._begun


def _nothing(r: Registers) -> None:
    """A step that does nothing."""


def failing(problem: NotModelled | Undefined) -> Step:
    def fail(r: Registers) -> None:
        raise problem.with_traceback(None)

    return fail


def failing_finish(problem: NotModelled | Undefined) -> Finish:
    def fail(thread: Thread, frame: Frame) -> Frame | None:
        raise problem.with_traceback(None)

    return fail


# ----------------------------------------------------------------------------------------------------------
# Terminators and edges (LangRef, *Terminator Instructions*, *phi*).
# ----------------------------------------------------------------------------------------------------------


Move = Callable[[Registers], None]


class Terminators:
    """Prepares the terminators of one function."""

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.program = translation.program
        self.code = translation.code
        self.is_no_ssa = False
        self._edges: dict[tuple[str, str], Finish] = {}

    def terminator(self, block: Block, index: int, instruction: ir.Instruction) -> Finish:
        """What executing a terminator does. NotModelled for exception handling."""
        match instruction:
            case ir.Ret(value):
                return self._ret(block, value is None, -1 if value is None else self.translation.slot(value))
            case ir.Br(target):
                normal = self.edge(block, target)
            case ir.CondBr(condition, then, otherwise):
                slot = self.translation.slot(condition)
                edges = self.edge(block, then), self.edge(block, otherwise)
                normal = self.translation.branch(block, slot, index, *edges)
            case ir.Switch():
                normal = self._switch(block, index, instruction)
            case ir.IndirectBr():
                normal = self._indirect(block, index, instruction)
            case ir.Unreachable():
                return _unreachable
            case _:
                raise NotModelled(f"the instruction {ir.opcode(instruction)}")
        if self.program.settings.path_of == self.code.name:
            return self.by_path(block, instruction, normal, ir.successors(instruction))
        return normal

    # -- edges --------------------------------------------------------------------------------------

    def edge(self, block: Block, target: str) -> Finish:
        """Following the edge to ``target``: phis take their values, headers are counted."""
        known = self._edges.get((block.name, target))
        if known is None:
            into = self.code.blocks[self.code.graph.number[target]]
            entered = self.translation.entering(block, into, entering(into, self._moves(block, target)))
            if self.is_no_ssa:
                entered = self._executed(block, target, entered)
            known = self._edges[block.name, target] = entered
        return known

    def _executed(self, block: Block, target: str, entered: Finish) -> Finish:
        """An edge of a function in no SSA form: NotModelled where a phi takes what has no value yet, or
        has none for this edge."""
        tokens = self.code.token_slots
        number = self.code.graph.number[target]
        for phi in self.translation.function.blocks[number].instructions:
            if isinstance(phi, ir.Phi) and all(source != block.name for _, source in phi.incoming):
                return failing_finish(
                    NotModelled(f"a phi that has no value for %{block.name}, from which it is entered")
                )
        sources = [
            source for source, into in self.translation.copies(block.name, target) if into not in tokens
        ]

        def finish(thread: Thread, frame: Frame) -> Frame | None:
            require_executed(frame.registers[source] for source in sources)
            return entered(thread, frame)

        return finish

    def _moves(self, block: Block, target: str) -> Move | None:
        """All phis of ``target`` at once, from ``block``."""
        return _moves(list(self.translation.copies(block.name, target)))

    # -- ret ----------------------------------------------------------------------------------------

    def _ret(self, block: Block, void: bool, slot: int) -> Finish:
        words = self.program.module.resolve(self.translation.function.return_attributes)
        check, keep = None, None
        if words and not void:
            from ..instructions.promises import attribute_promises

            promised = attribute_promises(
                words, self.translation.function.type.result, self.translation.context
            )
            if promised is not None:
                kept = self.translation.unnamed_register()
                keep, slot = self.translation.pure(promised, (slot,), kept), kept
        if not void and "noundef" in words:
            check = self.translation.defined((slot,), "a noundef return value")
        if "noreturn" in self.program.module.resolve(self.translation.function.attributes):
            check = _never(f"@{self.translation.function.name}, which is noreturn, returns")
        left = self.leave
        by_path = self.program.settings.path_of == self.code.name

        def finish(thread: Thread, frame: Frame) -> Frame | None:
            if keep is not None:
                keep(frame.registers)
            if check is not None:
                check(frame.registers)
            value = None if void else frame.registers[slot]
            if by_path and frame.caller is None:
                end_path(thread, block.name)
            return left(thread, frame, value)

        return finish

    def leave(self, thread: Thread, frame: Frame, value: object) -> Frame | None:
        """A thread returns from a frame."""
        return leave(thread, frame, value, self.code.token_slots)

    # -- switch -------------------------------------------------------------------------------------

    def _switch(self, block: Block, index: int, instruction: ir.Switch) -> Finish:
        slot = self.translation.slot(instruction.value)
        default = self.edge(block, instruction.default)
        table: dict[object, Finish] = {}
        for case, target in instruction.cases:
            value = constant(case, self.translation.context)
            assert isinstance(value, Value)
            table.setdefault(value.bits, self.edge(block, target))
        return self.translation.switch(slot, index, table, default)

    # -- indirectbr ---------------------------------------------------------------------------------

    def _indirect(self, block: Block, index: int, instruction: ir.IndirectBr) -> Finish:
        """To the block whose blockaddress it is given; undefined behaviour if it does not list that one."""
        slot, memory = self.translation.slot(instruction.address), self.program.memory
        edges = {target: self.edge(block, target) for target in instruction.targets}

        def finish(thread: Thread, frame: Frame, value: Value) -> Frame | None:
            decided(value, "indirectbr")
            function, target = memory.block_at(value) or ("", "")
            if function != self.code.name or target not in edges:
                raise Undefined("indirectbr to what is none of its blocks", "'indirectbr' Instruction")
            return edges[target](thread, frame)

        return self.translation.pointing(slot, index, "indirectbr", finish)

    # -- paths --------------------------------------------------------------------------------------

    def by_path(
        self, block: Block, instruction: ir.Instruction, normal: Finish, successors: tuple[str, ...]
    ) -> Finish:
        """In the launched function's own frame the thread's path says which successor is taken."""
        edges = {name: self.edge(block, name) for name in successors}

        def finish(thread: Thread, frame: Frame) -> Frame | None:
            if frame.caller is not None or thread.path is None:
                return normal(thread, frame)
            taken = next_in_path(thread, block.name, successors)
            return edges[taken](thread, frame)

        return finish


# -- paths -------------------------------------------------------------------------------------------


def next_in_path(thread: Thread, block: str, successors: tuple[str, ...]) -> str:
    """The next block of a thread's path. Raises UsageError if it ends here, or is no successor."""
    assert thread.path is not None
    choices = " or ".join(f"%{s}" for s in dict.fromkeys(successors))
    thread.path_at += 1
    if thread.path_at >= len(thread.path):
        raise UsageError(f"the path of thread {thread.number} ends in %{block}, which goes on to {choices}")
    name = thread.path[thread.path_at]
    if name not in successors:
        raise UsageError(
            f"the path of thread {thread.number} goes from %{block} to %{name} "
            f"(its block number {thread.path_at + 1}), but %{block} goes on to {choices}"
        )
    return name


def end_path(thread: Thread, block: str) -> None:
    """The launched function ends: the path must, too."""
    if thread.path is not None and thread.path_at + 1 < len(thread.path):
        rest = " ".join(thread.path[thread.path_at + 1 :])
        raise UsageError(
            f"the path of thread {thread.number} goes on after %{block}, where the function ends: {rest}"
        )


# -- moving between blocks and frames ----------------------------------------------------------------


def entering(into: CodeBlock, move: Move | None = None) -> Finish:
    """Entering a block, its phis first; one closure for each case, since every branch comes here."""
    visited = into.visited
    if into.heads:

        def to_header(thread: Thread, frame: Frame) -> Frame | None:
            if move is not None:
                move(frame.registers)
            frame.segment = into.entry
            log = thread.log
            frame.visit = len(log)
            log.append(visited[thread.number])
            enter_header(thread.environment, frame, into)
            return frame

        return to_header
    if move is None:

        def plain(thread: Thread, frame: Frame) -> Frame | None:
            frame.segment = into.entry
            log = thread.log
            frame.visit = len(log)
            log.append(visited[thread.number])
            return frame

        return plain

    def moving(thread: Thread, frame: Frame) -> Frame | None:
        move(frame.registers)
        frame.segment = into.entry
        log = thread.log
        frame.visit = len(log)
        log.append(visited[thread.number])
        return frame

    return moving


def _moves(pairs: list[tuple[int, int]]) -> Move | None:
    """A parallel copy of registers: (from, to) pairs."""
    match pairs:
        case []:
            return None
        case [(a, x)]:

            def move(r: Registers) -> None:
                r[x] = r[a]

            return move
        case [(a, x), (b, y)]:

            def moves(r: Registers) -> None:
                r[x], r[y] = r[a], r[b]

            return moves
        case _:
            sources, targets = tuple(a for a, _ in pairs), tuple(b for _, b in pairs)

            def many(r: Registers) -> None:
                values = [r[s] for s in sources]
                for target, value in zip(targets, values, strict=True):
                    r[target] = value

            return many


def _unreachable(thread: Thread, frame: Frame) -> Frame | None:
    raise Undefined("unreachable was reached", "'unreachable' Instruction")


def _never(why: str) -> Callable[[Registers], None]:
    """A check that no return passes."""

    def check(r: Registers) -> None:
        raise Undefined(why, "Function Attributes")

    return check


def leave(thread: Thread, frame: Frame, value: object, token_slots: tuple[int, ...]) -> Frame | None:
    """Returns from a frame: its stack objects end, its tokens go, the caller goes on."""
    if frame.allocas is not None:
        thread.environment.release(thread, frame.allocas)
    for slot in token_slots:
        token = frame.registers[slot]
        if token is not UNSET:
            thread.holders.pop(token, None)
    if frame.root is not None:
        thread.holders.pop(frame.root, None)
    caller = frame.caller
    if caller is None:
        thread.end(Status.RETURNED, value)
        return None
    if frame.result >= 0:
        caller.registers[frame.result] = value
    thread.depth -= 1
    thread.frame = caller
    thread.log.append(ReturnEvent(thread.number, caller.number))
    return caller
