"""SPIR-V's grammar: what opcodes and enumerants are called, and which operands they take.

SPIR-V, *Binary Form*; the table is made of Khronos' machine-readable grammar (``make spirv-grammar``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..frozen import dataclass

TABLE = Path(__file__).with_name("grammar.txt")


class OperandKind(NamedTuple):
    """A kind of operand, as the grammar names it; ``""`` once, ``?`` perhaps, ``*`` any number of times."""

    name: str
    times: str = ""


@dataclass(frozen=True, slots=True)
class Opcode:
    """An instruction: its operands without those for the result and its type."""

    name: str
    number: int
    typed: bool
    gives: bool
    operands: tuple[OperandKind, ...]

    @property
    def least(self) -> int:
        """How many operands there are at least."""
        return sum(1 for kind in self.operands if not kind.times)


@dataclass(frozen=True, slots=True)
class Enumerants:
    """The enumerants of a kind, by name and by number, and the parameters that each takes."""

    name: str
    bits: bool
    numbers: dict[str, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    parameters: dict[str, tuple[OperandKind, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Grammar:
    """``opcodes`` by name, ``by_number`` by number; enumerations by kind; extended instruction sets."""

    opcodes: Mapping[str, Opcode]
    by_number: Mapping[int, Opcode]
    kinds: Mapping[str, Enumerants]
    sets: Mapping[str, Enumerants]


def _kind(word: str) -> OperandKind:
    return OperandKind(word[:-1], word[-1]) if word[-1] in "?*" else OperandKind(word)


@cache
def grammar() -> Grammar:
    """The table, read once."""
    opcodes: dict[str, Opcode] = {}
    by_number: dict[int, Opcode] = {}
    kinds: dict[str, Enumerants] = {}
    sets: dict[str, Enumerants] = {}
    current = Enumerants("", False)
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        match line.split():
            case ["op", name, number, *operands]:
                typed, gives = "IdResultType" in operands, "IdResult" in operands
                rest = tuple(_kind(o) for o in operands if o not in ("IdResultType", "IdResult"))
                opcode = opcodes[name] = Opcode(name, int(number), typed, gives, rest)
                by_number.setdefault(opcode.number, opcode)
            case ["kind", name, category]:
                current = kinds[name] = Enumerants(name, category == "bits")
            case ["set", name]:
                current = sets[name] = Enumerants(name, False)
            case ["=", name, number, *parameters]:
                current.numbers[name] = int(number)
                current.names.setdefault(int(number), name)
                if parameters:
                    current.parameters[name] = tuple(_kind(p) for p in parameters)
            case _:
                pass
    return Grammar(opcodes, by_number, kinds, sets)
