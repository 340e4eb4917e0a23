"""Where the lanes of a wave meet, natively: what a mask's lanes exchange, and by what their keys are equal.

Control intrinsics are counts in a lane's words, its *columns*, as :mod:`.unattended` has them: two lanes of
one wave have equal keys at a place exactly if its columns are equal there. So a mask that comes to a place
is one group of the definition if its lanes' columns are, and no lane elsewhere has them. Exchanges are what
their models give to emitted operands, for a mask's lanes at once; ids are computed. What of an instance a log
has, is made of the columns' history when somebody asks (:mod:`...sched.lockstep.waves`).

This is for speed only: ``MEETS`` in :mod:`.lanes` turns it off, and ``tests/sched/lockstep/test_meetings.py``
compares.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...alignment import StaticInstance
from ...frozen import Json, dataclass
from ...ir import instructions as ir
from ...ir.calls import Control, case_of, control, is_grouped, way_of
from .. import NotModelled, Undefined
from ..arithmetic.emitting import NotNative
from ..convergence import Key, KeyKind
from ..operations import CLUSTER_BARRIER, Callee, Exchanging, Fencing, PerThread
from ..operations.lanes import is_void
from ..threads import UNSET, Code, Finish, Frame, Planned, Registers, Runs, Segment, Step, Stops, Thread
from ..threads.calls import Calls, Declared
from ..values import Value
from .emit import FunctionEmitter
from .registers import (
    NativeCompiler,
    NativeTranslation,
    Place,
    Scalar,
    native_scalars,
    pack,
    unpack,
)
from .scheduler import exchange_is_void
from .unattended import (
    NativeExchange,
    SharedOperand,
    WorkgroupExtent,
    by_place,
    constants_of,
    is_asked_again,
    is_known,
)
from .workgroups import LaneGroupWords, together

if TYPE_CHECKING:
    from ...ir import Type
    from ..convergence import Root
    from ..machine.program import Program
    from ..memory.synchronisation import MemoryFence
    from ..operations import Effects, Subgroup, ThreadPlace
    from ..values import RuntimeValue

MOST_WORDS = 8
"""Words of what an exchange gives to a lane, at most."""
MOST_LISTED = 16
"""Words of an instance that are noted, at most: counts of headers, and what it gave."""
MOST_BARRIERS = 64
"""Barriers of a workgroup, at most."""
BARRIERS: list[str] = []
"""Their names, in the order in which functions were compiled that have one: by their numbers native code
knows them."""


# ----------------------------------------------------------------------------------------------------------
# Columns: by which words of a lane its keys are known.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """The columns of a function's tokens, in a lane's words from ``first`` on: ``root`` says what the
    activation hangs from; ``tokens`` are, by register, those of a token; ``words`` how many there are."""

    first: int
    root: int
    tokens: Mapping[int, tuple[int, ...]]
    loops: Mapping[int, int]
    """By the instruction of a ``loop`` the register of its result."""
    words: int


def columns_of(program: Program, code: Code, first: int) -> ColumnLayout:
    """The columns of a function. A token that is none of ``entry``'s, nor hangs from one by ``loop`` alone,
    has none."""
    tokens: dict[int, tuple[int, ...]] = {}
    loops: dict[int, int] = {}
    count = first + 1
    open_ = dict(code.defined_at)
    if code.token_moves or not (open_ and program.keeps_rules):
        open_ = {}
    changed = True
    while changed:
        changed = False
        for slot, index in [*open_.items()]:
            kind, above = control(code.instructions[index]), code.token_of.get(index)
            if kind is Control.ENTRY:
                tokens[slot] = (first,)
            elif kind is Control.LOOP and above in tokens:
                size = len(tokens[above]) + 1
                tokens[slot] = tuple(range(count, count + size))
                loops[index] = slot
                count += size
            else:
                continue
            del open_[slot]
            changed = True
    return ColumnLayout(first, first, tokens, loops, count - first)


class RootNumbers(dict["Root | None", int]):
    """Numbers of what activations hang from, for one machine."""

    def __missing__(self, root: Root | None) -> int:
        number = self[root] = len(self) + 1
        return number


def write_columns(
    columns: ColumnLayout, code: Code, frame: Frame, words: array[int] | memoryview[int], roots: RootNumbers
) -> bool:
    """The columns as the frame's tokens say; False where the frame hangs from what has no key."""
    root = frame.root
    if root is None or (isinstance(root, Key) and root.kind is KeyKind.CALL):
        if any(control(code.instructions[index]) is Control.ENTRY for index in code.defined_at.values()):
            return False
    words[columns.root] = roots[root]
    for index, slot in columns.loops.items():
        counted = (frame.loops or {}).get(index)
        own = columns.tokens[slot]
        held = (0,) * len(own) if counted is None else (*_of_key(counted[0], roots), counted[1])
        for word, value in zip(own, held, strict=True):
            words[word] = value
    return True


