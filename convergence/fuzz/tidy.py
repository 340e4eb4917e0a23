"""What every candidate of the reducer goes through: no unreachable block, no dead value, no unused name."""

from __future__ import annotations

from dataclasses import replace

from ..ir import instructions as ir
from ..ir.instructions import Instruction, successors
from ..ir.module import Block, Function, Module
from ..ir.operands import Global, Local, Operand, Simple
from ..transform.rewrite import Substitution, with_blocks, with_operands

_PURE = (
    ir.Binary, ir.ICmp, ir.FCmp, ir.Conversion, ir.Select, ir.Freeze, ir.Phi, ir.GetElementPtr, ir.FNeg,
    ir.ExtractElement, ir.InsertElement, ir.ExtractValue, ir.InsertValue, ir.ShuffleVector, ir.Alloca,
)  # fmt: skip


def tidy(module: Module) -> Module:
    """The module without what no longer matters."""
    functions = {
        name: f if f.is_declaration else tidy_function(f)
        for name, f in _without_groups(module).functions.items()
    }
    return _without_unused(replace(module, functions=functions, groups={}))


def _without_groups(module: Module) -> Module:
    """Attribute groups spelled out where they are used."""
    if not module.groups:
        return module
    functions = {}
    for name, function in module.functions.items():
        if not function.implicit:
            function = replace(function, attributes=module.resolve(function.attributes))
        if not function.is_declaration:
            blocks = [
                replace(block, instructions=tuple(_spelled_out(i, module) for i in block.instructions))
                for block in function.blocks
            ]
            function = with_blocks(function, blocks)
        functions[name] = function
    return replace(module, functions=functions)


def _spelled_out(instruction: Instruction, module: Module) -> Instruction:
    if isinstance(instruction, ir.CallSite):
        return replace(instruction, attributes=module.resolve(instruction.attributes))
    return instruction


def tidy_function(function: Function) -> Function:
    """Unreachable blocks, incoming values of edges that are gone, phis of one value, dead values: all go."""
    blocks = _reachable(function.blocks)
    predecessors: dict[str, list[str]] = {}
    for block in blocks:
        for target in successors(block.terminator):
            predecessors.setdefault(target, []).append(block.name)
    known: dict[str, Operand] = {}
    made = []
    for block in blocks:
        coming = predecessors.get(block.name, [])
        kept: list[Instruction] = []
        for instruction in block.instructions:
            if isinstance(instruction, ir.Phi):
                phi = _with_edges(instruction, coming)
                values = {v for v, _ in phi.incoming} - {Local(phi.type, phi.result or "")}
                if phi.result is not None and len(values) <= 1:
                    known[phi.result] = values.pop() if values else Simple(phi.type, "poison")
                    continue
                kept.append(phi)
            else:
                kept.append(instruction)
        made.append(replace(block, instructions=tuple(kept)))
    function = with_blocks(function, Substitution(known).over(made))
    return with_blocks(function, _without_dead(function.blocks))


def _reachable(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    by_name = {b.name: b for b in blocks}
    seen: set[str] = set()
    todo = [blocks[0].name]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += successors(by_name[name].terminator)
    return tuple(b for b in blocks if b.name in seen)


def _with_edges(phi: ir.Phi, coming: list[str]) -> ir.Phi:
    """A phi with one entry per incoming edge."""
    by_block = {block: value for value, block in phi.incoming}
    return replace(phi, incoming=tuple((by_block[name], name) for name in coming if name in by_block))


def _without_dead(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Pure instructions whose results nothing uses go; hearts and other calls have a say and stay."""
    maker = {i.result: i for b in blocks for i in b.instructions if i.result is not None}
    live: set[str] = set()
    todo: list[str] = []

    def note(instruction: Instruction) -> None:
        def local(value: Local) -> Operand:
            todo.append(value.name)
            return value

        with_operands(instruction, local)

    for block in blocks:
        for instruction in block.instructions:
            if not isinstance(instruction, _PURE):
                note(instruction)
    while todo:
        name = todo.pop()
        if name not in live:
            live.add(name)
            made = maker.get(name)
            if isinstance(made, _PURE):
                note(made)

    def stays(instruction: Instruction) -> bool:
        return not isinstance(instruction, _PURE) or instruction.result in live

    return tuple(replace(b, instructions=tuple(filter(stays, b.instructions))) for b in blocks)


def _without_unused(module: Module) -> Module:
    """Declarations, attribute groups, globals and metadata that nothing mentions go."""
    used = _mentioned(module)
    functions = {n: f for n, f in module.functions.items() if not f.is_declaration or n in used}
    globals_ = {n: g for n, g in module.globals.items() if n in used}
    return replace(module, functions=functions, globals=globals_, source_filename=None)


def _mentioned(module: Module) -> set[str]:
    from ..semantics.instructions import operands

    found: set[str] = set()
    for function in module.definitions():
        for instruction in function.instructions:
            for operand in operands(instruction):
                if isinstance(operand, Global):
                    found.add(operand.name)
            if isinstance(instruction, ir.CallSite) and isinstance(instruction.callee, Global):
                found.add(instruction.callee.name)
    return found
