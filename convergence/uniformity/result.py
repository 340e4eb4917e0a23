"""What a uniformity analysis says, as data: of each value and branch a verdict, and the cause of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from ..frozen import dataclass
from ..rules import Rule
from ..source import NOWHERE, Span


class Verdict(Enum):
    """Of a value or branch. ``OUTSIDE``: the same at its definition, and not where it is used outside of a
    cycle that threads leave in different iterations. ``UNREACHABLE``: no thread comes there."""

    UNIFORM = "uniform"
    DIVERGENT = "divergent"
    OUTSIDE = "divergent outside its cycle"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Cause:
    """Why something is divergent: the ``rule``, and what it comes of: a ``value``, the branch that ends
    ``branch``, the cycle with header ``cycle``; blocks by name. Nothing of these for a source."""

    rule: Rule
    value: str | None = None
    branch: str | None = None
    cycle: str | None = None


@dataclass(frozen=True, slots=True)
class ValueUniformity:
    """One value. ``block`` is ``None`` for a parameter. ``outside`` are the headers of the cycles outside of
    which it is divergent, and ``outside_cause`` why.."""

    name: str
    block: str | None
    verdict: Verdict
    cause: Cause | None = None
    outside: tuple[str, ...] = ()
    outside_cause: Cause | None = None
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class BranchUniformity:
    """The branch that ends ``block``, if it has several successors. ``joins`` are the blocks where threads
    that part there meet; ``exits`` (header, block): threads leave that cycle for that block in different
    iterations."""

    block: str
    verdict: Verdict
    cause: Cause | None = None
    joins: tuple[str, ...] = ()
    exits: tuple[tuple[str, str], ...] = ()
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class AssumedCycle:
    """An irreducible cycle that is not m-converged: all that it defines is divergent (U-CYCLE)."""

    header: str
    blocks: tuple[str, ...]
    branch: str
    join: str


@dataclass(frozen=True, slots=True)
class FunctionUniformity:
    """What is known of one function, for one cycle hierarchy."""

    function: str
    values: Mapping[str, ValueUniformity]
    branches: Mapping[str, BranchUniformity]
    assumed: tuple[AssumedCycle, ...] = ()

    def divergent(self, name: str) -> bool:
        return self.values[name].verdict is Verdict.DIVERGENT

    def chain(self, cause: Cause | None) -> Iterator[Cause]:
        """A cause, what that comes of, and so on to a source."""
        met: set[Cause] = set()
        while cause is not None and cause not in met:
            met.add(cause)
            yield cause
            if cause.branch is not None:
                cause = self.branches[cause.branch].cause
            elif cause.value is not None:
                value = self.values[cause.value]
                cause = value.cause or value.outside_cause
            else:
                cause = None
