"""Pictures that pages and the README show are those of today; all are XML, whatever names hold.

covers: report.parts.svg, report.simulate
"""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.cli.cli_harness import ROOT, convcheck

SHELF = "examples_ll/alignments"
SHOWN = {
    "natural": ["run", f"{SHELF}/natural.ll", "--format", "svg"],
    "nested": ["run", f"{SHELF}/nested.ll", "--format", "svg"],
    "legend": ["run", f"{SHELF}/natural.ll", "--format", "svg", "--legend"],
    "masks": ["simulate", f"{SHELF}/natural.ll", "--policy", "ipdom", "--policy", "heart", "--format", "svg"],
}
ODD = """
define i32 @"f\\01<&"(i1 %c) convergent {
"a\\1B[31m\\FF":
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %c, label %"x\\02 \\22y\\22", label %"\\E2\\80\\AE<b>"
"x\\02 \\22y\\22":
  %"s\\07" = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  ret i32 %"s\\07"
"\\E2\\80\\AE<b>":
  ret i32 0
}
declare token @llvm.experimental.convergence.entry()
declare i32 @subgroupAdd(i32) convergent
"""


@pytest.mark.parametrize("name", SHOWN)
def test_the_pictures_that_are_shown_are_those_of_today(name: str) -> None:
    made = convcheck(*SHOWN[name]).out
    path = ROOT / "docs" / "pictures" / f"{name}.svg"
    if os.environ.get("CONVCHECK_UPDATE_PAGES"):
        path.write_text(made, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == made


@pytest.mark.parametrize(
    "command",
    [
        ["run", "--legend", "--animate", "--format", "svg"],
        ["enumerate", "--legend", "--format", "svg"],
        ["simulate", "--format", "svg"],
    ],
    ids=lambda command: command[0],
)
def test_any_name_gives_xml_without_controls(tmp_path: Path, command: list[str]) -> None:
    file = tmp_path / "odd.ll"
    file.write_text(ODD)
    made = convcheck(command[0], str(file), "--threads", "2", "--arg", "%c=1,0", *command[1:]).out
    ElementTree.fromstring(made)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", made)
    assert "<script" not in made


def test_any_name_gives_lines_of_json(tmp_path: Path) -> None:
    file = tmp_path / "odd.ll"
    file.write_text(ODD)
    made = convcheck("run", str(file), "--threads", "2", "--arg", "%c=1,0", "--format", "jsonl").out
    assert [json.loads(line) for line in made.splitlines()]
    made.encode("utf-8")


def test_a_legend_explains_every_sign_and_motion_can_be_refused() -> None:
    plain, legend = (convcheck(*SHOWN[name]).out for name in ("natural", "legend"))
    for sign in ("group", "control", "alone", "lane", "badge"):
        assert legend.count(f'class="{sign}"') > plain.count(f'class="{sign}"')
    animated = convcheck(*SHOWN["nested"], "--animate").out
    assert animated.count("@keyframes") == len(set(re.findall(r'id="convcheck-c\d+"', animated)))
    assert "prefers-reduced-motion" in animated
    assert convcheck("run", f"{SHELF}/natural.ll", "--legend").code == 2


def test_masks_name_every_stay_and_both_colours_of_paper() -> None:
    made = convcheck(*SHOWN["masks"]).out
    assert "prefers-color-scheme:dark" in made
    names = re.findall(r">([ABCD])</text>", made)
    assert "".join(names) == "ABBCBCD" + "ABCBCD", "each stay of lanes in a block"
