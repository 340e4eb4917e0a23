"""Functions of {lane: operands}: reductions, scans, votes, moves between lanes, barriers and lane numbers
(D-THREAD).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...ir import FloatType, IntType, SimpleType, Type, VectorType
from ..arithmetic.domain import Domain
from ..values import Bits, Composite, RuntimeValue, Truth, Value, scalar, scalars
from ..values.context import Context, poison
from . import Callee, Exchanging, Model, Operands, PerThread, Prepare, Subgroup, ThreadPlace

# ----------------------------------------------------------------------------------------------------------
# Reductions and scans as pure functions of {lane: operands}, and the scalars below all models.
#
# All arithmetic goes through the context's domain, so that a model computes on terms as it does on
# numbers; only the group itself is always known.
# ----------------------------------------------------------------------------------------------------------

Combine = Callable[[Value, Value], Value]
"""One step of a reduction, on scalars; poison if one of them is."""


# -- scalars -----------------------------------------------------------------------------------------


def integer(number: int, bits: int) -> Value:
    """``number`` as an ``i<bits>``."""
    return Value(number & ((1 << bits) - 1), False)


def width_of(type_: Type) -> int | None:
    """The width of an integer type, else ``None``."""
    return type_.bits if isinstance(type_, IntType) else None


def is_void(type_: Type) -> bool:
    return isinstance(type_, SimpleType) and type_.kind == "void"


def element_type(type_: Type) -> Type:
    """A vector's element type, any other type itself."""
    return type_.element if isinstance(type_, VectorType) else type_


def truth_of(value: RuntimeValue, type_: Type, domain: Domain) -> Truth:
    """Whether a number is not zero; a float's sign does not count, and a NaN is not zero."""
    if isinstance(type_, FloatType):
        return domain.negate(domain.floats(type_.kind).is_zero(scalar(value).bits))
    bits = width_of(type_) or 1
    if bits == 1:
        return domain.truth(scalar(value).bits)
    return domain.width(bits).ne(scalar(value).bits, 0)


def some_poison(values: Sequence[RuntimeValue], domain: Domain) -> Truth:
    """Whether a scalar of these values is poison."""
    result = domain.false
    for value in values:
        for part in scalars(value):
            result = domain.either(result, part.poison)
    return result


def with_poison(value: RuntimeValue, bad: Truth, domain: Domain) -> RuntimeValue:
    """The value, poison also if ``bad``."""
    if isinstance(value, Composite):
        return Composite(tuple(with_poison(v, bad, domain) for v in value.elements))
    return Value(scalar(value).bits, domain.either(scalar(value).poison, bad))


# -- combining ---------------------------------------------------------------------------------------


def combine(
    operation: str, type_: Type, context: Context, signed: bool = True
) -> tuple[Combine, Value] | None:
    """``add``, ``mul``, ``min``, ``max``, ``and``, ``or``, ``xor`` on one scalar type, with the neutral
    element; ``None`` where the type has no such operation."""
    if isinstance(type_, IntType):
        table = _integers(type_.bits, context.domain, signed)
    elif isinstance(type_, FloatType):
        table = _floats(type_.kind, context.domain)
    else:
        return None
    if operation not in table:
        return None
    function, neutral = table[operation]
    either = context.domain.either

    def step(a: Value, b: Value) -> Value:
        return Value(function(a.bits, b.bits), either(a.poison, b.poison))

    return step, Value(neutral, context.domain.false)


Table = Mapping[str, tuple[Callable[[Bits, Bits], Bits], int]]
"""By operation: how bits are combined, and the neutral element."""


def _integers(bits: int, domain: Domain, signed: bool) -> Table:
    w, ite = domain.width(bits), domain.ite
    less = w.slt if signed else w.ult
    ones = (1 << bits) - 1
    lowest, highest = (1 << (bits - 1), ones >> 1) if signed else (0, ones)
    return {
        "add": (w.add, 0),
        "mul": (w.mul, 1 & ones),
        "and": (w.and_, ones),
        "or": (w.or_, 0),
        "xor": (w.xor, 0),
        "min": (lambda a, b: ite(less(b, a), b, a), highest),
        "max": (lambda a, b: ite(less(a, b), b, a), lowest),
    }


