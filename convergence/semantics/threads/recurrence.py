"""What the rest of a thread's run depends on, as data; and whether a thread comes back to where it was.

A thread whose registers and memory are again what they were goes round, as long as nobody else changes what
it reads. So its turn is over: that others have theirs, and that turns begin where they began before, lets
whole states be compared (:mod:`..machine.recurrence`). Nothing is concluded here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ...ir import IntType, Local, Operand
from ...ir import instructions as ir
from ...ir.calls import atomics
from ...ir.instructions import operands
from ..convergence import Key
from ..memory.packed import PackedCells
from ..values import Composite, Value

if TYPE_CHECKING:
    from ...alignment import StaticInstance
    from ...ir.module import Function, Module
    from ..memory import Piece, Touch
    from ..memory.accesses import AccessShape
    from ..memory.allocations import Allocation, Memory
    from . import Code, Frame, Segment, Thread

# ----------------------------------------------------------------------------------------------------------
# Which registers the rest of a run may depend on, by place: the others may hold anything.
#
# A value is *needed* if it decides a branch, goes into a call, an access, a return or a division, or into the
# computation of a needed value: a counter that nobody looks at is not. It is *live* where a path leads from
# to a use before it is defined again (Aho, Lam, Sethi, Ullman, *Compilers*, section 9.2.5, over needed uses
# only).
# ----------------------------------------------------------------------------------------------------------

_COMPUTES = (
    ir.FNeg, ir.ICmp, ir.FCmp, ir.Conversion, ir.ExtractElement, ir.InsertElement, ir.ShuffleVector,
    ir.ExtractValue, ir.InsertValue, ir.GetElementPtr, ir.Select, ir.Freeze, ir.Phi,
)  # fmt: skip
_DIVISIONS = frozenset(("udiv", "sdiv", "urem", "srem"))
"""What may be undefined at once, so that its operands matter although nobody uses the result."""


def only_computes(instruction: ir.Instruction) -> bool:
    """Whether all that an instruction does is to define its result."""
    if isinstance(instruction, ir.Binary):
        return instruction.opcode not in _DIVISIONS
    return isinstance(instruction, _COMPUTES)


def uses(instruction: ir.Instruction) -> Iterator[str]:
    """The values that an instruction reads, tokens included, but for those of a phi."""
    read: list[Operand] = [*operands(instruction)]
    if isinstance(instruction, ir.CallSite):
        read.append(instruction.callee)
        for bundle in instruction.bundles:
            read += bundle.inputs
    for operand in read:
        if isinstance(operand, Local):
            yield operand.name


def needed(function: Function) -> frozenset[str]:
    """The values of a function that matter to anything but themselves."""
    roots = (name for i in function.instructions if not only_computes(i) for name in uses(i))
    return computed_from(function, roots)


def computed_from(function: Function, roots: Iterable[str]) -> frozenset[str]:
    """These values and those that they are computed from, back to what does more than compute."""
    definitions = {i.result: i for i in function.instructions if i.result is not None}
    names: set[str] = set()
    work = [*roots]
    while work:
        name = work.pop()
        if name in names:
            continue
        names.add(name)
        instruction = definitions.get(name)
        if instruction is None:
            continue
        if isinstance(instruction, ir.Phi):
            work += [value.name for value, _ in instruction.incoming if isinstance(value, Local)]
        elif only_computes(instruction):
            work += uses(instruction)
    return frozenset(names)


class Liveness:
    """The registers of a prepared function that are live, by the instruction that is executed next. With
    ``all_uses`` also those that only something reads which nobody needs."""

    def __init__(self, code: Code, all_uses: bool = False) -> None:
        self._code = code
        self._needed = frozenset(code.slots) if all_uses else needed(code.function)
        self._leaving = self._solve()
        self._known: dict[int, tuple[int, ...]] = {}

    def at(self, index: int) -> tuple[int, ...]:
        """The registers that are live before an instruction; in front of a block's phis, behind them: an edge
        has given them their values."""
        known = self._known.get(index)
        if known is None:
            code = self._code
            block = code.graph.block_of[index]
            live = self._back(block, index, set(self._leaving[block]))
            known = self._known[index] = tuple(sorted(code.slots[n] for n in live if n in code.slots))
        return known

    def _back(self, block: int, index: int, live: set[str]) -> set[str]:
        """What is live before an instruction of a block, from what is where the block ends."""
        code = self._code
        node = code.graph.nodes[block]
        for at in range(node.last, index - 1, -1):
            instruction = code.instructions[at]
            if isinstance(instruction, ir.Phi):
                break
            if only_computes(instruction) and instruction.result not in self._needed:
                continue
            live.discard(instruction.result or "")
            live.update(uses(instruction))
            held = code.region_tokens.get(at, ())  # a call hangs from these as well (D-CALL)
            if held:
                live.update(name for name, slot in code.slots.items() if slot in held)
        return live

    def _solve(self) -> list[set[str]]:
        """What is live where each block ends."""
        code = self._code
        blocks = code.function.blocks
        leaving: list[set[str]] = [set() for _ in blocks]
        before: list[list[int]] = [[] for _ in blocks]
        for number, node in enumerate(code.graph.nodes):
            for successor in node.successors:
                before[successor].append(number)
        work = list(range(len(blocks)))
        while work:
            number = work.pop()
            live = self._back(number, code.graph.nodes[number].first, set(leaving[number]))
            phis = [i for i in blocks[number].instructions if isinstance(i, ir.Phi)]
            taken = [phi for phi in phis if phi.result in live]
            live -= {phi.result or "" for phi in phis}
            for source in before[number]:
                name = blocks[source].name
                arriving = live | {
                    value.name
                    for phi in taken
                    for value, block in phi.incoming
                    if block == name and isinstance(value, Local)
                }
                if not arriving <= leaving[source]:
                    leaving[source] |= arriving
                    work.append(source)
        return leaving


LEAVES = 8
"""Activations that a thread leaves in one turn, for each of which a new place is kept."""
DEEPEST = 200
"""Activations of a thread whose places are kept: to look at more of them at each step takes too long."""
WORD = 4
"""Bytes that are compared at once."""
SMALL = 256
"""Objects, and bytes of an object in the mean, that a thread keeps at each place."""
IN_A_ROW = 3
"""Turns that end so, one after the other, before a thread is left alone for a while."""


class Lives:
    """The live registers of the functions of one program."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Code, Liveness]] = {}

    def of(self, frame: Frame, index: int) -> tuple[int, ...]:
        """The registers that are live in a frame which executes ``index`` next."""
        code = frame.code
        known = self._known.get(id(code))
        if known is None:
            known = self._known[id(code)] = code, Liveness(code)
        return known[1].at(index)


