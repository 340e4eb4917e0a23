"""Why two dynamic instances are together or not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from typing import NamedTuple, TypeVar

from ..alignment import (
    ConvergedWith,
    DynamicInstance,
    Execution,
    OrderCycle,
    StaticInstance,
    callee_text,
    operation_name,
    order,
)
from ..frozen import Shown
from ..ir.calls import control, is_grouped
from ..ir.instructions import CallSite
from ..ir.module import Function, Module
from ..rules import Rule
from ..semantics import Ending, Illegal, Returned, UsageError, clock_of, option
from ..semantics.convergence import ChosenLabel, Key, KeyDifference, Keys, Own, Root, why_not_converged
from ..semantics.convergence.rules import ChosenGroup, Closing, Member, NewGroup
from ..semantics.machine import Choice, Chooser, Replay, executions
from ..semantics.machine.machine import Machine
from ..semantics.machine.run import Run, finished

# ----------------------------------------------------------------------------------------------------------
# What ``--why`` asks about: two dynamic instances, as people write them.
#
# ``%sum.b thread 0 #2, thread 1 #1``: an operation as answers name it (``%name`` or ``@callee#k``), and
# which execution of it by which thread. ``#n`` may be left out of a thread that executes it once at most; a
# second operation may stand before the second thread; ``in @f`` behind an operation says in which function.
# ----------------------------------------------------------------------------------------------------------


FORM = "%op thread 0 #2, thread 1 #1"

_NAME = r'(?:"[^"]*"|[-\w$.]+)'
_OPERATION = re.compile(rf"(?P<name>%{_NAME}|@{_NAME}#\d+|@{_NAME}|asm(?:#\d+)?|<constant>(?:#\d+)?)")
_WHERE = re.compile(rf"in\s+@(?P<name>{_NAME})")
_THREAD = re.compile(r"thread\s+(?P<thread>\d+)(?:\s*#\s*(?P<nth>\d+))?")
_COMMA = re.compile(r",|\band\b")
_SPACE = re.compile(r"\s*")


class _Half(NamedTuple):
    """One instance as written: ``nth`` is ``None`` where it was left out."""

    operation: str
    function: str | None
    thread: int
    nth: int | None


def instances(run: Run, text: str, asked_by: str = "why") -> tuple[DynamicInstance, DynamicInstance]:
    """The two instances that ``text`` asks about, executed or not; ``asked_by`` is the option that it was
    given with.

    Raises UsageError where it cannot be read, names no operation or thread of this run, or leaves out
    which of several executions it means.
    """
    query = option(asked_by, repr(text))
    first, second = _read(text, query)
    return _instance(run, first, query), _instance(run, second, query)


def operations(module: Module) -> dict[StaticInstance, str]:
    """Every convergent operation and control intrinsic, by name: what has a defined converged-with."""
    by_name = {}
    for function in module.definitions():
        for index, instruction in enumerate(function.instructions):
            if not isinstance(instruction, CallSite):
                continue
            if control(instruction) is not None or is_grouped(module, instruction):
                by_name[StaticInstance(function.name, index)] = operation_name(function, index)
    return by_name


class _Reader:
    """A place in the text of a query, and the option that it was given with."""

    def __init__(self, text: str, query: str) -> None:
        self.text = text
        self.query = query
        self.at = 0

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What stands here, if it has this form; blanks before it do not count."""
        space = _SPACE.match(self.text, self.at)
        start = self.at if space is None else space.end()
        match = pattern.match(self.text, start)
        if match is not None:
            self.at = match.end()
        return match

    def rest(self) -> str:
        return self.text[self.at :].strip()

    def fault(self, wanted: str) -> UsageError:
        there = f"{self.rest()[:40]!r}" if self.rest() else "the end"
        return UsageError(f"{self.query}: {wanted} is expected at {there}; write it as {FORM!r}")


def _read(text: str, query: str) -> tuple[_Half, _Half]:
    reader = _Reader(text, query)
    first = _half(reader, None)
    if reader.take(_COMMA) is None:
        raise reader.fault("a comma and a second thread")
    second = _half(reader, first)
    if reader.rest():
        raise reader.fault("nothing more than two instances")
    return first, second


