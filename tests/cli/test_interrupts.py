"""SIGINT, or SIGTERM, ends every command within a second, whatever it does, with what it has, and leaves no
process.

covers: cli.plumbing, interruption
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest
import z3

from convergence.semantics.arithmetic.symbolic import check
from tests.cli.cli_harness import ROOT, ll

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")

IN_FRONT = (
    "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "runpy.run_module('convergence', run_name='__main__', alter_sys=True)"
)
"""A command that takes SIGINT whoever began the tests: where these run in the background it is ignored, by
all that they start, too."""
LATE = 1.0
"""Seconds of the process's own time, and of waiting, between SIGINT and the end: other work on the machine
does not count."""

OPERATIONS = """declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
"""
ENDLESS = """define i32 @f(i32 %x) {
A:
  br label %B
B:
  %n = phi i32 [ 0, %A ], [ %m, %B ]
  %m = add i32 %n, %x
  %c = icmp eq i32 %n, -1
  br i1 %c, label %C, label %B
C:
  ret i32 %n
}
"""
ANCHORS = (
    OPERATIONS
    + """define i32 @f(i32 %x) convergent {
A:
  br label %B
B:
  %n = phi i32 [ 0, %A ], [ %m, %B ]
  %t = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  %m = add i32 %n, 1
  %c = icmp eq i32 %m, 6
  br i1 %c, label %C, label %B
C:
  ret i32 %s
}
"""
)

EXCHANGES = (
    OPERATIONS
    + """define i32 @f(i32 %x) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %B
B:
  %n = phi i32 [ 0, %A ], [ %m, %B ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %h) ]
  %m = add i32 %n, 1
  %c = icmp eq i32 %m, -1
  br i1 %c, label %C, label %B
