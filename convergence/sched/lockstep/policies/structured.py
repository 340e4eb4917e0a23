"""Topological orders that keep loops together."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from heapq import heapify, heappop, heappush

from ....ir.instructions import IndirectBr, Invoke, Resume
from ..machine import Loop, loops_by_latch
from ..policy import Facts, Mask, Policy, Refused


def contiguous(
    facts: Facts, together: Collection[frozenset[int]] = (), ties: Sequence[int] | None = None
) -> tuple[int, ...]:
    """The reachable blocks so that forward edges go forwards and each cycle's blocks are next to each other;
    ties as in ``ties``, by default reverse postorder. ``together`` are further sets of blocks to keep
    together, nested in each other or apart, each entered through one block."""
    rank = {block: at for at, block in enumerate(facts.cfg.rpo if ties is None else ties)}
    sets = {frozenset(facts.cycles.blocks(c)) for c in facts.cycles.all} | set(together)
    return tuple(_ordered(facts, frozenset(facts.cfg.rpo), None, sets, rank))


def _ordered(
    facts: Facts, blocks: frozenset[int], header: int | None, sets: set[frozenset[int]], rank: dict[int, int]
) -> list[int]:
    """One level: outermost sets inside ``blocks`` are one node each; edges to ``header`` do not count."""
    inner = [s for s in sets if s < blocks]
    outermost = [s for s in inner if not any(s < other for other in inner)]
    node_of: dict[int, int] = {}
    for s in outermost:
        node_of |= dict.fromkeys(s, min(s, key=rank.__getitem__))
    for block in blocks:
        node_of.setdefault(block, block)
    members: dict[int, list[int]] = {n: [] for n in node_of.values()}
    for block in blocks:
        members[node_of[block]].append(block)
    following: dict[int, set[int]] = {n: set() for n in members}
    for block in blocks:
        for successor in facts.cfg.successors[block]:
            if successor in blocks and successor != header and node_of[successor] != node_of[block]:
                following[node_of[block]].add(node_of[successor])
    pending = dict.fromkeys(members, 0)
    for successors in following.values():
        for successor in successors:
            pending[successor] += 1
    free = [rank[n] for n in members if not pending[n]]
    heapify(free)
    node_at = {rank[n]: n for n in members}
    every = iter(sorted(node_at))
    result: list[int] = []
    while pending:  # where none is free, the control flow is irreducible, and the first goes ahead
        node = node_at[heappop(free) if free else next(at for at in every if node_at[at] in pending)]
        del pending[node]
        for successor in following[node]:
            if successor in pending:
                pending[successor] -= 1
                if not pending[successor]:
                    heappush(free, rank[successor])
        inside = members[node]
        result += [node] if len(inside) == 1 else _ordered(facts, frozenset(inside), node, sets, rank)
    return result


# -- What the machines for structured code share: a linear order in which every loop is one stretch
# A lane that does not take part waits further down in that order. The latch of a loop is a place at the
# end of its stretch: lanes that go round wait there until none is left in the body, then all go back to
# the header. So lanes that leave a loop wait for the whole loop, and code behind several exits runs after
# it.


class Structured(Policy):
    """``places``: blocks and, as ``~n``, the latch of loop n, in order; ``at``: the lanes at each place."""

    def begin(self, mask: Mask) -> None:
        if irreducible := self.facts.irreducible:
            entries = " and ".join(f"%{name}" for name in irreducible)
            raise Refused(f"the control flow is irreducible: a cycle is entered at {entries}")
        self.loops = self.structure()
        self.places: list[int] = []
        left = list(reversed([*enumerate(self.loops)]))  # inner loops end first
        numbers: set[int] = set()
        for block in self.order({loop.body for loop in self.loops}):
            self.places.append(block)
            numbers.add(block)
            for number, loop in [item for item in left if item[1].body <= numbers]:
                self.places.append(~number)
                left.remove((number, loop))
        self.place = {item: at for at, item in enumerate(self.places)}
        self.latch_of = {(b, loop.header): n for n, loop in enumerate(self.loops) for b in loop.latches}
        self.at: dict[int, Mask] = {0: mask}

    def structure(self) -> tuple[Loop, ...]:
        """The loops, outer ones before inner ones."""
        return loops_by_latch(self.facts, merged=self.options.latches == "merged")

    def order(self, together: Collection[frozenset[int]]) -> tuple[int, ...]:
        """The blocks from first to last, each of the sets of blocks as one stretch."""
        return contiguous(self.facts, together)

    def pick(self) -> tuple[int, Mask] | None:
        while self.at:
            lowest = min(self.at)
            mask, item = self.at.pop(lowest), self.places[lowest]
            if item >= 0:
                self.enters(item)
                return item, mask
            self.goes_round(self.loops[~item], mask)
        return None

    def goes_round(self, loop: Loop, mask: Mask) -> None:
        """All lanes that stay in the loop go back to its header together."""
        self.put(self.place[loop.header], mask)

    def put(self, place: int, mask: Mask) -> None:
        self.at[place] = self.at.get(place, 0) | mask

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        if len(self.facts.cfg.successors[block]) > 1:
            self.branches(block)
        for target, mask in targets.items():
            loop = self.latch_of.get((block, target))
            self.put(self.place[target if loop is None else ~loop], mask)

    def enters(self, block: int) -> None:
        """What the machine does at the block's head."""

    def branches(self, block: int) -> None:
        """What it does for a branch with several successors."""

    def leaves_a_loop(self, block: int) -> bool:
        """Whether the branch at the block's end is a loop's: one side goes round or leaves."""
        cfg = self.facts.cfg
        return any(
            block in loop.body and any(s not in loop.body or s == loop.header for s in cfg.successors[block])
            for loop in self.loops
        )

    def joins(self, block: int) -> bool:
        """Whether lanes from several forward edges meet at the block."""
        return sum((p, block) not in self.latch_of for p in self.facts.cfg.predecessors[block]) > 1

    def state(self) -> Hashable:
        return tuple(sorted(self.at.items()))


# ----------------------------------------------------------------------------------------------------------
# ``gen-structured``: Gen's structured branches, a variant of ``block-ip``.
#
# After *Unstructured Branches*, *Solution 1*. "When using structured branches, Gen can supports
# auto-masking": if, else and endif, break, continue and while keep the masks themselves, with one instruction
# for each branch. The price is that the program has to be structured, and "a reducible control flow graph can
# be turned into an irreducible one by the optimizer": such a program is refused, which is the reason that the
# text gives for numbering blocks instead. Latches of one header are ``continue`` of one ``while`` loop; code
# behind several exits runs after the loop.
# ----------------------------------------------------------------------------------------------------------


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
