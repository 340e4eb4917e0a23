"""Whole launches of a kernel natively, workgroup after workgroup, and on several cores."""

from __future__ import annotations

import ctypes
import threading
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cache, partial
from itertools import repeat
from operator import is_
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...frozen import dataclass
from ...rules import Rule
from ...workers.scheduler import available_cores
from .. import NotModelled, Undefined
from ..arithmetic.emitting import EmittedLines, EmittingDomain, NotNative, Term, int_text, truth_text
from ..machine import PassedThrough
from ..machine.tally import Tally
from ..memory.allocations import MAXIMUM, Allocation, Memory
from ..memory.emitted import METADATA, POINTERS, Fields
from ..memory.packed import ObjectTable, PackedCells
from ..memory.synchronisation import (
    ACROSS,
    ADDS4,
    ADDS8,
    LOOSE,
    MET,
    ORDERING,
    STRETCH,
    UNORDERED,
    Encounters,
)
from ..operations import Exchanging, Model, Subgroup
from ..values import Composite, Pointer, Provenance, RuntimeValue, Value
from .jit import Routine, machine_code
from .registers import Parts, Place, native_scalars, pack, unpack
from .scheduler import (
    BOUND,
    DIVERGED,
    ENDED,
    INTERRUPTED,
    LEAST_WORDS,
    OVER,
    WAITS,
    GroupWords,
    PartTable,
    exchange_is_void,
    lane_counts,
    may_come,
    same_instance,
    scheduler,
)
from .unattended import (
    CALLED,
    KernelEmitter,
    NativeExchange,
    OwnVariable,
    SharedOperand,
    ThreadWords,
    Unattended,
    WorkgroupExtent,
    can_begin,
)

if TYPE_CHECKING:
    from .. import Clock, Tell
    from ..machine.launch import Launch
    from ..machine.program import Program
    from ..memory.packed import ObjectPlaces

# ----------------------------------------------------------------------------------------------------------
# Workgroups of one launch on several cores: each core has contents of its own of what workgroups share, and
# notes by itself who touched which byte. What comes of it is what comes of one workgroup after the other if
# no byte that a core wrote was touched on another one, but where all of them added to the same four or
# eight bytes and nobody uses what the additions give. That is looked at, byte by byte (:class:`Union`),
# before the contents become one: each byte is then as the core has it that wrote it, and sums are the sums
# of what was added.
#
# If two workgroups met otherwise, they would have met one after the other, too: in that order all is the
# same up to the first access that meets another one of another workgroup. So nothing is decided by chance.
# ----------------------------------------------------------------------------------------------------------

PIECES = 8
"""Parts of what is left that a core takes at once, for each core: those at the end are small."""
OFTEN = 0.02
"""Seconds between two looks at how far it is."""

Going = Callable[[], None]
"""Asked between two calls of native code: raises what ends the work."""


class _Stopped(Exception):
    """Another core ended it all."""


class Spread:
    """Work on several cores: each of ``workers`` does it, in a thread of its own, for the next of some
    ``numbers`` until none is left. Native code runs without Python's lock."""

    def __init__(self, workers: Sequence[Callable[[int, Going], None]], numbers: Sequence[int]) -> None:
        self._left = deque(numbers)
        self._lock = threading.Lock()
        self._problem: BaseException | None = None
        self._stop = False
        self._threads = [
            threading.Thread(target=self._work, args=(worker, piece), daemon=True)
            for worker, piece in [(worker, self._piece(len(workers))) for worker in workers]
        ]

    def run(self, watch: Callable[[], None]) -> None:
        """All of it; ``watch`` is asked now and then, in this thread. What one of them raises, or ``watch``,
        ends all, and is raised when all have ended."""
        for thread in self._threads:
            thread.start()
        try:
            for thread in self._threads:
                while thread.is_alive():
                    thread.join(OFTEN)
                    watch()
        finally:
            self._stop = True
            for thread in self._threads:
                thread.join()
        if self._problem is not None:
            raise self._problem

    def _going(self) -> None:
        if self._stop:
            raise _Stopped

    def _piece(self, workers: int) -> list[int]:
        with self._lock:
            count = max(1, len(self._left) // (PIECES * workers))
            return [self._left.popleft() for _ in range(min(count, len(self._left)))]

    def _work(self, worker: Callable[[int, Going], None], numbers: list[int]) -> None:
        try:
            while numbers:
                for number in numbers:
                    self._going()
                    worker(number, self._going)
                numbers = self._piece(len(self._threads))
        except _Stopped:
            pass
        except BaseException as problem:  # raised again where the work was asked for
            with self._lock:
                self._problem = self._problem or problem
            self._stop = True


class Union:
    """Objects, and what each of several cores made of them: ``parts`` has the copies of each core."""

    def __init__(self, whole: Sequence[ObjectPlaces], parts: Sequence[Sequence[ObjectPlaces]]) -> None:
        self._unite = _Unite(machine_code(_text(), "unite", {}))
        self._count = len(parts)
        self._objects = [
            (
                array("Q", places[:4]),
                array("Q", [address for part in parts for address in part[number][:4]]),
                places.size,
                places.base,
            )
            for number, places in enumerate(whole)
        ]

    def meetings(self) -> int:
        """What was found out until now about accesses of different cores. May be asked while they run: what
        is seen then was there."""
        return self._all(0)

    def join(self) -> int:
        """The objects hold what came of it: what was found out; if they met, contents do not count."""
        return self._all(1)

    def _all(self, joins: int) -> int:
        met = 0
        for whole, parts, size, base in self._objects:
            met |= self._unite(whole.buffer_info()[0], parts.buffer_info()[0], self._count, size, base, joins)
            if met & ACROSS:
                break
        return met


_Unite = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64,
    ctypes.c_int64,
)  # fmt: skip
_WORDS, _DATA, _SHADOW, _NUMBERS = range(4)
_PLACES = 4
"""Words of an object's places."""


