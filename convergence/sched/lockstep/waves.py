"""What an executor keeps: waves, activations, and the splits that run in them; and what it issues."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, cast, overload

from ...ir.calls import control
from ...ir.instructions import Phi
from ...ir.module import Module
from ...semantics.machine.log import Issued, Log, LogEvent, MaskVisited
from ...semantics.threads.state import Code, Frame, Segment, Thread
from .policy import Mask, Policy, lanes

if TYPE_CHECKING:
    from ...semantics.native.turns import TurnPlaces


class Activation:
    """A call of a function by the lanes of ``members``, from ``parent``; ``splits`` are on their way. What
    its ``policy`` holds may be made of native turns' masks when somebody asks: by ``pending``."""

    __slots__ = ("_policy", "code", "members", "parent", "pending", "splits", "wave")

    def __init__(
        self, wave: Wave, code: Code, policy: Policy, members: Mask, parent: WarpSplit | None
    ) -> None:
        self.wave = wave
        self.code = code
        self._policy = policy
        self.pending: Callable[[], Policy] | None = None
        self.members = members
        self.parent = parent
        self.splits: list[WarpSplit] = []

    @property
    def policy(self) -> Policy:
        """The machine's state."""
        if self.pending is not None:
            self._policy, self.pending = self.pending(), None
        return self._policy

    @policy.setter
    def policy(self, policy: Policy) -> None:
        self._policy, self.pending = policy, None


class WarpSplit:
    """Lanes of ``mask`` in ``block``, at step ``at`` of ``segment``; ``below`` are the calls it waits for;
    ``gone`` the lanes that ended on the way; ``waiting`` while it waits for others with its key."""

    __slots__ = ("activation", "at", "below", "block", "gone", "mask", "passing", "segment", "waiting")

    def __init__(self, activation: Activation, block: int, mask: Mask, segment: Segment) -> None:
        self.activation = activation
        self.block = block
        self.mask = mask
        self.segment = segment
        self.at = 0
        self.below = 0
        self.gone: Mask = 0
        self.waiting = False
        self.passing = False


class Wave:
    """The lanes of one subgroup, and what they are doing. ``turn`` is whose turn it is among activations."""

    __slots__ = ("activations", "first", "issues", "number", "size", "threads", "turn")

    def __init__(self, number: int, threads: Sequence[Thread]) -> None:
        self.number = number
        self.first = threads[0].number
        self.threads = threads
        self.size = len(threads)
        self.activations: list[Activation] = []
        self.turn = 0
        self.issues = 0

    def of(self, mask: Mask) -> list[Thread]:
        """The threads of a mask's lanes."""
        return [self.threads[lane] for lane in lanes(mask)]

    def leave(self, activation: Activation) -> None:
        """An activation is over: mostly the innermost one."""
        if self.activations[-1] is activation:
            self.activations.pop()
        else:
            self.activations.remove(activation)


class SortedOut(NamedTuple):
    """Where lanes are at the end of a segment: in a callee, by function; in another block, by its number;
    ``gone`` back to the caller, or ended; or still in the block."""

    entered: dict[Code, Mask]
    targets: dict[int, Mask]
    gone: Mask
    stays: Mask


def sorted_out(
    threads: Sequence[Thread],
    before: Sequence[Frame | None],
    visits: Sequence[int],
    entries: Mapping[int, int],
) -> SortedOut:
    """Sorts lanes by where they are, given their frames and their numbers of visited blocks ``before``;
    ``entries`` are the function's blocks by the identity of their first segment."""
    entered: dict[Code, Mask] = {}
    targets: dict[int, Mask] = {}
    gone: Mask = 0
    stays: Mask = 0
    for thread, frame, visit in zip(threads, before, visits, strict=True):
        assert frame is not None
        bit = 1 << thread.lane
        now = thread.frame
        if not thread.alive or now is frame.caller:
            gone |= bit
        elif now is not frame:
            assert now is not None
            entered[now.code] = entered.get(now.code, 0) | bit
        elif frame.visit != visit:
            block = entries[id(frame.segment)]
            targets[block] = targets.get(block, 0) | bit
        else:
            stays |= bit
    return SortedOut(entered, targets, gone, stays)


class Issuer:
    """Issues instructions: to ``log``. ``latest`` is the one that was issued last; ``executed`` counts
    instructions over all lanes."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.latest: Issued | None = None
        self.executed = 0
        self._silent: dict[str, frozenset[int]] = {}

    def silent(self, code: Code) -> frozenset[int]:
        """The indices of a function's control intrinsics."""
        known = self._silent.get(code.name)
        if known is None:
            known = self._silent[code.name] = frozenset(
                i for i, instruction in enumerate(code.instructions) if control(instruction) is not None
            )
        return known

    def issue(self, split: WarpSplit, index: int, count: int, mask: Mask | None = None) -> None:
        """The instruction at ``index`` is issued for ``count`` lanes: a split's, or those of ``mask``."""
        activation: Activation = split.activation
        wave = activation.wave
        name = activation.code.name
        mask = split.mask if mask is None else mask
        self.latest = Issued(wave.issues, wave.number, name, split.block, index, mask)
        self.log.append(self.latest)
        wave.issues += 1
        self.executed += count

    def issue_all(self, split: WarpSplit, indices: Sequence[int], mask: Mask) -> None:
        """The instructions at ``indices`` are issued for a mask, one after the other."""
        wave = split.activation.wave
        name, block, first = split.activation.code.name, split.block, wave.issues
        events = [Issued(n, wave.number, name, block, index, mask) for n, index in enumerate(indices, first)]
        if events:
            self.latest = events[-1]
            self.log += events
            wave.issues += len(events)
            self.executed += len(events) * mask.bit_count()

    def for_nobody(self, split: WarpSplit) -> None:
        """A block is issued with an empty mask: slots, and nothing else happens."""
        segment: Segment | None = split.segment
        silent = self.silent(split.activation.code)
        while segment is not None:
            for index in segment.instructions(0, len(segment.steps) + 1):
                if index not in silent:
                    self.issue(split, index, 0)
            segment = segment.after


