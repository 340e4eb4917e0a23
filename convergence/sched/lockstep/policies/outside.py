"""Machines from outside: a class in a Python file, ``FILE.py:CLASS``, or one that another package offers.

A package offers machines in the entry-point group :data:`GROUP`: the name there is the name for ``--policy``.
"""

from __future__ import annotations

import sys
from difflib import get_close_matches
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import format_exception_only

from ....semantics import UsageError
from ..policy import Policy
from . import NAMES, VARIANTS
from . import policy as of_ours

GROUP = "convcheck.machines"


def offered() -> tuple[str, ...]:
    """The names of the machines that installed packages offer."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)} - {*NAMES, *VARIANTS}))


def in_file(word: str) -> bool:
    """Whether a word names a class in a Python file, which is run when it is asked for."""
    return ":" in word


def machine(word: str) -> type[Policy]:
    """The machine that a word names: one of ours, an offered one, or ``FILE.py:CLASS``.

    :raises UsageError: if there is none, or its file cannot be run
    """
    if word in NAMES + VARIANTS:
        return of_ours(word)
    if in_file(word):
        return _of_file(word)
    for point in entry_points(group=GROUP, name=word):
        return _checked(point.load(), f"{point.value}, which a package offers as {word}")
    known = [*NAMES, *VARIANTS, *offered()]
    near = get_close_matches(word.lower(), known, n=1)
    hint = f"did you mean {near[0]}? There" if near else "there"
    raise UsageError(f"unknown policy {word!r}: {hint} are {', '.join(known)}, all, and FILE.py:CLASS")


def _of_file(word: str) -> type[Policy]:
    """A class in a file. The file becomes a module, so that what it makes can be pickled while it is
    there."""
    path, _, name = word.rpartition(":")
    title = f"convcheck_machines_{Path(path).stem}"
    spec = spec_from_file_location(title, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{word}: {path} is no Python file")
    module = sys.modules[title] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever the user's file does, it is theirs to mend
        raise UsageError(f"{path}: {format_exception_only(error)[-1].strip()}") from error
    if not hasattr(module, name):
        raise UsageError(f"{path} defines no {name}")
    return _checked(getattr(module, name), word)


def _checked(kind: object, word: str) -> type[Policy]:
    if not (isinstance(kind, type) and issubclass(kind, Policy)):
        raise UsageError(f"{word}: a machine is a class made from convergence.sched.lockstep.policy.Policy")
    missing = sorted(getattr(kind, "__abstractmethods__", ()))
    if missing:
        raise UsageError(f"{word}: it lacks {', '.join(missing)}")
    if not isinstance(getattr(kind, "name", None), str):
        raise UsageError(f"{word}: it has no name: write name = '...' in the class")
    return kind
