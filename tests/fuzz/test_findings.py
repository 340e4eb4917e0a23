"""Every kept finding is still what docs/llvm-findings.md says, by whatever LLVM is here.

covers: fuzz.campaign
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from convergence.fuzz.campaign import LLVM, CheckLimits, FindingKind, check, compare, source_of
from convergence.passes.outside import find
from convergence.passes.pipelines import PassPlan, plan

from ..cli.cli_harness import convcheck

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path
    for path in (ROOT / "examples_ll" / "findings").glob("*.ll")
    if ".after" not in path.name and not path.name.startswith("spirv-")
)
"""Those of passes; those of the SPIR-V back end have a test of their own."""
CLAIMS = [p for p in FILES if p.stem.startswith("claim-")]
"""Wrong claims of uniformity, each with a pass that makes use of it."""
PAGE = (ROOT / "docs" / "llvm-findings.md").read_text()
ABORTS = {"loop-deletion": "LLVM with assertions ends itself on it"}


def _header(path: Path) -> tuple[str, str]:
    text = path.read_text()
    pass_ = re.search(r"^; Pass: (.*)$", text, re.MULTILINE)
    verdict = re.search(r"^; Verdict: (.*)$", text, re.MULTILINE)
    assert pass_ is not None and verdict is not None
    return pass_[1], verdict[1]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_page_has_it(path: Path) -> None:
    pass_, verdict = _header(path)
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| [{path.stem}]"))
    assert f"`{pass_}`" in row and verdict in row
    assert f"\n## {path.stem}\n" in PAGE
    program = [line for line in path.read_text().splitlines() if line.strip() and line[0] != ";"]
    assert len(program) < 25


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_in_this_process(path: Path) -> None:
    pass_, verdict = _header(path)
    if not isinstance(plan(pass_), PassPlan):
        pytest.skip(f"llvmlite does not offer {pass_}")
    found = check(path.read_text(), "main", pass_, LLVM(), CheckLimits(max_launches=20))
    assert str(found.kind) == ("crash" if pass_ in ABORTS else verdict), found.words


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_with_opt(path: Path) -> None:
    opt = shutil.which("opt-22")
    if opt is None:
        pytest.skip("opt-22 is not installed")
    pass_, verdict = _header(path)
    threads = 4 if path in CLAIMS else None  # two waves
    found = check(path.read_text(), "main", pass_, LLVM(opt), CheckLimits(threads, max_launches=20))
    assert str(found.kind) == verdict, found.words


@pytest.mark.parametrize("path", CLAIMS, ids=lambda p: p.stem)
def test_what_llvm_claims_is_not_so(path: Path) -> None:
    if find(None) is None:
        pytest.skip("there is no opt of LLVM 18 or later on PATH")
    name = re.search(r"^; Claim: %(\S+)$", path.read_text(), re.MULTILINE)
    assert name is not None
    ran = convcheck("uniform", "--check", "--llvm", "--threads", "4", "--max-launches", "60", str(path))
    assert ran.code == 1
    assert f"%{name[1]} is called uniform by LLVM, and is not" in ran.out
    assert "called uniform by the rules" not in ran.out


def test_there_are_findings_of_both_kinds() -> None:
    verdicts = [_header(path)[1] for path in FILES]
    assert "wrong" in verdicts and len(set(verdicts)) >= 4


def test_what_llvm_s_verifier_refuses_is_no_behaviour() -> None:
    """structurizecfg goes back to the entry block: run, that is wrong, and ``refine`` says that it is no
    output. The finding's own command contradicted it."""
    head = "declare void @event(i32) convergent\ndefine void @main(i1 %c) convergent {\n"
    source = head + (
        "entry:\n  br label %two\ntwo:\n  call void @event(i32 0)\n  br i1 false, label %two, label %after\n"
        "after:\n  ret void\n}\n"
    )
    target = head + (
        "two:\n  call void @event(i32 1)\n  br i1 false, label %two, label %after\nafter:\n  ret void\n}\n"
    )
    valid = target.replace("{\n", "{\nentry:\n  br label %two\n", 1)
    side = source_of(source, "main")
    assert compare(side, valid, CheckLimits()).kind == FindingKind("wrong")
    result = compare(side, target, CheckLimits())
    assert result.kind == FindingKind("not-llvm")
    assert "Entry block to function must not have predecessors" in result.words