def frames_of(thread: Thread) -> list[Frame]:
    """A thread's activations, innermost first; none of a thread that has ended."""
    frames = []
    frame = thread.frame if thread.alive else None
    while frame is not None:
        frames.append(frame)
        frame = frame.caller
    return frames


def registers_of(thread: Thread, frame: Frame, lives: Lives) -> tuple[Any, ...]:
    """The contents of a frame's live registers."""
    if frame.native is not None:
        frame.native.settle(frame)
    registers = frame.registers
    return tuple([registers[slot] for slot in lives.of(frame, thread.position(frame))])


def own_state(thread: Thread, lives: Lives, memory: Memory) -> Hashable:
    """Where a thread is in each of its activations, and what their live registers hold, but for tokens."""
    return thread.at, tuple(
        (
            frame.segment,
            frame.call,
            frame.result,
            tuple(contents(v, memory) for v in registers_of(thread, frame, lives) if not isinstance(v, Key)),
            tuple(contents(v, memory) for v in memory.stored(frame.allocas or ())),
        )
        for frame in frames_of(thread)
    )


def contents(value: Any, memory: Memory) -> Hashable:
    """A register's contents. Equality of values does not look at what pointers are based on; this does."""
    if isinstance(value, Composite):
        return tuple(contents(v, memory) for v in value.elements)
    if isinstance(value, Value) and value.provenance is not None:
        based = value.provenance
        return value, based.base, based.size, based.name, based.id in memory.allocations
    return value  # type: ignore[no-any-return]


class MovedWord(NamedTuple):
    """Four bytes at an offset of an object's contents, and the number that they were."""

    allocation: Allocation
    cells: PackedCells
    at: int
    was: int


