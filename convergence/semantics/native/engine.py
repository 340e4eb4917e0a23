"""Threads run natively where that is exact: a drop-in for :func:`~..threads.step.advance`.

Native code runs from a place to the next one where it cannot go on: an instruction that asks for what only
the reference has, a guard that fails, the end of the budget. There the reference goes on with the same
registers, and gives back at the next place that native code can be entered at. So steps, turns, the order of
accesses and every message are the reference's.

A frame's registers stay in its words (:class:`Resident`) as long as only single instructions are handed back:
the reference is given what these read. Whoever else looks at registers has them settled first.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Hashable
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from ...alignment import StaticInstance
from ...frozen import dataclass
from ...ir import instructions as ir
from .. import NotModelled, Undefined
from ..arithmetic.emitting import NotNative
from ..machine import Passed
from ..machine.tally import Tally
from ..memory.packed import ObjectTable, ProvenanceNumbers
from ..memory.synchronisation import Encounters
from ..threads.recurrence import uses
from ..threads.step import advance, advance_watched, explain
from .emit import ControlWords, Emitted, FunctionEmitter, Handback
from .jit import machine_code
from .registers import pack, unpack

if TYPE_CHECKING:
    from ..convergence import Key, Keys
    from ..machine.launch import Launch
    from ..machine.program import Program
    from ..memory.allocations import Memory
    from ..threads import Code, Frame, Segment, Thread

SLICE = 1 << 14
"""Instructions of one call of native code at most: as many visits of blocks can be noted."""
KEPT = 20_000_000
"""Visits of blocks that a log keeps natively; of what comes later it knows how many there were."""
PRICE = 2_000
"""Instructions that the reference executes in the time in which one is compiled."""
LONGEST = 4_000_000
"""Characters of the text of a function that is compiled at most."""
TRIED, WORTH = 64, 16
"""After as many calls at an entry it is judged; so many instructions a call are worth it."""
LARGEST = 20_000
"""Instructions of a function that is compiled at most."""

GUARD = "a guard failed"
"""Why an instruction is handed back that mostly is not: what only the reference decides."""

_Run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a ``cycle``: where it is, and the cycle around, -1 for none."""

    cycle: int
    site: StaticInstance
    block: str
    around: int


def headers_of(code: Code) -> tuple[Header, ...]:
    """The headers that are counted, those of outer cycles first."""
    inside = {block.cycle: (len(block.heads), block) for block in code.blocks if block.heads}
    headers = []
    for cycle, (_, block) in sorted(inside.items(), key=lambda item: -item[1][0]):
        around = [c for c, (_, other) in inside.items() if c != cycle and cycle in other.heads]
        innermost = min(around, key=lambda c: inside[c][0], default=-1)
        site = StaticInstance(block.function, block.entry.first)
        headers.append(Header(cycle, site, block.name, innermost))
    return tuple(headers)


class Compiled:
    """A function's native code: ``entries`` are the places where it is entered, by segment and step."""

    def __init__(self, code: Code, emitted: Emitted, address: int) -> None:
        self.code = code
        self.run = _Run(address)
        self.places = emitted.places
        self.entries: dict[Segment, dict[int, int]] = {}
        for number in emitted.entries:
            place = self.places[number]
            self.entries.setdefault(place.segment, {})[place.step] = number
        self.homes = emitted.registers.places
        self.counts = emitted.registers.words
        self.headers = headers_of(code)
        self.words = max(1, emitted.registers.words + len(self.headers))
        self.segments = emitted.segments
        self.objects = emitted.objects
        self.atomic = emitted.atomic
        self.blame = [
            (code.name, ir.opcode(code.instructions[place.instruction]), emitted.reasons.get(number, GUARD))
            for number, place in enumerate(self.places)
        ]
        self.names = tuple(block.name for block in code.blocks)
        self.offsets = [p.instruction - p.segment.first if p.step else 0 for p in self.places]
        self.entries_left = len(emitted.entries)
        self._ran: dict[int, tuple[int, int]] = {}
        self._missing: dict[tuple[int, int], tuple[int, ...]] = {}
        self._read: dict[tuple[int, int], tuple[int, ...]] = {}

    def stop(self, segment: Segment, k: int) -> int:
        """The step behind ``k`` at which native code can go on in a segment, 0 if there is none."""
        entries = self.entries.get(segment)
        return min((step for step in entries if step > k), default=0) if entries else 0

    def judge(self, number: int, ran: int) -> None:
        """An entry at which native code mostly runs a few instructions costs more than the reference: after
        some calls there it is none any more."""
        calls, sum_ = self._ran.get(number, (0, 0))
        calls, sum_ = calls + 1, sum_ + ran
        if calls == TRIED:
            place = self.places[number]
            if sum_ < TRIED * WORTH:
                del self.entries[place.segment][place.step]
                self.entries_left -= 1
            calls = sum_ = 0
        self._ran[number] = calls, sum_

    def missing(self, since: int, at: int) -> tuple[int, ...]:
        """What has to be put into the words to go on at a place, if they hold what is live at another one."""
        known = self._missing.get((since, at))
        if known is None:
            first, last, slots = self.places[since].instruction, self.places[at].instruction, self.code.slots
            there = set(self.places[since].live)
            for instruction in self.code.instructions[first : last + 1]:  # which the reference executed
                if instruction.result is not None:
                    there.discard(slots[instruction.result])
            if not first:
                there.difference_update(self.code.parameters)
            known = tuple(slot for slot in self.places[at].live if slot not in there)
            self._missing[since, at] = known
        return known

    def read(self, since: int, index: int) -> tuple[int, ...]:
        """Of what is live at a place, what an instruction further on in the same block reads."""
        known = self._read.get((since, index))
        if known is None:
            code = self.code
            instruction = code.instructions[index]
            wanted = {code.slots[name] for name in uses(instruction) if name in code.slots}
            if instruction.result is not None:
                wanted.add(code.slots[instruction.result])
            if index == 0:
                wanted.update(code.parameters)
            known = tuple(slot for slot in self.places[since].live if slot in wanted)
            self._read[since, index] = known
        return known


