"""A module from its entities: what verify needs at once, the rest when somebody looks at it.

Functions' headers and types are read at once; bodies, metadata, globals and aliases at the first look.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from ..ir import FunctionType, Metadata, StructType, Type
from ..ir.calls import CONTROL_BUNDLE, callee_name, control_bundles
from ..ir.instructions import CallSite, Words
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
    Upgrade,
)
from ..source import NOWHERE, Source, Span
from . import names
from .builder import Builder, Entity, FunctionHeader, Items
from .driver import Driver, Shapes, Tables, load, mentions
from .llvm import Intrinsic, NotLLVM, Unsupported, ask, print_by_llvm, typed_pointer
from .names import PREFIX, IntrinsicNames, blocks

# ----------------------------------------------------------------------------------------------------------
# A module's text cut into top-level entities, in one linear pass and without parsing them.
#
# Strings, comments and brackets are respected. LLVM prints an entity a line and closes a body with
# ``}`` in the first column; that shape is found by two searches, any other by counting brackets.
# ----------------------------------------------------------------------------------------------------------

SPACE = r"(?:[ \t\r\n\0]++|;[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*\*/)*+"
_NAME = r'(?:[-a-zA-Z$._0-9]++|"[^"]*+")'
_SIGILS = rf"[@%]{_NAME}|![-a-zA-Z$._0-9\\]++|\^[0-9]++"
_DEFINED = rf"(?:{_SIGILS}|\${_NAME}|source_filename)"
_WORDS = rf"(?:attributes|target|module){SPACE}(?:\#|datalayout\b|triple\b|asm\b)"
_STARTER = rf"(?:define\b|declare\b|uselistorder(?:_bb)?\b|{_DEFINED}{SPACE}=|{_WORDS}|\Z)"
_SKIP = re.compile(SPACE)
_AT_STARTER = re.compile(SPACE + _STARTER)
_INNER = r'(?:[^"\n;{}]++|"[^"\n]*+")*'
_LINE = rf'(?:[^"\n;{{}}]++|"[^"\n]*+"|\{{{_INNER}(?:\{{{_INNER}\}}{_INNER})*\}})'
_ONE_LINE = re.compile(rf"({_LINE}+)(?:;[^\r\n]*+)?\r*+\n(?={SPACE}{_STARTER})")
_HEADER_LINE = re.compile(rf"define\b{_LINE}*\{{(?=[ \t\r]*+(?:;[^\r\n]*+)?\r*+\n)")
_ANOTHER = re.compile(
    rf"(?:(?<![-a-zA-Z$._0-9%@!])(?:define\b|declare\b|uselistorder|{_WORDS})"
    rf"|(?:{_SIGILS}|(?<![-a-zA-Z$._0-9@%!\\])(?:\${_NAME}|source_filename)){SPACE}=)"
)
_QUOTE_IN_COMMENT = re.compile(r';[^\r\n]*"')
_BRACE = re.compile(r"[{}]")
_PIECE = re.compile(
    r'"[^"]*+"|;[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*\*/'
    r"|![-a-zA-Z$._0-9\\]*+|[@%^]?[^\"\s;/()[\]{}<>@%!^]++|.|\n"
)


class Cut(NamedTuple):
    """One top-level entity ``text[start:end]``; a definition's body is ``text[body:end - 1]``, the
    inside of its braces, and ``body`` is -1 for all others."""

    start: int
    end: int
    body: int = -1


def split(text: str) -> Iterator[Cut]:
    """The top-level entities of a module, in the text's order."""
    at, length = 0, len(text)
    skip, one_line = _SKIP.match, _ONE_LINE.match
    while True:
        position = skip(text, at)
        assert position is not None
        at = position.end()
        if at == length:
            return
        if text.startswith("define", at):
            cut = _printed_definition(text, at) or _definition(text, at)
        else:
            line = one_line(text, at)
            if line is None or _ANOTHER.search(text, at + 1, line.end(1)):
                cut = _entity(text, at)
            else:
                cut = Cut(at, _trimmed(text, line.end(1)))
        yield cut
        at = cut.end


def _trimmed(text: str, end: int) -> int:
    """``end`` moved before the spaces that precede it."""
    while text[end - 1] in " \t\r":
        end -= 1
    return end


