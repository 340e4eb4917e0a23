"""``--symbolic``: what can be seen of one path per thread, as a term, and the question to z3 for any
inputs.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import product
from typing import Any, Unpack

import z3

from ...interruption import notice
from ...ir import ArrayType, IntType, PointerType, Type, VectorType, holds_undef
from ...ir.calls import Control, control
from ...ir.cfg import Order
from ...ir.instructions import Freeze, operands
from ...ir.module import GlobalVariable, Module, is_input, is_thread_local
from ...sched.constraints.candidates import Anchored, Instance, Trace
from ...sched.constraints.walk import World
from ...semantics import (
    INTERRUPTED,
    Bound,
    BoundKind,
    NotModelled,
    OutOfBound,
    UndefinedBehaviour,
    UsageError,
    clock_of,
)
from ...semantics.arithmetic.symbolic import bit_vector, boolean, check, folded, one_thread
from ...semantics.machine import ObservedEvent, VolatileAccess
from ...semantics.machine.bindings import with_arguments
from ...semantics.machine.launch import Launch, LaunchOptions, LaunchSpec, contents_of, launch_spec
from ...semantics.machine.program import Program, Settings, weak_symbols
from ...semantics.memory.globals import object_type
from ...semantics.values import Composite, Later, Pointer, RuntimeValue, Value, scalars
from ...semantics.values.datalayout import layout_of
from ..inputs.inputs import Assumption, check_assumptions
from ..inputs.launch import variables_read
from ..sides.observable import nameable, visible
from ..sides.side import PreparedSide, object_name
from ..verdict.compare import _require_fit, _sides, refine
from ..verdict.counterexample import same_text_words
from ..verdict.result import (
    BreaksRule,
    Note,
    NotSymbolic,
    PastIterations,
    Refinement,
    Unconfirmed,
    Unknown,
    UnknownSymbolically,
    Unobserved,
    UnobservedSymbolically,
    Verdict,
)
from ..verdict.structural import same_text
from .paths import FROZEN, Budget, OutsideSymbolic, Path, Symbolic, TooMany, unknown_of

# ----------------------------------------------------------------------------------------------------------
# What can be seen of one path per thread, and when one side's is refined by the other's, as a term (§6).
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# One path per thread of one side: who communicates, and what everything comes to in terms of the inputs.
# ----------------------------------------------------------------------------------------------------------


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


Term = Any
"""A Python bool, or a z3 truth value."""
LARGEST = 256
"""Scalars of a variable whose contents are unknown values, at most."""


def refined(source: PathTuple, target: PathTuple, names: frozenset[str]) -> Term:
    """That what threads on the target's paths show refines what they show on the source's; ``names`` are the
    variables that the outside can look at."""
    terms: list[Term] = []
    for first, second in zip(source.paths, target.paths, strict=True):
        a, b = first.end, second.end
        assert isinstance(a, Trace)
        assert isinstance(b, Trace)
        if a.ended != b.ended or len(a.events) != len(b.events):
            return False
        if a.ended == "returned" and a.value is not None and b.value is not None:
            terms.append(_value(source.value(a.value), target.value(b.value)))
        theirs = {name: value for name, _, value in b.own}
        for name, _, value in a.own:
            if name not in names:
                continue
            if name not in theirs:
                raise OutsideSymbolic(f"{name}, which only one side has")
            terms.append(_value(source.value(value), target.value(theirs[name])))
        for event, counterpart in zip(a.events, b.events, strict=True):
            difference = _event(source, event, target, counterpart)
            if difference is False:
                return False
            terms.append(difference)
    return _all(terms)


def _event(source: PathTuple, event: ObservedEvent, target: PathTuple, other: ObservedEvent) -> Term:
    a, b = event.event, other.event
    if isinstance(a, VolatileAccess) or isinstance(b, VolatileAccess):
        raise OutsideSymbolic("volatile accesses")
    if a.callee != b.callee or len(a.operands) != len(b.operands):
        return False
    if (event.together is None) != (other.together is None):
        return False
    if isinstance(event.together, Instance) and isinstance(other.together, Instance):
        if source.group(event.together) != target.group(other.together):
            return False
    terms = [_later(source, p, target, q) for p, q in zip(a.operands, b.operands, strict=True)]
    if a.result is not None and b.result is not None:
        terms.append(_later(source, a.result, target, b.result))
    return _all(terms)


def _later(source: PathTuple, first: object, target: PathTuple, second: object) -> Term:
    assert isinstance(first, Later) and isinstance(second, Later)
    return _value(source.value(first.value), target.value(second.value))


def _value(source: RuntimeValue, target: RuntimeValue) -> Term:
    """Poison is refined by every value, a value by itself."""
    if isinstance(source, Composite) and isinstance(target, Composite):
        return _all([_value(a, b) for a, b in zip(source.elements, target.elements, strict=True)])
    assert isinstance(source, Value)
    assert isinstance(target, Value)
    if source.undef or target.undef:
        raise OutsideSymbolic("undef that is observed")
    if isinstance(source, Pointer) or isinstance(target, Pointer):
        return _pointer(source, target)
    if source.poison is True:
        return True
    same: Term
    if isinstance(source.bits, int) and isinstance(target.bits, int):
        same = source.bits == target.bits
    else:
        term = source.bits if isinstance(source.bits, z3.BitVecRef) else target.bits
        same = bit_vector(source.bits, term.size()) == bit_vector(target.bits, term.size())
    return folded(z3.Or(boolean(source.poison), z3.And(z3.Not(boolean(target.poison)), boolean(same))))


def _pointer(source: Value, target: Value) -> Term:
    """The same place in an object of the same name."""
    known = isinstance(source.bits, int) and isinstance(target.bits, int)
    if not known or source.poison is not False or target.poison is not False:
        raise OutsideSymbolic("an observed pointer that depends on the inputs")
    first, second = source.provenance, target.provenance
    if first is None or second is None:
        return source.bits == target.bits and first == second
    return first.name == second.name and source.bits - first.base == target.bits - second.base


def _all(terms: Sequence[Term]) -> Term:
    if any(term is False for term in terms):
        return False
    left = [term for term in terms if term is not True]
    return folded(z3.And(*left)) if left else True


# -- The question for one number of threads: is there an input for which two tuples of paths differ?


@dataclass(frozen=True, slots=True)
class SymbolicModel:
    """Inputs that tell the two apart, as they are given: arguments by name and thread, and what variables
    hold at the launch."""

    arguments: Mapping[str, list[Any]]
    globals: Mapping[str, list[Any]]


@dataclass
class SymbolicQuestion:
    """The question for one number of threads.

    ``model``   inputs that tell the two apart
    ``less``    whether the source may do what the target does not
    ``cut``     whether some inputs lead the source past the bound on iterations: they are left out
    ``beyond``  whether some others lead the target there
    ``says``    whether some path of the source is defined
    ``shows``   whether a thread shows anything on some path of either side
    ``pairs``   how many pairs of path tuples were asked about
    """

    first: PreparedSide
    second: PreparedSide
    threads: int
    subgroup_size: int | None
    arguments: Mapping[str, object]
    assume: tuple[Assumption, ...]
    limits: Budget
    globals: Mapping[str, object] = field(default_factory=dict)
    model: SymbolicModel | None = None
    less: bool = False
    cut: bool = False
    beyond: bool = False
    shows: bool = False
    says: bool = False
    pairs: int = 0
    notes: tuple[Note, ...] = ()

    @property
    def limits_of_target(self) -> Budget:
        """A transform may peel or unroll: its blocks may be passed more often."""
        return replace(self.limits, iterations=2 * self.limits.iterations + 2)

    def ask(self) -> None:
        """Looks at every pair of path tuples. Raises OutsideSymbolic, TooMany."""
        _supported(self.first, self.second)
        values = self._values = self._inputs()
        self._contents = self._variables()
        self._names = visible(self.first.module, self.first.function) | visible(
            self.second.module, self.second.function
        )
        inputs = self._assumptions(values)
        self._solver = z3.Solver()
        self._solver.add(*inputs)
        self.source = self._side(self.first, values, inputs, self.limits, 0, "source")
        self.target = self._side(self.second, values, inputs, self.limits_of_target, 1 << 40, "target")
        self._together = {
            (a, b): self._possible([*a.conditions, *b.conditions])
            for t in range(self.threads)
            for a in self.source.paths[t]
            for b in self.target.paths[t]
        }
        ends = [[p.end for paths in s.paths for p in paths] for s in (self.source, self.target)]
        self.says = any(isinstance(end, Trace) for end in ends[0])
        self.shows = any(
            isinstance(end, Trace) and (end.value is not None or end.events) for end in (*ends[0], *ends[1])
        ) or (self.first.writes_visibly or self.second.writes_visibly)
        self.cut = any(isinstance(p.end, OutOfBound) for paths in self.source.paths for p in paths)
        if self._chooses:
            self._with_choices()
            return
        for taken in self._tuples():
            self._against(taken)
            if self.model is not None:
                return

    # -- with anchors -------------------------------------------------------------------------------------

    @property
    def _chooses(self) -> bool:
        return any(
            control(i) is Control.ANCHOR
            for side in (self.first, self.second)
            for function in side.reached
            for i in function.instructions
        )

    def _with_choices(self) -> None:
        """For each choice of the target: is there an input for which none of the source's gives what it
        shows? And the other way round, for ``less``."""
        sources = self._all(self.source, self.source.paths)
        targets = self._all(self.target, self._target_paths())
        for target in targets:
            self.pairs += 1
            self._solver.push()
            self._solver.add(*target.conditions)
            if self._possible(self._none_of(sources, target)):
                if target.is_cut:
                    self.beyond = True
                else:
                    self._keep_inputs()
                    return
            self._solver.pop()
        for source in sources:
            if self.less or source.is_cut or source.is_undefined:
                continue
            self._solver.push()
            self._solver.add(*source.conditions)
            self.less = self._possible(self._none_of(targets, source))
            self._solver.pop()

    def _target_paths(self) -> list[list[Path]]:
        """The target's paths by thread, without those for inputs that lead the source past the bound."""
        inside = [[a for a in paths if not isinstance(a.end, OutOfBound)] for paths in self.source.paths]
        return [
            [b for b in paths if any(self._together[a, b] for a in inside[t])]
            for t, paths in enumerate(self.target.paths)
        ]

    def _all(self, side: Symbolic, by_thread: Sequence[Sequence[Path]]) -> list[PathTuple]:
        """Every tuple of paths with every legal choice that some inputs allow."""
        conjuncts = []
        for paths in product(*by_thread):
            for anchors in choices(paths):
                self.limits.look()
                try:
                    taken = PathTuple(side, paths, anchors)
                except IllegalLabels:
                    continue
                if self._possible(taken.conditions):
                    conjuncts.append(taken)
        return conjuncts

    def _none_of(self, allowed: Sequence[PathTuple], shown: PathTuple) -> list[z3.BoolRef]:
        """That nothing allowed gives what is shown, for inputs that say something: no execution of the
        allowed side is undefined or goes past the bound."""
        disjuncts: list[z3.BoolRef] = []
        for taken in allowed:
            self.limits.look()
            if not all(map(self._meet, taken.paths, shown.paths)):
                continue
            if taken.is_undefined or taken.is_cut:
                disjuncts.append(z3.Not(z3.And(*taken.conditions)))
            elif not shown.is_undefined and not shown.is_cut:
                holds = refined(taken, shown, self._names)
                if holds is not False:
                    disjuncts.append(z3.Not(z3.And(*taken.conditions, _term(holds))))
        return disjuncts

    def _meet(self, first: Path, second: Path) -> bool:
        """Whether some inputs lead one side's thread along the one path and the other's along the other."""
        known = self._together.get((first, second))
        return self._together[second, first] if known is None else known

    # -- without ------------------------------------------------------------------------------------------

    # -- inputs -----------------------------------------------------------------------------------------

    def _inputs(self) -> list[list[RuntimeValue]]:
        """Per parameter one unknown value per thread; all that an argument is told is a condition."""
        program = Program(self.first.module, Settings())
        world = World(program, Launch(self.first.function.name, self.threads))
        columns: list[list[RuntimeValue]] = []
        for place, parameter in enumerate(self.first.function.parameters):
            if isinstance(parameter.type, PointerType):
                pointer = world.context.address_of(object_name(place))
                columns.append([pointer] * self.threads)
                continue
            names = [f"%{parameter.name} of thread {t}" for t in range(self.threads)]
            columns.append([unknown_of(parameter.type, name, world) for name in names])
        return columns

    def _variables(self) -> dict[str, tuple[RuntimeValue, ...]]:
        """What variables hold at the launch whose contents are an input: unknown values, or those given. Of
        memory that threads share only constants come in question: anything else is not supported."""
        sides = (self.first, self.second)
        names = frozenset[str]().union(*(variables_read(side.module, side.reached) for side in sides))
        world = World(Program(self.first.module, Settings()), Launch(self.first.function.name, self.threads))
        contents = {name.removeprefix("@"): value for name, value in self.globals.items()}
        values: dict[str, tuple[RuntimeValue, ...]] = {}
        for name in sorted(names | contents.keys()):
            modules = [side.module for side in sides if name in side.module.globals]
            if not modules:
                raise UsageError(f"there is no global variable @{name}")
            own, type_ = _kind(modules[0], name)
            if any(_kind(module, name) != (own, type_) for module in modules[1:]):
                raise OutsideSymbolic(f"@{name}, which is of two types")
            if name in contents:
                values |= contents_of(modules[0], {name: contents[name]}, self.threads, world.context)
                continue
            if world.program.layout.measure(type_).elements > LARGEST:
                raise OutsideSymbolic(f"what @{name} holds at the launch")
            words = [f"@{name} of thread {t}" for t in range(self.threads)] if own else [f"@{name}"]
            values[name] = tuple(unknown_of(type_, word, world) for word in words)
        return values

    def _assumptions(self, values: Sequence[Sequence[RuntimeValue]]) -> list[z3.BoolRef]:
        """What is given and assumed of the inputs."""
        conditions: list[z3.BoolRef] = []
        parameters = {p.name: n for n, p in enumerate(self.first.function.parameters)}
        for name, value in self.arguments.items():
            column = values[parameters[name.removeprefix("%")]]
            stream: list[Any] = list(value) if isinstance(value, list | tuple) else [value]
            stream = stream * self.threads if len(stream) == 1 else stream
            for unknown, number in zip(column, stream, strict=False):
                parts = scalars(unknown)
                if len(parts) != 1 or not isinstance(number, int):
                    raise OutsideSymbolic(f"the given value of %{name.removeprefix('%')}")
                conditions.append(parts[0].bits == number)
        for assumption in self.assume:
            column = values[parameters[assumption.parameter]]
            first = scalars(column[0])
            for unknown in column:
                for part, same in zip(scalars(unknown), first, strict=True):
                    if assumption.uniform:
                        conditions.append(part.bits == same.bits)
                    else:
                        conditions += [part.bits >= assumption.low, part.bits <= assumption.high]
        return conditions

    def _side(
        self, side: PreparedSide, values: Sequence[Sequence[RuntimeValue]], conditions: Sequence[z3.BoolRef],
        limits: Budget, base: int, which: str,
    ) -> Symbolic:  # fmt: skip
        settings = Settings(operations=side.options.operations, verified=True, reading=False)
        arguments = [[column[t] for column in values] for t in range(self.threads)]
        contents = {
            name: held
            for name, held in self._contents.items()
            if (variable := side.module.globals.get(name)) is not None
            and (is_input(variable) or name in side.options.globals)
        }
        launch = Launch(side.function.name, self.threads, self.subgroup_size, arguments, contents=contents)
        return Symbolic(World(Program(side.module, settings), launch), base, conditions, limits, which)

    # -- tuples of paths ----------------------------------------------------------------------------------

    def _possible(self, conditions: Sequence[z3.BoolRef]) -> bool:
        self.limits.look()
        answer = check(self._solver, *conditions, seconds=self.limits.clock.remaining)
        if answer == z3.unknown:
            raise TooMany(self.limits.clock.over)
        return bool(answer == z3.sat)

    def _tuples(self) -> Iterator[PathTuple]:
        """The source's paths, one per thread, that some inputs allow, those past the bound left out. The
        solver holds their conditions meanwhile."""
        inside = [
            [path for path in paths if not isinstance(path.end, OutOfBound)] for paths in self.source.paths
        ]
        for paths in product(*inside):
            taken = PathTuple(self.source, paths)
            self._solver.push()
            self._solver.add(*taken.conditions)
            if self._possible([]):
                yield taken
            self._solver.pop()

    def _against(self, taken: PathTuple) -> None:
        """The target's tuples for one of the source's."""
        options = [
            [b for b in self.target.paths[t] if self._together[taken.paths[t], b]]
            for t in range(self.threads)
        ]
        for paths in product(*options):
            self._pair(taken, PathTuple(self.target, paths))
            if self.model is not None:
                return

    def _pair(self, source: PathTuple, target: PathTuple) -> None:
        """One pair of tuples: is there an input for it on which they differ?"""
        self.limits.look()
        self.pairs += 1
        self._solver.push()
        self._solver.add(*target.conditions)
        if target.is_cut:
            self.beyond = self.beyond or (not source.is_undefined and self._possible([]))
        elif target.is_undefined:
            if not source.is_undefined and self._possible([]):
                self._keep_inputs()
        elif source.is_undefined:
            self.less = self.less or self._possible([])
        else:
            self._compare(source, target)
        self._solver.pop()

    def _compare(self, source: PathTuple, target: PathTuple) -> None:
        holds = refined(source, target, self._names)
        if holds is not True and self._possible([z3.Not(_term(holds))]):
            self._keep_inputs()
            return
        if not self.less:
            back = refined(target, source, self._names)
            self.less = back is not True and self._possible([z3.Not(_term(back))])

    def _keep_inputs(self) -> None:
        """The last question had an answer: the inputs, signed as arguments are given."""
        model = self._solver.model()
        assignments: dict[str, list[Any]] = {}
        for parameter, column in zip(self.first.function.parameters, self._values, strict=True):
            if isinstance(parameter.type, PointerType):
                continue
            parts = [[_number(model, s.bits) for s in scalars(value)] for value in column]
            if isinstance(parameter.type, IntType):
                assignments[parameter.name] = [part[0] for part in parts]
            elif isinstance(parameter.type, VectorType) and isinstance(parameter.type.element, IntType):
                assignments[parameter.name] = parts
            else:
                raise OutsideSymbolic(f"a counterexample with %{parameter.name} of its type")
        held: dict[str, list[Any]] = {}
        for name, values in self._contents.items():
            if name not in self.first.options.globals:
                module = self.first.module if name in self.first.module.globals else self.second.module
                held[name] = [_signed_value(model, value, module.globals[name]) for value in values]
        self.model = SymbolicModel(assignments, held)