@cache
def _text() -> str:
    """``i64 @unite(ptr whole, ptr parts, i64 count, i64 size, i64 base, i64 joins)``: what was found out
    about an object of so many bytes, whose address is ``base``; if it ``joins``, ``whole`` gets the
    contents."""
    return _Unification().text()


class _Unification:
    """The function, byte by byte, and for each core: what it did to a byte that no other one touched is
    taken; where several only added, the first of the four or eight bytes takes the sums of all of them, and
    the others are done then."""

    def __init__(self) -> None:
        r = self.r = Routine(
            "define i64 @unite(ptr %whole, ptr %parts, i64 %count, i64 %size, i64 %base, i64 %joins)"
        )
        self.met, self.writer, self.readers = r.variable("met"), r.variable("writer"), r.variable("readers")
        self.before, self.kept, self.done = r.variable("before"), r.variable("kept"), r.variable("done")
        self.to = [r.pointer(r.at("%whole", field)) for field in range(_PLACES)]

    def text(self) -> str:
        r = self.r
        r.set(self.met, 0)
        r.set(self.done, 0)
        with r.each(0, "%size") as at:
            r.set(self.writer, r.read(self.to[_WORDS], at))
            r.set(self.readers, r.read(self.to[_WORDS], r.do("add", at, "%size")))
            r.set(self.kept, 0)
            with r.each(0, "%count") as number:
                part = r.at("%parts", r.do("mul", number, _PLACES))
                words = r.pointer(r.at(part, _WORDS))
                wrote, read = r.read(words, at), r.read(words, r.do("add", at, "%size"))
                with r.when(r.compare("ne", r.do("or", wrote, read), 0)):
                    self._touched(part, wrote, read, at)
                    r.set(self.writer, r.do("or", r.get(self.writer), wrote))
                    r.set(self.readers, r.do("or", r.get(self.readers), read))
        r.give(r.get(self.met))
        return r.text()

    def _touched(self, part: str, wrote: str, read: str, at: str) -> None:
        """A core touched a byte, which others may have touched before."""
        r, writer, readers = self.r, self.r.get(self.writer), self.r.get(self.readers)
        writes = r.compare("ne", wrote, 0)
        others = r.compare("ne", r.do("or", writer, readers), 0)
        follows = r.both(r.compare("ne", read, 0), r.compare("ne", writer, 0))
        meets = r.typed(f"or i1 {r.both(writes, others)}, {follows}")
        joins = r.compare("ne", "%joins", 0)

        def met() -> None:
            adds = str(_signed(ADDS4 | ADDS8))
            for word in (wrote, read, writer, readers):
                none = r.compare("eq", word, 0)
                adds = r.do("and", adds, r.choose(none, -1, word))
            only = r.compare("ne", adds, 0)
            r.either(only, lambda: added(adds), lambda: self._add_conflict(ACROSS | UNORDERED | MET))

        def added(adds: str) -> None:
            all_ = r.do("or", r.do("or", writer, wrote), r.do("or", readers, read))
            released = r.compare("ugt", r.do("and", all_, STRETCH), 1)
            orders = r.compare("ne", r.do("and", all_, ORDERING), 0)
            self._add_conflict(MET)
            with r.when(r.typed(f"or i1 {released}, {orders}")):
                self._add_conflict(LOOSE)
            with r.when(joins):
                self._sum(part, adds, at)

        def alone() -> None:
            with r.when(r.both(joins, writes)):
                self._take(part, wrote, at)

        r.either(meets, met, alone)

    def _add_conflict(self, what: int) -> None:
        r = self.r
        r.set(self.met, r.do("or", r.get(self.met), what))

    def _place(self, places: str, field: int, at: str) -> str:
        """Where a core's byte is."""
        return self.r.typed(f"getelementptr i8, ptr {self.r.pointer(self.r.at(places, field))}, i64 {at}")

    def _take(self, part: str, wrote: str, at: str) -> None:
        """The byte is what a core wrote."""
        r = self.r
        for size, kind in _UNITS:
            with r.when(self._begins(wrote, at, size, kind)):  # which it wrote at once
                self._keep(at, size)
                self._copied(part, _DATA, f"i{8 * size}", at)
        with r.when(r.compare("uge", at, r.get(self.done))):
            self._copied(part, _DATA, "i8", at)
        mark = self._copied(part, _SHADOW, "i8", at)
        pointer = r.compare("ne", r.do("and", r.typed(f"zext i8 {mark} to i64"), POINTERS), 0)
        with r.when(r.both(pointer, r.compare("eq", r.do("and", at, 3), 0))):
            self._copied(part, _NUMBERS, "i32", at)

    def _copied(self, part: str, field: int, type_: str, at: str) -> str:
        value = self.r.typed(f"load {type_}, ptr {self._place(part, field, at)}, align 1")
        self.r.line(f"store {type_} {value}, ptr {self._place('%whole', field, at)}, align 1")
        return value

    def _begins(self, word: str, at: str, size: int, kind: int) -> str:
        """Whether so many bytes that were added to begin here."""
        r = self.r
        added = r.compare("ne", r.do("and", word, _signed(kind)), 0)
        return r.both(added, r.compare("eq", r.do("and", r.do("add", "%base", at), size - 1), 0))

    def _number(self, places: str, at: str, size: int) -> str:
        """So many bytes of a core, as a number."""
        bits = 8 * size
        value = self.r.typed(f"load i{bits}, ptr {self._place(places, _DATA, at)}, align 1")
        return value if bits == 64 else self.r.typed(f"zext i{bits} {value} to i64")

    def _keep(self, at: str, size: int) -> None:
        """What was there before all cores is not forgotten, when the first of them is looked at."""
        r = self.r
        with r.when(r.compare("eq", r.get(self.kept), 0)):
            r.set(self.before, self._number("%whole", at, size))
            r.set(self.kept, 1)

    def _sum(self, part: str, adds: str, at: str) -> None:
        """What another core added is added, once for all its bytes."""
        r = self.r
        for size, kind in _UNITS:
            with r.when(self._begins(adds, at, size, kind)):
                self._keep(at, size)
                more = r.do("sub", self._number(part, at, size), r.get(self.before))
                sum_ = r.do("add", self._number("%whole", at, size), more)
                bits = 8 * size
                value = sum_ if bits == 64 else r.typed(f"trunc i64 {sum_} to i{bits}")
                r.line(f"store i{bits} {value}, ptr {self._place('%whole', _DATA, at)}, align 1")
                r.set(self.done, r.do("add", at, size))
        with r.when(r.compare("uge", at, r.get(self.done))):  # not all of them were added to
            self._add_conflict(ACROSS | UNORDERED | MET)


