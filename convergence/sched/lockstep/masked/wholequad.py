"""Whole quad mode: helper lanes take part in derivatives and are off when something is stored.

After *Exec masks in LLVM*. A quad is four lanes in a row. "The exec mask needs to be turned on for pixels
that are not really covered",
so that neighbours have values to take differences of; "there are times when helper pixels absolutely must be
disabled". Quads without a covered lane stay off.
"""

from __future__ import annotations

from collections.abc import Collection

from ....ir.calls import DERIVATIVE, callee_name
from ....ir.instructions import AtomicRMW, CallSite, CmpXchg, Instruction, Store
from ....ir.module import Function, Module
from ..policy import Mask

STORES = (Store, AtomicRMW, CmpXchg)
QUAD = 0b1111


def stores(instruction: Instruction) -> bool:
    """Whether helper lanes must be off for it."""
    return isinstance(instruction, STORES)


def whole_quads(mask: Mask) -> Mask:
    """``s_wqm_b64``: all lanes of each quad with a lane in the mask.

    >>> f"{whole_quads(0b0000_0010_0000_0001):b}"
    '111100001111'
    """
    lanes, quad = 0, 0
    while mask >> quad:
        if mask >> quad & QUAD:
            lanes |= QUAD << quad
        quad += 4
    return lanes


def covered_lanes(covered: Collection[int], first: int, size: int) -> Mask:
    """The mask of the covered threads in the wave of ``size`` lanes that begins at thread ``first``."""
    return sum(1 << t - first for t in set(covered) if first <= t < first + size)


def derives(module: Module, function: str) -> bool:
    """Whether a function, or one that it may call, takes a derivative."""
    names: set[str] = set()
    work = [function]
    while work:
        name = work.pop()
        if name in names:
            continue
        names.add(name)
        body = module.functions.get(name)
        if DERIVATIVE.fullmatch(name):
            return True
        for instruction in body.instructions if body is not None else ():
            if isinstance(instruction, CallSite) and (callee := callee_name(instruction)) is not None:
                work.append(callee)
    return False


class Quads:
    """What whole quad mode adds to a function's code: around each store ``s_mov_b64`` to save exec,
    ``s_and_b64`` with the covered lanes and ``s_mov_b64`` back. ``on``: whether it is on at all."""

    def __init__(self, function: Function, on: bool) -> None:
        self.function, self.on = function, on

    def around_stores(self, block: int) -> list[str]:
        """The operations that the stores of a block need."""
        if not self.on:
            return []
        count = sum(map(stores, self.function.blocks[block].instructions))
        return ["s_mov_b64", "s_and_b64", "s_mov_b64"] * count
