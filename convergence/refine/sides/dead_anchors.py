"""Anchors whose token nobody uses: for a refinement they are not there.

By D-DEP nothing depends on such an anchor, and it on nothing that another thread does, so that every
partition of its instances is legal whatever else is chosen; and nothing that is seen tells one from another.
To explore them is to count each outcome many times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...ir.calls import Control, control
from ...ir.instructions import CallSite, Instruction, Phi
from ...ir.module import Body, Function, Module
from ...ir.operands import Local, Operand
from ...semantics.instructions import operands


def without_dead_anchors(module: Module) -> Module:
    """The module without them."""
    functions = {name: _without(function) for name, function in module.functions.items()}
    if all(functions[name] is function for name, function in module.functions.items()):
        return module
    return replace(module, functions=functions)


def _without(function: Function) -> Function:
    anchors = {i.result for i in function.instructions if control(i) is Control.ANCHOR}
    if anchors:
        anchors -= {o.name for i in function.instructions for o in _used(i) if isinstance(o, Local)}
    if not anchors:
        return function
    blocks = tuple(
        replace(block, instructions=tuple(i for i in block.instructions if not _is_one(i, anchors)))
        for block in function.blocks
    )
    return replace(function, body=Body(blocks))


def _is_one(instruction: Instruction, names: set[str | None]) -> bool:
    return control(instruction) is Control.ANCHOR and instruction.result in names


def _used(instruction: Instruction) -> Iterator[Operand]:
    yield from operands(instruction)
    if isinstance(instruction, Phi):
        yield from (value for value, _ in instruction.incoming)
    if isinstance(instruction, CallSite):
        for bundle in instruction.bundles:
            yield from bundle.inputs
