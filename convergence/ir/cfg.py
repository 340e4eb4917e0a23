"""The control flow of a function: its graph, dominance, convergence regions and cycles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import NamedTuple

from ..frozen import dataclass
from . import TOKEN, Local
from .instructions import CallSite, Instruction, Phi, operands, successors
from .module import Function

# ----------------------------------------------------------------------------------------------------------
# The control flow graph of a function: edges, orders, dominance, and the regions of tokens.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# The control flow graph of a function, and dominance in it.
#
# Blocks by number, edges, reachability, orders.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# The control flow graph of a function: blocks by number, edges, reachability, orders.
#
# A block is its index in ``Function.blocks``; ``names`` gives the text's name for it. An edge that
# a terminator spells twice (``switch``) is one edge; edges keep the order of the text.
# ----------------------------------------------------------------------------------------------------------


class Point(NamedTuple):
    """The program point just before the instruction at ``position`` (from 0) in ``block``."""

    block: int
    position: int


@dataclass(frozen=True, slots=True)
class Cfg:
    """A CFG whose entry is block 0.

    ``preorder`` and ``rpo`` (reverse postorder) list the reachable blocks as one depth-first
    search finds them that takes successors in text order; ``place`` is each block's in ``rpo``, -1 for an
    unreachable one; ``reachable`` has a flag per block.
    ``lengths`` are the numbers of instructions per block.
    """

    names: tuple[str, ...]
    successors: tuple[tuple[int, ...], ...]
    predecessors: tuple[tuple[int, ...], ...]
    lengths: tuple[int, ...]
    preorder: tuple[int, ...]
    rpo: tuple[int, ...]
    place: tuple[int, ...]
    reachable: tuple[bool, ...]
    index: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.names)


def build_cfg(function: Function) -> Cfg:
    """The CFG of a definition.

    :raises ValueError: for a terminator that names a block which the function lacks (LLVM rejects
        such text, so this cannot come from a file that it accepted).
    """
    blocks = function.blocks
    index = {block.name: number for number, block in enumerate(blocks)}
    try:
        edges = [
            tuple(dict.fromkeys(index[name] for name in successors(block.instructions[-1])))
            if block.instructions
            else ()
            for block in blocks
        ]
    except KeyError as missing:
        raise ValueError(f"@{function.name} has no block %{missing.args[0]}") from None
    return graph([block.name for block in blocks], edges, [len(block.instructions) for block in blocks])


def graph(names: Sequence[str], edges: Sequence[Sequence[int]], lengths: Sequence[int] | None = None) -> Cfg:
    """A CFG from bare edges: ``edges[b]`` are the successors of block ``b``, without repetition."""
    predecessors: list[list[int]] = [[] for _ in names]
    for source, targets in enumerate(edges):
        for target in targets:
            predecessors[target].append(source)
    preorder, postorder = depth_first(edges) if names else ([], [])
    place = [-1] * len(names)
    for at, block in enumerate(reversed(postorder)):
        place[block] = at
    return Cfg(
        names=tuple(names),
        successors=tuple(map(tuple, edges)),
        predecessors=tuple(map(tuple, predecessors)),
        lengths=tuple(lengths) if lengths is not None else (1,) * len(names),
        preorder=tuple(preorder),
        rpo=tuple(reversed(postorder)),
        place=tuple(place),
        reachable=tuple([at >= 0 for at in place]),
        index={name: number for number, name in enumerate(names)},
    )


def depth_first(edges: Sequence[Sequence[int]], backwards: bool = False) -> tuple[list[int], list[int]]:
    """Preorder and postorder of a depth-first search from block 0.

    It takes successors in text order, or last first when ``backwards``.
    """
    visited = [False] * len(edges)
    visited[0] = True
    preorder, postorder = [0], []
    step = -1 if backwards else 1
    stack = [(0, iter(edges[0][::step]))]
    while stack:
        block, rest = stack[-1]
        for successor in rest:
            if not visited[successor]:
                visited[successor] = True
                preorder.append(successor)
                stack.append((successor, iter(edges[successor][::step])))
                break
        else:
            postorder.append(block)
            stack.pop()
    return preorder, postorder


# ----------------------------------------------------------------------------------------------------------
# Dominance, by Lengauer and Tarjan's algorithm with path compression: O(edges * log blocks).
#
# (*A fast algorithm for finding dominators in a flowgraph*, TOPLAS 1979, the simple version.)
# As semantics.md §4 says, everything dominates an unreachable point, but inside one unreachable
# block a definition comes first.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Dominators:
    """The dominator tree.

    ``idom`` is each block's immediate dominator, -1 for the entry and for unreachable blocks.
    ``enter`` and ``leave`` number the tree in preorder: the subtree of ``a`` is the blocks with
    ``enter[a] <= enter[b] < leave[a]``; both are -1 for unreachable blocks.
    """

    idom: tuple[int, ...]
    enter: tuple[int, ...]
    leave: tuple[int, ...]

    def dominates(self, a: int, b: int) -> bool:
        """Whether block ``a`` is on every path from the entry to block ``b``; a block dominates itself."""
        if self.enter[b] < 0:
            return True
        return 0 <= self.enter[a] <= self.enter[b] < self.leave[a]

    def defined_before(self, definition: Point, point: Point) -> bool:
        """Whether the value of the instruction at ``definition`` is there at ``point``:
        the instruction is passed on every path from the entry to that point."""
        if definition.block == point.block:
            return definition.position < point.position
        return self.dominates(definition.block, point.block)


def dominators(cfg: Cfg) -> Dominators:
    """The dominator tree of a CFG."""
    size = len(cfg)
    order = cfg.preorder
    number = [-1] * size
    for at, block in enumerate(order):
        number[block] = at
    idom = [-1] * size
    for at, dominator in enumerate(_immediate(cfg, order, number)):
        if at:
            idom[order[at]] = order[dominator]
    enter, leave = _intervals(idom, order, size)
    return Dominators(tuple(idom), tuple(enter), tuple(leave))


def is_no_ssa(function: Function) -> bool:
    """Whether a function is in no SSA form, as LLVM's verifier says, tokens aside: the definition of some
    value that is used does not dominate the use, or a phi has no value for a block from which it is entered.
    A phi uses a value where the block that it comes from ends."""
    parameters = {parameter.name for parameter in function.parameters}
    home: dict[str, int] = {}
    later: list[tuple[str, int]] = []
    coming: list[tuple[str, str]] = []
    entered: dict[str, list[set[str]]] = {}
    for number, block in enumerate(function.blocks):
        above: set[str] = set()
        for instruction in block.instructions:
            if isinstance(instruction, Phi):
                coming += _brought(instruction)
                entered.setdefault(block.name, []).append({source for _, source in instruction.incoming})
            else:
                later += [(name, number) for name in _read(instruction) if name not in above]
            if instruction.result is not None:
                above.add(instruction.result)
                home[instruction.result] = number
    if entered and any(
        block.name not in sources
        for block in function.blocks
        for target in successors(block.terminator)
        for sources in entered.get(target, ())
    ):
        return True
    later = [(name, at) for name, at in later if name not in parameters and (home[name] or home[name] == at)]
    coming = [(name, source) for name, source in coming if name not in parameters and home[name]]
    if not later and not coming:
        return False
    cfg = build_cfg(function)
    tree = dominators(cfg)
    return any(home[name] == at or not tree.dominates(home[name], at) for name, at in later) or any(
        not tree.dominates(home[name], cfg.index[source]) for name, source in coming
    )


def _brought(phi: Phi) -> Iterator[tuple[str, str]]:
    """The values that a phi takes by name, and from which blocks."""
    if phi.type != TOKEN:
        for value, source in phi.incoming:
            if isinstance(value, Local):
                yield value.name, source


def _read(instruction: Instruction) -> Iterator[str]:
    """The values that an instruction reads by name."""
    for operand in operands(instruction):
        if isinstance(operand, Local):
            yield operand.name
    if isinstance(instruction, CallSite) and isinstance(instruction.callee, Local):
        yield instruction.callee.name


def _immediate(cfg: Cfg, order: Sequence[int], number: Sequence[int]) -> list[int]:
    """Immediate dominators in preorder numbers; the first entry is meaningless."""
    count = len(order)
    parent = _parents(cfg, order, number)
    semi = list(range(count))
    label = list(range(count))
    ancestor = [-1] * count
    bucket: list[list[int]] = [[] for _ in range(count)]
    idom = [0] * count

    def evaluate(node: int) -> int:
        """The node with the least semidominator on the linked path above ``node``."""
        if ancestor[node] < 0:
            return label[node]
        path, top = [], node
        while ancestor[ancestor[top]] >= 0:
            path.append(top)
            top = ancestor[top]
        for below in reversed(path):
            above = ancestor[below]
            if semi[label[above]] < semi[label[below]]:
                label[below] = label[above]
            ancestor[below] = ancestor[above]
        return label[node]

    for node in range(count - 1, 0, -1):
        for block in cfg.predecessors[order[node]]:
            if number[block] >= 0:
                semi[node] = min(semi[node], semi[evaluate(number[block])])
        bucket[semi[node]].append(node)
        above = parent[node]
        ancestor[node] = above
        for waiting in bucket[above]:
            best = evaluate(waiting)
            idom[waiting] = best if semi[best] < semi[waiting] else above
        bucket[above].clear()
    for node in range(1, count):
        if idom[node] != semi[node]:
            idom[node] = idom[idom[node]]
    return idom


def _parents(cfg: Cfg, order: Sequence[int], number: Sequence[int]) -> list[int]:
    """Each node's parent in the depth-first tree whose preorder is ``order``, in preorder numbers.

    In such a preorder a node's parent is the deepest node on the current tree path with an edge to it.
    """
    if not order:
        return []
    _, postorder = depth_first(cfg.successors)
    finish = [0] * len(cfg)
    for at, block in enumerate(postorder):
        finish[block] = at
    parent, path = [-1] * len(order), [order[0]]
    for at in range(1, len(order)):
        block = order[at]
        while finish[path[-1]] < finish[block]:
            path.pop()
        parent[at] = number[path[-1]]
        path.append(block)
    return parent


def _intervals(idom: Sequence[int], order: Sequence[int], size: int) -> tuple[list[int], list[int]]:
    """Preorder intervals of the dominator tree."""
    children: list[list[int]] = [[] for _ in range(size)]
    for block in order[1:]:
        children[idom[block]].append(block)
    enter, leave, clock = [-1] * size, [-1] * size, 0
    stack = [order[0]] if order else []
    while stack:
        block = stack[-1]
        if enter[block] < 0:
            enter[block] = clock
            clock += 1
            stack.extend(children[block])
        else:
            leave[block] = clock
            stack.pop()
    return enter, leave


# ----------------------------------------------------------------------------------------------------------
# Convergence regions (COS, *Convergence Regions*; semantics.md §4), at instruction granularity.
#
# The region of a token T is where T is live: the points that its definition dominates and from which
# a use can be reached without passing the definition again.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Region:
    """The region of the token that the instruction at ``definition`` produces.

    ``spans`` maps a block to the half-open range of positions whose points lie in the region. The
    point of a position is *before* its instruction, where that reads its operands; it defines its
    result at the next point. So the last use is inside, the definition's own operand is not. A block
    that the region leaves at its end has the position after its last instruction too.
    """

    definition: Point
    spans: Mapping[int, tuple[int, int]]

    def contains(self, point: Point) -> bool:
        """Whether a point lies in the region."""
        first, last = self.spans.get(point.block, (0, 0))
        return first <= point.position < last

    def contains_definition(self, definition: Point) -> bool:
        """Whether the region contains a token's definition; it contains its own."""
        behind = Point(definition.block, definition.position + 1)
        return definition == self.definition or self.contains(behind)

    @property
    def blocks(self) -> tuple[int, ...]:
        """The blocks that lie in the region wholly or partly, in text order."""
        return tuple(sorted(self.spans))


