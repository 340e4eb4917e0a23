"""Waves have the size that the module says, in launches and for the operations that ask for it.

covers: ir.targets, semantics.machine.launch
"""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Literal

import pytest

import convergence as cc
from convergence.ir.targets import wave_size
from convergence.semantics import UsageError

Engine = Literal["operational", "axiomatic", "both"]
AMD, NVIDIA = "amdgcn-amd-amdhsa", "nvptx64-nvidia-cuda"


def module(triple: str, attributes: str, body: str, declarations: str = "", result: str = "i32") -> cc.Module:
    return cc.parse(
        f'target triple = "{triple}"\n{declarations}\n'
        f"define {result} @f(i32 %x, i32 %y) convergent {attributes} {{\n{body}\n}}\n"
    )


def calling(triple: str, attributes: str, call: str) -> cc.Module:
    name = re.search(r"@[\w.]+", call)
    assert name is not None
    types = ", ".join("i32" for _ in re.findall("i32 ", call.split("(", 1)[1]))
    declared = f"declare i32 {name[0]}({types})"
    return module(triple, attributes, f"  %r = call i32 {call}\n  ret i32 %r", declared)


def processor(name: str, features: str = "") -> str:
    said = f'"target-features"="{features}"' if features else ""
    return f'"target-cpu"="{name}" {said}' if name else said


AMD_SIZES = [
    ("gfx600", "", 64), ("gfx90a", "", 64), ("gfx9-generic", "", 64), ("hawaii", "", 64),
    ("gfx1010", "", 32), ("gfx1100", "", 32), ("gfx1250", "", 32), ("gfx11-generic", "", 32),
    ("gfx10-3-generic", "", 32), ("", "", None), ("unheard-of", "", None),
    ("gfx1030", "+wavefrontsize64", 64), ("gfx1030", "+dpp,+wavefrontsize32,+wmma", 32),
    ("", "+wavefrontsize32", 32), ("", "+wavefrontsize64", 64), ("gfx1030", "-wavefrontsize32", 32),
]  # fmt: skip


@pytest.mark.parametrize(("cpu", "features", "size"), AMD_SIZES)
def test_amdgpu(cpu: str, features: str, size: int | None) -> None:
    found = module(AMD, processor(cpu, features), "  ret i32 0")
    assert wave_size(found, found.functions["f"]) == size


@pytest.mark.skipif(shutil.which("opt-22") is None, reason="needs LLVM 22's opt")
@pytest.mark.parametrize(("cpu", "features", "size"), [row for row in AMD_SIZES if row[0] != "unheard-of"])
def test_llvm_folds_the_size_that_we_read(cpu: str, features: str, size: int | None) -> None:
    found = calling(AMD, processor(cpu, features), "@llvm.amdgcn.wavefrontsize()")
    command = ["opt-22", "-S", "-passes=instcombine", "-"]
    done = subprocess.run(command, input=found.source.text, capture_output=True, text=True, check=True)
    folded = re.search(r"ret i32 (\S+)", done.stdout)
    assert folded is not None
    assert folded[1] == ("%r" if size is None else str(size))


def test_without_a_triple_a_kernel_says_the_target() -> None:
    text = "define ptx_kernel void @f() { ret void }\n"
    found = cc.parse(text)
    assert wave_size(found, found.functions["f"]) == 32
    found = cc.parse(text.replace("ptx_kernel", "amdgpu_kernel"))
    assert wave_size(found, found.functions["f"]) is None
    found = cc.parse(text.replace("ptx_kernel", "amdgpu_kernel").replace("()", '() "target-cpu"="gfx906"'))
    assert wave_size(found, found.functions["f"]) == 64


@pytest.mark.parametrize(("triple", "size"), [("amdgpu9.42", 64), ("amdgpu11.00", 32), ("amdgpu12.50", 32)])
def test_a_triple_that_names_the_processor(triple: str, size: int) -> None:
    found = module(f"{triple}-amd-amdhsa", "", "  ret i32 0")
    assert wave_size(found, found.functions["f"]) == size
    other = module(f"{triple}-amd-amdhsa", processor("", "+wavefrontsize64"), "  ret i32 0")
    assert wave_size(other, other.functions["f"]) == 64


def test_other_targets() -> None:
    for triple, attributes, size in (
        (NVIDIA, "", 32), ("nvptx-nvidia-cuda", processor("sm_90"), 32),
        ("x86_64-linux", processor("znver4"), None),
        ("spirv1.6-unknown-vulkan1.3-compute", "", None), ("dxilv1.6-pc-shadermodel6.6-compute", "", None),
        ("dxilv1.6-pc-shadermodel6.6-compute", '"hlsl.wavesize"="16,0,0"', 16),
        ("dxilv1.8-pc-shadermodel6.8-compute", '"hlsl.wavesize"="16,64,32"', None),
    ):  # fmt: skip
        found = module(triple, attributes, "  ret i32 0")
        assert wave_size(found, found.functions["f"]) == size, (triple, attributes)
    opencl = cc.parse(
        'target triple = "spirv64-unknown-unknown"\n'
        "define void @f() !intel_reqd_sub_group_size !0 {\n  ret void\n}\n!0 = !{i32 8}\n"
    )
    assert wave_size(opencl, opencl.functions["f"]) == 8


def values(run: cc.Run) -> list[object]:
    return [thread.value for thread in run.outcome.threads]


