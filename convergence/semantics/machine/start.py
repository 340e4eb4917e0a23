"""How a run begins: the program and the launch from what the user gave, and the machine for them."""

from __future__ import annotations

from collections.abc import Mapping

from ...frozen import dataclass
from ...ir.module import Module
from ..environments.queued import QueuedMachine, QueuedTranslation
from ..environments.watched import WatchedMachine, WatchedTranslation
from ..threads.compile import compiled
from ..threads.translation import Translation
from .arguments import absent_of, arguments_of, contents_of, inputs_of, launched_function, paths_of
from .bindings import passed_by_value, with_arguments, with_buffers
from .choice import Chooser
from .launch import Launch, LaunchSpec, shape_of
from .log import Log
from .machine import Machine
from .outcome import Contents, initial_contents
from .program import EnvironmentKind, Program, Settings


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
    by_value = passed_by_value(module, launched, spec.arguments)
    bound = with_buffers(module, launched, spec.buffers, apart=spec.globals, by_value=by_value)
    module = bound.module
    size, paths = spec.subgroup_size, spec.paths
    shape = shape_of(module, launched, spec, len(paths) if paths else None)
    count = shape.threads
    taken = None if paths is None else paths_of(launched, paths, count)
    plain_program = Program(module, Settings())
    context = plain_program.context
    plain = {name: v for name, v in spec.arguments.items() if name.removeprefix("%") not in by_value}
    values, unknown = arguments_of(launched, with_arguments(plain, bound.arguments), count, context)
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
    contents = contents_of(module, {**spec.globals, **bound.contents}, count, context)
    launch = Launch(
        launched.name, count, size, values, taken, contents, bound.buffers,
        shape.grid, shape.workgroup, shape.dimensions,
    )  # fmt: skip
    return runnable(module, settings), launch


def contents_at_launch(module: Module, spec: LaunchSpec) -> Contents:
    """What the globals of a module hold at a launch. Raises as :func:`prepare_run` does."""
    return initial_contents(*prepare_run(module, spec))


@dataclass(frozen=True, slots=True)
class EnvironmentParts:
    """An environment: how functions are prepared for it, and the machine that runs them."""

    translation: type[Translation]
    machine: type[Machine]


KINDS: Mapping[EnvironmentKind, EnvironmentParts] = {
    "direct": EnvironmentParts(Translation, Machine),
    "queued": EnvironmentParts(QueuedTranslation, QueuedMachine),
    "watched": EnvironmentParts(WatchedTranslation, WatchedMachine),
}


def runnable(module: Module, settings: Settings) -> Program:
    """A program that can be run in the environment that the settings name."""
    translation = KINDS[settings.environment].translation
    return Program(module, settings, lambda program, function: compiled(translation(program, function)))


def start(program: Program, launch: Launch, chooser: Chooser, log: Log | None = None) -> Machine:
    """The machine for one run of a program, in the environment that its settings name."""
    return KINDS[program.settings.environment].machine(program, launch, chooser, log)
