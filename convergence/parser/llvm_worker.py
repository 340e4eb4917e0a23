"""A process in which LLVM runs, so that an input on which LLVM ends itself ends only this process.

Run as a script. (Where no process can be started, ``llvm.py`` calls ``answer`` itself.) A request is one
byte, ``a`` for assembly, ``b`` for bitcode or ``p`` for assembly to be printed, and the input; an answer is

``error``       LLVM's message if it takes the input for no LLVM IR, and then nothing else
``text``        for bitcode, and on ``p``, what LLVM prints for it; on ``p`` nothing else

and else what :func:`convergence.workers.serving.description` says.
"""

from __future__ import annotations

from typing import Any

from convergence.workers.serving import Answer, binding, description, parsed, printed, serve

STACK = 1 << 29  # bytes; LLVM's reader and verifier recurse along chains of types, constants, metadata


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
    return {**reply, **description(llvm, module, data)}


def main() -> None:
    def prepare() -> Answer:
        llvm = binding()
        return lambda request: answer(llvm, request)

    serve(prepare, STACK)


if __name__ == "__main__":
    main()
