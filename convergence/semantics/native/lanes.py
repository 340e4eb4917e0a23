"""The lanes of a wave natively, in lock step: vectors of lanes, the text that runs them, and calls of it."""

from __future__ import annotations

import ctypes
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ...frozen import dataclass
from ...ir.calls import control, is_grouped
from ...ir.instructions import CallSite
from .. import NotModelled, Undefined
from ..arithmetic.emitting import NotNative, Term, int_text, truth_text
from ..machine.tally import Tally
from ..memory.emitted import METADATA
from ..memory.packed import ObjectTable, ProvenanceNumbers
from ..memory.synchronisation import Encounters
from ..operations import ThreadPlace
from ..values import Bits, Composite, Pointer, Value
from .emit import ControlWords, Emitted, Handback, SegmentStep
from .engine import PRICE, Compiled, Resident, compiled_once, headers_of
from .jit import joined, machine_code
from .meetings import (
    LaneCompiler,
    LaneExchanges,
    LaneTranslation,
    MeetingEmitter,
    MeetingPlace,
    RootNumbers,
    alikes_text,
    columns_of,
    exchange_driver,
    write_columns,
)
from .registers import ABSENT, DONE, FrameInTheMaking, Parts, Place, Scalar, SegmentRegisters, native_scalars
from .scheduler import PartTable
from .unattended import WorkgroupExtent
from .workgroups import ASKS, shape_of_launch

if TYPE_CHECKING:
    from ...ir.module import Function
    from ..convergence import Keys, LaunchGroup
    from ..machine.launch import Launch
    from ..machine.program import Program
    from ..memory.allocations import Memory
    from ..operations import Subgroup
    from ..threads import Code, CodeBlock, Finish, Frame, Segment, Thread

# ----------------------------------------------------------------------------------------------------------
# Pieces of a function for all lanes of a wave at once: loops over lanes without branches, which LLVM turns
# into code for vectors.
#
# What is emitted for one lane is defined whatever its operands are, so that it may be computed for lanes
# that are off, too: these keep what they held. A piece that accesses memory, calls what is no intrinsic, or
# asks for an object's bounds has no such code. Guards are looked at first; if one fails in some lane,
# nothing was done, and lanes run one after the other. So this is for speed only: ``VECTORS``
# turns it off, and ``tests/native/test_lane_vectors.py`` compares.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# The text of a function that runs lanes of a wave, and of the driver that runs it for a mask.
#
# A wave's words lie word by word: the first word of all lanes, the second of all, and so on, ``stride``
# apart. So what is done for all lanes is done for several at once where lane vectors have code for
# it.
# ----------------------------------------------------------------------------------------------------------

FAILED, APART, TOGETHER = 0, 1, 2
"""What code for all lanes at once gives: nothing was done, as a guard failed; lanes may be at several places;
all of them are at one place, the number of which is this less ``TOGETHER``."""
LEAST = 4
"""Fewer lanes run one after the other."""


def stride_of(size: int) -> int:
    """How far apart the words of a lane lie, in a wave of so many lanes."""
    return max(8, 1 << (size - 1).bit_length())


MEETS = True
"""Whether control intrinsics and exchanges are native, too (:mod:`.meetings`); else they are handed back."""


class LaneSetup(NamedTuple):
    """For whom lanes are emitted. ``cuts`` are instructions that are handed back: whoever runs lanes has
    something to do there; before those that it ``holds`` lanes it looks at their keys. Words of a lane lie
    ``stride`` apart; ids are computed from the ``shape`` of the launch, if its groups are alike.
    ``lanes_apart``: lanes wait at barriers of the workgroup by themselves."""

    cuts: frozenset[int]
    holds: frozenset[int]
    stride: int
    shape: WorkgroupExtent | None
    meets: bool
    lanes_apart: bool


class LaneEmitter(MeetingEmitter):
    """A function that stops behind each piece. ``place_at`` is the word that says where a lane is."""

    def __init__(self, program: Program, reference: Code, table: ObjectTable, setup: LaneSetup) -> None:
        self.program = program
        self.stride, self.shape, self.lanes_apart = setup.stride, setup.shape, setup.lanes_apart
        self._setup = setup
        self._reads = self._writes = False
        self.meetings = {}
        super().__init__(program, reference, "run", table)
        self.place_at = max(1, self.registers.words + len(headers_of(reference)))
        self.tokens = None
        if setup.meets and _is_keyed(program, reference):
            self.tokens = columns_of(program, reference, self.place_at)
            self.columns = tuple(range(self.place_at, self.place_at + self.tokens.words))
            self.place_at += self.tokens.words
        known = {index: self.key_of(index) for index in setup.holds}
        self.held = {index: key for index, key in known.items() if key is not None}

    def translated(self, program: Program, function: Function) -> LaneTranslation:
        return LaneTranslation(program, function, self, self.lines)

    def compiled(self) -> LaneCompiler:
        return LaneCompiler(self.translation)

    def begin_segment(self) -> None:
        self._reads = self._writes = False

    def hands_back(self, index: int) -> bool:
        return index in self._setup.cuts or (index in self._setup.holds and index not in self.held)

    def stops_before(self, index: int) -> bool:
        return index in self.held

    def emitted(self, index: int) -> None:
        if index in self.held:
            self.meetings[self.place(*self.at)] = MeetingPlace(self.held[index], True)

    def leaves(self, place: int) -> int:
        return Handback.BUDGET if place in self.meetings else Handback.HANDED

    def parted(self) -> bool:
        """Whether what was emitted now belongs to a piece of its own: it accesses memory, as does what is
        before it, and one of them writes."""
        assert self.memory is not None or not self.accesses
        reads, writes = bool(self.accesses), any(self.accesses)
        parted = (writes and self._reads) or (reads and self._writes)
        self._reads, self._writes = (
            (reads, writes) if parted else (reads or self._reads, writes or self._writes)
        )
        return parted


