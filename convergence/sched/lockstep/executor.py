"""One executor for all machines: it runs what a policy picks, in lock step, and logs what it issued.

An activation is one call of a function by the lanes of a mask, with its own policy state; a strand is a mask
on its way through one block. A strand that calls waits until its lanes are back. Waves take turns.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from ...semantics.errors import STOPS, BoundHit, Ending, Returned, ending_of
from ...semantics.threads.state import Code, Frame, Segment
from ...semantics.threads.step import Thread, _explain
from ...semantics.values.display import Json
from .care import Care, cares
from .claims import Parted, Watch
from .facts import Facts
from .holding import Holding
from .log import Log
from .machine import LockstepMachine
from .policy import Issued, Mask, Options, Policy, lanes
from .repeat import Repeat, Waits, hung
from .strands import Activation, Step, Strand, Wave, sorted_out


class LockstepExecutor:
    """``log`` has the steps; ``parted`` are the branches that sent lanes to several blocks; ``issued`` counts
    machine operations; ``waits`` says who waits in a hang, by the steps from number ``since`` on."""

    def __init__(
        self, machine: LockstepMachine, policy: type[Policy], options: Options | None = None
    ) -> None:
        self.machine = machine
        self.policy = policy
        self.options = options or Options()
        self.issued = Issued()
        self.log = Log()
        self.waits: tuple[Waits, ...] = ()
        self.parted: list[Parted] = []
        self.watch = Watch(machine.program)
        self.since = 0
        self._facts: dict[str, Facts] = {}
        self._entries: dict[str, dict[int, int]] = {}
        self.holding = Holding(machine) if policy.holds else None
        groups = {t.launch: t.launch for t in machine.threads}
        self.waves = [Wave(g.number, machine.members_of(g)) for g in groups]
        self.care = Care(machine, self.options) if policy.cared and cares(self.options) else None
        code = machine.program.code(machine.launch.function)
        self.issued.begins(self.care is not None and self.care.takes_derivatives, self.options.listing)
        for wave in self.waves:
            self._launch(wave, code)
        self.issued.launching = False

    @property
    def steps(self) -> list[Step]:
        return self.log.steps

    @property
    def functions(self) -> Mapping[str, Facts]:
        """The functions that ran."""
        return self._facts

    def facts(self, code: Code) -> Facts:
        known = self._facts.get(code.name)
        if known is None:
            known = self._facts[code.name] = Facts(code.function)
            self._entries[code.name] = {id(b.entry): b.number for b in code.blocks}
        return known

    def _launch(self, wave: Wave, code: Code) -> None:
        everyone = (1 << wave.size) - 1
        covered, on = (everyone, everyone) if self.care is None else self.care.launched(wave)
        if on:
            self._activate(wave, code, covered, None)
            wave.activations[0].members = on

    def _activate(self, wave: Wave, code: Code, mask: Mask, parent: Strand | None) -> None:
        policy = self.policy(self.facts(code), mask, self.options, self.issued)
        wave.activations.append(Activation(wave, code, policy, mask, parent))

    # -- the run --------------------------------------------------------------------------------------------

    def run(self, max_steps: int = 10_000_000, timeout: float | None = None) -> Ending | None:
        """Runs to an ending; ``None`` for a hang, proved by a state that came back. ``max_steps`` bounds
        instructions over all lanes."""
        deadline = None if timeout is None else time.monotonic() + timeout
        repeat = Repeat()
        self._lane: Thread | None = None
        try:
            while any(wave.activations for wave in self.waves):
                moved = False
                for wave in self.waves:
                    moved = self._turn(wave) or moved
                self._lane = None
                if self.log.executed > max_steps:
                    raise BoundHit(f"--max-steps {max_steps}")
                if deadline is not None and time.monotonic() > deadline:
                    raise BoundHit(f"--timeout {timeout:g}")
                if not moved and not (self.holding is not None and self.holding.force(self)):
                    self.waits = hung(self)
                    return None
                if repeat.seen(self):
                    self.waits = hung(self)
                    return None
            return Returned()
        except STOPS as stop:
            if isinstance(stop, BoundHit):  # no lane's doing: all of them count
                return ending_of(stop, None)
            who = 0 if self._lane is None else self._lane.number
            return ending_of(stop, who, self.machine.stack(self._lane))

    def _turn(self, wave: Wave) -> bool:
        """One strand of a wave goes on as far as it can; whether anything moved."""
        if self.holding is not None and self.holding.release(wave):
            return True
        for offset in range(len(wave.activations)):
            at = (wave.turn + offset) % len(wave.activations)
            activation = wave.activations[-1 - at]
            strand = self._next(activation)
            if strand is not None:
                wave.turn = at + 1 if self.policy.concurrent else 0
                self._run(strand)
                return True
        return False

    def _next(self, activation: Activation) -> Strand | None:
        """A strand of this activation that can go on, or a new one from the policy."""
        for strand in activation.strands:
            if not strand.below and not strand.held:
                return strand
        if activation.strands and not self.policy.concurrent:
            return None
        while True:
            picked = activation.policy.pick()
            if picked is None:
                return None
            block, mask = picked
            strand = Strand(activation, block, mask, activation.code.blocks[block].entry)
            if self.care is not None:
                self.care.before(strand, activation.policy.accesses)
            if strand.mask:
                activation.strands.append(strand)
                return strand
            self._for_nobody(activation, block)

    def _for_nobody(self, activation: Activation, block: int) -> None:
        """A block is issued with an empty mask: slots, and nothing else happens."""
        self.log.for_nobody(Strand(activation, block, 0, activation.code.blocks[block].entry))
        activation.policy.after(block, {}, 0)

    # -- one strand -----------------------------------------------------------------------------------------

    def _run(self, strand: Strand) -> None:
        """Through the block, until its end, a call, or a place where lanes are held."""
        wave, machine = strand.activation.wave, self.machine
        while True:
            segment = strand.segment
            threads = wave.of(strand.mask)
            frames = [t.frame for t in threads]
            silent = self.log.silent(strand.activation.code)
            indices = segment.indices
            while strand.at < len(segment.steps):
                index = indices[strand.at]
                if self._held(strand, index):
                    return
                acting: Iterable[tuple[Thread, Frame | None]] = zip(threads, frames, strict=True)
                if self.care is not None and self.care.keeps_off(strand, index):
                    acting = self.care.without_helpers(strand, threads, frames, index, self.log)
                elif index not in silent:
                    self.log.issue(strand, index, len(threads))
                machine.tick()
                step = segment.steps[strand.at]
                for thread, frame in acting:
                    assert frame is not None
                    self._lane = thread
                    try:
                        step(frame.registers)
                    except Exception as error:
                        thread.at = index
                        _explain(thread, frame, error)
                        raise
                strand.at += 1
            if segment.cost and self._held(strand, segment.last):
                return
            if segment.cost:
                self.log.issue(strand, segment.last, len(threads))
            strand.at = 0
            if not self._finish(strand, segment, threads):
                return

    def _finish(self, strand: Strand, segment: Segment, threads: list[Thread]) -> bool:
        """What ends a segment, for every lane; whether the strand goes on at once."""
        machine = self.machine
        machine.tick()
        before = [t.frame for t in threads]
        visits = [f.visit for f in before if f is not None]
        claimed = self.watch.at(strand.activation.code, segment.last)
        values = None if claimed is None else self.watch.values(claimed, threads)
        for thread, frame in zip(threads, before, strict=True):
            assert frame is not None
            self._lane = thread
            try:
                following = segment.finish(thread, frame)
            except Exception as error:
                thread.at = segment.last
                _explain(thread, frame, error)
                raise
            thread.epoch += 1
            if following is not None:
                thread.frame = following
        if machine.gathered:
            machine.exchange()
            for thread in threads:
                thread.at = -1
        return self._go_on(strand, threads, before, visits, values)

    def _go_on(
        self,
        strand: Strand,
        threads: list[Thread],
        before: list[Frame | None],
        visits: list[int],
        values: Mapping[int, Json] | None,
    ) -> bool:
        """By where each lane is now; ``values`` are those of a condition that is claimed to be uniform."""
        wave = strand.activation.wave
        entries = self._entries[strand.activation.code.name]
        entered, targets, gone, stays = sorted_out(threads, before, visits, entries)
        if self.care is not None and gone:
            self.care.leave(strand.activation, threads, before, gone)
        if entered:
            for code, mask in entered.items():
                strand.below += 1
                self._activate(wave, code, mask, strand)
            return self._lose(strand, gone)
        if stays:
            self._lose(strand, gone)
            first = wave.threads[next(lanes(stays))].frame
            assert first is not None
            strand.segment = first.segment
            return True
        if len(targets) > 1:
            self.parted.append(Parted(self.log.steps[-1], targets, values or {}))
        self._end(strand, targets, gone)
        return False

    def _lose(self, strand: Strand, gone: Mask) -> bool:
        """Lanes ended in the middle of a block. Nothing goes on at once."""
        strand.gone |= gone
        strand.mask &= ~gone
        return False

    def _end(self, strand: Strand, targets: dict[int, Mask], gone: Mask) -> None:
        """The block is over; the call, too, if nobody is left in it."""
        if self._over(strand, targets, gone):
            self._close(strand.activation)

    def _over(self, strand: Strand, targets: dict[int, Mask], gone: Mask) -> bool:
        """Tells the policy, in text order of the successors; whether nobody is left in the activation."""
        activation = strand.activation
        order = activation.policy.facts.cfg.successors[strand.block]
        gone |= strand.gone
        activation.strands.remove(strand)
        activation.policy.after(strand.block, {t: targets[t] for t in order if t in targets}, gone)
        activation.members &= ~gone
        if activation.members:
            return False
        for block in activation.policy.rest():
            self._for_nobody(activation, block)
        return True

    def _close(self, activation: Activation) -> None:
        """The last lane has left: the strand that called goes on with those that came back; if none did,
        its block is over, too, and so outwards."""
        wave = activation.wave
        while True:
            wave.leave(activation)
            parent = activation.parent
            if parent is None:
                return
            parent.below -= 1
            if parent.below:
                return
            ended = sum(1 << thread.lane for thread in wave.of(parent.mask) if not thread.alive)
            self._lose(parent, ended)
            if parent.mask:
                frame = wave.threads[next(lanes(parent.mask))].frame
                assert frame is not None
                parent.segment = frame.segment
                return
            activation = parent.activation
            if not self._over(parent, {}, 0):
                return

    # -- holding --------------------------------------------------------------------------------------------

    def _held(self, strand: Strand, index: int) -> bool:
        if self.holding is None:
            return False
        passing, strand.passing = strand.passing, False
        return not passing and self.holding.hold(strand, index)
