"""A module: what its instructions declare, and its functions as blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from ..frozen import dataclass
from .constants import (
    Array,
    Bool,
    Image,
    Matrix,
    MatrixLayout,
    Opaque,
    SPIRVFloat,
    SPIRVFunctionType,
    SPIRVInt,
    SPIRVPointer,
    Struct,
    Type,
    Vector,
    Void,
)
from .instruction import NotCovered, NotSPIRV, Operand, SPIRVInstruction

Decorations = Mapping[str, tuple[Operand, ...]]
_NOTHING: Decorations = {}
TERMINATORS = frozenset(
    (
        "OpBranch", "OpBranchConditional", "OpSwitch", "OpReturn", "OpReturnValue", "OpUnreachable", "OpKill",
        "OpTerminateInvocation", "OpIgnoreIntersectionKHR", "OpTerminateRayKHR", "OpEmitMeshTasksEXT",
        "OpAbortKHR",
    )
)  # fmt: skip

BRANCHES = {
    "OpSelectionMerge": ("OpBranchConditional", "OpSwitch"),
    "OpLoopMerge": ("OpBranch", "OpBranchConditional"),
}
"""The branches that a merge instruction may stand before."""


@dataclass(frozen=True, slots=True)
class SPIRVBlock:
    """``instructions`` are all between the label and the terminator; ``merge`` is the OpLoopMerge or
    OpSelectionMerge, of several the last. ``misplaced`` are those that do not stand before the branch."""

    label: str
    at: SPIRVInstruction
    instructions: tuple[SPIRVInstruction, ...]
    merge: SPIRVInstruction | None
    terminator: SPIRVInstruction
    misplaced: tuple[SPIRVInstruction, ...] = ()

    @property
    def successors(self) -> tuple[str, ...]:
        """The labels that it may branch to, each once, in order."""
        t = self.terminator
        match t.op:
            case "OpBranch":
                return (t.id(0),)
            case "OpBranchConditional":
                return tuple(dict.fromkeys((t.id(1), t.id(2))))
            case "OpSwitch":
                return tuple(dict.fromkeys((t.id(1), *(t.id(n) for n in range(3, len(t.operands), 2)))))
            case _:
                return ()


@dataclass(frozen=True, slots=True)
class SPIRVFunction:
    """A function: its ``result`` and ``parameters`` with their types; no blocks where it is imported."""

    id: str
    at: SPIRVInstruction
    type: SPIRVFunctionType
    parameters: tuple[tuple[str, Type], ...]
    blocks: tuple[SPIRVBlock, ...]


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A function that may be launched, its ``model`` and ``name``, and its execution modes."""

    model: str
    function: str
    name: str
    at: SPIRVInstruction
    modes: tuple[tuple[Operand, ...], ...] = ()

    def mode(self, name: str) -> tuple[Operand, ...] | None:
        """The operands of an execution mode, if the entry point has it."""
        return next((m[1:] for m in self.modes if m[0] == name), None)


@dataclass(frozen=True, slots=True)
class SPIRVModule:
    """``types``, ``constants``, ``variables`` and ``values`` by id; ``values`` are the instructions of all
    results."""

    instructions: tuple[SPIRVInstruction, ...]
    capabilities: frozenset[str]
    memory_model: tuple[str, str]
    names: Mapping[str, str] = field(default_factory=dict)
    member_names: Mapping[tuple[str, int], str] = field(default_factory=dict)
    decorations: Mapping[str, Decorations] = field(default_factory=dict)
    member_decorations: Mapping[tuple[str, int], Decorations] = field(default_factory=dict)
    entry_points: tuple[EntryPoint, ...] = ()
    sets: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, Type] = field(default_factory=dict)
    constants: tuple[SPIRVInstruction, ...] = ()
    variables: tuple[SPIRVInstruction, ...] = ()
    functions: tuple[SPIRVFunction, ...] = ()
    types_of: Mapping[str, str] = field(default_factory=dict)

    def decoration(self, id_: str, name: str) -> tuple[Operand, ...] | None:
        """The operands of a decoration of an id, if it has it."""
        return self.decorations.get(id_, _NOTHING).get(name)

    def name(self, id_: str) -> str:
        """What an id is called: its OpName, or the id without the sigil, with ``_`` before digits."""
        known = self.names.get(id_)
        if known:
            return known
        return f"_{id_[1:]}" if id_[1:2].isdecimal() else id_[1:]

    def block(self, pointer: SPIRVPointer) -> Struct | None:
        """The structure that a pointer points to, or to an array of which it points."""
        type_ = self.types.get(pointer.pointee)
        while isinstance(type_, Array):
            type_ = type_.element
        return type_ if isinstance(type_, Struct) else None

    def is_storage(self, pointer: SPIRVPointer) -> bool:
        """Whether a pointer points to a storage buffer; before SPIR-V 1.3 these were BufferBlocks of the
        storage class Uniform."""
        block = self.block(pointer)
        old = block is not None and self.decoration(block.id, "BufferBlock") is not None
        return pointer.storage == "StorageBuffer" or (pointer.storage == "Uniform" and old)

    def is_read_only(self, id_: str, pointer: SPIRVPointer) -> bool:
        """Whether a buffer says that no thread writes to it: it, or each member of its block, is
        NonWritable."""
        if self.decoration(id_, "NonWritable") is not None:
            return True
        block = self.block(pointer)
        if block is None or not block.members:
            return False
        known = self.member_decorations
        return all("NonWritable" in known.get((block.id, n), _NOTHING) for n in range(len(block.members)))

    @property
    def asks_for_maximal(self) -> bool:
        """Whether an entry point has the execution mode MaximallyReconvergesKHR."""
        return any(entry.mode("MaximallyReconvergesKHR") is not None for entry in self.entry_points)

    @property
    def is_kernel(self) -> bool:
        """Whether it is for OpenCL's environment rather than a graphics API's."""
        return "Shader" not in self.capabilities


