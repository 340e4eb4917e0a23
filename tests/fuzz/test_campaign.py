"""Campaigns: the same findings whoever does the work and however often they are cut off.

covers: cli.commands.fuzz, workers.scheduler
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from convergence.cli import invoke
from convergence.cli.plumbing import Exit
from convergence.fuzz import campaign
from convergence.fuzz.campaign import (
    LLVM,
    CampaignPlan,
    CheckResult,
    FindingKind,
    checks,
    do_chunk,
    source_of,
)
from convergence.fuzz.generate import Style
from convergence.report.schemas import schema

ROOT = Path(__file__).parents[2]
COMMON = ("fuzz", "--passes", "simplifycfg", "--seed", "19", "--reduce-timeout", "0", "-q")
COUNT = 14
"""Programs of seed 19; in two of them simplifycfg merges a block that begins with ``loop`` into another."""


def _state(folder: Path) -> Any:
    return json.loads((folder / "state.json").read_text())


def _contents(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The campaign done by one process."""
    folder = tmp_path_factory.mktemp("alone")
    assert invoke([*COMMON, "--count", str(COUNT), "--jobs", "1", "-o", str(folder)]) == Exit.FAILS
    return folder


def test_a_finding_has_its_folder(alone: Path) -> None:
    [finding] = _state(alone)["findings"]
    assert (finding["pass"], finding["kind"]) == ("simplifycfg", "invalid-output S-LOOP-FIRST")
    assert finding["times"] == 2  # one folder for both
    folder = alone / finding["folder"]
    assert json.loads((folder / "finding.json").read_text())["verdict"] == "invalid-output"
    assert "S-LOOP-FIRST" in (folder / "counterexample.txt").read_text()
    assert json.loads((folder / "counterexample.json").read_text())["verdict"] == "invalid-output"
    assert "@main" in (folder / "source.ll").read_text()
    command = ["refine", str(folder / "reduced.ll"), "--passes", "simplifycfg", "--max-launches", "3", "-q"]
    assert invoke(command) == Exit.FAILS


def test_more_jobs_find_the_same(alone: Path, tmp_path: Path) -> None:
    invoke([*COMMON, "--count", str(COUNT), "--jobs", "2", "-o", str(tmp_path)])
    assert _contents(tmp_path) == _contents(alone)


def test_a_campaign_goes_on_where_it_was_cut_off(alone: Path, tmp_path: Path) -> None:
    for count in (3, 3, COUNT):
        invoke([*COMMON, "--count", str(count), "--jobs", "1", "-o", str(tmp_path)])
        assert _state(tmp_path)["done"] == count
    assert _contents(tmp_path) == _contents(alone)


