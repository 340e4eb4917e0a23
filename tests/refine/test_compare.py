"""Verdicts on little pairs, each for one clause of semantics.md §6.

covers: refine.sides.observable, refine.sides.side, refine.verdict.result, refine.verdict.structural
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.refine import parse_assumption, prepare, refine
from convergence.refine.sides.observable import ExtraEvent, OnlyEndless, OnlyUndefined
from convergence.refine.verdict.result import (
    AssumedBundle,
    CompilerKnows,
    Open,
    OpenSide,
    OperationPlace,
    SilentLaunches,
    TwoOperations,
    ValueTaken,
)
from convergence.report.refine import mismatch_reason
from convergence.semantics import Bound, BoundKind, UsageError
from tests.refine.texts import DECLARATIONS, both, compared

ENTRY = "%t = call token @llvm.experimental.convergence.entry()\n"
USE = '[ "convergencectrl"(token %t) ]'
IDENTITY = "i32 @(i32 %x) { ret i32 %x }"

# -- values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "target", "verdict"),
    [
        ("ret i32 poison", "ret i32 3", "refines"),
        ("ret i32 3", "ret i32 poison", "wrong"),
        ("ret i32 poison", "ret i32 poison", "equal"),
        ("ret i32 undef", "ret i32 3", "refines"),
        ("ret i32 %x", "ret i32 undef", "wrong"),
        ("%a = add nsw i32 %x, 2147483647\nret i32 %a", "%a = add i32 %x, 2147483647\nret i32 %a", "refines"),
        ("%a = add i32 %x, 2147483647\nret i32 %a", "%a = add nsw i32 %x, 2147483647\nret i32 %a", "wrong"),
        ("%a = mul i32 %x, 2\nret i32 %a", "%a = shl i32 %x, 1\nret i32 %a", "equal"),
        ("%a = mul i32 %x, 2\nret i32 %a", "%a = shl i32 %x, 2\nret i32 %a", "wrong"),
    ],
)
def test_return_values(source: str, target: str, verdict: str) -> None:
    found = compared(f"i32 @(i32 %x) {{ {source} }}", f"i32 @(i32 %x) {{ {target} }}")
    assert found.verdict == verdict, found


def test_where_the_source_is_undefined_nothing_is_said() -> None:
    found = compared(
        "i32 @(i32 %x) { %a = udiv i32 8, %x\n ret i32 %a }",
        "i32 @(i32 %x) { %z = icmp eq i32 %x, 0\n %d = select i1 %z, i32 1, i32 %x\n"
        "%a = udiv i32 8, %d\n ret i32 %a }",
    )
    assert found.verdict == "refines"
    assert any(isinstance(note, SilentLaunches) for note in found.notes)


def test_undefined_behaviour_only_in_the_target_is_wrong() -> None:
    found = compared(
        "i32 @(i32 %x) { ret i32 1 }",
        "i32 @(i32 %x) { %a = udiv i32 8, %x\n %b = and i32 %a, 0\n ret i32 1 }",
    )
    assert found.verdict == "wrong"
    assert found.counterexample is not None
    assert found.counterexample.arguments == {"x": (0,)}
    difference = found.counterexample.difference
    assert isinstance(difference, OnlyUndefined) and difference.side == "target"


@pytest.mark.parametrize(
    "operand", ["undef", "<i32 undef, i32 1>", "splat (i32 undef)", "<i32 sub (i32 undef, i32 1), i32 1>"]
)
def test_an_undef_that_the_source_computes_with_leaves_the_verdict_open(operand: str) -> None:
    """It might have been any value, of which one was taken; a constant may have it as an element."""
    found = compared(
        f"<2 x i32> @(<2 x i32> %x) {{ %a = or <2 x i32> %x, {operand}\n ret <2 x i32> %a }}",
        "<2 x i32> @(<2 x i32> %x) { ret <2 x i32> splat (i32 -1) }",
    )
    assert found.verdict == "unknown"
    assert found.bound == OpenSide(ValueTaken("undef"), "source")


PHI = """i32 @(i1 %c, i32 noundef %x) {{
br i1 %c, label %a, label %b
a:
br label %b
b:
%p = phi i32 [ {0}, %0 ], [ %x, %a ]
{1}
ret i32 %r
}}"""


def test_so_does_one_that_a_phi_takes() -> None:
    """As it is, a phi keeps it; what is computed from it is computed from 0."""
    other = "i32 @(i1 %c, i32 noundef %x) { %r = add i32 %x, 1\n ret i32 %r }"
    found = compared(PHI.format("undef", "%r = add i32 %p, 1"), other)
    assert (found.verdict, found.bound) == ("unknown", OpenSide(ValueTaken("undef"), "source"))
    kept = compared(
        PHI.format("undef", "").replace("%p", "%r"), "i32 @(i1 %c, i32 noundef %x) { ret i32 %x }"
    )
    assert kept.verdict == "refines"
    twice = PHI.format("undef", "br label %d\nd:\n%q = phi i32 [ %p, %b ]\n%r = add i32 %q, 1")
    assert compared(twice, other).verdict == "unknown"


def test_an_undef_of_the_target_alone_is_not_equal_to_the_0_that_was_taken() -> None:
    """Returned it is more than the source does; computed with it may be, and one value was looked at."""
    zero = "i32 @(i32 %x) { ret i32 0 }"
    found = compared(zero, "i32 @(i32 %x) { %r = add i32 undef, 0\n ret i32 %r }")
    assert (found.verdict, found.bound) == ("unknown", OpenSide(ValueTaken("undef"), "target"))
    assert compared(zero, "i32 @(i32 %x) { ret i32 undef }").verdict == "wrong"


STRUCTURED = """i32 @(i32 noundef %x) {
  %c = icmp ugt i32 %x, 4
  br i1 %c, label %work, label %join
work:
  %v = mul i32 %x, 3
  br label %join
join:
  %early = phi i32 [ NOTHING, %0 ], [ %v, %work ]
  %which = phi i1 [ false, %0 ], [ true, %work ]
  br i1 %which, label %rest, label %exit
rest:
  %sum = add i32 %early, 1
  br label %exit
exit:
  %r = phi i32 [ %ELSE, %join ], [ %sum, %rest ]
  ret i32 %r
}"""


@pytest.mark.parametrize("nothing", ["undef", "freeze"])
@pytest.mark.parametrize("otherwise", ["x", "early"])
def test_an_undef_that_the_target_never_computes_with_is_equal(nothing: str, otherwise: str) -> None:
    """As LLVM makes control flow structured: what is not there on one way is not used behind it."""
    source = """i32 @(i32 noundef %x) {
      %c = icmp ugt i32 %x, 4
      %v = mul i32 %x, 3
      %sum = add i32 %v, 1
      %r = select i1 %c, i32 %sum, i32 %x
      ret i32 %r
    }"""
    target = STRUCTURED.replace("ELSE", otherwise)
    if nothing == "freeze":  # which is a value, though nobody knows which
        target = target.replace("  %c = icmp", "  %any = freeze i32 undef\n  %c = icmp")
    answer = compared(source, target.replace("NOTHING", "undef" if nothing == "undef" else "%any"))
    if otherwise == "early":  # where it is returned, it is not what the source returns
        assert answer.verdict == "wrong"
    else:
        assert answer.verdict == "equal"


@pytest.mark.parametrize(
    ("call", "other", "reason"),
    [
        (
            "%r = call i32 @llvm.objectsize.i32.p0(ptr %p, i1 0, i1 0, i1 0)",
            "-1",
            CompilerKnows("llvm.objectsize.i32.p0"),
        ),
        (
            "%c = call i1 @llvm.is.constant.i32(i32 7)\n%r = zext i1 %c to i32",
            "0",
            CompilerKnows("llvm.is.constant.i32"),
        ),
        (
            '%r = add i32 0, 0\ncall void @llvm.assume(i1 true) ["separate_storage"(ptr %p, ptr %p)]',
            "1",
            AssumedBundle("separate_storage"),
        ),
    ],
)
def test_what_the_compiler_knows_leaves_the_verdict_open(call: str, other: str, reason: Open) -> None:
    """A pass that lowers such a question may answer otherwise than the machines do."""
    found = compared(f"i32 @(ptr %p) {{ {call}\nret i32 %r }}", f"i32 @(ptr %p) {{ ret i32 {other} }}")
    assert (found.verdict, found.bound) == ("unknown", OpenSide(reason, "source"))


def test_an_assumption_of_nothing_is_none() -> None:
    call = 'call void @llvm.assume(i1 true) ["ignore"(ptr null)]'
    assert compared(f"i32 @() {{ {call}\nret i32 0 }}", "i32 @() { ret i32 1 }").verdict == "wrong"


def test_a_bound_gives_unknown() -> None:
    long = """i32 @(i32 %x) {
A:
 br label %B
B:
 %i = phi i32 [ 0, %A ], [ %n, %B ]
 %n = add i32 %i, 1
 %c = icmp eq i32 %n, 0
 br i1 %c, label %C, label %B
C:
 ret i32 0 }"""
    found = compared("i32 @(i32 %x) { ret i32 %x }", long, max_steps=1000)
    assert found.verdict == "unknown"
    assert found.bound == OpenSide(Bound(BoundKind.MAX_STEPS, 1000), "target")
    assert compared(long, "i32 @(i32 %x) { ret i32 0 }", max_steps=1000).verdict == "unknown"


# -- no end ----------------------------------------------------------------------------------------

ROUND = "i32 @(i32 %x) {{\nA:\n{}\n br label %B\nB:\n{}\n br label %B }}"
PRINT = "declare void @print(i32)\n"
ONCE = " call void @print(i32 %x)"


def printing(before: str, again: str) -> str:
    return ROUND.format(before, again)


def test_what_goes_on_for_ever_on_both_sides_is_the_same() -> None:
    assert compared(printing("", ""), printing(" %a = add i32 %x, 1", ""), max_launches=6).verdict == "equal"
    assert (
        compared(printing("", ONCE), printing(ONCE, f"{ONCE}\n{ONCE}"), PRINT, max_launches=6).verdict
        == "equal"
    )


def test_an_end_only_on_one_side_is_wrong() -> None:
    found = compared("i32 @(i32 %x) { ret i32 %x }", printing("", ""))
    assert found.verdict == "wrong" and found.counterexample is not None
    assert found.counterexample.difference == OnlyEndless("target", True)
    assert compared(printing("", ""), "i32 @(i32 %x) { ret i32 %x }", max_launches=6).verdict == "wrong"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (printing(ONCE, ""), printing("", "")),
        (printing("", ONCE), printing("", "")),
        (printing("", ONCE), printing(ONCE, "")),
        (printing("", ONCE), printing("", " call void @print(i32 7)")),
    ],
)
def test_other_events_without_an_end_are_wrong(one: str, other: str) -> None:
    assert compared(one, other, PRINT, max_launches=6).verdict == "wrong"
    assert compared(other, one, PRINT, max_launches=6).verdict == "wrong"


def test_a_loop_that_must_make_progress_says_nothing() -> None:
    must = printing("", "").replace("(i32 %x) {", "(i32 %x) mustprogress {")
    found = compared(must, "i32 @(i32 %x) { ret i32 %x }", max_launches=6)
    assert found.verdict == "unknown" and found.unobserved == "source-says-nothing"


def test_a_target_that_waits_for_a_flag_that_nobody_sets_is_wrong() -> None:
    flag = "@flag = global i32 0\n"
    spin = """i32 @(i32 %x) {
A:
 br label %B
B:
 %v = load atomic i32, ptr @flag monotonic, align 4
 %c = icmp eq i32 %v, 0
 br i1 %c, label %B, label %C
C:
 ret i32 %x }"""
    assert compared("i32 @(i32 %x) { ret i32 %x }", spin, flag).verdict == "wrong"


# -- events ----------------------------------------------------------------------------------------


def test_a_call_of_a_declared_function_with_effects_is_an_event_convergent_or_not() -> None:
    twice = "void @(i32 %x) { call void @note(i32 %x)\n call void @note(i32 %x)\n ret void }"
    once = "void @(i32 %x) { call void @note(i32 %x)\n ret void }"
    found = compared(twice, once)
    assert found.verdict == "wrong"
    assert found.counterexample is not None
    assert found.counterexample.difference == ExtraEvent("source", 0, 2, "@note")


def test_a_volatile_access_is_an_event() -> None:
    loads = "i32 @() { %a = load volatile i32, ptr @v\n ret i32 0 }"
    assert compared(loads, "i32 @() { ret i32 0 }", "@v = global i32 1\n").verdict == "wrong"
    plain = loads.replace(" volatile", "")
    assert compared(plain, "i32 @() { ret i32 0 }", "@v = global i32 1\n").verdict == "equal"


def test_final_memory_is_compared() -> None:
    store = "void @(i32 %x) { store i32 1, ptr @v\n ret void }"
    other = "void @(i32 %x) { store i32 2, ptr @v\n ret void }"
    nothing = "void @(i32 %x) { ret void }"
    assert compared(store, other, "@v = global i32 0\n").verdict == "wrong"
    assert compared(store, nothing, "@v = global i32 1\n").verdict == "equal"
    hidden = compared(store, nothing, "@v = internal global i32 0\n")
    assert (hidden.verdict, hidden.unobserved) == ("unknown", "nothing-observable")


def test_an_order_of_accesses_less_refines() -> None:
    """Who adds first is open in the source; the target makes all additions commute to one."""
    before = "i32 @() { %a = atomicrmw add ptr @v, i32 1 monotonic\n ret i32 0 }"
    after = "i32 @() { %a = atomicrmw add ptr @v, i32 1 seq_cst\n ret i32 0 }"
    assert compared(before, after, "@v = global i32 0\n").verdict == "equal"
    ordered = "i32 @() { %a = atomicrmw add ptr @v, i32 1 monotonic\n ret i32 %a }"
    assert compared(ordered, before, "@v = global i32 0\n", threads=2).verdict == "wrong"


# -- groups ----------------------------------------------------------------------------------------

MEETING = f"""void @(i1 %c, i32 %x) convergent {{
A:
  {ENTRY}
  call void @meet(i32 %x) {USE}
  br i1 %c, label %L, label %R
L:
  br label %R
R:
  ret void
}}"""
COPIED = f"""void @(i1 %c, i32 %x) convergent {{
A:
  {ENTRY}
  br i1 %c, label %L, label %R
L:
  call void @meet(i32 %x) {USE}
  br label %E
R:
  call void @meet(i32 %x) {USE}
  br label %E
E:
  ret void
}}"""


def test_a_call_copied_into_both_arms_is_right_for_a_uniform_branch() -> None:
    assert compared(MEETING, COPIED, assume=[parse_assumption("uniform:%c")]).verdict == "equal"


def test_a_call_copied_so_that_its_group_straddles_the_copies_is_wrong() -> None:
    found = compared(MEETING, COPIED)
    assert found.verdict == "wrong"
    made = found.counterexample
    assert made is not None
    assert made.threads == 2
    assert sorted(made.arguments["c"]) == [0, 1]  # type: ignore[type-var]
    assert made.arguments["x"] == (0, 0)
    assert made.departure is not None
    assert made.departure.source == OperationPlace("@meet#1", 1, (0, 1))
    assert made.departure.target is not None and made.departure.target.group == (0,)
    assert isinstance(made.departure.why, TwoOperations) and made.departure.why.side == "target"
    assert "in the target it is @meet#" in mismatch_reason(made.departure)


def test_the_name_and_place_of_an_operation_do_not_matter() -> None:
    source = f"i32 @(i32 %x) convergent {{ {ENTRY} %a = call i32 @ask(i32 %x) {USE}\n ret i32 %a }}"
    target = source.replace("%a = call", "%n = add i32 1, 2\n %b = call").replace("ret i32 %a", "ret i32 %b")
    assert compared(source, target).verdict == "equal"


def test_results_of_effects_depend_on_the_groups_event_numbers() -> None:
    """Two calls with the same operands in the same group give results of their own: no swap is right."""
    call = f"call i32 @ask(i32 1) {USE}\n"
    text = f"i32 @(i32 %x) convergent {{ {ENTRY} %a = {call} %b = {call}"
    assert compared(f"{text} ret i32 %a }}", f"{text} ret i32 %b }}").verdict == "wrong"
    quiet = text.replace("@ask", "@f")
    assert compared(f"{quiet} ret i32 %a }}", f"{quiet} ret i32 %b }}").verdict == "equal"


def test_an_unknown_function_of_poison_gives_poison() -> None:
    source = "i32 @(i32 %x) { %a = call i32 @plain(i32 poison)\n ret i32 %a }"
    target = "i32 @(i32 %x) { %a = call i32 @plain(i32 0)\n ret i32 %a }"
    assert compared(source, target).verdict == "refines"
    assert compared(target, source).verdict == "wrong"


def test_interpretations_of_unknown_functions_reach_both_sides_of_a_branch() -> None:
    source = """i32 @() {
A:
  %c = call i1 @choice()
  br i1 %c, label %B, label %C
B:
  ret i32 1
C:
  ret i32 2
}"""
    assert compared(source, source.replace("ret i32 1", "ret i32 3")).verdict == "wrong"
    assert compared(source, source.replace("ret i32 2", "ret i32 3")).verdict == "wrong"


def test_a_launch_partition_can_matter() -> None:
    """Only two launch groups show that the target asks an anchor's group of one thread."""
    source = f"i32 @(i32 %x) convergent {{ {ENTRY} %a = call i32 @subgroupAdd(i32 %x) {USE}\n ret i32 %a }}"
    assert compared(source, source.replace("ret i32 %a", "ret i32 %x")).verdict == "wrong"
    alone = compared(source, source.replace("ret i32 %a", "ret i32 %x"), threads=2, subgroup_size=1)
    assert alone.verdict == "equal"


