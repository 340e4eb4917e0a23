"""The words by which native turns and who asks for them know each other: of a wave's turns, of places, of
rows and rounds; and why turns come back. Nothing here needs LLVM.

The code that reads them is :mod:`.native.turns`, who asks is :mod:`convergence.sched.lockstep.rounds`.
"""

from __future__ import annotations

from enum import IntEnum

STATE, TARGETS, FREE, LIMIT = 256, 256, 320, 1024
"""Registers for masks: those of a node are the first, at most ``STATE``; then those that go to each successor
of a block, by place among them; then what is computed of these."""
REGISTERS = LIMIT + STATE
STEP = 4
"""The words of a step of a tree."""


class TurnWord(IntEnum):
    """The words of a wave's turns. ``NODE``: of the pool; ``PLACE`` and ``MASK``: what runs; ``PHASE``: where
    to go on; ``LEFT``: turns before somebody looks; ``EXECUTED`` more than ``MOST``: nor further; ``LOG``:
    the next free word, ``ROOM``: behind the last; ``TICKS``, ``INSTRUCTIONS``, ``SLOTS``, ``VISITS``,
    ``PIECES``, ``TURNS``: counts; ``WATCHED``: the address of a lane's words, 0 for nobody; if it is at
    ``WATCHED_PLACE`` and its words at the ``LIVE`` offsets from ``OFFSETS`` on are those from ``KEPT`` on,
    somebody looks; ``COUNT``: answers; ``KNOWN``: lanes with words; ``RAN``: lanes that ran; ``WAVE``: its
    number in records; ``FULL``: the lanes that are alive; ``HELD``: a :class:`Hold`; ``EXCHANGES``,
    ``DRIVER`` and ``PARTS``: the addresses of the function's exchanges, of code that does one, and of what
    they give; ``ANSWERED``: whether lanes have that already; ``KEEPS``: whether what they get is noted;
    ``EVENTS``: a count, beside what was issued and visited; ``PARTED``: whether some lanes met that are not
    all of those with their key, as far as is known; ``OBSERVED``: whether the outside sees some of them.
    ``ARRIVED``, ``ALIVE`` and ``APART`` are the addresses of :class:`BarrierTable`; the wave is number
    ``OWN`` there, and those of its workgroup are from ``FROM`` to before ``TO``; ``AT``: the exchange where
    it waits for them. ``GIVES``: the address of what places give to lanes, 0 where that is not known."""

    NODE, PLACE, MASK, PHASE, LEFT, EXECUTED, MOST, LOG, ROOM, TICKS = range(10)
    INSTRUCTIONS, SLOTS, VISITS, PIECES, TURNS, WATCHED, WATCHED_PLACE = range(10, 17)
    OFFSETS, LIVE, KEPT, COUNT, KNOWN, RAN, WAVE = range(17, 24)
    FULL, HELD, EXCHANGES, DRIVER, PARTS, ANSWERED, KEEPS, EVENTS, PARTED, OBSERVED = range(24, 34)
    ARRIVED, ALIVE, APART, OWN, FROM, TO, AT, GIVES, WORDS = range(34, 43)


class MaskCode(IntEnum):
    """The first word of a step of a tree: what is done with masks. The first two are leaves, where another
    node is reached; those from ``SOME`` on ask for what was so, and else go elsewhere; those from ``LEAVE``
    on end the tree without a node: ``TAKE`` runs the first lane of a queue."""

    RUNNING, READY, AND, OR, XOR, NOT, ADD, CONSTANT, SOME, NONE, EQUAL, DIFFERENT, LEAVE, TAKE = range(14)


class QueueRegister(IntEnum):
    """The registers of a machine whose lanes run alone: where its queue begins, how many wait in it, and a
    ring of ``LANES`` words from ``RING`` on, each a lane and, from bit ``SHIFT`` on, its block. ``ALL`` of
    them."""

    HEAD, COUNT, RING = range(3)
    SHIFT = 8
    LANES = 64
    ALL = RING + LANES


class RowWord(IntEnum):
    """The words of a wave in the table of those that take turns: its :class:`RowState`, the addresses of its
    turns' words, of code, trees, hits, registers, places and lanes, the number of its first thread, and the
    word of a lane's place and the address of code for vectors."""

    STATE, TURNS, CODE, POOL, HITS, REGISTERS, PLACES, LANES, FIRST, AT, VECTORS, WORDS = range(12)


class RowState(IntEnum):
    """Whether a wave has nothing to do, has turns, or is the executor's."""

    IDLE, TURNS, ELSEWHERE = range(3)


class RoundWord(IntEnum):
    """The words of rounds: ``LEFT`` before somebody looks, ``EXECUTED`` more than ``MOST``: nor further;
    ``LOG``: the next free word; ``ROUNDS``: how many are over; ``WATCHED``: the number of the wave of which a
    lane is watched, -1 for none; ``MOVED``: whether a wave had a turn in this round."""

    LEFT, EXECUTED, MOST, LOG, ROUNDS, WATCHED, MOVED, WORDS = range(8)


class PlaceWord(IntEnum):
    """What is known of a place: its segment and step; the block that begins there, -1 for none; what was
    issued of the segment before it, and is in all, with slots and without; the clock's ticks in all; whether
    native code is entered there; how many control intrinsics are before it, and in all; the address of code
    that compares keys, 0 where lanes do not meet; whether they are held there; the number of the exchange,
    from 1, 0 for none."""

    SEGMENT, STEP, BLOCK, SHOWN, COUNT, ALL_SHOWN, ALL, ALL_TICKS, ENTRY = range(9)
    CONTROLS, ALL_CONTROLS, ALIKE, HOLDS, EXCHANGE, WORDS = range(9, 15)


class Phase(IntEnum):
    """Where turns go on: with a pick, with lanes that run, or with what the policy makes of their answers."""

    PICK, RUN, AFTER = range(3)


class Pause(IntEnum):
    """Why turns came back: the tree of a pick, or of answers, does not say; nothing native is picked; lanes
    are not at the place; their answers are not all plain; the turn is over, and somebody has to look;
    there is no room for records; what lanes get at an exchange is to be asked; or the wave waits for others,
    and had no turn."""

    PICK, AFTER, LEAVE, ELSEWHERE, ANSWERED, LOOK, ROOM, EXCHANGE, WAITS = range(9)


class Hold(IntEnum):
    """What lanes in the middle of a block wait for: for nothing; on a machine that holds them at an operation
    with a key, to be let go, which takes a turn, or to go on, which is another one; for the other waves of
    their workgroup, at a barrier."""

    NONE, HELD, PASSING, BARRIER = range(4)


class Met(IntEnum):
    """What became of lanes where they meet: they run on, and are held no longer once they have; they have
    what they exchange, and are at the place behind it; they are held; it is not known here; what they get is
    to be asked."""

    RUNS, EXCHANGED, HELD, ELSEWHERE, ASKS = range(5)


RECORD = 6 + 16 * 64
"""The words of the longest record, and of the one that says that a barrier was passed."""
PASSED = 1 << 62
"""Stands in the third word of a record: the lanes that came to the barrier go on."""
