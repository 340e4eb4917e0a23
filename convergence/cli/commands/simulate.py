"""``convcheck simulate``: a program on lock-step machines, and whether each stays legal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...interruption import notice
from ..plumbing import Exit, worst, write
from ..plumbing.load import BuffersAtEnd, LoadedFile, at_end, buffers, launching, load
from ..plumbing.options import (
    all_blocks,
    common,
    complete_names,
    covered,
    each,
    engine,
    executing,
    files,
    least,
    names_of,
    shaders,
    single,
    structure,
    with_defaults,
)
from .run import _broken, _Runner

if TYPE_CHECKING:
    from ...sched.lockstep.policy import MachineOptions
    from ...sched.lockstep.simulate import Simulated


@click.command("simulate")
@click.argument("file", metavar="FILE", shell_complete=files)
@executing
@click.option(
    "--policy",
    metavar="NAME|FILE.py:CLASS|all",
    multiple=True,
    shell_complete=complete_names,
    help="The machine; all of ours by default. A class of yours is run as code.",
)
@engine
@buffers
@click.option("--figures", is_flag=True, help="Compare the machines in figures, per wave and in total.")
@click.option(
    "--block-order",
    type=click.Choice(["layout", "rpo", "contiguous"]),
    default="layout",
    show_default=True,
    help="block-ip: the order of the blocks.",
)
@click.option(
    "--latches",
    type=click.Choice(["separate", "merged"]),
    default="separate",
    show_default=True,
    help="exec-mask: each latch a loop of its own, or one loop for all latches of a header.",
)
@click.option(
    "--structure",
    metavar="nested|continue|H=K,...",
    multiple=True,
    callback=each(structure),
    help="mask-stack, predication: what the source had inside a loop. Latches of one header as nested "
    "loops or as `continue` (the default); blocks K that stand inside the loop of header H.",
)
@click.option(
    "--exec-form",
    type=click.Choice(["saveexec", "not-and"]),
    default="saveexec",
    show_default=True,
    help="exec-mask: save who is parked, or, the older form, all of exec, which wakes lanes that ended.",
)
@click.option(
    "--branch-if-none",
    metavar="always|never|N",
    default="always",
    show_default=True,
    callback=single(least),
    help="exec-mask: a branch around each region, none, or around regions of N instructions and more.",
)
@click.option(
    "--covered",
    metavar="LANES",
    callback=single(covered),
    help="exec-mask: whole quad mode; the covered threads, as in 0,1,5.",
)
@click.option(
    "--spill",
    type=click.Choice(["early", "late"]),
    help="exec-mask: spill what lives at each block's end, before the branch reduces exec, or after.",
)
@click.option(
    "--listing", is_flag=True, help="exec-mask, mask-stack, predication: the code, and who is on at each."
)
@click.option(
    "--show-structured", is_flag=True, help="exec-mask, mask-stack, predication: the structured CFG."
)
@click.option("--short-circuit", is_flag=True, help="predication: jump over blocks that no lane runs.")
@click.option(
    "--barriers",
    type=click.Choice(["post-dominators", "hearts"]),
    default="post-dominators",
    show_default=True,
    help="barrier: where the compiler places barriers.",
)
@click.option("--yield", "yields", is_flag=True, help="barrier: a lane that goes round a loop yields.")
@click.option("--no-jumps", is_flag=True, help="block-ip: run through all blocks, as full predication does.")
@click.option("--show-linearised", is_flag=True, help="block-ip: the blocks in order, with JOIN points.")
@click.option("--beside", metavar="FILE", help="Show FILE's figures beside those of this one.")
@all_blocks
@shaders
@common("text", "json", "svg", "github")
@click.pass_context
def command(ctx: click.Context, /, file: str, **_: Any) -> Exit:
    """Run FILE on lock-step machines: their masks, and whether their groups are a legal alignment.

    With one machine the exit code is 1 if it leaves what is legal, or hangs; 3 if it refuses the program.
    """
    answers: list[_SimulateAnswer] = []
    sources = [file] if ctx.params["beside"] is None else [file, ctx.params["beside"]]
    if len(sources) > 1 and ctx.params["form"] != "text":
        raise click.UsageError("--beside has an answer in text only")
    for name in sources:
        loaded = load(name)
        options = with_defaults(ctx, loaded.module, loaded.name)
        names = names_of(options["policy"])
        if ctx.params["save"] and len(names) > 1:
            raise click.UsageError("--save goes with one machine: --policy NAME")
        broken = None if options["no_verify"] else _broken(loaded)
        if broken is not None:
            text, code = broken(options)
            write(text, options["output"])
            return code
        answers.append(_SimulateAnswer(loaded, options, names))
    return answers[0].give() if len(answers) == 1 else _beside(*answers)


def _beside(first: _SimulateAnswer, second: _SimulateAnswer) -> Exit:
    """The figures of two files; the machines are those asked for with the first."""
    from ...report.simulate import beside

    second.names = first.names
    names, modules = (first.loaded.name, second.loaded.name), (first.module, second.module)
    both = first.simulated(), second.simulated()
    write(beside(names, modules, *both), first.options["output"])
    return worst(map(exit_code, both))


class _SimulateAnswer:
    """One ``simulate`` command: the launch as asked for, and its answer."""

    def __init__(self, loaded: LoadedFile, options: dict[str, Any], names: tuple[str, ...]) -> None:
        self.loaded, self.module, self.options, self.names = loaded, loaded.module, options, names
        self.spec = _Runner(loaded, options, not options["no_verify"]).spec

    def give(self) -> Exit:
        """Simulate, write the answer, say how it went."""
        machines = self.simulated()
        held = [
            BuffersAtEnd() if machine.run is None else at_end(machine.run, self.options, self.loaded.name)
            for machine in machines
        ]
        write(self._text(machines, held), self.options["output"])
        return exit_code(machines)

    def _machine_options(self) -> MachineOptions:
        from ...sched.lockstep.policy import MachineOptions

        options = self.options
        return MachineOptions(
            latches=options["latches"],
            block_order=options["block_order"],
            no_jumps=options["no_jumps"],
            short_circuit=options["short_circuit"],
            yields=options["yields"],
            exec_form=options["exec_form"],
            branch_if_none=options["branch_if_none"],
            covered=options["covered"],
            spill=options["spill"],
            listing=options["listing"] or options["show_structured"],
            barriers=options["barriers"],
            nested=("nested", ()) in options["structure"],
            inside=tuple((header, blocks) for header, blocks in options["structure"] if blocks),
        )

    def simulated(self) -> list[Simulated]:
        from ...sched.lockstep.simulate import Reference, simulate_machine
        from ...semantics.machine.run import prepare_run

        limits = self.spec.limits.begun()
        with launching(self.loaded.name):
            program, self.launched = prepare_run(self.module, self.spec)
            options = self._machine_options()
            reference = Reference(program, self.launched, limits)

            def on(name: str) -> Simulated:
                try:
                    return simulate_machine(program, self.launched, name, options, limits, reference)
                except KeyboardInterrupt:
                    notice()  # and so it stops at its first step
                    return simulate_machine(program, self.launched, name, options, limits, reference)

            return [on(name) for name in self.names]

    def _text(self, machines: list[Simulated], held: list[BuffersAtEnd]) -> str:
        from ...alignment import picture

        options = self.options
        if options["form"] == "svg":
            from ...report import simulate as simulate_svg

            return simulate_svg.masks_svg(machines)
        if options["form"] == "github":
            from ...report.simulate import github

            return github(self.loaded.name, self.module, machines)
        how = (self.module, self.launched.function, options["all_blocks"], self.spec.dfs)
        wanted = options["form"] == "json" or (len(machines) == 1 and not options["quiet"])
        pictures = [
            picture(simulated.execution, *how) if wanted and simulated.execution is not None else ()
            for simulated in machines
        ]
        runs = [simulated.run for simulated in machines if simulated.run is not None]
        notes = list(dict.fromkeys(note for run in runs for note in run.notes))
        notes += [
            note for simulated in machines if simulated.care is not None for note in simulated.care.notes
        ]
        from ...report.parts.words import program_notes

        notes += program_notes(self.module, [self.launched.function])
        if self.loaded.note is not None:
            notes.append(self.loaded.note)
        saved = [note for at_machines_end in held for note in at_machines_end.notes]
        notes += saved
        caveats: list[str] = []
        if options["show"] or options["save"]:
            caveats = [*dict.fromkeys(caveat for run in runs for caveat in run.caveats), *saved]
        shown = [at_machines_end.shown for at_machines_end in held]
        if options["form"] == "json":
            from ...report import parts as json
            from ...report import simulate as simulate_json

            return json.dump(
                simulate_json.answer(machines, self.module, self.launched, pictures, notes, shown)
            )
        from ...report import simulate as simulate_text

        if options["figures"]:
            from ...report.simulate import figures_text as figures_text

            return figures_text(machines)
        text = simulate_text.text(
            machines, self.module, pictures, notes, options["quiet"], options["verbose"], shown, caveats
        )
        if options["show_linearised"] and "block-ip" in self.names:
            from ...report import simulate as simulate_linear

            text += "\n" + simulate_linear.linear_text(self.module, options["block_order"])
        return text + self._listed(machines)

    def _listed(self, machines: list[Simulated]) -> str:
        """The code of each machine that has some, if asked for."""
        from ...report.simulate import listing_text

        listing = self.options["listing"], self.options["show_structured"]
        parts = []
        for simulated in machines:
            if any(listing) and simulated.refused is None and (simulated.listings or len(machines) == 1):
                title = f"{simulated.policy}:\n\n" if len(machines) > 1 else ""
                parts.append(f"\n{title}{listing_text(simulated.policy, simulated.listings, *listing)}\n")
        return "".join(parts)


def exit_code(machines: list[Simulated]) -> Exit:
    """The program's undefined behaviour is 1, a bound 3; of one machine alone a departure or a hang is 1, a
    refusal 3; other results than the interpreter's with its groups are 4."""
    return worst(_code(simulated, len(machines) == 1) for simulated in machines)


def _code(simulated: Simulated, alone: bool) -> Exit:
    from ..plumbing.load import ending_code

    if simulated.refused is not None:
        return Exit.UNKNOWN if alone else Exit.HOLDS
    if simulated.agreement.differences:
        return Exit.OUR_BUG
    if alone and simulated.departure is not None:
        return Exit.FAILS
    if simulated.ending is None:
        return Exit.FAILS if alone else Exit.HOLDS
    return ending_code(simulated.ending, None if simulated.run is None else simulated.run.otherwise)
