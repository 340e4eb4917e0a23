"""Terminators and edges (LangRef, *Terminator Instructions*, *phi*)."""

from __future__ import annotations

from collections.abc import Callable

from ...ir import instructions as ir
from ...ir.module import Block
from ..convergence.rules import enter_header
from ..errors import NotModelled, Undefined, UsageError
from ..instructions import attribute_promises, constant
from ..machine.log import ReturnEvent
from ..values.value import Value
from .state import UNSET, CodeBlock, Finish, Frame, Registers, Status, Thread
from .translation import Translation, decided

Move = Callable[[Registers], None]


class Terminators:
    """Prepares the terminators of one function."""

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.program = translation.program
        self.code = translation.code
        self._edges: dict[tuple[str, str], Finish] = {}

    def terminator(self, block: Block, index: int, instruction: ir.Instruction) -> Finish:
        """What executing a terminator does. NotModelled for exception handling."""
        match instruction:
            case ir.Ret(value):
                return self._ret(block, value is None, -1 if value is None else self.translation.slot(value))
            case ir.Br(target):
                normal = self.edge(block, target)
            case ir.CondBr(condition, then, otherwise):
                slot = self.translation.slot(condition)
                edges = self.edge(block, then), self.edge(block, otherwise)
                normal = self.translation.branch(block, slot, index, *edges)
            case ir.Switch():
                normal = self._switch(block, index, instruction)
            case ir.IndirectBr():
                normal = self._indirect(block, index, instruction)
            case ir.Unreachable():
                return _unreachable
            case _:
                raise NotModelled(f"the instruction {ir.opcode(instruction)}")
        if self.program.settings.path_of == self.code.name:
            return self.by_path(block, instruction, normal, ir.successors(instruction))
        return normal

    # -- edges --------------------------------------------------------------------------------------

    def edge(self, block: Block, target: str) -> Finish:
        """Following the edge to ``target``: phis take their values, headers are counted."""
        known = self._edges.get((block.name, target))
        if known is None:
            into = self.code.blocks[self.code.graph.number[target]]
            entered = self.translation.entering(block, into, entering(into, self._moves(block, target)))
            known = self._edges[block.name, target] = entered
        return known

    def _moves(self, block: Block, target: str) -> Move | None:
        """All phis of ``target`` at once, from ``block``."""
        return _moves(list(self.translation.copies(block.name, target)))

    # -- ret ----------------------------------------------------------------------------------------

    def _ret(self, block: Block, void: bool, slot: int) -> Finish:
        words = self.program.module.resolve(self.translation.function.return_attributes)
        check, keep = None, None
        if not void:
            promised = attribute_promises(
                words, self.translation.function.type.result, self.translation.context
            )
            if promised is not None:
                kept = self.translation.unnamed_register()
                keep, slot = self.translation.pure(promised, (slot,), kept), kept
        if not void and "noundef" in words:
            check = self.translation.defined((slot,), "a noundef return value")
        if "noreturn" in self.program.module.resolve(self.translation.function.attributes):
            check = _never(f"@{self.translation.function.name}, which is noreturn, returns")
        left = self.leave
        by_path = self.program.settings.path_of == self.code.name

        def finish(thread: Thread, frame: Frame) -> Frame | None:
            if keep is not None:
                keep(frame.registers)
            if check is not None:
                check(frame.registers)
            value = None if void else frame.registers[slot]
            if by_path and frame.caller is None:
                end_path(thread, block.name)
            return left(thread, frame, value)

        return finish

    def leave(self, thread: Thread, frame: Frame, value: object) -> Frame | None:
        """A thread returns from a frame."""
        return leave(thread, frame, value, self.code.token_slots)

    # -- switch -------------------------------------------------------------------------------------

    def _switch(self, block: Block, index: int, instruction: ir.Switch) -> Finish:
        slot = self.translation.slot(instruction.value)
        default = self.edge(block, instruction.default)
        table: dict[object, Finish] = {}
        for case, target in instruction.cases:
            value = constant(case, self.translation.context)
            assert isinstance(value, Value)
            table.setdefault(value.bits, self.edge(block, target))
        return self.translation.switch(slot, index, table, default)

    # -- indirectbr ---------------------------------------------------------------------------------

    def _indirect(self, block: Block, index: int, instruction: ir.IndirectBr) -> Finish:
        """To the block whose blockaddress it is given; undefined behaviour if it does not list that one."""
        slot, memory = self.translation.slot(instruction.address), self.program.memory
        edges = {target: self.edge(block, target) for target in instruction.targets}

        def finish(thread: Thread, frame: Frame, value: Value) -> Frame | None:
            decided(value, "indirectbr")
            function, target = memory.block_at(value) or ("", "")
            if function != self.code.name or target not in edges:
                raise Undefined("indirectbr to what is none of its blocks", "'indirectbr' Instruction")
            return edges[target](thread, frame)

        return self.translation.pointing(slot, index, "indirectbr", finish)

    # -- paths --------------------------------------------------------------------------------------

    def by_path(
        self, block: Block, instruction: ir.Instruction, normal: Finish, successors: tuple[str, ...]
    ) -> Finish:
        """In the launched function's own frame the thread's path says which successor is taken."""
        edges = {name: self.edge(block, name) for name in successors}

        def finish(thread: Thread, frame: Frame) -> Frame | None:
            if frame.caller is not None or thread.path is None:
                return normal(thread, frame)
            taken = next_in_path(thread, block.name, successors)
            return edges[taken](thread, frame)

        return finish


