"""Turns natively: a policy as an automaton over masks, rounds of several waves, and whole turns of one."""

from __future__ import annotations

import dataclasses
from array import array
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ...semantics.threads import Code
from ...semantics.turn_words import (
    FREE,
    LIMIT,
    REGISTERS,
    STATE,
    STEP,
    TARGETS,
    Hold,
    MaskCode,
    Pause,
    Phase,
    PlaceWord,
    QueueRegister,
    RoundWord,
    RowState,
    RowWord,
    TurnWord,
)
from .lanes import NativeLanes
from .machine import LockstepMachine
from .policy import IssuedMask, Mask, Policy
from .waits import ConvergenceWait, CycleDetector, Glance
from .waves import Activation, Issuer, TurnRecords, WarpSplit, Wave, WaveRecords

if TYPE_CHECKING:
    from ...semantics.native.lanes import LaneAnswer, LaneCode, LaneEngine, WaveLanes
    from ...semantics.native.meetings import LaneExchange
    from ...semantics.native.turns import BarrierTable
    from ...semantics.threads import Segment

# ----------------------------------------------------------------------------------------------------------
# A policy as an automaton over masks: what it did once, it does again for all masks that decide alike.
#
# A *node* is a policy with its masks left open: ready to pick what runs next, or with a block that runs. What
# leads from it is a decision tree of operations on masks, in a pool of words that native code walks
# (:mod:`...semantics.native.turns`); where the tree ends, the policy itself is asked, and the tree grows.
# Nothing is said of a policy that it did not do: a branch of the tree is a trace of one run of it.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# Masks that note what a policy does with them.
#
# A policy's way is decided by whether lanes are in masks, and its new masks are made of the old ones. So one
# run of it with masks that note both is a straight list of operations, which does for all masks that decide
# alike what the policy did for these.
# ----------------------------------------------------------------------------------------------------------

ALL = (1 << 64) - 1


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


class LaneQueue:
    """What :class:`PolicyAutomaton` is, for policies whose lanes run alone: instead of masks the registers
    have the queue of lanes, as :class:`...semantics.turn_words.QueueRegister` says. Nothing is to be
    learnt: who runs next is the first of the queue, who has run joins it again at its end.

    A node is the queue while a block runs, or while nobody does. ``entry`` gives the number of a block's
    native place, if it has one."""

    names: Sequence[tuple[str, ...]] = ((),)

    def __init__(self, entry: Mapping[int, int]) -> None:
        self._entry = entry
        self.pool = array("q", [0] * STEP)
        self.at: dict[int, PolicyNode] = {}
        self._nodes: dict[int, PolicyNode] = {}

    def node(self, policy: Policy) -> tuple[PolicyNode, tuple[int, ...]] | None:
        """The node of a policy that is ready to pick, and its queue; ``None`` where that is too long."""
        if not self._nodes:
            self._lay(policy)
        waiting = [(block, int(mask)) for block, mask in vars(policy)["waiting"]]
        if len(waiting) > QueueRegister.LANES or any(mask > ALL for _, mask in waiting):
            return None
        queue = [block << QueueRegister.SHIFT | mask.bit_length() - 1 for block, mask in waiting]
        rest = QueueRegister.LANES - len(queue)
        return self._nodes[-1], (0, len(queue), *queue, *[0] * rest)

    def _lay(self, policy: Policy) -> None:
        """Makes the nodes of a function: of a block's the word is 0 where others have the number of
        successors, and the next one says where the node is that is ready."""
        blocks, begin = len(policy.facts.function.blocks), len(self.pool)
        tree = begin + 1
        self.pool.extend((tree, MaskCode.TAKE, tree + STEP, 0, 0))
        first = len(self.pool) + 2 * blocks
        for block in range(blocks):
            self.pool.extend((first + 2 * block, self._entry.get(block, -1)))
        for block in range(-1, blocks):
            at = begin if block < 0 else first + 2 * block
            if block >= 0:
                self.pool.extend((0, begin))
            node = PolicyNode(policy, block, QueueRegister.ALL, (), at)
            self._nodes[block] = self.at[at] = node

    def restored(self, node: PolicyNode, registers: Sequence[int]) -> Policy:
        """A policy with the queue of these registers."""
        policy = copy(node.policy)
        head, count, *ring = registers
        queue = [ring[(head + n) % QueueRegister.LANES] for n in range(count)]
        lane = (1 << QueueRegister.SHIFT) - 1
        vars(policy)["waiting"] = deque((e >> QueueRegister.SHIFT, 1 << (e & lane)) for e in queue)
        return policy

    def learn_pick(self, node: PolicyNode, registers: Sequence[int]) -> bool:
        """There is nothing to learn."""
        return False

    def learn_after(self, node: PolicyNode, registers: Sequence[int], targets: Mapping[int, Mask]) -> bool:
        """There is nothing to learn."""
        return False

    def did(self, hits: array[int]) -> Counter[str]:
        """No operation on masks is needed."""
        return Counter()


