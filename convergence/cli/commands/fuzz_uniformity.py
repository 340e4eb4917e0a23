"""``convcheck fuzz --uniformity``: random programs whose claims of uniformity are held against runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...interruption import notice
from ..plumbing.interrupts import INTERRUPTED
from ..plumbing.output import Exit, InputError, Progress, write

if TYPE_CHECKING:
    from ...fuzz.uniform_campaign import UniformPlan, UniformTally
    from ...uniformity.check import DifferenceKind


def look(options: dict[str, Any], progress: Progress) -> Exit:
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
    return _answer(plan, folder.tally, options["form"])


def _require_opt(plan: UniformPlan) -> None:
    """Raises InputError where LLVM cannot be asked."""
    from ...passes.outside import PassFailed
    from ...passes.uniformity import printed

    try:
        printed("define void @f() {\n  ret void\n}\n", triple="amdgcn-amd-amdhsa", opt=plan.opt)
    except PassFailed as error:
        code = Exit.UNKNOWN if error.kind == "unavailable" else Exit.INPUT
        raise InputError("--uniformity", error.reason, code) from None


def _answer(plan: UniformPlan, tally: UniformTally, form: str) -> Exit:
    from ...fuzz.uniform_campaign import differences_found, findings_data
    from ...report.parts import documents as report_json
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
    for words, times in tally.failures.items():
        yield f"LLVM was not asked, {times} times: {words}"
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
