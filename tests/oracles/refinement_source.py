"""Structured little programs that a transform can be written for in a few lines, and their lowering.

Statements assign to variables; :func:`lower` makes them a program of :mod:`tests.oracles.programs`
(SSA, blocks). A token is a name with lexical scope. Nothing keeps a transform from writing what breaks
a static rule or reads a token where it is not defined: whoever uses the result asks.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from .programs import Anchor, Effect, Entry, Exchange, Function, Invocation, Loop, Program
from .programs_build import Draft, FunctionBuilder

Operand = int | str


@dataclass(frozen=True)
class Set:
    variable: str
    opcode: str
    lhs: Operand
    rhs: Operand


@dataclass(frozen=True)
class Anchored:
    """``token = anchor()``"""

    token: str


@dataclass(frozen=True)
class Combine:
    """``variable = callee(operand) [token]``: an exchange that touches no memory."""

    variable: str
    callee: str
    operand: Operand
    token: str


@dataclass(frozen=True)
class Tell:
    """``callee(operand) [token]``: an event."""

    callee: str
    operand: Operand
    token: str


@dataclass(frozen=True)
class Call:
    """``variable = callee(operand) [token]`` of a defined function."""

    variable: str
    callee: str
    operand: Operand
    token: str


@dataclass(frozen=True)
class Compare:
    opcode: str
    lhs: Operand
    rhs: Operand


@dataclass(frozen=True)
class If:
    test: Compare
    then: Body
    otherwise: Body


@dataclass(frozen=True)
class While:
    """``head`` is executed in the header, before the test; ``heart`` is (name, parent token)."""

    heart: tuple[str, str] | None
    head: Body
    test: Compare
    body: Body


@dataclass(frozen=True)
class Break:
    pass


@dataclass(frozen=True)
class Give:
    """Return."""

    operand: Operand


Statement = Set | Anchored | Combine | Tell | Call | If | While | Break | Give
Body = tuple[Statement, ...]

VARIABLES = ("v0", "v1", "v2")


@dataclass(frozen=True)
class Routine:
    """Parameters ``a`` and ``b``, which are the first values of v0 and v1; v2 starts at 0. ``entry`` is
    the entry token's name, ``None``: no such token, and not convergent."""

    name: str
    entry: str | None
    body: Body


Routines = tuple[Routine, ...]


# -- lowering -----------------------------------------------------------------------------------------------


def lower(routines: Routines) -> Program:
    """The first routine is launched."""
    return Program(tuple(_Lowering(r).function() for r in routines))


class _Lowering:
    def __init__(self, routine: Routine) -> None:
        self.routine = routine
        self.build = FunctionBuilder(routine.name, ("a", "b"))
        self.exits: list[Draft] = []
        self.temporaries = 0

    def function(self) -> Function:
        build = self.build
        scope: dict[str, str] = {}
        if self.routine.entry is not None:
            scope[self.routine.entry] = build.fresh(self.routine.entry)
            build.append(Entry(scope[self.routine.entry]))
        firsts: tuple[Operand, ...] = ("a", "b", 0)
        for variable, first in zip(VARIABLES, firsts, strict=True):
            build.write(variable, first)
        self.write(self.routine.body, scope)
        if build.at is not None:
            self.give("v0")
        return build.finish(convergent=self.routine.entry is not None)

    def give(self, operand: Operand) -> None:
        """Return, with v2 in the higher digits."""
        high = self.build.compute("mul", self.get("v2"), 1000, "high")
        self.build.ret(self.build.compute("add", self.get(operand), high, "sum"))

    def get(self, operand: Operand) -> Operand:
        return self.build.read(operand) if isinstance(operand, str) else operand

    def write(self, body: Body, scope: dict[str, str]) -> None:
        """``scope`` grows with what the body defines; an inner body gets a copy."""
        for statement in body:
            if self.build.at is None:
                return
            self.statement(statement, scope)

    def statement(self, statement: Statement, scope: dict[str, str]) -> None:
        build = self.build
        match statement:
            case Set(variable, opcode, lhs, rhs):
                build.write(variable, build.compute(opcode, self.get(lhs), self.get(rhs), variable))
            case Anchored(token):
                name = build.fresh(token)
                build.append(Anchor(name))
                scope[token] = name
            case Combine(variable, callee, operand, token):
                passed, name = self.get(operand), build.fresh("r")
                build.append(Exchange(name, callee, passed, scope[token]))
                build.write(variable, name)
            case Call(variable, callee, operand, token):
                passed, name = self.get(operand), build.fresh("r")
                build.append(Invocation(name, callee, (passed, 1), scope[token]))
                build.write(variable, name)
            case Tell(callee, operand, token):
                build.append(Effect(callee, self.get(operand), scope[token]))
            case If(test, then, otherwise):
                taken, other, after = (build.block(s) for s in ("then", "else", "join"))
                build.branch(self.test(test), taken, other)
                arrives = False
                for block, inner in ((taken, then), (other, otherwise)):
                    build.start(block)
                    self.write(inner, dict(scope))
                    if build.at is not None:
                        arrives = True
                        build.goto(after)
                if arrives:
                    build.start(after)
            case While():
                self.loop(statement, scope)
            case Break():
                build.goto(self.exits[-1])
            case Give(operand):
                self.give(operand)

    def loop(self, loop: While, scope: dict[str, str]) -> None:
        build = self.build
        header, body, after = (build.block(s) for s in ("header", "body", "after"))
        build.goto(header)
        build.start(header)
        inner = dict(scope)
        if loop.heart is not None:
            name, parent = loop.heart
            inner[name] = build.fresh(name)
            build.append(Loop(inner[name], scope[parent]))
        self.write(loop.head, inner)
        build.branch(self.test(loop.test), body, after)
        self.exits.append(after)
        build.start(body)
        self.write(loop.body, inner)
        if build.at is not None:
            build.goto(header)
        self.exits.pop()
        build.start(after)

    def test(self, test: Compare) -> str:
        return self.build.compute(test.opcode, self.get(test.lhs), self.get(test.rhs), "c")


