"""Extended instructions: GLSL.std.450 and OpenCL.std, by LLVM's intrinsics and OpenCL C's functions, which
have one definition here ([library functions](library.md)).

*SPIR-V Extended Instructions for GLSL*; *OpenCL Extended Instruction Set Specification*.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from .arithmetic import (
    assembled,
    determinant,
    dotted,
    inverted,
    resized_text,
    scalar,
    splat,
    suffix,
    truths,
)
from .constants import SPACES, Matrix, SPIRVFloat, SPIRVInt, SPIRVPointer, Struct, Type, Vector
from .instruction import SPIRVInstruction
from .memory import natural
from .module import is_non_semantic
from .writing import Emit, FunctionWriter

_FIRST = 2
"""Where the operands begin, behind the set and the instruction's name."""


def _operands(code: FunctionWriter, i: SPIRVInstruction) -> list[str]:
    return [i.id(n) for n in range(_FIRST, len(i.operands))]


# -- By LLVM's intrinsics


def _intrinsic(name: str) -> Emit:
    """An intrinsic, overloaded by its result's type, and by an integer operand's where it has another one."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        ids, type_ = _operands(code, i), code.result_type()
        code.define(code.call(f"llvm.{name}.{suffix(type_)}", code.llvm(type_), [code.typed(o) for o in ids]))

    return emit


def _ldexp(code: FunctionWriter, i: SPIRVInstruction) -> None:
    value, exponent = _operands(code, i)
    type_ = code.result_type()
    name = f"llvm.ldexp.{suffix(type_)}.{suffix(code.type(exponent))}"
    code.define(code.call(name, code.llvm(type_), [code.typed(value), code.typed(exponent)]))


def _absolute(code: FunctionWriter, i: SPIRVInstruction) -> None:
    (value,) = _operands(code, i)
    type_ = code.result_type()
    code.define(code.call(f"llvm.abs.{suffix(type_)}", code.llvm(type_), [code.typed(value), "i1 false"]))


def _clamp(low: str, high: str) -> Emit:
    """``min(max(x, low), high)``."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        x, least, most = _operands(code, i)
        type_ = code.result_type()
        t, s = code.llvm(type_), suffix(type_)
        raised = code.step(code.call(f"llvm.{low}.{s}", t, [code.typed(x), code.typed(least)]))
        code.define(code.call(f"llvm.{high}.{s}", t, [f"{t} {raised}", code.typed(most)]))

    return emit


# -- By OpenCL C's functions


def _mangled(name: str, types: list[Type], signed: bool | None) -> str:
    """The name that clang gives to OpenCL C's function."""
    return f"_Z{len(name)}{name}{''.join(_encoded(types, signed))}"


_LETTERS = {
    ("i", 8): "ch", ("i", 16): "st", ("i", 32): "ij", ("i", 64): "lm", ("f", 16): "Dh", ("f", 32): "f",
    ("f", 64): "d",
}  # fmt: skip


def _letter(type_: Type, signed: bool) -> str:
    match type_:
        case SPIRVInt(bits):
            return _LETTERS["i", bits][0 if signed else 1]
        case SPIRVFloat(bits):
            return _LETTERS["f", bits]
        case _:
            raise AssertionError(type_)


def _encoded(types: list[Type], signed: bool | None) -> list[str]:
    """Parameters, a vector that came before by its substitution."""
    known: list[str] = []
    parts = []
    for type_ in types:
        letter = _letter(scalar(type_), bool(signed))
        if isinstance(type_, Vector):
            vector = f"Dv{type_.count}_{letter}"
            if vector in known:
                at = known.index(vector)
                parts.append("S_" if at == 0 else f"S{at - 1}_")
                continue
            known.append(vector)
            parts.append(vector)
        else:
            parts.append(letter)
    return parts


