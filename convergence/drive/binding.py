"""From a launch of a module to a dispatch of what it was compiled to: which buffer is bound where."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..device.client import DeviceFacts, Dispatch, KernelDispatch
from ..device.interface import Binding, Interface, ShaderEntry, interface_of
from ..frozen import dataclass
from ..ir.types import IntType
from ..semantics.errors import NotModelled, UsageError
from ..semantics.machine.buffers import ADDRESSED, contents_of
from ..semantics.machine.launch import Launch, launched_memory
from ..semantics.machine.program import Program
from ..semantics.memory.allocations import Memory
from ..semantics.operations.extent import Extent
from .capabilities import ask, uses_subgroups

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
