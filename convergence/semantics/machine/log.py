"""What the outside can see while a run goes on (semantics.md, *Outcomes and refinement*)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ...alignment.instances import DynamicInstance, StaticInstance
from ...ir.types import PTR
from ..convergence.keys import Key
from ..values.datalayout import Layout
from ..values.display import plain
from ..values.pending import Later

if TYPE_CHECKING:
    from ..threads.state import Thread
    from .program import Program


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


# -- What the outside saw of a run: events per thread, numbered, with their groups (semantics.md, §6)


class _Convergent(NamedTuple):
    """A convergent call: its group is known when the run is over."""

    called: Called
    key: Key


class Seen:
    """Collects events; a thread's are in ``Thread.events``, numbered from 1."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._numbers: dict[Key, dict[int, int]] = {}

    def call(
        self,
        thread: Thread,
        site: StaticInstance,
        callee: str,
        operands: tuple[Any, ...],
        result: Any,
        key: Key | None,
    ) -> None:
        """A call of a declared function with side effects; ``key`` if it is a convergent operation,
        whose instance is recorded already."""
        if key is None:
            nth = thread.counts[site] = thread.counts.get(site, 0) + 1
            thread.events.append(Called(DynamicInstance(thread.number, site, nth), callee, operands, result))
            return
        called = Called(DynamicInstance(thread.number, site, thread.keys[key]), callee, operands, result)
        thread.events.append(_Convergent(called, key))
        self._numbers.setdefault(key, {})[thread.number] = len(thread.events)

    def number(self, key: Key, thread: Thread) -> int:
        """Which event of the thread its convergent call with this key was."""
        return self._numbers[key][thread.number]

    def volatile(self, thread: Thread, site: StaticInstance, access: Any, value: Any) -> None:
        """A volatile load, store, read-modify-write, copy or fill."""
        thread.events.append(self.volatile_event(thread, site, access, value))

    def volatile_event(self, thread: Thread, site: StaticInstance, access: Any, value: Any) -> VolatileAccess:
        """A volatile access as an event."""
        nth = thread.counts[site] = thread.counts.get(site, 0) + 1
        shape, layout = access.shape, self._program.layout
        shown: list[Any] = [] if access.pointer is None else [plain(access.pointer, PTR, layout)]
        types = shape.operand_types(len(access.operands))
        shown += [plain(v, t, layout) for v, t in zip(access.operands, types, strict=False)]
        result = None if value is None else plain(value, shape.result_type, layout)
        instance = DynamicInstance(thread.number, site, nth)
        return VolatileAccess(instance, shape.kind, tuple(shown), result)

    def of(self, thread: Thread) -> tuple[Event, ...]:
        """A thread's events, groups filled in; for when the run is over."""
        layout, found = self._program.layout, []
        for event in thread.events:
            if isinstance(event, _Convergent):
                called, group = event.called, dict(sorted(self._numbers[event.key].items()))
                event = Called(called.instance, called.callee, called.operands, called.result, group)
            if isinstance(event, Called):
                operands = tuple(_known(operand, layout) for operand in event.operands)
                event = replace(event, operands=operands, result=_known(event.result, layout))
            if event is not None:
                found.append(event)
        return tuple(found)


def _known(shown: Any, layout: Layout) -> Any:
    """Plain data that was to come; ``"unfinished"`` in a run that stopped before."""
    if not isinstance(shown, Later):
        return shown
    return plain(shown.value.value, shown.type, layout) if shown.value.ready else "unfinished"
