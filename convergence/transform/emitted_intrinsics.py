"""The instructions that intrinsics stand for which LLVM's SPIR-V back end puts in their place.

The pass ``emit-intrinsics`` prepares IR for instruction selection, which sees no types of pointers and no
aggregates. A ``getelementptr`` becomes ``llvm.spv.gep``, whose source type is what
``llvm.spv.assign.ptr.type`` says of the pointer; a value of a structure or an array becomes an ``i32`` that
is a name of it, whose type is what ``llvm.spv.assign.type`` says. What each means is the instruction that it
replaced (``IntrinsicsSPIRV.td``, ``SPIRVEmitIntrinsics.cpp``, ``SPIRVInstructionSelector.cpp`` of LLVM 22).

Each call becomes one instruction, so that an instruction's number stays what it is in the text. A function
with a call of which this cannot be said keeps all of them: they have no model then, and are named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from ..ir import (
    I1,
    Aggregate,
    ArrayType,
    BlockAddress,
    Global,
    Int,
    IntType,
    Local,
    MetadataOperand,
    MetadataValue,
    NamedType,
    Operand,
    PointerType,
    Simple,
    StructType,
    TargetType,
    Type,
    VectorType,
)
from ..ir import instructions as ir
from ..ir.calls import callee_name
from ..ir.instructions import Call, Instruction
from ..ir.module import Block, Function, Module
from .rewrite import Names, with_blocks, with_functions, with_operands

_PREFIX = "llvm.spv."
_NAME = IntType(32)
"""The type of what names an aggregate."""
_VOLATILE = 4
"""Among the flags of an access (LLVM's ``MachineMemOperand::MOVolatile``)."""
_ORDERINGS: Mapping[int, str] = {
    0x0: "monotonic", 0x2: "acquire", 0x4: "release", 0x8: "acq_rel", 0x10: "seq_cst",
}  # fmt: skip
"""By memory semantics (SPIR-V, *Memory Semantics*), of which the pass gives these bits alone."""
_SCOPES: Mapping[int, str | None] = {0: None, 1: "device", 2: "workgroup", 3: "subgroup", 4: "singlethread"}
"""By scope (SPIR-V, *Scope <id>*), as the back end reads LLVM's names."""


K = TypeVar("K")


class _Unclear(Exception):
    """A call of which it is not clear what it stands for."""


def with_plain_instructions(module: Module) -> Module:
    """The module with the instructions that such intrinsics stand for; itself where it has none of them."""
    if not any(name.startswith(_PREFIX) and _kind(name) in _READERS for name in module.functions):
        return module
    changed = {f.name: after for f in module.definitions() if (after := _plain(f, module)) is not f}
    return with_functions(module, changed)


def _kind(name: str) -> str:
    """What an intrinsic is, without the types at the end of its name: ``gep`` of ``llvm.spv.gep.p0.p0``."""
    parts = name.removeprefix(_PREFIX).split(".")
    pair = ".".join(parts[:2])
    return pair if pair in _READERS else parts[0]


def _plain(function: Function, module: Module) -> Function:
    """The function itself where it has none of them, or something about one is not clear."""
    calls = [i for i in function.instructions if isinstance(i, Call)]
    if not any((callee_name(c) or "").startswith(_PREFIX) and _reader(c) is not None for c in calls):
        return function
    try:
        return _FunctionReading(function, module, calls).function()
    except _Unclear:
        return function


class _FunctionReading:
    """One function: the types that its markers assign to pointers and to names of aggregates."""

    def __init__(self, function: Function, module: Module, calls: list[Call]) -> None:
        self.source = function
        self.module = module
        self.names = Names(function)
        self.pointees: dict[Operand, Type] = {}
        self.aggregates: dict[str, Type] = {}
        self.constants: dict[str, Operand] = {}
        self.ways: tuple[Operand, str, tuple[tuple[Operand, str], ...]] | None = None
        for call in calls:
            name = callee_name(call) or ""
            if name.startswith("llvm.spv.assign.ptr.type."):
                self._assign(self.pointees, call.arguments[0].value, self._type_of(call, 1))
            elif name.startswith(("llvm.spv.assign.type.", "llvm.spv.track.constant.")):
                self._name(call.arguments[0].value, self._type_of(call, 1))
                if call.result is not None:
                    self._name(Local(call.type.result, call.result), self._type_of(call, 1))

    def _name(self, value: Operand, type_: Type) -> None:
        """An ``i32`` that is said to be an aggregate."""
        if isinstance(value, Local) and value.type == _NAME and self._is_aggregate(type_):
            self._assign(self.aggregates, value.name, type_)

    def _assign(self, types: dict[K, Type], key: K, type_: Type) -> None:
        if types.setdefault(key, type_) != type_:
            raise _Unclear

    def _is_aggregate(self, type_: Type) -> bool:
        return isinstance(type_, StructType | ArrayType | NamedType)

    def _type_of(self, call: Call, place: int) -> Type:
        """The type of which an operand is a value, as metadata."""
        match call.arguments[place].value:
            case MetadataOperand(MetadataValue(value)):
                return self.spelled(value.type)
            case _:
                raise _Unclear

    def spelled(self, type_: Type) -> Type:
        """A type with plain pointers for those to which the back end gives a type."""
        match type_:
            case TargetType("spirv.$TypedPointerType", _, (space, *_)):
                return PointerType(space)
            case StructType(elements):
                return replace(type_, elements=tuple(map(self.spelled, elements)))
            case ArrayType() | VectorType():
                return replace(type_, element=self.spelled(type_.element))
            case NamedType(name):
                body = self.module.types.get(name)
                after = None if body is None else self.spelled(body)
                return type_ if after is None or after == body else after
            case _:
                return type_

    # -- the whole ----------------------------------------------------------------------------------

    def function(self) -> Function:
        blocks = [self._block(block) for block in self.source.blocks]
        return with_blocks(self.source, blocks)

    def _block(self, block: Block) -> Block:
        self.ways = None
        return replace(block, instructions=tuple(map(self._instruction, block.instructions)))

    def _instruction(self, instruction: Instruction) -> Instruction:
        reader = _reader(instruction)
        if reader is not None:
            assert isinstance(instruction, Call)
            after = reader(self, instruction)
            return replace(
                after, result=after.result or instruction.result,
                attachments=instruction.attachments, span=instruction.span,
            )  # fmt: skip
        if isinstance(instruction, Call) and (callee_name(instruction) or "").startswith(_PREFIX):
            return instruction  # a marker may speak of an aggregate by its name
        if isinstance(instruction, ir.IndirectBr) and self.ways is not None:
            value, default, cases = self.ways
            return ir.Switch(
                value, default, cases, attachments=instruction.attachments, span=instruction.span
            )
        return self._typed(instruction)

    def _typed(self, instruction: Instruction) -> Instruction:
        """An instruction that hands aggregates on, with their types. Others only know the name: a call, or
        what leaves the function, whose type says ``i32``."""
        if instruction.result in self.aggregates:
            type_ = self.aggregates[instruction.result]
            match instruction:
                case ir.Phi():
                    incoming = tuple((self.operand(o, type_), block) for o, block in instruction.incoming)
                    return replace(instruction, type=type_, incoming=incoming)
                case ir.Select(_, then, otherwise):
                    return replace(
                        instruction, then=self.operand(then, type_), otherwise=self.operand(otherwise, type_)
                    )
                case _:
                    raise _Unclear

        def untouched(local: Local) -> Local:
            if local.name in self.aggregates:
                raise _Unclear
            return local

        return with_operands(instruction, untouched)

    # -- operands -----------------------------------------------------------------------------------

    def operand(self, operand: Operand, type_: Type | None = None) -> Operand:
        """An operand as its instruction has it: of what names an aggregate, the aggregate. ``type_`` is what
        it has to be."""
        if isinstance(operand, Local) and operand.name in self.aggregates:
            operand = Local(self.aggregates[operand.name], operand.name)
        elif isinstance(operand, Simple) and type_ is not None and operand.kind in ("undef", "poison"):
            operand = replace(operand, type=type_)
        if type_ is not None and operand.type != type_:
            raise _Unclear
        return operand

    def at(self, call: Call, place: int) -> Operand:
        return self.operand(call.arguments[place].value)

    def result_type(self, call: Call) -> Type:
        return self.aggregates.get(call.result or "", call.type.result)

    def pointee(self, pointer: Operand) -> Type:
        """What a pointer points to: what is assigned to it, or a variable's own type."""
        if (type_ := self.pointees.get(pointer)) is not None:
            return type_
        if isinstance(pointer, Global) and (variable := self.module.globals.get(pointer.name)) is not None:
            return variable.type
        raise _Unclear

    def constant(self, operand: Operand) -> Operand:
        """A constant, or the one that a name stands for."""
        if isinstance(operand, Local):
            if operand.name not in self.constants:
                raise _Unclear
            return self.constants[operand.name]
        return operand


_Reader = Callable[[_FunctionReading, Call], Instruction]
"""From a call to the instruction for which it stands."""


def _same(value: Operand) -> Instruction:
    """An instruction that gives the operand itself, whatever its type."""
    return ir.Select(Int(I1, 1), value, value)


def _number(operand: Operand) -> int:
    if not isinstance(operand, Int):
        raise _Unclear
    return operand.value


def _numbers(call: Call, start: int) -> tuple[int, ...]:
    return tuple(_number(a.value) for a in call.arguments[start:])


def _align(call: Call, place: int) -> int:
    """Bytes, of which the operand has eight bits; 256 and more do not fit, and nothing is said then."""
    return (_number(call.arguments[place].value) & 0xFF) or 1


def _gep(f: _FunctionReading, call: Call) -> Instruction:
    pointer = f.at(call, 1)
    indices = tuple(f.operand(a.value) for a in call.arguments[2:])
    flags = ("inbounds",) if _number(call.arguments[0].value) & 1 else ()
    return ir.GetElementPtr(f.pointee(pointer), pointer, indices, flags)


def _load(f: _FunctionReading, call: Call) -> Instruction:
    volatile = bool(_number(call.arguments[1].value) & _VOLATILE)
    return ir.Load(f.result_type(call), f.at(call, 0), _align(call, 2), volatile)


def _store(f: _FunctionReading, call: Call) -> Instruction:
    volatile = bool(_number(call.arguments[2].value) & _VOLATILE)
    return ir.Store(f.at(call, 0), f.at(call, 1), _align(call, 3), volatile)


def _alloca(f: _FunctionReading, call: Call) -> Instruction:
    return _stack_object(f, call, None)


def _alloca_array(f: _FunctionReading, call: Call) -> Instruction:
    return _stack_object(f, call, f.at(call, 0))


def _stack_object(f: _FunctionReading, call: Call, count: Operand | None) -> Instruction:
    pointer = call.type.result
    if call.result is None or not isinstance(pointer, PointerType):
        raise _Unclear
    type_ = f.pointee(Local(pointer, call.result))
    return ir.Alloca(type_, count, _align(call, len(call.arguments) - 1), pointer.address_space)


def _extractvalue(f: _FunctionReading, call: Call) -> Instruction:
    return ir.ExtractValue(f.at(call, 0), _numbers(call, 1))


def _insertvalue(f: _FunctionReading, call: Call) -> Instruction:
    aggregate = f.operand(call.arguments[0].value, f.result_type(call))
    return ir.InsertValue(aggregate, f.at(call, 1), _numbers(call, 2))


def _extractelement(f: _FunctionReading, call: Call) -> Instruction:
    return ir.ExtractElement(f.at(call, 0), f.at(call, 1))


def _insertelement(f: _FunctionReading, call: Call) -> Instruction:
    return ir.InsertElement(f.at(call, 0), f.at(call, 1), f.at(call, 2))


def _composite(f: _FunctionReading, call: Call) -> Instruction:
    """A constant of several parts; without parts it is zero."""
    type_ = f.result_type(call)
    if not (isinstance(type_, VectorType) or f._is_aggregate(type_)) or call.result is None:
        raise _Unclear
    parts = tuple(f.constant(a.value) for a in call.arguments)
    value = Aggregate(type_, parts) if parts else Simple(type_, "zeroinitializer")
    f.constants[call.result] = value
    return _same(value)


def _constant(f: _FunctionReading, call: Call) -> Instruction:
    """A constant that instruction selection is to remember: the operand itself."""
    value = f.at(call, 0)
    if value.type != f.result_type(call):
        raise _Unclear
    if call.result is not None and isinstance(value, Local) and value.name in f.constants:
        f.constants[call.result] = f.constants[value.name]
    return _same(value)


def _undef(f: _FunctionReading, call: Call) -> Instruction:
    value = Simple(f.result_type(call), "undef")
    if call.result is not None:
        f.constants[call.result] = value
    return _same(value)


def _bitcast(f: _FunctionReading, call: Call) -> Instruction:
    return ir.Conversion("bitcast", f.at(call, 0), f.result_type(call))


def _cmpxchg(f: _FunctionReading, call: Call) -> Instruction:
    pointer, expected, replacement = (f.at(call, place) for place in range(3))
    scope, success, failure = _numbers(call, 3)
    if scope not in _SCOPES or not {success, failure} <= set(_ORDERINGS):
        raise _Unclear
    return ir.CmpXchg(
        pointer, expected, replacement, _ORDERINGS[success], _ORDERINGS[failure], scope=_SCOPES[scope]
    )


def _switch(f: _FunctionReading, call: Call) -> Instruction:
    """It says where the ``indirectbr`` behind it goes, which becomes the ``switch``; the call itself gives
    the operand, to nobody."""
    value, default, *cases = (a.value for a in call.arguments)
    if not isinstance(default, BlockAddress) or len(cases) % 2:
        raise _Unclear
    ways: list[tuple[Operand, str]] = []
    for number, block in zip(cases[::2], cases[1::2], strict=True):
        if not isinstance(block, BlockAddress):
            raise _Unclear
        ways.append((number, block.block))
    f.ways = value, default.block, tuple(ways)
    return replace(_same(value), result=f.names.new("switched"))


_READERS: Mapping[str, _Reader] = {
    "gep": _gep,
    "load": _load,
    "store": _store,
    "alloca": _alloca,
    "alloca.array": _alloca_array,
    "extractv": _extractvalue,
    "insertv": _insertvalue,
    "extractelt": _extractelement,
    "insertelt": _insertelement,
    "const.composite": _composite,
    "track.constant": _constant,
    "undef": _undef,
    "bitcast": _bitcast,
    "ptrcast": _bitcast,
    "cmpxchg": _cmpxchg,
    "switch": _switch,
}
"""By what stands in the intrinsic's name behind ``llvm.spv.``."""


def _reader(instruction: Instruction) -> _Reader | None:
    name = callee_name(instruction) if isinstance(instruction, Call) else None
    return _READERS.get(_kind(name)) if name is not None and name.startswith(_PREFIX) else None
