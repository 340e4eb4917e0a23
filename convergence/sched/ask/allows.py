"""Whether an alignment or a final state is legal: a search that the question directs, and the first rule
against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Literal, TypeVar, Unpack, get_args

from ...alignment import DynamicInstance, StaticInstance, canonical
from ...frozen import Shown, dataclass
from ...ir.calls import Control, accesses_memory, callee_name, control, is_grouped, token_used
from ...ir.instructions import CallBr, CallSite
from ...ir.module import Function, Module, needs_module
from ...rules import Rule
from ...semantics import Ending, Illegal, IllegalExecution, Returned, UsageError, option
from ...semantics.convergence import Key
from ...semantics.convergence.rules import ChosenGroup, Closing, NewGroup
from ...semantics.machine import (
    Chooser,
    Entered,
    Executed,
    Log,
    LogEvent,
    ReturnEvent,
    Visited,
    depends_on_order,
)
from ...semantics.machine.launch import Launch, LaunchOptions, LaunchSpec, launch_spec, launched_function
from ...semantics.machine.machine import Machine
from ...semantics.machine.program import Program
from ...semantics.machine.run import Run, execute, gathers, prepare_run
from ..choices.search import Branch, ChoiceWalk, Explorer, explore
from ..choices.states import States, may_spin
from ..choices.synchrony import Synchrony, level_named, require_controlled
from ..engines import Engine
from ..enumeration import (
    EnumeratedAlignment,
    EnumeratedOutcome,
    Enumeration,
    EnumerationQuestion,
    ExecutionCollector,
)
from ..why import FORM, Apart, Converged, Never, instances, why
from .fitted import fitted
from .question import (
    STATE,
    WHOLE,
    Aligned,
    Depth,
    Missed,
    NoExecution,
    NoSuchState,
    NoWay,
    Obstacle,
    OtherPath,
    ProgramQuestion,
    Proposition,
    Question,
    Rows,
    TwoBlocks,
    asking,
    check_blocks,
    column_depth,
    holds,
    no_such_state,
    pair_depth,
    path_depth,
    path_of,
    read_rows,
    read_state,
    two_blocks,
    visible,
)

# ----------------------------------------------------------------------------------------------------------
# The search for one execution that is as asked for: where a label or a closing is free, what was asked says
# which.
#
# It is the operational engine, walked towards the question: the options that agree with it come first, a
# run that departs from it earlier than the best so far is cut, and the first execution that is so ends the
# search. Nothing is left out that could be the answer: a cut run has departed from what is asked at a place
# that no later choice changes, for keys are never given twice and blocks are never left again. So it says
# what enumeration says (``tests/sched/test_directed.py`` holds them together), of programs of whose
# alignments nobody sees the end.
#
# Where threads take given paths and nothing that decides a key is computed, memory has no say in who is
# together: then its orders are looked at only if an execution that is so needs one.
# ----------------------------------------------------------------------------------------------------------

ENGINE = "directed"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """``enumeration`` has the one execution that is so, if there is any: ``holds``. Else ``missed`` is what
    came furthest; ``None`` where none returns."""

    enumeration: Enumeration
    holds: bool
    missed: Missed | None


def directed(question: ProgramQuestion, module: Module, spec: LaunchSpec, level: Synchrony) -> Answer:
    """What a directed search says of a question. Raises as :func:`explore` does."""
    memory = accesses_memory(module)
    if level is not Synchrony.NONE:
        require_controlled(module)
    if not memory or (
        question.question.state is None and spec.paths is not None and _by_path(question.function, module)
    ):
        program, launch = prepare_run(module, spec)
        search = Search(question, program, launch, spec, Synchrony.NONE)
        answer = search.answer()
        if answer.holds or not gathers(program, launch):  # who goes on while it waits may have a say
            if not memory or (search.keys_alone and not answer.holds and answer.enumeration.complete):
                return answer
        if answer.holds and not search.met_in_memory and level is Synchrony.NONE:
            return answer
    return Search(question, *prepare_run(module, spec, environment="queued"), spec, level).answer()


def _by_path(function: Function, module: Module) -> bool:
    """Whether no key of an execution on given paths depends on a value: the function calls nothing that is
    defined here or that an operand says, and goes on nowhere by choice."""
    for instruction in function.instructions:
        if isinstance(instruction, CallBr):
            return False
        if isinstance(instruction, CallSite):
            callee = module.functions.get(callee_name(instruction) or "")
            if callee is None or not callee.is_declaration:
                return False
    return True


class DirectedLog(Log):
    """A log that sees where the run departs from what is asked: ``depth`` is how far it is so, as far as it
    has come. Appending raises IllegalExecution when it is not further than ``best``, that of another run."""

    __slots__ = ("_at", "_inside", "_keys", "_nth", "_of_pairs", "_question", "_vectors", "best", "depth")

    def __init__(self, question: ProgramQuestion, best: Depth | None) -> None:
        super().__init__()
        self.best = best
        self.depth = WHOLE
        self._question = question
        self._keys: dict[tuple[object, int], Key] = {}
        self._vectors: dict[tuple[str, tuple[Key | None, ...]], int] = {}
        self._nth: dict[tuple[int, Key], DynamicInstance] = {}
        self._of_pairs: dict[DynamicInstance, Key] = {}
        self._inside: dict[int, int] = {}
        self._at: dict[int, int] = {}

    def append(self, event: LogEvent) -> None:
        super().append(event)
        if isinstance(event, Executed):
            self._executed(event)
        elif isinstance(event, Visited):
            self._visited(event)
        elif isinstance(event, Entered):
            self._inside[event.thread] = self._inside.get(event.thread, -1) + 1
        elif isinstance(event, ReturnEvent):
            self._inside[event.thread] -= 1

    def column(self, instance: DynamicInstance) -> int | None:
        """Where an instance is drawn."""
        return self._question.picture.column.get(instance)

    def instance(self, thread: int, key: Key) -> DynamicInstance | None:
        """The thread's instance with a key."""
        return self._nth.get((thread, key))

    def drawn_at(self, column: int) -> int:
        """How many visits a column has."""
        return len(self._question.picture.visits[column])

    def alone(self, instance: DynamicInstance) -> bool:
        """Whether its operation is the only one of its block: then other columns are other groups of it."""
        picture = self._question.picture
        return len(picture.sites[picture.block[instance.site]]) == 1

    def _executed(self, event: Executed) -> None:
        instance = DynamicInstance(event.thread, event.site, event.nth)
        self._nth[event.thread, event.key] = instance
        column = self.column(instance)
        if column is not None:
            if self._keys.setdefault((event.site, column), event.key) is not event.key:
                self._departs(column_depth(column, True))
            picture = self._question.picture
            block = picture.block[event.site]
            sites = picture.sites[block]
            if event.site == sites[-1]:
                vector = tuple(self._keys.get((site, column)) for site in sites)
                other = self._vectors.setdefault((block, vector), column)
                if other != column:
                    self._departs(column_depth(min(column, other), False))
        for place, (pair, together) in enumerate(self._question.question.pairs):
            if instance in pair:
                self._of_pairs[instance] = event.key
                choice, other_key = (self._of_pairs.get(member) for member in pair)
                if choice is not None and other_key is not None and (choice is other_key) != together:
                    self._departs(pair_depth(place))

    def _visited(self, event: Visited) -> None:
        question = self._question
        if self._inside.get(event.thread) or event.function != question.function.name:
            return
        if event.thread >= len(question.paths) or event.block in question.hidden:
            return
        path, at = question.paths[event.thread], self._at.get(event.thread, 0)
        self._at[event.thread] = at + 1
        if at >= len(path) or path[at] != event.block:
            self._departs(path_depth(event.thread))

    def _departs(self, depth: Depth) -> None:
        self.depth = min(self.depth, depth)
        if self.best is not None and self.depth <= self.best:
            raise IllegalExecution(Rule.D_EQ, "another execution is as asked for as far as this one")


