"""Calls that say ``convergent`` or ``noreturn`` of a function that is declared without; anchors that nobody
uses.

covers: refine.sides.outcomes, refine.sides.unmodelled
"""

from __future__ import annotations

import pytest

from convergence.ir.calls import Control, control
from convergence.parser import parse
from convergence.refine import refine
from convergence.refine.inputs.launch import Input
from convergence.refine.sides.outcomes import Bounds, Executable, Setting, without_dead_anchors
from convergence.refine.sides.unmodelled import droppable, ends_calls, without_marks

MARKED = """
declare i32 @ask(i32)DECLARED
define i32 @f(i32 %x) convergent {
  %a = call i32 @ask(i32 %x)FIRST
  %b = call i32 @ask(i32 %a)SECOND
  ret i32 %b
}
"""


def marked(first: str, second: str, declared: str = "") -> str:
    text = MARKED.replace("FIRST", first).replace("SECOND", second)
    return text.replace("DECLARED", declared)


def test_a_pass_may_drop_the_word_where_the_callee_is_known() -> None:
    """As `instcombine` does: the declaration promises that @ask does not communicate."""
    source, target = parse(marked(" convergent", " convergent")), parse(marked("", ""))
    assert droppable(source, target) == {"ask"}
    assert refine(source, target).verdict == "equal"
    assert refine(source, parse(marked(" convergent", ""))).verdict == "equal"


def test_it_may_not_where_the_callee_is_declared_convergent() -> None:
    """There the word at the call says nothing new."""
    source, target = parse(marked(" convergent", "", " convergent")), parse(marked("", "", " convergent"))
    assert not droppable(source, target)
    assert refine(source, target).verdict == "equal"


def test_the_word_counts_where_all_calls_say_it() -> None:
    """Nobody dropped it: who calls @ask together is compared."""
    text = """
declare i32 @ask(i32)
define i32 @f(i32 %x, i1 noundef %c) convergent {
  br i1 %c, label %yes, label %no
yes:
  %a = call i32 @ask(i32 %x) convergent
  br label %end
no:
  %b = call i32 @ask(i32 %x) convergent
  br label %end
end:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
  ret i32 %r
}
"""
    merged = """
declare i32 @ask(i32)
define i32 @f(i32 %x, i1 noundef %c) convergent {
  %a = call i32 @ask(i32 %x) convergent
  ret i32 %a
}
"""
    assert refine(parse(text), parse(merged)).verdict == "wrong"
    assert refine(parse(text), parse(merged.replace(") convergent\n  ret", ")\n  ret"))).verdict == "equal"


def test_what_is_called_otherwise_keeps_its_words() -> None:
    module = parse(marked(" convergent", " convergent nounwind"))
    plain = without_marks(module, frozenset(("ask",)))
    calls = [plain.resolve(i.attributes) for i in plain.functions["f"].instructions[:2]]  # type: ignore[attr-defined]
    assert calls == [(), ("nounwind",)]
    assert without_marks(module, frozenset(("other",))) == module


ANCHORS = """
declare token @llvm.experimental.convergence.anchor()
declare i32 @ask(i32) convergent
define i32 @f(i32 %n) convergent {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %dead = call token @llvm.experimental.convergence.anchor()
  %used = call token @llvm.experimental.convergence.anchor()
  %r = call i32 @ask(i32 %i) [ "convergencectrl"(token %used) ]
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %r
}
"""


def test_only_anchors_without_uses_go() -> None:
    left = without_dead_anchors(parse(ANCHORS)).functions["f"]
    assert [i.result for i in left.instructions if control(i) is Control.ANCHOR] == ["used"]
    none = parse(ANCHORS.replace("%dead = call token @llvm.experimental.convergence.anchor()", ""))
    assert without_dead_anchors(none) is none


@pytest.mark.parametrize("counts", [(1, 1), (1, 2), (2, 2)])
def test_outcomes_are_the_same_with_dead_anchors(counts: tuple[int, ...]) -> None:
    module = parse(ANCHORS)
    found = []
    for dead in (False, True):
        side = Executable(module, module.functions["f"], Setting(dead_anchors=dead), (), frozenset())
        found.append(side.outcomes(Input(2, None, (counts,)), Bounds()))
    lean, whole = found
    assert lean.bound is None and whole.bound is None
    assert lean.by_identity.keys() == whole.by_identity.keys()
    assert lean.runs < whole.runs


ENDING = """
declare void @stop(i32)DECLARED
define i32 @f(i32 %x) {
  call void @stop(i32 %x)CALL
  ret i32 VALUE
}
"""


def ending(declared: str, call: str, value: int) -> str:
    return ENDING.replace("DECLARED", declared).replace("CALL", call).replace("VALUE", str(value))


def test_a_pass_may_drop_noreturn_and_not_add_it() -> None:
    """The callee is the same function: it does not come back, whether the call says so or not."""
    plain = parse(ending("", "", 1))
    for declared, call in (("", " noreturn"), (" noreturn", "")):
        source = parse(ending(declared, call, 1))
        assert ends_calls(source, plain) == {"stop"} and not ends_calls(plain, source)
        assert refine(source, plain).verdict == "equal"
        assert refine(source, parse(ending("", "", 2))).verdict == "equal"
        assert refine(plain, source).verdict == "wrong"
    twice = parse(
        ending("", " noreturn", 1).replace(
            "define", "define void @g() {\n  call void @stop(i32 0)\n  ret void\n}\ndefine", 1
        )
    )
    assert not ends_calls(twice, plain)  # elsewhere it may come back
