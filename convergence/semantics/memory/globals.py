"""Memory at the launch: functions and globals at fixed addresses, and what runtimes put there for a
kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ...frozen import dataclass
from ...ir import ArrayType, IntType, NamedType, Packed, PointerType, Simple, Type
from ...ir.module import (
    Function,
    GlobalVariable,
    Module,
    builtin_name,
    is_input,
    is_named_barrier,
    is_thread_local,
    starts_uninitialised,
)
from .. import NotModelled, UsageError, alternatives
from ..values import NULL, Pointer, RuntimeValue, Unknown, Value
from ..values.datalayout import Layout, align_up
from . import UNINITIALISED, ZERO, Piece, UnknownPiece, filled, typed
from .allocations import Allocation, Memory, PackedInitializer
from .synchronisation import LOCAL_SPACE

if TYPE_CHECKING:
    from ..operations import Grid, ThreadPlace
    from ..values.context import Context

# ----------------------------------------------------------------------------------------------------------
# What runtimes put into memory for a kernel: AMD's dispatch packet, implicit and explicit arguments, and
# SPIR-V's built-in variables.
#
# HSA's *Kernel Dispatch Packet*; LLVM's *User Guide for AMDGPU Backend*, *Code Object V5 Metadata* and *V3
# Metadata* (hidden arguments), *Kernel Argument*; SPIR-V, *BuiltIn*. Who reads a byte of the dispatch
# packet or of the implicit arguments of which nobody here knows what it holds is told its name.
# ----------------------------------------------------------------------------------------------------------

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
            from ..operations.ids import object_key

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
    from ...ir.targets import KERNELS, convention_of

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
    from ..operations.ids import object_key

    provenance = context.address_of(object_key(intrinsic)).provenance
    assert provenance is not None
    known = memory.allocations[provenance.id]
    allocation = memory.allocations[provenance.id] = replace(known, problem=None)
    match intrinsic:
        case "llvm.amdgcn.dispatch.ptr":
            allocation.cells = _laid_out(context, known, [_DISPATCH_PACKET], grid)
        case "llvm.amdgcn.implicitarg.ptr":
            allocation.cells = _laid_out(context, known, _implicit_arguments(context.module), grid)
        case "llvm.amdgcn.kernarg.segment.ptr":
            _provide_arguments(memory, context, allocation, function, arguments)
        case _:
            allocation.problem = known.problem


class Field(NamedTuple):
    """A field of what the environment holds: its name, its offset in bytes, its width in bits, and what it is
    of a grid; ``None``: that is not known here."""

    name: str
    offset: int
    bits: int
    number: Callable[[Grid], int] | None = None


Fields = tuple[Field, ...]


def _laid_out(context: Context, object_: Allocation, systems: Sequence[Fields], grid: Grid) -> list[Piece]:
    """The bytes of an object that systems lay out in one of these ways: where two of them say different
    things, nobody knows which of them holds."""
    name, size = object_.provenance.name, object_.provenance.size
    words: dict[int, set[int]] = {}
    for at, byte in (known for fields in systems for known in _known_bytes(fields, grid)):
        words.setdefault(at, set()).add(byte)
    cells: list[Piece] = []
    for at in range(size):
        differ = ", where systems differ and the triple names none" if len(words.get(at, ())) > 1 else ""
        cells.append(UnknownPiece(f"byte {at} of {name}{differ}"))
    for field in (field for fields in systems for field in fields):
        place = slice(field.offset, field.offset + field.bits // 8)
        if field.number is None:
            cells[place] = [UnknownPiece(f"{field.name} in {name}")] * (field.bits // 8)
        elif all(len(words[at]) == 1 for at in range(place.start, place.stop)):
            number = context.domain.width(field.bits).constant(field.number(grid))
            form = typed(IntType(field.bits), context.layout, context.domain)
            form.write(cells, field.offset, Value(number, context.domain.false))
    return cells


def _known_bytes(fields: Fields, grid: Grid) -> Iterator[tuple[int, int]]:
    """Offsets, and the bytes there."""
    for field in fields:
        if field.number is not None:
            yield from enumerate(field.number(grid).to_bytes(field.bits // 8, "little"), field.offset)


def _each_axis(
    name: str, offset: int, bits: int, of: Callable[[Grid], Sequence[int]], step: int = 0
) -> Fields:
    """A field for each of x, y and z, one behind the other or ``step`` bytes apart."""
    return tuple(
        Field(f"{name}_{axis}", offset + n * (step or bits // 8), bits, lambda grid, n=n: of(grid)[n])  # type: ignore[misc]
        for n, axis in enumerate("xyz")
    )


def _zeros(_: Grid) -> Sequence[int]:
    return (0, 0, 0)


_DISPATCH_PACKET: Fields = (
    Field("header", 0, 16),
    Field("setup", 2, 16, lambda grid: grid.dimensions),
    *_each_axis("workgroup_size", 4, 16, lambda grid: grid.workgroup),
    Field("reserved0", 10, 16, lambda _: 0),
    *_each_axis("grid_size", 12, 32, lambda grid: grid.threads),
    Field("private_segment_size", 24, 32),
    Field("group_segment_size", 28, 32),
    Field("kernel_object", 32, 64),
    Field("kernarg_address", 40, 64),
    Field("reserved2", 48, 64, lambda _: 0),
    Field("completion_signal", 56, 64),
)
"""HSA's *Kernel Dispatch Packet*, which says of what is reserved that it must be 0: LLVM reads the last size
of the workgroup with what lies behind it."""

_V5_ARGUMENTS: Fields = (
    *_each_axis("hidden_block_count", 0, 32, lambda grid: grid.workgroups),
    *_each_axis("hidden_group_size", 12, 16, lambda grid: grid.workgroup),
    *_each_axis("hidden_remainder", 18, 16, _zeros),  # all workgroups have one size
    *_each_axis("hidden_global_offset", 40, 64, _zeros),
    Field("hidden_grid_dims", 64, 16, lambda grid: grid.dimensions),
    Field("hidden_printf_buffer", 72, 64),
    Field("hidden_hostcall_buffer", 80, 64),
    Field("hidden_multigrid_sync_arg", 88, 64),
    Field("hidden_heap_v1", 96, 64),
    Field("hidden_default_queue", 104, 64),
    Field("hidden_completion_action", 112, 64),
    Field("hidden_dynamic_lds_size", 120, 32),
    Field("hidden_private_base", 192, 32),
    Field("hidden_shared_base", 196, 32),
    Field("hidden_queue_ptr", 200, 64),
)
_V3_ARGUMENTS: Fields = (
    *_each_axis("hidden_global_offset", 0, 64, _zeros),
    Field("hidden_printf_buffer or hidden_hostcall_buffer", 24, 64),
    Field("hidden_default_queue", 32, 64),
    Field("hidden_completion_action", 40, 64),
    Field("hidden_multigrid_sync_arg", 48, 64),
)
_MESA_ARGUMENTS: Fields = (
    Field("the work dimension", 0, 32, lambda grid: grid.dimensions),
    *_each_axis("the global offset", 4, 32, _zeros),
)
"""As libclc reads them."""

V5 = 500
"""Code object version 5, as the module flag has it."""


def _implicit_arguments(module: Module) -> list[Fields]:
    """How they may be laid out: as HSA does it, or Mesa. A module without a triple counts as HSA's; what
    names neither system may be for either, as clang's builtins read HSA's there, and libclc Mesa's."""
    hsa = _V3_ARGUMENTS if _code_object(module) < V5 else _V5_ARGUMENTS
    if not module.triple or "amdhsa" in module.triple:
        return [hsa]
    return [_MESA_ARGUMENTS] if "mesa3d" in module.triple else [hsa, _MESA_ARGUMENTS]


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
        place = align_up(offset, context.layout.align(parameter.type))
        if before + place + form.size > size:
            return None
        _pad(context, cells, before + offset, before + place)
        form.write(cells, before + place, value)
        offset = place + form.size
    _pad(context, cells, before + offset, before + align_up(offset, WORD))
    return cells