def _floats(kind: str, domain: Domain) -> Table:
    """``min`` and ``max`` give the number of the two if one is NaN (minNum)."""
    f, ite, either = domain.floats(kind), domain.ite, domain.either
    one = f.from_int(8, False)(1)
    infinity = f.div(one, 0)
    negative = f.div(f.sub(0, one), 0)
    return {
        "add": (f.add, 0),  # what SPIR-V and OpenCL give before the first lane; -0.0 would be neutral
        "mul": (f.mul, one),
        "min": (lambda a, b: ite(either(f.is_nan(a), f.less(b, a)), b, a), infinity),
        "max": (lambda a, b: ite(either(f.is_nan(a), f.less(a, b)), b, a), negative),
    }


def elementwise(step: Combine) -> Callable[[RuntimeValue, RuntimeValue], RuntimeValue]:
    """A step on scalars, carried to vectors."""
    return partial(_elementwise, step)


def _elementwise(step: Combine, a: RuntimeValue, b: RuntimeValue) -> RuntimeValue:
    if isinstance(a, Composite) and isinstance(b, Composite):
        pairs = zip(a.elements, b.elements, strict=True)
        return Composite(tuple([_elementwise(step, x, y) for x, y in pairs]))
    return step(scalar(a), scalar(b))


# -- reductions and scans ----------------------------------------------------------------------------


def _steps(
    callee: Callee, operation: str, signed: bool
) -> tuple[Callable[..., RuntimeValue], RuntimeValue] | None:
    """The combining function for a call ``T f(T, ...)`` and its neutral element as a ``T``."""
    parameters = callee.type.parameters
    if not parameters or parameters[0] != callee.type.result:
        return None
    type_ = parameters[0]
    pair_step = combine(operation, element_type(type_), callee.context, signed)
    if pair_step is None:
        return None
    step, neutral = pair_step
    whole: RuntimeValue = Composite((neutral,) * type_.count) if isinstance(type_, VectorType) else neutral
    return elementwise(step), whole


def reduction(operation: str, signed: bool = True) -> Prepare:
    """Every lane gets all operands of the group combined, in lane order."""

    def prepare(callee: Callee) -> Model | None:
        steps = _steps(callee, operation, signed)
        if steps is None:
            return None
        step, _ = steps

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            lanes = sorted(group)
            total = group[lanes[0]][0]
            for lane in lanes[1:]:
                total = step(total, group[lane][0])
            return dict.fromkeys(lanes, total)

        return Exchanging(together)

    return prepare


def scan(operation: str, inclusive: bool, signed: bool = True) -> Prepare:
    """Every lane gets the operands of the group's lower lanes combined, its own included or not."""

    def prepare(callee: Callee) -> Model | None:
        steps = _steps(callee, operation, signed)
        if steps is None:
            return None
        step, neutral = steps

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            results: dict[int, RuntimeValue] = {}
            total: RuntimeValue | None = None
            for lane in sorted(group):
                own = group[lane][0]
                with_own = own if total is None else step(total, own)
                results[lane] = with_own if inclusive else neutral if total is None else total
                total = with_own
            return results

        return Exchanging(together)

    return prepare


# ----------------------------------------------------------------------------------------------------------
# Votes, moves between lanes, barriers and lane numbers as pure functions of {lane: operands} (D-THREAD).
#
# A model says which participants' operands each result reads; a result is poison if one of those is.
# A lane number outside the group gives poison.
# ----------------------------------------------------------------------------------------------------------


# -- votes -------------------------------------------------------------------------------------------


def has_mask_type(type_: Type) -> bool:
    """Whether lane masks come as this type: an integer, or a vector of words, the lowest lanes first."""
    return width_of(element_type(type_)) is not None


