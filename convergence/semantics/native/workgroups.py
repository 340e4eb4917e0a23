"""Whole launches of a kernel without anybody who attends to them (:mod:`.unattended`): workgroup after
workgroup, each from its launch to its end.

In the reference all threads of a launch take turns. What comes of a launch is the same whoever has his turn
first, as long as no two threads meet in memory but those that something orders; that is what
:class:`~..memory.encounters.Encounters` finds out. Where threads of different workgroups met, or threads met
unordered in turns that are cut otherwise than the reference's, the launch is given up; so it is where native
code gives up, where a bound is hit, and where the threads of a launch group do not come to an exchange as one
(:func:`~..convergence.resolution.certain` says then who waits for whom). Then it begins anew, attended.

Nothing of single instances is recorded: who asks for that makes the run again, attended.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter
from typing import Any

from ...frozen import dataclass
from ...rules import Rule
from ..arithmetic.emission import EmittedLines, NotNative, Term, int_text
from ..arithmetic.emitting import EmittingDomain, truth_text
from ..clock import Clock
from ..errors import NotModelled, Undefined
from ..machine.launch import Launch
from ..machine.log import PassedThrough
from ..machine.program import Program
from ..machine.tally import Tally
from ..memory.allocations import MAXIMUM, Memory
from ..memory.emitted import METADATA, Fields
from ..memory.encounters import AHEAD, RELEASED, STATE, STATES, Encounters, storage_offset
from ..memory.packed import ObjectTable
from ..memory.synchronisation import Storage
from ..operations.model import Exchanging, Subgroup
from ..values.value import Composite, Pointer, Provenance, RuntimeValue, Value
from .jit import machine_code
from .registers import Parts, Place, pack, scalars, unpack
from .unattended import CALLED, Exchanged, Given, KernelEmitter, Shape, ThreadWords, Unattended, fenced

TURN = 200_000
"""Instructions of a turn at most."""
ROUND = 50_000_000
"""Instructions after which somebody looks whether to go on."""

RUNNING, WAITS, OVER = 0, 1, 2
"""What a thread does."""
ENDED, INTERRUPTED, DIVERGED, BOUND = 0, 1, -(1 << 40), -(1 << 41)
"""What a call of native code comes back with, besides minus the number of why it gave up."""


class GroupWords:
    """The words of ``group``: how many threads there are, and of how many a launch group is; where their
    words are and how many bytes each has of them; by thread, where it goes on and what it does; what of the
    budgets is left; the words at the launch, if this is one; what was counted; which sites each launch group
    came to."""

    (THREADS, SIZE, WORDS, STRIDE, PLACES, STATES, LEFT, LOOK, LAUNCHED, LAUNCH, VISITS, PAUSES,
     EXCHANGES, SITES) = range(14)  # fmt: skip
    COUNT = 14


def driver(kernel: Unattended, launch: Launch, shape: Shape) -> str:
    """``i64 @workgroup(ptr group, ptr env, i64 first)``: runs the threads from number ``first`` on."""
    exchanges = [stop for stop in kernel.stops if stop.exchange is not None]
    pauses = [stop for stop in kernel.stops if stop.exchange is None]
    fields = {
        "threads": GroupWords.THREADS, "size": GroupWords.SIZE, "words": GroupWords.WORDS,
        "stride": GroupWords.STRIDE, "places": GroupWords.PLACES, "states": GroupWords.STATES,
        "left": GroupWords.LEFT, "look": GroupWords.LOOK, "launched": GroupWords.LAUNCHED,
        "launch": GroupWords.LAUNCH, "visits": GroupWords.VISITS, "pauses": GroupWords.PAUSES,
        "exchanges": GroupWords.EXCHANGES, "sites": GroupWords.SITES,
    }  # fmt: skip
    text = ["define i64 @workgroup(ptr %group, ptr %env, i64 %first) {", "entry:"]
    text += [f"  %control = alloca [{ThreadWords.WORDS} x i64]", "  %i = alloca i64", "  %went = alloca i64"]
    text += ["  %lead = alloca i64", "  %count = alloca i64", "  %place = alloca i64", "  %from = alloca i64"]
    text += ["  %least.0 = alloca i64", "  %least.8 = alloca i64", "  %to = alloca i64"]
    for name, word in fields.items():
        type_ = "ptr" if name in ("words", "places", "states", "launch", "sites") else "i64"
        text += [f"  %{name}.at = getelementptr i64, ptr %group, i64 {word}"]
        text += [f"  %{name} = load {type_}, ptr %{name}.at"]
    for name, word in (
        ("left", ThreadWords.LEFT),
        ("visits", ThreadWords.VISITS),
        ("sites", ThreadWords.SITES),
    ):
        text.append(f"  %own.{name} = getelementptr i64, ptr %control, i64 {word}")
    stops = " ".join(f"i64 {stop.number}, label %pause" for stop in pauses)
    ways = " ".join(f"i64 {stop.number}, label %meet.{stop.number}" for stop in exchanges)
    text.append(_TURNS.format(pauses=stops, ways=ways, turn=TURN, bound=BOUND, diverged=DIVERGED))
    for stop in exchanges:
        assert stop.exchange is not None
        text += _meeting(kernel, stop.number, stop.exchange, launch, shape)
    text.append("}")
    return "\n".join(text)


_TURNS = """\
  %fresh = icmp ne i64 %launched, 0
  store i64 0, ptr %i
  br i1 %fresh, label %begin, label %round
