"""``refine``: does a transform keep its threads together? (semantics.md, *Outcomes and refinement*)"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Unpack

from ...diagnostics import Diagnostic
from ...frozen import dataclass
from ...interruption import notice
from ...ir.module import Module, is_hidden, is_thread_local, needs_module
from ...ir.targets import wave_size, workgroup_rules, workgroup_size
from ...semantics import INTERRUPTED, Bound, BoundKind, NoModel, NotModelled, UsageError, is_bound
from ...semantics.machine.launch import LaunchOptions, LaunchSpec, engine_named, launch_spec
from ...semantics.machine.program import EngineKind
from ...semantics.machine.tally import summed
from ..inputs.edges import edges
from ..inputs.inputs import Assumption, Guide, Selection, Space, guides
from ..inputs.inputs import inputs as inputs_of
from ..inputs.launch import Input, first_thread, with_own_places
from ..inputs.space import edges_between, movable_pointers, space_of
from ..sides.observable import shows, visible
from ..sides.outcomes import Bounds, Outcomes
from ..sides.side import PreparedSide, prepare, unnamed_objects, with_resources, with_unnamed
from ..sides.unmodelled import (
    droppable,
    ends_calls,
    has_synonyms,
    with_ends,
    with_shorter_names,
    without_marks,
)
from .counterexample import (
    ENOUGH,
    FEW,
    NOTHING_RUN,
    TOO_MANY,
    Large,
    Long,
    Tried,
    counterexample,
    same_text_words,
)
from .relation import RefinementRelation, refined
from .result import (
    WORST_FIRST,
    FunctionPair,
    InPart,
    Model,
    MoreLaunches,
    OneOrder,
    Open,
    PartialWaves,
    ReadRaces,
    Refinement,
)
from .structural import same_text

STEPS = 100_000
"""Instructions of one execution, where nobody says otherwise."""
LAUNCHES = 400
"""Inputs that are tried, where nobody says otherwise."""
EXECUTIONS = 5_000
"""Executions of one side that are looked at for the input that was given."""
OF_MANY = 2_000
"""Executions of one side that are looked at for one of many inputs, of which smaller ones will do."""
SHARE = 4
"""Where an early answer is wanted, the part of the seconds left that one input may take, one in so many."""
EDGES, EDGE_STEPS, EDGE_EXECUTIONS = 4, 2_000, 24
"""For so many inputs one launch at an edge; and what is looked at of each."""
WAVE_STEPS = 20_000
"""Instructions of all lanes of a whole wave."""
UNDECIDED = 12
"""Launches at edges that are not decided within these bounds, after which no more are tried."""
IN_ALL = 2
"""Times as many are looked at over all inputs: where there are many executions, fewer inputs are tried."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is looked at: so many inputs, instructions of one execution and executions of one input at
    most (``None``: as many as the launch says); a verdict can rest on ``enough`` launches in which threads
    can meet, where larger ones were passed over or there was no time for more."""

    launches: int | None = None
    steps: int | None = None
    executions: int | None = None
    enough: int = ENOUGH


WHOLE_WORKGROUP = 256
"""Threads of a workgroup at most that is launched whole where parts of it say nothing."""
WHOLE: tuple[Effort, ...] = (Effort(),)
"""All at once: no verdict if time is up before."""
GROWING: tuple[Effort, ...] = (Effort(8, 2_000, 24, 1), Effort(40, 20_000, 200, 2), Effort())
"""Few small launches first, then what more of them add: where time is up, the verdict is that of those that
were compared, which it names."""


def refine(
    source: Module | PreparedSide,
    target: Module | PreparedSide,
    *,
    target_function: str | None = None,
    assume: Sequence[Assumption] = (),
    models: Sequence[Model] | None = None,
    max_launches: int | None = None,
    max_executions: int | None = None,
    seed: int = 0,
    minimise: bool = True,
    shortcut: bool = True,
    races: bool = True,
    behaviour: bool = True,
    faults_only: bool = False,
    efforts: Sequence[Effort] = WHOLE,
    engine: EngineKind = "auto",
    **launch: Unpack[LaunchOptions],
) -> Refinement:
    """Whether ``target`` refines ``source``: modules, or sides made ready by :func:`prepare`.

    One module with ``@src`` and ``@tgt`` may be both. The launch is as for ``run``; what is not given is
    tried. ``max_steps`` (100,000) bounds the instructions of one execution, ``max_launches`` (400) the
    inputs, ``max_executions`` the executions of one side for one input (by default 5,000 for the only one,
    2,000 for one of many), ``timeout`` seconds in all. Without ``shortcut`` sides that are the same text are
    run, too, and so is what cannot change the answer any more; without ``races`` inputs for which threads of
    the source race in memory are left out, as are those of our choice with launch groups smaller than one;
    without ``behaviour`` a target that breaks static rules is not run. With ``faults_only`` no target is run
    for an input of which the source has more executions than are looked at: whether it does less is all that
    could come of it, and what is wrong with it could not; and after such an input launches at edges get fewer
    executions. ``engine`` is what runs threads where one execution of an input is all, as for :func:`run`;
    the answer is the same.

    Raises UsageError if the sides do not fit each other or what is given, or if the source breaks a
    static rule; NotModelled for a global variable whose initial value has no model.
    """
    for side in (source, target):
        if not isinstance(side, PreparedSide):
            needs_module(side, "refine")
    spec = launch_spec(**launch).within(max_executions=max_executions, max_launches=max_launches)
    spec = replace(spec, engine=engine_named(engine))
    if spec.operations:
        from ...semantics.operations.user import declared_operations

        sides = [side.module if isinstance(side, PreparedSide) else side for side in (source, target)]
        spec = replace(spec, operations=declared_operations(spec.operations, *sides))
    return compare(
        source,
        target,
        spec,
        target_function,
        assume,
        models,
        seed,
        minimise,
        shortcut,
        races,
        efforts=efforts,
        behaviour=behaviour,
        faults_only=faults_only,
    )


def compare(
    source: Module | PreparedSide,
    target: Module | PreparedSide,
    spec: LaunchSpec,
    target_function: str | None = None,
    assume: Sequence[Assumption] = (),
    models: Sequence[Model] | None = None,
    seed: int = 0,
    minimise: bool = True,
    shortcut: bool = True,
    races: bool = True,
    machine: str | None = None,
    efforts: Sequence[Effort] = WHOLE,
    progress: Callable[[Refinement], None] | None = None,
    behaviour: bool = True,
    faults_only: bool = False,
) -> Refinement:
    """:func:`refine`, of a launch that is data. ``machine``: the target is lowered for this lock-step
    machine, and runs on it; an uncontrolled source then converges as ``maximal`` says, unless ``models`` says
    more. ``progress`` is told what each effort but the last says."""
    first, second = _sides(source, target, spec, target_function)
    try:
        return _compared(
            first, second, spec, assume, models, seed, minimise, shortcut, races, machine, efforts, progress,
            behaviour, faults_only,
        )  # fmt: skip
    finally:
        for side, given in ((first, source), (second, target)):
            if side is not given:
                side.take_apart()


def _compared(
    first: PreparedSide,
    second: PreparedSide,
    spec: LaunchSpec,
    assume: Sequence[Assumption],
    models: Sequence[Model] | None,
    seed: int,
    minimise: bool,
    shortcut: bool,
    races: bool,
    machine: str | None,
    efforts: Sequence[Effort],
    progress: Callable[[Refinement], None] | None,
    behaviour: bool,
    faults_only: bool,
) -> Refinement:
    """:func:`compare`, of sides that are ready."""
    if machine is not None:
        options = replace(second.options, machine=machine)
        second = replace(second, options=options, _runnables={}, _outcomes={})
    _require_fit(first, second)
    limits = spec.limits
    clock = limits.clock
    kinds: tuple[Model, ...] = tuple(models) if models is not None else models_of(first, second)
    compared = FunctionPair(first.module, second.module, first.function.name, second.function.name, spec.dfs)
    if (
        shortcut
        and machine is None
        and same_text(first.module, first.function, second.module, second.function)
    ):
        words = f"{same_text_words(first.function, first.module)}, nothing was run"
        return Refinement("equal", words, dict.fromkeys(kinds, "equal"), compared=compared)
    if second.errors and not behaviour:
        return Refinement(
            "invalid-output", NOTHING_RUN, dict.fromkeys(kinds, "invalid-output"), diagnostics=second.errors,
            compared=compared,
        )  # fmt: skip
    launches = LAUNCHES if limits.max_launches is None else limits.max_launches
    try:
        space = space_of(first, second, spec, assume, launches)
    except NotModelled as problem:  # no launch can be made
        why = NoModel(problem.feature)
        nothing = Refinement(
            "unknown", "no launch was compared", dict.fromkeys(kinds, "unknown"), bound=why, compared=compared
        )
        return _invalid(nothing, second.errors) if second.errors else nothing
    executions = limits.max_executions or (OF_MANY if space.chooses else EXECUTIONS)
    steps = STEPS if limits.max_steps is None else limits.max_steps
    facts = edges_between(first, second, space) if races else None
    answer: Refinement | None = None
    for effort in efforts if space.chooses else WHOLE:
        most = _least(launches, effort.launches)
        selection = inputs_of(space, most, seed)
        bounds = Bounds(
            _least(steps, effort.steps), _least(executions, effort.executions), clock, races,
            records=guides(selection, space), bounded=limits.max_steps is not None, saves=shortcut,
        )  # fmt: skip
        beside = () if facts is None else edges(space, facts, most // EDGES, seed)
        more = _Comparison(
            first,
            second,
            bounds,
            space,
            selection,
            beside,
            seed,
            minimise,
            effort.enough,
            len(efforts) > 1,
            limits.max_executions is None,
            faults_only,
        ).answer(kinds)
        # whoever stops it has no verdict that rests on parts of launches: those were to be looked at whole
        stopped = answer is not None and more.bound == INTERRUPTED and _is_in_part(answer)
        if answer is None or answer.verdict == "unknown" or more.verdict != "unknown" or stopped:
            answer = more
        elif more.bound is not None:
            answer = replace(answer, notes=(*answer.notes, MoreLaunches(more.bound)))
        if answer.verdict not in ("equal", "refines", "unknown"):
            break
        if (over := clock.hit()) is not None:
            if effort is not efforts[-1] and space.chooses and answer is more:
                answer = _cut_short(answer, over)
            break
        if progress is not None and effort is not efforts[-1]:
            progress(answer)
    assert answer is not None
    if answer.unobserved == "source-says-nothing" and (threads := _whole_workgroup(first, spec, space)):
        # part of a workgroup is a launch of our choice, and what the others would have written is missing
        whole = compare(
            first, second, replace(spec, threads=threads), assume=assume, models=models, seed=seed,
            minimise=minimise, shortcut=shortcut, races=races, machine=machine, efforts=efforts,
            progress=progress, faults_only=faults_only,
        )  # fmt: skip
        if whole.verdict != "unknown":
            return whole
    wave = wave_size(first.module, first.function)
    notes = answer.notes
    if wave is not None and any(threads % wave for threads in space.threads):
        notes = (*notes, PartialWaves(wave))
    engine = summed(side.tally for side in (first, second) if side.tally is not None)
    return replace(answer, compared=compared, notes=notes, engine=engine)


def _whole_workgroup(side: PreparedSide, spec: LaunchSpec, space: Space) -> int | None:
    """The threads of the workgroup that a function leaves no choice of, if launches had fewer only because
    nobody said how many."""
    if spec.threads is not None or len(space.threads) == 1:
        return None
    size = workgroup_size(workgroup_rules(side.module, side.function))
    threads = 0 if size is None else prod(size)
    return threads if max(space.threads) < threads <= WHOLE_WORKGROUP else None


def _cut_short(answer: Refinement, bound: Bound) -> Refinement:
    """The answer of a first effort behind which there was no time for another."""
    if bound == INTERRUPTED and _is_in_part(answer):
        open_models = {
            model: "unknown" if v in ("equal", "refines") else v for model, v in answer.models.items()
        }
        return replace(answer, verdict="unknown", bound=bound, models=open_models)
    if answer.bound is not None:  # it says already that not all was looked at
        return answer
    return replace(answer, notes=(*answer.notes, MoreLaunches(bound)))


def _is_in_part(answer: Refinement) -> bool:
    return any(isinstance(note, InPart) for note in answer.notes)


def _least(limit: int, effort: int | None) -> int:
    return limit if effort is None else min(limit, effort)


def _sides(
    source: Module | PreparedSide,
    target: Module | PreparedSide,
    spec: LaunchSpec,
    target_function: str | None,
) -> tuple[PreparedSide, PreparedSide]:
    """Both sides. In one module they are ``@src`` and ``@tgt``; else the target's function has the source's
    name, if there is one."""
    function = spec.function
    if source is target and function is None and isinstance(source, Module) and "src" in source.functions:
        function = "src"
    if source is target and target_function is None and isinstance(source, Module):
        if "tgt" not in source.functions:
            raise UsageError("one module is both sides: it needs a @tgt, or a function for the target")
        target_function = "tgt"
    first = prepare(source, function, spec)
    if isinstance(target, Module) and target_function is None:
        named = target.functions.get(first.function.name)
        target_function = named.name if named is not None and not named.is_declaration else function
    options = first.options
    how = replace(
        spec, uncontrolled=options.uncontrolled, dfs=options.dfs, operations=options.operations,
        inputs=options.inputs, equal_writes=options.equal_writes,
    )  # fmt: skip
    second = prepare(target, target_function, how, options.pool, first.function, options.shape)
    if names := droppable(first.module, second.module):
        first, second = (_made_again(side, without_marks(side.module, names)) for side in (first, second))
    if names := ends_calls(first.module, second.module):
        second = _made_again(second, with_ends(second.module, names))
    if first.called != second.called and any(has_synonyms(side.module) for side in (first, second)):
        first, second = (_made_again(side, with_shorter_names(side.module)) for side in (first, second))
    first, second = with_resources(first, second), with_resources(second, first)
    # what the source shows is looked at in the target, too, where that hides it
    shown = visible(first.module, first.function) & frozenset(v.label for v in second.module.globals.values())
    names = visible(second.module, second.function) | shown
    if second.options != options or (second.names or visible(second.module, second.function)) != names:
        second = replace(second, options=options, names=names, _runnables={}, _outcomes={})
    unnamed = unnamed_objects(first, second)
    return with_unnamed(first, unnamed), with_unnamed(second, unnamed)


def _made_again(side: PreparedSide, module: Module) -> PreparedSide:
    """A side of the same functions in another text."""
    functions = {f.name: f for f in module.definitions()}
    return replace(
        side, module=module, function=functions[side.function.name],
        reached=tuple(functions[f.name] for f in side.reached), _runnables={}, _outcomes={},
    )  # fmt: skip


def _require_fit(mine: PreparedSide, theirs: PreparedSide) -> None:
    """Raises UsageError unless the two functions have the same type, the source keeps the static rules, and
    whoever links with one module could link with the other one."""
    if mine.errors:
        first = mine.errors[0]
        raise UsageError(
            f"the source breaks {first.rule.id} in @{first.function}: {first.message}; "
            "it has no meaning to keep"
        )
    a, b = mine.function, theirs.function
    for place, (x, y) in enumerate(zip(a.type.parameters, b.type.parameters, strict=False), 1):
        if x != y:
            which = f"parameter {place} of @{a.name} and @{b.name}"
            raise UsageError(f"{which} has different types: {x} and {y}")
    if len(a.type.parameters) != len(b.type.parameters) or a.type.variadic != b.type.variadic:
        counts = f"{len(a.type.parameters)} and {len(b.type.parameters)}"
        raise UsageError(f"@{a.name} and @{b.name} have different parameters: {counts}")
    if a.type.result != b.type.result:
        types = f"{a.type.result} and {b.type.result}"
        raise UsageError(f"@{a.name} and @{b.name} return different types: {types}")
    for name, variable in mine.module.globals.items():
        other = theirs.module.globals.get(name)
        if other is None or is_hidden(variable) or is_hidden(other):
            continue
        if is_thread_local(variable) != is_thread_local(other):
            which = "source" if is_thread_local(variable) else "target"
            raise UsageError(f"@{name} is thread_local in the {which} alone: no code can use it as both")


def _says_nothing(bound: Open) -> bool:
    """Whether an input in which the source itself runs into this says nothing."""
    return is_bound(bound, BoundKind.MAX_STEPS) or isinstance(bound, ReadRaces)


def models_of(first: PreparedSide, second: PreparedSide) -> tuple[Model, ...]:
    """The models of both sides: tokens only where neither leaves anything open. Lowered code is held against
    the one that a target is free to count on."""
    if first.machine is not None or second.machine is not None:
        return ("tokens",) if first.models == ("tokens",) else ("maximal",)
    return first.models if first.models != ("tokens",) else second.models


def _invalid(answer: Refinement, errors: Sequence[Diagnostic]) -> Refinement:
    """The target breaks static rules: what running it showed is its behaviour."""
    return replace(
        answer, verdict="invalid-output", behaviour=answer.verdict, diagnostics=tuple(errors),
        models=dict.fromkeys(answer.models, "invalid-output"),
    )  # fmt: skip


def _never_meet(first: PreparedSide, second: PreparedSide) -> bool:
    """Whether threads of neither side meet anybody but in memory, and there by nothing atomic."""
    return not (first.threads_meet or second.threads_meet)


def _has_raced(source: Outcomes) -> bool:
    """Whether threads raced in memory, as far as it was looked at."""
    return source.raced or isinstance(source.bound, ReadRaces) or isinstance(source.undecided, OneOrder)


def _is_open_by_race(forth: RefinementRelation, source: Outcomes) -> bool:
    """Whether nothing is known of an input because threads of the source race in memory."""
    return forth.answer == "open" and forth.side == "source" and _has_raced(source)


def _interleaved(guide: Iterable[Input], more: deque[Input]) -> Iterator[Input]:
    """The inputs, each followed by what was added to ``more`` because of it, once."""
    visited: set[Input] = set()
    for input_ in guide:
        yield input_
        while more:
            single = more.popleft()
            if single not in visited:
                visited.add(single)
                yield single


@dataclass(frozen=True)
class _Comparison:
    """Two sides under comparison, for the inputs of a ``selection`` of a ``space`` and, beside these, at its
    ``edges``. ``early``: what was compared when time is up may be enough; ``in_part``: so may some executions
    of an input. ``faults_only``: only what is wrong is looked for."""

    first: PreparedSide
    second: PreparedSide
    bounds: Bounds
    space: Space
    selection: Selection
    edges: Sequence[Input]
    seed: int
    minimise: bool
    enough: int = ENOUGH
    early: bool = False
    in_part: bool = False
    faults_only: bool = False

    def answer(self, models: Sequence[Model]) -> Refinement:
        """The verdict under each model, the worst for all."""
        by_model: dict[Model, Tried] = {}
        for number, model in enumerate(models):
            interrupted = any(tried.interrupted for tried in by_model.values())
            bounds = replace(self.bounds, clock=self.bounds.clock.share(len(models) - number))
            by_model[model] = replace(self, bounds=bounds)._under(model, interrupted)
        verdicts = {model: tried.verdict for model, tried in by_model.items()}
        worst = min(by_model.values(), key=lambda tried: WORST_FIRST.index(tried.verdict))
        answer = Refinement(
            worst.verdict, worst.established, verdicts, bound=worst.bound, launches=worst.launches,
            notes=worst.notes, more=worst.more if worst.verdict == "refines" else None,
            unobserved=worst.unobserved if worst.verdict == "unknown" else None,
        )  # fmt: skip
        if worst.wrong is not None:
            smaller = self.space if self.minimise and not notice() else None
            try:
                example = counterexample(self.first, self.second, worst.wrong, self.bounds, smaller)
            except KeyboardInterrupt:  # the verdict stands without
                notice()
                example = None
            answer = replace(answer, counterexample=example)
        if self.second.errors:
            return _invalid(answer, self.second.errors)
        return answer

    def _under(self, model: Model, interrupted: bool = False) -> Tried:
        """What the inputs show under a model; nothing, where the comparison was interrupted before."""
        complete = self.selection.all_tuples and self.space.complete
        free = self.space.shape is None and self.space.paths is None and len(self.space.threads) > 1
        apart = free and _never_meet(self.first, self.second)
        tried = Tried(model, len(self.selection.inputs), complete, self.enough, apart)
        others: deque[Input] = deque()  # launches in place of those whose threads race in memory
        quiet: set[Input] = set()  # those of them of which all orders need not be looked at
        if interrupted:
            tried.cut(INTERRUPTED, 0)
            return tried
        runs = 0
        guide, large, long = Guide(self.selection, self.space, self.seed), Large(), Long()
        for number, input_ in enumerate(_interleaved(guide, others)):
            bound = self.bounds.clock.hit()
            if bound is not None:
                self._cut(tried, bound, number)
                break
            if large.covers(input_):
                tried.passed_over(Bound(TOO_MANY, self.bounds.executions))
                if input_ not in quiet:
                    self._add_other(input_, apart, others, quiet)
                continue
            bounds = large.bounds(self.bounds)
            if self.early:
                bounds = replace(bounds, clock=bounds.clock.share(SHARE))
            if bounds.records and not guide.learns:
                bounds = replace(bounds, covers=False)
            half = replace(bounds, clock=bounds.clock.share(2)) if self.early else bounds
            parted = input_.subgroup_size is not None and self.space.subgroup_size is None
            many = input_.memory and input_.threads > FEW and len(self.space.threads) > 1
            if parted or many or input_ in quiet:
                # All orders of what races were looked at with other groups, data or fewer threads.
                bounds, half = replace(bounds, races=False), replace(half, races=False)
            try:
                quick = long.bounds(half) if bounds.saves and self.space.chooses else half
                source = self.first.outcomes(model, input_, quick)
                if source.bound is None:
                    long.ended(source.steps)
                elif is_bound(source.bound, BoundKind.MAX_STEPS):
                    long.ran_on()
                met = source.bound is not None and not is_bound(source.bound, BoundKind.MAX_STEPS)
                met = met and (apart or not isinstance(source.bound, NoModel))
                other = (met or _has_raced(source)) and input_ not in quiet
                other = other and self._add_other(input_, apart, others, quiet)
                if source.bound is not None and _says_nothing(source.bound) and not source.by_identity:
                    tried.left_out(source.bound)
                    continue
                if self.faults_only and is_bound(source.bound, TOO_MANY):
                    # the source may do more than was seen: a target that does is open, and never wrong
                    large.add(input_)
                    tried.passed_over(Bound(TOO_MANY, self.bounds.executions))
                    guide.learn(input_, source.covered)
                    continue
                target = self.second.outcomes(model, input_, bounds)
                forth = refined(self.first, self.second, source, target, model, input_, bounds)
                back = None
                passes_over = bounds.saves and self.space.chooses and forth.cut(TOO_MANY)
                if forth.answer != "fails" and not passes_over:
                    back = refined(self.second, self.first, target, source, model, input_, bounds).swapped
            except NotModelled as problem:
                tried.cut(NoModel(problem.feature), number)
                break
            except KeyboardInterrupt:
                notice()
                tried.cut(INTERRUPTED, number)
                break
            if other and _is_open_by_race(forth, source):
                tried.left_out(ReadRaces())
                continue
            if notice():  # what was looked at of this input is not all
                tried.cut(INTERRUPTED, number)
                break
            guide.learn(input_, source.covered | target.covered)
            cut = [r for r in (forth, back) if r is not None]
            if self.space.chooses and any(r.cut(TOO_MANY) for r in cut):
                large.add(input_)
                tried.passed_over(Bound(TOO_MANY, self.bounds.executions))
                self._in_part(tried, input_, source, target)
                if notice():
                    tried.cut(INTERRUPTED, number)
                    break
                continue
            if any(r.cut(BoundKind.TIMEOUT) for r in cut):
                over = not self.early or self.bounds.clock.hit() is not None
                self._in_part(tried, input_, source, target, over)
                if not over:  # its share is, not the time
                    large.add(input_)
                    tried.passed_over(self.bounds.clock.over)
                    continue
                self._cut(tried, self.bounds.clock.over, number)
                break
            if forth.says and not tried.observed:
                tried.observed = self._shows(source, target, input_)
            if not tried.take(input_, forth, back):
                break
            runs += source.runs + target.runs
            if runs > self.bounds.executions * IN_ALL and tried.launches >= ENOUGH:
                tried.stop(number + 1)
                break
        if tried.wrong is None and not tried.interrupted and not tried.timed_out:
            self._at_edges(tried, large)
        tried.finish()
        if tried.unobserved is not None:
            first, second = self.first, self.second
            if same_text(first.module, first.function, second.module, second.function):
                tried.same = same_text_words(first.function, first.module)
        return tried

    def _add_other(self, input_: Input, apart: bool, others: deque[Input], quiet: set[Input]) -> bool:
        """Put a launch into ``others`` in which threads cannot race as they may in this one: the first thread
        of those that are ``apart``, else all of them with places of their own in memory. Whether there is
        one."""
        if input_.threads == 1:
            return False
        other = first_thread(input_) if apart else self._with_own_places(input_)
        if other is None:
            return False
        others.append(other)
        quiet.add(other)
        return True

    def _with_own_places(self, input_: Input) -> Input | None:
        return with_own_places(input_, movable_pointers(self.first, self.second, self.space))

    def _alone(self, input_: Input) -> Input | None:
        """The first thread of a launch whose threads race, where all are given the same places: a kernel's.
        It has the value at the edge, as they all have."""
        free = self.space.shape is None and self.space.paths is None and len(self.space.threads) > 1
        return first_thread(input_) if free and input_.shape is None else None

    def _at_edges(self, tried: Tried, large: Large) -> None:
        """The launches at edges: what cannot be decided of them in little time is left out. Where only faults
        are looked for and ``large`` inputs were passed over, they get as few executions as others then."""
        undecided = 0
        alone: set[Input] = set()
        for number, input_ in enumerate(self.edges):
            clock = self.bounds.clock.share(SHARE)
            if undecided == UNDECIDED or clock.hit() is not None:
                return
            steps = WAVE_STEPS if input_.threads > max(self.space.threads) else EDGE_STEPS
            bounds = Bounds(
                min(self.bounds.steps, steps),
                min(self.bounds.executions, EDGE_EXECUTIONS),
                clock,
                races=False,
                saves=self.bounds.saves,
                covers=False,
            )
            if self.faults_only:
                bounds = large.bounds(bounds)
            try:
                source = self.first.outcomes(tried.model, input_, bounds)
                if (
                    input_.threads > 1
                    and _has_raced(source)
                    and (other := self._with_own_places(input_) or self._alone(input_)) is not None
                ):
                    if other in alone:
                        continue
                    if other.threads == 1:
                        alone.add(other)
                    input_, source = other, self.first.outcomes(tried.model, other, bounds)
                if source.bound is not None and bounds.saves:
                    # whatever the target does, a source that may do more leaves it open
                    undecided += 1
                    continue
                target = self.second.outcomes(tried.model, input_, bounds)
                forth = refined(self.first, self.second, source, target, tried.model, input_, bounds)
                if forth.answer == "open":
                    undecided += 1
                    continue
                back = None
                if forth.answer == "holds":
                    backward = refined(self.second, self.first, target, source, tried.model, input_, bounds)
                    back = backward.swapped
                if not forth.says and (back is None or back.answer != "fails"):
                    continue  # but where the source alone is undefined, the target does less
            except NotModelled:
                undecided += 1
                continue
            except KeyboardInterrupt:
                notice()
                tried.cut(INTERRUPTED, tried.launches)
                return
            if notice():
                tried.cut(INTERRUPTED, tried.launches)
                return
            if not tried.take_edge(input_, forth, back, number + 1, len(self.edges)):
                return

    def _in_part(
        self, tried: Tried, input_: Input, source: Outcomes, target: Outcomes, over: bool = False
    ) -> None:
        """An input with more executions than were looked at: where an early answer is wanted, it counts that
        each of the target's that were is one of the source's. One of each side there is time for, if it is
        not ``over``."""
        if not (self.early and self.in_part):
            return
        first = replace(self.bounds, executions=1)
        if over and not (source.by_identity and target.by_identity):
            return
        if not source.by_identity:
            source = self.first.outcomes(tried.model, input_, first)
        if not target.by_identity:
            target = self.second.outcomes(tried.model, input_, first)
        if not (source.by_identity and target.by_identity and self._shows(source, target, input_)):
            return
        forth = refined(self.first, self.second, source, target, tried.model, input_, first)
        bounded = forth.side == "target" and (forth.cut(TOO_MANY) or forth.cut(BoundKind.TIMEOUT))
        if bounded or (forth.answer == "holds" and forth.says):
            tried.in_part(input_)

    def _cut(self, tried: Tried, bound: Open, number: int) -> None:
        """Not all inputs were tried: where an early verdict is wanted, what was compared may be enough."""
        if self.early and is_bound(bound, BoundKind.TIMEOUT) and tried.suffices():
            tried.out_of_time(bound, number)
        else:
            tried.cut(bound, number)

    def _shows(self, source: Outcomes, target: Outcomes, input_: Input) -> bool:
        """Whether either side shows anything that could have differed."""
        sides = ((self.first, source), (self.second, target))
        return any(
            side.writes_visibly
            or any(shows(outcome, side.contents(input_)) for outcome in outcomes.by_identity.values())
            for side, outcomes in sides
        )