def _half(reader: _Reader, before: _Half | None) -> _Half:
    name = reader.take(_OPERATION)
    if name is not None:
        operation, function = _plain(name["name"]), None
        where = reader.take(_WHERE)
        if where is not None:
            function = where["name"].strip('"')
    elif before is not None:
        operation, function = before.operation, before.function
    else:
        raise reader.fault("an operation, as %name or @callee#k,")
    thread = reader.take(_THREAD)
    if thread is None:
        raise reader.fault("'thread N'")
    nth = None if thread["nth"] is None else int(thread["nth"])
    if nth == 0:
        raise UsageError(f"{reader.query}: executions are counted from #1")
    return _Half(operation, function, int(thread["thread"]), nth)


def _plain(name: str) -> str:
    """A name as answers spell it: without quotes."""
    return name.replace('"', "")


def _instance(run: Run, half: _Half, query: str) -> DynamicInstance:
    site = _site(run, half, query)
    threads = run.machine.launch.threads
    if half.thread >= threads:
        there = "thread 0 only" if threads == 1 else f"threads 0-{threads - 1}"
        raise UsageError(f"{query}: there is no thread {half.thread}: this run has {there}")
    if half.nth is None:
        times = times_executed(run, half.thread, site)
        if times > 1:
            raise UsageError(
                f"{query}: thread {half.thread} executes {half.operation} {times} times: "
                f"say which, as in 'thread {half.thread} #1'"
            )
    return DynamicInstance(half.thread, site, half.nth or 1)


def times_executed(run: Run, thread: int, site: StaticInstance) -> int:
    """How often a thread executed an operation."""
    return sum(instance.thread == thread and instance.site == site for instance in run.keys)


def _site(run: Run, half: _Half, query: str) -> StaticInstance:
    """The operation: in the function that was named, else the only one of that name, else the launched
    function's."""
    module = run.machine.program.module
    known = operations(module)
    sites = [s for s, name in known.items() if _called(module, s, name, half.operation)]
    if half.function is not None:
        if half.function not in module.functions:
            raise UsageError(f"{query}: there is no function @{half.function}")
        sites = [s for s in sites if s.function == half.function]
    elif len({s.function for s in sites}) > 1:
        sites = [s for s in sites if s.function == run.machine.launch.function] or sites
    if len(sites) == 1:
        return sites[0]
    if sites:
        names = _listed([f"{known[s]} in @{s.function}" for s in sites])
        raise UsageError(f"{query}: {half.operation} is several operations: {names}")
    raise UsageError(f"{query}: {_unknown(module, half, sorted(set(known.values())))}")


def _called(module: Module, site: StaticInstance, name: str, spelled: str) -> bool:
    """Whether ``spelled`` may name this operation: as answers do, by its callee alone, or by its number."""
    if spelled == name or name.startswith(f"{spelled}#"):
        return True
    function = module.functions[site.function]
    call = function.instructions[site.index]
    assert isinstance(call, CallSite)
    return spelled in (f"%{call.result}", _callee_number(function, site.index))


def _callee_number(function: Function, index: int) -> str:
    """``@callee#k`` of an operation that has a name too: the k-th call of that callee in text order."""
    calls = [i for i in function.instructions[: index + 1] if isinstance(i, CallSite)]
    callee = callee_text(calls[-1])
    return f"{callee}#{sum(callee_text(call) == callee for call in calls)}"


def _unknown(module: Module, half: _Half, known: list[str]) -> str:
    """Why no operation has that name."""
    functions = [module.functions[half.function]] if half.function is not None else module.definitions()
    for function in functions:
        if any(f"%{i.result}" == half.operation for i in function.instructions if i.result is not None):
            return f"{half.operation} is no convergent operation, and nothing else has a group"
    near = get_close_matches(half.operation, known, n=1)
    if near:
        return f"there is no operation {half.operation} (did you mean {near[0]}?)"
    there = f"there are {_listed(known)}" if known else "there is none in this module"
    return f"there is no convergent operation {half.operation}: {there}"


