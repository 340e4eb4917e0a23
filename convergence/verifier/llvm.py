"""What LLVM 22.1's verifier makes of nesting: replayed, so that a fault it overlooks can say so.

LLVM passes over the blocks once in reverse postorder with a stack of live tokens per block, pops on each
use what lies above the used token, and intersects the stacks where edges meet. A back edge and a second
entry of an irreducible cycle come too late to be seen (GenericConvergenceVerifierImpl.h, ``verify``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..diagnostics import Diagnostic, Severity
from ..frozen import dataclass
from ..ir.cfg import Point
from ..rules import Rule
from .facts import FunctionFacts
from .wording import CONVERGENCE, SHARED


def nesting_faults(facts: FunctionFacts) -> set[Point]:
    """The uses that LLVM 22.1 says are not well-nested."""
    cfg, tree = facts.cfg, facts.dominators
    token_at = {use.point: use.token for use in facts.uses if not use.by_callbr}
    events: dict[int, list[tuple[Point, str | None, str | None]]] = {}
    for operation in facts.operations:
        used = token_at.get(operation.point)
        defined = operation.instruction.result if operation.control is not None else None
        if used is not None or defined is not None:
            events.setdefault(operation.point.block, []).append((operation.point, used, defined))
    stacks: dict[int, list[str]] = {}
    faults: set[Point] = set()
    for block in cfg.rpo:
        live = stacks.pop(block, [])
        for point, used, defined in events.get(block, ()):
            if used is not None:
                if used in live:
                    while live[-1] != used:
                        live.pop()
                else:
                    faults.add(point)
            if defined is not None:
                live.append(defined)
        for successor in cfg.successors[block]:
            if successor in stacks:
                _partition(stacks[successor], set(live))
            else:
                stacks[successor] = kept = []
                for token in live:
                    if not tree.dominates(facts.definitions[token].point.block, successor):
                        break
                    kept.append(token)
    return faults


def _partition(stack: list[str], keep: set[str]) -> None:
    """Keep these tokens only, in the order that ``std::partition`` leaves: it swaps from both ends."""
    first, last = 0, len(stack)
    while True:
        while first != last and stack[first] in keep:
            first += 1
        if first == last:
            break
        last -= 1
        while first != last and stack[last] not in keep:
            last -= 1
        if first == last:
            break
        stack[first], stack[last] = stack[last], stack[first]
        first += 1
    del stack[first:]


# -- Our diagnostics beside what LLVM 22.1's verifier says of the same module
# LLVM stops at the first fault of an instruction and has one message where we have several rules, so the
# comparison is by module: who rejects it, and whether every message and every diagnostic is accounted
# for.

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
    llvm_words = messages(llvm_messages)
    accounted = [message for message in llvm_words if _accounts(message, broken)]
    unmatched = [m for m in llvm_words if m in CONVERGENCE and m not in accounted]
    rejects = bool(accounted or unmatched)
    without = [d for d in errors if d.difference is None]
    return Comparison(
        agreed=tuple(without) if rejects else (),
        differences=tuple(d for d in errors if d.difference is not None),
        unexplained=() if rejects else tuple(without),
        other=tuple(m for m in llvm_words if m not in accounted and m not in CONVERGENCE),
        unmatched=tuple(unmatched),
    )


def _accounts(message: str, broken: set[Rule]) -> bool:
    rules = CONVERGENCE.get(message, ()) or SHARED.get(message, ())
    return not broken.isdisjoint(rules)
