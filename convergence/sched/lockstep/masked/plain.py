"""What masks become, apart from the operations that a machine needs for it."""

from __future__ import annotations

from .code import Effect, Masks
from .registers import Register


def opens(first: int, inverted: bool, register: Register) -> Effect:
    """Lanes that go to block ``first`` stay on, the others wait; the other way round if ``inverted``."""

    def effect(m: Masks) -> None:
        taken = m.targets.get(first, 0) & m.exec
        stay = m.exec & ~taken if inverted else taken
        m.saved[register], m.exec = m.exec & ~stay, stay

    return effect


def turns(register: Register) -> Effect:
    """Who is on waits, who waits is on."""

    def effect(m: Masks) -> None:
        m.saved[register], m.exec = m.exec, m.saved[register]

    return effect


def wakes(register: Register) -> Effect:
    """Who waits is on, too."""

    def effect(m: Masks) -> None:
        m.exec |= m.saved[register]

    return effect


def sends(lanes: int | None, inverted: bool, register: Register) -> Effect:
    """Lanes that go to block ``lanes`` (the others if ``inverted``; all) wait, with those that do already."""

    def effect(m: Masks) -> None:
        leave = m.exec
        if lanes is not None:
            taken = m.targets.get(lanes, 0)
            leave &= ~taken if inverted else taken
        m.saved[register] |= leave
        m.exec &= ~leave

    return effect


def clears(register: Register) -> Effect:
    """Nobody waits yet."""

    def effect(m: Masks) -> None:
        m.saved[register] = 0

    return effect


def ends(m: Masks) -> None:
    """The lanes that are on have ended."""
    m.exec = 0


def none_on(m: Masks) -> bool:
    return not m.exec


def some_on(m: Masks) -> bool:
    return m.exec != 0
