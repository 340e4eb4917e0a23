"""Output of passes that send tokens through phis: it is invalid, and what running it shows is said besides.

covers: semantics.convergence.rules, semantics.environments.speculation
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.refine import Refinement, refine

DECLARATIONS = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
"""

LOOP = """
define i32 @f(i32 %n, i32 %m) convergent {{
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %s, %latch ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %{no_more}
body:
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %heart) ]
  %early = icmp eq i32 %i, %m
  br i1 %early, label %{early}, label %latch
latch:
  %next = add i32 %i, 1
  br label %head
{rest}
}}
"""

SOURCE = LOOP.format(
    no_more="done",
    early="break",
    rest="""
break:
  %odd = trunc i32 %n to i1
  br i1 %odd, label %detour, label %use
detour:
  %d = call i32 @subgroupAdd(i32 100) [ "convergencectrl"(token %heart) ]
  %far = icmp ugt i32 %d, 5000
  br i1 %far, label %never, label %use
never:
  ret i32 %d
use:
  %b = call i32 @subgroupAdd(i32 10) [ "convergencectrl"(token %heart) ]
  ret i32 %b
done:
  ret i32 %sum
""",
)

UNIFIED = LOOP.format(
    no_more="guard",
    early="guard",
    rest="""
guard:
  %moved = phi token [ poison, %head ], [ %heart, %body ]
  %which = phi i1 [ false, %head ], [ true, %body ]
  br i1 %which, label %break, label %done
break:
  %odd = trunc i32 %n to i1
  br i1 %odd, label %detour, label %use
detour:
  %d = call i32 @subgroupAdd(i32 100) [ "convergencectrl"(token %moved) ]
  %far = icmp ugt i32 %d, 5000
  br i1 %far, label %never, label %use
never:
  ret i32 %d
use:
  %b = call i32 @subgroupAdd(i32 10) [ "convergencectrl"(token %moved) ]
  ret i32 %b
done:
  ret i32 %sum
""",
)

TWICE = UNIFIED.replace("label %break, label %done\n", "label %more.guard, label %done\n").replace(
    "break:\n",
    """more.guard:
  %again = phi token [ %moved, %guard ]
  br label %break
break:
""",
).replace("token %moved) ]", "token %again) ]")  # fmt: skip

CARRIED = """
define i32 @f(i32 %n, i32 %m) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  %c = icmp ult i32 %n, %m
  br i1 %c, label %left, label %right
left:
  br label %join
right:
  br label %join
join:
  %same = phi token [ %all, %left ], [ %all, %right ]
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %same) ]
  ret i32 %s
}
"""


def refined(source: str, target: str) -> Refinement:
    """For two threads, of which only the first takes the detour, and any %m."""
    launch = {"threads": 2, "subgroup_size": 2, "arguments": {"n": (5, 6)}, "max_steps": 400, "timeout": 60}
    return refine(parse(source + DECLARATIONS), parse(target + DECLARATIONS), **launch)  # type: ignore[arg-type]


@pytest.mark.parametrize("target", [UNIFIED, TWICE], ids=["one phi", "a chain of phis"])
def test_exits_that_are_unified(target: str) -> None:
    found = refined(SOURCE, target)
    assert (found.verdict, found.behaviour) == ("invalid-output", "equal"), found


def test_a_token_of_another_iteration() -> None:
    """With the last iteration's token who leaves together meets, and nobody else; with the one from before
    the loop all meet who leave early."""
    late = UNIFIED.replace(
        "  %heart =", "  %old = phi token [ poison, %entry ], [ %heart, %latch ]\n  %heart ="
    ).replace("[ %heart, %body ]", "[ %old, %body ]")
    assert refined(SOURCE, late).behaviour == "unknown"  # in the first iteration it is no token at all
    shifted = late.replace("[ poison, %entry ]", "[ %all, %entry ]")
    assert refined(SOURCE, shifted).behaviour == "equal"
    assert refined(SOURCE, UNIFIED.replace("[ %heart, %body ]", "[ %all, %body ]")).behaviour == "wrong"


def test_a_way_that_is_supposed_does_not_decide_which_token() -> None:
    """The branch may wait for memory; the threads meet behind it under the one token all the same."""
    source = CARRIED.replace("  %same = phi token [ %all, %left ], [ %all, %right ]\n", "").replace(
        "token %same", "token %all"
    )
    assert refined(source, CARRIED).behaviour == "equal"
    depends = (
        '  %a = call i32 @subgroupAdd(i32 %n) [ "convergencectrl"(token %all) ]\n  %c = icmp ult i32 %a, %m'
    )
    pair = (text.replace("  %c = icmp ult i32 %n, %m", depends) for text in (source, CARRIED))
    assert refined(*pair).behaviour == "equal"
