"""What attributes and metadata promise of values."""

from __future__ import annotations

from pathlib import Path

import pytest

import convergence as cc
from convergence.ir import PTR, FloatType, IntType, VectorType
from convergence.parser import parse
from convergence.refine import refine
from convergence.semantics import Returned, Undefined, UndefinedBehaviour
from convergence.semantics.instructions.promises import attribute_promises
from convergence.semantics.values import Composite, Pointer, Value, any_poison
from tests.cli.cli_harness import convcheck
from tests.semantics.every import first
from tests.semantics.straight import Runner, body

CONTEXT = Runner("").context
ONE, NAN = Value(0x3F800000), Value(0x7FC00000)


@pytest.mark.parametrize(
    ("words", "type_", "good", "bad"),
    [
        (("nonnull",), PTR, Pointer(8, None), Pointer(0, None)),
        (("noundef", "align 8"), PTR, Pointer(16, None), Pointer(12, None)),
        (("align(8)",), PTR, Pointer(0, None), Pointer(4, None)),
        (("range(i8 2, 5)",), IntType(8), Value(4), Value(5)),
        (("range(i8 -3, 2)",), IntType(8), Value(253), Value(2)),
        (("range(i8 5, 2)",), IntType(8), Value(1), Value(3)),
        (("nofpclass(nan inf)",), FloatType("float"), ONE, NAN),
        (("nofpclass(pnorm)",), FloatType("float"), NAN, ONE),
        (("range(i8 2, 5)",), VectorType(1, IntType(8)), Composite((Value(4),)), Composite((Value(1),))),
    ],
)
def test_a_broken_attribute_makes_poison(words, type_, good, bad) -> None:  # type: ignore[no-untyped-def]
    keep = attribute_promises(words, type_, CONTEXT)
    assert keep is not None
    assert keep(good) == good
    assert any_poison(keep(bad))


def test_attributes_that_say_nothing_of_the_value_cost_nothing() -> None:
    assert attribute_promises(("noundef", "signext", "range(i8 2, 5)"), PTR, CONTEXT) is None
    assert attribute_promises(("nonnull",), IntType(8), CONTEXT) is None


def load(type_: str, metadata: str, stored: str) -> Value:
    lines = f"%p = alloca {type_}\nstore {type_} {stored}, ptr %p\n%r = load {type_}, ptr %p, {metadata}"
    prelude = "!0 = !{i8 0, i8 3, i8 7, i8 9}\n!1 = !{i64 16}"
    value = body(type_, lines, prelude=prelude).call("f")
    assert isinstance(value, Value)
    return value


def test_metadata_of_loads() -> None:
    assert load("i8", "!range !0", "2") == Value(2)
    assert load("i8", "!range !0", "8") == Value(8)
    assert any_poison(load("i8", "!range !0", "5"))
    assert any_poison(load("ptr", "!nonnull !{}", "null"))
    assert any_poison(load("ptr", "!align !1", "inttoptr (i64 24 to ptr)"))
    assert not any_poison(load("ptr", "!align !1", "inttoptr (i64 32 to ptr)"))
    with pytest.raises(Undefined, match="noundef"):
        load("i8", "!range !0, !noundef !{}", "5")


BEHIND = """@g = global [2 x i32] zeroinitializer
declare i32 @ask(ptr nonnull)
declare void @use(ptr, i32)
define i32 @f(ptr {} %p) {{
  ret i32 1
}}
define i32 @h(ptr %p) {{
  call void @use(ptr {} %p, i32 0)
  ret i32 1
}}
"""


@pytest.mark.parametrize("function", ["f", "h"], ids=["launched", "declared"])
@pytest.mark.parametrize(
    ("words", "kept", "broken"),
    [
        ("dereferenceable(8)", ["@g"], ["@g+1", "@g+8", "null", "poison", "undef"]),
        ("dereferenceable(4)", ["@g", "@g+4", "@g+3"], ["@g+5"]),
        ("dereferenceable_or_null(8)", ["@g", "null"], ["@g+4", "poison"]),
        ("dereferenceable(2) dereferenceable_or_null(8)", ["@g"], ["@g+4", "null"]),
        ("noundef", ["null", "@g+8"], ["poison", "undef"]),
        ("nonnull noundef", ["@g"], ["null"]),
    ],
)
def test_an_argument_that_breaks_its_promise(
    words: str, kept: list[str], broken: list[str], function: str
) -> None:
    """LangRef: what is not dereferenceable is undefined, and so is what is not ``noundef``."""
    text = BEHIND.format(words, words)
    for argument in kept:
        assert isinstance(first(text, function=function, arguments={"p": argument}).ending, Returned)
    for argument in broken:
        ending = first(text, function=function, arguments={"p": argument}).ending
        assert isinstance(ending, UndefinedBehaviour), argument


@pytest.mark.parametrize("result", ["i32", "void"])
@pytest.mark.parametrize(
    ("promise", "other"),
    [("nonnull", "null"), ("align 8", "inttoptr (i64 12 to ptr)"), ("nonnull align 2", "null")],
)
def test_what_a_declared_callee_is_given_is_poison_where_its_promise_is_broken(
    promise: str, other: str, result: str
) -> None:
    """So that a target may pass anything there; where nothing is promised it may not."""
    text = f"declare {result} @ask(ptr PROMISE)\n" + "".join(
        f"define void @{name}() {{\n  call {result} @ask(ptr {given})\n  ret void\n}}\n"
        for name, given in (("src", other), ("tgt", "poison"))
    )
    promised, bare = (parse(text.replace("PROMISE", word)) for word in (promise, ""))
    assert refine(promised, promised).verdict in ("equal", "refines")
    assert refine(bare, bare).verdict == "wrong"


