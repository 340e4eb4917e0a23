"""What the verifier says, as data. Renderers are in ``report``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from .frozen import Shown, dataclass
from .source import Source, Span

if TYPE_CHECKING:
    from .rules import Rule, VerifierDifference


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


# ----------------------------------------------------------------------------------------------------------
# Which warnings are said, and which count as errors: what compilers' ``-W`` options say.
# ----------------------------------------------------------------------------------------------------------

ALL = "all"
"""The word for every warning."""


@cache
def warning_rules() -> Mapping[str, Rule]:
    """The warnings by identifier."""
    from .rules import Rule

    return {rule.id: rule for rule in Rule if rule.id.startswith("W-")}


class UnknownWarningError(ValueError):
    """A ``-W`` word that names no warning. ``word`` is what was given, ``name`` the name in it."""

    def __init__(self, word: str, name: str) -> None:
        super().__init__(word)
        self.word = word
        self.name = name


@dataclass(frozen=True, slots=True)
class WarningLevels:
    """What was asked for. ``enabled`` maps a warning to whether it is said, where that was asked; the
    others are said as they are by default. ``failing`` maps a warning to whether it is an error, where that
    was asked; the others are errors if ``all_fail``."""

    enabled: Mapping[Rule, bool] = field(default_factory=dict)
    failing: Mapping[Rule, bool] = field(default_factory=dict)
    all_fail: bool = False

    def with_word(self, word: str) -> WarningLevels:
        """These levels after one more ``-W`` word: ``NAME``, ``no-NAME``, ``error``, ``error=NAME``,
        ``no-error``, ``no-error=NAME``; NAME with or without ``W-``, in any case, or ``all``.

        :raises UnknownWarningError: if NAME is none
        """
        plain = word.strip().lower().replace("_", "-")
        off = plain.startswith("no-") and _rule(plain) is None  # a name may begin so itself: W-NO-HEART
        rest = plain.removeprefix("no-") if off else plain
        if rest == "error":
            return replace(self, all_fail=not off, failing=self.failing if not off else {})
        name = rest.removeprefix("error=")
        rules = _named(word, name)
        if name == rest:
            return replace(self, enabled={**self.enabled, **dict.fromkeys(rules, not off)})
        failing = {**self.failing, **dict.fromkeys(rules, not off)}
        levels = self.enabled if off else {**self.enabled, **dict.fromkeys(rules, True)}
        return replace(self, enabled=levels, failing=failing)

    def apply(self, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """The diagnostics that are said, warnings that count as errors with that severity."""
        for diagnostic in diagnostics:
            if diagnostic.severity is not Severity.WARNING:
                yield diagnostic
            elif self.enabled.get(diagnostic.rule, not diagnostic.on_request):
                fails = self.failing.get(diagnostic.rule, self.all_fail)
                yield replace(diagnostic, severity=Severity.ERROR) if fails else diagnostic


def _named(word: str, name: str) -> tuple[Rule, ...]:
    if name == ALL:
        return tuple(warning_rules().values())
    rule = _rule(name)
    if rule is None:
        raise UnknownWarningError(word, name)
    return (rule,)


def _rule(name: str) -> Rule | None:
    return warning_rules().get("W-" + name.removeprefix("w-").upper())


DEFAULT_LEVELS = WarningLevels()
"""By default: every warning but those that are on request only."""
