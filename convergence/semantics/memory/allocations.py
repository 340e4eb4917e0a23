"""Memory: allocations of bytes, their lifetime and bounds (LangRef, *Memory Model*, *Object Lifetime*).

An allocation's content is a list of references, one a byte, to the :class:`Piece` that was stored
there, so that a value comes back with its poison and provenance, and any other view of the same
bytes is put together from pieces. Addresses are chosen by owner alone: globals in one arena, each
thread's stack in its own, so a thread's addresses do not depend on how threads interleave.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from ...frozen import dataclass
from ...ir import ArrayType, Type
from .. import NotModelled, Undefined
from ..machine import Log
from ..values import NULL, OUTSIDE, Pointer, Provenance, RuntimeValue, Truth, Value, scalars
from ..values.datalayout import Layout, align_up
from . import UNINITIALISED, ZERO, Piece, typed
from .synchronisation import LOCAL_SPACE, PLAIN

if TYPE_CHECKING:
    from ...ir import Packed
    from ..arithmetic.domain import Domain
    from .packed import ObjectTable, PackedCells
    from .synchronisation import Encounters

# ----------------------------------------------------------------------------------------------------------
# Many numbers of one type into an object's cells, and out of them: what buffers hold.
#
# The two functions are each other's inverse but for what has no number: :class:`PackedNumbers` says where
# that is.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PackedNumbers:
    """Bit patterns in a row, little-endian in ``data``; zero stands for what has no number, the elements
    that are ``poison`` or ``undef``, by their index."""

    data: bytes
    poison: frozenset[int] = frozenset()
    undef: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PackedInitializer:
    """Numbers that an object holds from its first byte on."""

    numbers: Packed
    layout: Layout
    domain: Domain

    def cells(self) -> list[Piece]:
        """The object's cells; numbers that are zero are as in an object of zeros."""
        from ...collector import uncollected

        element, data = self.numbers.type.element, self.numbers.data
        size, width = self.layout.store_size(element), self.layout.bits(element)
        make, false = self.domain.width(width).constant, self.domain.false
        cells: list[Piece] = []
        with uncollected():
            for at in range(0, len(data), size):
                bits = int.from_bytes(data[at : at + size], "little")
                cells += [Piece(at, size, width, Value(make(bits), false)) if bits else ZERO] * size
        return cells

    def packed(self, table: ObjectTable) -> PackedCells:
        """The same in raw memory."""
        from .packed import PackedCells

        cells = PackedCells(len(self.numbers.data), table)
        cells.set_numbers(self.numbers.data, self.layout.store_size(self.numbers.type.element))
        return cells


def numbers_in(
    cells: list[Piece], element: Type, count: int, layout: Layout, domain: Domain, start: int = 0
) -> PackedNumbers:
    """The first ``count`` numbers of a type in cells, from byte ``start``."""
    from .packed import PackedCells

    size, read = layout.store_size(element), typed(element, layout, domain).read
    data, zeros = bytearray(size * count), [ZERO] * size
    poison, undef = set[int](), set[int]()
    if isinstance(cells, PackedCells) and layout.bits(element) == 8 * size:
        whole = cells.plain_bytes(start, start + size * count)
        if whole is not None:
            return PackedNumbers(whole)
    width = layout.bits(element)
    for index in range(count):
        at = start + index * size
        shown, first = cells[at : at + size], cells[at]
        if first is ZERO and shown == zeros:
            continue
        plain = (
            first.kind == width and first.start == at and first.mask is None and shown.count(first) == size
        )
        value = first.value if plain else read(cells, at)
        assert isinstance(value, Value)
        if value.poison is not False:
            poison.add(index)
        elif value.undef:
            undef.add(index)
        else:
            data[index * size : (index + 1) * size] = int(value.bits).to_bytes(size, "little")
    return PackedNumbers(bytes(data), frozenset(poison), frozenset(undef))


