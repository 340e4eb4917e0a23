"""Questions about all executions: conditions on final states, alignments as people draw them, and where
one is not so.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from ...alignment import ABSENT, Alignment, DynamicInstance, Execution, StaticInstance, left_out
from ...frozen import Json, dataclass
from ...ir.instructions import successors
from ...ir.module import Block, Function, Module
from ...rules import Rule
from ...semantics import UsageError, alternatives
from ...semantics.machine.run import Outcome
from ..why import Why, operations

# ----------------------------------------------------------------------------------------------------------
# Conditions on final states, in the form that litmus tests have: ``exists (0:return=1 /\ @x=2)``.
#
# ``N:return`` is what thread N returns, ``N:@g`` what it has in its own (thread_local) variable, ``@g`` a
# shared variable, ``@g[1]`` an element; each is compared by ``=`` or ``!=`` with a value or with another of
# these.
# ``/\`` (``and``), ``\/`` (``or``), ``~`` (``not``) and parentheses join comparisons.
# ----------------------------------------------------------------------------------------------------------

Quantifier = Literal["exists", "forall", "~exists"]


@dataclass(frozen=True, slots=True)
class Constant:
    """A value: a number, ``poison`` or ``undef``."""

    value: int | float | str


@dataclass(frozen=True, slots=True)
class ReturnedValue:
    """What a thread returned."""

    thread: int


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable at the end, shared, or of one ``thread``; ``places`` lead to an element."""

    name: str
    thread: int | None = None
    places: tuple[int, ...] = ()


Term = Constant | ReturnedValue | Variable


@dataclass(frozen=True, slots=True)
class ValueComparison:
    left: Term
    equal: bool
    right: Term


@dataclass(frozen=True, slots=True)
class Not:
    part: Proposition


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Proposition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Proposition, ...]


Proposition = ValueComparison | Not | And | Or


@dataclass(frozen=True, slots=True)
class Condition:
    """``exists``: some execution ends so; ``forall``: all do; ``~exists``: none does. ``text`` as written."""

    quantifier: Quantifier
    proposition: Proposition
    text: str


class _Absent(Exception):
    """A term that this outcome has not."""


def holds(proposition: Proposition, outcome: Outcome) -> bool:
    """Whether an outcome is so. A comparison with what is not there is false, by ``=`` and by ``!=``."""
    match proposition:
        case ValueComparison(left, equal, right):
            try:
                return _same(_value(left, outcome), _value(right, outcome)) == equal
            except _Absent:
                return False
        case Not(part):
            return not holds(part, outcome)
        case And(parts):
            return all(holds(part, outcome) for part in parts)
        case Or(parts):
            return any(holds(part, outcome) for part in parts)


def _value(term: Term, outcome: Outcome) -> Json:
    match term:
        case Constant(value):
            return value
        case ReturnedValue(thread):
            if thread >= len(outcome.threads) or outcome.threads[thread].value is None:
                raise _Absent
            return outcome.threads[thread].value
        case Variable(name, thread, places):
            if thread is not None and thread >= len(outcome.threads):
                raise _Absent
            memory = outcome.memory if thread is None else outcome.threads[thread].memory
            if f"@{name}" not in memory:
                raise _Absent
            return _element(memory[f"@{name}"], places)


def _element(value: Any, places: tuple[int, ...]) -> Json:
    for place in places:
        if not isinstance(value, list) or place >= len(value):
            raise _Absent
        value = value[place]
    element: Json = value
    return element


def _same(left: Json, right: Json) -> bool:
    return left == right and isinstance(left, str) == isinstance(right, str)


# -- reading ------------------------------------------------------------------------------------------

_SPACE = re.compile(r"\s*")
_WORDS = re.compile(
    r"(?P<and>/\\|&&|and\b)|(?P<or>\\/|\|\||or\b)|(?P<unequal>!=)|(?P<equal>==?)|(?P<not>~|!|not\b)"
    r"|(?P<open>\()|(?P<close>\))"
    r"|(?P<returned>(?P<of>\d+):return\b)"
    r'|(?P<variable>(?:(?P<owner>\d+):)?@(?P<name>"[^"]+"|[-\w$.]+)(?P<places>(?:\[\d+\])*))'
    r"|(?P<number>[-+]?(?:0x[0-9a-fA-F]+|\d+\.\d*(?:e[-+]?\d+)?|\d+))|(?P<word>poison|undef|null|true|false)\b"
)
_QUANTIFIER = re.compile(r"\s*(exists|forall|~\s*exists)\b")


