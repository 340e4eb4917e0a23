"""Structured control flow: its constructs, and the rules that a shader keeps, each violation with its
blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from ..frozen import dataclass
from ..ir.cfg import Dominators, dominators, graph
from ..rules import Rule
from .instruction import SPIRVInstruction
from .module import SPIRVBlock, SPIRVFunction, SPIRVModule

# ----------------------------------------------------------------------------------------------------------
# Constructs of structured control flow: which blocks belong to which loop or selection.
#
# SPIR-V, *Structured Control Flow*. Membership is by structural dominance: dominance in the graph whose edges
# are branches and, besides, those from a header to its merge block and to its continue target.
# ----------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------
# The rules of structured control flow that a shader keeps, each violation with its blocks.
#
# SPIR-V, *Structured Control Flow*. They are what the tokens rest on: where a shader breaks one, constructs
# say nothing of who is together.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Violation:
    """``rule`` is broken by the instruction ``at``; ``blocks`` are the labels that show it."""

    rule: Rule
    function: str
    at: SPIRVInstruction
    message: str
    blocks: tuple[str, ...]


def violations(module: SPIRVModule) -> tuple[Violation, ...]:
    """All violations in a shader, in text order; a kernel has no structure to keep."""
    if module.is_kernel:
        return ()
    violations: list[Violation] = []
    maximal = asking(module)
    for body in module.functions:
        if body.blocks:
            graph = _Graph(module, body, body.id in maximal)
            violations += [v for rule in RULES for v in rule(graph)]
    return tuple(sorted(violations, key=lambda v: v.at.line))


def asking(module: SPIRVModule) -> frozenset[str]:
    """The functions that calls lead to from an entry point which asks for maximal reconvergence."""
    calls = {
        body.id: {i.id(0) for b in body.blocks for i in b.instructions if i.op == "OpFunctionCall"}
        for body in module.functions
    }
    functions: set[str] = set()
    work = [e.function for e in module.entry_points if e.mode("MaximallyReconvergesKHR") is not None]
    while work:
        function = work.pop()
        if function not in functions:
            functions.add(function)
            work += calls.get(function, ())
    return frozenset(functions)


class _Graph:
    """A function's blocks that structural edges lead to, and its constructs. ``maximal``: who launches it may
    ask for maximal reconvergence."""

    def __init__(self, module: SPIRVModule, body: SPIRVFunction, maximal: bool) -> None:
        self.module, self.body, self.maximal = module, body, maximal
        self.shape: ConstructTree = structure(body)
        self.blocks = [b for b in body.blocks if self.shape.dominators.enter[self.shape.place[b.label]] >= 0]

    def name(self, label: str) -> str:
        return f"%{self.module.name(label)}"

    def broken(self, rule: Rule, at: SPIRVInstruction, message: str, *blocks: str) -> Violation:
        names = tuple(self.name(b)[1:] for b in blocks)
        return Violation(rule, self.body.id, at, message, names)

    def chain(self, label: str) -> tuple[Construct, ...]:
        """The constructs that a block lies in, innermost first."""
        construct = self.shape.of.get(label)
        return () if construct is None else construct.around()

    def around_branch(self, block: SPIRVBlock) -> tuple[Construct, ...]:
        """The constructs that a block's branch stands in: a header's branch is in the one that it heads."""
        headed = self.shape.headed.get(block.label)
        return self.chain(block.label) if headed is None else headed.around()


def r_header(graph: _Graph) -> Iterator[Violation]:
    """A header has one merge instruction, before its branch, and strictly dominates its merge block and its
    continue target, structurally; no other header declares that merge block."""
    merges: dict[str, str] = {}
    for block in graph.blocks:
        for merge_instruction in block.misplaced:
            sentence = (
                f"{merge_instruction.op} in {graph.name(block.label)} does not stand before the branch "
            )
            sentence += "that it is about"
            yield graph.broken(Rule.R_HEADER, merge_instruction, sentence, block.label)
        if block.merge is None:
            continue
        merge = block.merge.id(0)
        declared = targets(block)[: 2 if block.merge.op == "OpLoopMerge" else 1]
        if merge in merges:
            both = f"{graph.name(merges[merge])} and {graph.name(block.label)}"
            sentence = f"{both} both declare the merge block {graph.name(merge)}"
            yield graph.broken(Rule.R_HEADER, block.merge, sentence, merges[merge], block.label, merge)
        merges.setdefault(merge, block.label)
        for label in declared:
            strictly = label != block.label and graph.shape.dominates(block.label, label)
            own_target = label == block.label and block.merge.op == "OpLoopMerge" and label != merge
            if not strictly and not own_target:
                what = "merge block" if label == merge else "continue target"
                sentence = (
                    f"the header {graph.name(block.label)} does not dominate its {what} {graph.name(label)}"
                )
                yield graph.broken(Rule.R_HEADER, block.merge, sentence, block.label, label)


def r_back(graph: _Graph) -> Iterator[Violation]:
    """Each back edge goes to the header of a loop, from a block that the loop's continue target dominates,
    and each loop has exactly one."""
    backs = _back_edges(graph)
    for label, sources in backs.items():
        headed = graph.shape.headed.get(label)
        for block in sources:
            if headed is None or headed.continue_target is None:
                sentence = (
                    f"{graph.name(block.label)} branches back to {graph.name(label)}, which heads no loop"
                )
                yield graph.broken(Rule.R_BACK, block.terminator, sentence, block.label, label)
            elif not graph.shape.dominates(headed.continue_target, block.label):
                target = graph.name(headed.continue_target)
                sentence = f"{graph.name(block.label)} branches back to {graph.name(label)}, "
                sentence += f"and the loop's continue target {target} does not dominate it"
                yield graph.broken(Rule.R_BACK, block.terminator, sentence, block.label, label)
    for block in graph.blocks:
        if block.merge is not None and block.merge.op == "OpLoopMerge":
            number = len(backs.get(block.label, ()))
            if number != 1:
                sentence = f"the loop of {graph.name(block.label)} has {number or 'no'} back edges"
                from_ = {b.label for b in backs.get(block.label, ())}
                sources_ = [b.label for b in graph.blocks if b.label in from_]  # as they stand in the text
                yield graph.broken(Rule.R_BACK, block.merge, sentence, block.label, *sources_)


def _back_edges(graph: _Graph) -> dict[str, list[SPIRVBlock]]:
    """By target: the blocks that branch to an ancestor of theirs in a depth-first search, which takes
    structural edges: a continue target that no branch leads to is behind its header all the same."""
    blocks, state, edges = graph.shape.blocks, dict[str, bool](), dict[str, list[SPIRVBlock]]()
    for root in graph.blocks:
        if root.label in state:
            continue
        state[root.label] = True
        stack = [(root, iter(targets(root)))]
        while stack:
            block, rest = stack[-1]
            target = next(rest, None)
            if target is None:
                state[block.label] = False
                stack.pop()
            elif target not in state:
                state[target] = True
                stack.append((blocks[target], iter(targets(blocks[target]))))
            elif state[target] and target in block.successors:
                edges.setdefault(target, []).append(block)
    return edges


def r_exit(graph: _Graph) -> Iterator[Violation]:
    """A construct is entered by its header, and left by a branch to its merge block, to the merge block or
    continue target of the innermost loop around it, or to the merge block of the innermost switch."""
    for block in graph.blocks:
        inside = graph.around_branch(block)
        for target in block.successors:
            there = graph.chain(target)
            for construct in inside:
                if construct in there:
                    break
                if target == construct.merge:
                    break
                if not _may_leave(construct, target):
                    sentence = (
                        f"{graph.name(block.label)} leaves the construct of {graph.name(construct.header)} "
                    )
                    sentence += f"to {graph.name(target)}"
                    yield graph.broken(
                        Rule.R_EXIT, block.terminator, sentence, construct.header, block.label, target
                    )
                    break
            for construct in there:
                if construct not in inside and target != construct.header:
                    sentence = f"{graph.name(block.label)} branches into the construct of "
                    sentence += f"{graph.name(construct.header)}, to {graph.name(target)}"
                    yield graph.broken(Rule.R_EXIT, block.terminator, sentence, block.label, target)
                    break


def _may_leave(construct: Construct, target: str) -> bool:
    """Whether a branch may leave a construct for a target that is not its merge block: a selection for the
    next iteration or the end of the innermost loop, or, if it is no switch itself, the end of the innermost
    switch in it."""
    if construct.is_loop:
        return False
    loop = construct.loop
    if loop is not None and target in (loop.merge, loop.continue_target):
        return True
    if construct.switch:  # which is the innermost one
        return False
    for around in construct.around()[1:]:
        if around.is_loop:
            return False
        if around.switch:
            return target == around.merge
    return False


def r_select(graph: _Graph) -> Iterator[Violation]:
    """A branch that leads to more than one block besides merge blocks, continue targets and headers of the
    constructs around it has a merge instruction."""
    for block in graph.blocks:
        if block.merge is not None or len(block.successors) < 2:
            continue
        known = {
            label
            for construct in graph.chain(block.label)
            for label in (
                construct.merge,
                construct.continue_target,
                construct.header if construct.is_loop else None,
            )
        }
        new = [label for label in block.successors if label not in known]
        if len(new) > 1 or block.terminator.op == "OpSwitch":
            listed = " and ".join(map(graph.name, new or block.successors))
            sentence = f"{graph.name(block.label)} branches to {listed} without a merge instruction"
            yield graph.broken(Rule.R_SELECT, block.terminator, sentence, block.label, *new)


def r_switch(graph: _Graph) -> Iterator[Violation]:
    """A switch's header structurally dominates each case; a case leads to at most one other, the next among
    the targets, no two cases lead to one, and no block belongs to several."""
    for header in graph.blocks:
        construct = graph.shape.headed.get(header.label)
        if construct is None or not construct.switch:
            continue
        at = header.terminator
        listed = [at.id(n + 1) for n in range(2, len(at.operands), 2)]
        cases = [label for label in dict.fromkeys((at.id(1), *listed)) if label != construct.merge]
        outside = [label for label in cases if not graph.shape.dominates(header.label, label)]
        for label in outside:
            sentence = f"the switch {graph.name(header.label)} does not dominate its case {graph.name(label)}"
            yield graph.broken(Rule.R_SWITCH, at, sentence, header.label, label)
        falls = {label: _fallen(graph, construct, label, cases) for label in cases if label not in outside}
        for label, (others, strays) in falls.items():
            for source, target in strays:
                sentence = f"{graph.name(source)}, in the case {graph.name(label)}, branches to "
                sentence += f"{graph.name(target)}, which is in no one case"
                yield graph.broken(Rule.R_SWITCH, at, sentence, label, source, target)
            if len(others) > 1:
                sentence = f"the case {graph.name(label)} leads to {' and '.join(map(graph.name, others))}"
                yield graph.broken(Rule.R_SWITCH, at, sentence, label, *others)
        yield from _out_of_order(
            graph, header, listed, {a: next(iter(o), None) for a, (o, _) in falls.items()}
        )


def _fallen(
    graph: _Graph, construct: Construct, case: str, cases: Sequence[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Which other cases a case leads to; and its branches to blocks of the switch that are in no one case."""
    others: dict[str, None] = {}
    strays: dict[tuple[str, str], None] = {}
    work, reached = [case], {case}
    while work:
        label = work.pop()
        for target in graph.shape.blocks[label].successors:
            if target in reached or target == construct.merge:
                continue
            if graph.shape.dominates(case, target):
                reached.add(target)
                work.append(target)
            elif target in cases:
                others[target] = None
            elif construct in graph.chain(target):
                strays[label, target] = None
    return tuple(others), tuple(strays)


