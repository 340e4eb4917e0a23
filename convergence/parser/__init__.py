"""From text to ``ir.Module``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..packages import shipped, without_llvm
from ..source import Source
from .llvm import NotLLVM, Unsupported, refuse_unreadable

if TYPE_CHECKING:
    from pathlib import Path

    from ..ir.module import Module

BITCODE = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")
"""How a bitcode file begins, bare or wrapped."""
SPIRV_SIGNS = (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03", b"OpCapability", b"OpExtension", b"OpMemoryModel")
"""SPIR-V, which is not read here, begins with one of the first two, or has one of the others: so what reads
it need not be asked about every file."""

__all__ = ["BITCODE", "SPIRV_SIGNS", "NotLLVM", "Unsupported", "file_bytes", "module_of", "parse"]


def parse(text: str, name: str = "<string>", ask_llvm: bool = True) -> Module:
    """The module that ``text`` spells.

    LLVM decides whether it is LLVM IR, and tells what it knows of intrinsics; with ``ask_llvm`` off
    neither is known. Its verifier is not asked: what breaks a rule of tokens is for ``verify`` to name, and
    a use that no definition dominates is named as not modelled by what comes to it. Bodies, metadata and
    globals are read at the first look, so ``Unsupported`` may come as late as that. Floating-point constants
    as LLVM 23 spells them are respelled first (:func:`.names.respelled`). Where LLVM cannot be asked
    (``packages.without_llvm``) our own reader decides, of all of the text and at once.

    :raises NotLLVM: if LLVM does not take it, or convcheck refuses it before asking or in its place
    :raises Unsupported: if LLVM takes it and convcheck cannot read it
    """
    value: object = text
    if not isinstance(value, str) or _is_a_name(value):
        from reprlib import repr as short

        raise TypeError(f"parse() takes text, and not {short(value)}; parse_file() takes a file's name")
    why_not = without_llvm()
    if ask_llvm and why_not is None:
        from .llvm import answer_to_parse, start

        start()  # it comes up while the rest is imported
    from .names import respelled

    text = respelled(text)
    if not ask_llvm:
        from .assemble import Assembler

        refuse_unreadable(text)
        return Assembler(Source(name, text)).module({})
    if why_not is not None:
        from .own import read

        return read(Source(name, text))
    from .assemble import Assembler, upgraded

    answer = answer_to_parse(text)
    assembler = Assembler(Source(name, text))
    module = assembler.module(answer.intrinsics, answer.missing)
    if assembler.names is not None or assembler.upgrades:
        return upgraded(module, assembler)
    return module


def _is_a_name(text: str) -> bool:
    """Whether a text is a file's name, as no LLVM IR is: one word with such an ending."""
    return (
        text.endswith((".ll", ".bc", ".spv", ".spvasm"))
        and len(text.split()) == 1
        and not text.startswith(";")
    )


def file_bytes(path: str | bytes | Path) -> tuple[str, bytes]:
    """A file's name as text, and what it holds; ``-`` is standard input. Raises OSError."""
    name = os.fsdecode(path)
    if name == "-":
        import sys

        return name, sys.stdin.buffer.read()
    with open(shipped(name) or name, "rb") as stream:
        return name, stream.read()


def module_of(data: bytes, name: str) -> Module:
    """The module that a file's bytes are, text or bitcode. Raises what ``parse`` raises."""
    if data.startswith(BITCODE):
        from .llvm import disassemble

        return parse(disassemble(data), name)
    return parse(data.decode("utf-8", "surrogateescape"), name)
