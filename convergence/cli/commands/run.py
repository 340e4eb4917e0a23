"""``convcheck run``: one legal execution, with its picture, groups, results and outcome."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..plumbing import Exit, InputError, Progress, complain, opened, style, write
from ..plumbing.load import BuffersAtEnd, LoadedFile, at_end, buffers, launching, load, one_line
from ..plumbing.options import Count, all_blocks, common, executing, files, legend, shaders, with_defaults

# ----------------------------------------------------------------------------------------------------------
# ``--why``: the answers of ``convcheck run`` to questions about two dynamic instances.
# ----------------------------------------------------------------------------------------------------------

if TYPE_CHECKING:
    from ...ir.module import Module
    from ...report.parts import Style
    from ...sched.why import Why
    from ...semantics.machine.run import Run

Picture = Callable[["Run"], tuple[str, ...]]
HELP = 'Say why two instances are converged or not, as "%op thread 0 #2, thread 1 #1".'


def why_answers(run: Run, questions: Sequence[str], max_steps: int, file: str) -> list[Why]:
    """The answers. :raises InputError: for a question that cannot be read or does not fit the run"""
    if not questions:
        return []
    from ...sched.why import why
    from ...semantics import UsageError

    try:
        return [why(run, question, max_steps) for question in questions]
    except UsageError as error:
        raise InputError(file, one_line(error.command_line)) from None


def why_text(answers: Sequence[Why], module: Module, picture: Picture, style: Style) -> str:
    """The answers for people, a blank line before each."""
    if not answers:
        return ""
    from ...report import why as why_words

    return "".join("\n" + why_words.text(a, module, _meeting_picture(a, picture), style) for a in answers)


def why_json(
    answers: Sequence[Why], questions: Sequence[str], module: Module, picture: Picture
) -> list[dict[str, Any]]:
    """The answers as data."""
    from ...report import why as why_json

    return [
        why_json.answer(a, module, question, _meeting_picture(a, picture))
        for a, question in zip(answers, questions, strict=True)
    ]


def _meeting_picture(answer: Why, picture: Picture) -> tuple[str, ...]:
    """The picture of the execution in which the two instances meet, if there is one."""
    from ...sched.why import Apart

    if isinstance(answer.answer, Apart) and answer.answer.choice is not None:
        meeting = answer.answer.choice.meeting
        if meeting is not None:
            return picture(meeting)
    return ()


if TYPE_CHECKING:
    from ...ir.module import Module
    from ...report.parts import Style
    from ...sched.why import Why
    from ...semantics.machine import Chooser, TraceEvent
    from ...semantics.machine.program import EngineKind
    from ...semantics.machine.run import Run

ATTEMPTS = 1_000
"""Random executions that ``--seed`` tries before it gives up on finding a legal one."""
PICTURED = 100_000
"""Passes through blocks, over all threads, that a picture shows at most."""
PIECE = 1 << 16
"""Characters of a trace that are written at once."""


@click.command("run")
@click.argument("file", metavar="FILE", shell_complete=files)
@executing
@click.option(
    "--engine",
    type=click.Choice(["auto", "reference", "native", "attended", "both"]),
    default="auto",
    show_default=True,
    help="What runs threads: the reference, native code, or native code once the run is long (auto); "
    "`attended` is native code that records every instance as it happens; `both` compares the reference with "
    "native code and fails with exit code 4 if they differ.",
)
@click.option("--jobs", type=Count(min=1), metavar="N",
    help="Cores that run workgroups, of a launch that runs natively from begin to end (default: all there "
    "are, where that is worth it); the answer is the same.")  # fmt: skip
@click.option("--seed", metavar="S", help="Make the free choices at random, by this seed.")
@all_blocks
@buffers
@click.option("--why", metavar='"%op thread 0 #2, thread 1 #1"', multiple=True, help=HELP)
@legend
@click.option("--animate", is_flag=True, help="svg: columns come one after the other, without a script.")
@click.option("--trace", is_flag=True, help="Show every step, and the rules that fired.")
@shaders
@common("text", "json", "jsonl", "svg", "github")
@click.pass_context
def command(ctx: click.Context, /, file: str, **_: Any) -> Exit:
    """Run FILE: one legal execution, the first of the exploration order (largest groups first)."""
    loaded = load(file)
    options = with_defaults(ctx, loaded.module, loaded.name)
    form: str = options["form"]
    if form != "svg" and (options["legend"] or options["animate"]):
        raise click.UsageError("--legend and --animate are for --format svg")
    if form == "svg" and options["why"]:
        raise click.UsageError("--why has no answer in svg: ask in text, json or jsonl")
    verified = True
    if not options["no_verify"]:
        diagnostics = _broken(loaded)
        if diagnostics is not None:
            text, code = diagnostics(options)
            write(text, options["output"])
            return code
    else:
        verified = False
    return _Runner(loaded, options, verified).answer(form)


def _broken(loaded: LoadedFile) -> Callable[[dict[str, Any]], tuple[str, Exit]] | None:
    """How to say which static rules the module breaks; ``None`` if it keeps them all.

    :raises InputError: if LLVM's verifier refuses the module for another reason
    """
    from ..plumbing.load import broken

    diagnostics = broken(loaded)
    if diagnostics is None:
        return None

    def answer(options: dict[str, Any]) -> tuple[str, Exit]:
        from ...report import verify

        checked = [diagnostics]
        if options["form"] == "github":
            return verify.github(checked), Exit.FAILS
        if options["form"] == "sarif":
            return verify.sarif(checked), Exit.FAILS
        if options["form"] in ("json", "jsonl"):
            complain(f"{loaded.name}: the static rules are broken (--no-verify runs it all the same)")
            return verify.json(checked, options["form"] == "jsonl"), Exit.FAILS
        hint = "The static rules are broken: nothing was run (--no-verify runs it all the same)."
        if options["form"] == "svg":
            from ...report.parts import svg

            return svg.lines([*verify.text(checked, quiet=True).splitlines(), hint]), Exit.FAILS
        if options["form"] == "html":
            return verify.page(checked, hint), Exit.FAILS
        dress = style(options["color"], options["output"])
        return verify.text(checked, dress, quiet=True) + hint + "\n", Exit.FAILS

    return answer


def _operations(files: Sequence[str]) -> dict[str, Any]:
    """What ``--operations`` models. :raises InputError: for a file that models nothing, or cannot be run"""
    if not files:
        return {}
    from ...semantics import UsageError
    from ...semantics.operations.user import load_operations

    operations: dict[str, Any] = {}
    for name in files:
        try:
            operations.update(load_operations(name))
        except UsageError as error:
            raise InputError(name, one_line(error.command_line.removeprefix(f"{name}: "))) from None
    return operations


class _Runner:
    """One ``run`` command: the launch as asked for, and its answer."""

    def __init__(self, loaded: LoadedFile, options: dict[str, Any], verified: bool) -> None:
        from ...ir.cfg import Order
        from ...semantics.machine.launch import launch_spec

        self.loaded, self.module, self.options = loaded, loaded.module, options
        self.buffers = BuffersAtEnd()
        self.compared = True
        spec = launch_spec(
            function=options["function"],
            threads=options["threads"],
            subgroup_size=options["subgroup_size"],
            grid=options["grid"],
            workgroup=options["workgroup"],
            partial=options["partial"],
            arguments=dict(options["arg"]),
            inputs=dict(options["input"]),
            globals=dict(options["globals"]),
            buffers=dict(options["buffers"]),
            paths=options["path"] or None,
            uncontrolled=options["uncontrolled"],
            dfs=Order(options["dfs"]),
            equal_writes=options["equal_writes"],
            operations=_operations(options["operations"]),
            verified=verified,
            max_steps=options["max_steps"],
            timeout=options["timeout"],
        )
        self.engines: list[EngineKind] = [options.get("engine", "auto")]
        if options.get("engine") == "both":
            self.engines = ["reference", "native"]
            spec = replace(
                spec, limits=replace(spec.limits, max_steps=spec.limits.steps)
            )  # as far as each other
        self.spec = replace(spec, engine=self.engines[-1], jobs=options.get("jobs"))

    def answer(self, form: str) -> Exit:
        """Run, write the answer, say how it went."""
        if form != "jsonl" and not (form in ("text", "json") and self.options["trace"]):
            return self._answer(form, None)
        with closing(_Steps(self.module, form)) as steps:
            return self._answer(form, steps)

    def _answer(self, form: str, steps: _Steps | None) -> Exit:
        from ..plumbing.load import ending_code

        run = self._run(steps)
        if len(self.engines) > 1:
            self.compared = self._compared(run, steps)
        self.buffers = at_end(run, self.options, self.loaded.name)
        answers = why_answers(run, self.options["why"], self.spec.limits.steps, self.loaded.name)
        drawn = self._svg(run) if form == "svg" else ""
        with opened(self.options["output"]) as emit:
            if form == "json":
                emit(self._json(run, form, answers, None if steps is None else steps.events))
            elif form == "jsonl":
                assert steps is not None
                steps.emit(emit)
                emit(self._json(run, form, answers))
            elif form == "svg":
                emit(drawn)
            elif form == "github":
                from ...report.parts.formats import ended_command

                emit(ended_command(self.loaded.name, self.module, run.ending))
            else:
                if steps is not None:
                    steps.emit(emit)
                    emit("\n")
                emit(self._text(run))
                emit(why_text(answers, self.module, self._picture, self._style()))
        code = ending_code(run.ending, run.otherwise)
        return code if self.compared or code is not Exit.HOLDS else Exit.UNKNOWN

    def _compared(self, run: Run, steps: _Steps | None) -> bool:
        """``--engine both``: whether the run of the other engine is the same; ``False``: a clock decided how
        one of them ended, which says nothing of the other.

        :raises InputError: our bug, if they differ; a file with all that shows it is left behind
        """
        from ...report.run import difference, reproducer

        spec = self.spec
        self.spec = replace(spec, engine=self.engines[0])
        other = self._run(steps)
        self.spec = spec
        if run.is_timed or other.is_timed:
            return False
        where = difference(other, run, self.module)
        if where is None:
            return True
        name = f"convcheck-engines-{os.getpid()}.txt"
        text = (self.module.original or self.module.source).text
        with open(name, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(reproducer(where, self.spec, text))
        why = f"the engines differ, which is a bug in convcheck: please report it with the file {name}"
        raise InputError(self.loaded.name, why, Exit.OUR_BUG)

    def _once(self, chooser: Chooser | None, steps: _Steps | None) -> Run:
        from ...semantics.machine.run import execute

        progress = Progress(self.options["quiet"] or steps is not None)
        try:
            with launching(self.loaded.name):
                return execute(self.module, self.spec, chooser, steps, tell=progress.tell)
        finally:
            progress.end()

    def _run(self, steps: _Steps | None) -> Run:
        """The first legal execution, or with ``--seed`` the first legal one of a random sequence."""
        seed = self.options["seed"]
        if seed is None:
            return self._once(None, steps)
        from ...semantics import Illegal
        from ...semantics.machine import Sample

        self.spec = self.spec.begun()
        for attempt in range(ATTEMPTS):
            if steps is not None:
                steps.restart()
            run = self._once(Sample(f"{seed} {attempt}"), steps)
            if not isinstance(run.ending, Illegal):
                break
        return run

    def _picture(self, run: Run) -> tuple[str, ...]:
        """The picture; none of a run so long that nobody could read it, which a note says."""
        if unpictured(run) is not None:
            return ()
        from ...alignment import picture

        function, order = run.machine.launch.function, self.spec.dfs
        return picture(run.execution, self.module, function, self.options["all_blocks"], order)

    def _notes(self, run: Run) -> tuple[str, ...]:
        from ...report.parts.words import program_notes, race_lines

        program_lines = program_notes(self.module, [run.machine.launch.function])
        notes = [*run.notes, *program_lines, *race_lines(run.races, self.module), *self.buffers.notes]
        if self.loaded.note is not None:
            notes.append(self.loaded.note)
        notes += self._uncompared()
        if (why := unpictured(run)) is not None:
            notes.append(why)
        return tuple(notes)

    def _svg(self, run: Run) -> str:
        from ...report.parts import svg

        if (why := unpictured(run)) is not None:
            raise InputError(self.loaded.name, why, Exit.UNKNOWN)
        function, order = run.machine.launch.function, self.spec.dfs
        shown = run.execution, run.groups
        signs = {"legend": self.options["legend"], "animated": self.options["animate"]}
        return svg.alignment(*shown, self.module, function, self.options["all_blocks"], order, **signs)

    def _json(self, run: Run, form: str, answers: Sequence[Why] = (), events: list[Any] | None = None) -> str:
        from ...report import parts as json
        from ...report import run as run_json

        data = run_json.answer(run, self.module, self._picture(run), self._notes(run))
        if self.buffers.shown:
            data["buffers"] = {held.name: run_json.buffer(held) for held in self.buffers.shown}
        if answers:
            data["why"] = [*why_json(answers, self.options["why"], self.module, self._picture)]
        if events is not None:
            data["trace"] = events
        return json.dump(data) if form == "json" else json.line(data)

    def _style(self) -> Style:
        return style(self.options["color"], self.options["output"])

    def _text(self, run: Run) -> str:
        from ...report import run as run_text
        from ...report.parts.words import race_lines

        options = self.options
        dress = self._style()
        more = options["verbose"] or options["trace"]
        buffers_alone = options["quiet"] and bool(self.buffers.shown)
        shown = () if buffers_alone else self._picture(run)
        shown_arguments = run, self.module, shown, self._notes(run), dress, options["quiet"], more
        caveats: tuple[str, ...] = ()
        if self.buffers.shown or options["save"]:
            caveats = (*run.caveats, *race_lines(run.races, self.module), *self.buffers.notes)
        return run_text.text(*shown_arguments, self.buffers.shown, (*caveats, *self._uncompared()))

    def _uncompared(self) -> tuple[str, ...]:
        """That ``--engine both`` said nothing, if so."""
        return () if self.compared else ("the engines were not compared: the time of one of them was over",)


class _Steps:
    """The steps of an execution, for ``--trace``: rendered while it runs, and emitted when it is over, for it
    may turn out not to be the one to show. :meth:`close` it.

    ``events`` are those for ``json``, which is one document.
    """

    def __init__(self, module: Module, form: str) -> None:
        from tempfile import TemporaryFile

        from ...report.run import TraceView

        self._view = TraceView(module)
        self._form = form
        self.events: list[Any] = []
        self._lines = TemporaryFile("w+", encoding="utf-8", errors="surrogatepass", newline="\n")  # noqa: SIM115
        self.close = self._lines.close

    def restart(self) -> None:
        """Another execution begins."""
        self._lines.seek(0)
        self._lines.truncate()
        self.events.clear()

    def tell(self, event: TraceEvent) -> None:
        from ...report.parts import line

        match self._form:
            case "json":
                self.events.append(self._view.json(event))
            case "jsonl":
                self._lines.write(line(self._view.json(event)))
            case _:
                self._lines.write(self._view.text(event))

    def emit(self, emit: Callable[[str], object]) -> None:
        """The lines, in pieces."""
        self._lines.seek(0)
        while piece := self._lines.read(PIECE):
            emit(piece)


def unpictured(run: Run) -> str | None:
    """Why nobody could read a picture of a run, if so. Launch groups share no column."""
    if (visits := _visits(run)) > PICTURED:
        return f"no picture: {visits} passes through blocks are more than {PICTURED}"
    groups, threads = len(run.machine.subgroups), run.machine.launch.threads
    if (places := threads * groups) > PICTURED:
        return f"no picture: {threads} threads in {groups} launch groups would need {places} places"
    return None


def _visits(run: Run) -> int:
    """Passes of threads through blocks: counted first, as the traces of a long run take long to make."""
    from ...semantics.machine import passes

    return passes(run.log if run.is_excerpt else run.machine.log)