# -- free choices ----------------------------------------------------------------------------------

FIRST = """%a = call token @llvm.experimental.convergence.anchor()
%p = call i32 @f(i32 %x) [ "convergencectrl"(token %a) ]
"""
SECOND = """%b = call token @llvm.experimental.convergence.anchor()
%q = call i32 @g(i32 %x) [ "convergencectrl"(token %b) ]
"""
SUM = "%r = sub i32 %p, %q\nret i32 %r }"


def test_independent_anchored_operations_may_change_places() -> None:
    found = compared(
        f"i32 @(i32 %x) {{ {FIRST}{SECOND}{SUM}", f"i32 @(i32 %x) {{ {SECOND}{FIRST}{SUM}", max_launches=20
    )
    assert found.verdict == "equal"


def test_anchored_effects_may_not() -> None:
    one, two = (text.replace("@f", "@ask").replace("@g", "@ask") for text in (FIRST, SECOND))
    found = compared(
        f"i32 @(i32 %x) {{ {one}{two}{SUM}", f"i32 @(i32 %x) {{ {two}{one}{SUM}", max_launches=20
    )
    assert found.verdict == "wrong"


def test_fewer_choices_refine() -> None:
    entry = f"i32 @(i32 %x) convergent {{ {ENTRY} %p = call i32 @f(i32 %x) {USE}\n ret i32 %p }}"
    anchor = f"i32 @(i32 %x) convergent {{ {FIRST} ret i32 %p }}"
    assert compared(anchor, entry, max_launches=20).verdict == "refines"
    assert compared(entry, anchor, max_launches=20).verdict == "wrong"