def _kind(module: Module, name: str) -> tuple[bool, Type]:
    """Whether each thread has a variable of its own, and its object's type."""
    variable = module.globals[name]
    layout = layout_of(module)
    return is_thread_local(variable), object_type(variable, layout)


def _signed_value(model: z3.ModelRef, value: RuntimeValue, variable: GlobalVariable) -> Any:
    """What a variable holds, as it is given."""
    if isinstance(value, Composite):
        return [_signed_value(model, part, variable) for part in value.elements]
    if isinstance(value, Pointer) or not _of_integers(variable.type):
        raise OutsideSymbolic(f"a counterexample with @{variable.name} of its type")
    assert isinstance(value, Value)
    return _number(model, value.bits)


def _of_integers(type_: Type) -> bool:
    while isinstance(type_, ArrayType | VectorType):
        type_ = type_.element
    return isinstance(type_, IntType)


def _number(model: z3.ModelRef, bits: Any) -> int:
    value = model.eval(bits, model_completion=True)
    return int(value.as_long() if bits.size() == 1 else value.as_signed_long())


def _term(holds: Any) -> z3.BoolRef:
    return z3.BoolVal(holds) if isinstance(holds, bool) else holds


def _supported(first: PreparedSide, second: PreparedSide) -> None:
    """Raises OutsideSymbolic for what both sides must not have."""
    for side in (first, second):
        if side.models != ("tokens",):
            raise OutsideSymbolic("uncontrolled convergent operations (infer gives them tokens)")
        for function in side.reached:
            for instruction in function.instructions:
                if not isinstance(instruction, Freeze) and any(map(holds_undef, operands(instruction))):
                    raise OutsideSymbolic("undef")
        if weak := sorted(weak_symbols(side.module, side.reached)):
            raise OutsideSymbolic(f"whether @{weak[0]} is there")
    for name in nameable(first.module) & nameable(second.module):
        a, b = (side.module.globals[name.removeprefix("@")] for side in (first, second))
        if _contents(a) != _contents(b):
            raise OutsideSymbolic(f"different initial contents of {name}")


