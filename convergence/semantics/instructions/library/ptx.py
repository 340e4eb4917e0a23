"""Inline assembly of NVPTX that is straight-line PTX (:mod:`convergence.ir.ptx`): what it computes, and the
access to memory that it makes, if it makes one.

PTX ISA, *Instruction Set*; NVIDIA's *Inline PTX Assembly in CUDA*. Each statement is said in LLVM IR's
instructions and NVPTX's intrinsics, whose meaning stands in its place, over the values of the call's
arguments. A guard that is false leaves registers and memory as they were; a guarded access asks for a guard
that is known. What a register holds before it is written nobody knows: it is undef. Cache operators, eviction
priorities and hints say nothing of what is read.

Text that is one operation among threads, a fence, or a look at a special register is that of an intrinsic.

Not modelled, so that the call stays one without a model: more than one access, labels, calls, and statements
outside of the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ....ir import (
    I1,
    VOID,
    Float,
    FloatType,
    FunctionType,
    Global,
    InlineAsm,
    Int,
    IntType,
    Local,
    Operand,
    PointerType,
    Simple,
    StructType,
    Type,
    VectorType,
)
from ....ir import instructions as ir
from ....ir.instructions import operands
from ....ir.ptx import (
    AddressOperand,
    Immediate,
    PtxOperand,
    PtxText,
    Register,
    RegisterTuple,
    Statement,
    read,
)
from ....ir.targets import is_nvptx
from ...memory.accesses import Access, AccessShape, PrepareAccess, touched
from ...values import Composite, RuntimeValue, Value, scalar
from .. import binary, conversion, other
from .. import other as aggregate
from ..expressions import constant
from ..intrinsics_values import FLOATING, INTEGER
from ..memory import prepare_atomicrmw, prepare_cmpxchg, prepare_gep, prepare_load, prepare_store
from .nvvm import nvvm_function
from .nvvm_memory import async_copy, mbarrier_access

if TYPE_CHECKING:
    from ...memory import Touch
    from ...memory.allocations import Memory
    from ...values.context import Context, Evaluate

GUARD = "Predicated Execution"
"""PTX ISA's section."""
_PURE: Mapping[type[ir.Instruction], Callable[[Any, Context], Evaluate]] = {
    ir.Binary: binary.prepare_binary,
    ir.FNeg: binary.prepare_fneg,
    ir.ICmp: other.prepare_icmp,
    ir.FCmp: other.prepare_fcmp,
    ir.Select: other.prepare_select,
    ir.Conversion: conversion.prepare_conversion,
    ir.ExtractElement: aggregate.prepare_extractelement,
    ir.InsertElement: aggregate.prepare_insertelement,
    ir.ExtractValue: aggregate.prepare_extractvalue,
    ir.GetElementPtr: prepare_gep,
}
_I32, _I64, _F32, _F64 = IntType(32), IntType(64), FloatType("float"), FloatType("double")


class _Outside(Exception):
    """A statement that is not in the table."""


class _Plan(NamedTuple):
    """What one access of the assembly is: ``prepared`` with operands in these registers, under a guard;
    ``into``: in which register its result is found, of which type."""

    prepared: PrepareAccess
    operands: tuple[Operand, ...]
    guard: Operand | None
    into: Local | None
    position: int


