"""Declarations that have the name of a library function, and other types: no verifier refuses them.

covers: semantics.instructions.intrinsics, semantics.instructions.library, semantics.operations
"""

from __future__ import annotations

import random

import pytest

import convergence as cc
from convergence.parser import NotLLVM
from convergence.parser.llvm import llvm_verdict
from convergence.semantics import UsageError
from convergence.semantics.instructions.library.amdgcn import AMDGCN
from convergence.semantics.instructions.library.shader import SHADER

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
CODES = ("i", "j", "f", "d", "h", "s", "l", "Dv2_f", "Dv4_i", "Dv3_Dh", "PU3AS1f", "PU3AS3i", "Dh", "c")


def names(dice: random.Random) -> list[str]:
    """Of each family some."""
    mangled = [
        f"_Z{len(name)}{name}{''.join(dice.choices(CODES, k=dice.randrange(4))) or 'v'}" for name in OPENCL
    ]
    shader, amdgcn = (dice.sample(sorted(table), 25) for table in (SHADER, AMDGCN))
    return [*mangled, *DEVICE, *shader, *amdgcn]


@pytest.mark.parametrize("seed", range(12))
def test_what_does_not_fit_a_model_is_named(seed: int) -> None:
    """Neither an internal error, nor an answer of a run that could not go on."""
    dice = random.Random(seed)
    ran = 0
    for name in names(dice):
        parameters = dice.choices(list(TYPES), k=dice.randrange(5))
        result = dice.choice([*TYPES, "void"])
        operands = ", ".join(f"{type_} {TYPES[type_]}" for type_ in parameters)
        text = (
            "@g = global [16 x i32] zeroinitializer\n@s = addrspace(3) global [16 x i32] zeroinitializer\n"
            f'declare {result} @"{name}"({", ".join(parameters)}) convergent\n'
            f"define {result} @main_() convergent {{\n"
            f'  {"" if result == "void" else "%r = "}call {result} @"{name}"({operands})\n'
            f"  ret {result}{'' if result == 'void' else ' %r'}\n}}\n"
        )
        try:
            module = cc.parse(text)
            if llvm_verdict(text):  # of LLVM's own intrinsics it knows the types
                continue
            run = cc.run(module, threads=2)
        except (NotLLVM, UsageError):
            continue
        ran += 1
        assert run.ending is not None and str(run)
    assert ran > 40
