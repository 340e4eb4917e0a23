"""Which register holds whose mask: nested regions need several at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import cast

from ..machine import Loop, loops_by_latch
from ..policy import Mask, Policy
from .structure import CodePlace, CodeRegion, RegionKind, Structure

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


@dataclass
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
