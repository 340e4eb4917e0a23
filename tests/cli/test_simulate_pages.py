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


@pytest.mark.parametrize("policy", NAMES)
def test_every_machine_s_page_has_its_picture(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SVG beside the page is what the command draws now, and the page shows it and a terminal picture."""
    monkeypatch.chdir(ROOT)
    command = ["simulate", "--policy", policy, "--format", "svg", "examples_ll/machines/rfc-natural.ll"]
    drawn, again = convcheck(*command), convcheck(*command)
    assert drawn.err == "" and drawn.out == again.out
    picture = ROOT / "docs" / "machines" / "pictures" / f"{policy}.svg"
    if os.environ.get("CONVCHECK_UPDATE_PAGES"):
        picture.write_text(drawn.out, encoding="utf-8")
        return
    assert picture.read_text(encoding="utf-8") == drawn.out
    page = (ROOT / "docs" / "machines" / f"{policy}.md").read_text(encoding="utf-8")
    assert f"](pictures/{policy}.svg)" in page and "\nLane 0   " in page


def test_every_machine_has_a_page() -> None:
    assert {page.stem for page in PAGES} >= {*NAMES, "index"}
