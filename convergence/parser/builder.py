"""Top-level entities and bodies out of the rules of ``llvm.lark`` (the sections are the LangRef's headings).

A method of the builder is named after its rule, or the alternative's alias; its arguments are what the rule's
children stand for. A rule without a method stands for its one child.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, NamedTuple

from ..ir import instructions as ir
from ..ir.instructions import Instruction, Words
from ..ir.module import Alias, Body, Function, GlobalVariable, MetadataNode, Parameter
from ..ir.operands import (
    Global,
    Metadata,
    MetadataReference,
    Operand,
)
from ..ir.types import (
    PTR,
    FunctionType,
    Type,
)
from ..source import Span
from .build_instructions import Instructions
from .build_values import (
    AddressSpace,
    Attachments,
    Symbol,
    Value,
    Values,
    as_metadata,
    pairs,
    placed,
    text_of,
)
from .names import header_words, metadata_name, name, normal_string
from .numbering import BlockLabel, Numbering, blocks, finish


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


class Builder(Instructions):
    """Top-level entities and bodies, of instructions: all of the grammar."""

    METHODS: ClassVar[dict[str, bool]]
    """The rules that have a method, and whether it wants its place."""

    def __init__(self, text: str, type_aliases: dict[str, Type]) -> None:
        super().__init__(text, type_aliases)
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


Builder.METHODS = {
    rule: hasattr(method, "placed")
    for part in (Values, Instructions, Builder)
    for rule, method in vars(part).items()
    if callable(method) and not rule.startswith("_")
}