begin:
  %b = load i64, ptr %i
  %b.more = icmp ult i64 %b, %threads
  br i1 %b.more, label %begin.one, label %begun
begin.one:
  %b.place = getelementptr i64, ptr %places, i64 %b
  store i64 1, ptr %b.place
  %b.state = getelementptr i64, ptr %states, i64 %b
  store i64 0, ptr %b.state
  %b.off = mul i64 %b, %stride
  %b.words = getelementptr i8, ptr %words, i64 %b.off
  call void @llvm.memcpy.p0.p0.i64(ptr %b.words, ptr %launch, i64 %launched, i1 false)
  %b.next = add i64 %b, 1
  store i64 %b.next, ptr %i
  br label %begin
begun:
  store i64 0, ptr %launched.at
  br label %round
round:
  store i64 0, ptr %i
  br label %turn
turn:
  %t = load i64, ptr %i
  %t.more = icmp ult i64 %t, %threads
  br i1 %t.more, label %turn.look, label %resolve
turn.look:
  %t.state.at = getelementptr i64, ptr %states, i64 %t
  %t.state = load i64, ptr %t.state.at
  %t.runs = icmp eq i64 %t.state, 0
  br i1 %t.runs, label %turn.go, label %turn.next
turn.go:
  %t.place.at = getelementptr i64, ptr %places, i64 %t
  %t.place = load i64, ptr %t.place.at
  store i64 %t.place, ptr %control
  store i64 {turn}, ptr %own.left
  %t.off = mul i64 %t, %stride
  %t.words = getelementptr i8, ptr %words, i64 %t.off
  %t.number = add i64 %first, %t
  %answer = call i64 @thread(ptr %t.words, ptr %control, ptr %env, i64 %t.number)
  %t.left = load i64, ptr %own.left
  %used = sub i64 {turn}, %t.left
  %left.old = load i64, ptr %left.at
  %left.new = sub i64 %left.old, %used
  store i64 %left.new, ptr %left.at
  %look.old = load i64, ptr %look.at
  %look.new = sub i64 %look.old, %used
  store i64 %look.new, ptr %look.at
  %visits.old = load i64, ptr %visits.at
  %visits.own = load i64, ptr %own.visits
  %visits.new = add i64 %visits.old, %visits.own
  store i64 %visits.new, ptr %visits.at
  %t.group = udiv i64 %t, %size
  %sites.at.own = getelementptr i64, ptr %sites, i64 %t.group
  %sites.old = load i64, ptr %sites.at.own
  %sites.own = load i64, ptr %own.sites
  %sites.new = or i64 %sites.old, %sites.own
  store i64 %sites.new, ptr %sites.at.own
  store i64 %answer, ptr %t.place.at
  %t.bound = icmp sle i64 %left.new, 0
  br i1 %t.bound, label %bound, label %turn.on
turn.on:
  %t.gave = icmp slt i64 %answer, 0
  br i1 %t.gave, label %gave, label %turn.came
turn.came:
  switch i64 %answer, label %waits [ i64 0, label %over {pauses} ]
pause:
  %pauses.old = load i64, ptr %pauses.at
  %pauses.new = add i64 %pauses.old, 1
  store i64 %pauses.new, ptr %pauses.at
  br label %turn.next
over:
  store i64 2, ptr %t.state.at
  br label %turn.next
waits:
  store i64 1, ptr %t.state.at
  br label %turn.next
turn.next:
  %t.next = add i64 %t, 1
  store i64 %t.next, ptr %i
  br label %turn
gave:
  ret i64 %answer
