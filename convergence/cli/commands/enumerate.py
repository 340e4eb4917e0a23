"""``convcheck enumerate``: all legal alignments and all outcomes, from either engine or from both."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ..plumbing import Exit, complain, style, worst, write
from ..plumbing.load import BuffersAtEnd, LoadedFile, at_ends, buffers, launching, load
from ..plumbing.options import (
    Count,
    all_blocks,
    common,
    executing,
    files,
    legend,
    shaders,
    synchrony,
    with_defaults,
)
from .run import _broken, _Runner

if TYPE_CHECKING:
    from ...sched.choices.search import SearchProgress
    from ...sched.enumeration import Enumeration

PATIENCE = 2.0
"""Seconds after which a terminal is told how far it is."""
SHOWN = 10
"""Alignments and outcomes of either engine alone that a disagreement shows."""


@click.command("enumerate")
@click.argument("file", metavar="FILE", shell_complete=files)
@executing
@click.option(
    "--engine",
    type=click.Choice(["operational", "axiomatic", "both"]),
    default="operational",
    show_default=True,
    help="Which engine; `both` compares them and fails with exit code 4 if they differ.",
)
@synchrony
@click.option(
    "--max-executions",
    type=Count(min=1),
    metavar="N",
    help="Bound on the executions that the operational engine looks at.",
)
@click.option(
    "--seed",
    metavar="S",
    help="Draw executions at random by this seed (--max-executions of them, "
    "1000 by default): never complete.",
)
@buffers
@legend
@all_blocks
@shaders
@common("text", "json", "svg", "github")
@click.pass_context
def command(ctx: click.Context, /, file: str, **_: Any) -> Exit:
    """Enumerate all legal alignments and all outcomes of FILE.

    Exit code 1 if some execution is undefined or cannot end, or none is legal; 3 if a bound was hit.
    """
    loaded = load(file)
    options = with_defaults(ctx, loaded.module, loaded.name)
    if options["seed"] is not None and options["engine"] != "operational":
        raise click.UsageError("--seed is for the operational engine")
    if options["synchrony"] != "none" and options["engine"] != "operational":
        raise click.UsageError("--synchrony is for the operational engine")
    if not options["no_verify"]:
        broken = _broken(loaded)
        if broken is not None:
            text, code = broken(options)
            write(text, options["output"])
            return code
    return _EnumerateAnswer(loaded, options, not options["no_verify"]).give()


class _EnumerateAnswer:
    """One ``enumerate`` command: the launch as asked for, and its answer."""

    def __init__(self, loaded: LoadedFile, options: dict[str, Any], verified: bool) -> None:
        self.loaded, self.module, self.options = loaded, loaded.module, options
        # whose --engine says how a run goes, which here is another question
        spec = _Runner(loaded, {**options, "engine": "auto"}, verified).spec
        self.spec = spec.within(max_executions=options["max_executions"]).begun()

    def give(self) -> Exit:
        """Enumerate, write the answer, say how it went."""
        engine = self.options["engine"]
        if engine == "both":
            return self._both()
        enumeration = self._operational() if engine == "operational" else self._axiomatic()
        write(self._text(enumeration), self.options["output"])
        return exit_code(enumeration)

    def _both(self) -> Exit:
        """Both engines' answer if they agree as far as both are complete, else what only one has."""
        from ...report.parts.words import words
        from ...sched.engines import Disagreement, agreed

        first, second = self._operational(), self._axiomatic()
        try:
            enumeration = agreed(first, second)
        except Disagreement as error:
            complain(f"{self.loaded.name}: {error}: this is a bug in convcheck")
            if self.options["form"] == "json":
                write(self._text(first, second), self.options["output"])
            elif self.options["form"] == "text":
                write(_difference(first, second), self.options["output"])
            else:  # neither pictures nor a check's remarks have a place for two answers
                click.echo(_difference(first, second), err=True, nl=False)
            return Exit.OUR_BUG
        write(self._text(enumeration), self.options["output"])
        if enumeration.engine == "both":
            return exit_code(enumeration)
        for engine in (first, second):
            if engine.bound is not None:
                cut = f"the {engine.engine} engine is not complete: {words(engine.bound)}"
                complain(f"{self.loaded.name}: not compared: {cut}")
        return worst([exit_code(enumeration), Exit.UNKNOWN])

    def _operational(self) -> Enumeration:
        from ...sched.choices.search import explore
        from ...sched.choices.synchrony import LEVELS

        options = self.options
        with _Told(options["quiet"]) as progress_line:
            return self._guarded(
                explore,
                seed=options["seed"],
                progress=progress_line,
                synchrony=LEVELS[options["synchrony"]],
            )

    def _axiomatic(self) -> Enumeration:
        from ...packages import required

        required("z3", "the axiomatic engine")
        from ...sched.constraints.search import enumerate_axiomatic

        return self._guarded(enumerate_axiomatic)

    def _guarded(self, engine: Callable[..., Enumeration], **extra: Any) -> Enumeration:
        with launching(self.loaded.name):
            return engine(self.module, self.spec, **extra)

    def _text(self, enumeration: Enumeration, other: Enumeration | None = None) -> str:
        """An engine's answer in the form that was asked for; as JSON with that of another that differs."""
        from ...alignment import picture
        from ...semantics.machine.launch import launched_function
        from ...semantics.machine.run import contents_at_launch

        options = self.options
        function = launched_function(self.module, self.spec.function).name
        held = self._buffers(enumeration)
        if options["form"] == "svg":
            from ...report import enumerate as enumerate_text
            from ...report.parts import svg

            drawn = [(a.execution, a.groups) for a in enumeration.alignments]
            how = (self.module, function, options["all_blocks"], self.spec.dfs)
            return svg.alignments(drawn, enumerate_text.summary(enumeration), *how, legend=options["legend"])
        if options["form"] == "github":
            from ...report.enumerate import github

            return github(self.loaded.name, self.module, enumeration)
        quiet = options["quiet"] and options["form"] == "text"
        shown = () if quiet else enumeration.alignments
        how = (self.module, function, options["all_blocks"], self.spec.dfs)
        pictures = [picture(a.execution, *how) for a in shown]
        from ...report.parts.words import program_notes

        notes = [*enumeration.notes, *program_notes(self.module, [function])]
        notes += [] if self.loaded.note is None else [self.loaded.note]
        notes += [note for at_outcomes_end in held for note in at_outcomes_end.notes]
        of_outcomes = [at_outcomes_end.shown for at_outcomes_end in held]
        if options["form"] == "json":
            from ...report import enumerate as enumerate_json
            from ...report import parts as json
            from ...semantics.machine.run import prepare_run

            _, launch = prepare_run(self.module, self.spec)
            document = enumerate_json.answer(enumeration, self.module, launch, pictures, notes, of_outcomes)
            if other is not None:
                document["disagreement"] = enumerate_json.disagreement(
                    other, self.module, [picture(a.execution, *how) for a in other.alignments]
                )
            return json.dump(document)
        from ...report import enumerate as enumerate_text

        dress = style(options["color"], options["output"])
        before = contents_at_launch(self.module, self.spec)
        return enumerate_text.text(
            enumeration, self.module, pictures, before, notes, dress, options["quiet"], options["verbose"],
            of_outcomes,
        )  # fmt: skip

    def _buffers(self, enumeration: Enumeration) -> list[BuffersAtEnd]:
        """What is shown of each outcome's buffers; what is to be saved is."""
        from ...semantics.machine.run import prepare_run

        return at_ends(enumeration, *prepare_run(self.module, self.spec), self.options, self.loaded.name)


