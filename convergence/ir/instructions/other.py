"""*Other Operations* but calls and comparisons, the pads, and debug records."""

from __future__ import annotations

from ...frozen import dataclass
from ..operands import Metadata, Operand
from ..types import Type
from .base import Instruction, Words


@dataclass(frozen=True, slots=True)
class Phi(Instruction):
    type: Type
    incoming: tuple[tuple[Operand, str], ...]
    flags: Words = ()


@dataclass(frozen=True, slots=True)
class Select(Instruction):
    condition: Operand
    then: Operand
    otherwise: Operand
    flags: Words = ()


@dataclass(frozen=True, slots=True)
class Freeze(Instruction):
    value: Operand


@dataclass(frozen=True, slots=True)
class VAArg(Instruction):
    list: Operand
    type: Type


@dataclass(frozen=True, slots=True)
class LandingPad(Instruction):
    """``clauses`` are (``catch`` or ``filter``, operand)."""

    type: Type
    cleanup: bool
    clauses: tuple[tuple[str, Operand], ...]


@dataclass(frozen=True, slots=True)
class CatchPad(Instruction):
    parent: Operand
    arguments: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class CleanupPad(Instruction):
    parent: Operand
    arguments: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class DebugRecord(Instruction):
    """``#dbg_value(...)`` and its kin: no instruction, executes as nothing."""

    kind: str
    operands: tuple[Metadata | Operand, ...]