def _is_keyed(program: Program, code: Code) -> bool:
    """Whether a function has instances with keys."""
    return any(
        isinstance(i, CallSite) and (control(i) is not None or is_grouped(program.module, i))
        for i in code.instructions
    )


def lane_driver(stride: int) -> str:
    """Code that runs each lane of a mask from a place on, if all of them are there, else gives 0: a lane's
    words, which lie ``stride`` apart, hold at ``%at`` the place where it is. Gives how many answers there
    are; ``%answers`` has each, and its lanes, the answer of the lowest lane first. Where ``%vectors`` has
    code for the place, that runs all lanes at once, unless they are few or it gives 0.
    """
    vector = f"<{stride} x i64>"
    all_lanes = f"i{stride}"
    wide = f"zext {all_lanes} %{{0}} to i64" if stride < 64 else "or i64 %{0}, 0"
    return f"""
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)

define i64 @lanes(ptr %words, i64 %mask, ptr %control, ptr %env, i64 %first, ptr %answers, i64 %place,
                  i64 %at, ptr %vectors) {{
entry:
  %place.at = getelementptr inbounds i64, ptr %control, i64 {ControlWords.PLACE}
  %left.at = getelementptr inbounds i64, ptr %control, i64 {ControlWords.LEFT}
  %where = getelementptr inbounds i64, ptr %words, i64 %at
  %place.one = insertelement {vector} poison, i64 %place, i64 0
  %place.all = shufflevector {vector} %place.one, {vector} poison, <{stride} x i32> zeroinitializer
  %are = load {vector}, ptr %where, align 8
  %differ = icmp ne {vector} %are, %place.all
  %differ.bits = bitcast <{stride} x i1> %differ to {all_lanes}
  %differ.mask = {wide.format("differ.bits")}
  %away = and i64 %differ.mask, %mask
  %there = icmp eq i64 %away, 0
  %some = icmp ne i64 %mask, 0
  %goes = and i1 %there, %some
  br i1 %goes, label %look, label %elsewhere
elsewhere:
  ret i64 0
look:
  %many = call i64 @llvm.ctpop.i64(i64 %mask)
  %enough = icmp uge i64 %many, {LEAST}
  br i1 %enough, label %vector, label %going
vector:
  %vector.at = getelementptr inbounds ptr, ptr %vectors, i64 %place
  %vector.code = load ptr, ptr %vector.at
  %none = icmp eq ptr %vector.code, null
  br i1 %none, label %going, label %together
together:
  %done = call i64 %vector.code(ptr %words, i64 %mask)
  %failed = icmp eq i64 %done, {FAILED}
  br i1 %failed, label %going, label %ran.together
ran.together:
  %together.at = getelementptr inbounds i64, ptr %control, i64 {ControlWords.TOGETHER}
  %together.before = load i64, ptr %together.at
  %together.more = add i64 %together.before, 1
  store i64 %together.more, ptr %together.at
  %apart = icmp eq i64 %done, {APART}
  br i1 %apart, label %gather, label %joined.all
joined.all:
  %one.place = sub i64 %done, {TOGETHER}
  store i64 %one.place, ptr %answers
  %one.lanes = getelementptr inbounds i64, ptr %answers, i64 1
  store i64 %mask, ptr %one.lanes
  ret i64 1
gather:
  ; the lanes at each place, that of the lowest lane first
  %now.all = load {vector}, ptr %where, align 8
  br label %next
next:
  %rest = phi i64 [ %mask, %gather ], [ %rest.next, %next ]
  %n = phi i64 [ 0, %gather ], [ %n.next, %next ]
  %lowest = call i64 @llvm.cttz.i64(i64 %rest, i1 true)
  %lowest.at = getelementptr inbounds i64, ptr %where, i64 %lowest
  %n.place = load i64, ptr %lowest.at
  %n.one = insertelement {vector} poison, i64 %n.place, i64 0
  %n.all = shufflevector {vector} %n.one, {vector} poison, <{stride} x i32> zeroinitializer
  %same = icmp eq {vector} %now.all, %n.all
  %same.bits = bitcast <{stride} x i1> %same to {all_lanes}
  %same.mask = {wide.format("same.bits")}
  %n.mask = and i64 %same.mask, %rest
  %n.twice = shl i64 %n, 1
  %n.answer = getelementptr inbounds i64, ptr %answers, i64 %n.twice
  store i64 %n.place, ptr %n.answer
  %n.lanes = getelementptr inbounds i64, ptr %n.answer, i64 1
  store i64 %n.mask, ptr %n.lanes
  %n.next = add i64 %n, 1
  %rest.next = xor i64 %rest, %n.mask
  %next.none = icmp eq i64 %rest.next, 0
  br i1 %next.none, label %gathered, label %next
gathered:
  ret i64 %n.next
going:
  %left = phi i64 [ %mask, %look ], [ %mask, %vector ], [ %mask, %together ], [ %left.next, %gone ]
  %count = phi i64 [ 0, %look ], [ 0, %vector ], [ 0, %together ], [ %count.next, %gone ]
  %lane = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %own = getelementptr inbounds i64, ptr %words, i64 %lane
  store i64 %place, ptr %place.at
  store i64 0, ptr %left.at
  %thread = add i64 %first, %lane
  %answer = call i64 @run(ptr %own, ptr %control, ptr %env, i64 %thread)
  %now = and i64 %answer, 4294967295
  %now.at = getelementptr inbounds i64, ptr %where, i64 %lane
  store i64 %now, ptr %now.at
  %bit = shl i64 1, %lane
  br label %search
search:
  %j = phi i64 [ 0, %going ], [ %j.next, %other ]
  %twice = shl i64 %j, 1
  %answer.at = getelementptr inbounds i64, ptr %answers, i64 %twice
  %mask.at = getelementptr inbounds i64, ptr %answer.at, i64 1
  %new = icmp eq i64 %j, %count
  br i1 %new, label %add, label %compare
compare:
  %known = load i64, ptr %answer.at
  %equal = icmp eq i64 %known, %answer
  br i1 %equal, label %join, label %other
other:
  %j.next = add i64 %j, 1
  br label %search
add:
  store i64 %answer, ptr %answer.at
  store i64 %bit, ptr %mask.at
  %more.count = add i64 %count, 1
  br label %gone
join:
  %joined = load i64, ptr %mask.at
  %wider = or i64 %joined, %bit
  store i64 %wider, ptr %mask.at
  br label %gone
gone:
  %count.next = phi i64 [ %more.count, %add ], [ %count, %join ]
  %left.next = xor i64 %left, %bit
  %over = icmp eq i64 %left.next, 0
  br i1 %over, label %ran, label %going
ran:
  ret i64 %count.next
}}
"""


