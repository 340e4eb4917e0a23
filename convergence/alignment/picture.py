"""The picture of an alignment (semantics.md §5): a row per thread, a column per class of block visits."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.calls import control
from ..ir.cycles import Order
from ..ir.instructions import Br, CondBr, DebugRecord, IndirectBr, Instruction, Phi, Switch
from ..ir.module import Block, Function, Module
from .controlled import controlled_maximal
from .facts import facts_of
from .instances import BlockVisit, Execution
from .layout import lay_out

ABSENT = "-"


def picture(
    execution: Execution,
    module: Module,
    function: str,
    all_blocks: bool = False,
    search: Order = Order.TEXT,
) -> tuple[str, ...]:
    """One string per thread: the blocks of ``function`` in their columns, one space between, ``-``
    where the thread is absent.

    One column holds one class of block visits; columns are classes in topological order, ties by
    lowest thread. Two visits of a block share a column iff all their convergent operations (and
    control intrinsics) are converged, as far as both came; a block without any follows COS's
    controlled maximal converged-with relation, for the cycle hierarchy of ``search``, unless that
    closes a cycle.

    Blocks that hold only control intrinsics and a branch are left out, except the function's
    entry block, which no one added; ``all_blocks`` shows them. Phis belong to the branches that
    lead to them and debug records execute as nothing: neither keeps a block in the picture.

    Shown are the activations of ``function`` that were launched; if none was, all of them, so
    that a callee has a picture of its own. In either case what happens in other functions still
    orders the columns.
    """
    rows = cells(execution, module, function, all_blocks, search)
    used = sorted({column for row in rows for column in row})
    names = {block.name: _spelled(block.name) for block in module.functions[function].blocks}
    return tuple(
        " ".join(names[row[column].block] if column in row else ABSENT for column in used) for row in rows
    )


def cells(
    execution: Execution,
    module: Module,
    function: str,
    all_blocks: bool = False,
    search: Order = Order.TEXT,
) -> tuple[Mapping[int, BlockVisit], ...]:
    """What :func:`picture` draws: per thread the block visits that are shown, by column, from left to
    right. Columns that are not shown leave gaps in the numbers."""
    columns = lay_out(execution, controlled_maximal(execution, facts_of(module, search)))
    hidden = frozenset() if all_blocks else left_out(module.functions[function])
    launched = any(visits and visits[0].function == function for visits in execution.visits)

    def shown(visit: BlockVisit) -> bool:
        return (
            visit.function == function
            and visit.block not in hidden
            and (visit.caller is None or not launched)
        )

    return tuple(
        {column: visit for column, visit in zip(row, visits, strict=True) if shown(visit)}
        for row, visits in zip(columns, execution.visits, strict=True)
    )


def left_out(function: Function) -> frozenset[str]:
    """The blocks that a picture leaves out: only control intrinsics and a branch, not the entry block."""
    return frozenset(block.name for block in function.blocks[1:] if _is_control_only(block))


def _is_control_only(block: Block) -> bool:
    instructions = [i for i in block.instructions if not isinstance(i, Phi | DebugRecord)]
    return (
        len(instructions) > 1
        and all(control(instruction) is not None for instruction in instructions[:-1])
        and _is_branch(instructions[-1])
    )


def _is_branch(instruction: Instruction) -> bool:
    return isinstance(instruction, Br | CondBr | Switch | IndirectBr)


def _spelled(name: str) -> str:
    """A block's name, in quotes where it would be mistaken for several words or for an absence."""
    return f'"{name}"' if name == ABSENT or not name or any(c.isspace() for c in name) else name
