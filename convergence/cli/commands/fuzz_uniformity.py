"""``convcheck fuzz --uniformity``: random programs whose claims of uniformity are held against runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...interruption import notice
from ..plumbing.interrupts import INTERRUPTED
from ..plumbing.output import Exit, InputError, write
from ..plumbing.progress import Progress

if TYPE_CHECKING:
    from ...fuzz.uniform_campaign import UniformPlan, UniformTally


def look(options: dict[str, Any], progress: Progress) -> Exit:
    """The campaign that the options ask for. Exit code 4 if our own rules are wrong: that is our bug."""
    from ...fuzz.uniform_campaign import UniformPlan, UniformTally, campaign

    launches = options["max_launches"]
    plan = UniformPlan(
        options["seed"], options["count"], tuple(dict.fromkeys(options["targets"])), launches, options["opt"]
    )
    if options["show"] is not None:
        write(plan.batch(options["show"])[0], None)
        return Exit.HOLDS
    _require_opt(plan)
    tally = UniformTally()
    told: set[Any] = set()
    try:
        folder = Path(options["output"])
        for tally in campaign(plan, options["jobs"], folder, options["reduce_timeout"]):
            for signature in tally.files.keys() - told:
                told.add(signature)
                progress.line(f"{signature.title} ({tally.files[signature]})")
            progress.show(f"{tally.programs} of {plan.count} programs, {len(tally.files)} different findings")
    except KeyboardInterrupt:
        notice()
    except OSError as error:
        raise InputError(options["output"], f"cannot write: {error.strerror or error}") from None
    progress.end()
    return _answer(plan, tally, options["form"])


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
    from ...report.verify import json as report_json
    from ...uniformity.check import Claimant

    cut = tally.programs < plan.count
    code = Exit.HOLDS
    if any(signature.claimant is Claimant.RULES for signature in tally.times):
        code = Exit.OUR_BUG
    elif tally.times:
        code = Exit.FAILS
    elif cut or tally.failures:
        code = Exit.UNKNOWN
    found = tally.times.most_common()
    if form == "json":
        made: dict[str, Any] = {
            "schema": "convcheck/1",
            "command": "fuzz-uniformity",
            "programs": tally.programs,
            "executions": tally.executions,
            "answers": dict(sorted(tally.answers.items())),
            "findings": [
                {
                    "file": tally.files.get(signature, ""),
                    "claimant": signature.claimant.value,
                    "target": signature.target,
                    "rule": signature.rule,
                    "kind": signature.what,
                    "times": times,
                    "batch": tally.first[signature].batch,
                    "function": tally.first[signature].function,
                }
                for signature, times in found
            ],
            "failures": list(dict.fromkeys(tally.failures)),
            "bound": INTERRUPTED if cut else None,
        }
        write(report_json.dump(made), None)
        return code
    lines = [
        f"{tally.files.get(signature, '')}: {signature.title}, {times} time{'' if times == 1 else 's'}, "
        f"first in {tally.first[signature].batch}:{tally.first[signature].function}"
        for signature, times in found
    ]
    lines += [f"LLVM was not asked: {words}" for words in dict.fromkeys(tally.failures)]
    counts = ", ".join(f"{count} {words}" for words, count in sorted(tally.answers.items()))
    lines.append(f"{tally.programs} programs, {tally.executions} executions{' (interrupted)' if cut else ''}")
    lines.append(f"The rules/LLVM: {counts or 'nothing was compared'}")
    write("\n".join(lines) + "\n", None)
    return code
