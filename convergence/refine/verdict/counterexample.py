"""The first operation whose group differs between source and target, and why.

The sides have no instruction in common, so an instance is known by its thread, its callee, and which of
the thread's convergent calls of that callee it is. A group is known by its members in these terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...alignment.instances import DynamicInstance, StaticInstance
from ...frozen import dataclass
from ...interruption import notice, spared
from ...ir.module import Function, is_thread_local
from ...semantics.convergence.keys import why_not_converged
from ...semantics.errors import Crash
from ...semantics.machine.launch import is_partial
from ..inputs.inputs import Space
from ..inputs.launch import SPREAD, Argument, Input, Interpretation
from ..sides.observable import SideName
from ..sides.outcomes import Bounds
from ..sides.side import PreparedSide, object_name
from .relation import RefinementRelation, refined, refines
from .result import (
    Counterexample,
    GroupDeparture,
    Model,
    NoCall,
    NotConverged,
    OperationPlace,
    Side,
    TwoOperations,
    Why,
)


@dataclass(frozen=True, slots=True)
class _Call:
    """A thread's ``number``-th (from 1) convergent call of ``callee``."""

    thread: int
    callee: str
    number: int


class _Calls:
    """One side's convergent operations in the terms that both sides share."""

    def __init__(self, side: Side, called: SideName) -> None:
        self.side = side
        self.called = called
        self.names = {group.site: group.operation for group in side.groups}
        self.calls: dict[DynamicInstance, _Call] = {}
        self.instances: dict[_Call, DynamicInstance] = {}
        self.order: list[tuple[int, _Call]] = []
        callees = {g.site: g.callee for g in side.groups if not g.control}
        for thread, visits in enumerate(side.execution.visits):
            counts: dict[str, int] = {}
            instances = (i for visit in visits for i in visit.operations if i.site in callees)
            for place, instance in enumerate(instances):
                callee = callees[instance.site]
                counts[callee] = counts.get(callee, 0) + 1
                call = _Call(thread, callee, counts[callee])
                self.calls[instance] = call
                self.instances[call] = instance
                self.order.append((place, call))
        self.groups: Mapping[_Call, frozenset[_Call]] = {
            self.calls[member]: frozenset(self.calls[m] for m in group.members if m in self.calls)
            for group in side.groups
            if not group.control
            for member in group.members
            if member in self.calls
        }

    def name(self, site: StaticInstance) -> str:
        """A call's name, as alignments have it."""
        return self.names.get(site, f"a call in @{site.function}")

    def place(self, call: _Call) -> OperationPlace | None:
        """Where this side makes a call."""
        instance = self.instances.get(call)
        if instance is None:
            return None
        group = self.groups.get(call)
        threads = None if group is None else tuple(sorted(member.thread for member in group))
        return OperationPlace(self.name(instance.site), instance.nth, threads)

    def why_apart(self, call: _Call, other: _Call) -> Why:
        """Why two calls are not converged on this side."""
        first_instance, two = self.instances.get(call), self.instances.get(other)
        if first_instance is None or two is None:
            absent = call if first_instance is None else other
            return NoCall(self.called, absent.thread, absent.number, absent.callee, other=True)
        if first_instance.site != two.site:
            names = self.name(first_instance.site), self.name(two.site)
            return TwoOperations(self.called, (call.thread, names[0]), (other.thread, names[1]))
        a, b = self.side.keys.get(first_instance), self.side.keys.get(two)
        threads = call.thread, other.thread
        if a is None or b is None:
            return NotConverged(self.called, threads, None)
        difference = why_not_converged(a, b)
        if difference is None:
            return None
        return NotConverged(self.called, threads, difference, difference.named(self.name))


def departure(first: Side, second: Side) -> GroupDeparture | None:
    """The first operation, in the order of the threads' own operations, whose group is not the same on both
    sides; ``None`` if all are the same, and what differs is not who converged with whom."""
    ours, theirs = _Calls(first, "source"), _Calls(second, "target")
    for _, call in sorted({*ours.order, *theirs.order}, key=lambda p: (p[0], p[1].thread, p[1].callee)):
        mine, his = ours.groups.get(call), theirs.groups.get(call)
        if mine == his:
            continue
        return GroupDeparture(
            call.callee, call.thread, call.number, ours.place(call), theirs.place(call),
            _why(ours, theirs, call, mine, his),
        )  # fmt: skip
    return None


def _why(
    ours: _Calls,
    theirs: _Calls,
    call: _Call,
    mine: frozenset[_Call] | None,
    his: frozenset[_Call] | None,
) -> Why:
    """The first member that only one side has, and why the other side has it not."""
    if mine is None or his is None:
        apart = ours if mine is None else theirs
        return NoCall(apart.called, call.thread, call.number, call.callee, begun=call in apart.instances)
    extra = min(mine ^ his, key=lambda c: (c.thread, c.number))
    apart = ours if extra in his else theirs
    return apart.why_apart(call, extra)


