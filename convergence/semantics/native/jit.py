"""From the text of LLVM functions to code in this process, by llvmlite."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any


@cache
def _llvm() -> Any:
    """The library, its targets made ready."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


def _machine() -> Any:
    llvm = _llvm()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2, jit=True
    )


def machine_code(text: str, symbol: str, symbols: Mapping[str, int]) -> tuple[int, object]:
    """The address of a function, and what has to live as long as it is called. ``symbols`` are the addresses
    of functions outside that it calls."""
    llvm = _llvm()
    for name, address in symbols.items():
        llvm.add_symbol(name, address)
    machine = _machine()
    module = llvm.parse_assembly(text)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine.get_function_address(symbol), engine
