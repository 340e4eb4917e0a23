"""Floating-point literals: their bits are those that LLVM, and the host, give them.

covers: parser.names
"""

from __future__ import annotations

import random
import re
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergence.ir import Float
from convergence.parser.names import float_bits, spelled_float
from tests.parser.reading import by_driver, llvm_prints

HOST = {"half": ("<e", "<H"), "float": ("<f", "<I"), "double": ("<d", "<Q")}
WIDTH = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128, "ppc_fp128": 128}


def host_value(kind: str, bits: int) -> float:
    value, integer = HOST[kind]
    return float(struct.unpack(value, struct.pack(integer, bits))[0])


def constants(literals: list[tuple[str, str]]) -> str:
    return "".join(f"@g{i} = global {kind} {literal}\n" for i, (kind, literal) in enumerate(literals))


def bits_in(text: str) -> list[int]:
    return [g.initializer.bits for g in by_driver(text).globals.values() if isinstance(g.initializer, Float)]


@pytest.mark.parametrize("kind", sorted(WIDTH))
def test_spellings_of_any_bits_are_llvms(kind: str) -> None:
    """LLVM reads what we print, and what it prints for that has the same bits: infinities, NaNs, all."""
    chosen = random.Random(kind)
    patterns = [chosen.getrandbits(WIDTH[kind]) for _ in range(300)]
    if kind in HOST:
        width = WIDTH[kind]
        patterns += [0, 1, 1 << width - 1, (1 << width) - 1, *(1 << k for k in range(width))]
    if kind == "x86_fp80":  # LLVM makes canonical what the hardware calls invalid
        patterns = [bits & ~(0x7FFF << 64) | chosen.randrange(1, 0x7FFF) << 64 | 1 << 63 for bits in patterns]
    if kind == "ppc_fp128":
        patterns = [bits & ~(0x7FF << 52) & ~(0x7FF << 116) | 0x3FF << 116 for bits in patterns]
    text = constants([(kind, spelled_float(bits, kind)) for bits in patterns])
    assert bits_in(text) == patterns
    assert bits_in(llvm_prints(text)) == patterns


@pytest.mark.parametrize("kind", sorted(HOST))
@given(data=st.data())
def test_decimal_literals_are_the_hosts(kind: str, data: st.DataObject) -> None:
    width = WIDTH[kind]
    bits = data.draw(st.integers(0, (1 << width) - 1))
    value = host_value(kind, bits)
    if value != value or value in (float("inf"), float("-inf")):
        return
    assert float_bits(f"{value:.1080f}", kind) == bits


def test_decimal_literals_are_llvms() -> None:
    chosen = random.Random(7)
    values = [(k, host_value(k, chosen.getrandbits(WIDTH[k]))) for k in sorted(HOST) for _ in range(100)]
    finite = [(kind, value) for kind, value in values if abs(value) < float("inf")]
    decimals = [(kind, f"{value:.1080f}") for kind, value in finite]
    halves = [("bfloat", f"{n / 8:.3f}") for n in range(-60, 60)]
    text = constants(decimals + halves)
    assert bits_in(llvm_prints(text)) == bits_in(text)


@pytest.mark.parametrize("kind", ["half", "bfloat", "float"])
def test_hexadecimal_doubles_convert(kind: str) -> None:
    """``0x`` is a double in every type; LLVM takes those that lose nothing, and NaNs that lose payload."""
    doubles = ["0x3FF0000000000000", "0x8000000000000000", "0x7FF8000000000000", "0xFFF4000000000000"]
    text = constants([(kind, literal) for literal in doubles])
    assert bits_in(llvm_prints(text)) == bits_in(text)


@pytest.mark.parametrize(
    ("literal", "kind"), [("0xH3C00", "float"), ("0xK3FFF8000000000000000", "double"), ("1.0", "x86_fp80")]
)
def test_literals_of_another_type(literal: str, kind: str) -> None:
    """LLVM takes none of these."""
    with pytest.raises(ValueError):
        float_bits(literal, kind)
    with pytest.raises(RuntimeError, match=re.compile("floating point constant", re.IGNORECASE)):
        llvm_prints(constants([(kind, literal)]))
