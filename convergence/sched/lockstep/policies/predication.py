"""``predication``: Nyuzi (seed 000): a mask operand on each write, the mask stack kept by the compiler.

Groups are those of ``mask-stack``. No branch is skipped: every block is issued, with an empty mask too,
unless a zero-mask short circuit is asked for. The 16 lanes have a 16-bit mask.
"""

from __future__ import annotations

from collections.abc import Hashable

from ..policy import Mask, Refused
from .mask_stack import MaskStack

LANES = 16


class Predication(MaskStack):
    """``cursor``: the place that is issued next."""

    name = "predication"

    def begin(self, mask: Mask) -> None:
        if mask.bit_length() > LANES:
            raise Refused(f"a mask has {LANES} bits: a wave of {mask.bit_length()} lanes does not fit")
        super().begin(mask)
        self.cursor = 0

    def pick(self) -> tuple[int, Mask] | None:
        while self.at:
            item, mask = self.places[self.cursor], self.at.pop(self.cursor, 0)
            self.cursor += 1
            if item < 0:
                if mask:
                    self.goes_round(self.loops[~item], mask)
                    self.cursor = self.place[self.loops[~item].header]
                continue
            if mask or not self.options.short_circuit:
                return item, mask
            self.did("bz")
        return None

    def branches(self, block: int) -> None:
        """Push: compare and AND with the parent. Invert the condition, not the mask, and AND again."""
        self.did("and", "xor", "and")

    def enters(self, block: int) -> None:
        """Pop costs nothing: the parent's mask is in its register still."""

    def state(self) -> Hashable:
        return self.cursor, super().state()
