"""``mask-stack`` and ``predication``: masks on a stack of the hardware's, or of the compiler's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....ir.instructions import CondBr
from .. import masked_code as plain
from ..listing import Blends
from ..machine import Loop, loops_by_latch
from ..masked_code import (
    CodePlace,
    CodeRegion,
    Dialect,
    Masked,
    Op,
    RegionKind,
    Register,
    Structure,
    compared_in,
    operand,
    where,
)
from ..policy import Mask, Refused

# ----------------------------------------------------------------------------------------------------------
# ``mask-stack``: R700's hardware stack of masks.
#
# After *Branch Divergence*: "PUSH, PUSH_ELSE, and POP instructions". Code is structured as its source: a
# lane leaves at ``break`` and returns at the loop's end. The CFG does not say what the source had inside a
# loop; the options do. By default a block from which the loop cannot be reached again is outside, and
# several latches of one header are ``continue`` of one loop.
#
# PUSH puts the lanes that fail the condition on the stack, PUSH_ELSE exchanges them with those that are on,
# POP adds them. LOOP_START puts a frame there for those that break and continue; LOOP_BREAK and
# LOOP_CONTINUE send lanes to it. Jumps that are neither wait for their block in an entry of their own, as
# if by ``goto``.
# ----------------------------------------------------------------------------------------------------------


class MaskStack(Masked):
    """The lanes that are on run; the stack holds the others."""

    name = "mask-stack"
    traceable = True
    saves = frozenset(
        (
            "PUSH",
            "LOOP_START",
        )
    )

    def loops(self) -> tuple[Loop, ...]:
        """The loops of the source: ``inside`` adds blocks to all loops of a header that lead to them, and to
        those around."""
        loops = list(loops_by_latch(self.facts, merged=not self.options.nested))
        index, cfg = self.facts.cfg.index, self.facts.cfg
        for header, names in self.options.inside:
            if header not in index:  # another function's
                continue
            numbers = [n for n, loop in enumerate(loops) if loop.header == index[header]]
            if not numbers:
                raise Refused(f"%{header} is no loop's header")
            for number in numbers:
                was = body = loops[number].body
                for name in names:
                    block = index.get(name, -1)
                    if block < 0:
                        raise Refused(f"there is no block %{name} to have inside the loop of %{header}")
                    if block in body or any(p in body for p in cfg.predecessors[block]):
                        body |= {block}
                    elif number == numbers[0]:
                        raise Refused(f"%{name} is not reached from the loop of %{header}")
                for block in body:
                    if block != index[header] and any(p not in body for p in cfg.predecessors[block]):
                        raise Refused(f"%{cfg.names[block]} is entered past %{header}, the loop's header")
                for n, loop in enumerate(loops):  # what is inside a loop is inside those around it, too
                    if was <= loop.body:
                        loops[n] = Loop(loop.header, loop.latches, loop.body | (body - was))
        loops.sort(key=lambda loop: -len(loop.body))  # outer ones are before inner ones still
        return tuple(loops)

    def dialect(self, structure: Structure) -> Dialect:
        return HardwareStack(structure)


class HardwareStack(Dialect):
    """Operations that push, exchange and pop masks."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure

    def opens(self, region: CodeRegion, on: int, inverted: bool, register: Register) -> Sequence[Op]:
        first = self.structure.facts.cfg.successors[region.block][0]
        waits = f"pushed: who waits for {where(self.structure, region.waiting)}"
        return [Op("PUSH", plain.opens(first, inverted, register), waits)]

    def turns(self, region: CodeRegion, register: Register) -> Sequence[Op]:
        waits = f"pushed: who waits for {where(self.structure, region.join)}"
        return [Op("PUSH_ELSE", plain.turns(register), waits)]

    def closes(self, region: CodeRegion, register: Register) -> Sequence[Op]:
        return self.wakes(region.join, register)

    def sends(
        self, block: int, place: CodePlace, lanes: int | None, inverted: bool, register: Register
    ) -> Sequence[Op]:
        name = "PUSH_JUMP"
        if place.kind is RegionKind.LATCH:
            name = "LOOP_CONTINUE"
        elif any(block in loop.body and place.number not in loop.body for loop in self.structure.loops):
            name = "LOOP_BREAK"
        waits = f"wait for {where(self.structure, place)}"
        return [Op(name, plain.sends(lanes, inverted, register), waits)]

    def wakes(self, place: CodePlace, register: Register) -> Sequence[Op]:
        return [Op("POP", plain.wakes(register), "and who waits here")]

    def clears(self, place: CodePlace, register: Register) -> Sequence[Op]:
        return [Op(do=plain.clears(register))]  # LOOP_START does it, or the stack is empty

    def ends(self, block: int, last: bool) -> Sequence[Op]:
        return [Op(do=plain.ends)]

    def begins_loop(self, loop: int, label: str) -> Sequence[Op]:
        return [Op("LOOP_START", note="nobody has left yet")]

    def goes_round(self, loop: int, label: str) -> Sequence[Op]:
        return [Op(f"LOOP_END {label}", note="if any lane is on", jump=label, jumps=plain.some_on)]

    def skip(self, label: str, after_compare: bool) -> Sequence[Op]:
        return [Op(f"JUMP {label}", note="if no lane is on", jump=label, jumps=plain.none_on)]


# ----------------------------------------------------------------------------------------------------------
# ``predication``: Nyuzi: a mask operand on each write, the mask stack kept by the compiler.
#
# After *Branch Divergence*. Groups are those of ``mask-stack``. "There isn't a global exec register in this
# architecture. Each instruction can optionally take a mask register": a push ANDs the condition with the mask
# above; the else inverts the *condition* and ANDs again; a pop costs nothing, as the mask above is in its
# register still. No branch is skipped: every block is issued, with an empty mask too, unless a zero-mask
# short circuit is asked for, a ``bz`` before each region. Masks have 16 bits.
# ----------------------------------------------------------------------------------------------------------


