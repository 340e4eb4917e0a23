"""Launches that are tried beside the others: where types end, pointers meet, a whole wave or a grid runs.

What goes wrong only there is not seen among small numbers: an addition that may no longer overflow, a
signed comparison that became an unsigned one, a load that was moved over a store to the same place, a lane
that two to four threads have not. Each such launch is cheap: one thread where the number of threads is ours
to choose, two if they may hear of each other, one value at an edge while the others are small, and few
instructions of it are run. What is not decided within these is not counted: a loop that goes round as often
as the largest integer says has no end here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from random import Random

from ...frozen import dataclass
from ...ir import ArrayType, FloatType, PointerType, Type, VectorType
from ...ir.calls import callee_name, control, is_convergent
from ...ir.instructions import Binary, CallSite, Conversion, FNeg, Instruction, Load, Store
from ...ir.module import Function, Module, Parameter, is_hidden, is_thread_local
from ...ir.targets import has_own_object
from ...semantics import UsageError
from ...semantics.machine.launch import LaunchShape, LaunchSpec, shape_of
from ...semantics.operations.ids import tells_place
from .inputs import FLOAT_EDGES, PERIOD, InputDomain, Space
from .launch import Argument, Input, Interpretation

MOST = 60
"""Launches at edges at most."""
WAVE, WIDEST = 32, 64
"""Lanes of a wave where nobody says how many it has, and at most."""
PAIR = 2
"""Threads of a launch where one may hear of what another one has."""
FAR = 4
"""Bytes between pointers that meet, but not at the same address: an element of what they point to."""
WITHIN = (2, 1, 3)
"""Bytes behind a word's first one, to which a pointer is tried that is not said to be aligned."""
GRIDS = (((2,), (2,)), ((1,), (2, 2)), ((1, 2), (2,)), ((1,), (1, 2, 2)), ((1, 1, 2), (1, 2)))
"""Workgroups, and threads of each, along x, y and z: few, and along each there are two of both once."""
CROWD = 64
"""Threads of such a launch at most."""
BROKEN = 2
"""For so many launches one more with poison, or a pointer that a program may not count on."""
POISONED = 4
"""Launches in which one parameter has poison: each with other values of the others."""
VARIABLES = 2
"""Variables that one parameter may point to, besides what others point to."""


@dataclass(frozen=True, slots=True)
class EdgeFacts:
    """What is tried at the edges besides values at the ends of types. ``meetings``: places of parameters,
    each with an object of another one that it may point into. ``memories``: what lies in objects, at the ends
    of its types. ``wave``: lanes of a whole wave; 0 if no operation could tell. ``writes``: functions
    without a model may write to memory that somebody looks at. ``grids``: several workgroups along each
    dimension, if an operation may tell of places. ``parts``: places of parameters, each with pointers that
    lie within a word of what they point to, where a text looks at the low bits of addresses."""

    meetings: tuple[tuple[int, str], ...] = ()
    memories: tuple[tuple[int, ...], ...] = ()
    strays: tuple[tuple[int, tuple[str, ...]], ...] = ()
    wave: int = 0
    writes: bool = False
    grids: tuple[LaunchShape, ...] = ()
    parts: tuple[tuple[int, tuple[str, ...]], ...] = ()


