"""What a module asks of a device that has it not is said by name, and nothing runs.

covers: drive.binding
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from convergence.device import DeviceFacts
from convergence.device.client import GL_COMPUTE, Interface, ShaderEntry
from convergence.drive import LackingDevice, bind
from convergence.drive.binding import ask, missing_from, offers
from convergence.spirv.instruction import grammar
from tests.drive.shader import compiled, shader
from tests.drive.test_trial import FACTS as TRIAL
from tests.drive.test_trial import asked

FACTS = replace(TRIAL, operations=("basic",), features=())
POINT = ShaderEntry("main", GL_COMPUTE, (8, 1, 1))
CAPABILITIES = grammar().kinds["Capability"].numbers
MODES = grammar().kinds["ExecutionMode"].numbers


def module(*names: str, version: tuple[int, int] = (1, 3)) -> Interface:
    return Interface(version, (POINT,), (), tuple(CAPABILITIES[name] for name in names), ())


def missing(interface: Interface, facts: DeviceFacts, *modes: str) -> list[str]:
    point = replace(POINT, modes=tuple(MODES[mode] for mode in modes))
    return list(missing_from(interface, point, facts))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("GroupNonUniformClustered", "subgroup operations clustered"),
        ("GroupNonUniformRotateKHR", "feature shaderSubgroupRotate"),
        ("Int64", "feature shaderInt64"),
        ("Float64", "feature shaderFloat64"),
        ("Int8", "feature shaderInt8"),
        ("StorageBuffer8BitAccess", "feature storageBuffer8BitAccess"),
        ("SubgroupBallotKHR", "VK_EXT_shader_subgroup_ballot"),
        ("Float16", "feature shaderFloat16 or VK_AMD_gpu_shader_half_float"),
    ],
)
def test_a_capability_is_asked_of_the_device(name: str, words: str) -> None:
    (line,) = missing(module("Shader", name), FACTS)
    assert line == f"the capability {name} ({words})"
    offer = offers()[CAPABILITIES[name]][0]
    if offer.startswith("subgroup:"):
        able = replace(FACTS, operations=(offer.removeprefix("subgroup:"),))
    elif offer.startswith("VK_"):
        able = replace(FACTS, extensions=(offer,))
    else:
        able = replace(FACTS, features=(offer,))
    assert missing(module("Shader", name), able) == []


def test_capabilities_that_a_version_brings() -> None:
    assert missing(module("Shader", "Matrix", "DeviceGroup"), FACTS) == []
    assert missing(module("DeviceGroup"), replace(FACTS, api="1.0.3")) == [
        "SPIR-V 1.3: Vulkan 1.0 takes 1.0 and older",
        "the capability DeviceGroup (Vulkan 1.1 or VK_KHR_device_group)",
    ]
    assert missing(module("Kernel"), FACTS) == ["the capability Kernel, which is none of Vulkan's"]


def test_another_name_of_a_capability_is_the_same_one() -> None:
    """StorageUniformBufferBlock16 was StorageBuffer16BitAccess's name once."""
    old, new = CAPABILITIES["StorageUniformBufferBlock16"], CAPABILITIES["StorageBuffer16BitAccess"]
    assert old == new and offers()[old] == ("storageBuffer16BitAccess",)


def test_execution_modes_need_features() -> None:
    mode = "MaximallyReconvergesKHR"
    assert missing(module(), FACTS, mode) == [
        f"the execution mode {mode} (feature shaderMaximalReconvergence)"
    ]
    assert missing(module(), replace(FACTS, features=("shaderMaximalReconvergence",)), mode) == []


def test_a_module_is_bound_only_where_it_can_run() -> None:
    one = asked(shader())
    weak = replace(FACTS, features=("shaderInt8",))
    with pytest.raises(
        LackingDevice, match=r"^made up does not offer the capability GroupNonUniformArithmetic"
    ):
        bind(one.program, one.launch, compiled(shader()), weak)
    with pytest.raises(LackingDevice, match=r"Int64 .*; nor the capability Int8"):
        ask(module("Int64", "Int8"), POINT, FACTS)
