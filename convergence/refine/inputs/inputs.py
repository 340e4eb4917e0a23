"""Inputs of a comparison: what the caller promises of them, which are tried, and neighbours of those that
led somewhere new.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from random import Random

from ...frozen import dataclass
from ...ir import ArrayType, Float, FloatType, Int, IntType, PointerType, StructType, Type, VectorType
from ...ir.instructions import ICmp, Switch
from ...ir.module import Function, Module, Parameter
from ...ir.targets import convention_of, has_own_object, passes_one_value
from ...semantics import NotModelled, UsageError
from ...semantics.arithmetic.ieee754 import FORMATS
from ...semantics.instructions.promises import promised_range
from ...semantics.machine import Log, Visited, every_visit
from ...semantics.machine.launch import LaunchShape
from ...semantics.values import Value, plain
from ...semantics.values.datalayout import ELEMENTS, Layout
from .launch import FAR_SEED, SMALLEST, SPREAD, Argument, Input, Interpretation

# ----------------------------------------------------------------------------------------------------------
# What the caller promises about inputs: ``uniform:%x``, ``range:%n=0..8``.
# ----------------------------------------------------------------------------------------------------------

_WORDS = re.compile(
    r"(?:uniform:%?(?P<uniform>[^=\s]+)"
    r"|range:%?(?P<range>[^=\s]+)=(?P<low>-?\d+)\.\.(?P<high>-?\d+))\Z"
)


@dataclass(frozen=True, slots=True)
class Assumption:
    """``uniform``: all threads of a launch get the same ``parameter``. Else its integers lie between ``low``
    and ``high``, both included."""

    parameter: str
    uniform: bool = False
    low: int = 0
    high: int = 0

    def __str__(self) -> str:
        if self.uniform:
            return f"uniform:%{self.parameter}"
        return f"range:%{self.parameter}={self.low}..{self.high}"


def parse_assumption(text: str) -> Assumption:
    """``uniform:%x`` or ``range:%n=0..8`` (both ends included). Raises UsageError."""
    match = _WORDS.match(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is no assumption: write uniform:%x or range:%n=0..8")
    if match["uniform"] is not None:
        return Assumption(match["uniform"], True)
    low, high = int(match["low"]), int(match["high"])
    if low > high:
        raise UsageError(f"{text!r}: the range is empty")
    return Assumption(match["range"], False, low, high)


def check_assumptions(assumptions: Sequence[Assumption], parameters: Sequence[str]) -> None:
    """Raises UsageError for an assumption about what is no parameter."""
    for assumption in assumptions:
        if assumption.parameter not in parameters:
            shown = ", ".join(f"%{name}" for name in parameters) or "none"
            raise UsageError(f"{assumption}: there is no such parameter; there are: {shown}")


# -- The inputs that a comparison tries: threads, launch partitions, arguments, interpretations
# All small values per argument and thread where that is few enough to try; otherwise a selection, in an
# order that tries two threads and small, unequal values first. The same for the same seed.

SMALL = (0, 1, 2, 3, 4, 5)
"""Integers that are tried for every integer argument: enough for four passes through a loop."""
FLOATS = (0.0, 1.0, 2.0, -1.5)
"""Numbers that are tried for every floating-point argument, and one so large that 1 added to it is lost,
which shows what sums in another order do."""
FLOAT_EDGES = ("-0.0", "inf", "nan", "-inf")
"""Floating-point numbers that are tried apart, in words: the first one is equal to another number, and the
third one not to itself."""
POISON = "poison"
"""What an argument may be that nothing is promised of (LangRef, *Poison Values*)."""
FAR = 3
"""Integers other than small ones that a function without a model may give."""
MIXED = 0x9E3779B97F4A7C15F39CC0605CEDC834
"""128 bits after the point of the golden ratio: no number in which a pass could see a pattern."""
MOST = 12
"""Values that one argument is tried with at most, but for what an assumption names."""

PATTERNS = ((0, 0), (0, 1), (1, 0), (1, 1))
"""With which of its values a vector or array begins, and how far the next element is from each. A long array
is that many at first and then the same again."""


@dataclass(frozen=True, slots=True)
class InputDomain:
    """What one parameter is tried with; ``complete`` if that is every value of its type, or all that an
    assumption lets it have. ``edges``: values at the ends of its type, which are tried apart
    (:mod:`.edges`), and so are ``poisons``, which have poison in them."""

    values: tuple[Argument, ...]
    complete: bool = False
    uniform: bool = False
    edges: tuple[Argument, ...] = ()
    poisons: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Space:
    """``domains`` by parameter, ``None`` for one without values; ``fixed`` what the user gave, by thread.
    Both go on with what ``globals`` hold at the launch. ``wave``: lanes of a wave, if known; ``most``
    threads of a workgroup. ``shape``: the grid of workgroups, where it was asked for. ``memories``: what lies
    in the objects that the comparison makes; nothing where it makes none that a program could look at."""

    domains: tuple[InputDomain | None, ...]
    fixed: tuple[tuple[Argument, ...] | None, ...]
    threads: tuple[int, ...]
    subgroup_size: int | None
    interpretations: bool
    paths: tuple[tuple[str, ...], ...] | None = None
    globals: tuple[str, ...] = ()
    wave: int | None = None
    most: int = sys.maxsize
    shape: LaunchShape | None = None
    memories: tuple[tuple[int, ...], ...] = ()

    def size(self, threads: int) -> int:
        """How many tuples of arguments there are for so many threads."""
        return prod(
            len(domain.values) ** (1 if domain.uniform else threads)
            for domain, choice in zip(self.domains, self.fixed, strict=True)
            if domain is not None and choice is None
        )

    def allows(self, input_: Input) -> bool:
        """Whether an input keeps what was given and what was assumed: a smaller counterexample must, too."""
        if len(self.threads) == 1 and input_.threads != self.threads[0]:
            return False
        if input_.subgroup_size != self.subgroup_size and self.subgroup_size is not None:
            return False
        for domain, choice, values in zip(self.domains, self.fixed, input_.arguments, strict=True):
            if values is None or domain is None:
                continue
            if choice is not None:
                if len(choice) not in (1, len(values)) or any(
                    value != known for value, known in zip(values, choice * len(values), strict=False)
                ):
                    return False
            elif domain.uniform and len(set(values)) > 1:
                return False
            if choice is None and domain.complete and not set(values) <= {*domain.values, *domain.poisons}:
                return False
        return not input_.memory or bool(self.memories)

    @property
    def chooses(self) -> bool:
        """Whether there is more than one input to try."""
        return self.paths is None and (
            len(self.threads) > 1
            or len(self.memories) > 1
            or any(
                choice is None and domain is not None and len(domain.values) > 1
                for domain, choice in zip(self.domains, self.fixed, strict=True)
            )
        )

    @property
    def complete(self) -> bool:
        """Whether trying all of it tries every input, for these numbers of threads."""
        return (
            not self.interpretations
            and not self.memories
            and all(
                choice is not None or (domain is not None and domain.complete)
                for domain, choice in zip(self.domains, self.fixed, strict=True)
            )
        )


def constants(functions: Sequence[Function]) -> dict[int, tuple[int, ...]]:
    """The integer constants of functions by width, each with its neighbours, small ones first."""
    by_width: dict[int, set[int]] = {}
    for function in functions:
        parts = [*function.literals]
        if Switch in function.kinds:
            switches = [i for i in function.instructions if isinstance(i, Switch)]
            parts += [value for switch in switches for value, _ in switch.cases]
        for operand in parts:
            if isinstance(operand, Int) and isinstance(operand.type, IntType):
                value = operand.value
                by_width.setdefault(operand.type.bits, set()).update((value - 1, value, value + 1))
    return {bits: tuple(sorted(values, key=lambda v: (abs(v), v))) for bits, values in by_width.items()}


def float_constants(functions: Sequence[Function]) -> dict[str, tuple[float, ...]]:
    """The floating-point constants of functions by format, small ones first."""
    by_kind: dict[str, set[float]] = {}
    layout = Layout()
    for function in functions:
        for operand in function.literals:
            if isinstance(operand, Float) and isinstance(operand.type, FloatType):
                number = plain(Value(operand.bits), operand.type, layout)
                if isinstance(number, float):
                    by_kind.setdefault(operand.type.kind, set()).add(number)
    return {kind: tuple(sorted(numbers, key=lambda n: (abs(n), n))) for kind, numbers in by_kind.items()}


def within(domain: InputDomain, type_: Type, words: Sequence[str]) -> InputDomain:
    """The domain with numbers in the range that a parameter promises in place of those outside; what breaks
    the promise is tried once, at the edges."""
    range_ = promised_range(words)
    if range_ is None or not isinstance(type_, IntType) or domain.complete:
        return domain
    low, high = range_
    many = (high - low) % (1 << type_.bits)
    half = 1 << (type_.bits - 1)

    def inside(value: Argument) -> bool:
        return isinstance(value, int) and (value - low) % (1 << type_.bits) < many

    def number(step: int) -> int:
        return (low + step + half) % (1 << type_.bits) - half

    kept = tuple(v for v in domain.values if inside(v))
    ends = tuple(
        number(step) for step in dict.fromkeys((0, 1, many // 2, many - 2, many - 1)) if 0 <= step < many
    )
    if many <= MOST:
        return replace(domain, values=tuple(number(step) for step in range(many)), edges=(number(many),))
    values = tuple(dict.fromkeys((*kept, *ends)))
    edges = tuple(v for v in (*domain.edges, number(many)) if inside(v) or v == number(many))
    return replace(domain, values=values, edges=edges)


def poisons_of(domain: InputDomain) -> tuple[Argument, ...]:
    """Values with poison in them: of vectors, arrays and structs one in which an element is, too."""
    parts = [value for value in domain.values if isinstance(value, tuple) and "..." not in value]
    places = [(*part[:at], POISON, *part[at + 1 :]) for at, part in enumerate(parts[:2]) if at < len(part)]
    return (*places, POISON)


def domain_of(
    type_: Type,
    known: Mapping[int, tuple[int, ...]],
    pointer: str | None,
    layout: Layout,
    numbers: Mapping[str, tuple[float, ...]] | None = None,
) -> InputDomain | None:
    """What a parameter of a type is tried with, ``known`` integers and, at the edges, ``numbers`` among them;
    ``None`` where nothing can be given."""
    try:
        type_ = layout.resolve(type_)
    except NotModelled:
        return None
    match type_:
        case IntType(1):
            return InputDomain((0, 1), True)
        case IntType(bits):
            low, high = -(1 << (bits - 1)), (1 << bits) - 1
            signed_high = (1 << (bits - 1)) - 1
            if bits <= 3:
                return InputDomain(tuple(range(1 << bits)), True)
            more = [v for v in known.get(bits, ()) if low <= v <= high and v not in SMALL]
            small = [v for v in SMALL if v <= signed_high]
            turns = sum(1 << place for place in range(0, bits, 2))
            edges = (signed_high, low, -1, _mixed(bits), turns, low + 1, signed_high - 1, -3)
            return InputDomain((*small, *more[: MOST - len(small)]), edges=edges)
        case FloatType(kind):
            there: tuple[Argument, ...] = (numbers or {}).get(kind, ())[:MOST]
            return InputDomain((*FLOATS, *_absorbing(kind)), edges=(*there, *FLOAT_EDGES, *_inexact(kind)))
        case PointerType():
            return InputDomain((pointer,)) if pointer is not None else InputDomain(("null",))
        case VectorType(count, element, False) | ArrayType(count, element) if count <= 16 or isinstance(
            type_, VectorType
        ):
            inner = domain_of(element, known, pointer, layout, numbers)
            if inner is None or layout.measure(type_).elements > ELEMENTS:
                return None
            mixed = (*inner.edges, *inner.values[:2]) if inner.edges else ()
            return InputDomain(
                tuple(
                    tuple(inner.values[(start + i * step) % len(inner.values)] for i in range(count))
                    for start, step in PATTERNS
                ),
                edges=tuple(
                    tuple(mixed[(start + i) % len(mixed)] for i in range(count))
                    for start in range(len(inner.edges))
                ),
            )
        case ArrayType(count, element):
            inner = domain_of(element, known, pointer, layout, numbers)
            if inner is None or layout.measure(type_).elements > ELEMENTS:
                return None
            values = inner.values
            patterns = [
                [values[(start + i * step) % len(values)] for i in range(MOST)] for start, step in PATTERNS
            ]
            return InputDomain(tuple((*pattern, "...") for pattern in patterns))
        case StructType(parts):
            tried = [domain_of(part, known, pointer, layout, numbers) for part in parts]
            fields = [f.values for f in tried if f is not None]
            if len(fields) < len(tried):
                return None
            return InputDomain(
                tuple(tuple(f[(start + i) % len(f)] for i, f in enumerate(fields)) for start in range(3))
            )
        case _:
            return None


def _mixed(bits: int) -> int:
    """A number without a pattern in its bits."""
    return MIXED >> (128 - bits) if bits <= 128 else MIXED << (bits - 128)


def _absorbing(kind: str) -> tuple[float, ...]:
    format_ = FORMATS.get(kind)
    return () if format_ is None else (2.0 ** (format_.precision + 1),)


def _inexact(kind: str) -> tuple[float, ...]:
    """A number whose square is rounded when 1 is taken away again, and one without an end in binary."""
    format_ = FORMATS.get(kind)
    return () if format_ is None else (1.0 + 2.0 ** -(format_.precision // 2), 0.1)


def one_value(module: Module, function: Function, parameter: Parameter) -> bool:
    """Whether all threads get one value: of a kernel, or in a scalar register, which only AMD's targets say
    by ``inreg``."""
    words = module.resolve(parameter.attributes)
    amd = (module.triple or "").startswith("amdgcn")
    return passes_one_value(convention_of(function.convention), words, nvptx=not amd)


def may_be_poison(module: Module, parameter: Parameter, assumptions: Sequence[Assumption]) -> bool:
    """Whether a caller may pass poison: it is not ``noundef``, not an object that the call makes, and nothing
    is assumed of the values."""
    if any(a.parameter == parameter.name and not a.uniform for a in assumptions):
        return False
    return not has_own_object(parameter.attributes) and "noundef" not in module.resolve(parameter.attributes)


def assumed(
    domain: InputDomain | None, name: str, type_: Type, assumptions: Sequence[Assumption]
) -> InputDomain | None:
    """The domain as assumptions about the parameter limit it. Raises UsageError."""
    for assumption in assumptions:
        if assumption.parameter != name:
            continue
        if assumption.uniform:
            domain = None if domain is None else replace(domain, uniform=True)
            continue
        if not isinstance(type_, IntType):
            raise UsageError(f"{assumption}: %{name} is no integer")
        if assumption.high - assumption.low > 1 << 16:
            raise UsageError(f"{assumption}: more values than can be tried")
        low, high = -(1 << (type_.bits - 1)), (1 << type_.bits) - 1
        if assumption.low < low or assumption.high > high:
            raise UsageError(f"{assumption}: %{name} is an i{type_.bits}")
        uniform = domain is not None and domain.uniform
        domain = InputDomain(tuple(range(assumption.low, assumption.high + 1)), True, uniform)
    return domain


@dataclass(frozen=True, slots=True)
class Selection:
    """``inputs`` inputs in the order in which they are tried; ``all_tuples``: no tuple of the tried values,
    for any of the numbers of threads, was left out."""

    inputs: tuple[Input, ...]
    all_tuples: bool


def inputs(space: Space, most: int, seed: int) -> Selection:
    """At most ``most`` inputs: all there are for few threads where they fit, a selection else."""
    random = Random(f"inputs {seed}")
    batches: list[list[Input]] = []
    count = 0
    everything = True
    for place, threads in enumerate(space.threads):
        left = most - count
        share = left if place == len(space.threads) - 1 else max(1, left * 3 // 5)
        partitions = _partitions(space, threads)
        interpretations = _interpretations(threads) if space.interpretations else (SPREAD,)
        ways = len(partitions) * len(interpretations) + max(0, len(space.memories) - 1)
        fits = space.size(threads) * ways <= share
        everything = everything and fits
        if share > 0:
            batches.append([*_for_threads(space, threads, partitions, interpretations, fits, share, random)])
            count += len(batches[-1])
    return Selection(tuple(_in_turn(batches)), everything)


def _in_turn(lists: Sequence[Sequence[Input]]) -> Iterator[Input]:
    """Two of the first list for one of each other: comparisons may stop before all are tried."""
    rest = [iter(inputs_) for inputs_ in lists]
    order = [*rest[:1], *rest]
    while order:
        for source in list(order):
            following = next(source, None)
            if following is not None:
                yield following
            elif source in order:
                order = [other for other in order if other is not source]


def _for_threads(
    space: Space,
    threads: int,
    partitions: Sequence[int | None],
    interpretations: Sequence[Interpretation],
    fits: bool,
    most: int,
    random: Random,
) -> Iterator[Input]:
    axes = _axes(space, threads)
    tried = space.memories or WITHOUT
    if fits:
        ways = [(tried[0], *way) for way in product(partitions, interpretations)]
        for place, memory in enumerate(tried[1:]):  # in one group, for the data part the threads
            ways.append((memory, partitions[0], interpretations[place % len(interpretations)]))
        for memory, partition, interpretation in ways:
            for choice in product(*axes):
                yield _input(space, threads, partition, choice, interpretation, memory)
        return
    inputs: set[Input] = set()
    for attempt in range(most * 4):
        choice = tuple(_pick(axis, place, attempt, random, threads) for place, axis in enumerate(axes))
        interpretation = interpretations[attempt % len(interpretations)]
        partition = partitions[0] if attempt % 4 or len(partitions) == 1 else random.choice(partitions)
        candidate = _input(space, threads, partition, choice, interpretation, tried[attempt % len(tried)])
        if candidate not in inputs:
            inputs.add(candidate)
            yield candidate
            if len(inputs) == most:
                return


def _axes(space: Space, threads: int) -> list[tuple[Argument, ...]]:
    """One axis per parameter and thread, or per uniform parameter; none for what is given."""
    axes: list[tuple[Argument, ...]] = []
    for domain, choice in zip(space.domains, space.fixed, strict=True):
        if domain is not None and choice is None:
            axes += [domain.values] * (1 if domain.uniform else threads)
    return axes


def _pick(axis: tuple[Argument, ...], place: int, attempt: int, random: Random, threads: int) -> Argument:
    """A value of an axis: a few regular patterns first, among them the first value in each place, then at
    random with small values more often."""
    if attempt < 3:
        return axis[(attempt + (place % threads) * (attempt + 1)) % len(axis)]
    if attempt == 3:
        return axis[0]
    half = axis[: max(2, (len(axis) + 1) // 2)]
    return random.choice(half if random.random() < 0.6 else axis)


def _partitions(space: Space, threads: int) -> tuple[int | None, ...]:
    """Subgroup sizes: one group of all first, then smaller ones. Where waves have a size, lanes of each are
    left out for that, and the program's numbers of threads must fit into a workgroup."""
    if space.subgroup_size is not None:
        return (space.subgroup_size,)
    if space.shape is not None and space.shape.workgroup is not None:
        most = space.shape.workgroup.volume - 1
        return (None, *range(most if space.wave is None else min(most, space.wave - 1), 0, -1))

    def last(size: int) -> int:
        """The number of the last thread, as the program sees it."""
        waves, lane = divmod(threads - 1, size)
        return waves * (space.wave or size) + lane

    most = threads if space.wave is None else min(threads, space.wave)
    smaller = (size for size in range(most - 1, 0, -1) if last(size) < space.most)
    return (None, *smaller)


