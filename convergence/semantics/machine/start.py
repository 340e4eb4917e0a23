"""How a run begins: the program and the launch from what the user gave, and the machine for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...ir.cycles import Order
from ...ir.module import Module
from ..convergence.rules import Uncontrolled
from ..errors import UsageError
from ..operations.model import Prepare
from .arguments import Given, arguments_of, inputs_of, launched_function, paths_of
from .choice import Chooser
from .launch import Launch
from .machine import Machine
from .program import Program, Settings
from .trace import Tracer


def prepare_run(
    module: Module,
    function: str | None,
    threads: int | None,
    subgroup_size: int | None,
    arguments: Mapping[str, object],
    inputs: Mapping[str, Sequence[Sequence[Given]]],
    paths: Sequence[Sequence[str]] | None,
    uncontrolled: Uncontrolled,
    dfs: Order,
    operations: Mapping[str, Prepare],
    verified: bool,
    prune: bool = True,
    deferred: bool = False,
) -> tuple[Program, Launch]:
    """The program and launch of :func:`.run.run`, from what the user gave. Raises UsageError."""
    launched = launched_function(module, function)
    count = threads if threads is not None else len(paths) if paths else 1
    if count < 1 or (subgroup_size is not None and subgroup_size < 1):
        raise UsageError("there must be at least one thread, and one lane per subgroup")
    taken = None if paths is None else paths_of(launched, paths, count)
    plain_program = Program(module, Settings())
    context = plain_program.context
    values, unknown = arguments_of(launched, arguments, count, context)
    settings = Settings(
        uncontrolled=uncontrolled,
        dfs=dfs,
        inputs=inputs_of(module, inputs, count, context),
        operations=operations,
        path_of=launched.name if paths is not None else None,
        unknowns=unknown,
        lenient=unknown and paths is not None,
        verified=verified,
        prune=prune,
        deferred=deferred,
    )
    return Program(module, settings), Launch(launched.name, count, subgroup_size, values, taken)


def start(program: Program, launch: Launch, chooser: Chooser, tracer: Tracer | None = None) -> Machine:
    """The machine for one run of a program: by its settings, one with a choice of the memory order."""
    if program.settings.deferred:
        from ..environments.queued import DeferredMachine

        return DeferredMachine(program, launch, chooser, tracer)
    return Machine(program, launch, chooser, tracer)
