"""Random structured programs that keep the static rules by construction, and end for every input."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import field, replace
from random import Random
from typing import Literal

from ..frozen import dataclass
from .build import (
    ALL,
    CONTROL,
    PLAIN,
    Control,
    Draft,
    FunctionBuilder,
    OperationRow,
    Scopes,
    Shape,
    Value,
    copied,
    draw,
    joined,
    shared,
    use,
)

# ----------------------------------------------------------------------------------------------------------
# Random structured functions that keep the static rules by construction, and end for every input.
#
# One method per kind of statement. Loops count to a small limit, recursion burns fuel.
# ----------------------------------------------------------------------------------------------------------

VARIABLES = ("a", "b", "c")


@dataclass(frozen=True, slots=True)
class Helper:
    """A function that may be called: ``@name(i32 fuel, i32 x) -> i32``."""

    name: str
    style: Control
    recursive: bool
    convergent: bool  # one with an anchor need not be


@dataclasses.dataclass(eq=False)
class OpenRegion:
    """Something that can be left forwards: a loop or a labelled stretch of code.

    ``level`` is the scope that holds behind it, ``usable`` how many of its tokens are still usable there
    over all paths so far; ``proceed`` writes the jump of a ``continue``, for loops.
    """

    exit: Draft
    level: int
    usable: int
    proceed: Callable[[], None] | None = None


@dataclasses.dataclass
class Writer:
    """Writes one function; ``budget`` is how many statements it may still hold."""

    random: Random
    shape: Shape
    style: Control
    name: str
    parameters: tuple[str, ...]
    helpers: tuple[Helper, ...]
    budget: int
    used: set[str] = field(default_factory=set)  # declared functions that are called
    controls: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.build = FunctionBuilder(self.parameters, self.shape.memory)
        self.scopes: Scopes = [[]]
        self.regions: list[OpenRegion] = []
        self.loops = 0
        self.weighted = 0
        self.inside = 0  # irreducible parts around

    # -- small pieces

    @property
    def controlled(self) -> bool:
        return self.style != "uncontrolled"

    @property
    def can_use(self) -> bool:
        return bool(self.scopes[-1]) or not self.controlled

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def variable(self) -> str:
        return self.random.choice(VARIABLES)

    def operand(self) -> Value:
        return str(self.random.randint(1, 4)) if self.chance(0.2) else self.build.read(self.variable())

    def condition(self, source: Value | None = None) -> Value:
        """A condition on a variable's low bits, neither always true nor always false."""
        mask = self.random.choice((1, 1, 3, 3, 7))
        masked = self.build.value(f"and i32 {source or self.build.read(self.variable())}, {mask}")
        predicate = self.random.choice(("eq", "eq", "ne", "ult", "ugt", "slt"))
        bound = self.random.randint(0, mask - 1) + (predicate in ("ult", "slt"))
        return self.build.value(f"icmp {predicate} i32 {masked}, {bound}", "p")

    def invariant(self) -> Value:
        """A condition on a parameter, the same in every iteration."""
        return self.condition("%" + self.random.choice(self.parameters))

    def weights(self) -> str:
        if self.shape.weights and self.chance(0.5):
            self.weighted += 1
            return f", !prof !{self.random.randint(0, 1)}"
        return ""

    def fork(self, then: Draft, otherwise: Draft, condition: Value | None = None) -> None:
        pair = (otherwise, then) if self.chance(0.3) else (then, otherwise)
        self.build.branch(condition or self.condition(), *pair, self.weights())

    def fork_to(self, condition: Value, then: Draft, otherwise: Draft) -> None:
        self.build.branch(condition, then, otherwise, self.weights())

    def bundle(self) -> str:
        """The bundle of an operation here, its token popped from the scope's others."""
        if not self.controlled:
            return ""
        return f' [ "convergencectrl"(token %{use(self.scopes[-1], self.random)}) ]'

    def arguments(self, operation: OperationRow) -> list[str]:
        def argument(kind: str) -> str:
            if kind == "0":
                return "i32 0"
            return f"i1 {self.condition()}" if kind == "c" else f"i32 {self.operand()}"

        return [argument(kind) for kind in operation.operands]

    def emit(self, operation: OperationRow, arguments: list[str], variable: str) -> None:
        """A call, its result mixed into a variable so that what differed between lanes still does."""
        self.used.add(operation.name)
        bundle = self.bundle() if operation.convergent else ""
        text = f"call {operation.result} @{operation.name}({', '.join(arguments)}){bundle}"
        if operation.result == "void":
            self.build.line(text)
            return
        result = self.build.value(text, "r")
        if operation.result == "i1":
            result = self.build.value(f"zext i1 {result} to i32")
        if self.chance(0.5):
            result = self.build.value(f"xor i32 {self.build.read(variable)}, {result}")
        self.build.write(variable, result)

    # -- statements

    def statements(self, most: int, least: int = 0) -> None:
        for _ in range(self.random.randint(least, most)):
            if self.build.at is None or self.budget <= 0:
                return
            self.statement()

    def statement(self) -> None:
        self.budget -= 1
        allowed = {
            "exchange": self.can_use, "twins": self.can_use, "leave": bool(self.regions),
            "loop": self.loops < self.shape.depth, "empty_loop": self.loops < self.shape.depth,
            "proceed": any(r.proceed for r in self.regions), "anchor": self.controlled,
            "count": self.controlled and self.can_use, "call": bool(self.callable_now()),
            "irreducible": not self.inside,
        }  # fmt: skip
        pairs = [(name, weight) for name, weight in self.shape.kinds if allowed.get(name, True)]
        [name] = self.random.choices([n for n, _ in pairs], [w for _, w in pairs])
        getattr(self, "do_" + name)()

    def do_assign(self) -> None:
        opcode = self.random.choice(("add", "xor", "sub", "or", "mul", "add"))
        value = self.build.value(f"{opcode} i32 {self.build.read(self.variable())}, {self.operand()}")
        self.build.write(self.variable(), value)

    def do_choose(self) -> None:
        condition = self.condition()
        left, right = self.operand(), self.operand()
        self.build.write(self.variable(), self.build.value(f"select i1 {condition}, i32 {left}, i32 {right}"))

    def do_exchange(self) -> None:
        operation = ALL[self.random.choice(self.shape.operations)]
        self.emit(operation, self.arguments(operation), self.variable())

    def do_plain(self) -> None:
        operation = self.random.choice(PLAIN)
        self.emit(operation, self.arguments(operation), self.variable())

    def do_anchor(self) -> None:
        self.scopes[-1].append(self.control("anchor", "anchor"))

    def control(self, which: str, stem: str, parent: str | None = None) -> str:
        """A control intrinsic; gives the token's name."""
        self.controls.add(which)
        token = self.build.fresh(stem)
        bundle = "" if parent is None else f' [ "convergencectrl"(token %{parent}) ]'
        self.build.line(f"%{token} = call token @llvm.experimental.convergence.{which}(){bundle}")
        return token

    def do_count(self) -> None:
        """A ``loop`` that is no heart (legal, if suspicious), in a block of its own."""
        block = self.build.block("counted")
        self.build.goto(block)
        self.build.start(block)
        self.scopes[-1].append(self.control("loop", "count", use(self.scopes[-1], self.random)))

    def do_conditional(self) -> None:
        then, join = self.build.block("then"), self.build.block("join")
        otherwise = self.build.block("else") if self.chance(0.4) else join
        self.fork(then, otherwise)
        body = lambda: self.statements(3, 1)  # noqa: E731
        self.arms([(arm, body) for arm in (then, otherwise) if arm is not join], join, otherwise is join)

    def do_twins(self) -> None:
        """The same call in both arms, maybe among other things."""
        left, right, join = self.build.block("left"), self.build.block("right"), self.build.block("twin")
        operation = ALL[self.random.choice(self.shape.operations)]
        arguments, variable = self.arguments(operation), self.variable()
        before, after = self.chance(0.3), self.chance(0.3)
        self.fork(left, right)

        def arm() -> None:
            if before:
                self.statements(1)
            if self.build.at is not None and self.can_use:
                self.emit(operation, arguments, variable)
            if after:
                self.statements(1)

        self.arms([(left, arm), (right, arm)], join, False)

    def arms(self, arms: list[tuple[Draft, Callable[[], None]]], join: Draft, direct: bool) -> None:
        """Blocks with their bodies, which all go on at ``join``; ``direct``: so does the branch itself."""
        before = copied(self.scopes)
        arrivals = [copied(before)] if direct else []
        for block, body in arms:
            self.scopes = copied(before)
            self.build.start(block)
            body()
            if self.build.at is not None:
                arrivals.append(self.scopes)
                self.build.goto(join)
        self.meet(before, arrivals, join)

    def meet(self, before: Scopes, arrivals: list[Scopes], join: Draft) -> None:
        """Go on at ``join`` with the tokens that all who arrive there have; nowhere, if none does."""
        self.scopes = before
        if arrivals:
            self.build.start(join)
            self.scopes = joined(arrivals)

    def do_switch(self) -> None:
        """Two or three cases; one may fall through to the next."""
        count = self.random.randint(2, 3)
        cases = [self.build.block("case") for _ in range(count)]
        join = self.build.block("esac")
        default = self.random.choice((join, cases[-1]))
        value = self.build.value(f"and i32 {self.operand()}, 3", "s")
        numbers = self.random.sample(range(4), count)
        self.build.switch(value, default, list(zip(numbers, cases, strict=True)))
        before = copied(self.scopes)
        arrivals = [copied(before)] if default is join else []
        falling: Scopes | None = None
        for i, case in enumerate(cases):
            self.scopes = joined([before, falling]) if falling is not None else copied(before)
            falling = None
            self.build.start(case)
            self.statements(2, 1)
            if self.build.at is None:
                continue
            if i + 1 < count and self.chance(0.5):
                falling = self.scopes
                self.build.goto(cases[i + 1])
            else:
                arrivals.append(self.scopes)
                self.build.goto(join)
        self.meet(before, arrivals, join)

    def do_early_return(self) -> None:
        leave, stay = self.build.block("leave"), self.build.block("stay")
        self.fork(leave, stay)
        saved = copied(self.scopes)
        self.build.start(leave)
        self.scopes = [[token for scope in self.scopes for token in scope]]
        regions, loops, self.regions, self.loops = self.regions, self.loops, [], 0
        self.statements(1)
        if self.build.at is not None:
            self.build.ret(self.build.read(self.variable()))
        self.scopes, self.regions, self.loops = saved, regions, loops
        self.build.start(stay)

    def do_labelled(self) -> None:
        """A stretch of code that can be left forwards."""
        region = OpenRegion(self.build.block("end"), len(self.scopes) - 1, len(self.scopes[-1]))
        self.regions.append(region)
        before = list(self.scopes[-1])
        self.statements(4, 2)
        self.regions.pop()
        if self.build.at is not None:
            region.usable = min(region.usable, shared(before, self.scopes[-1]))
            self.build.goto(region.exit)
        self.scopes[-1] = before[: region.usable]
        if region.exit.predecessors:
            self.build.start(region.exit)

    def do_leave(self) -> None:
        """``if (...) { ...; break; }``, out of one or several regions, tokens of left loops in hand."""
        out, stay = self.build.block("out"), self.build.block("on")
        index = len(self.regions) - 1
        while index and self.chance(0.3):
            index -= 1
        self.fork(out, stay)
        self.build.start(out)
        self.walk_out(index)
        self.build.start(stay)

    def walk_out(self, index: int) -> None:
        """From a fresh block behind the exits of ``regions[index:]`` to the exit of the first."""
        region = self.regions[index]
        scopes, regions, loops = self.scopes, self.regions, self.loops
        self.scopes = copied(scopes[: region.level])
        self.scopes.append([t for s in scopes[region.level :] for t in s])
        self.regions = regions[:index]
        self.loops = sum(r.proceed is not None for r in self.regions)
        self.statements(2)
        if self.build.at is not None:
            region.usable = min(region.usable, shared(scopes[region.level], self.scopes[-1]))
            self.build.goto(region.exit)
        self.scopes, self.regions, self.loops = scopes, regions, loops

    def do_proceed(self) -> None:
        """``if (...) continue;`` of the innermost loop."""
        again, stay = self.build.block("again"), self.build.block("on")
        index = max(i for i, r in enumerate(self.regions) if r.proceed)
        self.fork(again, stay)
        saved = copied(self.scopes)
        self.build.start(again)
        self.statements(1)
        if self.build.at is not None:
            jump = self.regions[index].proceed
            assert jump is not None
            jump()
        self.scopes = saved
        self.build.start(stay)

    # -- loops

    def do_loop(self) -> None:
        """A natural loop, tested at its top or bottom, maybe with a loop-invariant exit."""
        loop(self)

    def do_empty_loop(self) -> None:
        """A loop without convergent operations, maybe with a heart all the same."""
        empty_loop(self)

    def do_irreducible(self) -> None:
        """A cycle with two entries."""
        irreducible(self)

    # -- calls

    def callable_now(self) -> list[Helper]:
        """Helpers that may be called here: controlled calls need a token; uncontrolled convergent ones must
        not stand in a controlled function."""
        if not self.controlled:
            return list(self.helpers)
        return [h for h in self.helpers if self.scopes[-1] or not h.convergent]

    def do_call(self) -> None:
        helper = self.random.choice(self.callable_now())
        fuel = self.build.value(f"and i32 {self.operand()}, {self.random.choice((1, 3))}", "fuel")
        self.invoke(helper, fuel)

    def invoke(self, helper: Helper, fuel: Value) -> Value:
        bundle = self.bundle() if helper.convergent else ""
        result = self.build.value(f"call i32 @{helper.name}(i32 {fuel}, i32 {self.operand()}){bundle}", "h")
        self.build.write(self.variable(), result)
        return result

    # -- whole functions

    def begin(self) -> None:
        """Tokens and variables at the function's start."""
        if self.style == "entry":
            self.scopes[-1].append(self.control("entry", "entry.token"))
        elif self.style == "anchor":
            self.do_anchor()
        first, last = "%" + self.parameters[0], "%" + self.parameters[-1]
        self.build.write("a", last)
        self.build.write("b", first)
        if self.shape.lane and self.name == "main":
            self.used.add("getSubgroupLocalInvocationId")
            self.build.write("c", self.build.value("call i32 @getSubgroupLocalInvocationId()", "lane"))
        else:
            self.build.write("c", self.build.value(f"sub i32 {first}, {last}") if first != last else "3")

    def end(self) -> None:
        """Return what the variables hold, all of them told apart."""
        if self.build.at is None:
            return
        kept = self.random.sample(VARIABLES, self.random.randint(1, 3))
        total = self.build.read(kept[0])
        for variable in kept[1:]:
            scaled = self.build.value(f"mul i32 {total}, 17")
            total = self.build.value(f"add i32 {scaled}, {self.build.read(variable)}")
        self.build.ret(total)

    def lines(self) -> list[str]:
        """The whole body."""
        self.begin()
        most = max(3, self.budget)
        self.statements(most, most // 2)
        self.end()
        return self.build.body()

    def recursion(self, own: Helper) -> list[str]:
        """A helper that calls itself while there is fuel, last of all or nearly so."""
        self.begin()
        stop, go = self.build.block("stop"), self.build.block("go")
        self.build.branch(self.build.value("icmp eq i32 %fuel, 0", "p"), stop, go)
        before = copied(self.scopes)
        self.build.start(stop)
        self.statements(1)
        if self.build.at is not None:
            self.build.ret(self.build.read("a"))
        self.scopes = before
        self.build.start(go)
        self.statements(2, 1)
        if self.build.at is not None:
            left = self.build.value("sub i32 %fuel, 1", "left")
            if self.can_use or not own.convergent:
                result = self.invoke(own, left)
                if self.chance(0.3):
                    result = self.build.value(f"add i32 {result}, {self.operand()}")
                self.build.ret(result)
            else:
                self.end()
        return self.build.body()


# -- cycles: natural loops of every form, and irreducible ones


def loop(w: Writer) -> None:
    """A natural loop: ``while`` (test in the header), ``do``-``while`` (test in the latch) or ``for`` (a
    latch of its own that ``continue`` goes to), maybe with a loop-invariant exit in the header; with a heart
    or without."""
    build = w.build
    counter, limit = build.fresh("i"), _limit(w)
    build.write(counter, "0")
    parent = use(w.scopes[-1], w.random) if w.controlled and w.can_use and w.chance(w.shape.hearts) else None
    form = w.random.choice(("while", "do", "for"))
    header, after = build.block("head"), build.block("exit")
    latch = build.block("latch") if form == "for" else None
    region = OpenRegion(after, len(w.scopes) - 1, len(w.scopes[-1]))
    index = len(w.regions)

    def step() -> None:
        flags = w.random.choice(("", "nuw ", "nuw nsw "))
        build.write(counter, build.value(f"add {flags}i32 {build.read(counter)}, 1"))

    def again() -> None:
        if latch is not None:
            build.goto(latch)
            return
        step()
        if form == "while":
            build.goto(header)
        else:
            _test(w, counter, limit, header, index)

    region.proceed = again
    w.regions.append(region)
    w.loops += 1
    build.goto(header)
    build.start(header)
    w.scopes.append([])
    if parent is not None:
        w.scopes[-1].append(w.control("loop", "heart", parent))
    if form != "do" or w.chance(0.3):
        for _ in range(w.random.randint(0, 2)):
            if w.can_use and w.chance(0.7):
                w.do_exchange()
    if w.chance(0.3):
        _invariant_exit(w, index)
    if form != "do":
        body = build.block("body")
        _test(w, counter, limit, body, index)
        build.start(body)
    w.statements(4, 1)
    if build.at is not None:
        again()
    if latch is not None and latch.predecessors:
        build.start(latch)
        step()
        build.goto(header)
    w.loops -= 1
    w.regions.pop()
    w.scopes.pop()
    del w.scopes[-1][region.usable :]
    if after.predecessors:
        build.start(after)


def _limit(w: Writer) -> Value:
    """How often: a constant, or up to three times by a variable."""
    if w.chance(0.4):
        return str(w.random.randint(1, 4))
    return w.build.value(f"and i32 {w.build.read(w.variable())}, 3", "n")


def _test(w: Writer, counter: str, limit: Value, again: Draft, index: int) -> None:
    """Go round while the counter is below the limit, else leave the region ``index``."""
    more = w.build.value(f"icmp ult i32 {w.build.read(counter)}, {limit}", "more")
    _or_leave(w, more, again, index, 0.2)


def _invariant_exit(w: Writer, index: int) -> None:
    """Leave by a condition that no iteration changes, and that threads need not agree on."""
    go = w.build.block("go")
    _or_leave(w, w.invariant(), go, index, 0.3)
    w.build.start(go)


def _or_leave(w: Writer, condition: Value, on: Draft, index: int, outside: float) -> None:
    """Branch on, or to the region's exit: straight, or through code that already stands outside of it."""
    build, region = w.build, w.regions[index]
    if w.chance(outside):
        out = build.block("out")
        build.branch(condition, on, out, w.weights())
        build.start(out)
        saved = [list(s) for s in w.scopes]
        w.walk_out(index)
        w.scopes = saved
    else:
        build.branch(condition, on, region.exit, w.weights())


def empty_loop(w: Writer) -> None:
    """A loop that only computes, maybe with a heart all the same."""
    build = w.build
    counter, limit = build.fresh("j"), _limit(w)
    variable = w.variable()
    build.write(counter, "0")
    header, after = build.block("spin"), build.block("spun")
    parent = use(w.scopes[-1], w.random) if w.controlled and w.can_use and w.chance(0.4) else None
    build.goto(header)
    build.start(header)
    if parent is not None:
        w.control("loop", "heart", parent)
    if w.chance(0.7):
        opcode = w.random.choice(("add", "xor", "mul"))
        other = build.read(counter) if w.chance(0.5) else w.operand()
        build.write(variable, build.value(f"{opcode} i32 {build.read(variable)}, {other}"))
    if w.chance(0.3):
        w.do_plain()
    build.write(counter, build.value(f"add nuw nsw i32 {build.read(counter)}, 1"))
    more = build.value(f"icmp ult i32 {build.read(counter)}, {limit}", "more")
    build.branch(more, header, after, w.weights())
    build.start(after)


def irreducible(w: Writer) -> None:
    """A cycle with two entries. Tokens from outside must not be used inside, so in controlled functions its
    operations have anchors of their own."""
    build = w.build
    fuel = build.fresh("fuel")
    build.write(fuel, "0")
    first_block, two, after = build.block("one"), build.block("two"), build.block("after")
    outer = [list(s) for s in w.scopes]
    w.fork(first_block, two)
    w.inside += 1
    w.scopes = [*outer, []]
    for block, other in ((first_block, two), (two, first_block)):
        build.start(block)
        w.scopes[-1].clear()
        if w.controlled and w.chance(0.2):
            w.do_anchor()
        if w.can_use and w.chance(0.7):
            w.do_exchange()
        elif w.chance(0.4):
            w.do_plain()
        build.write(fuel, build.value(f"add i32 {build.read(fuel)}, 1"))
        if block is two:
            spent = build.value(f"icmp ult i32 {build.read(fuel)}, 4")
            go_on = build.value(f"and i1 {spent}, {w.condition()}", "p")
            w.fork_to(go_on, other, after)
        else:
            build.goto(other)
    w.inside -= 1
    w.scopes = outer
    build.start(after)


# ----------------------------------------------------------------------------------------------------------
# ``generate``: the program of a seed, as text.
#
# Every program is LLVM IR, keeps the static rules, and ends for every input. The text of a seed does not
# depend on the platform: everything is drawn from ``random.Random(seed)``.
# ----------------------------------------------------------------------------------------------------------


Style = Literal["controlled", "uncontrolled", "mixed", "reconvergence", "memory", "any", "kernels"]
STYLES: tuple[Style, ...] = ("controlled", "uncontrolled", "mixed", "reconvergence", "memory", "any")
"""``mixed``: controlled and uncontrolled functions that call each other. ``reconvergence``: as the Vulkan
conformance suite's random reconvergence programs, see :mod:`.reconvergence`. ``memory``: kernels with
barriers and memory, see :class:`Kernel`. ``any``: one of the others but ``memory``. ``kernels`` are made by
:mod:`.uniform_programs` for a target."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A program: its text, the function to launch, and what it was drawn from."""

    seed: int
    style: Style
    text: str
    function: str = "main"


def generate(seed: int, style: Style = "controlled") -> Generated:
    """The program of a seed and a style."""
    random = Random(seed)
    chosen = style
    if style == "any":
        chosen = random.choices(("controlled", "uncontrolled", "mixed", "reconvergence"), (6, 2, 1, 1))[0]
    if chosen == "reconvergence":
        from .reconvergence import reconvergence

        return Generated(seed, chosen, reconvergence(random))
    if chosen == "memory":
        shape, variables = memory_shape(random, draw(random, random.random() < 0.6))
        return Generated(seed, chosen, module(random, shape, variables))
    shape = draw(random, {"controlled": True, "uncontrolled": False, "mixed": None}[chosen])
    return Generated(seed, chosen, module(random, shape))


def module(random: Random, shape: Shape, variables: Variables | None = None) -> str:
    """A module of this shape: ``@main`` and its helpers. With ``variables`` its threads share memory."""
    helpers = tuple(_helper(random, shape, i) for i in range(shape.helpers))
    parameters = ("x", "y")[: shape.parameters]
    how = (random, shape, shape.style, "main", parameters, helpers, shape.statements)
    main = Writer(*how)
    if variables is not None:
        main = Kernel(*how, variables=variables)
    written = [(main, _definition(main, main.lines(), _main_attributes(random, shape.style)))]
    for place, helper in enumerate(helpers):
        later = helpers[place + 1 :]
        writer = Writer(random, shape, helper.style, helper.name, ("fuel", "x"), later, random.randint(1, 4))
        lines = writer.recursion(helper) if helper.recursive else writer.lines()
        written.append((writer, _definition(writer, lines, _helper_attributes(random, helper))))
    declared = {name for writer, _ in written for name in writer.used}
    controls = {name for writer, _ in written for name in writer.controls}
    parts = [text for _, text in written]
    if variables is not None:
        parts.insert(0, variables.declarations)
    parts.append(
        "\n".join(
            [o.declaration for name, o in ALL.items() if name in declared]
            + [line for name, line in CONTROL.items() if name in controls]
        )
    )
    if any(writer.weighted for writer, _ in written):
        parts.append('!0 = !{!"branch_weights", i32 1, i32 2000}\n!1 = !{!"branch_weights", i32 100, i32 1}')
    return "\n\n".join(part for part in parts if part) + "\n"


def _definition(writer: Writer, lines: list[str], words: tuple[str, str]) -> str:
    parameters = ", ".join(f"i32 %{name}" for name in writer.parameters)
    linkage, attributes = words
    head = f"define {linkage}i32 @{writer.name}({parameters}){attributes} {{"
    return "\n".join([head, *lines, "}"])


def _main_attributes(random: Random, style: Control) -> tuple[str, str]:
    convergent = " convergent" if style != "anchor" or random.random() < 0.2 else ""
    return "", convergent + random.choice(("", " nounwind", " mustprogress nounwind"))


def _helper(random: Random, shape: Shape, place: int) -> Helper:
    style = random.choice(shape.helper_styles)
    convergent = style != "anchor" or random.random() < 0.3
    return Helper(f"helper{place}" if place else "helper", style, random.random() < 0.4, convergent)


def _helper_attributes(random: Random, helper: Helper) -> tuple[str, str]:
    convergent = " convergent" if helper.convergent else ""
    inline = random.choice(("", "", " alwaysinline", " noinline"))
    return random.choice(("", "internal ")), convergent + inline + random.choice(("", " nounwind"))


# ----------------------------------------------------------------------------------------------------------
# Random kernels with memory: tiles and barriers, variables of other modules, atomics.
#
# A program goes through phases. In each, threads compute apart (statements as above), then each
# stores to its own place of a shared tile, all meet at a barrier that orders memory, read places of others,
# and meet again: so nothing races but what is atomic. The barrier is one of a dialect that the definition
# knows.
# ----------------------------------------------------------------------------------------------------------

PLACES = 16
"""Elements of an array: a thread's number, and any number made from one by ``MASK``, is an index."""
MASK = PLACES - 1


@dataclass(frozen=True, slots=True)
class KernelDialect:
    """How a kernel's threads know their numbers, and meet: ``barrier`` are lines, a call's with ``{bundle}``.
    ``local`` is the address space of what a group shares."""

    thread: str
    barrier: tuple[str, ...]
    local: int
    declarations: tuple[str, ...]


NVVM = KernelDialect(
    "call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
    ("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0){bundle}",),
    3,
    (
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
        "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)",
    ),
)
AMDGCN = KernelDialect(
    "call i32 @llvm.amdgcn.workitem.id.x()",
    (
        'fence syncscope("workgroup") release',
        "call void @llvm.amdgcn.s.barrier(){bundle}",
        'fence syncscope("workgroup") acquire',
    ),
    3,
    ("declare i32 @llvm.amdgcn.workitem.id.x()", "declare void @llvm.amdgcn.s.barrier()"),
)
SPIRV = KernelDialect(
    "call i32 @llvm.spv.thread.id.in.group.i32(i32 0)",
    ("call void @llvm.spv.group.memory.barrier.with.group.sync(){bundle}",),
    3,
    (
        "declare i32 @llvm.spv.thread.id.in.group.i32(i32)",
        "declare void @llvm.spv.group.memory.barrier.with.group.sync()",
    ),
)
DIALECTS = (NVVM, AMDGCN, SPIRV)

_ONE_BY_ONE = frozenset({"early_return", "irreducible", "anchor"})
"""Statements after which threads need not meet at the function's own level again."""


@dataclass(frozen=True, slots=True)
class Variables:
    """The memory of a program: which of its variables there are."""

    dialect: KernelDialect
    external: bool
    """An array of another module, read: what it holds is an input."""
    own: bool
    """A variable of each thread's own."""
    counted: bool
    """An atomic counter."""

    @property
    def declarations(self) -> str:
        """The variables and the dialect's functions."""
        array = f"[{PLACES} x i32]"
        lines = [
            f"@tile = internal addrspace({self.dialect.local}) global {array} zeroinitializer",
            f"@out = addrspace(1) global {array} zeroinitializer",
        ]
        lines += [f"@given = external addrspace(1) global {array}"] if self.external else []
        lines += ["@own = external thread_local global i32"] if self.own else []
        lines += ["@count = external addrspace(1) global i32"] if self.counted else []
        return "\n".join((*lines, *self.dialect.declarations))


def memory_shape(random: Random, shape: Shape) -> tuple[Shape, Variables]:
    """A shape for such a program, made from any other, and its variables."""
    kinds = tuple((name, weight) for name, weight in shape.kinds if name not in _ONE_BY_ONE)
    style: Control = "uncontrolled" if shape.style == "uncontrolled" else "entry"
    shape_with_memory = replace(
        shape, style=style, kinds=kinds, lane=False, statements=min(shape.statements, 5)
    )
    from_launch, own, counted = (random.random() < chance for chance in (0.6, 0.3, 0.25))
    return shape_with_memory, Variables(random.choice(DIALECTS), from_launch, own, counted)


@dataclasses.dataclass
class Kernel(Writer):
    """Writes the launched function."""

    variables: Variables | None = None

    def lines(self) -> list[str]:
        assert self.variables is not None
        self.begin()
        build, variables = self.build, self.variables
        thread = build.value(variables.dialect.thread, "thread")
        build.write("c", thread)
        if variables.external:
            self.mix_in(_load(build, "@given", 1, thread))
        for _ in range(self.random.randint(1, 3)):
            self.budget = max(self.budget, 2)
            self.statements(3)
            if build.at is None or not (self.scopes[-1] or not self.controlled):
                break
            self.phase(thread)
        if build.at is not None:
            self.leave_behind(thread)
        self.end()
        return build.body()

    def phase(self, thread: str) -> None:
        """Each thread puts a value into its place of the tile, and takes one from another's place."""
        build = self.build
        value, taken = build.read(self.variable()), self.random.randint(1, 3)
        _store(build, "@tile", 3, thread, value)
        self.barrier()
        other = build.value(f"{self.random.choice(('xor', 'add'))} i32 {thread}, {taken}")
        self.mix_in(_load(build, "@tile", 3, build.value(f"and i32 {other}, {MASK}")))
        if self.chance(0.3):
            self.mix_in(_load(build, "@tile", 3, thread))
        if self.chance(0.3):
            _store(build, "@out", 1, thread, build.read(self.variable()))
        self.barrier()

    def barrier(self) -> None:
        """All meet: under the function's own token, whatever was opened since."""
        assert self.variables is not None
        del self.scopes[-1][1:]
        bundle = f' [ "convergencectrl"(token %{self.scopes[-1][0]}) ]' if self.controlled else ""
        for line in self.variables.dialect.barrier:
            self.build.line(line.format(bundle=bundle))

    def leave_behind(self, thread: str) -> None:
        """What the outside sees: the results, a thread's own variable, the count."""
        assert self.variables is not None
        build = self.build
        if self.variables.own:
            own = build.value("load i32, ptr @own")
            build.line(f"store i32 {build.value(f'add i32 {own}, {build.read(self.variable())}')}, ptr @own")
        if self.variables.counted:
            build.value("atomicrmw add ptr addrspace(1) @count, i32 1 monotonic", "counted")
        _store(build, "@out", 1, thread, build.read(self.variable()))

    def mix_in(self, value: str) -> None:
        """Into a variable, so that what differed between threads still does."""
        variable = self.variable()
        mixed = self.build.value(
            f"{self.random.choice(('add', 'xor'))} i32 {self.build.read(variable)}, {value}"
        )
        self.build.write(variable, mixed)


def _place(build: FunctionBuilder, array: str, space: int, index: str) -> str:
    base = f"ptr addrspace({space}) {array}"
    return build.value(f"getelementptr inbounds [{PLACES} x i32], {base}, i32 0, i32 {index}", "place")


def _load(build: FunctionBuilder, array: str, space: int, index: str) -> str:
    return build.value(f"load i32, ptr addrspace({space}) {_place(build, array, space, index)}", "held")


def _store(build: FunctionBuilder, array: str, space: int, index: str, value: str) -> None:
    build.line(f"store i32 {value}, ptr addrspace({space}) {_place(build, array, space, index)}")
