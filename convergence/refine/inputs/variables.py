"""Which variables' contents at the launch are inputs of a comparison: those that the program may look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from zlib import crc32

from ...ir.calls import callee_name
from ...ir.instructions import CallSite, Conversion, Freeze, GetElementPtr, Instruction, Phi, Select, Store
from ...ir.module import Function, Module, is_input, is_thread_local
from ...ir.operands import Local, Operand, named_globals
from ...ir.types import ArrayType
from ...semantics.instructions import operands
from ...semantics.machine.arguments import value_of
from ...semantics.machine.weak import ABSENT, weak_symbols
from ...semantics.memory.globals import object_type
from ...semantics.values.context import Context
from ...semantics.values.value import RuntimeValue
from .launch import Input


def variables_read(module: Module, functions: Sequence[Function]) -> frozenset[str]:
    """The variables whose initial contents are an input and may decide what ``functions`` do: all that they
    mention, but for those that they only write to; and symbols that need not be there."""
    mentioned: set[str] = set()
    for function in functions:
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
