"""What attributes promise of results: functions of operands, or of operands and memory (D-CALL, §6).

covers: semantics.operations, refine.sides.observable
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.refine import refine
from convergence.refine.symbolic.question import refine_symbolically
from convergence.refine.verdict.result import OpenSide, PoisonRepeats
from tests.semantics.every import first

TOKEN = '[ "convergencectrl"(token %t) ]'


def calling(body: str, callee: str, bundle: str = "") -> str:
    return body.replace("ASK", f"call {callee}").replace("USE", bundle)


def verdict(source: str, target: str, callee: str, words: str) -> str:
    """Of two bodies of a function of ``i32 noundef %x`` that calls ``@ask``, declared with ``words``."""
    entry = "%t = call token @llvm.experimental.convergence.entry()\n" if "convergent" in words else ""
    convergent = "convergent" if "convergent" in words else ""
    bundle = TOKEN if convergent else ""
    sides = [
        parse(
            f"define i32 @f(i32 noundef %x) {convergent} {{\n{entry}{calling(body, callee, bundle)}\n}}\n"
            f"declare noundef i32 @ask(i32) {words}\ndeclare void @other(i32)\ndeclare void @see(i32)\n"
            "declare void @mark(i32) memory(inaccessiblemem: write)\n"
            "declare token @llvm.experimental.convergence.entry()\n"
        )
        for body in (source, target)
    ]
    answer = refine(*sides, max_launches=24)
    symbolic = refine_symbolically(*sides)
    if symbolic.verdict in ("equal", "refines"):  # it may not know, and never says more than the runs
        assert answer.verdict == symbolic.verdict
    return answer.verdict


TWICE = """%a = ASK USE
%b = ASK USE
%r = sub i32 %a, %b
ret i32 %r"""
ONCE = """%a = ASK USE
ret i32 0"""
APART = """%a = ASK USE
call void @other(i32 1)
%b = ASK USE
%r = sub i32 %a, %b
ret i32 %r"""
FIRST_ONLY = """%a = ASK USE
call void @other(i32 1)
ret i32 0"""
LATE = """call void @other(i32 1)
%a = ASK USE
ret i32 %a"""
EARLY = """%a = ASK USE
call void @other(i32 1)
ret i32 %a"""
NEVER = "ret i32 0"
CALL = "i32 @ask(i32 %x)"
BACK = "willreturn nounwind"


@pytest.mark.parametrize("more", ["", "willreturn", "nounwind", "convergent", f"convergent {BACK}", BACK])
@pytest.mark.parametrize("memory", ["memory(none)", "memory(read)", "memory(argmem: read)", "readonly"])
def test_equal_calls_that_write_nothing_have_one_result(memory: str, more: str) -> None:
    assert verdict(TWICE, ONCE, CALL, f"{memory} {more}") == "equal"
    assert verdict(ONCE, TWICE, CALL, f"{memory} {more}") == "equal"


@pytest.mark.parametrize("more", ["", "willreturn", "convergent"])
def test_what_touches_no_memory_is_the_same_behind_other_calls(more: str) -> None:
    assert verdict(APART, FIRST_ONLY, CALL, f"memory(none) {more}") == "equal"


@pytest.mark.parametrize("more", ["", "willreturn", "convergent", BACK])
def test_what_reads_memory_is_not_the_same_behind_what_may_have_written(more: str) -> None:
    assert verdict(APART, FIRST_ONLY, CALL, f"memory(read) {more}") == "wrong"


@pytest.mark.parametrize("more", ["", "convergent"])
def test_what_reads_memory_may_not_move_over_what_may_write(more: str) -> None:
    assert verdict(LATE, EARLY, CALL, f"memory(read) {BACK} {more}") == "wrong"
    assert verdict(LATE, EARLY, CALL, f"memory(none) {BACK} {more}") == "equal"


@pytest.mark.parametrize("more", ["", "willreturn", "nounwind"])
def test_a_call_that_may_not_come_back_is_neither_deleted_nor_moved(more: str) -> None:
    assert verdict(ONCE, NEVER, CALL, f"memory(none) {more}") == "wrong"
    assert verdict(NEVER, ONCE, CALL, f"memory(none) {more}") == "wrong"
    assert verdict(LATE, EARLY, CALL, f"memory(none) {more}") == "wrong"


@pytest.mark.parametrize("words", ["", "memory(argmem: readwrite)", f"memory(readwrite) {BACK}"])
def test_equal_calls_that_read_and_write_are_two(words: str) -> None:
    assert verdict(TWICE, ONCE, CALL, words) == "wrong"


def test_what_only_writes_writes_it_once() -> None:
    assert verdict(TWICE, ONCE, CALL, "memory(inaccessiblemem: write)") == "equal"
    assert verdict(APART, FIRST_ONLY, CALL, "memory(inaccessiblemem: write)") == "wrong"
    marks = "call void @mark(i32 1)\n" * 2 + "%a = ASK\nret i32 %a"
    once = "call void @mark(i32 1)\n%a = ASK\nret i32 %a"
    late = "%a = ASK\ncall void @mark(i32 1)\nret i32 %a"
    words = f"memory(inaccessiblemem: read) {BACK}"
    assert verdict(marks, once, CALL, words) == "equal"
    assert verdict(once, late, CALL, words) == "wrong"


def test_operands_tell_calls_apart() -> None:
    other = TWICE.replace("%b = ASK", "%y = xor i32 %x, 1\n%b = call i32 @ask(i32 %y)")
    assert verdict(other, ONCE, CALL, "memory(none)") == "wrong"


def test_in_a_loop_the_first_call_is_as_good_as_each() -> None:
    """What licm makes of a call in a header."""
    loop = """br label %head
