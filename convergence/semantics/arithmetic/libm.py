"""The host's libm for emitted code: the same functions that the concrete domain calls through Python.

A function is given only if it agrees with Python's on operands of every kind; what Python does around it (its
exceptions) is undone by the concrete domain, so that C's answers are left on both ways.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping
from functools import cache
from struct import pack

from .host_floats import FUNCTIONS, LIBRARY, call_host

SYMBOL = "convcheck.libm."
"""Before a function's name in emitted code: under its own name LLVM would take what it knows of C's library
and change calls into other ones, which round otherwise."""
_NAMES: Mapping[str, tuple[str, int]] = {
    **{name: (name, 2 if name in ("pow", "atan2") else 1) for name in (*FUNCTIONS, *LIBRARY)},
    "fmod": ("fmod", 2), "exp10": ("pow", 2),
}  # fmt: skip
"""The function in C that is called for a function, and how many operands it has. Python computes ``exp10`` as
a power of ten."""
_SAMPLES = (
    0.0, -0.0, 0.5, -0.75, 1.0, -1.0, 1.5, 2.0, -2.0, 3.0, 0.1, -0.3, 10.0, 21.7, -33.3, 700.5, -745.2, 1e5,
    1e22, 3.5e-5, 1e-300, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -1e300, math.pi, math.e,
    math.inf, -math.inf, math.nan,
)  # fmt: skip


def _same(a: float, b: float) -> bool:
    return (a != a and b != b) or pack("<d", a) == pack("<d", b)


def _reference(name: str) -> Callable[..., float]:
    return math.fmod if name == "fmod" else (FUNCTIONS.get(name) or LIBRARY[name])


@cache
def address(name: str) -> int | None:
    """Where the function is that emitted code calls for ``name``; ``None`` where it is not found, or is not
    the one that Python calls."""
    if name not in _NAMES:
        return None
    symbol, count = _NAMES[name]
    try:
        function = getattr(ctypes.CDLL(None), symbol)
    except (AttributeError, OSError, TypeError):
        return None
    function.restype, function.argtypes = ctypes.c_double, (ctypes.c_double,) * count
    reference = _reference(name)
    operands = [(a, b) for a in _SAMPLES for b in _SAMPLES] if count == 2 else [(a,) for a in _SAMPLES]
    if name == "exp10":
        operands = [(a,) for a in _SAMPLES]
    for sample in operands:
        arguments = (10.0, *sample) if name == "exp10" else sample
        if not _same(function(*arguments), call_host(reference, list(sample))):
            return None
    return ctypes.cast(function, ctypes.c_void_p).value


def c_name(name: str) -> tuple[str, int]:
    """The function in C, and its number of operands."""
    return _NAMES[name]
