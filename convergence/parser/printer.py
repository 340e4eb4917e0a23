"""A module as canonical text: what it prints LLVM takes, and parsing it gives the module back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from ..ir import (
    I1,
    Aggregate,
    ArrayType,
    BlockAddress,
    Bytes,
    ConstantExpression,
    Float,
    FloatType,
    Global,
    GlobalWrapper,
    InlineAsm,
    Int,
    Local,
    Metadata,
    MetadataOperand,
    MetadataRecord,
    MetadataReference,
    MetadataString,
    MetadataTuple,
    MetadataValue,
    NamedType,
    Operand,
    Packed,
    PtrAuth,
    Simple,
    Splat,
    StructType,
    Type,
    VectorType,
    address_space,
    quoted,
    spelled,
    text_bytes,
    type_text,
)
from ..ir import instructions as ir
from ..ir.instructions import Argument, Bundle, CallSite, Instruction, Words
from ..ir.module import Alias, Function, GlobalVariable, Module, Parameter
from .llvm import Unsupported
from .names import spelled_float, spelled_integer, spelled_metadata_name

# ----------------------------------------------------------------------------------------------------------
# Types, operands and metadata as canonical text (LangRef, *Type System*, *Constants*, *Metadata*).
# ----------------------------------------------------------------------------------------------------------

METADATA = (MetadataString, MetadataReference, MetadataTuple, MetadataRecord, MetadataValue)
_CONVERSIONS = frozenset(
    "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast "
    "addrspacecast".split()
)


def spaced(words: Iterable[str]) -> str:
    """Words, each followed by a space."""
    return "".join(f"{word} " for word in words)


class ValuePrinter:
    """``types`` are the module's: a named struct's constant is spelled packed if its type is."""

    def __init__(self, types: Mapping[str, Type | None]) -> None:
        self.types = types

    def typed(self, operand: Operand) -> str:
        """An operand with its type before it."""
        if isinstance(operand, MetadataOperand):
            return self.value(operand)
        return f"{type_text(operand.type)} {self.value(operand)}"

    def typed_list(self, operands: Iterable[Operand]) -> str:
        return ", ".join(map(self.typed, operands))

    def value(self, operand: Operand) -> str:
        """An operand without its type."""
        match operand:
            case Local(_, name):
                return "%" + spelled(name)
            case Global(name, _):
                return "@" + spelled(name)
            case Int(type, value):
                return ("false", "true")[value] if type == I1 and value in (0, 1) else spelled_integer(value)
            case Float(type, bits):
                assert isinstance(type, FloatType)
                return spelled_float(bits, type.kind)
            case Simple(_, kind):
                return kind
            case Bytes(_, data):
                return f"c{quoted(data)}"
            case Packed(type):
                return self._aggregate(type, tuple(operand.parts()))
            case Aggregate(type, elements):
                return self._aggregate(type, elements)
            case Splat(_, element):
                return f"splat ({self.typed(element)})"
            case ConstantExpression():
                return self._expression(operand)
            case BlockAddress(function, block, _):
                return f"blockaddress(@{spelled(function)}, %{spelled(block)})"
            case GlobalWrapper(kind, name, _):
                return f"{kind} @{spelled(name)}"
            case PtrAuth(operands, _):
                return f"ptrauth ({self.typed_list(operands)})"
            case InlineAsm(_, flags, text, constraints):
                return f"asm {spaced(flags)}{quoted(text_bytes(text))}, {quoted(text_bytes(constraints))}"
            case MetadataOperand(metadata, _):
                return f"metadata {self.metadata(metadata)}"

    def _aggregate(self, type: Type, elements: tuple[Operand, ...]) -> str:
        inner = self.typed_list(elements)
        definition: Type | None = type
        while isinstance(definition, NamedType):
            definition = self.types.get(definition.name)
        match definition:
            case ArrayType():
                return f"[{inner}]"
            case VectorType():
                return f"<{inner}>"
            case StructType(_, True):
                return f"<{{ {inner} }}>" if elements else "<{}>"
            case _:
                return f"{{ {inner} }}" if elements else "{}"

    def _expression(self, expression: ConstantExpression) -> str:
        head = expression.opcode + " " + spaced(expression.flags)
        if expression.opcode in _CONVERSIONS:
            return f"{head}({self.typed(expression.operands[0])} to {type_text(expression.type)})"
        source = "" if expression.source is None else type_text(expression.source) + ", "
        return f"{head}({source}{self.typed_list(expression.operands)})"

    # -- metadata

    def metadata(self, metadata: Metadata | None) -> str:
        match metadata:
            case None:
                return "null"
            case MetadataString(data):
                return f"!{quoted(data)}"
            case MetadataReference(name):
                return "!" + name
            case MetadataTuple(elements):
                return f"!{{{', '.join(map(self.metadata, elements))}}}"
            case MetadataRecord(kind, fields):
                inner = ", ".join(self._field(kind, key, value) for key, value in fields)
                return f"!{spelled_metadata_name(kind)}({inner})"
            case MetadataValue(value):
                return self.typed(value)

    def _field(self, kind: str, key: str | None, value: Metadata | str | None) -> str:
        text = value if isinstance(value, str) else self.metadata(value)
        if kind == "GenericDINode" and isinstance(value, MetadataTuple):
            text = text[1:]  # its operands are a list in plain braces
        return text if key is None else f"{key}: {text}"

    def attachments(self, attachments: Iterable[tuple[str, Metadata]], before: str = ", ") -> str:
        return "".join(
            f"{before}!{spelled_metadata_name(kind)} {self.metadata(node)}" for kind, node in attachments
        )

    def argument(self, argument: Argument) -> str:
        if isinstance(argument.value, MetadataOperand):
            return self.value(argument.value)
        return f"{type_text(argument.value.type)} {spaced(argument.attributes)}{self.value(argument.value)}"


def print_words(words: Words) -> str:
    """Words, each preceded by a space."""
    return "".join(f" {word}" for word in words)


# ----------------------------------------------------------------------------------------------------------
# Instructions as canonical text (LangRef, *Instruction Reference*).
# ----------------------------------------------------------------------------------------------------------

Known = (
    ir.Terminator | ir.Call | ir.FNeg | ir.Binary | ir.ICmp | ir.FCmp | ir.Conversion | ir.ExtractElement
    | ir.InsertElement | ir.ShuffleVector | ir.ExtractValue | ir.InsertValue | ir.Alloca | ir.Load | ir.Store
    | ir.Fence | ir.CmpXchg | ir.AtomicRMW | ir.GetElementPtr | ir.Phi | ir.Select | ir.Freeze | ir.VAArg
    | ir.LandingPad | ir.CatchPad | ir.CleanupPad | ir.DebugRecord
)  # fmt: skip
"""Every instruction of the LangRef."""


def label(name: str) -> str:
    return f"label %{spelled(name)}"


def labels(names: tuple[str, ...]) -> str:
    return "[" + ", ".join(map(label, names)) + "]"


def _align(align: int | None) -> str:
    return "" if align is None else f", align {align}"


def _ordering(scope: str | None, *orderings: str | None) -> str:
    words = [] if scope is None else [f'syncscope("{scope}")']
    return print_words((*words, *(o for o in orderings if o is not None)))


def _volatile(volatile: bool) -> str:
    return "volatile " if volatile else ""


class InstructionPrinter(ValuePrinter):
    def instruction(self, instruction: Instruction) -> str:
        """One instruction on one line, without indentation."""
        result = "" if instruction.result is None else f"%{spelled(instruction.result)} = "
        known: Known = instruction  # type: ignore[assignment]
        return result + self._body(known) + self.attachments(instruction.attachments)

    def _body(self, i: Known) -> str:
        typed, value = self.typed, self.value
        match i:
            case CallSite():
                return self._call(i)
            # terminators
            case ir.Ret(returned):
                return "ret void" if returned is None else f"ret {typed(returned)}"
            case ir.Br(target):
                return f"br {label(target)}"
            case ir.CondBr(condition, then, otherwise):
                return f"br {typed(condition)}, {label(then)}, {label(otherwise)}"
            case ir.Switch(of, default, cases):
                inner = " ".join(f"{typed(case)}, {label(block)}" for case, block in cases)
                return f"switch {typed(of)}, {label(default)} [{inner}]"
            case ir.IndirectBr(address, targets):
                return f"indirectbr {typed(address)}, {labels(targets)}"
            case ir.Resume(of):
                return f"resume {typed(of)}"
            case ir.CatchSwitch(parent, handlers, unwind):
                return f"catchswitch within {value(parent)} {labels(handlers)} unwind {_unwind(unwind)}"
            case ir.CatchRet(pad, target):
                return f"catchret from {value(pad)} to {label(target)}"
            case ir.CleanupRet(pad, unwind):
                return f"cleanupret from {value(pad)} unwind {_unwind(unwind)}"
            case ir.Unreachable():
                return "unreachable"
            # unary, binary, comparison, conversion
            case ir.FNeg(of, flags):
                return f"fneg {spaced(flags)}{typed(of)}"
            case ir.Binary(opcode, lhs, rhs, flags):
                return f"{opcode} {spaced(flags)}{typed(lhs)}, {value(rhs)}"
            case ir.ICmp(predicate, lhs, rhs, flags):
                return f"icmp {spaced(flags)}{predicate} {typed(lhs)}, {value(rhs)}"
            case ir.FCmp(predicate, lhs, rhs, flags):
                return f"fcmp {spaced(flags)}{predicate} {typed(lhs)}, {value(rhs)}"
            case ir.Conversion(opcode, of, to, flags):
                return f"{opcode} {spaced(flags)}{typed(of)} to {type_text(to)}"
            # vectors and aggregates
            case ir.ExtractElement(vector, index):
                return f"extractelement {self.typed_list((vector, index))}"
            case ir.InsertElement(vector, element, index):
                return f"insertelement {self.typed_list((vector, element, index))}"
            case ir.ShuffleVector(first, second, mask):
                return f"shufflevector {self.typed_list((first, second, mask))}"
            case ir.ExtractValue(aggregate, indices):
                return f"extractvalue {', '.join([typed(aggregate), *map(str, indices)])}"
            case ir.InsertValue(aggregate, element, indices):
                return f"insertvalue {', '.join([typed(aggregate), typed(element), *map(str, indices)])}"
            # memory
            case ir.Alloca(type, count, align, space, flags):
                number = "" if count is None else f", {typed(count)}"
                where = "" if space == 0 else f", {address_space(space)}"
                return f"alloca {spaced(flags)}{type_text(type)}{number}{_align(align)}{where}"
            case ir.Load(type, pointer, align, volatile, ordering, scope):
                atomic = "" if ordering is None else "atomic "
                head = f"load {atomic}{_volatile(volatile)}{type_text(type)}, {typed(pointer)}"
                return head + _ordering(scope, ordering) + _align(align)
            case ir.Store(of, pointer, align, volatile, ordering, scope):
                atomic = "" if ordering is None else "atomic "
                head = f"store {atomic}{_volatile(volatile)}{typed(of)}, {typed(pointer)}"
                return head + _ordering(scope, ordering) + _align(align)
            case ir.Fence(ordering, scope):
                return f"fence{_ordering(scope, ordering)}"
            case ir.CmpXchg(pointer, expected, replacement, success, failure, weak, volatile, scope, align):
                head = f"cmpxchg {'weak ' if weak else ''}{_volatile(volatile)}"
                operands = self.typed_list((pointer, expected, replacement))
                return head + operands + _ordering(scope, success, failure) + _align(align)
            case ir.AtomicRMW(operation, pointer, of, ordering, volatile, scope, align):
                head = f"atomicrmw {_volatile(volatile)}{operation} {self.typed_list((pointer, of))}"
                return head + _ordering(scope, ordering) + _align(align)
            case ir.GetElementPtr(source, pointer, offsets, flags):
                operands = self.typed_list((pointer, *offsets))
                return f"getelementptr {spaced(flags)}{type_text(source)}, {operands}"
            # other
            case ir.Phi(type, incoming, flags):
                pairs = ", ".join(f"[ {value(of)}, %{spelled(block)} ]" for of, block in incoming)
                return f"phi {spaced(flags)}{type_text(type)}{' ' if pairs else ''}{pairs}"
            case ir.Select(condition, then_value, else_value, flags):
                return f"select {spaced(flags)}{self.typed_list((condition, then_value, else_value))}"
            case ir.Freeze(of):
                return f"freeze {typed(of)}"
            case ir.VAArg(pointer, type):
                return f"va_arg {typed(pointer)}, {type_text(type)}"
            case ir.LandingPad(type, cleanup, clauses):
                inner = "".join(f" {kind} {typed(of)}" for kind, of in clauses)
                return f"landingpad {type_text(type)}{' cleanup' if cleanup else ''}{inner}"
            case ir.CatchPad(parent, arguments):
                return f"catchpad within {value(parent)} [{self.typed_list(arguments)}]"
            case ir.CleanupPad(parent, arguments):
                return f"cleanuppad within {value(parent)} [{self.typed_list(arguments)}]"
            case ir.DebugRecord(kind, items):
                inner = ", ".join(self.metadata(x) if isinstance(x, METADATA) else typed(x) for x in items)
                return f"#{kind}({inner})"
            case _:
                assert_never(i)

    def _bundle(self, bundle: Bundle) -> str:
        return f"{quoted(text_bytes(bundle.tag))}({self.typed_list(bundle.inputs)})"

    def _callee(self, callee: Operand) -> str:
        return self.value(callee)

    def _call(self, call: ir.Call | ir.Invoke | ir.CallBr) -> str:
        arguments = [*map(self.argument, call.arguments), *(["..."] if call.ellipsis else [])]
        convention = " ".join(call.convention)
        head = [
            *call.fast_math,
            *([convention] if convention else []),
            *call.return_attributes,
            *([] if call.address_space is None else [address_space(call.address_space)]),
            type_text(call.type if call.explicit_type else call.type.result),
            f"{self.value(call.callee)}({', '.join(arguments)})",
            *call.attributes,
        ]
        if call.bundles:
            head.append(f"[ {', '.join(map(self._bundle, call.bundles))} ]")
        text = " ".join(head)
        match call:
            case ir.Invoke():
                return f"invoke {text} to {label(call.normal)} unwind {label(call.unwind)}"
            case ir.CallBr():
                return f"callbr {text} to {label(call.fallthrough)} {labels(call.indirect)}"
            case ir.Call():
                return f"{call.marker + ' ' if call.marker else ''}call {text}"


def _unwind(target: str | None) -> str:
    return "to caller" if target is None else label(target)


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
