"""Turns of a wave natively: what a policy picks runs, lane after lane, and the policy's trees say what then.

The trees are :mod:`convergence.sched.lockstep.rounds`'s: words that say what becomes of masks. Here is the
code that walks them, the same for all policies and functions. Each piece that lanes ran is noted in a record:
from which place, with which mask, and where lanes are then. What is issued is told by these.
"""

from __future__ import annotations

import ctypes
from array import array
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..turn_words import (
    LIMIT,
    PASSED,
    RECORD,
    STEP,
    TARGETS,
    Hold,
    MaskCode,
    Met,
    Pause,
    Phase,
    PlaceWord,
    QueueRegister,
    RoundWord,
    RowState,
    RowWord,
    TurnWord,
)
from .emit import Handback
from .jit import Routine, machine_code

if TYPE_CHECKING:
    from ..operations import ThreadPlace
    from ..threads import Segment
    from ..values import RuntimeValue
    from .lanes import LaneCode
    from .meetings import LaneExchange


class BarrierTable:
    """By wave how often it came to each barrier of the workgroup (the least of its lanes that are alive),
    which lanes are alive, and how it is *apart* from others: whether it ``WAITS`` at one by the executor,
    and whether its lanes are ``UNEVEN``, as some came to one more often."""

    WAITS, UNEVEN = 1, 2

    def __init__(self, waves: int) -> None:
        from .meetings import MOST_BARRIERS

        self.arrived = array("q", bytes(8 * waves * MOST_BARRIERS))
        self.alive, self.apart = array("q", bytes(8 * waves)), array("q", bytes(8 * waves))
        self.addresses = [words.buffer_info()[0] for words in (self.arrived, self.alive, self.apart)]


def _word(name: TurnWord) -> str:
    return f"%w.{name.name.lower()}"


def _words() -> str:
    return "\n".join(
        f"  {_word(word)} = getelementptr inbounds i64, ptr %turns, i64 {int(word)}"
        for word in TurnWord
        if word is not TurnWord.WORDS
    )


def _of_place(result: str, place: str, word: PlaceWord) -> str:
    """Loads a word of a place."""
    return f"""  {result}.n = mul i64 {place}, {int(PlaceWord.WORDS)}
  {result}.m = add i64 {result}.n, {int(word)}
  {result}.p = getelementptr inbounds i64, ptr %places, i64 {result}.m
  {result} = load i64, ptr {result}.p"""


def _add(name: TurnWord, value: str, tag: str) -> str:
    """Adds to a count."""
    low = name.name.lower()
    return f"""  %{low}.{tag} = load i64, ptr {_word(name)}
  %{low}.{tag}.sum = add i64 %{low}.{tag}, {value}
  store i64 %{low}.{tag}.sum, ptr {_word(name)}"""


def _register(result: str, number: str) -> str:
    return f"""  {result}.p = getelementptr inbounds i64, ptr %registers, i64 {number}
  {result} = load i64, ptr {result}.p"""


def _pool(result: str, at: str, offset: int = 0) -> str:
    return f"""  {result}.n = add i64 {at}, {offset}
  {result}.p = getelementptr inbounds i64, ptr %pool, i64 {result}.n
  {result} = load i64, ptr {result}.p"""


def _pause(why: Pause, phase: Phase) -> str:
    return f"  store i64 {int(phase)}, ptr %w.phase\n  ret i64 {int(why)}"


W = TurnWord
P = PlaceWord


