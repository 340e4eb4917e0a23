"""One thread alone: D-THREAD without its groups.

A thread is a function of its arguments and of the results that its exchanges returned so far.
:class:`Threads` gives the trace that it has run by then: up to its next exchange, or to its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .programs import (
    Anchor,
    Branch,
    Compute,
    Effect,
    Entry,
    Exchange,
    Function,
    Goto,
    Instruction,
    Invocation,
    Loop,
    Phi,
    Program,
    Return,
    Terminator,
    Value,
)

MASK = 0xFFFFFFFF


class TooLong(Exception):
    """A thread, or a search, went over its bound: no answer."""


class Node(NamedTuple):
    """A dynamic instance: the ``nth`` execution of an instruction by a thread.

    ``site`` is the instruction: its function and its number there, in text order.
    ``token`` is the position in the thread's trace of the instance that produced the token used.
    ``convergent``: a convergent operation or control intrinsic; ``first``: first in its block.
    """

    site: tuple[str, int]
    nth: int
    frame: int
    block: str
    first: bool
    convergent: bool
    instruction: Instruction | Terminator
    token: int | None = None
    operand: int = 0

    @property
    def function(self) -> str:
        return self.site[0]


class Frame(NamedTuple):
    """An activation: of which function, by the call at which position (``None``: launched)."""

    function: str
    call: int | None


class _Place(NamedTuple):
    """Where a frame stands: before item ``at`` of ``block``, with the values it has."""

    frame: int
    block: str
    at: int
    values: dict[str, int]


@dataclass(frozen=True, slots=True)
class Trace:
    """A thread's run so far. ``nodes`` are its instances in program order.

    Without ``every``, phis, computations and terminators count only where they are first in their
    block. A trace that is not complete ends with the exchange that waits for its result.
    """

    nodes: tuple[Node, ...]
    frames: tuple[Frame, ...]
    returned: int | None  # set when complete
    places: tuple[_Place, ...]  # innermost last; empty when complete

    @property
    def complete(self) -> bool:
        return not self.places


def compute(opcode: str, lhs: int, rhs: int) -> int:
    """One integer operation on 32 bits."""
    match opcode:
        case "add":
            return (lhs + rhs) & MASK
        case "sub":
            return (lhs - rhs) & MASK
        case "mul":
            return (lhs * rhs) & MASK
        case "and":
            return lhs & rhs
        case "or":
            return lhs | rhs
        case "xor":
            return lhs ^ rhs
        case "lshr":
            return lhs >> rhs
        case "eq":
            return int(lhs == rhs)
        case "ne":
            return int(lhs != rhs)
        case "ult":
            return int(lhs < rhs)
        case "ugt":
            return int(lhs > rhs)
    raise AssertionError(opcode)


def exchange(callee: str, operands: list[int]) -> int:
    """What every member of a group gets for the group's operands."""
    total = operands[0]
    opcode = {"subgroupAdd": "add", "subgroupOr": "or", "subgroupXor": "xor", "subgroupAnd": "and"}[callee]
    for operand in operands[1:]:
        total = compute(opcode, total, operand)
    return total


class Threads:
    """The traces of a program's threads, each as a function of the results it was given."""

    def __init__(self, program: Program, arguments: tuple[tuple[int, ...], ...], every: bool = False) -> None:
        self.program = program
        self.arguments = arguments
        self.every = every
        self.longest = 2_000
        self._known: dict[tuple[int, tuple[int, ...]], Trace] = {}

    def trace(self, thread: int, results: tuple[int, ...]) -> Trace:
        """The run of ``thread`` whose exchanges so far returned ``results`` (0 for effects)."""
        key = (thread, results)
        if key not in self._known:
            self._known[key] = self._start(thread) if not results else self._resume(key)
        return self._known[key]

    def _start(self, thread: int) -> Trace:
        launched = self.program.launched
        values = dict(zip(launched.parameters, self.arguments[thread], strict=True))
        run = _Run(self, [], [Frame(launched.name, None)], [_Place(0, launched.blocks[0].name, 0, values)])
        return run.until_exchange()

    def _resume(self, key: tuple[int, tuple[int, ...]]) -> Trace:
        thread, results = key
        before = self.trace(thread, results[:-1])
        assert not before.complete
        frame, block, at, values = before.places[-1]
        waiting = before.nodes[-1].instruction
        values = dict(values)
        if isinstance(waiting, Exchange):
            values[waiting.result] = results[-1]
        places = [*before.places[:-1], _Place(frame, block, at + 1, values)]
        return _Run(self, list(before.nodes), list(before.frames), places).until_exchange()