# -- what is asked ---------------------------------------------------------------------------------


def test_the_same_text_up_to_names_is_equal_without_running() -> None:
    found = compared(COPIED, COPIED.replace("%c", "%d").replace("%L", "%M").replace("L:", "M:"))
    assert found.verdict == "equal"
    assert found.launches == 0
    assert "same text" in found.established
    assert compared(COPIED, COPIED, shortcut=False).launches > 0


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ('"amdgpu-no-dispatch-id" "uniform-work-group-size"', True),  # what amdgpu-attributor adds
        ("inlinehint minsize uwtable", True),
        ('"target-features"="+wavefrontsize32"', False),
        ('"nvvm.maxntid"="64"', False),
        ('"denormal-fp-math"="preserve-sign"', False),
        ("nosync", False),
        ("willreturn", False),
    ],
)
def test_attributes_that_mean_nothing_here_do_not_make_another_text(words: str, same: bool) -> None:
    source = "define i32 @f(i32 %x) {\n  ret i32 %x\n}"
    target = parse(source.replace(") {", f") {words} {{"))
    for found in (
        refine(parse(source), target, max_launches=3),
        refine(target, parse(source), max_launches=3),
    ):
        assert found.verdict == "equal"
        assert (found.launches == 0) is same


def test_an_output_that_breaks_a_rule_says_what_running_it_shows() -> None:
    broken = COPIED.replace(ENTRY, ENTRY + ENTRY.replace("%t", "%u"))
    found = compared(COPIED, broken)
    assert found.verdict == "invalid-output"
    assert found.behaviour == "equal"
    assert {d.rule.id for d in found.diagnostics} >= {"S-ENTRY-BLOCK"}


