"""LLVM's pipelines run, what they must not change survives, and every way to fail is one clear line.

covers: passes.dumps, passes.outside, passes.worker
"""

from __future__ import annotations

import shutil
import signal
import stat
from pathlib import Path

import pytest

from convergence.passes import (
    Optimised,
    Outputs,
    PassFailed,
    begin,
    optimise,
    optimised,
    outside,
    passes_run,
    pipelines,
)
from convergence.passes.pipelines import PassPlan, PassStep, offered

LAYOUT = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
MODULE = f"""target datalayout = "{LAYOUT}"
target triple = "x86_64-unknown-linux-gnu"
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i32 @subgroupAdd(i32) convergent
declare void @effect(i32)
@g = global i32 0
define i32 @f(i32 %x, i32 %n) convergent "kept"="1" {{
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %j, %B ]
  %u = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @subgroupAdd(i32 %x) convergent [ "convergencectrl"(token %u) ]
  call void @effect(i32 %s)
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %B, label %C
C:
  %k = add i32 0, %s
  ret i32 %k
}}
"""
PLAIN = "".join(line + "\n" for line in MODULE.splitlines() if not line.startswith("target"))
REAL_OPT = outside.find(None)
needs_opt = pytest.mark.skipif(REAL_OPT is None, reason="no opt of LLVM 18 or later on PATH")


def same(one: str, other: str) -> bool:
    """Whether two texts are one module, whatever its reader called it."""
    return [line for line in one.splitlines() if not line.startswith(("; ModuleID", "source_filename"))] == [
        line for line in other.splitlines() if not line.startswith(("; ModuleID", "source_filename"))
    ]


@pytest.fixture
def no_opt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def program(folder: Path, body: str, name: str = "opt") -> str:
    """A program that a shell runs."""
    path = folder / name
    path.write_text("#!/bin/sh\n" + body)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize("pipeline", [*(f"default<O{level}>" for level in range(4)), "simplifycfg"])
def test_attributes_bundles_layout_and_triple_survive(pipeline: str) -> None:
    made = optimised(MODULE, pipeline)
    assert made.by == "llvmlite"
    assert made.notes == ("target x86_64-unknown-linux-gnu",)
    for kept in (f'target datalayout = "{LAYOUT}"', 'triple = "x86_64-unknown-linux-gnu"', '"kept"="1"',
                 '"convergencectrl"(token %t)', '"convergencectrl"(token %u)'):  # fmt: skip
        assert kept in made.text
    assert made.text.count("convergent") >= 3


def test_a_pass_does_its_work_and_adds_no_attribute() -> None:
    text = optimise(PLAIN, "instcombine")
    assert "add i32 0, %s" not in text
    assert "ret i32 %s" in text
    assert [line for line in text.splitlines() if line.startswith("attributes")] == [
        line for line in optimise(PLAIN, "no-op-module").splitlines() if line.startswith("attributes")
    ]
    assert "target" not in text.replace("target triple", "target")


def test_without_a_triple_there_is_no_target_and_a_note_says_so() -> None:
    assert optimised(PLAIN, "default<O1>").notes == ("no target triple: the passes ran without a target",)


def test_a_triple_can_be_given_and_brings_its_layout() -> None:
    made = optimised(PLAIN, "default<O1>", opt_args=["-mtriple=amdgcn-amd-amdhsa"])
    assert made.by == "llvmlite"
    assert 'target triple = "amdgcn-amd-amdhsa"' in made.text
    assert "target datalayout" in made.text


def test_a_target_that_llvmlite_has_not_is_said() -> None:
    (note,) = optimised(PLAIN, "default<O1>", opt_args=["-mtriple", "dxil-pc-shadermodel6.3-library"]).notes
    assert note.startswith("llvmlite has no target for dxil")


def test_flags_of_llvm_reach_it(no_opt: None) -> None:
    text = (
        "declare void @effect(i32)\ndefine void @f() {\nA:\n  br label %B\nB:\n"
        "  %i = phi i32 [ 0, %A ], [ %j, %B ]\n  call void @effect(i32 %i)\n  %j = add i32 %i, 1\n"
        "  %c = icmp slt i32 %j, 9\n  br i1 %c, label %B, label %C\nC:\n  ret void\n}\n"
    )
    counts = [
        optimise(text, "loop-unroll", opt_args=[f"-unroll-threshold={n}"]).count("call void @effect")
        for n in (0, 1000)
    ]
    assert counts == [1, 9]


