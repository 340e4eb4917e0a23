"""A policy as an automaton over masks: what it did once, it does again for all masks that decide alike.

A *node* is a policy with its masks left open: ready to pick what runs next, or with a block that runs. What
leads from it is a decision tree of operations on masks, in a pool of words that native code walks
(:mod:`...semantics.native.turns`); where the tree ends, the policy itself is asked, and the tree grows.
Nothing is said of a policy that it did not do: a branch of the tree is a trace of one run of it.
"""

from __future__ import annotations

import dataclasses
from array import array
from collections import Counter, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from ...semantics.native.turns import FREE, LIMIT, STATE, STEP, TARGETS
from .policy import Mask, Policy

# ----------------------------------------------------------------------------------------------------------
# Masks that note what a policy does with them.
#
# A policy's way is decided by whether lanes are in masks, and its new masks are made of the old ones. So one
# run of it with masks that note both is a straight list of operations, which does for all masks that decide
# alike what the policy did for these.
# ----------------------------------------------------------------------------------------------------------

ALL = (1 << 64) - 1


class MaskCode(IntEnum):
    """What is done with masks. Those from ``SOME`` on ask for what was so, and else go elsewhere."""

    RUNNING, READY, AND, OR, XOR, NOT, ADD, CONSTANT, SOME, NONE, EQUAL, DIFFERENT, LEAVE = range(13)


class MaskStep(NamedTuple):
    """An operation on the masks of registers ``a`` and ``b`` (of a constant: ``a`` is it)."""

    code: MaskCode
    a: int
    b: int = 0

    @property
    def asks(self) -> bool:
        """Whether it asks for something."""
        return MaskCode.SOME <= self.code <= MaskCode.DIFFERENT


class Untraced(Exception):
    """A policy did with a mask what cannot be noted."""


class MaskTrace:
    """``steps`` so far; each that is no question has a register of its own, from ``first`` on. ``names`` are
    the machine operations that were ``did``; ``lost``: something was not noted."""

    def __init__(self, first: int) -> None:
        self.steps: list[MaskStep] = []
        self.names: list[str] = []
        self.lost = False
        self._next = first
        self._known: dict[MaskStep, int] = {}

    def did(self, *operations: str) -> None:
        self.names += operations

    def step(self, code: MaskCode, a: int, b: int = 0) -> int:
        """Notes an operation; the register of its result."""
        step = MaskStep(code, a, b)
        known = self._known.get(step)
        if known is None:
            self.steps.append(step)
            known = self._known[step] = self._next
            self._next += not step.asks
        return known

    @property
    def next(self) -> int:
        """The first register that is free."""
        return self._next

    def result(self, number: int) -> int:
        """The register of a step, by its number."""
        return self._known[self.steps[number]]

    def register(self, mask: int) -> int:
        """The register of a mask, which may be a number of the program's."""
        if isinstance(mask, TracedMask) and mask.trace is self:
            return mask.register
        constant = int.__and__(mask, ALL)
        return self.step(MaskCode.CONSTANT, constant - (constant >> 63 << 64))


