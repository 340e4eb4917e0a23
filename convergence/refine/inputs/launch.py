"""Interpretations of declared functions without a model (D-CALL).

Their results are uninterpreted values of what the rule lists, so a refinement has to hold under every
interpretation. A launch picks one: ``spread`` gives different arguments different values, which tells
most apart; ``small`` gives values of a small pool, so that branches and trip counts vary; ``count`` makes
the first so many results of a thread true, then false, so that threads leave loops at chosen times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal
from zlib import crc32

from ...frozen import Json, dataclass
from ...ir import ArrayType, IntType, Local, Operand, SimpleType, Type, named_globals
from ...ir.calls import callee_name
from ...ir.instructions import (
    CallSite,
    Conversion,
    Freeze,
    GetElementPtr,
    Instruction,
    Phi,
    Select,
    Store,
    operands,
)
from ...ir.module import Function, Module, is_input, is_thread_local
from ...semantics.machine.launch import LaunchShape
from ...semantics.machine.program import ABSENT, weak_symbols
from ...semantics.memory.globals import object_type
from ...semantics.operations import stand_in
from ...semantics.values import Place, RuntimeValue, Value
from ...semantics.values.context import Context, poison, value_of

Kind = Literal["spread", "small", "count", "poison"]


@dataclass(frozen=True, slots=True)
class Interpretation:
    """``seed`` tells interpretations of one kind apart; ``counts`` are, per thread, how many results are
    true (``count``); ``first`` is what these are called: 1, or 0 for the opposite polarity. Of ``poison``
    results are poison, all with seed 0, else some. ``writes``:
    functions without a model leave stand-ins wherever they may write, else they write nothing; ``writer``:
    only where this thread calls them."""

    kind: Kind = "spread"
    seed: int = 0
    counts: tuple[int, ...] = ()
    first: int = 1
    writes: bool = False
    writer: int | None = None


SPREAD = Interpretation()
SMALLEST = 8
"""No integer of a small interpretation is larger, or negative, but for those that a program compares with."""
FAR_SEED = 3
"""The small interpretation that gives the latter."""


class Interpreter:
    """Answers for what the ``current`` interpretation says; ``log`` keeps the answers where someone asks.
    Objects that are ``unnamed``, for one side alone has them, are not told apart by their names, nor those
    that ``without_places`` takes out of a callee's arguments. ``sound`` functions never give poison."""

    def __init__(
        self,
        pool: Sequence[int],
        unnamed: frozenset[str] = frozenset(),
        without_places: Callable[[str, list[Json]], list[Json]] = lambda _, arguments: arguments,
        sound: frozenset[str] = frozenset(),
    ) -> None:
        self._sound = sound
        self._unnamed = unnamed
        self._without_places = without_places
        self.current = SPREAD
        self.log: list[tuple[str, int, RuntimeValue]] | None = None
        self._far = tuple(v for v in pool if not 0 <= v <= SMALLEST)
        self._pool = tuple(v for v in pool if 0 <= v <= SMALLEST)
        self._calls: dict[tuple[str, int], int] = {}

    def begin(self, interpretation: Interpretation) -> None:
        """A new run starts."""
        self.current = interpretation

    def __call__(self, callee: str, arguments: Json, type_: Type, context: Context) -> RuntimeValue | None:
        """The result of ``callee``; ``arguments`` begin with the thread. Poison if an argument is poison or
        undef: the function might hand it on."""
        if isinstance(type_, SimpleType) and type_.kind == "void":
            return None
        value = poison(type_, context.layout, context.domain) if spoiled(arguments) else self._value(
            callee, arguments, type_, context
        )  # fmt: skip
        if self.log is not None and isinstance(arguments, list) and isinstance(arguments[0], int):
            self.log.append((callee, arguments[0], value))
        return value

    def _value(self, callee: str, arguments: Json, type_: Type, context: Context) -> RuntimeValue:
        now = self.current
        if isinstance(arguments, list):
            arguments = self._without_places(callee, arguments)
        arguments = self._without_names(arguments) if self._unnamed else arguments
        key: Json = arguments if now.seed == 0 else [now.seed, arguments]
        value = stand_in(callee, key, type_, context)
        assert value is not None
        if now.kind == "poison" and callee not in self._sound:
            odd = now.seed == 0 or (
                isinstance(arguments, list) and crc32(repr(arguments).encode()) & 1 == now.seed & 1
            )
            return poison(type_, context.layout, context.domain) if odd else value
        if not isinstance(type_, IntType) or now.kind == "spread":
            return value
        assert isinstance(value, Value)
        if now.kind == "count" and isinstance(arguments, list):
            number = _number(arguments)
            thread = arguments[0]
            if number is not None and isinstance(thread, int) and now.counts:
                true = number <= now.counts[thread % len(now.counts)]
                return Value(now.first if true else 1 - now.first, context.domain.false)
        if type_.bits == 1:
            return value
        pool = (*self._far, 0) if self._far and (now.kind, now.seed) == ("small", FAR_SEED) else self._pool
        number = pool[value.bits % len(pool)]
        return Value(context.domain.width(type_.bits).constant(number), context.domain.false)

    def _without_names(self, data: Json) -> Json:
        """A stack object is any stack object; a variable may lie anywhere in another one."""
        if isinstance(data, list):
            return list(map(self._without_names, data))
        if isinstance(data, Place) and data.object in self._unnamed:
            return f"%{data.offset:+d}" if data.object.startswith("%") else "@"
        return data


