"""``ipdom``: a stack of (pc, mask, reconvergence pc); lanes meet at the branch's immediate post-dominator.

The machine that *Non-divergent branches* describes for CUDA: "the warp has to execute all the paths from
that branch with different subsets of threads enabled until they converge at a post-dominating BB of the
paths". The first successor runs first. Where only the function's end post-dominates, lanes do not meet
again.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from ..policy import EXIT, Mask, Policy


@dataclass(slots=True)
class Entry:
    """Lanes of ``mask`` run from block ``pc`` until they come to block ``reconvergence``."""

    pc: int
    mask: Mask
    reconvergence: int


class Ipdom(Policy):
    """The stack; its top runs."""

    name = "ipdom"
    traceable = True
    saves = frozenset(("push",))

    def begin(self, mask: Mask) -> None:
        self.stack = [Entry(0, mask, EXIT)]

    def pick(self) -> tuple[int, Mask] | None:
        while self.stack:
            top = self.stack[-1]
            if top.mask and top.pc != top.reconvergence:
                return top.pc, top.mask
            self.stack.pop()
            self.did("pop")
        return None

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        top = self.stack[-1]
        for entry in self.stack:
            entry.mask &= ~gone
        if len(targets) <= 1:
            for target in targets:
                top.pc = target
            return
        meet = self.facts.post_dominator[block]
        top.pc = meet
        if meet in (EXIT, top.reconvergence):  # nothing of its own is left to run for this entry
            self.stack.pop()
        for target, mask in reversed([*targets.items()]):
            if target != meet:
                self.stack.append(Entry(target, mask, meet))
                self.did("push")

    def state(self) -> Hashable:
        return tuple((e.pc, e.mask, e.reconvergence) for e in self.stack)