def test_usage_is_said_in_words() -> None:
    module = both(IDENTITY, "i64 @(i32 %x) { ret i64 0 }")
    with pytest.raises(UsageError, match="return different types"):
        refine(module, module)
    module = both(IDENTITY, "i32 @(i64 %x) { ret i32 0 }")
    with pytest.raises(UsageError, match="parameter 1"):
        refine(module, module)
    with pytest.raises(UsageError, match="no parameter %y"):
        compared(IDENTITY, "i32 @(i32 %x) { ret i32 0 }", arguments={"y": 1})
    with pytest.raises(UsageError, match="no assumption"):
        parse_assumption("uniform")
    with pytest.raises(UsageError, match="2 values are given for 3 threads"):
        compared(IDENTITY, "i32 @(i32 %x) { ret i32 0 }", arguments={"x": [1, 2]}, threads=3)


def test_a_prepared_source_is_run_once_per_input() -> None:
    module = parse(DECLARATIONS + "define i32 @f1(i32 %x) { %a = add i32 %x, 1\n ret i32 %a }")
    target = parse(DECLARATIONS + "define i32 @f1(i32 %x) { %a = sub i32 %x, -1\n ret i32 %a }")
    source = prepare(module)
    assert refine(source, target, max_launches=8).verdict == "equal"
    known = dict(source._outcomes)
    assert refine(source, target, max_launches=8).verdict == "equal"
    assert source._outcomes == known
    assert len(known) == 11  # and three at the edges