def _contents(variable: GlobalVariable) -> object:
    return (variable.type, variable.initializer)


# ----------------------------------------------------------------------------------------------------------
# ``--symbolic``: ask z3 for *any* inputs that tell two controlled programs apart (semantics.md, §6).
#
# For one path per thread, the alignment of a controlled program without anchors is a function of the paths
# (fact 2 of semantics.md, §2), so the question is one formula: the inputs lead the source's threads along
# these paths and the target's along those, and what can be seen differs. Anchors leave finitely many
# choices for these paths: then, for one of the target's, that none of the source's shows the same. Without
# a model, the answer holds for all inputs, up to the bound on iterations. Every model is given to the
# concrete engine, and counts only if that finds the difference, too.
# ----------------------------------------------------------------------------------------------------------


PATHS = 2_000
"""Paths of one thread at most."""
STEPS = 20_000
"""Instructions of one path at most."""
SECONDS = 60.0
"""The time for all, where nobody says otherwise."""


def refine_symbolically(
    source: Module | PreparedSide,
    target: Module | PreparedSide,
    *,
    target_function: str | None = None,
    assume: Sequence[Assumption] = (),
    iterations: int = 8,
    max_paths: int = PATHS,
    **launch: Unpack[LaunchOptions],
) -> Refinement:
    """Whether ``target`` refines ``source`` for all inputs that are not poison, up to ``iterations`` passes
    back to any block; for 2 and for 3 threads in one launch group unless ``threads`` says otherwise.

    ``unknown`` names what is not supported (``bound``): uncontrolled operations, memory that threads
    share, addresses that depend on inputs, undef, anchors with too many ways to group. ``arguments`` fix
    some inputs; ``timeout`` (60) bounds the seconds. Raises what :func:`convergence.refine.refine` raises.
    """
    return compare_symbolically(
        source, target, launch_spec(**launch), target_function, assume, iterations, max_paths
    )


