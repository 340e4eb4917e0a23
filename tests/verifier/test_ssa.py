"""S-DOM: tokens are defined before their uses."""

from __future__ import annotations

from convergence.diagnostics import Witness
from convergence.rules import VerifierDifference

from .saying import errors, rules


def test_path_around_the_definition_is_the_witness() -> None:
    (found,) = errors(
        """
        define void @f(i1 %c) {
        a:
          br i1 %c, label %b, label %d
        b:
          %t = ANCHOR
          br label %e
        d:
          br label %e
        e:
          BARRIER {%t}]
          ret void
        }"""
    )
    assert found.rule.id == "S-DOM"
    assert found.witness == Witness("path", ("a", "d", "e"))
    assert [label.message for label in found.labels] == ["%t is defined here"]


def test_wrong_order_in_one_block() -> None:
    (found,) = errors("define void @f() {\na:\n BARRIER {%t}]\n %t = ANCHOR\n ret void\n}")
    assert (found.rule.id, found.witness, found.difference) == ("S-DOM", Witness("path", ("a",)), None)


def test_everything_dominates_unreachable_code_but_a_definition_comes_first_in_its_block() -> None:
    text = """
    define void @f() {
    a:
      ret void
    b:
      BARRIER {%t}]
      ret void
    d:
      %t = ANCHOR
      ret void
    }"""
    assert rules(text) == []
    (found,) = errors("define void @f() {\na:\n ret void\nb:\n BARRIER {%t}]\n %t = ANCHOR\n ret void\n}")
    assert (found.rule.id, found.difference) == ("S-DOM", VerifierDifference.UNREACHABLE)
    assert found.witness == Witness("instruction", ("b",))


def test_nothing_unreachable_dominates_reachable_code() -> None:
    text = """
    define void @f() {
    a:
      br label %c
    b:
      %t = ANCHOR
      br label %c
    c:
      BARRIER {%t}]
      ret void
    }"""
    (found,) = errors(text)
    assert (found.rule.id, found.difference) == ("S-DOM", None)
    assert found.witness == Witness("path", ("a", "c"))


def test_loop_with_its_own_token() -> None:
    assert rules("define void @f() {\na:\n ret void\nb:\n %t = LOOP {%t}]\n br label %b\n}") == ["S-DOM"]


def test_phi_of_tokens() -> None:
    (found,) = errors(
        """
        define void @f(i1 %c) {
        a:
          %t = ANCHOR
          br label %b
        b:
          %p = phi token [ %t, %a ]
          ret void
        }"""
    )
    assert found.rule.id == "S-DOM"
    assert found.llvm_text == "PHI nodes cannot have token type!"


def test_select_of_tokens() -> None:
    """LLVM's parser refuses it, so that only a module made otherwise can have one."""
    text = "define void @f(i1 %c) {\n %t = ANCHOR\n %s = select i1 %c, token %t, token %t\n ret void\n}"
    (found,) = errors(text)
    assert found.rule.id == "S-DOM"


def test_an_invoke_defines_nothing_on_its_way_out_but_uses_its_token() -> None:
    text = """
    define void @f() personality ptr @personality {
      invoke void @barrier() {%t}] to label %a unwind label %b
    a:
      %t = ANCHOR
      ret void
    b:
      %l = landingpad { ptr, i32 } cleanup
      ret void
    }"""
    assert rules(text) == ["S-DOM"]
