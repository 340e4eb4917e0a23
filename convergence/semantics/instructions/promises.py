"""What attributes and metadata promise of a value: broken, the value is poison.

LangRef, *Parameter Attributes* (``nonnull``, ``align``, ``range``, ``nofpclass``) and *Metadata*
(``!nonnull``,
``!align``, ``!range``). ``noundef`` then makes poison and undef undefined behaviour: that check comes after
these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from ...frozen import dataclass
from ...ir import (
    ConstantExpression,
    FloatType,
    Global,
    Int,
    IntType,
    Local,
    Metadata,
    Operand,
    PointerType,
    Type,
    data_type,
)
from ...ir import instructions as ir
from ...ir.calls import argument_words, callee_name
from ...ir.targets import has_own_object
from .. import NotModelled
from ..memory import Touch, moved_cells
from ..memory.accesses import Access, AccessShape, PrepareAccess, address, touched
from ..operations import EVERYWHERE, effects_of, memory_words
from ..values import Bits, Pointer, RuntimeValue, Truth, Value, scalar
from .intrinsics_values import classes
from .lifting import Check, element_type, lanewise

if TYPE_CHECKING:
    from ...ir.instructions import Bundle
    from ...ir.module import Function, Module, Parameter
    from ..arithmetic.domain import Domain, Width
    from ..memory.allocations import Memory
    from ..values.context import Context, Evaluate

_RANGE = re.compile(r"range\(i\d+ (-?\d+), (-?\d+)\)")
_BEHIND = re.compile(r"(dereferenceable(?:_or_null)?)\((\d+)\)")
_DEFINED = "noundef", "dereferenceable", "dereferenceable_or_null"
_CLASSES = {
    "snan": 0x1, "qnan": 0x2, "nan": 0x3, "ninf": 0x4, "pinf": 0x200, "inf": 0x204, "nnorm": 0x8,
    "pnorm": 0x100, "norm": 0x108, "nsub": 0x10, "psub": 0x80, "sub": 0x90, "nzero": 0x20, "pzero": 0x40,
    "zero": 0x60, "all": 0x3FF,
}  # fmt: skip


def attribute_promises(words: Iterable[str], type_: Type, context: Context) -> Evaluate | None:
    """From a value to itself, or to poison where a parameter or return attribute is not kept."""
    scalar, d = element_type(type_), context.domain
    checks: list[Check] = []
    for word in words:
        if isinstance(scalar, PointerType):
            w = d.width(context.layout.bits(scalar))
            if word == "nonnull":
                checks.append(_is_null(w))
            elif word.startswith("align"):
                checks.append(_misaligned(w, promised_alignment((word,))))
        elif isinstance(scalar, IntType) and (range_ := promised_range((word,))) is not None:
            checks.append(_outside(d.width(scalar.bits), d, [range_]))
        elif isinstance(scalar, FloatType) and word.startswith("nofpclass("):
            checks.append(_classified(word[len("nofpclass(") : -1], scalar.kind, d))
    return _checked(checks, type_, d)


def poisoning_words(words: Iterable[str]) -> tuple[str, ...]:
    """The attributes of a parameter that make a value poison which does not keep them."""
    beginnings = ("align", "range(", "nofpclass(")
    return tuple(word for word in words if word == "nonnull" or word.startswith(beginnings))


def defined_word(words: Iterable[str]) -> str | None:
    """The attribute by which a value is neither undef nor poison, if there is one: ``noundef``, or one that
    implies it (LangRef, ``dereferenceable``)."""
    names = {word.partition("(")[0] for word in words}
    return next((name for name in _DEFINED if name in names), None)


def promised_range(words: Iterable[str]) -> tuple[int, int] | None:
    """The numbers between which attributes say that an integer is, the second one beyond (LangRef,
    ``range``); ``None`` if they say nothing of it."""
    match = next((match for word in words if (match := _RANGE.fullmatch(word))), None)
    return None if match is None else (int(match[1]), int(match[2]))


def promised_alignment(words: Iterable[str]) -> int:
    """Of how many bytes attributes say that an address is a multiple (LangRef, ``align``); 0 if they say
    nothing of it."""
    known = [int(word.removeprefix("align").strip(" ()")) for word in words if word.startswith("align")]
    return known[-1] if known else 0


def promised_bytes(words: Iterable[str]) -> tuple[int, int]:
    """How many bytes attributes say that lie behind a pointer, and behind one that is not null (LangRef,
    ``dereferenceable``, ``dereferenceable_or_null``); 0 if they say nothing of it."""
    known = {match[1]: int(match[2]) for word in words if (match := _BEHIND.fullmatch(word))}
    return known.get("dereferenceable", 0), known.get("dereferenceable_or_null", 0)


def metadata_promises(
    attachments: Sequence[tuple[str, Metadata]], type_: Type, context: Context
) -> Evaluate | None:
    """The same for the metadata of a load or call."""
    scalar, d = element_type(type_), context.domain
    checks: list[Check] = []
    for kind, node in attachments:
        if isinstance(scalar, PointerType) and kind == "nonnull":
            checks.append(_is_null(d.width(context.layout.bits(scalar))))
        elif isinstance(scalar, PointerType) and kind == "align":
            for bytes_ in context.module.integers(node):
                checks.append(_misaligned(d.width(context.layout.bits(scalar)), bytes_))
        elif isinstance(scalar, IntType) and kind == "range":
            numbers = context.module.integers(node)
            pairs = list(zip(numbers[::2], numbers[1::2], strict=False))
            checks.append(_outside(d.width(scalar.bits), d, pairs))
    return _checked(checks, type_, d)


_NO_PROMISE = ("ignore", "cold")
"""Tags of ``llvm.assume`` that promise nothing (LangRef, *Assume Operand Bundles*)."""


def assumed_words(bundle: Bundle) -> tuple[str, ...] | None:
    """What an operand bundle of ``llvm.assume`` promises of its first input, as attributes, ``noundef`` among
    them: a value without the property is undefined behaviour, and poison has none. ``None`` for what is not
    looked at."""
    match bundle.tag, bundle.inputs:
        case tag, _ if tag in _NO_PROMISE:
            return ()
        case ("nonnull" | "noundef") as tag, (_,):
            return (tag, "noundef")
        case "align", (_, Int(value=size), *offset) if size > 0 and size & (size - 1) == 0:
            plain = all(isinstance(o, Int) and o.value == 0 for o in offset)
            return (f"align {size}", "noundef") if plain else None
        case ("dereferenceable" | "dereferenceable_or_null") as tag, (_, Int(value=size)) if size > 0:
            return (f"{tag}({size})", "noundef")
        case _:
            return None


def moved_into_range(words: Iterable[str], type_: Type, context: Context) -> Evaluate | None:
    """From a value to itself if it keeps its ``range`` attributes, else to one that does: what a stand-in may
    be."""
    scalar, d = element_type(type_), context.domain
    range_ = promised_range(words)
    if not isinstance(scalar, IntType) or range_ is None:
        return None
    w, (low, high) = d.width(scalar.bits), range_
    length, outside = (high - low) % (1 << scalar.bits), _outside(w, d, [(low, high)])
    start, many = w.constant(low), w.constant(length)

    def move(value: Value) -> RuntimeValue:
        inside = w.add(start, w.urem(w.sub(value.bits, start), many))
        return Value(d.ite(outside(value.bits), inside, value.bits), value.poison)

    return lanewise(type_, move)


def _checked(checks: list[Check], type_: Type, d: Domain) -> Evaluate | None:
    if not checks:
        return None

    def check(value: Value) -> RuntimeValue:
        poison = reduce(d.either, (broken(value.bits) for broken in checks), value.poison)
        if poison is value.poison or poison is False:
            return value
        if isinstance(value, Pointer):
            return Pointer(value.bits, value.provenance, poison)
        return Value(value.bits, poison)

    return lanewise(type_, check)


def _is_null(w: Width) -> Check:
    none = w.constant(0)
    return lambda a: w.eq(a, none)


def _misaligned(w: Width, alignment: int) -> Check:
    none, low = w.constant(0), w.constant(alignment - 1)
    return lambda a: w.ne(w.and_(a, low), none)


def _outside(w: Width, d: Domain, pairs: list[tuple[int, int]]) -> Check:
    """In none of the half-open ranges, each of which may wrap around."""
    staged = [(w.constant(low), w.constant(high - low)) for low, high in pairs]

    def outside(a: Bits) -> Truth:
        inside = d.false
        for low, length in staged:
            inside = d.either(inside, w.ult(w.sub(a, low), length))
        return d.negate(inside)

    return outside


def _classified(text: str, kind: str, d: Domain) -> Check:
    """In one of the classes that nofpclass excludes, by name or as a mask."""
    mask = reduce(lambda m, name: m | (_CLASSES[name] if name in _CLASSES else int(name)), text.split(), 0)
    of = classes(d.floats(kind), d)

    def excluded(a: Bits) -> Truth:
        members = (member for number, member in enumerate(of(a)) if mask >> number & 1)
        return reduce(d.either, members, d.false)

    return excluded


# -- LangRef, *Parameter Attributes*, ``byval``: the callee gets a copy of its own, made by the call


@dataclass(frozen=True, slots=True)
class ByvalCopy:
    """How one ``byval`` parameter is passed: the callee's own object of ``size`` bytes, which ends with its
    frame, and the ``access`` that fills it, from its address and the caller's pointer. The access is one
    like any other: an environment says when it is done, and it can race. ``escapes``: other threads could
    know the object."""

    name: str
    size: int
    align: int
    access: PrepareAccess
    escapes: bool = True

    def allocate(self, memory: Memory, thread: int) -> Pointer:
        """The callee's own object."""
        return memory.allocate(self.size, self.align, thread, f"%{self.name}")


