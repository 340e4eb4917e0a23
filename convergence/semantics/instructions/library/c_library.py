"""C's and C++'s library by plain names, and the functions of AMD's and NVIDIA's device libraries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from ....frozen import dataclass
from ....ir import VOID, FloatType, IntType, PointerType
from ... import NotModelled, Undefined
from ...memory import UNINITIALISED, ZERO, Touch, filled, moved_cells, typed
from ...memory.accesses import Access, AccessShape, PrepareAccess, address, touched
from ...memory.allocations import Memory
from ...values import NULL, Pointer, RuntimeValue, Value, scalar
from ...values.context import Context, zero
from ...values.datalayout import ACCESS
from .. import lifting as minmax
from ..intrinsics_memory import BuildAccess, copy, fill
from ..memory import loaded
from . import kit as common
from . import mathematics, nvvm
from . import numbers as integers
from . import numbers as rounding
from .kit import (
    FloatFunction,
    Function,
    Numbers,
    Operation,
    Site,
    canonical_nan,
    elementwise,
    floats,
    half_word,
    numbers_of,
    parameter_types,
    require_result,
)
from .kit import integers as of_integers
from .outputs import outputs_of

if TYPE_CHECKING:
    from ....ir import instructions as ir
    from ....ir.module import Module
    from ..intrinsics_values import Build

# ----------------------------------------------------------------------------------------------------------
# C's and C++'s library by plain names: exact functions of numbers, strings and bytes, memory management.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# C's exact functions of numbers by their plain names: ``floor``, ``fmaf``, ``frexp``.
#
# C17, 7.12, *Mathematics*: of ``double``, and with an ``f`` behind the name of ``float``, what IEEE-754
# defines to the last bit. The others (``sin``, ``pow``) have no model here: LLVM makes one of another
# (``pow(2.0, x)`` becomes ``exp2(x)``), which the host's functions would tell apart in the last places. That
# some set ``errno`` nobody sees.
# ----------------------------------------------------------------------------------------------------------

_NAMES = frozenset(
    (
        "ceil", "copysign", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "ilogb", "ldexp", "logb",
        "nearbyint", "nextafter", "remainder", "rint", "round", "roundeven", "scalbln", "scalbn", "sqrt",
        "trunc",
    )
)  # fmt: skip
_OUTPUTS = frozenset({"frexp", "modf", "remquo"})
"""Those that write some of their results behind pointers."""


def _plain(name: str, names: frozenset[str]) -> tuple[str, str] | None:
    """The name of the function of ``double``, and the format; ``None`` if it is none of these."""
    if name in names:
        return name, "double"
    return (name[:-1], "float") if name.endswith("f") and name[:-1] in names else None


def c_math_function(name: str, call: ir.CallSite) -> Build | None:
    """The model of a function that touches no memory; ``None`` if it is none of these, or has other types."""
    if (known := _plain(name, _NAMES)) is None:
        return None

    plain, kind = known
    types = (*parameter_types(call), call.type.result)
    if not all(t == FloatType(kind) or isinstance(t, IntType) for t in types) or FloatType(kind) not in types:
        return None
    return elementwise(BY_C_NAMES[plain.replace("scalbln", "scalbn")])


def c_math_access(name: str) -> BuildAccess | None:
    """The model of a function that writes some of its results behind pointers; ``None`` if it is none."""
    known = _plain(name, _OUTPUTS)
    return None if known is None else outputs_of(known[0], 1)


# ----------------------------------------------------------------------------------------------------------
# C's functions on strings and bytes, by their names: ``strlen``, ``memcmp``, ``strcpy``, ...
#
# C17, 7.24, *String handling*; POSIX's ``strnlen``, ``stpcpy``, ``bcmp``. clang calls them where it expands
# none; device libraries have them, too. Each is one access. It reads a string up to its end and no byte more,
# one byte after the other; ranges that overlap are undefined behaviour but for ``memmove``. Of a comparison
# C says the sign only: it is 1 or -1 here. Undef is 0, as for a load.
# ----------------------------------------------------------------------------------------------------------

Place = tuple[int, int]
"""An operand that is a pointer, by its number, and how many bytes beyond it."""
ReadByte = Callable[[int, int], int]
"""The byte at a place."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What one call does: the ``number`` that it gives, or the ``place``, null where it is ``None``; how many
    bytes are ``read`` from each place on; what is ``copied``, as target, source and number of bytes; then
    where how many ``zeros`` are written."""

    read: tuple[tuple[Place, int], ...]
    number: int | None = None
    place: Place | None = None
    copied: tuple[Place, Place, int] | None = None
    zeros: tuple[Place, int] | None = None


Plan = Callable[[ReadByte, Sequence[int]], Effect]
"""From the bytes that are read, and the operands as numbers, to what the call does."""


def _length(read: ReadByte, operand: int, most: int | None = None) -> int:
    """How many bytes stand before a string's zero, of ``most`` at most."""
    for n in count():
        if n == most or read(operand, n) == 0:
            return n
    raise AssertionError


