"""Random programs, LLVM's passes and ``refine``: findings that nobody asked for (docs/fuzz.md).

The package itself can be called: ``convergence.fuzz("default<O1>", count=100)`` gives a campaign's findings
(:func:`convergence.fuzz.front.fuzz` says what it takes).
"""

import sys
from typing import Any

from ..packages import CallablePackage


class _Callable(CallablePackage):
    """``convergence.fuzz`` is this package, and at the front door a function: it can be called as one."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from .front import fuzz

        return fuzz(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
