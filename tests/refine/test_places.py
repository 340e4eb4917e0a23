"""Objects that nobody outside can name: passes rename them, pack several, or leave one out (§6).

covers: refine.sides.observable
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.refine import refine
from convergence.refine.verdict.result import AddressNumber, OpenSide

TWO = """
@a = internal addrspace(3) global i32 poison
@b = internal addrspace(3) global i32 poison
define void @f(i32 %x) {
  store volatile i32 %x, ptr addrspace(3) @a
  store volatile i32 2, ptr addrspace(3) @b
  %y = load volatile i32, ptr addrspace(3) @a
  ret void
}
"""
PACKED = """
@s = internal addrspace(3) global { i32, i32 } poison
define void @f(i32 %x) {
  store volatile i32 %x, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i32 FIRST)
  store volatile i32 2, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i32 SECOND)
  %y = load volatile i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i32 LOADED)
  ret void
}
"""
CALLS = """
declare i32 @reads(ptr)
define internal i32 @callee(i32 %x) {
  %a = alloca i32
  store volatile i32 %x, ptr %a
  %r = call i32 @reads(ptr %a)
  ret i32 %r
}
define i32 @f(i32 %x) {
  %a = call i32 @callee(i32 %x)
  %b = call i32 @callee(i32 1)
  %s = sub i32 %a, %b
  ret i32 %s
}
"""
INLINED = """
declare i32 @reads(ptr)
define i32 @f(i32 %x) {
  %a.i = alloca i32
  %a.i1 = alloca i32
  store volatile i32 %x, ptr %a.i
  %r = call i32 @reads(ptr %a.i)
  store volatile i32 1, ptr %a.i1
  %q = call i32 @reads(ptr GIVEN)
  %s = sub i32 %r, %q
  ret i32 %s
}
"""
RENAMED = """
define void @f() {
  %a = alloca i32
  %b = alloca i32
  store volatile i32 1, ptr %a
  store volatile i32 2, ptr %b
  ret void
}
"""


@pytest.mark.parametrize(
    ("first", "second", "loaded", "verdict"),
    [(0, 4, 0, "equal"), (4, 0, 4, "equal"), (0, 0, 0, "wrong"), (0, 4, 4, "wrong")],
)
def test_workgroup_memory_may_lie_in_another_variable(
    first: int, second: int, loaded: int, verdict: str
) -> None:
    """Which place is which is open; that two of them are the same, or are not, is seen."""
    packed = PACKED.replace("FIRST", str(first)).replace("SECOND", str(second))
    source, target = parse(TWO), parse(packed.replace("LOADED", str(loaded)))
    assert refine(source, target, threads=1).verdict == verdict
    assert refine(target, source, threads=1).verdict == verdict


def test_a_variable_that_others_can_name_is_no_other() -> None:
    named = [TWO.replace("internal ", "").replace("@a", f"@{name}") for name in "ac"]
    assert refine(parse(named[0]), parse(named[1]), threads=1).verdict == "wrong"


@pytest.mark.parametrize(("operand", "verdict"), [("%a.i1", "equal"), ("%a.i", "wrong")])
def test_a_stack_object_is_one_for_each_activation(operand: str, verdict: str) -> None:
    source, target = parse(CALLS), parse(INLINED.replace("GIVEN", operand))
    assert refine(source, target, function="f", threads=1, max_launches=8).verdict == verdict


def test_a_stack_object_of_one_activation_is_one() -> None:
    other = RENAMED.replace("%a", "%p").replace("%b", "%q")
    assert refine(parse(RENAMED), parse(other), threads=1).verdict == "equal"
    joined = other.replace("store volatile i32 2, ptr %q", "store volatile i32 2, ptr %p")
    assert refine(parse(RENAMED), parse(joined), threads=1).verdict == "wrong"


NUMBERS = """
@a = internal addrspace(3) global SIZE poison
@b = internal addrspace(3) global i32 poison
define i32 @f() {
  %n = ptrtoint ptr addrspace(3) @b to i32
  %m = add i32 %n, 0
  ret i32 %m
}
"""


def test_the_number_of_an_address_is_no_promise() -> None:
    source = parse(NUMBERS.replace("SIZE", "i32"))
    moved = NUMBERS.replace("SIZE", "[9 x i32]").replace("add i32", "sub i32")
    found = refine(source, parse(moved), threads=1)
    assert found.verdict == "unknown"
    assert isinstance(found.bound, OpenSide) and isinstance(found.bound.why, AddressNumber)
    other = NUMBERS.replace("SIZE", "i32")
    assert refine(source, parse(other.replace("add i32", "sub i32")), threads=1).verdict == "equal"
    assert refine(source, parse(other.replace("%n, 0", "%n, 1")), threads=1).verdict == "wrong"


def test_nor_is_that_of_a_stack_object() -> None:
    text = """define i64 @f() {{
  %unused = alloca {}
  %p = alloca i32
  %n = ptrtoint ptr %p to i64
  {}
}}"""
    one, other = "%r = and i64 %n, -1\n  ret i64 %r", "%r = and i64 %n, 3\n  ret i64 %r"
    for body, verdict in ((one, "unknown"), (other, "equal")):
        sides = [parse(text.format(type_, body)) for type_ in ("i32", "[4000 x i8]")]
        assert refine(*sides).verdict == verdict


GIVEN = """
declare void @fill(ptr)
declare i32 @ask(ptr)
define i32 @f(i32 %x) {
  %a = alloca [2 x i32]
  %b = alloca [2 x i32]
  BODY
}
"""
ONE_ASKED = "store i32 %x, ptr %a\n%r = call i32 @ask(ptr %a)\nret i32 %r"
TWO_FILLED = "call void @fill(ptr %a)\ncall void @fill(ptr %b)\n%v = load i32, ptr %b\nret i32 %v"
BOTH_PARTS = (
    "%p = getelementptr i32, ptr %a, i32 1\ncall void @fill(ptr %a)\ncall void @fill(ptr %p)\nret i32 %x"
)


@pytest.mark.parametrize(
    ("body", "old", "new", "verdict"),
    [
        (ONE_ASKED, "ptr %a", "ptr %b", "equal"),
        (ONE_ASKED, "@ask(ptr %a", "@ask(ptr %b", "wrong"),  # what lies there is another matter
        (TWO_FILLED, "load i32, ptr %b", "load i32, ptr %a", "wrong"),
        (TWO_FILLED, "@fill(ptr %b", "@fill(ptr %a", "wrong"),
        (BOTH_PARTS, "ptr %a, i32 1", "ptr %b, i32 1", "wrong"),
    ],
)
def test_a_stack_object_is_not_its_name_where_both_sides_have_it(
    body: str, old: str, new: str, verdict: str
) -> None:
    """``memcpyopt`` gives a callee the destination of a copy in place of its source."""
    source, target = (parse(GIVEN.replace("BODY", text)) for text in (body, body.replace(old, new)))
    assert refine(source, target, function="f", threads=1, max_launches=8).verdict == verdict


HIDDEN_NUMBERS = """
EXTRA
@b = private constant i32 1
@n = private constant i64 ptrtoint (ptr @b to i64)
declare void @show(<2 x i64>, i64)
define void @other() {
  br label %there
there:
  ret void
}
define void @f(i32 %x) {
  USELESS
  br label %here
here:
  %n = load i64, ptr @n
  call void @show(<2 x i64> FIRST, i64 SECOND)
  ret void
}
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("<i64 ptrtoint (ptr @b to i64), i64 1>", "2"),
        ("splat (i64 ptrtoint (ptr @b to i64))", "2"),
        ("zeroinitializer", "%n"),
        ("zeroinitializer", "ptrtoint (ptr blockaddress(@f, %here) to i64)"),
    ],
)
def test_the_number_of_an_address_is_no_promise_in_a_constant(first: str, second: str) -> None:
    text = HIDDEN_NUMBERS.replace("FIRST", first).replace("SECOND", second)
    tables = [f"@t = private constant ptr blockaddress({b})" for b in ("@other, %there", "@f, %here")]
    if "blockaddress" not in second:
        tables = ["@a = private constant i32 7", ""]
    source = parse(text.replace("EXTRA", tables[0]).replace("USELESS", "%y = add i32 %x, 0"))
    target = parse(text.replace("EXTRA", tables[1]).replace("USELESS", ""))
    answer = refine(source, target, function="f", threads=1, max_launches=8)
    assert answer.verdict == "unknown"
    assert isinstance(answer.bound, OpenSide) and isinstance(answer.bound.why, AddressNumber)