WORD = 4
"""Bytes in which arguments are read: a narrower one is read with what lies behind it."""
_PADDING = 0xA5


def _pad(context: Context, cells: list[Piece], start: int, stop: int) -> None:
    """What lies between arguments somebody has written, and nobody says what it is: numbers of our choice, so
    that what depends on them is seen. Undef would be another one at each look."""
    byte = Value(context.domain.width(8).constant(_PADDING), context.domain.false)
    for at in range(start, stop):
        cells[at : at + 1] = filled(1, byte)


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
    allocation.thread_local = True
    memory.contents_of[provenance.id] = BuiltinContents(type_, provenance.size, value_of, place, context)


@dataclass(frozen=True, slots=True)
class BuiltinContents:
    """What a built-in variable of a type holds, by the thread: the value for the thread's ``place``."""

    type: Type
    size: int
    value_of: Callable[[ThreadPlace], RuntimeValue]
    place: Callable[[int], ThreadPlace]
    context: Context

    def __call__(self, thread: int) -> list[Piece]:
        """A thread's, byte by byte."""
        cells = [UNINITIALISED] * self.size
        form = typed(self.type, self.context.layout, self.context.domain)
        form.write(cells, 0, self.value_of(self.place(thread)))
        return cells


def _builtin(name: str, type_: Type, module: Module) -> Callable[[ThreadPlace], RuntimeValue] | None:
    """What a built-in is of each thread, as a value of a type; ``None`` if it has no model."""
    from ..operations.ids import SPIRV_VECTORS, as_value, spirv_number
    from ..operations.lanes import integer, width_of

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


