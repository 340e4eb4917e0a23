"""The first operation whose group differs between source and target, and why.

The sides have no instruction in common, so an instance is known by its thread, its callee, and which of
the thread's convergent calls of that callee it is. A group is known by its members in these terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...alignment import DynamicInstance, StaticInstance
from ...frozen import dataclass
from ...interruption import notice, spared
from ...ir.module import Function, Module, is_thread_local
from ...semantics import INTERRUPTED, BoundKind, Crash, is_bound
from ...semantics.convergence import why_not_converged
from ...semantics.machine.launch import is_partial
from ..inputs.inputs import Space
from ..inputs.launch import SPREAD, Argument, Input, Interpretation
from ..sides.observable import Mismatch, SideName
from ..sides.outcomes import Bounds
from ..sides.side import PreparedSide, object_name
from .relation import RefinementRelation, refined, refines
from .result import (
    Counterexample,
    GroupDeparture,
    InPart,
    LeftOut,
    Model,
    MoreLaunches,
    MoreUnknown,
    NoCall,
    NotConverged,
    Note,
    Open,
    OpenSide,
    OperationPlace,
    PassedOver,
    Side,
    SilentLaunches,
    TwoOperations,
    Unknown,
    Unobserved,
    Verdict,
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
            name: _places(first.function, name, values) or tuple(_plain(v) for v in values)
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


def _places(function: Function, parameter: str, values: Sequence[Argument]) -> tuple[object, ...]:
    """Places of threads in parameters' objects, as ``--arg`` takes them where ``--buffer`` gives the objects:
    different ones, or one behind the beginning of the parameter's own object; nothing where all threads have
    another place, or one points elsewhere."""
    keys = {f"@{object_name(place)}": f"@%{p.name}" for place, p in enumerate(function.parameters)}
    parts = [value.partition("+") for value in values if isinstance(value, str)]
    if len(parts) < len(values) or any(start not in keys for start, _, _ in parts):
        return ()
    behind = all(keys[start] == f"@%{parameter}" and plus for start, plus, _ in parts)
    if len(set(values)) < 2 and not behind:
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
        if name in keys and name != object_name(place):
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


# ----------------------------------------------------------------------------------------------------------
# Inputs of our own choice that have more executions than are looked at: larger ones are passed over.
#
# Free choices multiply: an anchor in a loop has as many executions as there are ways to pair the threads'
# rounds. Which inputs are tried is for the comparison to choose, so it chooses smaller ones, and says so.
# ----------------------------------------------------------------------------------------------------------


TOO_MANY = BoundKind.MAX_EXECUTIONS
"""The bound that such an input runs into."""
FEW = 2
"""Threads whose races are looked at for all data that are tried, where other numbers are tried, too."""
ENOUGH = 8
"""Inputs in which threads can meet that must have been compared before a verdict can rest on them alone."""
LESS = 10
"""After the first such input the others get this part of the executions, so that they end sooner."""


OFTEN, TIMES = 3, 8
"""Inputs that run into the bound on instructions before others get fewer: as many times those of the longest
execution that ended, but no less than a :data:`LESS`th of the bound."""


class Large:
    """The inputs that ran into the bound."""

    def __init__(self) -> None:
        self._inputs: list[Input] = []

    def add(self, input_: Input) -> None:
        """This one did."""
        self._inputs.append(input_)

    def covers(self, input_: Input) -> bool:
        """Whether it is at least as large as one that did, and would run into the bound as well."""
        return any(_at_least(input_, known) for known in self._inputs)

    def bounds(self, bounds: Bounds) -> Bounds:
        """What the next input gets."""
        return replace(bounds, executions=max(1, bounds.executions // LESS)) if self._inputs else bounds


class Long:
    """How long the source's executions are: where some inputs make it run on and on, others of our choice get
    a few times the instructions that the longest execution had which ended."""

    def __init__(self) -> None:
        self._endless = self._longest = 0

    def ended(self, steps: int) -> None:
        """All executions for an input came to an end within so many instructions."""
        self._longest = max(self._longest, steps)

    def ran_on(self) -> None:
        """The bound cut an input short."""
        self._endless += 1

    def bounds(self, bounds: Bounds) -> Bounds:
        """What the source gets of the next input."""
        if self._endless < OFTEN or not self._longest:
            return bounds
        return replace(bounds, steps=min(bounds.steps, max(bounds.steps // LESS, TIMES * self._longest)))


def _at_least(input_: Input, known: Input) -> bool:
    """Whether an input has the other one's threads and more, with values that are no smaller."""
    if input_.threads < known.threads or input_.paths is not None or known.paths is not None:
        return False
    if input_.subgroup_size != known.subgroup_size or input_.interpretation != known.interpretation:
        return False
    return all(_no_smaller(mine, its) for mine, its in zip(input_.arguments, known.arguments, strict=True))


