"""Branches that the program says do not diverge: ``!llvm.branch`` non_divergent, a claim per wave.

After *Non-divergent branches*. Both spellings count: the proposal's own, a node that holds itself and the
node with the string, and the flat one.
A claim is *proved* by a conservative static uniformity: the condition is made, by instructions without
memory, of constants and of arguments that have one value for all threads of the launch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...frozen import dataclass
from ...ir import instructions as ir
from ...ir.instructions import Instruction
from ...ir.module import Function, Module
from ...ir.operands import Local, Metadata, MetadataReference, MetadataString, MetadataTuple, Operand
from ...ir.types import Type
from ...semantics.instructions import operands
from ...semantics.machine.launch import Launch
from ...semantics.machine.log import Issued
from ...semantics.machine.program import Program
from ...semantics.threads.state import Code, Thread
from ...semantics.values.display import Json, plain
from .policy import Mask

KIND = "llvm.branch"
NON_DIVERGENT = b"llvm.branch.non_divergent"


@dataclass(frozen=True, slots=True)
class Parted:
    """A branch, issued as ``step``, sent lanes to several blocks; ``values`` of its condition by lane, if
    it was claimed not to."""

    step: Issued
    targets: Mapping[int, Mask]
    values: Mapping[int, Json]


@dataclass(frozen=True, slots=True)
class Claim:
    """A branch at the end of ``block`` that is claimed not to diverge; ``broken``: where it first did."""

    function: str
    block: str
    proved: bool
    broken: Parted | None


class ClaimCondition(NamedTuple):
    """The register that holds what a claimed branch decides by."""

    slot: int
    type: Type


class ClaimedBranches:
    """The claimed branches of a program, by function and instruction index."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[str, dict[int, ClaimCondition]] = {}

    def at(self, code: Code, index: int) -> ClaimCondition | None:
        """The condition of the branch at ``index``, if the program claims that it does not diverge."""
        known = self._known.get(code.name)
        if known is None:
            known = self._known[code.name] = {}
            for at, instruction in enumerate(code.instructions):
                wanted = operands(instruction)
                if instruction.attachments and wanted and isinstance(wanted[0], Local):
                    if claimed(self._program.module, instruction):
                        known[at] = ClaimCondition(code.slots[wanted[0].name], wanted[0].type)
        return known.get(index)

    def values(self, condition: ClaimCondition, threads: Sequence[Thread]) -> dict[int, Json]:
        """What the condition is in each lane, as plain data."""
        values_by_lane: dict[int, Json] = {}
        for thread in threads:
            assert thread.frame is not None
            value = thread.frame.registers[condition.slot]
            values_by_lane[thread.lane] = plain(value, condition.type, self._program.layout)
        return values_by_lane


def claims(module: Module, launch: Launch, parted: Sequence[Parted]) -> tuple[Claim, ...]:
    """Every claim of the module, in text order, against the branches that parted lanes."""
    first: dict[tuple[str, int], Parted] = {}
    for divergence in parted:
        first.setdefault((divergence.step.function, divergence.step.block), divergence)
    return tuple(
        Claim(function.name, block.name, _proved(function, block.terminator, launch),
              first.get((function.name, number)))
        for function in module.definitions()
        for number, block in enumerate(function.blocks)
        if claimed(module, block.terminator)
    )  # fmt: skip


def claimed(module: Module, terminator: Instruction) -> bool:
    """Whether the branch is claimed not to diverge."""
    return any(kind == KIND and _says_so(module, node) for kind, node in terminator.attachments)


def _says_so(module: Module, root: Metadata) -> bool:
    """Whether a node holds the string, itself or by nodes that it refers to; a node may hold itself."""
    names: set[str] = set()
    work: list[Metadata | None] = [root]
    while work:
        match work.pop():
            case MetadataString(data):
                if data == NON_DIVERGENT:
                    return True
            case MetadataTuple(elements):
                work.extend(elements)
            case MetadataReference(name) if name not in names and name in module.metadata:
                names.add(name)
                work.append(module.metadata[name].value)
            case _:
                pass
    return False


_PURE = (
    ir.FNeg, ir.Binary, ir.ICmp, ir.FCmp, ir.Conversion, ir.Select, ir.ExtractElement, ir.InsertElement,
    ir.ShuffleVector, ir.ExtractValue, ir.InsertValue, ir.GetElementPtr,
)  # fmt: skip


def _proved(function: Function, terminator: Instruction, launch: Launch) -> bool:
    uniform = _uniform_arguments(function, launch)
    by_name = {i.result: i for i in function.instructions if i.result is not None}
    work: list[Operand] = list(operands(terminator))
    names: set[str] = set()
    while work:
        operand = work.pop()
        if not isinstance(operand, Local) or operand.name in names | uniform:
            continue
        names.add(operand.name)
        definition = by_name.get(operand.name)
        if not isinstance(definition, _PURE):
            return False
        work.extend(operands(definition))
    return True


def _uniform_arguments(function: Function, launch: Launch) -> set[str]:
    """The parameters of the launched function that have one value for all threads."""
    if function.name != launch.function or not launch.arguments:
        return set()
    columns = zip(*launch.arguments, strict=True)
    return {
        parameter.name
        for parameter, column in zip(function.parameters, columns, strict=True)
        if all(value == column[0] for value in column)
    }
