"""Workgroups of one launch on several cores: each core has contents of its own of what workgroups share, and
notes by itself who touched which byte. What comes of it is what comes of one workgroup after the other if no
byte that a core wrote was touched on another one, but where all of them added to the same four or eight bytes
and nobody uses what the additions give. That is looked at, byte by byte (:class:`Union`), before the contents
become one: each byte is then as the core has it that wrote it, and sums are the sums of what was added.

If two workgroups met otherwise, they would have met one after the other, too: in that order all is the same
up to the first access that meets another one of another workgroup. So nothing is decided by chance.
"""

from __future__ import annotations

import ctypes
import threading
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ..memory.emitted import POINTERS
from ..memory.synchronisation import ACROSS, ADDS4, ADDS8, LOOSE, MET, ORDERING, STRETCH, UNORDERED
from .jit import Routine, machine_code

if TYPE_CHECKING:
    from ..memory.packed import ObjectPlaces

PIECES = 8
"""Parts of what is left that a core takes at once, for each core: those at the end are small."""
OFTEN = 0.02
"""Seconds between two looks at how far it is."""

Going = Callable[[], None]
"""Asked between two calls of native code: raises what ends the work."""


class _Stopped(Exception):
    """Another core ended it all."""


class Spread:
    """Work on several cores: each of ``workers`` does it, in a thread of its own, for the next of some
    ``numbers`` until none is left. Native code runs without Python's lock."""

    def __init__(self, workers: Sequence[Callable[[int, Going], None]], numbers: Sequence[int]) -> None:
        self._left = deque(numbers)
        self._lock = threading.Lock()
        self._problem: BaseException | None = None
        self._stop = False
        self._threads = [
            threading.Thread(target=self._work, args=(worker, piece), daemon=True)
            for worker, piece in [(worker, self._piece(len(workers))) for worker in workers]
        ]

    def run(self, watch: Callable[[], None]) -> None:
        """All of it; ``watch`` is asked now and then, in this thread. What one of them raises, or ``watch``,
        ends all, and is raised when all have ended."""
        for thread in self._threads:
            thread.start()
        try:
            for thread in self._threads:
                while thread.is_alive():
                    thread.join(OFTEN)
                    watch()
        finally:
            self._stop = True
            for thread in self._threads:
                thread.join()
        if self._problem is not None:
            raise self._problem

    def _going(self) -> None:
        if self._stop:
            raise _Stopped

    def _piece(self, workers: int) -> list[int]:
        with self._lock:
            count = max(1, len(self._left) // (PIECES * workers))
            return [self._left.popleft() for _ in range(min(count, len(self._left)))]

    def _work(self, worker: Callable[[int, Going], None], numbers: list[int]) -> None:
        try:
            while numbers:
                for number in numbers:
                    self._going()
                    worker(number, self._going)
                numbers = self._piece(len(self._threads))
        except _Stopped:
            pass
        except BaseException as problem:  # raised again where the work was asked for
            with self._lock:
                self._problem = self._problem or problem
            self._stop = True


class Union:
    """Objects, and what each of several cores made of them: ``parts`` has the copies of each core."""

    def __init__(self, whole: Sequence[ObjectPlaces], parts: Sequence[Sequence[ObjectPlaces]]) -> None:
        self._unite = _Unite(machine_code(_text(), "unite", {}))
        self._count = len(parts)
        self._objects = [
            (
                array("Q", places[:4]),
                array("Q", [address for part in parts for address in part[number][:4]]),
                places.size,
                places.base,
            )
            for number, places in enumerate(whole)
        ]

    def meetings(self) -> int:
        """What was found out until now about accesses of different cores. May be asked while they run: what
        is seen then was there."""
        return self._all(0)

    def join(self) -> int:
        """The objects hold what came of it: what was found out; if they met, contents do not count."""
        return self._all(1)

    def _all(self, joins: int) -> int:
        met = 0
        for whole, parts, size, base in self._objects:
            met |= self._unite(whole.buffer_info()[0], parts.buffer_info()[0], self._count, size, base, joins)
            if met & ACROSS:
                break
        return met


_Unite = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64,
    ctypes.c_int64,
)  # fmt: skip
_WORDS, _DATA, _SHADOW, _NUMBERS = range(4)
_PLACES = 4
"""Words of an object's places."""


@cache
def _text() -> str:
    """``i64 @unite(ptr whole, ptr parts, i64 count, i64 size, i64 base, i64 joins)``: what was found out
    about an object of so many bytes, whose address is ``base``; if it ``joins``, ``whole`` gets the
    contents."""
    return _Unification().text()