class TracedMask(int):
    """A mask, and where a trace has it."""

    trace: MaskTrace | None
    register: int

    def __new__(cls, value: int, trace: MaskTrace | None = None, register: int = 0) -> TracedMask:
        mask = super().__new__(cls, value)
        mask.trace, mask.register = trace, register
        return mask

    def _both(self, code: MaskCode, other: int, value: int) -> TracedMask:
        trace = self.trace
        if trace is None:
            return TracedMask(value)
        trace.lost |= int.__gt__(value, ALL)
        return TracedMask(value, trace, trace.step(code, self.register, trace.register(other)))

    def __and__(self, other: int) -> TracedMask:
        if type(other) is int and other == -1:
            return self
        return self._both(MaskCode.AND, other, int.__and__(self, other))

    def __or__(self, other: int) -> TracedMask:
        if type(other) is int and other == 0:
            return self
        return self._both(MaskCode.OR, other, int.__or__(self, other))

    def __xor__(self, other: int) -> TracedMask:
        return self._both(MaskCode.XOR, other, int.__xor__(self, other))

    def __add__(self, other: int) -> TracedMask:
        if type(other) is int and other == 0:
            return self
        return self._both(MaskCode.ADD, other, int.__add__(self, other))

    __rand__, __ror__, __rxor__, __radd__ = __and__, __or__, __xor__, __add__

    def __invert__(self) -> TracedMask:
        value = int.__invert__(self)
        trace = self.trace
        if trace is None:
            return TracedMask(value)
        return TracedMask(value, trace, trace.step(MaskCode.NOT, self.register))

    def __bool__(self) -> bool:
        some = int.__bool__(self)
        if self.trace is not None:
            self.trace.lost |= int.__lt__(self, 0)  # lanes without end, of which a register has 64
            self.trace.step(MaskCode.SOME if some else MaskCode.NONE, self.register)
        return some

    def __eq__(self, other: object) -> bool:
        same = int.__eq__(self, other) if isinstance(other, int) else False
        if self.trace is not None and isinstance(other, int):
            code = MaskCode.EQUAL if same else MaskCode.DIFFERENT
            self.trace.lost |= int.__lt__(self, 0) or int.__lt__(other, 0)
            self.trace.step(code, self.register, self.trace.register(other))
        return same

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__


def _unnoted(name: str) -> Callable[..., Any]:
    plain = getattr(int, name)

    def method(self: TracedMask, *arguments: Any) -> Any:
        if self.trace is not None:
            self.trace.lost = True
        return plain(self, *arguments)

    return method


_KEPT = {"__new__", "__init__", "__class__", "__getattribute__", "__setattr__", "__delattr__", "__dir__"}
_KEPT |= {"__init_subclass__", "__subclasshook__", "__doc__", "__getnewargs__", "__reduce__", "__reduce_ex__"}
for _name in dir(int):
    if _name not in _KEPT and _name not in vars(TracedMask) and callable(getattr(int, _name)):
        setattr(TracedMask, _name, _unnoted(_name))
TracedMask.__hash__ = _unnoted("__hash__")  # type: ignore[method-assign]


# -- what a policy holds ---------------------------------------------------------------------------------

SHARED = frozenset(("facts", "options", "issued", "did"))
"""What policies of a function have in common."""


class PolicyShape(NamedTuple):
    """What a policy holds: ``key`` is all but the ``masks``; ``leaves`` keeps alive what the key names."""

    key: Hashable
    masks: tuple[int, ...]
    leaves: tuple[object, ...]


def shape_of(policy: object) -> PolicyShape:
    """The shape of what a policy holds, with its masks from first to last."""
    masks: list[int] = []
    leaves: list[object] = []
    memo: dict[int, int] = {}

    def walk(value: Any) -> Hashable:
        if isinstance(value, TracedMask):
            masks.append(value)
            return "mask"
        if value is None or isinstance(value, int | str):
            return value
        if isinstance(value, tuple):
            return ("tuple", *[walk(item) for item in value])
        if not _mutable(value):
            leaves.append(value)
            return ("leaf", id(value))
        if id(value) in memo:
            return ("again", memo[id(value)])
        memo[id(value)] = len(memo)
        if isinstance(value, dict):
            return ("dict", *[(walk(key), walk(item)) for key, item in value.items()])
        if isinstance(value, list | deque):
            return ("list", *[walk(item) for item in value])
        return (type(value).__name__, *[walk(getattr(value, f.name)) for f in dataclasses.fields(value)])

    held = [(name, walk(value)) for name, value in sorted(vars(policy).items()) if name not in SHARED]
    return PolicyShape(tuple(held), tuple(masks), tuple(leaves))


