"""The site: built strictly, complete, and without anything from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

import convergence as cc
from convergence.cli import cli
from convergence.rules import Rule
from convergence.sched.lockstep.policies import NAMES
from tests.docs.site import ROOT, generated_names
from tests.shared import once

ANCHORS = set((Path(__file__).with_name("llvm_anchors.txt")).read_text().split())
"""The anchors of LLVM 22's documents that pages and rules link to, so that no network is needed here."""

RUN = "1-natural-or-nested"
"""The notebook that is run for its page here; all of them are run by test_notebooks."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once; ``--strict`` makes errors of warnings, as of a link without a target."""

    def build(folder: Path) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "properdocs", "build", "--strict", "--site-dir", str(folder)],
            cwd=ROOT, env={**os.environ, "CONVCHECK_RUN_NOTEBOOKS": RUN},
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (done.stdout + done.stderr)[-1500:]

    return once(tmp_path_factory, "site", build)


def test_every_page_is_there(site: Path) -> None:
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    pages |= generated_names()
    wanted = {"404.html"}
    for page in pages:
        name = re.sub(r"\bindex\.md$", "index.html", page).removesuffix(".md").removesuffix(".html")
        wanted.add(f"{name}.html")
    assert wanted == {page.relative_to(site).as_posix() for page in site.rglob("*.html")}
    assert not (site / "hooks").exists()


def test_nothing_comes_from_elsewhere(site: Path) -> None:
    """No script, style, font or image with an address on the network: the pages open from disk."""
    loads = re.compile(
        r"""<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//[^>]*>""", re.IGNORECASE
    )
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert [tag for tag in loads.findall(text) if 'rel="canonical"' not in tag] == [], page.name
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", sheet.read_text(encoding="utf-8"))


def test_the_search_needs_no_server_and_the_colours_can_be_chosen(site: Path) -> None:
    assert (site / "search" / "search_index.js").exists()
    for page, worker in (("index.html", "offline-worker.js"), ("rules/D-LOOP.html", "../offline-worker.js")):
        text = (site / page).read_text(encoding="utf-8")
        assert f'src="{worker}"' in text
        assert text.count("__palette") >= 3, "automatic, light and dark"


def test_what_begins_with_a_percent_sign_is_no_prompt(site: Path) -> None:
    prompts = {
        prompt
        for page in site.rglob("*.html")
        for prompt in re.findall(r'<span class="gp">([^<]*)</span>', page.read_text(encoding="utf-8"))
    }
    assert prompts == {"$ "}


@pytest.mark.parametrize("rule", Rule, ids=lambda rule: rule.id)
def test_a_rule_s_page_explains_and_shows_it(site: Path, rule: Rule) -> None:
    text = (site / "rules" / f"{rule.id}.html").read_text(encoding="utf-8")
    assert rule.link in text
    assert f"{rule.id}: {rule.title}" in unescape(text)
    if rule.id[0] in "SW":
        assert "convcheck verify examples_ll/rules/" in re.sub(r"<[^>]+>", "", text)
        assert "<svg" in text and "Control flow of" in text
        assert "Breaks it" in text or "Is warned about" in text
    if rule.id[0] == "S":
        assert "Keeps it" in text and 'class="marked"' in text, "the witness is marked in a picture"
    if rule.id[0] == "D":
        assert "Shows it" in text
        assert re.search(r"convcheck (run|enumerate|refine) ", re.sub(r"<[^>]+>", "", text))


@pytest.mark.parametrize("name", NAMES)
def test_a_machine_s_page_has_a_picture(site: Path, name: str) -> None:
    text = (site / "machines" / f"{name}.html").read_text(encoding="utf-8")
    assert f'src="pictures/{name}.svg"' in text
    picture = (site / "machines" / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
    assert "<svg" in picture and "lane 1" in picture


def test_the_reference_has_every_public_name_command_and_schema(site: Path) -> None:
    python = (site / "reference" / "python.html").read_text(encoding="utf-8")
    for name in cc.__all__:
        assert name.startswith("__") or f"<code>{name}</code>" in python, name
    assert ":class:" not in python and ":func:" not in python and "``" not in python
    commands = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    for command in cli.list_commands(None):  # type: ignore[arg-type]
        assert f"convcheck {command}" in commands
    schemas = (site / "reference" / "schemas.html").read_text(encoding="utf-8")
    for file in (ROOT / "convergence" / "report" / "schemas").glob("*.schema.json"):
        assert f"<code>{file.name.removesuffix('.schema.json')}</code>" in schemas


def test_notebooks_are_run_and_shown(site: Path) -> None:
    for notebook in (ROOT / "docs" / "notebooks").glob("*.py"):
        text = (site / "notebooks" / f"{notebook.stem}.html").read_text(encoding="utf-8")
        assert "At the end you will be able to answer" in text
        assert ("convcheck-shown" in text) is (notebook.stem == RUN), notebook.name


def test_ids_on_a_page_are_unique(site: Path) -> None:
    """Two pictures with the same ids would borrow each other's patterns."""
    for page in [*site.glob("rules/*.html"), *site.glob("machines/*.html")]:
        ids = re.findall(r'\sid="([^"]+)"', page.read_text(encoding="utf-8"))
        assert sorted(ids) == sorted(set(ids)), page.name


def test_links_into_llvm_s_documents_have_their_anchors() -> None:
    """Against the list of anchors that is committed; ``/usr/share/doc/llvm-22-doc`` has the documents."""
    texts = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md")}
    texts["README.md"] = (ROOT / "README.md").read_text(encoding="utf-8")
    texts["rules"] = " ".join(rule.link for rule in Rule)
    seen = set()
    for name, text in texts.items():
        for link in re.findall(r"https://llvm\.org/docs/(Converge\w+\.html#[\w-]+)", text):
            assert link in ANCHORS, f"{name}: {link}"
            seen.add(link)
    assert len(seen) >= 15
    local = Path("/usr/share/doc/llvm-22-doc/html")
    if local.is_dir():
        for link in ANCHORS:
            document, _, anchor = link.partition("#")
            assert f'id="{anchor}"' in (local / document).read_text(encoding="utf-8"), link
