"""The search for closed paths in one function: it keeps what it found, and knows when to stop."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import chain

from ..diagnostics import Diagnostic, Severity, SpanLabel, Witness
from ..rules import Rule
from . import wording
from .facts import (
    Closed,
    Crossing,
    FunctionFacts,
    Inside,
    SearchBudget,
    Use,
    closed_path_through,
    reach,
    shortest_closed_path,
    shortest_path,
)
from .wording import defined_here, overlooked

# ----------------------------------------------------------------------------------------------------------
# Crossing uses: the uses of a token that a closed path passes without passing its definition.
#
# All closed-path rules speak of them only. In a closed path blocks are the nodes, so a use whose block
# also holds the definition never crosses. Let D be the definition's block, U the use's.
#
# A closed path through U that avoids D exists iff U lies on an edge inside the strongly connected
# component S of U in the CFG without D. Where D dominates U (always, in valid reachable code), S is
# the largest cycle of *any* cycle hierarchy that contains U but not D: D dominates all of S, so by
# LLVM's *Cycle Terminology* (*Closed Paths and Cycles*, 2) some cycle contains S and not D; each such
# cycle is strongly connected without D, so it lies in S. That makes the usual question one look-up.
# ----------------------------------------------------------------------------------------------------------


def crossings(facts: FunctionFacts) -> tuple[Crossing, ...]:
    """The crossing uses of a function in text order."""
    if facts.crossings is None:
        candidates = (crossing(facts, use) for use in facts.uses)
        facts.crossings = tuple(item for item in candidates if item is not None)
    return facts.crossings


def crossing(facts: FunctionFacts, use: Use) -> Crossing | None:
    """How a use crosses, or ``None`` if every closed path through it passes the definition."""
    if use.block == use.home:
        return None
    if facts.is_reachable(use.block) and use.is_dominated:
        forest = facts.cycles
        cycle = forest.outermost_without(use.block, use.home)
        if cycle is None:
            return None
        return Crossing(use, lambda block: forest.contains(cycle, block), cycle.index, cycle)
    component = _component(facts, use)
    if use.block not in component:
        return None
    return Crossing(use, component.__contains__, ("component", min(component)), None)


def _component(facts: FunctionFacts, use: Use) -> set[int]:
    """The strongly connected component of the use in the CFG without the definition, empty without an
    edge inside; found from scratch, for uses that break S-DOM or are unreachable."""
    cfg = facts.cfg
    alike = cfg.reachable[use.block]  # no closed path leaves the unreachable blocks and returns

    def allowed(block: int) -> bool:
        return block != use.home and cfg.reachable[block] == alike

    after = reach(cfg.successors, use.block, allowed)
    return reach(cfg.predecessors, use.block, after.__contains__) if use.block in after else set()


def heart_fault(facts: FunctionFacts, item: Crossing) -> int | None:
    """A predecessor of the use, in its component, that the use does not dominate; ``None`` if the use
    dominates every block of every closed path of S-HEART-DOM.

    If U does not dominate some block of S, an entry path to that block and on, inside S, to U reaches
    U's last predecessor there without passing U. So one look at the predecessors decides.
    """
    if item.cycle is not None and item.cycle.is_reducible and item.cycle.header == item.block:
        return None
    return next(
        (
            block
            for block in facts.cfg.predecessors[item.block]
            if item.inside(block) and not facts.dominators.dominates(item.block, block)
        ),
        None,
    )


class ByPlace:
    """Crossing uses sorted by the cycles that they are in, so that those inside of one are a slice."""

    def __init__(self, facts: FunctionFacts, items: Iterable[Crossing]) -> None:
        self._rank = facts.cycles.rank
        self._span = facts.cycles.span
        regular = [item for item in items if facts.is_reachable(item.block)]
        self._items = sorted(regular, key=lambda item: self._rank(item.block))
        self._ranks = [self._rank(item.block) for item in self._items]
        self._elsewhere = [item for item in items if not facts.is_reachable(item.block)]
        self._run_ends = [0] * len(self._items)  # where the run of uses of one token ends
        for at in range(len(self._items) - 1, -1, -1):
            same = at + 1 < len(self._items) and self._items[at].use.token == self._items[at + 1].use.token
            self._run_ends[at] = self._run_ends[at + 1] if same else at + 1

    def inside(self, item: Crossing) -> Iterator[Crossing]:
        """Those that are inside the item's component and use another token."""
        at, end = 0, len(self._items)
        if item.cycle is not None:
            first, last = self._span(item.cycle)
            at, end = bisect_left(self._ranks, first), bisect_left(self._ranks, last)
        while at < end:
            other = self._items[at]
            if other.use.token == item.use.token:
                at = self._run_ends[at]
                continue
            if item.inside(other.block):
                yield other
            at += 1
        for other in self._elsewhere:
            if other.use.token != item.use.token and item.inside(other.block):
                yield other


