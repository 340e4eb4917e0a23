"""How one thread runs: its state, prepared code, terminators and calls.

Here: prepared code, the activations that run it, threads, and what a thread asks of its environment, as
data only.

A function is compiled once into blocks of *segments*: straight-line steps that touch only the
registers, closed by a *finish*, which may move the thread to another segment or frame, or stop it.
Every operand is a register: constants are preloaded. Register 0 holds the thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from ...alignment import DynamicInstance, StaticInstance
from ...frozen import dataclass
from ...ir import Local
from ...ir.instructions import Instruction, operands
from ..machine import Ended, Executed, Log, Visited

if TYPE_CHECKING:
    from ...ir import Type
    from ...ir.module import Function
    from ...rules import Rule
    from ..convergence import ChosenLabel, Key, Keys, LaunchGroup, Root, SwitchedCase
    from ..convergence.reachability import Graph
    from ..machine.program import Program
    from ..memory.allocations import Memory
    from ..memory.synchronisation import MemoryFence
    from ..operations import Exchanging, ThreadPlace

Registers = list[Any]
Step = Callable[[Registers], None]
Finish = Callable[["Thread", "Frame"], "Frame | None"]
"""Ends a segment: gives the frame to go on in, or ``None`` when the thread stopped."""


Make = Callable[["Segment"], Finish]
"""A stop, given the segment in which the thread goes on."""


@dataclass(frozen=True, slots=True)
class Runs:
    """An instruction prepared as a step within its segment."""

    step: Step


@dataclass(frozen=True, slots=True)
class Stops:
    """An instruction prepared as the end of its segment."""

    make: Make


Planned = Runs | Stops


def as_finish(planned: Planned, after: Segment) -> Finish:
    """A prepared instruction as the end of a segment, followed by ``after``."""
    if isinstance(planned, Stops):
        return planned.make(after)
    step = planned.step

    def finish(thread: Thread, frame: Frame) -> Frame | None:
        step(frame.registers)
        frame.segment = after
        return frame

    return finish


class Segment:
    """Steps without a stop, then one ``finish``.

    ``steps``      in order
    ``indices``    the instruction index of each step
    ``slots``      the register that each step writes, -1 for none (what a trace shows)
    ``finish``     how the segment ends
    ``cost``       instructions executed by passing through it
    ``first``      the instruction index at which it begins
    ``last``       the instruction index of what ``finish`` executes
    ``promises``   places among the steps of those that are no instruction: they look after what a result or a
                   parameter promises
    ``after``      the segment behind it in the same block, if any
    """

    __slots__ = ("after", "cost", "finish", "first", "indices", "last", "promises", "slots", "steps")

    def __init__(self, first: int) -> None:
        self.steps: tuple[Step, ...] = ()
        self.indices: tuple[int, ...] = ()
        self.slots: tuple[int, ...] = ()
        self.promises: frozenset[int] = frozenset()
        self.finish: Finish = _unfinished
        self.cost = 0
        self.first = first
        self.last = first
        self.after: Segment | None = None

    def instructions(self, begin: int, end: int) -> tuple[int, ...]:
        """The indices of the instructions from one place to before another; ``finish`` is the last place."""
        places = range(begin, min(end, len(self.steps)))
        steps = tuple(self.indices[at] for at in places if at not in self.promises)
        return (*steps, self.last) if self.cost and end > len(self.steps) else steps


def _unfinished(thread: Thread, frame: Frame) -> Frame | None:
    raise AssertionError("a segment without an end")


class CodeBlock:
    """A prepared block: where it begins, and, where headers are counted, whose header it is.

    ``cycle`` is the number of the innermost cycle around it, -1 for none; ``heads`` are the cycles
    whose most recent header instance changes when the block is entered (its own cycle and all
    inside it), empty for a block that is no header. ``visited`` is what a log says of a visit, by thread.
    """

    __slots__ = ("cycle", "entry", "function", "heads", "name", "number", "visited")

    def __init__(self, function: str, name: str, number: int) -> None:
        self.function = function
        self.name = name
        self.number = number
        self.cycle = -1
        self.heads: tuple[int, ...] = ()
        self.entry = Segment(0)
        self.visited = Visits(function, name)

    @property
    def segments(self) -> Iterator[Segment]:
        """Its segments, in the order in which a thread comes to them."""
        segment: Segment | None = self.entry
        while segment is not None:
            yield segment
            segment = segment.after


class Visits(dict[int, Visited]):
    """The visits of one block by each thread, made once: threads come to a block often."""

    def __init__(self, function: str, block: str) -> None:
        super().__init__()
        self._function = function
        self._block = block

    def __missing__(self, thread: int) -> Visited:
        visited = self[thread] = Visited(thread, self._function, self._block)
        return visited


class Code:
    """A prepared function.

    ``initial``       the registers of a new frame: constants, and UNSET elsewhere
    ``parameters``    the registers of the parameters
    ``slots``         each SSA name's register
    ``token_of``      by the instruction index of a token's use: the token's register
    ``token_slots``   the registers that hold tokens
    ``token_moves``   by an edge's blocks: the registers from which and into which phis take tokens there;
                      none in a valid function
    ``defined_at``    by a token's register: the instruction index of its definition
    ``cycles``        how many cycles are counted (0 where no rule asks for headers)
    ``around``        by block number: the headers, as block numbers, of the cycles around the block
    ``region_tokens`` by a call's instruction index: the registers of tokens whose regions contain it
    ``calls``         what prepared its calls, if it has some, and prepares those through pointers
    """

    __slots__ = (
        "around", "blocks", "calls", "cycles", "defined_at", "function", "graph", "initial", "instructions",
        "name", "parameters", "region_tokens", "slots", "token_moves", "token_of", "token_slots",
    )  # fmt: skip

    def __init__(self, function: Function, graph: Graph) -> None:
        self.function = function
        self.name = function.name
        self.graph = graph
        self.instructions: tuple[Instruction, ...] = function.instructions
        self.initial: Registers = []
        self.parameters: tuple[int, ...] = ()
        self.blocks: tuple[CodeBlock, ...] = ()
        self.slots: dict[str, int] = {}
        self.token_of: dict[int, int] = {}
        self.token_slots: tuple[int, ...] = ()
        self.token_moves: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
        self.defined_at: dict[int, int] = {}
        self.cycles = 0
        self.around: tuple[frozenset[int], ...] = ()
        self.region_tokens: dict[int, tuple[int, ...]] = {}
        self.calls: Any = None

    def take_apart(self) -> None:
        """Drops what code that is needed no more has in cycles: no collector has to find them."""
        for block in self.blocks:
            for segment in tuple(block.segments):
                segment.steps, segment.finish, segment.after = (), _unfinished, None
        if self.calls is not None:
            vars(self.calls).clear()

    def reads(self, index: int) -> tuple[str, ...]:
        """The SSA names that an instruction reads, phis apart."""
        return tuple(o.name for o in operands(self.instructions[index]) if isinstance(o, Local))


class Frame:
    """One activation.

    ``registers``  its SSA values
    ``segment``    what it executes next
    ``caller``     the frame that called it, ``None`` at the launch
    ``number``     its number in the thread, 0 for the launched function
    ``root``       what its convergence hangs from; ``None``: a call without a key, in which an
                   ``entry`` has to choose
    ``recent``     per cycle the most recent instance of a header around it (mode maximal)
    ``loops``      per ``loop`` the token value that it last met, and how often
    ``cases``      per switch the key of the case's anchor that it executed last (R-CASE)
    ``visit``      the place of its current block visit in the log
    ``call``       the call site in the caller, as an instruction index
    ``result``     the caller's register for the result, -1 for none
    ``allocas``    what to release on return
    ``native``     where its live registers are, while native code runs it
    """

    __slots__ = (
        "_recent", "allocas", "call", "caller", "cases", "code", "loops", "native", "number", "registers",
        "result", "root", "segment", "visit",
    )  # fmt: skip

    def __init__(
        self, code: Code, registers: Registers, caller: Frame | None, number: int, root: Root | None
    ) -> None:
        self.code = code
        self.registers = registers
        self.segment = code.blocks[0].entry
        self.caller = caller
        self.number = number
        self.root = root
        self._recent: list[Key | None] | None = [None] * code.cycles if code.cycles else None
        self.loops: dict[int, tuple[Key, int]] | None = None
        self.cases: dict[int, Key] | None = None
        self.visit = 0
        self.call = -1
        self.result = -1
        self.allocas: list[Any] | None = None
        self.native: Any = None

    @property
    def recent(self) -> list[Key | None] | None:
        """Per cycle the most recent header instance."""
        if self.native is not None:
            self.native.settle_headers(self, self._recent)
        return self._recent


class Unset:
    """What a register holds before its definition has run: only a program that breaks SSA reads it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "unset"


