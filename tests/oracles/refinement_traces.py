"""One thread alone with unknown results, and what each of its operations depends on.

A result of an exchange is a symbol; a branch on it goes both ways and leaves a condition behind. So
a thread has finitely many traces, and which of them go together is seen once the groups are chosen
(:mod:`tests.oracles.refinement`). Nothing is scheduled, so nothing is ordered but by dependence:

- data: through operands, the values chosen by phis, and tokens; not where a number is compared with itself,
  or taken from itself, which says nothing of it;
- control: the latest branch whose outcome decides that the block is executed at all (Ferrante,
  Ottenstein, Warren: *The Program Dependence Graph*, 1987); and for a value used after the loop that
  makes it, the branches that decided which instance was the last.

``Control`` "after" reads control dependence as memory models do instead: everything after a branch
depends on it, behind the join, too.

A dependence is a set of places of exchanges in the thread's trace: everything else is a function of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal, NamedTuple

from .programs import (
    Anchor,
    Branch,
    Compute,
    Convergent,
    Effect,
    Entry,
    Exchange,
    Function,
    Goto,
    Invocation,
    Loop,
    Phi,
    Program,
    Return,
    Value,
)

MASK = 0xFFFFFFFF


Control = Literal["region", "after"]


class TooMuch(Exception):
    """Too many traces, or too many choices: no answer."""


# -- values -------------------------------------------------------------------------------------------------


class Result(NamedTuple):
    """The unknown result of the exchange at a place of the trace."""

    place: int


class Applied(NamedTuple):
    opcode: str
    lhs: Expression
    rhs: Expression


Expression = int | None | Result | Applied
"""``None`` is poison."""


def apply(opcode: str, lhs: int | None, rhs: int | None) -> int | None:
    """One 32-bit operation of the LangRef."""
    if lhs is None or rhs is None:
        return None
    signed = [v - (1 << 32) if v >> 31 else v for v in (lhs, rhs)]
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
            return None if rhs >= 32 else lhs >> rhs
        case "eq":
            return int(lhs == rhs)
        case "ne":
            return int(lhs != rhs)
        case "ult":
            return int(lhs < rhs)
        case "ugt":
            return int(lhs > rhs)
        case "slt":
            return int(signed[0] < signed[1])
        case "sgt":
            return int(signed[0] > signed[1])
    raise AssertionError(opcode)


def applied(opcode: str, lhs: Expression, rhs: Expression) -> Expression:
    if lhs is None or rhs is None:
        return None
    if isinstance(lhs, int) and isinstance(rhs, int):
        return apply(opcode, lhs, rhs)
    return Applied(opcode, lhs, rhs)


OF_ITSELF = {"eq": 1, "ne": 0, "ult": 0, "ugt": 0, "slt": 0, "sgt": 0, "sub": 0, "xor": 0}
"""What an operation gives whose operands are one number, whichever."""


@cache
def _has_poison(program: Program) -> bool:
    """Whether something may be poison: then two operands that are one value are not one number."""
    instructions = (i for f in program.functions for b in f.blocks for i in b.body)
    return any(isinstance(i, Compute) and i.opcode == "lshr" for i in instructions)


def evaluate(expression: Expression, results: dict[int, int | None]) -> int | None:
    match expression:
        case Result(place):
            return results[place]
        case Applied(opcode, lhs, rhs):
            return apply(opcode, evaluate(lhs, results), evaluate(rhs, results))
        case _:
            return expression


class Leaf(NamedTuple):
    """What a value rests on: an instance made in ``block``, after ``born`` branches of its frame.

    ``block`` is ``None`` for what came from another frame.
    """

    needs: frozenset[int]
    block: str | None
    born: int


class Known(NamedTuple):
    """A value; ``instance`` is the place of the intrinsic if it is a token."""

    expression: Expression
    leaves: frozenset[Leaf]
    instance: int | None = None


# -- traces -------------------------------------------------------------------------------------------------


class Node(NamedTuple):
    """A dynamic instance of an operation or intrinsic, or a call of a defined function.

    ``token``: the place of the instance whose token it uses; ``beat``: for a ``loop``, the n of D-LOOP.
    """

    site: tuple[str, int]
    instruction: Convergent
    frame: int
    token: int | None
    beat: int
    operand: Expression
    needs: frozenset[int]


class Condition(NamedTuple):
    """A branch that was decided by results: its value, and the way taken."""

    expression: Expression
    taken: bool


@dataclass(frozen=True)
class Trace:
    """``calls[frame]`` is the place of the call that made it. ``returned`` means something where
    ``ending`` is "returned"; a trace that is "cut" met the bound."""

    nodes: tuple[Node, ...]
    calls: tuple[int | None, ...]
    conditions: tuple[Condition, ...]
    ending: str
    returned: Expression


# -- the CFG ------------------------------------------------------------------------------------------------


@cache
def _deciders(function: Function) -> dict[str, frozenset[str]]:
    """For each block those whose branch decides directly whether it is executed."""
    blocks = [b.name for b in function.blocks]

    def leaves_without(start: str, avoided: str) -> bool:
        """Whether some path from ``start`` returns around ``avoided``."""
        seen, todo = {avoided}, [start]
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            block = function.block[name]
            if isinstance(block.end, Return):
                return True
            todo += block.successors
        return False

    return {
        name: frozenset(
            other
            for other in blocks
            if any(not leaves_without(s, name) for s in function.block[other].successors)
            and any(leaves_without(s, name) for s in function.block[other].successors)
        )
        for name in blocks
    }


@cache
def _decided_by(function: Function) -> dict[str, frozenset[str]]:
    """:func:`_deciders`, transitively."""
    direct = _deciders(function)
    every = {}
    for name in direct:
        found: set[str] = set()
        todo = [name]
        while todo:
            new = direct[todo.pop()] - found
            found |= new
            todo += new
        every[name] = frozenset(found)
    return every


# -- running ------------------------------------------------------------------------------------------------


class Turn(NamedTuple):
    """A branch that a frame executed: its block, and what it depends on, its own control included."""

    block: str
    needs: frozenset[int]


@dataclass
class _Frame:
    function: Function
    inherited: frozenset[int]
    values: dict[str, Known]
    block: str
    at: int = 0
    turns: list[Turn] = field(default_factory=list)
    caller: str = ""  # the name for the result, in the frame below

    def copy(self) -> _Frame:
        return replace(self, values=dict(self.values), turns=list(self.turns))

    def control(self) -> frozenset[int]:
        """The dependence of being in this block at all."""
        deciders = _deciders(self.function)[self.block]
        for turn in reversed(self.turns):
            if turn.block in deciders:
                return turn.needs | self.inherited
        return self.inherited

    def needs(self, leaves: frozenset[Leaf]) -> frozenset[int]:
        found: set[int] = set()
        for leaf in leaves:
            found |= leaf.needs
            if leaf.block is not None:
                deciders = _decided_by(self.function)[leaf.block]
                for turn in self.turns[leaf.born :]:
                    if turn.block in deciders:
                        found |= turn.needs
        return frozenset(found)

    def get(self, value: Value) -> Known:
        return self.values[value] if isinstance(value, str) else Known(value & MASK, frozenset())

    def leaf(self, needs: frozenset[int]) -> frozenset[Leaf]:
        return frozenset({Leaf(needs, self.block, len(self.turns))})


@dataclass
class _Run:
    program: Program
    nodes: list[Node]
    calls: list[int | None]
    conditions: list[Condition]
    stack: list[tuple[int, _Frame]]
    after: frozenset[int] | None  # "after": what all branches so far depend on

    def copy(self) -> _Run:
        stack = [(n, f.copy()) for n, f in self.stack]
        lists = (list(self.nodes), list(self.calls), list(self.conditions))
        return _Run(self.program, *lists, stack, self.after)

    def end(self, ending: str, returned: Expression = None) -> Trace:
        return Trace(tuple(self.nodes), tuple(self.calls), tuple(self.conditions), ending, returned)


def traces(
    program: Program,
    arguments: tuple[int, ...],
    control: Control = "region",
    longest: int = 40,
    most: int = 64,
) -> list[Trace]:
    """All traces of a thread; :class:`TooMuch` at more than ``most``."""
    launched = program.launched
    values = {p: Known(a & MASK, frozenset()) for p, a in zip(launched.parameters, arguments, strict=True)}
    first = _Frame(launched, frozenset(), values, launched.blocks[0].name)
    after: frozenset[int] | None = frozenset() if control == "after" else None
    todo = [_Run(program, [], [None], [], [(0, first)], after)]
    found: list[Trace] = []
    while todo:
        if len(todo) + len(found) > most:
            raise TooMuch
        for done in _steps(todo.pop(), longest):
            if isinstance(done, Trace):
                found.append(done)
            else:
                todo.append(done)
    return found


def _steps(run: _Run, longest: int) -> Iterator[Trace | _Run]:
    """Run on to the end, or to the next branch that results decide: then one run for each way."""
    turns = 0
    while True:
        number, frame = run.stack[-1]
        block = frame.function.block[frame.block]
        if len(run.nodes) >= longest or turns >= 20 * longest:
            yield run.end("cut")
            return
        if frame.at < len(block.body):
            instruction = block.body[frame.at]
            frame.at += 1
            match instruction:
                case Phi():
                    pass  # done on the edge
                case Compute(result, opcode, lhs, rhs):
                    a, b = frame.get(lhs), frame.get(rhs)
                    if a.expression == b.expression and opcode in OF_ITSELF and not _has_poison(run.program):
                        frame.values[result] = Known(OF_ITSELF[opcode], frozenset())
                        continue
                    value = applied(opcode, a.expression, b.expression)
                    frame.values[result] = Known(value, a.leaves | b.leaves)
                case _:
                    _perform(run, number, frame, instruction)
            continue
        turns += 1
        match block.end:
            case Goto(target):
                _enter(frame, target, None)
            case Branch(name, then, otherwise):
                condition = frame.get(name)
                needs = frame.needs(condition.leaves) | frame.control()
                frame.turns.append(Turn(frame.block, needs))
                if run.after is not None:
                    run.after |= needs
                match condition.expression:
                    case None:
                        yield run.end("undefined")
                        return
                    case int(known):
                        _enter(frame, then if known else otherwise, needs)
                    case unknown:
                        other = run.copy()
                        run.conditions.append(Condition(unknown, True))
                        _enter(frame, then, needs)
                        other.conditions.append(Condition(unknown, False))
                        _enter(other.stack[-1][1], otherwise, needs)
                        yield from (run, other)
                        return
            case Return(operand):
                returned = frame.get(operand)
                needs = frame.needs(returned.leaves) | frame.control()
                run.stack.pop()
                if not run.stack:
                    yield run.end("returned", returned.expression)
                    return
                below = run.stack[-1][1]
                below.values[frame.caller] = Known(returned.expression, below.leaf(needs))


def _perform(run: _Run, number: int, frame: _Frame, instruction: Convergent) -> None:
    """A convergent operation, an intrinsic, or a call of a defined function."""
    place = len(run.nodes)
    name = getattr(instruction, "token", None)
    token = None if name is None else frame.values[name]
    needs = frame.control() | (frozenset() if token is None else frame.needs(token.leaves))
    needs |= run.after or frozenset()
    operand: Expression = 0
    if isinstance(instruction, Exchange | Effect):
        known = frame.get(instruction.operand)
        operand = known.expression
        needs |= frame.needs(known.leaves)
    at = frame.function.first_index[frame.block] + frame.at - 1
    site = (frame.function.name, at)
    instance = None if token is None else token.instance
    beat = 1 + sum((n.site, n.token) == (site, instance) for n in run.nodes)
    run.nodes.append(Node(site, instruction, number, instance, beat, operand, needs))
    match instruction:
        case Entry(result) | Loop(result) | Anchor(result):
            frame.values[result] = Known(0, frame.leaf(needs), place)
        case Exchange(result):
            frame.values[result] = Known(Result(place), frame.leaf(frozenset({place})))
        case Effect():
            pass
        case Invocation(result, callee, operands):
            function = run.program.function[callee]
            passed = {}
            for parameter, value in zip(function.parameters, operands, strict=True):
                given = frame.get(value)
                leaf = Leaf(frame.needs(given.leaves), None, 0)
                passed[parameter] = Known(given.expression, frozenset({leaf}))
            inner = _Frame(function, needs, passed, function.blocks[0].name, caller=result)
            run.calls.append(place)
            run.stack.append((len(run.calls) - 1, inner))


def _enter(frame: _Frame, target: str, decided: frozenset[int] | None) -> None:
    """Take an edge; ``decided``: what the branch taken depends on, ``None`` if there was none."""
    source, control = frame.block, frame.control() if decided is None else decided
    chosen = {}
    for instruction in frame.function.block[target].body:
        if isinstance(instruction, Phi):
            known = frame.get(dict(instruction.incoming)[source])
            chosen[instruction.result] = (known.expression, frame.needs(known.leaves) | control)
    frame.block, frame.at = target, 0
    for result, (expression, needs) in chosen.items():
        frame.values[result] = Known(expression, frame.leaf(needs))
