"""Whole quad mode: helper lanes take part in derivatives and are off when something is stored.

After *Exec masks in LLVM*. A quad is four lanes in a row. "The exec mask needs to be turned on for pixels
that are not really covered",
so that neighbours have values to take differences of; "there are times when helper pixels absolutely must be
disabled". Quads without a covered lane stay off.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from functools import cached_property

from ....frozen import dataclass
from ....ir.calls import DERIVATIVE, callee_name
from ....ir.cfg import Cfg, depth_first, dominators, graph
from ....ir.instructions import (
    AtomicRMW,
    CallSite,
    CmpXchg,
    CondBr,
    FCmp,
    ICmp,
    Instruction,
    Phi,
    Store,
    operands,
)
from ....ir.module import Function, Module
from ....ir.operands import (
    BlockAddress,
    ConstantExpression,
    Float,
    Global,
    GlobalWrapper,
    Int,
    Local,
    Operand,
    Simple,
)
from ..machine import Loop
from ..policies.structured import contiguous
from ..policy import Facts, Mask, Refused

STORES = (Store, AtomicRMW, CmpXchg)
QUAD = 0b1111


def stores(instruction: Instruction) -> bool:
    """Whether helper lanes must be off for it."""
    return isinstance(instruction, STORES)


def whole_quads(mask: Mask) -> Mask:
    """``s_wqm_b64``: all lanes of each quad with a lane in the mask.

    >>> f"{whole_quads(0b0000_0010_0000_0001):b}"
    '111100001111'
    """
    lanes, quad = 0, 0
    while mask >> quad:
        if mask >> quad & QUAD:
            lanes |= QUAD << quad
        quad += 4
    return lanes


def covered_lanes(covered: Collection[int], first: int, size: int) -> Mask:
    """The mask of the covered threads in the wave of ``size`` lanes that begins at thread ``first``."""
    return sum(1 << t - first for t in set(covered) if first <= t < first + size)


def derives(module: Module, function: str) -> bool:
    """Whether a function, or one that it may call, takes a derivative."""
    names: set[str] = set()
    work = [function]
    while work:
        name = work.pop()
        if name in names:
            continue
        names.add(name)
        body = module.functions.get(name)
        if DERIVATIVE.fullmatch(name):
            return True
        for instruction in body.instructions if body is not None else ():
            if isinstance(instruction, CallSite) and (callee := callee_name(instruction)) is not None:
                work.append(callee)
    return False


class Quads:
    """What whole quad mode adds to a function's code: around each store ``s_mov_b64`` to save exec,
    ``s_and_b64`` with the covered lanes and ``s_mov_b64`` back. ``on``: whether it is on at all."""

    def __init__(self, function: Function, on: bool) -> None:
        self.function, self.on = function, on

    def around_stores(self, block: int) -> list[str]:
        """The operations that the stores of a block need."""
        if not self.on:
            return []
        count = sum(map(stores, self.function.blocks[block].instructions))
        return ["s_mov_b64", "s_and_b64", "s_mov_b64"] * count


# ----------------------------------------------------------------------------------------------------------
# The structured CFG: blocks in one line, with regions for if and else, and loops of one stretch each.
#
# Loops come first: each is one stretch of the line and ends in a *latch*, a place of its own where lanes
# that
# go round wait for the others. Then each branch whose arms are entered through it alone opens a region:
# *if*
# up to the place where its other side is, or *if/else* up to the place where both sides meet, with a *flow*
# place between the arms (StructurizeCFG's Flow blocks; ``label0`` in *Branch Divergence*). Edges that are
# neither the next place nor a region's are *jumps*: their lanes wait for the place to which they go.
# ----------------------------------------------------------------------------------------------------------


class RegionKind(Enum):
    BLOCK = "block"
    LATCH = "latch"
    FLOW = "flow"


@dataclass(frozen=True, slots=True)
class CodePlace:
    """``number``: the block, the loop that a latch ends, or the block whose branch a flow place divides."""

    kind: RegionKind
    number: int


@dataclass(frozen=True, slots=True)
class CodeRegion:
    """``block`` branches: lanes for ``first``, the next place, go on, the others wait for ``waiting``, which
    is the join of an *if*, or of an *if/else* the flow place between the arms, whose join is ``join``.

    ``whole``: lanes leave its arms only to the join, or end.
    """

    block: int
    first: CodePlace
    waiting: CodePlace
    join: CodePlace
    whole: bool

    @property
    def two_arms(self) -> bool:
        return self.waiting != self.join


class Structure:
    """``places`` in order; ``regions`` by the block that opens them; ``loops``, outer ones before inner ones;
    ``goes``: by edge the place to which its lanes go.

    Raises Refused for irreducible control flow.
    """

    def __init__(self, facts: Facts, loops: Sequence[Loop]) -> None:
        if irreducible := facts.irreducible:
            entries = " and ".join(f"%{name}" for name in irreducible)
            raise Refused(f"the control flow is irreducible: a cycle is entered at {entries}")
        self.facts = facts
        self.loops = tuple(loops)
        self.places = self._line()
        latch_of = {(b, loop.header): n for n, loop in enumerate(self.loops) for b in loop.latches}
        self.goes: dict[tuple[int, int], CodePlace] = {}
        for place in self.places:
            if place.kind is RegionKind.BLOCK:
                for target in facts.cfg.successors[place.number]:
                    loop = latch_of.get((place.number, target))
                    self.goes[place.number, target] = (
                        CodePlace(RegionKind.BLOCK, target)
                        if loop is None
                        else CodePlace(RegionKind.LATCH, loop)
                    )
        self._entries = self._forward_entries()
        self.regions: dict[int, CodeRegion] = {}
        self._number()
        for block in [p.number for p in self.places if p.kind is RegionKind.BLOCK]:
            self._open(block)
        self.regions = {b: self._with_whole(r) for b, r in self.regions.items()}

    def _line(self) -> list[CodePlace]:
        places: list[CodePlace] = []
        left = list(reversed([*enumerate(self.loops)]))  # inner loops end first
        missing = {number: len(loop.body) for number, loop in left}
        inside: dict[int, list[int]] = {}
        for number, loop in left:
            for block in loop.body:
                inside.setdefault(block, []).append(number)
        # of two arms the one for true comes first
        ties = tuple(reversed(depth_first(self.facts.cfg.successors, backwards=True)[1]))
        for block in contiguous(self.facts, {loop.body for loop in self.loops}, ties):
            places.append(CodePlace(RegionKind.BLOCK, block))
            for number in inside.get(block, ()):
                missing[number] -= 1
                if not missing[number]:
                    places.append(CodePlace(RegionKind.LATCH, number))
        return places

    def _forward_entries(self) -> dict[int, list[int]]:
        entries: dict[int, list[int]] = {}
        for (block, target), place in self.goes.items():
            if place.kind is RegionKind.BLOCK:
                entries.setdefault(target, []).append(block)
        return entries

    def _number(self) -> None:
        self.index = {place: at for at, place in enumerate(self.places)}

    def dominated(self, place: CodePlace, block: int) -> bool:
        """Whether lanes come to the place only through ``block``."""
        match place.kind:
            case RegionKind.LATCH:
                return self.facts.dominators.dominates(block, self.loops[place.number].header)
            case RegionKind.BLOCK | RegionKind.FLOW:
                return self.facts.dominators.dominates(block, place.number)

    def _arm(self, place: CodePlace, block: int) -> int | None:
        """Where the stretch of an arm that only ``block`` enters ends; ``None`` if others enter it, too."""
        if place.kind is not RegionKind.BLOCK or self._entries.get(place.number) != [block]:
            return None
        at = self.index[place]
        while at < len(self.places) and self.dominated(self.places[at], place.number):
            at += 1
        return at

    def _open(self, block: int) -> None:
        """Open a region at the block's branch, if its arms are entered through it alone."""
        sides = {self.goes[block, t] for t in self.facts.cfg.successors[block]}
        if len(sides) != 2:
            return
        first, other = sorted(sides, key=self.index.__getitem__)
        here, far = self.index[CodePlace(RegionKind.BLOCK, block)], self.index[other]
        if self.index[first] != here + 1 or self._arm(first, block) != far:
            return
        end = self._arm(other, block)
        if end is not None and end < len(self.places):
            arm, join = self.places[here + 1 : far], self.places[end]
            edges = [
                (p.number, t)
                for p in arm
                if p.kind is RegionKind.BLOCK
                for t in self.facts.cfg.successors[p.number]
                if self.goes[p.number, t] == join
            ]
            if edges:
                flow = CodePlace(RegionKind.FLOW, block)
                self.places.insert(far, flow)
                self._number()
                for edge in edges:
                    self.goes[edge] = flow
                self.regions[block] = CodeRegion(block, first, flow, join, True)
                return
        self.regions[block] = CodeRegion(block, first, other, other, True)

    def _with_whole(self, region: CodeRegion) -> CodeRegion:
        """Whether lanes leave the region's arms only to its join, or end."""
        here, join = self.index[CodePlace(RegionKind.BLOCK, region.block)], self.index[region.join]
        whole = True
        for place in self.places[here + 1 : join]:
            if place.kind is RegionKind.BLOCK:
                for target in self.facts.cfg.successors[place.number]:
                    whole = whole and self.index[self.goes[place.number, target]] <= join
        return CodeRegion(region.block, region.first, region.waiting, region.join, whole)

    # -- what the operations are made from ------------------------------------------------------------------

    @cached_property
    def sure(self) -> frozenset[int]:
        """The blocks that some lane runs whenever lanes ran what dominates them: in the line, in which those
        that go round leave the loop in the end, they come after it on every way."""
        facts, tree = self.facts, dominators(self._backwards())
        places = {0}
        for block in facts.cfg.rpo:
            above = facts.dominators.idom[block]
            if above >= 0 and tree.dominates(
                self.index[CodePlace(RegionKind.BLOCK, block)] + 1,
                self.index[CodePlace(RegionKind.BLOCK, above)] + 1,
            ):
                places.add(block)
        return frozenset(places)

    def _backwards(self) -> Cfg:
        """The line's edges against their direction, from 0, its end; place i is i + 1."""
        following: list[set[int]] = []
        for at, place in enumerate(self.places):
            match place.kind:
                case RegionKind.BLOCK:
                    out = {self.index[self.goes[place.number, t]]
                           for t in self.facts.cfg.successors[place.number]}  # fmt: skip
                case RegionKind.FLOW:
                    out = {self.index[self.regions[place.number].join]}
                case RegionKind.LATCH:
                    start, _ = self.stretch(place.number)
                    out = {there for source, there in self.wakes if start <= source < at < there}
            following.append(out)
        backwards: list[list[int]] = [[] for _ in range(len(self.places) + 1)]
        for at, out in enumerate(following):
            for there in out or {-1}:
                backwards[there + 1].append(at + 1)
        return graph(tuple(map(str, range(len(backwards)))), backwards)

    @cached_property
    def wakes(self) -> tuple[tuple[int, int], ...]:
        """(source, place) by index: at the place lanes go on that waited for it since the source."""
        pairs: set[tuple[int, int]] = set()
        for (block, target), place in self.goes.items():
            here = self.index[CodePlace(RegionKind.BLOCK, block)]
            region = self.regions.get(block)
            if region is not None and self.goes[block, target] != region.first:
                place = region.waiting
            if self.index[place] != here + 1:
                pairs.add((here, self.index[place]))
        for region in self.regions.values():
            if region.two_arms:
                pairs.add((self.index[region.waiting], self.index[region.join]))
        return tuple(sorted(pairs))

    @cached_property
    def jumps(self) -> dict[CodePlace, tuple[int, ...]]:
        """By place that lanes wait for outside regions: the blocks that send them there."""
        jumps: dict[CodePlace, dict[int, None]] = {}
        for (block, _), place in self.goes.items():
            if (
                block not in self.regions
                and self.index[place] != self.index[CodePlace(RegionKind.BLOCK, block)] + 1
            ):
                jumps.setdefault(place, {})[block] = None
        return {place: tuple(jumps[place]) for place in sorted(jumps, key=self.index.__getitem__)}

    def loop_of(self, place: CodePlace) -> int | None:
        """The innermost loop in which lanes wait for the place: a header's are those around its loops."""
        innermost = None
        for number, loop in enumerate(self.loops):
            if place.kind is RegionKind.BLOCK:
                inside = place.number in loop.body and place.number != loop.header
            elif place.kind is RegionKind.LATCH:
                inside = number == place.number or self.loops[place.number].body < loop.body
                inside = inside or (number < place.number and self.loops[place.number].body == loop.body)
            else:
                inside = place.number in loop.body
            if inside:
                innermost = number
        return innermost

    def stretch(self, loop: int) -> tuple[int, int]:
        """The indices of a loop's header and latch."""
        header = self.index[CodePlace(RegionKind.BLOCK, self.loops[loop].header)]
        return header, self.index[CodePlace(RegionKind.LATCH, loop)]

    def around(self, place: CodePlace) -> tuple[CodeRegion, bool] | None:
        """The innermost region around a place, and whether the place is in its second arm."""
        here, innermost = self.index[place], None
        for region in self.regions.values():  # outer ones come first
            start = self.index[CodePlace(RegionKind.BLOCK, region.block)]
            if start < here < self.index[region.join] and place != region.waiting:
                innermost = region, self.index[region.waiting] < here
        return innermost

    def loses_lanes(self, region: CodeRegion) -> bool:
        """Whether lanes may leave the region otherwise than to its join: by a jump, or by their end."""
        arms = self.places[
            self.index[CodePlace(RegionKind.BLOCK, region.block)] + 1 : self.index[region.join]
        ]
        ends = any(p.kind is RegionKind.BLOCK and not self.facts.cfg.successors[p.number] for p in arms)
        return ends or not region.whole


