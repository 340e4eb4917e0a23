"""On a Vulkan device, where there is one (lavapipe will do): skipped elsewhere.

covers: device.client, device.worker, workers.serving, cli.commands.drive
"""

from __future__ import annotations

import json
import shutil
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from convergence.device import Device, DeviceFailed, Dispatch, Dispatched, Unavailable, client
from tests.cli.cli_harness import ROOT, convcheck, ll
from tests.drive.shader import compiled, shader

EXAMPLE = ROOT / "examples_ll" / "launch" / "wave-sum-vulkan.ll"


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    try:
        found = Device()
    except Unavailable as error:
        pytest.skip(f"no Vulkan device: {error}")
    with found:
        yield found


def sums(size: int, threads: int, below: int = 3) -> list[int]:
    """What the shader computes, by hand."""
    groups = [range(first, min(first + size, threads)) for first in range(0, threads, size)]
    return [sum(group[:below]) if n - group[0] < below else 77 for group in groups for n in group]


def test_a_shader_runs_as_often_as_it_is_asked_to(device: Device) -> None:
    module = compiled(shader(64))
    (answer,) = device.run([Dispatch(module, "main", (1, 1, 1), {(0, 0): bytes(256)}, repeat=7)])
    assert isinstance(answer, Dispatched) and answer.runs == 7 and len(answer.results) == 1
    found = list(struct.unpack("<64i", answer.results[0].data[0, 0]))
    assert found == sums(device.facts.subgroup_size, 64)


def test_a_process_that_ends_is_an_ending_of_the_one_that_ended_it(device: Device) -> None:
    good = Dispatch(compiled(shader(8)), "main", (1, 1, 1), {(0, 0): bytes(32)})
    # An entry point that the module has not: a driver may refuse it, or end.
    bad = Dispatch(good.module, "nowhere", (1, 1, 1), {(0, 0): bytes(32)})
    answers = device.run([good, bad, good])
    assert [isinstance(answer, DeviceFailed) for answer in answers] == [False, True, False]


def test_what_the_device_does_not_offer_is_refused(device: Device, tmp_path: Path) -> None:
    path = tmp_path / "asks.spv"
    head, rest = compiled(shader(8))[:20], compiled(shader(8))[20:]
    path.write_bytes(head + struct.pack("<2I", 2 << 16 | 17, 6) + rest)  # OpCapability Kernel
    answer = convcheck("drive", path, "--buffer", "out=i32[8]", "--no-verify")
    assert answer.code == 3 and "does not offer the capability Kernel" in answer.err
    path.write_bytes(head + rest)
    answer = convcheck("drive", path, "--buffer", "out=i32[8]", "--format", "json")
    assert answer.code == 0 and "shaderInt8" in json.loads(answer.out)["device"]["features"]


def test_a_shader_that_takes_its_time_is_no_answer(device: Device) -> None:
    """A loop that does not end, in many workgroups: lavapipe leaves loops after 65,535 rounds."""
    body = """  br label %round
round:
  %n = phi i32 [ 0, %then ], [ %next, %round ]
  %next = add i32 %n, 2
  %own = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(\
target("spirv.VulkanBuffer", [0 x i32], 12, 1) %buffer, i32 %id)
  store i32 %next, ptr addrspace(11) %own, align 4
  %odd = icmp eq i32 %next, 1
  br i1 %odd, label %out, label %round
out:
  %sum = add i32 %n, 0
  br label %join"""
    module = compiled(shader(8, body=body).replace("[ %sum, %then ]", "[ %sum, %out ]"))
    (answer,) = device.run([Dispatch(module, "main", (65535, 1, 1), {(0, 0): bytes(32)})], 0.2)
    assert isinstance(answer, DeviceFailed) and answer.stage in ("dispatch", "process")


def test_the_command(device: Device, tmp_path: Path) -> None:
    ran = convcheck("drive", EXAMPLE, "--subgroup-size", str(device.facts.subgroup_size), "--repeat", "5")
    assert ran.code == 0, ran.err
    assert "legal: 5 of 5 runs; 1 of 1 legal outcomes seen (complete)" in ran.out
    other = tmp_path / "other.spv"
    other.write_bytes(compiled(shader(16, below=4)))
    ran = convcheck(
        "drive", ll(tmp_path, shader(16)), "--buffer", "u0=i32[16]", "--module", other, "--format", "json"
    )
    assert ran.code == 1
    answer = json.loads(ran.out)
    assert answer["verdict"] == "illegal" and answer["illegal"][0]["differences"][0]["lanes"] == [0]
    ran = convcheck("drive", "examples_ll/spirv/loop.spvasm", "--buffer", "0:0=u32[4]", "--repeat", "1")
    assert "nothing is bound" not in ran.err  # a place is a name, as in run
    ran = convcheck("drive", EXAMPLE, "--subgroup-size", "1024")
    assert ran.code == 2 and "subgroups of 1024 lanes" in ran.err


