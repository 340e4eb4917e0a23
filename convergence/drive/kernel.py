"""From a launch of an OpenCL kernel to a dispatch of its source: which argument is what."""

from __future__ import annotations

from math import prod

from ..device.client import DeviceFacts, KernelArgument, KernelDispatch
from ..ir.types import FloatType, IntType, PointerType, Type
from ..ir.variables import WORKGROUP
from ..semantics.errors import NotModelled, UsageError
from ..semantics.machine.buffers import contents_of
from ..semantics.machine.launch import Launch, launched_memory
from ..semantics.machine.program import Program
from ..semantics.operations.extent import Extent
from ..semantics.values.value import Value
from .binding import BoundModule, Place


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