def _of_key(key: Key, roots: RootNumbers) -> Iterator[int]:
    above = key.parents[0]
    if key.kind is KeyKind.LOOP:
        assert isinstance(above, Key) and isinstance(key.own, int)
        yield from _of_key(above, roots)
        yield key.own
    else:
        yield roots[above]


# ----------------------------------------------------------------------------------------------------------
# Places at which lanes meet.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MeetingKey:
    """By which words the keys of lanes at a place are equal; of a ``loop`` that is about to be executed its
    ``own`` columns, too: the next count is theirs if they hang from ``words``."""

    words: tuple[int, ...]
    own: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ObservedCall:
    """An exchange that the outside sees: its operands as they are shown, and where the callee may have
    ``written`` what others read, by :func:`~..threads.calls.wrote`; ``only`` as there."""

    shown: tuple[Json, ...]
    written: frozenset[str]
    only: object


@dataclass(frozen=True, slots=True)
class LaneExchange:
    """A convergent operation at a place, and the place ``after`` it: an ``exchange``, or one of which each
    lane gets what its place in the launch says, ``alone``. ``home`` is where the result is among a lane's
    words; ``headers`` are the words that count those around it, where its key is theirs. ``token`` is the
    register of its token, -1 for none; ``barrier`` the name of a barrier at which the waves of a workgroup
    wait for each other; ``whole``: lanes wait there for the others of their wave, that alone."""

    site: StaticInstance
    home: Place | None
    place: int
    after: int
    headers: tuple[int, ...]
    token: int
    exchange: NativeExchange | None = None
    alone: Callable[[ThreadPlace], RuntimeValue] | None = None
    observed: ObservedCall | None = None
    barrier: str | None = None
    whole: bool = False

    @property
    def listed(self) -> tuple[int, ...]:
        """The words that are noted of an instance: what its place gives to a lane is known."""
        return self.headers if self.alone is not None else (*self.headers, *self.gives)

    def result(self, words: Mapping[int, int]) -> Any:
        """What a lane got, by its words."""
        nothing: Any = None  # nothing that is exchanged natively is a pointer
        assert self.home is not None
        return unpack(self.home, words, nothing)  # type: ignore[arg-type]

    @property
    def gives(self) -> tuple[int, ...]:
        """The words of what a lane gets."""
        home = self.home
        scalars = () if home is None else tuple(native_scalars(home))
        return tuple(word for s in scalars for word in range(s.at, s.meta + 1))


@dataclass(frozen=True, slots=True)
class MeetingPlace:
    """A place where lanes meet: before a control intrinsic for which the machine ``holds`` lanes, or at an
    exchange."""

    key: MeetingKey
    holds: bool
    exchange: LaneExchange | None = None


