"""What runtimes put into memory for a kernel: AMD's dispatch packet, implicit and explicit arguments, and
SPIR-V's built-in variables.

HSA's *Kernel Dispatch Packet*; LLVM's *User Guide for AMDGPU Backend*, *Code Object V5 Metadata* and *V3
Metadata* (hidden arguments), *Kernel Argument*; SPIR-V, *BuiltIn*. Bytes that nobody here knows hold undef.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...ir.conventions import KERNELS, convention_of
from ...ir.module import Function, GlobalVariable, Module
from ...ir.types import IntType, Type
from ...ir.variables import builtin_name
from ..errors import NotModelled
from ..operations.extent import Grid
from ..operations.ids import SPIRV_VECTORS, as_value, object_key, spirv_number
from ..operations.model import ThreadPlace
from ..operations.reductions import integer, width_of
from ..values.context import Context
from ..values.datalayout import align_up
from ..values.pending import Unknown
from ..values.value import RuntimeValue, Value
from .allocations import Allocation, Memory
from .bytes import UNINITIALISED, Piece, typed

CONSTANT_SPACE = 4
"""AMDGPU's address space of constant memory."""


class EnvironmentObject(NamedTuple):
    """An object of the environment: its name in messages, its size and alignment in bytes."""

    name: str
    size: int
    align: int


OBJECTS: Mapping[str, EnvironmentObject] = {
    "llvm.amdgcn.dispatch.ptr": EnvironmentObject("the dispatch packet", 64, 64),
    "llvm.amdgcn.implicitarg.ptr": EnvironmentObject("the implicit arguments", 256, 8),
    "llvm.amdgcn.kernarg.segment.ptr": EnvironmentObject("the kernel arguments", 4096, 16),
    "llvm.amdgcn.queue.ptr": EnvironmentObject("the queue", 256, 64),
}
"""By the intrinsic that gives its address."""

_ARGUMENTS = "llvm.amdgcn.kernarg.segment.ptr"


def allocate_environment(context: Context, addresses: dict[str, Value], memory: Memory) -> None:
    """Places for the objects whose addresses a module asks for; ``addresses`` has them by their
    :func:`object_key`."""
    for intrinsic, shape in OBJECTS.items():
        if intrinsic in context.module.functions:
            align = max(shape.align, _argument_alignment(context)) if intrinsic == _ARGUMENTS else shape.align
            pointer = memory.allocate(shape.size, align, None, shape.name, CONSTANT_SPACE)
            assert pointer.provenance is not None
            allocation = memory.allocations[pointer.provenance.id]
            allocation.constant = True
            allocation.problem = f"what {shape.name} holds"
            addresses[object_key(intrinsic)] = pointer


def _argument_alignment(context: Context) -> int:
    """The segment lies at a multiple of the greatest alignment of a kernel's arguments, in bytes
    (``.kernarg_segment_align`` of the code object's metadata), which AMDGPULowerKernelArguments relies on."""
    kernels = (f for f in context.module.functions.values() if convention_of(f.convention) in KERNELS)
    return max((context.layout.align(p.type) for f in kernels for p in f.parameters), default=1)


def provide(
    memory: Memory,
    context: Context,
    grid: Grid,
    function: Function,
    arguments: Sequence[Sequence[Any]],
    place: Callable[[int], ThreadPlace],
) -> None:
    """Fills in what the objects hold in a launch of ``function`` by this ``grid``; ``place`` says where a
    thread is."""
    for intrinsic in OBJECTS:
        if intrinsic in context.module.functions:
            _provide(memory, context, intrinsic, grid, function, arguments)
    for name, variable in context.module.globals.items():
        if (builtin := builtin_name(variable)) is not None:
            _provide_builtin(memory, context, name, builtin, variable.type, place)


def _provide(
    memory: Memory,
    context: Context,
    intrinsic: str,
    grid: Grid,
    function: Function,
    arguments: Sequence[Sequence[Any]],
) -> None:
    provenance = context.address_of(object_key(intrinsic)).provenance
    assert provenance is not None
    known = memory.allocations[provenance.id]
    allocation = memory.allocations[provenance.id] = replace(known, problem=None)
    cells = [UNINITIALISED] * provenance.size

    def write(numbers: Iterator[Field]) -> None:
        for offset, bits, number in numbers:
            value = Value(context.domain.width(bits).constant(number), context.domain.false)
            typed(IntType(bits), context.layout, context.domain).write(cells, offset, value)

    match intrinsic:
        case "llvm.amdgcn.dispatch.ptr":
            write(_dispatch_packet(grid))
        case "llvm.amdgcn.implicitarg.ptr":
            write(_implicit_arguments(grid, context.module))
        case "llvm.amdgcn.kernarg.segment.ptr":
            _provide_arguments(memory, context, allocation, function, arguments)
            return
        case _:
            allocation.problem = known.problem
            return
    allocation.cells = cells


Field = tuple[int, int, int]
"""An offset in bytes, a width in bits, and a number."""


def _dispatch_packet(grid: Grid) -> Iterator[Field]:
    yield 2, 16, grid.dimensions
    for axis in range(3):
        yield 4 + 2 * axis, 16, grid.workgroup[axis]
        yield 12 + 4 * axis, 32, grid.threads[axis]


