"""Inputs of our own choice that have more executions than are looked at: larger ones are passed over.

Free choices multiply: an anchor in a loop has as many executions as there are ways to pair the threads'
rounds. Which inputs are tried is for the comparison to choose, so it chooses smaller ones, and says so.
"""

from __future__ import annotations

from dataclasses import replace

from ...ir.module import Function, Module
from ...semantics.bounds import INTERRUPTED, BoundKind, is_bound
from ..inputs.launch import Argument, Input
from ..sides.observable import Mismatch
from ..sides.outcomes import Bounds
from .counterexample import Wrong
from .reasons import (
    InPart,
    LeftOut,
    MoreLaunches,
    MoreUnknown,
    Note,
    Open,
    OpenSide,
    PassedOver,
    SilentLaunches,
    Unknown,
)
from .relation import RefinementRelation
from .result import Model, Unobserved, Verdict

TOO_MANY = BoundKind.MAX_EXECUTIONS
"""The bound that such an input runs into."""
FEW = 2
"""Threads whose races are looked at for all data that are tried, where other numbers are tried, too."""
ENOUGH = 8
"""Inputs in which threads can meet that must have been compared before a verdict can rest on them alone."""
LESS = 10
"""After the first such input the others get this part of the executions, so that they end sooner."""


OFTEN, TIMES = 3, 8
"""Inputs that run into the bound on instructions before others get fewer: as many times those of the longest
execution that ended, but no less than a :data:`LESS`th of the bound."""


