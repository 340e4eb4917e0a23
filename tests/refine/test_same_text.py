"""Two texts are the same only if all that they reach is: by initializers, attributes and nodes of metadata.

covers: refine.verdict.structural, refine.verdict.compare, refine.sides.side, refine.verdict.counterexample
"""

from __future__ import annotations

from pathlib import Path

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.refine.verdict.structural import same_text
from convergence.semantics import UsageError
from tests.cli.cli_harness import ROOT, convcheck

TABLE = """
@table = internal constant ptr @impl
define i32 @f() {
  %q = load ptr, ptr @table
  %v = call i32 %q()
  ret i32 %v
}
define internal i32 @impl() {
  ret i32 1
}
"""
CHAIN = """
@c = internal constant { i32, ptr } { i32 4, ptr getelementptr (i8, ptr @a, i64 4) }
@a = internal constant [2 x i32] [i32 9, i32 1]
define i32 @f() {
  %q = load ptr, ptr getelementptr (i8, ptr @c, i64 8)
  %v = load i32, ptr %q
  ret i32 %v
}
"""
SUNK = """
@table = internal constant [1 x ptr] [ptr @impl]
define i32 @f(i32 %x) convergent {
  %e = call token @llvm.experimental.convergence.entry()
  %q = load ptr, ptr @table
  %v = call i32 %q(i32 %x) convergent [ "convergencectrl"(token %e) ]
  ret i32 %v
}
define internal i32 @impl(i32 %x) convergent {
  %e = call token @llvm.experimental.convergence.entry()
  %c = icmp eq i32 %x, 0
  ABOVE
  br i1 %c, label %A, label %B
A:
  BELOW
  ret i32 %s
B:
  ret i32 0
}
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
"""
SUM = '%s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %e) ]'
LOOP = """
define void @f(i32 %n) {
  br label %L
L:
  %i = phi i32 [ 0, %0 ], [ %j, %L ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %L, label %X, !llvm.loop !0
X:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
"""
ENDLESS = """
define i32 @f(i32 %x) {
  %c = icmp eq i32 %x, 3
  br i1 %c, label %A, label %B
A:
  br label %A
B:
  ret i32 0
}
"""
SELF = """
@node = internal global { ptr, i32 } { ptr @node, i32 1 }
define i32 @f() {
  %p = load ptr, ptr @node
  %q = getelementptr i8, ptr %p, i64 8
  %v = load i32, ptr %q
  ret i32 %v
}
"""


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (TABLE, TABLE.replace("ret i32 1", "ret i32 2")),
        (CHAIN, CHAIN.replace("i32 1]", "i32 2]")),
        (SELF, SELF.replace("i32 1 }", "i32 2 }")),
        (
            SUNK.replace("ABOVE", SUM).replace("BELOW", ""),
            SUNK.replace("ABOVE", "").replace("BELOW", SUM),
        ),
        (ENDLESS, ENDLESS.replace("(i32 %x) {", "(i32 %x) mustprogress {")),
    ],
    ids=["function table", "constant expression", "cycle", "operation", "mustprogress"],
)
def test_what_is_reached_elsewhere_is_compared(source: str, target: str) -> None:
    """All of these were told the same text, and equal."""
    assert cc.refine(parse(source), parse(target), function="f").verdict == "wrong"
    same = cc.refine(parse(source), parse(source), function="f")
    assert (same.verdict, same.launches) == ("equal", 0)


def test_a_loop_node_may_have_another_number_and_must_say_the_same() -> None:
    renumbered = LOOP.replace("!0", "!7").replace("!1", "!5")
    same = cc.refine(parse(LOOP), parse(renumbered))
    assert (same.verdict, same.launches) == ("equal", 0)
    other = cc.refine(parse(LOOP), parse(LOOP.replace("mustprogress", "unroll.disable")), max_launches=4)
    assert other.launches > 0


def test_an_alias_is_what_it_stands_for() -> None:
    text = TABLE.replace("ptr @impl", "ptr @name") + "@name = internal alias i32 (), ptr @impl\n"
    same = cc.refine(parse(text), parse(text), function="f")
    assert (same.verdict, same.launches) == ("equal", 0)
    other = parse(text.replace("ret i32 1", "ret i32 2"))
    assert cc.refine(parse(text), other, function="f").verdict == "wrong"


