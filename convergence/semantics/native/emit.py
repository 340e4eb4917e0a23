"""From a function's prepared code to the text of one LLVM function that runs an activation of it.

``i64 @f(ptr registers, ptr control, ptr environment, i64 thread)`` goes on at the place that ``control``
names and runs until a place where it cannot: it gives that place's number, and why, with all that is live
there back in ``registers``. A place is a step of a segment: places and their order, costs and the tests at
a segment's begin are those of :func:`~..threads.step.advance`.

Registers are stack slots of the emitted function, which LLVM turns into SSA values: so at each place all of
them are at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ...frozen import dataclass
from ...ir import instructions as ir
from .. import NotModelled, Undefined
from ..arithmetic.emitting import EmittedLines, EmittingDomain, NotNative, Term, truth_text
from ..instructions.lifting import result_type
from ..memory.emitted import METADATA, EmittedMemory, Fields
from ..threads import UNSET, Code, CodeBlock, Finish, Segment
from ..threads.recurrence import Liveness
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

if TYPE_CHECKING:
    from ...ir import Type
    from ...ir.module import Function
    from ..machine.program import Program
    from ..memory.packed import ObjectTable
    from ..values import Provenance

BLOCKS = 1 << 16
"""Blocks of a function at most: a visit takes two bytes."""


class ControlWords:
    """The words of ``control``: what a call of native code is given and gives back. ``TOGETHER`` counts
    pieces that ran for all lanes of a mask at once."""

    PLACE, LEFT, VISITS, MASK, TRAIL, WATCH, KEPT, MOVED, WORD, TOGETHER = range(10)
    WORDS = 10


class Handback:
    """Why native code came back: the budget is over, an instruction is handed back, or the thread may have
    come back to the place that is watched."""

    BUDGET, HANDED, WATCHED = range(3)
    SHIFT = 32


class SegmentStep(NamedTuple):
    """A step of a segment, or with ``step`` behind the last one its finish: the ``instruction`` that it is
    of, and the registers that are live there."""

    segment: Segment
    step: int
    instruction: int
    live: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Emitted:
    """One function, as text: ``entries`` are the places where it can be entered; ``atomic``: whether it may
    access memory atomically."""

    symbol: str
    text: str
    places: tuple[SegmentStep, ...]
    entries: frozenset[int]
    registers: RegisterFile
    symbols: dict[str, int]
    segments: dict[Segment, int]
    reasons: dict[int, str]
    objects: dict[int, Provenance]
    atomic: bool


class FunctionEmitter(Emitter):
    """One function on its way into text. ``reference`` is its prepared code, of which this has the places.
    The words of a frame are ``stride`` apart."""

    stride = 1
    columns: tuple[int, ...] = ()
    """Words besides those of registers and headers: code reads and writes them as ``%k`` and a number."""

    def __init__(self, program: Program, reference: Code, symbol: str, table: ObjectTable) -> None:
        self.reference = reference
        self.symbol = symbol
        self.lines = EmittedLines("nowhere")
        self.lines.line("unreachable")
        self.table = table
        self.objects: dict[int, Provenance] = {}
        fields = Fields(self.lines, "%env")
        self.domain = EmittingDomain(self.lines, self._guard, self._number_of, *fields.bounds)
        self.memory: EmittedMemory | None = None
        self.accesses = []
        if program.settings.environment == "direct" and not program.layout.big_endian:
            thread, relaxes = Term("%thread", 64), relaxes_alignment(program)
            self.memory = EmittedMemory(self.domain, program.layout, "%env", thread, relaxes=relaxes)
        function = reference.function
        if len(function.blocks) > BLOCKS:
            raise NotNative("a function of so many blocks")
        self.types = types_of(program, function, reference)
        self.registers = RegisterFile(self.types, program.layout)
        self.translation = self.translated(program, function)
        compiler = self.compiled()
        self.code = compiler.code
        self.live = liveness(reference, compiler)
        self.needed = Liveness(reference)
        self.cyclic = _cyclic_blocks(reference)
        self.r = SegmentRegisters(self)
        self.pairs: list[tuple[Segment, Segment, int]] = []
        self.numbers: dict[Segment, int] = {}
        for mine, its in zip(self.code.blocks, reference.blocks, strict=True):
            for first, second in zip(mine.segments, its.segments, strict=True):
                if (first.first, first.last, first.cost, first.indices) != (
                    second.first,
                    second.last,
                    second.cost,
                    second.indices,
                ):
                    raise NotNative("prepared in another way")
                self.numbers[first] = len(self.pairs)
                self.pairs.append((first, second, its.number))
        self.places: dict[tuple[int, int], int] = {}
        self.steps: list[SegmentStep] = []
        self.entries: dict[int, None] = {}
        self.exits: dict[tuple[int, int], None] = {}
        self.at = (0, 0)
        self.reasons: dict[int, str] = {}

    def translated(self, program: Program, function: Function) -> NativeTranslation:
        """How values travel in the function's registers."""
        return NativeTranslation(program, function, self, self.lines)

    def compiled(self) -> NativeCompiler:
        """What prepares the function."""
        return NativeCompiler(self.translation)

    def _number_of(self, provenance: Provenance) -> int:
        number = self.table.number(provenance)
        if number is None:
            raise NotNative(f"a pointer to {provenance.name}")
        self.objects[number] = provenance
        return number

    # -- registers --------------------------------------------------------------------------------------

    def load(self, slot: int) -> Any:
        """A register's value; constants are known."""
        home = self.registers.places.get(slot)
        if home is None:
            initial = self.code.initial[slot]
            if initial is UNSET:
                raise NotNative("a register that native code does not hold")
            return initial
        return load_home(home, self.lines, self.domain)

    def store(self, slot: int, value: Any) -> None:
        """Gives a register its value."""
        home = self.registers.places.get(slot)
        if home is not None:
            store_home(home, value, self.lines, self.domain)
        elif slot in self.types:
            raise NotNative("a register that native code does not hold")

    # -- places -----------------------------------------------------------------------------------------

    def place(self, number: int, step: int) -> int:
        """The number of the place at a step of a segment."""
        known = self.places.get((number, step))
        if known is None:
            segment = self.pairs[number][1]
            known = self.places[number, step] = len(self.steps)
            index, live = self._live(segment, step)
            self.steps.append(SegmentStep(segment, step, index, live))
        return known

    def _live(self, segment: Segment, step: int) -> tuple[int, tuple[int, ...]]:
        indices = (*segment.indices, segment.last)
        index = indices[step]
        live = set(self.live.at(segment.first if step == 0 else index))
        result = self.reference.instructions[index].result
        if result is not None:  # which may be there already, and still to be looked at
            slot = self.reference.slots[result]
            before = zip(indices[:step], segment.slots, strict=False)
            if index < segment.first or any(i == index and s == slot for i, s in before):
                live.add(slot)
        if index == 0:
            live.update(self.reference.parameters)
        return index, tuple(sorted(slot for slot in live if slot in self.registers.places))

    def _exit(self, place: int, why: int) -> str:
        """The label behind which a place is left."""
        self.exits[place, why] = None
        return f"x{place}.{why}"

    def _guard(self, truth: Term) -> None:
        on = self.lines.new_label("on")
        self.lines.line(
            f"br i1 {truth_text(truth)}, label %{on}, "
            f"label %{self._exit(self.place(*self.at), Handback.HANDED)}"
        )
        self.lines.label(on)

    # -- segments ---------------------------------------------------------------------------------------

    def emit(self) -> Emitted:
        """The whole function."""
        for number, (segment, _, block) in enumerate(self.pairs):
            self._segment(number, segment, block)
        text = "\n".join(
            [*self._head(), *self.lines.lines, *self._entered(), *self._write_back(), "}", METADATA]
        )
        declared = "\n".join(self.lines.declarations.values())
        return Emitted(
            self.symbol, f"{declared}\n{text}", tuple(self.steps), frozenset(self.entries), self.registers,
            dict(self.lines.symbols), {pair[1]: n for n, pair in enumerate(self.pairs)}, self.reasons,
            self.objects, self.memory is not None and self.memory.atomic,
        )  # fmt: skip

    def _segment(self, number: int, segment: Segment, block: int) -> None:
        lines, begin = self.lines, self.place(number, 0)
        lines.label(f"s{number}")
        if block in self.cyclic:
            self._watched(number, begin)
        going = lines.typed("load i64, ptr %left")
        more = lines.typed(f"icmp sgt i64 {going}, 0")
        lines.line(f"br i1 {more}, label %s{number}.0, label %{self._exit(begin, Handback.BUDGET)}")
        lines.label(f"s{number}.0")
        self.r.values.clear()
        entry, done = begin, 0
        self.begin_segment()
        for k, step in enumerate(segment.steps):
            self.at = number, k
            if done and self.stops_before(segment.indices[k]):
                entry, done = self._stop(number, k, entry), 0
            mark, label, known = len(lines.lines), lines.block, dict(self.r.values)
            try:
                self.accesses.clear()
                if self.hands_back(segment.indices[k]):
                    raise NotNative("what is done for all lanes")
                step(self.r)  # type: ignore[arg-type]
                if self.parted() and done:
                    del lines.lines[mark:]
                    lines.block = label
                    entry, done = self._stop(number, k, entry), 0
                    step(self.r)  # type: ignore[arg-type]
                    self.parted()
                done += 1
                self.emitted(segment.indices[k])
            except (NotNative, NotModelled, Undefined) as problem:
                del lines.lines[mark:]
                self.reasons[self.place(number, k)] = str(problem)
                lines.block, self.r.values = label, known
                if done:
                    self.entries[entry] = None
                here = self.place(number, k)
                lines.line(f"br label %{self._exit(here, self.leaves(here))}")
                lines.label(f"s{number}.{k + 1}")
                self.r.values.clear()
                self.begin_segment()
                entry, done = self.place(number, k + 1), 0
        self.at = number, len(segment.steps)
        if self.hands_back(segment.last):
            if done:
                self.entries[entry] = None
            lines.line(f"br label %{self._exit(self.place(*self.at), Handback.HANDED)}")
        elif self.follow(segment.finish, FrameInTheMaking(self.r)) or done:
            self.entries[entry] = None

    def begin_segment(self) -> None:
        """A segment is emitted from its beginning."""

    def hands_back(self, index: int) -> bool:
        """Whether an instruction is handed back, be it native or not."""
        return False

    def stops_before(self, index: int) -> bool:
        """Whether code stops before an instruction, which it can do."""
        return False

    def emitted(self, index: int) -> None:
        """A step of an instruction was emitted."""

    def leaves(self, place: int) -> int:
        """Why code is left at a place where the instruction cannot be emitted."""
        return Handback.HANDED

    def parted(self) -> bool:
        """Whether code stops before what was emitted now, with these ``accesses``."""
        return False

    def _stop(self, number: int, k: int, entry: int) -> int:
        """Code stops before a step, and can be entered there: the place. ``entry`` is where it began."""
        self.entries[entry] = None
        here = self.place(number, k)
        self.lines.line(f"br label %{self._exit(here, Handback.BUDGET)}")
        self.lines.label(f"s{number}.{k}")
        self.r.values.clear()
        self.begin_segment()
        return here

    def _watched(self, number: int, begin: int) -> None:
        """Whether this is the place to which the thread may come back, with what it held there."""
        lines = self.lines
        here = lines.typed(f"icmp eq i64 %watch, {number}")
        lines.line(f"br i1 {here}, label %w{number}, label %c{number}")
        lines.label(f"w{number}")
        known = lines.typed("icmp ne ptr %moved, null")
        look, registers = lines.new_label("look"), lines.new_label("registers")
        lines.line(f"br i1 {known}, label %{look}, label %{registers}")
        lines.label(look)
        same = lines.typed(f"icmp eq i32 {lines.typed('load i32, ptr %moved, align 1')}, %word")
        lines.line(f"br i1 {same}, label %{registers}, label %c{number}")
        lines.label(registers)
        segment = self.pairs[number][1]
        block = self.reference.graph.block_of[segment.first]
        phis = {
            self.reference.slots[i.result]
            for i in self.reference.function.blocks[block].instructions
            if isinstance(i, ir.Phi) and i.result is not None
        }
        live = [slot for slot in self.needed.at(segment.first) if slot in self.registers.places]
        for slot in sorted(live, key=lambda slot: slot not in phis):
            for scalar in native_scalars(self.registers.places[slot]):
                self._compared(number, scalar)
        lines.line(f"br label %{self._exit(begin, Handback.WATCHED)}")
        lines.label(f"c{number}")

    def _compared(self, number: int, scalar: Scalar) -> None:
        """Goes on unless a scalar surely is not what it was."""
        lines, bits = self.lines, scalar.bits
        now = lines.typed(f"load i{bits}, ptr %a{scalar.at}")
        poison = lines.typed(f"load i1, ptr %p{scalar.at}")
        was = lines.typed(f"load i{bits}, ptr {self._word('%kept', scalar.at)}, align 8")
        meta = lines.typed(f"load i64, ptr {self._word('%kept', scalar.meta)}")
        poisoned = lines.typed(f"trunc i64 {meta} to i1")
        differs = lines.typed(f"icmp ne i{bits} {now}, {was}")
        sound = lines.typed(f"xor i1 {poison}, true")
        changed = lines.typed(f"and i1 {differs}, {sound}")
        other = lines.typed(f"xor i1 {poison}, {poisoned}")
        moved = lines.typed(f"or i1 {changed}, {other}")
        same = lines.new_label("same")
        lines.line(f"br i1 {moved}, label %c{number}, label %{same}")
        lines.label(same)

    def _word(self, base: str, at: int) -> str:
        return self.lines.typed(f"getelementptr inbounds i64, ptr {base}, i64 {at}") if at else base

    # -- the ways on ------------------------------------------------------------------------------------

    def follow(self, finish: Finish, frame: Any) -> bool:
        lines, native = self.lines, True
        mark, label, known = len(lines.lines), lines.block, dict(self.r.values)
        try:
            frame.segment = None
            onward = finish(ABSENT, frame)
            if onward is not DONE:
                after = frame.segment
                if after not in self.numbers or onward is not frame:
                    raise NotNative("a way that leads elsewhere")
                self._pay()
                lines.line(f"br label %s{self.numbers[after]}")
        except (NotNative, NotModelled, Undefined) as problem:
            del lines.lines[mark:]
            place = self.place(*self.at)
            self.reasons.setdefault(place, str(problem))
            lines.block = label
            lines.line(f"br label %{self._exit(place, self.leaves(place))}")
            native = False
        self.r.values = known
        return native

    def edge(self, source: int, into: CodeBlock, moves: tuple[tuple[int, int], ...], r: Any) -> None:
        """Phis take their values, the visit is noted, the segment is paid."""
        lines = self.lines
        values = [(target, r[origin]) for origin, target in moves]
        for target, value in values:
            self.store(target, value)
        visits = lines.typed("load i64, ptr %visits")
        at = lines.typed(f"and i64 {visits}, %mask")
        lines.line(f"store i16 {into.number}, ptr {lines.typed(f'getelementptr i16, ptr %trail, i64 {at}')}")
        lines.line(f"store i64 {lines.typed(f'add i64 {visits}, 1')}, ptr %visits")
        self._headed(into)
        self._pay()
        lines.line(f"br label %s{self.numbers[into.entry]}")

    def _headed(self, into: CodeBlock) -> None:
        """A header is counted in its cycle; the cycles inside begin anew."""
        lines = self.lines
        for cycle in into.heads:
            count = "0"
            if cycle == into.cycle:
                count = lines.typed(f"add i64 {lines.typed(f'load i64, ptr %h{cycle}')}, 1")
            lines.line(f"store i64 {count}, ptr %h{cycle}")

    def _pay(self) -> None:
        lines, cost = self.lines, self.pairs[self.at[0]][0].cost
        going = lines.typed("load i64, ptr %left")
        lines.line(f"store i64 {lines.typed(f'sub i64 {going}, {cost}')}, ptr %left")

    # -- the frame of it all ----------------------------------------------------------------------------

    def _head(self) -> Iterator[str]:
        parameters = "ptr noalias %registers, ptr noalias %control, ptr %env, i64 %thread"
        yield f"define i64 @{self.symbol}({parameters}) {{"
        yield "entry:"
        for home in self.registers.places.values():
            for scalar in native_scalars(home):
                yield f"  %a{scalar.at} = alloca i{scalar.bits}"
                yield f"  %p{scalar.at} = alloca i1"
                if scalar.pointer:
                    yield f"  %n{scalar.at} = alloca i32"
        for cycle in range(self.code.cycles):
            yield f"  %h{cycle} = alloca i64"
        for word in self.columns:
            yield f"  %k{word} = alloca i64"
        yield "  %left = alloca i64"
        yield "  %visits = alloca i64"
        for name, word, type_ in (
            ("where", ControlWords.PLACE, "i64"),
            ("budget", ControlWords.LEFT, "i64"),
            ("mask", ControlWords.MASK, "i64"),
            ("trail", ControlWords.TRAIL, "ptr"),
            ("watch", ControlWords.WATCH, "i64"),
            ("kept", ControlWords.KEPT, "ptr"),
            ("moved", ControlWords.MOVED, "ptr"),
            ("word", ControlWords.WORD, "i32"),
        ):
            yield f"  %{name}.at = getelementptr inbounds i64, ptr %control, i64 {word}"
            yield f"  %{name} = load {type_}, ptr %{name}.at"
        yield "  store i64 %budget, ptr %left"
        yield "  store i64 0, ptr %visits"
        places = " ".join(f"i64 {place}, label %e{place}" for place in self.entries)
        yield f"  switch i64 %where, label %nowhere [ {places} ]"

    def _entered(self) -> Iterator[str]:
        for place in self.entries:
            place_made = self.steps[place]
            yield f"e{place}:"
            for slot in place_made.live:
                for s in native_scalars(self.registers.places[slot]):
                    name = f"%e{place}.{s.at}"
                    yield from self._read(f"{name}.bits", s)
                    yield f"  store i{s.bits} {name}.bits, ptr %a{s.at}"
                    yield from self._read_word(f"{name}.meta", s.meta)
                    yield f"  {name}.poison = trunc i64 {name}.meta to i1"
                    yield f"  store i1 {name}.poison, ptr %p{s.at}"
                    if s.pointer:
                        yield f"  {name}.up = lshr i64 {name}.meta, 1"
                        yield f"  {name}.number = trunc i64 {name}.up to i32"
                        yield f"  store i32 {name}.number, ptr %n{s.at}"
            for cycle in range(self.code.cycles):
                name = f"%e{place}.h{cycle}"
                yield from self._read_word(name, self.registers.words + cycle)
                yield f"  store i64 {name}, ptr %h{cycle}"
            for word in self.columns:
                yield from self._read_word(f"%e{place}.k{word}", word)
                yield f"  store i64 %e{place}.k{word}, ptr %k{word}"
            number, step = next(key for key, value in self.places.items() if value == place)
            yield f"  br label %s{number}.{step}"

    def _read_word(self, name: str, word: int) -> Iterator[str]:
        yield f"  {name}.at = getelementptr inbounds i64, ptr %registers, i64 {word * self.stride}"
        yield f"  {name} = load i64, ptr {name}.at"

    def _read(self, name: str, s: Scalar) -> Iterator[str]:
        """A scalar's bits, out of its words."""
        if s.bits <= 64 or self.stride == 1:
            yield f"  {name}.at = getelementptr inbounds i64, ptr %registers, i64 {s.at * self.stride}"
            yield f"  {name} = load i{s.bits}, ptr {name}.at, align 8"
            return
        wide = 64 * (s.meta - s.at)
        sum_ = "0"
        for n, word in enumerate(range(s.at, s.meta)):
            yield from self._read_word(f"{name}.{n}", word)
            yield f"  {name}.{n}.wide = zext i64 {name}.{n} to i{wide}"
            yield f"  {name}.{n}.up = shl i{wide} {name}.{n}.wide, {64 * n}"
            yield f"  {name}.{n}.sum = or i{wide} {name}.{n}.up, {sum_}"
            sum_ = f"{name}.{n}.sum"
        if wide == s.bits:
            yield f"  {name} = or i{wide} {sum_}, 0"
        else:
            yield f"  {name} = trunc i{wide} {sum_} to i{s.bits}"

    def _write_word(self, name: str, text: str, word: int) -> Iterator[str]:
        yield f"  {name}.to = getelementptr inbounds i64, ptr %registers, i64 {word * self.stride}"
        yield f"  store i64 {text}, ptr {name}.to"

    def _write(self, name: str, s: Scalar) -> Iterator[str]:
        """A scalar's bits ``name``, into its words."""
        wide, bits = 64 * (s.meta - s.at), name
        if wide != s.bits:
            bits = f"{name}.wide"
            yield f"  {bits} = zext i{s.bits} {name} to i{wide}"
        if s.bits <= 64 or self.stride == 1:
            yield f"  {name}.to = getelementptr inbounds i64, ptr %registers, i64 {s.at * self.stride}"
            yield f"  store i{wide} {bits}, ptr {name}.to, align 8"
            return
        for n, word in enumerate(range(s.at, s.meta)):
            yield f"  {name}.{n}.up = lshr i{wide} {bits}, {64 * n}"
            yield f"  {name}.{n} = trunc i{wide} {name}.{n}.up to i64"
            yield from self._write_word(f"{name}.{n}", f"{name}.{n}", word)

    def _write_back(self) -> Iterator[str]:
        """What is live goes back."""
        by_place: dict[int, list[int]] = {}
        for place, why in self.exits:
            by_place.setdefault(place, []).append(why)
        for place, whys in by_place.items():
            for why in whys:
                yield f"x{place}.{why}:"
                yield f"  br label %o{place}"
            yield f"o{place}:"
            ways = ", ".join(f"[ {place | why << Handback.SHIFT}, %x{place}.{why} ]" for why in whys)
            yield f"  %o{place}.answer = phi i64 {ways}"
            for slot in self.steps[place].live:
                for s in native_scalars(self.registers.places[slot]):
                    name = f"%o{place}.{s.at}"
                    yield f"  {name}.bits = load i{s.bits}, ptr %a{s.at}"
                    yield from self._write(f"{name}.bits", s)
                    yield f"  {name}.poison = load i1, ptr %p{s.at}"
                    yield f"  {name}.low = zext i1 {name}.poison to i64"
                    meta = f"{name}.low"
                    if s.pointer:
                        yield f"  {name}.number = load i32, ptr %n{s.at}"
                        yield f"  {name}.up = zext i32 {name}.number to i64"
                        yield f"  {name}.high = shl i64 {name}.up, 1"
                        yield f"  {name}.meta = or i64 {name}.high, {name}.low"
                        meta = f"{name}.meta"
                    yield from self._write_word(f"{name}.m", meta, s.meta)
            for cycle in range(self.code.cycles):
                name = f"%o{place}.h{cycle}"
                yield f"  {name} = load i64, ptr %h{cycle}"
                yield from self._write_word(name, name, self.registers.words + cycle)
            for word in self.columns:
                yield f"  %o{place}.k{word} = load i64, ptr %k{word}"
                yield from self._write_word(f"%o{place}.k{word}", f"%o{place}.k{word}", word)
            for name, word in ("left", ControlWords.LEFT), ("visits", ControlWords.VISITS):
                yield f"  %o{place}.{name} = load i64, ptr %{name}"
                yield f"  %o{place}.{name}.at = getelementptr inbounds i64, ptr %control, i64 {word}"
                yield f"  store i64 %o{place}.{name}, ptr %o{place}.{name}.at"
            yield f"  ret i64 %o{place}.answer"


