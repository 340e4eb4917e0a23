"""ConvergenceWait lanes at operations until every live lane that can come with the same key is there.

What the ``heart`` machine adds to lock step: an operation runs when no other lane can still come to it.
"""

from __future__ import annotations

from ...alignment.instances import StaticInstance
from ...ir.calls import Control, callee_name, control, is_grouped, way_of
from ...ir.instructions import CallSite
from ...semantics.convergence.arrival import may_come
from ...semantics.convergence.keys import Key, KeyKind
from ...semantics.convergence.rules import d_call, d_entry, d_free, d_loop, d_use, d_way, token_in, way
from ...semantics.threads.state import Code, Frame, Thread
from .machine import LockstepMachine
from .waves import WarpSplit, Wave


class _Held:
    """The splits that wait with one key; ``witness`` a thread that may still come, when it was last seen."""

    __slots__ = ("splits", "witness")

    def __init__(self) -> None:
        self.splits: list[WarpSplit] = []
        self.witness: tuple[Thread, int] | None = None


class ConvergenceWait:
    """``waiting``: by key who waits. ``forced``: how often a group had to go although others might come."""

    def __init__(self, machine: LockstepMachine) -> None:
        self.machine = machine
        self.waiting: dict[Key, _Held] = {}
        self.forced = 0
        self._may: dict[tuple[str, int], bool] = {}

    def hold(self, split: WarpSplit, index: int) -> bool:
        """Holds a split before the instruction at ``index``, in parts with one key each; False: nothing
        asks for it."""
        code = split.activation.code
        if not self.asks(code, index):
            return False
        parts: dict[Key | None, int] = {}
        for thread in split.activation.wave.of(split.mask):
            frame = thread.frame
            assert frame is not None
            key = self._key(thread, frame, index)
            parts[key] = parts.get(key, 0) | 1 << thread.lane
        if set(parts) == {None}:
            return False
        splits = self._split(split, list(parts.values()))
        for key, part in zip(parts, splits, strict=True):
            if key is None:
                part.passing = True
                continue
            part.waiting = True
            for thread in part.activation.wave.of(part.mask):
                thread.at = index
                thread.epoch += 1
            self._join(key, part)
        return True

    def _split(self, split: WarpSplit, masks: list[int]) -> list[WarpSplit]:
        splits = [split]
        split.mask = masks[0]
        for mask in masks[1:]:
            part = WarpSplit(split.activation, split.block, mask, split.segment)
            part.at = split.at
            split.activation.splits.append(part)
            splits.append(part)
        return splits

    def _join(self, key: Key, part: WarpSplit) -> None:
        """Lanes of one activation with one key go on as one split."""
        held = self.waiting.setdefault(key, _Held())
        for other in held.splits:
            same = (other.activation, other.segment, other.at) == (part.activation, part.segment, part.at)
            if same:
                other.mask |= part.mask
                other.gone |= part.gone
                part.activation.splits.remove(part)
                return
        held.splits.append(part)

    def release(self, wave: Wave) -> bool:
        """Lets go the groups that nobody can join any more; whether there was one."""
        free = [
            key
            for key, held in self.waiting.items()
            if held.splits[0].activation.wave is wave and not self._awaited(wave, key, held)
        ]
        for key in free:
            self._go(key)
        return bool(free)

    def force(self) -> bool:
        """Everybody waits for somebody (labels of anchors can do that): the largest group goes."""
        if not self.waiting:
            return False
        self.forced += 1
        self._go(max(self.waiting, key=lambda k: sum(s.mask.bit_count() for s in self.waiting[k].splits)))
        return True

    def _go(self, key: Key) -> None:
        for split in self.waiting.pop(key).splits:
            split.waiting, split.passing = False, True
            for thread in split.activation.wave.of(split.mask):
                thread.at = -1

    def _awaited(self, wave: Wave, key: Key, held: _Held) -> bool:
        """Whether a live lane that is not there may still come with this key."""
        if held.witness is not None:
            thread, epoch = held.witness
            if thread.alive and thread.epoch == epoch:
                return True
        there = 0
        for split in held.splits:
            there |= split.mask
        for thread in wave.threads:
            if thread.alive and not there >> thread.lane & 1:
                if may_come(self.machine, thread, key, by_choice=False):
                    held.witness = (thread, thread.epoch)
                    return True
        return False

    def asks(self, code: Code, index: int) -> bool:
        """Whether the instruction has a key at all: a call that is convergent, or that enters a function."""
        known = self._may.get((code.name, index))
        if known is None:
            instruction = code.instructions[index]
            module = self.machine.program.module
            known = isinstance(instruction, CallSite) and (
                is_grouped(module, instruction) or not _declared(self.machine, instruction)
            )
            self._may[code.name, index] = known
        return known

    def _key(self, thread: Thread, frame: Frame, index: int) -> Key | None:
        """The key that executing the instruction now would have; ``None`` where that is a free choice."""
        machine, code, site = self.machine, frame.code, StaticInstance(frame.code.name, index)
        instruction, slot = code.instructions[index], code.token_of.get(index)
        match control(instruction):
            case Control.ENTRY:
                root = frame.root
                if root is None or (isinstance(root, Key) and root.kind is KeyKind.CALL):
                    return None
                return d_entry(thread, frame, site)
            case Control.ANCHOR if (bound := way_of(instruction)) is not None:  # those of one way come as one
                return d_way(thread, site, way(thread), None) if bound.meets else None
            case Control.ANCHOR:  # of a case: those with one value may not be parted, so all come as one
                return None if slot is None else machine.keys.use(site, token_in(frame, slot))
            case Control.LOOP:
                return None if slot is None else d_loop(thread, frame, site, token_in(frame, slot))
        if not is_grouped(machine.program.module, instruction):
            return d_call(thread, frame, site)
        if slot is not None:
            return d_use(thread, frame, site, token_in(frame, slot))
        return None if machine.program.uncontrolled == "any" else d_free(thread, frame, site)


def _declared(machine: LockstepMachine, call: CallSite) -> bool:
    """Whether a call names a function that the module only declares."""
    name = callee_name(call)
    function = machine.program.module.functions.get(name) if name is not None else None
    return function is not None and function.is_declaration
