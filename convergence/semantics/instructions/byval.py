"""LangRef, *Parameter Attributes*, ``byval``: the callee gets a copy of its own, made by the call."""

from __future__ import annotations

from collections.abc import Callable

from ...ir.module import Parameter
from ...ir.types import NamedType
from ..errors import NotModelled
from ..memory.allocations import Memory
from ..memory.bytes import moved_cells
from ..values.context import Context
from ..values.value import Pointer, Value

MakeCopy = Callable[[Memory, Value, int], Pointer]
"""From the caller's pointer and the thread to the callee's own object, which ends with its frame."""


def prepare_byval(parameter: Parameter, context: Context) -> MakeCopy | None:
    """How a ``byval`` parameter is passed; ``None`` for all others. NotModelled for literal types, which
    attributes hold only as text, and for ``inalloca`` and ``preallocated``."""
    for word in parameter.attributes:
        if word.startswith(("inalloca", "preallocated")):
            raise NotModelled(f"the parameter attribute {word}")
    found = next((w for w in parameter.attributes if w.startswith("byval(")), None)
    if found is None:
        return None
    text = found[len("byval(") : -1]
    if not text.startswith("%"):
        raise NotModelled(f"the parameter attribute {found}")
    type_ = NamedType(text[1:].strip('"'))
    size, align = context.layout.size(type_), context.layout.align(type_)
    for word in parameter.attributes:
        if word.startswith("align"):
            align = int(word.removeprefix("align").strip(" ()"))

    def copy(memory: Memory, pointer: Value, thread: int) -> Pointer:
        source, at = memory.locate(pointer, size, 1, thread, "byval argument", False)
        own = memory.allocate(size, align, thread, f"%{parameter.name}")
        target, start = memory.locate(own, size, 1, thread, "byval argument", True)
        target.cells = moved_cells(source.contents()[at : at + size], start - at)
        return own

    return copy
