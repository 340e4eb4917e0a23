"""The search for one execution that is as asked for: where a label or a closing is free, what was asked says
which.

It is the operational engine, walked towards the question: the options that agree with it come first, a run
that departs from it earlier than the best so far is cut, and the first execution that is so ends the search.
Nothing is left out that could be the answer: a cut run has departed from what is asked at a place that no
later choice changes, for keys are never given twice and blocks are never left again. So it says what
enumeration says (``tests/sched/test_directed.py`` holds them together), of programs of whose alignments
nobody sees the end.

Where threads take given paths and nothing that decides a key is computed, memory has no say in who is
together: then its orders are looked at only if an execution that is so needs one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ...alignment.instances import DynamicInstance, canonical
from ...frozen import dataclass
from ...ir.calls import accesses_memory, callee_name
from ...ir.instructions import CallBr, CallSite
from ...ir.module import Function, Module
from ...rules import Rule
from ...semantics.convergence.groups import ChosenGroup, NewGroup
from ...semantics.convergence.keys import Key
from ...semantics.convergence.resolution import Closing
from ...semantics.errors import Ending, Illegal, IllegalExecution, Returned
from ...semantics.machine.choice import Chooser
from ...semantics.machine.launch import Launch, LaunchSpec
from ...semantics.machine.log import Entered, Executed, Log, LogEvent, ReturnEvent, Visited, depends_on_order
from ...semantics.machine.machine import Machine
from ...semantics.machine.program import Program
from ...semantics.machine.run import Run
from ...semantics.machine.start import prepare_run
from ..choices.search import Branch, ChoiceWalk, Explorer
from ..choices.states import States, may_spin
from ..choices.synchrony import Synchrony, require_controlled
from ..enumeration import Enumeration, ExecutionCollector
from .conditions import holds
from .question import (
    STATE,
    WHOLE,
    Depth,
    Missed,
    ProgramQuestion,
    column_depth,
    no_such_state,
    pair_depth,
    path_depth,
)

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
        search = Search(question, *prepare_run(module, spec), spec, Synchrony.NONE)
        answer = search.answer()
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
