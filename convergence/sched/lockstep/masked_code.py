"""Code for machines with masks: whole quad mode, the structured CFG, and the operations on masks made of
it.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum
from functools import cached_property
from heapq import heappop, heappush
from typing import cast

from ...frozen import dataclass
from ...ir import BlockAddress, ConstantExpression, Float, Global, GlobalWrapper, Int, Local, Operand, Simple
from ...ir.calls import DERIVATIVE, callee_name
from ...ir.cfg import Cfg, depth_first, dominators, graph
from ...ir.instructions import (
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
from ...ir.module import Function, Module
from .machine import Loop, loops_by_latch
from .policies.structured import contiguous
from .policy import Facts, Mask, Policy, Refused

# ----------------------------------------------------------------------------------------------------------
# Whole quad mode: helper lanes take part in derivatives and are off when something is stored.
#
# After *Exec masks in LLVM*. A quad is four lanes in a row. "The exec mask needs to be turned on for pixels
# that are not really covered", so that neighbours have values to take differences of; "there are times when
# helper pixels absolutely must be disabled". Quads without a covered lane stay off.
# ----------------------------------------------------------------------------------------------------------

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


# ----------------------------------------------------------------------------------------------------------
# Which register holds whose mask: nested regions need several at a time.
# ----------------------------------------------------------------------------------------------------------


Register = int
"""A register (or an entry of the stack) that holds a mask, from 0."""


class Registers:
    """Which register holds the masks of which region or place: the lowest that is free while it is used."""

    def __init__(self, structure: Structure, homes: Mapping[CodePlace, tuple[int | None, bool]]) -> None:
        self.of_region: dict[int, Register] = {}
        self.of_place: dict[CodePlace, Register] = {}
        index = structure.index
        wanted: list[tuple[int, int, int, int | CodePlace]] = []
        for block, region in structure.regions.items():
            wanted.append((index[CodePlace(RegionKind.BLOCK, block)], 1, index[region.join], block))
        for place, (loop, _) in homes.items():
            start = 0 if loop is None else structure.stretch(loop)[0]
            wanted.append((start, 0, index[place], place))
        busy: list[tuple[int, Register]] = []  # a heap: until where each register is used
        free: list[Register] = []  # a heap
        for start, _, end, user in sorted(wanted, key=lambda w: (w[0], w[1], -w[2])):
            while busy and busy[0][0] <= start:
                heappush(free, heappop(busy)[1])
            register = heappop(free) if free else len(busy)
            heappush(busy, (end, register))
            if isinstance(user, CodePlace):
                self.of_place[user] = register
            else:
                self.of_region[user] = register


# -- Operations on masks, and how a structured CFG becomes a list of them
# The code is one line of operations with labels. What is common to the machines is here: the order, where
# lanes wait, which operation may be jumped over. How each machine *says* it is its :class:`Dialect`.


@dataclasses.dataclass
class Masks:
    """``exec``: the lanes that are on. ``vcc``: the result of the latest comparison. ``saved``: by register.
    ``targets``: where the lanes of the block that ran last go, by block. ``accesses``: registers saved (else
    loaded) since then: for which block, with which lanes."""

    exec: Mask
    vcc: Mask = 0
    saved: dict[Register, Mask] = field(default_factory=dict)
    targets: Mapping[int, Mask] = field(default_factory=dict)
    accesses: list[tuple[bool, int, Mask]] = field(default_factory=list)


Effect = Callable[[Masks], None]


@dataclass(frozen=True)
class Op:
    """An operation. ``text`` is empty for what costs nothing. ``jump``: to this label if ``jumps``.
    ``block``: the block that is issued here. ``note`` says what the operation is for."""

    text: str = ""
    do: Effect | None = None
    note: str = ""
    jump: str | None = None
    jumps: Callable[[Masks], bool] | None = None
    block: int | None = None
    label: str | None = None

    @property
    def name(self) -> str:
        return self.text.split(maxsplit=1)[0] if self.text else ""


class Dialect(ABC):
    """How a machine says what the structured CFG asks for. ``skips``: regions may be jumped over."""

    skips: bool = True

    @abstractmethod
    def opens(self, region: CodeRegion, on: int, inverted: bool, register: Register) -> Sequence[Op]:
        """The branch of a region: lanes for the first arm stay on, the others wait in ``register``.
        ``inverted``: the first arm is for those for which the condition does not hold."""

    @abstractmethod
    def turns(self, region: CodeRegion, register: Register) -> Sequence[Op]:
        """At the flow place: who is on waits for the join, who waits in ``register`` is on."""

    @abstractmethod
    def closes(self, region: CodeRegion, register: Register) -> Sequence[Op]:
        """At the join: who waits in ``register`` is on, too."""

    @abstractmethod
    def sends(
        self, block: int, place: CodePlace, lanes: int | None, inverted: bool, register: Register
    ) -> Sequence[Op]:
        """From ``block`` lanes go to a place further down and wait in ``register``: those that go to block
        ``lanes``, those that do not if ``inverted``, or all."""

    @abstractmethod
    def wakes(self, place: CodePlace, register: Register) -> Sequence[Op]:
        """Those that wait in ``register`` for the place are on, too."""

    @abstractmethod
    def clears(self, place: CodePlace, register: Register) -> Sequence[Op]:
        """Nobody waits in ``register`` yet."""

    @abstractmethod
    def ends(self, block: int, last: bool) -> Sequence[Op]:
        """The lanes that are on return."""

    @abstractmethod
    def begins_loop(self, loop: int, label: str) -> Sequence[Op]:
        """At the head of a loop, before its label."""

    @abstractmethod
    def goes_round(self, loop: int, label: str) -> Sequence[Op]:
        """At the latch: if any lane is on, back to the label."""

    @abstractmethod
    def skip(self, label: str, after_compare: bool) -> Sequence[Op]:
        """If no lane is on, to the label."""

    def begins(self) -> Sequence[Op]:
        """At the function's head."""
        return ()

    def loads(self, block: int) -> Sequence[Op]:
        """At the block's head, if registers were spilled."""
        return ()

    def saves(self, block: int, reduced: bool) -> Sequence[Op]:
        """At the block's end, before its branch has reduced the mask, and after."""
        return ()

    def skipped(self, blocks: Sequence[int]) -> bool:
        """Whether it jumps over these blocks, which some machine need not do."""
        return self.skips


