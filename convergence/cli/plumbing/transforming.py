"""What ``infer`` and ``inline`` share: read a file, refuse a broken one, change it, check it, write it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...diagnostics import Severity
from .load import LoadedFile, load, reading
from .output import Exit, complain, style, write

if TYPE_CHECKING:
    from ...ir.module import Module
    from ...transform.infer import Transformed


def transform(
    command: str,
    file: str,
    options: dict[str, Any],
    change: Callable[[Module], Transformed],
    named: bool = False,
) -> Exit:
    """Write FILE's module, changed, as LLVM IR that keeps the static rules; say what was done.

    ``named``: what was to be changed was asked for by name, so that refusing it is a failure. The code is
    1 where the file breaks a static rule, 3 where something that should be changed cannot be.
    """
    loaded = load(file)
    broken = _broken(loaded, options)
    if broken is not None:
        return broken
    from ...parser.printer import print_module
    from ...report.parts import notes as transformed

    with reading(loaded.name):
        after = change(loaded.module)
        ir = print_module(after.module)
    refused = any(note.kind == "refused" for note in after.notes)
    if after.module is not loaded.module:
        wrong = _wrong(ir)
        if wrong is not None:
            complain(f"{loaded.name}: the result is no valid module ({wrong}): this is a bug in convcheck")
            return Exit.OUR_BUG
    if loaded.module.without_llvm and not options["quiet"]:
        complain(f"{loaded.name}: note: {loaded.note}")
    for note in after.notes:
        if not options["quiet"] or (named and note.kind == "refused"):
            complain(f"{loaded.name}: {note}")
    write(transformed.transformed_text(command, loaded.module, after, ir), options["output"])
    return Exit.UNKNOWN if named and refused else Exit.HOLDS


def _broken(loaded: LoadedFile, options: dict[str, Any]) -> Exit | None:
    """Says which static rules the file breaks. :raises InputError: if LLVM refuses it for another reason"""
    from ..commands.verify import broken

    diagnostics = broken(loaded)
    if diagnostics is None:
        return None
    from ...report import verify as text

    lines = text.text([diagnostics], style(options["color"], None), quiet=True)
    write(lines + "The static rules are broken: nothing was changed.\n", None)
    return Exit.FAILS


def _wrong(ir: str) -> str | None:
    """What is wrong with a result, by our rules or by LLVM's verifier."""
    from ...parser import NotLLVM, Unsupported, parse
    from ...verifier import verify
    from ..commands.verify import refusal

    try:
        module = parse(ir)
        diagnostics = verify(module)
    except (NotLLVM, Unsupported) as error:
        return str(error.message)
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.ERROR:
            return f"{diagnostic.rule.id}: {diagnostic.message}"
    return refusal(module, diagnostics)
