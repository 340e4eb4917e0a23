"""Lanes that wait for others: until every live lane that can come with the same key is there, or for
ever.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from ...alignment import StaticInstance
from ...ir.calls import Control, callee_name, control, is_grouped, way_of
from ...ir.instructions import CallSite
from ...semantics.convergence import Key, KeyKind
from ...semantics.convergence.rules import (
    d_call,
    d_entry,
    d_free,
    d_loop,
    d_use,
    d_way,
    may_come,
    token_in,
    way,
)
from ...semantics.machine import Issued
from ...semantics.memory import Piece, TypedCells
from ...semantics.threads import Code, Frame, Thread
from .exec_effects import ExecEffects
from .machine import LockstepMachine
from .policy import lanes
from .waves import WarpSplit, Wave

# ----------------------------------------------------------------------------------------------------------
# Holds lanes at operations until every live lane that can come with the same key is there.
#
# What the ``heart`` machine adds to lock step: an operation runs when no other lane can still come to it.
# ----------------------------------------------------------------------------------------------------------


class _Held:
    """The splits that wait with one key; ``witness`` a thread that may still come, when it was last seen."""

    __slots__ = ("splits", "witness")

    def __init__(self) -> None:
        self.splits: list[WarpSplit] = []
        self.witness: tuple[Thread, int] | None = None


class ConvergenceWait:
    """``waiting``: by key who waits. ``forced``: how often a group had to go although others might come."""

    def __init__(self, machine: LockstepMachine) -> None:
        self.machine = machine
        self.waiting: dict[Key, _Held] = {}
        self.forced = 0
        self._may: dict[tuple[str, int], bool] = {}

    def hold(self, split: WarpSplit, index: int) -> bool:
        """Holds a split before the instruction at ``index``, in parts with one key each; False: nothing
        asks for it."""
        code = split.activation.code
        if not self.asks(code, index):
            return False
        parts: dict[Key | None, int] = {}
        for thread in split.activation.wave.of(split.mask):
            frame = thread.frame
            assert frame is not None
            key = self._key(thread, frame, index)
            parts[key] = parts.get(key, 0) | 1 << thread.lane
        if set(parts) == {None}:
            return False
        splits = self._split(split, list(parts.values()))
        for key, part in zip(parts, splits, strict=True):
            if key is None:
                part.passing = True
                continue
            part.waiting = True
            for thread in part.activation.wave.of(part.mask):
                thread.at = index
                thread.epoch += 1
            self._join(key, part)
        return True

    def _split(self, split: WarpSplit, masks: list[int]) -> list[WarpSplit]:
        splits = [split]
        split.mask = masks[0]
        for mask in masks[1:]:
            part = WarpSplit(split.activation, split.block, mask, split.segment)
            part.at = split.at
            split.activation.splits.append(part)
            splits.append(part)
        return splits

    def _join(self, key: Key, part: WarpSplit) -> None:
        """Lanes of one activation with one key go on as one split."""
        held = self.waiting.setdefault(key, _Held())
        for other in held.splits:
            same = (other.activation, other.segment, other.at) == (part.activation, part.segment, part.at)
            if same:
                other.mask |= part.mask
                other.gone |= part.gone
                part.activation.splits.remove(part)
                return
        held.splits.append(part)

    def release(self, wave: Wave) -> bool:
        """Lets go the groups that nobody can join any more; whether there was one."""
        free = [
            key
            for key, held in self.waiting.items()
            if held.splits[0].activation.wave is wave and not self._awaited(wave, key, held)
        ]
        for key in free:
            self._go(key)
        return bool(free)

    def force(self) -> bool:
        """Everybody waits for somebody (labels of anchors can do that): the largest group goes."""
        if not self.waiting:
            return False
        self.forced += 1
        self._go(max(self.waiting, key=lambda k: sum(s.mask.bit_count() for s in self.waiting[k].splits)))
        return True

    def _go(self, key: Key) -> None:
        for split in self.waiting.pop(key).splits:
            split.waiting, split.passing = False, True
            for thread in split.activation.wave.of(split.mask):
                thread.at = -1

    def _awaited(self, wave: Wave, key: Key, held: _Held) -> bool:
        """Whether a live lane that is not there may still come with this key."""
        if held.witness is not None:
            thread, epoch = held.witness
            if thread.alive and thread.epoch == epoch:
                return True
        there = 0
        for split in held.splits:
            there |= split.mask
        for thread in wave.threads:
            if thread.alive and not there >> thread.lane & 1:
                if may_come(self.machine, thread, key, by_choice=False):
                    held.witness = (thread, thread.epoch)
                    return True
        return False

    def asks(self, code: Code, index: int) -> bool:
        """Whether the instruction has a key at all: a call that is convergent, or that enters a function."""
        known = self._may.get((code.name, index))
        if known is None:
            instruction = code.instructions[index]
            module = self.machine.program.module
            known = isinstance(instruction, CallSite) and (
                is_grouped(module, instruction) or not _declared(self.machine, instruction)
            )
            self._may[code.name, index] = known
        return known

    def _key(self, thread: Thread, frame: Frame, index: int) -> Key | None:
        """The key that executing the instruction now would have; ``None`` where that is a free choice."""
        machine, code, site = self.machine, frame.code, StaticInstance(frame.code.name, index)
        instruction, slot = code.instructions[index], code.token_of.get(index)
        match control(instruction):
            case Control.ENTRY:
                root = frame.root
                if root is None or (isinstance(root, Key) and root.kind is KeyKind.CALL):
                    return None
                return d_entry(thread, frame, site)
            case Control.ANCHOR if (bound := way_of(instruction)) is not None:  # those of one way come as one
                return d_way(thread, site, way(thread), None) if bound.meets else None
            case Control.ANCHOR:  # of a case: those with one value may not be parted, so all come as one
                return None if slot is None else machine.keys.use(site, token_in(frame, slot))
            case Control.LOOP:
                return None if slot is None else d_loop(thread, frame, site, token_in(frame, slot))
        if not is_grouped(machine.program.module, instruction):
            return d_call(thread, frame, site)
        if slot is not None:
            return d_use(thread, frame, site, token_in(frame, slot))
        return None if machine.program.uncontrolled == "any" else d_free(thread, frame, site)


def _declared(machine: LockstepMachine, call: CallSite) -> bool:
    """Whether a call names a function that the module only declares."""
    name = callee_name(call)
    function = machine.program.module.functions.get(name) if name is not None else None
    return function is not None and function.is_declaration


# ----------------------------------------------------------------------------------------------------------
# A machine is deterministic: a whole state that comes back proves that it goes on like that for ever.
#
# The state is where every lane is, what its registers and memory hold, and what the policies remember. One
# state is kept and compared with what follows; at each power of two a new one is kept (Brent, *An improved
# Monte Carlo factorization algorithm*, BIT 1980), so a cycle is found after at most a few rounds of it.
# ----------------------------------------------------------------------------------------------------------


class Waits(NamedTuple):
    """A lane that never goes on: its thread and the block at which it waits; ``spins`` if it goes round."""

    thread: int
    function: str
    block: str
    spins: bool


class WatchedLane(NamedTuple):
    """The lane of a ``wave``, by its place among them, that has to be as it was for the whole state to have
    come back: its native ``words`` then; ``None``: it is so now, and what it held was not native."""

    lane: int
    wave: int
    words: tuple[int, ...] | None


Glance = tuple[Hashable, ...]
"""How many calls each wave has, and where the innermost one is: not the whole state, but quick to see."""


class CycleDetector:
    """The state that is kept, and how long the log was then; ``tokens``: whether the machine looks at tokens;
    ``_differs`` is a lane that had changed when last looked at, and so the one to look at first."""

    def __init__(
        self,
        machine: LockstepMachine,
        waves: Sequence[Wave],
        effects: ExecEffects | None,
        tokens: bool,
    ) -> None:
        self.machine, self.waves, self.effects = machine, waves, effects
        self.tokens = tokens
        self._wave_of = {thread.number: n for n, wave in enumerate(waves) for thread in wave.threads}
        self.since = 0
        self._glance: Hashable = None
        self._places: Hashable = None
        self._memory: Hashable = None
        self._lanes: tuple[Hashable, ...] = ()
        self._differs = 0
        self._left = 1
        self._power = 1

    def came_back(self) -> bool:
        """Whether the state now is the one that is kept. What is cheap is compared first."""
        glance = self._now_at_a_glance()
        if glance == self._glance and self._same():
            return True
        self._left -= 1
        if not self._left:
            self._power *= 2
            self._left = self._power
            self._keep(glance)
        return False

    @property
    def left(self) -> int:
        """How often the state may still be looked at before another one is kept."""
        return self._left

    def watched(self, glance: Glance) -> WatchedLane | None:
        """Whom to watch while that is what is seen at a glance after each turn of all waves; nobody where
        another glance is kept."""
        if self._glance != glance:
            return None
        thread, kept = self.machine.threads[self._differs], self._lanes[self._differs]
        wave = self._wave_of[self._differs]
        frames: tuple[tuple[str, tuple[Hashable, ...], Hashable], ...] = kept[1]  # type: ignore[index]
        words = frames[0][1] if frames else ()
        if words and all(type(word) is int for word in words):
            return WatchedLane(thread.lane, wave, words)  # type: ignore[arg-type]
        return WatchedLane(thread.lane, wave, None) if _lane(thread, self.tokens) == kept else None

    def passed(self, turns: int) -> None:
        """After so many turns the state was another one than that which is kept, as the lane that is watched
        was not as then."""
        self._left -= turns

    def waiting(self) -> tuple[Waits, ...]:
        """Every live lane: those that ran since the state was kept go round, the others wait."""
        ran: dict[int, int] = {}
        for event in self.machine.log[self.since :]:
            if isinstance(event, Issued):
                ran[event.wave] = ran.get(event.wave, 0) | event.mask
        waiting_lanes = []
        for wave in self.waves:
            spinning = set(lanes(ran.get(wave.number, 0)))
            for thread in wave.threads:
                frame = thread.frame
                if thread.alive and frame is not None:
                    graph = frame.code.graph
                    block = graph.nodes[graph.block_of[thread.position(frame)]].name
                    waiting_lanes.append(
                        Waits(thread.number, frame.code.name, block, thread.lane in spinning)
                    )
        return tuple(waiting_lanes)

    def _keep(self, glance: Hashable) -> None:
        self._glance = glance
        self._places = self._now_at()
        self._lanes = tuple(_lane(thread, self.tokens) for thread in self.machine.threads)
        self._memory = _memory(self.machine)
        self.since = len(self.machine.log)

    def _same(self) -> bool:
        threads = self.machine.threads
        for offset in range(len(threads)):
            at = (self._differs + offset) % len(threads)
            if _lane(threads[at], self.tokens) != self._lanes[at]:
                self._differs = at
                return False
        return self._now_at() == self._places and _memory(self.machine) == self._memory

    def _now_at_a_glance(self) -> Glance:
        return tuple(self.at_a_glance(wave) for wave in self.waves)

    @staticmethod
    def at_a_glance(wave: Wave) -> Hashable:
        """What is seen of a wave at a glance."""
        if not wave.activations:
            return ()
        splits: list[Hashable] = [(s.block, s.mask, s.at) for s in wave.activations[-1].splits]
        if wave.held is not None:
            splits.append(wave.held)
        return len(wave.activations), wave.turn, splits

    def _now_at(self) -> Hashable:
        """Where everybody is, and what the policies remember; what was spilled."""
        return (None if self.effects is None else self.effects.state()), tuple(
            (
                wave.turn,
                tuple(
                    (
                        a.code.name,
                        a.members,
                        a.policy.state(),
                        tuple(
                            (s.block, id(s.segment), s.at, s.mask, s.below, s.waiting, s.passing)
                            for s in a.splits
                        ),
                    )
                    for a in wave.activations
                ),
            )
            for wave in self.waves
        )


def _lane(thread: Thread, tokens: bool) -> Hashable:
    """What a thread's registers hold; its tokens, too, if ``tokens``."""
    frames: list[Hashable] = []
    frame = thread.frame if thread.alive else None
    while frame is not None:
        native = frame.native
        if native is not None and (held := native.state()) is not None:
            frames.append((frame.code.name, held, ()))
            frame = frame.caller
            continue
        values = tuple(v for v in frame.registers[1:] if tokens or not isinstance(v, Key))
        recent = tuple(frame.recent or ()) if tokens else ()
        frames.append((frame.code.name, values, recent))
        frame = frame.caller
    counts = _counts(thread.calls), _counts(thread.writing_calls)
    return thread.alive, tuple(frames), counts, thread.path_at


def _counts(calls: Mapping[str, int]) -> Hashable:
    return tuple(sorted(calls.items())) if calls else ()


def _memory(machine: LockstepMachine) -> Hashable:
    return tuple(
        (
            number,
            allocation.alive,
            None if allocation.cells is None else _contents(allocation.cells),
        )
        for number, allocation in machine.memory.changing()
    )


def _contents(cells: list[Piece]) -> Hashable:
    """What bytes show. Those in raw memory are compared as such, if they are numbers."""
    numbers = cells.numbers_only if isinstance(cells, TypedCells) else None
    return _runs(cells) if numbers is None else numbers


def _runs(cells: list[Piece]) -> Hashable:
    """The cells' contents, and where each ends; large objects are mostly one piece many times."""
    runs: list[tuple[Hashable, int]] = []
    end = 0
    for piece, run in groupby(cells):  # by identity
        end += len(list(run))
        cell = _cell(piece)
        if runs and runs[-1][0] == cell:
            runs.pop()
        runs.append((cell, end))
    return tuple(runs)


def _cell(piece: Piece) -> Hashable:
    return piece.start, piece.size, piece.kind, piece.value, piece.mask
