"""The interface of a machine: what a wave runs next, and what becomes of its masks after a branch.

A mask is an integer: bit i is lane i of the wave. A policy is made anew for each activation of a function
(*one policy state per call activation*); it sees CFG facts and masks, no values, tokens or memory.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from ...frozen import dataclass
from ...ir.cfg import Cfg, Cycles, Dominators, build_cfg, cycles, dominators, graph
from ...ir.instructions import DebugRecord, Instruction, Phi, Unreachable, opcode
from ...ir.module import Block, Function

# ----------------------------------------------------------------------------------------------------------
# What a policy may know of a function: its CFG, and orders and trees that hardware compilers make of it.
# ----------------------------------------------------------------------------------------------------------

EXIT = -1
"""Stands for the end of the function where a block's number is asked for."""


def _is_never(block: Block) -> bool:
    """Whether a block is nothing but ``unreachable``."""
    *before, terminator = block.instructions
    return isinstance(terminator, Unreachable) and all(isinstance(i, Phi | DebugRecord) for i in before)


@dataclass(frozen=True)
class Facts:
    """The CFG of ``function``; a block is its index in the text. ``derived``: what machines make of it."""

    function: Function
    derived: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def cfg(self) -> Cfg:
        return build_cfg(self.function)

    @cached_property
    def dominators(self) -> Dominators:
        return dominators(self.cfg)

    @cached_property
    def cycles(self) -> Cycles:
        return cycles(self.cfg)

    @cached_property
    def terminators(self) -> tuple[Instruction, ...]:
        return tuple(block.terminator for block in self.function.blocks)

    def name(self, block: int) -> str:
        return self.cfg.names[block]

    @cached_property
    def post_dominator(self) -> tuple[int, ...]:
        """Each block's immediate post-dominator; ``EXIT`` where that is the function's end, and where the
        end cannot be reached.

        A block that is nothing but ``unreachable`` is no end: no lane comes there, and LLVM's back ends give
        a switch no way to such a default (``SelectionDAGBuilder::visitSwitch``). Optimising makes one of
        every switch that has all cases.
        """
        cfg = self.cfg
        ends = [
            b
            for b in range(len(cfg))
            if not cfg.successors[b] and cfg.reachable[b] and not _is_never(self.function.blocks[b])
        ]
        backwards = [[p + 1 for p in cfg.predecessors[b] if cfg.reachable[p]] for b in range(len(cfg))]
        tree = dominators(graph(("end", *cfg.names), ([b + 1 for b in ends], *backwards)))
        return tuple(tree.idom[b + 1] - 1 if tree.idom[b + 1] > 0 else EXIT for b in range(len(cfg)))

    @cached_property
    def irreducible(self) -> tuple[str, ...]:
        """The blocks through which some cycle with several entries is entered; none if all are reducible."""
        for cycle in self.cycles.all:
            if not cycle.is_reducible:
                return tuple(self.name(b) for b in sorted(cycle.entries))
        return ()

    @cached_property
    def back_edges(self) -> tuple[tuple[int, int], ...]:
        """The edges (latch, header) whose header dominates the latch, in text order of the latches."""
        cfg, tree = self.cfg, self.dominators
        return tuple(
            (b, s)
            for b in range(len(cfg))
            if cfg.reachable[b]
            for s in cfg.successors[b]
            if tree.dominates(s, b)
        )

    def loop_body(self, header: int, latches: tuple[int, ...]) -> frozenset[int]:
        """The natural loop of these back edges: the header, and what reaches a latch without it."""
        body, work = {header}, [b for b in latches if b != header]
        while work:
            block = work.pop()
            if block not in body:
                body.add(block)
                work.extend(p for p in self.cfg.predecessors[block] if self.cfg.reachable[p])
        return frozenset(body)

    def lacks_model(self, *kinds: type[Instruction]) -> str | None:
        """The first terminator of these kinds, by its name."""
        for terminator in self.terminators:
            if isinstance(terminator, kinds):
                return opcode(terminator)
        return None


Mask = int


