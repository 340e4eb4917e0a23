"""What ``refine`` answers, with what a report needs besides: the modules, who ran the passes, the walk."""

from __future__ import annotations

from collections.abc import Mapping

from ...alignment.picture import picture
from ...frozen import dataclass
from ...ir.cfg import Order
from ...ir.module import Module
from ...refine.verdict.result import WORST_FIRST, Counterexample, Refinement, Side, Unobserved, Verdict
from .mismatches import words
from .reasons import note_words, reason_words

PICTURED = 100_000  # passes through blocks that a picture shows at most


@dataclass(frozen=True, slots=True)
class Pipeline:
    """LLVM's pipeline that made the target: ``by`` ran it, ``notes`` say on what terms."""

    passes: str
    by: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """One pass that changed the module: the ``number``-th of the ``of`` passes that ran, what it ran on, and
    how the module after it compares with the original source."""

    number: int
    of: int
    name: str
    on: str
    verdict: Verdict

    def __str__(self) -> str:
        return f"{self.name} on {self.on} (pass {self.number} of {self.of})"


@dataclass(frozen=True, slots=True)
class DumpedStep:
    """The pass of a dump that is between the two sides: the ``number``-th that the dump tells of, what it ran
    on, and the passes before it whose changes show with its own."""

    number: int
    name: str
    on: str
    unseen: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = f", with {', '.join(self.unseen)} before it" if self.unseen else ""
        return f"{self.name} on {self.on} (pass {self.number}{more})"


@dataclass(frozen=True, slots=True)
class FunctionComparison:
    """One function before and after. ``walk`` is what ``--bisect`` saw, up to the pass to blame; ``step`` the
    pass of a dump."""

    function: str
    target_function: str
    source: Module
    target: Module
    refinement: Refinement
    walk: tuple[Judged, ...] | None = None
    step: DumpedStep | None = None

    @property
    def title(self) -> str:
        """``@f``, or ``@src -> @tgt`` where the names differ; of a dump also after which pass."""
        name = f"@{self.function}"
        if self.function != self.target_function:
            name = f"@{self.function} -> @{self.target_function}"
        return name if self.step is None else f"{name} after {self.step}"

    @property
    def blamed(self) -> Judged | None:
        """The pass to blame, as the walk met it."""
        if self.refinement.blame is None or not self.walk:
            return None
        return next((j for j in self.walk if j.verdict in ("wrong", "invalid-output")), None)


@dataclass(frozen=True, slots=True)
class RefineAnswer:
    """All functions compared, at least one, in the source's order. ``all_blocks`` and ``search`` are for the
    pictures; ``source`` and ``target`` are the files' names."""

    compared: tuple[FunctionComparison, ...]
    source: str
    target: str
    pipeline: Pipeline | None = None
    notes: tuple[str, ...] = ()
    all_blocks: bool = False
    search: Order = Order.TEXT

    @property
    def worst(self) -> FunctionComparison:
        """The first function with the worst verdict."""
        return min(self.compared, key=lambda comparison: WORST_FIRST.index(comparison.refinement.verdict))

    @property
    def verdict(self) -> Verdict:
        return self.worst.refinement.verdict


def notes(refinement: Refinement) -> tuple[str, ...]:
    """What there is to know besides, each once: bounds that differ may have the same words."""
    more = () if refinement.more is None else (f"the source does more: {words(refinement.more)}",)
    return tuple(dict.fromkeys((*map(note_words, refinement.notes), *more)))


UNOBSERVED: Mapping[Unobserved, str] = {
    "nothing-observable": "nothing observable was compared: no return value, no event, "
    "and no memory that the outside can see",
    "source-says-nothing": "nothing observable was compared: "
    "for every input tried the source is undefined or may run without an end",
    "no-launch": "nothing observable was compared: there was no input to try",
}


def bound(refinement: Refinement) -> str | None:
    """Why the verdict is ``unknown``, if it is."""
    if refinement.unobserved is not None:
        return UNOBSERVED[refinement.unobserved]
    return None if refinement.bound is None else reason_words(refinement.bound)


SENTENCES: Mapping[Verdict, str] = {
    "equal": "each does what the other may do",
    "refines": "the target does less than the source may do, and nothing else",
    "wrong": "the target does what the source cannot",
    "invalid-output": "the target breaks a static rule",
    "unknown": "not established",
}


def rows(
    answer: RefineAnswer, comparison: FunctionComparison, side: Side, example: Counterexample
) -> tuple[str, ...]:
    """A side's picture; none of one so long that nobody could read it."""
    if sum(map(len, side.execution.visits)) > PICTURED:
        return ()
    module = side.of(comparison.source if side is example.source else comparison.target)
    function = comparison.function if side is example.source else comparison.target_function
    return picture(side.execution, module, function, answer.all_blocks, answer.search)
