"""Top-level entities from the parse tree (LangRef, *Module Structure* to *Use-list Order Directives*).

Each is lowered to a record of what it adds to the module; ``build`` puts them together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from lark import Token, v_args
from lark.tree import Meta

from ..ir.instructions import Instruction, Words
from ..ir.module import Alias, Body, Function, GlobalVariable, MetadataNode, Parameter
from ..ir.types import FunctionType, PointerType, Type
from ..source import Span
from .lower_constants import as_metadata, attachments
from .lower_instructions import BlockLabel, InstructionRules
from .lower_types import TYPES, AddressSpace, Children
from .names import metadata_name, name, normal_string, normal_words, string
from .resolve import Label, Numbering, blocks
from .words import header_words


class Entity(NamedTuple):
    """One top-level entity: the field of ``Module`` that it adds to, its key there, and its value."""

    field: str
    key: str
    value: Any


class Property(str):
    """A word that stands in a tail: section, comdat, align, gc, prefix, personality, ..."""


class Storage(str):
    """``global`` or ``constant``."""


class Parameters(NamedTuple):
    items: tuple[tuple[Type, Words, str | None], ...]
    variadic: bool


class Header(NamedTuple):
    """A function without its body, and the number after its parameters."""

    function: Function
    next: int


class ParsedBody(NamedTuple):
    items: tuple[Label | Instruction, ...]
    use_list_orders: Words


def _text(token: str) -> str:
    return string(token).decode("utf-8", "surrogateescape")


class ModuleRules(InstructionRules):
    def module(self, c: Children) -> list[Entity]:
        return c

    def source_filename(self, c: Children) -> Entity:
        return Entity("source_filename", "", _text(c[0]))

    def data_layout(self, c: Children) -> Entity:
        return Entity("datalayout", "", _text(c[0]))

    def target_triple(self, c: Children) -> Entity:
        return Entity("triple", "", _text(c[0]))

    def module_level_inline_assembly(self, c: Children) -> Entity:
        return Entity("assembly", "", _text(c[0]))

    def type_definition(self, c: Children) -> Entity:
        return Entity("types", name(c[0][1:]), None if isinstance(c[1], Token) else c[1])

    def comdats(self, c: Children) -> Entity:
        return Entity("comdats", name(c[0][1:]), str(c[1]))

    def attribute_groups(self, c: Children) -> Entity:
        return Entity("groups", str(c[0][1:]), tuple(c[1:]))

    def named_metadata(self, c: Children) -> Entity:
        return Entity("named_metadata", metadata_name(c[0][1:]), tuple(c[1:]))

    def metadata_definition(self, c: Children) -> Entity:
        plain = c[0][1:].strip()
        return Entity("metadata", plain, MetadataNode(plain, as_metadata(c[-1]), len(c) == 3))

    @v_args(meta=True)
    def use_list_order(self, meta: Meta, c: Children) -> Entity:
        return Entity("use_list_orders", "", normal_words(self.text[meta.start_pos : meta.end_pos]))

    @v_args(meta=True)
    def thinlto_summary(self, meta: Meta, c: Children) -> Entity:
        return Entity("summary", "", normal_words(self.text[meta.start_pos : meta.end_pos]))

    # -- properties

    def section(self, c: Children) -> Property:
        return Property(f"section {normal_string(c[0])}")

    def partition(self, c: Children) -> Property:
        return Property(f"partition {normal_string(c[0])}")

    def gc(self, c: Children) -> Property:
        return Property(f"gc {normal_string(c[0])}")

    def code_model(self, c: Children) -> Property:
        return Property(f"code_model {normal_string(c[0])}")

    @v_args(meta=True)
    def comdat(self, meta: Meta, c: Children) -> Property:
        return Property(normal_words(self.text[meta.start_pos : meta.end_pos]))

    prefix = comdat
    prologue = comdat
    personality = comdat

    # -- globals

    def storage(self, c: Children) -> Storage:
        return Storage(c[0])

    @v_args(meta=True)
    def global_variables(self, meta: Meta, c: Children) -> Entity:
        at = next(i for i, x in enumerate(c) if isinstance(x, Storage))
        words = [str(x) for x in c[1:at] if isinstance(x, str)]
        space = next((x.value for x in c[1:at] if isinstance(x, AddressSpace)), 0)
        type = c[at + 1]
        rest = c[at + 2 :]
        initializer = rest[0](type) if callable(rest[0]) else None
        plain = name(c[0][1:])
        made = GlobalVariable(
            name=plain,
            type=type,
            constant=c[at] == "constant",
            initializer=initializer,
            words=tuple(w for w in words if w != "externally_initialized"),
            address_space=space,
            externally_initialized="externally_initialized" in words,
            tail=tuple(str(x) for x in rest if isinstance(x, str)),
            attributes=tuple(rest[-1]),
            attachments=attachments(rest),
            span=self.span(meta),
        )
        return Entity("globals", plain, made)

    @v_args(meta=True)
    def aliases(self, meta: Meta, c: Children) -> Entity:
        at = next(i for i, x in enumerate(c) if isinstance(x, TYPES))
        *words, kind = (str(x) for x in c[1:at])
        target = c[at + 1](PointerType()) if callable(c[at + 1]) else c[at + 1]
        plain = name(c[0][1:])
        tail = tuple(str(x) for x in c[at + 2 :])
        return Entity(
            "aliases", plain, Alias(plain, kind, c[at], target, tuple(words), tail, self.span(meta))
        )

    # -- functions

    def parameter(self, c: Children) -> tuple[Type, Words, str | None]:
        return c[0], tuple(c[1]), name(c[2][1:]) if len(c) == 3 else None

    def parameters(self, c: Children) -> Parameters:
        variadic = bool(c) and isinstance(c[-1], Token)
        return Parameters(tuple(c[:-1] if variadic else c), variadic)

    @v_args(meta=True)
    def definition_header(self, meta: Meta, c: Children) -> Header:
        return header(c, self.span(meta))

    @v_args(meta=True)
    def declaration(self, meta: Meta, c: Children) -> Entity:
        function = header(c, self.span(meta)).function
        return Entity("functions", function.name, function)

    def body(self, c: Children) -> ParsedBody:
        items = tuple(
            Label(x.name, Span(x.start, x.end)) if isinstance(x, BlockLabel) else x
            for x in c
            if not isinstance(x, Entity)
        )
        return ParsedBody(items, tuple(x.value for x in c if isinstance(x, Entity)))

    def definition(self, c: Children) -> Entity:
        made, parsed = c
        numbering = Numbering()
        numbering.next = made.next
        body = Body(blocks(numbering, parsed.items))
        function = replace(made.function, body=body, use_list_orders=parsed.use_list_orders)
        return Entity("functions", function.name, function)


def header(c: Children, span: Span) -> Header:
    """A function's header from the children of its rule, in the text's order."""
    at = next(i for i, x in enumerate(c) if isinstance(x, TYPES))
    before = tuple(str(x) for x in c[:at] if isinstance(x, str))
    result, symbol, parameters, *after = c[at:]
    linkage, convention, return_attributes = header_words(before)
    words = tuple(x for x in after if isinstance(x, str) and not isinstance(x, Property))
    moved = ("unnamed_addr", "local_unnamed_addr")
    tail = tuple(str(x) for x in after if isinstance(x, Property))
    numbering = Numbering()
    made = tuple(
        Parameter(type, numbering.take(given), attributes) for type, attributes, given in parameters.items
    )
    function = Function(
        name(symbol[1:]),
        FunctionType(result, tuple(p.type for p in made), parameters.variadic),
        made,
        None,
        tuple(w for w in words if w not in moved),
        return_attributes,
        convention,
        (*linkage, *(w for w in words if w in moved)),
        tail,
        next((x.value for x in after if isinstance(x, AddressSpace)), None),
        attachments(c),
        span=span,
    )
    return Header(function, numbering.next)
