"""The text of a function that runs lanes of a wave, and of the driver that runs it for a mask.

A wave's words lie word by word: the first word of all lanes, the second of all, and so on, ``stride`` apart.
So what is done for all lanes is done for several at once where :mod:`.lane_vectors` has code for it.
"""

from __future__ import annotations

from ..machine.program import Program
from ..memory.packed import ObjectTable
from ..threads.state import Code
from .emit import ControlWords, FunctionEmitter
from .engine import headers_of

FAILED, APART, TOGETHER = 0, 1, 2
"""What code for all lanes at once gives: nothing was done, as a guard failed; lanes may be at several places;
all of them are at one place, the number of which is this less ``TOGETHER``."""
LEAST = 4
"""Fewer lanes run one after the other."""


def stride_of(size: int) -> int:
    """How far apart the words of a lane lie, in a wave of so many lanes."""
    return max(8, 1 << (size - 1).bit_length())


class LaneEmitter(FunctionEmitter):
    """A function that stops behind each piece. ``cuts`` are instructions that are handed back: whoever runs
    lanes has something to do there. ``place_at`` is the word that says where a lane is."""

    def __init__(
        self, program: Program, reference: Code, table: ObjectTable, cuts: frozenset[int], stride: int
    ) -> None:
        super().__init__(program, reference, "run", table)
        self.stride = stride
        self.place_at = max(1, self.registers.words + len(headers_of(reference)))
        self._cuts = cuts
        self._reads = self._writes = False

    def begin_segment(self) -> None:
        self._reads = self._writes = False

    def hands_back(self, index: int) -> bool:
        return index in self._cuts

    def parted(self) -> bool:
        """Whether what was emitted now belongs to a piece of its own: it accesses memory, as does what is
        before it, and one of them writes."""
        assert self.memory is not None or not self.accesses
        reads, writes = bool(self.accesses), any(self.accesses)
        parted = (writes and self._reads) or (reads and self._writes)
        self._reads, self._writes = (
            (reads, writes) if parted else (reads or self._reads, writes or self._writes)
        )
        return parted


