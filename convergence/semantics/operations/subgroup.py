"""Collectives of OpenCL C and SPIR-V, and subgroup operations by the names of LLVM's document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...ir import FloatType, IntType, Type, VectorType
from .. import NotModelled
from ..arithmetic.domain import Domain
from ..memory.synchronisation import Scope
from ..values import Bits, Composite, RuntimeValue, Truth, Value, scalar
from ..values.context import Context, poison
from . import (
    BarrierName,
    Callee,
    Exchanging,
    Model,
    Operands,
    Operations,
    PerThread,
    Prepare,
    Subgroup,
    ThreadPlace,
    Together,
)
from .barriers import BARE, LOCAL, WGSL_UNIFORM, always, barrier, full, named_by
from .lanes import (
    ballot,
    broadcast,
    elect,
    everywhere,
    first_of_group,
    has_mask_type,
    how_many,
    integer,
    lane_by,
    lane_in,
    mask_of,
    moving,
    read_lane,
    reduction,
    scan,
    some_poison,
    somewhere,
    truth_of,
    vote,
    width_of,
    with_poison,
)

# ----------------------------------------------------------------------------------------------------------
# Collectives of OpenCL C and SPIR-V: one set of models, which both languages name (``opencl``,
# ``spirv_functions``).
#
# OpenCL C, *Subgroup Functions* and *Work-group Functions* with their Khronos extensions; SPIR-V, *Group
# and Subgroup Instructions* and *Non-Uniform Instructions*. All of them are about the threads of the group.
# What the documents call undefined is poison: the value of a lane that takes no part, a lane beyond the
# subgroup, the lowest bit of no bits.
# ----------------------------------------------------------------------------------------------------------

# -- where operands stand ------------------------------------------------------------------------------


def behind(count: int, prepare: Prepare) -> Prepare:
    """The operation whose operands stand behind ``count`` others, which it does not look at."""

    def prepare_call(callee: Callee) -> Model | None:
        parameters = callee.type.parameters
        if len(parameters) < count:
            return None
        model = prepare(callee._replace(type=replace(callee.type, parameters=parameters[count:])))
        match model:
            case Exchanging(together):
                return replace(model, together=_from(count, together))
            case PerThread(alone):
                return PerThread(lambda place, *operands: alone(place, *operands[count:]))
            case _:
                return model

    return prepare_call


def _from(count: int, together: Together) -> Together:
    return lambda group, subgroup: together({x: v[count:] for x, v in group.items()}, subgroup)


# -- parts of a subgroup --------------------------------------------------------------------------------


def clustered(at: int, prepare: Prepare) -> Prepare:
    """The operation among the lanes of each cluster; its size, a power of two, is operand ``at``."""

    def prepare_call(callee: Callee) -> Model | None:
        if len(callee.type.parameters) <= at:
            return None
        d = callee.context.domain
        return in_parts(prepare(callee), lambda lane, operands: lane // cluster_size(operands[at], d))

    return prepare_call


def in_parts(model: Model | None, number: Callable[[int, Operands], int]) -> Model | None:
    """The operation among the lanes of each part of the subgroup, each of which has a ``number``, by a lane
    and its operands; ``None`` of what is no exchange."""
    if not isinstance(model, Exchanging):
        return None
    inner = model.together

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        results: dict[int, RuntimeValue] = {}
        parts: dict[int, dict[int, Operands]] = {}
        for lane, operands in group.items():
            parts.setdefault(number(lane, operands), {})[lane] = operands
        for part in parts.values():
            results |= inner(part, subgroup)
        return results

    return replace(model, together=together)


def partitioned(at: int, prepare: Prepare) -> Prepare:
    """The operation among the lanes of each part; operand ``at`` is the mask of a lane's own part. A lane
    whose mask lacks it, or names one with another mask, is in no part and gets poison; bits of lanes that do
    not take part say nothing (GL_NV_shader_subgroup_partitioned)."""

    def prepare_call(callee: Callee) -> Model | None:
        model, d = prepare(callee), callee.context.domain
        if not isinstance(model, Exchanging) or len(callee.type.parameters) <= at:
            return None
        inner, type_, bad = model.together, callee.type.parameters[at], _bad(callee)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            def part(operands: Operands) -> frozenset[int]:
                mask = operands[at]
                if d.concrete(d.bit(some_poison([mask], d)), "a partition that may be poison"):
                    return frozenset()
                bits = mask_bits(mask, type_, d)[: subgroup.size]
                return frozenset(
                    x
                    for x, bit in enumerate(bits)
                    if x in group and d.concrete(d.bit(bit), "a symbolic partition")
                )

            parts = {lane: part(operands) for lane, operands in group.items()}
            results: dict[int, RuntimeValue] = dict.fromkeys(group, bad)
            for lanes in dict.fromkeys(parts.values()):
                if lanes and all(parts[lane] == lanes for lane in lanes):
                    results |= inner({lane: group[lane] for lane in sorted(lanes)}, subgroup)
            return results

        return replace(model, together=together)

    return prepare_call


def cluster_size(value: RuntimeValue, domain: Domain) -> int:
    """A cluster's size. NotModelled for what is no power of two, which both documents leave undefined."""
    size = domain.concrete(scalar(value).bits, "a symbolic cluster size")
    if size < 1 or size & (size - 1):
        raise NotModelled(f"clusters of {size} lanes")
    return size