def convergence_region(cfg: Cfg, tree: Dominators, definition: Point, uses: Iterable[Point]) -> Region:
    """The region of the token defined at ``definition`` and used at ``uses``; linear in its size."""
    home = definition.block
    last: dict[int, int] = {}  # per block the position of the last use that counts from its start
    live_in: set[int] = set()
    after: list[int] = []  # uses in the home block that come after the definition
    todo: list[int] = []
    for use in uses:
        if use.block == home and use.position > definition.position:
            after.append(use.position)
        else:
            last[use.block] = max(last.get(use.block, -1), use.position)
            todo.append(use.block)
    live_out: set[int] = set()
    while todo:
        block = todo.pop()
        if block in live_in:
            continue
        live_in.add(block)
        for predecessor in cfg.predecessors[block]:
            live_out.add(predecessor)
            if predecessor != home:
                todo.append(predecessor)
    spans: dict[int, tuple[int, int]] = {}
    for block in live_in:
        if block != home and tree.dominates(home, block):
            spans[block] = (0, cfg.lengths[block] + 1 if block in live_out else last[block] + 1)
    if home in live_out:
        spans[home] = (definition.position + 1, cfg.lengths[home] + 1)
    elif after:
        spans[home] = (definition.position + 1, max(after) + 1)
    return Region(definition, spans)


