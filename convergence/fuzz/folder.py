"""The findings folder: one folder per (pass, kind), and the state from which a campaign goes on.

``state.json`` is written after every chunk, whole, by renaming: a campaign that is cut off goes on with the
chunk that it was at. A finding's folder holds ``source.ll``, ``reduced.ll``, ``target.ll`` (what the
pass makes of the reduced program), ``finding.json``, ``counterexample.txt`` and ``counterexample.json``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .campaign import Done, Finding, Plan, composite, walked
from .check import Kind

ENOUGH = 3
"""How often in a row a kind of finding must be blamed on the same pass before that is taken for granted."""


class NotThisCampaign(Exception):
    """The folder holds another campaign, or something else; the message says what differs."""


@dataclass
class Folder:
    """A campaign's results. ``done`` programs are finished; ``folds`` has per (pass, kind) the folder's name
    and how often it was found; ``blamed`` per pipeline and kind the last few (pass, kind) that walks gave."""

    path: Path
    plan: Plan
    done: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    folds: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    failures: list[list[Any]] = field(default_factory=list)
    blamed: dict[str, list[list[str]]] = field(default_factory=dict)

    @property
    def state(self) -> Path:
        return self.path / "state.json"

    def open(self) -> None:
        """Make the folder, or go on with the campaign in it. Raises NotThisCampaign and OSError."""
        self.path.mkdir(parents=True, exist_ok=True)
        if not self.state.exists():
            return
        try:
            found = json.loads(self.state.read_text())
            campaign, self.done = found["campaign"], found["done"]
            self.answers = Counter(found["answers"])
            self.folds = {(f["pass"], f["kind"]): f for f in found["findings"]}
            self.failures, self.blamed = found["failures"], found["blamed"]
        except (ValueError, KeyError, TypeError) as error:
            raise NotThisCampaign(f"{self.state} is no state of a campaign: {error}") from None
        ours = self.plan.identity
        differing = [name for name in ours if campaign.get(name) != ours[name]]
        if differing:
            raise NotThisCampaign(
                f"{self.path} holds a campaign that differs in {' and '.join(differing)}: take another folder"
            )

    def take(self, done: Done) -> list[Finding]:
        """Count a chunk; gives the findings that are new."""
        self.answers.update(done.answers)
        new = []
        for found in done.findings:
            finding = self._blamed(found)
            if finding.key in self.folds:
                self.folds[finding.key]["times"] += 1
            else:
                name = self._name(finding)
                self.folds[finding.key] = {
                    "pass": finding.pass_, "kind": str(finding.kind), "folder": name, "times": 1,
                    "first": finding.number, "seed": finding.seed, "found_with": finding.found_with,
                }  # fmt: skip
                new.append(finding)
        self.failures += [list(failure) for failure in done.failures]
        self.done = done.numbers.stop
        return new

    def _blamed(self, found: Finding) -> Finding:
        """A finding with the pass to blame. Walking a pipeline costs some fifty checks: once a kind was
        blamed on one pass three times running, the next ones are taken for the same."""
        if not composite(found.pipeline):
            return found
        past = self.blamed.setdefault(f"{found.pipeline} {found.kind}", [])
        if len(past) == ENOUGH and all(key == past[0] for key in past):
            return replace(found, pass_=past[0][0], kind=Kind.named(past[0][1]))
        finding = walked(self.plan, found)
        past[:] = [*past[1 - ENOUGH :], list(finding.key)]
        return finding

    def _name(self, finding: Finding) -> str:
        return re.sub(r"[^\w.-]+", "-", f"{finding.pass_} {finding.kind}").strip("-")

    def save(self) -> None:
        """Write the state."""
        made = {
            "schema": "convcheck/1", "campaign": self.plan.identity, "done": self.done,
            "answers": dict(sorted(self.answers.items())), "findings": list(self.folds.values()),
            "failures": self.failures, "blamed": self.blamed,
        }  # fmt: skip
        temporary = self.state.with_suffix(".new")
        temporary.write_text(json.dumps(made, indent=1) + "\n")
        temporary.replace(self.state)

    def of(self, finding: Finding) -> Path:
        """A finding's own folder."""
        path = self.path / str(self.folds[finding.key]["folder"])
        path.mkdir(exist_ok=True)
        return path