bound:
  ret i64 {bound}
resolve:
  store i64 0, ptr %went
  store i64 0, ptr %from
  br label %group.look
group.look:
  %g.from = load i64, ptr %from
  %g.more = icmp ult i64 %g.from, %threads
  br i1 %g.more, label %group.begin, label %resolved
group.begin:
  %g.end = add i64 %g.from, %size
  %g.short = icmp ult i64 %g.end, %threads
  %g.to = select i1 %g.short, i64 %g.end, i64 %threads
  store i64 %g.to, ptr %to
  store i64 0, ptr %count
  store i64 %g.from, ptr %i
  br label %lane
lane:
  %l = load i64, ptr %i
  %l.more = icmp ult i64 %l, %g.to
  br i1 %l.more, label %lane.look, label %group.came
lane.look:
  %l.next = add i64 %l, 1
  store i64 %l.next, ptr %i
  %l.state.at = getelementptr i64, ptr %states, i64 %l
  %l.state = load i64, ptr %l.state.at
  switch i64 %l.state, label %lane [ i64 0, label %runs i64 1, label %lane.waits ]
runs:
  store i64 1, ptr %went
  br label %group.next
lane.waits:
  %l.place.at = getelementptr i64, ptr %places, i64 %l
  %l.place = load i64, ptr %l.place.at
  %l.count = load i64, ptr %count
  %l.more.count = add i64 %l.count, 1
  store i64 %l.more.count, ptr %count
  %l.first = icmp eq i64 %l.count, 0
  br i1 %l.first, label %lane.first, label %lane.other
lane.first:
  store i64 %l, ptr %lead
  store i64 %l.place, ptr %place
  br label %lane
lane.other:
  %l.known = load i64, ptr %place
  %l.same = icmp eq i64 %l.known, %l.place
  br i1 %l.same, label %lane, label %diverged
diverged:
  ret i64 {diverged}
group.came:
  %c.count = load i64, ptr %count
  %c.none = icmp eq i64 %c.count, 0
  br i1 %c.none, label %group.next, label %meet
meet:
  %c.place = load i64, ptr %place
  switch i64 %c.place, label %diverged [ {ways} ]
group.next:
  %n.from = load i64, ptr %from
  %n.next = add i64 %n.from, %size
  store i64 %n.next, ptr %from
  br label %group.look
resolved:
  %went.on = load i64, ptr %went
  %any = icmp ne i64 %went.on, 0
  br i1 %any, label %on, label %stands
on:
  %on.look = load i64, ptr %look.at
  %on.over = icmp sle i64 %on.look, 0
  br i1 %on.over, label %interrupted, label %round
interrupted:
  ret i64 1
stands:
  store i64 0, ptr %i
  br label %end
end:
  %z = load i64, ptr %i
  %z.more = icmp ult i64 %z, %threads
  br i1 %z.more, label %end.look, label %ended
end.look:
  %z.state.at = getelementptr i64, ptr %states, i64 %z
  %z.state = load i64, ptr %z.state.at
  %z.next = add i64 %z, 1
  store i64 %z.next, ptr %i
  %z.over = icmp eq i64 %z.state, 2
  br i1 %z.over, label %end, label %diverged