class _Unification:
    """The function, byte by byte, and for each core: what it did to a byte that no other one touched is
    taken; where several only added, the first of the four or eight bytes takes the sums of all of them, and
    the others are done then."""

    def __init__(self) -> None:
        r = self.r = Routine(
            "define i64 @unite(ptr %whole, ptr %parts, i64 %count, i64 %size, i64 %base, i64 %joins)"
        )
        self.met, self.writer, self.readers = r.variable("met"), r.variable("writer"), r.variable("readers")
        self.before, self.kept, self.done = r.variable("before"), r.variable("kept"), r.variable("done")
        self.to = [r.pointer(r.at("%whole", field)) for field in range(_PLACES)]

    def text(self) -> str:
        r = self.r
        r.set(self.met, 0)
        r.set(self.done, 0)
        with r.each(0, "%size") as at:
            r.set(self.writer, r.read(self.to[_WORDS], at))
            r.set(self.readers, r.read(self.to[_WORDS], r.do("add", at, "%size")))
            r.set(self.kept, 0)
            with r.each(0, "%count") as number:
                part = r.at("%parts", r.do("mul", number, _PLACES))
                words = r.pointer(r.at(part, _WORDS))
                wrote, read = r.read(words, at), r.read(words, r.do("add", at, "%size"))
                with r.when(r.compare("ne", r.do("or", wrote, read), 0)):
                    self._touched(part, wrote, read, at)
                    r.set(self.writer, r.do("or", r.get(self.writer), wrote))
                    r.set(self.readers, r.do("or", r.get(self.readers), read))
        r.give(r.get(self.met))
        return r.text()

    def _touched(self, part: str, wrote: str, read: str, at: str) -> None:
        """A core touched a byte, which others may have touched before."""
        r, writer, readers = self.r, self.r.get(self.writer), self.r.get(self.readers)
        writes = r.compare("ne", wrote, 0)
        others = r.compare("ne", r.do("or", writer, readers), 0)
        follows = r.both(r.compare("ne", read, 0), r.compare("ne", writer, 0))
        meets = r.typed(f"or i1 {r.both(writes, others)}, {follows}")
        joins = r.compare("ne", "%joins", 0)

        def met() -> None:
            adds = str(_signed(ADDS4 | ADDS8))
            for word in (wrote, read, writer, readers):
                none = r.compare("eq", word, 0)
                adds = r.do("and", adds, r.choose(none, -1, word))
            only = r.compare("ne", adds, 0)
            r.either(only, lambda: added(adds), lambda: self._add_conflict(ACROSS | UNORDERED | MET))

        def added(adds: str) -> None:
            all_ = r.do("or", r.do("or", writer, wrote), r.do("or", readers, read))
            released = r.compare("ugt", r.do("and", all_, STRETCH), 1)
            orders = r.compare("ne", r.do("and", all_, ORDERING), 0)
            self._add_conflict(MET)
            with r.when(r.typed(f"or i1 {released}, {orders}")):
                self._add_conflict(LOOSE)
            with r.when(joins):
                self._sum(part, adds, at)

        def alone() -> None:
            with r.when(r.both(joins, writes)):
                self._take(part, wrote, at)

        r.either(meets, met, alone)

    def _add_conflict(self, what: int) -> None:
        r = self.r
        r.set(self.met, r.do("or", r.get(self.met), what))

    def _place(self, places: str, field: int, at: str) -> str:
        """Where a core's byte is."""
        return self.r.typed(f"getelementptr i8, ptr {self.r.pointer(self.r.at(places, field))}, i64 {at}")

    def _take(self, part: str, wrote: str, at: str) -> None:
        """The byte is what a core wrote."""
        r = self.r
        for size, kind in _UNITS:
            with r.when(self._begins(wrote, at, size, kind)):  # which it wrote at once
                self._keep(at, size)
                self._copied(part, _DATA, f"i{8 * size}", at)
        with r.when(r.compare("uge", at, r.get(self.done))):
            self._copied(part, _DATA, "i8", at)
        mark = self._copied(part, _SHADOW, "i8", at)
        pointer = r.compare("ne", r.do("and", r.typed(f"zext i8 {mark} to i64"), POINTERS), 0)
        with r.when(r.both(pointer, r.compare("eq", r.do("and", at, 3), 0))):
            self._copied(part, _NUMBERS, "i32", at)

    def _copied(self, part: str, field: int, type_: str, at: str) -> str:
        value = self.r.typed(f"load {type_}, ptr {self._place(part, field, at)}, align 1")
        self.r.line(f"store {type_} {value}, ptr {self._place('%whole', field, at)}, align 1")
        return value

    def _begins(self, word: str, at: str, size: int, kind: int) -> str:
        """Whether so many bytes that were added to begin here."""
        r = self.r
        added = r.compare("ne", r.do("and", word, _signed(kind)), 0)
        return r.both(added, r.compare("eq", r.do("and", r.do("add", "%base", at), size - 1), 0))

    def _number(self, places: str, at: str, size: int) -> str:
        """So many bytes of a core, as a number."""
        bits = 8 * size
        value = self.r.typed(f"load i{bits}, ptr {self._place(places, _DATA, at)}, align 1")
        return value if bits == 64 else self.r.typed(f"zext i{bits} {value} to i64")

    def _keep(self, at: str, size: int) -> None:
        """What was there before all cores is not forgotten, when the first of them is looked at."""
        r = self.r
        with r.when(r.compare("eq", r.get(self.kept), 0)):
            r.set(self.before, self._number("%whole", at, size))
            r.set(self.kept, 1)

    def _sum(self, part: str, adds: str, at: str) -> None:
        """What another core added is added, once for all its bytes."""
        r = self.r
        for size, kind in _UNITS:
            with r.when(self._begins(adds, at, size, kind)):
                self._keep(at, size)
                more = r.do("sub", self._number(part, at, size), r.get(self.before))
                sum_ = r.do("add", self._number("%whole", at, size), more)
                bits = 8 * size
                value = sum_ if bits == 64 else r.typed(f"trunc i64 {sum_} to i{bits}")
                r.line(f"store i{bits} {value}, ptr {self._place('%whole', _DATA, at)}, align 1")
                r.set(self.done, r.do("add", at, size))
        with r.when(r.compare("uge", at, r.get(self.done))):  # not all of them were added to
            self._add_conflict(ACROSS | UNORDERED | MET)


_UNITS = (4, ADDS4), (8, ADDS8)


def _signed(flags: int) -> int:
    """A word as LLVM IR writes it."""
    return flags - (1 << 64) if flags >> 63 else flags
