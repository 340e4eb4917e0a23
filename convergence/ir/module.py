"""A module and what it holds (LangRef, *Module Structure* to *Metadata*).

Everything is frozen. A function's body is parsed when it is first asked for; equality asks.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cached_property

from ..frozen import Shown, dataclass
from ..source import NOWHERE, Source, Span
from . import (
    ArrayType,
    FunctionType,
    Int,
    Local,
    Metadata,
    MetadataReference,
    MetadataString,
    MetadataTuple,
    MetadataValue,
    NamedType,
    Operand,
    StructType,
    TargetType,
    Type,
)
from .instructions import CallSite, Instruction, Words, operands


@dataclass(frozen=True, slots=True)
class Block:
    """A basic block: ``name`` without ``%``; unnamed blocks have their number as name."""

    name: str
    instructions: tuple[Instruction, ...]
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def terminator(self) -> Instruction:
        return self.instructions[-1]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A formal parameter; unnamed ones have their number as name."""

    type: Type
    name: str
    attributes: Words = ()


class Body:
    """A function's blocks, made by ``build`` at the first look and kept.

    ``mentions`` says what its tokens name, where there is a text of it: a caller that looks for something
    can rule the body out without having it read.
    """

    __slots__ = ("_blocks", "_build", "_mention", "_mentions")

    def __init__(
        self,
        build: Callable[[], tuple[Block, ...]] | tuple[Block, ...],
        mention: Callable[[], Mapping[str, int]] | None = None,
    ) -> None:
        self._blocks = build if isinstance(build, tuple) else None
        self._build = None if isinstance(build, tuple) else build
        self._mention = mention
        self._mentions: Mapping[str, int] | None = None

    @property
    def is_read(self) -> bool:
        """Whether somebody has looked at the blocks."""
        return self._blocks is not None

    @property
    def mentions(self) -> Mapping[str, int] | None:
        """How often the body mentions a global ``@name``, an attribute group ``#3``, a string ``"text"``, the
        words ``token`` and ``convergent``; ``None`` if nobody knows."""
        if self._mentions is None and self._mention is not None:
            self._mentions = self._mention()
            self._mention = None
        return self._mentions

    @property
    def blocks(self) -> tuple[Block, ...]:
        if self._blocks is None:
            assert self._build is not None
            self._blocks = self._build()
            self._build = None
        return self._blocks

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Body) and self.blocks == other.blocks

    def __hash__(self) -> int:
        return hash(self.blocks)

    def __repr__(self) -> str:
        return f"Body({'...' if self._blocks is None else self._blocks!r})"

    def __reduce__(self) -> tuple[type[Body], tuple[tuple[Block, ...]]]:
        """Pickled, it is read: how to read it stays with the parser."""
        return Body, (self.blocks,)


@dataclass(frozen=True)
class Function:
    """A ``define`` or a ``declare`` (then ``body`` is ``None``).

    ``words`` are linkage, visibility, dso_local, DLL storage class and the like, in order.
    ``tail`` are section, comdat, align, gc, prefix, prologue and personality, each normalised text.
    ``use_list_orders`` are the body's ``uselistorder`` directives, each normalised text.
    ``implicit`` marks an intrinsic that the text uses without declaring it.
    """

    name: str
    type: FunctionType
    parameters: tuple[Parameter, ...]
    body: Body | None = None
    attributes: Words = ()
    return_attributes: Words = ()
    convention: Words = ()
    words: Words = ()
    tail: Words = ()
    address_space: int | str | None = None
    attachments: tuple[tuple[str, Metadata], ...] = ()
    implicit: bool = False
    use_list_orders: Words = ()
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def is_declaration(self) -> bool:
        return self.body is None

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks, entry first; none for a declaration."""
        return () if self.body is None else self.body.blocks

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """All instructions in text order: index here is the number of a static instance."""
        return tuple([i for block in self.blocks for i in block.instructions])

    @cached_property
    def calls(self) -> tuple[CallSite, ...]:
        """The calls among them."""
        return tuple([i for i in self.instructions if isinstance(i, CallSite)])

    @cached_property
    def kinds(self) -> frozenset[builtins.type[Instruction]]:
        """Of which classes they are: whoever looks for some of one need not look where there is none."""
        return frozenset([i.__class__ for i in self.instructions])

    @cached_property
    def literals(self) -> tuple[Operand, ...]:
        """The operands that they evaluate and that are no names of values, in order."""
        return tuple([o for i in self.instructions for o in operands(i) if o.__class__ is not Local])


@dataclass(frozen=True, slots=True)
class GlobalVariable:
    """``@name = words [global|constant] type initializer, tail``; no initializer if external.

    ``buffer`` is what people call it where it is no variable of the text: the object behind a parameter
    (``%out``) or a register (``u0``), which the environment made. ``relaxed``: the alignments of accesses to
    it are no promise, as those of a shader's resources. ``shape`` is what the launch said of it: how many
    elements along each dimension, the last one side by side."""

    name: str
    type: Type
    constant: bool
    initializer: Operand | None
    words: Words = ()
    address_space: int | str = 0
    externally_initialized: bool = False
    tail: Words = ()
    attributes: Words = ()
    attachments: tuple[tuple[str, Metadata], ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    buffer: str = ""
    relaxed: bool = False
    shape: tuple[int, ...] = ()

    @property
    def label(self) -> str:
        """As people write it: ``@name``, or the buffer's name."""
        return self.buffer or f"@{self.name}"


