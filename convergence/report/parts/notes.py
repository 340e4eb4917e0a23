"""What is to be said of a program, however it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...ir.calls import callee_name, unfit
from ...ir.instructions import CallSite
from ...ir.module import Module
from ...semantics.attributes import AttributeStanding, UnmodelledAttribute, unmodelled_attributes

# ----------------------------------------------------------------------------------------------------------
# Which attributes of a program are not modelled, in words.
# ----------------------------------------------------------------------------------------------------------

_WORDS: Mapping[AttributeStanding, str] = {
    AttributeStanding.PROMISE: "what breaks such a promise is undefined behaviour, which is not noticed here",
    AttributeStanding.EFFECT: "with them a program may do something else",
}


def attribute_notes(module: Module, launched: Iterable[str]) -> tuple[str, ...]:
    """A line for each way of not being modelled: ``attributes that are not modelled: noalias (@f): ...``."""
    attributes = dict.fromkeys(a for name in launched for a in unmodelled_attributes(module, name))
    return tuple(
        _line(list(attributes), standing) for standing in _WORDS if _named(list(attributes), standing)
    )


def _named(attributes: list[UnmodelledAttribute], standing: AttributeStanding) -> dict[str, list[str]]:
    """The functions of each attribute."""
    functions: dict[str, list[str]] = {}
    for attribute in attributes:
        if attribute.standing is standing:
            functions.setdefault(attribute.name, []).append(f"@{attribute.function}")
    return functions


def _line(attributes: list[UnmodelledAttribute], standing: AttributeStanding) -> str:
    names = ", ".join(f"{name} ({', '.join(of)})" for name, of in _named(attributes, standing).items())
    return f"attributes that are not modelled: {names}: {_WORDS[standing]}"


def notes_of_both(source: Module, target: Module, pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Of the functions compared, each with its target's name: once where both sides say the same."""
    pairs = tuple(pairs)
    notes = attribute_notes(source, (name for name, _ in pairs))
    other = attribute_notes(target, (name for _, name in pairs))
    if notes == other:
        return notes
    return (*(f"source: {note}" for note in notes), *(f"target: {note}" for note in other))


# ----------------------------------------------------------------------------------------------------------
# What is to be said of a program, however it runs: which of its attributes are not modelled, and what a
# compiler is known to write that makes it undefined, with a way round.
# ----------------------------------------------------------------------------------------------------------

_INITIALISER = "_init_buffer_"
"""How clang's HLSL front end calls what initialises a constant buffer. It defines it with the C convention,
and calls it with SPIR-V's, as it did its other initialisers (llvm/llvm-project#118651)."""


def program_notes(module: Module, launched: Iterable[str]) -> tuple[str, ...]:
    """A line each."""
    return (*attribute_notes(module, launched), *compiler_notes(module))


def compiler_notes(module: Module) -> tuple[str, ...]:
    """A line where clang calls constant buffers' initialisers by a convention that they do not have."""
    names = sorted(
        {
            callee.name
            for function in module.definitions()
            for call in function.instructions
            if isinstance(call, CallSite)
            and (callee := module.functions.get(callee_name(call) or "")) is not None
            and callee.name.startswith(_INITIALISER)
            and unfit(call, callee) is not None
        }
    )
    if not names:
        return ()
    named = ", ".join(f"@{name}" for name in names)
    return (
        f"clang calls {named} by a calling convention that it does not have, so each launch is "
        "undefined here: this is clang's fault and not the shader's (docs/llvm-findings.md); "
        "without clang's -disable-llvm-passes, or behind `opt -passes=always-inline`, there is no such call",
    )
