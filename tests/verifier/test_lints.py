"""The warnings (W-).

covers: diagnostics
"""

from __future__ import annotations

from convergence.diagnostics import Severity

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
