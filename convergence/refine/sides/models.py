"""Uncontrolled programs under the models that LLVM's documents leave open (semantics.md, §6 and §7).

``inferred``: each side gets tokens by LLVM's documented procedure (:mod:`convergence.transform.infer`), for
itself, and runs by them. ``ipdom``: each side runs on the lock-step machine that reconverges at immediate
post-dominators; its groups are the only alignment. ``maximal`` needs nothing of this module. A program
can be right under one model and wrong under another, so each has a verdict of its own.

``LoweredCode`` is a target that says itself, by operations on exec, which lanes are on: it runs on the
machine that performs them, whatever the source's model is.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from ...frozen import Json
from ...ir.module import Function, Module
from ...sched.enumeration import NOTHING, identity_of
from ...sched.lockstep.simulate import Simulated, simulate_machine
from ...semantics import (
    Deadlock,
    Endless,
    NoModel,
    NotModelled,
    OutOfBound,
    Returned,
    UndefinedBehaviour,
    Unmodelled,
    Waiting,
)
from ...semantics.machine import depends_on_order
from ...semantics.machine.program import EngineKind, EnvironmentKind, Program
from ...semantics.machine.run import runnable
from ...semantics.values import plain
from ...transform.infer import inferred
from ..inputs.launch import ZEROS, Input
from ..verdict.result import MachineRefuses, MachineStops, Model, OneOrder, Open, Side, ValueTaken
from .observable import observed
from .outcomes import ENDLESS, UNDEFINED, Bounds, Executable, Outcomes, Setting, asked_in


def runnable_under(
    model: Model,
    module: Module,
    function: Function,
    setting: Setting,
    pool: Sequence[int],
    names: frozenset[str],
) -> Executable:
    """What runs a function under a model."""
    match model:
        case "inferred":
            return Inferred(module, function, setting, pool, names)
        case "ipdom":
            return IpdomModel(module, function, setting, pool, names)
        case "tokens" | "maximal":
            return Executable(module, function, setting, pool, names)


class Inferred(Executable):
    """The function with inferred tokens. The launched function counts as convergent, so that ``entry`` says
    what the document means by it: the threads that the environment launched together."""

    def __init__(
        self, module: Module, function: Function, setting: Setting, pool: Sequence[int], names: frozenset[str]
    ) -> None:
        inference = inferred(module, {function.name})
        after = inference.module.functions[function.name]
        super().__init__(inference.module, after, setting, pool, names)
        refused = [note for note in inference.notes if note.kind == "refused"]
        self.refused = f"inferring tokens: {refused[0]}" if refused else None
        self.new_blocks = [b.name for b in after.blocks] != [b.name for b in function.blocks]

    def side(self, input_: Input, wanted: Hashable | None, bounds: Bounds) -> Side | None:
        """An execution with the ``wanted`` outcome, of the module with the tokens."""
        side = super().side(input_, wanted, bounds)
        return None if side is None else replace(side, module=self.module)

    def _program(
        self,
        input_: Input,
        environment: EnvironmentKind = "queued",
        joins: bool = False,
        engine: EngineKind = "reference",
    ) -> Program:
        if self.refused is not None:
            raise NotModelled(self.refused)
        if input_.paths is not None and self.new_blocks:
            raise NotModelled(f"paths of @{self.function.name}, whose irreducible cycles were made reducible")
        return super()._program(input_, environment, joins, engine)


class IpdomModel(Executable):
    """The function on a lock-step ``machine``, ``ipdom``: one execution for each input."""

    machine = "ipdom"

    def __init__(
        self, module: Module, function: Function, setting: Setting, pool: Sequence[int], names: frozenset[str]
    ) -> None:
        super().__init__(module, function, setting, pool, names)
        self._plain: dict[int, Program] = {}

    def _chosen(self, input_: Input, bounds: Bounds, patterns: tuple[int, ...]) -> Outcomes:
        """What the machine comes to. Where threads meet in memory, the machine's order is one of many: a
        difference there establishes nothing."""
        simulated = self._simulated(input_, bounds, patterns)
        undecided = self._undecided(simulated)
        if simulated.refused is not None:
            return Outcomes({}, bound=MachineRefuses(self.machine, simulated.refused))
        match simulated.ending:
            case None:
                ending = Deadlock(_waiting(simulated))
                names = _unmodelled_calls(simulated, ENDLESS)
                return Outcomes(
                    {}, endless=ending, undecided=undecided, unmodelled=names, wrong=simulated.wrong
                )
            case Returned():
                assert simulated.run is not None
                outcome = observed(simulated.run.outcome, self.names, simulated.run.machine.program)
                identity = identity_of(outcome)
                return Outcomes(
                    {identity: outcome},
                    undecided=undecided,
                    unmodelled=_unmodelled_calls(simulated, identity),
                    steps=simulated.run.machine.steps,
                )
            case UndefinedBehaviour() as ending:
                return Outcomes(
                    {},
                    undefined=ending,
                    undecided=undecided,
                    unmodelled=_unmodelled_calls(simulated, UNDEFINED),
                )
            case (Deadlock() | Endless()) as ending:
                return Outcomes(
                    {}, endless=ending, undecided=undecided, unmodelled=_unmodelled_calls(simulated, ENDLESS)
                )
            case OutOfBound(bound):
                return Outcomes({}, bound=bound)
            case Unmodelled(what):
                return Outcomes({}, bound=NoModel(what))
            case _:
                return Outcomes({}, bound=MachineStops(self.machine, simulated.ending.words))

    def side(self, input_: Input, wanted: Hashable | None, bounds: Bounds) -> Side | None:
        """The machine's execution, if its outcome is the ``wanted`` one."""
        simulated = self._simulated(input_, bounds)
        if simulated.run is None or simulated.execution is None:
            return None
        ending = simulated.ending if simulated.ending is not None else Deadlock(_waiting(simulated))
        outcome, key = NOTHING, None
        match ending:
            case Returned():
                outcome = observed(simulated.run.outcome, self.names, simulated.run.machine.program)
                key = identity_of(outcome)
            case UndefinedBehaviour():
                key = UNDEFINED
            case Deadlock() | Endless():
                key = ENDLESS
            case _:
                return None
        if wanted not in (None, key):
            return None
        return Side(simulated.execution, simulated.groups, ending, outcome, simulated.run.keys)

    def answered(self, input_: Input, bounds: Bounds) -> dict[str, tuple[tuple[Json, ...], ...]]:
        """What declared functions without a model returned, by function and thread."""
        log = self.interpreter.log = []
        try:
            self._simulated(input_, bounds)
        finally:
            self.interpreter.log = None
        layout = self._program(input_, "direct").layout
        answers: dict[str, list[list[Json]]] = {}
        for callee, thread, value in log:
            if callee not in self.module.functions:  # inline assembly, for which nobody can give results
                continue
            streams = answers.setdefault(callee, [[] for _ in range(input_.threads)])
            streams[thread].append(plain(value, self.module.functions[callee].type.result, layout))
        return {name: tuple(map(tuple, streams)) for name, streams in answers.items()}

    def _simulated(self, input_: Input, bounds: Bounds, patterns: tuple[int, ...] = ZEROS) -> Simulated:
        self._begin(input_, patterns)
        program = self._in_lock_step(super()._program(input_, "direct"))
        return simulate_machine(program, self._launch(program, input_), self.machine, None, bounds.limits)

    def _in_lock_step(self, program: Program) -> Program:
        """The program for a machine that makes no choices."""
        known = self._plain.get(id(program))
        if known is None:
            settings = replace(program.settings, order="columns")
            known = self._plain[id(program)] = runnable(self.module, settings)
        return known

    def _undecided(self, simulated: Simulated) -> Open | None:
        machine = simulated.machine
        if machine is not None and machine.memory.undef_reads:
            return ValueTaken("undef", tuple(machine.memory.undef_reads))
        if machine is not None and depends_on_order(machine.log):
            return OneOrder()
        return self._open


class LoweredCode(IpdomModel):
    """The function on the ``machine`` that its code was lowered for. What the outside sees is what it is of
    the source, which no lock-step machine runs."""

    def __init__(
        self,
        module: Module,
        function: Function,
        setting: Setting,
        pool: Sequence[int],
        names: frozenset[str],
        machine: str,
    ) -> None:
        super().__init__(module, function, setting, pool, names)
        self.machine = machine

    def _in_lock_step(self, program: Program) -> Program:
        return program


def _unmodelled_calls(simulated: Simulated, identity: Hashable) -> Mapping[Hashable, frozenset[str]]:
    """:attr:`Outcomes.unmodelled` of the one run."""
    return {} if simulated.run is None else {identity: asked_in(simulated.run)}


def _waiting(simulated: Simulated) -> tuple[Waiting, ...]:
    """A hang has lanes that wait for lanes, which no deadlock of the definition has."""
    return ()
