"""``all`` and ``any`` of DirectX and SPIR-V: of a number's own elements.

covers: semantics.operations.lanes, semantics.operations.spirv
"""

from __future__ import annotations

import math
from typing import Any

import pytest

import convergence as cc

SUFFIXES = {"half": "f16", "float": "f32", "double": "f64", "i64": "i64"}
CASES = [
    ("half", (-0.0, 0.0, -0.0), False, False),
    ("float", (-0.0, -0.0, 1e-45), True, False),
    ("double", (-1.5, 2.0, math.inf), True, True),
    ("double", (0.0, 0.0, -0.0), False, False),
    ("i64", (0, 1 << 40, 0), True, False),
    ("i64", (0, 0, 0), False, False),
]


@pytest.mark.parametrize("target", ["dx", "spv"])
@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(("kind", "elements", "some", "every"), CASES)
def test_elements_are_asked_whether_they_are_zero(
    target: str, engine: Any, kind: str, elements: tuple[float, ...], some: bool, every: bool
) -> None:
    """Floats as numbers: their sign does not count."""
    assert _asked(target, kind, elements, engine) == (some, every)


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_back_ends_differ_about_a_nan(engine: Any) -> None:
    """SPIR-V's compares with OpFOrdNotEqual, DirectX's with ``fcmp une``."""
    assert _asked("dx", "float", (math.nan, math.nan, math.nan), engine) == (True, True)
    assert _asked("spv", "float", (math.nan, math.nan, math.nan), engine) == (False, False)
    assert _asked("dx", "half", (math.nan, 0.0, 1.0), engine) == (True, False)
    assert _asked("spv", "half", (math.nan, 0.0, 1.0), engine) == (True, False)


def _asked(target: str, kind: str, elements: tuple[float, ...], engine: Any) -> tuple[bool, bool]:
    suffix, vector = f"v3{SUFFIXES[kind]}", f"<3 x {kind}>"
    module = cc.parse(f"""
    declare i1 @llvm.{target}.any.{suffix}({vector})
    declare i1 @llvm.{target}.all.{suffix}({vector})
    declare i1 @llvm.{target}.any.{SUFFIXES[kind]}({kind})
    define i32 @f({vector} %x) {{
      %some = call i1 @llvm.{target}.any.{suffix}({vector} %x)
      %every = call i1 @llvm.{target}.all.{suffix}({vector} %x)
      %first = extractelement {vector} %x, i32 0
      %one = call i1 @llvm.{target}.any.{SUFFIXES[kind]}({kind} %first)
      %a = zext i1 %some to i32
      %b = zext i1 %every to i32
      %c = zext i1 %one to i32
      %b.1 = shl i32 %b, 1
      %c.2 = shl i32 %c, 2
      %ab = or i32 %a, %b.1
      %abc = or i32 %ab, %c.2
      ret i32 %abc
    }}
    """)
    value = cc.run(module, arguments={"x": list(elements)}, engine=engine).outcome.threads[0].value
    assert isinstance(value, int)
    alone = _asked_alone(elements[0], target)
    assert bool(value & 4) == alone
    return bool(value & 1), bool(value & 2)


def _asked_alone(element: float, target: str) -> bool:
    return element != 0 and not (math.isnan(element) and target == "spv")
