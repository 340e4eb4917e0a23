"""``convcheck simulate``: a program on lock-step machines, and whether each stays legal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .defaults import with_defaults
from .exits import Exit, InputError, worst
from .launch import executing
from .load import Loaded, load, one_line, reading
from .options import common, files
from .output import write
from .run import _broken, _Runner
from .values import Faulty, each

if TYPE_CHECKING:
    from ..sched.lockstep.policy import Options
    from ..sched.lockstep.simulate import Simulated


def _structure(words: str) -> tuple[str, tuple[str, ...]]:
    """``nested``, ``continue``, or a header and the blocks inside its loop."""
    if words in ("nested", "continue"):
        return words, ()
    header, equals, blocks = words.partition("=")
    if not (equals and header and blocks):
        raise Faulty("nested, continue, or HEADER=BLOCK,... is wanted")
    return header.removeprefix("%"), tuple(name.removeprefix("%") for name in blocks.split(","))


def _complete_names(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """For the shell's completion: the machines that begin so."""
    from ..sched.lockstep.policies import NAMES

    return [name for name in (*NAMES, "all") if name.startswith(incomplete)]


@click.command("simulate")
@click.argument("file", metavar="FILE", shell_complete=files)
@executing
@click.option(
    "--policy",
    metavar="NAME|all",
    multiple=True,
    shell_complete=_complete_names,
    help="The machine; all of them by default.",
)
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
    callback=each(_structure),
    help="mask-stack, predication: what the source had inside a loop. Latches of one header as nested "
    "loops or as `continue` (the default); blocks K that stand inside the loop of header H.",
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
@click.option(
    "--all-blocks", is_flag=True, help="Show blocks that hold only control intrinsics and a branch, too."
)
@common("text", "json", "svg", "github")
@click.pass_context
def command(ctx: click.Context, /, file: str, **_: Any) -> Exit:
    """Run FILE on lock-step machines: their masks, and whether their groups are a legal alignment.

    With one machine the exit code is 1 if it leaves what is legal, or hangs; 3 if it refuses the program.
    """
    answers: list[_Answer] = []
    asked = [file] if ctx.params["beside"] is None else [file, ctx.params["beside"]]
    if len(asked) > 1 and ctx.params["form"] != "text":
        raise click.UsageError("--beside has an answer in text only")
    for name in asked:
        loaded = load(name)
        options = with_defaults(ctx, loaded.module.directives, loaded.name)
        names = _names(options["policy"])
        broken = None if options["no_verify"] else _broken(loaded)
        if broken is not None:
            text, code = broken(options)
            write(text, options["output"])
            return code
        answers.append(_Answer(loaded, options, names))
    return answers[0].give() if len(answers) == 1 else _beside(*answers)


def _beside(one: _Answer, other: _Answer) -> Exit:
    """The figures of two files; the machines are those asked for with the first."""
    from ..report.simulate_beside import beside

    other.names = one.names
    names, modules = (one.loaded.name, other.loaded.name), (one.module, other.module)
    found = one.simulated(), other.simulated()
    write(beside(names, modules, *found), one.options["output"])
    return worst(map(exit_code, found))


def _names(asked: tuple[str, ...]) -> tuple[str, ...]:
    """The machines that were asked for, each once."""
    from ..sched.lockstep.policies import NAMES, VARIANTS

    for name in asked:
        if name != "all" and name not in NAMES + VARIANTS:
            known = ", ".join(NAMES + VARIANTS)
            raise click.UsageError(f"unknown policy {name!r}: there are {known}, and all")
    if not asked:
        return NAMES
    return tuple(dict.fromkeys(n for name in asked for n in (NAMES if name == "all" else (name,))))


class _Answer:
    """One ``simulate`` command: the launch as asked for, and its answer."""

    def __init__(self, loaded: Loaded, options: dict[str, Any], names: tuple[str, ...]) -> None:
        self.loaded, self.module, self.options, self.names = loaded, loaded.module, options, names
        self.launch = dict(_Runner(loaded, options, not options["no_verify"]).launch)

    def give(self) -> Exit:
        """Simulate, write the answer, say how it went."""
        found = self.simulated()
        write(self._shown(found), self.options["output"])
        return exit_code(found)

    def _machine_options(self) -> Options:
        from ..sched.lockstep.policy import Options

        given = self.options
        return Options(
            latches=given["latches"],
            block_order=given["block_order"],
            no_jumps=given["no_jumps"],
            short_circuit=given["short_circuit"],
            yields=given["yields"],
            barriers=given["barriers"],
            nested=("nested", ()) in given["structure"],
            inside=tuple((header, blocks) for header, blocks in given["structure"] if blocks),
        )

    def simulated(self) -> list[Simulated]:
        from ..sched.lockstep.simulate import prepare, simulate
        from ..semantics.threads import UsageError
        from ..semantics.values import NotModelled

        bounds = {name: self.launch.pop(name) for name in ("max_steps", "timeout")}
        try:
            with reading(self.loaded.name):
                program, self.launched = prepare(self.module, **self.launch)
                options = self._machine_options()
                return [simulate(program, self.launched, name, options, **bounds) for name in self.names]
        except UsageError as error:
            raise InputError(self.loaded.name, one_line(str(error))) from None
        except NotModelled as error:
            why = f"not modelled: {one_line(error.what)}"
            raise InputError(self.loaded.name, why, Exit.UNKNOWN) from None

    def _shown(self, found: list[Simulated]) -> str:
        from ..alignment.picture import picture

        options = self.options
        if options["form"] == "svg":
            from ..report import simulate_svg

            return simulate_svg.masks(found)
        if options["form"] == "github":
            from ..report import github

            return github.simulations(self.loaded.name, self.module, found)
        how = (self.module, self.launched.function, options["all_blocks"], self.launch["dfs"])
        wanted = options["form"] == "json" or (len(found) == 1 and not options["quiet"])
        pictures = [
            picture(one.execution, *how) if wanted and one.execution is not None else () for one in found
        ]
        runs = [one.run for one in found if one.run is not None]
        notes = list(dict.fromkeys(note for run in runs for note in run.notes))
        if self.loaded.note is not None:
            notes.append(self.loaded.note)
        if options["form"] == "json":
            from ..report import json, simulate_json

            return json.dump(simulate_json.answer(found, self.module, self.launched, pictures, notes))
        from ..report import simulate_text

        said = simulate_text.text(found, self.module, pictures, notes, options["quiet"], options["verbose"])
        if options["show_linearised"] and "block-ip" in self.names:
            from ..report import simulate_linear

            said += "\n" + simulate_linear.text(self.module, options["block_order"])
        return said


def exit_code(found: list[Simulated]) -> Exit:
    """The program's undefined behaviour is 1, a bound 3; of one machine alone a departure or a hang is 1, a
    refusal 3."""
    return worst(_code(one, len(found) == 1) for one in found)


def _code(one: Simulated, alone: bool) -> Exit:
    from ..semantics.outcome import Deadlock, Illegal, NotModelled, OutOfBound, Returned, UndefinedBehaviour

    if one.refused is not None:
        return Exit.UNKNOWN if alone else Exit.HOLDS
    if alone and one.departure is not None:
        return Exit.FAILS
    match one.ending:
        case None:
            return Exit.FAILS if alone else Exit.HOLDS
        case Returned():
            return Exit.HOLDS
        case UndefinedBehaviour() | Illegal() | Deadlock():
            return Exit.FAILS
        case OutOfBound() | NotModelled():
            return Exit.UNKNOWN
