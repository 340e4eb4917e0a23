"""Calls replaced by bodies, with the call's token for the callee's entry; what is refused, and why.

covers: ir.calls
"""

from __future__ import annotations

from typing import Any

import pytest

from convergence.diagnostics import Severity
from convergence.ir.calls import Control, callee_name, control
from convergence.ir.instructions import Alloca, CallSite
from convergence.ir.module import Module
from convergence.parser import parse
from convergence.parser.printer import print_module
from convergence.transform.inline import CallSelection, inline, inlined
from convergence.verifier import verify
from tests.launches import explore
from tests.oracles.programs_draw import Shape
from tests.oracles.programs_generate import random_case

from .transforming import module, sound, words

ENTRY = "  %t = call token @llvm.experimental.convergence.entry()\n"
HELPER = f"""
define i32 @helper(i32 %x) convergent {{
{ENTRY}  %s = call i32 @sum(i32 %x) [ "convergencectrl"(token %t) ]
  %m = mul i32 %s, 3
  ret i32 %m
}}
"""
CALL = '  %r = call i32 @helper(i32 %n) [ "convergencectrl"(token %t) ]\n'
CALLER = f"define i32 @f(i32 %n) convergent {{\n{ENTRY}{CALL}  ret i32 %r\n}}\n"
LOOPING = """
define i32 @helper(i32 %x) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %never = icmp eq i32 %x, 77
  br i1 %never, label %early, label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %i2, %loop ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @sum(i32 1) [ "convergencectrl"(token %h) ]
  %i2 = add i32 %i, %s
  %c = icmp ult i32 %i2, %x
  br i1 %c, label %loop, label %out
out:
  ret i32 %i2
early:
  ret i32 0
}
"""


def calls_of(made: Module, name: str, caller: str = "f") -> int:
    called = [i for i in made.functions[caller].instructions if isinstance(i, CallSite)]
    return sum(callee_name(i) == name for i in called)


def equal(before: Module, after: Module, **launch: Any) -> None:
    """Both have the same outcomes, all of them."""
    one, two = explore(before, function="f", **launch), explore(after, function="f", **launch)
    assert one.complete
    assert two.complete
    assert {o.identity for o in one.outcomes} == {o.identity for o in two.outcomes}


def test_the_token_of_the_call_stands_for_entry() -> None:
    before = module(HELPER + CALLER)
    made = inlined(before)
    assert words(made) == ["@f, %r: @helper is inlined, with %t for its entry"]
    after = sound(made)
    assert calls_of(after, "helper") == 0
    assert [b.name for b in after.functions["f"].blocks] == ["0"]  # a straight body needs no block
    assert sum(control(i) is Control.ENTRY for i in after.functions["f"].instructions) == 1
    equal(before, after, threads=2, arguments={"n": [1, 10]})


def test_a_body_with_a_loop_and_two_returns() -> None:
    before = module(LOOPING + CALLER)
    after = sound(inlined(before))
    assert calls_of(after, "helper") == 0
    equal(before, after, threads=3, arguments={"n": [1, 5, 77]})


def test_in_a_loop_of_the_caller() -> None:
    caller = f"""
define i32 @f(i32 %n) convergent {{
a:
{ENTRY}  br label %b
b:
  %i = phi i32 [ 0, %a ], [ %i2, %b ]
  %sofar = phi i32 [ 0, %a ], [ %r, %b ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %n2 = add i32 %n, %sofar
  %r = call i32 @helper(i32 %n2) [ "convergencectrl"(token %h) ]
  %i2 = add i32 %i, 1
  %c = icmp ult i32 %i2, %n
  br i1 %c, label %b, label %d
d:
  ret i32 %r
}}
"""
    for helper in (HELPER, LOOPING):
        before = module(helper + caller)
        after = sound(inlined(before))
        assert calls_of(after, "helper") == 0
        equal(before, after, threads=2, arguments={"n": [1, 3]})


def test_calls_that_give_their_results_to_each_other() -> None:
    identity = "define i32 @id(i32 %x) convergent {\n" + ENTRY + "  ret i32 %x\n}\n"
    caller = f"""
define i32 @f(i32 %n) convergent {{
{ENTRY}  %a = call i32 @id(i32 %n) [ "convergencectrl"(token %t) ]
  %b = call i32 @id(i32 %a) [ "convergencectrl"(token %t) ]
  %r = call i32 @helper(i32 %b) [ "convergencectrl"(token %t) ]
  %q = call i32 @helper(i32 %r) [ "convergencectrl"(token %t) ]
  ret i32 %q
}}
"""
    before = module(identity + HELPER + caller)
    after = sound(inlined(before))
    equal(before, after, threads=2, arguments={"n": [1, 10]})


