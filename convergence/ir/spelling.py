"""How LLVM's text spells names and strings (LangRef, *Identifiers*, *String constants*)."""

from __future__ import annotations

import re

_BARE = re.compile(r"[-a-zA-Z$._][-a-zA-Z$._0-9]*")
_NUMBER = re.compile(r"[0-9]+")
_QUOTED_NUMBER = re.compile(r'"[0-9]+"')
_UNPRINTABLE = re.compile(rb"[^ !#-\[\]-~]")


def escape(data: bytes) -> str:
    """Bytes as the inside of a quoted string, all but printable ASCII as ``\\xx``."""
    return _UNPRINTABLE.sub(lambda m: b"\\%02X" % m[0][0], data).decode("ascii")


def quoted(data: bytes) -> str:
    """``"..."`` for some bytes."""
    return f'"{escape(data)}"'


def spelled(plain: str) -> str:
    """A name as the text spells it, without sigil: quoted and escaped where it must be."""
    if _BARE.fullmatch(plain) or _NUMBER.fullmatch(plain) or _QUOTED_NUMBER.fullmatch(plain):
        return plain
    return quoted(plain.encode("utf-8", "surrogateescape"))


def text_bytes(text: str) -> bytes:
    """The bytes of a string that the parser decoded."""
    return text.encode("utf-8", "surrogateescape")
