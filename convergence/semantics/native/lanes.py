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
from . import lane_vectors
from .emit import ControlWords, Emitted, Handback, SegmentStep
from .engine import PRICE, Compiled, Resident, compiled_once
from .jit import machine_code
from .lane_vectors import LaneEmitter, VectorEmitter, lane_driver, stride_of
from .registers import scalars

VECTORS: int | None = 50_000
"""After so many turns a function has code for vectors, which takes some hundredths of a second; ``None``:
never."""
LINE = 8
"""Words of a line of the processor's cache, at whose edge those of lanes begin."""
NOWHERE = (1 << 64) - 1
"""Stands in a lane's words where its frame's own registers count."""


_Lanes = ctypes.CFUNCTYPE(
    ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64,
    ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p,
)  # fmt: skip
_Vectors = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class LaneAnswer(NamedTuple):
    """The lanes of ``mask`` are at a place; ``back``: an instruction is handed back there."""

    place: SegmentStep
    back: bool
    mask: int
    blame: tuple[str, str, str]


class LaneCode(Compiled):
    """A function's native code for lanes, whose words lie ``stride`` apart; ``place_at`` is the word that
    says where a lane is. ``vectors`` are the addresses of code for all lanes at once, by place, 0 where there
    is none; ``turns`` had it so far."""

    def __init__(self, code: Code, emitted: Emitted, address: int, stride: int) -> None:
        super().__init__(code, emitted, address)
        self.address = address
        self.stride = stride
        self.lanes = _Lanes(address)
        self.place_at = self.words
        self.words += 1
        self.vectors = array("Q", [0] * len(self.places))
        self.vectors_at = self.vectors.buffer_info()[0]
        self.turns = 0
        self.vectorised = False
        self._live: dict[int, Callable[[Any], Any]] = {}

    def vectorise(self, emitter: VectorEmitter) -> None:
        """Has code for vectors from now on, where there can be some."""
        self.vectorised = True
        emitter.emit()
        module = emitter.vectors()
        if module is not None:
            _Vectors(machine_code(module.text, "vectors", {}, loops=True))(self.vectors_at)

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
        return [w for home in live for s in scalars(home) for w in range(s.at, s.meta + 1)]


class LaneRegisters(Resident):
    """The registers of a lane's ``frame`` in native words, which say where the lane is: native code notes it
    there."""

    __slots__ = ("frame",)
    compiled: LaneCode

    def __init__(
        self, compiled: LaneCode, numbers: ProvenanceNumbers, keys: Keys, frame: Frame, words: memoryview[int]
    ) -> None:
        super().__init__(compiled, numbers, keys, words)
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
        place = self.words[self.compiled.place_at]
        return None if place == NOWHERE else self.compiled.live_words(place)(self.words)


class WaveLanes:
    """The lanes of an activation: their words, all lanes' first, then all lanes' second, ...; ``known`` are
    those that have some, ``ahead`` those whose frames do not say in which segment they are."""

    __slots__ = ("_words", "ahead", "at", "known", "registers", "stride")

    def __init__(self, compiled: LaneCode) -> None:
        self.stride = compiled.stride
        whole = array("Q", bytes(8 * (self.stride * compiled.words + LINE)))
        begin = -(whole.buffer_info()[0] // 8) % LINE
        self._words = memoryview(whole)[begin : begin + self.stride * compiled.words]
        self.at = whole.buffer_info()[0] + 8 * begin
        self.registers: dict[int, LaneRegisters] = {}
        self.known = self.ahead = 0

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
    which instructions are handed back."""

    def __init__(
        self,
        program: Program,
        memory: Memory,
        keys: Keys,
        launch: Launch,
        cuts: Callable[[Code, int], bool],
        lanes: int,
    ) -> None:
        self.program = program
        self.tally = Tally()
        self._keys = keys
        self._cuts = cuts
        self._numbers = ObjectTable()
        self._encounters = LaneEncounters(self._numbers.address, launch.threads, launch.workgroup_threads)
        memory.attach(self._numbers, self._encounters if launch.threads > 1 else None)
        self._compiled: dict[Code, LaneCode | None] = {}
        self._stride = stride_of(lanes)
        self._several = lanes >= lane_vectors.LEAST
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
        cuts, stride = self._cuts_in(code), self._stride
        driver = lane_driver(stride)
        return compiled_once(
            self.program, (code, cuts, stride), code, self._numbers, self.tally,
            lambda: LaneEmitter(self.program, code, self._numbers, cuts, stride),
            lambda e: LaneCode(code, e, machine_code(e.text + driver, "lanes", e.symbols), stride),
        )  # fmt: skip

    def _cuts_in(self, code: Code) -> frozenset[int]:
        return frozenset(n for n in range(len(code.instructions)) if self._cuts(code, n))

    def turned(self, compiled: LaneCode, turns: int) -> None:
        """A function had so many turns; after some it is worth code for vectors."""
        compiled.turns += turns
        self.tally.vectors = self._control[ControlWords.TOGETHER]
        if VECTORS is None or not self._several or compiled.vectorised or compiled.turns < VECTORS:
            return
        begin = perf_counter()
        code = compiled.code
        compiled.vectorise(
            VectorEmitter(self.program, code, self._numbers, self._cuts_in(code), compiled.stride)
        )
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
            registers = LaneRegisters(compiled, self._numbers, self._keys, frame, lanes.words(lane))
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

    @staticmethod
    def wave(compiled: LaneCode) -> WaveLanes:
        """The lanes of an activation that begins."""
        return WaveLanes(compiled)

    @staticmethod
    def hand(frame: Frame, segment: Segment, k: int) -> None:
        """The frame's own registers hold what the reference reads from a step on."""
        native: LaneRegisters | None = frame.native
        if native is not None and native.place >= 0:
            native.hand(frame, segment, k)
