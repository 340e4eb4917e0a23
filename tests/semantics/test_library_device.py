"""OCML's and libdevice's functions by name, each against Python's own numbers.

covers: semantics.arithmetic.ieee754, semantics.instructions.library.c_library
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from convergence.semantics import NotModelled
from convergence.semantics.instructions.library.table import library_access, library_function
from tests.semantics.library_calls import POISON, call, constant, rounded, same, signed, words
from tests.semantics.test_library_opencl_memory import lines

I, L, F, D = "i32", "i64", "float", "double"  # noqa: E741 -- the types


@pytest.mark.parametrize(
    ("name", "type_", "given", "expected"),
    [
        ("__ocml_sin_f32", F, (1.0,), math.sin(1)), ("__ocml_native_exp_f32", F, (2.0,), math.exp(2)),
        ("__ocml_exp10_f64", D, (3.0,), 1000.0), ("__ocml_fma_f64", D, (2.0, 3.0, 4.0), 10.0),
        ("__ocml_hypot_f32", F, (3.0, 4.0), 5.0), ("__ocml_len3_f64", D, (2.0, 3.0, 6.0), 7.0),
        ("__ocml_rlen4_f64", D, (1.0, 1.0, 1.0, 1.0), 0.5), ("__ocml_rcbrt_f64", D, (8.0,), 0.5),
        ("__ocml_fmax_f16", "half", (1.5, -2.0), 1.5), ("__ocml_ncdf_f64", D, (0.0,), 0.5),
        ("__ocml_ncdfinv_f64", D, (0.5,), 0.0), ("__ocml_erfinv_f64", D, (math.erf(0.25),), 0.25),
        ("__ocml_erfinv_f64", D, (1.0,), math.inf), ("__ocml_rsqrt_f32", F, (4.0,), 0.5),
        ("__ocml_remainder_f32", F, (5.0, 3.0), -1.0), ("__ocml_nextafter_f64", D, (1.0, 2.0), 1 + 2.0**-52),
        ("__nv_sinf", F, (1.0,), math.sin(1)), ("__nv_sin", D, (1.0,), math.sin(1)),
        ("__nv_fast_powf", F, (2.0, 0.5), math.sqrt(2)), ("__nv_fast_fdividef", F, (3.0, 2.0), 1.5),
        ("__nv_erff", F, (0.5,), math.erf(0.5)), ("__nv_erf", D, (0.5,), math.erf(0.5)),
        ("__nv_fmodf", F, (7.5, 2.0), 1.5), ("__nv_fmaf", F, (2.0, 3.0, 4.0), 10.0),
        ("__nv_norm3d", D, (2.0, 3.0, 6.0), 7.0), ("__nv_rnorm3df", F, (2.0, 3.0, 6.0), 1 / 7),
        ("__nv_saturatef", F, (-3.0,), 0.0), ("__nv_log1pf", F, (1.0,), math.log(2)),
        ("__nv_normcdfinvf", F, (0.0,), -math.inf), ("__nv_frsqrt_rn", F, (4.0,), 0.5),
        ("__nv_roundf", F, (2.5,), 3.0), ("__nv_rintf", F, (2.5,), 2.0), ("__nv_cospi", D, (1.0,), -1.0),
    ],
)  # fmt: skip
def test_functions_of_numbers(name: str, type_: str, given: tuple[float, ...], expected: float) -> None:
    found = call(type_, name, *((type_, v) for v in given))
    if math.isfinite(expected) and expected:
        assert math.isclose(found, expected, rel_tol=2.0**-23 if type_ == F else 1e-14)
    else:
        assert same(abs(found), abs(expected)) and (not expected or found == expected)


@pytest.mark.parametrize(("ocml", "nv"), [("rte", "rn"), ("rtz", "rz"), ("rtp", "ru"), ("rtn", "rd")])
def test_directions(ocml: str, nv: str) -> None:
    third = {
        "rte": 0x3FD5555555555555,
        "rtz": 0x3FD5555555555555,
        "rtp": 0x3FD5555555555556,
        "rtn": 0x3FD5555555555555,
    }
    one, three = ("double", 1.0), ("double", 3.0)
    quotient = call("double", f"__ocml_div_{ocml}_f64", one, three)
    assert call("double", f"__nv_ddiv_{nv}", one, three) == quotient
    assert call("i64", "__nv_double_as_longlong", ("double", quotient)) == third[ocml]
    up, down = 1 + 2.0**-23, 1.0
    expected = {"rte": down, "rtz": down, "rtp": up, "rtn": down}[ocml]
    tiny = 2.0**-40
    assert call(F, f"__nv_fadd_{nv}", (F, 1.0), (F, tiny)) == expected
    assert call(F, f"__nv_fmaf_{nv}", (F, 1.0), (F, tiny), (F, 1.0)) == expected
    assert call(F, f"__ocml_sqrt_{ocml}_f32", (F, up)) == {"rtp": up}.get(ocml, 1.0)
    assert call(F, f"__nv_frcp_{nv}", (F, -4.0)) == -0.25
    assert call(F, f"__nv_double2float_{nv}", ("double", 1 + tiny)) == expected
    assert call(F, f"__nv_int2float_{nv}", (I, 2**24 + 1)) == (2**24 + 2 if ocml == "rtp" else 2**24)
    whole = {"rte": 2, "rtz": 2, "rtp": 3, "rtn": 2}[ocml]
    assert call(I, f"__nv_float2int_{nv}", (F, 2.25)) == whole
    assert call(L, f"__nv_double2ull_{nv}", ("double", 2.25)) == whole


def test_numbers_that_are_none_as_integers() -> None:
    nan = math.nan
    assert call(I, "__nv_float2int_rn", (F, nan)) == 0
    assert call(I, "__nv_double2int_rz", (D, nan)) == 2**31
    assert call(L, "__nv_float2ll_rz", (F, nan)) == 2**63
    assert call(I, "__nv_float2uint_rz", (F, -5.0)) == 0
    assert call(L, "__nv_llrintf", (F, 2.5)) == 2
    assert call(L, "__nv_llround", (D, -2.5)) == 2**64 - 3


def _ones(x: int) -> int:
    return x.bit_count()


INTEGERS: dict[str, tuple[int, Callable[..., int]]] = {
    "abs": (1, lambda a: abs(signed(a, 32))), "popc": (1, _ones), "clz": (1, lambda a: 32 - a.bit_length()),
    "ffs": (1, lambda a: (a & -a).bit_length()), "brev": (1, lambda a: int(f"{a:032b}"[::-1], 2)),
    "max": (2, lambda a, b: max(signed(a, 32), signed(b, 32))), "umin": (2, min),
    "mulhi": (2, lambda a, b: signed(a, 32) * signed(b, 32) >> 32), "umulhi": (2, lambda a, b: a * b >> 32),
    "hadd": (2, lambda a, b: signed(a, 32) + signed(b, 32) >> 1), "urhadd": (2, lambda a, b: a + b + 1 >> 1),
    "usad": (3, lambda a, b, c: abs(a - b) + c), "umul24": (2, lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
}  # fmt: skip


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name: str) -> None:
    count, oracle = INTEGERS[name]
    for values in zip(*(words(32, name + str(k), 6) for k in range(count)), strict=True):
        assert call(I, f"__nv_{name}", *((I, v) for v in values)) == oracle(*values) % 2**32
    assert call(I, f"__nv_{name}", (I, POISON), *[(I, 1)] * (count - 1)) == POISON


def test_wide_integers() -> None:
    x = 0x8000_0000_0000_0010
    assert call(I, "__nv_popcll", (L, x)) == 2 and call(I, "__nv_clzll", (L, x >> 1)) == 1
    assert call(I, "__nv_ffsll", (L, x)) == 5 and call(L, "__nv_umul64hi", (L, x), (L, 4)) == 2
    assert call(L, "__nv_brevll", (L, 1)) == 2**63
    assert call(L, "__nv_llmin", (L, x), (L, 5)) == x and call(L, "__nv_ullmin", (L, x), (L, 5)) == 5


def test_bits_of_numbers() -> None:
    assert call(I, "__nv_float_as_int", (F, 1.0)) == 0x3F800000
    assert call(F, "__nv_uint_as_float", (I, 0x40000000)) == 2
    assert call(I, "__nv_double2hiint", (D, 1.5)) == 0x3FF80000
    assert call(D, "__nv_hiloint2double", (I, 0x3FF80000), (I, 0)) == 1.5
    assert (
        call("i16", "__nv_float2half_rn", (F, -2.0)) == 0xC000
        and call(F, "__nv_half2float", ("i16", 0x3C00)) == 1
    )
    assert call(I, "__nv_byte_perm", (I, 0x33221100), (I, 0x77665544), (I, 0x7531)) == 0x77553311


def test_questions() -> None:
    for name, type_, x, answer in (
        ("__nv_isnanf", F, math.nan, 1), ("__nv_isinfd", D, -math.inf, 1), ("__nv_finitef", F, 1.0, 1),
        ("__nv_signbitd", D, -0.0, 1), ("__nv_isfinited", D, math.inf, 0),
        ("__ocml_isnan_f16", "half", 1.0, 0), ("__ocml_ilogb_f32", F, 10.0, 3),
        ("__nv_ilogb", D, 0.25, 2**32 - 2),
    ):  # fmt: skip
        assert call(I, name, (type_, x)) == answer, name


def test_numbers_with_integers() -> None:
    assert (
        call(F, "__nv_powif", (F, 2.0), (I, -2)) == 0.25 and call(D, "__ocml_pown_f64", (D, 3.0), (I, 2)) == 9
    )
    assert (
        call(F, "__nv_scalbnf", (F, 0.75), (I, 4)) == 12
        and call(D, "__ocml_ldexp_f64", (D, 0.5), (I, 1)) == 1
    )
    two = "<2 x half>"
    assert call(two, "__ocml_sqrt_2f16", (two, [4.0, POISON])) == [2, POISON]


def behind(call_: str, result: str, written: list[str]) -> list[Any]:
    """The result of a call (if it has one), then what it wrote behind ``%p0``, ``%p1``."""
    header = "".join(f"%p{k} = alloca {t}\n" for k, t in enumerate(written))
    found = []
    if result != "void":
        found.append(lines(f"{header}%r = call {result} {call_}", result))
    for k, t in enumerate(written):
        bound = "" if result == "void" else "%o = "
        found.append(lines(f"{header}{bound}call {result} {call_}\n%r = load {t}, ptr %p{k}", t))
    return found


def test_results_behind_pointers() -> None:
    x = constant(D, -1.25)
    assert behind(f"@__nv_modf({x}, ptr %p0)", D, [D]) == [-0.25, -1]
    assert behind(f"@__ocml_modf_f64({x}, ptr %p0)", D, [D]) == [-0.25, -1]
    assert behind(f"@__nv_frexp({x}, ptr %p0)", D, [I]) == [-0.625, 1]
    assert behind(f"@__nv_sincos({x}, ptr %p0, ptr %p1)", "void", [D, D]) == [
        math.sin(-1.25),
        math.cos(-1.25),
    ]
    assert behind(f"@__ocml_sincos_f64({x}, ptr %p0)", D, [D]) == [math.sin(-1.25), math.cos(-1.25)]
    half = rounded(F, 0.5)
    assert behind(f"@__nv_sincospif({constant(F, half)}, ptr %p0, ptr %p1)", "void", [F, F]) == [1, 0]
    assert behind(f"@__nv_remquof({constant(F, 7.0)}, {constant(F, 2.0)}, ptr %p0)", F, [I]) == [-1, 4]
    assert behind(f"@__ocml_fract_f32({constant(F, -0.25)}, ptr %p0)", F, [F]) == [0.75, -1]


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("__nv_sinf", 2), ("__nv_sinf", 0), ("__ocml_pow_f32", 1), ("__ocml_len3_f32", 2),
        ("__nv_fadd_rz", 1), ("__nv_fmaf", 2),
    ],
)  # fmt: skip
def test_a_declaration_may_take_another_number_of_operands(name: str, count: int) -> None:
    with pytest.raises(NotModelled, match="a library function with"):
        call(F, name, *[(F, 1.0)] * count)


@pytest.mark.parametrize("call_", [
    "double @__nv_frexp(double 1.0, ptr %p, ptr %p)", "void @__nv_sincos(double 1.0, ptr %p)",
    "double @__nv_modf(double 1.0, double 1.0, ptr %p)", "float @__nv_modf(double 1.0, ptr %p)",
])  # fmt: skip
def test_a_declaration_may_have_other_results(call_: str) -> None:
    with pytest.raises(NotModelled):
        lines(f"%p = alloca double\n{'' if call_.startswith('void') else '%o = '}call {call_}")


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("j0", 1.0, 0.7651976865579666), ("j0", 10.0, -0.24593576445134832),
        ("j0", 50.0, 0.05581232766925181), ("j1", 1.0, 0.44005058574493355),
        ("j1", -50.0, 0.09751182812517514), ("y0", 1.0, 0.08825696421567697),
        ("y0", 10.0, 0.05567116728359939), ("y0", 50.0, -0.09806499547007709),
        ("y1", 1.0, -0.7812128213002887), ("y1", 50.0, -0.05679566856201478),
        ("i0", 1.0, 1.2660658777520082), ("i1", -1.0, -0.5651591039924851),
        ("erfcx", 1.0, 0.427583576155807), ("erfcx", 10.0, 0.05614099274382259),
        ("erfcinv", 0.5, 0.4769362762044699),
    ],
)  # fmt: skip
def test_functions_in_tables(name: str, x: float, expected: float) -> None:
    """Values of the handbooks."""
    assert math.isclose(call(D, f"__ocml_{name}_f64", (D, x)), expected, rel_tol=1e-13)


@pytest.mark.parametrize("x", [0.01, 0.7, 3.0, 8.5, 24.9, 25.1, 60.0, 900.0])
def test_bessel_functions_keep_their_laws(x: float) -> None:
    """Wronski's determinant, and the recurrence of three orders."""
    j0, j1, y0, y1 = (call(D, f"__nv_{n}", (D, x)) for n in ("j0", "j1", "y0", "y1"))
    assert math.isclose(j1 * y0 - j0 * y1, 2 / (math.pi * x), rel_tol=1e-11)
    j2, y2 = (call(D, f"__nv_{n}n", (I, 2), (D, x)) for n in "jy")
    assert math.isclose(j0 + j2, 2 / x * j1, rel_tol=1e-8, abs_tol=1e-13)
    assert math.isclose(y0 + y2, 2 / x * y1, rel_tol=1e-8, abs_tol=1e-13)