LANES = 16


class Predication(MaskStack):
    """As mask-stack; ``blends`` says which writes need a mask."""

    name = "predication"
    saves = frozenset(("move_mask",))

    def begin(self, mask: Mask) -> None:
        if mask.bit_length() > LANES:
            raise Refused(f"a mask has {LANES} bits: a wave of {mask.bit_length()} lanes does not fit")
        super().begin(mask)

    def dialect(self, structure: Structure) -> Dialect:
        return MaskRegisters(structure, self.options.short_circuit)

    def issues(self, block: int) -> None:
        cache = self.facts.derived
        if "blends" not in cache:
            cache["blends"] = Blends(self.structure())
        self.did(*cache["blends"].operations(block))

    def rest(self) -> Iterator[int]:
        """Nothing is jumped over: what is left of the line is issued for nobody."""
        while not self.options.short_circuit and (picked := self.pick()) is not None:
            yield picked[0]


class MaskRegisters(Dialect):
    """Operations on scalar registers: ``s0`` is the mask of all; for each region the next two hold the
    condition, which becomes the mask of the second arm, and the mask of the first."""

    def __init__(self, structure: Structure, skips: bool) -> None:
        self.structure, self.skips = structure, skips
        self.names: dict[int, tuple[str, str]] = {}

    def current(self, place: CodePlace) -> str:
        """The register with the mask of a place."""
        around = self.structure.around(place)
        if around is None:
            return "s0"
        region, second = around
        condition, mask = self.names[region.block]
        return condition if second else mask

    def masks(self) -> dict[int, str]:
        """By block the register with its mask."""
        return {p.number: self.current(p) for p in self.structure.places if p.kind is RegionKind.BLOCK}

    def conditions(self) -> dict[int, str]:
        """By block the register that its comparison writes for its branch."""
        return {block: condition for block, (condition, _) in self.names.items()}

    def opens(self, region: CodeRegion, on: int, inverted: bool, register: Register) -> Sequence[Op]:
        c, s = self.names[region.block] = f"s{2 * register + 1}", f"s{2 * register + 2}"
        first = self.structure.facts.cfg.successors[region.block][0]
        above, condition = (
            self.current(CodePlace(RegionKind.BLOCK, region.block)),
            self._condition(region.block, c),
        )
        ops = [Op(f"xor {c}, {condition}, -1", note="invert the condition")] if inverted else []
        condition = c if inverted else condition
        return [*ops, Op(f"and {s}, {condition}, {above}", plain.opens(first, inverted, register), "push")]

    def _condition(self, block: int, register: str) -> str:
        """The register with a branch's condition: the comparison's, or where the value is."""
        terminator = self.structure.facts.terminators[block]
        if compared_in(self.structure.facts.function, block) is None and isinstance(terminator, CondBr):
            return operand(terminator.condition)
        return register

    def turns(self, region: CodeRegion, register: Register) -> Sequence[Op]:
        c, _ = self.names[region.block]
        above = self.current(CodePlace(RegionKind.BLOCK, region.block))
        condition = self._condition(region.block, c)
        return [
            Op(f"xor {c}, {condition}, -1", note="invert the condition"),
            Op(f"and {c}, {c}, {above}", plain.turns(register), "and the mask above"),
        ]

    def closes(self, region: CodeRegion, register: Register) -> Sequence[Op]:
        above = self.current(CodePlace(RegionKind.BLOCK, region.block))
        if self.structure.loses_lanes(region):
            return [Op(f"andn {above}, {above}, left", plain.wakes(register), "who left an arm stays off")]
        return [Op(do=plain.wakes(register))]  # pop: the mask above is in its register

    def sends(
        self, block: int, place: CodePlace, lanes: int | None, inverted: bool, register: Register
    ) -> Sequence[Op]:
        s, current = f"s{2 * register + 1}", self.current(CodePlace(RegionKind.BLOCK, block))
        words = f"wait for {where(self.structure, place)}"
        if lanes is None:
            return [Op(f"or {s}, {s}, {current}", plain.sends(None, False, register), words)]
        sense = "andn" if inverted else "and"
        return [
            Op(f"{sense} s30, {current}, {self._condition(block, 's31')}", note="who goes"),
            Op(f"or {s}, {s}, s30", note=words),
            Op(f"andn {current}, {current}, s30", plain.sends(lanes, inverted, register)),
        ]

    def wakes(self, place: CodePlace, register: Register) -> Sequence[Op]:
        current = self.current(place)
        return [Op(f"or {current}, {current}, s{2 * register + 1}", plain.wakes(register), "and who waits")]

    def clears(self, place: CodePlace, register: Register) -> Sequence[Op]:
        words = f"will wait for {where(self.structure, place)}"
        return [Op(f"move s{2 * register + 1}, 0", plain.clears(register), words)]

    def ends(self, block: int, last: bool) -> Sequence[Op]:
        return [Op(do=plain.ends)]

    def begins_loop(self, loop: int, label: str) -> Sequence[Op]:
        return []

    def goes_round(self, loop: int, label: str) -> Sequence[Op]:
        header = CodePlace(RegionKind.BLOCK, self.structure.loops[loop].header)
        text = f"bnz {self.current(header)}, {label}"
        return [Op(text, note="if any lane is on", jump=label, jumps=plain.some_on)]

    def skip(self, label: str, after_compare: bool) -> Sequence[Op]:
        return [Op(f"bz {label}", note="if no lane is on", jump=label, jumps=plain.none_on)]