def test_callees_first_and_recursion_one_level() -> None:
    middle = f"""
define i32 @middle(i32 %x) convergent {{
{ENTRY}  %r = call i32 @helper(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %r
}}
"""
    caller = CALLER.replace("@helper", "@middle")
    after = sound(inlined(module(caller + middle + HELPER)))
    assert calls_of(after, "middle") == calls_of(after, "helper") == 0
    down = f"""
define i32 @f(i32 %n) convergent {{
{ENTRY}  %z = icmp eq i32 %n, 0
  br i1 %z, label %stop, label %go
go:
  %m = sub i32 %n, 1
  %r = call i32 @f(i32 %m) [ "convergencectrl"(token %t) ]
  %s = call i32 @sum(i32 %r) [ "convergencectrl"(token %t) ]
  ret i32 %s
stop:
  ret i32 1
}}
"""
    before = module(down)
    made = inlined(before)
    said = "@f, %r: @f is inlined, with %t for its entry, one level deep, for it is recursive"
    assert words(made) == [said]
    after = sound(made)
    assert calls_of(after, "f") == 1
    equal(before, after, threads=2, arguments={"n": [2, 3]})


def test_allocas_go_to_the_entry_block() -> None:
    helper = f"""
define i32 @helper(i32 %x) convergent {{
{ENTRY}  %m = alloca i32
  store i32 %x, ptr %m
  %v = load i32, ptr %m
  %s = call i32 @sum(i32 %v) [ "convergencectrl"(token %t) ]
  ret i32 %s
}}
"""
    before = module(helper + CALLER)
    after = sound(inlined(before))
    assert isinstance(after.functions["f"].blocks[0].instructions[0], Alloca)
    equal(before, after, threads=2, arguments={"n": [1, 10]})


def test_a_function_that_never_returns() -> None:
    helper = f"""
define i32 @helper(i32 %x) convergent {{
{ENTRY}  call void @event(i32 %x) [ "convergencectrl"(token %t) ]
  br label %spin
spin:
  br label %spin
}}
"""
    after = sound(inlined(module(helper + CALLER)))
    assert calls_of(after, "helper") == 0


def test_successors_know_the_new_predecessor() -> None:
    caller = f"""
define i32 @f(i32 %n) convergent {{
a:
{ENTRY}  %r = call i32 @helper(i32 %n) [ "convergencectrl"(token %t) ]
  %c = icmp ult i32 %r, 3
  br i1 %c, label %b, label %d
b:
  br label %d
d:
  %p = phi i32 [ 1, %a ], [ 2, %b ]
  ret i32 %p
}}
"""
    before = module(LOOPING + caller)
    after = sound(inlined(before))
    equal(before, after, threads=2, arguments={"n": [1, 9]})


ANCHORED = """
define i32 @helper(i32 %x) {
  %t = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @sum(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %s
}
"""


def test_an_anchor_helper_needs_no_token() -> None:
    """Called twice, its copies are two anchors: the calls of different threads no longer meet across."""
    caller = (
        "define i32 @f(i32 %n) {\n  %a = call i32 @helper(i32 %n)\n  %b = call i32 @helper(i32 %n)\n"
        "  %r = sub i32 %a, %b\n  ret i32 %r\n}\n"
    )
    before = module(ANCHORED + caller)
    after = sound(inlined(before))
    assert calls_of(after, "helper") == 0
    launch: dict[str, Any] = {"function": "f", "threads": 2, "arguments": {"n": [1, 10]}}
    one, two = explore(before, **launch), explore(after, **launch)
    assert len(two.alignments) == 4
    assert {o.identity for o in two.outcomes} <= {o.identity for o in one.outcomes}
    assert len(one.alignments) == 6  # with the two in which one thread's first meets the other's second


UNCONTROLLED = HELPER.replace(ENTRY, "").replace(' [ "convergencectrl"(token %t) ]', "")

