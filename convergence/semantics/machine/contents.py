"""What the globals of a program hold, as plain data."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir.module import Module
from ..errors import NotModelled
from ..memory.allocations import Memory
from ..memory.bytes import typed
from ..values.display import Json, plain
from ..values.value import Value
from .program import Program, Settings


def initial_contents(module: Module) -> Mapping[str, Json]:
    """The contents at the launch of every global that is no constant, as :attr:`Outcome.memory` has them."""
    program = Program(module, Settings())
    return shared_contents(program, program.memory)


def shared_contents(program: Program, memory: Memory) -> dict[str, Json]:
    """The contents of every global that is no constant, as far as they have a model."""
    found: dict[str, Json] = {}
    for name, variable in program.module.globals.items():
        if (
            variable.constant
            or name.startswith("llvm.")
            or any(w.startswith("thread_local") for w in variable.words)
        ):
            continue
        try:
            pointer = program.address_of(name)
            assert isinstance(pointer, Value) and pointer.provenance is not None
            allocation = memory.allocations[pointer.provenance.id]
            form = typed(variable.type, program.layout, program.domain)
            found[f"@{name}"] = plain(form.read(allocation.contents(), 0), variable.type, program.layout)
        except NotModelled as problem:
            found[f"@{name}"] = f"not modelled: {problem.what}"
    return found
