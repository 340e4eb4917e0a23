"""Campaigns: one program through one pipeline, many of them, the findings folder, and findings made
readable.
"""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..collector import pass_over_what_is_there, uncollected
from ..frozen import dataclass
from .generate import Generated, Style, generate
from .reduce import reduce
from .uniform_programs import dialect_of, kernel

if TYPE_CHECKING:
    from ..passes import Optimised, Outputs
    from ..refine import PreparedSide, Refinement
    from ..refine.verdict.result import Counterexample

# ----------------------------------------------------------------------------------------------------------
# One program through one pipeline: what ``refine`` says of it, and in one word for folding.
# ----------------------------------------------------------------------------------------------------------

FINDINGS = ("wrong", "invalid-output")
"""The answers that are findings."""
NO_FINDINGS = ("equal", "refines", "unknown")
"""The answers of a comparison that are none."""
SHOWN = (*FINDINGS, "crash", "timeout", "refused", "not-llvm", "our-bug")
"""What a program may show that is worth a smaller one."""


@dataclass(frozen=True, slots=True)
class FindingKind:
    """What a check came to, for folding. ``answer`` is the verdict; or ``crash``, ``timeout``, ``refused``,
    ``unavailable`` when LLVM gave no output; ``not-llvm`` when what it gave is no LLVM IR to its own reader
    or verifier; ``our-bug``. ``rule``: for ``invalid-output`` the first static rule broken."""

    answer: str
    rule: str | None = None

    @classmethod
    def named(cls, name: str) -> FindingKind:
        """The kind that is written so, as ``str`` writes it."""
        answer, _, rule = name.partition(" ")
        return cls(answer, rule or None)

    @property
    def bad(self) -> bool:
        """Whether it is a finding: ``refine`` says wrong or invalid-output."""
        return self.answer in FINDINGS

    def __str__(self) -> str:
        return self.answer if self.rule is None else f"{self.answer} {self.rule}"


@dataclass(frozen=True, slots=True)
class CheckLimits:
    """How hard ``refine`` looks. All but ``timeout`` are counts, so that an answer does not depend on the
    machine; ``timeout`` seconds only keep a campaign alive. Without ``saves`` a campaign looks at what can
    hardly be a finding, too, and keeps nothing from one check to the next."""

    threads: int | None = None
    max_launches: int = 4
    max_steps: int = 20_000
    max_executions: int = 60
    timeout: float = 20.0
    saves: bool = True


@dataclass(frozen=True, slots=True)
class LLVM:
    """Who runs the passes: an external ``opt`` or whatever offers them, with which flags."""

    opt: str | None = None
    args: tuple[str, ...] = ()
    timeout: float = 30.0

    def optimise(self, text: str, pipeline: str) -> str:
        """The text after a pipeline; raises PassFailed. Who parses it, or the text before, need not ask LLVM
        again what it says of them."""
        from ..passes import optimised

        output = optimised(text, pipeline, opt=self.opt, opt_args=self.args, timeout=self.timeout, asks=True)
        return _remembered(output)

    def begin(self, text: str, pipelines: Sequence[str]) -> Outputs:
        """Have a text optimised by several pipelines while something else is done."""
        from ..passes import begin

        return begin(text, pipelines, opt=self.opt, opt_args=self.args, timeout=self.timeout)


def _remembered(output: Optimised) -> str:
    """An output's text; what LLVM said of it, and of the text before, is known to who parses them next."""
    from ..packages import without_llvm

    if output.answers and without_llvm() is None:
        from ..parser.llvm import remember

        for answer in output.answers:
            remember(*answer)
    return output.text


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What was found, of which ``kind``; ``words`` says more."""

    kind: FindingKind
    words: str = ""
    target: str | None = None
    refinement: Refinement | None = None

    @property
    def bad(self) -> bool:
        """Whether it is a finding."""
        return self.kind.bad

    @property
    def difference(self) -> Difference | None:
        """What differs first, where a counterexample shows it."""
        example = None if self.refinement is None else self.refinement.counterexample
        return None if example is None else difference_of(example)


Difference = Literal["group", "value", "event", "memory", "ending"]
"""What a counterexample shows first: who is together at an operation, what a thread returns, what it does
that is seen, what memory holds, or how it ends."""


def difference_of(example: Counterexample) -> Difference:
    """The kind of a counterexample's first difference."""
    from ..refine.sides.observable import EventMismatch, ExtraEvent, MemoryMismatch, ReturnMismatch

    if example.departure is not None:
        return "group"
    match example.difference:
        case ReturnMismatch():
            return "value"
        case EventMismatch() | ExtraEvent():
            return "event"
        case MemoryMismatch():
            return "memory"
        case _:
            return "ending"


