"""CFGs for the tests: by hand as edge lists, or random."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from convergence.ir.cfg import Cfg, graph


def cfg_of(edges: Sequence[Sequence[int]]) -> Cfg:
    """A CFG with blocks ``b0``, ``b1``, ..."""
    return graph([f"b{number}" for number in range(len(edges))], edges)


def random_cfgs(seed: int, count: int, most: int = 11) -> Iterator[Cfg]:
    """Small CFGs, many irreducible or partly unreachable; nothing branches to the entry, as in LLVM."""
    rng = random.Random(seed)
    for _ in range(count):
        size = rng.randint(1, most)
        edges = [
            list(dict.fromkeys(rng.randrange(1, size) for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3]))))
            if size > 1
            else []
            for _ in range(size)
        ]
        yield cfg_of(edges)


def reached(cfg: Cfg, without: int = -1) -> set[int]:
    """The blocks on paths from the entry that avoid one block."""
    seen: set[int] = set()
    todo = [0] if without != 0 else []
    while todo:
        block = todo.pop()
        if block not in seen:
            seen.add(block)
            todo.extend(b for b in cfg.successors[block] if b != without)
    return seen


NEST_DEPTH = 4000


def deep_nest(depth: int = NEST_DEPTH) -> Cfg:
    """``depth`` loops inside each other: headers 1 .. depth, then their latches, innermost first."""
    down = [[block + 1] for block in range(depth + 1)]
    latches = [[depth - at, depth + 2 + at] for at in range(depth)]
    return cfg_of([*down, *latches, []])
