"""Instructions on values: arithmetic, conversions, comparisons, composites, and operations among threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .constants import NULL, Bool, Matrix, SPIRVFloat, SPIRVInt, SPIRVPointer, Type, Vector, element, size
from .instruction import SPIRVInstruction, grammar
from .writing import BARRIER, EXCHANGE, Emit, FunctionWriter

# ----------------------------------------------------------------------------------------------------------
# Arithmetic, conversions, comparisons and composites: instructions that concern one thread's values.
#
# SPIR-V, *Conversion Instructions*, *Composite Instructions*, *Arithmetic Instructions*, *Bit Instructions*,
# *Relational and Logical Instructions*.
# ----------------------------------------------------------------------------------------------------------


def suffix(type_: Type) -> str:
    """How LLVM's overloaded names spell a type: ``v4f32``."""
    match type_:
        case Vector(inner, count):
            return f"v{count}{suffix(inner)}"
        case Bool():
            return "i1"
        case SPIRVInt(bits):
            return f"i{bits}"
        case SPIRVFloat(bits, brain):
            return "bf16" if brain else f"f{bits}"
        case _:
            raise AssertionError(type_)


def scalar(type_: Type) -> Type:
    """A vector's element, or the scalar itself."""
    return type_.element if isinstance(type_, Vector) else type_


def _same(words: str) -> Emit:
    """An LLVM instruction of operands that have the result's type, all of them."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        operands = ", ".join(code.value(i.id(n)) for n in range(len(i.operands)))
        code.define(f"{words} {code.llvm(code.result_type())} {operands}")

    return emit


def resized(code: FunctionWriter, id_: str, to: Type, signed: bool = False) -> str:
    """An integer, or vector of them, in the width of another type."""
    from_ = code.type(id_)
    return resized_text(code, code.value(id_), from_, to, signed)


def resized_text(code: FunctionWriter, text: str, from_: Type, to: Type, signed: bool = False) -> str:
    """The same for a value that is text."""
    a, b = scalar(from_), scalar(to)
    assert isinstance(a, SPIRVInt) and isinstance(b, SPIRVInt)
    if a.bits == b.bits:
        return text
    word = "trunc" if a.bits > b.bits else "sext" if signed else "zext"
    return code.step(f"{word} {code.llvm(from_)} {text} to {code.llvm(to)}")


def _shift(words: str) -> Emit:
    """The count may have another width. By too many bits the value is undefined, whatever it is used for: in
    LLVM it would be poison, of which a branch is undefined behaviour."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        type_ = code.result_type()
        count = resized(code, i.id(1), type_)
        text = f"{words} {code.llvm(type_)} {code.value(i.id(0))}, {count}"
        inner = scalar(type_)
        assert isinstance(inner, SPIRVInt)
        if _is_less(code, i.id(1), inner.bits):
            code.define(text)
        else:
            code.define(f"freeze {code.llvm(type_)} {code.step(text)}")

    return emit


def _is_less(code: FunctionWriter, id_: str, limit: int) -> bool:
    """Whether an operand is a constant, each number of which is less than ``limit``."""
    value = code.out.constants.values.get(id_)
    parts = value if isinstance(value, tuple) else (0 if value == NULL else value,)
    return all(isinstance(part, int) and part < limit for part in parts)


def truths(type_: Type) -> str:
    """The LLVM type of what a comparison of such values gives."""
    return f"<{type_.count} x i1>" if isinstance(type_, Vector) else "i1"


def splat(type_: Type, text: str, llvm: Callable[[Type], str]) -> str:
    """A scalar constant in each element."""
    if isinstance(type_, Vector):
        inner = llvm(type_.element)
        return "<" + ", ".join(f"{inner} {text}" for _ in range(type_.count)) + ">"
    return text


def _negated(code: FunctionWriter, i: SPIRVInstruction) -> None:
    type_ = code.result_type()
    code.define(f"sub {code.llvm(type_)} {splat(type_, '0', code.llvm)}, {code.value(i.id(0))}")


def _inverted(code: FunctionWriter, i: SPIRVInstruction) -> None:
    type_ = code.result_type()
    ones = splat(type_, "true" if isinstance(scalar(type_), Bool) else "-1", code.llvm)
    code.define(f"xor {code.llvm(type_)} {code.value(i.id(0))}, {ones}")


