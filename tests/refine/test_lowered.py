"""``refine`` with a target whose control flow is lowered to operations on exec (refine.md, *Lowered code*).

covers: cli.commands.refine, passes.compilers
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convergence.parser import parse
from convergence.passes.compilers import module_of
from convergence.passes.outside import find_tool
from convergence.refine.sides.observable import MaskFault
from convergence.refine.verdict.compare import compare
from convergence.refine.verdict.result import Refinement
from convergence.semantics.machine.launch import launch_spec
from tests.cli.cli_harness import ROOT, convcheck
from tests.sched.lockstep.test_exec_amdgcn import DECLARED, LOWERED, SOURCE

needs_llc = pytest.mark.skipif(find_tool("llc", None) is None, reason="there is no llc of LLVM 18 or later")
SPEC = launch_spec(threads=3, max_steps=4_000)


def lowered(old: str = "", new: str = "", source: str = SOURCE) -> Refinement:
    """The program of ``test_exec_amdgcn`` and its lowered form, changed."""
    assert old in LOWERED
    target = parse((LOWERED.replace(old, new) + DECLARED).replace("iM", "i64"))
    one = parse(source + "declare i32 @subgroupAdd(i32) convergent")
    return compare(one, target, SPEC.within(max_launches=30), machine="exec-amdgcn")


def test_code_that_does_what_its_source_does_is_equal() -> None:
    found = lowered()
    assert (found.verdict, found.models) == ("equal", {"maximal": "equal"})


def test_a_wrong_mask_is_a_difference_with_lane_and_instruction() -> None:
    found = lowered("end.cf.iM(iM %leaving)", "end.cf.iM(iM 0)")
    assert found.verdict == "wrong" and found.counterexample is not None
    difference = found.counterexample.difference
    assert isinstance(difference, MaskFault)
    assert (difference.departure.operation, difference.departure.lane) == ("the ret of %exit", 0)


def test_masks_that_part_threads_are_a_difference() -> None:
    """The lanes that leave are woken one by one, by a mask of a lane each; all are on at the end."""
    part = "  %here = call i32 @subgroupAdd(i32 1)\n  %so.far = add i32 %sum, %v\n"
    source = SOURCE.replace("  %so.far = add i32 %sum, %v\n", part)
    found = lowered("  call void @llvm.amdgcn.end.cf.iM(iM %off2)\n", "", source)
    assert found.verdict == "wrong"


def test_what_the_machine_refuses_is_unknown() -> None:
    found = lowered("end.cf.iM(iM %off2)", "end.cf.iM(iM undef)")
    assert found.verdict == "unknown" and "poison" in str(found.bound)


def test_a_kernel_s_arguments_have_one_value() -> None:
    """The branch of a kernel on its argument is left as it is."""
    kernel = "define amdgpu_kernel void @f(i32 %n, ptr addrspace(1) %p) {\n  %c = icmp ult i32 %n, 3\n"
    kernel += "  br i1 %c, label %a, label %b\na:\n  store i32 1, ptr addrspace(1) %p\n  br label %b\n"
    text = f"{kernel}b:\n  ret void\n}}\n"
    found = compare(parse(text), parse(text), SPEC.within(max_launches=30), machine="exec-amdgcn")
    assert found.verdict == "equal"


PROGRAM = """
target triple = "amdgcn-amd-amdhsa"
define i32 @f(i32 %x, i32 %n) convergent {
entry:
  %few = icmp ult i32 %x, %n
  br i1 %few, label %head, label %end
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %next = add i32 %i, 1
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)
  %done = icmp uge i32 %next, %x
  br i1 %done, label %end, label %head
end:
  %r = phi i32 [ %x, %entry ], [ %first, %head ]
  ret i32 %r
}
declare i32 @llvm.amdgcn.readfirstlane.i32(i32) convergent
"""


@needs_llc
@pytest.mark.parametrize(("target", "mask"), [("amdgcn-wave32", "i32"), ("amdgcn-wave64", "i64")])
def test_llvm_lowers_it_and_keeps_threads_together(target: str, mask: str, tmp_path: Path) -> None:
    file = tmp_path / "f.ll"
    file.write_text(PROGRAM)
    ran = convcheck("refine", str(file), "--lowered", target, "--max-launches", "40", "--format", "json")
    said = json.loads(ran.out)
    assert (ran.code, said["verdict"], said["models"]) == (0, "equal", {"maximal": "equal"})
    assert target in json.dumps(said["pipeline"]) and "si-annotate-control-flow" in ran.out
    from convergence.cli.commands.refine import LOWERINGS, LoweringRequest

    assert f"call i1 @llvm.amdgcn.loop.{mask}(" in LOWERINGS[target](parse(PROGRAM), LoweringRequest()).text


@needs_llc
def test_a_count_that_the_back_end_loses_is_wrong() -> None:
    file = str(ROOT / "examples_ll" / "findings" / "self-loop-phi-lost.ll")
    ran = convcheck("refine", file, "--lowered", "amdgcn", "--level", "0", "--max-launches", "10")
    assert ran.code == 1 and ran.out.startswith("wrong: @main")


def test_what_does_not_fit_is_said(tmp_path: Path) -> None:
    file = tmp_path / "f.ll"
    file.write_text(PROGRAM.replace("amdgcn-amd-amdhsa", "nvptx64-nvidia-cuda").replace("amdgcn.readf", "x"))
    for words, why in (
        (("--lowered", "amdgcn"), "is for nvptx64-nvidia-cuda"),
        (("--lowered", "amdgcn", str(file)), "only one of them"),
        (("--lowered", "amdgcn", "--passes", "dce"), "only one of them"),
        (("--llc", "llc", "--passes", "dce"), "go with --lowered"),
        (("--lowered", "amdgcn", "--symbolic"), "--symbolic"),
        (("--lowered", "cuda"), "amdgcn-wave32"),
    ):
        ran = convcheck("refine", str(file), *words)
        assert ran.code == 2 and why in ran.err, (words, ran.err)
    file.write_text(PROGRAM)
    ran = convcheck("refine", str(file), "--lowered", "amdgcn", "--llc", "no-such-llc")
    assert ran.code == 2 and "no-such-llc: no program" in ran.err


def test_the_module_is_the_first_document() -> None:
    assert module_of("--- |\n  define void @f() {\n    ret void\n  }\n\n...\n---\nname: f\n...\n").startswith(
        "define void @f() {\n  ret void\n}\n"
    )