LANES_ALONE = "!llvm.access.group !1"
"""Stands at the accesses of a lane to its own words."""


@dataclass(frozen=True, slots=True)
class VectorModule:
    """The text of the code of some places, which its function ``vectors`` puts into a table by place."""

    text: str


class _Way(NamedTuple):
    """One way out of a piece: the condition under which it is taken, ``None``: if no other is; the place to
    which it leads, and the words that differ there, as text."""

    condition: str | None
    place: int
    words: dict[int, str]


def _asks(line: str) -> bool:
    """Whether an emitted line asks for anything but words of lanes and what LLVM itself computes."""
    loads = " load " in line and LANES_ALONE not in line
    calls = " call " in line and " @llvm." not in line
    return loads or calls or "%env" in line or "%thread" in line


def _no_bounds(number: Bits) -> Bits:
    raise NotNative("the bounds of an object")


class VectorEmitter(LaneEmitter):
    """Emits a function as lanes run it, then its pieces once more for vectors."""

    _guards: list[Term] | None = None
    _path: str | None = None

    def vectors(self) -> VectorModule | None:
        """Code for the pieces that can have some, behind :meth:`emit`; ``None`` if none can."""
        self.domain.base_of = self.domain.size_of = self.domain.room_of = _no_bounds
        where = {value: key for key, value in self.places.items()}
        codes: dict[int, str] = {}
        for place in sorted(self.entries):
            number, step = where[place]
            code = self._piece(place, number, step)
            if code is not None:
                codes[place] = code
        if not codes:
            return None
        stores = "\n".join(
            f"  %t{place} = getelementptr inbounds ptr, ptr %table, i64 {place}\n"
            f"  store ptr @v{place}, ptr %t{place}"
            for place in codes
        )
        filled = f"define void @vectors(ptr %table) {{\n{stores}\n  ret void\n}}"
        bodies = "\n".join(codes.values())
        declared = [text for name, text in self.lines.declarations.items() if f"@{name}(" in bodies]
        return VectorModule("\n".join((*declared, bodies, filled, LOOPS)))

    def _piece(self, place: int, number: int, first: int) -> str | None:
        """The code of a piece; ``None`` if it has none."""
        segment = self.pairs[number][0]
        lines, before = self.lines, self.lines.lines
        lines.lines = []
        self.r = SegmentRegisters(self)
        self._guards, self._path = [], None
        self._ways: list[_Way] = []
        self._changed: dict[int, Any] = {}
        self._counts: dict[int, str] = {}
        self._held = frozenset(self.steps[place].live)
        self.accesses.clear()
        try:
            end = len(segment.steps)
            for k in range(first, len(segment.steps)):
                if self.hands_back(segment.indices[k]):
                    return None
                stops = self.stops_before(segment.indices[k]) or self.places.get((number, k)) in self.meetings
                if k > first and stops:
                    end = k
                    break
                self.at = number, k
                segment.steps[k](self.r)  # type: ignore[arg-type]
            self.at = number, end
            if self.places.get(self.at) in self.meetings:  # where lanes stop
                self._leads(self.place(*self.at), self._changed, {})
            elif end < len(segment.steps) or self.hands_back(segment.last) or self.accesses:
                return None
            else:
                self.follow(segment.finish, FrameInTheMaking(self.r))
            if self.accesses or any(map(_asks, lines.lines)):
                return None
            return self._looped(place, lines.lines, self._guards, self._ways)
        except (NotNative, NotModelled, Undefined):
            return None
        finally:
            lines.lines, self._guards = before, None

    def column(self, word: int) -> str:
        if self._guards is None:
            return super().column(word)
        return self._counts[word] if word in self._counts else self._word_of(word)

    def set_column(self, word: int, value: str) -> None:
        if self._guards is None:
            super().set_column(word, value)
        else:
            self._counts[word] = value

    # -- a lane's words -----------------------------------------------------------------------------------

    def load(self, slot: int) -> Any:
        home = self.registers.places.get(slot)
        if self._guards is None or home is None:
            return super().load(slot)
        return self._loaded(home)

    def _loaded(self, home: Place) -> Any:
        if isinstance(home, Parts):
            return Composite(tuple([self._loaded(part) for part in home.parts]))
        if home.bits > 64:
            raise NotNative("a wide integer")
        lines = self.lines
        bits = Term(self._word_of(home.at), 64)
        if home.bits < 64:
            bits = lines.value(home.bits, f"trunc i64 {bits} to i{home.bits}")
        meta = self._word_of(home.meta)
        poison = lines.value(1, f"trunc i64 {meta} to i1")
        if not home.pointer:
            return Value(bits, poison)
        number = lines.value(32, f"trunc i64 {lines.typed(f'lshr i64 {meta}, 1')} to i32")
        return Pointer(bits, self.domain.provenance(number), poison)

    def _word_of(self, word: int) -> str:
        """A word of the lane, as it was when the piece began."""
        lines = self.lines
        at = lines.typed(f"getelementptr inbounds i64, ptr %own, i64 {word * self.stride}")
        return lines.typed(f"load i64, ptr {at}, align 8, {LANES_ALONE}")

    def store(self, slot: int, value: Any) -> None:
        if self._guards is None:
            super().store(slot, value)
        else:
            self._changed[slot] = value

    def _words(self, home: Place, value: Any) -> Iterator[tuple[int, str]]:
        """The words of a value."""
        lines, domain = self.lines, self.domain
        if isinstance(home, Parts):
            for part, element in zip(home.parts, value.elements, strict=True):
                yield from self._words(part, element)
            return
        if value.__class__ is not (Pointer if home.pointer else Value) or home.bits > 64:
            raise NotNative("undef, or a wide integer")
        yield home.at, self._extended(value.bits, home)
        poison = truth_text(value.poison)
        meta = lines.typed(f"zext i1 {poison} to i64")
        if home.pointer:
            number = lines.typed(f"zext i32 {int_text(domain.object_number(value))} to i64")
            meta = lines.typed(f"or i64 {lines.typed(f'shl i64 {number}, 1')}, {meta}")
        yield home.meta, meta

    def _extended(self, bits: Bits, home: Scalar) -> str:
        text = int_text(bits)
        return text if home.bits == 64 else self.lines.typed(f"zext i{home.bits} {text} to i64")

    # -- the ways on ------------------------------------------------------------------------------------

    def _guard(self, truth: Term) -> None:
        if self._guards is None:
            super()._guard(truth)
        elif self._path is None:
            self._guards.append(truth)
        else:
            raise NotNative("a guard on one way of several")

    def follow(self, finish: Finish, frame: Any) -> bool:
        if self._guards is None:
            return super().follow(finish, frame)
        frame.segment = None
        known = dict(self.r.values)
        onward = finish(ABSENT, frame)
        if onward is not DONE:
            after = frame.segment
            if after not in self.numbers or onward is not frame:
                raise NotNative("a way that leads elsewhere")
            self._leads(self.place(self.numbers[after], 0), self._changed, {})
        self.r.values = known
        return True

    def branch(self, condition: Term, then: Finish, otherwise: Finish, frame: Any) -> None:
        if self._guards is None:
            super().branch(condition, then, otherwise, frame)
            return
        self._forked([(condition, then)], otherwise, frame)

    def switch(self, bits: Term, table: Mapping[object, Finish], default: Finish, frame: Any) -> None:
        if self._guards is None:
            super().switch(bits, table, default, frame)
            return
        cases = [
            (self.lines.value(1, f"icmp eq i{bits.width} {bits}, {int_text(case)}"), way)
            for case, way in table.items()
        ]
        self._forked(cases, default, frame)

    def _forked(self, cases: list[tuple[Term, Finish]], other: Finish, frame: Any) -> None:
        if self._path is not None:
            raise NotNative("a branch behind a branch")
        for condition, way in cases:
            self._path = str(condition)
            self.follow(way, frame)
        self._path = ""
        self.follow(other, frame)

    def edge(self, source: int, into: CodeBlock, moves: tuple[tuple[int, int], ...], r: Any) -> None:
        if self._guards is None:
            super().edge(source, into, moves, r)
            return
        values = {target: r[origin] for origin, target in moves}
        counts = {}
        for cycle in into.heads:
            word = self.registers.words + cycle
            counts[word] = (
                self.lines.typed(f"add i64 {self._word_of(word)}, 1") if cycle == into.cycle else "0"
            )
        self._leads(self.place(self.numbers[into.entry], 0), {**self._changed, **values}, counts)

    def _leads(self, place: int, changed: Mapping[int, Any], words: dict[int, str]) -> None:
        """A way leads to a place: what lives there and was changed is written."""
        words.update(self._counts)
        for slot in self.steps[place].live:
            if slot in changed:
                words.update(self._words(self.registers.places[slot], changed[slot]))
            elif slot not in self._held:
                raise NotNative("a register of which nothing is held")
        self._ways.append(_Way(self._path or None, place, words))

    # -- the loop ---------------------------------------------------------------------------------------

    def _looped(self, place: int, body: list[str], guards: list[Term], ways: list[_Way]) -> str:
        """Two loops: one over guards, if there are any, and one that writes."""
        lines = self.lines
        lines.lines = []
        written = sorted({word for way in ways for word in way.words})
        for word in (*written, self.place_at):
            old = self._word_of(word)
            value = old
            for way in reversed(ways):
                new = str(way.place) if word == self.place_at else way.words.get(word, old)
                if way.condition is None:
                    value = new
                elif new != value:
                    value = lines.typed(f"select i1 {way.condition}, i64 {new}, i64 {value}")
            value = lines.typed(f"select i1 %on, i64 {value}, i64 {old}")
            at = lines.typed(f"getelementptr inbounds i64, ptr %own, i64 {word * self.stride}")
            lines.line(f"store i64 {value}, ptr {at}, align 8, {LANES_ALONE}")
        writes = lines.lines
        lines.lines = []
        holds = "true"
        for guard in guards:
            holds = lines.typed(f"and i1 {holds}, {guard}")
        places = {way.place for way in ways}
        answer = ways[0].place + TOGETHER if len(places) == 1 else APART
        if not guards:
            return _loop(f"v{place}", self.stride, [*body, *writes], str(answer))
        fails = lines.typed(f"xor i1 {holds}, true")
        bad = lines.typed(f"and i1 {fails}, %on")
        lines.line(f"%failed.next = or i1 %failed, {bad}")
        checked = _loop(f"g{place}", self.stride, [*body, *lines.lines], "%good", "%failed")
        done = _loop(f"w{place}", self.stride, [*body, *writes], str(answer))
        return f"""{checked}
{done}
define i64 @v{place}(ptr noalias %words, i64 %mask) "prefer-vector-width"="512" {{
  %good = call i64 @g{place}(ptr %words, i64 %mask)
  %holds = icmp ne i64 %good, 0
  br i1 %holds, label %do, label %not
do:
  %done = call i64 @w{place}(ptr %words, i64 %mask)
  ret i64 %done
not:
  ret i64 {FAILED}
}}
"""