# ----------------------------------------------------------------------------------------------------------
# Shared memory at the launch: functions and globals at fixed addresses (LangRef, *Global Variables*).
#
# What the module does not say of a variable's contents is an input
# (:func:`~convergence.ir.module.is_input`): :func:`launched` puts it there. Where nobody gives it, it is
# taken as the initializer, or as zero, and the memory remembers that somebody looked. :func:`clone` gives
# each run its own copy of what can change.
# ----------------------------------------------------------------------------------------------------------


UNSIZED = 64
"""Elements of the object that stands for a variable whose declaration leaves its size open."""


def given_variable(module: Module, name: str) -> GlobalVariable:
    """The variable to which the environment gives contents. Raises UsageError if there is none of the name,
    or if the program itself gives them."""
    variable = module.globals.get(name)
    if variable is None:
        known = alternatives(f"@{name}", (f"@{n}" for n, v in module.globals.items() if not v.buffer))
        raise UsageError(f"there is no global variable @{name}{known}")
    if variable.constant and not is_input(variable):
        raise UsageError(f"@{name} is a constant whose contents the program gives")
    return variable


def object_type(variable: GlobalVariable, layout: Layout) -> Type:
    """The type of a variable's object. A declaration may leave its size open, by an array of no elements or
    an opaque type: then it has :data:`UNSIZED` elements, i32 where nothing says of which type. A buffer that
    a launch puts into a workgroup's memory has the size that the launch says, though it holds nothing."""
    of_launch = bool(variable.buffer) and variable.address_space == LOCAL_SPACE
    if variable.initializer is not None or of_launch:
        return variable.type
    type_: Type | None = variable.type
    while isinstance(type_, NamedType):
        type_ = layout.types.get(type_.name)
    match type_:
        case None:
            return ArrayType(UNSIZED, IntType(32))
        case ArrayType(0, element):
            return ArrayType(UNSIZED, element)
        case _:
            return variable.type