NOT_YET = ""
"""What a pointer points to until its OpTypePointer comes: structures that point to each other name it."""
WIDEST_VECTOR = 4096
"""Components of a vector; SPIR-V has up to 16 without an extension."""
_DECLARING = ("OpType", "OpConstant", "OpSpecConstant")
_DEBUG = frozenset(
    (
        "OpSource", "OpSourceContinued", "OpSourceExtension", "OpString", "OpExtension", "OpModuleProcessed",
        "OpLine", "OpNoLine", "OpNop", "OpDecorationGroup",
    )
)  # fmt: skip


class _Builder:
    """A module in the making."""

    def __init__(self) -> None:
        self.capabilities: set[str] = set()
        self.memory_model = ("Logical", "GLSL450")
        self.names: dict[str, str] = {}
        self.member_names: dict[tuple[str, int], str] = {}
        self.decorations: dict[str, dict[str, tuple[Operand, ...]]] = {}
        self.member_decorations: dict[tuple[str, int], dict[str, tuple[Operand, ...]]] = {}
        self.entries: list[SPIRVInstruction] = []
        self.modes: dict[str, list[tuple[Operand, ...]]] = {}
        self.sets: dict[str, str] = {}
        self.types: dict[str, Type] = {}
        self.constants: list[SPIRVInstruction] = []
        self.numbers: dict[str, int] = {}
        self.variables: list[SPIRVInstruction] = []
        self.functions: list[SPIRVFunction] = []
        self.types_of: dict[str, str] = {}

    @property
    def _address(self) -> int:
        """The bytes of an address."""
        return 4 if self.memory_model[0] == "Physical32" else 8

    def outside(self, i: SPIRVInstruction) -> None:
        """An instruction outside of functions."""
        match i.op:
            case "OpCapability":
                self.capabilities.add(i.id(0))
            case "OpMemoryModel":
                self.memory_model = (i.id(0), i.id(1))
            case "OpName":
                self.names[i.id(0)] = i.text(1)
            case "OpMemberName":
                self.member_names[i.id(0), i.number(1)] = i.text(2)
            case "OpDecorate" | "OpDecorateId" | "OpDecorateString":
                self.decorations.setdefault(i.id(0), {})[i.id(1)] = i.operands[2:]
            case "OpMemberDecorate" | "OpMemberDecorateString":
                self.member_decorations.setdefault((i.id(0), i.number(1)), {})[i.id(2)] = i.operands[3:]
            case "OpGroupDecorate":
                for target in range(1, len(i.operands)):
                    group = self.decorations.get(i.id(0), {})
                    self.decorations.setdefault(i.id(target), {}).update(group)
            case "OpGroupMemberDecorate":
                group = self.decorations.get(i.id(0), {})
                for at in range(1, len(i.operands), 2):
                    self.member_decorations.setdefault((i.id(at), i.number(at + 1)), {}).update(group)
            case "OpEntryPoint":
                self.entries.append(i)
            case "OpExecutionMode" | "OpExecutionModeId":
                self.modes.setdefault(i.id(0), []).append(i.operands[1:])
            case "OpExtInstImport":
                assert i.result is not None
                self.sets[i.result] = i.text(0)
            case "OpVariable":
                self._result(i)
                if not isinstance(self.types.get(i.type or ""), SPIRVPointer):
                    raise NotSPIRV(f"{i.place}: {i.result} is of type {i.type}, which is no pointer", i.line)
                self.variables.append(i)
            case "OpUndef":
                self._result(i)
                self.constants.append(i)
            case "OpTypeForwardPointer":
                self.types[i.id(0)] = SPIRVPointer(i.id(1), NOT_YET, None, self._address)
            case "OpExtInst" if is_non_semantic(self.sets.get(i.id(0), "")):
                pass
            case op if op.startswith("OpType"):
                self._type(i)
            case op if op.startswith(_DECLARING):
                self._result(i)
                self.constants.append(i)
                if op in ("OpConstant", "OpSpecConstant"):
                    assert i.result is not None
                    self.numbers[i.result] = i.number(0)
            case op if op in _DEBUG:
                pass
            case _:
                raise NotCovered(f"{i.place} outside of functions", i.line)

    def _result(self, i: SPIRVInstruction) -> None:
        if i.result is not None and i.type is not None:
            if i.type not in self.types:
                raise NotSPIRV(f"{i.place}: {i.type} is no type that stands before it", i.line)
            self.types_of[i.result] = i.type

    def _of(self, i: SPIRVInstruction, at: int) -> Type:
        try:
            return self.types[i.id(at)]
        except (KeyError, IndexError):
            raise NotSPIRV(f"{i.place}: {i.operands[at]} is no type that stands before it", i.line) from None

    def _type(self, i: SPIRVInstruction) -> None:
        assert i.result is not None
        self.types[i.result] = self._build_type(i, i.result)

    def _build_type(self, i: SPIRVInstruction, id_: str) -> Type:
        match i.op:
            case "OpTypeVoid":
                return Void()
            case "OpTypeBool":
                return Bool()
            case "OpTypeInt":
                if i.number(0) not in (8, 16, 32, 64):
                    return Opaque(f"OpTypeInt {i.number(0)}")
                return SPIRVInt(i.number(0), bool(i.number(1)))
            case "OpTypeFloat":
                if len(i.operands) > 1 and i.id(1) != "BFloat16KHR":
                    return Opaque(f"OpTypeFloat {i.id(1)}")
                if i.number(0) not in (16, 32, 64):
                    return Opaque(f"OpTypeFloat {i.number(0)}")
                return SPIRVFloat(i.number(0), len(i.operands) > 1)
            case "OpTypeVector":
                element = self._of(i, 0)
                if not isinstance(element, Bool | SPIRVInt | SPIRVFloat | SPIRVPointer):
                    raise NotSPIRV(f"{i.place}: a vector of what is no scalar", i.line)
                if i.number(1) > WIDEST_VECTOR:  # instructions on vectors are written part by part
                    raise NotCovered(f"{i.place}: a vector of {i.number(1)} components", i.line)
                return Vector(element, i.number(1))
            case "OpTypeMatrix":
                column = self._of(i, 0)
                if not isinstance(column, Vector):
                    raise NotSPIRV(f"{i.place}: a matrix of what are no vectors", i.line)
                if i.number(1) > 4:
                    raise NotSPIRV(f"{i.place}: a matrix has up to 4 columns, not {i.number(1)}", i.line)
                return Matrix(column, i.number(1))
            case "OpTypeArray":
                return Array(self._of(i, 0), self._length(i), self._stride(id_))
            case "OpTypeRuntimeArray":
                return Array(self._of(i, 0), None, self._stride(id_))
            case "OpTypeStruct":
                members = tuple(self._of(i, n) for n in range(len(i.operands)))
                places = [self.member_decorations.get((id_, n), {}) for n in range(len(members))]
                starts = tuple(_number(place.get("Offset")) for place in places)
                return Struct(id_, members, starts, tuple(map(_layout, places)))
            case "OpTypePointer":
                return SPIRVPointer(i.id(0), i.id(1), self._stride(id_), self._address)
            case "OpTypeFunction":
                result, *parameters = (self._of(i, n) for n in range(len(i.operands)))
                return SPIRVFunctionType(result, tuple(parameters))
            case "OpTypeImage":
                return self._image(i)
            case "OpTypeSampledImage":
                image = self._of(i, 0)
                return image if isinstance(image, Image) else Opaque(i.op)
            case op:
                return Opaque(op)

    def _image(self, i: SPIRVInstruction) -> Type:
        """An image; one whose texels have several samples, or are reached otherwise, is not modelled."""
        sampled, dim, format_ = self._of(i, 0), i.id(1), i.id(6)
        _, arrayed, multisampled, use = (i.number(n) for n in range(2, 6))
        if not isinstance(sampled, SPIRVInt | SPIRVFloat) or dim not in ("1D", "2D", "3D", "Buffer"):
            return Opaque(i.op)
        if multisampled or use not in (1, 2):
            return Opaque(i.op)
        return Image(sampled, dim, bool(arrayed), format_, use == 2)

    def _stride(self, id_: str) -> int | None:
        return _number(self.decorations.get(id_, {}).get("ArrayStride"))

    def _length(self, i: SPIRVInstruction) -> int:
        from .constants import Constants

        number = self.numbers.get(i.id(1))
        if number is None:
            number = Constants(self.types, self.constants).number(i.id(1))
        if number is None:
            raise NotCovered(f"{i.place}: a length that is no number", i.line)
        return number


