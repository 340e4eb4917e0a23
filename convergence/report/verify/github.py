"""``convcheck verify --format github``."""

from __future__ import annotations

from collections.abc import Sequence

from ..parts.github import command_data, command_property, diagnostic_command
from .checked import VerifiedFile


def github(files: Sequence[VerifiedFile]) -> str:
    """``convcheck verify --format github``; a file that is no LLVM IR is an error without a line."""
    lines = []
    for file in files:
        source = None if file.module is None else file.module.source
        lines += [diagnostic_command(file.name, source, violation) for violation in file.diagnostics]
        if file.error is not None:
            lines.append(f"::error file={command_property(file.name)}::{command_data(file.error)}\n")
    return "".join(lines)
