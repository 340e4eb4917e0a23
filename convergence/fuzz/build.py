"""Which tokens may be used where, by construction, so that regions nest (S-NEST and the cycle rules).

A *scope* is the stack of tokens usable at a point within one loop level. Whoever uses a token pops those
above it, for good on that path. A loop's body has a scope of its own, with its heart's token or empty; a
block that leaves loops sees the scopes of all levels that it leaves in one stack: extended loops.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random

Scopes = list[list[str]]


def copied(scopes: Scopes) -> Scopes:
    return [list(scope) for scope in scopes]


def shared(first: list[str], second: list[str]) -> int:
    """The length of the longest common prefix."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))


def use(scope: list[str], random: Random) -> str:
    """Choose a usable token, mostly the innermost; those above it are gone."""
    index = len(scope) - 1
    while index and random.random() < 0.2:
        index -= 1
    del scope[index + 1 :]
    return scope[index]


def joined(arrivals: list[Scopes]) -> Scopes:
    """What is usable where paths meet: what all have."""
    first, *rest = [copied(scopes) for scopes in arrivals]
    for scopes in rest:
        for scope, arrived in zip(first, scopes, strict=True):
            del scope[shared(scope, arrived) :]
    return first


# -- Assignments to variables in, the text of one function in SSA form out
# The construction is that of Braun et al., *Simple and Efficient Construction of Static Single Assignment
# Form* (CC 2013), at its plainest: a read without a definition in its block makes a phi; phis that choose
# nothing go at the end. With ``memory`` variables live in allocas instead, as clang writes them.

Value = str
"""An operand as it is spelled: ``%name`` or a constant."""

_NAME = re.compile(r"%[\w.]+")


@dataclass(eq=False)
class Draft:
    """A block that is being written: ``name`` without ``%``, its lines, its terminator's text."""

    name: str
    lines: list[str] = field(default_factory=list)
    end: str | None = None
    successors: tuple[Draft, ...] = ()
    predecessors: list[Draft] = field(default_factory=list)
    values: dict[str, Value] = field(default_factory=dict)
    phis: dict[str, Value] = field(default_factory=dict)  # variable -> the phi's result


class FunctionBuilder:
    """Writes one function block by block; ``at`` is the block being written, ``None`` after a terminator.

    Every block but the first must get a predecessor. Variables and results are ``i32`` unless said
    otherwise; conditions are ``i1`` and no variables.
    """

    def __init__(self, parameters: tuple[str, ...], memory: bool = False) -> None:
        self._blocks: list[Draft] = []
        self._names: dict[str, int] = dict.fromkeys(parameters, 1)
        self._memory = memory
        self._slots: dict[str, Value] = {}
        self._top: list[str] = []
        self.at: Draft | None = None
        entry = self.block("entry")
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

    def line(self, text: str) -> None:
        self.here.lines.append(text)

    def value(self, text: str, stem: str = "t") -> Value:
        """An instruction with a result; gives the result."""
        name = "%" + self.fresh(stem)
        self.line(f"{name} = {text}")
        return name

    def write(self, variable: str, value: Value) -> None:
        if self._memory:
            if variable not in self._slots:
                self._slots[variable] = "%" + self.fresh(variable + ".slot")
                self._top.append(f"{self._slots[variable]} = alloca i32")
            self.line(f"store i32 {value}, ptr {self._slots[variable]}")
        else:
            self.here.values[variable] = value

    def read(self, variable: str) -> Value:
        if self._memory:
            return self.value(f"load i32, ptr {self._slots[variable]}", variable)
        return self._read(variable, self.here)

    # -- terminators

    def goto(self, target: Draft) -> None:
        self._terminate(f"br label %{target.name}", target)

    def branch(self, condition: Value, then: Draft, otherwise: Draft, weights: str = "") -> None:
        if then is otherwise:
            self.goto(then)
            return
        self._terminate(
            f"br i1 {condition}, label %{then.name}, label %{otherwise.name}{weights}", then, otherwise
        )

    def switch(self, value: Value, default: Draft, cases: list[tuple[int, Draft]]) -> None:
        listed = " ".join(f"i32 {number}, label %{target.name}" for number, target in cases)
        self._terminate(
            f"switch i32 {value}, label %{default.name} [ {listed} ]", default, *(t for _, t in cases)
        )

    def ret(self, value: Value | None) -> None:
        self._terminate("ret void" if value is None else f"ret i32 {value}")

    def unreachable(self) -> None:
        self._terminate("unreachable")

    def _terminate(self, text: str, *targets: Draft) -> None:
        here = self.here
        here.end, here.successors = text, targets
        for target in targets:
            target.predecessors.append(here)
        self.at = None

    # -- SSA

    def _read(self, variable: str, block: Draft) -> Value:
        if variable not in block.values:
            assert block is not self._blocks[0], f"{variable} is read before it is written"
            block.phis[variable] = block.values[variable] = "%" + self.fresh(variable)
        return block.values[variable]

    def _incoming(self) -> dict[Value, list[tuple[str, Value]]]:
        """The incoming values of every phi; reading for one can make another."""
        incoming: dict[Value, list[tuple[str, Value]]] = {}
        pending = True
        while pending:
            pending = False
            for block in self._blocks:
                for variable, phi in list(block.phis.items()):
                    if phi not in incoming:
                        pending = True
                        incoming[phi] = [(p.name, self._read(variable, p)) for p in block.predecessors]
        return incoming

    def body(self) -> list[str]:
        """The lines of the body, what nothing uses left out."""
        incoming = self._incoming()
        names: dict[Value, Value] = {}  # a removed phi -> what it always is

        def resolve(value: Value) -> Value:
            while value in names:
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

        def renamed(line: str) -> str:
            return _NAME.sub(lambda token: resolve(token[0]), line)

        blocks: list[tuple[str, list[str]]] = []
        for draft in self._blocks:
            assert draft.end is not None
            phis = [
                f"{phi} = phi i32 " + ", ".join(f"[ {resolve(v)}, %{p} ]" for p, v in incoming[phi])
                for phi in draft.phis.values()
                if phi not in names
            ]
            top = self._top if draft is self._blocks[0] else []
            blocks.append((draft.name, [*phis, *top, *map(renamed, draft.lines), renamed(draft.end)]))
        _drop_dead(blocks)
        return [text for name, lines in blocks for text in (f"{name}:", *(f"  {line}" for line in lines))]


_ANCHOR = "convergence.anchor("
_QUIET = ("add", "sub", "mul", "and", "or", "xor", "lshr", "icmp", "phi", "select", "zext", "load")


def _drop_dead(blocks: list[tuple[str, list[str]]]) -> None:
    """Remove phis and computations that nothing uses, for programs that one can read."""
    counts = {}
    for _, lines in blocks:
        for line in lines:
            result, equals, rest = line.partition(" = ")
            if equals and (rest.startswith(_QUIET) or _ANCHOR in rest):
                counts[result] = rest
    live: set[str] = set()
    kept = (line for _, lines in blocks for line in lines if not _dead(line, counts, live))
    todo = [name for line in kept for name in _NAME.findall(line)]
    while todo:
        name = todo.pop()
        if name in counts and name not in live:
            live.add(name)
            todo += _NAME.findall(counts[name])
    for _, lines in blocks:
        lines[:] = [line for line in lines if not _dead(line, counts, live)]


def _dead(line: str, counts: dict[str, str], live: set[str]) -> bool:
    """Whether a line computes what nothing live uses."""
    result, equals, _ = line.partition(" = ")
    return bool(equals) and result in counts and result not in live
