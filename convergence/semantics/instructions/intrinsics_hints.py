"""LangRef, *General Intrinsics* and others that compute little: hints, markers, pointer views."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir import instructions as ir
from ...ir.operands import Local
from ...ir.types import PointerType, SimpleType
from ..values.context import Context, Evaluate
from ..values.of_type import zero
from ..values.value import NULL, Pointer, RuntimeValue, Value
from .intrinsics_integer import Build, argument, argument_type, flag
from .lifting import element_type, int_width, lanewise


def first(call: ir.CallSite, context: Context) -> Evaluate:
    """Gives its first operand."""
    return lambda value, *_: value


def nothing(call: ir.CallSite, context: Context) -> Evaluate:
    """Does nothing; its result, if it has one, is null or zero."""
    if isinstance(call.type.result, SimpleType):
        result: RuntimeValue = Value(context.domain.width(1).constant(0), context.domain.false)
    else:
        result = zero(call.type.result, context.layout, context.domain)
    return lambda *operands: result


def assume(call: ir.CallSite, context: Context) -> Evaluate:
    """Undefined behaviour if the condition is false or poison. Operand bundles are not checked."""
    d, result = context.domain, Value(context.domain.width(1).constant(0), context.domain.false)

    def evaluate(condition: Value) -> Value:
        d.require(d.negate(condition.poison), "assume of poison", "'llvm.assume' Intrinsic")
        d.require(d.truth(condition.bits), "assume of false", "'llvm.assume' Intrinsic")
        return result

    return evaluate


def ptrmask(call: ir.CallSite, context: Context) -> Evaluate:
    """The pointer with the address bits that the mask clears cleared."""
    type_, d = argument_type(call), context.domain
    element = element_type(type_)
    assert isinstance(element, PointerType)
    n, m = context.layout.pointer(element).bits, int_width(argument_type(call, 1))
    w, ones = d.width(n), d.width(max(1, n - m)).constant(-1)

    def evaluate(pointer: Value, mask: Value) -> Pointer:
        full = mask.bits if n == m else d.concat((mask.bits, ones), (m, n - m))
        return Pointer(w.and_(pointer.bits, full), pointer.provenance, d.either(pointer.poison, mask.poison))

    return lanewise(type_, evaluate)


def is_constant(call: ir.CallSite, context: Context) -> Evaluate:
    """Whether the operand is a constant in the text; a compiler may find out more."""
    known = Value(context.domain.bit(not isinstance(argument(call, 0), Local)), context.domain.false)
    return lambda *operands: known


def objectsize(call: ir.CallSite, context: Context) -> Evaluate:
    """The bytes from the pointer to its object's end, 0 outside; of an unknown object -1, or 0 if the flag
    says so."""
    d = context.domain
    w, least = d.width(int_width(call.type.result)), flag(call, 1)
    n = context.layout.bits(argument_type(call))
    address = d.width(n)
    resize = d.zext(n, w.width) if n <= w.width else d.trunc(n, w.width)

    def evaluate(pointer: Value, *_: Value) -> Value:
        provenance = pointer.provenance
        if provenance is None or provenance == NULL:
            return Value(w.constant(0 if least else -1), pointer.poison)
        offset = address.sub(pointer.bits, address.constant(provenance.base))
        size = address.constant(provenance.size)
        rest = d.ite(address.ule(offset, size), address.sub(size, offset), address.constant(0))
        return Value(resize(rest), pointer.poison)

    return evaluate


def one(call: ir.CallSite, context: Context) -> Evaluate:
    result = Value(context.domain.width(int_width(call.type.result)).constant(1), context.domain.false)
    return lambda *operands: result


HINTS: Mapping[str, Build] = {
    "llvm.assume": assume,
    "llvm.ptrmask": ptrmask,
    "llvm.is.constant": is_constant,
    "llvm.objectsize": objectsize,
    "llvm.allow.runtime.check": one,
    "llvm.allow.ubsan.check": one,
    "llvm.get.rounding": one,
    **dict.fromkeys(
        (
            "llvm.expect", "llvm.expect.with.probability", "llvm.launder.invariant.group",
            "llvm.strip.invariant.group", "llvm.ssa.copy", "llvm.annotation", "llvm.ptr.annotation",
            "llvm.threadlocal.address",
        ),
        first,
    ),
    **dict.fromkeys(
        (
            "llvm.donothing", "llvm.sideeffect", "llvm.prefetch", "llvm.experimental.noalias.scope.decl",
            "llvm.invariant.start", "llvm.invariant.end", "llvm.var.annotation", "llvm.pseudoprobe",
            "llvm.fake.use",
            "llvm.codeview.annotation", "llvm.dbg.value", "llvm.dbg.declare", "llvm.dbg.assign",
            "llvm.dbg.label",
            "llvm.instrprof.increment", "llvm.debugtrap", "llvm.pcmarker",
        ),
        nothing,
    ),
}  # fmt: skip
