"""What is given for a comparison and what is tried for the rest; and a launch where nobody gave one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice
from math import prod
from typing import Any

from ...frozen import dataclass
from ...ir import ArrayType, NamedType, PointerType, StructType, Type, VectorType
from ...ir.calls import callee_name
from ...ir.instructions import CallSite, Load
from ...ir.module import Function, Module, is_input, is_thread_local
from ...ir.targets import most_threads, wave_size, workgroup_rules, workgroup_size
from ...semantics import NotModelled, Returned, UsageError
from ...semantics.machine.bindings import with_arguments
from ...semantics.machine.buffers import ELEMENTS, element_of
from ...semantics.machine.launch import LaunchSpec, absent_of, launched_function, paths_of, shape_of
from ...semantics.machine.program import ABSENT, PRESENT, is_weak, weak_symbols
from ...semantics.machine.run import Run, execute
from ...semantics.memory.globals import object_type
from ...semantics.values.datalayout import Layout, layout_of
from ..sides.outcomes import overwritable
from ..sides.side import ComparedObject, PreparedSide, called_parameters, contents_name, object_name
from .edges import EdgesOfSides, closed_words, float_memory
from .inputs import (
    Assumption,
    InputDomain,
    Space,
    assumed,
    check_assumptions,
    constants,
    domain_of,
    float_constants,
    inputs,
    may_be_poison,
    memories,
    one_value,
    poisons_of,
    within,
)
from .launch import Argument, parameters_read, variables_read

# ----------------------------------------------------------------------------------------------------------
# What is given for a comparison, and what is tried for the rest.
# ----------------------------------------------------------------------------------------------------------


def space_of(
    first: PreparedSide,
    second: PreparedSide,
    spec: LaunchSpec,
    assume: Sequence[Assumption],
    max_launches: int,
) -> Space:
    """What is given, and what is tried for the rest."""
    function, paths = first.function, spec.paths
    sides = (first,) if first is second else (first, second)
    names = [p.name for p in function.parameters]
    check_assumptions(assume, names)
    spec_arguments = with_arguments(spec.arguments, first.pointed)
    arguments = {name.removeprefix("%"): value for name, value in spec_arguments.items()}
    for name in arguments:
        if name not in names:
            shown = ", ".join(f"%{n}" for n in names) or "none"
            raise UsageError(f"@{function.name} has no parameter %{name}; it has: {shown}")
    columns: list[tuple[Argument, ...] | None] = []
    domains: list[InputDomain | None] = []
    both = [f for side in sides for f in side.reached]
    known, layout = constants(both), layout_of(first.module)
    numbers = float_constants(both)
    relaxed = any(side.is_relaxed for side in sides)
    closed = closed_words(both, relaxed)
    for place, parameter in enumerate(function.parameters):
        column = _column(arguments[parameter.name], parameter.type) if parameter.name in arguments else None
        columns.append(column)
        pointer = f"@{object_name(place)}" if isinstance(parameter.type, PointerType) else None
        domain = None if paths is not None else domain_of(parameter.type, known, pointer, layout, numbers)
        if domain is not None:
            domain = within(domain, parameter.type, first.module.resolve(parameter.attributes))
        domain = assumed(domain, parameter.name, parameter.type, assume)
        if domain is not None and closed:
            domain = replace(domain, edges=tuple(e for e in domain.edges if not _mentions(e, closed)))
        if domain is not None and relaxed:
            exact = tuple(edge for edge in domain.edges if not _is_inexact(edge))
            domain = replace(domain, values=tuple(dict.fromkeys(map(_modest, domain.values))), edges=exact)
        if domain is not None and one_value(first.module, function, parameter):
            domain = replace(domain, uniform=True)
        if domain is not None and may_be_poison(first.module, parameter, assume):
            domain = replace(domain, poisons=poisons_of(domain))
        if domain is None and column is None and (scalable := _scalable(parameter.type, first.module)):
            raise NotModelled(f"%{parameter.name}, a value of type {scalable}")
        if domain is None and column is None and paths is None:
            raise UsageError(f"no values of its type are known for parameter %{parameter.name}: give some")
        domains.append(domain)
    variables, more, contents = _variables(sides, spec, known, layout)
    columns += more
    domains += contents
    shape = None
    if spec.grid is not None or spec.workgroup is not None:
        shape = shape_of(first.module, function, spec, len(paths) if paths else None)
    threads = spec.threads if shape is None else shape.threads
    most = min(most_threads(side.module, side.function) for side in sides)
    counts = _thread_counts(threads, columns, paths, max_launches, most)
    if shape is None and counts[0] > most:
        for side in sides:  # what their attributes say of workgroups: an error, as for `run`
            shape_of(side.module, side.function, LaunchSpec(threads=counts[0], partial=True))
    data = ()
    if paths is None and _reads(sides, arguments):
        first_, *others = memories(both)
        floats = float_memory(both, relaxed)
        data = (first_, *(() if floats is None else (floats,)), *others)
    taken = None
    if paths is not None:
        taken = paths_of(function, paths, counts[0])
        paths_of(second.function, paths, counts[0])
    unknown = any(side.asks_unknown_functions for side in sides)
    return Space(
        tuple(domains), tuple(columns), counts, spec.subgroup_size, unknown, taken, variables,
        wave_size(first.module, function), most, shape, data,
    )  # fmt: skip


def edges_between(first: PreparedSide, second: PreparedSide, space: Space) -> EdgesOfSides:
    """What two sides let one try at the edges of what they take."""

    def shared_object(place: int) -> str | None:
        name = object_name(place)
        return name if name in first.objects and name in second.objects else None

    sizes = {
        place: _size(first.objects[name])
        for place in range(len(first.function.parameters))
        if (name := shared_object(place)) is not None
    }
    sides = first, second
    return EdgesOfSides(
        [side.module for side in sides], [side.reached for side in sides], [side.function for side in sides],
        shared_object, space.wave, any(side.is_relaxed for side in sides),
        lambda: _calls_may_write(first, second), space.subgroup_size, sizes,
    )  # fmt: skip


def movable_pointers(first: PreparedSide, second: PreparedSide, space: Space) -> dict[int, dict[str, int]]:
    """The parameters, by their places, that are ours to choose for each thread apart, and that point to what
    the comparison made; for each the objects that it may point into, with their bytes."""
    parameters = first.function.parameters
    sizes = {
        name: _size(first.objects[name])
        for name in map(object_name, range(len(parameters)))
        if name in first.objects and name in second.objects
    }
    places = range(len(parameters)) if sizes and space.paths is None else ()
    return {
        place: sizes
        for place in places
        if isinstance(parameters[place].type, PointerType)
        and space.fixed[place] is None
        and (domain := space.domains[place]) is not None
        and not domain.uniform
    }


def _size(compared_object: ComparedObject) -> int:
    """Its bytes."""
    return len(compared_object.numbers) * ELEMENTS[compared_object.element].size


def _calls_may_write(first: PreparedSide, second: PreparedSide) -> bool:
    """Whether functions without a model are called that may write, to the same on both sides."""
    sides = first, second
    if not any(side.calls_what_may_write for side in sides) or any(s.promises_no_writes for s in sides):
        return False
    written = [overwritable(side.module, side.function) for side in sides]
    return written[0] == written[1]


def _scalable(type_: Type, module: Module) -> VectorType | None:
    """A vector of unknown length in a type, if there is one."""
    match type_:
        case VectorType(scalable=True):
            return type_
        case NamedType(name):
            body = module.types.get(name)
            return None if body is None else _scalable(body, module)
        case VectorType(element=element) | ArrayType(element=element):
            return _scalable(element, module)
        case StructType(parts):
            return next((v for v in (_scalable(part, module) for part in parts) if v is not None), None)
        case _:
            return None


MODEST = 1 << 8
"""Floating-point numbers are no larger where flags leave open in which order they are added."""


def _modest(value: Argument) -> Argument:
    """A value without numbers that swallow others."""
    if isinstance(value, tuple):
        return tuple(map(_modest, value))
    return 4.0 if isinstance(value, float) and value > MODEST else value


def _is_inexact(value: Argument) -> bool:
    """Whether a value, or a part of it, is a number at an edge of a floating-point type."""
    return any(map(_is_inexact, value)) if isinstance(value, tuple) else isinstance(value, float)


def _mentions(value: Argument, words: Container[str]) -> bool:
    """Whether a value, or a part of it, is one of these words."""
    if isinstance(value, tuple):
        return any(_mentions(part, words) for part in value)
    return isinstance(value, str) and value in words


def _reads(sides: Sequence[PreparedSide], names: Container[str]) -> bool:
    """Whether either side may look at an object that was made for the comparison, other than one behind a
    parameter that was ``names``."""
    parameters = sides[0].function.parameters
    behind = {object_name(place) for place in range(len(parameters))}
    for side in sides:
        if not side.objects.keys() <= behind:
            return True
        there = [
            place
            for place, parameter in enumerate(parameters)
            if object_name(place) in side.objects and parameter.name not in names
        ]
        looked_at = parameters_read(side.function) if there else frozenset[str]()
        if any(side.function.parameters[place].name in looked_at for place in there):
            return True
    return False


def _variables(
    sides: Sequence[PreparedSide],
    spec: LaunchSpec,
    known: Mapping[int, tuple[int, ...]],
    layout: Layout,
) -> tuple[tuple[str, ...], list[tuple[Argument, ...] | None], list[InputDomain | None]]:
    """The variables whose contents at the launch are inputs, what is given for each, and what is tried. One
    that is given is in one side at least, and one that has no values to try in both sides has none."""
    contents = {name.removeprefix("@"): value for name, value in spec.globals.items()}
    read = {name for side in sides for name in variables_read(side.module, side.reached)}
    names = tuple(sorted(read | contents.keys()))
    weak = {name for side in sides for name in weak_symbols(side.module, side.reached)}
    for side in sides:
        absent_of(side.module, {n: v for n, v in contents.items() if is_weak(side.module, n)})
    columns: list[tuple[Argument, ...] | None] = []
    domains: list[InputDomain | None] = []
    for name in names:
        there = [side.module for side in sides if is_weak(side.module, name)]
        variables = [side.module.globals[name] for side in sides if name in side.module.globals]
        if not variables and there:
            columns.append(_column(contents[name], None) if name in contents else None)
            domains.append(InputDomain((PRESENT, ABSENT), True, True))
            continue
        if not variables:
            raise UsageError(f"there is no global variable @{name}")
        if name in contents and all(v.constant and not is_input(v) for v in variables):
            raise UsageError(f"@{name} is a constant whose contents the program gives")
        types = {object_type(variable, layout) for variable in variables}
        own = all(map(is_thread_local, variables))
        column = _column(contents[name], next(iter(types))) if name in contents else None
        if column is not None and not own and len(column) > 1:
            column = (column,)
        domain = None
        if len(types) == 1 and own == any(map(is_thread_local, variables)):
            domain = domain_of(next(iter(types)), known, f"@{contents_name(name)}", layout)
        if domain is not None and domain.values == (f"@{contents_name(name)}",):
            domain = replace(domain, edges=("null",))
        if domain is not None and not own:
            domain = replace(domain, uniform=True)
            if name in weak:
                domain = replace(domain, values=(*domain.values, ABSENT))
        columns.append(column)
        domains.append(domain)
    return names, columns, domains


def _column(value: object, type_: object) -> tuple[Argument, ...]:
    """One value for all threads, or one per thread, as ``run`` takes them."""
    if not isinstance(value, list | tuple):
        return (_frozen(value),)
    if isinstance(type_, VectorType | ArrayType | StructType):
        if not value or not isinstance(value[0], list | tuple | str):
            return (_frozen(value),)
    return tuple(map(_frozen, value))


def _frozen(value: Any) -> Argument:
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    if isinstance(value, bool):
        return int(value)
    argument: Argument = value
    return argument


def _thread_counts(
    threads: int | None,
    columns: Sequence[tuple[Argument, ...] | None],
    paths: Sequence[Sequence[str]] | None,
    max_launches: int,
    most: int,
) -> tuple[int, ...]:
    """How many threads: as given, as many as something is given for, else two, three, and four if the budget
    allows, and not more than the ``most`` that a workgroup has. Raises UsageError."""
    lengths = {len(c) for c in columns if c is not None and len(c) > 1}
    if paths is not None:
        lengths.add(len(paths))
    if threads is not None:
        if threads < 1:
            raise UsageError("there must be at least one thread")
        if lengths - {threads}:
            raise UsageError(f"{min(lengths - {threads})} values are given for {threads} threads")
        return (threads,)
    if len(lengths) > 1:
        raise UsageError(f"values are given for {' and '.join(map(str, sorted(lengths)))} threads")
    if lengths:
        return (lengths.pop(),)
    usual = (2, 3, 4) if max_launches >= 100 else (2, 3)
    return tuple(count for count in usual if count <= most) or (1,)


# ----------------------------------------------------------------------------------------------------------
# A launch that shows something, for a program of which nobody said how it is launched.
#
# What an editor fills its form with: the function, the threads and the values that are not given, chosen
# among what a comparison would try (:mod:`.inputs`), so that threads part and much of the function is seen.
# ----------------------------------------------------------------------------------------------------------


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
        named = {name.removeprefix("%") for name in (*spec.arguments, *spec.buffers)}
        callees = _callees(module, function)
        self.callees: dict[str, tuple[Argument, ...]] = {}
        self.pointers: list[str] = []
        self.domains: dict[str, InputDomain | None] = {}
        self.threads = threads
        self.buffers = [words.format(name) for name in _elements(module) for words in BUFFERS]
        layout, known = layout_of(module), constants([function])
        for parameter in function.parameters:
            if parameter.name in named:
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
