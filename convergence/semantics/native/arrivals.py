"""Whether a thread may still come to an exchange at which others wait, natively: what
:func:`~..convergence.arrival.may_come` says, for expanded code.

There a key is a list of counts, outermost first: of the headers around each call on the way and around the
operation, or, where these have tokens, of the loops from which the tokens hang. A thread that has the same
counts up to one of them is before or behind the others by that one: behind them it never comes; before them
it comes if it can reach the header, or the loop, often enough. Who has all counts the same comes if it can
reach the operation, or the call that leads there. What the text alone decides, which is whether something can
be reached, is known when code is made; counts are compared when it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

from ...frozen import dataclass
from ...ir import instructions as ir
from ...ir.calls import Control, control
from ..threads.state import Code, Segment
from .routine import Routine
from .unattended import ExpandedFunction, Stop

Chain = Sequence[tuple[ExpandedFunction, Segment]]
"""The activations of a thread, the innermost first, and where each goes on."""

NO, YES, OPEN = 0, 1, 2
"""Whether a thread may come; OPEN: not known here."""


@dataclass(frozen=True, slots=True)
class Level:
    """A count that is compared: the thread's own, and the others'; ``same`` are words that have to be alike
    among the thread's own for its count to count, else it is 0. Who is before comes or not, if one more is
    missing and if several are."""

    own: int
    theirs: int
    same: tuple[tuple[int, int], ...]
    once: bool
    often: bool


@dataclass(frozen=True, slots=True)
class Arrival:
    """What is asked of a thread at one place about an operation: its counts in turn, and whether who has them
    all comes."""

    levels: tuple[Level, ...]
    here: bool


@dataclass(frozen=True, slots=True)
class Standpoint:
    """A place where threads stop: who ``waits`` there has its exchange before it."""

    stop: int
    waits: bool

    @property
    def number(self) -> int:
        return 2 * self.stop + self.waits


def may_come(stops: Sequence[Stop], chains: Mapping[int, Chain]) -> Iterator[str]:
    """``i64 @may.come(i64 at, i64 stand, ptr own, ptr theirs)``: whether a thread at a :class:`Standpoint`
    may come to the exchange with the number ``at``, by the words of both."""
    exchanges = [stop for stop in stops if stop.exchange is not None]
    stands = [Standpoint(stop.number, False) for stop in stops if stop.number in chains]
    stands += [Standpoint(stop.number, True) for stop in exchanges]
    for stop in exchanges:
        yield _about(stop, stands, stops, chains)
    whole = Routine("define internal i64 @may.come(i64 %at, i64 %stand, ptr %own, ptr %theirs)")

    def ask(number: int) -> None:
        question = f"call i64 @may.come.{number}(i64 %stand, ptr %own, ptr %theirs)"
        whole.give(whole.typed(question))

    ways = {stop.number: partial(ask, stop.number) for stop in exchanges}
    whole.switch("%at", ways, lambda: whole.give(OPEN))
    yield whole.text()


def _about(
    stop: Stop, stands: Sequence[Standpoint], stops: Sequence[Stop], chains: Mapping[int, Chain]
) -> str:
    routine = Routine(f"define internal i64 @may.come.{stop.number}(i64 %stand, ptr %own, ptr %theirs)")
    by_answer: dict[Arrival, partial[None]] = {}
    ways = {}
    for stand in stands:
        arrival = _arrival(stop, chains[stop.number], stand, stops[stand.stop - 1], chains[stand.stop])
        if arrival is not None:
            ways[stand.number] = by_answer.setdefault(arrival, partial(_decided, routine, arrival))
    routine.switch("%stand", ways, lambda: routine.give(OPEN))
    return routine.text()


def _decided(r: Routine, arrival: Arrival) -> None:
    for level in arrival.levels:
        theirs, own = r.read("%theirs", level.theirs), r.read("%own", level.own)
        for a, b in level.same:
            alike = r.compare("eq", r.read("%own", a), r.read("%own", b))
            own = r.choose(alike, own, 0)
        with r.when(r.compare("ne", own, theirs)):
            with r.when(r.compare("ugt", own, theirs)):
                r.give(NO)
            last = r.compare("eq", r.do("sub", theirs, own), 1)
            r.give(r.choose(last, int(level.once), int(level.often)))
    r.give(int(arrival.here))


def _arrival(stop: Stop, chain: Chain, stand: Standpoint, where: Stop, there: Chain) -> Arrival | None:
    """``None`` where it is not known."""
    assert stop.exchange is not None
    ours, theirs = list(reversed(chain)), list(reversed(there))
    levels: list[Level] = []
    depth = 0
    while True:
        activation = ours[depth][0]
        innermost = depth + 1 == len(ours)
        if innermost:
            site = stop.exchange.site.index
        else:
            call = ours[depth + 1][0].call
            assert call is not None
            site = call.index
            if call.holds:
                return None
        at = theirs[depth][1].first
        if stand.waits and depth + 1 == len(theirs):
            assert where.exchange is not None
            at = where.exchange.site.index
        own, here = _levels(activation, site, at)
        if own is None:
            return None
        levels += own
        further = not innermost and depth + 1 < len(theirs) and theirs[depth + 1][0] is ours[depth + 1][0]
        if not further:
            return Arrival(tuple(levels), here)
        depth += 1


def _levels(activation: ExpandedFunction, site: int, at: int) -> tuple[list[Level] | None, bool]:
    """The counts that an operation has in its activation, for a thread that is at an instruction there; and
    whether who has them all comes to it."""
    code = activation.reference
    token = code.token_of.get(site)
    return _by_headers(activation, code, site, at) if token is None else _by_tokens(
        activation, code, token, site, at
    )  # fmt: skip


def _by_headers(
    activation: ExpandedFunction, code: Code, site: int, at: int
) -> tuple[list[Level] | None, bool]:
    """As :func:`~..convergence.arrival._from_header` for the most recent headers around."""
    graph, block = code.graph, code.graph.block_of[site]
    inside = [b for b in activation.code.blocks if b.heads and activation.code.blocks[block].cycle in b.heads]
    levels = []
    for header in sorted(inside, key=lambda b: -len(b.heads)):
        others, target = code.around[header.number] - {header.number}, frozenset([header.number])
        nothing: frozenset[int] = frozenset()
        once = graph.reaches(at, nothing, nothing, target, others)
        first = graph.nodes[header.number].first
        often = once and graph.reaches(first, nothing, nothing, target, others)
        word = activation.headers[header.cycle]
        levels.append(Level(word, word, (), once, often))
    return levels, graph.reaches(at, frozenset([site]), avoid_blocks=code.around[block])


def _by_tokens(
    activation: ExpandedFunction, code: Code, token: int, site: int, at: int
) -> tuple[list[Level] | None, bool]:
    """As :func:`~..convergence.arrival._from_token` for each loop from which the token hangs."""
    graph, slots = code.graph, [token]
    while True:
        index = code.defined_at.get(slots[0], -1)
        instruction = code.instructions[index] if index >= 0 else None
        kind = control(instruction) if isinstance(instruction, ir.Call) else None
        if kind is Control.ENTRY:
            break
        above = code.token_of.get(index)
        if kind is not Control.LOOP or above is None:
            return None, False
        slots.insert(0, above)
    columns = activation.tokens.get(token)
    if columns is None or any(slot not in activation.tokens for slot in slots):
        return None, False
    levels = []
    for above, slot in pairwise(slots):
        own, parent = activation.tokens[slot], activation.tokens[above]
        loop, avoid = frozenset([code.defined_at[slot]]), frozenset([code.defined_at[above]])
        once = graph.reaches(at, loop, avoid)
        often = once and graph.reaches(code.defined_at[slot] + 1, loop, avoid)
        same = tuple(zip(own, parent, strict=False))
        levels.append(Level(own[-1], columns[len(own) - 1], same, once, often))
    return levels, graph.reaches(at, frozenset([site]), frozenset([code.defined_at[token]]))


def same_instance(stops: Sequence[Stop]) -> Iterator[str]:
    """``i1 @same(i64 at, ptr one, ptr other)``: whether two threads at one exchange have equal keys."""
    routine = Routine("define internal i1 @same(i64 %at, ptr %one, ptr %other)")

    def compared(columns: tuple[int, ...]) -> None:
        alike = "true"
        for column in columns:
            first, second = routine.read("%one", column), routine.read("%other", column)
            alike = routine.both(alike, routine.compare("eq", first, second))
        routine.give(alike, "i1")

    ways = {s.number: partial(compared, s.exchange.columns) for s in stops if s.exchange is not None}
    routine.switch("%at", ways, lambda: routine.give("false", "i1"))
    yield routine.text()
