"""Whether a lock-step machine's groups are a legal alignment (semantics.md, §7), and where they leave it.

Each instance of an anchor gets a label of its own first. That the machine's groups be classes then asks of
labels only that some are equal and others differ; what is asked is forced, so going through the groups in
order of time finds the departure for the partition that survives longest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import chain as chained
from itertools import combinations

from ...alignment import ConvergedWith, DynamicInstance, Execution, OrderCycle, StaticInstance, order
from ...frozen import Json, dataclass
from ...rules import Rule
from ...semantics.convergence import (
    Key,
    KeyDifference,
    KeyKind,
    LaunchGroup,
    Root,
    SwitchedCase,
    chain,
    fold,
    why_not_converged,
)
from ...semantics.machine.run import Run
from .machine import Happened, IssueSlot, LockstepMachine
from .policy import Mask

# ----------------------------------------------------------------------------------------------------------
# What a wrong mask does to a lane, on machines whose code says which lanes are on (D-THREAD).
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unmasked:
    """A branch that no mask goes with sends the lane to ``block``, and the wave to ``wave``."""

    block: str
    wave: str


@dataclass(frozen=True, slots=True)
class Misled:
    """A mask puts the lane on in ``block``; the lane is at ``at``, or has ended (``None``)."""

    block: str
    at: str | None


@dataclass(frozen=True, slots=True)
class Stranded:
    """The wave returns, and the lane is still off: it would have gone on at ``at``."""

    at: str


class WrongMask(Exception):
    """Which instruction of ``function`` goes wrong at its ``nth`` time in the wave's run, for which ``lane``;
    ``ran`` are the lanes that are on then, ``rightly`` those that should be."""

    def __init__(
        self,
        function: str,
        operation: int,
        nth: int,
        lane: int,
        ran: Mask,
        rightly: Mask,
        because: Unmasked | Misled | Stranded,
    ) -> None:
        super().__init__(because)
        self.function, self.operation, self.nth = function, operation, nth
        self.lane, self.ran, self.rightly, self.because = lane, ran, rightly, because


@dataclass(frozen=True, slots=True)
class SameKey:
    """Two lanes have one key. ``part`` is its innermost part that says so: a heart, a header, an entry, an
    anchor, by the name ``operation``. ``None``: no header of a cycle was passed, or, with ``token``, they
    have the token of ``lane``."""

    part: Key | None
    operation: str
    lane: int
    token: bool


@dataclass(frozen=True, slots=True)
class DifferentKeys:
    """The keys of two ``lanes`` differ so; ``names`` are those of the instructions where they do."""

    lanes: tuple[int, int]
    difference: KeyDifference
    names: Mapping[StaticInstance, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Ungroupable:
    """A token comes from an anchor that cannot group so."""


@dataclass(frozen=True, slots=True)
class Cyclic:
    """Convergence-before has a cycle."""


@dataclass(frozen=True, slots=True)
class Woken:
    """A lane that had ended is on again at ``block``, where ``mask`` runs."""

    thread: int
    lane: int
    block: str
    mask: Mask
    rightly: Mask


@dataclass(frozen=True, slots=True)
class SpoiltRegister:
    """``register`` of a thread was reloaded at ``block`` as ``value`` where it held ``had``."""

    thread: int
    lane: int
    block: str
    register: str
    had: Json
    value: Json


Because = (
    SameKey | DifferentKeys | Ungroupable | Cyclic | Woken | SpoiltRegister | Unmasked | Misled | Stranded
)


@dataclass(frozen=True, slots=True)
class Departure:
    """The first operation at which a machine leaves every legal alignment.

    ``lane`` is the thread's, at its ``nth`` time (of a wrong mask the wave's); ``group`` ran, ``legal`` are
    the groups that the rules would have there for that lane; ``because`` says which key makes them equal or
    different, or what else.
    """

    rule: Rule
    operation: str
    thread: int
    lane: int
    nth: int
    group: tuple[int, ...]
    legal: tuple[tuple[int, ...], ...]
    because: Because


def departure(machine: LockstepMachine, run: Run, free: bool = True, quick: bool = True) -> Departure | None:
    """Where the machine's groups leave what is legal; ``None`` if they are a legal alignment.

    ``free``: uncontrolled operations may group in any way (a lock-step machine always does what mode any
    allows); else they must group as their keys say. ``quick``: the groups of issue slots are looked at
    together; looked at one by one (:meth:`_Check.first`), they take the third power of their number where
    anchors are in loops.
    """
    check = _Check(machine, run, free)
    if not quick:
        return check.first()
    slots = range(len(check.issue_slots))
    if check.fit(len(slots)):
        return check.cyclic()
    at = bisect_left(slots, True, key=lambda n: not check.fit(n + 1))
    return check.departing(at) or _Check(machine, run, free).first()


class _Check:
    """``same``: equal labels, by union-find; ``threads``: whose labels those of a root are; ``merged``: the
    roots that became equal to others, in order. ``apart``: pairs of labels that must differ. ``clash``:
    whether two labels of one thread were to become equal."""

    def __init__(self, machine: LockstepMachine, run: Run, free: bool) -> None:
        self.machine = machine
        self.run = run
        self.issue_slots = [m for m in machine.issue_slots if self._communicates(m, free)]
        self.split = Skeletons().of
        self.same: dict[Label, Label] = {}
        self.threads: dict[Label, set[int]] = {}
        self.merged: list[Label] = []
        self.clash = False
        self.apart: list[tuple[Sequence[tuple[Label, Label]], IssueSlot]] = []
        self.alike: dict[Skeleton, list[tuple[IssueSlot, Happened]]] = {}
        self.named: list[set[Name] | None] = []
        """The names of a slot's instances, if none has a label: others change while labels become equal."""
        self.cases: dict[tuple[StaticInstance, Skeleton], list[tuple[int, Key, SwitchedCase]]] = {}
        for (thread, key), case in machine.cases.items():
            token = () if case.token is None else self.split(thread, case.token)[0]
            self.cases.setdefault((key.site, token), []).append((thread, key, case))
        for slot in self.issue_slots:
            names: set[Name] = set()
            fixed = True
            for happened in slot.happened.values():
                skeleton, labels = split = self._split(happened)
                self.alike.setdefault(skeleton, []).append((slot, happened))
                names.add(split)
                fixed = fixed and not labels
            self.named.append(names if fixed else None)

    def _communicates(self, slot: IssueSlot, free: bool) -> bool:
        """Whether lanes exchange something there: no control intrinsic, no call that only enters."""
        if not self.machine.communicates(slot.site):
            return False
        key = next(iter(slot.happened.values())).key
        return not (free and key.kind is KeyKind.FREE)

    # -- what the groups ask of labels ----------------------------------------------------------------------

    def _split(self, happened: Happened) -> Name:
        return self.split(happened.instance.thread, happened.key)

    def first(self) -> Departure | None:
        self._join_cases()
        for slot in self.issue_slots:
            difference = self._unequal(slot) or self._equal(slot)
            if difference is not None:
                return difference
        return self.cyclic()

    def cyclic(self) -> Departure | None:
        """D-ORDER, where all groups fit."""
        cycle = self._cycle()
        return None if cycle is None else self._out_of_order(cycle)

    def fit(self, count: int) -> bool:
        """Whether the first ``count`` slots let :meth:`first` go on: all members of each group have one key,
        and nobody elsewhere has it. They need not be looked at one by one, for labels only ever become equal,
        and which do does not hang from the order in which groups are joined: two keys are equal at the end
        if and only if they became so at some slot, and two labels of one thread are in a class if and only
        if two classes with that thread were joined. So more slots fit never where fewer do not."""
        self.same, self.threads, self.merged, self.clash = {}, {}, [], False
        for slot in self.issue_slots[:count]:
            if self._misfit(slot) is not None:
                return False
        self._join_cases()
        return not self.clash and self._first_shared(count) is None

    def _first_shared(self, count: int) -> IssueSlot | None:
        """The first of so many slots of which some instance has a key that one of another slot has."""
        names = [
            set(map(self._name, slot.happened.values())) if known is None else known
            for slot, known in zip(self.issue_slots, self.named, strict=True)
        ]
        slots = Counter(chained.from_iterable(names))
        shared = zip(self.issue_slots[:count], names, strict=False)
        return next((slot for slot, mine in shared if any(slots[name] > 1 for name in mine)), None)

    def _name(self, happened: Happened) -> Name:
        """The key as far as labels are known to be equal."""
        skeleton, labels = split = self._split(happened)
        return (skeleton, tuple(map(self._find, labels))) if labels else split

    def departing(self, at: int) -> Departure | None:
        """What :meth:`first` says where it stops at slot number ``at``."""
        self.fit(at)
        slot = self.issue_slots[at]
        return self._unequal(slot, at) or self._equal(slot)

    def _unequal(self, slot: IssueSlot, before: int = 0) -> Departure | None:
        """All members of a group have one key. So many slots ``before`` it were looked at together."""
        first, known = next(iter(slot.happened.values())), len(self.merged)
        other = self._misfit(slot)
        if other is not None:
            return self._departure(slot, first, self._differ(first, other))
        if len(self.merged) == known:  # nothing has become equal
            return None
        self._join_cases()
        for pairs, earlier in self.apart:
            if all(self._find(a) == self._find(b) for a, b in pairs):
                return self._departure(slot, first, self._differ(first, first), earlier)
        if before and (shared := self._first_shared(before)) is not None:
            return self._departure(slot, first, self._differ(first, first), shared)
        return None

    def _misfit(self, slot: IssueSlot) -> Happened | None:
        """The first member of a group that cannot have the first one's key; labels of those before it become
        equal."""
        first, *others = slot.happened.values()
        skeleton, labels = self._split(first)
        for other in others:
            mine, theirs = self._split(other)
            if mine != skeleton or not self._join(labels, theirs):
                return other
        return None

    def _equal(self, slot: IssueSlot) -> Departure | None:
        """No instance elsewhere has that key, be it earlier or later."""
        for happened in slot.happened.values():
            skeleton, labels = self._split(happened)
            for elsewhere, other in self.alike[skeleton]:
                if elsewhere is slot:
                    continue
                _, theirs = self._split(other)
                pairs = [
                    (a, b) for a, b in zip(labels, theirs, strict=True) if self._find(a) != self._find(b)
                ]
                if not pairs:
                    return self._departure(slot, happened, self._agree(happened, other))
                self.apart.append((pairs, slot))
        return None

    def _join_cases(self) -> None:
        """R-CASE: threads that came to a switch with one token, and to a case of it with one value or out of
        another case together, are not parted; nor, where ways meet (R-UNIFORM), those of one way. No two
        labels of one thread become equal, as none comes to a case twice with one token, or anywhere by one
        way."""
        joined = True
        while joined:
            joined = False
            for comers in self.cases.values():
                for (first, key, case), (second, other, its) in combinations(comers, 2):
                    if (
                        self._label(first, key) != self._label(second, other)
                        and self._with_one_token(first, case, second, its)
                        and self._with_one_value(first, case, second, its)
                    ):
                        joined |= self._join(self.split(first, key)[1], self.split(second, other)[1])

    def _label(self, thread: int, key: Key) -> Label:
        assert key.group is not None
        return self._find((thread, key.group))

    def _with_one_token(self, first: int, case: SwitchedCase, second: int, other: SwitchedCase) -> bool:
        if case.token is None or other.token is None:
            return case.token is other.token
        return self._is_one(first, case.token, second, other.token)

    def _with_one_value(self, first: int, case: SwitchedCase, second: int, other: SwitchedCase) -> bool:
        if isinstance(case.value, Key) and isinstance(other.value, Key):
            return self._is_one(first, case.value, second, other.value)
        same: bool = case.value == other.value
        return same

    def _is_one(self, first: int, key: Key, second: int, other: Key) -> bool:
        """Whether two threads' keys are equal so far."""
        (mine, labels), (theirs, others) = self.split(first, key), self.split(second, other)
        return mine == theirs and [*map(self._find, labels)] == [*map(self._find, others)]

    def _join(self, labels: Iterable[Label], others: Iterable[Label]) -> bool:
        """Makes labels equal; False if two of one thread would be."""
        for first, second in zip(labels, others, strict=True):
            a, b = self._find(first), self._find(second)
            if a == b:
                continue
            threads = self.threads.setdefault(a, {a[0]})
            theirs = self.threads.setdefault(b, {b[0]})
            if threads & theirs:
                self.clash = True
                return False
            threads |= theirs
            self.same[b] = a
            self.merged.append(b)
        return True

    def _find(self, label: Label) -> Label:
        while self.same.setdefault(label, label) != label:
            label = self.same[label]
        return label

    def _cycle(self) -> OrderCycle | None:
        """D-ORDER for the partition that was found."""
        classes: dict[object, set[DynamicInstance]] = {}
        for _, happened in self.machine.instances():
            classes.setdefault(self._name(happened), set()).add(happened.instance)
        if not classes:
            return None  # program order alone has none, and the traces of a long run take long to make
        execution = self.run.execution
        relation = ConvergedWith(frozenset(map(frozenset, classes.values())))
        cycle = order(Execution(execution.visits, relation, execution.launch_groups))
        return cycle if isinstance(cycle, OrderCycle) else None

    # -- saying so ------------------------------------------------------------------------------------------

    def _departure(
        self, slot: IssueSlot, at: Happened, because: Because, earlier: IssueSlot | None = None
    ) -> Departure:
        """In terms of lanes; ``legal`` is the group that the lane's key asks for."""
        if earlier is not None:
            slot, at = earlier, next(iter(earlier.happened.values()))
        name = self._name(at)
        alike = (other for _, other in self.alike[name[0]] if self._name(other) == name)
        legal = {self._lane(other.instance.thread) for other in alike}
        return Departure(
            at.key.rule,
            self.machine.program.name(slot.site),
            at.instance.thread,
            self._lane(at.instance.thread),
            at.instance.nth,
            tuple(sorted(self._lane(t) for t in slot.happened)),
            (tuple(sorted(legal)),),
            because,
        )

    def _lane(self, thread: int) -> int:
        return self.machine.threads[thread].lane

    def _agree(self, first: Happened, second: Happened) -> SameKey:
        """Which part of two equal keys says that they are equal."""
        key, lane = first.key, self._lane(second.instance.thread)
        if key.kind is KeyKind.FREE:
            return self._shared(key.header, lane, token=False)
        heart = _heart(key)
        above = key.parent if heart is None and key.kind is KeyKind.USE else None
        if isinstance(above, Key) and above.kind in (
            KeyKind.ENTRY,
            KeyKind.ANCHOR,
        ):  # a use outside all loops
            heart = above
        return self._shared(heart, lane, token=True)

    def _shared(self, part: Key | None, lane: int, token: bool) -> SameKey:
        return SameKey(part, "" if part is None else self.machine.program.name(part.site), lane, token)

    def _differ(self, first: Happened, second: Happened) -> Because:
        lanes = self._lane(first.instance.thread), self._lane(second.instance.thread)
        difference = why_not_converged(self.run.keys[first.instance], self.run.keys[second.instance])
        if difference is None:
            return Ungroupable()
        return DifferentKeys(lanes, difference, difference.named(self.machine.program.name))

    def _out_of_order(self, cycle: OrderCycle) -> Departure:
        instance = cycle.steps[0][0]
        slot = next(m for m, h in self.machine.instances() if h.instance == instance)
        group = tuple(sorted(self._lane(t) for t in slot.happened))
        name = self.machine.program.name(instance.site)
        lane = self._lane(instance.thread)
        return Departure(
            Rule.D_ORDER, name, instance.thread, lane, instance.nth, group, (),
            Cyclic(),
        )  # fmt: skip


