"""Element types of buffers: numbers to bit patterns and back, and how they are written.

covers: semantics.machine.buffers
"""

from __future__ import annotations

import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from convergence.semantics.arithmetic import ConcreteDomain
from convergence.semantics.machine.buffers import ELEMENTS

EDGES = (
    0.0,
    -0.0,
    65504.0,
    65519.99,
    65520.0,
    3.4028235677973366e38,
    3.4028235e38,
    2.0**-149,
    2.0**-150,
    6e-8,
    2.9e-8,
    1e308,
)
KINDS = {"f16": "half", "f32": "float", "f64": "double", "bf16": "bfloat"}


def rounded(name: str, number: float) -> int:
    """By our own arithmetic."""
    double: int = struct.unpack("<Q", struct.pack("<d", number))[0]
    kind = KINDS[name]
    return double if kind == "double" else int(ConcreteDomain().floats("double").convert(kind)(double))


@pytest.mark.parametrize("name", KINDS)
@given(number=st.floats() | st.sampled_from(EDGES) | st.floats(-70000, 70000))
def test_a_number_is_rounded_as_our_arithmetic_does(name: str, number: float) -> None:
    element = ELEMENTS[name]
    assert element.bits(number) == rounded(name, number)


@pytest.mark.parametrize("name", KINDS)
@given(number=st.floats(allow_nan=False))
@example(number=0.0028821909965306932)  # 17 significant digits, behind two zeros
def test_what_is_written_is_read_back(name: str, number: float) -> None:
    element = ELEMENTS[name]
    bits = element.bits(number)
    assert bits is not None
    written = element.spelled(element.number(bits))
    assert element.bits(float(written)) == bits
    digits = written.lstrip("-").partition("e")[0].replace(".", "").lstrip("0")
    assert len(digits) <= 17 or set(digits[17:]) == {"0"}


def test_an_integer_that_is_no_double() -> None:
    assert ELEMENTS["f32"].bits(10**400) is None