def test_a_declaration_may_gain_what_is_about_bodies() -> None:
    text = "declare i32 @g(i32)\ndefine i32 @f(i32 %x) {\n  %v = call i32 @g(i32 %x)\n  ret i32 %v\n}\n"
    same = cc.refine(parse(text), parse(text.replace("@g(i32)\n", "@g(i32) mustprogress\n", 1)))
    assert (same.verdict, same.launches) == ("equal", 0)


def test_who_has_a_copy_of_its_own_shows_nobody_what_it_holds() -> None:
    text = "define i32 @f(ptr byval([2 x i32]) %p) {\n  store i32 1, ptr %p\n  ret i32 0\n}\n"
    without = text.replace("  store i32 1, ptr %p\n", "")
    assert cc.refine(parse(text), parse(without)).verdict == "equal"
    returned = text.replace("ret i32 0", "%v = load i32, ptr %p\n  ret i32 %v")
    assert cc.refine(parse(returned), parse(returned.replace("i32 1,", "i32 2,"))).verdict == "wrong"


def test_what_only_the_source_leaves_undefined_at_an_edge_is_no_equality() -> None:
    """A branch on poison is undefined, a select is not."""
    source = """
    define i32 @f(i1 %c, i32 %y) {
    A:
      br i1 %c, label %B, label %C
    B:
      br label %C
    C:
      %p = phi i32 [ 0, %A ], [ %y, %B ]
      ret i32 %p
    }
    """
    target = "define i32 @f(i1 %c, i32 %y) {\n  %p = select i1 %c, i32 %y, i32 0\n  ret i32 %p\n}\n"
    assert cc.refine(parse(source), parse(target)).verdict == "refines"
    assert cc.refine(parse(target), parse(source)).verdict == "wrong"
    promised = [text.replace("i1 %c,", "i1 noundef %c,", 1) for text in (source, target)]
    assert cc.refine(*map(parse, promised)).verdict == "equal"


def test_a_variable_is_shared_in_both_or_in_none() -> None:
    text = "@g = global i32 0\ndefine void @f(i32 %x) {\n  store i32 %x, ptr @g\n  ret void\n}\n"
    with pytest.raises(UsageError, match="@g is thread_local in the target alone"):
        cc.refine(parse(text), parse(text.replace("global", "thread_local global")))


def test_a_place_behind_a_parameters_object_can_be_given_back(tmp_path: Path) -> None:
    """The launch of a counterexample that rests on a misaligned pointer works in ``run`` and ``refine``."""
    text = "define i32 @{}(ptr %p) {{\n  %v = load i32, ptr %p, align {}\n  ret i32 %v\n}}\n"
    file = tmp_path / "a.ll"
    file.write_text(text.format("src", 1) + text.format("tgt", 4))
    answer = convcheck("refine", str(file))
    assert answer.code == 1
    lines = answer.out.partition("Launch:")[2].split("\n\n")[0].splitlines()[1:]
    options = [word for line in lines for word in line.split()]
    assert any(word.startswith("%p=@%p+") for word in options)
    again = convcheck("refine", str(file), *options)
    assert again.code == 1 and "launch 1 of 1" in again.out
    ran = convcheck("run", str(file), "--function", "tgt", *options)
    assert ran.code == 1 and "misaligned" in ran.out


def test_a_shift_by_a_huge_number_is_no_huge_number() -> None:
    text = """
    declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
    declare token @llvm.experimental.convergence.anchor()
    define i32 @f(i32 %x) convergent {
      %t = call token @llvm.experimental.convergence.anchor()
      %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
      %s = shl i32 %a, 100000
      %f = freeze i32 %s
      %c = icmp eq i32 %f, 7
      br i1 %c, label %A, label %B
    A:
      br label %B
    B:
      %u = call token @llvm.experimental.convergence.anchor()
      %b = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %u) ]
      ret i32 %b
    }
    """
    target = "define i32 @f(i32 %x) convergent {\n  ret i32 1000\n}\n"
    launch = {"threads": 2, "arguments": {"x": [1, 2]}}
    assert cc.refine(parse(text), parse(target), **launch).verdict == "wrong"  # type: ignore[arg-type]


def test_every_example_of_a_rule_is_the_same_text_as_itself() -> None:
    files = sorted((ROOT / "examples_ll" / "rules").glob("*.ll"))
    other = []
    for file in files:
        first, second = (parse(file.read_text(encoding="utf-8")) for _ in range(2))
        for function in first.definitions():
            if not same_text(first, function, second, second.functions[function.name]):
                other.append(f"{file.name}: @{function.name}")
    assert files and not other
