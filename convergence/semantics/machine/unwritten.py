"""Which functions without a model may have written to memory, that a run left as it was (D-CALL)."""

from __future__ import annotations

from collections.abc import Iterable

from ...ir.calls import argument_words
from ...ir.instructions import CallSite
from ...ir.operands import Global
from ...ir.types import PointerType
from ..operations.model import Callee
from .log import Called, Log, ObservedEvent
from .program import Program

_NOT_WRITTEN = frozenset(("readonly", "readnone"))
_PRINTS = frozenset(("printf", "vprintf", "puts"))
"""They only read: OpenCL and CUDA have no ``%n``."""


def unwritten(program: Program, log: Log) -> tuple[str, ...]:
    """The declared functions without a model that threads called, and that may have written behind a pointer
    that they were given, in the order of the calls."""
    functions = program.module.functions
    sites = dict.fromkeys((e.callee, e.instance.site) for e in _calls(log))
    writers: dict[str, None] = {}
    for name, site in sites:
        call = functions[site.function].instructions[site.index]
        if isinstance(call, CallSite) and name in functions and _may_write(program, name, call):
            writers[name] = None
    return tuple(writers)


def _calls(log: Log) -> Iterable[Called]:
    observed = (event.event for event in log if isinstance(event, ObservedEvent))
    return (event for event in observed if isinstance(event, Called))


def _may_write(program: Program, name: str, call: CallSite) -> bool:
    promised = program.effects(name, call)
    if name in _PRINTS or not promised.writes or "argmem" not in promised.written_at:
        return False
    if program.table.model(Callee.of(name, call, program.context)) is not None:
        return False
    function = program.module.functions[name]
    for place, argument in enumerate(call.arguments):
        words = argument_words(program.module, call, place, function)
        if isinstance(argument.value.type, PointerType) and _NOT_WRITTEN.isdisjoint(words):
            if not _is_constant(program, argument.value):
                return True
    return False


def _is_constant(program: Program, operand: object) -> bool:
    """Whether it is the address of a variable that nobody writes to, as a format is."""
    if not isinstance(operand, Global):
        return False
    variable = program.module.globals.get(operand.name)
    return variable is not None and variable.constant
