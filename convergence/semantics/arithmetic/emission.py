"""LLVM IR in the making, as text: the body of one function, line by line.

Text, as llvmlite's own builder takes ten times as long, and the first answer must not wait. What is written
here is always defined to LLVM: no operation on it may be poison or undefined behaviour, whatever the operands
(the program's own poison is a value beside the bits). So LLVM's optimizer may take it as it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class NotNative(Exception):
    """``feature`` cannot be emitted: the instruction is left to the reference. Stays in the native engine."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.feature = what


class KnownBits(int):
    """A constant of a known width: as ``int``, but two of them say how wide a choice between them is."""

    width: int

    def __new__(cls, value: int, width: int) -> KnownBits:
        known = super().__new__(cls, value)
        known.width = width
        return known


class Term:
    """An SSA value of type ``i<width>``; its text is its name.

    ``number`` is the same as a floating-point SSA value, up to a NaN's payload, where there is one: its type
    and name.
    """

    __slots__ = ("name", "number", "width")

    def __init__(self, name: str, width: int, number: tuple[str, str] | None = None) -> None:
        self.name = name
        self.width = width
        self.number = number

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"i{self.width} {self.name}"

    def _unknown(self, *others: object) -> Any:
        raise NotNative("a decision on a value that only the run knows")

    __bool__ = __int__ = __index__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _unknown
    __hash__ = _unknown


class EmittedLines:
    """The lines of one function body; ``block`` is the label of the basic block that is being filled.

    ``declarations`` are the functions that the body calls, by name; ``symbols`` are the addresses of those
    that are no intrinsics.
    """

    def __init__(self, block: str = "entry") -> None:
        self.lines: list[str] = [f"{block}:"]
        self.block = block
        self.declarations: dict[str, str] = {}
        self.symbols: dict[str, int] = {}
        self._count = 0

    def fresh(self) -> str:
        """A name that no value has yet."""
        self._count += 1
        return f"%v{self._count}"

    def line(self, text: str) -> None:
        """An instruction without a result."""
        self.lines.append(f"  {text}")

    def typed(self, text: str) -> str:
        """An instruction's result, of whatever type: its name."""
        name = self.fresh()
        self.lines.append(f"  {name} = {text}")
        return name

    def value(self, width: int, text: str) -> Term:
        """An instruction's result, of type ``i<width>``."""
        return Term(self.typed(text), width)

    def new_label(self, hint: str) -> str:
        """A label that no block has yet."""
        self._count += 1
        return f"{hint}.{self._count}"

    def label(self, name: str) -> None:
        """A new basic block begins; the one before has its terminator."""
        self.lines.append(f"{name}:")
        self.block = name

    def call(self, result: str, name: str, operands: Sequence[tuple[str, str]], attributes: str = "") -> str:
        """The text of a call of a declared function: operands as types and names."""
        if name not in self.declarations:
            types = ", ".join(type_ for type_, _ in operands)
            self.declarations[name] = f"declare {result} @{name}({types}) {attributes}".rstrip()
        return f"call {result} @{name}({', '.join(f'{t} {v}' for t, v in operands)})"


def unknown(*parts: Any) -> bool:
    """Whether one of these is an SSA value."""
    return any(isinstance(part, Term) for part in parts)


def int_text(bits: Any) -> str:
    """Bits as an operand of an integer type."""
    return bits.name if isinstance(bits, Term) else str(int(bits))
