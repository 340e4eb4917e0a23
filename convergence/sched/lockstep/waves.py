"""What an executor keeps: waves, activations, and the splits that run in them; and what it issues."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, SupportsIndex, cast, overload

from ...alignment import StaticInstance
from ...ir.calls import control
from ...ir.instructions import Phi
from ...ir.module import Module
from ...semantics.convergence import Key, Keys
from ...semantics.convergence.rules import d_use, token_in
from ...semantics.machine import E, Executed, Issued, Log, LogEvent, MaskVisited, ObservedEvent, Result
from ...semantics.threads import Code, Frame, Segment, Thread
from ...semantics.threads.calls import wrote
from ...semantics.turn_words import PASSED
from ...semantics.values import Value
from .policy import Mask, Policy, lanes

if TYPE_CHECKING:
    from ...semantics.native.lanes import LaneCode
    from ...semantics.native.meetings import LaneExchange
    from ...semantics.native.turns import TurnPlaces
    from ...semantics.operations import ThreadPlace


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
    """The lanes of one subgroup, and what they are doing. ``turn`` is whose turn it is among activations;
    ``held``: by what it is known where lanes that run natively are in the middle of a block, if they are;
    ``waits_with``: the keys of those that came to an exchange last, natively, by lane."""

    __slots__ = ("activations", "first", "held", "issues", "number", "size", "threads", "turn", "waits_with")

    def __init__(self, number: int, threads: Sequence[Thread]) -> None:
        self.number = number
        self.first = threads[0].number
        self.threads = threads
        self.size = len(threads)
        self.activations: list[Activation] = []
        self.turn = 0
        self.issues = 0
        self.held: Hashable = None
        self.waits_with: dict[int, Key] = {}

    @property
    def alive(self) -> Mask:
        """The lanes that may still execute something."""
        return sum(1 << thread.lane for thread in self.threads if thread.alive)

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


_UNKNOWN = Value(0, False)
"""Stands where it is not noted what a lane got."""


class WaveRecords(NamedTuple):
    """A ``wave`` that has records, whose next slot is ``slot``, the places of its function, and its lanes'
    ``frames``."""

    places: TurnPlaces
    wave: Wave
    slot: int
    frames: Sequence[Frame | None]


class RecordedMachine(Protocol):
    """The machine whose lanes' instances stand in records: what it has of them once these are read. What is
    done ``again`` for that goes to a log of its own; ``forgot``: something that lanes got was not kept."""

    forgot: bool
    keys: Keys
    resolved: set[Key]

    @property
    def barriers(self) -> Sequence[MutableMapping[object, int]]: ...

    def place(self, thread: Thread) -> ThreadPlace: ...

    def again(self) -> AbstractContextManager[Log]: ...

    def saw_call(
        self, thread: Thread, site: StaticInstance, callee: str, operands: tuple[Any, ...], result: Any,
        key: Key | None,
    ) -> None: ...  # fmt: skip


class TurnRecords:
    """The turns of some ``waves``, by the numbers that records have of them. For each piece ``words`` have
    its place, its wave and how many answers there are, its mask, and each answer with its lanes; for each
    exchange its place, its wave and no answer, its mask, and what is noted of it. They are so many
    ``events``, of which some are instances if they are ``keyed``: then they are read once, in order, for so
    the ``machine`` comes to know what native code has counted of tokens. ``observed``: the outside sees some
    of them."""

    def __init__(
        self,
        words: array[int],
        waves: Mapping[int, WaveRecords],
        events: int,
        machine: RecordedMachine | None = None,
        keyed: bool = False,
        observed: bool = False,
    ) -> None:
        self.words, self.waves, self.machine = words, waves, machine
        self.count, self.keyed, self.observed = events, keyed, observed

    def events(self) -> Iterator[LogEvent]:
        """What was issued, which blocks lanes came to, and the instances that they executed, in order."""
        words = self.words
        slots = {number: records.slot for number, records in self.waves.items()}
        at = 0
        while at < len(words):
            head, mask = words[at], words[at + 1]
            answers, number = head >> 32 & ANSWERS, head >> 40
            records = self.waves[number]
            places, wave, slot = records.places, records.wave, slots[number]
            code = places.compiled.code
            name = code.name
            if not answers:
                meets, block, noted = places.meets(head & PLACE), places.block(head & PLACE), words[at + 2]
                if noted == PASSED:
                    yield from self._passed(wave, meets)
                else:
                    yield Issued(slot, wave.number, name, block, meets.site.index, mask)
                    slots[number] = slot + 1
                    yield from self._exchanged(records, meets, mask, at + 2)
                at += 3 + (noted & PLACE)
                continue
            indices, block, stays, controls = places.issue(head & PLACE, words[at + 2])
            done = 0
            for k, before in controls:
                for index in indices[done:before]:
                    yield Issued(slot, wave.number, name, block, index, mask)
                    slot += 1
                done = before
                yield from self._counted(records, head & PLACE, k, mask)
            for index in indices[done:]:
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

    def exchanges(self) -> Iterator[tuple[Wave, StaticInstance, Mask]]:
        """The exchanges to which lanes of waves came, in order."""
        at, words = 0, self.words
        while self.keyed and at < len(words):
            head = words[at]
            if answers := head >> 32 & ANSWERS:
                at += 2 + 2 * answers
                continue
            if words[at + 2] != PASSED:
                records = self.waves[head >> 40]
                yield records.wave, records.places.meets(head & PLACE).site, words[at + 1]
            at += 3 + (words[at + 2] & PLACE)

    def _counted(self, records: WaveRecords, place: int, k: int, mask: Mask) -> Iterator[LogEvent]:
        """Lanes execute a control intrinsic, a step of the segment of a place."""
        assert self.machine is not None
        step = records.places.compiled.places[place].segment.steps[k]
        with self.machine.again() as log:
            for lane in lanes(mask):
                thread, frame = records.wave.threads[lane], records.frames[lane]
                assert frame is not None
                now, thread.frame, at = thread.frame, frame, thread.at
                step(frame.registers)
                thread.frame, thread.at = now, at
        yield from log

    def _exchanged(
        self, records: WaveRecords, meets: LaneExchange, mask: Mask, at: int
    ) -> Iterator[LogEvent]:
        """Lanes exchange something; from the word ``at`` on stands what is noted of it."""
        machine, compiled, threads = self.machine, records.places.compiled, records.wave.threads
        assert machine is not None
        noted, keys = self._noted(meets, at, compiled.stride), dict[int, Key]()
        with machine.again() as log:
            for lane in lanes(mask):
                thread, frame = threads[lane], records.frames[lane]
                assert frame is not None
                key = keys[lane] = self._key(compiled, meets, thread, frame, noted, lane)
                thread.record(frame, meets.site, key)
                if meets.alone is not None:
                    log.append(Result(thread.number, key, records.places.gives(meets, machine.place(thread))))
                if meets.observed is not None and meets.observed.written:
                    wrote(thread, meets.observed.written, meets.observed.only)
                if meets.barrier is not None:
                    machine.barriers[thread.number][meets.barrier] += 1
        yield from log
        if meets.alone is not None:
            return
        records.wave.waits_with = keys
        if meets.barrier is None:
            yield from self._passed(records.wave, meets)
        if meets.home is not None:
            machine.forgot = machine.forgot or len(noted) < len(meets.listed)
            for lane, key in keys.items():
                own = {word: values[lane] for word, values in noted.items()}
                value = _UNKNOWN if machine.forgot else meets.result(own)
                yield Result(threads[lane].number, key, value)

    def _passed(self, wave: Wave, meets: LaneExchange) -> Iterator[LogEvent]:
        """The lanes that exchanged something go on."""
        machine, keys = self.machine, wave.waits_with
        assert machine is not None
        machine.resolved.add(next(iter(keys.values())))
        if meets.observed is not None:
            assert meets.exchange is not None
            site, name, shown = meets.site, meets.exchange.callee.name, meets.observed.shown
            with machine.again() as log:
                for lane, key in keys.items():
                    machine.saw_call(wave.threads[lane], site, name, shown, None, key)
            yield from log

    def _noted(self, meets: LaneExchange, at: int, stride: int) -> dict[int, Sequence[int]]:
        """What is noted of an exchange, word by word, of each for all lanes."""
        info, noted = self.words[at], dict[int, Sequence[int]]()
        end, apart = at + 1 + (info & PLACE), info >> 32
        at += 1
        for n, word in enumerate(meets.listed):
            if at == end:
                break
            size = stride if apart >> n & 1 else 1
            noted[word] = self.words[at : at + size] if size > 1 else (self.words[at],) * stride
            at += size
        return noted

    def _key(
        self, compiled: LaneCode, meets: LaneExchange, thread: Thread, frame: Frame,
        noted: Mapping[int, Sequence[int]], lane: int,
    ) -> Key:  # fmt: skip
        """The key of a lane's instance of an exchange."""
        site = meets.site
        if meets.token >= 0:
            return d_use(thread, frame, site, token_in(frame, meets.token))
        assert self.machine is not None and frame.root is not None
        keys, recent = self.machine.keys, dict[int, Key | None]()
        innermost = None
        for header in compiled.headers:
            word = compiled.counts + header.cycle
            if word in meets.headers:
                above, n = recent.get(header.around), noted[word][lane]
                if n:
                    above = keys.header(header.site, header.block, frame.root, above, n)
                innermost = recent[header.cycle] = above
        return keys.maximal(site, frame.root, innermost)


