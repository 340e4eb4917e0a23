"""What is installed: packages that convcheck can do without, one that stands in its place, and its
examples.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

# ----------------------------------------------------------------------------------------------------------
# What is installed: convcheck itself, packages that it can do without, and what else stands in its place.
#
# What is missing is said where it is needed, in one line. llvmlite can also be switched off: with
# ``CONVCHECK_LLVM=off`` in the environment nothing asks LLVM, as where it is not installed (a browser, a
# platform without its wheels).
# ----------------------------------------------------------------------------------------------------------

__version__ = "0.1.0"
"""The version, in one place: packaging reads it, ``--version`` and SARIF print it."""
HOMEPAGE = "https://pypi.org/project/convcheck/"
"""Where the project is found: SARIF's ``informationUri``, and the metadata's."""

SWITCH = "CONVCHECK_LLVM"
_DISTRIBUTIONS = {"z3": "z3-solver"}
"""Names under which packages are installed, where they differ from those by which they are imported."""


class CallablePackage(ModuleType):
    """A package that is at the front door a function, too: a subclass has ``__call__``. As a function is, it
    is pickled by its name."""

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)


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


# ----------------------------------------------------------------------------------------------------------
# Another distribution on PyPI, ``convergence`` (about meshes of fluids), puts files into a package of our
# import name. Whichever is installed last has its ``__init__.py`` there, and removing either one removes
# that of both. Nothing can mend this from inside, but it can be said.
# ----------------------------------------------------------------------------------------------------------


THEIRS = "interface.py"
"""A file of theirs that we have none of."""
CONFLICT = (
    "the package `convergence`, which is another project's, is installed in the same place and overwrites "
    "files of convcheck: pip uninstall convergence, then pip install --force-reinstall convcheck"
)


def conflict(package: str) -> str | None:
    """What is wrong with the folder of a package, in one line; ``None`` if only we are in it."""
    if os.path.exists(os.path.join(package, THEIRS)):  # noqa: PTH110, PTH118
        return CONFLICT
    return None


# ----------------------------------------------------------------------------------------------------------
# The examples, which are installed with the package: ``examples_ll/...`` is found there, too.
#
# So that every command of the README runs after ``pip install`` as it stands; a file of that name where the
# command runs comes first.
# ----------------------------------------------------------------------------------------------------------


NAME = "examples_ll/"
_INSTALLED = Path(__file__).resolve().parent / "examples"


def shipped(name: str) -> Path | None:
    """The installed example, or folder of examples, of that name, if there is nothing of that name here and
    there is one."""
    if not name.startswith(NAME) or Path(name).exists():
        return None
    path = _INSTALLED / name.removeprefix(NAME)
    return path if path.exists() and _INSTALLED in path.resolve().parents else None
