"""What the controlled maximal relation asks of a function's blocks, from its cycles and regions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cache

from ..frozen import dataclass
from ..ir.calls import control, is_convergent, token_used, way_of
from ..ir.cfg import Order, Point, build_cfg, convergence_region, cycles, dominators
from ..ir.module import Function, Module
from .instances import BlockVisit, Columns, DynamicInstance, Execution, Step, order, program_order


def block_facts(module: Module, function: Function, search: Order = Order.TEXT) -> Mapping[str, BlockFacts]:
    """The facts of each block, for the cycle hierarchy that ``search`` gives."""
    cfg = build_cfg(function)
    forest = cycles(cfg, search)
    tokens = _tokens(function)
    facts: dict[str, BlockFacts] = {}
    live: defaultdict[int, list[int]] = defaultdict(list)
    if tokens:
        tree = dominators(cfg)
        for index, (definition, uses) in sorted(tokens.items()):
            for at, (first, last) in convergence_region(cfg, tree, definition, uses).spans.items():
                if first <= 0 < last:
                    live[at].append(index)
    start = 0
    for number, block in enumerate(function.blocks):
        around = tuple(forest.around(number))
        facts[block.name] = BlockFacts(
            cycles=tuple(cycle.index for cycle in reversed(around)),
            heads=around[0].index if around and around[0].header == number else None,
            tokens=tuple(live[number]),
            operations=sum(is_convergent(module, instruction) for instruction in block.instructions),
            ways=frozenset(i for i, each in enumerate(block.instructions, start) if way_of(each) is not None),
        )
        start += len(block.instructions)
    return facts


def _tokens(function: Function) -> Mapping[int, tuple[Point, list[Point]]]:
    """Per token definition, by its index among the function's instructions, where it stands and is used."""
    definitions: dict[str, tuple[int, Point]] = {}
    uses: defaultdict[str, list[Point]] = defaultdict(list)
    index = 0
    for number, block in enumerate(function.blocks):
        for position, instruction in enumerate(block.instructions):
            if control(instruction) is not None and instruction.result is not None:
                definitions[instruction.result] = (index, Point(number, position))
            if (token := token_used(instruction)) is not None:
                uses[token.name].append(Point(number, position))
            index += 1
    return {index: (point, uses[name]) for name, (index, point) in definitions.items() if name in uses}


def facts_of(module: Module, search: Order = Order.TEXT) -> FactsOf:
    """The facts of a module's functions, each worked out when it is first asked for."""

    @cache
    def of(function: str) -> Mapping[str, BlockFacts]:
        return block_facts(module, module.functions[function], search)

    return of


# -- The controlled maximal converged-with relation, on block visits
# LLVM's *Convergent Operation Semantics*, *Controlled Maximal Convergence*, over *Convergence And
# Uniformity*, *Maximal Convergence*. Visits that executed convergent operations or control intrinsics are
# related as those are; the others by
# 1. converged instances of every token definition whose convergence region holds the block, and 2. for
# every cycle that contains the block: each thread's instances of the header that precede the one visit
# are convergence-before the other, without assuming that the visits are converged.
# The second clause is a least fixpoint. It is computed in one pass: the last instance of a header (of any
# cycle around the block) that a thread passed before the visit carries all earlier ones with it, and it
# comes before the other thread's visit iff that thread passed a converged instance since *its* last
# header. So two visits are converged iff their *last meeting points* are, and a visit's key is (block,
# context, last meeting point, tokens). Meeting points are header visits, and a convergent operation at
# which threads meet whose last meeting points differ: convergence tokens may group iterations otherwise
# than headers count them.
# In a callee, headers count per activation, and the context is the call site's own class.


@dataclass(frozen=True, slots=True)
class BlockFacts:
    """What the relation asks of a block.

    ``cycles`` are the numbers of the cycles that contain it, outermost first; ``heads`` is the
    one whose header it is; ``tokens`` the static instances, by index, of the token definitions
    whose convergence region holds the block's first point; ``operations`` how many convergent
    operations and control intrinsics stand in it; ``ways`` are the anchors of ways among them, by index
    (R-UNIFORM): they are in no program that somebody wrote, and part no columns.
    """

    cycles: tuple[int, ...]
    heads: int | None
    tokens: tuple[int, ...]
    operations: int
    ways: frozenset[int]


