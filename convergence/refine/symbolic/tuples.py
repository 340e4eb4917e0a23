"""One path per thread of one side: who communicates, and what everything comes to in terms of the inputs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import product
from typing import Any

import z3

from ...sched.constraints.candidates import Anchored, Instance
from ...semantics.arithmetic.symbolic import bit_vector, boolean, folded
from ...semantics.bounds import Bound, BoundKind
from ...semantics.errors import OutOfBound, UndefinedBehaviour
from ...semantics.values.value import Composite, Pointer, RuntimeValue, Value, scalars
from .paths import FROZEN, Path, Symbolic
from .unknowns import OutsideSymbolic, TooMany


class PathTuple:
    """``paths`` is one for each thread.

    ``groups`` are the classes by key, their members by thread; ``numbers`` say which event of its
    thread an instance is, from 1. Results of exchanges are replaced by what the models give for their
    groups, first things first, so that terms hold inputs and uninterpreted functions only. ``anchors`` are
    the keys chosen for anchors; raises IllegalLabels if D-DEP forbids the choice.
    """

    def __init__(
        self, side: Symbolic, paths: Sequence[Path], anchors: Mapping[Instance, Hashable] | None = None
    ) -> None:
        self.side = side
        self.paths = tuple(paths)
        self.groups: dict[Hashable, list[Instance]] = {}
        self.keys: dict[Instance, Hashable] = dict(anchors or {})
        for path in paths:
            for instance in path.instances:
                self.groups.setdefault(side.key(instance, self.keys), []).append(instance)
        if anchors and not is_legal(self.groups, self.keys, paths):
            raise IllegalLabels
        self.numbers = {
            event.together: event.number
            for path in paths
            for event in path.events
            if isinstance(event.together, Instance)
        }
        self._inputs: dict[int, tuple[Any, Any]] = {}
        self._open: set[int] = set()
        self._resolve()

    # -- results of exchanges -----------------------------------------------------------------------------

    def _resolve(self) -> None:
        """Fact 2 (semantics.md, §2): without free choices some exchange always has all its operands."""
        waiting = []
        for members in self.groups.values():
            if members[0].call is not None and members[0].result is not None:
                waiting.append(members)
                for instance in members:
                    self._open |= {term.get_id() for term in _unknowns(instance)}
        while waiting:
            later = []
            for members in waiting:
                if any(self._waits(value) for i in members for value in i.operands):
                    later.append(members)
                else:
                    self._give(members)
            if len(later) == len(waiting):
                raise OutsideSymbolic("exchanges that wait for each other")
            waiting = later

    def _waits(self, value: RuntimeValue) -> bool:
        return any(
            leaf.get_id() in self._open
            for part in scalars(value)
            for term in (part.bits, part.poison)
            if isinstance(term, z3.ExprRef)
            for leaf in self.side.leaves.of(term)
        )

    def _give(self, members: Sequence[Instance]) -> None:
        """All members of a group get their results."""
        operands = [tuple(self.value(value) for value in i.operands) for i in members]
        for instance, value in zip(members, self.side.results(members, operands), strict=True):
            assert instance.result is not None
            for left, right in zip(scalars(instance.result), scalars(value), strict=True):
                if right.undef:
                    raise OutsideSymbolic("undef in an exchange")
                self._inputs[left.bits.get_id()] = left.bits, bit_vector(right.bits, left.bits.size())
                self._inputs[left.poison.get_id()] = left.poison, boolean(right.poison)
        for instance in members:
            self._open -= {term.get_id() for term in _unknowns(instance)}

    # -- terms ------------------------------------------------------------------------------------------

    def term(self, term: Any) -> Any:
        """A term, folded, with the results of exchanges replaced. What a freeze of poison gives must not
        matter in the source, for which one choice of many would have to be right."""
        if not isinstance(term, z3.ExprRef):
            return term
        pairs = [
            self._inputs[leaf.get_id()] for leaf in self.side.leaves.of(term) if leaf.get_id() in self._inputs
        ]
        substituted = folded(z3.substitute(term, *pairs)) if pairs else term
        if self.side.side == "source" and self.side.freezes and isinstance(substituted, z3.ExprRef):
            if any(leaf.decl().name().startswith(FROZEN) for leaf in self.side.leaves.of(substituted)):
                raise OutsideSymbolic("a freeze of what may be poison")
        return substituted

    def value(self, value: RuntimeValue) -> RuntimeValue:
        """A value with the results of exchanges replaced."""
        if isinstance(value, Composite):
            return Composite(tuple(self.value(e) for e in value.elements))
        if not (isinstance(value.bits, z3.ExprRef) or isinstance(value.poison, z3.ExprRef)):
            return value
        bits, poison = self.term(value.bits), self.term(value.poison)
        if isinstance(value, Pointer):
            return type(value)(bits, value.provenance, poison)
        return Value(bits, poison)

    @cached_property
    def conditions(self) -> tuple[z3.BoolRef, ...]:
        """That the inputs lead the threads along these paths."""
        terms = [self.term(condition) for path in self.paths for condition in path.conditions]
        if any(condition is False for condition in terms):
            return (z3.BoolVal(False),)
        return tuple(condition for condition in terms if condition is not True)

    @property
    def is_undefined(self) -> bool:
        return any(isinstance(path.end, UndefinedBehaviour) for path in self.paths)

    @property
    def is_cut(self) -> bool:
        return any(isinstance(path.end, OutOfBound) for path in self.paths)

    def group(self, instance: Instance) -> dict[int, int]:
        """The group of an event: thread -> the number of that thread's event."""
        members = self.groups[self.keys[instance]]
        return {member.thread: self.numbers[member] for member in members if member in self.numbers}