def _modulo(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpSMod: the sign of the second operand."""
    type_ = code.result_type()
    t, a, b = code.llvm(type_), code.value(i.id(0)), code.value(i.id(1))
    zero = splat(type_, "0", code.llvm)
    bools = truths(type_)
    rest = code.step(f"srem {t} {a}, {b}")
    other = code.step(f"xor {t} {rest}, {b}")
    differs = code.step(f"icmp slt {t} {other}, {zero}")
    some = code.step(f"icmp ne {t} {rest}, {zero}")
    both = code.step(f"and {bools} {differs}, {some}")
    sum_ = code.step(f"add {t} {rest}, {b}")
    code.define(f"select {bools} {both}, {t} {sum_}, {t} {rest}")


def _float_modulo(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpFMod: the sign of the second operand, ``x - y * floor(x / y)``."""
    type_ = code.result_type()
    t, a, b = code.llvm(type_), code.value(i.id(0)), code.value(i.id(1))
    quotient = code.step(f"fdiv {t} {a}, {b}")
    whole = code.step(code.call(f"llvm.floor.{suffix(type_)}", t, [f"{t} {quotient}"]))
    product = code.step(f"fmul {t} {b}, {whole}")
    code.define(f"fsub {t} {a}, {product}")


def _carried(intrinsic: str) -> Emit:
    """A structure of the result and the carry as a number."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        type_ = code.type(i.id(0))
        t = code.llvm(type_)
        bools = truths(type_)
        pair = code.step(
            code.call(
                f"llvm.{intrinsic}.with.overflow.{suffix(type_)}",
                f"{{ {t}, {bools} }}",
                [code.typed(i.id(0)), code.typed(i.id(1))],
            )
        )
        low = code.step(f"extractvalue {{ {t}, {bools} }} {pair}, 0")
        over = code.step(f"extractvalue {{ {t}, {bools} }} {pair}, 1")
        carry = code.step(f"zext {bools} {over} to {t}")
        _pair(code, t, low, carry)

    return emit


def _pair(code: FunctionWriter, t: str, first: str, second: str) -> None:
    both = f"{{ {t}, {t} }}"
    half = code.step(f"insertvalue {both} undef, {t} {first}, 0")
    code.define(f"insertvalue {both} {half}, {t} {second}, 1")


def _extended(signed: bool) -> Emit:
    """The product in two halves: low, high."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        type_ = code.type(i.id(0))
        inner = scalar(type_)
        assert isinstance(inner, SPIRVInt)
        double = SPIRVInt(2 * inner.bits)
        wide: Type = Vector(double, type_.count) if isinstance(type_, Vector) else double
        t, w = code.llvm(type_), code.llvm(wide)
        a, b = (resized(code, i.id(n), wide, signed) for n in (0, 1))
        product = code.step(f"mul {w} {a}, {b}")
        low = code.step(f"trunc {w} {product} to {t}")
        shifted = code.step(f"lshr {w} {product}, {splat(wide, str(inner.bits), code.llvm)}")
        high = code.step(f"trunc {w} {shifted} to {t}")
        _pair(code, t, low, high)

    return emit


# -- Conversions


def _conversion(word: str) -> Emit:
    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        code.define(f"{word} {code.typed(i.id(0))} to {code.llvm(code.result_type())}")

    return emit


def _integer_conversion(signed: bool) -> Emit:
    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        from_, to = code.type(i.id(0)), code.result_type()
        a, b = scalar(from_), scalar(to)
        assert isinstance(a, SPIRVInt) and isinstance(b, SPIRVInt)
        if a.bits == b.bits:
            code.alias(code.value(i.id(0)))
            return
        word = "trunc" if a.bits > b.bits else "sext" if signed else "zext"
        code.define(f"{word} {code.typed(i.id(0))} to {code.llvm(to)}")

    return emit


def _float_conversion(code: FunctionWriter, i: SPIRVInstruction) -> None:
    a, b = scalar(code.type(i.id(0))), scalar(code.result_type())
    assert isinstance(a, SPIRVFloat) and isinstance(b, SPIRVFloat)
    if a == b:
        code.alias(code.value(i.id(0)))
    else:
        _conversion("fptrunc" if a.bits > b.bits else "fpext")(code, i)


def _copied(code: FunctionWriter, i: SPIRVInstruction) -> None:
    code.alias(code.value(i.id(0)))


def _bitcast(code: FunctionWriter, i: SPIRVInstruction) -> None:
    from_, to = code.type(i.id(0)), code.result_type()
    a, b = code.llvm(from_), code.llvm(to)
    if a == b:
        code.alias(code.value(i.id(0)))
    elif isinstance(from_, SPIRVPointer) and isinstance(to, SPIRVPointer):
        code.define(f"addrspacecast {code.typed(i.id(0))} to {b}")
    elif isinstance(from_, SPIRVPointer) and isinstance(to, Vector):
        number = code.step(f"ptrtoint {code.typed(i.id(0))} to i{8 * from_.size}")
        code.define(f"bitcast i{8 * from_.size} {number} to {b}")
    elif isinstance(from_, Vector) and isinstance(to, SPIRVPointer):
        number = code.step(f"bitcast {code.typed(i.id(0))} to i{8 * to.size}")
        code.define(f"inttoptr i{8 * to.size} {number} to {b}")
    elif isinstance(from_, SPIRVPointer):
        code.define(f"ptrtoint {code.typed(i.id(0))} to {b}")
    elif isinstance(to, SPIRVPointer):
        code.define(f"inttoptr {code.typed(i.id(0))} to {b}")
    else:
        code.define(f"bitcast {code.typed(i.id(0))} to {b}")


def _quantized(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpQuantizeToF16, for what is neither too large nor too small."""
    type_ = code.result_type()
    half: Type = Vector(SPIRVFloat(16), type_.count) if isinstance(type_, Vector) else SPIRVFloat(16)
    short = code.step(f"fptrunc {code.typed(i.id(0))} to {code.llvm(half)}")
    code.define(f"fpext {code.llvm(half)} {short} to {code.llvm(type_)}")


# -- Comparisons


def _comparison(words: str) -> Emit:
    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        code.define(f"{words} {code.typed(i.id(0))}, {code.value(i.id(1))}")

    return emit


def _test(words: str) -> Emit:
    """A comparison with the absolute value's infinity, or of an operand with itself."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        type_ = code.type(i.id(0))
        if words == "uno":
            code.define(f"fcmp uno {code.typed(i.id(0))}, {code.value(i.id(0))}")
            return
        inner = scalar(type_)
        assert isinstance(inner, SPIRVFloat)
        t = code.llvm(type_)
        size = code.step(code.call(f"llvm.fabs.{suffix(type_)}", t, [code.typed(i.id(0))]))
        infinity = "0xH7C00" if inner.bits == 16 else "0x7FF0000000000000"
        code.define(f"fcmp {words} {t} {size}, {splat(type_, infinity, code.llvm)}")

    return emit


def _is_normal(code: FunctionWriter, i: SPIRVInstruction) -> None:
    type_, normal = code.type(i.id(0)), 0x108  # as llvm.is.fpclass numbers them, of both signs
    result = code.llvm(code.result_type())
    code.define(code.call(f"llvm.is.fpclass.{suffix(type_)}", result, [code.typed(i.id(0)), f"i32 {normal}"]))


def _sign_bit(code: FunctionWriter, i: SPIRVInstruction) -> None:
    type_ = code.type(i.id(0))
    inner = scalar(type_)
    assert isinstance(inner, SPIRVFloat)
    number = SPIRVInt(inner.bits)
    word: Type = Vector(number, type_.count) if isinstance(type_, Vector) else number
    bits = code.step(f"bitcast {code.typed(i.id(0))} to {code.llvm(word)}")
    code.define(f"icmp slt {code.llvm(word)} {bits}, zeroinitializer")


def _select(code: FunctionWriter, i: SPIRVInstruction) -> None:
    code.define("select " + ", ".join(code.typed(i.id(n)) for n in range(3)))


def _any_or_all(word: str) -> Emit:
    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        type_ = code.type(i.id(0))
        if not isinstance(type_, Vector) or not isinstance(type_.element, Bool):
            raise code.refused("an operand that is no vector of bools, which SPIR-V does not allow")
        code.define(code.call(f"llvm.vector.reduce.{word}.{suffix(type_)}", "i1", [code.typed(i.id(0))]))

    return emit


# -- Bits


def _intrinsic(name: str) -> Emit:
    """An LLVM intrinsic, overloaded by the type of its operands."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        type_ = code.type(i.id(0))
        arguments = [code.typed(i.id(n)) for n in range(len(i.operands))]
        code.define(code.call(f"llvm.{name}.{suffix(type_)}", code.llvm(code.result_type()), arguments))

    return emit


def _bit_count(code: FunctionWriter, i: SPIRVInstruction) -> None:
    from_, to = code.type(i.id(0)), code.result_type()
    t = code.llvm(from_)
    call = code.call(f"llvm.ctpop.{suffix(from_)}", t, [code.typed(i.id(0))])
    if code.llvm(to) == t:
        code.define(call)
    else:
        code.alias(resized_text(code, code.step(call), from_, to))


def _spread(code: FunctionWriter, id_: str, type_: Type) -> str:
    """A scalar number in the width of a type's elements, in each of them."""
    inner = scalar(type_)
    text = resized(code, id_, inner)
    if not isinstance(type_, Vector):
        return text
    t = code.llvm(inner)
    vector = "undef"
    for n in range(type_.count):
        vector = code.step(f"insertelement {code.llvm(type_)} {vector}, {t} {text}, i32 {n}")
    return vector


def _field(code: FunctionWriter, i: SPIRVInstruction, at: int) -> tuple[str, str]:
    """Where a field begins, and as many ones as it has bits, from the lowest bit on; the operands at ``at``
    say both. A field may have all bits, or none: nothing can be shifted by the width then, and one of none
    begins at 0."""
    type_ = code.result_type()
    t, bools, inner = code.llvm(type_), truths(type_), scalar(type_)
    assert isinstance(inner, SPIRVInt)
    nothing, ones = (splat(type_, number, code.llvm) for number in ("0", "-1"))
    offset, count = (_spread(code, i.id(n), type_) for n in (at, at + 1))
    none = code.step(f"icmp eq {t} {count}, {nothing}")
    shift = code.step(f"sub {t} {splat(type_, str(inner.bits), code.llvm)}, {count}")
    mask = code.step(f"lshr {t} {ones}, {shift}")
    start, bits = (code.step(f"select {bools} {none}, {t} {nothing}, {t} {text}") for text in (offset, mask))
    return start, bits


def _define_field(code: FunctionWriter, i: SPIRVInstruction, at: int, text: str) -> None:
    """The result: an undefined value, and not poison, of a field that does not lie in the number."""
    inner = scalar(code.result_type())
    assert isinstance(inner, SPIRVInt)
    offset, count = code.number(i.id(at)), code.number(i.id(at + 1))
    if offset is not None and count is not None and offset + count <= inner.bits:
        code.define(text)
    else:
        code.define(f"freeze {code.llvm(code.result_type())} {code.step(text)}")


def _field_insert(code: FunctionWriter, i: SPIRVInstruction) -> None:
    type_ = code.result_type()
    t, base, insert = code.llvm(type_), code.value(i.id(0)), code.value(i.id(1))
    offset, mask = _field(code, i, 2)
    place = code.step(f"shl {t} {mask}, {offset}")
    others = code.step(f"xor {t} {place}, {splat(type_, '-1', code.llvm)}")
    kept = code.step(f"and {t} {base}, {others}")
    moved = code.step(f"shl {t} {insert}, {offset}")
    new = code.step(f"and {t} {moved}, {place}")
    _define_field(code, i, 2, f"or {t} {kept}, {new}")


def _field_extract(signed: bool) -> Emit:
    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        type_ = code.result_type()
        t = code.llvm(type_)
        offset, mask = _field(code, i, 1)
        moved = code.step(f"lshr {t} {code.value(i.id(0))}, {offset}")
        if not signed:
            _define_field(code, i, 1, f"and {t} {moved}, {mask}")
            return
        field = code.step(f"and {t} {moved}, {mask}")
        top = code.step(f"lshr {t} {mask}, {splat(type_, '1', code.llvm)}")
        sign = code.step(f"xor {t} {mask}, {top}")
        flipped = code.step(f"xor {t} {field}, {sign}")
        _define_field(code, i, 1, f"sub {t} {flipped}, {sign}")

    return emit


# -- Composites


def extract(code: FunctionWriter, text: str, type_: Type, at: int) -> tuple[str, Type]:
    """A part of a composite, and its type."""
    part = element(type_, at)
    t = code.llvm(type_)
    if isinstance(type_, Vector):
        return code.step(f"extractelement {t} {text}, i32 {at}"), part
    return code.step(f"extractvalue {t} {text}, {at}"), part


def insert(code: FunctionWriter, text: str, type_: Type, part: str, at: int) -> str:
    """A composite with another part; the part has its type in front."""
    t = code.llvm(type_)
    if isinstance(type_, Vector):
        return code.step(f"insertelement {t} {text}, {part}, i32 {at}")
    return code.step(f"insertvalue {t} {text}, {part}, {at}")


def _extract(code: FunctionWriter, i: SPIRVInstruction) -> None:
    text, type_ = code.value(i.id(0)), code.type(i.id(0))
    for at in i.operands[1:]:
        assert isinstance(at, int)
        text, type_ = extract(code, text, type_, at)
    code.alias(text)


def _insert(code: FunctionWriter, i: SPIRVInstruction) -> None:
    places = [at for at in i.operands[2:] if isinstance(at, int)]
    code.alias(_inserted(code, code.value(i.id(1)), code.type(i.id(1)), code.typed(i.id(0)), places))


def _inserted(code: FunctionWriter, text: str, type_: Type, part: str, places: list[int]) -> str:
    if not places:
        return part[len(code.llvm(type_)) + 1 :]
    first, *rest = places
    if rest:
        inner, inner_type = extract(code, text, type_, first)
        part = f"{code.llvm(inner_type)} {_inserted(code, inner, inner_type, part, rest)}"
    return insert(code, text, type_, part, first)


def _construct(code: FunctionWriter, i: SPIRVInstruction) -> None:
    type_ = code.result_type()
    parts: list[str] = []
    for n in range(len(i.operands)):
        part = code.type(i.id(n))
        if isinstance(type_, Vector) and isinstance(part, Vector):
            for at in range(part.count):
                text, inner = extract(code, code.value(i.id(n)), part, at)
                parts.append(f"{code.llvm(inner)} {text}")
        else:
            parts.append(code.typed(i.id(n)))
    code.alias(assembled(code, type_, parts))


def assembled(code: FunctionWriter, type_: Type, parts: list[str]) -> str:
    """A composite of parts with their types in front."""
    composite = "undef"
    for at, part in enumerate(parts):
        composite = insert(code, composite, type_, part, at)
    return composite


def _shuffle(code: FunctionWriter, i: SPIRVInstruction) -> None:
    a, b = code.type(i.id(0)), code.type(i.id(1))
    assert isinstance(a, Vector) and isinstance(b, Vector)
    picks = [n for n in i.operands[2:] if isinstance(n, int)]
    t = code.llvm(a.element)
    if a.count == b.count:
        mask = ", ".join(f"i32 {'undef' if n == 0xFFFFFFFF else n}" for n in picks)
        code.define(
            f"shufflevector {code.typed(i.id(0))}, {code.typed(i.id(1))}, <{len(picks)} x i32> <{mask}>"
        )
        return
    parts = []
    for n in picks:
        if n == 0xFFFFFFFF:
            parts.append(f"{t} undef")
        elif n < a.count:
            parts.append(f"{t} {extract(code, code.value(i.id(0)), a, n)[0]}")
        else:
            parts.append(f"{t} {extract(code, code.value(i.id(1)), b, n - a.count)[0]}")
    code.alias(assembled(code, code.result_type(), parts))


def _extract_dynamic(code: FunctionWriter, i: SPIRVInstruction) -> None:
    code.define(f"extractelement {code.typed(i.id(0))}, {code.typed(i.id(1))}")


def _insert_dynamic(code: FunctionWriter, i: SPIRVInstruction) -> None:
    code.define(f"insertelement {', '.join(code.typed(i.id(n)) for n in range(3))}")


def _undef(code: FunctionWriter, i: SPIRVInstruction) -> None:
    code.llvm(code.result_type())
    code.alias("undef")


# -- Linear algebra, by the formulas: products summed in the order of the elements


def times(code: FunctionWriter, type_: Type, a: str, b: str) -> str:
    """The product of floats or vectors."""
    return code.step(f"fmul {code.llvm(type_)} {a}, {b}")


def plus(code: FunctionWriter, type_: Type, a: str, b: str) -> str:
    """The sum of floats or vectors."""
    return code.step(f"fadd {code.llvm(type_)} {a}, {b}")


def dotted(code: FunctionWriter, type_: Vector, a: str, b: str) -> str:
    """The dot product of two vectors of floats."""
    product = times(code, type_, a, b)
    total, inner = extract(code, product, type_, 0)
    for n in range(1, type_.count):
        total = plus(code, inner, total, extract(code, product, type_, n)[0])
    return total


def spread(code: FunctionWriter, type_: Vector, text: str) -> str:
    """A scalar in each element."""
    part = f"{code.llvm(type_.element)} {text}"
    return assembled(code, type_, [part] * type_.count)


def _dot(code: FunctionWriter, i: SPIRVInstruction) -> None:
    type_ = code.type(i.id(0))
    assert isinstance(type_, Vector)
    code.alias(dotted(code, type_, code.value(i.id(0)), code.value(i.id(1))))


_PACKED = Vector(SPIRVInt(8), 4)
"""What a number of 32 bits is in the format PackedVectorFormat4x8Bit, the only one."""


def _integer_dot(signs: tuple[bool, bool], saturating: str = "") -> Emit:
    """OpSDot and its kin (SPV_KHR_integer_dot_product): components are made as wide as the result by their
    signs; ``saturating`` adds a number to the sum by LLVM's intrinsic."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        result, type_ = code.result_type(), code.type(i.id(0))
        packed = not isinstance(type_, Vector)
        row = type_ if isinstance(type_, Vector) else _PACKED
        assert isinstance(result, SPIRVInt) and isinstance(row.element, SPIRVInt)
        wide = Vector(result, row.count)
        from_, t = code.llvm(row), code.llvm(wide)
        factors = []
        for n, is_signed in enumerate(signs):
            text = code.value(i.id(n))
            if packed:
                text = code.step(f"bitcast {code.typed(i.id(n))} to {from_}")
            if row.element.bits < result.bits:
                text = code.step(f"{'sext' if is_signed else 'zext'} {from_} {text} to {t}")
            factors.append(text)
        products = code.step(f"mul {t} {', '.join(factors)}")
        word = code.llvm(result)
        call = code.call(f"llvm.vector.reduce.add.{suffix(wide)}", word, [f"{t} {products}"])
        if saturating:
            arguments = [f"{word} {code.step(call)}", code.typed(i.id(2))]
            call = code.call(f"llvm.{saturating}.sat.{suffix(result)}", word, arguments)
        code.define(call)

    return emit


def _integer_dots() -> dict[str, Emit]:
    """By opcode, with and without the name that they had as an extension."""
    signs = {"S": (True, True), "U": (False, False), "SU": (True, False)}
    return {
        f"Op{letter}Dot{form}{author}": _integer_dot(
            pair, ("uadd" if letter == "U" else "sadd") if form else ""
        )
        for letter, pair in signs.items()
        for form in ("", "AccSat")
        for author in ("", "KHR")
    }


def _vector_times_scalar(code: FunctionWriter, i: SPIRVInstruction) -> None:
    type_ = code.result_type()
    assert isinstance(type_, Vector)
    factor = spread(code, type_, code.value(i.id(1)))
    code.define(f"fmul {code.typed(i.id(0))}, {factor}")


def _columns(code: FunctionWriter, text: str, type_: Matrix) -> list[str]:
    return [extract(code, text, type_, n)[0] for n in range(type_.count)]


def _matrix_times_scalar(code: FunctionWriter, i: SPIRVInstruction) -> None:
    type_ = code.result_type()
    assert isinstance(type_, Matrix)
    factor = spread(code, type_.column, code.value(i.id(1)))
    t = code.llvm(type_.column)
    columns = _columns(code, code.value(i.id(0)), type_)
    code.alias(assembled(code, type_, [f"{t} {times(code, type_.column, c, factor)}" for c in columns]))


def _combined(code: FunctionWriter, matrix: Matrix, columns: list[str], vector: str, of: Vector) -> str:
    """The columns, each times an element of the vector, summed."""
    total = ""
    for n, column in enumerate(columns):
        factor = spread(code, matrix.column, extract(code, vector, of, n)[0])
        term = times(code, matrix.column, column, factor)
        total = term if not total else plus(code, matrix.column, total, term)
    return total


def _matrix_times_vector(code: FunctionWriter, i: SPIRVInstruction) -> None:
    matrix, vector = code.type(i.id(0)), code.type(i.id(1))
    assert isinstance(matrix, Matrix) and isinstance(vector, Vector)
    columns = _columns(code, code.value(i.id(0)), matrix)
    code.alias(_combined(code, matrix, columns, code.value(i.id(1)), vector))


def _vector_times_matrix(code: FunctionWriter, i: SPIRVInstruction) -> None:
    vector, matrix = code.type(i.id(0)), code.type(i.id(1))
    assert isinstance(matrix, Matrix) and isinstance(vector, Vector)
    t = code.llvm(vector.element)
    columns = _columns(code, code.value(i.id(1)), matrix)
    parts = [f"{t} {dotted(code, vector, code.value(i.id(0)), c)}" for c in columns]
    code.alias(assembled(code, code.result_type(), parts))


def _matrix_times_matrix(code: FunctionWriter, i: SPIRVInstruction) -> None:
    a, b = code.type(i.id(0)), code.type(i.id(1))
    assert isinstance(a, Matrix) and isinstance(b, Matrix)
    columns = _columns(code, code.value(i.id(0)), a)
    t = code.llvm(a.column)
    parts = [
        f"{t} {_combined(code, a, columns, column, b.column)}"
        for column in _columns(code, code.value(i.id(1)), b)
    ]
    code.alias(assembled(code, code.result_type(), parts))


def _outer_product(code: FunctionWriter, i: SPIRVInstruction) -> None:
    type_, right = code.result_type(), code.type(i.id(1))
    assert isinstance(type_, Matrix) and isinstance(right, Vector)
    t = code.llvm(type_.column)
    parts = []
    for n in range(right.count):
        factor = spread(code, type_.column, extract(code, code.value(i.id(1)), right, n)[0])
        parts.append(f"{t} {times(code, type_.column, code.value(i.id(0)), factor)}")
    code.alias(assembled(code, type_, parts))


def _transposed(code: FunctionWriter, i: SPIRVInstruction) -> None:
    from_, to = code.type(i.id(0)), code.result_type()
    assert isinstance(from_, Matrix) and isinstance(to, Matrix)
    columns = _columns(code, code.value(i.id(0)), from_)
    t, inner = code.llvm(to.column), code.llvm(to.column.element)
    parts = []
    for row in range(to.count):
        elements = [f"{inner} {extract(code, c, from_.column, row)[0]}" for c in columns]
        parts.append(f"{t} {assembled(code, to.column, elements)}")
    code.alias(assembled(code, to, parts))


def _elements(code: FunctionWriter, text: str, type_: Matrix) -> list[list[str]]:
    """The scalars of a matrix, by column and row."""
    return [
        [extract(code, column, type_.column, row)[0] for row in range(type_.column.count)]
        for column in _columns(code, text, type_)
    ]


def _minor(elements: list[list[str]], column: int, row: int) -> list[list[str]]:
    """What is left without a column and a row."""
    return [[e for r, e in enumerate(inner) if r != row] for c, inner in enumerate(elements) if c != column]


def _expanded(code: FunctionWriter, type_: Type, elements: list[list[str]]) -> str:
    """A determinant, expanded along the first column."""
    if len(elements) == 1:
        return elements[0][0]
    total = ""
    for row, factor in enumerate(elements[0]):
        term = times(code, type_, factor, _expanded(code, type_, _minor(elements, 0, row)))
        word = "fsub" if row % 2 else "fadd"
        total = code.step(f"{word} {code.llvm(type_)} {total}, {term}") if total else term
    return total


def determinant(code: FunctionWriter, text: str, type_: Matrix) -> str:
    """The determinant of a square matrix."""
    return _expanded(code, type_.column.element, _elements(code, text, type_))


def inverted(code: FunctionWriter, text: str, type_: Matrix) -> str:
    """The inverse of a square matrix: its adjugate, over the determinant."""
    elements, inner = _elements(code, text, type_), type_.column.element
    t, count = code.llvm(inner), type_.count
    whole = _expanded(code, inner, elements)
    columns = []
    for column in range(count):
        parts = []
        for row in range(count):
            rest = _minor(elements, row, column)
            cofactor = _expanded(code, inner, rest) if rest else "1.000000e+00"
            if (row + column) % 2:
                cofactor = code.step(f"fneg {t} {cofactor}")
            parts.append(f"{t} {code.step(f'fdiv {t} {cofactor}, {whole}')}")
        columns.append(f"{code.llvm(type_.column)} {assembled(code, type_.column, parts)}")
    return assembled(code, type_, columns)


def _pointer_difference(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpPtrDiff: in elements."""
    a, b = (code.step(f"ptrtoint {code.typed(i.id(n))} to i64") for n in (0, 1))
    bytes_ = code.step(f"sub i64 {a}, {b}")
    number = code.step(f"sdiv i64 {bytes_}, {size(code.pointee(i.id(0)))}")
    code.alias(resized_text(code, number, SPIRVInt(64), code.result_type(), True))


def _assumed(code: FunctionWriter, i: SPIRVInstruction) -> None:
    code.emit(code.call("llvm.assume", "void", [code.typed(i.id(0))], "nounwind willreturn"))


ARITHMETIC: Mapping[str, Emit] = {
    **_integer_dots(),
    "OpUndef": _undef,
    "OpSNegate": _negated, "OpFNegate": _same("fneg"), "OpNot": _inverted, "OpLogicalNot": _inverted,
    "OpIAdd": _same("add"), "OpFAdd": _same("fadd"), "OpISub": _same("sub"), "OpFSub": _same("fsub"),
    "OpIMul": _same("mul"), "OpFMul": _same("fmul"), "OpUDiv": _same("udiv"), "OpSDiv": _same("sdiv"),
    "OpFDiv": _same("fdiv"), "OpUMod": _same("urem"), "OpSRem": _same("srem"), "OpSMod": _modulo,
    "OpFRem": _same("frem"), "OpFMod": _float_modulo,
    "OpIAddCarry": _carried("uadd"), "OpISubBorrow": _carried("usub"),
    "OpUMulExtended": _extended(False), "OpSMulExtended": _extended(True),
    "OpShiftLeftLogical": _shift("shl"), "OpShiftRightLogical": _shift("lshr"),
    "OpShiftRightArithmetic": _shift("ashr"),
    "OpBitwiseOr": _same("or"), "OpBitwiseXor": _same("xor"), "OpBitwiseAnd": _same("and"),
    "OpLogicalOr": _same("or"), "OpLogicalAnd": _same("and"), "OpLogicalEqual": _comparison("icmp eq"),
    "OpLogicalNotEqual": _same("xor"),
    "OpBitReverse": _intrinsic("bitreverse"), "OpBitCount": _bit_count,
    "OpBitFieldInsert": _field_insert, "OpBitFieldSExtract": _field_extract(True),
    "OpBitFieldUExtract": _field_extract(False),
    "OpConvertFToU": _conversion("fptoui"), "OpConvertFToS": _conversion("fptosi"),
    "OpConvertSToF": _conversion("sitofp"), "OpConvertUToF": _conversion("uitofp"),
    "OpUConvert": _integer_conversion(False), "OpSConvert": _integer_conversion(True),
    "OpFConvert": _float_conversion, "OpQuantizeToF16": _quantized,
    "OpConvertPtrToU": _conversion("ptrtoint"), "OpConvertUToPtr": _conversion("inttoptr"),
    "OpBitcast": _bitcast, "OpCopyObject": _copied, "OpCopyLogical": _copied, "OpExpectKHR": _copied,
    "OpPtrCastToGeneric": _conversion("addrspacecast"), "OpGenericCastToPtr": _conversion("addrspacecast"),
    "OpIEqual": _comparison("icmp eq"), "OpINotEqual": _comparison("icmp ne"),
    "OpUGreaterThan": _comparison("icmp ugt"), "OpSGreaterThan": _comparison("icmp sgt"),
    "OpUGreaterThanEqual": _comparison("icmp uge"), "OpSGreaterThanEqual": _comparison("icmp sge"),
    "OpULessThan": _comparison("icmp ult"), "OpSLessThan": _comparison("icmp slt"),
    "OpULessThanEqual": _comparison("icmp ule"), "OpSLessThanEqual": _comparison("icmp sle"),
    "OpPtrEqual": _comparison("icmp eq"), "OpPtrNotEqual": _comparison("icmp ne"),
    "OpPtrDiff": _pointer_difference,
    "OpFOrdEqual": _comparison("fcmp oeq"), "OpFUnordEqual": _comparison("fcmp ueq"),
    "OpFOrdNotEqual": _comparison("fcmp one"), "OpFUnordNotEqual": _comparison("fcmp une"),
    "OpFOrdLessThan": _comparison("fcmp olt"), "OpFUnordLessThan": _comparison("fcmp ult"),
    "OpFOrdGreaterThan": _comparison("fcmp ogt"), "OpFUnordGreaterThan": _comparison("fcmp ugt"),
    "OpFOrdLessThanEqual": _comparison("fcmp ole"), "OpFUnordLessThanEqual": _comparison("fcmp ule"),
    "OpFOrdGreaterThanEqual": _comparison("fcmp oge"), "OpFUnordGreaterThanEqual": _comparison("fcmp uge"),
    "OpOrdered": _comparison("fcmp ord"), "OpUnordered": _comparison("fcmp uno"),
    "OpLessOrGreater": _comparison("fcmp one"),
    "OpIsNan": _test("uno"), "OpIsInf": _test("oeq"), "OpIsFinite": _test("olt"),
    "OpIsNormal": _is_normal, "OpSignBitSet": _sign_bit,
    "OpSelect": _select, "OpAny": _any_or_all("or"), "OpAll": _any_or_all("and"),
    "OpCompositeExtract": _extract, "OpCompositeInsert": _insert, "OpCompositeConstruct": _construct,
    "OpVectorShuffle": _shuffle, "OpVectorExtractDynamic": _extract_dynamic,
    "OpVectorInsertDynamic": _insert_dynamic,
    "OpDot": _dot, "OpVectorTimesScalar": _vector_times_scalar, "OpMatrixTimesScalar": _matrix_times_scalar,
    "OpVectorTimesMatrix": _vector_times_matrix, "OpMatrixTimesVector": _matrix_times_vector,
    "OpMatrixTimesMatrix": _matrix_times_matrix, "OpOuterProduct": _outer_product,
    "OpTranspose": _transposed, "OpAssumeTrueKHR": _assumed,
}  # fmt: skip
"""By opcode."""


# ----------------------------------------------------------------------------------------------------------
# Operations among threads and of scopes: groups, subgroups, barriers, clocks, as the functions that
# :doc:`operations` has models for.
#
# SPIR-V, *Group and Subgroup Instructions*, *Non-Uniform Instructions*, *Barrier Instructions*.
# ----------------------------------------------------------------------------------------------------------


_UNSCOPED = frozenset(
    (
        "OpSubgroupBallotKHR", "OpSubgroupFirstInvocationKHR", "OpSubgroupAllKHR", "OpSubgroupAnyKHR",
        "OpSubgroupAllEqualKHR", "OpSubgroupReadInvocationKHR", "OpSubgroupShuffleINTEL",
        "OpSubgroupShuffleDownINTEL", "OpSubgroupShuffleUpINTEL", "OpSubgroupShuffleXorINTEL",
        "OpGroupNonUniformPartitionNV", "OpGroupNonUniformQuadAllKHR", "OpGroupNonUniformQuadAnyKHR",
    )
)  # fmt: skip
"""Without a scope before the value."""
_REDUCTIONS = (
    "IAdd", "FAdd", "IMul", "FMul", "SMin", "UMin", "FMin", "SMax", "UMax", "FMax", "BitwiseAnd",
    "BitwiseOr", "BitwiseXor", "LogicalAnd", "LogicalOr", "LogicalXor",
)  # fmt: skip
_NON_UNIFORM = (
    "Elect", "All", "Any", "AllEqual", "Broadcast", "BroadcastFirst", "Ballot", "InverseBallot",
    "BallotBitExtract", "BallotBitCount", "BallotFindLSB", "BallotFindMSB", "Shuffle", "ShuffleXor",
    "ShuffleUp", "ShuffleDown", "QuadBroadcast", "QuadSwap", "RotateKHR", "PartitionNV", "QuadAllKHR",
    "QuadAnyKHR",
)  # fmt: skip
_BARRIERS = {
    "OpControlBarrier": BARRIER,
    "OpMemoryBarrier": "nounwind",
    "OpControlBarrierArriveINTEL": BARRIER,
    "OpControlBarrierWaitINTEL": BARRIER,
}


def _ending(type_: Type) -> str:
    """What tells functions of one name apart."""
    return suffix(type_) if isinstance(type_, Bool | SPIRVInt | SPIRVFloat | Vector) else "x"


def _arguments(code: FunctionWriter, i: SPIRVInstruction) -> list[str]:
    """The operands: scopes and group operations as numbers."""
    arguments = []
    for operand in i.operands:
        if isinstance(operand, int):
            arguments.append(f"i32 {operand}")
        elif operand[0] == "%":
            arguments.append(code.typed(operand))
        else:
            number = grammar().kinds["GroupOperation"].numbers.get(operand)
            if number is None:
                raise code.refused(f"the group operation {operand}")
            arguments.append(f"i32 {number}")
    return arguments


def _exchange(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """A call of ``__spirv_`` and the opcode's name, with the types of the result and the operands behind.
    What an operation can have or not, a cluster's size or a partition, is in the name, too: with it the
    function has another type."""
    result = code.result_type()
    types = [code.type(o) for o in i.operands if isinstance(o, str) and o[0] == "%"]
    endings = dict.fromkeys(map(_ending, (result, *(types if i.op in _UNSCOPED else types[1:]))))
    among = [f"in_{_ending(types[-1])}"] if len(i.operands) > 3 else []
    name = f"__spirv_{i.op.removeprefix('Op')}_R{'_'.join((*endings, *among))}"
    code.define(code.call(name, code.llvm(result), _arguments(code, i), EXCHANGE))


_QUADS = {
    "": ("DerivativeGroupLinearKHR", "DerivativeGroupLinearNV"),
    "_Quads": ("DerivativeGroupQuadsKHR", "DerivativeGroupQuadsNV"),
}
"""By what is behind a derivative's name: the execution modes in which a quad is four threads in a row, or two
by two along x and y."""


def _derivative(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """A derivative (SPV_KHR_compute_shader_derivatives)."""
    for form, modes in _QUADS.items():
        if all(any(e.mode(mode) is not None for mode in modes) for e in code.module.entry_points):
            type_ = code.result_type()
            name = f"__spirv_{i.op.removeprefix('Op')}{form}_R{_ending(type_)}"
            code.define(code.call(name, code.llvm(type_), [code.typed(i.id(0))], EXCHANGE))
            return
    raise code.refused("a derivative without DerivativeGroupLinearKHR or DerivativeGroupQuadsKHR")


def _clock(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """SPV_KHR_shader_clock: a function without a model, so that a number is chosen."""
    result = code.result_type()
    name = f"__spirv_{i.op.removeprefix('Op')}_R{_ending(result)}"
    code.define(code.call(name, code.llvm(result), _arguments(code, i)))


def _barrier(code: FunctionWriter, i: SPIRVInstruction) -> None:
    for operand in i.operands:
        code.constant(str(operand), "a scope or semantics")
    name = f"__spirv_{i.op.removeprefix('Op')}"
    code.emit(code.call(name, "void", _arguments(code, i), _BARRIERS[i.op]))


_GROUPS = (
    *(f"OpGroupNonUniform{name}" for name in (*_REDUCTIONS, *_NON_UNIFORM)),
    *(f"OpGroup{name}" for name in ("All", "Any", "Broadcast", *_REDUCTIONS[:2], *_REDUCTIONS[4:10])),
    *(f"OpGroup{name}KHR" for name in ("IMul", "FMul", *_REDUCTIONS[10:])),
    *_UNSCOPED,
)
_DERIVATIVES = tuple(
    f"Op{name}{form}" for name in ("DPdx", "DPdy", "Fwidth") for form in ("", "Fine", "Coarse")
)
GROUPS: Mapping[str, Emit] = {
    **dict.fromkeys(_DERIVATIVES, _derivative),
    **{name: _exchange for name in _GROUPS if name in grammar().opcodes},
    **dict.fromkeys(_BARRIERS, _barrier),
    "OpReadClockKHR": _clock,
}
"""By opcode."""
CONVERGENT = frozenset(GROUPS) - {"OpMemoryBarrier", "OpReadClockKHR"}
"""Those whose result or effect depends on who takes part."""