_UNITS = (4, ADDS4), (8, ADDS8)


def _signed(flags: int) -> int:
    """A word as LLVM IR writes it."""
    return flags - (1 << 64) if flags >> 63 else flags


# ----------------------------------------------------------------------------------------------------------
# Whole launches of a kernel without anybody who attends to them (:mod:`.unattended`): workgroup after
# workgroup, each from its launch to its end, or all of them at once.
#
# In the reference all threads of a launch take turns. What comes of a launch is the same whoever has his
# turn first, as long as no two threads meet in memory but those that something orders; that is what
# :class:`~..memory.synchronisation.Encounters` finds out. Where threads of different workgroups met, or
# threads that nothing orders, the launch begins anew with all workgroups at once: then threads have their
# turns in the reference's order (:mod:`.scheduler`). Where that would be another one, as a thread ran for
# longer than one of the reference's turns, the launch is given up; so it is where native code gives up,
# where a bound is hit, and where threads wait for what does not come. Then it begins anew, attended.
#
# Nothing of single instances is recorded: who asks for that makes the run again, attended.
# ----------------------------------------------------------------------------------------------------------


ROUND = 50_000_000
"""Instructions after which somebody looks whether to go on."""
ASKS = 64
"""How often a mask of lanes is asked about until it gets code of its own."""
WARM, GAIN, LOOKS = 0.1, 0.15, 0.25
"""Seconds that a launch has run before several cores are thought of, that are left then at least, and between
two looks at whether workgroups that run long have met."""
MOST_WORDS = 1 << 27
"""Words of all threads together, at most, where they all are launched at once."""


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