class Refused(Exception):
    """The machine cannot run this program; ``reason`` says why, in words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class MachineOptions:
    """How a machine is set up.

    ``latches``      exec-mask: ``separate`` makes each latch a loop of its own, ``merged`` one loop of all
    ``block_order``  block-ip: ``layout`` (as the text), ``rpo`` or ``contiguous`` (loops kept together)
    ``inside``       mask-stack, predication: (header, blocks) that the source has inside that loop
    ``no_jumps``     block-ip: never jump forwards, as with full predication
    ``short_circuit`` predication: skip a block that no lane runs
    ``nested``       mask-stack, predication: latches of one header are nested loops, not ``continue``
    ``yields``       barrier: a lane that goes round a loop yields
    ``barriers``     barrier: placed at ``post-dominators``, or at ``hearts`` as well
    ``exec_form``    exec-mask: ``saveexec`` (saved masks say who is parked) or the older ``not-and``
    ``branch_if_none`` exec-mask: least size in IR instructions of a region with a branch around it that is
                     taken if no lane is on (0: all regions); ``None``: no such branches
    ``covered``      exec-mask, whole quad mode: the covered threads; ``None``: all
    ``spill``        exec-mask: registers that live on are spilled at each block's end, ``early`` or ``late``
    ``listing``      note every operation on masks
    """

    latches: str = "separate"
    block_order: str = "layout"
    inside: tuple[tuple[str, tuple[str, ...]], ...] = ()
    no_jumps: bool = False
    short_circuit: bool = False
    nested: bool = False
    yields: bool = False
    barriers: str = "post-dominators"
    exec_form: str = "saveexec"
    branch_if_none: int | None = 0
    covered: frozenset[int] | None = None
    spill: str | None = None
    listing: bool = False


@dataclasses.dataclass
class IssuedMask:
    """The machine operations that a run needed beside the program's own instructions, by name.

    ``log``: if they are noted, each of them: the function, its number in the code, the lanes on behind it.
    ``quads``: whether whole quad mode is on; ``launching``: whether activations are those of the launch.
    ``by_wave``: the counts of each wave; ``wave`` is the one that has its turn. ``times``: how often a wave
    executed an instruction, by its function and index, where a policy says so.
    """

    counts: Counter[str] = field(default_factory=Counter)
    log: list[tuple[str, int, Mask]] | None = None
    quads: bool = False
    launching: bool = True
    wave: int = 0
    by_wave: dict[int, Counter[str]] = field(default_factory=dict)
    times: Counter[tuple[int, str, int]] = field(default_factory=Counter)

    def begins(self, quads: bool, listing: bool) -> None:
        """A run begins, in whole quad mode or not; ``listing``: every operation is noted."""
        self.quads, self.log = quads, [] if listing else None

    def did(self, *operations: str) -> None:
        own = self.by_wave.get(self.wave)
        if own is None:
            own = self.by_wave[self.wave] = Counter()
        for operation in operations:
            self.counts[operation] += 1
            own[operation] += 1

    def did_often(self, operation: str, count: int) -> None:
        """An operation was needed so many times."""
        self.counts[operation] += count
        self.by_wave.setdefault(self.wave, Counter())[operation] += count

    def executed(self, function: str, number: int, mask: Mask) -> None:
        if self.log is not None:
            self.log.append((function, number, mask))


class WaveResult(NamedTuple):
    """What an operation for the whole wave gives: the truth value that each lane gets, if it has one, and the
    mask that all lanes get, if it has one."""

    truths: Mapping[int, bool] | None
    mask: Mask | None


class Policy(ABC):
    """The state of one activation on one machine.

    ``concurrent``  lanes that are not in what runs now may be picked in the meantime
    ``holds``       operations wait until every lane that can come with the same key has come
    ``cared``       its masks may wake lanes, keep helper lanes off, or save registers in part
    ``saves``       the machine operations, of those that it ``did``, that keep a mask for later
    ``accesses``    registers saved (else loaded) before what runs next: for which block, with which lanes
    ``lowered``     it runs code whose control flow is operations on exec already
    ``traceable``   it asks of masks only whether lanes are in them, and makes others of them by ``& | ^ ~``:
                    then native code can do again what it did
    ``alone``       each lane runs by itself, in its turn: all it holds is ``waiting``, blocks with the lane
                    that is to run each, in a queue that lanes join again at its end
    ``operations``  the instructions of the function, by index, that it performs itself, for the whole wave
    """

    name: ClassVar[str]
    concurrent: ClassVar[bool] = False
    holds: ClassVar[bool] = False
    cared: ClassVar[bool] = False
    saves: ClassVar[frozenset[str]] = frozenset()
    lowered: ClassVar[bool] = False
    traceable: ClassVar[bool] = False
    alone: ClassVar[bool] = False
    operations: frozenset[int] = frozenset()

    def __init__(self, facts: Facts, mask: Mask, options: MachineOptions, issued: IssuedMask) -> None:
        self.facts = facts
        self.options = options
        self.issued = issued
        self.did = issued.did
        self.accesses: list[tuple[bool, int, Mask]] = []
        self.begin(mask)

    @abstractmethod
    def begin(self, mask: Mask) -> None:
        """The lanes of ``mask`` enter the entry block. Raises Refused for what the machine cannot run."""

    @abstractmethod
    def pick(self) -> tuple[int, Mask] | None:
        """The next block and the lanes that run it; ``None``: nothing, as lanes wait or none is left. An
        empty mask issues the block for nobody."""

    @abstractmethod
    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        """The lanes ran ``block``: each goes on to a block, successors in text order, or is ``gone``: it
        returned from the activation, or ended."""

    def perform(self, index: int, on: Mask, conditions: Mapping[int, bool | None]) -> WaveResult:
        """One of its ``operations`` with the lanes that are on; ``conditions`` are its operand of type i1 by
        lane, ``None`` for poison."""
        raise NotImplementedError

    def rest(self) -> Iterator[int]:
        """The blocks that the machine still runs through, for nobody, when the last lane has left."""
        return iter(())

    @abstractmethod
    def state(self) -> Hashable:
        """All that the machine remembers: with equal states it would do the same again."""


def lanes(mask: Mask) -> Iterator[int]:
    """The lanes of a mask, lowest first.

    >>> list(lanes(0b1011))
    [0, 1, 3]
    """
    lane = 0
    while mask:
        if mask & 1:
            yield lane
        mask >>= 1
        lane += 1
