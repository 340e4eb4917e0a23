"""Anchors whose token nobody uses: for a refinement they are not there.

By D-DEP nothing depends on such an anchor, and it on nothing that another thread does, so that every
partition of its instances is legal whatever else is chosen; and nothing that is seen tells one from another.
To explore them is to count each outcome many times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...ir.calls import Control, control
from ...ir.instructions import Instruction, Phi
from ...ir.module import Function, Module
from ...ir.operands import Local
from ...semantics.threads.recurrence import uses
from ...transform.rewrite import with_blocks, with_functions


def without_dead_anchors(module: Module) -> Module:
    """The module without them; the module itself where it has none."""
    functions = {f.name: _without(f) for f in module.definitions()}
    changed = {name: f for name, f in functions.items() if f is not module.functions[name]}
    return with_functions(module, changed)


def _without(function: Function) -> Function:
    anchors = {i.result for i in function.instructions if control(i) is Control.ANCHOR}
    if anchors:
        anchors -= {name for i in function.instructions for name in _used(i)}
    if not anchors:
        return function
    return with_blocks(
        function,
        (
            replace(block, instructions=tuple(i for i in block.instructions if not _is_one(i, anchors)))
            for block in function.blocks
        ),
    )


def _is_one(instruction: Instruction, names: set[str | None]) -> bool:
    return control(instruction) is Control.ANCHOR and instruction.result in names


def _used(instruction: Instruction) -> Iterator[str]:
    yield from uses(instruction)
    if isinstance(instruction, Phi):
        yield from (value.name for value, _ in instruction.incoming if isinstance(value, Local))