def _loop(name: str, stride: int, body: list[str], result: str, failed: str = "") -> str:
    """A loop over all lanes of the words, those of which are ``%on`` that are in the mask."""
    carried = f"\n  {failed} = phi i1 [ false, %entry ], [ {failed}.next, %lane ]" if failed else ""
    good = f"\n  %sound = xor i1 {failed}.next, true\n  %good = zext i1 %sound to i64" if failed else ""
    linkage = "internal" if failed or name.startswith("w") else "dso_local"
    text = "\n".join(body)
    return f"""define {linkage} i64 @{name}(ptr noalias %words, i64 %mask) "prefer-vector-width"="512" {{
entry:
  br label %lane
lane:
  %at = phi i64 [ 0, %entry ], [ %at.next, %lane ]{carried}
  %own = getelementptr inbounds i64, ptr %words, i64 %at
  %bits = lshr i64 %mask, %at
  %on = trunc i64 %bits to i1
{text}
  %at.next = add nuw nsw i64 %at, 1
  %more = icmp ult i64 %at.next, {stride}
  br i1 %more, label %lane, label %over, !llvm.loop !0
over:{good}
  ret i64 {result}
}}
"""


LOOPS = """
!0 = distinct !{!0, !2}
!1 = distinct !{}
!2 = !{!"llvm.loop.parallel_accesses", !1}
"""
"""No lane reads what another one writes. (That loops are to become vectors is not said: LLVM would print what
it thinks of those that cannot.)"""


