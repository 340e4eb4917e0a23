"""How runs end: a closed set, never a Python exception.

covers: semantics, semantics.machine.run
"""

from __future__ import annotations

from typing import Any

import pytest

from convergence.parser import parse
from convergence.semantics import (
    Bound,
    BoundKind,
    Ending,
    Endless,
    OutOfBound,
    Returned,
    UndefinedBehaviour,
    Unmodelled,
)
from convergence.semantics.machine.run import run

from .every import first
from .texts import DECLARATIONS


def ending(body: str, **given: Any) -> Ending:
    return first(
        f"define i32 @f(i32 %x) {{\n{body}\n}}\n{DECLARATIONS}", **({"arguments": {"x": 1}} | given)
    ).ending


@pytest.mark.parametrize(
    ("body", "reason", "section"),
    [
        ("br i1 poison, label %a, label %a\na:\nret i32 0", "br on poison", "'br' Instruction"),
        ("br i1 undef, label %a, label %a\na:\nret i32 0", "br on undef", "'br' Instruction"),
        ("switch i32 poison, label %a []\na:\nret i32 0", "switch on poison", "'switch' Instruction"),
        ("unreachable", "unreachable was reached", "'unreachable' Instruction"),
        ("%r = call i32 null(i32 1)\nret i32 %r", "no function's address", "'call' Instruction"),
        ("%r = call i32 poison(i32 1)\nret i32 %r", "poison or undef pointer", "'call' Instruction"),
    ],
)
def test_undefined_behaviour_has_langrefs_reason(body: str, reason: str, section: str) -> None:
    stop = ending(body)
    assert isinstance(stop, UndefinedBehaviour)
    assert reason in stop.reason and stop.section == section


def test_undefined_behaviour_has_the_call_stack() -> None:
    text = """
define i32 @inner(i32 %d) {
  %q = udiv i32 1, %d
  ret i32 %q
}
define i32 @outer(i32 %d) {
  %r = call i32 @inner(i32 %d)
  ret i32 %r
}
"""
    module = parse(text)
    stop = run(module, function="@outer", threads=3, arguments={"d": [1, 1, 0]}).ending
    assert isinstance(stop, UndefinedBehaviour)
    assert stop.thread == 2
    assert [entry.function for entry in stop.stack] == ["inner", "outer"]
    assert [module.source.excerpt(entry.span) for entry in stop.stack] == [
        "%q = udiv i32 1, %d",
        "%r = call i32 @inner(i32 %d)",
    ]


def test_noundef_is_undefined_behaviour_on_poison() -> None:
    text = """
define void @g(i32 noundef %x) {
  ret void
}
define noundef i32 @h(i32 %x) {
  %p = add nuw i32 %x, -1
  ret i32 %p
}
define void @f() {
  call void @g(i32 poison)
  ret void
}
"""
    assert isinstance(first(text, function="f").ending, UndefinedBehaviour)
    assert isinstance(first(text, function="h", arguments={"x": 1}).ending, UndefinedBehaviour)
    assert isinstance(first(text, function="h", arguments={"x": 0}).ending, Returned)


def test_calling_with_a_type_that_the_function_does_not_have() -> None:
    text = """
define i32 @g(i32 %x) {
  ret i32 %x
}
define void @f(ptr %p) {
  call void %p()
  ret void
}
"""
    stop = first(text, function="f", arguments={"p": "@g"}).ending
    assert isinstance(stop, UndefinedBehaviour) and "a type that it does not have" in stop.reason


def test_control_intrinsics_are_not_called_indirectly() -> None:
    text = f"""
define void @f(ptr %p) {{
  %t = call token %p()
  ret void
}}
{DECLARATIONS}"""
    pointer = "@llvm.experimental.convergence.anchor"
    stop = first(text, arguments={"p": pointer}).ending
    assert isinstance(stop, UndefinedBehaviour) and stop.section == "Convergence Control Intrinsics"


