"""Operations that lanes do together, or that depend on where a thread stands: natively as by the reference.

covers: semantics.native.meetings, semantics.operations
"""

from __future__ import annotations

import random

import pytest

import convergence as cc
from convergence.ir import IntType, Type, VectorType
from tests.semantics.test_operations_on_terms import FEW, KNOWN, calls

THREADS = 6
TRIPLES = {
    "llvm.amdgcn": "amdgcn-amd-amdhsa",
    "llvm.nvvm": "nvptx64-nvidia-cuda",
    "llvm.dx": "dxil-pc-shadermodel6.3-compute",
    "llvm.spv": "spirv-unknown-vulkan1.3-compute",
}


def program(name: str, result: Type, parameters: tuple[Type, ...], rng: random.Random) -> str:
    """A function that passes its arguments on to one call, and constants where the operation wants such."""
    constants = {
        at: FEW.get(name, rng.randrange(2)) if at == 2 else rng.randrange(2)
        for at in range(len(parameters))
        if (name, at) in KNOWN
    }
    if "sync" in name:
        constants = {min(constants): (1 << THREADS) - 1}
    words = [f"{t} {constants[at]}" if at in constants else f"{t} %x{at}" for at, t in enumerate(parameters)]
    marks = [
        f"{t} immarg" if at in constants and "amdgcn" in name else str(t) for at, t in enumerate(parameters)
    ]
    takes = ", ".join(f"{t} %x{at}" for at, t in enumerate(parameters))
    triple = TRIPLES.get(".".join(name.split(".")[:2]), "")
    return (
        f'target triple = "{triple}"\n'
        f"define {result} @f({takes}) convergent {{\n"
        f"  %r = call {result} @{name}({', '.join(words)})\n  ret {result} %r\n}}\n"
        f"declare {result} @{name}({', '.join(marks)}) convergent\n"
    )


def argument(type_: Type, rng: random.Random) -> int | list[int]:
    if isinstance(type_, VectorType):
        return [rng.randrange(2) for _ in range(type_.count)]
    assert isinstance(type_, IntType)
    return rng.choice((rng.randrange(8), rng.randrange(1 << type_.bits))) % (1 << type_.bits)


@pytest.mark.parametrize(
    ("name", "result", "parameters"), calls(), ids=lambda p: p if isinstance(p, str) else ""
)
def test_both_engines_agree(name: str, result: Type, parameters: tuple[Type, ...]) -> None:
    rng = random.Random(name)
    module = cc.parse(program(name, result, parameters, rng))
    for _ in range(3):
        given = {f"x{at}": [argument(t, rng) for _ in range(THREADS)] for at, t in enumerate(parameters)}
        reference, native = (
            cc.run(module, threads=THREADS, arguments=given, engine=engine)
            for engine in ("reference", "native")
        )
        assert (native.outcome, native.groups) == (reference.outcome, reference.groups)
        machines = [
            cc.simulate(module, policy=["heart", "ipdom"], threads=THREADS, arguments=given, engine=engine)
            for engine in ("reference", "native")
        ]
        for by_reference, natively in zip(*machines, strict=True):
            assert natively.outcome == by_reference.outcome and natively.departure == by_reference.departure
