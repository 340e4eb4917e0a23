"""One program through one pipeline: what ``refine`` says of it, and in one word for folding."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from ..frozen import dataclass

if TYPE_CHECKING:
    from ..refine import PreparedSide, Refinement
    from ..refine.verdict.result import Counterexample


FINDINGS = ("wrong", "invalid-output")
"""The answers that are findings."""
NO_FINDINGS = ("equal", "refines", "unknown")
"""The answers of a comparison that are none."""


@dataclass(frozen=True, slots=True)
class FindingKind:
    """What a check came to, for folding. ``answer`` is the verdict; or ``crash``, ``timeout``, ``refused``,
    ``unavailable`` when LLVM gave no output; ``not-llvm`` when what it gave is no LLVM IR to its own reader;
    ``our-bug``. ``rule``: for ``invalid-output`` the first static rule broken."""

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
        """The text after a pipeline; raises PassFailed."""
        from ..passes import optimise

        return optimise(text, pipeline, opt=self.opt, opt_args=self.args, timeout=self.timeout)


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
    from ..semantics.errors import NotModelled, UsageError

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
    from ..refine import Assumption, refine
    from ..report.refine.answer import bound
    from ..semantics.errors import NotModelled, UsageError

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
    return CheckResult(kind_of(refinement), bound(refinement) or refinement.established, target, refinement)


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
