"""A process in which LLVM runs, so that an input on which LLVM ends itself ends only this process.

Run as a script. (Where no process can be started, ``llvm.py`` calls ``answer`` itself.) A request is one
byte, ``a`` for assembly, ``b`` for bitcode or ``p`` for assembly to be printed, and the input; an answer is

``error``       LLVM's message if it takes the input for no LLVM IR, and then nothing else
``text``        for bitcode, and on ``p``, what LLVM prints for it; on ``p`` nothing else
``intrinsics``  for each ``llvm.*`` function of LLVM's module: its attributes in LLVM's table, and its type
``missing``     the ``llvm.*`` names that the text mentions, comments included, and LLVM's module has not
``verdict``     what LLVM's verifier says, whole, or null if it accepts the module, or would without its
                debug info
"""

from __future__ import annotations

import re
from typing import Any

from convergence.workers.serving import Answer, binding, parsed, printed, serve

STACK = 1 << 29  # bytes; LLVM's reader and verifier recurse along chains of types, constants, metadata
_INTRINSIC = re.compile(rb'@(llvm\.[-a-zA-Z$._0-9]+|"[^"\n]*")')
_DEBUG_INFO = re.compile(rb"!DI[A-Z]|!llvm\.dbg\.cu|!dbg ")
_ESCAPE = re.compile(rb"\\([0-9a-fA-F]{2}|\\)")


def answer(llvm: Any, request: bytes) -> dict[str, Any]:
    """What LLVM says of one input."""
    kind, data = request[:1], request[1:]
    context = llvm.create_context()
    try:
        module = llvm.parse_bitcode(data, context) if kind == b"b" else parsed(llvm, context, data)
    except RuntimeError as error:
        return {"error": str(error)}
    reply: dict[str, Any] = {}
    if kind == b"p":
        return {"text": printed(llvm, module).decode("utf-8", "surrogateescape")}
    if kind == b"b":
        data = printed(llvm, module)
        reply["text"] = data.decode("utf-8", "surrogateescape")
    reply["intrinsics"], reply["missing"] = _intrinsics(module, set(map(_name, _INTRINSIC.findall(data))))
    reply["verdict"] = _verdict(llvm, module)
    if reply["verdict"] is not None and _DEBUG_INFO.search(data):
        _drop_debug_info(llvm, module)
        reply["verdict"] = _verdict(llvm, module)
    return reply


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


def main() -> None:
    def prepare() -> Answer:
        llvm = binding()
        return lambda request: answer(llvm, request)

    serve(prepare, STACK)


if __name__ == "__main__":
    main()
