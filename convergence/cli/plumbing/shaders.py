"""FILE may be SPIR-V: the module that it becomes, and what threads are promised."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

import click

from .options import CONSTANTS, RECONVERGENCE, constant
from .output import Exit, InputError

if TYPE_CHECKING:
    from ...diagnostics import Diagnostic
    from ...ir.module import Module
    from ...spirv import SPIRV, Reconvergence


def translated(name: str, data: bytes) -> SPIRV:
    """SPIR-V as LLVM IR, with the promise that the command line asks for, or the file.

    :raises InputError: if it is no SPIR-V, or none that is read
    """
    from ...spirv import translate

    with _refusing(name):
        return translate(data, _model(name, data), constants(name, data))


def specialized(name: str, data: bytes, binary: bytes) -> bytes:
    """The binary that is run in place of ``data``, with the values that specialization constants are given.

    :raises InputError: for a constant that there is not, and for what is no value of its type
    """
    from ...spirv.constants import specialized_binary, specialized_values
    from ...spirv.reading import instructions_of

    with _refusing(name):
        return specialized_binary(binary, specialized_values(instructions_of(data), constants(name, data)))


def specialized_ir(name: str, module: Module, values: Mapping[str, str]) -> Module:
    """LLVM IR with the values that specialization constants are given.

    :raises InputError: for a constant that there is not, and for what is no value of its type
    """
    from ...transform.specialize import specialized_module

    with _refusing(name):
        return specialized_module(module, values)


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    """Turns what reading SPIR-V raises into InputErrors."""
    from ...spirv import NotCovered, NotSpecialized, NotSPIRV

    try:
        yield
    except NotSpecialized as error:
        raise InputError(name, str(error)) from None
    except NotSPIRV as error:
        place = name if error.line is None else f"{name}:{error.line}"
        raise InputError(
            place if error.column is None else f"{place}:{error.column}", error.message
        ) from None
    except NotCovered as error:
        place = name if error.line is None else f"{name}:{error.line}"
        raise InputError(place, f"not supported: {error.feature}", Exit.UNKNOWN) from None
    except RecursionError:
        raise InputError(name, "not supported: nested too deeply", Exit.UNKNOWN) from None


def module_of(name: str, data: bytes, whole: bool = False) -> tuple[Module, str, tuple[Diagnostic, ...]]:
    """The same as a module, what is to be said of it, and what breaks the rules of structured control flow.
    What the parser raises is left alone. ``whole``: all of it is to be read.

    :raises InputError: if it is no SPIR-V, or none that is read
    """
    from ...spirv import as_ir, structural

    spirv = translated(name, data)
    with _refusing(name):
        if whole and spirv.translation.unread:
            raise spirv.translation.unread[0]
    asks = spirv.module.asks_for_maximal
    warning = "" if asks == (spirv.model == "maximal") else f", though the module asks for {_words(asks)}"
    with _refusing(name):
        module = as_ir(spirv, name)
    values = "".join(f", {word}={value}" for word, value in constants(name, data).items())
    said = f"SPIR-V, reconvergence {spirv.model}{warning}{values}{_undecided(spirv)}{_left_out(spirv)}"
    return module, said, structural(spirv, module)


_NAMED = 4
"""How many lines are named of those that would be."""


def _undecided(spirv: SPIRV) -> str:
    """The branches whose uniformity would promise more than the answer says."""
    lines = sorted(spirv.translation.undecided)
    if not lines:
        return ""
    names = ", ".join(map(str, lines[:_NAMED])) + (f" and {len(lines) - _NAMED} more" * (len(lines) > _NAMED))
    where = f"the branch at line {names} is" if len(lines) == 1 else f"the branches at lines {names} are"
    return f"; where {where} uniform, SPIR-V promises more"


def _left_out(spirv: SPIRV) -> str:
    """What is not read of a module, which stops the threads that come to it."""
    unread = spirv.translation.unread
    if not unread:
        return ""
    more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
    return f"; not supported, where a thread comes to it: {unread[0].feature}{more}"


def _words(maximal: bool) -> str:
    return "maximal" if maximal else "base (it has no execution mode MaximallyReconvergesKHR)"


def _model(name: str, data: bytes) -> Reconvergence:
    """What ``--reconvergence`` says: of the command line, else of the file's CONVCHECK lines."""
    from ...spirv import Reconvergence

    context = click.get_current_context(silent=True)
    option = None if context is None else context.meta.get(RECONVERGENCE)
    if option is None:
        option = next((word for word in reversed(_directive_values(name, data, "--reconvergence"))), None)
    return Reconvergence(option) if option in tuple(Reconvergence) else Reconvergence.MAXIMAL


def constants(name: str, data: bytes) -> Mapping[str, str]:
    """What ``--spec`` says of specialization constants: of the command line, and of the file's CONVCHECK
    lines where that says nothing of one."""
    context = click.get_current_context(silent=True)
    values: Mapping[str, str] = {} if context is None else context.meta.get(CONSTANTS, {})
    try:
        own = dict(map(constant, _directive_values(name, data, "--spec")))
    except click.BadParameter as error:
        raise InputError(name, f"CONVCHECK line: {error.message}") from None
    return {**own, **values}


def _directive_values(name: str, data: bytes, option: str) -> list[str]:
    """The values that a file's CONVCHECK lines give an option."""
    from ...spirv.instruction import directives

    values: list[str] = []
    for line, number in directives(data):
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise InputError(f"{name}:{number}", f"CONVCHECK line: {str(error).lower()}") from None
        for word, behind in pairwise([*words, ""]):
            if word == option:
                values.append(behind)
            elif word.startswith(f"{option}="):
                values.append(word.removeprefix(f"{option}="))
    return values