@pytest.mark.parametrize("reduced", [False, True])
def test_an_interrupted_campaign_names_what_it_announced(
    alone: Path,
    tmp_path: Path,
    reduced: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """SIGINT while the first finding is reduced, or when it is written and its chunk is not at its end: the
    answer names it, and the state has whole chunks, from which the same campaign goes on."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    command = [*COMMON, "--count", str(COUNT), "--jobs", "1", "-o", str(tmp_path), "--format"]
    with monkeypatch.context() as patched:
        if reduced:
            patched.setattr(campaign.Folder, "save", interrupted)
        else:
            patched.setattr(campaign, "present", interrupted)
        assert invoke([*command, "text"]) == Exit.FAILS
        said = capsys.readouterr().out
        assert invoke([*command, "json"]) == Exit.FAILS
    answer = json.loads(capsys.readouterr().out)
    Draft202012Validator(schema("fuzz")).validate(answer)
    [finding] = answer["findings"]
    folder = tmp_path / finding["folder"]
    assert (finding["kind"], answer["bound"]) == ("invalid-output S-LOOP-FIRST", "interrupted")
    assert answer["answers"]["invalid-output"] == 1
    assert f"{finding['folder']}: invalid-output S-LOOP-FIRST by simplifycfg, 1 time" in said
    assert ("not reduced yet" in said) is not reduced
    assert (folder / "finding.json").exists() is reduced
    assert "@main" in (folder / "source.ll").read_text()
    assert not (tmp_path / "state.json").exists() or not _state(tmp_path)["findings"]
    assert invoke([*command, "text"]) == Exit.FAILS
    assert _contents(tmp_path) == _contents(alone)


def test_kernels_of_a_target_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for triple, convention in (("amdgcn-amd-amdhsa", "amdgpu_kernel"), ("nvptx64-nvidia-cuda", "ptx_kernel")):
        assert invoke(["fuzz", "--triple", triple, "--seed", "3", "--show", "2"]) == Exit.HOLDS
        text = capsys.readouterr().out
        assert f'target triple = "{triple}"' in text and f"define {convention} void @main(" in text
    assert invoke(["fuzz", "--triple", "x86_64", "--show", "0"]) == Exit.INPUT
    assert "there are no kernels for 'x86_64'" in capsys.readouterr().err


def test_kernels_go_through_a_target_s_passes(tmp_path: Path) -> None:
    """Their arguments have one value for all threads: else every pass that counts on that would be wrong."""
    if shutil.which("opt-22") is None:
        pytest.skip("opt-22 is not installed")
    words = ("--passes", "amdgpu-uniform-intrinsic-combine", "--triple", "amdgcn-amd-amdhsa", "--seed", "2")
    rest = ("--opt", "opt-22", "--count", "3", "--jobs", "1", "-q", "-o", str(tmp_path))
    assert invoke(["fuzz", *words, *rest]) == Exit.HOLDS
    state = _state(tmp_path)
    assert state["campaign"]["triple"] == "amdgcn-amd-amdhsa"
    assert sum(state["answers"].values()) == 3 and state["answers"]["equal"] >= 2


def test_what_is_done_is_not_done_again(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a finished campaign did work")

    monkeypatch.setattr(campaign, "do_chunk", never)
    assert invoke([*COMMON, "--count", str(COUNT), "--jobs", "1", "-o", str(alone)]) == Exit.FAILS


def test_another_campaign_needs_another_folder(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke([*COMMON, "--style", "mixed", "--count", "1", "-o", str(alone)]) == Exit.INPUT
    assert "differs in style" in capsys.readouterr().err
    assert _state(alone)["done"] == COUNT


def test_a_clean_campaign_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--count", "12", "--jobs", "1", "--seed", "3", "-o", str(tmp_path), "-q", "--format", "json"]
    assert invoke(["fuzz", "--passes", "reassociate", "--passes", "instcombine", *options]) == Exit.HOLDS
    answer = json.loads(capsys.readouterr().out)
    Draft202012Validator(schema("fuzz")).validate(answer)
    assert (answer["programs"], answer["checks"], answer["findings"]) == (12, 24, [])
    assert set(answer["answers"]) <= {"equal", "refines", "unknown"}
    assert answer["answers"]["equal"] > 15


def test_what_several_passes_make_of_a_program_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Idle(LLVM):
        def optimise(self, text: str, pipeline: str) -> str:
            return text + "declare void @more()\n" if pipeline == "sink" else text

    targets: list[str] = []

    def compared(source: object, target: str, *given: object, **more: object) -> CheckResult:
        targets.append(target)
        return CheckResult(FindingKind("equal"), target=target)

    monkeypatch.setattr(campaign, "compare", compared)
    plan = CampaignPlan(7, "controlled", ("gvn", "sink", "adce"), 1, llvm=Idle())
    answers = list(checks(plan, plan.program(0)))
    assert len(targets) == len(set(targets)) == 2
    assert [(pipeline, answer.target) for pipeline, answer in answers] == [
        ("gvn", targets[0]), ("sink", targets[1]), ("adce", targets[0])
    ]  # fmt: skip


def test_our_own_failure_is_counted_and_the_campaign_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise AssertionError("a promise of ours")

    monkeypatch.setattr(campaign, "compare", broken)
    done = do_chunk(CampaignPlan(1, "controlled", ("simplifycfg",), 2), range(2))
    assert done.answers == {"our-bug": 2}
    assert done.failures[0] == (0, "simplifycfg", "our-bug", "AssertionError: a promise of ours")


def test_a_dask_cluster_finds_the_same(alone: Path, scheduler: str, tmp_path: Path) -> None:
    folder = tmp_path / "findings"
    command = [*COMMON, "--count", str(COUNT), "--scheduler", scheduler, "-o", str(folder)]
    made = subprocess.run(
        [sys.executable, "-m", "convergence", *command], capture_output=True, text=True, cwd=ROOT
    )
    assert (made.returncode, made.stderr) == (1, "")
    assert _contents(folder) == _contents(alone)


@pytest.mark.parametrize(("theirs", "said"), [(None, "is it installed there?"), ("0.0.1", "convcheck 0.0.1")])
def test_a_cluster_without_this_convcheck_is_no_bug_of_ours(
    theirs: str | None,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    answer: Future[str | None] = Future()
    if theirs is None:
        answer.set_exception(RuntimeError("Error during deserialization of the task graph"))
    else:
        answer.set_result(theirs)

    class Client(contextlib.nullcontext[Any]):
        def __enter__(self) -> Any:
            return self

        def submit(self, *_: object, **__: object) -> Future[str | None]:
            return answer

    monkeypatch.setattr(distributed, "Client", lambda *_, **__: Client())
    command = [*COMMON, "--count", "1", "--scheduler", "tcp://host:1", "-o", str(tmp_path / "findings")]
    assert invoke(command) == Exit.INPUT
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("address", ["nonsense://1", "foo"])
def test_without_a_scheduler_it_says_so(tmp_path: Path, address: str) -> None:
    """In one line, and at once."""
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    command = [*COMMON, "--count", "1", "--scheduler", address, "-o", str(tmp_path / "findings")]
    ran = subprocess.run(
        [sys.executable, "-m", "convergence", *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == Exit.INPUT
    assert "no dask scheduler" in ran.stderr and ran.stderr.count("\n") == 1


def test_a_pipeline_that_nobody_knows_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["fuzz", "--passes", "nosuchpass", "--count", "2", "-o", str(tmp_path / "f")]) == 2
    told = capsys.readouterr().err
    assert "nosuchpass" in told
    assert told.count("\n") == 1
    assert not (tmp_path / "f").exists()


def test_what_is_left_out_in_a_campaign_costs_no_finding() -> None:
    """Program 69 of seed 7 has more executions than are looked at, 4 of seed 3 is a finding: with and without
    what is left out and kept, each check has the same answer."""
    plan = CampaignPlan(7, "controlled", ("default<O1>", "simplifycfg"), 0)
    thorough = replace(plan, limits=replace(plan.limits, saves=False))
    for numbers in (range(69, 70), range(100, 103), range(104, 105), range(219, 220)):
        quick, slow = do_chunk(plan, numbers), do_chunk(thorough, numbers)
        assert (quick.answers, quick.findings) == (slow.answers, slow.findings)
    found = CampaignPlan(19, "controlled", ("simplifycfg",), 0)
    thorough = replace(found, limits=thorough.limits)
    quick, slow = do_chunk(found, range(COUNT)), do_chunk(thorough, range(COUNT))
    assert quick.findings == slow.findings != ()


def test_a_source_is_made_ready_and_run_once_for_all_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what is kept it is anew for each: the answers are the same."""
    made: list[str] = []

    def counted(text: str, function: str) -> Any:
        made.append(text)
        return source_of(text, function)

    monkeypatch.setattr(campaign, "source_of", counted)
    plan = CampaignPlan(7, "controlled", ("simplifycfg", "instcombine", "early-cse"), 0)
    kept = do_chunk(plan, range(4))
    assert len(made) == 4
    anew = do_chunk(replace(plan, limits=replace(plan.limits, saves=False)), range(4))
    assert len(made) == 4 + 4 * (1 + len(plan.pipelines))
    assert kept.answers == anew.answers


def test_a_summary_says_what_was_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--count", "2", "--seed", "7", "--jobs", "1", "-q", "--max-executions", "1"]
    invoke(["fuzz", *few, "-o", str(tmp_path / "quick")])
    told = capsys.readouterr().out
    assert "after 1" in told and "--thorough" in told
    invoke(["fuzz", *few, "--thorough", "-o", str(tmp_path / "thorough")])
    assert "left out" not in capsys.readouterr().out
    assert not _state(tmp_path / "thorough")["campaign"]["limits"]["saves"]


def test_unknown_answers_are_counted_by_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = CampaignPlan(7, "controlled", ("default<O1>",), 70)
    done = do_chunk(plan, range(69, 70))
    assert done.unknown == {"--max-executions 24": 1}
    folder = campaign.Folder(tmp_path / "folder", plan)
    folder.open()
    folder.take(done)
    folder.save()
    again = campaign.Folder(tmp_path / "folder", plan)
    again.open()
    assert again.unknown == done.unknown


@pytest.mark.parametrize("style", ["controlled", "reconvergence", "memory"])
def test_what_llvm_tells_beside_a_pass_is_what_it_says_when_asked(style: Style) -> None:
    """So nobody has to ask it, and a campaign says the same."""
    from convergence.parser import llvm
    from convergence.passes import optimised

    plan = CampaignPlan(5, style, ("default<O1>",), 6)
    for number in range(6):
        text = plan.program(number).text
        done = optimised(text, "default<O1>", asks=True)
        assert [spelled for spelled, _ in done.answers] == [text, done.text]
        assert done.text == optimised(text, "default<O1>").text
        for spelled, reply in done.answers:
            llvm.remember(spelled, reply)
            assert llvm.answer_to_parse(spelled) == llvm.ask(spelled)
            assert spelled not in llvm._worker().remembered


@pytest.mark.parametrize(
    "pipelines", [("default<O1>",), ("simplifycfg", "instcombine", "loop-rotate", "sroa")]
)
def test_what_runs_ahead_changes_no_answer(
    pipelines: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = CampaignPlan(7, "controlled", pipelines, 0)
    ahead = do_chunk(plan, range(270, 280))  # LLVM breaks down on one of them
    monkeypatch.setattr(
        campaign, "under_way", lambda plan, numbers: ((n, plan.program(n), None) for n in numbers)
    )
    assert do_chunk(plan, range(270, 280)) == ahead
    assert pipelines[1:] or ahead.answers["crash"]
