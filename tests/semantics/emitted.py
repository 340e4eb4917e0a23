"""Compiles single instructions by the instruction functions over the emitting domain, for tests only."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from llvmlite import binding as llvm

from convergence.ir import ArrayType, PointerType, StructType, Type, VectorType
from convergence.ir.module import Module
from convergence.semantics.arithmetic.emitting import EmittedLines, EmittingDomain, int_text, truth_text
from convergence.semantics.instructions.lifting import result_type
from convergence.semantics.values import Composite, Pointer, RuntimeValue, Value, scalars
from convergence.semantics.values.datalayout import Layout
from tests.semantics.straight import Runner

SLOT = 144
"""Bytes of a scalar that goes in or comes out: its bits, and in the last byte whether it is poison."""


def engine(text: str, symbols: dict[str, int], optimised: int = 1) -> Any:
    """The machine code of a module; keep it as long as the code is used."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name, address in symbols.items():
        llvm.add_symbol(name, address)
    machine = llvm.Target.from_default_triple().create_target_machine(
        opt=optimised, cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), jit=True
    )
    module = llvm.parse_assembly(text)
    module.verify()
    if optimised:
        options = llvm.create_pipeline_tuning_options(speed_level=optimised)
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
    made = llvm.create_mcjit_compiler(module, machine)
    made.finalize_object()
    return made


def scalar_types(type_: Type, layout: Layout) -> list[Type]:
    """The types of all scalars of a type, depth first."""
    type_ = layout.resolve(type_)
    match type_:
        case VectorType(count, element) | ArrayType(count, element):
            return scalar_types(element, layout) * count
        case StructType(parts):
            return [t for part in parts for t in scalar_types(part, layout)]
        case _:
            return [type_]


class Emitted:
    """A function whose first instruction defines ``%r``, as the text of a function in LLVM IR.

    Raises NotNative where that cannot be emitted.
    """

    def __init__(self, module: Module, name: str) -> None:
        self.code = code = EmittedLines()
        runner = Runner(module, EmittingDomain(code, self._guard))
        self.layout = layout = runner.context.layout
        function = module.functions[name]
        self.parameters = [p.type for p in function.parameters]
        type_ = result_type(next(iter(function.instructions)), layout)
        assert type_ is not None
        self.widths = [layout.bits(t) for t in scalar_types(type_, layout)]
        self._place = 0
        runner.call(name, [self._argument(t) for t in self.parameters])
        results = scalars(runner.values["r"])
        for number, (scalar, width) in enumerate(zip(results, self.widths, strict=True)):
            at = code.typed(f"getelementptr i8, ptr %out, i64 {number * SLOT}")
            code.line(f"store i{width} {int_text(scalar.bits)}, ptr {at}")
            flag = code.typed(f"getelementptr i8, ptr {at}, i64 {SLOT - 1}")
            whether = code.typed(f"zext i1 {truth_text(scalar.poison)} to i8")
            code.line(f"store i8 {whether}, ptr {flag}")
        code.line("ret i1 true")
        code.label("back")
        code.line("ret i1 false")
        self.text = f"define i1 @{name}(ptr %in, ptr %out) {{\n" + "\n".join(code.lines) + "\n}\n"

    def _guard(self, condition: Any) -> None:
        go_on = self.code.new_label("on")
        self.code.line(f"br i1 {condition}, label %{go_on}, label %back")
        self.code.label(go_on)

    def _argument(self, type_: Type) -> RuntimeValue:
        type_ = self.layout.resolve(type_)
        match type_:
            case VectorType(count, element) | ArrayType(count, element):
                return Composite(tuple(self._argument(element) for _ in range(count)))
            case StructType(parts):
                return Composite(tuple(map(self._argument, parts)))
        width = self.layout.bits(type_)
        at = self.code.typed(f"getelementptr i8, ptr %in, i64 {self._place * SLOT}")
        self._place += 1
        bits = self.code.value(width, f"load i{width}, ptr {at}")
        flag = self.code.typed(f"getelementptr i8, ptr {at}, i64 {SLOT - 1}")
        poison = self.code.value(1, f"trunc i8 {self.code.typed(f'load i8, ptr {flag}')} to i1")
        return Pointer(bits, None, poison) if isinstance(type_, PointerType) else Value(bits, poison)


class Compiled:
    """Emitted functions as machine code, all of one module."""

    def __init__(self, functions: dict[str, Emitted], optimised: int = 1) -> None:
        self.functions = functions
        declarations: dict[str, str] = {}
        symbols: dict[str, int] = {}
        for function in functions.values():
            declarations |= function.code.declarations
            symbols |= function.code.symbols
        text = "\n".join([*declarations.values(), *(f.text for f in functions.values())])
        self._engine = engine(text, symbols, optimised)

    def __call__(self, name: str, arguments: Sequence[RuntimeValue]) -> list[tuple[int, bool]] | None:
        """The result's scalars, as bits and whether they are poison; ``None`` if it was handed back."""
        signature = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_char_p, ctypes.c_char_p)
        function = signature(self._engine.get_function_address(name))
        given = [s for argument in arguments for s in scalars(argument)]
        slots = [int(s.bits).to_bytes(SLOT - 1, "little") + bytes([bool(s.poison)]) for s in given]
        widths = self.functions[name].widths
        out = ctypes.create_string_buffer(len(widths) * SLOT)
        if not function(b"".join(slots), out):
            return None
        results = []
        for number, width in enumerate(widths):
            slot = out.raw[number * SLOT : (number + 1) * SLOT]
            results.append((int.from_bytes(slot[: -(-width // 8)], "little"), bool(slot[-1])))
        return results
