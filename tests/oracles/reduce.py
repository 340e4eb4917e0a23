"""Make a function smaller as long as it still shows what it is kept for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .finish import finish
from .model import Block, Exit, Function, Kind, Spelling


def reduced(function: Function, interesting: Callable[[Function], bool]) -> Function:
    """A smaller function that is still interesting, no single step of which can be made smaller."""
    while True:
        for smaller in _steps(function):
            if interesting(smaller):
                function = smaller
                break
        else:
            return function


def _size(function: Function) -> tuple[int, int, int, int]:
    items = [i for b in function.blocks for i in b.all_items]
    plain = (Spelling.CONVERGENT, Spelling.PLAIN)
    unusual = sum(i.kind is Kind.CALL and i.spelling not in plain for i in items)
    exits = sum(list(Exit).index(b.exit) for b in function.blocks)
    edges = sum(len(b.targets) for b in function.blocks)
    operands = sum(len(i.bundles) + len(i.operands) for i in items)
    return len(function.blocks), edges + len(items) + operands, exits, unusual


def _steps(function: Function) -> Iterator[Function]:
    """Every function that one change makes smaller."""
    for change in _changes(function):
        candidate = function.copy()
        change(candidate)
        finish(candidate)
        if _size(candidate) < _size(function):
            yield candidate


def _changes(function: Function) -> Iterator[Callable[[Function], None]]:
    for index in range(1, len(function.blocks)):
        yield lambda f, k=index: _remove_block(f, k)  # type: ignore[misc]
    for index, block in enumerate(function.blocks):
        yield lambda f, k=index: _leave(f.blocks[k])  # type: ignore[misc]
        for slot in range(len(block.targets)):
            yield lambda f, k=index, s=slot: _only(f.blocks[k], s)  # type: ignore[misc]
        if len(block.targets) == 2 and block.exit is not Exit.CONDBR:
            yield lambda f, k=index: _branch(f.blocks[k])  # type: ignore[misc]
        for position, item in enumerate(block.items):
            yield lambda f, k=index, p=position: f.blocks[k].items.pop(p)  # type: ignore[misc]
            if item.bundles:
                yield lambda f, k=index, p=position: _bare(f.blocks[k], p)  # type: ignore[misc]
            for spelling in (Spelling.CONVERGENT, Spelling.PLAIN):
                yield lambda f, k=index, p=position, s=spelling: _spell(f.blocks[k], p, s)  # type: ignore[misc]


def _remove_block(function: Function, index: int) -> None:
    """Take a block out; edges to it go to its first successor, or away."""
    gone = function.blocks.pop(index)
    onward = [t for t in gone.targets if t != index]
    for block in function.blocks:
        targets = [(onward[0] if onward else None) if t == index else t for t in block.targets]
        block.targets = [t - (t > index) for t in targets if t is not None]
        _fit(block)


def _fit(block: Block) -> None:
    match len(block.targets):
        case 0:
            block.exit = block.exit if block.exit is Exit.UNREACHABLE else Exit.RET
        case 1:
            block.exit = Exit.BR


def _leave(block: Block) -> None:
    block.exit, block.targets = Exit.RET, []


def _only(block: Block, slot: int) -> None:
    if len(block.targets) > 2:
        block.targets.pop(slot)
    else:
        block.exit, block.targets = Exit.BR, [block.targets[slot]]


def _branch(block: Block) -> None:
    if block.last is not None:
        block.items.append(block.last)
    block.exit = Exit.CONDBR


def _bare(block: Block, position: int) -> None:
    block.items[position].bundles = ()


def _spell(block: Block, position: int, spelling: Spelling) -> None:
    block.items[position].spelling = spelling