class PathSearch:
    """Finds closed paths of one function, and offers those that it found again where they serve.

    A loop of thousands of blocks with thousands of misplaced uses has as many paths of that length. So
    there is an ``allowance`` of block visits for all witnesses of a function; after that the paths that
    are known to exist are left empty.
    """

    def __init__(self, facts: FunctionFacts) -> None:
        self.facts = facts
        self.edges = facts.cfg.successors
        self.effort = SearchBudget(400_000)
        self.allowance = SearchBudget(2_000_000)
        self._paths: dict[Hashable, list[tuple[tuple[int, ...], frozenset[int]]]] = defaultdict(list)
        self._pairs: dict[tuple[int, int], Closed | None] = {}
        self._witnesses: dict[tuple[int, ...], Witness] = {}

    @property
    def is_tired(self) -> bool:
        """Whether the allowance is used up: what is found from now on need not be the best."""
        return self.allowance.remaining <= 0

    def witness(self, closed: Closed, use: Use) -> Witness:
        """A closed path or walk as the witness of a violation by ``use``; one for equal paths."""
        if not closed.blocks:
            return Witness("instruction", (self.facts.block_name(use.block),))
        if closed.blocks not in self._witnesses:
            kind = "closed-path" if closed.is_path else "closed-walk"
            self._witnesses[closed.blocks] = Witness(kind, self.facts.names(closed.blocks))
        return self._witnesses[closed.blocks]

    def _keep(self, item: Crossing, path: tuple[int, ...]) -> tuple[int, ...]:
        known = self._paths[item.use.token, item.key]
        known.insert(0, (path, frozenset(path)))
        del known[3:]
        return path

    def known_path(self, item: Crossing, *blocks: int, avoided: int = -1) -> tuple[int, ...] | None:
        """A path found before for the item's token and component that passes its block and these."""
        for path, members in self._paths[item.use.token, item.key]:
            if item.block in members and all(b in members for b in blocks) and avoided not in members:
                self.allowance.remaining -= len(path)
                return path
        return None

    def through(self, item: Crossing) -> tuple[int, ...]:
        """A closed path through a crossing use without the definition: there is one."""
        if self.is_tired:
            return ()
        if (path := self.known_path(item)) is not None:
            return path
        path = shortest_closed_path(self.edges, item.block, item.inside, self.allowance)
        assert path is not None
        return self._keep(item, path)

    def around(self, item: Crossing, last: int) -> tuple[int, ...]:
        """A closed path through the use and a block that it does not dominate, such as ``last``."""
        if self.is_tired:
            return ()
        if item.cycle is not None and item.cycle.is_reducible:  # a use elsewhere does not dominate the header
            if (path := self.known_path(item, item.cycle.header)) is not None:
                return path
        path = shortest_path(self.edges, item.block, last, item.inside, self.allowance)
        assert path is not None
        return self._keep(item, path)

    def shared(self, crossing: Crossing, two: Crossing) -> Closed | None:
        """A closed path through two crossing uses without either definition.

        Their components must contain each other's block.
        """
        if (path := self.known_path(crossing, two.block, avoided=two.use.home)) is not None:
            return Closed(path, True)
        if self.is_tired and crossing.cycle is not None and two.cycle is not None:
            return Closed((), crossing.block == two.block)  # the smaller cycle is at least a closed walk
        homes = (crossing.use.home, two.use.home)
        inside: Inside = lambda b: b not in homes and crossing.inside(b) and two.inside(b)  # noqa: E731
        if crossing.block == two.block:
            path = shortest_closed_path(self.edges, crossing.block, inside, self.allowance)
            return None if path is None else Closed(self._keep(crossing, path), True)
        pair = (min(id(crossing), id(two)), max(id(crossing), id(two)))
        if pair not in self._pairs:
            efforts = (self.effort, self.allowance)
            closed = closed_path_through(self.edges, crossing.block, two.block, inside, *efforts)
            self._pairs[pair] = closed
            if closed is not None and closed.is_path:
                self._keep(crossing, closed.blocks)
        return self._pairs[pair]


