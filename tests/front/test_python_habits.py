"""Values of the front door as people use values in Python: pickled, counted, as plain data, in a line.

covers: convergence, frozen, fuzz.front, packages, report.shown
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import convergence as cc
from convergence.packages import THEIRS, conflict

ROOT = Path(__file__).resolve().parents[2]
ANCHOR = ROOT / "examples_ll" / "alignments" / "natural-anchor.ll"
HOIST = ROOT / "examples_ll" / "transforms" / "hoist-add.ll"
PATHS = ["A B B C D", "A B C B C D"]
MEMORY = """
@g = global i32 0
define i32 @f(i32 %x) {
  %old = atomicrmw add ptr @g, i32 %x seq_cst
  ret i32 %old
}
"""


@cache
def value(name: str) -> Any:
    """One value of each class that the front door gives."""
    module = cc.parse_file(ANCHOR)
    launch: dict[str, Any] = {"arguments": {"x": [1, 10]}, "paths": [path.split() for path in PATHS]}
    both = cc.parse_file(HOIST)
    makers: dict[str, Callable[[], Any]] = {
        "module": lambda: module,
        "diagnostics": lambda: cc.verify(cc.parse_file(ROOT / "examples_ll" / "rules" / "S-NEST.bad.ll")),
        "run": lambda: cc.run(module, **launch),
        "memory": lambda: cc.run(cc.parse(MEMORY), arguments={"x": [1, 2, 3]}, threads=3),
        "enumeration": lambda: cc.enumerate(module, **launch),
        "simulations": lambda: cc.simulate(module, **launch),
        "simulated": lambda: cc.simulate(module, "ipdom", **launch)[0],
        "why": lambda: cc.why(value("run"), "%sum.b thread 0 #1, thread 1 #2"),
        "refinement": lambda: cc.refine(both, both, function="src", target_function="tgt", threads=2),
        "uniformity": lambda: cc.uniformity(module),
        "explanation": lambda: cc.explain("d-loop"),
    }
    return makers[name]()


NAMES = (
    "module", "diagnostics", "run", "memory", "enumeration", "simulations", "simulated", "why", "refinement",
    "uniformity", "explanation",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_pickled_and_read_again_it_says_the_same(name: str) -> None:
    before = value(name)
    after = pickle.loads(pickle.dumps(before))
    assert type(after) is type(before)
    assert str(after) == str(before)
    assert after.to_dict() == before.to_dict()
    again = pickle.loads(pickle.dumps(after))
    assert again.to_json() == before.to_json()


@pytest.mark.parametrize("function", [cc.refine, cc.uniformity, cc.fuzz, cc.run, cc.enumerate])
def test_a_function_is_pickled_by_its_name(function: Any) -> None:
    """So it can be handed to a pool of processes."""
    assert pickle.loads(pickle.dumps(function)) is function


def test_answers_of_why_are_equal_where_they_say_the_same() -> None:
    """Of another run, too: keys are made anew there."""
    run = value("run")
    instances = [instance for group in run.groups for instance in group.members]
    answers = [cc.why(run, pair) for pair in combinations(instances, 2)]
    others = [pickle.loads(pickle.dumps(answer)) for answer in answers]
    assert len({type(answer.answer) for answer in answers}) >= 3
    for k, answer in enumerate(answers):
        assert [answer == other for other in others] == [k == n for n in range(len(others))]
        assert hash(answer) == hash(others[k])


THREADS = """
import concurrent.futures as futures
import convergence as cc
module = cc.parse_file(FILE)
launch = {"arguments": {"x": [1, 10]}, "paths": ["A B B C D", "A B C B C D"]}
def answer(number):
    enumeration = cc.enumerate(module, engine=("axiomatic", "both")[number % 2], **launch)
    return len(enumeration.alignments), enumeration.complete
with futures.ThreadPoolExecutor(4) as pool:
    print(set(pool.map(answer, range(40))))
