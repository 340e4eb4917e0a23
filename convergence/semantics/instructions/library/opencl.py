"""OpenCL C's built-in functions that touch no memory, by their mangled names.

OpenCL C 3.0, *Math Functions*, *Integer Functions*, *Common Functions*, *Geometric Functions*, *Relational
Functions*, *Conversions and Type Casting*, *Miscellaneous Vector Functions*; the extensions
cl_khr_extended_bit_ops and cl_khr_integer_dot_product. What is signed only the name says. ``native_`` and
``half_`` functions are the full ones; what is implementation-defined is chosen as said at each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ....frozen import dataclass
from ....ir import FloatType, IntType, Type, VectorType
from ....ir.mangled import SCALARS, MangledName, MangledType, demangled
from ... import NotModelled
from ...values import Bits, Composite, RuntimeValue, Value, scalar
from .. import lifting as minmax
from ..conversion import bitcast
from ..lifting import scalar_bits
from . import kit as common
from . import mathematics
from . import mathematics as geometric
from . import numbers as integers
from . import numbers as rounding
from .amdgcn import absolute_differences, aligned_bytes, bitfield, median, pixel_average, sliding_differences
from .kit import (
    Function,
    Numbers,
    Operation,
    Site,
    canonical_nan,
    components,
    floats,
    lanes,
    numbers_of,
    parameter_types,
    require_result,
    site_of,
    strict,
)
from .kit import integers as of_integers

if TYPE_CHECKING:
    from ....ir import instructions as ir
    from ...arithmetic.domain import Domain, Width
    from ...values.context import Context, Evaluate
    from ..intrinsics_values import Build

# ----------------------------------------------------------------------------------------------------------
# AMD's functions of pixels for OpenCL C, of which each lane of a vector is one call.
#
# *cl_amd_media_ops* and *cl_amd_media_ops2* (Khronos's registry of extensions). ``amd_pack``, whose rounding
# they leave open, has no model.
# ----------------------------------------------------------------------------------------------------------


def _bit_align(w: Width, d: Domain) -> Operation:
    """Two words side by side, shifted to the right; the low word."""
    wide, widen, cut, low = d.width(64), d.zext(32, 64), d.trunc(64, 32), w.constant(31)
    return lambda a, b, by: cut(wide.lshr(d.concat([b, a], [32, 32]), widen(w.and_(by, low))))


def _bit_mask(w: Width, d: Domain) -> Operation:
    """So many ones, from a place on, both modulo 32."""
    one, low = w.constant(1), w.constant(31)
    return lambda count, at: w.shl(w.sub(w.shl(one, w.and_(count, low)), one), w.and_(at, low))


def _difference(w: Width, d: Domain) -> Operation:
    """How far two words are apart, and a third one."""
    apart = integers.difference(False)(w, d)
    return lambda a, b, c: w.add(apart(a, b), c)


def _unpacked(number: int) -> Function:
    """A byte of a word as a number."""

    def function(site: Site) -> Operation:
        cut, convert = site.d.extract(8 * number + 7, 8 * number), site.results.f.from_int(8, False)
        return lambda a: convert(cut(a))

    return function


def _field(site: Site) -> Operation:
    """Bits of a word, with its sign if it has one."""
    return bitfield(site.is_signed(0))(site)


def _of_three(name: str) -> Function:
    """The least, the greatest or the middle one of three numbers."""

    def of_floats(site: Site) -> Operation:
        if name == "median":
            return floats(median)(site)
        n = site.numbers()
        pick = minmax.floating("minnum" if name == "min" else "maxnum", n.d, n.f)
        return lambda a, b, c: pick(pick(a, b), c)

    def of_words(site: Site) -> Operation:
        w, d = site.width(), site.d
        least = minmax.INTEGER["smin" if site.is_signed(0) else "umin"](w, d)
        greatest = minmax.INTEGER["smax" if site.is_signed(0) else "umax"](w, d)
        if name == "median":
            return lambda a, b, c: greatest(least(a, b), least(greatest(a, b), c))
        pick = least if name == "min" else greatest
        return lambda a, b, c: pick(pick(a, b), c)

    return lambda site: (of_floats if site.is_float() else of_words)(site)


MEDIA: Mapping[str, tuple[int, Function]] = {
    "amd_bitalign": (3, of_integers(_bit_align)),
    "amd_bytealign": (3, of_integers(aligned_bytes)),
    "amd_lerp": (3, of_integers(pixel_average)),
    "amd_sad": (3, absolute_differences()),
    "amd_sadhi": (3, absolute_differences(high=True)),
    "amd_sadw": (3, absolute_differences(bits=16)),
    "amd_sadd": (3, of_integers(_difference)),
    "amd_msad": (3, absolute_differences(masked=True)),
    "amd_qsad": (3, sliding_differences(False)),
    "amd_mqsad": (3, sliding_differences(True)),
    "amd_bfm": (2, of_integers(_bit_mask)),
    "amd_bfe": (3, _field),
    **{f"amd_unpack{n}": (1, _unpacked(n)) for n in range(4)},
    **{f"amd_{name}3": (3, _of_three(name)) for name in ("min", "max", "median")},
}
"""Operands and function."""


def sum_of_differences(call: ir.CallSite, context: Context) -> Evaluate:
    """``amd_sad4``: the differences of all bytes of two vectors of words, added to a word."""
    d = context.domain
    word = call.type.result
    of: Callable[..., Bits] = absolute_differences()(Site(d, context.layout, (word,), word))

    def evaluate(a: RuntimeValue, b: RuntimeValue, c: RuntimeValue) -> Value:
        total, bad = scalar(c).bits, scalar(c).poison
        for x, y in zip(components(a), components(b), strict=True):
            total, bad = of(x.bits, y.bits, total), d.either(bad, d.either(x.poison, y.poison))
        return Value(total, bad)

    return evaluate


@dataclass(frozen=True, slots=True)
class Builtin:
    """A function of so many operands, in each lane."""

    count: int
    function: Function


# -- Relational functions


def _relation(holds: Callable[[Numbers], Operation]) -> Function:
    """1 or 0 for scalars, -1 (all bits) or 0 in each lane of vectors."""

    def function(site: Site) -> Operation:
        test, result = holds(site.numbers()), site.result_width
        true, false = result.constant(-1 if site.vector else 1), result.constant(0)
        return lambda *operands: site.d.ite(test(*operands), true, false)

    return function


def _ordered(n: Numbers) -> Operation:
    d, nan = n.d, n.f.is_nan
    return lambda a, b: d.negate(d.either(nan(a), nan(b)))


_RELATIONS: Mapping[str, tuple[int, Callable[[Numbers], Operation]]] = {
    "isequal": (2, lambda n: n.f.equal),
    "isnotequal": (2, lambda n: lambda a, b: n.d.negate(n.f.equal(a, b))),
    "isgreater": (2, lambda n: lambda a, b: n.f.less(b, a)),
    "isgreaterequal": (2, lambda n: lambda a, b: n.at_most(b, a)),
    "isless": (2, lambda n: n.f.less),
    "islessequal": (2, lambda n: n.at_most),
    "islessgreater": (2, lambda n: lambda a, b: n.d.either(n.f.less(a, b), n.f.less(b, a))),
    "isordered": (2, _ordered),
    "isunordered": (2, lambda n: lambda a, b: n.d.negate(_ordered(n)(a, b))),
    **{name: (1, holds) for name, holds in mathematics.TESTS.items()},
}


def _select(site: Site) -> Operation:
    """``b`` where ``c`` is not 0, for scalars; where its highest bit is one, in vectors; else ``a``."""
    w, d = site.width(2), site.d
    none = w.constant(0)
    if site.vector:
        return lambda a, b, c: d.ite(w.slt(c, none), b, a)
    return lambda a, b, c: d.ite(w.ne(c, none), b, a)


def _bitselect(site: Site) -> Operation:
    return integers.bit_select(site.d.width(scalar_bits(site.operands[0], site.layout)), site.d)


def _any_or_all(every: bool) -> Build:
    """Whether the highest bit of any, or of every, element is one: 1 or 0."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        d = context.domain
        (type_,) = parameter_types(call)
        site = site_of((type_,), call.type.result, context)
        w, result = site.width(), site.result_width
        none, one, zero = w.constant(0), result.constant(1), result.constant(0)

        def evaluate(value: RuntimeValue) -> Value:
            holds, poison = (d.true if every else d.false), d.false
            for element in components(value):
                top = w.slt(element.bits, none)
                holds = d.both(holds, top) if every else d.either(holds, top)
                poison = d.either(poison, element.poison)
            return Value(d.ite(holds, one, zero), poison)

        return evaluate

    return build


