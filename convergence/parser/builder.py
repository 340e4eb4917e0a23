"""Entities, instructions and values out of the rules of ``llvm.lark`` (sections: the LangRef's headings).

A method of the builder is named after its rule, or the alternative's alias; its arguments are what the rule's
children stand for. A rule without a method stands for its one child.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

from ..ir import (
    METADATA,
    PTR,
    TOKEN,
    VOID,
    Aggregate,
    ArrayType,
    BlockAddress,
    Bytes,
    ConstantExpression,
    Float,
    FloatType,
    FunctionType,
    Global,
    GlobalWrapper,
    InlineAsm,
    Int,
    IntType,
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
    PointerType,
    PtrAuth,
    Simple,
    SimpleType,
    Splat,
    StructType,
    TargetType,
    Type,
    VectorType,
)
from ..ir import instructions as ir
from ..ir.instructions import Argument, Bundle, Instruction, Words
from ..ir.module import Alias, Body, Function, GlobalVariable, MetadataNode, Parameter
from ..source import Span
from .names import (
    BlockLabel,
    IntrinsicNames,
    Numbering,
    blocks,
    call_words,
    finish,
    float_bits,
    header_words,
    integer,
    metadata_name,
    name,
    normal_string,
    normal_words,
    string,
)

M = TypeVar("M", bound=Callable[..., Any])
Attachments = tuple[tuple[str, Metadata], ...]
METADATA_CLASSES = (MetadataString, MetadataReference, MetadataTuple, MetadataRecord, MetadataValue)


def placed(method: M) -> M:
    """Marks a method that gets, before the children, where its rule's text begins and ends."""
    method.placed = True  # type: ignore[attr-defined]
    return method


# -- what terminals stand for ---------------------------------------------------------------------


FEW = 8
"""Types of which a spelling keeps its operand: it may be remembered from one text to the next."""


class Symbol:
    """``%name`` or ``@name``: a name, and its operand in each type that it was met with."""

    __slots__ = ("_cache", "_make", "name")

    def __init__(self, spelled: str, make: Callable[[Type, str], Operand]) -> None:
        self.name = name(spelled[1:])
        self._make = make
        self._cache: dict[int, Operand] = {}  # by the identity of the type, which the operand keeps alive

    def of(self, type: Type) -> Operand:
        entry = self._cache.get(id(type))
        if entry is None:
            if len(self._cache) >= FEW:
                self._cache.clear()
            entry = self._cache[id(type)] = self._make(type, self.name)
        return entry


