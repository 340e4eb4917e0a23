"""Which warnings are said, and which count as errors: what compilers' ``-W`` options say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from ..diagnostics import Diagnostic, Severity
from ..frozen import dataclass
from ..rules import Rule

WARNINGS: Mapping[str, Rule] = {rule.id: rule for rule in Rule if rule.id.startswith("W-")}
"""The warnings by identifier."""
ALL = "all"


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
        return tuple(WARNINGS.values())
    rule = _rule(name)
    if rule is None:
        raise UnknownWarningError(word, name)
    return (rule,)


def _rule(name: str) -> Rule | None:
    return WARNINGS.get("W-" + name.removeprefix("w-").upper())


DEFAULT = WarningLevels()
"""Every warning but those that are on request only."""