ended:
  ret i64 0"""


def _each(name: str, first: str, last: str, body: list[str], onward: str) -> list[str]:
    """A loop over the threads that wait, from one to another: ``%NAME.t`` in the body, which goes on to
    ``NAME.next``."""
    return [
        f"{name}:",
        f"  store i64 {first}, ptr %i",
        f"  br label %{name}.head",
        f"{name}.head:",
        f"  %{name}.t = load i64, ptr %i",
        f"  %{name}.more = icmp ult i64 %{name}.t, {last}",
        f"  br i1 %{name}.more, label %{name}.look, label %{onward}",
        f"{name}.look:",
        f"  %{name}.state.at = getelementptr i64, ptr %states, i64 %{name}.t",
        f"  %{name}.state = load i64, ptr %{name}.state.at",
        f"  %{name}.waits = icmp eq i64 %{name}.state, 1",
        f"  br i1 %{name}.waits, label %{name}.do, label %{name}.next",
        f"{name}.do:",
        *body,
        f"  br label %{name}.next",
        f"{name}.next:",
        f"  %{name}.on = add i64 %{name}.t, 1",
        f"  store i64 %{name}.on, ptr %i",
        f"  br label %{name}.head",
    ]


def _meeting(
    kernel: Unattended, number: int, exchange: Exchanged, launch: Launch, shape: Shape
) -> Iterator[str]:
    """The threads of a launch group, or at a barrier of the workgroup of all its groups, are at an
    exchange."""
    several = shape.workgroup > shape.size
    wide = exchange.workgroup is not None and several
    m = f"m{number}"
    yield f"meet.{number}:"
    yield f"  %{m}.from = load i64, ptr %from"
    yield f"  %{m}.to = load i64, ptr %to"
    first, last = f"%{m}.from", f"%{m}.to"
    if wide:  # nobody goes on before all that are not over have come
        first, last = "0", "%threads"
        yield "  store i64 0, ptr %count"
        yield "  store i64 0, ptr %i"
        yield f"  br label %{m}.all"
        yield f"{m}.all:"
        yield f"  %{m}.all.t = load i64, ptr %i"
        yield f"  %{m}.all.more = icmp ult i64 %{m}.all.t, %threads"
        yield f"  br i1 %{m}.all.more, label %{m}.all.look, label %{m}.came"
        yield f"{m}.all.look:"
        yield f"  %{m}.all.next = add i64 %{m}.all.t, 1"
        yield f"  store i64 %{m}.all.next, ptr %i"
        yield f"  %{m}.all.at = getelementptr i64, ptr %states, i64 %{m}.all.t"
        yield f"  %{m}.all.state = load i64, ptr %{m}.all.at"
        ways = f"i64 0, label %group.next i64 1, label %{m}.all.at.what"
        yield f"  switch i64 %{m}.all.state, label %{m}.all [ {ways} ]"
        yield f"{m}.all.at.what:"
        yield f"  %{m}.all.place.at = getelementptr i64, ptr %places, i64 %{m}.all.t"
        yield f"  %{m}.all.place = load i64, ptr %{m}.all.place.at"
        yield f"  %{m}.all.count = load i64, ptr %count"
        yield f"  %{m}.all.counted = add i64 %{m}.all.count, 1"
        yield f"  store i64 %{m}.all.counted, ptr %count"
        yield f"  %{m}.all.here = icmp eq i64 %{m}.all.place, {number}"
        yield f"  br i1 %{m}.all.here, label %{m}.all, label %group.next"
    else:
        yield f"  br label %{m}.came"
    yield f"{m}.came:"
    yield f"  %{m}.count = load i64, ptr %count"
    all_came = f"%{m}.count.all"
    if exchange.model.uniform is not None or not exchange_is_void(exchange):
        yield f"  %{m}.span = sub i64 {last}, {first}"
        yield f"  %{m}.whole = icmp eq i64 %{m}.count, %{m}.span"
        yield f"  br i1 %{m}.whole, label %{m}.same, label %diverged"
    else:
        yield f"  br label %{m}.same"
    sizes = () if exchange_is_void(exchange) else lane_counts(shape)
    lead = f"%{m}.lead"
    compared: list[str] = []
    for column in exchange.columns:
        c = f"%{m}.c{column}"
        compared += [
            f"  {c}.at = getelementptr i64, ptr %{m}.words, i64 {column}",
            f"  {c} = load i64, ptr {c}.at",
            f"  {c}.lead.at = getelementptr i64, ptr %{m}.lead.words, i64 {column}",
            f"  {c}.lead = load i64, ptr {c}.lead.at",
            f"  {c}.same = icmp eq i64 {c}, {c}.lead",
            f"  br i1 {c}.same, label %{m}.like{column}, label %diverged",
            f"{m}.like{column}:",
        ]
    yield f"{m}.same:"
    yield f"  {lead} = load i64, ptr %lead"
    yield f"  %{m}.lead.off = mul i64 {lead}, %stride"
    yield f"  %{m}.lead.words = getelementptr i8, ptr %words, i64 %{m}.lead.off"
    yield "  store i64 -1, ptr %least.0"
    yield "  store i64 -1, ptr %least.8"
    yield f"  %{m}.exchanges = load i64, ptr %exchanges.at"
    yield f"  %{m}.exchanges.new = add i64 %{m}.exchanges, %{m}.count"
    yield f"  store i64 %{m}.exchanges.new, ptr %exchanges.at"
    yield f"  {all_came} = icmp eq i64 %{m}.count, %threads"
    fence, lines = exchange.fence, EmittedLines()
    release = None if fence is None else fence.part(True)
    acquire = None if fence is None else fence.part(False)
    of_all = exchange.workgroup is not None or not several
    came = [
        f"  %{m}.off = mul i64 %{m}.a.t, %stride",
        f"  %{m}.words = getelementptr i8, ptr %words, i64 %{m}.off",
        *compared,
        f"  %{m}.thread = add i64 %first, %{m}.a.t",
    ]
    if fence is not None:
        came += _renamed(m + ".r", () if release is None else fenced(lines, release, f"%{m}.thread"))
        came += _least(m + ".l", f"%{m}.thread") if of_all else []
    onward = f"{m}.b"
    yield f"  br label %{m}.a"
    yield from _each(f"{m}.a", first, last, came, f"{m}.t" if sizes else onward)
    if sizes:
        yield f"{m}.t:"
        yield f"  %{m}.t.off = mul i64 {first}, %stride"
        yield f"  %{m}.t.words = getelementptr i8, ptr %words, i64 %{m}.t.off"
        yield f"  %{m}.t.first = add i64 %first, {first}"
        ways = " ".join(f"i64 {size}, label %{m}.t{size}" for size in sizes)
        yield f"  switch i64 %{m}.count, label %diverged [ {ways} ]"
        for size in sizes:
            asked = f"ptr %{m}.t.words, i64 %stride, ptr %env, i64 %{m}.t.first"
            yield f"{m}.t{size}:"
            yield f"  %{m}.t{size}.gave = call i64 @together.{number}.{size}({asked})"
            yield f"  %{m}.t{size}.good = icmp eq i64 %{m}.t{size}.gave, 0"
            yield f"  br i1 %{m}.t{size}.good, label %{onward}, label %diverged"
    passed = [f"  %{m}.p.thread = add i64 %first, %{m}.b.t"]
    if fence is not None:
        passed += _ahead(m + ".h", f"%{m}.p.thread", all_came) if of_all else []
        passed += _renamed(m + ".q", () if acquire is None else fenced(lines, acquire, f"%{m}.p.thread"))
    passed.append(f"  store i64 0, ptr %{m}.b.state.at")
    yield from _each(f"{m}.b", first, last, passed, f"{m}.done")
    yield f"{m}.done:"
    yield "  store i64 1, ptr %went"
    yield "  br label %group.next"


def lane_counts(shape: Shape) -> tuple[int, ...]:
    """How many threads the launch groups of a workgroup have."""
    rest = shape.workgroup % shape.size
    full = (shape.size,) if shape.workgroup >= shape.size else ()
    return (*full, *((rest,) if rest else ()))


class _Words:
    """The words of the threads of a launch group, lane by lane."""

    def __init__(self, lines: EmittedLines, domain: EmittingDomain) -> None:
        self.lines = lines
        self.domain = domain

    def of(self, lane: int) -> str:
        """Where a lane's begin."""
        return self.lines.typed(
            f"getelementptr i8, ptr %words, i64 {self.lines.typed(f'mul i64 %stride, {lane}')}"
        )

    def at(self, words: str, number: int) -> str:
        return self.lines.typed(f"getelementptr i64, ptr {words}, i64 {number}")

    def read(self, words: str, home: Place) -> RuntimeValue:
        """A value."""
        if isinstance(home, Parts):
            return Composite(tuple([self.read(words, part) for part in home.parts]))
        lines = self.lines
        bits = lines.value(home.bits, f"load i{home.bits}, ptr {self.at(words, home.at)}, align 8")
        meta = lines.typed(f"load i64, ptr {self.at(words, home.meta)}")
        poison = lines.value(1, f"trunc i64 {meta} to i1")
        if not home.pointer:
            return Value(bits, poison)
        number = lines.value(32, f"trunc i64 {lines.typed(f'lshr i64 {meta}, 1')} to i32")
        return Pointer(bits, self.domain.provenance(number), poison)

    def write(self, words: str, home: Place, value: RuntimeValue) -> None:
        """A value is put there."""
        if isinstance(home, Parts):
            assert isinstance(value, Composite)
            for part, element in zip(home.parts, value.elements, strict=True):
                self.write(words, part, element)
            return
        if value.__class__ is not (Pointer if home.pointer else Value):
            raise NotNative("undef")
        assert isinstance(value, Value)
        lines, wide = self.lines, 64 * (home.meta - home.at)
        bits = int_text(value.bits)
        if wide != home.bits:
            bits = lines.typed(f"zext i{home.bits} {bits} to i{wide}")
        lines.line(f"store i{wide} {bits}, ptr {self.at(words, home.at)}, align 8")
        meta = lines.typed(f"zext i1 {truth_text(value.poison)} to i64")
        if home.pointer:
            number = lines.typed(f"zext i32 {int_text(self.domain.object_number(value))} to i64")
            meta = lines.typed(f"or i64 {lines.typed(f'shl i64 {number}, 1')}, {meta}")
        lines.line(f"store i64 {meta}, ptr {self.at(words, home.meta)}")