REFUSED = {
    "S-MIX": (UNCONTROLLED, CALL),
    "the call is uncontrolled": (
        HELPER,
        "  %r = call i32 @helper(i32 %n)\n",
    ),
    "the call is an invoke": (
        HELPER,
        '  %r = invoke i32 @helper(i32 %n) [ "convergencectrl"(token %t) ] to label %ok unwind label %pad\n'
        "pad:\n  %l = landingpad { ptr, i32 } cleanup\n  unreachable\nok:\n",
    ),
    "byval": (
        HELPER.replace("i32 %x)", "ptr byval(i32) %p, i32 %x)", 1),
        '  %r = call i32 @helper(ptr byval(i32) null, i32 %n) [ "convergencectrl"(token %t) ]\n',
    ),
    "it is weak": (HELPER.replace("define", "define weak"), CALL),
    "variable arguments": (
        HELPER.replace("i32 %x)", "i32 %x, ...)", 1),
        '  %r = call i32 (i32, ...) @helper(i32 %n) [ "convergencectrl"(token %t) ]\n',
    ),
    "calling convention": (HELPER.replace("define", "define fastcc"), CALL),
    "musttail": (
        HELPER.replace(
            "  %m = mul",
            '  %z = musttail call i32 @helper(i32 %s) [ "convergencectrl"(token %t) ]\n'
            "  ret i32 %z\ndead:\n  %m = mul",
        ),
        CALL,
    ),
    "exceptions": (
        HELPER.replace("convergent {", "convergent personality ptr @personality {").replace(
            "  %m = mul",
            "  invoke void @plain(i32 %s) to label %ok unwind label %pad\npad:\n"
            "  %l = landingpad { ptr, i32 } cleanup\n  unreachable\nok:\n  %m = mul",
        ),
        CALL,
    ),
    'a bundle "deopt"': (HELPER, CALL.replace("[ ", '[ "deopt"(i32 1), ')),
}


@pytest.mark.parametrize("why", REFUSED)
def test_refused_by_name(why: str) -> None:
    helper, call = REFUSED[why]
    head = "define i32 @f(i32 %n) convergent personality ptr @personality {\n"
    caller = f"{head}{'' if 'uncontrolled' in why else ENTRY}{call}  ret i32 %r\n}}\n"
    before = module("declare i32 @personality(...)\n" + helper + caller)
    assert not [d for d in verify(before) if d.severity is Severity.ERROR]
    made = inlined(before, CallSelection(callers=["f"]))
    assert made.module is before
    (note,) = words(made, "refused")
    assert why in note
    assert note.startswith("@f, %r: @helper is not inlined: ")


def test_what_would_break_a_rule_is_taken_back() -> None:
    """An anchor helper, called before entry, would bring its anchor there; the other call is inlined."""
    caller = f"define i32 @f(i32 %n) convergent {{\n  %a = call i32 @helper(i32 %n)\n{ENTRY}"
    caller += "  %b = call i32 @helper(i32 %n)\n  %r = add i32 %a, %b\n  ret i32 %r\n}\n"
    made = inlined(module(ANCHORED + caller))
    assert words(made) == [
        "@f, %a: @helper is not inlined: that would break S-ENTRY-FIRST",
        "@f, %b: @helper is inlined",
    ]
    assert calls_of(sound(made), "helper") == 1
    uncontrolled = ANCHORED + (
        "define i32 @f(i32 %n) {\n  %a = call i32 @helper(i32 %n)\n  %r = call i32 @sum(i32 %a)\n"
        "  ret i32 %r\n}\n"
    )
    (note,) = words(inlined(module(uncontrolled)))
    assert "S-MIX" in note


def test_only_what_is_asked_for() -> None:
    text = HELPER + CALLER + CALLER.replace("@f(", "@g(") + "define i32 @p(i32 %x) {\n  ret i32 %x\n}\n"
    text += "define i32 @q(i32 %x) {\n  %r = call i32 @p(i32 %x)\n  ret i32 %r\n}\n"
    before = module(text)
    assert calls_of(inline(before), "p", "q") == 1  # no token is concerned
    assert calls_of(inline(before, CallSelection(calls=["@p"])), "p", "q") == 0
    after = inline(before, CallSelection(callers=["g"]))
    assert (calls_of(after, "helper", "f"), calls_of(after, "helper", "g")) == (1, 0)
    after = inline(before, CallSelection(callers=["f"], calls=["%r"]))
    assert (calls_of(after, "helper", "f"), calls_of(after, "helper", "g")) == (0, 1)


def test_debug_locations_are_the_call_s() -> None:
    helper = HELPER.replace("convergent {", "convergent !dbg !4 {").replace("i32 %s, 3", "i32 %s, 3, !dbg !7")
    caller = CALLER.replace("convergent {", "convergent !dbg !5 {")
    caller = caller.replace("(token %t) ]\n", "(token %t) ], !dbg !6\n")
    text = (
        helper
        + caller
        + (
            "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2}\n"
            "!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)\n"
            '!1 = !DIFile(filename: "a.c", directory: ".")\n!2 = !{i32 2, !"Debug Info Version", i32 3}\n'
            "!3 = !DISubroutineType(types: !{})\n"
            '!4 = distinct !DISubprogram(name: "h", file: !1, type: !3, unit: !0, '
            "spFlags: DISPFlagDefinition)\n"
            '!5 = distinct !DISubprogram(name: "f", file: !1, type: !3, unit: !0, '
            "spFlags: DISPFlagDefinition)\n"
            "!6 = !DILocation(line: 1, scope: !5)\n!7 = !DILocation(line: 2, scope: !4)\n"
        )
    )
    before = module(text)
    after = sound(inlined(before))
    assert "mul i32 %s.i, 3, !dbg !6" in print_module(after)