def of_workgroup(prepare: Prepare, name: BarrierName | None = None) -> Prepare:
    """A collective of the workgroup: all its threads come to it, by the callee's name if nothing else says
    which one it is."""

    def prepare_call(callee: Callee) -> Model | None:
        model = prepare(callee)
        if not isinstance(model, Exchanging):
            return model
        inner = model.together

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            if subgroup.threads > subgroup.size:
                raise NotModelled(f"@{callee.name}, a collective of a workgroup, in one of its subgroups")
            return inner(group, subgroup)

        by_callee: BarrierName = lambda operands: f"@{callee.name}"  # noqa: E731
        return replace(model, together=together, wide=True, workgroup=name or by_callee)

    return prepare_call


# -- logical operations ---------------------------------------------------------------------------------

LOGICAL = {"logical_and": "and", "logical_or": "or", "logical_xor": "xor"}
REDUCE, INCLUSIVE, EXCLUSIVE, CLUSTERED = range(4)
PARTITIONED = (6, 7, 8)
"""SPIR-V's *Group Operation*; the partitioned ones are a reduction and the two scans."""


def arithmetic(operation: str, kind: int, signed: bool = True) -> Prepare:
    """A reduction or scan of the first operand; of its truth value for logical operations."""
    if operation in LOGICAL:
        return _logical(LOGICAL[operation], kind)
    if kind in PARTITIONED:
        return partitioned(1, arithmetic(operation, kind - PARTITIONED[0], signed))
    if kind == CLUSTERED:
        return clustered(1, reduction(operation, signed))
    return reduction(operation, signed) if kind == REDUCE else scan(operation, kind == INCLUSIVE, signed)


def _logical(operation: str, kind: int) -> Prepare:
    def prepare(callee: Callee) -> Model | None:
        type_, d, one = callee.type.result, callee.context.domain, IntType(1)
        if isinstance(type_, VectorType) and type_.element == one:
            return arithmetic(operation, kind)(callee)  # of each element, which is a truth value
        bits = width_of(type_)
        if bits is None or not callee.type.parameters or callee.type.parameters[0] != type_:
            return None
        model = arithmetic(operation, kind)(
            callee._replace(
                type=replace(callee.type, result=one, parameters=(one, *callee.type.parameters[1:]))
            )
        )
        if not isinstance(model, Exchanging):
            return None
        inner, widen = model.together, d.zext(1, bits)

        def truth(value: RuntimeValue) -> RuntimeValue:
            return Value(d.bit(truth_of(value, type_, d)), scalar(value).poison)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            results = inner({x: (truth(v[0]), *v[1:]) for x, v in group.items()}, subgroup)
            return {x: Value(widen(scalar(v).bits), scalar(v).poison) for x, v in results.items()}

        return Exchanging(together)

    return prepare


def group_operation(operation: str, signed: bool = True) -> Prepare:
    """SPIR-V's ``(group operation, value[, cluster size or mask of the part])``; the group operation is a
    constant."""

    def prepare(callee: Callee) -> Model | None:
        d, parameters = callee.context.domain, callee.type.parameters
        more: tuple[int, ...] = ()
        if len(parameters) == 3:
            more = PARTITIONED if isinstance(parameters[2], VectorType) else (CLUSTERED,)
        kinds = (REDUCE, INCLUSIVE, EXCLUSIVE, *more)
        models = {kind: behind(1, arithmetic(operation, kind, signed))(callee) for kind in kinds}
        if any(not isinstance(model, Exchanging) for model in models.values()):
            return None

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            any_lane = scalar(group[min(group)][0])
            model = models.get(d.concrete(any_lane.bits, "a symbolic group operation"))
            if not isinstance(model, Exchanging):
                raise NotModelled(f"a group operation of @{callee.name} other than reductions and scans")
            return model.together(group, subgroup)

        return Exchanging(together)

    return prepare