def check(text: str, function: str, pipeline: str, llvm: LLVM, limits: CheckLimits) -> CheckResult:
    """Run a pipeline on a program and compare."""
    from ..passes import PassFailed

    try:
        target = llvm.optimise(text, pipeline)
    except PassFailed as failed:
        return CheckResult(FindingKind(failed.kind), str(failed))
    return compare(source_of(text, function), target, limits)


def same(
    pipeline: str,
    function: str,
    kind: FindingKind,
    llvm: LLVM,
    limits: CheckLimits,
    difference: Difference | None = None,
) -> Callable[[str], bool]:
    """The reducer's question: does a pipeline still do this to a program, and differs the same first? Without
    a ``difference`` any will do."""
    from ..parser import NotLLVM, Unsupported
    from ..semantics import NotModelled, UsageError

    def question(text: str) -> bool:
        try:
            checked = check(text, function, pipeline, llvm, limits)
        except (NotLLVM, Unsupported, UsageError, NotModelled):
            return False
        return checked.kind == kind and difference in (None, checked.difference)

    return question


def source_of(text: str, function: str) -> PreparedSide:
    """A side made ready; raises NotLLVM, Unsupported and UsageError."""
    from ..parser import parse
    from ..refine import prepare

    return prepare(parse(text), function)


def compare(
    source: PreparedSide, target: str, limits: CheckLimits, minimise: bool = False, faults_only: bool = False
) -> CheckResult:
    """What ``refine`` says of a source and a target's text. With ``faults_only`` nothing is run that says no
    more of its kind, if that is a finding's: no target that breaks static rules, and none for what the source
    leaves open."""
    from ..ir.targets import KERNELS, convention_of
    from ..parser import NotLLVM, Unsupported, parse
    from ..parser.llvm import llvm_verdict
    from ..refine import Assumption, refine
    from ..report.refine import bound
    from ..semantics import NotModelled, UsageError

    kernel = convention_of(source.function.convention) in KERNELS
    parameters = source.function.parameters if kernel else ()
    alike = [Assumption(parameter.name, uniform=True) for parameter in parameters]
    try:
        module = parse(target)
        refinement = refine(
            source, module, assume=alike, threads=limits.threads, max_launches=limits.max_launches,
            max_steps=limits.max_steps, max_executions=limits.max_executions, timeout=limits.timeout,
            minimise=minimise, shortcut=limits.saves, behaviour=not faults_only, faults_only=faults_only,
        )  # fmt: skip
    except NotLLVM as error:
        return CheckResult(FindingKind("not-llvm"), str(error), target)
    except (Unsupported, UsageError) as error:
        words = error.command_line if isinstance(error, UsageError) else str(error)
        return CheckResult(FindingKind("unknown"), words, target)
    except NotModelled as error:
        return CheckResult(FindingKind("unknown"), f"not modelled: {error.feature}", target)
    kind = kind_of(refinement)
    if kind.answer == "wrong" and (complaints := llvm_verdict(target)):
        # it runs here, and would be called a fault of behaviour; `refine` says that it is no valid output
        return CheckResult(FindingKind("not-llvm"), f"LLVM's verifier: {complaints[0]}", target)
    return CheckResult(kind, bound(refinement) or refinement.established, target, refinement)


def kind_of(refinement: Refinement) -> FindingKind:
    """A refinement's kind."""
    if refinement.verdict != "invalid-output":
        return FindingKind(refinement.verdict)
    return FindingKind("invalid-output", min(d.rule.id for d in refinement.diagnostics))


@dataclass(frozen=True, slots=True)
class Blame:
    """The first pass whose output differs: ``pass_`` as in a pipeline, ``before`` the module that it got,
    ``kind`` what was found there."""

    pass_: str
    before: str
    kind: FindingKind
    on: str = ""

    @property
    def plain(self) -> str:
        """The pass without its parameters."""
        return self.pass_.partition("<")[0]


