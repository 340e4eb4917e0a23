"""Random functions with the shapes on which analyses of uniformity break.

Blocks stand in a row, each of which may go on to the next one. What makes the shapes are extra edges: back to
an earlier block (cycles, also several with one header), out of a cycle to the block behind it or further on
(exits of a header, a body, a latch, to one block), into a cycle past its header (irreducible ones), and
forward. Where a branch goes depends on what is the same in all threads, on the lane, or on what was computed.
Values are a few variables that blocks change, and phis with other constants, or undef, for each way to come.

Every backward edge counts, and is taken a few times only: so all programs end.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from random import Random

VARIABLES = ("x", "y")
PASSES = 3
"""Times that a thread takes backward edges to one block, at most."""


@dataclass(frozen=True, slots=True)
class WaveDialect:
    """What differs between targets: how a kernel is called, the lane's number, operations across lanes as
    (declaration, call of a value %v or a condition %c)."""

    triple: str
    convention: str
    lane: str
    operations: tuple[tuple[str, str, str], ...]
    attributes: str = ""
    attachment: str = ""
    tail: str = ""


def _amdgcn(name: str, type_: str, parameters: str, arguments: str) -> tuple[str, str, str]:
    function = f"@llvm.amdgcn.{name}"
    return f"declare {type_} {function}({parameters})", type_, f"{function}({arguments})"


def _vote(name: str, type_: str) -> tuple[str, str, str]:
    function = f"@llvm.nvvm.vote.{name}.sync"
    return f"declare {type_} {function}(i32, i1)", type_, f"{function}(i32 -1, i1 %c)"


AMDGPU = WaveDialect(
    "amdgcn-amd-amdhsa",
    "amdgpu_kernel",
    "llvm.amdgcn.workitem.id.x",
    (
        _amdgcn("readfirstlane.i32", "i32", "i32", "i32 %v"),
        _amdgcn("readlane.i32", "i32", "i32, i32", "i32 %v, i32 0"),
        _amdgcn("ballot.i64", "i64", "i1", "i1 %c"),
        _amdgcn("ds.permute", "i32", "i32, i32", "i32 4, i32 %v"),
    ),
    '"target-cpu"="gfx90a"',
    " !reqd_work_group_size !0",
    "!0 = !{i32 256, i32 1, i32 1}\n",
)
NVPTX = WaveDialect(
    "nvptx64-nvidia-cuda",
    "ptx_kernel",
    "llvm.nvvm.read.ptx.sreg.tid.x",
    (_vote("ballot", "i32"), _vote("any", "i1")),
)
DIALECTS = {"amdgcn": AMDGPU, "nvptx": NVPTX}


@dataclass
class _Edges:
    """Extra edges by block; ``back`` are those to an earlier or the same block."""

    random: Random
    size: int
    extra: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, source: int, target: int) -> None:
        if len(self.extra[source]) < 2 and target != source + 1 and target not in self.extra[source]:
            self.extra[source].append(target)

    def cycle(self) -> None:
        """A cycle of a few blocks, with exits to one block or to several, and perhaps another way in."""
        random, last = self.random, self.size - 2
        low = random.randrange(1, last + 1)
        high = min(last, low + random.choice((0, 1, 1, 2, 3)))
        self.add(high, low)
        behind = min(high + 1, self.size - 1)
        for block in range(low, high + 1):
            if random.random() < 0.45:
                self.add(block, behind if random.random() < 0.7 else random.randrange(behind, self.size))
        if high > low and random.random() < 0.3:
            self.add(random.randrange(low, high), low)  # a second latch
        if high > low and random.random() < 0.2:
            self.add(random.randrange(0, low), random.randrange(low + 1, high + 1))  # a second entry

    def forward(self) -> None:
        source = self.random.randrange(0, self.size - 2)
        self.add(source, self.random.randrange(source + 1, self.size))


def function(
    random: Random, name: str, dialect: WaveDialect, waves: bool = True, anchored: bool = False
) -> str:
    """One kernel. ``waves``: with operations across lanes; ``anchored``: each below an anchor of its own."""
    size = random.randint(5, 9)
    edges = _Edges(random, size)
    for _ in range(random.randint(1, 3)):
        edges.cycle()
    for _ in range(random.randint(0, 2)):
        edges.forward()
    return _Writer(random, name, dialect, size, edges.extra, waves, anchored).text()


def dialect_of(triple: str) -> WaveDialect | None:
    """The dialect of a target, ``None`` for one that there are no kernels for."""
    return next((dialect for name, dialect in DIALECTS.items() if triple.startswith(name)), None)


def kernel(seed: int, dialect: WaveDialect) -> str:
    """The module of a seed, with one kernel, ``@main``, that has operations across lanes."""
    return declarations(dialect) + function(Random(f"kernel {seed}"), "main", dialect) + "\n"


def declarations(dialect: WaveDialect) -> str:
    """What the functions of a dialect call, and the target."""
    lines = [
        f'target triple = "{dialect.triple}"',
        f"declare i32 @{dialect.lane}()",
        "declare void @show(i32)",
    ]
    return "\n".join([*lines, *(declared for declared, _, _ in dialect.operations)]) + f"\n{dialect.tail}"


class _Writer:
    """Writes a function. Variables get phis wherever ways meet; those that are trivial are left out again."""

    def __init__(
        self,
        random: Random,
        name: str,
        dialect: WaveDialect,
        size: int,
        extra: dict[int, list[int]],
        waves: bool,
        anchored: bool,
    ) -> None:
        self.random, self.name, self.dialect, self.size, self.waves = random, name, dialect, size, waves
        self.anchored = anchored
        self.successors = {
            b: [*([b + 1] if b + 1 < size else []), *extra.get(b, [])] if b + 1 < size else []
            for b in range(size)
        }
        self.predecessors: defaultdict[int, list[int]] = defaultdict(list)
        for block, targets in self.successors.items():
            for target in targets:
                self.predecessors[target].append(block)
        headers = sorted({t for b, targets in self.successors.items() for t in targets if t <= b})
        self.counters = {header: f"c{header}" for header in headers}
        self.variables = (*VARIABLES, *self.counters.values())
        self.lines: dict[int, list[str]] = {}
        self.results: list[str] = []
        self.number = 0

    def fresh(self) -> str:
        self.number += 1
        return f"%t{self.number}"

    def text(self) -> str:
        ends: dict[int, dict[str, str]] = {}
        starts = {
            b: {v: f"%{v}.{b}" for v in self.variables}
            for b in range(self.size)
            if b and self.predecessors[b]
        }
        for block in range(self.size):
            self.lines[block] = []
            values = dict(starts[block]) if block else dict.fromkeys(self.variables, "0")
            if block == 0:
                self.lines[0].append(f"  %id = call i32 @{self.dialect.lane}()")
            ends[block] = self.body(block, values)
        phis = self.phis(starts, ends)
        rename = _trivial(phis)

        def resolved(text: str) -> str:
            return _renamed(text, rename)

        parts = [f"define {self.dialect.convention} void @{self.name}(i32 %n, i32 %m) {self.words()} {{"]
        for block in range(self.size):
            parts.append(f"b{block}:")
            for name, incoming in phis.items():
                if name not in rename and name.endswith(f".{block}"):
                    pairs = ", ".join(f"[ {resolved(v)}, %b{p} ]" for p, v in incoming.items())
                    parts.append(f"  {name} = phi i32 {pairs}")
            parts += [resolved(line) for line in self.lines[block]]
        return "\n".join([*parts, "}"])

    def words(self) -> str:
        return f"convergent {self.dialect.attributes}{self.dialect.attachment}".strip()

    def phis(
        self, starts: dict[int, dict[str, str]], ends: dict[int, dict[str, str]]
    ) -> dict[str, dict[int, str]]:
        return {
            name: {p: ends[p][variable] for p in self.predecessors[block]}
            for block, names in starts.items()
            for variable, name in names.items()
        }

    def body(self, block: int, values: dict[str, str]) -> dict[str, str]:
        """What a block does: returns the variables at its end."""
        random, lines = self.random, self.lines[block]
        if len(self.predecessors[block]) > 1 and random.random() < 0.5:
            ways = [self.constant() for _ in self.predecessors[block]]
            pairs = ", ".join(f"[ {w}, %b{p} ]" for w, p in zip(ways, self.predecessors[block], strict=True))
            lines.append(f"  %came{block} = phi i32 {pairs}")
            self.results.append(f"%came{block}")
            lines.append(f"  call void @show(i32 %came{block})")
            if "undef" not in ways and random.random() < 0.5:
                values[random.choice(VARIABLES)] = f"%came{block}"
        for counter in [c for header, c in self.counters.items() if header == block]:
            name = self.fresh()
            lines.append(f"  {name} = add i32 {values[counter]}, 1")
            values[counter] = name
        for variable in VARIABLES:
            if random.random() < 0.4:
                values[variable] = self.change(lines, values)
        if self.waves and random.random() < 0.25:
            self.across(lines, values)
        if random.random() < 0.3 or block + 1 == self.size:
            for variable in VARIABLES:
                lines.append(f"  call void @show(i32 {values[variable]})")
        self.end(block, lines, values)
        return values

    def constant(self) -> str:
        return "undef" if self.random.random() < 0.08 else str(self.random.choice((1, 2, 10, 20)))

    def change(self, lines: list[str], values: dict[str, str]) -> str:
        random, name = self.random, self.fresh()
        if random.random() < 0.25:
            return str(random.choice((0, 1, 5, 7)))
        if random.random() < 0.06:  # the bits of a lane's number that tell waves from each other
            lines.append(f"  {name}.s = shl i32 {values[random.choice(VARIABLES)]}, 6")
            lines.append(f"  {name} = and i32 %id, {name}.s")
            return name
        operands = [values[v] for v in self.variables] + ["%n", "%id", "3"]
        weights = [4] * len(self.variables) + [2, 1, 2]
        left, right = random.choices(operands, weights, k=2)
        lines.append(f"  {name} = {random.choice(('add', 'xor', 'sub'))} i32 {left}, {right}")
        return name

    def across(self, lines: list[str], values: dict[str, str]) -> None:
        """An operation across lanes; its result may go on."""
        random = self.random
        _, type_, call = random.choice(self.dialect.operations)
        if "%c" in call:
            condition = self.fresh()
            lines.append(f"  {condition} = icmp ult i32 {values[random.choice(VARIABLES)]}, %m")
            call = call.replace("%c", condition)
        call = call.replace("%v", values[random.choice(VARIABLES)])
        name = self.fresh()
        bundle = ""
        if self.anchored:
            lines.append(f"  {name}.k = call token @llvm.experimental.convergence.anchor()")
            bundle = f' [ "convergencectrl"(token {name}.k) ]'
        lines.append(f"  {name} = call {type_} {call} convergent{bundle}")
        if type_ == "i64":
            lines.append(f"  {name}.t = trunc i64 {name} to i32")
            name += ".t"
        elif type_ == "i1":
            lines.append(f"  {name}.z = zext i1 {name} to i32")
            name += ".z"
        values[random.choice(VARIABLES)] = name

    def end(self, block: int, lines: list[str], values: dict[str, str]) -> None:
        targets = self.successors[block]
        if not targets:
            lines.append("  ret void")
        elif len(targets) == 1:
            lines.append(f"  br label %b{targets[0]}")
        else:
            ways = [(target, self.edge_condition(block, target, lines, values)) for target in targets[1:]]
            if len(ways) == 1:
                (target, condition), right = ways[0], targets[0]
                lines.append(f"  br i1 {condition}, label %b{target}, label %b{right}")
            else:
                (left, first), (two, second) = ways
                chosen = self.fresh()
                lines.append(f"  {chosen}.a = select i1 {second}, i32 2, i32 0")
                lines.append(f"  {chosen} = select i1 {first}, i32 1, i32 {chosen}.a")
                cases = f"i32 1, label %b{left} i32 2, label %b{two}"
                lines.append(f"  switch i32 {chosen}, label %b{targets[0]} [ {cases} ]")

    def edge_condition(self, block: int, target: int, lines: list[str], values: dict[str, str]) -> str:
        """Whether an extra edge is taken: a condition on what is uniform, on the lane, or on a variable."""
        random, name = self.random, self.fresh()
        counters = [values[c] for c in self.counters.values()]
        mine = random.choice([*counters, *counters, "1", values["x"], "%n"])
        theirs = random.choice(["%id", "%id", "%id", "%n", "%n", "%m", values["y"], "2"])
        lines.append(f"  {name} = icmp {random.choice(('eq', 'ne', 'ult', 'ugt'))} i32 {mine}, {theirs}")
        if target > block:
            return name
        lines.append(f"  {name}.f = icmp ult i32 {values[self.counters[target]]}, {PASSES + 1}")
        lines.append(f"  {name}.b = and i1 {name}, {name}.f")
        return f"{name}.b"


def _trivial(phis: dict[str, dict[int, str]]) -> dict[str, str]:
    """What stands for phis that have one value but for themselves."""
    rename: dict[str, str] = {}

    def root(value: str) -> str:
        while value in rename:
            value = rename[value]
        return value

    changed = True
    while changed:
        changed = False
        for name, incoming in phis.items():
            if name in rename:
                continue
            values = {root(value) for value in incoming.values()} - {name}
            if len(values) == 1:
                rename[name] = values.pop()
                changed = True
    return {name: root(name) for name in rename}


def _renamed(text: str, rename: dict[str, str]) -> str:
    """A line with the phis that are left out replaced."""
    words = text.split(" ")
    for at, word in enumerate(words):
        core = word.rstrip(",)")
        if "(" in core:
            continue
        if core in rename:
            words[at] = rename[core] + word[len(core) :]
    return " ".join(words)
