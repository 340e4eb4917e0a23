"""What LLVM knows of functions, allocations and addresses, and no model here has: never ``wrong`` for that.

covers: refine.sides.observable, refine.sides.unmodelled, refine.verdict.relation
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.refine import Refinement, refine
from convergence.refine.verdict.result import (
    AddressNumber,
    AnotherObject,
    CompilerKnows,
    KnownByName,
    OnlyACopy,
    OpenSide,
    PointerWithoutModel,
    VolatileCopy,
    WhichNaN,
)
from convergence.report.refine import reason_words

HEAD = """
@g = global i32 1
declare double @erf(double)
declare i32 @mystery(i32)
declare float @llvm.experimental.constrained.fadd.f32(float, float, metadata, metadata)
declare void @memset_pattern16(ptr, ptr, i64) memory(argmem: write)
declare double @llvm.log.f64(double)
declare double @llvm.exp.f64(double)
declare ptr @heap(i64) allockind("alloc,uninitialized") "alloc-family"="heap" "alloc-variant-zeroed"="zeroed"
declare ptr @zeroed(i64) allockind("alloc,zeroed") "alloc-family"="heap"
declare i32 @peek(ptr captures(none))
declare i32 @keep(ptr)
declare void @poke(ptr captures(none) writeonly) memory(argmem: write)
"""


def compared(
    source: str,
    target: str,
    *,
    more: str = "",
    parameters: str = "i32 %x, ptr %p",
    threads: int | None = None,
) -> Refinement:
    """Of two bodies of one function; ``more`` is only the target's."""
    result = "double" if "ret double" in source else "float" if "ret float" in source else "i32"
    one, other = (
        parse(f"{HEAD}{extra}define {result} @f({parameters}) {{\n{body}\n}}\n")
        for body, extra in ((source, ""), (target, more))
    )
    return refine(one, other, max_launches=6, threads=threads)


def reason(answer: Refinement) -> object:
    assert isinstance(answer.bound, OpenSide)
    return answer.bound.why


ERF = "%r = call double @erf(double 0.5)\nret double VALUE"
STRICT = (
    "%r = call float @llvm.experimental.constrained.fadd.f32(float 1.0, float 2.0, "
    'metadata !"round.tonearest", metadata !"fpexcept.strict")\nret float VALUE'
)


@pytest.mark.parametrize(
    ("body", "folded", "name"),
    [
        (ERF, "0x3FE0A7EF5C18EDD2", "erf"),
        (STRICT, "3.0", "llvm.experimental.constrained.fadd.f32"),
    ],
)
def test_a_result_that_llvm_knows_is_no_difference(body: str, folded: str, name: str) -> None:
    answer = compared(body.replace("VALUE", "%r"), body.replace("VALUE", folded))
    assert (answer.verdict, reason(answer)) == ("unknown", KnownByName(name))
    assert answer.bound is not None
    assert reason_words(answer.bound) == f"@{name} has no model, and LLVM may know what it gives or writes"


def test_a_result_that_nobody_knows_is_one() -> None:
    call = "%r = call i32 @mystery(i32 %x)\nret i32 VALUE"
    assert compared(call.replace("VALUE", "%r"), call.replace("VALUE", "2")).verdict == "wrong"
    # as often used, and changed behind that
    other = ERF.replace("VALUE", "%s").replace("ret", "%s = fadd double %r, 1.0\nret")
    assert compared(ERF.replace("VALUE", "%r"), other).verdict == "wrong"


def test_what_a_library_function_writes_is_not_known() -> None:
    pattern = "call void @memset_pattern16(ptr %p, ptr @g, i64 4)\nret i32 0"
    answer = compared("store i32 7, ptr %p\n" + pattern, pattern)
    assert (answer.verdict, reason(answer)) == ("unknown", KnownByName("memset_pattern16"))
    unknown = (
        pattern.replace("memset_pattern16", "mystery")
        .replace("void", "i32")
        .replace("ptr %p, ptr @g, i64 4", "i32 4")
    )
    assert compared("store i32 7, ptr %p\n" + unknown, unknown).verdict == "wrong"


