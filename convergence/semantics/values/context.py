"""What preparing an instruction may look at, and the shapes of what it prepares."""

from __future__ import annotations

from collections.abc import Callable

from ...frozen import dataclass
from ...ir.module import Module
from ..arithmetic.domain import Domain
from ..errors import NotModelled
from .datalayout import Layout
from .value import RuntimeValue, Value


def _no_block_addresses(function: str, block: str) -> Value:
    raise NotModelled(f"blockaddress(@{function}, %{block})")


@dataclass(frozen=True, slots=True)
class Context:
    """A module under one domain: ``address_of`` maps a global's or function's name to its pointer.
    ``frozen`` is asked which value a poison or undef becomes that is frozen, as a bit pattern: 0 without."""

    module: Module
    domain: Domain
    layout: Layout
    address_of: Callable[[str], Value]
    address_of_block: Callable[[str, str], Value] = _no_block_addresses
    frozen: Callable[[], int] | None = None


Evaluate = Callable[..., RuntimeValue]
"""Called with the operand values positionally; may raise Undefined or NotModelled."""