@one_thread()
def compare_symbolically(
    source: Module | PreparedSide,
    target: Module | PreparedSide,
    spec: LaunchSpec,
    target_function: str | None = None,
    assume: Sequence[Assumption] = (),
    iterations: int = 8,
    max_paths: int = PATHS,
) -> Refinement:
    """:func:`refine_symbolically`, of a launch that is data."""
    timeout = SECONDS if spec.limits.timeout is None else spec.limits.timeout
    how = replace(spec, uncontrolled="maximal", dfs=Order.TEXT, inputs={})
    source_side, other = _sides(source, target, how, target_function)
    _require_fit(source_side, other)
    check_assumptions(assume, [p.name for p in source_side.function.parameters])
    if other.errors:
        first = other.errors[0]
        return _unknown(BreaksRule(first.rule.id), "nothing was asked")
    if same_text(source_side.module, source_side.function, other.module, other.function):
        return Refinement(
            "equal", same_text_words(source_side.function, source_side.module), {"tokens": "equal"}
        )
    if spec.grid is not None or spec.workgroup is not None:
        return _unknown(NotSymbolic("a grid of workgroups"), "nothing was asked")
    arguments = with_arguments(spec.arguments, source_side.pointed)
    limits = Budget(iterations, max_paths, STEPS, clock_of(timeout, spec.limits.deadline, spec.limits.cpu))
    done: list[SymbolicQuestion] = []
    for count in (2, 3) if spec.threads is None else (spec.threads,):
        try:
            question = SymbolicQuestion(
                source_side, other, count, spec.subgroup_size, arguments, tuple(assume), limits, spec.globals
            )
            question.ask()
        except KeyboardInterrupt:
            notice()
            return _unknown(INTERRUPTED, _for(done, iterations))
        except OutsideSymbolic as problem:
            return _unknown(NotSymbolic(problem.feature), _for(done, iterations))
        except NotModelled as problem:
            return _unknown(NotSymbolic(problem.feature), _for(done, iterations))
        except TooMany as hit:
            return _unknown(hit.bound, _for(done, iterations))
        done.append(question)
        if question.model is not None:
            return _confirmed(question, source_side, other)
        if question.beyond:
            past = PastIterations(question.limits_of_target.iterations)
            return _unknown(past, _for(done[:-1], iterations))
    if not any(question.shows and question.says for question in done):
        why: Unobserved = (
            "nothing-observable" if any(question.says for question in done) else "source-says-nothing"
        )
        return replace(_unknown(None, _for(done, iterations)), unobserved=why)
    verdict: Verdict = "refines" if any(question.less for question in done) else "equal"
    notes = tuple(dict.fromkeys(note for question in done for note in question.notes))
    return Refinement(
        verdict, _for(done, iterations), {"tokens": verdict}, launches=sum(a.pairs for a in done), notes=notes
    )


