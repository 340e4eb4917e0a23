"""AMDGPU's control flow as its back end lowers it, in LLVM IR: what ``llc`` has after the pass that does it.

``llc -stop-after=PASS`` prints machine IR, whose first document is the module. The arguments of kernels stay
arguments: the pass that reads them from memory instead is switched off, for it has nothing to do with control
flow.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..frozen import dataclass
from .outside import PassFailed, find_tool, llc_output, version

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
    printed = llc_output(program, text, (f"-O{level}", *triple, *flags, *FLAGS), timeout)
    return Annotated(module_of(printed.decode("utf-8", "surrogateescape")), version(program))


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
