"""Looks for claims of uniformity that runs show to be wrong: LLVM's, and those of our own rules.

Programs come in batches: many functions a module, so that LLVM is asked once for all of them. A claim that a
run breaks is traced back to the first value or branch that is wrongly called uniform; faults with one cause
are one finding. A finding is reduced to a program on which the same cause is seen, and kept with what shows
it by ``opt`` alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from ..collector import uncollected
from ..interruption import notice
from ..ir.cfg import Order
from ..ir.module import Module
from ..ir.targets import wave_size
from ..passes.uniformity import printed
from ..refine.sides.side import only, prepare
from ..semantics import NotModelled, UsageError
from ..semantics.machine.launch import launch_spec
from ..uniformity.analysis import analyse, target_of
from ..uniformity.check import (
    Claimant,
    DifferenceKind,
    DifferenceOrigin,
    FunctionText,
    claims_of,
    claims_of_llvm,
    faults,
    origins,
)
from ..uniformity.observe import DifferingInstances, ObservedRuns, Subject, observe
from ..uniformity.result import FunctionUniformity
from ..workers.scheduler import local
from .campaign import open_state, save_state
from .uniform_programs import DIALECTS, WaveDialect, declarations, function

BATCH = 20
"""Functions of a module that LLVM is asked about at once."""
STEPS = 600
"""Instructions of one execution: each program's backward edges are taken a few times only."""
LAUNCHES = 4
"""Inputs of a program, and as many as a third of that again with two waves."""
TO_REDUCE = 12
"""Inputs that are tried for each candidate of a reduction."""


