"""What is asked of executions, and where one is not so: the first thing, in an order that no search
decides."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field

from ...alignment.instances import Alignment, DynamicInstance, Execution
from ...alignment.picture import left_out
from ...frozen import dataclass
from ...ir.module import Function, Module
from ...rules import Rule
from ..why.explanation import Why, operations
from .conditions import Proposition
from .rows import NoWay, OperationPicture, Rows, TwoBlocks, operation_picture

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
    """No legal execution has a thread that takes the ``requested`` blocks; in one that is, it takes ``legal``
    ones."""

    thread: int
    requested: tuple[str, ...]
    legal: tuple[str, ...]


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

Depth = tuple[int, int, int]
"""How far an execution is as asked for: threads' paths come first (0, the thread), then columns (1, the
column, 0 for instances that should be together and 1 for others), then pairs (2, the place), then the state
(3)."""
STATE: Depth = (3, 0, 0)
WHOLE: Depth = (4, 0, 0)


@dataclass(frozen=True, slots=True)
class Missed:
    """The first thing in which an execution is not as asked for, and how far it is."""

    depth: Depth
    obstacle: Obstacle


def path_depth(thread: int) -> Depth:
    return 0, thread, 0


def column_depth(column: int, together: bool) -> Depth:
    return 1, column, 0 if together else 1


def pair_depth(place: int) -> Depth:
    return 2, place, 0


@dataclass(frozen=True, slots=True)
class ProgramQuestion:
    """A question of a program's launched function. ``paths``: the blocks that each thread should be seen in,
    where that is asked; ``hidden`` are those that do not count."""

    question: Question
    function: Function
    picture: OperationPicture
    paths: tuple[tuple[str, ...], ...]
    hidden: frozenset[str]

    def missed(self, execution: Execution, alignment: Alignment) -> Missed | None:
        """The first thing in which a complete execution is not as asked for, its state aside."""
        for thread, question in enumerate(self.paths):
            visits = execution.visits[thread] if thread < len(execution.visits) else ()
            taken = tuple(
                visit.block
                for visit in visits
                if visit.function == self.function.name
                and visit.caller is None
                and visit.block not in self.hidden
            )
            if taken != question:
                return Missed(path_depth(thread), OtherPath(thread, question, taken))
        class_of: dict[DynamicInstance, Hashable] = {
            member: number for number, group in enumerate(alignment) for member in group
        }
        departure = self.picture.departure(class_of.get)
        if departure is not None:
            depth = column_depth(departure.column, departure.together)
            return Missed(depth, Aligned(departure.pair, departure.together, Rule.D_EQ, departure.column))
        for place, ((pair, other), together) in enumerate(self.question.pairs):
            converged = class_of.get(pair) is not None and class_of.get(pair) == class_of.get(other)
            if converged != together:
                return Missed(pair_depth(place), Aligned((pair, other), together, Rule.D_EQ))
        return None


def asking(question: Question, module: Module, function: Function) -> ProgramQuestion:
    """A question, made ready."""
    rows = () if question.rows is None else question.rows
    return ProgramQuestion(
        question,
        function,
        operation_picture(function, rows, operations(module)),
        tuple(tuple(block for block in row if block is not None) for row in rows),
        frozenset() if question.all_blocks else left_out(function),
    )


def no_such_state(outcomes: int, in_memory: bool) -> NoSuchState:
    """None of so many outcomes is as asked for. ``in_memory``: one alignment has several of them."""
    return NoSuchState(outcomes, Rule.D_MEM if in_memory else Rule.D_THREAD)
