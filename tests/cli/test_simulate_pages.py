"""Every command on the machines' pages prints what the page shows; every machine has a page.

``CONVCHECK_UPDATE_PAGES=1`` writes the real output into the pages instead.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from convergence.sched.lockstep.policies import NAMES
from tests.cli.cli_harness import convcheck
from tests.meta.readme_commands import commands, update

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "machines").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_print_what_the_page_shows(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = page.read_text(encoding="utf-8")
    outputs = []
    for command in commands(text):
        ran = convcheck(*command.words[1:])
        assert ran.err == "" and ran.code in (0, 1)
        outputs.append(ran.out)
    if os.environ.get("CONVCHECK_UPDATE_PAGES"):
        page.write_text(update(text, outputs), encoding="utf-8")
        return
    assert [command.output for command in commands(text)] == outputs


def test_every_machine_has_a_page() -> None:
    assert {page.stem for page in PAGES} >= {*NAMES, "index"}