def alike_text(place: int, at: int, key: MeetingKey, stride: int) -> str:
    """``i64 @alikeP(ptr words, i64 mask)``: bit 0: whether the lanes of a mask are at the place, which the
    words ``at`` say; bit 1: whether their keys are equal there."""
    lines: list[str] = []
    vector, count = f"<{stride} x i64>", 0

    def typed(text: str) -> str:
        nonlocal count
        count += 1
        lines.append(f"  %t{count} = {text}")
        return f"%t{count}"

    def where(word: int) -> str:
        return typed(f"getelementptr inbounds i64, ptr %words, i64 {word * stride}")

    def all_lanes(word: int) -> str:
        return typed(f"load {vector}, ptr {where(word)}, align 8")

    def lowest(word: int) -> str:
        return typed(f"load i64, ptr {typed(f'getelementptr inbounds i64, ptr {where(word)}, i64 %low')}")

    def splat(value: str) -> str:
        one = typed(f"insertelement {vector} poison, i64 {value}, i64 0")
        return typed(f"shufflevector {vector} {one}, {vector} poison, <{stride} x i32> zeroinitializer")

    def unlike(values: str, value: str) -> str:
        """The lanes of the mask that have another value."""
        differ = typed(f"icmp ne {vector} {values}, {splat(value)}")
        bits = typed(f"bitcast <{stride} x i1> {differ} to i{stride}")
        wide = bits if stride == 64 else typed(f"zext i{stride} {bits} to i64")
        return typed(f"and i64 {wide}, %mask")

    away = unlike(all_lanes(at), str(place))
    differ = "0"
    for word in key.words:
        differ = typed(f"or i64 {differ}, {unlike(all_lanes(word), lowest(word))}")
    if key.own:  # what hangs from other counts begins with 1

        def next_count(load: Callable[[int], str], type_: str, zero: str) -> str:
            before = load(key.own[-1])
            for above, own in zip(key.words, key.own, strict=False):
                same = typed(f"icmp eq {type_} {load(above)}, {load(own)}")
                bit = f"<{stride} x i1>" if type_ == vector else "i1"
                before = typed(f"select {bit} {same}, {type_} {before}, {type_} {zero}")
            return before

        counts = next_count(all_lanes, vector, "zeroinitializer")
        differ = typed(f"or i64 {differ}, {unlike(counts, next_count(lowest, 'i64', '0'))}")
    there = typed(f"zext i1 {typed(f'icmp eq i64 {away}, 0')} to i64")
    alike = typed(f"zext i1 {typed(f'icmp eq i64 {differ}, 0')} to i64")
    both = typed(f"shl i64 {alike}, 1")
    answer = typed(f"or i64 {both}, {there}")
    body = "\n".join(lines)
    return f"""define i64 @alike{place}(ptr %words, i64 %mask) {{
  %low = call i64 @llvm.cttz.i64(i64 %mask, i1 true)
{body}
  ret i64 {answer}
}}"""


def alikes_text(meetings: Mapping[int, MeetingPlace], at: int, stride: int) -> str:
    """The functions of all places, and one that puts their addresses into a table by place."""
    stores = "\n".join(
        f"  %p{place} = getelementptr inbounds ptr, ptr %table, i64 {place}\n"
        f"  store ptr @alike{place}, ptr %p{place}"
        for place in meetings
    )
    parts = [alike_text(place, at, meeting.key, stride) for place, meeting in meetings.items()]
    filled = f"define void @alikes(ptr %table) {{\n{stores}\n  ret void\n}}"
    return "\n".join(("declare i64 @llvm.cttz.i64(i64, i1)", *parts, filled))


