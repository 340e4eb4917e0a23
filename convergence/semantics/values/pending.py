"""Values that are still to come: of reads that were not performed yet, and of exchanges that did not happen.

Under D-CAUSE a thread needs a value only where it depends on it: to compute (then the result is to
come, too), to take a branch, or as an operand of an exchange. :mod:`deferred_translate` prepares
code for that, :mod:`deferred_machine` runs it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...alignment.instances import StaticInstance
from ...ir.types import Type


class Deferred:
    """A value to come: from outside (``evaluate`` is ``None``), or computed from ``operands``.

    ``where`` is the instruction that it belongs to.
    """

    __slots__ = ("evaluate", "operands", "ready", "value", "where")

    def __init__(
        self,
        where: StaticInstance,
        evaluate: Callable[..., Any] | None = None,
        operands: tuple[Any, ...] = (),
    ) -> None:
        self.where = where
        self.evaluate = evaluate
        self.operands = operands
        self.ready = False
        self.value: Any = None

    def set(self, value: Any) -> None:
        """The value has come."""
        self.value = value
        self.ready = True
        self.operands = ()


class Later(NamedTuple):
    """Plain data to come: a value of a type."""

    value: Deferred
    type: Type


def settled(value: Any) -> Any:
    """The value itself once it has come; until then the :class:`Deferred`."""
    return value.value if value.__class__ is Deferred and value.ready else value


def is_open(value: Any) -> bool:
    """Whether the value is still to come, even after computing what can be computed."""
    return value.__class__ is Deferred and not settle(value)


def settle(deferred: Deferred) -> bool:
    """Computes a value and what it needs, as far as that has come; whether it is there.

    Raises what computing it raises. Needs no recursion, however long the chain.
    """
    work = [deferred]
    while work:
        top = work[-1]
        if top.ready:
            work.pop()
            continue
        if top.evaluate is None:
            return False
        missing = next((o for o in top.operands if o.__class__ is Deferred and not o.ready), None)
        if missing is not None:
            work.append(missing)
            continue
        value = top.evaluate(*map(settled, top.operands))
        if value.__class__ is Deferred:
            top.evaluate, top.operands = _same, (value,)
            continue
        top.set(value)
        work.pop()
    return True


def _same(value: Any) -> Any:
    """What stands for another value once it is known which."""
    return value


# -- Values that nobody gave: arguments that a run may not need (``--path`` decides branches instead)


@dataclass(frozen=True, slots=True)
class Unknown:
    """What stands in a register for a value that is not known; ``name`` is the argument it comes from."""

    name: str


def needed(unknown: Unknown, by: str) -> str:
    """The message when an unknown value matters."""
    return (
        f"argument %{unknown.name} has no value, but {by} needs it: give it with --arg %{unknown.name}=VALUE"
    )
