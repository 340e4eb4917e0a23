"""From text to ``ir.Module``."""

from __future__ import annotations

from pathlib import Path

from ..ir.module import Module
from ..source import Source
from .assemble import Assembler
from .errors import NotLLVM, Unsupported

__all__ = ["NotLLVM", "Unsupported", "parse", "parse_file"]


def parse(text: str, name: str = "<string>", ask_llvm: bool = True) -> Module:
    """The module that ``text`` spells. Raises ``NotLLVM`` or ``Unsupported``."""
    known = {}
    if ask_llvm:
        from .llvm import intrinsics, parse_assembly

        known = intrinsics(parse_assembly(text))
    return Assembler(Source(name, text)).module(known, {})


def parse_file(path: str) -> Module:
    """The module in a file."""
    return parse(Path(path).read_text(), path)
