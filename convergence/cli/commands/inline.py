"""``convcheck inline``: controlled calls become bodies, the call's token in place of the callee's entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..plumbing import Exit, InputError
from ..plumbing.options import common, shaders
from .infer import transform

if TYPE_CHECKING:
    from ...ir.module import Module
    from ...transform.infer import Transformed


@click.command("inline")
@click.argument("file", metavar="FILE")
@click.option("--function", "functions", metavar="@f", multiple=True, help="Only calls in @f.")
@click.option(
    "--call",
    "calls",
    metavar="%x",
    multiple=True,
    help="Only these calls: %x, @callee for all its calls, or @callee#k. Of functions without tokens, too.",
)
@shaders
@common("text")
def command(file: str, functions: tuple[str, ...], calls: tuple[str, ...], **options: Any) -> Exit:
    """Inline FILE's controlled calls of defined functions, and write it as LLVM IR.

    The token of a callee's entry becomes the token of the call's bundle. Calls of functions whose
    tokens come from anchors only need no token. What cannot be inlined is kept, and it is said why.
    """

    def change(module: Module) -> Transformed:
        from ...transform.inline import CallSelection, call_names, inlined

        callers = tuple(name.removeprefix("@") for name in functions)
        for name in callers:
            function = module.functions.get(name)
            if function is None or function.is_declaration:
                from ...semantics import alternatives

                there = alternatives(f"@{name}", (f"@{f.name}" for f in module.definitions()))
                raise InputError(file, f"--function @{name}: there is no such definition{there}")
        known = call_names(module, callers or None)
        for call in calls:
            if call not in known:
                shown = ", ".join(sorted(known)) or "none"
                raise InputError(file, f"--call {call}: no such call of a definition; there are: {shown}")
        return inlined(module, CallSelection(callers or None, calls or None))

    return transform("inline", file, options, change, named=bool(calls))
