"""Runs straight-line functions by the instruction functions alone, without the machine: for tests only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from convergence.ir import Local, Operand
from convergence.ir import instructions as ir
from convergence.ir.instructions import operands
from convergence.ir.module import Function, Module
from convergence.parser import parse
from convergence.semantics.arithmetic import ConcreteDomain
from convergence.semantics.arithmetic.domain import Domain
from convergence.semantics.instructions import prepare, prepare_access, prepare_intrinsic
from convergence.semantics.instructions.expressions import constant
from convergence.semantics.instructions.memory import prepare_alloca
from convergence.semantics.memory.accesses import perform
from convergence.semantics.memory.allocations import Memory
from convergence.semantics.memory.globals import initial_memory
from convergence.semantics.values import RuntimeValue, Value
from convergence.semantics.values.context import Context
from convergence.semantics.values.datalayout import Layout

THREAD = 0


class Runner:
    """One module, its memory, and the values of one activation."""

    def __init__(self, module: Module | str, domain: Domain | None = None) -> None:
        self.module = parse(module, ask_llvm=False) if isinstance(module, str) else module
        addresses: dict[str, Value] = {}
        layout = Layout(self.module.datalayout, self.module.types)
        self.context = Context(self.module, domain or ConcreteDomain(), layout, addresses.__getitem__)
        self.memory: Memory = initial_memory(self.context, addresses)
        self.values: dict[str, RuntimeValue] = {}

    def value(self, operand: Operand) -> RuntimeValue:
        if isinstance(operand, Local):
            return self.values[operand.name]
        return constant(operand, self.context)

    def step(self, instruction: ir.Instruction) -> RuntimeValue | None:
        """Executes one instruction that is no terminator."""
        action: Callable[..., RuntimeValue] | None
        result: RuntimeValue | None
        if isinstance(instruction, ir.Alloca):
            values = [self.value(o) for o in operands(instruction)]
            request = prepare_alloca(instruction, self.context)(*values)
            result = self.memory.allocate(
                request.size, request.align, THREAD, f"%{instruction.result}", request.address_space
            )
        elif (access := prepare_access(instruction, self.context)) is not None:
            values = [self.value(o) for o in operands(instruction)]
            result = perform(access(*values), self.memory, THREAD)
        else:
            action = prepare(instruction, self.context)
            if action is None and isinstance(instruction, ir.CallSite):
                action = prepare_intrinsic(instruction, self.context)
            assert action is not None, instruction
            result = action(*(self.value(o) for o in operands(instruction)))
        if instruction.result is not None:
            assert result is not None
            self.values[instruction.result] = result
        return result

    def call(self, name: str, arguments: Sequence[RuntimeValue] = ()) -> RuntimeValue | None:
        """Runs a function of one block; its return value."""
        function: Function = self.module.functions[name]
        self.values = {p.name: a for p, a in zip(function.parameters, arguments, strict=True)}
        for instruction in function.instructions:
            if isinstance(instruction, ir.Ret):
                return None if instruction.value is None else self.value(instruction.value)
            self.step(instruction)
        raise AssertionError("no return")


def evaluate(text: str, arguments: Sequence[RuntimeValue] = (), prelude: str = "") -> RuntimeValue | None:
    """The value of ``text``, the body of a function whose parameters are given by their header."""
    return Runner(f"{prelude}\n{text}").call("f", arguments)


def body(
    result: str,
    lines: str,
    parameters: Mapping[str, str] | None = None,
    prelude: str = "",
    layout: str | None = None,
) -> Runner:
    """A module with ``@f(parameters)`` that executes ``lines`` and returns ``%r``."""
    header = ", ".join(f"{type_} %{name}" for name, type_ in (parameters or {}).items())
    target = f'target datalayout = "{layout}"\n' if layout is not None else ""
    ret = "ret void" if result == "void" else f"ret {result} %r"
    return Runner(f"{target}{prelude}\ndefine {result} @f({header}) {{\n{lines}\n{ret}\n}}\n")