# ----------------------------------------------------------------------------------------------------------
# What machine code calls operands, places and operations of the IR.
# ----------------------------------------------------------------------------------------------------------


def operand(value: Operand) -> str:
    """As the IR spells it: names of values, numbers."""
    match value:
        case Local(_, name):
            return f"%{name}"
        case Int(_, number):
            return str(number)
        case Float(_, bits):
            return f"{bits:#x}"
        case Simple(_, kind):
            return kind
        case Global(name) | GlobalWrapper(_, name):
            return f"@{name}"
        case BlockAddress(function, block):
            return f"@{function}.{block}"
        case ConstantExpression(_, opcode):
            return opcode
        case _:
            return "constant"


def where(structure: Structure, place: CodePlace) -> str:
    """A place in words."""
    facts = structure.facts
    match place.kind:
        case RegionKind.BLOCK:
            return f"%{facts.name(place.number)}"
        case RegionKind.LATCH:
            return f"the latch of %{facts.name(structure.loops[place.number].header)}"
        case RegionKind.FLOW:
            first = structure.regions[place.number].first
            sides = facts.cfg.successors[place.number]
            (other,) = [t for t in sides if structure.goes[place.number, t] != first]
            return f"%{facts.name(other)}"


def uses(function: Function) -> Counter[str]:
    """How often each value is used."""
    return Counter(o.name for i in function.instructions for o in _read(i) if isinstance(o, Local))


def _read(instruction: Instruction) -> tuple[Operand, ...]:
    if isinstance(instruction, Phi):
        return tuple(value for value, _ in instruction.incoming)
    return tuple(operands(instruction))


def compared_in(function: Function, block: int) -> Instruction | None:
    """The comparison in the block that serves its branch alone: it can write the condition register."""
    terminator = function.blocks[block].terminator
    if not isinstance(terminator, CondBr) or not isinstance(terminator.condition, Local):
        return None
    wanted = terminator.condition.name
    for instruction in function.blocks[block].instructions:
        if instruction.result == wanted:
            alone = isinstance(instruction, (ICmp, FCmp)) and uses(function)[wanted] == 1
            return instruction if alone else None
    return None


def numbered(function: Function) -> Iterator[tuple[int, int, Instruction]]:
    """(block, index, instruction), in text order."""
    index = 0
    for number, block in enumerate(function.blocks):
        for instruction in block.instructions:
            yield number, index, instruction
            index += 1
