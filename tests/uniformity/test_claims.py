"""What LLVM's printers print is read by name, and what could not be asked is named.

covers: uniformity.check, passes.uniformity
"""

from __future__ import annotations

from pathlib import Path

import pytest

import convergence as cc
from convergence.ir.cfg import Order
from convergence.passes.outside import PassFailed, find
from convergence.passes.uniformity import looks_for_divergence, printed, read
from convergence.uniformity.check import LlvmClaims, claims_of_llvm, same_cycles
from convergence.uniformity.observe import Subject

from ..cli.cli_harness import convcheck

TEXT = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @"a b"(i32 %0, i32 %"odd name") {
  %2 = call i32 @llvm.amdgcn.workitem.id.x()
  br label %3
3:
  %4 = phi i32 [ 0, %1 ], [ %"next one", %3 ]
  %"next one" = add i32 %4, 1
  %5 = icmp ult i32 %"next one", %2
  br i1 %5, label %3, label %6
6:
  switch i32 %0, label %7 [
    i32 1, label %8
    i32 2, label %7
  ]
7:
  br label %8
8:
  ret void
}
define i32 @g(i32 inreg %a, i32 %b) {
  ret i32 %a
}
declare i32 @llvm.amdgcn.workitem.id.x()
"""
PRINTED = """CycleInfo for function: a b
    depth=1: entries(3)
UniformityInfo for function 'a b':
CYCLES WITH DIVERGENT EXIT:
  depth=1: entries(3)

BLOCK 1
DEFINITIONS
  DIVERGENT:   %2 = call i32 @llvm.amdgcn.workitem.id.x()
TERMINATORS
               br label %3
END BLOCK

BLOCK 3
DEFINITIONS
               %4 = phi i32 [ 0, %1 ], [ %"next one", %3 ]
               %"next one" = add i32 %4, 1
  DIVERGENT:   %5 = icmp ult i32 %"next one", %2
TERMINATORS
  DIVERGENT:   br i1 %5, label %3, label %6
END BLOCK

BLOCK 6
DEFINITIONS
TERMINATORS
               switch i32 %0, label %7 [
    i32 1, label %8
    i32 2, label %7
  ]
END BLOCK

BLOCK 7
DEFINITIONS
TERMINATORS
               br label %8
END BLOCK

BLOCK 8
DEFINITIONS
TERMINATORS
               ret void
END BLOCK
CycleInfo for function: g
UniformityInfo for function 'g':
DIVERGENT ARGUMENTS:
  DIVERGENT: i32 %b

BLOCK 0
DEFINITIONS
TERMINATORS
               ret i32 %a
