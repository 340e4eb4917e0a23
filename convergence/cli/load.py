"""From FILE to a module: reading, LLVM's opinion, parsing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..ir.module import Module
from .exits import Exit, InputError
from .inputs import Bitcode, read


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file as the user named it, its module, and what there is to know about its positions."""

    name: str
    module: Module
    note: str | None = None


def load(file: str) -> Loaded:
    """The module in FILE.

    :raises InputError: if it cannot be read, is not LLVM IR, or is LLVM IR that convcheck cannot read
    """
    found = read(file)
    from ..parser import parse
    from ..parser.llvm import disassemble

    with reading(found.name):
        if isinstance(found, Bitcode):
            note = "positions are in LLVM's disassembly of the bitcode"
            return Loaded(found.name, parse(disassemble(found.data), found.name), note)
        return Loaded(found.name, parse(found.text, found.name))


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turns what the parser raises into InputErrors. Bodies are parsed at the first look, so this goes
    around everything that looks into a module."""
    from ..parser import NotLLVM, Unsupported

    try:
        yield
    except NotLLVM as error:
        raise InputError(_place(name, error.line, error.column), one_line(error.message)) from None
    except Unsupported as error:
        why = f"not supported: {one_line(error.message)}"
        raise InputError(_place(name, error.line, error.column), why, Exit.UNKNOWN) from None
    except RecursionError:
        raise InputError(name, "nested too deeply") from None


@contextmanager
def launching(name: str) -> Iterator[None]:
    """Turns what :func:`reading` does, and what a launch raises, into InputErrors."""
    from ..semantics.errors import NotModelled, UsageError

    try:
        with reading(name):
            yield
    except UsageError as error:
        raise InputError(name, one_line(str(error))) from None
    except NotModelled as error:
        raise InputError(name, f"not modelled: {one_line(error.what)}", Exit.UNKNOWN) from None


def _place(name: str, line: int | None, column: int | None) -> str:
    if line is None:
        return name
    return f"{name}:{line}" if column is None else f"{name}:{line}:{column}"


def one_line(message: str, longest: int = 300) -> str:
    """A message without line breaks, and not without end."""
    words = " ".join(message.split())
    return words if len(words) <= longest else words[: longest - 1] + "…"