def read_condition(text: str) -> Condition:
    """A condition as written. Raises UsageError."""
    match = _QUANTIFIER.match(text)
    if match is None:
        raise UsageError(f"{text!r}: a condition begins with exists, forall or ~exists")
    quantifier: Quantifier = (
        "forall" if match[1] == "forall" else "exists" if match[1] == "exists" else "~exists"
    )
    return Condition(quantifier, read_state(text[match.end() :]), " ".join(text.split()))


def read_state(text: str) -> Proposition:
    """A proposition about final states. Raises UsageError."""
    return _Reader(text).all()


class _Reader:
    """Recursive descent: ``or`` binds least, then ``and``, then ``~``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = [*self._split(text)]
        self.at = 0

    def _split(self, text: str) -> Iterator[re.Match[str]]:
        at = 0
        while (at := _end(_SPACE, text, at)) < len(text):
            word = _WORDS.match(text, at)
            if word is None:
                raise UsageError(f"{text.strip()!r}: {text[at : at + 20]!r} is no part of a condition")
            yield word
            at = word.end()

    def all(self) -> Proposition:
        condition = self._or()
        if self.at < len(self.words):
            raise self._fault("the end, /\\ or \\/")
        return condition

    def _fault(self, wanted: str) -> UsageError:
        here = f"{self.words[self.at][0]!r}" if self.at < len(self.words) else "the end"
        return UsageError(f"{self.text.strip()!r}: {wanted} is expected, and not {here}")

    def _take(self, *kinds: str) -> re.Match[str] | None:
        if self.at < len(self.words) and self.words[self.at].lastgroup is not None:
            word = self.words[self.at]
            if any(word[kind] is not None for kind in kinds):
                self.at += 1
                return word
        return None

    def _joined(
        self,
        kind: str,
        part: Callable[[], Proposition],
        join: Callable[[tuple[Proposition, ...]], Proposition],
    ) -> Proposition:
        parts = [part()]
        while self._take(kind) is not None:
            parts.append(part())
        return parts[0] if len(parts) == 1 else join(tuple(parts))

    def _or(self) -> Proposition:
        return self._joined("or", self._and, Or)

    def _and(self) -> Proposition:
        return self._joined("and", self._not, And)

    def _not(self) -> Proposition:
        if self._take("not") is not None:
            return Not(self._not())
        if self._take("open") is not None:
            condition = self._or()
            if self._take("close") is None:
                raise self._fault("a closing parenthesis")
            return condition
        left = self._term()
        sign = self._take("equal", "unequal")
        if sign is None:
            raise self._fault("= or !=")
        return ValueComparison(left, sign["equal"] is not None, self._term())

    def _term(self) -> Term:
        if (word := self._take("returned")) is not None:
            return ReturnedValue(int(word["of"]))
        if (word := self._take("variable")) is not None:
            places = tuple(int(place) for place in re.findall(r"\d+", word["places"]))
            owner = None if word["owner"] is None else int(word["owner"])
            return Variable(word["name"].strip('"'), owner, places)
        if (word := self._take("number")) is not None:
            text = word["number"]
            return Constant(float(text) if "." in text else int(text, 0) if "x" in text else int(text))
        if (word := self._take("word")) is not None:
            return Constant({"true": 1, "false": 0}.get(word["word"], word["word"]))
        raise self._fault("N:return, @variable or a number")


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()


# ----------------------------------------------------------------------------------------------------------
# An alignment as people draw it: ``A B - B C D / A B C B C D``, a row per thread, a column per group.
#
# A picture leaves out blocks that hold only control intrinsics and a branch; a path through the function
# needs them. They are put back where the control flow leaves no other way.
# ----------------------------------------------------------------------------------------------------------


Rows = tuple[tuple[str | None, ...], ...]
"""Per thread and column the block, ``None`` where the thread is absent."""

_LABEL = re.compile(r"\s*Thread\s+\d+\s*:\s*")


def read_rows(text: str | Sequence[str | Sequence[str]]) -> Rows:
    """The rows of a picture, of one text with ``/`` or line ends between them, as answers print them, too; or
    of a text, or a list of words, for each thread.

    :raises UsageError: for no row
    :raises TypeError: for what is none of these
    """
    value: object = text
    lines = re.split(r"[/\n]", value) if isinstance(value, str) else value
    if not isinstance(lines, list | tuple) or not all(_is_row(line) for line in lines):
        raise TypeError(f"an alignment has a row for each thread, as in 'A B - / A B C', and not {value!r}")
    lines = [line if isinstance(line, str) else " ".join(line) for line in lines]
    rows: list[tuple[str | None, ...]] = []
    for line in lines:
        label = _LABEL.match(line)
        words = _words(line[label.end() :] if label else line)
        if words:
            rows.append(
                tuple(None if word == ABSENT else word.strip('"').removeprefix("%") for word in words)
            )
    if not rows:
        raise UsageError("an alignment has a row for each thread, as in 'A B - B C D / A B C B C D'")
    width = max(map(len, rows))
    return tuple(row + (None,) * (width - len(row)) for row in rows)


def _is_row(line: object) -> bool:
    """Whether it is a text, or a list of them."""
    return isinstance(line, str) or (
        isinstance(line, list | tuple) and all(isinstance(word, str) for word in line)
    )


def _words(line: str) -> list[str]:
    """A line's words, a name in quotes as one, with its quotes."""
    try:
        return [word for word in shlex.split(line, posix=False) if word]
    except ValueError as error:
        raise UsageError(f"{line.strip()!r}: {str(error).lower()}") from None