"""


def test_both_engines_answer_in_several_threads() -> None:
    """z3 has one context for all, and broke the process down where two threads used it."""
    script = THREADS.replace("FILE", repr(str(ANCHOR)))
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT, timeout=120
    )
    assert (ran.returncode, ran.stdout) == (0, "{(2, True)}\n"), ran.stderr


def test_a_pickled_run_knows_its_groups_without_running_again() -> None:
    after = pickle.loads(pickle.dumps(value("memory")))
    assert sorted(thread.value for thread in after.outcome.threads) == [0, 1, 3]
    assert "machine" not in vars(after)
    assert after.machine.steps == value("memory").machine.steps


@pytest.mark.parametrize("name", NAMES)
def test_a_repr_is_one_short_line_and_data_are_plain(name: str) -> None:
    shown = repr(value(name))
    assert "\n" not in shown
    assert 10 < len(shown) <= 100
    assert json.loads(value(name).to_json(indent=None)) == value(name).to_dict()
    assert "\n" not in value(name).to_json(indent=None)


COMMANDS = {
    "diagnostics": ["verify", "examples_ll/rules/S-NEST.bad.ll"],
    "run": ["run", "examples_ll/alignments/natural-anchor.ll"],
    "enumeration": ["enumerate", "examples_ll/alignments/natural-anchor.ll"],
    "simulations": ["simulate", "examples_ll/alignments/natural-anchor.ll"],
    "uniformity": ["uniform", "examples_ll/alignments/natural-anchor.ll"],
    "refinement": ["refine", "examples_ll/transforms/hoist-add.ll", "--threads", "2"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_its_data_are_what_the_command_line_prints(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from convergence.cli import invoke

    monkeypatch.chdir(ROOT)
    launch = ["--arg", "%x=1,10", "--path", PATHS[0], "--path", PATHS[1]]
    words = (
        COMMANDS[name]
        + ["--format", "json"]
        + (launch if name in ("run", "enumeration", "simulations") else [])
    )
    invoke(words)
    said = json.loads(capsys.readouterr().out)
    ours = value(name).to_dict()
    for file in (f for f in (said, ours) if "files" in f):
        file["files"] = [{**f, "file": Path(f["file"]).name} for f in file["files"]]
    for answer in (said, ours):
        for key in ("source", "target", "file"):
            if isinstance(answer.get(key), str):
                answer[key] = Path(answer[key]).name
    assert ours == said


def test_they_can_be_counted_and_iterated() -> None:
    module, run, found = value("module"), value("run"), value("enumeration")
    assert [function.name for function in module] == list(module.functions)
    assert len(module) == len(module.functions)
    assert module["@natural_anchor"] is module["natural_anchor"]
    assert list(run) == list(run.groups)
    assert len(run) == len(run.groups)
    assert list(found) == list(found.alignments)
    assert (len(found), found[0], found[-1]) == (2, found.alignments[0], found.alignments[1])
    assert [len(alignment) for alignment in found] == [len(a.groups) for a in found.alignments]
    assert [function.function for function in value("uniformity")] == ["natural_anchor"]
    assert bool(cc.parse("")) is True


def test_rows_of_the_picture_are_at_hand() -> None:
    run, found = value("run"), value("enumeration")
    assert run.picture == ("A B - B C D", "A B C B C D")
    assert run.picture == cc.picture(run.execution, value("module"), "natural_anchor")
    assert run.picture == cc.picture(run.execution, value("module"), "@natural_anchor")
    assert found[1].picture == ("A B B C - - - - - D", "- - - - A B C B C D")


def test_whatever_can_be_gone_through_is_a_list_of_values() -> None:
    import numpy as np

    for given in (
        np.array([1, 10], np.uint8),
        (n for n in (1, 10)),
        range(1, 11, 9),
        (np.int64(1), np.int8(10)),
    ):
        assert cc.run(value("module"), arguments={"x": given}, paths=PATHS) == value("run")
    lanes = np.array([[1, 2], [3, 4]])
    pair = cc.parse("define <2 x i32> @f(<2 x i32> %v) {\n  ret <2 x i32> %v\n}\n")
    ran = untyped.run(pair, threads=np.int64(2), arguments={"v": lanes})
    assert [thread.value for thread in ran.outcome.threads] == lanes.tolist()


untyped: Any = cc


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda m: untyped.run("kernel.ll"), TypeError, r"run\(\) takes a Module.*parse_file"),
        (lambda m: untyped.verify("define void @f() {\n"), TypeError, r"verify\(\).*convergence.parse\("),
        (lambda m: untyped.refine(m, 3), TypeError, r"refine\(\) takes a Module, and not 3"),
        (lambda m: untyped.parse(b""), TypeError, r"parse\(\) takes text"),
        (lambda m: untyped.parse("kernels/sum.ll"), TypeError, r"parse_file\(\) takes a file's name"),
        (lambda m: untyped.run(m, function=m["natural_anchor"]), TypeError, r"and not Function\(.{,40}$"),
        (lambda m: untyped.run(m, timeout=float("nan")), TypeError, "a number of seconds, and not nan"),
        (lambda m: untyped.run(m, arguments={"y": 1}), cc.UsageError, "it has: %x, %again, %back"),
        (lambda m: untyped.enumerate(m, max_executions=0), cc.UsageError, "at least 1, and not 0"),
        (lambda m: untyped.enumerate(m, seed=1.5), TypeError, "seed is a whole number, and not 1.5"),
        (lambda m: untyped.uniformity(m, seed=1.5), TypeError, "seed is a whole number, and not 1.5"),
        (lambda m: untyped.fuzz("gvn", seed="a"), TypeError, "seed is a whole number, and not 'a'"),
        (lambda m: untyped.optimise(m, "gvn"), TypeError, "module.source.text"),
        (lambda m: untyped.run(m, threads="2"), TypeError, "threads is a whole number, and not '2'"),
        (lambda m: untyped.run(m, function=3), TypeError, "function is a function's name"),
        (lambda m: untyped.run(m, timeout="1"), TypeError, "timeout is a number of seconds"),
        (lambda m: untyped.run(m, arguments=[1]), TypeError, r"arguments is a mapping .*\{'x': \.\.\.\}"),
        (lambda m: untyped.run(m, paths="A B"), TypeError, "paths has a path for each thread"),
        (lambda m: untyped.run(m, grid="2"), TypeError, "a grid has one to three"),
        (lambda m: untyped.enumerate(m, max_executions="3"), TypeError, "max_executions is a whole number"),
        (lambda m: untyped.run(m, uncontrolled="maybe"), cc.UsageError, "'any', 'none', and not 'maybe'"),
        (lambda m: untyped.run(m, engine="z3"), cc.UsageError, "engine is one of 'auto'"),
        (lambda m: untyped.enumerate(m, engine="z3"), cc.UsageError, "engine is one of 'operational'"),
        (lambda m: untyped.enumerate(m, synchrony="very"), cc.UsageError, "synchrony is one of 'none'"),
        (lambda m: untyped.run(m, thread=2), TypeError, "no keyword 'thread' .did you mean 'threads'"),
        (lambda m: untyped.run(m, max_steps=-1), cc.UsageError, "max_steps is not negative"),
        (lambda m: untyped.simulate(m, 3), TypeError, "a machine is a name or a class"),
        (lambda m: untyped.fuzz(3), TypeError, "passes is LLVM's pipeline"),
        (lambda m: untyped.fuzz("gvn", count="3"), TypeError, "count is a whole number"),
        (lambda m: untyped.reduce(m, 3), TypeError, "passes is LLVM's pipeline"),
        (lambda m: untyped.explain(3), TypeError, "a rule is named by a text"),
        (lambda m: untyped.inline(m, "f"), TypeError, r"inline\(\) takes a \S+.Wanted"),
        (lambda m: untyped.allows(m, 3), TypeError, "an alignment has a row for each thread"),
        (lambda m: untyped.allows(m, together=3), TypeError, "together has pairs of instances"),
        (lambda m: untyped.allows(m, state=3), TypeError, "state is a condition"),
        (lambda m: untyped.run(m), cc.UsageError, r"give it with arguments=\{'x': VALUE\}"),
        (lambda m: untyped.run(m, arguments={"x": [1, 2, 3]}, threads=2), cc.UsageError, "see threads$"),
        (lambda m: untyped.run(m, inputs={"f": [[1]]}), cc.UsageError, r"inputs=\{'f': \.\.\.\}: the module"),
        (lambda m: untyped.explain("D-LOPO"), cc.UsageError, "Near it: D-LOOP"),
        (lambda m: untyped.reduce(m, "gvn"), cc.UsageError, "nothing to reduce: gvn gives equal"),
    ],
)  # fmt: skip
def test_errors_speak_python(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words) as raised:
        call(value("module"))
    assert "--" not in str(raised.value)


def test_the_same_error_speaks_the_command_line_s_words_there(capfd: pytest.CaptureFixture[str]) -> None:
    from convergence.cli import invoke

    source = (
        "define i32 @f(i32 %x) {\n  %b = icmp eq i32 %x, 0\n  br i1 %b, label %p, label %q\n"
        "p:\n  ret i32 1\nq:\n  ret i32 2\n}\n"
    )
    with pytest.raises(cc.UsageError, match=r"or give the blocks with paths$"):
        cc.run(cc.parse(source))
    import io

    saved, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(source.encode()))
    try:
        invoke(["run", "-"])
    finally:
        sys.stdin = saved
    assert (
        capfd.readouterr().err.strip().endswith("give it with --arg %x=VALUE, or give the blocks with --path")
    )


def test_fuzz_is_a_function_whose_data_are_the_command_s(tmp_path: Path) -> None:
    found = cc.fuzz("early-cse", count=2, seed=3, max_launches=2, output=tmp_path / "findings")
    assert (found.programs, found.to_dict()["command"]) == (2, "fuzz")
    assert len(found) == len(found.to_dict()["findings"])
    assert found.to_dict()["checks"] == 2
    assert repr(found).startswith("<Campaign: 2 programs")
    with pytest.raises(cc.PassFailed):
        cc.fuzz("no-such-pass", count=1)


def test_another_project_s_package_in_our_place_is_said(tmp_path: Path) -> None:
    assert conflict(str(ROOT / "convergence")) is None
    package = tmp_path / "convergence"
    package.mkdir()
    for path in (ROOT / "convergence").iterdir():
        (package / path.name).symlink_to(path)
    (package / THEIRS).write_text("")
    done = subprocess.run(
        [sys.executable, "-c", "import convergence; print(convergence.__version__)"],
        cwd=tmp_path, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout.strip() == cc.__version__
    assert "UserWarning: the package `convergence`, which is another project's" in done.stderr


def test_a_diagnostic_by_itself_says_no_place() -> None:
    """It said line 1, column 1, whatever it was about; its tuple knows the text."""
    text = (
        "declare token @llvm.experimental.convergence.anchor()\ndeclare void @c() convergent\n"
        "define void @f() convergent {\n  %t = call token @llvm.experimental.convergence.anchor()\n"
        '  call void @c() [ "convergencectrl"(token %t) ]\n  call void @c()\n  ret void\n}\n'
    )
    diagnostics = cc.verify(cc.parse(text))
    (whole,) = diagnostics.to_dict()["files"][0]["diagnostics"]
    alone = diagnostics[0].to_dict()
    places = ("line", "column", "end_line", "end_column")
    assert [whole[name] for name in places[:1]] == [6]
    assert [alone[name] for name in places] == [None] * 4
    assert {k: v for k, v in alone.items() if k not in (*places, "labels")} == {
        k: v for k, v in whole.items() if k not in (*places, "labels")
    }
