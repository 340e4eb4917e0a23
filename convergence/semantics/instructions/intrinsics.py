"""LangRef, *General Intrinsics* and others that compute little: hints, markers, pointer views."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from ...ir import ArrayType, Local, PointerType, SimpleType, StructType, Type, VectorType
from ...ir.calls import callee_name
from .. import NotModelled, Undefined
from ..arithmetic import ConcreteDomain
from ..memory.accesses import PrepareAccess, failing_access
from ..values import NULL, Composite, Pointer, RuntimeValue, Value, is_outside
from ..values.context import Context, Evaluate, poison, zero
from .intrinsics_memory import MASKED, MATRICES, BuildAccess
from .intrinsics_memory import MEMORY as WHOLE
from .intrinsics_values import FLOATING, INTEGER, VECTOR, Build, argument, argument_type, flag
from .library.table import function_of_c, library_access, library_function
from .lifting import element_type, failing, int_width, lanewise, refuse_large
from .resources import AMD_RESOURCES, BUFFERS, HANDLES, RESOURCES

if TYPE_CHECKING:
    from ...ir import instructions as ir
    from ...ir.module import Module

# ----------------------------------------------------------------------------------------------------------
# Intrinsics that are no part of what a program computes: calls of them are no events (semantics.md, §6).
#
# LLVM gives most of them side effects, so that its passes leave them where they are. What they say is for
# passes, code generators, debuggers or profilers. A marker that is ``convergent`` stays a convergent
# operation: the static rules hold for it and an alignment has it, but nothing is seen of it.
# ----------------------------------------------------------------------------------------------------------


class Purpose(Enum):
    """Whom a marker is for."""

    DEBUGGER = "for debuggers"
    OPTIMISER = "says to passes what they may assume or must not move"
    PROFILER = "counts or traces for a profiler, in memory that is not the program's"
    STRUCTURE = "names the structure of control flow, or a type, for a code generator"
    SCHEDULER = "tells the scheduler which instructions may cross it"
    TIME = "takes time, or says how much others get"
    OWN_ACCESSES = "waits until the own accesses are done, or looks after a cache: they are done at once here"
    PREFETCH = "fetches what is read later"
    REGISTERS = "says how many registers a wave has"
    EXCEPTIONS = "marks a region for exceptions of the operating system"


MARKERS: Mapping[str, Purpose] = {
    name: purpose
    for purpose, names in {
        Purpose.DEBUGGER: (
            "llvm.dbg.value", "llvm.dbg.declare", "llvm.dbg.assign", "llvm.dbg.label", "llvm.debugtrap",
            "llvm.codeview.annotation", "llvm.fake.use",
            "llvm.spv.assign.name", "llvm.spv.value.md",
        ),
        Purpose.OPTIMISER: (
            "llvm.donothing", "llvm.sideeffect", "llvm.experimental.noalias.scope.decl", "llvm.invariant.end",
            "llvm.var.annotation", "llvm.reloc.none", "llvm.objc.clang.arc.noop.use",
            "llvm.objc.arc.annotation.bottomup.bbend", "llvm.objc.arc.annotation.bottomup.bbstart",
            "llvm.objc.arc.annotation.topdown.bbend", "llvm.objc.arc.annotation.topdown.bbstart",
        ),
        Purpose.PROFILER: (
            "llvm.pseudoprobe", "llvm.pcmarker", "llvm.instrprof.increment", "llvm.instrprof.cover",
            "llvm.instrprof.callsite", "llvm.instrprof.timestamp", "llvm.instrprof.value.profile",
            "llvm.instrprof.mcdc.parameters", "llvm.instrprof.mcdc.tvbitmap.update",
            "llvm.xray.customevent", "llvm.xray.typedevent",
            "llvm.amdgcn.s.incperflevel", "llvm.amdgcn.s.decperflevel",
            "llvm.amdgcn.s.ttracedata", "llvm.amdgcn.s.ttracedata.imm", "llvm.nvvm.pm.event.mask",
        ),
        Purpose.STRUCTURE: (
            "llvm.spv.selection.merge", "llvm.spv.loop.merge", "llvm.spv.assign.type",
            "llvm.spv.assign.ptr.type", "llvm.spv.assign.decoration",
            "llvm.spv.assign.aliasing.decoration", "llvm.spv.assign.fpmaxerror.decoration",
            "llvm.spv.unref.global", "llvm.spv.init.global", "llvm.spv.unreachable",
        ),
        Purpose.SCHEDULER: (
            "llvm.amdgcn.sched.barrier", "llvm.amdgcn.sched.group.barrier", "llvm.amdgcn.iglp.opt",
        ),
        Purpose.TIME: (
            "llvm.amdgcn.s.nop", "llvm.amdgcn.s.sleep", "llvm.amdgcn.s.sleep.var",
            "llvm.amdgcn.s.monitor.sleep", "llvm.amdgcn.s.setprio", "llvm.amdgcn.s.setprio.inc.wg",
            "llvm.nvvm.nanosleep",
        ),
        Purpose.OWN_ACCESSES: (
            "llvm.amdgcn.s.waitcnt", "llvm.amdgcn.s.wait.bvhcnt", "llvm.amdgcn.s.wait.dscnt",
            "llvm.amdgcn.s.wait.expcnt", "llvm.amdgcn.s.wait.kmcnt", "llvm.amdgcn.s.wait.loadcnt",
            "llvm.amdgcn.s.wait.samplecnt", "llvm.amdgcn.s.wait.storecnt",
            "llvm.amdgcn.s.dcache.inv", "llvm.amdgcn.s.dcache.inv.vol", "llvm.amdgcn.s.dcache.wb",
            "llvm.amdgcn.s.dcache.wb.vol", "llvm.amdgcn.buffer.wbinvl1", "llvm.amdgcn.buffer.wbinvl1.sc",
            "llvm.amdgcn.buffer.wbinvl1.vol",
        ),
        Purpose.PREFETCH: (
            "llvm.prefetch", "llvm.amdgcn.s.prefetch.data", "llvm.amdgcn.s.buffer.prefetch.data",
            "llvm.amdgcn.flat.prefetch", "llvm.amdgcn.global.prefetch",
            "llvm.nvvm.prefetch.L1", "llvm.nvvm.prefetch.L2", "llvm.nvvm.prefetch.global.L1",
            "llvm.nvvm.prefetch.global.L2", "llvm.nvvm.prefetch.global.L2.evict.last",
            "llvm.nvvm.prefetch.global.L2.evict.normal", "llvm.nvvm.prefetch.local.L1",
            "llvm.nvvm.prefetch.local.L2", "llvm.nvvm.prefetch.tensormap", "llvm.nvvm.prefetchu.L1",
            "llvm.nvvm.cp.async.bulk.prefetch.L2", "llvm.nvvm.applypriority.L2.evict.normal",
            "llvm.nvvm.applypriority.global.L2.evict.normal",
        ),
        Purpose.REGISTERS: (
            "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32", "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32",
        ),
        Purpose.EXCEPTIONS: (
            "llvm.seh.scope.begin", "llvm.seh.scope.end", "llvm.seh.try.begin", "llvm.seh.try.end",
            "llvm.eh.sjlj.callsite",
        ),
    }.items()
    for name in names
}  # fmt: skip
"""By name, without the suffix of types."""


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
    """Undefined behaviour if the condition is false or poison. What operand bundles promise is looked at
    where the call is prepared."""
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
        if provenance is None or provenance == NULL or is_outside(provenance):
            return Value(w.constant(0 if least else -1), pointer.poison)
        offset = address.sub(pointer.bits, address.constant(provenance.base))
        size = address.constant(provenance.size)
        rest = d.ite(address.ule(offset, size), address.sub(size, offset), address.constant(0))
        return Value(resize(rest), pointer.poison)

    return evaluate


def single(call: ir.CallSite, context: Context) -> Evaluate:
    result = Value(context.domain.width(int_width(call.type.result)).constant(1), context.domain.false)
    return lambda *operands: result


def unread(call: ir.CallSite, context: Context) -> Evaluate:
    """What SPIR-V has at this place is outside of what is read (:mod:`...spirv`)."""
    raise NotModelled((callee_name(call) or "").removeprefix(f"{UNREAD}."))


def unknown_list(call: ir.CallSite, context: Context) -> Evaluate:
    """What a list of variadic arguments looks like in memory is the target's matter (LangRef, *Variable
    Argument Handling Intrinsics*): a stand-in for it would be read as if somebody had written it."""
    raise NotModelled(f"variadic arguments, by @{callee_name(call)}")


UNREAD = "spirv.unread"
HINTS: Mapping[str, Build] = {
    UNREAD: unread,
    "llvm.assume": assume,
    "llvm.spv.assume": assume,
    "llvm.ptrmask": ptrmask,
    "llvm.is.constant": is_constant,
    "llvm.objectsize": objectsize,
    "llvm.allow.runtime.check": single,
    "llvm.allow.ubsan.check": single,
    "llvm.allow.sanitize.address": single,
    "llvm.allow.sanitize.hwaddress": single,
    "llvm.allow.sanitize.memory": single,
    "llvm.allow.sanitize.thread": single,
    "llvm.get.rounding": single,
    **dict.fromkeys(
        (
            "llvm.expect", "llvm.expect.with.probability", "llvm.launder.invariant.group",
            "llvm.strip.invariant.group", "llvm.ssa.copy", "llvm.annotation", "llvm.ptr.annotation",
            "llvm.threadlocal.address", "llvm.preserve.static.offset", "llvm.spv.expect",
        ),
        first,
    ),
    "llvm.va_start": unknown_list,
    "llvm.va_copy": unknown_list,
    "llvm.va_end": nothing,
    "llvm.invariant.start": nothing,
    **dict.fromkeys(MARKERS, nothing),
}  # fmt: skip


# -- Calls of intrinsics, by an open table from name (without type suffix) to model

PURE: Mapping[str, Build] = {**INTEGER, **FLOATING, **VECTOR, **HINTS, **HANDLES, **AMD_RESOURCES}
MEMORY: Mapping[str, BuildAccess] = {**WHOLE, **MASKED, **MATRICES, **RESOURCES, **BUFFERS}

ENDS_THREAD: Mapping[str, str] = {
    "llvm.trap": "llvm.trap",
    "llvm.ubsantrap": "llvm.ubsantrap",
}
"""Intrinsics that end the thread that calls them, and what the ending is called."""


def base_name(name: str, table: Container[str]) -> str | None:
    """The entry of the table that a name is, up to type suffixes: ``llvm.smax.v4i32`` is ``llvm.smax``."""
    while name not in table:
        name, dot, _ = name.rpartition(".")
        if not dot:
            return None
    return name


def is_marker(name: str) -> bool:
    """Whether a declared function is a marker: no part of what the program computes."""
    return name.startswith("llvm.") and base_name(name, MARKERS) is not None


def prepare_intrinsic(call: ir.CallSite, context: Context) -> Evaluate | None:
    """A direct call of a pure intrinsic or library function as a function of its arguments; ``None`` if there
    is no model."""
    full = callee_name(call) or ""
    name = base_name(full, PURE)
    build = library_function(full) or function_of_c(full, call) if name is None else PURE[name]
    if build is None:
        return None
    try:
        refuse_large(call, context)
        if name is None:
            _try(build, full, call, context)
        return build(call, context)
    except (NotModelled, Undefined) as problem:
        return failing(problem)


_UNFIT = (AssertionError, AttributeError, IndexError, TypeError, ValueError)
"""What Python says where there are more operands, or fewer, or others, than a model takes."""


def _try(
    build: Callable[[ir.CallSite, Context], Callable[..., object]],
    name: str,
    call: ir.CallSite,
    context: Context,
) -> None:
    """NotModelled where a declaration with the name of a library function has operands that its model cannot
    take: no verifier refuses it. The model is tried with operands that are poison."""
    concrete, fits = replace(context, domain=ConcreteDomain()), True
    try:
        evaluate = build(call, concrete)
        with suppress(NotModelled, Undefined):
            types = [argument.value.type for argument in call.arguments]
            value = evaluate(*[poison(type_, concrete.layout, concrete.domain) for type_ in types])
            fits = _fits(value, call.type.result)
    except _UNFIT:
        fits = False
    if not fits:
        raise NotModelled(f"@{name} with operands or a result of these types")


def _fits(value: object, type_: Type) -> bool:
    """Whether a result has the form of its type; of an access, or of nothing, there is none to look at."""
    if isinstance(value, Composite):
        match type_:
            case VectorType(count=count) | ArrayType(count=count):
                return len(value.elements) == count
            case StructType(elements=elements):
                return len(value.elements) == len(elements)
            case _:
                return False
    return not (isinstance(value, Value) and isinstance(type_, VectorType | ArrayType | StructType))


def is_memory_call(call: ir.CallSite) -> bool:
    """Whether it is a direct call of a memory intrinsic, or of a library function that touches memory."""
    return _access_model(callee_name(call) or "")[1] is not None


def _access_model(full: str, module: Module | None = None) -> tuple[str, BuildAccess | None]:
    """A callee's name without the suffix of its types, and its model, in a module, if it touches memory."""
    name = base_name(full, MEMORY)
    return (full, library_access(full, module)) if name is None else (name, MEMORY[name])


def prepare_intrinsic_access(call: ir.CallSite, context: Context) -> PrepareAccess | None:
    """A direct call of a memory intrinsic, or of a library function that touches memory, as a function from
    its arguments to an access; ``None`` for all others."""
    name, build = _access_model(callee_name(call) or "", context.module)
    if build is None:
        return None
    try:
        refuse_large(call, context)
        if not name.startswith("llvm."):  # whose types LLVM's verifier knows
            _try(lambda call, context: build(name, call, context), name, call, context)
        return build(name, call, context)
    except (NotModelled, Undefined) as problem:
        return failing_access(problem)
