"""LangRef, *Parameter Attributes*, ``byval``: the callee gets a copy of its own, made by the call."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir.module import Parameter
from ...ir.types import NamedType
from ..errors import NotModelled
from ..memory.accesses import Access, PrepareAccess, Shape, Touch, address, touched
from ..memory.allocations import Memory
from ..memory.bytes import moved_cells
from ..values.context import Context
from ..values.value import Pointer, scalar


@dataclass(frozen=True, slots=True)
class ByvalCopy:
    """How one ``byval`` parameter is passed: the callee's own object of ``size`` bytes, which ends with its
    frame, and the ``access`` that fills it, from its address and the caller's pointer. The access is one
    like any other: an environment says when it is done, and it can race."""

    name: str
    size: int
    align: int
    access: PrepareAccess

    def allocate(self, memory: Memory, thread: int) -> Pointer:
        """The callee's own object."""
        return memory.allocate(self.size, self.align, thread, f"%{self.name}")


def prepare_byval(parameter: Parameter, context: Context) -> ByvalCopy | None:
    """How a ``byval`` parameter is passed; ``None`` for all others. NotModelled for literal types, which
    attributes hold only as text, and for ``inalloca`` and ``preallocated``."""
    for word in parameter.attributes:
        if word.startswith(("inalloca", "preallocated")):
            raise NotModelled(f"the parameter attribute {word}")
    byval = next((w for w in parameter.attributes if w.startswith("byval(")), None)
    if byval is None:
        return None
    text = byval[len("byval(") : -1]
    if not text.startswith("%"):
        raise NotModelled(f"the parameter attribute {byval}")
    type_ = NamedType(text[1:].strip('"'))
    size, align = context.layout.size(type_), context.layout.align(type_)
    for word in parameter.attributes:
        if word.startswith("align"):
            align = int(word.removeprefix("align").strip(" ()"))

    def perform(access: Access, memory: Memory, thread: int) -> None:
        source, at = memory.locate(scalar(access.operands[0]), size, 1, thread, "byval argument", False)
        target, start = memory.locate(address(access), size, 1, thread, "byval argument", True)
        target.contents()[start : start + size] = moved_cells(source.contents()[at : at + size], start - at)

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        source = touched(memory, scalar(access.operands[0]), size, thread, False)
        return (source, touched(memory, address(access), size, thread, True))

    shape = Shape("byval", True, True, perform, footprint=footprint)
    return ByvalCopy(parameter.name, size, align, lambda target, source: Access(shape, target, (source,)))
