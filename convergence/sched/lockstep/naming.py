"""The name of a machine's grouping of uncontrolled operations: ``natural``, ``nested`` or ``other``.

Natural is the alignment of mode maximal. Nested is the one in which each latch closes a loop of its own: of
two latches of one header the one whose loop is smaller closes the inner loop (semantics.md, §7; the two
pictures of §5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...alignment.instances import BlockVisit, DynamicInstance
from ...frozen import dataclass
from ...ir.module import Module
from ...semantics.convergence.keys import KeyKind
from ...semantics.machine.run import Run
from .machine import LockstepMachine
from .policy import Facts


@dataclass(frozen=True, slots=True)
class Loop:
    """The loop that one latch closes. ``body`` includes the loops of the same header inside it."""

    header: int
    latches: tuple[int, ...]
    body: frozenset[int]


def loops_by_latch(facts: Facts, merged: bool = False) -> tuple[Loop, ...]:
    """A loop for each latch, outer ones before inner ones; ``merged``: one for each header."""
    by_header: dict[int, list[int]] = {}
    for latch, header in facts.back_edges:
        by_header.setdefault(header, []).append(latch)
    loops = []
    for header, latches in by_header.items():
        if merged:
            loops.append(Loop(header, tuple(latches), facts.loop_body(header, tuple(latches))))
            continue
        body: frozenset[int] = frozenset()
        for latch in sorted(latches, key=lambda b: (len(facts.loop_body(header, (b,))), b)):
            body |= facts.loop_body(header, (latch,))
            loops.append(Loop(header, (latch,), body))
    loops.reverse()  # of two loops with the same body, the one that was made later is the outer one
    return tuple(sorted(loops, key=lambda loop: -len(loop.body)))


def name_of(machine: LockstepMachine, run: Run) -> str:
    """Which of the known alignments the machine's groups of uncontrolled operations are."""
    free = {
        happened.instance: (slot.number, happened.key)
        for slot, happened in machine.instances()
        if happened.key.kind is KeyKind.FREE
    }
    groups = _classes((instance, number) for instance, (number, _) in free.items())
    if groups == _classes((instance, key) for instance, (_, key) in free.items()):
        return "natural"
    nested = nested_keys(machine.program.module, run)
    return "nested" if groups == _classes((instance, nested[instance]) for instance in free) else "other"


def _classes(named: Iterable[tuple[DynamicInstance, object]]) -> frozenset[frozenset[DynamicInstance]]:
    classes: dict[object, set[DynamicInstance]] = {}
    for instance, name in named:
        classes.setdefault((instance.site, name), set()).add(instance)
    return frozenset(map(frozenset, classes.values()))


def nested_keys(module: Module, run: Run) -> Mapping[DynamicInstance, object]:
    """For each instance how often each loop around it has begun again, each latch a loop of its own."""
    counting: dict[str, _Counting] = {}
    keys: dict[DynamicInstance, object] = {}
    launched = run.execution.launch_groups
    for thread, visits in enumerate(run.execution.visits):
        frames: dict[int, _LoopFrame] = {}
        for visit in visits:
            known = counting.setdefault(visit.function, _Counting(Facts(module.functions[visit.function])))
            activation = frames.get(visit.frame)
            if activation is None:
                root: object = launched[thread] if launched else 0
                if visit.caller is not None:
                    caller = frames[visit.caller]
                    root = (visit.call, caller.root, caller.around)
                activation = frames[visit.frame] = _LoopFrame(root)
            known.enter(activation, visit)
            for instance in visit.operations:
                keys[instance] = (activation.root, activation.around)
    return keys


class _LoopFrame:
    """``root``: how it was called; ``counts`` per loop; ``around``: those of the loops around ``block``."""

    __slots__ = ("around", "block", "counts", "root")

    def __init__(self, root: object) -> None:
        self.root = root
        self.block = -1
        self.counts: dict[int, int] = {}
        self.around: tuple[int, ...] = ()


class _Counting:
    """The loops of one function."""

    def __init__(self, facts: Facts) -> None:
        self.index = facts.cfg.index
        self.loops = loops_by_latch(facts)

    def enter(self, activation: _LoopFrame, visit: BlockVisit) -> None:
        before, block = activation.block, self.index[visit.block]
        activation.block = block
        for number, loop in enumerate(self.loops):
            if block == loop.header and before in loop.latches:
                activation.counts[number] = activation.counts.get(number, 0) + 1
                for inner in range(number + 1, len(self.loops)):
                    if self.loops[inner].body <= loop.body:
                        activation.counts[inner] = 0
        activation.around = tuple(
            activation.counts.get(n, 0) for n, loop in enumerate(self.loops) if block in loop.body
        )
