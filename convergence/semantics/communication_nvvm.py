"""NVPTX's warp operations (LLVM's *User Guide for NVPTX Back-end*; PTX ISA, *shfl*, *vote*, *match*).

A warp is a subgroup. The threads that communicate are the group that the convergence rules give; a
``.sync`` form's member mask leaves out those of them that it does not name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..ir.types import IntType, StructType
from .communication_models import about, ballot, barrier, integer, is_true, reduction, width_of
from .communication_subgroup import named
from .exchanges import Callee, Exchanging, Family, Model, Operands, Prepare, Subgroup
from .values import Composite, RuntimeValue, Value, any_poison, scalar
from .values_of_types import poison

Decide = Callable[[Sequence[bool]], bool]


def _named_by(mask: RuntimeValue, group: Mapping[int, Operands]) -> list[int] | None:
    """The lanes of the group that a member mask names; ``None`` if it is poison."""
    value = scalar(mask)
    return None if value.poison else [lane for lane in sorted(group) if value.bits >> lane & 1]


def _per_lane(callee: Callee, result: Callable[[int, Mapping[int, Operands]], RuntimeValue | None]) -> Model:
    """Each lane's result by itself; ``None`` gives poison."""
    bad = poison(callee.type.result, callee.context.layout, callee.context.domain)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        found = {lane: result(lane, group) for lane in group}
        return {lane: bad if value is None else value for lane, value in found.items()}

    return Exchanging(together)


def _vote(callee: Callee) -> Model | None:
    """``vote.{all,any,uni,ballot}`` with a member mask in front for ``.sync``."""
    kind, sync = callee.parts
    bits, at = width_of(callee.type.result), 1 if sync else 0
    if bits is None or len(callee.type.parameters) != at + 1:
        return None
    if kind == "ballot" and not sync:
        return ballot()(callee)
    width = bits
    decide: Mapping[str, Decide] = {"all": all, "any": any, "uni": lambda v: all(v) or not any(v)}

    def result(lane: int, group: Mapping[int, Operands]) -> RuntimeValue | None:
        lanes = _named_by(group[lane][0], group) if sync else sorted(group)
        if lanes is None or any(any_poison(group[other][at]) for other in lanes):
            return None
        values = [is_true(group[other][at]) for other in lanes]
        if kind == "ballot":
            return integer(sum(1 << other for other, v in zip(lanes, values, strict=True) if v), width)
        return integer(int(decide[kind or ""](values)), width)

    return _per_lane(callee, result)


def _shuffle(callee: Callee) -> Model | None:
    """``shfl``: PTX's lane arithmetic within segments; the ``p`` forms also say whether it was in range."""
    sync, mode, _, pair = callee.parts
    at = 1 if sync else 0
    parameters, result_type = callee.type.parameters, callee.type.result
    if len(parameters) != at + 3 or bool(pair) != isinstance(result_type, StructType):
        return None

    def result(lane: int, group: Mapping[int, Operands]) -> RuntimeValue | None:
        operands = group[lane]
        distance, control = scalar(operands[at + 1]), scalar(operands[at + 2])
        if distance.poison or control.poison:
            return None
        source, inside = _shuffled(mode or "", lane, distance.bits, control.bits)
        value = group[source][at] if source in group else None
        if value is None:
            return None
        return Composite((value, integer(int(inside), 1))) if pair else value

    return _per_lane(callee, result)


def _shuffled(mode: str, lane: int, distance: int, control: int) -> tuple[int, bool]:
    """PTX ISA, *shfl*: the lane that is read, and whether it was in range (else it is the own lane)."""
    segment, clamp = control >> 8 & 31, control & 31
    highest = (lane & segment) | (clamp & ~segment & 31)
    match mode:
        case "up":
            source, inside = lane - distance, lane - distance >= highest
        case "down":
            source, inside = lane + distance, lane + distance <= highest
        case "bfly":
            source, inside = lane ^ distance, lane ^ distance <= highest
        case _:
            source = (lane & segment) | (distance & ~segment & 31)
            inside = source <= highest
    return (source if inside else lane), inside


def _match(callee: Callee) -> Model | None:
    """``match.any``: which lanes have the own value; ``match.all``: all lanes if all have it, and whether."""
    kind = callee.parts[0]
    if len(callee.type.parameters) != 2 or (kind == "all") != isinstance(callee.type.result, StructType):
        return None

    def result(lane: int, group: Mapping[int, Operands]) -> RuntimeValue | None:
        lanes = _named_by(group[lane][0], group)
        if lanes is None or any(any_poison(group[other][1]) for other in lanes):
            return None
        own = scalar(group[lane][1]).bits
        same = sum(1 << other for other in lanes if scalar(group[other][1]).bits == own)
        if kind == "any":
            return integer(same, 32)
        everywhere = same == sum(1 << other for other in lanes)
        return Composite((integer(same if everywhere else 0, 32), integer(int(everywhere), 1)))

    return _per_lane(callee, result)


