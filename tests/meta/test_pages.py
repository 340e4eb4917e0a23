"""Every command on every page is run and prints what the page shows; Python blocks run; links lead somewhere.

``CONVCHECK_UPDATE_PAGES=1`` writes the real output into the pages instead.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

from tests.cli.cli_harness import convcheck
from tests.meta.readme_commands import commands, update

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_print_what_the_page_shows(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = page.read_text(encoding="utf-8")
    outputs = []
    for command in commands(text):
        assert command.words[0] == "convcheck", command.line
        ran = convcheck(*command.words[1:])
        assert "Traceback" not in ran.err
        outputs.append(ran.out + ran.err)
    if os.environ.get("CONVCHECK_UPDATE_PAGES"):
        page.write_text(update(text, outputs), encoding="utf-8")
        return
    assert [command.output for command in commands(text)] == outputs


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_on_a_page_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for block in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block, page.name, "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_files_on_a_page_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), target
    for named in re.findall(r"`((?:examples_ll|docs|convergence|tests|benchmarks)/[\w./-]+)`", text):
        assert "RULE" in named or (ROOT / named).exists(), named


def test_the_readme_s_make_targets_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    for page in PAGES:
        named = re.findall(r"`?make (\w+)\b", page.read_text(encoding="utf-8"))
        assert set(named) <= targets | {"it", "sure"}, page.name
    assert {"demo", "test", "campaign", "bench", "tables"} <= targets


def test_the_demo_shows_the_acceptance_pictures_and_a_broken_file() -> None:
    makefile = (ROOT / "Makefile").read_text()
    files = dict(re.findall(r"^(NATURAL|NESTED|BROKEN) := (\S+)$", makefile, re.MULTILINE))
    shown = [convcheck("run", ROOT / files[name]).out for name in ("NATURAL", "NESTED")]
    assert shown[0].startswith("Thread 0: A B - B C D\nThread 1: A B C B C D\n")
    assert shown[1].startswith("Thread 0: A B B C - - D\nThread 1: A B - C B C D\n")
    assert convcheck("verify", ROOT / files["BROKEN"]).code == 1
