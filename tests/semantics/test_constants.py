"""Constants, expressions included.

covers: semantics.values.context
"""

from __future__ import annotations

import pytest

import convergence as cc
from convergence.ir.module import GlobalVariable
from convergence.parser import parse
from convergence.semantics import NotModelled, UndefinedBehaviour, Unmodelled
from convergence.semantics.instructions.expressions import constant
from convergence.semantics.values import Composite, Pointer, RuntimeValue, Undef, UndefPointer, Value
from tests.semantics.straight import Runner


def value(text: str, prelude: str = "", layout: str = "e-i64:64") -> RuntimeValue:
    """The value of a typed constant, as a global's initializer spells it."""
    runner = Runner(f'target datalayout = "{layout}"\n{prelude}\n@c = global {text}')
    variable: GlobalVariable = runner.module.globals["c"]
    assert variable.initializer is not None
    return constant(variable.initializer, runner.context)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i8 -1", Value(255)),
        ("i1 true", Value(1)),
        ("i128 -1", Value((1 << 128) - 1)),
        ("float 1.0", Value(0x3F800000)),
        ("half 0xH3C00", Value(0x3C00)),
        ("double 0x7FF8000000000000", Value(0x7FF8 << 48)),
        ("ptr null", Pointer(0, None)),
        ("ptr undef", UndefPointer(0, None)),
        ("i8 undef", Undef(0)),
        ("i8 poison", Value(0, True)),
        ("{i8, [2 x i16]} zeroinitializer", Composite((Value(0), Composite((Value(0), Value(0)))))),
        ("{i8, i16} {i8 1, i16 undef}", Composite((Value(1), Undef(0)))),
        ("<{i8, i16}> <{i8 1, i16 2}>", Composite((Value(1), Value(2)))),
        ('[3 x i8] c"a\\00\\FF"', Composite((Value(97), Value(0), Value(255)))),
        ("<2 x i8> splat (i8 7)", Composite((Value(7), Value(7)))),
        ("<2 x i8> <i8 1, i8 poison>", Composite((Value(1), Value(0, True)))),
        ("i8 add (i8 200, i8 100)", Value(44)),
        ("i8 add nuw (i8 200, i8 100)", Value(0, True)),
        ("i8 sub (i8 1, i8 2)", Value(255)),
        ("i8 xor (i8 5, i8 3)", Value(6)),
        ("i16 trunc (i32 70000 to i16)", Value(4464)),
        ("i32 bitcast (float 1.0 to i32)", Value(0x3F800000)),
        ("i8 extractelement (<2 x i8> <i8 3, i8 4>, i32 1)", Value(4)),
        ("<2 x i8> insertelement (<2 x i8> zeroinitializer, i8 4, i32 1)", Composite((Value(0), Value(4)))),
        (
            "<2 x i8> shufflevector (<2 x i8> <i8 3, i8 4>, <2 x i8> poison, <2 x i32> <i32 1, i32 0>)",
            Composite((Value(4), Value(3))),
        ),
    ],
)
def test_constants(text: str, expected: RuntimeValue) -> None:
    assert value(text) == expected


def test_addresses_and_expressions_of_them() -> None:
    prelude = "@g = global [4 x i32] zeroinitializer"
    base, third = (
        value("ptr @g", prelude),
        value("ptr getelementptr inbounds ([4 x i32], ptr @g, i64 0, i64 3)", prelude),
    )
    assert isinstance(base, Pointer)
    assert isinstance(third, Pointer)
    assert third.bits == base.bits + 12
    assert third.provenance == base.provenance
    difference = (
        "i64 sub (i64 ptrtoint (ptr getelementptr (i32, ptr @g, i64 2) to i64), i64 ptrtoint (ptr @g to i64))"
    )
    assert value(difference, prelude) == Value(8)
    outside = value("ptr getelementptr inbounds (i32, ptr @g, i64 9)", prelude)
    assert isinstance(outside, Pointer)
    assert outside.poison


def test_inrange_says_nothing_about_the_address() -> None:
    prelude = "@g = global [4 x i32] zeroinitializer"
    plain = value("ptr getelementptr inbounds ([4 x i32], ptr @g, i64 0, i64 1)", prelude)
    assert (
        value("ptr getelementptr inbounds inrange(-4, 12) ([4 x i32], ptr @g, i64 0, i64 1)", prelude)
        == plain
    )


def test_functions_have_addresses_that_lead_back_to_them() -> None:
    runner = Runner("declare void @a()\ndefine void @b() {\nret void\n}")
    pointers = [runner.context.address_of(name) for name in "ab"]
    assert [runner.memory.function_at(p) for p in pointers] == ["a", "b"]
    as_integer = Pointer(pointers[1].bits, None)
    assert runner.memory.function_at(as_integer) == "b"
    assert runner.memory.function_at(Pointer(pointers[1].bits + 1, pointers[1].provenance)) is None
    assert runner.memory.function_at(Pointer(0, None)) is None


def test_initializers_reach_memory() -> None:
    runner = Runner("""
        @n = constant i32 5
        @t = global { ptr, i8, [2 x i16] } { ptr @n, i8 3, [2 x i16] [i16 1, i16 2] }
        define i32 @f() {
          %p = load ptr, ptr @t
          %r = load i32, ptr %p
          ret i32 %r
        }""")
    assert runner.call("f") == Value(5)


@pytest.mark.parametrize("text", ["<vscale x 2 x i8> splat (i8 1)", "ptr ptrauth (ptr null, i32 0)"])
def test_what_has_no_value_is_named(text: str) -> None:
    runner = Runner(f"define void @f() {{\n%r = freeze {text}\nret void\n}}")
    with pytest.raises(NotModelled):
        runner.call("f")


LABELS = """
    @labels = constant [2 x ptr] [ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)]
    @broken = global { ptr, i32 } { ptr ptrauth (ptr null, i32 0), i32 5 }
    define i32 @f(i64 %n) {
      %p = getelementptr ptr, ptr @labels, i64 %n
      %to = load ptr, ptr %p
      indirectbr ptr %to, [label %one, label %two]
    one:
      ret i32 1
    two:
      %x = icmp eq ptr %to, blockaddress(@f, %two)
      %y = zext i1 %x to i32
      %z = add i32 %y, 1
      ret i32 %z
    }
    define i32 @g() {
      indirectbr ptr blockaddress(@f, %one), [label %here]
    here:
      ret i32 0
    }
    define i32 @h() {
      %x = load i32, ptr @broken
      ret i32 %x
    }"""


def test_indirectbr_goes_where_a_blockaddress_says() -> None:
    module = parse(LABELS, ask_llvm=False)
    for n in (0, 1):
        outcome = cc.run(module, function="f", arguments={"n": [n]}, threads=1).outcome
        assert outcome.threads[0].value == n + 1
    ending = cc.run(module, function="g", threads=1).ending
    assert isinstance(ending, UndefinedBehaviour)
    assert "indirectbr" in ending.reason


def test_an_initializer_without_a_model_matters_only_to_who_reads_it() -> None:
    ending = cc.run(parse(LABELS, ask_llvm=False), function="h", threads=1).ending
    assert isinstance(ending, Unmodelled)
    assert "@broken" in ending.feature
