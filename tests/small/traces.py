"""Executions of small programs: with whom each instance is together, in which order, and who waits.

A thread's *word* is the sequence of its control intrinsics and uses. The rules D-ENTRY, D-LOOP and D-USE read
of a trace nothing else, so that of all paths with one word one stands for all.

All words of a program are run as the threads of *one* launch. What is asked of two threads (are these
instances converged?) is answered there for every two of them, and for one with its like, as each word is run
twice; an order that all threads keep at once is kept by any two or three of them; and if nobody waits for
ever in the whole launch, then nobody does in a part of it, for a group of the part is the group of the whole
without those that are away, and what waits for what is a part of that order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise
from typing import NamedTuple

from convergence.sched.engines import enumerate as enumerate_both
from convergence.semantics import Returned
from convergence.semantics.machine.run import Run, run
from tests.oracles.model import Function, Item, Kind, module_text
from tests.small.modules import EXCHANGE, Maker
from tests.small.statics import Difference

VISITS = 3
"""How often a thread comes to one block, at most."""

Site = tuple[int, int]
"""Block and position."""


class Path(NamedTuple):
    """The blocks that a thread goes through, and the word that they make."""

    blocks: tuple[int, ...]
    word: tuple[Site, ...]


def paths(function: Function, visits: int = VISITS) -> list[Path]:
    """One path for each word of a thread that returns and comes to no block more often than that."""
    by_word: dict[tuple[Site, ...], tuple[int, ...]] = {}
    counts = [0] * len(function.blocks)

    def walk(block: int, blocks: tuple[int, ...], word: tuple[Site, ...]) -> None:
        counts[block] += 1
        blocks = (*blocks, block)
        word += tuple((block, p) for p in range(len(function.blocks[block].items)))
        targets = function.blocks[block].targets
        if not targets:
            by_word.setdefault(word, blocks)
        for target in targets:
            if counts[target] < visits:
                walk(target, blocks, word)
        counts[block] -= 1

    walk(0, (), ())
    return [Path(blocks, word) for word, blocks in by_word.items()]


@cache
def maker() -> Maker:
    """What makes modules with an exchange at each use: it waits for its group."""
    return Maker(EXCHANGE)


class Instance(NamedTuple):
    """The ``position``-th item of a thread's word."""

    thread: int
    position: int


class Words:
    """The words of a launch's threads, and what the definition says of them, pair by pair."""

    def __init__(self, function: Function, words: list[tuple[Site, ...]]) -> None:
        self.function = function
        self.words = words
        names = {
            item.token: (b, p)
            for b, block in enumerate(function.blocks)
            for p, item in enumerate(block.items)
            if item.token is not None
        }
        self.token: dict[Instance, Instance | None] = {}
        """Who produced the token that an instance uses."""
        self.beats: dict[Instance, int] = {}
        """For a loop: which time the thread executes it with that token value."""
        for thread, word in enumerate(words):
            last: dict[Site, Instance] = {}
            for position, site in enumerate(word):
                me = Instance(thread, position)
                operand = self.item(site).uses
                self.token[me] = None if operand is None else last[names[operand]]
                same = (
                    Instance(thread, p)
                    for p in range(position)
                    if word[p] == site and self.token[Instance(thread, p)] == self.token[me]
                )
                self.beats[me] = 1 + sum(1 for _ in same)
                last[site] = me

    def item(self, site: Site) -> Item:
        return self.function.blocks[site[0]].items[site[1]]

    def site(self, at: Instance) -> Site:
        return self.words[at.thread][at.position]

    def converged(self, one: Instance, two: Instance, classes: dict[Instance, int]) -> bool:
        """What D-ENTRY, D-LOOP and D-USE say of two instances of one item, in different threads; of anchors
        ``classes`` says it (D-ANCHOR: any partition)."""
        item = self.item(self.site(one))
        match item.kind:
            case Kind.ENTRY:
                return True
            case Kind.ANCHOR:
                return classes[one] == classes[two]
        token_one, token_two = self.token[one], self.token[two]
        assert token_one is not None and token_two is not None
        together = self.site(token_one) == self.site(token_two) and self.converged(
            token_one, token_two, classes
        )
        return together and (item.kind is not Kind.LOOP or self.beats[one] == self.beats[two])


def classes_of(done: Run, words: Words) -> dict[Instance, int]:
    """With whom each instance is together in a run: numbers of classes."""
    indices = {}
    for b, block in enumerate(words.function.blocks):
        for p in range(len(block.items)):
            indices[b, p] = sum(len(x.items) + 1 for x in words.function.blocks[:b]) + p
    places: dict[tuple[int, int, int], Instance] = {}
    for thread, word in enumerate(words.words):
        counts: dict[Site, int] = {}
        for position, site in enumerate(word):
            counts[site] = counts.get(site, 0) + 1
            places[thread, indices[site], counts[site]] = Instance(thread, position)
    return {
        places[i.thread, i.site.index, i.nth]: number
        for number, group in enumerate(done.execution.converged.classes)
        for i in group
    }