# -- equality -------------------------------------------------------------------------------------------


def equal(a: RuntimeValue, b: RuntimeValue, type_: Type, context: Context) -> Truth:
    """Whether two values are the same; floats compare as numbers do, so that NaN is not equal to itself."""
    d = context.domain
    if isinstance(a, Composite) and isinstance(b, Composite) and isinstance(type_, VectorType):
        result = d.true
        for x, y in zip(a.elements, b.elements, strict=True):
            result = d.both(result, equal(x, y, type_.element, context))
        return result
    if isinstance(type_, FloatType):
        return d.floats(type_.kind).equal(scalar(a).bits, scalar(b).bits)
    return d.width(context.layout.bits(type_)).eq(scalar(a).bits, scalar(b).bits)


def all_the_same(callee: Callee) -> Model | None:
    """Whether the operand is the same in the whole group."""
    bits, d = width_of(callee.type.result), callee.context.domain
    if bits is None or len(callee.type.parameters) != 1:
        return None
    type_, width = callee.type.parameters[0], bits

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        values = [v[0] for v in group.values()]
        truths = [equal(values[0], v, type_, callee.context) for v in values]
        return dict.fromkeys(group, Value(everywhere(truths, d, width), some_poison(values, d)))

    return Exchanging(together)


def matching(callee: Callee) -> Model | None:
    """The mask of lanes whose operand is the own one."""
    result_type, d = callee.type.result, callee.context.domain
    if not has_mask_type(result_type) or len(callee.type.parameters) != 1:
        return None
    type_ = callee.type.parameters[0]

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        bad = some_poison([v[0] for v in group.values()], d)

        def result(lane: int) -> RuntimeValue:
            same = {x: equal(group[lane][0], v[0], type_, callee.context) for x, v in group.items()}
            return with_poison(mask_of(same, result_type, d), bad, d)

        return {lane: result(lane) for lane in group}

    return Exchanging(together)


# -- moves ----------------------------------------------------------------------------------------------


def rotation(cluster_at: int | None = None) -> Prepare:
    """``(value, delta)``: of the lane ``delta`` further on, round the subgroup or the cluster."""

    def prepare(callee: Callee) -> Model | None:
        parameters = callee.type.parameters
        count = 2 if cluster_at is None else 3
        if len(parameters) != count or parameters[0] != callee.type.result or parameters[1] != IntType(32):
            return None
        d, bad = callee.context.domain, _bad(callee)
        w = d.width(32)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            values = {lane: operands[0] for lane, operands in group.items()}

            def result(lane: int, operands: Operands) -> RuntimeValue:
                size = subgroup.size if cluster_at is None else cluster_size(operands[cluster_at], d)
                first, delta = lane // size * size, scalar(operands[1])
                further = w.add(w.constant(lane - first), delta.bits)
                if size & (size - 1) == 0:
                    round_ = w.and_(further, w.constant(size - 1))
                else:  # delta modulo the size, as a signed number
                    round_ = w.urem(
                        w.add(w.srem(further, w.constant(size)), w.constant(size)), w.constant(size)
                    )
                return read_lane(Value(w.add(w.constant(first), round_), delta.poison), values, bad, d)

            return {lane: result(lane, operands) for lane, operands in group.items()}

        return Exchanging(together)

    return prepare


def _bad(callee: Callee) -> RuntimeValue:
    return poison(callee.type.result, callee.context.layout, callee.context.domain)


def two_register_shuffle(up: bool) -> Prepare:
    """Intel's ``shuffle_down(current, next, delta)`` and ``shuffle_up(previous, current, delta)``: a
    window of the subgroup's width on both operands side by side."""

    def prepare(callee: Callee) -> Model | None:
        parameters, result_type = callee.type.parameters, callee.type.result
        if len(parameters) != 3 or parameters[:2] != (result_type,) * 2 or parameters[2] != IntType(32):
            return None
        d, bad = callee.context.domain, _bad(callee)
        w = d.width(32)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            size = subgroup.size
            both = {lane: operands[0] for lane, operands in group.items()}
            both |= {lane + size: operands[1] for lane, operands in group.items()}

            def result(lane: int, operands: Operands) -> RuntimeValue:
                delta = scalar(operands[2])
                at = w.sub(w.constant(lane + size), delta.bits) if up else w.add(w.constant(lane), delta.bits)
                return read_lane(Value(at, delta.poison), both, bad, d)

            return {lane: result(lane, operands) for lane, operands in group.items()}

        return Exchanging(together)

    return prepare


