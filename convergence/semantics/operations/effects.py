"""What attributes promise of a call, what stands in for results that nobody models, and what a shader's
stage sees.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from ...frozen import Json, dataclass
from ...ir.calls import callee_name
from ...ir.operands import Int, Simple
from ...ir.types import ArrayType, FloatType, IntType, PointerType, SimpleType, StructType, Type, VectorType
from ..errors import NotModelled
from ..values.datalayout import refuse_large_type
from ..values.value import OUTSIDE, Composite, Pointer, Provenance, RuntimeValue, Value

if TYPE_CHECKING:
    from ...ir.instructions import CallSite
    from ...ir.module import Function, Module
    from ..values.context import Context

# ----------------------------------------------------------------------------------------------------------
# What the attributes of a declared function promise of a call: which calls are events (semantics.md, §6).
#
# LangRef, *Function Attributes*: ``memory(...)`` bounds the accesses, ``willreturn`` and ``nounwind`` say
# that the call comes back, ``noreturn`` that it never does. ``speculatable`` promises no effects but
# calculating the result, and no undefined behaviour: whatever else the declaration leaves open, such a call
# may be made where none was, so it is no event. (That LangRef does not promise the *number* of such calls
# to be unobservable forbids nothing here: no number of them is shown.) The attributes of the declaration
# and of the call both hold, so that a call may do what both allow.
# ----------------------------------------------------------------------------------------------------------

_KINDS = {"none": frozenset[str](), "read": frozenset(("read",)), "write": frozenset(("write",)),
    "readwrite": frozenset(("read", "write"))}  # fmt: skip
_OLDER = {
    "readnone": "memory(none)", "readonly": "memory(read)", "writeonly": "memory(write)",
    "argmemonly": "memory(argmem: readwrite)", "inaccessiblememonly": "memory(inaccessiblemem: readwrite)",
    "inaccessiblemem_or_argmemonly": "memory(argmem: readwrite, inaccessiblemem: readwrite)",
}  # fmt: skip
"""Spellings from before ``memory(...)``, which LLVM still reads."""


EVERYWHERE = frozenset(("argmem", "inaccessiblemem", "other"))
"""Kinds of places: what pointer operands point to, what no module names, and the rest; LLVM tells more kinds
apart in it, such as ``errnomem``."""


@dataclass(frozen=True, slots=True)
class Effects:
    """What a call may do besides giving its result.

    ``reads`` and ``writes`` say whether it may touch memory so, ``hangs`` whether it may fail to come back,
    ``throws`` whether it may unwind, ``ends`` whether it never comes back. ``speculatable``: it may be made
    at any time, and nothing is seen of it but its result. ``read_at`` and ``written_at`` say where, of
    :data:`EVERYWHERE`.
    """

    reads: bool = True
    writes: bool = True
    hangs: bool = True
    throws: bool = True
    ends: bool = False
    speculatable: bool = False
    read_at: frozenset[str] = EVERYWHERE
    written_at: frozenset[str] = EVERYWHERE

    def is_event(self, reading: bool) -> bool:
        """Whether the outside sees the call.

        ``reading`` says whether it is enough that memory is read. In a refinement it is not, as in LLVM: such
        a call may go where nobody uses its result. Where executions are told apart (``run``, ``enumerate``)
        it is: what a callee without a model reads is not known, so its place among the events stays visible.
        """
        if self.ends:
            return True
        if self.speculatable:
            return False
        return self.hangs or self.throws or self.writes or (reading and self.reads)


NO_EFFECTS = Effects(False, False, False, False, read_at=frozenset(), written_at=frozenset())


_ABOUT_MEMORY = ("memory(", *_OLDER)


def promises_memory(module: Module, function: Function) -> bool:
    """Whether a function, or a parameter of it, says which memory it does not touch."""
    words = (function.attributes, *(parameter.attributes for parameter in function.parameters))
    return any(word.startswith(_ABOUT_MEMORY) for own in words for word in module.resolve(own))


def memory_words(words: Iterable[str]) -> tuple[str, ...]:
    """Those about memory."""
    return tuple(word for word in words if word.startswith(_ABOUT_MEMORY))


def overwritten(written_at: frozenset[str]) -> frozenset[str]:
    """The kinds of places of which a write there may change something: what a pointer operand points to may
    be anything that a module names."""
    reachable = frozenset(("argmem", "other"))
    return written_at | reachable if written_at & reachable else written_at


def effects_of(words: Iterable[str]) -> Effects:
    """The effects of a call with these attribute words, the declaration's and its own, groups resolved."""
    return _effects_of(frozenset(words))


@lru_cache(1_000)
def _effects_of(words: frozenset[str]) -> Effects:
    accesses = [kinds for word in words if (kinds := _accesses(word)) is not None]
    places = EVERYWHERE.union(*accesses) - {""}

    def where(kind: str) -> frozenset[str]:
        allowed = (place for place in places if all(kind in k.get(place, k[""]) for k in accesses))
        return frozenset(place if place in EVERYWHERE else "other" for place in allowed)

    read_at, written_at = where("read"), where("write")
    return Effects(
        reads=bool(read_at),
        writes=bool(written_at),
        hangs="willreturn" not in words,
        throws="nounwind" not in words,
        ends="noreturn" in words,
        speculatable="speculatable" in words,
        read_at=read_at,
        written_at=written_at,
    )


