"""``freeze`` of undef or poison may give any value: the source's choices allow, the target's must be allowed.

covers: refine.sides.outcomes, refine.verdict.relation, semantics.instructions.other
"""

from __future__ import annotations

import pytest

import convergence as cc

ANY = "%f = freeze i32 undef\n"
VECTOR = "%f = freeze <2 x i32> poison\n"
SPLAT = "%r = shufflevector <2 x i32> %f, <2 x i32> %f, <2 x i32> zeroinitializer\n"
IS_NULL = "%p = freeze ptr poison\n%r = icmp eq ptr %p, null\nret i1 %r"
PAIRS: dict[str, tuple[str, str, str, str]] = {
    # name: the functions' type, what the source and the target do, and whether that is a refinement
    "less of it": ("i32", ANY + "ret i32 %f", ANY + "%r = and i32 %f, 0\nret i32 %r", "refines"),
    "more of it": ("i32", ANY + "%r = and i32 %f, 0\nret i32 %r", ANY + "ret i32 %f", "unknown"),
    "more than was tried of it": (
        "i32", ANY + "%r = and i32 %f, 7\nret i32 %r", ANY + "ret i32 %f", "unknown",
    ),
    "the same of it": (
        "i32", ANY + "%r = add i32 %f, %x\nret i32 %r", ANY + "%r = add i32 %x, %f\nret i32 %r", "equal",
    ),
    "a number": ("i32", ANY + "ret i32 %f", "ret i32 0", "refines"),
    "all ones": ("i32", ANY + "ret i32 %f", "ret i32 -1", "refines"),
    "a number that the source names": (
        "i32",
        ANY + "%c = icmp eq i32 %f, 77\n%r = select i1 %c, i32 1000, i32 %x\nret i32 %r",
        "ret i32 1000",
        "refines",
    ),
    "one value twice": (
        "i32",
        ANY + "%r = sub i32 %f, %f\nret i32 %r",
        ANY + "%g = freeze i32 undef\n%r = sub i32 %f, %g\nret i32 %r",
        "unknown",
    ),
    "two values of a vector": (
        "<2 x i32>", f"{VECTOR}{SPLAT}ret <2 x i32> %r", f"{VECTOR}ret <2 x i32> %f",
        "unknown",
    ),
    "one value of a vector": (
        "<2 x i32>", f"{VECTOR}ret <2 x i32> %f", f"{VECTOR}{SPLAT}ret <2 x i32> %r",
        "refines",
    ),
    "a pointer": ("i1", IS_NULL, "ret i1 false", "refines"),
    "null": ("i1", IS_NULL, "ret i1 true", "refines"),
    "a pointer of the target's": (
        "i1", "ret i1 true", IS_NULL, "unknown",
    ),
    "poison": ("i32", ANY + "ret i32 %f", "ret i32 poison", "wrong"),
    "poison in a vector": (
        "<2 x i32>", f"{VECTOR}ret <2 x i32> %f", "ret <2 x i32> <i32 0, i32 poison>", "wrong",
    ),
    "a way that cannot be gone": (
        "i32",
        ANY + "%c = icmp eq i32 %f, 0\nbr i1 %c, label %a, label %b\na:\nunreachable\nb:\nret i32 1",
        "ret i32 9",
        "unknown",  # for one of the source's choices it is undefined: the input says nothing
    ),
}  # fmt: skip


def _verdict(type_: str, source: str, target: str, parameters: str = "i32 noundef %x") -> str:
    first, second = (
        cc.parse(f"define {type_} @f({parameters}) {{\n{body}\n}}\n") for body in (source, target)
    )
    return cc.refine(first, second).verdict


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_frozen_may_be_any_value(name: str) -> None:
    *functions, verdict = PAIRS[name]
    assert _verdict(*functions) == verdict


@pytest.mark.parametrize(
    "use", ["", "%r = add i32 {}, 1\n", "%c = icmp eq i32 {}, 3\n%r = select i1 %c, i32 7, i32 8\n"]
)
def test_a_freeze_that_is_dropped_is_wrong(use: str) -> None:
    """Whatever it chose, the source shows no poison."""
    result = "%r" if use else "{}"
    source = "%y = freeze i32 %x\n" + use.format("%y") + f"ret i32 {result.format('%y')}"
    target = use.format("%x") + f"ret i32 {result.format('%x')}"
    assert _verdict("i32", source, target, "i32 %x") == "wrong"
    assert _verdict("i32", source, target) == "equal"
    assert _verdict("i32", target, source, "i32 %x") == "refines"


QUEUED = """@p = global i32 1
@q = global i32 1
define void @f(i32 noundef %x) {
  %c = freeze i1 poison
  %d = freeze i1 poison
  %e = select i1 %c, i1 %d, i1 false
  br i1 %e, label %A, label %B
A:
  store atomic i32 %x, ptr @p monotonic, align 4
  ret void
B:
  store atomic i32 %x, ptr @q monotonic, align 4
  ret void
}
"""


def test_all_orders_of_one_choice_see_that_choice() -> None:
    """Executions begin again for each order of what threads do in memory."""
    module, copy, other = (cc.parse(QUEUED.replace("ptr @q", q)) for q in ("ptr @q", "ptr @q", "ptr @p"))
    for source, target, verdict in (
        (module, copy, "equal"),
        (module, other, "refines"),
        (other, module, "wrong"),
    ):
        answer = cc.refine(source, target, shortcut=False, threads=2, max_launches=12)
        assert answer.verdict == verdict
