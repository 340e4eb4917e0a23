"""``mask-stack``: R700's hardware stack of masks.

After *Branch Divergence*: "PUSH, PUSH_ELSE, and POP instructions".
Code is structured as its source: a lane leaves at ``break`` and returns at the loop's end. The CFG does not
say what the source had inside a loop; the options do. By default a block from which the loop cannot be
reached again is outside, and several latches of one header are ``continue`` of one loop.

PUSH puts the lanes that fail the condition on the stack, PUSH_ELSE exchanges them with those that are on, POP
adds them. LOOP_START puts a frame there for those that break and continue; LOOP_BREAK and LOOP_CONTINUE send
lanes to it. Jumps that are neither wait for their block in an entry of their own, as if by ``goto``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..machine import Loop, loops_by_latch
from ..masked import code as plain
from ..masked.code import Dialect, Masked, Op, Register
from ..masked.structure import CodePlace, CodeRegion, RegionKind, Structure, where
from ..policy import Refused


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
        """The loops of the source: ``inside`` adds blocks to all loops of a header that lead to them."""
        loops = list(loops_by_latch(self.facts, merged=not self.options.nested))
        index, cfg = self.facts.cfg.index, self.facts.cfg
        for header, names in self.options.inside:
            if header not in index:  # another function's
                continue
            numbers = [n for n, loop in enumerate(loops) if loop.header == index[header]]
            if not numbers:
                raise Refused(f"%{header} is no loop's header")
            for number in numbers:
                body = loops[number].body
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
                loops[number] = Loop(loops[number].header, loops[number].latches, body)
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
