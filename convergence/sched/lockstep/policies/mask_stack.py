"""``mask-stack``: R700's hardware stack of masks (seed 000: "PUSH, PUSH_ELSE, and POP instructions").

Code is structured as its source: a lane leaves at ``break`` and returns at the loop's end. The CFG does not
say what the source had inside a loop; the options do. By default a block from which the loop cannot be
reached again is outside, and several latches of one header are ``continue`` of one loop.
"""

from __future__ import annotations

from ..naming import Loop, loops_by_latch
from ..policy import Mask, Refused
from .structured import Structured


class MaskStack(Structured):
    """The top of the stack runs; loop break and continue masks hold the others."""

    name = "mask-stack"
    seed = "000"

    def structure(self) -> tuple[Loop, ...]:
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

    def branches(self, block: int) -> None:
        if self.leaves_a_loop(block):
            self.did("LOOP_BREAK")
        else:
            self.did("PUSH", "PUSH_ELSE")

    def enters(self, block: int) -> None:
        if self.joins(block):
            self.did("POP")

    def goes_round(self, loop: Loop, mask: Mask) -> None:
        self.did("LOOP_END")
        super().goes_round(loop, mask)
