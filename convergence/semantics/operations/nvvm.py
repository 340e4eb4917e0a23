"""NVPTX's warp operations (LLVM's *User Guide for NVPTX Back-end*; PTX ISA, *shfl*, *vote*, *match*).

A warp is a subgroup. The threads that communicate are the group that the convergence rules give; a
``.sync`` form's member mask leaves out those of them that it does not name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...ir import FloatType, FunctionType, IntType, StructType
from .. import NotModelled
from ..memory.synchronisation import EVERYWHERE, MemoryFence, Scope
from ..values import Bits, Composite, RuntimeValue, Truth, Value, scalar
from ..values.context import poison
from . import (
    CLUSTER_BARRIER,
    Callee,
    Exchanging,
    Model,
    Operands,
    Operations,
    PerThread,
    Prepare,
    Subgroup,
    ThreadPlace,
)
from .barriers import (
    NOTHING,
    PTX_ALIGNED,
    always,
    arrival,
    barrier,
    counted,
    fence,
    full,
    named_by,
    resource,
    waiting,
)
from .lanes import (
    Decide,
    ballot,
    everywhere,
    how_many,
    integer,
    mask_of,
    reduction,
    same,
    some_poison,
    somewhere,
    truth_of,
    uniform,
    vote,
    width_of,
    with_poison,
)
from .subgroup import named

if TYPE_CHECKING:
    from ..arithmetic.domain import Domain

_OWN_COPIES = MemoryFence(False, True, EVERYWHERE, Scope.WORKGROUP, apart=True, alone=True)
"""What a thread waits for by ``cp.async.wait_group`` or ``wait_all``: all copies that it began, be the groups
that it lets go on as many as they are."""


def _named_by(mask: RuntimeValue, group: Mapping[int, Operands], domain: Domain) -> list[int] | None:
    """The lanes of the group that a member mask names; ``None`` if it is poison. NotModelled where that is
    not known."""
    value = scalar(mask)
    if value.poison is domain.true:
        return None
    if value.poison is not domain.false:
        raise NotModelled("a member mask that may be poison")
    bits = domain.concrete(value.bits, "a symbolic member mask")
    return [lane for lane in sorted(group) if bits >> lane & 1]


def _per_lane(callee: Callee, result: Callable[[int, Mapping[int, Operands]], RuntimeValue | None]) -> Model:
    """Each lane's result by itself; ``None`` gives poison."""
    bad = poison(callee.type.result, callee.context.layout, callee.context.domain)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        results = {lane: result(lane, group) for lane in group}
        return {lane: bad if value is None else value for lane, value in results.items()}

    return Exchanging(together)


_DECIDE: Mapping[str, Decide] = {"all": everywhere, "any": somewhere, "uni": uniform}


def _vote(callee: Callee) -> Model | None:
    """``vote.{all,any,uni,ballot}`` with a member mask in front for ``.sync``."""
    kind, sync = callee.parts
    bits, at, d = width_of(callee.type.result), 1 if sync else 0, callee.context.domain
    if bits is None or len(callee.type.parameters) != at + 1:
        return None
    width, type_ = bits, callee.type.parameters[at]

    def result(lane: int, group: Mapping[int, Operands]) -> RuntimeValue | None:
        lanes = _named_by(group[lane][0], group, d) if sync else sorted(group)
        if lanes is None:
            return None
        bad = some_poison([group[other][at] for other in lanes], d)
        truths = {other: truth_of(group[other][at], type_, d) for other in lanes}
        if kind == "ballot":
            return with_poison(mask_of(truths, callee.type.result, d), bad, d)
        return Value(_DECIDE[kind or ""](list(truths.values()), d, width), bad)

    return _per_lane(callee, result)


