"""Shared memory at the launch: functions and globals at fixed addresses (LangRef, *Global Variables*).

An external variable without an initializer starts as zero: what the environment puts there is
outside the program. :func:`clone` gives each run its own copy of what can change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...ir.module import GlobalVariable
from ...ir.operands import Simple
from ..errors import NotModelled
from ..instructions import constant
from ..instructions.memory import stored
from ..values.context import Context
from ..values.value import Value
from .allocations import Memory
from .bytes import ZERO, typed


def initial_memory(context: Context, addresses: dict[str, Value], memory: Memory | None = None) -> Memory:
    """Lays out every function and global variable, fills in ``addresses``, then the initial contents.

    ``memory`` is an empty one to do that in, where the context needs it meanwhile.
    """
    layout = context.layout
    memory = memory if memory is not None else Memory(layout, context.domain)
    for name, function in context.module.functions.items():
        pointer = memory.allocate(1, 16, None, f"@{name}", function.address_space or 0)
        assert pointer.provenance is not None
        allocation = memory.allocations[pointer.provenance.id]
        allocation.function, allocation.constant = name, True
        addresses[name] = pointer
    sized: list[tuple[GlobalVariable, Value]] = []
    for name, variable in context.module.globals.items():
        try:
            size = layout.size(variable.type)
            align = _alignment(variable.tail) or _chosen(layout.preferred_align(variable.type), size)
        except NotModelled:
            continue  # a variable of no size: whoever reaches it says so
        place = memory.allocate(size, align, None, f"@{name}", variable.address_space)
        addresses[name] = place
        sized.append((variable, place))
    for variable, start in sized:
        _initialise(memory, variable, start, context)
    return memory


def _initialise(memory: Memory, variable: GlobalVariable, pointer: Value, context: Context) -> None:
    assert pointer.provenance is not None
    allocation = memory.allocations[pointer.provenance.id]
    match variable.initializer:
        case None | Simple(kind="zeroinitializer" | "null"):
            allocation.default = ZERO
        case Simple(kind="undef" | "poison"):
            pass
        case initial:
            try:
                form = typed(variable.type, context.layout, context.domain)
                stored(form, 1)(memory, pointer, constant(initial, context), 0)
            except NotModelled as problem:
                allocation.problem = f"{problem.what} in the initializer of @{variable.name}"
    allocation.constant = variable.constant
    allocation.thread_local = any(w.startswith("thread_local") for w in variable.words)


def block_address(memory: Memory, function: str, block: str) -> Value:
    """A new address for ``blockaddress(@function, %block)``."""
    pointer = memory.allocate(1, 1, None, f"blockaddress(@{function}, %{block})")
    assert pointer.provenance is not None
    allocation = memory.allocations[pointer.provenance.id]
    allocation.block, allocation.constant = (function, block), True
    return pointer


def _chosen(preferred: int, size: int) -> int:
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
    copy.allocations = {
        key: a if a.constant else replace(a, cells=None if a.cells is None else list(a.cells))
        for key, a in memory.allocations.items()
    }
    return copy