def test_pointers_point_to_objects_of_their_own() -> None:
    source = "void @(ptr %p, i32 %x) { store i32 %x, ptr %p\n store i32 7, ptr %p\n ret void }"
    target = "void @(ptr %p, i32 %x) { store i32 7, ptr %p\n ret void }"
    assert compared(source, target, threads=1).verdict == "equal"
    assert compared(source, target.replace("7", "8"), threads=1).verdict == "wrong"


@pytest.mark.parametrize(
    ("attributes", "verdict"),
    [
        ("convergent nounwind willreturn memory(none)", "equal"),
        ("convergent nounwind willreturn memory(read)", "equal"),
        ("convergent nounwind willreturn memory(argmem: read, inaccessiblemem: none)", "equal"),
        ("convergent nounwind willreturn memory(inaccessiblemem: readwrite)", "wrong"),
        ("convergent nounwind memory(none)", "wrong"),
        ("convergent", "wrong"),
    ],
)
def test_attributes_say_whether_a_convergent_operation_is_seen(attributes: str, verdict: str) -> None:
    """The same for an operation that has a model: what nobody uses may go if it has no effect."""
    source = f"i32 @(i32 %x) convergent {{ {ENTRY} %a = call i32 @subgroupMax(i32 %x) {USE}\n ret i32 %x }}"
    target = f"i32 @(i32 %x) convergent {{ {ENTRY} ret i32 %x }}"
    found = compared(source, target, f"declare i32 @subgroupMax(i32) {attributes}\n", max_launches=10)
    assert found.verdict == verdict


