"""Memory to instruction functions that emit code: where they would read and write cells, LLVM IR is emitted
that does so in the raw memory of :mod:`.packed`.

What an access needs is checked first, against the object's row; whatever is unusual, and all undefined
behaviour, is handed back by a guard. An access that is handed back after a part of it was done is done again
by the reference: all that native code does before is what the reference does, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from ...ir import PointerType, TargetType, Type, VectorType, is_handle
from ..arithmetic.emitting import EmittedLines, EmittingDomain, NotNative, Term, int_text, truth_text
from ..values import Bits, Pointer, RuntimeValue, Truth, Value
from ..values.context import from_bits, to_bits
from . import ZERO, MovableCells, TypedCells
from .packed import (
    ANYWHERE_NUMBER,
    ASIDE,
    BASE,
    DATA,
    FLAGS,
    NULL_NUMBER,
    NUMBERS,
    OWNER,
    POINTER4,
    POINTER8,
    POISONED,
    READABLE,
    RELAXED,
    ROOM,
    ROW,
    SHADOW,
    SIZE,
    STEP,
    STORAGE,
    WORDS,
    WRITABLE,
    ZEROED,
)
from .packed import PLAIN as PLAIN_SHADOW
from .synchronisation import (
    ALL,
    ATOMIC,
    FIRST,
    FOUND,
    GROUP,
    GROUP_SIZE,
    KNOWN,
    MANY,
    PLAIN,
    RELEASED,
    STATE,
    STATES,
    STRETCH,
    Accessor,
    touched,
)
from .synchronisation import THREAD_AT as WHO

if TYPE_CHECKING:
    from ..values.datalayout import Layout

METADATA = """\
!1000 = distinct !{!1000, !"convcheck"}
!1001 = distinct !{!1001, !1000, !"data"}
!1002 = distinct !{!1002, !1000, !"shadow"}
!1003 = distinct !{!1003, !1000, !"numbers"}
!1011 = !{!1001}
!1012 = !{!1002}
!1013 = !{!1003}
!1021 = !{!1002, !1003}
!1022 = !{!1001, !1003}
!1023 = !{!1001, !1002}
!1030 = !{}
"""
"""What a module needs at its end whose functions access memory: data, shadows and numbers never overlap, and
rows do not change while native code runs."""
_DATA = "!alias.scope !1011, !noalias !1021"
_SHADOW = "!alias.scope !1012, !noalias !1022"
_NUMBERS = "!alias.scope !1013, !noalias !1023"
_ROW = "!invariant.load !1030"


class Fields:
    """An object's row, by its number."""

    def __init__(self, code: EmittedLines, env: str, fixed: bool = True) -> None:
        """``fixed``: no row changes while native code runs."""
        self._code = code
        self._env = env
        self._fixed = f", {_ROW}" if fixed else ""

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
        return self._code.typed(f"load {type_}, ptr {at}{self._fixed}")

    @property
    def bounds(self) -> tuple[Callable[[Bits], Term], ...]:
        """What gives an object's base, its size, and its room (:class:`..values.Provenance`)."""

        def asked(field: int) -> Callable[[Bits], Term]:
            return lambda number: Term(self.word(self.row(number), field), 64)

        return tuple(map(asked, (BASE, SIZE, ROOM)))


class ByteAddress:
    """A byte of an object: ``offset`` bytes behind where an access begins, which is at the SSA value
    ``start``."""

    __slots__ = ("offset", "start")

    def __init__(self, start: str, offset: int) -> None:
        self.start = start
        self.offset = offset

    def __add__(self, more: int) -> ByteAddress:
        return ByteAddress(self.start, self.offset + more)

    def __sub__(self, other: ByteAddress) -> None:
        """How far two accesses are apart only the run knows."""


class EmittedRange(MovableCells):
    """So many bytes of an object, from a place on: what is copied from there."""

    def __init__(self, cells: EmittedCells, place: ByteAddress, size: int) -> None:
        self.cells = cells
        self.place = place
        self.size = size

    def moved(self, distance: object) -> EmittedRange:
        return self


