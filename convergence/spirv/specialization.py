"""Specialization constants with values that a user chooses, in place of their defaults.

SPIR-V, *Specialization*: each has a number, SpecId, by which an API sets it. What is chosen takes the place
of the default before anything else looks at the module: sizes of arrays and of the workgroup follow from it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

from .binary import decode, words_of
from .errors import NotSpecialized
from .instruction import SPIRVInstruction
from .literals import LiteralTypes
from .text import literal

Chosen = Mapping[int, int]
"""By SpecId: the bits of the value; of a bool 1 or 0."""
_BOOLS = {"true": 1, "false": 0, "1": 1, "0": 0}
_OPCODES = {1: 48, 0: 49}  # OpSpecConstantTrue, OpSpecConstantFalse


def specialized_values(instructions: Iterable[SPIRVInstruction], values: Mapping[str, str]) -> Chosen:
    """What ``values`` say: by SpecId, OpName or id, a number as disassembly has it, or true or false.

    :raises NotSpecialized: for a constant that there is not, and for what is no value of its type
    """
    types, constants = LiteralTypes(), dict[str, SPIRVInstruction]()
    numbers, names = dict[str, int](), dict[str, str]()
    for i in instructions:
        if i.op == "OpDecorate" and i.operands[1:2] == ("SpecId",):
            numbers[i.id(0)] = i.number(2)
        elif i.op == "OpName":
            names[i.id(0)] = i.text(1)
        elif i.op in ("OpSpecConstant", "OpSpecConstantTrue", "OpSpecConstantFalse"):
            if i.result in numbers:
                constants[i.result] = i
        elif i.op == "OpFunction":
            break
        if i.result is not None:
            types.note(i)
    bits = dict[int, int]()
    for name, word in values.items():
        ids = [id_ for id_ in constants if name in _names(id_, numbers[id_], names.get(id_))]
        if not ids:
            raise no_constant(name, (_specialization_name(numbers[id_], names.get(id_)) for id_ in constants))
        for id_ in ids:
            bits[numbers[id_]] = _bits(name, word, constants[id_], types)
    return bits


def no_constant(name: str, others: Iterable[str]) -> NotSpecialized:
    """That no constant is called so, with what the others are called."""
    there = ", ".join(dict.fromkeys(others))
    known = f"there are: {there}" if there else "the module has none"
    return NotSpecialized(f"no specialization constant is called {name}; {known}")


def _names(id_: str, number: int, name: str | None) -> tuple[str | None, ...]:
    """What a constant is called. A number alone is a SpecId, and no id."""
    own = () if id_[1:].isdecimal() else (id_[1:],)
    return str(number), name, id_, *own


def _specialization_name(number: int, name: str | None) -> str:
    return f"{number} ({name})" if name else str(number)


def _bits(name: str, word: str, constant: SPIRVInstruction, types: LiteralTypes) -> int:
    kind = None if constant.op != "OpSpecConstant" else types.of(constant.type)
    return specialized_bits(name, word, kind)


def specialized_bits(name: str, word: str, kind: tuple[str, int, bool] | None) -> int:
    """The bits of a value as people write it, of a constant's kind, width and sign; of a bool, which is
    ``None``, 1 or 0.

    :raises NotSpecialized: for what is no value of its type
    """
    if kind is None:
        if word.lower() not in _BOOLS:
            raise NotSpecialized(f"{name} is true or false, and not {word}")
        return _BOOLS[word.lower()]
    try:
        bits = literal(word, kind)
        fits = kind[0] != "int" or -(1 << kind[1] - 1) <= int(word, 0) < 1 << kind[1]
    except ValueError:
        raise NotSpecialized(f"{name} is a number, and not {word}") from None
    if not fits:
        raise NotSpecialized(f"{word} does not fit {name}, which has {kind[1]} bits")
    return bits


def specialized(instructions: Iterable[SPIRVInstruction], values: Chosen) -> tuple[SPIRVInstruction, ...]:
    """The instructions, with what was chosen for defaults."""
    kept = tuple(instructions)
    if not values:
        return kept
    numbers = _numbers(kept)
    return tuple(
        i if (bits := values.get(numbers.get(i.result or "", -1))) is None else _with(i, bits) for i in kept
    )


def _numbers(instructions: Iterable[SPIRVInstruction]) -> Mapping[str, int]:
    """The SpecIds, by id."""
    return {
        i.id(0): i.number(2) for i in instructions if i.op == "OpDecorate" and i.operands[1:2] == ("SpecId",)
    }


def _with(i: SPIRVInstruction, bits: int) -> SPIRVInstruction:
    if i.op == "OpSpecConstant":
        return i._replace(operands=(bits,))
    return i._replace(op="OpSpecConstantTrue" if bits else "OpSpecConstantFalse")


def specialized_binary(data: bytes, values: Chosen) -> bytes:
    """A binary, with what was chosen for defaults: what a driver is given."""
    if not values:
        return data
    instructions = tuple(decode(data))
    numbers, words = _numbers(instructions), list(words_of(data))
    for i in instructions:
        bits = values.get(numbers.get(i.result or "", -1))
        if bits is None:
            continue
        at = i.offset // 4
        if i.op == "OpSpecConstant":
            words[at + 3] = bits & 0xFFFFFFFF
            if words[at] >> 16 == 5:
                words[at + 4] = bits >> 32
        else:
            words[at] = words[at] & ~0xFFFF | _OPCODES[bits]
    order = "<" if data[0] == 0x03 else ">"
    return struct.pack(f"{order}{len(words)}I", *words)
