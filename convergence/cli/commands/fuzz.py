"""``convcheck fuzz``: random programs through LLVM's passes and ``refine``."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...interruption import notice
from ..plumbing.interrupts import INTERRUPTED
from ..plumbing.launch import Count, Seconds
from ..plumbing.options import talking
from ..plumbing.output import Exit, InputError, Progress, write
from .refine import words

if TYPE_CHECKING:
    from ...fuzz.campaign import CampaignPlan, Folder

REASONS = 5
"""Reasons of unknown answers that are told."""
_STYLES = ("controlled", "uncontrolled", "mixed", "reconvergence", "memory", "any")


def kernels_of(ctx: click.Context, param: click.Parameter, triple: str | None) -> str | None:
    """``--triple amdgcn-amd-amdhsa``: a target that there are kernels for."""
    from ...fuzz.uniform_programs import DIALECTS, dialect_of

    if triple is not None and dialect_of(triple) is None:
        there = ", ".join(dialect.triple for dialect in DIALECTS.values())
        raise click.BadParameter(f"there are no kernels for {triple!r}; there are for: {there}", ctx, param)
    return triple


@click.command("fuzz")
@click.option(
    "--passes",
    metavar="PIPELINE",
    multiple=True,
    default=("default<O1>",),
    show_default=True,
    help="LLVM's pipeline; may be given again: every program goes through each.",
)
@click.option("--count", type=Count(min=0), default=1000, show_default=True, metavar="N", help="Programs.")
@click.option("--seed", type=Count(min=0), default=0, show_default=True, metavar="S", help="Which programs.")
@click.option(
    "--style",
    type=click.Choice(_STYLES),
    default="controlled",
    show_default=True,
    help="What the programs are like.",
)
@click.option(
    "--triple",
    metavar="T",
    callback=kernels_of,
    help="Kernels of this target in place of --style: amdgcn-amd-amdhsa, nvptx64-nvidia-cuda.",
)
@click.option(
    "--jobs",
    type=Count(min=1),
    default=lambda: os.cpu_count() or 1,
    metavar="N",
    show_default="the number of cores",
    help="Processes. The findings do not depend on it.",
)
@click.option(
    "--uniformity",
    is_flag=True,
    help="Look for claims of uniformity that runs break, LLVM's and our own, and not at passes.",
)
@click.option(
    "--target",
    "targets",
    type=click.Choice(["amdgcn", "nvptx"]),
    multiple=True,
    default=("amdgcn", "nvptx"),
    show_default=True,
    help="With --uniformity: for which target.",
)
@click.option(
    "--lowered",
    type=click.Choice(["spirv-vulkan"]),
    help="Compile random shaders by LLVM's back end, and compare what it makes with its source.",
)
@click.option(
    "-O",
    "level",
    type=Count(0, 3),
    default=0,
    show_default=True,
    help="With --lowered: LLVM's code generation.",
)
@click.option("--llc", metavar="PATH", help="With --lowered: the `llc` to compile with.")
@click.option("--scheduler", metavar="ADDRESS", help="Let the workers of a dask scheduler do it (tcp://...).")
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    default="findings",
    show_default=True,
    help="Where findings go, and the state from which the same command goes on.",
)
@click.option("--opt", metavar="PATH", help="The `opt` to run the passes with.")
@click.option("--opt-args", metavar="'...'", multiple=True, callback=words, help="Flags for opt and LLVM.")
@click.option("--threads", type=Count(min=1), metavar="N", help="Threads; two and three by default.")
@click.option(
    "--max-launches",
    type=Count(min=1),
    default=4,
    show_default=True,
    metavar="N",
    help="Inputs compared per program and pipeline.",
)
@click.option(
    "--max-steps",
    type=Count(min=1),
    default=20_000,
    show_default=True,
    metavar="N",
    help="Instructions of one execution.",
)
@click.option(
    "--max-executions",
    type=click.IntRange(min=1),
    default=24,
    show_default=True,
    metavar="N",
    help="Executions of one side looked at per input; an input that has more is passed over.",
)
@click.option(
    "--thorough",
    is_flag=True,
    help="Look at what can hardly be a finding, too, and keep nothing from one check to the next.",
)
@click.option(
    "--reduce-timeout",
    type=Seconds(min=0),
    default=60.0,
    show_default=True,
    metavar="S",
    help="Seconds to reduce each new finding for; 0 leaves it as it is.",
)
@click.option(
    "--show",
    type=Count(min=0),
    metavar="N",
    help="Print the program with number N of this seed and style, and do nothing else.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the answer.",
)
@talking("No progress.")
def command(**options: Any) -> Exit:
    """Look for programs whose threads a pass drives apart, reduce them and keep them.

    Exit code 0: nothing was found. 1: findings. 3: LLVM gave no output for any program, or it was
    interrupted before there was a finding: the same command goes on.
    """
    if options["uniformity"]:
        from .fuzz_uniformity import look

        return look(options, Progress(options["quiet"]))
    if options["lowered"]:
        return _shaders(options)
    from ...fuzz.campaign import LLVM, CampaignPlan, CheckLimits, Folder, NotThisCampaign
    from ...workers.scheduler import NoDask

    llvm = LLVM(options["opt"], options["opt_args"])
    limits = CheckLimits(
        options["threads"],
        options["max_launches"],
        options["max_steps"],
        options["max_executions"],
        saves=not options["thorough"],
    )
    plan = CampaignPlan(
        options["seed"],
        options["style"],
        options["passes"],
        options["count"],
        llvm,
        limits,
        options["triple"],
    )
    if options["show"] is not None:
        write(plan.program(options["show"]).text, None)
        return Exit.HOLDS
    _require_pipelines(plan)
    folder = Folder(Path(options["output"]), plan)
    try:
        folder.open()
        interrupted = not _complete(plan, folder, options)
        if interrupted:  # what is certain is what was written: a chunk is done as a whole or not at all
            folder = Folder(Path(options["output"]), plan)
            folder.open()
    except NotThisCampaign as error:
        raise InputError("--output", str(error)) from None
    except NoDask as error:
        raise InputError("--scheduler", str(error)) from None
    except OSError as error:
        raise InputError(options["output"], f"cannot write: {error.strerror or error}") from None
    return _answer(folder, options["form"], INTERRUPTED if interrupted else None)


def _shaders(options: dict[str, Any]) -> Exit:
    """``--lowered``: another kind of program, another judge. ``--passes`` run first, where they are named."""
    from ...fuzz.shader_campaign import ShaderPlan
    from .fuzz_shaders import look

    context = click.get_current_context()
    on_command_line = context.get_parameter_source("passes") is click.core.ParameterSource.COMMANDLINE
    passes = ",".join(options["passes"]) if on_command_line else None
    plan = ShaderPlan(options["seed"], options["count"], True, options["level"], passes, options["llc"])
    if options["show"] is not None:
        write(plan.program(options["show"]).text, None)
        return Exit.HOLDS
    how = options["output"], options["jobs"], options["reduce_timeout"], options["form"], options["quiet"]
    return look(plan, *how, "fuzz")


def _require_pipelines(plan: CampaignPlan) -> None:
    """Raises InputError for a pipeline that LLVM does not know or nobody here offers: no program would show
    anything."""
    from ...passes import PassFailed

    target = "" if plan.triple is None else f'target triple = "{plan.triple}"\n'
    for pipeline in plan.pipelines:
        try:
            plan.llvm.optimise(f"{target}define void @f() {{\n  ret void\n}}\n", pipeline)
        except PassFailed as error:
            if error.kind in ("refused", "unavailable"):
                raise InputError("--passes", error.reason) from None


def _complete(plan: CampaignPlan, folder: Folder, options: dict[str, Any]) -> bool:
    """Do the campaign; whether it came to its end, and was not interrupted. Raises NoDask, OSError."""
    from ...workers.scheduler import local, remote

    try:
        scheduler = remote(options["scheduler"]) if options["scheduler"] else local(options["jobs"])
        with scheduler as pool:
            _campaign(plan, folder, pool, options)
    except KeyboardInterrupt:
        notice()
        return False
    return not notice()


def _campaign(plan: CampaignPlan, folder: Folder, pool: Any, options: dict[str, Any]) -> None:
    """All chunks in order; each new finding reduced and written before the state names it."""
    from ...fuzz.campaign import do_chunk, present
    from ...fuzz.campaign import write as write_finding

    progress = Progress(options["quiet"])
    for done in pool.over(partial(do_chunk, plan), plan.chunks(folder.progress)):
        if notice():
            return
        for finding in folder.take(done):
            title = f"{finding.pass_}: {finding.kind}"
            progress.line(f"{title} (program {finding.number})")
            reducing = lambda lines, title=title: progress.show(f"reducing {title}: {lines} lines")  # noqa: E731
            presented = present(plan, finding, options["reduce_timeout"], reducing)
            if notice():  # it is not reduced as it is elsewhere
                return
            write_finding(folder.of(finding), presented)
        folder.save()
        progress.show(f"{folder.progress} of {plan.count} programs, {len(folder.folds)} different findings")
    progress.end()


def _answer(folder: Folder, form: str, bound: str | None) -> Exit:
    """What the campaign came to, all runs of it together; ``bound`` is what cut it short."""
    from ...report.parts import documents as report_json

    findings = sorted(folder.folds.values(), key=lambda f: f["first"])
    checks = sum(folder.answers.values())
    failed = [kind for kind in folder.answers if kind in ("unavailable", "refused")]
    unavailable = checks > 0 and sum(folder.answers[k] for k in failed) == checks
    code = Exit.FAILS if findings else Exit.HOLDS
    if folder.answers["our-bug"]:
        code = Exit.OUR_BUG
    elif not findings and (bound is not None or unavailable):
        code = Exit.UNKNOWN
    if form == "json":
        from ...fuzz.front import campaign_data

        write(report_json.dump(campaign_data(folder, bound)), None)
        return code
    lines = [
        f"{f['folder']}: {f['kind']} by {f['pass']}, {f['times']} time{'s' if f['times'] > 1 else ''}, "
        f"first in program {f['first']} with {f['found_with']}"
        for f in findings
    ]
    for number, passes, kind, reason in folder.failures[:5]:
        lines.append(f"program {number}, {passes}: {kind}: {reason}")
    if len(folder.failures) > 5:
        lines.append(f"... and {len(folder.failures) - 5} more failures of LLVM: see state.json")
    for reason, count in folder.unknown.most_common(REASONS):
        lines.append(f"{count} unknown: {reason}")
    if (limits := folder.plan.limits).saves:
        lines.append(
            f"left out: executions of an input after {limits.max_executions} (--max-executions), and what "
            "can hardly be a finding (--thorough)"
        )
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(folder.answers.items()))
    cut = "" if bound is None else f" (not complete: {bound})"
    lines.append(f"{folder.progress} programs, {checks} checks: {counts or 'none'}{cut}")
    write("\n".join(lines) + "\n", None)
    return code