MAXIMUM = 1 << 22
"""Bytes of one allocation that can be given contents; the rest is NotModelled."""
READY = 1 << 16
"""Bytes of the largest stack object whose contents are made for native code before the first look."""
FIRST = 0x1000
"""The lowest address: the null page is never allocated."""
GAP = 16
"""Bytes between two allocations at least: no pointer past the end of one is the start of another."""

_HEAPS = 1 << 39
"""In an object's identity: it is one of its thread's heap, not of its stack."""

LIFETIME = "Object Lifetime"


@dataclasses.dataclass(slots=True)
class Allocation:
    """One object. ``owner`` is a thread for stack objects, ``None`` for globals, functions and blocks.

    ``address_space`` is the one in which it was declared.
    ``function`` and ``block`` say whose address this is. ``problem`` names what its initial contents need
    and has no model: whoever reads or writes them says so. ``assumed``: nobody gave its initial contents,
    which are an input: the ``default``, or these ``initial`` cells. Of a buffer, which may be large,
    ``packed`` gives the cells that it has at the launch, if not the default ones, and ``stride`` is the size
    of one in bytes; ``relaxed``: accesses to it need not be aligned. ``heap``: it is what ``malloc`` gives,
    and ``free`` takes. ``table`` is told where its contents
    are, if native code may look there.
    """

    provenance: Provenance
    owner: int | None
    align: int
    address_space: int = 0
    constant: bool = False
    thread_local: bool = False
    assumed: bool = False
    initial: tuple[Piece, ...] | None = None
    function: str | None = None
    block: tuple[str, str] | None = None
    problem: str | None = None
    alive: bool = True
    default: Piece = UNINITIALISED
    cells: list[Piece] | None = None
    packed: PackedInitializer | None = None
    stride: int = 0
    relaxed: bool = False
    heap: bool = False
    table: ObjectTable | None = field(default=None, compare=False, repr=False)

    def holds_assumed(self, at: int, size: int) -> bool:
        """Whether some of ``size`` bytes still hold what they began with, which nobody gave."""
        if not self.assumed or self.cells is None:
            return self.assumed
        now = self.cells[at : at + size]
        if self.initial is None:
            return self.default in now
        return any(map(operator.is_, now, self.initial[at : at + size]))

    def contents(self) -> list[Piece]:
        """The cells to write to or read from, made at the first look."""
        if self.cells is None:
            if self.problem is not None:
                raise NotModelled(self.problem)
            if self.provenance.size > MAXIMUM and not self.stride:
                raise NotModelled(f"contents of an object of {self.provenance.size} bytes")
            if self.packed is not None:
                self.cells = self.packed.cells() if self.table is None else self.packed.packed(self.table)
            elif self.table is not None and not self.assumed:
                self.cells = self.table.filled(self.provenance.size, self.default)
            else:
                self.cells = [self.default] * self.provenance.size
            self.pack()
        return self.cells

    def numbers(self, element: Type, count: int, layout: Layout, domain: Domain) -> PackedNumbers:
        """The first so many numbers of a type; of what nobody has looked at without making its contents."""
        if self.cells is None and self.problem is None and not self.assumed:
            if self.packed is not None and self.packed.numbers.type == ArrayType(count, element):
                return PackedNumbers(self.packed.numbers.data)
            if self.packed is None and self.default is ZERO:
                return PackedNumbers(bytes(count * layout.store_size(element)))
        return numbers_in(self.contents(), element, count, layout, domain)

    def pack(self) -> None:
        """The contents, if they were made, go to where native code may look, if there is such a place. (What
        nobody gave stays as it is: whoever looks there says so.)"""
        if self.table is not None:
            from .packed import PackedCells

            if self.cells is not None and not self.assumed and not isinstance(self.cells, PackedCells):
                self.cells = self.table.pack(self.cells)
            self.table.update(self)

    def make_ready(self) -> None:
        """Make an object's contents, of the stack or the heap, before anybody looks there, as native code
        does."""
        if self.alive and (self.owner is not None or self.heap) and self.provenance.size <= READY:
            self.contents()

    def outside(self, offset: int, size: int) -> str:
        """In words, that an access of ``size`` bytes goes beyond the object; of a buffer the index, too."""
        name, length = self.provenance.name, self.provenance.size
        where = f"{size} bytes at offset {offset} of {name}, which has {length}"
        if not self.stride:
            return where
        index, left = divmod(offset, self.stride)
        into = f", byte {left}" if left else ""
        return f"{where} (index {index}{into}: it has {length // self.stride} elements)"


