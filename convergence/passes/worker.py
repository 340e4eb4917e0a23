"""A process in which LLVM's passes run, so that one that aborts or hangs ends only this process.

Run as a script; its arguments are flags of LLVM. It writes one byte when LLVM has taken them. What passes
print is on standard error.

A request is JSON with ``text``, ``triple`` (which replaces the module's own, or null) and ``pipelines``, each
of which gets the text as it is: lists of steps, each a level of a default pipeline or the name of a method of
llvmlite's module pass manager. An answer has a part for each pipeline, with ``text`` and ``notes``; or
``error``, LLVM's message that it cannot read the text. With ``asks`` a last part has what LLVM says of the
texts where it reads them: ``source``, unless it has debug info, and ``targets``, for each output or null.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from convergence.workers.serving import (
    Answer,
    binding,
    description,
    has_debug_info,
    parsed,
    printed,
    serve,
    target_machine,
)

STACK = 1 << 28  # bytes; LLVM's analyses recurse along the program


def target(llvm: Any, module: Any, triple: str | None) -> tuple[Any, list[str]]:
    """The target machine of the module's triple, as ``opt`` takes it: none without a triple, and the target's
    data layout where the module has none."""
    if triple is not None:
        module.triple = triple
    name = module.triple
    if not name:
        return None, ["no target triple: the passes ran without a target"]
    machine = target_machine(llvm, name)
    if machine is None:
        return None, [f"llvmlite has no target for {name}: the passes ran without one"]
    if not module.data_layout:
        module.data_layout = str(machine.target_data)
    return machine, [f"target {name}"]


def answer(llvm: Any, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What LLVM makes of one module, by each pipeline. What is asked besides comes last: whatever happens
    then, the outputs are there."""
    data = request["text"].encode("utf-8", "surrogateescape")
    texts: list[bytes] = []
    for pipeline in request["pipelines"]:
        try:
            module = parsed(llvm, llvm.create_context(), data)
        except RuntimeError as error:
            yield {"error": str(error)}
            return
        notes = optimise(llvm, module, pipeline, request["triple"])
        texts.append(printed(llvm, module))
        module.close()
        yield {"text": texts[-1].decode("utf-8", "surrogateescape"), "notes": notes}
    if request["asks"]:
        # where there is debug info, it may be lost when that is asked
        source = None if has_debug_info(data) else described(llvm, data)
        yield {"source": source, "targets": [described(llvm, text) for text in texts]}


def optimise(llvm: Any, module: Any, pipeline: Sequence[Any], triple: str | None) -> list[str]:
    """Run one pipeline on a module; gives on what terms."""
    machine, notes = target(llvm, module, triple)
    steps = list(pipeline)
    while steps:
        level = steps.pop(0) if isinstance(steps[0], int) else None
        builder, manager = manager_of(llvm, machine, level)
        while level is None and steps and isinstance(steps[0], str):
            getattr(manager, steps.pop(0))()
        manager.run(module, builder)
        manager.close()
        builder.close()
    return notes


def described(llvm: Any, text: bytes) -> dict[str, Any] | None:
    """What LLVM says of a text that it reads."""
    try:
        module = parsed(llvm, llvm.create_context(), text)
    except RuntimeError:
        return None
    about = description(llvm, module, text)
    module.close()
    return about


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
