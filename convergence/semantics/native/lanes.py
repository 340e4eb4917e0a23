"""The lanes of a wave natively, in lock step: what is issued for a mask of lanes is one call of native code.

A *piece* is a stretch of a segment that native code runs for one lane after the other, and what comes of it
is what comes of instruction after instruction: in it one instruction at most accesses memory, or several of
which none writes. Where lanes do not come to the same place, as a guard failed in some of them, they are
apart, and the run is given up: it is made again without native code.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Sequence
from operator import itemgetter
from time import perf_counter
from typing import Any, NamedTuple

from ..convergence.keys import Keys
from ..machine.launch import Launch
from ..machine.program import Program
from ..machine.tally import Tally
from ..memory.allocations import Memory
from ..memory.encounters import Encounters
from ..memory.packed import ObjectTable, ProvenanceNumbers
from ..threads.state import Code, Frame, Segment, Thread
from .emit import ControlWords, Emitted, FunctionEmitter, Handback, SegmentStep
from .engine import PRICE, Compiled, Resident, compiled_once
from .jit import machine_code
from .registers import scalars

NOWHERE = (1 << 64) - 1
"""Stands in a lane's words where its frame's own registers count."""


class LaneEmitter(FunctionEmitter):
    """A function that stops behind each piece. ``cuts`` are instructions that are handed back: whoever runs
    lanes has something to do there."""

    def __init__(self, program: Program, reference: Code, table: ObjectTable, cuts: frozenset[int]) -> None:
        super().__init__(program, reference, "run", table)
        self._cuts = cuts
        self._reads = self._writes = False

    def begin_segment(self) -> None:
        self._reads = self._writes = False

    def hands_back(self, index: int) -> bool:
        return index in self._cuts

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


DRIVER = f"""
define i64 @lanes(ptr %addresses, i64 %mask, ptr %control, ptr %env, i64 %first, ptr %answers, i64 %place,
                  i64 %at) {{
entry:
  %place.at = getelementptr inbounds i64, ptr %control, i64 {ControlWords.PLACE}
  %left.at = getelementptr inbounds i64, ptr %control, i64 {ControlWords.LEFT}
  br label %look
look:
  %n = phi i64 [ 0, %entry ], [ %n.next, %looked ]
  %n.bits = lshr i64 %mask, %n
  %n.on = trunc i64 %n.bits to i1
  br i1 %n.on, label %here, label %looked
here:
  %n.slot = getelementptr inbounds ptr, ptr %addresses, i64 %n
  %n.words = load ptr, ptr %n.slot
  %n.where = getelementptr inbounds i64, ptr %n.words, i64 %at
  %n.now = load i64, ptr %n.where
  %n.same = icmp eq i64 %n.now, %place
  br i1 %n.same, label %looked, label %elsewhere
elsewhere:
  ret i64 0
looked:
  %n.next = add i64 %n, 1
  %n.more = icmp ult i64 %n.next, 64
  br i1 %n.more, label %look, label %going
going:
  %lane = phi i64 [ 0, %looked ], [ %lane.next, %gone ]
  %count = phi i64 [ 0, %looked ], [ %count.next, %gone ]
  %bits = lshr i64 %mask, %lane
  %on = trunc i64 %bits to i1
  br i1 %on, label %go, label %gone
go:
  %slot = getelementptr inbounds ptr, ptr %addresses, i64 %lane
  %words = load ptr, ptr %slot
  store i64 %place, ptr %place.at
  store i64 0, ptr %left.at
  %thread = add i64 %first, %lane
  %answer = call i64 @run(ptr %words, ptr %control, ptr %env, i64 %thread)
  %now = and i64 %answer, 4294967295
  %where = getelementptr inbounds i64, ptr %words, i64 %at
  store i64 %now, ptr %where
  %bit = shl i64 1, %lane
  br label %search
search:
  %j = phi i64 [ 0, %go ], [ %j.next, %other ]
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
  %count.next = phi i64 [ %count, %going ], [ %more.count, %add ], [ %count, %join ]
  %lane.next = add i64 %lane, 1
  %more = icmp ult i64 %lane.next, 64
  br i1 %more, label %going, label %over
over:
  ret i64 %count.next
}}
"""
"""Runs each lane of a mask from a place on, if all of them are there, else gives 0: a lane's words hold at
``%at`` the place where it is. Gives how many answers there are; ``%answers`` has each, and its lanes."""

_Lanes = ctypes.CFUNCTYPE(
    ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64,
    ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64,
)  # fmt: skip


class LaneAnswer(NamedTuple):
    """The lanes of ``mask`` are at a place; ``back``: an instruction is handed back there."""

    place: SegmentStep
    back: bool
    mask: int
    blame: tuple[str, str, str]


class LaneCode(Compiled):
    """A function's native code for lanes; ``place_at`` is the word that says where a lane is."""

    def __init__(self, code: Code, emitted: Emitted, address: int) -> None:
        super().__init__(code, emitted, address)
        self.address = address
        self.lanes = _Lanes(address)
        self.place_at = self.words
        self.words += 1
        self._live: dict[int, Callable[[array[int]], Any]] = {}

    def answer(self, answer: int, mask: int) -> LaneAnswer:
        """What native code answered for some lanes."""
        number = answer & 0xFFFFFFFF
        return LaneAnswer(
            self.places[number], answer >> Handback.SHIFT == Handback.HANDED, mask, self.blame[number]
        )

    def live_words(self, place: int) -> Callable[[array[int]], Any]:
        """What picks the words that are live at a place, how often headers were met among them."""
        known = self._live.get(place)
        if known is None:
            words = self.live_offsets(place)
            known = self._live[place] = itemgetter(*words, self.place_at, self.place_at)
        return known

    def live_offsets(self, place: int) -> list[int]:
        """Which words are live at a place."""
        live = [self.homes[slot] for slot in self.places[place].live]
        return [w for home in live for s in scalars(home) for w in range(s.at, s.meta + 1)]