def _shuffle(callee: Callee) -> Model | None:
    """``shfl``: PTX's lane arithmetic within segments; the ``p`` forms also say whether it was in range. A
    lane that the member mask does not name is as one that is absent."""
    sync, mode, _, pair = callee.parts
    at, d = 1 if sync else 0, callee.context.domain
    parameters, result_type = callee.type.parameters, callee.type.result
    if len(parameters) != at + 3 or bool(pair) != isinstance(result_type, StructType):
        return None
    bad = poison(result_type, callee.context.layout, d)

    def result(lane: int, group: Mapping[int, Operands]) -> RuntimeValue | None:
        operands = group[lane]
        lanes = _named_by(operands[0], group, d) if sync else sorted(group)
        if lanes is None:
            return None
        distance, control = scalar(operands[at + 1]), scalar(operands[at + 2])
        clamped = d.concrete(control.bits, "a symbolic shuffle clamp")
        unclear = d.either(distance.poison, control.poison)
        if unclear is d.true:
            return None
        if unclear is d.false and isinstance(distance.bits, int):
            source, inside = _shuffled(mode or "", lane, distance.bits, clamped)
            value = group[source][at] if source in lanes else None
            if value is None:
                return None
            return Composite((value, integer(int(inside), 1))) if pair else value
        at_run, within = _shuffled_by(mode or "", lane, distance.bits, clamped, d)
        selection, none = bad, bad
        for other in lanes:
            datum: RuntimeValue = group[other][at]
            if pair:
                datum = Composite((datum, Value(d.bit(within), d.false)))
            selection = d.choose(d.width(64).eq(at_run, d.width(64).constant(other)), datum, selection)
        return d.choose(unclear, none, selection)

    return _per_lane(callee, result)


def _shuffled(mode: str, lane: int, distance: int, control: int) -> tuple[int, bool]:
    """PTX ISA, *shfl*: the lane that is read, and whether it was in range (else it is the own lane). Of the
    distance five bits are looked at in each mode."""
    segment, clamp, distance = control >> 8 & 31, control & 31, distance & 31
    highest = (lane & segment) | (clamp & ~segment & 31)
    match mode:
        case "up":
            source, inside = lane - distance, lane - distance >= highest
        case "down":
            source, inside = lane + distance, lane + distance <= highest
        case "bfly":
            source, inside = lane ^ distance, lane ^ distance <= highest
        case _:
            source = (lane & segment) | (distance & ~segment)
            inside = source <= highest
    return (source if inside else lane), inside


def _shuffled_by(mode: str, lane: int, distance: Bits, control: int, domain: Domain) -> tuple[Bits, Truth]:
    """As :func:`_shuffled` for a distance of 32 bits that only the run knows; the lane has 64."""
    w = domain.width(64)
    far = w.and_(domain.zext(32, 64)(distance), w.constant(31))
    segment, clamp = control >> 8 & 31, control & 31
    own, highest = w.constant(lane), w.constant((lane & segment) | (clamp & ~segment & 31))
    match mode:
        case "up":
            source = w.sub(own, far)
            inside = w.sle(highest, source)
        case "down":
            source = w.add(own, far)
            inside = w.ule(source, highest)
        case "bfly":
            source = w.xor(own, far)
            inside = w.ule(source, highest)
        case _:
            source = w.or_(w.constant(lane & segment), w.and_(far, w.constant(~segment & 31)))
            inside = w.ule(source, highest)
    return domain.ite(inside, source, own), inside


_SHUFFLES = ("idx", "up", "down", "bfly")
_VOTES = ("all", "any", "uni", "ballot")


def _of_mode(modes: Sequence[str], operation: Callable[[str], Callable[[Callee], Model | None]]) -> Prepare:
    """An operation of NVVM IR, which says by a number behind the member mask what it does (*NVVM IR
    Specification*, *Warp-level Intrinsics*): each ``operation`` is the model of one of them, without that
    number."""

    def prepare(callee: Callee) -> Model | None:
        d, types = callee.context.domain, callee.type.parameters
        if len(types) < 2:
            return None
        type_ = replace(callee.type, parameters=(types[0], *types[2:]))
        models = [operation(mode)(callee._replace(type=type_)) for mode in modes]

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            results = dict[int, RuntimeValue]()
            alike: dict[int, dict[int, Operands]] = {}
            for lane, (mask, number, *others) in group.items():
                mode = d.concrete(scalar(number).bits, "a symbolic mode")
                alike.setdefault(mode, {})[lane] = (mask, *others)
            for mode, lanes in alike.items():
                model = models[mode] if mode < len(models) else None
                if not isinstance(model, Exchanging):
                    raise NotModelled(f"@{callee.name} of mode {mode}")
                results.update(model.together(lanes, subgroup))
            return results

        return Exchanging(together)

    return prepare


