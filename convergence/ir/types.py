"""LLVM's types as frozen values (LangRef, *Type System*)."""

from __future__ import annotations

from ..frozen import dataclass
from .spelling import quoted, spelled, text_bytes


class _Spelled:
    """A type whose text is LLVM's."""

    __slots__ = ()

    def __str__(self) -> str:
        return type_text(self)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class IntType(_Spelled):
    """``iN``: ``bits`` is N."""

    bits: int


@dataclass(frozen=True, slots=True)
class FloatType(_Spelled):
    """``half``, ``bfloat``, ``float``, ``double``, ``fp128``, ``x86_fp80``, ``ppc_fp128``."""

    kind: str


@dataclass(frozen=True, slots=True)
class PointerType(_Spelled):
    """``ptr`` or ``ptr addrspace(N)``; ``address_space`` is a number or a symbolic name (``"A"``)."""

    address_space: int | str = 0


@dataclass(frozen=True, slots=True)
class SimpleType(_Spelled):
    """Types that have only a name: ``void``, ``label``, ``token``, ``metadata``, ``opaque``, ``x86_amx``."""

    kind: str


@dataclass(frozen=True, slots=True)
class VectorType(_Spelled):
    """``<count x element>``, or ``<vscale x count x element>`` when ``scalable``."""

    count: int
    element: Type
    scalable: bool = False


@dataclass(frozen=True, slots=True)
class ArrayType(_Spelled):
    """``[count x element]``."""

    count: int
    element: Type


@dataclass(frozen=True, slots=True)
class StructType(_Spelled):
    """A literal struct ``{...}``, or ``<{...}>`` when ``packed``."""

    elements: tuple[Type, ...]
    packed: bool = False


@dataclass(frozen=True, slots=True)
class NamedType(_Spelled):
    """``%name``, a reference into ``Module.types``; unnamed types are named by their number."""

    name: str


@dataclass(frozen=True, slots=True)
class FunctionType(_Spelled):
    """``result (parameters...)``."""

    result: Type
    parameters: tuple[Type, ...]
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class TargetType(_Spelled):
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


def address_space(space: int | str) -> str:
    """``addrspace(3)``, ``addrspace("A")``."""
    return f"addrspace({space})" if isinstance(space, int) else f"addrspace({quoted(text_bytes(space))})"


def type_text(type: Type) -> str:
    """A type as LLVM spells it."""
    match type:
        case IntType(bits):
            return f"i{bits}"
        case FloatType(kind) | SimpleType(kind):
            return kind
        case PointerType(space):
            return f"ptr {address_space(space)}" if space != 0 else "ptr"
        case VectorType(count, element, scalable):
            return f"<{'vscale x ' if scalable else ''}{count} x {type_text(element)}>"
        case ArrayType(count, element):
            return f"[{count} x {type_text(element)}]"
        case StructType(elements, packed):
            inner = "{ " + ", ".join(map(type_text, elements)) + " }" if elements else "{}"
            return f"<{inner}>" if packed else inner
        case NamedType(name):
            return "%" + spelled(name)
        case FunctionType(result, parameters, variadic):
            inner = ", ".join([*map(type_text, parameters), *(["..."] if variadic else [])])
            return f"{type_text(result)} ({inner})"
        case TargetType(name, types, numbers):
            items = [quoted(text_bytes(name)), *map(type_text, types), *map(str, numbers)]
            return f"target({', '.join(items)})"