def copied(policy: Any, masks: Callable[[int], TracedMask]) -> Any:
    """A policy that holds the same, but ``masks`` instead of the first, second, ... mask."""
    count = 0
    memo: dict[int, Any] = {}

    def walk(value: Any) -> Any:
        nonlocal count
        if isinstance(value, TracedMask):
            count += 1
            return masks(count - 1)
        if isinstance(value, tuple) and value:
            items = [walk(item) for item in value]
            if all(new is old for new, old in zip(items, value, strict=True)):
                return value
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if not _mutable(value):
            return value
        if id(value) in memo:
            return memo[id(value)]
        new: Any
        if isinstance(value, dict):
            new = memo[id(value)] = type(value)()
            for key, item in value.items():
                new[key] = walk(item)
        elif isinstance(value, list | deque):
            new = memo[id(value)] = type(value)()
            new.extend(walk(item) for item in value)
        else:
            new = memo[id(value)] = object.__new__(type(value))
            for field in dataclasses.fields(value):
                setattr(new, field.name, walk(getattr(value, field.name)))
        return new

    new = object.__new__(type(policy))
    for name, value in sorted(vars(policy).items()):
        vars(new)[name] = value if name in SHARED else walk(value)
    return new


def _mutable(value: Any) -> bool:
    """Whether it holds what a policy changes: data is frozen, or it is looked into."""
    if isinstance(value, dict | list | deque):
        return True
    if isinstance(value, set | bytearray):
        raise Untraced
    parameters = getattr(type(value), "__dataclass_params__", None)
    return parameters is not None and not parameters.frozen and not _frozen(value)


def _frozen(value: Any) -> bool:
    return "__setattr__" in vars(type(value))


NODES = 4096
"""A policy that holds more kinds of things than this is asked anew each time."""
WORDS = 1 << 20
"""The words that its trees have at most."""


OTHERWISE: Mapping[int, MaskCode] = {
    MaskCode.SOME: MaskCode.NONE,
    MaskCode.NONE: MaskCode.SOME,
    MaskCode.EQUAL: MaskCode.DIFFERENT,
    MaskCode.DIFFERENT: MaskCode.EQUAL,
}


class PolicyNode:
    """``policy`` holds as many masks as ``masks``; ``block`` is the one that runs, -1 where it is ready to
    pick; ``at`` is its place in the pool; ``leaves`` are alive as long as it is."""

    __slots__ = ("at", "block", "leaves", "masks", "policy")

    def __init__(self, policy: Policy, block: int, masks: int, leaves: tuple[object, ...], at: int) -> None:
        self.policy = policy
        self.block = block
        self.masks = masks
        self.leaves = leaves
        self.at = at