# -- Integer functions


def _signed(of: Callable[[bool], integers.IntegerFunction]) -> Function:
    """A function that differs for signed operands."""
    return lambda site: of(site.is_signed())(site.width(), site.d)


def _plain(of: integers.IntegerFunction) -> Function:
    return lambda site: of(site.width(), site.d)


def _minmax(larger: bool) -> Callable[[bool], integers.IntegerFunction]:
    def of(signed: bool) -> integers.IntegerFunction:
        name = ("s" if signed else "u") + ("max" if larger else "min")
        return minmax.INTEGER[name]

    return of


def _counted(name: str) -> Function:
    """``clz``, ``ctz``, ``popcount``: of 0 the width."""

    def function(site: Site) -> Operation:
        w = site.width()
        return {"clz": w.ctlz, "ctz": w.cttz, "popcount": w.ctpop}[name]

    return function


def _absolute(site: Site) -> Operation:
    return integers.absolute(site.width(), site.d) if site.is_signed() else lambda a: a


def _upsample(site: Site) -> Operation:
    """The first operand's bits in front of the second one's."""
    n = site.width().width
    require_result(site, IntType(2 * n))
    return lambda high, low: site.d.concat([low, high], [n, n])


def _field_numbers(site: Site, offset: int, count: int) -> Callable[[Bits, Bits], tuple[Bits, Bits]]:
    """Offset and count as numbers of the first operand's width."""
    n = site.width().width
    at, many = site.width(offset).width, site.width(count).width
    return lambda o, c: (integers.resize(site.d, at, n)(o), integers.resize(site.d, many, n)(c))


