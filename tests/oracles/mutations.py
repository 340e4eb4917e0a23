"""Small random changes, one each: how single rules get broken alone. What they leave is to be finished."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .arbitrary import random_item
from .finish import ENDS
from .model import INTEGER, NONE, Block, Exit, Function, Item, Kind, Spelling


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
    item = random_item(random, _fresh(function))
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