class Resident:
    """A frame's registers in native words: those that are live at ``place``; if it is -1, those in the frame
    count."""

    __slots__ = ("address", "compiled", "headed", "keys", "numbers", "place", "words")

    def __init__(
        self,
        compiled: Compiled,
        numbers: ProvenanceNumbers,
        keys: Keys,
        words: array[int] | memoryview[int] | None = None,
    ) -> None:
        self.compiled = compiled
        self.numbers = numbers
        self.keys = keys
        self.headed = True
        self.words = array("Q", bytes(8 * compiled.words)) if words is None else words
        self.address = self.words.buffer_info()[0] if isinstance(self.words, array) else 0
        self.place = -1

    def settle(self, frame: Frame) -> None:
        """The frame's own registers hold all that is live."""
        if self.place >= 0:
            self.give(frame, self.compiled.places[self.place].live)
            frame.recent  # noqa: B018 (which settles the headers)

    def settle_headers(self, frame: Frame, recent: list[Key | None] | None) -> None:
        """The keys of the most recent headers, from the counts of how often each was met since the one
        around: what :func:`~..convergence.rules.enter_header` makes one by one."""
        if self.headed or recent is None:
            return
        self.headed = True
        for header in self.compiled.headers:
            above = recent[header.around] if header.around >= 0 else None
            n = self.words[self.compiled.counts + header.cycle]
            assert frame.root is not None
            recent[header.cycle] = (
                self.keys.header(header.site, header.block, frame.root, above, n) if n else above
            )

    def _count_headers(self, frame: Frame) -> None:
        """The counts, from the keys."""
        recent = frame.recent or ()
        for header in self.compiled.headers:
            key = recent[header.cycle]
            same = key is not None and key.passes.block == header.block
            self.words[self.compiled.counts + header.cycle] = key.passes.n if same and key is not None else 0

    def give(self, frame: Frame, slots: tuple[int, ...]) -> None:
        """These registers, out of the words."""
        registers, homes, words, numbers = frame.registers, self.compiled.homes, self.words, self.numbers
        for slot in slots:
            registers[slot] = unpack(homes[slot], words, numbers)

    def hand(self, frame: Frame, segment: Segment, k: int) -> None:
        """The frame's own registers hold what the reference reads from this step on, until native code goes
        on: what a single instruction reads if it does so behind it, else all that is live."""
        compiled = self.compiled
        if k < len(segment.steps):
            index, back = segment.indices[k], compiled.stop(segment, k) == k + 1
        else:
            index, after = segment.last, segment.after
            back = after is not None and 0 in compiled.entries.get(after, ())
            back = back and isinstance(compiled.code.instructions[index], ir.Call)
        if back:
            self.give(frame, compiled.read(self.place, index))
        else:
            self.leave(frame)

    def leave(self, frame: Frame) -> None:
        """From now on the frame's own registers count."""
        self.settle(frame)
        self.place = -1

    def take(self, frame: Frame, at: int) -> bool:
        """The words hold all that is live at a place where code is entered; False if they cannot."""
        compiled = self.compiled
        if self.place == at:
            return True
        if self.place < 0:
            if compiled.headers and frame.root is None:
                return False
            slots = compiled.places[at].live
            self._count_headers(frame)
        else:
            slots = compiled.missing(self.place, at)
        registers, homes, words, numbers = frame.registers, compiled.homes, self.words, self.numbers
        for slot in slots:
            if not pack(homes[slot], registers[slot], words, numbers):
                self.settle(frame)
                self.place = -1
                return False
        return True


