"""Floating-point constants in LLVM 23's spelling are those of LLVM 22's.

covers: parser.names
"""

from __future__ import annotations

import math
import struct

import pytest

from convergence.ir import Float
from convergence.ir.instructions import Ret
from convergence.parser import parse
from convergence.parser.llvm import NotLLVM
from convergence.parser.names import respelled

SIGN = {"half": 1 << 15, "bfloat": 1 << 15, "float": 1 << 31, "double": 1 << 63}
INFINITY = {"half": 0x7C00, "bfloat": 0x7F80, "float": 0x7F800000, "double": 0x7FF << 52}
QUIET = {"half": 0x200, "bfloat": 0x40, "float": 0x400000, "double": 1 << 51}


def bits(kind: str, literal: str) -> int:
    """What a function returns that returns a constant."""
    module = parse(f"define {kind} @f() {{\n  ret {kind} {literal}\n}}\n")
    (ret,) = module.functions["f"].instructions
    assert isinstance(ret, Ret)
    assert isinstance(ret.value, Float)
    return ret.value.bits


@pytest.mark.parametrize("kind", SIGN)
def test_what_is_no_number(kind: str) -> None:
    assert bits(kind, "+inf") == INFINITY[kind]
    assert bits(kind, "-inf") == INFINITY[kind] | SIGN[kind]
    assert bits(kind, "+qnan") == INFINITY[kind] | QUIET[kind]
    assert bits(kind, "-nan(0x3)") == INFINITY[kind] | SIGN[kind] | QUIET[kind] | 3
    assert bits(kind, "+snan(0x1)") == INFINITY[kind] | 1


def test_bit_patterns() -> None:
    assert bits("half", "f0x3C01") == 0x3C01
    assert bits("bfloat", "f0x3F81") == 0x3F81
    assert bits("float", "f0x3F22F983") == 0x3F22F983
    assert bits("double", "f0x3FF0000000000001") == 0x3FF0000000000001


def test_decimals_round_where_the_text_is_new() -> None:
    """To LLVM 22 a decimal that is no float is an error; alone it stays one."""
    text = "define float @f(float %x) {{\n  %y = fadd float %x, {}\n  ret float {}\n}}\n"
    module = parse(text.format("2.885390e+00", "+inf"))
    (add, _) = module.functions["f"].instructions
    constant = add.rhs  # type: ignore[attr-defined]
    assert math.isclose(struct.unpack("<f", struct.pack("<I", constant.bits))[0], 2.88539, rel_tol=1e-7)
    with pytest.raises(NotLLVM):
        parse(text.format("2.885390e+00", "1.0"))


def test_the_type_is_the_last_of_its_line() -> None:
    line = "  %a = fcmp olt double %x, f0x3FF0000000000000\n  %b = fadd float %v, f0x40000000\n"
    assert respelled(line) == line.replace("f0x3FF", "0x3FF").replace("f0x40000000", "0x4000000000000000")


@pytest.mark.parametrize(
    "text",
    [
        '@s = constant [8 x i8] c"+inf f0x" ; half +inf\n', "define float @inf() {\n  ret float 1.0\n}\n",
        "%f0x3C00 = add i32 1, 2\n", '  call void asm "float f0x3F800000", ""()\n',
    ],
)  # fmt: skip
def test_what_only_looks_so_stays(text: str) -> None:
    assert respelled(text) == text
