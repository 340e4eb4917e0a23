"""What the rules ask of a module and of a function, found once and shared by all checks; and searches in
its CFG.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ..frozen import dataclass
from ..ir import TOKEN, ConstantExpression, Global, GlobalWrapper, Local, Operand
from ..ir.calls import CONTROL_BUNDLE, Control, control
from ..ir.instructions import Bundle, CallBr, CallSite, Freeze, Instruction, Phi, Ret, Select, Words
from ..ir.module import Block, Function, Module
from ..source import NOWHERE, Span

if TYPE_CHECKING:
    from ..ir.cfg import Cfg, Cycle, Cycles, Dominators, Point

# ----------------------------------------------------------------------------------------------------------
# Searches in a part of the CFG: shortest paths, closed paths through one block or through two.
# ----------------------------------------------------------------------------------------------------------

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


# ----------------------------------------------------------------------------------------------------------
# What the rules ask of a module and of a function, found once and shared by all checks.
# ----------------------------------------------------------------------------------------------------------


class ModuleFacts:
    """Which names are convergent, and which functions have an ``entry``; answers are kept."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.convergent_groups = frozenset(
            f"#{number}" for number, words in module.groups.items() if "convergent" in words
        )
        self._convergent_functions: dict[str, bool] = {}
        self._entered: dict[str, str | None] = {}  # by the name of an alias

    @cached_property
    def has_control(self) -> bool:
        """Whether the module has a control intrinsic at all."""
        return any(control.value in self.module.functions for control in Control)

    def is_convergent_function(self, name: str) -> bool:
        """LLVM's table for intrinsics, else the function's own attribute."""
        known = self._convergent_functions.get(name)
        if known is None:
            known = "convergent" in self.module.function_attributes(name)
            self._convergent_functions[name] = known
        return known

    def says_convergent(self, words: Words) -> bool:
        """Whether attribute words hold ``convergent``, in a group or alone."""
        return any(word == "convergent" or word in self.convergent_groups for word in words)

    def callee_is_convergent(self, call: CallSite) -> bool:
        """Whether a call is convergent without regard to its bundles."""
        return self.says_convergent(call.attributes) or (
            isinstance(call.callee, Global) and self.is_convergent_function(call.callee.name)
        )

    @cached_property
    def entry_functions(self) -> frozenset[str]:
        """The functions that call ``entry``."""
        return frozenset(
            function.name
            for function in self.module.definitions()
            if _may_call_entry(function) and any(control(call) is Control.ENTRY for call in function.calls)
        )

    @cached_property
    def names_that_enter(self) -> frozenset[str]:
        """The names of functions that call ``entry``, and of aliases that lead to one."""
        aliases = (name for name in self.module.aliases if self.entered(Global(name)) is not None)
        return self.entry_functions | frozenset(aliases)

    def entered(self, callee: Operand) -> str | None:
        """The function with an ``entry`` that a call of this operand enters, as far as the text tells."""
        passed: dict[str, None] = {}
        entry: str | None = None
        while True:
            match callee:
                case Global(name) | GlobalWrapper(_, name):
                    if name in self.entry_functions:
                        entry = name
                        break
                    if name in self._entered:
                        entry = self._entered[name]
                        break
                    alias = self.module.aliases.get(name)
                    if alias is None or name in passed:
                        break
                    passed[name] = None
                    callee = alias.target
                case ConstantExpression(operands=(inner,)):
                    callee = inner
                case _:
                    break
        self._entered.update(dict.fromkeys(passed, entry))  # or a chain of aliases takes quadratic time
        return entry


def _may_call_entry(function: Function) -> bool:
    """Whether a body could call ``entry``, without reading it."""
    if function.body is None or function.body.is_read:
        return function.body is not None
    mentions = function.body.mentions
    return mentions is None or f"@{Control.ENTRY.value}" in mentions


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """A convergent operation or control intrinsic; ``bundles`` are its ``convergencectrl`` bundles."""

    point: Point
    instruction: CallSite
    control: Control | None
    bundles: tuple[Bundle, ...]

    @property
    def is_controlled(self) -> bool:
        return bool(self.bundles)

    @property
    def token(self) -> Local | None:
        """The local value of type token in the only bundle, if that is well-formed."""
        if len(self.bundles) == 1 and len(self.bundles[0].inputs) == 1:
            operand = self.bundles[0].inputs[0]
            if isinstance(operand, Local) and operand.type == TOKEN:
                return operand
        return None

    @property
    def bundle_span(self) -> Span:
        """The span of the first bundle, or the instruction's where there is none."""
        span = self.bundles[0].span if self.bundles else NOWHERE
        return span if span != NOWHERE else self.instruction.span

    @property
    def name(self) -> str:
        """How messages name it: ``%x``, or ``the call of @f``."""
        if self.control is not None:
            return f"%{self.instruction.result}" if self.instruction.result else self.control.name.lower()
        match self.instruction.callee:
            case Global(name) | GlobalWrapper(_, name):
                return f"the call of @{name}"
            case Local(_, name):
                return f"the call of %{name}"
            case _:
                return "the call"


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """A use of a token that a control intrinsic defines: the operand of a call's one well-formed bundle.

    ``block`` is the user's block, ``home`` that of the definition; ``is_dominated`` says whether the
    definition dominates the use.
    """

    token: str
    definition: Operation
    user: Operation
    block: int
    home: int
    is_dominated: bool

    @property
    def point(self) -> Point:
        return self.user.point

    @property
    def by_loop(self) -> bool:
        return self.user.control is Control.LOOP

    @property
    def by_callbr(self) -> bool:
        return isinstance(self.user.instruction, CallBr)

    @property
    def span(self) -> Span:
        return self.user.bundle_span


