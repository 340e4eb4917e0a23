"""Sources of shaders and kernels, compiled where their compilers are, and kernels on OpenCL devices.

covers: passes.compilers, drive.binding, device.opencl_worker
"""

from __future__ import annotations

import json
import shutil
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from convergence.device import (
    Device,
    DeviceFacts,
    DeviceFailed,
    Dispatched,
    KernelArgument,
    KernelDispatch,
    Unavailable,
    devices,
)
from convergence.drive.binding import bind_kernel
from convergence.parser import parse
from convergence.passes import PassFailed
from convergence.passes.compilers import compiled_source, is_source
from convergence.passes.outside import find_tool
from convergence.semantics import NotModelled, UsageError
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.run import prepare_run
from tests.cli.cli_harness import convcheck

FACTS = DeviceFacts(
    0, "made up", "cpu", "3.0", "none", "driver 1", 0, 0, 0, 0, True, (), (), (64, 64, 64), 64, 0, "opencl"
)  # fmt: skip
REVERSED = """kernel void turn(global uint *out, local uint *tile, uint add, float scale) {
  uint me = get_local_id(0), size = get_local_size(0);
  tile[me] = me + add;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[size - 1 - me] + 100 * get_group_id(0) + (uint)(scale * 2);
}
"""
LOOP = """#version 450
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { uint o[]; };
void main() {
  uint id = gl_GlobalInvocationID.x, sum = 0;
  for (uint i = 0; i <= (id & 3u); i++) sum = sum * 2 + subgroupBallotBitCount(subgroupBallot(true));
  o[id] = sum;
}
"""
KERNEL = """
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(3) %tile, i32 %n, float %f) {
  ret void
}
"""


@pytest.fixture(scope="module")
def opencl() -> Iterator[Device]:
    try:
        found = Device(api="opencl")
    except Unavailable as error:
        pytest.skip(f"no OpenCL device: {error}")
    with found:
        yield found


def test_arguments_of_a_kernel_are_those_of_the_launch() -> None:
    module = parse(KERNEL)
    given = {"out": "i32[4]:1,2,3,4", "tile": "i16[6]"}
    spec = launch_spec(workgroup=4, grid=3, buffers=given, arguments={"n": -2, "f": 0.5})
    program, launch = prepare_run(module, spec)
    bound = bind_kernel(program, launch, b"source", FACTS, 5)
    assert isinstance(bound.dispatch, KernelDispatch)
    assert bound.dispatch.arguments == (
        KernelArgument("buffer", struct.pack("<4i", 1, 2, 3, 4)), KernelArgument("local", size=12),
        KernelArgument("value", struct.pack("<i", -2)), KernelArgument("value", struct.pack("<f", 0.5)),
    )  # fmt: skip
    assert (bound.dispatch.groups, bound.dispatch.local) == ((3, 1, 1), (4, 1, 1))
    assert dict(bound.names) == {(0, 0): "%out"} and list(bound.dispatch.data) == [(0, 0)]


def test_what_does_not_fit_is_named() -> None:
    module = parse(KERNEL)

    def bind(**more: object) -> None:
        given = {"buffers": {"out": "i32[4]", "tile": "i32[4]"}, "threads": 4, **more}
        spec = launch_spec(**given)  # type: ignore[arg-type]
        bind_kernel(*prepare_run(module, spec), b"", FACTS)

    values = {"n": 1, "f": 0.0}
    with pytest.raises(UsageError, match="nothing is bound to %tile"):
        bind(buffers={"out": "i32[4]"}, arguments={**values, "tile": 0})
    with pytest.raises(UsageError, match="at most 64"):
        bind(threads=65, arguments=values)
    with pytest.raises(UsageError, match="differs between threads"):
        bind(arguments={**values, "n": [1, 2, 3, 4]})
    vectors = parse("define void @k(<2 x i32> %v) { ret void }")
    launched = prepare_run(vectors, launch_spec(arguments={"v": (1, 2)}))
    with pytest.raises(NotModelled, match="<2 x i32>"):
        bind_kernel(*launched, b"", FACTS)


