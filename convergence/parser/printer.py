"""A module as canonical text: what it prints LLVM takes, and parsing it gives the module back."""

from __future__ import annotations

from ..ir.instructions import Instruction
from ..ir.module import Alias, Function, GlobalVariable, Module, Parameter
from ..ir.spelling import quoted, spelled, text_bytes
from ..ir.types import Type, address_space, type_text
from .errors import Unsupported
from .names import spelled_metadata_name
from .print_instructions import InstructionPrinter
from .print_values import print_words, spaced

_AFTER_PARAMETERS = ("unnamed_addr", "local_unnamed_addr")


def print_module(module: Module) -> str:
    """The whole module, entity by entity in the order of the LangRef's *Module Structure*."""
    try:
        return _ModulePrinter(module).text()
    except RecursionError:
        raise Unsupported("nested too deeply to be printed") from None


def print_instruction(instruction: Instruction, module: Module | None = None) -> str:
    """One instruction on one line; ``module`` tells which named structs are packed."""
    return InstructionPrinter({} if module is None else module.types).instruction(instruction)


def print_function(function: Function, module: Module | None = None) -> str:
    """A definition or declaration."""
    return _ModulePrinter(Module() if module is None else module).function(function)


def _string(text: str) -> str:
    return quoted(text_bytes(text))


class _ModulePrinter(InstructionPrinter):
    def __init__(self, module: Module) -> None:
        super().__init__(module.types)
        self.module = module

    def text(self) -> str:
        m = self.module
        parts: list[str] = []
        if m.source_filename is not None:
            parts.append(f"source_filename = {_string(m.source_filename)}")
        if m.datalayout is not None:
            parts.append(f"target datalayout = {_string(m.datalayout)}")
        if m.triple is not None:
            parts.append(f"target triple = {_string(m.triple)}")
        parts += [f"module asm {_string(line)}" for line in m.assembly]
        parts += [f"%{spelled(name)} = type {_definition(type)}" for name, type in m.types.items()]
        parts += [f"${spelled(name)} = comdat {kind}" for name, kind in m.comdats.items()]
        parts += map(self.global_variable, m.globals.values())
        parts += map(self.alias, m.aliases.values())
        parts += [self.function(f) for f in m.functions.values() if not f.implicit]
        parts += [f"attributes #{number} = {{{print_words(words)} }}" for number, words in m.groups.items()]
        parts += [
            f"!{spelled_metadata_name(name)} = !{{{', '.join(map(self.metadata, nodes))}}}"
            for name, nodes in m.named_metadata.items()
        ]
        parts += [
            f"!{node.name} = {'distinct ' if node.distinct else ''}{self.metadata(node.value)}"
            for node in m.metadata.values()
        ]
        parts += m.use_list_orders
        parts += m.summary
        return "\n".join(parts) + "\n"

    def global_variable(self, g: GlobalVariable) -> str:
        space = "" if g.address_space == 0 else address_space(g.address_space) + " "
        external = "externally_initialized " if g.externally_initialized else ""
        kind = "constant" if g.constant else "global"
        value = "" if g.initializer is None else " " + self.value(g.initializer)
        tail = "".join(f", {word}" for word in g.tail) + self.attachments(g.attachments)
        head = f"@{spelled(g.name)} = {spaced(g.words)}{space}{external}{kind} {type_text(g.type)}"
        return head + value + tail + print_words(g.attributes)

    def alias(self, a: Alias) -> str:
        tail = "".join(f", {word}" for word in a.tail) + self.attachments(a.attachments)
        head = f"@{spelled(a.name)} = {spaced(a.words)}{a.kind} {type_text(a.type)}"
        return f"{head}, {self.typed(a.target)}{tail}"

    def _parameter(self, parameter: Parameter) -> str:
        return f"{type_text(parameter.type)}{print_words(parameter.attributes)} %{spelled(parameter.name)}"

    def function(self, f: Function) -> str:
        parameters = [*map(self._parameter, f.parameters), *(["..."] if f.type.variadic else [])]
        before = spaced(w for w in f.words if w not in _AFTER_PARAMETERS)
        convention = " ".join(f.convention) + " " if f.convention else ""
        after = [w for w in f.words if w in _AFTER_PARAMETERS]
        if f.address_space is not None:
            after.append(address_space(f.address_space))
        signature = (
            f"{before}{convention}{spaced(f.return_attributes)}{type_text(f.type.result)} "
            f"@{spelled(f.name)}({', '.join(parameters)}){print_words((*after, *f.attributes, *f.tail))}"
        )
        if f.body is None:
            return f"declare{self.attachments(f.attachments, ' ')} {signature}"
        lines = [f"define {signature}{self.attachments(f.attachments, ' ')} {{"]
        for block in f.body.blocks:
            lines.append(f"{spelled(block.name)}:")
            lines += [f"  {self.instruction(i)}" for i in block.instructions]
        lines += [f"  {directive}" for directive in f.use_list_orders]
        return "\n".join([*lines, "}"])


def _definition(type: Type | None) -> str:
    return "opaque" if type is None else type_text(type)