# ----------------------------------------------------------------------------------------------------------
# Rounds of turns natively, where a launch has several waves: each wave has a turn, and then each again.
#
# Waves that run natively are rows of a table (:class:`...semantics.turn_words.RowWord`), whose turns
# native code takes one by one, in the order of the waves. A wave that waits for others of its workgroup has
# nothing to do meanwhile, as only the executor lets lanes come to barriers. All others are the executor's:
# native code comes back at such a wave, the executor gives it its turn, and native code goes on with the
# wave behind it. So turns, accesses and events are in the executor's order. What a wave's policy holds is
# made of its masks only when somebody asks (:class:`.waves.Activation`).
# ----------------------------------------------------------------------------------------------------------


# ----------------------------------------------------------------------------------------------------------
# Whole turns of a wave natively, one after the other, as long as nobody has to look.
#
# A turn is: a policy picks a block and a mask, the lanes run to the block's end, the policy is told where
# they are. Lanes run natively (:mod:`.lanes`); the policy's part is walked in trees that the automaton
# grows. What is neither is the executor's, which goes on from the very place, and so does the search for
# states that come back: it is asked at each turn at which one lane is where it was.
# ----------------------------------------------------------------------------------------------------------


TURNS = 20_000
"""Turns after which the clock is looked at."""
SHORT = 8
"""Fewer turns at once were not worth it, unless it is only that somebody has to look; then so many are left
to the executor, and twice as many each time, up to ``REST``."""
REST = 1024
ROOM = 1 << 16
"""The words of records, before they are put aside."""


class TurnCode:
    """What belongs to one function: what policies did, and what is known of its places."""

    def __init__(self, compiled: LaneCode, silent: frozenset[int], alone: bool) -> None:
        from ...semantics.native.turns import TurnPlaces, turns_code

        self.compiled = compiled
        self.run = turns_code()
        self.places = TurnPlaces(compiled, silent)
        kind = LaneQueue if alone else PolicyAutomaton
        self.automaton: PolicyAutomaton | LaneQueue = kind(self.places.entries)


class TurnCodes:
    """What belongs to the functions of a launch, made when one has its first turn natively. ``concurrent``:
    all activations have turns, not only the innermost."""

    def __init__(self, native: NativeLanes, issuer: Issuer, concurrent: bool) -> None:
        self._native, self._issuer, self._concurrent = native, issuer, concurrent
        self._codes: dict[Code, TurnCode] = {}

    def __iter__(self) -> Iterator[TurnCode]:
        return iter(self._codes.values())

    def activation(self, wave: Wave, log: array[int]) -> NativeActivation | None:
        """The activation that has a wave's next turn, if it can be native; what is issued goes to ``log``."""
        engine, activation = self._native.engine, wave.activations[-1]
        if engine is None or activation.splits or (self._concurrent and len(wave.activations) > 1):
            return None
        code = activation.code
        compiled, lanes = engine.of(code, self._issuer.executed), self._native.lanes_of(activation)
        if compiled is None or lanes is None:
            return None
        lanes.refresh()
        turn_code = self._codes.get(code)
        if turn_code is None or turn_code.compiled is not compiled:
            turn_code = self._codes[code] = TurnCode(
                compiled, self._issuer.silent(code), activation.policy.alone
            )
        came = turn_code.automaton.node(activation.policy)
        if came is None:
            return None
        return NativeActivation(engine, turn_code, lanes, activation, *came, log)