def _bitfield_insert(site: Site) -> Operation:
    """``count`` low bits of the second operand, from ``offset`` on in the first."""
    w, sizes = site.width(), _field_numbers(site, 2, 3)
    all_ = w.constant(-1)

    def evaluate(base: Bits, inserted: Bits, offset: Bits, count: Bits) -> Bits:
        at, many = sizes(offset, count)
        mask = w.shl(w.not_(w.shl(all_, many)), at)
        return w.or_(w.and_(base, w.not_(mask)), w.and_(w.shl(inserted, at), mask))

    return evaluate


def _bitfield_extract(signed: bool) -> Function:
    """``count`` bits from ``offset`` on."""

    def function(site: Site) -> Operation:
        take, sizes = integers.field(signed)(site.width(), site.d), _field_numbers(site, 1, 2)
        return lambda base, offset, count: take(base, *sizes(offset, count))

    return function


def _alike(function: Function) -> Function:
    """The function, whose result is of the first operand's type."""

    def checked(site: Site) -> Operation:
        require_result(site, site.operands[0])
        return function(site)

    return checked


_INTEGERS: Mapping[str, Builtin] = {
    "abs": Builtin(1, _alike(_absolute)),
    "abs_diff": Builtin(2, _alike(_signed(integers.difference))),
    "add_sat": Builtin(2, _alike(_signed(lambda s: integers.saturating("add", s)))),
    "sub_sat": Builtin(2, _alike(_signed(lambda s: integers.saturating("sub", s)))),
    "hadd": Builtin(2, _alike(_signed(integers.halving_add))),
    "rhadd": Builtin(2, _alike(_signed(lambda s: integers.halving_add(s, up=True)))),
    "clamp": Builtin(3, _alike(_signed(integers.clamp))),
    "max": Builtin(2, _alike(_signed(_minmax(True)))),
    "min": Builtin(2, _alike(_signed(_minmax(False)))),
    "clz": Builtin(1, _alike(_counted("clz"))),
    "ctz": Builtin(1, _alike(_counted("ctz"))),
    "popcount": Builtin(1, _alike(_counted("popcount"))),
    "mad_hi": Builtin(3, _alike(_signed(integers.mad_hi))),
    "mad_sat": Builtin(3, _alike(_signed(integers.mad_saturating))),
    "mul_hi": Builtin(2, _alike(_signed(integers.mul_hi))),
    "mul24": Builtin(2, _alike(_signed(integers.mul24))),
    "mad24": Builtin(3, _alike(_signed(integers.mad24))),
    "rotate": Builtin(2, _alike(_plain(integers.rotate))),
    "upsample": Builtin(2, _upsample),
    "bit_reverse": Builtin(1, _alike(_plain(integers.reversed_bits))),
    "bitfield_insert": Builtin(4, _alike(_bitfield_insert)),
    "bitfield_extract_signed": Builtin(3, _alike(_bitfield_extract(True))),
    "bitfield_extract_unsigned": Builtin(3, _alike(_bitfield_extract(False))),
}