def _interpretations(threads: int) -> tuple[Interpretation, ...]:
    """Interpretations that are tried: spread, small, and threads that leave loops at different times."""
    shapes = ((1, 2), (3, 4), (4, 3))
    counts = [tuple((start + t * step) % 5 for t in range(threads)) for start, step in shapes]
    return (
        SPREAD,
        Interpretation("small", 1),
        Interpretation("count", 1, counts[0]),
        Interpretation("count", 2, counts[1]),
        Interpretation("small", 2),
        Interpretation("count", 3, counts[2], 0),
        Interpretation("spread", 1),
        Interpretation("small", FAR_SEED),
    )


def _input(
    space: Space,
    threads: int,
    partition: int | None,
    choice: tuple[Argument, ...],
    interpretation: Interpretation,
    memory: tuple[int, ...],
) -> Input:
    arguments: list[tuple[Argument, ...] | None] = []
    at = 0
    for domain, fixed in zip(space.domains, space.fixed, strict=True):
        if fixed is not None:
            arguments.append(fixed * threads if len(fixed) == 1 else fixed)
        elif domain is None:
            arguments.append(None)
        elif domain.uniform:
            arguments.append((choice[at],) * threads)
            at += 1
        else:
            arguments.append(choice[at : at + threads])
            at += threads
    return Input(
        threads, partition, tuple(arguments), interpretation, space.paths, space.globals, space.shape, memory
    )


