"""What the user gives a run, as runtime values: arguments, inputs, paths, the function to launch."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from difflib import get_close_matches
from functools import partial
from numbers import Real
from reprlib import repr as short
from typing import TYPE_CHECKING, Any, TypedDict, TypeGuard, Unpack, get_args

from ...frozen import dataclass
from ...ir import ArrayType, PointerType, StructType, Type, VectorType
from ...ir.calls import Control, callee_name, control
from ...ir.cfg import Order
from ...ir.instructions import CallSite
from ...ir.module import Function, Module, Parameter, is_thread_local
from ...ir.targets import (
    WorkgroupRule,
    cluster_size,
    is_launched,
    most_workgroups,
    wave_size,
    workgroup_rules,
    workgroup_size,
)
from .. import Clock, UsageError, alternatives, clock_of, option
from ..convergence import LaunchGroup
from ..memory.globals import given_variable, needs_environment, object_type, provide
from ..operations import SINGLE, Extent, Grid, Prepare, Subgroup, ThreadPlace
from ..values import NULL, Composite, RuntimeValue, Unknown, Value
from ..values.context import Context, Given, poison, value_of
from .program import ABSENT, PRESENT, EngineKind, Program, Uncontrolled, is_weak

if TYPE_CHECKING:
    from ...ir.module import Function, Module
    from ..memory.allocations import Memory
    from ..values.context import Context
    from .buffers import PlacedBuffer


def launched_function(module: Module, name: str | None) -> Function:
    """The function that is launched: the named one, else the only kernel or, where there is none, the only
    definition; of several, the only one with an entry intrinsic, else the only one that no other definition
    calls. A kernel is what the environment launches: OpEntryPoint names one, and a function that it calls is
    none, though only that may have an entry intrinsic. Raises UsageError."""
    if name is not None:
        function = module.functions.get(name.removeprefix("@"))
        if function is None or function.is_declaration:
            word = f"@{name.removeprefix('@')}"
            known = alternatives(word, (f"@{f.name}" for f in module.definitions()))
            raise UsageError(f"there is no definition of {word}{known}")
        return function
    definitions = module.definitions()
    if not definitions:
        raise UsageError("the module defines no function")
    launchable = [f for f in definitions if is_launched(module, f)] or definitions
    with_entry = [f for f in launchable if any(control(i) is Control.ENTRY for i in f.instructions)]
    called = {
        callee_name(i)
        for f in definitions
        for i in f.instructions
        if isinstance(i, CallSite) and callee_name(i) != f.name
    }
    roots = [f for f in launchable if f.name not in called]
    for candidates in (launchable, with_entry, [f for f in with_entry if f in roots], roots):
        if len(candidates) == 1:
            return candidates[0]
    names = ", ".join(f"@{f.name}" for f in launchable)
    raise UsageError(f"which function is launched? Give one of {names} with {option('function')}")


def argument_of(value: Given, parameter: Parameter, context: Context, what: str) -> RuntimeValue:
    """A given value as the argument of a launched function: poison where a pointer has not the memory behind
    it that the parameter promises, which is then undefined (LangRef, ``dereferenceable``: it implies
    ``noundef``)."""
    argument = value_of(value, parameter.type, context, what)
    if not isinstance(argument, Value) or not isinstance(parameter.type, PointerType):
        return argument
    from ..instructions.promises import promised_bytes

    bytes_, bytes_or_null = promised_bytes(context.module.resolve(parameter.attributes))
    if _has_behind(argument, bytes_, False) and _has_behind(argument, bytes_or_null, True):
        return argument
    return poison(parameter.type, context.layout, context.domain)


def _has_behind(pointer: Value, size: int, null: bool) -> bool:
    """Whether so many bytes of an object lie behind a pointer, or it may be ``null`` and is; true of an
    object whose size its declaration leaves open, and of what is known to be poison anyway."""
    provenance = pointer.provenance
    if not size or provenance is None or pointer.poison is not False:
        return True
    if provenance is NULL:
        return null and pointer.bits == 0
    offset = pointer.bits - provenance.base
    return provenance.size == 0 or (offset >= 0 and offset + size <= provenance.room)


def arguments_of(
    function: Function, arguments: Mapping[str, object], threads: int, context: Context
) -> tuple[list[list[object]], bool]:
    """Per thread the launched function's arguments; and whether some are unknown for want of a value.

    ``arguments`` maps a parameter's name (``%x`` or ``x``) to one value for all threads or to a list of
    one per thread. Raises UsageError.
    """
    by_name = {name.removeprefix("%"): value for name, value in arguments.items()}
    known = [p.name for p in function.parameters]
    for name in by_name:
        if name not in known:
            shown = ", ".join(f"%{n}" for n in known) or "none"
            raise UsageError(f"@{function.name} has no parameter %{name}; it has: {shown}")
    columns: list[list[object]] = []
    alike = True
    for parameter in function.parameters:
        if parameter.name not in by_name:
            columns.append([Unknown(parameter.name, isinstance(parameter.type, PointerType))] * threads)
            continue
        value: Any = by_name[parameter.name]
        what = f"argument %{parameter.name}"
        several = is_per_thread(value, parameter.type) and len(value) != 1
        if not several:
            only = value[0] if is_per_thread(value, parameter.type) else value
            columns.append([argument_of(only, parameter, context, what)] * threads)
            continue
        alike, per_thread = False, list(value)
        if len(per_thread) != threads:
            launched = f"{threads} thread{'s' * (threads != 1)}"
            raise UsageError(
                f"{what}: {len(per_thread)} values are given for {launched}: see {option('threads')}"
            )
        columns.append([argument_of(v, parameter, context, what) for v in per_thread])
    unknown = any(isinstance(column[0], Unknown) for column in columns if column)
    if alike:  # one row for all: there may be very many
        return [[column[0] for column in columns]] * threads, unknown
    return [[column[t] for column in columns] for t in range(threads)], unknown


def is_per_thread(value: object, type_: Type) -> TypeGuard[Sequence[Any]]:
    """Whether a list is one value per thread; for an aggregate parameter its elements are lists, too."""
    if not isinstance(value, list | tuple):
        return False
    if isinstance(type_, VectorType | ArrayType | StructType):
        return bool(value) and isinstance(value[0], list | tuple | str | Composite)
    return True


def inputs_of(
    module: Module, inputs: Mapping[str, Sequence[Sequence[Given]]], threads: int, context: Context
) -> dict[str, list[list[RuntimeValue]]]:
    """Per declared function and thread what its calls return, in order; one stream serves all threads."""
    by_function: dict[str, list[list[RuntimeValue]]] = {}
    for name, streams in inputs.items():
        name = module.named(name.removeprefix("@"))
        function = module.functions.get(name)
        if function is None or not function.is_declaration:
            raise UsageError(f"{option('input', key='@' + name)}: the module does not declare that function")
        what, type_ = f"the input of @{name}", function.type.result
        values = [[value_of(v, type_, context, what) for v in stream] for stream in streams]
        if len(values) == 1:
            values *= threads
        if len(values) != threads:
            raise UsageError(f"{what}: {len(values)} streams are given for {threads} threads")
        by_function[name] = values
    return by_function


def absent_of(module: Module, arguments: Mapping[str, object]) -> frozenset[str]:
    """The symbols that are given as not there. Raises UsageError for one that must be, and for anything else
    that is said of a function than that."""
    names: set[str] = set()
    for name, value in arguments.items():
        name, word = name.removeprefix("@"), _word(value)
        if name in module.functions and word not in (ABSENT, PRESENT):
            raise UsageError(f"@{name} is a function: it is {PRESENT} or {ABSENT}")
        if name in module.functions or word == ABSENT:
            if not is_weak(module, name):
                raise UsageError(f"@{name} is not extern_weak: it is there")
            if word == ABSENT:
                names.add(name)
    return frozenset(names)


def _word(value: object) -> object:
    """What is given, if it is one thing."""
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def contents_of(
    module: Module, arguments: Mapping[str, object], threads: int, context: Context
) -> dict[str, tuple[RuntimeValue, ...]]:
    """What is given for the contents of variables at the launch: one value of the variable's type, or, for a
    thread_local one, one per thread. Raises UsageError."""
    contents: dict[str, tuple[RuntimeValue, ...]] = {}
    for name, value in arguments.items():
        name = name.removeprefix("@")
        if name in module.functions or _word(value) == ABSENT:
            continue
        variable = given_variable(module, name)
        shown = f"argument {name}" if name.startswith("%") else f"the variable @{name}"
        what, type_ = shown, context.layout.resolve(object_type(variable, context.layout))
        listed: Any = value
        values = list(listed) if is_per_thread(listed, type_) else [listed]
        if is_thread_local(variable):
            if len(values) not in (1, threads):
                launched = f"{threads} thread{'s' * (threads != 1)}"
                raise UsageError(
                    f"{what}: {len(values)} values are given for {launched}: see {option('threads')}"
                )
        elif len(values) != 1:
            if not isinstance(type_, VectorType | ArrayType | StructType):
                raise UsageError(f"{what} is shared by all threads: it takes one value")
            values = [listed]
        contents[name] = tuple(value_of(v, type_, context, what) for v in values)
    return contents


def unequal_paths(paths: int, threads: int) -> UsageError:
    """There are not as many paths as threads."""
    number = "1 path is" if paths == 1 else f"{paths} paths are"
    return UsageError(f"{number} given for {threads} thread{'s' * (threads != 1)}")


def paths_of(function: Function, words: Sequence[Sequence[str]], threads: int) -> tuple[tuple[str, ...], ...]:
    """One path of block names per thread. Raises UsageError for names that are no blocks."""
    if len(words) != threads:
        raise unequal_paths(len(words), threads)
    blocks = {b.name for b in function.blocks}
    paths = tuple(tuple(name.removeprefix("%") for name in path) for path in words)
    for number, path in enumerate(paths):
        for name in path:
            if name not in blocks:
                raise UsageError(
                    f"the path of thread {number} names %{name}, which is no block of @{function.name}"
                )
    return paths


# ----------------------------------------------------------------------------------------------------------
# How the environment starts threads, and which of them form a launch group (semantics.md, §1).
# ----------------------------------------------------------------------------------------------------------


SHAPES = 8
"""Shapes of launches whose groups are kept: a comparison goes to and fro between few."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How the environment starts threads: ``threads`` of them in all run ``function``, in launch groups of
    ``subgroup_size`` (``None``: one for each workgroup). ``arguments`` are per thread, ``paths`` the blocks
    to take. ``contents`` are what variables hold at the launch: one value, or one per thread of what each
    thread has for itself. There is a ``grid`` of workgroups, each of so many threads along x, y and z as
    ``workgroup`` says; ``None``: all threads are one, along x. ``dimensions`` is OpenCL's work dimension.
    ``buffers`` are the objects that it was given, by the parameter's or variable's name."""

    function: str
    threads: int = 1
    subgroup_size: int | None = None
    arguments: Sequence[Sequence[Any]] = ()
    paths: Sequence[Sequence[str]] | None = None
    contents: Mapping[str, Sequence[RuntimeValue]] = field(default_factory=dict)
    buffers: Mapping[str, PlacedBuffer] = field(default_factory=dict)
    grid: Extent = SINGLE
    workgroup: Extent | None = None
    dimensions: int | None = None

    @property
    def workgroup_threads(self) -> int:
        """How many threads a workgroup has."""
        return max(self.threads, 1) if self.workgroup is None else self.workgroup.volume

    @property
    def workgroups(self) -> int:
        """How many workgroups there are."""
        return self.grid.volume


def launch_groups(launch: Launch, module: Module) -> dict[LaunchGroup, Subgroup]:
    """D-ENTRY: the environment partitions the threads of each workgroup; the last group may be smaller. Each
    launch group, in order, with the subgroup that models see. Where the module says how many lanes a wave
    has, a group is a wave of which all lanes run, or as many of the first as is asked for. Raises UsageError
    if these are too many."""
    function = module.functions[launch.function]
    wave, threads = wave_size(module, function), launch.workgroup_threads
    size = launch.subgroup_size or wave or threads
    if wave is not None and size > wave:
        raise UsageError(f"a subgroup of {size} threads: a wave has {wave} lanes in @{launch.function}")
    room = wave or size
    step = room if launch.workgroup is None else size  # from one subgroup to the next, as the program counts
    lanes = [min(size, threads - first) for first in range(0, threads, size)]
    lane_count = (len(lanes) - 1) * step + lanes[-1]
    grid = _grid(launch, lane_count, module, function)
    groups: dict[LaunchGroup, Subgroup] = {}
    for number in range(launch.workgroups):
        start = number * threads
        for place, count in enumerate(lanes):
            group = LaunchGroup(len(groups), start + place * size, count, number)
            groups[group] = Subgroup(room, group.first, lane_count, place, wave, place * step, number, grid)
    return groups


def groups_of(program: Program, launch: Launch) -> dict[LaunchGroup, Subgroup]:
    """:func:`launch_groups`, once for all runs of launches that differ in arguments and contents alone."""
    shape = (
        launch.function, launch.threads, launch.subgroup_size, launch.grid, launch.workgroup,
        launch.dimensions,
    )  # fmt: skip
    groups: dict[LaunchGroup, Subgroup] | None = program.grouped.get(shape)
    if groups is None or not program.settings.shares:
        if len(program.grouped) == SHAPES:
            program.grouped.clear()
        groups = program.grouped[shape] = launch_groups(launch, program.module)
    return groups


def launched_memory(program: Program, launch: Launch) -> Memory:
    """Memory as it is for one run of a launch. What runtimes put there for a kernel never changes, so that
    all runs of a launch share it."""
    memory = program.launched_memory(launch.contents)
    memory.workgroups, memory.workgroup_threads = launch.workgroups, launch.workgroup_threads
    if program.needs_environment:
        known = program.furnished
        if known is None or known[0] is not launch:
            before = dict(memory.allocations)
            furnish(memory, program.context, launch)
            allocations = {n: a for n, a in memory.allocations.items() if before.get(n) is not a}
            known = program.furnished = launch, allocations, memory.contents_of
        memory.allocations.update(known[1])
        memory.contents_of = known[2]
    return memory


def furnish(memory: Memory, context: Context, launch: Launch) -> None:
    """Gives memory what a launch says of it: its workgroups, and what runtimes put there for a kernel."""
    memory.workgroups, memory.workgroup_threads = launch.workgroups, launch.workgroup_threads
    if needs_environment(context.module):
        groups = launch_groups(launch, context.module)
        grid = next(iter(groups.values())).grid
        function = context.module.functions[launch.function]
        memory.contents_of = {}
        provide(memory, context, grid, function, launch.arguments, partial(_place, launch, groups))


def _place(launch: Launch, groups: Mapping[LaunchGroup, Subgroup], thread: int) -> ThreadPlace:
    """Where a thread is."""
    launched = [*groups]
    workgroup, number = divmod(thread, launch.workgroup_threads)
    group = launched[workgroup * (len(launched) // launch.workgroups) + number // launched[0].size]
    return ThreadPlace(thread, thread - group.first, groups[group])


def _grid(launch: Launch, size: int, module: Module, function: Function) -> Grid:
    """The grid that a program sees. Where fewer threads run than the kernel says that a workgroup has, it
    sees what it says."""
    cluster = Extent(*cluster_size(module, function) or SINGLE)
    workgroup = launch.workgroup
    if workgroup is None:
        size_of_attributes = workgroup_size(workgroup_rules(module, function))
        workgroup = (
            Extent(size)
            if size_of_attributes is None or Extent(*size_of_attributes).volume < size
            else Extent(*size_of_attributes)
        )
    dimensions = launch.dimensions or max(launch.grid.dimensions, workgroup.dimensions)
    return Grid(launch.grid, workgroup, dimensions, cluster)


@dataclass(frozen=True, slots=True)
class Waves:
    """The waves of a workgroup, whose ``size`` the module says, and how many ``lanes`` of each run.
    ``padded``: the program counts the lanes that do not, as well."""

    size: int
    lanes: tuple[int, ...]
    padded: bool = True

    @property
    def whole(self) -> bool:
        """Whether all lanes run."""
        return all(lanes == self.size for lanes in self.lanes)


def waves_of(module: Module, launch: Launch) -> Waves | None:
    """The waves of a launch; ``None`` where the module does not say how many lanes one has."""
    wave = wave_size(module, module.functions[launch.function])
    if wave is None:
        return None
    workgroup = replace(launch, grid=SINGLE, threads=launch.workgroup_threads)
    return Waves(
        wave, tuple(group.size for group in launch_groups(workgroup, module)), launch.workgroup is None
    )


def partial_waves(waves: Waves | None) -> tuple[str, ...]:
    """In words, that not all lanes of the waves run, if so. Where more than one wave is launched and lanes
    are missing in between, the program sees other thread numbers than we show."""
    if waves is None or waves.whole:
        return ()
    first, *rest = waves.lanes
    if not rest:
        return (f"{first} of the {waves.size} lanes of a wave run",)
    if first == waves.size:
        return (f"{rest[-1]} of the {waves.size} lanes of the last wave run",)
    last = "" if rest[-1] == first else f", {rest[-1]} of the last one"
    if not waves.padded:
        return (f"{first} of the {waves.size} lanes of each wave run{last}",)
    where = f"the program sees the first thread of the second wave as thread {waves.size}"
    return (f"{first} of the {waves.size} lanes of each wave run{last}: {where}",)


# -- What is asked for: a launch and its bounds, as everything that executes a module takes them

STEPS = 10_000_000
"""``max_steps`` where nobody says otherwise."""
NATIVE_STEPS = 100_000
"""``max_steps`` for each thread of a launch that runs natively from begin to end, where nobody says otherwise
and that is more: a thread has as much then as in a hundred threads here, at two hundred times the speed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far to look; ``None``: as far as whoever executes does by itself.

    ``max_steps`` bounds the instructions of one execution (the issue slots of a machine), ``timeout`` the
    seconds in all, ``max_executions`` the executions that are looked at, ``max_alignments`` the alignments
    that are looked for, ``max_launches`` the inputs that ``refine`` tries. ``deadline`` is when the seconds
    are over, where they have begun (:meth:`begun`): what a command does one after the other shares them.
    ``cpu``: the seconds are of processor time.
    """

    max_steps: int | None = None
    timeout: float | None = None
    max_executions: int | None = None
    max_alignments: int | None = None
    max_launches: int | None = None
    deadline: float | None = None
    cpu: bool = False

    def begun(self) -> Limits:
        """The same limits, whose seconds begin now if they have not begun."""
        return replace(self, deadline=self.clock.deadline)

    def by(self, clock: Clock) -> Limits:
        """The same limits, with the seconds of a clock that was begun."""
        return replace(self, timeout=clock.timeout, deadline=clock.deadline, cpu=clock.cpu)

    @property
    def clock(self) -> Clock:
        """The clock for the seconds, begun now if it was not."""
        return clock_of(self.timeout, self.deadline, self.cpu)

    @property
    def steps(self) -> int:
        """``max_steps``, or :data:`STEPS`."""
        return STEPS if self.max_steps is None else self.max_steps

    def native_steps(self, threads: int) -> int:
        """The bound on a launch of so many threads that runs natively from begin to end."""
        return max(STEPS, NATIVE_STEPS * threads) if self.max_steps is None else self.max_steps


@dataclass(frozen=True)
class LaunchSpec:
    """A launch as asked for, before a program says what it means; the fields are told at
    :func:`convergence.run`. ``verified``: the caller vouches for the static rules."""

    function: str | None = None
    threads: int | None = None
    subgroup_size: int | None = None
    grid: tuple[int, ...] | None = None
    workgroup: tuple[int, ...] | None = None
    partial: bool = False
    arguments: Mapping[str, object] = field(default_factory=dict)
    inputs: Mapping[str, Sequence[Sequence[Given]]] = field(default_factory=dict)
    globals: Mapping[str, object] = field(default_factory=dict)
    buffers: Mapping[str, object] = field(default_factory=dict)
    paths: Sequence[Sequence[str]] | None = None
    uncontrolled: Uncontrolled = "maximal"
    dfs: Order = Order.TEXT
    equal_writes: bool = False
    operations: Mapping[str, Prepare] = field(default_factory=dict)
    verified: bool = False
    engine: EngineKind = "auto"
    jobs: int | None = None
    limits: Limits = Limits()

    def begun(self) -> LaunchSpec:
        """The same launch, whose seconds begin now."""
        return replace(self, limits=self.limits.begun())

    def within(self, **limits: Unpack[LimitOptions]) -> LaunchSpec:
        """The same launch with more limits. Raises TypeError for what is no number."""
        bounds: dict[str, Any] = {
            name: None if value is None else _READ[name](name, value) for name, value in limits.items()
        }
        return replace(self, limits=replace(self.limits, **bounds))


class LimitOptions(TypedDict, total=False):
    """:class:`Limits` as keywords."""

    max_steps: int | None
    timeout: float | None
    max_executions: int | None
    max_alignments: int | None
    max_launches: int | None


class LaunchOptions(TypedDict, total=False):
    """:class:`LaunchSpec` as keywords, as the front door takes them."""

    function: str | None
    threads: int | None
    subgroup_size: int | None
    grid: int | Sequence[int] | None
    workgroup: int | Sequence[int] | None
    partial: bool | None
    arguments: Mapping[str, object] | None
    inputs: Mapping[str, Sequence[Sequence[Given]]] | None
    globals: Mapping[str, object] | None
    buffers: Mapping[str, object] | None
    paths: Sequence[Sequence[str]] | None
    uncontrolled: Uncontrolled
    dfs: Order
    equal_writes: bool
    operations: Mapping[str, Callable[..., Any]] | None
    verified: bool
    max_steps: int | None
    timeout: float | None


def engine_named(name: str) -> EngineKind:
    """What runs threads, by its name. Raises UsageError for a name that is none."""
    for known in get_args(EngineKind):
        if name == known:
            return known  # type: ignore[no-any-return]
    raise UsageError(f"engine is one of {', '.join(map(repr, get_args(EngineKind)))}, and not {name!r}")


def cores_for(jobs: int | None) -> int | None:
    """How many cores may run workgroups. Raises TypeError, and UsageError for less than one."""
    return None if jobs is None else _count("jobs", jobs)


def launch_spec(**options: Unpack[LaunchOptions]) -> LaunchSpec:
    """A launch from the front door's keywords; ``None`` is what is not given. Raises TypeError for a keyword
    that there is not and for what is of no type that it takes, UsageError for a value that is none."""
    for name in options.keys() - LaunchOptions.__annotations__.keys():
        near = get_close_matches(name, LaunchOptions.__annotations__, n=1)
        raise TypeError(f"there is no keyword {name!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))
    values: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    for name, read in _READ.items():
        if name in values:
            values[name] = read(name, values[name])
    limits = Limits(values.pop("max_steps", None), values.pop("timeout", None))
    return LaunchSpec(**values, limits=limits)


def whole_number(name: str, value: object) -> int:
    """A whole number, numpy's too. Raises TypeError."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is a whole number, and not {short(value)}")
    return int(value.__index__())


