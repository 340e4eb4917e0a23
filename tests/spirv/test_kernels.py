"""Kernels and shaders that LLVM's SPIR-V backend writes: what they compute as SPIR-V is what they do as the
LLVM IR that they came from, which the shelf of kernels holds against numpy.

covers: spirv.translation, spirv.extended
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.cli_harness import convcheck

SHADERS = Path(__file__).with_name("shaders")
SHELF = Path("examples_ll/kernels")
LLC = pytest.mark.skipif(shutil.which("llc-22") is None, reason="needs llc-22 with the SPIR-V target")
CLANG = pytest.mark.skipif(shutil.which("clang-22") is None, reason="needs clang-22 with the SPIR-V target")
TARGETS = {"cl": "spirv64-unknown-unknown", "hlsl": "spirv1.6-unknown-vulkan1.3-compute"}

SOME = ("reduction.cl.O0", "nested.hlsl.O2", "histogram.hlsl.O2")
OTHERS = tuple(
    sorted(p.stem for p in SHELF.glob("*.ll") if p.stem.split(".")[1] in TARGETS and p.stem not in SOME)
)


def said(*arguments: str | Path) -> tuple[int, list[str]]:
    ran = convcheck("run", "-q", *arguments)
    lines = ran.out.splitlines() + ran.err.splitlines()
    return ran.code, [line for line in lines if not line.startswith("note:")]


def compare(name: str, tmp_path: Path) -> None:
    """Skips what the backend does not compile: that is its matter."""
    source, binary = SHELF / f"{name}.ll", tmp_path / f"{name}.spv"
    target = TARGETS[name.split(".")[1]]
    llc = ["llc-22", "-O0", f"-mtriple={target}", "--spirv-ext=all", "-filetype=obj", str(source)]
    made = subprocess.run([*llc, "-o", str(binary)], capture_output=True, check=False, timeout=100)
    if made.returncode:
        pytest.skip(f"LLVM's backend fails on {name}")
    lines = [line for line in source.read_text().splitlines() if line.startswith("; CONVCHECK:")]
    options = [word for line in lines for word in shlex.split(line.removeprefix("; CONVCHECK:"))]
    shader = ".hlsl." in name  # its function is main, the only one
    function = [] if shader or "--function" in options else ["--function", f"@{name.split('.')[0]}"]
    assert said(binary, *options, *function) == said(source)


@LLC
@pytest.mark.parametrize("name", SOME)
def test_a_kernel_computes_as_spirv_what_it_does_as_llvm_ir(name: str, tmp_path: Path) -> None:
    compare(name, tmp_path)


@LLC
@pytest.mark.campaign
@pytest.mark.parametrize("name", OTHERS)
def test_all_kernels_of_the_shelf(name: str, tmp_path: Path) -> None:
    compare(name, tmp_path)


OWN = {
    "memory": "--buffer %s=i8[512]:1,... --buffer %out=f32[40] --buffer %k=i32[2]:3,4 --buffer %tmp=f32[8] "
    "--arg %scale=0.5 --arg %n=7 --show %out --show %s",
    "conversions": "--buffer %o=i32[8] --buffer %counter=i32[1] --buffer %px=u8[32]:5,9,... "
    "--show %o --show %px",
    "library": "--buffer %a=f32[32]:-3,-2.5,... --buffer %o=f32[8] --buffer %q=u64[8] --arg %n=9 "
    "--show %o --show %q",
    "outputs": "--buffer %a=f32[8]:1.75,-2.5,0.3,100.125,-7,12.25,0.01,3 --buffer %o=f32[64] "
    "--buffer %h=f16[32]:0.5,1.5,... --buffer %s=i32[8]:0,1,2,3,... --show %o --show %h --show %s",
}


@CLANG
@pytest.mark.parametrize("name", OWN)
def test_a_kernel_that_clang_compiles(name: str, tmp_path: Path) -> None:
    flags = (
        "-x cl -cl-std=CL2.0 -target spirv64 -Xclang -finclude-default-header -fno-discard-value-names -O2"
    )
    clang = ["clang-22", *flags.split(), str(SHADERS / f"{name}.cl"), "-o"]
    ll, binary = tmp_path / f"{name}.ll", tmp_path / f"{name}.spv"
    subprocess.run([*clang, str(ll), "-emit-llvm", "-S"], check=True, capture_output=True, timeout=100)
    subprocess.run([*clang, str(binary), "-c"], check=True, capture_output=True, timeout=100)
    options = ["--workgroup", "8", "--function", "@f", *OWN[name].split()]
    answer = said(binary, *options)
    assert answer == said(ll, *options) and answer[0] == 0
