"""Whether a side refines another, with control dependence read exactly where it matters.

Waiting for every branch is faster and finds fewer executions than D-DEP allows: what stands behind a join
does not depend on the branch. For the side that is compared these will do; the side that it is compared
with is looked at again, without waiting behind joins, before anything is called wrong.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace

from ..sched.enumeration import identity_of
from ..semantics.outcome import Outcome
from .execute import Bounds, Outcomes
from .launch import Input
from .prepared import Prepared
from .relation import Relation, refines
from .result import Model


def refined(
    one: Prepared, source: Outcomes, target: Outcomes, model: Model, input_: Input, bounds: Bounds
) -> Relation:
    """Whether ``target`` refines ``source``, which are the outcomes of ``one``. Raises as running it does."""
    whole, own = _completed(one, source, target)
    found = refines(source, whole)
    if found.answer != "holds" and source.joins:
        wider = replace(bounds, joins=True, executions=2 * bounds.executions)
        freer = refines(one.outcomes(model, input_, wider), whole)
        found = found if freer.answer == "fails" else freer
    return replace(found, outcome=own.get(found.outcome, found.outcome))


def _completed(
    one: Prepared, source: Outcomes, target: Outcomes
) -> tuple[Outcomes, Mapping[Hashable, Hashable]]:
    """The target's outcomes with the variables that only ``one`` has, to which nothing in the target can have
    written; and, for each, what identifies it without them."""
    if not (source.found and target.found):
        return target, {}
    ours, theirs = (next(iter(side.found.values())).memory.keys() for side in (source, target))
    if ours <= theirs:
        return target, {}
    kept = {name: one.contents[name] for name in sorted(ours - theirs)}
    found: dict[Hashable, Outcome] = {}
    own: dict[Hashable, Hashable] = {}
    for identity, outcome in target.found.items():
        whole = Outcome(outcome.threads, {**outcome.memory, **kept})
        found[identity_of(whole)] = whole
        own[identity_of(whole)] = identity
    return replace(target, found=found), own
