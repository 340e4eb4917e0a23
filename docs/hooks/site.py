"""The site builder's events: pages that are generated, and pages that stand outside docs/."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
for folder in (str(HERE), str(ROOT)):  # the builder loads this file alone, and convcheck may not be installed
    if folder not in sys.path:
        sys.path.insert(0, folder)

import notebook_pages  # noqa: E402
import reference_pages  # noqa: E402
import rule_pages  # noqa: E402


def prompts_are_dollars() -> None:
    """What begins with ``$`` is a command in a console block. Pygments takes ``%`` and ``#`` for prompts too,
    with which lines of ours begin: names in LLVM IR, and instances."""
    from importlib import import_module

    shell: Any = import_module("pygments.lexers.shell")  # it carries no types
    shell.BashSessionLexer._ps1rgx = re.compile(r"^(\$ )(.*\n?)")


prompts_are_dollars()

FETCHED, WORKER = "https://unpkg.com/iframe-worker/shim", "offline-worker.js"
"""What the theme's offline plugin fetches, and what takes its place (docs/)."""

OUTSIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files of the repository that are pages of the site, too."""


def generated() -> dict[str, str]:
    """Every page that no file in docs/ holds: its place in the site, and its text."""
    pages = {site: (ROOT / file).read_text(encoding="utf-8") for file, site in OUTSIDE.items()}
    return {**pages, **rule_pages.pages(), **reference_pages.pages(), **notebook_pages.pages()}


def generated_names() -> set[str]:
    """The places of these pages, without making them."""
    return {
        *OUTSIDE.values(),
        *rule_pages.names(),
        *reference_pages.names(),
        *notebook_pages.names(),
    }


def on_config(config: Any) -> Any:
    """The rules and notebooks go into the navigation; pages that are not yet written go out; pages that
    nobody put into it are listed under *More*."""
    docs = Path(config["docs_dir"])
    there = {p.relative_to(docs).as_posix() for p in docs.rglob("*.md")} | generated_names()
    nav = [_completed(entry) for entry in config["nav"]]
    nav = [kept for entry in nav if (kept := _existing(entry, there)) is not None]
    missed = sorted(there - set(_places(nav)))
    if missed:
        nav.append({"More": missed})
    config["nav"] = nav
    return config


def _completed(entry: Any) -> Any:
    match entry:
        case {"Rules": str() as index}:
            return {"Rules": [index, *({name: place} for name, place in rule_pages.nav())]}
        case {"Notebooks": str() as index}:
            return {"Notebooks": [index, *({name: place} for name, place in notebook_pages.nav())]}
        case _:
            return entry


def _existing(entry: Any, there: set[str]) -> Any:
    """An entry without pages that are not there; ``None`` if nothing is left of it."""
    if isinstance(entry, str):
        return entry if entry in there else None
    ((name, value),) = entry.items()
    if isinstance(value, str):
        return entry if value in there else None
    kept = [k for each in value if (k := _existing(each, there)) is not None]
    return {name: kept} if kept else None


def _places(entries: list[Any]) -> list[str]:
    found: list[str] = []
    for entry in entries:
        value = next(iter(entry.values())) if isinstance(entry, Mapping) else entry
        found += [value] if isinstance(value, str) else _places(value)
    return found


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages."""
    from properdocs.structure.files import File

    for place, text in generated().items():
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Links of pages from outside docs/ lead to the pages of the site."""
    if page.file.src_uri in OUTSIDE.values():
        for file, place in OUTSIDE.items():
            markdown = markdown.replace(f"]({file})", f"]({place})")
        markdown = re.sub(r"\]\(docs/", "](", markdown)
    return markdown


def on_post_page(output: str, page: Any, config: Any) -> str:
    """The search from disk needs a script that the theme would fetch: ours stands in its place."""
    from properdocs.utils import get_relative_url

    return output.replace(FETCHED, get_relative_url(WORKER, page.url))


def on_post_template(output: str, template_name: str, config: Any) -> str:
    return output.replace(FETCHED, WORKER)