_BITS: Mapping[str, Builtin] = {
    "select": Builtin(3, _alike(_select)),
    "bitselect": Builtin(3, _alike(_bitselect)),
    **{name: Builtin(count, function) for name, (count, function) in MEDIA.items()},
}
"""Of integers and floats."""


# -- Math and common functions


def _maximum(n: Numbers) -> Operation:
    """``max(x, y)``: ``y`` if ``x < y``, else ``x``."""
    return lambda x, y: n.d.ite(n.f.less(x, y), y, x)


def _minimum(n: Numbers) -> Operation:
    return lambda x, y: n.d.ite(n.f.less(y, x), y, x)


_FLOATS: Mapping[str, Builtin] = {
    **{name: Builtin(count, floats(f)) for name, (count, f) in mathematics.FLOATING.items()},
    "max": Builtin(2, floats(_maximum)),
    "min": Builtin(2, floats(_minimum)),
    "clamp": Builtin(3, floats(common.clamp)),
    "mix": Builtin(3, floats(common.mix)),
    "step": Builtin(2, floats(common.step)),
    "smoothstep": Builtin(3, floats(common.smoothstep)),
    "sign": Builtin(1, floats(common.sign)),
    "degrees": Builtin(1, floats(common.degrees)),
    "radians": Builtin(1, floats(common.radians)),
    "divide": Builtin(2, floats(lambda n: n.f.div)),
    "recip": Builtin(1, floats(common.reciprocal)),
    "ldexp": Builtin(2, mathematics.ldexp),
    "pown": Builtin(2, mathematics.pown),
    "rootn": Builtin(2, mathematics.rootn),
    "ilogb": Builtin(1, mathematics.ilogb),
    **{name: Builtin(count, _relation(holds)) for name, (count, holds) in _RELATIONS.items()},
}


# -- Conversions

_CONVERT = re.compile(r"convert_([a-z]+?)(\d*)(_sat)?(?:_(rte|rtz|rtp|rtn))?")
_AS = re.compile(r"as_([a-z]+?)(\d*)")
_BY_NAME = {name: (bits, signed) for name, bits, signed in SCALARS.values()}


def _conversion(target_signed: bool, saturated: bool, mode: str | None) -> Function:
    """``convert_T``. From a float to an integer towards zero, else to nearest; a float that does not fit
    in an integer (without ``_sat`` implementation-defined) becomes the nearest one, and a NaN 0."""

    def function(site: Site) -> Operation:
        source, target = site.operands[0], site.result
        if isinstance(source, FloatType):
            if isinstance(target, FloatType):
                return rounding.float_to_float(site.d, source.kind, target.kind, mode or "rte")
            return rounding.float_to_int(
                numbers_of(site.d, source.kind), site.result_width.width, target_signed, mode or "rtz"
            )
        signed = site.is_signed()
        if isinstance(target, FloatType):
            return rounding.int_to_float(site.d, site.width().width, signed, target.kind, mode or "rte")
        n, m = site.width().width, site.result_width.width
        if not saturated:
            return integers.resize(site.d, n, m, signed)
        wide = max(n, m) + 1
        widen, w = integers.extension(site.d, n, wide, signed), site.d.width(wide)
        low = w.constant(-(1 << (m - 1)) if target_signed else 0)
        high = w.constant((1 << (m - 1)) - 1 if target_signed else (1 << m) - 1)
        bound, cut = integers.clamp(True)(w, site.d), site.d.trunc(wide, m)
        return lambda a: cut(bound(widen(a), low, high))

    return function