def test_bessel_functions_at_their_ends() -> None:
    assert call(D, "__nv_y0", (D, 0.0)) == -math.inf and math.isnan(call(D, "__nv_y1", (D, -1.0)))
    assert call(D, "__nv_j1", (D, math.inf)) == 0 and call(D, "__nv_cyl_bessel_i0", (D, 800.0)) == math.inf
    assert call(D, "__nv_erfcinv", (D, 2.0)) == -math.inf and call(F, "__nv_jnf", (I, -1), (F, 0.0)) == 0


def test_what_has_no_model() -> None:
    for name in (
        "__ocml_scalb_f32",
        "__nv_rcp64h",
        "__nv_norm",
        "__nv_vadd4",
        "__nv_foo",
    ):
        assert library_function(name) is None and library_access(name) is None, name


def test_dot_products_of_ockl() -> None:
    two, halves = "<2 x half>", ([1.5, -2.0], [4.0, 3.0])
    found = call("float", "__ockl_fdot2", (two, halves[0]), (two, halves[1]), ("float", 10.0), ("i1", 0))
    assert found == 10
    bytes_ = "<4 x i8>"
    found = call(I, "__ockl_sdot4", (bytes_, [-1, 2, 3, 4]), (bytes_, [5, 6, 7, 8]), (I, 1), ("i1", 0))
    assert found == -5 + 12 + 21 + 32 + 1
    found = call(I, "__ockl_udot2", ("<2 x i16>", [65535, 2]), ("<2 x i16>", [65535, 2]), (I, -1), ("i1", 1))
    assert found == 2**32 - 1
