"""LangRef, *Conversion Operations*; and calls of another type than their callee has, which convert."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ...ir import VOID, IntType, PointerType, Type, VectorType
from ...ir import instructions as ir
from .. import NotModelled
from ..values import Pointer, RuntimeValue, Value
from ..values.context import Context, Evaluate, from_bits, to_bits
from .lifting import Check, element_type, float_kind, forbidden, int_width, is_fat, lanewise, strict1
from .resources import fat

if TYPE_CHECKING:
    from ...ir.module import Function
    from ..arithmetic.domain import Unary

# ----------------------------------------------------------------------------------------------------------
# LangRef, *Conversion Operations*.
# ----------------------------------------------------------------------------------------------------------

Prepare = Callable[[Type, Type, tuple[str, ...], Context], Evaluate]
"""From source type, target type and flags; types are the elements' for vectors."""


def trunc(source: Type, target: Type, flags: tuple[str, ...], context: Context) -> Evaluate:
    """The low bits. nuw, nsw: poison if extending them again does not give the operand."""
    d, n, m = context.domain, int_width(source), int_width(target)
    w, cut = d.width(n), d.trunc(n, m)
    checks: list[Check] = []
    for flag, extend in (("nuw", d.zext(m, n)), ("nsw", d.sext(m, n))):
        if flag in flags:
            checks.append(lambda a, extend=extend: w.ne(extend(cut(a)), a))
    return strict1(d, cut, checks)


def _negative(context: Context, width: int, flags: tuple[str, ...]) -> list[Check]:
    """nneg: poison if the operand is negative."""
    w = context.domain.width(width)
    none = w.constant(0)
    return [lambda a: w.slt(a, none)] if "nneg" in flags else []


def zext(source: Type, target: Type, flags: tuple[str, ...], context: Context) -> Evaluate:
    """Zeros in front."""
    n = int_width(source)
    return strict1(context.domain, context.domain.zext(n, int_width(target)), _negative(context, n, flags))


def sext(source: Type, target: Type, flags: tuple[str, ...], context: Context) -> Evaluate:
    """Copies of the sign in front."""
    return strict1(context.domain, context.domain.sext(int_width(source), int_width(target)))


def float_to_float(source: Type, target: Type, flags: tuple[str, ...], context: Context) -> Evaluate:
    """fptrunc rounds to nearest, ties to even; fpext is exact. Too large becomes infinity."""
    d, kind, to = context.domain, float_kind(source), float_kind(target)
    convert = d.floats(kind).convert(to)
    excluded, excluded_result = forbidden(flags, kind, d), forbidden(flags, to, d)
    checks: list[Check] = []
    if excluded is not None and excluded_result is not None:
        checks = [excluded, lambda a: excluded_result(convert(a))]
    return strict1(d, convert, checks)


def float_to_int(signed: bool) -> Prepare:
    def prepare(source: Type, target: Type, flags: tuple[str, ...], context: Context) -> Evaluate:
        """Towards zero; poison if the value does not fit in the result's type."""
        d = context.domain
        truncate = d.floats(float_kind(source)).to_int(int_width(target), signed)

        def evaluate(a: Value) -> Value:
            bits, fits = truncate(a.bits)
            return Value(bits, d.either(a.poison, d.negate(fits)))

        return evaluate

    return prepare


def int_to_float(signed: bool) -> Prepare:
    def prepare(source: Type, target: Type, flags: tuple[str, ...], context: Context) -> Evaluate:
        """The nearest number, ties to even. uitofp nneg: poison if the operand is negative."""
        n = int_width(source)
        floats = context.domain.floats(float_kind(target))
        return strict1(context.domain, floats.from_int(n, signed), _negative(context, n, flags))

    return prepare


def _resized(context: Context, source: int, target: int) -> Unary:
    d = context.domain
    return d.zext(source, target) if source <= target else d.trunc(source, target)


def ptrtoint(source: Type, target: Type, flags: tuple[str, ...], context: Context) -> Evaluate:
    """The address as an unsigned integer, zero-extended or truncated. Provenance is exposed."""
    resize = _resized(context, context.layout.bits(source), int_width(target))
    return strict1(context.domain, resize)


def ptrtoaddr(source: Type, target: Type, flags: tuple[str, ...], context: Context) -> Evaluate:
    """The address part of a pointer: as many low bits as the index type has."""
    assert isinstance(source, PointerType)
    d, pointer = context.domain, context.layout.pointer(source)
    cut, resize = d.trunc(pointer.bits, pointer.index), _resized(context, pointer.index, int_width(target))
    return strict1(d, lambda a: resize(cut(a)))


