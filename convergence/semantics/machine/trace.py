"""What a detailed log says of each instruction: what ``--trace`` shows. Nothing here runs for another log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...alignment import StaticInstance
from ...ir import instructions as ir
from ..instructions.lifting import result_type
from ..values import Composite, Unknown, Value, plain
from . import Arrived, Executed, Stepped

if TYPE_CHECKING:
    from ..convergence import Key
    from ..convergence.rules import PendingGroup
    from ..threads import Frame, Thread


def step(thread: Thread, frame: Frame, index: int, value: object, since: int) -> None:
    """An instruction was executed; ``since`` is how long the log was before."""
    instruction = frame.code.instructions[index]
    key = nth = rule = None
    executed = next((event for event in thread.log[since:] if isinstance(event, Executed)), None)
    if executed is not None:
        key, nth, rule = executed.key, executed.nth, executed.key.rule
    site = StaticInstance(frame.code.name, index)
    shown = _plain(thread, value, instruction)
    thread.log.append(Stepped(thread.number, frame.number, site, instruction.result, shown, key, nth, rule))


def promise(thread: Thread, frame: Frame, index: int, slot: int, before: object) -> None:
    """A promise was looked after: an instruction whose result is another for it is shown anew."""
    result, value = frame.code.instructions[index].result, frame.registers[slot]
    if value != before and result is not None and frame.code.slots[result] == slot:
        step(thread, frame, index, value, len(thread.log))


def phis(thread: Thread, frame: Frame) -> None:
    """The block that the frame just entered: its phis took their values."""
    node = frame.code.graph.nodes[frame.code.graph.block_of[frame.segment.first]]
    for index in range(node.first, node.last):
        instruction = frame.code.instructions[index]
        if not isinstance(instruction, ir.Phi) or instruction.result is None:
            return
        value = frame.registers[frame.code.slots[instruction.result]]
        step(thread, frame, index, value, len(thread.log))


def arrived(thread: Thread, site: StaticInstance, key: Key) -> None:
    """A thread waits at an exchange."""
    assert thread.frame is not None
    thread.log.append(Arrived(thread.number, thread.frame.number, site, key, thread.keys[key], key.rule))


def exchanged(thread: Thread, frame: Frame, group: PendingGroup, value: object) -> None:
    """The thread's exchange happened."""
    site, key = group.exchange.site, group.key
    instruction = frame.code.instructions[site.index]
    shown = _plain(thread, value, instruction)
    members = tuple(sorted(group.operands))
    thread.log.append(
        Stepped(
            thread.number, frame.number, site, instruction.result, shown,
            key, thread.keys[key], key.rule, members,
        )
    )  # fmt: skip


def _plain(thread: Thread, value: object, instruction: ir.Instruction) -> Any:
    """A register's content as plain data; the type is found where it is spelled."""
    if not isinstance(value, Value | Composite | Unknown):
        return None  # nothing, or a token
    layout = thread.environment.program.layout
    type_ = result_type(instruction, layout)
    return None if type_ is None else plain(value, type_, layout)
