"""Steps of prepared code that translations have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import NotModelled, Undefined
from .frames import Finish, Frame, Registers, Step
from .instructions import perform
from .threads import Thread
from .unknown import Unknown
from .values import any_poison, any_undef


def pure_step(evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int) -> Step:
    """``r[slot] = evaluate(r[slots]...)``, by number of operands: this is where runs spend their time."""
    if slot < 0:
        return lambda r: evaluate(*[r[s] for s in slots])
    match slots:
        case (a,):

            def one(r: Registers) -> None:
                r[slot] = evaluate(r[a])

            return one
        case (a, b):

            def two(r: Registers) -> None:
                r[slot] = evaluate(r[a], r[b])

            return two
        case (a, b, c):

            def three(r: Registers) -> None:
                r[slot] = evaluate(r[a], r[b], r[c])

            return three
        case _:

            def many(r: Registers) -> None:
                r[slot] = evaluate(*[r[s] for s in slots])

            return many


def done_volatile(thread: Thread, index: int, access: Any, slot: int) -> None:
    """Performs a volatile access: the outside sees it."""
    value = perform(access, thread.memory, thread.number)
    frame = thread.frame
    assert frame is not None
    if slot >= 0:
        frame.registers[slot] = value
    thread.machine.saw_volatile(thread, frame, index, access, value)


def require_defined(value: Any, what: str) -> None:
    """Undefined behaviour on undef and poison; what is unknown may be anything."""
    if value.__class__ is not Unknown and (any_poison(value) or any_undef(value)):
        raise Undefined(f"{what} is undef or poison", "Parameter Attributes")


def failing(problem: NotModelled | Undefined) -> Step:
    def fail(r: Registers) -> None:
        raise problem.with_traceback(None)

    return fail


def failing_finish(problem: NotModelled | Undefined) -> Finish:
    def fail(thread: Thread, frame: Frame) -> Frame | None:
        raise problem.with_traceback(None)

    return fail
