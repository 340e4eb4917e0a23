"""Markers are no events, and convergent operations all the same where LLVM says so.

covers: semantics.instructions.intrinsics
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

import convergence as cc
from convergence.refine import refine
from convergence.rules import Rule
from convergence.semantics.instructions.intrinsics import (
    ENDS_THREAD,
    MARKERS,
    MEMORY,
    PURE,
    Purpose,
    base_name,
    is_marker,
)
from convergence.verifier import verify

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "markers.md").read_text()

MARKED = """
define i32 @k(i32 %x, i1 %c) convergent {{
  %t = call token @llvm.experimental.convergence.entry()
  {0}
  br i1 %c, label %then, label %out
then:
  {1}
  br label %out
out:
  ret i32 %x
}}
"""
CALLS = [
    'call void @llvm.amdgcn.sched.barrier(i32 0) [ "convergencectrl"(token %t) ]',
    'call void @llvm.amdgcn.sched.group.barrier(i32 8, i32 1, i32 0) [ "convergencectrl"(token %t) ]',
    'call void @llvm.amdgcn.iglp.opt(i32 0) [ "convergencectrl"(token %t) ]',
    "call void @llvm.spv.selection.merge(ptr blockaddress(@k, %out), i32 0)",
    "call void (...) @llvm.spv.loop.merge(i32 0)",
    "call void @llvm.sideeffect()",
    "call void @llvm.pseudoprobe(i64 1, i64 1, i32 0, i64 -1)",
    "call void @llvm.amdgcn.s.sleep(i32 1)",
    "call void @llvm.amdgcn.s.waitcnt(i32 0)",
    'call void @llvm.nvvm.nanosleep(i32 1) [ "convergencectrl"(token %t) ]',
    "call void (...) @llvm.fake.use(i32 %x)",
    "call void @llvm.prefetch.p0(ptr null, i32 0, i32 0, i32 0)",
]


@pytest.mark.parametrize("call", CALLS, ids=lambda c: re.findall(r"@(llvm[\w.]+)", c)[0])
def test_a_marker_is_no_event_wherever_it_stands(call: str) -> None:
    """Deleted, moved behind a branch, or added: all the same."""
    plain, before, behind = (cc.parse(MARKED.format(*lines)) for lines in (("", ""), (call, ""), ("", call)))
    for source, target in ((before, plain), (plain, before), (before, behind), (plain, behind)):
        assert str(refine(source, target, function="@k", max_launches=12).verdict) == "equal"
    run = cc.run(before, threads=2, arguments={"%x": 1, "%c": [0, 1]})
    assert [thread.events for thread in run.outcome.threads] == [(), ()]


def test_a_convergent_marker_has_its_place_and_keeps_the_static_rules() -> None:
    call = "call void @llvm.amdgcn.sched.barrier(i32 0)"
    assert {d.rule for d in verify(cc.parse(MARKED.format(call, "")))} >= {Rule.S_MIX}
    run = cc.run(cc.parse(MARKED.format(CALLS[0], "")), threads=2, arguments={"%x": 1, "%c": [0, 1]})
    assert "sched.barrier" in str(run)


def test_the_page_has_all_markers_by_purpose() -> None:
    table, rest = PAGE.split("## What is no marker")
    for purpose in Purpose:
        names = {name for name, what in MARKERS.items() if what is purpose}
        (row,) = [line for line in table.splitlines() if line.startswith(f"| {purpose.value} |")]
        assert set(re.findall(r"`(llvm[^`]*)`", row)) == names
    patterns = re.findall(r"`(llvm[^`]*)`", rest)
    assert not [
        name for name in MARKERS for pattern in patterns if fnmatchcase(name, pattern) and "*" not in pattern
    ]


def intrinsics() -> dict[str, bool]:
    """LLVM's own list, for the targets that are modelled: whether each has a result."""
    tblgen = shutil.which("llvm-tblgen-22")
    include = Path("/usr/include/llvm-22")
    if tblgen is None or not (include / "llvm/IR/Intrinsics.td").exists():
        pytest.skip("llvm-tblgen-22 or LLVM 22's headers are not installed")
    command = [tblgen, "-I", str(include), str(include / "llvm/IR/Intrinsics.td"), "--dump-json"]
    records = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    found = {}
    for key in records["!instanceof"]["Intrinsic"]:
        record = records[key]
        if record["TargetPrefix"] in ("", "amdgcn", "nvvm", "spv", "dx"):
            name = record["LLVMName"] or "llvm." + key.removeprefix("int_").replace("_", ".")
            found[name] = bool(record["RetTypes"])
    return found


def test_every_intrinsic_without_a_result_was_decided() -> None:
    """It is a marker, or modelled, or the page says what it does; and every marker is an intrinsic."""
    known = intrinsics()
    assert not [name for name in MARKERS if not any(n == name or n.startswith(name + ".") for n in known)]
    patterns = re.findall(r"`(llvm[^`]*)`", PAGE.split("## What is no marker")[1])
    undecided = [
        name
        for name, result in known.items()
        if not result
        and not is_marker(name)
        and not any(base_name(name, table) for table in (PURE, MEMORY, ENDS_THREAD))
        and not name.startswith("llvm.experimental.convergence.")
        and not any(fnmatchcase(name, pattern) for pattern in patterns)
    ]
    assert undecided == []
    assert [p for p in patterns if not any(fnmatchcase(name, p) for name in known)] == []