class Large:
    """The inputs that ran into the bound."""

    def __init__(self) -> None:
        self._inputs: list[Input] = []

    def add(self, input_: Input) -> None:
        """This one did."""
        self._inputs.append(input_)

    def covers(self, input_: Input) -> bool:
        """Whether it is at least as large as one that did, and would run into the bound as well."""
        return any(_at_least(input_, known) for known in self._inputs)

    def bounds(self, bounds: Bounds) -> Bounds:
        """What the next input gets."""
        return replace(bounds, executions=max(1, bounds.executions // LESS)) if self._inputs else bounds


class Long:
    """How long the source's executions are: where some inputs make it run on and on, others of our choice get
    a few times the instructions that the longest execution had which ended."""

    def __init__(self) -> None:
        self._endless = self._longest = 0

    def ended(self, steps: int) -> None:
        """All executions for an input came to an end within so many instructions."""
        self._longest = max(self._longest, steps)

    def ran_on(self) -> None:
        """The bound cut an input short."""
        self._endless += 1

    def bounds(self, bounds: Bounds) -> Bounds:
        """What the source gets of the next input."""
        if self._endless < OFTEN or not self._longest:
            return bounds
        return replace(bounds, steps=min(bounds.steps, max(bounds.steps // LESS, TIMES * self._longest)))


def _at_least(input_: Input, known: Input) -> bool:
    """Whether an input has the other one's threads and more, with values that are no smaller."""
    if input_.threads < known.threads or input_.paths is not None or known.paths is not None:
        return False
    if input_.subgroup_size != known.subgroup_size or input_.interpretation != known.interpretation:
        return False
    return all(_no_smaller(mine, its) for mine, its in zip(input_.arguments, known.arguments, strict=True))


def _no_smaller(mine: tuple[Argument, ...] | None, its: tuple[Argument, ...] | None) -> bool:
    """Of one parameter: the largest values against those of the other input."""
    if mine is None or its is None:
        return mine is its
    numbers, others = _numbers(mine), _numbers(its)
    if numbers is None or others is None:
        return mine[: len(its)] == its
    return all(a >= b for a, b in zip(numbers, others, strict=False))


def _numbers(values: tuple[Argument, ...]) -> list[int] | None:
    """Integers, largest first; ``None`` where there is anything else."""
    numbers = [v for v in values if isinstance(v, int)]
    return sorted(numbers, reverse=True) if len(numbers) == len(values) else None


# -- What a comparison found under one model, input by input, and the verdict that follows

SAME_TEXT = "the same text up to names of values: equal for all inputs"
"""What is established without looking at a run."""
NOTHING_RUN = "the target breaks static rules, nothing was run"
"""The same of a target that is not run."""
UNTOUCHED = "the same text up to names of values: optnone keeps LLVM's passes from the function"
"""The same of a function of which that is no news."""


def same_text_words(function: Function, module: Module) -> str:
    """What is established where a function's target is the same text."""
    return UNTOUCHED if "optnone" in module.resolve(function.attributes) else SAME_TEXT


class Tried:
    """What was found under one model so far. ``more``: what only the source does. ``apart``: no thread
    can meet another one but in memory, so that one alone says as much."""

    def __init__(
        self, model: Model, planned: int, complete: bool, enough: int = ENOUGH, apart: bool = False
    ) -> None:
        self.model = model
        self._apart = apart
        self._enough = enough
        self.launches = 0
        self.wrong: Wrong | None = None
        self.bound: Unknown | None = None
        self._planned = planned
        self._complete = complete
        self._threads: set[int] = set()
        self._silent = 0
        self._left_out = 0
        self._left_out_bound: Open | None = None
        self._together = 0  # launches in which threads can meet, if they ever do but in memory
        self._passed_over = 0
        self._passed_over_bound: Open | None = None
        self.more: Mismatch | None = None
        self.observed = False  # whether some launch showed anything that could have differed
        self.same: str | None = None  # what that the sides are the same text says: nothing needs to be seen
        self._back_open: OpenSide | None = None
        self._out_of_time: Open | None = None
        self._in_part: list[Input] = []
        self._edges = 0  # launches at edges that were compared
        self._wrong_edge: tuple[int, int] | None = None

    def take(self, input_: Input, forth: RefinementRelation, back: RefinementRelation | None) -> bool:
        """One input, whether the target refines the source there, and, if so, the source the target: ``back``
        names the sides as they are. Whether to go on."""
        self.launches += 1
        self._threads.add(input_.threads)
        self._together += self._apart or (input_.threads > 1 and input_.subgroup_size != 1)
        self._silent += not forth.says
        match forth.answer:
            case "fails":
                self.wrong = Wrong(self.model, input_, forth)
                return False
            case "open":
                assert forth.open is not None
                self.bound = self.bound or OpenSide(forth.open, forth.side)
        match back:
            case RefinementRelation("fails", mismatch):
                self.more = self.more or mismatch
            case RefinementRelation("open", open=why, side=side):
                assert why is not None
                self._back_open = self._back_open or OpenSide(why, side)
        return True

    def take_edge(
        self,
        input_: Input,
        forth: RefinementRelation,
        back: RefinementRelation | None,
        number: int,
        planned: int,
    ) -> bool:
        """A launch at an edge that was decided, by its ``number`` of all that were ``planned``. Whether to go
        on."""
        if forth.answer == "fails":
            self.wrong, self._wrong_edge = Wrong(self.model, input_, forth), (number, planned)
            return False
        self._edges += 1
        if back is not None and back.answer == "fails":
            self.more = self.more or back.mismatch
        return True

    def cut(self, bound: Open, number: int) -> None:
        """Not all inputs were tried. An interrupt is named before all other bounds, for it was the last."""
        self.bound = bound if bound == INTERRUPTED else self.bound or bound
        self._planned = number

    def in_part(self, input_: Input) -> None:
        """Of an input not all executions were looked at, and what the target does in those is the
        source's."""
        self._in_part.append(input_)

    def suffices(self) -> bool:
        """Whether what was compared until now is enough for a verdict of its own: launches, or, where there
        are no such, some executions of larger ones."""
        return self.bound is None and (self._compared_enough or bool(self._meeting_in_part))

    @property
    def _compared_enough(self) -> bool:
        return self.observed and self._together >= self._enough

    @property
    def _meeting_in_part(self) -> int:
        """Launches in which threads can meet that were compared in part, where no others are enough."""
        if self._compared_enough:
            return 0
        return sum(i.threads > 1 and i.subgroup_size != 1 for i in self._in_part)

    def out_of_time(self, bound: Open, number: int) -> None:
        """The seconds for these inputs are over: the verdict is about those before, and says so."""
        self._out_of_time = bound
        self.stop(number)

    def stop(self, number: int) -> None:
        """Enough was looked at: the inputs after these are not tried."""
        self._complete = self._complete and number == self._planned
        self._planned = number

    def left_out(self, bound: Open) -> None:
        """The source itself ran into a bound, perhaps without an end: such an input says nothing."""
        self._left_out += 1
        self._left_out_bound = bound

    def passed_over(self, bound: Open) -> None:
        """An input of our choice has more executions than are looked at."""
        self._passed_over += 1
        self._passed_over_bound = bound

    def finish(self) -> None:
        """All inputs were tried: too few may be left to rest a verdict on."""
        if self._passed_over and self._together < self._enough and not self._meeting_in_part:
            self.bound = self.bound or self._passed_over_bound
        if self._left_out_bound is not None and not self.launches and not self._meeting_in_part:
            self.bound = self.bound or OpenSide(self._left_out_bound, "source")

    @property
    def timed_out(self) -> bool:
        """Whether there are no seconds left for another launch."""
        return self._out_of_time is not None or is_bound(self.bound, BoundKind.TIMEOUT)

    @property
    def interrupted(self) -> bool:
        return self.bound == INTERRUPTED

    @property
    def unobserved(self) -> Unobserved | None:
        """Why the launches without a difference say nothing, if they do not."""
        if self.wrong is not None or self.bound is not None or self.observed or self._meeting_in_part:
            return None
        if self.launches == 0:
            return "no-launch"
        return "source-says-nothing" if self._silent == self.launches else "nothing-observable"

    @property
    def verdict(self) -> Verdict:
        if self.wrong is not None:
            return "wrong"
        if self.bound is not None or (self.unobserved is not None and self.same is None):
            return "unknown"
        if self.more is not None or self._back_open is not None or self._meeting_in_part:
            return "refines"
        return "equal"

    @property
    def established(self) -> str:
        if self.same is not None and self.unobserved is not None:
            return self.same
        if not self._threads:
            part = self._meeting_in_part
            return f"{part} launches compared in part" if part else "no launch was compared"
        low, high = min(self._threads), max(self._threads)
        threads = f"{low} to {high} threads" if low < high else f"{low} thread{'s' if low > 1 else ''}"
        launches = f"{self.launches} launch{'es' if self.launches > 1 else ''}, {threads}"
        if self._wrong_edge is not None:
            number, planned = self._wrong_edge
            return f"wrong for launch {number} of {planned} at the edges, beside {launches}"
        if self.wrong is not None:
            return f"wrong for launch {self.launches} of {self._planned}"
        if self._edges:
            launches += f", and {self._edges} at the edges"
        left = self._left_out or self._passed_over or self._out_of_time is not None
        everything = self._complete and self.bound is None and not left
        return f"all inputs tried: {launches}" if everything else f"inputs tried: {launches}"

    @property
    def notes(self) -> tuple[Note, ...]:
        notes: list[Note] = []
        if self._silent:
            notes.append(SilentLaunches(self._silent, self.launches))
        if self._left_out_bound is not None:
            notes.append(LeftOut(self._left_out, self._left_out_bound))
        if self._passed_over_bound is not None:
            notes.append(PassedOver(self._passed_over, self._passed_over_bound))
        if self._out_of_time is not None:
            notes.append(MoreLaunches(self._out_of_time))
        if self._meeting_in_part and self.bound is None:
            notes.append(InPart(self._meeting_in_part))
        if self.verdict == "refines" and self.more is None and self._back_open is not None:
            notes.append(MoreUnknown(self._back_open))
        return tuple(notes)
