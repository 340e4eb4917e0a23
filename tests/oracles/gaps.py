"""What LLVM 22.1's verifier leaves out, each gap as a change to the question.

So a difference is explained only if granting its gap makes the verdicts equal."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from .facts import Facts, Violation
from .model import Exit, Function, Item, Kind, Spelling
from .static_rules import TEXTUAL, closed_path_rules, precedes, s_dom, s_nest


def irreducible(facts: Facts, within: set[int]) -> bool:
    """Whether some closed path has no node that dominates all others (so: no single way in)."""
    return any(
        path <= within and not any(path <= facts.dominated[node] for node in path)
        for path in facts.closed_paths
    )


def without_callbr(function: Function) -> Function:
    """The function as seen by someone who does not look at callbr."""
    result = function.copy()
    for block in result.blocks:
        if block.exit is Exit.CALLBR:
            block.last = Item(Kind.CALL, spelling=Spelling.PLAIN)
    return result


def without_unreachable(function: Function) -> Function:
    """The function for someone who checks no flow in unreachable code: there definitions stay, uses and
    edges go. (A reachable use of a token defined there is still not dominated.)"""
    result = function.copy()
    reachable = Facts(function).reachable
    for index, block in enumerate(result.blocks):
        if index not in reachable:
            block.exit, block.targets, block.last = Exit.UNREACHABLE, [], None
            for item in block.items:
                item.bundles = ()
    return result


def other_values_undominated(facts: Facts) -> list[Violation]:
    """Uses of what is no convergence token that its definition does not dominate. (To the rules they are
    broken already: S-PRODUCER.)"""
    others = {i.token: facts.defines(b, p) for b, p, i in facts.items if i.kind in (Kind.FOREIGN, Kind.PHI)}
    return [
        Violation("dominance", b, p, item.uses)
        for b, p, item in facts.items
        if item.uses in others and facts.reads(b, p) not in facts.dominated_by(others[item.uses])
    ]


def malformed_undominated(facts: Facts) -> list[Violation]:
    """Tokens in bundles that are not one token, which their definition does not dominate. (To the rules the
    bundle is broken already: S-BUNDLE.)"""
    return [
        Violation("dominance", b, p, operand)
        for b, p, item in facts.items
        if item.malformed
        for operand in item.operands
        if operand in facts.definitions and facts.reads(b, p) not in facts.dominated_points[operand]
    ]


class Weakness(NamedTuple):
    """Which of LLVM's known gaps are granted."""

    unreachable: bool = False
    callbr: bool = False
    loop_after_bundle_only: bool = False
    irreducible_nesting: bool = False


def accepted(function: Function, weakness: Weakness) -> bool:
    """Whether a function obeys the rules when the given gaps are granted.

    Dominance is a rule for every value, so that LLVM sees a callbr's operand and any intrinsic's token there,
    and no phi may give a token anywhere.
    """
    controlled = without_callbr(function) if weakness.callbr else function
    text, flow, dominance = Facts(controlled), Facts(controlled), Facts(function)
    if weakness.unreachable:
        flow, dominance = Facts(without_unreachable(controlled)), Facts(without_unreachable(function))
    broken = [v for rule in TEXTUAL for v in rule(text)]
    broken += precedes(text, Kind.LOOP, "S-LOOP-FIRST", by_bundle=not weakness.loop_after_bundle_only)
    broken += s_dom(dominance)
    if weakness.callbr:
        broken += other_values_undominated(dominance) + malformed_undominated(dominance)
    broken += closed_path_rules(flow)
    granted = weakness.irreducible_nesting and irreducible(flow, flow.reachable)
    broken += [v for v in s_nest(flow) if not (granted and v.block in flow.reachable)]
    return not broken


def gaps(function: Function) -> frozenset[str]:
    """The fewest of LLVM's gaps that, granted, have a broken function accepted; empty if none do."""
    names = Weakness._fields
    for count in range(1, len(names) + 1):
        for chosen in combinations(names, count):
            if accepted(function, Weakness(**dict.fromkeys(chosen, True))):
                return frozenset(chosen)
    return frozenset()
