"""Structural keys: what a thread can compute alone of the converged-with relation.

Two dynamic instances of controlled operations are converged-with exactly if their keys are equal
(COS, *Dynamic Instances and Convergence Tokens*). Keys are interned per run by :class:`Keys`, so
that equality is identity and hashing costs the same at every depth. Only labels are choices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from ...alignment.instances import StaticInstance
from ...rules import Rule


@dataclass(frozen=True, slots=True, eq=False)
class LaunchGroup:
    """Threads that the environment launched together: ``size`` of them, from number ``first``."""

    number: int
    first: int
    size: int


class Chosen(NamedTuple):
    """A label by choice: the number of the group that the instance joined."""

    group: int


class Alone(NamedTuple):
    """The label of an instance that is converged with no other (D-FREE, mode none)."""

    thread: int
    nth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EntryKey:
    """``entry`` at ``site``, entered through an instance with key ``caller`` or by the launch."""

    site: StaticInstance
    caller: Root


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LoopKey:
    """``loop`` at ``site``, executed for the ``n``-th time with the token ``token``."""

    site: StaticInstance
    token: Key
    n: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UseKey:
    """Any other controlled operation at ``site`` with the token ``token``."""

    site: StaticInstance
    token: Key


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnchorKey:
    """``anchor`` at ``site`` in the group that its label says."""

    site: StaticInstance
    label: Chosen


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HeaderKey:
    """The ``n``-th execution of cycle header ``block`` in a frame since the header instance
    ``base`` of an enclosing cycle, or since the frame began (D-FREE, mode maximal)."""

    frame: Root
    function: str
    block: str
    base: HeaderKey | None
    n: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FreeKey:
    """An uncontrolled operation at ``site``: a label, or under mode maximal its frame and the
    most recent instance of a header of a cycle around it (``None``: no such header yet)."""

    site: StaticInstance
    label: Chosen | Alone | None
    frame: Root | None
    header: HeaderKey | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CallKey:
    """A call that is no convergent operation, as the controlled maximal converged-with relation
    has it: its frame, the header instance around it, and the tokens whose regions contain it."""

    site: StaticInstance
    frame: Root
    header: HeaderKey | None
    tokens: tuple[Key, ...]


Key = EntryKey | LoopKey | UseKey | AnchorKey | FreeKey | HeaderKey | CallKey
Root = Key | LaunchGroup
"""What a frame's convergence hangs from: the key of its call-site instance, or the launch."""


_K = TypeVar("_K", EntryKey, LoopKey, UseKey, AnchorKey, HeaderKey, FreeKey, CallKey)


class Keys:
    """The keys of one run, each made once."""

    __slots__ = ("_labels", "_table")

    def __init__(self) -> None:
        self._table: dict[tuple[object, ...], Key] = {}
        self._labels: dict[Key, Chosen | None] = {}

    def label(self, key: Key) -> Chosen | None:
        """The chosen label that a key hangs from, if it does not hang from the launch."""
        return self._labels[key]

    def entry(self, site: StaticInstance, caller: Root) -> EntryKey:
        return self._interned(EntryKey, site, caller)

    def loop(self, site: StaticInstance, token: Key, n: int) -> LoopKey:
        return self._interned(LoopKey, site, token, n)

    def use(self, site: StaticInstance, token: Key) -> UseKey:
        return self._interned(UseKey, site, token)

    def anchor(self, site: StaticInstance, label: Chosen) -> AnchorKey:
        return self._interned(AnchorKey, site, label)

    def free(self, site: StaticInstance, label: Chosen | Alone) -> FreeKey:
        return self._interned(FreeKey, site, label, None, None)

    def maximal(self, site: StaticInstance, frame: Root, header: HeaderKey | None) -> FreeKey:
        return self._interned(FreeKey, site, None, frame, header)

    def header(self, frame: Root, function: str, block: str, base: HeaderKey | None, n: int) -> HeaderKey:
        return self._interned(HeaderKey, frame, function, block, base, n)

    def call(
        self, site: StaticInstance, frame: Root, header: HeaderKey | None, tokens: tuple[Key, ...]
    ) -> CallKey:
        return self._interned(CallKey, site, frame, header, tokens)

    def _interned(self, kind: Callable[..., _K], *parts: object) -> _K:
        name = (kind, *parts)
        known = self._table.get(name)
        if known is None:
            known = self._table[name] = kind(*parts)
            self._labels[known] = self._label_of(known)
        return known  # type: ignore[return-value]  # the table holds under `kind` what `kind` made

    def _label_of(self, key: Key) -> Chosen | None:
        if isinstance(key, AnchorKey | FreeKey) and isinstance(key.label, Chosen):
            return key.label
        above = parent(key)
        return None if above is None or isinstance(above, LaunchGroup) else self._labels[above]


