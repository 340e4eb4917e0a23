"""A text read without LLVM: our own reader says whether it is LLVM IR, as far as it can tell.

Bodies are read at once, so that a fault is said where the text is read and not when somebody looks; what LLVM
would have said is checked as far as a run rests on it (``well_formed``). Intrinsics keep the names that the
text gives them, and have the attributes of a table that was made when LLVM was asked (``own_intrinsics``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..ir.calls import callee_name
from ..ir.instructions import CallSite
from ..ir.module import Function, Module, Parameter
from ..source import Source, Span
from .assemble import Assembler
from .errors import NotLLVM, Unsupported
from .guards import refuse_unreadable
from .intrinsics import PREFIX
from .own_intrinsics import attributes
from .well_formed import faults

_STRAY = re.compile(r"\s*(\S+)")


def read(source: Source) -> Module:
    """The module that a text spells, with all its bodies read.

    :raises NotLLVM: with the place, if our own reader cannot read it, or something does not fit together
    """
    refuse_unreadable(source.text)
    try:
        module = Assembler(source).module({})
        _look_at_all(module)
    except Unsupported as error:
        raise _refusal(error, source) from None
    module = replace(
        module,
        functions={**module.functions, **{f.name: f for f in _undeclared(module)}},
        without_llvm=True,
    )
    module = replace(
        module,
        intrinsics={name: attributes(name) for name in module.functions if name.startswith(PREFIX)},
    )
    for fault in faults(module):
        line, column = source.position(fault.span.start) if fault.span.start >= 0 else (None, None)
        raise NotLLVM(fault.message, line, column, fault.span if fault.span.start >= 0 else None)
    return module


def _look_at_all(module: Module) -> None:
    """Read what is read at the first look."""
    for function in module.functions.values():
        if function.body is not None:
            _ = function.blocks
    for mapping in (module.globals, module.aliases, module.metadata, module.named_metadata):
        for name in mapping:
            _ = mapping[name]


def _refusal(error: Unsupported, source: Source) -> NotLLVM:
    span = None
    if error.offset is not None:
        stray = _STRAY.match(source.text, error.offset)
        span = Span(error.offset, error.offset + 1) if stray is None else Span(*stray.span(1))
    return NotLLVM(error.message, error.line, error.column, span)


def _undeclared(module: Module) -> Iterator[Function]:
    """Declarations of the intrinsics that calls use without one: LLVM adds them, too."""
    added: set[str] = set()
    for function in module.definitions():
        for instruction in function.instructions:
            if not isinstance(instruction, CallSite):
                continue
            name = callee_name(instruction)
            if name is None or not name.startswith(PREFIX) or name in module.functions or name in added:
                continue
            added.add(name)
            parameters = tuple(Parameter(p, str(i)) for i, p in enumerate(instruction.type.parameters))
            yield Function(name, instruction.type, parameters, implicit=True)
