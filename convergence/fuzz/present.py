"""A finding made readable: reduced, compared once more with room to look, and written into its folder."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..frozen import dataclass
from .campaign import CampaignPlan, Finding
from .check import LLVM, CheckResult, check, compare, same, source_of
from .reduce import reduce

LINES = 25
"""A reduced program should have fewer."""


@dataclass(frozen=True, slots=True)
class Presented:
    """A finding with its reduced program, what the pass makes of it, and the comparison of the two; ``by``
    says which LLVM ran, and ``llvm`` how it was called."""

    finding: Finding
    reduced: str
    target: str
    checked: CheckResult
    llvm: LLVM
    by: str

    @property
    def lines(self) -> int:
        """Lines of the reduced program that say something."""
        lines = self.reduced.splitlines()
        return sum(bool(line.strip()) and not line.startswith("declare") for line in lines)


def present(
    plan: CampaignPlan, finding: Finding, seconds: float | None, progress: Callable[[int], None] | None = None
) -> Presented:
    """Reduce a finding for so many seconds (``None``: until nothing smaller is found; 0: not at all)."""
    from ..passes import optimised

    reduced = finding.source
    if seconds is None or seconds > 0:
        which, how = (finding.pipeline, finding.function), (plan.llvm, plan.limits)
        first = check(finding.source, finding.function, finding.pipeline, *how)
        question = same(*which, finding.kind, *how, first.difference)
        reduced = reduce(finding.source, question, timeout=seconds, progress=progress)
    llvm = plan.llvm
    optimisation = optimised(
        reduced, finding.pipeline, opt=llvm.opt, opt_args=llvm.args, timeout=llvm.timeout
    )
    target = optimisation.text
    source = source_of(reduced, finding.function)
    limits = plan.limits
    if reduced != finding.source:  # small enough to look closely
        limits = replace(limits, max_launches=max(100, limits.max_launches))
    checked = compare(source, target, limits, minimise=True)
    if checked.kind != finding.kind:
        checked = compare(source, target, plan.limits, minimise=True)
    return Presented(finding, reduced, target, checked, llvm, optimisation.by)


def _options(presented: Presented) -> list[str]:
    """The options by which ``refine`` runs the same LLVM."""
    llvm = presented.llvm
    opt = [] if llvm.opt is None else ["--opt", Path(llvm.opt).name]
    return ["--passes", presented.finding.pipeline, *opt, *(f"--opt-args={flag}" for flag in llvm.args)]


def write(path: Path, presented: Presented) -> None:
    """Fill a finding's folder."""
    from ..parser import NotLLVM, parse
    from ..report.refine import json as refine_json
    from ..report.refine import text as refine_text
    from ..report.refine.answer import FunctionComparison, Pipeline, RefineAnswer
    from ..report.refine.issue import issue
    from ..report.verify import json as report_json

    finding = presented.finding
    for name, text in (
        ("source", finding.source),
        ("reduced", presented.reduced),
        ("target", presented.target),
    ):
        (path / f"{name}.ll").write_text(text)
    described: dict[str, Any] = {
        "schema": "convcheck/1", "verdict": finding.kind.answer, "kind": str(finding.kind),
        "pass": finding.pass_, "passes": finding.pipeline, "function": finding.function,
        "number": finding.number, "seed": finding.seed, "found_with": finding.found_with,
        "llvm": presented.by,
        "reproduce": shlex.join(["convcheck", "refine", "reduced.ll", *_options(presented)]),
    }  # fmt: skip
    (path / "finding.json").write_text(json.dumps(described, indent=1) + "\n")
    if presented.checked.refinement is None:
        return
    try:
        modules = parse(presented.reduced, "reduced.ll"), parse(presented.target, "target.ll")
    except NotLLVM:
        return
    comparison = FunctionComparison(
        finding.function, finding.function, *modules, presented.checked.refinement
    )
    answer = RefineAnswer(
        (comparison,), "reduced.ll", "target.ll", Pipeline(finding.pipeline, "convcheck fuzz")
    )
    shown: dict[str, Callable[[], str]] = {
        "txt": lambda: refine_text.text(answer),
        "json": lambda: report_json.dump(refine_json.answer(answer)),
    }
    command = shlex.join(["opt", "-S", f"-passes={finding.pipeline}", *presented.llvm.args, "reduced.ll"])
    shown["md"] = lambda: issue(
        answer, comparison, presented.reduced, presented.target, finding.pass_, command, presented.by
    )
    for ending, render in shown.items():
        try:
            text = render()
        except Exception as error:  # a report's failure must not cost the finding
            text = f"convcheck could not show this: {type(error).__name__}: {error}\n"
        (path / ("issue.md" if ending == "md" else f"counterexample.{ending}")).write_text(text)
