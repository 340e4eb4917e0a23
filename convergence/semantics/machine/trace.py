"""What ``--trace`` is told: one event a step, as data. Nothing here runs when nobody listens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from ...alignment.instances import StaticInstance
from ...ir import instructions as ir
from ...rules import Rule
from ..convergence.groups import PendingGroup
from ..convergence.keys import Key
from ..instructions.operands import result_type
from ..threads.state import Frame, Thread
from ..values.display import Json, plain
from ..values.pending import Unknown
from ..values.value import Composite, Value
from .log import Executed
from .program import Program


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

    def step(self, thread: Thread, frame: Frame, index: int, value: object, since: int) -> None:
        """An instruction was executed; ``since`` is how long the log was before."""
        instruction = frame.code.instructions[index]
        key = nth = rule = None
        executed = next((event for event in thread.log[since:] if isinstance(event, Executed)), None)
        if executed is not None:
            key, nth, rule = executed.key, executed.nth, executed.key.rule
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
            self.step(thread, frame, index, value, len(thread.log))

    def arrived(self, thread: Thread, site: StaticInstance, key: Key) -> None:
        """A thread waits at an exchange."""
        assert thread.frame is not None
        nth = thread.keys[key]
        self._tracer.tell(Arrived(thread.number, thread.frame.number, site, key, nth, key.rule))

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
