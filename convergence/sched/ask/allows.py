"""``allows``: whether an alignment, or a final state, is legal; and the first rule against it.

All legal executions of the launch are enumerated, and the question is held against each: the definition
decides, not a second copy of it. What stands against a question is data; ``report`` has the words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Unpack

from ...alignment.instances import Alignment, DynamicInstance, StaticInstance
from ...ir.calls import Control, control, is_grouped, token_used
from ...ir.instructions import CallSite
from ...ir.module import Function, Module, needs_module
from ...rules import Rule
from ...semantics.errors import UsageError, option
from ...semantics.machine.arguments import launched_function
from ...semantics.machine.launch import LaunchOptions, LaunchSpec, launch_spec
from ...semantics.machine.run import Run, execute
from ...shown import Shown
from ..choices.search import explore
from ..choices.synchrony import Synchrony, level_named
from ..engines import Engine
from ..enumeration import Asked, Enumeration, FoundAlignment, FoundOutcome
from ..why.explanation import Apart, Converged, Never, Why, instances, operations, why
from .conditions import Proposition, holds, read_state
from .rows import NoWay, Rows, TwoBlocks, Wanted, path_of, read_rows, two_blocks, visible, wanted

Pair = tuple[DynamicInstance, DynamicInstance]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: a picture's ``rows``, ``pairs`` of instances that are converged or not, a final
    ``state``: all that is given, in one execution. ``all_blocks``: the picture leaves no blocks out."""

    rows: Rows | None = None
    pairs: tuple[tuple[Pair, bool], ...] = ()
    state: Proposition | None = None
    all_blocks: bool = False