@pytest.mark.parametrize(
    ("triple", "attributes", "call", "size"),
    [
        (AMD, processor("gfx90a"), "@llvm.amdgcn.wavefrontsize()", 64),
        (AMD, processor("gfx1100"), "@llvm.amdgcn.wavefrontsize()", 32),
        (NVIDIA, "", "@llvm.nvvm.read.ptx.sreg.warpsize()", 32),
        ("dxil-pc-shadermodel6.6-compute", '"hlsl.wavesize"="16,0,0"', "@llvm.dx.wave.get.lane.count()", 16),
        ("", "", "@getSubgroupSize()", 3),
    ],
)
def test_a_program_can_ask_for_it(triple: str, attributes: str, call: str, size: int) -> None:
    run = cc.run(calling(triple, attributes, call), threads=3, arguments={"x": 0, "y": 0})
    assert values(run) == [size] * 3
    if size == 3:
        assert run.waves is None and run.notes == ()
    else:
        assert run.waves is not None and (run.waves.size, run.waves.lanes) == (size, (3,))
        assert run.notes == (f"3 of the {size} lanes of a wave run",)


def test_threads_fill_waves() -> None:
    sizes = calling(NVIDIA, "", "@llvm.nvvm.read.ptx.sreg.laneid()")
    for threads, lanes, note in (
        (64, (32, 32), ()), (40, (32, 8), ("8 of the 32 lanes of the last wave run",)), (32, (32,), ()),
    ):  # fmt: skip
        run = cc.run(sizes, threads=threads, arguments={"x": 0, "y": 0})
        assert run.waves is not None and run.waves.lanes == lanes
        assert run.notes == note
        assert values(run) == [n % 32 for n in range(threads)]


def test_lanes_that_do_not_run_count_as_threads_of_the_program() -> None:
    for call, expected in (
        ("@llvm.nvvm.read.ptx.sreg.tid.x()", [0, 1, 32, 33, 64]),
        ("@llvm.nvvm.read.ptx.sreg.warpid()", [0, 0, 1, 1, 2]),
        ("@llvm.nvvm.read.ptx.sreg.nwarpid()", [3] * 5),
        ("@llvm.nvvm.read.ptx.sreg.ntid.x()", [65] * 5),
    ):
        run = cc.run(calling(NVIDIA, "", call), threads=5, subgroup_size=2, arguments={"x": 0, "y": 0})
        assert values(run) == expected
        assert run.notes == (
            "2 of the 32 lanes of each wave run, 1 of the last one: the program sees the first thread of the "
            "second wave as thread 32",
        )


def test_more_lanes_than_a_wave_has() -> None:
    with pytest.raises(UsageError, match="a subgroup of 64 threads: a wave has 32 lanes in @f"):
        cc.run(calling(NVIDIA, "", "@llvm.nvvm.read.ptx.sreg.laneid()"), threads=64, subgroup_size=64)


def test_waves_of_machines() -> None:
    found = cc.simulate(
        calling(NVIDIA, "", "@llvm.nvvm.read.ptx.sreg.warpid()"),
        "ipdom",
        threads=40,
        arguments={"x": 0, "y": 0},
    )[0]
    assert found.outcome is not None
    assert [t.value for t in found.outcome.threads] == [0] * 32 + [1] * 8


@pytest.mark.parametrize("engine", ["operational", "axiomatic", "both"])
def test_both_engines_have_the_waves(engine: Engine) -> None:
    body = "  %r = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 %y)\n  ret i32 %r"
    declared = "declare i32 @llvm.amdgcn.readlane.i32(i32, i32)"
    found = cc.enumerate(
        module(AMD, processor("gfx1100"), body, declared), engine=engine, threads=34,
        arguments={"x": list(range(34)), "y": 1},
    )  # fmt: skip
    (outcome,) = found.outcomes
    assert [t.value for t in outcome.outcome.threads] == [1] * 32 + [33] * 2
    assert "2 of the 32 lanes of the last wave run" in found.notes


@pytest.mark.parametrize(
    ("cpu", "lane", "expected"),
    [
        ("gfx1100", 33, 11),
        ("gfx90a", 33, "poison"),
        ("gfx90a", 65, 11),
        ("", 65, 11),
        ("", 33, "poison"),
        ("gfx1100", -31, 11),
    ],
)
def test_a_lane_s_number_is_modulo_the_wave(cpu: str, lane: int, expected: object) -> None:
    for name in ("readlane", "writelane"):
        third = ", i32 %x" if name == "writelane" else ""
        call = f"@llvm.amdgcn.{name}.i32(i32 %x, i32 %y{third})"
        run = cc.run(
            calling(AMD, processor(cpu), call), threads=2, arguments={"x": [10, 11], "y": lane}, function="f"
        )
        assert values(run)[1] == (expected if name == "readlane" else 11)
    write = calling(AMD, processor(cpu), "@llvm.amdgcn.writelane.i32(i32 7, i32 %y, i32 %x)")
    run = cc.run(write, threads=2, arguments={"x": [10, 11], "y": lane})
    assert values(run) == [10, 11 if expected == "poison" else 7]


def test_a_backward_permute_is_modulo_the_wave() -> None:
    call = "@llvm.amdgcn.ds.bpermute(i32 %y, i32 %x)"
    for cpu, address, expected in (
        ("gfx1100", 4 * 33, 11),
        ("gfx90a", 4 * 33, "poison"),
        ("gfx90a", 4 * 65, 11),
    ):
        found = calling(AMD, processor(cpu), call)
        assert values(cc.run(found, threads=2, arguments={"x": [10, 11], "y": address}))[0] == expected
