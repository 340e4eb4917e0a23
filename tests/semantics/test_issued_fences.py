"""Which barriers a fence acquires from: those that no fence before it acquired from already.

covers: semantics.memory.synchronisation
"""

from __future__ import annotations

import pytest

from convergence.semantics.memory.synchronisation import (
    IssuedFences,
    MemoryFence,
    Scope,
    ScopeNumbers,
    Storage,
)

LOCAL, GLOBAL = (frozenset({storage}) for storage in (Storage.LOCAL, Storage.GLOBAL))
EVERYWHERE = LOCAL | GLOBAL
THREADS = [ScopeNumbers(launch=thread // 2) for thread in range(4)]
"""Two launch groups of one workgroup."""


def acquire(storage: frozenset[Storage] = EVERYWHERE, scope: Scope = Scope.ALL) -> MemoryFence:
    return MemoryFence(False, True, storage, scope)


def barrier(fences: IssuedFences, nth: int, workgroup: bool = False) -> None:
    fences.barrier(0, ("b", nth), ("b", nth) if workgroup else None)


@pytest.mark.parametrize("storage", [LOCAL, GLOBAL, EVERYWHERE])
def test_what_was_acquired_is_not_acquired_again(storage: frozenset[Storage]) -> None:
    """So that a loop of barriers takes time linear in its rounds."""
    fences = IssuedFences(THREADS)
    for nth in range(5):
        barrier(fences, nth)
        assert fences.fence(0, acquire(storage)).barriers == (fences.barriers["b", nth],)


def test_another_class_is_still_to_be_acquired() -> None:
    fences = IssuedFences(THREADS)
    for nth in range(3):
        barrier(fences, nth)
        fences.fence(0, acquire(LOCAL))
    assert fences.fence(0, acquire(LOCAL)).barriers == ()
    assert fences.fence(0, acquire(EVERYWHERE)).barriers == tuple(fences.barriers.values())
    assert fences.fence(0, acquire(GLOBAL)).barriers == ()


def test_a_fence_of_a_narrow_scope_leaves_the_workgroup_s_barrier_to_a_wider_one() -> None:
    fences = IssuedFences(THREADS)
    barrier(fences, 0, workgroup=True)
    own, wide = fences.barriers["b", 0], *fences.workgroup.values()
    assert fences.fence(0, acquire(scope=Scope.LAUNCH)).barriers == (own, wide)
    assert fences.fence(0, acquire(scope=Scope.WORKGROUP)).barriers == (wide,)
    assert fences.fence(0, acquire()).barriers == ()


def test_a_fence_of_its_own_thread_acquires_nothing() -> None:
    fences = IssuedFences(THREADS)
    barrier(fences, 0)
    assert fences.fence(0, acquire(scope=Scope.THREAD)).barriers == ()
    assert fences.fence(0, acquire()).barriers != ()