def copied_type(words: Iterable[str]) -> Type | None:
    """The type of what a call copies for a ``byval`` parameter; ``None`` for all others. NotModelled for one
    that :func:`data_type` does not read."""
    byval = next((word for word in words if word.startswith("byval(")), None)
    if byval is None:
        return None
    type_ = data_type(byval[len("byval(") : -1])
    if type_ is None:
        raise NotModelled(f"the parameter attribute {byval}")
    return type_


def byval_copies(function: Function, context: Context) -> dict[int, ByvalCopy]:
    """What a call of a function copies, by the positions of the parameters. NotModelled as
    :func:`prepare_byval`."""
    copies = {n: prepare_byval(parameter, context) for n, parameter in enumerate(function.parameters)}
    return {position: copy for position, copy in copies.items() if copy is not None}


def prepare_byval(parameter: Parameter, context: Context) -> ByvalCopy | None:
    """How a ``byval`` parameter is passed; ``None`` for all others. NotModelled for types
    that :func:`data_type` does not read, and for ``inalloca`` and ``preallocated``."""
    for word in parameter.attributes:
        if word.startswith(("inalloca", "preallocated")):
            raise NotModelled(f"the parameter attribute {word}")
    type_ = copied_type(parameter.attributes)
    if type_ is None:
        return None
    size, align = context.layout.size(type_), context.layout.align(type_)
    align = promised_alignment(parameter.attributes) or align

    def perform(access: Access, memory: Memory, thread: int) -> None:
        source, at = memory.locate(scalar(access.operands[0]), size, 1, thread, "byval argument", False)
        target, start = memory.locate(address(access), size, 1, thread, "byval argument", True)
        target.contents()[start : start + size] = moved_cells(source.contents()[at : at + size], start - at)

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        source = touched(memory, scalar(access.operands[0]), size, thread, False)
        return (source, touched(memory, address(access), size, thread, True))

    shape = AccessShape("byval", True, True, perform, footprint=footprint)
    return ByvalCopy(parameter.name, size, align, lambda target, source: Access(shape, target, (source,)))


# ----------------------------------------------------------------------------------------------------------
# Which accesses of a definition break what its attributes promise of memory (LangRef, ``memory``,
# ``readonly``, ``writeonly``, ``readnone``): undefined behaviour, where they are done.
#
# An access is looked at by what its address is computed from, through what computes addresses only. It
# breaks a promise if all that it may be based on is forbidden: objects of the function itself are its own
# business, what a call or a load gives may be based on anything, and what never changes may be read:
# constants, what ``!invariant.load`` says it of, and what lies in other address spaces than memory that
# threads write to.
# ----------------------------------------------------------------------------------------------------------


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
                    case ir.CallSite() as call if (argument := self._returned(call)) is not None:
                        waiting.append(argument)
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
