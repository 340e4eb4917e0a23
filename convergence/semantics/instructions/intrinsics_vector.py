"""LangRef, *Vector Reduction Intrinsics*, *Vector Manipulation Intrinsics* and *Matrix Intrinsics*, for
vectors of known length."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir import instructions as ir
from ...ir.operands import Int
from ...ir.types import FloatType, Type, VectorType
from ..arithmetic.domain import Domain, Width
from ..errors import NotModelled
from ..values.constants import poison
from ..values.context import Context, Evaluate
from ..values.value import Bits, Composite, RuntimeValue, Value, scalar
from . import fast_math as minmax
from .fast_math import guarded
from .intrinsics_integer import Build, argument, argument_type, flag
from .lifting import float_kind, int_width, strict2


def vector_type(type_: Type) -> VectorType:
    if not isinstance(type_, VectorType) or type_.scalable:
        raise NotModelled("scalable vectors")
    return type_


def immediate(call: ir.CallSite, index: int) -> int:
    """An ``immarg``, as written."""
    operand = argument(call, index)
    if not isinstance(operand, Int):
        raise NotModelled("an immediate argument that is no constant")
    return operand.value


def _fold(combine: Evaluate) -> Evaluate:
    """From the first lane on, in order."""

    def evaluate(vector: Composite) -> RuntimeValue:
        first, *rest = vector.elements
        for element in rest:
            first = combine(first, element)
        return first

    return evaluate


def integer_reduction(operation: Callable[[Width, Domain], Callable[[Bits, Bits], Bits]]) -> Build:
    """All lanes combined; poison if one of them is."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        d = context.domain
        w = d.width(int_width(argument_type(call)))
        return _fold(strict2(d, operation(w, d)))

    return build


def float_reduction(name: str) -> Build:
    """fadd, fmul: from the start value on, in lane order (which reassoc would leave open); fmax and kin:
    all lanes."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        d = context.domain
        kind = float_kind(argument_type(call, len(call.arguments) - 1))
        f = d.floats(kind)
        if name in ("fadd", "fmul"):
            combine = guarded(call.fast_math, kind, d, strict2(d, f.add if name == "fadd" else f.mul))
            fold = _fold(combine)
            return lambda start, vector: fold(Composite((start, *vector.elements)))
        operation = {"fmax": "maxnum", "fmin": "minnum", "fmaximum": "maximum", "fminimum": "minimum"}[name]
        return _fold(guarded(call.fast_math, kind, d, strict2(d, minmax.floating(operation, d, f))))

    return build


def insert(call: ir.CallSite, context: Context) -> Evaluate:
    """The first vector with the second one in its place from the index on; poison if it does not fit."""
    whole, part, at = (
        vector_type(argument_type(call)),
        vector_type(argument_type(call, 1)),
        immediate(call, 2),
    )
    if at + part.count > whole.count:
        nothing = poison(whole, context.layout, context.domain)
        return lambda *operands: nothing
    return lambda a, b, _: Composite((*a.elements[:at], *b.elements, *a.elements[at + part.count :]))


def extract(call: ir.CallSite, context: Context) -> Evaluate:
    """As many lanes as the result has, from the index on; poison if there are not so many."""
    whole, part, at = vector_type(argument_type(call)), vector_type(call.type.result), immediate(call, 1)
    if at + part.count > whole.count:
        nothing = poison(part, context.layout, context.domain)
        return lambda *operands: nothing
    return lambda a, _: Composite(a.elements[at : at + part.count])


def splice(call: ir.CallSite, context: Context) -> Evaluate:
    """Lanes of both side by side from the index on; a negative index counts from the first one's end."""
    count, at = vector_type(argument_type(call)).count, immediate(call, 2)
    start = at if at >= 0 else count + at
    return lambda a, b, _: Composite((a.elements + b.elements)[start : start + count])


def interleave(ways: int) -> Build:
    def build(call: ir.CallSite, context: Context) -> Evaluate:
        """Lane 0 of each operand, lane 1 of each, and so on."""
        vector_type(call.type.result)

        def evaluate(*vectors: Composite) -> Composite:
            return Composite(
                tuple(lane for lanes in zip(*(v.elements for v in vectors), strict=True) for lane in lanes)
            )

        return evaluate

    return build


def deinterleave(ways: int) -> Build:
    def build(call: ir.CallSite, context: Context) -> Evaluate:
        """Every ``ways``-th lane, from each of the first ones on."""
        vector_type(argument_type(call))
        return lambda a: Composite(tuple(Composite(a.elements[k::ways]) for k in range(ways)))

    return build


def reverse(call: ir.CallSite, context: Context) -> Evaluate:
    vector_type(call.type.result)
    return lambda a: Composite(a.elements[::-1])


def stepvector(call: ir.CallSite, context: Context) -> Evaluate:
    """0, 1, 2, ..., each modulo 2^n."""
    type_, d = vector_type(call.type.result), context.domain
    w = d.width(int_width(type_))
    steps = Composite(tuple(Value(w.constant(i), d.false) for i in range(type_.count)))
    return lambda: steps


def active_lane_mask(call: ir.CallSite, context: Context) -> Evaluate:
    """Lane i: whether base + i is less than the limit, without wrapping."""
    type_, d = vector_type(call.type.result), context.domain
    n = int_width(argument_type(call))
    wide, widen = d.width(n + type_.count.bit_length()), d.zext(n, n + type_.count.bit_length())
    lanes = [wide.constant(i) for i in range(type_.count)]

    def evaluate(base: Value, limit: Value) -> Composite:
        start, end = widen(base.bits), widen(limit.bits)
        bad = d.either(base.poison, limit.poison)
        return Composite(tuple(Value(d.bit(wide.ult(wide.add(start, i), end)), bad) for i in lanes))

    return evaluate