def blame(
    text: str, function: str, pipeline: str, llvm: LLVM, limits: CheckLimits, kind: FindingKind
) -> Blame | None:
    """A pass that makes good output bad, found by halving the list of passes run; ``None`` if there is none.

    It is the first such pass unless a later one hides a fault and another makes one.
    """
    from ..passes import PassFailed, passes_run

    try:
        history = passes_run(text, pipeline, opt=llvm.opt, opt_args=llvm.args, timeout=llvm.timeout)
    except PassFailed:
        return None
    runs = [run for run in history if run.changed]
    source = source_of(text, function)
    static = kind.answer == "invalid-output"  # then nothing needs to run
    good, bad = -1, len(runs) - 1
    while bad - good > 0:
        middle = (good + bad) // 2 if bad - good > 1 else bad
        answer = broken(runs[middle].text) if static else compare(source, runs[middle].text, limits).kind
        if answer is not None and answer.bad:
            bad = middle
            if bad - good == 1:
                before = text if bad == 0 else runs[bad - 1].text
                return Blame(runs[bad].name, before, answer, runs[bad].on)
        else:
            if middle == bad:
                return None
            good = middle
    return None


def broken(target: str) -> FindingKind | None:
    """The kind of an output by its text alone: ``invalid-output`` and a rule, or nothing."""
    from ..parser import NotLLVM, Unsupported, parse
    from ..verifier import verify

    try:
        rules = sorted(d.rule.id for d in verify(parse(target)) if d.rule.id.startswith("S-"))
    except (NotLLVM, Unsupported):
        return None
    return FindingKind("invalid-output", rules[0]) if rules else None


# ----------------------------------------------------------------------------------------------------------
# The findings folder: one folder per (pass, kind), and the state from which a campaign goes on.
#
# ``state.json`` is written after every chunk, whole, by renaming: a campaign that is cut off goes on with
# the chunk that it was at. A finding's folder holds ``source.ll``, ``reduced.ll``, ``target.ll`` (what the
# pass makes of the reduced program), ``finding.json``, ``counterexample.txt`` and ``counterexample.json``.
# ----------------------------------------------------------------------------------------------------------


# ----------------------------------------------------------------------------------------------------------
# The state of a campaign in its folder, from which the same command goes on.
# ----------------------------------------------------------------------------------------------------------


class NotThisCampaign(Exception):
    """The folder holds another campaign, or something else; the message says what differs."""


def state_file(folder: Path) -> Path:
    """Where a folder has its state."""
    return folder / "state.json"


