"""Reading FILE: a path or ``-``, textual IR or bitcode; everything that is neither is one clear line."""

from __future__ import annotations

import codecs
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from .exits import InputError

STDIN = "<stdin>"
LARGEST = 1 << 30  # bytes; a reader that never ends (/dev/zero) must not fill the memory
_BITCODE = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")


@dataclass(frozen=True, slots=True)
class Text:
    """Textual IR: the ``name`` that messages give it, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Bitcode:
    """Bitcode, which LLVM is asked to print."""

    name: str
    data: bytes


def read(file: str) -> Text | Bitcode:
    """The contents of FILE.

    :raises InputError: if it cannot be read, is empty, or is neither text in UTF-8 nor bitcode
    """
    name = STDIN if file == "-" else file
    try:
        data = _bytes(file, name)
    except OSError as error:
        raise InputError(name, error.strerror or str(error)) from None
    except ValueError as error:  # a NUL in the name
        raise InputError(name, str(error)) from None
    if data.startswith(_BITCODE):
        return Bitcode(name, data)
    if file.endswith(".bc"):
        raise InputError(name, "not LLVM bitcode: its magic number is missing")
    if not data.strip():
        raise InputError(name, "the file is empty")
    if (at := data.find(0)) != -1:
        raise InputError(name, f"a binary file, neither LLVM IR nor bitcode (byte {at} is zero)")
    if data.startswith(codecs.BOM_UTF8):
        raise InputError(f"{name}:1:1", "a byte order mark, which LLVM IR may not have: save it without")
    try:
        return Text(name, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(name, f"not UTF-8 text: byte {data[error.start]:#04x} in line {line}") from None


def _bytes(file: str, name: str) -> bytes:
    if file == "-":
        return _all(sys.stdin.buffer, name)
    mode = Path(file).stat().st_mode
    if stat.S_ISDIR(mode):
        raise InputError(name, "is a directory")
    if stat.S_ISBLK(mode):
        raise InputError(name, "is a device")
    with Path(file).open("rb") as stream:
        return _all(stream, name)


def _all(stream: BinaryIO, name: str) -> bytes:
    """Everything up to the bound; of what begins as neither text nor bitcode, only the beginning."""
    data = stream.read(1 << 16)
    if b"\0" in data and not data.startswith(_BITCODE):
        return data
    data += stream.read(LARGEST)
    if len(data) > LARGEST:
        raise InputError(name, "larger than 1 GiB")
    return data
