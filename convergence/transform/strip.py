"""A program without its tokens: what it would be had nobody written them (the uncontrolled program)."""

from __future__ import annotations

from dataclasses import replace

from ..ir.calls import CONTROL_BUNDLE, control
from ..ir.instructions import CallSite, Instruction
from ..ir.module import Function, Module
from .rewrite import with_blocks, with_functions


def stripped(module: Module) -> Module:
    """The module without control intrinsics and without the bundles that hold their tokens; the module itself
    where it has none."""
    changed = {f.name: function for f in module.definitions() if (function := _stripped(f)) is not None}
    return with_functions(module, changed)


def _stripped(function: Function) -> Function | None:
    if not any(map(_has_token, function.instructions)):
        return None
    blocks = []
    for block in function.blocks:
        kept = tuple(_without(i) for i in block.instructions if control(i) is None)
        blocks.append(replace(block, instructions=kept))
    return with_blocks(function, blocks)


def _has_token(instruction: Instruction) -> bool:
    return control(instruction) is not None or _without(instruction) is not instruction


def _without(instruction: Instruction) -> Instruction:
    if not isinstance(instruction, CallSite):
        return instruction
    kept = tuple(b for b in instruction.bundles if b.tag != CONTROL_BUNDLE)
    return instruction if len(kept) == len(instruction.bundles) else replace(instruction, bundles=kept)