def _listed(names: list[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


# -- What other labels do to two instances that a label put apart


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What other labels do.

    ``meeting``    a legal execution in which the two instances are converged; ``None`` if none was found
    ``least``      whether ``meeting`` is this execution but for the label that put the two apart
    ``cycle``      the walk in convergence-before that forbids them to meet while all other labels stay
    ``searched``   executions that were tried; ``complete``: there are no others
    """

    meeting: Run | None
    least: bool
    cycle: OrderCycle | None
    searched: int
    complete: bool


class LabelSearch:
    """Looks for a legal execution in which two instances meet.

    First the labels stay as they are, but for one thread that joins the other's group, or the two
    groups become one; then the two instances alone are a group; then all lists of choices are
    tried, the most converged first.
    """

    def __init__(self, run: Run, max_steps: int, attempts: int, seconds: float) -> None:
        self.run = run
        self.machine = run.machine
        self.max_steps = max_steps
        self.attempts = attempts
        self.clock = clock_of(seconds)
        self.searched = 0

    def alternatives(
        self, mine: DynamicInstance, theirs: DynamicInstance, first: int, second: int
    ) -> Alternatives:
        """What becomes of the two where their labels ``first`` and ``second`` are the same."""
        cycle: OrderCycle | None = None
        for move in self._moves(mine, theirs, first, second):
            execution = relabelled(self.run, move)
            if execution is None:
                continue  # two instances of one thread would meet
            ordered = order(execution)
            if isinstance(ordered, OrderCycle):
                cycle = cycle or ordered
                continue
            alternative = self._try(Toward(_moved(self.machine, move)), mine, theirs)
            if alternative is not None:
                return Alternatives(alternative, True, None, self.searched, False)
        alternative = self._try(Toward(_pair(self.machine, mine, theirs, first, second)), mine, theirs)
        if alternative is not None:
            return Alternatives(alternative, False, cycle, self.searched, False)
        met: Run | None = None
        complete = False
        for (machine, ending), choices in executions(self._once):
            if self._meet(machine, ending, mine, theirs):
                met = finished(machine, ending, choices)
                break
            if self.searched >= self.attempts or self.clock.hit() is not None:
                break
        else:
            complete = True
        return Alternatives(met, False, cycle, self.searched, complete)

    def _moves(
        self, mine: DynamicInstance, theirs: DynamicInstance, first: int, second: int
    ) -> Sequence[Move]:
        """Who changes to which label: the other thread, the one thread, or all of the other's group.

        A thread that has an instance in its new group already takes that one out, to be alone.
        """
        alone = len(self.machine.chosen_groups)
        both = self.machine.chosen_groups[first].threads & self.machine.chosen_groups[second].threads
        there = {second: first, **({first: alone} if theirs.thread in both else {})}
        back = {first: second, **({second: alone} if mine.thread in both else {})}
        return (
            {theirs.thread: there},
            {mine.thread: back},
            {thread: {second: first} for thread in self.machine.chosen_groups[second].threads},
        )

    def _once(self, chooser: Chooser) -> tuple[Machine, Ending]:
        self.searched += 1
        machine = Machine(self.machine.program, self.machine.launch, chooser)
        return machine, machine.run(self.max_steps, self.clock)

    def _try(self, chooser: Toward, first: DynamicInstance, second: DynamicInstance) -> Run | None:
        self.searched += 1
        machine = chooser.machine = Machine(self.machine.program, self.machine.launch, chooser)
        ending = machine.run(self.max_steps, self.clock)
        if self._meet(machine, ending, first, second):
            return finished(machine, ending, tuple(chooser.choices))
        return None

    def _meet(
        self, machine: Machine, ending: Ending, first: DynamicInstance, second: DynamicInstance
    ) -> bool:
        if isinstance(ending, Illegal) or (
            isinstance(self.run.ending, Returned) and not isinstance(ending, Returned)
        ):
            return False
        a, b = _key_of(machine, first), _key_of(machine, second)
        return a is not None and a is b


def _key_of(machine: Machine, instance: DynamicInstance) -> Key | None:
    keys = machine.threads[instance.thread].keys
    return next((k for k, nth in keys.items() if k.site == instance.site and nth == instance.nth), None)


T = TypeVar("T")


Together = Mapping[tuple[StaticInstance, Member], frozenset[Member]]
"""Who should be in one group: for each member all of them."""


def _moved(machine: Machine, move: Move) -> Together:
    """The groups as they are, but for the threads that ``move``."""
    groups: dict[int, set[Member]] = {}
    label_of: dict[tuple[StaticInstance, Member], int] = {}
    for group in machine.chosen_groups:
        for member in group.members:
            label = move.get(member.thread, {}).get(group.number, group.number)
            groups.setdefault(label, set()).add(member)
            label_of[group.site, member] = label
    return {name: frozenset(groups[label]) for name, label in label_of.items()}


def _pair(
    machine: Machine, mine: DynamicInstance, theirs: DynamicInstance, first: int, second: int
) -> Together:
    """One group of two, and nobody else with another: what orders least."""
    members = frozenset(
        member
        for number, thread in ((first, mine.thread), (second, theirs.thread))
        for member in machine.chosen_groups[number].members
        if member.thread == thread
    )
    return {
        (group.site, member): members if member in members and group.number in (first, second)
        else frozenset([member])
        for group in machine.chosen_groups
        for member in group.members
    }  # fmt: skip


class Toward(Replay):
    """Takes the labels that bring ``together`` who should be; where it says nothing, the first option."""

    machine: Machine

    def __init__(self, together: Together) -> None:
        super().__init__()
        self._together = together

    def choose(self, label: str, options: Sequence[T]) -> T:
        taken = self._option(options)
        self.choices.append(Choice(label, len(options), taken))
        return options[taken]

    def _option(self, options: Sequence[object]) -> int:
        """The group all of whose members so far should be together with the one who chooses."""
        new = next((n for n, option in enumerate(options) if isinstance(option, NewGroup)), None)
        groups = {n: option for n, option in enumerate(options) if isinstance(option, ChosenGroup)}
        if new is None or not groups:
            whole = (
                n for n, option in enumerate(options) if isinstance(option, Closing) and self._whole(option)
            )
            return next(whole, 0)
        founder = options[new]
        assert isinstance(founder, NewGroup)
        site = next(iter(groups.values())).site
        wanted = self._together.get((site, Member(founder.thread, founder.nth)))
        if wanted is None:
            return 0
        return next((n for n, group in groups.items() if wanted.issuperset(group.members)), new)

    def _whole(self, option: Closing) -> bool:
        """Whether everyone who should be in the group is there: then it can be closed."""
        number = self.machine.keys.group(option.pending.key)
        if number is None:
            return False
        group = self.machine.chosen_groups[number]
        wanted = self._together.get((group.site, group.members[0]))
        return wanted is not None and wanted == frozenset(group.members)


# -- An execution with one label for another: what would be converged then, the traces as they are

Move = Mapping[int, Mapping[int, int]]
"""Per thread which of its labels become which others."""


def relabelled(run: Run, move: Move) -> Execution | None:
    """The execution with the labels that ``move`` says, the traces as they are; ``None`` where two
    instances of one thread would be converged."""
    keys = Keys()
    known: dict[int, dict[Root, Root]] = {}
    classes: dict[Key, list[DynamicInstance]] = {}
    for instance, key in run.keys.items():
        labels = move.get(instance.thread, {})
        parts = known.setdefault(instance.thread if labels else -1, {})
        classes.setdefault(keys.map(key, partial(_own, labels=labels), parts), []).append(instance)
    for members in classes.values():
        if len({member.thread for member in members}) < len(members):
            return None
    execution = run.execution
    return Execution(
        execution.visits, ConvergedWith(frozenset(map(frozenset, classes.values()))), execution.launch_groups
    )


def _own(key: Key, labels: Mapping[int, int]) -> Own:
    """What a key adds of its own, with the label that ``labels`` has in its place."""
    return key.own if key.group is None else ChosenLabel(labels.get(key.group, key.group))


# -- Why two dynamic instances are converged or not, and what would have made them meet
# Keys say it (semantics.md, §2, *Keys*): the first difference of two keys is the reason. If that
# difference is a label, the threads were put apart by choice. Then another choice may make them meet,
# which is found by running it; or it closes a cycle in convergence-before (D-ORDER), which is found in
# this execution.

ATTEMPTS = 1_000
"""Executions that are tried at most to make two instances meet."""
SECONDS = 5.0
"""How long that may take at most."""


@dataclass(frozen=True, slots=True)
class NotExecuted:
    """At least one of the two was not executed; ``times`` is how often each thread executed the operation."""

    times: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Converged:
    """They are, by ``rule``: their keys are the same, ``key``. ``group`` are all that share it."""

    rule: Rule
    key: Key
    group: tuple[DynamicInstance, ...]


@dataclass(frozen=True, slots=True)
class Same:
    """They are one and the same instance."""


@dataclass(frozen=True, slots=True)
class Never:
    """D-EQ: they are instances of different operations, or of one thread. No execution converges them."""

    one_thread: bool
    rule: Rule = Rule.D_EQ


@dataclass(frozen=True, slots=True)
class Apart:
    """They are not, for the first ``difference`` of their ``keys``.

    ``choice``: the difference is a label, and this is what was found about other choices.
    """

    difference: KeyDifference
    keys: tuple[Key, Key]
    choice: Alternatives | None = None


Answer = NotExecuted | Converged | Same | Never | Apart


@dataclass(frozen=True, repr=False, slots=True, eq=False)
class Why(Shown):
    """A question and its answer, in one ``run``. Two are equal where they say the same, of whatever run."""

    first: DynamicInstance
    second: DynamicInstance
    answer: Answer
    run: Run = field(repr=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Why):
            return NotImplemented
        keys = Keys()  # those of two runs are the same terms where they are one and the same here
        return self._answered(keys) == other._answered(keys)

    def __hash__(self) -> int:
        return hash((self.first, self.second, type(self.answer)))

    def _answered(self, keys: Keys) -> tuple[object, ...]:
        answer: object = self.answer
        match self.answer:
            case Converged(rule, key, group):
                answer = rule, _in(keys, key), group
            case Apart(difference, (first, second), choice):
                links = [_in(keys, link) for link in (difference.first, difference.second, first, second)]
                answer = difference.rule, difference.reason, links, choice
            case _:
                pass
        return self.first, self.second, answer


def _in(keys: Keys, link: Root) -> Root:
    return keys.map(link, lambda part: part.own) if isinstance(link, Key) else link


def why(
    run: Run,
    question: str | tuple[DynamicInstance, DynamicInstance],
    max_steps: int = 10_000_000,
    attempts: int = ATTEMPTS,
    seconds: float = SECONDS,
) -> Why:
    """Why two instances of a run are converged or not.

    ``question`` is ``"%op thread 0 #2, thread 1 #1"``, the second time of thread 0 and the first of thread 1,
    with ``in @f`` behind the operation where several functions have one of that name; or the two instances.
    ``max_steps`` bounds the instructions of each execution that is tried, ``attempts`` their number and
    ``seconds`` the time of all of them together.

    Raises UsageError where the question cannot be read or does not fit the run.
    """
    first, second = instances(run, question) if isinstance(question, str) else question
    return Why(
        first, second, _answer(run, first, second, LabelSearch(run, max_steps, attempts, seconds)), run
    )


def _answer(run: Run, first: DynamicInstance, second: DynamicInstance, search: LabelSearch) -> Answer:
    keys = run.keys
    if first not in keys or second not in keys:
        return NotExecuted(
            (times_executed(run, first.thread, first.site), times_executed(run, second.thread, second.site))
        )
    if first == second:
        return Same()
    if first.site != second.site or first.thread == second.thread:
        return Never(first.site == second.site)
    a, b = keys[first], keys[second]
    difference = why_not_converged(a, b)
    if difference is None:
        return Converged(a.rule, a, tuple(sorted(i for i, key in keys.items() if key is a)))
    free = difference.groups
    return Apart(difference, (a, b), None if free is None else search.alternatives(first, second, *free))