def test_an_allocation_may_become_another_one_of_its_family() -> None:
    heap = "%h = call ptr @heap(i64 4)\nret i32 %x"
    answer = compared(heap, heap.replace("@heap", "@zeroed"))
    assert (answer.verdict, reason(answer)) == ("unknown", PointerWithoutModel("heap"))


def test_flags_allow_what_is_algebraically_the_same() -> None:
    chain = "%l = call double @llvm.log.f64(double %a)\n"
    chain += "%e = call FLAGS double @llvm.exp.f64(double %l)\nret double "
    for flags, verdict in (("reassoc", "refines"), ("", "wrong")):
        source = chain.replace("FLAGS", flags)
        assert compared(source + "%e", source + "%a", parameters="double %a").verdict == verdict
    twice = chain.replace("FLAGS", "reassoc")
    doubled = twice.replace("ret double ", "%d = fadd double %a, %a\nret double ")
    assert compared(twice + "%e", doubled + "%d", parameters="double %a").verdict == "wrong"


STORED = "store ptr @g, ptr %p\nret i32 NUMBER"


def test_an_address_in_memory_is_no_promise() -> None:
    """The target declares one function more, so that variables lie elsewhere."""
    source, target = STORED.replace("NUMBER", "%x"), STORED.replace("NUMBER", "%y")
    target = "%y = add i32 %x, 0\n" + target
    answer = compared(source, target, more="declare void @other()\n", threads=1)
    assert (answer.verdict, reason(answer)) == ("unknown", AddressNumber())
    assert compared(source, target, threads=1).verdict == "equal"
    assert compared(source, target.replace("%x, 0", "%x, 1"), threads=1).verdict == "wrong"


PEEKS = """
%a = alloca i32
%b = alloca i32
store i32 %x, ptr %a
%r = call i32 @peek(ptr %a)
%v = load i32, ptr %a
store i32 CONTENTS, ptr %b
%s = call i32 @peek(ptr %b)
%t = sub i32 %r, %s
ret i32 %t"""


@pytest.mark.parametrize(
    ("callee", "contents", "verdict"),
    [("peek", "%v", "equal"), ("peek", "5", "wrong"), ("keep", "%v", "wrong")],
)
def test_stack_objects_that_are_not_captured_may_become_one(callee: str, contents: str, verdict: str) -> None:
    """They are told apart by what lies in them, and where the pointer is kept by their places."""
    source = PEEKS.replace("CONTENTS", contents).replace("@peek", f"@{callee}")
    lines = [line for line in source.splitlines() if "%b = " not in line and "store i32 %v" not in line]
    lines = [line for line in lines if "store i32 5" not in line]
    assert compared(source, "\n".join(lines).replace("ptr %b", "ptr %a")).verdict == verdict


def test_calls_that_write_to_one_object_instead_of_two_are_unknown() -> None:
    pokes = "%a = alloca i32\n%b = alloca i32\ncall void @poke(ptr %a)\ncall void @poke(ptr %b)\nret i32 %x"
    merged = pokes.replace("%b = alloca i32\n", "").replace("ptr %b", "ptr %a")
    answer = compared(pokes, merged)
    assert (answer.verdict, reason(answer)) == ("unknown", KnownByName("poke"))


def test_free_of_a_null_pointer_is_no_event() -> None:
    """C says that it does nothing, and `instcombine` drops the test before it."""
    guarded, plain = (
        parse(f"declare void @free(ptr)\ndefine void @f(ptr noundef %p) {{\n  {body}\n  ret void\n}}\n")
        for body in (
            "%c = icmp eq ptr %p, null\n  br i1 %c, label %end, label %then\nthen:\n"
            "  call void @free(ptr %p)\n  br label %end\nend:",
            "call void @free(ptr %p)",
        )
    )
    assert refine(guarded, plain).verdict in ("equal", "refines")
    other = parse(str(plain.source.text).replace("@free", "@drop"))
    assert refine(parse(guarded.source.text.replace("@free", "@drop")), other).verdict == "wrong"


