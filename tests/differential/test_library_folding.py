# ruff: noqa: E501 -- a row of a table stays whole
"""Target arithmetic on constants: the same results as LLVM's own folding of the intrinsics.

What LLVM does not fold is left out (and it must fold many); where one side gives a NaN, any NaN is the same.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from typing import Any

import pytest

from convergence.parser import parse
from convergence.semantics.instructions.library.table import library_function
from convergence.semantics.values import RuntimeValue, scalars
from tests.semantics.library_calls import constant, number, samples, words
from tests.semantics.straight import Runner

pytestmark = pytest.mark.skipif(shutil.which("opt-22") is None, reason="needs LLVM 22's opt")
SUFFIX = {"half": "f16", "float": "f32", "double": "f64", "i16": "i16", "i32": "i32", "i64": "i64"}
ALL, SMALL = ("half", "float", "double"), ("half", "float")

# name, result, operands (T: the overloaded type), types of T, whether the name ends in T's
AMDGCN: list[tuple[str, str, list[str], tuple[str, ...]]] = [
    ("rcp", "T", ["T"], ALL), ("rsq", "T", ["T"], ALL), ("sqrt", "T", ["T"], ALL), ("fract", "T", ["T"], ALL),
    ("frexp.mant", "T", ["T"], ALL), ("fmed3", "T", ["T", "T", "T"], SMALL),
    ("sin", "T", ["T"], ALL), ("cos", "T", ["T"], ALL), ("class", "i1", ["T", "i32"], ALL),
    ("fmul.legacy", "float", ["float"] * 2, ()), ("fma.legacy", "float", ["float"] * 3, ()),
    ("cubeid", "float", ["float"] * 3, ()), ("cubesc", "float", ["float"] * 3, ()),
    ("cubetc", "float", ["float"] * 3, ()), ("cubema", "float", ["float"] * 3, ()),
    ("cvt.pkrtz", "<2 x half>", ["float", "float"], ()), ("cvt.pk.i16", "<2 x i16>", ["i32", "i32"], ()),
    ("cvt.pk.u16", "<2 x i16>", ["i32", "i32"], ()), ("cvt.pknorm.i16", "<2 x i16>", ["float", "float"], ()),
    ("cvt.pknorm.u16", "<2 x i16>", ["float", "float"], ()), ("cvt.off.f32.i4", "float", ["i32"], ()),
    ("ubfe", "T", ["T", "i32", "i32"], ("i32", "i64")), ("sbfe", "T", ["T", "i32", "i32"], ("i32", "i64")),
    ("perm", "i32", ["i32", "i32", "i32"], ()), ("trig.preop", "T", ["T", "i32"], ("double",)),
]  # fmt: skip


MODES = ("rn", "rz", "rm", "rp")
NVVM: list[tuple[str, str, list[str], tuple[str, ...]]] = [
    *((f"{op}{ftz}{nan}{x}.f", "float", ["float"] * 2, ()) for op in ("fmin", "fmax") for ftz in ("", ".ftz")
      for nan in ("", ".nan") for x in ("", ".xorsign.abs")),
    *((f"{op}.d", "double", ["double"] * 2, ()) for op in ("fmin", "fmax")),
    *((f"{s}2{t}.{m}", {"f": "float", "d": "double"}.get(t, "i64" if "ll" in t else "i32"),
       [{"f": "float", "d": "double"}.get(s, "i64" if "ll" in s else "i32")], ())
      for s, t in (("f", "i"), ("f", "ui"), ("f", "ll"), ("f", "ull"), ("d", "i"), ("d", "ui"), ("d", "ll"), ("d", "ull"),
                   ("i", "d"), ("ui", "d"), ("i", "f"), ("ui", "f"), ("ll", "d"), ("ull", "d"), ("ll", "f"), ("ull", "f"), ("d", "f"))
      for m in MODES),
    *((f"f2{t}.{m}.ftz", "i32", ["float"], ()) for t in ("i", "ui") for m in MODES),
    *((f"{op}.{m}{ftz}.f", "float", ["float"] * 2, ()) for op in ("add", "mul", "div") for m in MODES for ftz in ("", ".ftz")),
    *((f"{op}.{m}.d", "double", ["double"] * 2, ()) for op in ("add", "mul", "div") for m in MODES),
    *((f"fma.{m}{ftz}.f", "float", ["float"] * 3, ()) for m in MODES for ftz in ("", ".ftz")),
    *((f"fma.{m}.d", "double", ["double"] * 3, ()) for m in MODES),
    *((f"{op}.{m}.f", "float", ["float"], ()) for op in ("rcp", "sqrt") for m in MODES),
    *((f"{op}{ftz}.f", "float", ["float"], ()) for op in ("floor", "ceil", "trunc", "round", "saturate") for ftz in ("", ".ftz")),
    ("sqrt.f", "float", ["float"], ()), ("fabs.ftz", "T", ["T"], ("float",)), ("fabs", "T", ["T"], SMALL),
    ("prmt", "i32", ["i32"] * 3, ()), ("prmt.f4e", "i32", ["i32"] * 3, ()), ("prmt.b4e", "i32", ["i32"] * 3, ()),
    ("prmt.rc8", "i32", ["i32"] * 2, ()), ("prmt.ecl", "i32", ["i32"] * 2, ()), ("prmt.ecr", "i32", ["i32"] * 2, ()),
    ("prmt.rc16", "i32", ["i32"] * 2, ()), ("mulhi.i", "i32", ["i32"] * 2, ()), ("mulhi.ull", "i64", ["i64"] * 2, ()),
    ("mul24.i", "i32", ["i32"] * 2, ()), ("sad.ui", "i32", ["i32"] * 3, ()), ("d2i.hi", "i32", ["double"], ()),
]  # fmt: skip
BEST_EFFORT = re.compile(r"\.(sin|cos)\b")


def value(draw: random.Random, type_: str) -> object:
    if type_.startswith("i"):
        width = int(type_[1:])
        return draw.choice([draw.choice(words(width, "", 2)), draw.randrange(min(64, 1 << width))])
    number = draw.choice(
        [draw.choice(samples(type_, str(draw.random()), 2)), draw.choice((0.25, -3.5, 100.75, 2.0**-30))]
    )
    return float(number)


def lines(
    prefix: str, table: list[tuple[str, str, list[str], tuple[str, ...]]], count: int
) -> list[tuple[str, str]]:
    """Result types and calls."""
    draw, found = random.Random(prefix), []
    for name, result, operands, kinds in table:
        for _ in range(count):
            kind = draw.choice(kinds) if kinds else ""
            types = [t.replace("T", kind) for t in operands]
            passed = ", ".join(constant(t, value(draw, t)) for t in types)
            full = f"llvm.{prefix}.{name}" + (f".{SUFFIX[kind]}" if kind else "")
            type_ = result.replace("T", kind)
            assert library_function(full) is not None, full
            found.append((type_, f"call {type_} @{full}({passed})"))
    return found


def folded(calls: list[tuple[str, str]], triple: str) -> list[str | None]:
    """What opt makes of each call; ``None`` where it does not fold."""
    text = f'target triple = "{triple}"\n'
    text += "\n".join(f"define {t} @f{k}() {{\n %r = {c}\n ret {t} %r\n}}" for k, (t, c) in enumerate(calls))
    for name in sorted(
        {c.partition("(")[0].partition("call ")[2] + "|" + ",".join(operand_types(c)) for _, c in calls}
    ):
        head, _, types = name.partition("|")
        text += f"\ndeclare {head}({types.replace(',', ', ')})"
    command = ["opt-22", "-S", "-passes=instcombine", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    results: list[str | None] = []
    for body in re.findall(r"define [^{]*{(.*?)^}", done.stdout, re.S | re.M):
        results.append(None if "call" in body else re.findall(r"ret (.*)", body)[0])
    assert len(results) == len(calls)
    return results


def operand_types(call: str) -> list[str]:
    return [part.split(" ")[0] for part in call.partition("(")[2].removesuffix(")").split(", ")]


def evaluated(type_: str, line: str) -> RuntimeValue:
    found = Runner(parse(f"define {type_} @f() {{\n{line}\nret {type_} %r\n}}", ask_llvm=False)).call("f")
    assert found is not None
    return found


def same(a: Any, b: Any, type_: str, line: str) -> bool:
    if a.poison or b.poison:
        return bool(a.poison == b.poison)
    kind = type_.split(" ")[-1].rstrip(">")
    if kind in ("half", "float", "double"):
        x, y = number(kind, a.bits), number(kind, b.bits)
        if x != x or y != y:
            return x != x and y != y
        if BEST_EFFORT.search(line) and x != y:
            return abs(x - y) <= (1e-2 if kind == "half" else 1e-5) * max(abs(x), abs(y), 1e-2)
    return bool(a.bits == b.bits)


@pytest.mark.parametrize(
    ("prefix", "table", "triple"),
    [("amdgcn", AMDGCN, "amdgcn-amd-amdhsa"), ("nvvm", NVVM, "nvptx64-nvidia-cuda")],
    ids=["amdgcn", "nvvm"],
)
def test_llvm_folds_to_the_same(prefix: str, table: Any, triple: str) -> None:
    calls = lines(prefix, table, 8 if prefix == "amdgcn" else 3)
    answers = folded(calls, triple)
    known = [(t, c, a) for (t, c), a in zip(calls, answers, strict=True) if a is not None]
    names = {c.partition("@")[2].partition("(")[0] for _, c, _ in known}
    assert len(names) >= 10, "what LLVM folds"
    for type_, line, answer in known:
        mine = evaluated(type_, f"%r = {line}")
        theirs = evaluated(
            type_, f"%v = insertvalue {{{type_}}} poison, {answer}, 0\n%r = extractvalue {{{type_}}} %v, 0"
        )
        for a, b in zip(scalars(mine), scalars(theirs), strict=True):
            assert same(a, b, type_, line), (line, answer, mine)