@dataclass(frozen=True, slots=True)
class UniformPlan:
    """Which programs: ``count`` of them by ``seed``, for the targets named, ``launches`` inputs each; ``opt``
    is who is asked. ``LLVM`` is not asked at all without ``ask``: then only the rules are tried."""

    seed: int = 0
    count: int = 1000
    targets: tuple[str, ...] = ("amdgcn", "nvptx")
    launches: int = LAUNCHES
    opt: str | None = None
    ask: bool = True

    @property
    def batches(self) -> int:
        return -(-self.count // BATCH)

    @property
    def identity(self) -> dict[str, Any]:
        """What must agree for a resumption: all but how many."""
        return {"seed": self.seed, "targets": list(self.targets), "launches": self.launches, "opt": self.opt}

    def chunks(self, done: int = 0) -> Iterator[range]:
        """Programs still to do, by batch; of a batch that an earlier, smaller campaign ended in, the rest."""
        while done < self.count:
            end = min((done // BATCH + 1) * BATCH, self.count)
            yield range(done, end)
            done = end

    def batch(self, number: int) -> tuple[str, WaveDialect]:
        """The text of a batch, and for which target it is."""
        return self.text(range(number * BATCH, min((number + 1) * BATCH, self.count)))

    def text(self, programs: range) -> tuple[str, WaveDialect]:
        """The text of some programs of one batch, and for which target they are."""
        number, first = programs.start // BATCH, programs.start % BATCH
        dialect = DIALECTS[self.targets[number % len(self.targets)]]
        random = Random(f"uniform {self.seed} {number}")
        waves, anchored = number % 5 != 4, number % 6 in (1, 4)
        functions = [function(random, f"f{at}", dialect, waves, anchored) for at in range(BATCH)]
        return declarations(dialect) + "\n".join(functions[first:][: len(programs)]) + "\n", dialect


@dataclass(frozen=True, slots=True)
class Signature:
    """What faults of one cause have in common: who is wrong, the rule that says otherwise (``None`` where no
    rule does), and what the first wrong value is: its opcode, and how its operands are."""

    claimant: Claimant
    target: str
    rule: str | None
    fault: str

    @property
    def title(self) -> str:
        rule = "no rule" if self.rule is None else self.rule
        return f"{self.claimant.value}, {self.target}: {self.fault} ({rule})"


Wrong = tuple[Signature, Subject, DifferingInstances]


@dataclass(frozen=True, slots=True)
class UniformFinding:
    """A claim that a run broke: in batch ``batch``, of ``function``, whose text alone is ``text``."""

    signature: Signature
    batch: int
    function: str
    subject: Subject
    text: str


@dataclass(frozen=True, slots=True)
class DifferenceCount:
    """How many differences of a kind: ``origins``, ``all`` that come of them, and how many of the origins
    are ``wrong``: a run shows that what is called uniform differs. ``first`` is one of them."""

    origins: int = 0
    all: int = 0
    wrong: int = 0
    first: str = ""

    def __add__(self, other: DifferenceCount) -> DifferenceCount:
        return DifferenceCount(
            self.origins + other.origins, self.all + other.all, self.wrong + other.wrong,
            self.first or other.first,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModuleComparison:
    """What a module came to: ``faults`` are claims that a run broke, ``answers`` counts values and branches
    by what the rules and LLVM say (``uniform/divergent`` and so on), ``differences`` why they say
    different things. ``unrun`` functions could not be run."""

    faults: tuple[Wrong, ...] = ()
    answers: Mapping[str, int] = field(default_factory=dict)
    differences: Mapping[DifferenceKind, DifferenceCount] = field(default_factory=dict)
    executions: int = 0
    unrun: int = 0


@dataclass(frozen=True, slots=True)
class BatchResult:
    """Of the ``programs`` of one batch: ``failure`` says why LLVM was not asked, and then nothing was
    compared."""

    programs: range
    compared: ModuleComparison
    findings: tuple[UniformFinding, ...] = ()
    failure: str | None = None


def batch(plan: UniformPlan, programs: range) -> BatchResult:
    """Programs of one batch: generated, LLVM asked, run, compared."""
    from ..parser import parse
    from ..passes.outside import PassFailed

    text, dialect = plan.text(programs)
    number = programs.start // BATCH
    try:
        with uncollected():
            module = with_tokens(parse(text), number)
            compared_batch = compared(module, dialect.triple, plan.launches, plan.opt, plan.ask)
    except PassFailed as error:
        return BatchResult(programs, ModuleComparison(), (), error.reason)
    findings = tuple(
        UniformFinding(signature, number, subject.function, subject, alone(module, subject.function))
        for signature, subject, _ in compared_batch.faults
    )
    return BatchResult(programs, compared_batch, findings)


def with_tokens(module: Module, number: int) -> Module:
    """Every third batch with tokens, as LLVM's documented procedure infers them."""
    if number % 3 != 2:
        return module
    from ..parser import parse
    from ..parser.printer import print_module
    from ..transform.infer import infer

    return parse(print_module(infer(module)))


def alone(module: Module, name: str) -> str:
    """The text of one function with what it calls."""
    from ..parser.printer import print_module

    return print_module(only(module, frozenset((name,))))


def compared(
    module: Module, triple: str, launches: int, opt: str | None, ask: bool = True, first: bool = False
) -> ModuleComparison:
    """What is wrongly called uniform in the functions of a module; what is said of how many, and why not the
    same. ``first``: no further than the first function with a fault. Raises PassFailed."""
    target = target_of(triple)
    ours = {f.name: analyse(module, f, target, Order.REVERSED) for f in module.definitions()}
    rules = claims_of(ours.values())
    claims: dict[Claimant, Mapping[Subject, bool]] = {Claimant.RULES: rules}
    if ask:
        printout, by = printed(module.source.text, triple=None, opt=opt)
        claims[Claimant.LLVM] = claims_of_llvm(printout, module, by, triple).subjects(module)
    llvm = claims.get(Claimant.LLVM, {})
    answers = Counter(f"{_word(rules[s])}/{_word(uniform)}" for s, uniform in llvm.items() if s in rules)
    wrongs: list[Wrong] = []
    differences: dict[DifferenceKind, DifferenceCount] = {}
    executions = unrun = 0
    for name, analysed in ours.items():
        text = FunctionText(module.functions[name])
        runs = observed(module, name, claims, launches)
        for origin in origins(module.functions[name], analysed, rules, llvm, Order.REVERSED):
            counted = _counted(origin, runs)
            differences[origin.kind] = differences.get(origin.kind, DifferenceCount()) + counted
        if runs is None:
            unrun += 1
            continue
        executions += runs.executions
        wrong = {(f.subject, claimant): f.witness for f in faults(claims, runs) for claimant in f.claimants}
        for claimant in claims:
            for subject in first_wrong(text, [s for s, by in wrong if by is claimant]):
                witness = wrong[subject, claimant]
                wrongs.append((signature(claimant, triple, text, analysed, subject), subject, witness))
        if first and wrongs:
            break
    return ModuleComparison(tuple(wrongs), answers, differences, executions, unrun)


def _counted(origin: DifferenceOrigin, runs: ObservedRuns | None) -> DifferenceCount:
    begins = origin.subject == origin.origin
    differs = begins and runs is not None and origin.origin in runs.differing
    return DifferenceCount(begins, 1, differs, f"{origin.origin.function} {origin.origin.name}")


def _word(uniform: bool) -> str:
    return "uniform" if uniform else "divergent"


def observed(
    module: Module, name: str, claims: Mapping[Claimant, Mapping[Subject, bool]], launches: int
) -> ObservedRuns | None:
    """The runs of one function; ``None`` if it cannot be run."""
    uniform = [
        p.name
        for p in module.functions[name].parameters
        if any(claimed.get(Subject(name, p.name), False) for claimed in claims.values())
    ]
    mine = only(module, frozenset((name,)))  # what is looked at is looked at whole
    shapes: list[tuple[int | None, int | None, int]] = [(None, None, launches)]
    if wave_size(module, module.functions[name]) is not None:
        shapes.append((4, 2, max(1, launches // 3)))  # two waves: numbers of lanes begin anew
    runs: ObservedRuns | None = None
    try:
        prepared = prepare(mine, name)
    except (UsageError, NotModelled):
        return None
    if prepared.errors:
        return None
    for threads, size, most in shapes:
        spec = launch_spec(function=name, threads=threads, subgroup_size=size, max_steps=STEPS)
        spec = spec.within(max_launches=most)
        try:
            orders = (Order.REVERSED, Order.TEXT)
            more = observe(prepared, spec, uniform=uniform, orders=orders, pictures=False)
        except (UsageError, NotModelled):
            return runs
        runs = more if runs is None else runs.joined(more)
    return runs


def first_wrong(text: FunctionText, wrong: Sequence[Subject]) -> Iterator[Subject]:
    """Those wrong claims that no other one explains: the others only pass on what is wrong already. Of some
    that are computed from each other, as in a cycle, and of nothing else that is wrong, one stands for
    all."""
    before = {s: [Subject(s.function, n) for n in text.operands(s)] for s in wrong}
    explained: set[Subject] = set()

    def explain(subject: Subject) -> None:
        work = [subject]
        while work:
            explained.add(work.pop())
            work = [s for s in wrong if s not in explained and not explained.isdisjoint(before[s])]

    for subject in wrong:
        if before[subject] and not set(wrong).isdisjoint(before[subject]):
            continue
        explain(subject)
        yield subject
    for subject in wrong:
        if subject not in explained:
            circle = [subject]
            while True:
                subject = next(s for s in before[circle[-1]] if s in wrong and s not in explained)
                if subject in circle:
                    break
                circle.append(subject)
            explain(subject)
            yield subject


def signature(
    claimant: Claimant, triple: str, text: FunctionText, analysed: FunctionUniformity, subject: Subject
) -> Signature:
    """The cause of a fault."""
    cause = (analysed.branches if subject.branch else analysed.values)[subject.name].cause
    rule = None if cause is None else cause.rule.id
    return Signature(claimant, triple.partition("-")[0], rule, text.shape(subject))


# -- Reduction, and what is kept


def reduced(finding: UniformFinding, opt: str | None, timeout: float | None, most: int = 4_000) -> str:
    """The smallest program found on which the same cause is seen."""
    from ..parser import parse
    from ..passes.outside import PassFailed
    from .reduce import reduce

    ask = finding.signature.claimant is Claimant.LLVM

    def interesting(text: str) -> bool:
        module = parse(text)
        try:
            faults = compared(module, module.triple or "", TO_REDUCE, opt, ask).faults
        except PassFailed:
            return False
        return any(function == finding.signature for function, _, _ in faults)

    return reduce(finding.text, interesting, timeout=timeout, most=most)


@dataclass
class UniformTally:
    """What a campaign came to: findings by signature, each with how often, the first of them, and where it
    is kept. ``progress`` programs were taken, whether LLVM could be asked or not."""

    progress: int = 0
    programs: int = 0
    executions: int = 0
    unrun: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    differences: dict[DifferenceKind, DifferenceCount] = field(default_factory=dict)
    times: Counter[Signature] = field(default_factory=Counter)
    first: dict[Signature, str] = field(default_factory=dict)
    files: dict[Signature, str] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)

    def take(self, result: BatchResult) -> Iterable[UniformFinding]:
        """A batch's result; what is new of it."""
        comparison = result.compared
        self.progress = result.programs.stop
        self.executions += comparison.executions
        self.unrun += comparison.unrun
        self.answers.update(comparison.answers)
        number = result.programs.start // BATCH
        for kind, count in comparison.differences.items():
            placed = replace(count, first=f"{number}:{count.first}")
            self.differences[kind] = self.differences.get(kind, DifferenceCount()) + placed
        if result.failure is None:
            self.programs += len(result.programs)
        else:
            self.failures[result.failure] += 1
        for finding in result.findings:
            self.times[finding.signature] += 1
            if finding.signature not in self.first:
                self.first[finding.signature] = f"{finding.batch}:{finding.function}"
                yield finding

    def alike(self) -> tuple[int, int]:
        """Of how many values and branches, of all, the rules say at least as much as LLVM: the same, or
        uniform."""
        total = sum(self.answers.values())
        return total - self.answers["divergent/uniform"], total


@dataclass
class UniformFolder:
    """A campaign's findings, and the state from which it goes on."""

    path: Path
    plan: UniformPlan
    tally: UniformTally = field(default_factory=UniformTally)

    def open(self) -> None:
        """Make the folder, or go on with the campaign in it. Raises NotThisCampaign and OSError."""
        open_state(self.path, self.plan.identity, self._go_on)

    def _go_on(self, data: dict[str, Any]) -> None:
        tally = UniformTally()
        tally.progress, tally.programs = data["done"], data["programs"]
        tally.executions, tally.unrun = data["executions"], data["unrun"]
        tally.answers, tally.failures = Counter(data["answers"]), Counter(data["failures"])
        for f in data["findings"]:
            signature = Signature(Claimant(f["claimant"]), f["target"], f["rule"], f["kind"])
            tally.times[signature], tally.first[signature] = f["times"], f["first"]
            if f["file"]:
                tally.files[signature] = f["file"]
        for d in data["differences"]:
            kind = DifferenceKind(Claimant(d["careful"]), d["rule"], d["kind"])
            tally.differences[kind] = DifferenceCount(d["origins"], d["all"], d["wrong"], d["first"])
        self.tally = tally

    def save(self) -> None:
        """Write the state."""
        tally = self.tally
        data = {
            "done": tally.progress, "programs": tally.programs, "executions": tally.executions,
            "unrun": tally.unrun, "answers": dict(sorted(tally.answers.items())),
            "findings": findings_data(tally), "differences": differences_found(tally),
            "failures": dict(tally.failures),
        }  # fmt: skip
        save_state(self.path, self.plan.identity, data)


def findings_data(tally: UniformTally) -> list[dict[str, Any]]:
    """The findings as plain data, the most frequent first."""
    return [
        {
            "file": tally.files.get(signature, ""), "claimant": signature.claimant.value,
            "target": signature.target, "rule": signature.rule, "kind": signature.fault, "times": times,
            "first": tally.first[signature],
        }
        for signature, times in tally.times.most_common()
    ]  # fmt: skip


def differences_found(tally: UniformTally) -> list[dict[str, Any]]:
    """The kinds of difference as plain data, the most frequent first."""
    ordered = sorted(tally.differences.items(), key=lambda pair: -pair[1].all)
    return [
        {
            "careful": kind.careful.value, "rule": kind.rule, "kind": kind.shape, "origins": count.origins,
            "all": count.all, "wrong": count.wrong, "first": count.first,
        }
        for kind, count in ordered
    ]  # fmt: skip


def campaign(folder: UniformFolder, jobs: int, reduce_timeout: float | None = 30.0) -> Iterator[UniformTally]:
    """All batches that are not done yet, in processes of their own; the tally after each. Findings do not
    depend on ``jobs``: batches are taken in their order. The state is written after each: a campaign that is
    cut off goes on with the batch after it."""
    tally, plan = folder.tally, folder.plan
    with local(jobs) as pool:
        for result in pool.over(partial(batch, plan), plan.chunks(tally.progress)):
            for finding in tally.take(result):
                number = len(tally.files) + 1
                tally.files[finding.signature] = keep(folder.path, number, finding, plan, reduce_timeout)
            folder.save()
            yield tally
            if notice():
                return


def keep(folder: Path, number: int, finding: UniformFinding, plan: UniformPlan, timeout: float | None) -> str:
    """Writes a finding: the program, reduced, and what shows it."""
    from ..parser import parse

    text = finding.text if timeout == 0 else reduced(finding, plan.opt, timeout)
    module = parse(text)
    ask = finding.signature.claimant is Claimant.LLVM
    faults = compared(module, module.triple or "", TO_REDUCE, plan.opt, ask).faults
    shown = next(((s, w) for function, s, w in faults if function == finding.signature), None)
    lines = [f"; {finding.signature.title}"]
    if shown is not None:
        subject, witness = shown
        name = f"the branch of {subject.name}" if subject.branch else f"%{subject.name}"
        first, second = witness.first, witness.second
        lines += [
            f"; {name} is {first.value} in thread {first.thread} and {second.value} in "
            f"thread {second.thread},",
            f"; in converged visits of {witness.block}, with {witness.input.threads} threads and "
            + (", ".join(f"%{n}={','.join(v)}" for n, v in witness.arguments) or "no arguments"),
        ]
    lines += [
        "; What LLVM says:  opt -passes='print<uniformity>' -disable-output FILE",
        "; What runs say:   convcheck uniform --check --llvm FILE",
        f"; Program {finding.batch}:{finding.function} of seed {plan.seed}.",
    ]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"uniformity-{number}.ll"
    path.write_text("\n".join([*lines, "", text]), encoding="utf-8")
    return str(path)
