"""From a launch of a module to a dispatch of what it was compiled to: which buffer is bound where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from math import prod
from pathlib import Path

from ..device.client import (
    Binding,
    DeviceFacts,
    Dispatch,
    Interface,
    KernelArgument,
    KernelDispatch,
    ShaderEntry,
    interface_of,
)
from ..frozen import dataclass
from ..ir import FloatType, IntType, PointerType, Type
from ..ir.module import WORKGROUP
from ..semantics import NotModelled, UsageError
from ..semantics.machine.buffers import ADDRESSED, contents_of
from ..semantics.machine.launch import Launch, launched_memory
from ..semantics.machine.program import Program
from ..semantics.memory.allocations import Memory
from ..semantics.operations import Extent
from ..semantics.values import Value
from ..spirv.instruction import grammar

# ----------------------------------------------------------------------------------------------------------
# What a module asks of a device, and whether that has it.
#
# Vulkan, appendix *Vulkan Environment for SPIR-V*: a module must not use a capability that nothing in the
# device offers. A driver may do anything with one that does, so that no answer of it would say anything.
# ----------------------------------------------------------------------------------------------------------

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


Place = tuple[int, int]
"""Descriptor set and binding."""

_REGISTER = re.compile(r"[utb](\d+)(?:\.space(\d+))?\Z")


@dataclass(frozen=True, slots=True)
class BoundModule:
    """A compiled module made ready for a launch: the ``dispatch``, and which buffer of the launch lies at
    each place."""

    dispatch: Dispatch | KernelDispatch
    names: Mapping[Place, str]


def bind(
    program: Program,
    launch: Launch,
    data: bytes,
    facts: DeviceFacts,
    repeat: int = 1,
    entry: str | None = None,
) -> BoundModule:
    """A SPIR-V module, as a launch of its source says.

    Raises NotSPIRV; UsageError for a launch that does not fit the module or the device; NotModelled for what
    cannot be bound here; LackingDevice for what the module asks for and the device has not.
    """
    interface = interface_of(data)
    point = _entry(interface, entry or launch.function)
    ask(interface, point, facts)
    _fits(point, launch, facts, uses_subgroups(interface))
    if any(name.startswith(ADDRESSED) for name in launch.buffers):
        raise NotModelled("buffers by their addresses on a device, which gives them others")
    memory = launched_memory(program, launch)
    constants = _constants(program, memory) if interface.push_constants else b""
    if len(constants) > facts.push_constants:
        most = f"{facts.name} has room for {facts.push_constants}"
        raise UsageError(f"{len(constants)} bytes of push constants: {most}")
    names: dict[Place, str] = {}
    contents: dict[Place, bytes] = {}
    uniform: set[Place] = set()
    for binding in interface.bindings:
        place = binding.set, binding.binding
        if binding.kind == "other":
            raise NotModelled(f"{_name(binding)}: neither a storage nor a uniform buffer")
        name = _buffer_at(binding, launch)
        if name is None:
            raise UsageError(
                f"nothing is bound to {_name(binding)}: give --buffer {_called(binding)}=TYPE[N]"
            )
        if place in names and names[place] != name:
            both = f"{names[place]} and {name} are both bound to set {binding.set}, binding {binding.binding}"
            raise UsageError(f"{both}: give them bindings of their own (vk::binding)")
        names[place] = name
        contents[place] = contents_of(name, launch.buffers[name], program.context, memory).numbers.data
        if binding.kind == "uniform":
            uniform.add(place)
    groups = launch.grid.x, launch.grid.y, launch.grid.z
    size = launch.subgroup_size
    required_size = size if size != facts.subgroup_size else None
    dispatch = Dispatch(
        data, point.name, groups, contents, frozenset(uniform), repeat, required_size, constants
    )
    return BoundModule(dispatch, names)


PUSH_CONSTANT = 13
"""The address space of push constants (SPIR-V in LLVM, *Address Spaces*)."""


def _constants(program: Program, memory: Memory) -> bytes:
    """What the module's push constants hold at the launch; zeros, where nobody gives them. Raises NotModelled
    where it is not known which variable they are."""
    there = [v for v in program.module.globals.values() if v.address_space == PUSH_CONSTANT]
    if len(there) != 1:
        raise NotModelled(f"push constants of which the module has {len(there)} variables")
    provenance = program.context.address_of(there[0].name).provenance
    assert provenance is not None
    size = program.layout.size(there[0].type)
    numbers = memory.allocations[provenance.id].numbers(IntType(8), size, memory.layout, memory.domain)
    return bytes(numbers.data) + bytes(-size % 4)


def _entry(interface: Interface, name: str) -> ShaderEntry:
    """The compute entry point of that name, or the only one."""
    point = interface.compute(name) or interface.compute()
    if point is None:
        there = ", ".join(e.name for e in interface.entry_points) or "none"
        raise UsageError(f"no compute entry point to run; entry points: {there}")
    return point


def _fits(point: ShaderEntry, launch: Launch, facts: DeviceFacts, grouped: bool) -> None:
    """Raises UsageError for a workgroup other than the module's, or than the device can run; NotModelled
    where who shares a subgroup is not known, and matters."""
    if point.local_size is None:
        raise NotModelled(f"the workgroup size of {point.name}, which is no literal")
    module = Extent(*point.local_size)
    extent = launch.workgroup or Extent(launch.threads)
    if tuple(extent) != tuple(module):
        raise UsageError(f"a workgroup of {extent}: the module's {point.name} has {module}")
    if module.volume > facts.invocations:
        raise UsageError(
            f"a workgroup of {module}: {facts.name} runs at most {facts.invocations} invocations"
        )
    size = launch.subgroup_size or facts.subgroup_size
    if not facts.least_subgroup_size <= size <= facts.most_subgroup_size:
        sizes = f"{facts.least_subgroup_size} to {facts.most_subgroup_size}"
        if facts.least_subgroup_size == facts.most_subgroup_size:
            sizes = f"{facts.subgroup_size}"
        raise UsageError(f"subgroups of {size} lanes: {facts.name} has subgroups of {sizes}")
    if grouped and module.dimensions > 1 and module.x % size:
        raise NotModelled(
            f"which invocations of a workgroup of {module} share a subgroup: its first size is no multiple "
            f"of {size}"
        )


def _buffer_at(binding: Binding, launch: Launch) -> str | None:
    """The launch's buffer for a binding: by its register, else by its name."""
    there = []
    for name in launch.buffers:
        match = _REGISTER.match(name)
        if match and (int(match[2] or 0), int(match[1])) == (binding.set, binding.binding):
            there.append(name)
        if name.lstrip("%@") == f"{binding.set}:{binding.binding}":
            there.append(name)
    if there:
        return next((name for name in there if name[0] == _called(binding)[0]), there[0])
    return next((name for name in launch.buffers if binding.variable in (name, name.lstrip("%@"))), None)