def _function(name: str, signed: bool | None = None) -> Emit:
    """OpenCL C's function of that name; ``signed`` says what its integers are."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        ids = _operands(code, i)
        types = [code.type(o) for o in ids]
        if any(
            not isinstance(scalar(t), SPIRVInt | SPIRVFloat) or suffix(scalar(t)) == "bf16" for t in types
        ):
            raise code.refused(f"{i.operands[1]} of these types")
        code.define(
            code.call(
                _mangled(name, types, signed), code.llvm(code.result_type()), [code.typed(o) for o in ids]
            )
        )

    return emit


_NAMES = {8: "char", 16: "short", 32: "int", 64: "long"}
_FLOAT_NAMES = {16: "half", 32: "float", 64: "double"}


def converted(
    code: FunctionWriter, i: SPIRVInstruction, from_signed: bool, to_signed: bool, saturated: bool
) -> None:
    """OpenCL C's ``convert_T``, ``_sat`` and with the direction that the result's decoration says."""
    assert i.result is not None
    from_, to = code.type(i.id(0)), code.result_type()
    part = scalar(to)
    assert isinstance(part, SPIRVInt | SPIRVFloat)
    if isinstance(part, SPIRVInt):
        name = ("" if to_signed else "u") + _NAMES[part.bits]
    else:
        name = _FLOAT_NAMES[part.bits]
    count = str(to.count) if isinstance(to, Vector) else ""
    mode = code.module.decoration(i.result, "FPRoundingMode")
    direction = f"_{str(mode[0]).lower()}" if mode else ""
    full = f"convert_{name}{count}{'_sat' if saturated else ''}{direction}"
    code.define(code.call(_mangled(full, [from_], from_signed), code.llvm(to), [code.typed(i.id(0))]))


_CONVERSIONS = {
    "OpConvertFToU": (True, False), "OpConvertFToS": (True, True), "OpConvertSToF": (True, True),
    "OpConvertUToF": (False, True), "OpFConvert": (True, True), "OpUConvert": (False, False),
    "OpSConvert": (True, True), "OpSatConvertUToS": (False, True), "OpSatConvertSToU": (True, False),
}  # fmt: skip
"""Whether the operand and the result have a sign, of integers."""


def is_decorated_conversion(code: FunctionWriter, i: SPIRVInstruction) -> bool:
    """Whether a conversion saturates, or rounds in a direction of its own."""
    if i.op not in _CONVERSIONS or i.result is None:
        return False
    known = code.module.decorations.get(i.result, {})
    return i.op.startswith("OpSat") or "SaturatedConversion" in known or "FPRoundingMode" in known


def decorated_conversion(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """Such a conversion."""
    from_signed, to_signed = _CONVERSIONS[i.op]
    known = code.module.decorations.get(i.result or "", {})
    saturated = i.op.startswith("OpSat") or "SaturatedConversion" in known
    converted(code, i, from_signed, to_signed, saturated)


# -- By formulas


def _fraction(code: FunctionWriter, i: SPIRVInstruction) -> None:
    (x,) = _operands(code, i)
    type_ = code.result_type()
    whole = code.step(code.call(f"llvm.floor.{suffix(type_)}", code.llvm(type_), [code.typed(x)]))
    code.define(f"fsub {code.typed(x)}, {whole}")


def _integer_sign(code: FunctionWriter, i: SPIRVInstruction) -> None:
    (x,) = _operands(code, i)
    type_ = code.result_type()
    t, inner = code.llvm(type_), scalar(type_)
    assert isinstance(inner, SPIRVInt)
    zero = splat(type_, "0", code.llvm)
    negative = code.step(f"ashr {code.typed(x)}, {splat(type_, str(inner.bits - 1), code.llvm)}")
    bools = truths(type_)
    positive = code.step(f"icmp sgt {code.typed(x)}, {zero}")
    bit = code.step(f"zext {bools} {positive} to {t}")
    code.define(f"or {t} {negative}, {bit}")


def _parts_of_float(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """ModfStruct: the fraction and the whole number, both with the operand's sign."""
    (x,) = _operands(code, i)
    type_, both = code.type(x), code.result_type()
    t = code.llvm(type_)
    whole, rest = _modf(code, type_, code.value(x))
    code.alias(assembled(code, both, [f"{t} {rest}", f"{t} {whole}"]))


def _modf(code: FunctionWriter, type_: Type, x: str) -> tuple[str, str]:
    t = code.llvm(type_)
    whole = code.step(code.call(f"llvm.trunc.{suffix(type_)}", t, [f"{t} {x}"]))
    rest = code.step(f"fsub {t} {x}, {whole}")
    signed = code.step(code.call(f"llvm.copysign.{suffix(type_)}", t, [f"{t} {rest}", f"{t} {x}"]))
    return whole, signed


