"""``convcheck explore``: a page to look into alignments and machines, step by step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..plumbing import Exit, complain, write
from ..plumbing.load import LoadedFile, SPIRVBytes, launching, load, one_line, read
from ..plumbing.options import Count, all_blocks, common, executing, names_of, shaders, with_defaults
from .run import _broken, _Runner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...alignment import Alignment, DynamicInstance
    from ...ir.module import Module
    from ...report.explore import View
    from ...semantics.convergence import Key
    from ...semantics.machine.run import Run

REPLAYED = 2_000
"""Executions that are run again at most to know the keys of the alignments that are shown."""
BOUND = 20_000
"""Executions that the enumeration behind the page looks at at most."""


@click.command("explore")
@click.argument("file", metavar="FILE")
@executing
@click.option(
    "--policy",
    metavar="NAME|all|none",
    multiple=True,
    help="The machines to show; all of them by default. With `none` no models either.",
)
@click.option(
    "--alignments",
    type=Count(min=1),
    default=24,
    metavar="N",
    show_default=True,
    help="Legal alignments to show at most.",
)
@all_blocks
@click.option(
    "--first", is_flag=True, help="Only the first legal execution: no other alignment, model or machine."
)
@shaders
@common("html", "json")
@click.pass_context
def command(ctx: click.Context, /, file: str, **_: Any) -> Exit:
    """Write a page to explore FILE: source beside alignments, models and machines, step by step.

    One HTML file that needs no network (-o page.html); as JSON, what that page shows. Exit code 1 if no
    execution is legal, or one is undefined.
    """
    loaded = load(file)
    options = with_defaults(ctx, loaded.module, loaded.name)
    verified = not options["no_verify"]
    if verified:
        broken = _broken(loaded)
        if broken is not None:
            if options["form"] == "json":
                text, code = broken(options)
                write(text, options["output"])
                return code
            text, code = broken({**options, "form": "text"})  # no page
            click.echo(text, err=True, nl=False)
            return code
    return _Page(file, loaded, options, verified).give()


class _Page:
    """One ``explore`` command: what is launched, and the page."""

    def __init__(self, file: str, loaded: LoadedFile, options: dict[str, Any], verified: bool) -> None:
        self.loaded, self.module, self.options = loaded, loaded.module, options
        spec = _Runner(loaded, options, verified).spec
        # Native code passes through more blocks in the time allowed than a page can show.
        self.spec = replace(spec, engine="reference").begun()
        self.file = file
        self.notes: list[str] = [] if loaded.note is None else [loaded.note]

    def give(self) -> Exit:
        from ...report import explore
        from ...report.parts.words import attribute_notes

        with launching(self.loaded.name):
            views, run, code = self._alignments()
            if not self.options["first"]:
                views += [*self._models(run), *self._machines()]
        machine = run.machine
        self.notes += [*run.notes, *attribute_notes(self.module, [machine.launch.function])]
        how = (self.options["all_blocks"], self.spec.dfs)
        notes = list(dict.fromkeys(self.notes))
        shown = (views, machine.program, machine.launch.function, notes, *how, self.spec.limits.clock)
        if self.options["form"] == "json":
            from ...report.parts import SCHEMA, dump

            text = dump({"schema": SCHEMA, "command": "explore", **explore.data(*shown)})
        else:
            text = explore.page(*shown)
        write(text, self.options["output"])
        return code

    def _alignments(self) -> tuple[list[View], Run, Exit]:
        """The first legal execution, and the other legal alignments."""
        from ...alignment import canonical
        from ...report.explore import View
        from ...report.parts.words import reason, words
        from ...sched.choices.search import explore, only
        from ...semantics import ENDING_NAMES, Returned
        from ...semantics.machine.run import execute
        from .enumerate import exit_code

        first = execute(self.module, self.spec)
        if self.options["first"] and isinstance(first.ending, Returned):
            return (
                [View("run", "the first legal execution", first.execution, first.groups, first.keys)],
                first,
                Exit.HOLDS,
            )
        search = only(first) or explore(self.module, self.spec.within(max_executions=BOUND))
        if search.bound is not None:  # nobody need open the page to know
            more = f"there may be more alignments: {words(search.bound)}"
            self.notes.append(more)
            complain(f"{self.loaded.name}: {more}")
        shown = search.alignments[: self.options["alignments"]]
        if not shown:
            ending = ENDING_NAMES[type(first.ending)]
            ending_words = f"{ending}: {reason(first.ending)}" if reason(first.ending) else ending
            return (
                [View("run", ending_words, first.execution, first.groups, first.keys)],
                first,
                exit_code(search),
            )
        known = canonical(first.execution)
        keys = {known: first.keys, **self._keys({alignment.alignment for alignment in shown} - {known})}
        bound = "complete" if search.bound is None else f"not complete: {words(search.bound)}"
        total = len(search.alignments)
        views = [
            View(
                f"alignment {n}",
                f"{n} of {total} legal ({bound})",
                alignment.execution,
                alignment.groups,
                keys.get(alignment.alignment, {}),
            )
            for n, alignment in enumerate(shown, 1)
        ]
        if len(shown) < total:
            left = total - len(shown)
            self.notes.append(f"{left} more alignments are not shown (--alignments {len(shown)})")
        self.notes += search.notes
        return views, first, exit_code(search)

    def _keys(self, wanted: set[Alignment]) -> dict[Alignment, Mapping[DynamicInstance, Key]]:
        """The keys of the alignments, from executions that have them; of some they may stay unknown."""
        from ...alignment import canonical
        from ...semantics.machine import Chooser, executions
        from ...semantics.machine.run import execute

        def once(chooser: Chooser) -> Run:
            return execute(self.module, self.spec, chooser)

        keys: dict[Alignment, Mapping[DynamicInstance, Key]] = {}
        if not wanted:
            return keys
        for number, (alignment_here, _) in enumerate(executions(once)):
            alignment = canonical(alignment_here.execution)
            if alignment in wanted:
                keys.setdefault(alignment, alignment_here.keys)
            if len(keys) == len(wanted) or number == REPLAYED or self.spec.limits.clock.hit() is not None:
                break
        return keys

    def _models(self, first: Run) -> list[View]:
        """The same program without its tokens: with tokens by LLVM's procedure, and with maximal groups. One
        without tokens runs by the maximal groups already."""
        if "none" in self.options["policy"]:
            return []
        from ...report.explore import View
        from ...semantics import NotModelled, Returned, UsageError
        from ...semantics.machine.run import execute
        from ...transform.infer import inferred
        from ...transform.rewrite import stripped

        function = first.machine.launch.function
        bare = stripped(self.module)
        inference = inferred(bare, {function})
        models = {"inferred": (inference.module, "tokens by LLVM's procedure, in place of the program's")}
        if bare is not self.module:
            models["maximal"] = bare, "no tokens: the largest groups that are legal"
        models |= self._promises()
        views = []
        for name, (module, words) in models.items():
            refused = [
                note for note in inference.notes if note.kind == "refused" and note.function == function
            ]
            if name == "inferred" and (refused or module is self.module):
                if refused:
                    self.notes.append(f"inferred: {refused[0]}")
                continue
            try:
                run = execute(module, replace(self.spec, uncontrolled="maximal"))
            except (NotModelled, UsageError) as error:
                self.notes.append(f"{name}: not shown: {one_line(str(error))}")
                continue
            if not isinstance(run.ending, Returned):
                self.notes.append(f"{name}: not every thread returned")
            several = "" if run.is_only else "; the first of several executions"
            views.append(
                View(
                    name, words + several, run.execution, run.groups, run.keys, program=run.machine.program
                )
            )  # fmt: skip
        return views

    def _promises(self) -> dict[str, tuple[Module, str]]:
        """SPIR-V by each promise of reconvergence."""
        from ...spirv import NotCovered, Reconvergence, as_ir, translate
        from ..plumbing.load import constants

        data = read(self.file) if self.file != "-" else None
        if not isinstance(data, SPIRVBytes):
            return {}
        modules: dict[str, tuple[Module, str]] = {}
        for model in Reconvergence:
            try:
                spirv = translate(data.data, model, constants(data.name, data.data))
                module = as_ir(spirv, data.name)
            except NotCovered as error:
                self.notes.append(f"SPIR-V {model}: not shown: {error.feature}")
                continue
            modules[f"SPIR-V {model}"] = module, f"what SPIR-V promises: reconvergence {model}"
        return modules

    def _machines(self) -> list[View]:
        """What each machine does."""
        if "none" in self.options["policy"]:
            return []
        from ...report.explore import machine_view
        from ...sched.lockstep.policy import MachineOptions
        from ...sched.lockstep.simulate import Reference, simulate_machine
        from ...semantics.machine.run import prepare_run

        program, launched = prepare_run(self.module, self.spec)
        views = []
        reference = Reference(program, launched, self.spec.limits)
        for name in names_of(self.options["policy"]):
            machine = simulate_machine(program, launched, name, MachineOptions(), self.spec.limits, reference)
            view = machine_view(machine)
            if view is None:
                self.notes.append(f"{name} refuses the program: {machine.refused}")
            else:
                views.append(view)
        return views
