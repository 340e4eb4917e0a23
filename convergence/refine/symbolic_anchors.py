"""The choices that anchors leave open, for one path per thread (D-ANCHOR), and which are legal (D-DEP)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import product

from ..sched.shapes import Anchored, Instance
from .symbolic_paths import Path
from .symbolic_values import TooMany

CHOICES = 300
"""Ways to group the anchors of one tuple of paths at most."""


class Illegal(Exception):
    """A choice that D-DEP forbids."""


def choices(paths: Sequence[Path]) -> Iterator[Mapping[Instance, Hashable]]:
    """Every partition of the instances of each anchor, with at most one of each thread in a class, as a key
    for each instance. Raises TooMany."""
    sites: dict[Hashable, list[Instance]] = {}
    for path in paths:
        for instance in path.instances:
            if isinstance(instance.hangs, Anchored):
                sites.setdefault((instance.site, instance.launch), []).append(instance)
    every = product(*(_partitions(site, instances) for site, instances in sites.items()))
    for number, made in enumerate(every):
        if number == CHOICES:
            raise TooMany(f"{CHOICES} ways to group anchors")
        yield {instance: key for part in made for instance, key in part.items()}


def _partitions(site: Hashable, instances: Sequence[Instance]) -> list[dict[Instance, Hashable]]:
    """The partitions of one anchor's instances, the most converged ones first."""
    found: list[list[list[Instance]]] = [[]]
    for instance in instances:
        grown: list[list[list[Instance]]] = []
        for classes in found:
            for at, members in enumerate(classes):
                if all(member.thread != instance.thread for member in members):
                    grown.append([*classes[:at], [*members, instance], *classes[at + 1 :]])
            grown.append([*classes, [instance]])
        found = grown
        if len(found) > CHOICES:
            raise TooMany(f"{CHOICES} ways to group anchors")
    return [
        {instance: ("anchor", site, number) for number, members in enumerate(classes) for instance in members}
        for classes in found
    ]


def is_legal(
    groups: Mapping[Hashable, Sequence[Instance]], keys: Mapping[Instance, Hashable], paths: Sequence[Path]
) -> bool:
    """D-DEP: what operations with data or effects depend on, and the order of each thread's effects, carried
    across their groups, is acyclic."""
    before: dict[Hashable, set[Hashable]] = {}
    for key, members in groups.items():
        for instance in members:
            before.setdefault(key, set()).update(
                keys[need] for need in instance.needs if isinstance(need, Instance) and need in keys
            )
    for path in paths:
        last: Hashable | None = None
        for number, event in enumerate(path.events):
            now = (path.thread, number) if event.instance is None else keys[event.instance]
            if last is not None:
                before.setdefault(now, set()).add(last)
            last = now
    try:
        TopologicalSorter(before).prepare()
    except CycleError:
        return False
    return True