LARGEST_COPY = 4096
"""Bytes that are copied or filled at once, at most."""
POINTERS = 0xC0
"""The bits of a shadow that say that a byte is a pointer's."""
_FREE = f"""\
define internal i1 @shadows.free(ptr %at, i64 %size, i8 %mask) noinline nounwind {{
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %size
  br i1 %more, label %body, label %free
body:
  %place = getelementptr i8, ptr %at, i64 %i
  %byte = load i8, ptr %place, {_SHADOW}
  %cut = and i8 %byte, %mask
  %next = add i64 %i, 1
  %none = icmp eq i8 %cut, 0
  br i1 %none, label %head, label %some
some:
  ret i1 false
free:
  ret i1 true
}}
"""


def _moving(code: EmittedLines, to: str, of: str, size: int) -> str:
    operands = [("ptr", to), ("ptr", of), ("i64", str(size)), ("i1", "false")]
    return code.call("void", "llvm.memmove.p0.p0.i64", operands)


def _filling(code: EmittedLines, to: str, byte: str, size: int) -> str:
    operands = [("ptr", to), ("i8", byte), ("i64", str(size)), ("i1", "false")]
    return code.call("void", "llvm.memset.p0.i64", operands)


def _parts(size: int) -> list[tuple[int, int]]:
    """Bytes in pieces of 16, 8, 4, 2 and 1: where each begins, and its size."""
    parts, at = [], 0
    for part in (16, 8, 4, 2, 1):
        while size - at >= part:
            parts.append((at, part))
            at += part
    return parts


def _points(type_: Type) -> bool:
    """Whether values of a type are pointers; handles of resources are."""
    return isinstance(type_, PointerType) or (isinstance(type_, TargetType) and is_handle(type_))


