"""Alignments as SVG: valid, deterministic, nothing over anything, and never colour alone.

covers: report.parts.svg
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest

from convergence import parse, picture, run
from convergence.ir.module import Module
from convergence.report.parts import svg
from convergence.report.parts.svg import PALETTE, shortened
from convergence.semantics.machine.run import Run
from tests.cli.cli_harness import ROOT, convcheck, ll, one_line

SVG = "{http://www.w3.org/2000/svg}"
ALIGNMENTS = ROOT / "examples_ll" / "alignments"
EXAMPLES = [
    ALIGNMENTS / f"{name}.ll"
    for name in ("natural", "natural-anchor", "nested", "nested-anchor", "uncontrolled")
]

BRANCHED = """
define i32 @branched(i32 %x, i1 %c) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  %all = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  br i1 %c, label %"a <rather> long & \\22odd\\22 name, with more than forty signs", label %else
"a <rather> long & \\22odd\\22 name, with more than forty signs":
  %one = call i32 @subgroupMax(i32 %x) [ "convergencectrl"(token %t) ]
  br label %end
else:
  %two = call i32 @subgroupMin(i32 %x) [ "convergencectrl"(token %t) ]
  br label %plain
plain:
  br label %end
end:
  call void @barrier() [ "convergencectrl"(token %t) ]
  %last = call i1 @subgroupElect() [ "convergencectrl"(token %t) ]
  ret i32 %all
}
declare i32 @subgroupAdd(i32) convergent
declare i32 @subgroupMax(i32) convergent
declare i32 @subgroupMin(i32) convergent
declare i1 @subgroupElect() convergent
declare void @barrier() convergent
declare token @llvm.experimental.convergence.entry()
"""


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def branched(threads: int) -> tuple[Run, Module]:
    module = parse(BRANCHED)
    even = [n % 2 == 0 for n in range(threads)]
    return run(module, threads=threads, arguments={"x": list(range(threads)), "c": even}), module


def drawn(made: Run, module: Module, prefix: str = "convcheck") -> str:
    return svg.alignment(made.execution, made.groups, module, made.machine.launch.function, prefix=prefix)


def texts(root: ET.Element) -> list[tuple[str, Box]]:
    """Each text with its box, from the attributes that fix its width."""
    found = []
    for text in root.iter(f"{SVG}text"):
        size, width = float(text.get("font-size", "")), float(text.get("textLength", ""))
        x, y = float(text.get("x", "")), float(text.get("y", ""))
        left = {"start": x, "middle": x - width / 2}[text.get("text-anchor", "")]
        found.append((text.text or "", Box(left, y - 0.8 * size, left + width, y + 0.2 * size)))
    return found


def boxes(root: ET.Element, *kinds: str) -> list[Box]:
    return [
        Box(x, y, x + float(r.get("width", "")), y + float(r.get("height", "")))
        for r in root.iter(f"{SVG}rect")
        if r.get("class") in kinds
        for x, y in [(float(r.get("x", "0")), float(r.get("y", "0")))]
    ]


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_command_draws_every_acceptance_alignment(file: Path) -> None:
    ran = convcheck("run", "--format", "svg", file)
    assert (ran.code, ran.err) == (0, "")
    root = ET.fromstring(ran.out)
    assert root.tag == f"{SVG}svg"
    assert convcheck("run", "--format", "svg", file).out == ran.out
    # The cells from left to right are the rows of the picture.
    rows: dict[float, list[tuple[float, str]]] = {}
    shown = convcheck("run", "-q", file).out.splitlines()
    names = {word for row in shown for word in row.split(": ")[1].split()} - {"-"}
    for text, box in texts(root):
        if text in names and box.left > 100:
            rows.setdefault(round(box.top / 48), []).append((box.left, text))
    said = [[name for _, name in sorted(row)] for _, row in sorted(rows.items())]
    assert said == [[w for w in row.split(": ")[1].split() if w != "-"] for row in shown]


@pytest.mark.parametrize("threads", [1, 2, 5, 33])
def test_no_text_lies_over_another_or_leaves_its_place(threads: int) -> None:
    made, module = branched(threads)
    root = ET.fromstring(drawn(made, module))
    _, _, width, height = map(float, root.get("viewBox", "").split())
    whole = Box(0, 0, width, height)
    found = texts(root)
    assert len(found) > 5
    for (one, a), (other, b) in combinations(found, 2):
        assert not a.meets(b), (one, other)
    for text, box in found:
        assert whole.left <= box.left and box.right <= whole.right, text
        assert whole.top <= box.top and box.bottom <= whole.bottom, text
    # A text that touches a box lies inside it; boxes of different columns do not touch.
    around = boxes(root, "group", "control", "alone")
    for text, box in found:
        for outline in around:
            if box.meets(outline):
                assert outline.left <= box.left and box.right <= outline.right, text
    for one_box, other_box in combinations(around, 2):
        assert not one_box.meets(other_box)


def test_groups_are_lettered_outlined_and_joined() -> None:
    made, module = branched(5)
    root = ET.fromstring(drawn(made, module))
    said = [text for text, _ in texts(root)]
    assert said.count("a") == 5 and said.count("d") == 5  # all threads, in A and in end
    assert said.count("b") == 3 and said.count("c") == 2  # threads 0, 2, 4 and 1, 3
    assert "a: %all (@subgroupAdd), threads 0-4 #1 => 10" in said
    assert "b: %one (@subgroupMax), threads 0, 2, 4 #1 => 4" in said
    assert "d: @barrier#1, threads 0-4 #1" in said
    groups = boxes(root, "group")
    assert len(groups) == 1 + 3 + 2 + 1  # neighbours share a box
    joined = [line for line in root.iter(f"{SVG}line") if line.get("class") == "group"]
    assert len(joined) == 2 + 1  # 0-2, 2-4, 1-3
    assert all(float(line.get("y2", "")) > float(line.get("y1", "")) for line in joined)


def test_colour_is_never_alone() -> None:
    made, module = branched(4)
    text = drawn(made, module)
    root = ET.fromstring(text)
    patterns = list(root.iter(f"{SVG}pattern"))
    assert len(patterns) == 4
    shapes = {ET.tostring(p).split(b"/>", 1)[1] for p in patterns}
    assert len(shapes) == 4  # four operations, four patterns
    used = set(re.findall(r'fill="(#[0-9a-f]{6})"', text))
    assert used <= {*PALETTE}


def test_a_screen_reader_has_the_picture_in_words() -> None:
    made, module = branched(2)
    root = ET.fromstring(drawn(made, module))
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None and title.text == "Alignment of @branched"
    assert desc is not None and desc.text is not None
    assert desc.text.startswith("Thread 0: A (group a), a <rather> long")
    assert "Thread 1: A (group a), -, else (group c), plain, end (group d)." in desc.text
    assert root.get("role") == "img"
    assert (root.get("aria-labelledby") or "").split() == [title.get("id"), desc.get("id")]


def test_ids_are_unique_deterministic_and_of_the_prefix() -> None:
    made, module = branched(3)
    text = drawn(made, module, "left")
    ids = [e.get("id") for e in ET.fromstring(text).iter() if e.get("id")]
    assert len(set(ids)) == len(ids) > 5
    assert all(i is not None and i.startswith("left-") for i in ids)
    assert set(re.findall(r"url\(#([^)]*)\)", text)) <= set(ids)
    assert drawn(*branched(3), "left") == text


def test_light_and_dark_have_contrast() -> None:
    """WCAG: text 4.5 to 1 on what lies behind it, which is the paper or a wash of colour on it."""
    text = drawn(*branched(2))
    modes = re.findall(r"--ink:(#\w+);--paper:(#\w+);--faint:(#\w+);--wash:([.\d]+)", text)
    assert len(modes) == 2
    for ink, paper, faint, wash in modes:
        assert contrast(ink, paper) > 7
        assert contrast(faint, paper) >= 4.5
        for colour in PALETTE:
            assert contrast(ink, mixed(colour, paper, float(wash))) > 4.5, (ink, colour)


def test_very_many_threads_share_rows_and_long_names_are_cut() -> None:
    made, module = branched(200)
    root = ET.fromstring(drawn(made, module))
    labels = [text for text, _ in texts(root) if text.startswith("Threads")]
    assert len(labels) == 2
    titles = [t.text or "" for t in root.iter(f"{SVG}title")]
    assert any(t.startswith("Threads 0, 2, 4") and t.endswith("198") for t in titles)
    assert any(text.endswith("…") and text.startswith("a <rather>") for text, _ in texts(root))


def test_a_run_of_nothing_is_a_picture_of_nothing() -> None:
    module = parse("define void @f() { ret void }")
    made = run(module)
    root = ET.fromstring(drawn(made, module))
    assert next(text for text, _ in texts(root)) == "@f, time to the right"
    assert picture(made.execution, module, "f") == ("0",)


def test_all_alignments_of_an_enumeration_stand_below_each_other() -> None:
    ran = convcheck("enumerate", "--format", "svg", ALIGNMENTS / "natural-anchor.ll")
    assert (ran.code, ran.err) == (0, "")
    root = ET.fromstring(ran.out)
    inner = root.findall(f"{SVG}svg")
    assert len(inner) == 2
    titles = [(svg_.find(f"{SVG}title")).text for svg_ in inner]  # type: ignore[union-attr]
    assert titles == ["Alignment 1 of @natural_anchor", "Alignment 2 of @natural_anchor"]
    first, second = ((float(s.get("y", "0")), float(s.get("height", ""))) for s in inner)
    assert first[0] == 0 and second[0] >= first[1]
    last = root.findall(f"{SVG}text")
    assert [t.text for t in last] == ["Alignments: 2 (complete) Outcomes: 2"]
    assert second[0] + second[1] < float(last[0].get("y", ""))
    assert all(float(s.get("width", "")) <= float(root.get("width", "")) for s in inner)
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(set(ids)) == len(ids)
    assert set(re.findall(r"url\(#([^)]*)\)", ran.out)) <= set(ids)


def test_very_many_alignments_are_cut(tmp_path: Path) -> None:
    text = """define void @f() convergent {
  %t = call token @llvm.experimental.convergence.anchor()
  ret void
}
declare token @llvm.experimental.convergence.anchor()
"""
    ran = convcheck("enumerate", "--format", "svg", "--threads", "6", ll(tmp_path, text))
    root = ET.fromstring(ran.out)
    assert len(root.findall(f"{SVG}svg")) == 64
    assert root.findall(f"{SVG}text")[0].text == "... and 139 more alignments"


def test_what_nobody_could_read_is_not_drawn(tmp_path: Path) -> None:
    """More passes through blocks than a picture shows: exit 3, in one line, as the text form's note says."""
    text = """define void @f() {
A:
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %n, %B ]
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, 100001
  br i1 %c, label %B, label %D
D:
  ret void
}
"""
    ran = convcheck("run", "--format", "svg", ll(tmp_path, text))
    assert (ran.code, ran.out) == (3, "")
    assert one_line(ran.err) and "no picture" in ran.err


def test_questions_have_no_answer_in_a_picture(tmp_path: Path) -> None:
    ran = convcheck("run", "--format", "svg", "--why", "%x thread 0, thread 1", ll(tmp_path, BRANCHED))
    assert ran.code == 2
    assert "--why has no answer in svg" in ran.err


def test_cut_counts_display_cells() -> None:
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefg", 6) == "abcde…"
    assert shortened("日本語日本", 6) == "日本…"


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def mixed(over: str, under: str, share: float) -> str:
    pairs = [(int(over[n : n + 2], 16), int(under[n : n + 2], 16)) for n in (1, 3, 5)]
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)