C = TypeVar("C", bound=Compiled)


def compiled_once(
    program: Program,
    key: Hashable,
    code: Code,
    numbers: ProvenanceNumbers,
    tally: Tally,
    emitter: Callable[[], FunctionEmitter],
    build: Callable[[Emitted], C],
) -> C | None:
    """A function's native code, compiled once for all runs of a program in which the objects that it names
    have the same ``numbers``; ``None`` if it has none, and then the ``tally`` says why."""
    known: dict[Any, Any] = program.native
    entry = known.get(key)
    if entry is None or not (
        isinstance(entry, str)
        or all(numbers.provenance(number) == provenance for number, provenance in entry.objects.items())
    ):
        try:
            if len(code.instructions) > LARGEST:
                raise NotNative(f"a function of {len(code.instructions)} instructions")
            emitted = emitter().emit()
            if not emitted.entries:
                raise NotNative("nothing in it is")
            if len(emitted.text) > LONGEST:
                raise NotNative("its code would be too long")
            entry = build(emitted)
            tally.functions += 1
        except (NotNative, NotModelled, Undefined) as problem:
            entry = str(problem)
        known[key] = entry
    if isinstance(entry, str):
        tally.refused[code.name] = entry
        return None
    native: C = entry
    return native


class NativeEngine:
    """Native code for one machine's threads, which have executed about so many ``steps``."""

    def __init__(self, program: Program, memory: Memory, keys: Keys, launch: Launch) -> None:
        self.program = program
        self._keys = keys
        self.tally = Tally()
        self._memory = memory
        self._numbers = ObjectTable()
        self._encounters = Encounters(self._numbers.address, launch.threads, launch.workgroup_threads)
        several = launch.threads > 1 and program.settings.environment == "direct"
        memory.attach(self._numbers, self._encounters if several else None)
        self._compiled: dict[Code, Compiled | None] = {}
        self._control = array("q", [0] * ControlWords.WORDS)
        self._control_at = self._control.buffer_info()[0]
        self._trail = array("H", bytes(2 * SLICE))
        self._control[ControlWords.MASK] = SLICE - 1
        self._control[ControlWords.TRAIL] = self._trail.buffer_info()[0]
        self.steps = 0
        self._paid = 0
        self._visits = 0
        self._moved: tuple[Any, Any] = None, None
        self._watched: dict[int, tuple[Any, array[int] | None]] = {}

    def of(self, code: Code) -> Compiled | None:
        """A function's native code; ``None`` if it has none, or none yet: ``auto`` compiles it when the run
        has taken as long in the reference as compiling will take."""
        if code not in self._compiled:
            price = PRICE * len(code.instructions)
            if self._paid + price > self.steps and self.program.settings.engine == "auto":
                return None
            self._paid += price
            begin = perf_counter()
            compiled = self._compiled[code] = self._native(code)
            if compiled is not None and compiled.atomic:
                self._encounters.atomic = True
            self.tally.compiling += perf_counter() - begin
        return self._compiled[code]

    def _native(self, code: Code) -> Compiled | None:
        return compiled_once(
            self.program, code, code, self._numbers, self.tally,
            lambda: FunctionEmitter(self.program, code, "run", self._numbers),
            lambda e: Compiled(code, e, machine_code(e.text, e.symbol, e.symbols)),
        )  # fmt: skip

    # -- a turn -----------------------------------------------------------------------------------------

    def advance(self, thread: Thread, budget: int, watch: Any = None) -> None:
        """As :func:`~..threads.step.advance`, or with a place to watch as ``advance_watched``."""
        frame = thread.frame
        assert frame is not None
        first = self.of(frame.code)
        if first is not None and not first.entries_left:
            around: Frame | None = frame  # the reference returns to where it was called from
            while around is not None:
                if around.native is not None:
                    around.native.leave(around)
                around = around.caller
            return advance(thread, budget) if watch is None else advance_watched(thread, budget, watch)
        left = budget
        segment, k = frame.segment, 0
        inside = False
        try:
            while k or left > 0:
                compiled = self.of(frame.code)
                resident: Resident | None = frame.native
                if compiled is not None and (entries := compiled.entries.get(segment)) is not None:
                    number = entries.get(k)
                    if number is not None:
                        if resident is None:
                            resident = frame.native = Resident(compiled, self._numbers, self._keys)
                        if resident.take(frame, number):
                            left, why = self._call(thread, frame, resident, number, left, watch)
                            place = compiled.places[resident.place]
                            segment = frame.segment = place.segment
                            k = place.step
                            if why == Handback.BUDGET:
                                continue
                            if why == Handback.WATCHED:
                                resident.settle(frame)
                                if watch.came_back(thread):
                                    break
                                self._moved = watch, watch.moved_word(thread)
                                continue
                            self.tally.handed[compiled.blame[resident.place]] += 1
                if resident is not None and resident.place >= 0:
                    resident.hand(frame, segment, k)
                stop = 0 if compiled is None else compiled.stop(segment, k)
                inside, registers = True, frame.registers
                for step in segment.steps[k:stop] if stop else segment.steps[k:] if k else segment.steps:
                    step(registers)
                    k += 1
                inside = False
                if stop and k == stop:
                    continue
                left -= segment.cost
                following = segment.finish(thread, frame)
                if following is None:
                    break
                k = 0
                came, frame = following is not frame, following
                segment = frame.segment
                if watch is not None:
                    if came and thread.depth < watch.floor:
                        watch.shallower(thread)
                    elif segment is watch.segment and watch.came_back(thread):
                        break
        except Exception as error:
            thread.at = segment.indices[k] if inside else segment.last
            explain(thread, frame, error)
            raise
        finally:
            thread.steps += budget - left
            thread.epoch += 1

    def _call(
        self, thread: Thread, frame: Frame, resident: Resident, number: int, left: int, watch: Any
    ) -> tuple[int, int]:
        """Runs native code from a place: how much of the budget is left, and why it came back."""
        control, compiled = self._control, resident.compiled
        more = max(0, left - SLICE)
        control[ControlWords.PLACE] = number
        control[ControlWords.LEFT] = left - more
        control[ControlWords.WATCH] = -1
        if watch is not None and thread.depth == watch.depth:
            at = compiled.segments.get(watch.segment)
            if at is not None:
                kept = self._watched_words(watch, compiled)
                if kept is not None:
                    control[ControlWords.WATCH] = at
                    control[ControlWords.MOVED], control[ControlWords.WORD] = self._witness(watch)
                    control[ControlWords.KEPT] = kept.buffer_info()[0]
        resident.headed = False
        answer = compiled.run(resident.address, self._control_at, self._encounters.address, thread.number)
        resident.place = answer & 0xFFFFFFFF
        now = control[ControlWords.LEFT] + more
        visits = control[ControlWords.VISITS]
        tally = self.tally
        tally.calls += 1
        ran = left - now + compiled.offsets[resident.place] - compiled.offsets[number]
        tally.instructions += ran
        compiled.judge(number, ran)
        if visits:
            self._visits += visits
            noted = self._visits <= KEPT or not self.program.forgets
            numbers = self._trail[:visits] if noted else None
            thread.log.append(Passed(thread.number, compiled.code.name, compiled.names, visits, numbers))
        return now, answer >> Handback.SHIFT

    def _witness(self, watch: Any) -> tuple[int, int]:
        """The host's address of a word, and what it was when the place was kept: as long as it is not that
        again, the thread is not where it was. Address 0: none is known."""
        of, moved = self._moved
        if of is not watch or moved is None:
            return 0, 0
        allocation, cells, at, was = moved
        if allocation.cells is not cells or allocation.provenance.id not in self._memory.allocations:
            return 0, 0
        return cells.address + at, was

    def _watched_words(self, watch: Any, compiled: Compiled) -> array[int] | None:
        """The words of what is held at a place that is watched; ``None`` if native code never holds that."""
        known = self._watched.get(id(watch))
        if known is None or known[0] is not watch.registers:
            words: array[int] | None = array("Q", bytes(8 * compiled.words))
            for slot, value in watch.registers:
                home = compiled.homes.get(slot)
                if home is not None and words is not None and not pack(home, value, words, self._numbers):
                    words = None
            known = self._watched[id(watch)] = watch.registers, words
        return known[1]
