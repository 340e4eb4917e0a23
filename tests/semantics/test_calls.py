"""Calls: convergence across frames, through pointers, and of functions without a model (D-CALL).

covers: semantics.machine, semantics.operations, semantics.threads, semantics.threads.step
"""

from __future__ import annotations

from typing import Any

import pytest

from convergence.rules import Rule
from convergence.semantics import Returned, UndefinedBehaviour, Unmodelled, UsageError
from convergence.semantics.machine import Called, VolatileAccess

from .every import alignments, every, first, results
from .texts import DECLARATIONS, add

RECURSION = f"""
define i32 @f(i32 %n) convergent {{
entry:
  %t = call token @llvm.experimental.convergence.entry()
  {add("here", "t", "1")}
  %stop = icmp eq i32 %n, 0
  br i1 %stop, label %done, label %more
more:
  %m = sub i32 %n, 1
  %r = call i32 @f(i32 %m) [ "convergencectrl"(token %t) ]
  %s = add i32 %r, %here
  ret i32 %s
done:
  ret i32 %here
}}
{DECLARATIONS}"""


def test_entry_takes_over_the_callers_convergence_at_every_depth() -> None:
    run = first(RECURSION, threads=3, arguments={"n": [0, 2, 3]})
    assert [sorted(g) for g in results(run, "%here")] == [[0, 1, 2], [1, 2], [1, 2], [2]]
    assert [t.value for t in run.outcome.threads] == [3, 7, 8]
    assert run.guesses == ()


def test_different_call_sites_do_not_meet() -> None:
    text = f"""
define i32 @g() convergent {{
  %t = call token @llvm.experimental.convergence.entry()
  {add("s", "t", "1")}
  ret i32 %s
}}
define i32 @f(i1 %c) convergent {{
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %c, label %a, label %b
a:
  %x = call i32 @g() [ "convergencectrl"(token %t) ]
  ret i32 %x
b:
  %y = call i32 @g() [ "convergencectrl"(token %t) ]
  ret i32 %y
}}
{DECLARATIONS}"""
    run = first(text, function="f", threads=4, arguments={"c": [0, 0, -1, 0]})
    assert [sorted(g) for g in results(run, "%s")] == [[0, 1, 3], [2]]


def test_a_pointer_may_name_different_functions() -> None:
    text = f"""
define i32 @g() convergent {{
  %t = call token @llvm.experimental.convergence.entry()
  {add("in.g", "t", "1")}
  ret i32 %in.g
}}
define i32 @h() convergent {{
  %t = call token @llvm.experimental.convergence.entry()
  {add("in.h", "t", "1")}
  ret i32 %in.h
}}
define i32 @f(i1 %c) convergent {{
  %t = call token @llvm.experimental.convergence.entry()
  %p = select i1 %c, ptr @g, ptr @h
  %r = call i32 %p() convergent [ "convergencectrl"(token %t) ]
  ret i32 %r
}}
{DECLARATIONS}"""
    run = first(text, function="f", threads=4, arguments={"c": [0, 0, -1, 0]})
    assert results(run, "%in.g") == [{2: 1}]
    assert results(run, "%in.h") == [{0: 3, 1: 3, 3: 3}]
    assert [len(g.members) for g in run.groups if g.operation == "%r"] == [4]


def test_a_call_that_is_not_convergent_but_reaches_entry_groups_freely() -> None:
    text = f"""
define i32 @g() convergent {{
  %t = call token @llvm.experimental.convergence.entry()
  {add("s", "t", "1")}
  ret i32 %s
}}
define i32 @f(ptr %p) {{
  %r = call i32 %p()
  ret i32 %r
}}
{DECLARATIONS}"""
    runs = list(every(text, function="f", threads=3, arguments={"p": "@g"}))
    assert len(set(alignments(iter(runs)))) == len(runs) == 5
    assert [rule for rule, _ in runs[0].warnings] == [Rule.W_ENTRY_CALL]
    assert runs[0].outcome.threads[0].value == 3


