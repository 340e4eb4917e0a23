"""What enumeration found: every legal alignment and every outcome, in an order that no engine decides."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..alignment import Alignment, ConvergedWith, Execution, canonical, picture
from ..frozen import Shown
from ..ir.cfg import Order
from ..ir.module import Module
from ..semantics import ENDING_NAMES, Cut, Deadlock, Ending, Endless, Returned, UndefinedBehaviour
from ..semantics.machine import Called, Event
from ..semantics.machine.launch import LaunchSpec
from ..semantics.machine.run import Group, Outcome

NOTHING = Outcome((), {})
"""What can be seen of an execution that has no complete traces: undefined, or without an end."""
NO_EXECUTION: tuple[Execution, tuple[Group, ...], Outcome] = (
    Execution((), ConvergedWith(frozenset())),
    (),
    NOTHING,
)
"""Execution, groups and outcome of an ending that leaves no complete traces."""


@dataclass(frozen=True, slots=True)
class EnumerationQuestion:
    """What was enumerated, as far as a report needs it: the launched ``function`` of ``module``, the
    successor order ``dfs`` of the search behind the cycle hierarchy, and the launch."""

    module: Module
    function: str
    dfs: Order = Order.TEXT
    spec: LaunchSpec = field(default_factory=LaunchSpec)


@dataclass(frozen=True, slots=True)
class EnumeratedOutcome:
    """One outcome. ``ending`` is ``returned``, ``undefined-behaviour``, ``deadlock`` or ``endless``;
    ``outcome`` is :data:`NOTHING` unless it is ``returned``.

    ``identity`` is what makes two outcomes the same (semantics.md, §6); ``example`` is the ending of one
    of its executions, whichever the engine came to first.
    """

    ending: str
    identity: Hashable
    outcome: Outcome = field(compare=False)
    example: Ending = field(compare=False)


@dataclass(frozen=True, repr=False, slots=True)
class EnumeratedAlignment(Shown):
    """One alignment of complete executions. ``outcomes`` are the places, in :attr:`Enumeration.outcomes`, of
    what its executions come to: several where memory decides. ``execution`` and ``groups``, with what
    its exchanges returned, are those of one of these executions, with the first of the outcomes."""

    alignment: Alignment
    outcomes: tuple[int, ...]
    execution: Execution = field(compare=False)
    groups: tuple[Group, ...] = field(compare=False)
    question: EnumerationQuestion | None = field(default=None, compare=False, repr=False)

    def __iter__(self) -> Iterator[Group]:
        """The groups of its operations."""
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __bool__(self) -> bool:
        return True

    @property
    def picture(self) -> tuple[str, ...]:
        """A row for each thread: :func:`convergence.picture` of the launched function. None of an alignment
        that was not enumerated for somebody to see."""
        if (request := self.question) is None:
            return ()
        return picture(self.execution, request.module, request.function, search=request.dfs)


@dataclass(frozen=True, repr=False, slots=True)
class Enumeration(Shown):
    """What an engine found. ``complete``: there is no other; else ``bound`` says what cut it. ``open_reads``
    are the variables of which a read gave undef: nobody had written there, or it raced. What is computed
    from that may be anything, and is shown for one choice.

    Two are equal if they are as complete and found the same alignments with the same outcomes:
    :meth:`same` for two engines, ``==`` for the engine's name and the bound too.
    """

    engine: str
    complete: bool
    bound: Cut | None
    alignments: tuple[EnumeratedAlignment, ...]
    outcomes: tuple[EnumeratedOutcome, ...]
    notes: tuple[str, ...] = field(default=(), compare=False)
    question: EnumerationQuestion | None = field(default=None, compare=False, repr=False)
    open_reads: tuple[str, ...] = field(default=(), compare=False)

    def __iter__(self) -> Iterator[EnumeratedAlignment]:
        """The alignments."""
        return iter(self.alignments)

    def __len__(self) -> int:
        return len(self.alignments)

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, place: int) -> EnumeratedAlignment:
        """The alignment at a place, from 0. Raises IndexError."""
        return self.alignments[place]

    def shown_for(self, request: EnumerationQuestion) -> Enumeration:
        """The same answer, which can draw its alignments."""
        alignments = tuple(replace(alignment, question=request) for alignment in self.alignments)
        return replace(self, alignments=alignments, question=request)

    def same(self, other: Enumeration) -> bool:
        """Whether the alignments and outcomes are the same."""
        return self.alignments == other.alignments and self.outcomes == other.outcomes


class ExecutionCollector:
    """Collects what an engine finds, in any order and as often as it likes.

    Per alignment and outcome the execution with the least ``visits`` is kept.
    """

    def __init__(self) -> None:
        self._outcomes: dict[Hashable, EnumeratedOutcome] = {}
        self._pairs: dict[Alignment, dict[Hashable, tuple[Execution, tuple[Group, ...]]]] = {}

    def add(self, ending: Ending, execution: Execution, groups: tuple[Group, ...], outcome: Outcome) -> None:
        """One execution. Only one that ``Returned`` has an alignment, for the traces of others are
        not complete; what is no outcome at all (Illegal, OutOfBound, NotModelled) raises ValueError."""
        if not isinstance(ending, Returned | UndefinedBehaviour | Deadlock | Endless):
            raise ValueError(f"{ENDING_NAMES[type(ending)]} is no outcome")
        complete = isinstance(ending, Returned)
        enumerated = _enumerated(ending, outcome)
        identity = enumerated.identity
        self._outcomes.setdefault(identity, enumerated)
        if complete:
            known = self._pairs.setdefault(canonical(execution), {})
            if identity not in known or execution.visits < known[identity][0].visits:
                known[identity] = (execution, groups)

    def __len__(self) -> int:
        return len(self._pairs)

    @property
    def count(self) -> int:
        """How many outcomes were found."""
        return len(self._outcomes)

    @property
    def several(self) -> bool:
        """Whether an alignment has several outcomes."""
        return any(len(outcomes) > 1 for outcomes in self._pairs.values())

    @property
    def empty(self) -> bool:
        """Whether nothing was found, not even an ending without an alignment."""
        return not self._outcomes

    def finish(
        self,
        engine: str,
        complete: bool,
        bound: Cut | None,
        notes: tuple[str, ...] = (),
        open_reads: tuple[str, ...] = (),
    ) -> Enumeration:
        """The answer: alignments most converged first, outcomes as these alignments come to them,
        equal ones by their contents, and endings that belong to no alignment last."""
        place: dict[Hashable, int] = {}
        alignments = []
        for alignment in sorted(self._pairs, key=exploration_order):
            pairs = self._pairs[alignment]
            ordered = sorted(pairs, key=repr)
            for identity in ordered:
                place.setdefault(identity, len(place))
            execution, groups = pairs[ordered[0]]
            places = tuple(sorted(place[identity] for identity in ordered))
            alignments.append(EnumeratedAlignment(alignment, places, execution, groups))
        for identity in sorted(self._outcomes, key=repr):
            place.setdefault(identity, len(place))
        outcomes = tuple(self._outcomes[identity] for identity in place)
        return Enumeration(engine, complete, bound, tuple(alignments), outcomes, notes, open_reads=open_reads)


def _enumerated(ending: Ending, outcome: Outcome) -> EnumeratedOutcome:
    """What an execution with this ending comes to."""
    complete, name = isinstance(ending, Returned), ENDING_NAMES[type(ending)]
    identity = (name, identity_of(outcome) if complete else None)
    return EnumeratedOutcome(name, identity, outcome if complete else NOTHING, ending)


def sole_outcome(
    ending: Ending, outcome: Outcome, engine: str, notes: tuple[str, ...], open_reads: tuple[str, ...]
) -> Enumeration:
    """An answer that has one outcome and leaves out who was together."""
    return Enumeration(engine, True, None, (), (_enumerated(ending, outcome),), notes, open_reads=open_reads)


def exploration_order(alignment: Alignment) -> tuple[object, ...]:
    """Fewest classes first, then largest groups, lowest threads, earliest instances."""
    sizes = sorted(-len(group) for group in alignment)
    return (len(alignment), tuple(sizes), alignment)


def identity_of(outcome: Outcome) -> Hashable:
    """What the outside can tell an outcome by: nothing of it says which instance made an event."""
    return (
        tuple(
            (t.thread, t.ended, _frozen(t.value), tuple(map(_event, t.events)), t.period, _frozen(t.memory))
            for t in outcome.threads
        ),
        _frozen(outcome.memory),
    )


def _event(event: Event) -> Hashable:
    what = (_frozen(list(event.operands)), _frozen(event.result))
    if isinstance(event, Called):
        group = None if event.group is None else _frozen(event.group)
        return ("call", event.callee, *what, group, _frozen(event.memory))
    return ("volatile", event.operation, *what)


def _frozen(value: object) -> Hashable:
    """Plain data as something to compare and hash; floats by their spelling, so that -0.0 is not 0.0."""
    if value.__class__ is int or value.__class__ is str or value is None:  # most of it
        return value
    if isinstance(value, list | tuple):
        return tuple([_frozen(part) for part in value]) if value else ()
    if value.__class__ is dict or isinstance(value, Mapping):
        return tuple([(key, _frozen(value[key])) for key in sorted(value)])
    return repr(value) if isinstance(value, float) else value
