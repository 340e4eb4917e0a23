"""``allows``: whether an alignment, or a final state, is legal; and the first rule against it.

A search directed by the question looks for one legal execution that is so (:mod:`.directed`), or all of them
are enumerated and the question is held against each: in both the definition decides, not a second copy of it.
What stands against a question is data; ``report`` has the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Literal, Unpack, get_args

from ...alignment.instances import StaticInstance
from ...frozen import dataclass
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
from ..enumeration import EnumeratedAlignment, EnumeratedOutcome, Enumeration, EnumerationQuestion
from ..why.explanation import FORM, Apart, Converged, Never, instances, why
from .conditions import Proposition, holds, read_state
from .directed import directed
from .question import (
    STATE,
    Aligned,
    Missed,
    NoExecution,
    NoSuchState,
    Obstacle,
    OtherPath,
    ProgramQuestion,
    Question,
    asking,
    no_such_state,
)
from .rows import NoWay, Rows, TwoBlocks, check_blocks, path_of, read_rows, two_blocks, visible

AskEngine = Literal["directed", "operational", "axiomatic", "both"]
"""A search directed by the question, or an engine that enumerates all executions."""


@dataclass(frozen=True, repr=False, slots=True)
class Allowed(Shown):
    """The answer. ``allowed``: ``alignment`` has an execution that is so, and its ``outcome``. ``forbidden``:
    no legal execution is, and ``obstacle`` is the first thing against it. ``unknown``: a bound was hit before
    there was one."""

    verdict: Literal["allowed", "forbidden", "unknown"]
    obstacle: Obstacle | None = None
    alignment: EnumeratedAlignment | None = None
    outcome: EnumeratedOutcome | None = None
    enumeration: Enumeration | None = field(default=None, compare=False, repr=False)
    question: EnumerationQuestion | None = field(default=None, compare=False, repr=False)

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
    alignment: str | Sequence[str | Sequence[str]] | None = None,
    *,
    together: str | Sequence[str] = (),
    apart: str | Sequence[str] = (),
    state: str | None = None,
    engine: AskEngine = "directed",
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
    ``engine``: ``"directed"`` looks for one execution that is so, the others enumerate all of them; they
    give the same answer, later. The rest is as for :func:`convergence.enumerate`.

    Raises UsageError for what cannot be read or does not fit the program.
    """
    needs_module(module, "allows")
    for name, given in (("together", together), ("apart", apart)):
        if not isinstance(given, str | list | tuple) or not all(isinstance(pair, str) for pair in given):
            raise TypeError(f"{name} has pairs of instances, as {FORM!r}, and not {given!r}")
    if not isinstance(state, str | None):
        raise TypeError(f"state is a condition, as '0:return=1', and not {state!r}")
    if engine not in get_args(AskEngine):
        raise UsageError(f"engine is one of {', '.join(map(repr, get_args(AskEngine)))}, and not {engine!r}")
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
    engine: AskEngine = "directed",
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
        check_blocks(function, rows)
        if (obstacle := two_blocks(rows)) is not None:
            return Allowed("forbidden", obstacle)
        placed = with_paths(function, spec, rows, all_blocks)
        if not isinstance(placed, LaunchSpec):
            return Allowed("forbidden", placed)
        spec = placed
    run = execute(module, spec)
    pairs_of_instances = tuple(
        (instances(run, text, "together" if is_together else "apart"), is_together)
        for text, is_together in pairs
    )
    question = asking(Question(rows, pairs_of_instances, state, all_blocks), module, function)
    shown = EnumerationQuestion(module, function.name, spec.dfs, spec)
    if engine == "directed":
        answer = directed(question, module, spec, level)
        enumeration = answer.enumeration.shown_for(shown)
        if answer.holds:
            return Allowed("allowed", None, enumeration[0], enumeration.outcomes[0], enumeration, shown)
        if not enumeration.complete:
            return Allowed("unknown", None, None, None, enumeration, shown)
        return forbidden(answer.missed, enumeration, run)
    return judged(question, _enumerated(module, spec, engine, level).shown_for(shown), run)


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
    names = {name.removeprefix("%") for name in spec.arguments}
    if all(parameter.name in names for parameter in function.parameters):
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

    enumeration = enumerate_axiomatic(module, spec)
    return agreed(explore(module, spec), enumeration) if engine == "both" else enumeration


def judged(request: ProgramQuestion, enumeration: Enumeration, run: Run) -> Allowed:
    """The question held against all that was found; ``run`` is one of the executions."""
    state, shown = request.question.state, enumeration.question
    assert shown is not None
    missed: list[Missed] = []
    others: list[EnumeratedAlignment] = []
    for alignment in enumeration.alignments:
        obstacle = request.missed(alignment.execution, alignment.alignment)
        if obstacle is not None:
            missed.append(obstacle)
            continue
        for place in alignment.outcomes:
            if state is None or holds(state, enumeration.outcomes[place].outcome):
                return Allowed("allowed", None, alignment, enumeration.outcomes[place], enumeration, shown)
        others.append(alignment)
    if others:
        outcomes = {place for alignment in others for place in alignment.outcomes}
        in_memory = any(len(alignment.outcomes) > 1 for alignment in others)
        missed.append(Missed(STATE, no_such_state(len(outcomes), in_memory)))
    if not enumeration.complete:
        return Allowed("unknown", None, None, None, enumeration, shown)
    return forbidden(max(missed, key=lambda candidate: candidate.depth, default=None), enumeration, run)


def forbidden(missed: Missed | None, enumeration: Enumeration, run: Run) -> Allowed:
    """The answer where no execution is so, by what came furthest; none returned if there is no such."""
    shown = enumeration.question
    assert shown is not None
    if missed is None:
        return Allowed("forbidden", NoExecution(), None, None, enumeration, shown)
    return Allowed(
        "forbidden", _explained(missed.obstacle, shown.module, run), None, None, enumeration, shown
    )


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