def test_invoke_is_a_call_that_does_not_unwind() -> None:
    text = f"""
declare i32 @personality(...)
declare i32 @unknown(i32)
define i32 @g(i32 %x) {{
  ret i32 %x
}}
define i32 @f(i32 %x) convergent personality ptr @personality {{
entry:
  %t = call token @llvm.experimental.convergence.entry()
  %a = invoke i32 @g(i32 %x) to label %one unwind label %pad
one:
  %b = invoke i32 @subgroupAdd(i32 %a) [ "convergencectrl"(token %t) ] to label %two unwind label %pad
two:
  %c = invoke i32 @unknown(i32 %b) to label %three unwind label %pad
three:
  %p = phi i32 [ %b, %two ]
  ret i32 %p
pad:
  %l = landingpad {{ ptr, i32 }} cleanup
  resume {{ ptr, i32 }} %l
}}
{DECLARATIONS}"""
    run = first(text, function="f", threads=2, arguments={"x": [1, 2]})
    assert run.ending == Returned()
    assert [t.value for t in run.outcome.threads] == [3, 3]
    assert run.stand_ins == ("unknown",)


def test_uncontrolled_calls_need_converged_call_sites_under_maximal() -> None:
    text = f"""
define i32 @g() {{
  %s = call i32 @subgroupAdd(i32 1)
  ret i32 %s
}}
define i32 @f(i32 %n) {{
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %r = call i32 @g()
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %head, label %exit
exit:
  %last = call i32 @g()
  ret i32 %last
}}
{DECLARATIONS}"""
    run = first(text, function="f", threads=3, arguments={"n": [1, 2, 2]})
    assert [sorted(g) for g in results(run, "%s")] == [[0, 1, 2], [0, 1, 2], [1, 2]]  # first, last, second


# -- functions without a model ------------------------------------------------------------------------

UNKNOWN = """
declare i32 @pure(i32) nounwind willreturn memory(none)
declare i32 @effect(i32)
declare i32 @together(i32) convergent nounwind willreturn memory(none)
define i32 @f(i32 %x) convergent {
  %a = call i32 @pure(i32 %x)
  %b = call i32 @pure(i32 %x)
  %same = icmp eq i32 %a, %b
  %c = call i32 @effect(i32 %x)
  %d = call i32 @effect(i32 %x)
  %other = icmp ne i32 %c, %d
  %e = call i32 @together(i32 %x)
  %both = and i1 %same, %other
  %r = zext i1 %both to i32
  ret i32 %r
}
"""


def test_stand_ins_are_functions_of_their_arguments() -> None:
    run = first(UNKNOWN, threads=2, arguments={"x": 3})
    assert [t.value for t in run.outcome.threads] == [1, 1]
    assert run.stand_ins == ("pure", "effect", "together")
    assert "@pure has no model: its results are stand-ins" in run.notes
    (together,) = results(run, "%e")
    assert together[0] != together[1]  # the own thread counts
    again = first(UNKNOWN, threads=2, arguments={"x": 3})
    assert results(again, "%e") == [together]
    apart = first(UNKNOWN, threads=2, arguments={"x": 3}, uncontrolled="none")
    assert results(apart, "%e") != [together]  # so do the group's operands


VARIADIC = """
declare void @print(ptr, ...)
declare i32 @sum(i32, ...) nounwind willreturn memory(none)
declare i32 @together(...) convergent nounwind willreturn memory(none)
define i32 @f(i32 %x, i32 %y) convergent {
  call void (ptr, ...) @print(ptr null, i32 %x, double 1.5)
  %a = call i32 (i32, ...) @sum(i32 0, i32 %x)
  %b = call i32 (i32, ...) @sum(i32 0, i32 %y)
  %c = call i32 (...) @together(i32 %x)
  %d = call i32 (...) @together(i32 %y)
  %ab = icmp eq i32 %a, %b
  %cd = icmp eq i32 %c, %d
  %both = and i1 %ab, %cd
  %r = zext i1 %both to i32
  ret i32 %r
}
"""