def _meet() -> str:
    """``i64 @meet(...)``: what becomes of lanes that are where lanes meet (:class:`Met`).

    They are one group of the definition if all lanes of their launch group that are alive are there, with
    equal keys, and so it was at each exchange before: who is alive has never been anywhere without the
    others, and nobody is alive who could come with that key elsewhere. So nothing has to be recorded to see
    that the machine conforms (``LockstepMachine.groups_are_keys``).
    """
    from .meetings import MOST_BARRIERS, ExchangeWord
    from .scheduler import PartTable

    r = Routine(
        "define internal i64 @meet(ptr %turns, ptr %places, ptr %words, ptr %env, i64 %first, ptr %log, "
        "i64 %at, i64 %place, i64 %mask)"
    )

    def of_place(word: PlaceWord) -> str:
        return r.at("%places", r.do("add", r.do("mul", "%place", int(PlaceWord.WORDS)), int(word)))

    def word(name: TurnWord) -> str:
        return r.at("%turns", int(name))

    full = r.compare("eq", r.get(word(TurnWord.FULL)), "%mask")
    keys = r.typed(f"call i64 {r.pointer(of_place(PlaceWord.ALIKE))}(ptr %words, i64 %mask)")
    there = r.compare("ne", r.do("and", keys, 1), 0)
    alike = r.compare("ne", r.do("and", keys, 2), 0)
    one_group = r.both(full, alike)
    holds = r.compare("ne", r.get(of_place(PlaceWord.HOLDS)), 0)
    held = word(TurnWord.HELD)
    goes = r.both(there, r.typed(f"or i1 {one_group}, {r.typed(f'xor i1 {holds}, true')}"))
    with r.when(r.typed(f"xor i1 {goes}, true")):
        r.give(Met.ELSEWHERE)
    with r.when(r.both(holds, r.compare("ne", r.get(held), Hold.PASSING))):
        r.set(held, Hold.HELD)
        r.give(Met.HELD)
    exchange = r.get(of_place(PlaceWord.EXCHANGE))
    with r.when(r.compare("eq", exchange, 0)):
        r.give(Met.RUNS)
    number = r.do("sub", exchange, 1)
    row = r.at(r.pointer(word(TurnWord.EXCHANGES)), r.do("mul", number, ExchangeWord.WORDS))
    code = r.variable("code")
    r.set(code, 0)
    asked = r.compare("eq", r.get(word(TurnWord.ANSWERED)), 0)
    with r.when(r.both(asked, r.compare("eq", r.read(row, ExchangeWord.VOID), 0))):
        table = r.pointer(word(TurnWord.PARTS))
        PartTable.look(r, table, number, "%mask", lambda there: r.line(f"store ptr {there}, ptr {code}"))
        with r.when(r.compare("eq", r.get(code), 0)):
            r.give(Met.ASKS)
    gives = r.variable("gives")
    r.set(gives, 0)
    by_place = r.read(row, ExchangeWord.GIVES)
    with r.when(r.compare("ne", by_place, 0)):
        table = r.get(word(TurnWord.GIVES))
        with r.when(r.compare("eq", table, 0)):
            r.give(Met.ELSEWHERE)
        r.set(gives, r.do("add", table, r.do("shl", r.do("sub", by_place, 1), 3)))
    barrier = r.read(row, ExchangeWord.BARRIER)
    together = r.compare("ne", r.do("or", barrier, r.read(row, ExchangeWord.WHOLE)), 0)
    with r.when(r.both(together, r.typed(f"xor i1 {one_group}, true"))):
        r.give(Met.ELSEWHERE)
    with r.when(r.compare("ne", barrier, 0)):
        apart, own = r.pointer(word(TurnWord.APART)), r.get(word(TurnWord.OWN))
        with r.when(r.compare("ne", r.do("and", r.read(apart, own), BarrierTable.UNEVEN), 0)):
            r.give(Met.ELSEWHERE)
        with (
            r.each(r.get(word(TurnWord.FROM)), r.get(word(TurnWord.TO))) as wave,
            r.when(r.compare("ne", r.do("and", r.read(apart, wave), BarrierTable.WAITS), 0)),
        ):
            r.give(Met.ELSEWHERE)
    at = r.get(word(TurnWord.LOG))
    record = r.at("%log", at)
    keeps = r.compare("ne", r.get(word(TurnWord.KEEPS)), 0)
    headers, all_words = r.read(row, ExchangeWord.HEADERS), r.read(row, ExchangeWord.COUNT)
    listed = r.choose(keeps, all_words, headers)
    driver, after = r.pointer(word(TurnWord.DRIVER)), r.read(row, ExchangeWord.AFTER)
    to = r.choose(r.compare("ne", by_place, 0), r.read(row, ExchangeWord.LISTED), headers)
    noted_words = r.typed(
        f"call i64 {driver}(ptr %words, i64 %mask, ptr %env, i64 %first, ptr {r.pointer(code)}, i64 %at, "
        f"i64 {after}, ptr {r.at(row, ExchangeWord.LIST)}, i64 {listed}, ptr {r.at(record, 3)}, "
        f"ptr {r.pointer(gives)}, i64 {headers}, i64 {to})"
    )
    with r.when(r.compare("eq", noted_words, -1)):
        r.give(Met.ELSEWHERE)
    r.set(held, Hold.NONE)
    r.set(word(TurnWord.ANSWERED), 0)
    r.set(record, r.do("or", "%place", r.do("shl", r.get(word(TurnWord.WAVE)), 40)))
    r.write(record, 1, "%mask")
    r.write(record, 2, noted_words)
    size = r.do("and", noted_words, (1 << 32) - 1)
    r.set(word(TurnWord.LOG), r.do("add", r.do("add", at, 3), size))
    lanes = r.typed("call i64 @llvm.ctpop.i64(i64 %mask)")
    for count in TurnWord.SLOTS, TurnWord.TICKS, TurnWord.PIECES:
        r.add(word(count), 1)
    for count in TurnWord.EXECUTED, TurnWord.INSTRUCTIONS:
        r.add(word(count), lanes)
    results = r.choose(r.compare("ne", r.read(row, ExchangeWord.RESULTS), 0), lanes, 0)
    r.add(word(TurnWord.EVENTS), r.do("add", lanes, results))
    ran = word(TurnWord.RAN)
    r.set(ran, r.do("or", r.get(ran), "%mask"))
    with r.when(r.typed(f"xor i1 {one_group}, true")):
        r.set(word(TurnWord.PARTED), 1)
    r.set(word(TurnWord.PLACE), after)
    observed = r.compare("ne", r.read(row, ExchangeWord.OBSERVED), 0)
    with r.when(r.compare("ne", barrier, 0)):
        r.set(word(TurnWord.AT), "%place")
        arrived = r.do("mul", r.get(word(TurnWord.OWN)), MOST_BARRIERS)
        r.add(r.at(r.pointer(word(TurnWord.ARRIVED)), r.do("sub", r.do("add", arrived, barrier), 1)), 1)
        waits = r.typed("call i64 @waits(ptr %turns, ptr %places, ptr %log)")
        with r.when(r.compare("ne", waits, 0)):
            r.set(held, Hold.BARRIER)
            r.give(Met.HELD)
        r.give(Met.EXCHANGED)
    with r.when(observed):
        r.set(word(TurnWord.OBSERVED), 1)
        r.add(word(TurnWord.EVENTS), lanes)
    r.give(Met.EXCHANGED)
    return r.text()