def _shuffle_with_predicate(mode: str) -> Callable[[Callee], Model | None]:
    """Value and whether it was in range."""
    return lambda callee: _shuffle(callee._replace(parts=("sync.", mode, "i32", "p")))


def _vote_in_pair(kind: str) -> Callable[[Callee], Model | None]:
    """A ballot is the pair's word, else the answer its bit; of the other one nothing is said."""

    def prepare(callee: Callee) -> Model | None:
        result, ballot = callee.type.result, kind == "ballot"
        if not isinstance(result, StructType) or len(result.elements) != 2:
            return None
        own = result.elements[0 if ballot else 1]
        single = _vote(callee._replace(type=replace(callee.type, result=own), parts=(kind, ".sync")))
        if not isinstance(single, Exchanging):
            return None
        vote, other = single.together, result.elements[1 if ballot else 0]
        nothing = poison(other, callee.context.layout, callee.context.domain)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            votes = vote(group, subgroup)
            pairs = {lane: (value, nothing) if ballot else (nothing, value) for lane, value in votes.items()}
            return {lane: Composite(pair) for lane, pair in pairs.items()}

        return Exchanging(together)

    return prepare


def _match(callee: Callee) -> Model | None:
    """``match.any``: which lanes have the own value; ``match.all``: all lanes if all have it, and whether."""
    kind, d = callee.parts[0], callee.context.domain
    if len(callee.type.parameters) != 2 or (kind == "all") != isinstance(callee.type.result, StructType):
        return None
    type_ = callee.type.parameters[1]

    def result(lane: int, group: Mapping[int, Operands]) -> RuntimeValue | None:
        lanes = _named_by(group[lane][0], group, d)
        if lanes is None:
            return None
        bad = some_poison([group[other][1] for other in lanes], d)
        equal = {other: same(group[lane][1], group[other][1], type_, callee.context) for other in lanes}
        if kind == "any":
            return with_poison(mask_of(equal, IntType(32), d), bad, d)
        everywhere_equal = everywhere(list(equal.values()), d, 1)
        every = scalar(mask_of(dict.fromkeys(lanes, d.true), IntType(32), d))
        return Composite(
            (
                Value(d.width(32).and_(every.bits, d.sext(1, 32)(everywhere_equal)), bad),
                Value(everywhere_equal, bad),
            )
        )

    return _per_lane(callee, result)


def _elect(callee: Callee) -> Model | None:
    """``elect.sync``: the lowest lane that the mask names, and whether that is the own lane."""
    if callee.type.result != StructType((IntType(32), IntType(1))):
        return None

    def result(lane: int, group: Mapping[int, Operands]) -> RuntimeValue | None:
        lanes = _named_by(group[lane][0], group, callee.context.domain)
        return Composite((integer(lanes[0], 32), integer(int(lane == lanes[0]), 1))) if lanes else None

    return _per_lane(callee, result)


def _redux(callee: Callee) -> Model | None:
    """``redux.sync.op(value, mask)``, over the lanes that the mask names."""
    name = callee.parts[0] or ""
    model = reduction(name.removeprefix("u"), not name.startswith("u"))(callee)
    if not isinstance(model, Exchanging) or len(callee.type.parameters) != 2:
        return None
    inner = model.together

    def result(lane: int, group: Mapping[int, Operands]) -> RuntimeValue | None:
        lanes = _named_by(group[lane][1], group, callee.context.domain)
        if not lanes:
            return None
        return inner({other: group[other] for other in lanes}, Subgroup(0, 0, 0))[lanes[0]]

    return _per_lane(callee, result)