head:
%i = phi i32 [ 0, %0 ], [ %n, %head ]
INSIDE
call void @see(i32 %i)
%n = add i32 %i, 1
%c = icmp ult i32 %n, %x
br i1 %c, label %head, label %out
out:
ret i32 %a"""
    inside, ahead = loop.replace("INSIDE", "%a = ASK"), f"%a = ASK\n{loop.replace('INSIDE', '')}"
    assert verdict(inside, ahead, CALL, "memory(none)") == "equal"
    assert verdict(inside, ahead, CALL, "memory(read)") == "wrong"


@pytest.mark.parametrize(
    ("words", "same"), [("memory(none)", True), ("memory(none) willreturn", True), ("", False)]
)
def test_a_run_gives_equal_calls_one_result(words: str, same: bool) -> None:
    text = f"define i32 @f(i32 %x) {{\n{calling(TWICE, CALL)}\n}}\ndeclare i32 @ask(i32) {words}"
    run = first(text, threads=1, arguments={"x": 5})
    assert (run.outcome.threads[0].value == 0) is same


BUFFERS = """
define i32 @f(ptr noalias %p, ptr noalias %q, i32 %x) CONVERGENT {
BODY
}
declare i32 @get(ptr, i32) memory(argmem: read) nounwind willreturn CONVERGENT
declare void @put(i32, ptr) memory(argmem: write) nounwind willreturn
declare void @mark(i32) memory(inaccessiblemem: readwrite) nounwind willreturn
declare void @other(i32)
"""
GET = "%a = call i32 @get(ptr %q, i32 %x)"


@pytest.mark.parametrize("convergent", ["", "convergent"])
@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("call void @put(i32 %x, ptr %p)", "equal"),
        ("call void @mark(i32 %x)", "equal"),
        ("call void @put(i32 %x, ptr %q)", "wrong"),
        ("%r = getelementptr i8, ptr %q, i64 4\ncall void @put(i32 %x, ptr %r)", "wrong"),
        ("call void @other(i32 %x)", "equal"),  # to which nobody has given %q, which is noalias
    ],
)
def test_what_reads_only_behind_its_operands_is_the_same_behind_what_writes_elsewhere(
    between: str, expected: str, convergent: str
) -> None:
    """As licm moves an AMDGPU buffer's load over a store to another buffer, which may not alias."""
    late, early = (
        parse(BUFFERS.replace("CONVERGENT", convergent).replace("BODY", f"{body}\nret i32 %a"))
        for body in (f"{between}\n{GET}", f"{GET}\n{between}")
    )
    assert refine(late, early, max_launches=12, threads=2).verdict == expected


def test_what_may_alias_may_have_been_written_by_any_call() -> None:
    text = BUFFERS.replace("noalias ", "").replace("CONVERGENT", "")
    late, early = (
        parse(text.replace("BODY", f"{body}\nret i32 %a"))
        for body in (f"call void @other(i32 %x)\n{GET}", f"{GET}\ncall void @other(i32 %x)")
    )
    assert refine(late, early, max_launches=12, threads=2).verdict == "wrong"


# -- What attributes and metadata promise of values: poison where it is not kept

CLAMP = """%c = icmp ult i32 %r, 4
%q = select i1 %c, i32 %r, i32 77
ret i32 %q"""


@pytest.mark.parametrize(
    ("callee", "call", "after"),
    [
        ("declare range(i32 0, 4) i32 @ask(i32)", "call i32 @ask(i32 %x)", ""),
        ("declare i32 @ask(i32)", "call range(i32 0, 4) i32 @ask(i32 %x)", ""),
        ("declare i32 @ask(i32)", "call i32 @ask(i32 %x), !range !0", ""),
        ("declare range(i32 0, 4) i32 @ask(i32) convergent", "call i32 @ask(i32 %x)", ""),
        ("define range(i32 0, 4) i32 @ask(i32 %y) {\nret i32 %y\n}", "call i32 @ask(i32 %x)", ""),
        ("define i32 @ask(i32 %y) {\nret i32 %y\n}", "call range(i32 0, 4) i32 @ask(i32 %x)", ""),
        ("define i32 @ask(i32 range(i32 0, 4) %y) {\nret i32 %y\n}", "call i32 @ask(i32 %x)", ""),
        ("declare i32 @llvm.abs.i32(i32, i1)", "call i32 @llvm.abs.i32(i32 %x, i1 false), !range !0", ""),
        (
            "declare range(i32 0, 4) i32 @ask(i32)",
            "invoke i32 @ask(i32 %x) to label %n unwind label %u",
            "n:\n",
        ),
    ],
)
def test_a_result_keeps_its_range_or_is_poison(callee: str, call: str, after: str) -> None:
    declared = f"{callee}\ndeclare i32 @anyone(...)\n!0 = !{{i32 0, i32 4}}\n"
    pad = "u:\n%l = landingpad { ptr, i32 } cleanup\nresume { ptr, i32 } %l\n" if after else ""
    head = "personality ptr @anyone " if after else ""
    sides = [
        parse(f"define i32 @f(i32 %x) {head}{{\n%r = {call}\n{after}{end}\n{pad}}}\n{declared}")
        for end in ("ret i32 %r", CLAMP)
    ]
    assert refine(*sides, threads=1, max_launches=12).verdict in ("equal", "refines")
    without = [
        parse(text.source.text.replace("range(i32 0, 4)", "").replace(", !range !0", "")) for text in sides
    ]
    assert refine(*without, threads=1, max_launches=12).verdict == "wrong"


