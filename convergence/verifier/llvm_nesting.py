"""What LLVM 22.1's verifier makes of nesting: replayed, so that a fault it overlooks can say so.

LLVM passes over the blocks once in reverse postorder with a stack of live tokens per block, pops on each
use what lies above the used token, and intersects the stacks where edges meet. A back edge and a second
entry of an irreducible cycle come too late to be seen (GenericConvergenceVerifierImpl.h, ``verify``).
"""

from __future__ import annotations

from ..ir.cfg import Point
from .facts import FunctionFacts


def nesting_faults(facts: FunctionFacts) -> set[Point]:
    """The uses that LLVM 22.1 says are not well-nested."""
    cfg, tree = facts.cfg, facts.dominators
    token_at = {use.point: use.token for use in facts.uses if not use.by_callbr}
    events: dict[int, list[tuple[Point, str | None, str | None]]] = {}
    for operation in facts.operations:
        used = token_at.get(operation.point)
        defined = operation.instruction.result if operation.control is not None else None
        if used is not None or defined is not None:
            events.setdefault(operation.point.block, []).append((operation.point, used, defined))
    stacks: dict[int, list[str]] = {}
    faults: set[Point] = set()
    for block in cfg.rpo:
        live = stacks.pop(block, [])
        for point, used, defined in events.get(block, ()):
            if used is not None:
                if used in live:
                    while live[-1] != used:
                        live.pop()
                else:
                    faults.add(point)
            if defined is not None:
                live.append(defined)
        for successor in cfg.successors[block]:
            if successor in stacks:
                _partition(stacks[successor], set(live))
            else:
                stacks[successor] = kept = []
                for token in live:
                    if not tree.dominates(facts.definitions[token].point.block, successor):
                        break
                    kept.append(token)
    return faults


def _partition(stack: list[str], keep: set[str]) -> None:
    """Keep these tokens only, in the order that ``std::partition`` leaves: it swaps from both ends."""
    first, last = 0, len(stack)
    while True:
        while first != last and stack[first] in keep:
            first += 1
        if first == last:
            break
        last -= 1
        while first != last and stack[last] not in keep:
            last -= 1
        if first == last:
            break
        stack[first], stack[last] = stack[last], stack[first]
        first += 1
    del stack[first:]
