"""Who writes where in one legal execution: the threads, the instruction, and the convergent operation that
the stored value comes from."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..alignment.instances import StaticInstance
from ..ir.calls import is_convergent
from ..ir.instructions import CallSite, Instruction, Phi
from ..ir.module import Module
from ..ir.operands import Local
from ..semantics.machine.choice import Replay
from ..semantics.machine.launch import LaunchSpec, launch_groups
from ..semantics.machine.log import Accessed, Log, Stepped
from ..semantics.machine.machine import Machine
from ..semantics.machine.program import name_of
from ..semantics.machine.run import execute
from ..semantics.machine.start import runnable, start
from ..semantics.memory.bytes import Touch
from ..semantics.threads.liveness import uses


@dataclass(frozen=True, slots=True)
class WriterThreads:
    """The ``threads`` that write to some bytes, with the ``lanes`` that they are of their subgroups; the line
    of the source at which the first of them does, and the convergent ``operation`` that its value, or whether
    it comes there, hangs from, where there is one."""

    threads: tuple[int, ...] = ()
    lanes: tuple[int, ...] = ()
    line: int | None = None
    operation: str | None = None


@dataclass(slots=True)
class Writers:
    """One legal execution of a launch, step by step, to be asked who writes where."""

    module: Module
    machine: Machine
    _writes: list[tuple[int, Touch, StaticInstance | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        waiting: dict[int, list[Touch]] = {}
        for event in self.machine.log:
            if isinstance(event, Accessed) and event.touched.write:
                waiting.setdefault(event.thread, []).append(event.touched)
            elif isinstance(event, Stepped):  # it is logged when its accesses have been
                for touch in waiting.pop(event.thread, ()):
                    self._writes.append((event.thread, touch, event.site))
        for thread, touches in waiting.items():
            self._writes += [(thread, touch, None) for touch in touches]

    def at(self, variable: str, offset: int, size: int) -> WriterThreads:
        """Who writes to so many bytes of a variable."""
        program, launch = self.machine.program, self.machine.launch
        provenance = program.context.address_of(variable).provenance
        if provenance is None:
            return WriterThreads()
        here = [
            (thread, site) for thread, touch, site in self._writes
            if touch.object == provenance.id and touch.start < offset + size and offset < touch.stop
        ]  # fmt: skip
        first = {
            thread: group.first
            for group in launch_groups(launch, program.module)
            for thread in range(group.first, group.first + group.size)
        }
        threads = sorted({thread for thread, _ in here})
        lanes = tuple(thread - first[thread] for thread in threads)
        site = next((site for _, site in here if site is not None), None)
        if site is None:
            return WriterThreads(tuple(threads), lanes)
        instruction = self.module.functions[site.function].instructions[site.index]
        span = getattr(instruction, "span", None)
        line = None if span is None or span.start < 0 else self.module.source.position(span.start)[0]
        return WriterThreads(tuple(threads), lanes, line, self._operation(site))

    def _operation(self, site: StaticInstance) -> str | None:
        """The nearest convergent operation among what an instruction's operands come from."""
        function = self.module.functions[site.function]
        definitions = {i.result: n for n, i in enumerate(function.instructions) if i.result is not None}
        left, known = [site.index], {site.index}
        while left:
            number = left.pop(0)
            instruction = function.instructions[number]
            if isinstance(instruction, CallSite) and number != site.index:
                if is_convergent(self.module, instruction):
                    return name_of(self.module, StaticInstance(site.function, number))
            for name in _read(instruction):
                at = definitions.get(name)
                if at is not None and at not in known:
                    known.add(at)
                    left.append(at)
        return None


def _read(instruction: Instruction) -> list[str]:
    """The values that an instruction, or a phi, may hand on."""
    if isinstance(instruction, Phi):
        return [value.name for value, _ in instruction.incoming if isinstance(value, Local)]
    return [*uses(instruction)]


LONGEST = 200_000
"""Instructions of an execution that is made again step by step."""


def writers(module: Module, spec: LaunchSpec) -> Writers | None:
    """One legal execution, made again step by step; ``None`` of one that is too long for that. Raises
    UsageError and NotModelled."""
    run = execute(module, spec, None, None)
    if run.steps > LONGEST:
        return None
    program = runnable(run.machine.program.module, run.machine.program.settings)
    choices = Replay(tuple(choice.option for choice in run.choices))
    machine = start(program, run.machine.launch, choices, Log(detailed=True))
    machine.run(spec.limits.steps)
    return Writers(module, machine)