# ----------------------------------------------------------------------------------------------------------
# The lanes of a wave natively, in lock step: what is issued for a mask of lanes is one call of native code.
#
# A *piece* is a stretch of a segment that native code runs for one lane after the other, and what comes of
# it is what comes of instruction after instruction: in it one instruction at most accesses memory, or
# several of which none writes. Where lanes do not come to the same place, as a guard failed in some of
# them, they are apart, and the run is given up: it is made again without native code.
# ----------------------------------------------------------------------------------------------------------


VECTORS: int | None = 50_000
"""After so many pieces a function has code for vectors, which takes some hundredths of a second; ``None``:
never."""
LINE = 8
"""Words of a line of the processor's cache, at whose edge those of lanes begin."""
NOWHERE = (1 << 64) - 1
"""Stands in a lane's words where its frame's own registers count."""


_Lanes = ctypes.CFUNCTYPE(
    ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64,
    ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p,
)  # fmt: skip
_Fills = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class LaneAnswer(NamedTuple):
    """The lanes of ``mask`` are at a place; ``back``: an instruction is handed back there."""

    place: SegmentStep
    back: bool
    mask: int
    blame: tuple[str, str, str]


class LaneCode(Compiled):
    """A function's native code for lanes, whose words lie ``stride`` apart; ``place_at`` is the word that
    says where a lane is. ``vectors`` are the addresses of code for all lanes at once, by place, 0 where there
    is none; ``pieces`` ran so far. ``meetings`` are places where lanes meet, ``alikes`` the addresses of
    code that compares keys there, by place; ``parts`` has the code of exchanges, which ``asks`` counts that
    it was asked for and not there; ``controls`` are, by segment, the steps that are control intrinsics."""

    def __init__(self, code: Code, emitted: Emitted, address: int, emitter: LaneEmitter) -> None:
        super().__init__(code, emitted, address)
        self.address = address
        stride = self.stride = emitter.stride
        self.lanes = _Lanes(address)
        self.columns = emitter.tokens
        self.place_at = emitter.place_at
        self.words = self.place_at + 1
        self.meetings = emitter.meetings
        self.alikes = array("Q", [0] * len(self.places))
        if self.meetings:
            text = alikes_text(self.meetings, self.place_at, stride)
            _Fills(machine_code(text, "alikes", {}))(self.alikes.buffer_info()[0])
        met = [meeting.exchange for meeting in self.meetings.values() if meeting.exchange is not None]
        self.exchanges = LaneExchanges(met, stride)
        self.exchange_driver = machine_code(exchange_driver(stride), "exchange", {}) if met else 0
        self.parts = PartTable(max(1, len(met)))
        self.asks: Counter[tuple[int, int]] = Counter()
        self.controls: dict[Segment, tuple[int, ...]] = {
            segment: tuple(
                k
                for k, index in enumerate(segment.indices)
                if k not in segment.promises and control(code.instructions[index]) is not None
            )
            for segment in emitted.segments
        }
        self.vectors = array("Q", [0] * len(self.places))
        self.vectors_at = self.vectors.buffer_info()[0]
        self.pieces = 0
        self.vectorised = False
        self._live: dict[int, Callable[[Any], Any]] = {}

    def vectorise(self, emitter: VectorEmitter) -> None:
        """Has code for vectors from now on, where there can be some."""
        self.vectorised = True
        emitter.emit()
        module = emitter.vectors()
        if module is not None:
            _Fills(machine_code(module.text, "vectors", {}, loops=True))(self.vectors_at)

    def answer(self, answer: int, mask: int) -> LaneAnswer:
        """What native code answered for some lanes."""
        number = answer & 0xFFFFFFFF
        return LaneAnswer(
            self.places[number], answer >> Handback.SHIFT == Handback.HANDED, mask, self.blame[number]
        )

    def live_words(self, place: int) -> Callable[[Any], Any]:
        """What picks the words that are live at a place, how often headers were met among them."""
        known = self._live.get(place)
        if known is None:
            words = self.live_offsets(place)
            known = self._live[place] = itemgetter(*words, self.place_at, self.place_at)
        return known

    def live_offsets(self, place: int) -> list[int]:
        """Which words are live at a place."""
        live = [self.homes[slot] for slot in self.places[place].live]
        return [w for home in live for s in native_scalars(home) for w in range(s.at, s.meta + 1)]


