"""What one side's calls say of a declared function, and the other side's do not.

Calls may say ``convergent`` where the declaration of their callee does not. Who is called is known, and its
declaration says that it does not communicate: so a pass may drop the word from such a call (``instcombine``
does), and what the word held in place may move from then on. It stays where a call goes through a pointer, or
has a token. And calls may say ``noreturn``, which the other side's need not repeat. (semantics.md, *Outcomes
and refinement*)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...ir.calls import callee_name, control, is_convergent_function, token_used
from ...ir.instructions import CallSite, Instruction
from ...ir.module import Function, Module
from ...transform.rewrite import with_blocks, with_functions

WORD = "convergent"
ENDS = "noreturn"


def droppable(first: Module, second: Module) -> frozenset[str]:
    """The functions, declared on both sides without ``convergent``, of which one side says it at a call, and
    the other one at some call does not."""
    marks = [_marks(side) for side in (first, second)]
    apart = {
        name
        for mine, its in (marks, reversed(marks))
        for name, flags in mine.items()
        if True in flags and False in its.get(name, ())
    }
    return frozenset(name for name in apart if all(_promises_none(side, name) for side in (first, second)))


def without_marks(module: Module, names: frozenset[str]) -> Module:
    """The module, in which no call of the functions ``names`` says ``convergent``."""
    return with_functions(module, {f.name: _unmarked(f, module, names) for f in module.definitions()})


def ends_calls(first: Module, second: Module) -> frozenset[str]:
    """The declared functions that never return where ``first`` calls them, as each of its calls or the
    declaration says (LangRef, ``noreturn``), and of which ``second`` does not say so. They are the same
    functions there, and come back no more; a pass may drop the word."""
    ended = frozenset(
        name
        for name in _ended(first)
        if name in second.functions and second.functions[name].is_declaration and not name.startswith("llvm.")
    )
    return ended - _ended(second) if ended else ended


def with_ends(module: Module, names: frozenset[str]) -> Module:
    """The module, in which no function of these comes back."""
    functions = {n: module.functions[n] for n in names}
    ended = {n: replace(f, attributes=(*f.attributes, ENDS)) for n, f in functions.items()}
    return replace(module, functions={**module.functions, **ended})


def _ended(module: Module) -> frozenset[str]:
    """The declared functions of which each call says that it does not come back."""
    calls: dict[str, list[bool]] = {}
    for call in _calls(module.definitions()):
        name = callee_name(call)
        function = module.functions.get(name or "")
        if name is not None and function is not None and function.is_declaration:
            words = (*module.resolve(call.attributes), *module.resolve(function.attributes))
            calls.setdefault(name, []).append(ENDS in words)
    return frozenset(name for name, ends in calls.items() if all(ends))


def _unmarked(function: Function, module: Module, names: frozenset[str]) -> Function:
    if not any(callee_name(c) in names for c in _calls((function,))):
        return function
    return with_blocks(
        function,
        (
            replace(block, instructions=tuple(_plain(i, module, names) for i in block.instructions))
            for block in function.blocks
        ),
    )


def _plain(instruction: Instruction, module: Module, names: frozenset[str]) -> Instruction:
    if not isinstance(instruction, CallSite) or callee_name(instruction) not in names:
        return instruction
    words = module.resolve(instruction.attributes)
    return replace(instruction, attributes=tuple(word for word in words if word != WORD))


def _marks(module: Module) -> dict[str, set[bool]]:
    """By the name of what is called: whether its calls say it."""
    flags: dict[str, set[bool]] = {}
    for call in _calls(module.definitions()):
        name = callee_name(call)
        if name is not None and control(call) is None and token_used(call) is None:
            flags.setdefault(name, set()).add(WORD in module.resolve(call.attributes))
    return flags


def _promises_none(module: Module, name: str) -> bool:
    """Whether a function is declared, is no intrinsic, and is not called convergent there."""
    function = module.functions.get(name)
    declared = function is not None and function.is_declaration and not name.startswith("llvm.")
    controlled = any(
        callee_name(c) == name and token_used(c) is not None for c in _calls(module.definitions())
    )
    return declared and not controlled and not is_convergent_function(module, name)


def _calls(functions: Iterable[Function]) -> Iterator[CallSite]:
    return (i for function in functions for i in function.instructions if isinstance(i, CallSite))
