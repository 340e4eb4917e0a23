"""*Terminator Instructions*: what ends a block, and where it goes."""

from __future__ import annotations

from ...frozen import dataclass
from ..operands import Operand
from .base import Instruction
from .calls import CallBr, Invoke


@dataclass(frozen=True, slots=True)
class Ret(Instruction):
    value: Operand | None


@dataclass(frozen=True, slots=True)
class Br(Instruction):
    target: str


@dataclass(frozen=True, slots=True)
class CondBr(Instruction):
    condition: Operand
    then: str
    otherwise: str


@dataclass(frozen=True, slots=True)
class Switch(Instruction):
    value: Operand
    default: str
    cases: tuple[tuple[Operand, str], ...]


@dataclass(frozen=True, slots=True)
class IndirectBr(Instruction):
    address: Operand
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resume(Instruction):
    value: Operand


@dataclass(frozen=True, slots=True)
class CatchSwitch(Instruction):
    parent: Operand
    handlers: tuple[str, ...]
    unwind: str | None  # None: to caller


@dataclass(frozen=True, slots=True)
class CatchRet(Instruction):
    pad: Operand
    target: str


@dataclass(frozen=True, slots=True)
class CleanupRet(Instruction):
    pad: Operand
    unwind: str | None


@dataclass(frozen=True, slots=True)
class Unreachable(Instruction):
    pass


Terminator = (
    Ret
    | Br
    | CondBr
    | Switch
    | IndirectBr
    | Invoke
    | CallBr
    | Resume
    | CatchSwitch
    | CatchRet
    | CleanupRet
    | Unreachable
)


def successors(instruction: Instruction) -> tuple[str, ...]:
    """The blocks that a terminator names, in text order, repetitions kept; ``()`` for all others."""
    match instruction:
        case Br(target):
            return (target,)
        case CondBr(_, then, otherwise):
            return (then, otherwise)
        case Switch(_, default, cases):
            return (default, *(block for _, block in cases))
        case IndirectBr(_, targets):
            return targets
        case Invoke():
            return (instruction.normal, instruction.unwind)
        case CallBr():
            return (instruction.fallthrough, *instruction.indirect)
        case CatchSwitch(_, handlers, unwind):
            return handlers if unwind is None else (*handlers, unwind)
        case CatchRet(_, target):
            return (target,)
        case CleanupRet(_, unwind):
            return () if unwind is None else (unwind,)
        case _:
            return ()