def _modf_out(code: FunctionWriter, i: SPIRVInstruction) -> None:
    x, out = _operands(code, i)
    type_ = code.type(x)
    whole, rest = _modf(code, type_, code.value(x))
    code.emit(f"store {code.llvm(type_)} {whole}, {code.typed(out)}, align {natural(code, type_)}")
    code.alias(rest)


def _frexp(code: FunctionWriter, x: str, exponent: Type) -> tuple[str, str]:
    type_ = code.type(x)
    t, n = code.llvm(type_), code.llvm(exponent)
    both = f"{{ {t}, {n} }}"
    pair = code.step(code.call(f"llvm.frexp.{suffix(type_)}.{suffix(exponent)}", both, [code.typed(x)]))
    return code.step(f"extractvalue {both} {pair}, 0"), code.step(f"extractvalue {both} {pair}, 1")


def _frexp_struct(code: FunctionWriter, i: SPIRVInstruction) -> None:
    (x,) = _operands(code, i)
    both = code.result_type()
    assert isinstance(both, Struct)
    first, second = _frexp(code, x, both.members[1])
    parts = [f"{code.llvm(both.members[0])} {first}", f"{code.llvm(both.members[1])} {second}"]
    code.alias(assembled(code, both, parts))


def _frexp_out(code: FunctionWriter, i: SPIRVInstruction) -> None:
    x, out = _operands(code, i)
    to = code.pointee(out)
    first, second = _frexp(code, x, to)
    code.emit(f"store {code.llvm(to)} {second}, {code.typed(out)}, align {natural(code, to)}")
    code.alias(first)


def _first_bit(intrinsic: str, highest: bool, signed: bool = False) -> Emit:
    """The place of a bit, from the lowest; all ones where there is none."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        (x,) = _operands(code, i)
        type_ = code.type(x)
        t, inner = code.llvm(type_), scalar(type_)
        assert isinstance(inner, SPIRVInt)
        bools = truths(type_)
        value = code.value(x)
        if signed:
            sign = code.step(f"ashr {t} {value}, {splat(type_, str(inner.bits - 1), code.llvm)}")
            value = code.step(f"xor {t} {value}, {sign}")
        place = code.step(code.call(f"llvm.{intrinsic}.{suffix(type_)}", t, [f"{t} {value}", "i1 false"]))
        if highest:
            place = code.step(f"sub {t} {splat(type_, str(inner.bits - 1), code.llvm)}, {place}")
        none = code.step(f"icmp eq {t} {value}, {splat(type_, '0', code.llvm)}")
        ones = splat(type_, "-1", code.llvm)
        result = code.step(f"select {bools} {none}, {t} {ones}, {t} {place}")
        code.alias(resized_text(code, result, type_, code.result_type(), True))

    return emit


def _pack_half(code: FunctionWriter, i: SPIRVInstruction) -> None:
    (x,) = _operands(code, i)
    short = code.step(f"fptrunc {code.typed(x)} to <2 x half>")
    code.define(f"bitcast <2 x half> {short} to i32")


def _unpack_half(code: FunctionWriter, i: SPIRVInstruction) -> None:
    (x,) = _operands(code, i)
    short = code.step(f"bitcast {code.typed(x)} to <2 x half>")
    code.define(f"fpext <2 x half> {short} to {code.llvm(code.result_type())}")


def _pack_norm(count: int, signed: bool) -> Emit:
    """PackUnorm4x8 and its kin: clamped, scaled, rounded to the nearest."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        (x,) = _operands(code, i)
        type_ = code.type(x)
        t, bits = code.llvm(type_), 32 // count
        low = splat(type_, "-1.000000e+00" if signed else "0.000000e+00", code.llvm)
        most = (1 << (bits - signed)) - 1
        raised = code.step(code.call(f"llvm.maxnum.{suffix(type_)}", t, [code.typed(x), f"{t} {low}"]))
        one = splat(type_, "1.000000e+00", code.llvm)
        cut = code.step(code.call(f"llvm.minnum.{suffix(type_)}", t, [f"{t} {raised}", f"{t} {one}"]))
        scaled = code.step(f"fmul {t} {cut}, {splat(type_, f'{float(most):e}', code.llvm)}")
        near = code.step(code.call(f"llvm.roundeven.{suffix(type_)}", t, [f"{t} {scaled}"]))
        word = "fptosi" if signed else "fptoui"
        whole = code.step(f"{word} {t} {near} to <{count} x i{bits}>")
        code.define(f"bitcast <{count} x i{bits}> {whole} to i32")

    return emit


