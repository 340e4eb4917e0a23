"""What a compiler is known to write that makes a program undefined is said, with a way round.

covers: report.parts.words
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.report.parts.words import program_notes
from tests.cli.cli_harness import convcheck

SHADER = """
target triple = "spirv-unknown-vulkan1.3-compute"
define internal void @{name}() {{
  ret void
}}
define void @main() "hlsl.shader"="compute" "hlsl.numthreads"="2,1,1" {{
  call {convention} void @{name}()
  ret void
}}
"""


@pytest.mark.parametrize(
    ("name", "convention", "noted"),
    [
        ("_init_buffer_C.cb", "spir_func", True),
        ("_init_buffer_C.cb", "", False),
        ("other", "spir_func", False),
    ],
)
def test_initialisers_of_constant_buffers_are_named(name: str, convention: str, noted: bool) -> None:
    text = SHADER.format(name=name, convention=convention)
    assert bool(program_notes(parse(text), ())) is noted
    if name != "other":
        ran = convcheck("run", "-", stdin=text)
        assert ("Undefined behaviour" in ran.out) is noted
        assert ("always-inline" in ran.out) is noted