def _most(name: str, value: object) -> int:
    """A bound. Raises TypeError, and UsageError for one that is negative."""
    bound = whole_number(name, value)
    if bound < 0:
        raise UsageError(f"{name} is not negative, as {bound} is")
    return bound


def _count(name: str, value: object) -> int:
    """How many are looked at. Raises TypeError, and UsageError for less than one: nothing comes of it."""
    count = whole_number(name, value)
    if count < 1:
        raise UsageError(f"{name} is at least 1, and not {count}")
    return count


def _seconds(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not float(value) >= 0:
        raise TypeError(f"{name} is a number of seconds, and not {short(value)}")
    return float(value)


def _mapping(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        example = f"{{{_KEYS[name]!r}: ...}}"
        raise TypeError(f"{name} is a mapping from names, as in {example}, and not {short(value)}")
    return value


def _values(name: str, value: object) -> Mapping[str, Any]:
    """A mapping from names to values: numpy's arrays, and whatever else can be gone through, as a ``range``
    or a generator, are lists."""
    return {key: _listed(given) for key, given in _mapping(name, value).items()}


def _operations(name: str, value: object) -> Mapping[str, Prepare]:
    """Models of declared functions, as the dictionary OPERATIONS of a file has them."""
    functions = _mapping(name, value)
    if not functions:
        return functions
    from ..operations.user import user_operations

    return user_operations(functions, sought=True)


def _listed(value: Any) -> Any:
    if isinstance(value, str | bytes | Mapping | Value | Composite):
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    return [_listed(part) for part in value] if isinstance(value, Iterable) else value


def _function(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is a function's name, and not {short(value)}")
    return value


def _paths(name: str, value: object) -> tuple[tuple[str, ...], ...]:
    """Per thread the names of its blocks, also in one string as on the command line."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(
            f"{name} has a path for each thread, as in [['A', 'B'], ['A', 'C']], and not {short(value)}"
        )
    paths = tuple(tuple(shlex.split(path) if isinstance(path, str) else path) for path in value)
    if not all(isinstance(block, str) for path in paths for block in path):
        raise TypeError(f"{name} has names of blocks, and not {short(value)}")
    return paths


def _uncontrolled(name: str, value: Any) -> Uncontrolled:
    if value not in get_args(Uncontrolled):
        known = ", ".join(map(repr, get_args(Uncontrolled)))
        raise UsageError(f"{name} is one of {known}, and not {value!r}")
    mode: Uncontrolled = value
    return mode


def _yes_or_no(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{name} is True or False, and not {short(value)}")
    return value


def _order(name: str, value: object) -> Order:
    try:
        return Order(value)
    except ValueError:
        known = ", ".join(repr(order.value) for order in Order)
        raise UsageError(f"{name} is one of {known}, and not {value!r}") from None


def _sizes(name: str, value: Any) -> tuple[int, ...]:
    """One to three positive numbers. Raises UsageError."""
    if isinstance(value, str) or not (isinstance(value, Iterable) or hasattr(value, "__index__")):
        raise TypeError(f"a {name} has one to three positive sizes, along x, y and z: {value!r} are none")
    sizes = tuple(value) if isinstance(value, Iterable) else (int(value),)
    if not 1 <= len(sizes) <= 3 or not all(isinstance(size, int) and size >= 1 for size in sizes):
        raise UsageError(f"a {name} has one to three positive sizes, along x, y and z: {value!r} are none")
    return sizes


_KEYS = {
    "arguments": "x", "inputs": "f", "globals": "g", "buffers": "out", "operations": "f",
}  # fmt: skip
"""What a key of these mappings may be."""
_READ: Mapping[str, Callable[[str, Any], object]] = {
    **dict.fromkeys(("threads", "subgroup_size"), whole_number),
    **dict.fromkeys(("max_executions", "max_alignments", "max_launches"), _count),
    **dict.fromkeys(("grid", "workgroup"), _sizes),
    **dict.fromkeys(_KEYS, _mapping),
    **dict.fromkeys(("arguments", "inputs", "globals"), _values),
    "operations": _operations,
    "max_steps": _most,
    "function": _function,
    "timeout": _seconds,
    "paths": _paths,
    "uncontrolled": _uncontrolled,
    "dfs": _order,
    "partial": _yes_or_no,
    "equal_writes": _yes_or_no,
}
"""How each keyword is read that may be given wrongly."""


# -- From what is asked for to how many threads there are


@dataclass(frozen=True, slots=True)
class LaunchShape:
    """Which threads are launched: how many, in which ``grid`` of which ``workgroup`` (``None``: the short
    form, all along x), of how many ``dimensions``."""

    threads: int
    grid: Extent = SINGLE
    workgroup: Extent | None = None
    dimensions: int | None = None


def shaped(launch: Launch, shape: LaunchShape) -> Launch:
    """A launch of as many threads in this shape."""
    return replace(launch, grid=shape.grid, workgroup=shape.workgroup, dimensions=shape.dimensions)


def shape_of(module: Module, function: Function, spec: LaunchSpec, paths: int | None = None) -> LaunchShape:
    """The shape that is asked for; what is not asked for the kernel's attributes say, else it is 1. ``paths``
    is how many there are, if any. Fewer threads than attributes ask for are an error, unless the launch is
    to be ``partial``. Raises UsageError."""
    size, name = spec.subgroup_size, f"@{function.name}"
    if (spec.threads is not None and spec.threads < 1) or (size is not None and size < 1):
        raise UsageError("there must be at least one thread, and one lane per subgroup")
    rules = workgroup_rules(module, function)
    required = workgroup_size(rules)
    grid = SINGLE if spec.grid is None else Extent(*spec.grid)
    count = spec.threads if spec.threads is not None else paths
    if spec.partial and (count is None or grid != SINGLE or spec.workgroup is not None):
        raise UsageError(
            f"{option('partial')} goes with {option('threads', 'N')}: so many of a workgroup run"
        )
    if spec.workgroup is not None:
        workgroup = Extent(*spec.workgroup)
    elif count is not None and grid == SINGLE:
        return _short(count, rules, name, spec.partial)
    elif required is not None:
        workgroup = Extent(*required)
    elif count is not None and spec.threads is None:
        workgroup = Extent(max(count // grid.volume, 1))
    else:
        workgroup = Extent(max([rule.least for rule in rules], default=1))
        if spec.grid is None and workgroup == SINGLE:
            return LaunchShape(1)
    if spec.threads is not None and (grid.volume > 1 or workgroup.volume != spec.threads):
        options = [] if grid.volume == 1 else [option("grid", grid)]
        options += [] if spec.workgroup is None else [option("workgroup", workgroup)]
        sentence = f"{option('threads', spec.threads)} is one workgroup of {_threads(spec.threads)}"
        raise UsageError(f"{sentence}, which contradicts {' and '.join(options)}")
    _fits(grid.volume * workgroup.volume)
    for rule in rules:
        if not rule.keeps(workgroup):
            raise UsageError(f"a workgroup of {_threads_of(workgroup)}: {name} has {rule.name} {rule.value}")
    most = most_workgroups(module, function)
    if most is not None and any(n > m for n, m in zip(grid, most, strict=True)):
        text = ",".join(map(str, most))
        raise UsageError(f"a grid of {grid}: {name} has amdgpu-max-num-workgroups {text}")
    cluster = Extent(*cluster_size(module, function) or SINGLE)
    if spec.grid is not None and any(n % c for n, c in zip(grid, cluster, strict=True)):
        raise UsageError(f"a grid of {grid} is no multiple of the cluster of {cluster} of {name}")
    if spec.workgroup is not None and size is not None and workgroup.volume % size:
        hint = f"{option('threads', workgroup.volume)} launches a last subgroup of fewer"
        words = f"a workgroup of {_threads_of(workgroup)} is no multiple of the subgroup size {size}"
        raise UsageError(f"{words} ({hint})" if grid.volume == 1 else words)
    asked_for = max(len(sizes or ()) for sizes in (spec.grid, spec.workgroup))
    threads = grid.volume * workgroup.volume
    if paths is not None and paths != threads:
        raise unequal_paths(paths, threads)
    dimensions = max(asked_for, grid.dimensions, workgroup.dimensions)
    return LaunchShape(threads, grid, workgroup, dimensions)


def _short(count: int, rules: Sequence[WorkgroupRule], name: str, partial: bool) -> LaunchShape:
    """One workgroup of so many threads: along x, or as attributes say. ``partial``: the first so many of
    it."""
    _fits(count)
    broken = [rule for rule in rules if not rule.holds(count)]
    if broken and not (partial and all(rule.exceeds(count) for rule in broken)):
        rule = broken[0]
        hint = f" ({option('partial')} runs the first of it)" if rule.exceeds(count) else ""
        raise UsageError(f"a workgroup of {_threads(count)}: {name} has {rule.name} {rule.value}{hint}")
    exact = next((rule.size for rule in rules if rule.size is not None), None)
    if broken or exact is None:
        return LaunchShape(count)
    return LaunchShape(count, SINGLE, Extent(*exact))


def is_partial(module: Module, function: Function, threads: int) -> bool:
    """Whether so many threads are fewer than a workgroup of a function has, as it says."""
    return any(rule.exceeds(threads) for rule in workgroup_rules(module, function))


STATE = 6_000
"""Bytes of memory that the state of a thread takes at least."""


def _fits(threads: int) -> None:
    """Raises UsageError for more threads than there is memory for."""
    room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if threads * STATE > room:
        needed, there = (f"{size / (1 << 30):,.0f} GiB" for size in (threads * STATE, room))
        raise UsageError(f"{threads:,} threads: their state takes {needed} of memory, and there are {there}")


def _threads(count: int) -> str:
    return f"{count} thread{'s' * (count != 1)}"


def _threads_of(workgroup: Extent) -> str:
    """``8,4 threads``."""
    return f"{workgroup} threads" if workgroup.dimensions > 1 else _threads(workgroup.x)
