"""A kernel's native code that needs nobody until its threads are over: a thread runs from its launch to an
exchange, and from there to the next one or to its end, calls of defined functions included.

As :mod:`.emit` it runs prepared code over registers that hold emitted values. But where the reference would
have to decide, this gives up for the whole launch, which then runs as it would without: so no instruction has
to be able to be left, and code is short. Calls are expanded where they stand; stack objects whose address
nobody takes are registers; ids are computed.

``i64 @thread(ptr words, ptr control, ptr env, i64 thread)`` gives where the thread stopped: 0 at its end, the
number of a :class:`Stop`, or less than 0: minus the number of what it gave up at.

Which instances of an exchange are converged is said by *columns*, words of a thread's state: how often the
headers of the cycles around were met, and the counts of the tokens that it hangs from. Two threads of one
launch group that stop at one place have equal keys exactly if their columns are equal: calls are expanded, so
a place is a path of call sites; and what a key has besides the sites are these counts, each of which the
columns hold from the launch on (:mod:`..convergence.rules`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from ...alignment import StaticInstance
from ...ir import (
    FloatType,
    FunctionType,
    Global,
    Int,
    IntType,
    Local,
    PointerType,
    Simple,
    Type,
    VectorType,
    named_globals,
)
from ...ir import instructions as ir
from ...ir.calls import Control, callee_name
from ...ir.instructions import operands
from ...ir.module import Block, Function, is_thread_local
from ...ir.resources import holds_handle
from ...rules import Rule
from .. import NotModelled, Undefined
from ..arithmetic.emitting import (
    EmittedLines,
    EmittedProvenance,
    EmittingDomain,
    KnownBits,
    NotNative,
    Term,
    resized,
    truth_text,
)
from ..instructions import is_volatile, prepare_access
from ..instructions.memory import prepare_alloca
from ..instructions.promises import ByvalCopy, byval_copies, metadata_promises
from ..memory import typed
from ..memory.allocations import FIRST, GAP, Allocation, Memory
from ..memory.emitted import ByteAddress, EmittedCells, EmittedMemory, Fields
from ..memory.globals import BuiltinContents
from ..memory.packed import (
    BASE,
    DATA,
    FLAGS,
    NUMBERS,
    OWNER,
    READABLE,
    SHADOW,
    WRITABLE,
    ObjectTable,
    PackedCells,
)
from ..memory.synchronisation import (
    ADDS4,
    ADDS8,
    AHEAD,
    KNOWN,
    RELEASED,
    STATE,
    STATES,
    MemoryFence,
    Scope,
    storage_offset,
)
from ..operations import CLUSTER_BARRIER, Callee, Exchanging, Fencing, Grid, PerThread, Subgroup, ThreadPlace
from ..operations.lanes import is_void
from ..threads import (
    UNSET,
    Code,
    CodeBlock,
    Finish,
    Frame,
    Planned,
    Registers,
    Runs,
    Segment,
    Step,
    Stops,
    Thread,
)
from ..threads.calls import Calls, Declared, Passed
from ..threads.recurrence import uses
from ..threads.translation import SegmentBuilder, Terminators
from ..values import Bits, Composite, Pointer, Provenance, RuntimeValue, Truth, Value
from ..values.datalayout import align_up
from .emit import liveness, relaxes_alignment, types_of
from .registers import (
    ABSENT,
    DONE,
    Emitter,
    FrameInTheMaking,
    NativeCompiler,
    NativeTranslation,
    RegisterFile,
    Scalar,
    SegmentRegisters,
    load_home,
    native_scalars,
    store_home,
)
from .registers import Place as Home

if TYPE_CHECKING:
    from ..machine.program import Program
    from ..operations import Effects

DEEPEST = 16
"""Calls that are expanded in one another at most."""
LARGEST = 20_000
"""Instructions of all expanded functions at most."""
LARGEST_OBJECT = 1 << 16
"""Bytes of a stack object that native code makes, at most."""
_ADDS = re.compile(r"_Z\d+atomic_(?:add|sub|inc|dec|fetch_add|fetch_sub)(?:_explicit)?P(?:U3AS\d)?V\w*")
"""OpenCL C's atomic additions, by their mangled names."""
OBJECTS = 512
"""Stack objects in memory that a thread has at most."""
SITES = 62
"""Places at which instances are recorded, at most: each has a bit."""
OWN = 16
"""Variables of which each thread has an instance of its own in memory, at most: each access asks for each."""
LAUNCHED = 1
"""The number of the place where all threads begin."""
CALLED = 1 << 62
"""The bit that says that a defined function was called."""


class ThreadWords:
    """The words of ``control``: where a thread goes on; how many instructions it may execute, and how many
    fewer these are then; how many blocks it entered; which sites it came to."""

    PLACE, LEFT, VISITS, SITES = range(4)
    WORDS = 4


def can_begin(variable: Allocation, memory: Memory) -> bool:
    """Whether native code can make what each thread's own instance of a variable holds at the launch."""
    identity = variable.provenance.id
    contents = memory.contents_of.get(identity)
    if contents is not None:
        return isinstance(contents, BuiltinContents)
    known = variable.problem is None and not variable.assumed
    instances = any(of == identity for of, _ in memory.instances)  # each thread's by itself
    return known and not instances and isinstance(variable.cells, PackedCells)


@dataclass(frozen=True, slots=True)
class SharedOperand:
    """An operand that all threads have."""

    value: RuntimeValue


@dataclass(frozen=True, slots=True)
class NativeExchange:
    """What happens at an exchange: its model; its operands, and where its result is among a thread's words;
    what a barrier orders, and whether threads of the whole workgroup meet there."""

    site: StaticInstance
    name: str
    model: Exchanging
    operands: tuple[Home | SharedOperand, ...]
    result: Home | None
    fence: MemoryFence | None
    workgroup: str | None
    columns: tuple[int, ...]
    callee: Callee


@dataclass(frozen=True, slots=True)
class Stop:
    """A place where a thread stops and goes on: at an exchange, or (``None``) as it has run for long."""

    number: int
    exchange: NativeExchange | None


@dataclass(frozen=True, slots=True)
class OwnVariable:
    """A ``thread_local`` variable of which each thread has an instance in memory: the identity of the object
    and its ``number``, which of the kernel's ``sizes`` the instances have, and, of a built-in variable, what
    they hold. ``kept``: what they hold at the end is a part of the outcome."""

    identity: int
    number: int
    index: int
    contents: BuiltinContents | None
    kept: bool


@dataclass
class Unattended:
    """A kernel as text: ``parameters`` and the ``result`` are where a launch puts arguments and finds what
    was returned; ``words`` a thread has; ``sites`` are what the bits stand for; ``own`` what threads have
    instances of; ``reasons`` to give up, by their numbers, of which some are
    ``spoiled`` memory; ``volatile``: whether some accesses are events."""

    text: str
    declarations: Mapping[str, str]
    symbols: dict[str, int]
    stops: tuple[Stop, ...]
    parameters: tuple[Home | None, ...]
    result: Home | None
    words: int
    sites: tuple[tuple[StaticInstance, Rule], ...]
    objects: Mapping[int, Provenance]
    first_row: int
    sizes: tuple[int, ...]
    own: tuple[OwnVariable, ...]
    reasons: tuple[tuple[str, str, str], ...]
    spoiled: frozenset[int]
    volatile: bool


def is_constant(value: RuntimeValue | _Variable) -> bool:
    """Whether a value is one that the text of emitted code has; the address of a variable is."""
    match value:
        case Composite():
            return all(map(is_constant, value.elements))
        case Pointer():
            computed = isinstance(value.bits, Term) or isinstance(value.provenance, EmittedProvenance)
            return value.poison is False and not computed
        case Value():
            return is_known(value)
        case _:
            return False


def is_known(value: RuntimeValue) -> bool:
    """Whether a value is the same in every run."""
    if isinstance(value, Composite):
        return all(is_known(element) for element in value.elements)
    return not isinstance(value, Pointer) and not isinstance(value.bits, Term) and value.poison is False


class NumberTerm(Term):
    """A whole number that only the run knows, never negative: what models of ids compute with."""

    __slots__ = ("lines",)

    def __init__(self, lines: EmittedLines, name: str) -> None:
        super().__init__(name, 64)
        self.lines = lines

    def _do(self, opcode: str, a: object, b: object) -> NumberTerm:
        mask = (1 << 64) - 1
        text = [o.name if isinstance(o, Term) else str(int(o) & mask) for o in (a, b)]  # type: ignore[call-overload]
        return NumberTerm(self.lines, self.lines.typed(f"{opcode} i64 {text[0]}, {text[1]}"))

    def __add__(self, other: object) -> NumberTerm:
        return self._do("add", self, other)

    def __sub__(self, other: object) -> NumberTerm:
        return self._do("sub", self, other)

    def __mul__(self, other: object) -> NumberTerm:
        return self._do("mul", self, other)

    def __and__(self, other: object) -> NumberTerm:
        return self._do("and", self, other)

    def __or__(self, other: object) -> NumberTerm:
        return self._do("or", self, other)

    def __rshift__(self, other: object) -> NumberTerm:
        return self._do("lshr", self, other)

    def __floordiv__(self, other: object) -> NumberTerm:
        return self._do("udiv", self, _divisor(other))

    def __mod__(self, other: object) -> NumberTerm:
        return self._do("urem", self, _divisor(other))

    def __divmod__(self, other: object) -> tuple[NumberTerm, NumberTerm]:
        return self // other, self % other

    __radd__, __rmul__, __rand__, __ror__ = __add__, __mul__, __and__, __or__