def _waits() -> str:
    """``i64 @waits(ptr turns, ptr places, ptr log)``: whether a wave at a barrier still waits for others of
    its workgroup: for one with lanes that are alive that has come to it fewer times. If not, it is noted that
    its lanes go on."""
    from .meetings import MOST_BARRIERS, ExchangeWord

    r = Routine("define internal i64 @waits(ptr %turns, ptr %places, ptr %log)")

    def word(name: TurnWord) -> str:
        return r.at("%turns", int(name))

    place = r.get(word(TurnWord.AT))
    number = r.read("%places", r.do("add", r.do("mul", place, int(PlaceWord.WORDS)), int(PlaceWord.EXCHANGE)))
    of = r.do("mul", r.do("sub", number, 1), ExchangeWord.WORDS)
    row = r.at(r.pointer(word(TurnWord.EXCHANGES)), of)
    barrier = r.do("sub", r.read(row, ExchangeWord.BARRIER), 1)
    arrived, alive = r.pointer(word(TurnWord.ARRIVED)), r.pointer(word(TurnWord.ALIVE))

    def times(wave: str) -> str:
        return r.read(arrived, r.do("add", r.do("mul", wave, MOST_BARRIERS), barrier))

    mine = times(r.get(word(TurnWord.OWN)))
    with r.each(r.get(word(TurnWord.FROM)), r.get(word(TurnWord.TO))) as wave:
        late = r.compare("slt", times(wave), mine)
        with r.when(r.both(late, r.compare("ne", r.read(alive, wave), 0))):
            r.give(1)
    at, mask = r.get(word(TurnWord.LOG)), r.get(word(TurnWord.MASK))
    record = r.at("%log", at)
    r.set(record, r.do("or", place, r.do("shl", r.get(word(TurnWord.WAVE)), 40)))
    r.write(record, 1, mask)
    r.write(record, 2, PASSED)
    r.set(word(TurnWord.LOG), r.do("add", at, 3))
    with r.when(r.compare("ne", r.read(row, ExchangeWord.OBSERVED), 0)):
        r.set(word(TurnWord.OBSERVED), 1)
        r.add(word(TurnWord.EVENTS), r.typed(f"call i64 @llvm.ctpop.i64(i64 {mask})"))
    r.set(word(TurnWord.HELD), Hold.NONE)
    r.set(word(TurnWord.RAN), r.do("or", r.get(word(TurnWord.RAN)), mask))
    r.give(0)
    return r.text()


WATCHED = f"""
define internal i1 @watched(ptr %turns, i64 %at) {{
entry:
{_words()}
  %watched = load i64, ptr %w.watched
  %nobody = icmp eq i64 %watched, 0
  br i1 %nobody, label %other, label %place
place:
  %words = inttoptr i64 %watched to ptr
  %now.at = getelementptr inbounds i64, ptr %words, i64 %at
  %now = load i64, ptr %now.at
  %then = load i64, ptr %w.watched_place
  %there = icmp eq i64 %now, %then
  br i1 %there, label %compare, label %other
compare:
  %offsets.word = load i64, ptr %w.offsets
  %offsets = inttoptr i64 %offsets.word to ptr
  %kept.word = load i64, ptr %w.kept
  %kept = inttoptr i64 %kept.word to ptr
  %live = load i64, ptr %w.live
  br label %more
more:
  %k = phi i64 [ 0, %compare ], [ %k.next, %same ]
  %left = icmp ult i64 %k, %live
  br i1 %left, label %one, label %it.is
one:
  %k.offset.p = getelementptr inbounds i64, ptr %offsets, i64 %k
  %k.offset = load i64, ptr %k.offset.p
  %k.word.p = getelementptr inbounds i64, ptr %words, i64 %k.offset
  %k.word = load i64, ptr %k.word.p
  %k.kept.p = getelementptr inbounds i64, ptr %kept, i64 %k
  %k.kept = load i64, ptr %k.kept.p
  %k.same = icmp eq i64 %k.word, %k.kept
  br i1 %k.same, label %same, label %other
same:
  %k.next = add i64 %k, 1
  br label %more
it.is:
  ret i1 true
other:
  ret i1 false
}}
"""
"""Whether the lane that is watched holds what it held."""


