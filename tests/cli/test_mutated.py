"""Example files with bytes and tokens changed, at fixed seeds: every command ends in time, with one of its
exit codes and well-formed output."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path

import pytest

from tests.cli.cli_harness import ROOT, convcheck
from tests.cli.test_robustness import mutated
from tests.report.test_printable import FORMS, check

EXAMPLES = sorted((ROOT / "examples_ll").rglob("*.ll"))
SECONDS = 20
"""Of the processor's time, for one command."""
TOKEN = re.compile(r'"[^"]*"|[%@!#$]?[\w.]+|\s+|.', re.DOTALL)
WORDS = [
    "i8388607", "<4194304 x i8>", "[1073741824 x i32]", "{}", "poison", "undef", "zeroinitializer",
    "null", "i1", "i64", "ptr", "token", "volatile", "convergent", "noundef", "label", "switch", "0",
    "-1", "4294967296", "double", "half", "18446744073709551616", "fp128", "<2 x i1>", "inbounds",
    "nuw", "exact", "fast", "atomic", "align 4", "true",
]  # fmt: skip


def changed_tokens(text: str, rnd: random.Random) -> bytes:
    """A text with a few tokens replaced, exchanged, removed or repeated."""
    tokens = TOKEN.findall(text)
    for _ in range(rnd.randint(1, 4)):
        at, other = rnd.randrange(len(tokens)), rnd.randrange(len(tokens))
        match rnd.randrange(5):
            case 0:
                tokens[at] = tokens[other]
            case 1:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 2:
                tokens[at] = rnd.choice(WORDS)
            case 3:
                del tokens[at : at + rnd.randint(1, 8)]
            case _:
                tokens[at:at] = tokens[other : other + rnd.randint(1, 12)]
        tokens = tokens or [" "]
    return "".join(tokens).encode("utf-8", "surrogateescape")


def look(folder: Path, seed: int) -> None:
    """One command on one changed file; ``refine`` compares it with what it was."""
    rnd = random.Random(seed)
    text = rnd.choice(EXAMPLES).read_text(encoding="utf-8")
    file, before = folder / "a.ll", folder / "b.ll"
    file.write_bytes((changed_tokens if rnd.random() < 0.8 else mutated)(text, rnd))
    before.write_text(text, encoding="utf-8")
    command, more, forms = rnd.choice(FORMS)
    form = rnd.choice(forms)
    arguments: list[str | Path] = [command, before, file] if command == "refine" else [command, file]
    if command not in ("verify", "infer", "inline"):
        arguments += ["--max-steps", "200", "--threads", "2", "--timeout", "5"]
    if command not in ("infer", "inline"):
        arguments += ["--format", form]
    if command == "enumerate" and rnd.random() < 0.5:
        arguments += ["--engine", "axiomatic"]
    began = time.process_time()
    check(convcheck(*arguments, *more), form)
    assert time.process_time() - began < SECONDS, arguments


@pytest.mark.parametrize("seed", range(4))
def test_a_changed_example_is_no_surprise(tmp_path: Path, seed: int) -> None:
    for number in range(12):
        look(tmp_path, 1_000_000 * seed + number)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(30))
def test_many_changed_examples(tmp_path: Path, seed: int) -> None:
    for number in range(100):
        look(tmp_path, 1_000_000 * seed + 12 + number)