@pytest.mark.parametrize(("loaded", "verdict"), [("%1", "equal"), ("%2", "wrong")])
def test_numbers_of_stack_objects_say_nothing_where_calls_are_expanded(loaded: str, verdict: str) -> None:
    """Both sides have a %1 and a %2, and other objects by these names."""
    source = """
define internal i32 @callee(i32 %x) {
  %1 = alloca i32
  %2 = alloca i32
  store volatile i32 %x, ptr %2
  %y = load volatile i32, ptr %2
  ret i32 %y
}
define i32 @f(i32 %x) {
  %a = call i32 @callee(i32 %x)
  %b = call i32 @callee(i32 7)
  ret i32 %b
}
"""
    target = f"""
define i32 @f(i32 %x) {{
  %1 = alloca i32
  %2 = alloca i32
  store volatile i32 %x, ptr %2
  %a = load volatile i32, ptr %2
  store volatile i32 7, ptr %1
  %b = load volatile i32, ptr {loaded}
  ret i32 %b
}}
"""
    assert refine(parse(source), parse(target), function="f").verdict == verdict


def test_what_a_mask_leaves_of_an_address_is_no_promise() -> None:
    """Functions have addresses, too: with another one more the variable lies a few bytes further."""
    text = """
@a = global [64 x i8] zeroinitializer, align 16
define i64 @f() {
  %n = ptrtoint ptr @a to i64
  %m = and i64 %n, 63
  ret i64 %m
}
"""
    source = parse(text)
    more = ["".join(f"declare void @g{n}()\n" for n in range(count)) for count in range(1, 5)]
    target = text.replace("and i64 %n, 63", "urem i64 %n, 64")
    verdicts = [refine(source, parse(target + functions), threads=1).verdict for functions in more]
    assert set(verdicts) == {"equal", "unknown"}


SWAPPED = """
target triple = "amdgcn-amd-amdhsa"
declare ptr @llvm.amdgcn.permlane64.p0(ptr) convergent nounwind willreturn memory(none)
define amdgpu_kernel void @f(ptr addrspace(1) %out, ptr %p) #0 {
  %q = call ptr @llvm.amdgcn.permlane64.p0(ptr %p)
  store ptr %q, ptr addrspace(1) %out
  ret void
}
define amdgpu_kernel void @kept(ptr addrspace(1) %out, ptr %p) #0 {
  store ptr %p, ptr addrspace(1) %out
  ret void
}
attributes #0 = { "target-cpu"="gfx1100" }
"""


def test_which_intrinsics_are_declared_moves_nothing() -> None:
    """The source declares a control intrinsic more, by inference; a pointer in memory that is shown as
    numbers was another one then."""
    module = parse(SWAPPED)
    assert refine(module, module, function="f", target_function="kept").verdict == "equal"