def strengthened(refinement: Refinement, symbolic: Refinement) -> Refinement:
    """The concrete comparison's answer with what was found symbolically: inputs that it had not tried and
    that tell the two apart, or that there are none."""
    if symbolic.unobserved is not None:
        return replace(refinement, notes=(*refinement.notes, UnobservedSymbolically()))
    if symbolic.verdict == "unknown":
        unknown = UnknownSymbolically(symbolic.bound, symbolic.established)
        return replace(refinement, notes=(*refinement.notes, unknown))
    if symbolic.verdict == "wrong" or refinement.verdict == "unknown":
        return replace(symbolic, notes=(*symbolic.notes, *refinement.notes))
    verdict: Verdict = "equal" if (refinement.verdict, symbolic.verdict) == ("equal", "equal") else "refines"
    established = f"{symbolic.established}; {refinement.established}"
    return replace(refinement, verdict=verdict, established=established, models={"tokens": verdict})


def _unknown(bound: Unknown | None, established: str) -> Refinement:
    return Refinement("unknown", established, {"tokens": "unknown"}, bound=bound)


def _for(done: Sequence[SymbolicQuestion], iterations: int) -> str:
    """For which inputs no difference was found."""
    if not done:
        return "nothing was established symbolically"
    low, high = done[0].threads, done[-1].threads
    threads = f"{low} and {high} threads" if low != high else f"{low} thread{'s' * (low != 1)}"
    up_to = f", up to {iterations} iterations" if any(question.cut for question in done) else ""
    size = done[0].subgroup_size
    if size is not None and size < high:
        groups = f", subgroups of {size}"
    else:
        groups = " in one subgroup" if high > 1 else ""
    return f"for all inputs{up_to}, {threads}{groups} (z3, {sum(a.pairs for a in done)} pairs of path tuples)"


def _confirmed(question: SymbolicQuestion, first: PreparedSide, second: PreparedSide) -> Refinement:
    """The concrete engine's opinion on the inputs that z3 found."""
    assert question.model is not None
    model = question.model
    refinement = refine(
        first, second, threads=question.threads, subgroup_size=question.subgroup_size,
        arguments=model.arguments,
        globals={**question.globals, **model.globals}, assume=question.assume,
        timeout=max(0.5, question.limits.clock.remaining or 0.0),
    )  # fmt: skip
    inputs = [
        *((f"%{n}", v) for n, v in model.arguments.items()),
        *((f"@{n}", v) for n, v in model.globals.items()),
    ]
    assignments = ", ".join(f"{name}={','.join(map(str, values))}" for name, values in inputs)
    where = f"for {assignments}" if assignments else "without arguments"
    if refinement.verdict == "wrong":
        words = f"z3 found inputs that tell the two apart, and running them confirms it: {where}"
        return replace(refinement, established=words)
    arguments = tuple((name, tuple(values)) for name, values in inputs)
    return _unknown(Unconfirmed(arguments, question.threads), "nothing was established symbolically")
