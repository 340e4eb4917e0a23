"""Packages that convcheck can do without: what is missing is said where it is needed, in one line.

llvmlite can also be switched off: with ``CONVCHECK_LLVM=off`` in the environment nothing asks LLVM, as where
it is not installed (a browser, a platform without its wheels).
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

SWITCH = "CONVCHECK_LLVM"
_DISTRIBUTIONS = {"z3": "z3-solver"}
"""Names under which packages are installed, where they differ from those by which they are imported."""


class MissingPackage(ImportError):
    """A package is not there, and what was asked for needs it; the message is one line."""


def without_llvm() -> str | None:
    """Why LLVM is not asked through llvmlite; ``None`` where it is."""
    if os.environ.get(SWITCH, "").lower() == "off":
        return f"{SWITCH}=off"
    return None if _is_there("llvmlite") else "llvmlite is not installed"


def required(name: str, purpose: str) -> Any:
    """The package of that name, imported.

    :raises MissingPackage: if it is not there, with what needs it: ``purpose``, as the start of a sentence
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0]:
            raise
        package = error.name
        raise MissingPackage(
            f"{purpose} needs {package}, which is not installed: pip install "
            f"{_DISTRIBUTIONS.get(package, package)}",
            name=package,
        ) from None


def required_llvm(purpose: str) -> None:
    """Nothing where LLVM can be asked.

    :raises MissingPackage: if llvmlite is not there or switched off
    """
    why = without_llvm()
    if why is not None:
        raise MissingPackage(f"{purpose} needs LLVM, which cannot be asked: {why}", name="llvmlite")


@cache  # the answer is one of the whole process, and each search asks the file system
def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False