def test_a_thread_that_goes_round_is_named_and_so_is_who_waits_for_it() -> None:
    text = f"""
define i32 @f(i1 %spin) convergent {{
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %spin, label %loop, label %end
loop:
  br i1 %spin, label %loop, label %end
end:
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  ret i32 %s
}}
{DECLARATIONS}"""
    stop = first(text, threads=3, arguments={"spin": [0, -1, 0]}, max_steps=20_000).ending
    assert isinstance(stop, Endless) and [s.thread for s in stop.spinning] == [1]
    assert [(w.thread, w.name, w.for_threads) for w in stop.waiting] == [(0, "%s", (1,)), (2, "%s", (1,))]


def test_a_spinning_thread_lets_others_go_on() -> None:
    text = """
@flag = global i32 0
define i32 @f(i32 %who) {
entry:
  %setter = icmp eq i32 %who, 1
  br i1 %setter, label %set, label %spin
set:
  store atomic i32 7, ptr @flag monotonic, align 4
  ret i32 0
spin:
  %v = load atomic i32, ptr @flag monotonic, align 4
  %go = icmp eq i32 %v, 7
  br i1 %go, label %end, label %spin
end:
  ret i32 %v
}
"""
    run_ = first(text, threads=2, arguments={"who": [0, 1]}, max_steps=200_000)
    assert run_.ending == Returned()
    assert [t.value for t in run_.outcome.threads] == [7, 0]


RECURSIVE = """
define i32 @f(i32 %n) {
entry:
  %stop = icmp eq i32 %n, 0
  br i1 %stop, label %done, label %more
more:
  %m = sub i32 %n, 1
  %r = call i32 @f(i32 %m)
  %s = add i32 %r, 1
  ret i32 %s
done:
  ret i32 0
}
"""


def test_recursion_deeper_than_pythons() -> None:
    run_ = first(RECURSIVE, arguments={"n": 20_000})
    assert run_.ending == Returned() and run_.outcome.threads[0].value == 20_000


def test_endless_recursion_is_out_of_bound() -> None:
    stop = first(RECURSIVE.replace("icmp eq i32 %n, 0", "icmp eq i32 0, 1"), arguments={"n": 0}).ending
    assert isinstance(stop, OutOfBound) and stop.bound == Bound(BoundKind.CALL_DEPTH, 100_000)
    assert len(stop.stack) == 200


def test_timeout_is_a_bound() -> None:
    text = (
        "define void @f() {\n  br label %a\na:\n  %i = phi i64 [ 0, %0 ], [ %n, %a ]\n"
        "  %n = add i64 %i, 1\n  %c = icmp eq i64 %n, 0\n  br i1 %c, label %b, label %a\nb:\n  ret void\n}\n"
    )
    stop = first(text, timeout=0.05, max_steps=10**12).ending
    assert isinstance(stop, OutOfBound) and stop.bound == Bound(BoundKind.TIMEOUT, 0.05)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("%v = extractelement <vscale x 2 x i32> zeroinitializer, i32 %x\nret i32 %v", "scalable"),
        ("%l = alloca i8\n%v = va_arg ptr %l, i32\nret i32 %v", "va_arg"),
    ],
)
def test_what_has_no_model_is_named_when_it_is_reached(body: str, what: str) -> None:
    stop = ending(body)
    assert isinstance(stop, Unmodelled) and what in stop.feature and stop.stack
    unreached = ending(f"ret i32 3\nother:\n{body.replace('%a', '%a')}")
    assert unreached == Returned()


def test_trap_and_exit_end_their_thread_only() -> None:
    text = """
declare void @llvm.trap()
define i32 @f(i1 %stop) {
  br i1 %stop, label %a, label %b
a:
  call void @llvm.trap()
  unreachable
b:
  ret i32 1
}
"""
    run_ = first(text, threads=2, arguments={"stop": [-1, 0]})
    assert run_.ending == Returned()
    assert [(t.ended, t.value) for t in run_.outcome.threads] == [("exited", None), ("returned", 1)]