def _unknowns(instance: Instance) -> list[Any]:
    assert instance.result is not None
    return [term for part in scalars(instance.result) for term in (part.bits, part.poison)]


# -- The choices that anchors leave open, for one path per thread (D-ANCHOR), and which are legal (D-DEP)

CHOICES = 300
"""Ways to group the anchors of one tuple of paths at most."""


class IllegalLabels(Exception):
    """A choice that D-DEP forbids."""


def choices(paths: Sequence[Path]) -> Iterator[Mapping[Instance, Hashable]]:
    """Every partition of the instances of each anchor, with at most one of each thread in a class, as a key
    for each instance. Raises TooMany; OutsideSymbolic for anchors that have a bound (R-CASE, R-UNIFORM)."""
    sites: dict[Hashable, list[Instance]] = {}
    for path in paths:
        for instance in path.instances:
            if isinstance(instance.hangs, Anchored):
                if instance.hangs.case is not None and instance.hangs.case.token is None:
                    raise OutsideSymbolic("ways of control flow that meet")
                if instance.hangs.case is not None:
                    raise OutsideSymbolic("a case of a switch that several values lead to")
                sites.setdefault((instance.site, instance.launch), []).append(instance)
    every = product(*(_partitions(site, instances) for site, instances in sites.items()))
    for number, choice in enumerate(every):
        if number == CHOICES:
            raise TooMany(Bound(BoundKind.GROUPINGS, CHOICES))
        yield {instance: key for part in choice for instance, key in part.items()}


def _partitions(site: Hashable, instances: Sequence[Instance]) -> list[dict[Instance, Hashable]]:
    """The partitions of one anchor's instances, the most converged ones first."""
    partitions: list[list[list[Instance]]] = [[]]
    for instance in instances:
        grown: list[list[list[Instance]]] = []
        for classes in partitions:
            for at, members in enumerate(classes):
                if all(member.thread != instance.thread for member in members):
                    grown.append([*classes[:at], [*members, instance], *classes[at + 1 :]])
            grown.append([*classes, [instance]])
        partitions = grown
        if len(partitions) > CHOICES:
            raise TooMany(Bound(BoundKind.GROUPINGS, CHOICES))
    return [
        {instance: ("anchor", site, number) for number, members in enumerate(classes) for instance in members}
        for classes in partitions
    ]


def is_legal(
    groups: Mapping[Hashable, Sequence[Instance]], keys: Mapping[Instance, Hashable], paths: Sequence[Path]
) -> bool:
    """D-DEP: what operations with data or effects depend on, and the order of each thread's effects, carried
    across their groups, is acyclic."""
    before: dict[Hashable, set[Hashable]] = {}
    for key, members in groups.items():
        for instance in members:
            before.setdefault(key, set()).update(
                keys[need] for need in instance.needs if isinstance(need, Instance) and need in keys
            )
    for path in paths:
        last: Hashable | None = None
        for event in path.events:
            together = event.together
            now = keys[together] if isinstance(together, Instance) else (path.thread, event.number)
            if last is not None:
                before.setdefault(now, set()).add(last)
            last = now
    try:
        TopologicalSorter(before).prepare()
    except CycleError:
        return False
    return True
