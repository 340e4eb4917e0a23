"""One executor for all machines: it runs what a policy picks, in lock step, and logs what it issued.

An activation is one call of a function by the lanes of a mask, with its own policy state; a split is a mask
on its way through one block. A split that calls waits until its lanes are back. Waves take turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...alignment import operation_name
from ...frozen import Json
from ...ir import Int, IntType, Local, Operand
from ...ir.calls import ExecKind, exec_operation
from ...ir.instructions import CallSite, Instruction, opcode, operands
from ...ir.module import Function
from ...rules import Rule
from ...semantics import NEVER, STOPS, Bound, BoundHit, BoundKind, Clock, Ending, Undefined, ending_of
from ...semantics.convergence.rules import PendingGroup
from ...semantics.machine.program import EngineKind
from ...semantics.threads import Code, Exchange, Frame, Segment, Thread
from ...semantics.threads.step import explain
from ...semantics.values import Composite, Value
from .conform import Departure, WrongMask
from .exec_effects import ExecEffects, cares
from .lanes import ClaimedBranches, LanesApart, NativeLanes, Onward, Parted
from .machine import GatheredGroup, LockstepMachine
from .policy import Facts, IssuedMask, MachineOptions, Mask, Policy, WaveResult, lanes
from .rounds import NativeRounds, NativeTurns, TracedMask
from .waits import ConvergenceWait, CycleDetector, Waits
from .waves import Activation, IssuedSteps, Issuer, WarpSplit, Wave, sorted_out

if TYPE_CHECKING:
    from ...semantics.native.meetings import LaneExchange

# ----------------------------------------------------------------------------------------------------------
# Operations that a policy performs once for a whole wave: what its lanes bring, and what they get.
# ----------------------------------------------------------------------------------------------------------

CONDITION = IntType(1)


def perform(
    policy: Policy, index: int, on: Mask, instruction: Instruction, threads: Sequence[Thread]
) -> None:
    """The policy's operation at ``index``, for the lanes that are on: its condition is read from each one's
    registers, its results are written there. Undefined for ``if`` on poison or undef."""
    condition = next((o for o in operands(instruction) if o.type == CONDITION), None)
    conditions: dict[int, bool | None] = {}
    frames = [(thread, thread.frame) for thread in threads if thread.frame is not None]
    if condition is not None:
        conditions = {thread.lane: _truth(frame, condition) for thread, frame in frames}
        operation = exec_operation(instruction)
        if None in conditions.values() and operation is not None and operation.kind is ExecKind.IF:
            raise Undefined("br on poison or undef, by llvm.amdgcn.if", "'br' Instruction")
    wave_result = policy.perform(index, on, conditions)
    for thread, frame in frames:
        if instruction.result is not None:
            frame.registers[frame.code.slots[instruction.result]] = _result(wave_result, thread.lane)


def _truth(frame: Frame, operand: Operand) -> bool | None:
    """An i1 in a frame's registers; ``None`` for poison and undef."""
    match operand:
        case Int(value=value):
            return bool(value & 1)
        case Local(name=name):
            held = frame.registers[frame.code.slots[name]]
            assert isinstance(held, Value)
            return None if held.poison or held.undef else bool(held.bits)
        case _:
            return None


def _result(wave_result: WaveResult, lane: int) -> Value | Composite:
    truth = () if wave_result.truths is None else (Value(int(wave_result.truths[lane])),)
    parts = truth if wave_result.mask is None else (*truth, Value(wave_result.mask))
    return parts[0] if len(parts) == 1 else Composite(parts)


def named_operation(function: Function, index: int) -> str:
    """An operation as answers name it; of a terminator, by its block."""
    if isinstance(function.instructions[index], CallSite):
        return operation_name(function, index)
    last = -1
    for block in function.blocks:
        last += len(block.instructions)
        if index <= last:
            break
    return f"the {opcode(function.instructions[index])} of %{block.name}"


class _Way(NamedTuple):
    """A split whose lanes are at the end of a segment, and what they were ``before``: their frames, how many
    blocks they had visited, and the ``values`` of a condition that is claimed to be uniform."""

    split: WarpSplit
    threads: list[Thread]
    before: list[Frame | None]
    visits: list[int]
    values: Mapping[int, Json] | None