def liveness(reference: Code, compiler: NativeCompiler) -> Liveness:
    """Where each value is used later. Raises NotNative where one is used that its definition does not
    dominate, for which the reference has an answer and a register has none."""
    live = Liveness(reference, all_uses=True)
    if compiler.is_no_ssa or set(live.at(0)) - {*reference.parameters, *reference.token_slots}:
        raise NotNative("a use that its definition does not dominate")
    return live


def relaxes_alignment(program: Program) -> bool:
    """Whether some variables need no aligned accesses: resources of HLSL's."""
    return any(variable.relaxed for variable in program.module.globals.values())


def types_of(program: Program, function: Function, code: Code) -> dict[int, Type]:
    """The type of each register that has a name, but for tokens."""
    types = {code.slots[p.name]: p.type for p in function.parameters}
    for instruction in function.instructions:
        if instruction.result is not None:
            type_ = result_type(instruction, program.layout)
            if type_ is not None:
                types[code.slots[instruction.result]] = type_
    return types


def _cyclic_blocks(code: Code) -> frozenset[int]:
    """The blocks that a path leads back to."""
    nodes = code.graph.nodes
    cyclic = set()
    for start in range(len(nodes)):
        reached: set[int] = set()
        work = list(nodes[start].successors)
        while work:
            number = work.pop()
            if number not in reached:
                reached.add(number)
                work += nodes[number].successors
        if start in reached:
            cyclic.add(start)
    return frozenset(cyclic)
