"""A counterexample under inferred tokens is shown with the blocks and tokens that inferring added."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convergence.cli import invoke

IRREDUCIBLE = """
declare i32 @subgroupAdd(i32) convergent

define i32 @f(i32 %x, i1 %c) convergent {
entry:
  br i1 %c, label %one, label %two
one:
  %i = phi i32 [ 0, %entry ], [ %k, %two ]
  %s = call i32 @subgroupAdd(i32 %x)
  %j = add i32 %i, 1
  br label %two
two:
  %k = phi i32 [ 5, %entry ], [ %j, %one ]
  %more = icmp ult i32 %k, 2
  br i1 %more, label %one, label %out
out:
  %r = add i32 %k, CONSTANT
  ret i32 %r
}
"""


@pytest.mark.parametrize(
    ("form", "verdict"),
    [
        ("text", "wrong:"),
        ("json", '"verdict": "wrong"'),
        ("sarif", "target does what"),
        ("html", "wrong"),
        ("github", "wrong"),
    ],
)
def test_an_irreducible_cycle_is_shown_in_every_form(form: str, verdict: str, tmp_path: Path) -> None:
    for name, constant in (("before.ll", "1"), ("after.ll", "2")):
        (tmp_path / name).write_text(IRREDUCIBLE.replace("CONSTANT", constant))
    files = [str(tmp_path / "before.ll"), str(tmp_path / "after.ll")]
    out = tmp_path / "answer"
    assert invoke(["refine", *files, "--models", "inferred", "--format", form, "-o", str(out)]) == 1
    shown = out.read_text()
    assert verdict in shown
    if form == "json":
        picture = json.loads(shown)["counterexample"]["source"]["alignment"]["picture"]
        assert any("entry.to." in row for row in picture)  # the blocks of the dispatch
