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


Frozen = Callable[[], Callable[[int], int]]
"""Called for a ``freeze`` of the text; the answer is called with an element's number."""


@dataclass(frozen=True, slots=True)
class Context:
    """A module under one domain: ``address_of`` maps a global's or function's name to its pointer.
    ``frozen`` is asked once for each ``freeze`` of the text for what says which value a poison or undef in
    an element of so many becomes there, as a bit pattern: 0 without."""

    module: Module
    domain: Domain
    layout: Layout
    address_of: Callable[[str], Value]
    address_of_block: Callable[[str, str], Value] = _no_block_addresses
    frozen: Frozen | None = None


Evaluate = Callable[..., RuntimeValue]
"""Called with the operand values positionally; may raise Undefined or NotModelled."""