@dataclass(frozen=True, slots=True)
class NoWay:
    """A thread cannot take these blocks: no way leads from ``before`` (``None``: the launch) to ``block``, or
    from there to an end (``block`` is ``None``)."""

    thread: int
    before: str | None
    block: str | None


def visible(function: Function, path: Sequence[str]) -> tuple[str, ...]:
    """A path's blocks, without those that pictures leave out."""
    hidden = left_out(function)
    return tuple(block for block in path if block not in hidden)


def check_blocks(function: Function, rows: Rows) -> None:
    """A picture of blocks that the function lacks is no question, whatever paths or arguments say.

    :raises UsageError: for a word of a picture that is no block of the function
    """
    known = [block.name for block in function.blocks]
    for block in (block for row in rows for block in row):
        if block is not None and block not in known:
            named = alternatives(f"%{block}", [f"%{name}" for name in known])
            raise UsageError(f"@{function.name} has no block %{block}{named}")


def path_of(
    function: Function, thread: int, row: Sequence[str | None], all_blocks: bool
) -> tuple[str, ...] | NoWay:
    """The path of a thread whose shown blocks are those of a row."""
    known = {block.name: block for block in function.blocks}
    hidden = frozenset() if all_blocks else left_out(function)
    path: list[str] = []
    entry = function.blocks[0].name
    for block in row:
        if block is None:
            continue
        if not path:
            if block != entry:
                return NoWay(thread, None, block)
            path.append(block)
            continue
        way = _way(known, path[-1], hidden, block.__eq__)
        if way is None:
            return NoWay(thread, path[-1], block)
        path += way
    if not path:
        return NoWay(thread, None, None)

    def ends(block: str) -> bool:
        return not successors(known[block].terminator)

    if not ends(path[-1]):
        end = _way(known, path[-1], hidden, lambda block: block in hidden and ends(block))
        if end is None:
            return NoWay(thread, path[-1], None)
        path += end
    return tuple(path)


def _way(
    known: Mapping[str, Block], start: str, hidden: frozenset[str], done: Callable[[str], bool]
) -> list[str] | None:
    """The shortest way behind ``start`` to where it is ``done``, over hidden blocks only."""
    before: dict[str, str] = {}
    queue = deque([start])
    while queue:
        block = queue.popleft()
        for after in successors(known[block].terminator):
            if after in before:
                continue
            before[after] = block
            if done(after):
                way = [after]
                while before[way[0]] != start:
                    way.insert(0, before[way[0]])
                return way
            if after in hidden:
                queue.append(after)
    return None