RECORDED = (Issued, MaskVisited, Executed, Result)
"""The events of which records tell; and some that the outside sees, if they say so."""


class PackedLog(Log):
    """A log that keeps the records of native turns until it is read. It is as long as if it had them all."""

    __slots__ = ("_holds", "_keyed", "_observed", "_packed")

    def __init__(self) -> None:
        super().__init__()
        self._packed = 0
        self._holds = self._observed = False
        self._keyed = -1

    def pack(self, records: TurnRecords) -> None:
        """Appends all events of the records."""
        if records.count:
            if records.keyed and self._keyed < 0:
                self._keyed = list.__len__(self)
            self._observed = self._observed or records.observed
            cast("list[object]", self).append(records)
            self._packed += records.count - 1
            self._holds = True

    def settle(self) -> None:
        """The instances in records have been read, so that the threads' keys and tokens are what they are
        now."""
        if self._keyed >= 0:
            first, self._keyed = self._keyed, -1
            self._read(first, every=False)

    @property
    def is_settled(self) -> bool:
        """Whether they have."""
        return self._keyed < 0

    def _unpack(self) -> None:
        if self._holds:
            self._holds, self._keyed = False, -1
            self._read(0, every=True)

    def _read(self, first: int, every: bool) -> None:
        """From an item on the log has events in the place of those records that have instances, or of
        ``every`` one."""
        items: list[Any] = list.__getitem__(self, slice(first, None))
        events: list[Any] = []
        for item in items:
            if isinstance(item, TurnRecords) and (every or item.keyed):
                before = len(events)
                events += item.events()
                assert len(events) - before == item.count
                self._packed -= item.count - 1
            else:
                events.append(item)
        list.__setitem__(self, slice(first, None), events)

    def of(self, kind: type[E], exchanged: bool = True) -> Sequence[E]:
        """As :meth:`Log.of`; records are read only for what may be in them."""
        recorded = kind in RECORDED or (kind is ObservedEvent and exchanged and self._observed)
        if recorded or not self._holds:
            return super().of(kind, exchanged)
        return [event for event in list.__iter__(self) if event.__class__ is kind]

    def items(self) -> Iterator[LogEvent | TurnRecords]:
        """Its events, and records as they are."""
        return list.__iter__(self)

    def __len__(self) -> int:
        return list.__len__(self) + self._packed

    def __iter__(self) -> Iterator[LogEvent]:
        self._unpack()
        return list.__iter__(self)

    def __reversed__(self) -> Iterator[LogEvent]:
        behind = 0
        while self._holds:
            last = list.__len__(self) - 1 - behind
            if last < 0:
                return
            item: Any = list.__getitem__(self, last)
            if isinstance(item, TurnRecords):
                self._unpack()
                break
            behind += 1
            yield item
        for at in range(list.__len__(self) - 1 - behind, -1, -1):
            yield list.__getitem__(self, at)

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
    """What a machine issued, in order: picked out of its log when somebody asks. ``count``: so many, if that
    is known."""

    def __init__(self, log: Iterable[LogEvent], count: int | None = None) -> None:
        self._log = log
        self._count = count
        self._steps: tuple[Issued, ...] | None = None

    @property
    def all(self) -> tuple[Issued, ...]:
        """Every one of them."""
        if self._steps is None:
            self._steps = tuple(event for event in self._log if isinstance(event, Issued))
        return self._steps

    def __len__(self) -> int:
        return len(self.all) if self._count is None else self._count

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