def _printed_definition(text: str, start: int) -> Cut | None:
    """A definition as LLVM prints it, ``None`` if it might be something else."""
    header = _HEADER_LINE.match(text, start)
    if header is None or _ANOTHER.search(text, start + 1, header.end()):
        return None
    body = header.end()
    end = text.find("\n}", body)
    if end < 0 or text.find("/*", body, end) >= 0:
        return None
    braces = text.find("{", body, end) >= 0 or text.find("}", body, end) >= 0
    if text.find('"', body, end) >= 0:
        if braces or text.count('"', body, end) % 2 or _QUOTE_IN_COMMENT.search(text, body, end):
            return None
    elif braces:
        if text.find(";", body, end) >= 0:
            return None
        depth = 0
        for brace in _BRACE.finditer(text, body, end):
            depth += 1 if brace[0] == "{" else -1
            if depth < 0:
                return None
        if depth:
            return None
    return Cut(start, end + 2, body) if _AT_STARTER.match(text, end + 2) else None


def _definition(text: str, start: int) -> Cut:
    """A definition of any shape: its body is the braces after which another entity begins."""
    depth, opened = 0, -1
    for piece in _PIECE.finditer(text, start):
        token = piece[0]
        if token == "{":
            if depth == 0:
                opened = piece.end()
            depth += 1
        elif token in "([<":
            depth += 1
        elif token in ")]}>" and depth:
            depth -= 1
            if token == "}" and depth == 0 and _AT_STARTER.match(text, piece.end()):
                return Cut(start, piece.end(), opened)
    raise Unsupported("a definition without an end", start)


def _entity(text: str, start: int) -> Cut:
    """Any other entity: it ends where, outside brackets, another one begins."""
    depth = 0
    end = start
    for piece in _PIECE.finditer(text, start):
        token = piece[0]
        if token[0] == ";" or token.startswith("/*") or token.isspace():
            continue
        if depth == 0 and end > start and _AT_STARTER.match(text, piece.start()):
            break
        end = piece.end()
        if token in "([{<":
            depth += 1
        elif token in ")]}>":
            depth = max(0, depth - 1)
    return Cut(start, end)


_COMMENT = re.compile(r'"[^"]*+"|;[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*\*/')
_DIRECTIVE = re.compile(r";+[ \t]*CONVCHECK:[ \t]*([^\r\n]*)")


def directives(text: str) -> list[tuple[str, int]]:
    """What follows ``; CONVCHECK:`` in each such comment, and where; in strings there are none."""
    if "CONVCHECK:" not in text:
        return []
    matches = (
        _DIRECTIVE.match(text, piece.start()) for piece in _COMMENT.finditer(text) if piece[0][0] == ";"
    )
    return [(match[1].rstrip(), match.start(1)) for match in matches if match is not None]


V = TypeVar("V")
_KEY = re.compile(r'[@%$!]([-a-zA-Z$._0-9\\]+|"[^"]*")')
_KIND = re.compile(
    r'(?:"[^"]*+"|;[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/|[^"\w;/]++|/|(?!(?:global|constant|alias|ifunc)\b)\w++)*'
    r"(global|constant|alias|ifunc)\b"
)


@cache
def _tables() -> Tables:
    return load()


@cache
def _shapes() -> Shapes:
    return Shapes(_tables())


class Reader(Protocol):
    """What reads a piece of a text as a start symbol of the grammar."""

    def read(self, start: str, begin: int, end: int) -> Any: ...


def driver(text: str, builder: Builder) -> Reader:
    """The reader that reads everything; a test puts lark's own parser in its place."""
    return Driver(text, _tables(), builder, _shapes())