def edges(space: Space, facts: EdgeFacts | EdgesOfSides, most: int, seed: int) -> tuple[Input, ...]:
    """At most ``most`` launches at the edges of a space, of each kind some first; where there are few, those
    of few threads: a whole wave takes longer than all the others together. Behind them a share of arguments
    that a caller may, but seldom does, pass. What is not asked for is not looked for: ``facts`` finds out
    what it is asked."""
    if space.paths is not None or most <= 0:
        return ()
    tries = _Edges(space, seed, PAIR if facts.wave else 1)
    values: Kinds = (
        tries.ends,
        lambda: tries.overwritten(facts.writes),
        lambda: tries.within(facts.parts),
        lambda: tries.meeting(facts.meetings),
        lambda: tries.holding(facts.memories),
        lambda: tries.places(facts.grids),
        lambda: tries.waves(facts.wave),
    )
    broken: Kinds = (tries.poisoned, lambda: tries.straying(facts.strays), tries.poisonous)
    inputs = dict.fromkeys(_in_turn(values, most))
    beside = dict.fromkeys(_in_turn(broken, most // BROKEN))
    return tuple(dict.fromkeys((*inputs, *beside)))


Kinds = Sequence[Callable[[], Iterator[Input]]]
"""Kinds of launches, of which none is looked for before it is asked."""


def _in_turn(kinds: Kinds, most: int) -> Iterator[Input]:
    """At most ``most`` different launches, one of each kind in turn."""
    waiting = deque(kinds)
    begun: deque[Iterator[Input]] = deque()
    inputs: set[Input] = set()
    while (waiting or begun) and len(inputs) < most:
        inputs_of_kind = waiting.popleft()() if waiting else begun.popleft()
        input_ = next(inputs_of_kind, None)
        if input_ is not None:
            begun.append(inputs_of_kind)
            if input_ not in inputs:
                inputs.add(input_)
                yield input_


class _Edges:
    """Launches of one space."""

    def __init__(self, space: Space, seed: int, threads: int) -> None:
        self.space = space
        self.threads = space.threads[0] if len(space.threads) == 1 else threads
        self.random = Random(f"edges {seed}")

    def ends(self) -> Iterator[Input]:
        """One parameter at an end of its type, the others small; all of them at an end; then several."""
        domains = [
            (place, domain)
            for place, (domain, choice) in enumerate(zip(self.space.domains, self.space.fixed, strict=True))
            if domain is not None and choice is None and domain.edges
        ]
        for turn in range(max((len(domain.edges) for _, domain in domains), default=0)):
            for place, domain in domains:
                yield self._launch({place: self._end(domain, turn)}, turn)
                if self.space.chooses and turn % 2 == 0:
                    yield self._launch({place: self._end(domain, turn)}, turn + 1)
            if len(domains) > 1:
                yield self._launch({place: self._end(domain, turn) for place, domain in domains}, turn)
        for turn in range(max((len(domain.edges) for _, domain in domains), default=0)):
            if len(domains) > 1:  # neighbours of one another, as the smallest number and -1 are
                for step in (1, -1):
                    neighbours = {
                        place: self._end(domain, turn + step * number)
                        for number, (place, domain) in enumerate(domains)
                    }
                    yield self._launch(neighbours, turn)
        if len(domains) < 2 and self.threads == 1:
            return
        for _ in range(MOST if domains else 0):
            mixed = {
                place: tuple(self._any(domain) for _ in range(self.threads)) for place, domain in domains
            }
            yield self._launch(mixed, self.random.randrange(4))

    def _end(self, domain: InputDomain, turn: int) -> tuple[Argument, ...]:
        """One value for all threads; of two threads one has it, in turn, for together they might tell
        nothing."""
        value = domain.edges[turn % len(domain.edges)]
        if self.threads != PAIR or domain.uniform:
            return (value,)
        small = domain.values[turn % len(domain.values)]
        return (small, value) if turn % 2 else (value, small)

    def _any(self, domain: InputDomain) -> Argument:
        return self.random.choice(domain.edges if self.random.random() < 0.6 else domain.values)

    def poisoned(self) -> Iterator[Input]:
        """One parameter is poison, or a part of it, and the others are small."""
        domains = [
            (place, domain)
            for place, (domain, choice) in enumerate(zip(self.space.domains, self.space.fixed, strict=True))
            if domain is not None and choice is None and domain.poisons
        ]
        for turn in range(POISONED):
            for place, domain in domains:
                value, small = domain.poisons[turn % len(domain.poisons)], domain.values[0]
                pair = (small, value) if turn % 2 else (value, small)
                alone = self.threads != PAIR or domain.uniform
                yield self._launch({place: (value,) if alone else pair}, turn)

    def poisonous(self) -> Iterator[Input]:
        """Functions without a model give poison: all, or some."""
        for seed in range(3) if self.space.interpretations else ():
            yield replace(self._launch({}, seed), interpretation=Interpretation("poison", seed))

    def straying(self, strays: Sequence[tuple[int, Sequence[str]]]) -> Iterator[Input]:
        """A pointer that is null, not aligned, or at an end of its object: each with two choices of the other
        arguments, one of which decides whether somebody looks there."""
        free = [(place, pointers) for place, pointers in strays if self.space.fixed[place] is None]
        for round_ in range(2):
            for turn in range(max((len(pointers) for _, pointers in free), default=0)):
                for place, pointers in free:
                    yield self._launch({place: (pointers[turn],)}, turn + round_)

    def within(self, parts: Sequence[tuple[int, Sequence[str]]]) -> Iterator[Input]:
        """A pointer to another byte of a word than the first one: what becomes an access of the whole word
        has to find it."""
        free = [(place, pointers) for place, pointers in parts if self.space.fixed[place] is None]
        for turn in range(max((len(pointers) for _, pointers in free), default=0)):
            for place, pointers in free:
                yield self._launch({place: (pointers[turn],)}, turn + 1)

    def meeting(self, meetings: Sequence[tuple[int, str]]) -> Iterator[Input]:
        """A pointer into what another one points to."""
        free = [m for m in meetings if self.space.fixed[m[0]] is None]
        for turn in range(3):
            memories = self.space.memories
            memory = memories[turn % len(memories)] if memories else ()
            for place, name in free:
                yield replace(self._launch({place: (f"@{name}",)}, turn), memory=memory)
            for place, name in free:
                yield replace(self._launch({place: (f"@{name}+{FAR}",)}, turn), memory=memory)

    def holding(self, memories: Sequence[tuple[int, ...]]) -> Iterator[Input]:
        """Numbers at the ends of their types in memory."""
        for turn in range(4):
            for memory in memories:
                begin = turn * 5
                yield replace(self._launch({}, turn), memory=(*memory[begin:], *memory[:begin]))

    def overwritten(self, writes: bool) -> Iterator[Input]:
        """Functions without a model write to what they may: to variables in launches of one thread alone, for
        several would race there; and to what is a thread's own with several, where they communicate. Of
        several, too, those that one thread calls write to variables: another one's may decide where it
        goes."""
        numbers = (self.threads,) if len(self.space.threads) == 1 else tuple({1: None, self.threads: None})
        for seed in range(3) if writes else ():
            for threads in numbers:
                launch = self._launch({}, seed, threads)
                yield replace(launch, interpretation=Interpretation(seed=seed, writes=True))
                for writer in range(min(threads, PAIR)) if threads > 1 else ():
                    alone = Interpretation(seed=seed, writes=True, writer=writer)
                    yield replace(launch, interpretation=alone)

    def waves(self, wave: int) -> Iterator[Input]:
        """All lanes of a wave, each with values of its own, or with the same."""
        if not wave or len(self.space.threads) == 1 or wave <= max(self.space.threads):
            return
        for turn in range(3):
            yield self._launch({}, turn, min(wave, self.space.most))

    def places(self, grids: Sequence[LaunchShape]) -> Iterator[Input]:
        """Several workgroups, where how many is ours to choose."""
        if len(self.space.threads) == 1 or self.space.shape is not None:
            return
        for turn, shape in enumerate(grids):
            yield replace(self._launch({}, turn, shape.threads), shape=shape)

    def _launch(self, at: dict[int, tuple[Argument, ...]], turn: int, threads: int = 0) -> Input:
        """A launch with these values, one or one a thread, for the parameters at these places, and small ones
        for the others."""
        threads = threads or self.threads
        columns: list[tuple[Argument, ...] | None] = []
        for place, (domain, choice) in enumerate(zip(self.space.domains, self.space.fixed, strict=True)):
            if choice is not None:
                columns.append(choice * threads if len(choice) == 1 else choice)
            elif domain is None:
                columns.append(None)
            elif (values := at.get(place)) is not None:
                values = values[:1] if domain.uniform else values
                columns.append(values * threads if len(values) == 1 else values)
            else:
                small, start = domain.values, place + turn + 1
                step = 0 if domain.uniform else turn + 1
                columns.append(tuple(small[(start + t * step) % len(small)] for t in range(threads)))
        space = self.space
        memory = space.memories[0] if space.memories else ()
        return Input(
            threads,
            space.subgroup_size,
            tuple(columns),
            globals=space.globals,
            shape=space.shape,
            memory=memory,
        )


# -- What of a program has edges


class EdgesOfSides:
    """:class:`EdgeFacts` of two sides, each found out when it is first asked. ``functions`` are those that
    threads may come to by side, and the ones that are ``launched``. ``objects``: the object behind a
    parameter by its place, if the comparison made it; ``may_write``: whether functions without a model may
    write; ``lanes``: of a wave, if known; ``relaxed``: flags of arithmetic allow other results than the exact
    one; ``sizes``: bytes of the objects by the parameters' places."""

    def __init__(
        self,
        modules: Sequence[Module],
        functions: Sequence[Sequence[Function]],
        launched: Sequence[Function],
        objects: Callable[[int], str | None],
        lanes: int | None,
        relaxed: bool,
        may_write: Callable[[], bool] = lambda: False,
        subgroup_size: int | None = None,
        sizes: Mapping[int, int] | None = None,
    ) -> None:
        self._modules = modules
        self._functions = functions
        self._launched = launched
        self._objects = objects
        self._lanes = lanes
        self._relaxed = relaxed
        self._may_write = may_write
        self._subgroup_size = subgroup_size
        self._sizes = sizes or {}

    @cached_property
    def meetings(self) -> tuple[tuple[int, str], ...]:
        return _meetings(self._modules, self._launched, self._objects)

    @cached_property
    def memories(self) -> tuple[tuple[int, ...], ...]:
        if all(self._objects(place) is None for place in range(len(self._launched[0].parameters))):
            return ()
        both = [f for side in self._functions for f in side]
        memory = float_memory(both, self._relaxed)
        if memory is None:
            memory = _integer_memory()
        elif not closed_words(both, self._relaxed):
            memory = float_memory(both, self._relaxed, edges=True)
        return () if memory is None else (memory,)

    @cached_property
    def strays(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        return tuple(
            (place, ("null", f"@{name}+1", *(f"@{name}+{self._sizes[place] - left}" for left in (FAR, 0, 1))))
            for place, name in self._movable
        )

    @cached_property
    def parts(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        if not any(_looks_at_addresses(i) for side in self._functions for f in side for i in f.instructions):
            return ()
        return tuple((place, tuple(f"@{name}+{byte}" for byte in WITHIN)) for place, name in self._movable)

    @cached_property
    def _movable(self) -> tuple[tuple[int, str], ...]:
        """The places of parameters that may point elsewhere, each with the object that it points to."""
        return tuple(
            (place, name)
            for place in self._sizes
            if (name := self._objects(place)) is not None
            and not has_own_object(self._launched[0].parameters[place].attributes)
        )

    @cached_property
    def wave(self) -> int:
        asks = any(
            asks_lanes(module, i)
            for module, side in zip(self._modules, self._functions, strict=True)
            for f in side
            for i in f.instructions
        )
        return min(self._lanes or WAVE, WIDEST) if asks else 0

    @cached_property
    def writes(self) -> bool:
        return self._may_write()

    @cached_property
    def grids(self) -> tuple[LaunchShape, ...]:
        return _grids(self._modules, self._functions, self._launched, self._subgroup_size)


def _grids(
    modules: Sequence[Module],
    functions: Sequence[Sequence[Function]],
    launched: Sequence[Function],
    subgroup_size: int | None,
) -> tuple[LaunchShape, ...]:
    """The grids that both sides may be launched in, if one may tell: of workgroups that we choose, else of
    those that the kernel asks for."""
    if not any(_asks_place(module, side) for module, side in zip(modules, functions, strict=True)):
        return ()
    shapes: dict[LaunchShape, None] = {}
    for grid, workgroup in GRIDS:
        for size in (workgroup, None):
            spec = LaunchSpec(subgroup_size=subgroup_size, grid=grid, workgroup=size)
            try:
                first, second = (shape_of(m, f, spec) for m, f in zip(modules, launched, strict=True))
            except UsageError:
                continue
            if first == second and first.threads <= CROWD:
                shapes[first] = None
                break
    return tuple(shapes)


def _asks_place(module: Module, functions: Sequence[Function]) -> bool:
    """Whether a call, or a variable of the environment, may tell a thread of its place in the launch."""
    if any(name.startswith("__spirv_BuiltIn") for name in module.globals):
        return True
    calls = (call for f in functions for call in f.calls)
    return any(tells_place(name) for name in {callee_name(call) or "" for call in calls})


def asks_lanes(module: Module, instruction: Instruction) -> bool:
    """Whether a call may ask for other lanes, or which one it is in."""
    if not isinstance(instruction, CallSite) or control(instruction) is not None:
        return False
    name = callee_name(instruction) or ""
    return is_convergent(module, instruction) or name.startswith(
        ("llvm.amdgcn.", "llvm.nvvm.", "llvm.spv.", "llvm.dx.")
    )


def _looks_at_addresses(instruction: Instruction) -> bool:
    """Whether an instruction gives bits of an address, or takes some away."""
    if isinstance(instruction, CallSite):
        return (callee_name(instruction) or "").startswith("llvm.ptrmask.")
    return isinstance(instruction, Conversion) and instruction.opcode in ("ptrtoint", "ptrtoaddr")


def _meetings(
    modules: Sequence[Module], launched: Sequence[Function], objects: Callable[[int], str | None]
) -> tuple[tuple[int, str], ...]:
    """The pointer parameters that may point to what others point to: those that are not ``noalias``."""
    parameters = [
        place
        for place, parameter in enumerate(launched[0].parameters)
        if isinstance(parameter.type, PointerType)
        and objects(place) is not None
        and not any(is_apart(function.parameters[place]) for function in launched)
    ]
    spaces = {place: _space(launched[0].parameters[place]) for place in parameters}
    pairs = [
        (second, name)
        for second in parameters
        for first in parameters
        if first < second and spaces[first] == spaces[second] and (name := objects(first)) is not None
    ]
    names = [
        name
        for name, variable in modules[0].globals.items()
        if not variable.constant
        and not is_hidden(variable)
        and not is_thread_local(variable)
        and not variable.buffer
        and name in modules[1].globals
        and not any(name == objects(place) for place in range(len(launched[0].parameters)))
    ]
    variables = [
        (place, name)
        for place in parameters
        for name in [n for n in names if modules[0].globals[n].address_space == spaces[place]][:VARIABLES]
    ]
    return (*pairs, *variables)


def is_apart(parameter: Parameter) -> bool:
    """Whether nothing but what a parameter points to is there for whoever has not got its pointer."""
    return "noalias" in parameter.attributes or has_own_object(parameter.attributes)


def _space(parameter: Parameter) -> int | str:
    assert isinstance(parameter.type, PointerType)
    return parameter.type.address_space


def _integer_memory() -> tuple[int, ...]:
    most, least = (1 << 31) - 1, -(1 << 31)
    return (most, least, -1, 1, 0, least + 1, 2, -1, -1, most - 1, 3, -3, most)


# -- Floating-point numbers that say something of every program
# Which NaN an operation gives is open, and flags leave open what a rounded result is: such numbers are tried
# only where nobody could tell, or they would show differences that there are not.


def closed_words(functions: Sequence[Function], relaxed: bool) -> frozenset[str]:
    """The numbers among ``FLOAT_EDGES`` that are not tried."""
    words: set[str] = set(FLOAT_EDGES if relaxed else ())
    storing = [f for f in functions if Store in f.kinds]
    stored = any(
        isinstance(i, Store) and _float_kind(i.value.type) is not None
        for f in storing
        for i in f.instructions
    )
    spelling = functions if stored else [f for f in functions if Conversion in f.kinds]
    if any(_spells(i) or (stored and _turns_sign(i)) for f in spelling for i in f.instructions):
        words.update(("inf", "-inf", "nan"))
    return frozenset(words)


def _spells(instruction: Instruction) -> bool:
    """Whether the bits of a floating-point number become an integer."""
    return (
        isinstance(instruction, Conversion)
        and instruction.opcode == "bitcast"
        and _float_kind(instruction.value.type) is not None
        and _float_kind(instruction.to) is None
    )


def _turns_sign(instruction: Instruction) -> bool:
    """Whether the sign of a NaN may become another one."""
    if isinstance(instruction, CallSite):
        return (callee_name(instruction) or "").startswith(("llvm.copysign.", "llvm.fabs."))
    return isinstance(instruction, FNeg) or (isinstance(instruction, Binary) and instruction.opcode == "fsub")


def _float_kind(type_: Type) -> str | None:
    match type_:
        case FloatType(kind):
            return kind
        case VectorType(element=element) | ArrayType(element=element):
            return _float_kind(element)
        case _:
            return None


_NUMBERS = {
    "float": (0x3F800000, 0x40000000, 0xBFC00000, 0x3DCCCCCD, 0x3F000000, 0x40400000, 0, 0x4C000000),
    "double": (0x3FF00000, 0x40000000, 0xBFF80000, 0x3FB99999, 0x3FE00000, 0x40080000, 0, 0x43500000),
    "half": (0x40003C00, 0x3C00BE00, 0xBE004000, 0x2E663C00, 0x38004000, 0x42003800, 0x00003C00, 0x68004200),
}
"""Words that spell numbers of a format: 1, 2, -1.5, 0.1, 0.5, 3, 0, and one in which 1 is lost."""
_EDGES = {
    "float": (0x80000000, 0x3F800000, 0x7F800000, 0, 0x40000000, 0x7F7FFFFF, 0xFF800000),
    "double": (0x80000000, 0x3FF00000, 0x7FE00000, 0, 0x40000000, 0x00000001, 0xFFE00000),
    "half": (0x3C008000, 0x7C003C00, 0x80000000, 0xFC007BFF, 0x40008000, 0x00013C00, 0x80003C00),
}
"""-0, infinities, the largest and the smallest number among others."""


def float_memory(functions: Sequence[Function], relaxed: bool, edges: bool = False) -> tuple[int, ...] | None:
    """What is tried in objects from which ``functions`` load floating-point numbers, as words; ``None`` if
    they load none. ``edges``: such as lie at the end of their format. Without numbers that swallow others
    where flags leave open in which order they are added (``relaxed``)."""
    kinds = {
        kind
        for function in functions
        if Load in function.kinds
        for i in function.instructions
        if isinstance(i, Load) and (kind := _float_kind(i.type)) is not None
    }
    table: Mapping[str, tuple[int, ...]] = _EDGES if edges else _NUMBERS
    words = table.get(min(kinds & table.keys(), default=""))
    if words is None:
        return None
    if not edges and relaxed:
        words = words[:-1]
    return tuple(words[n % len(words)] for n in range(PERIOD))
