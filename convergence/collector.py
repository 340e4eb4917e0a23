"""Python's collector of cyclic garbage: what is done without it, where it would look again and again at
objects that nobody drops meanwhile."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


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


def promote() -> None:
    """What was made without the collector joins the oldest objects, at which it looks least: an answer of
    thousands of executions is garbage at no moment soon. Not where somebody has frozen objects."""
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


@cache
def pass_over_what_is_there() -> None:
    """Once, until :func:`look_at_all`: collections pass over what is there by now, mostly modules and tables.
    A look at all of it took a campaign as long as ten checks, every few dozen checks."""
    gc.collect()
    gc.freeze()


def look_at_all() -> None:
    """The collector looks at everything again: this process may have other things to do."""
    gc.unfreeze()
    pass_over_what_is_there.cache_clear()