def _bits_of(type_: Type, context: Context) -> int:
    """Of a vector of three elements those of four, as OpenCL C sizes it."""
    if isinstance(type_, VectorType):
        return (4 if type_.count == 3 else type_.count) * scalar_bits(type_.element, context.layout)
    return scalar_bits(type_, context.layout)


def _reinterpreted(call: ir.CallSite, context: Context) -> Evaluate:
    """``as_T``: the same bits, of as many, but that three elements may stand for four."""
    types = parameter_types(call)[0], call.type.result
    if len({_bits_of(type_, context) for type_ in types}) > 1:
        raise NotModelled(f"a reinterpretation of {types[0]} as {types[1]}")
    return bitcast(parameter_types(call)[0], call.type.result, context)


# -- Vectors


def _shuffle(call: ir.CallSite, context: Context) -> Evaluate:
    """``shuffle(x, mask)``, ``shuffle2(x, y, mask)``: the elements that the mask's low bits name."""
    *_, mask_type = parameter_types(call)
    d = context.domain
    w = site_of((mask_type,), mask_type, context).width()

    def evaluate(*operands: RuntimeValue) -> Composite:
        *vectors, mask = operands
        elements = [element for vector in vectors for element in components(vector)]

        def picked(index: Value) -> Value:
            place = w.and_(index.bits, w.constant(len(elements) - 1))
            result: RuntimeValue = elements[0]
            for number, element in enumerate(elements):
                result = d.choose(w.eq(place, w.constant(number)), element, result)
            assert isinstance(result, Value)
            return Value(result.bits, d.either(result.poison, index.poison))

        return Composite(tuple(map(picked, components(mask))))

    return evaluate


def _integer_dot(call: ir.CallSite, context: Context, name: MangledName) -> Evaluate:
    """``dot``, ``dot_acc_sat`` of vectors of bytes or packed ones, and an accumulator; Arm's ``arm_dot``,
    ``arm_dot_acc``, which wraps, and ``arm_dot_acc_sat`` (*cl_arm_integer_dot_product*)."""
    d, result = context.domain, site_of((), call.type.result, context).result_width
    packed = re.search(r"4x8packed_([su])([su])_", name.name)
    first, second = (
        (packed[1] == "s", packed[2] == "s")
        if packed
        else (name.parameters[0].signed, name.parameters[1].signed)
    )
    signed, accumulates = first or second, len(name.parameters) == 3
    wide = d.width(64)
    widen = integers.extension(d, result.width, 64, signed)
    clamps = accumulates and "acc_sat" in name.name
    cut = integers.clamped(d, result.width, signed) if clamps else d.trunc(64, result.width)
    bits = 8 if packed else name.parameters[0].bits
    extend = [integers.extension(d, bits, 64, s) for s in (first, second)]
    bytes_ = [d.extract(at + 7, at) for at in range(0, 32, 8)]

    def parts(value: RuntimeValue) -> list[Bits]:
        lanes_bits = [x.bits for x in components(value)]
        return [byte(lanes_bits[0]) for byte in bytes_] if packed else lanes_bits

    def evaluate(a: RuntimeValue, b: RuntimeValue, *acc: Value) -> Value:
        poison = d.false
        for x in (*components(a), *components(b), *acc):
            poison = d.either(poison, x.poison)
        total = wide.constant(0)
        for x, y in zip(parts(a), parts(b), strict=True):
            total = wide.add(total, wide.mul(extend[0](x), extend[1](y)))
        if acc:
            total = wide.add(total, widen(acc[0].bits))
        return Value(cut(total), poison)

    return evaluate


_WHOLE: Mapping[str, Build] = {
    "dot": geometric.of_vectors(geometric.dot),
    "cross": geometric.of_vectors(geometric.cross),
    "length": geometric.of_vectors(geometric.through_double(geometric.length)),
    "distance": geometric.of_vectors(geometric.through_double(geometric.distance)),
    "normalize": geometric.of_vectors(geometric.through_double(geometric.normalize_kept, False)),
    "fast_length": geometric.of_vectors(geometric.length),
    "fast_distance": geometric.of_vectors(geometric.distance),
    "fast_normalize": geometric.of_vectors(geometric.normalize_kept),
}
"""Of vectors of floats."""