def of_work_item(callee: Callee) -> Model | None:
    """``(value, x[, y[, z]])``: the value of the thread at these coordinates of its workgroup; poison outside
    of it."""
    parameters, result_type = callee.type.parameters, callee.type.result
    widths = [width_of(t) for t in parameters[1:]]
    if not 1 <= len(widths) <= 3 or None in widths or parameters[0] != result_type:
        return None
    d, bad = callee.context.domain, _bad(callee)
    w = d.width(32)

    def narrow(value: RuntimeValue, bits: int) -> Bits:
        return d.zext(bits, 32)(scalar(value).bits) if bits <= 32 else d.trunc(bits, 32)(scalar(value).bits)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        values = {lane: operands[0] for lane, operands in group.items()}
        size = subgroup.grid.workgroup
        strides = (1, size.x, size.x * size.y)

        def result(operands: Operands) -> RuntimeValue:
            number, spoilt = w.constant(0), d.false
            for value, bits, stride, extent in zip(operands[1:], widths, strides, size, strict=False):
                number = w.add(number, w.mul(narrow(value, bits or 32), w.constant(stride)))
                spoilt = d.either(spoilt, scalar(value).poison)
                if extent >> (bits or 32) == 0:
                    own = d.width(bits or 32)
                    outside = d.negate(own.ult(scalar(value).bits, own.constant(extent)))
                    spoilt = d.either(spoilt, outside)
            return read_lane(Value(number, spoilt), values, bad, d)

        return {lane: result(operands) for lane, operands in group.items()}

    return Exchanging(together)


# -- masks ----------------------------------------------------------------------------------------------

Bit = Callable[[int, int], bool]
"""Whether a bit of a mask counts, by its number and the own lane."""


def mask_bits(mask: RuntimeValue, type_: Type, domain: Domain) -> list[Truth]:
    """The bits of a mask, the lowest first; of a vector of words the first word has the lowest."""
    if isinstance(mask, Composite) and isinstance(type_, VectorType):
        return [bit for word in mask.elements for bit in mask_bits(word, type_.element, domain)]
    value = scalar(mask)
    return [domain.truth(domain.extract(i, i)(value.bits)) for i in range(width_of(type_) or 0)]


Answer = Callable[[Sequence[Truth], Domain, int], tuple[Bits, Truth]]
"""A number of a width from truth values, and whether it is poison."""


def any_lane(bit: int, lane: int) -> bool:
    return True


def own(bit: int, lane: int) -> bool:
    return bit == lane


def below(bit: int, lane: int) -> bool:
    return bit < lane


def up_to(bit: int, lane: int) -> bool:
    return bit <= lane


def above(bit: int, lane: int) -> bool:
    return bit > lane


def from_own(bit: int, lane: int) -> bool:
    return bit >= lane


def of_mask(counts: Bit, answer: Answer) -> Prepare:
    """What a thread reads off a mask, of the bits of lanes that there are and that count."""

    def prepare(callee: Callee) -> Model | None:
        bits = width_of(callee.type.result)
        if bits is None or len(callee.type.parameters) != 1:
            return None
        type_, d, width = callee.type.parameters[0], callee.context.domain, bits

        def alone(place: ThreadPlace, mask: RuntimeValue) -> RuntimeValue:
            all_bits = mask_bits(mask, type_, d)[: place.subgroup.size]
            number, bad = answer(
                [t if counts(i, place.lane) else d.false for i, t in enumerate(all_bits)], d, width
            )
            return Value(number, d.either(bad, some_poison([mask], d)))

        return PerThread(alone)

    return prepare


def counted(truths: Sequence[Truth], domain: Domain, bits: int) -> tuple[Bits, Truth]:
    """How many hold."""
    return how_many(truths, domain, bits), domain.false


def _whether_one(truths: Sequence[Truth], domain: Domain, bits: int) -> tuple[Bits, Truth]:
    return somewhere(truths, domain, bits), domain.false


def lowest(truths: Sequence[Truth], domain: Domain, bits: int) -> tuple[Bits, Truth]:
    """The number of the first that holds; poison if none does."""
    result, bad = domain.width(bits).constant(0), domain.true
    for i, truth in reversed(list(enumerate(truths))):
        result = domain.ite(truth, domain.width(bits).constant(i), result)
        bad = domain.both(bad, domain.negate(truth))
    return result, bad


