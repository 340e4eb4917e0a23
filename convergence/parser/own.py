"""A text read without LLVM: our own reader says whether it is LLVM IR, as far as it can tell.

Bodies are read at once, so that a fault is said where the text is read and not when somebody looks; what LLVM
would have said is checked as far as a run rests on it (``well_formed``). Intrinsics keep the names that the
text gives them, and have the attributes of a table that was made when LLVM was asked (``own_intrinsics``).
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from itertools import takewhile
from pathlib import Path

from ..frozen import dataclass
from ..ir import (
    I1,
    TOKEN,
    VOID,
    Aggregate,
    ConstantExpression,
    IntType,
    Local,
    MetadataValue,
    Operand,
    Splat,
    Type,
    VectorType,
    named_globals,
    type_text,
)
from ..ir import instructions as ir
from ..ir.calls import callee_name
from ..ir.cfg import Cfg, Dominators, Point, build_cfg, dominators
from ..ir.instructions import Argument, Bundle, CallSite, Instruction, Words, successors
from ..ir.module import Block, Function, Module, Parameter
from ..source import NOWHERE, Source, Span
from .assemble import Assembler
from .llvm import NotLLVM, Unsupported, refuse_unreadable
from .names import PREFIX, TERMINATORS, has_value

# ----------------------------------------------------------------------------------------------------------
# What is known of intrinsics without LLVM: the attributes of its table, as they were when it was asked.
#
# ``intrinsics.txt`` is generated (``make intrinsics``): llvmlite was asked for the attributes of every
# intrinsic, and a test holds the table equal to what it says. A line is a set of attribute words, and the
# names that have it, in order, each with the length of what it begins with as its predecessor does.
# ----------------------------------------------------------------------------------------------------------

TABLE = Path(__file__).with_name("intrinsics.txt")
_WORD = re.compile(r"[^\s()]+(?:\([^()]*\))?")


def table_text(attributes: Mapping[str, frozenset[str]]) -> str:
    """The text of a table."""
    sets: dict[str, list[str]] = {}
    for name in sorted(attributes):
        sets.setdefault(" ".join(sorted(attributes[name])), []).append(name)
    lines = []
    for words in sorted(sets):
        before = ""
        parts = []
        for name in sets[words]:
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, name, strict=False)))
            bar = "|" if name[same : same + 1].isdigit() else ""
            parts.append(f"{same}{bar}{name[same:]}")
            before = name
        lines.append(f"{words}: {' '.join(parts)}\n")
    return "".join(lines)


@cache
def table() -> Mapping[str, frozenset[str]]:
    """The attribute words of each intrinsic, by its name without suffixes of types."""
    sets: dict[str, frozenset[str]] = {}
    for line in TABLE.read_text("utf-8").splitlines():
        words, _, names = line.rpartition(": ")
        known = frozenset(_WORD.findall(words))
        before = ""
        for part in names.split():
            digits = len(part) - len(part.lstrip("0123456789"))
            before = before[: int(part[:digits])] + part[digits:].removeprefix("|")
            sets[before] = known
    return sets


def longest(name: str, known: Container[str]) -> str | None:
    """The intrinsic that a name with suffixes of types is about: the longest known one that begins it."""
    while name not in known:
        name, dot, _ = name.rpartition(".")
        if not dot:
            return None
    return name


def attributes(name: str) -> frozenset[str]:
    """The attribute words of an intrinsic as a text names it; none for a name that is no intrinsic."""
    base = longest(name, table())
    return frozenset() if base is None else table()[base]


# ----------------------------------------------------------------------------------------------------------
# What LLVM's reader and verifier say of a module besides its grammar, as far as a run rests on it.
#
# It is asked where LLVM is not: names that nothing defines, definitions that come too late, blocks without
# an end, phis that do not fit their block's predecessors, types that do not fit. It is no second verifier of
# LLVM IR: a module without a fault here may still be one that LLVM refuses.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fault:
    """What does not fit together, and where: ``NOWHERE`` for what has no place in the text."""

    message: str
    span: Span = NOWHERE


def faults(module: Module) -> Iterator[Fault]:
    """The faults of a module: of its layout, its variables, and its definitions in text order; of a function,
    those of its structure first."""
    yield from _layout(module)
    for name, variable in module.globals.items():
        if variable.initializer is not None and any(
            isinstance(o, Local) for o in _inner(variable.initializer)
        ):
            yield Fault(f"the initial value of '@{name}' is no constant", _spelled(module, f"@{name}"))
    for words in (*module.groups.values(), *(f.attributes for f in module.functions.values())):
        yield from _effects(module, words)
    for function in module.definitions():
        structure = list(_structure(function))
        yield from structure
        if not structure:
            yield from _values(module, function)


_SPECIFICATION = re.compile(r"[eE]|m:[a-z]|[a-zA-Z]{1,3}\d*(?:\([^()]*\))?(?::\d+)*")


def _layout(module: Module) -> Iterator[Fault]:
    """LangRef, *Data Layout*: letters, and numbers between colons."""
    for item in filter(None, (module.datalayout or "").split("-")):
        if not _SPECIFICATION.fullmatch(item):
            yield Fault(f"'{item}' is no specification of a data layout", _spelled(module, item))


_EFFECTS = re.compile(
    r"memory\((?:\w+: )?(?:none|read|write|readwrite)(?:, \w+: (?:none|read|write|readwrite))*\)"
)


def _effects(module: Module, words: Words) -> Iterator[Fault]:
    """LangRef, *Function Attributes*, ``memory``: what is done by default, and at each kind of place."""
    for word in words:
        if word.startswith("memory(") and not _EFFECTS.fullmatch(word):
            yield Fault(f"'{word}' says no effects on memory", _spelled(module, word))


def _spelled(module: Module, words: str) -> Span:
    """Where words stand first."""
    at = module.source.text.find(words)
    return NOWHERE if at < 0 else Span(at, at + len(words))


def _inner(operand: Operand) -> Iterator[Operand]:
    """A constant and what it is made of."""
    yield operand
    match operand:
        case Aggregate(elements=parts) | ConstantExpression(operands=parts):
            for part in parts:
                yield from _inner(part)
        case Splat(element=element):
            yield from _inner(element)
        case _:
            return


# -- blocks


def _structure(function: Function) -> Iterator[Fault]:
    names: set[str] = set()
    for block in function.blocks:
        if block.name in names:
            yield Fault(f"multiple definition of the label '{block.name}' in @{function.name}", block.span)
        names.add(block.name)
    for place, block in enumerate(function.blocks):
        if not block.instructions or block.instructions[-1].__class__ not in TERMINATORS:
            yield Fault(f"block %{block.name} of @{function.name} has no terminator", _at(block))
        yield from _phis(block, place)
        for instruction in block.instructions:
            for name in successors(instruction):
                if name not in names:
                    yield Fault(f"use of undefined label '%{name}' in @{function.name}", instruction.span)
                elif name == function.blocks[0].name:
                    yield Fault("the entry block must not have predecessors", instruction.span)


def _phis(block: Block, place: int) -> Iterator[Fault]:
    after = False
    for instruction in block.instructions:
        if not isinstance(instruction, ir.Phi):
            after = after or not isinstance(instruction, ir.DebugRecord)
        elif place == 0:
            yield Fault("phi in the entry block", instruction.span)
        elif after:
            yield Fault("a phi stands behind another instruction of its block", instruction.span)


def _at(block: Block) -> Span:
    return block.instructions[-1].span if block.instructions else block.span


# -- values


def _values(module: Module, function: Function) -> Iterator[Fault]:
    known: dict[str, Type | None] = {p.name: p.type for p in function.parameters}
    where: dict[str, Point] = {}
    for number, block in enumerate(function.blocks):
        for position, instruction in enumerate(block.instructions):
            name = instruction.result
            if name is None:
                continue
            if name in known:
                yield Fault(f"multiple definition of local value named '{name}'", instruction.span)
            if not has_value(instruction):
                yield Fault("an instruction that returns nothing cannot have a name", instruction.span)
            known[name] = _type(instruction)
            where[name] = Point(number, position)
    cfg = build_cfg(function)
    tree = dominators(cfg)
    for number, block in enumerate(function.blocks):
        predecessors = sorted(cfg.names[p] for p in cfg.predecessors[number])
        for position, instruction in enumerate(block.instructions):
            if isinstance(instruction, ir.Phi):
                incoming = sorted({name for _, name in instruction.incoming})
                if incoming != predecessors:
                    names = ", ".join(f"%{name}" for name in predecessors) or "none"
                    yield Fault(
                        f"the phi does not have the predecessors of its block: {names}", instruction.span
                    )
                    continue
            yield from _uses(module, instruction, Point(number, position), known, where, cfg, tree)
            yield from _misfits(function, instruction)


def _uses(
    module: Module,
    instruction: Instruction,
    point: Point,
    known: Mapping[str, Type | None],
    where: Mapping[str, Point],
    cfg: Cfg,
    tree: Dominators,
) -> Iterator[Fault]:
    """What an instruction uses, and whether it is there. Where tokens are is for the static rules (S-DOM)."""
    for operand, used_at in _operands(instruction, point, cfg):
        if not isinstance(operand, Local):
            for name in named_globals(operand):
                if not (name in module.functions or name in module.globals or name in module.aliases):
                    yield Fault(f"use of undefined value '@{name}'", instruction.span)
            continue
        if operand.name not in known:
            yield Fault(f"use of undefined value '%{operand.name}'", instruction.span)
            continue
        type = known[operand.name]
        if type is not None and type != operand.type:
            message = f"'%{operand.name}' defined with type '{type_text(type)}' but expected"
            yield Fault(f"{message} '{type_text(operand.type)}'", instruction.span)
            continue
        definition = where.get(operand.name)
        if definition is not None and type != TOKEN and not tree.defined_before(definition, used_at):
            yield Fault(f"'%{operand.name}' is not defined on every way to its use", instruction.span)


def _operands(instruction: Instruction, point: Point, cfg: Cfg) -> Iterator[tuple[Operand, Point]]:
    """The operands of an instruction, each with the point at which it must be there: of a phi, the end of
    the block that it comes from."""
    if isinstance(instruction, ir.Phi):
        for value, name in instruction.incoming:
            block = cfg.index[name]
            yield value, Point(block, cfg.lengths[block])
        return
    if isinstance(instruction, ir.DebugRecord):  # it may name what is gone
        return
    for field in fields(instruction):
        if field.name not in ("attachments", "span", "result"):
            for value in _flat(getattr(instruction, field.name)):
                yield value, point


def _flat(value: object) -> Iterator[Operand]:
    match value:
        case Argument(inner):
            yield from _flat(inner)
        case Bundle(inputs=inputs):
            yield from _flat(inputs)
        case MetadataValue(inner):
            yield from _flat(inner)
        case tuple():
            for part in value:
                yield from _flat(part)
        case Local():
            yield value
        case _ if isinstance(value, Operand):
            yield value
        case _:
            return


# -- types


def _type(instruction: Instruction) -> Type | None:
    """The type of an instruction's result; ``None`` where it is not worked out here."""
    match instruction:
        case ir.FNeg() | ir.Freeze():
            return instruction.value.type
        case ir.Binary():
            return instruction.lhs.type
        case ir.ICmp() | ir.FCmp():
            type = instruction.lhs.type
            return VectorType(type.count, I1, type.scalable) if isinstance(type, VectorType) else I1
        case ir.Conversion():
            return instruction.to
        case ir.Select():
            return instruction.then.type
        case ir.Load() | ir.Phi():
            return instruction.type
        case ir.AtomicRMW():
            return instruction.value.type
        case CallSite():
            return instruction.type.result
        case _:
            return None


