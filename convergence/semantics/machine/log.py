"""What the outside can see while a run goes on (semantics.md, *Outcomes and refinement*)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from ...alignment.instances import DynamicInstance, StaticInstance
from ...ir import instructions as ir
from ...ir.types import PTR
from ...rules import Rule
from ..convergence.groups import PendingGroup
from ..convergence.keys import Key
from ..instructions.operands import result_type
from ..threads.state import Frame, Thread
from ..values.datalayout import Layout
from ..values.display import Json, plain
from ..values.pending import Later, Unknown
from ..values.value import Composite, Value
from .program import Program


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a declared function with side effects.

    ``group`` is, for a convergent call, each member's thread and the number (from 1) of its own
    event there; ``None`` for a call that is not convergent.
    """

    instance: DynamicInstance
    callee: str
    operands: tuple[object, ...]
    result: object
    group: Mapping[int, int] | None = None


@dataclass(frozen=True, slots=True)
class VolatileAccess:
    """A volatile access; ``operands`` and ``result`` as for a call."""

    instance: DynamicInstance
    operation: str
    operands: tuple[object, ...]
    result: object


Event = Called | VolatileAccess


# -- What the outside saw of a run: events per thread, numbered, with their groups (semantics.md, §6)


class _Convergent(NamedTuple):
    """A convergent call: its group is known when the run is over."""

    called: Called
    key: Key


class Seen:
    """Collects events; a thread's are in ``Thread.events``, numbered from 1."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._numbers: dict[Key, dict[int, int]] = {}

    def call(
        self,
        thread: Thread,
        site: StaticInstance,
        callee: str,
        operands: tuple[Any, ...],
        result: Any,
        key: Key | None,
    ) -> None:
        """A call of a declared function with side effects; ``key`` if it is a convergent operation,
        whose instance is recorded already."""
        if key is None:
            nth = thread.counts[site] = thread.counts.get(site, 0) + 1
            thread.events.append(Called(DynamicInstance(thread.number, site, nth), callee, operands, result))
            return
        called = Called(DynamicInstance(thread.number, site, thread.keys[key]), callee, operands, result)
        thread.events.append(_Convergent(called, key))
        self._numbers.setdefault(key, {})[thread.number] = len(thread.events)

    def number(self, key: Key, thread: Thread) -> int:
        """Which event of the thread its convergent call with this key was."""
        return self._numbers[key][thread.number]

    def volatile(self, thread: Thread, site: StaticInstance, access: Any, value: Any) -> None:
        """A volatile load, store, read-modify-write, copy or fill."""
        thread.events.append(self.volatile_event(thread, site, access, value))

    def volatile_event(self, thread: Thread, site: StaticInstance, access: Any, value: Any) -> VolatileAccess:
        """A volatile access as an event."""
        nth = thread.counts[site] = thread.counts.get(site, 0) + 1
        shape, layout = access.shape, self._program.layout
        shown: list[Any] = [] if access.pointer is None else [plain(access.pointer, PTR, layout)]
        types = shape.operand_types(len(access.operands))
        shown += [plain(v, t, layout) for v, t in zip(access.operands, types, strict=False)]
        result = None if value is None else plain(value, shape.result_type, layout)
        instance = DynamicInstance(thread.number, site, nth)
        return VolatileAccess(instance, shape.kind, tuple(shown), result)

    def of(self, thread: Thread) -> tuple[Event, ...]:
        """A thread's events, groups filled in; for when the run is over."""
        layout, found = self._program.layout, []
        for event in thread.events:
            if isinstance(event, _Convergent):
                called, group = event.called, dict(sorted(self._numbers[event.key].items()))
                event = Called(called.instance, called.callee, called.operands, called.result, group)
            if isinstance(event, Called):
                operands = tuple(_known(operand, layout) for operand in event.operands)
                event = replace(event, operands=operands, result=_known(event.result, layout))
            if event is not None:
                found.append(event)
        return tuple(found)


