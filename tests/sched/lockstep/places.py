"""The oracle of places (tests/oracles/places.py) behind the interface of a machine."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from convergence.sched.lockstep.policy import Mask, Policy, Refused
from tests.oracles.places import Line, NoLine, Waiting


class Structured(Policy):
    """Lanes wait at the places of one line."""

    name = "places"

    def begin(self, mask: Mask) -> None:
        line = self.facts.derived.get("line")
        if line is None:
            try:
                line = Line(self.facts.cfg.successors, merged=self.options.latches == "merged")
            except NoLine:
                raise Refused("the control flow is irreducible") from None
            self.facts.derived["line"] = line
        self.waiting = Waiting(line, mask)

    def pick(self) -> tuple[int, Mask] | None:
        return self.waiting.pick()

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        self.waiting.goes_on(block, targets)

    def state(self) -> Hashable:
        return tuple(sorted(self.waiting.at.items()))