def _layout(place: Decorations) -> MatrixLayout | None:
    """What a member's decorations say of the matrices in it."""
    stride = _number(place.get("MatrixStride"))
    return None if stride is None else MatrixLayout(stride, "RowMajor" in place)


def _number(operands: tuple[Operand, ...] | None) -> int | None:
    return operands[0] if operands and isinstance(operands[0], int) else None


def build(instructions: Iterable[SPIRVInstruction]) -> SPIRVModule:
    """The module that instructions spell.

    :raises NotSPIRV: where they are in no order that makes one
    :raises NotCovered: for declarations that are not read
    """
    kept = tuple(instructions)
    _check_results(kept)
    builder = _Builder()
    inside: list[SPIRVInstruction] = []
    for i in kept:
        if i.op == "OpFunction" or inside:
            inside.append(i)
            if i.op == "OpFunctionEnd":
                builder.functions.append(_body(builder, inside))
                inside = []
        else:
            builder.outside(i)
    if inside:
        raise NotSPIRV("OpFunctionEnd is missing at the end", inside[0].line)
    known = {body.id for body in builder.functions}
    for i in kept:
        if i.op == "OpTypePointer" and i.id(1) not in builder.types:
            raise NotSPIRV(f"{i.place}: {i.id(1)} is no type", i.line)
        if i.op == "OpTypeForwardPointer" and _is_left_open(builder.types[i.id(0)]):
            raise NotSPIRV(f"{i.place}: no OpTypePointer says what {i.id(0)} points to", i.line)
    parameters = {body.id: len(body.type.parameters) for body in builder.functions}
    for body in builder.functions:
        _check_selectors(body, builder)
        _check_calls(body, parameters)
    for e in builder.entries:
        if e.id(1) not in known:
            raise NotSPIRV(f"{e.place}: {e.id(1)} is no function", e.line)
    entries = tuple(
        EntryPoint(e.id(0), e.id(1), e.text(2), e, tuple(builder.modes.get(e.id(1), ())))
        for e in builder.entries
    )
    return SPIRVModule(
        kept,
        frozenset(builder.capabilities),
        builder.memory_model,
        builder.names,
        builder.member_names,
        builder.decorations,
        builder.member_decorations,
        entries,
        builder.sets,
        builder.types,
        tuple(builder.constants),
        tuple(builder.variables),
        tuple(builder.functions),
        builder.types_of,
    )


