"""The wheel holds what an installed convcheck needs, and what is in it works on its own."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from convergence.version import __version__

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the unpacked wheel, far from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder / "dist"],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    (wheel,) = (folder / "dist").iterdir()
    assert wheel.name == f"convcheck-{__version__}-py3-none-any.whl"
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def run(site: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "convergence", *map(str, arguments)],
        cwd=site, env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_the_wheel_has_data_types_and_licence(installed: Path) -> None:
    for needed in (
        "convergence/py.typed",
        "convergence/parser/llvm.lark",
        "convergence/parser/llvm_tables.bin",
        "convergence/parser/llvm_worker.py",
        "convergence/report/schemas/verify.schema.json",
        "convergence/examples/rules/S-NEST.good.ll",
        f"convcheck-{__version__}.dist-info/licenses/LICENSE",
        f"convcheck-{__version__}.dist-info/entry_points.txt",
    ):
        assert (installed / needed).is_file(), needed
    assert not (installed / "tests").exists()


def test_what_is_installed_explains_and_verifies(installed: Path) -> None:
    explained = run(installed, "explain", "S-NEST")
    assert explained.returncode == 0, explained.stderr
    assert "Breaks it (S-NEST.bad.ll)" in explained.stdout
    verified = run(installed, "verify", "convergence/examples/rules/S-NEST.bad.ll")
    assert verified.returncode == 1, verified.stderr
    assert "error[S-NEST]" in verified.stdout


def test_the_front_door_is_cheap() -> None:
    """``import convergence`` alone imports neither LLVM nor anything else that takes its time."""
    code = (
        "import sys, convergence; "
        "print(*sorted({m.split('.')[0] for m in sys.modules} & {'llvmlite', 'lark', 'z3', 'rich', 'click'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
