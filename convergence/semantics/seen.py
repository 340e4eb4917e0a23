"""What the outside saw of a run: events per thread, numbered, with their groups (semantics.md, §6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..alignment.instances import DynamicInstance, StaticInstance
from ..ir.types import PTR
from .events import Called, Event, VolatileAccess
from .keys import Key
from .plain import plain

if TYPE_CHECKING:
    from .program import Program
    from .threads import Thread


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

    def volatile(self, thread: Thread, site: StaticInstance, access: Any, value: Any) -> None:
        """A volatile load, store or read-modify-write."""
        nth = thread.counts[site] = thread.counts.get(site, 0) + 1
        shape, layout = access.shape, self._program.layout
        shown: list[Any] = [] if access.pointer is None else [plain(access.pointer, PTR, layout)]
        if shape.type is not None:
            shown += [plain(v, shape.type, layout) for v in access.operands]
        result = None if value is None or shape.type is None else plain(value, shape.type, layout)
        instance = DynamicInstance(thread.number, site, nth)
        thread.events.append(VolatileAccess(instance, shape.kind, tuple(shown), result))

    def of(self, thread: Thread) -> tuple[Event, ...]:
        """A thread's events, groups filled in; for when the run is over."""
        return tuple(
            Called(*_parts(event.called), dict(sorted(self._numbers[event.key].items())))
            if isinstance(event, _Convergent)
            else event
            for event in thread.events
        )


def _parts(called: Called) -> tuple[DynamicInstance, str, tuple[object, ...], object]:
    return called.instance, called.callee, called.operands, called.result
