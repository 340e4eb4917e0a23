"""``convcheck verify``: the static rules, over one or more files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...diagnostics import (
    ALL,
    DEFAULT_LEVELS,
    Severity,
    UnknownWarningError,
    WarningLevels,
    warning_rules,
)
from ...interruption import notice
from ...report.parts import VerifiedFile
from ..plumbing import INTERRUPTED, Exit, InputError, complain, style, worst, write
from ..plumbing.load import load, reading, refusal
from ..plumbing.options import common, shaders
from ..plumbing.options import files as complete_files

if TYPE_CHECKING:
    pass


def check(file: str, levels: WarningLevels = DEFAULT_LEVELS) -> tuple[VerifiedFile, Exit]:
    """What the rules, and LLVM's own verifier, say of one file, warnings by ``levels`` or the defaults."""
    try:
        loaded = load(file, whole=True)
        from ...verifier import verify

        with reading(loaded.name):
            diagnostics = (*loaded.structural, *verify(loaded.module, levels))
            refused = refusal(loaded.module, diagnostics)
    except InputError as error:
        complain(str(error))
        return VerifiedFile(file, None, error=str(error)), error.code
    fails = any(d.severity is Severity.ERROR for d in diagnostics)
    if refused is not None:
        complain(f"{loaded.name}: {refused}")
    checked = VerifiedFile(loaded.name, loaded.module, diagnostics, refused, loaded.note)
    if fails:  # established, whatever else LLVM refuses
        return checked, Exit.FAILS
    return checked, Exit.HOLDS if refused is None else Exit.INPUT


def _unless_interrupted(file: str, levels: WarningLevels) -> tuple[VerifiedFile, Exit]:
    """The same; of a file that an interrupt left no time for, that it was so."""
    try:
        if not notice():
            return check(file, levels)
    except KeyboardInterrupt:
        notice()
    return VerifiedFile(file, None, error=INTERRUPTED), Exit.UNKNOWN


def _levels(words: tuple[str, ...]) -> WarningLevels:
    """:raises click.UsageError: for a word that names no warning"""
    levels = DEFAULT_LEVELS
    for word in words:
        try:
            levels = levels.with_word(word)
        except UnknownWarningError as error:
            from difflib import get_close_matches

            names = [rule_id.removeprefix("W-").lower() for rule_id in warning_rules()]
            near = get_close_matches(error.name.removeprefix("w-"), names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}, and {ALL}"
            raise click.UsageError(f"-W{error.word}: there is no warning {error.name!r}: {hint}") from None
    return levels


def complete_warnings(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """For the shell's completion: the words that begin so."""
    names = [rule_id.removeprefix("W-").lower() for rule_id in warning_rules()]
    words = [form + name for form in ("", "no-", "error=", "no-error=") for name in (*names, ALL)]
    return [word for word in (*words, "error", "no-error") if word.startswith(incomplete.lower())]


@click.command("verify")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, shell_complete=complete_files)
@click.option(
    "-W",
    "words",
    metavar="WORD",
    multiple=True,
    shell_complete=complete_warnings,
    help="Warnings, as compilers have it: -WNAME says one, -Wno-NAME does not, -Werror=NAME makes it an "
    "error, -Werror all. `convcheck explain` lists the names.",
)
@shaders
@common("text", "json", "sarif", "github", "junit")
def command(
    files: tuple[str, ...],
    words: tuple[str, ...],
    form: str,
    output: str | None,
    color: str,
    quiet: bool,
    verbose: bool,
) -> Exit:
    """Check the static rules of convergence control: every violation, with its witness."""
    levels = _levels(words)
    results = [_unless_interrupted(file, levels) for file in files]
    checked = [diagnostics for diagnostics, _ in results]
    if any(diagnostics.error == INTERRUPTED for diagnostics in checked):
        complain(INTERRUPTED)
    write(_render(checked, form, output, color, quiet), output)
    return worst(code for _, code in results)


def _render(checked: list[VerifiedFile], form: str, output: str | None, color: str, quiet: bool) -> str:
    from ...report import verify

    match form:
        case "json":
            return verify.json(checked)
        case "sarif":
            return verify.sarif(checked)
        case "github":
            return verify.github(checked)
        case "junit":
            return verify.junit(checked)
        case _:
            return verify.text(checked, style(color, output), quiet)
