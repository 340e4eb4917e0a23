"""Inside such a process: a deep stack, bounded memory, one answer to each request; and LLVM itself.

It imports as little as it can, for it starts while somebody waits.
"""

from __future__ import annotations

import _thread
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from ctypes import c_char_p
from typing import Any, BinaryIO, TypeVar

MEMORY = 12 << 30  # bytes of address space

Answer = Callable[[bytes], dict[str, Any]]
"""Of a request; where LLVM cannot read what it is given, with ``error``, its message, alone."""


def serve(prepare: Callable[[], Answer], stack: int, says: bytes = b"", memory: int | None = MEMORY) -> None:
    """Answer what standard input asks until it ends, on a thread with a stack of so many bytes; the process
    ends with it. ``says`` is written first, when what answers is prepared. ``memory`` bounds the bytes of
    address space; drivers of devices want far more of it than they use, and get no bound (``None``)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks is interrupted, and ends this process
    with suppress(ImportError, ValueError, OSError):
        import resource

        if memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(ValueError, RuntimeError):
        _thread.stack_size(stack)
    done = _thread.allocate_lock()
    done.acquire()

    def run() -> None:
        try:
            _answer_all(sys.stdin.buffer, sys.stdout.buffer, prepare, says)
        finally:
            done.release()

    parent = os.getppid()
    try:
        _thread.start_new_thread(run, ())
        while not done.acquire(timeout=1.0):
            if os.getppid() != parent:  # nobody is left to answer to, and LLVM may be at it for long
                break
    except RuntimeError:  # no thread with such a stack
        _answer_all(sys.stdin.buffer, sys.stdout.buffer, prepare, says)
    os._exit(0)


def _answer_all(requests: BinaryIO, answers: BinaryIO, prepare: Callable[[], Answer], says: bytes) -> None:
    try:
        answer = prepare()
    except ImportError as error:  # llvmlite, or what it needs, is not there: each question is told so
        problem = {"error": f"LLVM could not be asked: {error}"}

        def answer(request: bytes) -> dict[str, Any]:
            return problem

    answers.write(says)
    answers.flush()
    while len(head := requests.read(8)) == 8:
        request = requests.read(int.from_bytes(head, "little"))
        try:
            reply = answer(request)
        except (MemoryError, RecursionError, UnicodeError, OSError, ValueError, RuntimeError) as error:
            reply = {"error": f"LLVM could not be asked: {error}"}
        encoded = json.dumps(reply).encode("ascii")
        answers.write(len(encoded).to_bytes(8, "little") + encoded)
        answers.flush()


# -- LLVM, through llvmlite ---------------------------------------------------------------------------


def binding(flags: Sequence[str] = ()) -> Any:
    """llvmlite's binding, with LLVM's flags set; LLVM ends the process on one that it does not know. Its
    upgrade of debug info is switched off: it verifies a module that has some, and ends the process if it is
    broken."""
    from llvmlite import binding as llvm

    for flag in ("--disable-auto-upgrade-debug-info", *flags):
        llvm.set_option("convcheck", flag)
    return llvm


def parsed(llvm: Any, context: Any, text: bytes) -> Any:
    """LLVM's module; like llvmlite's own function, but for text that may be no UTF-8.

    :raises RuntimeError: with LLVM's message, if it cannot read it
    """
    from llvmlite.binding.module import ModuleRef

    with llvm.ffi.OutputString() as message:
        module = ModuleRef(llvm.ffi.lib.LLVMPY_ParseAssembly(context, c_char_p(text), message), context)
        if message:
            module.close()
            raise RuntimeError(message.bytes.decode("utf-8", "replace"))
    return module


def printed(llvm: Any, module: Any) -> bytes:
    """The text that LLVM prints for a module."""
    with llvm.ffi.OutputString() as out:
        llvm.ffi.lib.LLVMPY_PrintModuleToString(module, out)
        return bytes(out.bytes)


# ----------------------------------------------------------------------------------------------------------
# What the processes have in common in which devices are driven.
# ----------------------------------------------------------------------------------------------------------

STACK = 1 << 27  # bytes; drivers compile on the thread that asks

Devices = TypeVar("Devices")


class NoDeviceError(Exception):
    """There is no binding, no loader, or no device."""


def serve_devices(
    connect: Callable[[], Devices], answer: Callable[[Devices, dict[str, Any]], dict[str, Any]]
) -> None:
    """Answer requests about the devices that ``connect`` finds; where it raises NoDeviceError, each is told
    that there are none, and why."""

    def prepare() -> Answer:
        try:
            devices = connect()
        except NoDeviceError as error:
            problem = {"unavailable": str(error)}
            return lambda request: problem
        return lambda request: answer(devices, json.loads(request))

    serve(prepare, STACK, says=b"+", memory=None)
