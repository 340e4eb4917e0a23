"""Functions that give one result and write others behind pointers: ``fract``, ``modf``, ``sincos``, ...

OpenCL C 3.0, *Math Functions*; OCML and libdevice have them under their own names.

Such a call is one access: it writes, and gives a value of its other operands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ....ir import VOID, IntType, PointerType, Type, VectorType
from ....ir.calls import callee_name
from ... import NotModelled
from ...memory import Touch, typed
from ...memory.accesses import Access, AccessShape, PrepareAccess, address, touched
from ...values import Bits, RuntimeValue, Value, elements, scalar
from ..lifting import element_type, float_kind
from ..memory import stored
from . import kit as common
from .kit import Numbers, components, gathered, numbers_of, parameter_types, taking

if TYPE_CHECKING:
    from ....ir import instructions as ir
    from ...memory.allocations import Memory
    from ...values.context import Context
    from ..intrinsics_memory import BuildAccess

Results = Callable[..., Sequence[Bits]]
"""From operands' bits to those of the result (if there is one) and of what the pointers get, in order."""


def _fract(n: Numbers) -> Results:
    fract, floor = common.fract(n), n.f.rounded("down")
    return lambda x: (fract(x), floor(x))


def modf_parts(n: Numbers) -> Results:
    """Fraction and integral part, both with the operand's sign."""
    whole, zero = n.f.rounded("zero"), n.constant(0)

    def evaluate(x: Bits) -> Sequence[Bits]:
        integral = whole(x)
        rest = n.d.ite(n.f.is_inf(x), zero, n.f.sub(x, integral))
        return n.quieted(x, n.signed_like(rest, x)), integral

    return evaluate


def _sincos(n: Numbers) -> Results:
    sine, cosine = n.f.function("sin"), n.f.function("cos")
    return lambda x: (sine(x), cosine(x))


def _sincospi(n: Numbers) -> Results:
    sine, cosine = n.f.function("sinpi"), n.f.function("cospi")
    return lambda x: (sine(x), cosine(x))


def _frexp(n: Numbers) -> Results:
    return n.f.frexp(32)


def _remquo(n: Numbers) -> Results:
    return common.remquo(n)


def _lgamma_r(n: Numbers) -> Results:
    """The logarithm, and the sign of the gamma function: 0 where it is infinite."""
    d, f, w = n.d, n.f, n.d.width(32)
    lgamma, floor = f.function("lgamma"), f.rounded("down")
    half = n.constant(0.5)
    one, minus, none = (w.constant(k) for k in (1, -1, 0))

    def evaluate(x: Bits) -> Sequence[Bits]:
        below = floor(x)
        pole = d.both(f.equal(below, x), n.at_most(x, n.constant(0)))
        odd = d.negate(f.equal(floor(f.mul(below, half)), f.mul(below, half)))
        sign = d.ite(d.both(f.is_negative(x), odd), minus, one)
        return lgamma(x), d.ite(pole, none, sign)

    return evaluate


_FUNCTIONS: Mapping[str, Callable[[Numbers], Results]] = {
    "fract": _fract, "modf": modf_parts, "sincos": _sincos, "sincospi": _sincospi, "frexp": _frexp,
    "remquo": _remquo, "lgamma_r": _lgamma_r,
}  # fmt: skip


def _element(kind: Type, vector: Type) -> Type:
    """A vector of as many elements as the other one has, or the scalar."""
    return VectorType(vector.count, kind) if isinstance(vector, VectorType) else kind


_INTEGRAL = frozenset({"frexp", "remquo", "lgamma_r"})
"""Those that write an ``i32``."""


def with_outputs(plain: str) -> BuildAccess:
    """The function of this name; pointers are its last operands."""

    def build(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        parameters, result, layout, d = (
            parameter_types(call),
            call.type.result,
            context.layout,
            context.domain,
        )
        types = [t for t in parameters if not isinstance(t, PointerType)]
        pointers = len(parameters) - len(types)
        if not types or not pointers or any(isinstance(t, PointerType) for t in parameters[: len(types)]):
            raise NotModelled(f"@{callee_name(call)} with operands of other types")
        n = numbers_of(d, float_kind(types[0]))
        evaluate, first = taking(_FUNCTIONS[plain](n), len(types)), types[0]
        has_result = result == first
        if pointers + has_result != 2 or not (has_result or result == VOID):
            raise NotModelled(f"@{callee_name(call)} with other results than it has")
        written: Type = _element(IntType(32), first) if plain in _INTEGRAL else first
        outputs = [written] * pointers
        forms = [typed(t, layout, d) for t in outputs]
        writes = [stored(form, layout.align(element_type(t))) for form, t in zip(forms, outputs, strict=True)]

        def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue | None:
            values = access.operands[: len(types)]
            places = [address(access), *map(scalar, access.operands[len(types) :])]
            columns = []
            for lane in zip(*map(components, values), strict=True):
                poison = d.false
                for x in lane:
                    poison = d.either(poison, x.poison)
                columns.append([Value(bits, poison) for bits in evaluate(*(x.bits for x in lane))])
            results = [gathered(column, first) for column in zip(*columns, strict=True)]
            own = results.pop(0) if has_result else None
            for write, place, value in zip(writes, places, results, strict=True):
                write(memory, place, value, thread)
            return own

        def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
            places = [address(access), *map(scalar, access.operands[len(types) :])]
            return tuple(
                touched(memory, place, form.size, thread, True)
                for place, form in zip(places, forms, strict=True)
            )

        shape = AccessShape(
            plain, False, True, perform, type=outputs[0],
            align=layout.align(element_type(outputs[0])), footprint=footprint,
            operands=(*types, *parameters[len(types) + 1 :]), result=result,
        )  # fmt: skip

        def prepared(*operands: RuntimeValue) -> Access:
            values, places = operands[: len(types)], operands[len(types) :]
            return Access(shape, scalar(places[0]), (*values, *places[1:]))

        return prepared

    return build


def outputs_of(plain: str, pointers: int) -> BuildAccess | None:
    """By the plain name and the number of operands that are pointers; ``None`` if it is none of these."""
    name = re.sub(r"^(?:__spirv_ocl_)?(?:native_|half_)?", "", plain)
    return with_outputs(name) if name in _FUNCTIONS and pointers else None


def with_result(
    kind: str, prepared: PrepareAccess, type_: Type, of: Callable[[RuntimeValue], RuntimeValue]
) -> PrepareAccess:
    """The access with another result, computed from its own, and another kind."""
    shapes: dict[AccessShape, AccessShape] = {}

    def changed_shape(shape: AccessShape) -> AccessShape:
        def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue | None:
            value = shape.perform(access, memory, thread)
            assert value is not None
            return of(value)

        return replace(shape, kind=kind, perform=perform, result=type_)

    def changed(*operands: RuntimeValue) -> Access:
        access = prepared(*operands)
        if access.shape not in shapes:
            shapes[access.shape] = changed_shape(access.shape)
        return access._replace(shape=shapes[access.shape])

    return changed


def first(pair: RuntimeValue) -> RuntimeValue:
    """What an object held, of a cmpxchg's pair of that and whether it was exchanged."""
    return elements(pair)[0]
