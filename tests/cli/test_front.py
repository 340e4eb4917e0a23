"""The shell that stands before the wrappers: what it passes over, Python would have passed over, too.

It is ``convergence/cli/wrappers/front.sh``, under the tool's name.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from convergence.cli.wrappers import main
from convergence.cli.wrappers.main import CLANG, CLANGXX, LLC, OPT, Tool, may_converge, reads_standard_input

FRONT = Path(main.__file__).with_name("front.sh")
FILES = {
    "plain.ll": b"define void @f() {\n  ret void\n}\n",
    "word.ll": b"declare void @f() convergent\n",
    "machine.ll": b"declare i32 @llvm.amdgcn.workitem.id.x()\n",
    "quoted.ll": b'declare i32 @"llvm.spv.thread.id"()\n',
    "bits.bc": b"BC\xc0\xde\x35\x14",
    "wrapped.bc": b"\xde\xc0\x17\x0b\x00",
    "nul.ll": b"\x00\xff convergent",
    "k.cl": b"kernel void f() {}\n",
    "host.c": b"int f() { return 0; }\n",
}
LINES: tuple[tuple[Tool, str, str | None], ...] = (
    *((OPT, f"-passes=x {name} -o out", None) for name in FILES),
    (OPT, "-S", "plain.ll"), (OPT, "-S", "word.ll"), (OPT, "-S -o plain.ll", "word.ll"),
    (OPT, "-S -", "word.ll"),
    (OPT, "-S", "bits.bc"), (OPT, "plain.ll machine.ll", None), (OPT, "--version", "word.ll"),
    (OPT, "word.ll -help", None), (OPT, "-o - plain.ll", None), (OPT, "absent.ll", "plain.ll"),
    (LLC, "word.ll", None), (LLC, "plain.ll -o out.s", None),
    (CLANG, "-O2 -c host.c", None), (CLANG, "-c k.cl", None), (CLANG, "-target amdgcn host.c", None),
    (CLANG, "--target=nvptx64 host.c", None), (CLANG, "-x cl host.c", None), (CLANG, "-xhip host.c", None),
    (CLANG, "--offload-arch=gfx90a host.c", None), (CLANG, "k.cl -###", None), (CLANG, "", None),
    (CLANG, "--driver-mode=dxc host.c", None), (CLANG, "-triple spirv64 host.c", None),
    (CLANGXX, "-O2 -c host.c", None), (CLANGXX, "-x hip host.c", None),
    (CLANGXX, "--offload-arch=gfx90a host.c", None),
)  # fmt: skip


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """Files, a real tool that says ``real``, and the wrappers beside a Python that says ``python``."""
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    for name in ("opt", "llc", "clang", "clang++"):
        _program(tmp_path / "real" / name, f'echo real {name} "$@"')
        (tmp_path / "own").mkdir(exist_ok=True)
        wrapper = tmp_path / "own" / f"convcheck-{name}"
        wrapper.write_bytes(FRONT.read_bytes())
        wrapper.chmod(0o755)
    _program(tmp_path / "own" / "python3", "echo python")
    return tmp_path


def _program(path: Path, script: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def called(places: Path, wrapper: str, *arguments: str, stdin: str | None = None, **more: str) -> str:
    """What is said when a wrapper, by its path in the folder, is called."""
    path = os.pathsep.join([str(places / "own"), str(places / "real"), os.environ["PATH"]])
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CONVCHECK_")}
    with (places / (stdin or os.devnull)).open("rb") as stream:
        return subprocess.run(
            [places / wrapper, *arguments], stdin=stream, capture_output=True, text=True, check=False,
            cwd=places, env={**environment, "PATH": path, **more}, timeout=30,
        ).stdout  # fmt: skip


@pytest.mark.parametrize(("tool", "line", "stdin"), LINES)
def test_what_it_passes_over_has_nothing_to_check(
    tool: Tool, line: str, stdin: str | None, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(places)
    arguments = line.split()
    data = FILES[stdin] if stdin is not None else b""
    reads = reads_standard_input(tool, arguments)
    checks = tool.dumping(arguments) is not None and may_converge(tool, arguments, data if reads else None)
    said = called(places, f"own/convcheck-{tool.name}", *arguments, stdin=stdin)
    real = f"real {tool.name}" + "".join(f" {argument}" for argument in arguments) + "\n"
    assert said in (real, "python\n")
    if checks:
        assert said == "python\n"


def test_what_is_not_convergent_does_not_start_python(places: Path) -> None:
    """The other half: the shell is there to save it."""
    assert called(places, "own/convcheck-opt", "-S", "plain.ll") == "real opt -S plain.ll\n"
    assert called(places, "own/convcheck-opt", "-S", stdin="plain.ll") == "real opt -S\n"
    assert called(places, "own/convcheck-clang", "-c", "a b.c") == "real clang -c a b.c\n"
    assert called(places, "own/convcheck-llc", "--version") == "real llc --version\n"


def test_a_tool_is_called_by_its_name(places: Path) -> None:
    """The name is in what LLVM's tools complain of: it was a whole path."""
    for name in ("opt", "mine"):
        (places / "real" / name).unlink(missing_ok=True)
        (places / "real" / name).symlink_to("/bin/sh")
    line = ("own/convcheck-opt", "-c", "echo $0")
    assert called(places, *line, stdin="plain.ll") == "opt\n"
    assert called(places, *line, stdin="plain.ll", CONVCHECK_OPT="mine") == "mine\n"