@cache
def _turns() -> str:
    """Runs turns until somebody is wanted: why is what it gives. ``%code`` runs lanes
    (:func:`.lanes.lane_driver`), ``%at`` is the word of a lane's place."""
    return f"""
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)
{WATCHED}
{_waits()}
{_meet()}

define i64 @turns(ptr %code, ptr %turns, ptr %pool, ptr %hits, ptr %registers, ptr %places, ptr %log,
                  ptr %lane.words, ptr %control, ptr %env, i64 %first, ptr %answers, i64 %at, ptr %vectors) {{
entry:
{_words()}
  %phase = load i64, ptr %w.phase
  switch i64 %phase, label %run [ i64 {Phase.PICK:d}, label %pick
                                  i64 {Phase.AFTER:d}, label %sort ]

pick:
  %held = load i64, ptr %w.held
  switch i64 %held, label %picks.one [ i64 {Hold.HELD:d}, label %let.go
                                       i64 {Hold.PASSING:d}, label %run
                                       i64 {Hold.BARRIER:d}, label %at.barrier ]
at.barrier:
  %barrier.room = load i64, ptr %w.room
  %barrier.log = load i64, ptr %w.log
  %barrier.most = add i64 %barrier.log, {RECORD}
  %barrier.full = icmp ugt i64 %barrier.most, %barrier.room
  br i1 %barrier.full, label %barrier.no.room, label %barrier.look
barrier.no.room:
{_pause(Pause.ROOM, Phase.PICK)}
barrier.look:
  %waits = call i64 @waits(ptr %turns, ptr %places, ptr %log)
  %passes = icmp eq i64 %waits, 0
  br i1 %passes, label %run, label %stays
stays:
{_pause(Pause.WAITS, Phase.PICK)}
let.go:
  store i64 {Hold.PASSING:d}, ptr %w.held
  br label %turned
picks.one:
  %pick.node = load i64, ptr %w.node
{_pool("%pick.tree", "%pick.node")}
  br label %walk

run:
  %mask = load i64, ptr %w.mask
  %place = load i64, ptr %w.place
  %room = load i64, ptr %w.room
  %log.at = load i64, ptr %w.log
  %log.most = add i64 %log.at, {RECORD}
  %full = icmp ugt i64 %log.most, %room
  br i1 %full, label %no.room, label %roomy
no.room:
{_pause(Pause.ROOM, Phase.RUN)}
roomy:
  %known = load i64, ptr %w.known
  %unknown = xor i64 %known, -1
  %strange = and i64 %mask, %unknown
  %familiar = icmp eq i64 %strange, 0
  br i1 %familiar, label %look.ahead, label %elsewhere
look.ahead:
{_of_place("%alike", "%place", P.ALIKE)}
  %meets = icmp ne i64 %alike, 0
  br i1 %meets, label %meet, label %plain
meet:
  %met = call i64 @meet(ptr %turns, ptr %places, ptr %lane.words, ptr %env, i64 %first, ptr %log, i64 %at,
                        i64 %place, i64 %mask)
  switch i64 %met, label %plain [ i64 {Met.EXCHANGED:d}, label %run
                                  i64 {Met.HELD:d}, label %turned
                                  i64 {Met.ELSEWHERE:d}, label %elsewhere
                                  i64 {Met.ASKS:d}, label %asks ]
asks:
{_pause(Pause.EXCHANGE, Phase.RUN)}
plain:
{_of_place("%entered", "%place", P.ENTRY)}
  %native = icmp ne i64 %entered, 0
  br i1 %native, label %lanes, label %elsewhere
elsewhere:
{_pause(Pause.ELSEWHERE, Phase.RUN)}
lanes:
  %count = call i64 %code(ptr %lane.words, i64 %mask, ptr %control, ptr %env, i64 %first, ptr %answers,
                           i64 %place, i64 %at, ptr %vectors)
  store i64 %count, ptr %w.count
  %none = icmp eq i64 %count, 0
  br i1 %none, label %elsewhere, label %ran
ran:
{_add(W.PIECES, "1", "ran")}
  %ran.before = load i64, ptr %w.ran
  %ran.now = or i64 %ran.before, %mask
  store i64 %ran.now, ptr %w.ran
{_of_place("%segment", "%place", P.SEGMENT)}
{_of_place("%shown.here", "%place", P.SHOWN)}
{_of_place("%count.here", "%place", P.COUNT)}
{_of_place("%controls.here", "%place", P.CONTROLS)}
  %lanes.on = call i64 @llvm.ctpop.i64(i64 %mask)
  %alone = icmp eq i64 %count, 1
  br i1 %alone, label %one, label %several

one:
  %answer = load i64, ptr %answers
  %answer.why = lshr i64 %answer, {Handback.SHIFT}
  %answer.plain = icmp eq i64 %answer.why, 0
  br i1 %answer.plain, label %one.plain, label %answered
one.plain:
{_of_place("%to.segment", "%answer", P.SEGMENT)}
{_of_place("%to.step", "%answer", P.STEP)}
{_of_place("%to.block", "%answer", P.BLOCK)}
  %inside = icmp eq i64 %to.segment, %segment
  %further = icmp ne i64 %to.step, 0
  %on = and i1 %inside, %further
  br i1 %on, label %go.on, label %one.over
go.on:
{_of_place("%to.shown", "%answer", P.SHOWN)}
{_of_place("%to.count", "%answer", P.COUNT)}
{_of_place("%to.controls", "%answer", P.CONTROLS)}
  %on.shown = sub i64 %to.shown, %shown.here
  %on.count = sub i64 %to.count, %count.here
  br label %note
one.over:
  br i1 %further, label %answered, label %over

several:
  %s = phi i64 [ 0, %ran ], [ %s.next, %s.good ]
  %s.2 = shl i64 %s, 1
  %s.at = getelementptr inbounds i64, ptr %answers, i64 %s.2
  %s.answer = load i64, ptr %s.at
  %s.why = lshr i64 %s.answer, {Handback.SHIFT}
  %s.plain = icmp eq i64 %s.why, 0
  br i1 %s.plain, label %s.look, label %answered
s.look:
{_of_place("%s.block", "%s.answer", P.BLOCK)}
  %s.begins = icmp sge i64 %s.block, 0
  br i1 %s.begins, label %s.good, label %answered
s.good:
  %s.next = add i64 %s, 1
  %s.more = icmp ult i64 %s.next, %count
  br i1 %s.more, label %several, label %over

answered:
{_pause(Pause.ANSWERED, Phase.RUN)}

over:
{_of_place("%all.shown", "%place", P.ALL_SHOWN)}
{_of_place("%all.count", "%place", P.ALL)}
{_of_place("%all.ticks", "%place", P.ALL_TICKS)}
{_of_place("%all.controls", "%place", P.ALL_CONTROLS)}
  %over.shown = sub i64 %all.shown, %shown.here
  %over.count = sub i64 %all.count, %count.here
  %over.ticks = sub i64 %all.ticks, %count.here
  br label %note

note:
  %stays.inside = phi i1 [ true, %go.on ], [ false, %over ]
  %shown = phi i64 [ %on.shown, %go.on ], [ %over.shown, %over ]
  %counted = phi i64 [ %on.count, %go.on ], [ %over.count, %over ]
  %ticked = phi i64 [ %on.count, %go.on ], [ %over.ticks, %over ]
  %controls.there = phi i64 [ %to.controls, %go.on ], [ %all.controls, %over ]
  store i64 {Hold.NONE:d}, ptr %w.held
  %controls = sub i64 %controls.there, %controls.here
  %controls.lanes = mul i64 %controls, %lanes.on
{_add(W.EVENTS, "%controls.lanes", "note")}
{_add(W.SLOTS, "%shown", "note")}
{_add(W.TICKS, "%ticked", "note")}
  %shown.lanes = mul i64 %shown, %lanes.on
  %counted.lanes = mul i64 %counted, %lanes.on
{_add(W.EXECUTED, "%shown.lanes", "note")}
{_add(W.INSTRUCTIONS, "%counted.lanes", "note")}
  %head.count = shl i64 %count, 32
  %head.place = or i64 %head.count, %place
  %head.number = load i64, ptr %w.wave
  %head.wave = shl i64 %head.number, 40
  %head = or i64 %head.place, %head.wave
  %log.head = getelementptr inbounds i64, ptr %log, i64 %log.at
  store i64 %head, ptr %log.head
  %log.mask = getelementptr inbounds i64, ptr %log.head, i64 1
  store i64 %mask, ptr %log.mask
  %log.answers = getelementptr inbounds i64, ptr %log.head, i64 2
  %words = shl i64 %count, 1
  br label %copy
copy:
  %c = phi i64 [ 0, %note ], [ %c.next, %copy ]
  %c.from = getelementptr inbounds i64, ptr %answers, i64 %c
  %c.word = load i64, ptr %c.from
  %c.to = getelementptr inbounds i64, ptr %log.answers, i64 %c
  store i64 %c.word, ptr %c.to
  %c.next = add i64 %c, 1
  %c.more = icmp ult i64 %c.next, %words
  br i1 %c.more, label %copy, label %noted
noted:
  %log.words = add i64 %words, 2
  %log.next = add i64 %log.at, %log.words
  store i64 %log.next, ptr %w.log
  br i1 %stays.inside, label %stay, label %leaves
leaves:
  %first.answer = load i64, ptr %answers
{_of_place("%block", "%first.answer", P.BLOCK)}
  %begins = icmp sge i64 %block, 0
  br i1 %begins, label %visits, label %stay
stay:
  %stay.place = load i64, ptr %answers
  store i64 %stay.place, ptr %w.place
  br label %run
visits:
{_add(W.VISITS, "%count", "visits")}
  br label %sort

sort:
  ; the lanes of each successor, in the order of the text
  %node = load i64, ptr %w.node
{_pool("%successors", "%node")}
  %sort.count = load i64, ptr %w.count
  %queues = icmp eq i64 %successors, 0
  br i1 %queues, label %join, label %successors.all
join:
  ; a lane that ran alone joins the queue again, at its end
  %join.answer = load i64, ptr %answers
{_of_place("%join.block", "%join.answer", P.BLOCK)}
  %join.mask = load i64, ptr %w.mask
  %join.lane = call i64 @llvm.cttz.i64(i64 %join.mask, i1 true)
  %join.high = shl i64 %join.block, {QueueRegister.SHIFT:d}
  %join.word = or i64 %join.high, %join.lane
{_register("%join.head", f"{QueueRegister.HEAD:d}")}
{_register("%join.count", f"{QueueRegister.COUNT:d}")}
  %join.far = add i64 %join.head, %join.count
  %join.slot = and i64 %join.far, {QueueRegister.LANES - 1}
  %join.register = add i64 %join.slot, {QueueRegister.RING:d}
  %join.p = getelementptr inbounds i64, ptr %registers, i64 %join.register
  store i64 %join.word, ptr %join.p
  %join.more = add i64 %join.count, 1
  store i64 %join.more, ptr %join.count.p
{_pool("%join.ready", "%node", 1)}
  store i64 %join.ready, ptr %w.node
  br label %turned
successors.all:
  br label %successor
successor:
  %n = phi i64 [ 0, %successors.all ], [ %n.next, %n.set ]
  %bits = phi i64 [ 0, %successors.all ], [ %bits.next, %n.set ]
  %n.node = add i64 %node, %n
{_pool("%n.block", "%n.node", 2)}
  br label %search
search:
  %j = phi i64 [ 0, %successor ], [ %j.next, %other ]
  %j.2 = shl i64 %j, 1
  %j.at = getelementptr inbounds i64, ptr %answers, i64 %j.2
  %j.answer = load i64, ptr %j.at
{_of_place("%j.block", "%j.answer", P.BLOCK)}
  %j.same = icmp eq i64 %j.block, %n.block
  br i1 %j.same, label %goes.there, label %other
other:
  %j.next = add i64 %j, 1
  %j.more = icmp ult i64 %j.next, %sort.count
  br i1 %j.more, label %search, label %nobody
goes.there:
  %j.mask.at = getelementptr inbounds i64, ptr %j.at, i64 1
  %j.mask = load i64, ptr %j.mask.at
  %bit = shl i64 1, %n
  br label %n.set
nobody:
  br label %n.set
n.set:
  %n.mask = phi i64 [ %j.mask, %goes.there ], [ 0, %nobody ]
  %n.bit = phi i64 [ %bit, %goes.there ], [ 0, %nobody ]
  %bits.next = or i64 %bits, %n.bit
  %n.register = add i64 %n, {TARGETS}
  %n.register.p = getelementptr inbounds i64, ptr %registers, i64 %n.register
  store i64 %n.mask, ptr %n.register.p
  %n.next = add i64 %n, 1
  %n.more = icmp ult i64 %n.next, %successors
  br i1 %n.more, label %successor, label %edges
edges:
{_pool("%edge.first", "%node", 1)}
  br label %edge
edge:
  %e = phi i64 [ %edge.first, %edges ], [ %e.next, %edge.next ]
  %e.none = icmp eq i64 %e, 0
  br i1 %e.none, label %unknown.after, label %edge.look
edge.look:
{_pool("%e.bits", "%e", 1)}
  %e.same = icmp eq i64 %e.bits, %bits.next
  br i1 %e.same, label %edge.taken, label %edge.next
edge.next:
{_pool("%e.next", "%e", 2)}
  br label %edge
edge.taken:
{_pool("%edge.tree", "%e")}
  br label %walk
unknown.after:
{_pause(Pause.AFTER, Phase.AFTER)}

walk:
  %begin = phi i64 [ %pick.tree, %picks.one ], [ %edge.tree, %edge.taken ]
  %picks = phi i1 [ true, %picks.one ], [ false, %edge.taken ]
  br label %step
step:
  %x = phi i64 [ %begin, %walk ], [ %x.next, %do ], [ %x.ask, %asked ]
  %x.none = icmp eq i64 %x, 0
  br i1 %x.none, label %unsaid, label %step.look
unsaid:
  br i1 %picks, label %unknown.pick, label %unknown.after
unknown.pick:
{_pause(Pause.PICK, Phase.PICK)}
step.look:
{_pool("%x.code", "%x")}
{_pool("%x.1", "%x", 1)}
{_pool("%x.2", "%x", 2)}
{_pool("%x.3", "%x", 3)}
  %x.leaf = icmp ule i64 %x.code, {MaskCode.READY:d}
  br i1 %x.leaf, label %leaf, label %step.operands
step.operands:
  %x.leaves = icmp uge i64 %x.code, {MaskCode.LEAVE:d}
  br i1 %x.leaves, label %step.ends, label %step.load
step.ends:
  %x.takes = icmp eq i64 %x.code, {MaskCode.TAKE:d}
  br i1 %x.takes, label %take, label %left
take:
{_register("%take.count", f"{QueueRegister.COUNT:d}")}
  %take.none = icmp eq i64 %take.count, 0
  br i1 %take.none, label %left, label %take.first
take.first:
{_register("%take.head", f"{QueueRegister.HEAD:d}")}
  %take.register = add i64 %take.head, {QueueRegister.RING:d}
{_register("%take.word", "%take.register")}
  %take.block = lshr i64 %take.word, {QueueRegister.SHIFT:d}
  %take.row = shl i64 %take.block, 1
  %take.at = add i64 %x.1, %take.row
{_pool("%take.node", "%take.at")}
{_pool("%take.place", "%take.at", 1)}
  %take.native = icmp sge i64 %take.place, 0
  br i1 %take.native, label %taken, label %left
taken:
  %taken.head = add i64 %take.head, 1
  %taken.slot = and i64 %taken.head, {QueueRegister.LANES - 1}
  store i64 %taken.slot, ptr %take.head.p
  %taken.count = sub i64 %take.count, 1
  store i64 %taken.count, ptr %take.count.p
  %taken.lane = and i64 %take.word, {(1 << QueueRegister.SHIFT) - 1}
  %taken.mask = shl i64 1, %taken.lane
  store i64 %take.node, ptr %w.node
  store i64 %taken.mask, ptr %w.mask
  store i64 %take.place, ptr %w.place
  br label %run
left:
{_pause(Pause.LEAVE, Phase.PICK)}
step.load:
  %x.constant = icmp eq i64 %x.code, {MaskCode.CONSTANT:d}
  br i1 %x.constant, label %constant, label %step.registers
constant:
  br label %do
step.registers:
{_register("%a", "%x.2")}
{_register("%b", "%x.3")}
  switch i64 %x.code, label %and [ i64 {MaskCode.OR:d}, label %or
                                   i64 {MaskCode.XOR:d}, label %xor
                                   i64 {MaskCode.NOT:d}, label %not
                                   i64 {MaskCode.ADD:d}, label %sum
                                   i64 {MaskCode.SOME:d}, label %some
                                   i64 {MaskCode.NONE:d}, label %no
                                   i64 {MaskCode.EQUAL:d}, label %equal
                                   i64 {MaskCode.DIFFERENT:d}, label %different ]
and:
  %v.and = and i64 %a, %b
  br label %do
or:
  %v.or = or i64 %a, %b
  br label %do
xor:
  %v.xor = xor i64 %a, %b
  br label %do
not:
  %v.not = xor i64 %a, -1
  br label %do
sum:
  %v.sum = add i64 %a, %b
  br label %do
do:
  %v = phi i64 [ %x.2, %constant ], [ %v.and, %and ], [ %v.or, %or ], [ %v.xor, %xor ], [ %v.not, %not ],
               [ %v.sum, %sum ]
  %do.p = getelementptr inbounds i64, ptr %registers, i64 %x.1
  store i64 %v, ptr %do.p
  %x.next = add i64 %x, {STEP}
  br label %step
some:
  %q.some = icmp ne i64 %a, 0
  br label %asked
no:
  %q.no = icmp eq i64 %a, 0
  br label %asked
equal:
  %q.equal = icmp eq i64 %a, %b
  br label %asked
different:
  %q.different = icmp ne i64 %a, %b
  br label %asked
asked:
  %q = phi i1 [ %q.some, %some ], [ %q.no, %no ], [ %q.equal, %equal ], [ %q.different, %different ]
  %x.straight = add i64 %x, {STEP}
  %x.ask = select i1 %q, i64 %x.straight, i64 %x.1
  br label %step

leaf:
  ; the masks of the next node, all at once
  store i64 %x.1, ptr %w.node
  %hit.p = getelementptr inbounds i64, ptr %hits, i64 %x.2
  %hit = load i64, ptr %hit.p
  %hit.more = add i64 %hit, 1
  store i64 %hit.more, ptr %hit.p
{_pool("%leaf.place", "%x", 4)}
{_pool("%leaf.register", "%x", 5)}
{_register("%leaf.mask", "%leaf.register")}
  %leaf.some = icmp ne i64 %x.3, 0
  br i1 %leaf.some, label %gather, label %moved
gather:
  %g = phi i64 [ 0, %leaf ], [ %g.next, %gather ]
  %g.at = add i64 %x, %g
{_pool("%g.register", "%g.at", 6)}
{_register("%g.mask", "%g.register")}
  %g.to = add i64 %g, {LIMIT}
  %g.to.p = getelementptr inbounds i64, ptr %registers, i64 %g.to
  store i64 %g.mask, ptr %g.to.p
  %g.next = add i64 %g, 1
  %g.more = icmp ult i64 %g.next, %x.3
  br i1 %g.more, label %gather, label %scatter
scatter:
  %h = phi i64 [ 0, %gather ], [ %h.next, %scatter ]
  %h.from = add i64 %h, {LIMIT}
{_register("%h.mask", "%h.from")}
  %h.to.p = getelementptr inbounds i64, ptr %registers, i64 %h
  store i64 %h.mask, ptr %h.to.p
  %h.next = add i64 %h, 1
  %h.more = icmp ult i64 %h.next, %x.3
  br i1 %h.more, label %scatter, label %moved
moved:
  br i1 %picks, label %runs, label %turned
runs:
  store i64 %leaf.mask, ptr %w.mask
  store i64 %leaf.place, ptr %w.place
  br label %run

turned:
{_add(W.TURNS, "1", "turned")}
  %executed = load i64, ptr %w.executed
  %most = load i64, ptr %w.most
  %exceeds = icmp ugt i64 %executed, %most
  br i1 %exceeds, label %look, label %turned.left
turned.left:
  %left.turns = load i64, ptr %w.left
  %left.less = sub i64 %left.turns, 1
  %last = icmp eq i64 %left.less, 0
  br i1 %last, label %look, label %watch
watch:
  store i64 %left.less, ptr %w.left
  %held.now = load i64, ptr %w.held
  %holds.now = icmp ne i64 %held.now, {Hold.NONE:d}
  br i1 %holds.now, label %pick, label %watch.lane
watch.lane:
  %somebody = call i1 @watched(ptr %turns, i64 %at)
  br i1 %somebody, label %look, label %pick
look:
{_pause(Pause.LOOK, Phase.PICK)}
}}
"""