END BLOCK
"""
"""As LLVM 22.1 prints it; the test below asks it again where it is there."""

ROOT = Path(__file__).resolve().parents[2]
there = pytest.mark.skipif(find(None) is None, reason="there is no opt of LLVM 18 or later on PATH")


def claims(said: str = PRINTED) -> tuple[cc.Module, LlvmClaims]:
    module = cc.parse(TEXT)
    return module, claims_of_llvm(read(said), module, "opt", "amdgcn-amd-amdhsa")


def test_claims_are_read_by_name() -> None:
    module, found = claims()
    said = {(s.function, s.name, s.branch): uniform for s, uniform in found.subjects(module).items()}
    assert said == {
        ("a b", "0", False): True,
        ("a b", "odd name", False): True,
        ("a b", "2", False): False,
        ("a b", "4", False): True,
        ("a b", "next one", False): True,
        ("a b", "5", False): False,
        ("a b", "3", True): False,
        ("a b", "6", True): True,
        ("g", "a", False): True,
        ("g", "b", False): False,
    }
    assert found.unnamed(module) == ()
    assert same_cycles(found.functions["a b"], module.functions["a b"]) is Order.REVERSED


def test_what_is_dropped_or_renamed_is_named() -> None:
    module, found = claims(PRINTED.replace("'g'", "'g.1'").replace("%5 = icmp", "%cmp = icmp"))
    assert found.missing == ("g",)
    assert found.unnamed(module) == (Subject("a b", "5"),)


def test_everything_is_uniform_where_llvm_says_so() -> None:
    text = "UniformityInfo for function 'g':\nALL VALUES UNIFORM\n"
    module, found = claims(text)
    assert found.subjects(module) == {Subject("g", "a"): True, Subject("g", "b"): True}
    assert claims_of_llvm(read(text), module, "opt", "spirv64", divergence=False).subjects(module) == {}


@there
def test_llvm_prints_what_the_sample_says() -> None:
    module, found = claims()
    said, by = printed(TEXT, triple=None)
    asked = claims_of_llvm(said, module, by, "amdgcn-amd-amdhsa")
    assert "LLVM" in by
    assert asked.subjects(module) == found.subjects(module)
    assert {n: f.cycles for n, f in asked.functions.items()} == {
        n: f.cycles for n, f in found.functions.items()
    }


@there
def test_a_target_that_llvm_lacks_is_refused() -> None:
    with pytest.raises(PassFailed, match="dxil"):
        printed(TEXT, triple="dxil-pc-shadermodel6.3")


@there
def test_some_targets_are_not_looked_at() -> None:
    assert looks_for_divergence("nvptx64-nvidia-cuda")
    assert not looks_for_divergence("spirv64-unknown-unknown")


@there
def test_the_three_are_compared(tmp_path: Path) -> None:
    file = tmp_path / "undef.ll"
    file.write_text((ROOT / "examples_ll" / "rules" / "U-UNDEF.shows.ll").read_text(encoding="utf-8"))
    ran = convcheck("uniform", "--check", "--llvm", str(file))
    assert ran.code == 1
    assert "%half is called uniform by LLVM, and is not: undef in thread 0 and 0 in thread 1" in ran.out
    assert "@half %half: uniform by LLVM, divergent by the rules" in ran.out
    ran = convcheck("uniform", "--llvm", "-q", "--triple", "spirv64-unknown-unknown", str(file))
    assert ran.code == 0
    assert "without looking" in ran.out


def test_without_opt_it_says_what_could_not_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "f.ll"
    file.write_text(TEXT)
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = convcheck("uniform", "--llvm", str(file))
    assert ran.code == 3
    assert "--llvm: no opt was found" in ran.err
    ran = convcheck("uniform", "--llvm", "--opt", "no-such-opt", str(file))
    assert "no-such-opt: no program" in ran.err
    ran = convcheck("uniform", "--opt", "x", str(file))
    assert ran.code == 2


def test_a_program_that_is_no_opt_is_named(tmp_path: Path) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\ncat > /dev/null\n")
    silent.chmod(0o755)
    with pytest.raises(PassFailed, match="silent prints nothing that is known of uniformity"):
        looks_for_divergence("amdgcn-amd-amdhsa", str(silent))


def test_another_llvm_s_opt_is_named_by_its_version(tmp_path: Path) -> None:
    old = tmp_path / "opt-14"
    old.write_text(
        "#!/bin/sh\n"
        'if [ "$1" = --version ]; then echo "  LLVM version 14.0.6"; exit 0; fi\n'
        "echo \"opt: unknown function pass 'print<uniformity>'\" >&2; exit 1\n"
    )
    old.chmod(0o755)
    file = tmp_path / "k.ll"
    file.write_text(TEXT)
    ran = convcheck("uniform", "--llvm", "--opt", str(old), str(file))
    assert ran.code == 2
    assert "opt-14 (LLVM 14.0.6) refuses print<cycles>,print<uniformity>" in ran.err


def test_a_file_without_functions_is_said_to_be_that(tmp_path: Path) -> None:
    file = tmp_path / "none.ll"
    file.write_text("declare void @f()\n")
    ran = convcheck("uniform", str(file))
    assert (ran.code, ran.out) == (0, f"{file} defines no function\n")
