"""*Memory Access and Addressing Operations*."""

from __future__ import annotations

from ...frozen import dataclass
from ..operands import Operand
from ..types import Type
from .base import Instruction, Words


@dataclass(frozen=True, slots=True)
class Alloca(Instruction):
    type: Type
    count: Operand | None = None
    align: int | None = None
    address_space: int | str = 0
    flags: Words = ()  # inalloca, swifterror


@dataclass(frozen=True, slots=True)
class Load(Instruction):
    """``ordering`` and ``scope`` are ``None`` for a load that is not atomic."""

    type: Type
    pointer: Operand
    align: int | None = None
    volatile: bool = False
    ordering: str | None = None
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Store(Instruction):
    value: Operand
    pointer: Operand
    align: int | None = None
    volatile: bool = False
    ordering: str | None = None
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Fence(Instruction):
    ordering: str
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class CmpXchg(Instruction):
    pointer: Operand
    expected: Operand
    replacement: Operand
    success: str
    failure: str
    weak: bool = False
    volatile: bool = False
    scope: str | None = None
    align: int | None = None


@dataclass(frozen=True, slots=True)
class AtomicRMW(Instruction):
    operation: str
    pointer: Operand
    value: Operand
    ordering: str
    volatile: bool = False
    scope: str | None = None
    align: int | None = None


@dataclass(frozen=True, slots=True)
class GetElementPtr(Instruction):
    source: Type
    pointer: Operand
    indices: tuple[Operand, ...]
    flags: Words = ()
