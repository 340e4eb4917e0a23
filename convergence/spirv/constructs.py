"""Constructs of structured control flow: which blocks belong to which loop or selection.

SPIR-V, *Structured Control Flow*. Membership is by structural dominance: dominance in the graph whose edges
are branches and, besides, those from a header to its merge block and to its continue target.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..frozen import dataclass
from ..ir.cfg import Dominators, dominators, graph
from .module import SPIRVBlock, SPIRVFunction


@dataclass(frozen=True, slots=True)
class Construct:
    """What a merge instruction in block ``header`` declares: a loop with its ``continue_target``, or a
    selection, which is a ``switch`` where OpSwitch ends the header. ``outer`` is the innermost construct
    around it."""

    header: str
    merge: str
    continue_target: str | None
    switch: bool
    outer: Construct | None

    @property
    def is_loop(self) -> bool:
        """Whether it is a loop, its continue construct included."""
        return self.continue_target is not None

    @property
    def loop(self) -> Construct | None:
        """The innermost loop that it is or lies in."""
        at: Construct | None = self
        while at is not None and not at.is_loop:
            at = at.outer
        return at

    def around(self) -> tuple[Construct, ...]:
        """It and the constructs around it, innermost first."""
        constructs: list[Construct] = []
        at: Construct | None = self
        while at is not None:
            constructs.append(at)
            at = at.outer
        return tuple(constructs)


@dataclass(frozen=True, slots=True)
class ConstructTree:
    """The constructs of a function. ``of`` gives the innermost construct of each reachable block: a header
    of a selection belongs to the construct around it, as its operations stand before the branch; a loop's
    header belongs to the loop. ``headed`` are constructs by header."""

    blocks: Mapping[str, SPIRVBlock]
    place: Mapping[str, int]
    dominators: Dominators
    of: Mapping[str, Construct | None]
    headed: Mapping[str, Construct]
    reachable: frozenset[str]

    def dominates(self, a: str, b: str) -> bool:
        """Whether block ``a`` structurally dominates block ``b``."""
        return self.dominators.dominates(self.place[a], self.place[b])


def targets(block: SPIRVBlock) -> tuple[str, ...]:
    """Where structural edges lead: to the merge block and continue target, then to the successors."""
    declared = (
        ()
        if block.merge is None
        else tuple(block.merge.id(n) for n in range(2 if block.merge.op == "OpLoopMerge" else 1))
    )
    return tuple(dict.fromkeys((*declared, *block.successors)))


def reached(body: SPIRVFunction) -> frozenset[str]:
    """The blocks that branches lead to from the entry block."""
    by_label = {b.label: b for b in body.blocks}
    labels: set[str] = set()
    work = [body.blocks[0].label] if body.blocks else []
    while work:
        label = work.pop()
        if label not in labels:
            labels.add(label)
            work += by_label[label].successors
    return frozenset(labels)


def structure(body: SPIRVFunction) -> ConstructTree:
    """The constructs of a function that has blocks."""
    blocks = {b.label: b for b in body.blocks}
    names = list(blocks)
    place = {label: n for n, label in enumerate(names)}
    edges = [[place[t] for t in targets(blocks[label])] for label in names]
    tree = dominators(graph(names, edges))
    order = sorted((n for n in range(len(names)) if tree.enter[n] >= 0), key=lambda n: tree.enter[n])
    of: dict[str, Construct | None] = {}
    inside: dict[str, Construct | None] = {}
    headed: dict[str, Construct] = {}
    merges: dict[str, Construct] = {}
    for n in order:
        label = names[n]
        block = blocks[label]
        if (left := merges.get(label)) is not None:
            around = left.outer
        elif tree.idom[n] < 0:
            around = None
        else:
            around = inside[names[tree.idom[n]]]
        of[label] = inside[label] = around
        if block.merge is None:
            continue
        loop = block.merge.op == "OpLoopMerge"
        construct = Construct(
            label,
            block.merge.id(0),
            block.merge.id(1) if loop else None,
            block.terminator.op == "OpSwitch",
            around,
        )
        headed[label] = inside[label] = construct
        merges.setdefault(construct.merge, construct)
        if loop:
            of[label] = construct
    return ConstructTree(blocks, place, tree, of, headed, reached(body))


def shared_cases(shape: ConstructTree, values: Callable[[str], frozenset[int] | None]) -> frozenset[str]:
    """The blocks where cases begin that several values of a selector lead to, or that a case before falls
    through to. Merge blocks are none. ``values`` are those that a selector may have, ``None``: any."""
    labels: set[str] = set()
    for construct in shape.headed.values():
        if not construct.switch:
            continue
        header = shape.blocks[construct.header]
        t = header.terminator
        cases = {t.number(n): t.id(n + 1) for n in range(2, len(t.operands), 2)}
        known = values(t.id(0))
        ways = [cases.get(v, t.id(1)) for v in known] if known is not None else [t.id(1), *cases.values()]
        for target in dict.fromkeys((t.id(1), *cases.values())):
            if target == construct.merge or shape.of.get(target) != construct:
                continue
            falls = any(
                target in shape.blocks[label].successors
                for label in shape.reachable
                if label != construct.header
            )
            by_any = known is None and target == t.id(1)
            if by_any or ways.count(target) > 1 or falls:
                labels.add(target)
    return frozenset(labels)
