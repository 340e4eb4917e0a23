"""``convcheck verify`` imports nothing that it does not use, and starts fast."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from tests.cli.cli_harness import GOOD, ROOT, ll, process

HEAVY = {"z3", "rich", "lark", "hypothesis", "jsonschema", "numpy", "asyncio", "unittest", "doctest"}


def imported(*arguments: str | Path) -> set[str]:
    """The modules that a command line leaves imported in its process."""
    code = (
        "import sys\n"
        "from convergence.cli import invoke\n"
        "code = invoke(sys.argv[1:])\n"
        "print('\\n', *sys.modules, file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


def test_verify_imports_nothing_that_it_does_not_use(tmp_path: Path) -> None:
    found = imported("verify", ll(tmp_path, GOOD))
    assert not HEAVY & found
    assert not {name for name in found if name.startswith(("convergence.semantics", "convergence.sched"))}
    assert "convergence.verifier" in found


def test_run_imports_no_solver_and_no_terminal_library(tmp_path: Path) -> None:
    found = imported("run", "--arg", "%x=1", ll(tmp_path, GOOD))
    assert not (HEAVY - {"lark"}) & found
    assert "convergence.semantics.machine.machine" in found


def test_explain_reads_no_program() -> None:
    found = imported("explain", "S-NEST")
    assert not {name for name in found if name.startswith(("llvmlite", "convergence.parser", "lark"))}


def test_verify_of_a_small_file_starts_fast(tmp_path: Path) -> None:
    """The aim is 0.4 s on a quiet machine (benchmarks/startup.py measures); this bound is for a busy one."""
    path = ll(tmp_path, GOOD + "; a line\n" * 190)
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        assert process("verify", path).code == 0
        taken.append(time.perf_counter() - start)
    assert min(taken) < 1.5