# ----------------------------------------------------------------------------------------------------------
# Cycles as LLVM's *Cycle Terminology* defines them: a forest that a depth-first search fixes.
#
# A cycle is a maximal strongly connected region with an edge inside; its header is its first block
# in the search; its children are the cycles of what remains without the header. For reducible CFGs
# every search gives the natural loops. Only blocks that the entry reaches are in cycles.
# ----------------------------------------------------------------------------------------------------------


class Order(Enum):
    """Which successor the depth-first search takes first.

    ``TEXT`` is convcheck's default (semantics.md, D-FREE). ``REVERSED`` takes the last successor
    first: that is what LLVM's ``GenericCycleInfo`` does (seen with ``opt -passes='print<cycles>'``).
    """

    TEXT = "text"
    REVERSED = "reversed"


@dataclass(frozen=True, slots=True)
class Cycle:
    """One cycle; ``parent`` and ``children`` are indices into ``Cycles.all``; ``depth`` counts from 1.

    ``entries`` are the blocks that can be reached from the function's entry without another block
    of the cycle, the header first.
    """

    index: int
    header: int
    entries: tuple[int, ...]
    parent: int | None
    children: tuple[int, ...]
    depth: int

    @property
    def is_reducible(self) -> bool:
        return len(self.entries) == 1