@dataclass(frozen=True, slots=True)
class Alias:
    """``@name = words alias|ifunc type, target, tail``; LLVM lets an ifunc alone have attachments."""

    name: str
    kind: str
    type: Type
    target: Operand
    words: Words = ()
    tail: Words = ()
    attachments: tuple[tuple[str, Metadata], ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class MetadataNode:
    """``!5 = distinct !{...}``."""

    name: str
    value: Metadata
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Directive:
    """What follows ``; CONVCHECK:`` in a comment. It is split when a command asks for defaults: a line that
    cannot be split says nothing about the module."""

    text: str
    span: Span = field(default=NOWHERE, compare=False)

    def words(self) -> tuple[str, ...]:
        """Its words as a shell splits them. Raises ValueError for a quote that is not closed."""
        import shlex

        return tuple(shlex.split(self.text))


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A declared intrinsic in whose place LLVM puts something else: the intrinsics ``new``, with operands of
    their own, or none of them, but plain instructions."""

    old: str
    new: tuple[str, ...]


@dataclass(frozen=True)
class Module(Shown):
    """One translation unit.

    ``types`` maps a type's name to its body (``None``: opaque). ``groups`` maps an attribute
    group's number to its words. ``intrinsics`` maps each intrinsic that the module declares or
    uses to the attribute words that LLVM's own table gives it, whatever its ``declare`` says
    (empty when LLVM was not asked). ``directives`` are the ``; CONVCHECK:`` lines.

    ``source`` is the text that spans are about. Where LLVM put something else in the place of intrinsics
    (``upgrades``) it is LLVM's print, and ``original`` what the user wrote, which directives are about.
    ``renamed`` maps names of intrinsics that the text declares to the names that LLVM gives them, which are
    those of the module. ``typed_pointer`` is the first type from before LLVM 17 in the user's text
    (``i32*``), which LLVM reads as ``ptr``. ``without_llvm`` says that nobody asked LLVM whether this is
    LLVM IR.
    """

    source: Source = field(default=Source("<memory>", ""), compare=False)
    source_filename: str | None = None
    datalayout: str | None = None
    triple: str | None = None
    assembly: tuple[str, ...] = ()
    types: Mapping[str, Type | None] = field(default_factory=dict)
    comdats: Mapping[str, str] = field(default_factory=dict)
    globals: Mapping[str, GlobalVariable] = field(default_factory=dict)
    aliases: Mapping[str, Alias] = field(default_factory=dict)
    functions: Mapping[str, Function] = field(default_factory=dict)
    groups: Mapping[str, Words] = field(default_factory=dict)
    named_metadata: Mapping[str, tuple[Metadata, ...]] = field(default_factory=dict)
    metadata: Mapping[str, MetadataNode] = field(default_factory=dict)
    use_list_orders: tuple[str, ...] = ()
    summary: tuple[str, ...] = ()
    intrinsics: Mapping[str, frozenset[str]] = field(default_factory=dict)
    directives: tuple[Directive, ...] = field(default=(), compare=False)
    upgrades: tuple[Upgrade, ...] = field(default=(), compare=False)
    renamed: Mapping[str, str] = field(default_factory=dict, compare=False)
    original: Source | None = field(default=None, compare=False)
    typed_pointer: Span = field(default=NOWHERE, compare=False)
    without_llvm: bool = field(default=False, compare=False)

    __repr__ = Shown.__repr__

    def __iter__(self) -> Iterator[Function]:
        """The functions, in text order."""
        return iter(self.functions.values())

    def __len__(self) -> int:
        return len(self.functions)

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, name: str) -> Function:
        """A function by its name, with or without ``@``. Raises KeyError."""
        return self.functions[name.removeprefix("@")]

    def flag(self, name: str) -> int | None:
        """The number of a module flag, if there is one (LangRef, *Module Flags Metadata*)."""
        for entry in self.named_metadata.get("llvm.module.flags", ()):
            node = self.metadata.get(entry.name) if isinstance(entry, MetadataReference) else None
            flag = entry if node is None else node.value
            match flag:
                case MetadataTuple((_, MetadataString(data), MetadataValue(Int(_, value)))):
                    if data == name.encode():
                        return value
        return None

    def definitions(self) -> tuple[Function, ...]:
        """The functions with a body, in text order."""
        return self._definitions

    @cached_property
    def _definitions(self) -> tuple[Function, ...]:
        return tuple([f for f in self.functions.values() if f.body is not None])

    def function_attributes(self, name: str) -> Words:
        """The attribute words of function ``@name``, groups resolved; LLVM's table for intrinsics."""
        known = self._attributes.get(name)
        if known is None:
            known = self._attributes[name] = self._attributes_of(name)
        return known

    @cached_property
    def _attributes(self) -> dict[str, Words]:
        """Those that were asked for."""
        return {}

    def _attributes_of(self, name: str) -> Words:
        if (known := self.intrinsics.get(name)) is not None:
            return tuple(sorted(known))
        function = self.functions.get(name)
        return () if function is None else self.resolve(function.attributes)

    def named(self, name: str) -> str:
        """The module's name for a function, given without ``@`` as the user's text may have it."""
        return name if name in self.functions else self.renamed.get(name, name)

    def referenced(self, metadata: Metadata) -> Metadata | None:
        """The node that a reference names, ``None`` if there is none; other metadata itself."""
        if not isinstance(metadata, MetadataReference):
            return metadata
        known = self.metadata.get(metadata.name)
        return None if known is None else known.value

    def integers(self, metadata: Metadata) -> list[int]:
        """The integers of a metadata tuple, or of the one that is named."""
        node = self.referenced(metadata)
        parts = node.elements if isinstance(node, MetadataTuple) else ()
        values = [part.value for part in parts if isinstance(part, MetadataValue)]
        return [value.value for value in values if isinstance(value, Int)]

    def resolve(self, words: Words) -> Words:
        """Attribute words with ``#N`` groups replaced by what they hold."""
        if not words:
            return ()
        known = self._resolved.get(words)
        if known is None:
            known = self._resolved[words] = tuple([
                word
                for item in words
                for word in (self.groups.get(item[1:], ()) if item.startswith("#") else (item,))
            ])  # fmt: skip
        return known

    @cached_property
    def _resolved(self) -> dict[Words, Words]:
        """Those that were asked for."""
        return {}


def needs_module(value: object, by: str) -> None:
    """Raises TypeError where something else than a module is given to the function ``by``."""
    if isinstance(value, Module):
        return
    hint = ""
    if isinstance(value, str):
        how = "parse" if "\n" in value else "parse_file"
        hint = f": convergence.{how}(...) makes one of it"
    from reprlib import repr as short

    raise TypeError(f"{by}() takes a Module, and not {short(value)}{hint}")


# ----------------------------------------------------------------------------------------------------------
# What a declaration says of a global variable's contents (LangRef, *Global Variables*, *Linkage Types*).
#
# What the module does not say, the environment does: the contents of such a variable are an input.
# ----------------------------------------------------------------------------------------------------------

WORKGROUP = 3
"""The address space of memory that a group of threads shares (LDS, shared, Workgroup, groupshared): AMDGPU,
NVPTX, SPIR-V and DirectX agree on its number. Nobody initialises it."""
_REPLACEABLE = frozenset({"weak", "linkonce", "common", "extern_weak"})
"""Linkages under which another module's definition may take this one's place."""
_HIDDEN = frozenset({"internal", "private"})


def is_thread_local(variable: GlobalVariable) -> bool:
    """Whether each thread has a variable of its own."""
    return any(word.startswith("thread_local") for word in variable.words)


def is_hidden(variable: GlobalVariable) -> bool:
    """Whether only its module can name it."""
    return not _HIDDEN.isdisjoint(variable.words)


def starts_uninitialised(variable: GlobalVariable) -> bool:
    """Whether it holds undef at the launch: memory of a workgroup that only a declaration names."""
    return variable.initializer is None and variable.address_space == WORKGROUP


_BUILTIN = "__spirv_BuiltIn"


def builtin_name(variable: GlobalVariable) -> str | None:
    """Which of SPIR-V's built-ins a variable is, as its name says, if it is one: the environment says what it
    holds, of each thread."""
    if variable.initializer is not None or not variable.name.startswith(_BUILTIN):
        return None
    return variable.name.removeprefix(_BUILTIN)


def is_input(variable: GlobalVariable) -> bool:
    """Whether the environment chooses what it holds at the launch: it has no initializer here, or one that
    may be overwritten before the start, or that of another module may take its place."""
    if variable.name.startswith("llvm.") or starts_uninitialised(variable):
        return False
    if builtin_name(variable) is not None:
        return False
    replaceable = not _REPLACEABLE.isdisjoint(variable.words)
    return variable.initializer is None or variable.externally_initialized or replaceable


def is_named_barrier(type_: Type, module: Module) -> bool:
    """Whether a type is that of AMDGPU's named barriers, of an array of them, or of a structure with one
    (LLVM's *User Guide for AMDGPU Backend*, *Target Types*): operations on barriers alone look there."""
    names: set[str] = set()
    while True:
        match type_:
            case TargetType("amdgcn.named.barrier"):
                return True
            case ArrayType(_, inner) | StructType((inner,)):
                type_ = inner
            case NamedType(name) if name not in names and (body := module.types.get(name)) is not None:
                names.add(name)
                type_ = body
            case _:
                return False