COPY = """
define LINKAGE i32 @f(i32 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}
define i32 @g(i32 %x) {
  %y = call i32 @f(i32 %x)
  ret i32 %y
}
"""


@pytest.mark.parametrize(("linkage", "verdict"), [("available_externally", "unknown"), ("linkonce", "wrong")])
def test_a_copy_of_what_is_elsewhere_may_go(linkage: str, verdict: str) -> None:
    source = parse(COPY.replace("LINKAGE", linkage))
    body = COPY[COPY.index("define LINKAGE") : COPY.index("define i32 @g")]
    target = parse(COPY.replace(body, "declare i32 @f(i32)\n"))
    answer = refine(source, target, function="g", threads=1)
    assert answer.verdict == verdict
    if verdict == "unknown":
        assert reason(answer) == OnlyACopy("f")
        back = refine(target, source, function="g", threads=1)
        assert back.verdict == "unknown" and reason(back) == OnlyACopy("f")


SIGN = """
declare i32 @memcmp(ptr, ptr, i64)
define i32 @f(ptr %p, ptr %q) {
  %r = call i32 @memcmp(ptr %p, ptr %q, i64 4)
  TEST
}
"""


@pytest.mark.parametrize(
    ("source", "target", "verdict"),
    [
        ("ret i32 %r", "%s = mul i32 %r, 7\n ret i32 %s", "unknown"),
        (
            "%s = ashr i32 %r, 31\n %z = sub i32 0, %s\n ret i32 %z",
            "%z = lshr i32 %r, 31\n ret i32 %z",
            "equal",
        ),
    ],
)
def test_of_a_comparison_only_the_sign_is_known(source: str, target: str, verdict: str) -> None:
    first, second = (parse(SIGN.replace("TEST", test)) for test in (source, target))
    answer = refine(first, second, threads=1)
    assert answer.verdict == verdict
    if verdict == "unknown":
        assert reason(answer) == CompilerKnows("memcmp")


def test_what_a_build_allows_is_the_compilers_to_say() -> None:
    text = "declare i1 @llvm.allow.ubsan.check(i8 immarg)\ndefine i1 @f() {\n  BODY\n}\n"
    source = parse(text.replace("BODY", "%a = call i1 @llvm.allow.ubsan.check(i8 7)\n  ret i1 %a"))
    answers = {refine(source, parse(text.replace("BODY", f"ret i1 {b}"))).verdict for b in ("true", "false")}
    assert "wrong" not in answers