class MemoryState:
    """What all objects held when it was made, or, but for other threads' stack objects, those of one
    ``thread``. A stack object is known by its place: each call makes it anew. ``_differs`` is the object that
    had changed when last looked at, and so the one to look at first."""

    def __init__(self, memory: Memory, thread: int | None = None) -> None:
        self._thread = thread
        self._objects = {
            _place(a): (a.alive, None if a.cells is None else a.cells.copy()) for a in self._changing(memory)
        }
        self._heights = memory.heights()
        self._living = frozenset(memory.allocations)
        self._differs: Hashable = None
        self._suspect: Allocation | None = None

    def same(self, memory: Memory) -> bool:
        """Whether the objects hold the same now, and no other ones are there."""
        suspect = self._suspect
        if suspect is not None and memory.allocations.get(suspect.provenance.id) is suspect:
            if not self._equal(memory, self._differs, suspect):
                return False
        now = {_place(a): a for a in self._changing(memory)}
        if self._differs in now and not self._equal(memory, self._differs, now[self._differs]):
            return False
        if (self._thread is None and memory.heights() != self._heights) or [*now] != [*self._objects]:
            return False
        for place, allocation in now.items():
            if not self._equal(memory, place, allocation):
                self._differs, self._suspect = place, allocation
                return False
        return True

    def moved_word(self, memory: Memory) -> MovedWord | None:
        """Four bytes in the object that had changed when last looked at, which are not what they were: both
        times they were parts of numbers or pointers."""
        _, before = self._objects.get(self._differs, (None, None))
        now = next((a for a in self._changing(memory) if _place(a) == self._differs), None)
        if now is None or not isinstance(before, PackedCells) or not isinstance(now.cells, PackedCells):
            return None
        for at in range(0, now.cells.size - WORD + 1, WORD):
            was, word = before.plain_bytes(at, at + WORD), now.cells.plain_bytes(at, at + WORD)
            if was is not None and word is not None and was != word:
                return MovedWord(now, now.cells, at, int.from_bytes(was, "little"))
        return None

    def _changing(self, memory: Memory) -> Iterable[Allocation]:
        """The objects that are looked at, whose contents can change."""
        thread = self._thread
        return (a for _, a in memory.changing() if thread is None or a.owner is None or a.owner == thread)

    def _equal(self, memory: Memory, place: Hashable, now: Allocation) -> bool:
        alive, cells = self._objects.get(place, (None, None))
        if alive != now.alive or (cells is None) != (now.cells is None):
            return False
        if cells is None or now.cells is None or cells == now.cells:
            return True
        living = memory.allocations
        return all(
            mine is theirs or _cell(mine, self._living) == _cell(theirs, living)
            for mine, theirs in zip(cells, now.cells, strict=True)
        )


def _place(allocation: Allocation) -> Hashable:
    based = allocation.provenance
    if allocation.owner is None or allocation.thread_local or based.id < 0:
        return based.id
    return allocation.owner, based.id & 63, based.base, based.size, based.name


def _cell(piece: Piece, living: Container[int]) -> Hashable:
    value, based = piece.value, piece.value.provenance if isinstance(piece.value, Value) else None
    kept = None if based is None else (based.base, based.size, based.name, based.id in living)
    return piece.start, piece.size, piece.kind, value, piece.mask, kept


def _is_small(memory: Memory) -> bool:
    """Whether to keep all contents is cheap: else they are kept when a thread is the first time where its own
    state is what it was, which few threads ever are."""
    if len(memory.allocations) > SMALL:
        return False
    return sum(a.provenance.size for _, a in memory.changing() if a.cells is not None) <= SMALL * SMALL


class KeptPlace:
    """Where a turn may end early (:class:`~.step.Place`): the ``segment`` that a thread was about to execute
    at ``depth`` activations. A place with fewer activations is better than one inside a call, so it replaces
    it, but not each of those that a thread leaves one after the other."""

    segment: Segment
    depth: int
    floor: int

    def __init__(self, thread: Thread) -> None:
        self._leaves = LEAVES
        self.keep(thread)

    def shallower(self, thread: Thread) -> None:
        """The thread is in fewer activations now: it may come back to where it is."""
        self._leaves -= 1
        if self._leaves:
            self.keep(thread)
        else:
            self.floor = 0

    def keep(self, thread: Thread) -> None:
        """The thread is here now."""
        assert thread.frame is not None
        self.segment = thread.frame.segment
        self.depth = self.floor = thread.depth


