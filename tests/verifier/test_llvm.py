"""Beside LLVM's verifier: what agrees, what differs, and that our quotations of it are right.

covers: verifier.nesting
"""

from __future__ import annotations

from pathlib import Path

import pytest
from llvmlite import binding

from convergence.diagnostics import Diagnostic, Severity
from convergence.ir.cfg import Point
from convergence.parser import parse
from convergence.rules import Rule, VerifierDifference
from convergence.verifier import verify, wording
from convergence.verifier.facts import FunctionFacts, ModuleFacts
from convergence.verifier.nesting import compare_with_llvm, messages, nesting_faults

from .saying import diagnostics, written

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples_ll" / "rules").glob("*.ll"))


def llvm_says(text: str) -> list[str]:
    """What LLVM's verifier prints, in one piece; nothing if it accepts the module."""
    module = binding.parse_assembly(text)
    try:
        module.verify()
    except RuntimeError as error:
        return [str(error)]
    return []


CROSSED = """
define void @f() {
  %s = ANCHOR
  %t = ANCHOR
  BARRIER {%s}]
  BARRIER {%t}]
  ret void
}"""


def test_agreement() -> None:
    found = compare_with_llvm(diagnostics(CROSSED), llvm_says(written(CROSSED)))
    assert [d.rule for d in found.agreed] == [Rule.S_NEST]
    assert found.is_consistent
    assert not (found.differences or found.other)


def test_known_difference() -> None:
    text = "define void @f() {\na:\n ret void\nb:\n BARRIER {%t}]\n %t = ANCHOR\n ret void\n}"
    found = compare_with_llvm(diagnostics(text), llvm_says(written(text)))
    assert [d.difference for d in found.differences] == [VerifierDifference.UNREACHABLE]
    assert found.is_consistent


def test_other_faults_are_not_ours() -> None:
    text = "define i32 @f() {\n %x = add i32 %y, 1\n %y = add i32 1, 1\n ret i32 %x\n}"
    found = compare_with_llvm(diagnostics(text), llvm_says(written(text)))
    assert found.other == (wording.VALUE_DOMINANCE,)
    assert found.is_consistent


def test_what_must_never_happen_is_told() -> None:
    error = diagnostics(CROSSED)[0]
    assert compare_with_llvm([error], []).unexplained == (error,)
    assert compare_with_llvm([], [wording.NESTING]).unmatched == (wording.NESTING,)
    assert not compare_with_llvm([error], [wording.HEART]).is_consistent
    assert compare_with_llvm([], []).is_consistent


def test_values_below_a_message_are_no_messages() -> None:
    values = "token none\n  call void @g()\nlabel %b\ndepth=1: b\n"
    printed = f"{wording.PRODUCER}\n{values}{wording.HEART}\n  %x = call\n"
    assert messages([printed]) == (wording.PRODUCER, wording.HEART)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples(example: Path) -> None:
    """LLVM and we differ on the examples in known ways only, and each error says which."""
    text = example.read_text(encoding="utf-8")
    found = verify(parse(text, example.name))
    result = compare_with_llvm(found, llvm_says(text))
    assert result.is_consistent
    assert not result.other
    errors = [d for d in found if d.severity is Severity.ERROR]
    assert set(result.agreed) | set(result.differences) == set(errors)


def quotations() -> dict[str, str]:
    return {name: value for name, value in vars(wording).items() if name.isupper() and isinstance(value, str)}


UNSEEN = """
define void @f(i1 %c, ptr %p) {
  %t = ANCHOR
  %x = freeze token %t
  ret void
}"""


def provoked() -> list[str]:
    """All that LLVM says about the breaking examples and two more modules."""
    said = [line for path in EXAMPLES for line in messages(llvm_says(path.read_text(encoding="utf-8")))]
    with pytest.raises(RuntimeError) as refused:
        binding.parse_assembly(written(UNSEEN.replace("freeze token %t", "select i1 %c, token %t, token %t")))
    return [*said, str(refused.value)]


def test_every_quotation_is_what_llvm_says() -> None:
    said = "\n".join(provoked())
    assert {name for name, text in quotations().items() if text not in said} == set()


def test_every_message_is_in_one_table() -> None:
    tables = [*wording.CONVERGENCE, *wording.SHARED]
    assert sorted(tables) == sorted(quotations().values())


def quotes(found: tuple[Diagnostic, ...]) -> set[str | None]:
    return {d.llvm_text for d in found if d.severity is Severity.ERROR and d.difference is None}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_the_note_quotes_what_llvm_says_of_this_file(example: Path) -> None:
    """Where a file breaks one rule, in LLVM's eyes too, the note is LLVM's very message."""
    text = example.read_text(encoding="utf-8")
    expected = quotes(verify(parse(text, example.name)))
    if len(expected) == 1:
        assert expected & set(messages(llvm_says(text)))


def nesting(text: str) -> set[Point]:
    module = parse(written(text))
    (function,) = module.definitions()
    return nesting_faults(FunctionFacts(ModuleFacts(module), function))


def test_where_llvm_sees_bad_nesting() -> None:
    """The use of the outer token ends the inner region; who uses the inner one behind it is at fault."""
    assert nesting(CROSSED) == {Point(0, 3)}
    well = "  BARRIER {%s}]\n  BARRIER {%t}]\n"
    assert nesting(CROSSED.replace(well, "  BARRIER {%t}]\n  BARRIER {%s}]\n")) == set()
