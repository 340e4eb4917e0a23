"""A launch for a program that says none: complete, and such that something is seen.

covers: refine.inputs.space
"""

from __future__ import annotations

import pytest

import convergence as cc
from convergence.refine.inputs.space import LaunchProposal, proposal
from convergence.semantics import Returned, UsageError
from convergence.semantics.machine.launch import LaunchSpec, launch_spec
from convergence.semantics.machine.run import execute

LOOP = """define void @f(i32 %n, i1 %skip, ptr %out) {
A:
  br i1 %skip, label %D, label %B
B:
  %i = phi i32 [ 0, %A ], [ %j, %B ]
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %B, label %C
C:
  store i32 %j, ptr %out
  br label %D
D:
  ret void
}
"""


def chosen(text: str, **given: object) -> LaunchProposal:
    return proposal(cc.parse(text), launch_spec(**given))  # type: ignore[arg-type]


def test_threads_part_and_every_block_is_passed() -> None:
    module, made = cc.parse(LOOP), chosen(LOOP)
    run = execute(module, made.completes(LaunchSpec()))
    assert isinstance(run.ending, Returned)
    assert {visit.block for visits in run.execution.visits for visit in visits} == set("ABCD")
    assert len({tuple(visit.block for visit in visits) for visits in run.execution.visits}) > 1
    assert made.buffers.keys() == {"out"} and made.arguments.keys() == {"n", "skip"}


def test_what_is_given_is_kept() -> None:
    made = chosen(LOOP, threads=2, arguments={"n": [1, 3]})
    assert made.threads is None and "n" not in made.arguments
    assert made.completes(launch_spec(threads=2, arguments={"n": [1, 3]})).arguments["n"] == [1, 3]
    paths = [["A", "D"], ["A", "B", "C", "D"]]
    assert chosen(LOOP, paths=paths, buffers={"out": "i32[4]"}).threads is None


def test_it_is_the_same_each_time() -> None:
    assert chosen(LOOP) == chosen(LOOP)


def test_what_needs_nothing_gets_threads_alone() -> None:
    assert chosen("define void @f(i32 %unused) {\n  ret void\n}\n") == LaunchProposal(threads=4)
    sized = 'define void @f() "hlsl.numthreads"="8,1,1" {\n  ret void\n}\n'
    assert chosen(sized) == LaunchProposal()


def test_a_kernels_arguments_are_the_same_for_all() -> None:
    kernel = LOOP.replace("define void", "define spir_kernel void")
    assert all(len(values) == 1 for values in chosen(kernel).arguments.values())


def test_buffers_hold_what_is_loaded() -> None:
    text = """define void @f(ptr %p, float %limit) {
A:
  %v = load float, ptr %p
  %c = fcmp ogt float %v, %limit
  br i1 %c, label %B, label %C
B:
  br label %C
C:
  ret void
}
"""
    assert chosen(text).buffers["p"].startswith("f32[")
    assert chosen(text.replace("float", "i8").replace("fcmp ogt", "icmp ugt")).buffers["p"].startswith("i8[")


def test_blocks_of_what_it_calls_count() -> None:
    text = (
        LOOP.replace("@f(", "@inner(")
        + """
define void @kernel(i32 %n, i1 %skip, ptr %out) {
  call void @inner(i32 %n, i1 %skip, ptr %out)
  ret void
}
"""
    )
    module, made = cc.parse(text), chosen(text)
    run = execute(module, made.completes(LaunchSpec()))
    assert {
        visit.block for visits in run.execution.visits for visit in visits if visit.function == "inner"
    } == set("ABCD")


def test_a_function_that_is_called_is_there() -> None:
    text = "define void @f(ptr %g) {\n  call void %g()\n  ret void\n}\ndeclare void @other()\n"
    assert chosen(text).arguments == {"g": ("@other",)}


@pytest.mark.parametrize(
    ("names", "function"), [("src tgt", "src"), ("tgt src", "src"), ("b a", "b"), ("only", None)]
)
def test_which_function(names: str, function: str | None) -> None:
    text = "".join(f"define void @{name}() {{\n  ret void\n}}\n" for name in names.split())
    assert chosen(text).function == function


def test_no_function_is_an_error() -> None:
    with pytest.raises(UsageError, match="defines no function"):
        chosen("declare void @f()\n")
    with pytest.raises(UsageError, match="no definition of @g"):
        chosen(LOOP, function="g")


def test_an_endless_loop_ends_the_search() -> None:
    endless = "define void @f(i32 %x) {\nA:\n  br label %B\nB:\n  %c = icmp eq i32 %x, %x\n  br label %B\n}\n"
    assert chosen(endless).threads == 4
