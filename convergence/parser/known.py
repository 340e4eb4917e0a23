"""Texts that this package writes itself, read without asking LLVM of each.

LLVM is asked of a text that has intrinsics which no text before had. Nobody looks whether the others are LLVM
IR: who writes them knows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..packages import without_llvm
from ..source import Source

if TYPE_CHECKING:
    from ..ir.module import Module
    from ..ir.types import Type
    from .llvm import Intrinsic

_INTRINSIC = re.compile(r"@(llvm\.[\w.]+)")


class KnownIntrinsics:
    """What LLVM said of intrinsics so far."""

    def __init__(self) -> None:
        self._known: dict[str, Intrinsic] = {}
        self._types: dict[str, Type] = {}

    def parse(self, text: str, name: str = "<string>") -> Module:
        """The module that ``text`` spells, as :func:`~convergence.parser.parse` has it.

        :raises NotLLVM: if LLVM is asked, and does not take it
        :raises Unsupported: if convcheck cannot read it, which may come as late as the first look
        """
        from . import parse

        names = set(_INTRINSIC.findall(text))
        if without_llvm() is not None:
            return parse(text, name)
        if not names <= self._known.keys():
            from .llvm import ask

            self._known.update(ask(text).intrinsics)
            return parse(text, name)
        from .assemble import Assembler

        assembler = Assembler(Source(name, text), types=self._types)
        module = assembler.module({intrinsic: self._known[intrinsic] for intrinsic in names})
        if assembler.names is not None or assembler.upgrades:
            return parse(text, name)
        return module
