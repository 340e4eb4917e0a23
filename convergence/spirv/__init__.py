"""SPIR-V, binary or disassembly, as LLVM IR with convergence tokens.

    bytes ──▶ binary │ text ──▶ Instructions ──▶ Module ──▶ constructs ──▶ LLVM IR ──▶ parser ──▶ ir.Module

What is together is said by constructs (:mod:`~convergence.spirv.translation`); positions in the module that
comes out are those of the disassembly.
"""

from __future__ import annotations

from .instruction import NotCovered, NotSpecialized, NotSPIRV
from .reading import SPIRV, as_ir, is_spirv, read, structural, translate
from .translation import Reconvergence, TranslatedModule

__all__ = (
    "SPIRV", "NotCovered", "NotSPIRV", "NotSpecialized", "Reconvergence", "TranslatedModule", "as_ir",
    "is_spirv", "read", "structural", "translate",
)  # fmt: skip
