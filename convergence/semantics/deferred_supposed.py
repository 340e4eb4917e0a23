"""Branches over operations: a thread goes on as if it knew the way, so that others need not wait for it.

As in :mod:`deferred_region`, what stands behind the join of a branch is free of it under D-DEP. Where
operations lie between, a thread supposes a way (a choice) and walks on. What it does before the join
happens only when the branch's value has come; a run in which that says otherwise is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..alignment.instances import StaticInstance
from ..ir import instructions as ir
from ..ir.calls import callee_name
from ..ir.module import Block, Function, Module
from ..rules import Rule
from .deferred import Deferred
from .deferred_region import Inside, between
from .errors import IllegalExecution
from .frames import CodeBlock, Frame
from .translate_control import decided

if TYPE_CHECKING:
    from .translate import Translation


@dataclass(frozen=True, slots=True)
class Supposed:
    """A way that a thread supposed: in which activation, up to which block, until which value comes."""

    frame: Frame
    join: CodeBlock
    value: Deferred


@dataclass(frozen=True, slots=True)
class Checked:
    """What a branch's value is held against when it comes."""

    way: bool

    def __call__(self, value: Any) -> None:
        decided(value, "br")
        if bool(value.bits) is not self.way:
            raise IllegalExecution(Rule.D_CAUSE, "a branch went another way than was supposed", repeats=True)


def depending(where: StaticInstance, value: Any, on: Deferred) -> Deferred:
    """``value``, which is there only when ``on`` is: a phi's, which a branch has chosen."""
    return Deferred(where, _last, (on, value))


def _last(*values: Any) -> Any:
    return values[-1]


# -- which branches -----------------------------------------------------------------------------------


def join_of(translation: Translation, block: Block) -> CodeBlock | None:
    """The join of a block's conditional branch; ``None`` if there is none near by, or a loop, the header of
    a cycle that is counted, or what touches memory on the way."""
    code, blocks = translation.code, translation.function.blocks
    number = {b.name: n for n, b in enumerate(blocks)}
    start = _inside(block)
    if start is None:
        return None

    def inside(name: str) -> Inside | None:
        found = blocks[number[name]]
        plain = name != block.name and not code.blocks[number[name]].heads
        if not plain or touches_memory(found.instructions, translation.program.module):
            return None
        return _inside(found)

    candidates = list(dict.fromkeys(start.targets))
    for join in candidates:
        if between(start, join, inside) is not None:
            return code.blocks[number[join]]
        following = inside(join)
        if following is not None:
            candidates += [t for t in dict.fromkeys(following.targets) if t not in candidates]
    return None


def _inside(block: Block) -> Inside | None:
    nowhere = StaticInstance("", 0)
    match block.terminator:
        case ir.Br(target):
            return Inside(block.name, (), -1, (target, target), nowhere)
        case ir.CondBr(_, then, otherwise):
            return Inside(block.name, (), 0, (then, otherwise), nowhere)
        case _:
            return None


_PLAIN = (
    ir.Br, ir.CondBr, ir.Ret, ir.Switch, ir.Phi, ir.DebugRecord, ir.Binary, ir.ICmp, ir.Select, ir.Conversion,
    ir.Freeze,
)  # fmt: skip


def touches_memory(
    instructions: Iterable[ir.Instruction], module: Module, callers: tuple[str, ...] = ()
) -> bool:
    """Whether there is anything but plain computations, control flow, and direct calls of functions that are
    declared, or defined and do no more than that."""
    functions: Mapping[str, Function] = module.functions
    for instruction in instructions:
        if isinstance(instruction, _PLAIN):
            continue
        name = callee_name(instruction) if isinstance(instruction, ir.CallSite) else None
        callee = None if name is None else functions.get(name)
        if callee is None or callee.name in callers or callee.name.startswith("llvm.mem"):
            return True
        inner = (*callers, callee.name)
        if not callee.is_declaration and touches_memory(callee.instructions, module, inner):
            return True
    return False
