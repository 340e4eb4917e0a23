"""What a SPIR-V module asks of whoever runs it.

covers: device, device.client, passes.backend_worker, passes.compilers
"""

from __future__ import annotations

import struct

import pytest

from convergence.device.client import GL_COMPUTE, Binding, UnreadableShader, interface_of
from convergence.passes import PassFailed
from convergence.passes.compilers import lower
from tests.drive.shader import compiled, shader


def test_entry_point_workgroup_and_buffers_of_what_llvm_makes() -> None:
    found = interface_of(compiled(shader(24)))
    (point,) = found.entry_points
    assert (point.name, point.model, point.local_size) == ("main", GL_COMPUTE, (24, 1, 1))
    assert found.bindings == (Binding("out", 0, 0, "storage"),)
    assert 61 in found.capabilities  # GroupNonUniform
    assert not found.push_constants


def test_words_of_the_other_order_are_read() -> None:
    data = compiled(shader())
    words = struct.unpack(f"<{len(data) // 4}I", data)
    assert interface_of(struct.pack(f">{len(words)}I", *words)).bindings == interface_of(data).bindings


@pytest.mark.parametrize("data", [b"", b"hello", b"\0" * 40, b"BC\xc0\xde" * 10])
def test_what_is_no_spirv_is_said(data: bytes) -> None:
    with pytest.raises(UnreadableShader):
        interface_of(data)


def test_an_instruction_that_ends_behind_the_module_is_said() -> None:
    data = bytearray(compiled(shader()))
    data[22:24] = (60000).to_bytes(2, "little")
    with pytest.raises(UnreadableShader, match="60000 words"):
        interface_of(bytes(data))


def test_the_backend_goes_on_after_a_module_that_ends_it() -> None:
    """The target machine is new for each module: SPIR-V's remembers the functions that it met."""
    text = shader(9)
    first = lower(text, None).data
    with pytest.raises(PassFailed) as refused:
        lower("define void @f( {", "spirv-unknown-vulkan1.3-compute")
    assert refused.value.kind == "refused"
    with pytest.raises(PassFailed) as unknown:
        lower(text, "dxil-pc-shadermodel6.6-compute")
    assert unknown.value.kind == "refused"
    assert [lower(text, None).data for _ in range(3)] == [first] * 3


def test_an_llc_that_is_not_there_is_said() -> None:
    with pytest.raises(PassFailed, match="no-such-llc: no program"):
        lower(shader(), None, llc="no-such-llc")
