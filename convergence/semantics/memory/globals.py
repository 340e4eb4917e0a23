"""Shared memory at the launch: functions and globals at fixed addresses (LangRef, *Global Variables*).

What the module does not say of a variable's contents is an input
(:func:`~convergence.ir.module.is_input`): :func:`launched` puts it there. Where nobody gives it, it is
taken as the initializer, or as zero, and the memory remembers that somebody looked. :func:`clone` gives each
run its own copy of what can change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...ir.module import (
    Function,
    GlobalVariable,
    Module,
    is_input,
    is_named_barrier,
    is_thread_local,
    starts_uninitialised,
)
from ...ir.operands import Packed, Simple
from ...ir.resources import holds_handle
from ...ir.types import ArrayType, IntType, NamedType, PointerType, Type
from ..errors import NotModelled, UsageError, alternatives
from ..instructions import constant
from ..instructions.memory import stored
from ..values.context import Context
from ..values.datalayout import Layout
from ..values.value import NULL, Pointer, RuntimeValue, Value
from .allocations import Allocation, Memory, PackedInitializer
from .bytes import ZERO, typed
from .environment import allocate_environment

UNSIZED = 64
"""Elements of the object that stands for a variable whose declaration leaves its size open."""


def given_variable(module: Module, name: str) -> GlobalVariable:
    """The variable to which the environment gives contents. Raises UsageError if there is none of the name,
    or if the program itself gives them."""
    variable = module.globals.get(name)
    if variable is None:
        known = alternatives(f"@{name}", (f"@{n}" for n in module.globals))
        raise UsageError(f"there is no global variable @{name}{known}")
    if variable.constant and not is_input(variable):
        raise UsageError(f"@{name} is a constant whose contents the program gives")
    return variable


def object_type(variable: GlobalVariable, layout: Layout) -> Type:
    """The type of a variable's object. A declaration may leave its size open, by an array of no elements or
    an opaque type: then it has :data:`UNSIZED` elements, i32 where nothing says of which type."""
    if variable.initializer is not None:
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
    return tuple(
        variable
        for name, variable in module.globals.items()
        if is_thread_local(variable)
        and not variable.buffer
        and not variable.constant
        and not name.startswith("llvm.")
        and not holds_handle(variable.type, module)
    )


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