def _seen(length: int, most: int | None = None) -> int:
    """The bytes that were read to find a length: the zero, too, unless there was no need to come to it."""
    return length if length == most else length + 1


def _strlen(read: ReadByte, given: Sequence[int]) -> Effect:
    most = given[1] if len(given) > 1 else None
    length = _length(read, 0, most)
    return Effect((((0, 0), _seen(length, most)),), number=length)


def _compared(string: bool, bounded: bool, ends_early: bool) -> Plan:
    """``string``: up to a zero; ``bounded``: by the third operand; else all bytes count as read
    (``ends_early`` is false: C does not say that ``memcmp`` stops at the first difference)."""

    def plan(read: ReadByte, given: Sequence[int]) -> Effect:
        sign, length = 0, 0
        for n in range(given[2]) if bounded else count():
            a, b = read(0, n), read(1, n)
            length = n + 1
            sign = (a > b) - (a < b)
            if sign or (string and a == 0):
                break
        if not ends_early:
            length = given[2]
        return Effect((((0, 0), length), ((1, 0), length)), number=sign)

    return plan


def _memchr(read: ReadByte, given: Sequence[int]) -> Effect:
    wanted = given[1] & 0xFF
    for n in range(given[2]):
        if read(0, n) == wanted:
            return Effect((((0, 0), n + 1),), place=(0, n))
    return Effect((((0, 0), given[2]),))


def _strchr(last: bool) -> Plan:
    def plan(read: ReadByte, given: Sequence[int]) -> Effect:
        wanted, place = given[1] & 0xFF, None
        for n in count():
            byte = read(0, n)
            if byte == wanted and (last or place is None):
                place = n
            if byte == 0 or (place is not None and not last):
                break
        return Effect((((0, 0), n + 1),), place=None if place is None else (0, place))

    return plan


def _strcpy(at_end: bool) -> Plan:
    """``at_end``: the result is where the zero was written."""

    def plan(read: ReadByte, given: Sequence[int]) -> Effect:
        length = _length(read, 1)
        copied = ((0, 0), (1, 0), length + 1)
        return Effect((((1, 0), length + 1),), place=(0, length if at_end else 0), copied=copied)

    return plan


def _strncpy(read: ReadByte, given: Sequence[int]) -> Effect:
    most = given[2]
    length = _length(read, 1, most)
    return Effect(
        (((1, 0), _seen(length, most)),),
        place=(0, 0),
        copied=((0, 0), (1, 0), length),
        zeros=((0, length), most - length),
    )


def _strcat(bounded: bool) -> Plan:
    def plan(read: ReadByte, given: Sequence[int]) -> Effect:
        most = given[2] if bounded else None
        end, length = _length(read, 0), _length(read, 1, most)
        return Effect(
            (((0, 0), end + 1), ((1, 0), _seen(length, most))),
            place=(0, 0),
            copied=((0, end), (1, 0), length),
            zeros=((0, end + length), 1),
        )

    return plan


