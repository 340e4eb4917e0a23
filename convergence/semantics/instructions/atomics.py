"""LangRef, *'atomicrmw' Instruction* and *'cmpxchg' Instruction*."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir import instructions as ir
from ...ir.types import I1, StructType, Type
from ..arithmetic.domain import Domain, Width
from ..errors import NotModelled
from ..memory.accesses import Access, AccessShape, PrepareAccess, address
from ..memory.allocations import Memory
from ..memory.bytes import typed
from ..values.context import Context, Evaluate
from ..values.value import Bits, Composite, RuntimeValue, Value, scalar
from . import fast_math as minmax
from .lifting import float_kind, int_width, lanewise, scalar_bits, strict2
from .memory import contiguous, holds, loaded, stored

Operation = Callable[[Bits, Bits], Bits]


def _uinc_wrap(w: Width, d: Domain) -> Operation:
    """One more, or 0 from the operand on."""
    none, one = w.constant(0), w.constant(1)
    return lambda old, v: d.ite(w.ule(v, old), none, w.add(old, one))


def _udec_wrap(w: Width, d: Domain) -> Operation:
    """One less; the operand from 0 and from above the operand."""
    none, one = w.constant(0), w.constant(1)
    return lambda old, v: d.ite(d.either(w.eq(old, none), w.ult(v, old)), v, w.sub(old, one))


INTEGER: Mapping[str, Callable[[Width, Domain], Operation]] = {
    "add": lambda w, d: w.add,
    "sub": lambda w, d: w.sub,
    "and": lambda w, d: w.and_,
    "or": lambda w, d: w.or_,
    "xor": lambda w, d: w.xor,
    "nand": lambda w, d: lambda old, v: w.not_(w.and_(old, v)),
    "max": minmax.INTEGER["smax"],
    "min": minmax.INTEGER["smin"],
    "umax": minmax.INTEGER["umax"],
    "umin": minmax.INTEGER["umin"],
    "uinc_wrap": _uinc_wrap,
    "udec_wrap": _udec_wrap,
    "usub_cond": lambda w, d: lambda old, v: d.ite(w.ule(v, old), w.sub(old, v), old),
    "usub_sat": lambda w, d: lambda old, v: d.ite(w.ule(v, old), w.sub(old, v), w.constant(0)),
}

_MINMAX = {"fmax": "maxnum", "fmin": "minnum", "fmaximum": "maximum", "fminimum": "minimum"}
_MINMAX |= {"fmaximumnum": "maximumnum", "fminimumnum": "minimumnum"}


def combine(operation: str, type_: Type, context: Context) -> Evaluate:
    """The new value from the old one and the operand."""
    d = context.domain
    if operation == "xchg":
        return lambda old, value: value
    if (integer := INTEGER.get(operation)) is not None:
        return lanewise(type_, strict2(d, integer(d.width(int_width(type_)), d)))
    if operation in ("fadd", "fsub"):
        floats = d.floats(float_kind(type_))
        return lanewise(type_, strict2(d, floats.add if operation == "fadd" else floats.sub))
    if operation in _MINMAX:
        floats = d.floats(float_kind(type_))
        return lanewise(type_, strict2(d, minmax.floating(_MINMAX[operation], d, floats)))
    raise NotModelled(f"atomicrmw {operation}")


def prepare_atomicrmw(instruction: ir.AtomicRMW, context: Context) -> PrepareAccess:
    """Reads, combines with the operand, writes; gives the old value."""
    type_ = instruction.value.type
    form = typed(type_, context.layout, context.domain)
    align = instruction.align or form.size
    load, store = loaded(form, type_, align, context.layout, context.domain), stored(form, align)
    new = combine(instruction.operation, type_, context)

    def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        old = load(memory, address(access), thread)
        store(memory, address(access), new(old, access.operands[0]), thread)
        return old

    shape = AccessShape(
        "atomicrmw", True, True, perform, form.size, type_, align, instruction.ordering, None,
        instruction.scope,
        instruction.volatile, contiguous(form.size, True), operation=instruction.operation,
    )  # fmt: skip
    return lambda pointer, value: Access(shape, pointer, (value,))


def prepare_cmpxchg(instruction: ir.CmpXchg, context: Context) -> PrepareAccess:
    """Writes the replacement if the old value is the expected one; gives the old value and whether it was.

    A weak one never fails without cause here. Comparing poison is undefined behaviour, as branching on it is.
    """
    d, type_ = context.domain, instruction.expected.type
    form = typed(type_, context.layout, d)
    align = instruction.align or form.size
    load, store = loaded(form, type_, align, context.layout, d), stored(form, align)
    look = holds(form, align)
    w = d.width(scalar_bits(type_, context.layout))

    def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        expected, replacement = scalar(access.operands[0]), access.operands[1]
        old = scalar(load(memory, address(access), thread))
        sound = d.negate(d.either(old.poison, expected.poison))
        d.require(sound, "cmpxchg compares a poison value", "'cmpxchg' Instruction")
        same = w.eq(old.bits, expected.bits)
        store(memory, address(access), d.choose(same, replacement, old), thread, same)
        return Composite((old, Value(d.bit(same), d.false)))

    def fails(access: Access, memory: Memory, thread: int) -> bool:
        old, expected = scalar(look(memory, address(access), thread)), scalar(access.operands[0])
        return w.eq(old.bits, expected.bits) is False

    shape = AccessShape(
        "cmpxchg", True, True, perform, form.size, type_, align, instruction.success, instruction.failure,
        instruction.scope, instruction.volatile, contiguous(form.size, True), result=StructType((type_, I1)),
        fails=fails,
    )  # fmt: skip
    return lambda pointer, expected, replacement: Access(shape, pointer, (expected, replacement))
