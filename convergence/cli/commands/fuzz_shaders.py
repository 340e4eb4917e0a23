"""``convcheck fuzz --lowered`` and ``convcheck drive --campaign``: random shaders through LLVM's SPIR-V
backend, and on a device."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...interruption import notice
from ..plumbing.interrupts import INTERRUPTED
from ..plumbing.output import Exit, InputError, Progress, complain, write

if TYPE_CHECKING:
    from ...fuzz.shader_campaign import ShaderFinding, ShaderFolder, ShaderPlan

WHAT_IT_IS = {"fuzz": "fuzz-lowered", "drive": "drive-campaign"}
"""The name that an answer has, by the command."""


def look(
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
    return _answer(plan, results, form, command, INTERRUPTED if interrupted else None)


def _answer(plan: ShaderPlan, results: ShaderFolder, form: str, command: str, bound: str | None) -> Exit:
    from ...fuzz.shader_campaign import FINDINGS
    from ...report.parts import documents as report_json

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
