"""What library functions are written with: one function of bits, at scalars or in each lane of vectors.

A function is staged: asked once per call site, with the element types of the operands and of the result
(:class:`Site`), it gives a function of the operands' bits, by a :class:`Domain`. Poison in, poison out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from inspect import signature

from ....frozen import dataclass
from ....ir import instructions as ir
from ....ir.types import FloatType, IntType, Type, VectorType
from ...arithmetic import ieee754
from ...arithmetic.domain import Domain, Floats, Width
from ...errors import NotModelled
from ...values.context import Context, Evaluate
from ...values.datalayout import Layout
from ...values.value import Bits, Composite, RuntimeValue, Truth, Value, scalar
from ..fast_math import forbidden
from ..intrinsics_integer import Build
from ..lifting import element_type, float_kind, int_width, made

Operation = Callable[..., Bits]
"""From the operands' bits to the result's."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """IEEE numbers of one format, with the bit-vectors that hold them and the domain of both."""

    d: Domain
    f: Floats
    w: Width

    def constant(self, value: float | Fraction) -> Bits:
        """The format's nearest number to a finite one."""
        return self.w.constant(_nearest(self.f.kind, Fraction(value)))

    @property
    def infinity(self) -> Bits:
        return self.w.constant(_format(self.f.kind).infinity)

    @property
    def sign_bit(self) -> Bits:
        return self.w.constant(1 << (self.w.width - 1))

    @property
    def magnitude_bits(self) -> Bits:
        """All bits but the sign."""
        return self.w.constant((1 << (self.w.width - 1)) - 1)

    def magnitude(self, a: Bits) -> Bits:
        return self.w.and_(a, self.magnitude_bits)

    def negated(self, a: Bits) -> Bits:
        return self.w.xor(a, self.sign_bit)

    def signed_like(self, a: Bits, b: Bits) -> Bits:
        """The magnitude of ``a`` with the sign of ``b``."""
        return self.w.or_(self.magnitude(a), self.w.and_(b, self.sign_bit))

    def at_most(self, a: Bits, b: Bits) -> Truth:
        """Ordered less or equal."""
        return self.d.either(self.f.less(a, b), self.f.equal(a, b))

    def quieted(self, a: Bits, otherwise: Bits) -> Bits:
        """The canonical NaN if ``a`` is a NaN, else ``otherwise``."""
        return self.d.ite(self.f.is_nan(a), self.f.nan, otherwise)


def numbers_of(d: Domain, kind: str) -> Numbers:
    f = d.floats(kind)
    return Numbers(d, f, d.width(f.width))


def _format(kind: str) -> ieee754.Format:
    if kind not in ieee754.FORMATS:
        raise NotModelled(f"arithmetic on {kind}")
    return ieee754.FORMATS[kind]


def _nearest(kind: str, value: Fraction) -> int:
    format_ = _format(kind)
    shift = 2 * format_.precision + 3 + max(0, value.denominator.bit_length() - value.numerator.bit_length())
    significand, rest = divmod(abs(value.numerator) << shift, value.denominator)
    return ieee754.encode(format_, int(value < 0), significand, -shift, bool(rest))


@dataclass(frozen=True, slots=True)
class Site:
    """What a function is asked for: the element types of the operands and of the result; whether the result
    is a vector; where the name says so, which operands are signed."""

    d: Domain
    layout: Layout
    operands: tuple[Type, ...]
    result: Type
    vector: bool = False
    signed: tuple[bool, ...] = ()

    def numbers(self, index: int = 0) -> Numbers:
        """The format of an operand; NotModelled for one that is no float."""
        return numbers_of(self.d, float_kind(self.operands[index]))

    @property
    def results(self) -> Numbers:
        """The format of the result; NotModelled for one that is no float."""
        return numbers_of(self.d, float_kind(self.result))

    def width(self, index: int = 0) -> Width:
        """The bit-vectors of an operand; NotModelled for one that is no integer."""
        return self.d.width(int_width(self.operands[index]))

    @property
    def result_width(self) -> Width:
        """The bit-vectors of the result; NotModelled for one that is no integer."""
        return self.d.width(int_width(self.result))

    def is_float(self, index: int = 0) -> bool:
        return isinstance(self.operands[index], FloatType)

    def is_signed(self, index: int = 0) -> bool:
        return self.signed[index]


Function = Callable[[Site], Operation]
"""A library function, staged."""


def site_of(
    parameters: Sequence[Type], result: Type, context: Context, signed: tuple[bool, ...] = ()
) -> Site:
    """The call site with these types; NotModelled for scalable vectors."""
    return Site(
        context.domain,
        context.layout,
        tuple(element_type(t) for t in parameters),
        element_type(result),
        isinstance(result, VectorType),
        signed,
    )


def strict(operation: Operation, site: Site, flags: tuple[str, ...] = ()) -> Evaluate:
    """Scalars: poison if an operand is, or if nnan or ninf forbid an operand or the result."""
    either, result = site.d.either, site.result
    forbids = [
        forbidden(flags, t.kind, site.d) if flags and isinstance(t, FloatType) else None
        for t in (*site.operands, result)
    ]

    def evaluate(*operands: Value) -> Value:
        poison = operands[0].poison
        for operand in operands[1:]:
            poison = either(poison, operand.poison)
        return made(result, operation(*(operand.bits for operand in operands)), poison)

    if not any(forbids):
        return evaluate

    def guarded(*operands: Value) -> Value:
        value = scalar(evaluate(*operands))
        poison = value.poison
        for excluded, operand in zip(forbids, (*operands, value), strict=True):
            if excluded is not None:
                poison = either(poison, excluded(operand.bits))
        return Value(value.bits, poison)

    return guarded


