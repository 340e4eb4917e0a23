"""Searches in a part of the CFG: shortest paths, closed paths through one block or through two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..frozen import dataclass

Edges = Sequence[Sequence[int]]
Inside = Callable[[int], bool]


class SearchBudget:
    """How many more block visits searches may make."""

    def __init__(self, visits: int) -> None:
        self.remaining = visits


def shortest_path(
    edges: Edges, start: int, goal: int, inside: Inside, effort: SearchBudget | None = None
) -> tuple[int, ...] | None:
    """A shortest path of blocks for which ``inside`` holds, both ends included; ``None`` if there is none.

    From a block to itself that is the block alone. Visits are taken from ``effort``, which does not
    stop the search.
    """
    if start == goal:
        return (start,)
    return _search(edges, start, goal, inside, effort)


def shortest_closed_path(
    edges: Edges, block: int, inside: Inside, effort: SearchBudget | None = None
) -> tuple[int, ...] | None:
    """A shortest closed path through a block, from the block on, its return left out."""
    path = _search(edges, block, block, inside, effort)
    return None if path is None else path[:-1]


def _search(
    edges: Edges, start: int, goal: int, inside: Inside, effort: SearchBudget | None
) -> tuple[int, ...] | None:
    """Breadth first from ``start`` over at least one edge to ``goal``."""
    came: dict[int, int] = {}
    level = [start]
    while level:
        following = []
        for block in level:
            for successor in edges[block]:
                if successor == goal:
                    path = [goal, block]
                    while path[-1] != start:
                        path.append(came[path[-1]])
                    if effort is not None:
                        effort.remaining -= len(came)
                    return tuple(reversed(path))
                if successor not in came and successor != start and inside(successor):
                    came[successor] = block
                    following.append(successor)
        level = following
    if effort is not None:
        effort.remaining -= len(came)
    return None


def reach(edges: Edges, start: int, inside: Inside) -> set[int]:
    """The blocks that at least one edge leads to from ``start``, over blocks for which ``inside`` holds."""
    numbers: set[int] = set()
    todo = [start]
    while todo:
        for successor in edges[todo.pop()]:
            if successor not in numbers and inside(successor):
                numbers.add(successor)
                todo.append(successor)
    return numbers


def reach_all(edges: Edges, starts: Iterable[int]) -> set[int]:
    """The start blocks and all that they lead to."""
    visited = set(starts)
    todo = list(visited)
    while todo:
        for successor in edges[todo.pop()]:
            if successor not in visited:
                visited.add(successor)
                todo.append(successor)
    return visited


@dataclass(frozen=True, slots=True)
class Closed:
    """``blocks`` in walking order; ``is_path`` says that no block comes twice, else it is a closed walk
    of which the search did not find out whether a closed path exists too."""

    blocks: tuple[int, ...]
    is_path: bool


def closed_path_through(
    edges: Edges, a: int, b: int, inside: Inside, effort: SearchBudget, allowance: SearchBudget | None = None
) -> Closed | None:
    """A closed path through two different blocks, or ``None`` if there is none.

    The question is the two disjoint paths problem, NP-complete in general digraphs (Fortune, Hopcroft,
    Wyllie 1980). Tried first: a shortest path either way and a way back that avoids it. Else an exact
    search over the paths from ``a`` to ``b``, cut off where ``b`` or the way back is out of reach.
    When its ``effort`` is used up, the closed walk. ``allowance`` pays for the shortest paths.
    """
    there = shortest_path(edges, a, b, inside, allowance)
    back = shortest_path(edges, b, a, inside, allowance) if there is not None else None
    if there is None or back is None:
        return None
    for half in (there, back):
        rest = _complete(edges, half, inside, allowance)
        if rest is not None:
            return Closed(half[:-1] + rest[:-1], True)
    exact = _search_two(edges, a, b, inside, effort)
    if effort.remaining > 0:
        return None if exact is None else Closed(exact, True)
    return Closed(exact, True) if exact is not None else Closed(there[:-1] + back[:-1], False)


def _complete(
    edges: Edges, half: tuple[int, ...], inside: Inside, allowance: SearchBudget | None
) -> tuple[int, ...] | None:
    """A shortest path from the end of a path back to its start that avoids what lies between."""
    taken = set(half[1:-1])
    free: Inside = lambda block: block not in taken and inside(block)  # noqa: E731
    return shortest_path(edges, half[-1], half[0], free, allowance)


def _search_two(edges: Edges, a: int, b: int, inside: Inside, effort: SearchBudget) -> tuple[int, ...] | None:
    """Depth first over the paths from ``a`` to ``b`` that leave a way back."""
    path = [a]
    on_path = {a}

    def free(block: int) -> bool:
        return block not in on_path and inside(block)

    def hopeful(block: int) -> bool:
        """Whether from ``block``, newly on the path, ``b`` can be reached, and from there ``a``."""
        ahead = reach(edges, block, free)
        home = reach(edges, b, lambda x: x == a or free(x))
        effort.remaining -= len(ahead) + len(home)
        return b in ahead and a in home

    stack = [iter(edges[a])]
    while stack and effort.remaining > 0:
        for successor in stack[-1]:
            if successor == b:
                way_back = shortest_path(edges, b, a, lambda x: x == a or free(x))
                if way_back is not None:
                    return (*path, *way_back[:-1])
            elif free(successor):
                on_path.add(successor)
                if hopeful(successor):
                    path.append(successor)
                    stack.append(iter(edges[successor]))
                    break
                on_path.discard(successor)
        else:
            stack.pop()
            on_path.discard(path.pop())
    return None