V5 = 500
"""Code object version 5, as the module flag has it."""


def _implicit_arguments(grid: Grid, module: Module) -> Iterator[Field]:
    """Those that say how large the launch is: HSA's, or, for another system than ``amdhsa``, Mesa's, as
    libclc reads them. A module without a triple counts as HSA's."""
    if module.triple and "amdhsa" not in module.triple:
        yield 0, 32, grid.dimensions
        for axis in range(3):
            yield 4 + 4 * axis, 32, 0  # the global offset
        return
    version = _code_object(module)
    for axis in range(3):
        if version < V5:
            yield 8 * axis, 64, 0  # the global offset
        else:
            yield 4 * axis, 32, grid.workgroups[axis]
            yield 12 + 2 * axis, 16, grid.workgroup[axis]
            yield 18 + 2 * axis, 16, 0  # the remainder: all workgroups have one size
            yield 40 + 8 * axis, 64, 0  # the global offset
    if version >= V5:
        yield 64, 16, grid.dimensions


def _code_object(module: Module) -> int:
    """The version of AMDGPU's code objects that a module is for; the latest one where it does not say."""
    flag = module.flag("amdhsa_code_object_version")
    return V5 if flag is None else flag


def _provide_arguments(
    memory: Memory,
    context: Context,
    allocation: Allocation,
    function: Function,
    arguments: Sequence[Sequence[Any]],
) -> None:
    """The explicit arguments, each at the next multiple of its alignment."""
    alike = bool(arguments) and all(row is arguments[0] for row in arguments)
    values = arguments[:1] if alike else arguments
    rows = [_arguments(context, function, row, allocation.provenance.size) for row in values]
    if any(row is None for row in rows):
        allocation.problem = "what the kernel arguments hold"
    elif rows and any(row != rows[0] for row in rows):
        allocation.thread_local = True
        memory.contents_of[allocation.provenance.id] = lambda thread: rows[thread] or []
    else:
        allocation.cells = rows[0] if rows else None


_OTHER_SYSTEM = 36
"""Bytes before the first argument for systems that have no other convention of their own
(``AMDGPUSubtarget::getExplicitKernelArgOffset``); the arguments' alignment counts from there."""


def _before_arguments(module: Module) -> int:
    known = not module.triple or any(name in module.triple for name in ("amdhsa", "amdpal", "mesa3d"))
    return 0 if known else _OTHER_SYSTEM


def _arguments(context: Context, function: Function, row: Sequence[Any], size: int) -> list[Piece] | None:
    """A thread's arguments as bytes; ``None`` if one has no value, or is of another kind."""
    cells, offset = [UNINITIALISED] * size, 0
    before = _before_arguments(context.module)
    for parameter, value in zip(function.parameters, row, strict=False):
        if isinstance(value, Unknown) or any(w.startswith(("byref", "byval")) for w in parameter.attributes):
            return None
        form = typed(parameter.type, context.layout, context.domain)
        offset = align_up(offset, context.layout.align(parameter.type))
        if before + offset + form.size > size:
            return None
        form.write(cells, before + offset, value)
        offset += form.size
    return cells


def _provide_builtin(
    memory: Memory,
    context: Context,
    name: str,
    builtin: str,
    type_: Type,
    place: Callable[[int], ThreadPlace],
) -> None:
    """A built-in variable holds for each thread what it is there."""
    try:
        provenance = context.address_of(name).provenance
    except NotModelled:
        return  # of no size: nobody reads it
    assert provenance is not None
    known = memory.allocations[provenance.id]
    allocation = memory.allocations[provenance.id] = replace(known, constant=True)
    value_of = _builtin(builtin, context.layout.resolve(type_), context.module)
    if value_of is None:
        allocation.problem = f"@{name}, which holds an id, a size or a lane number"
        return
    form, number_of = typed(type_, context.layout, context.domain), value_of
    allocation.thread_local = True

    def cells_of(thread: int) -> list[Piece]:
        cells = [UNINITIALISED] * provenance.size
        form.write(cells, 0, number_of(place(thread)))
        return cells

    memory.contents_of[provenance.id] = cells_of


def _builtin(name: str, type_: Type, module: Module) -> Callable[[ThreadPlace], RuntimeValue] | None:
    """What a built-in is of each thread, as a value of a type; ``None`` if it has no model."""
    if (along := SPIRV_VECTORS.get(name)) is not None and (builtin := as_value(type_)) is not None:
        ids, value = along, builtin
        return lambda place: value(ids(place))
    bits = width_of(type_)
    if (number := spirv_number(name, module)) is None or bits is None:
        return None
    of, width = number, bits
    return lambda place: integer(of(place), width)


def builtin_variables(module: Module) -> tuple[GlobalVariable, ...]:
    """The built-in variables that a module names."""
    return tuple(v for v in module.globals.values() if builtin_name(v) is not None)


def needs_environment(module: Module) -> bool:
    """Whether a module asks for something here."""
    return any(name in module.functions for name in OBJECTS) or bool(builtin_variables(module))
