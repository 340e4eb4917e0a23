"""``convcheck infer``: an uncontrolled function becomes a controlled one, by LLVM's documented procedure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..plumbing.options import common, shaders
from ..plumbing.output import Exit
from ..plumbing.transforming import transform

if TYPE_CHECKING:
    from ...ir.module import Module
    from ...transform.infer import Transformed


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
        from ..plumbing.output import InputError

        names = tuple(name.removeprefix("@") for name in mark_convergent)
        for name in names:
            function = module.functions.get(name)
            if function is None or function.is_declaration:
                from ...semantics.errors import alternatives

                there = alternatives(f"@{name}", (f"@{f.name}" for f in module.definitions()))
                raise InputError(file, f"--mark-convergent @{name}: there is no such definition{there}")
        return inferred(module, names)

    return transform("infer", file, options, change, named=True)
