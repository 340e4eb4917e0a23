"""``convcheck reduce``: a smaller program with the same fault; or the question for ``llvm-reduce``."""

from __future__ import annotations

import sys
from typing import Any

import click

from ...interruption import notice
from ..plumbing import Exit, InputError, complain, write
from ..plumbing.load import load, one_line
from ..plumbing.options import Count, Seconds, files, talking
from .refine import words


@click.command("reduce")
@click.argument("file", metavar="FILE", shell_complete=files)
@click.option("--passes", metavar="PIPELINE", required=True, help="The pipeline with the fault.")
@click.option("--function", metavar="@f", help="The function that is launched: the first by default.")
@click.option("--kind", metavar="KIND", help="What FILE shows: wrong, or invalid-output S-RULE.")
@click.option("--opt", metavar="PATH", help="The `opt` to run the passes with.")
@click.option("--opt-args", metavar="'...'", multiple=True, callback=words, help="Flags for opt and LLVM.")
@click.option("--threads", type=Count(min=1), metavar="N", help="Threads; two and three by default.")
@click.option(
    "--max-launches",
    type=Count(min=1),
    default=30,
    show_default=True,
    metavar="N",
    help="Inputs compared for each candidate.",
)
@click.option("--timeout", type=Seconds(min=0), metavar="S", help="Give what is found by then.")
@click.option(
    "--interestingness",
    is_flag=True,
    help="Answer once for FILE, as llvm-reduce --test wants it: exit code 0 if it shows the fault, else 1.",
)
@click.option("-o", "--output", metavar="FILE", shell_complete=files, help="Write the program to FILE.")
@talking("No progress.")
def command(file: str, **options: Any) -> Exit:
    """Make FILE smaller as long as a pipeline goes wrong on it in the same way.

    Hearts keep their cycles and uses their tokens: every candidate keeps the static rules.
    """
    from ...fuzz.campaign import LLVM, NO_FINDINGS, SHOWN, CheckLimits, FindingKind, check, same
    from ...fuzz.reduce import reduce
    from ...parser.printer import print_module
    from ...semantics import NotModelled, UsageError
    from ...semantics.machine.launch import launched_function

    loaded = load(file)
    if not loaded.module.definitions():
        raise InputError(loaded.name, "there is no function to launch")
    llvm = LLVM(options["opt"], options["opt_args"])
    limits = CheckLimits(options["threads"], options["max_launches"])
    text = print_module(loaded.module)
    how = options["passes"], llvm, limits
    try:
        name = options["function"] or loaded.module.definitions()[0].name
        function = launched_function(loaded.module, name.removeprefix("@")).name
        checked = check(text, function, *how)
    except (UsageError, NotModelled) as error:
        if options["interestingness"]:
            return Exit.FAILS
        words = error.command_line if isinstance(error, UsageError) else str(error)
        raise InputError(loaded.name, one_line(words)) from None
    kind = None if options["kind"] is None else FindingKind.named(options["kind"])
    if kind is not None and kind.answer not in SHOWN:
        raise click.BadParameter(f"{kind.answer!r} is none of {', '.join(SHOWN)}", param_hint="--kind")
    if options["interestingness"]:
        return Exit.HOLDS if (checked.bad if kind is None else checked.kind == kind) else Exit.FAILS
    if kind is None:
        if checked.kind.answer == "refused":  # by LLVM, which reads no smaller one either
            raise InputError(loaded.name, checked.words)
        kind = checked.kind
    if checked.kind != kind or kind.answer in NO_FINDINGS:
        complain(
            f"{loaded.name}: nothing to reduce: {options['passes']} gives {checked.kind} ({checked.words})"
        )
        return Exit.UNKNOWN
    if not options["quiet"]:
        complain(f"{loaded.name}: {kind}")
    terminal = sys.stderr.isatty() and not options["quiet"]

    def progress(lines: int) -> None:
        if terminal:
            sys.stderr.write(f"\r\x1b[K{lines} lines")
            sys.stderr.flush()

    question = same(options["passes"], function, kind, llvm, limits, checked.difference)
    reduction = reduce(text, question, timeout=options["timeout"], progress=progress)
    if terminal:
        sys.stderr.write("\r\x1b[K")
    write(reduction, options["output"])
    if not notice():
        return Exit.HOLDS
    complain(f"{loaded.name}: interrupted: it may become smaller")
    return Exit.UNKNOWN
