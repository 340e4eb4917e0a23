"""A token-aware reducer: a smaller program with the same fault.

Candidates are made on the IR, so that hearts keep their cycles and uses their tokens: where an intrinsic
goes, its uses take another token. Each candidate must be LLVM IR that LLVM's verifier and
ours accept; then the caller's question decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..interruption import notice
from ..ir.module import Module
from .cuts import candidates
from .tidy import tidy

_REFUSED = ("S-", "W-NOT-CONVERGENT")
"""What no candidate may have: LLVM and its documents differ on calls convergent by their bundle alone."""

Question = Callable[[str], bool]
"""Whether a program still has what is looked for."""


@dataclass
class Reduction:
    """The state of one reduction: ``tried`` candidates, ``asked`` of them worth a question."""

    question: Question
    deadline: float | None = None
    most: int = 4_000
    tried: int = 0
    asked: int = 0
    seen: set[str] = field(default_factory=set)

    def holds(self, module: Module) -> Module | None:
        """The candidate as it was read back, if it is valid, new and still interesting."""
        from ..parser import NotLLVM, Unsupported, parse
        from ..parser.llvm import llvm_verdict
        from ..parser.printer import print_module
        from ..verifier import verify

        self.tried += 1
        try:
            text = print_module(tidy(module))
            if text in self.seen:
                return None
            self.seen.add(text)
            if llvm_verdict(text):
                return None
            made = parse(text)
            if any(d.rule.id.startswith(_REFUSED) for d in verify(made)):
                return None
        except (NotLLVM, Unsupported, KeyError, IndexError):
            return None
        self.asked += 1
        return made if self.question(text) else None

    @property
    def over(self) -> bool:
        """Whether a bound is hit."""
        late = self.deadline is not None and time.monotonic() > self.deadline
        return late or self.asked >= self.most or notice()

    def smaller(self, module: Module) -> Iterator[Module]:
        """Ever smaller modules, until no single candidate is interesting."""
        progress = True
        while progress:
            progress = False
            for cut in candidates():
                again = True
                while again:
                    made = next((m for c in self._within(cut(module)) if (m := self.holds(c))), None)
                    again = made is not None
                    if made is not None:
                        module, progress = made, True
                        yield module

    def _within(self, found: Iterator[Module]) -> Iterator[Module]:
        """Candidates until a bound is hit."""
        for candidate in found:
            if self.over:
                return
            yield candidate


def reduce(
    text: str, question: Question, *, timeout: float | None = None, most: int = 4_000,
    progress: Callable[[int], None] | None = None,
) -> str:  # fmt: skip
    """The smallest program found for which ``question`` still holds.

    ``text`` must be valid and interesting itself, else it is given back. ``progress`` is told the number of
    lines whenever it falls. ``most`` bounds the questions, ``timeout`` the seconds;
    an interrupt (Ctrl-C) ends it with what there is.
    """
    from ..parser import parse
    from ..parser.printer import print_module

    deadline = None if timeout is None else time.monotonic() + timeout
    state = Reduction(question, deadline, most)
    best = parse(text)
    first = state.holds(best)
    if first is None:
        return text
    best = first
    try:
        for smaller in state.smaller(first):
            best = smaller
            if progress is not None:
                progress(print_module(best).count("\n"))
    except KeyboardInterrupt:
        notice()
    return print_module(best)