def test_loop_metadata_with_places_is_left_behind() -> None:
    """LLVM's verifier looks for places of another function in ``llvm.loop``, too."""
    helper = LOOPING.replace("convergent {", "convergent !dbg !4 {")
    helper = helper.replace("label %loop, label %out\n", "label %loop, label %out, !llvm.loop !7\n")
    caller = CALLER.replace("convergent {", "convergent !dbg !5 {")
    text = (
        helper
        + caller.replace("(token %t) ]\n", "(token %t) ], !dbg !6\n")
        + (
            "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2}\n"
            "!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)\n"
            '!1 = !DIFile(filename: "a.c", directory: ".")\n!2 = !{i32 2, !"Debug Info Version", i32 3}\n'
            "!3 = !DISubroutineType(types: !{})\n"
            '!4 = distinct !DISubprogram(name: "h", file: !1, type: !3, unit: !0, '
            "spFlags: DISPFlagDefinition)\n"
            '!5 = distinct !DISubprogram(name: "f", file: !1, type: !3, unit: !0, '
            "spFlags: DISPFlagDefinition)\n"
            "!6 = !DILocation(line: 1, scope: !5)\n!7 = distinct !{!7, !8}\n"
            "!8 = !DILocation(line: 2, scope: !4)\n"
        )
    )
    after = sound(inlined(module(text)))
    assert calls_of(after, "helper") == 0


def test_random_programs_keep_their_outcomes() -> None:
    """Without anchors: the very same outcomes on several threads. Nothing is refused without a reason."""
    changed = 0
    for seed in range(60):
        case = random_case(seed, Shape(calls=4, threads=3))
        before = parse(str(case.program))
        made = inlined(before)
        assert not words(made, "refused")
        if made.module is before:
            continue
        changed += 1
        after = sound(made)
        columns = {name: [row[i] for row in case.arguments] for i, name in enumerate(("a", "b"))}
        launch: dict[str, Any] = {"function": "main", "threads": case.threads, "arguments": columns}
        one, two = explore(before, **launch), explore(after, **launch)
        assert one.complete
        assert two.complete
        assert {o.identity for o in one.outcomes} == {o.identity for o in two.outcomes}
    assert changed > 20


SPIN = """
declare token @llvm.experimental.convergence.entry()
declare i32 @subgroupAdd(i32) convergent
define void @spin(i32 %x) convergent WORDS {
  %t = call token @llvm.experimental.convergence.entry()
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  br label %l
l:
  %c = icmp eq i32 %x, 0
  br i1 %c, label %e, label %l
e:
  ret void
}
define i32 @main(i32 %x) #0 {
  %t = call token @llvm.experimental.convergence.entry()
  call void @spin(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 0
}
attributes #0 = { convergent mustprogress nounwind }
"""


def test_a_loop_that_may_go_round_for_ever_still_may() -> None:
    """LLVM's inliner drops ``mustprogress`` of a caller, too, if the callee has it not."""
    for callee, kept in (("", False), ("mustprogress", True)):
        after = sound(inlined(parse(SPIN.replace("WORDS", callee))))
        main = after.functions["main"]
        assert not any(callee_name(i) == "spin" for i in main.instructions if isinstance(i, CallSite))
        attributes = after.resolve(main.attributes)
        assert ("mustprogress" in attributes) is kept and {"convergent", "nounwind"} <= {*attributes}


@pytest.mark.parametrize(
    "word", ["null_pointer_is_valid", '"denormal-fp-math"="preserve-sign,preserve-sign"']
)
def test_what_says_what_instructions_mean_is_of_both_or_the_call_stays(word: str) -> None:
    alone = inlined(parse(SPIN.replace("WORDS", word)))
    (refused,) = words(alone, "refused")
    assert word.strip('"').partition('"')[0] in refused and "@spin is not inlined" in refused
    both = inlined(parse(SPIN.replace("WORDS", word).replace("nounwind }", f"nounwind {word} }}")))
    assert not words(both, "refused") and words(both, "changed")
