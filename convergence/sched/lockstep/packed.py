"""What native turns issued, in a few words each; events are made of it when somebody reads them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, cast, overload

from ...semantics.machine.log import Issued, Log, LogEvent, MaskVisited
from .waves import Wave

if TYPE_CHECKING:
    from ...semantics.native.turns import TurnPlaces

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
