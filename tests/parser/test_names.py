"""Names, strings, integers and words: spellings and what they stand for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergence import ir
from convergence.parser import names
from tests.parser.reading import by_driver, by_lark, llvm_prints

BYTES = st.binary(max_size=12)
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)


@given(BYTES)
def test_strings(data: bytes) -> None:
    spelled = ir.quoted(data)
    assert spelled.isascii() and spelled.isprintable()
    assert names.string(spelled) == data
    assert names.normal_string(spelled) == spelled


@given(NAMES)
def test_names(plain: str) -> None:
    if plain.isdigit() and plain.isascii():
        return
    assert names.name(ir.spelled(plain)) == plain


def test_a_quoted_number_is_a_name() -> None:
    assert names.name('"5"') == '"5"' == ir.spelled('"5"')
    assert names.name("5") == "5" == ir.spelled("5")


@given(NAMES)
def test_metadata_names(plain: str) -> None:
    if plain.isdigit():
        return
    assert names.metadata_name(names.spelled_metadata_name(plain)) == plain


@given(st.lists(NAMES, min_size=1, max_size=6, unique=True))
def test_llvm_reads_our_names(plain: list[str]) -> None:
    """The same names, to LLVM, to the driver and to lark."""
    plain = [n for n in plain if not n.isdigit()]
    text = "".join(f"@{ir.spelled(n)} = global i32 0\n" for n in plain)
    text += "".join(f"!{names.spelled_metadata_name(n)} = !{{}}\n" for n in plain)
    printed = by_driver(llvm_prints(text))
    assert list(by_driver(text).globals) == list(by_lark(text).globals) == list(printed.globals) == plain
    assert set(printed.named_metadata) == set(plain)


@given(st.integers())
def test_integers(value: int) -> None:
    assert names.integer(names.spelled_integer(value)) == value


@pytest.mark.parametrize("sign", [1, -1])
def test_huge_integers(sign: int) -> None:
    """Python refuses to convert more than some thousand digits at once; LLVM's integers have more."""
    value = sign * (7**9000 + 5)
    assert names.integer(names.spelled_integer(value)) == value
    text = f"@g = global i50000 {names.spelled_integer(value)}\n"
    printed = llvm_prints(text)
    assert by_driver(printed).globals["g"] == by_driver(text).globals["g"]


@pytest.mark.parametrize(
    ("written", "value"),
    [("u0xFF", 255), ("u0x0", 0), ("s0x0", 0), ("s0xFF", -1), ("s0x7F", -1), ("s0x80", -128), ("-0", 0)],
)
def test_hexadecimal_integers_are_llvms(written: str, value: int) -> None:
    assert names.integer(written) == value
    assert f"global i64 {value}\n" in llvm_prints(f"@g = global i64 {written}\n")


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("memory( argmem:read ,inaccessiblemem: none)", "memory(argmem: read, inaccessiblemem: none)"),
        ("initializes((0,4) , ( 8, 12 ))", "initializes((0, 4), (8, 12))"),
        ("range( i32 -3,5 )", "range(i32 -3, 5)"),
        ("byval( { i32 , [2 x i8] } )", "byval({i32, [2 x i8]})"),
        ("vscale_range(1,2) ; comment\n", "vscale_range(1, 2)"),
        ('syncscope( "a\\22b" )', 'syncscope("a\\22b")'),
        ('sret( %"struct.T" )', "sret(%struct.T)"),
        ("comdat( $x )", "comdat($x)"),
    ],
)
def test_words(written: str, normal: str) -> None:
    assert names.normal_words(written) == normal
    assert names.normal_words(normal) == normal
