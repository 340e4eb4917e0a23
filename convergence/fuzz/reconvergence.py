"""Random reconvergence programs, in the manner of the Vulkan conformance suite's tests of that name.

A program is a small syntax tree of nested ifs, loops, switches, breaks, continues, early returns, and
ballots whose results are stored. Its text has tokens as clang writes them: ``entry`` first, ``loop`` in
the block where a loop's condition (``do``: body) begins, and every convergent call uses the token of the
innermost loop around it in the *source*, also where the block has left the loop in the CFG.
What the tree means is in :mod:`.structured`; the text must mean the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from .build import Draft, FunctionBuilder, Value

# -- the tree ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LaneCondition:
    """``(variable & mask) < bound``, of ``lane``, ``x``, ``acc`` or a loop's counter ``i0``, ``i1``, ..."""

    variable: str
    mask: int
    bound: int


@dataclass(frozen=True, slots=True)
class Ballot:
    """``acc = acc * 3 + ballot(condition)``, stored in the output if ``stored``. ``site`` numbers it."""

    site: int
    condition: LaneCondition
    stored: bool


@dataclass(frozen=True, slots=True)
class StoreStatement:
    """``output = number``: a plain effect, not convergent."""

    number: int


@dataclass(frozen=True, slots=True)
class If:
    condition: LaneCondition
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class SwitchStatement:
    """On ``variable & 3``; a case without break falls through to the next."""

    variable: str
    cases: tuple[tuple[int, tuple[Statement, ...], bool], ...]
    default: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class LoopStatement:
    """``kind``: ``while`` (condition, body, step), ``for`` (the step is where ``continue`` goes), ``do``.
    Goes round while ``counter < limit`` and the guard, if any, holds."""

    kind: str
    counter: str
    limit: int
    guard: LaneCondition | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclass(frozen=True, slots=True)
class Continue:
    pass


@dataclass(frozen=True, slots=True)
class Return:
    pass


Statement = Ballot | StoreStatement | If | SwitchStatement | LoopStatement | Break | Continue | Return


# -- drawing one ------------------------------------------------------------------------------------


@dataclass
class TreeDraw:
    """Draws statements: at most so deep, and ``budget`` of them."""

    random: Random
    most_depth: int
    budget: int
    sites: int = 0
    loops: int = 0

    def condition(self, counters: tuple[str, ...]) -> LaneCondition:
        variable = self.random.choice(("lane", "lane", "x", "x", "acc", *counters))
        mask = self.random.choice((1, 3, 3, 7))
        return LaneCondition(variable, mask, self.random.randint(1, mask))

    def ballot(self, counters: tuple[str, ...]) -> Ballot:
        self.sites += 1
        return Ballot(self.sites, self.condition(counters), self.random.random() < 0.7)

    def block(self, depth: int, counters: tuple[str, ...], inside: str) -> tuple[Statement, ...]:
        statements: list[Statement] = []
        for _ in range(self.random.randint(1, 3)):
            if self.budget <= 0:
                break
            self.budget -= 1
            statements.append(self.statement(depth, counters, inside))
            if isinstance(statements[-1], Break | Continue | Return):
                break
        return tuple(statements)

    def statement(self, depth: int, counters: tuple[str, ...], inside: str) -> Statement:
        choice = self.random.random()
        if choice < 0.3 or (depth >= self.most_depth and choice < 0.7):
            return self.ballot(counters)
        if depth >= self.most_depth:
            jumps = {"loop": (Break(), Continue()), "switch": (), "": ()}[inside]
            leaves: tuple[Statement, ...] = (StoreStatement(self.random.randint(1, 9)), *jumps)
            return self.random.choice(leaves)
        if choice < 0.36:
            return StoreStatement(self.random.randint(1, 9))
        if choice < 0.68:
            return self.conditional(depth, counters, inside)
        if choice < 0.76:
            return self.switch(depth, counters, inside)
        if choice < 0.94:
            return self.loop(depth, counters)
        then: tuple[Statement, ...] = (self.ballot(counters), Return())
        return If(self.condition(counters), then[self.random.randint(0, 1) :], ())

    def conditional(self, depth: int, counters: tuple[str, ...], inside: str) -> If:
        condition = self.condition(counters)
        if self.random.random() < 0.35:  # twin arms: the same ballot in both
            twin = self.condition(counters)
            arms = []
            for _ in range(2):
                before = self.maybe(depth, counters, inside)
                self.sites += 1
                arms.append((*before, Ballot(self.sites, twin, True)))
            return If(condition, arms[0], arms[1])
        then = self.block(depth + 1, counters, inside)
        if inside == "loop" and self.random.random() < 0.35:
            then = (*_falling(then), self.random.choice((Break(), Continue())))
        otherwise = self.block(depth + 1, counters, inside) if self.random.random() < 0.4 else ()
        return If(condition, then, otherwise)

    def maybe(self, depth: int, counters: tuple[str, ...], inside: str) -> tuple[Statement, ...]:
        return _falling(self.block(depth + 1, counters, inside)) if self.random.random() < 0.2 else ()

    def switch(self, depth: int, counters: tuple[str, ...], inside: str) -> SwitchStatement:
        numbers = self.random.sample(range(4), self.random.randint(1, 3))
        cases = tuple(
            (number, self.block(depth + 1, counters, "switch"), self.random.random() < 0.6)
            for number in numbers
        )
        default = self.block(depth + 1, counters, "switch") if self.random.random() < 0.5 else ()
        return SwitchStatement(self.random.choice(("lane", "x", "acc")), cases, default)

    def loop(self, depth: int, counters: tuple[str, ...]) -> LoopStatement:
        counter = f"i{self.loops}"
        self.loops += 1
        inner = (*counters, counter)
        kind = self.random.choice(("while", "for", "do"))
        guard = self.condition(inner) if self.random.random() < 0.7 else None
        body = self.block(depth + 1, inner, "loop") or (self.ballot(inner),)
        return LoopStatement(kind, counter, self.random.randint(1, 3), guard, body)


