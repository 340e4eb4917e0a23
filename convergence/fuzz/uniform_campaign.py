"""Looks for claims of uniformity that runs show to be wrong: LLVM's, and those of our own rules.

Programs come in batches: many functions a module, so that LLVM is asked once for all of them. A claim that a
run breaks is traced back to the first value or branch that is wrongly called uniform; faults with one cause
are one finding. A finding is reduced to a program on which the same cause is seen, and kept with what shows
it by ``opt`` alone.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random

from ..interruption import notice
from ..ir import instructions as ir
from ..ir.cycles import Order
from ..ir.instructions import opcode
from ..ir.module import Function, Module
from ..ir.operands import Local, Simple
from ..ir.waves import wave_size
from ..passes.uniformity import printed
from ..refine.sides.side import only, prepare
from ..semantics.errors import NotModelled, UsageError
from ..semantics.machine.launch import launch_spec
from ..uniformity.analysis import analyse
from ..uniformity.check import Claimant, claims_of, faults
from ..uniformity.claims import claims_of_llvm
from ..uniformity.observe import ObservedRuns, Subject, Witness, observe
from ..uniformity.result import FunctionUniformity
from ..uniformity.target import target_of
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

    def batch(self, number: int) -> tuple[str, WaveDialect]:
        """The text of a batch, and for which target it is. Some are given tokens by
        :mod:`..transform.infer`."""
        dialect = DIALECTS[self.targets[number % len(self.targets)]]
        most = min(BATCH, self.count - number * BATCH)
        random = Random(f"uniform {self.seed} {number}")
        waves, anchored = number % 5 != 4, number % 6 in (1, 4)
        functions = [function(random, f"f{at}", dialect, waves, anchored) for at in range(most)]
        return declarations(dialect) + "\n".join(functions) + "\n", dialect


@dataclass(frozen=True, slots=True)
class Signature:
    """What faults of one cause have in common: who is wrong, the rule that says otherwise (``None`` where no
    rule does), and what the first wrong value is: its opcode, and how its operands are."""

    claimant: Claimant
    target: str
    rule: str | None
    what: str

    @property
    def title(self) -> str:
        rule = "no rule" if self.rule is None else self.rule
        return f"{self.claimant.value}, {self.target}: {self.what} ({rule})"


@dataclass(frozen=True, slots=True)
class UniformFinding:
    """A claim that a run broke: in batch ``batch``, of ``function``, whose text alone is ``text``."""

    signature: Signature
    batch: int
    function: str
    subject: Subject
    text: str


@dataclass(frozen=True, slots=True)
class BatchResult:
    """``answers`` counts values and branches by what the rules and LLVM say: ``uniform/divergent`` and so
    on."""

    number: int
    programs: int
    executions: int
    findings: tuple[UniformFinding, ...]
    answers: Mapping[str, int] = field(default_factory=dict)
    failure: str | None = None


def batch(plan: UniformPlan, number: int) -> BatchResult:
    """One batch: generated, LLVM asked, run, compared."""
    from ..parser import parse
    from ..passes.outside import PassFailed

    text, dialect = plan.batch(number)
    module = with_tokens(parse(text), number)
    try:
        found, answers, executions = compared(module, dialect.triple, plan.launches, plan.opt, plan.ask)
    except PassFailed as error:
        return BatchResult(number, 0, 0, (), {}, error.reason)
    made = tuple(
        UniformFinding(signature, number, subject.function, subject, alone(module, subject.function))
        for signature, subject, _ in found
    )
    return BatchResult(number, len(module.definitions()), executions, made, answers)


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


Wrong = tuple[Signature, Subject, Witness]


def compared(
    module: Module, triple: str, launches: int, opt: str | None, ask: bool = True, first: bool = False
) -> tuple[list[Wrong], Mapping[str, int], int]:
    """What is wrongly called uniform in the functions of a module; what is said of how many; the executions.
    ``first``: no further than the first function with a fault. Raises PassFailed."""
    target = target_of(triple)
    ours = {f.name: analyse(module, f, target, Order.REVERSED) for f in module.definitions()}
    rules = claims_of(ours.values())
    claims: dict[Claimant, Mapping[Subject, bool]] = {Claimant.RULES: rules}
    if ask:
        said, by = printed(module.source.text, triple=None, opt=opt)
        claims[Claimant.LLVM] = claims_of_llvm(said, module, by, triple).subjects(module)
    answers: Counter[str] = Counter()
    for subject, uniform in claims.get(Claimant.LLVM, {}).items():
        if subject in rules:
            answers[f"{_word(rules[subject])}/{_word(uniform)}"] += 1
    found: list[Wrong] = []
    executions = 0
    for name, analysed in ours.items():
        seen = observed(module, name, claims, launches)
        if seen is None:
            continue
        executions += seen.executions
        wrong = {(f.subject, who): f.witness for f in faults(claims, seen) for who in f.claimants}
        for (subject, who), witness in wrong.items():
            if first_wrong(module.functions[name], subject, {s for s, w in wrong if w is who}):
                found.append((signature(who, triple, module, analysed, subject), subject, witness))
        if first and found:
            break
    return found, answers, executions


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
    made: ObservedRuns | None = None
    for threads, size, most in shapes:
        spec = launch_spec(function=name, threads=threads, subgroup_size=size, max_steps=STEPS)
        spec = spec.within(max_launches=most)
        try:
            prepared = prepare(mine, name, spec)
            if prepared.errors:
                return None
            orders = (Order.REVERSED, Order.TEXT)
            seen = observe(prepared, spec, uniform=uniform, orders=orders, pictures=False)
        except (UsageError, NotModelled):
            return made
        made = seen if made is None else made.joined(seen)
    return made


def first_wrong(function: Function, subject: Subject, wrong: set[Subject]) -> bool:
    """Whether nothing that a subject is computed from is wrong itself: the others only pass it on."""
    return not any(Subject(function.name, name) in wrong for name in _operands_of(function, subject))


def _operands_of(function: Function, subject: Subject) -> Iterator[str]:
    from ..semantics.instructions.operands import operands

    for block in function.blocks:
        for instruction in block.instructions:
            last = instruction is block.terminator
            if (subject.branch and last and block.name == subject.name) or (
                not subject.branch and instruction.result == subject.name
            ):
                values = (
                    [value for value, _ in instruction.incoming]
                    if isinstance(instruction, ir.Phi)
                    else operands(instruction)
                )
                yield from (value.name for value in values if isinstance(value, Local))


def signature(
    who: Claimant, triple: str, module: Module, analysed: FunctionUniformity, subject: Subject
) -> Signature:
    """The cause of a fault."""
    found = (analysed.branches if subject.branch else analysed.values)[subject.name]
    cause = found.cause
    what = "a branch" if subject.branch else _what(module.functions[subject.function], subject.name)
    rule = None if cause is None else cause.rule.id
    return Signature(who, triple.partition("-")[0], rule, what)


def _what(function: Function, name: str) -> str:
    """``phi of constants``, ``phi with undef``, ``phi``, else the opcode."""
    for instruction in function.instructions:
        if instruction.result == name:
            if not isinstance(instruction, ir.Phi):
                return opcode(instruction)
            values = [value for value, _ in instruction.incoming]
            if any(isinstance(value, Simple) and value.kind in ("undef", "poison") for value in values):
                return "phi with undef"
            if not any(isinstance(value, Local) for value in values):
                return "phi of constants"
            return "phi"
    return "parameter"


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
            found, _, _ = compared(module, module.triple or "", TO_REDUCE, opt, ask)
        except PassFailed:
            return False
        return any(made == finding.signature for made, _, _ in found)

    return reduce(finding.text, interesting, timeout=timeout, most=most)


@dataclass
class UniformTally:
    """What a campaign came to: findings by signature, each with how often, the first of them, and where it
    is."""

    programs: int = 0
    executions: int = 0
    seconds: float = 0.0
    answers: Counter[str] = field(default_factory=Counter)
    times: Counter[Signature] = field(default_factory=Counter)
    first: dict[Signature, UniformFinding] = field(default_factory=dict)
    files: dict[Signature, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def take(self, result: BatchResult) -> Iterable[UniformFinding]:
        """A batch's result; what is new of it."""
        self.programs += result.programs
        self.executions += result.executions
        self.answers.update(result.answers)
        if result.failure is not None:
            self.failures.append(result.failure)
        for finding in result.findings:
            self.times[finding.signature] += 1
            if finding.signature not in self.first:
                self.first[finding.signature] = finding
                yield finding


