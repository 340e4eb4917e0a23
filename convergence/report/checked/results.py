"""One check beside a tool that somebody else ran: a function before and after a pass, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from ...frozen import Json, dataclass

Answer = Literal["equal", "refines", "wrong", "invalid-output", "unknown", "not-observable"]
"""``refine``'s verdicts; of ``unknown`` those apart in which nothing can be seen from outside."""
ANSWERS: tuple[Answer, ...] = ("equal", "refines", "wrong", "invalid-output", "unknown", "not-observable")
OPEN: tuple[Answer, ...] = ("unknown", "not-observable")
"""Those that leave the question open."""
FINDINGS: tuple[Answer, ...] = ("wrong", "invalid-output")


@dataclass(frozen=True, slots=True)
class CheckedPass:
    """One function before and after one pass.

    ``tool`` is the one that ran (``opt``), ``module`` what LLVM calls the module, ``step`` the pass's number.
    ``why`` is one line: what was established, or why nothing was; ``folder`` a finding's, in the results'
    own. ``seconds`` are those of the comparison, 0 where the answer was ``known`` from before.
    """

    tool: str
    module: str
    function: str
    step: int
    pass_: str
    answer: Answer
    why: str = ""
    folder: str | None = None
    seconds: float = 0.0
    known: bool = False

    def line(self) -> dict[str, Json]:
        """As a line of ``results.jsonl``."""
        return {
            "tool": self.tool, "module": self.module, "function": self.function, "number": self.step,
            "pass": self.pass_, "answer": self.answer, "why": self.why, "folder": self.folder,
            "seconds": round(self.seconds, 3), "cached": self.known,
        }  # fmt: skip


def checked_pass(line: Mapping[str, object]) -> CheckedPass:
    """A line of ``results.jsonl`` read. Raises KeyError, TypeError or ValueError for one that is none."""
    answer = next(name for name in (*ANSWERS, None) if name is None or name == line["answer"])
    if answer is None:
        raise ValueError(f"no answer: {line['answer']!r}")
    folder = line["folder"]
    return CheckedPass(
        str(line["tool"]), str(line["module"]), str(line["function"]), int(str(line["number"])),
        str(line["pass"]), answer, str(line["why"]), None if folder is None else str(folder),
        float(str(line["seconds"])), bool(line["cached"]),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class SuiteCounts:
    """Of a suite: how many ``files`` are through, with how many ``commands`` of LLVM's tools; how many files
    were put to ``verify`` (``verified``), and those that LLVM does not judge as convcheck does, with why
    convcheck refuses them (``None``: it takes them)."""

    files: int = 0
    commands: int = 0
    verified: int = 0
    disagreeing: tuple[tuple[str, str | None], ...] = ()

    def with_file(self, commands: int) -> SuiteCounts:
        """One file more."""
        return replace(self, files=self.files + 1, commands=self.commands + commands)

    def with_verified(self, file: str, agree: object, why: object) -> SuiteCounts:
        """One file more that both were asked about."""
        more = () if agree else ((file, None if why is None else str(why)),)
        return replace(self, verified=self.verified + 1, disagreeing=(*self.disagreeing, *more))


@dataclass(frozen=True, slots=True)
class BuildSummary:
    """All checks of a folder, in their order; ``skipped`` says per reason how often nothing was checked;
    ``suite`` is what a suite counts besides; ``pending`` is how many modules are still to be checked."""

    checks: tuple[CheckedPass, ...]
    skipped: Mapping[str, int]
    suite: SuiteCounts = field(default_factory=SuiteCounts)
    pending: int = 0

    @property
    def counts(self) -> Mapping[Answer, int]:
        """How many checks came to each answer."""
        counts = Counter(check.answer for check in self.checks)
        return {answer: counts[answer] for answer in ANSWERS}

    @property
    def answered(self) -> int:
        """How many checks say whether threads stay together."""
        return sum(check.answer not in OPEN for check in self.checks)

    @property
    def by_pass(self) -> Sequence[tuple[str, Mapping[Answer, int]]]:
        """The same for each pass, by its name."""
        names = sorted({check.pass_ for check in self.checks})
        return [(name, BuildSummary(self._of(name), {}).counts) for name in names]

    def _of(self, name: str) -> tuple[CheckedPass, ...]:
        return tuple(check for check in self.checks if check.pass_ == name)

    @property
    def reasons(self) -> Sequence[tuple[str, int]]:
        """Why answers are unknown, the most frequent first."""
        return Counter(check.why for check in self.checks if check.answer == "unknown").most_common()

    @property
    def findings(self) -> Sequence[CheckedPass]:
        """The findings, each folder once."""
        return distinct(check for check in self.checks if check.answer in FINDINGS)


def distinct(checks: Iterable[CheckedPass]) -> Sequence[CheckedPass]:
    """Each folder's first check, and all that have none."""
    known: dict[object, CheckedPass] = {}
    for number, check in enumerate(checks):
        known.setdefault(check.folder if check.folder is not None else number, check)
    return list(known.values())
