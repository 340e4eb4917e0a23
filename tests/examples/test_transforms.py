"""LLVM's prose about right and wrong transforms: every case has its file, its verdict, and a line on a page.

``CONVCHECK_UPDATE_PAGES=1`` writes the table into ``docs/transforms.md``. That ``refine`` gives the
verdicts is tested with all other examples.
"""

from __future__ import annotations

import os
import re

import pytest

from .transform_table import PAGE, page, transforms

ARGUED = {
    "unroll-remainder": ["wrong", "refines"],
    "unroll-remainder-inner": ["wrong"],
    "unroll-remainder-outer": ["wrong"],
    "unroll-remainder-entry": ["wrong"],
    "unroll-multiple": ["equal"],
    "unroll-full": ["equal"],
    "unroll-full-entry": ["equal"],
    "unroll-anchor-inside": ["refines"],
    "hoist-add": ["wrong"],
    "hoist-add-uniform": ["equal", "wrong"],
    "sink-sample": ["wrong", "equal"],
    "hoist-shuffle": ["equal", "refines"],
    "speculate-shuffle": ["refines"],
    "sink-anchor": ["equal"],
    "hoist-anchors": ["equal"],
    "hoist-anchored-operations": ["wrong"],
    "anchor-into-loop": ["wrong"],
    "anchor-out-of-loop": ["invalid-output"],
    "sink-with-anchor": ["refines"],
    "sink-one-of-two": ["wrong"],
    "sink-both-entry": ["wrong", "equal"],
    "sink-one-entry": ["wrong"],
    "jump-threading": ["equal"],
    "inline-entry": ["equal"],
    "inline-anchor-twice": ["refines", "refines"],
    "delete-dead-heart": ["equal"],
    "swap-independent": ["equal"],
    "swap-independent-loop": ["equal"],
    "branch-becomes-select": ["equal"],
    "merge-anchored-arms": ["wrong"],
}
"""What the document says, or what follows from it; not to be changed with a RUN line by accident."""


def test_the_page_has_every_case() -> None:
    text = PAGE.read_text(encoding="utf-8")
    made = page(text)
    if os.environ.get("CONVCHECK_UPDATE_PAGES"):
        PAGE.write_text(made, encoding="utf-8")
        return
    assert text == made


@pytest.mark.parametrize("name", ARGUED)
def test_what_the_document_argues_is_what_the_file_checks(name: str) -> None:
    found = {t.name: t for t in transforms()}
    assert [verdict for _, verdict in found[name].verdicts] == ARGUED[name]


def test_the_argument_names_the_verdict() -> None:
    for transform in transforms():
        said = re.match(r"\w+", transform.why)
        assert said is not None
        verdicts = {verdict.partition("-")[0] for _, verdict in transform.verdicts}
        assert said[0].lower() in verdicts, transform.name
        assert transform.case, transform.name
        assert len(transform.why) > 60, transform.name
