"""The site's hooks, for tests: the builder loads them as files, and so does this."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


@cache
def hooks() -> ModuleType:
    """``docs/hooks/site.py``."""
    path = ROOT / "docs" / "hooks" / "site.py"
    spec = importlib.util.spec_from_file_location("convcheck_docs_hooks", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = before
    return module


def generated_names() -> set[str]:
    """The places of the pages that no file holds."""
    names: set[str] = hooks().generated_names()
    return names
