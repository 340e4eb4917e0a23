"""Calls of the control intrinsics, bundles, and the declarations that they need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar, assert_never, cast

from ..ir import (
    TOKEN,
    Aggregate,
    BlockAddress,
    ConstantExpression,
    FunctionType,
    Global,
    Local,
    MetadataOperand,
    MetadataValue,
    Operand,
    Simple,
    Splat,
)
from ..ir import instructions as ir
from ..ir.calls import CONTROL_BUNDLE, Control, control
from ..ir.instructions import Bundle, Call, CallSite, Instruction
from ..ir.module import Block, Body, Function, Module

_TYPE = FunctionType(TOKEN, ())
_TABLE = frozenset(("convergent", "memory(none)", "nocallback", "nofree", "nosync", "nounwind", "willreturn"))
"""What LLVM's table says of all three intrinsics."""


def token(name: str) -> Local:
    return Local(TOKEN, name)


def bundle(of: Local) -> Bundle:
    return Bundle(CONTROL_BUNDLE, (of,))


def control_call(kind: Control, result: str, parent: Local | None = None) -> Call:
    """``%result = call token @llvm.experimental.convergence...()``, a ``loop`` with its parent's token."""
    bundles = () if parent is None else (bundle(parent),)
    return Call(Global(kind.value), _TYPE, bundles=bundles, result=result)


def with_bundle(call: CallSite, by: Local) -> CallSite:
    """The call with ``"convergencectrl"(token %by)`` behind its other bundles."""
    return replace(call, bundles=(*call.bundles, bundle(by)))


def with_functions(module: Module, changed: Mapping[str, Function], used: Iterable[Control] = ()) -> Module:
    """The module with some functions replaced and the control intrinsics that are used declared.

    Its ``uselistorder`` directives go: they count uses of what all functions share.
    """
    if not changed:
        return module
    functions = {name: changed.get(name, function) for name, function in module.functions.items()}
    intrinsics = dict(module.intrinsics)
    for kind in used:
        intrinsics.setdefault(kind.value, _TABLE)
        if kind.value not in functions:
            functions[kind.value] = Function(kind.value, _TYPE, ())
    return replace(module, functions=functions, intrinsics=intrinsics, use_list_orders=())


# -- Instructions with other operands, other blocks and other names; names that a function does not have yet

D = TypeVar("D", bound=Any)

_PLAIN = (str, int, bytes, type(None), FunctionType)
_WITHIN = (ir.Argument, ir.Bundle, ConstantExpression, MetadataOperand, MetadataValue)
"""Parts of an instruction that may hold a local value."""
_CONSTANTS_WITHIN = (ir.Argument, ir.Bundle, ConstantExpression, Aggregate, Splat)
"""Parts of an instruction that may hold a constant."""


def with_operands(instruction: Instruction, replaced: Callable[[Local], Operand]) -> Instruction:
    """The instruction with each local value in it replaced, in bundles and as metadata, too."""
    return _changed(instruction, Local, _WITHIN, replaced)


def with_poison_for_undef(instruction: Instruction) -> Instruction:
    """The instruction with poison for each undef in it, in larger constants, too."""

    def poison(constant: Simple) -> Simple:
        return replace(constant, kind="poison") if constant.kind == "undef" else constant

    return _changed(instruction, Simple, _CONSTANTS_WITHIN, poison)


def _replaced(part: Any, kind: type, within: tuple[type, ...], replaced: Callable[[Any], Operand]) -> Any:
    """A part of an instruction; the same object where nothing changes. What is of the ``kind`` is
    replaced, and looked for in parts ``within``."""
    if isinstance(part, kind):
        after = replaced(part)
        return part if after == part else after
    if isinstance(part, tuple):
        parts = tuple([_replaced(p, kind, within, replaced) for p in part])
        return part if all(a is b for a, b in zip(parts, part, strict=True)) else parts
    if isinstance(part, _PLAIN) or not isinstance(part, within):
        return part
    return _changed(part, kind, within, replaced)


def _changed(whole: D, kind: type, within: tuple[type, ...], replaced: Callable[[Any], Operand]) -> D:
    """An instruction or a part of one, field by field."""
    changes = {}
    for field in fields(whole):
        before = getattr(whole, field.name)
        after = _replaced(before, kind, within, replaced)
        if after is not before:
            changes[field.name] = after
    return replace(whole, **changes) if changes else whole


