"""A process in which LLVM runs, so that an input on which LLVM ends itself ends only this process.

Run as a script; it imports nothing of this package. (Where no process can be started, ``llvm.py`` calls
``answer`` itself.) It reads requests from standard input and writes
answers to standard output until its input ends. A request is one byte, ``a`` for assembly or ``b``
for bitcode, the length as eight bytes, and the input; an answer is a length and JSON:

``error``       LLVM's message if it takes the input for no LLVM IR, and then nothing else
``text``        for bitcode, what LLVM prints for it
``intrinsics``  for each ``llvm.*`` name that the text mentions and LLVM's module has: its attributes
                in LLVM's own table, and its type
``upgraded``    for each that LLVM's module has not: what LLVM upgraded it to, or null
``verdict``     what LLVM's verifier says, whole, or null if it accepts the module
"""

from __future__ import annotations

import _thread
import json
import os
import re
import sys
from contextlib import suppress
from itertools import takewhile
from typing import Any, BinaryIO

STACK = 1 << 29  # bytes; LLVM's reader and verifier recurse along chains of types, constants, metadata
MEMORY = 12 << 30  # bytes of address space
_INTRINSIC = re.compile(rb'@(llvm\.[-a-zA-Z$._0-9]+|"llvm\.[^"\\\n]+")')


def answer(llvm: Any, kind: bytes, data: bytes) -> dict[str, Any]:
    """What LLVM says of one input."""
    context = llvm.create_context()
    try:
        module = _parse(llvm, context, kind, data)
    except RuntimeError as error:
        return {"error": str(error)}
    made: dict[str, Any] = {}
    if kind == b"b":
        data = _printed(llvm, module)
        made["text"] = data.decode("utf-8", "surrogateescape")
    mentioned = {name.strip(b'"').decode("utf-8", "surrogateescape") for name in _INTRINSIC.findall(data)}
    made["intrinsics"], made["upgraded"] = _intrinsics(module, mentioned)
    made["verdict"] = _verdict(llvm, module)
    return made


def _parse(llvm: Any, context: Any, kind: bytes, data: bytes) -> Any:
    """LLVM's module; like llvmlite's own functions, but for text that may be no UTF-8."""
    if kind == b"b":
        return llvm.parse_bitcode(data, context)
    from ctypes import c_char_p

    from llvmlite.binding import ffi
    from llvmlite.binding.module import ModuleRef

    with ffi.OutputString() as message:
        module = ModuleRef(ffi.lib.LLVMPY_ParseAssembly(context, c_char_p(data), message), context)
        if message:
            module.close()
            raise RuntimeError(message.bytes.decode("utf-8", "replace"))
    return module


def _printed(llvm: Any, module: Any) -> bytes:
    with llvm.ffi.OutputString() as out:
        llvm.ffi.lib.LLVMPY_PrintModuleToString(module, out)
        return bytes(out.bytes)


def _verdict(llvm: Any, module: Any) -> str | None:
    with llvm.ffi.OutputString() as message:
        if llvm.ffi.lib.LLVMPY_VerifyModule(module, message):
            return str(message.bytes.decode("utf-8", "replace"))
    return None


def _intrinsics(module: Any, mentioned: set[str]) -> tuple[dict[str, Any], dict[str, str | None]]:
    known: dict[str, Any] = {}
    missing: list[str] = []
    for name in sorted(mentioned):
        try:
            function = module.get_function(name)
        except (NameError, UnicodeEncodeError):
            missing.append(name)
            continue
        known[name] = _facts(function)
    upgraded: dict[str, str | None] = {}
    if missing:
        others = [f for f in module.functions if f.name.startswith("llvm.") and f.name not in mentioned]
        for name in missing:
            new = max(others, key=lambda f: _common(f.name, name), default=None)
            if new is None or _common(new.name, name) < 2:
                upgraded[name] = None
            else:
                upgraded[name] = new.name
                known[new.name] = _facts(new)
    return known, upgraded


def _facts(function: Any) -> dict[str, Any]:
    attributes = [group.decode("utf-8", "replace") for group in function.attributes]
    return {"attributes": attributes, "type": str(function.global_value_type)}


def _common(one: str, other: str) -> int:
    """How many dotted parts two names share from their beginning."""
    parts = zip(one.split("."), other.split("."), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], parts))


def binding() -> Any:
    """llvmlite's binding. LLVM's upgrade of debug info is switched off: it verifies a module that has
    some, and ends the process if it is broken."""
    from llvmlite import binding as llvm

    llvm.set_option("convcheck", "--disable-auto-upgrade-debug-info")
    return llvm


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer until the requests end."""
    llvm = binding()
    while len(head := requests.read(9)) == 9:
        data = requests.read(int.from_bytes(head[1:], "little"))
        try:
            made = answer(llvm, head[:1], data)
        except (MemoryError, RecursionError, UnicodeError, OSError, ValueError, RuntimeError) as error:
            made = {"error": f"LLVM could not be asked: {error}"}
        encoded = json.dumps(made).encode("ascii")
        answers.write(len(encoded).to_bytes(8, "little") + encoded)
        answers.flush()


def main() -> None:
    """Serve on a thread with a deep stack; the process ends with it."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        pass
    with suppress(ValueError, RuntimeError):
        _thread.stack_size(STACK)
    done = _thread.allocate_lock()
    done.acquire()

    def run() -> None:
        try:
            serve(requests, answers)
        finally:
            done.release()

    try:
        _thread.start_new_thread(run, ())
        done.acquire()
    except RuntimeError:
        serve(requests, answers)
    os._exit(0)


if __name__ == "__main__":
    main()
