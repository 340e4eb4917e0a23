"""``convcheck suite``: RUN lines are read as lit reads them, and what LLVM's tools do in them is checked.

covers: cli.commands.suite, cli.plumbing, cli.suite.campaign, cli.suite.perform, cli.suite.serving
"""

from __future__ import annotations

import json
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from convergence.cli.plumbing import Progress
from convergence.cli.suite.perform import (
    RunLine,
    Stage,
    SuiteFile,
    SuitePlan,
    files_of,
    output_file,
    perform,
    run_lines,
    split,
    target,
)
from convergence.cli.wrappers.store import FindingFolder
from convergence.report.schemas import schema
from tests.cli.cli_harness import ROOT, convcheck, one_line

PATHS = {"%s": "/in/a.ll", "%t": "/tmp/t"}


def one(words: str) -> RunLine:
    """The only RUN line."""
    (line,) = run_lines(f"; RUN: {words}\n", PATHS)
    return line


def stages(words: str) -> list[tuple[str, ...]]:
    return [stage.words for pipe in one(words).pipes for stage in pipe]


def test_pipes_redirections_and_quotes() -> None:
    line = one(
        "opt -S '-passes=gvn,simplifycfg<a;b>' < %s -o - 2>&1 | FileCheck %s > %t && cat %t 2>/dev/null"
    )
    assert line.pipes == (
        (
            Stage(("opt", "-S", "-passes=gvn,simplifycfg<a;b>", "-o", "-"), stdin="/in/a.ll"),
            Stage(("FileCheck", "/in/a.ll"), stdout="/tmp/t"),
        ),
        (Stage(("cat", "/tmp/t")),),
    )


def test_lines_that_go_on_and_definitions() -> None:
    text = """
; DEFINE: %{more} = -S %{last}
; DEFINE: %{last} = -o %t.ll
; RUN: opt %s \\
; RUN:   -passes=sroa %{more}
; REDEFINE: %{last} = -disable-output
; RUN: opt 100%% %s %{more}
; NO-RUN: opt %s
"""
    assert [stage.words for line in run_lines(text, PATHS) for stage in line.pipes[0]] == [
        ("opt", "/in/a.ll", "-passes=sroa", "-S", "-o", "/tmp/t.ll"),
        ("opt", "100%", "/in/a.ll", "-S", "-disable-output"),
    ]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("%if asserts %{ opt %s %}", "%if"),
        ("opt %{unknown} %s", "the substitution %{unknown}"),
        ("opt %q", "the substitution %q"),
        ("%python %s", "the substitution %python"),
        ("opt %s || true", "`||` of a shell"),
        ("opt '-passes=licm %s", "a quote that is never closed"),
        ("opt %s >> %t", "`>>` of a shell"),
    ],
)
def test_what_is_left_out_is_named(words: str, why: str) -> None:
    assert one(words) == RunLine(left_out=why)


def test_what_only_reads_may_be_to_fail() -> None:
    """``opt | not FileCheck``: the tool is checked, and nothing is left out."""
    (pipe,) = one("opt %s | not FileCheck %s").pipes
    assert [stage.only_reads for stage in pipe] == [False, True]
    assert [one(words).pipes[0][0].only_reads for words in ("not", "not opt %s", "grep x %s")] == [
        False,
        False,
        True,
    ]


def test_a_tool_without_a_word_reads_standard_input() -> None:
    """``llc < %s``: what reads options two by two must not count on one."""
    assert run_lines("; RUN: llc < %s", PATHS)
    assert output_file(()) is None
    assert output_file(("-o", "a.s")) == output_file(("-o=a.s",)) == "a.s"
    assert output_file(("-o", "-")) is None


def test_the_machine_of_a_file() -> None:
    text = "; RUN: llc -mtriple=nvptx64 --mcpu=sm_80 < %s\n; RUN: opt -mtriple=amdgcn %s\n"
    assert target(list(run_lines(text, PATHS))) == ("-mtriple=nvptx64", "--mcpu=sm_80")
    assert target(list(run_lines("; RUN: FileCheck -mtriple=x %s", PATHS))) == ()


def test_parts_of_a_file() -> None:
    assert split("; RUN: x\n;--- a.ll\none\n;--- sub/b.ll\ntwo\n") == {"a.ll": "one\n", "sub/b.ll": "two\n"}


