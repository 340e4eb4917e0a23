"""Memory to instruction functions that emit code: where they would read and write cells, LLVM IR is emitted
that does so in the raw memory of :mod:`.packed`.

What an access needs is checked first, against the object's row; whatever is unusual, and all undefined
behaviour, is handed back by a guard. An access that is handed back after a part of it was done is done again
by the reference: all that native code does before is what the reference does, too.
"""

from __future__ import annotations

import ctypes
from typing import Any

from ...ir.types import PointerType, Type, VectorType
from ..arithmetic.emission import Code, NotNative, Term
from ..arithmetic.emitting import EmittingDomain, int_text
from ..machine.log import Log
from ..values.bits import from_bits, to_bits
from ..values.datalayout import Layout
from ..values.value import Bits, Pointer, RuntimeValue, Value
from .allocations import Memory
from .bytes import TypedCells
from .packed import (
    ANYWHERE_NUMBER,
    BASE,
    DATA,
    FLAGS,
    NULL_NUMBER,
    NUMBERS,
    OWNER,
    PLAIN,
    POINTER4,
    POINTER8,
    READABLE,
    ROW,
    SHADOW,
    SIZE,
    STEP,
    WRITABLE,
    ZEROED,
    ObjectTable,
)

METADATA = """\
!1000 = distinct !{!1000, !"convcheck"}
!1001 = distinct !{!1001, !1000, !"data"}
!1002 = distinct !{!1002, !1000, !"shadow"}
!1003 = distinct !{!1003, !1000, !"numbers"}
!1004 = distinct !{!1004, !1000, !"touches"}
!1011 = !{!1001}
!1012 = !{!1002}
!1013 = !{!1003}
!1014 = !{!1004}
!1021 = !{!1002, !1003, !1004}
!1022 = !{!1001, !1003, !1004}
!1023 = !{!1001, !1002, !1004}
!1024 = !{!1001, !1002, !1003}
!1030 = !{}
"""
"""What a module needs at its end whose functions access memory: data, shadows, numbers and touches never
overlap, and rows do not change while native code runs."""
_DATA = "!alias.scope !1011, !noalias !1021"
_SHADOW = "!alias.scope !1012, !noalias !1022"
_NUMBERS = "!alias.scope !1013, !noalias !1023"
_TOUCHES = "!alias.scope !1014, !noalias !1024"
_ROW = "!invariant.load !1030"

_TABLE, _NEXT, _END, _CACHE = range(0, 32, 8)
"""Offsets of the words of the environment, which native code gets as ``ptr %env``."""
_CACHED = 1 << 12
"""Touches that are remembered, so that a loop does not say them without end."""
_BUFFERED = 1 << 16
"""Touches between two times that the reference takes them over."""


