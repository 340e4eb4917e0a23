"""The notebooks run from their first cell to their last, and their exercises know right from wrong."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"
SOLUTIONS: dict[str, tuple[tuple[object, object], tuple[object, object]]] = {
    # per exercise the right answer, and a wrong one that one might give
    "1-natural-or-nested": ((11, 1), (10, 11)),
    "2-anchors-entry-hearts": ((5, 1), (2, 3)),
    "3-what-the-machine-does": ((10, 5), ("mask-stack", "ipdom")),
    "4-is-this-transform-legal": (("wrong", "refines"), ("refines", "equal")),
    "5-write-your-own": ((16, 15), ("%all", "%heart")),
}


def test_every_notebook_has_its_solutions_here() -> None:
    assert sorted(SOLUTIONS) == sorted(path.stem for path in NOTEBOOKS.glob("*.py"))


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_notebook_runs_and_checks_answers(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    cells: dict[str, Any] = runpy.run_path(str(NOTEBOOKS / f"{name}.py"))
    assert capsys.readouterr().out.count("not yet:") == 2  # nothing is answered yet
    for number, (right, wrong) in enumerate(SOLUTIONS[name], 1):
        check = cells[f"check_{number}"]
        assert check(right)
        assert not check(wrong)
        assert not check(None)


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_notebook_says_first_what_it_is_for(name: str) -> None:
    text = (NOTEBOOKS / f"{name}.py").read_text()
    first = text.split("# %% [markdown]")[1]
    assert "At the end you will be able to answer:" in first
    assert text.count("## Exercise") == 2
    assert text.count("<summary>Solution</summary>") == 2
