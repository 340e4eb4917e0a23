"""What a tree of :mod:`.reconvergence` means: structured maximal reconvergence, by running the source itself.

All lanes walk the tree together. An ``if`` splits the active lanes and joins them behind it; a loop goes
round while any lane does, and lanes that broke out wait behind it, those that continued at the next step;
a ``switch`` joins lanes that fall through with those that enter the case. A group is the lanes that are
active at a ballot at one time. It shares nothing with the tokens' keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from convergence.fuzz.reconvergence import (
    LANES,
    SLOTS,
    Ballot,
    Break,
    Continue,
    If,
    LaneCondition,
    LoopStatement,
    Return,
    Statement,
    StoreStatement,
    SwitchStatement,
)

_WORD = (1 << 32) - 1


@dataclass
class Structured:
    """A run: ``groups`` are per ballot and time (site, the active lanes with the number of the instance
    there, from 1); ``acc`` is what each lane returns; ``out`` what is stored."""

    lanes: int
    variables: list[dict[str, int]]
    groups: list[tuple[int, frozenset[tuple[int, int]]]] = field(default_factory=list)
    out: list[int] = field(default_factory=lambda: [0] * (LANES * SLOTS))
    counts: dict[tuple[int, int], int] = field(default_factory=dict)

    def holds(self, lane: int, condition: LaneCondition) -> bool:
        return self.variables[lane][condition.variable] & condition.mask < condition.bound

    def store(self, lane: int, value: int) -> None:
        mine = self.variables[lane]
        self.out[lane * SLOTS + mine["slot"] % SLOTS] = value
        mine["slot"] += 1

    def block(self, statements: Sequence[Statement], active: frozenset[int]) -> _Left:
        """Run a block; gives which lanes are where behind it."""
        left = _Left(active)
        for statement in statements:
            if not left.on:
                break
            left = left.then(self.statement(statement, left.on))
        return left

    def statement(self, statement: Statement, active: frozenset[int]) -> _Left:
        nobody: frozenset[int] = frozenset()
        match statement:
            case Ballot(site, condition, stored):
                mask = sum(1 << lane for lane in active if self.holds(lane, condition))
                for lane in active:
                    self.counts[site, lane] = self.counts.get((site, lane), 0) + 1
                    self.variables[lane]["acc"] = (self.variables[lane]["acc"] * 3 + mask) & _WORD
                    if stored:
                        self.store(lane, mask)
                self.groups.append((site, frozenset((lane, self.counts[site, lane]) for lane in active)))
            case StoreStatement(number):
                for lane in active:
                    self.store(lane, number)
            case If(condition, then, otherwise):
                taken = frozenset(lane for lane in active if self.holds(lane, condition))
                return self.block(then, taken).beside(self.block(otherwise, active - taken))
            case SwitchStatement():
                return self.switch(statement, active)
            case LoopStatement():
                return self.loop(statement, active)
            case Break():
                return _Left(nobody, broken=active)
            case Continue():
                return _Left(nobody, continued=active)
            case Return():
                return _Left(nobody)
        return _Left(active)

    def switch(self, switch: SwitchStatement, active: frozenset[int]) -> _Left:
        chosen = {lane: self.variables[lane][switch.variable] & 3 for lane in active}
        on = continued = falling = frozenset[int]()
        numbers = {number for number, _, _ in switch.cases}
        for number, body, breaks in switch.cases:
            left = self.block(body, falling | {lane for lane in active if chosen[lane] == number})
            continued |= left.continued
            on |= left.broken | (left.on if breaks else frozenset())
            falling = frozenset() if breaks else left.on
        rest = falling | {lane for lane in active if chosen[lane] not in numbers}
        left = self.block(switch.default, rest)
        return _Left(on | left.on | left.broken, continued=continued | left.continued)

    def loop(self, loop: LoopStatement, active: frozenset[int]) -> _Left:
        behind: frozenset[int] = frozenset()
        for lane in active:
            self.variables[lane][loop.counter] = 0
        tested = loop.kind == "do"
        while active:
            if not tested:
                active, stopped = self.more(loop, active)
                behind |= stopped
            left = self.block(loop.body, active)
            behind |= left.broken
            active = left.on | left.continued
            for lane in active:
                self.variables[lane][loop.counter] += 1
            if loop.kind == "do":
                active, stopped = self.more(loop, active)
                behind |= stopped
        return _Left(behind)

    def more(self, loop: LoopStatement, active: frozenset[int]) -> tuple[frozenset[int], frozenset[int]]:
        """Who goes round, and who does not."""
        going = frozenset(
            lane
            for lane in active
            if self.variables[lane][loop.counter] < loop.limit
            and (loop.guard is None or self.holds(lane, loop.guard))
        )
        return going, active - going


@dataclass(frozen=True, slots=True)
class _Left:
    """Where lanes are: going on, at the exit of the loop or switch, at the loop's next step; or returned."""

    on: frozenset[int]
    broken: frozenset[int] = frozenset()
    continued: frozenset[int] = frozenset()

    def then(self, later: _Left) -> _Left:
        return _Left(later.on, self.broken | later.broken, self.continued | later.continued)

    def beside(self, other: _Left) -> _Left:
        return _Left(self.on | other.on, self.broken | other.broken, self.continued | other.continued)


def structured(statements: Sequence[Statement], x: Sequence[int]) -> Structured:
    """Run a program with one value of ``x`` per lane."""
    run = Structured(len(x), [{"acc": 0, "slot": 0, "x": value, "lane": i} for i, value in enumerate(x)])
    run.block(statements, frozenset(range(len(x))))
    return run
