"""How a run begins: the program and the launch from what the user gave, and the machine for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...frozen import dataclass
from ..threads.compile import compiled
from ..threads.translation import Translation
from .launch import (
    Launch,
    LaunchSpec,
    absent_of,
    arguments_of,
    contents_of,
    inputs_of,
    launched_function,
    paths_of,
    shape_of,
)
from .machine import Machine
from .outcome import Contents, initial_contents
from .program import EnvironmentKind, Program, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...ir.module import Function, Module
    from .buffers import PlacedBuffer
    from .choice import Chooser
    from .log import Log


def prepare_run(
    module: Module,
    spec: LaunchSpec,
    prune: bool = True,
    environment: EnvironmentKind = "direct",
    recurrence: bool = True,
) -> tuple[Program, Launch]:
    """The program and launch that are asked for. Raises UsageError, and NotModelled for a global variable
    whose initial value has no model."""
    if any(name.startswith("llvm.spv.") for name in module.functions):  # few programs need it
        from ...transform.emitted_intrinsics import with_plain_instructions

        module = with_plain_instructions(module)
    launched = launched_function(module, spec.function)
    arguments = spec.arguments
    buffers: Mapping[str, PlacedBuffer] = {}
    bound_contents: Mapping[str, object] = {}
    if _is_bound(module, launched, spec):
        from .bindings import passed_by_value, with_arguments, with_buffers

        by_value = passed_by_value(module, launched, spec.arguments)
        bound = with_buffers(module, launched, spec.buffers, apart=spec.globals, by_value=by_value)
        plain = {name: v for name, v in spec.arguments.items() if name.removeprefix("%") not in by_value}
        arguments = with_arguments(plain, bound.arguments)
        module, buffers, bound_contents = bound.module, bound.buffers, bound.contents
    size, paths = spec.subgroup_size, spec.paths
    shape = shape_of(module, launched, spec, len(paths) if paths else None)
    count = shape.threads
    taken = None if paths is None else paths_of(launched, paths, count)
    plain_program = Program(module, Settings())
    context = plain_program.context
    values, unknown = arguments_of(launched, arguments, count, context)
    settings = Settings(
        uncontrolled=spec.uncontrolled,
        dfs=spec.dfs,
        equal_writes=spec.equal_writes,
        inputs=inputs_of(module, spec.inputs, count, context),
        operations=spec.operations,
        path_of=launched.name if paths is not None else None,
        unknowns=unknown,
        lenient=unknown and paths is not None,
        verified=spec.verified,
        prune=prune,
        environment=environment,
        absent=absent_of(module, spec.globals),
        recurrence=recurrence,
        engine=spec.engine,
        jobs=spec.jobs,
    )
    contents = contents_of(module, {**spec.globals, **bound_contents}, count, context)
    launch = Launch(
        launched.name, count, size, values, taken, contents, buffers,
        shape.grid, shape.workgroup, shape.dimensions,
    )  # fmt: skip
    return runnable(module, settings), launch


def _is_bound(module: Module, function: Function, spec: LaunchSpec) -> bool:
    """Whether a launch may give objects of its own: buffers, what a module's variables or the resources that
    it declares functions for stand for, and what is passed by value."""
    declares = any(f.is_declaration for f in module.functions.values())
    by_value = any(parameter.attributes for parameter in function.parameters)
    return bool(spec.buffers or module.globals or declares or by_value)


def contents_at_launch(module: Module, spec: LaunchSpec) -> Contents:
    """What the globals of a module hold at a launch. Raises as :func:`prepare_run` does."""
    return initial_contents(*prepare_run(module, spec))


@dataclass(frozen=True, slots=True)
class EnvironmentParts:
    """An environment: how functions are prepared for it, and the machine that runs them."""

    translation: type[Translation]
    machine: type[Machine]


def environment(kind: EnvironmentKind) -> EnvironmentParts:
    """The environment of that name, read when somebody runs in it."""
    match kind:
        case "direct":
            return EnvironmentParts(Translation, Machine)
        case "queued":
            from ..environments.queued import QueuedMachine, QueuedTranslation

            return EnvironmentParts(QueuedTranslation, QueuedMachine)
        case "watched":
            from ..environments.watched import WatchedMachine, WatchedTranslation

            return EnvironmentParts(WatchedTranslation, WatchedMachine)


def runnable(module: Module, settings: Settings) -> Program:
    """A program that can be run in the environment that the settings name."""
    translation = environment(settings.environment).translation
    return Program(module, settings, lambda program, function: compiled(translation(program, function)))


def start(program: Program, launch: Launch, chooser: Chooser, log: Log | None = None) -> Machine:
    """The machine for one run of a program, in the environment that its settings name."""
    return environment(program.settings.environment).machine(program, launch, chooser, log)