def exchange_driver(stride: int) -> str:
    """``i64 @exchange(ptr words, i64 mask, ptr env, i64 first, ptr code, i64 at, i64 after, ptr list, i64
    count, ptr out, ptr gives, i64 from, i64 until)``: the lanes of a mask, which begins with the thread
    ``first``, get what ``code`` gives, or what stands in ``gives`` for each lane, for the words of the list
    between two of its places, and are at the place ``after``. Of as many of the listed words as ``count``
    says ``out`` gets that of all lanes, or one for all of them, if it is the same: how many words that are,
    and above them which of the list are not the same. -1 if nothing was done."""
    vector, bits = f"<{stride} x i64>", f"<{stride} x i1>"
    narrow = "%mask" if stride == 64 else "%mask.narrow"
    trunc = "" if stride == 64 else f"  %mask.narrow = trunc i64 %mask to i{stride}\n"
    wide = "or i64 %differ.bits, 0" if stride == 64 else f"zext i{stride} %differ.bits to i64"
    return f"""
declare i64 @llvm.cttz.i64(i64, i1)

define i64 @exchange(ptr %words, i64 %mask, ptr %env, i64 %first, ptr %code, i64 %at, i64 %after, ptr %list,
                     i64 %count, ptr %out, ptr %gives, i64 %from, i64 %until) {{
entry:
  %void = icmp eq ptr %code, null
  br i1 %void, label %done, label %do
do:
  %gave = call i64 %code(ptr %words, i64 8, ptr %env, i64 %first)
  %native = icmp eq i64 %gave, 0
  br i1 %native, label %done, label %failed
failed:
  ret i64 -1
done:
{trunc}  %on = bitcast i{stride} {narrow} to {bits}
  %where = getelementptr inbounds i64, ptr %words, i64 %at
  %before = load {vector}, ptr %where, align 8
  %after.one = insertelement {vector} poison, i64 %after, i64 0
  %after.all = shufflevector {vector} %after.one, {vector} poison, <{stride} x i32> zeroinitializer
  %now = select {bits} %on, {vector} %after.all, {vector} %before
  store {vector} %now, ptr %where, align 8
  %low = call i64 @llvm.cttz.i64(i64 %mask, i1 true)
  br label %more
more:
  %g = phi i64 [ %from, %done ], [ %g.next, %give ]
  %gave.all = icmp uge i64 %g, %until
  br i1 %gave.all, label %begin, label %give
give:
  %g.word.p = getelementptr inbounds i64, ptr %list, i64 %g
  %g.word = load i64, ptr %g.word.p
  %g.row = getelementptr inbounds i64, ptr %words, i64 %g.word
  %g.old = load {vector}, ptr %g.row, align 8
  %g.nth = sub i64 %g, %from
  %g.off = mul i64 %g.nth, {stride}
  %g.from = getelementptr inbounds i64, ptr %gives, i64 %g.off
  %g.new = load {vector}, ptr %g.from, align 8
  %g.now = select {bits} %on, {vector} %g.new, {vector} %g.old
  store {vector} %g.now, ptr %g.row, align 8
  %g.next = add i64 %g, 1
  br label %more
begin:
  br label %next
next:
  %n = phi i64 [ 0, %begin ], [ %n.next, %noted ]
  %off = phi i64 [ 0, %begin ], [ %off.next, %noted ]
  %apart = phi i64 [ 0, %begin ], [ %apart.next, %noted ]
  %over = icmp uge i64 %n, %count
  br i1 %over, label %ready, label %one
one:
  %word.p = getelementptr inbounds i64, ptr %list, i64 %n
  %word = load i64, ptr %word.p
  %row = getelementptr inbounds i64, ptr %words, i64 %word
  %all = load {vector}, ptr %row, align 8
  %lowest.p = getelementptr inbounds i64, ptr %row, i64 %low
  %lowest = load i64, ptr %lowest.p
  %lowest.one = insertelement {vector} poison, i64 %lowest, i64 0
  %lowest.all = shufflevector {vector} %lowest.one, {vector} poison, <{stride} x i32> zeroinitializer
  %differ = icmp ne {vector} %all, %lowest.all
  %differ.bits = bitcast {bits} %differ to i{stride}
  %differ.wide = {wide}
  %others = and i64 %differ.wide, %mask
  %same = icmp eq i64 %others, 0
  %to = getelementptr inbounds i64, ptr %out, i64 %off
  br i1 %same, label %once, label %each
once:
  store i64 %lowest, ptr %to
  br label %noted
each:
  store {vector} %all, ptr %to, align 8
  br label %noted
noted:
  %size = phi i64 [ 1, %once ], [ {stride}, %each ]
  %flag.one = phi i64 [ 0, %once ], [ 1, %each ]
  %flag = shl i64 %flag.one, %n
  %apart.next = or i64 %apart, %flag
  %off.next = add i64 %off, %size
  %n.next = add i64 %n, 1
  br label %next
ready:
  %apart.high = shl i64 %apart, 32
  %answer = or i64 %apart.high, %off
  ret i64 %answer
}}
"""


# ----------------------------------------------------------------------------------------------------------
# How a function's calls are prepared to be emitted for lanes.
# ----------------------------------------------------------------------------------------------------------


