"""What other tools read: pre-commit's manifest and the GitHub action, whose steps run here in bash."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
GOOD = "examples_ll/rules/S-NEST.good.ll"
BAD = "examples_ll/rules/S-NEST.bad.ll"


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_pre_commit_accepts_the_manifest() -> None:
    load_manifest = import_module("pre_commit.clientlib").load_manifest

    (hook,) = load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))
    assert (hook["id"], hook["language"], hook["entry"]) == ("convcheck", "python", "convcheck verify")
    wanted = re.compile(hook["files"])
    assert all(wanted.search(name) for name in ("a.ll", "b/c.bc"))
    assert not any(wanted.search(name) for name in ("a.llx", "all", "b.ll.txt"))


@pytest.mark.parametrize(("file", "code"), [(GOOD, 0), (BAD, 1)])
def test_the_hook_s_entry_says_yes_and_no(file: str, code: int) -> None:
    (hook,) = read(".pre-commit-hooks.yaml")
    command, *arguments = hook["entry"].split()
    assert command == "convcheck"
    done = subprocess.run(
        [sys.executable, "-m", "convergence", *arguments, file],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr


# -- the action ---------------------------------------------------------------------------------------


@pytest.fixture
def action() -> dict[str, Any]:
    found: dict[str, Any] = read("action.yml")
    return found


def test_the_action_is_a_composite_one_with_documented_inputs(action: dict[str, Any]) -> None:
    assert action["runs"]["using"] == "composite"
    assert {"name", "description", "inputs", "outputs", "runs"} <= set(action)
    for each in (*action["inputs"].values(), *action["outputs"].values()):
        assert each["description"]
    for name, given in action["inputs"].items():
        assert given.get("required") or "default" in given, name
    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash" and "${{" not in step["run"], "inputs are never text of a script"
        subprocess.run(["bash", "-n"], input=step["run"], text=True, check=True)


def test_every_name_in_an_expression_is_there(action: dict[str, Any]) -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    steps = {step["id"] for step in action["runs"]["steps"] if "id" in step}
    for context, rest in re.findall(r"\$\{\{ (\w+)\.([\w.-]+) \}\}", text):
        match context:
            case "inputs":
                assert rest in action["inputs"]
            case "steps":
                step, kind, name = rest.split(".")
                assert step in steps and (kind, name) == ("outputs", "exit-code")
            case _:
                assert f"{context}.{rest}" in {"github.action_path", "runner.temp"}


def step(
    action: dict[str, Any], number: int, temp: Path, python: str | Path = sys.executable, **inputs: str
) -> subprocess.CompletedProcess[str]:
    """Run a step as the runner does, in a bash with ``-e -o pipefail``, from the folder of the examples.

    pip, where it is called, builds with the hatchling that is here and asks no network.
    """
    values = {
        **{f"inputs.{name}": str(given.get("default", "")) for name, given in action["inputs"].items()},
        **{f"inputs.{name}": value for name, value in inputs.items()},
        "inputs.python": str(python),
        "github.action_path": str(ROOT),
        "runner.temp": str(temp),
    }
    found = action["runs"]["steps"][number]
    given = {
        name: re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda match: values[match[1]], value)
        for name, value in found["env"].items()
    }
    environment = {**os.environ, **given, "GITHUB_OUTPUT": str(temp / "output")}
    environment |= {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PYTHONPATH": str(ROOT)}
    if number == INSTALL:
        environment["PIP_NO_BUILD_ISOLATION"] = "0"  # pip's way to say that there is none
        environment["PYTHONPATH"] = str(Path(click.__file__).resolve().parents[1])
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", found["run"]],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


INSTALL, VERIFY = 0, 1


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


@pytest.fixture
def temp(tmp_path: Path) -> Path:
    """The runner's temporary folder, where a ``convcheck`` that is this checkout's stands installed."""
    script(
        tmp_path / "convcheck-venv" / "bin" / "convcheck", f'exec "{sys.executable}" -m convergence "$@"\n'
    )
    return tmp_path


def test_the_verify_step_annotates_and_writes_sarif(action: dict[str, Any], temp: Path) -> None:
    sarif = temp / "out.sarif"
    ran = step(action, VERIFY, temp, files="examples_ll/rules/S-NEST.*bad.ll", sarif=str(sarif))
    assert ran.returncode == 1
    assert f"::error file={BAD},line=11,col=26" in ran.stdout
    assert ran.stdout.count("::error ") >= 4
    assert (temp / "output").read_text() == "exit-code=1\n"
    assert '"version": "2.1.0"' in sarif.read_text()


def test_the_verify_step_is_content_with_what_keeps_the_rules(action: dict[str, Any], temp: Path) -> None:
    ran = step(action, VERIFY, temp, files=f"{GOOD}  examples_ll/**/natural.ll")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert (temp / "output").read_text() == "exit-code=0\n"


def test_the_verify_step_refuses_a_pattern_without_files(action: dict[str, Any], temp: Path) -> None:
    ran = step(action, VERIFY, temp, files="nothing/**/*.ll")
    assert ran.returncode == 2 and "no file matches" in ran.stdout


def test_an_input_is_never_run(action: dict[str, Any], temp: Path) -> None:
    never = temp / "never"
    step(action, VERIFY, temp, files=f"$(touch {never}) `touch {never}` ; touch {never}")
    assert not never.exists()


def test_the_install_step_asks_for_a_new_python(action: dict[str, Any], temp: Path) -> None:
    """With a Python that only tells what it is called with: an old one is refused, a new one installs."""
    told = temp / "told"
    old = script(temp / "old", "exit 1\n")
    assert step(action, INSTALL, temp, old).returncode == 1
    new = script(temp / "new", f'echo "$@" >> {told}\n')
    script(temp / "convcheck-venv" / "bin" / "python", f'echo "venv: $@" >> {told}\n')
    ran = step(action, INSTALL, temp, new)
    assert ran.returncode == 0, ran.stderr
    check, venv, install = told.read_text().splitlines()
    assert check.startswith("-c import sys;")
    assert venv == f"-m venv {temp}/convcheck-venv"
    assert install.startswith("venv: -m pip install ") and install.endswith(str(ROOT))


@pytest.mark.campaign  # tests/meta/test_packaging.py installs, too; this one as the action does
@pytest.mark.skipif(find_spec("ensurepip") is None, reason="python -m venv needs ensurepip, as on GitHub")
def test_the_steps_together_install_and_verify(action: dict[str, Any], tmp_path: Path) -> None:
    installed = step(action, INSTALL, tmp_path)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    assert (tmp_path / "convcheck-venv" / "bin" / "convcheck").is_file()
    (packages,) = (tmp_path / "convcheck-venv").glob("lib/python3*/site-packages")
    (packages / "lent.pth").write_text(f"{Path(click.__file__).resolve().parents[1]}\n")
    ran = step(action, VERIFY, tmp_path, files=BAD)
    assert ran.returncode == 1 and f"::error file={BAD},line=11,col=26" in ran.stdout