def _refuse_handle(type_: Type, kind: int) -> None:
    if kind < 0 and (not _points(type_) or kind not in (-32, -64)):
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
        if not isinstance(key, slice):
            raise NotNative("a look at single cells")
        return EmittedRange(self, key.start, key.stop.offset - key.start.offset)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Bytes that are copied, or all of which show the same. Pointers are copied whole: where some may be
        cut, before or then, it is left to the reference; so is what copies a part of itself."""
        if not isinstance(key, slice):
            raise NotNative("a write of single cells")
        domain, code, place = self._memory.domain, self._code, key.start
        size = key.stop.offset - place.offset
        if size > LARGEST_COPY:
            raise NotNative(f"a copy of {size} bytes")
        data, shadow = self._address(DATA, place), self._address(SHADOW, place)
        if isinstance(value, EmittedRange):
            origin = value.cells._address(DATA, value.place)
            marks = value.cells._address(SHADOW, value.place)
            domain.guard(self._free(marks, size, ASIDE))
            domain.guard(self._cuts_no_pointer(value, (shadow, marks), place, size))
            there, here = (code.typed(f"ptrtoint ptr {at} to i64") for at in (origin, data))
            behind = code.typed(f"icmp uge i64 {code.typed(f'sub i64 {here}, {there}')}, {size}")
            before = code.typed(f"icmp uge i64 {code.typed(f'sub i64 {there}, {here}')}, {size}")
            apart = code.value(1, f"and i1 {behind}, {before}")
            domain.guard(domain.either(apart, code.value(1, f"icmp eq i64 {here}, {there}")))
            numbers, of_numbers = self._address(NUMBERS, place), value.cells._address(NUMBERS, value.place)
            for to, of, scope in (
                (data, origin, _DATA),
                (shadow, marks, _SHADOW),
                (numbers, of_numbers, _NUMBERS),
            ):
                code.line(_moving(code, to, of, size) + f", {scope}")
            return
        domain.guard(self._free(shadow, size, POINTERS))
        piece = value[0]
        byte, mark = piece.value, ZEROED if piece is ZERO else PLAIN_SHADOW
        if byte.undef:
            raise NotNative("undef")
        domain.guard(domain.negate(byte.poison))
        code.line(_filling(code, data, int_text(byte.bits), size) + f", {_DATA}")
        code.line(_filling(code, shadow, str(mark), size) + f", {_SHADOW}")

    def _cuts_no_pointer(
        self, value: EmittedRange, shadows: tuple[str, str], place: ByteAddress, size: int
    ) -> Truth:
        """Whether all pointers in both ranges, whose ``shadows`` are here, stay whole: there are none, or
        both begin and end at multiples of the largest ones' size, where pointers do. And whether none of the
        addresses that only native code knows, which lie in threads' own objects alone, goes where others
        look (:meth:`EmittedMemory.keep_private`)."""
        domain, code, memory = self._memory.domain, self._code, self._memory
        free = domain.both(*(self._free(shadow, size, POINTERS) for shadow in shadows))
        unit = next((unit for unit in (8, 4) if size % unit == 0), None)
        if unit is None:
            return free
        starts = code.typed(f"or i64 {self._offset(place)}, {value.cells._offset(value.place)}")
        low = code.typed(f"and i64 {starts}, {unit - 1}")
        whole: Truth = code.value(1, f"icmp eq i64 {low}, 0")
        if unit == 4:
            for shadow in shadows:
                whole = domain.both(whole, self._free(shadow, size, POINTER8 & POINTERS))
        stays = domain.either(memory.is_own(self._row), domain.negate(memory.is_own(value.cells._row)))
        return domain.either(free, domain.both(whole, stays))

    def _free(self, shadow: str, size: int, mask: int) -> Term:
        """Whether no shadow byte has one of these bits."""
        self._code.declarations.setdefault("shadows.free", _FREE)
        return self._code.value(1, f"call i1 @shadows.free(ptr {shadow}, i64 {size}, i8 {mask})")

    def _address(self, field: int, place: ByteAddress) -> str:
        """The host's address of what belongs to a byte."""
        code, whole = self._code, self._memory.fields.word(self._row, field, "ptr")
        at = code.typed(f"getelementptr i8, ptr {whole}, i64 {place.start}")
        return code.typed(f"getelementptr i8, ptr {at}, i64 {place.offset}") if place.offset else at

    def _offset(self, place: ByteAddress) -> str:
        return self._code.typed(f"add i64 {place.start}, {place.offset}")

    def _shadows(self, place: ByteAddress, size: int) -> str:
        return self._code.typed(f"load i{8 * size}, ptr {self._address(SHADOW, place)}, align 1, {_SHADOW}")

    def _has(self, shadow: str, size: int, mask: int, want: int) -> Term:
        """Whether all shadow bytes under a mask are as wanted."""
        bits, ones = 8 * size, int.from_bytes(b"\1" * size, "little")
        cut = self._code.typed(f"and i{bits} {shadow}, {mask * ones}")
        return self._code.value(1, f"icmp eq i{bits} {cut}, {want * ones}")

    def read_value(self, type_: Type, kind: int, size: int, place: Any) -> RuntimeValue:
        """What :func:`..memory.typed` reads of a scalar, or of a vector whose lanes are no whole bytes."""
        domain, code, layout = self._memory.domain, self._code, self._memory.layout
        _refuse_handle(type_, kind)
        shadow = self._shadows(place, size)
        plain: Truth = self._has(shadow, size, PLAIN_SHADOW, PLAIN_SHADOW)
        poison: Truth = domain.false
        if self._memory.holds_poison and not isinstance(type_, VectorType):
            poison = self._has(shadow, size, 0xFF, POISONED)
            plain = domain.either(plain, poison)
        self._memory.guard_contents(plain)
        raw = code.value(8 * size, f"load i{8 * size}, ptr {self._address(DATA, place)}, align 1, {_DATA}")
        bits = domain.trunc(8 * size, layout.bits(type_))(raw)
        if _points(type_):
            return Pointer(bits, domain.provenance(self._based_on(shadow, size, place)), poison)
        if isinstance(type_, VectorType):
            return from_bits(type_, layout, domain)(bits, domain.width(layout.bits(type_)).constant(0))
        return Value(bits, poison)

    def _based_on(self, shadow: str, size: int, place: ByteAddress) -> Term:
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
        """What :func:`..memory.typed` writes of such a value. Undef is left to the reference, and poison that
        is none in the text, and what would leave a part of a pointer."""
        domain, code, layout = self._memory.domain, self._code, self._memory.layout
        _refuse_handle(type_, kind)
        if isinstance(value, Value):
            if value.undef:
                raise NotNative("a store of undef")
            if not isinstance(value.poison, Term) and value.poison:
                self._write_poison(place, size)
                return True
            poison: Truth = value.poison
            if not self._memory.holds_poison:
                self._memory.guard_contents(domain.negate(poison))
                poison = domain.false
            bits = value.bits
        else:
            bits, mask = to_bits(type_, layout, domain)(value)
            self._memory.guard_contents(domain.width(layout.bits(type_)).eq(mask, 0))
            poison = domain.false
        pointer = _points(type_)
        self._keep_pointers(place, size, pointer)
        shadow = PLAIN_SHADOW if not pointer else POINTER8 if size == 8 else POINTER4
        if pointer:
            assert isinstance(value, Value)
            number = domain.object_number(value)
            self._memory.keep_private(self._row, number)
            numbers = self._memory.fields.word(self._row, NUMBERS, "ptr")
            at = code.typed(f"getelementptr i8, ptr {numbers}, i64 {self._offset(place)}")
            code.line(f"store i32 {int_text(number)}, ptr {at}, {_NUMBERS}")
        wide = domain.zext(layout.bits(type_), 8 * size)(bits)
        if isinstance(poison, Term):  # whose data byte is zero
            wide = code.value(8 * size, f"select i1 {poison}, i{8 * size} 0, i{8 * size} {int_text(wide)}")
        code.line(f"store i{8 * size} {int_text(wide)}, ptr {self._address(DATA, place)}, align 1, {_DATA}")
        ones = int.from_bytes(b"\1" * size, "little")
        marks: Bits = shadow * ones
        if isinstance(poison, Term):
            spoiled = f"select i1 {poison}, i{8 * size} {POISONED * ones}, i{8 * size} {marks}"
            marks = code.value(8 * size, spoiled)
        code.line(
            f"store i{8 * size} {int_text(marks)}, ptr {self._address(SHADOW, place)}, align 1, {_SHADOW}"
        )
        return True

    def _write_poison(self, place: ByteAddress, size: int) -> None:
        """Poison of whatever type. At ``-O0`` clang stores some wherever HLSL makes a resource."""
        self._keep_pointers(place, size, False)
        marks = POISONED * int.from_bytes(b"\1" * size, "little")
        for field, word, scope in (DATA, 0, _DATA), (SHADOW, marks, _SHADOW):
            self._code.line(f"store i{8 * size} {word}, ptr {self._address(field, place)}, align 1, {scope}")

    def _keep_pointers(self, place: ByteAddress, size: int, pointer: bool) -> None:
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

    def contents(self) -> EmittedCells:
        """What it holds."""
        return self.cells

    def __getattr__(self, name: str) -> Any:
        raise NotNative(f"an object's {name}")


