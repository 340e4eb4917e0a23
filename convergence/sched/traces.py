"""One thread's candidate trace, followed symbolically to its end or to the next question.

A walk starts at the launch and is given the answers so far; it repeats the pieces that are known and
adds the last one. Arithmetic, memory and intrinsics are the interpreter's own instruction functions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..ir import instructions as ir
from ..semantics.errors import STOPS, BoundHit, Undefined, UsageError, ending_of
from .traces_branch import Branching
from .traces_state import Activation, Asks
from .tree import Stopped, Trace


class Steps(Branching, ABC):
    """All of a walk but its calls."""

    def follow(self) -> None:
        """Fills in the node's instances and its end."""
        node = self.node
        self.world.walk = self
        node.own, node.own_readings = self.known, self.known_readings
        try:
            node.end = self._run()
        except Asks as ask:
            node.end = ask.question
        except STOPS as stop:
            node.end = Stopped(ending_of(stop, node.thread, self.stack()))
        except UsageError as stop:
            node.end = Stopped(stop)
        node.path = self.path
        node.readings = self.readings

    def _run(self) -> Trace:
        launch, thread = self.world.launch, self.node.thread
        code = self.world.program.code(launch.function)
        entry = code.function.blocks[0].name
        path = self.follower.path
        if path is not None and (not path or path[0] != entry):
            raise UsageError(f"the path of thread {thread} does not begin with %{entry}, the entry block")
        self.push(code, list(launch.arguments[thread]) if launch.arguments else [], self.launch, -1, None)
        while True:
            self.steps += 1
            if self.steps > self.max_steps:
                raise BoundHit(f"--max-steps {self.max_steps}")
            ended = self._step()
            if ended is not None:
                return ended

    @abstractmethod
    def call(self, frame: Activation, call: ir.CallSite) -> Trace | None:
        """One ``call`` or ``invoke``."""

    def _step(self) -> Trace | None:
        frame = self.frame
        assert frame is not None
        instruction = frame.code.instructions[frame.at]
        match instruction:
            case ir.Phi() | ir.DebugRecord():
                self.steps -= 1
                frame.at += 1
            case ir.CallSite():
                return self.call(frame, instruction)
            case ir.Ret():
                return self.ret(frame, instruction)
            case ir.Unreachable():
                raise Undefined("unreachable was reached", "'unreachable' Instruction")
            case ir.Br() | ir.CondBr() | ir.Switch() | ir.IndirectBr():
                self.go(frame, ir.successors(instruction), lambda: self.chosen(frame, instruction))
            case ir.Alloca():
                self.alloca(frame, instruction)
            case _:
                self.compute(frame, instruction)
        return None
