"""LLVM IR in the making: lines of text that remember the instruction they come from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ..frozen import dataclass
from .constants import Constants, Image, MatrixLayout, NoLayout, SPIRVPointer, Type, llvm, spelled
from .instruction import NotCovered, NotSPIRV, SPIRVInstruction
from .module import SPIRVModule

_PLAIN = re.compile(r"[-a-zA-Z$._][-a-zA-Z$._0-9]*\Z")
NOWHERE = 0
"""The line of what no instruction stands for."""


def quoted(name: str) -> str:
    """A name as LLVM has it behind its sigil."""
    if _PLAIN.match(name):
        return name
    inner = "".join(c if c.isprintable() and c not in '"\\' and ord(c) < 127 else _escaped(c) for c in name)
    return f'"{inner}"'


def _escaped(character: str) -> str:
    return "".join(f"\\{byte:02X}" for byte in character.encode("utf-8", "surrogateescape"))


class FreshNames:
    """Names that are given out once each."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def fresh(self, wanted: str) -> str:
        """``wanted``, or with a number behind it."""
        name, n = wanted or "_", 0
        while name in self._names:
            n += 1
            name = f"{wanted}.{n}"
        self._names.add(name)
        return name


class Output:
    """The module's text: lines, each with the SPIR-V line it comes from; ``declarations`` by name."""

    def __init__(self, module: SPIRVModule) -> None:
        self.module = module
        self.constants = Constants(module.types, module.constants)
        self.lines: list[str] = []
        self.origins: list[int] = []
        self.declarations: dict[str, str] = {}
        self.names = FreshNames()
        self.globals: dict[str, str] = {}
        """By id: variables and functions, with sigil."""
        self.outside = {i.result for i in module.constants if i.op == "OpConstantSampler"}
        """Variables and constants whose types are not modelled, by id."""
        self.unread: list[NotCovered] = []
        """What is not read of functions."""

    def line(self, text: str, origin: int = NOWHERE) -> None:
        """Write a line."""
        self.lines.append(text)
        self.origins.append(origin)

    def named_type(self, text: str) -> str:
        """The name of a type that stands for another, for attributes."""
        name = f"%passed.{sum(key[0] == '%' for key in self.declarations)}"
        return self.declarations.setdefault(f"%{text}", f"{name} = type {text}").partition(" ")[0]

    def declare(self, name: str, result: str, parameters: Sequence[str], attributes: str) -> None:
        """Declare a function, once."""
        signature = f"declare {result} @{quoted(name)}({', '.join(parameters)})"
        self.declarations.setdefault(name, f"{signature} {attributes}".rstrip())


UNREAD = "spirv.unread."
"""How the functions are called that stand for what is not read; what that is, is behind it."""
PURE = "nounwind willreturn memory(none)"
EXCHANGE = "convergent nounwind willreturn memory(none)"
BARRIER = "convergent nounwind"


@dataclass(frozen=True, slots=True)
class BoundImage:
    """An image as a function has it: the address of its first texel, that of a place ``beside`` for what is
    outside, and its handle, with their types; and how the handle's type is called in names of intrinsics."""

    type: Image
    pointer: str
    beside: str
    handle: str
    ending: str


