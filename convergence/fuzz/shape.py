"""The operations that generated programs call, as rows of a table.

``subgroup*`` and ``getSubgroup*`` have models (semantics/communication_subgroup.py); the others are
uninterpreted (D-CALL). Suffixes after a dot do not change a model but what the declaration promises.
"""

from __future__ import annotations

from random import Random
from typing import Literal

from ..frozen import dataclass

PURE = "nounwind willreturn memory(none)"


@dataclass(frozen=True, slots=True)
class OperationRow:
    """A declared function. ``operands`` has a letter per parameter: ``v`` an ``i32``, ``c`` an ``i1``, ``0``
    the constant lane 0. ``result`` is ``i32``, ``i1`` or ``void``."""

    name: str
    operands: str
    result: str
    attributes: str

    @property
    def convergent(self) -> bool:
        return "convergent" in self.attributes

    @property
    def declaration(self) -> str:
        types = ", ".join("i1" if kind == "c" else "i32" for kind in self.operands)
        return f"declare {self.result} @{self.name}({types}) {self.attributes}".rstrip()


EXCHANGES = (
    OperationRow("subgroupAdd", "v", "i32", f"convergent {PURE}"),
    OperationRow("subgroupBallot", "c", "i32", f"convergent {PURE}"),
    OperationRow("subgroupBroadcastFirst", "v", "i32", f"convergent {PURE}"),
    OperationRow("subgroupAny", "c", "i1", f"convergent {PURE}"),
    OperationRow("subgroupAll", "c", "i1", f"convergent {PURE}"),
    OperationRow("subgroupElect", "", "i1", f"convergent {PURE}"),
    OperationRow("subgroupShuffle", "v0", "i32", f"convergent {PURE}"),
    OperationRow("mix", "v", "i32", f"convergent {PURE}"),
)
"""Seen through their results only."""

SPECULATABLE = (
    OperationRow("subgroupAdd.spec", "v", "i32", f"convergent speculatable {PURE}"),
    OperationRow("subgroupBallot.spec", "c", "i32", f"convergent speculatable {PURE}"),
)

EFFECTS = (
    OperationRow("observe", "v", "void", "convergent nounwind willreturn"),
    OperationRow("subgroupAdd.seen", "v", "i32", "convergent nounwind willreturn"),
    OperationRow("exchange", "v", "i32", "convergent nounwind"),
    OperationRow("subgroupBarrier", "", "void", "convergent nounwind willreturn"),
    OperationRow("sync", "", "void", "convergent nounwind willreturn memory(inaccessiblemem: readwrite)"),
)
"""Convergent events."""

PLAIN = (
    OperationRow("event", "v", "void", "nounwind willreturn"),
    OperationRow("event2", "v", "void", "nounwind"),
    OperationRow("pure", "v", "i32", f"speculatable {PURE}"),
)
"""Not convergent; the first two are events all the same."""

LANE = OperationRow("getSubgroupLocalInvocationId", "", "i32", f"speculatable {PURE}")

ALL = {o.name: o for o in (*EXCHANGES, *SPECULATABLE, *EFFECTS, *PLAIN, LANE)}

CONTROL = {
    "entry": "declare token @llvm.experimental.convergence.entry()",
    "loop": "declare token @llvm.experimental.convergence.loop()",
    "anchor": "declare token @llvm.experimental.convergence.anchor()",
}


# -- What a generated program may hold: drawn anew for each program, so that features meet in all combinations
# Leaving features out of a program finds more than having all of them in each (Groce et al., *Swarm
# Testing*, ISSTA 2012): what one hides, its absence shows.

Control = Literal["entry", "anchor", "uncontrolled"]
"""Where a function's tokens come from. ``anchor``: the function need not be convergent."""


@dataclass(frozen=True, slots=True)
class Shape:
    """``kinds`` gives each kind of statement its weight. ``style`` is that of the launched function,
    ``helper_styles`` are those to choose from for helpers. ``statements`` bounds its size."""

    style: Control
    helper_styles: tuple[Control, ...]
    helpers: int
    statements: int
    depth: int
    kinds: tuple[tuple[str, int], ...]
    operations: tuple[str, ...]
    memory: bool
    weights: bool
    parameters: int
    lane: bool
    hearts: float
    """How probable it is that a loop has a heart, where it can."""


_KINDS = {
    "assign": 2, "choose": 1, "exchange": 7, "plain": 2, "conditional": 4, "twins": 3, "loop": 4,
    "empty_loop": 2, "early_return": 1, "leave": 2, "proceed": 1, "anchor": 1, "count": 1, "call": 2,
    "labelled": 1, "switch": 1, "irreducible": 1,
}  # fmt: skip
_ALWAYS = ("exchange", "assign")


def draw(random: Random, controlled: bool | None = True) -> Shape:
    """A shape; ``controlled`` is ``None`` for any mix of controlled and uncontrolled functions."""
    kinds = tuple(
        (name, weight * random.choice((1, 1, 2)))
        for name, weight in _KINDS.items()
        if name in _ALWAYS or random.random() < (0.15 if name == "anchor" else 0.55)
    )
    operations = ["subgroupAdd"]
    for group in (
        ("subgroupBallot", "subgroupAny", "subgroupAll"),
        ("subgroupBroadcastFirst", "subgroupElect", "subgroupShuffle", "mix"),
        ("subgroupAdd.spec", "subgroupBallot.spec"),
        ("observe", "exchange"),
        ("subgroupAdd.seen", "subgroupBarrier", "sync"),
    ):
        if random.random() < 0.4:
            operations += random.sample(group, random.randint(1, len(group)))
    everything: tuple[Control, ...] = ("entry", "anchor", "uncontrolled")
    tokens: tuple[Control, ...] = ("entry",) * 9 + ("anchor",)  # each anchor multiplies the executions
    style: Control
    if controlled is None:
        style, helpers = random.choice(everything), everything
    elif controlled:
        style, helpers = random.choice(tokens), tokens
    else:
        style, helpers = "uncontrolled", ("uncontrolled",)
    return Shape(
        style=style,
        helper_styles=helpers,
        helpers=random.choice((0, 0, 1, 1, 2)) if controlled is not None else random.choice((1, 1, 2)),
        statements=random.choice((3, 5, 5, 8, 12)),
        depth=random.choice((1, 2, 2, 3)),
        kinds=kinds,
        operations=tuple(operations),
        memory=random.random() < 0.15,
        weights=random.random() < 0.2,
        parameters=random.choice((1, 1, 2)),
        lane=random.random() < 0.4,
        hearts=random.choice((1.0, 0.9, 0.6)),
    )
