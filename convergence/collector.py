"""Python's collector of cyclic garbage: what is done without it, where it would look again and again at
objects that nobody drops meanwhile."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the collector. What was made meanwhile is its youngest generation, at which it looks once when
    it is on again; so the body must be short enough for memory to hold its garbage."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