# -- paths -------------------------------------------------------------------------------------------


def next_in_path(thread: Thread, block: str, successors: tuple[str, ...]) -> str:
    """The next block of a thread's path. Raises UsageError if it ends here, or is no successor."""
    assert thread.path is not None
    choices = " or ".join(f"%{s}" for s in dict.fromkeys(successors))
    thread.path_at += 1
    if thread.path_at >= len(thread.path):
        raise UsageError(f"the path of thread {thread.number} ends in %{block}, which goes on to {choices}")
    name = thread.path[thread.path_at]
    if name not in successors:
        raise UsageError(
            f"the path of thread {thread.number} goes from %{block} to %{name} "
            f"(its block number {thread.path_at + 1}), but %{block} goes on to {choices}"
        )
    return name


def end_path(thread: Thread, block: str) -> None:
    """The launched function ends: the path must, too."""
    if thread.path is not None and thread.path_at + 1 < len(thread.path):
        rest = " ".join(thread.path[thread.path_at + 1 :])
        raise UsageError(
            f"the path of thread {thread.number} goes on after %{block}, where the function ends: {rest}"
        )


# -- moving between blocks and frames ----------------------------------------------------------------


def entering(into: CodeBlock, move: Move | None = None) -> Finish:
    """Entering a block, its phis first; one closure for each case, since every branch comes here."""
    visited = into.visited
    if into.heads:

        def to_header(thread: Thread, frame: Frame) -> Frame | None:
            if move is not None:
                move(frame.registers)
            frame.segment = into.entry
            log = thread.log
            frame.visit = len(log)
            log.append(visited[thread.number])
            enter_header(thread.environment, frame, into)
            return frame

        return to_header
    if move is None:

        def plain(thread: Thread, frame: Frame) -> Frame | None:
            frame.segment = into.entry
            log = thread.log
            frame.visit = len(log)
            log.append(visited[thread.number])
            return frame

        return plain

    def moving(thread: Thread, frame: Frame) -> Frame | None:
        move(frame.registers)
        frame.segment = into.entry
        log = thread.log
        frame.visit = len(log)
        log.append(visited[thread.number])
        return frame

    return moving


def _moves(pairs: list[tuple[int, int]]) -> Move | None:
    """A parallel copy of registers: (from, to) pairs."""
    match pairs:
        case []:
            return None
        case [(a, x)]:

            def move(r: Registers) -> None:
                r[x] = r[a]

            return move
        case [(a, x), (b, y)]:

            def moves(r: Registers) -> None:
                r[x], r[y] = r[a], r[b]

            return moves
        case _:
            sources, targets = tuple(a for a, _ in pairs), tuple(b for _, b in pairs)

            def many(r: Registers) -> None:
                values = [r[s] for s in sources]
                for target, value in zip(targets, values, strict=True):
                    r[target] = value

            return many


def _unreachable(thread: Thread, frame: Frame) -> Frame | None:
    raise Undefined("unreachable was reached", "'unreachable' Instruction")


def _never(why: str) -> Callable[[Registers], None]:
    """A check that no return passes."""

    def check(r: Registers) -> None:
        raise Undefined(why, "Function Attributes")

    return check


def leave(thread: Thread, frame: Frame, value: object, token_slots: tuple[int, ...]) -> Frame | None:
    """Returns from a frame: its stack objects end, its tokens go, the caller goes on."""
    if frame.allocas is not None:
        thread.environment.release(thread, frame.allocas)
    for slot in token_slots:
        token = frame.registers[slot]
        if token is not UNSET:
            thread.holders.pop(token, None)
    if frame.root is not None:
        thread.holders.pop(frame.root, None)
    caller = frame.caller
    if caller is None:
        thread.end(Status.RETURNED, value)
        return None
    if frame.result >= 0:
        caller.registers[frame.result] = value
    thread.depth -= 1
    thread.frame = caller
    thread.log.append(ReturnEvent(thread.number, caller.number))
    return caller