def _falling(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Without a jump at the end."""
    return tuple(s for s in statements if not isinstance(s, Break | Continue | Return))


def tree(random: Random) -> tuple[Statement, ...]:
    """A random program."""
    draw = TreeDraw(random, random.choice((1, 2, 2, 3)), random.choice((4, 6, 10)))
    statements: list[Statement] = []
    for _ in range(random.randint(1, 3)):
        statements.extend(draw.block(0, (), ""))
    statements.append(draw.ballot(()))
    return tuple(until_return(statements))


def until_return(statements: list[Statement]) -> list[Statement]:
    """What is reached of statements in a row."""
    for place, statement in enumerate(statements):
        if isinstance(statement, Break | Continue | Return):
            return statements[:place]
    return statements


# -- its text ---------------------------------------------------------------------------------------

LANES = 8
"""Lanes that have room in the output."""
SLOTS = 64
"""Stores of one lane that have room."""

_DECLARATIONS = """declare i32 @subgroupBallot(i1) convergent nounwind willreturn memory(none)
declare i32 @getSubgroupLocalInvocationId() nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
"""


def text_of(statements: tuple[Statement, ...], memory: bool = False) -> str:
    """The module of a program: ``i32 @main(i32 %x)``, which returns ``acc`` and stores in ``@out``."""
    body = IRWriter(memory).main(statements)
    head = f"@out = global [{LANES * SLOTS} x i32] zeroinitializer\n\n"
    return head + "define i32 @main(i32 %x) convergent {\n" + "\n".join(body) + "\n}\n\n" + _DECLARATIONS


def reconvergence(random: Random) -> str:
    """The text of a random program."""
    return text_of(tree(random), memory=random.random() < 0.2)


@dataclass(frozen=True, slots=True)
class Targets:
    """Where ``break`` and ``continue`` go, and the token that calls use."""

    token: str
    breaks: Draft | None = None
    continues: Draft | None = None


class IRWriter:
    """Writes a tree as clang does."""

    def __init__(self, memory: bool) -> None:
        self.build = FunctionBuilder(("x",), memory)

    def main(self, statements: tuple[Statement, ...]) -> list[str]:
        build = self.build
        token = build.value("call token @llvm.experimental.convergence.entry()", "entry.token")
        build.write("acc", "0")
        build.write("slot", "0")
        build.write("x", "%x")
        build.write("lane", build.value("call i32 @getSubgroupLocalInvocationId()", "lane"))
        self.block(statements, Targets(token))
        if build.at is not None:
            self.ret()
        return build.body()

    def ret(self) -> None:
        """An early return, or the last one."""
        self.build.ret(self.build.read("acc"))

    def operation(self, site: Ballot, bundle: str) -> Value:
        """A site's convergent operation with its token; gives the result."""
        voted = self.condition(site.condition)
        return self.build.value(f"call i32 @subgroupBallot(i1 {voted}){bundle}", f"ballot{site.site}")

    def block(self, statements: tuple[Statement, ...], targets: Targets) -> None:
        for statement in statements:
            if self.build.at is None:
                return
            self.statement(statement, targets)

    def condition(self, condition: LaneCondition) -> Value:
        masked = self.build.value(f"and i32 {self.build.read(condition.variable)}, {condition.mask}")
        return self.build.value(f"icmp ult i32 {masked}, {condition.bound}", "p")

    def store(self, value: Value) -> None:
        """The next slot of the own lane."""
        build = self.build
        slot = build.read("slot")
        base = build.value(f"mul i32 {build.read('lane')}, {SLOTS}")
        place = build.value(f"add i32 {base}, {build.value(f'and i32 {slot}, {SLOTS - 1}')}")
        pointer = build.value(f"getelementptr i32, ptr @out, i32 {place}", "place")
        build.line(f"store i32 {value}, ptr {pointer}")
        build.write("slot", build.value(f"add i32 {slot}, 1"))

    def statement(self, statement: Statement, targets: Targets) -> None:
        build = self.build
        match statement:
            case Ballot(stored=stored):
                result = self.operation(statement, f' [ "convergencectrl"(token {targets.token}) ]')
                scaled = build.value(f"mul i32 {build.read('acc')}, 3")
                build.write("acc", build.value(f"add i32 {scaled}, {result}"))
                if stored:
                    self.store(result)
            case StoreStatement(number):
                self.store(str(number))
            case If(condition, then, otherwise):
                self.conditional(condition, then, otherwise, targets)
            case SwitchStatement():
                self.switch(statement, targets)
            case LoopStatement():
                self.loop(statement, targets)
            case Break():
                assert targets.breaks is not None
                build.goto(targets.breaks)
            case Continue():
                assert targets.continues is not None
                build.goto(targets.continues)
            case Return():
                self.ret()

    def conditional(
        self,
        condition: LaneCondition,
        then: tuple[Statement, ...],
        otherwise: tuple[Statement, ...],
        targets: Targets,
    ) -> None:
        build = self.build
        arm, join = build.block("if.then"), build.block("if.end")
        other = build.block("if.else") if otherwise else join
        build.branch(self.condition(condition), arm, other)
        for block, body in ((arm, then), (other, otherwise)):
            if block is not join:
                build.start(block)
                self.block(body, targets)
                if build.at is not None:
                    build.goto(join)
        if join.predecessors:
            build.start(join)

    def switch(self, switch: SwitchStatement, targets: Targets) -> None:
        build = self.build
        after = build.block("sw.epilog")
        blocks = [build.block("sw.bb") for _ in switch.cases]
        default = build.block("sw.default") if switch.default else after
        value = build.value(f"and i32 {build.read(switch.variable)}, 3", "s")
        build.switch(value, default, [(n, b) for (n, _, _), b in zip(switch.cases, blocks, strict=True)])
        following = [*blocks[1:], default]
        inner = Targets(targets.token, after, targets.continues)
        for (_, body, breaks), block, onward in zip(switch.cases, blocks, following, strict=True):
            build.start(block)
            self.block(body, inner)
            if build.at is not None:
                build.goto(after if breaks else onward)
        if default is not after:
            build.start(default)
            self.block(switch.default, inner)
            if build.at is not None:
                build.goto(after)
        if after.predecessors:
            build.start(after)

    def loop(self, loop: LoopStatement, targets: Targets) -> None:
        build = self.build
        build.write(loop.counter, "0")
        head = build.block({"while": "while.cond", "for": "for.cond", "do": "do.body"}[loop.kind])
        end = build.block(f"{loop.kind}.end")
        step = build.block({"while": "while.inc", "for": "for.inc", "do": "do.cond"}[loop.kind])
        build.goto(head)
        build.start(head)
        bundle = f' [ "convergencectrl"(token {targets.token}) ]'
        token = build.value("call token @llvm.experimental.convergence.loop()" + bundle, "heart")
        if loop.kind != "do":
            body = build.block(f"{loop.kind}.body")
            build.branch(self.more(loop), body, end)
            build.start(body)
        self.block(loop.body, Targets(token, end, step))
        if build.at is not None:
            build.goto(step)
        if step.predecessors:
            build.start(step)
            build.write(loop.counter, build.value(f"add i32 {build.read(loop.counter)}, 1"))
            if loop.kind == "do":
                build.branch(self.more(loop), head, end)
            else:
                build.goto(head)
        if end.predecessors:
            build.start(end)

    def more(self, loop: LoopStatement) -> Value:
        """The loop's condition. No short circuit: it has no convergent operation."""
        below = self.build.value(f"icmp ult i32 {self.build.read(loop.counter)}, {loop.limit}", "more")
        if loop.guard is None:
            return below
        return self.build.value(f"and i1 {below}, {self.condition(loop.guard)}", "more")
