"""``convcheck fuzz``: random programs through LLVM's passes and ``refine``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...interruption import notice
from ..plumbing import INTERRUPTED, Exit, InputError, Progress, complain, write
from ..plumbing.options import Count, Seconds, talking
from .refine import words

if TYPE_CHECKING:
    from ...fuzz.campaign import CampaignPlan, Finding, Folder
    from ...fuzz.shader_campaign import ShaderFinding, ShaderFolder, ShaderPlan
    from ...fuzz.uniform_campaign import UniformPlan, UniformTally
    from ...uniformity.check import DifferenceKind


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
        return look_at_uniformity(options, Progress(options["quiet"]))
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
        announced: list[Finding] = []
        interrupted = not _complete(plan, folder, options, announced)
        if interrupted:  # what is certain is what was written: a chunk is done as a whole or not at all
            folder = Folder(Path(options["output"]), plan)
            folder.open()
            for finding in announced:  # but for findings of which the user was told
                folder.add(finding)
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

    context = click.get_current_context()
    on_command_line = context.get_parameter_source("passes") is click.core.ParameterSource.COMMANDLINE
    passes = ",".join(options["passes"]) if on_command_line else None
    plan = ShaderPlan(options["seed"], options["count"], True, options["level"], passes, options["llc"])
    if options["show"] is not None:
        write(plan.program(options["show"]).text, None)
        return Exit.HOLDS
    how = options["output"], options["jobs"], options["reduce_timeout"], options["form"], options["quiet"]
    return look_at_shaders(plan, *how, "fuzz")


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


def _complete(plan: CampaignPlan, folder: Folder, options: dict[str, Any], announced: list[Finding]) -> bool:
    """Do the campaign; whether it came to its end, and was not interrupted: then those findings are
    ``announced`` that the state does not name. Raises NoDask, OSError."""
    from ...workers.scheduler import local, remote

    try:
        scheduler = remote(options["scheduler"]) if options["scheduler"] else local(options["jobs"])
        with scheduler as pool:
            _campaign(plan, folder, pool, options, announced)
    except KeyboardInterrupt:
        notice()
        return False
    return not notice()


def _campaign(
    plan: CampaignPlan, folder: Folder, pool: Any, options: dict[str, Any], announced: list[Finding]
) -> None:
    """All chunks in order; each new finding reduced and written before the state names it."""
    from ...fuzz.campaign import do_chunk, present
    from ...fuzz.campaign import write as write_finding

    progress = Progress(options["quiet"])
    for done in pool.over(partial(do_chunk, plan), plan.chunks(folder.progress)):
        if notice():
            return
        for finding in folder.take(done):
            title = f"{finding.pass_}: {finding.kind}"
            announced.append(finding)
            progress.line(f"{title} (program {finding.number})")
            reducing = lambda lines, title=title: progress.show(f"reducing {title}: {lines} lines")  # noqa: E731
            presented = present(plan, finding, options["reduce_timeout"], reducing)
            if notice():  # it is not reduced as it is elsewhere
                return
            write_finding(folder.of(finding), presented)
        folder.save()
        announced.clear()
        progress.show(f"{folder.progress} of {plan.count} programs, {len(folder.folds)} different findings")
    progress.end()


def _answer(folder: Folder, form: str, bound: str | None) -> Exit:
    """What the campaign came to, all runs of it together; ``bound`` is what cut it short."""
    from ...report import parts as report_json

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
        + ("" if folder.is_written(f) else " (not reduced yet: the same command goes on)")
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


# ----------------------------------------------------------------------------------------------------------
# ``convcheck fuzz --lowered`` and ``convcheck drive --campaign``: random shaders through LLVM's SPIR-V
# backend, and on a device.
# ----------------------------------------------------------------------------------------------------------


WHAT_IT_IS = {"fuzz": "fuzz-lowered", "drive": "drive-campaign"}
"""The name that an answer has, by the command."""


def look_at_shaders(
    plan: ShaderPlan, folder: str, jobs: int, seconds: float, form: str, quiet: bool, command: str
) -> Exit:
    """Do a campaign, or go on with it, and say what it came to.

    :raises InputError: for a folder that holds something else, and where there is no device
    """
    from ...device import Unavailable
    from ...fuzz.campaign import NotThisCampaign
    from ...fuzz.shader_campaign import ShaderFolder, campaign
    from ...passes.compilers import validator

    if plan.lowered and validator() is None:
        complain(
            "spirv-val is not on PATH: whether the backend's modules are valid is judged by our rules alone"
        )
    progress = Progress(quiet)
    results = ShaderFolder(Path(folder), plan)

    def announce(finding: ShaderFinding, file: str) -> None:
        progress.line(f"{finding.checked.answer}: {finding.checked.cause} ({file})")

    interrupted = False
    try:
        results.open()
        for _ in campaign(plan, results, jobs, seconds, announce):
            different = f"programs, {len(results.folds)} different findings"
            progress.bar(results.progress, plan.count, different)
    except KeyboardInterrupt:
        notice()
    except NotThisCampaign as error:
        raise InputError(folder, str(error)) from None
    except Unavailable as error:
        raise InputError(command, str(error), Exit.UNKNOWN) from None
    except OSError as error:
        raise InputError(folder, f"cannot write: {error.strerror or error}") from None
    progress.end()
    interrupted = notice()
    return _shader_answer(plan, results, form, command, INTERRUPTED if interrupted else None)


def _shader_answer(
    plan: ShaderPlan, results: ShaderFolder, form: str, command: str, bound: str | None
) -> Exit:
    from ...fuzz.shader_campaign import FINDINGS
    from ...report import parts as report_json

    findings = sorted(results.folds.values(), key=lambda fold: -fold["times"])
    bad = [fold for fold in findings if fold["answer"] in FINDINGS]
    code = Exit.FAILS if bad else Exit.UNKNOWN if findings or bound is not None else Exit.HOLDS
    if form == "json":
        data: dict[str, Any] = {
            "schema": "convcheck/1", "command": WHAT_IT_IS[command], "programs": results.progress,
            "answers": dict(sorted(results.answers.items())), "findings": findings, "bound": bound,
        }  # fmt: skip
        write(report_json.dump(data), None)
        return code
    lines = [
        f"{fold['file']}: {fold['answer']}: {fold['cause']}, {fold['times']} time"
        f"{'s' * (fold['times'] > 1)}, first in program {fold['first']}"
        for fold in findings
    ]
    counts = ", ".join(f"{count} {answer}" for answer, count in sorted(results.answers.items()))
    cut = "" if bound is None else f" (not complete: {bound})"
    lines.append(f"{results.progress} programs: {counts or 'none'}{cut}")
    write("\n".join(lines) + "\n", None)
    return code


# ----------------------------------------------------------------------------------------------------------
# ``convcheck fuzz --uniformity``: random programs whose claims of uniformity are held against runs.
# ----------------------------------------------------------------------------------------------------------


def look_at_uniformity(options: dict[str, Any], progress: Progress) -> Exit:
    """The campaign that the options ask for. Exit code 4 if our own rules are wrong: that is our bug."""
    from ...fuzz.campaign import NotThisCampaign
    from ...fuzz.uniform_campaign import UniformFolder, UniformPlan, campaign

    launches = options["max_launches"]
    plan = UniformPlan(
        options["seed"], options["count"], tuple(dict.fromkeys(options["targets"])), launches, options["opt"]
    )
    if options["show"] is not None:
        write(plan.batch(options["show"])[0], None)
        return Exit.HOLDS
    _require_opt(plan)
    folder = UniformFolder(Path(options["output"]), plan)
    try:
        folder.open()
        shown_files = set(folder.tally.files)
        for tally in campaign(folder, options["jobs"], options["reduce_timeout"]):
            for signature in tally.files.keys() - shown_files:
                shown_files.add(signature)
                progress.line(f"{signature.title} ({tally.files[signature]})")
            progress.show(f"{tally.progress} of {plan.count} programs, {len(tally.files)} different findings")
    except KeyboardInterrupt:
        notice()
    except NotThisCampaign as error:
        raise InputError("--output", str(error)) from None
    except OSError as error:
        raise InputError(options["output"], f"cannot write: {error.strerror or error}") from None
    progress.end()
    return _uniformity_answer(plan, folder.tally, options["form"])


def _require_opt(plan: UniformPlan) -> None:
    """Raises InputError where LLVM cannot be asked."""
    from ...passes.outside import PassFailed
    from ...passes.uniformity import printed

    try:
        printed("define void @f() {\n  ret void\n}\n", triple="amdgcn-amd-amdhsa", opt=plan.opt)
    except PassFailed as error:
        code = Exit.UNKNOWN if error.kind == "unavailable" else Exit.INPUT
        raise InputError("--uniformity", error.reason, code) from None


def _uniformity_answer(plan: UniformPlan, tally: UniformTally, form: str) -> Exit:
    from ...fuzz.uniform_campaign import differences_found, findings_data
    from ...report import parts as report_json
    from ...uniformity.check import Claimant

    cut = tally.progress < plan.count
    code = Exit.HOLDS
    if any(signature.claimant is Claimant.RULES for signature in tally.times):
        code = Exit.OUR_BUG
    elif tally.times:
        code = Exit.FAILS
    elif cut or tally.failures:
        code = Exit.UNKNOWN
    if form == "json":
        data: dict[str, Any] = {
            "schema": "convcheck/1",
            "command": "fuzz-uniformity",
            "programs": tally.programs,
            "executions": tally.executions,
            "unrun": tally.unrun,
            "answers": dict(sorted(tally.answers.items())),
            "findings": findings_data(tally),
            "differences": differences_found(tally),
            "failures": dict(tally.failures),
            "bound": INTERRUPTED if cut else None,
        }
        write(report_json.dump(data), None)
        return code
    write("\n".join(_words(plan, tally, cut)) + "\n", None)
    return code


def _words(plan: UniformPlan, tally: UniformTally, cut: bool) -> Iterator[str]:
    for signature, times in tally.times.most_common():
        often = f"{times} time{'' if times == 1 else 's'}"
        first = tally.first[signature]
        yield f"{tally.files.get(signature, '')}: {signature.title}, {often}, first in {first}"
    for why, times in tally.failures.items():
        yield f"LLVM was not asked, {times} times: {why}"
    unrun = f", {tally.unrun} not run" if tally.unrun else ""
    ended = " (interrupted)" if cut else ""
    yield f"{tally.programs} programs, {tally.executions} executions{unrun}{ended}"
    counts = ", ".join(f"{count} {words}" for words, count in sorted(tally.answers.items()))
    yield f"The rules/LLVM: {counts or 'nothing was compared'}"
    much, total = tally.alike()
    if total:
        yield f"The rules say as much as LLVM, or more, of {100 * much / total:.1f} % of {total}; the kinds:"
    for kind, count in sorted(tally.differences.items(), key=lambda pair: -pair[1].all):
        by = "" if kind.rule is None else f" ({kind.rule})"
        wrong = f", {count.wrong} shown wrong" if count.wrong else ""
        shape = f"{count.all} by {count.origins} {kind.shape}{by}{wrong}; such as {count.first}"
        yield f"  {_divergent(kind)}: {shape}"


def _divergent(kind: DifferenceKind) -> str:
    """Who calls divergent what the other one calls uniform."""
    return f"divergent to {kind.careful.value}"
