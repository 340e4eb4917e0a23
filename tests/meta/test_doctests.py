"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import convergence

MODULES = [
    found.name
    for found in pkgutil.walk_packages(convergence.__path__, "convergence.")
    if not found.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0
