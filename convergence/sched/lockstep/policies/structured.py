"""``block-ip`` and ``gen-structured``: machines on blocks in a topological order that keeps loops
together.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush

from ....frozen import dataclass
from ....ir import Int
from ....ir.instructions import IndirectBr, Invoke, Resume, Ret, Switch
from ..machine import Loop, loops_by_latch
from ..policy import Facts, Mask, Policy, Refused

# ----------------------------------------------------------------------------------------------------------
# Topological orders that keep loops together.
# ----------------------------------------------------------------------------------------------------------


def contiguous(
    facts: Facts, together: Collection[frozenset[int]] = (), ties: Sequence[int] | None = None
) -> tuple[int, ...]:
    """The reachable blocks so that forward edges go forwards and each cycle's blocks are next to each other;
    ties as in ``ties``, by default reverse postorder. ``together`` are further sets of blocks to keep
    together, nested in each other or apart, each entered through one block; of a cycle that crosses one of
    them another one, with more blocks, has to be among them."""
    rank = {block: at for at, block in enumerate(facts.cfg.rpo if ties is None else ties)}
    cycles = {frozenset(facts.cycles.blocks(c)) for c in facts.cycles.all}
    sets = {c for c in cycles if all(c <= s or s <= c or not c & s for s in together)} | set(together)
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


# ----------------------------------------------------------------------------------------------------------
# ``switch`` as compares, after *Unstructured Branches*: "lowered down to a sequence of if/else statements
# (using a divide and conquer approach a switch/case can be dispatched in log(n) complexity)".
#
# The cases are sorted by value. A node of the tree compares with the middle value and goes left or right; a
# leaf compares for equality and goes to its case or to the default.
# ----------------------------------------------------------------------------------------------------------


Node = tuple[int, int]
"""The cases from the first number to before the second that a compare still has to tell apart."""


class SwitchTree:
    """The compares of one ``switch``; ``targets`` are the cases' blocks, sorted by value."""

    def __init__(self, facts: Facts, switch: Switch) -> None:
        index = facts.cfg.index
        self.default = index[switch.default]
        sorted_cases = sorted(switch.cases, key=_value)
        self.targets: tuple[int, ...] = tuple(index[block] for _, block in sorted_cases)

    @cached_property
    def paths(self) -> tuple[frozenset[Node], ...]:
        """By case, the compares on the way to it."""
        return tuple(frozenset(path(len(self.targets), case)) for case in range(len(self.targets)))

    def compares(self, reached: Collection[int]) -> int:
        """Compares that a wave needs whose lanes go to these blocks: it runs each one that some lane
        needs. Masks do not say which case of a block a lane had, so it is the fewest that fit."""
        visited: set[Node] = set()
        for block in sorted(set(reached) - {self.default}, key=self.targets.count):
            visited |= self._cheapest((case for case, t in enumerate(self.targets) if t == block), visited)
        if self.default in reached and self.targets:
            visited |= self._cheapest(range(len(self.targets)), visited)
        return len(visited)

    def _cheapest(self, cases: Iterable[int], visited: set[Node]) -> frozenset[Node]:
        return min((self.paths[case] for case in cases), key=lambda p: len(p - visited))


def path(count: int, case: int) -> Sequence[Node]:
    """The compares that lead to ``case`` of ``count``, the root's first.

    >>> path(8, 5)
    [(0, 8), (4, 8), (4, 6), (5, 6)]
    """
    low, high = 0, count
    stretches = [(low, high)]
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if case < middle else (middle, high)
        stretches.append((low, high))
    return stretches


def _value(case: tuple[object, str]) -> int:
    value = case[0]
    assert isinstance(value, Int)
    bits = getattr(value.type, "bits", 64)
    return value.value & ((1 << bits) - 1)  # as unsigned numbers; -1 and its pattern are one value


# -- ``block-ip``: Gen's linearised CFG, a block number per lane
# After *Unstructured Branches*, *Linearizing the control flow graph*.
# "At the beginning of each block, we compare the blockIP register with the ID of the block. The lane is
# going to be activated if its blockIP is smaller than the ID of the block" (or equal: it is then that
# block's own). Backward branches are taken if any lane wants ("anyh"); forward branches if all lanes are
# beyond the next block ("allh"), to the next JOIN point, where a block that no lane enters jumps on. So
# the lowest block number that some lane has runs next; lanes with higher numbers wait. Any CFG will do,
# and the block order decides who meets whom. "We first create one return block at the end of the program.
# Then we replace all other returns by a unconditional jump to this block": no lane is sent off before the
# last one is there.

LARGEST = (1 << 16) - 1
"""Block numbers are "a short (16 bits) for each lane"."""


