"""Random structured functions, written so that they obey the rules (but for what unreachable code and
irreducible cycles add)."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from .arbitrary import QUIET, UNCONTROLLED
from .finish import ENDS, finish, shuffle
from .model import Block, Exit, Function, Item, Kind

MOST_BLOCKS = 8


@dataclass
class _Builder:
    """Writes structured code block by block; ``tokens`` counts names, ``room`` the blocks still allowed."""

    random: Random
    blocks: list[Block] = field(default_factory=lambda: [Block()])
    names: int = 0
    hearts: float = 0.9
    density: float = 0.5

    @property
    def room(self) -> int:
        return MOST_BLOCKS - len(self.blocks)

    def block(self) -> int:
        self.blocks.append(Block())
        return len(self.blocks) - 1

    def define(self, block: int, kind: Kind, *using: str) -> str:
        name = f"t{self.names}"
        self.names += 1
        self.blocks[block].items.append(Item(kind, name, tuple((u,) for u in using)))
        return name

    def operation(self, token: str | None) -> Item:
        """An operation in a place where ``token`` may be used; without one, anything quiet."""
        if token is None:
            return Item(Kind.CALL, spelling=self.random.choice(QUIET))
        bundle_only = self.random.random() < 0.25
        spelling = self.random.choice(QUIET if bundle_only else UNCONTROLLED)
        return Item(Kind.CALL, bundles=((token,),), spelling=spelling)

    def operations(self, block: int, token: str | None) -> None:
        for _ in range(2):
            if self.random.random() < self.density:
                self.blocks[block].items.append(self.operation(token))

    def sequence(self, block: int, token: str | None, depth: int) -> int:
        """Code from ``block`` on; gives the block where it goes on. ``token`` is what may be used here."""
        self.operations(block, token)
        for _ in range(self.random.choice((0, 1, 1, 2))):
            choice = self.random.random()
            if choice < 0.15:
                block = self.anchored(block, depth)
            elif choice < 0.45 and self.room >= 3:
                block = self.branch(block, token, depth)
            elif choice < 0.8 and self.room >= 2:
                block = self.loop(block, token, depth)
            elif choice < 0.95 and self.room >= 4:
                block = self.two_ways_in(block, token)
            self.operations(block, token)
        return block

    def anchored(self, block: int, depth: int) -> int:
        """Code under an anchor of its own."""
        inner = self.define(block, Kind.ANCHOR)
        return self.sequence(block, inner, depth - 1) if depth > 0 else block

    def branch(self, block: int, token: str | None, depth: int) -> int:
        """A branch of two arms, by condition, switch, invoke or callbr."""
        left, right, join = self.block(), self.block(), self.block()
        kind = self.random.choice((Exit.CONDBR,) * 5 + (Exit.SWITCH, Exit.INVOKE, Exit.CALLBR))
        here = self.blocks[block]
        here.exit, here.targets = kind, [left, right]
        if kind is Exit.SWITCH:
            here.targets = [self.random.choice((left, right, join)), left, right]
        if kind in (Exit.INVOKE, Exit.CALLBR):
            here.last = self.operation(token)
        for arm in (left, right):
            end = self.sequence(arm, token, depth - 1) if depth > 0 else arm
            if self.random.random() < 0.85:
                self.blocks[end].exit, self.blocks[end].targets = Exit.BR, [join]
            else:
                self.blocks[end].exit = self.random.choice(ENDS)
        return join

    def two_ways_in(self, block: int, token: str | None) -> int:
        """An irreducible cycle without uses of outer tokens, with an arm before one of its entries that
        may use any token: whether LLVM sees that it ends a region depends on the successors' order."""
        arm, one, two, after = (self.block() for _ in range(4))
        self.operations(arm, token)
        if self.names and self.random.random() < 0.5:
            self.blocks[arm].items.append(self.operation(f"t{self.random.randrange(self.names)}"))
        for entry in (one, two):
            self.operations(entry, self.define(entry, Kind.ANCHOR) if self.random.random() < 0.2 else None)
        for source, *targets in ((block, arm, two), (arm, one), (one, two), (two, one, after)):
            self.random.shuffle(targets)
            self.blocks[source].targets = targets
            self.blocks[source].exit = Exit.BR if len(targets) == 1 else Exit.CONDBR
        return after

    def loop(self, block: int, token: str | None, depth: int) -> int:
        """A natural loop, with or without heart, and sometimes with an exit that uses the heart's token."""
        header = self.block()
        self.blocks[block].exit, self.blocks[block].targets = Exit.BR, [header]
        inner = None
        if token is not None and self.random.random() < self.hearts:
            inner = self.define(header, Kind.LOOP, token)
        elif self.random.random() < 0.3:
            inner = self.define(header, Kind.ANCHOR)
        leave = None
        if self.room >= 3 and self.random.random() < 0.4:
            leave, body = self.block(), self.block()
            self.operations(header, inner)
            self.blocks[header].exit, self.blocks[header].targets = Exit.CONDBR, [leave, body]
            latch = self.sequence(body, inner, depth - 1) if depth > 0 else body
        else:
            latch = self.sequence(header, inner, depth - 1) if depth > 0 else header
            self.operations(latch, inner)
        after = self.block() if self.room else None
        targets = [header] if after is None else [header, after]
        self.blocks[latch].exit = Exit.BR if after is None else Exit.CONDBR
        self.blocks[latch].targets = targets
        if after is not None and self.random.random() < 0.15:
            self.blocks[latch].exit = Exit.CALLBR
            self.blocks[latch].last = self.operation(inner)
        if leave is not None:
            self.operations(leave, inner)
            self.blocks[leave].exit = Exit.RET
            if after is not None and self.random.random() < 0.8:
                self.blocks[leave].exit, self.blocks[leave].targets = Exit.BR, [after]
        return latch if after is None else after


