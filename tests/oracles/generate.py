"""Random functions for the static rules: seeded and fast, or drawn by hypothesis so that they shrink.

Three shapes in turn. *Structured*: sequences, branches, loops with and without hearts, breaks into extended
loops, anchors, written so that they obey the rules. *Mutated*: the same with one to three random changes,
which is how single rules get broken alone. *Arbitrary*: any CFG, with tokens drawn mostly from what dominates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from .model import INTEGER, NONE, Block, Exit, Function, Item, Kind, Spelling

MOST_BLOCKS = 8
ENDS = (Exit.RET, Exit.UNREACHABLE)
UNCONTROLLED = (Spelling.CONVERGENT, Spelling.CALL_SITE, Spelling.INTRINSIC, Spelling.INDIRECT_CONVERGENT)
QUIET = (Spelling.PLAIN, Spelling.INDIRECT, Spelling.ALIAS)


def random_function(random: Random) -> Function:
    """One random function that LLVM parses."""
    shape = random.random()
    if shape < 0.25:
        return _structured(random)
    if shape < 0.7:
        function = _structured(random)
        for _ in range(random.choice((1, 1, 1, 1, 2, 3))):
            random.choice(MUTATIONS)(function, random)
        return finish(function)
    return _arbitrary(random)


def random_functions(seed: int, count: int) -> list[Function]:
    """``count`` functions from one seed."""
    random = Random(seed)
    return [random_function(random) for _ in range(count)]


# Structured functions.


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
        while self.random.random() < self.density:
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
            elif choice < 0.85 and self.room >= 2:
                block = self.loop(block, token, depth)
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


def _structured(random: Random) -> Function:
    builder = _Builder(random, density=random.choice((0.3, 0.5, 0.6)), hearts=random.choice((1.0, 0.9, 0.5)))
    start = random.random()
    token = None
    if start < 0.85:
        token = builder.define(0, Kind.ENTRY if start < 0.55 else Kind.ANCHOR)
    end = builder.sequence(0, token, 3)
    if not builder.blocks[end].targets:
        builder.blocks[end].exit = random.choice(ENDS)
    if random.random() < 0.1 and builder.room:
        _dead_block(builder, random)
    function = Function(builder.blocks)
    if random.random() < 0.3:
        shuffle(function, random)
    return finish(function)


def _dead_block(builder: _Builder, random: Random) -> None:
    """A block that nothing reaches, with anything in it."""
    dead = builder.block()
    names = [f"t{k}" for k in range(builder.names)]
    for _ in range(random.choice((0, 1, 2))):
        if names and random.random() < 0.7:
            builder.blocks[dead].items.append(builder.operation(random.choice(names)))
        else:
            names.append(builder.define(dead, Kind.ANCHOR))
    builder.blocks[dead].exit = Exit.BR
    builder.blocks[dead].targets = [random.randrange(1, dead + 1)]


# Arbitrary functions.


def _arbitrary(random: Random) -> Function:
    count = random.choice((1, 2, 3, 4, 5, 6, 7, 8, 4, 5, 6))
    forward = random.choice((0.3, 0.6, 0.8, 0.95))
    blocks = [Block() for _ in range(count)]
    for index, block in enumerate(blocks):
        _random_exit(random, blocks, index, forward)
        for position in range(random.choice((0, 0, 1, 1, 2))):
            block.items.append(_random_item(random, f"t{index}{position}"))
    function = Function(blocks, convergent=random.random() < 0.97)
    if random.random() < 0.6:
        blocks[0].items.insert(0, Item(random.choice((Kind.ENTRY, Kind.ANCHOR)), "t"))
    _bind(random, function)
    return finish(function)


def _random_exit(random: Random, blocks: list[Block], index: int, forward: float) -> None:
    block, count = blocks[index], len(blocks)

    def target() -> int:
        if index + 1 < count and random.random() < forward:
            return random.randrange(index + 1, count)
        return random.randrange(1, count)

    block.last = None
    block.targets = []
    if count == 1 or (index and random.random() < 0.15):
        block.exit = random.choice(ENDS)
        return
    block.exit = random.choice(
        (Exit.BR,) * 4 + (Exit.CONDBR,) * 6 + (Exit.SWITCH, Exit.INVOKE, Exit.CALLBR)
    )
    arity = {Exit.BR: 1, Exit.SWITCH: random.choice((2, 3))}.get(block.exit, 2)
    block.targets = [target() for _ in range(arity)]
    if block.exit in (Exit.INVOKE, Exit.CALLBR):
        block.last = _random_item(random, "", Kind.CALL)


def _random_item(random: Random, name: str, kind: Kind | None = None) -> Item:
    """An item whose token is not chosen yet: ``("?",)`` stands for it."""
    if kind is None:
        kind = random.choice((Kind.CALL,) * 5 + (Kind.ANCHOR, Kind.LOOP, Kind.LOOP, Kind.LOOP))
        if random.random() < 0.02:
            kind = random.choice((Kind.FOREIGN, Kind.ENTRY))
    match kind:
        case Kind.LOOP:
            return Item(kind, name, () if random.random() < 0.02 else (("?",),))
        case Kind.ANCHOR | Kind.ENTRY:
            return Item(kind, name, (("?",),) if random.random() < 0.02 else ())
        case Kind.CALL:
            if random.random() < 0.04:
                return Item(kind, spelling=random.choice(UNCONTROLLED))
            if random.random() < 0.15:
                return Item(kind, spelling=random.choice(QUIET))
            spelling = random.choice(QUIET if random.random() < 0.25 else UNCONTROLLED)
            bundles: tuple[tuple[str, ...], ...] = (("?",),)
            if random.random() < 0.02:
                bundles = random.choice(((("?", "?"),), (("?",), ("?",)), ((),), ((INTEGER,),), ((NONE,),)))
            return Item(kind, bundles=bundles, spelling=spelling)
        case Kind.FOREIGN | Kind.PHI:
            return Item(kind, name)


def _reached(function: Function, without: int) -> set[int]:
    seen, todo = {0}, [0]
    if without == 0:
        return set()
    while todo:
        for target in function.blocks[todo.pop()].targets:
            if target != without and target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def _bind(random: Random, function: Function) -> None:
    """Choose tokens for ``?``: mostly one whose definition comes first on every path, rarely any."""
    names = [
        (item.token, index, position)
        for index, block in enumerate(function.blocks)
        for position, item in enumerate(block.items)
        if item.token is not None
    ]
    live = _reached(function, -1)
    cut = {index: _reached(function, index) for index in {n[1] for n in names}}
    for index, block in enumerate(function.blocks):
        for position, item in enumerate(block.all_items):
            if not any("?" in bundle for bundle in item.bundles):
                continue
            before = [
                name
                for name, b, p in names
                if (b == index and p < position) or (b != index and (index not in live or index not in cut[b]))
            ]
            if before and random.random() < 0.98:
                # The innermost ones are the last in text order more often than not.
                choose: Callable[[], str] = lambda: before[-1] if random.random() < 0.5 else random.choice(before)
            elif names and random.random() < 0.1:
                choose = lambda: random.choice(names)[0]
            else:
                item.bundles = ()
                if item.kind is Kind.CALL:
                    item.spelling = random.choice(QUIET)
                elif item.kind is Kind.LOOP:
                    item.kind = Kind.ANCHOR
                continue
            item.bundles = tuple(
                tuple(choose() if operand == "?" else operand for operand in bundle) for bundle in item.bundles
            )


# Mutations: one small change each. They leave functions that LLVM parses once `finish` has run.


def _some_item(function: Function, random: Random, used: bool = False) -> tuple[Block, Item] | None:
    all_items = [(b, i) for b in function.blocks for i in b.all_items if i.bundles or not used]
    return random.choice(all_items) if all_items else None


def _tokens(function: Function) -> list[str]:
    return [i.token for b in function.blocks for i in b.items if i.token is not None]


def _fresh(function: Function) -> str:
    names = set(_tokens(function))
    return next(name for k in range(len(names) + 1) if (name := f"n{k}") not in names)


def _redirect(function: Function, random: Random) -> None:
    with_edges = [b for b in function.blocks if b.targets]
    if with_edges:
        block = random.choice(with_edges)
        slot = random.randrange(len(block.targets))
        block.targets[slot] = random.randrange(1, len(function.blocks))


def _add_edge(function: Function, random: Random) -> None:
    block = random.choice(function.blocks)
    if len(function.blocks) > 1 and block.exit in (*ENDS, Exit.BR):
        block.targets.append(random.randrange(1, len(function.blocks)))
        block.exit = Exit.BR if len(block.targets) == 1 else Exit.CONDBR


def _other_token(function: Function, random: Random) -> None:
    if (found := _some_item(function, random, used=True)) and (names := _tokens(function)):
        found[1].bundles = ((random.choice(names),),)


def _move(function: Function, random: Random) -> None:
    blocks = [b for b in function.blocks if b.items]
    if blocks:
        source, target = random.choice(blocks), random.choice(function.blocks)
        item = source.items.pop(random.randrange(len(source.items)))
        target.items.insert(random.randint(0, len(target.items)), item)


def _drop(function: Function, random: Random) -> None:
    """Take an item out; uses of its token go to another token."""
    blocks = [b for b in function.blocks if b.items]
    if blocks:
        block = random.choice(blocks)
        block.items.pop(random.randrange(len(block.items)))


def _insert(function: Function, random: Random) -> None:
    names = _tokens(function)
    item = _random_item(random, _fresh(function))
    block = random.choice(function.blocks)
    block.items.insert(random.randint(0, len(block.items)), item)
    if names:
        item.bundles = tuple(
            tuple(random.choice(names) if o == "?" else o for o in bundle) for bundle in item.bundles
        )
    elif any("?" in bundle for bundle in item.bundles):
        item.bundles = ()


def _strip(function: Function, random: Random) -> None:
    """Take the bundle away: an operation is now uncontrolled, a loop has no token."""
    if found := _some_item(function, random, used=True):
        found[1].bundles = ()


def _respell(function: Function, random: Random) -> None:
    if (found := _some_item(function, random)) and found[1].kind is Kind.CALL:
        found[1].spelling = random.choice(list(Spelling))


def _malform(function: Function, random: Random) -> None:
    found = _some_item(function, random, used=True)
    if found and (names := _tokens(function)):
        one, two = random.choice(names), random.choice(names)
        found[1].bundles = random.choice(
            (((one, two),), ((one,), (two,)), ((),), ((INTEGER,),), ((NONE,),), ((one, INTEGER),))
        )


def _give_token(function: Function, random: Random) -> None:
    """A bundle for an item that has none: entry and anchor included."""
    found = _some_item(function, random)
    if found and not found[1].bundles and (names := _tokens(function)) and found[1].kind is not Kind.PHI:
        if found[1].kind is not Kind.FOREIGN:
            found[1].bundles = ((random.choice(names),),)


def _foreign(function: Function, random: Random) -> None:
    """A token of another intrinsic, defined first of all, for one of the uses."""
    name = _fresh(function)
    if found := _some_item(function, random, used=True):
        found[1].bundles = ((name,),)
        function.blocks[0].items.insert(0, Item(Kind.FOREIGN, name))


def _phi(function: Function, random: Random) -> None:
    """A phi of tokens, used or not."""
    targets = sorted({t for b in function.blocks for t in b.targets})
    if targets:
        name = _fresh(function)
        if (found := _some_item(function, random, used=True)) and random.random() < 0.5:
            found[1].bundles = ((name,),)
        function.blocks[random.choice(targets)].items.insert(0, Item(Kind.PHI, name))


def _not_convergent(function: Function, random: Random) -> None:
    function.convergent = False


def _second_entry(function: Function, random: Random) -> None:
    block = function.blocks[0] if random.random() < 0.5 else random.choice(function.blocks)
    block.items.insert(random.randint(0, len(block.items)), Item(Kind.ENTRY, _fresh(function)))


def _swap(function: Function, random: Random) -> None:
    blocks = [b for b in function.blocks if len(b.targets) == 2]
    if blocks:
        random.choice(blocks).targets.reverse()


MUTATIONS: tuple[Callable[[Function, Random], None], ...] = (
    (_redirect,) * 8 + (_add_edge,) * 4 + (_other_token,) * 7 + (_move,) * 6 + (_drop,) * 2 + (_insert,) * 6
    + (_strip, _strip, _respell, _malform, _give_token, _foreign, _phi, _not_convergent, _second_entry, _swap)
)  # fmt: skip


# Finishing: what LLVM's parser and its verifier's other rules insist on.


def shuffle(function: Function, random: Random) -> None:
    """Another text order of the blocks after the entry block."""
    order = list(range(1, len(function.blocks)))
    random.shuffle(order)
    order.insert(0, 0)
    place = {old: new for new, old in enumerate(order)}
    function.blocks[:] = [function.blocks[old] for old in order]
    for block in function.blocks:
        block.targets = [place[t] for t in block.targets]


def finish(function: Function) -> Function:
    """Repair what is no matter of the static rules: dangling names, phis, landing pads."""
    for block in function.blocks:
        if len(block.targets) == 1 and block.exit in (Exit.CONDBR, Exit.SWITCH, Exit.INVOKE, Exit.CALLBR):
            block.exit, block.last = Exit.BR, None
        if block.exit in ENDS:
            block.targets = []
        if block.exit not in (Exit.INVOKE, Exit.CALLBR):
            block.last = None
        if block.last is not None and block.last.spelling is Spelling.INTRINSIC:
            block.last.spelling = Spelling.CONVERGENT
        if block.exit is Exit.CALLBR and block.last is not None and not block.last.spelling.convergent:
            block.last.spelling = Spelling.PLAIN
    _landing_pads(function)
    names = {i.token for b in function.blocks for i in b.items if i.token is not None}
    entered = {t for b in function.blocks for t in b.targets}
    for index, block in enumerate(function.blocks):
        phis = [i for i in block.items if i.kind is Kind.PHI and index in entered]
        block.items = phis + [i for i in block.items if i.kind is not Kind.PHI]
    kept = {i.token for b in function.blocks for i in b.items if i.token is not None}
    for block in function.blocks:
        for item in block.all_items:
            if any(o not in kept and o not in (NONE, INTEGER) for o in item.operands):
                item.bundles = ()
                if item.kind is Kind.CALL:
                    item.spelling = Spelling.PLAIN
                elif item.kind is Kind.LOOP:
                    item.kind = Kind.ANCHOR
    assert kept <= names
    return function


def _landing_pads(function: Function) -> None:
    """An unwind edge goes to a block that only unwind edges enter: other invokes become a call and a branch."""
    while True:
        normal = {
            target
            for block in function.blocks
            for slot, target in enumerate(block.targets)
            if not (block.exit is Exit.INVOKE and slot == 1)
        }
        wrong = [b for b in function.blocks if b.exit is Exit.INVOKE and b.targets[1] in normal]
        if not wrong:
            return
        for block in wrong:
            assert block.last is not None
            block.items.append(block.last)
            block.exit, block.last = Exit.CONDBR, None
