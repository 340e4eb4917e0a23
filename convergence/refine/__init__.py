"""refine(source, target, **launch): does a transform keep its threads together? (semantics.md, *Outcomes and
refinement*)

The package itself can be called: ``convergence.refine(before, after, threads=2)`` gives a
:class:`Refinement`; ``help(convergence.refine.refine)`` says all that it takes.

``refine`` compares two modules, ``prepare`` makes a side ready that is compared often, ``parse_assumption``
reads what the caller promises about inputs; ``result`` says what is answered. Nothing here parses or prints.
"""

import sys
from typing import Any

from ..packages import CallablePackage
from .inputs.inputs import Assumption, parse_assumption
from .sides.side import PreparedSide, prepare
from .verdict.compare import GROWING, refine
from .verdict.result import Counterexample, GroupDeparture, Refinement, Side, Verdict

__all__ = [
    "Assumption", "Counterexample", "GroupDeparture", "PreparedSide", "Refinement", "Side", "Verdict",
    "parse_assumption", "prepare", "refine",
]  # fmt: skip


class _Callable(CallablePackage):
    """``convergence.refine`` is this package, and at the front door a function: it can be called as one."""

    def __call__(self, *arguments: Any, **options: Any) -> Refinement:
        return refine(*arguments, **{"efforts": GROWING, **options})


sys.modules[__name__].__class__ = _Callable