C:
  ret i32 %s
}
"""
)
"""What there is of it after a few seconds takes longer to tell than a second."""


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str
    seconds: float


def processor(pid: int) -> float:
    """Seconds of processor time of a process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> set[int]:
    """All processes that a process started, and these in turn."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found: set[int] = set()
    todo = [pid]
    while todo:
        children = parents.get(todo.pop(), [])
        found.update(children)
        todo += children
    return found


def listens(pid: int, number: signal.Signals = signal.SIGALRM) -> bool:
    """Whether a process has begun to take the signals that it takes while a command runs."""
    try:
        caught = re.search(r"^SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except OSError:
        return False
    return caught is not None and bool(int(caught[1], 16) >> number - 1 & 1)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def interrupted(
    *arguments: str | Path,
    after: float,
    group: bool = False,
    cwd: Path | None = None,
    waits: float = 60,
    sent: signal.Signals = signal.SIGINT,
) -> Ended:
    """A command that gets a signal when it has used so many seconds of the processor, or ``waits`` are over
    (``group``: with all its children, as at a terminal). It and all that it started must end in time."""
    with (
        tempfile.TemporaryFile("w+b") as out_file,
        tempfile.TemporaryFile("w+b") as err_file,
        subprocess.Popen(
            [sys.executable, "-c", IN_FRONT, *map(str, arguments)], stdout=out_file, stderr=err_file,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=cwd, start_new_session=True,
        ) as child,
    ):  # fmt: skip
        while child.poll() is None and not (listens(child.pid) and listens(child.pid, sent)):
            time.sleep(0.01)
        began = time.monotonic()
        while child.poll() is None and processor(child.pid) < after and time.monotonic() - began < waits:
            time.sleep(0.01)
        assert child.poll() is None, "it ended before"
        started = descendants(child.pid)
        used, began = processor(child.pid), time.monotonic()
        (os.killpg if group else os.kill)(child.pid, sent)
        busy = 0.0
        while child.poll() is None and time.monotonic() - began < 20 * LATE:
            busy = max(busy, processor(child.pid) - used)
            time.sleep(0.02)
        late = child.poll() is None
        wall = time.monotonic() - began
        if late:
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        out, err = (_text(file) for file in (out_file, err_file))
    assert not late, "it does not end"
    assert busy <= LATE, f"it worked on for {busy:.2f} s"
    assert wall <= 6 * LATE, f"it took {wall:.2f} s"
    time.sleep(0.1)
    left = {pid for pid in started if alive(pid)}
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left, "processes are left"
    assert "Traceback" not in err and "Exception" not in err, err
    return Ended(child.returncode, out, err.lstrip("\n"), wall)


MOMENTS = (0.4, 2.0)
"""Seconds: while modules are imported, and when the command is under way."""


@pytest.mark.parametrize("after", MOMENTS)
def test_run_shows_what_was_run(tmp_path: Path, after: float) -> None:
    file = ll(tmp_path, ENDLESS)
    bounds = "--arg", "%x=2", "--threads", "4", "--max-steps", "100000000000000", "--format", "json"
    ran = interrupted("run", file, *bounds, after=after)
    assert ran.code == 3
    if after < 1 and not ran.out:  # nothing had been run
        assert ran.err == "convcheck: interrupted\n"
        return
    answer = json.loads(ran.out)
    assert (answer["ending"], answer["bound"]) == ("out-of-bound", "interrupted")


def test_run_of_a_second_execution(tmp_path: Path) -> None:
    """``--trace`` writes while it runs: lines stay whole."""
    file = ll(tmp_path, ENDLESS)
    bounds = "--arg", "%x=2", "--max-steps", "3000000", "--format", "jsonl", "--trace"
    ran = interrupted("run", file, *bounds, after=2.0)
    assert ran.code == 3
    assert all(isinstance(json.loads(line), dict) for line in ran.out.splitlines())


@pytest.mark.parametrize("engine", ["operational", "axiomatic"])
@pytest.mark.parametrize("after", [0.4, 1.2])
def test_enumerate_shows_what_was_found(tmp_path: Path, engine: str, after: float) -> None:
    file = ll(tmp_path, ANCHORS)
    ran = interrupted("enumerate", file, "--threads", "4", "--arg", "%x=1,2,3,4", "--engine", engine,
                      "--format", "json", after=after + (engine == "axiomatic"))  # fmt: skip
    assert ran.code == 3
    if after < 1 and not ran.out:
        return  # nothing had been found
    answer = json.loads(ran.out)
    assert (answer["complete"], answer["bound"]) == (False, "interrupted")
    assert after < 1 or answer["alignments"]


def test_both_engines(tmp_path: Path) -> None:
    file = ll(tmp_path, ANCHORS)
    ran = interrupted("enumerate", file, "--threads", "4", "--arg", "%x=1", "--engine", "both", after=1.5)
    assert ran.code == 3
    assert "interrupted" in ran.out + ran.err


@pytest.mark.parametrize("after", MOMENTS)
def test_simulate_shows_each_machine(tmp_path: Path, after: float) -> None:
    file = ll(tmp_path, ENDLESS)
    bounds = "--arg", "%x=1", "--threads", "4", "--max-steps", "1000000000"
    ran = interrupted("simulate", file, "--policy", "all", *bounds, "-q", after=after)
    assert ran.code == 3
    assert "interrupted" in ran.out + ran.err
    assert after < 1 or "ipdom" in ran.out


@pytest.mark.parametrize("after", MOMENTS)
def test_explore_ends(tmp_path: Path, after: float) -> None:
    ran = interrupted("explore", ll(tmp_path, ANCHORS), "--threads", "5", "--arg", "%x=1", after=after)
    assert ran.code == 3
    assert not ran.out or ran.out.startswith("<!doctype html>")


@pytest.mark.parametrize("command", ["run", "simulate", "explore"])
def test_a_long_run_of_exchanges_is_told_in_part(tmp_path: Path, command: str) -> None:
    bounds = "--threads", "4", "--arg", "%x=1", "--max-steps", "1000000000"
    ran = interrupted(command, ll(tmp_path, EXCHANGES), *bounds, "--format", "json", after=5)
    assert ran.code == 3
    notes = json.loads(ran.out)["notes"]
    assert any("its time was over after more than" in note for note in notes)


@pytest.mark.parametrize("after", [0.7, 1.5, 3.0])
def test_refine_says_unknown(tmp_path: Path, after: float) -> None:
    one = ll(tmp_path, ANCHORS)
    other = ll(tmp_path, ANCHORS.replace("%m = add i32 %n, 1", "%m = add nuw i32 %n, 1"), "b.ll")
    ran = interrupted("refine", one, other, "--format", "json", after=after)
    assert ran.code == 3
    answer = json.loads(ran.out) if after > 1 or ran.out else {"verdict": "unknown", "bound": "interrupted"}
    assert (answer["verdict"], answer["bound"]) == ("unknown", "interrupted")


def test_z3_hands_the_interrupt_back() -> None:
    """It takes SIGINT itself while it thinks, and calls that an unknown answer."""
    solver = z3.Solver()
    solver.set("timeout", 60_000)
    values = z3.BitVecs(" ".join(f"x{n}" for n in range(12)), 64)
    term = values[0]
    for value in values[1:]:
        term = z3.UDiv(term * value + 3, value | 1)
    solver.add(term == 12345, values[1] == values[0] * values[3])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    kick = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    kick.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            check(solver)
    finally:
        kick.join()
        signal.signal(signal.SIGINT, before)


def test_verify_of_a_huge_file(tmp_path: Path) -> None:
    token = "  %t = call token @llvm.experimental.convergence.entry()\n"
    line = "  %v{n} = add i32 %x, {n}\n"
    body = "".join(line.format(n=n) for n in range(400_000))
    file = ll(tmp_path, OPERATIONS + f"define i32 @f(i32 %x) convergent {{\n{token}{body}  ret i32 %x\n}}\n")
    small = ll(tmp_path, ENDLESS, "b.ll")
    ran = interrupted("verify", small, file, small, "--format", "json", after=1.2)
    assert ran.code == 3
    assert [one["error"] for one in json.loads(ran.out)["files"]] == [None, "interrupted", "interrupted"]


def test_a_file_that_does_not_come(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.ll"
    os.mkfifo(pipe)
    ran = interrupted("run", pipe, after=60, waits=2)
    assert (ran.code, ran.err) == (3, "convcheck: interrupted\n")


SLOW = """#!/bin/sh
case "$*" in *version*) echo "LLVM version 22.1.0"; exit 0;; esac
sleep 1000 & wait
"""


@pytest.mark.parametrize("group", [False, True])
def test_while_llvm_is_at_it(tmp_path: Path, group: bool) -> None:
    opt = tmp_path / "opt"
    opt.write_text(SLOW.replace("sleep 1000 & wait", "exec sleep 1000"))
    opt.chmod(0o755)
    file = ll(tmp_path, ANCHORS)
    ran = interrupted("refine", file, "--passes", "gvn", "--opt", opt, after=60, waits=5, group=group)
    assert (ran.code, ran.err) == (3, "convcheck: interrupted\n")


@pytest.mark.parametrize("group", [False, True])
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("after", [1, 4])
def test_a_campaign_keeps_whole_chunks(tmp_path: Path, jobs: str, after: int, group: bool) -> None:
    plan = "--count", "100000", "--jobs", jobs, "-o", tmp_path / "found"
    ran = interrupted("fuzz", *plan, "--format", "json", after=60, waits=after, group=group, cwd=tmp_path)
    assert ran.code in (1, 3)
    if ran.out:
        answer = json.loads(ran.out)
        assert answer["bound"] == "interrupted"
        assert answer["programs"] % 10 == 0


KILLED = """#!/bin/sh
case "$*" in *version*) echo "LLVM version 22.1.0"; exit 0;; esac
kill -INT $$
"""


def test_llvm_that_ends_of_sigint_was_interrupted_with_us(tmp_path: Path) -> None:
    """A terminal sends SIGINT to both, and ``opt`` may end of it before anybody here has taken it: a campaign
    called that an internal error, ``refine`` a pass that breaks down."""
    opt = tmp_path / "opt"
    opt.write_text(KILLED)
    opt.chmod(0o755)
    for arguments in (
        ("refine", str(ll(tmp_path, ANCHORS)), "--passes", "gvn"),
        ("fuzz", "--count", "10", "--passes", "gvn", "-o", str(tmp_path / "findings")),
    ):
        ran = subprocess.run(
            [sys.executable, "-c", IN_FRONT, *arguments, "--opt", str(opt)],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            check=False,
        )
        assert (ran.returncode, ran.stderr.splitlines()[-1:]) == (3, ["convcheck: interrupted"]), arguments


@pytest.mark.parametrize(
    ("arguments", "after"),
    [
        (("run", "ENDLESS", "--arg", "%x=2", "--threads", "4", "--max-steps", "100000000000000"), 1.0),
        (("enumerate", "ANCHORS", "--threads", "4", "--arg", "%x=1,2,3,4"), 1.5),
        (("enumerate", "ANCHORS", "--threads", "4", "--arg", "%x=1,2,3,4", "--engine", "axiomatic"), 2.5),
        (("simulate", "ENDLESS", "--arg", "%x=1", "--threads", "4", "--max-steps", "1000000000"), 1.5),
    ],
)
def test_sigterm_is_an_interrupt_too(tmp_path: Path, arguments: tuple[str, ...], after: float) -> None:
    """``timeout`` sends it, to all of a group: what there is by then is said."""
    files = {"ENDLESS": ll(tmp_path, ENDLESS), "ANCHORS": ll(tmp_path, ANCHORS, "anchors.ll")}
    words = [str(files.get(word, word)) for word in arguments]
    ran = interrupted(*words, "--format", "json", after=after, group=True, sent=signal.SIGTERM)
    assert ran.code == 3
    assert "interrupted" in json.dumps(json.loads(ran.out))


@pytest.mark.parametrize(("jobs", "group"), [("1", True), ("2", False), ("2", True)])
def test_sigterm_ends_a_campaign_as_sigint_does(tmp_path: Path, jobs: str, group: bool) -> None:
    plan = "--count", "100000", "--jobs", jobs, "-o", tmp_path / "found", "--format", "json"
    ran = interrupted("fuzz", *plan, after=60, waits=3, group=group, cwd=tmp_path, sent=signal.SIGTERM)
    assert ran.code in (1, 3)
    answer = json.loads(ran.out)
    assert answer["bound"] == "interrupted" and answer["programs"] % 10 == 0


def test_sigterm_while_z3_thinks() -> None:
    """z3 hears SIGINT alone, and Python's handlers wait for it."""
    script = (
        "import z3\n"
        "from convergence.cli.plumbing import heeded\n"
        "from convergence.semantics.arithmetic.symbolic import check\n"
        "solver = z3.Solver()\n"
        "values = z3.BitVecs(' '.join(f'x{n}' for n in range(12)), 64)\n"
        "term = values[0]\n"
        "for value in values[1:]:\n"
        "    term = z3.UDiv(term * value + 3, value | 1)\n"
        "solver.add(term == 12345, values[1] == values[0] * values[3])\n"
        "with heeded():\n"
        "    print('ready', flush=True)\n"
        "    try:\n"
        "        check(solver)\n"
        "    except KeyboardInterrupt:\n"
        "        print('interrupted', flush=True)\n"
    )
    front = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    with subprocess.Popen(
        [sys.executable, "-c", front + script],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as child:  # fmt: skip
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        time.sleep(1.5)
        child.terminate()
        out, _ = child.communicate(timeout=20)
    assert (out, child.returncode) == ("interrupted\n", 0)


def test_it_works_at_any_moment(tmp_path: Path) -> None:
    """Also while modules are imported."""
    file = ll(tmp_path, ENDLESS)
    for tenth in range(1, 8):
        ran = interrupted("run", file, "--arg", "%x=2", "--max-steps", "1000000000", after=tenth / 10)
        assert ran.code in (3, 1, -signal.SIGINT)
