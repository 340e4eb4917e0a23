"""Whether what the target may do for one input is what the source may do (semantics.md, §6)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from ...frozen import Json, dataclass
from ...ir.calls import accesses_memory
from ...ir.targets import KERNELS, convention_of
from ...sched.enumeration import identity_of
from ...semantics import BoundKind, NoModel, is_bound
from ...semantics.attributes import means_nothing
from ...semantics.machine import Called, Event
from ...semantics.machine.run import Outcome
from ...semantics.operations import effects_of
from ...semantics.values import Place
from ..inputs.launch import Input, spoiled
from ..sides.observable import (
    ALL_NAMED,
    EventMismatch,
    ExtraEvent,
    MaskFault,
    MemoryMismatch,
    Mismatch,
    NoOutcome,
    OnlyEndless,
    OnlyUndefined,
    ReturnMismatch,
    SideName,
    UnnamedObjects,
    computed_formats,
    differ_in_nans,
    difference,
    is_endless,
    opposite,
    progress,
    put_together,
    swapped,
)
from ..sides.outcomes import ENDLESS, UNDEFINED, Bounds, Outcomes
from ..sides.side import PreparedSide, places_differ, unnamed_objects
from ..sides.unmodelled import known_by_name, sets_only_errno
from .result import (
    AddressNumber,
    AnotherObject,
    DeclaredOtherwise,
    KnownByName,
    MayNotRead,
    Model,
    OnlyACopy,
    OnlyBarriers,
    OnlyThere,
    Open,
    PointerWithoutModel,
    PoisonRepeats,
    ValueTaken,
    VolatileCopy,
    WhichNaN,
)

Answer = Literal["holds", "fails", "open"]


@dataclass(frozen=True, slots=True)
class RefinementRelation:
    """``fails``: ``mismatch`` is how they differ, ``outcome`` what the target does and the source cannot (an
    outcome's identity, ``UNDEFINED`` or ``ENDLESS``), ``nearest`` the identity of the source's outcome that
    is nearest to it. ``open``: something is not known of ``side``, and ``open`` says why. ``says``: whether
    the input says anything."""

    answer: Answer
    mismatch: Mismatch | None = None
    outcome: Hashable = None
    nearest: Hashable = None
    open: Open | None = None
    side: SideName = "source"
    says: bool = True

    def cut(self, kind: BoundKind) -> bool:
        """Whether it is open because of such a bound."""
        return is_bound(self.open, kind)

    @property
    def swapped(self) -> RefinementRelation:
        """What was found of the source against the target, with the sides named as they are."""
        mismatch, side = None if self.mismatch is None else swapped(self.mismatch), opposite(self.side)
        return RefinementRelation(
            self.answer, mismatch, self.outcome, self.nearest, self.open, side, self.says
        )


HOLDS = RefinementRelation("holds")
WAITS = "what threads show that wait for one which goes round for ever"


def refines(
    source: Outcomes, target: Outcomes, relaxed: bool = False, unnamed: UnnamedObjects = ALL_NAMED
) -> RefinementRelation:
    """Whether each outcome of the target is refined by some outcome of the source. ``relaxed``: flags of
    arithmetic allow other results than the exact one. ``unnamed``: objects that one side alone has, and
    nobody outside can name.

    If some execution of the source is undefined, or waits for ever, the input says nothing. Of what is frozen
    the source may take each value, and the target must do none that the source does not do for some.
    """
    source = _united(source)
    if source.undefined is not None or source.endless is not None:
        return RefinementRelation("holds", says=False)
    if target.undefined is not None:
        return _fails(source, UNDEFINED, OnlyUndefined("target", target.undefined.reason))
    for identity, outcome in target.by_identity.items():
        if identity in source.by_identity:
            continue
        last, nearest = None, None
        spoils = isinstance(source.undecided, ValueTaken) and source.undecided.of == "freeze"
        for known, allowed in source.by_identity.items():
            mismatch = difference(allowed, outcome, relaxed, unnamed)
            if mismatch is None:
                break
            spoils = spoils and _spoils(mismatch)
            if last is None or progress(mismatch) > progress(last):
                last, nearest = mismatch, known
        else:
            if source.torn and put_together(source.by_identity.values(), outcome, relaxed, unnamed):
                continue
            if is_endless(outcome) and not any(map(is_endless, source.by_identity.values())):
                last = OnlyEndless("target", True)
            if spoils and last is not None and source.bound is None:
                return RefinementRelation("fails", last, identity, nearest)
            return _fails(source, identity, last or NoOutcome("source"), nearest)
    if target.endless is not None and any(map(is_endless, source.by_identity.values())):
        return RefinementRelation("open", open=NoModel(WAITS), side="target")
    if target.wrong is not None:
        return _fails(source, ENDLESS, MaskFault("target", target.wrong))
    if target.endless is not None:
        return _fails(source, ENDLESS, OnlyEndless("target", bool(target.endless.waiting)))
    if target.bound is not None:
        return RefinementRelation("open", open=target.bound, side="target")
    if isinstance(target.undecided, ValueTaken) and source.undecided is None and not target.alternatives:
        return RefinementRelation("open", open=target.undecided, side="target")  # other values may give more
    for alternative in target.alternatives:
        # The source may do it for a value that was not tried.
        if refines(source, alternative, relaxed, unnamed).answer != "holds":
            return RefinementRelation("open", open=target.undecided, side="target")
    return HOLDS


def _united(source: Outcomes) -> Outcomes:
    """What a program may do for any of the values that were tried of what it freezes."""
    if not source.alternatives:
        return source
    tried = (source, *source.alternatives)
    return replace(
        source,
        by_identity={key: outcome for each in tried for key, outcome in each.by_identity.items()},
        undefined=next((each.undefined for each in tried if each.undefined is not None), None),
        endless=next((each.endless for each in tried if each.endless is not None), None),
        bound=next((each.bound for each in tried if each.bound is not None), None),
        alternatives=(),
    )


def _spoils(mismatch: Mismatch) -> bool:
    """Whether the target has poison or undef where the source has a value: that is so whichever it froze."""
    match mismatch:
        case ReturnMismatch(source=source, target=target) | MemoryMismatch(source=source, target=target):
            return _is_worse(source, target)
        case EventMismatch(part="operand", source=source, target=target):
            return _is_worse(source, target)
        case _:
            return False


def _is_worse(source: object, target: object) -> bool:
    if isinstance(source, list | tuple) and isinstance(target, list | tuple) and len(source) == len(target):
        return any(map(_is_worse, source, target))
    return spoiled(target) and not spoiled(source)


def _fails(
    source: Outcomes, outcome: Hashable, mismatch: Mismatch, nearest: Hashable = None
) -> RefinementRelation:
    """The target does what was not found in the source: a failure if nothing else can be there."""
    if source.bound is not None:
        return RefinementRelation("open", open=source.bound)
    if source.undecided is not None:
        return RefinementRelation("open", open=source.undecided)
    if nearest is None and source.by_identity:
        nearest = next(iter(source.by_identity))
    return RefinementRelation("fails", mismatch, outcome, nearest)


# -- Whether a side refines another, with control dependence read exactly where it matters
# Waiting for every branch is faster and finds fewer executions than D-DEP allows: what stands behind a join
# does not depend on the branch. For the side that is compared these will do; the side that it is compared
# with is looked at again, without waiting behind joins, before anything is called wrong.


def refined(
    first: PreparedSide,
    second: PreparedSide,
    source: Outcomes,
    target: Outcomes,
    model: Model,
    input_: Input,
    bounds: Bounds,
) -> RefinementRelation:
    """Whether ``target``, the outcomes of ``second``, refines ``source``, those of ``first``. Raises as
    running it does."""
    whole, own = _completed(first, source, target, input_)
    relaxed = first.is_relaxed or second.is_relaxed
    # objects are told apart only in an outcome that is none of the source's
    alike = whole.by_identity.keys() <= source.by_identity.keys()
    unnamed = ALL_NAMED if alike else unnamed_objects(first, second)
    relation = refines(source, whole, relaxed, unnamed)
    # no more of the source tells what the target was not seen to do
    cut = relation.answer == "open" and relation.side == "target" and target.bound is not None
    if relation.answer != "holds" and source.joins and not (cut and bounds.saves):
        wider = replace(bounds, joins=True, executions=2 * bounds.executions)
        free = first.outcomes(model, input_, wider)
        freer = replace(free, by_identity={**source.by_identity, **free.by_identity})
        freer_relation = refines(freer, whole, relaxed, unnamed)
        relation = relation if freer_relation.answer == "fails" else freer_relation
    if relation.outcome in own:
        relation = replace(relation, outcome=own[relation.outcome])
    if relation.side == "target" and relation.open == ValueTaken("undef") == target.undecided:
        # By its text the target takes values of undef. Where poison in their place shows nothing that the
        # source does not do, none of these values can: poison allows more than each (LangRef).
        if second.poisoned is not None:
            poisoned = second.poisoned.outcomes(model, input_, bounds)
            relation_with_poison = refines(
                source,
                _completed(first, source, poisoned, input_)[0],
                relaxed,
                unnamed_objects(first, second),
            )
            if relation_with_poison.answer == "holds":
                return relation_with_poison
    if relation.answer == "fails" and (
        side := _depends_on_places(first, second, source, target, model, input_, bounds)
    ):
        return RefinementRelation("open", open=AddressNumber(), side=side)
    return _certain(first, second, source, target, relation)


def _depends_on_places(
    first: PreparedSide,
    second: PreparedSide,
    source: Outcomes,
    target: Outcomes,
    model: Model,
    input_: Input,
    bounds: Bounds,
) -> SideName | None:
    """Which side does something else where its variables lie at other addresses, if the two sides' variables
    do not lie alike: nobody says where they lie."""
    if not places_differ(first, second):
        return None
    for name, side, known in (("target", second, target), ("source", first, source)):
        if side.counts_addresses:
            moved = (place.outcomes(model, input_, bounds) for place in side.elsewhere)
            if any(outcomes.by_identity.keys() != known.by_identity.keys() for outcomes in moved):
                return "target" if name == "target" else "source"
    return None


def _certain(
    first: PreparedSide,
    second: PreparedSide,
    source: Outcomes,
    target: Outcomes,
    relation: RefinementRelation,
) -> RefinementRelation:
    """What was found, unless a failure may come of what only one side calls, and nobody here models.

    What the target does is known if the execution that does it calls nothing such; what the source may do, if
    none of its executions does. What could not be found out of a target that has such an operation is not
    known because of it, first of all.
    """
    if relation.answer == "holds":
        return relation
    if relation.answer == "fails" and (barrier := _only_barriers(first, second, source, target)):
        if _order_nothing(first, second, source, target):
            return HOLDS
        return RefinementRelation("open", open=OnlyBarriers(barrier), side="target")
    if relation.answer == "fails" and (copies := [*_only_copies(first, second)]):
        return RefinementRelation("open", open=OnlyACopy(min(copies)), side="target")
    additions, removed = second.without_model - first.called, first.without_model - second.called
    if relation.answer == "fails" and (otherwise := _declared_otherwise(first, second)):
        if names := target.unmodelled.get(relation.outcome, otherwise) & otherwise:
            return RefinementRelation("open", open=DeclaredOtherwise(min(names)), side="target")
    match relation:
        case RefinementRelation("fails", EventMismatch(part="memory", event=event)) if (
            known_by_name(event.removeprefix("@"))
            or first.promises_aliases
            or _given_places(source, event, unnamed_objects(first, second).names)
        ):
            return RefinementRelation("open", open=MayNotRead(event.removeprefix("@")), side="target")
        case RefinementRelation("fails", EventMismatch() as mismatch) if operation := _volatile_copy(
            source, mismatch
        ):
            return RefinementRelation("open", open=VolatileCopy(operation), side="source")
        case RefinementRelation("fails", MemoryMismatch() as mismatch) if differ_in_nans(
            mismatch.source,
            mismatch.target,
            computed_formats(first.reached) | computed_formats(second.reached),
        ):
            return RefinementRelation("open", open=WhichNaN(), side="target")
        case RefinementRelation("fails", EventMismatch(part="operand") as mismatch) if _another_object(
            mismatch
        ):
            return RefinementRelation(
                "open", open=AnotherObject(mismatch.event.removeprefix("@")), side="target"
            )
        case RefinementRelation("fails", EventMismatch() | ExtraEvent()) if callee := _given_poison(
            first, source
        ):
            return RefinementRelation("open", open=PoisonRepeats(callee), side="source")
        case RefinementRelation("fails") if pointers := (
            first.pointers_without_model.intersection(*[frozenset().union(*source.unmodelled.values())])
            | (
                target.unmodelled.get(relation.outcome, second.pointers_without_model)
                & second.pointers_without_model
            )
        ):
            return RefinementRelation("open", open=PointerWithoutModel(min(pointers)), side="source")
        case RefinementRelation("fails"):
            mine = target.unmodelled.get(relation.outcome, additions) & additions
            theirs = removed.intersection(*([frozenset().union(*source.unmodelled.values())]))
        case RefinementRelation("open", side="target") if not is_bound(relation.open, BoundKind.INTERRUPTED):
            mine, theirs = additions, frozenset[str]()
        case _:
            return relation
    if mine:
        return RefinementRelation("open", open=OnlyThere(min(mine)), side="target")
    if theirs:
        return RefinementRelation("open", open=OnlyThere(min(theirs)), side="source")
    if relation.answer == "fails" and (callee := _known_to_llvm(first, second, source, relation.mismatch)):
        return RefinementRelation("open", open=KnownByName(callee), side="source")
    return relation


def _only_barriers(first: PreparedSide, second: PreparedSide, source: Outcomes, target: Outcomes) -> str:
    """A barrier that the target leaves out, or replaces by another, if that is all: each of its outcomes is
    the source's but for calls of barriers, and those that it makes have the same groups, in the same order,
    as some of the source's. A barrier with other threads is another matter, and so is one that is there as
    before, and has changed places with something else."""
    names = first.barriers | second.barriers
    if not names or target.undefined is not None or target.endless is not None:
        return ""
    meets = names - (first.arrivals | second.arrivals | _NO_INSTRUCTION)
    before = [_barriers(outcome, names) for outcome in source.by_identity.values()]
    unnamed = unnamed_objects(first, second)
    allowed = [
        (_without(outcome, names), _meetings(outcome, meets)) for outcome in source.by_identity.values()
    ]
    for identity, outcome in target.by_identity.items():
        if identity in source.by_identity:
            continue
        bare, meetings = _without(outcome, names), _meetings(outcome, meets)
        if is_endless(outcome) or _barriers(outcome, names) in before:
            return ""
        if not any(
            all(map(_is_part, meetings, more)) and difference(known, bare, False, unnamed) is None
            for known, more in allowed
        ):
            return ""
    return min(first.barriers ^ second.barriers or names)


_NO_INSTRUCTION = frozenset(("llvm.amdgcn.wave.barrier",))
"""Barriers for the compiler alone (IntrinsicsAMDGPU.td): at one more of them no thread waits."""


def _order_nothing(first: PreparedSide, second: PreparedSide, source: Outcomes, target: Outcomes) -> bool:
    """Whether what the barriers order is all in what was compared: nothing else is seen of the source. Then
    they order the accesses of the text, whose orders and races were explored without them; and what comes
    before and behind the function, which of a kernel nothing does, and which one of them orders as well as
    several, where the text has no access."""
    names = first.barriers | second.barriers
    shown = (e for outcome in source.by_identity.values() for t in outcome.threads for e in t.events)
    if not all(isinstance(e, Called) and e.callee in names for e in shown):
        return False
    if any(side.reads_unmodelled(names) for side in (first, second)):
        return False
    if convention_of(first.function.convention) in KERNELS:
        return True
    if any(accesses_memory(side.module) for side in (first, second)):
        return False
    before, after = (_kinds(outcomes, names) for outcomes in (source, target))
    return all(kinds in before for kinds in after)


def _kinds(outcomes: Outcomes, names: Collection[str]) -> list[list[frozenset[Hashable]]]:
    """By outcome and thread, the different barriers that it comes to, with whom."""
    return [
        [
            frozenset(
                (e.callee, repr(e.operands), frozenset(e.group or ()))
                for e in t.events
                if isinstance(e, Called) and e.callee in names
            )
            for t in outcome.threads
        ]
        for outcome in outcomes.by_identity.values()
    ]


def _barriers(outcome: Outcome, names: Collection[str]) -> list[list[str]]:
    """Which barriers each thread comes to, in order."""
    return [
        [e.callee for e in t.events if isinstance(e, Called) and e.callee in names] for t in outcome.threads
    ]


def _meetings(outcome: Outcome, names: Collection[str]) -> list[list[frozenset[int]]]:
    """Whom each thread meets at barriers, in order."""
    return [
        [frozenset(e.group or ()) for e in t.events if isinstance(e, Called) and e.callee in names]
        for t in outcome.threads
    ]


def _is_part(some: Sequence[frozenset[int]], of: Sequence[frozenset[int]]) -> bool:
    """Whether a sequence is left of another where some of that is left out."""
    rest = iter(of)
    return all(meeting in rest for meeting in some)


def _without(outcome: Outcome, names: Collection[str]) -> Outcome:
    """An outcome without the events that are calls of these functions, its others numbered anew."""
    kept = [
        [n for n, e in enumerate(t.events, 1) if not (isinstance(e, Called) and e.callee in names)]
        for t in outcome.threads
    ]
    number = {
        (t.thread, old): new
        for t, numbers in zip(outcome.threads, kept, strict=True)
        for new, old in enumerate(numbers, 1)
    }
    threads = (
        replace(t, events=tuple(_renumbered(t.events[n - 1], number) for n in numbers))
        for t, numbers in zip(outcome.threads, kept, strict=True)
    )
    return replace(outcome, threads=tuple(threads))


def _renumbered(event: Event, number: Mapping[tuple[int, int], int]) -> Event:
    if not isinstance(event, Called) or event.group is None:
        return event
    return replace(event, group={t: number.get((t, n), n) for t, n in event.group.items()})


_COPIES = ("llvm.memcpy", "llvm.memmove", "llvm.memset", "llvm.matrix.")
"""How the names of operations begin that access more than one value."""


def _volatile_copy(source: Outcomes, mismatch: EventMismatch) -> str:
    """The volatile operation on several values that the source has in the place of an event of the target's
    that differs, if it is one."""
    for outcome in source.by_identity.values():
        for thread in outcome.threads:
            if thread.thread != mismatch.thread or len(thread.events) < mismatch.number:
                continue
            event = thread.events[mismatch.number - 1]
            if not isinstance(event, Called) and event.operation.startswith(_COPIES):
                return event.operation
    return ""


def _another_object(mismatch: EventMismatch) -> bool:
    """Whether it is a pointer that is not captured in which two calls differ, and to a stack object on one
    side alone: such are called by the operand (:class:`.Correspondence`)."""
    sides = mismatch.source, mismatch.target
    return any(
        isinstance(a, str) and a.startswith("operand ") and isinstance(b, Place)
        for a, b in (sides, sides[::-1])
    )


def _given_places(source: Outcomes, event: str, unnamed: frozenset[str]) -> bool:
    """Whether a call of this name is given a pointer into a variable that one side alone has: what else lies
    in the variable may differ."""
    calls = (e for o in source.by_identity.values() for t in o.threads for e in t.events)
    return any(
        isinstance(operand, Place) and operand.object.startswith("@") and operand.object in unnamed
        for call in calls
        if isinstance(call, Called) and f"@{call.callee}" == event
        for operand in call.operands
    )


def _given_poison(first: PreparedSide, source: Outcomes) -> str:
    """What the source calls several times with poison or undef that writes nothing, if it has such calls: of
    equal ones the first is an event, and what a target takes for the poison may differ from call to call."""
    for outcome in source.by_identity.values():
        for event in (e for thread in outcome.threads for e in thread.events):
            if not isinstance(event, Called) or not any(map(spoiled, event.operands)):
                continue
            effects = effects_of(first.module.function_attributes(event.callee))
            if not (effects.reads and effects.writes):
                return event.callee
    return ""


BARRIER_STATES = frozenset({"llvm.amdgcn.s.get.barrier.state", "llvm.amdgcn.s.get.named.barrier.state"})
"""What tells who has come to a barrier: a stand-in of it tells a barrier's name, and its parts, from those
that a pass puts in their place."""


def _known_to_llvm(
    first: PreparedSide, second: PreparedSide, source: Outcomes, mismatch: Mismatch | None
) -> str:
    """What the source calls without a model, where LLVM knows what it gives or writes: its results are used
    less in the target, which may know them, or a value differs that may come of what it writes. A call that
    repeats another one, and is gone as LLVM says that both write to one place, counts too."""
    executed = frozenset().union(*source.unmodelled.values())
    if states := BARRIER_STATES & executed:
        return min(states)
    values = isinstance(mismatch, MemoryMismatch | ReturnMismatch) or (
        isinstance(mismatch, EventMismatch) and mismatch.part in ("operand", "memory")
    )
    for name, calls in sorted(first.known_calls.items()):
        there = second.known_calls.get(name)
        if name not in executed or there is None:
            continue
        if there.calls < calls.calls or there.uses < calls.uses or (calls.writes and values):
            return name
    missing = _missing_call(mismatch)
    if missing in first.known_calls and missing in executed and sets_only_errno(missing):
        return missing
    if isinstance(mismatch, ExtraEvent) and mismatch.side == "source":
        name = mismatch.event.removeprefix("@")
        reads = effects_of(first.module.function_attributes(name)).reads
        if not reads and name in unnamed_objects(first, second).uncaptured:
            return name
    return ""


def _missing_call(mismatch: Mismatch | None) -> str:
    """What the source calls where the target has no event, or another one."""
    match mismatch:
        case ExtraEvent(side="source", event=event):
            return event.removeprefix("@")
        case EventMismatch(part="callee", source=str(event)):
            return event.removeprefix("@")
        case _:
            return ""


def _declared_otherwise(first: PreparedSide, second: PreparedSide) -> frozenset[str]:
    """What both sides call without a model, LLVM knows by name, and only one side's attributes promise
    something of: a pass that knows the function adds what it knows."""
    both = first.without_model & second.without_model
    return frozenset(name for name in both if _promised(first, name) != _promised(second, name))


def _only_copies(first: PreparedSide, second: PreparedSide) -> Iterator[str]:
    """What one side calls by a copy of a body elsewhere (LangRef, *Linkage Types*: ``available_externally``)
    and the other one only declares."""
    for side, without in ((first, second), (second, first)):
        for name in side.called:
            copy, declared = side.module.functions.get(name), without.module.functions.get(name)
            if copy is None or declared is None or copy.is_declaration or not declared.is_declaration:
                continue
            if "available_externally" in copy.words:
                yield name


def _promised(side: PreparedSide, name: str) -> frozenset[str]:
    words = side.module.function_attributes(name)
    return frozenset(word for word in words if not means_nothing(word))


def _completed(
    first: PreparedSide, source: Outcomes, target: Outcomes, input_: Input
) -> tuple[Outcomes, Mapping[Hashable, Hashable]]:
    """The target's outcomes with the variables that only ``first`` has, to which nothing in the target can
    have written; and, for each, what identifies it without them."""
    if not (source.by_identity and target.by_identity):
        return target, {}
    mine, second = (next(iter(side.by_identity.values())).contents for side in (source, target))
    if mine.names <= second.names:
        return target, {}
    before = first.contents(input_)
    outcomes: dict[Hashable, Outcome] = {}
    own: dict[Hashable, Hashable] = {}
    for identity, outcome in target.by_identity.items():
        threads = tuple(
            replace(thread, memory=_with(thread.memory, held.keys(), start))
            for thread, held, start in zip(outcome.threads, mine.own, before.own, strict=True)
        )
        whole = Outcome(threads, _with(outcome.memory, mine.shared.keys(), before.shared))
        outcomes[identity_of(whole)] = whole
        own[identity_of(whole)] = identity
    alternatives = tuple(_completed(first, source, other, input_)[0] for other in target.alternatives)
    return replace(target, by_identity=outcomes, alternatives=alternatives), own


def _with(memory: Mapping[str, Json], names: Collection[str], before: Mapping[str, Json]) -> dict[str, Json]:
    """A memory with these variables: what it lacks of them is as it was before."""
    return {**memory, **{name: before[name] for name in sorted(set(names) - memory.keys())}}
