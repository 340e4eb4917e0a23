"""Notes of an answer: what is not modelled, how a text was read, and what a transform did."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...ir.calls import callee_name, unfit
from ...ir.instructions import CallSite
from ...ir.module import Module, Upgrade
from .documents import printable

if TYPE_CHECKING:
    from ...semantics.attributes import AttributeStanding, UnmodelledAttribute
    from ...transform.infer import Transformed

# ----------------------------------------------------------------------------------------------------------
# What is to be said of a program, however it runs.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# Which attributes of a program are not modelled, in words.
# ----------------------------------------------------------------------------------------------------------


def attribute_notes(module: Module, launched: Iterable[str]) -> tuple[str, ...]:
    """A line for each way of not being modelled: ``attributes that are not modelled: noalias (@f): ...``."""
    if not _has_words(module):
        return ()
    from ...semantics.attributes import AttributeStanding, unmodelled_attributes

    why = {
        AttributeStanding.PROMISE: "what breaks such a promise is undefined behaviour, "
        "which is not noticed here",
        AttributeStanding.EFFECT: "with them a program may do something else",
    }
    attributes = list(dict.fromkeys(a for name in launched for a in unmodelled_attributes(module, name)))
    named = {standing: _named(attributes, standing) for standing in why}
    return tuple(_line(functions, why[standing]) for standing, functions in named.items() if functions)


def _has_words(module: Module) -> bool:
    """Whether there may be attributes at all: small programs need not read what is known of each."""
    return any(
        function.attributes
        or function.return_attributes
        or any(parameter.attributes for parameter in function.parameters)
        or any(isinstance(instruction, CallSite) for instruction in function.instructions)
        for function in module.definitions()
    )


def _named(attributes: list[UnmodelledAttribute], standing: AttributeStanding) -> dict[str, list[str]]:
    """The functions of each attribute."""
    functions: dict[str, list[str]] = {}
    for attribute in attributes:
        if attribute.standing is standing:
            functions.setdefault(attribute.name, []).append(f"@{attribute.function}")
    return functions


def _line(functions: Mapping[str, Sequence[str]], why: str) -> str:
    names = ", ".join(f"{name} ({', '.join(of)})" for name, of in functions.items())
    return f"attributes that are not modelled: {names}: {why}"


def notes_of_both(source: Module, target: Module, pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Of the functions compared, each with its target's name: once where both sides say the same."""
    pairs = tuple(pairs)
    notes = attribute_notes(source, (name for name, _ in pairs))
    other = attribute_notes(target, (name for _, name in pairs))
    if notes == other:
        return notes
    return (*(f"source: {note}" for note in notes), *(f"target: {note}" for note in other))


# ----------------------------------------------------------------------------------------------------------
# What a compiler is known to write that makes a program undefined, with a way round.
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


# ----------------------------------------------------------------------------------------------------------
# What to know of how a text was read: where LLVM, and so convcheck, took it for something else.
# ----------------------------------------------------------------------------------------------------------


Note = tuple[int | None, int | None, str]
"""Line and column in the user's text, if it has a place there, and the sentence."""


def reading_notes(module: Module) -> Iterator[Note]:
    """What was read as something else."""
    if module.typed_pointer.start >= 0:
        place = (module.original or module.source).position(module.typed_pointer.start)
        yield place.line, place.column, "typed pointers are read as `ptr`, as LLVM 22 does"
    if module.upgrades:
        yield None, None, f"{_replaced(module.upgrades)}; positions are in LLVM's print of the file"


NOT_ASKED = "LLVM was not asked: convcheck's own reader took this for LLVM IR"
"""What every answer says of a module that was read without LLVM."""


def reading_standing(module: Module) -> str | None:
    """What every answer says of how the module was read: that LLVM was not asked, or of what text positions
    are, if not of the user's."""
    if module.without_llvm:
        return NOT_ASKED
    if not module.upgrades:
        return None
    return "positions are in LLVM's print of the file, as it replaced old intrinsics"


def _replaced(upgrades: Sequence[Upgrade]) -> str:
    """What LLVM put in place of old intrinsics."""
    old = [f"@{upgrade.old}" for upgrade in upgrades]
    if len(old) > 1:
        return f"LLVM replaced old intrinsics: {', '.join(old)}"
    (upgrade,) = upgrades
    new = " and ".join(f"@{name}" for name in upgrade.new if name != upgrade.old)
    if upgrade.new == (upgrade.old,):
        return f"{old[0]} has other parameters in LLVM 22, which rewrites its calls"
    return f"LLVM replaced the old intrinsic {old[0]}{' by ' + new if new else ''}"


# ----------------------------------------------------------------------------------------------------------
# A transformed module as text: what was done as comments, the file's own defaults, and the IR.
# ----------------------------------------------------------------------------------------------------------


def transformed_text(command: str, before: Module, after: Transformed, ir: str) -> str:
    """The answer of ``infer`` and ``inline``; ``ir`` is the module as LLVM IR.

    The file's ``CONVCHECK`` words stay, but for its paths where a function has other blocks now.
    """
    lines = [f"; convcheck {command}: {printable(str(note))}" for note in after.notes]
    words: list[str] = []
    for directive in before.directives:
        try:
            words += directive.words()
        except ValueError:  # a quote that is not closed: the line stays as faulty as it was
            lines.append(f"; CONVCHECK: {directive.text}")
    if not _same_blocks(before, after.module):
        words = _without_paths(words)
    if words:
        lines.append(f"; CONVCHECK: {shlex.join(words)}")
    return "\n".join([*(line.replace("\n", " ") for line in lines), ir])


def _same_blocks(before: Module, after: Module) -> bool:
    return before is after or all(
        [block.name for block in function.blocks] == [b.name for b in after.functions[function.name].blocks]
        for function in before.definitions()
    )


def _without_paths(words: Sequence[str]) -> list[str]:
    """Words without ``--path X`` and ``--path=X``."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--path":
            next(rest, None)
        elif not word.startswith("--path="):
            kept.append(word)
    return kept