class FunctionWriter:
    """One function's code in the making: what instruction functions write to.

    ``at`` is the instruction being translated; ``token`` the token of the construct around it, if the
    function is controlled.
    """

    def __init__(self, out: Output) -> None:
        self.out = out
        self.module = out.module
        self.names = FreshNames()
        self.locals: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self.token: str | None = None
        self.at: SPIRVInstruction | None = None
        self.layouts: dict[str, MatrixLayout] = {}
        """How the matrices, or the columns of rows, that pointers point to are laid out."""
        self.descriptors: dict[str, Callable[[str], str]] = {}
        """Arrays of buffers: the address of the one that an index, an id, says."""
        self.lengths: dict[str, Callable[[], str]] = {}
        """How many bytes a buffer has."""
        self.lengths_of: dict[str, Callable[[str], Callable[[], str]]] = {}
        """The same of arrays of buffers, for the one that an index says."""
        self.images: dict[str, BoundImage] = {}
        """By id: variables that are images, and what is loaded from them."""
        self.image_arrays: dict[str, Callable[[str], BoundImage]] = {}
        """Arrays of images: the one that an index, an id, says."""
        self.prologue: list[tuple[str, int]] = []
        self.lines: list[tuple[str, int]] = []

    # -- Values

    def type_id(self, id_: str) -> str:
        """The id of a value's type."""
        known = self.module.types_of.get(id_)
        if known is None:
            raise NotSPIRV(f"{self._place()}: {id_} is no value", self._line())
        return known

    def type(self, id_: str) -> Type:
        """The type of a value."""
        known = self.module.types.get(self.type_id(id_))
        if known is None:
            raise NotSPIRV(f"{self._place()}: {self.type_id(id_)} is no type", self._line())
        return known

    def result_type(self) -> Type:
        """The type of the result of the instruction at hand."""
        assert self.at is not None and self.at.type is not None
        return self.module.types[self.at.type]

    def pointee(self, pointer: str) -> Type:
        """What a pointer points to."""
        type_ = self.type(pointer)
        if not isinstance(type_, SPIRVPointer):
            raise NotSPIRV(f"{self._place()}: {pointer} is no pointer", self._line())
        if type_.pointee not in self.module.types:
            raise NotSPIRV(f"{self._place()}: {type_.pointee} is no type", self._line())
        return self.module.types[type_.pointee]

    def local(self, id_: str) -> str:
        """The name, with sigil, that a result of the function has."""
        name = self.locals.get(id_)
        if name is None:
            name = self.locals[id_] = self.names.fresh(self.module.name(id_))
        return "%" + quoted(name)

    def value(self, id_: str) -> str:
        """A value as an operand, without its type."""
        if (text := self.texts.get(id_)) is not None:
            return text
        if id_ in self.out.constants.values:
            try:
                return spelled(self.out.constants.types[id_], self.out.constants.values[id_])
            except NotSPIRV as error:
                raise NotSPIRV(f"{self._place()}: {id_} is {error.message}", self._line()) from None
        if (known := self.out.globals.get(id_)) is not None:
            return known
        if id_ in self.out.outside:
            raise self.refused(f"{self.module.name(id_)}, whose type is not modelled")
        return self.local(id_)

    def typed(self, id_: str) -> str:
        """A value as an operand, with its type."""
        return f"{self.llvm(self.type(id_))} {self.value(id_)}"

    def number(self, id_: str) -> int | None:
        """The number that an id is, if it is a constant."""
        return self.out.constants.number(id_)

    def constant(self, id_: str, what: str) -> int:
        """The number that an id is, which has to be a constant.

        :raises NotCovered: where it is none
        """
        number = self.number(id_)
        if number is None:
            raise self.refused(f"{what} that is no constant")
        return number

    def llvm(self, type_: Type) -> str:
        """The LLVM type of a value.

        :raises NotCovered: for a type that is not modelled
        """
        try:
            return llvm(type_)
        except NoLayout as error:
            raise self.refused(f"values of {error}") from None

    # -- Writing

    def emit(self, text: str) -> None:
        """Write an instruction without a result."""
        self.lines.append((f"  {text}", self._line()))

    def define(self, text: str) -> None:
        """Write the instruction that gives the result."""
        assert self.at is not None and self.at.result is not None
        self.emit(f"{self.local(self.at.result)} = {text}")

    def step(self, text: str) -> str:
        """Write an instruction on the way to the result; its name, with sigil."""
        name = self.name()
        self.emit(f"{name} = {text}")
        return name

    def name(self) -> str:
        """A name on the way to the result, with sigil."""
        assert self.at is not None
        wanted = "t" if self.at.result is None else self.module.name(self.at.result)
        return "%" + quoted(self.names.fresh(f"{wanted}.0"))

    def fresh(self, wanted: str) -> str:
        """A name, with sigil, like the wanted one."""
        return "%" + quoted(self.names.fresh(wanted))

    def alias(self, text: str) -> None:
        """The result is another value."""
        assert self.at is not None and self.at.result is not None
        self.texts[self.at.result] = text

    def call(self, name: str, result: str, arguments: Sequence[str], attributes: str = PURE) -> str:
        """A call of a declared function, to be written; of a convergent one with the token. ``arguments``
        have their types in front."""
        convergent = attributes.startswith("convergent")
        self.out.declare(name, result, [_type_of(a) for a in arguments], attributes)
        bundle = f' [ "convergencectrl"(token {self.token}) ]' if convergent and self.token else ""
        return f"call {result} @{quoted(name)}({', '.join(arguments)}){bundle}"

    def stop(self, error: NotCovered) -> None:
        """Write that no thread gets beyond this place, as what stands there is not read."""
        self.out.unread.append(error)
        name = f"{UNREAD}{error.feature}"
        self.out.declare(name, "void", (), "")
        self.emit(f"call void @{quoted(name)}()")

    def unread(self, error: NotCovered) -> None:
        """Write that the instruction at hand is not read. Its result is poison, so that what comes of it can
        be written."""
        self.stop(error)
        if self.at is None or self.at.result is None or self.at.type is None:
            return
        try:
            type_ = self.llvm(self.result_type())
        except NotCovered:
            self.alias("poison")
            return
        if type_ != "void":
            self.define(f"freeze {type_} poison")

    def refused(self, what: str) -> NotCovered:
        """Why the instruction at hand is not read."""
        return NotCovered(f"{self._place()}: {what}", self._line())

    def _place(self) -> str:
        return "" if self.at is None else self.at.place

    def _line(self) -> int:
        return NOWHERE if self.at is None else self.at.line


def _type_of(argument: str) -> str:
    """The type in front of an operand."""
    depth = 0
    quote = False
    for at, sign in enumerate(argument):
        if sign == '"':
            quote = not quote
        elif quote:
            continue
        elif sign in "<[{(":
            depth += 1
        elif sign in ">]})":
            depth -= 1
        elif sign == " " and depth == 0 and not argument.startswith("addrspace(", at + 1):
            return argument[:at]
    return argument


Emit = Callable[[FunctionWriter, SPIRVInstruction], None]
"""An instruction function: from the code being written and the instruction."""
Table = Mapping[str, Emit]
