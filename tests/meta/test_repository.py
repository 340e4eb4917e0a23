"""The repository itself: rules have examples, nothing names a machine, files stay readable."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from convergence.rules import Rule

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "examples_ll" / "rules"
STATIC = [rule for rule in Rule if rule.id.startswith("S-")]
# Somebody's home, a build machine's folder: nothing that is committed may depend on them.
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|Users|work|opt/pypi)/\w|/tmp/w\b")


def committed() -> list[Path]:
    """The files of the repository, from git where there is one."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        skip = {".venv", ".git", "__pycache__", "Output"}
        return [p for p in ROOT.rglob("*") if p.is_file() and not skip & set(p.relative_to(ROOT).parts)]
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("rule", STATIC, ids=lambda rule: rule.id)
def test_every_static_rule_has_a_keeping_and_a_breaking_example(rule: Rule) -> None:
    names = {path.name for path in RULES.glob(f"{rule.id}.*ll")}
    assert {f"{rule.id}.good.ll", f"{rule.id}.bad.ll"} <= names


def test_no_example_names_a_rule_that_is_not_there() -> None:
    known = {rule.id for rule in Rule}
    for path in RULES.glob("*.ll"):
        assert path.name.split(".")[0] in known, path.name


def test_nothing_names_a_machine() -> None:
    found = []
    for path in committed():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if path != Path(__file__).resolve():
            found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in MACHINE_PATH.finditer(text)]
    assert not found