_Turns = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64,
    ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p,
)  # fmt: skip


def turns_code() -> Any:
    """The function that runs turns."""
    return _Turns(machine_code(_turns(), "turns", {}))


def _round_word(name: RoundWord) -> str:
    return f"%r.{name.name.lower()}"


def _row(result: str, word: RowWord, type_: str) -> str:
    return f"""  {result}.p = getelementptr inbounds i64, ptr %row, i64 {int(word)}
  {result} = load {type_}, ptr {result}.p"""


def _of_turns(result: str, word: TurnWord) -> str:
    return f"  {result} = getelementptr inbounds i64, ptr %turns, i64 {int(word)}"


R = RoundWord


@cache
def _rounds() -> str:
    """Runs rounds, in which each wave of a table has a turn, from a wave on until somebody is wanted: gives
    the number of the wave, and above it why."""
    return f"""
{_turns()}
define i64 @rounds(ptr %table, i64 %count, ptr %round, ptr %log, ptr %control, ptr %env, ptr %answers,
                   i64 %begin) {{
entry:
{
        chr(10).join(
            f"  {_round_word(word)} = getelementptr inbounds i64, ptr %round, i64 {int(word)}"
            for word in RoundWord
            if word is not RoundWord.WORDS
        )
    }
  br label %waves
waves:
  %n = phi i64 [ %begin, %entry ], [ %n.next, %next ], [ 0, %again ]
  %all = icmp uge i64 %n, %count
  br i1 %all, label %over, label %wave
wave:
  %n.words = mul i64 %n, {int(RowWord.WORDS)}
  %row = getelementptr inbounds i64, ptr %table, i64 %n.words
{_row("%state", RowWord.STATE, "i64")}
  switch i64 %state, label %next [ i64 {RowState.TURNS:d}, label %go
                                   i64 {RowState.ELSEWHERE:d}, label %elsewhere ]
elsewhere:
  %leave = or i64 %n, {Pause.LEAVE << 32:d}
  ret i64 %leave
go:
{_row("%turns", RowWord.TURNS, "ptr")}
{_row("%code", RowWord.CODE, "ptr")}
{_row("%pool", RowWord.POOL, "ptr")}
{_row("%hits", RowWord.HITS, "ptr")}
{_row("%registers", RowWord.REGISTERS, "ptr")}
{_row("%places", RowWord.PLACES, "ptr")}
{_row("%lanes", RowWord.LANES, "ptr")}
{_row("%first", RowWord.FIRST, "i64")}
{_row("%at", RowWord.AT, "i64")}
{_row("%vectors", RowWord.VECTORS, "ptr")}
{_of_turns("%log.here", W.LOG)}
{_of_turns("%executed.here", W.EXECUTED)}
{_of_turns("%left.here", W.LEFT)}
  %log.now = load i64, ptr {_round_word(R.LOG)}
  store i64 %log.now, ptr %log.here
  %executed.now = load i64, ptr {_round_word(R.EXECUTED)}
  store i64 %executed.now, ptr %executed.here
  store i64 1, ptr %left.here
  %why = call i64 @turns(ptr %code, ptr %turns, ptr %pool, ptr %hits, ptr %registers, ptr %places, ptr %log,
                         ptr %lanes, ptr %control, ptr %env, i64 %first, ptr %answers, i64 %at, ptr %vectors)
  %log.then = load i64, ptr %log.here
  store i64 %log.then, ptr {_round_word(R.LOG)}
  %executed.then = load i64, ptr %executed.here
  store i64 %executed.then, ptr {_round_word(R.EXECUTED)}
  switch i64 %why, label %pauses [ i64 {Pause.LOOK:d}, label %moved
                                   i64 {Pause.WAITS:d}, label %next ]
moved:
  store i64 1, ptr {_round_word(R.MOVED)}
  br label %next
pauses:
  %why.high = shl i64 %why, 32
  %pause = or i64 %why.high, %n
  ret i64 %pause
next:
  %n.next = add i64 %n, 1
  br label %waves
over:
  %any.moved = load i64, ptr {_round_word(R.MOVED)}
  %some.moved = icmp ne i64 %any.moved, 0
  br i1 %some.moved, label %round.over, label %stuck
stuck:
  %stucks = or i64 %count, {Pause.WAITS << 32:d}
  ret i64 %stucks
round.over:
  %rounds = load i64, ptr {_round_word(R.ROUNDS)}
  %rounds.more = add i64 %rounds, 1
  store i64 %rounds.more, ptr {_round_word(R.ROUNDS)}
  %executed = load i64, ptr {_round_word(R.EXECUTED)}
  %most = load i64, ptr {_round_word(R.MOST)}
  %exceeds = icmp ugt i64 %executed, %most
  br i1 %exceeds, label %look, label %any.left
any.left:
  %left = load i64, ptr {_round_word(R.LEFT)}
  %left.less = sub i64 %left, 1
  store i64 %left.less, ptr {_round_word(R.LEFT)}
  %last = icmp eq i64 %left.less, 0
  br i1 %last, label %look, label %watch
watch:
  %which = load i64, ptr {_round_word(R.WATCHED)}
  %nobody = icmp slt i64 %which, 0
  br i1 %nobody, label %again, label %watched
watched:
  %which.words = mul i64 %which, {int(RowWord.WORDS)}
  %which.row = getelementptr inbounds i64, ptr %table, i64 %which.words
  %which.turns.p = getelementptr inbounds i64, ptr %which.row, i64 {int(RowWord.TURNS)}
  %which.turns = load ptr, ptr %which.turns.p
  %which.at.p = getelementptr inbounds i64, ptr %which.row, i64 {int(RowWord.AT)}
  %which.at = load i64, ptr %which.at.p
  %as.then = call i1 @watched(ptr %which.turns, i64 %which.at)
  br i1 %as.then, label %look, label %again
again:
  store i64 0, ptr {_round_word(R.MOVED)}
  br label %waves
look:
  %looks = or i64 %count, {Pause.LOOK << 32:d}
  ret i64 %looks
}}
"""