@dataclass(frozen=True, slots=True)
class Cycles:
    """The forest. ``all`` lists parents before their children; ``of`` is each block's smallest
    cycle as an index into ``all``, -1 for none."""

    all: tuple[Cycle, ...]
    of: tuple[int, ...]
    _enter: tuple[int, ...] = field(repr=False)
    _leave: tuple[int, ...] = field(repr=False)
    _layout: tuple[int, ...] = field(repr=False)
    _starts: tuple[int, ...] = field(repr=False)
    _jump: tuple[int, ...] = field(repr=False)

    @property
    def is_reducible(self) -> bool:
        """Whether each cycle has one entry."""
        return all(cycle.is_reducible for cycle in self.all)

    def innermost(self, block: int) -> Cycle | None:
        """The smallest cycle that contains a block."""
        at = self.of[block]
        return self.all[at] if at >= 0 else None

    def contains(self, cycle: Cycle, block: int) -> bool:
        """Whether a block is in a cycle, nested cycles included."""
        at = self.of[block]
        return at >= 0 and self._enter[cycle.index] <= self._enter[at] < self._leave[cycle.index]

    def blocks(self, cycle: Cycle) -> tuple[int, ...]:
        """All blocks of a cycle, nested cycles included, the header first."""
        first, last = self._enter[cycle.index], self._leave[cycle.index]
        return self._layout[self._starts[first] : self._starts[last]]

    def rank(self, block: int) -> int:
        """A number for sorting blocks: those of a cycle have the numbers of its ``span``. -1: in no cycle."""
        at = self.of[block]
        return self._enter[at] if at >= 0 else -1

    def span(self, cycle: Cycle) -> tuple[int, int]:
        """The half-open range of the ranks of a cycle's blocks."""
        return self._enter[cycle.index], self._leave[cycle.index]

    def parent(self, cycle: Cycle) -> Cycle | None:
        return None if cycle.parent is None else self.all[cycle.parent]

    def around(self, block: int) -> Iterator[Cycle]:
        """The cycles that contain a block, smallest first."""
        cycle = self.innermost(block)
        while cycle is not None:
            yield cycle
            cycle = self.parent(cycle)

    def top_level(self) -> Iterator[Cycle]:
        return (cycle for cycle in self.all if cycle.parent is None)

    def outermost_without(self, block: int, avoided: int) -> Cycle | None:
        """The largest cycle that contains ``block`` but not ``avoided``, in O(log depth)."""
        at = self.of[block]
        if at < 0 or self.contains(self.all[at], avoided):
            return None
        while True:
            if not self.contains(self.all[self._jump[at]], avoided) and self._jump[at] != at:
                at = self._jump[at]
                continue
            above = self.all[at].parent
            if above is None or self.contains(self.all[above], avoided):
                return self.all[at]
            at = above