class EmittedMemory:
    """Stands where the memory of a run stands. ``thread`` is the number of the thread, an ``i64``; ``env``
    the environment's address (:class:`.encounters.Encounters`). ``atomicity`` says how atomic
    what is accessed now is, ``atomic`` whether some access until now was. ``private`` are the numbers of
    objects that native code makes: the first, and how many. ``own`` gives the number of the thread's own
    instance for that of a ``thread_local`` variable, and any other number as it is. ``relaxes``: accesses to
    some objects need not be aligned. ``holds_poison``: poison that only the run knows is written and read,
    and not left to the reference, which makes longer code; ``guard_contents`` guards against it and undef."""

    def __init__(
        self,
        domain: EmittingDomain,
        layout: Layout,
        env: str,
        thread: Term,
        atomicity: int = PLAIN,
        private: tuple[int, int] | None = None,
        own: Callable[[Bits], Bits] | None = None,
        relaxes: bool = False,
        holds_poison: bool = False,
        guard_contents: Callable[[Truth], None] | None = None,
    ) -> None:
        if layout.big_endian:
            raise NotNative("memory of a big-endian target")
        self.domain = domain
        self.layout = layout
        self.code = domain.code
        self.fields = Fields(domain.code, env, private is None)
        self._private = private
        self._own_number = own
        self._relaxes = relaxes
        self.holds_poison = holds_poison
        self.guard_contents = guard_contents or domain.guard
        self._env = env
        self._thread = thread
        self.atomicity = atomicity
        self.atomic = False

    def __getattr__(self, name: str) -> Any:
        raise NotNative(f"memory's {name}")

    def is_own(self, row: str) -> Truth:
        """Whether any address may be stored in an object: that of an object that native code makes in none
        but a thread's own."""
        if self._private is None:
            return True
        return self.code.value(1, f"icmp sge i64 {self.fields.word(row, OWNER)}, 0")

    def keep_private(self, row: str, number: Bits) -> None:
        """A guard that the address of an object that native code makes is stored in none but such."""
        if self._private is None:
            return
        code, (first, count) = self.code, self._private
        distance = code.typed(f"sub i32 {int_text(number)}, {first}")
        other = code.value(1, f"icmp uge i32 {distance}, {count}")
        self.domain.guard(self.domain.either(other, self.is_own(row)))

    def note_undef(self, allocation: EmittedAllocation, value: RuntimeValue) -> None:
        """Nothing uninitialised is read natively."""

    def locate(
        self,
        pointer: Value,
        size: int,
        align: int,
        thread: object,
        access: str,
        write: bool,
        noted: Truth = True,
    ) -> tuple[EmittedAllocation, ByteAddress]:
        """Guards for all that :meth:`.allocations.Memory.locate` asks, and the touch, if it is one."""
        number = self.domain.object_number(pointer)
        if not isinstance(number, Term) and number in (ANYWHERE_NUMBER, NULL_NUMBER):
            raise NotNative("an access through no object's address")
        row, offset, good = self._place(pointer, number, size, align, write)
        self.domain.guard(good)
        self._touch(row, offset, size, write, noted)
        return EmittedAllocation(EmittedCells(self, row)), ByteAddress(offset, 0)

    def lies_behind(self, pointer: Value, size: int, or_null: bool) -> None:
        """A guard that :meth:`.allocations.Memory.lies_behind` holds."""
        domain = self.domain
        number = domain.object_number(pointer)
        _, _, good = self._place(pointer, number, size, 1, False)
        if or_null:
            none = domain.width(32).eq(number, NULL_NUMBER)
            good = domain.either(good, domain.both(none, domain.width(64).eq(self._wide(pointer), 0)))
        domain.guard(good)

    def _wide(self, pointer: Value) -> Bits:
        """A pointer's bits, of 64."""
        return self.domain.width(64).constant(pointer.bits)

    def _place(
        self, pointer: Value, number: Bits, size: int, align: int, write: bool
    ) -> tuple[str, str, Truth]:
        """The row of the object to which a pointer points, at which offset, and whether so many bytes of it
        may be accessed there."""
        domain, code = self.domain, self.code
        if pointer.undef or size == 0:
            raise NotNative("an access of nothing, or through undef")
        domain.guard(domain.negate(pointer.poison))
        if self._own_number is not None:
            number = self._own_number(number)
        row = self._instance(self.fields.row(number))
        flags = self.fields.word(row, FLAGS)
        wanted = WRITABLE if write else READABLE
        usable = code.typed(f"and i64 {flags}, {wanted}")
        allowed = code.value(1, f"icmp ne i64 {usable}, 0")
        address = self._wide(pointer)
        base = self.fields.word(row, BASE)
        offset = code.typed(f"sub i64 {int_text(address)}, {base}")
        room = self.fields.word(row, SIZE)
        if size > 1:
            room = code.typed(code.call("i64", "llvm.usub.sat.i64", [("i64", room), ("i64", str(size - 1))]))
        inside = code.value(1, f"icmp ult i64 {offset}, {room}")
        good = domain.both(allowed, inside)
        if align > 1:
            low = code.typed(f"and i64 {int_text(address)}, {align - 1}")
            aligned: Truth = code.value(1, f"icmp eq i64 {low}, 0")
            if self._relaxes:
                relaxed = code.typed(f"and i64 {flags}, {RELAXED}")
                aligned = domain.either(aligned, code.value(1, f"icmp ne i64 {relaxed}, 0"))
            good = domain.both(good, aligned)
        return row, offset, good

    def _instance(self, row: str) -> str:
        """The row of the thread's workgroup's own instance, of a variable that has such."""
        code, step = self.code, self.fields.word(row, STEP)
        workgroup = self._own(GROUP)
        distance = code.typed(f"mul i64 {step}, {code.typed(f'add i64 {workgroup}, 1')}")
        return code.typed(f"getelementptr i8, ptr {row}, i64 {distance}")

    def _touch(self, row: str, offset: str, size: int, write: bool, noted: Truth) -> None:
        """Note which bytes of a shared object a thread touches. Another thread's stack is the reference's."""
        domain, code = self.domain, self.code
        owner = self.fields.word(row, OWNER)
        shared = code.typed(f"icmp slt i64 {owner}, 0")
        own = code.typed(f"icmp eq i64 {owner}, {self._thread}")
        domain.guard(code.value(1, f"or i1 {shared}, {own}"))
        words = self.fields.word(row, WORDS)
        done, note = code.new_label("noted"), code.new_label("note")
        none = code.typed(f"icmp eq i64 {words}, 0")
        if noted is not True:
            none = code.typed(f"select i1 {truth_text(noted)}, i1 {none}, i1 true")
        code.line(f"br i1 {none}, label %{done}, label %{note}")
        code.label(note)
        for at, part in _parts(size):
            place = code.typed(f"add i64 {offset}, {at}")
            name = helper_name(part, write, self.atomicity)
            code.declarations.setdefault(name, noting(part, write, self.atomicity))
            code.line(f"call void @{name}(ptr {self._env}, ptr {row}, i64 {self._thread}, i64 {place})")
        code.line(f"br label %{done}")
        code.label(done)

    def _own(self, offset: int) -> str:
        """A word of the thread's state."""
        return own_word(self.code, self._env, self._thread, offset)


