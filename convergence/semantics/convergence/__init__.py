"""Who is together: the D-rules, keys, groups, who may still come. A reader of the definition starts here.

Here: structural keys, what a thread can compute alone of the converged-with relation.

Two dynamic instances of controlled operations are converged-with exactly if their keys are equal
(COS, *Dynamic Instances and Convergence Tokens*). A key is a term: what it is the key of, where, what the
instance itself adds, and the keys that it hangs from. Keys are interned per run by :class:`Keys`, so that
equality is identity and hashing costs the same at every depth. Only labels are choices. Terms are as deep
as calls nest and tokens hang from tokens: whoever walks them uses :func:`chain`, :func:`fold` or
:meth:`Keys.map`, none of which recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...frozen import dataclass
from ...rules import Rule

if TYPE_CHECKING:
    from ...alignment import StaticInstance


@dataclass(frozen=True, slots=True, eq=False)
class LaunchGroup:
    """Threads that the environment launched together: ``size`` of them, from number ``first``, of the
    workgroup with this number."""

    number: int
    first: int
    size: int
    workgroup: int = 0


class KeyKind(StrEnum):
    """What a key is the key of."""

    __hash__ = str.__hash__  # without a call: keys are looked up by it at every operation

    ENTRY = "entry"
    LOOP = "loop"
    USE = "use"
    ANCHOR = "anchor"
    FREE = "free"
    HEADER = "header"
    CALL = "call"
    WAY = "way"

    @property
    def rule(self) -> Rule:
        """The D-rule that gives an instance such a key."""
        return _RULE[self]


_RULE = {
    KeyKind.ENTRY: Rule.D_ENTRY,
    KeyKind.LOOP: Rule.D_LOOP,
    KeyKind.USE: Rule.D_USE,
    KeyKind.ANCHOR: Rule.D_ANCHOR,
    KeyKind.FREE: Rule.D_FREE,
    KeyKind.HEADER: Rule.D_FREE,  # mode maximal
    KeyKind.CALL: Rule.D_CALL,
    KeyKind.WAY: Rule.D_ANCHOR,
}


class ChosenLabel(NamedTuple):
    """A label by choice: the number of the group that the instance joined."""

    group: int


class Alone(NamedTuple):
    """The label of an instance that is converged with no other (D-FREE, mode none)."""

    thread: int
    nth: int


class Pass(NamedTuple):
    """The ``n``-th execution of the cycle header ``block``."""

    block: str
    n: int


class Selected(NamedTuple):
    """The bits of a ``value`` by which a switch led to one of its blocks; of a candidate trace a term."""

    value: Any


Own = int | ChosenLabel | Alone | Pass | Selected | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Key:
    """A term. By kind, what the instance at ``site`` adds of its ``own``, and its ``parents``, the keys from
    which it hangs, innermost first:

    ========  =================================  ==============================================
    kind      own                                parents
    ========  =================================  ==============================================
    entry                                        the call's, or the launch group
    loop      n: how often with this token       the token
    use                                          the token
    anchor    the chosen label                   none, or of a case's the token
    free      the label (modes any and none)     none
    free      (mode maximal)                     the most recent header if there is one, the frame
    header    the block, and n: how often        the header around it if there is one, the frame
              since the parents
    call                                         as free in mode maximal, then the tokens whose
                                                 regions contain it
    way       the value of a switch that led     the token where the way begins, or the key of the
              there, where several do            anchor before on it; the launch group
    ========  =================================  ==============================================

    A frame stands for what it hangs from: the key of its call-site instance, or the launch group. The site of
    a header is its block's first instruction. A call has a key of its kind only where it is no convergent
    operation: it is what its frame hangs from in COS's controlled maximal converged-with relation.
    """

    kind: KeyKind
    site: StaticInstance
    own: Own
    parents: tuple[Root, ...]

    @property
    def rule(self) -> Rule:
        """The D-rule that gave it."""
        return _RULE[self.kind]

    @property
    def parent(self) -> Root | None:
        """What it hangs from, one step towards the launch or a label (``None``)."""
        return self.parents[0] if self.parents else None

    @property
    def header(self) -> Key | None:
        """The most recent header instance around it, where it hangs from one."""
        above = self.parents[0] if self.parents else None
        return above if isinstance(above, Key) and above.kind is KeyKind.HEADER else None

    @property
    def frame(self) -> Root:
        """What its frame hangs from (headers, calls, and free keys in mode maximal)."""
        return self.parents[0 if self.header is None else 1]

    @property
    def passes(self) -> Pass:
        """Of a header its block and n."""
        assert isinstance(self.own, Pass)
        return self.own

    @property
    def group(self) -> int | None:
        """The number of the group that it was chosen for, where it has a label by choice of its own."""
        return self.own.group if isinstance(self.own, ChosenLabel) else None


class SwitchedCase(NamedTuple):
    """With what a thread comes to an anchor that has a bound. Where a case of a switch begins (R-CASE): the
    ``token`` that it had at the switch; and the bits of the ``value`` that brought it here, of a candidate
    trace a term, or the key of the case that it fell out of. Where ways meet (R-UNIFORM) there is no token,
    and the value is what its way hangs from."""

    token: Key | None
    value: Any


Root = Key | LaunchGroup
"""What a frame's convergence hangs from: the key of its call-site instance, or the launch."""

