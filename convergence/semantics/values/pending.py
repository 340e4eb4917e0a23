"""Values that are not known yet: one notion for what a run waits for and for what a solver will say.

Under D-CAUSE a thread needs a value only where it depends on it: to compute (then the result is
pending, too), to take a branch, or as an operand of an exchange. In the queued environment a pending
value comes when what it waits for has happened; on a candidate trace it is there at once, as a term
over unknowns, and says which exchanges and reads it needs (docs/decisions/pending.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...alignment.instances import StaticInstance
from ...frozen import dataclass
from ...ir.types import Type
from ..errors import option

Needs = frozenset[Any]
"""Exchanges and accesses to shared memory on which something depends."""
NOTHING: Needs = frozenset()


class Pending:
    """A value to come: from outside (``evaluate`` is ``None``), or computed from ``operands``; once ``ready``
    it is ``value``.

    ``where`` is the instruction that it belongs to; ``needs`` is what a term depends on (:func:`term`).
    """

    __slots__ = ("evaluate", "needs", "operands", "ready", "value", "where")

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
        self.needs = NOTHING

    def set(self, value: Any) -> None:
        """The value has come."""
        self.value = value
        self.ready = True
        self.operands = ()


_NOWHERE = StaticInstance("", 0)


def term(value: Any, needs: Needs) -> Pending:
    """A value over unknowns, which depends on what they are results of."""
    pending = Pending(_NOWHERE)
    pending.set(value)
    pending.needs = needs
    return pending


class Later(NamedTuple):
    """Plain data to come: a value, known or pending, of a type."""

    value: Any
    type: Type


def settled(value: Any) -> Any:
    """The value itself once it has come; until then the :class:`Pending`."""
    return value.value if value.__class__ is Pending and value.ready else value


def is_open(value: Any) -> bool:
    """Whether the value is still to come, even after computing what can be computed."""
    return value.__class__ is Pending and not settle(value)


def settle(deferred: Pending) -> bool:
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
        missing = next((o for o in top.operands if o.__class__ is Pending and not o.ready), None)
        if missing is not None:
            work.append(missing)
            continue
        value = top.evaluate(*map(settled, top.operands))
        if value.__class__ is Pending:
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
    """What stands in a register for a value that is not known; ``name`` is the argument it comes from.
    ``pointer``: it is an address."""

    name: str
    pointer: bool = False


def needed(unknown: Unknown, by: str) -> str:
    """The message when an unknown value matters."""
    what, value = ("buffer", "TYPE[N]") if unknown.pointer else ("arg", "VALUE")
    how = option(what, value, f"%{unknown.name}")
    return f"argument %{unknown.name} has no value, but {by} needs it: give it with {how}"