class OrderedBranch(Branch):
    """A choice whose options were put in an ``order``, some of them left out."""

    __slots__ = ("order",)

    def __init__(self, order: Sequence[int]) -> None:
        super().__init__(len(order))
        self.order = tuple(order)


class DirectedWalk(ChoiceWalk[tuple[Machine, Ending]]):
    """Depth first, the options first that are as asked for. ``log`` is that of the run under way."""

    log: DirectedLog

    def choose(self, label: str, options: Sequence[T]) -> T:
        if self._at == len(self.path):
            self.path.append(OrderedBranch(self._order(options)))
        branch = self.path[self._at]
        assert isinstance(branch, OrderedBranch)
        self._at += 1
        return options[branch.order[branch.place]]

    def _order(self, options: Sequence[object]) -> list[int]:
        """The options by number: first what agrees with what is asked, then groups that may do so, then what
        departs from it, the furthest first, and not at all if another run came as far."""
        log = self.log
        departures = [self._departure(option, options) for option in options]
        agreeing = [n for n, depth in enumerate(departures) if depth is None or depth >= log.depth]
        agreeing.sort(key=lambda n: self._is_drawn_elsewhere(options[n], options))
        departing = [
            (depth, n)
            for n, depth in enumerate(departures)
            if depth is not None and depth < log.depth and (log.best is None or depth > log.best)
        ]
        furthest = sorted(departing, key=lambda pair: (pair[0], -pair[1]), reverse=True)
        return agreeing + [n for _, n in furthest] or [0]

    def _is_drawn_elsewhere(self, option: object, options: Sequence[object]) -> bool:
        """Whether a group's members are in other columns than the instance that may join it: all of a block
        would have to be converged to be in one, so they may be together."""
        new = next((choice for choice in options if isinstance(choice, NewGroup)), None)
        if not isinstance(option, ChosenGroup) or new is None:
            return False
        mine = self.log.column(DynamicInstance(new.thread, option.site, new.nth))
        return mine is not None and mine not in self._columns(option)

    def _columns(self, group: ChosenGroup) -> list[int]:
        """Where the members of a group are drawn."""
        drawn = (self.log.column(DynamicInstance(m.thread, group.site, m.nth)) for m in group.members)
        return [column for column in drawn if column is not None]

    def _departure(self, option: object, options: Sequence[object]) -> Depth | None:
        """How far an execution can be as asked for that takes an option, where that is seen now."""
        match option:
            case Closing(pending=pending):
                thread = next(iter(pending.operands))
                instance = self.log.instance(thread, pending.key)
                column = None if instance is None else self.log.column(instance)
                if column is None or len(pending.operands) >= self.log.drawn_at(column):
                    return None
                return column_depth(column, True)
            case ChosenGroup() | NewGroup():
                return self._group_departure(option, options)
            case _:
                return None

    def _group_departure(self, option: ChosenGroup | NewGroup, options: Sequence[object]) -> Depth | None:
        groups = [choice for choice in options if isinstance(choice, ChosenGroup)]
        new = next((choice for choice in options if isinstance(choice, NewGroup)), None)
        if new is None or not groups:
            return None
        site = groups[0].site
        me = DynamicInstance(new.thread, site, new.nth)
        mine = self.log.column(me)
        if mine is None:
            return None
        theirs = self._columns(option) if isinstance(option, ChosenGroup) else []
        if mine not in theirs and any(mine in self._columns(group) for group in groups):
            return column_depth(mine, True)
        others = [column for column in theirs if column != mine]
        if others and self.log.alone(me):
            return column_depth(min(mine, *others), False)
        return None