UNSET = Unset()
UNEXECUTED = "a use of a value whose definition was not executed"
"""What has no model: only broken SSA form has such uses."""


class Status(Enum):
    """``READY`` to run, ``WAITING`` at an exchange, ``BLOCKED``: needs a value that is not there yet,
    ``RETURNED`` from the launched function, ``EXITED`` by a call that ends it, ``OFF``: never launched, as
    its quad has no covered lane."""

    READY = "ready"
    WAITING = "waiting"
    BLOCKED = "blocked"
    RETURNED = "returned"
    EXITED = "exited"
    OFF = "off"


class Thread:
    """One thread.

    ``number``   from 0, over all launch groups
    ``launch``   its launch group
    ``frame``    the innermost activation; ``bottom`` the launched function's
    ``depth``    how many activations there are
    ``status``   whether it can run; ``alive`` whether it may still execute something
    ``at``       the instruction index of the operation at which it waits or accesses memory
    ``keys``     the key of each instance that it executed -> nth
    ``holders``  a key that others hang from -> the frame in which they do: a token's, a call's
    ``counts``   how often it executed each static instance that is recorded
    ``log``      what its environment's log says of it goes there
    ``events``   how many events the outside has seen of it
    ``calls``    how often it called each declared function that has no model and may depend on that
    ``writing_calls``  how many of its calls and volatile accesses may have written, by kind of place
    ``wrote``    what the latest such call was, with which operands, if that reads nothing, by kind of place
    ``ended``    how it ended
    ``epoch``    grows whenever it has moved
    ``last``     the class of its latest instance in convergence-before
    ``way``      the key of its latest anchor that is bound by ways (R-UNIFORM), ``None`` before there is one
    """

    __slots__ = (
        "alive",
        "at",
        "bottom",
        "calls",
        "counts",
        "depth",
        "ended",
        "environment",
        "epoch",
        "events",
        "frame",
        "frames_made",
        "holders",
        "keys",
        "last",
        "launch",
        "log",
        "memory",
        "number",
        "path",
        "path_at",
        "pending",
        "status",
        "steps",
        "way",
        "writing_calls",
        "wrote",
    )  # fmt: skip

    def __init__(self, number: int, launch: LaunchGroup, environment: Environment) -> None:
        self.number = number
        self.launch = launch
        self.environment = environment
        self.memory: Any = environment.memory
        self.log = environment.log
        self.status = Status.READY
        self.alive = True
        self.bottom: Frame | None = None
        self.frame: Frame | None = None
        self.depth = 0
        self.frames_made = 0
        self.at = -1
        self.pending: Any = None
        self.keys: dict[Key, int] = {}
        self.holders: dict[Any, Frame] = {}
        self.counts: dict[StaticInstance, int] = {}
        self.events = 0
        self.calls: dict[str, int] = {}
        self.writing_calls: dict[str, int] = {}
        self.wrote: dict[str, object] = {}
        self.epoch = 0
        self.last: int = -1
        self.way: Key | None = None
        self.ended: Ended | None = None
        self.steps = 0
        self.path: Sequence[str] | None = None
        self.path_at = 0

    def end(self, status: Status, value: Any = None) -> None:
        """It returned a value, or exited."""
        self.status = status
        self.alive = False
        self.ended = Ended(self.number, status.value, value)
        self.log.append(self.ended)

    @property
    def lane(self) -> int:
        """Its number within its launch group."""
        return self.number - self.launch.first

    def executes(self, site: StaticInstance) -> DynamicInstance:
        """The dynamic instance of ``site`` that it executes now."""
        instance = self.next_instance(site)
        self.counts[site] = instance.nth
        return instance

    def next_instance(self, site: StaticInstance) -> DynamicInstance:
        """The dynamic instance that executing ``site`` now would be."""
        return DynamicInstance(self.number, site, self.counts.get(site, 0) + 1)

    def record(self, frame: Frame, site: StaticInstance, key: Key) -> None:
        """Executes an instance of a convergent operation or control intrinsic with this key.

        Raises IllegalExecution when the thread has met the key before, or the order has a cycle.
        """
        nth = self.counts.get(site, 0) + 1
        self.counts[site] = nth
        self.environment.execute(self, Executed(self.number, site, nth, key))

    def position(self, frame: Frame) -> int:
        """The instruction index that ``frame``, one of its own, executes next."""
        return self.at if frame is self.frame and self.at >= 0 else frame.segment.first