_T = TypeVar("_T")


class Keys:
    """The keys of one run, each made once."""

    __slots__ = ("_groups", "_table")

    def __init__(self) -> None:
        self._table: dict[tuple[object, ...], Key] = {}
        self._groups: dict[Key, int | None] = {}

    def group(self, key: Key) -> int | None:
        """The number of the innermost group by choice that a key hangs from, if it hangs from one."""
        return self._groups[key]

    def entry(self, site: StaticInstance, caller: Root) -> Key:
        return self._interned(KeyKind.ENTRY, site, None, (caller,))

    def loop(self, site: StaticInstance, token: Key, n: int) -> Key:
        return self._interned(KeyKind.LOOP, site, n, (token,))

    def use(self, site: StaticInstance, token: Key) -> Key:
        return self._interned(KeyKind.USE, site, None, (token,))

    def anchor(self, site: StaticInstance, label: ChosenLabel, token: Key | None = None) -> Key:
        return self._interned(KeyKind.ANCHOR, site, label, () if token is None else (token,))

    def free(self, site: StaticInstance, label: ChosenLabel | Alone) -> Key:
        return self._interned(KeyKind.FREE, site, label, ())

    def maximal(self, site: StaticInstance, frame: Root, header: Key | None) -> Key:
        return self._interned(KeyKind.FREE, site, None, (frame,) if header is None else (header, frame))

    def header(self, site: StaticInstance, block: str, frame: Root, base: Key | None, n: int) -> Key:
        parents = (frame,) if base is None else (base, frame)
        return self._interned(KeyKind.HEADER, site, Pass(block, n), parents)

    def way(self, site: StaticInstance, value: Selected | None, before: Root) -> Key:
        return self._interned(KeyKind.WAY, site, value, (before,))

    def call(self, site: StaticInstance, frame: Root, header: Key | None, tokens: tuple[Key, ...]) -> Key:
        parents = (frame, *tokens) if header is None else (header, frame, *tokens)
        return self._interned(KeyKind.CALL, site, None, parents)

    def map(self, key: Key, own: Callable[[Key], Own], known: dict[Root, Root] | None = None) -> Key:
        """A key of any run made again here, each part of it with what ``own`` says. ``known`` keeps the parts
        that were made, for other keys that are mapped in the same way."""

        def node(part: Key, parents: tuple[Root, ...]) -> Root:
            return self._interned(part.kind, part.site, own(part), parents)

        image = fold(key, lambda launch: launch, node, known)
        assert isinstance(image, Key)
        return image

    def _interned(self, kind: KeyKind, site: StaticInstance, own: Own, parents: tuple[Root, ...]) -> Key:
        name = (kind, site, own, parents)
        known = self._table.get(name)
        if known is None:
            known = self._table[name] = Key(kind, site, own, parents)
            group = known.group
            if group is None and parents and isinstance(parents[0], Key):
                group = self._groups[parents[0]]
            self._groups[known] = group
        return known