def cttz_elts(call: ir.CallSite, context: Context) -> Evaluate:
    """The number of lanes before the first one that is not zero; of none the vector's length, or poison
    if the flag says so."""
    type_, d = vector_type(argument_type(call)), context.domain
    lane, result = d.width(int_width(type_)), d.width(int_width(call.type.result))
    none, strict = lane.constant(0), flag(call, 1)

    def evaluate(vector: Composite, _: Value) -> Value:
        lanes = [scalar(e) for e in vector.elements]
        count, empty, poison = result.constant(len(lanes)), d.true, d.false
        for i in reversed(range(len(lanes))):
            here = lane.ne(lanes[i].bits, none)
            count = d.ite(here, result.constant(i), count)
            empty, poison = d.both(empty, d.negate(here)), d.either(poison, lanes[i].poison)
        return Value(count, d.either(poison, empty) if strict else poison)

    return evaluate


def partial_reduce_add(call: ir.CallSite, context: Context) -> Evaluate:
    """The second vector's lanes added to the first one's, each lane number modulo the first one's length
    (LangRef leaves open which lanes are added where)."""
    type_, d = vector_type(argument_type(call)), context.domain
    add = strict2(d, d.width(int_width(type_)).add)

    def evaluate(start: Composite, vector: Composite) -> Composite:
        sums = list(start.elements)
        for i, element in enumerate(vector.elements):
            sums[i % len(sums)] = add(sums[i % len(sums)], element)
        return Composite(tuple(sums))

    return evaluate


def _positive(call: ir.CallSite, index: int) -> int:
    """How many rows or columns a matrix has."""
    number = immediate(call, index)
    if number < 1:
        raise NotModelled(f"a matrix of {number} rows or columns")
    return number


def _matrix(call: ir.CallSite, type_: Type, rows: int, columns: int) -> VectorType:
    """The vector whose elements are those of a matrix, column by column."""
    vector = vector_type(type_)
    if vector.count != rows * columns:
        raise NotModelled(f"a matrix of {rows} rows and {columns} columns as {vector}")
    return vector


def matrix_shape(call: ir.CallSite, index: int, type_: Type) -> tuple[int, int]:
    """Rows and columns, which the immediate at ``index`` and the next one say of a vector. NotModelled where
    it has not so many elements."""
    rows, columns = _positive(call, index), _positive(call, index + 1)
    _matrix(call, type_, rows, columns)
    return rows, columns


def transpose(call: ir.CallSite, context: Context) -> Evaluate:
    """A matrix, whose columns lie one behind the other, with rows for columns."""
    rows, columns = matrix_shape(call, 1, argument_type(call))
    order = [column * rows + row for row in range(rows) for column in range(columns)]
    return lambda matrix, *_: Composite(tuple(matrix.elements[at] for at in order))


def matrix_product(call: ir.CallSite, context: Context) -> Evaluate:
    """The product of two matrices whose columns lie one behind the other; each sum by growing numbers of the
    inner dimension, each product and each sum rounded (LangRef leaves open how)."""
    d, type_ = context.domain, vector_type(call.type.result)
    rows, inner, columns = (_positive(call, index) for index in (2, 3, 4))
    _matrix(call, argument_type(call), rows, inner)
    _matrix(call, argument_type(call, 1), inner, columns)
    _matrix(call, type_, rows, columns)
    if isinstance(type_.element, FloatType):
        f, kind = d.floats(type_.element.kind), type_.element.kind
        add, multiply = (guarded(call.fast_math, kind, d, strict2(d, o)) for o in (f.add, f.mul))
    else:
        w = d.width(int_width(type_))
        add, multiply = strict2(d, w.add), strict2(d, w.mul)

    def evaluate(a: Composite, b: Composite, *_: Value) -> Composite:
        def element(row: int, column: int) -> RuntimeValue:
            total: RuntimeValue | None = None
            for k in range(inner):
                product = multiply(a.elements[k * rows + row], b.elements[column * inner + k])
                total = product if total is None else add(total, product)
            assert total is not None
            return total

        return Composite(tuple(element(row, column) for column in range(columns) for row in range(rows)))

    return evaluate


_INTEGER = {
    "add": lambda w, d: w.add, "mul": lambda w, d: w.mul, "and": lambda w, d: w.and_, "or": lambda w,
    d: w.or_,
    "xor": lambda w, d: w.xor, **minmax.INTEGER,
}  # fmt: skip
_FLOAT = ("fadd", "fmul", "fmax", "fmin", "fmaximum", "fminimum")

VECTOR: Mapping[str, Build] = {
    **{f"llvm.vector.reduce.{name}": integer_reduction(operation) for name, operation in _INTEGER.items()},
    **{f"llvm.vector.reduce.{name}": float_reduction(name) for name in _FLOAT},
    "llvm.vector.insert": insert,
    "llvm.vector.extract": extract,
    "llvm.vector.splice": splice,
    "llvm.vector.reverse": reverse,
    **{f"llvm.vector.interleave{n}": interleave(n) for n in range(2, 9)},
    **{f"llvm.vector.deinterleave{n}": deinterleave(n) for n in range(2, 9)},
    "llvm.stepvector": stepvector,
    "llvm.experimental.stepvector": stepvector,
    "llvm.experimental.vector.reverse": reverse,
    "llvm.experimental.vector.splice": splice,
    "llvm.experimental.cttz.elts": cttz_elts,
    "llvm.experimental.vector.partial.reduce.add": partial_reduce_add,
    "llvm.vector.partial.reduce.add": partial_reduce_add,
    "llvm.get.active.lane.mask": active_lane_mask,
    "llvm.matrix.transpose": transpose,
    "llvm.matrix.multiply": matrix_product,
}
