"""A mutant in the running package, without importing it again: functions that live get other code.

A function object is the same wherever it was imported to, so that exchanging its ``__code__`` reaches every
table and every module that holds it. What a mutant changes outside of functions (tables that are built when a
module is imported, class bodies, defaults) cannot be reached so: :func:`plant` says that, and then the module
has to be imported in its changed form (:class:`Finder`).
"""

from __future__ import annotations

import ast
import functools
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from tests.meta.package_modules import modules
from tests.mutation.mutants import mutated_tree

_Place = tuple[str, int, int]
"""Qualified name, first line, and which of those that share both."""


class Living:
    """The functions and caches of the package as they live now: taken once, after all tests are collected."""

    def __init__(self) -> None:
        self.functions: dict[str, list[FunctionType]] = {}
        self.caches: list[functools._lru_cache_wrapper[object]] = []
        gc.unfreeze()  # what `tests/conftest.py` put out of the collector's sight
        for thing in gc.get_objects():
            if type(thing) is FunctionType:
                self.functions.setdefault(thing.__code__.co_filename, []).append(thing)
            elif type(thing) is functools._lru_cache_wrapper and thing.__module__.startswith("convergence"):
                self.caches.append(thing)

    def forget(self) -> None:
        """Empty all caches, which the collection of tests has filled."""
        for cache in self.caches:
            cache.cache_clear()

    def plant(self, module: str, number: int) -> bool:
        """Put a mutant into the functions that live; False if that does not reach it."""
        return self.exchange(module, mutated_tree(modules()[module].read_text(encoding="utf-8"), number))

    def exchange(self, module: str, tree: ast.Module) -> bool:
        """Give the functions of a module that live the code of another tree of it; False if none differs."""
        file = str(modules()[module])
        before = dict(_places(compile(modules()[module].read_text(encoding="utf-8"), file, "exec")))
        after = dict(_places(compile(tree, file, "exec")))
        changed = {p: code for p, code in after.items() if p in before and code != before[p]}
        place = {code: p for p, code in before.items()}
        planted = False
        for function in self.functions.get(file, ()):
            new = changed.get(place.get(function.__code__, ("", 0, 0)))
            if new is None:
                continue
            if len(new.co_freevars) != len(function.__code__.co_freevars):
                return False
            function.__code__ = new
            planted = True
        return planted


def _places(code: CodeType) -> Iterator[tuple[_Place, CodeType]]:
    """All code of functions in a module, each with its place."""
    counts: dict[tuple[str, int], int] = {}
    todo = [code]
    while todo:
        for constant in todo.pop().co_consts:
            if isinstance(constant, CodeType):
                todo.append(constant)
                at = constant.co_qualname, constant.co_firstlineno
                counts[at] = counts.get(at, -1) + 1
                if constant.co_flags & 0x02:  # CO_NEWLOCALS: no class body
                    yield (*at, counts[at]), constant


# -- a module that is imported in its changed form ----------------------------------------------------------

VARIABLE = "CONVCHECK_MUTANT"
"""``MODULE:NUMBER``, for processes with this module as a plugin: ``pytest -p tests.mutation.planting``."""


class Finder(importlib.abc.MetaPathFinder):
    """Finds one module, and loads it with one change."""

    def __init__(self, module: str, number: int) -> None:
        self.module, self.number = module, number

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.module:
            return None
        file = modules()[fullname]
        loader = _Loader(fullname, str(file), self.number)
        return importlib.util.spec_from_file_location(fullname, file, loader=loader)


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, number: int) -> None:
        super().__init__(name, path)
        self.number = number

    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text(encoding="utf-8")
        return compile(mutated_tree(source, self.number), self.path, "exec", dont_inherit=True)


if (_wanted := os.environ.get(VARIABLE)) is not None:
    _module, _, _number = _wanted.rpartition(":")
    sys.meta_path.insert(0, Finder(_module, int(_number)))
