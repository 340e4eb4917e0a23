"""Which token is innermost where: the live token with the deepest definition, at each use.

One pass over the tokens, deepest definition first. A token's region is walked backwards from its uses to
its definition; each point is owned by the first token that comes to it. A region that is met on the
way is left by one jump to its definition: going backwards, nothing else leads out of it, and what is
inside already has a deeper owner. Jumps are compressed (union-find), so the whole is about linear in
blocks, edges and uses, however deep the nest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from ..diagnostics import Diagnostic, Severity, Witness
from ..ir.cfg import Point
from ..ir.regions import Region, convergence_region
from ..rules import Rule, VerifierDifference
from . import wording
from .facts import FunctionFacts, Use
from .llvm import nesting_faults
from .paths import reach_all
from .wording import defined_here, overlooked


def innermost_live(facts: FunctionFacts, tokens: Mapping[str, list[Use]]) -> Iterator[tuple[Use, str]]:
    """Each use with the name of the innermost token that is live at it, for the given tokens only.

    All uses must be reachable and dominated by their definitions.
    """
    if not any(tokens.values()):
        return
    net = _Net(facts, tokens)
    enter = facts.dominators.enter
    deepest_first = sorted(
        (token for token, uses in tokens.items() if uses),
        key=lambda token: (
            -enter[facts.definitions[token].point.block],
            -facts.definitions[token].point.position,
        ),
    )
    for token in deepest_first:
        net.claim(token, tokens[token])
    for uses in tokens.values():
        for use in uses:
            yield use, net.owner[net.node[use.point]]


class _Net:
    """Nodes are the points at block starts and before each definition or use; edges lead backwards."""

    def __init__(self, facts: FunctionFacts, tokens: Mapping[str, list[Use]]) -> None:
        cfg = facts.cfg
        points = {use.point for uses in tokens.values() for use in uses}
        self.definition = {token: facts.definitions[token].point for token in tokens}
        points.update(self.definition.values())
        within: dict[int, list[int]] = defaultdict(list)
        for point in points:
            within[point.block].append(point.position)
        self.node: dict[tuple[int, int], int] = {}
        size = len(cfg)  # nodes 0 .. size-1 are the block starts
        last = list(range(size))
        self.back: list[tuple[int, ...] | list[int]] = [()] * size
        for block, positions in within.items():
            for position in sorted(positions):
                node = len(self.back)
                self.back.append((last[block],))
                self.node[block, position] = node
                last[block] = node
        for block in cfg.rpo:
            self.back[block] = [last[p] for p in cfg.predecessors[block] if cfg.reachable[p]]
        self.owner: list[str] = [""] * len(self.back)
        self.jump = list(range(len(self.back)))

    def _find(self, node: int) -> int:
        root = node
        while self.jump[root] != root:
            root = self.jump[root]
        while self.jump[node] != root:
            self.jump[node], node = root, self.jump[node]
        return root

    def claim(self, token: str, uses: list[Use]) -> None:
        """Make the token the owner of all points of its region that have none yet."""
        home = self.node[self.definition[token]]
        todo = [self.node[use.point] for use in uses]
        while todo:
            node = self._find(todo.pop())
            if node == home:
                continue
            self.owner[node] = token
            self.jump[node] = home
            todo.extend(before for before in self.back[node] if before != home)


# -- S-NEST: convergence regions are nested (COS, *Convergence Regions*)


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
    seen_by_llvm = use.point in llvm or any(other.point in llvm for other in tokens[token])
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
        difference=None
        if seen_by_llvm
        else _why_llvm_is_silent(facts, use, tokens[token], regions.of(token)),
    )


def _why_llvm_is_silent(
    facts: FunctionFacts, use: Use, uses: list[Use], region: Region
) -> VerifierDifference | None:
    """Which of the known gaps hides this fault: that of the use, else of what makes the region reach it.

    ``None`` in a reducible CFG: there LLVM misses nothing but what comes over a back edge, and that breaks a
    rule about closed paths, which LLVM reports.
    """
    if (gap := overlooked(facts, use)) is not None:
        return gap
    visible = [other.point for other in uses if overlooked(facts, other) is None]
    region_seen = convergence_region(facts.cfg, facts.dominators, region.definition, visible)
    if not region_seen.contains(use.point):
        hidden = (overlooked(facts, other) for other in uses)
        return next(gap for gap in hidden if gap is not None)
    if all(cycle.is_reducible for cycle in facts.cycles.all):
        return None
    return VerifierDifference.IRREDUCIBLE_NESTING