def lane_driver(stride: int) -> str:
    """Code that runs each lane of a mask from a place on, if all of them are there, else gives 0: a lane's
    words, which lie ``stride`` apart, hold at ``%at`` the place where it is. Gives how many answers there
    are; ``%answers`` has each, and its lanes, the answer of the lowest lane first. Where ``%vectors`` has
    code for the place, that runs all lanes at once, unless they are few or it gives 0.
    """
    vector = f"<{stride} x i64>"
    all_lanes = f"i{stride}"
    wide = f"zext {all_lanes} %{{0}} to i64" if stride < 64 else "or i64 %{0}, 0"
    return f"""
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)

define i64 @lanes(ptr %words, i64 %mask, ptr %control, ptr %env, i64 %first, ptr %answers, i64 %place,
                  i64 %at, ptr %vectors) {{
entry:
  %place.at = getelementptr inbounds i64, ptr %control, i64 {ControlWords.PLACE}
  %left.at = getelementptr inbounds i64, ptr %control, i64 {ControlWords.LEFT}
  %where = getelementptr inbounds i64, ptr %words, i64 %at
  %place.one = insertelement {vector} poison, i64 %place, i64 0
  %place.all = shufflevector {vector} %place.one, {vector} poison, <{stride} x i32> zeroinitializer
  %are = load {vector}, ptr %where, align 8
  %differ = icmp ne {vector} %are, %place.all
  %differ.bits = bitcast <{stride} x i1> %differ to {all_lanes}
  %differ.mask = {wide.format("differ.bits")}
  %away = and i64 %differ.mask, %mask
  %there = icmp eq i64 %away, 0
  %some = icmp ne i64 %mask, 0
  %goes = and i1 %there, %some
  br i1 %goes, label %look, label %elsewhere
elsewhere:
  ret i64 0
look:
  %many = call i64 @llvm.ctpop.i64(i64 %mask)
  %enough = icmp uge i64 %many, {LEAST}
  br i1 %enough, label %vector, label %going
vector:
  %vector.at = getelementptr inbounds ptr, ptr %vectors, i64 %place
  %vector.code = load ptr, ptr %vector.at
  %none = icmp eq ptr %vector.code, null
  br i1 %none, label %going, label %together
together:
  %done = call i64 %vector.code(ptr %words, i64 %mask)
  %failed = icmp eq i64 %done, {FAILED}
  br i1 %failed, label %going, label %ran.together
ran.together:
  %together.at = getelementptr inbounds i64, ptr %control, i64 {ControlWords.TOGETHER}
  %together.before = load i64, ptr %together.at
  %together.more = add i64 %together.before, 1
  store i64 %together.more, ptr %together.at
  %apart = icmp eq i64 %done, {APART}
  br i1 %apart, label %gather, label %joined.all
joined.all:
  %one.place = sub i64 %done, {TOGETHER}
  store i64 %one.place, ptr %answers
  %one.lanes = getelementptr inbounds i64, ptr %answers, i64 1
  store i64 %mask, ptr %one.lanes
  ret i64 1
gather:
  ; the lanes at each place, that of the lowest lane first
  %now.all = load {vector}, ptr %where, align 8
  br label %next
next:
  %rest = phi i64 [ %mask, %gather ], [ %rest.next, %next ]
  %n = phi i64 [ 0, %gather ], [ %n.next, %next ]
  %lowest = call i64 @llvm.cttz.i64(i64 %rest, i1 true)
  %lowest.at = getelementptr inbounds i64, ptr %where, i64 %lowest
  %n.place = load i64, ptr %lowest.at
  %n.one = insertelement {vector} poison, i64 %n.place, i64 0
  %n.all = shufflevector {vector} %n.one, {vector} poison, <{stride} x i32> zeroinitializer
  %same = icmp eq {vector} %now.all, %n.all
  %same.bits = bitcast <{stride} x i1> %same to {all_lanes}
  %same.mask = {wide.format("same.bits")}
  %n.mask = and i64 %same.mask, %rest
  %n.twice = shl i64 %n, 1
  %n.answer = getelementptr inbounds i64, ptr %answers, i64 %n.twice
  store i64 %n.place, ptr %n.answer
  %n.lanes = getelementptr inbounds i64, ptr %n.answer, i64 1
  store i64 %n.mask, ptr %n.lanes
  %n.next = add i64 %n, 1
  %rest.next = xor i64 %rest, %n.mask
  %next.none = icmp eq i64 %rest.next, 0
  br i1 %next.none, label %gathered, label %next
gathered:
  ret i64 %n.next
going:
  %left = phi i64 [ %mask, %look ], [ %mask, %vector ], [ %mask, %together ], [ %left.next, %gone ]
  %count = phi i64 [ 0, %look ], [ 0, %vector ], [ 0, %together ], [ %count.next, %gone ]
  %lane = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %own = getelementptr inbounds i64, ptr %words, i64 %lane
  store i64 %place, ptr %place.at
  store i64 0, ptr %left.at
  %thread = add i64 %first, %lane
  %answer = call i64 @run(ptr %own, ptr %control, ptr %env, i64 %thread)
  %now = and i64 %answer, 4294967295
  %now.at = getelementptr inbounds i64, ptr %where, i64 %lane
  store i64 %now, ptr %now.at
  %bit = shl i64 1, %lane
  br label %search
search:
  %j = phi i64 [ 0, %going ], [ %j.next, %other ]
  %twice = shl i64 %j, 1
  %answer.at = getelementptr inbounds i64, ptr %answers, i64 %twice
  %mask.at = getelementptr inbounds i64, ptr %answer.at, i64 1
  %new = icmp eq i64 %j, %count
  br i1 %new, label %add, label %compare
compare:
  %known = load i64, ptr %answer.at
  %equal = icmp eq i64 %known, %answer
  br i1 %equal, label %join, label %other
other:
  %j.next = add i64 %j, 1
  br label %search
add:
  store i64 %answer, ptr %answer.at
  store i64 %bit, ptr %mask.at
  %more.count = add i64 %count, 1
  br label %gone
join:
  %joined = load i64, ptr %mask.at
  %wider = or i64 %joined, %bit
  store i64 %wider, ptr %mask.at
  br label %gone
gone:
  %count.next = phi i64 [ %more.count, %add ], [ %count, %join ]
  %left.next = xor i64 %left, %bit
  %over = icmp eq i64 %left.next, 0
  br i1 %over, label %ran, label %going
ran:
  ret i64 %count.next
}}
"""
