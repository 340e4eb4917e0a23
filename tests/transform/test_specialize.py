"""Specialization constants of LLVM IR: their defaults, and values that a user chooses.

covers: cli.plumbing.load
"""

from __future__ import annotations

from typing import Any

import pytest

import convergence as cc
from convergence.spirv.instruction import NotSpecialized
from convergence.transform.specialize import specialized_module
from tests.cli.cli_harness import convcheck

TEXT = """
target triple = "spirv1.6-unknown-vulkan1.3-compute"
declare i32 @_Z20__spirv_SpecConstantii(i32, i32)
declare i32 @_Z20__spirv_SpecConstantij(i32, i32)
declare i16 @_Z20__spirv_SpecConstantis(i32, i16)
declare i1 @_Z20__spirv_SpecConstantib(i32, i1)
declare float @_Z20__spirv_SpecConstantif(i32, float)
declare double @_Z20__spirv_SpecConstantid(i32, double)

define i32 @unused() {
  ret i32 1
}

define i32 @main(ptr %reals, ptr %wide) {
  %count = call i32 @_Z20__spirv_SpecConstantii(i32 0, i32 5)
  %again = call i32 @_Z20__spirv_SpecConstantij(i32 0, i32 5)
  %narrow = call i16 @_Z20__spirv_SpecConstantis(i32 2, i16 -1)
  %on = call i1 @_Z20__spirv_SpecConstantib(i32 10, i1 true)
  %f = call float @_Z20__spirv_SpecConstantif(i32 4, float 1.5)
  %d = call double @_Z20__spirv_SpecConstantid(i32 7, double 0.5)
  store float %f, ptr %reals
  store double %d, ptr %wide
  %sum = add i32 %count, %again
  %more = zext i16 %narrow to i32
  %all = add i32 %sum, %more
  %value = select i1 %on, i32 %all, i32 0
  ret i32 %value
}
"""


def ran(*spec: str, text: str = TEXT, command: str = "run") -> list[str]:
    options = [word for one in spec for word in ("--spec", one)]
    buffers = ["--buffer", "%reals=f32[1]", "--buffer", "%wide=f64[1]"]
    answer = convcheck(command, "-", "--function", "@main", *buffers, *options, stdin=text)
    return [str(answer.code), *answer.out.splitlines(), *answer.err.splitlines()]


def test_defaults_hold_where_nothing_is_chosen() -> None:
    run = cc.run(cc.parse(TEXT), function="main", buffers={"reals": "f32[1]", "wide": "f64[1]"})
    assert run.outcome.threads[0].value == 10 + 0xFFFF and not run.stand_ins and not run.notes
    assert run.buffers["reals"].tolist() == [1.5] and run.buffers["wide"].tolist() == [0.5]


def test_constants_are_chosen_by_number() -> None:
    """All that have one number: here one that is read as two types."""
    answer = ran("0=-3", "2=0x10", "4=2.5", "7=-0.25")
    assert answer[0] == "0" and "Thread 0 returned 10" in answer
    assert "  %reals = [2.5]" in answer and "  %wide = [-0.25]" in answer
    assert "note: specialization constants 0=-3, 2=0x10, 4=2.5, 7=-0.25" in answer[-1]
    assert "Thread 0 returned 0" in ran("10=false")


def test_the_file_may_choose_and_the_command_line_wins() -> None:
    text = "; CONVCHECK: --spec 0=1 --spec 10=true\n" + TEXT
    assert f"Thread 0 returned {2 + 0xFFFF}" in ran(text=text)
    assert "Thread 0 returned 0" in ran("10=false", text=text)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("3=3", "no specialization constant is called 3; there are: 0, 2, 4, 7, 10"),
        ("00=3", "no specialization constant is called 00"),
        ("2=x", "2 is a number, and not x"),
        ("2=65536", "65536 does not fit 2, which has 16 bits"),
        ("10=2", "10 is true or false, and not 2"),
    ],
)
def test_what_cannot_be_chosen_is_named(word: str, said: str) -> None:
    code, *lines = ran(word)
    assert code == "2" and said in lines[-1]


def test_a_module_without_constants_has_none_to_choose() -> None:
    module = cc.parse("define void @f() {\n  ret void\n}")
    assert specialized_module(module, {}) is module
    with pytest.raises(NotSpecialized, match="the module has none"):
        specialized_module(module, {"0": "1"})


def test_refine_compares_one_choice() -> None:
    """What differs at the default may agree at another value."""
    folded = TEXT.replace("%sum = add i32 %count, %again", "%sum = add i32 8, 0")
    launch: dict[str, Any] = {
        "function": "main",
        "threads": 1,
        "buffers": {"reals": "f32[1]", "wide": "f64[1]"},
    }
    source, target = cc.parse(TEXT), cc.parse(folded)
    assert cc.refine(source, target, **launch).verdict == "wrong"
    four = specialized_module(source, {"0": "4"})
    assert cc.refine(four, specialized_module(target, {"0": "4"}), **launch).verdict in ("equal", "refines")