def cycles(cfg: Cfg, order: Order = Order.TEXT) -> Cycles:
    """The cycles of a CFG for one depth-first search, after Havlak, as LLVM finds them: candidates for
    headers last to first in preorder, each taking up the blocks from which its back edges come."""
    if not len(cfg):
        return Cycles((), (), (), (), (), (0,), ())
    preorder, postorder = (
        (cfg.preorder, tuple(reversed(cfg.rpo)))
        if order is Order.TEXT
        else depth_first(cfg.successors, backwards=True)
    )
    search = _Search(cfg, preorder, postorder)
    for block in reversed(preorder):
        search.try_header(block)
    return search.finish(preorder)


class _Search:
    """The state of one computation; cycles are named by their headers until the end."""

    def __init__(self, cfg: Cfg, preorder: Sequence[int], postorder: Sequence[int]):
        self.predecessors = cfg.predecessors
        self.start = [-1] * len(cfg)
        self.finish_time = [-1] * len(cfg)
        for at, block in enumerate(preorder):
            self.start[block] = at
        for at, block in enumerate(postorder):
            self.finish_time[block] = at
        self.owner = [-1] * len(cfg)  # header of the smallest cycle so far
        self.outer = list(range(len(cfg)))  # union-find over headers, towards the outermost cycle
        self.parent: dict[int, int] = {}
        self.entries: dict[int, list[int]] = {}

    def outermost(self, header: int) -> int:
        root = header
        while self.outer[root] != root:
            root = self.outer[root]
        while self.outer[header] != root:
            self.outer[header], header = root, self.outer[header]
        return root

    def try_header(self, header: int) -> None:
        """Make a cycle of all blocks that reach a back edge to ``header`` below it in the search tree."""
        start, finish = self.start[header], self.finish_time[header]

        def below(block: int) -> bool:
            return self.start[block] >= start and self.finish_time[block] <= finish

        todo = [p for p in self.predecessors[header] if below(p)]
        if not todo:
            return
        self.owner[header] = header
        self.entries[header] = [header]
        while todo:
            block = todo.pop()
            if block == header:
                continue
            if self.owner[block] < 0:
                self.owner[block] = header
                taken = [block]
            else:
                child = self.outermost(self.owner[block])
                if child == header:
                    continue
                self.parent[child] = header
                self.outer[child] = header
                taken = self.entries[child]
            for joined in taken:
                is_entry = False
                for p in self.predecessors[joined]:
                    if self.start[p] < 0:
                        continue  # an unreachable predecessor makes no entry
                    if below(p):
                        todo.append(p)
                    else:
                        is_entry = True
                if is_entry:
                    self.entries[header].append(joined)

    def finish(self, preorder: Sequence[int]) -> Cycles:
        headers = [block for block in preorder if block in self.entries]  # parents come first
        index = {header: at for at, header in enumerate(headers)}
        children: list[list[int]] = [[] for _ in headers]
        depth, jump = [1] * len(headers), list(range(len(headers)))
        for at, header in enumerate(headers):
            if header in self.parent:
                above = index[self.parent[header]]
                children[above].append(at)
                depth[at] = depth[above] + 1
                far = jump[above]  # skew-binary jumps: two equal jumps merge into one
                equal = depth[above] - depth[far] == depth[far] - depth[jump[far]]
                jump[at] = jump[far] if equal and far != above else above
        enter, leave = _number(children, [at for at, h in enumerate(headers) if h not in self.parent])
        of = tuple(index[owner] if owner >= 0 else -1 for owner in self.owner)
        inside = sorted((b for b in preorder if of[b] >= 0), key=lambda b: enter[of[b]])
        starts = [0] * (len(headers) + 1)
        for block in inside:
            starts[enter[of[block]] + 1] += 1
        for at in range(len(headers)):
            starts[at + 1] += starts[at]
        all_cycles = tuple(
            Cycle(
                at,
                header,
                tuple(self.entries[header]),
                index[self.parent[header]] if header in self.parent else None,
                tuple(children[at]),
                depth[at],
            )
            for at, header in enumerate(headers)
        )
        return Cycles(all_cycles, of, tuple(enter), tuple(leave), tuple(inside), tuple(starts), tuple(jump))


def _number(children: list[list[int]], roots: list[int]) -> tuple[list[int], list[int]]:
    """Preorder intervals of the forest."""
    enter, leave, clock = [-1] * len(children), [0] * len(children), 0
    stack = list(reversed(roots))
    while stack:
        at = stack[-1]
        if enter[at] < 0:
            enter[at] = clock
            clock += 1
            stack.extend(reversed(children[at]))
        else:
            leave[at] = clock
            stack.pop()
    return enter, leave