def _check_results(instructions: Iterable[SPIRVInstruction]) -> None:
    """:raises NotSPIRV: for an id that two instructions define"""
    defined: dict[str, SPIRVInstruction] = {}
    for i in instructions:
        if i.result is None:
            continue
        first = defined.setdefault(i.result, i)
        if first is not i:
            where = f"by {first.place}" + (f" at line {first.line}" if first.offset < 0 else "")
            raise NotSPIRV(f"{i.place}: {i.result} is defined already, {where}", i.line)


def _is_left_open(type_: Type) -> bool:
    return isinstance(type_, SPIRVPointer) and type_.pointee == NOT_YET


def _check_selectors(body: SPIRVFunction, builder: _Builder) -> None:
    """:raises NotSPIRV: for an OpSwitch by what is no integer; integers of other widths than are modelled
    are named as such elsewhere"""
    for block in body.blocks:
        i = block.terminator
        if i.op != "OpSwitch" or (type_id := builder.types_of.get(i.id(0))) is None:
            continue
        type_ = builder.types[type_id]
        narrow = isinstance(type_, Opaque) and type_.op.startswith("OpTypeInt ")
        if not isinstance(type_, SPIRVInt) and not narrow:
            raise NotSPIRV(f"{i.place}: the selector {i.id(0)} is of type {type_id}, no integer", i.line)