def _no_smaller(mine: tuple[Argument, ...] | None, its: tuple[Argument, ...] | None) -> bool:
    """Of one parameter: the largest values against those of the other input."""
    if mine is None or its is None:
        return mine is its
    numbers, others = _numbers(mine), _numbers(its)
    if numbers is None or others is None:
        return mine[: len(its)] == its
    return all(a >= b for a, b in zip(numbers, others, strict=False))


def _numbers(values: tuple[Argument, ...]) -> list[int] | None:
    """Integers, largest first; ``None`` where there is anything else."""
    numbers = [v for v in values if isinstance(v, int)]
    return sorted(numbers, reverse=True) if len(numbers) == len(values) else None


# -- What a comparison found under one model, input by input, and the verdict that follows

SAME_TEXT = "the same text up to names of values: equal for all inputs"
"""What is established without looking at a run."""
NOTHING_RUN = "the target breaks static rules, nothing was run"
"""The same of a target that is not run."""
UNTOUCHED = "the same text up to names of values: optnone keeps LLVM's passes from the function"
"""The same of a function of which that is no news."""


def same_text_words(function: Function, module: Module) -> str:
    """What is established where a function's target is the same text."""
    return UNTOUCHED if "optnone" in module.resolve(function.attributes) else SAME_TEXT


