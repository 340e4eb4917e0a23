"""``docs/architecture.md`` says what is there: its rooms, its concepts, its figures."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.meta.package_modules import ROOT, modules

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PROGRAM = "define i32 @f(i32 %x) {\n  %s = add i32 %x, 1\n  ret i32 %s\n}\n"
SLACK = 5
"""Files by which a figure may be too large: it says no more than that."""


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(title: str) -> list[list[str]]:
    """The cells of a section's table, without its heading."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_room_is_explained() -> None:
    packages = {
        name.removeprefix("convergence.")
        for name, file in modules().items()
        if file.name == "__init__.py" and name != "convergence"
    }
    explained = [name for row in rows("Rooms") for name in re.findall(r"`([\w.]+)`", row[0])]
    assert sorted(explained) == sorted(packages)


def defined(path: str) -> set[str]:
    """The names that a file's top level defines."""
    names: set[str] = set()
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                names.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                names.add(name)
    return names


def test_concepts_are_where_they_are_said_to_be_and_as_many() -> None:
    concepts = rows("The way of one instruction")
    for name, path, _ in concepts:
        assert name.strip("`") in defined(path.strip("`")), name
    said = re.search(r"meets (\d+) concepts", section("The way of one instruction"))
    assert said is not None and int(said[1]) == len(concepts)


def test_what_a_newcomer_asks_for_is_there() -> None:
    asked = re.findall(r"`(\w+)`\s+in\s+`(convergence/[\w/]+\.py)`", section("Where is ..."))
    assert len(asked) >= 3
    for name, path in asked:
        assert name in defined(path), name


@pytest.mark.parametrize("command", [("run", "--arg", "%x=1"), ("verify",)], ids=lambda c: c[0])
def test_the_smallest_command_imports_as_many_files_as_is_said(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    (file := tmp_path / "a.ll").write_text(PROGRAM)
    code = (
        "import sys\n"
        "from convergence.cli import invoke\n"
        "code = invoke(sys.argv[1:])\n"
        "files = {m.__file__ for n, m in sys.modules.items() if n.split('.')[0] == 'convergence'}\n"
        "print(len(files), file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command, file], cwd=ROOT, capture_output=True, text=True, check=True
    )
    (said,) = (row[1] for row in rows("Measured") if f"`{command[0]}`" in row[0])
    assert int(said) - SLACK <= int(done.stderr.split()[-1]) <= int(said)
