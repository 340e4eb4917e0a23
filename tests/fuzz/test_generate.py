"""Generated programs: LLVM takes them, they keep the rules, they end, and a seed names one text.

covers: fuzz.build
"""

from __future__ import annotations

import subprocess
import sys

import pytest

import convergence as cc
from convergence.fuzz.generate import STYLES, Style, generate
from convergence.parser.llvm import llvm_verdict
from convergence.semantics import Returned, UndefinedBehaviour

SEEDS = range(30)


@pytest.mark.parametrize("style", STYLES)
def test_every_program_is_accepted_and_ends(style: Style) -> None:
    ended = 0
    for seed in SEEDS:
        made = generate(seed, style)
        assert llvm_verdict(made.text) == (), made.text
        module = cc.parse(made.text)
        broken = [d for d in cc.verify(module) if d.rule.id.startswith("S-")]
        assert not broken, (seed, broken)
        parameters = module.functions[made.function].parameters
        for value in (0, 5):
            arguments = {p.name: [value, seed % 7, (seed + value) % 4] for p in parameters}
            run = cc.run(module, function=made.function, threads=3, arguments=arguments, max_steps=50_000)
            assert isinstance(run.ending, Returned | UndefinedBehaviour), (seed, run.ending)
            ended += isinstance(run.ending, Returned)
    assert ended > 1.8 * len(SEEDS)  # undefined behaviour is rare: a lane read that is not there


@pytest.mark.parametrize("style", STYLES)
def test_a_seed_names_one_text_in_any_process(style: Style) -> None:
    script = f"from convergence.fuzz.generate import generate; print(generate(11, {style!r}).text, end='')"
    other = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True,
        env={"PYTHONHASHSEED": "3"}, cwd=cc.__path__[0] + "/..",
    )  # fmt: skip
    assert other.stdout == generate(11, style).text
    assert len({generate(seed, style).text for seed in SEEDS}) > 0.9 * len(SEEDS)


FEATURES = {
    "controlled": (
        "experimental.convergence.entry", "experimental.convergence.loop", "experimental.convergence.anchor",
        "switch i32", "speculatable", "branch_weights", "alwaysinline", "alloca", "memory(none)", "@event(",
        "@helper(", "phi i32", "case", "twin:", "exit:", "spin:", "out", "two:",
    ),
    "memory": (
        "@llvm.nvvm.barrier", "@llvm.amdgcn.s.barrier", "@llvm.spv.group", "external addrspace(1) global",
        "thread_local", "atomicrmw", "convergencectrl", "phi i32", "@tile, i32 0, i32 %t",
    ),
    "uncontrolled": ("two:", "@helper(", "@subgroupAdd", "twin:", "head:"),
}  # fmt: skip


@pytest.mark.parametrize("style", sorted(FEATURES))
def test_the_features_come_up(style: Style) -> None:
    texts = [generate(seed, style).text for seed in range(300)]
    rare = {word: sum(word in text for text in texts) for word in FEATURES[style]}
    assert min(rare.values()) >= 5, rare


def test_uncontrolled_programs_have_no_tokens() -> None:
    assert not any("token" in generate(seed, "uncontrolled").text for seed in SEEDS)


@pytest.mark.parametrize("seed", [39_000_299, 39_000_303])
def test_blocks_and_values_have_names_of_their_own(seed: int) -> None:
    """An atomic counter's result was called as a block of a loop."""
    assert not llvm_verdict(generate(seed, "memory").text)


def test_mixed_modules_mix() -> None:
    texts = [generate(seed, "mixed").text for seed in range(100)]
    calls = [t for t in texts if "convergence.entry()" in t and ") [" in t and _uncontrolled_call(t)]
    assert len(calls) > 10


def _uncontrolled_call(text: str) -> bool:
    return any("call i32 @helper" in line and "convergencectrl" not in line for line in text.splitlines())
