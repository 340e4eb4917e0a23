"""Numbers of keys in the states that enumeration compares: one number for one term, whatever is in it."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

from convergence.alignment import StaticInstance
from convergence.sched.choices.states import _View
from convergence.semantics.convergence import Alone, ChosenLabel, Key, Keys, LaunchGroup
from convergence.semantics.convergence.rules import ChosenGroup, Member

SITES = [StaticInstance("f", 1), StaticInstance("f", 2), StaticInstance("g", 1)]
LAUNCHES = [LaunchGroup(0, 0, 2), LaunchGroup(1, 2, 2)]


class Chose:
    """As much of a machine as the numbers of keys depend on: who chose which label."""

    def __init__(self, members: list[Member]) -> None:
        self.queues: list[Any] = []
        self.owed: dict[Any, Any] = {}
        self.chosen_groups = []
        for number, member in enumerate(members):
            group = ChosenGroup(number, SITES[0], LAUNCHES[0])
            group.join(member)
            self.chosen_groups.append(group)


def terms(keys: Keys, labels: list[ChosenLabel]) -> list[Key]:
    """Keys of every kind, that differ in every part alone."""
    roots: list[Any] = [*LAUNCHES, *(keys.entry(site, root) for site, root in product(SITES, LAUNCHES))]
    tokens = [r for r in roots if not isinstance(r, LaunchGroup)]
    tokens += [keys.anchor(site, label) for site, label in product(SITES, labels)]
    beats = [keys.loop(site, token, n) for site, token, n in product(SITES[:2], tokens[:8], (1, 2))]
    uses = [keys.use(site, token) for site, token in product(SITES, [*tokens, *beats[:4]])]
    frames: list[Any] = [*LAUNCHES, *uses[:2]]
    outer = [keys.header(SITES[0], b, frame, None, n) for frame, b, n in product(frames, "ab", (1, 2))]
    # one base for several frames: only the frame tells these apart, and these are parts of others again
    inner = [keys.header(SITES[1], "c", frame, base, 1) for frame, base in product(frames, outer[:3])]
    headers: list[Any] = [None, *outer[:3], *inner[:3]]
    free = [keys.maximal(site, frame, h) for site, frame, h in product(SITES, frames, headers)]
    alone: list[Any] = [*labels, Alone(0, 1), Alone(0, 2)]
    free += [keys.free(site, label) for site, label in product(SITES, alone)]
    held = [(), (tokens[0],), (tokens[1],), (tokens[0], tokens[1]), (tokens[1], tokens[0])]
    calls = [keys.call(s, f, h, t) for s, f, h, t in product(SITES[:2], frames, headers[:3], held)]
    below = [keys.entry(SITES[2], call) for call in calls]
    return [*tokens, *beats, *uses, *outer, *inner, *free, *calls, *below]


def test_keys_have_one_number_exactly_if_their_terms_are_equal() -> None:
    keys = Keys()
    made = list(dict.fromkeys(terms(keys, [ChosenLabel(0), ChosenLabel(1)])))
    view = _View(Chose([Member(0, 1), Member(1, 1)]), {}, {})  # type: ignore[arg-type]
    numbers = {key: view._key(key) for key in made}
    assert len(made) > 300
    assert len(set(numbers.values())) == len(made), [
        pair for pair in combinations(made, 2) if numbers[pair[0]] == numbers[pair[1]]
    ][:3]


def test_labels_are_who_chose_them_and_not_in_which_order() -> None:
    numbers: dict[Any, int] = {}
    first = _View(Chose([Member(0, 1), Member(1, 1)]), numbers, {})  # type: ignore[arg-type]
    other = _View(Chose([Member(1, 1), Member(0, 1)]), numbers, {})  # type: ignore[arg-type]
    ones = [first._key(key) for key in terms(Keys(), [ChosenLabel(0), ChosenLabel(1)])]
    others = [other._key(key) for key in terms(Keys(), [ChosenLabel(1), ChosenLabel(0)])]
    assert ones == others