ZEROS: tuple[int, ...] = (0,)
"""Bit patterns of what is frozen, where nothing else is said: as ``freeze`` gives them without a choice."""


class FrozenValues:
    """What a poison or undef becomes that is frozen: any value, of which a run takes those with these bit
    ``patterns``, in turn by ``freeze`` of the text and by element. ``asked``: whether there was one."""

    def __init__(self) -> None:
        self.asked = False
        self._patterns = ZEROS
        self._freezes = 0

    def begin(self, patterns: tuple[int, ...]) -> None:
        """A new run starts."""
        self.asked = False
        self._patterns = patterns

    def __call__(self) -> Callable[[int], int]:
        first = self._freezes
        self._freezes += 1

        def pattern(element: int) -> int:
            self.asked = True
            return self._patterns[(first + element) % len(self._patterns)]

        return pattern


def _number(arguments: list[Json]) -> int | None:
    """Which call of its thread it is, where the result depends on that: the last argument of a call that is
    not convergent, the thread's own event number in a group's list."""
    last = arguments[-1]
    if isinstance(last, int):
        return last or None
    if isinstance(last, list):
        for entry in last:
            if isinstance(entry, list) and len(entry) == 2 and entry[0] == arguments[0]:
                if isinstance(entry[1], int):
                    return entry[1]
    return None


def spoiled(value: object) -> bool:
    """Whether poison or undef is somewhere in plain data."""
    if isinstance(value, list):
        return any(part.__class__ is not int and spoiled(part) for part in value)  # mostly numbers
    return value == "poison" or value == "undef"


# -- One input of a comparison: threads, launch partition, arguments, and an interpretation

Argument = int | float | str | tuple["Argument", ...]
"""A number; ``"@g"``, ``"null"``, ``"poison"``; a tuple for a vector, array or struct."""


@dataclass(frozen=True, slots=True)
class Input:
    """``arguments`` are, per parameter that has values, one value per thread, by the parameter's place.
    Behind them are the contents of ``globals``: one value per thread, the same ones for what threads share.

    ``subgroup_size``: ``None`` for one launch group. ``paths``: the blocks to take, by thread. ``shape``: of
    which grid of which workgroups the threads are, where that was asked for. ``memory``: the numbers that
    lie, over and over, in the objects that the comparison made itself; without any, those that it made them
    with.
    """

    threads: int
    subgroup_size: int | None
    arguments: tuple[tuple[Argument, ...] | None, ...]
    interpretation: Interpretation = SPREAD
    paths: tuple[tuple[str, ...], ...] | None = None
    globals: tuple[str, ...] = ()
    shape: LaunchShape | None = None
    memory: tuple[int, ...] = ()


def first_thread(input_: Input) -> Input:
    """The first thread of a launch, alone."""
    arguments = tuple(None if values is None else values[:1] for values in input_.arguments)
    return replace(input_, threads=1, subgroup_size=None, arguments=arguments)


def with_own_places(input_: Input, sizes: Mapping[int, Mapping[str, int]]) -> Input | None:
    """A launch in which each thread's pointers are a part of its own further into the objects: the parts are
    as large as they can be alike, by a power of two, so that what is aligned stays so. ``sizes``: for the
    parameters at these places the bytes of each object into which they may point. ``None`` if no pointer
    can be moved, or one is too large a part of its object to have others beside it."""
    columns = list(input_.arguments)
    for place, bytes_of in sizes.items():
        values = columns[place]
        objects = set() if values is None else {_object_of(value) for value in values}
        if values is None or len(objects) != 1 or (size := bytes_of.get(objects.pop())) is None:
            continue
        share = size // input_.threads
        if share:
            part = 1 << (share.bit_length() - 1)
            columns[place] = tuple(_further(value, part * thread) for thread, value in enumerate(values))
    arguments = tuple(columns)
    return None if arguments == input_.arguments else replace(input_, arguments=arguments)


def _object_of(value: Argument) -> str:
    """The object that a pointer points into; nothing for any other value."""
    return value[1:].partition("+")[0] if isinstance(value, str) and value.startswith("@") else ""


def _further(value: Argument, by: int) -> Argument:
    """A pointer so many bytes further."""
    assert isinstance(value, str)
    start, _, offset = value.partition("+")
    behind = int(offset or 0) + by
    return f"{start}+{behind}" if behind else start


