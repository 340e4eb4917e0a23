"""Our diagnostics beside what LLVM 22.1's verifier says of the same module.

LLVM stops at the first fault of an instruction and has one message where we have several rules, so the
comparison is by module: who rejects it, and whether every message and every diagnostic is accounted for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..diagnostics import Diagnostic, Severity
from ..frozen import dataclass
from ..rules import Rule
from .wording import CONVERGENCE, SHARED

_DUMP = re.compile(
    r"[\s%@!;#<{\[]|(?:declare|define|attributes|source_filename|target|ret|br|switch|label|metadata|token|void"
    r"|ptr|i\d+|half|bfloat|float|double|fp128|x86_fp80|ppc_fp128|x86_amx) |depth=\d|target\("
)
"""How the lines begin that LLVM prints below a message: the values that it is about."""


def messages(lines: Iterable[str]) -> tuple[str, ...]:
    """LLVM's messages alone, in order: of texts of one or many lines, without the values printed below."""
    return tuple(
        line.rstrip()
        for text in lines
        for line in text.splitlines()
        if line.strip() and not _DUMP.match(line)
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    """What LLVM and we say of one module.

    ``agreed``: our errors in a module that LLVM rejects for a fault of convergence control as well.
    ``differences``: our errors that LLVM is known to miss; each has its ``difference``.
    ``unexplained``: our errors that LLVM should have seen, and did not: a fault of ours or unknown of LLVM's.
    ``other``: LLVM's messages about anything but convergence control.
    ``unmatched``: LLVM's messages about convergence control that no error of ours accounts for.
    """

    agreed: tuple[Diagnostic, ...]
    differences: tuple[Diagnostic, ...]
    unexplained: tuple[Diagnostic, ...]
    other: tuple[str, ...]
    unmatched: tuple[str, ...]

    @property
    def is_consistent(self) -> bool:
        """Whether LLVM and we differ in known ways only."""
        return not self.unexplained and not self.unmatched


def compare_with_llvm(diagnostics: Iterable[Diagnostic], llvm_messages: Iterable[str]) -> Comparison:
    """Sort our diagnostics and LLVM's messages into what agrees and what does not."""
    errors = [d for d in diagnostics if d.severity is Severity.ERROR]
    broken = {d.rule for d in errors}
    said = messages(llvm_messages)
    accounted = [message for message in said if _accounts(message, broken)]
    unmatched = [m for m in said if m in CONVERGENCE and m not in accounted]
    rejects = bool(accounted or unmatched)
    without = [d for d in errors if d.difference is None]
    return Comparison(
        agreed=tuple(without) if rejects else (),
        differences=tuple(d for d in errors if d.difference is not None),
        unexplained=() if rejects else tuple(without),
        other=tuple(m for m in said if m not in accounted and m not in CONVERGENCE),
        unmatched=tuple(unmatched),
    )


def _accounts(message: str, broken: set[Rule]) -> bool:
    rules = CONVERGENCE.get(message, ()) or SHARED.get(message, ())
    return not broken.isdisjoint(rules)