class Watch(KeptPlace):
    """A place to which a thread may come back, and what it held there. A new one is taken after as many turns
    as powers of two count (Brent's algorithm), so that a thread which gets into a circle later comes back to
    a place on it."""

    def __init__(self, thread: Thread, lives: Lives) -> None:
        self._lives = lives
        self._power = self._left = 1
        self._in_a_row = 0
        self._moved: Any = None
        self._rests = 0
        self._rest = 4
        self._came_back = False
        super().__init__(thread)

    def keep(self, thread: Thread) -> None:
        super().keep(thread)
        assert thread.frame is not None
        memory: Memory = thread.memory
        self._own = own_state(thread, self._lives, memory)
        frame = thread.frame
        slots = self._lives.of(frame, thread.position(frame))
        registers = [(slot, frame.registers[slot]) for slot in slots]
        self.registers = [(slot, value) for slot, value in registers if not isinstance(value, Key)]
        self._moves, self._moved = -1, None
        self._memory = MemoryState(memory, thread.number) if _is_small(memory) else None

    def begin(self, thread: Thread) -> bool:
        """A turn begins; whether to look in it."""
        if self._rests:
            self._rests -= 1
            return False
        self._in_a_row = self._in_a_row + 1 if self._came_back else 0
        if self._in_a_row == IN_A_ROW:
            self._in_a_row, self._came_back = 0, False
            self._rests, self._rest = self._rest, self._rest * 2
            return False
        if not self._came_back:
            self._left -= 1
            if not self._left:
                self._power *= 2
                self._left = self._power
                self.keep(thread)
        self._came_back = False
        self._leaves, self.floor = LEAVES, self.depth
        return True

    def came_back(self, thread: Thread) -> bool:
        """Whether a thread that is about to execute the segment holds what it held then."""
        if self._moves >= 0:  # what had changed when last looked at mostly has again
            now = thread.frame.registers[self._moves] if thread.frame is not None else None
            if now is not self._moved and now != self._moved:
                return False
        memory: Memory = thread.memory
        own = thread.depth == self.depth and own_state(thread, self._lives, memory) == self._own
        if own and self._memory is None:
            self._memory = MemoryState(memory, thread.number)  # it is here that the thread may come back to
            return False
        self._came_back = own and self._memory is not None and self._memory.same(memory)
        if not self._came_back:
            self._look(thread)
        return self._came_back

    def moved_word(self, thread: Thread) -> MovedWord | None:
        """A word of memory that is not what it was, if one is known: where it is not again what it was, the
        thread did not come back."""
        return None if self._memory is None else self._memory.moved_word(thread.memory)

    def _look(self, thread: Thread) -> None:
        """Finds a live register of the innermost activation that is not what it was."""
        assert thread.frame is not None
        for slot, value in self.registers:
            now = thread.frame.registers[slot]
            if now is not value and now != value:
                self._moves, self._moved = slot, value
                return


# ----------------------------------------------------------------------------------------------------------
# Atomic accesses whose order nobody can tell: a histogram's additions.
# ----------------------------------------------------------------------------------------------------------


_SUMS = frozenset(("add", "sub"))
_ALIKE = frozenset(("and", "or", "xor", "max", "min", "umax", "umin"))
"""Operations that commute with themselves."""


def commute(module: Module, accesses: Iterable[tuple[StaticInstance, AccessShape, Touch]]) -> bool:
    """Whether atomic accesses come to the same in any order: integers to which numbers are added, or one such
    operation is done, monotonic, and nobody uses what was there before. That is asked of those that touch
    one byte: what is left in one place does not hang from the others, and where threads come to hangs from
    none."""
    accesses = tuple(accesses)
    for site in {site for site, _, _ in accesses}:
        function = module.functions[site.function]
        if function.instructions[site.index].result in needed(function):
            return False
    places: defaultdict[tuple[int, int], set[tuple[AccessShape, int, int]]] = defaultdict(set)
    for _, shape, (number, start, stop, _) in accesses:
        for at in range(start, stop):
            places[number, at].add((shape, start, stop))
    return all(map(_commute_here, set(map(frozenset, places.values()))))


def may_commute(module: Module) -> bool:
    """Whether each atomic instruction of a module may be one whose order nobody can tell (:func:`commute`),
    by its text alone: else no run need be asked."""
    return all(
        isinstance(i, ir.AtomicRMW) and i.operation in _SUMS | _ALIKE and i.ordering == "monotonic"
        and i.result not in needed(function)
        for function in module.definitions()
        for i in atomics(function)
    )  # fmt: skip


def _commute_here(accesses: Iterable[tuple[AccessShape, int, int]]) -> bool:
    """The same of accesses to one byte: of one width, and to the same bytes around it."""
    operations, types, extents = set[str](), set[object](), set[tuple[int, int]]()
    for shape, start, stop in accesses:
        if shape.operation is None or shape.ordering != "monotonic" or not isinstance(shape.type, IntType):
            return False
        operations.add(shape.operation)
        types.add(shape.type)
        extents.add((start, stop))
    alike = operations <= _SUMS or (len(operations) == 1 and operations <= _ALIKE)
    return alike and len(types) <= 1 and len(extents) <= 1