class Coder:
    """Makes the code of a function. ``homes``: for each place with a register of its own, where that is
    cleared: the loop before whose label, and whether inside it."""

    def __init__(self, structure: Structure, dialect: Dialect) -> None:
        self.structure, self.dialect, self.index = structure, dialect, structure.index
        self.ops: list[Op] = []
        self.joins: dict[CodePlace, list[CodeRegion]] = {}
        for region in structure.regions.values():
            self.joins.setdefault(region.join, []).append(region)
        self.compared = False

    def code(self) -> tuple[Op, ...]:
        self._skips()
        self.ops.extend(self.dialect.begins())
        for place in self.structure.jumps:
            if self._home(place) == (None, True):
                self.ops.extend(self.dialect.clears(place, self.registers.of_place[place]))
        for at, place in enumerate(self.structure.places):
            self._place(at, place)
        return tuple(self.ops)

    # -- where somebody jumps ------------------------------------------------------------------------------

    def _skips(self) -> None:
        """For each place at which nobody may be on: the next place at which somebody may wait."""
        structure = self.structure
        self.skip: dict[int, int] = {}
        following = self._next_wakes()
        for at, place in enumerate(structure.places):
            if place.kind is RegionKind.LATCH or not self._may_be_empty(at, place):
                continue
            to = following[at]
            if to is None:
                continue
            over = [p.number for p in structure.places[at:to] if p.kind is RegionKind.BLOCK]
            if self.dialect.skipped(over):
                self.skip[at] = to
        entries = {self._entry_point(to, at) for at, to in self.skip.items()}
        order = sorted(entries, key=lambda e: (e[0], -e[1]))
        self.labels = {entry: f"label{n}" for n, entry in enumerate(order)}
        self.registers = Registers(structure, {p: self._home(p) for p in structure.jumps})

    def _may_be_empty(self, at: int, place: CodePlace) -> bool:
        """Whether no lane may be on there: the arms of a branch, and joins that not all lanes reach."""
        if place.kind is RegionKind.FLOW:
            return True
        before = self.structure.places[at - 1] if at else place
        if (
            at
            and before.kind is RegionKind.FLOW
            and place not in self.joins
            and place not in self.structure.jumps
        ):
            return False
        if before.kind is RegionKind.BLOCK and place not in self.joins and place not in self.structure.jumps:
            out = self.structure.facts.cfg.successors[before.number]
            if {self.structure.goes[before.number, t] for t in out} == {place}:
                return False
        return place.number not in self.structure.sure

    def _next_wakes(self) -> list[int | None]:
        """For each place the first one behind it where lanes may wait when nobody is on: those of this round,
        and those that left a loop around in an earlier one."""
        structure = self.structure
        wakes = structure.wakes  # by source
        stretches = sorted(structure.stretch(n) for n in range(len(structure.loops)))
        behind = {
            end: min((there for source, there in wakes if source < end < there), default=None)
            for _, end in stretches
        }
        following: list[int | None] = []
        waiting: list[int] = []  # a heap: where they wait whose source is not behind the place
        known = begun = 0
        around: list[int] = []  # the latches of the loops around, inner ones last
        for at, place in enumerate(structure.places):
            before = at + 1 if place.kind is RegionKind.FLOW else at
            while known < len(wakes) and wakes[known][0] < before:
                heappush(waiting, wakes[known][1])
                known += 1
            while waiting and waiting[0] <= at:
                heappop(waiting)
            while begun < len(stretches) and stretches[begun][0] < at:  # who jumps at a header did so before
                around.append(stretches[begun][1])
                begun += 1
            around = [end for end in around if at < end]
            late = [there for end in around if (there := behind[end]) is not None]
            following.append(min([*waiting[:1], *late], default=None))
        return following

    def _entry_point(self, to: int, since: int) -> tuple[int, int]:
        """The point at a place's head for a jump from ``since``: behind the joins whose registers were
        written there or later, before those that were written earlier."""
        return to, sum(o >= since for o, _ in self._joins(self.structure.places[to]))

    def _joins(self, place: CodePlace) -> list[tuple[int, CodeRegion | None]]:
        """The registers that are read at a place's head, with the place where they are first written: its
        regions', and its own (``None``)."""
        structure = self.structure
        joins: list[tuple[int, CodeRegion | None]] = [
            (self.index[CodePlace(RegionKind.BLOCK, r.block)], r) for r in self.joins.get(place, ())
        ]
        if place in structure.jumps:
            loop, _ = self._home(place)
            joins.append((-1 if loop is None else structure.stretch(loop)[0], None))
        return sorted(joins, key=lambda join: -join[0])

    # -- one place -----------------------------------------------------------------------------------------

    def _label(self, entry: tuple[int, int]) -> None:
        if entry in self.labels:
            self.ops.append(Op(label=self.labels[entry]))

    def _place(self, at: int, place: CodePlace) -> None:
        dialect, registers = self.dialect, self.registers
        for count, (_, region) in enumerate(joins := self._joins(place)):
            self._label((at, count))
            if region is None:
                self.ops.extend(dialect.wakes(place, registers.of_place[place]))
            else:
                self.ops.extend(dialect.closes(region, registers.of_region[region.block]))
        self._label((at, len(joins)))
        if place.kind is RegionKind.FLOW:
            self.ops.extend(dialect.turns(self.structure.regions[place.number], self._register(place)))
        if at in self.skip:
            label = self.labels[self._entry_point(self.skip[at], at)]
            self.ops.extend(dialect.skip(label, self.compared))
        self.compared = False
        match place.kind:
            case RegionKind.LATCH:
                self.ops.extend(dialect.goes_round(place.number, self._loop_label(place.number)))
            case RegionKind.BLOCK:
                self._loops(place)
                self.ops.extend(dialect.loads(place.number))
                self.ops.append(Op(block=place.number))
                self.ops.extend(dialect.saves(place.number, False))
                self._terminator(at, place)
                self.ops.extend(dialect.saves(place.number, True))
            case RegionKind.FLOW:
                pass

    def _register(self, place: CodePlace) -> Register:
        return self.registers.of_region[place.number]

    def _loop_label(self, loop: int) -> str:
        return f"loop{loop}"

    def _loops(self, place: CodePlace) -> None:
        for number, loop in enumerate(self.structure.loops):
            if loop.header == place.number:
                self._clear((number, False))
                label = self._loop_label(number)
                self.ops.extend(self.dialect.begins_loop(number, label))
                self.ops.append(Op(label=label))
                self._clear((number, True))

    def _clear(self, home: tuple[int, bool]) -> None:
        for target in self.structure.jumps:
            if self._home(target) == home:
                self.ops.extend(self.dialect.clears(target, self.registers.of_place[target]))

    def _home(self, place: CodePlace) -> tuple[int | None, bool]:
        """Where a place's register is cleared: (loop, False) before the outermost loop from which all who
        wait come while the place is outside, if no jump leads past that to what is before the place;
        (loop, True) in each round of the loop around; (None, True) at the start."""
        structure = self.structure
        sources, inside = structure.jumps[place], structure.loop_of(place)
        for number, loop in enumerate(structure.loops):
            start, end = structure.stretch(number)
            if end < self.index[place] and all(b in loop.body for b in sources):
                if any(at <= start < to < self.index[place] for at, to in self.skip.items()):
                    break
                return number, False
        return inside, True

    def _terminator(self, at: int, place: CodePlace) -> None:
        structure, dialect, block = self.structure, self.dialect, place.number
        targets = structure.facts.cfg.successors[block]
        if not targets:
            self.ops.extend(dialect.ends(block, at == len(structure.places) - 1))
            return
        goes = {t: structure.goes[block, t] for t in targets}
        region = structure.regions.get(block)
        if region is not None:
            (on,) = [t for t, p in goes.items() if p == region.first]
            self.ops.extend(dialect.opens(region, on, on != targets[0], self.registers.of_region[block]))
            self.compared = True
            return
        following = structure.places[at + 1] if at + 1 < len(structure.places) else None
        far = [t for t in targets if goes[t] != following]
        stays = len(far) < len(targets)
        for count, target in enumerate(far):
            register = self.registers.of_place[goes[target]]
            rest = not stays and count == len(far) - 1
            second = len(targets) == 2 and target == targets[1]
            of = None if rest else targets[0] if second else target
            self.ops.extend(dialect.sends(block, goes[target], of, second and not rest, register))