DEEP = """i32 @(i32 %x, i32 %y) {
A:
  %p = icmp eq i32 %x, 39
  br i1 %p, label %B, label %E
B:
  %q = icmp eq i32 %y, 62
  br i1 %q, label %C, label %E
C:
  ret i32 1
E:
  ret i32 0
}"""


def test_inputs_are_guided_by_the_branches_that_they_take() -> None:
    """Only one of the pairs of twelve values each leads there."""
    found = compared(DEEP, DEEP.replace("ret i32 1", "ret i32 2"))
    assert found.verdict == "wrong"
    assert found.counterexample is not None
    assert found.counterexample.threads == 1
    assert found.counterexample.arguments == {"x": (39,), "y": (62,)}


@pytest.mark.parametrize("trips", range(5))
def test_loops_of_up_to_four_trips_are_reached(trips: int) -> None:
    source = """i32 @(i32 %n) {
A:
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %j, %C ]
  %c = icmp ult i32 %i, %n
  br i1 %c, label %C, label %D
C:
  %j = add i32 %i, 1
  br label %B
D:
  %s = icmp eq i32 %i, TRIPS
  %r = select i1 %s, i32 1, i32 0
  ret i32 %r
}""".replace("TRIPS", str(trips))
    found = compared(source, source.replace("i32 1, i32 0", "i32 2, i32 0"), max_launches=40)
    assert found.verdict == "wrong"


