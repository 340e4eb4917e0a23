"""uniformity(module): which values and branches are the same in all converged threads (semantics.md, §8).

The package itself can be called: ``convergence.uniformity(module, check=True)`` gives a :class:`Uniformity`.

``analysis`` says it of a text, by the rules U-; ``observe`` and ``check`` hold such claims against runs;
``claims`` reads what LLVM says. Nothing here parses IR, asks LLVM or prints.
"""

import sys
from typing import Any

from ..packages import CallablePackage
from .answer import Uniformity, uniformity

__all__ = ["Uniformity", "uniformity"]


class _Callable(CallablePackage):
    """``convergence.uniformity`` is this package, and at the front door a function: it can be called as
    one."""

    def __call__(self, *arguments: Any, **options: Any) -> Uniformity:
        return uniformity(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
