"""Straight-line functions with defined behaviour: the same results as LLVM's code generator.

A function is a list of random instructions over a pool of values of many types, the first of which
it loads from ``%in``; each result is stored to ``%out``. Lines whose result would be poison, or whose
behaviour would be undefined, are left out by the interpreter's verdict: what it says about those is
tested elsewhere, by brute force. LLVM then compiles the same text for the host.
"""

from __future__ import annotations

import ctypes
import random

import pytest
from llvmlite import binding as llvm

from convergence.ir import I1, FloatType, IntType, Local, Operand, StructType, Type, VectorType
from convergence.ir import instructions as ir
from convergence.ir.calls import callee_name
from convergence.ir.instructions import operands
from convergence.semantics import Undefined
from convergence.semantics.arithmetic.ieee754 import FORMATS, is_nan
from convergence.semantics.memory import typed
from convergence.semantics.values import Composite, RuntimeValue, Value, any_poison, any_undef, scalars
from convergence.semantics.values.datalayout import Layout
from tests.differential.random_lines import LAYOUT, STRIDE, Writer, random_data, random_lines
from tests.semantics.straight import THREAD, Runner


def contains_nan(type_: Type, value: RuntimeValue) -> bool:
    inner = type_.element if isinstance(type_, VectorType) else type_
    return isinstance(inner, FloatType) and any(is_nan(FORMATS[inner.kind], s.bits) for s in scalars(value))


class Pruned:
    """The lines of a function that have defined results, and those results."""

    def __init__(self, writer: Writer, data: bytes) -> None:
        text = [
            f'target datalayout = "{LAYOUT}"',
            f"@in = global [{len(data)} x i8] zeroinitializer, align 32",
        ]
        text += ["define void @f(ptr %in) {", *writer.lines, "ret void", "}"]
        runner = Runner("\n".join(text))
        pointer = runner.context.address_of("in")
        allocation, _ = runner.memory.locate(pointer, len(data), 1, THREAD, "load", False)
        byte = runner.context.domain.width(8)
        write = typed(IntType(8), runner.context.layout, runner.context.domain).write
        for i, b in enumerate(data):
            write(allocation.contents(), i, Value(byte.constant(b)))
        runner.values["in"] = pointer
        self.layout: Layout = runner.context.layout
        self.lines: list[str] = []
        self.results: list[tuple[str, Type, RuntimeValue]] = []
        for line, instruction in zip(writer.lines, runner.module.functions["f"].instructions, strict=False):
            if self._keep(runner, instruction):
                self.lines.append(line)

    def _keep(self, runner: Runner, instruction: ir.Instruction) -> bool:
        used = operands(instruction)
        if any(isinstance(o, Local) and o.name not in runner.values for o in used):
            return False
        leaks_nan = isinstance(instruction, ir.Conversion | ir.Store) and any(
            contains_nan(o.type, runner.value(o)) for o in used[:1]
        )
        if leaks_nan and getattr(instruction, "opcode", "bitcast") == "bitcast":
            return False
        if isinstance(instruction, ir.Call) and left_open(callee_name(instruction) or "", runner, used):
            return False
        try:
            value = runner.step(instruction)
        except Undefined:
            return False
        if value is None:
            return True
        if any_poison(value) or any_undef(value):
            assert instruction.result is not None
            del runner.values[instruction.result]
            return False
        type_ = result_type(instruction)
        if type_ is not None:
            assert instruction.result is not None
            self.results.append((instruction.result, type_, value))
        return True


def left_open(name: str, runner: Runner, used: tuple[Operand, ...]) -> bool:
    """Whether the LangRef leaves the result open.

    The order of zeros in minnum and maxnum; the sign of a NaN. LLVM 22.1 for x86 computes maximumnum
    wrongly for a NaN and an operand that it knows to be none: that is tested by formula instead.
    """
    values = [(o.type, runner.value(o)) for o in used]
    if name.startswith(("llvm.minnum", "llvm.maxnum")):
        return any(not s.bits & ~(1 << 31 | 1 << 63) for _, v in values for s in scalars(v))
    if name.startswith("llvm.copysign"):
        return contains_nan(*values[1])
    return name.startswith(("llvm.maximumnum", "llvm.minimumnum")) and any(contains_nan(*v) for v in values)


