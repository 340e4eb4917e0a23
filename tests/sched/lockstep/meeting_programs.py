"""Random programs in which lanes meet: exchanges with tokens and without, hearts, barriers of subgroups and
of workgroups, in loops that are uniform or part lanes, behind early returns and in callees."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from convergence.semantics.machine.launch import LaunchSpec, launch_spec

TRIPLE = 'target triple = "nvptx64-nvidia-cuda"'
"""With it a wave has room for a warp, and launch groups of a workgroup that are smaller are not alike."""
DECLARED = """
@cells = global [16 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6, i32 5, i32 3, i32 5,
                            i32 8, i32 9, i32 7, i32 9, i32 3]
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @subgroupAdd(i32) convergent
declare i32 @subgroupInclusiveAdd(i32) convergent
declare i32 @subgroupShuffleXor(i32, i32) convergent
declare i32 @subgroupBroadcastFirst(i32) convergent
declare i1 @subgroupAny(i1) convergent
declare i1 @subgroupElect() convergent
declare <4 x i32> @subgroupBallot(i1) convergent
declare void @subgroupBarrier() convergent
declare void @llvm.nvvm.bar.warp.sync(i32) convergent
declare void @llvm.nvvm.barrier.cta.sync.all(i32) convergent
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32) convergent
declare void @llvm.nvvm.barrier.cta.arrive.count(i32, i32) convergent
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1) convergent
declare void @event(i32)
declare i32 @opaque(i32) convergent
declare token @llvm.experimental.convergence.entry() convergent
declare token @llvm.experimental.convergence.loop() convergent
declare token @llvm.experimental.convergence.anchor() convergent
"""


@dataclass
class Drawing:
    """What a function is drawn with: how likely (0 to 1) conditions part lanes, and what there is in it."""

    parts: float
    controlled: bool
    barriers: bool
    rare: bool
    callee: bool
    returns: bool


@dataclass
class Text:
    """The text of one function: ``value`` is the register that goes on, in ``block``."""

    random: Random
    drawing: Drawing
    lines: list[str] = field(default_factory=list)
    count: int = 0
    value: str = "%x"
    block: str = "entry"
    counters: tuple[str, ...] = ()
    """The counts of the loops around, innermost last."""

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def line(self, text: str) -> str:
        """The register of a result."""
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        return name

    def begin(self, block: str) -> None:
        self.lines.append(f"{block}:")
        self.block = block

    def label(self, what: str) -> str:
        self.count += 1
        return f"{what}{self.count}"

    # -- what a condition or a count is ----------------------------------------------------------------

    def uniform(self) -> str:
        """What is the same for all threads: a parameter or how often a loop has gone round."""
        return self.random.choice(("%n", *self.counters))

    def condition(self) -> str:
        parts = self.random.random() < self.drawing.parts
        of = self.random.choice((self.value, "%lane", "%t")) if parts else self.uniform()
        bits = self.line(f"and i32 {of}, {self.random.choice((1, 2, 3, 4))}")
        return self.line(f"icmp {self.random.choice(('eq', 'ne'))} i32 {bits}, {self.random.randrange(3)}")

    # -- statements ------------------------------------------------------------------------------------

    def statements(self, token: str | None, depth: int, most: int) -> None:
        for _ in range(self.random.randrange(1, most + 1)):
            self.statement(token, depth)

    def statement(self, token: str | None, depth: int) -> None:
        kinds = ["compute"] * 3 + ["exchange"] * 4 + ["memory"] * 2
        kinds += ["barrier"] * 2 if self.drawing.barriers else []
        kinds += ["call"] if self.drawing.callee else []
        kinds += ["event", "opaque", "vote"] if self.drawing.rare else []
        if depth:
            kinds += ["branch"] * 3 + ["loop"] * 4
            kinds += ["returns"] if self.drawing.returns else []
        getattr(self, self.random.choice(kinds))(token, depth)

    def compute(self, token: str | None, depth: int) -> None:
        operation = self.random.choice(("add", "mul", "xor", "sub"))
        other = self.random.choice(("%lane", "%t", "%n", str(self.random.randrange(1, 9)), *self.counters))
        self.value = self.line(f"{operation} i32 {self.value}, {other}")

    def _with(self, call: str, token: str | None) -> str:
        bundle = f' [ "convergencectrl"(token {token}) ]' if token is not None else ""
        return f"call {call}{bundle}"

    def exchange(self, token: str | None, depth: int) -> None:
        v = self.value
        match self.random.randrange(9):
            case 0 | 1 | 2:
                got = self.line(self._with(f"i32 @subgroupAdd(i32 {v})", token))
            case 3:
                got = self.line(self._with(f"i32 @subgroupInclusiveAdd(i32 {v})", token))
            case 4:
                other = self.random.choice(("1", "2", "%n"))
                got = self.line(self._with(f"i32 @subgroupShuffleXor(i32 {v}, i32 {other})", token))
            case 5:
                got = self.line(self._with(f"i32 @subgroupBroadcastFirst(i32 {v})", token))
            case 6:
                elected = self.line(self._with("i1 @subgroupElect()", token))
                got = self.line(f"zext i1 {elected} to i32")
            case 7:
                vector = self.line(self._with(f"<4 x i32> @subgroupBallot(i1 {self.condition()})", token))
                got = self.line(f"extractelement <4 x i32> {vector}, i32 0")
            case _:
                which = ("subgroupBarrier()", "llvm.nvvm.bar.warp.sync(i32 -1)")[self.random.random() < 0.3]
                self.lines.append("  " + self._with(f"void @{which}", token))
                return
        self.value = self.line(f"{self.random.choice(('add', 'xor'))} i32 {got}, {v}")

    def barrier(self, token: str | None, depth: int) -> None:
        choices = ["llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"] * 4
        choices += [
            f"llvm.nvvm.barrier.cta.sync.{kind}all(i32 {n})" for kind in ("", "aligned.") for n in (0, 1)
        ]
        if self.drawing.rare:
            choices += ["llvm.nvvm.barrier.cta.sync.count(i32 2, i32 8)"]
            choices += ["llvm.nvvm.barrier.cta.arrive.count(i32 2, i32 8)"]
        self.lines.append("  " + self._with(f"void @{self.random.choice(choices)}", token))

    def vote(self, token: str | None, depth: int) -> None:
        if self.drawing.barriers:
            counts = f"i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 3, i1 {self.condition()})"
            self.value = self.line(self._with(counts, token))

    def memory(self, token: str | None, depth: int) -> None:
        of = self.random.choice(("%lane", self.value))
        at = self.line(f"and i32 {of}, 15")
        cell = self.line(f"getelementptr [16 x i32], ptr @cells, i32 0, i32 {at}")
        match self.random.randrange(4):
            case 0:
                self.lines.append(f"  store i32 {self.value}, ptr {cell}")
            case 1:
                self.value = self.line(f"atomicrmw add ptr {cell}, i32 {self.value} monotonic")
            case _:
                loaded = self.line(f"load i32, ptr {cell}")
                self.value = self.line(f"xor i32 {loaded}, {self.value}")

    def event(self, token: str | None, depth: int) -> None:
        self.lines.append(f"  call void @event(i32 {self.value})")

    def opaque(self, token: str | None, depth: int) -> None:
        self.value = self.line(self._with(f"i32 @opaque(i32 {self.value})", token))

    def call(self, token: str | None, depth: int) -> None:
        n = self.uniform()
        self.value = self.line(self._with(f"i32 @g(i32 {self.value}, i32 {n})", token))

    def branch(self, token: str | None, depth: int) -> None:
        condition, then, otherwise, after = self.condition(), *map(self.label, ("T", "F", "J"))
        self.lines.append(f"  br i1 {condition}, label %{then}, label %{otherwise}")
        value, ends = self.value, []
        for block, most in (then, 2), (otherwise, 1):
            self.begin(block)
            self.value = value
            self.statements(token, depth - 1, most)
            ends.append(f"[ {self.value}, %{self.block} ]")
            self.lines.append(f"  br label %{after}")
        self.begin(after)
        self.value = self.line(f"phi i32 {', '.join(ends)}")

    def loop(self, token: str | None, depth: int) -> None:
        head, latch, after = map(self.label, ("H", "L", "E"))
        least = self.random.randrange(1, 7)
        if self.random.random() < self.drawing.parts:
            few = self.line(f"and i32 {self.random.choice((self.value, '%lane', '%t'))}, 3")
            count = self.line(f"add i32 {few}, {least}")
        else:
            few = self.line(f"and i32 {self.uniform()}, {self.random.choice((3, 15))}")
            count = self.line(f"add i32 {few}, {least}")
        self.lines.append(f"  br label %{head}")
        before, came = self.block, self.value
        self.begin(head)
        i, s, i_next = self.name(), self.name(), self.name()
        at = len(self.lines)
        self.lines += ["", ""]
        inner = token
        if token is not None and self.random.random() < 0.8:
            control = self.random.choice(("loop",) * 8 + ("anchor",)) if self.drawing.rare else "loop"
            bundle = f' [ "convergencectrl"(token {token}) ]' if control == "loop" else ""
            inner = self.line(f"call token @llvm.experimental.convergence.{control}(){bundle}")
        elif token is not None:
            inner = None
        self.value, outside = s, self.counters
        self.counters = (*outside, i)
        if token is not None and inner is None:
            self.compute(None, 0)
        else:
            self.statements(inner, depth - 1, 3)
        leaves = []
        if self.random.random() < 0.3:
            inside = self.label("I")
            self.lines.append(f"  br i1 {self.condition()}, label %{after}, label %{inside}")
            leaves.append(f"[ {self.value}, %{self.block} ]")
            self.begin(inside)
        self.lines.append(f"  br label %{latch}")
        end = self.value
        self.begin(latch)
        self.lines.append(f"  {i_next} = add i32 {i}, 1")
        more = self.line(f"icmp ult i32 {i_next}, {count}")
        self.lines.append(f"  br i1 {more}, label %{head}, label %{after}")
        self.lines[at] = f"  {i} = phi i32 [ 0, %{before} ], [ {i_next}, %{latch} ]"
        self.lines[at + 1] = f"  {s} = phi i32 [ {came}, %{before} ], [ {end}, %{latch} ]"
        self.begin(after)
        self.counters = outside
        self.value = self.line(f"phi i32 {', '.join([*leaves, f'[ {end}, %{latch} ]'])}")

    def returns(self, token: str | None, depth: int) -> None:
        out, on = map(self.label, ("R", "C"))
        self.lines.append(f"  br i1 {self.condition()}, label %{out}, label %{on}")
        self.begin(out)
        self.lines.append(f"  ret i32 {self.value}")
        self.begin(on)


def function(random: Random, drawing: Drawing, name: str, depth: int, most: int) -> str:
    """The text of a function of ``i32 %x`` and ``i32 %n``, the latter the same for all threads."""
    text = Text(random, drawing)
    text.begin("entry")
    text.lines.append("  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()")
    text.lines.append("  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()")
    token = None
    if drawing.controlled:
        token = text.line("call token @llvm.experimental.convergence.entry()")
    text.statements(token, depth, most)
    text.loop(token, depth)
    text.lines.append(f"  ret i32 {text.value}")
    body = "\n".join(text.lines)
    return f"define i32 @{name}(i32 %x, i32 %n) convergent {{\n{body}\n}}\n"


def meeting_program(seed: int) -> str:
    """The program of a seed."""
    random = Random(f"meetings {seed}")
    drawing = Drawing(
        parts=random.choice((0.0, 0.0, 0.1, 0.1, 0.3, 0.6)),
        controlled=random.random() < 0.6,
        barriers=random.random() < 0.6,
        rare=random.random() < 0.15,
        callee=random.random() < 0.2,
        returns=random.random() < 0.3,
    )
    parts = [*([TRIPLE] if random.random() < 0.2 else []), DECLARED]
    if drawing.callee:
        callee = Drawing(drawing.parts, drawing.controlled, False, drawing.rare, False, drawing.returns)
        parts.append(function(random, callee, "g", 1, 1))
    parts.append(function(random, drawing, "f", random.randrange(1, 4), 3))
    return "\n".join(parts)


def meeting_launch(seed: int) -> LaunchSpec:
    """The launch of a seed: one wave or several, full or not, of one workgroup or several; bounds that cut
    some runs off in the middle."""
    random = Random(f"launch of meetings {seed}")
    size: dict[str, Any] = {}
    match random.randrange(6):
        case 0 | 1:
            threads = random.choice((1, 2, 3, 5, 8, 11))
            size["threads"] = threads
        case 2:
            threads = random.choice((5, 9, 12, 13))
            size |= {"threads": threads, "subgroup_size": random.choice((1, 2, 4))}
        case _:
            grid, (workgroup, wave) = (
                random.randrange(1, 3),
                random.choice(((4, 2), (6, 2), (6, 3), (8, 4), (8, 2))),
            )
            threads = grid * workgroup
            size |= {"grid": grid, "workgroup": workgroup, "subgroup_size": wave}
    return launch_spec(
        function="f", **size,
        arguments={"x": [random.randrange(16) for _ in range(threads)], "n": random.randrange(20)},
        max_steps=random.choice((4000, 4000, 4000, 777, random.randrange(20, 1500))),
        uncontrolled=random.choice(("maximal", "maximal", "maximal", "any", "none")),
        verified=random.random() < 0.8,
    )  # fmt: skip