def test_all_arguments_of_a_variadic_call_count() -> None:
    """Those beyond the callee's parameters are seen, and a result without a model depends on them."""
    same = first(VARIADIC, arguments={"x": 3, "y": 3}).outcome
    (printed,) = same.threads[0].events
    assert printed.operands == ("null", 3, 1.5)
    assert same.threads[0].value == 1
    other = first(VARIADIC, arguments={"x": 3, "y": 4}).outcome
    assert other.threads[0].value == 0


def test_inputs_are_taken_in_order_by_thread() -> None:
    text = """
declare i32 @next()
define i32 @f() {
  %a = call i32 @next()
  %b = call i32 @next()
  %r = sub i32 %a, %b
  ret i32 %r
}
"""
    run = first(text, threads=2, inputs={"@next": [[7, 3], [10, 1]]})
    assert [t.value for t in run.outcome.threads] == [4, 9]
    assert run.stand_ins == ()
    with pytest.raises(UsageError, match=r"thread 0 makes call 2 of @next, but inputs gives it 1"):
        first(text, inputs={"next": [[7]]})
    with pytest.raises(UsageError, match="does not declare"):
        first(text, inputs={"@f": [[7]]})


EVENTS = """
declare void @seen(i32)
declare void @op(i32) convergent
declare void @quiet(i32) nounwind willreturn memory(none)
@v = global i32 5
define void @f(i32 %x) convergent {
  call void @quiet(i32 %x)
  %first = icmp eq i32 %x, 0
  br i1 %first, label %extra, label %join
extra:
  call void @seen(i32 9)
  br label %join
join:
  %old = load volatile i32, ptr @v
  store volatile i32 %x, ptr @v
  call void @op(i32 %x)
  ret void
}
"""


def test_events_are_what_the_outside_sees() -> None:
    run = first(EVENTS, threads=2, arguments={"x": [0, 1]})
    zero, one = (list[Any](t.events) for t in run.outcome.threads)
    assert [type(e) for e in zero] == [Called, VolatileAccess, VolatileAccess, Called]
    assert [type(e) for e in one] == [VolatileAccess, VolatileAccess, Called]
    assert (zero[0].callee, zero[0].operands, zero[0].group) == ("seen", (9,), None)
    # thread 1 stores without an order: the load races, and gives what memory held, for it is volatile
    assert (zero[1].operation, zero[1].operands, zero[1].result) == ("load", ("@v",), 5)
    assert (zero[2].operation, zero[2].operands) == ("store", ("@v", 0))
    assert zero[3].group == one[2].group == {0: 4, 1: 3}  # each member's number of the event, from 1


def test_final_memory_is_what_globals_hold() -> None:
    text = """
%pair = type { i8, [2 x i16] }
@p = global %pair { i8 1, [2 x i16] [i16 2, i16 -3] }
@big = global [100000 x i64] zeroinitializer
@c = constant i32 4
@q = global ptr @p
@ext = external global i32
@u = global i32 undef
define void @f() {
  store i16 7, ptr getelementptr (%pair, ptr @p, i32 0, i32 1, i32 1)
  store ptr getelementptr (i8, ptr @p, i64 2), ptr @q
  store i32 3, ptr @ext
  ret void
}
"""
    memory = first(text).outcome.memory
    assert memory["@p"] == [1, [2, 7]]
    assert memory["@q"] == "@p+2"
    assert memory["@ext"] == 3
    assert memory["@u"] == "undef"
    assert set(memory) == {"@p", "@big", "@q", "@ext", "@u"}


def test_runs_do_not_share_memory() -> None:
    text = """
@g = global i32 0
define i32 @f() {
  %old = atomicrmw add ptr @g, i32 1 monotonic
  ret i32 %old
}
"""
    assert [[t.value for t in first(text, threads=2).outcome.threads] for _ in range(2)] == [[0, 1], [0, 1]]


def test_a_barrier_waits_for_its_group() -> None:
    text = """
declare void @subgroupBarrier() convergent
declare token @llvm.experimental.convergence.entry()
@g = global [2 x i32] zeroinitializer
define i32 @f(i64 %me) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %own = getelementptr i32, ptr @g, i64 %me
  store i32 1, ptr %own
  call void @subgroupBarrier() [ "convergencectrl"(token %t) ]
  %you = sub i64 1, %me
  %peer = getelementptr i32, ptr @g, i64 %you
  %r = load i32, ptr %peer
  ret i32 %r
}
"""
    run = first(text, threads=2, arguments={"me": [0, 1]})
    assert [t.value for t in run.outcome.threads] == [1, 1]