def test_paths_instead_of_inputs() -> None:
    """Where only effects count, the blocks that threads take are enough."""
    text = f"""void @(i1 %c, i32 %x) convergent {{
A:
  {ENTRY}
  br label %B
B:
  %h = call token @llvm.experimental.convergence.loop() {USE}
  call void @meet(i32 1) [ "convergencectrl"(token %h) ]
  br i1 %c, label %B, label %C
C:
  ret void
}}"""
    target = text.replace("@meet(i32 1)", "@meet(i32 2)")
    paths = ["A B B C", "A B C"]
    assert compared(text, text, paths=paths, shortcut=False).verdict == "equal"
    found = compared(text, target, paths=paths)
    assert found.verdict == "wrong"
    assert found.counterexample is not None
    assert found.counterexample.paths == (("A", "B", "B", "C"), ("A", "B", "C"))


def test_a_target_that_breaks_rules_is_run_where_its_behaviour_is_asked_for() -> None:
    """What the campaigns ask is the rule alone; the answer is the same, but for what running it shows."""
    body = f"{ENTRY} %r = call i32 @subgroupAdd(i32 %x) {USE}\n ret i32 %r"
    good = f"i32 @(i32 %x) convergent {{ {body} }}"
    moved = f"i32 @(i32 %x) convergent {{ br label %b\nb: {body} }}"
    whole, static = (
        compared(good, moved, max_launches=3, behaviour=behaviour) for behaviour in (True, False)
    )
    assert (whole.verdict, static.verdict) == ("invalid-output",) * 2
    assert whole.diagnostics == static.diagnostics != ()
    assert whole.models == static.models
    assert (whole.behaviour, static.behaviour) == ("equal", None)
    assert whole.launches > static.launches == 0
    assert compared(good, good, max_launches=3, behaviour=False, shortcut=False).launches > 0


ROUNDS = """
declare i32 @mark()
define void @f() {
entry:
  br label %a
a:
  %c = phi i8 [ 0, %entry ], [ 0, %b ]
  %m = call i32 @mark()
  %d = icmp ugt i8 %c, 31
  br i1 %d, label %left, label %b
b:
  br label %a
left:
  unreachable
}
"""
ONE_BLOCK = """
declare i32 @mark()
define void @f() {
entry:
  br label %b
b:
  %m = call i32 @mark()
  br label %b
}
"""


def test_rounds_of_an_endless_loop_do_not_give_one_result() -> None:
    """What a call without a model gives in a round is not what it gives in the next one."""
    assert refine(parse(ROUNDS), parse(ONE_BLOCK), threads=1, max_launches=4).verdict == "equal"
    twice = ONE_BLOCK.replace("br label %b\n}", "%n = call i32 @mark2()\n  br label %b\n}")
    twice = twice.replace("declare i32 @mark()", "declare i32 @mark()\ndeclare i32 @mark2()")
    assert refine(parse(ROUNDS), parse(twice), threads=1, max_launches=4).verdict != "equal"
