"""Instructions on constants: the same results as LLVM's constant folder, for every format and width.

What the code generator cannot be asked portably (half, bfloat, fp128, x86_fp80, i1000), the folder
computes with LLVM's own arbitrary-precision arithmetic. Where it folds to poison we must say poison or
undefined; where we say poison it may have chosen any value, so that says nothing (brute force does).
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from llvmlite import binding as llvm

from convergence.ir import ConstantExpression, FloatType, Local, Type, VectorType
from convergence.ir.instructions import Ret
from convergence.parser import parse
from convergence.parser.names import spelled_float
from convergence.semantics import NotModelled, Undefined
from convergence.semantics.arithmetic.ieee754 import FORMATS, is_nan
from convergence.semantics.instructions.expressions import constant
from convergence.semantics.values import Composite, RuntimeValue, scalars
from tests.semantics.straight import Runner

INTS = ("i1", "i5", "i8", "i13", "i32", "i64", "i65", "i128", "i1000")
FLOATS = ("half", "bfloat", "float", "double", "fp128", "x86_fp80")
SUFFIX = {
    "half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64", "fp128": "f128", "x86_fp80": "f80",
}  # fmt: skip


def integer(rng: random.Random, type_: str) -> str:
    n = int(type_[1:])
    value = rng.choice([rng.getrandbits(n), rng.getrandbits(min(n, 5)), (1 << n) - 1, 1 << (n - 1), 0])
    return f"{type_} {value}"


def number(rng: random.Random, kind: str) -> str:
    f = FORMATS[kind]
    fraction, sign = rng.getrandbits(f.fraction_bits), rng.getrandbits(1) << (f.width - 1)
    near = (f.top >> 1) + rng.randrange(-12, 13)
    biased = rng.choice([near, near, near, near, rng.randrange(1, f.top), 0])
    bits = sign | biased << f.stored_bits | ((f.explicit and biased > 0) << f.fraction_bits) | fraction
    if rng.random() < 0.2:
        bits = sign | rng.choice([0, f.infinity, f.nan, f.infinity - 1])
    return f"{kind} {spelled_float(bits, kind)}"


def wide_enough(rng: random.Random) -> tuple[str, str]:
    """Two different float types, narrower first; bfloat and half are as wide as each other."""
    order = [("half", "bfloat"), ("float",), ("double",), ("x86_fp80",), ("fp128",)]
    low, high = sorted(rng.sample(range(len(order)), 2))
    return rng.choice(order[low]), rng.choice(order[high])


def integer_binary(rng: random.Random) -> tuple[str, str]:
    t = rng.choice(INTS)
    op = rng.choice(
        ["add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"]
    )
    return t, f"{op} {integer(rng, t)}, {integer(rng, t).split()[1]}"


def float_binary(rng: random.Random) -> tuple[str, str]:
    t = rng.choice(FLOATS)
    op = rng.choice(["fadd", "fsub", "fmul", "fdiv", "frem"])
    return t, f"{op} {number(rng, t)}, {number(rng, t).split()[1]}"


def float_compare(rng: random.Random) -> tuple[str, str]:
    t = rng.choice(FLOATS)
    predicate = rng.choice(
        [f"{o}{r}" for o in "ou" for r in ("eq", "ne", "lt", "le", "gt", "ge")] + ["ord", "uno"]
    )
    return "i1", f"fcmp {predicate} {number(rng, t)}, {number(rng, t).split()[1]}"


def conversion(rng: random.Random) -> tuple[str, str]:
    i, f = rng.choice(INTS), rng.choice(FLOATS)
    narrow, wide = wide_enough(rng)
    return rng.choice(
        [
            (f, f"{rng.choice(['sitofp', 'uitofp'])} {integer(rng, i)} to {f}"),
            (i, f"{rng.choice(['fptosi', 'fptoui'])} {number(rng, f)} to {i}"),
            (wide, f"fpext {number(rng, narrow)} to {wide}"),
            (narrow, f"fptrunc {number(rng, wide)} to {narrow}"),
        ]
    )


def float_intrinsic(rng: random.Random) -> tuple[str, str]:
    t = rng.choice(FLOATS)
    name, count = rng.choice(
        [
            (n, 1)
            for n in (
                "floor",
                "ceil",
                "trunc",
                "rint",
                "nearbyint",
                "round",
                "roundeven",
                "fabs",
                "canonicalize",
            )
        ]
        + [(n, 2) for n in ("minimum", "maximum", "minimumnum", "maximumnum", "copysign")]
        + [("fma", 3), ("fma", 3)]
    )
    given = ", ".join(number(rng, t) for _ in range(count))
    return t, f"call {t} @llvm.{name}.{SUFFIX[t]}({given})"


def integer_intrinsic(rng: random.Random) -> tuple[str, str]:
    t = rng.choice(INTS)
    name, count = rng.choice(
        [("ctpop", 1), ("bitreverse", 1), ("fshl", 3), ("fshr", 3)]
        + [(n, 2) for n in ("smax", "smin", "umax", "umin", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat")]
        + [(n, 2) for n in ("ushl.sat", "sshl.sat")]
    )
    return t, f"call {t} @llvm.{name}.{t}({', '.join(integer(rng, t) for _ in range(count))})"


def class_test(rng: random.Random) -> tuple[str, str]:
    t = rng.choice(FLOATS)
    return "i1", f"call i1 @llvm.is.fpclass.{SUFFIX[t]}({number(rng, t)}, i32 {rng.randrange(1024)})"


def saturating(rng: random.Random) -> tuple[str, str]:
    t, i = rng.choice(FLOATS), rng.choice(INTS)
    name = rng.choice(["fptosi", "fptoui"])
    return i, f"call {i} @llvm.{name}.sat.{i}.{SUFFIX[t]}({number(rng, t)})"


def bitcast(rng: random.Random) -> tuple[str, str]:
    n = rng.choice([8, 16, 32, 64, 128])
    lanes = rng.choice([k for k in (1, 2, 4, 8, 16) if k <= n])
    back = rng.choice([k for k in (1, 2, 4, 8, 16) if k <= n])
    e = f"i{n // lanes}"
    given = ", ".join(integer(rng, e) if rng.random() < 0.9 else f"{e} poison" for _ in range(lanes))
    target = f"<{back} x i{n // back}>"
    return target, f"bitcast <{lanes} x {e}> <{given}> to {target}"


MAKERS: list[Callable[[random.Random], tuple[str, str]]] = [
    integer_binary, float_binary, float_binary, float_compare, conversion, conversion, float_intrinsic,
    integer_intrinsic, class_test, saturating, bitcast,
]  # fmt: skip


def folded(text: str) -> str:
    """The module after instcombine."""
    llvm.initialize_native_target()
    module = llvm.parse_assembly(text)
    machine = llvm.Target.from_default_triple().create_target_machine()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
    passes = llvm.create_new_module_pass_manager()
    passes.add_instruction_combine_pass()
    passes.run(module, builder)
    return str(module)


def agree(type_: Type, ours: RuntimeValue, theirs: RuntimeValue) -> bool:
    if isinstance(ours, Composite) and isinstance(theirs, Composite):
        assert isinstance(type_, VectorType)
        return all(agree(type_.element, a, b) for a, b in zip(ours.elements, theirs.elements, strict=True))
    (a,), (b,) = scalars(ours), scalars(theirs)
    if a.poison or b.poison:
        return bool(a.poison)
    if isinstance(type_, FloatType) and is_nan(FORMATS[type_.kind], a.bits):
        return is_nan(FORMATS[type_.kind], b.bits)
    return bool(a.bits == b.bits)


@pytest.mark.parametrize("layout", ["e", "E"])
def test_llvm_folds_to_the_same(layout: str) -> None:
    rng = random.Random(layout)
    made = [rng.choice(MAKERS)(rng) for _ in range(1500)]
    functions = [f"define {t} @f{i}() {{\n%r = {line}\nret {t} %r\n}}" for i, (t, line) in enumerate(made)]
    header = f'target datalayout = "{layout}"\n'
    theirs = parse(folded(header + "\n".join(functions)), ask_llvm=False)
    ours = Runner(header + "\n".join(functions))
    compared = 0
    for i, (_, line) in enumerate(made):
        ret = theirs.functions[f"f{i}"].instructions[-1]
        if not isinstance(ret, Ret) or ret.value is None or isinstance(ret.value, Local | ConstantExpression):
            continue  # not folded
        try:
            value = ours.call(f"f{i}")
        except Undefined:
            continue  # LLVM may choose anything
        except NotModelled as problem:
            raise AssertionError(line) from problem
        assert value is not None
        assert agree(ret.value.type, value, constant(ret.value, ours.context)), (line, ret.value, value)
        compared += 1
    assert compared > 1200