# -- drawing ------------------------------------------------------------------------------------------------


def random_routines(rng: random.Random) -> Routines:
    """A small one: up to about seven statements, loops that count to an argument."""
    helper: Routines = ()
    if rng.random() < 0.15:
        entry = "e" if rng.random() < 0.7 else None
        helper = (Routine("helper", entry, _Drawing(rng, 2, False).top(entry)),)
    entry = "t" if rng.random() < 0.45 else None
    callees = tuple(h.name for h in helper)
    return (Routine("main", entry, _Drawing(rng, rng.randrange(3, 7), True, callees).top(entry)), *helper)


class _Drawing:
    def __init__(self, rng: random.Random, budget: int, loops: bool, callees: tuple[str, ...] = ()) -> None:
        self.rng = rng
        self.left = budget
        self.loops = loops
        self.callees = callees
        self.names = 0

    def top(self, entry: str | None) -> Body:
        """A token first, and three bodies in a row."""
        first: Body = ()
        if entry is None:
            entry = self.name("anchor")
            first = (Anchored(entry),)
        return (*first, *(s for _ in range(3) for s in self.body([entry], 0, 2)))

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def operand(self) -> Operand:
        operands: list[Operand] = ["v0", "v0", "v1", "v2", 1, 2]
        return self.rng.choice(operands)

    def test(self) -> Compare:
        rng = self.rng
        opcode, lhs = rng.choice(["ugt", "eq", "ne", "ult"]), rng.choice(["v0", "v1", "v1"])
        return Compare(opcode, lhs, rng.choice([0, 1, 2]))

    def body(self, tokens: list[str], loop: int, depth: int) -> Body:
        """``tokens``: those that a use here may take; ``loop``: how many loops are around."""
        tokens = list(tokens)
        made: list[Statement] = []
        for _ in range(self.rng.randrange(1, 4)):
            if self.left <= 0:
                break
            made += self.some(tokens, loop, depth)
        return tuple(made)

    def some(self, tokens: list[str], loop: int, depth: int) -> list[Statement]:
        rng = self.rng
        self.left -= 1
        kind = rng.choice(["use", "use", "use", "tell", "set", "if", "if", "while", "anchor"])
        if kind in ("if", "while") and (depth == 0 or self.left < 1):
            kind = "use"
        if kind == "while" and (loop or not self.loops):
            kind = "if"
        match kind:
            case "use" if self.callees and rng.random() < 0.4:
                return [Call(self.variable(), rng.choice(self.callees), self.operand(), tokens[-1])]
            case "use":
                callee = rng.choice(["subgroupAdd", "subgroupAdd", "subgroupOr"])
                return [Combine(self.variable(), callee, self.operand(), rng.choice(tokens[-2:]))]
            case "tell":
                return [Tell(rng.choice(["event", "signal"]), self.operand(), rng.choice(tokens[-2:]))]
            case "set":
                opcode = rng.choice(["add", "add", "mul", "xor"])
                return [Set(self.variable(), opcode, self.operand(), self.operand())]
            case "anchor":
                tokens.append(self.name("anchor"))
                return [Anchored(tokens[-1])]
            case "if":
                then = self.body(tokens, loop, depth - 1)
                chance = rng.random()
                otherwise = then if chance < 0.3 else ()
                if chance > 0.6:
                    otherwise = self.body(tokens, loop, depth - 1)
                if loop and rng.random() < 0.2:
                    then = (*then, Break())
                elif rng.random() < 0.08:
                    then = (*then, Give(self.operand()))
                return [If(self.test(), then, otherwise)]
            case _:
                return self.loop(tokens, depth)

    def variable(self) -> str:
        return self.rng.choice(["v0", "v0", "v2"])

    def loop(self, tokens: list[str], depth: int) -> list[Statement]:
        """Counts v1 down; each loop has a heart or an anchor, or no operations of outer tokens."""
        rng = self.rng
        head: Body = ()
        first: Body = ()
        heart = None
        if rng.random() < 0.65:
            heart = (self.name("heart"), tokens[-1])
            inside = [heart[0]]
        else:
            token = self.name("anchor")
            inside, first = [token], (Anchored(token),)
        if heart is not None and rng.random() < 0.2:
            head = (Combine(self.variable(), "subgroupAdd", self.operand(), heart[0]),)
        body = (*first, *self.body(inside, 1, depth - 1), Set("v1", "sub", "v1", 1))
        return [While(heart, head, Compare("ugt", "v1", 0), body)]