class _Barriers:
    """Where an executor has waves wait for others of their workgroup."""

    def __init__(self, executor: LockstepExecutor) -> None:
        self._executor = executor

    def waits(self, wave: Wave) -> bool:
        """Whether some lanes of a wave do."""
        return wave in self._executor.at_barriers

    def come(self, split: WarpSplit, meets: LaneExchange, at: Segment, after: Segment) -> None:
        """Lanes that have come to a barrier natively, at the end of a segment, wait there now, to go on in
        another one."""
        machine, wave, native = self._executor.machine, split.activation.wave, meets.exchange
        threads, observed, name = wave.of(split.mask), meets.observed, meets.barrier
        assert name is not None and native is not None
        exchange = Exchange(
            native.site, machine.program.name(native.site), native.callee.name, (), native.callee.type.result,
            -1, after, native.model, fence=native.fence, workgroup=name,
        )  # fmt: skip
        keys = {thread.number: wave.waits_with[thread.lane] for thread in threads}
        group = PendingGroup(keys[threads[0].number], exchange, threads[0].launch)
        for thread in threads:
            machine.comes(thread, keys[thread.number], name)
            group.operands[thread.number] = ()
            group.operands_shown[thread.number] = () if observed is None else observed.shown
            thread.at = native.site.index
            frame = thread.frame
            assert frame is not None
            frame.segment = at
        before = [thread.frame for thread in threads]
        visits = [frame.visit for frame in before if frame is not None]
        split.segment, split.at = at, 0
        split.waiting, split.passing = True, False
        way = _Way(split, threads, before, visits, None)
        self._executor.waits_at_barrier([GatheredGroup(group, keys)], way)