def _check_calls(body: SPIRVFunction, parameters: Mapping[str, int]) -> None:
    """:raises NotSPIRV: for an OpFunctionCall of what is no function, and for arguments that are more or
    fewer than ``parameters`` by function"""
    for i in (i for block in body.blocks for i in block.instructions if i.op == "OpFunctionCall"):
        if i.id(0) not in parameters:
            raise NotSPIRV(f"{i.place}: {i.id(0)} is no function", i.line)
        arguments, count = len(i.operands) - 1, parameters[i.id(0)]
        if arguments != count:
            raise NotSPIRV(f"{i.place}: {i.id(0)} has {count} parameters, not {arguments}", i.line)


def is_non_semantic(set_: str) -> bool:
    """Whether a set of extended instructions only says something of the program: debug information,
    printing (SPV_KHR_non_semantic_info; OpenCL.DebugInfo.100)."""
    return set_.startswith("NonSemantic.") or "DebugInfo" in set_


def _body(builder: _Builder, inside: list[SPIRVInstruction]) -> SPIRVFunction:
    head, *rest = inside
    type_ = builder.types.get(head.id(1))
    if head.result is None or not isinstance(type_, SPIRVFunctionType):
        raise NotSPIRV(f"{head.place}: {head.operands[1]} is no function type", head.line)
    if head.type is not None:
        builder.types_of[head.result] = head.type
    parameters, blocks = [], list[SPIRVBlock]()
    label: SPIRVInstruction | None = None
    within: list[SPIRVInstruction] = []
    merge: SPIRVInstruction | None = None
    misplaced: list[SPIRVInstruction] = []
    for i in rest:
        builder._result(i)
        match i.op:
            case "OpFunctionParameter":
                assert i.result is not None and i.type is not None
                parameters.append((i.result, builder.types[i.type]))
            case "OpLabel":
                if label is not None:
                    raise NotSPIRV(f"{label.result} has no terminator", i.line)
                label, within, merge, misplaced = i, [], None, []
            case "OpLine" | "OpNoLine" | "OpNop":
                pass
            case "OpFunctionEnd":
                if label is not None:
                    raise NotSPIRV(f"{label.result} has no terminator", i.line)
            case "OpExtInst" if label is None and is_non_semantic(builder.sets.get(i.id(0), "")):
                pass  # spirv-opt ends a scope behind the terminator
            case _ if label is None:
                raise NotSPIRV(f"{i.place} stands in no block", i.line)
            case "OpLoopMerge" | "OpSelectionMerge":
                misplaced += [] if merge is None else [merge]
                merge = i
            case op if op in TERMINATORS:
                assert label.result is not None
                if merge is not None and op not in BRANCHES[merge.op]:
                    misplaced.append(merge)
                blocks.append(SPIRVBlock(label.result, label, tuple(within), merge, i, tuple(misplaced)))
                label = None
            case _:
                misplaced += [] if merge is None or merge in misplaced else [merge]
                within.append(i)
    _check_labels(blocks)
    if len(parameters) != len(type_.parameters):
        count = len(type_.parameters)
        raise NotSPIRV(f"{head.place}: {head.result} has {count} parameters by its type", head.line)
    return SPIRVFunction(head.result, head, type_, tuple(parameters), tuple(blocks))


def _check_labels(blocks: list[SPIRVBlock]) -> None:
    """:raises NotSPIRV: for a branch, merge instruction or phi that names no block of the function"""
    labels = {block.label for block in blocks}
    for block in blocks:
        named = [(block.terminator, target) for target in block.successors]
        if block.merge is not None:
            named += [(block.merge, block.merge.id(n)) for n in range(1 + (block.merge.op == "OpLoopMerge"))]
        for i in block.instructions:
            if i.op == "OpPhi":
                named += [(i, i.id(n)) for n in range(1, len(i.operands), 2)]
        for i, label in named:
            if label not in labels:
                raise NotSPIRV(f"{i.place}: {label} is no block of the function", i.line)