_Rounds = ctypes.CFUNCTYPE(
    ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64,
)  # fmt: skip


def rounds_code() -> Any:
    """The function that runs rounds."""
    return _Rounds(machine_code(_rounds(), "rounds", {}))


def _signed(address: int) -> int:
    return address - (address >> 63 << 64)


class PieceIssue(NamedTuple):
    """What a piece issued: the instructions with slots, and the block in which they are; ``stays``: lanes are
    in their segment still, or in the one behind it. ``controls``: the steps that are control intrinsics, and
    how many of the instructions are before each."""

    indices: tuple[int, ...]
    block: int
    stays: bool
    controls: tuple[tuple[int, int], ...]


class TurnPlaces:
    """What turns know of the places of a function: ``words``, as :class:`PlaceWord` says, and by block the
    number of its ``entries``. ``silent`` are instructions without a slot."""

    def __init__(self, compiled: LaneCode, silent: frozenset[int]) -> None:
        self.compiled = compiled
        self._silent = silent
        self._block: dict[Segment, int] = {}
        begins: dict[Segment, int] = {}
        for block in compiled.code.blocks:
            begins[block.entry] = block.number
            segment: Segment | None = block.entry
            while segment is not None and segment not in self._block:
                self._block[segment] = block.number
                segment = segment.after
        numbers = {segment: n for n, segment in enumerate(self._block)}
        self.words = array("q")
        self.entries: dict[int, int] = {}
        self._issues: dict[tuple[int, int], PieceIssue] = {}
        self._gives: dict[tuple[int, int], RuntimeValue] = {}
        for number, place in enumerate(compiled.places):
            segment, step = place.segment, place.step
            end = len(segment.steps) + 1
            enters = compiled.entries.get(segment, {}).get(step) == number
            block_number = begins.get(segment, -1) if step == 0 else -1
            meeting, controls = compiled.meetings.get(number), compiled.controls[segment]
            if (enters or meeting is not None) and block_number >= 0:
                self.entries[block_number] = number
            exchanges = 1 + compiled.exchanges.numbers.get(number, -1)
            self.words.extend(
                (
                    numbers.get(segment, -1), step, block_number,
                    len(self._shown(segment, 0, step)), step,
                    len(self._shown(segment, 0, end)), len(segment.instructions(0, end)), end, enters,
                    sum(k < step for k in controls), len(controls), _signed(compiled.alikes[number]),
                    meeting is not None and meeting.holds, exchanges,
                )
            )  # fmt: skip
        self.at = self.words.buffer_info()[0]

    def _shown(self, segment: Segment, begin: int, end: int) -> tuple[int, ...]:
        return tuple(index for index in segment.instructions(begin, end) if index not in self._silent)

    def block(self, number: int) -> int:
        """The block that a place is in."""
        return self._block[self.compiled.places[number].segment]

    def meets(self, number: int) -> LaneExchange:
        """The exchange at a place."""
        return self.compiled.exchanges.all[self.compiled.exchanges.numbers[number]]

    def gives(self, meets: LaneExchange, place: ThreadPlace) -> RuntimeValue:
        """What its place gives to a lane."""
        assert meets.alone is not None
        known = self._gives.get((meets.place, place.thread))
        if known is None:
            known = self._gives[meets.place, place.thread] = meets.alone(place)
        return known

    def begins(self, number: int) -> int:
        """The block that begins at a place, -1 for none."""
        return self.words[number * PlaceWord.WORDS + PlaceWord.BLOCK]

    def issue(self, number: int, answer: int) -> PieceIssue:
        """What a piece issued from a place on; the first of its lanes came to the place ``answer``."""
        known = self._issues.get((number, answer))
        if known is None:
            place, to = self.compiled.places[number], self.compiled.places[answer]
            segment = place.segment
            if to.segment is segment and to.step:
                end, stays = to.step, True
            else:
                end, stays = len(segment.steps) + 1, self.begins(answer) < 0
            shown, begin = self._shown(segment, place.step, end), place.step
            controls = tuple(
                (k, len(self._shown(segment, begin, k)))
                for k in self.compiled.controls[segment]
                if begin <= k < end
            )
            known = self._issues[number, answer] = PieceIssue(shown, self._block[segment], stays, controls)
        return known
