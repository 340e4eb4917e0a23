"""The operations that generated programs call, as rows of a table.

``subgroup*`` and ``getSubgroup*`` have models (semantics/communication_subgroup.py); the others are
uninterpreted (D-CALL). Suffixes after a dot do not change a model but what the declaration promises.
"""

from __future__ import annotations

from dataclasses import dataclass

PURE = "nounwind willreturn memory(none)"


@dataclass(frozen=True, slots=True)
class Operation:
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
    Operation("subgroupAdd", "v", "i32", f"convergent {PURE}"),
    Operation("subgroupBallot", "c", "i32", f"convergent {PURE}"),
    Operation("subgroupBroadcastFirst", "v", "i32", f"convergent {PURE}"),
    Operation("subgroupAny", "c", "i1", f"convergent {PURE}"),
    Operation("subgroupAll", "c", "i1", f"convergent {PURE}"),
    Operation("subgroupElect", "", "i1", f"convergent {PURE}"),
    Operation("subgroupShuffle", "v0", "i32", f"convergent {PURE}"),
    Operation("mix", "v", "i32", f"convergent {PURE}"),
)
"""Seen through their results only."""

SPECULATABLE = (
    Operation("subgroupAdd.spec", "v", "i32", f"convergent speculatable {PURE}"),
    Operation("subgroupBallot.spec", "c", "i32", f"convergent speculatable {PURE}"),
)

EFFECTS = (
    Operation("observe", "v", "void", "convergent nounwind willreturn"),
    Operation("subgroupAdd.seen", "v", "i32", "convergent nounwind willreturn"),
    Operation("exchange", "v", "i32", "convergent nounwind"),
    Operation("subgroupBarrier", "", "void", "convergent nounwind willreturn"),
    Operation("sync", "", "void", "convergent nounwind willreturn memory(inaccessiblemem: readwrite)"),
)
"""Convergent events."""

PLAIN = (
    Operation("event", "v", "void", "nounwind willreturn"),
    Operation("event2", "v", "void", "nounwind"),
    Operation("pure", "v", "i32", f"speculatable {PURE}"),
)
"""Not convergent; the first two are events all the same."""

LANE = Operation("getSubgroupLocalInvocationId", "", "i32", f"speculatable {PURE}")

ALL = {o.name: o for o in (*EXCHANGES, *SPECULATABLE, *EFFECTS, *PLAIN, LANE)}

CONTROL = {
    "entry": "declare token @llvm.experimental.convergence.entry()",
    "loop": "declare token @llvm.experimental.convergence.loop()",
    "anchor": "declare token @llvm.experimental.convergence.anchor()",
}
