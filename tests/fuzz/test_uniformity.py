"""``fuzz --uniformity``: its programs have the shapes, what breaks is found, reduced and grouped.

covers: cli.commands.fuzz, fuzz.uniform_campaign, fuzz.uniform_programs, uniformity.check
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import convergence as cc
from convergence.fuzz.campaign import NotThisCampaign, state_file
from convergence.fuzz.uniform_campaign import (
    DifferenceCount,
    Signature,
    UniformFinding,
    UniformFolder,
    UniformPlan,
    batch,
    campaign,
    compared,
    first_wrong,
    reduced,
    with_tokens,
)  # fmt: skip
from convergence.fuzz.uniform_programs import AMDGPU, NVPTX, declarations, function
from convergence.ir.cfg import build_cfg, cycles
from convergence.ir.instructions import Switch
from convergence.parser.llvm import llvm_verdict
from convergence.passes.outside import find
from convergence.report.schemas import schema
from convergence.uniformity.check import Claimant, DifferenceKind, FunctionText
from convergence.uniformity.observe import Subject

from ..cli.cli_harness import convcheck

there = pytest.mark.skipif(find(None) is None, reason="there is no opt of LLVM 18 or later on PATH")
EXITS = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @f(i32 %n, i32 %unused) {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  br label %head
head:
  %i = phi i32 [ 0, %start ], [ %next, %body ]
  %all = icmp eq i32 %i, %n
  br i1 %all, label %out, label %body
body:
  %next = add i32 %i, 1
  %mine = icmp eq i32 %i, %id
  br i1 %mine, label %out, label %head
out:
  %left = phi i32 [ 10, %head ], [ 20, %body ]
  %more = add i32 %left, %unused
  call void @show(i32 %more)
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @show(i32)
"""


@pytest.mark.parametrize("dialect", [AMDGPU, NVPTX], ids=["amdgcn", "nvptx"])
def test_programs_are_valid_and_have_the_shapes(dialect: object) -> None:
    assert dialect in (AMDGPU, NVPTX)
    made = AMDGPU if dialect is AMDGPU else NVPTX
    texts = [function(Random(f"shapes {n}"), f"f{n}", made) for n in range(60)]
    text = declarations(made) + "\n".join(texts) + "\n"
    assert llvm_verdict(text) == ()
    module = cc.parse(text)
    forests = [cycles(build_cfg(f)) for f in module.definitions()]
    assert sum(any(not c.is_reducible for c in forest.all) for forest in forests) > 5
    assert sum(any(c.depth > 1 for c in forest.all) for forest in forests) > 5
    assert sum(any(isinstance(i, Switch) for i in f.instructions) for f in module.definitions()) > 5
    assert text.count("undef") > 10
    assert not [d for d in cc.verify(with_tokens(module, 2)) if d.rule.id.startswith("S-")]


def test_the_same_seed_makes_the_same_programs() -> None:
    plan = UniformPlan(3, 50)
    assert plan.batch(1) == UniformPlan(3, 50).batch(1)
    assert plan.batch(1)[0] != UniformPlan(4, 50).batch(1)[0]
    assert [plan.batch(n)[0].count("define ") for n in range(plan.batches)] == [20, 20, 10]


def test_the_rules_are_never_wrong_in_a_batch() -> None:
    result = batch(UniformPlan(11, 40, ask=False), range(20, 40))
    assert result.compared.executions > 60
    assert result.compared.unrun == 0
    assert result.findings == ()


def test_only_the_first_wrong_value_counts() -> None:
    module = cc.parse(EXITS)
    left, more, body = Subject("f", "left"), Subject("f", "more"), Subject("f", "body", True)
    text = FunctionText(module.functions["f"])
    assert list(first_wrong(text, [more, left])) == [left]
    assert list(first_wrong(text, [more, body])) == [more, body]


def test_of_wrong_claims_in_a_circle_one_counts() -> None:
    """A counter is computed from itself: if it is wrong, that must not be taken for explained."""
    module = cc.parse(EXITS)
    text = FunctionText(module.functions["f"])
    i, following, all_ = Subject("f", "i"), Subject("f", "next"), Subject("f", "all")
    assert list(first_wrong(text, [all_, i, following])) == [i]
    assert list(first_wrong(text, [following, i])) == [following]


@there
def test_a_wrong_claim_is_found_and_reduced() -> None:
    made = compared(cc.parse(EXITS), "amdgcn-amd-amdhsa", 30, None)
    ((signature, subject, witness),) = made.faults
    assert signature == Signature(Claimant.LLVM, "amdgcn", "U-JOIN", "phi of constants")
    assert subject == Subject("f", "left")
    assert {witness.first.value, witness.second.value} == {10, 20}
    (kind,) = made.differences
    assert kind == DifferenceKind(Claimant.RULES, "U-JOIN", "phi of constants")
    assert made.differences[kind] == DifferenceCount(1, made.answers["divergent/uniform"], 1, "f left")
    small = reduced(UniformFinding(signature, 0, "f", subject, EXITS), None, None, most=40)
    assert small.count("\n") < EXITS.count("\n")
    again = compared(cc.parse(small), "amdgcn-amd-amdhsa", 12, None)
    assert [s for s, _, _ in again.faults] == [signature]


@there
def test_a_campaign_finds_undef_and_keeps_it(tmp_path: Path) -> None:
    arguments = ["fuzz", "--uniformity", "--seed", "1", "--count", "60", "--jobs", "1", "-q"]
    ran = convcheck(*arguments, "--reduce-timeout", "0", "-o", str(tmp_path), "--format", "json")
    assert ran.code == 1
    value = json.loads(ran.out)
    Draft202012Validator(schema("fuzz-uniformity")).validate(value)
    kinds = {(f["claimant"], f["kind"]) for f in value["findings"]}
    assert ("LLVM", "phi with undef") in kinds
    assert all(claimant == "LLVM" for claimant, _ in kinds)
    assert value["unrun"] == 0
    differing = value["answers"]["divergent/uniform"] + value["answers"]["uniform/divergent"]
    assert sum(d["all"] for d in value["differences"]) == differing
    kept = Path(value["findings"][0]["file"]).read_text(encoding="utf-8")
    assert "opt -passes='print<uniformity>'" in kept
    assert cc.uniformity(cc.parse(kept)).functions


@there
def test_a_campaign_goes_on_where_it_was_cut_off(tmp_path: Path) -> None:
    def at(folder: str, count: int) -> Any:
        made = UniformFolder(tmp_path / folder, UniformPlan(5, count, launches=1))
        made.open()
        for _ in campaign(made, 1, 0.0):
            pass
        return json.loads(state_file(made.path).read_text().replace(folder, "FOLDER"))

    at("cut-off", 5)  # in the middle of a batch
    resumed, whole = at("cut-off", 9), at("at-once", 9)
    assert resumed["done"] == resumed["programs"] == 9
    assert resumed["answers"] == whole["answers"]
    assert resumed["findings"] == whole["findings"]
    counted = [
        {(d["careful"], d["rule"], d["kind"]): d["all"] for d in m["differences"]} for m in (resumed, whole)
    ]
    assert counted[0] == counted[1]
    other = UniformFolder(tmp_path / "cut-off", UniformPlan(6, 9, launches=1))
    with pytest.raises(NotThisCampaign, match="differs in seed"):
        other.open()


def test_without_opt_nothing_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = convcheck("fuzz", "--uniformity", "--count", "20", "-o", str(tmp_path / "f"))
    assert ran.code == 3
    assert "no opt was found" in ran.err