class LaneRegisters(Resident):
    """The registers of a lane's ``frame`` in native words, which say where the lane is: native code notes it
    there."""

    __slots__ = ("frame",)
    compiled: LaneCode

    def __init__(self, compiled: LaneCode, numbers: ProvenanceNumbers, keys: Keys, frame: Frame) -> None:
        super().__init__(compiled, numbers, keys)
        self.frame = frame

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
        place = self.place
        return None if place < 0 else self.compiled.live_words(place)(self.words)


class WaveLanes:
    """The lanes of an activation: their words, by lane; ``known`` are those that have some, ``ahead`` those
    whose frames do not say in which segment they are."""

    __slots__ = ("addresses", "ahead", "at", "known", "registers")

    def __init__(self) -> None:
        self.addresses = array("Q", bytes(8 * 64))
        self.at = self.addresses.buffer_info()[0]
        self.registers: dict[int, LaneRegisters] = {}
        self.known = self.ahead = 0

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
    """Native code for one lock-step machine's lanes. ``cuts`` says which instructions are handed back."""

    def __init__(
        self,
        program: Program,
        memory: Memory,
        keys: Keys,
        launch: Launch,
        cuts: Callable[[Code, int], bool],
    ) -> None:
        self.program = program
        self.tally = Tally()
        self._keys = keys
        self._cuts = cuts
        self._numbers = ObjectTable()
        self._encounters = LaneEncounters(self._numbers.address, launch.threads, launch.workgroup_threads)
        memory.attach(self._numbers, self._encounters if launch.threads > 1 else None)
        self._compiled: dict[Code, LaneCode | None] = {}
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
        cuts = frozenset(n for n in range(len(code.instructions)) if self._cuts(code, n))
        return compiled_once(
            self.program, (code, cuts), code, self._numbers, self.tally,
            lambda: LaneEmitter(self.program, code, self._numbers, cuts),
            lambda e: LaneCode(code, e, machine_code(e.text + DRIVER, "lanes", e.symbols)),
        )  # fmt: skip

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
            registers = LaneRegisters(compiled, self._numbers, self._keys, frame)
            lanes.registers[lane] = frame.native = registers
            lanes.addresses[lane] = registers.address
            lanes.known |= 1 << lane
        if not registers.take(frame, number):
            return False
        registers.place = number
        return True

    def _call(self, compiled: LaneCode, lanes: WaveLanes, number: int, mask: int, first: int) -> int:
        count: int = compiled.lanes(
            lanes.at, mask, self.control_at, self._encounters.address, first, self.answers_at, number,
            compiled.place_at,
        )  # fmt: skip
        return count

    @staticmethod
    def wave() -> WaveLanes:
        """The lanes of an activation that begins."""
        return WaveLanes()

    @staticmethod
    def hand(frame: Frame, segment: Segment, k: int) -> None:
        """The frame's own registers hold what the reference reads from a step on."""
        native: LaneRegisters | None = frame.native
        if native is not None and native.place >= 0:
            native.hand(frame, segment, k)