class LaneGroupWords(_Words):
    """The same where all lanes' first words lie first, then all lanes' second, ...: so many lie between two
    words of a lane. A scalar has 64 bits at most."""

    def __init__(self, lines: EmittedLines, domain: EmittingDomain, between: int) -> None:
        super().__init__(lines, domain)
        self._between = between

    def at(self, words: str, number: int) -> str:
        return super().at(words, number * self._between)


def together(
    symbols: dict[str, int], program: Program, exchange: NativeExchange,
    shape: WorkgroupExtent, among: Sequence[int], declarations: dict[str, str], symbol: str,
    words_of: Callable[[EmittedLines, EmittingDomain], _Words] = _Words,
) -> tuple[str, str]:  # fmt: skip
    """``i64 @SYMBOL(ptr words, i64 stride, ptr env, i64 thread)``: what the model gives to these lanes of a
    launch group that begins with a thread; 0 if it was native. And why it never is, if so. ``symbols`` and
    ``declarations`` get what it calls."""
    lines = EmittedLines()

    def guard(truth: Term) -> None:
        on = lines.new_label("on")
        lines.line(f"br i1 {truth_text(truth)}, label %{on}, label %giveup")
        lines.label(on)

    def number_of(provenance: Provenance) -> int:
        raise NotNative(f"a pointer to {provenance.name}")

    fields = Fields(lines, "%env")
    domain = EmittingDomain(lines, guard, number_of, *fields.bounds)
    head = f"define i64 @{symbol}(ptr %words, i64 %stride, ptr %env, i64 %thread) {{"
    try:
        callee = exchange.callee._replace(context=replace(program.context, domain=domain))
        model = program.table.model(callee)
        if not isinstance(model, Exchanging):
            raise NotNative("another model")
        words = words_of(lines, domain)
        lanes = {lane: words.of(lane) for lane in among}
        group = {
            lane: tuple(
                [o.value if isinstance(o, SharedOperand) else words.read(own, o) for o in exchange.operands]
            )
            for lane, own in lanes.items()
        }
        results = model.together(group, shape.place(lines).subgroup)
        for lane, own in lanes.items():
            if exchange.result is not None:
                if lane not in results:
                    raise NotNative("no result")
                words.write(own, exchange.result, results[lane])
    except (NotNative, NotModelled, Undefined, TypeError) as problem:
        return f"{head}\n  ret i64 1\n}}", str(problem)
    declarations.update(lines.declarations)
    symbols.update(lines.symbols)
    return "\n".join([head, *lines.lines, "  ret i64 0", "giveup:", "  ret i64 1", "}"]), ""


# -- a launch


