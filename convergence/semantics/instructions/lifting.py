"""What instructions share: from functions on bits to functions on values, types of results, limits, fast-
math flags.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...ir import I1, ArrayType, FloatType, IntType, PointerType, SimpleType, StructType, Type, VectorType
from ...ir import instructions as ir
from ...ir.instructions import Binary, CallSite, Conversion, FCmp, FNeg, Instruction, Phi, Select, operands
from .. import NotModelled, Undefined
from ..values import Bits, Composite, Pointer, RuntimeValue, Truth, Value
from ..values.datalayout import Layout, refuse_large_type

if TYPE_CHECKING:
    from ..arithmetic.domain import Domain, Floats, Width
    from ..values.context import Context, Evaluate

# ----------------------------------------------------------------------------------------------------------
# From functions on bits to functions on values: poison propagation and vector lanes.
#
# LangRef, *Poison Values*: an instruction returns poison if an operand is poison, unless it says otherwise.
# ----------------------------------------------------------------------------------------------------------

Check = Callable[..., Truth]
"""On the operands' bits: whether a flag's promise is broken, so that the result is poison."""


def strict1(domain: Domain, operation: Callable[[Bits], Bits], checks: Sequence[Check] = ()) -> Evaluate:
    """One scalar operand; poison if it is, or if a check says so."""
    if not checks:
        return lambda a: Value(operation(a.bits), a.poison)
    either = domain.either

    def checked(a: Value) -> Value:
        poison = a.poison
        for broken in checks:
            poison = either(poison, broken(a.bits))
        return Value(operation(a.bits), poison)

    return checked


def strict2(
    domain: Domain, operation: Callable[[Bits, Bits], Bits], checks: Sequence[Check] = ()
) -> Evaluate:
    """Two scalar operands; poison if one of them is, or if a check says so."""
    either = domain.either
    if not checks:

        def plain(a: Value, b: Value) -> Value:
            return Value(operation(a.bits, b.bits), either(a.poison, b.poison))

        return plain
    if len(checks) == 1:
        broken = checks[0]

        def checked(a: Value, b: Value) -> Value:
            x, y = a.bits, b.bits
            return Value(operation(x, y), either(either(a.poison, b.poison), broken(x, y)))

        return checked

    def checked_all(a: Value, b: Value) -> Value:
        poison = either(a.poison, b.poison)
        for broken in checks:
            poison = either(poison, broken(a.bits, b.bits))
        return Value(operation(a.bits, b.bits), poison)

    return checked_all


def strict3(domain: Domain, operation: Callable[[Bits, Bits, Bits], Bits]) -> Evaluate:
    """Three scalar operands; poison if one of them is."""
    either = domain.either

    def evaluate(a: Value, b: Value, c: Value) -> Value:
        poison = either(either(a.poison, b.poison), c.poison)
        return Value(operation(a.bits, b.bits, c.bits), poison)

    return evaluate


def lanewise(type_: Type, evaluate: Evaluate) -> Evaluate:
    """The same on scalars, or in each lane of operands of vector type ``type_``."""
    if not isinstance(type_, VectorType):
        return evaluate

    def lanes(*operands: Composite) -> Composite:
        return Composite(tuple(map(evaluate, *(operand.elements for operand in operands))))

    return lanes


def element_type(type_: Type) -> Type:
    """A vector's element type, or the type itself; scalable vectors are NotModelled."""
    if isinstance(type_, VectorType):
        if type_.scalable:
            raise NotModelled("scalable vectors")
        return type_.element
    return type_


def int_width(type_: Type) -> int:
    """The width of an integer or of a vector's integer elements."""
    element = element_type(type_)
    if not isinstance(element, IntType):
        raise NotModelled(f"an integer operation on {element}")
    return element.bits


def float_kind(type_: Type) -> str:
    """The format of a float or of a vector's float elements."""
    element = element_type(type_)
    if not isinstance(element, FloatType):
        raise NotModelled(f"a floating-point operation on {element}")
    return element.kind


def is_float(type_: Type) -> bool:
    return isinstance(type_.element if isinstance(type_, VectorType) else type_, FloatType)


def scalar_bits(type_: Type, layout: Layout) -> int:
    """The width of an integer, float or pointer, or of a vector's elements."""
    return layout.bits(element_type(type_))


