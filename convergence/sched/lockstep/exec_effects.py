"""Which values live at each block's head: what a fast register allocator spills."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from ...ir import Local, Type
from ...ir.instructions import Phi, operands
from ...rules import Rule
from ...semantics.instructions.lifting import result_type
from ...semantics.threads import UNSET, Code, Frame, Status, Thread
from ...semantics.threads.translation import entering
from ...semantics.values import plain
from ...semantics.values.context import poison
from .conform import Departure, SpoiltRegister, Woken
from .machine import LockstepMachine
from .masked_code import covered_lanes, derives, stores, whole_quads
from .policy import Facts, MachineOptions, Mask, Refused, lanes
from .waves import Activation, Issuer, WarpSplit, Wave


def live_in(facts: Facts, names: frozenset[str]) -> tuple[frozenset[str], ...]:
    """By block: its phis, and those of ``names`` that it or blocks behind it read without writing them."""
    blocks, cfg = facts.function.blocks, facts.cfg
    reads: list[set[str]] = [set() for _ in blocks]
    writes = [{i.result for i in block.instructions if i.result is not None} for block in blocks]
    phis = [{i.result for i in b.instructions if isinstance(i, Phi) and i.result is not None} for b in blocks]
    for number, block in enumerate(blocks):
        for instruction in block.instructions:
            if isinstance(instruction, Phi):  # read at the end of the block that it comes from
                for value, source in instruction.incoming:
                    if isinstance(value, Local):
                        reads[cfg.index[source]].add(value.name)
            else:
                reads[number].update(o.name for o in operands(instruction) if isinstance(o, Local))
    for number, written in enumerate(writes):  # in SSA a block writes what it reads before it reads it,
        reads[number] -= written  # but for its phis, which are there at its head
    live = [reads[n] | phis[n] for n in range(len(blocks))]
    work = list(range(len(blocks)))
    while work:
        number = work.pop()
        behind = set().union(*(live[s] for s in cfg.successors[number]))
        live_now = live[number] | (behind - writes[number])
        if live_now != live[number]:
            live[number] = live_now
            work.extend(cfg.predecessors[number])
    return tuple(frozenset(live_now & names) for live_now in live)


# -- What the executor sees to on behalf of exec-mask: whole quads, lanes that are woken, spilled registers
# A policy knows masks only. Here is what masks do to lanes that are on when they should be off, or off
# when a register is saved (*Exec masks in LLVM*).

SHOWN = 10
"""So many spoilt registers are told one by one."""


def _numbers(threads: frozenset[int]) -> str:
    return ", ".join(f"thread {number}" for number in sorted(threads))


def cares(options: MachineOptions) -> bool:
    """Whether a set-up asks for any of this."""
    return options.covered is not None or options.exec_form != "saveexec" or options.spill is not None


class ExecEffects:
    """``helpers``: threads that are on for their quad alone; ``off``: those of quads without a covered lane.
    ``woken`` and ``spoilt``: what went wrong, in order of time."""

    def __init__(self, machine: LockstepMachine, options: MachineOptions) -> None:
        self.machine = machine
        self.covered = options.covered
        self.takes_derivatives = self.covered is not None and derives(
            machine.program.module, machine.launch.function
        )
        self.wakes = options.exec_form != "saveexec"
        self.helpers: frozenset[int] = frozenset()
        self.off: frozenset[int] = frozenset()
        self.woken: list[Woken] = []
        self.spoilt: list[SpoiltRegister] = []
        self._stores: dict[str, frozenset[int]] = {}
        self._live: dict[str, tuple[frozenset[str], ...]] = {}
        self._types: dict[str, dict[str, Type]] = {}
        self._slots: dict[tuple[Frame, str], Any] = {}
        self._frames_left: dict[tuple[int, int], Frame] = {}

    def types(self, code: Code) -> dict[str, Type]:
        """The types of a function's values, tokens apart."""
        known = self._types.get(code.name)
        if known is None:
            known = {p.name: p.type for p in code.function.parameters}
            for instruction in code.instructions:
                type_ = result_type(instruction, self.machine.program.layout)
                if instruction.result is not None and type_ is not None:
                    known[instruction.result] = type_
            self._types[code.name] = known
        return known

    def poison(self, type_: Type) -> Any:
        program = self.machine.program
        return poison(type_, program.layout, program.context.domain)

    def before(self, split: WarpSplit, accesses: list[tuple[bool, int, Mask]]) -> None:
        """A split begins; ``accesses`` came before: registers saved or loaded, the block, who was on."""
        if self.wakes:
            self.wake(split)
        for saves, block, mask in accesses:
            (self.spill if saves else self.reload)(split.activation, block, mask)
        accesses.clear()

    # -- whole quads ---------------------------------------------------------------------------------------

    def launched(self, wave: Wave) -> tuple[Mask, Mask]:
        """The lanes with which a wave begins, and with the others of their quads: helpers, if the program
        takes derivatives. Whoever is neither is not launched."""
        everyone = (1 << wave.size) - 1
        if self.covered is None:
            return everyone, everyone
        if wave.size % 4:
            raise Refused(f"whole quads of four lanes: a wave of {wave.size} lanes is no number of them")
        mask = covered_lanes(self.covered, wave.first, wave.size)
        on = whole_quads(mask) & everyone if self.takes_derivatives else mask
        self.helpers |= {wave.first + lane for lane in lanes(on & ~mask)}
        for thread in wave.threads:
            if not on >> thread.lane & 1:
                self.off |= {thread.number}
                thread.end(Status.OFF)
                thread.frame = None
        return mask, on

    def keeps_off(self, split: WarpSplit, index: int) -> bool:
        """Whether helper lanes are off for this instruction."""
        if not self.helpers:
            return False
        code = split.activation.code
        known = self._stores.get(code.name)
        if known is None:
            known = self._stores[code.name] = frozenset(
                i for i, instruction in enumerate(code.instructions) if stores(instruction)
            )
        return index in known

    def without_helpers(
        self, split: WarpSplit, threads: list[Thread], frames: list[Frame | None], index: int, issuer: Issuer
    ) -> Iterator[tuple[Thread, Frame | None]]:
        """Who does it; helper lanes keep what the register of the result held, which no program knows."""
        acting = [(t, f) for t, f in zip(threads, frames, strict=True) if t.number not in self.helpers]
        issuer.issue(split, index, len(acting), sum(1 << t.lane for t, _ in acting))
        name = split.activation.code.instructions[index].result
        for thread, frame in zip(threads, frames, strict=True):
            if name is not None and frame is not None and thread.number in self.helpers:
                frame.registers[frame.code.slots[name]] = self.poison(self.types(frame.code)[name])
        return iter(acting)

    def state(self) -> Hashable:
        """What the slots of spilled registers hold."""
        return tuple((frame.number, name, value) for (frame, name), value in self._slots.items())

    def departure(self) -> Departure | None:
        """D-THREAD: a lane ran what its thread alone does not, or with registers that it did not write."""
        if self.woken:
            first = self.woken[0]
            return Departure(Rule.D_THREAD, f"%{first.block}", first.thread, first.lane, 1,
                             tuple(lanes(first.mask)), (tuple(lanes(first.rightly)),), first)  # fmt: skip
        if self.spoilt:
            lost = self.spoilt[0]
            return Departure(Rule.D_THREAD, f"%{lost.block}", lost.thread, lost.lane, 1,
                             (lost.lane,), (), lost)  # fmt: skip
        return None

    @property
    def changes_lanes(self) -> bool:
        """Whether lanes ran, or did not, for other reasons than the program's, or lost registers."""
        return bool(self.woken or self.spoilt or self.helpers or self.off)

    @property
    def notes(self) -> tuple[str, ...]:
        """Who is on for its quad alone, who is off, and what partial spills did."""
        notes = []
        if self.helpers:
            notes.append(f"helper lanes, on for their quads with stores off: {_numbers(self.helpers)}")
        if self.off:
            notes.append(f"off, as no lane of their quad is covered: {_numbers(self.off)}")
        for lost in self.spoilt[:SHOWN]:
            where = f"thread {lost.thread} reloads %{lost.register} at %{lost.block}"
            notes.append(f"{where}: {lost.value}, it was {lost.had}")
        if len(self.spoilt) > SHOWN:
            notes.append(f"and {len(self.spoilt) - SHOWN} more registers that were spilled only in part")
        return tuple(notes)

    # -- lanes that had ended ------------------------------------------------------------------------------

    def leave(
        self, activation: Activation, threads: list[Thread], frames: list[Frame | None], gone: Mask
    ) -> None:
        """Lanes have left an activation: their registers stay as they are."""
        for thread, frame in zip(threads, frames, strict=True):
            if self.wakes and frame is not None and gone >> thread.lane & 1:
                self._frames_left[id(activation), thread.lane] = frame

    def wake(self, split: WarpSplit) -> None:
        """Lanes of the split that are no members of the activation any more go on with what their
        registers hold; what they never wrote is poison."""
        activation = split.activation
        woken = split.mask & ~activation.members
        if not woken:
            return
        into = activation.code.blocks[split.block]
        for thread in activation.wave.of(woken):
            frame = self._frames_left.get((id(activation), thread.lane))
            if frame is None:  # it ended in a call, whose registers were others
                split.mask &= ~(1 << thread.lane)
                continue
            self.woken.append(Woken(thread.number, thread.lane, into.name, split.mask, split.mask & ~woken))
            thread.alive, thread.status, thread.frame = True, Status.READY, frame
            thread.depth += 1
            entering(into, None)(thread, frame)
            for name, type_ in self.types(frame.code).items():
                if frame.registers[frame.code.slots[name]] is UNSET:
                    frame.registers[frame.code.slots[name]] = self.poison(type_)
        activation.members |= split.mask

    # -- spilled registers ---------------------------------------------------------------------------------

    def _live_in(self, activation: Activation) -> tuple[frozenset[str], ...]:
        code = activation.code
        known = self._live.get(code.name)
        if known is None:
            known = self._live[code.name] = live_in(activation.policy.facts, frozenset(self.types(code)))
        return known

    def spill(self, activation: Activation, block: int, mask: Mask) -> None:
        """Saves what lives on behind the block, for the lanes that are on; others' slots stay as they are."""
        code, live = activation.code, self._live_in(activation)
        names = frozenset[str]().union(*(live[s] for s in activation.policy.facts.cfg.successors[block]))
        for thread in activation.wave.of(mask & activation.members):
            frame = thread.frame
            if frame is not None and frame.code is code:
                for name in names:
                    self._slots[frame, name] = frame.registers[code.slots[name]]

    def reload(self, activation: Activation, block: int, mask: Mask) -> None:
        """Loads what lives at the block's head, for the lanes that are on."""
        code, types, layout = activation.code, self.types(activation.code), self.machine.program.layout
        for name in sorted(self._live_in(activation)[block]):
            slot = code.slots[name]
            for thread in activation.wave.of(mask & activation.members):
                frame = thread.frame
                if frame is None or frame.code is not code or frame.registers[slot] is UNSET:
                    continue
                had = frame.registers[slot]
                got = self._slots.get((frame, name))
                got = self.poison(types[name]) if got is None or got is UNSET else got
                if got != had:
                    shown = [plain(v, types[name], layout) for v in (had, got)]
                    where = code.blocks[block].name
                    self.spoilt.append(SpoiltRegister(thread.number, thread.lane, where, name, *shown))
                    frame.registers[slot] = got
