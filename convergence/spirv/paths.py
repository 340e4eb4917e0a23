"""Where a function's invocations can have come by one way only, so that they go on together.

SPIR-V, 2.2.5, *Dynamic Instance*: invocations continue to execute the same dynamic instances as long as they
follow the same control-flow path.
"""

from __future__ import annotations

from collections.abc import Callable

from .constructs import ConstructTree
from .module import SPIRVBlock

Parts = Callable[[str, int | None], bool]
"""Whether threads leave each other in a block (at a call), before a line of it if one is given."""


def on_one_path(
    shape: ConstructTree, first: str, label: str, line: int, uniform: Callable[[str], bool], parts: Parts
) -> bool:
    """Whether all that come to a line of a block took one way since control flow was uniform: each block on
    it has one predecessor, and of a loop that it goes round in each iteration takes one way through the
    block. Cases that several values lead to are left out: an OpSwitch may part them. ``uniform``: whether
    control flow is, at a block's end."""
    before = _predecessors(shape)
    block = label
    end: int | None = line
    while True:
        if parts(block, end):
            return False
        if block == first or (block != label and uniform(block)):
            return uniform(block)
        sources = before.get(block, [])
        back = [b for b in sources if shape.dominates(block, b)]
        if back:
            if len(back) != 1 or not _goes_round(before, block, back[0], label, parts):
                return False
            sources = [b for b in sources if b not in back]
        if len(sources) != 1 or several_values(shape, sources[0], block):
            return False
        block, end = sources[0], None


def _goes_round(before: dict[str, list[str]], header: str, latch: str, label: str, parts: Parts) -> bool:
    """Whether one way leads from a loop's header to its latch, through the block ``label``."""
    block, through = latch, False
    while True:
        through = through or block == label
        if parts(block, None):
            return False
        if block == header:
            return through
        sources = before.get(block, [])
        if len(sources) != 1:
            return False
        block = sources[0]


def _predecessors(shape: ConstructTree) -> dict[str, list[str]]:
    before: dict[str, list[str]] = {}
    for label in shape.reachable:
        for target in dict.fromkeys(shape.blocks[label].successors):
            before.setdefault(target, []).append(label)
    return before


def edges(block: SPIRVBlock, target: str) -> int:
    """How many of a block's branches lead to another: of a switch one for each value, of a condition one for
    each of its values. SPIR-V's phis name a block once, and LLVM's once for each branch."""
    t = block.terminator
    match t.op:
        case "OpSwitch":
            return [t.id(1), *(t.id(n) for n in range(3, len(t.operands), 2))].count(target)
        case "OpBranchConditional":
            return [t.id(1), t.id(2)].count(target)
        case _:
            return int(target in block.successors)


def several_values(shape: ConstructTree, source: str, target: str) -> bool:
    """Whether a switch leads to a block by its default or by more than one value."""
    block = shape.blocks[source]
    t = block.terminator
    return t.op == "OpSwitch" and (t.id(1) == target or edges(block, target) > 1)
