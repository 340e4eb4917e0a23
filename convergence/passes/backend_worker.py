"""A process in which LLVM's backends run: a module's text in, an object file out.

Run as a script; its arguments are flags of LLVM. It writes one byte when LLVM has taken them. What LLVM
prints is on standard error.

A request is JSON with ``text``, ``triple`` (which replaces the module's own, or null) and ``level``, that of
``llc -O``. An answer has ``object`` (base64), or ``error``: LLVM's message, and ``refused`` where it is that
it cannot read the text; or ``ended``, how LLVM ended its process. Each module has a process of its own where
there is ``fork``: the SPIR-V backend keeps numbers of one module for the next, which then defines an
identifier twice (llvm/llvm-project, issue 160613).
"""

from __future__ import annotations

import base64
import json
import os
import sys
from typing import Any

from convergence.workers.serving import Answer, binding, parsed, serve

STACK = 1 << 28  # bytes; LLVM's analyses recurse along the program


def answer(llvm: Any, request: dict[str, Any]) -> dict[str, Any]:
    """What LLVM makes of one module. The target machine is new each time: SPIR-V's remembers what it met."""
    data = request["text"].encode("utf-8", "surrogateescape")
    try:
        module = parsed(llvm, llvm.create_context(), data)
    except RuntimeError as error:
        return {"error": str(error), "refused": True}
    if request["triple"] is not None:
        module.triple = request["triple"]
    try:
        target = llvm.Target.from_triple(module.triple)
    except RuntimeError as error:
        return {"error": str(error), "refused": True}
    machine = target.create_target_machine(opt=request["level"])
    module.data_layout = str(machine.target_data)
    object_code = machine.emit_object(module)
    module.close()
    machine.close()
    return {"object": base64.b64encode(object_code).decode("ascii")}


def apart(llvm: Any, request: bytes) -> dict[str, Any]:
    """:func:`answer` in a copy of this process, which ends with it."""
    if not hasattr(os, "fork"):
        return answer(llvm, json.loads(request))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(json.dumps(answer(llvm, json.loads(request))).encode("ascii"))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code != 0 or not data:
        return {"ended": code}
    reply: dict[str, Any] = json.loads(data)
    return reply


def main() -> None:
    def prepare() -> Answer:
        llvm = binding(sys.argv[1:])
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        return lambda request: apart(llvm, request)

    serve(prepare, STACK, says=b"+")


if __name__ == "__main__":
    main()
