"""What an executor keeps: waves, activations, and the splits that run in them; and what it issues."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...ir.calls import control
from ...ir.instructions import Phi
from ...ir.module import Module
from ...semantics.machine.log import Issued, Log
from ...semantics.threads.state import Code, Frame, Segment, Thread
from .policy import Mask, Policy, lanes


class Activation:
    """A call of a function by the lanes of ``members``, from ``parent``; ``splits`` are on their way. What
    its ``policy`` holds may be made of native turns' masks when somebody asks: by ``pending``."""

    __slots__ = ("_policy", "code", "members", "parent", "pending", "splits", "wave")

    def __init__(
        self, wave: Wave, code: Code, policy: Policy, members: Mask, parent: WarpSplit | None
    ) -> None:
        self.wave = wave
        self.code = code
        self._policy = policy
        self.pending: Callable[[], Policy] | None = None
        self.members = members
        self.parent = parent
        self.splits: list[WarpSplit] = []

    @property
    def policy(self) -> Policy:
        """The machine's state."""
        if self.pending is not None:
            self._policy, self.pending = self.pending(), None
        return self._policy

    @policy.setter
    def policy(self, policy: Policy) -> None:
        self._policy, self.pending = policy, None


class WarpSplit:
    """Lanes of ``mask`` in ``block``, at step ``at`` of ``segment``; ``below`` are the calls it waits for;
    ``gone`` the lanes that ended on the way; ``waiting`` while it waits for others with its key."""

    __slots__ = ("activation", "at", "below", "block", "gone", "mask", "passing", "segment", "waiting")

    def __init__(self, activation: Activation, block: int, mask: Mask, segment: Segment) -> None:
        self.activation = activation
        self.block = block
        self.mask = mask
        self.segment = segment
        self.at = 0
        self.below = 0
        self.gone: Mask = 0
        self.waiting = False
        self.passing = False


class Wave:
    """The lanes of one subgroup, and what they are doing. ``turn`` is whose turn it is among activations."""

    __slots__ = ("activations", "first", "issues", "number", "size", "threads", "turn")

    def __init__(self, number: int, threads: Sequence[Thread]) -> None:
        self.number = number
        self.first = threads[0].number
        self.threads = threads
        self.size = len(threads)
        self.activations: list[Activation] = []
        self.turn = 0
        self.issues = 0

    def of(self, mask: Mask) -> list[Thread]:
        """The threads of a mask's lanes."""
        return [self.threads[lane] for lane in lanes(mask)]

    def leave(self, activation: Activation) -> None:
        """An activation is over: mostly the innermost one."""
        if self.activations[-1] is activation:
            self.activations.pop()
        else:
            self.activations.remove(activation)


class SortedOut(NamedTuple):
    """Where lanes are at the end of a segment: in a callee, by function; in another block, by its number;
    ``gone`` back to the caller, or ended; or still in the block."""

    entered: dict[Code, Mask]
    targets: dict[int, Mask]
    gone: Mask
    stays: Mask


def sorted_out(
    threads: Sequence[Thread],
    before: Sequence[Frame | None],
    visits: Sequence[int],
    entries: Mapping[int, int],
) -> SortedOut:
    """Sorts lanes by where they are, given their frames and their numbers of visited blocks ``before``;
    ``entries`` are the function's blocks by the identity of their first segment."""
    entered: dict[Code, Mask] = {}
    targets: dict[int, Mask] = {}
    gone: Mask = 0
    stays: Mask = 0
    for thread, frame, visit in zip(threads, before, visits, strict=True):
        assert frame is not None
        bit = 1 << thread.lane
        now = thread.frame
        if not thread.alive or now is frame.caller:
            gone |= bit
        elif now is not frame:
            assert now is not None
            entered[now.code] = entered.get(now.code, 0) | bit
        elif frame.visit != visit:
            block = entries[id(frame.segment)]
            targets[block] = targets.get(block, 0) | bit
        else:
            stays |= bit
    return SortedOut(entered, targets, gone, stays)


class Issuer:
    """Issues instructions: to ``log``. ``latest`` is the one that was issued last; ``executed`` counts
    instructions over all lanes."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.latest: Issued | None = None
        self.executed = 0
        self._silent: dict[str, frozenset[int]] = {}

    def silent(self, code: Code) -> frozenset[int]:
        """The indices of a function's control intrinsics."""
        known = self._silent.get(code.name)
        if known is None:
            known = self._silent[code.name] = frozenset(
                i for i, instruction in enumerate(code.instructions) if control(instruction) is not None
            )
        return known

    def issue(self, split: WarpSplit, index: int, count: int, mask: Mask | None = None) -> None:
        """The instruction at ``index`` is issued for ``count`` lanes: a split's, or those of ``mask``."""
        activation: Activation = split.activation
        wave = activation.wave
        name = activation.code.name
        mask = split.mask if mask is None else mask
        self.latest = Issued(wave.issues, wave.number, name, split.block, index, mask)
        self.log.append(self.latest)
        wave.issues += 1
        self.executed += count

    def issue_all(self, split: WarpSplit, indices: Sequence[int], mask: Mask) -> None:
        """The instructions at ``indices`` are issued for a mask, one after the other."""
        wave = split.activation.wave
        name, block, first = split.activation.code.name, split.block, wave.issues
        events = [Issued(n, wave.number, name, block, index, mask) for n, index in enumerate(indices, first)]
        if events:
            self.latest = events[-1]
            self.log += events
            wave.issues += len(events)
            self.executed += len(events) * mask.bit_count()

    def for_nobody(self, split: WarpSplit) -> None:
        """A block is issued with an empty mask: slots, and nothing else happens."""
        segment: Segment | None = split.segment
        silent = self.silent(split.activation.code)
        while segment is not None:
            for index in segment.instructions(0, len(segment.steps) + 1):
                if index not in silent:
                    self.issue(split, index, 0)
            segment = segment.after


def code_size(module: Module) -> int:
    """The instructions of a module that take a slot when they are issued."""
    return sum(
        not isinstance(instruction, Phi) and control(instruction) is None
        for function in module.definitions()
        for instruction in function.instructions
    )