def mask_of(lanes: Mapping[int, Truth], type_: Type, domain: Domain) -> RuntimeValue:
    """The mask with the bits of those lanes set whose truth value holds."""
    if isinstance(type_, VectorType):
        bits = width_of(type_.element) or 1
        words = (
            {lane - i * bits: t for lane, t in lanes.items() if lane // bits == i} for i in range(type_.count)
        )
        return Composite(tuple(mask_of(word, type_.element, domain) for word in words))
    bits = width_of(type_) or 1
    w, one = domain.width(bits), domain.zext(1, bits)
    mask = w.constant(0)
    for lane, truth in lanes.items():
        if lane < bits:
            mask = w.or_(mask, w.shl(one(domain.bit(truth)), w.constant(lane)))
    return Value(mask, domain.false)


def is_number(parameters: Sequence[Type], place: int) -> bool:
    """Whether there is an operand at a place, and an integer: a declaration may say anything."""
    return len(parameters) > place and isinstance(parameters[place], IntType)


def ballot(predicate: int | None = 0) -> Prepare:
    """The mask of lanes in the group whose operand ``predicate`` is true; all lanes for ``None``."""

    def prepare(callee: Callee) -> Model | None:
        result, parameters, d = callee.type.result, callee.type.parameters, callee.context.domain
        if not has_mask_type(result):
            return None
        if predicate is not None and not is_number(parameters, predicate):
            return None

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            if predicate is None:
                return dict.fromkeys(group, mask_of(dict.fromkeys(group, d.true), result, d))
            bad = some_poison([v[predicate] for v in group.values()], d)
            votes = {lane: truth_of(v[predicate], parameters[predicate], d) for lane, v in group.items()}
            return dict.fromkeys(group, with_poison(mask_of(votes, result, d), bad, d))

        return Exchanging(together)

    return prepare


Decide = Callable[[Sequence[Truth], Domain, int], Bits]
"""What truth values decide, as a number of the width that is given last."""


def everywhere(truths: Sequence[Truth], domain: Domain, bits: int) -> Bits:
    """1 if all hold, else 0."""
    result = domain.true
    for truth in truths:
        result = domain.both(result, truth)
    return domain.zext(1, bits)(domain.bit(result))


def somewhere(truths: Sequence[Truth], domain: Domain, bits: int) -> Bits:
    """1 if one holds, else 0."""
    result = domain.false
    for truth in truths:
        result = domain.either(result, truth)
    return domain.zext(1, bits)(domain.bit(result))


def uniform(truths: Sequence[Truth], domain: Domain, bits: int) -> Bits:
    """1 if all hold or none does, else 0."""
    none = everywhere([domain.negate(t) for t in truths], domain, bits)
    return domain.width(bits).or_(everywhere(truths, domain, bits), none)


def how_many(truths: Sequence[Truth], domain: Domain, bits: int) -> Bits:
    """How many hold."""
    w, widen = domain.width(bits), domain.zext(1, bits)
    count = w.constant(0)
    for truth in truths:
        count = w.add(count, widen(domain.bit(truth)))
    return count


def vote(decide: Decide, predicate: int = 0) -> Prepare:
    """Every lane gets what the group's truth values decide."""

    def prepare(callee: Callee) -> Model | None:
        bits, parameters, d = width_of(callee.type.result), callee.type.parameters, callee.context.domain
        if bits is None or not is_number(parameters, predicate):
            return None
        width = bits

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            values = [v[predicate] for v in group.values()]
            truths = [truth_of(v, parameters[predicate], d) for v in values]
            return dict.fromkeys(group, Value(decide(truths, d, width), some_poison(values, d)))

        return Exchanging(together)

    return prepare


def same(a: RuntimeValue, b: RuntimeValue, type_: Type, context: Context) -> Truth:
    """Whether two values of a scalar type have the same bits."""
    return context.domain.width(context.layout.bits(type_)).eq(scalar(a).bits, scalar(b).bits)


def elect(callee: Callee) -> Model | None:
    """True in the group's lowest lane only."""
    bits = width_of(callee.type.result)
    if bits is None:
        return None
    width = bits

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        first = min(group)
        return {lane: integer(int(lane == first), width) for lane in group}

    return Exchanging(together)


# -- moving values between lanes ----------------------------------------------------------------------

Source = Callable[[int, Operands, Subgroup, Callee], Value]
"""The number of the lane that a lane reads, 32 bits wide, by its own number and operands."""


def moving(source: Source, value: int = 0, number: int = 1) -> Prepare:
    """Every lane gets operand ``value`` of the lane that ``source`` names, of the operand ``number`` among
    other things; poison outside the group."""

    def prepare(callee: Callee) -> Model | None:
        parameters, result = callee.type.parameters, callee.type.result
        if len(parameters) <= value or parameters[value] != result or not is_number(parameters, number):
            return None
        d = callee.context.domain
        bad = poison(result, callee.context.layout, d)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            return {
                lane: read_lane(
                    source(lane, v, subgroup, callee), {o: g[value] for o, g in group.items()}, bad, d
                )
                for lane, v in group.items()
            }

        return Exchanging(together)

    return prepare


def broadcast(position: int) -> Prepare:
    """Every lane gets the first operand of the lane whose number is an operand, :func:`of_one`."""
    return of_one(moving(lane_in(position), number=position), position)


def of_one(
    prepare: Prepare, position: int, lane_of: Callable[[Value, Subgroup, Domain], Value] | None = None
) -> Prepare:
    """A model that asks for one thread in all of the group: where the operands from ``position`` on, which
    say which one, differ, anything may come, so poison (SPIR-V: *dynamically uniform*; OpenCL C: *must be the
    same value for all*; AMDGPU's ``readlane``). ``lane_of`` says which lane an operand means, if not the one
    of its number."""

    def prepare_call(callee: Callee) -> Model | None:
        plain, parameters = prepare(callee), callee.type.parameters
        if not isinstance(plain, Exchanging):
            return plain
        if not all(isinstance(type_, IntType) for type_ in parameters[position:]):
            return None
        d, inner = callee.context.domain, plain.together
        bad = poison(callee.type.result, callee.context.layout, d)
        widths = [d.width(width_of(type_) or 32) for type_ in parameters[position:]]

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            def lanes(operands: Operands) -> list[Bits]:
                asked = map(scalar, operands[position:])
                return [(v if lane_of is None else lane_of(v, subgroup, d)).bits for v in asked]

            first, *others = map(lanes, group.values())
            differs = d.false
            for other in others:
                for w, mine, theirs in zip(widths, first, other, strict=True):
                    differs = d.either(differs, w.ne(mine, theirs))
            return {
                lane: bad if differs is d.true else d.choose(differs, bad, value)
                for lane, value in inner(group, subgroup).items()
            }

        return replace(plain, together=together)

    return prepare_call


def read_lane(
    number: Value,
    values: Mapping[int, RuntimeValue],
    bad: RuntimeValue,
    domain: Domain,
    missing: RuntimeValue | None = None,
) -> RuntimeValue:
    """The value of the lane with this number; ``bad`` if the number is poison, and if it is no lane's here,
    unless ``missing`` says what is read then."""
    absent = bad if missing is None else missing
    if isinstance(number.bits, int) and number.poison is domain.false:
        return values.get(number.bits, absent)
    w, result = domain.width(32), absent
    for lane, value in values.items():
        result = domain.choose(w.eq(number.bits, w.constant(lane)), value, result)
    return domain.choose(number.poison, bad, result)


def first_of_group() -> Prepare:
    """Every lane gets the value of the group's lowest lane."""

    def prepare(callee: Callee) -> Model | None:
        if not callee.type.parameters or callee.type.parameters[0] != callee.type.result:
            return None

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            return dict.fromkeys(group, group[min(group)][0])

        return Exchanging(together)

    return prepare


def lane_in(position: int) -> Source:
    """The lane whose number is an operand."""

    def source(lane: int, operands: Operands, subgroup: Subgroup, callee: Callee) -> Value:
        return _as_lane(operands[position], callee.type.parameters[position], callee)

    return source


def lane_by(position: int, operation: str) -> Source:
    """The own lane's number ``add``, ``sub`` or ``xor`` an operand."""

    def source(lane: int, operands: Operands, subgroup: Subgroup, callee: Callee) -> Value:
        other = _as_lane(operands[position], callee.type.parameters[position], callee)
        w = callee.context.domain.width(32)
        combined = {"add": w.add, "sub": w.sub, "xor": w.xor}[operation](w.constant(lane), other.bits)
        return Value(combined, other.poison)

    return source


def _as_lane(value: RuntimeValue, type_: Type, callee: Callee) -> Value:
    """An operand as a lane number of 32 bits; a wider one that does not fit is no lane's."""
    number, bits, d = scalar(value), width_of(type_) or 32, callee.context.domain
    if bits <= 32:
        return Value(d.zext(bits, 32)(number.bits), number.poison)
    wide, none = d.width(bits), (1 << 32) - 1
    return Value(
        d.ite(wide.ult(number.bits, wide.constant(none)), d.trunc(bits, 32)(number.bits), none), number.poison
    )


# -- barriers and what a thread knows of itself ------------------------------------------------------


def about(function: Callable[[ThreadPlace], int]) -> Prepare:
    """A number that a thread knows about itself, in whatever integer type the call returns."""

    def prepare(callee: Callee) -> Model | None:
        bits = width_of(callee.type.result)
        if bits is None:
            return None
        width = bits
        return PerThread(lambda place, *operands: integer(function(place), width))

    return prepare
