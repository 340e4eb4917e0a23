"""Where threads that part at a branch meet again (CAU: *Disjoint paths*, *Join node*, *Divergent Cycle
Exits*).

Two threads that are converged at a branch and take different successors go on until they are converged again.
Of the two, at most one passes the header of a cycle around the branch before that: were both to pass it, they
would be converged there. So such a header is where a path leaves this iteration: whoever passes it goes
round, and leaves the cycle, if it does, in a later one, by any exit. In that graph, in which a header of a
cycle around the branch leads to the exits of its cycle, a block is a *join* iff two paths from the branch to
it have nothing else in common. By Menger's theorem that is so iff no block but the branch dominates it, as
seen from the branch, and edges lead to it from more than one block that it does not dominate itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..frozen import dataclass
from ..ir.cfg import Cfg, graph
from ..ir.cycles import Cycle, Cycles
from ..ir.dominators import dominators


@dataclass(frozen=True, slots=True)
class DivergedPaths:
    """From one branch: ``joins`` maps each join to the predecessors by which threads may arrive there;
    ``exits`` are (cycle, target): a thread leaves the cycle for that block in an iteration in which another
    one stays in it."""

    joins: Mapping[int, tuple[int, ...]]
    exits: tuple[tuple[int, int], ...]


def exit_edges(cfg: Cfg, forest: Cycles, cycle: Cycle) -> tuple[tuple[int, int], ...]:
    """The edges that leave a cycle."""
    return tuple(
        (block, successor)
        for block in forest.blocks(cycle)
        for successor in cfg.successors[block]
        if not forest.contains(cycle, successor)
    )


def diverged_paths(
    cfg: Cfg, forest: Cycles, branch: int, cut: Callable[[Cycle], bool] = lambda cycle: True
) -> DivergedPaths:
    """Joins and divergent exits of a branch; headers of the cycles that ``cut`` names lead to their exits."""
    around = [cycle for cycle in forest.around(branch) if cut(cycle)]
    leaving = {cycle.header: exit_edges(cfg, forest, cycle) for cycle in around}
    again = len(cfg)  # stands for the branch's own block, reached anew

    def edges(node: int) -> tuple[int, ...]:
        block = branch if node == again else node
        if node != branch and block in leaving:
            targets: tuple[int, ...] = tuple(dict.fromkeys(target for _, target in leaving[block]))
        else:
            targets = () if node == again else cfg.successors[node]
        return tuple(again if target == branch else target for target in targets)

    order, number, todo = [branch], {branch: 0}, [branch]
    while todo:
        for successor in edges(todo.pop()):
            if successor not in number:
                number[successor] = len(order)
                order.append(successor)
                todo.append(successor)
    graph_of_numbers = graph([""] * len(order), [tuple(number[s] for s in edges(node)) for node in order])
    idom = dominators(graph_of_numbers).idom
    label: list[int] = [-1] * len(order)
    for at in graph_of_numbers.rpo[1:]:
        label[at] = at if idom[at] == 0 else label[idom[at]]

    joins: dict[int, tuple[int, ...]] = {}
    for at in range(1, len(order)):
        # who comes by a block that the join dominates was there before: that is no other path to it
        coming = [p for p in graph_of_numbers.predecessors[at] if p == 0 or label[p] != at]
        if idom[at] == 0 and len(coming) > 1:
            block = branch if order[at] == again else order[at]
            arrivals: set[int] = set()
            for predecessor in (order[p] for p in coming):
                source = branch if predecessor == again else predecessor
                if predecessor != branch and source in leaving:
                    arrivals.update(u for u, target in leaving[source] if target == block)
                else:
                    arrivals.add(source)
            joins[block] = tuple(sorted(arrivals))

    exits: dict[tuple[int, int], None] = {}
    for cycle in around:
        header = number.get(again if cycle.header == branch else cycle.header)
        if header is None:
            continue
        for at, node in enumerate(order):
            inside = branch if node == again else node
            if at == header or not forest.contains(cycle, inside):
                continue
            for target in edges(node):
                outside = branch if target == again else target
                if not forest.contains(cycle, outside) and (at == 0 or label[at] != label[header]):
                    exits[cycle.index, outside] = None
    return DivergedPaths(dict(sorted(joins.items())), tuple(exits))