@dataclass(frozen=True, slots=True)
class OtherPath:
    """No legal execution has a thread that takes the blocks ``asked``; in one that is, it takes ``taken``."""

    thread: int
    asked: tuple[str, ...]
    taken: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two instances are not as they were asked for: they are ``together`` or not. ``why`` says why, if an
    execution that was looked at has both; ``by`` is the rule."""

    pair: Pair
    together: bool
    by: Rule
    column: int | None = None
    why: Why | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NoSuchState:
    """No legal execution, or none with that alignment, ends in that state; there are so many outcomes.
    ``by``: memory (D-MEM) where threads share some, else what threads compute (D-THREAD)."""

    outcomes: int
    by: Rule


@dataclass(frozen=True, slots=True)
class NoExecution:
    """There is no legal execution that returns."""


Obstacle = TwoBlocks | NoWay | OtherPath | Aligned | NoSuchState | NoExecution
"""What stands against a question."""


@dataclass(frozen=True, repr=False, slots=True)
class Allowed(Shown):
    """The answer. ``allowed``: ``found`` is an execution that is so, with its ``outcome``. ``forbidden``: no
    legal execution is, and ``obstacle`` is the first thing against it. ``unknown``: a bound was hit before
    there was one."""

    verdict: Literal["allowed", "forbidden", "unknown"]
    obstacle: Obstacle | None = None
    found: FoundAlignment | None = None
    outcome: FoundOutcome | None = None
    enumeration: Enumeration | None = field(default=None, compare=False, repr=False)
    asked: Asked | None = field(default=None, compare=False, repr=False)

    def __bool__(self) -> bool:
        return self.verdict == "allowed"

    @property
    def rule(self) -> Rule | None:
        """The first rule against it."""
        match self.obstacle:
            case TwoBlocks():
                return Rule.D_EQ
            case NoWay() | OtherPath() | NoExecution():
                return Rule.D_THREAD
            case Aligned(by=by) | NoSuchState(by=by):
                return by
            case None:
                return None


def allows(
    module: Module,
    alignment: str | Sequence[str] | None = None,
    *,
    together: str | Sequence[str] = (),
    apart: str | Sequence[str] = (),
    state: str | None = None,
    engine: Engine = "operational",
    synchrony: Synchrony | str = Synchrony.NONE,
    all_blocks: bool = False,
    max_executions: int | None = None,
    **launch: Unpack[LaunchOptions],
) -> Allowed:
    r"""Whether a legal execution has an alignment, or ends in a state; if none, the first rule against it.

    ``alignment`` is a picture: ``"A B - B C D / A B C B C D"``, or a string per thread. Where no ``paths``
    are given, they are those of the picture. ``together`` and ``apart`` are pairs of instances,
    ``"%sum.b thread 0 #2, thread 1 #1"``, that are, or are not, converged. ``state`` is what threads return
    and variables hold at the end: ``r"0:return=1 /\ @x=2"``. All that is given must hold in one execution.
    The rest is as for :func:`convergence.enumerate`.

    Raises UsageError for what cannot be read or does not fit the program.
    """
    needs_module(module, "allows")
    spec = launch_spec(**launch).within(max_executions=max_executions)
    pairs = [(one, True) for one in ([together] if isinstance(together, str) else together)]
    pairs += [(one, False) for one in ([apart] if isinstance(apart, str) else apart)]
    rows = None if alignment is None else read_rows(alignment)
    proposition = None if state is None else read_state(state)
    return answered(module, spec, rows, pairs, proposition, engine, level_named(synchrony), all_blocks)


def answered(
    module: Module,
    spec: LaunchSpec,
    rows: Rows | None,
    pairs: Sequence[tuple[str, bool]],
    state: Proposition | None,
    engine: Engine = "operational",
    level: Synchrony = Synchrony.NONE,
    all_blocks: bool = False,
) -> Allowed:
    """:func:`allows`, of a launch that is data. Raises UsageError."""
    if rows is None and not pairs and state is None:
        raise UsageError(
            f"what is asked for? Give {option('alignment')}, {option('together')} or {option('state')}"
        )
    function = launched_function(module, spec.function)
    if rows is not None:
        if (obstacle := two_blocks(rows)) is not None:
            return Allowed("forbidden", obstacle)
        placed = with_paths(function, spec, rows, all_blocks)
        if not isinstance(placed, LaunchSpec):
            return Allowed("forbidden", placed)
        spec = placed
    run = execute(module, spec)
    asked = tuple((instances(run, text), is_together) for text, is_together in pairs)
    question = Question(rows, asked, state, all_blocks)
    found = _enumerated(module, spec, engine, level)
    return judged(question, found.shown_for(Asked(module, function.name, spec.dfs, spec)), run)


def with_paths(function: Function, spec: LaunchSpec, rows: Rows, all_blocks: bool) -> LaunchSpec | Obstacle:
    """The launch of a picture: as many threads, on its paths where neither paths nor arguments say others; or
    why there is none."""
    if spec.threads is None and spec.workgroup is None and spec.grid is None and spec.paths is None:
        spec = replace(spec, threads=len(rows))
    if spec.paths is not None:
        for thread, (path, row) in enumerate(zip(spec.paths, rows, strict=False)):
            shown = tuple(block for block in row if block is not None)
            taken = tuple(path) if all_blocks else visible(function, path)
            if taken != shown:
                return OtherPath(thread, shown, taken)
        return spec
    given = {name.removeprefix("%") for name in spec.arguments}
    if all(parameter.name in given for parameter in function.parameters):
        return spec
    paths = []
    for thread, row in enumerate(rows):
        way = path_of(function, thread, row, all_blocks)
        if isinstance(way, NoWay):
            return way
        paths.append(way)
    return replace(spec, paths=tuple(paths))


def _enumerated(module: Module, spec: LaunchSpec, engine: Engine, level: Synchrony) -> Enumeration:
    if engine == "operational":
        return explore(module, spec, synchrony=level)
    if level is not Synchrony.NONE:
        raise UsageError(f"{option('synchrony')} is for the operational engine")
    from ..constraints.search import enumerate_axiomatic
    from ..engines import agreed

    found = enumerate_axiomatic(module, spec)
    return agreed(explore(module, spec), found) if engine == "both" else found


@dataclass(frozen=True, slots=True)
class _Missed:
    """How far a question was met: ``depth`` grows with it."""

    depth: tuple[int, int]
    obstacle: Obstacle


def judged(question: Question, found: Enumeration, run: Run) -> Allowed:
    """The question held against all that was found; ``run`` is one of the executions."""
    asked = found.asked
    assert asked is not None
    function = asked.module.functions[asked.function]
    sites = operations(asked.module)
    marks = () if question.rows is None else wanted(function, question.rows, sites)
    missed: list[_Missed] = []
    for alignment in found.alignments:
        obstacle = _against(question, marks, alignment, function)
        if obstacle is not None:
            missed.append(obstacle)
            continue
        if question.state is None:
            outcome = found.outcomes[alignment.outcomes[0]]
            return Allowed("allowed", None, alignment, outcome, found, asked)
        for place in alignment.outcomes:
            if holds(question.state, found.outcomes[place].outcome):
                return Allowed("allowed", None, alignment, found.outcomes[place], found, asked)
        by = Rule.D_MEM if len(alignment.outcomes) > 1 else Rule.D_THREAD
        missed.append(_Missed((2, 0), NoSuchState(len(found.outcomes), by)))
    if not found.complete:
        return Allowed("unknown", None, None, None, found, asked)
    if not missed:
        return Allowed("forbidden", NoExecution(), None, None, found, asked)
    worst = max(missed, key=lambda one: one.depth)
    return Allowed("forbidden", _explained(worst.obstacle, asked.module, run), None, None, found, asked)


def _against(
    question: Question, marks: Sequence[Wanted], alignment: FoundAlignment, function: Function
) -> _Missed | None:
    """The first thing in which an alignment is not as asked for."""
    if question.rows is not None:
        for thread, row in enumerate(question.rows):
            shown = tuple(block for block in row if block is not None)
            visits = alignment.execution.visits[thread] if thread < len(alignment.execution.visits) else ()
            path = tuple(v.block for v in visits if v.function == function.name and v.caller is None)
            taken = path if question.all_blocks else visible(function, path)
            if taken != shown:
                return _Missed((0, thread), OtherPath(thread, shown, taken))
    group_of = _groups(alignment.alignment)
    for mark in marks:
        apart = [pair for pair in mark.pairs if not _together(group_of, pair)]
        if bool(apart) == mark.together:
            pair = apart[0] if mark.together else mark.pairs[-1]
            return _Missed((1, mark.column), Aligned(pair, mark.together, Rule.D_EQ, mark.column))
    for number, (pair, together) in enumerate(question.pairs):
        if _together(group_of, pair) != together:
            return _Missed((1, number), Aligned(pair, together, Rule.D_EQ))
    return None


def _groups(alignment: Alignment) -> Mapping[DynamicInstance, int]:
    return {member: number for number, group in enumerate(alignment) for member in group}


def _together(group_of: Mapping[DynamicInstance, int], pair: Pair) -> bool:
    one, other = (group_of.get(instance) for instance in pair)
    return one is not None and one == other


def _explained(obstacle: Obstacle, module: Module, run: Run) -> Obstacle:
    """What stands against a question, with the rule, and why."""
    if not isinstance(obstacle, Aligned):
        return obstacle
    answer = why(run, obstacle.pair)
    match answer.answer:
        case Converged(rule=by) | Never(rule=by):
            return replace(obstacle, by=by, why=answer)
        case Apart(difference=difference):
            return replace(obstacle, by=difference.rule, why=answer)
        case _:
            return replace(obstacle, by=rule_of(module, obstacle.pair[0].site))


_CONTROL = {Control.ENTRY: Rule.D_ENTRY, Control.LOOP: Rule.D_LOOP, Control.ANCHOR: Rule.D_ANCHOR}


def rule_of(module: Module, site: StaticInstance) -> Rule:
    """The rule that decides who is together at an operation."""
    call = module.functions[site.function].instructions[site.index]
    if (kind := control(call)) is not None:
        return _CONTROL[kind]
    grouped = isinstance(call, CallSite) and is_grouped(module, call)
    return Rule.D_USE if grouped and token_used(call) is not None else Rule.D_FREE