def together(
    kernel: Unattended, program: Program, table: ObjectTable, number: int, exchange: Exchanged, shape: Shape,
    size: int, declarations: dict[str, str],
) -> str:  # fmt: skip
    """``i64 @together.N.SIZE(ptr words, i64 stride, ptr env, i64 thread)``: what the model gives to so many
    lanes, all of a launch group that begins with a thread; 0 if it was native."""
    lines = EmittedLines()

    def guard(truth: Term) -> None:
        on = lines.new_label("on")
        lines.line(f"br i1 {truth_text(truth)}, label %{on}, label %giveup")
        lines.label(on)

    def number_of(provenance: Provenance) -> int:
        raise NotNative(f"a pointer to {provenance.name}")

    fields = Fields(lines, "%env")
    domain = EmittingDomain(lines, guard, number_of, fields.base, fields.size)
    head = f"define internal i64 @together.{number}.{size}(ptr %words, i64 %stride, ptr %env, i64 %thread) {{"
    try:
        callee = exchange.callee._replace(context=replace(program.context, domain=domain))
        model = program.table.model(callee)
        if not isinstance(model, Exchanging):
            raise NotNative("another model")
        words = _Words(lines, domain)
        lanes = [words.of(lane) for lane in range(size)]
        group = {
            lane: tuple([o.value if isinstance(o, Given) else words.read(own, o) for o in exchange.operands])
            for lane, own in enumerate(lanes)
        }
        results = model.together(group, shape.place(lines).subgroup)
        for lane, own in enumerate(lanes):
            if exchange.result is not None:
                if lane not in results:
                    raise NotNative("no result")
                words.write(own, exchange.result, results[lane])
    except (NotNative, NotModelled, Undefined, TypeError) as problem:
        return f"{head}\n  ret i64 1 ; {str(problem)!r}\n}}"
    declarations.update(lines.declarations)
    kernel.symbols.update(lines.symbols)
    return "\n".join([head, *lines.lines, "  ret i64 0", "giveup:", "  ret i64 1", "}"])


