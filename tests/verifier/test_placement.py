"""Where control intrinsics may stand."""

from __future__ import annotations

from convergence.rules import VerifierDifference

from .saying import covered, errors, rules


def test_s_entry_fn() -> None:
    body = "{\n %t = ENTRY\n BARRIER {%t}]\n ret void\n}"
    assert rules(f"define void @f() {body}") == ["S-ENTRY-FN"]
    assert rules(f"define void @f() convergent {body}") == []
    assert rules(f"define void @f() #4 {body}\nattributes #4 = {{ nounwind convergent }}") == []
    assert rules(f'define void @f() "convergent" {body}') == ["S-ENTRY-FN"], "a string is another attribute"


def test_s_entry_block() -> None:
    late = "define void @f() convergent {\n br label %b\nb:\n %t = ENTRY\n ret void\n}"
    assert rules(late) == ["S-ENTRY-BLOCK"]
    twice = "define void @f() convergent {\n %t = ENTRY\n br label %b\nb:\n %u = ENTRY\n ret void\n}"
    (found,) = errors(twice)
    assert found.rule.id == "S-ENTRY-BLOCK"
    assert "not the entry block and a second time" in found.message
    assert [label.message for label in found.labels] == ["the first call of entry"]
    both = "define void @f() convergent {\n %t = ENTRY\n %u = ENTRY\n ret void\n}"
    assert rules(both) == ["S-ENTRY-BLOCK", "S-ENTRY-FIRST"]


def test_s_entry_first_counts_whatever_is_convergent() -> None:
    for above in ("%a = ANCHOR", "call void @plain() convergent", "call void %p() #1", "BARRIER"):
        text = f"""
        define void @f(ptr %p) convergent {{
          {above}
          %t = ENTRY
          ret void
        }}
        attributes #1 = {{ convergent }}"""
        assert "S-ENTRY-FIRST" in rules(text), above
    for above in ("PLAIN", "%x = add i32 1, 2", "call void %p()"):
        text = f"define void @f(ptr %p) convergent {{\n {above}\n %t = ENTRY\n ret void\n}}"
        assert rules(text) == [], above


def test_s_loop_first() -> None:
    text = """
    define void @f(i1 %c) {
      %t = ANCHOR
      br label %l
    l:
      PLAIN
      %u = LOOP {%t}]
      BARRIER {%u}]
      br i1 %c, label %l, label %e
    e:
      ret void
    }"""
    assert rules(text) == []
    moved = text.replace("%u = LOOP {%t}]\n", "%a = ANCHOR\n      %u = LOOP {%t}]\n")
    (found,) = errors(moved)
    assert found.rule.id == "S-LOOP-FIRST"
    assert found.message == "%a precedes %u = loop in %l"
    assert found.difference is None


def test_s_loop_first_in_the_block_of_its_token() -> None:
    assert rules("define void @f() {\n %t = ANCHOR\n %u = LOOP {%t}]\n ret void\n}") == ["S-LOOP-FIRST"]


def test_s_loop_first_after_a_bundle_only_operation_is_what_llvm_overlooks() -> None:
    text = "define void @f() {\n %t = ANCHOR\n br label %b\nb:\n PLAIN {%t}]\n %u = LOOP {%t}]\n ret void\n}"
    (found,) = errors(text)
    assert (found.rule.id, found.difference) == ("S-LOOP-FIRST", VerifierDifference.LOOP_AFTER_BUNDLE_ONLY)
    seen = text.replace("PLAIN {%t}]", "PLAIN {%t}]\n BARRIER {%t}]")
    (found,) = errors(seen)
    assert found.difference is None, "here LLVM sees the barrier"


def test_s_loop_token() -> None:
    assert rules("define void @f() {\n %t = LOOP\n ret void\n}") == ["S-LOOP-TOKEN"]
    assert rules("define void @f() {\n %t = ANCHOR\n %u = ANCHOR {%t}]\n ret void\n}") == ["S-LOOP-TOKEN"]
    text = "define void @f() convergent {\n %u = ENTRY {%t}]\n %t = ANCHOR\n ret void\n}"
    assert sorted(rules(text)) == ["S-DOM", "S-LOOP-TOKEN"]


def test_s_mix_names_each_uncontrolled_operation() -> None:
    text = """
    define void @f(ptr %p) {
      BARRIER
      %t = ANCHOR
      BARRIER {%t}]
      call void %p() convergent
      call void asm sideeffect "", ""() convergent
      ret void
    }"""
    found = errors(text)
    assert [d.rule.id for d in found] == ["S-MIX"] * 3
    assert covered(text, found)[1] == "call void %p() convergent"
    assert {d.labels[0].message for d in found} == {"a control intrinsic"}


def test_s_mix_counts_a_callee_by_its_own_attribute_only_if_the_call_names_it() -> None:
    """LLVM asks the function that the call names, not what an alias or no_cfi leads to."""
    text = """
    define void @meet() convergent {
      ret void
    }
    @other = alias void (), ptr @meet
    define void @f() {
      %t = ANCHOR
      call void @other()
      call void no_cfi @meet()
      call void dso_local_equivalent @meet()
      ret void
    }"""
    assert rules(text) == []
    assert rules(text.replace("no_cfi @meet()", "no_cfi @meet() convergent")) == ["S-MIX"]
    assert rules(text.replace("void @other()\n", "void @meet()\n")) == ["S-MIX"]


def test_intrinsics_go_by_llvms_table_not_by_their_declaration() -> None:
    text = """
    define void @f() {
      %t = ANCHOR
      call void @llvm.amdgcn.s.barrier()
      %x = call i32 @llvm.ctpop.i32(i32 7)
      ret void
    }
    declare void @llvm.amdgcn.s.barrier()
    declare i32 @llvm.ctpop.i32(i32) convergent"""
    assert rules(text, ask_llvm=True) == ["S-MIX"]


def test_s_mix_at_callbr_is_what_llvm_overlooks() -> None:
    text = """
    define void @f() {
      %t = ANCHOR
      callbr void asm "", ""() convergent to label %a []
    a:
      ret void
    }"""
    (found,) = errors(text)
    assert (found.rule.id, found.difference) == ("S-MIX", VerifierDifference.CALLBR)


def test_uncontrolled_alone_is_fine() -> None:
    assert rules("define void @f() convergent {\n BARRIER\n br label %b\nb:\n BARRIER\n br label %b\n}") == []
