"""Pointer arguments that are called: nobody knows which function is there, so it is one without a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...ir.calls import callee_name
from ...ir.instructions import Alloca, CallSite, Conversion, Freeze, Instruction, Load, Phi, Select, Store
from ...ir.module import Function, Module, Parameter
from ...ir.operands import Local, Operand


def called_parameters(module: Module, function: Function) -> dict[int, CallSite]:
    """The parameters of a function, by place from 0, that it or what it calls directly calls, each with the
    first call. A parameter is followed through phis, selects, stack objects that it is stored in, and
    arguments of direct calls; one that comes through other memory is not found."""
    return _called(module, function, ())


def _called(module: Module, function: Function, callers: tuple[str, ...]) -> dict[int, CallSite]:
    places = {p.name: place for place, p in enumerate(function.parameters)}
    definitions = {i.result: i for i in function.instructions if i.result is not None}
    stored: dict[str, list[Operand]] = {}
    for instruction in function.instructions:
        match instruction:
            case Store(value=value, pointer=Local(name=name)) if isinstance(definitions.get(name), Alloca):
                stored.setdefault(name, []).append(value)
    calls: dict[int, CallSite] = {}

    def note(pointer: Operand, call: CallSite) -> None:
        for name in _origins(pointer, definitions, stored):
            if name in places:
                calls.setdefault(places[name], call)

    for call in function.instructions:
        if not isinstance(call, CallSite):
            continue
        if isinstance(call.callee, Local):
            note(call.callee, call)
        callee = module.functions.get(callee_name(call) or "")
        if callee is None or callee.is_declaration or callee.name in (*callers, function.name):
            continue
        inner = _called(module, callee, (*callers, function.name))
        for place, through in inner.items():
            if place < len(call.arguments):
                note(call.arguments[place].value, through)
    return calls


def _origins(
    pointer: Operand, definitions: Mapping[str, Instruction], stored: Mapping[str, list[Operand]]
) -> Iterator[str]:
    """The names of parameters, and of what else is not computed from other pointers."""
    work, met = [pointer], set[str]()
    while work:
        value = work.pop()
        if not isinstance(value, Local) or value.name in met:
            continue
        met.add(value.name)
        match definitions.get(value.name):
            case None:
                yield value.name
            case Conversion(value=base) | Freeze(value=base):
                work.append(base)
            case Phi(incoming=incoming):
                work += [operand for operand, _ in incoming]
            case Select(then=candidate, otherwise=other):
                work += [candidate, other]
            case Load(pointer=Local(name=name)):
                work += stored.get(name, ())


def unknown_function(name: str, call: CallSite) -> Function:
    """A declared function that a call fits, and of which nothing else is known."""
    parameters = tuple(Parameter(type_, str(place)) for place, type_ in enumerate(call.type.parameters))
    return Function(name, call.type, parameters, convention=call.convention)
