"""Types as text, and back."""

from __future__ import annotations

import pytest
from hypothesis import given

from convergence.ir import ArrayType, FloatType, IntType, NamedType, PointerType, StructType, Type, data_type
from tests.parser.modules import TYPES


@given(TYPES)
def test_what_is_read_is_the_type_that_was_spelled(type_: Type) -> None:
    assert data_type(str(type_)) in (type_, None)


@pytest.mark.parametrize(
    "type_",
    [
        IntType(77),
        PointerType(3),
        NamedType("struct.pair"),
        NamedType("a b"),
        NamedType('"7"'),
        ArrayType(0, PointerType()),
        StructType((), True),
        StructType((StructType((FloatType("half"), ArrayType(2, IntType(8))), True), PointerType(5))),
    ],
    ids=str,
)
def test_types_of_arguments_are_read_with_blanks_and_without(type_: Type) -> None:
    text = str(type_)
    assert data_type(text) == type_ == data_type(text.replace("{ ", "{").replace(" }", "}"))


@pytest.mark.parametrize(
    "text", ["", "i32 i32", "[2 i8]", "{i32", "{i32 i8}", "[2 x i8>", "<2 x i8]", "void", "i32 (i8)"]
)
def test_what_is_no_such_type_is_none(text: str) -> None:
    assert data_type(text) is None
