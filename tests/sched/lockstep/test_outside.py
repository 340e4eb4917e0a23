"""Machines from outside, and machines in figures.

covers: report.simulate, sched.lockstep.simulate
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

import convergence as cc
from convergence.sched.lockstep.policies import outside
from convergence.sched.lockstep.policies.heart import Independent
from convergence.sched.lockstep.simulate import figures
from tests.cli.cli_harness import ROOT, convcheck

NATURAL = "examples_ll/alignments/natural.ll"
MODULE = cc.parse_file(ROOT / NATURAL)
PATHS = ["A B B C D", "A B C B C D"]
MINE = """
from convergence.sched.lockstep.policies.ipdom import Ipdom
class Mine(Ipdom):
    name = "mine"
class Other:
    name = "other"
"""


class Alone(Independent):
    name = "alone"


HOW_TO = (ROOT / "docs" / "how-to" / "add-a-machine.md").read_text(encoding="utf-8")


def test_a_machine_of_ours_by_the_page_s_steps(tmp_path: Path) -> None:
    """Its class in a file, a line in the table of variants, an example: in a copy of the package."""
    package = tmp_path / "convergence"
    shutil.copytree(ROOT / "convergence", package)
    code = HOW_TO.split("```python\n")[1].split("\n\n\nmodule = ")[0]
    policies = package / "sched" / "lockstep" / "policies"
    (policies / "last_first.py").write_text(code.replace("import convergence as cc\n", ""))
    table = (policies / "__init__.py").read_text()
    known = "_VARIANTS: Mapping[str, tuple[str, str]] = {\n"
    (policies / "__init__.py").write_text(
        table.replace(known, known + '    "last-first": ("last_first", "LastFirst"),\n')
    )
    example = tmp_path / "last-first.ll"
    run = "RUN: not convcheck simulate --policy last-first %s | FileCheck %s"
    assert run.replace("last-first", "NAME") in HOW_TO
    program = (ROOT / NATURAL).read_text().split("define")[1]
    example.write_text(
        f"; CONVCHECK: --threads 2 --arg %x=1,10\n; CONVCHECK: --path {PATHS[0]!r} --path {PATHS[1]!r}\n"
        f"; {run}\n\ndefine{program}"
    )

    def python(code: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    update = "import sys; sys.argv[1:] = ['last-first.ll']; "
    done = python(update + "from convergence.cli.update_checks import main; main()")
    assert "last-first.ll: updated" in done.stdout + done.stderr, done.stderr
    assert "D-USE allows only {0,1}" in example.read_text()
    done = python(
        "import convergence as cc; from convergence.sched.lockstep import policies; "
        "print(policies.VARIANTS, 'last-first' in policies.NAMES, cc.__file__)"
    )
    assert "'last-first'" in done.stdout and " False " in done.stdout and str(tmp_path) in done.stdout


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "my_machines.py"
    path.write_text(MINE)
    return str(path)


def test_a_class_is_a_machine() -> None:
    found = cc.simulate(MODULE, [Alone, "ipdom"], paths=PATHS, arguments={"x": [1, 10]})
    assert [one.policy for one in found] == ["alone", "ipdom"]
    same = cc.simulate(MODULE, "independent", paths=PATHS, arguments={"x": [1, 10]})[0]
    assert found["alone"].steps == same.steps
    assert found["alone"].conforms is same.conforms is False
    with pytest.raises(TypeError, match="a name or a class made from Policy"):
        cc.simulate(MODULE, int, paths=PATHS)  # type: ignore[arg-type]


def test_a_class_in_a_file_is_one(file: str) -> None:
    done = convcheck("simulate", NATURAL, "--policy", f"{file}:Mine", "--policy", "ipdom", "--format", "json")
    mine, ipdom = json.loads(done.out)["policies"]
    assert (mine["policy"], mine["steps"]) == ("mine", ipdom["steps"])
    found = cc.simulate(MODULE, f"{file}:Mine", paths=PATHS, arguments={"x": [1, 10]})[0]
    assert pickle.loads(pickle.dumps(found)).steps == found.steps


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("FILE:Nobody", "defines no Nobody"),
        ("FILE:Other", "made from convergence.sched.lockstep.policy.Policy"),
        ("nowhere.py:Mine", "FileNotFoundError"),
        ("my.txt:Mine", "is no Python file"),
        ("nobody", "unknown policy 'nobody'.*FILE.py:CLASS"),
    ],
)
def test_what_is_no_machine_is_said(file: str, word: str, why: str) -> None:
    word = word.replace("FILE", file)
    with pytest.raises(cc.UsageError, match=why):
        cc.simulate(MODULE, word, paths=PATHS)
    assert convcheck("simulate", NATURAL, "--policy", word).code == 2


def test_a_file_s_own_line_runs_no_code(tmp_path: Path, file: str) -> None:
    program = tmp_path / "evil.ll"
    program.write_text(f"; CONVCHECK: --policy {file}:Mine\n{(ROOT / NATURAL).read_text()}")
    done = convcheck("simulate", str(program))
    assert done.code == 2
    assert "may not name a Python file" in done.err


def test_a_package_offers_one(monkeypatch: pytest.MonkeyPatch) -> None:
    points = EntryPoints([EntryPoint("alone", f"{__name__}:Alone", outside.GROUP)])
    monkeypatch.setattr(EntryPoint, "load", lambda self: Alone)
    monkeypatch.setattr(outside, "entry_points", lambda **how: points.select(**how))
    assert outside.offered() == ("alone",)
    assert cc.simulate(MODULE, "alone", paths=PATHS, arguments={"x": 1})[0].policy == "alone"


def test_figures_are_those_of_the_steps() -> None:
    launch = {"paths": PATHS * 2, "arguments": {"x": [1, 10, 3, 4]}}
    for one in cc.simulate(MODULE, "all", subgroup_size=2, **launch):  # type: ignore[arg-type]
        *waves, total = figures(one)
        assert [line.wave for line in waves] == [0, 1]
        for line in waves:
            steps = [step for step in one.steps if step.wave == line.wave]
            assert line.slots == len(steps)
            assert line.active == sum(step.mask.bit_count() for step in steps)
            assert line.room == 2 * len(steps)
        assert total.active == one.active_lanes == sum(line.active for line in waves)
        assert total.operations == sum(one.operations.values()) == sum(line.operations for line in waves)
        assert total.saved == sum(line.saved for line in waves) <= total.operations
        assert (total.departure is None) == (one.departure is None)
        if total.departure is not None and one.departure is not None:
            (first,) = [line for line in waves if line.departure is not None]
            slot = next(s for s in one.steps if (s.wave, s.slot) == (first.wave, total.departure))
            assert slot.mask.bit_count() == len(one.departure.group)


def test_figures_are_a_table_and_json() -> None:
    done = convcheck("simulate", NATURAL, "--figures", "--policy", "ipdom", "--policy", "heart")
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[1][:4] == ["ipdom", "all", "16", "23/32"]
    assert lines[1][-3:] == ["slot", "5", "departs"]
    assert lines[2][-2:] == ["-", "conforms"]