def exchange_is_void(exchange: Exchanged) -> bool:
    """Whether nothing is exchanged but that all have come."""
    return exchange.result is None and not exchange.operands


def _renamed(prefix: str, text: Any) -> list[str]:
    """Lines whose values have names of their own in this function."""
    return [line.replace("%v", f"%{prefix}.v") for line in text]


def _state(name: str, thread: str) -> list[str]:
    return [
        f"  %{name}.states.at = getelementptr i8, ptr %env, i64 {STATES}",
        f"  %{name}.states = load ptr, ptr %{name}.states.at",
        f"  %{name}.state = getelementptr [{STATE} x i8], ptr %{name}.states, i64 {thread}",
    ]


def _least(name: str, thread: str) -> list[str]:
    """How often all have released, as :meth:`.Encounters.came`."""
    text = _state(name, thread)
    for storage in Storage:
        at = storage_offset(storage)
        n = f"%{name}.{at}"
        text += [
            f"  {n}.at = getelementptr i8, ptr %{name}.state, i64 {RELEASED + at}",
            f"  {n} = load i64, ptr {n}.at",
            f"  {n}.known = load i64, ptr %least.{at}",
            f"  {n}.less = icmp ult i64 {n}, {n}.known",
            f"  {n}.new = select i1 {n}.less, i64 {n}, i64 {n}.known",
            f"  store i64 {n}.new, ptr %least.{at}",
        ]
    return text


def _ahead(name: str, thread: str, all_came: str) -> list[str]:
    """What may be acquired, as :meth:`.Encounters.passed`."""
    text = _state(name, thread)
    for storage in Storage:
        at = storage_offset(storage)
        n = f"%{name}.{at}"
        text += [
            f"  {n}.at = getelementptr i8, ptr %{name}.state, i64 {AHEAD + at}",
            f"  {n} = load i64, ptr {n}.at",
            f"  {n}.least = load i64, ptr %least.{at}",
            f"  {n}.some = select i1 {all_came}, i64 {n}.least, i64 0",
            f"  {n}.more = icmp ugt i64 {n}.some, {n}",
            f"  {n}.new = select i1 {n}.more, i64 {n}.some, i64 {n}",
            f"  store i64 {n}.new, ptr {n}.at",
        ]
    return text


