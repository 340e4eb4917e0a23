"""Rounds of turns natively, where a launch has several waves: each wave has a turn, and then each again.

Waves that run natively are rows of a table (:class:`...semantics.native.turns.RowWord`), whose turns native
code takes one by one, in the order of the waves. A wave that waits for others of its workgroup has nothing to
do meanwhile, as only the executor lets lanes come to barriers. All others are the executor's: native code
comes back at such a wave, the executor gives it its turn, and native code goes on with the wave behind it. So
turns, accesses and events are in the executor's order. What a wave's policy holds is made of its masks only
when somebody asks (:class:`.waves.Activation`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .convergence_wait import ConvergenceWait
from .cycle_detector import CycleDetector, Glance
from .lanes import NativeLanes
from .machine import LockstepMachine
from .packed import TurnRecords, WaveRecords
from .policy import IssuedMask
from .turns import ROOM, TURNS, NativeActivation, TurnCode, TurnCodes
from .waves import Issuer, Wave


class RoundsEnd(NamedTuple):
    """The wave at which the executor goes on in the round; ``over``: there is none, and somebody has to look;
    ``moved``: whether a wave had a turn in this round, behind as many whole ``rounds``."""

    wave: int
    over: bool
    moved: bool
    rounds: int


class NativeRounds:
    """Turns of a launch of several waves. ``concurrent``: all activations have turns, not only the innermost.
    ``idle`` says whether a wave can do nothing until another one comes to a barrier."""

    def __init__(
        self,
        native: NativeLanes,
        machine: LockstepMachine,
        issuer: Issuer,
        issued: IssuedMask,
        wait: ConvergenceWait | None,
        waves: Sequence[Wave],
        concurrent: bool,
        idle: Callable[[Wave], bool],
    ) -> None:
        self._native, self._machine, self._issuer, self._issued = native, machine, issuer, issued
        self._wait, self._waves, self._concurrent, self._idle = wait, waves, concurrent, idle
        self._rows: list[NativeActivation | None] = [None] * len(waves)
        self._codes = TurnCodes(native, issuer, concurrent)
        self._laid: dict[TurnCode, tuple[int, int]] = {}
        self._stale = set(range(len(waves)))
        self._waiting: set[int] = set()
        self._ready: set[int] = set()
        self._log = array("Q", bytes(8 * ROOM))
        self._table = array("q")
        self._round = array("q")
        self._rounds = 0

    # -- which waves run natively -------------------------------------------------------------------------

    def hand(self, number: int) -> None:
        """The executor gives a wave its turn."""
        self._drop(number)
        self._stale.add(number)

    def handed(self, number: int) -> None:
        """The executor gave a wave its turn: those of its workgroup, which is all a barrier is for, or of its
        cluster, may have what they waited for."""
        if self._waiting:
            places = self._machine.subgroups
            own = self._waves[number].threads[0].launch
            for other in self._waiting:
                launch = self._waves[other].threads[0].launch
                if launch.workgroup == own.workgroup or places[launch].cluster == places[own].cluster:
                    self._stale.add(other)

    def _begin(self) -> None:
        """Makes the table."""
        from ...semantics.native.turns import RoundWord, RowWord, rounds_code

        self._table = array("q", bytes(8 * RowWord.WORDS * len(self._waves)))
        self._round = array("q", bytes(8 * RoundWord.WORDS))
        self._run = rounds_code()

    def _look(self) -> None:
        """Looks anew at the waves that the executor touched."""
        from ...semantics.native.turns import RowState

        for number in self._stale:
            self._drop(number)
            wave = self._waves[number]
            state = RowState.ELSEWHERE
            if not wave.activations or self._idle(wave):
                state = RowState.IDLE
            elif (row := self._codes.activation(wave, self._log)) is not None:
                state = RowState.TURNS
                self._rows[number] = row
                self._ready.add(number)
            if state == RowState.IDLE and wave.activations:
                self._waiting.add(number)
            else:
                self._waiting.discard(number)
            self._write(number, state)
        self._stale.clear()

    def _write(self, number: int, state: int) -> None:
        """A wave's row."""
        from ...semantics.native.turns import RowWord, TurnWord

        row = self._rows[number]
        words = [state, *[0] * (RowWord.WORDS - 1)]
        if row is not None:
            compiled, automaton = row.code.compiled, row.code.automaton
            row.words[TurnWord.WAVE], row.words[TurnWord.MOST] = number, (1 << 63) - 1
            row.counts_hits()
            words = [
                state, row.words.buffer_info()[0], compiled.address, automaton.pool.buffer_info()[0],
                row.hits.buffer_info()[0], row.registers.buffer_info()[0], row.code.places.at,
                row.lanes.at, row.activation.wave.first, compiled.place_at * compiled.stride,
                compiled.vectors_at,
            ]  # fmt: skip
        begin = number * RowWord.WORDS
        self._table[begin : begin + RowWord.WORDS] = array("q", words)

    def _drop(self, number: int) -> None:
        """A wave is the executor's, or is looked at anew."""
        row = self._rows[number]
        if row is None:
            return
        self._rows[number] = None
        self._ready.discard(number)
        self._issued.wave = row.activation.wave.number
        for operation, count in row.did().items():
            self._issued.did_often(operation, count)

    def close(self) -> None:
        """The run is over: all machine operations are counted."""
        for number in range(len(self._waves)):
            self._drop(number)
            self._stale.add(number)

    # -- rounds -------------------------------------------------------------------------------------------

    def go(self, begin: int, most: int, cycles: CycleDetector) -> RoundsEnd:
        """Turns of all waves from one on, and rounds behind that, up to ``most`` executed instructions."""
        from ...semantics.native.turns import RoundWord

        engine = self._native.engine
        if engine is None or (self._wait is not None and self._wait.waiting):
            return RoundsEnd(begin, False, False, 0)
        if not self._table:
            self._begin()
        self._look()
        if not self._ready:
            return RoundsEnd(begin, False, False, 0)
        watched = cycles.watched(self._glance())
        words = self._round
        words[RoundWord.WATCHED] = -1
        if watched is not None:
            row = self._rows[watched.wave]
            if watched.words is None or row is None:
                return RoundsEnd(begin, False, False, 0)
            if row.watch(watched.lane, watched.words):
                words[RoundWord.WATCHED] = watched.wave
        words[RoundWord.LEFT] = min(cycles.left, 1 + TURNS // len(self._waves))
        words[RoundWord.EXECUTED], words[RoundWord.MOST] = self._issuer.executed, most
        words[RoundWord.LOG] = words[RoundWord.ROUNDS] = self._rounds = 0
        number, over, moved = self._through(begin)
        rounds = words[RoundWord.ROUNDS]
        cycles.passed(rounds - over)
        first = 0 if rounds else begin
        moved = moved or over or any(n in self._ready for n in range(first, number))
        return RoundsEnd(number, over, moved, rounds)

    def _glance(self) -> Glance:
        """What is seen at a glance behind each round."""
        turn = 1 if self._concurrent else 0
        return tuple(
            CycleDetector.at_a_glance(wave) if row is None else (len(wave.activations), turn, [])
            for wave, row in zip(self._waves, self._rows, strict=True)
        )

    def _through(self, begin: int) -> tuple[int, bool, bool]:
        """Rounds until nobody knows natively how to go on: at which wave, whether the round is over, and
        whether that wave's predecessor had a turn in part natively."""
        from ...semantics.native.turns import Pause

        at = begin
        while True:
            why, number = self._call(at)
            self._settle(at, number)
            if why == Pause.LOOK:
                return number, True, True
            row = self._rows[number]
            if row is None:  # the executor's
                return number, False, False
            at = number
            match why:
                case Pause.ROOM:
                    continue
                case Pause.PICK:
                    if row.learns_pick():
                        continue
                case Pause.AFTER:
                    if row.learns_after():
                        continue
                    self.hand(number)
                    row.over()
                    return number + 1, False, True
                case Pause.ELSEWHERE:
                    row.splits()
                case Pause.ANSWERED:
                    self._native.expect(row.splits(), row.answers())
            return number, False, False

    def _call(self, at: int) -> tuple[int, int]:
        """Native rounds from a wave on: why they are over, and at which wave."""
        engine = self._native.engine
        assert engine is not None
        for code in self._codes:
            laid = code.automaton.pool.buffer_info()[0], len(code.automaton.names)
            if self._laid.get(code) != laid:
                self._laid[code] = laid
                self._rewrite(code)
        answer: int = self._run(
            self._table.buffer_info()[0], len(self._waves), self._round.buffer_info()[0],
            self._log.buffer_info()[0], engine.control_at, engine.environment, engine.answers_at, at,
        )  # fmt: skip
        return answer >> 32, answer & 0xFFFFFFFF

    def _rewrite(self, code: TurnCode) -> None:
        """A tree has grown: it may lie elsewhere, and has more leaves."""
        from ...semantics.native.turns import RowState

        for number in self._ready:
            row = self._rows[number]
            if row is not None and row.code is code:
                self._write(number, RowState.TURNS)

    def _settle(self, begin: int, end: int) -> None:
        """What has run since this was asked last, from one wave to another one or in whole rounds, is issued,
        and everybody else may look again."""
        from ...semantics.native.turns import RoundWord, TurnWord

        engine = self._native.engine
        assert engine is not None
        waves: dict[int, WaveRecords] = {}
        events = ticks = 0
        rounds, self._rounds = self._rounds, self._round[RoundWord.ROUNDS]
        whole = self._rounds != rounds
        for number in self._ready if whole else range(begin, min(end + 1, len(self._rows))):
            row = self._rows[number]
            if row is None or not row.words[TurnWord.PIECES]:
                continue
            words, wave = row.words, row.activation.wave
            wave.turn = 1 if self._concurrent else 0
            waves[number] = WaveRecords(row.code.places, wave, wave.issues)
            wave.issues += words[TurnWord.SLOTS]
            events += words[TurnWord.SLOTS] + words[TurnWord.VISITS]
            ticks += words[TurnWord.TICKS]
            engine.tally.calls += words[TurnWord.PIECES]
            engine.tally.instructions += words[TurnWord.INSTRUCTIONS]
            engine.tally.turns += words[TurnWord.TURNS]
            engine.turned(row.code.compiled, words[TurnWord.TURNS])
            ran = words[TurnWord.RAN]
            row.lanes.ahead |= ran
            if self._wait is not None:
                row.lanes.place(ran)
                for thread in wave.of(ran):
                    thread.epoch += 1
            row.settled()
        if waves:
            self._machine.packed.pack(TurnRecords(self._log[: self._round[RoundWord.LOG]], waves, events))
            self._machine.ticks(ticks)
            self._issuer.executed = self._round[RoundWord.EXECUTED]
        self._round[RoundWord.LOG] = 0
