"""Everything that LLVM itself is asked, through llvmlite."""

from __future__ import annotations

import re
from typing import Any

from .errors import NotLLVM

_PLACE = re.compile(r"^[^\n]*?:(\d+):(\d+): error: ", re.MULTILINE)


def binding() -> Any:
    """llvmlite's binding. LLVM's upgrade of debug info is switched off: in a module with debug info it
    verifies, and ends the *process* when the module is broken."""
    from llvmlite import binding as llvm

    llvm.set_option("convcheck", "--disable-auto-upgrade-debug-info")
    return llvm


def parse_assembly(text: str) -> Any:
    """LLVM's own module for a text; ``NotLLVM`` with its message if it takes none."""
    try:
        return binding().parse_assembly(text)
    except RuntimeError as error:
        message = str(error)
        found = _PLACE.search(message)
        if found is None:
            raise NotLLVM(message.strip()) from None
        rest = message[found.end() :].partition("\n")[0]
        raise NotLLVM(rest, int(found[1]), int(found[2])) from None


def disassemble(bitcode: bytes) -> str:
    """The text that LLVM prints for a ``.bc`` file; ``NotLLVM`` with its message if it cannot read it."""
    try:
        return str(binding().parse_bitcode(bitcode))
    except RuntimeError as error:
        raise NotLLVM(str(error).strip()) from None


def intrinsics(module: Any) -> dict[str, frozenset[str]]:
    """The attribute words of LLVM's table for each intrinsic of its module."""
    return {
        function.name: frozenset(word for group in function.attributes for word in _words(group.decode()))
        for function in module.functions
        if function.name.startswith("llvm.")
    }


def _words(text: str) -> list[str]:
    return re.findall(r"[^\s()]+(?:\([^()]*\))?", text)


def llvm_verdict(text: str) -> tuple[str, ...]:
    """The messages of LLVM's own verifier; empty if it accepts the module."""
    module = parse_assembly(text)
    try:
        module.verify()
    except RuntimeError as error:
        return tuple(line for line in str(error).splitlines() if line and not line.startswith((" ", "%")))
    return ()
