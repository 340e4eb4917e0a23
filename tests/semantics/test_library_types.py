"""Declarations that have the name of a library function, and other types: no verifier refuses them.

covers: semantics.instructions.intrinsics, semantics.instructions.library, semantics.operations
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

import convergence as cc
from convergence.parser import NotLLVM
from convergence.parser.llvm import llvm_verdict
from convergence.semantics import UsageError
from convergence.semantics.instructions.library.amdgcn import AMDGCN
from convergence.semantics.instructions.library.shader import SHADER
from convergence.semantics.machine.program import EngineKind

TYPES = {
    "i1": "true", "i8": "7", "i16": "-2", "i24": "5", "i32": "3", "i64": "9", "half": "0xH3C00",
    "float": "1.5",
    "double": "2.0", "<2 x float>": "<float 1.0, float 2.0>", "<4 x i32>": "<i32 1, i32 2, i32 3, i32 4>",
    "<3 x half>": "<half 0xH3C00, half 0xH3C00, half 0xH3C00>", "ptr": "@g", "ptr addrspace(3)": "@s",
    "{ i32, float }": "{ i32 1, float 2.0 }", "[2 x i32]": "[i32 1, i32 2]",
}  # fmt: skip
OPENCL = """
    abs max min clamp mad fma any all select bitselect shuffle shuffle2 dot cross length normalize fract
    modf frexp ldexp rootn pown sincos remquo nan isnan isequal signbit upsample rotate mul24 mad_sat
    popcount hadd convert_int convert_uchar_sat as_int smoothstep step mix sign radians vload4 vstore3
    vload_half vstore_half vloada_half2 atomic_add atomic_cmpxchg atom_inc atomic_load_explicit
    sub_group_reduce_add sub_group_broadcast sub_group_shuffle intel_sub_group_shuffle_up
    sub_group_ballot work_group_broadcast work_group_reduce_max get_global_id barrier mem_fence
    amd_bitalign arm_dot printf
""".split()
DEVICE = """
    __ocml_rootn_f32 __ocml_sincos_f64 __ocml_fma_rte_f32 __ocml_ldexp_f16 __ocml_pown_f32
    __ocml_len3_f32 __ocml_cvtrtp_f32_f64 __ocml_isnan_f32 __ockl_sdot2 __ockl_fdot2 __ockl_get_local_id
    __ockl_activelane_u32 __nv_jnf __nv_norm3df __nv_frexp __nv_sincosf __nv_popc __nv_byte_perm
    __nv_fmaf __nv_abs __nvvm_reflect __printf_alloc malloc free strlen memcmp fmaf frexp scalbn lround
    subgroupShuffle subgroupAdd subgroupBallot subgroupBroadcast quadBroadcast
    _Z32__spirv_GroupNonUniformShuffleXor _Z20__spirv_GroupIAdd __hlsl_wave_get_lane_index
