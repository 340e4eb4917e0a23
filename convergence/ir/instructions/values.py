"""Values from values: *Unary*, *Binary*, *Conversion*, *Vector* and *Aggregate Operations*, comparisons."""

from __future__ import annotations

from ...frozen import dataclass
from ..operands import Operand
from ..types import Type
from .base import Instruction, Words


@dataclass(frozen=True, slots=True)
class FNeg(Instruction):
    value: Operand
    flags: Words = ()


@dataclass(frozen=True, slots=True)
class Binary(Instruction):
    """``opcode`` is ``add``, ``fadd``, ``shl``, ...; ``flags`` are such as ``nsw``, ``exact``, ``fast``."""

    opcode: str
    lhs: Operand
    rhs: Operand
    flags: Words = ()


@dataclass(frozen=True, slots=True)
class ICmp(Instruction):
    predicate: str
    lhs: Operand
    rhs: Operand
    flags: Words = ()  # samesign


@dataclass(frozen=True, slots=True)
class FCmp(Instruction):
    predicate: str
    lhs: Operand
    rhs: Operand
    flags: Words = ()


@dataclass(frozen=True, slots=True)
class Conversion(Instruction):
    """``opcode`` is ``trunc``, ``zext``, ``bitcast``, ``addrspacecast``, ...; ``to`` the result's type."""

    opcode: str
    value: Operand
    to: Type
    flags: Words = ()


@dataclass(frozen=True, slots=True)
class ExtractElement(Instruction):
    vector: Operand
    index: Operand


@dataclass(frozen=True, slots=True)
class InsertElement(Instruction):
    vector: Operand
    element: Operand
    index: Operand


@dataclass(frozen=True, slots=True)
class ShuffleVector(Instruction):
    first: Operand
    second: Operand
    mask: Operand


@dataclass(frozen=True, slots=True)
class ExtractValue(Instruction):
    aggregate: Operand
    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class InsertValue(Instruction):
    aggregate: Operand
    element: Operand
    indices: tuple[int, ...]
