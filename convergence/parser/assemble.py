"""A module from its entities: what verify needs at once, the rest when somebody looks at it.

Functions' headers and types are read at once; bodies, metadata, globals and aliases at the first
look. Each piece is read by ``fast*`` if it has a common shape, else by the grammar, which is
imported only then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Generic, TypeVar

from ..ir.instructions import Instruction, Words
from ..ir.module import (
    Alias,
    Block,
    Body,
    Directive,
    Function,
    GlobalVariable,
    MetadataNode,
    Module,
    Parameter,
)
from ..ir.operands import Metadata
from ..ir.types import FunctionType, StructType, Type
from ..source import Source, Span
from . import fast, fast_headers, names
from .errors import Unsupported
from .fast_types import NotFast
from .fast_values import Interner
from .resolve import Label, Numbering, blocks
from .split import Cut, directives, split

V = TypeVar("V")
_KEY = re.compile(r'[@%$!]([-a-zA-Z$._0-9\\]+|"[^"]*")')
_KIND = re.compile(
    r'(?:"[^"]*+"|[^"\w]++|(?!(?:global|constant|alias|ifunc)\b)\w++)*+(global|constant|alias|ifunc)\b'
)
_USE_LIST = re.compile(r"(?<![-a-zA-Z$._0-9%@])uselistorder(?:_bb)?\s")


class Lazy(Mapping[str, V], Generic[V]):
    """A mapping whose values are made at the first look, by ``make`` from what ``raw`` holds."""

    __slots__ = ("_made", "_make", "_raw")

    def __init__(self, raw: Mapping[str, Any], make: Callable[[Any], V]) -> None:
        self._raw = raw
        self._make = make
        self._made: dict[str, V] = {}

    def __getitem__(self, key: str) -> V:
        if key not in self._made:
            self._made[key] = self._make(self._raw[key])
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __contains__(self, key: object) -> bool:
        return key in self._raw

    def __repr__(self) -> str:
        return f"Lazy({list(self._raw)})"


class Assembler:
    """Reads the pieces of one source. ``use_fast`` off sends everything to the grammar."""

    def __init__(self, source: Source, use_fast: bool = True) -> None:
        self.source = source
        self.text = source.text
        self.use_fast = use_fast
        self.aliases: dict[str, Type] = {}
        self.interner = Interner(self.aliases)
        self.statements = fast.Statements(self.text, self.interner, self.some_items)

    # -- by the grammar

    def grammar(self, start: int, end: int, rule: str) -> Any:
        """``text[start:end]`` read as ``rule``; ``Unsupported`` with its place if that fails."""
        from .grammar import lower

        try:
            return lower(self.text[start:end], start, rule, self.aliases)
        except Unsupported as error:
            raise error.locate(self.source) from None

    def entity(self, cut: Cut) -> Any:
        """The value of a top-level entity."""
        return self.grammar(cut.start, cut.end, "module")[0].value

    # -- bodies

    def body(self, cut: Cut, first: int) -> tuple[Block, ...]:
        """The blocks of a definition whose parameters were numbered up to ``first``."""
        numbering = Numbering()
        numbering.next = first
        return blocks(numbering, self.items(cut))

    def items(self, cut: Cut) -> list[Label | Instruction]:
        if self.use_fast:
            try:
                return self.statements.items(cut.body, cut.end - 1)
            except Unsupported:
                pass
        return self.some_items(cut.body, cut.end - 1)

    def some_items(self, start: int, end: int) -> list[Label | Instruction]:
        return list(self.grammar(start, end, "body").items)

    # -- top-level entities

    def function(self, cut: Cut) -> Function:
        """A function whose body is read when it is asked for."""
        defined = cut.body >= 0
        end = cut.body if defined else cut.end
        made: Function | None = None
        if self.use_fast:
            try:
                made, first = fast_headers.function(self.text, cut.start, end, self.interner)
            except NotFast:
                made = None
        if made is None and not defined:
            declared: Function = self.entity(cut)
            return declared
        if made is None:
            header = self.grammar(cut.start, end - 1, "definition_header")
            made, first = header.function, header.next
        if not defined:
            return made
        hint = self.text[cut.body : cut.end - 1]
        orders = self.use_list_orders(cut) if "uselistorder" in hint else ()
        return replace(made, body=Body(partial(self.body, cut, first), hint), use_list_orders=orders)

    def use_list_orders(self, cut: Cut) -> Words:
        """The directives at a body's end."""
        first = _USE_LIST.search(self.text, cut.body, cut.end)
        if first is not None:
            with suppress(Unsupported):
                return tuple(self.grammar(first.start(), cut.end - 1, "body").use_list_orders)
        return tuple(self.grammar(cut.body, cut.end - 1, "body").use_list_orders)

    def global_variable(self, cut: Cut) -> GlobalVariable:
        if self.use_fast:
            try:
                return fast_headers.global_variable(self.text, cut.start, cut.end, self.interner)
            except NotFast:
                pass
        made: GlobalVariable = self.entity(cut)
        return made

    def alias(self, cut: Cut) -> Alias:
        made: Alias = self.entity(cut)
        return made

    def type_definition(self, cut: Cut) -> tuple[str, Type | None]:
        if self.use_fast:
            try:
                return fast_headers.type_definition(self.text[cut.start : cut.end], self.interner)
            except NotFast:
                pass
        found = self.grammar(cut.start, cut.end, "module")[0]
        return found.key, found.value

    def group(self, cut: Cut) -> tuple[str, Words]:
        if self.use_fast:
            try:
                return fast_headers.group(self.text[cut.start : cut.end])
            except NotFast:
                pass
        found = self.grammar(cut.start, cut.end, "module")[0]
        return found.key, found.value

    def simple(self, cut: Cut) -> list[tuple[str, str, str]]:
        """Source file name, target, module assembly, comdat, use-list order, summary."""
        if self.use_fast:
            try:
                return [fast_headers.simple(self.text[cut.start : cut.end])]
            except NotFast:
                pass
        return list(self.grammar(cut.start, cut.end, "module"))

    def metadata(self, cut: Cut) -> MetadataNode:
        made: MetadataNode = self.entity(cut)
        return made

    def named_metadata(self, cuts: list[Cut]) -> tuple[Metadata, ...]:
        """Definitions of one name add to each other."""
        return tuple(node for cut in cuts for node in self.entity(cut))

    def key(self, cut: Cut) -> str:
        """The name that an entity defines."""
        found = _KEY.match(self.text, cut.start)
        assert found is not None
        return found[1]

    def directives(self) -> tuple[Directive, ...]:
        """The ``; CONVCHECK:`` lines."""
        return tuple(Directive(line, Span(at, at + len(line))) for line, at in directives(self.text))

    # -- the module

    def implicit(self, name: str, type: str) -> Function:
        """A declaration of an intrinsic that the text uses without one, from its type's text."""
        try:
            made = self.interner.type(type)
        except NotFast:
            from .grammar import lower

            made = lower(f"@x = external global {type}", 0, "module", self.aliases)[0].value.type
        assert isinstance(made, FunctionType)
        parameters = tuple(Parameter(p, str(i)) for i, p in enumerate(made.parameters))
        return Function(name, made, parameters, implicit=True)

    def module(self, intrinsics: Mapping[str, frozenset[str]], declared: Mapping[str, str]) -> Module:
        """The module. LLVM knows the attributes of ``intrinsics``, and the function type of those in
        ``declared``, whether the text declares them or not."""
        text = self.text
        types: dict[str, Type | None] = {}
        comdats: dict[str, str] = {}
        variables: dict[str, Cut] = {}
        aliases: dict[str, Cut] = {}
        functions: dict[str, Function] = {}
        groups: dict[str, Words] = {}
        named: dict[str, list[Cut]] = {}
        metadata: dict[str, Cut] = {}
        others: dict[str, list[str]] = {}
        for cut in split(text):
            match text[cut.start]:
                case "!":
                    key = self.key(cut)
                    if key.isdigit():
                        metadata[key] = cut
                    else:
                        named.setdefault(names.metadata_name(key), []).append(cut)
                case "@":
                    kind = _KIND.match(text, cut.start, cut.end)
                    table = variables if kind is None or kind[1] in ("global", "constant") else aliases
                    table[names.name(self.key(cut))] = cut
                case "d":
                    function = self.function(cut)
                    functions[function.name] = function
                case "%":
                    name, type = self.type_definition(cut)
                    if type is not None and not isinstance(type, StructType):
                        self.aliases[name] = type
                    types[name] = type
                case "a":
                    number, words = self.group(cut)
                    groups[number] = groups.get(number, ()) + words
                case _:
                    for field, name, value in self.simple(cut):
                        if field == "comdats":
                            comdats[name] = value
                        else:
                            others.setdefault(field, []).append(value)
        for name, spelled in declared.items():
            if name not in functions:
                functions[name] = self.implicit(name, spelled)
        return Module(
            source=self.source,
            source_filename=others.get("source_filename", [None])[-1],
            datalayout=others.get("datalayout", [None])[-1],
            triple=others.get("triple", [None])[-1],
            assembly=tuple(others.get("assembly", ())),
            types=types,
            comdats=comdats,
            globals=Lazy(variables, self.global_variable),
            aliases=Lazy(aliases, self.alias),
            functions=functions,
            groups=groups,
            named_metadata=Lazy(named, self.named_metadata),
            metadata=Lazy(metadata, self.metadata),
            use_list_orders=tuple(others.get("use_list_orders", ())),
            summary=tuple(others.get("summary", ())),
            intrinsics={name: known for name, known in intrinsics.items() if name in functions},
            directives=self.directives(),
        )
