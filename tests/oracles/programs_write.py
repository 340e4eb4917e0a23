"""Random structured functions that keep the static rules, by construction.

A *scope* is the stack of tokens usable at a point within one loop level; whoever uses a token pops
those above it, for good on that path, so regions nest. A loop's body has a new scope, with its heart's
token or empty; a block that leaves loops sees the scopes of all levels that it leaves, in one stack:
that makes extended loops. Every run ends: loops count to a small limit, recursion burns fuel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .programs import (
    EFFECTS,
    EXCHANGES,
    Anchor,
    Effect,
    Entry,
    Exchange,
    Function,
    Invocation,
    Loop,
    Value,
)
from .programs_build import Draft, FunctionBuilder
from .programs_draw import Shape, Source


@dataclass(eq=False)
class _Region:
    """Something that can be left forwards: a loop or a labelled stretch of code."""

    exit: Draft
    level: int  # the scope that holds behind the exit
    kept: int  # how many of its tokens are still usable there, over all paths so far
    proceed: Callable[[], None] | None = None  # writes the jump of ``continue``, for loops


@dataclass
class Helper:
    name: str
    style: str  # "entry", "anchor", "uncontrolled"


def _shared(first: list[str], second: list[str]) -> int:
    """The length of the longest common prefix."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))


VARIABLES = ("v0", "v1", "v2")
PREDICATES = ("eq", "ne", "ult", "ugt")