def _unpack_norm(count: int, signed: bool) -> Emit:
    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        (x,) = _operands(code, i)
        type_ = code.result_type()
        t, bits = code.llvm(type_), 32 // count
        parts = code.step(f"bitcast {code.typed(x)} to <{count} x i{bits}>")
        word = "sitofp" if signed else "uitofp"
        floats = code.step(f"{word} <{count} x i{bits}> {parts} to {t}")
        most = splat(type_, f"{float((1 << (bits - signed)) - 1):e}", code.llvm)
        if not signed:
            code.define(f"fdiv {t} {floats}, {most}")
            return
        ratio = code.step(f"fdiv {t} {floats}, {most}")
        low = splat(type_, "-1.000000e+00", code.llvm)
        code.define(code.call(f"llvm.maxnum.{suffix(type_)}", t, [f"{t} {ratio}", f"{t} {low}"]))

    return emit


def _shader(name: str) -> Emit:
    """``llvm.spv``'s function of vectors of floats; scalars are vectors of one."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        ids, type_ = _operands(code, i), code.result_type()
        first = code.type(ids[0])
        if isinstance(first, Vector):
            arguments = [code.typed(o) for o in ids]
            code.define(code.call(f"llvm.spv.{name}.{suffix(first)}", code.llvm(type_), arguments))
            return
        assert isinstance(first, SPIRVFloat)
        row = Vector(first, 1)
        t, eta = code.llvm(row), 2 if name == "refract" else len(ids)
        rows = [code.step(f"insertelement {t} poison, {code.typed(o)}, i32 0") for o in ids[:eta]]
        arguments = [*(f"{t} {r}" for r in rows), *(code.typed(o) for o in ids[eta:])]
        result = code.step(code.call(f"llvm.spv.{name}.{suffix(row)}", t, arguments))
        code.define(f"extractelement {t} {result}, i32 0")

    return emit


def _length(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """Length and Distance, by the formula; of a scalar the magnitude."""
    ids = _operands(code, i)
    type_ = code.type(ids[0])
    t, value = code.llvm(type_), code.value(ids[0])
    if len(ids) > 1:
        value = code.step(f"fsub {t} {value}, {code.value(ids[1])}")
    if not isinstance(type_, Vector):
        code.define(code.call(f"llvm.fabs.{suffix(type_)}", t, [f"{t} {value}"]))
        return
    square = dotted(code, type_, value, value)
    inner = type_.element
    code.define(code.call(f"llvm.sqrt.{suffix(inner)}", code.llvm(inner), [f"{code.llvm(inner)} {square}"]))


def _normalized(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """Normalize; of a scalar its sign, as its length is the magnitude."""
    (x,) = _operands(code, i)
    type_ = code.result_type()
    if isinstance(type_, Vector):
        _shader("normalize")(code, i)
        return
    t = code.llvm(type_)
    length = code.step(code.call(f"llvm.fabs.{suffix(type_)}", t, [code.typed(x)]))
    code.define(f"fdiv {t} {code.value(x)}, {length}")


def _determinant(code: FunctionWriter, i: SPIRVInstruction) -> None:
    (x,) = _operands(code, i)
    matrix = code.type(x)
    assert isinstance(matrix, Matrix)
    code.alias(determinant(code, code.value(x), matrix))


def _inverse(code: FunctionWriter, i: SPIRVInstruction) -> None:
    (x,) = _operands(code, i)
    matrix = code.type(x)
    assert isinstance(matrix, Matrix)
    code.alias(inverted(code, code.value(x), matrix))


def _rebits(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """PackDouble2x32 and UnpackDouble2x32: the first word is the lower one."""
    (x,) = _operands(code, i)
    code.define(f"bitcast {code.typed(x)} to {code.llvm(code.result_type())}")


_GLSL: Mapping[str, Emit] = {
    "Round": _intrinsic("roundeven"), "RoundEven": _intrinsic("roundeven"), "Trunc": _intrinsic("trunc"),
    "FAbs": _intrinsic("fabs"), "SAbs": _absolute, "FSign": _function("sign"), "SSign": _integer_sign,
    "Floor": _intrinsic("floor"), "Ceil": _intrinsic("ceil"), "Fract": _fraction,
    "Radians": _function("radians"), "Degrees": _function("degrees"), "Sin": _intrinsic("sin"),
    "Cos": _intrinsic("cos"), "Tan": _intrinsic("tan"), "Asin": _intrinsic("asin"),
    "Acos": _intrinsic("acos"), "Atan": _intrinsic("atan"), "Sinh": _intrinsic("sinh"),
    "Cosh": _intrinsic("cosh"), "Tanh": _intrinsic("tanh"), "Asinh": _function("asinh"),
    "Acosh": _function("acosh"), "Atanh": _function("atanh"), "Atan2": _intrinsic("atan2"),
    "Pow": _intrinsic("pow"), "Exp": _intrinsic("exp"), "Log": _intrinsic("log"),
    "Exp2": _intrinsic("exp2"), "Log2": _intrinsic("log2"), "Sqrt": _intrinsic("sqrt"),
    "InverseSqrt": _function("rsqrt"), "Modf": _modf_out, "ModfStruct": _parts_of_float,
    "FMin": _intrinsic("minnum"), "UMin": _intrinsic("umin"), "SMin": _intrinsic("smin"),
    "FMax": _intrinsic("maxnum"), "UMax": _intrinsic("umax"), "SMax": _intrinsic("smax"),
    "NMin": _intrinsic("minnum"), "NMax": _intrinsic("maxnum"),
    "FClamp": _clamp("maxnum", "minnum"), "NClamp": _clamp("maxnum", "minnum"),
    "UClamp": _clamp("umax", "umin"), "SClamp": _clamp("smax", "smin"),
    "FMix": _intrinsic("spv.lerp"), "Step": _function("step"), "SmoothStep": _function("smoothstep"),
    "Fma": _intrinsic("fma"), "Frexp": _frexp_out, "FrexpStruct": _frexp_struct, "Ldexp": _ldexp,
    "PackHalf2x16": _pack_half, "UnpackHalf2x16": _unpack_half,
    "PackUnorm4x8": _pack_norm(4, False), "PackSnorm4x8": _pack_norm(4, True),
    "PackUnorm2x16": _pack_norm(2, False), "PackSnorm2x16": _pack_norm(2, True),
    "UnpackUnorm4x8": _unpack_norm(4, False), "UnpackSnorm4x8": _unpack_norm(4, True),
    "UnpackUnorm2x16": _unpack_norm(2, False), "UnpackSnorm2x16": _unpack_norm(2, True),
    "Length": _length, "Distance": _length, "Cross": _function("cross"), "Normalize": _normalized,
    "Determinant": _determinant, "MatrixInverse": _inverse,
    "PackDouble2x32": _rebits, "UnpackDouble2x32": _rebits,
    "FaceForward": _shader("faceforward"), "Reflect": _shader("reflect"), "Refract": _shader("refract"),
    "FindILsb": _first_bit("cttz", False), "FindUMsb": _first_bit("ctlz", True),
    "FindSMsb": _first_bit("ctlz", True, True),
}  # fmt: skip
_SIGN = re.compile(r"([su])_(\w+)")
_ACCESSES = re.compile(r"v(load|store)(n|a?_half\w*)?")


def _opencl(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpenCL C's function of the instruction's name; ``s_`` and ``u_`` in front of it are the sign."""
    name = str(i.operands[1])
    signed = None
    if (parts := _SIGN.fullmatch(name)) is not None:
        signed, name = parts[1] == "s", parts[2]
    match name:
        case "fmin_common" | "fmax_common" | "fclamp":
            name = name.removeprefix("f").removesuffix("_common")
        case "vloadn" | "vstoren":
            _vector_access(code, i, name)
            return
        case "fract" | "modf" | "sincos" | "frexp" | "lgamma_r" | "remquo":
            _with_output(name, code, i)
            return
        case "prefetch" | "printf":
            raise code.refused(f"OpenCL.std {i.operands[1]}")
        case _ if _ACCESSES.match(name):
            _half_access(name, code, i)
            return
    _function(name, signed)(code, i)