_PLANS: Mapping[str, tuple[str, bool, Plan]] = {
    "strlen": ("p", False, _strlen),
    "strnlen": ("pi", False, _strlen),
    "memcmp": ("ppi", False, _compared(False, True, False)),
    "bcmp": ("ppi", False, _compared(False, True, False)),
    "strcmp": ("pp", False, _compared(True, False, True)),
    "strncmp": ("ppi", False, _compared(True, True, True)),
    "memchr": ("pii", True, _memchr),
    "strchr": ("pi", True, _strchr(False)),
    "strrchr": ("pi", True, _strchr(True)),
    "strcpy": ("pp", True, _strcpy(False)),
    "stpcpy": ("pp", True, _strcpy(True)),
    "strncpy": ("ppi", True, _strncpy),
    "strcat": ("pp", True, _strcat(False)),
    "strncat": ("ppi", True, _strcat(True)),
}
"""By name: which operands are pointers and integers, whether the result is a pointer, and what is done."""
_WRITING = frozenset(("strcpy", "stpcpy", "strncpy", "strcat", "strncat"))


def _check(name: str, call: ir.CallSite, operands: str, gives_pointer: bool) -> None:
    kinds = "".join(
        "p" if isinstance(t, PointerType) else "i" if isinstance(t, IntType) else "?"
        for t in parameter_types(call)
    )
    result = call.type.result
    fits = isinstance(result, PointerType) if gives_pointer else result in (IntType(32), IntType(64))
    if kinds != operands or not fits:
        raise NotModelled(f"@{name} with other operands than C's function has")


def _moved(pointer: Value, distance: int, context: Context, type_: PointerType) -> Pointer:
    w = context.domain.width(context.layout.pointer(type_).bits)
    return Pointer(w.add(pointer.bits, w.constant(distance)), pointer.provenance, pointer.poison)


