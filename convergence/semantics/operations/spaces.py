"""Which memory a generic pointer points to: ``llvm.nvvm.isspacep.*``, ``llvm.amdgcn.is.shared`` and
``is.private``.

PTX ISA, *isspacep*; ``IntrinsicsAMDGPU.td``. The hardware compares addresses with windows; here the
object says it that the pointer is based on. Pointers based on nothing that the program made, or on null,
have no answer.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir.types import IntType, PointerType
from .model import AboutObject, Callee, Family, Model, Prepare

_SHARED, _CONSTANT = 3, 4
_PRIVATE = 5


def _private(space: int, stack: bool) -> bool:
    return stack or space == _PRIVATE


def _shared(space: int, stack: bool) -> bool:
    return space == _SHARED


def _constant(space: int, stack: bool) -> bool:
    return space == _CONSTANT


def _global(space: int, stack: bool) -> bool:
    return not (_private(space, stack) or _shared(space, stack) or _constant(space, stack))


def _asking(holds: Callable[[int, bool], bool]) -> Prepare:
    def prepare(callee: Callee) -> Model | None:
        parameters = callee.type.parameters
        fits = len(parameters) == 1 and isinstance(parameters[0], PointerType)
        return AboutObject(holds) if fits and callee.type.result == IntType(1) else None

    return prepare


SPACES = Family(
    ("llvm.nvvm.isspacep.", "llvm.amdgcn.is."),
    (
        (r"llvm\.nvvm\.isspacep\.local|llvm\.amdgcn\.is\.private", _asking(_private)),
        (r"llvm\.nvvm\.isspacep\.shared(?:\.cluster)?|llvm\.amdgcn\.is\.shared", _asking(_shared)),
        (r"llvm\.nvvm\.isspacep\.const", _asking(_constant)),
        (r"llvm\.nvvm\.isspacep\.global", _asking(_global)),
    ),
)