def test_which_tool_is_the_real_one(places: Path) -> None:
    _program(places / "mine", "echo mine")
    assert called(places, "own/convcheck-opt", "plain.ll", CONVCHECK_OPT=str(places / "mine")) == "mine\n"
    assert called(places, "own/convcheck-opt", "plain.ll", CONVCHECK_OPT="/no/such") == "python\n"
    (places / "own" / "opt").symlink_to(places / "own" / "convcheck-opt")
    assert called(places, "own/opt", "plain.ll") == "real opt plain.ll\n"
    (places / "real" / "opt").rename(places / "real" / "opt-22")
    if all(
        "/usr" in folder or not (Path(folder) / "opt").exists() for folder in os.environ["PATH"].split(":")
    ):
        path = os.pathsep.join([str(places / "own"), str(places / "real"), "/nowhere"])
        assert called(places, "own/opt", "--version", PATH=path) == "real opt --version\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads its input again by /proc")
def test_standard_input_is_left_to_the_tool(places: Path) -> None:
    _program(places / "real" / "opt", "cat")
    assert called(places, "own/convcheck-opt", stdin="plain.ll") == FILES["plain.ll"].decode()


def test_a_tool_that_leads_back_is_called_once_more(places: Path) -> None:
    """The environment names the wrapper, or a script that calls it by the tool's name: without an end each
    call would make the next."""
    wrapper = str(places / "own" / "convcheck-opt")
    assert (
        called(places, "own/convcheck-opt", "-S", "plain.ll", CONVCHECK_OPT=wrapper)
        == "real opt -S plain.ll\n"
    )
    _program(places / "cache", f'exec "{wrapper}" "$@"')
    through = called(places, "own/convcheck-opt", "-S", "plain.ll", CONVCHECK_OPT=str(places / "cache"))
    assert through == "real opt -S plain.ll\n"


@pytest.mark.parametrize("file", ["plain.ll", "word.ll"])
def test_no_tool_but_wrappers_is_an_error(tmp_path: Path, file: str) -> None:
    """Copies of the wrapper have the tool's names, and nothing else on PATH has: with and without a Python
    between."""
    for name in ("sh", "grep", "dirname", "readlink", "printf"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    (tmp_path / file).write_bytes(FILES[file])
    for name in ("convcheck-opt", "opt", "opt-22"):
        (tmp_path / name).write_bytes(FRONT.read_bytes())
        (tmp_path / name).chmod(0o755)
    _program(tmp_path / "python3", f'exec "{sys.executable}" "$@"')
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CONVCHECK_")}
    root = str(Path(main.__file__).parents[3])
    ran = subprocess.run(
        [tmp_path / "convcheck-opt", "-S", file], capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**environment, "PATH": str(tmp_path), "PYTHONPATH": root}, timeout=60,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (127, "")
    assert "-22: what it stands for is" in ran.stderr