def _build(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    operands, gives_pointer, plan = _PLANS[name]
    _check(name, call, operands, gives_pointer)
    d, types, result = context.domain, parameter_types(call), call.type.result
    byte = IntType(8)
    load = loaded(typed(byte, context.layout, d), byte, 1, context.layout, d)
    nothing = Value(d.width(8).constant(0), d.false)
    null = zero(result, context.layout, d)

    def place(access: Access, at: Place) -> Pointer:
        operand, distance = at
        pointer = scalar((address(access), *access.operands)[operand])
        type_ = types[operand]
        assert isinstance(type_, PointerType)
        return _moved(pointer, distance, context, type_)

    def effect(access: Access, memory: Memory, thread: int) -> Effect:
        numbers = [0]
        for value, type_ in zip(access.operands, types[1:], strict=True):
            if isinstance(type_, PointerType):
                numbers.append(0)
                continue
            number = scalar(value)
            d.require(d.negate(number.poison), f"{name} of a poison number", "Poison Values")
            numbers.append(d.concrete(number.bits, f"{name} of a symbolic number"))

        def read(operand: int, n: int) -> int:
            if n >= ACCESS:
                raise NotModelled(f"{name} of more than {ACCESS} bytes")
            value = scalar(load(memory, place(access, (operand, n)), thread))
            d.require(d.negate(value.poison), f"{name} reads a poison byte", "Poison Values")
            return d.concrete(value.bits, f"{name} of a symbolic byte")

        return plan(read, numbers)

    def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        done = effect(access, memory, thread)
        for start, length in done.read:
            if length:  # what is compared has to be there, looked at or not
                memory.locate(place(access, start), length, 1, thread, name, False)
        if done.copied is not None and done.copied[2]:
            target_at, source_at, length = done.copied
            source, begin = memory.locate(place(access, source_at), length, 1, thread, name, False)
            target, at = memory.locate(place(access, target_at), length, 1, thread, name, True)
            if target is source and abs(at - begin) < length:
                raise Undefined(f"{name} of ranges that overlap", "C17, 7.24")
            target.contents()[at : at + length] = moved_cells(
                source.contents()[begin : begin + length], at - begin
            )
        if done.zeros is not None and done.zeros[1]:
            start, length = done.zeros
            if length > ACCESS:
                raise NotModelled(f"{name} of {length} bytes")
            target, at = memory.locate(place(access, start), length, 1, thread, name, True)
            target.contents()[at : at + length] = filled(length, nothing)
        if not gives_pointer:
            assert isinstance(result, IntType)
            return Value(d.width(result.bits).constant(done.number or 0), d.false)
        if done.place is None:
            return null
        return place(access, done.place)

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        done = effect(access, memory, thread)

        def touches() -> Iterator[tuple[Place, int, bool]]:
            for start, length in done.read:
                yield start, length, False
            if done.copied is not None:
                yield done.copied[0], done.copied[2], True
            if done.zeros is not None:
                yield *done.zeros, True

        return tuple(
            touched(memory, place(access, start), length, thread, write)
            for start, length, write in touches()
            if length
        )

    shape = AccessShape(
        name, True, name in _WRITING, perform, footprint=footprint, operands=types[1:], result=result
    )
    return lambda pointer, *rest: Access(shape, pointer, rest)


_WHOLE: Mapping[str, tuple[str, str, BuildAccess]] = {
    "memcpy": ("ppi", "llvm.memcpy", copy),
    "memmove": ("ppi", "llvm.memmove", copy),
    "memset": ("pii", "llvm.memset", fill),
}


def _build_whole(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """``memcpy`` and its kin: the intrinsic, which gives the target."""
    operands, intrinsic, build = _WHOLE[name]
    _check(name, call, operands, True)
    prepared, d = build(intrinsic, call, context), context.domain
    kind = parameter_types(call)[1]
    cut = d.trunc(kind.bits, 8) if isinstance(kind, IntType) and kind.bits > 8 else None
    shape = prepared(None, None, None).shape

    def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        shape.perform(access, memory, thread)
        return address(access)

    changed = AccessShape(
        name, shape.reads, True, perform, align=shape.align, footprint=shape.footprint,
        operands=(kind if cut is None else IntType(8), parameter_types(call)[2]), result=call.type.result,
    )  # fmt: skip

    def access(target: Value, filling: RuntimeValue, length: RuntimeValue) -> Access:
        if cut is not None:
            byte = scalar(filling)
            filling = Value(cut(byte.bits), byte.poison)
        return Access(changed, target, (filling, length))

    return access


def c_string_access(name: str) -> BuildAccess | None:
    """The model of a C function, by its name; ``None`` if it is none of these."""
    if name in _PLANS:
        return _build
    return _build_whole if name in _WHOLE else None


# ----------------------------------------------------------------------------------------------------------
# C's and C++'s memory management: ``malloc``, ``calloc``, ``aligned_alloc``, ``free``, ``new``, ``delete``.
#
# C17, 7.22.3, *Memory management functions*; C++, *Storage allocation and deallocation*, by the Itanium ABI's
# names; CUDA C++ programming guide, *Dynamic Global Memory Allocation and Operations*: device code has them,
# too, as functions that are declared only. What they give lies in memory that all threads share, and there is
# always enough of it: null is never given. Each thread's objects have addresses of their own, so that they do
# not depend on how threads interleave. To free an object is to write to all of it: what nothing orders with
# that races.
# ----------------------------------------------------------------------------------------------------------

FREE = "C17, 7.22.3.3"
ALIGNMENT = 16
"""Bytes: that of ``max_align_t`` in the 64-bit ABIs, and of what CUDA's ``malloc`` gives."""


class _Allocator(NamedTuple):
    """Which operands say the ``size`` in bytes, whose product it is, and the alignment; whether there are
    zeros in it."""

    size: tuple[int, ...]
    align: int | None = None
    zeroed: bool = False


_ALLOCATORS: Mapping[str, tuple[int, _Allocator]] = {
    "malloc": (1, _Allocator((0,))),
    "calloc": (2, _Allocator((0, 1), zeroed=True)),
    "aligned_alloc": (2, _Allocator((1,), align=0)),
    "_Znwm": (1, _Allocator((0,))),
    "_Znam": (1, _Allocator((0,))),
    "_ZnwmSt11align_val_t": (2, _Allocator((0,), align=1)),
    "_ZnamSt11align_val_t": (2, _Allocator((0,), align=1)),
}
"""By name: how many operands there are, and what they say."""
_DEALLOCATORS: Mapping[str, int] = {
    "free": 1, "_ZdlPv": 1, "_ZdaPv": 1, "_ZdlPvm": 2, "_ZdaPvm": 2,
    "_ZdlPvSt11align_val_t": 2, "_ZdaPvSt11align_val_t": 2, "_ZdlPvmSt11align_val_t": 3,
    "_ZdaPvmSt11align_val_t": 3,
}  # fmt: skip
"""By name: how many operands there are. (What size and alignment a sized ``delete`` says is not checked.)"""


def frees(name: str) -> bool:
    """Whether a function of this name ends an object of the heap."""
    return name in _DEALLOCATORS


def heap_access(name: str, module: Module | None) -> BuildAccess | None:
    """The model of such a function, by its name, in a module; ``None`` if it is none of these, or frees what
    only somebody else can have allocated, as the module declares nothing that does: nobody knows that."""
    if name in _ALLOCATORS:
        return _allocation
    if module is not None and module.functions.keys().isdisjoint(_ALLOCATORS):
        return None
    return _deallocation if name in _DEALLOCATORS else None


def _allocation(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    count, allocator = _ALLOCATORS[name]
    types, result, d = parameter_types(call), call.type.result, context.domain
    if len(types) != count or not all(isinstance(t, IntType) for t in types):
        raise NotModelled(f"@{name} with other operands than it has")
    if not isinstance(result, PointerType):
        raise NotModelled(f"@{name} with another result than it has")
    if context.layout.pointer(result).index < Memory.HEAP_BITS:
        raise NotModelled(f"@{name} in addresses of {context.layout.pointer(result).bits} bits")
    space = result.address_space

    def number(operands: Sequence[Value], at: int) -> int:
        operand = operands[at]
        d.require(d.negate(operand.poison), f"{name} of a poison number", "Poison Values")
        return d.concrete(operand.bits, f"{name} of a symbolic number")

    def perform(access: Access, memory: Memory, thread: int) -> Pointer:
        operands = [scalar(operand) for operand in access.operands]
        size = 1
        for at in allocator.size:
            size *= number(operands, at)
        align = ALIGNMENT
        if allocator.align is not None:
            align = number(operands, allocator.align)
            if align & (align - 1) or not align:
                raise Undefined(f"{name} to a multiple of {align}, which is no power of two", "C17, 7.22.3.1")
        default = ZERO if allocator.zeroed else UNINITIALISED
        return memory.allocate(size, max(align, ALIGNMENT), thread, name, space, heap=True, default=default)

    shape = AccessShape(name, False, False, perform, operands=types, result=result, heap=True)
    return lambda *operands: Access(shape, None, operands)


def _deallocation(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    types, d = parameter_types(call), context.domain
    if len(types) != _DEALLOCATORS[name] or not isinstance(types[0], PointerType):
        raise NotModelled(f"@{name} with other operands than it has")

    def is_null(pointer: Value) -> bool:
        d.require(d.negate(pointer.poison), f"{name} of a poison pointer", "Poison Values")
        return pointer.provenance in (None, NULL) and d.concrete(pointer.bits, "a symbolic address") == 0

    def size(pointer: Value, memory: Memory) -> int:
        """Of the object that the pointer is the start of."""
        allocation = memory.object_at(pointer)
        if allocation is None or not allocation.heap:
            raise Undefined(f"{name} of what no such function has given, or of what was freed", FREE)
        return allocation.provenance.size

    def perform(access: Access, memory: Memory, thread: int) -> None:
        pointer = address(access)
        if is_null(pointer):
            return
        allocation, _ = memory.locate(pointer, size(pointer, memory), 1, thread, name, True)
        memory.release(Pointer(pointer.bits, allocation.provenance, d.false))

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        pointer = address(access)
        if is_null(pointer):
            return ()
        return (touched(memory, pointer, size(pointer, memory), thread, True),)

    shape = AccessShape(
        name, False, True, perform, footprint=footprint, operands=types[1:], result=VOID,
        heap=True,
    )  # fmt: skip
    return lambda pointer, *rest: Access(shape, pointer, rest)


# ----------------------------------------------------------------------------------------------------------
# The device libraries of HIP and CUDA, where their bitcode is not linked in: OCML, OCKL and libdevice.
#
# AMD's *ROCm-Device-Libs* (OCML: ``__ocml_sin_f32``, ``__ocml_native_exp_f32``, ``__ocml_add_rtz_f64``);
# NVIDIA's *libdevice User's Guide* (``__nv_sinf``, ``__nv_fast_expf``, ``__nv_fadd_rz``, ``__nv_popc``).
# What IEEE-754 defines is exactly rounded, in other directions than to nearest of known numbers; the rest
# is best effort (:meth:`Floats.function`). Norms of arrays and SIMD in a word have no model.
# ----------------------------------------------------------------------------------------------------------


# -- What both have


def _reciprocal_of(name: str, count: int) -> FloatFunction:
    def function(n: Numbers) -> Operation:
        inverse, of = common.reciprocal(n), common.by_name(name, count)(n)
        fixed: Mapping[int, Operation] = {
            2: lambda a, b: inverse(of(a, b)),
            3: lambda a, b, c: inverse(of(a, b, c)),
            4: lambda a, b, c, d: inverse(of(a, b, c, d)),
        }
        return fixed[count]

    return function


def _truth(holds: Callable[[Numbers], Operation]) -> Function:
    """1 or 0."""

    def function(site: Site) -> Operation:
        test, result = holds(site.numbers()), site.result_width
        one, zero = result.constant(1), result.constant(0)
        return lambda a: site.d.ite(test(a), one, zero)

    return function


_SPECIAL = ("normcdf", "normcdfinv", "erfinv", "erfcx", "erfcinv", "j0", "j1", "y0", "y1", "i0", "i1")


def _of_order(name: str) -> Function:
    """``jn``, ``yn``: the order is an integer, and the first operand; in double."""

    def function(site: Site) -> Operation:
        n, double = site.numbers(1), numbers_of(site.d, "double")
        if site.result != site.operands[1]:
            raise NotModelled(f"{name} of {site.operands[1]} with {site.result}")
        widen, narrow = n.f.convert("double"), double.f.convert(n.f.kind)
        number, do = double.f.from_int(site.width().width, True), double.f.function(name)
        return lambda order, x: narrow(do(number(order), widen(x)))

    return function


BY_C_NAMES: Mapping[str, Function] = {
    **{name: floats(function) for name, (_, function) in mathematics.FLOATING.items()},
    **{name: floats(common.by_name(name)) for name in _SPECIAL},
    **{name: floats(common.by_name(name, count)) for name, count in (("len3", 3), ("len4", 4))},
    **{
        f"r{name}": floats(_reciprocal_of(name, count))
        for name, count in (("len3", 3), ("len4", 4), ("hypot", 2))
    },
    **{name: _truth(holds) for name, holds in mathematics.TESTS.items()},
    "jn": _of_order("jn"),
    "yn": _of_order("yn"),
    "ldexp": mathematics.ldexp,
    "scalbn": mathematics.ldexp,
    "pown": mathematics.pown,
    "powi": mathematics.pown,
    "rootn": mathematics.rootn,
    "ilogb": mathematics.ilogb,
    "nan": canonical_nan,
    "saturate": floats(common.saturate),
    "fdivide": floats(lambda n: n.f.div),
}
"""By C's names, or those of one of them."""


# -- OCML

_OCML_NAMES = {"max": "fmax", "min": "fmin", "ncdf": "normcdf", "ncdfinv": "normcdfinv", "fmuladd": "mad"}
_OCML = re.compile(r"__ocml_(?:native_)?(\w+?)_(?:2f16|f16|f32|f64)")
_DIRECTED = re.compile(r"(add|sub|mul|div|fma|sqrt)_(rte|rtz|rtp|rtn)")


def _ocml(name: str) -> Function | None:
    if (directed := _DIRECTED.fullmatch(name)) is not None:
        return floats(nvvm.rounded_operation(directed[1], rounding.MODES[directed[2]]))
    return BY_C_NAMES.get(_OCML_NAMES.get(name, name))


def _to_half(mode: str) -> Function:
    return lambda site: rounding.float_to_float(site.d, site.numbers().f.kind, "half", mode)


_OCML_CONVERSIONS: Mapping[str, Function] = {
    f"__ocml_cvt{mode}_f16_f32": _to_half(mode) for mode in ("rtn", "rtp", "rtz")
}


# -- libdevice

_NV_NAMES = {
    "norm3d": "len3", "norm4d": "len4", "rnorm3d": "rlen3", "rnorm4d": "rlen4",
    "cyl_bessel_i0": "i0", "cyl_bessel_i1": "i1",
}  # fmt: skip
_NV_MODES = {"rn": "rte", "rz": "rtz", "ru": "rtp", "rd": "rtn"}
_NV_DIRECTED = re.compile(r"[fd]?(add|sub|mul|div|rcp|sqrt|rsqrt)_(rn|rz|ru|rd)")
_NV_FMA = re.compile(r"fmaf?(?:_ieee)?_(rn|rz|ru|rd)")
_NV_CONVERSION = re.compile(r"(float|double|int|uint|ll|ull)2(float|double|int|uint|ll|ull)_(rn|rz|ru|rd)")
_NV_INTEGER = {"int": (32, True), "uint": (32, False), "ll": (64, True), "ull": (64, False)}
_NV_REINTERPRETED = frozenset({
    "float_as_int", "float_as_uint", "int_as_float", "uint_as_float", "double_as_longlong",
    "longlong_as_double",
})  # fmt: skip


def _first_set(site: Site) -> Operation:
    """``ffs``: the place of the lowest one, from 1; 0 if there is none."""
    require_result(site, IntType(32))
    place, result = integers.lowest_one(site.width(), site.d, site.result_width), site.result_width
    one = result.constant(1)
    return lambda a: result.add(place(a), one)


def _count(name: str) -> Function:
    """Ones, or leading zeros, as a word."""

    def function(site: Site) -> Operation:
        require_result(site, IntType(32))
        w, result = site.width(), site.result_width
        of = w.ctpop if name == "popc" else w.ctlz
        to = integers.resize(site.d, w.width, result.width)
        return lambda a: to(of(a))

    return function


def _larger(signed: bool, larger: bool) -> integers.IntegerFunction:
    return minmax.INTEGER[("s" if signed else "u") + ("max" if larger else "min")]


def _double_of_words(site: Site) -> Operation:
    """``hiloint2double(high, low)``."""
    return lambda high, low: site.d.concat([low, high], [32, 32])


def _number_of_half(site: Site) -> Operation:
    return site.d.floats("half").convert("float")


def _half_of_number(site: Site) -> Operation:
    return site.numbers().f.convert("half")


def _to_whole(mode: str) -> Function:
    """``llrint``, ``llround``: rounded, then as an integer, the nearest one if it does not fit."""

    def function(site: Site) -> Operation:
        n = site.numbers()
        whole = n.f.rounded(mode)
        convert = rounding.float_to_int(n, site.result_width.width, True, "rtz")
        return lambda a: convert(whole(a))

    return function


_NV_INTEGERS: Mapping[str, Function] = {
    **{name: of_integers(integers.absolute) for name in ("abs", "llabs")},
    **{f"{p}{op}": of_integers(_larger("u" not in p, op == "max"))
        for p in ("", "u", "ll", "ull") for op in ("max", "min")},
    **{name: of_integers(integers.mul_hi(name[0] != "u"))
        for name in ("mulhi", "umulhi", "mul64hi", "umul64hi")},
    "mul24": of_integers(integers.mul24(True)), "umul24": of_integers(integers.mul24(False)),
    "hadd": of_integers(integers.halving_add(True)), "uhadd": of_integers(integers.halving_add(False)),
    "rhadd": of_integers(integers.halving_add(True, up=True)),
    "urhadd": of_integers(integers.halving_add(False, up=True)),
    "sad": nvvm.sad(True), "usad": nvvm.sad(False),
    **{f"{name}{end}": _count(name) for name in ("popc", "clz") for end in ("", "ll")},
    "ffs": _first_set, "ffsll": _first_set,
    "brev": of_integers(integers.reversed_bits), "brevll": of_integers(integers.reversed_bits),
    "byte_perm": of_integers(nvvm.permute),
    "double2hiint": half_word(True), "double2loint": half_word(False), "hiloint2double": _double_of_words,
    "half2float": _number_of_half, "float2half_rn": _half_of_number,
    "llrint": _to_whole("even"), "llround": _to_whole("away"),
    **dict.fromkeys(_NV_REINTERPRETED, lambda site: lambda a: a),
}  # fmt: skip


def _nv_conversion(source: str, target: str, mode: str) -> Function:
    mode = _NV_MODES[mode]
    kinds = {"float": "float", "double": "double"}
    if source in kinds and target in kinds:
        return lambda site: rounding.float_to_float(site.d, source, target, mode)
    if source in kinds:
        bits, signed = _NV_INTEGER[target]
        nan = 0 if bits == 32 and source == "float" else 1 << (bits - 1)
        return lambda site: rounding.float_to_int(site.numbers(), bits, signed, mode, nan)
    width, sign = _NV_INTEGER[source]
    return lambda site: rounding.int_to_float(site.d, width, sign, target, mode)


def _nv(name: str) -> Function | None:
    if (cast := _NV_CONVERSION.fullmatch(name)) is not None:
        return _nv_conversion(cast[1], cast[2], cast[3])
    if (fma := _NV_FMA.fullmatch(name)) is not None:
        return floats(nvvm.rounded_operation("fma", rounding.MODES[_NV_MODES[fma[1]]]))
    if (directed := _NV_DIRECTED.fullmatch(name)) is not None:
        if directed[1] == "rsqrt":
            return floats(common.rsqrt)
        return floats(nvvm.rounded_operation(directed[1], rounding.MODES[_NV_MODES[directed[2]]]))
    for plain in _plain_names(name):
        entry = _NV_INTEGERS.get(plain) or BY_C_NAMES.get(_NV_NAMES.get(plain, plain))
        if entry is not None:
            return entry
    return None


def _plain_names(name: str) -> tuple[str, ...]:
    """C's names that a name may stand for: without ``fast_``, and an ``f`` or ``d`` that says the format."""
    name = name.removeprefix("fast_")
    tests = name.startswith(("is", "signbit"))
    return (name, name[:-1]) if name.endswith("f") or (tests and name.endswith("d")) else (name,)


_OCKL_DOT = re.compile(r"__ockl_(fdot2|[su]dot[248])")
"""OCKL's names of AMDGPU's dot products."""


def library_of_device(name: str) -> Build | None:
    """The model of a function of one of these libraries that touches no memory; ``None`` if there is none."""
    if (dot := _OCKL_DOT.fullmatch(name)) is not None:
        from .amdgcn import AMDGCN

        return AMDGCN[f"llvm.amdgcn.{dot[1]}"]
    function: Function | None = _OCML_CONVERSIONS.get(name)
    if (ocml := _OCML.fullmatch(name)) is not None and function is None:
        function = _ocml(ocml[1])
    elif name.startswith("__nv_"):
        function = _nv(name.removeprefix("__nv_"))
    return None if function is None else elementwise(function)


def access_of_device(name: str) -> BuildAccess | None:
    """The model of a function that writes results behind pointers; ``None`` if it is none."""
    if (ocml := _OCML.fullmatch(name)) is not None:
        return outputs_of(ocml[1], 1)
    if name.startswith("__nv_"):
        for plain in _plain_names(name.removeprefix("__nv_")):
            if (access := outputs_of(plain, 1)) is not None:
                return access
    return None