def highest(truths: Sequence[Truth], domain: Domain, bits: int) -> tuple[Bits, Truth]:
    """The number of the last that holds; poison if none does."""
    result, bad = domain.width(bits).constant(0), domain.true
    for i, truth in enumerate(truths):
        result = domain.ite(truth, domain.width(bits).constant(i), result)
        bad = domain.both(bad, domain.negate(truth))
    return result, bad


own_bit = of_mask(own, _whether_one)
"""The own lane's bit of a mask."""


def extracted_bit(callee: Callee) -> Model | None:
    """``(mask, index)``: a bit of a mask; poison beyond the subgroup."""
    bits, parameters = width_of(callee.type.result), callee.type.parameters
    index_bits = width_of(parameters[1]) if len(parameters) == 2 else None
    if bits is None or index_bits is None:
        return None
    d, width, iw = callee.context.domain, bits, callee.context.domain.width(index_bits)

    def alone(place: ThreadPlace, mask: RuntimeValue, index: RuntimeValue) -> RuntimeValue:
        at, result, bad = scalar(index), d.false, d.true
        for i, truth in enumerate(mask_bits(mask, parameters[0], d)[: place.subgroup.size]):
            here = iw.eq(at.bits, iw.constant(i))
            result = d.either(result, d.both(here, truth))
            bad = d.both(bad, d.negate(here))
        return Value(
            d.zext(1, width)(d.bit(result)), d.either(d.either(bad, at.poison), some_poison([mask], d))
        )

    return PerThread(alone)


def lane_mask(counts: Bit) -> Prepare:
    """The mask of lanes of the subgroup that stand to the own one as ``counts`` says."""

    def prepare(callee: Callee) -> Model | None:
        type_ = callee.type.result
        words = type_.count if isinstance(type_, VectorType) else 1
        bits = width_of(type_.element if isinstance(type_, VectorType) else type_)
        if bits is None or callee.type.parameters:
            return None
        width = bits

        def alone(place: ThreadPlace) -> RuntimeValue:
            whole = sum(1 << i for i in range(place.subgroup.size) if counts(i, place.lane))
            parts = tuple(integer(whole >> width * n, width) for n in range(words))
            return Composite(parts) if isinstance(type_, VectorType) else parts[0]

        return PerThread(alone)

    return prepare


# ----------------------------------------------------------------------------------------------------------
# Subgroup operations by the names that LLVM's *Convergent Operation Semantics* and SPIR-V tools use:
# ``@subgroupAdd``, ``@subgroupBallot``, ``@getSubgroupLocalInvocationId`` and their kin.
#
# ``subgroupUMin`` and the like are unsigned; ``Min`` and ``SMin`` signed; float types choose for
# themselves.
# ----------------------------------------------------------------------------------------------------------


SUFFIX = r"(?:\.\w+)*"
_KIND = r"([SUFIsufi]?)(Add|Mul|Min|Max|And|Or|Xor)"


def _reduce(callee: Callee) -> Model | None:
    sign, name = callee.parts
    return reduction((name or "").lower(), (sign or "").upper() != "U")(callee)


def _scan(callee: Callee) -> Model | None:
    kind, sign, name = callee.parts
    return scan((name or "").lower(), kind == "Inclusive", (sign or "").upper() != "U")(callee)


def named(*names: str) -> str:
    """A pattern for any of these names, with or without type suffixes."""
    return "(?:" + "|".join(n.replace(".", r"\.") for n in names) + ")" + SUFFIX


SUBGROUP: Operations = (
    ("subgroup" + _KIND + SUFFIX, _reduce),
    ("subgroup(Inclusive|Exclusive)" + _KIND + SUFFIX, _scan),
    (named("subgroupBallot"), ballot()),
    (named("subgroupAll"), vote(everywhere)),
    (named("subgroupAny"), vote(somewhere)),
    (named("subgroupAllEqual"), all_the_same),
    (named("subgroupElect"), elect),
    (named("subgroupBroadcastFirst"), first_of_group()),
    (named("subgroupBroadcast"), broadcast(1)),
    (named("subgroupShuffle"), moving(lane_in(1))),
    (named("subgroupShuffleXor"), moving(lane_by(1, "xor"))),
    (named("subgroupShuffleUp"), moving(lane_by(1, "sub"))),
    (named("subgroupShuffleDown"), moving(lane_by(1, "add"))),
    (named("subgroupBarrier", "subgroupMemoryBarrier"), barrier(always(full(scope=Scope.LAUNCH)))),
    (
        named("workgroupBarrier"),
        barrier(always(full(LOCAL, Scope.WORKGROUP)), named_by("barrier"), WGSL_UNIFORM),
    ),
    (named("subgroupControlBarrier", "controlBarrier"), BARE),
)
