"""What the outside can see while a run goes on (semantics.md, *Outcomes and refinement*)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..alignment.instances import DynamicInstance


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a declared function with side effects.

    ``group`` is, for a convergent call, each member's thread and the number (from 1) of its own
    event there; ``None`` for a call that is not convergent.
    """

    instance: DynamicInstance
    callee: str
    operands: tuple[object, ...]
    result: object
    group: Mapping[int, int] | None = None


@dataclass(frozen=True, slots=True)
class VolatileAccess:
    """A volatile access; ``operands`` and ``result`` as for a call."""

    instance: DynamicInstance
    operation: str
    operands: tuple[object, ...]
    result: object


Event = Called | VolatileAccess