class Lazy(Mapping[str, V], Generic[V]):
    """A mapping whose values are made at the first look, by ``make`` from what ``raw`` holds."""

    __slots__ = ("_cache", "_make", "_raw")

    def __init__(self, raw: Mapping[str, Any], make: Callable[[Any], V]) -> None:
        self._raw = raw
        self._make = make
        self._cache: dict[str, V] = {}

    def __getitem__(self, key: str) -> V:
        if key not in self._cache:
            self._cache[key] = self._make(self._raw[key])
        return self._cache[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __contains__(self, key: object) -> bool:
        return key in self._raw

    def __repr__(self) -> str:
        return f"Lazy({list(self._raw)})"

    def __reduce__(self) -> tuple[type[dict[str, V]], tuple[dict[str, V]]]:
        """Pickled, all of it is made: how, stays with the reader."""
        return dict, (dict(self),)


def _type(
    reader: Callable[[str, Builder], Reader], aliases: dict[str, Type], known: dict[str, Type], spelled: str
) -> Type:
    """A type that stands in no text of the user's."""
    type_ = known.get(spelled)
    if type_ is None:
        type_ = reader(spelled, Builder(spelled, aliases)).read("type", 0, len(spelled))
        assert type_ is not None
        if "%" not in spelled:
            known[spelled] = type_
    return type_


class Assembler:
    """Reads the pieces of one source; ``reader`` makes what reads them. ``types`` are those of intrinsics, by
    their text, that other sources have shown; those with a name that a source gives are not kept."""

    def __init__(
        self,
        source: Source,
        reader: Callable[[str, Builder], Reader] = driver,
        types: dict[str, Type] | None = None,
    ) -> None:
        self.source = source
        self.text = source.text
        self.aliases: dict[str, Type] = {}
        self.names: IntrinsicNames | None = None  # where the text has names that LLVM's module has not
        self.upgrades: tuple[Upgrade, ...] = ()
        known = {} if types is None else types
        self.type = partial(_type, reader, self.aliases, known)
        self._builder = Builder(self.text, self.aliases)
        self._reading = reader(self.text, self._builder)

    def read(self, start: str, begin: int, end: int) -> Any:
        """``text[begin:end]`` as a start symbol; ``Unsupported`` with its place if that fails."""
        try:
            return self._reading.read(start, begin, end)
        except Unsupported as error:
            raise error.locate(self.source) from None

    def entities(self, cut: Cut) -> tuple[Entity, ...]:
        """What a cut that is no definition adds to the module."""
        entities: tuple[Entity, ...] = self.read("module", cut.start, cut.end)
        return entities

    def entity(self, cut: Cut) -> Any:
        """The value of a cut that is one entity."""
        return self.entities(cut)[0].value

    # -- functions

    def function(self, cut: Cut) -> Function:
        """A function whose body is read when it is asked for."""
        if cut.body < 0:
            declared: Function = self.entity(cut)
            return declared
        header: FunctionHeader = self.read("definition_header", cut.start, cut.body - 1)
        text = self.text
        body = Body(partial(self.blocks, cut, header.next), partial(self.mentions, cut))
        orders: Words = ()
        if text.find("uselistorder", cut.body, cut.end) >= 0:
            with suppress(Unsupported):  # which is said again when somebody looks at the body
                orders = self.items(cut).use_list_orders
        return header.function(body, orders)

    def items(self, cut: Cut) -> Items:
        """The labels and instructions of a definition, in the text's order."""
        items: Items = self.read("body", cut.body, cut.end - 1)
        return items

    def blocks(self, cut: Cut, first: int) -> tuple[Block, ...]:
        """The blocks of a definition whose parameters were numbered up to ``first``."""
        return blocks(first, self.items(cut).items)

    def mentions(self, cut: Cut) -> Mapping[str, int]:
        """What the tokens of a definition's body name."""
        counts = mentions(self.text, cut.body, cut.end - 1)
        return counts if self.names is None else self.names.mentions(counts)

    def implicit(self, name: str, spelled: str) -> Function:
        """A declaration of an intrinsic that the text uses without one, from its type's text."""
        type_ = self.type(spelled)
        assert isinstance(type_, FunctionType)
        parameters = tuple(Parameter(p, str(i)) for i, p in enumerate(type_.parameters))
        return Function(name, type_, parameters, implicit=True)

    # -- other entities

    def global_variable(self, cut: Cut) -> GlobalVariable:
        global_variable: GlobalVariable = self.entity(cut)
        return global_variable

    def alias(self, cut: Cut) -> Alias:
        alias: Alias = self.entity(cut)
        return alias

    def metadata(self, cut: Cut) -> MetadataNode:
        metadata_node: MetadataNode = self.entity(cut)
        return metadata_node

    def named_metadata(self, cuts: list[Cut]) -> tuple[Metadata, ...]:
        """Definitions of one name add to each other."""
        return tuple(node for cut in cuts for node in self.entity(cut))

    def key(self, cut: Cut) -> str:
        """The name that an entity defines."""
        match = _KEY.match(self.text, cut.start)
        assert match is not None
        return match[1]

    def directives(self) -> tuple[Directive, ...]:
        """The ``; CONVCHECK:`` lines."""
        return tuple(Directive(line, Span(at, at + len(line))) for line, at in directives(self.text))

    def module(self, intrinsics: Mapping[str, Intrinsic], missing: frozenset[str] = frozenset()) -> Module:
        """The module. LLVM's has ``intrinsics``, whether the text declares them or not, and none by the names
        ``missing``, which the text mentions."""
        text = self.text
        cuts: list[Cut] = []  # of types
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
                    key = self.key(cut)
                    kind = _KIND.match(text, cut.start + 1 + len(key), cut.end)
                    table = variables if kind is None or kind[1] in ("global", "constant") else aliases
                    table[names.name(key)] = cut
                case "d":
                    function = self.function(cut)
                    functions[function.name] = function
                case _:
                    for field, name, value in self.entities(cut):
                        match field:
                            case "types":
                                cuts.append(cut)
                                types[name] = value
                                if value is not None and not isinstance(value, StructType):
                                    self.aliases[name] = value
                            case "groups":
                                groups[name] = groups.get(name, ()) + value
                            case "comdats":
                                comdats[name] = value
                            case _:
                                others.setdefault(field, []).append(value)
        canonical = IntrinsicNames(
            intrinsics, missing, lambda: "".join(f"{text[c.start : c.end]}\n" for c in cuts), self.type
        )
        for function in functions.values():
            if function.name.startswith(PREFIX) and function.is_declaration:
                canonical.declare(function)
        if missing:
            self.names = canonical
        if intrinsics:
            self._builder.intrinsics = canonical
        for old, new in canonical.renamed.items():
            functions.setdefault(new, replace(functions[old], name=new))
            del functions[old]
        for name, known in intrinsics.items():
            if name not in functions:
                functions[name] = self.implicit(name, known.type)
        self.upgrades = tuple(canonical.upgrades)
        star = typed_pointer(text)
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
            intrinsics={
                name: intrinsics[name].attributes if name in intrinsics else frozenset()
                for name in functions
                if name in intrinsics or name in missing
            },
            directives=self.directives(),
            renamed=canonical.renamed,
            typed_pointer=NOWHERE if star is None else Span(star, star + 1),
        )


