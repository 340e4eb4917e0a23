"""docs/semantics.md is the definition: what is cited of it is there, and it says what ``rules.py`` says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from convergence.rules import Rule

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "semantics.md"
TEXT = PAGE.read_text(encoding="utf-8")
SECTIONS = {int(number): title for number, title in re.findall(r"^## (\d+)\. (.+)$", TEXT, re.MULTILINE)}
FACTS = {
    int(number): " ".join(words.split())
    for number, words in re.findall(
        r"^- \*\*Fact (\d+)\.\*\* (.*?)(?=^- |^$|\Z)", TEXT, re.MULTILINE | re.DOTALL
    )
}
NAMED = {
    *SECTIONS.values(),
    *re.findall(r"^###+ (.+)$", TEXT, re.MULTILINE),
    *(name.rstrip(".") for name in re.findall(r"^\*\*([^*\[]+?)\*\*", TEXT, re.MULTILINE)),
}
"""What can be cited by name: headings, and the words in bold that begin a paragraph."""
SUFFIXES = {".py", ".md", ".ll", ".toml", ".yml", ".yaml", ".json", ".lark", ""}


def cited() -> Iterator[tuple[str, str]]:
    """Every text file of the repository that may cite the definition: its name, and its words on one line."""
    folders = ("convergence", "tests", "docs", "examples_ll", "benchmarks")
    paths = [p for folder in folders for p in (ROOT / folder).rglob("*")]
    for path in [*paths, *ROOT.glob("*")]:
        if path.is_file() and path.suffix in SUFFIXES and path != Path(__file__):
            text = path.read_text(encoding="utf-8", errors="replace")
            yield path.relative_to(ROOT).as_posix(), re.sub(r"\s*\n[\s#;]*", " ", text)


CITED = dict(cited())


def sentence(rule: Rule) -> str | None:
    """What the definition has as the rule's sentence: behind its name in bold, or in its row of a table."""
    name = re.escape(f"[{rule.id}](rules/{rule.id}.md)")
    entry = re.search(
        rf"^(?:\*\*{name}\.\*\* (.+?)\n\n|\| {name} \| (.+?) \|$)", TEXT, re.MULTILINE | re.DOTALL
    )
    return None if entry is None else " ".join((entry[1] or entry[2]).split())


@pytest.mark.parametrize("rule", Rule, ids=lambda rule: rule.id)
def test_every_rule_has_its_entry_with_its_sentence(rule: Rule) -> None:
    assert sentence(rule) == rule.sentence


def functions() -> Iterator[tuple[Rule, str, str]]:
    """What in the package has a dynamic rule's name, ``d_loop`` or ``DLoop``: where, and its docstring."""
    names = {rule.id.replace("-", "").lower(): rule for rule in Rule if rule.id.startswith("D-")}
    for path in sorted((ROOT / "convergence").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name.lower().startswith("d"):
                rule = names.get(node.name.replace("_", "").lower())
                if rule is not None:
                    yield rule, path.name, " ".join((ast.get_docstring(node) or "").split())


def test_what_is_named_after_a_rule_says_its_sentence() -> None:
    named = list(functions())
    assert {rule for rule, _, _ in named} == {rule for rule in Rule if rule.id.startswith("D-")}
    assert [(rule.id, file) for rule, file, doc in named if not doc.startswith(rule.sentence)] == []


def test_sections_and_facts_are_numbered_through() -> None:
    assert list(SECTIONS) == list(range(1, len(SECTIONS) + 1))
    assert list(FACTS) == list(range(1, len(FACTS) + 1))
    assert len(FACTS) == TEXT.count("**Fact ")


def test_every_section_that_is_cited_is_there() -> None:
    numbers = [(name, int(n)) for name, words in CITED.items() for n in re.findall(r"§\s?(\d+)", words)]
    assert len(numbers) > 30
    assert [where for where in numbers if where[1] not in SECTIONS] == []


def test_every_name_that_is_cited_is_there() -> None:
    """``semantics.md, §2, *Keys*``: what stands in italics, up to the end of the citation."""
    names = [
        (file, name)
        for file, words in CITED.items()
        for citation in re.findall(r"semantics\.md,? ([^;:)\"]*)", words)
        for name in re.findall(r"\*([^*]+)\*", re.split(r"\. |LLVM", citation)[0])
    ]
    assert len(names) > 5
    assert [where for where in names if where[1] not in NAMED] == []


def test_every_fact_that_is_cited_is_there() -> None:
    numbers = [
        (name, int(n)) for name, words in CITED.items() for n in re.findall(r"\b[Ff]acts? (\d+)\b", words)
    ]
    assert len(numbers) > len(FACTS)
    assert [where for where in numbers if where[1] not in FACTS] == []


def test_every_rule_that_is_cited_is_one() -> None:
    """(Tests also cite some that are none; ``S-RULE`` stands for any.)"""
    known = {rule.id for rule in Rule}
    names = {
        (file, name)
        for file, words in CITED.items()
        if not file.startswith("tests/")
        for name in re.findall(r"(?<![\w-])[SDUWER]-[A-Z]{2,}(?:-[A-Z]{2,})*(?![\w-])", words)
    }
    assert {name for _, name in names} >= known
    assert sorted(where for where in names if where[1] not in known | {"S-RULE"}) == []


def test_every_fact_names_tests_that_there_are() -> None:
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    functions = set(re.findall(r"def (test_\w+)\(", tests))
    for number, words in FACTS.items():
        named = set(re.findall(r"`(test_\w+)`", words))
        assert named, f"fact {number} names no test"
        assert named <= functions, f"fact {number}: {sorted(named - functions)}"


def test_every_text_that_is_cited_is_among_the_sources() -> None:
    """By the short names of docs/sources.md, never by a number."""
    table = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    names = re.findall(r"^\| \*([^*]+)\* \|", table, re.MULTILINE)
    assert len(names) == 5
    for name in names:
        assert sum(f"*{name}*" in words or f"*[{name}]" in words for words in CITED.values()) > 1, name
    assert [file for file, words in CITED.items() if re.search(r"\b[Ss]eeds? 0\d\d\b", words)] == []
