"""Which tokens may be used where, by construction, so that regions nest (S-NEST and the cycle rules).

A *scope* is the stack of tokens usable at a point within one loop level. Whoever uses a token pops those
above it, for good on that path. A loop's body has a scope of its own, with its heart's token or empty; a
block that leaves loops sees the scopes of all levels that it leaves in one stack: extended loops.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import field
from random import Random
from typing import Literal

from ..frozen import dataclass

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


@dataclasses.dataclass(eq=False)
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
        for draft in self._blocks:
            draft.predecessors, draft.successors = [], ()  # circles that no collector has to find
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


# ----------------------------------------------------------------------------------------------------------
# The operations that generated programs call, as rows of a table.
#
# ``subgroup*`` and ``getSubgroup*`` have models (semantics/communication_subgroup.py); the others are
# uninterpreted (D-CALL). Suffixes after a dot do not change a model but what the declaration promises.
# ----------------------------------------------------------------------------------------------------------

PURE = "nounwind willreturn memory(none)"


@dataclass(frozen=True, slots=True)
class OperationRow:
    """A declared function. ``operands`` has a letter per parameter: ``v`` an ``i32``, ``c`` an ``i1``, ``0``
    the constant lane 0. ``result`` is ``i32``, ``i1`` or ``void``."""

    name: str
    operands: str
    result: str
    attributes: str

    @property
    def convergent(self) -> bool:
        return "convergent" in self.attributes

    @property
    def declaration(self) -> str:
        types = ", ".join("i1" if kind == "c" else "i32" for kind in self.operands)
        return f"declare {self.result} @{self.name}({types}) {self.attributes}".rstrip()


EXCHANGES = (
    OperationRow("subgroupAdd", "v", "i32", f"convergent {PURE}"),
    OperationRow("subgroupBallot", "c", "i32", f"convergent {PURE}"),
    OperationRow("subgroupBroadcastFirst", "v", "i32", f"convergent {PURE}"),
    OperationRow("subgroupAny", "c", "i1", f"convergent {PURE}"),
    OperationRow("subgroupAll", "c", "i1", f"convergent {PURE}"),
    OperationRow("subgroupElect", "", "i1", f"convergent {PURE}"),
    OperationRow("subgroupShuffle", "v0", "i32", f"convergent {PURE}"),
    OperationRow("mix", "v", "i32", f"convergent {PURE}"),
)
"""Seen through their results only."""

SPECULATABLE = (
    OperationRow("subgroupAdd.spec", "v", "i32", f"convergent speculatable {PURE}"),
    OperationRow("subgroupBallot.spec", "c", "i32", f"convergent speculatable {PURE}"),
)

EFFECTS = (
    OperationRow("observe", "v", "void", "convergent nounwind willreturn"),
    OperationRow("subgroupAdd.seen", "v", "i32", "convergent nounwind willreturn"),
    OperationRow("exchange", "v", "i32", "convergent nounwind"),
    OperationRow("subgroupBarrier", "", "void", "convergent nounwind willreturn"),
    OperationRow("sync", "", "void", "convergent nounwind willreturn memory(inaccessiblemem: readwrite)"),
)
"""Convergent events."""

PLAIN = (
    OperationRow("event", "v", "void", "nounwind willreturn"),
    OperationRow("event2", "v", "void", "nounwind"),
    OperationRow("pure", "v", "i32", f"speculatable {PURE}"),
)
"""Not convergent; the first two are events all the same."""

LANE = OperationRow("getSubgroupLocalInvocationId", "", "i32", f"speculatable {PURE}")

ALL = {o.name: o for o in (*EXCHANGES, *SPECULATABLE, *EFFECTS, *PLAIN, LANE)}

CONTROL = {
    "entry": "declare token @llvm.experimental.convergence.entry()",
    "loop": "declare token @llvm.experimental.convergence.loop()",
    "anchor": "declare token @llvm.experimental.convergence.anchor()",
}


# -- What a generated program may hold: drawn anew for each program, so that features meet in all combinations
# Leaving features out of a program finds more than having all of them in each (Groce et al., *Swarm
# Testing*, ISSTA 2012): what one hides, its absence shows.

Control = Literal["entry", "anchor", "uncontrolled"]
"""Where a function's tokens come from. ``anchor``: the function need not be convergent."""


@dataclass(frozen=True, slots=True)
class Shape:
    """``kinds`` gives each kind of statement its weight. ``style`` is that of the launched function,
    ``helper_styles`` are those to choose from for helpers. ``statements`` bounds its size."""

    style: Control
    helper_styles: tuple[Control, ...]
    helpers: int
    statements: int
    depth: int
    kinds: tuple[tuple[str, int], ...]
    operations: tuple[str, ...]
    memory: bool
    weights: bool
    parameters: int
    lane: bool
    hearts: float
    """How probable it is that a loop has a heart, where it can."""


_KINDS = {
    "assign": 2, "choose": 1, "exchange": 7, "plain": 2, "conditional": 4, "twins": 3, "loop": 4,
    "empty_loop": 2, "early_return": 1, "leave": 2, "proceed": 1, "anchor": 1, "count": 1, "call": 2,
    "labelled": 1, "switch": 1, "irreducible": 1,
}  # fmt: skip
_ALWAYS = ("exchange", "assign")


def draw(random: Random, controlled: bool | None = True) -> Shape:
    """A shape; ``controlled`` is ``None`` for any mix of controlled and uncontrolled functions."""
    kinds = tuple(
        (name, weight * random.choice((1, 1, 2)))
        for name, weight in _KINDS.items()
        if name in _ALWAYS or random.random() < (0.15 if name == "anchor" else 0.55)
    )
    operations = ["subgroupAdd"]
    for group in (
        ("subgroupBallot", "subgroupAny", "subgroupAll"),
        ("subgroupBroadcastFirst", "subgroupElect", "subgroupShuffle", "mix"),
        ("subgroupAdd.spec", "subgroupBallot.spec"),
        ("observe", "exchange"),
        ("subgroupAdd.seen", "subgroupBarrier", "sync"),
    ):
        if random.random() < 0.4:
            operations += random.sample(group, random.randint(1, len(group)))
    everything: tuple[Control, ...] = ("entry", "anchor", "uncontrolled")
    tokens: tuple[Control, ...] = ("entry",) * 9 + ("anchor",)  # each anchor multiplies the executions
    style: Control
    if controlled is None:
        style, helpers = random.choice(everything), everything
    elif controlled:
        style, helpers = random.choice(tokens), tokens
    else:
        style, helpers = "uncontrolled", ("uncontrolled",)
    return Shape(
        style=style,
        helper_styles=helpers,
        helpers=random.choice((0, 0, 1, 1, 2)) if controlled is not None else random.choice((1, 1, 2)),
        statements=random.choice((3, 5, 5, 8, 12)),
        depth=random.choice((1, 2, 2, 3)),
        kinds=kinds,
        operations=tuple(operations),
        memory=random.random() < 0.15,
        weights=random.random() < 0.2,
        parameters=random.choice((1, 1, 2)),
        lane=random.random() < 0.4,
        hearts=random.choice((1.0, 0.9, 0.6)),
    )
