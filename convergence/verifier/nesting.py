"""Which token is innermost where: the live token with the deepest definition, at each use.

One pass over the tokens, deepest definition first. A token's region is walked backwards from its uses to
its definition; each point is owned by the first token that comes to it. A region that is met on the
way is left by one jump to its definition: going backwards, nothing else leads out of it, and what is
inside already has a deeper owner. Jumps are compressed (union-find), so the whole is about linear in
blocks, edges and uses, however deep the nest.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from ..diagnostics import Diagnostic, Severity, Witness
from ..frozen import dataclass
from ..ir.cfg import Point, Region, convergence_region
from ..rules import Rule, VerifierDifference
from . import wording
from .facts import FunctionFacts, Use, reach_all
from .wording import CONVERGENCE, SHARED, defined_here, overlooked

# ----------------------------------------------------------------------------------------------------------
# What LLVM 22.1's verifier makes of nesting: replayed, so that a fault it overlooks can say so.
#
# LLVM passes over the blocks once in reverse postorder with a stack of live tokens per block, pops on each
# use what lies above the used token, and intersects the stacks where edges meet. A back edge and a second
# entry of an irreducible cycle come too late to be seen (GenericConvergenceVerifierImpl.h, ``verify``).
# ----------------------------------------------------------------------------------------------------------


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


# -- Our diagnostics beside what LLVM 22.1's verifier says of the same module
# LLVM stops at the first fault of an instruction and has one message where we have several rules, so the
# comparison is by module: who rejects it, and whether every message and every diagnostic is accounted
# for.

_DUMP = re.compile(
    r"[\s%@!;#<{\[]|(?:declare|define|attributes|source_filename|target|ret|br|switch|label|metadata|token|void"
    r"|ptr|i\d+|half|bfloat|float|double|fp128|x86_fp80|ppc_fp128|x86_amx) |depth=\d|target\("
)
"""How the lines begin that LLVM prints below a message: the values that it is about."""


def messages(lines: Iterable[str]) -> tuple[str, ...]:
    """LLVM's messages alone, in order: of texts of one or many lines, without the values printed below."""
    return tuple(
        line.rstrip()
        for text in lines
        for line in text.splitlines()
        if line.strip() and not _DUMP.match(line)
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    """What LLVM and we say of one module.

    ``agreed``: our errors in a module that LLVM rejects for a fault of convergence control as well.
    ``differences``: our errors that LLVM is known to miss; each has its ``difference``.
    ``unexplained``: our errors that LLVM should have seen, and did not: a fault of ours or unknown of LLVM's.
    ``other``: LLVM's messages about anything but convergence control.
    ``unmatched``: LLVM's messages about convergence control that no error of ours accounts for.
    """

    agreed: tuple[Diagnostic, ...]
    differences: tuple[Diagnostic, ...]
    unexplained: tuple[Diagnostic, ...]
    other: tuple[str, ...]
    unmatched: tuple[str, ...]

    @property
    def is_consistent(self) -> bool:
        """Whether LLVM and we differ in known ways only."""
        return not self.unexplained and not self.unmatched


def compare_with_llvm(diagnostics: Iterable[Diagnostic], llvm_messages: Iterable[str]) -> Comparison:
    """Sort our diagnostics and LLVM's messages into what agrees and what does not."""
    errors = [d for d in diagnostics if d.severity is Severity.ERROR]
    broken = {d.rule for d in errors}
    llvm_words = messages(llvm_messages)
    accounted = [message for message in llvm_words if _accounts(message, broken)]
    unmatched = [m for m in llvm_words if m in CONVERGENCE and m not in accounted]
    rejects = bool(accounted or unmatched)
    without = [d for d in errors if d.difference is None]
    return Comparison(
        agreed=tuple(without) if rejects else (),
        differences=tuple(d for d in errors if d.difference is not None),
        unexplained=() if rejects else tuple(without),
        other=tuple(m for m in llvm_words if m not in accounted and m not in CONVERGENCE),
        unmatched=tuple(unmatched),
    )


def _accounts(message: str, broken: set[Rule]) -> bool:
    rules = CONVERGENCE.get(message, ()) or SHARED.get(message, ())
    return not broken.isdisjoint(rules)


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
    if facts.cycles.is_reducible:
        return None
    return VerifierDifference.IRREDUCIBLE_NESTING