COPIES = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @f(ptr %to, ptr %from) {
  BODY
  ret void
}
"""
WHOLE = "call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 8, i1 true)"
HALVES = """call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 4, i1 true)
  %to.4 = getelementptr i8, ptr %to, i64 4
  %from.4 = getelementptr i8, ptr %from, i64 4
  %v = load volatile i32, ptr %from.4
  store volatile i32 %v, ptr %to.4"""


def test_a_volatile_copy_may_be_several_accesses() -> None:
    source, target = (parse(COPIES.replace("BODY", body)) for body in (WHOLE, HALVES))
    answer = refine(source, target, threads=1, max_launches=4)
    assert answer.verdict == "unknown" and reason(answer) == VolatileCopy("llvm.memcpy")
    half = "%v = load volatile i32, ptr %from\n  store volatile i32 %v, ptr %to"
    plain = [parse(COPIES.replace("BODY", body)) for body in (half, half.replace("volatile ", "", 1))]
    assert refine(*plain, threads=1, max_launches=4).verdict == "wrong"


SLOT = """
%pair = type { i64, i64 }
declare void @make(ptr sret(%pair) captures(none)) nounwind
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @f(ptr noalias sret(%pair) %result) {
  BODY
  ret void
}
"""
THROUGH = """%own = alloca %pair
  call void @make(ptr sret(%pair) captures(none) %own)
  call void @llvm.memcpy.p0.p0.i64(ptr %result, ptr %own, i64 16, i1 false)"""


def test_a_call_may_fill_the_object_that_its_result_was_copied_to() -> None:
    """LLVM's call slot optimisation (*MemCpyOptimizer*)."""
    straight = "call void @make(ptr sret(%pair) captures(none) %result)"
    source, target = (parse(SLOT.replace("BODY", body)) for body in (THROUGH, straight))
    answer = refine(source, target, threads=1, max_launches=4)
    assert answer.verdict == "unknown" and reason(answer) == AnotherObject("make")
    captured = SLOT.replace(" captures(none)", "")
    kept = [
        parse(captured.replace("BODY", body.replace(" captures(none)", ""))) for body in (THROUGH, straight)
    ]
    assert refine(*kept, threads=1, max_launches=4).verdict == "wrong"


def test_a_call_for_errno_alone_may_go_where_there_is_no_error() -> None:
    """LLVM's *LibCallsShrinkWrap*: a call is left out for operands in the function's domain."""
    source = "%r = call double @erf(double %d)\nret i32 0"
    target = """%far = fcmp ogt double %d, 1.0e300
      br i1 %far, label %call, label %end
      call:
      %r = call double @erf(double %d)
      br label %end
      end:
      ret i32 0"""
    answer = compared(source, target, parameters="double noundef %d", threads=1)
    assert answer.verdict == "unknown" and reason(answer) == KnownByName("erf")
    mystery = [text.replace("double @erf(double %d)", "i32 @mystery(i32 1)") for text in (source, target)]
    assert compared(*mystery, parameters="double noundef %d", threads=1).verdict == "wrong"


SEGMENT = """
target triple = "x86_64-pc-linux-gnu"
define i32 @f() {
  ret i32 0
}
"""


def test_what_lies_in_a_segment_nobody_says() -> None:
    reads = "%v = load volatile i32, ptr addrspace(257) inttoptr (i32 40 to ptr addrspace(257))\n  ret i32 0"
    source, target = parse(SEGMENT), parse(SEGMENT.replace("ret i32 0", reads))
    assert refine(source, target, threads=1).verdict == "unknown"
    elsewhere = parse(SEGMENT.replace("ret i32 0", reads).replace("x86_64", "aarch64"))
    assert refine(source, elsewhere, threads=1).verdict == "wrong"


QUIET = "0x7FF8000000000000"
PAYLOAD = "0x7FFF000000000000"


@pytest.mark.parametrize(
    ("type_", "operation", "verdict"),
    [
        ("float", "fadd", "unknown"), ("double", "fadd", "unknown"), ("float", "copied", "wrong"),
        ("float", "of another value", "wrong"),
    ],
)  # fmt: skip
def test_which_nan_an_operation_gives(type_: str, operation: str, verdict: str) -> None:
    """The bits of one that is only moved are what they are."""
    source = f"%a = fadd {type_} {PAYLOAD}, 1.0\nstore {type_} {PAYLOAD}, ptr %p\nret i32 0"
    target = f"%a = fadd {type_} {PAYLOAD}, 1.0\nstore {type_} {QUIET}, ptr %p\nret i32 0"
    if operation == "copied":
        source, target = (text.split("\n", 1)[1] for text in (source, target))
    if operation == "of another value":
        target = target.replace(f"store {type_} {QUIET}", f"store {type_} 1.0")
    answer = compared(source, target, threads=1)
    assert answer.verdict == verdict
    if verdict == "unknown":
        assert reason(answer) == WhichNaN()
