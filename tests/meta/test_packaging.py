"""Wheel and sdist hold what they should, install in a fresh environment, and what is installed works."""

from __future__ import annotations

import email
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import click
import pytest

from convergence.packages import HOMEPAGE, __version__
from tests.shared import once

ROOT = Path(__file__).resolve().parents[2]
NAME = f"convcheck-{__version__}"


def called(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env={**clean, **environment},
        capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip


def built(source: Path, folder: Path, *kinds: str) -> None:
    """Build a source tree's distributions into ``folder``; no network is asked, hatchling is here."""
    wanted = [word for kind in kinds for word in ("-t", kind)]
    done = called(sys.executable, "-m", "hatchling", "build", *wanted, "-d", folder, cwd=source)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist of the checkout."""
    return once(tmp_path_factory, "dist", lambda folder: built(ROOT, folder, "wheel", "sdist"))


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (found,) = dist.glob("*.whl")
    assert found.name == f"{NAME}-py3-none-any.whl"
    return found


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment in which the wheel was installed, as ``pip install`` does it.

    Its dependencies are lent: a ``.pth`` line names this environment's packages, which are not searched for
    further ``.pth`` files, so that the checkout is not on the path.
    """
    return once(tmp_path_factory, "environment", lambda folder: installed(wheel, folder))


def installed(wheel: Path, folder: Path) -> None:
    """Make a virtual environment and install the wheel into it."""
    made = called(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    assert made.returncode == 0, made.stderr
    (packages,) = folder.glob("lib/python3*/site-packages")
    (packages / "lent.pth").write_text(f"{Path(click.__file__).resolve().parents[1]}\n")
    done = called(
        sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--no-deps",
        "--no-index", "--quiet", "--disable-pip-version-check", wheel, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_wheel_has_data_types_and_licence(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "convergence/py.typed",
        "convergence/parser/llvm.lark",
        "convergence/parser/llvm_tables.bin",
        "convergence/parser/llvm_worker.py",
        "convergence/report/schemas/verify.schema.json",
        "convergence/examples/rules/S-NEST.good.ll",
        f"{NAME}.dist-info/licenses/LICENSE",
        f"{NAME}.dist-info/entry_points.txt",
    } <= names
    tops = {name.split("/")[0] for name in names}
    assert tops == {"convergence", f"{NAME}.dist-info", f"{NAME}.data"}
    checkout = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "convergence").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert checkout <= names, "every file of the package is in the wheel"


def test_the_metadata_says_what_pip_and_pypi_ask_for(wheel: Path) -> None:
    data = zipfile.ZipFile(wheel)
    found = email.message_from_bytes(data.read(f"{NAME}.dist-info/METADATA"))
    assert (found["Name"], found["Version"]) == ("convcheck", __version__)
    assert found["Requires-Python"] == ">=3.11"
    assert found["License-Expression"] == "Apache-2.0 WITH LLVM-exception"
    assert {"test", "docs"} <= set(found.get_all("Provides-Extra", []))
    needed = {
        line.split(";")[0].split("<")[0].split(">")[0].split("=")[0].strip()
        for line in found.get_all("Requires-Dist", [])
        if "extra" not in line
    }
    assert needed == {"llvmlite", "click", "numpy"}
    assert {"z3", "rich", "all"} <= set(found.get_all("Provides-Extra", []))
    assert f"Homepage, {HOMEPAGE}" in found.get_all("Project-URL", [])
    assert found.get_payload(), "the README is the long description"
    entries = data.read(f"{NAME}.dist-info/entry_points.txt").decode()
    assert "convcheck = convergence.cli:main" in entries
    assert "update_convcheck_checks = convergence.cli.update_checks:main" in entries


def test_the_sdist_builds_the_same_wheel(dist: Path, wheel: Path, tmp_path: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    assert sdist.name == f"{NAME}.tar.gz"
    with tarfile.open(sdist) as archive:
        names = set(archive.getnames())
        archive.extractall(tmp_path, filter="data")
    for needed in (
        "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Makefile", "properdocs.yml", "action.yml",
        ".pre-commit-hooks.yaml", "docs/index.md", "examples_ll/alignments/natural.ll",
        "tests/meta/test_packaging.py", "convergence/py.typed",
    ):  # fmt: skip
        assert f"{NAME}/{needed}" in names
    caches = ("__pycache__", "/.venv", "/site/", ".mypy_cache", ".ruff_cache", "/Output/")
    assert not [name for name in names if any(word in name for word in caches)]
    built(tmp_path / NAME, tmp_path / "again", "wheel")
    (again,) = (tmp_path / "again").glob("*.whl")
    one, other = zipfile.ZipFile(wheel), zipfile.ZipFile(again)
    assert {n: one.read(n) for n in one.namelist()} == {n: other.read(n) for n in other.namelist()}


def test_what_is_installed_is_what_was_built(environment: Path, tmp_path: Path) -> None:
    code = "import convergence, importlib.metadata as m; print(convergence.__file__, m.version('convcheck'))"
    done = called(environment / "bin" / "python", "-c", code, cwd=tmp_path)
    where, version = done.stdout.split()
    assert where.startswith(str(environment)) and version == __version__


def test_the_installed_commands_work(environment: Path, tmp_path: Path) -> None:
    """Far from the checkout: its examples come with the package."""
    commands = environment / "bin"
    explained = called(commands / "convcheck", "explain", "S-NEST", cwd=tmp_path)
    assert explained.returncode == 0, explained.stderr
    assert "Breaks it (S-NEST.bad.ll)" in explained.stdout
    wrapper = called(commands / "convcheck-llc", "x.ll", cwd=tmp_path, CONVCHECK_LLC="/no/such/llc")
    assert (wrapper.returncode, wrapper.stderr.partition(":")[0]) == (127, "convcheck-llc"), wrapper.stderr
    (bad,) = environment.glob("lib/python3*/site-packages/convergence/examples/rules/S-NEST.bad.ll")
    verified = called(commands / "convcheck", "verify", bad, cwd=tmp_path)
    assert verified.returncode == 1, verified.stderr
    assert "error[S-NEST]" in verified.stdout
    example = tmp_path / "a.ll"
    example.write_text("; RUN: convcheck run %s | FileCheck %s\ndefine i32 @f() {\n  ret i32 7\n}\n")
    updated = called(commands / "update_convcheck_checks", example, cwd=tmp_path)
    assert updated.returncode == 0 and "Thread 0 returned 7" in example.read_text(), updated.stderr


def test_the_installed_front_door_runs_a_program(environment: Path, tmp_path: Path) -> None:
    code = (
        "import convergence as cc\n"
        "m = cc.parse('define i32 @f(i32 %x) {\\n  %y = add i32 %x, 1\\n  ret i32 %y\\n}')\n"
        "assert cc.verify(m) == ()\n"
        "print([t.value for t in cc.run(m, threads=2, arguments={'x': [1, 2]}).outcome.threads])\n"
        "one = {'arguments': {'x': 1}}\n"
        "print(len(cc.enumerate(m, **one).outcomes), cc.simulate(m, 'heart', **one)[0].conforms)"
    )
    done = called(environment / "bin" / "python", "-c", code, cwd=tmp_path)
    assert done.stdout.split("\n")[:2] == ["[2, 3]", "1 True"], done.stderr


@pytest.mark.campaign  # mypy reads the whole package anew, which takes its time
def test_a_user_s_type_checker_sees_the_types(environment: Path, tmp_path: Path) -> None:
    """``py.typed`` is found: mypy knows what is installed, and refuses what does not fit."""
    user = tmp_path / "user.py"
    user.write_text(
        "import convergence as cc\n"
        "module: cc.Module = cc.parse_file('a.ll')\n"
        "blocks: int = cc.run(module, threads=2).steps\n"
        "found: tuple[cc.Diagnostic, ...] = cc.verify(module)\n"
        "wrong: str = cc.enumerate(module)\n"
    )
    python = environment / "bin" / "python"
    done = called(
        sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache",
        "--python-executable", python, "user.py", cwd=tmp_path,
    )  # fmt: skip
    lines = done.stdout.strip().splitlines()
    assert lines[0].startswith("user.py:5: error: Incompatible types in assignment"), done.stdout
    assert lines[1:] == ["Found 1 error in 1 file (checked 1 source file)"]


def test_the_front_door_is_cheap() -> None:
    """``import convergence`` alone imports neither LLVM nor anything else that takes its time."""
    code = (
        "import sys, convergence; "
        "print(*sorted({m.split('.')[0] for m in sys.modules} & {'llvmlite', 'lark', 'z3', 'rich', 'click'}))"
    )
    done = called(sys.executable, "-c", code, cwd=ROOT)
    assert done.returncode == 0 and done.stdout.strip() == "", done.stderr


def test_every_example_that_the_readme_names_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    readme = (ROOT / "README.md").read_text()
    files = set(re.findall(r"examples_ll/[\w./-]+\.\w+", readme))
    assert len(files) > 5
    assert {name.replace("examples_ll/", "convergence/examples/") for name in files} <= names


def test_the_readme_s_commands_find_them_without_the_checkout(environment: Path, tmp_path: Path) -> None:
    done = called(
        environment / "bin" / "convcheck", "run", "examples_ll/langref/divergent-break.ll", cwd=tmp_path
    )
    assert done.stdout.startswith("Thread 0: A H B C"), done.stderr
    program = "import convergence as cc; print(cc.parse_file('examples_ll/alignments/natural.ll'))"
    done = called(environment / "bin" / "python", "-c", program, cwd=tmp_path)
    assert "define" in done.stdout, done.stderr
    done = called(environment / "bin" / "convcheck", "litmus", "examples_ll/litmus", cwd=tmp_path)
    assert "\nexamples_ll/litmus/sso-read-write.ll " in done.stdout, done.stderr
    done = called(environment / "bin" / "convcheck", "run", "examples_ll/../packages.py", cwd=tmp_path)
    assert done.returncode == 2
