"""A tiny language of token programs, of the tests' own, and its spelling as LLVM IR.

The dynamic oracle runs these programs; convcheck runs their text. The two share nothing else:
no parser, no IR class, no instruction function. Values are 32-bit integers, comparisons give
conditions; there is no memory. What a program means is in :mod:`tests.oracles.dynamic`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import llvmlite.binding as llvm

Value = int | str
"""A constant, or the name of a parameter or of an instruction's result."""


# -- instructions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Phi:
    result: str
    incoming: tuple[tuple[str, Value], ...]  # (predecessor, value)


@dataclass(frozen=True, slots=True)
class Entry:
    result: str


@dataclass(frozen=True, slots=True)
class Loop:
    result: str
    token: str


@dataclass(frozen=True, slots=True)
class Anchor:
    result: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call of a declared convergent function that combines its group's operands."""

    result: str
    callee: str
    operand: Value
    token: str | None


@dataclass(frozen=True, slots=True)
class Effect:
    """A call of a declared convergent function without a result, but with effects: an event."""

    callee: str
    operand: Value
    token: str | None


@dataclass(frozen=True, slots=True)
class Invocation:
    """A call of a defined function."""

    result: str
    callee: str
    operands: tuple[Value, ...]
    token: str | None


@dataclass(frozen=True, slots=True)
class Compute:
    """``add sub mul and or xor lshr`` on integers, or a comparison ``eq ne ult ugt slt sgt``."""

    result: str
    opcode: str
    lhs: Value
    rhs: Value


@dataclass(frozen=True, slots=True)
class Goto:
    target: str


@dataclass(frozen=True, slots=True)
class Branch:
    condition: str
    then: str
    otherwise: str


@dataclass(frozen=True, slots=True)
class Return:
    value: Value


Convergent = Entry | Loop | Anchor | Exchange | Effect | Invocation
Instruction = Phi | Convergent | Compute
Terminator = Goto | Branch | Return

COMPARISONS = frozenset({"eq", "ne", "ult", "ugt", "slt", "sgt"})
EXCHANGES = ("subgroupAdd", "subgroupOr", "subgroupXor", "subgroupAnd")
EFFECTS = ("event", "signal")


# -- programs ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Block:
    name: str
    body: tuple[Instruction, ...]
    end: Terminator

    @property
    def successors(self) -> tuple[str, ...]:
        match self.end:
            case Goto(target):
                return (target,)
            case Branch(_, then, otherwise):
                return (then, otherwise)
            case Return():
                return ()


@dataclass(frozen=True)
class Function:
    """``parameters`` are integers; so is what it returns. The first block is the entry block."""

    name: str
    parameters: tuple[str, ...]
    blocks: tuple[Block, ...]
    convergent: bool

    @cached_property
    def block(self) -> dict[str, Block]:
        return {b.name: b for b in self.blocks}

    @cached_property
    def first_index(self) -> dict[str, int]:
        """The number of each block's first instruction, counting all instructions in text order."""
        indices, at = {}, 0
        for block in self.blocks:
            indices[block.name] = at
            at += len(block.body) + 1
        return indices

    def instructions(self) -> Iterator[Instruction | Terminator]:
        for block in self.blocks:
            yield from block.body
            yield block.end

    @cached_property
    def is_controlled(self) -> bool:
        return any(
            isinstance(i, Entry | Loop | Anchor) or getattr(i, "token", None) is not None
            for i in self.instructions()
        )


@dataclass(frozen=True)
class Program:
    """The first function is the launched one."""

    functions: tuple[Function, ...]

    @cached_property
    def function(self) -> dict[str, Function]:
        return {f.name: f for f in self.functions}

    @property
    def launched(self) -> Function:
        return self.functions[0]

    def __str__(self) -> str:
        return emit(self)

    def is_convergent(self, instruction: Instruction | Terminator) -> bool:
        """Convergent operation or control intrinsic."""
        match instruction:
            case Entry() | Loop() | Anchor() | Exchange() | Effect():
                return True
            case Invocation(_, callee, _, token):
                return token is not None or self.function[callee].convergent
            case _:
                return False

    @cached_property
    def has_free_choices(self) -> bool:
        """Whether it has an anchor or an uncontrolled convergent operation at all."""
        return any(
            isinstance(i, Anchor)
            or (self.is_convergent(i) and not isinstance(i, Entry | Loop) and i.token is None)  # type: ignore[union-attr]
            for f in self.functions
            for i in f.instructions()
        )


# -- the text ---------------------------------------------------------------------------------------

_DECLARATIONS = "\n".join(
    [
        "declare token @llvm.experimental.convergence.entry()",
        "declare token @llvm.experimental.convergence.loop()",
        "declare token @llvm.experimental.convergence.anchor()",
        *(f"declare i32 @{e}(i32) convergent nounwind willreturn memory(none)" for e in EXCHANGES),
        *(f"declare void @{e}(i32) convergent nounwind willreturn" for e in EFFECTS),
    ]
)


def _value(value: Value) -> str:
    return f"%{value}" if isinstance(value, str) else str(value)


def _bundle(token: str | None) -> str:
    return "" if token is None else f' [ "convergencectrl"(token %{token}) ]'


def spell(instruction: Instruction | Terminator) -> str:
    """An instruction as LLVM IR."""
    control = "call token @llvm.experimental.convergence"
    match instruction:
        case Phi(result, incoming):
            pairs = ", ".join(f"[ {_value(v)}, %{p} ]" for p, v in incoming)
            return f"%{result} = phi i32 {pairs}"
        case Entry(result):
            return f"%{result} = {control}.entry()"
        case Loop(result, token):
            return f"%{result} = {control}.loop(){_bundle(token)}"
        case Anchor(result):
            return f"%{result} = {control}.anchor()"
        case Exchange(result, callee, operand, control_token):
            return f"%{result} = call i32 @{callee}(i32 {_value(operand)}){_bundle(control_token)}"
        case Effect(callee, operand, control_token):
            return f"call void @{callee}(i32 {_value(operand)}){_bundle(control_token)}"
        case Invocation(result, callee, operands, control_token):
            passed = ", ".join(f"i32 {_value(o)}" for o in operands)
            return f"%{result} = call i32 @{callee}({passed}){_bundle(control_token)}"
        case Compute(result, opcode, lhs, rhs):
            word = f"icmp {opcode}" if opcode in COMPARISONS else opcode
            return f"%{result} = {word} i32 {_value(lhs)}, {_value(rhs)}"
        case Goto(target):
            return f"br label %{target}"
        case Branch(condition, then, otherwise):
            return f"br i1 %{condition}, label %{then}, label %{otherwise}"
        case Return(value):
            return f"ret i32 {_value(value)}"


def emit(program: Program) -> str:
    """The program as LLVM IR."""
    lines: list[str] = []
    for function in program.functions:
        parameters = ", ".join(f"i32 %{p}" for p in function.parameters)
        attribute = "convergent " if function.convergent else ""
        lines.append(f"define i32 @{function.name}({parameters}) {attribute}{{")
        for block in function.blocks:
            lines.append(f"{block.name}:")
            lines += [f"  {spell(i)}" for i in (*block.body, block.end)]
        lines += ["}", ""]
    return "\n".join(lines) + _DECLARATIONS + "\n"


def check_with_llvm(program: Program) -> None:
    """LLVM's own parser and verifier accept the text, else ``RuntimeError``."""
    with llvm.parse_assembly(emit(program)) as module:
        module.verify()