def with_targets(terminator: Instruction, renamed: Callable[[str], str]) -> Instruction:
    """A terminator that goes to other blocks."""
    known = cast(ir.Terminator, terminator)
    match known:
        case ir.Br(target):
            return replace(known, target=renamed(target))
        case ir.CondBr(_, then, otherwise):
            return replace(known, then=renamed(then), otherwise=renamed(otherwise))
        case ir.Switch(_, default, cases):
            return replace(known, default=renamed(default), cases=tuple((v, renamed(b)) for v, b in cases))
        case ir.IndirectBr(_, targets):
            return replace(known, targets=tuple(map(renamed, targets)))
        case ir.Invoke():
            return replace(known, normal=renamed(known.normal), unwind=renamed(known.unwind))
        case ir.CallBr():
            indirect = tuple(map(renamed, known.indirect))
            return replace(known, fallthrough=renamed(known.fallthrough), indirect=indirect)
        case ir.CatchSwitch(_, handlers, unwind):
            after = None if unwind is None else renamed(unwind)
            return replace(known, handlers=tuple(map(renamed, handlers)), unwind=after)
        case ir.CatchRet(_, target):
            return replace(known, target=renamed(target))
        case ir.CleanupRet(_, unwind):
            return replace(known, unwind=None if unwind is None else renamed(unwind))
        case ir.Ret() | ir.Resume() | ir.Unreachable():
            return known
        case _:
            assert_never(known)


def with_incoming(block: Block, renamed: Callable[[str], str]) -> Block:
    """A block whose phis name other predecessors."""
    if not block.instructions or not isinstance(block.instructions[0], ir.Phi):
        return block
    instructions = tuple(
        replace(i, incoming=tuple((value, renamed(b)) for value, b in i.incoming))
        if isinstance(i, ir.Phi)
        else i
        for i in block.instructions
    )
    return replace(block, instructions=instructions)


def with_blocks(function: Function, blocks: Iterable[Block]) -> Function:
    """A function with another body. Its ``uselistorder`` directives go, for they count uses: they say
    in which order uses are kept, and nothing of what the function means."""
    return replace(function, body=Body(tuple(blocks)), use_list_orders=())


class Names:
    """Names of values and blocks that a function has, and new ones: LLVM keeps both in one table."""

    def __init__(self, function: Function) -> None:
        self._names = {p.name for p in function.parameters}
        for block in function.blocks:
            self._names.add(block.name)
            self._names.update(i.result for i in block.instructions if i.result is not None)

    def new(self, wanted: str) -> str:
        """``wanted`` where it is free, else with the first number that makes it so; never a bare number."""
        wanted = wanted.strip('"')
        if wanted.isdigit():
            wanted = f"v{wanted}"
        name, number = wanted, 0
        while name in self._names:
            number += 1
            name = f"{wanted}.{number}"
        self._names.add(name)
        return name


@dataclass(slots=True)
class Substitution:
    """Values in place of others, followed to the end: a replacement may be replaced itself."""

    by_name: dict[str, Operand]

    def __call__(self, local: Local) -> Operand:
        operand: Operand = local
        while isinstance(operand, Local) and operand.name in self.by_name:
            operand = self.by_name[operand.name]
        return operand

    def over(self, blocks: Iterable[Block]) -> tuple[Block, ...]:
        """Blocks with all of it done."""
        if not self.by_name:
            return tuple(blocks)
        return tuple(
            replace(b, instructions=tuple([with_operands(i, self) for i in b.instructions])) for b in blocks
        )


def renamed_by(names: Mapping[str, str]) -> Callable[[str], str]:
    """Block names by a mapping, all others as they are."""
    return lambda name: names.get(name, name)


def addressed_blocks(function: Function) -> frozenset[str]:
    """The blocks whose address the function's own text takes."""
    return frozenset(
        part.block
        for instruction in function.instructions
        for part in _parts(instruction)
        if isinstance(part, BlockAddress) and part.function == function.name
    )


def _parts(value: Any) -> Iterable[Any]:
    yield value
    if isinstance(value, tuple):
        for part in value:
            yield from _parts(part)
    elif isinstance(value, (Instruction, *_WITHIN)):
        for field in fields(value):
            yield from _parts(getattr(value, field.name))


# ----------------------------------------------------------------------------------------------------------
# A program without its tokens: what it would be had nobody written them (the uncontrolled program).
# ----------------------------------------------------------------------------------------------------------


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