def initial_memory(
    context: Context,
    addresses: dict[str, Value],
    memory: Memory | None = None,
    absent: frozenset[str] = frozenset(),
) -> Memory:
    """Lays out every function and global variable, fills in ``addresses``, then the initial contents.

    ``memory`` is an empty one to do that in, where the context needs it meanwhile; ``absent`` symbols are
    null."""
    layout = context.layout
    memory = memory if memory is not None else Memory(layout, context.domain)

    def place_function(function: Function) -> None:
        pointer = memory.allocate(1, 16, None, f"@{function.name}", function.address_space or 0)
        assert pointer.provenance is not None
        allocation = memory.allocations[pointer.provenance.id]
        allocation.function, allocation.constant = function.name, True
        addresses[function.name] = pointer

    intrinsics = {name: f for name, f in context.module.functions.items() if name.startswith("llvm.")}
    for name, function in context.module.functions.items():
        if name not in intrinsics:
            place_function(function)
    sized: list[tuple[GlobalVariable, Value]] = []
    for name, variable in context.module.globals.items():
        try:
            type_ = object_type(variable, layout)
            size = layout.size(type_)
            align = _alignment(variable.tail) or _preferred(layout.preferred_align(type_), size)
        except NotModelled:
            continue  # a variable of no size: whoever reaches it says so
        open_ended = type_ != variable.type
        place = memory.allocate(size, align, None, variable.label, variable.address_space, open_ended)
        addresses[name] = place
        sized.append((variable, place))
    allocate_environment(context, addresses, memory)
    for function in intrinsics.values():
        # Nobody may take their addresses (LangRef, *Intrinsic Functions*); so which of them are declared
        # decides nothing about where others lie.
        place_function(function)
    for name in absent:
        symbol = context.module.globals.get(name) or context.module.functions[name]
        width = layout.bits(PointerType(symbol.address_space or 0))
        addresses[name] = Pointer(context.domain.width(width).constant(0), NULL, context.domain.false)
    for variable, start in sized:
        _initialise(memory, variable, start, context)
    return memory


def _initialise(memory: Memory, variable: GlobalVariable, pointer: Value, context: Context) -> None:
    from ..instructions.expressions import constant
    from ..instructions.memory import stored

    assert pointer.provenance is not None
    allocation = memory.allocations[pointer.provenance.id]
    match variable.initializer:
        case None if starts_uninitialised(variable):
            pass
        case None | Simple(kind="zeroinitializer" | "null"):
            allocation.default = ZERO
        case Simple(kind="undef" | "poison"):
            if is_named_barrier(variable.type, context.module):
                allocation.problem = f"the bytes of the barrier {variable.label}, which has none"
        case Packed() as packed:
            allocation.packed = PackedInitializer(packed, context.layout, context.domain)
        case initial:
            try:
                form = typed(variable.type, context.layout, context.domain)
                stored(form, 1)(memory, pointer, constant(initial, context), 0)
            except NotModelled as problem:
                allocation.problem = f"{problem.feature} in the initializer of @{variable.name}"
    if variable.buffer:
        assert isinstance(variable.type, ArrayType)
        allocation.stride = context.layout.size(variable.type.element)
    allocation.constant = variable.constant
    allocation.relaxed = variable.relaxed
    allocation.thread_local = is_thread_local(variable)
    if is_input(variable):
        allocation.assumed = True
        allocation.initial = None if allocation.cells is None else tuple(allocation.cells)


def block_address(memory: Memory, function: str, block: str) -> Value:
    """A new address for ``blockaddress(@function, %block)``."""
    pointer = memory.allocate(1, 1, None, f"blockaddress(@{function}, %{block})")
    assert pointer.provenance is not None
    allocation = memory.allocations[pointer.provenance.id]
    allocation.block, allocation.constant = (function, block), True
    return pointer