PUSHED = """; SPIR-V
; Version: 1.3
OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformArithmetic
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %lane
OpExecutionMode %main LocalSize 8 1 1
OpName %P "P"
OpName %given "given"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %lane BuiltIn SubgroupLocalInvocationId
OpDecorate %array ArrayStride 4
OpMemberDecorate %Out 0 Offset 0
OpDecorate %Out Block
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpMemberDecorate %P 0 Offset 0
OpMemberDecorate %P 1 Offset 4
OpDecorate %P Block
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%bool = OpTypeBool
%v3 = OpTypeVector %u32 3
%in3 = OpTypePointer Input %v3
%in1 = OpTypePointer Input %u32
%id = OpVariable %in3 Input
%lane = OpVariable %in1 Input
%array = OpTypeRuntimeArray %u32
%Out = OpTypeStruct %array
%outp = OpTypePointer StorageBuffer %Out
%element = OpTypePointer StorageBuffer %u32
%out = OpVariable %outp StorageBuffer
%P = OpTypeStruct %u32 %u32
%pushp = OpTypePointer PushConstant %P
%push1 = OpTypePointer PushConstant %u32
%given = OpVariable %pushp PushConstant
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%scope = OpConstant %u32 3
%main = OpFunction %void None %fn
%entry = OpLabel
%ids = OpLoad %v3 %id
%x = OpCompositeExtract %u32 %ids 0
%l = OpLoad %u32 %lane
%below = OpAccessChain %push1 %given %c0
%limit = OpLoad %u32 %below
%rest = OpAccessChain %push1 %given %c1
%otherwise = OpLoad %u32 %rest
%low = OpULessThan %bool %l %limit
OpSelectionMerge %join None
OpBranchConditional %low %then %join
%then = OpLabel
%sum = OpGroupNonUniformIAdd %u32 %scope Reduce %x
OpBranch %join
%join = OpLabel
%value = OpPhi %u32 %sum %then %otherwise %entry
%place = OpAccessChain %element %out %c0 %x
OpStore %place %value
OpReturn
OpFunctionEnd
"""


@pytest.mark.skipif(shutil.which("spirv-as") is None, reason="spirv-as is not on PATH")
@pytest.mark.parametrize(("below", "rest"), [(3, 77), (6, -1)])
def test_push_constants_reach_the_device(device: Device, tmp_path: Path, below: int, rest: int) -> None:
    path = tmp_path / "pushed.spvasm"
    path.write_text(PUSHED)
    given = f"@given=i32[2]:{below},{rest}"
    ran = convcheck(
        "drive", path, "--buffer", "u0=i32[8]", "--buffer", given, "--format", "json", "--repetitions", "3"
    )
    assert ran.code == 0, ran.err
    (legal,) = json.loads(ran.out)["legal"]
    assert legal["seen"] == 3
    by_hand = sums(8, 8, below)
    assert legal["memory"]["u0"] == [rest if n >= below else one for n, one in enumerate(by_hand)]


def test_devices_are_listed(device: Device) -> None:
    ran = convcheck("drive", "--list")
    assert ran.code == 0 and device.facts.name in ran.out


def test_without_the_binding_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "vulkan.py").write_text("raise ImportError\n")
    (tmp_path / "pyopencl.py").write_text("raise ImportError\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    ran = convcheck("drive", "--list")
    assert ran.code == 3 and "pip install 'convcheck[vulkan]'" in ran.err


def test_a_loader_that_crashes_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "vulkan.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    ran = convcheck("drive", EXAMPLE)
    assert ran.code == 3 and "SIGSEGV" in ran.err and ran.out == ""


def test_a_loader_that_hangs_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "vulkan.py").write_text("import time\ntime.sleep(60)\n")
    (tmp_path / "pyopencl.py").write_text("raise ImportError\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(client, "START", 0.5)
    ran = convcheck("drive", "--list")
    assert ran.code == 3 and "no answer in 0.5 s" in ran.err
