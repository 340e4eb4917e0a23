"""From a file to ``ir.Module``, whatever form of LLVM IR or SPIR-V it holds."""

from __future__ import annotations

from pathlib import Path

from .ir.module import Module
from .parser import SPIRV_SIGNS, file_bytes, module_of


def parse_file(path: str | bytes | Path) -> Module:
    """The module in a file of LLVM IR or SPIR-V, told apart by their first bytes: text (``.ll``) or bitcode
    (``.bc``), a binary (``.spv``) or its disassembly (``.spvasm``); ``-`` is standard input.

    The text of a ``.bc`` file is what LLVM prints for it. Bytes that are no UTF-8 are kept as Python's
    surrogate escapes. SPIR-V is what :func:`.spirv.read` gives for it, with maximal reconvergence and the
    defaults of its specialization constants. Raises what ``parse`` raises, of SPIR-V what ``spirv.read``
    raises (``spirv.NotSPIRV``, ``spirv.NotCovered``), and ``OSError``.
    """
    name, data = file_bytes(path)
    # what reads SPIR-V takes longer to import than most files to read
    if any(word in data for word in SPIRV_SIGNS):
        from .spirv import is_spirv, read

        if is_spirv(data):
            return read(data, name)
    return module_of(data, name)
