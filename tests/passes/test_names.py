"""Which textual pipelines llvmlite's pass builder offers, and how they are read.

covers: passes.pipelines
"""

from __future__ import annotations

import pytest

from convergence.passes.pipelines import NotOffered, PassPlan, normal, offered, plan, split


@pytest.mark.parametrize(
    ("pipeline", "steps"),
    [
        ("default<O1>", [1]),
        ("default<O0>,simplifycfg,default<O3>", [0, "add_simplify_cfg_pass", 3]),
        ("function(simplifycfg,instcombine)", ["add_simplify_cfg_pass", "add_instruction_combine_pass"]),
        (
            "module(function(loop(loop-rotate)),globaldce)",
            ["add_loop_rotate_pass", "add_global_dead_code_eliminate_pass"],
        ),
        ("cgscc(function-attrs)", ["add_post_order_function_attributes_pass"]),
        ("no-op-module", []),
    ],
)
def test_what_llvmlite_offers(pipeline: str, steps: list[int | str]) -> None:
    found = plan(pipeline)
    assert isinstance(found, PassPlan)
    assert [step.method if step.level is None else step.level for step in found.steps] == steps
    assert found.differs == ()


@pytest.mark.parametrize(
    ("pipeline", "element"),
    [
        ("simplifycfg,gvn", "gvn"),
        ("default<Oz>", "default<Oz>"),
        ("simplifycfg<bonus-inst-threshold=2>", "simplifycfg<bonus-inst-threshold=2>"),
        ("function<eager-inv>(simplifycfg)", "function<eager-inv>(simplifycfg)"),
        ("function(simplifycfg,loop(licm))", "licm"),
        ("", ""),
        ("simplifycfg,,", ""),
    ],
)
def test_what_it_does_not_is_named(pipeline: str, element: str) -> None:
    assert plan(pipeline) == NotOffered(element)


@pytest.mark.parametrize("pipeline", ["loop(loop-rotate,loop-deletion)", "loop-rotate,loop-deletion", "sroa"])
def test_what_opt_would_do_otherwise_is_said(pipeline: str) -> None:
    found = plan(pipeline)
    assert isinstance(found, PassPlan)
    assert found.differs


def test_habits_are_understood() -> None:
    assert normal("-O2") == "default<O2>"
    assert normal(" Oz, simplifycfg ") == "default<Oz>,simplifycfg"
    assert normal("default<O1>") == "default<O1>"


def test_commas_inside_brackets_separate_nothing() -> None:
    assert split("a<b,c>,d(e,f),g") == ["a<b,c>", "d(e,f)", "g"]


def test_everything_offered_is_a_plan() -> None:
    assert all(isinstance(plan(name), PassPlan) for name in offered())
