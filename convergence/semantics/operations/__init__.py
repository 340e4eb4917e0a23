"""What a declared function does, as pure functions of ``{lane: operands}``: a table of models.

Here: the shapes that models are given in, the grid of a launch, and the effects that are promised of calls.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from ...frozen import Json, dataclass
from ...ir import (
    ArrayType,
    FloatType,
    Int,
    IntType,
    PointerType,
    Simple,
    SimpleType,
    StructType,
    Type,
    VectorType,
)
from ...ir.calls import callee_name
from .. import NotModelled
from ..memory.synchronisation import MemoryFence, Scope
from ..values import OUTSIDE, Composite, Pointer, Provenance, RuntimeValue, Value
from ..values.datalayout import refuse_large_type

if TYPE_CHECKING:
    from ...ir import FunctionType
    from ...ir.instructions import CallSite
    from ...ir.module import Function, Module
    from ..values.context import Context


# ----------------------------------------------------------------------------------------------------------
# Counts and coordinates along x, y and z, and the grid of workgroups that a launch is (semantics.md,
# D-ENTRY).
# ----------------------------------------------------------------------------------------------------------


class Extent(NamedTuple):
    """How many there are along each dimension, or where something is along each, from 0."""

    x: int = 1
    y: int = 1
    z: int = 1

    @property
    def volume(self) -> int:
        """How many there are in all."""
        return self.x * self.y * self.z

    def at(self, number: int) -> Extent:
        """Where number ``number`` is: x grows fastest, then y."""
        rest, x = divmod(number, self.x)
        z, y = divmod(rest, self.y)
        return Extent(x, y, z)

    def scaled(self, other: Extent) -> Extent:
        """The product along each dimension."""
        return Extent(self.x * other.x, self.y * other.y, self.z * other.z)

    def moved(self, other: Extent) -> Extent:
        """The sum along each dimension."""
        return Extent(self.x + other.x, self.y + other.y, self.z + other.z)

    @property
    def dimensions(self) -> int:
        """How many dimensions have more than one: at least 1."""
        return 3 if self.z > 1 else 2 if self.y > 1 else 1

    def __str__(self) -> str:
        """``8``, ``8,4``, ``8,4,2``: as options have it."""
        return ",".join(map(str, self[: self.dimensions]))


SINGLE = Extent(1, 1, 1)
ORIGIN = Extent(0, 0, 0)


class Grid(NamedTuple):
    """A launch as the program sees it: how many ``workgroups``, how many threads each ``workgroup`` has, in
    how many ``dimensions`` (OpenCL's work dimension) the launch was asked for, and how many workgroups are a
    ``cluster``."""

    workgroups: Extent = SINGLE
    workgroup: Extent = SINGLE
    dimensions: int = 1
    cluster: Extent = SINGLE

    @property
    def threads(self) -> Extent:
        """How many threads there are in all."""
        return self.workgroups.scaled(self.workgroup)


# ----------------------------------------------------------------------------------------------------------
# What a call of a declared function does: the shapes that models are given in.
#
# A model is asked once per call site (:data:`Prepare`) and answers with what happens there: an
# exchange among the threads of a group, or something that each thread does alone.
# ----------------------------------------------------------------------------------------------------------


Operands = tuple[RuntimeValue, ...]


class Callee(NamedTuple):
    """The function that a call names, without ``@``; the call's function type; the module's context;
    what the groups of the name's pattern matched; by its place, what an operand is that is an integer
    constant, ``None`` of any other (nothing where no call is asked about)."""

    name: str
    type: FunctionType
    context: Context
    parts: tuple[str | None, ...] = ()
    numbers: tuple[int | None, ...] = ()

    @classmethod
    def of(cls, name: str, call: CallSite, context: Context) -> Callee:
        """What ``call`` calls, by the name that is known of it."""
        numbers = tuple(a.value.value if isinstance(a.value, Int) else None for a in call.arguments)
        return cls(name, call.type, context, numbers=numbers)


class Subgroup(NamedTuple):
    """The launch group of a thread: room for ``size`` lanes, lane 0 being thread ``first`` of the launch and
    number ``base`` of the ``threads`` of its workgroup, as the program sees them. ``number`` counts the
    subgroups of a workgroup, ``group`` the workgroups of the ``grid``. ``wave`` is the room that the module
    asks for, if it does; lanes that were not launched count as threads that do not run."""

    size: int
    first: int
    threads: int
    number: int = 0
    wave: int | None = None
    base: int = 0
    group: int = 0
    grid: Grid = Grid()

    @property
    def siblings(self) -> int:
        """How many subgroups its workgroup has."""
        return -(-self.threads // max(self.size, 1))

    @property
    def whole(self) -> Subgroup:
        """Its workgroup, as if that were one subgroup."""
        return self._replace(size=self.threads, first=self.first - self.base, number=0, wave=None, base=0)

    @property
    def cluster(self) -> int:
        """The number of the cluster that its workgroup is in."""
        workgroups, size = self.grid.workgroups, self.grid.cluster
        if size == SINGLE:
            return self.group
        at = workgroups.at(self.group)
        clusters = Extent(*(-(-n // c) for n, c in zip(workgroups, size, strict=True)))
        x, y, z = (n // c for n, c in zip(at, size, strict=True))
        return x + clusters.x * (y + clusters.y * z)


class ThreadPlace(NamedTuple):
    """A thread as models see it: its number, its lane, and its subgroup."""

    thread: int
    lane: int
    subgroup: Subgroup

    @property
    def invocation(self) -> int:
        """The thread's number in its workgroup as the program sees it: lanes that were not launched are
        counted."""
        return self.subgroup.base + self.lane

    @property
    def local_id(self) -> Extent:
        """Where the thread is in its workgroup."""
        return self.subgroup.grid.workgroup.at(self.invocation)

    @property
    def group_id(self) -> Extent:
        """Where its workgroup is in the grid."""
        return self.subgroup.grid.workgroups.at(self.subgroup.group)

    @property
    def global_id(self) -> Extent:
        """Where the thread is among all."""
        return self.group_id.scaled(self.subgroup.grid.workgroup).moved(self.local_id)


Together = Callable[[Mapping[int, Operands], Subgroup], Mapping[int, RuntimeValue]]
"""The operands of a group by lane -> the results by lane (empty for ``void``)."""
Orders = Callable[[Sequence[int | None]], MemoryFence | None]
"""What a fence or a barrier orders (D-SYNC), by the call's operands, ``None`` where one is no constant: the
answer is ``None`` if that one matters."""
CLUSTER_BARRIER = "barrier of the cluster"
"""The name of barriers at which all workgroups of a cluster meet, not only one."""
ASYNC_COPY, ASYNC_WAIT = "async copy", "wait for async copies"
"""The names at which the threads of a workgroup meet for OpenCL's copies by the workgroup."""
BarrierName = Callable[[Sequence[int | None]], str | None]
"""Which barrier of the workgroup a call is at, by its operands as for :data:`Orders`; ``None`` for none."""
Members = Callable[[Sequence[int | None]], int | None]
"""How many threads a barrier waits for, by the call's operands as for :data:`Orders`; ``None`` if that one is
no constant."""
Alone = Callable[..., RuntimeValue]
"""Called with a thread's :class:`ThreadPlace` and its operands."""


class Uniform(NamedTuple):
    """That threads have to come to a barrier as one, else it is undefined: those of which scope, which
    document says so, and what it calls the barrier."""

    scope: Scope
    document: str
    kind: str = "barrier"


@dataclass(frozen=True, slots=True)
class Fencing:
    """A fence: it orders what ``orders`` says, and returns nothing. ``arrives``: at which barrier of the
    workgroup the thread arrives with it, for which it does not wait, with so many ``members``."""

    orders: Orders
    arrives: BarrierName | None = None
    members: Members | None = None


@dataclass(frozen=True, slots=True)
class Exchanging:
    """An operation that exchanges data (or only waits, as a barrier does) among its group.

    ``effect``: whether the outside sees the call as an event. ``follows``: whether each member's operands are
    followed by how many of its thread's calls may have written what this one reads. ``orders``: for a
    barrier, what it orders; ``workgroup``: and which barrier of the workgroup it is. ``wide``: there it
    exchanges among all threads of the workgroup, by their numbers in it. ``parts``: there each thread comes
    for itself, whatever its launch group does, as many as ``members`` says if it does. ``arrives``: to wait
    for a barrier is to arrive at it, too. ``uniform``: of a barrier, whether
    threads have to come to it as one. ``accesses``: each member does the access to memory that the call is by
    its name: before it comes, or, with ``behind``, when it goes on, and after that this fence.
    """

    together: Together
    effect: bool = False
    follows: bool = False
    orders: Orders | None = None
    workgroup: BarrierName | None = None
    wide: bool = False
    parts: bool = False
    members: Members | None = None
    arrives: bool = True
    uniform: Uniform | None = None
    accesses: bool = False
    behind: Fencing | None = None


@dataclass(frozen=True, slots=True)
class PerThread:
    """An operation whose result depends on the thread and its operands alone."""

    alone: Alone


@dataclass(frozen=True, slots=True)
class AboutObject:
    """A question about the object that a pointer is based on: ``holds`` is asked with the address space in
    which it was declared, and whether it is a stack object. ``casts``: the answer is the pointer, in the
    result's address space, or null."""

    holds: Callable[[int, bool], bool]
    casts: bool = False


Model = Exchanging | PerThread | Fencing | AboutObject
Prepare = Callable[[Callee], Model | None]
"""``None``: this call's types do not fit; another model may."""


Operations = tuple[tuple[str, Prepare], ...]
"""Operations of one target or language: the pattern of the whole name, and how to prepare a call."""


class Family(NamedTuple):
    """Operations whose names all begin with one of ``prefixes``."""

    prefixes: tuple[str, ...]
    operations: Operations


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


PRINTF_BUFFER = "__printf_alloc"
"""The function by which AMDGPU's OpenCL code asks for room for what ``printf`` prints."""


def made_up(name: str) -> str:
    """In words, that results of a function were made up."""
    if is_shader_input(name):
        return f"what @{name} gives is an input: it was made up (--input gives something else)"
    return f"@{name} has no model: its results are stand-ins"