@dataclasses.dataclass(slots=True)
class _Arena:
    """Where the next object of an owner goes: from ``bottom`` up to ``limit``. ``stack`` are the objects of a
    thread, the highest last, by identity and base. One that ended below a living one keeps its room until
    that ends, too: no two living objects overlap, in whatever order they end."""

    bottom: int
    limit: int
    next: int = 0
    count: int = 0
    stack: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.next = self.bottom


@dataclasses.dataclass(slots=True)
class Memory:
    """The memory of one run. ``undef_reads`` names the objects whose uninitialised bytes were read, ``races``
    those whose accesses race, ``assumed`` those whose initial contents are an input that nobody gave, and
    whether zero was taken for it. ``log`` says what threads touch of objects that are not their own.
    ``instances`` are threads' own instances of thread_local variables, by the variable and the thread.
    ``workgroups`` of ``workgroup_threads`` threads each share this memory: where there are several, each has
    an instance of its own of every variable in workgroup memory, all at one address. ``lane`` says which one
    of its subgroup a thread is, ``rank`` which of how many of its workgroup, where that is known. ``watcher``
    does accesses that write, where somebody asks what they changed (:mod:`.accesses`). ``table`` is where
    native code looks for objects, if there is some (:meth:`attach`); ``atomicity`` says then how atomic what
    is done now is. ``unknown_objects``: a function without a model has given a pointer, so that there are
    objects of which nobody knows where they lie."""

    layout: Layout
    domain: Domain
    allocations: dict[int, Allocation] = field(default_factory=dict)
    undef_reads: dict[str, None] = field(default_factory=dict)
    races: dict[str, None] = field(default_factory=dict)
    assumed: dict[str, bool] = field(default_factory=dict)
    log: Log = field(default_factory=Log)
    HEAP_BITS: ClassVar[int] = 48
    """Of an address, at least, for there to be room for a heap."""
    _arenas: dict[tuple[int | None, int], _Arena] = field(default_factory=dict)
    instances: dict[tuple[int, int], Allocation] = field(default_factory=dict)
    watcher: Any = None
    workgroups: int = 1
    workgroup_threads: int = 1
    contents_of: dict[int, Callable[[int], list[Piece]]] = field(default_factory=dict)
    table: ObjectTable | None = None
    lane: Callable[[int], int] | None = None
    rank: Callable[[int], tuple[int, int]] | None = None
    encounters: Encounters | None = None
    atomicity: int = PLAIN
    unknown_objects: bool = False

    def attach(self, table: ObjectTable, encounters: Encounters | None = None) -> None:
        """Native code may access the objects from now on: their contents are packed. Several threads note in
        ``encounters`` what they touch, and not in the log any more. Memory of big-endian targets stays the
        reference's: packed numbers lie as on the others."""
        from ..machine import accessed

        if self.layout.big_endian:
            return
        self.table, self.encounters = table, encounters
        table.encounters = self.log.encounters = encounters
        for identity, allocation in list(self.allocations.items()):
            if allocation.constant:  # other runs share it
                allocation = self.allocations[identity] = replace(allocation)
            allocation.table = table
            grouped = self.is_of_workgroups(allocation)
            table.add(allocation, self.workgroups if grouped else 0)
            if not grouped:
                allocation.pack()
        for thread, (number, start, stop, write), owner in accessed(self.log) if encounters else ():
            if owner is None:
                self._noted(self.allocations[number], thread, start, stop - start, write)

    # -- allocation ---------------------------------------------------------------------------------

    def _arena(self, owner: int | None, address_bits: int) -> _Arena:
        """Globals share the lowest quarter of the narrowest space; a thread has 1/4096 of the rest of its
        space, or less where there are more threads."""
        if owner is None:
            address_bits = min(32, address_bits)
        known = self._arenas.get((owner, address_bits))
        if known is None:
            quarter, share = self.stack_room(address_bits)
            bottom = FIRST if owner is None else quarter + owner * share
            limit = quarter if owner is None else bottom + share
            if limit > 4 * quarter:
                raise NotModelled(f"stack objects of thread {owner} in {address_bits}-bit addresses")
            known = self._arenas[owner, address_bits] = _Arena(bottom, limit)
        return known

    def _heap(self, thread: int) -> _Arena:
        """A thread's heap: of those addresses of :attr:`HEAP_BITS` bits that lie between the globals' and the
        stacks'."""
        owner = -1 - thread
        known = self._arenas.get((owner, self.HEAP_BITS))
        if known is None:
            room = 1 << (self.HEAP_BITS - 3)
            share = room >> 12
            while share > 1 and share * self.workgroups * self.workgroup_threads > room:
                share >>= 1
            bottom = room + thread * share
            if bottom + share > 2 * room:
                raise NotModelled(f"a heap of thread {thread}")
            known = self._arenas[owner, self.HEAP_BITS] = _Arena(bottom, bottom + share)
        return known

    def stack_room(self, address_bits: int) -> tuple[int, int]:
        """Where the threads' stacks begin in addresses of so many bits, and how many bytes each has."""
        quarter = 1 << (address_bits - 2)
        share = 1 << max(0, address_bits - 13)
        while share > 1 and share * self.workgroups * self.workgroup_threads > 3 * quarter:
            share >>= 1
        return quarter, share

    def arena_bits(self, address_space: int | str) -> tuple[int, int]:
        """Which arena a stack object of an address space is in, and how wide its address is."""
        space = self.layout.pointers.get(self.layout.space(address_space)) or self.layout.pointers[0]
        return min(48, space.index), space.bits

    def allocate(
        self,
        size: int,
        align: int,
        owner_thread: int | None,
        name: str,
        address_space: int | str = 0,
        open_ended: bool = False,
        heap: bool = False,
        default: Piece = UNINITIALISED,
    ) -> Pointer:
        """A new object of ``size`` bytes, each of which holds the ``default``, at a multiple of ``align``
        that is no multiple of its double.

        ``owner_thread`` is ``None`` for what all threads share; ``open_ended`` as for :class:`Provenance`;
        ``heap``: it lies in the thread's heap, and all threads share it.
        """
        space = self.layout.pointers.get(self.layout.space(address_space)) or self.layout.pointers[0]
        if heap:
            assert owner_thread is not None
            arena = self._heap(owner_thread)
        else:
            arena = self._arena(owner_thread, min(48, space.index))
        align = max(1, align)
        base = (
            align_up(arena.next - align, 2 * align) + align if align < FIRST else align_up(arena.next, align)
        )
        if base + size + GAP > arena.limit:
            raise NotModelled(f"an object of {size} bytes ({name}): its address space is full")
        arena.next = base + size + GAP
        arena.count += 1
        identity = arena.count if owner_thread is None else (owner_thread + 1) << 40 | arena.count
        if heap:
            identity |= _HEAPS
            name = f"{name} #{arena.count} of thread {owner_thread}"
        provenance = Provenance(identity << 6 | min(48, space.index), base, size, name, open_ended)
        number = self.layout.space(address_space)
        owner = None if heap else owner_thread
        if owner is not None:
            arena.stack.append((provenance.id, base))
        allocation = Allocation(provenance, owner, align, number, heap=heap, default=default)
        self.allocations[provenance.id] = allocation
        if self.table is not None:
            allocation.table = self.table
            self.table.add(allocation)
            allocation.make_ready()
        return Pointer(self.domain.width(space.bits).constant(base), provenance, self.domain.false)

    def release(self, *pointers: Value) -> None:
        """End these objects' storage: their function returned. Any later access is use after free."""
        for pointer in pointers:
            provenance = pointer.provenance
            gone = self.allocations.pop(provenance.id, None) if provenance else None
            if gone is not None and gone.table is not None:
                gone.table.release(gone.provenance)
            if gone is not None and gone.owner is not None:
                arena = self._arenas[gone.owner, gone.provenance.id & 63]
                while arena.stack and arena.stack[-1][0] not in self.allocations:
                    _, arena.next = arena.stack.pop()

    def stored(self, objects: Iterable[Value]) -> list[Value]:
        """Those of some objects whose storage has not ended: of the others nothing depends any more."""
        return [o for o in objects if o.provenance is None or o.provenance.id in self.allocations]

    def stack_height(self, thread: int, address_bits: int) -> int:
        """Where the thread's next object would go at the lowest: what llvm.stacksave returns."""
        return self._arena(thread, min(48, address_bits)).next

    def release_above(
        self, thread: int, height: int, address_bits: int, among: Iterable[Value] | None = None
    ) -> None:
        """Release the thread's objects at or above a height, all or ``among`` some: llvm.stackrestore."""
        arena = min(48, address_bits)
        for pointer in self.own_objects(thread) if among is None else among:
            provenance = pointer.provenance
            if provenance is not None and provenance.id & 63 == arena and provenance.base >= height:
                self.release(pointer)

    def own_objects(self, thread: int) -> list[Value]:
        """The starts of the thread's living stack objects."""
        return [Pointer(a.provenance.base, a.provenance) for a in self.owned(thread)]

    # -- finding objects ----------------------------------------------------------------------------

    def allocation_at(self, address: int, size: int) -> Allocation | None:
        """The living object that holds ``size`` bytes from the address."""
        for allocation in self.allocations.values():
            base, length = allocation.provenance.base, allocation.provenance.size
            if base <= address and address + size <= base + length:
                return allocation
        return None

    def function_at(self, pointer: Value) -> str | None:
        """The function whose address a pointer is, if any."""
        allocation = self.object_at(pointer)
        return allocation.function if allocation else None

    def block_at(self, pointer: Value) -> tuple[str, str] | None:
        """The function and block whose blockaddress a pointer is, if any."""
        allocation = self.object_at(pointer)
        return allocation.block if allocation else None

    def object_at(self, pointer: Value) -> Allocation | None:
        """The object whose first byte a pointer points to."""
        address = self.domain.concrete(pointer.bits, "a symbolic address")
        if pointer.provenance is not None:
            allocation = self.allocations.get(pointer.provenance.id)
            return allocation if allocation is not None and allocation.provenance.base == address else None
        return next((a for a in self.allocations.values() if a.provenance.base == address), None)

    def locate(
        self,
        pointer: Value,
        size: int,
        align: int,
        thread: int | None,
        access: str,
        write: bool,
        noted: Truth = True,
    ) -> tuple[Allocation, int]:
        """:meth:`place`, for an access that is made: it is logged, and what nobody gave is noted; not
        ``noted`` is one that nobody sees."""
        allocation, offset = self.place(pointer, size, align, thread, access, write)
        if thread is not None and noted is not False:
            self.note(allocation, thread, offset, size, write)
        if allocation.assumed and not write and allocation.holds_assumed(offset, size):
            self.assumed[allocation.provenance.name] = allocation.initial is None
        return allocation, offset

    def note(self, allocation: Allocation, thread: int, start: int, size: int, write: bool) -> None:
        """Logs that a thread touched bytes of an object, if it is not its own."""
        if allocation.owner != thread and (
            self.table is None or not self._noted(allocation, thread, start, size, write)
        ):
            identity, owner = allocation.provenance.id, allocation.owner
            self.log.access(thread, identity, start, start + size, write, owner)

    def _noted(self, allocation: Allocation, thread: int, start: int, size: int, write: bool) -> bool:
        """Whether it is noted where native code notes it who touches a shared object."""
        table = allocation.table
        if table is None or table.encounters is None or allocation.assumed or allocation.owner is not None:
            return False
        if allocation.problem is None:
            allocation.contents()
        words = table.words(allocation)
        if words is None:
            return False
        table.encounters.access(thread, words, start, start + size, write, self.atomicity)
        return True

    def lies_behind(self, pointer: Value, size: int, or_null: bool, thread: int) -> bool:
        """Whether so many bytes of an object lie behind a pointer, or it may be null and is. True where
        nobody says what lies there."""
        if or_null and pointer.poison is False and pointer.provenance is NULL and pointer.bits == 0:
            return True
        try:
            self.place(pointer, size, 1, thread, "dereferenceable", False)
        except Undefined:
            return False
        except NotModelled:
            return True
        return True

    def place(
        self, pointer: Value, size: int, align: int, thread: int | None, access: str, write: bool
    ) -> tuple[Allocation, int]:
        """The object and the byte offset that an access of ``size`` bytes touches.

        Undefined behaviour: poison, null, dangling and out-of-bounds pointers, writes to
        constants or outside an object's lifetime, addresses that are no multiple of ``align``.
        """
        if pointer.poison is not False:
            sound = self.domain.negate(pointer.poison)
            how = f"{access} through a poison pointer{self._object_left(pointer, size)}"
            self.domain.require(sound, how, "Poison Values")
        address = self.domain.concrete(pointer.bits, "a symbolic address")
        allocation = self._allocation(pointer, address, size, access)
        _, base, length, name, _ = allocation.provenance
        offset = address - base
        if offset < 0 or offset + size > length:
            if allocation.provenance.open_ended and offset >= 0:
                raise NotModelled(
                    f"more than {length} bytes of {name}, whose declaration leaves its size open "
                    f"(--buffer {name}=TYPE[N] says it)"
                )
            where = allocation.outside(offset, size)
            raise Undefined(f"{access} out of bounds: {where}", "Pointer Aliasing Rules")
        if address % align and not allocation.relaxed:
            reason = f"misaligned {access} of {name}: the address is no multiple of {align}"
            raise Undefined(reason, f"'{access}' Instruction")
        if write:
            if allocation.constant:
                raise Undefined(f"{access} to the constant {name}", "Global Variables")
            if not allocation.alive:
                raise Undefined(f"{access} to {name} outside its lifetime", LIFETIME)
        if allocation.thread_local and thread is not None:
            return self.instance(allocation, thread), offset
        if self.workgroups > 1 and thread is not None and self.is_of_workgroups(allocation):
            return self.of_workgroup(allocation, thread // self.workgroup_threads), offset
        return allocation, offset

    def _object_left(self, pointer: Value, size: int) -> str:
        """In words, which object an address left that is poison for that (getelementptr's ``inbounds``)."""
        provenance = pointer.provenance
        allocation = None if provenance is None else self.allocations.get(provenance.id)
        if allocation is None or pointer.poison is not True or not isinstance(pointer.bits, int):
            return ""
        offset = pointer.bits - allocation.provenance.base
        inside = offset >= 0 and offset + size <= allocation.provenance.size
        return "" if inside else f": {allocation.outside(offset, size)}"

    def _allocation(self, pointer: Value, address: int, size: int, access: str) -> Allocation:
        provenance = pointer.provenance
        if provenance is None:
            allocation = self.allocation_at(address, size)
            if allocation is None and address >> 64:
                raise NotModelled(f"{access} through a buffer resource as such")
            if allocation is None and address and self.unknown_objects:
                raise NotModelled(
                    f"{access} at an address where an object of a function without a model may be"
                )
            if allocation is None:
                what = "a null pointer" if address == 0 else f"address {address:#x}, where no object is"
                raise Undefined(f"{access} through {what}", "Pointer Aliasing Rules")
            return allocation
        allocation = self.allocations.get(provenance.id)
        if allocation is not None:
            return allocation
        if provenance.id == OUTSIDE:
            raise NotModelled(f"the memory behind {provenance.name}")
        if provenance.id == NULL.id:
            what = "an undef pointer" if pointer.undef else "a null pointer"
            raise Undefined(f"{access} through {what}", "Pointer Aliasing Rules")
        raise Undefined(f"{access} to {provenance.name} after it was freed", LIFETIME)

    def instance(self, variable: Allocation, thread: int) -> Allocation:
        """A thread's own instance of a thread_local variable; all have the variable's address."""
        known = self.instances.get((variable.provenance.id, thread))
        if known is None:
            instance = _instantiated(variable, _instance(variable, thread), thread)
            instance.table = None
            if (pieces := self.contents_of.get(variable.provenance.id)) is not None:
                instance.cells = pieces(thread)
            known = self.instances[variable.provenance.id, thread] = instance
        return known

    def instance_number(self, variable: Allocation, thread: int) -> int:
        """The identity of a thread's own instance of a thread_local variable."""
        return _instance(variable, thread)

    def is_of_workgroups(self, variable: Allocation) -> bool:
        """Whether each of several workgroups has an instance of its own of a variable."""
        local = variable.address_space == LOCAL_SPACE and variable.owner is None
        return self.workgroups > 1 and local and not variable.constant and variable.provenance.id > 0

    def of_workgroup(self, variable: Allocation, workgroup: int) -> Allocation:
        """A workgroup's own instance of a variable, made at the first look."""
        identity = _instance(variable, workgroup)
        known = self.allocations.get(identity)
        if known is None:
            known = self.allocations[identity] = _instantiated(variable, identity, None)
            if self.table is not None:
                self.table.bind(variable, workgroup, known)
                known.pack()
        return known

    def known_of_workgroup(self, variable: Allocation, workgroup: int) -> Allocation:
        """A workgroup's own instance of a variable; the variable itself where nobody touched it."""
        return self.allocations.get(_instance(variable, workgroup), variable)

    def changing(self) -> Iterable[tuple[int, Allocation]]:
        """The objects whose contents can change, each by its identity."""
        for allocation in (*self.allocations.values(), *self.instances.values()):
            if not allocation.constant:
                yield allocation.provenance.id, allocation

    def heights(self) -> tuple[tuple[tuple[int | None, int], int], ...]:
        """Where the next object of each owner goes, by address space."""
        return tuple((owner, arena.next) for owner, arena in self._arenas.items())

    # -- lifetime -----------------------------------------------------------------------------------

    def set_lifetime(self, pointer: Value, alive: bool) -> None:
        """llvm.lifetime.start and .end: the object's contents are lost; poison pointers do nothing."""
        provenance = pointer.provenance
        allocation = (
            self.allocations.get(provenance.id) if provenance and pointer.poison is not True else None
        )
        if allocation is not None and allocation.owner is not None:
            allocation.alive = alive
            allocation.cells = None
            if allocation.table is not None:
                allocation.table.update(allocation)
                allocation.make_ready()

    def note_undef(self, allocation: Allocation, value: RuntimeValue) -> None:
        """Remember that uninitialised bytes were read, so that the answer can say so."""
        if any(s.undef for s in scalars(value)):
            self.undef_reads[allocation.provenance.name] = None

    def is_shared(self, number: int) -> bool:
        """Whether an object is one that threads may share, and that may change: no constant, and no thread's
        own instance of a ``thread_local`` variable."""
        allocation = self.allocations.get(number)
        return allocation is not None and not allocation.constant

    def owned(self, thread: int | None) -> Iterable[Allocation]:
        """The living objects of a thread, or the shared ones."""
        return (a for a in self.allocations.values() if a.owner == thread)


def _instance(variable: Allocation, owner: int) -> int:
    """The identity of a variable's instance for a thread or a workgroup."""
    return OUTSIDE - 1 - (variable.provenance.id << 32 | owner)


def _instantiated(variable: Allocation, identity: int, thread: int | None) -> Allocation:
    """A variable's object made once more, as it is at the launch."""
    cells = None if variable.cells is None else list(variable.cells)
    provenance = variable.provenance._replace(id=identity)
    return replace(variable, provenance=provenance, owner=thread, cells=cells)
