"""What bundles hold and where tokens come from: S-BUNDLE, S-PRODUCER and calls through pointers.

covers: verifier.placement
"""

from __future__ import annotations

import pytest

from convergence.rules import Rule, VerifierDifference

from .saying import covered, errors, rules

ONE = '"convergencectrl"(token %t)'


@pytest.mark.parametrize(
    ("bundles", "expected"),
    [
        (f"[ {ONE} ]", []),
        (f'[ "note"(i32 1), {ONE} ]', []),
        ('[ "note"(token %t) ]', ["S-MIX"]),
        ('[ "convergencectrl"() ]', ["S-BUNDLE"]),
        ('[ "convergencectrl"(i32 1) ]', ["S-BUNDLE"]),
        ('[ "convergencectrl"(token %t, token %t) ]', ["S-BUNDLE"]),
        ('[ "convergencectrl"(token %t, i32 1) ]', ["S-BUNDLE"]),
        (f"[ {ONE}, {ONE} ]", ["S-BUNDLE"]),
        (f'[ {ONE}, "note"(i32 1), {ONE} ]', ["S-BUNDLE"]),
        ('[ "convergence\\63trl"(i32 1) ]', ["S-BUNDLE"]),
    ],
)
def test_s_bundle(bundles: str, expected: list[str]) -> None:
    text = f"define void @f() {{\n %t = ANCHOR\n BARRIER {bundles}\n ret void\n}}"
    assert rules(text) == expected


def test_s_bundle_points_at_the_bundle() -> None:
    text = 'define void @f() {\n %t = ANCHOR\n BARRIER [ "note"(), "convergencectrl"(i32 7) ]\n ret void\n}'
    found = errors(text)
    assert covered(text, found) == ['"convergencectrl"(i32 7)']
    assert found[0].message == "the operand 7 of the call of @barrier's convergencectrl bundle is no token"


def test_malformed_bundle_is_asked_nothing_more() -> None:
    """Which token would it be? The rules about dominance, paths and regions leave such a call alone."""
    text = """
    define void @f() {
    a:
      br label %b
    b:
      BARRIER [ "convergencectrl"(token %t, token %t) ]
      %t = ANCHOR
      br label %b
    }"""
    assert rules(text) == ["S-BUNDLE"]


@pytest.mark.parametrize(
    ("lines", "origin"),
    [
        ('BARRIER [ "convergencectrl"(token none) ]', "is a constant"),
        ('BARRIER [ "convergencectrl"(token undef) ]', "is a constant"),
        ("%i = call token @llvm.coro.id(i32 0, ptr %p, ptr %p, ptr %p)\n BARRIER {%i}]", "call of @llvm"),
        ("%a = ANCHOR\n %i = freeze token %a\n BARRIER {%i}]", "another instruction"),
    ],
)
def test_s_producer(lines: str, origin: str) -> None:
    found = errors(f"define void @f(ptr %p) {{\n {lines}\n ret void\n}}")
    assert [d.rule.id for d in found] == ["S-PRODUCER"]
    assert origin in found[0].message


def test_s_producer_of_an_argument() -> None:
    found = errors("define void @f(token %t) {\n BARRIER {%t}]\n ret void\n}")
    assert [d.rule.id for d in found] == ["S-PRODUCER"]
    assert "comes from an argument" in found[0].message


def test_intrinsic_by_a_name_that_only_resembles_it() -> None:
    text = """
    define void @f() {
      %t = call token @llvm.experimental.convergence.anchor.too()
      BARRIER {%t}]
      ret void
    }
    declare token @llvm.experimental.convergence.anchor.too()"""
    assert rules(text) == ["S-PRODUCER"]


@pytest.mark.parametrize("exit_", ["BARRIER {%t}]\n ret void", "ret void"])
def test_quoted_and_escaped_names_are_the_same_names(exit_: str) -> None:
    text = f'define void @f() {{\n %t = call token @"llvm.experimental.\\63onvergence.anchor"()\n {exit_}\n}}'
    assert rules(text) == []


@pytest.mark.parametrize(
    "body",
    [
        "%t = call token %p()",
        "store ptr @llvm.experimental.convergence.loop, ptr %p",
        "%x = ptrtoint ptr @llvm.experimental.convergence.entry to i64",
        "%x = select i1 %c, ptr @llvm.experimental.convergence.anchor, ptr %p",
        "call void @takes(ptr @llvm.experimental.convergence.anchor)",
        "%x = insertvalue [2 x ptr] [ptr null, ptr @llvm.experimental.convergence.anchor], ptr %p, 0",
        "%t = call token no_cfi @llvm.experimental.convergence.anchor()",
        "%t = call token @alias()",
    ],
)
def test_s_direct(body: str) -> None:
    text = f"""
    define void @f(ptr %p, i1 %c) {{
      {body}
      ret void
    }}
    declare void @takes(ptr)
    @alias = alias token (), ptr @f"""
    assert rules(text) == ["S-DIRECT"]


def test_s_direct_in_globals() -> None:
    found = errors(
        """
        @table = global { i32, [1 x ptr] } { i32 1, [1 x ptr] [ptr @llvm.experimental.convergence.anchor] }
        @clean = global ptr @plain
        @name = alias token (), ptr @llvm.experimental.convergence.loop
        """
    )
    assert {d.rule for d in found} == {Rule.S_DIRECT}
    assert [d.message.split()[0] for d in found] == ["@table", "@name"]


def test_direct_calls_and_comments_take_no_address() -> None:
    text = """
    define void @f() {
      ; @llvm.experimental.convergence.anchor would be wrong here
      %t = ANCHOR
      BARRIER {%t}], !note !{!"@llvm.experimental.convergence.anchor"}
      ret void
    }"""
    assert rules(text) == []


def test_callbr_is_what_llvm_overlooks() -> None:
    text = """
    define void @f() {
      %t = ANCHOR
      callbr void asm "", ""() [ "convergencectrl"(i32 1) ] to label %a []
    a:
      callbr void asm "", ""() [ "convergencectrl"(token none) ] to label %b []
    b:
      ret void
    }"""
    found = errors(text)
    assert [d.rule.id for d in found] == ["S-BUNDLE", "S-PRODUCER"]
    assert {d.difference for d in found} == {VerifierDifference.CALLBR}