# -- a launch


class GivenUp(Exception):
    """A launch has to be attended: ``why``, in words."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Prepared:
    """A kernel's native code for one shape of launches."""

    kernel: Unattended
    address: int


def shape_of_launch(launch: Launch, subgroups: list[tuple[Any, Subgroup]]) -> Shape:
    """What ids are computed from. Raises NotNative where launch groups are not one like the other."""
    (group, seen), per = subgroups[0], len(subgroups) // launch.workgroups
    shape = Shape(launch.workgroup_threads, group.size, seen.size, seen.threads, seen.wave, seen.grid)
    for number, (made, subgroup) in enumerate(subgroups[:per]):
        wanted = seen._replace(first=number * group.size, number=number, base=number * seen.size)
        if subgroup != wanted or made.first != number * group.size:
            raise NotNative("launch groups that are not alike")
    last, workgroup = subgroups[-1]
    if workgroup.group != launch.workgroups - 1 or last.workgroup != launch.workgroups - 1:
        raise NotNative("launch groups that are not alike")
    return shape


class UnattendedLaunch:
    """One launch."""

    def __init__(
        self, program: Program, launch: Launch, memory: Memory, subgroups: list[tuple[Any, Subgroup]]
    ) -> None:
        self.program = program
        self.launch = launch
        self.tally = Tally()
        self._memory = memory
        self._table = ObjectTable()
        self.encounters = Encounters(self._table.address, launch.threads, launch.workgroup_threads)
        self._shape = shape_of_launch(launch, subgroups)
        self.steps = 0
        self.visits = 0
        self.exchanges = 0
        self.sites: list[int] = []
        self.returned: list[RuntimeValue] | None = None

    def run(self, most: int, until: Clock) -> None:
        """Runs it to its end. Raises GivenUp; then memory is not what it was."""
        launch, memory = self.launch, self._memory
        memory.attach(self._table, self.encounters if launch.threads > 1 else None)
        self._ready()
        begin = perf_counter()
        prepared = self._prepared()
        self.tally.compiling = perf_counter() - begin
        kernel, count = prepared.kernel, launch.workgroup_threads
        if self._table.rows != kernel.first_row:
            raise GivenUp("other objects than those that the code knows")
        kept = self._table.reserve([size for size in kernel.sizes for _ in range(count)])
        if kept and kernel.result is not None and any(s.pointer for s in scalars(kernel.result)):
            raise GivenUp("a pointer that is returned")
        stride = 8 * kernel.words
        words = array("Q", bytes(stride * count))
        places, states = array("q", bytes(8 * count)), array("q", bytes(8 * count))
        per = -(-count // self._shape.size)
        group, run = array("q", bytes(8 * GroupWords.COUNT)), _Run(prepared.address)
        group[GroupWords.THREADS], group[GroupWords.SIZE] = count, self._shape.size
        group[GroupWords.WORDS], group[GroupWords.STRIDE] = words.buffer_info()[0], stride
        group[GroupWords.PLACES], group[GroupWords.STATES] = places.buffer_info()[0], states.buffer_info()[0]
        group[GroupWords.LEFT] = most
        sites, address = array("q", bytes(8 * per)), group.buffer_info()[0]
        group[GroupWords.SITES] = sites.buffer_info()[0]
        alike = all(a is launch.arguments[0] for a in launch.arguments) if launch.arguments else True
        template = self._arguments(kernel, 0)
        result = kernel.result
        if result is not None:
            self.returned = []
        for number in range(launch.workgroups):
            first = number * count
            for lane in range(0 if alike else count):
                words[lane * kernel.words : (lane + 1) * kernel.words] = self._arguments(kernel, first + lane)
            group[GroupWords.LAUNCH] = template.buffer_info()[0]
            group[GroupWords.LAUNCHED] = stride if alike else 0
            if not alike:
                places[:], states[:] = array("q", [1] * count), array("q", bytes(8 * count))
            for lane in range(per):
                sites[lane] = 0
            answer = INTERRUPTED
            while answer == INTERRUPTED:
                group[GroupWords.LOOK] = ROUND
                answer = run(address, self.encounters.address, first)
                self._count(group, most)
                until.check()
                if answer not in (ENDED, INTERRUPTED):
                    raise GivenUp(_why(kernel, answer))
                self._look(group)
            self.sites += sites
            if result is not None and self.returned is not None:
                for lane in range(count):
                    own = words[lane * kernel.words : (lane + 1) * kernel.words]
                    self.returned.append(unpack(result, own, self._table))
            self.tally.unattended += 1

    def _count(self, group: array[int], most: int) -> None:
        """What ran until now."""
        self.steps = self.tally.instructions = most - group[GroupWords.LEFT]
        self.visits, self.exchanges = group[GroupWords.VISITS], group[GroupWords.EXCHANGES]
        self.tally.calls += 1

    def _look(self, group: array[int]) -> None:
        """Whether turns may have been other ones than the reference's, and that matters."""
        several = self._shape.workgroup > self._shape.size and self.launch.workgroups > 1
        if self.encounters.unordered and (group[GroupWords.PAUSES] or several):
            raise GivenUp("in which order threads have their turns may matter")
        if self.encounters.across and self.launch.workgroups > 1:
            raise GivenUp("threads of different workgroups meet")

    def _ready(self) -> None:
        """The contents of all objects are made, and every workgroup's own instances."""
        memory = self._memory
        for allocation in list(memory.allocations.values()):
            if allocation.problem is not None or allocation.assumed or allocation.owner is not None:
                continue
            if allocation.function is not None or allocation.block is not None:
                continue
            if allocation.provenance.size > MAXIMUM and not allocation.stride:
                continue
            if not memory.is_of_workgroups(allocation):
                allocation.contents()
                continue
            for number in range(memory.workgroups):
                memory.of_workgroup(allocation, number).contents()

    def _arguments(self, kernel: Unattended, thread: int) -> array[int]:
        """The words of a thread at its launch."""
        words = array("Q", bytes(8 * kernel.words))
        values = self.launch.arguments[thread] if self.launch.arguments else ()
        for home, value in zip(kernel.parameters, values, strict=False):
            if home is None or not pack(home, value, words, self._table):
                raise GivenUp("an argument that native code does not hold")
        return words

    def _prepared(self) -> Prepared:
        """The kernel's code; that of an earlier run where it fits."""
        name = "unattended", self.launch.function, self._shape
        known = self.program.native.get(name)
        if isinstance(known, Prepared) and not all(
            self._table.provenance(number) == provenance
            for number, provenance in known.kernel.objects.items()
        ):
            known = None
        if known is None:
            try:
                known = self._made()
                self.tally.functions += 1
            except (NotNative, NotModelled, Undefined) as problem:
                known = str(problem)
            self.program.native[name] = known
        if isinstance(known, str):
            raise GivenUp(known)
        assert isinstance(known, Prepared)
        return known

    def _made(self) -> Prepared:
        function = self.program.module.functions[self.launch.function]
        kernel = KernelEmitter(self.program, function, self._table, self._shape, self._memory).emit()
        driven = driver(kernel, self.launch, self._shape)
        declared = {"memcpy": "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"}
        groups = [
            together(
                kernel, self.program, self._table, stop.number, stop.exchange, self._shape, size, declared
            )
            for stop in kernel.stops
            if stop.exchange is not None and not exchange_is_void(stop.exchange)
            for size in lane_counts(self._shape)
        ]
        declared.update(kernel.declarations)
        parts = [*declared.values(), kernel.text, driven, *groups, METADATA]
        return Prepared(kernel, machine_code("\n".join(parts), "workgroup", kernel.symbols))

    # -- what is said of it -----------------------------------------------------------------------------

    def event(self) -> PassedThrough:
        """What the log has of it."""
        values = None if self.returned is None else tuple(self.returned)
        entered = self.visits + self.launch.threads  # the first block of each
        return PassedThrough(self.launch.threads, entered, self.exchanges, values)

    def rules(self) -> Iterator[Rule]:
        """The rules that had a say by what was recorded (:mod:`..machine.say`)."""
        kernel = self._prepared().kernel
        once = twice = 0
        for own in self.sites:
            twice |= once & own
            once |= own
        for number, (_, rule) in enumerate(kernel.sites):
            if once >> number & 1:
                yield rule
                if twice >> number & 1:
                    yield Rule.D_EQ
        if self.exchanges:
            yield Rule.D_THREAD
        if once & CALLED:
            yield Rule.D_CALL


_Run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


def _why(kernel: Unattended, answer: int) -> str:
    """Why native code gave up, in words."""
    if answer == BOUND:
        return "the bound on instructions is near"
    if answer == DIVERGED:
        return "threads do not come to an exchange as one"
    name, opcode, what = kernel.reasons[-answer - 1]
    return f"{opcode} in @{name} ({what})"