def _known(shown: Any, layout: Layout) -> Any:
    """Plain data that was to come; ``"unfinished"`` in a run that stopped before."""
    if not isinstance(shown, Later):
        return shown
    return plain(shown.value.value, shown.type, layout) if shown.value.ready else "unfinished"


# -- What ``--trace`` is told: one event a step, as data. Nothing here runs when nobody listens


@dataclass(frozen=True, slots=True)
class Stepped:
    """A thread executed an instruction.

    ``frame`` is its activation's number; ``result`` the name of what it defined and ``value`` that
    value as plain data, both ``None`` if there is none. For a convergent operation or control
    intrinsic ``key`` is its key, ``nth`` says which instance it is and ``rule`` gave the key; for
    an exchange ``group`` are the threads that communicated.
    """

    thread: int
    frame: int
    site: StaticInstance
    result: str | None = None
    value: Json = None
    key: Key | None = None
    nth: int | None = None
    rule: Rule | None = None
    group: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrived:
    """A thread came to an exchange and waits for its group."""

    thread: int
    frame: int
    site: StaticInstance
    key: Key
    nth: int
    rule: Rule


TraceEvent = Stepped | Arrived


class Tracer(Protocol):
    """Is told every event, in the order in which the machine did it."""

    def tell(self, event: TraceEvent) -> None: ...


class Transcript:
    """A tracer that keeps what it is told: of an execution that may turn out to be none."""

    def __init__(self) -> None:
        self.events: list[TraceEvent] = []

    def tell(self, event: TraceEvent) -> None:
        self.events.append(event)


# -- From the machine's steps to trace events. Used only when someone listens


class Telling:
    """Makes trace events for one machine and its tracer."""

    def __init__(self, program: Program, tracer: Tracer) -> None:
        self._layout = program.layout
        self._tracer = tracer

    def step(self, thread: Thread, frame: Frame, index: int, value: object, recorded: int) -> None:
        """An instruction was executed; ``recorded`` is how many instances the thread had before."""
        instruction = frame.code.instructions[index]
        key = nth = rule = None
        if len(thread.records) > recorded:
            record = thread.records[recorded]
            key, nth, rule = record.key, record.nth, record.key.rule
        self._tracer.tell(
            Stepped(
                thread.number, frame.number, StaticInstance(frame.code.name, index), instruction.result,
                self._plain(value, instruction), key, nth, rule,
            )
        )  # fmt: skip

    def phis(self, thread: Thread, frame: Frame) -> None:
        """The block that the frame just entered: its phis took their values."""
        node = frame.code.graph.nodes[frame.code.graph.block_of[frame.segment.first]]
        for index in range(node.first, node.last):
            instruction = frame.code.instructions[index]
            if not isinstance(instruction, ir.Phi) or instruction.result is None:
                return
            value = frame.registers[frame.code.slots[instruction.result]]
            self.step(thread, frame, index, value, len(thread.records))

    def arrived(self, thread: Thread, key: Key) -> None:
        """A thread waits at an exchange."""
        record = thread.records[-1]
        assert thread.frame is not None
        self._tracer.tell(Arrived(thread.number, thread.frame.number, record.site, key, record.nth, key.rule))

    def exchanged(self, thread: Thread, frame: Frame, group: PendingGroup, value: object) -> None:
        """The thread's exchange happened."""
        site = group.exchange.site
        instruction = frame.code.instructions[site.index]
        self._tracer.tell(
            Stepped(
                thread.number, frame.number, site, instruction.result, self._plain(value, instruction),
                group.key, thread.keys[group.key], group.key.rule, tuple(sorted(group.operands)),
            )
        )  # fmt: skip

    def _plain(self, value: object, instruction: ir.Instruction) -> Any:
        """A register's content as plain data; the type is found where it is spelled."""
        if not isinstance(value, Value | Composite | Unknown):
            return None  # nothing, or a token
        layout = self._layout
        type_ = result_type(instruction, layout)
        return None if type_ is None else plain(value, type_, layout)