@dataclass(frozen=True, slots=True)
class TwoBlocks:
    """A column (from 1) that holds visits of two blocks."""

    column: int
    blocks: tuple[str, str]


def two_blocks(rows: Rows) -> TwoBlocks | None:
    """The first column that no alignment can have."""
    for column, cells in enumerate(zip(*rows, strict=True), 1):
        blocks = [*dict.fromkeys(block for block in cells if block is not None)]
        if len(blocks) > 1:
            return TwoBlocks(column, (blocks[0], blocks[1]))
    return None


@dataclass(frozen=True, slots=True)
class DrawnDeparture:
    """Where an alignment is not as drawn: ``pair`` should share ``column`` and does not (``together``), or
    the other way round."""

    column: int
    together: bool
    pair: tuple[DynamicInstance, DynamicInstance]


@dataclass(frozen=True, slots=True)
class OperationPicture:
    """What a picture says of operations. Two visits of a block share a column iff all of its operations are
    converged.

    ``sites``    the operations of a block
    ``block``    of an operation
    ``column``   of an instance, from 1
    ``visits``   in a column, by thread: a thread, and which of its visits of the block
    ``in_column`` the block of a column, where it has operations
    """

    sites: Mapping[str, tuple[StaticInstance, ...]]
    block: Mapping[StaticInstance, str]
    column: Mapping[DynamicInstance, int]
    visits: Mapping[int, tuple[tuple[int, int], ...]]
    in_column: Mapping[int, str]

    def departure(self, class_of: Callable[[DynamicInstance], Hashable | None]) -> DrawnDeparture | None:
        """The first column, from the left, that is not as ``class_of`` has the instances: its classes are
        those of converged-with, ``None`` where there is no such instance."""
        vectors: dict[tuple[str, tuple[Hashable, ...]], int] = {}
        apart: dict[int, int] = {}
        for column, block in self.in_column.items():
            vector = tuple(class_of(drawn) for drawn in self._instances(column, 0))
            if vector and None not in vector:
                first = vectors.setdefault((block, vector), column)
                if first != column:
                    apart.setdefault(first, column)
        for column in self.in_column:
            mine = self._instances(column, 0)
            for place in range(1, len(self.visits[column])):
                for drawn, other in zip(mine, self._instances(column, place), strict=True):
                    if class_of(drawn) is None or class_of(drawn) != class_of(other):
                        return DrawnDeparture(column, True, (drawn, other))
            if column in apart:
                return DrawnDeparture(column, False, (mine[-1], self._instances(apart[column], 0)[-1]))
        return None

    def _instances(self, column: int, place: int) -> tuple[DynamicInstance, ...]:
        """Those of one visit in a column."""
        thread, nth = self.visits[column][place]
        return tuple(DynamicInstance(thread, site, nth) for site in self.sites[self.in_column[column]])


def operation_picture(
    function: Function, rows: Rows, operations: Iterable[StaticInstance]
) -> OperationPicture:
    """All that a picture says of ``operations``."""
    block_of = [block.name for block in function.blocks for _ in block.instructions]
    sites: defaultdict[str, list[StaticInstance]] = defaultdict(list)
    for site in operations:
        if site.function == function.name:
            sites[block_of[site.index]].append(site)
    columns: dict[DynamicInstance, int] = {}
    visits: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    in_column: dict[int, str] = {}
    for thread, row in enumerate(rows):
        counts: defaultdict[str, int] = defaultdict(int)
        for column, block in enumerate(row, 1):
            if block is None or block not in sites:
                continue
            counts[block] += 1
            visits[column].append((thread, counts[block]))
            in_column[column] = block
            for site in sites[block]:
                columns[DynamicInstance(thread, site, counts[block])] = column
    return OperationPicture(
        {block: tuple(its) for block, its in sites.items()},
        {site: block for block, its in sites.items() for site in its},
        columns,
        {column: tuple(its) for column, its in visits.items()},
        dict(sorted(in_column.items())),
    )


# ----------------------------------------------------------------------------------------------------------
# What is asked of executions, and where one is not so: the first thing, in an order that no search
# decides.
# ----------------------------------------------------------------------------------------------------------


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