@dataclass(frozen=True, slots=True, eq=False)
class Exchange:
    """A call site that exchanges data, prepared.

    ``types`` are the operands', ``type`` is the result's; ``result`` is the register for it (-1: none),
    ``after`` where threads go on. ``fence``: for a barrier, what it orders (D-SYNC); ``workgroup``: for one
    of the workgroup, which one it is; ``members``: how many threads that waits for, if not all, and if that
    is a constant.
    """

    site: StaticInstance
    name: str
    callee: str
    types: tuple[Type, ...]
    type: Type
    result: int
    after: Segment
    model: Exchanging
    stand_in: bool = False
    fence: MemoryFence | None = None
    workgroup: str | None = None
    members: int | None = None

    @property
    def parts(self) -> bool:
        """Whether each thread comes to the barrier for itself. One for a number of threads that is no
        constant is as others are, where there is one launch group to come to it."""
        return self.model.parts and (self.model.members is None or self.members is not None)

    def part(self, release: bool) -> tuple[MemoryFence, ...]:
        """The fence that a barrier is before its threads wait (``release``), or behind, if it is one
        there."""
        part = None if self.fence is None else self.fence.part(release)
        return () if part is None else (part,)


class Environment(Protocol):
    """All that a thread cannot do alone: each method is where its rules live.

    ``program``    what runs, prepared
    ``memory``     the memory that the thread's own accesses go to
    ``keys``       every key made so far
    ``log``        what happens
    ``warnings``   what is legal but suspicious; ``stand_ins`` the callees without a model
    """

    program: Program
    memory: Memory
    keys: Keys
    log: Log
    warnings: dict[tuple[Rule, StaticInstance], None]
    stand_ins: dict[str, None]

    def execute(self, thread: Thread, executed: Executed) -> None:
        """The thread executes an instance of a convergent operation or control intrinsic (D-EQ, D-ORDER)."""

    def label(
        self,
        thread: Thread,
        site: StaticInstance,
        what: str,
        key_of: Callable[[ChosenLabel], Key],
        recorded: bool = True,
        case: SwitchedCase | None = None,
    ) -> Key:
        """The key of an instance whose group is free (D-ANCHOR, D-FREE, mode any); ``case``: with what the
        thread comes to an anchor that has a bound."""

    def switched_on(self, value: Any) -> Any:
        """The bits of a value that a switch has gone by; of a candidate trace a term."""

    def arrive(
        self, thread: Thread, key: Key, exchange: Exchange, operands: tuple[Any, ...], shown: tuple[Any, ...]
    ) -> Frame | None:
        """The thread, whose instance is recorded, comes to an exchange (D-THREAD): ``None`` if it waits."""

    def target(self, thread: Thread, site: StaticInstance, labels: tuple[str, ...]) -> int:
        """The number of the label at which a ``callbr`` of what nobody models goes on."""

    def gave(self, thread: Thread, key: Key | None, value: Any) -> None:
        """An instance of an operation that asks no one else returned a value."""

    def place(self, thread: Thread) -> ThreadPlace:
        """Where the thread stands among the others."""

    def release(self, thread: Thread, objects: list[Any]) -> None:
        """A frame's stack objects end (D-MEM: after the accesses before)."""

    def fence(self, thread: Thread, site: StaticInstance, fence: MemoryFence) -> None:
        """The thread comes to a fence (D-SYNC)."""

    def signal(self, thread: Thread, name: str, members: int | None) -> None:
        """The thread arrives at a barrier of the workgroup, and does not wait for it."""

    def saw_call(
        self,
        thread: Thread,
        site: StaticInstance,
        callee: str,
        operands: tuple[Any, ...],
        result: Any,
        key: Key | None,
    ) -> None:
        """A call that the outside sees."""

    def saw_volatile(self, thread: Thread, frame: Frame, index: int, access: Any, value: Any) -> None:
        """A volatile access, done."""