def result_type(instruction: ir.Instruction) -> Type | None:
    """The type of a first-class result that is compared; pointers and pairs are not."""
    match instruction:
        case ir.Binary() | ir.FNeg():
            return instruction.lhs.type if isinstance(instruction, ir.Binary) else instruction.value.type
        case ir.ICmp() | ir.FCmp():
            t = instruction.lhs.type
            return VectorType(t.count, I1) if isinstance(t, VectorType) else I1
        case ir.Conversion():
            return instruction.to
        case ir.Select():
            return instruction.then.type
        case ir.Load(type=type_):
            return type_
        case ir.Call():
            return None if isinstance(instruction.type.result, StructType) else instruction.type.result
        case ir.AtomicRMW():
            return instruction.value.type
        case ir.InsertElement():
            return instruction.vector.type
        case ir.ExtractElement():
            t = instruction.vector.type
            assert isinstance(t, VectorType)
            return t.element
        case ir.ShuffleVector():
            return instruction.first.type
        case _:
            return None


def llvm_type(type_: Type) -> str:
    match type_:
        case IntType(bits):
            return f"i{bits}"
        case FloatType(kind):
            return kind
        case VectorType(count, inner):
            return f"<{count} x {llvm_type(inner)}>"
        case _:
            raise AssertionError(type_)


def compiled(functions: list[Pruned], declarations: set[str], level: int) -> llvm.ExecutionEngine:
    """One module with all functions, compiled for the host."""
    text = [f'target datalayout = "{LAYOUT}"', *sorted(declarations)]
    for number, function in enumerate(functions):
        text += [f"define void @f{number}(ptr %in, ptr %out) {{", *function.lines]
        for slot, (name, type_, _) in enumerate(function.results):
            text.append(f"%o{slot} = getelementptr i8, ptr %out, i64 {slot * STRIDE}")
            text.append(f"store {llvm_type(type_)} %{name}, ptr %o{slot}")
        text += ["ret void", "}"]
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(opt=level)  # no features of this host: the same code everywhere
    module = llvm.parse_assembly("\n".join(text))
    module.verify()
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


def agrees(type_: Type, ours: RuntimeValue, theirs: RuntimeValue) -> bool:
    if isinstance(ours, Composite):
        assert isinstance(type_, VectorType) and isinstance(theirs, Composite)
        return all(agrees(type_.element, a, b) for a, b in zip(ours.elements, theirs.elements, strict=True))
    return ours == theirs or (contains_nan(type_, ours) and contains_nan(type_, theirs))


@pytest.mark.parametrize("level", [0, 2])
def test_llvm_computes_the_same(level: int) -> None:
    rng = random.Random(100 + level)
    functions, inputs, declarations = [], [], set()
    for _ in range(14):
        writer, data = random_lines(rng, 160), random_data(rng)
        functions.append(Pruned(writer, data))
        inputs.append(data)
        declarations |= writer.declarations
    engine = compiled(functions, declarations, level)
    compared = 0
    for number, (function, data) in enumerate(zip(functions, inputs, strict=True)):
        source = (ctypes.c_char * (len(data) + 64))()
        start = -ctypes.addressof(source) % 32
        ctypes.memmove(ctypes.addressof(source) + start, data, len(data))
        target = (ctypes.c_char * (len(function.results) * STRIDE + 64))()
        out = -ctypes.addressof(target) % 32
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(
            engine.get_function_address(f"f{number}")
        )
        call(ctypes.addressof(source) + start, ctypes.addressof(target) + out)
        for slot, (name, type_, ours) in enumerate(function.results):
            at = out + slot * STRIDE
            theirs = decoded(type_, target.raw[at : at + STRIDE], function.layout)
            line = next(x for x in function.lines if x.startswith(f"%{name} ="))
            assert agrees(type_, ours, theirs), (line, ours, theirs)
            compared += 1
    assert compared > 900


def decoded(type_: Type, data: bytes, layout: Layout) -> RuntimeValue:
    """A value as it lies in memory, read without the interpreter: little-endian, vectors packed."""
    bits = int.from_bytes(data, "little")
    if isinstance(type_, VectorType):
        n = layout.bits(type_.element)
        return Composite(tuple(Value(bits >> (i * n) & ((1 << n) - 1)) for i in range(type_.count)))
    return Value(bits & ((1 << layout.bits(type_)) - 1))