def _accesses(word: str) -> dict[str, frozenset[str]] | None:
    """``memory(read, argmem: readwrite)`` as accesses by kind of location, ``""`` for all that are not named,
    which are not touched where no default is given; ``None`` for words that are not about memory."""
    word = _OLDER.get(word, word)
    if not word.startswith("memory("):
        return None
    kinds = {"": _KINDS["none"]}
    for part in word.removeprefix("memory(").removesuffix(")").split(","):
        place, _, access = part.rpartition(":")
        if access.strip():
            kinds[place.strip()] = _KINDS[access.strip()]
    return kinds


# ----------------------------------------------------------------------------------------------------------
# Stand-ins for what declared functions without a model return (D-CALL).
#
# The result is an uninterpreted value of the callee, the own thread, and the operands (of the whole
# group by thread for a convergent call); with side effects also of the group, or, for a call that is
# not convergent, of how many calls went before. Equal arguments give equal values, in every run and
# on every machine; different ones give different values but for collisions of a 64-bit hash.
# ----------------------------------------------------------------------------------------------------------

_ENCODER = json.JSONEncoder(separators=(",", ":"))


def stand_in(callee: str, arguments: Json, type_: Type, context: Context) -> RuntimeValue | None:
    """The value of ``callee`` for these arguments, as a value of ``type_``; ``None`` for void."""
    return _stand_in(callee, arguments, type_, context, _hash)


def constant_stand_in(number: int) -> Callable[[str, Json, Type, Context], RuntimeValue | None]:
    """Stand-ins of which all numbers are one; addresses are as above."""

    def of(callee: str, arguments: Json, type_: Type, context: Context) -> RuntimeValue | None:
        return _stand_in(callee, arguments, type_, context, lambda _: number)

    return of


Numbering = Callable[[str], int]
"""The number of a scalar, of what it is a result of, and where it is in that, as text."""


def _stand_in(
    callee: str, arguments: Json, type_: Type, context: Context, numbering: Numbering
) -> RuntimeValue | None:
    if isinstance(type_, SimpleType) and type_.kind == "void":
        return None
    refuse_large_type(type_, context.layout)
    text = _ENCODER.encode([callee, arguments])
    return _value(text, type_, context, callee, numbering)


def _value(text: str, type_: Type, context: Context, callee: str, numbering: Numbering) -> RuntimeValue:
    type_ = context.layout.resolve(type_)
    match type_:
        case ArrayType(count, element) | VectorType(count, element, False):
            return Composite(
                tuple(_value(f"{text}[{i}]", element, context, callee, numbering) for i in range(count))
            )
        case StructType(parts):
            return Composite(
                tuple(_value(f"{text}.{i}", part, context, callee, numbering) for i, part in enumerate(parts))
            )
        case IntType(bits):
            return Value(context.domain.width(bits).constant(numbering(text)), context.domain.false)
        case FloatType(kind):
            small = numbering(text) % 4096  # an exact number in every format
            return Value(context.domain.floats(kind).from_int(16, False)(small), context.domain.false)
        case PointerType():
            width = context.domain.width(context.layout.bits(type_))
            address = width.constant(_hash(text) >> 20 << 4)
            provenance = Provenance(OUTSIDE, address, 0, f"a result of @{callee} ({_hash(text):016x})")
            return Pointer(address, provenance, context.domain.false)
        case _:
            raise NotModelled(f"a stand-in of type {type_} for the result of @{callee}")


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


# ----------------------------------------------------------------------------------------------------------
# Inputs and outputs of a shader's stage: what the environment gives a thread, and what it sees of it.
#
# They are declared functions: what an input returns is given (``--input``) or made up, and an output is an
# event (semantics.md, §2). LLVM knows no more of them than their attributes, so both sides of a refinement
# have the same ones. An export of AMDGPU's has channels that are switched off: nobody sees what is there.
# ----------------------------------------------------------------------------------------------------------


_INPUTS = re.compile(
    r"llvm\.(?:dx\.load\.input|amdgcn\.(?:interp\.(?:mov|p1|p2)|lds\.(?:param|direct)\.load))(?:\..*)?"
)
_OUTPUTS = re.compile(r"llvm\.(?:dx\.store\.output|amdgcn\.exp(?:\.compr|\.row)?)(?:\..*)?")
_EXPORT = re.compile(r"llvm\.amdgcn\.exp(\.compr)?(?:\..*)?")


def is_shader_input(name: str) -> bool:
    """Whether a function gives what the stage before, or the rasteriser, computed."""
    return _INPUTS.fullmatch(name) is not None


def is_shader_output(name: str) -> bool:
    """Whether a function hands something on to the next stage."""
    return _OUTPUTS.fullmatch(name) is not None


def unseen(call: CallSite) -> frozenset[int]:
    """The operands of an input or output, by their places, of which nothing depends: constants that say that
    there is none, and what an export's mask leaves out."""
    name = callee_name(call) or ""
    if not (is_shader_input(name) or is_shader_output(name)):
        return frozenset()
    values = [argument.value for argument in call.arguments]
    places = {n for n, v in enumerate(values) if isinstance(v, Simple) and v.kind == "poison"}
    export = _EXPORT.fullmatch(name)
    if export is not None and len(values) > 2 and isinstance(values[1], Int):
        mask, bits = values[1].value, 2 if export[1] else 1
        channels = range(4 // bits)
        places -= {2 + n for n in channels}
        places |= {2 + n for n in channels if not mask >> (n * bits) & ((1 << bits) - 1)}
    return frozenset(places)


def made_up(name: str) -> str:
    """In words, that results of a function were made up."""
    if is_shader_input(name):
        return f"what @{name} gives is an input: it was made up (--input gives something else)"
    return f"@{name} has no model: its results are stand-ins"
