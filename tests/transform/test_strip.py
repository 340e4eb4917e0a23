"""A program without its tokens.

covers: transform.rewrite
"""

from __future__ import annotations

from pathlib import Path

import convergence as cc
from convergence.ir.calls import CONTROL_BUNDLE, control
from convergence.ir.instructions import CallSite
from convergence.parser.printer import print_module
from convergence.transform.infer import inferred
from convergence.transform.rewrite import stripped

NATURAL = Path("examples_ll/alignments/natural.ll")
UNCONTROLLED = Path("examples_ll/alignments/uncontrolled.ll")


def test_no_token_is_left_and_all_else_is() -> None:
    module = cc.parse_file(NATURAL)
    bare = stripped(module)
    before, after = (list(m.functions["natural"].instructions) for m in (module, bare))
    assert len(after) == len(before) - sum(control(i) is not None for i in before) < len(before)
    assert not any(b.tag == CONTROL_BUNDLE for i in after if isinstance(i, CallSite) for b in i.bundles)
    assert cc.parse(print_module(bare)).functions["natural"].blocks == bare.functions["natural"].blocks


def test_a_program_without_tokens_is_itself() -> None:
    module = cc.parse_file(UNCONTROLLED)
    assert stripped(module) is module


def test_what_is_inferred_again_gives_the_same_groups() -> None:
    module = cc.parse_file(NATURAL)
    again = inferred(stripped(module), {"natural"}).module
    launch = {
        "threads": 2,
        "arguments": {"x": [1, 10]},
        "paths": ["A B B C D".split(), "A B C B C D".split()],
    }
    ours, theirs = (cc.run(m, **launch) for m in (module, again))  # type: ignore[arg-type]
    sums = [[g.members for g in run.groups if g.operation == "%sum.b"] for run in (ours, theirs)]
    assert [[{(m.thread, m.nth) for m in g} for g in one] for one in sums] == [
        [{(0, 1), (1, 1)}, {(0, 2), (1, 2)}]
    ] * 2