class Tried:
    """What was found under one model so far. ``more``: what only the source does. ``apart``: no thread
    can meet another one but in memory, so that one alone says as much."""

    def __init__(
        self, model: Model, planned: int, complete: bool, enough: int = ENOUGH, apart: bool = False
    ) -> None:
        self.model = model
        self._apart = apart
        self._enough = enough
        self.launches = 0
        self.wrong: Wrong | None = None
        self.bound: Unknown | None = None
        self._planned = planned
        self._complete = complete
        self._threads: set[int] = set()
        self._silent = 0
        self._left_out = 0
        self._left_out_bound: Open | None = None
        self._together = 0  # launches in which threads can meet, if they ever do but in memory
        self._passed_over = 0
        self._passed_over_bound: Open | None = None
        self.more: Mismatch | None = None
        self.observed = False  # whether some launch showed anything that could have differed
        self.same: str | None = None  # what that the sides are the same text says: nothing needs to be seen
        self._back_open: OpenSide | None = None
        self._out_of_time: Open | None = None
        self._in_part: list[Input] = []
        self._edges = 0  # launches at edges that were compared
        self._wrong_edge: tuple[int, int] | None = None

    def take(self, input_: Input, forth: RefinementRelation, back: RefinementRelation | None) -> bool:
        """One input, whether the target refines the source there, and, if so, the source the target: ``back``
        names the sides as they are. Whether to go on."""
        self.launches += 1
        self._threads.add(input_.threads)
        self._together += self._apart or (input_.threads > 1 and input_.subgroup_size != 1)
        self._silent += not forth.says
        match forth.answer:
            case "fails":
                self.wrong = Wrong(self.model, input_, forth)
                return False
            case "open":
                assert forth.open is not None
                self.bound = self.bound or OpenSide(forth.open, forth.side)
        match back:
            case RefinementRelation("fails", mismatch):
                self.more = self.more or mismatch
            case RefinementRelation("open", open=why, side=side):
                assert why is not None
                self._back_open = self._back_open or OpenSide(why, side)
        return True

    def take_edge(
        self,
        input_: Input,
        forth: RefinementRelation,
        back: RefinementRelation | None,
        number: int,
        planned: int,
    ) -> bool:
        """A launch at an edge that was decided, by its ``number`` of all that were ``planned``. Whether to go
        on."""
        if forth.answer == "fails":
            self.wrong, self._wrong_edge = Wrong(self.model, input_, forth), (number, planned)
            return False
        self._edges += 1
        if back is not None and back.answer == "fails":
            self.more = self.more or back.mismatch
        return True

    def cut(self, bound: Open, number: int) -> None:
        """Not all inputs were tried. An interrupt is named before all other bounds, for it was the last."""
        self.bound = bound if bound == INTERRUPTED else self.bound or bound
        self._planned = number

    def in_part(self, input_: Input) -> None:
        """Of an input not all executions were looked at, and what the target does in those is the
        source's."""
        self._in_part.append(input_)

    def suffices(self) -> bool:
        """Whether what was compared until now is enough for a verdict of its own: launches, or, where there
        are no such, some executions of larger ones."""
        return self.bound is None and (self._compared_enough or bool(self._meeting_in_part))

    @property
    def _compared_enough(self) -> bool:
        return self.observed and self._together >= self._enough

    @property
    def _meeting_in_part(self) -> int:
        """Launches in which threads can meet that were compared in part, where no others are enough."""
        if self._compared_enough:
            return 0
        return sum(i.threads > 1 and i.subgroup_size != 1 for i in self._in_part)

    def out_of_time(self, bound: Open, number: int) -> None:
        """The seconds for these inputs are over: the verdict is about those before, and says so."""
        self._out_of_time = bound
        self.stop(number)

    def stop(self, number: int) -> None:
        """Enough was looked at: the inputs after these are not tried."""
        self._complete = self._complete and number == self._planned
        self._planned = number

    def left_out(self, bound: Open) -> None:
        """The source itself ran into a bound, perhaps without an end: such an input says nothing."""
        self._left_out += 1
        self._left_out_bound = bound

    def passed_over(self, bound: Open) -> None:
        """An input of our choice has more executions than are looked at."""
        self._passed_over += 1
        self._passed_over_bound = bound

    def finish(self) -> None:
        """All inputs were tried: too few may be left to rest a verdict on."""
        if self._passed_over and self._together < self._enough and not self._meeting_in_part:
            self.bound = self.bound or self._passed_over_bound
        if self._left_out_bound is not None and not self.launches and not self._meeting_in_part:
            self.bound = self.bound or OpenSide(self._left_out_bound, "source")

    @property
    def timed_out(self) -> bool:
        """Whether there are no seconds left for another launch."""
        return self._out_of_time is not None or is_bound(self.bound, BoundKind.TIMEOUT)

    @property
    def interrupted(self) -> bool:
        return self.bound == INTERRUPTED

    @property
    def unobserved(self) -> Unobserved | None:
        """Why the launches without a difference say nothing, if they do not."""
        if self.wrong is not None or self.bound is not None or self.observed or self._meeting_in_part:
            return None
        if self.launches == 0:
            return "no-launch"
        return "source-says-nothing" if self._silent == self.launches else "nothing-observable"

    @property
    def verdict(self) -> Verdict:
        if self.wrong is not None:
            return "wrong"
        if self.bound is not None or (self.unobserved is not None and self.same is None):
            return "unknown"
        if self.more is not None or self._back_open is not None or self._meeting_in_part:
            return "refines"
        return "equal"

    @property
    def established(self) -> str:
        if self.same is not None and self.unobserved is not None:
            return self.same
        if not self._threads:
            part = self._meeting_in_part
            return f"{part} launches compared in part" if part else "no launch was compared"
        low, high = min(self._threads), max(self._threads)
        threads = f"{low} to {high} threads" if low < high else f"{low} thread{'s' if low > 1 else ''}"
        launches = f"{self.launches} launch{'es' if self.launches > 1 else ''}, {threads}"
        if self._wrong_edge is not None:
            number, planned = self._wrong_edge
            return f"wrong for launch {number} of {planned} at the edges, beside {launches}"
        if self.wrong is not None:
            return f"wrong for launch {self.launches} of {self._planned}"
        if self._edges:
            launches += f", and {self._edges} at the edges"
        left = self._left_out or self._passed_over or self._out_of_time is not None
        everything = self._complete and self.bound is None and not left
        return f"all inputs tried: {launches}" if everything else f"inputs tried: {launches}"

    @property
    def notes(self) -> tuple[Note, ...]:
        notes: list[Note] = []
        if self._silent:
            notes.append(SilentLaunches(self._silent, self.launches))
        if self._left_out_bound is not None:
            notes.append(LeftOut(self._left_out, self._left_out_bound))
        if self._passed_over_bound is not None:
            notes.append(PassedOver(self._passed_over, self._passed_over_bound))
        if self._out_of_time is not None:
            notes.append(MoreLaunches(self._out_of_time))
        if self._meeting_in_part and self.bound is None:
            notes.append(InPart(self._meeting_in_part))
        if self.verdict == "refines" and self.more is None and self._back_open is not None:
            notes.append(MoreUnknown(self._back_open))
        return tuple(notes)