def _pointer_letters(code: FunctionWriter, pointer: str, pointee: Type, constant: bool = False) -> str:
    """A pointer as clang mangles it: its address space, and what it points to."""
    kind = code.type(pointer)
    space = SPACES[kind.storage] if isinstance(kind, SPIRVPointer) else 0
    letters = f"P{f'U3AS{space}' if space else ''}{'K' if constant else ''}"
    return letters + _encoded([pointee], True)[0]


def _with_output(name: str, code: FunctionWriter, i: SPIRVInstruction) -> None:
    """A function that writes a second result by its last operand."""
    *operands, out = _operands(code, i)
    types, pointee = [code.type(o) for o in operands], code.type(operands[0])
    if name in ("frexp", "remquo", "lgamma_r"):
        pointee = replace(pointee, element=SPIRVInt(32)) if isinstance(pointee, Vector) else SPIRVInt(32)
    letters = _pointer_letters(code, out, pointee)
    if isinstance(pointee, Vector) and pointee == types[0]:
        letters = letters[: letters.index("D")] + "S_"  # the vector came before
    full = _mangled(name, types, True) + letters
    result = code.llvm(code.result_type())
    code.define(code.call(full, result, [code.typed(o) for o in (*operands, out)], "nounwind willreturn"))


_DIRECTIONS = ("rte", "rtz", "rtp", "rtn")
"""FPRoundingMode, by number."""


