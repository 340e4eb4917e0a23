"""``parse(print(m)) == m`` for every module, by the driver and by lark; and LLVM takes what is printed."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from convergence.ir.module import Module
from convergence.parser import NotLLVM, Unsupported, parse
from convergence.parser.printer import print_module
from tests.oracles.generate import random_functions
from tests.oracles.model import module_text
from tests.parser.modules import MODULES
from tests.parser.reading import DATA, all_spans, by_driver, by_lark, llvm_prints
from tests.parser.test_robustness import mutate

REREADABLE = [path for path in DATA if path.stem != "escapes"]
"""The files whose print by LLVM LLVM can read."""


@settings(max_examples=80, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(MODULES)
def test_any_module(module: Module) -> None:
    """Whatever the IR's classes can say comes back from the text, twice the same, with the same spans."""
    printed = print_module(module)
    fast, slow = by_driver(printed), by_lark(printed)
    assert fast == module
    assert slow == module
    assert all_spans(fast) == all_spans(slow)
    assert print_module(fast) == printed


@pytest.mark.parametrize("seed", range(20))
def test_random_functions(seed: int) -> None:
    """The functions that the verifier is tested with: valid for LLVM, which takes our print for the same."""
    text = module_text(random_functions(seed, 40))
    module = parse(text)
    printed = print_module(module)
    assert by_driver(text) == by_lark(text)
    assert parse(printed) == module
    assert llvm_prints(printed) == llvm_prints(text)


@settings(max_examples=40, derandomize=True, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(range(len(REREADABLE))))
def test_what_llvm_prints(seed: int, which: int) -> None:
    """LLVM's own print of a file, mutated where it still takes it, is read and printed to the same effect."""
    text = REREADABLE[which].read_text()
    changed = mutate(text, random.Random(seed))
    try:
        parse(changed)  # not in this process, for it may be an input that LLVM breaks down on
    except (NotLLVM, Unsupported):
        changed = text
    text = llvm_prints(changed)
    module = parse(text)
    printed = print_module(module)
    assert parse(printed) == module
    assert llvm_prints(printed) == text
