"""C's exact functions of numbers by their plain names: ``floor``, ``fmaf``, ``frexp``.

C17, 7.12, *Mathematics*: of ``double``, and with an ``f`` behind the name of ``float``, what IEEE-754 defines
to the last bit. The others (``sin``, ``pow``) have no model here: LLVM makes one of another (``pow(2.0, x)``
becomes ``exp2(x)``), which the host's functions would tell apart in the last places. That some set ``errno``
nobody sees.
"""

from __future__ import annotations

from ....ir import instructions as ir
from ....ir.types import FloatType, IntType
from ..intrinsics_integer import Build
from ..intrinsics_memory import BuildAccess
from .kit import elementwise, parameter_types
from .outputs import outputs_of

_NAMES = frozenset(
    (
        "ceil", "copysign", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "ilogb", "ldexp", "logb",
        "nearbyint", "nextafter", "remainder", "rint", "round", "roundeven", "scalbln", "scalbn", "sqrt",
        "trunc",
    )
)  # fmt: skip
_OUTPUTS = frozenset({"frexp", "modf", "remquo"})
"""Those that write some of their results behind pointers."""


def _plain(name: str, names: frozenset[str]) -> tuple[str, str] | None:
    """The name of the function of ``double``, and the format; ``None`` if it is none of these."""
    if name in names:
        return name, "double"
    return (name[:-1], "float") if name.endswith("f") and name[:-1] in names else None


def c_math_function(name: str, call: ir.CallSite) -> Build | None:
    """The model of a function that touches no memory; ``None`` if it is none of these, or has other types."""
    if (known := _plain(name, _NAMES)) is None:
        return None
    from .device_libraries import BY_C_NAMES  # many names are asked for, and few are C's

    plain, kind = known
    types = (*parameter_types(call), call.type.result)
    if not all(t == FloatType(kind) or isinstance(t, IntType) for t in types) or FloatType(kind) not in types:
        return None
    return elementwise(BY_C_NAMES[plain.replace("scalbln", "scalbn")])


def c_math_access(name: str) -> BuildAccess | None:
    """The model of a function that writes some of its results behind pointers; ``None`` if it is none."""
    known = _plain(name, _OUTPUTS)
    return None if known is None else outputs_of(known[0], 1)