def parent(key: Key) -> Root | None:
    """What a key is made from, one step towards the launch or a label (``None``)."""
    match key:
        case EntryKey(caller=caller):
            return caller
        case LoopKey(token=token) | UseKey(token=token):
            return token
        case AnchorKey():
            return None
        case HeaderKey(frame=frame, base=base):
            return base or frame
        case FreeKey(frame=frame, header=header):
            return header or frame
        case CallKey(frame=frame, header=header):
            return header or frame


def chain(key: Root) -> list[Root]:
    """A key, its parent, and so on: the last one is a launch group or carries a label."""
    links: list[Root] = [key]
    while not isinstance(key, LaunchGroup):
        above = parent(key)
        if above is None:
            break
        links.append(above)
        key = above
    return links


@dataclass(frozen=True, slots=True)
class Difference:
    """Why two keys differ: the rule that tells them apart, in words, and the first keys apart."""

    rule: Rule
    words: str
    first: Root
    second: Root


Describe = Callable[[StaticInstance], str]


def why_not_converged(
    one: Key,
    other: Key,
    describe: Describe = lambda s: f"@{s.function}:{s.index}",
    called: tuple[str, str] = ("the one", "the other"),
) -> Difference | None:
    """The first difference of two keys, counted from where their threads began; ``None`` if equal.

    ``describe`` names a static instance; ``called`` is what the words call the two arguments, in order.
    """
    if one is other:
        return None
    ones, others = chain(one)[::-1], chain(other)[::-1]
    for a, b in zip(ones, others, strict=False):
        if a is not b:
            return _difference(a, b, describe, called)
    longer = ones if len(ones) > len(others) else others
    inner = longer[min(len(ones), len(others))]
    assert not isinstance(inner, LaunchGroup)
    which = called[0] if longer is ones else called[1]
    return Difference(Rule.D_EQ, f"{which} is nested deeper, in {_place(inner, describe)}", one, other)


def _place(key: Key, describe: Describe) -> str:
    if isinstance(key, HeaderKey):
        return f"the cycle of %{key.block} in @{key.function}"
    return describe(key.site)


def _difference(a: Root, b: Root, describe: Describe, called: tuple[str, str]) -> Difference:
    """Words for two keys with the same parent, or none, that are not the same."""
    one, other = called
    if isinstance(a, LaunchGroup) or isinstance(b, LaunchGroup):
        return Difference(Rule.D_EQ, "their threads were launched in different groups", a, b)
    match a, b:
        case (LoopKey(), LoopKey()) if a.site == b.site:
            words = (
                f"{describe(a.site)} was executed for the {ordinal(a.n)} time with its token in {one}, "
                f"for the {ordinal(b.n)} time in {other}"
            )
            return Difference(Rule.D_LOOP, words, a, b)
        case (AnchorKey(), AnchorKey()) if a.site == b.site:
            return Difference(
                Rule.D_ANCHOR, f"{describe(a.site)} put them in different groups, by choice", a, b
            )
        case (HeaderKey(), HeaderKey()) if a.block == b.block:
            words = (
                f"the header %{a.block} was executed for the {ordinal(a.n)} time in {one}, "
                f"for the {ordinal(b.n)} time in {other}"
            )
            return Difference(Rule.D_FREE, words, a, b)
        case (FreeKey(label=Alone()), FreeKey()) if a.site == b.site:
            return Difference(
                Rule.D_FREE, f"{describe(a.site)} is uncontrolled, and mode none keeps it apart", a, b
            )
        case (FreeKey(), FreeKey()) if a.site == b.site:
            return Difference(
                Rule.D_FREE, f"{describe(a.site)} is uncontrolled, and its groups were chosen apart", a, b
            )
        case (CallKey(), CallKey()) if a.site == b.site:
            return Difference(
                Rule.D_CALL, f"{describe(a.site)} was called under tokens that are not converged", a, b
            )
        case _:
            words = f"{one} comes through {_place(a, describe)}, {other} through {_place(b, describe)}"
            return Difference(rule_of(a), words, a, b)


_RULE: Mapping[type, Rule] = {
    EntryKey: Rule.D_ENTRY,
    LoopKey: Rule.D_LOOP,
    UseKey: Rule.D_USE,
    AnchorKey: Rule.D_ANCHOR,
    HeaderKey: Rule.D_FREE,
    FreeKey: Rule.D_FREE,
    CallKey: Rule.D_CALL,
}


def rule_of(key: Key) -> Rule:
    """The D-rule that gives an instance with such a key its key."""
    return _RULE[type(key)]


def ordinal(n: int) -> str:
    """``1st``, ``2nd``, ``11th``."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"
