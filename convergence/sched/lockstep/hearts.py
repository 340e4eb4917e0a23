"""Where barriers can follow the tokens: at hearts, for lanes that may still come there."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir.calls import Control, control, token_used
from ...ir.cfg import Cfg
from .facts import Facts


@dataclass(frozen=True, slots=True)
class Heart:
    """A ``loop`` call in ``block``. Lanes may come to it after ``definition``, the block of its token's
    definition, for as long as they are in ``region``: where the heart can be reached without passing the
    definition again."""

    block: int
    definition: int
    region: frozenset[int]


def hearts(facts: Facts) -> tuple[Heart, ...]:
    """Every ``loop`` call of the function, in text order; none whose token is defined in its own block."""
    defined = {
        instruction.result: number
        for number, block in enumerate(facts.function.blocks)
        for instruction in block.instructions
        if control(instruction) is not None
    }
    found = []
    for number, block in enumerate(facts.function.blocks):
        for instruction in block.instructions:
            token = token_used(instruction) if control(instruction) is Control.LOOP else None
            definition = None if token is None else defined.get(token.name)
            if definition is not None and definition != number and facts.cfg.reachable[number]:
                found.append(Heart(number, definition, leading_to(facts.cfg, number, definition)))
    return tuple(found)


def leading_to(cfg: Cfg, block: int, without: int) -> frozenset[int]:
    """The reachable blocks from which ``block`` can be reached without passing ``without``; itself, too."""
    found, work = {block}, [block]
    while work:
        for before in cfg.predecessors[work.pop()]:
            if before not in found and before != without and cfg.reachable[before]:
                found.add(before)
                work.append(before)
    return frozenset(found)