@pytest.mark.parametrize("pipeline", offered())
def test_everything_offered_runs(pipeline: str, no_opt: None) -> None:
    assert ("define i32 @f(" in optimise(PLAIN, pipeline)) == (pipeline != "internalize")


@needs_opt
@pytest.mark.parametrize("pipeline", [*(name for name in offered() if name != "loop-extract"), "O2"])
def test_llvmlite_and_opt_make_the_same(pipeline: str) -> None:
    """The same text from both, for the same LLVM."""
    if not outside.version(str(REAL_OPT)).endswith("22.1.8)"):
        pytest.skip("opt is of another version than llvmlite's LLVM")
    for text in (MODULE, PLAIN):
        assert same(optimise(text, pipeline), optimise(text, pipeline, opt=REAL_OPT)), pipeline


# -- failing --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_opt")
@pytest.mark.parametrize("pipeline", ["gvn", "simplifycfg,gvn"])
def test_nobody_offers_it(pipeline: str) -> None:
    help_words = r"does not offer the pass 'gvn'; .*install LLVM 22.*--opt PATH"
    with pytest.raises(PassFailed, match=help_words) as caught:
        optimise(PLAIN, pipeline)
    assert caught.value.kind == "unavailable"


@pytest.mark.usefixtures("no_opt")
@pytest.mark.parametrize(
    "flag",
    ["-no-such-flag", "-mcpu=gfx90a", "-unroll-threshold=abc", "word", "--version", "-help"],
)
def test_nobody_knows_a_flag(flag: str) -> None:
    with pytest.raises(PassFailed, match=flag.partition("=")[0]) as caught:
        optimise(PLAIN, "simplifycfg", opt_args=[flag])
    assert caught.value.kind == "unavailable"
    assert optimise(PLAIN, "simplifycfg")


def test_text_that_is_no_module() -> None:
    with pytest.raises(PassFailed, match=r"LLVM does not read the module: .*expected") as caught:
        optimise("define nonsense", "simplifycfg")
    assert caught.value.kind == "refused"


@pytest.mark.usefixtures("no_opt")
def test_an_opt_that_is_none() -> None:
    with pytest.raises(PassFailed, match="none-such: no program"):
        optimise(PLAIN, "simplifycfg", opt="none-such")


def test_a_crash_in_llvmlite_is_reported_and_the_next_request_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "worker.py"
    script.write_text(
        "import os, sys\n"
        "sys.stdout.write('+'); sys.stdout.flush()\n"
        "sys.stdin.buffer.read(8)\n"
        'sys.stderr.write("x.cpp:7: void f(): Assertion `Broken\' failed.\\n #0 0x1 stack\\n")\n'
        "sys.stderr.flush()\n"
        "os.abort()\n"
    )
    with monkeypatch.context() as patched:
        patched.setattr(pipelines, "WORKER", script)
        with pytest.raises(PassFailed) as caught:
            pipelines.run(
                PLAIN, "simplifycfg", PassPlan((PassStep("simplifycfg"),)), ("-unroll-threshold=77",), 30
            )
    assert caught.value.kind == "crash"
    assert caught.value.reason == (
        f"LLVM breaks down in simplifycfg (signal {int(signal.SIGABRT)}): Assertion `Broken' failed"
    )
    pipelines._worker(("-unroll-threshold=77",)).stop()
    assert optimise(PLAIN, "simplifycfg")


def test_a_process_serves_so_many_requests_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    optimise(PLAIN, "simplifycfg")
    pipelines._worker(()).stop()
    monkeypatch.setattr(pipelines, "REQUESTS", 2)
    found = []
    for _ in range(4):
        assert optimise(PLAIN, "simplifycfg")
        process = pipelines._worker(()).process
        found.append(process is None)
    assert found == [False, True, False, True]


def test_a_hang_in_llvmlite_ends_at_the_timeout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "worker.py"
    script.write_text("import sys, time\nsys.stdout.write('+'); sys.stdout.flush()\ntime.sleep(60)\n")
    flags = ("-unroll-threshold=78",)
    with monkeypatch.context() as patched:
        patched.setattr(pipelines, "WORKER", script)
        with pytest.raises(PassFailed, match=r"did not end in 0\.2 s") as caught:
            optimise(PLAIN, "simplifycfg", opt_args=flags, timeout=0.2)
    assert caught.value.kind == "timeout"
    assert pipelines._worker(flags).process is None
    assert optimise(PLAIN, "simplifycfg", opt_args=flags)


