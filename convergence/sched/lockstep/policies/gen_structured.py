"""``gen-structured``: Gen's structured branches, a variant of ``block-ip``.

After *Unstructured Branches*, *Solution 1*.
"When using structured branches, Gen can supports auto-masking": if, else and endif, break, continue and while
keep the masks themselves, with one instruction for each branch. The price is that the program has to be
structured, and "a reducible control flow graph can be turned into an irreducible one by the optimizer": such
a program is refused, which is the reason that the text gives for numbering blocks instead. Latches of one
header are ``continue`` of one ``while`` loop; code behind several exits runs after the loop.
"""

from __future__ import annotations

from ....ir.instructions import IndirectBr, Invoke, Resume
from ..machine import Loop, loops_by_latch
from ..policy import Mask, Refused
from .structured import Structured


class GenStructured(Structured):
    """A lane that is switched off waits at a place further down: an else, an endif, a loop's end."""

    name = "gen-structured"
    traceable = True
    saves = frozenset(
        (
            "if",
            "while",
        )
    )

    def begin(self, mask: Mask) -> None:
        refused = self.facts.lacks_model(IndirectBr, Invoke, Resume)
        if refused is not None:
            raise Refused(f"gen-structured has no {refused}: exceptions and jump tables are not supported")
        super().begin(mask)

    def structure(self) -> tuple[Loop, ...]:
        """One loop for each header."""
        return loops_by_latch(self.facts, merged=True)

    def branches(self, block: int) -> None:
        """A branch that may leave a loop is a break, one that may go round from elsewhere than the loop's
        end a continue; what ends the loop is its while. Any other is an if with its else."""
        cfg = self.facts.cfg
        rounds = [n for s in cfg.successors[block] if (n := self.latch_of.get((block, s))) is not None]
        if rounds:
            ends = {max(self.loops[n].latches, key=self.place.__getitem__) for n in rounds}
            if block not in ends:
                self.did("cont")
        elif self.leaves_a_loop(block):
            self.did("break")
        else:
            self.did("if", "else")

    def enters(self, block: int) -> None:
        if self.joins(block):
            self.did("endif")

    def goes_round(self, loop: Loop, mask: Mask) -> None:
        self.did("while")
        super().goes_round(loop, mask)
