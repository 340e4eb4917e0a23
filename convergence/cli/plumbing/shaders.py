"""FILE may be SPIR-V: the module that it becomes, and what threads are promised."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

import click

from .options import RECONVERGENCE
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
        return translate(data, _model(name, data))


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    """Turns what reading SPIR-V raises into InputErrors."""
    from ...spirv import NotCovered, NotSPIRV

    try:
        yield
    except NotSPIRV as error:
        place = name if error.line is None else f"{name}:{error.line}"
        raise InputError(
            place if error.column is None else f"{place}:{error.column}", error.message
        ) from None
    except NotCovered as error:
        place = name if error.line is None else f"{name}:{error.line}"
        raise InputError(place, f"not supported: {error.what}", Exit.UNKNOWN) from None
    except RecursionError:
        raise InputError(name, "not supported: nested too deeply", Exit.UNKNOWN) from None


def module_of(name: str, data: bytes) -> tuple[Module, str, tuple[Diagnostic, ...]]:
    """The same as a module, what is to be said of it, and what breaks the rules of structured control flow.
    What the parser raises is left alone.

    :raises InputError: if it is no SPIR-V, or none that is read
    """
    from ...spirv import as_ir, structural

    spirv = translated(name, data)
    asks = spirv.module.asks_for_maximal
    told = "" if asks == (spirv.model == "maximal") else f", though the module asks for {_asked(asks)}"
    with _refusing(name):
        module = as_ir(spirv, name)
    return module, f"SPIR-V, reconvergence {spirv.model}{told}", structural(spirv, module)


def _asked(maximal: bool) -> str:
    return "maximal" if maximal else "base (it has no execution mode MaximallyReconvergesKHR)"


def _model(name: str, data: bytes) -> Reconvergence:
    """What ``--reconvergence`` says: of the command line, else of the file's CONVCHECK lines."""
    from ...spirv import Reconvergence
    from ...spirv.text import directives

    context = click.get_current_context(silent=True)
    said = None if context is None else context.meta.get(RECONVERGENCE)
    if said is None:
        for line, number in directives(data):
            try:
                words = shlex.split(line)
            except ValueError as error:
                raise InputError(f"{name}:{number}", f"CONVCHECK line: {str(error).lower()}") from None
            for word, behind in pairwise([*words, ""]):
                if word.startswith("--reconvergence"):
                    said = behind if word == "--reconvergence" else word.partition("=")[2]
    return Reconvergence(said) if said in tuple(Reconvergence) else Reconvergence.MAXIMAL