class PolicyAutomaton:
    """The nodes of one function's policies. ``entry`` gives the number of a block's native place, if it has
    one; ``names`` are the machine operations of each leaf to which native code comes."""

    def __init__(self, entry: Mapping[int, int]) -> None:
        self._entry = entry
        self.pool = array("q", [0] * STEP)
        self.names: list[tuple[str, ...]] = [()]
        self._nodes: dict[Any, PolicyNode] = {}
        self.at: dict[int, PolicyNode] = {}
        self.dead = False

    def node(self, policy: Policy, block: int = -1) -> tuple[PolicyNode, tuple[int, ...]] | None:
        """The node of a policy and its masks; ``None`` where there is none."""
        if self.dead:
            return None
        try:
            shape = shape_of(policy)
        except Untraced:
            self.dead = True
            return None
        node = self._nodes.get((block, shape.key))
        if node is None:
            if len(self._nodes) >= NODES or len(self.pool) >= WORDS or len(shape.masks) > STATE:
                self.dead = True
                return None
            at = len(self.pool)
            record = self._record(policy, block)
            if block >= 0 and record[0] > FREE - TARGETS:
                self.dead = True
                return None
            self.pool.extend(record)
            node = PolicyNode(
                copied(policy, lambda _: TracedMask(0)), block, len(shape.masks), shape.leaves, at
            )
            self._nodes[block, shape.key] = self.at[at] = node
        return node, shape.masks

    def _record(self, policy: Policy, block: int) -> list[int]:
        """A node's words: its tree's place; of a running one the successors' places, a tree for each set."""
        if block < 0:
            return [0]
        successors = [*dict.fromkeys(policy.facts.cfg.successors[block])]
        return [len(successors), 0, *successors]

    def restored(self, node: PolicyNode, masks: Sequence[int]) -> Policy:
        """A policy that holds these masks."""
        policy: Policy = copied(node.policy, lambda n: TracedMask(masks[n]))
        policy.did = policy.issued.did
        return policy

    def _traced(self, node: PolicyNode, masks: Sequence[int]) -> tuple[Policy, MaskTrace]:
        trace = MaskTrace(FREE)
        policy: Policy = copied(node.policy, lambda n: TracedMask(masks[n], trace, n))
        policy.did = trace.did
        return policy, trace

    def learn_pick(self, node: PolicyNode, masks: Sequence[int]) -> bool:
        """What a policy picks with these masks; whether that is known now."""
        policy, trace = self._traced(node, masks)
        picked = policy.pick()
        entry = None if picked is None or not picked[1] else self._entry.get(picked[0])
        if picked is None or entry is None:
            return self._grow(node.at, trace, [MaskCode.LEAVE, 0, 0, 0])
        return self._leads(node.at, trace, policy, picked[0], [entry, trace.register(picked[1])])

    def learn_after(self, node: PolicyNode, masks: Sequence[int], targets: Mapping[int, Mask]) -> bool:
        """What a policy makes of it that its block sent lanes to ``targets``; whether that is known now."""
        policy, trace = self._traced(node, masks)
        successors = [*dict.fromkeys(policy.facts.cfg.successors[node.block])]
        bits = sum(1 << successors.index(target) for target in targets)
        traced = {t: TracedMask(m, trace, TARGETS + successors.index(t)) for t, m in targets.items()}
        policy.after(node.block, traced, 0)
        head = self._tree(node.at + 1, bits)
        return self._leads(head, trace, policy, -1, [])

    def _tree(self, link: int, bits: int) -> int:
        """The head of the tree for a set of successors."""
        while edge := self.pool[link]:
            if self.pool[edge + 1] == bits:
                return edge
            link = edge + 2
        self.pool[link] = edge = len(self.pool)
        self.pool.extend((0, bits, 0))
        return edge

    def _leads(self, head: int, trace: MaskTrace, policy: Policy, block: int, runs: list[int]) -> bool:
        """A trace leads to what a policy holds now."""
        policy.did = policy.issued.did
        following = self.node(policy, block)
        if following is None:
            return False
        node, masks = following
        trace.lost |= any(int.__lt__(mask, 0) for mask in masks)
        registers = [trace.register(mask) for mask in masks]
        leaf = len(self.names)
        self.names.append(tuple(trace.names))
        code = MaskCode.READY if block < 0 else MaskCode.RUNNING
        return self._grow(head, trace, [code, node.at, leaf, node.masks, *(runs or (0, 0)), *registers])

    def _grow(self, link: int, trace: MaskTrace, end: list[int]) -> bool:
        """A trace becomes a branch of the tree at ``link``: what is there already is gone along."""
        if trace.lost or trace.next > LIMIT:
            self.dead = True
            return False
        pool, steps = self.pool, trace.steps
        at, done = pool[link], 0
        while at:
            code = pool[at]
            if done == len(steps):
                return True  # the same was noted before
            step = steps[done]
            if (code, pool[at + 2], pool[at + 3]) == (step.code, step.a, step.b):
                done, at = done + 1, at + STEP
            elif OTHERWISE.get(code) == step.code and (pool[at + 2], pool[at + 3]) == (step.a, step.b):
                done, link = done + 1, at + 1
                at = pool[link]
            else:  # it did not do the same again
                self.dead = True
                return False
        begin = len(pool)
        for number, step in enumerate(steps[done:], done):
            pool.extend((step.code, 0 if step.asks else trace.result(number), step.a, step.b))
        pool.extend(end)
        pool[link] = begin
        return True

    def did(self, hits: array[int]) -> Counter[str]:
        """The machine operations of what native code did that came so often to each leaf; then that is 0."""
        counts: Counter[str] = Counter()
        for leaf, (names, often) in enumerate(zip(self.names, hits, strict=False)):
            if often:
                for name in names:
                    counts[name] += often
                hits[leaf] = 0
        return counts