FAT = 160
"""Bits of AMDGPU's pointers of address space 7, which are a resource and an offset (AMDGPUUsage, *Address
Spaces*)."""


def is_fat(type_: Type, context: Context) -> bool:
    """Whether a type is that of pointers that are a resource and an offset."""
    return type_ == PointerType(7) and context.layout.bits(type_) == FAT


def made(element: Type, bits: Bits, poison: Truth) -> Value:
    """A scalar of the type; a pointer made so may point to whatever lies at its address."""
    return Pointer(bits, None, poison) if isinstance(element, PointerType) else Value(bits, poison)


def failing(problem: NotModelled | Undefined) -> Evaluate:
    """What is found out when an instruction is prepared counts only when a thread reaches it."""

    def fail(*operands: RuntimeValue) -> RuntimeValue:
        raise problem

    return fail


def deferred(prepare: Callable[[Context], Evaluate], context: Context) -> Evaluate:
    """Prepare; what that raises is raised at each call instead."""
    try:
        return prepare(context)
    except (NotModelled, Undefined) as problem:
        return failing(problem)


# ----------------------------------------------------------------------------------------------------------
# The type of what an instruction defines, read off its operands (LangRef, *Instruction Reference*).
# ----------------------------------------------------------------------------------------------------------


def result_type(instruction: ir.Instruction, layout: Layout) -> Type | None:
    """``None`` for an instruction that defines nothing, and for tokens."""
    match instruction:
        case ir.FNeg(value) | ir.Freeze(value) | ir.AtomicRMW(value=value):
            return value.type
        case ir.Binary(lhs=lhs):
            return lhs.type
        case ir.ICmp(lhs=lhs) | ir.FCmp(lhs=lhs):
            return VectorType(lhs.type.count, I1) if isinstance(lhs.type, VectorType) else I1
        case ir.Conversion(to=type_) | ir.Load(type=type_) | ir.Phi(type=type_) | ir.VAArg(type=type_):
            return type_
        case ir.LandingPad(type=type_):
            return type_
        case ir.Select(then=value) | ir.InsertElement(vector=value) | ir.InsertValue(aggregate=value):
            return value.type
        case ir.ExtractElement(vector):
            return vector.type.element if isinstance(vector.type, VectorType) else None
        case ir.ShuffleVector(first, _, mask):
            if isinstance(first.type, VectorType) and isinstance(mask.type, VectorType):
                return VectorType(mask.type.count, first.type.element)
            return None
        case ir.ExtractValue(aggregate, indices):
            return _element(aggregate.type, indices, layout)
        case ir.CmpXchg(expected=expected):
            return StructType((expected.type, I1))
        case ir.Alloca(address_space=space):
            return PointerType(space)
        case ir.GetElementPtr(pointer=pointer, indices=indices):
            for operand in (pointer, *indices):
                if isinstance(operand.type, VectorType):
                    return VectorType(operand.type.count, PointerType())
            return pointer.type
        case ir.CallSite():
            return None if isinstance(instruction.type.result, SimpleType) else instruction.type.result
        case _:
            return None


def _element(type_: Type, indices: tuple[int, ...], layout: Layout) -> Type | None:
    for index in indices:
        type_ = layout.resolve(type_)
        if isinstance(type_, StructType):
            type_ = type_.elements[index]
        elif isinstance(type_, ArrayType):
            type_ = type_.element
        else:
            return None
    return type_


# ----------------------------------------------------------------------------------------------------------
# Instructions on values that are larger than any that are modelled.
# ----------------------------------------------------------------------------------------------------------


def refuse_large(instruction: ir.Instruction, context: Context) -> None:
    """Raises NotModelled if an operand or the result is beyond a limit of :mod:`..values.datalayout`."""
    for operand in operands(instruction):
        refuse_large_type(operand.type, context.layout)
    result = result_type(instruction, context.layout)
    if result is not None:
        refuse_large_type(result, context.layout)


# ----------------------------------------------------------------------------------------------------------
# Fast-math flags (LangRef, *Fast-Math Flags*).
#
# ``nnan`` and ``ninf`` make a result poison; the others (``nsz arcp contract afn reassoc``) allow other
# results than the exact one, and the exact one is always among those allowed: here they have no effect.
# ----------------------------------------------------------------------------------------------------------


