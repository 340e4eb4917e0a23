"""S-NEST: convergence regions are nested (COS, *Convergence Regions*)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..diagnostics import Diagnostic, Severity, Witness
from ..ir.cfg import Point
from ..ir.regions import Region, convergence_region
from ..rules import Difference, Rule
from . import wording
from .facts import FunctionFacts, Use
from .innermost import innermost_live
from .llvm_nesting import nesting_faults
from .make import defined_here, overlooked
from .paths import reach_all


def s_nest(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """A convergence region that contains a use of T2 contains T2's definition.

    Regular tokens have all their uses in reachable code and dominated by the definition. The regular
    tokens live at a regular use of T2 have definitions on one chain of the dominator tree, so the rule
    holds there iff T2's is the deepest of them, which ``innermost_live`` finds for all uses in about
    linear time. Where a token is irregular, regions are compared one by one.
    """
    tokens: dict[str, list[Use]] = defaultdict(list)
    for use in facts.uses:
        tokens[use.token].append(use)
    regular = {
        token: uses
        for token, uses in tokens.items()
        if all(facts.is_reachable(use.block) and use.is_dominated for use in uses)
    }
    faults: dict[Use, str] = {}  # the use and the token whose region it is in, outside of T2's definition
    for use, token in innermost_live(facts, regular):
        if token != use.token:
            faults[use] = token
    regions = _Regions(facts, tokens)
    if len(regular) < len(tokens):
        for use, token in _irregular_faults(facts, tokens, regular, regions):
            faults.setdefault(use, token)
    if faults:
        llvm = nesting_faults(facts)
        for use in sorted(faults, key=lambda use: use.point):
            yield _error(facts, use, faults[use], tokens, regions, llvm)


class _Regions:
    """The regions of a function's tokens and their witnesses, computed when asked for and kept."""

    def __init__(self, facts: FunctionFacts, tokens: dict[str, list[Use]]) -> None:
        self.facts = facts
        self.tokens = tokens
        self._regions: dict[str, Region] = {}
        self._witnesses: dict[str, Witness] = {}

    def of(self, token: str) -> Region:
        if token not in self._regions:
            facts = self.facts
            uses = [use.point for use in self.tokens[token]]
            definition = facts.definitions[token].point
            self._regions[token] = convergence_region(facts.cfg, facts.dominators, definition, uses)
        return self._regions[token]

    def witness(self, token: str) -> Witness:
        if token not in self._witnesses:
            self._witnesses[token] = Witness("region", self.facts.names(self.of(token).blocks))
        return self._witnesses[token]


def _irregular_faults(
    facts: FunctionFacts, tokens: dict[str, list[Use]], regular: dict[str, list[Use]], regions: _Regions
) -> Iterator[tuple[Use, str]]:
    """Faults in which an irregular token takes part, by the sentence of the rule.

    A regular token counts if one of its uses can be reached from a use of an irregular token.
    """
    odd = {use.block for token in tokens if token not in regular for use in tokens[token]}
    reached = reach_all(facts.cfg.successors, odd)
    by_block: dict[int, list[Use]] = defaultdict(list)
    for use in facts.uses:
        by_block[use.block].append(use)
    for token, uses in tokens.items():
        if token in regular and not any(use.block in reached for use in uses):
            continue
        region = regions.of(token)
        for block in region.spans:
            for use in by_block[block]:
                if use.token != token and region.contains(use.point):
                    if not region.contains_definition(use.definition.point):
                        yield use, token


def _error(
    facts: FunctionFacts,
    use: Use,
    token: str,
    tokens: dict[str, list[Use]],
    regions: _Regions,
    llvm: set[Point],
) -> Diagnostic:
    definition = facts.definitions[token]
    seen = use.point in llvm or any(other.point in llvm for other in tokens[token])
    return Diagnostic(
        rule=Rule.S_NEST,
        severity=Severity.ERROR,
        function=facts.function.name,
        span=use.span,
        message=f"{use.user.name} uses %{use.token} inside the region of %{token}, "
        f"which does not contain the definition of %{use.token}",
        witness=regions.witness(token),
        labels=(defined_here(use.definition), defined_here(definition)),
        llvm_text=wording.NESTING,
        help=f"move the uses of %{use.token} out of the region of %{token}, or use %{token} instead",
        difference=None if seen else _why_llvm_is_silent(facts, use, tokens[token], regions.of(token)),
    )


def _why_llvm_is_silent(facts: FunctionFacts, use: Use, uses: list[Use], region: Region) -> Difference | None:
    """Which of the known gaps hides this fault: that of the use, else of what makes the region reach it.

    ``None`` in a reducible CFG: there LLVM misses nothing but what comes over a back edge, and that breaks a
    rule about closed paths, which LLVM reports.
    """
    if (gap := overlooked(facts, use)) is not None:
        return gap
    visible = [other.point for other in uses if overlooked(facts, other) is None]
    seen = convergence_region(facts.cfg, facts.dominators, region.definition, visible)
    if not seen.contains(use.point):
        hidden = (overlooked(facts, other) for other in uses)
        return next(gap for gap in hidden if gap is not None)
    if all(cycle.is_reducible for cycle in facts.cycles.all):
        return None
    return Difference.IRREDUCIBLE_NESTING
