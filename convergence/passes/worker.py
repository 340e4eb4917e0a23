"""A process in which LLVM's passes run, so that one that aborts or hangs ends only this process.

Run as a script; its arguments are flags of LLVM. It writes one byte when LLVM has taken them. What passes
print is on standard error.

A request is JSON with ``text``, ``triple`` (which replaces the module's own, or null) and ``steps``: each a
level of a default pipeline or the name of a method of llvmlite's module pass manager; with ``asks`` what LLVM
says of both texts is told as well. An answer has ``text`` and ``notes``, or ``error``, LLVM's message that it
cannot read the text; and ``answers``, by ``source`` and ``target``, where it was asked and LLVM reads them.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import Any

from convergence.workers.serving import Answer, binding, description, has_debug_info, parsed, printed, serve

STACK = 1 << 28  # bytes; LLVM's analyses recurse along the program


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
    about: dict[str, Any] = {}
    if request["asks"] and not has_debug_info(data):  # which the module may lose when that is asked
        about["source"] = description(llvm, module, data)
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
    output = printed(llvm, module)
    module.close()
    if request["asks"]:
        with suppress(RuntimeError):
            module = parsed(llvm, llvm.create_context(), output)
            about["target"] = description(llvm, module, output)
            module.close()
    return {"text": output.decode("utf-8", "surrogateescape"), "notes": notes, "answers": about}


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


def main() -> None:
    def prepare() -> Answer:
        llvm = binding(sys.argv[1:])
        return lambda request: answer(llvm, json.loads(request))

    serve(prepare, STACK, says=b"+")


if __name__ == "__main__":
    main()