TOLD = """declare i32 @ask(ptr nonnull align 8, i32 range(i32 0, 5), ptr byval(i32))
declare void @tell(ptr noundef nonnull, i32 range(i32 0, 5))
define i32 @f(ptr %p, i32 %x) {
  %y = mul i32 %x, 3
  call void @tell(ptr %p, i32 %y)
  %v = call i32 @ask(ptr %p, i32 %y, ptr byval(i32) %p)
  ret i32 %v
}
"""


def test_enumeration_has_them_too(tmp_path: Path) -> None:
    """The axiomatic engine names what it does not model."""
    given = ["--threads", "2", "--arg", "%x=2", "--buffer", "%p=i32[2]:7,8", "--format", "json"]
    plain = TOLD.replace(", ptr byval(i32) %p", "").replace(", ptr byval(i32))", ")")
    whole, without = tmp_path / "whole.ll", tmp_path / "without.ll"
    whole.write_text(TOLD)
    without.write_text(plain)
    assert convcheck("enumerate", str(whole), *given).code == 0
    named = convcheck("enumerate", str(whole), *given, "--engine", "axiomatic")
    assert named.code == 3 and "by value" in named.out
    assert convcheck("enumerate", str(without), *given, "--engine", "both").code == 0


@pytest.mark.parametrize("x", [1, 2])
def test_native_code_leaves_such_calls_to_the_reference(x: int) -> None:
    """What an argument becomes is no value of the text."""
    runs = [
        cc.run(cc.parse(TOLD), threads=2, arguments={"x": x}, buffers={"p": "i32[2]:7,8"}, engine=engine)
        for engine in ("reference", "native")
    ]
    events = [[event.operands for event in run.outcome.threads[1].events] for run in runs]
    assert events[0] == events[1] and runs[0].outcome == runs[1].outcome
    assert [operands[1] for operands in events[0]] == [3 if x == 1 else "poison"] * 2


ASSUMED = """@g = global [4 x i32] zeroinitializer, align 16
define i32 @f(ptr %p, i64 %n) {{
  call void @llvm.assume(i1 true) [ {} ]
  ret i32 1
}}
"""


@pytest.mark.parametrize(
    ("bundle", "kept", "broken"),
    [
        ('"nonnull"(ptr %p)', ["@g"], ["null", "poison"]),
        ('"noundef"(ptr %p)', ["null"], ["undef", "poison"]),
        ('"align"(ptr %p, i64 8)', ["@g", "@g+8", "null"], ["@g+4", "poison"]),
        ('"align"(ptr %p, i64 8, i64 0)', ["@g+8"], ["@g+4"]),
        ('"dereferenceable"(ptr %p, i64 8)', ["@g", "@g+8"], ["@g+9", "null", "poison"]),
        ('"dereferenceable_or_null"(ptr %p, i64 8)', ["@g", "null"], ["@g+12"]),
        ('"ignore"(ptr %p), "cold"(), "nonnull"(ptr %p)', ["@g"], ["null"]),
        ('"align"(ptr %p, i64 %n)', ["@g", "@g+1"], []),  # is named where it matters
        ('"align"(ptr %p, i64 8, i64 4)', ["@g", "@g+4"], []),
    ],
)
def test_what_bundles_of_assume_promise(bundle: str, kept: list[str], broken: list[str]) -> None:
    text = ASSUMED.format(bundle)
    for argument in kept:
        assert isinstance(first(text, arguments={"p": argument, "n": 8}).ending, Returned), argument
    for argument in broken:
        assert isinstance(first(text, arguments={"p": argument, "n": 8}).ending, UndefinedBehaviour), argument


def test_noundef_counts_at_intrinsics() -> None:
    text = """declare i32 @llvm.abs.i32(i32, i1)
define i32 @f(i32 %x) {
  %r = call i32 @llvm.abs.i32(i32 noundef %x, i1 false)
  ret i32 %r
}
"""
    assert isinstance(first(text, arguments={"x": -1}).ending, Returned)
    assert isinstance(first(text, arguments={"x": "poison"}).ending, UndefinedBehaviour)


def test_a_copy_that_a_declared_callee_is_given_may_be_undefined() -> None:
    """``noundef`` is about the pointer."""
    text = """declare void @take(ptr noundef byval(i64))
define i32 @f() {
  %own = alloca i64
  call void @take(ptr noundef byval(i64) %own)
  ret i32 1
}
"""
    assert isinstance(first(text).ending, Returned)


@pytest.mark.parametrize(("word", "verdict"), [("", "wrong"), ("dereferenceable(4)", "equal")])
def test_a_result_that_is_dereferenceable_is_not_poison(word: str, verdict: str) -> None:
    text = """declare {} ptr @give()
define i1 @f() {{
  %p = call ptr @give()
  %r = icmp eq ptr {}, %p
  ret i1 %r
}}
"""
    compared = parse(text.format(word, "%p"))
    constant = parse(text.format(word, "%p").replace("ret i1 %r", "ret i1 true"))
    assert refine(constant, compared).verdict == verdict
    assert refine(compared, constant).verdict in ("equal", "refines")