def test_a_stand_in_pointer_is_no_null_pointer() -> None:
    text = """
declare ptr @buffer(i32)
define i32 @f() {
  %p = call ptr @buffer(i32 1)
  %q = call ptr @buffer(i32 1)
  %same = icmp eq ptr %p, %q
  %null = icmp eq ptr %p, null
  br i1 %null, label %a, label %b
a:
  ret i32 0
b:
  %v = load i32, ptr %p
  ret i32 %v
}
"""
    ending = first(text).ending
    assert isinstance(ending, Unmodelled) and ending.feature.startswith(
        "the memory behind a result of @buffer"
    )


# -- a call that is not made as its callee wants it is undefined behaviour (LangRef, 'call' Instruction) ----

CALLEES = """
define i32 @plain(i32 %x) {
  ret i32 %x
}
define fastcc i32 @fast(i32 %x) {
  ret i32 %x
}
define i32 @many(i32 %x, ...) {
  ret i32 %x
}
declare spir_func i32 @outside(i32)
declare i32 @llvm.ctpop.i32(i32)
@alias = alias i32 (i32), ptr @fast
"""

FITTING = [
    "call i32 @plain(i32 7)",
    "call ccc i32 @plain(i32 7)",
    "call cc 0 i32 @plain(i32 7)",
    "call cc 8 i32 @fast(i32 7)",
    "call fastcc i32 @alias(i32 7)",
    "call i32 (i32, ...) @many(i32 7, i64 8)",
    "call i32 (i32, ...) @plain(i32 7)",
    "call i32 (...) @plain(i32 7)",
    "call spir_func i32 @outside(i32 7)",
    "call fastcc i32 @llvm.ctpop.i32(i32 7)",
]
UNFIT = [
    ("call fastcc i32 @plain(i32 7)", "calling convention"),
    ("call i32 @fast(i32 7)", "calling convention"),
    ("call coldcc i32 @fast(i32 7)", "calling convention"),
    ("call i32 @alias(i32 7)", "calling convention"),
    ("call i32 @outside(i32 7)", "calling convention"),
    ("call i32 @plain()", "type"),
    ("call i32 @plain(i32 7, i32 8)", "type"),
    ("call i32 @plain(i64 7)", "type"),
    ("call i32 (i32, ...) @plain(i32 7, i32 8)", "type"),
    ("call i32 (...) @plain(i64 7)", "type"),
    ("call i32 @many(i32 7)", "type"),
    ("call i32 (...) @many(i32 7)", "type"),
    ("call spir_func i32 @outside()", "type"),
]


def _calling(call: str, through: bool) -> Any:
    """The ending of a run that makes a call; ``through`` a pointer."""
    name = call.split("@")[1].split("(")[0]
    if through:
        call = call.replace(f"@{name}", "%p")
    text = f"""{CALLEES}
@table = constant ptr @{name}
define i32 @f() {{
  %p = load ptr, ptr @table
  %r = {call}
  ret i32 %r
}}"""
    return first(text, function="f", threads=1).ending


@pytest.mark.parametrize("call", FITTING)
def test_a_call_that_fits_its_callee_returns(call: str) -> None:
    assert isinstance(_calling(call, False), Returned)


@pytest.mark.parametrize("through", [False, True])
@pytest.mark.parametrize(("call", "part"), UNFIT)
def test_a_call_that_does_not_fit_its_callee_is_undefined(call: str, part: str, through: bool) -> None:
    ending = _calling(call, through)
    assert isinstance(ending, UndefinedBehaviour)
    assert part in ending.reason


