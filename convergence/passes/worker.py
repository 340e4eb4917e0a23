"""A process in which LLVM's passes run, so that one that aborts or hangs ends only this process.

Run as a script; it imports nothing of this package. Its arguments are flags of LLVM. It writes one byte
when LLVM has taken them, then reads requests from standard input and writes answers to standard output
until its input ends. Both are a length as eight bytes and JSON. What passes print is on standard error.

A request has ``text``, ``triple`` (which replaces the module's own, or null) and ``steps``: each a level of
a default pipeline or the name of a method of llvmlite's module pass manager. An answer has ``text`` and
``notes``, or ``error``, LLVM's message that it cannot read the text.
"""

from __future__ import annotations

import _thread
import json
import os
import sys
from contextlib import suppress
from ctypes import c_char_p
from typing import Any, BinaryIO

STACK = 1 << 28  # bytes; LLVM's analyses recurse along the program
MEMORY = 12 << 30  # bytes of address space


def binding(flags: list[str]) -> Any:
    """llvmlite's binding, with LLVM's flags set; LLVM ends the process on one that it does not know."""
    from llvmlite import binding as llvm

    for flag in ("--disable-auto-upgrade-debug-info", *flags):
        llvm.set_option("convcheck", flag)
    return llvm


def parsed(llvm: Any, context: Any, data: bytes) -> Any:
    """LLVM's module; like llvmlite's own function, but for text that may be no UTF-8."""
    from llvmlite.binding.module import ModuleRef

    with llvm.ffi.OutputString() as message:
        module = ModuleRef(llvm.ffi.lib.LLVMPY_ParseAssembly(context, c_char_p(data), message), context)
        if message:
            module.close()
            raise RuntimeError(message.bytes.decode("utf-8", "replace"))
    return module


def printed(llvm: Any, module: Any) -> str:
    with llvm.ffi.OutputString() as out:
        llvm.ffi.lib.LLVMPY_PrintModuleToString(module, out)
        return str(out.bytes.decode("utf-8", "surrogateescape"))


def target(llvm: Any, module: Any, triple: str | None) -> tuple[Any, list[str]]:
    """The target machine of the module's triple, as ``opt`` takes it: none without a triple, and the target's
    data layout where the module has none."""
    if triple is not None:
        module.triple = triple
    name = module.triple
    if not name:
        return None, ["no target triple: the passes ran without a target"]
    llvm.initialize_all_targets()
    try:
        machine = llvm.Target.from_triple(name).create_target_machine()
    except RuntimeError:
        return None, [f"llvmlite has no target for {name}: the passes ran without one"]
    if not module.data_layout:
        module.data_layout = str(machine.target_data)
    return machine, [f"target {name}"]


def answer(llvm: Any, request: dict[str, Any]) -> dict[str, Any]:
    """What LLVM makes of one module."""
    data = request["text"].encode("utf-8", "surrogateescape")
    try:
        module = parsed(llvm, llvm.create_context(), data)
    except RuntimeError as error:
        return {"error": str(error)}
    machine, notes = target(llvm, module, request["triple"])
    steps = list(request["steps"])
    while steps:
        level = steps.pop(0) if isinstance(steps[0], int) else None
        builder, manager = manager_of(llvm, machine, level)
        while level is None and steps and isinstance(steps[0], str):
            getattr(manager, steps.pop(0))()
        manager.run(module, builder)
        manager.close()
        builder.close()
    text = printed(llvm, module)
    module.close()
    return {"text": text, "notes": notes}


def manager_of(llvm: Any, machine: Any, level: int | None) -> tuple[Any, Any]:
    """A pass builder and a manager, empty or of a level. The builder is new each time: a run registers its
    callbacks with it for good. Vectorisation is on, as in ``opt``."""
    tuning = llvm.create_pipeline_tuning_options(2 if level is None else level)
    tuning.slp_vectorization = True
    tuning.loop_vectorization = True
    builder = llvm.create_pass_builder(machine, tuning)
    if level is None:
        return builder, llvm.create_new_module_pass_manager()
    return builder, builder.getModulePassManager()


def serve(requests: BinaryIO, answers: BinaryIO, flags: list[str]) -> None:
    """Answer until the requests end."""
    llvm = binding(flags)
    answers.write(b"+")
    answers.flush()
    while len(head := requests.read(8)) == 8:
        request = json.loads(requests.read(int.from_bytes(head, "little")))
        try:
            made = answer(llvm, request)
        except (MemoryError, RecursionError, UnicodeError, OSError, ValueError, RuntimeError) as error:
            made = {"error": f"LLVM could not be asked: {error}"}
        encoded = json.dumps(made).encode("ascii")
        answers.write(len(encoded).to_bytes(8, "little") + encoded)
        answers.flush()


def main() -> None:
    """Serve on a thread with a deep stack; the process ends with it."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(ValueError, RuntimeError):
        _thread.stack_size(STACK)
    done = _thread.allocate_lock()
    done.acquire()

    def run() -> None:
        try:
            serve(requests, answers, sys.argv[1:])
        finally:
            done.release()

    _thread.start_new_thread(run, ())
    done.acquire()
    os._exit(0)


if __name__ == "__main__":
    main()