class LaneRegisters(Resident):
    """The registers of a lane's ``frame`` in native words, which say where the lane is: native code notes it
    there."""

    __slots__ = ("_roots", "frame")
    compiled: LaneCode

    def __init__(
        self,
        compiled: LaneCode,
        numbers: ProvenanceNumbers,
        keys: Keys,
        frame: Frame,
        words: memoryview[int],
        roots: RootNumbers,
    ) -> None:
        super().__init__(compiled, numbers, keys, words)
        self.frame = frame
        self._roots = roots

    def take(self, frame: Frame, at: int) -> bool:
        fresh = self.place < 0
        return super().take(frame, at) and (not fresh or self.count_tokens())

    def count_tokens(self) -> bool:
        """The columns are as the frame's tokens say; False if they cannot be."""
        columns = self.compiled.columns
        if columns is None:
            return True
        return write_columns(columns, self.compiled.code, self.frame, self.words, self._roots)

    @property
    def place(self) -> int:
        at = self.words[self.compiled.place_at]
        return -1 if at == NOWHERE else at

    @place.setter
    def place(self, place: int) -> None:
        self.words[self.compiled.place_at] = NOWHERE if place < 0 else place

    @property
    def headed(self) -> bool:
        """Whether the frame knows which headers were met."""
        return self.place < 0

    @headed.setter
    def headed(self, headed: bool) -> None:
        pass

    def state(self) -> Any:
        """What is live, to be compared with what it was; ``None`` where the frame's own registers count."""
        place = self.words[self.compiled.place_at]
        return None if place == NOWHERE else self.compiled.live_words(place)(self.words)