""".split()
MATCHING = {
    "i": ("i32", "3"), "j": ("i32", "9"), "f": ("float", "1.5"), "d": ("double", "2.0"), "h": ("i8", "7"),
    "s": ("i16", "-2"), "l": ("i64", "9"), "Dv2_f": ("<2 x float>", "<float 1.0, float 2.0>"),
    "Dv4_i": ("<4 x i32>", "<i32 1, i32 2, i32 3, i32 4>"), "PU3AS1f": ("ptr addrspace(1)", "null"),
    "PU3AS3i": ("ptr addrspace(3)", "@s"), "Dh": ("half", "0xH3C00"), "c": ("i8", "1"), "Pi": ("ptr", "@g"),
}  # fmt: skip
"""The types that mangled names say, and values of them."""
CODES = ("i", "j", "f", "d", "h", "s", "l", "Dv2_f", "Dv4_i", "Dv3_Dh", "PU3AS1f", "PU3AS3i", "Dh", "c")


def names(dice: random.Random) -> list[str]:
    """Of each family some."""
    mangled = [
        f"_Z{len(name)}{name}{''.join(dice.choices(CODES, k=dice.randrange(4))) or 'v'}" for name in OPENCL
    ]
    shader, amdgcn = (dice.sample(sorted(table), 25) for table in (SHADER, AMDGCN))
    return [*mangled, *DEVICE, *shader, *amdgcn]


def program(name: str, operands: Sequence[tuple[str, str]], result: str) -> str:
    """A kernel that calls a declared function, once."""
    types = ", ".join(type_ for type_, _ in operands)
    given = ", ".join(f"{type_} {value}" for type_, value in operands)
    return (
        "@g = global [16 x i32] zeroinitializer\n@s = addrspace(3) global [16 x i32] zeroinitializer\n"
        f'declare {result} @"{name}"({types}) convergent\ndefine {result} @main_() convergent {{\n'
        f'  {"" if result == "void" else "%r = "}call {result} @"{name}"({given})\n'
        f"  ret {result}{'' if result == 'void' else ' %r'}\n}}\n"
    )


def ran(text: str) -> list[str]:
    """What each engine says of a program; nothing where there is none to run."""
    try:
        module = cc.parse(text)
        if llvm_verdict(text):  # of LLVM's own intrinsics it knows the types
            return []
        runs = [cc.run(module, threads=2, engine=engine) for engine in ENGINES]
    except (NotLLVM, UsageError):
        return []
    return [f"{type(run.ending).__name__} {run.outcome}" for run in runs if str(run)]


ENGINES: tuple[EngineKind, ...] = ("reference", "native")


@pytest.mark.parametrize("seed", range(6))
def test_what_does_not_fit_a_model_is_named(seed: int) -> None:
    """It is no internal error, and both engines say the same."""
    dice = random.Random(seed)
    answers = []
    for name in names(dice):
        operands = [(type_, TYPES[type_]) for type_ in dice.choices(list(TYPES), k=dice.randrange(5))]
        answers.append(ran(program(name, operands, dice.choice([*TYPES, "void"]))))
    assert sum(map(bool, answers)) > 40
    assert all(len(set(answer)) <= 1 for answer in answers)


@pytest.mark.parametrize("seed", range(6))
def test_functions_of_other_numbers_of_operands_are_named(seed: int) -> None:
    """Of C++, whose names look like OpenCL C's, and do not say what a function gives."""
    dice = random.Random(seed)
    answers = []
    for name in OPENCL:
        codes = dice.choices(list(MATCHING), k=dice.randrange(1, 5))
        operands = [MATCHING[code] for code in codes]
        result = dice.choice([operands[0][0], operands[0][0], "i32", "void", dice.choice(list(TYPES))])
        answers.append(ran(program(f"_Z{len(name)}{name}{''.join(codes)}", operands, result)))
    assert sum(map(bool, answers)) > 40
    assert all(len(set(answer)) <= 1 for answer in answers)


@pytest.mark.parametrize(
    ("name", "operands", "result"),
    [
        ("_Z3maxii", [("i32", "3"), ("i32", "5")], "float"),
        ("_Z3absi", [("i32", "-300")], "i8"),
        ("_Z6mul_hiii", [("i32", "3"), ("i32", "5")], "i64"),
        ("__nv_clz", [("i32", "3")], "i8"),
        ("__nv_popc", [("i32", "3")], "i64"),
        ("strlen", [("ptr", "@g")], "i8"),
        ("_Z8as_floatj", [("i32", "3")], "i1"),
        ("_Z5isnanDv2_f", [("<2 x float>", "<float 1.0, float 2.0>")], "i32"),
    ],
)
def test_results_of_other_types_are_named(name: str, operands: list[tuple[str, str]], result: str) -> None:
    answers = ran(program(name, operands, result))
    assert len(answers) == len(ENGINES)
    assert all(answer.startswith("Unmodelled") for answer in answers), answers