def check(words: Words, classes: dict[Instance, int]) -> str:
    """What is wrong with a relation over the instances of some words; "" if nothing is."""
    if classes.keys() != words.token.keys():
        return "not every instance has a class"
    by_site: dict[Site, list[Instance]] = {}
    for at in words.token:
        by_site.setdefault(words.site(at), []).append(at)
    site_of: dict[int, Site] = {}
    for at, number in classes.items():
        if site_of.setdefault(number, words.site(at)) != words.site(at):
            return f"{at} is together with another item's instance"
    for instances in by_site.values():
        for one, two in combinations(instances, 2):
            same = classes[one] == classes[two]
            if one.thread == two.thread:
                if same:
                    return f"{one} and {two} are together, and of one thread"
            elif same != words.converged(one, two, classes):
                return f"{one} and {two} are {'' if same else 'not '}together"
    if circle(words, classes):
        return "convergence-before has a circle"
    return ""


def circle(words: Words, classes: dict[Instance, int]) -> bool:
    """Whether the order of the threads, taken over classes, has a circle."""
    after: dict[int, set[int]] = {number: set() for number in classes.values()}
    for thread, word in enumerate(words.words):
        order = [classes[Instance(thread, p)] for p in range(len(word))]
        for one, two in pairwise(order):
            after[one].add(two)
    waiting = dict.fromkeys(after, 0)
    for later in after.values():
        for number in later:
            waiting[number] += 1
    ready = [number for number, count in waiting.items() if not count]
    done = 0
    while ready:
        done += 1
        for number in after[ready.pop()]:
            waiting[number] -= 1
            if not waiting[number]:
                ready.append(number)
    return done < len(after)


def undisciplined(function: Function) -> str:
    """Which of the sentences of ``proofs/README.md`` about traces a program's words break, if any: who uses a
    token has done with younger ones; instructions that use one token come in one order in all threads, and
    only loops come again with it; entry comes first."""
    ways = paths(function)
    words = Words(function, [way.word for way in ways])
    later: dict[Site, set[Site]] = {}
    for thread, word in enumerate(words.words):
        instances = [Instance(thread, p) for p in range(len(word))]
        for one, two in combinations(instances, 2):
            first, second = words.token[one], words.token[two]
            site, again = words.site(one), words.site(two)
            if words.item(again).kind is Kind.ENTRY:
                return f"entry comes behind another in {word}"
            if first is None or second is None:
                continue
            if first < second < one:
                return f"an older token is used before {two} in {word}"
            if first == second and site != again:
                later.setdefault(site, set()).add(again)
            elif first == second and words.item(site).kind is not Kind.LOOP:
                return f"{again} comes again with one token in {word}"
    while free := [site for site in later if not later[site] & later.keys()]:
        for site in free:
            del later[site]
    return f"there is no order of {sorted(later)}" if later else ""


def launched(function: Function, ways: list[Path]) -> Run:
    """A run whose threads go these ways."""
    names = [[f"b{b}" for b in way.blocks] for way in ways]
    return run(maker().module([function]), function="f0", paths=names, uncontrolled="none")


def check_together(function: Function) -> int:
    """All words of a program as the threads of one launch, each twice: how many threads that are. Raises
    Difference."""
    ways = [way for way in paths(function) for _ in range(2)]
    if not ways:
        return 0
    done = launched(function, ways)
    if not isinstance(done.ending, Returned):
        raise Difference(f"{done.ending}\n{module_text([function])}")
    words = Words(function, [way.word for way in ways])
    if why := undisciplined(function):
        raise Difference(f"{why}\n{module_text([function])}")
    if why := check(words, classes_of(done, words)):
        raise Difference(f"{why}: {ways}\n{module_text([function])}")
    return len(ways)


def check_engines(function: Function, most: int | None = None) -> tuple[int, int]:
    """Both engines enumerate every two words, each with its like, too, and every three: how many launches
    that are, and in how many of them both were complete. ``most``: at most so many launches of two and of
    three threads, spread evenly. Raises Disagreement where the engines differ."""
    launches = complete = 0
    module = maker().module([function])
    for ways in chosen(paths(function), most):
        names = [[f"b{b}" for b in way.blocks] for way in ways]
        answer = enumerate_both(
            module, engine="both", function="f0", paths=names, uncontrolled="none", timeout=20.0
        )
        launches += 1
        complete += answer.engine == "both"
        if {o.ending for o in answer.outcomes} != {"returned"}:
            raise Difference(
                f"endings {[o.ending for o in answer.outcomes]}: {ways}\n{module_text([function])}"
            )
    return launches, complete


def chosen(ways: list[Path], most: int | None) -> Iterator[tuple[Path, ...]]:
    """Every two and three of some paths, or at most so many of each, spread evenly."""
    for count in (2, 3):
        every = list(_with_repetition(ways, count))
        step = 1 if most is None else max(1, -(-len(every) // most))
        yield from every[len(every) // 2 % step :: step]


def _with_repetition(ways: list[Path], count: int) -> Iterator[tuple[Path, ...]]:
    if count == 0:
        yield ()
        return
    for place, way in enumerate(ways):
        for rest in _with_repetition(ways[place:], count - 1):
            yield (way, *rest)