def test_which_files_are_taken(tmp_path: Path) -> None:
    texts = {
        "a.ll": "attributes #0 = { convergent }", "b.ll": "define void @nonconvergent()",
        "sub/c.ll": "call i32 @llvm.amdgcn.readfirstlane(i32 %x)", "Inputs/d.ll": "convergent",
        "e.txt": "convergent",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    plan = SuitePlan()
    assert sorted(file.name for file in files_of([str(tmp_path)], plan)) == ["a.ll", "sub/c.ll"]
    assert [file.name for file in files_of([str(tmp_path)], plan, "sub")] == ["sub/c.ll"]
    assert [file.name for file in files_of([str(tmp_path / "b.ll")], plan)] == ["b.ll"]
    keys = {file.key for p in (plan, SuitePlan(verify=True)) for file in files_of([str(tmp_path)], p)}
    assert len(keys) == 4


def test_a_sample_is_a_part_of_the_whole() -> None:
    names = [f"file{n}.ll 1.0" for n in range(1000)]
    chosen = [name for name in names if SuitePlan(every=10).takes(name)]
    assert all(map(SuitePlan().takes, names)) and 60 < len(chosen) < 140


@pytest.mark.parametrize("terminal", [True, False])
def test_the_bar(terminal: bool, capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(False)
    progress.terminal = terminal
    progress.bar(1, 4, "files")
    said = capsys.readouterr().err
    assert ("[######..................] 1/4 files" in said) == terminal


# -- With LLVM's own tools

needs_opt = pytest.mark.skipif(which("opt-22") is None, reason="LLVM 22's `opt` is not installed")

BODY = """
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor() convergent
define i32 @f(i32 %x, i1 %c) convergent {
  br i1 %c, label %a, label %b
a:
  %t = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  br label %b
b:
  %p = phi i32 [ 0, %0 ], [ %s, %a ]
  %q = add i32 %p, 0
  ret i32 %q
}
"""
"""A program that instcombine changes, and no pass here breaks."""


@needs_opt
def test_commands_are_run_and_checked(tmp_path: Path) -> None:
    """A pipe through sed, a file in between, a response file, parts of a file; what is not run is named."""
    path = tmp_path / "a.ll"
    path.write_text(
        "; RUN: sed 's/add/sub/' %s | opt -S -passes=instcombine -o %t.ll\n"
        "; RUN: opt -passes=verify,instcombine < %s 2>&1 | opt -passes=reassociate -disable-output\n"
        "; RUN: opt -S -passes=dce %t.ll -o /elsewhere | FileCheck %s\n"
        "; RUN: echo -passes=instcombine -S > %t.rsp\n"
        "; RUN: opt @%t.rsp %s | FileCheck %s\n"
        "; RUN: echo -o /elsewhere > %t.out && opt -S @%t.out %s\n"
        "; RUN: echo -n %s | opt\n"
        "; RUN: strange %s | opt\n" + BODY
    )
    parts = tmp_path / "parts.ll"
    parts.write_text(
        f"; RUN: mkdir -p %t && split-file %s %t && opt -S %t/b.ll -passes=instcombine\n;--- b.ll\n{BODY}"
    )
    store = FindingFolder(tmp_path / "out")
    plan = SuitePlan(tools={"opt": str(which("opt-22"))}, budget=8)
    assert perform(SuiteFile(path, "a.ll", "key"), plan, store) == 6
    assert perform(SuiteFile(parts, "parts.ll", "key"), plan, store) == 1
    found = store.summary()
    assert [(check.answer, check.pass_, check.module) for check in found.checks] == [
        ("equal", "InstCombinePass", name) for name in ("a.ll", "a.ll", "a.ll", "parts.ll")
    ]
    assert found.skipped == {
        "a RUN line with the command strange": 1, "a RUN line with an output outside of %t and %T": 2,
        "a RUN line with the command echo": 1,
    }  # fmt: skip
    assert not Path("/elsewhere").exists()


@needs_opt
def test_a_suite_is_told_and_goes_on(tmp_path: Path) -> None:
    tests, out = tmp_path / "tests", str(tmp_path / "out")
    tests.mkdir()
    (tests / "a.ll").write_text("; RUN: opt -S -passes=instcombine %s | FileCheck %s\n" + BODY)
    (tests / "b.ll").write_text(BODY.replace("token %t", "token %u"))
    words = ["suite", str(tests), "--results", out, "--format", "json", "--verify", "--budget", "8"]
    first = json.loads(convcheck(*words).out)
    Draft202012Validator(schema("report")).validate(first)
    assert first["suite"] == {"files": 2, "commands": 1, "verified": 2, "disagreeing": []}
    assert first["answers"]["equal"] == first["answered"] == 1
    lines = (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    kept = [line for line in lines if not ("done" in json.loads(line) and "b.ll" in line)]
    (tmp_path / "out" / "results.jsonl").write_text("\n".join([*kept, '{"cut": off']) + "\n")
    assert json.loads(convcheck(*words).out)["suite"] == first["suite"]
    again: list[dict[str, Any]] = [
        json.loads(line) for line in (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    ]
    assert sorted(str(line.get("done", "")) for line in again if "done" in line) == ["a.ll", "b.ll"]


def test_nothing_to_do_and_mistakes(tmp_path: Path) -> None:
    (tmp_path / "a.ll").write_text("convergent")
    ran = convcheck("suite", str(tmp_path), "--list")
    assert (ran.code, ran.out) == (0, "a.ll\n")
    assert convcheck("suite", str(tmp_path / "none")).code == 2
    assert convcheck("suite", str(tmp_path), "--opt", str(tmp_path / "none")).code == 2


@needs_opt
def test_the_folder_of_results_is_one_suite_s(tmp_path: Path) -> None:
    """Two at a time took out each other's lines, and counted twice."""
    fcntl = pytest.importorskip("fcntl", reason="this system has no file locks")
    (tmp_path / "a.ll").write_text("convergent")
    words = "suite", str(tmp_path / "a.ll"), "--results"
    ran = convcheck(*words, str(tmp_path / "a.ll" / "x"))
    assert (ran.code, one_line(ran.err), "cannot write" in ran.err) == (2, True, True)
    out = tmp_path / "out"
    out.mkdir()
    with (out / "suite.lock").open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ran = convcheck(*words, str(out))
        assert (ran.code, one_line(ran.err), "another suite is at work" in ran.err) == (2, True, True)
    assert convcheck(*words, str(out)).code == 3


@needs_opt
def test_a_file_that_is_not_utf_8_is_asked_too(tmp_path: Path) -> None:
    """LLVM takes any byte in a comment: such a test was passed over, and nobody said so."""
    run = b"; \xff\n; RUN: split-file %s %t && opt -S -passes=instcombine %t/b.ll\n"
    (tmp_path / "a.ll").write_bytes(run + b";--- b.ll\n; \xfe\n" + BODY.encode())
    (file,) = files_of([str(tmp_path)], plan := SuitePlan(tools={"opt": str(which("opt-22"))}, budget=8))
    store = FindingFolder(tmp_path / "out")
    perform(file, plan, store)
    assert [check.answer for check in store.summary().checks] == ["equal"]


@needs_opt
def test_a_cluster_s_answers_are_kept_here(scheduler: str, tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "a.ll").write_text("; RUN: opt -S -passes=instcombine %s | FileCheck %s\n" + BODY)
    wrong = (ROOT / "examples_ll" / "findings" / "heart-merged-into-block.ll").read_text()
    (tests / "b.ll").write_text(
        "; RUN: opt -S -passes=simplifycfg %s\n; RUN: strange %s\n" + wrong.replace("RUN:", "NO:")
    )
    told = []
    for name, more in (("here", []), ("there", ["--scheduler", scheduler])):
        ran = convcheck("suite", str(tests), "--results", str(tmp_path / name), "--budget", "20", "-q", *more)
        assert (ran.code, ran.err) == (1, ""), ran.out
        folder = tmp_path / name
        lines = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
        files = {
            str(path.relative_to(folder)): path.read_text()
            for path in sorted((folder / "findings").rglob("*"))
            if path.is_file() and path.suffix == ".ll"
        }
        kept = sorted(json.dumps({k: v for k, v in line.items() if k != "seconds"}) for line in lines)
        told.append((kept, files))
    assert told[0] == told[1] and len(told[0][1]) >= 2
    ran = convcheck("suite", str(tests), "--results", str(tmp_path / "none"), "--scheduler", "nonsense://1")
    assert ran.code == 2 and "no dask scheduler" in ran.err
