"""A policy as an automaton over masks: what it did once, it does again for all masks that decide alike.

A *node* is a policy with its masks left open: ready to pick what runs next, or with a block that runs. What
leads from it is a decision tree of operations on masks, in a pool of words that native code walks
(:mod:`...semantics.native.turns`); where the tree ends, the policy itself is asked, and the tree grows.
Nothing is said of a policy that it did not do: a branch of the tree is a trace of one run of it.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...semantics.native.turns import FREE, LIMIT, STATE, STEP, TARGETS
from .policy import Mask, Policy
from .traced import MaskCode, MaskTrace, TracedMask, Untraced, copied, shape_of

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