def forbidden(flags: tuple[str, ...], kind: str, domain: Domain) -> Callable[[Bits], Truth] | None:
    """Whether the flags exclude a number of the format; ``None`` if they exclude none."""
    floats = domain.floats(kind)
    nan, inf = "nnan" in flags or "fast" in flags, "ninf" in flags or "fast" in flags
    if nan and inf:
        return lambda a: domain.either(floats.is_nan(a), floats.is_inf(a))
    return floats.is_nan if nan else floats.is_inf if inf else None


def guarded(flags: tuple[str, ...], kind: str, domain: Domain, evaluate: Evaluate) -> Evaluate:
    """nnan, ninf: if an argument or the result is a NaN, or an infinity, the result is poison."""
    excluded = forbidden(flags, kind, domain)
    if excluded is None:
        return evaluate
    either = domain.either

    def checked(*operands: Value) -> Value:
        result = evaluate(*operands)
        assert isinstance(result, Value)
        poison = either(result.poison, excluded(result.bits))
        for operand in operands:
            poison = either(poison, excluded(operand.bits))
        return Value(result.bits, poison)

    return checked


def checked_result(flags: tuple[str, ...], type_: Type, domain: Domain) -> Evaluate | None:
    """What nnan and ninf do to a value that is passed on (phi, select, call); ``None``: nothing."""
    if not flags or not is_float(type_):
        return None
    excluded = forbidden(flags, float_kind(type_), domain)
    if excluded is None:
        return None

    def check(value: Value) -> Value:
        return Value(value.bits, domain.either(value.poison, excluded(value.bits)))

    return lanewise(type_, check)


RELAXED = frozenset({"fast", "nsz", "reassoc", "contract", "arcp", "afn"})
"""The flags that allow other results."""


def is_relaxed(instruction: Instruction) -> bool:
    """Whether flags allow other results than the exact one."""
    match instruction:
        case FNeg(flags=flags) | Binary(flags=flags) | FCmp(flags=flags) | Conversion(flags=flags):
            return not RELAXED.isdisjoint(flags)
        case Phi(flags=flags) | Select(flags=flags) | CallSite(fast_math=flags):
            return not RELAXED.isdisjoint(flags)
        case _:
            return False


# -- Minimum and maximum of integers and floats (LangRef, *llvm.smax* ..., *llvm.minnum* ..., *llvm.minimum*


Operation = Callable[[Bits, Bits], Bits]

INTEGER: Mapping[str, Callable[[Width, Domain], Operation]] = {
    "smin": lambda w, d: lambda a, b: d.ite(w.slt(a, b), a, b),
    "smax": lambda w, d: lambda a, b: d.ite(w.slt(b, a), a, b),
    "umin": lambda w, d: lambda a, b: d.ite(w.ult(a, b), a, b),
    "umax": lambda w, d: lambda a, b: d.ite(w.ult(b, a), a, b),
}


def _smaller(d: Domain, f: Floats) -> Callable[[Bits, Bits], Truth]:
    """Whether a number comes first, -0.0 before +0.0."""
    return lambda a, b: d.either(f.less(a, b), d.both(f.equal(a, b), f.is_negative(a)))


def floating(name: str, d: Domain, f: Floats) -> Operation:
    """``minimum``, ``maximum``: a NaN if one operand is. ``min/maxnum``, ``min/maximumnum``: then the other
    one.

    -0.0 is less than +0.0 (for minnum and maxnum either order would do). Signaling NaNs count as quiet ones.
    """
    smaller = _smaller(d, f)
    if name.startswith("max"):

        def pick(a: Bits, b: Bits) -> Bits:
            return d.ite(smaller(a, b), b, a)
    else:

        def pick(a: Bits, b: Bits) -> Bits:
            return d.ite(smaller(a, b), a, b)

    def propagating(a: Bits, b: Bits) -> Bits:
        return d.ite(d.either(f.is_nan(a), f.is_nan(b)), f.nan, pick(a, b))

    def ignoring(a: Bits, b: Bits) -> Bits:
        of_b = d.ite(f.is_nan(b), f.nan, b)
        return d.ite(f.is_nan(a), of_b, d.ite(f.is_nan(b), a, pick(a, b)))

    return propagating if name in ("minimum", "maximum") else ignoring


FLOATING = ("minnum", "maxnum", "minimum", "maximum", "minimumnum", "maximumnum")