@pytest.mark.skipif(find_tool("clang", None) is None, reason="clang is not on PATH")
def test_a_kernel_runs_on_an_opencl_device(opencl: Device, tmp_path: Path) -> None:
    path = tmp_path / "turn.cl"
    path.write_text(REVERSED)
    launch = ["--workgroup", "4", "--grid", "2", "--buffer", "out=i32[8]", "--buffer", "tile=i32[4]"]
    ran = convcheck("drive", path, *launch, "--arg", "add=7", "--arg", "scale=1.5", "--format", "json")
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["device"]["interface"] == "opencl" and answer["runs"] == 100
    by_hand = [10 - n + 3 + 100 * group for group in range(2) for n in range(4)]
    assert answer["legal"][0]["memory"]["%out"] == by_hand
    ran = convcheck("drive", path, *launch, "--arg", "add=7", "--arg", "scale=1.5", "--device", "0")
    assert ran.code in (2, 3)  # no Vulkan device, or one that takes no kernel


def test_a_kernel_without_an_answer_and_one_that_is_refused(opencl: Device) -> None:
    source = b"""kernel void spin(global volatile uint *o) { for (uint i = 1; i; i += 2) o[0] = i; }
kernel void fine(global uint *o) { o[get_global_id(0)] = get_global_id(0) + 5; }"""
    buffer = (KernelArgument("buffer", bytes(8)),)
    good = KernelDispatch(source, "fine", (1, 1, 1), (2, 1, 1), buffer, 3)
    endless = KernelDispatch(source, "spin", (1, 1, 1), (1, 1, 1), buffer)
    wrong = KernelDispatch(
        b"kernel void fine(global uint *o) { o[0] = x; }", "fine", (1, 1, 1), (1, 1, 1), buffer
    )
    first, second, third = (
        opencl.run([d], seconds)[0] for d, seconds in ((wrong, 30), (endless, 0.1), (good, 30))
    )
    assert isinstance(first, DeviceFailed) and first.stage == "module" and "/" not in first.why
    assert isinstance(second, DeviceFailed) and second.stage == "process"
    assert isinstance(third, Dispatched) and third.runs == 3
    assert struct.unpack("<2i", third.results[0].data[0, 0]) == (5, 6)


def test_without_a_binding_or_a_driver_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pyopencl.py").write_text("raise ImportError\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(Unavailable, match=r"pip install 'convcheck\[opencl\]'"):
        devices("opencl")
    ran = convcheck("drive", tmp_path / "none.ll", "--device", "opencl")
    assert ran.code == 2  # the file comes first


@pytest.mark.skipif(shutil.which("glslangValidator") is None, reason="glslang is not on PATH")
def test_a_shader_is_compiled_and_runs(tmp_path: Path) -> None:
    path = tmp_path / "loop.comp"
    path.write_text(LOOP)
    made = compiled_source(str(path))
    assert made.suffix == ".spv" and made.data[:4] == b"\x03\x02\x23\x07"
    path.write_text(LOOP.replace("sum = 0", "= 0"))
    ran = convcheck("drive", path, "--buffer", "u0=i32[8]")
    assert ran.code == 2 and f"{path.name}:6" in ran.err and "refuses it" in ran.err
    try:
        devices()
    except Unavailable as error:
        pytest.skip(f"no Vulkan device: {error}")
    path.write_text(LOOP)
    ran = convcheck("drive", path, "--buffer", "u0=i32[8]", "--format", "json", "--repetitions", "2")
    assert ran.code == 0, ran.err
    if json.loads(ran.out)["device"]["subgroup_size"] == 8:
        rounds = [8, 8 * 2 + 6, 8 * 4 + 6 * 2 + 4, 8 * 8 + 6 * 4 + 4 * 2 + 2]
        assert json.loads(ran.out)["legal"][0]["memory"]["u0"] == rounds * 2


def test_without_a_compiler_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, word in (("a.comp", "glslang"), ("a.cl", "clang"), ("a.hlsl", "clang")):
        (tmp_path / name).write_text("void main() {}")
        assert is_source(name)
        with pytest.raises(PassFailed, match=f"{word}.* not on PATH"):
            compiled_source(str(tmp_path / name))
        ran = convcheck("drive", tmp_path / name)
        assert ran.code == 3 and "not on PATH" in ran.err
    assert not is_source("a.ll")
