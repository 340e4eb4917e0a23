"""Prepared code, and the activations that run it.

A function is compiled once into blocks of *segments*: straight-line steps that touch only the
registers, closed by a *finish*, which may move the thread to another segment or frame, or stop it.
Every operand is a register: constants are preloaded. Register 0 holds the thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...ir.operands import Local
from ..instructions import operands

if TYPE_CHECKING:
    from ...ir.instructions import Instruction
    from ...ir.module import Function
    from ..convergence.keys import HeaderKey, Key, Root
    from ..convergence.reachability import Graph
    from .step import Thread

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
    ``after``      the segment behind it in the same block, if any
    """

    __slots__ = ("after", "cost", "finish", "first", "indices", "last", "slots", "steps")

    def __init__(self, first: int) -> None:
        self.steps: tuple[Step, ...] = ()
        self.indices: tuple[int, ...] = ()
        self.slots: tuple[int, ...] = ()
        self.finish: Finish = _unfinished
        self.cost = 0
        self.first = first
        self.last = first
        self.after: Segment | None = None


def _unfinished(thread: Thread, frame: Frame) -> Frame | None:
    raise AssertionError("a segment without an end")


class CodeBlock:
    """A prepared block: where it begins, and, where headers are counted, whose header it is.

    ``cycle`` is the number of the innermost cycle around it, -1 for none; ``heads`` are the cycles
    whose most recent header instance changes when the block is entered (its own cycle and all
    inside it), empty for a block that is no header.
    """

    __slots__ = ("cycle", "entry", "function", "heads", "name", "number")

    def __init__(self, function: str, name: str, number: int) -> None:
        self.function = function
        self.name = name
        self.number = number
        self.cycle = -1
        self.heads: tuple[int, ...] = ()
        self.entry = Segment(0)


class Code:
    """A prepared function.

    ``initial``       the registers of a new frame: constants, and UNSET elsewhere
    ``parameters``    the registers of the parameters
    ``slots``         each SSA name's register
    ``token_of``      by the instruction index of a token's use: the token's register
    ``token_slots``   the registers that hold tokens
    ``defined_at``    by a token's register: the instruction index of its definition
    ``cycles``        how many cycles are counted (0 where no rule asks for headers)
    ``around``        by block number: the headers, as block numbers, of the cycles around the block
    ``region_tokens`` by a call's instruction index: the registers of tokens whose regions contain it
    """

    __slots__ = (
        "around", "blocks", "cycles", "defined_at", "function", "graph", "initial", "instructions", "name",
        "parameters", "region_tokens", "slots", "token_of", "token_slots",
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
        self.defined_at: dict[int, int] = {}
        self.cycles = 0
        self.around: tuple[frozenset[int], ...] = ()
        self.region_tokens: dict[int, tuple[int, ...]] = {}

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
    ``visit``      the place of its current block visit in the thread's trace
    ``call``       the call site in the caller, as an instruction index
    ``result``     the caller's register for the result, -1 for none
    ``allocas``    what to release on return
    """

    __slots__ = (
        "allocas", "call", "caller", "code", "loops", "number", "recent", "registers", "result", "root",
        "segment", "visit",
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
        self.recent: list[HeaderKey | None] | None = [None] * code.cycles if code.cycles else None
        self.loops: dict[int, tuple[Key, int]] | None = None
        self.visit = 0
        self.call = -1
        self.result = -1
        self.allocas: list[Any] | None = None


class Unset:
    """What a register holds before its definition has run: only a program that breaks SSA reads it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "unset"


UNSET = Unset()