def _preferred(preferred: int, size: int) -> int:
    """The alignment that LLVM gives a global variable which asks for none, and then relies on: its type's
    preferred one, and 16 bytes if it is larger than that."""
    return max(preferred, 16) if size > 16 else preferred


def _alignment(tail: Iterable[str]) -> int:
    """``align N`` in a global's tail, else 0."""
    numbers = (number for word, _, number in (part.partition(" ") for part in tail) if word == "align")
    return max(map(int, numbers), default=0)


def clone(memory: Memory) -> Memory:
    """A copy for one run; contents that cannot change are shared. No further global may be laid out in it."""
    copy = Memory(memory.layout, memory.domain)
    copy.workgroups, copy.workgroup_threads = memory.workgroups, memory.workgroup_threads
    copy.contents_of = memory.contents_of
    copy.allocations = {key: a if a.constant else _copied(a) for key, a in memory.allocations.items()}
    copy.instances = {key: _copied(a) for key, a in memory.instances.items()}
    return copy


def _copied(allocation: Allocation) -> Allocation:
    cells = None if allocation.cells is None else list(allocation.cells)
    return replace(allocation, cells=cells, table=None)


def launched(memory: Memory, context: Context, contents: Mapping[str, Sequence[RuntimeValue]]) -> Memory:
    """A copy for one run, with what the environment put into variables: per name one value, or one per thread
    where each thread has its own; none where nobody knows: whoever looks there says so. NotModelled for
    values that are too large."""
    copy = clone(memory)
    for name, values in contents.items():
        provenance = context.address_of(name).provenance
        assert provenance is not None
        allocation = copy.allocations[provenance.id]
        if allocation.constant:
            allocation = copy.allocations[provenance.id] = _copied(allocation)
        allocation.assumed = False
        if not values:
            allocation.problem = f"what @{name} holds at the launch"
            continue
        type_ = object_type(context.module.globals[name], context.layout)
        write = typed(type_, context.layout, context.domain).write
        own = len(values) > 1
        objects = [copy.instance(allocation, t) for t in range(len(values))] if own else [allocation]
        for object_, value in zip(objects, values, strict=True):
            object_.assumed, object_.problem = False, None
            write(object_.contents(), 0, value)
    return copy


def own_variables(module: Module) -> tuple[GlobalVariable, ...]:
    """The variables that each thread has for itself and can change, but for those that hold handles."""
    variables = [
        variable
        for name, variable in module.globals.items()
        if is_thread_local(variable)
        and not variable.buffer
        and not variable.constant
        and not name.startswith("llvm.")
    ]
    if not variables:
        return ()
    from ...ir.resources import holds_handle

    return tuple(variable for variable in variables if not holds_handle(variable.type, module))


def own_values(
    variables: Iterable[GlobalVariable], context: Context, memory: Memory, thread: int
) -> tuple[tuple[str, Type, RuntimeValue], ...]:
    """What a thread's own ``variables`` hold: name with ``@``, type, value. NotModelled for one that is too
    large."""
    values: list[tuple[str, Type, RuntimeValue]] = []
    for variable in variables:
        name = variable.name
        try:
            provenance = context.address_of(name).provenance
        except NotModelled:
            continue  # of no size: nobody wrote to it
        assert provenance is not None
        if provenance is NULL:
            continue
        instance = memory.instance(memory.allocations[provenance.id], thread)
        type_ = object_type(variable, context.layout)
        read = typed(type_, context.layout, context.domain).read
        values.append((f"@{name}", type_, read(instance.contents(), 0)))
    return tuple(values)


def assumptions(memory: Memory) -> tuple[str, ...]:
    """In words, whose contents at the launch somebody looked at although nobody gave them."""
    return tuple(
        f"what {name} holds at the launch is an input: {'zero' if zero else 'its initializer'} was taken "
        f"({'--global' if name.startswith('@') else '--buffer'} gives something else)"
        for name, zero in memory.assumed.items()
    )
