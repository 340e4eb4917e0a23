"""Candidate dynamic instances, and what each one's convergence hangs from.

The axiomatic engine has no keys: the rules are constraints between pairs of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..alignment.instances import DynamicInstance, StaticInstance
from ..ir.types import Type
from ..semantics.exchanges import Exchanging
from ..semantics.keys import LaunchGroup
from ..semantics.values import RuntimeValue

if TYPE_CHECKING:
    from .tree import Node


@dataclass(frozen=True, slots=True, eq=False)
class Entered:
    """``entry`` in a frame that was launched, or called by ``root``."""

    root: Root


@dataclass(frozen=True, slots=True, eq=False)
class Beat:
    """``loop``, executed for the ``n``-th time with ``token``."""

    token: Instance
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class Uses:
    """Any other controlled operation, with ``token``."""

    token: Instance


@dataclass(frozen=True, slots=True, eq=False)
class Anchored:
    """``anchor``."""


@dataclass(frozen=True, slots=True, eq=False)
class Uncontrolled:
    """An uncontrolled operation in a frame called by ``root``, after the header instance ``header``."""

    root: Root | None
    header: Header | None


@dataclass(frozen=True, slots=True, eq=False)
class EnteredFreely:
    """A call that is no convergent operation but reaches ``entry`` (D-CALL): not in the alignment."""


Hangs = Entered | Beat | Uses | Anchored | Uncontrolled | EnteredFreely


@dataclass(frozen=True, slots=True, eq=False)
class Header:
    """The ``n``-th execution of a cycle's header in a frame since ``base`` (D-FREE, mode maximal)."""

    frame: Root
    function: str
    block: str
    base: Header | None
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class PlainCall:
    """A call that is no convergent operation, as mode maximal sees it (D-CALL): its frame, the header
    instance around it, and the tokens whose regions contain it."""

    site: StaticInstance
    frame: Root
    header: Header | None
    tokens: tuple[Instance, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """What an instance of an exchange asks its model: ``types`` are its operands', ``type`` its result's."""

    callee: str
    types: tuple[Type, ...]
    type: Type
    model: Exchanging
    stands_in: bool


@dataclass(slots=True, eq=False)
class Instance:
    """An instance of a convergent operation or control intrinsic on a thread's candidate trace.

    ``number``    unique; ``node`` the piece of the trace on which it lies
    ``hangs``     what the rules look at
    ``previous``  the thread's instance before it; ``None`` for the first
    ``visit``     its block visit's place in the trace
    ``frame``     its activation's number
    ``call``      for an exchange: what its model is asked, with ``operands``; ``result`` is an unknown,
                  ``picks`` one where results are no terms
    ``needs``     what its operands and its being executed depend on (D-CAUSE)
    """

    number: int
    thread: int
    launch: LaunchGroup
    site: StaticInstance
    nth: int
    node: Node
    hangs: Hangs
    previous: Instance | None
    visit: int
    frame: int
    operands: tuple[Any, ...] = ()
    result: RuntimeValue | None = None
    call: Call | None = None
    picks: Any = None
    needs: Needs = frozenset()

    @property
    def recorded(self) -> bool:
        """Whether it takes part in the alignment and in D-ORDER."""
        return not isinstance(self.hangs, EnteredFreely)

    @property
    def dynamic(self) -> DynamicInstance:
        return DynamicInstance(self.thread, self.site, self.nth)

    def __repr__(self) -> str:
        return f"@{self.site.function}:{self.site.index} thread {self.thread} #{self.nth}"


Root = Instance | LaunchGroup | PlainCall
"""What a frame's convergence hangs from: its call-site instance, or the launch."""
Needs = frozenset[Any]
"""Exchanges and accesses to shared memory (``Instance``, ``Reading``) on which something depends."""
