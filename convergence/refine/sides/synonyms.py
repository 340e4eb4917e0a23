"""Operations of targets that LLVM has two names for, one where less of the operands counts.

Nobody models them, so that their results are values of name and operands: a pass that takes the shorter name,
as AMDGPU's ``instcombine`` does, would have made another operation. Both sides get the shorter one, where the
operands allow it (``llvm/lib/Target/AMDGPU/AMDGPUInstCombineIntrinsic.cpp``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...ir.calls import callee_name
from ...ir.instructions import Argument, CallSite, Instruction, ShuffleVector
from ...ir.module import Module
from ...ir.operands import Aggregate, Global, Int, Local, Operand, Simple
from ...ir.types import IntType, VectorType
from ...transform.rewrite import with_blocks

I32 = IntType(32)
_TENSOR = re.compile(r"llvm\.amdgcn\.tensor\.(?:load\.to|store\.from)\.lds")
_MATRIX = re.compile(r"llvm\.amdgcn\.(?P<kind>mfma|wmma)\.(?:scale(?:16)?\.)?f32\.[\dx]+\.f8f6f4\b.*")
_QUARTERS = {0: 4, 1: 4, 2: 3, 3: 3, 4: 2}
"""By the number of a format of 8, 6 or 4 bits, how many quarters of the widest vector hold such numbers."""


@dataclass(frozen=True, slots=True)
class _Shorter:
    """A call by its shorter name: which of its operands stay, and to how many elements vectors are cut."""

    name: str
    operands: tuple[int, ...]
    cut: Mapping[int, int]


def has_synonyms(module: Module) -> bool:
    """Whether a module may call an operation of two names."""
    return any(_TENSOR.match(name) or _MATRIX.fullmatch(name) for name in module.functions)


def with_shorter_names(module: Module) -> Module:
    """The module, in which each such operation has the shorter name where it can."""
    functions = dict(module.functions)
    intrinsics = dict(module.intrinsics)
    for name, function in module.functions.items():
        if function.body is None:
            continue
        blocks = []
        for block in function.blocks:
            instructions: list[Instruction] = []
            for instruction in block.instructions:
                shorter = _shorter(instruction)
                if shorter is None or not isinstance(instruction, CallSite):
                    instructions.append(instruction)
                    continue
                before, call = _renamed(instruction, shorter, len(instructions), block.name)
                instructions += [*before, call]
                old = callee_name(instruction) or ""
                if shorter.name not in functions:
                    functions[shorter.name] = replace(functions[old], name=shorter.name, type=call.type)
                intrinsics.setdefault(shorter.name, intrinsics.get(old, frozenset()))
            blocks.append(replace(block, instructions=tuple(instructions)))
        if tuple(blocks) != function.blocks:
            functions[name] = with_blocks(function, blocks)
    return replace(module, functions=functions, intrinsics=intrinsics)


def _shorter(instruction: Instruction) -> _Shorter | None:
    name = callee_name(instruction) if isinstance(instruction, CallSite) else None
    if name is None or not isinstance(instruction, CallSite):
        return None
    values = [argument.value for argument in instruction.arguments]
    if _TENSOR.fullmatch(name) and len(values) == 5 and all(map(_is_nothing, values[2:4])):
        return _Shorter(f"{name}.d2", (0, 1, 4), {})
    if (matrix := _MATRIX.fullmatch(name)) is None:
        return None
    # mfma has A, B, C and then the formats of A and B; wmma each format before its vector
    places = ((0, 3), (1, 4)) if matrix["kind"] == "mfma" else ((1, 0), (3, 2))
    widest = 8 if matrix["kind"] == "mfma" else 16
    cut: dict[int, int] = {}
    for vector, form in places:
        type_, number = (
            values[vector].type if len(values) > max(vector, form) else None,
            _number(values, form),
        )
        if not isinstance(type_, VectorType) or number not in _QUARTERS:
            return None
        wanted = widest * _QUARTERS[number] // 4
        if type_.count > wanted:
            cut[vector] = wanted
    if not cut:
        return None
    head, *suffixes = re.split(r"(?=\.v\d+i32\b)", name)
    if len(suffixes) != 2:
        return None
    for place, (vector, _) in enumerate(places):
        if vector in cut:
            suffixes[place] = f".v{cut[vector]}i32"
    return _Shorter(head + "".join(suffixes), tuple(range(len(values))), cut)


def _renamed(call: CallSite, shorter: _Shorter, place: int, block: str) -> tuple[list[Instruction], CallSite]:
    """What cuts its vectors, and the call."""
    before: list[Instruction] = []
    arguments: list[Argument] = []
    for at in shorter.operands:
        argument = call.arguments[at]
        if (count := shorter.cut.get(at)) is not None:
            mask = VectorType(count, I32)
            parts = Aggregate(mask, tuple(Int(I32, n) for n in range(count)))
            type_ = argument.value.type
            name = f"cut.{block}.{place}.{at}"
            before.append(
                ShuffleVector(argument.value, Simple(type_, "poison"), parts, result=name, span=call.span)
            )
            argument = replace(argument, value=Local(mask, name))
        arguments.append(argument)
    types = tuple(argument.value.type for argument in arguments)
    renamed = replace(
        call,
        callee=Global(shorter.name),
        arguments=tuple(arguments),
        type=replace(call.type, parameters=types),
    )
    return before, renamed


def _is_nothing(value: Operand) -> bool:
    return isinstance(value, Simple) and value.kind in ("zeroinitializer", "poison", "undef")


def _number(values: list[Operand], place: int) -> int | None:
    value = values[place]
    return value.value if isinstance(value, Int) else None
