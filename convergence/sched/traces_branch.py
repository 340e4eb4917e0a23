"""The terminators of a candidate trace: which edge it takes, and what happens on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from ..alignment.instances import BlockVisit
from ..ir import instructions as ir
from ..semantics.errors import Undefined, UsageError
from ..semantics.instructions import operands
from ..semantics.translate_control import end_path, next_in_path
from ..semantics.unknown import Unknown, needed
from ..semantics.values import Pointer, Value
from .shapes import Header, Needs
from .traces_compute import Computing
from .traces_state import NOTHING, Activation
from .tree import Trace


class Branching(Computing):
    """Where a thread goes: a given path says it, or a condition, which may be a question."""

    def go(self, frame: Activation, successors: tuple[str, ...], chosen: Callable[[], str]) -> None:
        """Follows an edge: the given path's, or the chosen one."""
        if self.follower.path is not None and frame.caller is None:
            here = frame.code.graph.nodes[frame.block].name
            self._edge(frame, next_in_path(cast(Any, self.follower), here, successors))
        else:
            self._edge(frame, chosen())

    def chosen(self, frame: Activation, instruction: ir.Instruction) -> str:
        match instruction:
            case ir.Br(target):
                return target
            case ir.CondBr(condition, then, otherwise):
                bits = self._decided(self.look(frame, (condition,))[0], "br")
                self.control |= self.looking
                return then if self.decide(self.world.domain.truth(bits)) else otherwise
            case ir.Switch(value, default, cases):
                bits = self._decided(self.look(frame, (value,))[0], "switch")
                self.control |= self.looking
                for case, target in cases:
                    constant = self.world.constant(case)
                    assert isinstance(constant, Value)
                    if self.decide(bits == constant.bits):
                        return target
                return default
            case ir.IndirectBr(address, targets):
                return self._block_at(frame, self.look(frame, (address,))[0], targets)
            case _:
                raise AssertionError(f"{instruction} is no branch")

    def _block_at(self, frame: Activation, address: Any, targets: Sequence[str]) -> str:
        """The block whose blockaddress a value is: undefined behaviour if it is none of the targets."""
        bits = self._decided(address, "indirectbr")
        self.control |= self.looking
        pointer = Pointer(self.number(bits), address.provenance)
        function, target = self.world.program.memory.block_at(pointer) or ("", "")
        if function != frame.code.name or target not in targets:
            raise Undefined("indirectbr to what is none of its blocks", "'indirectbr' Instruction")
        return target

    def _decided(self, value: Any, instruction: str) -> Any:
        """What a branch looks at: poison and undef are undefined behaviour."""
        if isinstance(value, Unknown):
            raise UsageError(needed(value, "a branch") + ", or give the blocks with --path")
        if self.is_poison(value):
            raise Undefined(f"{instruction} on poison", f"'{instruction}' Instruction")
        if value.undef:
            raise Undefined(f"{instruction} on undef", f"'{instruction}' Instruction")
        return value.bits

    def _edge(self, frame: Activation, target: str) -> None:
        """Phis of the target take their values all at once; a header is counted."""
        code = frame.code
        source = code.graph.nodes[frame.block].name
        number = code.graph.number[target]
        taken: list[tuple[str, Any, Needs]] = []
        for instruction in code.function.blocks[number].instructions:
            if not isinstance(instruction, ir.Phi):
                continue
            values = [o for o, block in instruction.incoming if block == source]
            if values and instruction.result is not None:
                taken.append((instruction.result, *self.look(frame, values[:1]), self.looking))
        for name, value, needs in taken:
            self.define(frame, name, value, needs)
        self.looking = NOTHING
        self.enter_block(frame, number)
        block = code.blocks[number]
        if block.heads:
            before = frame.recent[block.cycle]
            if before is not None and before.block == block.name:
                base, n = before.base, before.n + 1
            else:
                base, n = before, 1
            assert frame.root is not None
            now = Header(frame.root, code.name, block.name, base, n)
            for cycle in block.heads:
                frame.recent[cycle] = now

    def header_at(self, frame: Activation, index: int) -> Header | None:
        """The most recent instance of a header of a cycle around an instruction."""
        cycle = frame.code.blocks[frame.code.graph.block_of[index]].cycle
        return frame.recent[cycle] if frame.recent and cycle >= 0 else None

    def ret(self, frame: Activation, instruction: ir.Ret) -> Trace | None:
        value = next(iter(self.look(frame, operands(instruction))), None)
        words = self.world.module.resolve(frame.code.function.return_attributes)
        if value is not None and "noundef" in words:
            self.require_defined(value, "a noundef return value")
        if frame.caller is None and self.follower.path is not None:
            end_path(cast(Any, self.follower), frame.code.graph.nodes[frame.block].name)
        self.memory.release(*frame.allocas)
        if frame.caller is None:
            return self.ended("returned", value)
        self.frame = frame.caller
        self.depth -= 1
        self.define(frame.caller, frame.result, value)
        self.after_call(frame.caller)
        return None

    def after_call(self, frame: Activation) -> None:
        """An invoke goes on to its normal destination, a call to what stands behind it."""
        call = frame.code.instructions[frame.at]
        if isinstance(call, ir.Invoke):
            normal = call.normal
            self.go(frame, (normal,), lambda: normal)
        else:
            frame.at += 1

    def ended(self, how: str, value: Any) -> Trace:
        """The thread returned from the launched function, or exited."""
        visits = tuple(
            BlockVisit(number, caller, function, block, tuple(self.inside.get(place, ())), call)
            for place, (number, caller, function, block, call) in enumerate(self.visits)
        )
        return Trace(how, value, visits, tuple(self.events))
