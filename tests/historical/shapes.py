"""Where in its function an operation stands: the shapes on which compilers break convergence."""

from __future__ import annotations

from collections import Counter

from tests.historical.text import Block, Function, convergent_functions, operations, read


def shapes(text: str) -> Counter[str]:
    """How many operations of a program stand in each kind of place; one may stand in several."""
    program = read(text)
    convergent = convergent_functions(program)
    counts: Counter[str] = Counter()
    for function in program.functions:
        cycles = [(header, {b.name for b in body}) for header, body, _ in function.loops()]
        for block in function.blocks:
            number = sum(1 for _ in operations(block, convergent))
            for place in kinds(function, block, cycles) if number else ():
                counts[place] += number
            if function.name != "main":
                counts["in a callee"] += number
            counts["all"] += number
    return counts


def _goes_on(function: Function, header: Block, target: str, names: set[str]) -> bool:
    """Whether a block in which several ways of an iteration end goes on with the next one."""
    here = [b for b in function.predecessors(target) if b.name in names]
    return target in names and header.name in function.block(target).targets and len(here) > 1


def kinds(function: Function, block: Block, cycles: list[tuple[Block, set[str]]]) -> list[str]:
    """The kinds of places that a block is."""
    said = []
    before = function.predecessors(block.name)
    for header, names in cycles:
        if block.name in names:
            said.append("in a loop")
            if header.name in block.targets:
                said.append("in a latch")
            elif len(block.targets) == 1 and _goes_on(function, header, block.targets[0], names):
                said.append("in a continue block")
        elif before and all(b.name in names for b in before):
            exits = sum(b.name in names and any(t not in names for t in b.targets) for b in function.blocks)
            if exits > 1:
                said.append("in a break block")
    for switch in (b for b in function.blocks if b.end.strip().startswith("switch")):
        cases = set(switch.targets)
        if block.name in cases and (len(before) > 1 or cases & set(block.targets)):
            said.append("in a case that falls through, or is fallen into")
    if len(before) == 1 and len(before[0].targets) > 1:
        said.append("in an arm")
    if len(before) > 1:
        said.append("in a join")
    return list(dict.fromkeys(said))