def _name(binding: Binding) -> str:
    name = f" ({binding.variable})" if binding.variable else ""
    return f"set {binding.set}, binding {binding.binding}{name}"


def _called(binding: Binding) -> str:
    """What a launch calls a buffer there."""
    letter = "b" if binding.kind == "uniform" else "u" if binding.writable else "t"
    return f"{letter}{binding.binding}" + (f".space{binding.set}" if binding.set else "")


# ----------------------------------------------------------------------------------------------------------
# From a launch of an OpenCL kernel to a dispatch of its source: which argument is what.
# ----------------------------------------------------------------------------------------------------------


def bind_kernel(
    program: Program,
    launch: Launch,
    source: bytes,
    facts: DeviceFacts,
    repeat: int = 1,
    options: tuple[str, ...] = (),
) -> BoundModule:
    """A kernel's source, as a launch of the LLVM IR that clang made of it says.

    Raises UsageError for a launch that does not fit the device, or leaves an argument open; NotModelled for
    an argument that cannot be passed here.
    """
    workgroup = launch.workgroup or Extent(launch.threads)
    if workgroup.volume > facts.invocations:
        raise UsageError(
            f"a workgroup of {workgroup}: {facts.name} runs at most {facts.invocations} work-items"
        )
    memory = launched_memory(program, launch)
    function = program.module.functions[launch.function]
    names: dict[Place, str] = {}
    arguments = []
    for number, parameter in enumerate(function.parameters):
        shown = f"%{parameter.name}"
        if isinstance(parameter.type, PointerType):
            if shown not in launch.buffers:
                raise UsageError(f"nothing is bound to {shown}: give --buffer {parameter.name}=TYPE[N]")
            placed = launch.buffers[shown]
            if parameter.type.address_space == WORKGROUP:
                size = placed.element.size * prod(placed.shape)
                arguments.append(KernelArgument("local", size=size))
                continue
            names[0, number] = shown
            data = contents_of(shown, placed, program.context, memory).numbers.data
            arguments.append(KernelArgument("buffer", data))
        else:
            distinct = {repr(thread[number]): thread[number] for thread in launch.arguments}
            if len(distinct) != 1:
                raise UsageError(f"{shown} differs between threads: a kernel's arguments are for all of them")
            arguments.append(
                KernelArgument("value", _bytes(next(iter(distinct.values())), parameter.type, program))
            )
    groups = launch.grid.x, launch.grid.y, launch.grid.z
    local = workgroup.x, workgroup.y, workgroup.z
    dispatch = KernelDispatch(source, launch.function, groups, local, tuple(arguments), repeat, options)
    return BoundModule(dispatch, names)


def _bytes(value: object, type_: Type, program: Program) -> bytes:
    """A scalar argument's bytes. Raises NotModelled for anything else."""
    if not isinstance(value, Value) or not isinstance(type_, IntType | FloatType):
        raise NotModelled(f"an argument of type {type_} to a kernel on a device")
    return int(value.bits).to_bytes(program.layout.size(type_), "little")
