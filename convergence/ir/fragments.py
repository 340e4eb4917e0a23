"""Fragments of matrices, as NVPTX's ``wmma`` has them: which elements a lane of a warp holds.

PTX ISA, *Warp Level Matrix Multiply-Accumulate Instructions using wmma*, which leaves open which they are: a
program may only load, multiply and store fragments, and do to all elements alike. Here a matrix is dealt row
by row, the first lane getting the first elements.
"""

from __future__ import annotations

import re
from typing import NamedTuple

WARP = 32
"""Lanes that hold a matrix together."""
WMMA_ACCESS = re.compile(
    r"llvm\.nvvm\.wmma\.(m\d+n\d+k\d+)\.(load|store)\.([abcd])\.(row|col)(\.stride)?\.(\w+?)(?:\.p\d+)?"
)
"""Loads and stores of fragments: the shape, which, of which matrix, how it lies in memory, whether an operand
says how far its rows or columns are apart, and the kind of its elements."""
WMMA_PRODUCT = re.compile(
    r"llvm\.nvvm\.wmma\.(m\d+n\d+k\d+)\.mma\.(?:row|col)\.(?:row|col)\.(\w+)(?:\.(f16|f32))?(\.satfinite)?"
)
"""Products: the shape, the kind of A's and B's elements, or, of halves, those of D's and C's, and whether
what is too large is clamped."""
ELEMENT_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s8": 8, "u8": 8, "s32": 32}
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_HALVES = 16
"""How many halves of A and B a lane holds, whatever the shape: some are in several lanes."""


class Fragment(NamedTuple):
    """A matrix of so many ``rows`` and ``columns``, of which each lane ``holds`` some elements."""

    rows: int
    columns: int
    holds: int

    def place(self, lane: int, number: int) -> tuple[int, int]:
        """Row and column of a lane's element."""
        return divmod((lane * self.holds + number) % (self.rows * self.columns), self.columns)


def fragment(shape: str, matrix: str, kind: str) -> Fragment | None:
    """The fragment of matrix ``a``, ``b``, ``c`` or ``d`` of a product's shape, ``m16n16k16``; ``None`` for
    one that lanes do not share evenly."""
    sizes = _SHAPE.fullmatch(shape)
    if sizes is None or kind not in ELEMENT_BITS:
        return None
    m, n, k = map(int, sizes.groups())
    rows, columns = {"a": (m, k), "b": (k, n)}.get(matrix, (m, n))
    if (rows * columns) % WARP:
        return None
    count = _HALVES if kind == "f16" and matrix in "ab" else rows * columns // WARP
    return Fragment(rows, columns, count)
