"""Random functions of any shape, with tokens drawn mostly from what dominates."""

from __future__ import annotations

from random import Random

from .finish import ENDS, finish
from .model import INTEGER, NONE, Block, Exit, Function, Item, Kind, Spelling

UNCONTROLLED = (Spelling.CONVERGENT, Spelling.CALL_SITE, Spelling.INTRINSIC, Spelling.INDIRECT_CONVERGENT)
QUIET = (Spelling.PLAIN, Spelling.INDIRECT, Spelling.ALIAS)


def arbitrary(random: Random) -> Function:
    count = random.choice((1, 2, 3, 4, 5, 6, 7, 8, 4, 5, 6))
    forward = random.choice((0.3, 0.6, 0.8, 0.95))
    blocks = [Block() for _ in range(count)]
    for index, block in enumerate(blocks):
        _random_exit(random, blocks, index, forward)
        for position in range(random.choice((0, 0, 1, 1, 2))):
            block.items.append(random_item(random, f"t{index}{position}"))
    function = Function(blocks, convergent=random.random() < 0.97)
    if random.random() < 0.6:
        blocks[0].items.insert(0, Item(random.choice((Kind.ENTRY, Kind.ANCHOR)), "t"))
    bind(random, function)
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
    block.exit = random.choice((Exit.BR,) * 4 + (Exit.CONDBR,) * 6 + (Exit.SWITCH, Exit.INVOKE, Exit.CALLBR))
    arity = {Exit.BR: 1, Exit.SWITCH: random.choice((2, 3))}.get(block.exit, 2)
    block.targets = [target() for _ in range(arity)]
    if block.exit in (Exit.INVOKE, Exit.CALLBR):
        block.last = random_item(random, "", Kind.CALL)


def random_item(random: Random, name: str, kind: Kind | None = None) -> Item:
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


def bind(random: Random, function: Function) -> None:
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
                if (p < position if b == index else index not in live or index not in cut[b])
            ]
            if before and random.random() < 0.98:
                choice = before  # the innermost are the last in text order more often than not
            elif names and random.random() < 0.1:
                choice = [name for name, _, _ in names]
            else:
                item.bundles = ()
                if item.kind is Kind.CALL:
                    item.spelling = random.choice(QUIET)
                elif item.kind is Kind.LOOP:
                    item.kind = Kind.ANCHOR
                continue
            item.bundles = tuple(
                tuple(_pick(random, choice) if o == "?" else o for o in bundle) for bundle in item.bundles
            )


def _pick(random: Random, names: list[str]) -> str:
    return names[-1] if random.random() < 0.5 else random.choice(names)