def chain(key: Root) -> Iterator[Root]:
    """A key, its parent, and so on: the last one is a launch group, or a label that hangs from nothing."""
    link: Root | None = key
    while link is not None:
        yield link
        link = link.parent if isinstance(link, Key) else None


def fold(
    key: Root,
    leaf: Callable[[LaunchGroup], _T],
    node: Callable[[Key, tuple[_T, ...]], _T],
    known: dict[Root, _T] | None = None,
) -> _T:
    """What a key comes to: ``leaf`` of a launch group, ``node`` of a key and what its parents come to. Each
    part is looked at once; ``known`` keeps what parts came to, for keys that are folded in the same way."""
    if known is None:
        known = {}
    work = [key]
    while work:
        top = work[-1]
        if top in known:
            work.pop()
        elif isinstance(top, LaunchGroup):
            known[top] = leaf(top)
        elif missing := [parent for parent in top.parents if parent not in known]:
            work += missing
        else:
            known[top] = node(top, tuple([known[parent] for parent in top.parents]))
    return known[key]


class Reason(Enum):
    """In what the first links differ that are not the same in two keys."""

    LAUNCH = "launched in different groups"
    COUNT = "different executions of one loop, with its token, or of one header"
    LABEL = "different groups by choice"
    ALONE = "kept apart by mode none"
    TOKENS = "called under different tokens"
    VALUE = "different values of one switch"
    PLACE = "different operations"
    DEPTH = "one key is a part of the other"


@dataclass(frozen=True, slots=True)
class KeyDifference:
    """Why two keys differ: the ``rule`` that tells them apart, the ``reason``, and the links ``first`` of the
    one and ``second`` of the other, the first ones that are not the same, counted from where their
    threads began; for DEPTH the keys themselves."""

    rule: Rule
    reason: Reason
    first: Root
    second: Root

    @property
    def groups(self) -> tuple[int, int] | None:
        """The numbers of the two groups, where the difference is a choice."""
        if self.reason is not Reason.LABEL:
            return None
        assert isinstance(self.first, Key) and isinstance(self.second, Key)
        assert self.first.group is not None and self.second.group is not None
        return self.first.group, self.second.group

    def named(self, name: Callable[[StaticInstance], str]) -> dict[StaticInstance, str]:
        """The names of the operations at which words about the difference stand."""
        links = (self.deeper[1],) if self.reason is Reason.DEPTH else (self.first, self.second)
        return {link.site: name(link.site) for link in links if isinstance(link, Key)}

    @property
    def deeper(self) -> tuple[bool, Key]:
        """For DEPTH, the first link that only one of the keys has; whether it is the first one."""
        mine, theirs = [*chain(self.first)], [*chain(self.second)]
        longer, shorter = (mine, theirs) if len(mine) > len(theirs) else (theirs, mine)
        link = longer[len(longer) - len(shorter) - 1]
        assert isinstance(link, Key)
        return longer is mine, link


def why_not_converged(first: Key, second: Key) -> KeyDifference | None:
    """The first difference of two keys, counted from where their threads began; ``None`` if equal."""
    if first is second:
        return None
    mine, theirs = [*chain(first)][::-1], [*chain(second)][::-1]
    for a, b in zip(mine, theirs, strict=False):
        if a is not b:
            rule = a.rule if isinstance(a, Key) and isinstance(b, Key) else Rule.D_EQ
            return KeyDifference(rule, _reason(a, b), a, b)
    return KeyDifference(Rule.D_EQ, Reason.DEPTH, first, second)


def _reason(a: Root, b: Root) -> Reason:
    """In what two links differ that are not the same and have the same parent, or none."""
    if isinstance(a, LaunchGroup) or isinstance(b, LaunchGroup):
        return Reason.LAUNCH
    if a.kind is not b.kind or a.site != b.site:
        return Reason.PLACE
    match a.own, b.own:
        case (int(), int()) | (Pass(), Pass()):
            return Reason.COUNT
        case ChosenLabel(), ChosenLabel():
            return Reason.LABEL
        case (Alone(), _) | (_, Alone()):
            return Reason.ALONE
        case Selected(), Selected():
            return Reason.VALUE
    return Reason.TOKENS if a.kind is KeyKind.CALL else Reason.PLACE