class MeetingEmitter(FunctionEmitter):
    """A function in which lanes meet: control intrinsics are counts in ``tokens``, if it has instances with
    keys, and exchanges are ``meetings``, by place. Ids are computed from the ``shape`` of the launch, if its
    groups are alike. Lanes are ``held`` before instructions with these keys, before each of their steps,
    those that look after promises, too; they wait at barriers of the workgroup by themselves if they run
    ``lanes_apart``."""

    program: Program
    shape: WorkgroupExtent | None
    tokens: ColumnLayout | None
    meetings: dict[int, MeetingPlace]
    held: Mapping[int, MeetingKey]
    lanes_apart: bool

    def key_of(self, index: int) -> MeetingKey | None:
        """By what the keys of an instruction's instances are known; ``None`` if by no columns."""
        columns, reference = self.tokens, self.reference
        instruction, token = reference.instructions[index], reference.token_of.get(index)
        kind = control(instruction)
        if columns is None or (token is not None and token not in columns.tokens):
            return None
        above = () if token is None else columns.tokens[token]
        if kind is not None:
            slot = -1 if instruction.result is None else reference.slots[instruction.result]
            if slot not in columns.tokens:
                return None
            own = columns.tokens[slot]
            return MeetingKey(own) if kind is Control.ENTRY else MeetingKey(above, own)
        if not is_grouped(self.program.module, instruction):
            return None
        if token is not None:
            return MeetingKey(above)
        return MeetingKey((*self._around(index), columns.root)) if self._counts_headers else None

    @property
    def _counts_headers(self) -> bool:
        """Whether keys without tokens are those of headers."""
        return self.program.uncontrolled == "maximal"

    def column(self, word: int) -> str:
        """What a column holds."""
        return self.lines.typed(f"load i64, ptr %k{word}")

    def set_column(self, word: int, value: str) -> None:
        """A column holds something else."""
        self.lines.line(f"store i64 {value}, ptr %k{word}")

    def control(self, index: int, kind: Control) -> None:
        """An instance of entry or loop: its token. Raises NotNative."""
        key = self.key_of(index)
        if key is None:
            raise NotNative("a token that is not known here")
        if kind is Control.ENTRY:
            return
        above, own = key.words, key.own
        lines, same = self.lines, "true"
        around = [self.column(word) for word in above]
        for value, word in zip(around, own, strict=False):
            equal = lines.typed(f"icmp eq i64 {value}, {self.column(word)}")
            same = lines.typed(f"and i1 {same}, {equal}")
        before = lines.typed(f"select i1 {same}, i64 {self.column(own[-1])}, i64 0")
        for value, word in zip(around, own, strict=False):
            self.set_column(word, value)
        self.set_column(own[-1], lines.typed(f"add i64 {before}, 1"))

    def exchange(
        self, site: StaticInstance, name: str, model: Exchanging, slots: Sequence[int], result: int,
        fence: MemoryFence | None, workgroup: str | None, callee: Callee, after: Segment,
        observed: ObservedCall | None,
    ) -> None:  # fmt: skip
        """Lanes come to an exchange. Raises NotNative."""
        shape, reference = self.shape, self.reference
        if shape is None or self.tokens is None:
            raise NotNative("launch groups that are not alike")
        barrier = workgroup if shape.workgroup > shape.size else None
        whole = workgroup is not None and barrier is None and self.lanes_apart
        if barrier is not None and barrier not in BARRIERS:
            if len(BARRIERS) == MOST_BARRIERS:
                raise NotNative("so many barriers")
            BARRIERS.append(barrier)
        homes: list[Place | SharedOperand] = []
        for slot in slots:
            home = self.registers.places.get(slot)
            value = None if home is not None else self.load(slot)
            if value is not None and not is_known(value):
                raise NotNative("an operand that native code does not hold")
            homes.append(home if home is not None else SharedOperand(value))  # type: ignore[arg-type]
        gives = self.registers.places.get(result)
        if result >= 0 and gives is None:
            raise NotNative(f"what @{name} gives")
        exchanged_homes(homes, gives)
        key, token = self.key_of(site.index), reference.token_of.get(site.index)
        if key is None:
            raise NotNative("an exchange with a key that is not known here")
        headers = self._around(site.index) if token is None else ()
        if barrier is not None and (slots or result >= 0):
            raise NotNative(f"what @{name} gives to several waves")
        if not slots:
            callee = callee._replace(type=replace(callee.type, parameters=()))
        exchange = NativeExchange(site, name, model, tuple(homes), gives, fence, workgroup, key.words, callee)
        place = self.place(*self.at)
        behind = self.place(self.numbers[after], 0)
        own = -1 if token is None else token
        meets = LaneExchange(
            site, gives, place, behind, headers, own, exchange=exchange, observed=observed,
            barrier=barrier, whole=whole,
        )  # fmt: skip
        self._meets(meets, key)

    def alone(
        self, site: StaticInstance, name: str, model: PerThread, slots: Sequence[int], result: int
    ) -> None:
        """Lanes come to a convergent operation of which each gets what its place in the launch says. Raises
        NotNative."""
        key, token, gives = self.key_of(site.index), self.reference.token_of.get(site.index), None
        if key is None:
            raise NotNative(f"a call of @{name} with a key that is not known here")
        values = [self.code.initial[slot] for slot in slots]
        if any(value.__class__ is not Value or value.poison is not False for value in values):
            raise NotNative(f"operands of @{name} that are no constants")
        if result >= 0 and (gives := self.registers.places.get(result)) is None:
            raise NotNative(f"what @{name} gives")
        exchanged_homes((), gives)
        number, step = self.at
        self._meets(
            LaneExchange(
                site, gives, self.place(number, step), self.place(number, step + 1),
                self._around(site.index) if token is None else (), -1 if token is None else token,
                alone=lambda place: model.alone(place, *values),
            ),
            key,
        )  # fmt: skip

    def _meets(self, meets: LaneExchange, key: MeetingKey) -> None:
        if len(meets.headers) + len(meets.gives) > MOST_LISTED:
            raise NotNative("cycles around an exchange, so many")
        self.meetings[meets.place] = MeetingPlace(key, meets.site.index in self.held, meets)

    def constants(self, slots: Sequence[int], types: Sequence[Type]) -> tuple[Json, ...]:
        """What registers hold that hold constants, as plain data. Raises NotNative."""
        values = [self.code.initial[slot] for slot in slots]
        if any(value is UNSET for value in values):
            raise NotNative("operands that the outside sees")
        return tuple(self.program.plain(v, t) for v, t in zip(values, types, strict=False))

    def _around(self, index: int) -> tuple[int, ...]:
        """The words that count the headers of the cycles around an instruction."""
        blocks = self.code.blocks
        block = blocks[self.reference.graph.block_of[index]]
        cycles = [b.cycle for b in blocks if b.heads and block.cycle in b.heads and block.cycle >= 0]
        return tuple(self.registers.words + cycle for cycle in cycles)


