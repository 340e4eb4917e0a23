"""Every command on every page is run and prints what the page shows; Python blocks run; links lead somewhere.

``CONVCHECK_UPDATE_PAGES=1`` writes the real output into the pages instead.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from convergence.cli.wrappers.store import FindingFolder
from convergence.passes import optimised
from convergence.report.checked import CheckedPass
from tests.cli.cli_harness import convcheck
from tests.docs.site import generated_names
from tests.examples import kernel_shelf
from tests.examples.kernel_cases import KERNELS
from tests.meta.readme_commands import commands, update

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
# The machines' pages have a test of their own: what they show prints nothing on standard error.
RUN_HERE = [page for page in PAGES if page.parent.name != "machines"]


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", RUN_HERE, ids=named)
def test_commands_print_what_the_page_shows(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = page.read_text(encoding="utf-8")
    outputs = []
    for command in commands(text):
        assert command.words[0] == "convcheck", command.line
        ran = convcheck(*command.words[1:])
        assert "Traceback" not in ran.err
        outputs.append(ran.out + ran.err)
    if os.environ.get("CONVCHECK_UPDATE_PAGES"):
        page.write_text(update(text, outputs), encoding="utf-8")
        return
    assert [command.output for command in commands(text)] == outputs


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_that_show_no_output_are_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a block without a language: a command on an example runs; what it writes goes elsewhere."""
    monkeypatch.chdir(ROOT)
    for block in re.findall(r"^```\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
        for line in block.splitlines():
            if not line.startswith("convcheck ") or " examples_ll/" not in line:
                continue
            words = shlex.split(line)
            if "-o" in words:
                words[words.index("-o") + 1] = str(tmp_path / "out")
            ran = convcheck(*words[1:])
            assert ran.code in (0, 1), f"{line}: {ran.err}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_python_on_a_page_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for block in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block, page.name, "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_and_files_on_a_page_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    made = {ROOT / "docs" / place for place in generated_names()}
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text):
        if not target.startswith("https://"):
            file = Path(os.path.normpath(page.parent / target))
            assert file.exists() or file in made, target
    for path in re.findall(r"`((?:examples_ll|docs|convergence|tests|benchmarks)/[\w./-]+)`", text):
        assert any(word in path for word in ("RULE", "NAME", "MODULE")) or (ROOT / path).exists(), path


