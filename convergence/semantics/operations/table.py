"""Which model a declared function has: one open table from name patterns to models.

The models themselves are pure functions of {lane: operands}; they stand in the modules of their
families. A later entry never overrides an earlier one: the first whose pattern and types fit is taken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ...frozen import dataclass
from .amdgcn import AMDGCN
from .barriers import BY_LANGUAGE
from .ids import IDS
from .matrices import MATRIX_PRODUCTS
from .model import Callee, Exchanging, Family, Model, Prepare
from .nvvm import NVVM
from .opencl import OPENCL
from .permutes import PERMUTES
from .quads import QUADS
from .spaces import SPACES
from .spirv import SPIRV_AND_DIRECTX
from .spirv_functions import SPIRV_FUNCTIONS
from .subgroup import SUBGROUP

FAMILIES: tuple[Family, ...] = (
    SUBGROUP,
    PERMUTES,
    AMDGCN,
    SPIRV_AND_DIRECTX,
    NVVM,
    OPENCL,
    SPIRV_FUNCTIONS,
    BY_LANGUAGE,
    *IDS,
    QUADS,
    SPACES,
    MATRIX_PRODUCTS,
)
"""All known operations, family by family."""


def is_operation(name: str) -> bool:
    """Whether a function of this name may be one of the known operations."""
    families = (family for family in FAMILIES if name.startswith(family.prefixes))
    return any(re.fullmatch(pattern, name) for family in families for pattern, _ in family.operations)


def unseen(callee: Callee) -> Model | None:
    """The model of a known operation, which the outside does not see as an event: for comparing programs that
    call the same barrier by two names."""
    model = Table({}).model(callee)
    return replace(model, effect=False) if isinstance(model, Exchanging) else model


@dataclass(frozen=True, slots=True)
class Table:
    """The known operations and those that the user adds, by name; the user's come first."""

    added: Mapping[str, Prepare]

    def model(self, callee: Callee) -> Model | None:
        """The model for a call, or ``None``: then its result is a stand-in."""
        if (prepare := self.added.get(callee.name)) is not None:
            return prepare(callee)
        for family in FAMILIES:
            if not callee.name.startswith(family.prefixes):
                continue
            for pattern, prepare in family.operations:
                if (match := re.fullmatch(pattern, callee.name)) is not None:
                    model = prepare(callee._replace(parts=match.groups()))
                    if model is not None:
                        return model
        return None
