"""Where barriers can follow the tokens: at hearts, for lanes that may still come there."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Mapping

from ....frozen import dataclass
from ....ir.calls import Control, control, token_used
from ....ir.cfg import Cfg
from ..policy import EXIT, Facts, Mask, Policy


@dataclass(frozen=True, slots=True)
class HeartSite:
    """A ``loop`` call in ``block``. Lanes may come to it after ``definition``, the block of its token's
    definition, for as long as they are in ``region``: where the heart can be reached without passing the
    definition again."""

    block: int
    definition: int
    region: frozenset[int]


def hearts(facts: Facts) -> tuple[HeartSite, ...]:
    """Every ``loop`` call of the function, in text order; none whose token is defined in its own block."""
    defined = {
        instruction.result: number
        for number, block in enumerate(facts.function.blocks)
        for instruction in block.instructions
        if control(instruction) is not None
    }
    hearts_of_blocks = []
    for number, block in enumerate(facts.function.blocks):
        for instruction in block.instructions:
            token = token_used(instruction) if control(instruction) is Control.LOOP else None
            definition = None if token is None else defined.get(token.name)
            if definition is not None and definition != number and facts.cfg.reachable[number]:
                hearts_of_blocks.append(
                    HeartSite(number, definition, leading_to(facts.cfg, number, definition))
                )
    return tuple(hearts_of_blocks)


def leading_to(cfg: Cfg, block: int, without: int) -> frozenset[int]:
    """The reachable blocks from which ``block`` can be reached without passing ``without``; itself, too."""
    blocks, work = {block}, [block]
    while work:
        for before in cfg.predecessors[work.pop()]:
            if before not in blocks and before != without and cfg.reachable[before]:
                blocks.add(before)
                work.append(before)
    return frozenset(blocks)


# -- ``barrier``: Volta and later: convergence barriers under independent thread scheduling
# A barrier has members, the lanes that take part in it, and a block at which they wait until all of them
# have come (BSYNC). BSSY makes lanes members; executed again, in a loop, it adds lanes. A lane that
# BREAKs, or ends, is a member no more. Groups that a branch parted run in turns, and nothing but a
# barrier brings them together. The compiler places barriers (*Non-divergent branches* has lanes "converge
# at a post-dominating BB"; no source has the instructions' names):
# ``post-dominators`` a branch's BSSY, for its immediate post-dominator ``hearts`` also a BSSY where a
# heart's token is defined, for the heart's block; lanes BREAK where they cannot come there any more. A
# post-dominator has no barrier if lanes that wait there would be waited for at a heart by those that they
# wait for
# With ``yields``, a lane that goes round a loop yields: BSYNC does not wait for it any longer.


@dataclass(frozen=True, slots=True)
class BarrierPlacement:
    """Where a function has barriers: ``meets`` by branch, at its post-dominator; ``hearts`` by block."""

    meets: Mapping[int, int]
    hearts: Mapping[int, HeartSite]


def place(facts: Facts, barriers: str) -> BarrierPlacement:
    """The compiler's part."""
    by_block = {heart.block: heart for heart in hearts(facts)} if barriers == "hearts" else {}
    meets = {
        branch: meet
        for branch, meet in enumerate(facts.post_dominator)
        if meet != EXIT
        and len(facts.cfg.successors[branch]) > 1
        and not any(_crosses(facts, branch, meet, heart) for heart in by_block.values())
    }
    return BarrierPlacement(meets, by_block)


def _crosses(facts: Facts, branch: int, meet: int, heart: HeartSite) -> bool:
    """Whether lanes at ``meet`` may still come to the heart, and others of the branch come there first."""
    if meet not in heart.region:
        return False
    return meet == heart.block or branch in leading_to(facts.cfg, heart.block, meet)


class Barrier(Policy):
    """``groups`` run in turns; ``members`` and ``arrived`` are, by block, who takes part in its barrier and
    who waits there."""

    name = "barrier"
    traceable = True
    saves = frozenset(("BSSY",))
    concurrent = True

    def begin(self, mask: Mask) -> None:
        self.groups = deque([(0, mask)])
        self.members: dict[int, Mask] = {}
        self.arrived: dict[int, Mask] = {}
        cache = self.facts.derived
        if "barriers" not in cache:
            cache["barriers"] = place(self.facts, self.options.barriers)
        self.placed: BarrierPlacement = cache["barriers"]

    def pick(self) -> tuple[int, Mask] | None:
        return self.groups.popleft() if self.groups else None

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        if gone:
            self._break(gone, self.members)
        self._bssy(block, targets)
        back = {latch_header for latch_header in self.facts.back_edges if latch_header[0] == block}
        for target, mask in targets.items():
            if self.options.yields and (block, target) in back:
                self.did("YIELD")
                self._break(mask, self.members)
            self._break(mask, [h.block for h in self.placed.hearts.values() if target not in h.region])
            if mask & self.members.get(target, 0):
                self.did("BSYNC")
                self.arrived[target] = self.arrived.get(target, 0) | mask
            else:
                self.groups.append((target, mask))
        self._sync()

    def _bssy(self, block: int, targets: Mapping[int, Mask]) -> None:
        """At a branch, for its post-dominator; where tokens of hearts are defined, for the hearts."""
        meets = [heart.block for heart in self.placed.hearts.values() if heart.definition == block]
        if block in self.placed.meets:
            meets.append(self.placed.meets[block])
        for meet in meets:
            self.did("BSSY")
            self.members[meet] = self.members.get(meet, 0) | sum(targets.values())

    def _break(self, mask: Mask, barriers: Collection[int]) -> None:
        """These lanes take part in these barriers no more."""
        for block in barriers:
            if self.members.get(block, 0) & mask:
                self.did("BREAK")
                self.members[block] &= ~mask

    def _sync(self) -> None:
        """Lanes whose barrier is complete go on together; at a heart they stay members."""
        for block in sorted(self.arrived):
            arrived = self.arrived[block]
            if not self.members.get(block, 0) & ~arrived:
                del self.arrived[block]
                if block not in self.placed.hearts:
                    self.members.pop(block, None)
                self.groups.append((block, arrived))

    def state(self) -> Hashable:
        return tuple(self.groups), tuple(sorted(self.members.items())), tuple(sorted(self.arrived.items()))