def own_word(code: EmittedLines, env: str, thread: Term, offset: int, more: str = "0") -> str:
    """A word of a thread's state, which does not change while native code runs."""
    states = word_of(code, env, STATES, "ptr")
    state = code.typed(f"getelementptr [{STATE} x i8], ptr {states}, i64 {thread}")
    part = code.typed(f"getelementptr i8, ptr {state}, i64 {more}")
    at = code.typed(f"getelementptr i8, ptr {part}, i64 {offset}")
    return code.typed(f"load i64, ptr {at}, {_ROW}")


def word_of(code: EmittedLines, env: str, offset: int, type_: str = "i64") -> str:
    """A word of the environment that does not change while native code runs."""
    at = code.typed(f"getelementptr i8, ptr {env}, i64 {offset}")
    return code.typed(f"load {type_}, ptr {at}, {_ROW}")


@cache
def noting(size: int, write: bool, atomicity: int) -> str:
    """The function that notes an access of so many bytes to a shared object."""
    code = EmittedLines()
    fields, thread = Fields(code, "%env"), Term("%thread", 64)
    storage = fields.word("%row", STORAGE)
    released, known = (own_word(code, "%env", thread, part, storage) for part in (RELEASED, KNOWN))
    stretch = code.typed(f"add i64 {released}, 1")
    kind = code.typed(f"or i64 {code.typed(f'shl i64 {thread}, {WHO}')}, {atomicity}")
    word = code.typed(f"or i64 {stretch}, {kind}")
    group, first = (own_word(code, "%env", thread, part) for part in (GROUP, FIRST))
    count = word_of(code, "%env", GROUP_SIZE)
    words = fields.word("%row", WORDS, "ptr")
    readers = code.typed(f"getelementptr i64, ptr {words}, i64 {fields.word('%row', SIZE)}")
    places = [code.typed(f"getelementptr i64, ptr {whole}, i64 %offset") for whole in (words, readers)]
    address = code.typed(f"getelementptr i8, ptr %env, i64 {FOUND}")
    mine = Accessor(*(Term(name, 64) for name in (word, known, "%thread", group, first, count)))
    note(code, (places[0], places[1]), mine, address, size, write)
    body = "\n".join(code.lines)
    head = f"define internal void @{helper_name(size, write, atomicity)}"
    return f"{head}(ptr %env, ptr %row, i64 %thread, i64 %offset) noinline nounwind {{\n{body}\n}}\n"


