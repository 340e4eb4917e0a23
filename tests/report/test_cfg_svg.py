"""Control flow as SVG: well-formed, every block and edge, the witness marked."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import convergence as cc
from convergence.diagnostics import Witness
from convergence.report.parts import module_html as cfg_svg
from convergence.report.parts.module_html import control_flow, operation_lines

SHELF = Path(__file__).resolve().parents[2] / "examples_ll"


def drawn(name: str, witness: Witness | None = None) -> str:
    module = cc.parse_file(SHELF / name)
    return control_flow(module, module.definitions()[0], witness)


def titles(text: str) -> list[str]:
    return re.findall(r"<g><title>([^<]*)</title>", text)


def test_blocks_and_edges_are_there_once() -> None:
    text = drawn("alignments/natural.ll")
    ElementTree.fromstring(text)
    edges = [said for said in titles(text) if " to " in said]
    assert sorted(edges) == ["A to B", "B to B", "B to C", "C to B", "C to D"]
    assert "Block B with %heart = loop [%outer], %sum.b = @subgroupAdd [%heart] goes to B, C." in text


def test_a_closed_path_marks_its_blocks_and_edges_and_no_others() -> None:
    (found,) = cc.verify(cc.parse_file(SHELF / "rules" / "S-CYCLE-USE.bad.ll"))
    text = drawn("rules/S-CYCLE-USE.bad.ll", found.witness)
    assert text.count('class="marked"') == 1 and text.count('class="walked"') == 1
    assert "Marked (closed-path): body." in text
    plain = drawn("rules/S-CYCLE-USE.bad.ll")
    assert 'class="marked"' not in plain and 'class="walked"' not in plain


def test_a_region_marks_blocks_but_no_edges() -> None:
    text = drawn("alignments/natural.ll", Witness("region", ("A", "B")))
    assert text.count('class="marked"') == 2 and 'class="walked"' not in text


def test_edges_beside_each_other_have_lanes_of_their_own() -> None:
    assert cfg_svg._lanes([(3, 0), (2, 1), (5, 4)]) == {(2, 1): 1, (5, 4): 1, (3, 0): 2}


def test_what_a_block_says() -> None:
    module = cc.parse_file(SHELF / "alignments" / "natural.ll")
    blocks = {block.name: operation_lines(module, block) for block in module.functions["natural"].blocks}
    assert blocks == {
        "A": ("%outer = entry",),
        "B": ("%heart = loop [%outer]", "%sum.b = @subgroupAdd [%heart]"),
        "C": (),
        "D": (),
    }


def test_very_many_blocks_are_cut_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cfg_svg, "BLOCKS", 2)
    text = drawn("alignments/natural.ll")
    assert "... and 2 more blocks" in text and "B to C" not in text
