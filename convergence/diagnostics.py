"""What the verifier says, as data. Renderers are in ``report``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .rules import Difference, Rule
from .source import Span


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Label:
    """A secondary place: where the token is defined, the cycle's header."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Witness:
    """Why a rule is broken: ``kind`` is ``closed-path`` (blocks in walking order, the first not
    repeated), ``region`` (the region's blocks), ``path`` or ``instruction``."""

    kind: str
    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One violation or warning.

    ``llvm_text`` is LLVM's wording for the same fault, ``None`` if it has none; ``difference``
    names the known way in which LLVM 22.1's verifier misses this one, ``None`` if it does not.
    """

    rule: Rule
    severity: Severity
    function: str
    span: Span
    message: str
    witness: Witness | None = None
    labels: tuple[Label, ...] = ()
    llvm_text: str | None = None
    help: str | None = None
    difference: Difference | None = None
