"""The examples, which are installed with the package: ``examples_ll/...`` is found there, too.

So that every command of the README runs after ``pip install`` as it stands; a file of that name where the
command runs comes first.
"""

from __future__ import annotations

from pathlib import Path

NAME = "examples_ll/"
_INSTALLED = Path(__file__).resolve().parent / "examples"


def shipped(name: str) -> Path | None:
    """The installed example, or folder of examples, of that name, if there is nothing of that name here and
    there is one."""
    if not name.startswith(NAME) or Path(name).exists():
        return None
    path = _INSTALLED / name.removeprefix(NAME)
    return path if path.exists() and _INSTALLED in path.resolve().parents else None
