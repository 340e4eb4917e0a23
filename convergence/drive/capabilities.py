"""What a module asks of a device, and whether that has it.

Vulkan, appendix *Vulkan Environment for SPIR-V*: a module must not use a capability that nothing in the
device offers. A driver may do anything with one that does, so that no answer of it would say anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from ..device.client import DeviceFacts
from ..device.interface import Interface, ShaderEntry
from ..spirv.grammar import grammar

TABLE = Path(__file__).with_name("capabilities.txt")
SUBGROUP = "subgroup:"
"""Before the name of a subgroup operation, in the table."""
MODES: Mapping[str, str] = {
    "MaximallyReconvergesKHR": "shaderMaximalReconvergence",
    "SubgroupUniformControlFlowKHR": "shaderSubgroupUniformControlFlow",
}
"""Execution modes, and the feature without which a device does not take them."""
NEWEST: Mapping[tuple[int, int], tuple[int, int]] = {
    (1, 0): (1, 0), (1, 1): (1, 3), (1, 2): (1, 5), (1, 3): (1, 6), (1, 4): (1, 6),
}  # fmt: skip
"""The newest SPIR-V that each version of Vulkan takes."""


class LackingDevice(Exception):
    """A module asks for what a device has not; the message is one line that says what."""


GROUPED = (
    "VK_EXT_shader_subgroup_ballot", "VK_EXT_shader_subgroup_vote", "shaderSubgroupRotate",
    "shaderSubgroupPartitioned",
)  # fmt: skip
"""What else offers subgroup operations, in the table."""


@cache
def offers() -> Mapping[int, tuple[str, ...]]:
    """By a capability's number: what offers it, any of which is enough."""
    numbers = grammar().kinds["Capability"].numbers
    lines = (line.split() for line in TABLE.read_text(encoding="utf-8").splitlines() if line[:1] != "#")
    return {numbers[name]: tuple(words) for name, *words in lines if name in numbers}


def uses_subgroups(interface: Interface) -> bool:
    """Whether a module may ask who shares a subgroup: each operation and built-in that does needs a
    capability which subgroup operations, or one of the extensions for them, offer."""
    return any(
        offer.startswith(SUBGROUP) or offer in GROUPED
        for number in interface.capabilities
        for offer in offers().get(number, ())
    )


def ask(interface: Interface, point: ShaderEntry, facts: DeviceFacts) -> None:
    """Raises LackingDevice for what a module asks of a Vulkan device which does not have it."""
    missing = tuple(missing_from(interface, point, facts))
    if missing:
        raise LackingDevice(f"{facts.name} does not offer {'; nor '.join(missing)}")


def missing_from(interface: Interface, point: ShaderEntry, facts: DeviceFacts) -> Iterator[str]:
    """What a module asks for and a device does not have, each in a few words."""
    version = _version(facts.api)
    newest = NEWEST.get(version, max(NEWEST.values()))
    if interface.version > newest:
        takes = f"Vulkan {_dotted(version)} takes {_dotted(newest)} and older"
        yield f"SPIR-V {_dotted(interface.version)}: {takes}"
    names = grammar().kinds["Capability"].names
    for number in interface.capabilities:
        shown = f"the capability {names.get(number, number)}"
        if number not in offers():
            yield f"{shown}, which is none of Vulkan's"
        elif not any(_has(facts, offer) for offer in offers()[number]):
            yield f"{shown} ({' or '.join(map(_shown, offers()[number]))})"
    modes = grammar().kinds["ExecutionMode"].names
    for mode in point.modes:
        name = modes.get(mode, "")
        if name in MODES and MODES[name] not in facts.features:
            yield f"the execution mode {name} ({_shown(MODES[name])})"


def _has(facts: DeviceFacts, offer: str) -> bool:
    """Whether a device has what a word of the table names."""
    if offer.startswith(SUBGROUP):
        return offer.removeprefix(SUBGROUP) in facts.operations
    if offer.startswith("VK_"):
        return offer in facts.extensions
    if offer[0].isdecimal():
        return _version(facts.api) >= _version(offer)
    return offer in facts.features


def _shown(offer: str) -> str:
    """A word of the table, as people know it."""
    if offer.startswith(SUBGROUP):
        return f"subgroup operations {offer.removeprefix(SUBGROUP)}"
    if offer.startswith("VK_"):
        return offer
    return f"Vulkan {offer}" if offer[0].isdecimal() else f"feature {offer}"


def _version(text: str) -> tuple[int, int]:
    major, minor, *_ = text.split(".")
    return int(major), int(minor)


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