def _heart(key: Key) -> Key | None:
    """The innermost heart that a key hangs from by tokens alone."""
    for link in chain(key):
        if isinstance(link, LaunchGroup) or link.kind not in (KeyKind.LOOP, KeyKind.USE):
            break
        if link.kind is KeyKind.LOOP:
            return link
    return None


# -- Keys with their labels taken out: what two keys have in common whatever anchors choose

Label = tuple[int, int]
"""A thread's label, by thread and the number of the group that it joined for the machine."""
Skeleton = tuple[object, ...]
"""A key with the labels taken out."""
Name = tuple[Skeleton, tuple[Label, ...]]
"""A key's skeleton, and its labels."""


class Skeletons:
    """The skeletons of one run; equal ones are the same number inside others, so that they stay small. A key
    without labels has the same one whose key it is, so that it is looked at once: ``plain``."""

    def __init__(self) -> None:
        self.plain: dict[Key, Name] = {}
        self.parts: dict[int, dict[Root, Name]] = {}
        self.interned: dict[Skeleton, int] = {}

    def of(self, thread: int, key: Key) -> Name:
        """The skeleton of a thread's key, and its labels in order."""
        split = self.plain.get(key)
        if split is None:
            known = self.parts.setdefault(thread, {})
            split = known.get(key)
            if split is None:
                split = self._folded(thread, key, known)
                if not split[1]:
                    self.plain[key] = split
        return split

    def _folded(self, thread: int, key: Key, known: dict[Root, Name]) -> Name:
        def node(key: Key, parents: tuple[Name, ...]) -> Name:
            labels = [label for _, inner in parents for label in inner]
            own: object = key.own
            if key.group is not None:
                own = None
                labels.append((thread, key.group))
            numbers = [self.interned.setdefault(skeleton, len(self.interned)) for skeleton, _ in parents]
            return (key.kind, key.site, own, *numbers), tuple(labels)

        return fold(key, lambda launch: ((launch,), ()), node, known)
