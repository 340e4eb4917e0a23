"""A process in which LLVM runs, so that an input on which LLVM ends itself ends only this process.

Run as a script. (Where no process can be started, ``llvm.py`` calls ``answer`` itself.) A request is one
byte, ``a`` for assembly or ``b`` for bitcode, and the input; an answer is

``error``       LLVM's message if it takes the input for no LLVM IR, and then nothing else
``text``        for bitcode, what LLVM prints for it
``intrinsics``  for each ``llvm.*`` name that the text mentions and LLVM's module has: its attributes
                in LLVM's own table, and its type
``upgraded``    for each that LLVM's module has not: what LLVM upgraded it to, or null
``verdict``     what LLVM's verifier says, whole, or null if it accepts the module
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any

from convergence.workers.serving import Answer, binding, parsed, printed, serve

STACK = 1 << 29  # bytes; LLVM's reader and verifier recurse along chains of types, constants, metadata
_INTRINSIC = re.compile(rb'@(llvm\.[-a-zA-Z$._0-9]+|"llvm\.[^"\\\n]+")')


def answer(llvm: Any, request: bytes) -> dict[str, Any]:
    """What LLVM says of one input."""
    kind, data = request[:1], request[1:]
    context = llvm.create_context()
    try:
        module = llvm.parse_bitcode(data, context) if kind == b"b" else parsed(llvm, context, data)
    except RuntimeError as error:
        return {"error": str(error)}
    made: dict[str, Any] = {}
    if kind == b"b":
        data = printed(llvm, module)
        made["text"] = data.decode("utf-8", "surrogateescape")
    mentioned = {name.strip(b'"').decode("utf-8", "surrogateescape") for name in _INTRINSIC.findall(data)}
    made["intrinsics"], made["upgraded"] = _intrinsics(module, mentioned)
    made["verdict"] = _verdict(llvm, module)
    return made


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


def main() -> None:
    def prepare() -> Answer:
        llvm = binding()
        return lambda request: answer(llvm, request)

    serve(prepare, STACK)


if __name__ == "__main__":
    main()