class WaveLanes:
    """The lanes of an activation: their words, all lanes' first, then all lanes' second, ...; ``known`` are
    those that have some, ``ahead`` those whose frames do not say in which segment they are, ``stale`` those
    whose tokens somebody else has counted; ``gives_at`` is where it stands what their ``places`` give to
    lanes, 0 where that is not known."""

    __slots__ = ("_gives", "_words", "ahead", "at", "gives_at", "known", "registers", "stale", "stride")

    def __init__(self, compiled: LaneCode, places: Sequence[ThreadPlace]) -> None:
        self._gives = compiled.exchanges.by_place(places)
        self.gives_at = 0 if self._gives is None else self._gives.buffer_info()[0]
        self.stride = compiled.stride
        whole = array("Q", bytes(8 * (self.stride * compiled.words + LINE)))
        begin = -(whole.buffer_info()[0] // 8) % LINE
        self._words = memoryview(whole)[begin : begin + self.stride * compiled.words]
        self.at = whole.buffer_info()[0] + 8 * begin
        self.registers: dict[int, LaneRegisters] = {}
        self.known = self.ahead = self.stale = 0

    def refresh(self) -> None:
        """All columns are as the frames' tokens say."""
        stale, self.stale = self.stale, 0
        for lane in range(stale.bit_length()):
            if stale >> lane & 1 and (registers := self.registers.get(lane)) is not None:
                registers.count_tokens()

    def words(self, lane: int) -> memoryview[int]:
        """The words of a lane."""
        return self._words[lane :: self.stride]

    def address(self, lane: int) -> int:
        """Where the first word of a lane is."""
        return self.at + 8 * lane

    def place(self, mask: int) -> None:
        """The frames of some lanes say in which segment they are."""
        mask &= self.ahead
        self.ahead &= ~mask
        for lane in range(mask.bit_length()):
            if mask >> lane & 1:
                registers = self.registers[lane]
                registers.frame.segment = registers.compiled.places[registers.place].segment


class LaneEncounters(Encounters):
    """Which lanes met: nothing orders them but the machine's time, which D-SYNC does not know."""

    @property
    def synchronised(self) -> bool:
        return False


class LaneEngine:
    """Native code for one lock-step machine's lanes, of which a wave has as many as ``lanes``. ``cuts`` says
    which instructions are handed back, ``holds`` before which lanes may have to wait for others; at barriers
    of the workgroup they do so by themselves if they run ``lanes_apart``."""

    def __init__(
        self,
        program: Program,
        memory: Memory,
        keys: Keys,
        launch: Launch,
        subgroups: Mapping[LaunchGroup, Subgroup],
        cuts: Callable[[Code, int], bool],
        holds: Callable[[Code, int], bool],
        lanes: int,
        lanes_apart: bool,
    ) -> None:
        self.program = program
        self.tally = Tally()
        self._keys = keys
        self._cuts, self._holds, self._lanes_apart = cuts, holds, lanes_apart
        self._subgroups = subgroups
        self._roots = RootNumbers()
        self._shape: WorkgroupExtent | None = None
        with suppress(NotNative):
            self._shape = shape_of_launch(launch, [*subgroups.items()])
        self._numbers = ObjectTable()
        self._encounters = LaneEncounters(self._numbers.address, launch.threads, launch.workgroup_threads)
        memory.attach(self._numbers, self._encounters if launch.threads > 1 else None)
        self._compiled: dict[Code, LaneCode | None] = {}
        self._stride = stride_of(lanes)
        self._several = lanes >= LEAST
        self._control = array("q", [0] * ControlWords.WORDS)
        self.control_at = self._control.buffer_info()[0]
        self._trail = array("H", [0] * 2)
        self._control[ControlWords.MASK] = 1
        self._control[ControlWords.TRAIL] = self._trail.buffer_info()[0]
        self._control[ControlWords.WATCH] = -1
        self.answers = array("Q", bytes(8 * 2 * 64))
        self.answers_at = self.answers.buffer_info()[0]
        self._paid = 0

    def of(self, code: Code, executed: int) -> LaneCode | None:
        """A function's native code; ``None`` if it has none, or none yet: ``auto`` compiles it when so many
        instructions were executed as take as long in the reference."""
        if code not in self._compiled:
            price = PRICE * len(code.instructions)
            if self._paid + price > executed and self.program.settings.engine == "auto":
                return None
            self._paid += price
            begin = perf_counter()
            self._compiled[code] = self._native(code)
            self.tally.compiling += perf_counter() - begin
        return self._compiled[code]

    def _native(self, code: Code) -> LaneCode | None:
        setup = self._setup(code)
        driver = lane_driver(setup.stride)
        made: list[LaneEmitter] = []

        def emitter() -> LaneEmitter:
            made.append(LaneEmitter(self.program, code, self._numbers, setup))
            return made[-1]

        return compiled_once(
            self.program, (code, setup), code, self._numbers, self.tally, emitter,
            lambda e: LaneCode(code, e, machine_code(joined(e.text, driver), "lanes", e.symbols), made[-1]),
        )  # fmt: skip

    def _setup(self, code: Code) -> LaneSetup:
        def those(which: Callable[[Code, int], bool]) -> frozenset[int]:
            return frozenset(n for n in range(len(code.instructions)) if which(code, n))

        cuts, holds = those(self._cuts), those(self._holds)
        if not MEETS:
            cuts, holds = cuts | holds, frozenset()
        return LaneSetup(cuts, holds, self._stride, self._shape, MEETS, self._lanes_apart)

    def ran(self, compiled: LaneCode, pieces: int) -> None:
        """So many pieces of a function ran; after some it is worth code for vectors."""
        compiled.pieces += pieces
        self.tally.vectors = self._control[ControlWords.TOGETHER]
        if VECTORS is None or not self._several or compiled.vectorised or compiled.pieces < VECTORS:
            return
        begin = perf_counter()
        code = compiled.code
        compiled.vectorise(VectorEmitter(self.program, code, self._numbers, self._setup(code)))
        self.tally.compiling += perf_counter() - begin

    @property
    def environment(self) -> int:
        """The address of what native code reads and writes beside its lanes' words."""
        return self._encounters.address

    def advance(
        self, compiled: LaneCode, lanes: WaveLanes, number: int, mask: int, wave: Sequence[Thread], first: int
    ) -> Sequence[LaneAnswer]:
        """Runs the lanes of a mask of a wave from a place on; no answer, if their registers cannot be held
        natively. ``first`` is the number of the wave's first thread."""
        self.tally.calls += 1
        if lanes.stale:
            lanes.refresh()
        count = 0 if mask & ~lanes.known else self._call(compiled, lanes, number, mask, first)
        if not count:
            for lane in range(mask.bit_length()):
                if mask >> lane & 1 and not self._takes(compiled, lanes, lane, wave[lane], number):
                    return ()
            count = self._call(compiled, lanes, number, mask, first)
        lanes.ahead |= mask
        answers = self.answers
        if count == 1:
            return (compiled.answer(answers[0], mask),)
        return [compiled.answer(answers[2 * n], answers[2 * n + 1]) for n in range(count)]

    def _takes(self, compiled: LaneCode, lanes: WaveLanes, lane: int, thread: Thread, number: int) -> bool:
        """Whether a lane's words hold what is live at a place."""
        frame = thread.frame
        assert frame is not None
        registers = lanes.registers.get(lane)
        if registers is None:
            registers = LaneRegisters(
                compiled, self._numbers, self._keys, frame, lanes.words(lane), self._roots
            )
            lanes.registers[lane] = frame.native = registers
            lanes.known |= 1 << lane
        if not registers.take(frame, number):
            return False
        registers.place = number
        return True

    def _call(self, compiled: LaneCode, lanes: WaveLanes, number: int, mask: int, first: int) -> int:
        count: int = compiled.lanes(
            lanes.at, mask, self.control_at, self._encounters.address, first, self.answers_at, number,
            compiled.place_at * compiled.stride, compiled.vectors_at,
        )  # fmt: skip
        return count

    def learns_exchange(
        self, compiled: LaneCode, lanes: WaveLanes, number: int, mask: int, launch: LaunchGroup
    ) -> bool | None:
        """An exchange of a mask for which there is no native code yet: True if there is some now, else what
        its lanes get was asked of the model; ``None`` if neither goes."""
        assert self._shape is not None
        among = [lane for lane in range(mask.bit_length()) if mask >> lane & 1]
        compiled.asks[number, mask] += 1
        if compiled.asks[number, mask] == (1 if len(among) == launch.size else ASKS):
            begin, symbols = perf_counter(), dict[str, int]()
            text, problem = compiled.exchanges.code(self.program, number, self._shape, among, symbols)
            if not problem:
                before = len(compiled.parts)
                compiled.parts.add(number, mask, machine_code(f"{text}\n{METADATA}", "together", symbols))
                self.tally.compiling += perf_counter() - begin
                if len(compiled.parts) > before:
                    return True
        own = {lane: lanes.words(lane) for lane in among}
        try:
            held = compiled.exchanges.answer(self.program, number, own, self._subgroups[launch])
        except (NotNative, NotModelled, Undefined):
            return None
        return False if held else None

    def wave(self, compiled: LaneCode, threads: Sequence[Thread]) -> WaveLanes:
        """The lanes of an activation that begins, of a wave of these threads."""
        return WaveLanes(
            compiled, [ThreadPlace(t.number, t.lane, self._subgroups[t.launch]) for t in threads]
        )

    @staticmethod
    def hand(frame: Frame, segment: Segment, k: int) -> None:
        """The frame's own registers hold what the reference reads from a step on."""
        native: LaneRegisters | None = frame.native
        if native is not None and native.place >= 0:
            native.hand(frame, segment, k)