@pytest.mark.parametrize("place", ["call", "function"])
def test_a_result_that_is_said_to_be_defined_is(place: str) -> None:
    said, at_call = ("noundef ", "") if place == "function" else ("", "noundef ")
    for value, ending in (("poison", UndefinedBehaviour), ("7", Returned)):
        text = f"""
        define {said}i32 @g() {{
          ret i32 {value}
        }}
        define i32 @f() {{
          %r = call {at_call}i32 @g()
          ret i32 1
        }}"""
        assert isinstance(first(text, function="f", threads=1).ending, ending)


@pytest.mark.parametrize(
    ("assembly", "given", "value"),
    [
        ('asm "", "=r,0"', "i32 %x", 7),
        ('asm sideeffect " ", "=&{v1},s,0,~{memory},~{flags}"', "i32 1, i32 %x", 7),
        ('asm "nop", "=r,0"', "i32 %x", None),
        ('asm "", "=r,r"', "i32 %x", None),
    ],
)
def test_assembly_without_a_text_gives_the_operand_that_is_tied_to_its_output(
    assembly: str, given: str, value: int | None
) -> None:
    text = f"define i32 @f(i32 %x) {{\n  %r = call i32 {assembly}({given})\n  ret i32 %r\n}}"
    run = first(text, arguments={"x": 7})
    assert (run.outcome.threads[0].value == 7) is (value == 7)
    assert any("has no model" in note for note in run.notes) is (value is None)


def test_an_address_in_an_object_of_unknown_size_is_no_poison() -> None:
    """What is behind it is not modelled, which is no undefined behaviour of the program."""
    text = """
declare ptr @get()
define void @f() {
  %p = call ptr @get()
  %q = getelementptr inbounds i32, ptr %p, i64 1
  store i32 1, ptr %q
  ret void
}
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)
define i64 @size() {
  %p = call ptr @get()
  %s = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 false, i1 false, i1 false)
  ret i64 %s
}
"""
    assert isinstance(first(text, function="f").ending, Unmodelled)
    assert first(text, function="size").outcome.threads[0].value == -1


def test_an_address_that_is_made_of_an_unknown_one_is_not_called_undefined() -> None:
    """Programs align what an allocator gives by masks; without such an object there is nothing there."""
    text = """
declare ptr @get()
define void @f(i64 %x) {
  %p = call ptr @get()
  %n = ptrtoint ptr %p to i64
  %m = and i64 %n, -64
  %q = inttoptr i64 %m to ptr
  store i32 1, ptr %q
  ret void
}
define void @stray(i64 %x) {
  %q = inttoptr i64 %x to ptr
  store i32 1, ptr %q
  ret void
}
"""
    assert isinstance(first(text, function="f").ending, Unmodelled)
    assert isinstance(first(text, function="stray", arguments={"x": 77777776}).ending, UndefinedBehaviour)


@pytest.mark.parametrize(
    ("line", "feature"),
    [
        ("call void @llvm.va_start.p0(ptr %l)", "variadic arguments, by @llvm.va_start.p0"),
        ("call void @llvm.va_copy.p0(ptr %l, ptr %l)", "variadic arguments, by @llvm.va_copy.p0"),
        ("%r = call i32 @setjmp(ptr %l)", "a call of @setjmp, which may return twice"),
    ],
)
def test_what_a_stand_in_would_misrepresent_is_named(line: str, feature: str) -> None:
    """Who reads a list that nobody wrote reads undef; who comes back twice does so with two values."""
    text = f"""
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
declare i32 @setjmp(ptr) returns_twice
define void @f(...) {{
  %l = alloca ptr
  {line}
  ret void
}}
"""
    ending = first(text).ending
    assert isinstance(ending, Unmodelled) and ending.feature == feature


@pytest.mark.parametrize("bundle", ['"kcfi"(i32 7)', '"ptrauth"(i32 0, i64 5)'])
def test_bundles_with_which_a_call_does_more_are_named(bundle: str) -> None:
    text = (
        f"define void @g() {{ ret void }} define void @k(ptr %p) {{ call void %p() [ {bundle} ] ret void }}"
    )
    run = first(text, function="k", arguments={"p": "@g"})
    assert isinstance(run.ending, Unmodelled) and bundle.split('"')[1] in run.ending.feature
