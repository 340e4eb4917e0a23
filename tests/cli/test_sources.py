"""A kernel's source, or what a compiler made of it, in place of LLVM IR: the answer says what to do.

covers: cli.plumbing.load
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .cli_harness import ROOT, convcheck

SHELF = ROOT / "examples_ll" / "kernels"


@pytest.mark.parametrize(
    ("source", "language"),
    [
        ("reduction.cl", "OpenCL C"),
        ("reduction.hip", "HIP"),
        ("prefix.cu", "CUDA"),
        ("reduction.hlsl", "HLSL"),
    ],
)
def test_a_source_is_named_with_the_way_to_its_ir(source: str, language: str) -> None:
    ran = convcheck("run", SHELF / source)
    assert ran.code == 2
    (line,) = ran.err.splitlines()
    assert f"{source}: this is {language}, not LLVM IR: clang -x " in line
    assert line.endswith(f"-emit-llvm -S {source} -o {Path(source).stem}.ll")


@pytest.mark.parametrize(
    ("name", "text", "made"),
    [
        ("k.ptx", b".version 7.0\n", "PTX"),
        ("k.s", b"\t.text\n", "assembly"),
    ],
)
def test_what_a_compiler_made_is_named(tmp_path: Path, name: str, text: bytes, made: str) -> None:
    file = tmp_path / name
    file.write_bytes(text)
    ran = convcheck("verify", file)
    assert ran.code == 2
    assert f"{name}: this is {made}, not LLVM IR: ask the compiler for LLVM IR" in ran.err


def test_the_name_alone_decides_nothing(tmp_path: Path) -> None:
    """What is LLVM IR is read, whatever its name; what is not is shown where it fails."""
    file = tmp_path / "k.cl"
    file.write_text("define void @f() {\n  ret void\n}\n")
    assert convcheck("verify", file).code == 0
    file = tmp_path / "k.ll"
    file.write_text("kernel void f() {}\n")
    ran = convcheck("verify", file)
    assert (ran.code, "k.ll:1:1: " in ran.err) == (2, True)
