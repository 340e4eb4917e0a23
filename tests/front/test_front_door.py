"""``import convergence``: what its docstring promises.

covers: convergence
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import convergence as cc

ROOT = Path(__file__).resolve().parents[2]
NATURAL = ROOT / "examples_ll" / "alignments" / "natural.ll"


def test_every_public_name_is_there() -> None:
    for name in cc.__all__:
        assert getattr(cc, name) is not None
    assert set(cc.__all__) <= set(dir(cc))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        cc.nonsense  # noqa: B018


def test_the_front_shows_nothing_but_what_it_promises() -> None:
    promised = sorted(["enumerate", *(name for name in cc.__all__ if name[0] != "_")])
    assert [name for name in dir(cc) if not name.startswith("__")] == promised


def test_a_star_leaves_the_builtin_enumerate() -> None:
    space: dict[str, object] = {}
    exec("from convergence import *", space)
    assert "enumerate" not in space
    assert space["run"] is cc.run


@pytest.mark.parametrize("name", ["run", "enumerate", "simulate", "refine", "infer", "parse"])
def test_the_docstrings_say_what_is_raised(name: str) -> None:
    function = getattr(cc, name)
    said = (function.refine if name == "refine" else function).__doc__
    assert "Raises" in said or ":raises" in said
    if name == "refine":
        assert function.__doc__.startswith("refine(source, target")


def test_a_keyword_that_nobody_knows() -> None:
    module = cc.parse("define void @f() {\n  ret void\n}\n")
    for call in (cc.run, cc.enumerate, cc.simulate):
        with pytest.raises(TypeError, match="there is no keyword 'thread'"):
            call(module, thread=2)  # type: ignore[call-arg]


def test_every_launch_s_keywords_are_the_spec_s() -> None:
    from dataclasses import fields

    from convergence.semantics.machine.launch import LaunchOptions, LaunchSpec, LimitOptions, Limits

    spec, limits = ({f.name for f in fields(of)} for of in (LaunchSpec, Limits))
    alone = {"engine", "jobs"}  # what runs it, and on how many cores, is asked of run alone
    options = spec - {"limits", *alone} | {"max_steps", "timeout"}
    assert set(LaunchOptions.__annotations__) == options
    assert set(LimitOptions.__annotations__) == limits - {
        "deadline",
        "cpu",
    }  # when the seconds are over, and whose they are


def test_a_launch_is_the_same_by_keywords_and_as_data() -> None:
    from convergence.semantics.machine.launch import LaunchSpec, Limits, launch_spec
    from convergence.semantics.machine.run import execute

    module = cc.parse("define i32 @f(i32 %x) {\n  ret i32 %x\n}\n")
    spec = LaunchSpec(threads=3, arguments={"x": [4, 5, 6]}, limits=Limits(max_steps=2))
    assert launch_spec(threads=3, arguments={"x": [4, 5, 6]}, max_steps=2, paths=None) == spec
    ending = cc.run(module, threads=3, arguments={"x": [4, 5, 6]}, max_steps=2).ending
    assert ending == execute(module, spec).ending != execute(module, spec.within(max_steps=3)).ending


def test_parse_verify_run_and_draw() -> None:
    module = cc.parse_file(NATURAL)
    assert cc.verify(module) == ()
    run = cc.run(module, arguments={"x": [1, 10]}, paths=["A B B C D".split(), "A B C B C D".split()])
    assert cc.picture(run.execution, module, "natural") == ("A B - B C D", "A B C B C D")
    assert [thread.value for thread in run.outcome.threads] == [1111, 1111]


def test_what_is_no_llvm_ir() -> None:
    with pytest.raises(cc.NotLLVM):
        cc.parse("nonsense")


def test_diagnostics_are_data() -> None:
    (found,) = cc.verify(cc.parse_file(ROOT / "examples_ll" / "rules" / "S-NEST.bad.ll"))
    assert isinstance(found, cc.Diagnostic)
    assert found.rule is cc.Rule.S_NEST


def test_refine_is_a_function_whoever_imported_its_package_first() -> None:
    result = import_module("convergence.refine.verdict.result")  # binds the package's name in its parent

    module = cc.parse_file(ROOT / "examples_ll" / "langref" / "hoist-shuffle-before.ll")
    found = cc.refine(module, cc.parse(cc.optimise(module.source.text, "instcombine")), threads=2)
    assert isinstance(found, cc.Refinement)
    assert found.verdict in ("equal", "refines")
    assert result.Refinement is cc.Refinement


def test_a_pass_that_nobody_has() -> None:
    with pytest.raises(cc.PassFailed):
        cc.optimise("define void @f() {\n  ret void\n}\n", "no-such-pass")