def _redux_of_floats(callee: Callee) -> Model | None:
    """``redux.sync.f{min,max}[.abs][.NaN](value, mask)``: NaN is left out, but with ``.NaN`` one makes
    the result NaN; -0.0 is less than 0.0 (PTX ISA, *redux.sync*)."""
    least, magnitude, keeps_nan = callee.parts
    type_, d = callee.type.result, callee.context.domain
    if not isinstance(type_, FloatType) or callee.type.parameters != (type_, IntType(32)):
        return None
    f, w = d.floats(type_.kind), d.width(d.floats(type_.kind).width)
    no_sign = w.constant((1 << w.width - 1) - 1)

    def step(a: Value, b: Value) -> Value:
        first = f.less(a.bits, b.bits) if least == "min" else f.less(b.bits, a.bits)
        other = f.less(b.bits, a.bits) if least == "min" else f.less(a.bits, b.bits)
        of_zeros = (w.or_ if least == "min" else w.and_)(a.bits, b.bits)  # equal numbers differ as zeros do
        number = d.ite(first, a.bits, d.ite(other, b.bits, of_zeros))
        if keeps_nan:
            bits = d.ite(d.either(f.is_nan(a.bits), f.is_nan(b.bits)), f.nan, number)
        else:
            bits = d.ite(f.is_nan(a.bits), d.ite(f.is_nan(b.bits), f.nan, b.bits), number)
            bits = d.ite(d.both(f.is_nan(b.bits), d.negate(f.is_nan(a.bits))), a.bits, bits)
        return Value(bits, d.either(a.poison, b.poison))

    def result(lane: int, group: Mapping[int, Operands]) -> RuntimeValue | None:
        lanes = _named_by(group[lane][1], group, d)
        if not lanes:
            return None
        values = [scalar(group[other][0]) for other in lanes]
        if magnitude:
            values = [Value(w.and_(v.bits, no_sign), v.poison) for v in values]
        total = step(values[0], values[0])
        for value in values[1:]:
            total = step(total, value)
        return total

    return _per_lane(callee, result)


def _find_nth_set(callee: Callee) -> Model | None:
    """``fns(mask, base, offset)``: the place of the n-th set bit from a base, upward or downward; all ones if
    there is none (PTX ISA, *fns*)."""
    if callee.type != FunctionType(IntType(32), (IntType(32),) * 3):
        return None
    d = callee.context.domain
    w = d.width(32)

    def alone(
        place: ThreadPlace, mask: RuntimeValue, base: RuntimeValue, offset: RuntimeValue
    ) -> RuntimeValue:
        bits, start, by = scalar(mask), scalar(base), scalar(offset)
        none, down = w.constant(-1), w.slt(by.bits, 0)
        wanted = d.ite(w.eq(by.bits, 0), w.constant(1), d.ite(down, w.neg(by.bits), by.bits))

        def search(order: range, reached: Callable[[Bits], Truth]) -> Bits:
            count, result = w.constant(0), none
            for i in order:
                counts = d.both(d.truth(d.extract(i, i)(bits.bits)), reached(w.constant(i)))
                count = w.add(count, d.zext(1, 32)(d.bit(counts)))
                result = d.ite(d.both(counts, w.eq(count, wanted)), w.constant(i), result)
            return result

        up = search(range(32), lambda i: w.ule(start.bits, i))
        below = search(range(31, -1, -1), lambda i: w.ule(i, start.bits))
        own = d.ite(w.eq(up, start.bits), start.bits, none)
        result = d.ite(w.eq(by.bits, 0), own, d.ite(down, below, up))
        return Value(result, some_poison([mask, base, offset], d))

    return PerThread(alone)


_CTA = always(full(scope=Scope.WORKGROUP))
"""What PTX's barriers order: all accesses before, among the threads of the CTA."""
_MEMBAR = {"cta": Scope.WORKGROUP, "gl": Scope.ALL, "sys": Scope.ALL}


def _membar(callee: Callee) -> Model | None:
    return fence(always(full(scope=_MEMBAR[callee.parts[0] or ""])))(callee)


_COUNT: Mapping[str, Decide] = {"popc": how_many, "and": everywhere, "or": somewhere}


