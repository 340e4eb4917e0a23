"""AMDGPU's control flow as its back end lowers it, in LLVM IR: what ``llc`` has after the pass that does it.

``llc -stop-after=PASS`` prints machine IR, whose first document is the module. The arguments of kernels stay
arguments: the pass that reads them from memory instead is switched off, for it has nothing to do with control
flow.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from ..frozen import dataclass
from .outside import PassFailed, crashed, find_tool, last_words, one_line, version

LAST = "si-annotate-control-flow"
FLAGS = (f"-stop-after={LAST}", "-amdgpu-ir-lower-kernel-arguments=0", "-o", "-", "-")
TRIPLE = "amdgcn-amd-amdhsa"


@dataclass(frozen=True, slots=True)
class Annotated:
    """The module, and who made it."""

    text: str
    by: str


def annotated(
    text: str,
    *,
    level: int = 2,
    llc: str | None = None,
    flags: Sequence[str] = (),
    timeout: float = 60.0,
) -> Annotated:
    """The module with its control flow lowered to operations on exec, by ``llc -O`` at a ``level`` from 0 to
    3; for the module's own triple, else for ``TRIPLE``.

    :raises PassFailed: if there is no ``llc``, or it ends itself, takes too long or refuses the module
    """
    program = _program(llc)
    triple = () if "\ntarget triple" in f"\n{text}" else (f"-mtriple={TRIPLE}",)
    command = [program, f"-O{level}", *triple, *flags, *FLAGS]
    data = text.encode("utf-8", "surrogateescape")
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise PassFailed(f"llc did not end in {timeout:g} s", "timeout") from None
    except (OSError, ValueError) as error:
        raise PassFailed(f"llc cannot be started: {one_line(str(error))}", "unavailable") from None
    printed = done.stderr.decode("utf-8", "surrogateescape")
    if done.returncode == 1 and "LLVM ERROR" not in printed and "Stack dump" not in printed:
        raise PassFailed(f"llc refuses the module: {last_words(printed)}", "refused", printed)
    if done.returncode:
        raise crashed("llc", done.returncode, printed)
    return Annotated(module_of(done.stdout.decode("utf-8", "surrogateescape")), version(program))


def _program(llc: str | None) -> str:
    program = find_tool("llc", llc)
    if program is None:
        raise PassFailed("there is no llc: install LLVM 22, or say --llc PATH", "unavailable")
    return program


def module_of(printed: str) -> str:
    """The LLVM IR in machine IR: its first document, less the indentation.

    >>> module_of("--- |\\n  define void @f() {\\n    ret void\\n  }\\n...\\n---\\nname: f\\n...\\n")
    'define void @f() {\\n  ret void\\n}\\n'
    """
    _, _, rest = printed.partition("--- |\n")
    document = rest.partition("\n...\n")[0]
    return "".join(f"{line.removeprefix('  ')}\n" for line in document.split("\n"))
