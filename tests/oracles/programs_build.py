"""Assignments to variables in, SSA with phis out: how the generator writes functions.

The construction is the simple one of Braun et al. (*Simple and Efficient Construction of Static
Single Assignment Form*, CC 2013) at its plainest: a read without a definition in its block makes
a phi, and phis that choose nothing go at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from .programs import (
    Anchor,
    Block,
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
    Return,
    Terminator,
    Value,
)


@dataclass(eq=False)
class Draft:
    name: str
    body: list[Instruction] = field(default_factory=list)
    end: Terminator | None = None
    predecessors: list[Draft] = field(default_factory=list)
    values: dict[str, Value] = field(default_factory=dict)
    phis: dict[str, str] = field(default_factory=dict)  # variable -> the phi's result


class FunctionBuilder:
    """Writes one function block by block; ``self.at`` is the block being written.

    ``at`` is ``None`` after a terminator. Every block but the first must get a predecessor.
    """

    def __init__(self, name: str, parameters: tuple[str, ...]) -> None:
        self.name = name
        self.parameters = parameters
        self._blocks: list[Draft] = []
        self._names: dict[str, int] = dict.fromkeys(parameters, 1)
        self.at: Draft | None = None
        entry = self.block("entry")
        entry.values = dict(zip(parameters, parameters, strict=True))
        self.start(entry)

    # -- names and blocks

    def fresh(self, stem: str) -> str:
        count = self._names.get(stem, 0)
        self._names[stem] = count + 1
        return f"{stem}.{count}" if count else stem

    def block(self, stem: str) -> Draft:
        """A new block, not yet placed in the text."""
        return Draft(self.fresh(stem))

    def start(self, block: Draft) -> None:
        """Place ``block`` next in the text and write there."""
        assert self.at is None and block not in self._blocks
        self._blocks.append(block)
        self.at = block

    @property
    def here(self) -> Draft:
        assert self.at is not None
        return self.at

    # -- instructions

    def append(self, instruction: Instruction) -> None:
        self.here.body.append(instruction)

    def write(self, variable: str, value: Value) -> None:
        self.here.values[variable] = value

    def read(self, variable: str) -> Value:
        return self._read(variable, self.here)

    def compute(self, opcode: str, lhs: Value, rhs: Value, stem: str = "t") -> str:
        result = self.fresh(stem)
        self.append(Compute(result, opcode, lhs, rhs))
        return result

    def goto(self, target: Draft) -> None:
        target.predecessors.append(self.here)
        self._terminate(Goto(target.name))

    def branch(self, condition: str, then: Draft, otherwise: Draft) -> None:
        """``then`` and ``otherwise`` differ."""
        assert then is not otherwise
        then.predecessors.append(self.here)
        otherwise.predecessors.append(self.here)
        self._terminate(Branch(condition, then.name, otherwise.name))

    def ret(self, value: Value) -> None:
        self._terminate(Return(value))

    def _terminate(self, end: Terminator) -> None:
        self.here.end = end
        self.at = None

    # -- SSA

    def _read(self, variable: str, block: Draft) -> Value:
        if variable not in block.values:
            assert block is not self._blocks[0], f"{variable} is read before it is written"
            block.phis[variable] = block.values[variable] = self.fresh(variable)
        return block.values[variable]

    def finish(self, convergent: bool) -> Function:
        """The function, its phis filled in and those that choose nothing removed."""
        incoming: dict[str, tuple[tuple[str, Value], ...]] = {}
        pending = True
        while pending:  # reading for one phi can make another
            pending = False
            for block in self._blocks:
                for variable, phi in list(block.phis.items()):
                    if phi not in incoming:
                        pending = True
                        incoming[phi] = tuple((p.name, self._read(variable, p)) for p in block.predecessors)
        names: dict[str, Value] = {}  # a removed phi -> what it always is

        def resolve(value: Value) -> Value:
            while isinstance(value, str) and value in names:
                value = names[value]
            return value

        changed = True
        while changed:
            changed = False
            for phi, pairs in incoming.items():
                if phi not in names:
                    others = {resolve(v) for _, v in pairs} - {phi}
                    if len(others) == 1:
                        names[phi] = others.pop()
                        changed = True
        blocks = []
        for draft in self._blocks:
            assert draft.end is not None
            phis = [
                Phi(phi, tuple((p, resolve(v)) for p, v in incoming[phi]))
                for phi in draft.phis.values()
                if phi not in names
            ]
            body = [_rename(i, resolve) for i in draft.body]
            end = Return(resolve(draft.end.value)) if isinstance(draft.end, Return) else draft.end
            blocks.append(Block(draft.name, (*phis, *body), end))
        return _without_dead(Function(self.name, self.parameters, tuple(blocks), convergent))


def _rename(instruction: Instruction, resolve: Callable[[Value], Value]) -> Instruction:
    match instruction:
        case Exchange() | Effect():
            return replace(instruction, operand=resolve(instruction.operand))
        case Invocation():
            return replace(instruction, operands=tuple(map(resolve, instruction.operands)))
        case Compute():
            return replace(instruction, lhs=resolve(instruction.lhs), rhs=resolve(instruction.rhs))
        case Entry() | Loop() | Anchor() | Phi():
            return instruction


def _operands(instruction: Instruction | Terminator) -> tuple[Value, ...]:
    match instruction:
        case Phi(_, incoming):
            return tuple(v for _, v in incoming)
        case Exchange() | Effect():
            return (instruction.operand,)
        case Invocation(_, _, operands, _):
            return operands
        case Compute(_, _, lhs, rhs):
            return (lhs, rhs)
        case Branch(condition):
            return (condition,)
        case Return(value):
            return (value,)
        case Entry() | Loop() | Anchor() | Goto():
            return ()


def _without_dead(function: Function) -> Function:
    """Drop phis and computations that nothing uses, for counterexamples one can read."""
    maker = {i.result: i for b in function.blocks for i in b.body if isinstance(i, Phi | Compute)}
    live: set[str] = set()
    todo = [o for i in function.instructions() if not isinstance(i, Phi | Compute) for o in _operands(i)]
    while todo:
        value = todo.pop()
        if isinstance(value, str) and value in maker and value not in live:
            live.add(value)
            todo += _operands(maker[value])
    blocks = tuple(
        replace(b, body=tuple(i for i in b.body if not isinstance(i, Phi | Compute) or i.result in live))
        for b in function.blocks
    )
    return replace(function, blocks=blocks)
