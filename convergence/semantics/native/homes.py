"""Emitted code that reads and writes the homes of registers: bits in ``%aN``, poison in ``%pN``, and of
pointers the number of what they are based on in ``%nN``.

The numbers are those of :mod:`.registers`; whoever emits a function declares the places.
"""

from __future__ import annotations

from typing import Any, Protocol

from ..arithmetic.emission import EmittedLines, NotNative, int_text
from ..arithmetic.emitting import EmittingDomain, truth_text
from ..values.value import Composite, Pointer, Value
from .registers import Parts
from .registers import Place as Home
from .translation import ABSENT


def load_home(home: Home, lines: EmittedLines, domain: EmittingDomain) -> Any:
    """The value in a register's home, of the domain that emits ``lines``."""
    if isinstance(home, Parts):
        return Composite(tuple([load_home(part, lines, domain) for part in home.parts]))
    bits = lines.value(home.bits, f"load i{home.bits}, ptr %a{home.at}")
    poison = lines.value(1, f"load i1, ptr %p{home.at}")
    if not home.pointer:
        return Value(bits, poison)
    return Pointer(bits, domain.provenance(lines.value(32, f"load i32, ptr %n{home.at}")), poison)


def store_home(home: Home, value: Any, lines: EmittedLines, domain: EmittingDomain) -> None:
    """Puts a value into a register's home. Raises NotNative for undef, which registers do not hold."""
    if isinstance(home, Parts):
        for part, element in zip(home.parts, value.elements, strict=True):
            store_home(part, element, lines, domain)
        return
    if value.__class__ is not (Pointer if home.pointer else Value):
        raise NotNative("undef")
    lines.line(f"store i{home.bits} {int_text(value.bits)}, ptr %a{home.at}")
    lines.line(f"store i1 {truth_text(value.poison)}, ptr %p{home.at}")
    if home.pointer:
        lines.line(f"store i32 {int_text(domain.object_number(value))}, ptr %n{home.at}")


class RegisterOwner(Protocol):
    """Who emits loads and stores of registers, by their slots."""

    def load(self, slot: int) -> Any: ...

    def store(self, slot: int, value: Any) -> None: ...


class SegmentRegisters:
    """The registers while a segment is emitted: what is known of them in this stretch, else loads."""

    def __init__(self, owner: RegisterOwner) -> None:
        self.owner = owner
        self.values: dict[int, Any] = {}

    def __getitem__(self, slot: int) -> Any:
        if slot == 0:
            return ABSENT
        known = self.values.get(slot)
        if known is None:
            known = self.values[slot] = self.owner.load(slot)
        return known

    def __setitem__(self, slot: int, value: Any) -> None:
        self.owner.store(slot, value)
        self.values[slot] = value
