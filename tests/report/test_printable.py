"""Names of any bytes (LLVM spells them ``\\xx``): every form of every command's answer stays well formed, and
nothing that moves a terminal's cursor or turns its direction comes through.

covers: report.parts
"""

from __future__ import annotations

import json
import re
import unicodedata
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from convergence.ir import escape_bytes
from convergence.report.parts import printable, valid_json
from tests.cli.cli_harness import Ran, convcheck, ll

BIDIRECTIONAL = frozenset("LRE RLE LRO RLO PDF LRI RLI FSI PDI".split())


def harmless(character: str) -> bool:
    """Whether a terminal shows a character and does nothing else: no control, no line's end, no change of
    direction, no half of a pair."""
    if character in "\u200e\u200f\u061c" or unicodedata.bidirectional(character) in BIDIRECTIONAL:
        return False
    return unicodedata.category(character) not in ("Cc", "Zl", "Zp", "Cs")


def check_text(said: str) -> None:
    assert [c for c in said if c != "\n" and not harmless(c)] == []


def check_json(said: str) -> None:
    value = json.loads(said)
    json.dumps(value, ensure_ascii=False).encode("utf-8")  # no lone surrogate, which strict readers refuse


def check_jsonl(said: str) -> None:
    assert said.endswith("\n")
    for line in said[:-1].split("\n"):
        check_json(line)