class LaneTranslation(NativeTranslation):
    """As :class:`NativeTranslation`. The machine's time is the order of accesses, so a fence orders nothing;
    whether threads meet in memory does not depend on it, either."""

    emitter: MeetingEmitter

    def fence(self, index: int, fence: MemoryFence) -> Step:
        return lambda r: None


class LaneCompiler(NativeCompiler):
    """Prepares a function to be run by lanes."""

    @cached_property
    def calls(self) -> _LaneCalls:
        return _LaneCalls(self.translation, self.terminators)


class _LaneCalls(Calls):
    """Tokens are counts."""

    translation: LaneTranslation

    def declared_of(self) -> Declared:
        return _LaneDeclared(self)

    def _control(self, index: int, call: ir.CallSite, kind: Control) -> Step:
        emitter, bound = self.translation.emitter, case_of(call) is not None or way_of(call) is not None

        def step(r: Registers) -> None:
            if bound:
                raise NotNative("an anchor that has a bound")
            emitter.control(index, kind)

        return step


class _LaneDeclared(Declared):
    """Ids are computed; lanes meet at exchanges."""

    @property
    def emitter(self) -> MeetingEmitter:
        assert isinstance(self.translation, LaneTranslation)
        return self.translation.emitter

    def _per_thread(
        self, index: int, call: ir.CallSite, name: str, convergent: bool, model: PerThread
    ) -> Runs:
        _, slots, slot = self._places(index, call)

        def step(r: Registers) -> None:
            if convergent:
                self.emitter.alone(StaticInstance(self.code.name, index), name, model, slots, slot)
                raise NotNative("where lanes meet")
            shape, emitter = self.emitter.shape, self.emitter
            if shape is None:
                raise NotNative("launch groups that are not alike")
            values = [r[s] for s in slots]
            prepared = self.program.table.model(Callee.of(name, call, self.translation.context))
            if not isinstance(prepared, PerThread):
                raise NotNative(f"@{name}")
            type_ = self.program.layout.resolve(call.type.result)
            value = by_place(
                emitter.lines, emitter.domain, shape, lambda place: prepared.alone(place, *values), type_
            )
            if slot >= 0:
                r[slot] = value

        return Runs(step)

    def _fence(self, index: int, call: ir.CallSite, name: str, convergent: bool, model: Fencing) -> Planned:
        planned = super()._fence(index, call, name, convergent, model)
        alone = not convergent and model.arrives is None
        silent = alone and not self.is_event(self.program.effects(name, call))
        return Runs(lambda r: None) if silent and isinstance(planned, Runs) else planned

    def void(
        self, index: int, call: ir.CallSite, name: str, convergent: bool, promised: Effects,
        function: Any, reads: bool = True,
    ) -> Planned:  # fmt: skip
        planned = super().void(index, call, name, convergent, promised, function, reads)
        silent = not convergent and not self.is_event(promised)
        return Runs(lambda r: None) if silent and isinstance(planned, Runs) else planned

    def _exchange(
        self, index: int, call: ir.CallSite, name: str, model: Exchanging, stands_in: bool,
        reads: bool = False,
    ) -> Stops:  # fmt: skip
        super()._exchange(index, call, name, model, stands_in, reads)  # which finds what has no model
        fence = None if model.orders is None else self._ordered(name, call, model.orders)
        workgroup = None if model.workgroup is None else model.workgroup(constants_of(call))
        void = is_void(call.type.result)
        unusual = stands_in or reads or model.follows or model.parts or not model.arrives
        unusual = unusual or model.accesses or model.behind is not None or (model.effect and not void)
        unusual = unusual or workgroup == CLUSTER_BARRIER or (model.wide and workgroup is not None)
        _, slots, result = self._places(index, call)
        callee = Callee.of(name, call, self.program.context)
        unusual = unusual or not is_asked_again(self.program, callee)
        promised = self.program.effects(name, call)
        writes = promised.written_at if promised.writes and self.is_event(promised) else frozenset[str]()
        if "argmem" in writes and self._pointers(call, name, frozenset()):
            unusual = True
        unusual = unusual or (bool(writes) and self.program.settings.callee_writes is not None)

        def make(after: Segment) -> Finish:
            def finish(thread: Thread, frame: Frame) -> Frame | None:
                if unusual:
                    raise NotNative(f"the exchange @{name}")
                observed = None
                if model.effect:
                    shown = self.emitter.constants(slots, call.type.parameters)
                    only = None if promised.reads else (name, shown)
                    observed = ObservedCall(shown, writes, only)
                self.emitter.exchange(
                    StaticInstance(self.code.name, index), name, model, () if void else slots, result, fence,
                    workgroup, callee, after, observed,
                )  # fmt: skip
                raise NotNative("where lanes meet")

            return finish

        return Stops(make)


