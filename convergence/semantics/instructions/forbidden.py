"""Which accesses of a definition break what its attributes promise of memory (LangRef, ``memory``,
``readonly``, ``writeonly``, ``readnone``): undefined behaviour, where they are done.

An access is looked at by what its address is computed from, through what computes addresses only. It breaks a
promise if all that it may be based on is forbidden: objects of the function itself are its own business, what
a call or a load gives may be based on anything, and what never changes may be read: constants, what
``!invariant.load`` says it of, and what lies in other address spaces than memory that threads write to.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...ir import instructions as ir
from ...ir.calls import argument_words, callee_name
from ...ir.module import Function, Module
from ...ir.operands import ConstantExpression, Global, Local, Operand
from ...ir.targets import has_own_object
from ...ir.types import PointerType
from ..operations.effects import EVERYWHERE, effects_of, memory_words


class ForbiddenAccesses:
    """What one definition promises not to do, held against its text."""

    def __init__(self, module: Module, function: Function) -> None:
        words = memory_words(module.resolve(function.attributes))
        self._effects = effects_of(words) if words else None
        self._module, self._function = module, function
        self._parameters = {p.name: module.resolve(p.attributes) for p in function.parameters}
        self._definitions: dict[str | None, ir.Instruction] | None = None

    def broken(self, instruction: ir.Instruction) -> str | None:
        """The promise that an instruction breaks where it is executed, in words; ``None`` if it breaks none
        for certain."""
        for pointer, write in _accessed(instruction):
            roots = list(self._roots(pointer))
            if (promise := self._of_parameters(roots, write) or self._of_function(roots, write)) is not None:
                return f"{'a write' if write else 'a read'} in @{self._function.name}, {promise}"
        return None

    def _of_parameters(self, roots: list[Operand], write: bool) -> str | None:
        """All that the address may be based on is parameters that promise not to be accessed so."""
        promises = []
        for root in roots:
            if not isinstance(root, Local):
                return None
            words = self._parameters.get(root.name, ())
            word = next((w for w in words if write in _NOT.get(w, ())), None)
            if word is None:
                return None
            promises.append(f"whose %{root.name} is {word}")
        return promises[0] if promises else None

    def _of_function(self, roots: list[Operand], write: bool) -> str | None:
        """The function promises not to access so anything that the address may be based on."""
        if self._effects is None or not roots:
            return None
        allowed = self._effects.written_at if write else self._effects.read_at
        if any(not places or places & allowed for places in (self._places(root, write) for root in roots)):
            return None
        return "which promises not to touch that memory"

    def _places(self, root: Operand, write: bool) -> frozenset[str]:
        """The kinds of places that something based on ``root`` may be; none for what nobody else sees, or may
        be read by all."""
        match root:
            case Global(name=name):
                variable = self._module.globals.get(name)
                if variable is None or (variable.constant and not write):
                    return frozenset()
                return frozenset(("other",))
            case Local(name=name) if name in self._parameters:
                return frozenset() if has_own_object(self._parameters[name]) else frozenset(("argmem",))
            case Local(name=name) if not isinstance(self._definition(name), ir.Alloca):
                return EVERYWHERE
            case _:
                return frozenset()

    def _definition(self, name: str) -> ir.Instruction | None:
        if self._definitions is None:
            self._definitions = {i.result: i for i in self._function.instructions if i.result is not None}
        return self._definitions.get(name)

    def _returned(self, call: ir.CallSite) -> Operand | None:
        """The operand that a call promises to return."""
        function = self._module.functions.get(callee_name(call) or "")
        for place, argument in enumerate(call.arguments):
            if "returned" in argument_words(self._module, call, place, function):
                return argument.value
        return None

    def _roots(self, pointer: Operand) -> Iterator[Operand]:
        """What an address is computed from."""
        waiting, met = [pointer], set[str]()
        while waiting:
            operand = waiting.pop()
            if isinstance(operand, ConstantExpression):
                if operand.opcode not in ("getelementptr", "bitcast", "addrspacecast"):
                    yield operand
                waiting += operand.operands[:1]
            elif not isinstance(operand, Local):
                yield operand
            elif operand.name not in met:
                met.add(operand.name)
                match self._definition(operand.name):
                    case ir.GetElementPtr(pointer=base) | ir.Freeze(value=base):
                        waiting.append(base)
                    case ir.Conversion(opcode="bitcast" | "addrspacecast", value=base):
                        waiting.append(base)
                    case ir.Phi(incoming=incoming):
                        waiting += [value for value, _ in incoming]
                    case ir.Select(then=then, otherwise=otherwise):
                        waiting += [then, otherwise]
                    case ir.CallSite() as call if (given := self._returned(call)) is not None:
                        waiting.append(given)
                    case _:
                        yield operand


_WRITTEN_SPACES = (0, 1, 3, 5)
"""Address spaces of memory that threads write to, on all targets: generic, global, shared, own."""


def _may_change(load: ir.Load) -> bool:
    type_ = load.pointer.type
    constant = isinstance(type_, PointerType) and type_.address_space not in _WRITTEN_SPACES
    return not constant and all(kind != "invariant.load" for kind, _ in load.attachments)


_NOT = {"readnone": (False, True), "readonly": (True,), "writeonly": (False,)}
"""Attributes of a parameter, and whether it is writes that they forbid."""
_MOVES = ("llvm.memcpy.", "llvm.memmove.")


def _accessed(instruction: ir.Instruction) -> Iterator[tuple[Operand, bool]]:
    """The addresses that an instruction accesses, and whether it writes there."""
    match instruction:
        case ir.Load(pointer=pointer) if _may_change(instruction):
            yield pointer, False
        case ir.Store(pointer=pointer):
            yield pointer, True
        case ir.AtomicRMW(pointer=pointer) | ir.CmpXchg(pointer=pointer):
            yield pointer, False
            yield pointer, True
        case ir.CallSite() if (callee_name(instruction) or "").startswith((*_MOVES, "llvm.memset.")):
            yield instruction.arguments[0].value, True
            if (callee_name(instruction) or "").startswith(_MOVES):
                yield instruction.arguments[1].value, False