def lanes(parameters: Sequence[Type], evaluate: Evaluate) -> Evaluate:
    """In each lane where an operand is a vector; what is a scalar then is the same in every lane."""
    count = {t.count for t in parameters if isinstance(t, VectorType)}
    if not count:
        return evaluate
    if len(count) > 1:
        raise NotModelled("operands of different lengths")
    (length,) = count
    vectors = [isinstance(t, VectorType) for t in parameters]

    def each(*operands: RuntimeValue) -> RuntimeValue:
        columns = [
            o.elements if vector and isinstance(o, Composite) else (o,) * length
            for o, vector in zip(operands, vectors, strict=True)
        ]
        return Composite(tuple(map(evaluate, *columns)))

    return each


def parameter_types(call: ir.CallSite) -> tuple[Type, ...]:
    return tuple(argument.value.type for argument in call.arguments)


def taking(operation: Operation, count: int) -> Operation:
    """The operation; NotModelled if it does not take so many operands: a declaration may say anything."""
    known = signature(operation).parameters.values()
    if len(known) != count and not any(p.kind is p.VAR_POSITIONAL for p in known):
        raise NotModelled(f"a library function with {count} operands, which has {len(known)}")
    return operation


def elementwise(function: Function) -> Build:
    """A function of scalars, in each lane of vectors."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        parameters = parameter_types(call)
        if not parameters:
            raise NotModelled("a library function without operands")
        site = site_of(parameters, call.type.result, context)
        operation = taking(function(site), len(parameters))
        return lanes(parameters, strict(operation, site, call.fast_math))

    return build


# -- Functions of floats and of integers of one type


def floats(function: Callable[[Numbers], Operation]) -> Function:
    """All operands and the result are of the first operand's format."""
    return lambda site: function(_of_one_type(site).numbers())


def integers(function: Callable[[Width, Domain], Operation]) -> Function:
    """All operands and the result are of the first operand's width."""

    def of(site: Site) -> Operation:
        _of_one_type(site)
        return function(site.width(), site.d)

    return of


def _of_one_type(site: Site) -> Site:
    for type_ in (*site.operands[1:], site.result):
        if type_ != site.operands[0]:
            raise NotModelled(f"a library function of {site.operands[0]} with {type_}")
    return site


# -- Scalars with their poison, for functions of whole vectors


@dataclass(frozen=True, slots=True)
class Lifted:
    """A format's operations on scalars with their poison: poison if an operand is."""

    n: Numbers

    def of(self, operation: Operation, *operands: Value) -> Value:
        poison = operands[0].poison
        for operand in operands[1:]:
            poison = self.n.d.either(poison, operand.poison)
        return Value(operation(*(operand.bits for operand in operands)), poison)

    def add(self, a: Value, b: Value) -> Value:
        return self.of(self.n.f.add, a, b)

    def sub(self, a: Value, b: Value) -> Value:
        return self.of(self.n.f.sub, a, b)

    def mul(self, a: Value, b: Value) -> Value:
        return self.of(self.n.f.mul, a, b)

    def div(self, a: Value, b: Value) -> Value:
        return self.of(self.n.f.div, a, b)

    def sqrt(self, a: Value) -> Value:
        return self.of(self.n.f.sqrt, a)

    def constant(self, value: float) -> Value:
        return Value(self.n.constant(value), self.n.d.false)

    def choose(self, condition: Truth, poison: Truth, then: Value, otherwise: Value) -> Value:
        """One of two numbers; poison if the condition is or the chosen one."""
        d = self.n.d
        chosen = scalar(d.choose(condition, then, otherwise))
        return Value(chosen.bits, d.either(poison, chosen.poison))


def components(value: RuntimeValue) -> tuple[Value, ...]:
    """The elements of a vector, or the scalar itself."""
    return tuple(map(scalar, value.elements)) if isinstance(value, Composite) else (value,)


def gathered(values: Sequence[Value], type_: Type) -> RuntimeValue:
    """A vector of these elements, or the scalar if the type is none."""
    return Composite(tuple(values)) if isinstance(type_, VectorType) else values[0]


def is_integer(type_: Type) -> bool:
    return isinstance(element_type(type_), IntType)


# -- What several libraries have under names of their own


def flushed(n: Numbers) -> Operation:
    """A subnormal number becomes a zero of its sign."""
    return lambda a: n.d.ite(n.f.is_subnormal(a), n.w.and_(a, n.sign_bit), a)


def half_word(high: bool) -> Function:
    """The upper or the lower 32 of 64 bits."""
    return lambda site: site.d.extract(63, 32) if high else site.d.extract(31, 0)


def joined(site: Site) -> Operation:
    """A word of twice the width, from its lower half and its upper one."""
    n = site.width().width
    return lambda low, high: site.d.concat([low, high], [n, n])


def canonical_nan(site: Site) -> Operation:
    """The canonical NaN: the payload is not kept."""
    return lambda code: site.results.f.nan