SEVERAL = ("simplifycfg", "sccp", "sroa", "instcombine", "default<O1>", "instcombine,gvn-hoist", "zzz")
"""Pipelines of which llvmlite offers all but the last two, and one in another form than ``opt``."""

CALLS = """
declare i32 @llvm.abs.i32(i32, i1)
define i32 @f(i32 %x) {
entry:
  %p = alloca i32
  store i32 %x, ptr %p
  %a = load i32, ptr %p
  %b = call i32 @llvm.abs.i32(i32 %a, i1 false)
  ret i32 %b
}
"""


def _one_by_one(pipeline: str) -> object:
    try:
        return optimised(CALLS, pipeline, timeout=30, asks=True)
    except PassFailed as failed:
        return failed.kind, str(failed)


def _of(outputs: Outputs, pipeline: str) -> object:
    try:
        return outputs.of(pipeline)
    except PassFailed as failed:
        return failed.kind, str(failed)


def _start(*flags: str) -> Outputs:
    return begin(CALLS, SEVERAL, opt=None, opt_args=flags, timeout=30)


def test_what_is_under_way_is_what_is_run_at_once() -> None:
    expected = {pipeline: _one_by_one(pipeline) for pipeline in SEVERAL}
    outputs = _start()
    assert outputs.under_way is not None and not outputs.under_way.settled
    assert {pipeline: _of(outputs, pipeline) for pipeline in reversed(SEVERAL)} == expected
    assert any(getattr(output, "answers", ()) for output in expected.values())


def test_what_is_asked_in_between_disturbs_nothing() -> None:
    """Neither a pass, nor another batch, nor what is never asked for."""
    expected = {pipeline: _one_by_one(pipeline) for pipeline in SEVERAL}
    first, forgotten, second = _start(), _start(), _start()
    del forgotten
    assert _one_by_one("simplifycfg") == expected["simplifycfg"]
    for outputs in (second, first):
        assert {pipeline: _of(outputs, pipeline) for pipeline in SEVERAL} == expected


BREAKING = """
import os, time
from convergence.passes import worker
before, describe = worker.optimise, worker.described
def optimise(llvm, module, pipeline, triple):
    if "add_sccp_pass" in pipeline:
        {here}
    return before(llvm, module, pipeline, triple)
def described(llvm, text):
    {then}
    return describe(llvm, text)
worker.optimise, worker.described = optimise, described
worker.main()
"""


@pytest.mark.parametrize(("here", "kind"), [("os.abort()", "crash"), ("time.sleep(60)", "timeout")])
def test_where_llvm_fails_on_a_pipeline_the_others_are_answered(
    here: str, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    expected = {pipeline: _one_by_one(pipeline) for pipeline in SEVERAL}
    flags = ("-unroll-threshold=79",)
    script = tmp_path / "worker.py"
    script.write_text(BREAKING.format(here=here, then="pass"))
    monkeypatch.setattr(pipelines, "WORKER", script)
    outputs = begin(CALLS, SEVERAL[:5], opt=None, opt_args=flags, timeout=3)
    got = {pipeline: _of(outputs, pipeline) for pipeline in SEVERAL[:5]}
    pipelines._worker(flags).stop()
    failed = got.pop("sccp")
    assert isinstance(failed, tuple) and failed[0] == kind and "sccp" in failed[1]
    for pipeline, output in got.items():
        assert isinstance(output, Optimised)
        assert output.text == getattr(expected[pipeline], "text", None)


@pytest.mark.parametrize("then", ["os.abort()", "time.sleep(60)", "raise MemoryError"])
def test_where_llvm_fails_at_what_is_asked_besides_the_outputs_are_there(
    then: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    expected = optimised(CALLS, "simplifycfg", asks=True)
    assert len(expected.answers) == 2
    script = tmp_path / "worker.py"
    script.write_text(BREAKING.format(here="pass", then=then))
    monkeypatch.setattr(pipelines, "WORKER", script)
    pipelines._worker(()).stop()
    got = optimised(CALLS, "simplifycfg", asks=True, timeout=3)
    pipelines._worker(()).stop()
    assert not got.answers and got.text == expected.text


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("cat >/dev/null; echo \"opt: unknown pass name 'zzz'\" >&2; exit 1", "refused",
         "unknown pass name 'zzz'"),
        ("cat >/dev/null; echo 'LLVM ERROR: out of luck' >&2; exit 1", "crash", "LLVM ERROR: out of luck"),
        ("cat >/dev/null; echo '1.	Running pass \"licm\" on function \"f\"' >&2; kill -ABRT $$", "crash",
         'signal 6, in pass licm on function "f"'),
        ("sleep 20", "timeout", "did not end"),
    ],
)  # fmt: skip
def test_how_an_external_opt_fails(tmp_path: Path, body: str, kind: str, words: str) -> None:
    with pytest.raises(PassFailed) as caught:
        optimise(PLAIN, "zzz", opt=program(tmp_path, body), timeout=0.5 if kind == "timeout" else 20)
    assert caught.value.kind == kind
    assert words in caught.value.reason
    assert "\n" not in caught.value.reason


