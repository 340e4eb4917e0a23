"""How a run begins: the program and the launch from what the user gave, and the machine for them."""

from __future__ import annotations

from ...ir.module import Module
from ..errors import UsageError
from .arguments import arguments_of, inputs_of, launched_function, paths_of
from .choice import Chooser
from .launch import Launch, LaunchSpec
from .machine import Machine
from .program import Program, Settings
from .trace import Tracer


def prepare_run(
    module: Module, spec: LaunchSpec, prune: bool = True, deferred: bool = False
) -> tuple[Program, Launch]:
    """The program and launch that are asked for. Raises UsageError, and NotModelled for a global variable
    whose initial value has no model."""
    launched = launched_function(module, spec.function)
    size, paths = spec.subgroup_size, spec.paths
    count = spec.threads if spec.threads is not None else len(paths) if paths else 1
    if count < 1 or (size is not None and size < 1):
        raise UsageError("there must be at least one thread, and one lane per subgroup")
    taken = None if paths is None else paths_of(launched, paths, count)
    plain_program = Program(module, Settings())
    context = plain_program.context
    values, unknown = arguments_of(launched, spec.arguments, count, context)
    settings = Settings(
        uncontrolled=spec.uncontrolled,
        dfs=spec.dfs,
        inputs=inputs_of(module, spec.inputs, count, context),
        operations=spec.operations,
        path_of=launched.name if paths is not None else None,
        unknowns=unknown,
        lenient=unknown and paths is not None,
        verified=spec.verified,
        prune=prune,
        deferred=deferred,
    )
    return Program(module, settings), Launch(launched.name, count, size, values, taken)


def start(program: Program, launch: Launch, chooser: Chooser, tracer: Tracer | None = None) -> Machine:
    """The machine for one run of a program: by its settings, one with a choice of the memory order."""
    if program.settings.deferred:
        from ..environments.queued import DeferredMachine

        return DeferredMachine(program, launch, chooser, tracer)
    return Machine(program, launch, chooser, tracer)
