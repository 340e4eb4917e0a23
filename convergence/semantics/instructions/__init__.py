"""What each instruction does to values and memory: the interface of the machine.

``prepare`` stages pure instructions, ``prepare_access`` those that touch memory, ``prepare_intrinsic`` pure
calls.
Preparing never fails for what a thread may never reach: the prepared callable raises Undefined or
NotModelled when it is called. Control flow, phi, call and return are the machine's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from typing import Any

from ...ir import instructions as ir
from ...ir.operands import InlineAsm
from ...ir.targets import architecture_of
from ...ir.types import PointerType, SimpleType, Type
from ..errors import NotModelled, Undefined
from ..memory.accesses import Access, PrepareAccess, failing_access, footprint, perform
from ..memory.bytes import Touch
from ..values.context import Context, Evaluate
from . import binary, conversion, memory, other
from . import memory as addressing
from . import memory as atomics
from . import other as aggregate
from . import other as vector
from .expressions import constant
from .intrinsics import ENDS_THREAD, base_name, is_marker, prepare_intrinsic_access
from .intrinsics import prepare_intrinsic as prepare_named
from .intrinsics_memory import volatile_call
from .library.table import assembly_access, assembly_function, assembly_operation
from .lifting import checked_result, failing, operands, refuse_large
from .memory import Request, fence_of, prepare_alloca
from .promises import attribute_promises, defined_word, metadata_promises, moved_into_range
from .resources import fat_access, is_fat

__all__ = [
    "ENDS_THREAD", "Access", "Context", "Evaluate", "PrepareAccess", "Request", "Touch",
    "assembly_operation", "attribute_promises", "base_name", "checked_result", "constant",
    "defined_word", "fence_of", "footprint", "is_marker", "is_volatile", "metadata_promises",
    "moved_into_range", "operands", "perform", "prepare", "prepare_access", "prepare_alloca",
    "prepare_intrinsic",
]  # fmt: skip

PURE: Mapping[type[ir.Instruction], Callable[[Any, Context], Evaluate]] = {
    ir.FNeg: binary.prepare_fneg,
    ir.Binary: binary.prepare_binary,
    ir.ICmp: other.prepare_icmp,
    ir.FCmp: other.prepare_fcmp,
    ir.Conversion: conversion.prepare_conversion,
    ir.ExtractElement: vector.prepare_extractelement,
    ir.InsertElement: vector.prepare_insertelement,
    ir.ShuffleVector: vector.prepare_shufflevector,
    ir.ExtractValue: aggregate.prepare_extractvalue,
    ir.InsertValue: aggregate.prepare_insertvalue,
    ir.GetElementPtr: addressing.prepare_gep,
    ir.Select: other.prepare_select,
    ir.Freeze: other.prepare_freeze,
}

ACCESSES: Mapping[type[ir.Instruction], Callable[[Any, Context], PrepareAccess]] = {
    ir.Load: memory.prepare_load,
    ir.Store: memory.prepare_store,
    ir.AtomicRMW: atomics.prepare_atomicrmw,
    ir.CmpXchg: atomics.prepare_cmpxchg,
}


def prepare(instruction: ir.Instruction, context: Context) -> Evaluate | None:
    """A pure instruction as a function of its operand values; ``None`` for all others."""
    build = PURE.get(type(instruction))
    if build is None:
        return None
    try:
        refuse_large(instruction, context)
        return build(instruction, context)
    except (NotModelled, Undefined) as problem:
        return failing(problem)


def prepare_intrinsic(call: ir.CallSite, context: Context) -> Evaluate | None:
    """A direct call of a pure intrinsic or library function, or of assembly that computes, as a function of
    its arguments; ``None`` if there is no model."""
    if not isinstance(call.callee, InlineAsm):
        return prepare_named(call, context)
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
            return volatile_call(instruction)
        case _:
            return False


def address_type(instruction: ir.Instruction) -> Type:
    """The type of the address that an instruction accesses."""
    match instruction:
        case ir.Load() | ir.Store() | ir.AtomicRMW() | ir.CmpXchg():
            return instruction.pointer.type
        case _:
            return SimpleType("void")


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
    build = ACCESSES.get(type(instruction))
    try:
        if build is not None:
            type_ = address_type(instruction)
            if is_fat(type_, context):
                return fat_access(instruction, context)
            if is_of_segment(type_, context):
                raise NotModelled("an access by a segment register (x86's address spaces 256 to 258)")
        if isinstance(instruction, ir.Load):
            return memory.prepare_load(instruction, context, instruction.result in moving)
        if build is not None:
            return build(instruction, context)
        if isinstance(instruction, ir.CallSite) and isinstance(instruction.callee, InlineAsm):
            return assembly_access(instruction, context)
        if isinstance(instruction, ir.CallSite):
            return prepare_intrinsic_access(instruction, context)
    except (NotModelled, Undefined) as problem:
        return failing_access(problem)
    return None
