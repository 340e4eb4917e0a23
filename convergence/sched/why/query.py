"""What ``--why`` asks about: two dynamic instances, as people write them.

``%sum.b thread 0 #2, thread 1 #1``: an operation as answers name it (``%name`` or ``@callee#k``), and which
execution of it by which thread. ``#n`` may be left out of a thread that executes it once at most; a second
operation may stand before the second thread; ``in @f`` behind an operation says in which function.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import NamedTuple

from ...alignment.canonical import callee_text, operation_name
from ...alignment.instances import DynamicInstance, StaticInstance
from ...ir.calls import control, is_convergent
from ...ir.instructions import CallSite
from ...ir.module import Function, Module
from ...semantics.errors import UsageError
from ...semantics.machine.run import Run

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


def instances(run: Run, text: str) -> tuple[DynamicInstance, DynamicInstance]:
    """The two instances that ``text`` asks about, executed or not.

    Raises UsageError where it cannot be read, names no operation or thread of this run, or leaves out
    which of several executions it means.
    """
    one, other = _read(text)
    return _instance(run, one, text), _instance(run, other, text)


def operations(module: Module) -> dict[StaticInstance, str]:
    """Every convergent operation and control intrinsic, by name: what has a defined converged-with."""
    found = {}
    for function in module.definitions():
        for index, instruction in enumerate(function.instructions):
            if not isinstance(instruction, CallSite):
                continue
            if control(instruction) is not None or is_convergent(module, instruction):
                found[StaticInstance(function.name, index)] = operation_name(function, index)
    return found


class _Reader:
    """A place in the text of a query."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What stands here, if it has this form; blanks before it do not count."""
        space = _SPACE.match(self.text, self.at)
        start = self.at if space is None else space.end()
        found = pattern.match(self.text, start)
        if found is not None:
            self.at = found.end()
        return found

    def rest(self) -> str:
        return self.text[self.at :].strip()

    def fault(self, wanted: str) -> UsageError:
        there = f"{self.rest()[:40]!r}" if self.rest() else "the end"
        return UsageError(f"--why {self.text!r}: {wanted} is expected at {there}; write it as {FORM!r}")


def _read(text: str) -> tuple[_Half, _Half]:
    reader = _Reader(text)
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
        raise UsageError(f"--why {reader.text!r}: executions are counted from #1")
    return _Half(operation, function, int(thread["thread"]), nth)


def _plain(name: str) -> str:
    """A name as answers spell it: without quotes."""
    return name.replace('"', "")


def _instance(run: Run, half: _Half, text: str) -> DynamicInstance:
    site = _site(run, half, text)
    threads = run.machine.launch.threads
    if half.thread >= threads:
        there = "thread 0 only" if threads == 1 else f"threads 0-{threads - 1}"
        raise UsageError(f"--why {text!r}: there is no thread {half.thread}: this run has {there}")
    if half.nth is None:
        times = times_executed(run, half.thread, site)
        if times > 1:
            raise UsageError(
                f"--why {text!r}: thread {half.thread} executes {half.operation} {times} times: "
                f"say which, as in 'thread {half.thread} #1'"
            )
    return DynamicInstance(half.thread, site, half.nth or 1)


def times_executed(run: Run, thread: int, site: StaticInstance) -> int:
    """How often a thread executed an operation."""
    return sum(record.site == site for record in run.machine.threads[thread].records)


def _site(run: Run, half: _Half, text: str) -> StaticInstance:
    """The operation: in the function that was named, else the only one of that name, else the launched
    function's."""
    module = run.machine.program.module
    known = operations(module)
    found = [s for s, name in known.items() if _called(module, s, name, half.operation)]
    if half.function is not None:
        if half.function not in module.functions:
            raise UsageError(f"--why {text!r}: there is no function @{half.function}")
        found = [s for s in found if s.function == half.function]
    elif len({s.function for s in found}) > 1:
        found = [s for s in found if s.function == run.machine.launch.function] or found
    if len(found) == 1:
        return found[0]
    if found:
        names = _listed([f"{known[s]} in @{s.function}" for s in found])
        raise UsageError(f"--why {text!r}: {half.operation} is several operations: {names}")
    raise UsageError(f"--why {text!r}: {_unknown(module, half, sorted(set(known.values())))}")


def _called(module: Module, site: StaticInstance, name: str, asked: str) -> bool:
    """Whether ``asked`` may name this operation: as answers do, by its callee alone, or by its number."""
    if asked == name or name.startswith(f"{asked}#"):
        return True
    function = module.functions[site.function]
    call = function.instructions[site.index]
    assert isinstance(call, CallSite)
    return asked in (f"%{call.result}", _callee_number(function, site.index))


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