def inttoptr(source: Type, target: Type, flags: tuple[str, ...], context: Context) -> Evaluate:
    """The pointer to that address; it may point to whatever object lies there."""
    resize = _resized(context, int_width(source), context.layout.bits(target))
    return lambda a: Pointer(resize(a.bits), None, a.poison)


def addrspacecast(source: Type, target: Type, flags: tuple[str, ...], context: Context) -> Evaluate:
    """The same object in another address space. Here objects have one number in all address spaces."""
    if source == PointerType(8) and is_fat(target, context):
        return lambda a: fat(a, context)
    resize = _resized(context, context.layout.bits(source), context.layout.bits(target))
    return lambda a: Pointer(resize(a.bits), a.provenance, a.poison)


BY_ELEMENT: Mapping[str, Prepare] = {
    "trunc": trunc, "zext": zext, "sext": sext, "fptrunc": float_to_float, "fpext": float_to_float,
    "fptoui": float_to_int(False), "fptosi": float_to_int(True),
    "uitofp": int_to_float(False), "sitofp": int_to_float(True),
    "ptrtoint": ptrtoint, "ptrtoaddr": ptrtoaddr, "inttoptr": inttoptr, "addrspacecast": addrspacecast,
}  # fmt: skip


def bitcast(source: Type, target: Type, context: Context) -> Evaluate:
    """The same bits, as if stored and loaded. A result scalar is poison if one of its bits is."""
    if source == target or isinstance(element_type(source), PointerType):
        return lambda a: a
    same_lanes = isinstance(source, VectorType) == isinstance(target, VectorType)
    if same_lanes and (not isinstance(source, VectorType) or source.count == _count(target)):
        return lanewise(source, lambda a: Value(a.bits, a.poison))
    split = to_bits(source, context.layout, context.domain)
    join = from_bits(target, context.layout, context.domain)

    def evaluate(value: RuntimeValue) -> RuntimeValue:
        return join(*split(value))

    return evaluate


def _count(type_: Type) -> int:
    assert isinstance(type_, VectorType)
    return type_.count


def prepare_conversion(instruction: ir.Conversion, context: Context) -> Evaluate:
    """A conversion, on scalars or lane by lane."""
    source, target, opcode = instruction.value.type, instruction.to, instruction.opcode
    element_type(source), element_type(target)
    if opcode == "bitcast":
        return bitcast(source, target, context)
    prepare = BY_ELEMENT.get(opcode)
    if prepare is None:
        raise NotModelled(f"instruction {opcode}")
    lane = prepare(element_type(source), element_type(target), instruction.flags, context)
    return lanewise(source, lane)


# ----------------------------------------------------------------------------------------------------------
# Calls of another type than their callee has, where targets agree on what they do.
#
# LangRef, *'call' Instruction*: what such a call does is the target's to say, and a significant mismatch is
# likely undefined behaviour. Here it is undefined unless the two types differ only in this:
#
# - an argument is a pointer and the parameter an integer that is as wide, or the other way round: both are
#   passed in the same place, and LLVM's own passes (instcombine) cast between them;
# - an argument is an integer of at most 32 bits and the parameter a narrower one: all targets pass such
#   integers in a place of 32 bits or more, of which the callee looks at the low bits;
# - the callee gives a result of which the call knows nothing.
#
# So OpenMP's runtime calls the functions that clang outlines: through pointers to functions of pointers.
# ----------------------------------------------------------------------------------------------------------


WORD = 32
"""Bits of the place in which targets pass a narrower integer, at least."""


def arguments_passed(call: ir.CallSite, callee: Function, context: Context) -> Mapping[int, Evaluate] | None:
    """By its number, what an argument is for a callee whose type is not the call's; ``None`` where the call
    is undefined."""
    wanted, type_ = callee.type, call.type
    if wanted.variadic or type_.variadic or len(wanted.parameters) != len(type_.parameters):
        return None
    if type_.result not in (wanted.result, VOID):
        return None
    passed: dict[int, Evaluate] = {}
    for number, (argument, parameter) in enumerate(zip(call.arguments, wanted.parameters, strict=True)):
        if argument.value.type == parameter:
            continue
        opcode = _cast(argument.value.type, parameter, context)
        if opcode is None:
            return None
        passed[number] = prepare_conversion(ir.Conversion(opcode, argument.value, parameter), context)
    return passed


def _cast(given: Type, wanted: Type, context: Context) -> str | None:
    """The conversion that passing a value of one type as one of another is; ``None`` if there is none."""
    match given, wanted:
        case IntType(bits), PointerType() if bits == context.layout.pointer(wanted).bits:
            return "inttoptr"
        case PointerType(), IntType(bits) if bits == context.layout.pointer(given).bits:
            return "ptrtoint"
        case IntType(bits), IntType(narrow) if narrow < bits <= WORD:
            return "trunc"
        case _:
            return None