class Touches:
    """What native code touches of objects that are not its thread's own, between Python and native code."""

    def __init__(self, table: ObjectTable) -> None:
        self._table = table
        self._buffer = (ctypes.c_uint64 * (2 * _BUFFERED))()
        self._cache = (ctypes.c_uint64 * (2 * _CACHED))()
        self._start = ctypes.addressof(self._buffer)
        end = self._start + ctypes.sizeof(self._buffer)
        self._words = (ctypes.c_uint64 * 4)(table.address, self._start, end, ctypes.addressof(self._cache))
        self.address = ctypes.addressof(self._words)
        """What native code gets as ``ptr %env``."""

    def drain(self, memory: Memory) -> None:
        """Log what was touched since the last time."""
        count = (self._words[_NEXT // 8] - self._start) // 16
        if not count:
            return
        log: Log = memory.log
        for who, where in zip(self._buffer[0 : 2 * count : 2], self._buffer[1 : 2 * count : 2], strict=True):
            provenance, owner = self._table.provenance(who >> 32), self._table.owner(who >> 32)
            assert provenance is not None
            start, size = where >> 24, where & 0xFFFFFF
            log.access(who >> 1 & 0x7FFFFFFF, provenance.id, start, start + size, bool(who & 1), owner)
        self._words[_NEXT // 8] = self._start


class Fields:
    """An object's row, by its number."""

    def __init__(self, code: Code, env: str) -> None:
        self._code = code
        self._env = env

    def row(self, number: Bits) -> str:
        """Its address."""
        code = self._code
        table = code.typed(f"load ptr, ptr {self._env}, {_ROW}")
        wide = number
        if isinstance(number, Term):
            wide = code.value(64, f"zext i32 {number} to i64")
        return code.typed(f"getelementptr [{ROW} x i8], ptr {table}, i64 {int_text(wide)}")

    def word(self, row: str, field: int, type_: str = "i64") -> str:
        """A field of a row."""
        at = self._code.typed(f"getelementptr i8, ptr {row}, i64 {field}")
        return self._code.typed(f"load {type_}, ptr {at}, {_ROW}")

    def base(self, number: Bits) -> Term:
        return Term(self.word(self.row(number), BASE), 64)

    def size(self, number: Bits) -> Term:
        return Term(self.word(self.row(number), SIZE), 64)


class Place:
    """A byte of an object: ``offset`` bytes behind where an access begins, which is at the SSA value
    ``start``."""

    __slots__ = ("offset", "start")

    def __init__(self, start: str, offset: int) -> None:
        self.start = start
        self.offset = offset

    def __add__(self, more: int) -> Place:
        return Place(self.start, self.offset + more)


def _refuse_handle(type_: Type, kind: int) -> None:
    if kind < 0 and (not isinstance(type_, PointerType) or kind not in (-32, -64)):
        raise NotNative(f"{type_} in memory")


class EmittedCells(TypedCells):
    """Stands where an object's cells stand: values of types are read and written at once."""

    def __init__(self, memory: EmittedMemory, row: str) -> None:
        super().__init__()
        self._memory = memory
        self._row = row
        self._code = memory.code

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, key: Any) -> Any:
        raise NotNative("a look at single cells")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise NotNative("a write of single cells")

    def _address(self, field: int, place: Place) -> str:
        """The host's address of what belongs to a byte."""
        code, whole = self._code, self._memory.fields.word(self._row, field, "ptr")
        at = code.typed(f"getelementptr i8, ptr {whole}, i64 {place.start}")
        return code.typed(f"getelementptr i8, ptr {at}, i64 {place.offset}") if place.offset else at

    def _offset(self, place: Place) -> str:
        return self._code.typed(f"add i64 {place.start}, {place.offset}")

    def _shadows(self, place: Place, size: int) -> str:
        return self._code.typed(f"load i{8 * size}, ptr {self._address(SHADOW, place)}, align 1, {_SHADOW}")

    def _has(self, shadow: str, size: int, mask: int, want: int) -> Term:
        """Whether all shadow bytes under a mask are as wanted."""
        bits, ones = 8 * size, int.from_bytes(b"\1" * size, "little")
        cut = self._code.typed(f"and i{bits} {shadow}, {mask * ones}")
        return self._code.value(1, f"icmp eq i{bits} {cut}, {want * ones}")

    def read_value(self, type_: Type, kind: int, size: int, place: Any) -> RuntimeValue:
        """What :func:`.bytes.typed` reads of a scalar, or of a vector whose lanes are no whole bytes."""
        domain, code, layout = self._memory.domain, self._code, self._memory.layout
        _refuse_handle(type_, kind)
        shadow = self._shadows(place, size)
        domain.guard(self._has(shadow, size, PLAIN, PLAIN))
        raw = code.value(8 * size, f"load i{8 * size}, ptr {self._address(DATA, place)}, align 1, {_DATA}")
        bits = domain.trunc(8 * size, layout.bits(type_))(raw)
        if isinstance(type_, PointerType):
            return Pointer(bits, domain.provenance(self._based_on(shadow, size, place)), domain.false)
        if isinstance(type_, VectorType):
            return from_bits(type_, layout, domain)(bits, domain.width(layout.bits(type_)).constant(0))
        return Value(bits, domain.false)

    def _based_on(self, shadow: str, size: int, place: Place) -> Term:
        """The number of the object that a pointer is based on which was read here: its own where all of it is
        there, ``null`` where the object still has its zeros, and else none."""
        domain, code = self._memory.domain, self._code
        offset = self._offset(place)
        in_place = code.typed(f"and i64 {offset}, {size - 1}")
        begins = code.value(1, f"icmp eq i64 {in_place}, 0")
        whole = self._has(shadow, size, 0xFF, POINTER8 if size == 8 else POINTER4)
        known = domain.both(whole, begins)
        zeros = self._has(shadow, size, 0xFF, ZEROED)
        numbers = self._memory.fields.word(self._row, NUMBERS, "ptr")
        slot = code.typed(f"and i64 {offset}, -4")
        at = code.typed(f"getelementptr i8, ptr {numbers}, i64 {slot}")
        own = code.typed(f"load i32, ptr {at}, {_NUMBERS}")
        other = code.typed(f"select i1 {zeros}, i32 {NULL_NUMBER}, i32 {ANYWHERE_NUMBER}")
        return code.value(32, f"select i1 {known}, i32 {own}, i32 {other}")

    def write_value(self, type_: Type, kind: int, size: int, place: Any, value: RuntimeValue) -> bool:
        """What :func:`.bytes.typed` writes of such a value. Poison and undef are left to the reference, and
        what would leave a part of a pointer."""
        domain, code, layout = self._memory.domain, self._code, self._memory.layout
        _refuse_handle(type_, kind)
        if isinstance(value, Value):
            if value.undef:
                raise NotNative("a store of undef")
            domain.guard(domain.negate(value.poison))
            bits = value.bits
        else:
            bits, mask = to_bits(type_, layout, domain)(value)
            domain.guard(domain.width(layout.bits(type_)).eq(mask, 0))
        pointer = isinstance(type_, PointerType)
        self._keep_pointers(place, size, pointer)
        shadow = PLAIN if not pointer else POINTER8 if size == 8 else POINTER4
        if pointer:
            assert isinstance(value, Value)
            number = domain.object_number(value)
            numbers = self._memory.fields.word(self._row, NUMBERS, "ptr")
            at = code.typed(f"getelementptr i8, ptr {numbers}, i64 {self._offset(place)}")
            code.line(f"store i32 {int_text(number)}, ptr {at}, {_NUMBERS}")
        wide = domain.zext(layout.bits(type_), 8 * size)(bits)
        code.line(f"store i{8 * size} {int_text(wide)}, ptr {self._address(DATA, place)}, align 1, {_DATA}")
        marks = shadow * int.from_bytes(b"\1" * size, "little")
        code.line(f"store i{8 * size} {marks}, ptr {self._address(SHADOW, place)}, align 1, {_SHADOW}")
        return True

    def _keep_pointers(self, place: Place, size: int, pointer: bool) -> None:
        """A guard that a write replaces whole pointers only, and that a pointer begins where it may."""
        domain, code = self._memory.domain, self._code
        in_place = code.typed(f"and i64 {self._offset(place)}, {size - 1}")
        begins = code.value(1, f"icmp eq i64 {in_place}, 0") if size in (4, 8) else False
        if size == 8 and pointer:
            domain.guard(begins)
            return
        old = self._shadows(place, size)
        free = self._has(old, size, 0xC0, 0)
        if size == 4:
            others = self._has(old, size, 0x80, 0)
            fits = domain.both(begins, others)
            domain.guard(fits if pointer else domain.either(free, fits))
        else:
            domain.guard(domain.either(free, begins))


class EmittedAllocation:
    """The object that an access touches, which is alive: it was checked."""

    alive = True

    def __init__(self, cells: EmittedCells) -> None:
        self.cells = cells

    def __getattr__(self, name: str) -> Any:
        raise NotNative(f"an object's {name}")


class EmittedMemory:
    """Stands where the memory of a run stands. ``thread`` is the number of the thread, an ``i64``; ``env``
    the environment's address (:class:`Touches`). Of several workgroups each has ``workgroup_threads``."""

    def __init__(
        self, domain: EmittingDomain, layout: Layout, env: str, thread: Term, workgroup_threads: int = 0
    ) -> None:
        if layout.big_endian:
            raise NotNative("memory of a big-endian target")
        self.domain = domain
        self.layout = layout
        self.code = domain.code
        self.fields = Fields(domain.code, env)
        self._env = env
        self._thread = thread
        self._workgroup_threads = workgroup_threads

    def __getattr__(self, name: str) -> Any:
        raise NotNative(f"memory's {name}")

    def note_undef(self, allocation: EmittedAllocation, value: RuntimeValue) -> None:
        """Nothing uninitialised is read natively."""

    def locate(
        self, pointer: Value, size: int, align: int, thread: object, access: str, write: bool
    ) -> tuple[EmittedAllocation, Place]:
        """Guards for all that :meth:`.allocations.Memory.locate` asks, and the touch, if it is one."""
        domain, code = self.domain, self.code
        if pointer.undef or size == 0:
            raise NotNative("an access of nothing, or through undef")
        domain.guard(domain.negate(pointer.poison))
        number = domain.object_number(pointer)
        if not isinstance(number, Term) and number in (ANYWHERE_NUMBER, NULL_NUMBER):
            raise NotNative("an access through no object's address")
        row = self._instance(self.fields.row(number))
        flags = self.fields.word(row, FLAGS)
        wanted = WRITABLE if write else READABLE
        usable = code.typed(f"and i64 {flags}, {wanted}")
        allowed = code.value(1, f"icmp ne i64 {usable}, 0")
        address = domain.width(64).constant(pointer.bits)
        base = self.fields.word(row, BASE)
        offset = code.typed(f"sub i64 {int_text(address)}, {base}")
        room = self.fields.word(row, SIZE)
        if size > 1:
            room = code.typed(code.call("i64", "llvm.usub.sat.i64", [("i64", room), ("i64", str(size - 1))]))
        inside = code.value(1, f"icmp ult i64 {offset}, {room}")
        good = domain.both(allowed, inside)
        if align > 1:
            low = code.typed(f"and i64 {int_text(address)}, {align - 1}")
            good = domain.both(good, code.value(1, f"icmp eq i64 {low}, 0"))
        domain.guard(good)
        self._touch(row, offset, size, write)
        return EmittedAllocation(EmittedCells(self, row)), Place(offset, 0)

    def _instance(self, row: str) -> str:
        """The row of the thread's workgroup's own instance, of a variable that has such."""
        if not self._workgroup_threads:
            return row
        code, step = self.code, self.fields.word(row, STEP)
        workgroup = code.typed(f"udiv i64 {self._thread}, {self._workgroup_threads}")
        distance = code.typed(f"mul i64 {step}, {code.typed(f'add i64 {workgroup}, 1')}")
        return code.typed(f"getelementptr i8, ptr {row}, i64 {distance}")

    def _touch(self, row: str, offset: str, size: int, write: bool) -> None:
        """Say which bytes a thread touches of what is not its own, unless that was said lately."""
        domain, code = self.domain, self.code
        owner = self.fields.word(row, OWNER)
        own = code.typed(f"icmp eq i64 {owner}, {self._thread}")
        done, look = code.new_label("touched"), code.new_label("look")
        code.line(f"br i1 {own}, label %{done}, label %{look}")
        code.label(look)
        table = self._word(_TABLE, f"i64, ptr %at, {_ROW}")
        place = code.typed(f"sub i64 {code.typed(f'ptrtoint ptr {row} to i64')}, {table}")
        high = code.typed(f"shl i64 {place}, {32 - (ROW.bit_length() - 1)}")
        thread = code.typed(f"shl i64 {self._thread}, 1")
        who = code.typed(f"or i64 {high}, {code.typed(f'or i64 {thread}, {int(write)}')}")
        shifted = code.typed(f"shl i64 {offset}, 24")
        where = code.typed(f"or i64 {shifted}, {size}")
        mixed = code.typed(f"xor i64 {who}, {code.typed(f'mul i64 {where}, -7046029254386353131')}")
        product = code.typed(f"mul i64 {mixed}, -7046029254386353131")
        slot = code.typed(f"lshr i64 {product}, {64 - (_CACHED.bit_length() - 1)}")
        cache = self._word(_CACHE, f"ptr, ptr %at, {_ROW}")
        entry = code.typed(f"getelementptr [16 x i8], ptr {cache}, i64 {slot}")
        second = code.typed(f"getelementptr i8, ptr {entry}, i64 8")
        known_who = code.typed(f"load i64, ptr {entry}, {_TOUCHES}")
        known_where = code.typed(f"load i64, ptr {second}, {_TOUCHES}")
        same = code.typed(f"icmp eq i64 {known_who}, {who}")
        same = code.typed(f"and i1 {same}, {code.typed(f'icmp eq i64 {known_where}, {where}')}")
        say = code.new_label("say")
        code.line(f"br i1 {same}, label %{done}, label %{say}")
        code.label(say)
        free = self._word(_NEXT, f"i64, ptr %at, {_TOUCHES}")
        end = self._word(_END, f"i64, ptr %at, {_ROW}")
        domain.guard(code.value(1, f"icmp ult i64 {free}, {end}"))
        code.line(f"store i64 {who}, ptr {entry}, {_TOUCHES}")
        code.line(f"store i64 {where}, ptr {second}, {_TOUCHES}")
        into = code.typed(f"inttoptr i64 {free} to ptr")
        code.line(f"store i64 {who}, ptr {into}, {_TOUCHES}")
        behind = code.typed(f"getelementptr i8, ptr {into}, i64 8")
        code.line(f"store i64 {where}, ptr {behind}, {_TOUCHES}")
        at = code.typed(f"getelementptr i8, ptr {self._env}, i64 {_NEXT}")
        code.line(f"store i64 {code.typed(f'add i64 {free}, 16')}, ptr {at}, {_TOUCHES}")
        code.line(f"br label %{done}")
        code.label(done)

    def _word(self, offset: int, load: str) -> str:
        """A word of the environment; ``%at`` is its address in the text of the load."""
        at = self.code.typed(f"getelementptr i8, ptr {self._env}, i64 {offset}")
        return self.code.typed(f"load {load.replace('%at', at)}")
