"""Inside such a process: a deep stack, bounded memory, one answer to each request; and LLVM itself.

It imports as little as it can, for it starts while somebody waits.
"""

from __future__ import annotations

import _thread
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from ctypes import c_char_p
from typing import Any, BinaryIO, TypeVar

MEMORY = 12 << 30  # bytes of address space

Answer = Callable[[bytes], dict[str, Any] | Iterator[dict[str, Any]]]
"""Of a request; where LLVM cannot read what it is given, with ``error``, its message, alone. It may come in
parts, of which the first one with ``error`` is the last."""


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
        for reply in _replies(answer, requests.read(int.from_bytes(head, "little"))):
            encoded = json.dumps(reply).encode("ascii")
            answers.write(len(encoded).to_bytes(8, "little") + encoded)
            answers.flush()


def _replies(answer: Answer, request: bytes) -> Iterator[dict[str, Any]]:
    try:
        reply = answer(request)
        if isinstance(reply, dict):
            yield reply
        else:
            yield from reply
    except (MemoryError, RecursionError, UnicodeError, OSError, ValueError, RuntimeError) as error:
        yield {"error": f"LLVM could not be asked: {error}"}


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


_INTRINSIC = re.compile(rb'@(llvm\.[-a-zA-Z$._0-9]+|"[^"\n]*")')
_DEBUG_INFO = re.compile(rb"!DI[A-Z]|!llvm\.dbg\.cu|!dbg ")
_ESCAPE = re.compile(rb"\\([0-9a-fA-F]{2}|\\)")


def has_debug_info(text: bytes) -> bool:
    """Whether a text may have some."""
    return _DEBUG_INFO.search(text) is not None


def description(llvm: Any, module: Any, text: bytes) -> dict[str, Any]:
    """What LLVM says of a module that it has read from a text; the module may have lost its debug info then.

    ``intrinsics``  for each ``llvm.*`` function of LLVM's module: its attributes in LLVM's table, its type
    ``missing``     the ``llvm.*`` names that the text mentions, comments included, and LLVM's module has not
    ``verdict``     what LLVM's verifier says, whole, or null if it accepts the module, or would without its
                    debug info
    """
    reply: dict[str, Any] = {}
    reply["intrinsics"], reply["missing"] = _intrinsics(module, set(map(_name, _INTRINSIC.findall(text))))
    reply["verdict"] = _verdict(llvm, module)
    if reply["verdict"] is not None and _takes_layout(llvm, module):
        reply["verdict"] = _verdict(llvm, module)
    if reply["verdict"] is not None and has_debug_info(text):
        _drop_debug_info(llvm, module)
        reply["verdict"] = _verdict(llvm, module)
    return reply


def _takes_layout(llvm: Any, module: Any) -> bool:
    """Whether a module without a data layout gets that of its target, as LLVM's tools give it one."""
    machine = None if module.data_layout or not module.triple else target_machine(llvm, module.triple)
    if machine is not None:
        module.data_layout = str(machine.target_data)
    return machine is not None


def target_machine(llvm: Any, triple: str) -> Any:
    """LLVM's machine for a triple; ``None`` where llvmlite has no such target."""
    llvm.initialize_all_targets()
    try:
        return llvm.Target.from_triple(triple).create_target_machine()
    except RuntimeError:
        return None


def _drop_debug_info(llvm: Any, module: Any) -> None:
    """As LLVM's tools do, which take a module of which nothing but the debug info is broken. Names of values
    go, too."""
    llvm.initialize_native_target()
    machine = llvm.Target.from_default_triple().create_target_machine()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
    passes = llvm.create_new_module_pass_manager()
    passes.add_strip_symbols_pass()
    passes.run(module, builder)


def _verdict(llvm: Any, module: Any) -> str | None:
    with llvm.ffi.OutputString() as message:
        if llvm.ffi.lib.LLVMPY_VerifyModule(module, message):
            return str(message.bytes.decode("utf-8", "replace"))
    return None


def _name(spelled: bytes) -> str:
    """The name that a text spells, quotes and escapes resolved."""
    if spelled[:1] == b'"':
        spelled = _ESCAPE.sub(lambda m: b"\\" if m[1] == b"\\" else bytes((int(m[1], 16),)), spelled[1:-1])
    return spelled.decode("utf-8", "surrogateescape")


def _intrinsics(module: Any, mentioned: set[str]) -> tuple[dict[str, Any], list[str]]:
    known: dict[str, Any] = {}
    missing: list[str] = []
    for name in sorted(name for name in mentioned if name.startswith("llvm.")):
        try:
            known[name] = _facts(module.get_function(name))
        except (NameError, UnicodeEncodeError):
            missing.append(name)
    others = [f for f in module.functions if _is_reserved(f) and f.name not in known]
    return known | {f.name: _facts(f) for f in others}, missing


def _is_reserved(function: Any) -> bool:
    """Whether a function's name is among those that LLVM reserves. llvmlite has no names that are no UTF-8:
    no intrinsic has one."""
    try:
        return str(function.name).startswith("llvm.")
    except UnicodeDecodeError:
        return False


def _facts(function: Any) -> dict[str, Any]:
    attributes = [group.decode("utf-8", "replace") for group in function.attributes]
    return {"attributes": attributes, "type": str(function.global_value_type)}


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