def _misfits(function: Function, instruction: Instruction) -> Iterator[Fault]:
    """Types that an instruction demands of its operands."""
    match instruction:
        case ir.Ret(value=None) if function.type.result != VOID:
            message = (
                f"@{function.name} returns '{type_text(function.type.result)}', and this returns nothing"
            )
            yield Fault(message, instruction.span)
        case ir.Ret(value=value) if value is not None and value.type != function.type.result:
            message = f"@{function.name} returns '{type_text(function.type.result)}'"
            yield Fault(f"{message}, not '{type_text(value.type)}'", instruction.span)
        case ir.CondBr(condition=condition) if condition.type != I1:
            yield Fault("branch condition must have 'i1' type", instruction.span)
        case ir.Switch(value=value) if not isinstance(value.type, IntType):
            yield Fault("switch condition must have integer type", instruction.span)
        case _:
            return


_STRAY = re.compile(r"\s*(\S+)")


def read(source: Source) -> Module:
    """The module that a text spells, with all its bodies read.

    :raises NotLLVM: with the place, if our own reader cannot read it, or something does not fit together
    """
    refuse_unreadable(source.text)
    try:
        module = Assembler(source).module({})
        _look_at_all(module)
    except Unsupported as error:
        raise _refusal(error, source) from None
    module = replace(
        module,
        functions={**module.functions, **{f.name: f for f in _undeclared(module)}},
        without_llvm=True,
    )
    module = replace(
        module,
        intrinsics={name: attributes(name) for name in module.functions if name.startswith(PREFIX)},
    )
    for fault in faults(module):
        line, column = source.position(fault.span.start) if fault.span.start >= 0 else (None, None)
        raise NotLLVM(fault.message, line, column, fault.span if fault.span.start >= 0 else None)
    return module


def _look_at_all(module: Module) -> None:
    """Read what is read at the first look."""
    for function in module.functions.values():
        if function.body is not None:
            _ = function.blocks
    for mapping in (module.globals, module.aliases, module.metadata, module.named_metadata):
        for name in mapping:
            _ = mapping[name]


def _refusal(error: Unsupported, source: Source) -> NotLLVM:
    span = None
    if error.offset is not None:
        stray = _STRAY.match(source.text, error.offset)
        span = Span(error.offset, error.offset + 1) if stray is None else Span(*stray.span(1))
    return NotLLVM(error.message, error.line, error.column, span)


def _undeclared(module: Module) -> Iterator[Function]:
    """Declarations of the intrinsics that calls use without one: LLVM adds them, too."""
    added: set[str] = set()
    for function in module.definitions():
        for instruction in function.instructions:
            if not isinstance(instruction, CallSite):
                continue
            name = callee_name(instruction)
            if name is None or not name.startswith(PREFIX) or name in module.functions or name in added:
                continue
            added.add(name)
            parameters = tuple(Parameter(p, str(i)) for i, p in enumerate(instruction.type.parameters))
            yield Function(name, instruction.type, parameters, implicit=True)