class NativeTurns:
    """Turns of a launch of one wave. ``concurrent``: all activations have turns, not only the innermost."""

    def __init__(
        self,
        native: NativeLanes,
        machine: LockstepMachine,
        issuer: Issuer,
        wait: ConvergenceWait | None,
        concurrent: bool,
    ) -> None:
        self._native, self._machine, self._issuer = native, machine, issuer
        self._wait, self._concurrent = wait, concurrent
        self._codes = TurnCodes(native, issuer, concurrent)
        self._rest = 0
        self._short = SHORT
        self._log = array("Q", bytes(8 * ROOM))
        self._held: NativeActivation | None = None
        """Turns that ended in the middle of a block, where lanes wait for their next turn."""

    def go(self, wave: Wave, most: int, cycles: CycleDetector) -> bool:
        """Turns of a wave that is between two of them, up to ``most`` executed instructions. Whether the last
        of them is over, and has not been looked at."""
        if self._native.engine is None:
            return False
        going, self._held, wave.held = self._held, None, None
        if going is None:
            if self._rest:
                self._rest -= 1
                return False
            if self._wait is not None and self._wait.waiting:
                return False
            going = self._codes.activation(wave, self._log)
        if going is None:
            return False
        turn = 1 if self._concurrent else 0
        watched = cycles.watched(((len(wave.activations), turn, []),))
        if watched is not None and watched.words is None:
            if going.is_held:
                going.hand_over(self._machine, self._wait)
            return False
        if watched is not None and watched.words is not None:
            going.watch(watched.lane, watched.words)
        going.begin()
        tally = going.engine.tally
        pieces = tally.calls
        over = self._through(going, most, cycles.left)
        if over and going.is_held:
            self._held = going
            wave.held = going.standing
        self._settle(going)
        tally.turns += going.turns
        going.engine.ran(going.code.compiled, tally.calls - pieces)
        if going.turns:
            wave.turn = turn
            cycles.passed(going.turns - over)
        if going.turns >= SHORT:
            self._short = SHORT
        elif not over:
            self._rest, self._short = self._short, min(REST, 2 * self._short)
        return over

    def _through(self, going: NativeActivation, most: int, left: int) -> bool:
        """Turns until nobody knows natively how to go on; whether the last is over, and not looked at."""
        words, issuer = going.words, self._issuer
        words[TurnWord.LEFT], words[TurnWord.MOST] = min(left, TURNS), most
        words[TurnWord.EXECUTED] = issuer.executed
        while True:
            match going.call():
                case Pause.PICK:
                    if not going.learns_pick():
                        going.ready()
                        return False
                case Pause.AFTER:
                    if not going.learns_after():
                        going.over()
                        return True
                case Pause.LEAVE:
                    going.ready()
                    return False
                case Pause.LOOK:
                    going.ready()
                    return True
                case Pause.ROOM:
                    self._issue(going)
                case Pause.EXCHANGE:
                    if not going.learns_exchange():
                        going.splits()
                        return False
                case Pause.ELSEWHERE:
                    going.splits()
                    return False
                case Pause.ANSWERED:
                    self._native.expect(going.splits(), going.answers())
                    return False

    def _issue(self, going: NativeActivation) -> None:
        """What has run since this was asked last is issued."""
        words, wave = going.words, going.activation.wave
        slots = words[TurnWord.SLOTS]
        records = going.log[: words[TurnWord.LOG]]
        self._machine.packed.pack(
            TurnRecords(
                records,
                {0: going.records()},
                slots + words[TurnWord.VISITS] + words[TurnWord.EVENTS],
                self._machine,
                words[TurnWord.EVENTS] > 0,
                words[TurnWord.OBSERVED] > 0,
            )
        )
        self._machine.parted = self._machine.parted or words[TurnWord.PARTED] > 0
        self._machine.ticks(words[TurnWord.TICKS])
        wave.issues += slots
        self._issuer.executed = words[TurnWord.EXECUTED]
        tally = going.engine.tally
        tally.calls += words[TurnWord.PIECES]
        tally.instructions += words[TurnWord.INSTRUCTIONS]
        for count in (
            TurnWord.LOG,
            TurnWord.SLOTS,
            TurnWord.VISITS,
            TurnWord.TICKS,
            TurnWord.PIECES,
            TurnWord.INSTRUCTIONS,
            TurnWord.EVENTS,
            TurnWord.OBSERVED,
        ):
            words[count] = 0

    def _settle(self, going: NativeActivation) -> None:
        """Everybody else may look again."""
        self._issue(going)
        ran = going.words[TurnWord.RAN]
        going.lanes.ahead |= ran
        for operation, count in going.did().items():
            going.activation.policy.issued.did_often(operation, count)
        if self._wait is not None and ran:
            going.lanes.place(ran)
            for thread in going.activation.wave.of(ran):
                thread.epoch += 1


