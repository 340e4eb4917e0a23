"""Branches that are not waited for under D-DEP: what is behind the join is free of them, nothing else."""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.refine import Refinement, refine
from convergence.refine.sides.observable import OnlyUndefined

DECLARED = """
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare i32 @subgroupMax(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
"""


def loop(name: str, first: str, second: str, value: str = "%log.next") -> str:
    """Two rounds of a sum and a maximum, each below an anchor, and computations ``first`` and ``second``
    behind them, which define %y and %z and end in a block of their own, %J and %K."""
    return f"""
define i32 @{name}() {{
A:
  br label %B

B:
  %i = phi i32 [ 1, %A ], [ %i.next, %K ]
  %log = phi i32 [ 0, %A ], [ %log.next, %K ]
  %t = call token @llvm.experimental.convergence.anchor()
  %r = call i32 @subgroupAdd(i32 %i) [ "convergencectrl"(token %t) ]
  %c = icmp ugt i32 %r, 2
{first}
  %u = call token @llvm.experimental.convergence.anchor()
  %m = call i32 @subgroupMax(i32 %i) [ "convergencectrl"(token %u) ]
  %d = icmp ugt i32 %m, 1
{second}
  %yz = add i32 %y, %z
  %s = mul i32 %log, 100
  %log.next = add i32 %s, %yz
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ule i32 %i.next, 2
  br i1 %more, label %B, label %C

C:
  ret i32 {value}
}}
"""


def triangle(condition: str, result: str, arm: str, here: str, join: str, low: int) -> str:
    return f"""  br i1 {condition}, label %{arm}, label %{join}

{arm}:
  br label %{join}

{join}:
  {result} = phi i32 [ {low}, %{here} ], [ {2 * low}, %{arm} ]"""


def select(condition: str, result: str, join: str, low: int) -> str:
    return f"""  {result} = select i1 {condition}, i32 {2 * low}, i32 {low}
  br label %{join}

{join}:"""


TRIANGLES = triangle("%c", "%y", "P", "B", "J", 1), triangle("%d", "%z", "Q", "J", "K", 10)
SELECTS = select("%c", "%y", "J", 1), select("%d", "%z", "K", 10)
INNER = """  br i1 %c, label %P, label %J

P:
  %more.than = icmp ugt i32 %r, 3
  br i1 %more.than, label %P1, label %P2

P1:
  %quotient = udiv i32 %r, %i
  br label %P3

P2:
  br label %P3

P3:
  %inner = phi i32 [ %quotient, %P1 ], [ 7, %P2 ]
  %twice = shl i32 %inner, 1
  br label %J

J:
  %y = phi i32 [ 1, %B ], [ %twice, %P3 ]"""
FLAT = """  %more.than = icmp ugt i32 %r, 3
  %quotient = udiv i32 %r, %i
  %inner = select i1 %more.than, i32 %quotient, i32 7
  %twice = shl i32 %inner, 1
  %y = select i1 %c, i32 %twice, i32 1
  br label %J

J:"""


def compared(source: str, target: str) -> Refinement:
    return refine(parse(source + DECLARED), parse(target + DECLARED), threads=2, subgroup_size=2)


@pytest.mark.parametrize(
    ("branches", "selects"),
    [(TRIANGLES, SELECTS), ((INNER, TRIANGLES[1]), (FLAT, SELECTS[1]))],
    ids=["triangles", "nested"],
)
def test_a_branch_over_computations_is_as_free_as_a_select(
    branches: tuple[str, str], selects: tuple[str, str]
) -> None:
    """The sum of one round with the other thread's next, and the maximum the other way round: dependence
    allows both at once, whether a branch or a select looks at the results."""
    source, target = loop("f", *branches), loop("f", *selects)
    assert compared(source, target).verdict == "equal"
    assert compared(target, source).verdict == "equal"


def test_an_operation_inside_waits() -> None:
    """The maximum only where the sum is large: then it depends on the branch."""
    inside = """  br i1 %c, label %P, label %J

P:
  %u = call token @llvm.experimental.convergence.anchor()
  %m = call i32 @subgroupMax(i32 %r) [ "convergencectrl"(token %u) ]
  br label %J

J:
  %y = phi i32 [ 1, %B ], [ %m, %P ]"""
    source = loop("f", inside, "  %z = add i32 %y, 1\n  br label %K\n\nK:")
    source = source.replace(
        """  %u = call token @llvm.experimental.convergence.anchor()
  %m = call i32 @subgroupMax(i32 %i) [ "convergencectrl"(token %u) ]
  %d = icmp ugt i32 %m, 1
""",
        "",
    )
    assert compared(source, source.replace("ugt i32 %r, 2", "uge i32 %r, 3")).verdict == "equal"


def test_undefined_behaviour_on_the_way_is_not_lost() -> None:
    """A division by zero in an arm, and a branch on poison, though nobody waits for the branch."""
    defined = loop("f", *TRIANGLES)
    divides = defined.replace("P:\n", "P:\n  %zero = sub i32 %i, %i\n  %undefined = udiv i32 %r, %zero\n")
    poison = defined.replace("%c = icmp ugt i32 %r, 2", "%q = shl i32 %r, 32\n  %c = icmp ugt i32 %q, 2")
    for target in (divides, poison):
        found = compared(defined, target)
        assert found.verdict == "wrong"
        assert found.counterexample is not None
        assert isinstance(found.counterexample.difference, OnlyUndefined)
        assert compared(target, defined).unobserved == "source-says-nothing"  # undefined for every input
