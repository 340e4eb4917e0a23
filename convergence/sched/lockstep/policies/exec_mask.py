"""``exec-mask``: Southern Islands and later (seeds 000 and 001): one exec register, masks saved in registers.

The program is structured first: loops become one stretch of code each, and irreducible control flow is
refused. ``--latches separate`` makes every latch a loop of its own, as LLVM 22's AMDGPU back end does;
``--latches merged`` brings all latches of a header to one (loop-simplify before structurizing).

At a branch the saved value means "lanes parked here" (seed 001: ``s_and_saveexec`` then ``s_xor``), so that
lanes that end inside an arm stay off when the join does ``s_or``; an arm that no lane takes is skipped.
"""

from __future__ import annotations

from ..naming import Loop
from ..policy import Mask
from .structured import Structured


class ExecMask(Structured):
    """The lanes at the place that runs are exec; those further down are in saved registers."""

    name = "exec-mask"
    seed = "000, 001"

    def branches(self, block: int) -> None:
        if self.leaves_a_loop(block):
            self.did("s_or_b64")  # lanes that leave are added to those that wait behind the loop
        else:
            self.did("s_and_saveexec_b64", "s_xor_b64", "s_cbranch_execz")

    def enters(self, block: int) -> None:
        if self.joins(block):
            self.did("s_or_b64")

    def goes_round(self, loop: Loop, mask: Mask) -> None:
        self.did("s_andn2_b64", "s_cbranch_execnz")
        super().goes_round(loop, mask)
