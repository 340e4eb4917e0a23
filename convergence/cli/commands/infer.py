"""``convcheck infer``: an uncontrolled function becomes a controlled one, by LLVM's documented procedure; and
what ``inline`` does alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ...diagnostics import Severity
from ..plumbing import Exit, InputError, complain, style, write
from ..plumbing.load import LoadedFile, load, reading
from ..plumbing.options import common, shaders

if TYPE_CHECKING:
    from ...ir.module import Module
    from ...transform.infer import Transformed

# ----------------------------------------------------------------------------------------------------------
# What both do: read a file, refuse a broken one, change it, check it, write it.
# ----------------------------------------------------------------------------------------------------------


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
    from ...report.parts import words as transformed

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
    from ..plumbing.load import broken

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
    from ..plumbing.load import refusal

    try:
        module = parse(ir)
        diagnostics = verify(module)
    except (NotLLVM, Unsupported) as error:
        return str(error.message)
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.ERROR:
            return f"{diagnostic.rule.id}: {diagnostic.message}"
    return refusal(module, diagnostics)


# ----------------------------------------------------------------------------------------------------------
# The command.
# ----------------------------------------------------------------------------------------------------------


@click.command("infer")
@click.argument("file", metavar="FILE")
@click.option(
    "--mark-convergent",
    metavar="@f",
    multiple=True,
    help="Make @f convergent first, if it is not, so that it may have entry and not only anchor.",
)
@shaders
@common("text")
def command(file: str, mark_convergent: tuple[str, ...], **options: Any) -> Exit:
    """Infer tokens for FILE's uncontrolled functions, and write it as LLVM IR.

    The procedure is that of LLVM's Convergent Operation Semantics, "Inferring Tokens": irreducible
    cycles are made reducible, entry starts the entry block, loop starts every loop header, and
    every uncontrolled convergent operation gets the token of its cycle's heart, or of entry.
    """

    def change(module: Module) -> Transformed:
        from ...transform.infer import inferred

        names = tuple(name.removeprefix("@") for name in mark_convergent)
        for name in names:
            function = module.functions.get(name)
            if function is None or function.is_declaration:
                from ...semantics import alternatives

                there = alternatives(f"@{name}", (f"@{f.name}" for f in module.definitions()))
                raise InputError(file, f"--mark-convergent @{name}: there is no such definition{there}")
        return inferred(module, names)

    return transform("infer", file, options, change, named=True)