@dataclass(frozen=True, slots=True)
class Crossing:
    """A crossing use with its component S: ``inside`` tells membership, ``key`` is equal for equal
    components of one token; ``cycle`` is S as a cycle where it was found as one, else ``None``."""

    use: Use
    inside: Inside
    key: Hashable
    cycle: Cycle | None

    @property
    def block(self) -> int:
        return self.use.block


class FunctionFacts:
    """One function: its convergent operations, tokens and uses; CFG facts at the first question."""

    def __init__(self, module: ModuleFacts, function: Function) -> None:
        from ..ir.cfg import Point

        self.module = module
        self.function = function
        self.blocks: tuple[Block, ...] = function.blocks
        operations: list[Operation] = []
        others: list[Operation] = []
        passing: list[tuple[Point, Phi | Select]] = []
        elsewhere: list[str] = []
        for number, block in enumerate(self.blocks):
            for position, instruction in enumerate(block.instructions):
                if isinstance(instruction, CallSite):
                    bundles = (
                        tuple(b for b in instruction.bundles if b.tag == CONTROL_BUNDLE)
                        if instruction.bundles
                        else ()
                    )
                    point = Point(number, position)
                    if bundles or module.callee_is_convergent(instruction) or control(instruction):
                        operations.append(Operation(point, instruction, control(instruction), bundles))
                    else:
                        others.append(Operation(point, instruction, None, ()))
                elif (isinstance(instruction, Phi) and instruction.type == TOKEN) or (
                    isinstance(instruction, Select) and instruction.then.type == TOKEN
                ):
                    passing.append((Point(number, position), instruction))
                elif isinstance(instruction, Freeze | Ret) and isinstance(instruction.value, Local):
                    elsewhere.append(instruction.value.name)
        self.operations = tuple(operations)
        self.other_calls = tuple(others)
        self.passing = tuple(passing)  # phis and selects of token type
        self.crossings: tuple[Crossing, ...] | None = None  # found by ``crossings``, kept here
        self.tokens_elsewhere = tuple(elsewhere)  # operands of freeze and ret

    @cached_property
    def definitions(self) -> dict[str, Operation]:
        """The calls of control intrinsics by the token's name."""
        return {o.instruction.result: o for o in self.operations if o.control and o.instruction.result}

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """The uses of tokens in text order; calls that break S-BUNDLE or S-PRODUCER have none."""
        return tuple(self._uses())

    def _uses(self) -> Iterator[Use]:
        for operation in self.operations:
            operand = operation.token
            if operand is None or (definition := self.definitions.get(operand.name)) is None:
                continue
            dominated = self.dominators.defined_before(definition.point, operation.point)
            home = definition.point.block
            yield Use(operand.name, definition, operation, operation.point.block, home, dominated)

    @cached_property
    def cfg(self) -> Cfg:
        from ..ir.cfg import build_cfg

        return build_cfg(self.function)

    @cached_property
    def dominators(self) -> Dominators:
        from ..ir.cfg import dominators

        return dominators(self.cfg)

    @cached_property
    def cycles(self) -> Cycles:
        from ..ir.cfg import cycles

        return cycles(self.cfg)

    def is_reachable(self, block: int) -> bool:
        return self.cfg.reachable[block]

    def block_name(self, block: int) -> str:
        return self.blocks[block].name

    def names(self, blocks: tuple[int, ...] | list[int]) -> tuple[str, ...]:
        return tuple(self.blocks[block].name for block in blocks)

    def head(self, block: int) -> Span:
        """The span of a block's first instruction, where a label about the block can point."""
        instructions = self.blocks[block].instructions
        return instructions[0].span if instructions else NOWHERE

    def instruction(self, point: Point) -> Instruction:
        return self.blocks[point.block].instructions[point.position]


# ----------------------------------------------------------------------------------------------------------
# Which bodies no rule can say anything about, so that nobody reads them.
#
# A body matters if its tokens name anything from which a diagnostic can come: the type ``token``, the
# attribute ``convergent`` or a group that holds it, a ``convergencectrl`` bundle, a control intrinsic, a
# convergent function, or a name that leads to a function with ``entry``. The reader says what a body names
# (``Body.mentions``); in doubt a body matters.
# ----------------------------------------------------------------------------------------------------------


class Relevance:
    """Answers for the functions of one module, in time linear in their text."""

    def __init__(self, facts: ModuleFacts) -> None:
        module = facts.module
        known = {*module.functions, *module.intrinsics}
        names = {name for name in known if facts.is_convergent_function(name)} | facts.names_that_enter
        names.update(control.value for control in Control)
        self._telling = {
            "token",
            "convergent",
            f'"{CONTROL_BUNDLE}"',
            *facts.convergent_groups,
            *(f"@{name}" for name in names),
        }

    def of(self, function: Function) -> bool:
        """Whether verifying a function could yield anything."""
        body = function.body
        if body is None or body.is_read:  # then there is nothing to be spared
            return body is not None
        mentions = body.mentions
        return mentions is None or not self._telling.isdisjoint(mentions)
