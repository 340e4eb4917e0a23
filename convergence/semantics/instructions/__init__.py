"""What each instruction does to values and memory: the interface of the machine.

``prepare`` stages pure instructions, ``prepare_access`` those that touch memory, ``prepare_intrinsic`` pure
calls.
Preparing never fails for what a thread may never reach: the prepared callable raises Undefined or
NotModelled when it is called. Control flow, phi, call and return are the machine's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Hashable
from typing import Any

from ...ir import InlineAsm, IntType, PointerType, Type
from ...ir import instructions as ir
from ...ir.targets import architecture_of
from .. import NotModelled, Undefined
from ..arithmetic import ConcreteDomain
from ..memory.accesses import PrepareAccess, failing_access
from ..values.context import Context, Evaluate
from .lifting import failing, is_fat, refuse_large

_Build = Callable[[Any, Context], Evaluate]
_BuildAccess = Callable[[Any, Context], PrepareAccess]


PURE: frozenset[type[ir.Instruction]] = frozenset((
    ir.Binary, ir.ICmp, ir.GetElementPtr, ir.Select, ir.Conversion, ir.FCmp, ir.ExtractElement,
    ir.InsertElement, ir.ShuffleVector, ir.ExtractValue, ir.InsertValue, ir.FNeg, ir.Freeze,
))  # fmt: skip
"""Classes of instructions that touch no memory, and of which ``prepare`` makes functions."""


def _pure(instruction: ir.Instruction) -> _Build | None:
    """What prepares an instruction that touches no memory. Each file is a heading of the LangRef, and is read
    when a program has an instruction of it."""
    match instruction:
        case ir.Binary():
            from .binary import prepare_binary

            return prepare_binary
        case ir.ICmp():
            from .other import prepare_icmp

            return prepare_icmp
        case ir.GetElementPtr():
            from .memory import prepare_gep

            return prepare_gep
        case ir.Select():
            from .other import prepare_select

            return prepare_select
        case ir.Conversion():
            from .conversion import prepare_conversion

            return prepare_conversion
        case ir.FCmp():
            from .other import prepare_fcmp

            return prepare_fcmp
        case ir.ExtractElement():
            from .other import prepare_extractelement

            return prepare_extractelement
        case ir.InsertElement():
            from .other import prepare_insertelement

            return prepare_insertelement
        case ir.ShuffleVector():
            from .other import prepare_shufflevector

            return prepare_shufflevector
        case ir.ExtractValue():
            from .other import prepare_extractvalue

            return prepare_extractvalue
        case ir.InsertValue():
            from .other import prepare_insertvalue

            return prepare_insertvalue
        case ir.FNeg():
            from .binary import prepare_fneg

            return prepare_fneg
        case ir.Freeze():
            from .other import prepare_freeze

            return prepare_freeze
        case _:
            return None


def prepare(instruction: ir.Instruction, context: Context) -> Evaluate | None:
    """A pure instruction as a function of its operand values; ``None`` for all others."""
    name = _on_integers(instruction) if context.domain.__class__ is ConcreteDomain else None
    if name is not None and (known := _KNOWN.get(name)) is not None:
        return known
    build = _pure(instruction)
    if build is None:
        return None
    try:
        refuse_large(instruction, context)
        evaluate = build(instruction, context)
    except (NotModelled, Undefined) as problem:
        return failing(problem)
    if name is not None and len(_KNOWN) < MOST:
        _KNOWN[name] = evaluate
    return evaluate


MOST = 4_096
_KNOWN: dict[Hashable, Evaluate] = {}
"""What instructions are over plain integers, of any program: a function of their words and widths, which
looks at nothing else of a module, and keeps nothing (speed only)."""


def _on_integers(instruction: ir.Instruction) -> Hashable:
    """The words and widths of an instruction that computes with plain integers; ``None`` for all others."""
    if isinstance(instruction, ir.Binary | ir.ICmp):
        if isinstance(instruction.lhs.type, IntType):
            name = instruction.opcode if isinstance(instruction, ir.Binary) else instruction.predicate
            return instruction.__class__, name, instruction.lhs.type.bits, instruction.flags
    elif isinstance(instruction, ir.Conversion):
        if isinstance(instruction.value.type, IntType) and isinstance(instruction.to, IntType):
            return instruction.opcode, instruction.value.type.bits, instruction.to.bits, instruction.flags
    return None


def prepare_intrinsic(call: ir.CallSite, context: Context) -> Evaluate | None:
    """A direct call of a pure intrinsic or library function, or of assembly that computes, as a function of
    its arguments; ``None`` if there is no model."""
    if not isinstance(call.callee, InlineAsm):
        from .intrinsics import prepare_intrinsic as prepare_named

        return prepare_named(call, context)
    from .library.table import assembly_function

    try:
        return assembly_function(call, context)
    except (NotModelled, Undefined) as problem:
        return failing(problem)


def is_volatile(instruction: ir.Instruction) -> bool:
    """Whether the outside sees it as a volatile access (semantics.md, §6)."""
    match instruction:
        case ir.Load() | ir.Store() | ir.AtomicRMW() | ir.CmpXchg():
            return instruction.volatile
        case ir.CallSite():
            from .intrinsics_memory import volatile_call

            return volatile_call(instruction)
        case _:
            return False


SEGMENTS = (256, 257, 258)
"""The address spaces in which x86 adds a segment register's base (LLVM's *CodeGenerator*, *X86 address spaces
supported*)."""


def is_of_segment(type_: Type, context: Context) -> bool:
    """Whether a type is that of pointers that are offsets in a segment of x86's: nobody here says where that
    begins."""
    if not (isinstance(type_, PointerType) and type_.address_space in SEGMENTS):
        return False
    return re.fullmatch(r"x86.*|i\d86|amd64", architecture_of(context.module)) is not None


def prepare_access(
    instruction: ir.Instruction, context: Context, moving: Container[str | None] = ()
) -> PrepareAccess | None:
    """A memory instruction, or a call of a memory intrinsic, as a function from its operand values to an
    Access. ``moving`` are the loads that nothing is computed from, by their results."""
    try:
        match instruction:
            case ir.Load() | ir.Store() | ir.AtomicRMW() | ir.CmpXchg():
                return _access(instruction, context, moving)
            case ir.CallSite() if isinstance(instruction.callee, InlineAsm):
                from .library.table import assembly_access

                return assembly_access(instruction, context)
            case ir.CallSite():
                from .intrinsics import prepare_intrinsic_access

                return prepare_intrinsic_access(instruction, context)
            case _:
                return None
    except (NotModelled, Undefined) as problem:
        return failing_access(problem)


def _access(
    instruction: ir.Load | ir.Store | ir.AtomicRMW | ir.CmpXchg,
    context: Context,
    moving: Container[str | None],
) -> PrepareAccess:
    from .memory import prepare_atomicrmw, prepare_cmpxchg, prepare_load, prepare_store

    type_ = instruction.pointer.type
    if is_fat(type_, context):
        from .resources import fat_access

        return fat_access(instruction, context)
    if is_of_segment(type_, context):
        raise NotModelled("an access by a segment register (x86's address spaces 256 to 258)")
    match instruction:
        case ir.Load():
            return prepare_load(instruction, context, instruction.result in moving)
        case ir.Store():
            return prepare_store(instruction, context)
        case ir.AtomicRMW():
            return prepare_atomicrmw(instruction, context)
        case ir.CmpXchg():
            return prepare_cmpxchg(instruction, context)