class NativeActivation:
    """An activation that has turns natively: the ``words`` that native code reads and writes, the masks that
    its policy holds in ``registers``, how often it came to each leaf in ``hits``, and the ``log`` of records.
    """

    def __init__(
        self,
        engine: LaneEngine,
        code: TurnCode,
        lanes: WaveLanes,
        activation: Activation,
        node: PolicyNode,
        masks: Sequence[int],
        log: array[int],
    ) -> None:
        self.engine, self.code, self.activation = engine, code, activation
        self.words = array("Q", bytes(8 * TurnWord.WORDS))
        self.words[TurnWord.NODE], self.words[TurnWord.PHASE] = node.at, Phase.PICK
        self.words[TurnWord.KNOWN] = lanes.known
        self.words[TurnWord.ROOM] = len(log)
        self.registers = array("Q", bytes(8 * REGISTERS))
        self.registers[: len(masks)] = array("Q", map(int, masks))
        self.words[TurnWord.FULL] = activation.wave.alive
        compiled = code.compiled
        self.words[TurnWord.EXCHANGES], self.words[TurnWord.DRIVER] = (
            compiled.exchanges.at,
            compiled.exchange_driver,
        )
        self.words[TurnWord.PARTS], self.words[TurnWord.KEEPS] = compiled.parts.address, 1
        self.words[TurnWord.GIVES] = lanes.gives_at
        self.hits = array("q")
        self.lanes = lanes
        self._kept: tuple[array[int], ...] = ()
        self.log = log

    def begin(self) -> None:
        """No turn is over yet."""
        self.words[TurnWord.TURNS] = self.words[TurnWord.RAN] = 0

    @property
    def is_held(self) -> bool:
        """Whether lanes wait for a turn in the middle of a block."""
        return self.words[TurnWord.HELD] != Hold.NONE

    @property
    def waits(self) -> bool:
        """Whether lanes wait for other waves at a barrier."""
        return self.words[TurnWord.HELD] == Hold.BARRIER

    @property
    def meets(self) -> LaneExchange:
        """The barrier at which they do."""
        return self.code.places.meets(self.words[TurnWord.AT])

    @property
    def standing(self) -> Hashable:
        """By what it is known where lanes are in the middle of a block; of lanes that are held it is never
        the same, for they come to no key twice."""
        if not self.is_held:
            return None
        return (self.words[TurnWord.AT], self.words[TurnWord.MASK]) if self.waits else object()

    def records(self) -> WaveRecords:
        """Whose records these are."""
        wave = self.activation.wave
        return WaveRecords(self.code.places, wave, wave.issues, [thread.frame for thread in wave.threads])

    def learns_exchange(self) -> bool:
        """Whether lanes can have what they exchange."""
        words, places = self.words, self.code.places
        place = words[TurnWord.PLACE]
        number = places.words[place * PlaceWord.WORDS + PlaceWord.EXCHANGE] - 1
        launch = self.activation.wave.threads[0].launch
        learnt = self.engine.learns_exchange(
            self.code.compiled, self.lanes, number, words[TurnWord.MASK], launch
        )
        words[TurnWord.ANSWERED] = learnt is False
        return learnt is not None

    @property
    def turns(self) -> int:
        """How many are over."""
        return self.words[TurnWord.TURNS]

    def watch(self, lane: int, words: Sequence[int]) -> bool:
        """Somebody looks at each turn at which a lane's words are these; the last is its place, twice. False:
        they cannot be."""
        place = words[-1]
        if place >= len(self.code.compiled.places):
            return False
        offsets = self.code.compiled.live_offsets(place)
        if len(offsets) + 2 != len(words):
            return False
        stride = self.code.compiled.stride
        self._kept = array("Q", [*(o * stride for o in offsets), 0]), array("Q", [*words])
        self.words[TurnWord.WATCHED], self.words[TurnWord.WATCHED_PLACE] = self.lanes.address(lane), place
        self.words[TurnWord.LIVE] = len(offsets)
        self.words[TurnWord.OFFSETS], self.words[TurnWord.KEPT] = (k.buffer_info()[0] for k in self._kept)
        return True

    def counts_hits(self) -> None:
        """There is room to count how often native code comes to each leaf."""
        more = len(self.code.automaton.names) - len(self.hits)
        if more > 0:
            self.hits.extend([0] * max(more, len(self.hits), 64))

    def did(self) -> Counter[str]:
        """The machine operations of what native code did since this was asked last."""
        return self.code.automaton.did(self.hits)

    def settled(self) -> None:
        """What native code did is accounted for; what the policy holds is made when somebody asks."""
        for count in (
            TurnWord.SLOTS,
            TurnWord.VISITS,
            TurnWord.TICKS,
            TurnWord.PIECES,
            TurnWord.INSTRUCTIONS,
            TurnWord.EVENTS,
            TurnWord.OBSERVED,
            TurnWord.TURNS,
            TurnWord.RAN,
        ):
            self.words[count] = 0
        self.activation.pending = self._policy

    def _policy(self) -> Policy:
        return self.code.automaton.restored(self._node, self._masks())

    def call(self) -> int:
        """Native turns; why they are over."""
        code, engine, automaton = self.code, self.engine, self.code.automaton
        self.counts_hits()
        why: int = code.run(
            code.compiled.address, self.words.buffer_info()[0], automaton.pool.buffer_info()[0],
            self.hits.buffer_info()[0], self.registers.buffer_info()[0], code.places.at,
            self.log.buffer_info()[0], self.lanes.at, engine.control_at, engine.environment,
            self.activation.wave.first, engine.answers_at,
            code.compiled.place_at * code.compiled.stride, code.compiled.vectors_at,
        )  # fmt: skip
        return why

    @property
    def _node(self) -> PolicyNode:
        return self.code.automaton.at[self.words[TurnWord.NODE]]

    def _masks(self) -> Sequence[int]:
        return self.registers[: self._node.masks]

    def hand_over(self, machine: LockstepMachine, wait: ConvergenceWait | None) -> None:
        """Lanes that are held are the executor's from here on."""
        held = self.words[TurnWord.HELD] == Hold.HELD
        split = self.splits()
        if held and wait is not None:
            split.passing = False
            machine.settle()
            segment = split.segment
            wait.hold(split, (*segment.indices, segment.last)[split.at])

    def answers(self) -> list[LaneAnswer]:
        """Where the lanes are that ran last."""
        answers = self.engine.answers
        return [
            self.code.compiled.answer(answers[2 * n], answers[2 * n + 1])
            for n in range(self.words[TurnWord.COUNT])
        ]

    def _targets(self) -> dict[int, int]:
        """The lanes of each successor to which some went, in the order of the text."""
        places, answers = self.code.places, self.engine.answers

        came = {places.begins(answers[2 * n]): answers[2 * n + 1] for n in range(self.words[TurnWord.COUNT])}
        order = self._node.policy.facts.cfg.successors[self._node.block]
        return {block: came[block] for block in order if block in came}

    def learns_pick(self) -> bool:
        """Whether it is known now what the policy picks."""
        return self.code.automaton.learn_pick(self._node, self._masks())

    def learns_after(self) -> bool:
        """Whether it is known now what the policy makes of where its lanes went."""
        return self.code.automaton.learn_after(self._node, self._masks(), self._targets())

    def ready(self) -> None:
        """The policy is ready to pick."""
        self.activation.policy = self._policy()

    def over(self) -> None:
        """The policy is told where lanes went; a turn is over."""
        self.ready()
        targets = {block: TracedMask(mask) for block, mask in self._targets().items()}
        self.activation.policy.after(self._node.block, targets, 0)
        self.words[TurnWord.TURNS] += 1

    def splits(self) -> WarpSplit:
        """What runs is the executor's split from here on."""
        self.ready()
        place = self.code.compiled.places[self.words[TurnWord.PLACE]]
        split = WarpSplit(self.activation, self._node.block, self.words[TurnWord.MASK], place.segment)
        split.at = place.step
        split.passing, self.words[TurnWord.HELD] = self.is_held, 0
        self.activation.splits.append(split)
        return split


