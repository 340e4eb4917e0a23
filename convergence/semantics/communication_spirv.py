"""Wave operations of the SPIR-V and DirectX backends, which share their names but for the prefix."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .communication_models import (
    about,
    ballot,
    barrier,
    elect,
    integer,
    lane_in,
    moving,
    reduction,
    thread_coordinate,
    vote,
    width_of,
)
from .communication_subgroup import SUFFIX
from .exchanges import Callee, Family, Model, PerThread, Place, Prepare
from .values import RuntimeValue, any_poison, scalars

_PREFIX = r"llvm\.(?:spv|dx)\."


def _both(*names: str) -> str:
    """A pattern for these names under both prefixes."""
    return _PREFIX + "(?:" + "|".join(n.replace(".", r"\.") for n in names) + ")" + SUFFIX


def _reduce(callee: Callee) -> Model | None:
    """``sum``, ``usum``, ``min``, ``umin``, ...: unsigned with a ``u``."""
    name = callee.parts[0] or ""
    operation = {"sum": "add", "product": "mul"}.get(name.removeprefix("u"), name.removeprefix("u"))
    return reduction(operation, not name.startswith("u"))(callee)


def _count_bits(callee: Callee) -> Model | None:
    """How many lanes of the group have a true operand."""
    bits = width_of(callee.type.result)
    return None if bits is None else vote(lambda values: sum(values))(callee)


def _of_vector(decide: Callable[[Sequence[bool]], bool]) -> Prepare:
    """``all`` and ``any``: of the own operand's elements, no other thread is asked."""

    def prepare(callee: Callee) -> Model | None:
        if width_of(callee.type.result) != 1 or len(callee.type.parameters) != 1:
            return None

        def alone(place: Place, value: RuntimeValue) -> RuntimeValue:
            if any_poison(value):
                return type(scalars(value)[0])(0, True)
            return integer(int(decide([bool(s.bits) for s in scalars(value)])), 1)

        return PerThread(alone)

    return prepare


OPERATIONS: tuple[tuple[str, Prepare], ...] = (
    (_PREFIX + r"wave\.reduce\.(sum|usum|product|min|max|umin|umax|and|or|xor)" + SUFFIX, _reduce),
    (_both("wave.active.countbits"), _count_bits),
    (_both("wave.all"), vote(all)),
    (_both("wave.any"), vote(any)),
    (_both("wave.ballot"), ballot()),
    (_both("wave.is.first.lane"), elect),
    (_both("wave.readlane"), moving(lane_in(1))),
    (_both("wave.get.lane.count", "subgroup.size", "subgroup.max.size"), about(lambda p: p.subgroup.size)),
    (_both("wave.getlaneindex", "subgroup.local.invocation.id"), about(lambda p: p.lane)),
    (_both("subgroup.id"), about(lambda p: p.subgroup.number)),
    (_both("num.subgroups"), about(lambda p: -(-p.subgroup.threads // max(p.subgroup.size, 1)))),
    (_both("thread.id", "thread.id.in.group"), thread_coordinate(lambda p: p.thread)),
    (_both("flattened.thread.id.in.group"), about(lambda p: p.thread)),
    (_both("group.id", "global.offset"), about(lambda p: 0)),
    (_both("num.workgroups"), about(lambda p: 1)),
    (_both("workgroup.size", "global.size"), thread_coordinate(lambda p: p.subgroup.threads)),
    (_both("group.memory.barrier.with.group.sync"), barrier),
    (_both("all"), _of_vector(all)),
    (_both("any"), _of_vector(any)),
)

SPIRV_AND_DIRECTX = Family(("llvm.spv.", "llvm.dx."), OPERATIONS)
