"""Diagnostics as text: headings, carets under the right cells, notes, summary.

covers: report.parts, report.verify
"""

from __future__ import annotations

import re

import pytest

from convergence.diagnostics import Diagnostic, Severity, SpanLabel, Witness
from convergence.report import verify as text
from convergence.report.parts import WIDTH, Mark, Style, VerifiedFile, excerpt, summary
from convergence.rules import Rule
from convergence.source import NOWHERE, Source, Span
from tests.report.report_sample import BROKEN, TEXT, WARNED, checked, module, span


def test_one_diagnostic_in_full() -> None:
    assert text.diagnostic("a.ll", module().source, BROKEN) == "\n".join(
        [
            "a.ll:5:2: error[S-CYCLE-USE]: a message: 100%, really",
            " 2 | A:",
            "   | -- the token is defined here",
            " ...",
            " 5 |     %use = call i32 @é(i32 1)",
            "   |     ^^^^^^^^^^^^^^^^^^^^^^^^^",
            "   = witness: B -> B (closed path)",
            '   = note: LLVM would say: "Cycle heart must dominate all blocks in the cycle."',
            "   = note: LLVM 22.1 does not report this: unreachable code: LLVM does not check cycles, "
            "nesting and dominance there",
            "   = help: put a loop intrinsic into the cycle",
        ]
    )


def test_colour_changes_nothing_but_colour() -> None:
    plain = text.text([checked()])
    coloured = text.text([checked()], Style(color=True))
    assert coloured != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


@pytest.mark.parametrize(
    ("line", "words", "marked"),
    [
        ("a\tb", "b", "a   b"),
        ("漢字 x", "x", "漢字 x"),
        ("e\u0301 x", "x", "e\u0301 x"),
        ("a\x1b[31mx", "x", "a·[31mx"),
        ("a\u202ex", "x", "a·x"),
    ],
)
def test_carets_count_display_cells(line: str, words: str, marked: str) -> None:
    rows = excerpt(Source("a", line), [Mark(span(words, line))])
    assert rows[0].text == marked
    cells = {"漢字 x": 5, "e\u0301 x": 2}.get(marked, marked.index(words))
    assert rows[1].text == " " * cells + "^"


def test_crlf_does_not_reach_the_output() -> None:
    source = Source("a", "one\r\ntwo\r\n")
    assert [row.text for row in excerpt(source, [Mark(Span(5, 8))])] == ["two", "^^^"]
    assert "\r" not in text.diagnostic("a", source, BROKEN)


def test_a_long_line_is_cut_around_its_marks() -> None:
    line = "x" * 5000 + "HERE" + "y" * 5000
    shown, marks = excerpt(Source("a", line), [Mark(span("HERE", line))])
    assert len(shown.text) <= WIDTH + 2
    assert shown.text[0] == shown.text[-1] == "…"
    assert shown.text[marks.text.index("^") : len(marks.text)] == "HERE"


def test_a_span_of_several_lines_is_marked_on_each() -> None:
    source = Source("a", "x switch [\n   one\n\n ] y")
    rows = [(row.kind, row.text) for row in excerpt(source, [Mark(Span(2, len(source.text) - 2))])]
    assert rows == [
        ("source", "x switch ["),
        ("primary", "  ^^^^^^^^"),
        ("source", "   one"),
        ("primary", "   ^^^"),
        ("gap", "..."),
        ("source", " ] y"),
        ("primary", " ^"),
    ]


def test_a_span_of_very_many_lines_shows_its_ends() -> None:
    source = Source("a", "\n".join(["switch ["] + ["  case"] * 500 + ["]"]))
    rows = [row for row in excerpt(source, [Mark(Span(0, len(source.text)))]) if row.kind == "source"]
    assert [row.number for row in rows] == [1, 502]


def test_an_empty_span_and_the_end_of_the_text_still_get_a_caret() -> None:
    source = Source("a", "abc")
    assert excerpt(source, [Mark(Span(3, 3))])[-1].text == "   ^"
    assert excerpt(source, [Mark(Span(1, 1))])[-1].text == " ^"
    assert excerpt(Source("a", ""), [Mark(Span(0, 0))])[-1].text == "^"


def test_what_no_text_spells_has_no_excerpt() -> None:
    nowhere = Diagnostic(Rule.S_DIRECT, Severity.ERROR, "f", NOWHERE, "not here")
    assert text.diagnostic("a.ll", Source("a.ll", TEXT), nowhere) == "a.ll: error[S-DIRECT]: not here"


def test_two_marks_on_one_line_each_have_a_row() -> None:
    line = "%a = call %b"
    rows = excerpt(
        Source("a", line), [Mark(span("%b", line)), Mark(span("%a", line), "defined", primary=False)]
    )
    assert [row.text for row in rows] == [line, "          ^^", "-- defined"]


@pytest.mark.parametrize(
    ("witness", "said"),
    [
        (Witness("closed-path", ("A", "B", "C")), "A -> B -> C -> A (closed path)"),
        (Witness("region", ("A", "B")), "A, B (region)"),
        (Witness("path", ("A", "B")), "A -> B (path)"),
        (Witness("instruction", ("A",)), "A"),
        (Witness("closed-path", ("an odd\nname", "5")), '"an odd·name" -> 5 -> "an odd·name" (closed path)'),
    ],
)
def test_witnesses(witness: Witness, said: str) -> None:
    assert text.witness(witness) == said


def test_a_message_cannot_move_the_cursor() -> None:
    nasty = Diagnostic(
        Rule.S_DOM, Severity.ERROR, "f", Span(0, 1), "x\x1b[2J\ny", labels=(SpanLabel(Span(0, 1), "\x07"),)
    )
    said = text.diagnostic("a\x1b.ll", Source("a", "abc"), nasty)
    assert not set("\x1b\x07") & set(said)


def test_summaries() -> None:
    fine = VerifiedFile("b.ll", module())
    unread = VerifiedFile("c.ll", None, error="no")
    warned = VerifiedFile("d.ll", module(), (WARNED,))
    assert summary([checked()]) == "1 error, 1 warning in 1 function of 1 file"
    assert summary([checked(), fine]) == "1 error, 1 warning in 1 function of 2 files"
    assert summary([fine]) == "ok: 1 function of 1 file"
    assert summary([fine, warned]) == "ok: 2 functions of 2 files, 1 warning"
    assert summary([unread]) == "1 file could not be taken as LLVM IR"
    assert summary([checked(), unread]).endswith("2 files; 1 file could not be taken as LLVM IR")


def test_a_file_that_could_not_be_read_leaves_all_words_to_standard_error() -> None:
    assert text.text([VerifiedFile("c.ll", None, error="no")]) == ""


def test_quiet_says_errors_only() -> None:
    said = text.text([checked()], quiet=True)
    assert "S-CYCLE-USE" in said
    assert "W-UNUSED-TOKEN" not in said
    assert text.text([VerifiedFile("b.ll", module(), (WARNED,))], quiet=True) == ""