# -- What masks become, apart from the operations that a machine needs for it


def opens(first: int, inverted: bool, register: Register) -> Effect:
    """Lanes that go to block ``first`` stay on, the others wait; the other way round if ``inverted``."""

    def effect(m: Masks) -> None:
        taken = m.targets.get(first, 0) & m.exec
        stay = m.exec & ~taken if inverted else taken
        m.saved[register], m.exec = m.exec & ~stay, stay

    return effect


def turns(register: Register) -> Effect:
    """Who is on waits, who waits is on."""

    def effect(m: Masks) -> None:
        m.saved[register], m.exec = m.exec, m.saved[register]

    return effect


def wakes(register: Register) -> Effect:
    """Who waits is on, too."""

    def effect(m: Masks) -> None:
        m.exec |= m.saved[register]

    return effect


def sends(lanes: int | None, inverted: bool, register: Register) -> Effect:
    """Lanes that go to block ``lanes`` (the others if ``inverted``; all) wait, with those that do already."""

    def effect(m: Masks) -> None:
        leave = m.exec
        if lanes is not None:
            taken = m.targets.get(lanes, 0)
            leave &= ~taken if inverted else taken
        m.saved[register] |= leave
        m.exec &= ~leave

    return effect


def clears(register: Register) -> Effect:
    """Nobody waits yet."""

    def effect(m: Masks) -> None:
        m.saved[register] = 0

    return effect


