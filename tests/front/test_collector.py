"""Python's collector of cyclic garbage, where a large answer is made without it.

covers: collector
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from convergence.collector import look_at_all, pass_over_what_is_there, promote, uncollected


class Knot:
    """An object that only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    """What the tests' process has frozen is not, for a test."""
    frozen = gc.get_freeze_count()
    gc.unfreeze()
    yield
    if frozen:
        gc.freeze()


def test_what_is_promoted_is_old_and_no_garbage_is_kept() -> None:
    gc.collect()
    with uncollected():
        assert not gc.isenabled()
        knot = Knot()
        free = weakref.ref(knot)
        promote()
    assert gc.isenabled() and any(o is knot for o in gc.get_objects(generation=2))
    del knot
    gc.collect(0)
    assert free() is not None
    gc.collect()
    assert free() is None


def test_what_somebody_froze_stays_frozen() -> None:
    pass_over_what_is_there()
    frozen = gc.get_freeze_count()
    promote()
    assert frozen and gc.get_freeze_count() == frozen
    look_at_all()
    assert not gc.get_freeze_count()