# ----------------------------------------------------------------------------------------------------------
# Which variables' contents at the launch are inputs of a comparison: those that the program may look at.
# ----------------------------------------------------------------------------------------------------------


def variables_read(module: Module, functions: Sequence[Function]) -> frozenset[str]:
    """The variables whose initial contents are an input and may decide what ``functions`` do: all that they
    mention, but for those that they only write to; and symbols that need not be there."""
    mentioned: set[str] = set()
    for function in functions if module.globals else ():
        mentioned |= _looked_at(function)
    work, met = [*mentioned], set[str]()
    while work:
        if (name := work.pop()) in met:
            continue
        met.add(name)
        if (alias := module.aliases.get(name)) is not None:
            work += named_globals(alias.target)
        elif (variable := module.globals.get(name)) is not None and variable.initializer is not None:
            work += named_globals(variable.initializer)
    weak = weak_symbols(module, functions)
    return weak | frozenset(n for n in met if n in module.globals and is_input(module.globals[n]))


def absent_symbols(input_: Input) -> frozenset[str]:
    """The symbols that are not there."""
    columns = input_.arguments[len(input_.arguments) - len(input_.globals) :]
    pairs = zip(input_.globals, columns, strict=True)
    return frozenset(name for name, column in pairs if column is not None and column[0] == ABSENT)


def parameters_read(function: Function) -> frozenset[str]:
    """The parameters of a function behind which it may look: all but those that it only writes through."""
    names = {p.name for p in function.parameters}
    roots = _looked_at(function, {name: {f"%{name}"} for name in names})
    return frozenset(name for name in names if f"%{name}" in roots)


def _looked_at(function: Function, known: Mapping[str, set[str]] | None = None) -> set[str]:
    """Globals whose address goes anywhere but to where something is written, and what else locals are
    ``known`` to be addresses in."""
    addresses: dict[str, set[str]] = dict(known or {})  # by local: what its value is an address in
    names: set[str] = set()
    grown = True
    while grown:
        grown = False
        for instruction in function.instructions:
            through, looks = _uses(instruction)
            for operand in looks:
                names.update(_roots(operand, addresses))
            if instruction.result is not None and through:
                now = addresses.setdefault(instruction.result, set())
                more = {root for operand in through for root in _roots(operand, addresses)} - now
                now |= more
                grown = grown or bool(more)
    return names


def _uses(instruction: Instruction) -> tuple[Sequence[Operand], Sequence[Operand]]:
    """The operands that the result is computed from as an address, and those that may be looked at otherwise;
    where something is written to is neither."""
    match instruction:
        case Store():
            return (), (instruction.value,)
        case GetElementPtr() | Conversion() | Freeze():
            return operands(instruction), ()
        case Phi():
            return tuple(value for value, _ in instruction.incoming), ()
        case Select():
            return (instruction.then, instruction.otherwise), ()
        case CallSite() if (callee_name(instruction) or "").startswith(("llvm.memset.", "llvm.memcpy.")):
            return (), tuple(argument.value for argument in instruction.arguments[1:])
        case _:
            return (), operands(instruction)


def _roots(operand: Operand, addresses: Mapping[str, set[str]]) -> Iterable[str]:
    return addresses.get(operand.name, ()) if isinstance(operand, Local) else named_globals(operand)


def number_at(memory: Sequence[int], name: str, place: int) -> int:
    """Which of the numbers of an input's memory is an object's element at a ``place``, from 0. Objects of the
    same name hold the same on both sides, whatever else these have."""
    return memory[(crc32(name.encode()) + place) % len(memory)]


def launch_contents(
    input_: Input, module: Module, context: Context, names: frozenset[str], objects: frozenset[str]
) -> dict[str, tuple[RuntimeValue, ...]]:
    """What an input puts into the variables of one side: those whose contents are an input there, those
    that the user gave some, and the ``objects`` that the comparison made. Nothing of one for which no values
    are known: who looks at it says so."""
    contents: dict[str, tuple[RuntimeValue, ...]] = {}
    for name in objects if input_.memory else ():
        type_ = object_type(module.globals[name], context.layout)
        assert isinstance(type_, ArrayType)
        numbers = tuple(number_at(input_.memory, name, n) for n in range(type_.count))
        contents[name] = (value_of(numbers, type_, context, f"the variable @{name}"),)
    columns = input_.arguments[len(input_.arguments) - len(input_.globals) :]
    for name, column in zip(input_.globals, columns, strict=True):
        variable = module.globals.get(name)
        if variable is None or not (is_input(variable) or (name in names and not variable.constant)):
            continue
        if column is not None and column[0] == ABSENT:
            continue
        if column is None:
            contents[name] = ()
            continue
        values = column if is_thread_local(variable) else column[:1]
        type_ = object_type(variable, context.layout)
        contents[name] = tuple(value_of(v, type_, context, f"the variable @{name}") for v in values)
    return contents
