"""The front door's ``fuzz`` and ``reduce``: the commands of these names, from Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..frozen import Shown
from ..ir.module import Module, needs_module
from ..passes import PassFailed
from ..semantics import UsageError
from ..semantics.machine.launch import launched_function, whole_number
from ..workers.scheduler import local
from .campaign import (
    EXECUTIONS,
    LLVM,
    NO_FINDINGS,
    CampaignPlan,
    CheckLimits,
    FindingKind,
    Folder,
    Presented,
    check,
    do_chunk,
    present,
    same,
    write,
)
from .generate import Style
from .reduce import reduce as reduce_text

_FAILURE = ("program", "passes", "kind", "words")


@dataclass(frozen=True, repr=False, slots=True)
class Campaign(Shown):
    """What a campaign came to: ``findings``, each reduced, in the order in which they were met, of so many
    ``programs``. ``data`` is what ``convcheck fuzz --format json`` prints."""

    findings: tuple[Presented, ...]
    programs: int
    data: Mapping[str, Any] = field(repr=False)

    def __iter__(self) -> Any:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        return True


def campaign_data(folder: Folder, bound: str | None) -> dict[str, Any]:
    """A campaign as ``convcheck/1`` has it; ``bound`` is what cut it short."""
    return {
        "schema": "convcheck/1", "command": "fuzz", "programs": folder.progress,
        "checks": sum(folder.answers.values()), "answers": dict(sorted(folder.answers.items())),
        "findings": sorted(folder.folds.values(), key=lambda f: f["first"]),
        "failures": [dict(zip(_FAILURE, failure, strict=True)) for failure in folder.failures],
        "unknown": dict(sorted(folder.unknown.items())),
        "bound": bound,
    }  # fmt: skip


def fuzz(
    passes: str | Sequence[str] = "default<O1>",
    *,
    count: int = 100,
    seed: int = 0,
    style: Style = "controlled",
    jobs: int = 1,
    output: str | Path | None = None,
    threads: int | None = None,
    max_launches: int = 4,
    max_steps: int = 20_000,
    max_executions: int = EXECUTIONS,
    thorough: bool = False,
    reduce_timeout: float = 60.0,
    opt: str | None = None,
    opt_args: Sequence[str] = (),
) -> Campaign:
    """Random programs through LLVM's passes and :func:`convergence.refine`, as ``convcheck fuzz``.

    ``passes`` is LLVM's pipeline, or several; ``count`` programs of a ``seed`` and ``style`` go through each,
    on so many ``jobs``. ``thorough`` looks at what can hardly be a finding, too. Each new finding is
    reduced for ``reduce_timeout`` seconds. What was found is written to the folder ``output``, if one is
    given, from which the same call goes on; ``findings`` of the answer are those of this call.

    Raises PassFailed for a pipeline that LLVM does not know or nobody here offers, NotThisCampaign for a
    folder that holds another campaign.
    """
    pipelines = (
        (passes,) if isinstance(passes, str) else tuple(passes) if isinstance(passes, Iterable) else ()
    )
    if not pipelines or not all(isinstance(pipeline, str) for pipeline in pipelines):
        raise TypeError(f"passes is LLVM's pipeline, as 'simplifycfg,gvn', or several, and not {passes!r}")
    count, seed, jobs, max_launches = (
        whole_number(name, number)
        for name, number in (("count", count), ("seed", seed), ("jobs", jobs), ("max_launches", max_launches))
    )
    if count < 0 or jobs < 1:
        raise UsageError(f"count is not negative and jobs at least 1: {count} and {jobs} are given")
    llvm = LLVM(opt, tuple(opt_args))
    limits = CheckLimits(threads, max_launches, max_steps, max_executions, saves=not thorough)
    plan = CampaignPlan(seed, style, pipelines, count, llvm, limits)
    for pipeline in pipelines:
        try:
            llvm.optimise("define void @f() {\n  ret void\n}\n", pipeline)
        except PassFailed as error:
            if error.kind in ("refused", "unavailable"):
                raise
    findings = []
    with TemporaryDirectory() if output is None else nullcontext(str(output)) as path:
        folder = Folder(Path(path), plan)
        folder.open()
        with local(jobs) as pool:
            for done in pool.over(partial(do_chunk, plan), plan.chunks(folder.progress)):
                for finding in folder.take(done):
                    presented = present(plan, finding, reduce_timeout)
                    write(folder.of(finding), presented)
                    findings.append(presented)
                folder.save()
        return Campaign(tuple(findings), folder.progress, campaign_data(folder, None))


def reduce(
    module: Module,
    passes: str,
    *,
    function: str | None = None,
    kind: str | None = None,
    threads: int | None = None,
    max_launches: int = 30,
    timeout: float | None = None,
    opt: str | None = None,
    opt_args: Sequence[str] = (),
) -> Module:
    """A smaller module on which a pipeline goes wrong in the same way, as ``convcheck reduce``.

    ``function`` is launched, the first definition by default. ``kind`` is what the module shows: ``wrong``,
    or ``invalid-output S-RULE``; by default what it does show. ``timeout`` seconds bound the search: what is
    found by then is given.

    Raises UsageError where the pipeline does nothing wrong with the module.
    """
    from ..parser import parse
    from ..parser.printer import print_module

    needs_module(module, "reduce")
    value: object = passes
    if not isinstance(value, str):
        raise TypeError(f"passes is LLVM's pipeline, as 'simplifycfg,gvn', and not {passes!r}")
    if not module.definitions():
        raise UsageError("there is no function to launch")
    llvm, limits = LLVM(opt, tuple(opt_args)), CheckLimits(threads, max_launches)
    name = (function or module.definitions()[0].name).removeprefix("@")
    launched = launched_function(module, name).name
    text = print_module(module)
    checked = check(text, launched, passes, llvm, limits)
    wanted = checked.kind if kind is None else FindingKind.named(kind)
    if checked.kind != wanted or wanted.answer in NO_FINDINGS:
        raise UsageError(f"nothing to reduce: {passes} gives {checked.kind} ({checked.words})")
    smaller = reduce_text(
        text, same(passes, launched, wanted, llvm, limits, checked.difference), timeout=timeout
    )
    return parse(smaller, module.source.name)