FactsOf = Callable[[str], Mapping[str, BlockFacts]]
"""The facts of a function's blocks, by the function's name."""

VisitClasses = tuple[tuple[int, ...], ...]
"""Per thread and visit the number of its class, from 0."""


class _ControlledFrame:
    """What one thread knows in one frame of ``function``, called from ``caller``.

    ``context`` what the activation has in common with a converged one; ``last`` per cycle the
    last meeting point that counts for it, as (time, class); ``classes`` the class of the last
    instance of each operation; ``visit`` the class of the current visit, ``cycles`` around it.
    """

    __slots__ = ("caller", "classes", "context", "cycles", "function", "last", "visit")

    def __init__(self, function: str, caller: _ControlledFrame | None, context: int) -> None:
        self.function = function
        self.caller = caller
        self.context = context
        self.last: dict[int, tuple[int, int]] = {}
        self.classes: dict[int, int] = {}
        self.visit = -1
        self.cycles: tuple[int, ...] = ()

    def meeting_point(self, cycles: tuple[int, ...]) -> int | None:
        """The last meeting point inside the outermost of these nested cycles; ``None`` before any."""
        points = [self.last[c] for c in cycles if c in self.last]
        return max(points)[1] if points else None


class _Relation:
    """Walks through all traces in an order that respects convergence-before, and keys each visit.

    ``steps``      what each thread still has to do
    ``frames``     each thread's activations
    ``keys``       the number of each key met so far
    ``classes``    the answer: per thread and visit the number of its key
    ``class_of``   the number of each operation's class
    ``cut``        blocks in which a thread stopped halfway
    ``whole``      for those blocks, what the stopped visits could join: key -> class
    ``time``       counts meeting points
    """

    def __init__(self, execution: Execution, facts_of: FactsOf) -> None:
        self.execution = execution
        self.facts_of = facts_of
        self.steps: list[Iterator[Step]] = [program_order(visits) for visits in execution.visits]
        self.frames: list[dict[int, _ControlledFrame]] = [{} for _ in execution.visits]
        self.keys: dict[Hashable, int] = {}
        self.classes: list[list[int]] = [[-1] * len(visits) for visits in execution.visits]
        self.class_of = {member: n for n, group in enumerate(execution.converged.classes) for member in group}
        self.cut = {(v.function, v.block) for visits in execution.visits for v in visits if self.stopped(v)}
        self.whole: dict[Hashable, int] = {}
        self.time = 0

    def run(self) -> VisitClasses:
        ordered = order(self.execution)
        for group in ordered.classes if isinstance(ordered, Columns) else ordered.before:
            met = [self.execute(member) for member in sorted(group)]
            if len(met) > 1:
                self.meet(met)
        for thread, steps in enumerate(self.steps):
            for step in steps:
                self.take(thread, step)
        if self.cut:
            self.join_stopped()
        return tuple(map(tuple, self.classes))

    def facts(self, visit: BlockVisit) -> BlockFacts:
        return self.facts_of(visit.function)[visit.block]

    def number(self, key: Hashable) -> int:
        return self.keys.setdefault(key, len(self.keys))

    def operations(self, visit: BlockVisit) -> tuple[int, ...]:
        """The classes of a visit's operations; one that the relation leaves out is alone."""
        ways, class_of = self.facts(visit).ways, self.class_of
        shown = (o for o in visit.operations if o.site.index not in ways)
        return tuple(class_of.setdefault(operation, len(class_of)) for operation in shown)

    def execute(self, operation: DynamicInstance) -> _ControlledFrame:
        """A thread goes on until it has executed ``operation``."""
        for step in self.steps[operation.thread]:
            activation = self.take(operation.thread, step)
            if step.operation == operation:
                return activation
        raise AssertionError(f"thread {operation.thread} does not come to {operation}")

    def take(self, thread: int, step: Step) -> _ControlledFrame:
        """One step of a thread."""
        visit = self.execution.visits[thread][step.visit]
        if step.operation is None:
            return self.enter(thread, step.visit, visit)
        activation = self.frames[thread][visit.frame]
        activation.classes[step.operation.site.index] = self.class_of[step.operation]
        return activation

    def enter(self, thread: int, number: int, visit: BlockVisit) -> _ControlledFrame:
        """A thread enters a block: what is its visit's class?"""
        facts, frames = self.facts(visit), self.frames[thread]
        if (activation := frames.get(visit.frame)) is None:
            activation = frames[visit.frame] = self.activation(thread, visit)
        operations = self.operations(visit)
        key = ("operations", operations) if operations else self.free_key(activation, visit, facts)
        activation.visit = self.classes[thread][number] = self.number(key)
        activation.cycles = facts.cycles
        if self.cut and (visit.function, visit.block) in self.cut:
            for size in range(1, len(operations)):
                self.whole.setdefault(("operations", operations[:size]), activation.visit)
            if operations:
                self.whole.setdefault(self.free_key(activation, visit, facts), activation.visit)
        if facts.heads is not None:
            self.time += 1
            activation.last[facts.heads] = (self.time, activation.visit)
        return activation

    def free_key(self, activation: _ControlledFrame, visit: BlockVisit, facts: BlockFacts) -> Hashable:
        """The key of a visit that executes no convergent operation."""
        tokens = tuple(activation.classes.get(token) for token in facts.tokens)
        meeting = activation.meeting_point(facts.cycles)
        return (visit.function, visit.block, activation.context, meeting, tokens)

    def activation(self, thread: int, visit: BlockVisit) -> _ControlledFrame:
        """Maximal convergence in a called frame needs converged instances of the call site."""
        if visit.caller is None:
            groups = self.execution.launch_groups
            launch = self.number(("launch", groups[thread] if groups else 0))
            return _ControlledFrame(visit.function, None, launch)
        caller = self.frames[thread][visit.caller]
        if visit.call is not None and (called := caller.classes.get(visit.call.index)) is not None:
            return _ControlledFrame(visit.function, caller, self.number(("called by", called)))
        return _ControlledFrame(visit.function, caller, self.number(("called in", visit.call, caller.visit)))

    def meet(self, met: list[_ControlledFrame]) -> None:
        """Threads met at one operation: from here on they agree on what they passed last, there and
        in their callers, as far as the calls themselves were no meeting of the same threads."""
        while True:
            self.agree(met)
            if len({activation.context for activation in met}) == 1:
                return
            callers = [activation.caller or activation for activation in met]
            if callers == met:
                return
            met = callers

    def agree(self, met: list[_ControlledFrame]) -> None:
        """Make the meeting their last meeting point for the outermost cycle in which theirs differ."""
        first = met[0]
        if any(activation.function != first.function for activation in met):
            return
        for depth, cycle in enumerate(first.cycles, 1):
            if any(activation.cycles[:depth] != first.cycles[:depth] for activation in met):
                return
            around = first.cycles[:depth]
            if len({activation.meeting_point(around) for activation in met}) > 1:
                self.time += 1
                point = self.number(("met", self.time))
                for activation in met:
                    activation.last[cycle] = (self.time, point)
                return

    def stopped(self, visit: BlockVisit) -> bool:
        """Whether the thread's run ended before it had executed the whole block."""
        return len(visit.operations) < self.facts(visit).operations

    def join_stopped(self) -> None:
        """A visit that stopped halfway joins one that did as it did, as far as it came."""
        keys = {number: key for key, number in self.keys.items()}
        for classes, visits in zip(self.classes, self.execution.visits, strict=True):
            for number, visit in enumerate(visits):
                if self.stopped(visit):
                    classes[number] = self.whole.get(keys[classes[number]], classes[number])


def controlled_maximal(execution: Execution, facts_of: FactsOf) -> VisitClasses:
    """The class of each block visit in the controlled maximal converged-with relation.

    Where convergence-before of the operations has a cycle (D-ORDER), what comes behind it is
    still classed, but its threads no longer meet at operations.
    """
    return _Relation(execution, facts_of).run()