class Search(Explorer):
    """One search. ``met_in_memory``: the order of accesses may decide what the execution that is so comes to.
    ``keys_alone``: each run that was not cut departed by its keys; none ended early."""

    def __init__(
        self, question: ProgramQuestion, program: Program, launch: Launch, spec: LaunchSpec, level: Synchrony
    ) -> None:
        super().__init__(program, launch, spec.limits, synchrony=level)
        self.keys_alone = True
        self.met_in_memory = False
        self._question = question
        self._walk: DirectedWalk = DirectedWalk(self._once)
        self._missed: Missed | None = None
        self._collector: ExecutionCollector | None = None

    def answer(self) -> Answer:
        """Looks for it."""
        if self.program.settings.environment == "queued" and may_spin(self.program.module):
            self._states = self._walk.states = States()
        queued = self.program.settings.environment == "queued"
        enumeration = self._all(self._reduced(self._walk) if queued else self._walk)
        if self._collector is not None:
            enumeration = self._collector.finish(ENGINE, False, None, tuple(self._notes))
        return Answer(enumeration, self._collector is not None, self._missed)

    def _log(self, chooser: Chooser) -> Log:
        assert chooser is self._walk
        best = None if self._missed is None else self._missed.depth
        self._walk.log = DirectedLog(self._question, best)
        return self._walk.log

    def _take(self, machine: Machine, ending: Ending) -> bool:
        if not isinstance(ending, Returned | Illegal):
            self.keys_alone = False
        return super()._take(machine, ending) and self._collector is None

    def _collect(self, run: Run, ending: Ending) -> None:
        if not isinstance(ending, Returned):
            return
        execution = run.execution
        missed = self._question.missed(execution, canonical(execution))
        if missed is None:
            self.collector.add(ending, execution, run.groups, run.outcome)
            state = self._question.question.state
            if state is None or holds(state, run.outcome):
                self._collector = ExecutionCollector()
                self._collector.add(ending, execution, run.groups, run.outcome)
                self.met_in_memory = depends_on_order(run.machine.log)
                return
            missed = Missed(STATE, no_such_state(self.collector.count, self.collector.several))
        if self._missed is None or missed.depth > self._missed.depth or missed.depth == STATE:
            self._missed = missed


# ----------------------------------------------------------------------------------------------------------
# ``allows``: whether an alignment, or a final state, is legal; and the first rule against it.
#
# A search directed by the question looks for one legal execution that is so (:func:`directed`, above), or
# all of them are enumerated and the question is held against each: in both the definition decides, not a
# second copy of it. What stands against a question is data; ``report`` has the words.
# ----------------------------------------------------------------------------------------------------------


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
    if state is not None:
        state = fitted(state, run.machine.program, run.machine.launch)
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