def check_svg(said: str) -> None:
    root = ElementTree.fromstring(said.encode("utf-8"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    check_text("".join(root.itertext()))


def check_github(said: str) -> None:
    check_text(said)
    for line in said.splitlines():
        assert re.fullmatch(r"::(error|warning|notice) [^\s:]+=.*::.*", line), line


class _Page(HTMLParser):
    """Elements that are open, and the tags that close none."""

    VOID = frozenset(("meta", "link", "br", "hr", "img", "input"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.astray: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.astray.append(tag)


def check_html(said: str) -> None:
    check_text(said.replace("\t", " "))
    page = _Page()
    page.feed(said)
    page.close()
    assert (page.open, page.astray) == ([], [])


CHECKS = {
    "text": check_text, "json": check_json, "jsonl": check_jsonl, "svg": check_svg, "github": check_github,
    "sarif": check_json, "html": check_html,
}  # fmt: skip

FORMS = [
    ("verify", (), ("text", "json", "sarif", "github")),
    ("run", (), ("text", "json", "jsonl", "svg", "github")),
    ("run", ("--trace", "-v"), ("text", "json", "jsonl")),
    ("enumerate", (), ("text", "json", "svg", "github")),
    ("simulate", ("--policy", "all"), ("text", "json", "svg", "github")),
    ("simulate", ("--policy", "exec-mask", "-v", "--listing"), ("text",)),
    ("explore", (), ("html",)),
    ("refine", (), ("text", "json", "html", "sarif", "github")),
    ("infer", (), ("text",)),
    ("inline", (), ("text",)),
    ("uniform", (), ("text", "json", "sarif", "github", "html", "svg")),
]
"""Commands, arguments and forms; ``refine`` compares the file with itself, changed."""


def program(name: bytes, kind: str) -> str:
    """A program in which everything has this name, as far as LLVM lets it: ``kind`` says how it ends."""
    said = escape_bytes(name)
    same = f'call i32 @"op {said}"(i32 7)'
    last = {
        "returns": f'ret i32 %"sum {said}"',
        "undefined": "unreachable",
        "not modelled": f'%"e {said}" = va_arg ptr null, i32\n  ret i32 0',
        "endless": f'br label %"C {said}"\n"C {said}":\n  br label %"C {said}"',
        "broken": f'br label %"B {said}"',
    }[kind]
    token = f'"convergencectrl"(token %"t {said}")'
    return f"""
source_filename = "{said}"
%"type {said}" = type {{ i32 }}
@"global {said}" = global i32 0, section "{said}"
declare token @llvm.experimental.convergence.entry()
declare i32 @"op {said}"(i32) convergent
declare i32 @subgroupAdd(i32) convergent

define i32 @"f {said}"(i32 %"x {said}") convergent {{
"A {said}":
  %"t {said}" = call token @llvm.experimental.convergence.entry()
  br label %"B {said}"
"B {said}":
  %"seen {said}" = {same} [ {token} ]
  %"sum {said}" = call i32 @subgroupAdd(i32 %"seen {said}") [ {token} ]
  store i32 %"sum {said}", ptr @"global {said}"
  {last}
}}
"""


def check(ran: Ran, form: str) -> None:
    assert ran.code in (0, 1, 2, 3), ran
    check_text(ran.err)
    if ran.out or ran.code == 0:
        CHECKS[form](ran.out)


def look(folder: Path, text: str, changed: str) -> None:
    file = ll(folder, text)
    other = ll(folder, changed, "b.ll")
    # then nothing is refused, and all is looked at; LLVM takes no name with a zero
    runs = "ret i32" in text and "va_arg" not in text and convcheck("verify", file).code == 0
    for command, more, forms in FORMS:
        for form in forms:
            files = [file, other] if command == "refine" else [file]
            chosen = [] if command in ("infer", "inline") else ["--format", form]
            static = command in ("verify", "infer", "inline", "uniform")
            bounds = [] if static else ["--max-steps", "200", "--threads", "2"]
            ran = convcheck(command, *files, *more, *bounds, *chosen)
            check(ran, form)
            assert ran.code in (0, 1) or not runs, ran


NASTY = [
    b"\x1b[31mred", b"\0", b"a\nb\r\nc", b"<b>&amp;\"'", b"]]>", b"\xff\xfe", b"\xed\xa0\x80", b"--><script>",
    "\u202eabc\u2066".encode(), "\u2028\u2029\x85".encode(), "\ufffe\uffff".encode(), b"::error::%0A%",
    b"`$(x)`",
    "\u200e\u200f\u061c".encode(), "\U0001f600e\u0301".encode(), b"\x7f\x80\x9b31m", b"\\5C", b"a::b,c=d",
]  # fmt: skip


@pytest.mark.parametrize("name", [b" ".join(NASTY[n : n + 5]) for n in range(0, len(NASTY), 5)], ids=range(4))
def test_each_form_is_well_formed_whatever_the_names(tmp_path: Path, name: bytes) -> None:
    text = program(name, "returns")
    look(tmp_path, text, text.replace("subgroupAdd", "subgroupMax"))


_RARE = st.sampled_from(NASTY)
_BYTES = st.lists(st.one_of(st.binary(min_size=1, max_size=3), _RARE), min_size=1, max_size=4).map(b"".join)
_KINDS = st.sampled_from(["returns", "undefined", "not modelled", "endless", "broken"])


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(_BYTES, _KINDS)
def test_each_form_is_well_formed_for_any_bytes(tmp_path: Path, name: bytes, kind: str) -> None:
    text = program(name, kind)
    look(tmp_path, text, text.replace("subgroupAdd", "subgroupMax"))


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec=None), max_size=20))
def test_what_is_shown_is_harmless_and_stays_readable(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    for before, after in zip(text, shown, strict=True):
        assert harmless(after)
        assert after == before or (after == "·" and (not harmless(before) or before in "\ufffe\uffff"))


@settings(max_examples=300, deadline=None)
@given(st.recursive(st.text(st.characters(codec=None), max_size=8), lambda v: st.lists(v, max_size=3)))
def test_json_keeps_all_but_lone_surrogates(value: object) -> None:
    read = json.loads(valid_json(json.dumps(value)))
    json.dumps(read, ensure_ascii=False).encode("utf-8")
    if not any(unicodedata.category(c) == "Cs" for c in json.dumps(value, ensure_ascii=False)):
        assert read == value


def test_a_file_name_cannot_speak_to_the_terminal_or_to_github(tmp_path: Path) -> None:
    file = ll(tmp_path, "define void @f() {\n  ret\n}\n", "a\x1b[2J\n::error::x.ll")
    for form in ("text", "github", "json"):
        ran = convcheck("verify", file, "--format", form)
        assert ran.code == 2
        check_text(ran.err)
        CHECKS[form](ran.out)


def test_a_usage_error_is_shown_without_controls(tmp_path: Path) -> None:
    ran = convcheck("run", ll(tmp_path, "define void @f() {\n  ret void\n}\n"), "--arg", "%x\x1b[2J=\x1b")
    assert ran.code == 2
    check_text(ran.err)