def campaign(
    plan: UniformPlan, jobs: int, folder: Path | None = None, reduce_timeout: float | None = 30.0
) -> Iterator[UniformTally]:
    """All batches, in processes of their own; the tally after each. Findings do not depend on ``jobs``:
    batches are taken in their order."""
    tally, begin = UniformTally(), time.monotonic()
    for result in _results(plan, jobs):
        for finding in tally.take(result):
            if folder is not None:
                number = len(tally.files) + 1
                tally.files[finding.signature] = keep(folder, number, finding, plan, reduce_timeout)
        tally.seconds = time.monotonic() - begin
        yield tally
        if notice():
            return


def _results(plan: UniformPlan, jobs: int) -> Iterator[BatchResult]:
    if jobs == 1:
        yield from (batch(plan, number) for number in range(plan.batches))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        ahead: dict[int, Future[BatchResult]] = {}
        coming = iter(range(plan.batches))
        for number in range(plan.batches):
            while len(ahead) < jobs * 2 and (following := next(coming, None)) is not None:
                ahead[following] = pool.submit(batch, plan, following)
            while not ahead[number].done() and not notice():
                wait([ahead[number]], timeout=0.2, return_when=FIRST_COMPLETED)
            if notice():
                pool.shutdown(cancel_futures=True)
                return
            yield ahead.pop(number).result()


def keep(folder: Path, number: int, finding: UniformFinding, plan: UniformPlan, timeout: float | None) -> str:
    """Writes a finding: the program, reduced, and what shows it."""
    from ..parser import parse

    text = finding.text if timeout == 0 else reduced(finding, plan.opt, timeout)
    module = parse(text)
    ask = finding.signature.claimant is Claimant.LLVM
    found, _, _ = compared(module, module.triple or "", TO_REDUCE, plan.opt, ask)
    shown = next(((s, w) for made, s, w in found if made == finding.signature), None)
    lines = [f"; {finding.signature.title}"]
    if shown is not None:
        subject, witness = shown
        name = f"the branch of {subject.name}" if subject.branch else f"%{subject.name}"
        one, other = witness.one, witness.other
        lines += [
            f"; {name} is {one.value} in thread {one.thread} and {other.value} in thread {other.thread},",
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
