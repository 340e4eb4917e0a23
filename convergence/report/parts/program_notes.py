"""What is to be said of a program, however it runs: which of its attributes are not modelled, and what a
compiler is known to write that makes it undefined, with a way round."""

from __future__ import annotations

from collections.abc import Iterable

from ...ir.calls import callee_name, unfit
from ...ir.instructions import CallSite
from ...ir.module import Module
from .attribute_notes import attribute_notes

_INITIALISER = "_init_buffer_"
"""How clang's HLSL front end calls what initialises a constant buffer. It defines it with the C convention,
and calls it with SPIR-V's, as it did its other initialisers (llvm/llvm-project#118651)."""


def program_notes(module: Module, launched: Iterable[str]) -> tuple[str, ...]:
    """A line each."""
    return (*attribute_notes(module, launched), *compiler_notes(module))


def compiler_notes(module: Module) -> tuple[str, ...]:
    """A line where clang calls constant buffers' initialisers by a convention that they do not have."""
    names = sorted(
        {
            callee.name
            for function in module.definitions()
            for call in function.instructions
            if isinstance(call, CallSite)
            and (callee := module.functions.get(callee_name(call) or "")) is not None
            and callee.name.startswith(_INITIALISER)
            and unfit(call, callee) is not None
        }
    )
    if not names:
        return ()
    named = ", ".join(f"@{name}" for name in names)
    return (
        f"clang calls {named} by a calling convention that it does not have, so each launch is "
        "undefined here: this is clang's fault and not the shader's (docs/llvm-findings.md); "
        "without clang's -disable-llvm-passes, or behind `opt -passes=always-inline`, there is no such call",
    )