@needs_opt
@pytest.mark.parametrize(
    ("pipeline", "nearest"),
    [
        ("simplifcfg", "simplifycfg"),
        ("gvn,function(simplifcfg<no-sink-common-insts>)", "simplifycfg"),
        ("loop(licmm)", "licm"),
        ("zzz", None),
        ("default<O9>", None),
    ],
)
def test_a_pass_that_there_is_not_leads_to_the_nearest(pipeline: str, nearest: str | None) -> None:
    with pytest.raises(PassFailed) as caught:
        optimise(PLAIN, pipeline, opt=REAL_OPT)
    assert caught.value.reason.partition("; did you mean ")[2] == (f"{nearest}?" if nearest else "")


def test_an_opt_without_convergence_tokens_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """LLVM 14 takes the intrinsics for any function; on many machines that is what ``opt`` is."""
    program(tmp_path, "echo 'LLVM version 14.0.6'")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin-none")
    outside._version_text.cache_clear()
    assert outside.find(None) is None
    newer = program(tmp_path, "echo 'LLVM version 22.1.8'", "opt-22")
    assert outside.find(None) == newer
    assert outside.version(newer) == "opt-22 (LLVM 22.1.8)"
    outside._version_text.cache_clear()


# -- every pass -----------------------------------------------------------------------------------


@pytest.mark.parametrize("opt", [None, pytest.param(REAL_OPT, marks=needs_opt)])
def test_the_passes_run_in_order(opt: str | None) -> None:
    found = passes_run(PLAIN, "default<O1>", opt=opt)
    names = [run.name for run in found]
    assert names.index("simplifycfg") < names.index("instcombine") < names.index("loop-unroll")
    assert [run.number for run in found] == list(range(1, len(found) + 1))
    first = next(run for run in found if run.name == "instcombine" and run.changed)
    assert "ret i32 %s" in first.text
    assert found[first.number - 2].text != first.text
    assert same(found[-1].text, optimise(PLAIN, "default<O1>", opt=opt))


def test_a_list_of_single_passes_is_its_own_history(no_opt: None) -> None:
    found = passes_run(PLAIN, "simplifycfg,instcombine")
    assert [(run.name, run.on, run.changed) for run in found] == [
        ("simplifycfg", "f", False),
        ("instcombine", "f", True),
    ]


def test_a_loop_that_is_deleted_is_seen(no_opt: None) -> None:
    """LLVM says of such a pass only that it is invalidated, and shows the module all the same."""
    text = (
        "define void @f() {\nA:\n  br label %B\nB:\n  %i = phi i32 [ 0, %A ], [ %j, %B ]\n"
        "  %j = add i32 %i, 1\n  %c = icmp slt i32 %j, 9\n  br i1 %c, label %B, label %C\nC:\n  ret void\n}\n"
    )
    (run,) = [run for run in passes_run(text, "loop-deletion") if run.changed]
    assert (run.name, run.on) == ("loop-deletion", "loop %B in function f")
    assert "phi" not in run.text


def test_the_real_opt_is_found_where_there_is_one() -> None:
    if shutil.which("opt-22") is None:
        pytest.skip("no opt-22 on PATH")
    assert REAL_OPT is not None
