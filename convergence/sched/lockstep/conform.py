"""Whether a lock-step machine's groups are a legal alignment (semantics.md, §7), and where they leave it.

Each instance of an anchor gets a label of its own first. That the machine's groups be classes then asks of
labels only that some are equal and others differ; what is asked is forced, so going through the groups in
order of time finds the departure for the partition that survives longest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...alignment.instances import ConvergedWith, DynamicInstance, Execution
from ...alignment.order import OrderCycle, order
from ...ir.calls import callee_name, control
from ...ir.instructions import CallSite
from ...rules import Rule
from ...semantics.convergence.keys import (
    AnchorKey,
    CallKey,
    Chosen,
    EntryKey,
    FreeKey,
    HeaderKey,
    Key,
    LaunchGroup,
    LoopKey,
    Root,
    UseKey,
    ordinal,
    rule_of,
    why_not_converged,
)
from ...semantics.machine.run import Run
from .machine import Happened, IssueSlot, LockstepMachine


@dataclass(frozen=True, slots=True)
class Departure:
    """The first operation at which a machine leaves every legal alignment.

    ``lane`` is the thread's, at its ``nth`` time; ``group`` ran, ``legal`` are the groups that the rules
    would have there for that lane; ``because`` says in words which key makes them equal or different.
    """

    rule: Rule
    operation: str
    thread: int
    lane: int
    nth: int
    group: tuple[int, ...]
    legal: tuple[tuple[int, ...], ...]
    because: str

    @property
    def words(self) -> str:
        ran = "{" + ",".join(map(str, self.group)) + "}"
        legal = " or ".join("{" + ",".join(map(str, group)) + "}" for group in self.legal)
        allows = f"{self.rule.id} allows only {legal}" if self.legal else f"{self.rule.id} forbids it"
        said = f"{self.operation}, lane {self.lane}, {_spelled(self.nth)} time: ran {ran}; {allows}"
        return f"{said}, because {self.because}" if self.because else said


def departure(machine: LockstepMachine, run: Run, free: bool = True) -> Departure | None:
    """Where the machine's groups leave what is legal; ``None`` if they are a legal alignment.

    ``free``: uncontrolled operations may group in any way (a lock-step machine always does what mode any
    allows); else they must group as their keys say.
    """
    return _Check(machine, run, free).first()


class _Check:
    """``same``: equal labels, by union-find; ``threads``: whose labels those of a root are; ``merged``: the
    roots that became equal to others, in order. ``apart``: pairs of labels that must differ."""

    def __init__(self, machine: LockstepMachine, run: Run, free: bool) -> None:
        self.machine = machine
        self.run = run
        self.issue_slots = [m for m in machine.issue_slots if self._communicates(m, free)]
        self.split = Skeletons().of
        self.same: dict[Label, Label] = {}
        self.threads: dict[Label, set[int]] = {}
        self.merged: list[Label] = []
        self.apart: list[tuple[Sequence[tuple[Label, Label]], IssueSlot]] = []
        self.alike: dict[Skeleton, list[tuple[IssueSlot, Happened]]] = {}
        for slot in self.issue_slots:
            for happened in slot.happened.values():
                skeleton, _ = self.split(happened)
                self.alike.setdefault(skeleton, []).append((slot, happened))

    def _communicates(self, slot: IssueSlot, free: bool) -> bool:
        """Whether lanes exchange something there: no control intrinsic, no call that only enters."""
        module = self.machine.program.module
        call = module.functions[slot.site.function].instructions[slot.site.index]
        if control(call) is not None or not isinstance(call, CallSite):
            return False
        name = callee_name(call)
        function = module.functions.get(name) if name is not None else None
        if function is not None and not function.is_declaration:
            return False
        key = next(iter(slot.happened.values())).key
        return not (free and isinstance(key, FreeKey))

    # -- what the groups ask of labels ----------------------------------------------------------------------

    def first(self) -> Departure | None:
        for slot in self.issue_slots:
            found = self._unequal(slot) or self._equal(slot)
            if found is not None:
                return found
        cycle = self._cycle()
        return None if cycle is None else self._out_of_order(cycle)

    def _unequal(self, slot: IssueSlot) -> Departure | None:
        """All members of a group have one key."""
        first, *others = slot.happened.values()
        known = len(self.merged)
        skeleton, labels = self.split(first)
        for other in others:
            found, theirs = self.split(other)
            if found != skeleton or not self._join(labels, theirs):
                return self._departure(slot, first, self._differ(first, other))
        if len(self.merged) == known:  # nothing has become equal
            return None
        for pairs, earlier in self.apart:
            if all(self._find(a) == self._find(b) for a, b in pairs):
                return self._departure(slot, first, self._differ(first, first), earlier)
        return None

    def _equal(self, slot: IssueSlot) -> Departure | None:
        """No instance elsewhere has that key, be it earlier or later."""
        for happened in slot.happened.values():
            skeleton, labels = self.split(happened)
            for elsewhere, other in self.alike[skeleton]:
                if elsewhere is slot:
                    continue
                _, theirs = self.split(other)
                pairs = [
                    (a, b) for a, b in zip(labels, theirs, strict=True) if self._find(a) != self._find(b)
                ]
                if not pairs:
                    return self._departure(slot, happened, self._agree(happened, other))
                self.apart.append((pairs, slot))
        return None

    def _join(self, ones: Iterable[Label], others: Iterable[Label]) -> bool:
        """Makes labels equal; False if two of one thread would be."""
        for one, other in zip(ones, others, strict=True):
            a, b = self._find(one), self._find(other)
            if a == b:
                continue
            threads = self.threads.setdefault(a, {a[0]})
            theirs = self.threads.setdefault(b, {b[0]})
            if threads & theirs:
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
            skeleton, labels = self.split(happened)
            name: object = (skeleton, tuple(self._find(label) for label in labels))
            classes.setdefault(name, set()).add(happened.instance)
        execution = self.run.execution
        relation = ConvergedWith(frozenset(map(frozenset, classes.values())))
        found = order(Execution(execution.visits, relation, execution.launch_groups))
        return found if isinstance(found, OrderCycle) else None

    # -- saying so ------------------------------------------------------------------------------------------

    def _departure(
        self, slot: IssueSlot, at: Happened, because: str, earlier: IssueSlot | None = None
    ) -> Departure:
        """In terms of lanes; ``legal`` is the group that the lane's key asks for."""
        if earlier is not None:
            slot, at = earlier, next(iter(earlier.happened.values()))
        skeleton, labels = self.split(at)
        name = tuple(map(self._find, labels))
        legal = {
            self._lane(other.instance.thread)
            for _, other in self.alike[skeleton]
            if tuple(map(self._find, self.split(other)[1])) == name
        }
        return Departure(
            rule_of(at.key),
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

    def _agree(self, one: Happened, other: Happened) -> str:
        """Which part of two equal keys says that they are equal."""
        if isinstance(one.key, FreeKey):
            header = one.key.header
            if header is None:
                return "no header of a cycle around it was passed"
            return f"its most recent header %{header.block} n={header.n} is equal (D-FREE)"
        loop = _loop_in(one.key)
        if loop is None:
            return self._same_token(one.key, other)
        name = self.machine.program.name(loop.site)
        return f"{name} n={loop.n} is equal (D-LOOP)"

    def _same_token(self, key: Key, other: Happened) -> str:
        """What a use outside all loops hangs from."""
        if isinstance(key, UseKey) and isinstance(key.token, EntryKey | AnchorKey):
            name = self.machine.program.name(key.token.site)
            return f"{name} is equal ({rule_of(key.token).id})"
        return f"the token of lane {self._lane(other.instance.thread)} is the same"

    def _differ(self, one: Happened, other: Happened) -> str:
        called = f"lane {self._lane(one.instance.thread)}", f"lane {self._lane(other.instance.thread)}"
        keys = self.run.keys[one.instance], self.run.keys[other.instance]
        difference = why_not_converged(*keys, self.machine.program.name, called)
        if difference is None:
            return "its token comes from an anchor that cannot group so"
        return difference.words

    def _out_of_order(self, cycle: OrderCycle) -> Departure:
        instance = cycle.steps[0][0]
        slot = next(m for m, h in self.machine.instances() if h.instance == instance)
        group = tuple(sorted(self._lane(t) for t in slot.happened))
        name = self.machine.program.name(instance.site)
        lane = self._lane(instance.thread)
        return Departure(
            Rule.D_ORDER, name, instance.thread, lane, instance.nth, group, (),
            "convergence-before has a cycle",
        )  # fmt: skip


_FIRST = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def _spelled(n: int) -> str:
    """``first``, ``second``, ``11th``."""
    return _FIRST[n - 1] if n <= len(_FIRST) else ordinal(n)


def _loop_in(key: Key) -> LoopKey | None:
    """The innermost heart that a key hangs from."""
    match key:
        case LoopKey():
            return key
        case UseKey(token=token):
            return _loop_in(token)
        case _:
            return None


# -- Keys with their labels taken out: what two keys have in common whatever anchors choose

Label = tuple[int, int]
"""A thread's label, by thread and the number of the group that it joined for the machine."""
Skeleton = tuple[object, ...]
"""A key with the labels taken out."""


class Skeletons:
    """The skeletons of one run; equal ones are the same number inside others, so that they stay small."""

    def __init__(self) -> None:
        self.parts: dict[tuple[int, Key], tuple[Skeleton, tuple[Label, ...]]] = {}
        self.interned: dict[Skeleton, int] = {}

    def of(self, happened: Happened) -> tuple[Skeleton, tuple[Label, ...]]:
        """A key's skeleton, and its labels in order."""
        return self._split(happened.instance.thread, happened.key)

    def _split(self, thread: int, key: Key) -> tuple[Skeleton, tuple[Label, ...]]:
        """Parts first, without recursion: keys nest as deep as calls do."""
        work = [key]
        while work:
            top = work[-1]
            missing = [p for p in _parts(top) if (thread, p) not in self.parts]
            if missing and (thread, top) not in self.parts:
                work.extend(missing)
                continue
            work.pop()
            self.parts.setdefault((thread, top), self._made(thread, top))
        return self.parts[thread, key]

    def _made(self, thread: int, key: Key) -> tuple[Skeleton, tuple[Label, ...]]:
        inner = [self.parts[thread, part] for part in _parts(key)]
        labels = tuple(label for _, found in inner for label in found)
        own: tuple[object, ...] = ()
        match key:
            case LoopKey():
                own = (key.site, key.n)
            case HeaderKey():
                own = (key.function, key.block, key.n, key.frame if _is_launch(key.frame) else None)
            case AnchorKey(site, Chosen(group)):
                own, labels = (site,), (*labels, (thread, group))
            case FreeKey(site, Chosen(group)):
                own, labels = (site,), (*labels, (thread, group))
            case FreeKey() | CallKey():
                own = (key.site, getattr(key, "label", None), key.frame if _is_launch(key.frame) else None)
            case EntryKey():
                own = (key.site, key.caller if _is_launch(key.caller) else None)
            case UseKey():
                own = (key.site,)
        skeleton: Skeleton = (type(key).__name__, *own, *(self._number(s) for s, _ in inner))
        return skeleton, labels

    def _number(self, skeleton: Skeleton) -> int:
        return self.interned.setdefault(skeleton, len(self.interned))


def _is_launch(root: Root | None) -> bool:
    return isinstance(root, LaunchGroup)


def _parts(key: Key) -> tuple[Key, ...]:
    """The keys that a key is made from."""
    found: tuple[Root | None, ...]
    match key:
        case AnchorKey():
            found = ()
        case EntryKey(caller=caller):
            found = (caller,)
        case LoopKey(token=token) | UseKey(token=token):
            found = (token,)
        case HeaderKey(frame=frame, base=base):
            found = (frame, base)
        case FreeKey(frame=frame, header=header):
            found = (frame, header)
        case CallKey(frame=frame, header=header, tokens=tokens):
            found = (frame, header, *tokens)
    return tuple(p for p in found if p is not None and not isinstance(p, LaunchGroup))