class Writer:
    """Writes one structured function."""

    def __init__(
        self,
        source: Source,
        shape: Shape,
        name: str,
        parameters: tuple[str, ...],
        style: str,
        helpers: tuple[Helper, ...],
        budget: int,
    ) -> None:
        self.below = source.below
        self.shape = shape
        self.style = style
        self.helpers = helpers
        self.name = name
        self.budget = budget
        self.loops = 0
        self.build = FunctionBuilder(name, parameters)
        self.scopes: list[list[str]] = [[]]
        self.regions: list[_Region] = []

    @property
    def controlled(self) -> bool:
        return self.style != "uncontrolled"

    # -- small pieces

    def chance(self, of: int) -> bool:
        """True once in ``of``; false is the simpler."""
        return self.below(of) == of - 1

    def variable(self) -> str:
        return VARIABLES[self.below(len(VARIABLES))]

    def operand(self) -> Value:
        return self.below(4) + 1 if self.chance(4) else self.build.read(self.variable())

    def condition(self) -> str:
        """A condition on a variable's low bits."""
        value: Value = self.build.read(self.variable())
        mask = (1, 3, 3, 7)[self.below(4)]
        masked = self.build.compute("and", value, mask)
        predicate = PREDICATES[self.below(4)]
        bound = self.below(mask) + (predicate == "ult")  # neither always true nor always false
        return self.build.compute(predicate, masked, bound, "c")

    def fork(self, then: Draft, otherwise: Draft) -> None:
        """Branch on a condition, in either order of successors."""
        pair = (otherwise, then) if self.chance(3) else (then, otherwise)
        self.build.branch(self.condition(), *pair)

    def token(self) -> str:
        """Choose a usable token; those above it are gone on this path."""
        scope = self.scopes[-1]
        index = len(scope) - 1 - self.below(len(scope))
        del scope[index + 1 :]
        return scope[index]

    @property
    def can_use(self) -> bool:
        return bool(self.scopes[-1]) or not self.controlled

    def control(self) -> str | None:
        return self.token() if self.controlled else None

    @contextmanager
    def branch_scopes(self) -> Iterator[list[list[list[str]]]]:
        """Collects the scopes of each arm that arrives at a join; there, what they share is left."""
        saved = [list(s) for s in self.scopes]
        arrivals: list[list[list[str]]] = []
        yield arrivals
        self.scopes = saved
        for scopes in arrivals:
            for scope, arrived in zip(self.scopes, scopes, strict=True):
                del scope[_shared(scope, arrived) :]

    # -- statements

    def statements(self, most: int, least: int = 0) -> None:
        for _ in range(least + self.below(most - least + 1)):
            if self.build.at is None or self.budget <= 0:
                return
            self.statement()

    def statement(self) -> None:
        self.budget -= 1
        kinds: list[Callable[[], None]] = [self.assign]
        if self.can_use:
            kinds += [self.exchange] * 4 + [self.effect]
        kinds += [self.conditional] * 3
        if self.loops < self.shape.depth:
            kinds += [self.loop] * 3
        if self.regions:
            kinds += [self.leave] * 3
        if any(r.proceed for r in self.regions):
            kinds.append(self.proceed)
        if self.shape.anchors and self.controlled:
            kinds += [self.anchor] * 2
        if self.can_use and self.controlled:
            kinds.append(self.plain_loop_token)
        if self.callable_now():
            kinds += [self.call] * self.shape.calls
        kinds += [self.labelled, self.early_return]
        kinds[self.below(len(kinds))]()

    def assign(self) -> None:
        opcode = ("add", "xor", "sub", "or", "mul")[self.below(5)]
        value = self.build.compute(opcode, self.build.read(self.variable()), self.operand())
        self.build.write(self.variable(), value)

    def exchange(self) -> None:
        callee = EXCHANGES[self.below(len(EXCHANGES))] if self.chance(3) else EXCHANGES[0]
        operand = self.operand()
        result = self.build.fresh("r")
        self.build.append(Exchange(result, callee, operand, self.control()))
        variable = self.variable()
        value: Value = result
        if self.chance(2):  # what differed between lanes still does
            value = self.build.compute("xor", self.build.read(variable), result)
        self.build.write(variable, value)

    def effect(self) -> None:
        self.build.append(Effect(EFFECTS[self.below(2)], self.operand(), self.control()))

    def anchor(self) -> None:
        token = self.build.fresh("anchor")
        self.build.append(Anchor(token))
        self.scopes[-1].append(token)

    def plain_loop_token(self) -> None:
        """A ``loop`` that is no heart (legal, if suspicious), in a block of its own."""
        block = self.build.block("counted")
        self.build.goto(block)
        self.build.start(block)
        parent, token = self.token(), self.build.fresh("count")
        self.build.append(Loop(token, parent))
        self.scopes[-1].append(token)

    def conditional(self) -> None:
        then, join = self.build.block("then"), self.build.block("join")
        otherwise = self.build.block("else") if self.chance(2) else join
        self.fork(then, otherwise)
        self.arms([then] if otherwise is join else [then, otherwise], join, otherwise is join)

    def arms(self, arms: list[Draft], join: Draft, direct: bool) -> None:
        with self.branch_scopes() as arrivals:
            before = [list(s) for s in self.scopes]
            if direct:
                arrivals.append(before)
            for arm in arms:
                self.scopes = [list(s) for s in before]
                self.build.start(arm)
                self.statements(3, 1)
                if self.build.at is not None:
                    arrivals.append(self.scopes)
                    self.build.goto(join)
        if arrivals:
            self.build.start(join)

    def early_return(self) -> None:
        leave, stay = self.build.block("leave"), self.build.block("stay")
        self.fork(leave, stay)
        saved = [list(s) for s in self.scopes]
        self.build.start(leave)
        self.statements(1)
        if self.build.at is not None:
            self.build.ret(self.build.read(self.variable()))
        self.scopes = saved
        self.build.start(stay)

    # -- regions: labelled stretches and loops

    def labelled(self) -> None:
        """A stretch of code that can be left forwards."""
        region = _Region(self.build.block("end"), len(self.scopes) - 1, len(self.scopes[-1]))
        self.regions.append(region)
        before = list(self.scopes[-1])
        self.statements(4, 2)
        self.regions.pop()
        if self.build.at is not None:
            region.kept = min(region.kept, _shared(before, self.scopes[-1]))
            self.build.goto(region.exit)
        self.scopes[-1] = before[: region.kept]
        if region.exit.predecessors:
            self.build.start(region.exit)

    def leave(self) -> None:
        """``if (...) { ...; break; }``, out of one or several regions, tokens of left loops in hand."""
        out, stay = self.build.block("out"), self.build.block("stay")
        region = len(self.regions) - 1 - self.below(len(self.regions))
        self.fork(out, stay)
        self.build.start(out)
        self.walk_out(region)
        self.build.start(stay)

    def walk_out(self, index: int) -> None:
        """From a fresh block behind the exits of ``regions[index:]`` to the exit of the first."""
        region = self.regions[index]
        scopes, regions, loops = self.scopes, self.regions, self.loops
        self.scopes = [list(s) for s in scopes[: region.level]]
        self.scopes.append([t for s in scopes[region.level :] for t in s])
        self.regions = regions[:index]
        self.loops = sum(r.proceed is not None for r in self.regions)
        self.statements(2)
        if self.build.at is not None:
            region.kept = min(region.kept, _shared(scopes[region.level], self.scopes[-1]))
            self.build.goto(region.exit)
        self.scopes, self.regions, self.loops = scopes, regions, loops

    def proceed(self) -> None:
        """``if (...) continue;`` of the innermost loop."""
        again, stay = self.build.block("again"), self.build.block("stay")
        index = max(i for i, r in enumerate(self.regions) if r.proceed)
        self.fork(again, stay)
        saved = [list(s) for s in self.scopes]
        self.build.start(again)
        self.statements(1)
        if self.build.at is not None:
            jump = self.regions[index].proceed
            assert jump is not None
            jump()
        self.scopes = saved
        self.build.start(stay)

    def loop(self) -> None:
        """A natural loop, tested at its top or its bottom, with a heart or without."""
        build = self.build
        counter = build.fresh("i")
        limit: Value = 1 + self.below(3)
        if self.chance(2):
            limit = build.compute("and", build.read(self.variable()), 3, "limit")
        build.write(counter, 0)
        parent = self.token() if self.controlled and self.can_use and self.below(4) < 3 else None
        header, exit_block = build.block("head"), build.block("exit")
        at_top = self.chance(2)
        region = _Region(exit_block, len(self.scopes) - 1, len(self.scopes[-1]))
        index = len(self.regions)

        def again() -> None:
            build.write(counter, build.compute("add", build.read(counter), 1))
            if at_top:
                build.goto(header)
            else:
                self.test(build.read(counter), limit, header, index)

        region.proceed = again
        self.regions.append(region)
        self.loops += 1
        build.goto(header)
        build.start(header)
        self.scopes.append([])
        if parent is not None:
            heart = build.fresh("heart")
            build.append(Loop(heart, parent))
            self.scopes[-1].append(heart)
        if at_top:
            for _ in range(self.below(2)):
                if self.can_use:
                    self.exchange()
            body = build.block("body")
            self.test(build.read(counter), limit, body, index)
            build.start(body)
        self.statements(4, 1)
        if build.at is not None:
            again()
        self.loops -= 1
        self.regions.pop()
        self.scopes.pop()
        del self.scopes[-1][region.kept :]
        if exit_block.predecessors:
            build.start(exit_block)

    def test(self, count: Value, limit: Value, stay: Draft, index: int) -> None:
        """Stay while the count is below the limit, else leave the loop ``regions[index]``."""
        build = self.build
        done = build.block("done")
        build.branch(build.compute("ult", count, limit, "c"), stay, done)
        saved = [list(s) for s in self.scopes]
        build.start(done)
        self.walk_out(index)
        self.scopes = saved

    # -- calls

    def callable_now(self) -> list[Helper]:
        """A controlled function calls convergent ones under a token; no rule asks that of others."""
        return [h for h in self.helpers if not self.controlled or self.can_use or h.style == "anchor"]

    def call(self) -> None:
        choices = self.callable_now()
        helper = choices[self.below(len(choices))]
        backwards = helper.name <= self.name and self.name != "main"
        fuel: Value
        join: Draft | None = None
        before = [list(s) for s in self.scopes]
        if self.name == "main":
            fuel = self.below(3)
            if self.chance(2):
                fuel = self.build.compute("and", self.build.read(self.variable()), 3, "fuel")
        elif backwards:  # recursion: only with fuel, and burning it
            deeper, join = self.build.block("deeper"), self.build.block("join")
            self.build.branch(self.build.compute("ne", "fuel", 0, "c"), deeper, join)
            self.build.start(deeper)
            fuel = self.build.compute("sub", "fuel", 1, "fuel")
        else:
            fuel = "fuel"
        token: str | None = None
        if self.controlled and (helper.style != "anchor" or (self.can_use and self.chance(4))):
            token = self.token()
        result = self.build.fresh("called")
        operands = (fuel, self.operand())
        self.build.append(Invocation(result, helper.name, operands, token))
        variable = self.variable()
        self.build.write(variable, self.build.compute("xor", self.build.read(variable), result))
        if join is not None:
            self.build.goto(join)
            self.build.start(join)
            for scope, old in zip(self.scopes, before, strict=True):
                del scope[len(old) :]

    # -- whole functions

    def function(self) -> Function:
        build = self.build
        if self.style == "entry":
            build.append(Entry("entry.token"))
            self.scopes[-1].append("entry.token")
        elif self.style == "anchor":
            self.anchor()
        parameters = build.parameters
        build.write("v0", parameters[-1])
        build.write("v1", parameters[0])
        build.write("v2", build.compute("sub", parameters[0], parameters[-1]))
        most = max(3, self.budget)
        self.statements(most, most // 3)
        if build.at is not None:
            one = build.compute("mul", build.read("v0"), 3)
            two = build.compute("mul", build.read("v1"), 5)
            total = build.compute("add", one, two)
            build.ret(build.compute("add", total, build.read("v2")))
        return build.finish(convergent=self.style != "anchor")