class LockstepExecutor:
    """``issuer`` logs what is issued; ``at_barriers`` are, by wave, the splits that wait for other waves of
    their workgroup, and ``counts_waves`` is whether one lane comes there for its wave; ``parted`` are the
    branches that sent lanes to several blocks; ``issued`` counts machine operations; ``waits`` says who waits
    in a hang, ``wrong`` which mask ended the run; ``turns`` are whole ones natively, of a launch of one wave,
    ``rounds`` those of several."""

    def __init__(
        self,
        machine: LockstepMachine,
        policy: type[Policy],
        options: MachineOptions | None = None,
        engine: EngineKind = "reference",
    ) -> None:
        self.machine = machine
        self.policy = policy
        self.options = options or MachineOptions()
        machine.judges = engine != "reference"
        machine.counts_lanes(policy.concurrent)
        self.issued = IssuedMask()
        self.issuer = Issuer(machine.log)
        self.waits: tuple[Waits, ...] = ()
        self.wrong: Departure | None = None
        self.at_barriers: dict[Wave, list[tuple[Sequence[GatheredGroup], _Way]]] = {}
        self.counts_waves = False
        self.parted: list[Parted] = []
        self.watch = ClaimedBranches(machine.program)
        self._facts: dict[str, Facts] = {}
        self._entries: dict[str, dict[int, int]] = {}
        self.convergence_wait = ConvergenceWait(machine) if policy.holds else None
        groups = {t.launch: t.launch for t in machine.threads}
        self.waves = [Wave(g.number, machine.members_of(g)) for g in groups]
        self.effects = ExecEffects(machine, self.options) if policy.cared and cares(self.options) else None
        self.native: NativeLanes | None = None
        self.turns: NativeTurns | None = None
        self.rounds: NativeRounds | None = None
        if engine != "reference" and self.effects is None:
            self.native = NativeLanes(machine, self.watch, self.issuer, engine, self.convergence_wait)
            if (policy.traceable or policy.alone) and not self.options.listing:
                self._takes_turns_natively(self.native)
        code = machine.program.code(machine.launch.function)
        self.issued.begins(self.effects is not None and self.effects.takes_derivatives, self.options.listing)
        for wave in self.waves:
            self.issued.wave = wave.number
            self._launch(wave, code)
        self.issued.launching = False

    @property
    def steps(self) -> IssuedSteps:
        return IssuedSteps(self.machine.log, sum(wave.issues for wave in self.waves))

    @property
    def active_lanes(self) -> int | None:
        """How many lanes were on in what was issued, all in all; ``None`` where that is to be counted."""
        return self.issuer.executed if self.effects is None else None

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
        covered, on = (everyone, everyone) if self.effects is None else self.effects.launched(wave)
        if on:
            self._activate(wave, code, covered, None)
            wave.activations[0].members = on

    def _activate(self, wave: Wave, code: Code, mask: Mask, parent: WarpSplit | None) -> None:
        begins = TracedMask(mask) if self._traced else mask
        policy = self.policy(self.facts(code), begins, self.options, self.issued)
        wave.activations.append(Activation(wave, code, policy, mask, parent))

    # -- the run --------------------------------------------------------------------------------------------

    def run(self, max_steps: int = 10_000_000, until: Clock = NEVER) -> Ending | None:
        """Runs to an ending; ``None`` for a hang, proved by a state that came back, and for a mask that is
        wrong. ``max_steps`` bounds instructions over all lanes."""
        cycles = CycleDetector(self.machine, self.waves, self.effects, self.policy.holds)
        self._lane: Thread | None = None
        try:
            while any(wave.activations for wave in self.waves):
                moved = self._all_turns(max_steps, cycles)
                self._lane = None
                if self.issuer.executed > max_steps:
                    raise BoundHit(Bound(BoundKind.MAX_STEPS, max_steps))
                until.check()
                if not moved and not self._forced() and not self._by_waves(max_steps, cycles):
                    if self.native is not None:
                        self.native.place()
                    self.waits = cycles.waiting()
                    return None
                if cycles.came_back():
                    if self.native is not None and self.native.tally is not None:
                        raise LanesApart("a state came back")  # what is dead counts, too, and is not kept
                    self.waits = cycles.waiting()
                    return None
            return self.machine.returned()
        except WrongMask as wrong:
            self.wrong = self._departure(wrong)
            return None
        except STOPS as stop:
            if isinstance(stop, BoundHit):  # no lane's doing: all of them count
                return ending_of(stop, None)
            lane = 0 if self._lane is None else self._lane.number
            return ending_of(stop, lane, self.machine.stack(self._lane))
        finally:
            if self.rounds is not None:
                self.rounds.close()

    def _forced(self) -> bool:
        """Whether lanes go on that were waiting for others who may come."""
        return self.convergence_wait is not None and self.convergence_wait.force()

    def _by_waves(self, max_steps: int, cycles: CycleDetector) -> bool:
        """Where nothing else can move: a wave whose lanes share one program counter comes to a barrier of the
        workgroup for all of them, for the others wait behind those that came (PTX ISA, *barrier*, before
        sm_70; AMD's ``s_barrier`` counts waves). Whether somebody went on."""
        if self.policy.concurrent or not self.at_barriers:
            return False
        self.counts_waves = True
        try:
            return self._all_turns(max_steps, cycles)
        finally:
            self.counts_waves = False

    def _complete(self, group: PendingGroup) -> bool:
        """Whether a group need not wait at a barrier of the workgroup any longer."""
        if self.machine.complete(group):
            return True
        return self.counts_waves and self.machine.complete_by_waves(group)

    def _takes_turns_natively(self, native: NativeLanes) -> None:
        concurrent, wait = self.policy.concurrent, self.convergence_wait
        if len(self.waves) == 1:
            self.turns = NativeTurns(native, self.machine, self.issuer, wait, concurrent)
        else:
            self.rounds = NativeRounds(
                native, self.machine, self.issuer, self.issued, wait, self.waves, concurrent, self._is_idle,
                _Barriers(self),
            )  # fmt: skip

    @property
    def _traced(self) -> bool:
        """Whether masks note what a policy does with them."""
        return self.turns is not None or self.rounds is not None

    def _is_idle(self, wave: Wave) -> bool:
        """Whether a wave can do nothing until another one comes to a barrier."""
        if self.policy.concurrent:  # what its lanes wait for does not keep others from being picked
            return False
        for activation in wave.activations:
            if not activation.splits or not all(s.below or s.waiting for s in activation.splits):
                return False
        return not any(
            all(self._complete(group) for group, _ in gathered)
            for gathered, _ in self.at_barriers.get(wave, ())
        )

    def _all_turns(self, max_steps: int, cycles: CycleDetector) -> bool:
        """A turn of each wave, or many natively; whether anything moved in the last round of them."""
        if self._turns(max_steps, cycles):
            return True
        at, moved = 0, False
        while at < len(self.waves):
            if self.rounds is not None:
                end = self.rounds.go(at, max_steps, cycles, moved, single=self.counts_waves)
                at, moved = end.wave, end.moved or (moved and not end.rounds)
                if end.over or at == len(self.waves):
                    break
            wave = self.waves[at]
            self._wave, self.issued.wave = wave, wave.number
            if self.rounds is not None:
                self.rounds.hand(at)
            moved = self._turn(wave) or moved
            if self.rounds is not None:
                self.rounds.handed(at)
            at += 1
        return moved

    def _turns(self, max_steps: int, cycles: CycleDetector) -> bool:
        """Turns natively, where that goes; whether the last of them is still to be looked at."""
        if self.turns is None or self.at_barriers:
            return False
        return self.turns.go(self.waves[0], max_steps, cycles)

    def _departure(self, wrong: WrongMask) -> Departure:
        """What a wrong mask does, as a departure."""
        name = named_operation(self.machine.program.module.functions[wrong.function], wrong.operation)
        group, legal = tuple(lanes(wrong.ran)), (tuple(lanes(wrong.rightly)),)
        thread = self._wave.threads[wrong.lane].number
        return Departure(Rule.D_THREAD, name, thread, wrong.lane, wrong.nth, group, legal, wrong.because)

    def _turn(self, wave: Wave) -> bool:
        """One split of a wave goes on as far as it can; whether anything moved."""
        if self._gone_on(wave):
            return True
        if self.convergence_wait is not None and self.convergence_wait.release(wave):
            return True
        for offset in range(len(wave.activations)):
            at = (wave.turn + offset) % len(wave.activations)
            activation = wave.activations[-1 - at]
            split = self._next(activation)
            if split is not None:
                wave.turn = at + 1 if self.policy.concurrent else 0
                self._run(split)
                return True
        return False

    def _next(self, activation: Activation) -> WarpSplit | None:
        """A split of this activation that can go on, or a new one from the policy."""
        for split in activation.splits:
            if not split.below and not split.waiting:
                return split
        if activation.splits and not self.policy.concurrent:
            return None
        while True:
            picked = activation.policy.pick()
            if picked is None:
                return None
            block, mask = picked[0], int(picked[1])
            split = WarpSplit(activation, block, mask, activation.code.blocks[block].entry)
            if self.effects is not None:
                self.effects.before(split, activation.policy.accesses)
            if split.mask:
                activation.splits.append(split)
                return split
            self._for_nobody(activation, block)

    def _for_nobody(self, activation: Activation, block: int) -> None:
        """A block is issued with an empty mask: slots, and nothing else happens."""
        self.issuer.for_nobody(WarpSplit(activation, block, 0, activation.code.blocks[block].entry))
        activation.policy.after(block, {}, 0)

    # -- one split -----------------------------------------------------------------------------------------

    def _run(self, split: WarpSplit) -> None:
        """Through the block, until its end, a call, or a place where lanes are held."""
        wave, machine, native = split.activation.wave, self.machine, self.native
        while True:
            segment = split.segment
            if native is not None and (onward := native.forward(split)) is not None:
                if not self._went_on(split, onward):
                    return
                continue
            threads = wave.of(split.mask)
            frames = [t.frame for t in threads]
            silent = self.issuer.silent(split.activation.code)
            indices = segment.indices
            while split.at < len(segment.steps):
                index = indices[split.at]
                if index in split.activation.policy.operations and split.at not in segment.promises:
                    policy, instruction = split.activation.policy, split.activation.code.instructions[index]
                    self._lane = threads[0]
                    perform(policy, index, split.mask, instruction, threads)
                    self.issuer.issue(split, index, len(threads))
                    split.at += 1
                    continue
                if native is not None:
                    native.prepare(split, index)
                if self._waits(split, index):
                    return
                if native is not None:
                    native.hand(split, frames)
                acting: Iterable[tuple[Thread, Frame | None]] = zip(threads, frames, strict=True)
                if self.effects is not None and self.effects.keeps_off(split, index):
                    acting = self.effects.without_helpers(split, threads, frames, index, self.issuer)
                elif index not in silent and split.at not in segment.promises:
                    self.issuer.issue(split, index, len(threads))
                machine.tick()
                step = segment.steps[split.at]
                for thread, frame in acting:
                    assert frame is not None
                    self._lane = thread
                    try:
                        step(frame.registers)
                    except Exception as error:
                        thread.at = index
                        explain(thread, frame, error)
                        raise
                split.at += 1
                if native is not None and native.enters(split):
                    break
            else:
                if native is not None:
                    native.prepare(split, segment.last)
                if segment.cost and self._waits(split, segment.last):
                    return
                if native is not None:
                    native.hand(split, frames)
                if segment.cost:
                    self.issuer.issue(split, segment.last, len(threads))
                split.at = 0
                if not self._finish(split, segment, threads):
                    return

    def _finish(self, split: WarpSplit, segment: Segment, threads: list[Thread]) -> bool:
        """What ends a segment, for every lane; whether the split goes on at once."""
        machine = self.machine
        machine.tick()
        before = [t.frame for t in threads]
        visits = [f.visit for f in before if f is not None]
        claimed = self.watch.at(split.activation.code, segment.last)
        values = None if claimed is None else self.watch.values(claimed, threads)
        for thread, frame in zip(threads, before, strict=True):
            assert frame is not None
            self._lane = thread
            try:
                following = segment.finish(thread, frame)
            except Exception as error:
                thread.at = segment.last
                explain(thread, frame, error)
                raise
            thread.epoch += 1
            if following is not None:
                thread.frame = following
        way = _Way(split, threads, before, visits, values)
        if machine.gathered:
            gathered = machine.gather()
            if not all(machine.complete(group) for group, _ in gathered):
                split.waiting = True
                self.waits_at_barrier(gathered, way)
                return False
            self._exchange(gathered, threads)
        return self._go_on(way)

    def _went_on(self, split: WarpSplit, onward: Onward) -> bool:
        """Lanes have gone on natively: whether the split goes on at once."""
        if onward.stays is not None:
            split.at, split.segment = 0, onward.stays
            return True
        if len(onward.targets) > 1:
            assert self.issuer.latest is not None
            self.parted.append(Parted(self.issuer.latest, onward.targets, {}))
        split.at = 0
        self._end(split, onward.targets, 0)
        return False

    def _exchange(self, gathered: Sequence[GatheredGroup], threads: Sequence[Thread]) -> None:
        self.machine.exchange(gathered)
        for thread in threads:
            thread.at = -1

    def waits_at_barrier(self, gathered: Sequence[GatheredGroup], way: _Way) -> None:
        """A split waits there for other waves."""
        self.at_barriers.setdefault(way.split.activation.wave, []).append((gathered, way))

    def _gone_on(self, wave: Wave) -> bool:
        """A split of a wave that waited at a barrier of the workgroup goes on, if all others have come there;
        whether there was one."""
        waiting = self.at_barriers.get(wave, ())
        for place, (gathered, way) in enumerate(waiting):
            split = way.split
            if all(self._complete(group) for group, _ in gathered):
                del self.at_barriers[wave][place]
                if not self.at_barriers[wave]:
                    del self.at_barriers[wave]
                split.waiting = False
                self._lane = way.threads[-1]  # as where it would not have waited
                self._exchange(gathered, way.threads)
                if self._go_on(way):
                    self._run(split)
                return True
        return False

    def _go_on(self, way: _Way) -> bool:
        """By where each lane is now."""
        split, threads, before, visits, values = way
        wave = split.activation.wave
        entries = self._entries[split.activation.code.name]
        entered, targets, gone, stays = sorted_out(threads, before, visits, entries)
        if self.effects is not None and gone:
            self.effects.leave(split.activation, threads, before, gone)
        if entered:
            for code, mask in entered.items():
                split.below += 1
                self._activate(wave, code, mask, split)
            return self._lose(split, gone)
        if stays:
            self._lose(split, gone)
            first = wave.threads[next(lanes(stays))].frame
            assert first is not None
            split.segment = first.segment
            return True
        if len(targets) > 1:
            assert self.issuer.latest is not None
            self.parted.append(Parted(self.issuer.latest, targets, values or {}))
        self._end(split, targets, gone)
        return False

    def _lose(self, split: WarpSplit, gone: Mask) -> bool:
        """Lanes ended in the middle of a block. Nothing goes on at once."""
        split.gone |= gone
        split.mask &= ~gone
        return False

    def _end(self, split: WarpSplit, targets: dict[int, Mask], gone: Mask) -> None:
        """The block is over; the call, too, if nobody is left in it."""
        if self._over(split, targets, gone):
            self._close(split.activation)

    def _over(self, split: WarpSplit, targets: dict[int, Mask], gone: Mask) -> bool:
        """Tells the policy, in text order of the successors; whether nobody is left in the activation."""
        activation = split.activation
        order = activation.policy.facts.cfg.successors[split.block]
        gone |= split.gone
        activation.splits.remove(split)
        went = {t: targets[t] for t in order if t in targets}
        if self._traced:
            went = {t: TracedMask(mask) for t, mask in went.items()}
        activation.policy.after(split.block, went, gone)
        activation.members &= ~gone
        if activation.members:
            return False
        for block in activation.policy.rest():
            self._for_nobody(activation, block)
        return True

    def _close(self, activation: Activation) -> None:
        """The last lane has left: the split that called goes on with those that came back; if none did,
        its block is over, too, and so outwards."""
        wave = activation.wave
        while True:
            wave.leave(activation)
            if self.native is not None:
                self.native.close(activation)
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

    # -- waiting for others with the same key ----------------------------------------------------------------

    def _waits(self, split: WarpSplit, index: int) -> bool:
        if self.convergence_wait is None:
            return False
        passing, split.passing = split.passing, False
        return not passing and self.convergence_wait.hold(split, index)