def test_a_range_that_is_kept_leaves_the_value() -> None:
    """A stand-in in its range is no poison, so that a difference is seen."""
    declared = "declare range(i32 0, 4) i32 @ask(i32)\n"
    sides = [
        parse(f"define i32 @f(i32 %x) {{\n%r = call i32 @ask(i32 %x)\n{end}\n}}\n{declared}")
        for end in ("ret i32 %r", "%s = xor i32 %r, 1\nret i32 %s")
    ]
    assert refine(*sides, threads=1, max_launches=12).verdict == "wrong"


def test_a_noundef_result_out_of_range_is_undefined() -> None:
    callee = "define noundef range(i32 0, 4) i32 @ask(i32 %y) {\nret i32 9\n}\n"
    sides = [
        parse(f"define i32 @f(i32 %x) {{\n{body}\n}}\ndeclare void @see(i32)\n{callee}")
        for body in ("call void @see(i32 1)\n%r = call i32 @ask(i32 %x)\nret i32 1", "ret i32 2")
    ]
    assert refine(*sides, threads=1, max_launches=4).verdict != "wrong"


def test_poison_may_be_another_value_at_each_call() -> None:
    add, ask = "%{} = add {}i32 %x, 1\n", "%{} = call i32 @ask(i32 %{})\n"
    strict, loose = add.format("p", "nsw "), add.format("q", "")
    declared = "declare i32 @ask(i32) memory(none)\n"
    sides = [
        parse(f"define i32 @f(i32 %x) {{\n{body}ret i32 %b\n}}\n{declared}")
        for body in (
            strict + ask.format("a", "p") + ask.format("b", "p"),
            strict + loose + ask.format("a", "p") + ask.format("b", "q"),
        )
    ]
    given = {"%x": 2147483647}
    found = refine(*sides, threads=1, arguments=given)
    assert found.verdict == "unknown" and isinstance(found.bound, OpenSide)
    assert found.bound.why == PoisonRepeats("ask")
    assert refine(*sides, threads=1, arguments={"%x": 3}).verdict == "equal"


def test_an_integer_that_is_to_come_may_become_a_vector() -> None:
    body = (
        "@x = global i32 0\n@p = global i32 0\ndefine void @f() {{\n  %q = load i32, ptr @p\n{}"
        "  %v = bitcast i32 {} to <2 x i16>\n  store <2 x i16> %v, ptr @x\n  ret void\n}}\n"
    )
    source, target = parse(body.format("", "%q")), parse(body.format("  %r = add i32 %q, 0\n", "%r"))
    assert refine(source, target).verdict == "equal"


def test_a_parameter_that_promises_may_take_what_is_to_come() -> None:
    """What it keeps is computed in its own register, of which no instruction is the maker."""
    common = (
        "@x = global i32 0\n@p = global i32 0\n"
        "define internal void @g(i32 range(i32 0, 1000) %v) {\n  store i32 %v, ptr @x\n  ret void\n}\n"
    )
    body = "define void @f() {{\n  %q = load i32, ptr @p\n{}  call void @g(i32 {})\n  ret void\n}}\n"
    source = parse(common + body.format("", "%q"))
    target = parse(common + body.format("  %r = add i32 %q, 0\n", "%r"))
    assert refine(source, target).verdict == "equal"


RETURNED = """
declare i32 @same(i32 returned, i32)
declare i32 @meets(i32 returned) convergent
declare token @llvm.experimental.convergence.entry()
define i32 @f(i32 %x) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %r = CALL
  ret i32 VALUE
}
"""


@pytest.mark.parametrize(
    ("call", "verdict"),
    [
        ("call i32 @same(i32 %x, i32 1)", "equal"),
        ('call i32 @meets(i32 %x) [ "convergencectrl"(token %t) ]', "equal"),
        ("call i32 @same(i32 1, i32 %x)", "wrong"),
    ],
)
def test_an_operand_that_is_returned_is_the_result(call: str, verdict: str) -> None:
    source, target = (parse(RETURNED.replace("CALL", call).replace("VALUE", v)) for v in ("%r", "%x"))
    assert refine(source, target, max_launches=6).verdict == verdict