def open_state(folder: Path, identity: Mapping[str, object], take: Callable[[dict[str, Any]], None]) -> None:
    """Make the folder, or ``take`` the state of the campaign in it, which must have this ``identity``.

    Raises NotThisCampaign and OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    state = state_file(folder)
    if not state.exists():
        return
    try:
        data = json.loads(state.read_text())
        campaign = data["campaign"]
        take(data)
    except (ValueError, KeyError, TypeError) as error:
        raise NotThisCampaign(f"{state} is no state of a campaign: {error}") from None
    differing = [name for name, value in identity.items() if campaign.get(name) != value]
    if differing:
        differs = " and ".join(differing)
        raise NotThisCampaign(f"{folder} holds a campaign that differs in {differs}: take another folder")


def save_state(folder: Path, identity: Mapping[str, object], data: Mapping[str, object]) -> None:
    """Write the state, whole: a reader sees this one or the one before."""
    temporary = state_file(folder).with_suffix(".new")
    whole = {"schema": "convcheck/1", "campaign": identity, **data}
    temporary.write_text(json.dumps(whole, indent=1) + "\n")
    temporary.replace(state_file(folder))


ENOUGH = 3
"""How often in a row a kind of finding must be blamed on the same pass before that is taken for granted."""


SAVED = ("crash", "timeout", "not-llvm")
"""How LLVM fails on a program so that the program is kept."""


def _file_name(words: str) -> str:
    return re.sub(r"[^\w.-]+", "-", words).strip("-")


@dataclasses.dataclass
class Folder:
    """A campaign's results. ``progress``: how many programs are through. ``unknown``: how many checks are, by
    reason. ``folds`` has per (pass, kind) the
    folder's name and how often it was found; ``blamed`` per pipeline and kind the last few (pass, kind) that
    walks gave."""

    path: Path
    plan: CampaignPlan
    progress: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    folds: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    failures: list[list[Any]] = field(default_factory=list)
    blamed: dict[str, list[list[str]]] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)

    def open(self) -> None:
        """Make the folder, or go on with the campaign in it. Raises NotThisCampaign and OSError."""
        open_state(self.path, self.plan.identity, self._go_on)

    def _go_on(self, data: dict[str, Any]) -> None:
        self.progress, self.answers = data["done"], Counter(data["answers"])
        self.folds = {(f["pass"], f["kind"]): f for f in data["findings"]}
        self.failures, self.blamed = data["failures"], data["blamed"]
        self.unknown = Counter(data["unknown"])

    def take(self, done: Done) -> list[Finding]:
        """Count a chunk; gives the findings that are new."""
        self.answers.update(done.answers)
        self.unknown.update(done.unknown)
        new = []
        for new_finding in done.findings:
            finding = self._blamed(new_finding)
            if finding.key in self.folds:
                self.folds[finding.key]["times"] += 1
            else:
                self._fold(finding)
                new.append(finding)
        for number, pipeline, kind, _ in done.failures:
            if kind in SAVED:
                self._keep(number, pipeline, kind)
        self.failures += [list(failure) for failure in done.failures]
        self.progress = done.numbers.stop
        return new

    def _fold(self, finding: Finding) -> None:
        self.folds[finding.key] = {
            "pass": finding.pass_, "kind": str(finding.kind), "folder": self._name(finding), "times": 1,
            "first": finding.number, "seed": finding.seed, "found_with": finding.found_with,
        }  # fmt: skip

    def add(self, finding: Finding) -> None:
        """Count a finding of a chunk that was cut, for an answer: the state is left as it is, so that the
        chunk is done again as a whole. Where it was not reduced, its program alone is written."""
        self.answers[finding.kind.answer] += 1
        if finding.key not in self.folds:
            self._fold(finding)
        if not self.is_written(self.folds[finding.key]):
            (self.of(finding) / "source.ll").write_text(finding.source)

    def is_written(self, fold: Mapping[str, Any]) -> bool:
        """Whether a finding's folder has it, reduced."""
        return (self.path / str(fold["folder"]) / "finding.json").exists()

    def _keep(self, number: int, pipeline: str, kind: str) -> None:
        """The program on which LLVM itself failed, with the command that shows it."""
        path = self.path / "failures" / f"{_file_name(f'{kind} {pipeline}')}-{number}.ll"
        path.parent.mkdir(exist_ok=True)
        flags = "".join(f" {flag}" for flag in self.plan.llvm.args)
        path.write_text(f"; RUN: opt -S -passes='{pipeline}'{flags} %s\n{self.plan.program(number).text}")

    def _blamed(self, candidate: Finding) -> Finding:
        """A finding with the pass to blame. Walking a pipeline costs some fifty checks: once a kind was
        blamed on one pass three times running, the next ones are taken for the same."""
        if not composite(candidate.pipeline):
            return candidate
        past = self.blamed.setdefault(f"{candidate.pipeline} {candidate.kind}", [])
        if len(past) == ENOUGH and all(key == past[0] for key in past):
            return replace(candidate, pass_=past[0][0], kind=FindingKind.named(past[0][1]))
        finding = walked(self.plan, candidate)
        past[:] = [*past[1 - ENOUGH :], list(finding.key)]
        return finding

    def _name(self, finding: Finding) -> str:
        return _file_name(f"{finding.pass_} {finding.kind}")

    def save(self) -> None:
        """Write the state."""
        data = {
            "done": self.progress, "answers": dict(sorted(self.answers.items())),
            "findings": list(self.folds.values()), "failures": self.failures, "blamed": self.blamed,
            "unknown": dict(sorted(self.unknown.items())),
        }  # fmt: skip
        save_state(self.path, self.plan.identity, data)

    def of(self, finding: Finding) -> Path:
        """A finding's own folder."""
        path = self.path / str(self.folds[finding.key]["folder"])
        path.mkdir(exist_ok=True)
        return path


