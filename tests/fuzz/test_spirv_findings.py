"""Every kept fault of LLVM's SPIR-V back end is still what docs/llvm-findings.md says.

covers: passes.compilers
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from convergence.fuzz.shader_campaign import ShaderCheck, ShaderPlan, compiled
from convergence.passes import compilers
from convergence.passes.compilers import cause, invalid, lower, validator
from convergence.passes.outside import PassFailed
from convergence.vulkan import VULKAN_TRIPLE
from tests.cli.cli_harness import ROOT

FILES = sorted((ROOT / "examples_ll" / "findings").glob("spirv-*.ll"))
PAGE = (ROOT / "docs" / "llvm-findings.md").read_text()


def header(path: Path, word: str) -> str:
    found = re.search(rf"^; {word}: (.*)$", path.read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_page_has_it(path: Path) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| [{path.stem}]"))
    assert header(path, "Verdict") in row
    program = [line for line in path.read_text().splitlines() if line.strip() and line[0] != ";"]
    assert len(program) <= 35


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_in_this_process(path: Path) -> None:
    if header(path, "Verdict") == "invalid" and validator() is None:
        pytest.skip("spirv-val is not here")
    found = compiled(path.read_text(), ShaderPlan())
    assert isinstance(found, ShaderCheck)
    assert (found.answer, found.cause) == (header(path, "Verdict"), header(path, "Cause"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_with_llc(path: Path) -> None:
    llc = shutil.which("llc-22")
    if llc is None or validator() is None:
        pytest.skip("llc-22 or spirv-val is not here")
    if header(path, "Verdict") == "crash":
        with pytest.raises(PassFailed) as ended:
            lower(path.read_text(), VULKAN_TRIPLE, llc=llc)
        assert ended.value.kind == "crash"
    else:
        said = invalid(lower(path.read_text(), VULKAN_TRIPLE, llc=llc).data)
        assert said is not None and cause(said) == header(path, "Cause")


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_by_our_own_rules(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where ``spirv-val`` is not, what it refuses breaks one of the rules R-."""
    if header(path, "Verdict") != "invalid":
        pytest.skip("there is no module")
    monkeypatch.setattr(compilers, "validator", lambda: None)
    found = compiled(path.read_text(), ShaderPlan())
    assert isinstance(found, ShaderCheck) and found.answer == "invalid" and found.cause.startswith("R-")