# ----------------------------------------------------------------------------------------------------------
# What lanes get at an exchange.
# ----------------------------------------------------------------------------------------------------------


class ExchangeWord:
    """The words of an exchange in the table of a function's: the place behind it, whether nothing is given,
    how many words are noted of it, and how many of these are not what it gives; whether the outside sees it;
    the number of the workgroup's barrier, from 1, 0 for none; where in a wave's table it stands what its
    place gives to each lane, from 1, 0 for none; how many words are listed; whether there is a result; and
    which words are listed, as offsets among a wave's: first those that are noted; and whether all lanes that
    are alive have to be there."""

    AFTER, VOID, COUNT, HEADERS, OBSERVED, BARRIER, GIVES, LISTED, RESULTS, WHOLE, LIST = range(11)
    WORDS = LIST + MOST_LISTED


class LaneExchanges:
    """The exchanges of a function, by number: their ``words`` (:class:`ExchangeWord`), and the native code
    that gives a mask's lanes what they get."""

    def __init__(self, exchanges: Sequence[LaneExchange], stride: int) -> None:
        self.all = tuple(exchanges)
        self.stride = stride
        self.words = array("q", bytes(8 * ExchangeWord.WORDS * max(1, len(exchanges))))
        self.numbers = {exchange.place: number for number, exchange in enumerate(exchanges)}
        self._by_place = 0
        for number, exchange in enumerate(exchanges):
            at, listed = number * ExchangeWord.WORDS, (*exchange.headers, *exchange.gives)
            self.words[at + ExchangeWord.AFTER] = exchange.after
            self.words[at + ExchangeWord.VOID] = exchange.exchange is None or exchange_is_void(
                exchange.exchange
            )
            self.words[at + ExchangeWord.COUNT] = len(exchange.listed)
            self.words[at + ExchangeWord.LISTED] = len(listed)
            self.words[at + ExchangeWord.RESULTS] = exchange.alone is not None or exchange.home is not None
            self.words[at + ExchangeWord.WHOLE] = exchange.whole
            if exchange.alone is not None:
                self.words[at + ExchangeWord.GIVES] = 1 + self._by_place
                self._by_place += stride * len(exchange.gives)
            self.words[at + ExchangeWord.HEADERS] = len(exchange.headers)
            self.words[at + ExchangeWord.OBSERVED] = exchange.observed is not None
            self.words[at + ExchangeWord.BARRIER] = (
                0 if exchange.barrier is None else 1 + BARRIERS.index(exchange.barrier)
            )
            for n, word in enumerate(listed):
                self.words[at + ExchangeWord.LIST + n] = word * stride
        self.at = self.words.buffer_info()[0]

    def by_place(self, places: Sequence[ThreadPlace]) -> array[int] | None:
        """What their places give to the lanes of a wave, for each exchange of which they do, word by word, of
        each for all lanes; ``None`` where that cannot be held natively, or is not known."""
        nothing: Any = None  # nothing that is given natively is a pointer
        table, at = array("Q", bytes(8 * (self._by_place + 1))), 0
        for exchange in self.all:
            if exchange.alone is None:
                continue
            for place in places:
                words: Any = dict.fromkeys(exchange.gives, 0)
                try:
                    value = exchange.alone(place)
                except (NotNative, NotModelled, Undefined):
                    return None
                if exchange.home is not None and not pack(exchange.home, value, words, nothing):
                    return None
                for n, word in enumerate(words.values()):
                    table[at + n * self.stride + place.lane] = word
            at += self.stride * len(exchange.gives)
        return table

    def code(
        self, program: Program, number: int, shape: WorkgroupExtent, lanes: Sequence[int],
        symbols: dict[str, int],
    ) -> tuple[str, str]:  # fmt: skip
        """``i64 @together(ptr words, i64 8, ptr env, i64 thread)``: what the model gives to some lanes of the
        wave that begins with a thread; and why it never does, if so."""
        declared: dict[str, str] = {}
        stride = self.stride
        exchange = self.all[number].exchange
        assert exchange is not None
        text, problem = together(
            symbols, program, exchange, shape, lanes, declared, "together",
            lambda lines, domain: LaneGroupWords(lines, domain, stride),
        )  # fmt: skip
        return "\n".join([*declared.values(), text]), problem

    def answer(
        self, program: Program, number: int, own: Mapping[int, memoryview[int]], subgroup: Subgroup
    ) -> bool:
        """As that code, by the function that the reference asks; ``own`` are the words of each lane. Whether
        what it gives can be held natively."""
        exchange = self.all[number].exchange
        assert exchange is not None
        model = program.table.model(exchange.callee)
        assert isinstance(model, Exchanging)
        nothing: Any = None  # nothing that is exchanged natively is a pointer
        group = {
            lane: tuple(
                [
                    o.value if isinstance(o, SharedOperand) else unpack(o, words, nothing)
                    for o in exchange.operands
                ]
            )
            for lane, words in own.items()
        }
        results = model.together(group, subgroup)
        home = exchange.result
        return home is None or all(
            lane in results and pack(home, results[lane], words, nothing) for lane, words in own.items()
        )


def exchanged_homes(homes: Sequence[Place | SharedOperand], result: Place | None) -> None:
    """Raises NotNative for what lanes do not exchange natively: pointers, wide integers, and many words."""
    places = [home for home in (*homes, result) if home is not None and not isinstance(home, SharedOperand)]
    scalars: list[Scalar] = [s for place in places for s in native_scalars(place)]
    if any(s.pointer or s.bits > 64 for s in scalars):
        raise NotNative("an exchange of pointers, or of wide integers")
    if result is not None and 2 * len([*native_scalars(result)]) > MOST_WORDS:
        raise NotNative("an exchange that gives so many scalars")
