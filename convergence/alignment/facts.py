"""What the controlled maximal relation asks of a function's blocks, from its cycles and regions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from ..ir.calls import control, is_convergent, token_used
from ..ir.cfg import Point, build_cfg
from ..ir.cycles import Order, cycles
from ..ir.dominators import dominators
from ..ir.module import Function, Module
from ..ir.regions import convergence_region
from .controlled import BlockFacts, FactsOf


def block_facts(module: Module, function: Function, search: Order = Order.TEXT) -> Mapping[str, BlockFacts]:
    """The facts of each block, for the cycle hierarchy that ``search`` gives."""
    cfg = build_cfg(function)
    forest = cycles(cfg, search)
    tokens = _tokens(function)
    facts: dict[str, BlockFacts] = {}
    held: defaultdict[int, list[int]] = defaultdict(list)
    if tokens:
        tree = dominators(cfg)
        for index, (definition, uses) in sorted(tokens.items()):
            for at, (first, last) in convergence_region(cfg, tree, definition, uses).spans.items():
                if first <= 0 < last:
                    held[at].append(index)
    for number, block in enumerate(function.blocks):
        around = tuple(forest.around(number))
        facts[block.name] = BlockFacts(
            cycles=tuple(cycle.index for cycle in reversed(around)),
            heads=around[0].index if around and around[0].header == number else None,
            tokens=tuple(held[number]),
            operations=sum(is_convergent(module, instruction) for instruction in block.instructions),
        )
    return facts


def _tokens(function: Function) -> Mapping[int, tuple[Point, list[Point]]]:
    """Per token definition, by its index among the function's instructions, where it stands and is used."""
    definitions: dict[str, tuple[int, Point]] = {}
    uses: defaultdict[str, list[Point]] = defaultdict(list)
    index = 0
    for number, block in enumerate(function.blocks):
        for position, instruction in enumerate(block.instructions):
            if control(instruction) is not None and instruction.result is not None:
                definitions[instruction.result] = (index, Point(number, position))
            if (token := token_used(instruction)) is not None:
                uses[token.name].append(Point(number, position))
            index += 1
    return {index: (point, uses[name]) for name, (index, point) in definitions.items() if name in uses}


def facts_of(module: Module, search: Order = Order.TEXT) -> FactsOf:
    """The facts of a module's functions, each worked out when it is first asked for."""

    @cache
    def of(function: str) -> Mapping[str, BlockFacts]:
        return block_facts(module, module.functions[function], search)

    return of