def _count(operands: Sequence[int | None]) -> int | None:
    """How many threads a barrier with a number of them waits for: its second operand."""
    return operands[1]


def _barrier_reduce(callee: Callee) -> Model | None:
    """``barrier.cta.red``: how many predicates are true, or whether all or any are; the predicate is last."""
    model = vote(_COUNT[callee.parts[0] or ""], max(len(callee.type.parameters) - 1, 0))(callee)
    if not isinstance(model, Exchanging):
        return None
    counts = len(callee.type.parameters) == 3
    return replace(
        model, orders=_CTA, workgroup=resource, wide=True, parts=counts, members=_count if counts else None
    )


NVVM: Operations = (
    (r"llvm\.nvvm\.vote\.(all|any|uni|ballot)(\.sync)?", _vote),
    (named("llvm.nvvm.activemask"), ballot(None)),
    (r"llvm\.nvvm\.shfl\.(sync\.)?(idx|up|down|bfly)\.(i32|f32)(p)?", _shuffle),
    (named("llvm.nvvm.shfl.sync.i32"), _of_mode(_SHUFFLES, _shuffle_with_predicate)),
    (named("llvm.nvvm.vote.sync"), _of_mode(_VOTES, _vote_in_pair)),
    (r"llvm\.nvvm\.match\.(any|all)\.sync\.i(?:32|64)p?", _match),
    (named("llvm.nvvm.elect.sync"), _elect),
    (r"llvm\.nvvm\.redux\.sync\.(add|umin|umax|min|max|and|or|xor)", _redux),
    (r"llvm\.nvvm\.redux\.sync\.f(min|max)(\.abs)?(\.NaN)?", _redux_of_floats),
    (named("llvm.nvvm.fns"), _find_nth_set),
    (r"llvm\.nvvm\.barrier0\.(popc|and|or)", _barrier_reduce),
    (r"llvm\.nvvm\.barrier\.cta\.red\.(popc|and|or)(?:\.aligned)?\.(?:all|count)", _barrier_reduce),
    (
        r"llvm\.nvvm\.(?:barrier\.cta\.sync(?:\.aligned)?\.count|barrier|barrier\.sync\.cnt)",
        counted(_CTA, resource, _count),
    ),
    (
        r"llvm\.nvvm\.barrier\.cta\.arrive(?:\.aligned)?\.count",
        arrival(always(MemoryFence(True, False, scope=Scope.WORKGROUP)), resource, _count),
    ),
    (
        r"llvm\.nvvm\.(?:barrier\.cta\.sync\.aligned\.all|bar\.sync|barrier0|barrier\.n)",
        barrier(_CTA, resource, PTX_ALIGNED),
    ),
    (r"llvm\.nvvm\.(?:barrier\.cta\.sync\.all|barrier\.sync)", barrier(_CTA, resource)),
    (
        r"llvm\.nvvm\.barrier\.cluster\.arrive(?:\.aligned)?",
        arrival(always(MemoryFence(True, False, scope=Scope.CLUSTER)), named_by(CLUSTER_BARRIER)),
    ),
    (
        r"llvm\.nvvm\.barrier\.cluster\.arrive\.relaxed(?:\.aligned)?",
        arrival(always(NOTHING), named_by(CLUSTER_BARRIER)),
    ),
    (
        r"llvm\.nvvm\.barrier\.cluster\.wait(?:\.aligned)?",
        waiting(always(MemoryFence(False, True, scope=Scope.CLUSTER)), named_by(CLUSTER_BARRIER)),
    ),
    (named("llvm.nvvm.bar.warp.sync"), barrier(always(full()))),
    (named("llvm.nvvm.cp.async.commit.group"), fence(always(MemoryFence(False, False)))),
    (r"llvm\.nvvm\.cp\.async\.wait\.(?:group|all)", fence(always(_OWN_COPIES))),
    (r"llvm\.nvvm\.membar\.(cta|gl|sys)", _membar),
    (r"llvm\.nvvm\.fence\.sc\.cluster", fence(always(full(scope=Scope.CLUSTER)))),
)