# -- A launch in which the target does what the source cannot, made small

SHOWING = 1.0
"""Seconds that there are at least to run again what is shown, where the others are over."""
ATTEMPTS, MANY = 400, 8
"""Smaller inputs that are tried at most; one of so many threads counts as another one each."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """An input for which the refinement fails under a model."""

    model: Model
    input: Input
    relation: RefinementRelation


def counterexample(
    first: PreparedSide, second: PreparedSide, wrong: Wrong, bounds: Bounds, space: Space | None
) -> Counterexample | None:
    """Both sides of the smallest input of ``space`` that is found, or of the one that was found first where
    there is no space to look in; ``None`` if the bound left no execution to show."""
    small = wrong if space is None else minimised(first, second, wrong, bounds, space)
    with spared():  # what is shown is run again, a few times
        return _shown_by(first, second, small, replace(bounds, clock=bounds.clock.spared(SHOWING)))


def _shown_by(
    first: PreparedSide, second: PreparedSide, small: Wrong, bounds: Bounds
) -> Counterexample | None:
    """What a launch shows; ``None`` if the bound left no execution."""
    input_, model = small.input, small.model
    for side in (first, second):
        _require_reflexive(side, model, input_, bounds)
    assert small.relation.mismatch is not None
    target = second.runnable(model).side(input_, small.relation.outcome, bounds)
    source = first.runnable(model).side(input_, small.relation.nearest, bounds)
    if source is None or target is None:
        return None
    names = [p.name for p in first.function.parameters]
    return Counterexample(
        threads=input_.threads,
        subgroup_size=input_.subgroup_size,
        shape=input_.shape,
        function=first.function.name,
        arguments={
            name: _places(first.function, values) or tuple(_plain(v) for v in values)
            for name, values in zip(names, input_.arguments, strict=not input_.globals)
            if values is not None
        },
        globals=_contents(first, second, input_),
        inputs=first.runnable(model).answered(input_, bounds),
        paths=input_.paths,
        source=source,
        target=target,
        difference=small.relation.mismatch,
        departure=departure(source, target),
        buffers=_buffers(first, second, input_),
        shared=_shared(first.function, input_),
        writes=input_.interpretation.writes,
        writer=input_.interpretation.writer,
        partial=input_.shape is None and is_partial(first.module, first.function, input_.threads),
    )


def _require_reflexive(side: PreparedSide, model: Model, input_: Input, bounds: Bounds) -> None:
    """Each side refines itself: run again, it does the same. If not, the fault is ours, and no verdict."""
    known, again = side.outcomes(model, input_, bounds), side.runnable(model).outcomes(input_, bounds)
    if "fails" in (refines(known, again).answer, refines(again, known).answer):
        raise Crash(f"@{side.function.name} does not refine itself")


def _contents(first: PreparedSide, second: PreparedSide, input_: Input) -> dict[str, tuple[object, ...]]:
    """What variables hold at the launch: one value of those that threads share."""
    columns = input_.arguments[len(input_.arguments) - len(input_.globals) :]
    inputs: dict[str, tuple[object, ...]] = {}
    for name, values in zip(input_.globals, columns, strict=True):
        variable = first.module.globals.get(name) or second.module.globals.get(name)
        if values is not None:
            own = variable is not None and is_thread_local(variable)
            inputs[name] = tuple(_plain(v) for v in (values if own else values[:1]))
    return inputs


def _buffers(
    first: PreparedSide, second: PreparedSide, input_: Input
) -> dict[str, tuple[str, tuple[int, ...]]]:
    """What the objects of a comparison hold, but for those that the input gives something else."""
    names = {
        object_name(place)
        for place, values in enumerate(input_.arguments[: len(first.function.parameters)])
        if values is None or {str(value).partition("+")[0] for value in values} != {f"@{object_name(place)}"}
    }
    objects = {**second.objects, **first.objects}
    return {
        contents.key: (contents.element, contents.contents_for(name, input_.memory))
        for name, contents in sorted(objects.items())
        if contents.key and name not in names
    }


def _places(function: Function, values: Sequence[Argument]) -> tuple[object, ...]:
    """Different places of threads in parameters' objects, as ``--arg`` takes them where ``--buffer`` gives
    the objects; nothing where all threads have the same, or one points elsewhere."""
    keys = {f"@{object_name(place)}": f"@%{p.name}" for place, p in enumerate(function.parameters)}
    parts = [value.partition("+") for value in values if isinstance(value, str)]
    if len(set(values)) < 2 or len(parts) < len(values) or any(start not in keys for start, _, _ in parts):
        return ()
    return tuple(f"{keys[start]}{plus}{offset}" for start, plus, offset in parts)


def _shared(function: Function, input_: Input) -> dict[str, str]:
    """The parameters that point into the object of another one, as ``--buffer`` takes it."""
    keys = {object_name(place): f"%{p.name}" for place, p in enumerate(function.parameters)}
    shared: dict[str, str] = {}
    for place, parameter in enumerate(function.parameters):
        values = input_.arguments[place]
        if values is None or len(set(values)) != 1 or not isinstance(values[0], str):
            continue
        name, plus, offset = values[0].removeprefix("@").partition("+")
        if name in keys and values[0] != f"@{object_name(place)}":
            shared[f"%{parameter.name}"] = f"{keys[name]}{plus}{offset}"
    return shared


def _plain(value: Argument) -> object:
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def minimised(first: PreparedSide, second: PreparedSide, wrong: Wrong, bounds: Bounds, space: Space) -> Wrong:
    """Fewest threads, then one launch group, then the smallest values, as far as single steps lead."""
    left = ATTEMPTS
    best = wrong
    tried = {best.input}
    progress = True
    while progress and left > 0:
        progress = False
        for smaller in _smaller(best.input):
            if smaller in tried or not space.allows(smaller):
                continue
            tried.add(smaller)
            left -= 1 + smaller.threads // MANY
            if left < 0 or bounds.clock.hit() is not None:
                return best
            try:
                source = first.outcomes(best.model, smaller, bounds)
                target = second.outcomes(best.model, smaller, bounds)
                relation = refined(first, second, source, target, best.model, smaller, bounds)
            except KeyboardInterrupt:
                notice()
                return best
            if notice():
                return best
            if relation.answer == "fails":
                best = Wrong(best.model, smaller, relation)
                progress = True
                break
    return best


def _smaller(input_: Input) -> Iterator[Input]:
    """Inputs one step smaller, the largest steps first."""
    if input_.threads > 1 and input_.paths is None and input_.shape is None:
        for thread in reversed(range(input_.threads)):
            yield _without(input_, thread)
    if input_.subgroup_size is not None:
        yield replace(input_, subgroup_size=None)
    if input_.memory:
        yield replace(input_, memory=())
        if input_.memory != (0,):
            yield replace(input_, memory=(0,))
    if input_.interpretation != SPREAD:
        yield replace(input_, interpretation=SPREAD)
        yield from _smaller_interpretation(input_)
    for place, values in enumerate(input_.arguments):
        if values is None:
            continue
        for thread, value in enumerate(values):
            if isinstance(value, str):  # pointers stay apart, or become the same for all
                continue
            for less in _less(value):
                changed = (*values[:thread], less, *values[thread + 1 :])
                yield replace(
                    input_, arguments=(*input_.arguments[:place], changed, *input_.arguments[place + 1 :])
                )
        if len(set(values)) == 1:
            for less in _less(values[0]):
                changed = (less,) * len(values)
                yield replace(
                    input_, arguments=(*input_.arguments[:place], changed, *input_.arguments[place + 1 :])
                )


def _smaller_interpretation(input_: Input) -> Iterator[Input]:
    now = input_.interpretation
    for thread, count in enumerate(now.counts):
        if count > 0:
            counts = (*now.counts[:thread], count - 1, *now.counts[thread + 1 :])
            yield replace(input_, interpretation=Interpretation(now.kind, now.seed, counts, now.first))


def _without(input_: Input, thread: int) -> Input:
    arguments = tuple(
        None if values is None else (*values[:thread], *values[thread + 1 :]) for values in input_.arguments
    )
    size = input_.subgroup_size
    return replace(
        input_,
        threads=input_.threads - 1,
        arguments=arguments,
        subgroup_size=None if size is None or size >= input_.threads - 1 else size,
    )


def _less(value: Argument) -> tuple[Argument, ...]:
    """Simpler values than this one; of an aggregate of integers, with zeros: everywhere, or in one place."""
    if isinstance(value, tuple):
        zeros = tuple(0 if isinstance(part, int) else part for part in value)
        places = [n for n, part in enumerate(value) if part != zeros[n]]
        one_less = [(*value[:n], 0, *value[n + 1 :]) for n in places]
        return tuple(dict.fromkeys((zeros, *one_less))) if places else ()
    if isinstance(value, str) and value.startswith("@") and "+" in value:
        return (value.partition("+")[0],)
    if isinstance(value, bool) or not isinstance(value, int):
        return (0.0,) if isinstance(value, float) and value != 0.0 else ()
    if value == 0:
        return ()
    step = value - 1 if value > 0 else value + 1
    if value == 1:
        return (0,)
    return tuple(dict.fromkeys((0, 1, abs(value) // 2, step)))