class _Expansion:
    """The statements as steps over a list of values: the call's arguments, constants, results."""

    def __init__(self, text: PtxText, call: ir.CallSite, context: Context) -> None:
        self.context = context
        self.initial: list[RuntimeValue | None] = [None] * len(call.arguments)
        self.slots: dict[Operand, int] = {}
        self.steps: list[tuple[Evaluate, tuple[int, ...], int]] = []
        self.access: _Plan | None = None
        self.carry: Operand = Int(I1, 0)
        result = call.type.result
        parts = result.elements if isinstance(result, StructType) else () if result == VOID else (result,)
        self.types = {f"${n}": type_ for n, type_ in enumerate(parts)} | dict(text.declared)
        self.registers: dict[str, Operand] = {}
        for n, (name, argument) in enumerate(zip(text.inputs, call.arguments, strict=True)):
            value = Local(argument.value.type, f"{n}")
            self.slots[value] = n
            self.registers[name] = value
            self.types[name] = argument.value.type
        for name, n in text.tied.items():
            self.registers[name] = self.registers[text.inputs[n]]
        for statement in text.statements:
            self._statement(statement)
        self.outputs = tuple(self.read(Register(f"${n}"), type_) for n, type_ in enumerate(parts))
        self.whole = isinstance(result, StructType)

    # -- values ---------------------------------------------------------------------------------------

    def slot(self, operand: Operand) -> int:
        """Where a value lies in the list."""
        known = self.slots.get(operand)
        if known is None:
            known = self.slots[operand] = len(self.initial)
            self.initial.append(constant(operand, self.context))
        return known

    def new(self, type_: Type) -> Local:
        value = Local(type_, f"{len(self.initial)}")
        self.slots[value] = len(self.initial)
        self.initial.append(None)
        return value

    def do(self, instruction: ir.Instruction, type_: Type) -> Local:
        """A pure instruction's result."""
        if isinstance(instruction, ir.CallSite):
            assert isinstance(instruction.callee, Global)
            evaluate = _intrinsic(instruction.callee.name)(instruction, self.context)
        else:
            evaluate = _PURE[type(instruction)](instruction, self.context)
        slots = tuple(self.slot(operand) for operand in operands(instruction))
        value = self.new(type_)
        self.steps.append((evaluate, slots, self.slots[value]))
        return value

    def binary(self, opcode: str, a: Operand, b: Operand) -> Local:
        return self.do(ir.Binary(opcode, a, b), a.type)

    def compare(self, predicate: str, a: Operand, b: Operand) -> Local:
        return self.do(ir.ICmp(predicate, a, b), I1)

    def select(self, condition: Operand, then: Operand, otherwise: Operand) -> Local:
        return self.do(ir.Select(condition, then, otherwise), then.type)

    def call(self, name: str, result: Type, *arguments: Operand) -> Local:
        """An intrinsic's result."""
        type_ = FunctionType(result, tuple(a.type for a in arguments))
        return self.do(ir.Call(Global(name), type_, tuple(map(ir.Argument, arguments))), result)

    def bits(self, type_: Type) -> int:
        return self.context.layout.bits(type_)

    def cast(self, value: Operand, type_: Type, signed: bool = False) -> Operand:
        """A register's bits as another type: cut, or widened."""
        if value.type == type_:
            return value
        if isinstance(value, Int) and isinstance(type_, IntType):
            return Int(type_, value.value)
        have, want = self.bits(value.type), self.bits(type_)
        word = value
        if isinstance(value.type, PointerType):
            if isinstance(type_, PointerType):
                return self.do(ir.Conversion("addrspacecast", value, type_), type_)
            word = self.do(ir.Conversion("ptrtoint", value, IntType(have)), IntType(have))
        elif not isinstance(value.type, IntType):
            word = self.do(ir.Conversion("bitcast", value, IntType(have)), IntType(have))
        if have != want:
            opcode = "trunc" if want < have else "sext" if signed else "zext"
            word = self.do(ir.Conversion(opcode, word, IntType(want)), IntType(want))
        if isinstance(type_, IntType):
            return word
        opcode = "inttoptr" if isinstance(type_, PointerType) else "bitcast"
        return self.do(ir.Conversion(opcode, word, type_), type_)

    def read(self, operand: PtxOperand, type_: Type, signed: bool = False) -> Operand:
        """An operand's value in a type. A vector's registers lie in it from the lowest bit on."""
        match operand:
            case Immediate(bits, None):
                if isinstance(type_, IntType):
                    return Int(type_, bits)
                return self.cast(Int(IntType(self.bits(type_)), bits), type_)
            case Immediate(bits, FloatType() as kind):
                if kind == type_:
                    return Float(kind, bits)
                if isinstance(type_, FloatType):
                    return self.do(ir.Conversion("fptrunc", Float(kind, bits), type_), type_)
                return self.cast(Float(kind, bits), type_)
            case Register(name, negated):
                if name.startswith("%") and name not in self.types:
                    raise _Outside
                value = self.registers.get(name)
                if value is None:
                    value = Simple(self.types.get(name, type_), "undef")
                value = self.cast(value, type_, signed)
                return self.binary("xor", value, Int(I1, 1)) if negated else value
            case RegisterTuple(parts):
                whole = IntType(self.bits(type_))
                part = IntType(whole.bits // len(parts))
                word: Operand = Int(whole, 0)
                for n, piece in enumerate(parts):
                    value = self.cast(self.read(piece, part), whole)
                    word = self.binary("or", word, self.binary("shl", value, Int(whole, n * part.bits)))
                return self.cast(word, type_)
            case _:
                raise _Outside

    def write(self, operand: PtxOperand, value: Operand, guard: Operand | None, signed: bool = False) -> None:
        """Puts a value into a register, or into those of a vector; unless the guard is false."""
        match operand:
            case Register("_", False):
                return
            case Register(name, False) if name in self.types:
                new = self.cast(value, self.types[name], signed)
                if guard is not None:
                    old = self.registers.get(name, Simple(new.type, "undef"))
                    new = self.select(guard, new, self.cast(old, new.type))
                self.registers[name] = new
            case RegisterTuple(parts):
                word = self.cast(value, IntType(self.bits(value.type)))
                size = self.bits(word.type) // len(parts)
                for n, part in enumerate(parts):
                    shifted = self.binary("lshr", word, Int(word.type, n * size))
                    self.write(part, self.cast(shifted, IntType(size)), guard)
            case _:
                raise _Outside

    # -- statements -----------------------------------------------------------------------------------

    def _statement(self, statement: Statement) -> None:
        guard = None if statement.guard is None else self.read(statement.guard, I1)
        action = _ACTIONS.get(statement.words[0])
        if action is None:
            raise _Outside
        action(self, statement, guard)

    def accesses(
        self,
        prepared: PrepareAccess,
        operands: tuple[Operand, ...],
        guard: Operand | None,
        result: Type | None,
    ) -> Local | None:
        """The one access; its result, as long as the guard holds."""
        if self.access is not None:
            raise _Outside
        into = None if result is None else self.new(result)
        self.access = _Plan(prepared, operands, guard, into, len(self.steps))
        return into

    def address(self, place: PtxOperand, space: int) -> Operand:
        """The pointer in an address space that a place is."""
        if not isinstance(place, AddressOperand):
            raise _Outside
        type_ = PointerType(space)
        pointer = self.registers.get(place.base.name)
        if pointer is None:
            raise _Outside
        pointer = self.cast(pointer, type_)
        if not place.offset:
            return pointer
        index = Int(_I64, place.offset)
        return self.do(ir.GetElementPtr(IntType(8), pointer, (index,)), type_)

    # -- the whole ------------------------------------------------------------------------------------

    def result(self, values: Sequence[RuntimeValue]) -> RuntimeValue:
        """The call's result, when all steps are done."""
        parts = tuple(values[self.slots[output]] for output in self.outputs)
        return Composite(parts) if self.whole else parts[0]

    def finished(self) -> _Expansion:
        """Registers for all that is asked for at the end."""
        for output in self.outputs:
            self.slot(output)
        if self.access is not None:
            for operand in (*self.access.operands, self.access.guard):
                if operand is not None:
                    self.slot(operand)
            if self.access.into is not None:  # what is found where nothing was read
                self.initial[self.slots[self.access.into]] = constant(
                    Simple(self.access.into.type, "undef"), self.context
                )
        return self

    def run(self, values: list[RuntimeValue | None], begin: int = 0, end: int | None = None) -> None:
        for evaluate, slots, slot in self.steps[begin:end]:
            values[slot] = evaluate(*(values[s] for s in slots))

    def begun(self, arguments: Sequence[RuntimeValue]) -> list[Any]:
        values: list[Any] = self.initial.copy()
        values[: len(arguments)] = arguments
        return values


def _intrinsic(name: str) -> Callable[[ir.CallSite, Context], Evaluate]:
    """The model of an intrinsic without memory."""
    if name.startswith("llvm.nvvm."):
        build = nvvm_function(name)
        if build is None:
            raise _Outside
        return build
    short = name.rpartition(".")[0]
    return INTEGER[short] if short in INTEGER else FLOATING[short]


# -- Words of an opcode


_SPACES = {"global": 1, "shared": 3, "shared:cta": 3, "const": 4, "local": 5}
_SCOPES: Mapping[str, str | None] = {"cta": "block", "cluster": "cluster", "gpu": "device", "sys": None}
_ORDERINGS = {"relaxed": "monotonic", "acquire": "acquire", "release": "release", "acq_rel": "acq_rel"}
_LANES = {"v2": 2, "v4": 4, "v8": 8}


class _Form(NamedTuple):
    """What an opcode's words say: its last word, an access's address space, ordering, scope and vector, and
    the words that are left."""

    type: str
    space: int
    ordering: str | None
    scope: str | None
    volatile: bool
    lanes: int
    rest: tuple[str, ...]


def _form(statement: Statement) -> _Form:
    space, ordering, lanes, volatile = 0, None, 1, False
    scope: str | None = "device"
    rest = []
    *words, type_ = statement.words[1:]
    for word in words:
        if word in _SPACES:
            space = _SPACES[word]
        elif word in _ORDERINGS:
            ordering = _ORDERINGS[word]
        elif word in _SCOPES:
            scope = _SCOPES[word]
        elif word in _LANES:
            lanes = _LANES[word]
        elif word == "volatile":
            volatile = True
        elif not _is_hint(word):
            rest.append(word)
    return _Form(type_, space, ordering, scope, volatile, lanes, tuple(rest))


def _is_hint(word: str) -> bool:
    """Whether a word says nothing of what is read or written."""
    return word in _HINTS or word.startswith(("L1:", "L2:"))


_HINTS = frozenset(("ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "weak", "noftz"))
_TYPES: Mapping[str, Type] = {
    "pred": I1, **{f"{k}{bits}": IntType(bits) for k in "bsu" for bits in (8, 16, 32, 64)},
    "b128": IntType(128), "f16": FloatType("half"), "bf16": FloatType("bfloat"), "f32": _F32, "f64": _F64,
    "f16x2": VectorType(2, FloatType("half")), "bf16x2": VectorType(2, FloatType("bfloat")),
}  # fmt: skip


def _type(word: str) -> Type:
    if word not in _TYPES:
        raise _Outside
    return _TYPES[word]


def _bits_of(word: str) -> IntType:
    """The integers as wide as a type."""
    type_ = _type(word)
    if isinstance(type_, IntType):
        return type_
    return IntType({"f16": 16, "bf16": 16, "f64": 64}.get(word, 32))


def _signed(word: str) -> bool:
    return word.startswith("s")


def _count(statement: Statement, *counts: int) -> None:
    if len(statement.operands) not in counts:
        raise _Outside


# -- Memory


def _parts(operand: PtxOperand, lanes: int) -> Sequence[PtxOperand]:
    """The registers of a vector of so many."""
    parts = _registers(operand)
    if len(parts) != lanes:
        raise _Outside
    return parts


class _Moved(NamedTuple):
    """What ``ld`` or ``st`` moves: ``parts``, registers with an ``element`` each, to or from a ``place``;
    ``type`` is that of all, and ``how`` what LLVM's access says of alignment, volatility, ordering, scope."""

    parts: Sequence[PtxOperand]
    element: IntType
    type: Type
    place: Operand
    how: tuple[int, bool, str | None, str | None]


def _moved(e: _Expansion, s: Statement, form: _Form, registers: int) -> _Moved:
    """Of which the operand number ``registers`` has the registers, the other one the place. A cache policy
    may follow."""
    _count(s, 2, 3)
    parts, element = _parts(s.operands[registers], form.lanes), _bits_of(form.type)
    if form.rest or (form.lanes > 1 and form.ordering is not None):
        raise _Outside
    type_: Type = element if form.lanes == 1 else VectorType(form.lanes, element)
    scope = form.scope if form.ordering else None
    how = form.lanes * element.bits // 8, form.volatile, form.ordering, scope
    return _Moved(parts, element, type_, e.address(s.operands[1 - registers], form.space), how)


def _load(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """``ld`` and ``ldu``."""
    form = _form(s)
    parts, element, type_, pointer, how = _moved(e, s, form, 0)
    load = ir.Load(type_, pointer, *how)
    value = e.accesses(prepare_load(load, e.context), (pointer,), guard, type_)
    assert value is not None
    for n, part in enumerate(parts):
        lane = value if form.lanes == 1 else e.do(ir.ExtractElement(value, Int(_I32, n)), element)
        e.write(part, lane, guard, _signed(form.type))


def _store(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """``st``."""
    form = _form(s)
    parts, element, type_, pointer, how = _moved(e, s, form, 1)
    value = e.read(parts[0], element)
    if form.lanes > 1:
        vector: Operand = Simple(type_, "poison")
        for n, part in enumerate(parts):
            lane = e.read(part, element)
            vector = e.do(ir.InsertElement(vector, lane, Int(_I32, n)), type_)
        value = vector
    store = ir.Store(value, pointer, *how)
    e.accesses(prepare_store(store, e.context), (value, pointer), guard, None)


_ATOMIC = {
    "exch": "xchg", "and": "and", "or": "or", "xor": "xor", "add": "add",
    "inc": "uinc_wrap", "dec": "udec_wrap",
}  # fmt: skip


def _operation(word: str, type_: str) -> str:
    """What LLVM calls an atomic operation on a type."""
    if word in ("min", "max"):
        return f"f{word}" if "f" in type_ else word if _signed(type_) else f"u{word}"
    if word == "add" and "f" in type_:
        return "fadd"
    if word not in _ATOMIC:
        raise _Outside
    return _ATOMIC[word]


def _atomic(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """``atom``, and ``red``, which gives nothing back. The registers of a vector are each an atomic access of
    their own: they are made at once here, one behind the other."""
    form = _form(s)
    gives = s.words[0] == "atom"
    operands = s.operands if gives else (Register("_"), *s.operands)
    if len(form.rest) != 1 or len(operands) not in (3, 4):
        raise _Outside
    type_, ordering = _type(form.type), form.ordering or "monotonic"
    parts = _parts(operands[0], form.lanes) if gives else (operands[0],) * form.lanes
    pointer = e.address(operands[1], form.space)
    if form.rest[0] == "cas":
        if len(operands) != 4 or form.lanes != 1 or not isinstance(type_, IntType):
            raise _Outside
        expected, new = (e.read(operand, type_) for operand in operands[2:])
        failure = "monotonic" if ordering in ("monotonic", "release") else "acquire"
        swap = ir.CmpXchg(pointer, expected, new, ordering, failure, scope=form.scope)
        pair = StructType((type_, I1))
        both = e.accesses(prepare_cmpxchg(swap, e.context), (pointer, expected, new), guard, pair)
        assert both is not None
        e.write(parts[0], e.do(ir.ExtractValue(both, (0,)), type_), guard)
        return
    operation = _operation(form.rest[0], form.type)
    values = tuple(e.read(operand, type_) for operand in _parts(operands[2], form.lanes))
    update = ir.AtomicRMW(operation, pointer, values[0], ordering, scope=form.scope)
    prepared = prepare_atomicrmw(update, e.context)
    if form.lanes == 1:
        old = e.accesses(prepared, (pointer, *values), guard, type_)
        assert old is not None
        e.write(parts[0], old, guard)
        return
    all_types = StructType((type_,) * form.lanes)
    one_behind_other = _several(prepared, e.bits(type_) // 8, form.lanes, all_types, e.context)
    olds = e.accesses(one_behind_other, (pointer, *values), guard, all_types)
    assert olds is not None
    for n, part in enumerate(parts):
        e.write(part, e.do(ir.ExtractValue(olds, (n,)), type_), guard)


def _copy(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """``cp.async.{ca,cg}.shared.global [to], [from], size{, bytes}``."""
    words = [word for word in s.words[2:] if not _is_hint(word)]
    if s.words[:2] != ("cp", "async") or words not in (["shared", "global"], ["shared:cta", "global"]):
        raise _Outside
    size = s.operands[2] if len(s.operands) in (3, 4) else None
    if not isinstance(size, Immediate) or size.bits not in (4, 8, 16):
        raise _Outside
    operands = [e.address(s.operands[0], 3), e.address(s.operands[1], 1)]
    if len(s.operands) == 4:
        operands.append(e.read(s.operands[3], _I32))
    e.accesses(async_copy(size.bits, e.context), tuple(operands), guard, None)


_MBARRIER_WORDS = {"expect_tx": "expect.tx", "noComplete": "noComplete", "parity": "parity"}
_ANSWERED = {"test_wait", "try_wait"}


def _mbarrier(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """``mbarrier.operation{.words}{.sem}{.scope}{.shared}.b64 {result,} [object]{, operands}``: that of the
    intrinsic."""
    operation, words = s.words[1], list(s.words[2:-1])
    gives = operation in _ANSWERED or operation.startswith("arrive")
    relaxed, cluster = "relaxed" in words, "cluster" in words
    space = 3 if {"shared", "shared:cta"} & set(words) else 0
    named = [_MBARRIER_WORDS[word] for word in words if word in _MBARRIER_WORDS]
    known = {*_MBARRIER_WORDS, "relaxed", "acquire", "release", "cta", "cluster", "shared", "shared:cta"}
    if s.words[-1] != "b64" or not set(words) <= known or len(s.operands) < 1 + gives:
        raise _Outside
    name = ".".join(["llvm.nvvm.mbarrier", operation.replace("_", "."), *named])
    if operation not in ("init", "inval") and "noComplete" not in words:
        name += f"{'.relaxed' * relaxed}.scope.{'cluster' if cluster else 'cta'}.space.cta"
    pointer = e.address(s.operands[gives], space)
    of_state = operation in _ANSWERED and "parity" not in words
    types = [_I64 if of_state and n == 0 else _I32 for n in range(len(s.operands) - 1 - gives)]
    operands = [e.read(operand, type_) for operand, type_ in zip(s.operands[1 + gives :], types, strict=True)]
    result: Type = VOID if not gives else I1 if operation in _ANSWERED else _I64
    type_ = FunctionType(result, (pointer.type, *types))
    build = mbarrier_access(name)
    if build is None:
        raise _Outside
    call = ir.Call(Global(name), type_, tuple(map(ir.Argument, (pointer, *operands))))
    value = e.accesses(build(name, call, e.context), (pointer, *operands), guard, result if gives else None)
    if value is not None:
        e.write(s.operands[0], value, guard)


def _several(
    prepared: PrepareAccess, size: int, lanes: int, types: StructType, context: Context
) -> PrepareAccess:
    """Accesses of one kind to places of ``size`` bytes, one behind the other, as one."""

    def each(access: Access) -> list[Access]:
        values = (access.pointer, *access.operands)
        pointer = scalar(values[0])  # type: ignore[arg-type]
        return [prepared(place, value) for place, value in zip(places(pointer), access.operands, strict=True)]

    bytes_type = IntType(8)
    pointer_type = PointerType(1)
    steps = [
        prepare_gep(ir.GetElementPtr(bytes_type, Local(pointer_type, "p"), (Int(_I64, n * size),)), context)
        for n in range(lanes)
    ]
    offsets = [constant(Int(_I64, n * size), context) for n in range(lanes)]

    def places(pointer: Value) -> list[RuntimeValue]:
        return [step(pointer, offset) for step, offset in zip(steps, offsets, strict=True)]

    def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        olds = (one.shape.perform(one, memory, thread) for one in each(access))
        return Composite(tuple(old for old in olds if old is not None))

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        return tuple(
            touched(memory, scalar(place), size, thread, True)
            for place in places(scalar(access.pointer))  # type: ignore[arg-type]
        )

    shapes: dict[AccessShape, AccessShape] = {}

    def access(pointer: Value, *values: RuntimeValue) -> Access:
        shape = prepared(pointer, values[0]).shape
        if shape not in shapes:
            shapes[shape] = replace(
                shape, perform=perform, footprint=footprint, size=size * lanes, result=types,
                operands=types.elements,
            )  # fmt: skip
        return Access(shapes[shape], pointer, values)

    return access


# -- Computation


def _move(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """``mov``, which packs and unpacks vectors, too."""
    _count(s, 2)
    type_ = _type(s.words[-1])
    e.write(s.operands[0], e.read(s.operands[1], type_), guard)


def _policy(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """``createpolicy``: a number that only caches look at."""
    e.write(s.operands[0], Int(_I64, 0), guard)


def _nothing(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """A hint, or a pause."""


def _bitwise(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    _count(s, 3)
    type_ = _bits_of(s.words[-1])
    a, b = (e.read(operand, type_) for operand in s.operands[1:])
    e.write(s.operands[0], e.binary(s.words[0], a, b), guard)


def _not(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    _count(s, 2)
    type_ = _bits_of(s.words[-1])
    e.write(s.operands[0], e.binary("xor", e.read(s.operands[1], type_), Int(type_, -1)), guard)


def _shift(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """By more than the register has bits gives 0, or the sign."""
    _count(s, 3)
    word = s.words[-1]
    type_ = _bits_of(word)
    value, by = e.read(s.operands[1], type_), e.read(s.operands[2], _I32)
    right = "ashr" if _signed(word) else "lshr"
    opcode = "shl" if s.words[0] == "shl" else right
    most, limit = Int(_I32, type_.bits - 1), Int(_I32, type_.bits)
    within = e.compare("ult", by, limit)
    shifted = e.binary(opcode, value, e.cast(e.select(within, by, most), type_))
    if opcode != "ashr":
        shifted = e.select(within, shifted, Int(type_, 0))
    e.write(s.operands[0], shifted, guard)


def _integer_type(s: Statement) -> tuple[IntType, bool] | None:
    """The integers of an arithmetic statement, and whether they have a sign; ``None`` for floats."""
    type_ = _type(s.words[-1])
    return (type_, _signed(s.words[-1])) if isinstance(type_, IntType) else None


def _plain(*words: str) -> Callable[[Statement], bool]:
    """Whether an opcode has no other words before its type than these."""
    return lambda s: set(s.words[1:-1]) <= set(words)


def _addition(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """``add``, ``sub``, ``addc``, ``subc``; with ``cc`` the carry is kept."""
    known = _integer_type(s)
    if known is None:
        _arithmetic(e, s, guard)
        return
    _count(s, 3)
    if not _plain("cc")(s):
        raise _Outside
    type_ = known[0]
    wide, subtracts = IntType(type_.bits + 1), s.words[0].startswith("sub")
    a, b = (e.cast(e.read(operand, type_), wide) for operand in s.operands[1:])
    total = e.binary("sub" if subtracts else "add", a, b)
    if s.words[0].endswith("c"):
        total = e.binary("sub" if subtracts else "add", total, e.cast(e.carry, wide))
    if "cc" in s.words:
        e.carry = e.cast(e.binary("lshr", total, Int(wide, type_.bits)), I1)
    e.write(s.operands[0], e.cast(total, type_), guard)


def _product(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """``mul`` and ``mad``, ``lo``, ``hi`` or ``wide``; ``mad`` with ``cc`` and ``madc`` have carries."""
    known = _integer_type(s)
    if known is None:
        _arithmetic(e, s, guard)
        return
    if not _plain("lo", "hi", "wide", "cc")(s):
        raise _Outside
    type_, signed = known
    adds = s.words[0] != "mul"
    _count(s, 4 if adds else 3)
    double = IntType(2 * type_.bits)
    a, b = (e.cast(e.read(operand, type_, signed), double, signed) for operand in s.operands[1:3])
    product: Operand = e.binary("mul", a, b)
    result: IntType = double if "wide" in s.words else type_
    if "hi" in s.words:
        product = e.binary("lshr", product, Int(double, type_.bits))
    product = e.cast(product, result)
    if adds:
        wide = IntType(result.bits + 1)
        total = e.binary("add", e.cast(product, wide), e.cast(e.read(s.operands[3], result), wide))
        if s.words[0] == "madc":
            total = e.binary("add", total, e.cast(e.carry, wide))
        if "cc" in s.words:
            e.carry = e.cast(e.binary("lshr", total, Int(wide, result.bits)), I1)
        product = e.cast(total, result)
    e.write(s.operands[0], product, guard, signed)


def _minmax(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    known = _integer_type(s)
    if known is None:
        _arithmetic(e, s, guard)
        return
    _count(s, 3)
    type_, signed = known
    a, b = (e.read(operand, type_) for operand in s.operands[1:])
    name = f"llvm.{'s' if signed else 'u'}{s.words[0]}.i{type_.bits}"
    e.write(s.operands[0], e.call(name, type_, a, b), guard)


_SUFFIX = {"f32": "f", "f64": "d"}


def _arithmetic(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """Of floats: by the NVPTX intrinsic of that name, modifiers and type."""
    word = s.words[-1]
    type_ = _type(word)
    values = [e.read(operand, type_) for operand in s.operands[1:]]
    name = {"min": "fmin", "max": "fmax", "abs": "fabs", "mad": "fma"}.get(s.words[0], s.words[0])
    words = list(s.words[1:-1])
    if name in ("add", "sub", "mul") and not set(words) & {"rn", "rz", "rm", "rp"}:
        words.insert(0, "rn")
    if name == "sub":
        name, values[1] = "add", e.do(ir.FNeg(values[1]), type_)
    if name == "tanh":
        name, words = "tanh", ["approx", *(w for w in words if w != "approx")]
    suffix = _SUFFIX.get(word, word)
    e.write(s.operands[0], e.call(".".join(("llvm", "nvvm", name, *words, suffix)), type_, *values), guard)


_MANGLED = {"f16": "f16", "f16x2": "v2f16", "f32": "f32"}


def _flushed(e: _Expansion, value: Operand, word: str) -> Operand:
    """``.ftz`` of an operand of this type: zero, with its sign, for a subnormal number."""
    if word not in _MANGLED:
        raise _Outside
    magnitude = e.call(f"llvm.nvvm.fabs.ftz.{_SUFFIX.get(word, word)}", value.type, value)
    return e.call(f"llvm.copysign.{_MANGLED[word]}", value.type, magnitude, value)


def _negative(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """``neg`` and ``abs``."""
    known = _integer_type(s)
    _count(s, 2)
    if known is None and s.words[0] == "abs":
        _arithmetic(e, s, guard)
        return
    type_ = _type(s.words[-1])
    value = e.read(s.operands[1], type_)
    if known is None:
        if "ftz" in s.words:
            value = _flushed(e, value, s.words[-1])
        e.write(s.operands[0], e.do(ir.FNeg(value), type_), guard)
        return
    zero = Int(type_, 0)
    less = e.binary("sub", zero, value)
    if s.words[0] == "abs":
        less = e.select(e.compare("slt", value, zero), less, value)
    e.write(s.operands[0], less, guard)


def _counting(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """``popc``, ``clz`` and ``brev``: bits of a register."""
    _count(s, 2)
    type_ = _bits_of(s.words[-1])
    value = e.read(s.operands[1], type_)
    name = {"popc": "ctpop", "clz": "ctlz", "brev": "bitreverse"}[s.words[0]]
    more = (Int(I1, 0),) if name == "ctlz" else ()
    e.write(s.operands[0], e.call(f"llvm.{name}.i{type_.bits}", type_, value, *more), guard)


def _lop3(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """Any function of three bits, by its table."""
    _count(s, 5)
    table = s.operands[4]
    if not isinstance(table, Immediate) or s.words != ("lop3", "b32"):
        raise _Outside
    inputs = [e.read(operand, _I32) for operand in s.operands[1:4]]
    ones = Int(_I32, -1)
    result: Operand = Int(_I32, 0)
    for row in range(8):
        if table.bits >> row & 1:
            term: Operand = ones
            for place, value in zip((4, 2, 1), inputs, strict=True):
                term = e.binary("and", term, value if row & place else e.binary("xor", value, ones))
            result = e.binary("or", result, term)
    e.write(s.operands[0], result, guard)


def _prmt(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """Bytes of two registers, chosen by a third."""
    _count(s, 4)
    if s.words[1:] != ("b32",):
        raise _Outside
    values = [e.read(operand, _I32) for operand in s.operands[1:]]
    e.write(s.operands[0], e.call("llvm.nvvm.prmt", _I32, *values), guard)


_PREDICATES = {"eq": "eq", "ne": "ne", "lo": "ult", "ls": "ule", "hi": "ugt", "hs": "uge"}
_FLOAT_PREDICATES = {
    **{name: f"o{name}" for name in ("eq", "lt", "le", "gt", "ge")}, "ne": "one",
    **{f"{name}u": f"u{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge")}, "num": "ord", "nan": "uno",
}  # fmt: skip


def _setp(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """A comparison into a predicate, and its opposite into a second one."""
    _count(s, 3)
    if len(s.words) != 3:
        raise _Outside
    _, relation, word = s.words
    type_ = _type(word)
    a, b = (e.read(operand, type_) for operand in s.operands[1:])
    if isinstance(type_, IntType):
        predicate = _PREDICATES.get(relation)
        if predicate is None:
            if relation not in ("lt", "le", "gt", "ge"):
                raise _Outside
            predicate = f"{'s' if _signed(word) else 'u'}{relation}"
        truth = e.compare(predicate, a, b)
    else:
        if relation not in _FLOAT_PREDICATES:
            raise _Outside
        truth = e.do(ir.FCmp(_FLOAT_PREDICATES[relation], a, b), I1)
    if isinstance(s.operands[0], RegisterTuple):
        both = s.operands[0].parts
        e.write(both[0], truth, guard)
        e.write(both[1], e.binary("xor", truth, Int(I1, 1)), guard)
    else:
        e.write(s.operands[0], truth, guard)


def _selp(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    _count(s, 4)
    type_ = _bits_of(s.words[-1])
    then, otherwise = (e.read(operand, type_) for operand in s.operands[1:3])
    e.write(s.operands[0], e.select(e.read(s.operands[3], I1), then, otherwise), guard)


_CODES = frozenset({"e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2"})
"""Pairs of floats of 8 bits and fewer, of which each has a byte."""


def _cvt_codes(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """To pairs of small floats, which saturate, and from them."""
    *words, to, from_ = s.words[1:]
    relu = ".relu" if "relu" in words else ""
    halves = VectorType(2, FloatType("half"))
    if to in _CODES and set(words) == {"rn", "satfinite"} | ({"relu"} if relu else set()):
        _count(s, 3 if from_ == "f32" else 2)
        if from_ not in ("f32", "f16x2"):
            raise _Outside
        type_: Type = _F32 if from_ == "f32" else halves
        values = [e.read(operand, type_) for operand in s.operands[1:]]
        source = "ff" if from_ == "f32" else from_
        finite = ".satfinite" if to in ("e2m3x2", "e3m2x2") else ""
        name = f"llvm.nvvm.{source}.to.{to}.rn{relu}{finite}"
        e.write(s.operands[0], e.call(name, IntType(16), *values), guard)
    elif from_ in _CODES and to == "f16x2" and set(words) == {"rn"} | ({"relu"} if relu else set()):
        _count(s, 2)
        code = e.read(s.operands[1], IntType(16))
        e.write(s.operands[0], e.call(f"llvm.nvvm.{from_}.to.f16x2.rn{relu}", halves, code), guard)
    else:
        raise _Outside


_TO_WHOLE = {"rni": "roundeven", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_TO_NEAR = ("rn", "rz", "rm", "rp")
_OF_INTEGERS = {"s32": "i", "u32": "ui", "s64": "ll", "u64": "ull"}


def _whole(e: _Expansion, value: Operand, words: Sequence[str], from_: str) -> Operand:
    """A float, rounded as ``words`` say to a whole number."""
    match words:
        case (mode,) if mode in _TO_WHOLE:
            pass
        case (mode, "ftz") if mode in _TO_WHOLE:
            value = _flushed(e, value, from_)
        case _:
            raise _Outside
    return e.call(f"llvm.{_TO_WHOLE[mode]}.{from_}", value.type, value)


def _to_integer(e: _Expansion, value: Operand, words: Sequence[str], to: str, from_: str) -> Operand:
    """A float as an integer: rounded, and clamped. NaN is 0, but of doubles, and as an integer of 64 bits,
    the highest bit alone (PTX ISA, *cvt*)."""
    target = _bits_of(to)
    whole = _whole(e, value, words, from_)
    number = e.call(f"llvm.fpto{'s' if _signed(to) else 'u'}i.sat.i{target.bits}", target, whole)
    if from_ != "f64" and target.bits != 64:
        return number
    nan = e.do(ir.FCmp("uno", value, value), I1)
    return e.select(nan, Int(target, 1 << (target.bits - 1)), number)


def _from_integer(e: _Expansion, value: Operand, mode: str, to: str, from_: str) -> Operand:
    """An integer as a float, rounded."""
    signed, bits = _signed(from_), e.bits(value.type)
    if mode == "rn":
        return e.do(ir.Conversion("sitofp" if signed else "uitofp", value, _type(to)), _type(to))
    if bits < 32:  # which every float of these has exactly
        value, from_ = e.cast(value, _I32, signed), f"{from_[0]}32"
    if to not in _SUFFIX:
        raise _Outside
    return e.call(f"llvm.nvvm.{_OF_INTEGERS[from_]}2{_SUFFIX[to]}.{mode}", _type(to), value)


def _saturated(e: _Expansion, value: Operand, to: str, from_: str) -> Operand:
    """An integer as one of another type, the nearest that this has."""
    target, signed = _bits_of(to), _signed(from_)
    wide = IntType(66)
    least = -(1 << (target.bits - 1)) if _signed(to) else 0
    most = (1 << (target.bits - _signed(to))) - 1
    number: Operand = e.cast(value, wide, signed)
    number = e.call("llvm.smax.i66", wide, number, Int(wide, least))
    number = e.call("llvm.smin.i66", wide, number, Int(wide, most))
    return e.cast(number, target)


def _cvt(e: _Expansion, s: Statement, guard: Operand | None) -> None:
    """Between integers, cut or clamped; between floats; from integers to floats, rounded; from floats to
    whole numbers, as floats or as integers, rounded and clamped. Two floats into a vector: the first operand
    above."""
    *words, to, from_ = s.words[1:]
    if to in _CODES or from_ in _CODES:
        _cvt_codes(e, s, guard)
        return
    target, source = _type(to), _type(from_)
    if isinstance(target, VectorType):
        _count(s, 3)
        if words != ["rn"] or source != _F32:
            raise _Outside
        vector: Operand = Simple(target, "poison")
        for n, operand in enumerate(reversed(s.operands[1:])):
            part = e.do(ir.Conversion("fptrunc", e.read(operand, source), target.element), target.element)
            vector = e.do(ir.InsertElement(vector, part, Int(_I32, n)), target)
        e.write(s.operands[0], vector, guard)
        return
    _count(s, 2)
    value = e.read(s.operands[1], source)
    match target, source:
        case IntType(), IntType() if not words:
            converted = e.cast(value, target, _signed(from_))
        case FloatType(), FloatType() if e.bits(target) > e.bits(source) and not words:
            converted = e.do(ir.Conversion("fpext", value, target), target)
        case FloatType(), FloatType() if e.bits(target) < e.bits(source) and words == ["rn"]:
            converted = e.do(ir.Conversion("fptrunc", value, target), target)
        case FloatType(), FloatType() if (to, from_) == ("f32", "f64"):
            if not words or words[0] not in _TO_NEAR or words[1:] not in ([], ["ftz"]):
                raise _Outside
            converted = e.call(".".join(("llvm.nvvm.d2f", *words)), target, value)
        case FloatType(), FloatType() if to == from_:
            converted = _whole(e, value, words, from_)
        case IntType(), IntType() if words == ["sat"]:
            converted = _saturated(e, value, to, from_)
        case FloatType(), IntType() if len(words) == 1 and words[0] in _TO_NEAR:
            converted = _from_integer(e, value, words[0], to, from_)
        case IntType(), FloatType():
            converted = _to_integer(e, value, words, to, from_)
        case _:
            raise _Outside
    e.write(s.operands[0], converted, guard, _signed(to))


_ACTIONS: Mapping[str, Callable[[_Expansion, Statement, Operand | None], None]] = {
    "mov": _move, "ld": _load, "ldu": _load, "st": _store, "atom": _atomic, "red": _atomic,
    **dict.fromkeys(("and", "or", "xor"), _bitwise), "not": _not,
    **dict.fromkeys(("shl", "shr"), _shift), **dict.fromkeys(("add", "sub", "addc", "subc"), _addition),
    **dict.fromkeys(("mul", "mad", "madc"), _product), **dict.fromkeys(("min", "max"), _minmax),
    **dict.fromkeys(("neg", "abs"), _negative), **dict.fromkeys(("popc", "clz", "brev"), _counting),
    **dict.fromkeys(("fma", "div", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh"), _arithmetic),
    "lop3": _lop3, "prmt": _prmt, "setp": _setp, "selp": _selp, "cvt": _cvt,
    "createpolicy": _policy, "cp": _copy, "mbarrier": _mbarrier,
    **dict.fromkeys(("nanosleep", "prefetch", "prefetchu", "discard"), _nothing),
}  # fmt: skip
"""By the first word of an opcode."""


# -- Calls


def _expansion(call: ir.CallSite, context: Context) -> _Expansion | None:
    """What a call of inline assembly comes to; ``None`` where that is not modelled."""
    assembly = call.callee
    if not isinstance(assembly, InlineAsm) or not is_nvptx(context.module):
        return None
    text = read(assembly.text, assembly.constraints)
    if text is None or not text.statements or len(text.inputs) != len(call.arguments):
        return None
    result = call.type.result
    parts = len(result.elements) if isinstance(result, StructType) else 0 if result == VOID else 1
    if parts != text.outputs:
        return None
    try:
        return _Expansion(text, call, context).finished()
    except _Outside:
        return None


def ptx_function(call: ir.CallSite, context: Context) -> Evaluate | None:
    """Assembly that touches no memory, as a function of its arguments; ``None`` for all other calls."""
    expansion = _expansion(call, context)
    if expansion is None or expansion.access is not None:
        return None
    nothing = constant(Int(I1, 0), context)

    def evaluate(*arguments: RuntimeValue) -> RuntimeValue:
        values = expansion.begun(arguments)
        expansion.run(values)
        return expansion.result(values) if expansion.outputs else nothing

    return evaluate


def ptx_access(call: ir.CallSite, context: Context) -> PrepareAccess | None:
    """Assembly that makes one access, as a function from its arguments to that; ``None`` for all other
    calls."""
    expansion = _expansion(call, context)
    if expansion is None or expansion.access is None:
        return None
    d, plan, result = context.domain, expansion.access, call.type.result
    slots = [expansion.slot(operand) for operand in plan.operands]
    guard = None if plan.guard is None else expansion.slot(plan.guard)
    into = None if plan.into is None else expansion.slot(plan.into)

    def ended(values: list[Any]) -> RuntimeValue | None:
        expansion.run(values, plan.position)
        return expansion.result(values) if expansion.outputs else None

    def access(*arguments: RuntimeValue) -> Access:
        values = expansion.begun(arguments)
        expansion.run(values, 0, plan.position)
        prepared_access = plan.prepared(*(values[slot] for slot in slots))
        shape = prepared_access.shape
        if guard is not None:
            d.require(d.negate(values[guard].poison), "assembly with a poison guard", GUARD)
            if not d.concrete(values[guard].bits, "a symbolic guard of assembly"):
                without = replace(
                    shape, perform=lambda *_: ended(values), size=0, footprint=_no_bytes, result=result,
                    fails=None,
                )  # fmt: skip
                return Access(without, None, prepared_access.operands)

        def perform(own: Access, memory: Memory, thread: int) -> RuntimeValue | None:
            outcome = shape.perform(own, memory, thread)
            after = values.copy()
            if into is not None:
                after[into] = outcome
            return ended(after)

        return prepared_access._replace(shape=replace(shape, perform=perform, result=result))

    return access


def _no_bytes(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
    return ()


# -- Operations among threads, fences, special registers


_SREG = "llvm.nvvm.read.ptx.sreg."
_SPECIAL = re.compile(
    r"%((?:n?tid|n?ctaid|n?clusterid|cluster_n?ctaid)\.[xyzw]|laneid|n?warpid|cluster_n?ctarank"
    r"|lanemask_(?:eq|lt|le|gt|ge)|n?smid|gridid)"
)
_MODES = ("up", "down", "bfly", "idx")
_VOTES = ("all", "any", "uni", "ballot")
_REDUCTIONS = {
    **{(op, f"s{32}"): op for op in ("add", "min", "max")}, ("add", "u32"): "add",
    ("min", "u32"): "umin", ("max", "u32"): "umax", **{(op, "b32"): op for op in ("and", "or", "xor")},
}  # fmt: skip
_ALIGNED = ["sync", "aligned"]
_FULL_FENCES = {"cta": "llvm.nvvm.membar.cta", "gpu": "llvm.nvvm.membar.gl", "sys": "llvm.nvvm.membar.sys"}


def _named(statement: Statement) -> tuple[str, tuple[int, ...]] | None:
    """The intrinsic that a statement is, and which of its operands, from 0, are that one's, in its order."""
    match statement.words:
        case ("shfl", "sync", mode, "b32") if mode in _MODES:
            pair = "p" if isinstance(statement.operands[0], RegisterTuple) else ""
            return f"llvm.nvvm.shfl.sync.{mode}.i32{pair}", (4, 1, 2, 3)
        case ("vote", "sync", kind, "pred" | "b32") if kind in _VOTES:
            return f"llvm.nvvm.vote.{kind}.sync", (2, 1)
        case ("match", "any", "sync", "b32" | "b64" as word):
            return f"llvm.nvvm.match.any.sync.i{word[1:]}", (2, 1)
        case ("redux", "sync", op, word) if (op, word) in _REDUCTIONS:
            return f"llvm.nvvm.redux.sync.{_REDUCTIONS[op, word]}", (1, 2)
        case ("mma", "sync", "aligned", shape, "row", "col", *clamps, d, a, b, c) if (
            clamps in ([], ["satfinite"]) and len(statement.operands) == 4
        ):
            kinds = (d, c) if a == b == "f16" else dict.fromkeys((a, b))
            return ".".join(("llvm.nvvm.mma", shape, "row.col", *clamps, *kinds)), (1, 2, 3)
        case ("activemask", "b32"):
            return "llvm.nvvm.activemask", ()
        case ("cp", "async", "wait_all" | "wait_group" | "commit_group" as what):
            return f"llvm.nvvm.cp.async.{what.replace('_', '.')}", tuple(range(what == "wait_group"))
        case ("bar", "warp", "sync"):
            return "llvm.nvvm.bar.warp.sync", (0,)
        case ("bar" | "barrier" as kind, *words) if [w for w in words if w != "cta"] in (["sync"], _ALIGNED):
            aligned = ".aligned" if kind == "bar" or "aligned" in words else ""
            counted = len(statement.operands) == 2
            return f"llvm.nvvm.barrier.cta.sync{aligned}.{'count' if counted else 'all'}", (0, 1)[
                : counted + 1
            ]
        case ("membar", "cta" | "gl" | "sys" as scope):
            return f"llvm.nvvm.membar.{scope}", ()
        case ("fence", "sc" | "acq_rel", scope) if scope in _FULL_FENCES:
            return _FULL_FENCES[scope], ()
        case ("mov", "u32" | "b32" | "s32"):
            source = statement.operands[1]
            known = _SPECIAL.fullmatch(source.name) if isinstance(source, Register) else None
            return None if known is None else (_SREG + known[1].replace("_", "."), ())
    return None


def ptx_operation(call: ir.CallSite, context: Context) -> ir.Call | None:
    """The call of an intrinsic that assembly of one statement is; ``None`` if it is none."""
    assembly = call.callee
    if not isinstance(assembly, InlineAsm) or not is_nvptx(context.module):
        return None
    text = read(assembly.text, assembly.constraints)
    if text is None or len(text.statements) != 1 or len(text.inputs) != len(call.arguments):
        return None
    (statement,) = text.statements
    named = None if statement.guard is not None else _named(statement)
    if named is None or not _gives(statement.operands[: text.outputs], text.outputs):
        return None
    name, places = named
    if any(place >= len(statement.operands) for place in places):
        return None
    registers = [r for place in places for r in _registers(statement.operands[place])]
    arguments = [_argument(register, text, call) for register in registers]
    passed = [a for a in arguments if a is not None]
    if len(passed) != len(arguments):
        return None
    type_ = replace(call.type, parameters=tuple(a.type for a in passed))
    return ir.Call(
        Global(name), type_, tuple(map(ir.Argument, passed)), call.bundles, call.attributes,
        result=call.result, attachments=call.attachments, span=call.span,
    )  # fmt: skip


def _gives(results: Sequence[PtxOperand], outputs: int) -> bool:
    """Whether the first operand is what the assembly gives: its outputs in their order."""
    names = list(_registers(results[0])) if results else []
    return names == [Register(f"${n}") for n in range(outputs)]


def _registers(operand: PtxOperand) -> Sequence[PtxOperand]:
    """Those of a vector, or the operand itself."""
    return operand.parts if isinstance(operand, RegisterTuple) else (operand,)


def _argument(operand: PtxOperand, text: PtxText, call: ir.CallSite) -> Operand | None:
    """A statement's operand as a call's; ``None`` for what is no argument and no number."""
    match operand:
        case Immediate(bits, None):
            return Int(_I32, bits)
        case Register(name, False) if name in text.inputs:
            return call.arguments[text.inputs.index(name)].value
    return None
