"""A launch that shows something, for a program of which nobody said how it is launched.

What an editor fills its form with: the function, the threads and the values that are not given, chosen among
what a comparison would try (:mod:`.inputs`), so that threads part and much of the function is seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from itertools import islice
from math import prod

from ...frozen import dataclass
from ...ir.calls import callee_name
from ...ir.instructions import CallSite, Load
from ...ir.module import Function, Module
from ...ir.types import PointerType
from ...ir.workgroups import workgroup_rules, workgroup_size
from ...semantics.errors import NotModelled, Returned, UsageError
from ...semantics.machine.arguments import launched_function
from ...semantics.machine.launch import LaunchSpec
from ...semantics.machine.run import Run, execute
from ...semantics.values.datalayout import layout_of
from ...semantics.values.elements import element_of
from ..sides.side import called_parameters
from .inputs import InputDomain, Space, constants, domain_of, inputs, one_value
from .launch import Argument

THREADS = 4
"""Threads of a launch of which nobody says how many: enough to part twice, few enough for a picture."""
TRIED = 16
"""Launches that are tried at most, but for those that change one argument of the best."""
STEPS = 400
"""Instructions a thread at most in one of them: a picture of more is no first picture."""
BUFFERS = ("{}[64]:0,1,2,3,...", "{}[64]")
"""What a pointer points to: numbers that differ from thread to thread, or zeros; of what type, in words."""
SOURCE = "src"
"""What the source of two functions to be compared is called, here as in Alive2."""


@dataclass(frozen=True, slots=True)
class LaunchProposal:
    """What was chosen of a launch, and nothing that was given: ``None``, and no name, is what needs no
    choice. ``arguments`` are by parameter, one value per thread; ``buffers`` by parameter, in the words of
    ``--buffer``."""

    function: str | None = None
    threads: int | None = None
    arguments: Mapping[str, tuple[Argument, ...]] = field(default_factory=dict)
    buffers: Mapping[str, str] = field(default_factory=dict)

    def completes(self, spec: LaunchSpec) -> LaunchSpec:
        """A launch with what was chosen."""
        return replace(
            spec,
            function=self.function or spec.function,
            threads=self.threads or spec.threads,
            arguments={**{name: list(values) for name, values in self.arguments.items()}, **spec.arguments},
            buffers={**{f"%{name}": words for name, words in self.buffers.items()}, **spec.buffers},
        )


def proposal(module: Module, spec: LaunchSpec) -> LaunchProposal:
    """What to launch a program with beyond what ``spec`` gives. The bounds and the clock of ``spec`` hold for
    all that is tried. Where nothing that is tried ends well, the first of it. Raises UsageError for a module
    without definitions, and for a function that there is not."""
    function = _function(module, spec.function)
    chosen = None if spec.function is not None or _is_clear(module) else function.name
    workgroup = workgroup_size(workgroup_rules(module, function))
    counted = spec.threads or spec.grid or spec.workgroup or spec.paths or workgroup
    threads = spec.threads or len(spec.paths or ()) or (1 if counted else THREADS)
    start = LaunchProposal(chosen, None if counted else threads)
    steps = STEPS * max(threads, prod(workgroup or (1,)))
    bounded = spec.within(max_steps=min(spec.limits.steps, steps))
    free = _Free(module, function, spec, threads)
    best, most = start, _score(module, start.completes(bounded))
    for attempt in free.attempts(start):
        if spec.limits.clock.hit() is not None:
            return best
        score = _score(module, attempt.completes(bounded))
        if score > most:
            best, most = attempt, score
    for name in best.arguments:
        for attempt in free.neighbours(best, name):
            if spec.limits.clock.hit() is not None:
                return best
            score = _score(module, attempt.completes(bounded))
            if score > most:
                best, most = attempt, score
    return best


def _function(module: Module, name: str | None) -> Function:
    """The function to launch: where it is not clear, the source of a comparison, else the first function that
    no other one calls. Raises UsageError."""
    if name is not None or _is_clear(module):
        return launched_function(module, name)
    definitions = {f.name: f for f in module.definitions()}
    if SOURCE in definitions:
        return definitions[SOURCE]
    calls = (i for f in definitions.values() for i in f.instructions if isinstance(i, CallSite))
    called = {callee_name(i) for i in calls}
    return next(
        (f for name, f in definitions.items() if name not in called), next(iter(definitions.values()))
    )


def _is_clear(module: Module) -> bool:
    """Whether a launch need not say which function it means. Raises UsageError where there is none."""
    if not module.definitions():
        launched_function(module, None)
    try:
        launched_function(module, None)
    except UsageError:
        return False
    return True


class _Free:
    """The parameters of which nobody said what they are, and what is tried for each."""

    def __init__(self, module: Module, function: Function, spec: LaunchSpec, threads: int) -> None:
        given = {name.removeprefix("%") for name in (*spec.arguments, *spec.buffers)}
        callees = _callees(module, function)
        self.callees: dict[str, tuple[Argument, ...]] = {}
        self.pointers: list[str] = []
        self.domains: dict[str, InputDomain | None] = {}
        self.threads = threads
        self.buffers = [words.format(name) for name in _elements(module) for words in BUFFERS]
        layout, known = layout_of(module), constants([function])
        for parameter in function.parameters:
            if parameter.name in given:
                continue
            if parameter.name in callees:
                self.callees[parameter.name] = (f"@{callees[parameter.name]}",)
            elif isinstance(parameter.type, PointerType):
                self.pointers.append(parameter.name)
            else:
                domain = domain_of(parameter.type, known, None, layout)
                if domain is not None and one_value(module, function, parameter):
                    domain = replace(domain, uniform=True)
                self.domains[parameter.name] = domain

    def attempts(self, start: LaunchProposal) -> Iterator[LaunchProposal]:
        """What is tried beyond the function and the threads, which are all that is needed where arguments
        decide nothing."""
        if not (self.callees or self.pointers or self.domains):
            return
        domains = tuple(self.domains.values())
        space = Space(domains, (None,) * len(domains), (self.threads,), self.threads, False)
        tried = islice(inputs(space, TRIED, 0).inputs, TRIED)
        for number, input_ in enumerate(tried if domains else (None,) * len(self.buffers)):
            columns = () if input_ is None else input_.arguments
            arguments = {
                name: values[:1] if len(set(values)) == 1 else values
                for name, values in zip(self.domains, columns, strict=False)
                if values is not None
            }
            buffers = dict.fromkeys(self.pointers, self.buffers[number % len(self.buffers)])
            yield replace(start, arguments={**self.callees, **arguments}, buffers=buffers)

    def neighbours(self, best: LaunchProposal, name: str) -> Iterator[LaunchProposal]:
        """The best with other values of one argument: as they come, thread by thread, and one for all."""
        domain = self.domains.get(name)
        if domain is None:
            return
        values = domain.values[:THREADS]
        spread = () if domain.uniform else (tuple(values[t % len(values)] for t in range(self.threads)),)
        for changed in (*spread, *((value,) for value in values)):
            yield replace(best, arguments={**best.arguments, name: changed})


def _elements(module: Module) -> list[str]:
    """Of what numbers buffers are, in the words of ``--buffer``: of those that the program loads, the two
    most frequent; ``i32`` where it loads none."""
    loads = Counter(i.type for f in module.definitions() for i in f.instructions if isinstance(i, Load))
    known = (element_of(type_) for type_, _ in loads.most_common())
    return [element.name for element in known if element is not None][:2] or ["i32"]


def _callees(module: Module, function: Function) -> dict[str, str]:
    """By parameter that is called, a function of that type."""
    callees: dict[str, str] = {}
    for place, call in called_parameters(module, function).items():
        named = [f.name for f in module.functions.values() if f.type == call.type and f.name != function.name]
        if named:
            callees[function.parameters[place].name] = named[0]
    return callees


def _score(module: Module, spec: LaunchSpec) -> tuple[int, ...]:
    """How much a launch shows: that it ends, that threads part, and how many of the blocks are passed."""
    try:
        run: Run = execute(module, spec)
    except (UsageError, NotModelled):
        return (-1,)
    own = [tuple((visit.function, visit.block) for visit in visits) for visits in run.execution.visits]
    ends = isinstance(run.ending, Returned)
    blocks = {block for strand in own for block in strand}
    return int(ends), len(blocks), min(len(set(own)), 3), -max(map(len, own), default=0)