def _half_access(name: str, code: FunctionWriter, i: SPIRVInstruction) -> None:
    """``vload_halfn(offset, pointer)``, ``vstore_half_r(value, offset, pointer, direction)`` and their kin,
    by OpenCL C's functions; ``vloada_half3`` and ``vstorea_half3`` lie as vectors of four do."""
    load = name.startswith("vload")
    ids = [i.id(n) for n in range(_FIRST, _FIRST + (2 if load else 3))]
    value = code.result_type() if load else code.type(ids[0])
    count = str(value.count) if isinstance(value, Vector) else ""
    direction = ""
    if name.endswith("_r"):
        word = str(i.operands[-1]).removeprefix("%")
        direction = f"_{_DIRECTIONS[int(word)] if word.isdecimal() else word.lower()}"
    plain = name.removesuffix("_r").removesuffix("n") + count + direction
    if count != "3":  # only of three it matters whether vectors are aligned
        plain = plain.replace("a_", "_")
    pointer = _pointer_letters(code, ids[-1], SPIRVFloat(16), load)
    full = _mangled(plain, [code.type(o) for o in ids[:-1]], None) + pointer
    arguments = [code.typed(o) for o in ids]
    if load:
        code.define(code.call(full, code.llvm(value), arguments, "nounwind willreturn"))
    else:
        code.emit(code.call(full, "void", arguments, "nounwind willreturn"))


def _vector_access(code: FunctionWriter, i: SPIRVInstruction, name: str) -> None:
    """``vloadn(offset, pointer)``, ``vstoren(vector, offset, pointer)``; ``offset`` counts vectors."""
    load = name == "vloadn"
    type_ = code.result_type() if load else code.type(i.id(_FIRST))
    assert isinstance(type_, Vector)
    offset, pointer = (i.id(_FIRST), i.id(_FIRST + 1)) if load else (i.id(_FIRST + 1), i.id(_FIRST + 2))
    at, t = natural(code, type_), code.llvm(type_)
    bytes_ = type_.count * at
    place = code.step(f"getelementptr [{bytes_} x i8], {code.typed(pointer)}, {code.typed(offset)}")
    kind = code.llvm(code.type(pointer))
    if load:
        code.define(f"load {t}, {kind} {place}, align {at}")
    else:
        code.emit(f"store {code.typed(i.id(_FIRST))}, {kind} {place}, align {at}")


def extended(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpExtInst."""
    set_ = code.module.sets.get(i.id(0), "")
    name = str(i.operands[1])
    if is_non_semantic(set_):
        return
    if set_ == "OpenCL.std":
        _opencl(code, i)
        return
    emit = _GLSL.get(name) if set_ == "GLSL.std.450" else None
    if emit is None:
        raise code.refused(f"{set_ or i.id(0)} {name}")
    emit(code, i)
