"""Which model a declared function has: one open table from name patterns to models.

The models themselves are pure functions of {lane: operands}; they stand in the modules of their
families. A later entry never overrides an earlier one: the first whose pattern and types fit is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from ...frozen import dataclass
from ...ir import IntType, PointerType
from ...ir.targets import architecture_of
from . import AboutObject, Callee, Exchanging, Model, Operations, Prepare
from .barriers import BY_LANGUAGE
from .ids import IDS

# ----------------------------------------------------------------------------------------------------------
# Which memory a generic pointer points to: ``llvm.nvvm.isspacep.*``, ``llvm.amdgcn.is.shared`` and
# ``is.private``; OpenCL's ``to_global`` and its kin, and SPIR-V's.
#
# PTX ISA, *isspacep*; ``IntrinsicsAMDGPU.td``; OpenCL C, *Address Space Qualifier Functions*; SPIR-V,
# *OpGenericCastToPtrExplicit*. The hardware compares addresses with windows; here the
# object says it that the pointer is based on. Pointers based on nothing that the program made, or on null,
# have no answer.
# ----------------------------------------------------------------------------------------------------------

_SHARED, _CONSTANT = 3, 4
_PRIVATE, _GENERIC = 5, 4


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


_SPACES: Mapping[int | str, Callable[[int, bool], bool]] = {
    0: _private, 1: _global, 2: _constant, _SHARED: _shared, _PRIVATE: _private,
    "global": _global, "local": _shared, "private": _private,
}  # fmt: skip
"""By the number of SPIR's address space, or OpenCL's name of it."""


def _in_spir(number: int) -> Callable[[int, bool], bool]:
    return lambda space, stack: (0 if stack else 1 if space == _GENERIC else space) == number


_IN_SPIR: Mapping[int | str, Callable[[int, bool], bool]] = {
    0: _in_spir(0), 1: _in_spir(1), 2: _in_spir(2), _SHARED: _in_spir(_SHARED),
    "global": _in_spir(1), "local": _in_spir(_SHARED), "private": _in_spir(0),
}  # fmt: skip
"""The same where a module is for SPIR or SPIR-V, whose address space 0 is the private one. What a launch puts
behind a generic pointer is global."""


def _cast(callee: Callee) -> Model | None:
    """The pointer, if its object lies in the result's address space, which the name may say; else null."""
    parameters, result = callee.type.parameters, callee.type.result
    if not (parameters and isinstance(parameters[0], PointerType) and isinstance(result, PointerType)):
        return None
    named = (callee.parts[0] or "").lower() if callee.parts else ""
    spaces = _IN_SPIR if architecture_of(callee.context.module).startswith("spir") else _SPACES
    holds = spaces.get(named or result.address_space)
    return None if holds is None else AboutObject(holds, casts=True)


_GENERIC_POINTERS = ("llvm.nvvm.isspacep.", "llvm.amdgcn.is.", "llvm.spv.generic.", "__to_", "_Z", "__spirv_")

SPACES: Operations = (
    (r"llvm\.nvvm\.isspacep\.local|llvm\.amdgcn\.is\.private", _asking(_private)),
    (r"llvm\.nvvm\.isspacep\.shared(?:\.cluster)?|llvm\.amdgcn\.is\.shared", _asking(_shared)),
    (r"llvm\.nvvm\.isspacep\.const", _asking(_constant)),
    (r"llvm\.nvvm\.isspacep\.global", _asking(_global)),
    (r"llvm\.spv\.generic\.cast\.to\.ptr\.explicit(?:\.p\d+)?", _cast),
    (r"__to_(global|local|private)", _cast),
    (r"(?:_Z\d+)?__spirv_GenericCastToPtrExplicit_To(Global|Local|Private)\w*", _cast),
)


_fullmatch = lru_cache(8_192)(re.fullmatch)
"""Of few patterns and names the same are asked over and over."""


def _families(name: str) -> Iterator[Operations]:
    """The operations among which one of this name may be, in the order in which they are asked. No other has
    such a prefix. A module is read when a name of its prefixes comes up: most programs need none."""
    if name.startswith(("subgroup", "workgroup", "controlBarrier")):
        from .subgroup import SUBGROUP

        yield SUBGROUP
    if name.startswith("llvm.amdgcn."):
        from .amdgcn import AMDGCN, PERMUTES

        yield PERMUTES
        yield AMDGCN
    if name.startswith(("llvm.spv.", "llvm.dx.")):
        from .spirv import SPIRV_AND_DIRECTX

        yield SPIRV_AND_DIRECTX
    if name.startswith("llvm.nvvm."):
        from .nvvm import NVVM

        yield NVVM
    if name.startswith("_Z"):
        from .spirv import OPENCL

        yield OPENCL
    if name.startswith(("_Z", "__spirv_")):
        from .spirv import SPIRV_FUNCTIONS

        yield SPIRV_FUNCTIONS
    if name.startswith(("_Z", "__spirv_", "__sync")):
        yield BY_LANGUAGE
    for family in IDS:
        if name.startswith(family.prefixes):
            yield family.operations
    if name.startswith(("dd", "dFd", "fwidth", "llvm.dx.", "llvm.spv.", "subgroupQuad", "__spirv_", "_Z")):
        from .quads import QUADS

        yield QUADS
    if name.startswith(
        ("llvm.nvvm.isspacep.", "llvm.amdgcn.is.", "llvm.spv.generic.", "__to_", "_Z", "__spirv_")
    ):
        yield SPACES
    if name.startswith(("llvm.nvvm.", "llvm.amdgcn.")):
        from .matrices import MATRIX_PRODUCTS

        yield MATRIX_PRODUCTS


def is_operation(name: str) -> bool:
    """Whether a function of this name may be one of the known operations."""
    return any(re.fullmatch(pattern, name) for family in _families(name) for pattern, _ in family)


def unseen(callee: Callee) -> Model | None:
    """The model of a known operation, which the outside does not see as an event: for comparing programs that
    call the same barrier by two names."""
    model = Table({}).model(callee)
    return replace(model, effect=False) if isinstance(model, Exchanging) else model


@dataclass(frozen=True, slots=True)
class Table:
    """The known operations and those that the user adds, by name; the user's come first."""

    added: Mapping[str, Prepare]

    def model(self, callee: Callee) -> Model | None:
        """The model for a call, or ``None``: then its result is a stand-in."""
        if (prepare := self.added.get(callee.name)) is not None:
            return prepare(callee)
        for family in _families(callee.name):
            for pattern, prepare in family:
                if (match := _fullmatch(pattern, callee.name)) is not None:
                    model = prepare(callee._replace(parts=match.groups()))
                    if model is not None:
                        return model
        return None