def ends(m: Masks) -> None:
    """The lanes that are on have ended."""
    m.exec = 0


def none_on(m: Masks) -> bool:
    return not m.exec


def some_on(m: Masks) -> bool:
    return m.exec != 0


# ----------------------------------------------------------------------------------------------------------
# A machine that executes code on masks: the policy of exec-mask, mask-stack and predication.
# ----------------------------------------------------------------------------------------------------------


class Masked(Policy):
    """``masks``: exec and the registers; ``at``: the operation that is next."""

    def begin(self, mask: Mask) -> None:
        self.ops = self.code()
        self.masks = Masks(mask, accesses=self.accesses)
        self.at = 0

    def structure(self) -> Structure:
        """The structured CFG; it is made once for a function. Raises Refused."""
        entry = self.facts.derived.get("structure")
        if entry is None:
            entry = self.facts.derived["structure"] = Structure(self.facts, self.loops())
        return cast(Structure, entry)

    def code(self) -> Sequence[Op]:
        """The function's code, made once."""
        entry = self.facts.derived.get("code")
        if entry is None:
            structure = self.structure()
            dialect = self.facts.derived["dialect"] = self.dialect(structure)
            entry = self.facts.derived["code"] = Coder(structure, dialect).code()
            self.facts.derived["labels"] = {op.label: n for n, op in enumerate(entry) if op.label is not None}
        return cast(Sequence[Op], entry)

    def loops(self) -> tuple[Loop, ...]:
        """The loops, outer ones before inner ones."""
        return loops_by_latch(self.facts)

    @abstractmethod
    def dialect(self, structure: Structure) -> Dialect:
        """How the machine says what the structured CFG asks for."""

    def pick(self) -> tuple[int, Mask] | None:
        while self.at < len(self.ops):
            op = self.ops[self.at]
            if op.block is not None:
                self.issues(op.block)
                return op.block, self.masks.exec
            self._execute(op)
        return None

    def issues(self, block: int) -> None:
        """What a block needs beside its own instructions."""

    def _execute(self, op: Op) -> None:
        here, masks = self.at, self.masks
        self.at += 1
        if op.do is not None:
            op.do(masks)
        if op.jump is not None and op.jumps is not None and op.jumps(masks):
            self.at = self.facts.derived["labels"][op.jump]
        if op.text:
            self.did(op.name)
            self.issued.executed(self.facts.function.name, here, masks.exec)

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        self.masks.exec &= ~gone
        self.masks.targets = targets
        self.at += 1

    def state(self) -> Hashable:
        masks = self.masks
        return self.at, masks.exec, masks.vcc, tuple(sorted(masks.saved.items()))