def _elect(callee: Callee) -> Model | None:
    """``elect.sync``: the lowest lane that the mask names, and whether that is the own lane."""
    if callee.type.result != StructType((IntType(32), IntType(1))):
        return None

    def result(lane: int, group: Mapping[int, Operands]) -> RuntimeValue | None:
        lanes = _named_by(group[lane][0], group)
        return Composite((integer(lanes[0], 32), integer(int(lane == lanes[0]), 1))) if lanes else None

    return _per_lane(callee, result)


def _redux(callee: Callee) -> Model | None:
    """``redux.sync.op(value, mask)``, over the lanes that the mask names."""
    name = callee.parts[0] or ""
    model = reduction(name.removeprefix("u").removeprefix("f"), not name.startswith("u"))(callee)
    if not isinstance(model, Exchanging) or len(callee.type.parameters) != 2:
        return None
    inner = model.together

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        results: dict[int, RuntimeValue] = {}
        for lane, operands in group.items():
            lanes = _named_by(operands[1], group) or []
            named_ = {other: group[other] for other in lanes}
            results[lane] = inner(named_, subgroup)[lanes[0]] if lanes else Value(0, True)
        return results

    return Exchanging(together)


def _barrier_reduce(callee: Callee) -> Model | None:
    """``barrier.cta.red``: how many predicates are true, or whether all or any are; the predicate is last."""
    kind, bits = callee.parts[0], width_of(callee.type.result)
    if bits is None or not callee.type.parameters:
        return None
    width = bits

    def result(lane: int, group: Mapping[int, Operands]) -> RuntimeValue | None:
        values = [v[-1] for v in group.values()]
        if any(any_poison(v) for v in values):
            return None
        true = sum(is_true(v) for v in values)
        found = {"popc": true, "and": int(true == len(values)), "or": int(true > 0)}[kind or ""]
        return integer(found, width)

    return _per_lane(callee, result)


def _lane_mask(kind: str) -> Prepare:
    ones = (1 << 32) - 1
    masks: Mapping[str, Callable[[int], int]] = {
        "eq": lambda lane: 1 << lane,
        "lt": lambda lane: (1 << lane) - 1,
        "le": lambda lane: (2 << lane) - 1,
        "gt": lambda lane: ones & ~((2 << lane) - 1),
        "ge": lambda lane: ones & ~((1 << lane) - 1),
    }
    return about(lambda p: masks[kind](p.lane))


_SREG = "llvm.nvvm.read.ptx.sreg."

OPERATIONS: tuple[tuple[str, Prepare], ...] = (
    (r"llvm\.nvvm\.vote\.(all|any|uni|ballot)(\.sync)?", _vote),
    (named("llvm.nvvm.activemask"), ballot(None)),
    (r"llvm\.nvvm\.shfl\.(sync\.)?(idx|up|down|bfly)\.(i32|f32)(p)?", _shuffle),
    (r"llvm\.nvvm\.match\.(any|all)\.sync\.i(?:32|64)p?", _match),
    (named("llvm.nvvm.elect.sync"), _elect),
    (r"llvm\.nvvm\.redux\.sync\.(add|umin|umax|min|max|and|or|xor|fmin|fmax)", _redux),
    (r"llvm\.nvvm\.barrier0\.(popc|and|or)", _barrier_reduce),
    (r"llvm\.nvvm\.barrier\.cta\.red\.(popc|and|or)(?:\.aligned)?\.(?:all|count)", _barrier_reduce),
    (
        r"llvm\.nvvm\.(?:barrier0|barrier\.cta\.sync(?:\.aligned)?\.(?:all|count)|bar\.warp\.sync|bar\.sync|barrier\.n)",
        barrier,
    ),
    (named(_SREG + "laneid"), about(lambda p: p.lane)),
    (named(_SREG + "warpid"), about(lambda p: p.subgroup.number)),
    (named(_SREG + "nwarpid"), about(lambda p: -(-p.subgroup.threads // max(p.subgroup.size, 1)))),
    (named(_SREG + "warpsize"), about(lambda p: p.subgroup.size)),
    (named(_SREG + "tid.x"), about(lambda p: p.thread)),
    (named(_SREG + "ntid.x"), about(lambda p: p.subgroup.threads)),
    (
        named(*(_SREG + f"tid.{d}" for d in "yzw"), *(_SREG + f"ctaid.{d}" for d in "xyzw")),
        about(lambda p: 0),
    ),
    (
        named(*(_SREG + f"ntid.{d}" for d in "yzw"), *(_SREG + f"nctaid.{d}" for d in "xyzw")),
        about(lambda p: 1),
    ),
    *((named(_SREG + "lanemask." + kind), _lane_mask(kind)) for kind in ("eq", "lt", "le", "gt", "ge")),
)

NVVM = Family(("llvm.nvvm.",), OPERATIONS)
