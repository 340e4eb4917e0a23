"""The warnings (W-).

covers: diagnostics
"""

from __future__ import annotations

import pytest

from convergence.diagnostics import DEFAULT_LEVELS, Severity, UnknownWarningError
from convergence.parser import parse
from convergence.verifier import verify

from .saying import diagnostics, rules, warnings

LOOP = """
define void @f(i1 %c) {{
a:
  %t = ANCHOR
  BARRIER {{%t}}]
  br label %h
h:
  {}
  br label %b
b:
  {}
  br i1 %c, label %h, label %e
e:
  ret void
}}"""


def test_no_heart() -> None:
    assert warnings(LOOP.format("%u = LOOP {%t}]\n  BARRIER {%u}]", "")) == []
    inside = LOOP.format("%u = ANCHOR\n  BARRIER {%u}]", "%v = LOOP {%u}]\n  BARRIER {%v}]")
    assert rules(inside) == []
    assert warnings(inside) == ["W-NO-HEART"], "the cycle contains the definition of its token"


def test_unused_token() -> None:
    assert warnings("define void @f() {\n %t = ANCHOR\n ret void\n}") == ["W-UNUSED-TOKEN"]
    for user in ('PLAIN [ "note"(token %t) ]', "%x = freeze token %t", "call void @takes(token %t)"):
        text = f"define void @f() {{\n %t = ANCHOR\n {user}\n ret void\n}}\ndeclare void @takes(token)"
        assert warnings(text) == [], user
    assert warnings("define token @f() {\n %t = ANCHOR\n ret token %t\n}") == []


def test_an_unused_heart_still_counts_but_is_told() -> None:
    assert warnings(LOOP.format("%u = LOOP {%t}]", "")) == ["W-UNUSED-TOKEN"]


def test_anchor_in_a_cycle() -> None:
    assert warnings(LOOP.format("%u = ANCHOR\n  BARRIER {%u}]", "")) == ["W-ANCHOR-CYCLE"]
    assert warnings(LOOP.format("%u = ANCHOR", "BARRIER {%u}]")) == [], "its token crosses an edge"
    assert warnings(LOOP.format("%u = ANCHOR", "")) == ["W-UNUSED-TOKEN", "W-ANCHOR-CYCLE"]
    assert warnings("define void @f() {\n %t = ANCHOR\n BARRIER {%t}]\n ret void\n}") == []


def test_not_convergent() -> None:
    text = "define void @f(ptr %p) {{\n %t = ANCHOR\n {} {{%t}}]\n ret void\n}}"
    assert warnings(text.format("PLAIN")) == ["W-NOT-CONVERGENT"]
    assert warnings(text.format("call void %p()")) == ["W-NOT-CONVERGENT"]
    assert warnings(text.format("PLAIN").replace("{%t}]", "convergent {%t}]")) == []
    assert warnings(text.format("BARRIER")) == []


def test_unreachable() -> None:
    text = "define void @f() convergent {\na:\n ret void\nb:\n BARRIER\n PLAIN\n ret void\n}"
    (found,) = diagnostics(text)
    assert (found.rule.id, found.severity, found.message) == (
        "W-UNREACHABLE",
        Severity.WARNING,
        "the call of @barrier is convergent and stands in %b, which the entry block does not reach",
    )


ENTERED = """
define void @meet() {} {{
  %t = ENTRY
  BARRIER {{%t}}]
  ret void
}}
@other = alias void (), ptr @meet
@further = alias void (), ptr @other
define void @f() {{
  {}
  ret void
}}"""


def test_entry_call() -> None:
    for call in ("call void @other()", "call void @further()", "call void no_cfi @meet()"):
        assert warnings(ENTERED.format("convergent", call)) == ["W-ENTRY-CALL"], call
    for call in ("call void @meet()", "call void @other() convergent", "PLAIN"):
        assert warnings(ENTERED.format("convergent", call)) == [], call
    assert warnings(ENTERED.format("", "call void @meet()")) == ["W-ENTRY-CALL"], "and S-ENTRY-FN is broken"


def test_alias_of_itself_ends() -> None:
    aliases = "@a = alias void (), ptr @b\n@b = alias void (), ptr @a\n"
    assert warnings(aliases + ENTERED.format("convergent", "call void @a()")) == []


ENTRY = """declare token @llvm.experimental.convergence.entry()
define void @f() convergent {
  %t = call token @llvm.experimental.convergence.entry()
  ret void
}
"""


def test_an_unused_entry_is_said_on_request() -> None:
    module = parse(ENTRY)
    assert verify(module) == ()
    for word in ("unused-token", "W-UNUSED-TOKEN", "w_unused_token", "all"):
        assert [d.rule.id for d in verify(module, DEFAULT_LEVELS.with_word(word))] == ["W-UNUSED-TOKEN"], word


ANCHOR = ENTRY.replace(".entry", ".anchor")


@pytest.mark.parametrize(
    ("words", "severity"),
    [
        ((), "warning"),
        (("no-unused-token",), None),
        (("no-all",), None),
        (("no-all", "unused-token"), "warning"),
        (("unused-token", "no-unused-token"), None),
        (("no-heart", "no-no-heart"), "warning"),
        (("error",), "error"),
        (("error", "no-error"), "warning"),
        (("error=unused-token",), "error"),
        (("error=no-heart",), "warning"),
        (("error", "no-error=unused-token"), "warning"),
        (("no-error=unused-token", "error"), "warning"),
        (("no-unused-token", "error=unused-token"), "error"),
        (("error=unused-token", "no-unused-token"), None),
        (("error=all",), "error"),
    ],
)
def test_levels_as_compilers_have_them(words: tuple[str, ...], severity: str | None) -> None:
    levels = DEFAULT_LEVELS
    for word in words:
        levels = levels.with_word(word)
    said = [d.severity.value for d in verify(parse(ANCHOR), levels)]
    assert said == ([] if severity is None else [severity])


@pytest.mark.parametrize(
    "word", ["", "unused", "no-", "error=", "error=all-of-them", "S-MIX", "w-", "no-error=x"]
)
def test_a_word_that_names_no_warning(word: str) -> None:
    with pytest.raises(UnknownWarningError):
        DEFAULT_LEVELS.with_word(word)
