"""The grammar's tables are those of the grammar, and reading needs no lark.

covers: parser.driver
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from convergence.parser import driver as tables
from convergence.parser.builder import TERMINALS, Builder

ROOT = Path(__file__).parents[2]


def test_tables_are_fresh() -> None:
    """``make tables`` after a change of llvm.lark."""
    made = tables.build(tables.GRAMMAR.read_text(encoding="utf-8"), Builder.METHODS)
    assert tables.load() == made


def test_every_method_is_a_rules() -> None:
    """The builder has no method that no rule of the grammar calls, and a method where a rule needs one."""
    rules = {production.rule for production in tables.load().productions}
    assert rules >= set(Builder.METHODS)
    assert set(TERMINALS) <= set(tables.load().terminals)


def test_a_rule_that_nobody_builds_is_refused() -> None:
    methods = {rule: placed for rule, placed in Builder.METHODS.items() if rule != "phi_instruction"}
    with pytest.raises(ValueError, match="no method for the rule"):
        tables.build(tables.GRAMMAR.read_text(encoding="utf-8"), methods)


def test_the_grammar_has_no_conflicts_that_matter(caplog: pytest.LogCaptureFixture) -> None:
    """LALR(1) but for a declaration's end, where the next line's name could be an attachment."""
    import logging

    from lark import Lark, logger

    logger.setLevel(logging.DEBUG)
    grammar = tables.GRAMMAR.read_text(encoding="utf-8")
    with caplog.at_level(logging.DEBUG, logger="lark"):
        Lark(grammar, parser="lalr", lexer="basic", start=tables.STARTS, debug=True, maybe_placeholders=False)
    logger.setLevel(logging.CRITICAL)
    assert [r.message for r in caplog.records if "conflict" in r.message.lower()] == []


def test_reading_needs_no_lark() -> None:
    """A file is read without importing lark; LLVM runs in another process."""
    program = (
        "import sys\n"
        "from convergence.files import parse_file\n"
        "for f in parse_file(sys.argv[1]).definitions(): f.instructions\n"
        "print(*sorted({m.split('.')[0] for m in sys.modules} & {'lark', 'llvmlite', 'ctypes'}))\n"
    )
    path = ROOT / "examples_ll" / "alignments" / "natural.ll"
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == "\n"