WITHOUT: tuple[tuple[int, ...], ...] = ((),)
"""The only memory of a comparison that makes no objects."""
PERIOD = 13
"""Numbers in an object until they come again: a prime, so that rows of any other length differ."""
TURNS = 8
"""Values that each element of an object takes of those that the functions name."""


def memories(functions: Sequence[Function]) -> tuple[tuple[int, ...], ...]:
    """What is tried as the contents of the objects that a comparison makes: the numbers that these have of
    themselves, zeros only, few different ones, small ones, and such as the functions name, in each place
    others. A kernel's data decide where its threads go as its arguments do, and there are too many to try
    them all."""
    random = Random("memories")
    near = [v for v in constants(functions).get(32, ()) if -(1 << 31) <= v < 1 << 32]
    named = tuple(dict.fromkeys((*SMALL, *near)))
    begun = [random.randrange(len(named)) for _ in range(PERIOD)]
    step = max(1, len(named) // TURNS)
    turned = [tuple(named[(at + turn * step) % len(named)] for at in begun) for turn in range(TURNS)]
    pools = (range(9), SMALL[:3], range(9))
    drawn = [tuple(random.choice(pool) for _ in range(PERIOD)) for pool in pools]
    return tuple(dict.fromkeys(((), *drawn, (0,), *turned)))


def small_integers(functions: Sequence[Function]) -> tuple[int, ...]:
    """The pool of small interpretations: few, so that trips and cases repeat; and of others a few with which
    the functions compare, behind which code may stand that no small number leads to."""
    more = [v for values in constants(functions).values() for v in values if 0 <= v <= SMALLEST]
    few = tuple(dict.fromkeys((*SMALL[:5], *more)))[:8]
    far = [value for value in dict.fromkeys(_compared_with(functions)) if not 0 <= value <= SMALLEST]
    return (*few, *far[:FAR])


def _compared_with(functions: Sequence[Function]) -> Iterator[int]:
    for instruction in (i for function in functions for i in function.instructions):
        parts: list[object] = []
        if isinstance(instruction, ICmp):
            parts += [instruction.lhs, instruction.rhs]
        elif isinstance(instruction, Switch):
            parts += [value for value, _ in instruction.cases]
        yield from (part.value for part in parts if isinstance(part, Int))


# ----------------------------------------------------------------------------------------------------------
# Inputs guided by what threads did: where an input led somewhere new, its neighbours are tried next.
#
# Where all inputs fit they are tried as they stand. Else half of them are a selection, and half are
# neighbours of inputs that took a branch, or went round a loop so often, or parted the threads, as none
# before them. What is tried depends on the seed and the programs alone.
# ----------------------------------------------------------------------------------------------------------


MANY, FEW = 96, 4
"""Neighbours at most of an input that took a step that none took before; of one that took known steps more
often, or with other threads."""
OFTEN = 5
"""Times round a loop that are told apart."""


Covered = frozenset[tuple[Hashable, int]]
"""Steps from block to block of a program, each with how often a thread made it, or, negated, how many threads
did."""


Neighbour = tuple[Input, int, tuple[Argument, ...]]
"""An input, and the values by thread of the argument at one place that its neighbour has instead: few of
them are tried, so an input is made of it then."""


def covered(program: Hashable, log: Log) -> Covered:
    """Where the threads of a run of what ``program`` stands for went: the steps from block to block, how
    often a thread made each of them, and how many threads made it. Raises Forgotten where native code only
    counted."""
    last: dict[int, Visited] = {}
    counts: dict[tuple[Visited, Visited], int] = {}  # by the blocks between which a thread goes
    for event in every_visit(log):
        before = last.get(event.thread)
        if before is not None:
            counts[before, event] = counts.get((before, event), 0) + 1
        last[event.thread] = event
    pairs: set[tuple[Hashable, int]] = set()
    threads: dict[Hashable, int] = {}
    for (before, event), count in counts.items():
        taken = program, before.function, before.block, event.function, event.block
        pairs.add((taken, min(count, OFTEN)))
        threads[taken] = threads.get(taken, 0) + 1
    pairs.update((step, -count) for step, count in threads.items())
    return frozenset(pairs)


def guides(selection: Selection, space: Space) -> bool:
    """Whether what inputs covered has a say in what is tried next."""
    free = zip(space.domains, space.fixed, strict=True)
    return not selection.all_tuples and any(d is not None and value is None for d, value in free)


class Guide:
    """The inputs in the order in which they are tried; what one covered is to be told before the next."""

    def __init__(self, selection: Selection, space: Space, seed: int) -> None:
        self._inputs = selection.inputs
        self._all = selection.all_tuples
        self._guides = guides(selection, space)
        self._space = space
        self._random = Random(f"guide {seed}")
        self._covered: set[tuple[Hashable, int]] = set()
        self._next: deque[Neighbour] = deque()
        self._given = 0

    def __iter__(self) -> Iterator[Input]:
        if self._all:
            yield from self._inputs
            return
        rest = iter(self._inputs)
        inputs: set[Input] = set()
        self._given = 0
        while len(inputs) < len(self._inputs):
            input_ = self._neighbour() if len(inputs) % 2 else None
            if input_ is None and (input_ := next(rest, None) or self._neighbour()) is None:
                return
            if input_ not in inputs:
                inputs.add(input_)
                self._given = len(inputs)
                yield input_

    @property
    def learns(self) -> bool:
        """Whether what the latest input covers still has a say in what comes."""
        return self._guides and self._given < len(self._inputs)

    def learn(self, input_: Input, where: Covered) -> None:
        """Where an input led."""
        if not self._guides or where <= self._covered:
            return
        steps = {step for step, _ in self._covered}
        far = any(step not in steps for step, _ in where)
        self._covered |= where
        neighbours = self._neighbours(input_, MANY if far else FEW)
        if far:
            self._next.extendleft(reversed(neighbours))
        else:
            self._next.extend(neighbours)

    def _neighbour(self) -> Input | None:
        """The neighbour to try next, if there is one."""
        while self._next:
            input_, place, changed = self._next.popleft()
            arguments = (*input_.arguments[:place], changed, *input_.arguments[place + 1 :])
            neighbour = replace(input_, arguments=arguments)
            if self._space.allows(neighbour):
                return neighbour
        return None

    def _neighbours(self, input_: Input, most: int) -> list[Neighbour]:
        """Inputs with one argument of one thread changed to another value that is tried for it, in an order
        of chance; for a uniform one, that of all threads."""
        changes: list[tuple[int, tuple[Argument, ...]]] = []
        for place, values in enumerate(input_.arguments):
            domain = self._space.domains[place]
            if domain is None or values is None or self._space.fixed[place] is not None:
                continue
            for value in domain.values:
                if domain.uniform:
                    changes.append((place, (value,) * len(values)))
                    continue
                for thread in range(len(values)):
                    changes.append((place, (*values[:thread], value, *values[thread + 1 :])))
        self._random.shuffle(changes)
        return [(input_, place, changed) for place, changed in changes[:most]]