class IntegerLiteral:
    """An integer as written."""

    __slots__ = ("_cache", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._cache: dict[int, Operand] = {}

    @property
    def number(self) -> int:
        """Its value where it counts something: elements, an index, an address space."""
        return integer(self.text)

    def of(self, type: Type) -> Operand:
        entry = self._cache.get(id(type))
        if entry is None:
            if len(self._cache) >= FEW:
                self._cache.clear()
            entry = self._cache[id(type)] = Int(type, self.number)
        return entry


class Untyped:
    """Any other value before its type is known."""

    __slots__ = ("of",)

    def __init__(self, of: Callable[[Type], Operand]) -> None:
        self.of = of


class Assembly(Untyped):
    """An inline assembler callee: a value of the call's function type."""

    __slots__ = ()


Value = Symbol | IntegerLiteral | Untyped


def _number_or_float(literal: str, type: Type) -> Operand:
    """A literal with a point or ``0x`` in the type that stands before it."""
    if not isinstance(type, FloatType):
        raise ValueError("floating point constant invalid for type")
    return Float(type, float_bits(literal, type.kind))


TERMINALS: dict[str, Callable[[str], Any]] = {
    "INTTYPE": lambda text: IntType(int(text[1:])),
    "FLOATTYPE": FloatType,
    "SIMPLETYPE": SimpleType,
    "LOCAL": lambda text: Symbol(text, Local),
    "GLOBAL": lambda text: Symbol(text, lambda type, name: Global(name, type)),
    "INT": IntegerLiteral,
    "FLOAT": lambda text: Untyped(lambda type: _number_or_float(text, type)),
    "ELLIPSIS": lambda text: ...,
}
"""What a terminal's text means; that of all others is their text."""

# -- what rules stand for that are no part of the IR ----------------------------------------------


class AddressSpace(NamedTuple):
    """``addrspace(N)``."""

    value: int | str


def text_of(token: str) -> str:
    return string(token).decode("utf-8", "surrogateescape")


def as_metadata(item: Operand | Metadata) -> Metadata:
    """Metadata as it is; an operand used as metadata wrapped."""
    return item if isinstance(item, METADATA_CLASSES) else MetadataValue(item)


def pairs(items: tuple[Any, ...]) -> Attachments:
    """The attachments among some children."""
    return tuple(x for x in items if type(x) is tuple)


_OF_TRUE: dict[str, Callable[[Type], Operand]] = {
    "true": lambda type: Int(type, 1),
    "false": lambda type: Int(type, 0),
}


class CallWords(NamedTuple):
    """What stands before a call's type."""

    fast_math: Words
    convention: Words
    return_attributes: Words
    address_space: int | str | None


def _block(operand: Operand) -> str:
    """The block that a ``label`` operand names."""
    if not isinstance(operand, Local):
        raise ValueError("expected a basic block")
    return operand.name


def _align(items: tuple[Any, ...]) -> int | None:
    """The number of the first ``align N`` among some children."""
    return next((int(x[6:]) for x in items if isinstance(x, str)), None)


_CALL: Callable[..., Instruction] = ir.Call  # their fields come in three parts
_INVOKE: Callable[..., Instruction] = ir.Invoke
_CALLBR: Callable[..., Instruction] = ir.CallBr


class Property(str):
    """A word that stands in a tail: section, comdat, gc, prefix, personality, ..."""

    __slots__ = ()


class Entity(NamedTuple):
    """One top-level entity: the field of ``Module`` that it adds to, its key there, and its value."""

    field: str
    key: str
    value: Any


class FunctionHeader(NamedTuple):
    """A function but for its body and its use-list orders, and the number after its parameters."""

    function: Callable[[Body | None, Words], Function]
    next: int


class Items(NamedTuple):
    """A body's labels and instructions, and its use-list orders."""

    items: tuple[BlockLabel | Instruction, ...]
    use_list_orders: Words


_MOVED = ("unnamed_addr", "local_unnamed_addr")


class Builder:
    """All of the grammar over one ``text``: entities, bodies, instructions, values. ``type_aliases`` are the
    names of types that are no structs."""

    METHODS: ClassVar[dict[str, bool]]
    """The rules that have a method, and whether it wants its place."""

    def __init__(self, text: str, type_aliases: dict[str, Type]) -> None:
        self.text = text
        self.type_aliases = type_aliases
        self.intrinsics: IntrinsicNames | None = None  # where LLVM's module has some
        self._types: dict[Any, Any] = {}
        self._spelled: dict[str, str] = {}
        self._simple: dict[str, Untyped] = {}
        self._call_words: dict[tuple[Any, ...], CallWords] = {}
        self._orderings: dict[Words, tuple[str | None, Words]] = {}
        self._placed_words: dict[Words, tuple[Words, Words, Words]] = {}

    def _header_words(self, words: Words) -> tuple[Words, Words, Words]:
        entry = self._placed_words.get(words)
        if entry is None:
            entry = self._placed_words[words] = header_words(words)
        return entry

    # -- Module Structure

    def module(self, *entities: Entity) -> tuple[Entity, ...]:
        return entities

    def source_filename(self, token: str) -> Entity:
        return Entity("source_filename", "", text_of(token))

    def data_layout(self, token: str) -> Entity:
        return Entity("datalayout", "", text_of(token))

    def target_triple(self, token: str) -> Entity:
        return Entity("triple", "", text_of(token))

    def module_level_inline_assembly(self, token: str) -> Entity:
        return Entity("assembly", "", text_of(token))

    def type_definition(self, symbol: Symbol, type: Type) -> Entity:
        return Entity("types", symbol.name, type)

    def opaque_definition(self, symbol: Symbol) -> Entity:
        return Entity("types", symbol.name, None)

    def comdats(self, token: str, kind: str) -> Entity:
        return Entity("comdats", name(token[1:]), kind)

    def attribute_groups(self, group: str, *words: str) -> Entity:
        return Entity("groups", group[1:], words)

    def named_metadata(self, token: str, *elements: Metadata | None) -> Entity:
        return Entity("named_metadata", metadata_name(token[1:]), elements)

    def metadata_definition(self, reference: MetadataReference, value: Any, distinct: bool = False) -> Entity:
        return Entity("metadata", reference.name, MetadataNode(reference.name, as_metadata(value), distinct))

    def distinct_definition(self, reference: MetadataReference, value: Any) -> Entity:
        return self.metadata_definition(reference, value, True)

    @placed
    def use_list_order(self, start: int, end: int, *children: Any) -> Entity:
        return Entity("use_list_orders", "", self._words_of(start, end))

    @placed
    def thinlto_summary(self, start: int, end: int, *children: Any) -> Entity:
        return Entity("summary", "", self._words_of(start, end))

    def section(self, token: str) -> Property:
        return Property(f"section {normal_string(token)}")

    def partition(self, token: str) -> Property:
        return Property(f"partition {normal_string(token)}")

    def gc(self, token: str) -> Property:
        return Property(f"gc {normal_string(token)}")

    def code_model(self, token: str) -> Property:
        return Property(f"code_model {normal_string(token)}")

    @placed
    def comdat(self, start: int, end: int, *children: Any) -> Property:
        return Property(self._words_of(start, end))

    prefix = comdat
    prologue = comdat

    @placed
    def personality(self, start: int, end: int, function: Operand) -> Property:
        """In today's spelling: the pointer's type may be a typed one."""
        words = self._words_of(start, end)
        if isinstance(function, Global) and '"' not in words:
            words = f"personality {function.type} @{function.name}"
        return Property(words)

    # -- Global Variables, Aliases

    def externally_initialized(self) -> str:
        return "externally_initialized"

    def global_words(self, *items: str | AddressSpace) -> tuple[str | AddressSpace, ...]:
        return items

    def global_properties(self, *items: Any) -> tuple[Any, ...]:
        return items

    def alias_properties(self, *items: Any) -> tuple[Any, ...]:
        return items

    def untyped_target(self, value: Value) -> Operand:
        return value.of(PTR)

    @placed
    def global_variables(
        self,
        start: int,
        end: int,
        symbol: Symbol,
        before: tuple[Any, ...],
        storage: str,
        type: Type,
        value: Value | None,
        properties: tuple[Any, ...],
        attributes: Words,
    ) -> Entity:
        words = tuple(x for x in before if isinstance(x, str))
        global_variable = GlobalVariable(
            name=symbol.name,
            type=type,
            constant=storage == "constant",
            initializer=None if value is None else value.of(type),
            words=tuple(w for w in words if w != "externally_initialized"),
            address_space=next((x.value for x in before if isinstance(x, AddressSpace)), 0),
            externally_initialized="externally_initialized" in words,
            tail=tuple(str(x) for x in properties if isinstance(x, str)),
            attributes=attributes,
            attachments=pairs(properties),
            span=Span(start, end),
        )
        return Entity("globals", symbol.name, global_variable)

    @placed
    def declared_variables(
        self,
        start: int,
        end: int,
        symbol: Symbol,
        before: tuple[Any, ...],
        linkage: str,
        after: tuple[Any, ...],
        storage: str,
        type: Type,
        properties: tuple[Any, ...],
        attributes: Words,
    ) -> Entity:
        words = (*before, linkage, *after)
        return self.global_variables(start, end, symbol, words, storage, type, None, properties, attributes)

    @placed
    def aliases(
        self,
        start: int,
        end: int,
        symbol: Symbol,
        before: tuple[Any, ...],
        kind: str,
        type: Type,
        target: Operand,
        properties: tuple[Any, ...],
    ) -> Entity:
        words = tuple(x for x in before if isinstance(x, str))
        tail = tuple(str(x) for x in properties if isinstance(x, str))
        attachments = pairs(properties)
        alias = Alias(symbol.name, kind, type, target, words, tail, attachments, Span(start, end))
        return Entity("aliases", symbol.name, alias)

    @placed
    def declared_aliases(
        self,
        start: int,
        end: int,
        symbol: Symbol,
        before: tuple[Any, ...],
        linkage: str,
        after: tuple[Any, ...],
        kind: str,
        type: Type,
        target: Operand,
        properties: tuple[Any, ...],
    ) -> Entity:
        words = (*before, linkage, *after)
        return self.aliases(start, end, symbol, words, kind, type, target, properties)

    # -- Functions

    def parameter(
        self, type: Type, attributes: Words, symbol: Symbol | None = None
    ) -> tuple[Type, Words, str | None]:
        return type, attributes, None if symbol is None else symbol.name

    def parameters(self, *items: Any) -> tuple[Any, ...]:
        return items

    @placed
    def definition_header(
        self,
        start: int,
        end: int,
        before: Words,
        result: Type,
        symbol: Symbol,
        parameters: tuple[Any, ...],
        properties: tuple[Any, ...],
        attachments: Attachments,
    ) -> FunctionHeader:
        linkage, convention, return_attributes = self._header_words(before)
        variadic = bool(parameters) and parameters[-1] is ...
        numbering = Numbering()
        formal = tuple(
            Parameter(type, numbering.take(plain), attributes)
            for type, attributes, plain in (parameters[:-1] if variadic else parameters)
        )
        words = [x for x in properties if isinstance(x, str) and not isinstance(x, Property)]
        attributes = tuple([w for w in words if w not in _MOVED])
        function = partial(
            Function,
            symbol.name,
            FunctionType(result, tuple([p.type for p in formal]), variadic),
            formal,
            attributes=attributes,
            return_attributes=return_attributes,
            convention=convention,
            words=linkage
            if len(attributes) == len(words)
            else (*linkage, *(w for w in words if w in _MOVED)),
            tail=tuple([str(x) for x in properties if isinstance(x, Property)]),
            address_space=next((x.value for x in properties if isinstance(x, AddressSpace)), None),
            attachments=attachments,
            span=Span(start, end),
        )
        return FunctionHeader(
            lambda body, orders: function(body=body, use_list_orders=orders), numbering.next
        )

    @placed
    def declaration(
        self,
        start: int,
        end: int,
        attachments: Attachments,
        before: Words,
        result: Type,
        symbol: Symbol,
        parameters: tuple[Any, ...],
        properties: tuple[Any, ...],
    ) -> Entity:
        header = self.definition_header(
            start, end, before, result, symbol, parameters, properties, attachments
        )
        return Entity("functions", symbol.name, header.function(None, ()))

    def definition(self, header: FunctionHeader, items: Items) -> Entity:
        function = header.function(Body(blocks(header.next, items.items)), items.use_list_orders)
        return Entity("functions", function.name, function)

    def body(self, *items: Any) -> Items:
        orders = tuple(x.value for x in items if isinstance(x, Entity))
        return Items(items[: len(items) - len(orders)], orders)

    @placed
    def label(self, start: int, end: int, token: str) -> BlockLabel:
        return BlockLabel(name(token[:-1]), Span(start, end))

    @placed
    def statement(self, start: int, end: int, instruction: Instruction) -> Instruction:
        return finish(instruction, None, Span(start, end))

    @placed
    def definition_of_value(
        self, start: int, end: int, symbol: Symbol, instruction: Instruction
    ) -> Instruction:
        return finish(instruction, symbol.name, Span(start, end))

    def debug_records(self, kind: str, *operands: Operand | Metadata) -> Instruction:
        return ir.DebugRecord(kind[1:], operands)

    # -- Terminator Instructions

    def ret_instruction(self, value: Operand, attachments: Attachments) -> Instruction:
        return ir.Ret(value, attachments=attachments)

    def ret_void(self, attachments: Attachments) -> Instruction:
        return ir.Ret(None, attachments=attachments)

    def br_instruction(self, target: Operand, attachments: Attachments) -> Instruction:
        return ir.Br(_block(target), attachments=attachments)

    def br_conditional(
        self, condition: Operand, then: Operand, otherwise: Operand, attachments: Attachments
    ) -> Instruction:
        return ir.CondBr(condition, _block(then), _block(otherwise), attachments=attachments)

    def switch_case(self, type: Type, value: Value, target: Operand) -> tuple[Operand, str]:
        return value.of(type), _block(target)

    def switch_cases(self, *cases: tuple[Operand, str]) -> tuple[tuple[Operand, str], ...]:
        return cases

    def switch_instruction(
        self,
        value: Operand,
        default: Operand,
        cases: tuple[tuple[Operand, str], ...],
        attachments: Attachments,
    ) -> Instruction:
        return ir.Switch(value, _block(default), cases, attachments=attachments)

    def targets(self, *blocks: Operand) -> tuple[str, ...]:
        return tuple(map(_block, blocks))

    def indirectbr_instruction(
        self, address: Operand, targets: tuple[str, ...], attachments: Attachments
    ) -> Instruction:
        return ir.IndirectBr(address, targets, attachments=attachments)

    def resume_instruction(self, value: Operand, attachments: Attachments) -> Instruction:
        return ir.Resume(value, attachments=attachments)

    def to_caller(self) -> None:
        return None

    def catchswitch_instruction(
        self, parent: Value, handlers: tuple[str, ...], unwind: Operand | None, attachments: Attachments
    ) -> Instruction:
        to = None if unwind is None else _block(unwind)
        return ir.CatchSwitch(parent.of(TOKEN), handlers, to, attachments=attachments)

    def catchret_instruction(self, pad: Value, target: Operand, attachments: Attachments) -> Instruction:
        return ir.CatchRet(pad.of(TOKEN), _block(target), attachments=attachments)

    def cleanupret_instruction(
        self, pad: Value, unwind: Operand | None, attachments: Attachments
    ) -> Instruction:
        to = None if unwind is None else _block(unwind)
        return ir.CleanupRet(pad.of(TOKEN), to, attachments=attachments)

    def unreachable_instruction(self, attachments: Attachments) -> Instruction:
        return ir.Unreachable(attachments=attachments)

    # -- Unary, Binary, Bitwise Binary, Conversion Operations, comparisons

    def unary_operations(self, flags: Words, value: Operand, attachments: Attachments) -> Instruction:
        return ir.FNeg(value, flags, attachments=attachments)

    def binary_operations(
        self, opcode: str, flags: Words, lhs: Operand, rhs: Value, attachments: Attachments
    ) -> Instruction:
        return ir.Binary(opcode, lhs, rhs.of(lhs.type), flags, attachments=attachments)

    def conversion_operations(
        self, opcode: str, flags: Words, value: Operand, to: Type, attachments: Attachments
    ) -> Instruction:
        return ir.Conversion(opcode, value, to, flags, attachments=attachments)

    def icmp_instruction(
        self, opcode: str, words: Words, lhs: Operand, rhs: Value, attachments: Attachments
    ) -> Instruction:
        return ir.ICmp(words[-1], lhs, rhs.of(lhs.type), words[:-1], attachments=attachments)

    def fcmp_instruction(
        self, opcode: str, words: Words, lhs: Operand, rhs: Value, attachments: Attachments
    ) -> Instruction:
        return ir.FCmp(words[-1], lhs, rhs.of(lhs.type), words[:-1], attachments=attachments)

    # -- Vector and Aggregate Operations

    def extractelement_instruction(
        self, opcode: str, vector: Operand, index: Operand, attachments: Attachments
    ) -> Instruction:
        return ir.ExtractElement(vector, index, attachments=attachments)

    def insertelement_instruction(
        self, opcode: str, vector: Operand, element: Operand, index: Operand, attachments: Attachments
    ) -> Instruction:
        return ir.InsertElement(vector, element, index, attachments=attachments)

    def shufflevector_instruction(
        self, opcode: str, first: Operand, second: Operand, mask: Operand, attachments: Attachments
    ) -> Instruction:
        return ir.ShuffleVector(first, second, mask, attachments=attachments)

    def indices(self, *items: Any) -> tuple[tuple[int, ...], Attachments]:
        return tuple(x.number for x in items if isinstance(x, IntegerLiteral)), pairs(items)

    def extractvalue_instruction(
        self, aggregate: Operand, indices: tuple[tuple[int, ...], Attachments]
    ) -> Instruction:
        return ir.ExtractValue(aggregate, indices[0], attachments=indices[1])

    def insertvalue_instruction(
        self, aggregate: Operand, element: Operand, indices: tuple[tuple[int, ...], Attachments]
    ) -> Instruction:
        return ir.InsertValue(aggregate, element, indices[0], attachments=indices[1])

    # -- Memory Access and Addressing Operations

    def alloca_properties(self, *items: Any) -> tuple[Any, ...]:
        return items

    def alloca_instruction(self, flags: Words, type: Type, properties: tuple[Any, ...]) -> Instruction:
        others = (str, tuple)  # an address space is a tuple, too
        return ir.Alloca(
            type,
            next((x for x in properties if not isinstance(x, others)), None),
            _align(properties),
            next((x.value for x in properties if isinstance(x, AddressSpace)), 0),
            flags,
            attachments=pairs(properties),
        )

    def ordering(self, *words: str) -> tuple[str | None, Words]:
        """The synchronisation scope, and the orderings."""
        if not words:
            return None, ()
        entry = self._orderings.get(words)
        if entry is None:
            scope = next((w[11:-2] for w in words if w.startswith("syncscope(")), None)
            entry = scope, tuple(w for w in words if not w.startswith("syncscope("))
            self._orderings[words] = entry
        return entry

    def memory_properties(self, *items: Any) -> tuple[int | None, Attachments]:
        if not items:
            return None, ()
        return _align(items), pairs(items)

    def load_instruction(
        self,
        flags: Words,
        type: Type,
        pointer: Operand,
        ordering: tuple[str | None, Words],
        properties: tuple[int | None, Attachments],
    ) -> Instruction:
        scope, orders = ordering
        align, attachments = properties
        order = orders[0] if orders else None
        return ir.Load(type, pointer, align, "volatile" in flags, order, scope, attachments=attachments)

    def store_instruction(
        self,
        flags: Words,
        value: Operand,
        pointer: Operand,
        ordering: tuple[str | None, Words],
        properties: tuple[int | None, Attachments],
    ) -> Instruction:
        scope, orders = ordering
        align, attachments = properties
        order = orders[0] if orders else None
        return ir.Store(value, pointer, align, "volatile" in flags, order, scope, attachments=attachments)

    def fence_instruction(self, ordering: tuple[str | None, Words], attachments: Attachments) -> Instruction:
        scope, (order,) = ordering
        return ir.Fence(order, scope, attachments=attachments)

    def cmpxchg_instruction(
        self,
        flags: Words,
        pointer: Operand,
        expected: Operand,
        replacement: Operand,
        ordering: tuple[str | None, Words],
        properties: tuple[int | None, Attachments],
    ) -> Instruction:
        scope, (success, failure) = ordering
        align, attachments = properties
        weak, volatile = "weak" in flags, "volatile" in flags
        return ir.CmpXchg(
            pointer, expected, replacement, success, failure, weak, volatile, scope, align,
            attachments=attachments,
        )  # fmt: skip

    def atomicrmw_instruction(
        self,
        flags: Words,
        pointer: Operand,
        value: Operand,
        ordering: tuple[str | None, Words],
        properties: tuple[int | None, Attachments],
    ) -> Instruction:
        scope, (order,) = ordering
        align, attachments = properties
        return ir.AtomicRMW(
            flags[-1], pointer, value, order, "volatile" in flags, scope, align, attachments=attachments
        )

    def gep_operands(self, *items: Any) -> tuple[tuple[Operand, ...], Attachments]:
        attachments = pairs(items)
        return (items[: -len(attachments)] if attachments else items), attachments

    def getelementptr_instruction(
        self,
        flags: Words,
        source: Type,
        pointer: Operand,
        operands: tuple[tuple[Operand, ...], Attachments],
    ) -> Instruction:
        return ir.GetElementPtr(source, pointer, operands[0], flags, attachments=operands[1])

    # -- Other Operations

    def incoming(self, value: Value, block: Symbol) -> tuple[Value, Symbol]:
        return value, block

    def phi_operands(self, *items: Any) -> tuple[Any, ...]:
        return items

    def phi_instruction(self, flags: Words, type: Type, items: tuple[Any, ...]) -> Instruction:
        pairs = [x for x in items if not isinstance(x[0], str)]
        incoming = tuple([(value.of(type), block.name) for value, block in pairs])
        return ir.Phi(type, incoming, flags, attachments=items[len(pairs) :])

    def select_instruction(
        self,
        opcode: str,
        flags: Words,
        condition: Operand,
        then: Operand,
        otherwise: Operand,
        attachments: Attachments,
    ) -> Instruction:
        return ir.Select(condition, then, otherwise, flags, attachments=attachments)

    def freeze_instruction(self, value: Operand, attachments: Attachments) -> Instruction:
        return ir.Freeze(value, attachments=attachments)

    def va_arg_instruction(self, operand: Operand, type: Type, attachments: Attachments) -> Instruction:
        return ir.VAArg(operand, type, attachments=attachments)

    def cleanup(self, token: str) -> bool:
        return True

    def landingpad_clause(self, kind: str, operand: Operand) -> tuple[str, Operand]:
        return kind, operand

    def landingpad_clauses(self, *clauses: tuple[str, Operand]) -> tuple[tuple[str, Operand], ...]:
        return clauses

    def landingpad_instruction(self, type: Type, *rest: Any) -> Instruction:
        *cleanup, clauses, attachments = rest
        return ir.LandingPad(type, bool(cleanup), clauses, attachments=attachments)

    def pad_arguments(self, *operands: Operand) -> tuple[Operand, ...]:
        return operands

    def catchpad_instruction(
        self, parent: Value, arguments: tuple[Operand, ...], attachments: Attachments
    ) -> Instruction:
        return ir.CatchPad(parent.of(TOKEN), arguments, attachments=attachments)

    def cleanuppad_instruction(
        self, parent: Value, arguments: tuple[Operand, ...], attachments: Attachments
    ) -> Instruction:
        return ir.CleanupPad(parent.of(TOKEN), arguments, attachments=attachments)

    # -- Calls

    def argument(self, type: Type, attributes: Words, value: Value) -> Argument:
        return Argument(value.of(type), attributes)

    def metadata_argument(self, operand: Operand) -> Argument:
        return Argument(operand)

    def arguments(self, *items: Any) -> tuple[Any, ...]:
        return items

    @placed
    def operand_bundle(self, start: int, end: int, tag: str, *inputs: Operand) -> Bundle:
        return Bundle(text_of(tag), inputs, Span(start, end))

    def operand_bundles(self, *bundles: Bundle) -> tuple[Bundle, ...]:
        return bundles

    def call_words(self, *items: str | AddressSpace) -> CallWords:
        entry = self._call_words.get(items)
        if entry is None:
            words = tuple(x for x in items if isinstance(x, str))
            space = next((x.value for x in items if isinstance(x, AddressSpace)), None)
            entry = self._call_words[items] = CallWords(*call_words(words), space)
        return entry

    def call_site(
        self,
        words: CallWords,
        type: Type,
        callee: Value,
        arguments: tuple[Any, ...],
        attributes: Words,
        bundles: tuple[Bundle, ...],
    ) -> tuple[Any, ...]:
        """The fields that all calls share, up to the fast-math flags; then those after ``marker``."""
        fast_math, convention, return_attributes, space = words
        ellipsis = bool(arguments) and arguments[-1] is ...
        actual = arguments[:-1] if ellipsis else arguments
        explicit = type.__class__ is FunctionType
        signature = type if explicit else self._signature(type, tuple([a.value.type for a in actual]))
        if callee.__class__ is Assembly:
            operand = callee.of(signature)
        else:
            operand = callee.of(PTR if not space else self.pointer_type(AddressSpace(space)))
            if self.intrinsics is not None:
                operand = self.intrinsics.callee(operand, cast(FunctionType, signature))
        return (
            (operand, signature, actual, bundles, attributes, return_attributes, convention, fast_math),
            (space, explicit, ellipsis),
        )

    def call_instruction(self, *items: Any) -> Instruction:
        *marker, (first, last), attachments = items
        return _CALL(*first, marker[0] if marker else "", *last, attachments=attachments)

    def invoke_instruction(
        self, call: tuple[Any, ...], normal: Operand, unwind: Operand, attachments: Attachments
    ) -> Instruction:
        first, last = call
        return ir.Invoke(
            *first, "", *last, normal=_block(normal), unwind=_block(unwind), attachments=attachments
        )  # type: ignore[call-arg]

    def callbr_instruction(
        self, call: tuple[Any, ...], fallthrough: Operand, indirect: tuple[str, ...], attachments: Attachments
    ) -> Instruction:
        first, last = call
        return ir.CallBr(
            *first, "", *last, fallthrough=_block(fallthrough), indirect=indirect, attachments=attachments
        )  # type: ignore[call-arg]

    def _shared(self, key: Any, make: Callable[[], Any]) -> Any:
        """One type for each key. A key has types by their identity, which what is made keeps alive."""
        entry = self._types.get(key)
        if entry is None:
            entry = self._types[key] = make()
        return entry

    def _words_of(self, start: int, end: int) -> str:
        """The canonical spelling of ``text[start:end]``."""
        spelled = self.text[start:end]
        entry = self._spelled.get(spelled)
        if entry is None:
            entry = self._spelled[spelled] = normal_words(spelled)
        return entry

    # -- Type System

    def pointer_type(self, space: AddressSpace | None = None) -> Type:
        if space is None:
            return PTR
        type_: Type = self._shared(space, lambda: PointerType(space.value))
        return type_

    def typed_pointer(self, pointee: Type, space: AddressSpace | None = None) -> Type:
        """``i32*`` and ``i32 addrspace(3)*``: LLVM forgets what they point to."""
        return self.pointer_type(space)

    def void_type(self) -> Type:
        return VOID

    def metadata_type(self) -> Type:
        return METADATA

    def vector_type(self, count: IntegerLiteral, element: Type) -> Type:
        type_: Type = self._shared(
            ("vector", count.text, id(element)), lambda: VectorType(count.number, element)
        )
        return type_

    def scalable_vector_type(self, count: IntegerLiteral, element: Type) -> Type:
        type_: Type = self._shared(
            ("scalable", count.text, id(element)), lambda: VectorType(count.number, element, True)
        )
        return type_

    def array_type(self, count: IntegerLiteral, element: Type) -> Type:
        type_: Type = self._shared(
            ("array", count.text, id(element)), lambda: ArrayType(count.number, element)
        )
        return type_

    def structure_type(self, *elements: Type) -> Type:
        type_: Type = self._shared(("struct", *map(id, elements)), lambda: StructType(elements))
        return type_

    def packed_structure_type(self, *elements: Type) -> Type:
        type_: Type = self._shared(("packed", *map(id, elements)), lambda: StructType(elements, True))
        return type_

    def named_type(self, symbol: Symbol) -> Type:
        plain = symbol.name
        alias = self.type_aliases.get(plain)
        if alias is not None:
            return alias
        type_: Type = self._shared(("named", plain), lambda: NamedType(plain))
        return type_

    def function_type(self, result: Type, *parameters: Any) -> Type:
        if parameters and parameters[-1] is ...:
            return FunctionType(result, parameters[:-1], True)
        return self._signature(result, parameters)

    def _signature(self, result: Type, parameters: tuple[Type, ...]) -> FunctionType:
        function_type: FunctionType = self._shared(
            ("function", id(result), *map(id, parameters)), lambda: FunctionType(result, parameters)
        )
        return function_type

    def target_extension_type(self, spelled: str, *items: Any) -> Type:
        numbers = tuple(x.number for x in items if isinstance(x, IntegerLiteral))
        types = tuple(x for x in items if not isinstance(x, IntegerLiteral))
        return TargetType(string(spelled).decode(), types, numbers)

    def address_space(self, space: IntegerLiteral | str) -> AddressSpace:
        if isinstance(space, str):
            return AddressSpace(string(space).decode())
        return AddressSpace(space.number)

    # -- Parameter and Function Attributes: words

    def attributes(self, *words: str) -> Words:
        return words

    def words(self, *words: str) -> Words:
        return words

    rmw_words = words
    predicate_words = words
    gep_flags = words
    header_words = words
    function_properties = words

    def string_attribute(self, *tokens: str) -> str:
        return "".join(token if token == "=" else normal_string(token) for token in tokens)

    @placed
    def word_with_arguments(self, start: int, end: int, word: str, arguments: None) -> str:
        return self._words_of(start, end)

    # lark keeps the brackets of this rule
    def balanced(self, *tokens: Any) -> None:
        return None

    def alignment(self, number: IntegerLiteral) -> str:
        return f"align {number.number}"

    def alignment_value(self, number: IntegerLiteral) -> str:
        return f"align={number.number}"

    def group_attribute_value(self, word: str, equal: str, number: IntegerLiteral) -> str:
        return f"{word}={number.number}"

    def calling_convention(self, number: IntegerLiteral) -> str:
        return f"cc {number.number}"

    def inrange(self, low: IntegerLiteral, high: IntegerLiteral) -> str:
        return f"inrange({low.text}, {high.text})"

    # -- Constants

    def typed(self, type: Type, value: Value) -> Operand:
        return value.of(type)

    def simple_constants(self, kind: str) -> Value:
        entry = self._simple.get(kind)
        if entry is None:
            of = _OF_TRUE.get(kind) or (lambda type: Simple(type, kind))
            entry = self._simple[kind] = Untyped(of)
        return entry

    def c_string(self, token: str) -> Value:
        data = string(token[1:])
        return Untyped(lambda type: Bytes(type, data))

    def structure_constants(self, *elements: Operand) -> Value:
        return Untyped(lambda type: Aggregate(type, elements))

    packed_structure_constants = structure_constants
    array_constants = structure_constants
    vector_constants = structure_constants

    def splat(self, element: Operand) -> Value:
        return Untyped(lambda type: Splat(type, element))

    def constant_conversion(self, opcode: str, flags: Words, operand: Operand, to: Type) -> Value:
        if opcode == "bitcast" and to == operand.type:  # LLVM has no such constant: it is the operand
            return Untyped(lambda type: operand)
        return Untyped(lambda type: ConstantExpression(to, opcode, flags, (operand,)))

    def constant_getelementptr(self, flags: Words, source: Type, *operands: Operand) -> Value:
        return Untyped(lambda type: ConstantExpression(type, "getelementptr", flags, operands, source))

    def constant_binary(self, opcode: str, flags: Words, *operands: Operand) -> Value:
        return Untyped(lambda type: ConstantExpression(type, opcode, flags, operands))

    def constant_element(self, opcode: str, *operands: Operand) -> Value:
        return Untyped(lambda type: ConstantExpression(type, opcode, (), operands))

    def addresses_of_basic_blocks(self, function: Symbol, block: Symbol) -> Value:
        return Untyped(lambda type: BlockAddress(function.name, block.name, type))

    def dso_local_equivalent(self, kind: str, symbol: Symbol) -> Value:
        return Untyped(lambda type: GlobalWrapper(kind, symbol.name, type))

    def pointer_authentication_constants(self, *operands: Operand) -> Value:
        return Untyped(lambda type: PtrAuth(operands, type))

    def inline_assembler_expressions(self, flags: Words, text: str, constraints: str) -> Value:
        def of(type: Type) -> Operand:
            if not isinstance(type, FunctionType):
                raise ValueError("inline assembly that is not called")
            return InlineAsm(type, flags, text_of(text), text_of(constraints))

        return Assembly(of)

    # -- Metadata

    def metadata_as_value(self, item: Operand | Metadata) -> Operand:
        return MetadataOperand(as_metadata(item))

    def metadata_string(self, token: str) -> Metadata:
        return MetadataString(string(token[1:]))

    def spaced_metadata_string(self, token: str) -> Metadata:
        return MetadataString(string(token))

    def metadata_reference(self, token: str) -> Metadata:
        return MetadataReference(token[1:])

    def spaced_metadata_reference(self, number: IntegerLiteral) -> Metadata:
        if not number.text.isdigit():
            raise ValueError("a number of metadata")
        return MetadataReference(number.text)

    def metadata_null(self) -> None:
        return None

    def metadata_element(self, item: Operand | Metadata | None) -> Metadata | None:
        return None if item is None else as_metadata(item)

    def metadata_node(self, *elements: Metadata | None) -> Metadata:
        return MetadataTuple(elements)

    metadata_list = metadata_node

    def metadata_words(self, *tokens: str | IntegerLiteral) -> str:
        return " ".join(normal_string(x) if isinstance(x, str) else x.text for x in tokens)

    def metadata_field(self, value: Any, key: str | None = None) -> tuple[str | None, Metadata | str | None]:
        if value is None or value == "null":
            return key, None
        return key, value if isinstance(value, str) else as_metadata(value)

    def metadata_named_field(self, label: str, value: Any) -> tuple[str | None, Metadata | str | None]:
        return self.metadata_field(value, label[:-1])

    def specialized_metadata_nodes(
        self, kind: str, *fields: tuple[str | None, Metadata | str | None]
    ) -> Metadata:
        return MetadataRecord(metadata_name(kind[1:]), fields)

    def attachment(self, kind: str, node: Metadata) -> tuple[str, Metadata]:
        return metadata_name(kind[1:]), node

    def attachments(self, *pairs: tuple[str, Metadata]) -> Attachments:
        return pairs

    function_attachments = attachments


Builder.METHODS = {
    rule: hasattr(method, "placed")
    for rule, method in vars(Builder).items()
    if callable(method) and not rule.startswith("_")
}