# -- who meets in shared memory: :mod:`.synchronisation` in native code


def helper_name(size: int, write: bool, atomicity: int) -> str:
    """The function that notes an access of so many bytes."""
    return f"convcheck.{'write' if write else 'read'}.{size}.{atomicity >> 56}"


def note(
    code: EmittedLines, places: tuple[str, str], mine: Accessor, address: str, size: int, write: bool
) -> None:
    """Emits :func:`touched` for so many bytes whose words begin at these places, and returns. Where all bytes
    have the same words, which is mostly so, they are looked at once."""
    domain = EmittingDomain(code)
    place = places[0 if write else 1]
    first = [code.typed(f"load i64, ptr {where}, align 8") for where in places]
    if size > 1:
        differs = "false"
        for where, word in zip(places, first, strict=True):
            vector = code.typed(f"load <{size} x i64>, ptr {where}, align 8")
            unlike = code.typed(f"icmp ne <{size} x i64> {vector}, {_splat(code, word, size)}")
            bits = code.typed(f"bitcast <{size} x i1> {unlike} to i{size}")
            differs = code.typed(f"or i1 {differs}, {code.typed(f'icmp ne i{size} {bits}, 0')}")
        code.line(f"br i1 {differs}, label %each, label %once")
        code.label("once")
    old = first[0 if write else 1]
    _emit_shortcut(code, domain, first, mine, write)
    new = _emit_touch(code, domain, first, mine, address, write)
    code.line(f"br i1 {code.typed(f'icmp eq i64 {new}, {old}')}, label %done, label %change")
    code.label("change")
    changed = code.typed(f"phi i64 [ {int_text(mine.word)}, %first ], [ {new}, %looked ]")
    code.line(f"store <{size} x i64> {_splat(code, changed, size)}, ptr {place}, align 8")
    code.line("br label %done")
    code.label("done")
    code.line("ret void")
    if size == 1:
        return
    code.label("each")
    code.line("br label %loop")
    code.label("loop")
    code.lines.append("  %i = phi i64 [ 0, %each ], [ %next, %loop ]")
    at = [code.typed(f"getelementptr i64, ptr {where}, i64 %i") for where in places]
    words = [code.typed(f"load i64, ptr {where}, align 8") for where in at]
    new = _emit_touch(code, domain, words, mine, address, write)
    code.line(f"store i64 {new}, ptr {at[0 if write else 1]}, align 8")
    code.lines.append("  %next = add i64 %i, 1")
    code.lines.append(f"  %more = icmp ult i64 %next, {size}")
    code.line("br i1 %more, label %loop, label %done")