class BlockIp(Policy):
    """``ips``: the lanes that have each block number. ``at``: the number of the block that runs. ``exit``:
    that of the return block, which is one more than the program's if those do not end in the only return."""

    name = "block-ip"
    traceable = True

    def begin(self, mask: Mask) -> None:
        refused = self.facts.lacks_model(IndirectBr, Invoke, Resume)
        if refused is not None:
            raise Refused(f"block-ip has no {refused}: exceptions and jump tables are not supported")
        returns = [b for b in self.order if isinstance(self.facts.terminators[b], Ret)]
        self.exit = len(self.order) - (returns == [self.order[-1]])
        if self.exit > LARGEST:
            raise Refused(
                f"block-ip numbers blocks with 16 bits: with the return block {self.exit + 1} are too many"
            )
        self.ips: dict[int, Mask] = {self.number[0]: mask}
        self.at = 0

    @cached_property
    def order(self) -> tuple[int, ...]:
        return linearised(self.facts, self.options.block_order)

    @cached_property
    def number(self) -> Mapping[int, int]:
        return {block: n for n, block in enumerate(self.order)}

    @cached_property
    def joins(self) -> frozenset[int]:
        return join_points(self.facts, self.order)

    def pick(self) -> tuple[int, Mask] | None:
        if not self.ips:
            return None
        lowest = min(self.ips)
        if self.options.no_jumps and self.at < lowest:
            self.did("cmp.blockip")
            return self.order[self.at], 0
        self._comes_to(lowest)
        return self.order[lowest], self.ips[lowest]

    def rest(self) -> Iterator[int]:
        """Full predication runs through the blocks up to the return block even if all lanes are there."""
        if self.options.no_jumps:
            while self.at < min(self.exit, len(self.order)):
                self.did("cmp.blockip")
                yield self.order[self.at]
        self.did("eot")

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        here = self.number[block]
        self.ips.pop(here, None)
        for target, mask in targets.items():
            number = self.number[target]
            self.ips[number] = self.ips.get(number, 0) | mask
        terminator = self.facts.terminators[block]
        if isinstance(terminator, Switch):
            self.did(*["cmp.switch"] * SwitchTree(self.facts, terminator).compares(targets))
        successors = {self.number[s] for s in self.facts.cfg.successors[block]}
        if isinstance(terminator, Ret) and here != self.exit:
            successors = {self.exit}
        self._branches(here, successors)
        if not self.ips and here < self.exit and not self.options.no_jumps:
            self._comes_to(self.exit)

    def _branches(self, here: int, successors: Collection[int]) -> None:
        """The block's number is written for the lanes that go further than to the next block; these are
        inactive there, the others "smaller" still. Then come the jumps, taken or not."""
        lowest, self.at = min(self.ips, default=self.exit), here + 1
        self.did(*["mov.blockip"] * sum(s != here + 1 for s in successors))
        if any(s <= here for s in successors):
            self._jumps("jmpi.anyh", lowest <= here)
        if lowest <= here:
            self.at = lowest
        elif any(s > here + 1 for s in successors) and not self.options.no_jumps:
            self.did("cmp.blockip")
            self._jumps("jmpi.allh", lowest > here + 1)

    def _jumps(self, jump: str, taken: bool) -> None:
        self.did(jump if taken else f"{jump} not taken")

    def _comes_to(self, number: int) -> None:
        """From where the machine is to the block with this number. A jump goes to the next JOIN point, and
        "we simply jump if none of the lane is activated" there."""
        for at in range(self.at + (self.at < number), number + 1):
            if at < len(self.order) and (at == number or at in self.joins):
                self.did("cmp.blockip")
                if at in self.joins and not self.options.no_jumps:
                    self._jumps("jmpi.join", at < number)
        self.at = number

    def state(self) -> Hashable:
        return self.at, tuple(sorted(self.ips.items()))


def linearised(facts: Facts, order: str) -> tuple[int, ...]:
    """The blocks in the machine's order: as the text has them, in LLVM's reverse postorder (which can put
    an exit before a latch), or topologically with each loop's blocks kept together."""
    if order == "layout":
        return tuple(b for b in range(len(facts.cfg)) if facts.cfg.reachable[b])
    return facts.cfg.rpo if order == "rpo" else contiguous(facts)


def join_points(facts: Facts, order: tuple[int, ...]) -> frozenset[int]:
    """The block numbers where a jump that passes over blocks has to stop, as lanes may be waiting there:
    "Instead of jumping from block 2 to block 5, we jump from block 2 to block 4"; block 4 is the JOIN point.

    These are the targets of forward edges that skip a block; and the block behind one that can also go
    back, as lanes wait there while the others go round.
    """
    number = {block: n for n, block in enumerate(order)}
    points = set()
    for at, block in enumerate(order):
        successors = {number[s] for s in facts.cfg.successors[block]}
        goes_back = any(s <= at for s in successors)
        points |= {s for s in successors if s > at + 1 or (s == at + 1 and goes_back)}
    return frozenset(points)


@dataclass(frozen=True, slots=True)
class Linear:
    """A block in the machine's order: its number; where it is a JOIN point, the number of the block to which
    it jumps if no lane enters; the next JOIN point for its forward jump, if it has one; and the headers to
    which it can go back. The return block's number is that behind the last one."""

    number: int
    block: int
    join: int | None
    forward: int | None
    back: tuple[int, ...]


def linear(facts: Facts, order: str = "layout") -> tuple[Linear, ...]:
    """The linearised CFG: "instead of jumping from block 2 to block 5, we jump from block 2 to block 4"."""
    blocks = linearised(facts, order)
    number = {block: n for n, block in enumerate(blocks)}
    joins = join_points(facts, blocks)

    def beyond(at: int) -> int:
        return min((join for join in joins if join > at), default=len(blocks))

    lines = []
    for at, block in enumerate(blocks):
        successors = [number[s] for s in facts.cfg.successors[block]]
        if isinstance(facts.terminators[block], Ret) and at + 1 < len(blocks):
            successors = [len(blocks)]
        passes = any(s > at + 1 for s in successors)
        back = tuple(s for s in successors if s <= at)
        join = beyond(at) if at in joins and at + 1 < len(blocks) else None
        lines.append(Linear(at, block, join, beyond(at + 1) if passes else None, back))
    return tuple(lines)
