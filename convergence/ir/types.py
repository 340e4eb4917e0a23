"""LLVM's types as frozen values (LangRef, *Type System*)."""

from __future__ import annotations

from ..frozen import dataclass


@dataclass(frozen=True, slots=True)
class IntType:
    """``iN``: ``bits`` is N."""

    bits: int


@dataclass(frozen=True, slots=True)
class FloatType:
    """``half``, ``bfloat``, ``float``, ``double``, ``fp128``, ``x86_fp80``, ``ppc_fp128``."""

    kind: str


@dataclass(frozen=True, slots=True)
class PointerType:
    """``ptr`` or ``ptr addrspace(N)``; ``address_space`` is a number or a symbolic name (``"A"``)."""

    address_space: int | str = 0


@dataclass(frozen=True, slots=True)
class SimpleType:
    """Types that have only a name: ``void``, ``label``, ``token``, ``metadata``, ``opaque``, ``x86_amx``."""

    kind: str


@dataclass(frozen=True, slots=True)
class VectorType:
    """``<count x element>``, or ``<vscale x count x element>`` when ``scalable``."""

    count: int
    element: Type
    scalable: bool = False


@dataclass(frozen=True, slots=True)
class ArrayType:
    """``[count x element]``."""

    count: int
    element: Type


@dataclass(frozen=True, slots=True)
class StructType:
    """A literal struct ``{...}``, or ``<{...}>`` when ``packed``."""

    elements: tuple[Type, ...]
    packed: bool = False


@dataclass(frozen=True, slots=True)
class NamedType:
    """``%name``, a reference into ``Module.types``; unnamed types are named by their number."""

    name: str


@dataclass(frozen=True, slots=True)
class FunctionType:
    """``result (parameters...)``."""

    result: Type
    parameters: tuple[Type, ...]
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class TargetType:
    """``target("name", types..., numbers...)``."""

    name: str
    types: tuple[Type, ...] = ()
    numbers: tuple[int, ...] = ()


Type = (
    IntType
    | FloatType
    | PointerType
    | SimpleType
    | VectorType
    | ArrayType
    | StructType
    | NamedType
    | FunctionType
    | TargetType
)

VOID = SimpleType("void")
LABEL = SimpleType("label")
TOKEN = SimpleType("token")
METADATA = SimpleType("metadata")
I1 = IntType(1)
PTR = PointerType()
