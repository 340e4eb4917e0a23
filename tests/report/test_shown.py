"""Values show themselves: in IPython, in rich, in ``print``, by one set of renderers.

covers: frozen, report.parts, report.parts.module_html, report.parts.svg
"""

from __future__ import annotations

import copy
import io
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from IPython.core.formatters import DisplayFormatter
from rich.console import Console

import convergence as cc
from convergence.frozen import FORMS, Shown
from convergence.report import parts as html
from convergence.report import shown as report_shown
from tests.cli.cli_harness import convcheck

ROOT = Path(__file__).resolve().parents[2]
NATURAL = ROOT / "examples_ll" / "alignments" / "natural-anchor.ll"
BROKEN = ROOT / "examples_ll" / "rules" / "S-NEST.bad.ll"
PATHS = ["A B B C D".split(), "A B C B C D".split()]
LAUNCH: dict[str, Any] = {"arguments": {"x": [1, 10]}, "paths": PATHS}


def formatted(value: object) -> dict[str, str]:
    """What IPython shows, by MIME type."""
    formatter: Any = DisplayFormatter()  # says no types
    shown, _ = formatter.format(value)
    return dict(shown)


@pytest.fixture(scope="module")
def values() -> dict[str, Shown]:
    module = cc.parse_file(NATURAL)
    run, found = cc.run(module, **LAUNCH), cc.enumerate(module, **LAUNCH)
    machines = cc.simulate(module, **LAUNCH)
    broken = cc.verify(cc.parse_file(BROKEN))
    return {
        "Module": module,
        "Run": run,
        "Enumeration": found,
        "EnumeratedAlignment": found.alignments[1],
        "Why": cc.why(run, "%sum.b thread 0 #2, thread 1 #1"),
        "Simulations": machines,
        "Simulated": machines["ipdom"],
        "Diagnostics": broken,
        "Diagnostic": broken[0],
    }


SAYS = {
    "Module": "define i32 @natural_anchor(",
    "Run": "Thread 0: A B - B C D",
    "Enumeration": "Alignments: 2 (complete)",
    "EnumeratedAlignment": "Thread 1: - - - - A B C B C D",
    "Why": "not converged[D-LOOP]",
    "Simulations": "heart",
    "Simulated": "Machine operations: 2 pop, 2 push",
    "Diagnostics": "error[S-NEST]",
    "Diagnostic": "error[S-NEST]",
}
DRAWN = {"Module", "Run", "Enumeration", "EnumeratedAlignment", "Simulations", "Simulated"}


@pytest.mark.parametrize("name", SAYS)
def test_ipython_shows_text_and_html(values: dict[str, Shown], name: str) -> None:
    value = values[name]
    shown = formatted(value)
    assert set(shown) == {"text/plain", "text/html"}
    assert SAYS[name] in shown["text/plain"]
    assert shown["text/plain"] == str(value)
    assert ("<svg" in shown["text/html"]) is (name in DRAWN)
    ElementTree.fromstring(shown["text/html"])  # well-formed, so that no page breaks on it