def _difference(first: Enumeration, second: Enumeration) -> str:
    """What only one of two engines found."""
    lines = []
    for mine, theirs in ((first, second), (second, first)):
        known = {a.alignment for a in theirs.alignments}
        only = [a.alignment for a in mine.alignments if a.alignment not in known]
        lines.append(f"Alignments: {mine.engine} {len(mine.alignments)}, {len(only)} of them alone")
        lines += [f"  {_classes(alignment)}" for alignment in only[:SHOWN]]
        ends = {o.identity for o in theirs.outcomes}
        alone = [o for o in mine.outcomes if o.identity not in ends]
        lines.append(f"Outcomes: {mine.engine} {len(mine.outcomes)}, {len(alone)} of them alone")
        lines += [f"  {o.ending} {o.outcome}" for o in alone[:SHOWN]]
    return "\n".join(lines) + "\n"


def _classes(alignment: Any) -> str:
    return " ".join(
        "{" + ", ".join(f"@{m.site.function}:{m.site.index} thread {m.thread} #{m.nth}" for m in group) + "}"
        for group in alignment
        if len(group) > 1
    )


class _Told:
    """Progress on a terminal's standard error, on one line that goes away again."""

    def __init__(self, quiet: bool) -> None:
        self._on = sys.stderr.isatty() and not quiet
        self._wrote = False

    def __enter__(self) -> Callable[[SearchProgress], None] | None:
        return self._tell if self._on else None

    def _tell(self, progress: SearchProgress) -> None:
        if progress.seconds < PATIENCE:
            return
        self._wrote = True
        done = f"{progress.executions:,} executions, {progress.alignments:,} alignments"
        progress_words = f"{done}, {progress.seconds:.0f} s (Ctrl-C shows what there is)"
        click.echo(f"\r\x1b[K{progress_words}", err=True, nl=False)

    def __exit__(self, *_: object) -> None:
        if self._wrote:
            click.echo("\r\x1b[K", err=True, nl=False)


def exit_code(enumeration: Enumeration) -> Exit:
    """1: an execution is undefined or cannot end, or there is none; 3: a bound was hit; else 0."""
    if any(outcome.ending != "returned" for outcome in enumeration.outcomes):
        return Exit.FAILS
    if not enumeration.complete:
        return Exit.UNKNOWN
    return Exit.HOLDS if enumeration.alignments else Exit.FAILS
