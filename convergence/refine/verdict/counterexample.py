"""A launch in which the target does what the source cannot, made small."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...interruption import notice, spared
from ...semantics.errors import Crash
from ..inputs.inputs import Space
from ..inputs.launch import Argument, Input
from ..sides.interpretation import SPREAD, Interpretation
from ..sides.outcomes import Bounds
from ..sides.side import Prepared
from .first_difference import departure
from .relation import Relation, refined, refines
from .result import Counterexample, Model

ATTEMPTS = 400
"""Smaller inputs that are tried at most."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """An input for which the refinement fails under a model."""

    model: Model
    input: Input
    relation: Relation


def counterexample(
    one: Prepared, other: Prepared, wrong: Wrong, bounds: Bounds, space: Space | None
) -> Counterexample | None:
    """Both sides of the smallest input of ``space`` that is found, or of the one that was found first where
    there is no space to look in; ``None`` if the bound left no execution to show."""
    small = wrong if space is None else minimised(one, other, wrong, bounds, space)
    with spared():  # what is shown is run again, a few times
        return _shown_by(one, other, small, bounds)


def _shown_by(one: Prepared, other: Prepared, small: Wrong, bounds: Bounds) -> Counterexample | None:
    """What a launch shows; ``None`` if the bound left no execution."""
    input_, model = small.input, small.model
    for side in (one, other):
        _require_reflexive(side, model, input_, bounds)
    assert small.relation.mismatch is not None
    target = other.runnable(model).side(input_, small.relation.outcome, bounds)
    source = one.runnable(model).side(input_, small.relation.nearest, bounds)
    if source is None or target is None:
        return None
    names = [p.name for p in one.function.parameters]
    return Counterexample(
        threads=input_.threads,
        subgroup_size=input_.subgroup_size,
        function=one.function.name,
        arguments={
            name: tuple(_shown(v) for v in values)
            for name, values in zip(names, input_.arguments, strict=True)
            if values is not None
        },
        inputs=one.runnable(model).answered(input_, bounds),
        paths=input_.paths,
        source=source,
        target=target,
        difference=small.relation.mismatch,
        departure=departure(source, target),
    )


def _require_reflexive(side: Prepared, model: Model, input_: Input, bounds: Bounds) -> None:
    """Each side refines itself: run again, it does the same. If not, the fault is ours, and no verdict."""
    known, again = side.outcomes(model, input_, bounds), side.runnable(model).outcomes(input_, bounds)
    if "fails" in (refines(known, again).answer, refines(again, known).answer):
        raise Crash(f"@{side.function.name} does not refine itself")


def _shown(value: Argument) -> object:
    return [_shown(part) for part in value] if isinstance(value, tuple) else value


def minimised(one: Prepared, other: Prepared, wrong: Wrong, bounds: Bounds, space: Space) -> Wrong:
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
            left -= 1
            if left < 0 or (bounds.left is not None and bounds.left <= 0):
                return best
            try:
                source = one.outcomes(best.model, smaller, bounds)
                target = other.outcomes(best.model, smaller, bounds)
                relation = refined(one, source, target, best.model, smaller, bounds)
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
    if input_.threads > 1 and input_.paths is None:
        for thread in reversed(range(input_.threads)):
            yield _without(input_, thread)
    if input_.subgroup_size is not None:
        yield replace(input_, subgroup_size=None)
    if input_.interpretation != SPREAD:
        yield replace(input_, interpretation=SPREAD)
        yield from _smaller_interpretation(input_)
    for place, values in enumerate(input_.arguments):
        if values is None:
            continue
        for thread, value in enumerate(values):
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
    """Simpler values than this one."""
    if isinstance(value, bool) or not isinstance(value, int):
        return (0.0,) if isinstance(value, float) and value != 0.0 else ()
    if value == 0:
        return ()
    step = value - 1 if value > 0 else value + 1
    if value == 1:
        return (0,)
    return tuple(dict.fromkeys((0, 1, abs(value) // 2, step)))