class GivenUp(Exception):
    """A launch has to be attended: ``why``, in words; ``apart``: as its workgroups ran one after the other,
    and it may run natively if all are launched at once; ``spoiled``: as there is poison or undef in memory,
    and it may run natively by code that holds poison there."""

    def __init__(self, why: str, apart: bool = False, spoiled: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.apart = apart
        self.spoiled = spoiled


@dataclass(frozen=True, slots=True)
class NativeKernel:
    """A kernel's native code for one shape of launches."""

    kernel: Unattended
    address: int
    parts: PartTable
    asks: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How often the reference was asked about a part of a group, by the stop and the mask of lanes."""


def shape_of_launch(launch: Launch, subgroups: list[tuple[Any, Subgroup]]) -> WorkgroupExtent:
    """What ids are computed from. Raises NotNative where launch groups are not one like the other."""
    (group, lanes), per = subgroups[0], len(subgroups) // launch.workgroups
    shape = WorkgroupExtent(
        launch.workgroup_threads, group.size, lanes.size, lanes.threads, lanes.wave, lanes.grid
    )
    for number, (group_made, subgroup) in enumerate(subgroups[:per]):
        wanted = lanes._replace(first=number * group.size, number=number, base=number * lanes.size)
        if subgroup != wanted or group_made.first != number * group.size:
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
        self._subgroups = subgroups
        self._at_once = program.at_once and launch.workgroups > 1
        self.rows = launch.threads if self._at_once else launch.workgroup_threads
        """Threads that are launched at once."""
        self.tally = Tally()
        self._memory = memory
        self._table = ObjectTable()
        self.encounters = Encounters(self._table.address, launch.threads, launch.workgroup_threads)
        try:
            self.shape = shape_of_launch(launch, subgroups)
        except NotNative as problem:
            raise GivenUp(str(problem)) from problem
        self.steps = 0
        self.visits = 0
        self.exchanges = 0
        self.sites: list[int] = []
        self.returned: list[RuntimeValue] | None = None
        self._models: dict[int, Model | None] = {}

    def run(self, most: int, until: Clock, tell: Tell | None = None) -> None:
        """Runs it to its end; ``tell`` is told how far it is. Raises GivenUp; then memory is not what it
        was."""
        launch, memory = self.launch, self._memory
        memory.attach(self._table, self.encounters if launch.threads > 1 else None)
        shared = self._ready()
        begin = perf_counter()
        prepared = self.prepared()
        self.tally.compiling = perf_counter() - begin
        kernel, count = prepared.kernel, self.rows
        if self._table.rows != kernel.first_row:
            raise GivenUp("other objects than those that the code knows")
        if self._at_once and count * (kernel.words + sum(kernel.sizes) // 8) > MOST_WORDS:
            raise GivenUp("so many threads at once")
        if not all(can_begin(memory.allocations[variable.identity], memory) for variable in kernel.own):
            raise GivenUp("what threads' own variables hold at the launch")
        if (
            kernel.sizes
            and kernel.result is not None
            and any(s.pointer for s in native_scalars(kernel.result))
        ):
            raise GivenUp("a pointer that is returned")
        jobs = self.program.settings.jobs
        cores = available_cores() if jobs is None else jobs
        firsts, begin = range(0, launch.threads, count), perf_counter()
        own = Track(self, prepared, self._table, self.encounters, most)
        tracks = [own]
        try:
            for number, first in enumerate(firsts):
                left = firsts[number:]
                if min(cores, len(left)) > 1 and (jobs or _worth(perf_counter() - begin, number, len(left))):
                    self._on_cores(tracks, shared, left, min(cores, len(left)), until, tell)
                    break
                own.run(first, partial(self._going, until, tell, tracks))
        finally:
            self._gather(tracks)
        if self.steps >= most:
            raise GivenUp(_why(kernel, BOUND))
        for track in tracks[1:]:
            self.encounters.add(track.encounters.findings)
        self.look(self.encounters, *(track.group for track in tracks))

    def _going(self, until: Clock, tell: Tell | None, tracks: Sequence[Track]) -> None:
        """Between two calls of native code: whether to go on."""
        until.check()
        if tell is not None:
            tell(lambda: sum(track.over for track in tracks), self.launch.threads, "threads")

    def _on_cores(
        self, tracks: list[Track], shared: Sequence[Allocation], firsts: Sequence[int], cores: int,
        until: Clock, tell: Tell | None,
    ) -> None:  # fmt: skip
        """The workgroups from some threads on, on so many cores (above), whose tracks are added."""
        own = tracks[0]
        objects = [(a, p) for a in shared if (p := self._table.places(a)) is not None]
        parts = []
        for _ in range(cores):
            table, places = self._table.beside([a for a, _ in objects], own.prepared.kernel.first_row)
            track = Track(self, own.prepared, table, self.encounters.beside(table.address), own.left)
            tracks.append(track)
            parts.append(places)
        union = Union([places for _, places in objects], parts)
        looks, self.tally.cores = perf_counter(), cores

        def watch() -> None:
            nonlocal looks
            self._going(until, tell, tracks)
            if perf_counter() > looks and any(track.long for track in tracks):
                begin = perf_counter()
                apart(union.meetings())  # who waits for another workgroup waits for ever
                looks = perf_counter() + max(LOOKS, 10 * (perf_counter() - begin))

        def apart(met: int) -> None:
            if met & ACROSS:
                raise GivenUp("threads of different workgroups meet", True)

        try:
            Spread([track.run for track in tracks[1:]], firsts).run(watch)
        except GivenUp:
            apart(union.meetings())
            raise
        met = union.join()
        apart(met)
        self.encounters.add(met)

    def _gather(self, tracks: Sequence[Track]) -> None:
        """What is said of it, from where its workgroups ran."""
        self.steps = self.tally.instructions = sum(track.steps for track in tracks)
        self.visits = sum(track.group[GroupWords.VISITS] for track in tracks)
        self.exchanges = sum(track.group[GroupWords.EXCHANGES] for track in tracks)
        self.tally.calls = sum(track.calls for track in tracks)
        sites = {first: words for track in tracks for first, words in track.sites.items()}
        self.sites = [word for first in sorted(sites) for word in sites[first]]
        self.tally.unattended = len(sites) * self.rows // self.launch.workgroup_threads
        if tracks[0].prepared.kernel.result is not None:
            returned = {first: values for track in tracks for first, values in track.returned.items()}
            self.returned = [value for first in sorted(returned) for value in returned[first]]

    def look(self, encounters: Encounters, *groups: array[int]) -> None:
        """Whether turns may have been other ones than the reference's, and that matters: threads have theirs
        in its order where all are launched at once and nobody runs for longer than its turns are."""
        apart = self.launch.workgroups > 1 and not self._at_once
        parts, cut = (any(group[word] for group in groups) for word in (GroupWords.PARTS, GroupWords.CUT))
        several = self.shape.workgroup > self.shape.size or parts
        if encounters.unordered and cut:
            raise GivenUp("in which order threads have their turns may matter")
        if encounters.unordered and several and apart:
            raise GivenUp("in which order threads have their turns may matter", True)
        if encounters.across and apart:
            raise GivenUp("threads of different workgroups meet", True)

    def _ready(self) -> list[Allocation]:
        """The contents of all objects are made, and every workgroup's own instances: the objects that
        workgroups share."""
        memory, shared = self._memory, []
        for allocation in list(memory.allocations.values()):
            if allocation.problem is not None or allocation.assumed or allocation.owner is not None:
                continue
            if allocation.function is not None or allocation.block is not None:
                continue
            if allocation.provenance.size > MAXIMUM and not allocation.stride:
                continue
            if not memory.is_of_workgroups(allocation):
                allocation.contents()
                shared.append(allocation)
                continue
            for number in range(memory.workgroups):
                memory.of_workgroup(allocation, number).contents()
        return shared

    def variable(self, own: OwnVariable) -> Allocation:
        """The object that stands for all instances of a variable that threads have for themselves."""
        return self._memory.allocations[own.identity]

    def keep(self, own: OwnVariable, first: int, rooms: Sequence[bytearray]) -> None:
        """What the instances of the threads from ``first`` on hold now, of those to which one wrote."""
        variable = self.variable(own)
        begin = variable.cells
        assert isinstance(begin, PackedCells)
        for thread, raw in enumerate(rooms, first):
            if (cells := begin.changed(raw)) is not None:
                self._memory.instance(variable, thread).cells = [*cells]

    def arguments(self, kernel: Unattended, thread: int) -> array[int]:
        """The words of a thread at its launch."""
        words = array("Q", bytes(8 * kernel.words))
        values = self.launch.arguments[thread] if self.launch.arguments else ()
        for home, value in zip(kernel.parameters, values, strict=False):
            if home is None or not pack(home, value, words, self._table):
                raise GivenUp("an argument that native code does not hold")
        return words

    def prepared(self) -> NativeKernel:
        """The kernel's code; that of an earlier run where it fits."""
        name = "unattended", self.launch.function, self.shape, self._at_once, self.program.holds_poison
        known = self.program.native.get(name)
        if isinstance(known, NativeKernel) and not all(
            self._table.provenance(number) == provenance
            for number, provenance in known.kernel.objects.items()
        ):
            known = None
        if known is None:
            try:
                known = self._kernel()
                self.tally.functions += 1
            except (NotNative, NotModelled, Undefined) as problem:
                known = str(problem)
            self.program.native[name] = known
        if isinstance(known, str):
            raise GivenUp(known)
        assert isinstance(known, NativeKernel)
        return known

    def _kernel(self) -> NativeKernel:
        function = self.program.module.functions[self.launch.function]
        emitter = KernelEmitter(self.program, function, self._table, self.shape, self._memory, self.rows)
        kernel = emitter.emit()
        arrivals = [*same_instance(kernel.stops), *may_come(kernel.stops, emitter.chains())]
        driven = scheduler(kernel, self.shape)
        declared = {"llvm.memcpy.p0.p0.i64": "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"}
        groups = [
            together(
                kernel.symbols,
                self.program,
                stop.exchange,
                self.shape,
                range(size),
                declared,
                f"together.{stop.number}.{size}",
            )[0]
            for stop in kernel.stops
            if stop.exchange is not None and not exchange_is_void(stop.exchange)
            for size in lane_counts(self.shape)
        ]
        declared.update(kernel.declarations)
        parts = [*declared.values(), kernel.text, *arrivals, driven, *groups, METADATA]
        code = machine_code("\n".join(parts), "workgroup", kernel.symbols)
        return NativeKernel(kernel, code, PartTable(len(kernel.stops)))

    def answer_part(
        self, prepared: NativeKernel, number: int, lanes: Mapping[int, memoryview], first: int
    ) -> None:
        """As :meth:`answer_exchange`; a mask of lanes that is asked about often gets code of its own."""
        self.answer_exchange(prepared.kernel, number, lanes, first)
        if self.shape.size > PartTable.LANES:
            return
        mask, kernel = sum(1 << lane for lane in lanes), prepared.kernel
        prepared.asks[number, mask] += 1
        exchange = kernel.stops[number - 1].exchange
        if prepared.asks[number, mask] != ASKS or exchange is None:
            return
        declared: dict[str, str] = {}
        part = kernel.symbols, self.program, exchange, self.shape, [*lanes]
        text, problem = together(*part, declared, "together")
        if not problem:
            whole = "\n".join([*declared.values(), text, METADATA])
            prepared.parts.add(number, mask, machine_code(whole, "together", kernel.symbols))

    def answer_exchange(
        self, kernel: Unattended, number: int, lanes: Mapping[int, memoryview], first: int
    ) -> None:
        """What the model of an exchange gives to threads of a launch group, by their words: by the function
        that the reference asks. Raises NotNative where it gives what native code does not hold."""
        exchange = kernel.stops[number - 1].exchange
        assert exchange is not None
        model = self._models.get(number)
        if model is None:
            model = self._models[number] = self.program.table.model(exchange.callee)
        assert isinstance(model, Exchanging)
        group = {
            lane: tuple(
                [
                    o.value if isinstance(o, SharedOperand) else unpack(o, own, self._table)
                    for o in exchange.operands
                ]
            )
            for lane, own in lanes.items()
        }
        per = len(self._subgroups) // self.launch.workgroups
        of, local = divmod(first, self.launch.workgroup_threads)
        results = model.together(group, self._subgroups[of * per + local // self.shape.size][1])
        if exchange.result is None:
            return
        for lane, own in lanes.items():
            if lane not in results or not pack(exchange.result, results[lane], own, self._table):
                raise NotNative(f"what @{exchange.name} gives")

    # -- what is said of it -----------------------------------------------------------------------------

    def event(self) -> PassedThrough:
        """What the log has of it."""
        values = None if self.returned is None else tuple(self.returned)
        entered = self.visits + self.launch.threads  # the first block of each
        kernel, came = self.prepared().kernel, 0
        for own in self.sites:
            came |= own
        events = any(came >> n & 1 for n, (_, rule) in enumerate(kernel.sites) if rule is Rule.D_CALL)
        return PassedThrough(self.launch.threads, entered, events, kernel.volatile, values)

    def rules(self) -> Iterator[Rule]:
        """The rules that had a say by what was recorded (:mod:`..machine.run`)."""
        kernel = self.prepared().kernel
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


class Track:
    """Where workgroups run one after the other, or all at once: on one core. ``encounters`` is what its
    threads find out, by the objects of ``table``; ``most`` bounds its instructions. ``sites`` and
    ``returned`` are, by the first thread of those that ran at once, which sites each launch group came to,
    and what was returned; ``done`` counts threads that are over, ``calls`` those of native code; ``long``:
    some did not come to an end at once."""

    def __init__(
        self, launch: UnattendedLaunch, prepared: NativeKernel, table: ObjectTable, encounters: Encounters,
        most: int,
    ) -> None:  # fmt: skip
        kernel = self._kernel = prepared.kernel
        self.prepared = prepared
        self.encounters = encounters
        self._launch, self._table, self._most = launch, table, most
        self._count = launch.rows
        self._room = table.reserve([size for size in kernel.sizes for _ in range(self._count)])
        for variable in kernel.own:
            allocation = launch.variable(variable)
            table.instantiate(allocation, kernel.first_row + variable.index * self._count, self._count)
        stride = 8 * kernel.words
        self._words, self._state = array("Q", bytes(stride * self._count)), _State(launch.shape, self._count)
        self.group = group = self._state.group
        self._question = _Asked(launch, prepared, self._words, self._state)
        self._run = _Run(prepared.address)
        group[GroupWords.MASKS] = prepared.parts.address
        group[GroupWords.WORDS] = self._words.buffer_info()[0]
        group[GroupWords.ASKED], group[GroupWords.LEFT] = self._question.address, most
        arguments = launch.launch.arguments
        self._template = launch.arguments(kernel, 0)
        self._alike = all(map(is_, arguments, repeat(arguments[0]))) if arguments else True
        group[GroupWords.LAUNCH] = self._template.buffer_info()[0]
        group[GroupWords.LAUNCHED] = stride if self._alike else 0
        self.sites: dict[int, array[int]] = {}
        self.returned: dict[int, list[RuntimeValue]] = {}
        self.calls = self.done = 0
        self.long = self._busy = False

    @property
    def left(self) -> int:
        """Instructions that it may still execute."""
        return self.group[GroupWords.LEFT]

    @property
    def steps(self) -> int:
        """Instructions that it executed."""
        return self._most - self.left

    @property
    def over(self) -> int:
        """How many threads are over."""
        return self.done + (self._state.over() if self._busy else 0)

    def run(self, first: int, going: Callable[[], None]) -> None:
        """The threads from ``first`` on, from their launch to their end. ``going`` is asked between two calls
        of native code. Raises GivenUp."""
        kernel, group, count = self._kernel, self.group, self._count
        for lane in range(0 if self._alike else count):
            own = self._launch.arguments(kernel, first + lane)
            self._words[lane * kernel.words : (lane + 1) * kernel.words] = own
        group[GroupWords.FRESH] = 1
        answer = INTERRUPTED
        while answer == INTERRUPTED:
            group[GroupWords.LOOK] = ROUND
            answer = self._run(self._state.address, self.encounters.address, first)
            self.calls += 1
            self._busy = answer == INTERRUPTED
            self.long = self.long or self._busy
            self.done += 0 if self._busy else count
            going()
            if answer not in (ENDED, INTERRUPTED):
                why = self._question.problem or _why(kernel, answer)
                raise GivenUp(why, spoiled=-answer in kernel.spoiled)
            self._launch.look(self.encounters, group)
        self.sites[first] = self._state.sites[:]
        if kernel.result is not None:
            parts = (self._words[lane * kernel.words : (lane + 1) * kernel.words] for lane in range(count))
            self.returned[first] = [unpack(kernel.result, own, self._table) for own in parts]
        for variable in kernel.own:
            if variable.kept:
                rooms = self._room[variable.index * count : (variable.index + 1) * count]
                self._launch.keep(variable, first, rooms)


def _worth(seconds: float, number: int, left: int) -> bool:
    """Whether several cores are worth it for the ``left`` workgroups, if ``number`` took so many seconds."""
    return number > 0 and seconds > WARM and left * seconds > GAIN * number


class _State:
    """The words of ``group`` for so many threads, and what they point to."""

    def __init__(self, shape: WorkgroupExtent, threads: int) -> None:
        groups = threads // shape.workgroup * -(-shape.workgroup // shape.size)
        self.group = array("q", bytes(8 * (GroupWords.COUNT + ThreadWords.WORDS)))
        self.address = self.group.buffer_info()[0]
        self.group[GroupWords.THREADS] = threads
        self._arrays = {n: array("q", bytes(8 * (threads + 1))) for n in GroupWords.OF_THREADS}
        self._arrays |= {n: array("q", bytes(8 * groups)) for n in GroupWords.OF_GROUPS}
        self._arrays[GroupWords.LEAST] = array("q", bytes(8 * LEAST_WORDS * threads))
        for number, words in self._arrays.items():
            self.group[number] = words.buffer_info()[0]
        self.sites = self._arrays[GroupWords.SITES]
        self.states, self.leads = self._arrays[GroupWords.STATES], self._arrays[GroupWords.LEADS]

    def over(self) -> int:
        """How many threads are over."""
        return self.states.count(OVER)


class _Asked:
    """Native code asks for what the threads of a group get; ``problem`` is why it was not told."""

    def __init__(
        self, launch: UnattendedLaunch, prepared: NativeKernel, words: array[int], state: _State
    ) -> None:
        self.problem = ""
        self._launch, self._prepared, self._state = launch, prepared, state
        self._words = memoryview(words)
        self._size, self._workgroup = launch.shape.size, launch.shape.workgroup
        self._called = _Ask(self._answer)
        self.address = ctypes.cast(self._called, ctypes.c_void_p).value or 0

    def _answer(self, number: int, first: int, lead: int) -> int:
        """0, if it was told."""
        state, per = self._state, self._prepared.kernel.words
        of, lane = divmod(lead, self._workgroup)
        begin = of * self._workgroup + lane // self._size * self._size
        end = min(begin + self._size, (of + 1) * self._workgroup)
        try:
            lanes = {
                thread - begin: self._words[thread * per : (thread + 1) * per]
                for thread in range(begin, end)
                if state.states[thread] == WAITS and state.leads[thread] == lead
            }
            self._launch.answer_part(self._prepared, number, lanes, first + begin)
        except (NotNative, NotModelled, Undefined) as problem:
            self.problem = str(problem)
            return 1
        return 0


_Run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_Ask = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


def _why(kernel: Unattended, answer: int) -> str:
    """Why native code gave up, in words."""
    if answer == BOUND:
        return "the bound on instructions is near"
    if answer == DIVERGED:
        return "threads do not come to an exchange as one"
    name, opcode, what = kernel.reasons[-answer - 1]
    return f"{opcode} in @{name} ({what})"