def _default(call: ir.CallSite, context: Context) -> Evaluate:
    """``__spirv_SpecConstant(SpecId, default)``: whoever chooses another value writes it in the default's
    place (:mod:`convergence.transform.specialize`)."""
    return lambda number, default: default


_VECTORS: Mapping[str, Build] = {
    "__spirv_SpecConstant": _default,
    "any": _any_or_all(False),
    "all": _any_or_all(True),
    "shuffle": _shuffle,
    "shuffle2": _shuffle,
    "amd_sad4": sum_of_differences,
}
"""Of vectors of integers, or of any, and what takes its operands as they are."""


# -- Names


SPIRV = "__spirv_ocl_"
"""Before the names of OpenCL's functions in SPIR-V's."""


def fits(parameter: MangledType, type_: Type) -> bool:
    """Whether an operand has the type that the name says. clang passes a ``bool`` as one bit."""
    if parameter.lanes > 1:
        if not isinstance(type_, VectorType) or type_.count != parameter.lanes:
            return False
        type_ = type_.element
    if parameter.is_float:
        return type_ == FloatType(parameter.name)
    widths = (1, parameter.bits) if parameter.name == "bool" else (parameter.bits,)
    return isinstance(type_, IntType) and type_.bits in widths


def _plain_name(name: str) -> str:
    """Without ``native_`` or ``half_``, which only allow less accuracy, and SPIR-V's prefix of OpenCL's."""
    return re.sub(r"^(?:native|half)_(?!$)", "", name.removeprefix(SPIRV))


def _entry(name: MangledName) -> Builtin | None:
    first = name.parameters[0]
    plain = _plain_name(name.name)
    if plain == "nan" and first.is_integer:
        return Builtin(1, canonical_nan)
    entry = _BITS.get(plain) or (_FLOATS if first.is_float else _INTEGERS).get(plain)
    if entry is not None:
        return entry
    if (converted := _CONVERT.fullmatch(name.name)) is not None and converted[1] in _BY_NAME:
        return Builtin(1, _conversion(_BY_NAME[converted[1]][1], converted[3] is not None, converted[4]))
    return None


def _hint(call: ir.CallSite, context: Context) -> Evaluate:
    """``prefetch``: nothing that the program sees."""
    nothing = Value(context.domain.width(1).constant(0), context.domain.false)
    return lambda *operands: nothing


def opencl_function(mangled: str) -> Build | None:
    """The model of a built-in function that touches no memory, by its mangled name."""
    name = demangled(mangled)
    if name is None or not name.parameters:
        return None
    if name.name == "prefetch":
        return _hint
    if any(p.pointer for p in name.parameters):
        return None
    build = _built(mangled, name)
    if build is None:
        return None

    def checked(call: ir.CallSite, context: Context) -> Evaluate:
        parameters = parameter_types(call)
        if len(parameters) != len(name.parameters) or not all(map(fits, name.parameters, parameters)):
            raise NotModelled(f"@{mangled} with operands of other types than {name}")
        return build(call, context)

    return checked


def _built(mangled: str, name: MangledName) -> Build | None:
    first = name.parameters[0]
    plain = name.name.removeprefix(SPIRV)
    if (whole := _VECTORS.get(plain) or (_WHOLE.get(plain) if first.is_float else None)) is not None:
        return whole
    if name.name.startswith(("dot", "arm_dot")) and first.is_integer:
        return lambda call, context: _integer_dot(call, context, name)
    if (shape := _AS.fullmatch(name.name)) is not None and shape[1] in _BY_NAME:
        return _reinterpreted
    entry = _entry(name)
    if entry is None or entry.count != len(name.parameters):
        return None
    signed = tuple(p.signed for p in name.parameters)

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        parameters = parameter_types(call)
        site = site_of(parameters, call.type.result, context, signed)
        return lanes(parameters, strict(entry.function(site), site, call.fast_math))

    return build