class _Run:
    def __init__(
        self, threads: Threads, nodes: list[Node], frames: list[Frame], places: list[_Place]
    ) -> None:
        self.program = threads.program
        self.every = threads.every
        self.longest = threads.longest
        self.nodes = nodes
        self.frames = frames
        self.places = places
        self.counts: dict[tuple[str, int], int] = {}
        for node in nodes:
            self.counts[node.site] = node.nth

    def until_exchange(self) -> Trace:
        while True:
            frame, block_name, at, values = self.places.pop()
            function = self.program.function[self.frames[frame].function]
            block = function.block[block_name]
            while at < len(block.body):
                instruction = block.body[at]
                position = len(self.nodes)
                self.record(function, block_name, at, frame, instruction, values)
                match instruction:
                    case Compute(result, opcode, lhs, rhs):
                        values[result] = compute(opcode, _get(values, lhs), _get(values, rhs))
                    case Entry(result) | Loop(result) | Anchor(result):
                        values[result] = position
                    case Exchange() | Effect():
                        self.places.append(_Place(frame, block_name, at, values))
                        return Trace(tuple(self.nodes), tuple(self.frames), None, tuple(self.places))
                    case Invocation(_, callee, operands):
                        self.places.append(_Place(frame, block_name, at, values))
                        target = self.program.function[callee]
                        passed = [_get(values, o) for o in operands]
                        frame = len(self.frames)
                        self.frames.append(Frame(callee, position))
                        function, block, at = target, target.blocks[0], -1
                        block_name, values = block.name, dict(zip(target.parameters, passed, strict=True))
                    case Phi():
                        pass  # done on the edge
                at += 1
            self.record(function, block_name, at, frame, block.end, values)
            match block.end:
                case Return(value):
                    returned = _get(values, value)
                    if not self.places:
                        return Trace(tuple(self.nodes), tuple(self.frames), returned, ())
                    self.give_back(returned)
                case Goto(target_name):
                    self.enter(function, block_name, target_name, frame, values)
                case Branch(condition, then, otherwise):
                    taken = then if _get(values, condition) else otherwise
                    self.enter(function, block_name, taken, frame, values)

    def give_back(self, returned: int) -> None:
        frame, block, at, values = self.places.pop()
        call = self.program.function[self.frames[frame].function].block[block].body[at]
        assert isinstance(call, Invocation)
        values = dict(values)
        values[call.result] = returned
        self.places.append(_Place(frame, block, at + 1, values))

    def enter(self, function: Function, source: str, target: str, frame: int, values: dict[str, int]) -> None:
        updates = {
            i.result: _get(values, dict(i.incoming)[source])
            for i in function.block[target].body
            if isinstance(i, Phi)
        }
        values.update(updates)  # all phis of a block at once
        self.places.append(_Place(frame, target, 0, values))

    def record(
        self,
        function: Function,
        block: str,
        at: int,
        frame: int,
        instruction: Instruction | Terminator,
        values: dict[str, int],
    ) -> None:
        convergent = self.program.is_convergent(instruction)
        if not (self.every or at == 0 or convergent or isinstance(instruction, Invocation)):
            return
        if len(self.nodes) >= self.longest:
            raise TooLong
        site = (function.name, function.first_index[block] + at)
        self.counts[site] = nth = self.counts.get(site, 0) + 1
        name = getattr(instruction, "token", None)
        token = None if name is None else values[name]
        operand = _get(values, instruction.operand) if isinstance(instruction, Exchange | Effect) else 0
        self.nodes.append(Node(site, nth, frame, block, at == 0, convergent, instruction, token, operand))


def _get(values: dict[str, int], value: Value) -> int:
    return values[value] if isinstance(value, str) else value & MASK
