"""docs/questions.md: each question has its thread, two sentences, a command, and a link to its program.

The commands are run, and their outputs compared, as on every page (tests/meta/test_pages.py). With
``CONVCHECK_UPDATE_QUESTIONS=1`` the links are written anew.
"""

from __future__ import annotations

import os
import re

import pytest

from convergence.report.permalink import link, read
from tests.cli.cli_harness import ROOT

PAGE = ROOT / "docs" / "questions.md"
TEXT = PAGE.read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", TEXT, flags=re.M)[1:]
LINK = re.compile(r'<a href="([^"]+)">In the playground</a>')


def program(section: str) -> str:
    """The file of a section's first command."""
    names: list[str] = re.findall(r"^\$ convcheck .*?(examples_ll/\S+\.ll)", section, flags=re.M)
    assert len(set(names)) == 1, section
    return (ROOT / names[0]).read_text(encoding="utf-8")


def test_there_are_thirty_with_threads_of_their_own() -> None:
    threads = [
        re.findall(r"\]\((https://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull)/\d+)\)", s) for s in SECTIONS
    ]
    assert [len(found) for found in threads] == [1] * len(SECTIONS)
    assert len({found[0] for found in threads}) == len(SECTIONS) >= 30


@pytest.mark.parametrize("section", SECTIONS, ids=[s.splitlines()[0][:40] for s in SECTIONS])
def test_an_answer_is_two_sentences_and_a_link_to_its_program(section: str) -> None:
    asked, answer = section.split("\n\n")[1:3]
    assert asked.startswith("Asked in [")
    plain = re.sub(r"`[^`]*`|\([^)]*\)|\b\d+\.\d+\b", "x", answer)
    assert len(re.findall(r"[.?](?:\s|$)", plain)) == 2, answer
    (address,) = LINK.findall(section)
    wanted = link(program(section))
    if os.environ.get("CONVCHECK_UPDATE_QUESTIONS"):
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(text.replace(section, section.replace(address, wanted)), encoding="utf-8")
        return
    assert read(address).program == program(section)
    assert address == wanted
