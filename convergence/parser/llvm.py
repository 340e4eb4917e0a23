"""Everything that LLVM itself is asked, through llvmlite."""

from __future__ import annotations

import re
from typing import Any

from .depth import refuse_deep_nesting
from .errors import NotLLVM

_PLACE = re.compile(r"^[^\n]*?:(\d+):(\d+): error: ", re.MULTILINE)


def binding() -> Any:
    """llvmlite's binding. LLVM's upgrade of debug info is switched off: in a module with debug info it
    verifies, and ends the *process* when the module is broken."""
    from llvmlite import binding as llvm

    llvm.set_option("convcheck", "--disable-auto-upgrade-debug-info")
    return llvm


def parse_assembly(text: str) -> Any:
    """LLVM's own module for a text; ``NotLLVM`` with its message if it takes none."""
    refuse_deep_nesting(text)
    try:
        return binding().parse_assembly(text)
    except RuntimeError as error:
        message = str(error)
        found = _PLACE.search(message)
        if found is None:
            raise NotLLVM(message.strip()) from None
        rest = message[found.end() :].partition("\n")[0]
        raise NotLLVM(rest, int(found[1]), int(found[2])) from None


_DISASSEMBLE = """
import sys
from llvmlite import binding
binding.set_option("convcheck", "--disable-auto-upgrade-debug-info")
try:
    text = str(binding.parse_bitcode(sys.stdin.buffer.read()))
except (RuntimeError, UnicodeDecodeError) as error:
    sys.exit(" ".join(str(error).split()))
sys.stdout.buffer.write(text.encode("utf-8"))
"""


def disassemble(bitcode: bytes) -> str:
    """The text that LLVM prints for a ``.bc`` file; ``NotLLVM`` with its message if it cannot read it.

    A process of its own does it: LLVM ends the process on some corrupt bitcode.
    """
    import subprocess
    import sys

    command = [sys.executable, "-P", "-c", _DISASSEMBLE]
    done = subprocess.run(command, input=bitcode, capture_output=True, check=False)
    if done.returncode == 0:
        return done.stdout.decode("utf-8")
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode == 1 and said and "Traceback" not in said:
        raise NotLLVM(said.removeprefix("LLVM bitcode parsing error").strip())
    raise NotLLVM("corrupt bitcode: LLVM gave up on it")


def intrinsics(module: Any) -> dict[str, frozenset[str]]:
    """The attribute words of LLVM's table for each intrinsic of its module."""
    return {
        function.name: frozenset(word for group in function.attributes for word in _words(group.decode()))
        for function in module.functions
        if function.name.startswith("llvm.")
    }


def _words(text: str) -> list[str]:
    return re.findall(r"[^\s()]+(?:\([^()]*\))?", text)


def llvm_verdict(text: str) -> tuple[str, ...]:
    """The messages of LLVM's own verifier; empty if it accepts the module."""
    module = parse_assembly(text)
    try:
        module.verify()
    except RuntimeError as error:
        first, *rest = [line for line in str(error).splitlines() if line.strip()] or ["no message"]
        return (first, *(line for line in rest if _is_message(line)))
    return ()


def _is_message(line: str) -> bool:
    """Whether a line of the verifier is a sentence, and not what it is about: an instruction, a block,
    a value, a cycle."""
    if not (line[0].isalpha() or line[0] in "'\"") or any(sign in line for sign in "%@="):
        return False
    return line[0].isupper() or len(line.split()) > 2
