"""What other tools read: pre-commit's manifest and the GitHub action, whose steps run here in bash."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
GOOD = "examples_ll/rules/S-NEST.good.ll"
BAD = "examples_ll/rules/S-NEST.bad.ll"


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_pre_commit_accepts_the_manifest() -> None:
    from pre_commit.clientlib import load_manifest

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


def steps(action: dict[str, Any], temp: Path, **inputs: str) -> list[subprocess.CompletedProcess[str]]:
    """Run the steps as the runner does: one bash each, ``-e -o pipefail``, until one fails.

    The install step is given what it needs without a network: no dependencies, hatchling from here; the
    environment that it makes then borrows this one's packages.
    """
    values = {
        **{f"inputs.{name}": str(given.get("default", "")) for name, given in action["inputs"].items()},
        **{f"inputs.{name}": value for name, value in inputs.items()},
        "inputs.python": sys.executable,
        "github.action_path": str(ROOT),
        "runner.temp": str(temp),
    }
    done = []
    for step in action["runs"]["steps"]:
        given = {
            name: re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda match: values[match[1]], value)
            for name, value in step["env"].items()
        }
        environment = {**os.environ, **given, "GITHUB_OUTPUT": str(temp / "output")}
        environment |= {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PYTHONPATH": site_packages()}
        if "pip install" in step["run"]:
            environment["PIP_NO_BUILD_ISOLATION"] = "0"  # pip's way to say that there is none
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        done.append(ran)
        if ran.returncode:
            break
    return done


def site_packages() -> str:
    import click

    return str(Path(click.__file__).resolve().parents[1])


@pytest.fixture(scope="module")
def temp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runner")


@pytest.mark.skipif(find_spec("ensurepip") is None, reason="python -m venv needs ensurepip, as on GitHub")
def test_the_action_s_steps_annotate_and_write_sarif(action: dict[str, Any], temp: Path) -> None:
    sarif = temp / "out.sarif"
    install, verify = steps(action, temp, files="examples_ll/rules/S-NEST.*bad.ll", sarif=str(sarif))
    assert install.returncode == 0, install.stdout + install.stderr
    assert verify.returncode == 1
    assert f"::error file={BAD},line=11,col=26" in verify.stdout
    assert verify.stdout.count("::error ") >= 4
    assert (temp / "output").read_text() == "exit-code=1\n"
    assert '"version": "2.1.0"' in sarif.read_text()
    environment = temp / "convcheck-venv"
    assert (environment / "bin" / "convcheck").is_file(), "it is the installed command that ran"
    (temp / "output").unlink()
    only_verify = {**action, "runs": {"steps": action["runs"]["steps"][1:]}}
    (good,) = steps(only_verify, temp, files=f"{GOOD}  examples_ll/**/natural.ll")
    assert (good.returncode, good.stdout) == (0, "")
    (none,) = steps(only_verify, temp, files="nothing/**/*.ll")
    assert none.returncode == 2 and "no file matches" in none.stdout
    steps(only_verify, temp, files="$(touch never) `touch never` ; touch never")
    assert not (ROOT / "never").exists(), "an input is never run"
    shutil.rmtree(environment)