# ----------------------------------------------------------------------------------------------------------
# Modules in whose text LLVM replaced intrinsics (LLVM's *AutoUpgrade*): what it read is what it prints.
#
# LLVM's upgrades drop the operand bundles of the calls that they replace. Then a convergent operation has
# lost its token and the module means something else than the user wrote: that is refused by name.
# ----------------------------------------------------------------------------------------------------------


def upgraded(module: Module, assembler: Assembler) -> Module:
    """The module that LLVM made of a text, given the one that the text spells.

    It is the same where LLVM only gave names, and has the spans of the user's text; else it is read from
    LLVM's print.

    :raises NotLLVM: if LLVM drops the control bundle of a call
    """
    renamed = {} if assembler.names is None else assembler.names.renamed
    replaced = {upgrade.old: upgrade.old for upgrade in assembler.upgrades}
    replaced |= {new: old for old, new in renamed.items() if not new.startswith(old + ".")}
    if not assembler.upgrades and not (replaced and CONTROL_BUNDLE in assembler.text):
        return module
    printed = print_by_llvm(assembler.text)
    answer = ask(printed)
    module_by_llvm = Assembler(Source(module.source.name, printed)).module(answer.intrinsics, answer.missing)
    upgrades = _with_new_names(assembler.upgrades, module, module_by_llvm)
    if CONTROL_BUNDLE in assembler.text:
        _refuse_dropped_bundles(module, module_by_llvm, replaced, upgrades)
    if not assembler.upgrades:
        return module
    return replace(
        module_by_llvm,
        directives=module.directives,
        upgrades=upgrades,
        original=module.source,
        typed_pointer=module.typed_pointer,
    )


def _with_new_names(
    upgrades: tuple[Upgrade, ...], written: Module, renamed_module: Module
) -> tuple[Upgrade, ...]:
    """LLVM makes some of the new declarations only for a call. Those that the user did not write are of the
    only upgrade; of several nobody says whose they are."""
    if len(upgrades) != 1:
        return upgrades
    fresh = [
        name
        for name in renamed_module.functions
        if name.startswith(PREFIX) and (name not in written.functions or written.functions[name].implicit)
    ]
    return (Upgrade(upgrades[0].old, tuple(dict.fromkeys((*upgrades[0].new, *fresh)))),)


def _refuse_dropped_bundles(
    written: Module, renamed_module: Module, replaced: dict[str, str], upgrades: tuple[Upgrade, ...]
) -> None:
    """``replaced`` maps callees whose calls LLVM may have made anew to how the text names them."""
    for function in written.definitions():
        calls = [c for c in _controlled(function) if callee_name(c) in replaced]
        if not calls:
            continue
        after = renamed_module.functions.get(function.name)
        if after is None or len(_controlled(after)) == len(_controlled(function)):
            continue
        call = calls[0]
        name = callee_name(call) or ""
        new = [n for upgrade in upgrades if upgrade.old == name for n in upgrade.new if n != name]
        line, column = written.source.position(call.span.start)
        raise NotLLVM(_drop_message(replaced[name], name, new), line, column, call.span)


def _controlled(function: Function) -> list[CallSite]:
    return [i for i in function.instructions if isinstance(i, CallSite) and control_bundles(i)]


def _drop_message(old: str, name: str, new: list[str]) -> str:
    instead = f"@{name}" if name != old else " and ".join(f"@{n}" for n in new)
    return (
        f"LLVM replaces the old intrinsic @{old}{f' by {instead}' if instead else ''} and drops the "
        f'"{CONTROL_BUNDLE}" bundle of the call, a fault of LLVM: write what LLVM replaces it by'
    )
