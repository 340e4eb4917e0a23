"""The static rules S-* decided by brute force, one function per rule, straight from their sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .facts import Facts, Use, Violation
from .model import CONTROL, Function, Kind


def s_bundle(facts: Facts) -> Iterator[Violation]:
    """A bundle holds exactly one operand, of type token; at most one such bundle on a call."""
    for b, p, item in facts.items:
        if item.malformed:
            yield Violation("S-BUNDLE", b, p)


def s_producer(facts: Facts) -> Iterator[Violation]:
    """That token is the result of a direct call to entry, loop or anchor."""
    for b, p, item in facts.items:
        if item.uses is not None and item.uses not in facts.definitions:
            yield Violation("S-PRODUCER", b, p, item.uses)


def s_entry_fn(facts: Facts) -> Iterator[Violation]:
    """entry only in a convergent function."""
    for b, p, item in facts.items:
        if item.kind is Kind.ENTRY and not facts.function.convergent:
            yield Violation("S-ENTRY-FN", b, p)


def s_entry_block(facts: Facts) -> Iterator[Violation]:
    """entry only in the entry block, at most once in a function."""
    count = 0
    for b, p, item in facts.items:
        if item.kind is Kind.ENTRY:
            count += 1
            if b != 0 or count > 1:
                yield Violation("S-ENTRY-BLOCK", b, p)


def precedes(facts: Facts, kind: Kind, rule: str, by_bundle: bool) -> Iterator[Violation]:
    """Items of one kind with a convergent operation above them in their block; ``by_bundle``: one that is
    convergent by its bundle alone counts, too."""
    for b, p, item in facts.items:
        if item.kind is kind:
            above = facts.function.blocks[b].items[:p]
            if any(i.convergent or (by_bundle and i.bundles) for i in above):
                yield Violation(rule, b, p)


def s_entry_first(facts: Facts) -> Iterator[Violation]:
    """No convergent operation before entry in its block."""
    yield from precedes(facts, Kind.ENTRY, "S-ENTRY-FIRST", by_bundle=True)


def s_loop_first(facts: Facts) -> Iterator[Violation]:
    """No convergent operation before loop in its block."""
    yield from precedes(facts, Kind.LOOP, "S-LOOP-FIRST", by_bundle=True)


def s_loop_token(facts: Facts) -> Iterator[Violation]:
    """loop must have a token; entry and anchor must not."""
    for b, p, item in facts.items:
        wrong = not item.bundles if item.kind is Kind.LOOP else bool(item.bundles)
        if wrong and item.kind in CONTROL:
            yield Violation("S-LOOP-TOKEN", b, p)


def s_mix(facts: Facts) -> Iterator[Violation]:
    """Control and uncontrolled convergent operations never in one function."""
    controlled = any(item.kind in CONTROL or item.bundles for _, _, item in facts.items)
    for b, p, item in facts.items:
        if controlled and item.kind is Kind.CALL and item.convergent and not item.bundles:
            yield Violation("S-MIX", b, p)


def s_dom(facts: Facts) -> Iterator[Violation]:
    """A token's definition dominates its uses; tokens do not pass through phi."""
    for b, p, item in facts.items:
        if item.kind is Kind.PHI:
            yield Violation("S-DOM", b, p, item.incoming)
    for use in facts.uses:
        if facts.reads(use.block, use.position) not in facts.dominated_points[use.token]:
            yield Violation("S-DOM", use.block, use.position, use.token)


def _outside(facts: Facts, path: frozenset[int]) -> list[Use]:
    """The uses on a closed path of tokens that are not defined on it."""
    return [u for u in facts.uses if u.block in path and facts.definitions[u.token][0] not in path]


def cycle_use(facts: Facts, path: frozenset[int]) -> Iterator[Use]:
    """A closed path with a use of T other than by loop contains T's definition."""
    for use in _outside(facts, path):
        if facts.item(use.block, use.position).kind is not Kind.LOOP:
            yield use


def cycle_twice(facts: Facts, path: frozenset[int]) -> Iterator[Use]:
    """A closed path with two different uses of T contains T's definition."""
    outside = _outside(facts, path)
    for use in outside:
        if any(other != use and other.token == use.token for other in outside):
            yield use


def cycle_two(facts: Facts, path: frozenset[int]) -> Iterator[Use]:
    """A closed path with uses of two tokens contains at least one of the definitions."""
    outside = _outside(facts, path)
    for use in outside:
        if any(other.token != use.token for other in outside):
            yield use


def heart_dom(facts: Facts, path: frozenset[int]) -> Iterator[Use]:
    """On a closed path with a use U of T but not T's definition, U dominates every node."""
    for use in _outside(facts, path):
        if not path <= facts.dominated[use.block]:
            yield use


CLOSED_PATHS = {
    "S-CYCLE-USE": cycle_use,
    "S-CYCLE-TWICE": cycle_twice,
    "S-CYCLE-TWO": cycle_two,
    "S-HEART-DOM": heart_dom,
}


def breaks_on_path(facts: Facts, rule: str, path: frozenset[int]) -> Iterator[Violation]:
    """Violations of a closed-path rule on one closed path."""
    for use in CLOSED_PATHS[rule](facts, path):
        yield Violation(rule, use.block, use.position, use.token)


def closed_path_rules(facts: Facts) -> Iterator[Violation]:
    if facts.uses:
        for path in facts.closed_paths:
            for rule in CLOSED_PATHS:
                yield from breaks_on_path(facts, rule, path)


def s_nest(facts: Facts) -> Iterator[Violation]:
    """A convergence region that contains a use of T2 contains T2's definition."""
    for _, broken in facts.nesting:
        yield from broken


TEXTUAL: tuple[Callable[[Facts], Iterator[Violation]], ...] = (
    s_bundle,
    s_producer,
    s_entry_fn,
    s_entry_block,
    s_entry_first,
    s_loop_token,
    s_mix,
)
"""The rules that look at no flow; S-LOOP-FIRST apart."""


def violations(function: Function) -> frozenset[Violation]:
    """Every violation of every rule in one function."""
    facts = Facts(function)
    if not any(item.bundles or item.kind in (*CONTROL, Kind.PHI) for _, _, item in facts.items):
        return frozenset()
    rules = (*TEXTUAL, s_loop_first, s_dom, closed_path_rules, s_nest)
    return frozenset(v for rule in rules for v in rule(facts))


def broken_rules(function: Function) -> frozenset[str]:
    """The ids of the rules that a function breaks."""
    return frozenset(v.rule for v in violations(function))