def structured(random: Random) -> Function:
    builder = _Builder(random, density=random.choice((0.3, 0.5, 0.6)), hearts=random.choice((1.0, 0.9, 0.5)))
    start = random.random()
    token = None
    if start < 0.85:
        token = builder.define(0, Kind.ENTRY if start < 0.55 else Kind.ANCHOR)
    end = builder.sequence(0, token, 3)
    if not builder.blocks[end].targets:
        builder.blocks[end].exit = random.choice(ENDS)
    while random.random() < 0.15 and builder.room:
        _dead_block(builder, random)
    if random.random() < 0.04 and builder.room >= 2 and builder.names:
        _dead_cycle(builder, random)
    function = Function(builder.blocks)
    if random.random() < 0.3:
        shuffle(function, random)
    return finish(function)


def _dead_block(builder: _Builder, random: Random) -> None:
    """A block that nothing reaches, with anything in it."""
    dead = builder.block()
    names = [f"t{k}" for k in range(builder.names)]
    for _ in range(random.choice((0, 1, 2))):
        choice = random.random()
        if names and choice < 0.4:
            builder.blocks[dead].items.append(builder.operation(random.choice(names)))
        elif names and choice < 0.7:
            names.append(builder.define(dead, Kind.LOOP, random.choice(names)))
        else:
            names.append(builder.define(dead, Kind.ANCHOR))
    builder.blocks[dead].exit = Exit.BR
    builder.blocks[dead].targets = [random.randrange(1, dead + 1)]


def _dead_cycle(builder: _Builder, random: Random) -> None:
    """An unreachable cycle of two blocks with a heart each: there everything dominates everything, so that
    the rules about two uses can be broken alone. Its tokens come from the function or from two more
    unreachable blocks, neither of which is on every path to the cycle."""
    outer = [f"t{k}" for k in range(builder.names)]
    dead = (builder.block(), builder.block())
    if builder.room >= 2 and random.random() < 0.5:
        sources = (builder.block(), builder.block())
        outer = [builder.define(source, Kind.ANCHOR) for source in sources]
        for source in sources:
            builder.blocks[source].exit, builder.blocks[source].targets = Exit.BR, [random.choice(dead)]
    for one, other in (dead, dead[::-1]):
        builder.define(one, Kind.LOOP, random.choice(outer))
        builder.blocks[one].exit, builder.blocks[one].targets = Exit.BR, [other]
