"""Mangled names of OpenCL C's functions, read."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from convergence.ir.mangled import demangled

NAMES = {
    "_Z3sinf": "sin(float)",
    "_Z5clampDv4_fS_S_": "clamp(float4, float4, float4)",
    "_Z3maxjj": "max(uint, uint)",
    "_Z3maxxy": "max(long, ulong)",
    "_Z12get_group_idj": "get_group_id(uint)",
    "_Z12get_work_dimv": "get_work_dim()",
    "_Z5fractDv2_DhPU3AS5S_": "fract(half2, half2*)",
    "_Z7vstore4Dv4_hmPU3AS1h": "vstore4(uchar4, ulong, uchar*)",
    "_Z20atomic_load_explicitPU3AS4VU7_Atomici12memory_order12memory_scope":
        "atomic_load_explicit(int*, memory_order, memory_scope)",
    "_Z39atomic_compare_exchange_strong_explicitPU3AS4VU7_AtomiciPU3AS4ii12memory_orderS4_12memory_scope":
        "atomic_compare_exchange_strong_explicit(int*, int*, int, memory_order, memory_order, memory_scope)",
    "_Z39atomic_compare_exchange_strong_explicitPVU7_AtomiciPii12memory_orderS4_12memory_scope":
        "atomic_compare_exchange_strong_explicit(int*, int*, int, memory_order, memory_order, memory_scope)",
    "_Z6remquoDv2_fS_PU9CLprivateDv2_i": "remquo(float2, float2, int2*)",
    "_Z17wait_group_eventsiPU3AS49ocl_event": "wait_group_events(int, ocl_event*)",
    "_Z17wait_group_eventsiPU4AS109ocl_event": "wait_group_events(int, ocl_event*)",
    "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i": "read_imagef(ocl_image2d_ro, ocl_sampler, int2)",
}  # fmt: skip


@pytest.mark.parametrize(("mangled", "plain"), NAMES.items())
def test_names(mangled: str, plain: str) -> None:
    assert str(demangled(mangled)) == plain


def test_types_are_data() -> None:
    name = demangled("_Z10atomic_addPU3AS1VKmDv3_a")
    assert name is not None
    pointer, vector = name.parameters
    assert (pointer.pointer, pointer.address_space, pointer.bits, pointer.signed) == (True, 1, 64, False)
    assert pointer.qualifiers == {"volatile", "const"} and not pointer.is_integer
    assert (vector.lanes, vector.bits, vector.signed, vector.is_integer) == (3, 8, True, True)


@pytest.mark.parametrize(
    "name", ["sin", "_Z", "_Z3si", "_Z3sin", "_ZN3foo3barEv", "_Z3sinS_", "_Z99too_shortf", "_Z3fooILi3EEvi"]
)
def test_what_is_not_of_this_kind_is_none(name: str) -> None:
    assert demangled(name) is None


def test_llvm_reads_the_same() -> None:
    tool = shutil.which("llvm-cxxfilt-22") or shutil.which("llvm-cxxfilt")
    if tool is None:
        pytest.skip("llvm-cxxfilt is not installed")
    names = [name for name in NAMES if "S4_12" not in name and "Dh" not in name]
    done = subprocess.run([tool, *names], capture_output=True, text=True, check=True)
    for name, plain in zip(names, done.stdout.splitlines(), strict=True):
        mine = demangled(name)
        assert mine is not None and plain.split("(")[0] == mine.name
        inside = plain.partition("(")[2].removesuffix(")")
        assert len(inside.split(", ") if inside else []) == len(mine.parameters)