# -- Rules about closed paths: S-CYCLE-USE, S-CYCLE-TWICE, S-CYCLE-TWO, S-HEART-DOM (COS, *Closed Paths*)
# Each rule is decided by its sentence, for closed paths with distinct inner nodes, not for cycles. For
# S-CYCLE-USE and S-HEART-DOM that is the same (see ``crossings``). The two rules about pairs need a
# closed path through two given blocks. Where both uses are in one block, any closed path through it will
# do. In different blocks of reachable code one of them breaks S-HEART-DOM as well: each would have to
# dominate the other. So a valid function has no such pair, pairs are searched only where S-HEART-DOM is
# broken or code is unreachable, and only there the verdict can depend on an exact search (``paths``).


def closed_paths(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """The four rules about closed paths."""
    all_crossings = crossings(facts)
    if all_crossings:
        faults = {
            id(item): block for item in all_crossings if (block := heart_fault(facts, item)) is not None
        }
        search = PathSearch(facts)
        yield from s_cycle_use(facts, all_crossings, search)
        yield from s_cycle_twice(facts, all_crossings, search)
        yield from s_cycle_two(facts, all_crossings, faults, search)
        yield from s_heart_dom(facts, all_crossings, faults, search)


def s_cycle_use(
    facts: FunctionFacts, crossings: tuple[Crossing, ...], search: PathSearch
) -> Iterator[Diagnostic]:
    """A closed path with a use of T other than by ``loop`` contains T's definition."""
    for item in crossings:
        if not item.use.by_loop:
            use = item.use
            yield _error(
                search,
                Rule.S_CYCLE_USE,
                use,
                f"{use.user.name} uses %{use.token} in a cycle that does not contain its definition",
                search.through(item),
                labels=(defined_here(use.definition), *_header(facts, item)),
                llvm=wording.CYCLE_USE,
                help=f"call loop with %{use.token} in the cycle's header and use the token of that call",
                others=(),
            )


def s_cycle_twice(
    facts: FunctionFacts, crossings: tuple[Crossing, ...], search: PathSearch
) -> Iterator[Diagnostic]:
    """A closed path with two different uses of T contains T's definition."""
    together: dict[tuple[str, Hashable], list[Crossing]] = defaultdict(list)
    for item in crossings:
        together[item.use.token, item.key].append(item)

    def candidates(item: Crossing) -> Iterable[Crossing]:
        return together[item.use.token, item.key]

    for item, other, closed in _pairs(facts, crossings, candidates, search):
        use = item.use
        yield _error(
            search,
            Rule.S_CYCLE_TWICE,
            use,
            f"{use.user.name} and {other.use.user.name} both use %{use.token} "
            f"on {_subject(closed)} that does not contain its definition",
            closed,
            labels=(
                SpanLabel(other.use.span, "the other use"),
                defined_here(use.definition),
                *_header(facts, item),
            ),
            llvm=wording.CYCLE_TWO,
            help=f"keep one loop call with %{use.token}, in the cycle's header, and use that token",
            others=(other.use,),
        )


def s_cycle_two(
    facts: FunctionFacts, crossings: tuple[Crossing, ...], faults: dict[int, int], search: PathSearch
) -> Iterator[Diagnostic]:
    """A closed path with uses of two tokens contains at least one of the definitions."""
    # A use that keeps S-HEART-DOM pairs with others in its block and with such as break it, only.
    strange = {id(item) for item in crossings if id(item) in faults or item.cycle is None}
    hearts: dict[Hashable, list[Crossing]] = defaultdict(list)
    for item in crossings:
        if id(item) not in strange:
            hearts[item.key].append(item)
    everything = ByPlace(facts, crossings)
    irregular = ByPlace(facts, [item for item in crossings if id(item) in strange])

    def candidates(item: Crossing) -> Iterable[Crossing]:
        if id(item) in strange:
            near = everything.inside(item)
        else:
            near = chain(
                (other for other in hearts[item.key] if other.use.token != item.use.token),
                irregular.inside(item),
            )
        return (other for other in near if other.inside(item.block))

    for item, other, closed in _pairs(facts, crossings, candidates, search):
        use = item.use
        yield _error(
            search,
            Rule.S_CYCLE_TWO,
            use,
            f"{use.user.name} uses %{use.token} and {other.use.user.name} uses %{other.use.token} "
            f"on {_subject(closed)} that contains neither definition",
            closed,
            labels=(
                SpanLabel(other.use.span, f"the use of %{other.use.token}"),
                defined_here(use.definition),
                defined_here(other.use.definition),
            ),
            llvm=wording.CYCLE_TWO,
            help="let one cycle have one heart: only one token may come into it from outside",
            others=(other.use,),
        )


def s_heart_dom(
    facts: FunctionFacts, crossings: tuple[Crossing, ...], faults: dict[int, int], search: PathSearch
) -> Iterator[Diagnostic]:
    """On a closed path with a use U of T but not T's definition, U dominates every node."""
    for item in crossings:
        if id(item) in faults:
            last = faults[id(item)]
            use = item.use
            yield _error(
                search,
                Rule.S_HEART_DOM,
                use,
                f"{use.user.name} uses %{use.token} on a closed path without its definition, "
                f"but %{facts.block_name(last)} on that path can be reached around {use.user.name}",
                search.around(item, last),
                labels=(
                    defined_here(use.definition),
                    SpanLabel(facts.head(last), f"%{facts.block_name(last)} is not dominated by it"),
                ),
                llvm=wording.HEART,
                help="put the loop call in the header of a natural loop"
                if item.cycle is None or item.cycle.is_reducible
                else "make the cycle reducible and put the loop call in its header",
                others=(),
            )


def _pairs(
    facts: FunctionFacts,
    items: Iterable[Crossing],
    candidates: Callable[[Crossing], Iterable[Crossing]],
    search: PathSearch,
) -> Iterator[tuple[Crossing, Crossing, Closed]]:
    """Each item whose use shares with a candidate's a closed path without either definition, with the first
    such candidate; preferred are established paths, then uses that LLVM sees too."""
    for item in items:
        hidden = overlooked(facts, item.use) is not None
        best: tuple[tuple[bool, bool], Crossing, Closed] | None = None
        for other in candidates(item):
            closed = search.shared(item, other) if other is not item else None
            if closed is not None:
                rank = (closed.is_path, hidden or overlooked(facts, other.use) is None)
                if best is None or rank > best[0]:
                    best = (rank, other, closed)
                if rank == (True, True) or search.is_tired:
                    break
        if best is not None:
            yield item, best[1], best[2]


def _subject(closed: Closed) -> str:
    if closed.is_path or not closed.blocks:
        return "a closed path" if closed.is_path else "a closed walk"
    return "a closed walk (whether also a closed path was not established: the search was cut off)"


def _header(facts: FunctionFacts, item: Crossing) -> tuple[SpanLabel, ...]:
    if item.cycle is None:
        return ()
    header = item.cycle.header
    return (SpanLabel(facts.head(header), f"the cycle's header %{facts.block_name(header)}"),)


def _error(
    search: PathSearch,
    rule: Rule,
    use: Use,
    message: str,
    witness: Closed | tuple[int, ...],
    *,
    labels: tuple[SpanLabel, ...],
    llvm: str,
    help: str,
    others: tuple[Use, ...],
) -> Diagnostic:
    closed = witness if isinstance(witness, Closed) else Closed(witness, True)
    return Diagnostic(
        rule=rule,
        severity=Severity.ERROR,
        function=search.facts.function.name,
        span=use.span,
        message=message,
        witness=search.witness(closed, use),
        labels=labels,
        llvm_text=llvm,
        help=help,
        difference=overlooked(search.facts, use, *others),
    )
