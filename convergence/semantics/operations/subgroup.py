"""Subgroup operations by the names that LLVM's *Convergent Operation Semantics* and SPIR-V tools use:
``@subgroupAdd``, ``@subgroupBallot``, ``@getSubgroupLocalInvocationId`` and their kin.

``subgroupUMin`` and the like are unsigned; ``Min`` and ``SMin`` signed; float types choose for themselves.
"""

from __future__ import annotations

from ..memory.synchronisation import Scope
from .barriers import BARE, LOCAL, WGSL_UNIFORM, always, barrier, full, named_by
from .collectives import all_the_same
from .lanes import (
    ballot,
    broadcast,
    elect,
    everywhere,
    first_of_group,
    lane_by,
    lane_in,
    moving,
    somewhere,
    vote,
)
from .model import Callee, Model, Operations
from .reductions import reduction, scan

SUFFIX = r"(?:\.\w+)*"
_KIND = r"([SUFIsufi]?)(Add|Mul|Min|Max|And|Or|Xor)"


def _reduce(callee: Callee) -> Model | None:
    sign, name = callee.parts
    return reduction((name or "").lower(), (sign or "").upper() != "U")(callee)


def _scan(callee: Callee) -> Model | None:
    kind, sign, name = callee.parts
    return scan((name or "").lower(), kind == "Inclusive", (sign or "").upper() != "U")(callee)


def named(*names: str) -> str:
    """A pattern for any of these names, with or without type suffixes."""
    return "(?:" + "|".join(n.replace(".", r"\.") for n in names) + ")" + SUFFIX


SUBGROUP: Operations = (
    ("subgroup" + _KIND + SUFFIX, _reduce),
    ("subgroup(Inclusive|Exclusive)" + _KIND + SUFFIX, _scan),
    (named("subgroupBallot"), ballot()),
    (named("subgroupAll"), vote(everywhere)),
    (named("subgroupAny"), vote(somewhere)),
    (named("subgroupAllEqual"), all_the_same),
    (named("subgroupElect"), elect),
    (named("subgroupBroadcastFirst"), first_of_group()),
    (named("subgroupBroadcast"), broadcast(1)),
    (named("subgroupShuffle"), moving(lane_in(1))),
    (named("subgroupShuffleXor"), moving(lane_by(1, "xor"))),
    (named("subgroupShuffleUp"), moving(lane_by(1, "sub"))),
    (named("subgroupShuffleDown"), moving(lane_by(1, "add"))),
    (named("subgroupBarrier", "subgroupMemoryBarrier"), barrier(always(full(scope=Scope.LAUNCH)))),
    (
        named("workgroupBarrier"),
        barrier(always(full(LOCAL, Scope.WORKGROUP)), named_by("barrier"), WGSL_UNIFORM),
    ),
    (named("subgroupControlBarrier", "controlBarrier"), BARE),
)
