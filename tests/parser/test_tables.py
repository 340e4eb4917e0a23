"""The grammar's tables are those of the grammar, and starting up needs neither lark nor them."""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from convergence.parser import tables

ROOT = Path(__file__).parents[2]


def test_tables_are_fresh() -> None:
    """``make tables`` after a change of llvm.lark."""
    packed = tables.TABLES.read_bytes()
    assert packed.startswith(tables.key(tables.GRAMMAR.read_text(encoding="utf-8")))
    assert zlib.decompress(packed[32:])


def test_tables_of_another_grammar_are_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    grammar = tmp_path / "g.lark"
    grammar.write_text('module: "x"\nbody: "y"\ndefinition_header: "z"\n')
    monkeypatch.setattr(tables, "GRAMMAR", grammar)
    assert tables.load().parse("x", start="module").data == "module"


def test_no_tables_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tables, "TABLES", tmp_path / "missing.bin")
    assert tables.load().parse("@g = global i32 0", start="module").data == "module"


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


def test_common_files_need_no_lark() -> None:
    """A file of common shapes is read without importing lark; LLVM runs in another process."""
    program = (
        "import sys\n"
        "from convergence.parser import parse_file\n"
        "for f in parse_file(sys.argv[1]).definitions(): f.instructions\n"
        "print(*sorted({m.split('.')[0] for m in sys.modules} & {'lark', 'llvmlite', 'ctypes'}))\n"
    )
    path = ROOT / "examples_ll" / "alignments" / "natural.ll"
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == "\n"