# -- A campaign: many programs through several pipelines, the same findings whatever the number of jobs
# Program ``n`` of a campaign is the generator's for the seed ``seed * 1_000_000 + n``. Programs are done
# in chunks; chunks are handed out to processes, here or on a dask cluster, and taken in their order, so
# that what is found, folded and reduced depends on the seed alone.

TRIED_ALONE = ("simplifycfg",)
"""Passes that are tried alone before a pipeline is walked, which costs some fifty checks: the one that every
pipeline runs most often."""

EXECUTIONS = 24
"""Executions of one side that a campaign looks at for one input, as many as of a launch at an edge. With 60
an anchor in a loop takes as long as fifty other checks; of 400 programs two were decided by that."""

CHUNK = 10
"""Programs in a chunk: the unit of work, of progress and of resumption."""


@dataclass(frozen=True, slots=True)
class CampaignPlan:
    """What a campaign does. All of it but ``count`` must be the same for a campaign to be resumed."""

    seed: int
    style: Style
    pipelines: tuple[str, ...]
    count: int
    llvm: LLVM = field(default_factory=LLVM)
    limits: CheckLimits = field(default_factory=lambda: CheckLimits(max_executions=EXECUTIONS))
    triple: str | None = None

    def program(self, number: int) -> Generated:
        """The program with a number; kernels of a target where there is a ``triple``."""
        dialect = None if self.triple is None else dialect_of(self.triple)
        if dialect is not None:
            seed = self.seed * 1_000_000 + number
            return Generated(seed, "kernels", kernel(seed, dialect))
        return generate(self.seed * 1_000_000 + number, self.style)

    def chunks(self, done: int = 0) -> Iterator[range]:
        """Those still to do: the same whatever was done before, but for the last of an earlier run."""
        start = done
        while start < self.count:
            end = min((start // CHUNK + 1) * CHUNK, self.count)
            yield range(start, end)
            start = end

    @property
    def identity(self) -> dict[str, Any]:
        """What must agree for a resumption."""
        return {k: v for k, v in _plain(asdict(self)).items() if k != "count"}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault: where it was found, whom to blame, and the smallest setting that shows it.

    ``source`` through ``pipeline`` gives ``kind``; for a long pipeline that is the module before the pass
    to blame and that pass alone, where this shows the same.
    """

    number: int
    seed: int
    found_with: str
    pass_: str
    kind: FindingKind
    source: str
    pipeline: str
    function: str

    @property
    def key(self) -> tuple[str, str]:
        """What duplicates share."""
        return self.pass_, str(self.kind)


@dataclass(frozen=True, slots=True)
class Done:
    """What a chunk came to: how many checks had which answer, and the findings in order. ``failures`` are
    what LLVM itself failed on: (number, pipeline, kind, words). ``unknown``: how many are unknown for which
    reason, in words."""

    numbers: range
    answers: Counter[str]
    findings: tuple[Finding, ...]
    failures: tuple[tuple[int, str, str, str], ...]
    unknown: Counter[str] = field(default_factory=Counter)


def do_chunk(plan: CampaignPlan, numbers: range) -> Done:
    """Check some programs. A function of its arguments alone: it may run anywhere."""
    done = Done(numbers, Counter(), (), ())
    for number, program, outputs in under_way(plan, numbers):
        with uncollected():
            done = _with(done, plan, number, program, outputs)
    pass_over_what_is_there()
    return done


def under_way(plan: CampaignPlan, numbers: range) -> Iterator[tuple[int, Generated, Outputs | None]]:
    """The programs with their numbers. LLVM's passes run on the next one while one is compared, as LLVM and
    the comparison are in two processes of which each would wait for the other; not where nothing is to be
    kept from one check to the next (:class:`CheckLimits`). What LLVM makes of a program does not depend on
    when it is asked."""
    ahead: deque[tuple[int, Generated, Outputs | None]] = deque()
    for number in numbers:
        program = plan.program(number)
        outputs = plan.llvm.begin(program.text, plan.pipelines) if plan.limits.saves else None
        ahead.append((number, program, outputs))
        if len(ahead) > 1:
            yield ahead.popleft()
    yield from ahead


def _with(done: Done, plan: CampaignPlan, number: int, program: Generated, outputs: Outputs | None) -> Done:
    """A chunk with one program more. Nothing is left of the program when this returns, at which the collector
    would look, but for what is said of it."""
    findings: list[Finding] = []
    failures: list[tuple[int, str, str, str]] = []
    for pipeline, checked in checks(plan, program, outputs):
        done.answers[checked.kind.answer] += 1
        if checked.bad:
            findings.append(
                Finding(
                    number, program.seed, pipeline, pipeline, checked.kind, program.text, pipeline,
                    program.function,
                )
            )  # fmt: skip
        elif checked.kind.answer not in NO_FINDINGS:
            failures.append((number, pipeline, checked.kind.answer, checked.words))
        elif checked.kind.answer == "unknown":
            done.unknown[checked.words] += 1
    return replace(done, findings=(*done.findings, *findings), failures=(*done.failures, *failures))


def checks(
    plan: CampaignPlan, program: Generated, outputs: Outputs | None = None
) -> Iterator[tuple[str, CheckResult]]:
    """One program through all pipelines; the source is made ready once, and what several of them make of it
    is compared once, unless nothing is to be kept (:class:`CheckLimits`). ``outputs``: what is under way
    already."""
    from ..passes import PassFailed

    def output(pipeline: str) -> str | PassFailed:
        try:
            if outputs is None:
                return plan.llvm.optimise(program.text, pipeline)
            return _remembered(outputs.of(pipeline))
        except PassFailed as failed:
            return failed

    first = {pipeline: output(pipeline) for pipeline in plan.pipelines[:1]}  # LLVM has read the source then
    source = source_of(program.text, program.function)
    known: dict[str, CheckResult] = {}
    for pipeline in plan.pipelines:
        target = first.pop(pipeline, None) or output(pipeline)
        if isinstance(target, PassFailed):
            yield pipeline, CheckResult(FindingKind(target.kind), str(target))
        else:
            if not plan.limits.saves:
                known.clear()
                source = source_of(program.text, program.function)
            if target not in known:
                known[target] = _compared(source, target, plan)
            yield pipeline, known[target]
    source.take_apart()


def _compared(source: PreparedSide, target: str, plan: CampaignPlan) -> CheckResult:
    """The comparison; a failure of ours does not end the campaign but is counted and told."""
    try:
        return compare(source, target, plan.limits, faults_only=plan.limits.saves)
    except Exception as error:
        return CheckResult(FindingKind("our-bug"), f"{type(error).__name__}: {str(error)[:200]}", target)


def walked(plan: CampaignPlan, finding: Finding) -> Finding:
    """A finding with the pass to blame, and the module before it if that and the pass alone show the same."""
    text, function = finding.source, finding.function
    for pass_ in TRIED_ALONE:
        if check(text, function, pass_, plan.llvm, plan.limits).kind == finding.kind:
            return replace(finding, pass_=pass_, pipeline=pass_)
    first = blame(text, function, finding.pipeline, plan.llvm, plan.limits, finding.kind)
    if first is None:
        return finding
    for alone in dict.fromkeys((first.plain, first.pass_)):
        if _shows(first, alone, function, plan):
            return replace(finding, pass_=first.plain, kind=first.kind, source=first.before, pipeline=alone)
    return replace(finding, pass_=first.plain)


def composite(pipeline: str) -> bool:
    """Whether a pipeline is more than one pass."""
    return "," in pipeline or pipeline.startswith(("default<", "O", "-O", "thinlto", "lto"))


def _shows(first: Blame, alone: str, function: str, plan: CampaignPlan) -> bool:
    from ..semantics import UsageError

    try:
        return check(first.before, function, alone, plan.llvm, plan.limits).kind == first.kind
    except UsageError:  # the module before the pass breaks a rule itself
        return False


# ----------------------------------------------------------------------------------------------------------
# A finding made readable: reduced, compared once more with room to look, and written into its folder.
# ----------------------------------------------------------------------------------------------------------

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
    from ..report import parts as report_json
    from ..report import refine as refine_text
    from ..report import refine_formats as refine_json
    from ..report.refine import FunctionComparison, Pipeline, RefineAnswer, issue

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
