"""The LALR tables of ``llvm.lark``, made ahead: building them takes most of a second.

``python -m convergence.parser.tables`` makes ``llvm_tables.bin`` anew after a change of the grammar.
Tables of another grammar or another lark are not used; the parser is then built at once instead.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from pathlib import Path

import lark
from lark import Lark

HERE = Path(__file__).parent
GRAMMAR = HERE / "llvm.lark"
TABLES = HERE / "llvm_tables.bin"
STARTS = ["module", "definition_header", "body"]


def key(grammar: str) -> bytes:
    """What the tables depend on: the grammar's text, its starts, and lark's version."""
    return hashlib.sha256("\0".join([grammar, *STARTS, lark.__version__]).encode()).digest()


def build(grammar: str) -> Lark:
    """The parser for a grammar's text."""
    return Lark(
        grammar,
        parser="lalr",
        lexer="basic",
        start=STARTS,
        propagate_positions=True,
        maybe_placeholders=False,
    )


def pack(grammar: str) -> bytes:
    """The tables of a grammar, with the key that says of which."""
    out = io.BytesIO()
    build(grammar).save(out)
    return key(grammar) + zlib.compress(out.getvalue(), 9)


def load() -> Lark:
    """The parser, from its tables where they are fresh."""
    grammar = GRAMMAR.read_text(encoding="utf-8")
    try:
        packed = TABLES.read_bytes()
    except OSError:
        packed = b""
    wanted = key(grammar)
    if packed[: len(wanted)] != wanted:
        return build(grammar)
    return Lark.load(io.BytesIO(zlib.decompress(packed[len(wanted) :])))


if __name__ == "__main__":
    TABLES.write_bytes(pack(GRAMMAR.read_text(encoding="utf-8")))
