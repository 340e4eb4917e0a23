"""The command line without LLVM, and without the packages that are not everybody's.

covers: packages
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .cli_harness import GOOD, ROOT, convcheck

NATURAL = "examples_ll/alignments/natural.ll"
NOT_ASKED = "LLVM was not asked"
PARTED = """declare i32 @subgroupAdd(i32) convergent
define i32 @f(i32 %x) convergent {
  %s = call i32 @subgroupAdd(i32 %x)
  ret i32 %s
}
"""


@pytest.fixture(autouse=True)
def without_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVCHECK_LLVM", "off")
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("command", ["run", "enumerate", "simulate", "uniform", "verify"])
def test_answers_are_the_same_and_say_it(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without = convcheck(command, NATURAL)
    data = convcheck(command, NATURAL, "--format", "json")
    monkeypatch.delenv("CONVCHECK_LLVM")
    asked = convcheck(command, NATURAL)
    assert NOT_ASKED in without.out + without.err and NOT_ASKED not in asked.out + asked.err
    assert asked.code == without.code
    kept = [line for line in without.out.splitlines() if NOT_ASKED not in line]
    assert [line for line in kept if line] == [line for line in asked.out.splitlines() if line]
    (notes,) = [found for found in _notes(json.loads(data.out)) if NOT_ASKED in str(found)]
    assert notes


def _notes(data: dict[str, object]) -> list[object]:
    files = data.get("files", [data])
    assert isinstance(files, list)
    return [note for file in files for note in file["notes"]]


def test_what_is_no_llvm_ir_has_a_place(tmp_path: Path) -> None:
    file = tmp_path / "a.ll"
    file.write_text(GOOD.replace("i32 %s\n}", "i32 %r\n}"))
    ran = convcheck("run", file)
    assert (ran.code, ran.err) == (2, f"convcheck: {file}:7:3: use of undefined value '%r'\n")


def test_what_cannot_be_done_is_one_line(tmp_path: Path) -> None:
    bitcode = tmp_path / "a.bc"
    bitcode.write_bytes(b"BC\xc0\xde" + bytes(8))
    ran = convcheck("run", bitcode)
    assert (ran.code, ran.err) == (
        3, "convcheck: reading bitcode needs LLVM, which cannot be asked: CONVCHECK_LLVM=off\n",
    )  # fmt: skip
    file = tmp_path / "a.ll"
    file.write_text(PARTED)
    ran = convcheck("run", file, "--engine", "native", "--arg", "%x=3")
    assert ran.code == 3 and ran.err.endswith(
        "native code needs LLVM, which cannot be asked: CONVCHECK_LLVM=off\n"
    )
    assert ran.err.count("\n") == 1
    assert convcheck("run", file, "--engine", "auto", "--arg", "%x=3").code == 0
    ran = convcheck("simulate", file, "--engine", "native", "--arg", "%x=3")
    assert ran.code == 3 and ran.err.startswith("convcheck: native code needs LLVM")


BLOCKED = """
import sys
for name in ("llvmlite", "numpy", "z3", "rich"):
    sys.modules[name] = None
from convergence.cli import invoke
for arguments in (
    ["verify", "{file}"], ["run", "{file}"], ["enumerate", "{file}"], ["simulate", "{file}"],
    ["explore", "{file}", "-o", "{page}"], ["infer", "{file}"], ["refine", "{file}", "{file}"],
):
    print(arguments[0], int(invoke(arguments)))
    assert any(m == "convergence" or m.startswith("convergence.") for m in sys.modules)
print("axiomatic", int(invoke(["enumerate", "{file}", "--engine", "axiomatic"])))
print("npy", int(invoke(["run", "{file}", "--buffer", "%x=@data.npy"])))
"""


def test_it_works_without_llvmlite_numpy_z3_and_rich(tmp_path: Path) -> None:
    code = BLOCKED.replace("{file}", NATURAL).replace("{page}", str(tmp_path / "page.html"))
    environment = {k: v for k, v in os.environ.items() if k != "CONVCHECK_LLVM"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment, cwd=ROOT
    )
    said = done.stdout.splitlines()
    codes = {
        "verify": 0,
        "run": 0,
        "enumerate": 0,
        "simulate": 0,
        "explore": 0,
        "infer": 0,
        "refine": 0,
        "axiomatic": 3,
    }
    for name, wanted in codes.items():
        assert f"{name} {wanted}" in said, done.stderr
    assert "the axiomatic engine needs z3, which is not installed: pip install z3-solver" in done.stderr
    assert NOT_ASKED in (tmp_path / "page.html").read_text()