def _emit_shortcut(
    code: EmittedLines, domain: EmittingDomain, words: list[str], mine: Accessor, write: bool
) -> None:
    """What is mostly so, and what :func:`touched` says of it, sooner: nobody but this thread was here, and in
    this stretch, or several only ever read what is read again."""
    w, word = domain.width(64), mine.word
    writer, readers = (Term(name, 64) for name in words)
    none = w.constant(0)
    alone = domain.both(
        domain.either(w.eq(writer, none), w.eq(writer, word)),
        domain.either(w.eq(readers, none), w.eq(readers, word)),
    )
    code.line(f"br i1 {alone}, label %first, label %others")
    code.label("first")
    own = words[0 if write else 1]
    code.line(f"br i1 {code.typed(f'icmp eq i64 {own}, {int_text(word)}')}, label %done, label %change")
    code.label("others")
    if not write:
        look = w.constant(STRETCH)
        kind = w.and_(readers, w.constant(ATOMIC | MANY | PLAIN))
        reader = w.and_(w.lshr(readers, w.constant(WHO)), w.constant(ALL))
        here = domain.either(w.eq(reader, w.constant(ALL)), w.eq(reader, mine.group))
        late = w.ule(w.and_(word, look), w.and_(readers, look))
        read = domain.both(w.eq(writer, none), w.eq(kind, w.constant(MANY | PLAIN)))
        code.line(f"br i1 {domain.both(read, domain.both(here, late))}, label %done, label %looked")
    else:
        code.line("br label %looked")
    code.label("looked")


def _splat(code: EmittedLines, word: str, size: int) -> str:
    """A vector of one word."""
    begun = code.typed(f"insertelement <{size} x i64> poison, i64 {word}, i64 0")
    zeros = f"<{size} x i32> zeroinitializer"
    return code.typed(f"shufflevector <{size} x i64> {begun}, <{size} x i64> poison, {zeros}")


def _emit_touch(
    code: EmittedLines, domain: EmittingDomain, words: list[str], mine: Accessor, address: str, write: bool
) -> str:
    """What is found out is noted; the new word of the writers, or of the readers."""
    writer, readers, news = touched(domain, Term(words[0], 64), Term(words[1], 64), mine, write)
    known = code.typed(f"load i64, ptr {address}, align 8")
    code.line(f"store i64 {code.typed(f'or i64 {known}, {int_text(news)}')}, ptr {address}, align 8")
    return int_text(writer if write else readers)