def code_size(module: Module) -> int:
    """The instructions of a module that take a slot when they are issued."""
    return sum(
        not isinstance(instruction, Phi) and control(instruction) is None
        for function in module.definitions()
        for instruction in function.instructions
    )


# ----------------------------------------------------------------------------------------------------------
# What native turns issued, in a few words each; events are made of it when somebody reads them.
# ----------------------------------------------------------------------------------------------------------


PLACE, ANSWERS = (1 << 32) - 1, (1 << 8) - 1
"""A record begins with a place, and above it how many answers there are, and the number of its wave."""


class WaveRecords(NamedTuple):
    """A ``wave`` that has records, whose next slot is ``slot``, and the places of its function."""

    places: TurnPlaces
    wave: Wave
    slot: int


class TurnRecords:
    """The turns of some ``waves``, by the numbers that records have of them. For each piece ``words`` have
    its place, its wave and how many answers there are, its mask, and each answer with its lanes. They are so
    many ``events``."""

    def __init__(self, words: array[int], waves: Mapping[int, WaveRecords], events: int) -> None:
        self.words, self.waves = words, waves
        self.count = events

    def events(self) -> Iterator[LogEvent]:
        """What was issued, and which blocks lanes came to, in order."""
        words = self.words
        slots = {number: records.slot for number, records in self.waves.items()}
        at = 0
        while at < len(words):
            head, mask = words[at], words[at + 1]
            answers, number = head >> 32 & ANSWERS, head >> 40
            places, wave, _ = self.waves[number]
            code, slot = places.compiled.code, slots[number]
            name = code.name
            indices, block, stays = places.issue(head & PLACE, words[at + 2])
            for index in indices:
                yield Issued(slot, wave.number, name, block, index, mask)
                slot += 1
            slots[number] = slot
            at += 2
            end = at + 2 * answers
            while at < end:
                if not stays:
                    into = code.blocks[places.begins(words[at])].name
                    yield MaskVisited(wave.first, words[at + 1], name, into)
                at += 2


class PackedLog(Log):
    """A log that keeps the records of native turns until it is read. It is as long as if it had them all."""

    __slots__ = ("_holds", "_packed")

    def __init__(self) -> None:
        super().__init__()
        self._packed = 0
        self._holds = False

    def pack(self, records: TurnRecords) -> None:
        """Appends all events of the records."""
        if records.count:
            cast("list[object]", self).append(records)
            self._packed += records.count - 1
            self._holds = True

    def _unpack(self) -> None:
        if self._holds:
            self._packed, self._holds = 0, False
            events: list[Any] = []
            items: Iterator[Any] = super().__iter__()
            for item in items:
                if isinstance(item, TurnRecords):
                    events += item.events()
                else:
                    events.append(item)
            list.__setitem__(self, slice(None), events)

    def __len__(self) -> int:
        return list.__len__(self) + self._packed

    def __iter__(self) -> Iterator[LogEvent]:
        self._unpack()
        return list.__iter__(self)

    def __reversed__(self) -> Iterator[LogEvent]:
        items: Iterator[Any] = list.__reversed__(self)
        for item in items:
            if isinstance(item, TurnRecords):
                yield from reversed([*item.events()])
            else:
                yield item

    def __contains__(self, event: object) -> bool:
        self._unpack()
        return list.__contains__(self, event)

    @overload
    def __getitem__(self, at: SupportsIndex) -> LogEvent: ...
    @overload
    def __getitem__(self, at: slice) -> list[LogEvent]: ...
    def __getitem__(self, at: SupportsIndex | slice) -> LogEvent | list[LogEvent]:
        self._unpack()
        return list.__getitem__(self, at)


class IssuedSteps(Sequence[Issued]):
    """What a machine issued, in order: picked out of its log when somebody asks."""

    def __init__(self, log: Iterable[LogEvent]) -> None:
        self._log = log
        self._steps: tuple[Issued, ...] | None = None

    @property
    def all(self) -> tuple[Issued, ...]:
        """Every one of them."""
        if self._steps is None:
            self._steps = tuple(event for event in self._log if isinstance(event, Issued))
        return self._steps

    def __len__(self) -> int:
        return len(self.all)

    @overload
    def __getitem__(self, at: int) -> Issued: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Issued, ...]: ...
    def __getitem__(self, at: int | slice) -> Issued | tuple[Issued, ...]:
        return self.all[at]

    def __iter__(self) -> Iterator[Issued]:
        return iter(self.all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.all == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.all)
