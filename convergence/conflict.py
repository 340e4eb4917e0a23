"""Another distribution on PyPI, ``convergence`` (about meshes of fluids), puts files into a package of
our import name. Whichever is installed last has its ``__init__.py`` there, and removing either one removes
that of both. Nothing can mend this from inside, but it can be said.
"""

from __future__ import annotations

import os

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
