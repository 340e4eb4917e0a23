"""Whole C programs, as clang 22 compiles them: the same result as native code.

``programs/*.c`` are ours; the ``.ll`` beside each is what clang makes of it for x86-64, without metadata,
with ``-fwrapv -fno-math-errno -ffp-contract=off`` (records: -O0, vectors: -O3, mixed: -O2). ``run(seed)``
mixes what it computes into 64 bits. ``mixed`` calls a runtime library (long double, half, division of
__int128) that the compiler below does not have: its numbers come from the linked native program.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest
from llvmlite import binding as llvm

import convergence as cc
from convergence.ir.module import Module

PROGRAMS = Path(__file__).parent / "programs"
NATIVE = {"mixed": (3094921566720131207, 1847439174641807756, 5349163517453271206, 17715091308033436615)}
SEEDS = range(4)


def interpreted(module: Module, seed: int) -> object:
    """What ``run(seed)`` returns, as an unsigned number."""
    (parameter,) = module.functions["run"].parameters
    outcome = cc.run(module, function="run", arguments={parameter.name: [seed]}, threads=1).outcome
    assert not outcome.threads[0].events
    value = outcome.threads[0].value
    return value % (1 << 64) if isinstance(value, int) else value


def compiled(text: str) -> llvm.ExecutionEngine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    return engine


@pytest.mark.parametrize("name", ["records", "vectors"])
def test_the_interpreter_computes_what_the_code_generator_does(name: str) -> None:
    text = (PROGRAMS / f"{name}.ll").read_text()
    module, engine = cc.parse(text), compiled(text)
    run = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_int32)(engine.get_function_address("run"))
    for seed in SEEDS:
        assert interpreted(module, seed) == run(seed)


@pytest.mark.parametrize("name", NATIVE)
def test_the_interpreter_computes_what_the_native_program_prints(name: str) -> None:
    module = cc.parse((PROGRAMS / f"{name}.ll").read_text())
    assert tuple(interpreted(module, seed) for seed in SEEDS) == NATIVE[name]


def test_every_program_is_run() -> None:
    assert {p.stem for p in PROGRAMS.glob("*.ll")} == {"records", "vectors", *NATIVE}
