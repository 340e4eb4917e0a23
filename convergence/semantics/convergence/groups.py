"""Groups in the making: of an exchange that waits for its threads, and of a free choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from ...alignment.instances import StaticInstance
from ...rules import Rule
from ..errors import Waiting
from ..machine.choice import Chooser
from ..operations.model import Subgroup
from ..threads.state import Environment, Exchange, Thread
from .keys import Key, LaunchGroup, SwitchedCase
from .order import ConvergenceBefore


class PendingGroup:
    """The threads that wait at one exchange with one key.

    ``operands``  per waiting thread, in order of arrival; ``operands_shown`` the same as plain data
    ``checked``   how many threads of the launch group are known to come no more
    ``witness``   the thread after those, with its epoch when it was seen that it may still come
    ``passed_over`` its extent when another group was closed in its stead (0: never): closing it with no
                  larger one would repeat an execution seen before
    """

    __slots__ = (
        "checked",
        "exchange",
        "key",
        "launch",
        "operands",
        "operands_shown",
        "passed_over",
        "witness",
    )

    def __init__(self, key: Key, exchange: Exchange, launch: LaunchGroup) -> None:
        self.key = key
        self.exchange = exchange
        self.launch = launch
        self.operands: dict[int, tuple[Any, ...]] = {}
        self.operands_shown: dict[int, tuple[Any, ...]] = {}
        self.checked = 0
        self.witness = (-1, -1)
        self.passed_over = 0


class Member(NamedTuple):
    """A dynamic instance in a chosen group."""

    thread: int
    nth: int


class ChosenGroup:
    """A label of an anchor, or of an uncontrolled operation in mode any: who chose it so far, by
    ``members`` in order and by ``threads``.

    ``closed``: an operation that hangs from it was resolved, so that nobody can join any more.
    ``cases``: with what its members came to a case of a switch, where it is one's.
    """

    __slots__ = ("cases", "closed", "key", "launch", "members", "number", "site", "threads")

    def __init__(self, number: int, site: StaticInstance, launch: LaunchGroup) -> None:
        self.cases: set[SwitchedCase] = set()
        self.number = number
        self.site = site
        self.launch = launch
        self.key: Key | None = None
        self.members: list[Member] = []
        self.threads: set[int] = set()
        self.closed = False

    def join(self, member: Member) -> None:
        self.members.append(member)
        self.members.sort()
        self.threads.add(member.thread)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"thread {m.thread} #{m.nth}" for m in self.members) + "}"


class NewGroup(NamedTuple):
    """The option to found a group."""

    thread: int
    nth: int

    def __repr__(self) -> str:
        return f"{{thread {self.thread} #{self.nth}}} alone so far"


class Inventory(Environment, Protocol):
    """What the rules of convergence look at besides one thread: all threads, and groups in the making.

    ``threads``   by number; ``subgroups`` what models see of each launch group
    ``pending``   the groups that wait at exchanges, by key; ``resolved`` the keys of those that happened
    ``chosen_groups``    the groups founded by free labels, by number; ``groups_at`` the same by site
    ``order``     convergence-before, where a choice could close a cycle in it
    ``chooser``   answers free choices
    ``guesses``   closings of a group although another thread might still have come
    ``fired``     the rules that left something out, put it last, or let something wait
    """

    threads: list[Thread]
    subgroups: dict[LaunchGroup, Subgroup]
    pending: dict[Key, PendingGroup]
    resolved: set[Key]
    chosen_groups: list[ChosenGroup]
    groups_at: dict[tuple[StaticInstance, LaunchGroup], list[ChosenGroup]]
    order: ConvergenceBefore | None
    chooser: Chooser
    guesses: list[Waiting]
    fired: set[Rule]

    def members_of(self, launch: LaunchGroup) -> Sequence[Thread]:
        """The threads of a launch group."""

    def complete(self, group: PendingGroup) -> bool:
        """Whether all operands of a group are there."""

    def missing(self, group: PendingGroup) -> Iterator[Thread]:
        """The threads of other launch groups for which a group waits at a barrier of the workgroup."""

    def contributions(self, group: PendingGroup) -> Mapping[int, tuple[Any, ...]] | None:
        """What all threads bring to a collective of the workgroup at which launch groups meet, by their
        numbers in it; ``None`` for any other exchange."""

    def saw_result(self, thread: Thread, group: PendingGroup, value: Any) -> None:
        """An exchange with side effects happened."""

    def deliver(self, thread: Thread, group: PendingGroup, value: Any) -> None:
        """A member of a resolved group gets its result."""