def _divisor(number: object) -> int:
    if isinstance(number, Term) or not isinstance(number, int) or number <= 0:
        raise NotNative("a division by what only the run knows")
    return number


@dataclass(frozen=True, slots=True)
class WorkgroupExtent:
    """What ids are computed from: how many threads a workgroup is launched with, and how many launch groups
    of how many; what models see of each. All but the last one of a workgroup are full."""

    workgroup: int
    size: int
    room: int
    threads: int
    wave: int | None
    grid: Grid

    def place(self, lines: EmittedLines, thread: str = "%thread") -> ThreadPlace:
        """A thread's place among the others, in terms of its number."""
        number = NumberTerm(lines, thread)
        group, local = divmod(number, self.workgroup)
        launch, lane = divmod(local, self.size)
        first = number - lane
        base = launch * self.room
        subgroup = Subgroup(self.room, first, self.threads, launch, self.wave, base, group, self.grid)  # type: ignore[arg-type]
        return ThreadPlace(number, lane, subgroup)  # type: ignore[arg-type]

    def distinguished(self, place: ThreadPlace) -> Iterator[list[tuple[tuple[Any, int] | None, ThreadPlace]]]:
        """A place in terms of numbers of the run; then told apart by the lane; then by the launch group."""
        yield [(None, place)]
        yield [((place.lane, lane), place._replace(lane=lane)) for lane in range(self.size)]
        subgroup, groups = place.subgroup, range(-(-self.workgroup // self.size))
        yield [
            (
                (subgroup.number, number),
                place._replace(subgroup=subgroup._replace(number=number, base=number * self.room)),
            )
            for number in groups
        ]


def by_place(
    lines: EmittedLines,
    domain: EmittingDomain,
    shape: WorkgroupExtent,
    value_of: Callable[[ThreadPlace], RuntimeValue],
    type_: Type,
) -> RuntimeValue:
    """What comes of a thread's place: computed with its numbers, or else chosen by its lane. Raises
    NotNative."""
    for kind in shape.distinguished(shape.place(lines)):
        mark, value = len(lines.lines), None
        try:
            for here, where in kind:
                own = _fitted(value_of(where), type_, lines)
                truth = domain.true if here is None else domain.width(64).eq(*here)
                value = own if value is None else domain.choose(truth, own, value)
        except (NotNative, TypeError):  # what numbers of the run cannot do
            del lines.lines[mark:]
            continue
        if value is not None:
            return value
    raise NotNative("what comes of a thread's place")


@dataclass(slots=True)
class _Variable:
    """A stack object whose address nobody takes, as registers: what it holds, whether it holds something,
    and whether its lifetime is over."""

    name: str
    type: Type
    home: Scalar
    flags: int


KeyColumns = tuple[int, ...]
"""Words that say which instance something is, each an SSA register ``%k`` of its number."""


class KernelEmitter:
    """A kernel on its way into text."""

    def __init__(
        self,
        program: Program,
        kernel: Function,
        table: ObjectTable,
        shape: WorkgroupExtent,
        run: Memory,
        rows: int,
    ) -> None:
        """``rows``: of how many threads there are stack objects at once."""
        self.program = program
        self.shape = shape
        self.rows = rows
        self.table = table
        self.run = run
        self.first_row = table.rows
        self.sizes: list[int] = []
        """Of what every thread has in memory for itself, how many bytes each has: instances of variables, and
        stack objects."""
        self.heights: dict[int, int] = {}
        """By the bits of an arena the word that says where its next object goes."""
        names = program.functions_from(kernel.name)
        functions = [program.module.functions[name] for name in names]
        copies = any(copied_arguments(program, f) for f in functions if f.name != kernel.name)
        self.stacks = copies or any(map(partial(has_objects, program), functions))
        self.lines = EmittedLines("nowhere")
        self.lines.line("unreachable")
        self.objects: dict[int, Provenance] = {}
        fields = Fields(self.lines, "%env", not self.stacks)
        self.domain = EmittingDomain(self.lines, self._guard, self._number_of, *fields.bounds)
        private = (self.first_row, OBJECTS * rows) if self.stacks else None
        thread = Term("%thread", 64)
        handles = dict(_handles(program, functions))
        self.instances = tuple(self._instances(functions, handles))
        own = self.own_number if self.instances else None
        relaxes = relaxes_alignment(program)
        self.memory = EmittedMemory(
            self.domain, program.layout, "%env", thread, private=private, own=own, relaxes=relaxes,
            holds_poison=program.holds_poison, guard_contents=self._guard_contents,
        )  # fmt: skip
        self.spoiled: set[int] = set()
        """The numbers of reasons to give up for what may be poison in memory."""
        self.words = 0
        self.columns: list[int] = []
        self.sites: dict[tuple[StaticInstance, Rule], int] = {}
        self.stops: list[Stop] = []
        self.resumes: list[tuple[int, list[tuple[ExpandedFunction, Segment]], str]] = []
        self.reasons: list[tuple[str, str, str]] = []
        self.failures: list[tuple[str, int]] = []
        self.doing: tuple[ExpandedFunction, int] | None = None
        self.instructions = 0
        self.volatile = False
        self.waiting: list[ExpandedFunction] = []
        self.own = {name: self._own(name, type_) for name, type_ in handles.items()}
        """Variables that each thread has for itself and that hold handles: as registers."""
        self.bottom = ExpandedFunction(self, kernel, None)

    # -- threads' own instances of variables ----------------------------------------------------------------

    def _instances(self, functions: Sequence[Function], handles: Collection[str]) -> Iterator[OwnVariable]:
        """The ``thread_local`` variables that functions name, or that parameters point to, and whose contents
        at the launch can be made natively. Accesses to others give up."""
        named = {n for f in functions for i in f.instructions for n in named_globals(*operands(i))}
        for name, variable in self.program.module.globals.items():
            if name in handles or (name not in named and not variable.buffer):
                continue
            try:
                provenance = self.program.context.address_of(name).provenance
            except NotModelled:
                continue
            allocation = None if provenance is None else self.run.allocations.get(provenance.id)
            if allocation is None or not allocation.thread_local or len(self.sizes) == OWN:
                continue
            size = allocation.provenance.size
            if not 0 < size <= LARGEST_OBJECT or not can_begin(allocation, self.run):
                continue
            identity, index = allocation.provenance.id, len(self.sizes)
            contents = self.run.contents_of.get(identity)
            self.sizes.append(size)
            number = self._number_of(allocation.provenance)
            builtin = contents if isinstance(contents, BuiltinContents) else None
            kept = not variable.constant and not variable.buffer
            yield OwnVariable(identity, number, index, builtin, kept)

    def own_number(self, number: Bits) -> Bits:
        """The number of the thread's own instance, of what is such a variable's, and other numbers."""
        if not isinstance(number, Term):
            own = next((v for v in self.instances if v.number == number), None)
            return number if own is None else self.row_number(own.index)
        for variable in self.instances:
            same = self.lines.typed(f"icmp eq i32 {number}, {variable.number}")
            instance = self.row_number(variable.index)
            number = self.lines.value(32, f"select i1 {same}, i32 {instance}, i32 {number}")
        return number

    def begin_instances(self) -> None:
        """A thread's own variables hold what they do at the launch."""
        lines, fields = self.lines, Fields(self.lines, "%env", False)
        for variable in self.instances:
            _, row = self.row(variable.index)
            if variable.contents is not None:
                self._begin_builtin(variable.contents, row)
                continue
            template, size = fields.row(variable.number), align_up(self.sizes[variable.index], 8)
            for part in (DATA, SHADOW, NUMBERS):
                to, of = (fields.word(of_row, part, "ptr") for of_row in (row, template))
                operands = [("ptr", to), ("ptr", of), ("i64", str(size)), ("i1", "false")]
                lines.line(lines.call("void", "llvm.memcpy.p0.p0.i64", operands))

    def _begin_builtin(self, contents: BuiltinContents, row: str) -> None:
        """A built-in variable holds the thread's number. Where that cannot be computed it holds nothing, and
        whoever reads it gives up."""
        mark = len(self.lines.lines)
        type_, layout = contents.type, self.program.layout
        try:
            value = self.computed(contents.value_of, type_)
            cells, begin = EmittedCells(self.memory, row), ByteAddress("0", 0)
            typed(type_, layout, self.domain).write(cells, begin, value)  # type: ignore[arg-type]
        except NotNative:
            del self.lines.lines[mark:]

    def computed(self, value_of: Callable[[ThreadPlace], RuntimeValue], type_: Type) -> RuntimeValue:
        """What comes of a thread's place. Raises NotNative."""
        return by_place(self.lines, self.domain, self.shape, value_of, type_)

    # -- stack objects in memory --------------------------------------------------------------------------

    def height(self, bits: int) -> int:
        """The word that says where the next stack object of an arena goes."""
        if bits not in self.heights:
            self.heights[bits] = self.column()
        return self.heights[bits]

    def bottoms(self) -> Iterator[str]:
        """A thread's stacks are empty."""
        for bits, word in self.heights.items():
            quarter, share = self.run.stack_room(bits)
            yield f"  %bottom.{bits}.off = mul i64 %thread, {share}"
            yield f"  %bottom.{bits} = add i64 %bottom.{bits}.off, {quarter}"
            yield f"  store i64 %bottom.{bits}, ptr %k{word}"

    def allocated(self, size: int, align: int, space: int | str) -> tuple[int, Term]:
        """As :meth:`.Memory.allocate`: the arena's bits, and the address."""
        lines, (bits, _) = self.lines, self.run.arena_bits(space)
        word, align = self.height(bits), max(1, align)
        now = lines.typed(f"load i64, ptr %k{word}")
        unit, less = (2 * align, align) if align < FIRST else (align, 0)
        up = lines.typed(f"add i64 {now}, {unit - 1 - less}")
        down = lines.typed(f"and i64 {up}, {-unit}")
        base = lines.value(64, f"add i64 {down}, {less}")
        after = lines.typed(f"add i64 {base}, {size + GAP}")
        quarter, share = self.run.stack_room(bits)
        top = lines.typed(f"add i64 {lines.typed(f'mul i64 %thread, {share}')}, {quarter + share}")
        self.domain.guard(lines.value(1, f"icmp ule i64 {after}, {top}"))
        lines.line(f"store i64 {after}, ptr %k{word}")
        return bits, base

    def row(self, index: int) -> tuple[Term, str]:
        """The number and the row of a thread's stack object, or of its instance of a variable."""
        number = self.row_number(index)
        return number, Fields(self.lines, "%env", False).row(number)

    def row_number(self, index: int) -> Term:
        """The number alone."""
        lines = self.lines
        local = lines.typed(f"urem i64 %thread, {self.rows}")
        wide = lines.typed(f"add i64 {local}, {self.first_row + index * self.rows}")
        return lines.value(32, f"trunc i64 {wide} to i32")

    def revive(self, index: int) -> None:
        """A stack object lives, and holds nothing."""
        lines, (_, row) = self.lines, self.row(index)
        shadow = Fields(lines, "%env", False).word(row, SHADOW, "ptr")
        operands = [("ptr", shadow), ("i8", "0"), ("i64", str(self.sizes[index])), ("i1", "false")]
        lines.line(lines.call("void", "llvm.memset.p0.i64", operands))
        self.set_flags(row, READABLE | WRITABLE)

    def set_flags(self, row: str, flags: int) -> None:
        """What may be done with a stack object."""
        at = self.lines.typed(f"getelementptr i8, ptr {row}, i64 {FLAGS}")
        self.lines.line(f"store i64 {flags}, ptr {at}")

    # -- what activations ask for -----------------------------------------------------------------------

    def room(self, words: int) -> int:
        """So many words of a thread's state: the number of the first."""
        first = self.words
        self.words += words
        return first

    def column(self) -> int:
        """A word that is a part of which instance something is."""
        number = self.room(1)
        self.columns.append(number)
        return number

    def bit(self, site: StaticInstance, rule: Rule) -> int:
        """The bit of a site at which instances are recorded."""
        number = self.sites.setdefault((site, rule), len(self.sites))
        if number >= SITES:
            raise NotNative("so many sites of convergent operations")
        return 1 << number

    def _own(self, name: str, type_: Type) -> _Variable:
        file = RegisterFile({0: type_}, self.program.layout, self.words)
        self.words = file.words
        home = file.places.get(0)
        if not isinstance(home, Scalar):
            raise NotNative(f"@{name}")
        return _Variable(name, type_, home, self.room(1))

    def _number_of(self, provenance: Provenance) -> int:
        number = self.table.number(provenance)
        if number is None:
            raise NotNative(f"a pointer to {provenance.name}")
        self.objects[number] = provenance
        return number

    def _why(self, what: str) -> int:
        """The number of a reason to give up here, from 1."""
        assert self.doing is not None
        activation, index = self.doing
        reason = activation.code.name, ir.opcode(activation.code.instructions[index]), what
        if reason not in self.reasons:
            self.reasons.append(reason)
        return self.reasons.index(reason) + 1

    def _guard(self, truth: Term) -> None:
        self._leave_unless(truth, "a guard failed")

    def _guard_contents(self, truth: Truth) -> None:
        """A guard that what is read or written is plain."""
        if isinstance(truth, Term):
            self.spoiled.add(self._leave_unless(truth, "poison or undef in memory"))
        else:
            self.domain.guard(truth)

    def _leave_unless(self, truth: Term, what: str) -> int:
        """Native code gives up where something does not hold; the number of the reason."""
        on, why = self.lines.new_label("on"), self._why(what)
        self.failures.append((self.lines.block, why))
        self.lines.line(f"br i1 {truth_text(truth)}, label %{on}, label %giveup")
        self.lines.label(on)
        return why

    def give_up(self, what: str) -> None:
        """The block ends: nothing native leads on from here."""
        self.failures.append((self.lines.block, self._why(what)))
        self.lines.line("br label %giveup")

    # -- the whole ----------------------------------------------------------------------------------------

    def emit(self) -> Unattended:
        """The kernel, and all that it calls."""
        bottom = self.bottom
        self.stop(None, [(bottom, bottom.code.blocks[0].entry)], bottom.begin)
        self.waiting.append(bottom)
        while self.waiting:
            self.waiting.pop().emit()
        text = "\n".join([*self._head(), *self.lines.lines, *self._resumed(), *self._stopped(), "}"])
        homes = bottom.registers.places
        return Unattended(
            text, self.lines.declarations, self.lines.symbols, tuple(self.stops),
            tuple(homes.get(slot) for slot in bottom.reference.parameters), bottom.returned,
            max(1, self.words), tuple(self.sites), self.objects, self.first_row, tuple(self.sizes),
            self.instances, tuple(self.reasons), frozenset(self.spoiled), self.volatile,
        )  # fmt: skip

    def chains(self) -> dict[int, list[tuple[ExpandedFunction, Segment]]]:
        """By the number of a place where threads stop: the activations there, the innermost first, and where
        each goes on."""
        return {number: chain for number, chain, _ in self.resumes if number != LAUNCHED}

    def stop(
        self, exchange: NativeExchange | None, chain: list[tuple[ExpandedFunction, Segment]], label: str
    ) -> int:
        """A place where threads stop, and go on at a label."""
        number = len(self.stops) + 1
        self.stops.append(Stop(number, exchange))
        self.resumes.append((number, chain, label))
        return number

    def _every(self) -> Iterator[ExpandedFunction]:
        work = [self.bottom]
        while work:
            activation = work.pop()
            yield activation
            work += activation.children

    def _head(self) -> Iterator[str]:
        yield "define internal i64 @thread(ptr noalias %words, ptr noalias %control, ptr %env, i64 %thread) {"
        yield "entry:"
        for variable in self.own.values():
            yield from _room_of(variable.home)
            yield f"  %f{variable.flags} = alloca i64"
        for activation in self._every():
            for home in activation.homes():
                yield from _room_of(home)
            for variable in activation.variables.values():
                yield f"  %f{variable.flags} = alloca i64"
        for column in self.columns:
            yield f"  %k{column} = alloca i64"
        for name in "left", "visits", "sites":
            yield f"  %{name} = alloca i64"
        for name, word in ("place", ThreadWords.PLACE), ("budget", ThreadWords.LEFT):
            yield f"  %{name}.at = getelementptr inbounds i64, ptr %control, i64 {word}"
            yield f"  %{name} = load i64, ptr %{name}.at"
        yield "  store i64 %budget, ptr %left"
        yield "  store i64 0, ptr %visits"
        yield "  store i64 0, ptr %sites"
        places = " ".join(f"i64 {number}, label %e{number}" for number, _, _ in self.resumes)
        yield f"  switch i64 %place, label %nowhere [ {places} ]"

    def _live_words(self, chain: list[tuple[ExpandedFunction, Segment]]) -> tuple[list[Scalar], list[int]]:
        """What is kept while a thread stands still: scalars, and plain words."""
        kept = [variable.home for variable in self.own.values()]
        plain = [variable.flags for variable in self.own.values()]
        for activation, segment in chain:
            for home in activation.live_homes(segment):
                kept += native_scalars(home)
            for variable in activation.variables.values():
                kept.append(variable.home)
                plain.append(variable.flags)
            plain += activation.owned
        return kept, plain

    def _resumed(self) -> Iterator[str]:
        for number, chain, label in self.resumes:
            kept, plain = self._live_words(chain)
            yield f"e{number}:"
            if number == LAUNCHED:  # the launch: arguments are there, and nothing was counted
                kept, plain = self.bottom.arguments(), []
            for s in kept:
                name = f"%e{number}.{s.at}"
                yield f"  {name}.b = getelementptr inbounds i64, ptr %words, i64 {s.at}"
                yield f"  {name}.bits = load i{s.bits}, ptr {name}.b, align 8"
                yield f"  store i{s.bits} {name}.bits, ptr %a{s.at}"
                yield f"  {name}.m = getelementptr inbounds i64, ptr %words, i64 {s.meta}"
                yield f"  {name}.meta = load i64, ptr {name}.m"
                yield f"  {name}.poison = trunc i64 {name}.meta to i1"
                yield f"  store i1 {name}.poison, ptr %p{s.at}"
                if s.pointer:
                    yield f"  {name}.up = lshr i64 {name}.meta, 1"
                    yield f"  {name}.number = trunc i64 {name}.up to i32"
                    yield f"  store i32 {name}.number, ptr %n{s.at}"
            if number == LAUNCHED:
                yield from self.bottoms()
                yield from (f"  store i64 0, ptr %f{variable.flags}" for variable in self.own.values())
            for word in plain:
                name = f"%e{number}.k{word}"
                yield f"  {name}.at = getelementptr inbounds i64, ptr %words, i64 {word}"
                yield f"  {name} = load i64, ptr {name}.at"
                yield f"  store i64 {name}, ptr {self.plain(word)}"
            yield f"  br label %{label}"

    def plain(self, word: int) -> str:
        """Where a plain word is while a thread runs."""
        return f"%k{word}" if word in self._columns() else f"%f{word}"

    def _columns(self) -> set[int]:
        return set(self.columns)

    def _stopped(self) -> Iterator[str]:
        for number, chain, _ in self.resumes:
            if number == LAUNCHED:
                continue
            kept, plain = self._live_words(chain)
            yield f"x{number}:"
            for s in kept:
                yield from stored(f"%x{number}.{s.at}", s)
            for word in plain:
                name = f"%x{number}.k{word}"
                yield f"  {name} = load i64, ptr {self.plain(word)}"
                yield f"  {name}.at = getelementptr inbounds i64, ptr %words, i64 {word}"
                yield f"  store i64 {name}, ptr {name}.at"
            yield "  br label %back"
        yield "ended:"
        if self.bottom.returned is not None:
            for s in native_scalars(self.bottom.returned):
                yield from stored(f"%ended.{s.at}", s)
        yield "  br label %back"
        if self.failures:
            yield "giveup:"
            blocks = ", ".join(f"[ {-why}, %{block} ]" for block, why in self.failures)
            yield f"  %why = phi i64 {blocks}"
            yield "  br label %back"
        yield "back:"
        ways = [f"[ {number}, %x{number} ]" for number, _, _ in self.resumes if number != LAUNCHED]
        ways.append("[ 0, %ended ]")
        if self.failures:
            ways.append("[ %why, %giveup ]")
        yield f"  %answer = phi i64 {', '.join(ways)}"
        for name, word in (
            ("left", ThreadWords.LEFT),
            ("visits", ThreadWords.VISITS),
            ("sites", ThreadWords.SITES),
        ):
            yield f"  %now.{name} = load i64, ptr %{name}"
            yield f"  %now.{name}.at = getelementptr inbounds i64, ptr %control, i64 {word}"
            yield f"  store i64 %now.{name}, ptr %now.{name}.at"
        yield "  ret i64 %answer"


def _room_of(home: Home) -> Iterator[str]:
    """Where a register is while a thread runs."""
    for scalar in native_scalars(home):
        yield f"  %a{scalar.at} = alloca i{scalar.bits}"
        yield f"  %p{scalar.at} = alloca i1"
        if scalar.pointer:
            yield f"  %n{scalar.at} = alloca i32"


def stored(name: str, s: Scalar) -> Iterator[str]:
    """A scalar goes from its register into its words."""
    wide = 64 * (s.meta - s.at)
    yield f"  {name}.bits = load i{s.bits}, ptr %a{s.at}"
    bits = f"{name}.bits"
    if wide != s.bits:
        yield f"  {name}.wide = zext i{s.bits} {bits} to i{wide}"
        bits = f"{name}.wide"
    yield f"  {name}.b = getelementptr inbounds i64, ptr %words, i64 {s.at}"
    yield f"  store i{wide} {bits}, ptr {name}.b, align 8"
    yield f"  {name}.poison = load i1, ptr %p{s.at}"
    yield f"  {name}.low = zext i1 {name}.poison to i64"
    meta = f"{name}.low"
    if s.pointer:
        yield f"  {name}.number = load i32, ptr %n{s.at}"
        yield f"  {name}.up = zext i32 {name}.number to i64"
        yield f"  {name}.high = shl i64 {name}.up, 1"
        yield f"  {name}.meta = or i64 {name}.high, {name}.low"
        meta = f"{name}.meta"
    yield f"  {name}.m = getelementptr inbounds i64, ptr %words, i64 {s.meta}"
    yield f"  store i64 {meta}, ptr {name}.m"


@dataclass(slots=True)
class ActivationCall:
    """How an activation was entered: from where, by which call, and where that goes on; what its convergence
    hangs from, and whether that is a convergent call; whether tokens around count besides."""

    caller: ExpandedFunction
    index: int
    after: Segment
    result: int
    convergent: bool
    holds: bool = False
    root: KeyColumns = field(default=())


class ActivationRegisters(SegmentRegisters):
    """Those of an activation that is expanded: what a step puts into one is all that it ever holds."""

    owner: ExpandedFunction

    def __setitem__(self, slot: int, value: Any) -> None:
        self.owner.define(slot, value)
        self.values[slot] = value


class ExpandedFunction(Emitter):
    """A function's code, expanded at one path of calls."""

    def __init__(self, kernel: KernelEmitter, function: Function, call: ActivationCall | None) -> None:
        self.kernel = kernel
        self.lines, self.domain, self.memory = kernel.lines, kernel.domain, kernel.memory
        self.accesses = []
        self.call = call
        self.children: list[ExpandedFunction] = []
        program = kernel.program
        self.reference: Code = program.code(function.name)
        kernel.instructions += len(self.reference.instructions)
        if kernel.instructions > LARGEST:
            raise NotNative("so many instructions")
        self.types = types_of(program, function, self.reference)
        self.aliases = _aliases(function, program)
        self.read_names = frozenset(name for i in function.instructions for name in _all_operands(i))
        for name in self.aliases:
            self.types.pop(self.reference.slots[name], None)
        self.registers = RegisterFile(self.types, program.layout, kernel.words)
        kernel.words = self.registers.words
        self.variables = {
            name: self._variable(name, type_, program) for name, type_ in _variables(function, self.aliases)
        }
        self.written_once = {self.variables[name].flags for name in _written_once(function, self.aliases)}
        self.of_slot = {
            self.reference.slots[name]: self.variables[variable] for name, variable in self.aliases.items()
        }
        self.headers = [kernel.column() for _ in range(self.reference.cycles)]
        self.root: KeyColumns = () if call is None else tuple(kernel.column() for _ in call.root)
        self.tokens: dict[int, KeyColumns] = {}
        self.counts: list[KeyColumns] = []
        self.translation = _Translation(program, function, self, self.lines)
        compiler = _Compiler(self.translation)
        self.code = compiler.code
        self.live = liveness(self.reference, compiler)
        self.stack: dict[str, int] = {}
        self.lowest: dict[int, int] = {}
        self.labels: dict[int, str] = {}
        for block in self.code.blocks:
            for segment in block.segments:
                self.labels[id(segment)] = self.lines.new_label("s")
        self.begin = self.lines.new_label("begin")
        self.back = _back_targets(self.reference)
        self.r = ActivationRegisters(self)
        self.constants: dict[int, RuntimeValue] = {}
        """What registers hold that hold the same in every run: parameters, as each call is expanded by
        itself, and what comes of them. Not phis, and not what callees return, which have several origins."""
        self.contents: dict[int, RuntimeValue] = {}
        """The same of stack objects that one instruction writes, by the word of their flags."""
        self.segment = self.code.blocks[0].entry
        self.returned: Home | None = None
        if call is None and not is_void(function.type.result):
            file = RegisterFile({0: function.type.result}, program.layout, kernel.words)
            kernel.words = file.words
            self.returned = file.places.get(0)
        self.extra: list[Home] = []

    def _variable(self, name: str, type_: Type, program: Program) -> _Variable:
        file = RegisterFile({0: type_}, program.layout, self.kernel.words)
        self.kernel.words = file.words
        home = file.places[0]
        assert isinstance(home, Scalar)
        return _Variable(name, type_, home, self.kernel.room(1))

    @property
    def owned(self) -> list[int]:
        """The words of which instances are which."""
        of_tokens = (column for columns in self.tokens.values() for column in columns)
        heights = self.kernel.heights.values() if self.call is None else ()
        return [*dict.fromkeys((*self.headers, *self.root, *of_tokens, *self.lowest.values(), *heights))]

    def homes(self) -> Iterator[Home]:
        """All that is in registers."""
        yield from self.registers.places.values()
        yield from (variable.home for variable in self.variables.values())
        yield from self.extra
        if self.returned is not None:
            yield self.returned

    def live_homes(self, segment: Segment) -> list[Home]:
        """What is live where a segment begins, the result of what ended the one before included."""
        live = set(self.live.at(segment.first))
        if segment.first:
            before = self.reference.instructions[segment.first - 1]
            if before.result is not None:
                live.add(self.reference.slots[before.result])
        else:
            live.update(self.reference.parameters)
        return [self.registers.places[slot] for slot in sorted(live) if slot in self.registers.places]

    def arguments(self) -> list[Scalar]:
        """The scalars of the parameters."""
        homes = (self.registers.places.get(slot) for slot in self.reference.parameters)
        return [s for home in homes if home is not None for s in native_scalars(home)]

    # -- registers --------------------------------------------------------------------------------------

    def load(self, slot: int) -> Any:
        """A register's value; constants are known."""
        if slot in self.of_slot:
            return self.of_slot[slot]
        if slot in self.constants:
            return self.constants[slot]
        home = self.registers.places.get(slot)
        if home is None:
            initial = self.code.initial[slot]
            if initial is UNSET:
                raise NotNative("a register that native code does not hold")
            return initial
        return self.value(home)

    def value(self, home: Home) -> Any:
        """What is in some registers."""
        return load_home(home, self.lines, self.domain)

    def define(self, slot: int, value: Any) -> None:
        """Gives a register the one value that it ever has, in this activation."""
        self.store(slot, value)
        if is_constant(value):
            self.constants[slot] = value
        else:  # as a promise of a constant that only the run can look at
            self.constants.pop(slot, None)

    def store(self, slot: int, value: Any) -> None:
        """Gives a register its value."""
        home = self.registers.places.get(slot)
        if home is not None:
            self.put(home, value)
        elif slot in self.types:
            raise NotNative("a register that native code does not hold")

    def put(self, home: Home, value: Any) -> None:
        """Puts a value into some registers."""
        store_home(home, value, self.lines, self.domain)

    def place_of(self, type_: Type) -> Home:
        """Registers for what has no name."""
        file = RegisterFile({0: type_}, self.kernel.program.layout, self.kernel.words)
        if 0 not in file.places:
            raise NotNative(f"an operand of type {type_}")
        self.kernel.words = file.words
        self.extra.append(file.places[0])
        return file.places[0]

    # -- segments ---------------------------------------------------------------------------------------

    def emit(self) -> None:
        """All its segments."""
        for block in self.code.blocks:
            for segment in block.segments:
                self._segment(segment, block)
        self.lines.label(self.begin)  # last, as now it is known what counts are kept
        for word in (*self.headers, *(column for columns in self.counts for column in columns)):
            self.lines.line(f"store i64 0, ptr %k{word}")
        for variable in self.variables.values():
            self.lines.line(f"store i64 0, ptr %f{variable.flags}")
        if self.call is None:
            self.kernel.begin_instances()
        self.lines.line(f"br label %{self.label_of(self.code.blocks[0].entry)}")

    def allocate(self, name: str, size: int, align: int, space: int | str, kept: bool) -> RuntimeValue | None:
        """A stack object is made; its address, if it is ``kept`` in memory."""
        kernel, lines = self.kernel, self.lines
        if not kernel.stacks:
            return None
        bits, base = kernel.allocated(size, align, space)
        if bits not in self.lowest:
            self.lowest[bits] = kernel.column()
            lines.line(f"store i64 {base}, ptr %k{self.lowest[bits]}")
        if not kept:
            return None
        index = len(kernel.sizes)
        if index == OBJECTS:
            raise NotNative("so many stack objects")
        kernel.sizes.append(size)
        self.stack[name] = index
        number, row = kernel.row(index)
        for offset, word in (BASE, base), (OWNER, Term("%thread", 64)):
            at = lines.typed(f"getelementptr i8, ptr {row}, i64 {offset}")
            lines.line(f"store i64 {word}, ptr {at}")
        kernel.revive(index)
        width = kernel.run.arena_bits(space)[1]
        return Pointer(resized(lines, base, width), self.domain.provenance(number), False)

    def copy_argument(self, position: int, copy: ByvalCopy, source: Any) -> Any:
        """The copy of its own that a function gets of an argument: an object that ends as its stack objects
        do, filled by an access of the call."""
        memory: Any = self.memory
        own = self.allocate(f"argument {position}", copy.size, copy.align, 0, True)
        if own is None or memory is None:
            raise NotNative("an argument that is copied")
        access = copy.access(own, source)
        memory.atomicity = access.shape.atomicity
        access.shape.perform(access, memory, 0)
        return own

    def release(self) -> None:
        """The stack objects end."""
        for index in self.stack.values():
            self.kernel.set_flags(self.kernel.row(index)[1], 0)
        for bits, word in self.lowest.items():
            lowest = self.lines.typed(f"load i64, ptr %k{word}")
            self.lines.line(f"store i64 {lowest}, ptr %k{self.kernel.height(bits)}")

    def label_of(self, segment: Segment) -> str:
        """Where a segment begins."""
        label = self.labels.get(id(segment))
        if label is None:
            raise NotNative("a way that leads elsewhere")
        return label

    def _segment(self, segment: Segment, block: CodeBlock) -> None:
        lines, kernel = self.lines, self.kernel
        registers: Any = self.r
        self.segment = segment
        kernel.doing = self, segment.last
        lines.label(self.labels[id(segment)])
        self.r.values.clear()
        if segment is block.entry and block.number in self.back:
            self._pause(segment)
        for step, index in zip(segment.steps, segment.indices, strict=True):
            kernel.doing = self, index
            if not self._attempt(partial(step, registers)):
                return
        kernel.doing = self, segment.last
        self.follow(segment.finish, FrameInTheMaking(self.r))

    def _attempt(self, step: Callable[[], Any]) -> bool:
        """Emits something, or that native code ends here; whether it goes on."""
        lines, kernel = self.lines, self.kernel
        mark, label, failures = len(lines.lines), lines.block, len(kernel.failures)
        try:
            step()
        except (NotNative, NotModelled, Undefined) as problem:
            del lines.lines[mark:]
            del kernel.failures[failures:]
            lines.block = label
            kernel.give_up(str(problem))
            return False
        return True

    def _pause(self, segment: Segment) -> None:
        """In a cycle others look in now and then."""
        lines = self.lines
        on = lines.new_label("on")
        number = self.kernel.stop(None, self.chain(segment), on)
        left = lines.typed("load i64, ptr %left")
        more = lines.typed(f"icmp sgt i64 {left}, 0")
        lines.line(f"br i1 {more}, label %{on}, label %x{number}")
        lines.label(on)

    def chain(self, segment: Segment) -> list[tuple[ExpandedFunction, Segment]]:
        """The activations that there are, and where each goes on."""
        chain = [(self, segment)]
        call = self.call
        while call is not None:
            chain.append((call.caller, call.after))
            call = call.caller.call
        return chain

    def follow(self, finish: Finish, frame: Any) -> bool:
        known = dict(self.r.values)
        frame.segment = None

        def way() -> None:
            onward: Any = finish(ABSENT, frame)
            if onward is not DONE:
                if onward is not frame:
                    raise NotNative("a way that leads elsewhere")
                self.go(onward.segment)

        native = self._attempt(way)
        self.r.values = known
        return native

    def go(self, segment: Segment) -> None:
        """On to a segment, and the one that ends here is paid."""
        self.pay()
        self.lines.line(f"br label %{self.label_of(segment)}")

    def pay(self) -> None:
        """As many instructions as the segment has."""
        lines = self.lines
        left = lines.typed("load i64, ptr %left")
        lines.line(f"store i64 {lines.typed(f'sub i64 {left}, {self.segment.cost}')}, ptr %left")

    def mark(self, bit: int) -> None:
        """A site was come to."""
        lines = self.lines
        known = lines.typed("load i64, ptr %sites")
        lines.line(f"store i64 {lines.typed(f'or i64 {known}, {bit}')}, ptr %sites")

    def visit(self) -> None:
        """A block was entered."""
        lines = self.lines
        visits = lines.typed("load i64, ptr %visits")
        lines.line(f"store i64 {lines.typed(f'add i64 {visits}, 1')}, ptr %visits")

    def edge(self, source: int, into: CodeBlock, moves: tuple[tuple[int, int], ...], r: Any) -> None:
        lines = self.lines
        values = [(target, r[origin]) for origin, target in moves]
        for target, value in values:
            self.store(target, value)
        self.visit()
        for cycle in into.heads:
            count = "0"
            if cycle == into.cycle:
                count = lines.typed(f"add i64 {lines.typed(f'load i64, ptr %k{self.headers[cycle]}')}, 1")
            lines.line(f"store i64 {count}, ptr %k{self.headers[cycle]}")
        self.go(into.entry)

    # -- who is who ---------------------------------------------------------------------------------------

    def around(self, index: int) -> KeyColumns:
        """What says which instance of a header an instruction is under, and which activation it is in."""
        block = self.code.blocks[self.reference.graph.block_of[index]]
        cycles = [b.cycle for b in self.code.blocks if b.heads and block.cycle in b.heads]
        return (*(self.headers[cycle] for cycle in cycles if block.cycle >= 0), *self.root)

    def instance(self, index: int) -> tuple[KeyColumns, Rule]:
        """What says which instance of a convergent operation is executed, and by which rule."""
        token = self.reference.token_of.get(index)
        if token is not None:
            if token not in self.tokens:
                raise NotNative("a token that is not known here")
            return self.tokens[token], Rule.D_USE
        if self.kernel.program.uncontrolled != "maximal":
            raise NotNative("groups by choice")
        return self.around(index), Rule.D_FREE

    def copy(self, source: KeyColumns, target: KeyColumns) -> None:
        """Words are copied."""
        values = [self.lines.typed(f"load i64, ptr %k{word}") for word in source]
        for value, word in zip(values, target, strict=True):
            self.lines.line(f"store i64 {value}, ptr %k{word}")

    def control(self, index: int, kind: Control, slot: int) -> None:
        """An instance of entry or loop: its token."""
        lines, kernel = self.lines, self.kernel
        site = StaticInstance(self.code.name, index)
        if not kernel.program.keeps_rules:
            raise NotNative("tokens of a program that breaks a static rule")
        if kind is Control.ENTRY:
            if self.call is not None and not self.call.convergent:
                raise NotNative("an entry that is free")
            self.mark(kernel.bit(site, Rule.D_ENTRY))
            self.tokens[slot] = self.root
            return
        parent = self.reference.token_of.get(index, -1)
        if kind is not Control.LOOP or parent not in self.tokens:
            raise NotNative("a token that is not known here")
        above = self.tokens[parent]
        own = self.tokens.get(slot)
        if own is None:
            own = self.tokens[slot] = tuple(kernel.column() for _ in (*above, 0))
            self.counts.append(own)
        self.mark(kernel.bit(site, Rule.D_LOOP))
        same = "true"
        for above_item, other in zip(above, own, strict=False):
            first, second = (lines.typed(f"load i64, ptr %k{word}") for word in (above_item, other))
            equal = lines.typed(f"icmp eq i64 {first}, {second}")
            same = lines.typed(f"and i1 {same}, {equal}")
        count = lines.typed(f"load i64, ptr %k{own[-1]}")
        before = lines.typed(f"select i1 {same}, i64 {count}, i64 0")
        self.copy(above, own[:-1])
        lines.line(f"store i64 {lines.typed(f'add i64 {before}, 1')}, ptr %k{own[-1]}")

    # -- calls ----------------------------------------------------------------------------------------------

    def enter(
        self,
        index: int,
        name: str,
        convergent: bool,
        arguments: Sequence[Any],
        copies: Mapping[int, ByvalCopy],
        after: Segment,
        result: int,
    ) -> None:
        """A call of a defined function, which is expanded here. ``copies``: the arguments of which it gets
        copies of its own."""
        kernel, callers = self.kernel, [self.code.name]
        above = self.call
        while above is not None:
            callers.append(above.caller.code.name)
            above = above.caller.call
        if name in callers or len(callers) > DEEPEST:
            raise NotNative("a call of a function in itself")
        around = self.around(index)
        if convergent:
            root, rule = self.instance(index)
            self.mark(kernel.bit(StaticInstance(self.code.name, index), rule))
        else:
            held = self.reference.region_tokens.get(index, ())
            root = around
            for slot in held if kernel.program.counts_headers else ():
                root = (*root, *self.tokens.get(slot, ()))
        self.mark(CALLED)
        self.label_of(after)
        child = ExpandedFunction(
            kernel,
            kernel.program.module.functions[name],
            ActivationCall(self, index, after, result, convergent, not convergent and root != around, root),
        )
        passed = [
            child.copy_argument(position, copies[position], value) if position in copies else value
            for position, value in enumerate(arguments)
        ]
        for slot, value in zip(child.reference.parameters, passed, strict=False):
            child.define(slot, value)
        self.copy(root, child.root)
        self.visit()
        self.pay()
        self.lines.line(f"br label %{child.begin}")
        self.children.append(child)
        kernel.waiting.append(child)

    def leave(self, value: Any) -> None:
        """A thread returns from here."""
        call = self.call
        self.pay()
        self.release()
        if call is None:
            if value is not None:
                if self.returned is None:
                    raise NotNative("what is returned")
                self.put(self.returned, value)
            self.lines.line("br label %ended")
            return
        if call.result >= 0:
            call.caller.store(call.result, value)
        self.lines.line(f"br label %{call.caller.label_of(call.after)}")

    def exchange(
        self, index: int, name: str, callee: Callee, model: Exchanging, slots: Sequence[Any], after: Segment,
        result: int, fence: MemoryFence | None, workgroup: str | None,
    ) -> None:  # fmt: skip
        """A thread comes to an exchange, and waits."""
        columns, rule = self.instance(index)
        site = StaticInstance(self.code.name, index)
        homes: list[Home | SharedOperand] = []
        for value, type_ in zip(slots, callee.type.parameters, strict=True):
            if is_known(value):
                homes.append(SharedOperand(value))
                continue
            home = self.place_of(type_)
            self.put(home, value)
            homes.append(home)
        onward = self.label_of(after)
        event = self.kernel.bit(site, Rule.D_CALL) if model.effect else 0
        self.mark(self.kernel.bit(site, rule) | event)
        there = self.registers.places.get(result) if result >= 0 else None
        exchange = NativeExchange(site, name, model, tuple(homes), there, fence, workgroup, columns, callee)
        self.pay()
        label = self.lines.new_label("stop")
        self.lines.line(f"br label %{label}")
        self.lines.label(label)
        number = self.kernel.stop(exchange, self.chain(after), onward)
        for brought in homes:
            for s in () if isinstance(brought, SharedOperand) else native_scalars(brought):
                self.lines.lines += [*stored(f"%o{number}.{s.at}", s)]
        self.lines.line(f"br label %x{number}")

    # -- stack objects as registers, and memory ---------------------------------------------------------

    def read(self, variable: _Variable) -> RuntimeValue:
        """What a stack object holds."""
        lines = self.lines
        flags = lines.typed(f"load i64, ptr %f{variable.flags}")
        self.domain.guard(lines.value(1, f"icmp eq i64 {flags}, {_HOLDS}"))
        if variable.flags in self.contents:
            return self.contents[variable.flags]
        return self.value(variable.home)  # type: ignore[no-any-return]

    def write(self, variable: _Variable, value: RuntimeValue) -> None:
        """A stack object holds a value from now on."""
        lines = self.lines
        flags = lines.typed(f"load i64, ptr %f{variable.flags}")
        self.domain.guard(lines.value(1, f"icmp ne i64 {flags}, {_OVER}"))
        self.put(variable.home, value)
        if variable.flags in self.written_once and is_constant(value):
            self.contents[variable.flags] = value
        lines.line(f"store i64 {_HOLDS}, ptr %f{variable.flags}")

    def lives(self, variable: _Variable, alive: bool) -> None:
        """A stack object's lifetime begins or ends: it holds nothing."""
        self.lines.line(f"store i64 {0 if alive else _OVER}, ptr %f{variable.flags}")

    def fence(self, fence: MemoryFence) -> None:
        """A fence of the workgroup, as :meth:`.Encounters.fence`."""
        self.lines.lines += fenced(self.lines, fence, "%thread")


_HOLDS, _OVER = 1, 2
"""What the flags of a stack object say: it holds a value; its lifetime is over. 0: neither."""


def fenced(lines: EmittedLines, fence: MemoryFence, thread: str) -> Iterator[str]:
    """What a thread comes to know by a fence, and what others may of it, in its state."""
    if fence.scope < Scope.WORKGROUP:
        return
    states, state = lines.fresh(), lines.fresh()
    yield f"  {states}.at = getelementptr i8, ptr %env, i64 {STATES}"
    yield f"  {states} = load ptr, ptr {states}.at"
    yield f"  {state} = getelementptr [{STATE} x i8], ptr {states}, i64 {thread}"
    for storage in sorted(fence.storage, key=storage_offset):
        name = lines.fresh()
        if fence.acquire:
            yield f"  {name}.k = getelementptr i8, ptr {state}, i64 {KNOWN + storage_offset(storage)}"
            yield f"  {name}.a = getelementptr i8, ptr {state}, i64 {AHEAD + storage_offset(storage)}"
            yield f"  {name}.known = load i64, ptr {name}.k"
            yield f"  {name}.ahead = load i64, ptr {name}.a"
            yield f"  {name}.more = icmp ugt i64 {name}.ahead, {name}.known"
            yield f"  {name}.max = select i1 {name}.more, i64 {name}.ahead, i64 {name}.known"
            yield f"  store i64 {name}.max, ptr {name}.k"
        if fence.release:
            yield f"  {name}.r = getelementptr i8, ptr {state}, i64 {RELEASED + storage_offset(storage)}"
            yield f"  {name}.released = load i64, ptr {name}.r"
            yield f"  {name}.next = add i64 {name}.released, 1"
            yield f"  store i64 {name}.next, ptr {name}.r"


# -- which stack objects are registers


def _variables(function: Function, aliases: Mapping[str, str]) -> list[tuple[str, Type]]:
    wanted = set(aliases.values())
    return [
        (i.result, i.type)
        for i in function.instructions
        if isinstance(i, ir.Alloca) and i.result is not None and i.result in wanted
    ]


def _aliases(function: Function, program: Program) -> dict[str, str]:
    """The names of the addresses of stack objects that are registers, each with its object's: those of one
    scalar, made once, of which all is seen: loads and stores of that type, and casts between address
    spaces."""
    aliases: dict[str, str] = {}
    types: dict[str, ir.Alloca] = {}
    for instruction in function.blocks[0].instructions:
        if isinstance(instruction, ir.Alloca) and instruction.count is None and instruction.result:
            if isinstance(program.layout.resolve(instruction.type), IntType | FloatType | PointerType):
                aliases[instruction.result] = instruction.result
                types[instruction.result] = instruction
    changed = True
    while changed:
        changed = False
        for i in function.instructions:
            if isinstance(i, ir.Conversion) and i.opcode == "addrspacecast" and isinstance(i.value, Local):
                if i.result and i.value.name in aliases and i.result not in aliases:
                    aliases[i.result] = aliases[i.value.name]
                    changed = True
    refused: set[str] = set()
    for i in function.instructions:
        for operand in _all_operands(i):
            variable = aliases.get(operand)
            if variable is not None and not _sees_all(i, operand, types[variable], program):
                refused.add(variable)
    return {name: variable for name, variable in aliases.items() if variable not in refused}


def _written_once(function: Function, aliases: Mapping[str, str]) -> frozenset[str]:
    """The stack objects among these that one instruction writes."""
    stores = Counter(
        aliases[i.pointer.name]
        for i in function.instructions
        if isinstance(i, ir.Store) and isinstance(i.pointer, Local) and i.pointer.name in aliases
    )
    return frozenset(name for name, number in stores.items() if number == 1)


def _handles(program: Program, functions: Sequence[Function]) -> Iterator[tuple[str, Type]]:
    """The variables that each thread has for itself and that hold a handle, which these functions only load
    and store, and of whose contents at the launch nothing is said: constant buffers' of shaders."""
    for name, variable in program.module.globals.items():
        nothing = isinstance(variable.initializer, Simple) and variable.initializer.kind in (
            "poison",
            "undef",
        )
        if nothing and is_thread_local(variable) and holds_handle(variable.type, program.module):
            uses = [i for f in functions for i in f.instructions if _names(i, name)]
            if all(_only_accesses(i, name, variable.type, program) for i in uses):
                yield name, variable.type


def _names(instruction: ir.Instruction, name: str) -> bool:
    return name in named_globals(*operands(instruction))


def _only_accesses(instruction: ir.Instruction, name: str, type_: Type, program: Program) -> bool:
    match instruction:
        case ir.Load(pointer=Global(name=pointer)):
            type_of, value = instruction.type, None
        case ir.Store(pointer=Global(name=pointer)):
            type_of, value = instruction.value.type, instruction.value
        case _:
            return False
    plain = not instruction.volatile and instruction.ordering is None and value != instruction.pointer
    return pointer == name and type_of == type_ and plain


def has_objects(program: Program, function: Function) -> bool:
    """Whether a function has stack objects that are not registers."""
    aliases = _aliases(function, program)
    return any(isinstance(i, ir.Alloca) and i.result not in aliases for i in function.instructions)


def copied_arguments(program: Program, function: Function) -> Mapping[int, ByvalCopy]:
    """The parameters of a function for which a call makes it objects of its own, by their positions."""
    copies = byval_copies(function, program.context)
    types = [function.parameters[position].type for position in copies]
    if any(program.layout.bits(type_) != program.layout.pointers[0].bits for type_ in types):
        raise NotNative("an argument that is copied")
    return copies


def _all_operands(instruction: ir.Instruction) -> Iterator[str]:
    if isinstance(instruction, ir.Phi):
        yield from (value.name for value, _ in instruction.incoming if isinstance(value, Local))
    else:
        yield from uses(instruction)


def _sees_all(instruction: ir.Instruction, address: str, alloca: ir.Alloca, program: Program) -> bool:
    """Whether an instruction does with an address what needs no address."""
    layout = program.layout
    match instruction:
        case ir.Load():
            type_ = instruction.type
        case ir.Store() if not (isinstance(instruction.value, Local) and instruction.value.name == address):
            type_ = instruction.value.type
        case ir.Conversion():
            return instruction.opcode == "addrspacecast"
        case ir.Call():
            return is_lifetime(callee_name(instruction))
        case _:
            return False
    if instruction.volatile or instruction.ordering is not None or type_ != alloca.type:
        return False
    align = alloca.align or layout.preferred_align(alloca.type)
    return (instruction.align or layout.align(type_)) <= align


def is_lifetime(name: str | None) -> bool:
    """Whether a function says when a stack object lives."""
    return name is not None and name.startswith(("llvm.lifetime.", "llvm.spv.lifetime."))


# -- how prepared code is run to emit it


class _Translation(NativeTranslation):
    """As :class:`NativeTranslation`, for an activation that is expanded."""

    def __init__(
        self, program: Program, function: Function, activation: ExpandedFunction, lines: EmittedLines
    ) -> None:
        self.activation = activation
        super().__init__(program, function, activation, lines)

    def evaluate(self, instruction: ir.Instruction) -> Callable[..., Any] | None:
        if instruction.result in self.activation.aliases:
            return lambda variable: variable
        return super().evaluate(instruction)

    def argument(self, keep: Callable[..., Any], passed: int, slot: int) -> Step:
        return self.pure(keep, (passed,), slot)  # read by the call alone, before anything is left

    def alloca(self, instruction: ir.Alloca) -> Step:
        variable = self.activation.variables.get(instruction.result or "")
        activation, slot = self.activation, self.result(instruction)
        entry = self.function.blocks[0].instructions
        if slot < 0 or not any(instruction is other for other in entry):
            return super().alloca(instruction)
        request, slots = prepare_alloca(instruction, self.context), self.slots(operands(instruction))

        def step(r: Registers) -> None:
            size, align, space = request(*[r[s] for s in slots])
            if size > LARGEST_OBJECT:
                raise NotNative(f"a stack object of {size} bytes")
            pointer = activation.allocate(instruction.result or "", size, align, space, variable is None)
            if variable is not None:
                activation.lives(variable, instruction.result not in self.started)
            elif pointer is None:
                raise NotNative("an alloca")
            else:
                r[slot] = pointer
                if instruction.result in self.started:
                    activation.kernel.set_flags(
                        activation.kernel.row(activation.stack[instruction.result])[1], 0
                    )

        return step

    def access(self, index: int, instruction: ir.Instruction, prepared: Callable[..., Any]) -> Planned:
        slots, slot = self.slots(operands(instruction)), self.result(instruction)
        variable = self._variable(instruction)
        if variable is None and isinstance(instruction, ir.Call) and is_lifetime(callee_name(instruction)):
            return Runs(self._lifetime(instruction))
        if variable is None:
            return super().access(index, instruction, prepared)
        activation, known = self.activation, variable
        match instruction:
            case ir.Load():
                keep = metadata_promises(instruction.attachments, instruction.type, self.context)
                noundef = any(kind == "noundef" for kind, _ in instruction.attachments)

                def step(r: Registers) -> None:
                    value = activation.read(known)
                    if keep is not None:
                        value = keep(value)
                    if noundef:
                        self.require_plain(value)
                    r[slot] = value

            case ir.Store():

                def step(r: Registers) -> None:
                    activation.write(known, r[slots[0]])

            case _:
                alive = ".start" in (callee_name(instruction) or "")  # type: ignore[arg-type]

                def step(r: Registers) -> None:
                    activation.lives(known, alive)

        return Runs(step)

    def noted_besides(self, instruction: ir.Instruction) -> int:
        """Whether an access is an addition of whose result nothing comes."""
        match instruction:
            case ir.AtomicRMW(operation="add" | "sub", value=operand, align=align):
                type_ = operand.type
                if align is not None and align < 8 and type_ != IntType(8 * align):
                    return 0  # others may add to some of the bytes
            case ir.Call() if _ADDS.fullmatch(callee_name(instruction) or ""):
                type_ = instruction.type.result
            case _:
                return 0
        if instruction.result in self.activation.read_names:
            return 0
        return {IntType(32): ADDS4, IntType(64): ADDS8}.get(type_, 0) if isinstance(type_, IntType) else 0

    def _lifetime(self, call: ir.Call) -> Step:
        """The lifetime of a stack object in memory begins or ends."""
        alive, activation = ".start" in (callee_name(call) or ""), self.activation

        def step(r: Registers) -> None:
            index = next((activation.stack[n] for n in uses(call) if n in activation.stack), None)
            if index is None:
                raise NotNative("a lifetime")
            if alive:
                activation.kernel.revive(index)
            else:
                activation.kernel.set_flags(activation.kernel.row(index)[1], 0)

        return step

    def _variable(self, instruction: ir.Instruction) -> _Variable | None:
        """The stack object that an access is to, if that is registers."""
        aliases, variables = self.activation.aliases, self.activation.variables
        match instruction:
            case ir.Load(pointer=Local(name=name)) | ir.Store(pointer=Local(name=name)):
                return variables.get(aliases.get(name, ""))
            case ir.Load(pointer=Global(name=name)) | ir.Store(pointer=Global(name=name)):
                return self.activation.kernel.own.get(name)
            case ir.Call() if is_lifetime(callee_name(instruction)):
                return next((variables[aliases[n]] for n in uses(instruction) if n in aliases), None)
        return None

    def fence(self, index: int, fence: MemoryFence) -> Step:
        return lambda r: self.activation.fence(fence)


class _Terminators(Terminators):
    """Returns lead to the caller."""

    def leave(self, thread: Thread, frame: Frame, value: object) -> Frame | None:
        translation = self.translation
        assert isinstance(translation, _Translation)
        translation.activation.leave(value)
        return DONE  # type: ignore[no-any-return]


class _Calls(Calls):
    """Calls of defined functions are expanded, tokens are counts."""

    @property
    def activation(self) -> ExpandedFunction:
        assert isinstance(self.translation, _Translation)
        return self.translation.activation

    def declared_of(self) -> Declared:
        return _Declared(self)

    def _control(self, index: int, call: ir.CallSite, kind: Control) -> Step:
        slot = self.translation.result(call)
        return lambda r: self.activation.control(index, kind, slot)

    def _enter(
        self, index: int, call: ir.CallSite, function: Function, convergent: bool, passed: Passed
    ) -> Planned:
        if passed:
            raise NotNative("a call of a type that its callee does not have")
        copies = copied_arguments(self.program, function)
        slots, result = self.translation.slots(operands(call)), self.translation.result(call)
        check = self.noundef(call, function, slots)

        def make(after: Segment) -> Finish:
            def finish(thread: Thread, frame: Frame) -> Frame | None:
                r = frame.registers
                if check is not None:
                    check(r)
                arguments = [r[s] for s in slots]
                self.activation.enter(index, function.name, convergent, arguments, copies, after, result)
                return DONE  # type: ignore[no-any-return]

            return finish

        return Stops(make)


class _Declared(Declared):
    """Ids are computed, at exchanges threads stop."""

    @property
    def activation(self) -> ExpandedFunction:
        assert isinstance(self.calls, _Calls)
        return self.calls.activation

    def _record_instance(self, index: int, convergent: bool) -> None:
        """An instance of an operation that stops nobody is recorded."""
        if convergent:
            _, rule = self.activation.instance(index)
            self.activation.mark(self.activation.kernel.bit(self.calls.site(index), rule))

    def _per_thread(
        self, index: int, call: ir.CallSite, name: str, convergent: bool, model: PerThread
    ) -> Runs:
        _, slots, slot = self._places(index, call)
        kernel, layout = self.activation.kernel, self.program.layout

        def step(r: Registers) -> None:
            self._record_instance(index, convergent)
            value = self._alone(call, name, model, [r[s] for s in slots])
            if slot >= 0:
                r[slot] = _fitted(value, layout.resolve(call.type.result), kernel.lines)

        return Runs(step)

    def _alone(
        self, call: ir.CallSite, name: str, model: PerThread, values: list[RuntimeValue]
    ) -> RuntimeValue:
        """What a thread gets: computed with its numbers, or else chosen by its lane."""
        kernel = self.activation.kernel
        operation = model
        if not all(map(is_known, values)):  # models compute with what is known, but for these
            context = self.translation.context
            prepared = self.program.table.model(Callee.of(name, call, context))
            if not isinstance(prepared, PerThread):
                raise NotNative(f"@{name}")
            operation = prepared
        type_ = self.program.layout.resolve(call.type.result)
        try:
            return kernel.computed(lambda place: operation.alone(place, *values), type_)
        except NotNative:
            raise NotNative(f"@{name}") from None

    def _fence(self, index: int, call: ir.CallSite, name: str, convergent: bool, model: Fencing) -> Planned:
        if model.arrives is not None:
            raise NotNative("a barrier at which nobody waits")
        fence = self._ordered(name, call, model.orders)

        def step(r: Registers) -> None:
            self._record_instance(index, convergent)
            self.activation.fence(fence)

        return Runs(step)

    def void(
        self, index: int, call: ir.CallSite, name: str, convergent: bool, promised: Effects,
        function: Function | None, reads: bool = True,
    ) -> Planned:  # fmt: skip
        if self.is_event(promised):
            raise NotNative(f"a call of @{name}")
        check = self.calls.noundef(call, function, self.translation.slots(operands(call)))

        def step(r: Registers) -> None:
            if check is not None:
                check(r)
            self._record_instance(index, convergent)

        return Runs(step)

    def _exchange(
        self, index: int, call: ir.CallSite, name: str, model: Exchanging, stands_in: bool,
        reads: bool = False,
    ) -> Stops:  # fmt: skip
        fence = None if model.orders is None else self._ordered(name, call, model.orders)
        workgroup = None if model.workgroup is None else model.workgroup(constants_of(call))
        callee = Callee.of(name, call, self.program.context)
        unusual = stands_in or reads or model.follows or model.parts or not model.arrives
        unusual = unusual or not is_asked_again(self.program, callee)
        if unusual or workgroup == CLUSTER_BARRIER or (model.wide and workgroup is not None):
            return Stops(lambda after: _never(f"the exchange @{name}"))
        _, slots, result = self._places(index, call)
        check = self.calls.noundef(call, self.module.functions.get(name), slots)

        def make(after: Segment) -> Finish:
            def finish(thread: Thread, frame: Frame) -> Frame | None:
                r = frame.registers
                if check is not None:
                    check(r)
                operands = [] if is_void(call.type.result) else [r[s] for s in slots]
                callee_without_result = callee if operands else callee._replace(type=_without(callee.type))
                self.activation.exchange(
                    index, name, callee_without_result, model, operands, after, result, fence, workgroup
                )
                return DONE  # type: ignore[no-any-return]

            return finish

        return Stops(make)


class _Compiler(NativeCompiler):
    """Prepares a function to be expanded. Nobody records volatile accesses: whoever asks for events has the
    launch made again; and nothing runs here that depends on how many there were."""

    TERMINATORS = _Terminators

    @cached_property
    def calls(self) -> _Calls:
        return _Calls(self.translation, self.terminators)

    def _instruction(
        self, segments: SegmentBuilder, block: Block, index: int, instruction: ir.Instruction
    ) -> None:
        translation = self.translation
        assert isinstance(translation, _Translation)
        if not isinstance(instruction, ir.Call) and is_volatile(instruction):
            access = prepare_access(instruction, translation.context)
            assert access is not None
            translation.activation.kernel.volatile = True
            planned = translation.accessed(instruction, access)
            segments.add(index, planned, translation.result(instruction))
            return
        super()._instruction(segments, block, index, instruction)


def _never(what: str) -> Finish:
    def finish(thread: Thread, frame: Frame) -> Frame | None:
        raise NotNative(what)

    return finish


def _without(type_: FunctionType) -> FunctionType:
    """A function's type without parameters."""
    return replace(type_, parameters=())


def is_asked_again(program: Program, callee: Callee) -> bool:
    """Whether the table has the model of an exchange when it is asked again; that of what is computed in
    whole wave mode is made of the calls before."""
    return isinstance(program.table.model(callee), Exchanging)


def constants_of(call: ir.CallSite) -> list[int | None]:
    """The operands that are constants, as numbers of 32 bits; ``None`` for the others."""
    return [o.value & 0xFFFFFFFF if isinstance(o, Int) else None for o in operands(call)]


def _fitted(value: RuntimeValue, type_: Type, lines: EmittedLines) -> RuntimeValue:
    """A number of the run as a value of its type."""
    if isinstance(value, Composite) and isinstance(type_, VectorType):
        return Composite(tuple(_fitted(v, type_.element, lines) for v in value.elements))
    if isinstance(value, Value) and isinstance(type_, IntType):
        if isinstance(value.bits, NumberTerm):
            return Value(resized(lines, value.bits, type_.bits), value.poison)
        if not isinstance(value.bits, Term):
            return Value(KnownBits(value.bits, type_.bits), value.poison)
    return value


def _back_targets(code: Code) -> frozenset[int]:
    """Blocks of which each cycle has one: those to which an edge leads from a block that is not before
    them in the text."""
    return frozenset(
        successor
        for number, node in enumerate(code.graph.nodes)
        for successor in node.successors
        if successor <= number
    )