def test_the_readme_s_make_targets_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    for page in PAGES:
        said = re.findall(r"(?:`|^)make ([\w-]+)\b", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert set(said) <= targets, page.name
    assert {"demo", "test", "campaign", "bench", "tables"} <= targets


def test_the_demo_shows_the_acceptance_pictures_and_a_broken_file() -> None:
    makefile = (ROOT / "Makefile").read_text()
    files = dict(re.findall(r"^(NATURAL|NESTED|BROKEN) := (\S+)$", makefile, re.MULTILINE))
    shown = [convcheck("run", ROOT / files[name]).out for name in ("NATURAL", "NESTED")]
    assert shown[0].startswith("Thread 0: A B - B C D\nThread 1: A B C B C D\n")
    assert shown[1].startswith("Thread 0: A B B C - - D\nThread 1: A B - C B C D\n")
    assert convcheck("verify", ROOT / files["BROKEN"]).code == 1


# -- commands that are not convcheck's ----------------------------------------------------------------

SHELL = {
    "make demo": "test_the_demo_shows_the_acceptance_pictures_and_a_broken_file",
    "make test": "what runs these tests",
    "make check": "the same with fewer of them",
    "make llvm-suite LLVM_TESTS=path/to/llvm/test": "tests/cli/test_suite.py runs a small one",
    "make llvm-suite LLVM_TESTS=path/to/llvm/test EVERY=1": "tests/cli/test_suite.py runs a small one",
    "pip install .": "tests/meta/test_packaging.py installs the wheel and the sdist in a fresh environment",
    "update_convcheck_checks examples_ll/tutorial/3-heart.ll": "tests/cli/test_update_checks.py",
    'eval "$(_CONVCHECK_COMPLETE=bash_source convcheck)"': "tests/cli/test_completion.py",
    'eval "$(_CONVCHECK_COMPLETE=zsh_source convcheck)"': "tests/cli/test_completion.py",
    "_CONVCHECK_COMPLETE=fish_source convcheck | source": "tests/cli/test_completion.py",
    "pip install 'convcheck[dask]'": "tests/fuzz/test_campaign.py needs what it installs",
    "dask scheduler": "tests/fuzz/test_campaign.py starts a cluster of its own",
    "cd examples_ll/kernels": "tests/examples/test_kernels.py compiles there",
    "cat > interesting.sh <<'END'": "tests/fuzz/test_reduce.py",
    "#!/bin/sh": "tests/fuzz/test_reduce.py",
    # the script that llvm-reduce calls
    'exec convcheck reduce "$1" --passes simplifycfg --kind wrong --interestingness -q': (
        "tests/fuzz/test_reduce.py"
    ),
    "END": "tests/fuzz/test_reduce.py",
    "chmod +x interesting.sh": "tests/fuzz/test_reduce.py",
    "clang -O2 -c k.cl -mllvm -print-after-all -mllvm -print-module-scope 2> dump.txt": (
        "tests/cli/test_refine_dump.py has what it prints"
    ),
    "opt -O2 -print-changed -print-module-scope -disable-output a.ll 2>&1 | convcheck refine --dump -": (
        "tests/cli/test_refine_dump.py"
    ),
    "export CONVCHECK_DIR=$PWD/checked": "tests/cli/test_wrappers.py sets it",
    "convcheck-clang -O2 --target=amdgcn-amd-amdhsa -nogpulib -c kernel.cl -o kernel.o": (
        "tests/cli/test_wrappers.py has how clang is called"
    ),
    "CC=convcheck-clang CXX=convcheck-clang++ make -j8": "tests/cli/test_wrappers.py runs many at once",
    "llvm-reduce --test ./interesting.sh big.ll -o small.ll": "tests/fuzz/test_reduce.py",
    "opt -passes='print<uniformity>' -disable-output examples_ll/findings/claim-exit-phi.ll": (
        "tests/fuzz/test_findings.py asks it through convcheck"
    ),
}
"""Every command in an ``sh`` block of a page that is not convcheck's own, and where it is run."""


def shell_commands() -> set[str]:
    """The lines of all ``sh`` blocks, without comments."""
    shown = set()
    for page in PAGES:
        for block in re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
            shown |= {re.sub(r"\s+#.*", "", line).strip() for line in block.splitlines() if line.strip()}
    return shown


def test_clang_s_commands_are_those_that_made_the_shelf() -> None:
    """(That they make it is compared in ``tests/examples/test_kernels.py``.)"""
    levels = kernel_shelf.LEVELS
    made = {kernel_shelf.command(name, k.target, level) for name, k in KERNELS.items() for level in levels}
    shown = {line for line in shell_commands() if line.startswith("clang-22 ")}
    assert shown <= made
    assert len({line.split()[2] for line in shown}) == 4, "one for each language"


SUITE = ROOT / "examples_ll" / "langref" / "hoist-shuffle-before.ll"
"""What ``convcheck suite`` is shown: -O1 changes it."""


def test_convcheck_s_own_shell_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they are, but for the count of programs, where answers go, whose cluster it is, and which file."""
    monkeypatch.chdir(ROOT)
    lines = sorted(line for line in shell_commands() if line.startswith("convcheck "))
    dump = tmp_path / "dump.txt"
    flags = ("-print-after-all", "-print-module-scope")
    dump.write_text(
        optimised(Path("examples_ll/tutorial/3-heart.ll").read_text(), "default<O1>", opt_args=flags).printed
    )
    checked = tmp_path / "checked"
    FindingFolder(checked).append(CheckedPass("opt", "k.ll", "f", 1, "SROAPass", "equal").line())
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "a.ll").write_text("; RUN: opt -S -O1 %s\n" + SUITE.read_text())
    monkeypatch.setenv("CONVCHECK_DIR", str(tmp_path / "results"))
    for number, line in enumerate(lines):
        line = re.sub(r"suite \S+", f"suite {suite}", line)
        line = re.sub(r"--count \d+", "--count 1", line.replace("--scheduler tcp://host:8786", "--jobs 1"))
        line = line.replace(" checked", f" {checked}")
        line = line.replace(" dump.txt", f" {dump}")
        line = line.replace(" big.ll ", " examples_ll/findings/speculated-convergent-call.ll ")
        words = shlex.split(re.sub(r"-o \S+", f"-o {tmp_path / str(number)}", line))
        ran = convcheck(*words[1:])
        asks = "indvars" in line or "uniform" in line or "suite" in line
        found = (0, 1) if optimisers() or not asks else (2, 3)
        assert ran.code in found, f"{line}: {ran.err}"
        assert "Usage" not in ran.err
    assert len(lines) > 4


def optimisers() -> bool:
    """Whether there is an ``opt`` for passes that llvmlite has not."""
    return any(shutil.which(name) for name in ("opt", "opt-22"))


def test_every_other_shell_command_on_a_page_is_run_somewhere() -> None:
    others = {line for line in shell_commands() if not line.startswith(("convcheck ", "clang-22 "))}
    assert others == set(SHELL)
    for where in SHELL.values():
        if where.startswith("tests/"):
            assert (ROOT / where.split()[0]).is_file(), where