@pytest.mark.parametrize("name", SAYS)
def test_html_needs_nothing_from_elsewhere(values: dict[str, Shown], name: str) -> None:
    shown = values[name]._repr_html_().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|<script|<link|@import|url\((?!#)", shown)


@pytest.mark.parametrize("name", SAYS)
def test_a_terminal_shows_the_same_words_in_colour(values: dict[str, Shown], name: str) -> None:
    plain = io.StringIO()
    Console(file=plain, width=500, color_system=None).print(values[name])
    said = [line.rstrip() for line in plain.getvalue().expandtabs().rstrip().splitlines()]
    assert said == [line.rstrip() for line in str(values[name]).expandtabs().rstrip().splitlines()]
    if name in ("Diagnostics", "Diagnostic", "Why"):
        coloured = io.StringIO()
        Console(file=coloured, width=500, color_system="standard", force_terminal=True).print(values[name])
        assert "\x1b[" in coloured.getvalue()


def test_print_says_what_the_command_line_says(
    values: dict[str, Shown], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file carries the same launch in its CONVCHECK lines."""
    monkeypatch.chdir(ROOT)
    file = str(NATURAL.relative_to(ROOT))
    assert convcheck("run", file).out == str(values["Run"]) + "\n"
    assert convcheck("enumerate", file).out == str(values["Enumeration"]) + "\n"
    assert convcheck("simulate", file).out == str(values["Simulations"]) + "\n"
    assert convcheck("simulate", file, "--policy", "ipdom").out == str(values["Simulated"]) + "\n"


def test_a_refinement_shows_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    file = "examples_ll/transforms/hoist-add.ll"
    module = cc.parse_file(file)
    found = cc.refine(module, module)
    assert convcheck("refine", file).out == str(found) + "\n"
    shown = formatted(found)
    assert shown["text/plain"] == str(found)
    assert shown["text/html"].count("<svg") == 2
    ElementTree.fromstring(shown["text/html"])
    same = cc.refine(cc.parse_file(NATURAL), cc.parse_file(NATURAL))
    assert str(same).startswith("equal: @natural_anchor") and "<svg" not in same._repr_html_()


def test_what_is_large_is_cut_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_shown, "LISTED", 1)
    monkeypatch.setattr(report_shown, "CELLS", 10)
    module = cc.parse_file(NATURAL)
    found = cc.enumerate(module, **LAUNCH)
    assert "... and 1 more alignments\n\nAlignments: 2 (complete)" in str(found)
    assert "Alignment 2:" not in str(found)
    machines = cc.simulate(module, **LAUNCH)
    assert "<svg" not in machines._repr_html_() and "cells are more than 10" in machines._repr_html_()
    monkeypatch.setattr(report_shown, "LISTED", 0)
    assert str(cc.verify(cc.parse_file(BROKEN))) == "... and 1 more\n\n1 error"


def test_repr_says_in_a_line_what_a_value_is(values: dict[str, Shown]) -> None:
    assert repr(values["Run"]) == "<Run of @natural_anchor: 2 threads, returned, 33 instructions>"
    assert repr(values["Diagnostic"]).startswith("<Diagnostic ")
    assert all(len(repr(value).splitlines()) == 1 for value in values.values())


def test_ids_of_two_pictures_on_one_page_differ(values: dict[str, Shown]) -> None:
    pages = [values[name]._repr_html_() for name in ("Run", "EnumeratedAlignment")]
    ids = [set(re.findall(r' id="([^"]+)"', page)) for page in pages]
    assert ids[0] and ids[1] and not ids[0] & ids[1]


def test_a_form_can_be_left_out(values: dict[str, Shown]) -> None:
    assert set(values["Run"]._repr_mimebundle_(include=["text/html"])) == {"text/html"}
    assert set(values["Run"]._repr_mimebundle_(exclude=["text/html"])) == {"text/plain"}


def test_diagnostics_are_a_tuple_that_knows_its_source() -> None:
    found = cc.verify(cc.parse_file(BROKEN))
    assert isinstance(found, tuple) and len(found) == 1
    assert "11 |   call void @barrier()" in str(found)
    for other in (copy.copy(found), pickle.loads(pickle.dumps(found))):
        assert other == found and other.source == found.source and str(other) == str(found)
    assert str(cc.verify(cc.parse_file(NATURAL))) == "ok: 1 function"


def test_names_in_a_program_are_text() -> None:
    evil = 'define void @"<script>x</script>"() {\n"a<b>&":\n  ret void\n}\n'
    module = cc.parse(evil)
    for value in (module, cc.run(module), cc.simulate(module, "heart"), cc.enumerate(module)):
        shown = value._repr_html_()
        assert "<script" not in shown
        ElementTree.fromstring(shown)


def test_a_body_that_cannot_be_read_is_shown_as_text() -> None:
    module = cc.parse("define void @f() {\n  %a = add i32 1\n  ret void\n}\n", ask_llvm=False)
    assert "not read" in module._repr_html_() and "%a = add i32 1" in module._repr_html_()


def test_machines_are_found_by_name_and_place(values: dict[str, Shown]) -> None:
    machines = values["Simulations"]
    assert isinstance(machines, cc.Simulations)
    assert machines["heart"].conforms and machines[0] is machines["ipdom"]
    assert len(machines) == len(list(machines)) == 8
    with pytest.raises(KeyError):
        machines["none"]
    with pytest.raises(cc.UsageError, match="unknown policy 'none': there are ipdom"):
        cc.simulate(machines.module, "none")


def test_every_class_that_can_be_shown_has_its_forms() -> None:
    code = "import convergence as cc, convergence.refine.verdict.result as r; "
    code += "[getattr(cc, n) for n in cc.__all__]\n"
    code += "from convergence.frozen import Shown; print(*[c.__name__ for c in Shown.__subclasses__()])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == set(report_shown.FORMS)
    assert report_shown.__name__ == FORMS


def test_colours_become_spans() -> None:
    assert html.dressed("\x1b[1;31mno\x1b[0m <b>") == (
        '<span style="font-weight:bold;color:#d32f2f">no</span> &lt;b&gt;'
    )
