"""The control flow graph of a function: blocks by number, edges, reachability, orders.

A block is its index in ``Function.blocks``; ``names`` gives the text's name for it. An edge that
a terminator spells twice (``switch``) is one edge; edges keep the order of the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..frozen import dataclass
from .instructions import successors
from .module import Function


class Point(NamedTuple):
    """The program point just before the instruction at ``position`` (from 0) in ``block``."""

    block: int
    position: int


@dataclass(frozen=True, slots=True)
class Cfg:
    """A CFG whose entry is block 0.

    ``preorder`` and ``rpo`` (reverse postorder) list the reachable blocks as one depth-first
    search finds them that takes successors in text order; ``reachable`` has a flag per block.
    ``lengths`` are the numbers of instructions per block.
    """

    names: tuple[str, ...]
    successors: tuple[tuple[int, ...], ...]
    predecessors: tuple[tuple[int, ...], ...]
    lengths: tuple[int, ...]
    preorder: tuple[int, ...]
    rpo: tuple[int, ...]
    reachable: tuple[bool, ...]
    index: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.names)


def build_cfg(function: Function) -> Cfg:
    """The CFG of a definition.

    :raises ValueError: for a terminator that names a block which the function lacks (LLVM rejects
        such text, so this cannot come from a file that it accepted).
    """
    blocks = function.blocks
    index = {block.name: number for number, block in enumerate(blocks)}
    try:
        edges = [
            tuple(dict.fromkeys(index[name] for name in successors(block.instructions[-1])))
            if block.instructions
            else ()
            for block in blocks
        ]
    except KeyError as missing:
        raise ValueError(f"@{function.name} has no block %{missing.args[0]}") from None
    return graph([block.name for block in blocks], edges, [len(block.instructions) for block in blocks])


def graph(names: Sequence[str], edges: Sequence[Sequence[int]], lengths: Sequence[int] | None = None) -> Cfg:
    """A CFG from bare edges: ``edges[b]`` are the successors of block ``b``, without repetition."""
    predecessors: list[list[int]] = [[] for _ in names]
    for source, targets in enumerate(edges):
        for target in targets:
            predecessors[target].append(source)
    preorder, postorder = depth_first(edges) if names else ([], [])
    reachable = [False] * len(names)
    for block in preorder:
        reachable[block] = True
    return Cfg(
        names=tuple(names),
        successors=tuple(map(tuple, edges)),
        predecessors=tuple(map(tuple, predecessors)),
        lengths=tuple(lengths) if lengths is not None else (1,) * len(names),
        preorder=tuple(preorder),
        rpo=tuple(reversed(postorder)),
        reachable=tuple(reachable),
        index={name: number for number, name in enumerate(names)},
    )


def depth_first(edges: Sequence[Sequence[int]], backwards: bool = False) -> tuple[list[int], list[int]]:
    """Preorder and postorder of a depth-first search from block 0.

    It takes successors in text order, or last first when ``backwards``.
    """
    visited = [False] * len(edges)
    visited[0] = True
    preorder, postorder = [0], []
    step = -1 if backwards else 1
    stack = [(0, iter(edges[0][::step]))]
    while stack:
        block, rest = stack[-1]
        for successor in rest:
            if not visited[successor]:
                visited[successor] = True
                preorder.append(successor)
                stack.append((successor, iter(edges[successor][::step])))
                break
        else:
            postorder.append(block)
            stack.pop()
    return preorder, postorder