class WaveBarriers(Protocol):
    """Where waves wait for others of their workgroup, by the executor."""

    def come(self, split: WarpSplit, meets: LaneExchange, at: Segment, after: Segment) -> None:
        """Lanes that have come to a barrier natively, at the end of a segment, wait there now, to go on in
        another one."""

    def waits(self, wave: Wave) -> bool:
        """Whether some lanes of a wave do."""


class RoundsEnd(NamedTuple):
    """The wave at which the executor goes on in the round; ``over``: there is none, and somebody has to look;
    ``moved``: whether a wave had a turn in this round, behind as many whole ``rounds``."""

    wave: int
    over: bool
    moved: bool
    rounds: int


class NativeRounds:
    """Turns of a launch of several waves. ``concurrent``: all activations have turns, not only the innermost.
    ``idle`` says whether a wave can do nothing until another one comes to a barrier; ``barriers`` are where
    the executor has waves wait."""

    def __init__(
        self,
        native: NativeLanes,
        machine: LockstepMachine,
        issuer: Issuer,
        issued: IssuedMask,
        wait: ConvergenceWait | None,
        waves: Sequence[Wave],
        concurrent: bool,
        idle: Callable[[Wave], bool],
        barriers: WaveBarriers,
    ) -> None:
        self._native, self._machine, self._issuer, self._issued = native, machine, issuer, issued
        self._wait, self._waves, self._concurrent, self._idle = wait, waves, concurrent, idle
        self._barriers = barriers
        self._rows: list[NativeActivation | None] = [None] * len(waves)
        self._codes = TurnCodes(native, issuer, concurrent)
        self._laid: dict[TurnCode, tuple[int, int]] = {}
        self._stale = set(range(len(waves)))
        self._waiting: set[int] = set()
        self._ready: set[int] = set()
        self._log = array("Q", bytes(8 * ROOM))
        self._table = array("q")
        self._round = array("q")
        self._arrivals: BarrierTable | None = None
        self._alive: list[Mask] = [0] * len(waves)
        self._rounds = 0

    # -- which waves run natively -------------------------------------------------------------------------

    def hand(self, number: int) -> None:
        """The executor gives a wave its turn."""
        row = self._rows[number]
        if row is not None and row.waits:
            self._machine.settle()
            meets, places, mask = row.meets, row.code.compiled.places, row.words[TurnWord.MASK]
            row.lanes.place(mask)
            at, after = places[meets.place].segment, places[meets.after].segment
            self._barriers.come(row.splits(), meets, at, after)
        elif row is not None and row.is_held:
            row.hand_over(self._machine, self._wait)
        self._drop(number)
        self._stale.add(number)

    def handed(self, number: int) -> None:
        """The executor gave a wave its turn: those of its workgroup, which is all a barrier is for, or of its
        cluster, may have what they waited for."""
        if self._arrivals is not None:
            self._count(number)
        if self._waiting:
            places = self._machine.subgroups
            own = self._waves[number].threads[0].launch
            for other in self._waiting:
                launch = self._waves[other].threads[0].launch
                if launch.workgroup == own.workgroup or places[launch].cluster == places[own].cluster:
                    self._stale.add(other)

    def _begin(self) -> None:
        """Makes the table."""
        from ...semantics.native.turns import BarrierTable, rounds_code

        self._table = array("q", bytes(8 * RowWord.WORDS * len(self._waves)))
        self._round = array("q", bytes(8 * RoundWord.WORDS))
        self._run = rounds_code()
        self._arrivals = BarrierTable(len(self._waves))
        for number in range(len(self._waves)):
            self._count(number)

    def _count(self, number: int) -> None:
        """How often a wave came to each barrier of its workgroup, as far as the executor knows, who looks."""
        from ...semantics.native.meetings import BARRIERS, MOST_BARRIERS

        arrivals, wave = self._arrivals, self._waves[number]
        assert arrivals is not None
        alive = wave.alive
        before, self._alive[number] = self._alive[number], alive
        arrivals.alive[number] = bool(alive)
        if alive != before and arrivals.apart[number] & arrivals.UNEVEN:
            self._machine.settle()  # the one that came to it least may be over
        waits = arrivals.WAITS if self._barriers.waits(wave) else 0
        if not self._machine.packed.is_settled:  # then nobody came to one since
            arrivals.apart[number] = waits | arrivals.apart[number] & arrivals.UNEVEN
            return
        counts = [self._machine.barriers[thread.number] for thread in wave.threads if thread.alive]
        uneven = False
        for n, name in enumerate(BARRIERS):
            times = {count[name] for count in counts}
            arrivals.arrived[number * MOST_BARRIERS + n] = min(times, default=0)
            uneven = uneven or len(times) > 1
        arrivals.apart[number] = waits | (arrivals.UNEVEN if uneven else 0)

    def _of_workgroup(self, number: int) -> tuple[int, int]:
        """The waves of a wave's workgroup, from the first to before the last."""
        group = self._waves[number].threads[0].launch.workgroup
        of = [n for n, wave in enumerate(self._waves) if wave.threads[0].launch.workgroup == group]
        return of[0], of[-1] + 1

    def _look(self) -> None:
        """Looks anew at the waves that the executor touched."""
        for number in self._stale:
            self._drop(number)
            wave = self._waves[number]
            state = RowState.ELSEWHERE
            if not wave.activations or self._idle(wave):
                state = RowState.IDLE
            elif (row := self._codes.activation(wave, self._log)) is not None:
                state = RowState.TURNS
                self._rows[number] = row
                self._ready.add(number)
            if state == RowState.IDLE and wave.activations:
                self._waiting.add(number)
            else:
                self._waiting.discard(number)
            self._write(number, state)
        self._stale.clear()

    def _write(self, number: int, state: int) -> None:
        """A wave's row."""
        row = self._rows[number]
        words = [state, *[0] * (RowWord.WORDS - 1)]
        if row is not None:
            compiled, automaton = row.code.compiled, row.code.automaton
            row.words[TurnWord.WAVE], row.words[TurnWord.MOST] = number, (1 << 63) - 1
            if row.code.compiled.exchanges.all and self._arrivals is not None:
                row.words[TurnWord.OWN] = number
                row.words[TurnWord.FROM], row.words[TurnWord.TO] = self._of_workgroup(number)
                for word, address in zip(
                    (TurnWord.ARRIVED, TurnWord.ALIVE, TurnWord.APART), self._arrivals.addresses, strict=True
                ):
                    row.words[word] = address
            row.counts_hits()
            words = [
                state, row.words.buffer_info()[0], compiled.address, automaton.pool.buffer_info()[0],
                row.hits.buffer_info()[0], row.registers.buffer_info()[0], row.code.places.at,
                row.lanes.at, row.activation.wave.first, compiled.place_at * compiled.stride,
                compiled.vectors_at,
            ]  # fmt: skip
        begin = number * RowWord.WORDS
        self._table[begin : begin + RowWord.WORDS] = array("q", words)

    def _drop(self, number: int) -> None:
        """A wave is the executor's, or is looked at anew."""
        row = self._rows[number]
        if row is None:
            return
        self._rows[number] = None
        self._ready.discard(number)
        self._issued.wave = row.activation.wave.number
        for operation, count in row.did().items():
            self._issued.did_often(operation, count)

    def close(self) -> None:
        """The run is over: all machine operations are counted."""
        for number in range(len(self._waves)):
            self._drop(number)
            self._stale.add(number)

    # -- rounds -------------------------------------------------------------------------------------------

    def go(
        self, begin: int, most: int, cycles: CycleDetector, moved: bool, single: bool = False
    ) -> RoundsEnd:
        """Turns of all waves from one on, and rounds behind that, up to ``most`` executed instructions; but a
        ``single`` round, if somebody has to look behind it. ``moved``: whether a wave before had a turn in
        this round."""
        engine = self._native.engine
        if engine is None or (self._wait is not None and self._wait.waiting):
            return RoundsEnd(begin, False, False, 0)
        if not self._table:
            self._begin()
        if single:  # what lets waves go on then, does not else
            self._stale |= self._waiting
        self._look()
        if not self._ready:
            return RoundsEnd(begin, False, False, 0)
        watched = cycles.watched(self._glance())
        words = self._round
        words[RoundWord.WATCHED] = -1
        if watched is not None:
            row = self._rows[watched.wave]
            if watched.words is None or row is None:
                return RoundsEnd(begin, False, False, 0)
            if row.watch(watched.lane, watched.words):
                words[RoundWord.WATCHED] = watched.wave
        words[RoundWord.LEFT] = 1 if single else min(cycles.left, 1 + TURNS // len(self._waves))
        words[RoundWord.EXECUTED], words[RoundWord.MOST] = self._issuer.executed, most
        words[RoundWord.LOG] = words[RoundWord.ROUNDS] = self._rounds = 0
        words[RoundWord.MOVED] = moved
        number, over, moved = self._through(begin)
        rounds = words[RoundWord.ROUNDS]
        cycles.passed(rounds - over)
        return RoundsEnd(number, over, moved or over or words[RoundWord.MOVED] > 0, rounds)

    def _glance(self) -> Glance:
        """What is seen at a glance behind each round."""
        turn = 1 if self._concurrent else 0
        return tuple(
            CycleDetector.at_a_glance(wave)
            if row is None or row.is_held
            else (len(wave.activations), turn, [])
            for wave, row in zip(self._waves, self._rows, strict=True)
        )

    def _through(self, begin: int) -> tuple[int, bool, bool]:
        """Rounds until nobody knows natively how to go on: at which wave, whether the round is over, and
        whether that wave's predecessor had a turn in part natively."""
        at = begin
        while True:
            why, number = self._call(at)
            self._settle(at, number)
            if why == Pause.LOOK:
                return number, True, True
            if why == Pause.WAITS:  # all that can go on wait for each other
                for waiting in [n for n in self._ready if (r := self._rows[n]) is not None and r.waits]:
                    self.hand(waiting)
                    self.handed(waiting)
                return number, False, False
            row = self._rows[number]
            if row is None:  # the executor's
                return number, False, False
            at = number
            match why:
                case Pause.ROOM:
                    continue
                case Pause.EXCHANGE:
                    if row.learns_exchange():
                        continue
                    row.splits()
                case Pause.PICK:
                    if row.learns_pick():
                        continue
                case Pause.AFTER:
                    if row.learns_after():
                        continue
                    self.hand(number)
                    row.over()
                    return number + 1, False, True
                case Pause.ELSEWHERE:
                    row.splits()
                case Pause.ANSWERED:
                    self._native.expect(row.splits(), row.answers())
            return number, False, False

    def _call(self, at: int) -> tuple[int, int]:
        """Native rounds from a wave on: why they are over, and at which wave."""
        engine = self._native.engine
        assert engine is not None
        for code in self._codes:
            laid = code.automaton.pool.buffer_info()[0], len(code.automaton.names)
            if self._laid.get(code) != laid:
                self._laid[code] = laid
                self._rewrite(code)
        answer: int = self._run(
            self._table.buffer_info()[0], len(self._waves), self._round.buffer_info()[0],
            self._log.buffer_info()[0], engine.control_at, engine.environment, engine.answers_at, at,
        )  # fmt: skip
        return answer >> 32, answer & 0xFFFFFFFF

    def _rewrite(self, code: TurnCode) -> None:
        """A tree has grown: it may lie elsewhere, and has more leaves."""
        for number in self._ready:
            row = self._rows[number]
            if row is not None and row.code is code:
                self._write(number, RowState.TURNS)

    def _settle(self, begin: int, end: int) -> None:
        """What has run since this was asked last, from one wave to another one or in whole rounds, is issued,
        and everybody else may look again."""
        engine = self._native.engine
        assert engine is not None
        waves: dict[int, WaveRecords] = {}
        events, ticks, keyed, observed = 0, 0, False, False
        rounds, self._rounds = self._rounds, self._round[RoundWord.ROUNDS]
        whole = self._rounds != rounds
        for number in self._ready if whole else range(begin, min(end + 1, len(self._rows))):
            row = self._rows[number]
            if row is None:
                continue
            words, wave = row.words, row.activation.wave
            wave.held = row.standing
            if not (words[TurnWord.PIECES] or words[TurnWord.TURNS] or words[TurnWord.RAN]):
                continue
            wave.turn = 1 if self._concurrent else 0
            waves[number] = row.records()
            wave.issues += words[TurnWord.SLOTS]
            events += words[TurnWord.SLOTS] + words[TurnWord.VISITS] + words[TurnWord.EVENTS]
            keyed = keyed or words[TurnWord.EVENTS] > 0 or bool(row.code.compiled.exchanges.all)
            observed = observed or words[TurnWord.OBSERVED] > 0
            self._machine.parted = self._machine.parted or words[TurnWord.PARTED] > 0
            ticks += words[TurnWord.TICKS]
            engine.tally.calls += words[TurnWord.PIECES]
            engine.tally.instructions += words[TurnWord.INSTRUCTIONS]
            engine.tally.turns += words[TurnWord.TURNS]
            engine.ran(row.code.compiled, words[TurnWord.PIECES])
            ran = words[TurnWord.RAN]
            row.lanes.ahead |= ran
            if self._wait is not None:
                row.lanes.place(ran)
                for thread in wave.of(ran):
                    thread.epoch += 1
            row.settled()
        if waves:
            records = self._log[: self._round[RoundWord.LOG]]
            self._machine.packed.pack(TurnRecords(records, waves, events, self._machine, keyed, observed))
            self._machine.ticks(ticks)
            self._issuer.executed = self._round[RoundWord.EXECUTED]
        self._round[RoundWord.LOG] = 0
