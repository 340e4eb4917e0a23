"""What the verifier says, as data. Renderers are in ``report``."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any

from .frozen import Shown, dataclass
from .rules import Rule, VerifierDifference
from .source import Source, Span


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class SpanLabel:
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
class Diagnostic(Shown):
    """One violation or warning.

    ``llvm_text`` is LLVM's wording for the same fault, ``None`` if it has none; ``difference``
    names the known way in which LLVM 22.1's verifier misses this one, ``None`` if it does not.
    ``on_request`` marks a warning that is said only where it is asked for.
    """

    rule: Rule
    severity: Severity
    function: str
    span: Span
    message: str
    witness: Witness | None = None
    labels: tuple[SpanLabel, ...] = ()
    llvm_text: str | None = None
    help: str | None = None
    difference: VerifierDifference | None = None
    on_request: bool = False

    __repr__ = Shown.__repr__


class Diagnostics(Shown, tuple[Diagnostic, ...]):
    """What ``verify`` found in one module: a tuple, in text order, that knows the ``source`` and how many
    functions it is about (``defined``), so that it can show itself with the lines in question."""

    source: Source
    defined: int

    def __new__(cls, diagnostics: Iterable[Diagnostic], source: Source, defined: int) -> Diagnostics:
        instance = super().__new__(cls, diagnostics)
        instance.source, instance.defined = source, defined
        return instance

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """IPython's question in a terminal, which it answers itself for tuples that have no answer."""
        printer.text(str(self))

    def __getnewargs__(self) -> tuple[tuple[Diagnostic, ...], Source, int]:
        """For copies and pickles."""
        return tuple(self), self.source, self.defined