def _out_of_order(
    graph: _Graph, header: SPIRVBlock, listed: Sequence[str], falls: Mapping[str, str | None]
) -> Iterator[Violation]:
    """Cases that lead to one which is not the next among the targets, or to which another leads, too. To lead
    to a default that is no target is to lead to where that leads."""
    at, default = header.terminator, header.terminator.id(1)
    sources: dict[str, list[str]] = {}
    for label, other in falls.items():
        if other is not None:
            sources.setdefault(other, []).append(label)
    for other, comers in sources.items():
        if len(comers) > 1:
            sentence = f"the cases {' and '.join(map(graph.name, comers))} lead to {graph.name(other)}"
            yield graph.broken(Rule.R_SWITCH, at, sentence, *comers, other)
    following = {a: b for a, b in pairwise([*listed, ""]) if a != b}
    for label, other in falls.items():
        if other == default and default not in listed:
            other = falls.get(default)
        if other is not None and label in listed and following.get(label) != other:
            sentence = f"the case {graph.name(label)} leads to {graph.name(other)}, which is not the next one"
            yield graph.broken(Rule.R_SWITCH, at, sentence, label, other)


def r_join(graph: _Graph) -> Iterator[Violation]:
    """Where a shader asks for maximal reconvergence, only headers of loops, merge blocks, continue targets
    and cases of a switch have more than one block that branches to them."""
    if not graph.maximal:
        return
    declared: set[str] = set()
    sources: dict[str, list[str]] = {}
    for block in graph.blocks:
        if block.merge is not None:
            declared.update(targets(block)[: 2 if block.merge.op == "OpLoopMerge" else 1])
            if block.merge.op == "OpLoopMerge":
                declared.add(block.label)
        if block.terminator.op == "OpSwitch":
            declared.update(block.successors)
        for label in dict.fromkeys(block.successors):
            sources.setdefault(label, []).append(block.label)
    for block in graph.blocks:
        before = sources.get(block.label, [])
        if len(before) > 1 and block.label not in declared:
            sentence = (
                f"{' and '.join(map(graph.name, before))} branch to {graph.name(block.label)}, which is no "
            )
            sentence += "merge block, continue target, case or header of a loop"
            yield graph.broken(Rule.R_JOIN, block.at, sentence, *before, block.label)


RULES: tuple[Callable[[_Graph], Iterator[Violation]], ...] = (
    r_header,
    r_back,
    r_exit,
    r_select,
    r_switch,
    r_join,
)
