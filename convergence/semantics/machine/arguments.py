"""What the user gives a run, as runtime values: arguments, inputs, paths, the function to launch."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from ...ir.calls import Control, callee_name, control
from ...ir.instructions import CallSite
from ...ir.module import Function, Module, Parameter, is_thread_local
from ...ir.targets import is_launched
from ...ir.types import ArrayType, FloatType, IntType, PointerType, StructType, Type, VectorType
from ..errors import NotModelled, UsageError, alternatives, option
from ..memory.globals import given_variable, object_type
from ..values.context import Context, poison, undef
from ..values.datalayout import refuse_large_type
from ..values.value import NULL, Composite, Pointer, RuntimeValue, Unknown, Value, scalar
from .program import ABSENT, PRESENT, is_weak

Given = int | float | str | Sequence["Given"] | Value | Composite
"""A number, also as ``"-0.0"``, ``"inf"``, ``"-inf"``, ``"nan"``; ``"@g"`` or ``"@g+4"`` (bytes), which an
integer as wide as an address may be, too; ``"null"``, ``"poison"`` or ``"undef"``; a list for a vector,
array or struct, where ``"..."`` at the end of an array's says that it goes on so."""


def launched_function(module: Module, name: str | None) -> Function:
    """The function that is launched: the named one, else the only definition, else the only one with
    an entry intrinsic, else the only kernel, else the only one that no other definition calls.
    Raises UsageError."""
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
    with_entry = [f for f in definitions if any(control(i) is Control.ENTRY for i in f.instructions)]
    called = {
        callee_name(i)
        for f in definitions
        for i in f.instructions
        if isinstance(i, CallSite) and callee_name(i) != f.name
    }
    roots = [f for f in definitions if f.name not in called]
    kernels = [f for f in definitions if is_launched(module, f)]
    for candidates in (definitions, with_entry, [f for f in with_entry if f in roots], kernels, roots):
        if len(candidates) == 1:
            return candidates[0]
    names = ", ".join(f"@{f.name}" for f in definitions)
    raise UsageError(f"which function is launched? Give one of {names} with {option('function')}")


def value_of(value: Given, type_: Type, context: Context, what: str) -> RuntimeValue:
    """A given value as a value of a type. Raises UsageError, which says ``what`` was given, and
    NotModelled for a value that is too large."""
    if isinstance(value, Value | Composite):
        return value
    layout, domain = context.layout, context.domain
    refuse_large_type(type_, layout)
    type_ = layout.resolve(type_)
    match type_, value:
        case _, "poison":
            return poison(type_, layout, domain)
        case _, "undef":
            return undef(type_, layout, domain)
        case ArrayType(count), [*parts, "..."] if parts:
            return value_of([parts[n % len(parts)] for n in range(count)], type_, context, what)
        case ((VectorType() | ArrayType() | StructType()), [*parts]):
            types = type_.elements if isinstance(type_, StructType) else (type_.element,) * type_.count
            if len(types) != len(parts):
                raise UsageError(f"{what} has {len(types)} elements, {len(parts)} are given")
            return Composite(tuple(value_of(p, t, context, what) for p, t in zip(parts, types, strict=True)))
        case IntType(bits), bool() | int():
            if not -(1 << (bits - 1)) <= int(value) < 1 << bits:
                raise UsageError(f"{what} is an i{bits}: {value} does not fit")
            return Value(domain.width(bits).constant(int(value)), domain.false)
        case FloatType(kind), bool() | int() | float() | "-0.0" | "inf" | "-inf" | "nan":
            double: int = struct.unpack("<Q", struct.pack("<d", float(value)))[0]
            return Value(
                domain.floats("double").convert(kind)(double) if kind != "double" else double, domain.false
            )
        case PointerType(), "null" | 0:
            return Pointer(domain.width(layout.bits(type_)).constant(0), NULL, domain.false)
        case ((PointerType(8) | VectorType(4, IntType(32))), str()) if value.startswith("@"):
            return _resource(value_of(value, PointerType(1), context, what), type_, context)
        case PointerType(), str() if value.startswith("@"):
            return _address(value[1:], type_, context, what)
        case IntType(), str() if value.startswith("@") and type_.bits == layout.bits(PointerType()):
            return Value(scalar(_address(value[1:], PointerType(), context, what)).bits, domain.false)
    raise UsageError(f"{what}: {value!r} is no value of its type")


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


def _address(name: str, type_: PointerType, context: Context, what: str) -> RuntimeValue:
    """The address of an object, or so many bytes behind its start."""
    try:
        return context.address_of(name)
    except NotModelled:
        start, plus, offset = name.rpartition("+")
        if not plus or not offset.isdecimal():
            raise UsageError(f"{what}: there is no @{name} to point to") from None
    pointer = _address(start, type_, context, what)
    assert isinstance(pointer, Value)
    width = context.domain.width(context.layout.bits(type_))
    return Pointer(
        width.add(pointer.bits, width.constant(int(offset))), pointer.provenance, context.domain.false
    )


def _resource(pointer: RuntimeValue, type_: Type, context: Context) -> RuntimeValue:
    """AMDGPU's buffer resource for all of the object that a pointer points to."""
    assert isinstance(pointer, Value) and pointer.provenance is not None
    bits = pointer.bits | pointer.provenance.size << 64
    if isinstance(type_, PointerType):
        return Pointer(context.domain.width(128).constant(bits), pointer.provenance, context.domain.false)
    word = context.domain.width(32)
    words = (Value(word.constant(bits >> at), context.domain.false) for at in range(0, 128, 32))
    return Composite(tuple(words))


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
    said = "1 path is" if paths == 1 else f"{paths} paths are"
    return UsageError(f"{said} given for {threads} thread{'s' * (threads != 1)}")


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
