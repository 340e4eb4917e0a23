"""What keeps the choices few: which orders of accesses are worth trying, and whole states that come back."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...alignment import StaticInstance
from ...ir import Int, IntType, Local, Type
from ...ir import instructions as ir
from ...ir.calls import callee_name
from ...ir.cfg import build_cfg, cycles, dominators
from ...ir.instructions import (
    Alloca,
    AtomicRMW,
    Binary,
    CallSite,
    CmpXchg,
    Instruction,
    Load,
    Phi,
    Store,
    VAArg,
    operands,
)
from ...ir.module import Function, Module
from ...semantics import Waiting
from ...semantics.convergence import Key, LaunchGroup, Root, fold
from ...semantics.convergence.rules import ChosenGroup, Closing, waiting
from ...semantics.environments.queued import Perform, QueuedMachine, dependent
from ...semantics.instructions.intrinsics import is_memory_call
from ...semantics.memory import Piece
from ...semantics.memory.synchronisation import join
from ...semantics.threads import Thread
from ...semantics.threads.recurrence import computed_from, only_computes, uses
from ...semantics.values import Pending, settled

# ----------------------------------------------------------------------------------------------------------
# Which order of memory accesses is worth trying: dynamic partial-order reduction.
#
# After Flanagan and Godefroid, *Dynamic Partial-Order Reduction for Model Checking Software* (POPL 2005):
# where an execution performed one access and later, in another thread, one that conflicts with it, the
# other thread is tried before the first one, too; nothing else is. What was tried sleeps in the other
# branches until something conflicts with it (Godefroid's sleep sets, in the machine). So accesses that
# commute are performed in one order only, and the alignments and outcomes stay the same.
#
# A group that could be closed by choice is tried closed first. Otherwise it has to grow, and any access
# may make it: closing early allows whatever closing late does.
# ----------------------------------------------------------------------------------------------------------


class ExploredStep:
    """A choice of what happens next, on the current path.

    ``options``  what could happen: accesses, one per thread at most, and closings of groups
    ``order_tried``    places of those that were taken, in order, the last one now
    ``todo``     places of those that are to be taken
    ``undefined`` whether what is taken is a read that gives undef, for it raced in some execution from here
    ``doubtful``  whether it did not in another one
    ``settled``   whether it gives no undef: executions in which it races are none
    """

    __slots__ = ("doubtful", "options", "order_tried", "settled", "todo", "undefined")

    def __init__(self, options: Sequence[Perform | Closing], reduce: bool) -> None:
        self.options = tuple(options)
        closings = [n for n, option in enumerate(options) if isinstance(option, Closing)]
        accesses = [n for n, option in enumerate(options) if isinstance(option, Perform)]
        self.undefined = self.doubtful = self.settled = False
        self.order_tried: list[int] = []
        self.todo = [*closings, *(accesses[:1] if reduce else accesses)]
        self.advance()

    def advance(self) -> bool:
        """On to the next place that is worth it; False if there is none left. A read that races in some
        executions from here and not in others comes a second time."""
        self.settled = self.undefined and self.doubtful
        self.undefined = self.doubtful = False
        if self.settled:
            return True
        if not self.todo:
            return False
        self.order_tried.append(self.todo.pop(0))
        return True

    @property
    def taken(self) -> Perform | Closing:
        return self.options[self.order_tried[-1]]

    def passed_over(self) -> list[Any]:
        """What was tried before."""
        return [self.options[n] for n in self.order_tried[:-1]]

    def add(self, thread: int) -> None:
        """Try the thread's access here, too; all of them if it has none that could be performed."""
        own = [n for n, o in enumerate(self.options) if isinstance(o, Perform) and o.thread == thread]
        for n in own or [n for n, o in enumerate(self.options) if isinstance(o, Perform)]:
            if n not in self.order_tried and n not in self.todo:
                self.todo.append(n)

    def add_all(self) -> None:
        """Try every access here."""
        self.add(-1)


def find_races(steps: Sequence[ExploredStep], pending: Sequence[Perform]) -> None:
    """Marks on the path where another order of two accesses is to be tried.

    What a barrier orders (D-SYNC) is no race: an access behind a barrier's acquire fence cannot be performed
    before what the members released, however their accesses are ordered, so no order of the two is missed;
    that another order of *other* accesses brings other members is found where those race.

    ``steps`` are the choices of one execution in order; ``pending`` the accesses that could still have
    been performed when it ended. The last conflicting access of another thread is the one to go before,
    unless an access of the same thread in between already depends on it.
    """
    clocks: dict[int, dict[int, int]] = {}  # per thread: how much of each thread's accesses it depends on
    done: list[tuple[int, Perform, int, dict[int, int]]] = []
    counts: dict[int, int] = {}
    own: dict[int, list[dict[int, int]]] = {}  # per thread: what each of its accesses depends on

    def clock_of(next_: Perform) -> dict[int, int]:
        """What an access depends on before it is performed."""
        clock = dict(clocks.get(next_.thread, {}))
        for thread, number in next_.after.items():
            if number > clock.get(thread, 0):
                join(clock, own[thread][number - 1])
        return clock

    def race(next_: Perform) -> None:
        mine = clock_of(next_)
        for place, earlier, number, _ in reversed(done):
            if earlier.thread == next_.thread or not dependent(earlier, next_):
                continue
            if mine.get(earlier.thread, 0) < number:
                steps[place].add(next_.thread)
                return

    for place, step in enumerate(steps):
        taken = step.taken
        if not isinstance(taken, Perform):
            continue
        race(taken)
        thread = taken.thread
        clock = clock_of(taken)
        for _, earlier, _, theirs in done:
            if earlier.thread != thread and dependent(earlier, taken):
                join(clock, theirs)
        counts[thread] = clock[thread] = counts.get(thread, 0) + 1
        clocks[thread] = clock
        own.setdefault(thread, []).append(clock)
        done.append((place, taken, counts[thread], clock))
    for access in pending:
        race(access)


# ----------------------------------------------------------------------------------------------------------
# Whether what a read gives may decide that an access comes, by what the text has.
# ----------------------------------------------------------------------------------------------------------

_READS = ir.Load, ir.AtomicRMW, ir.VAArg
_ACCESSES = ir.Load, ir.Store, ir.AtomicRMW


def reads_decide(module: Module) -> bool:
    """Whether some read may decide which accesses a thread makes, and where, or that it goes no further. The
    answer may err only towards yes."""
    return any(_read_decides(module, function) for function in module.definitions())


def _read_decides(module: Module, function: Function) -> bool:
    calls = [i for i in function.instructions if isinstance(i, ir.CallSite)]
    if any(_enters(module, call) for call in calls):
        return True
    # what an exchange reads decides whether it writes, and with which of its two orderings it has read
    if any(isinstance(i, ir.CmpXchg) for i in function.instructions) or any(map(_may_compare, calls)):
        return True
    if any(isinstance(i, ir.Load) and "noundef" in dict(i.attachments) for i in function.instructions):
        return True
    read = {i.result for i in function.instructions if isinstance(i, _READS)}
    read |= {c.result for c in calls if any(isinstance(o, Local) for o in operands(c))}
    deciding = (name for i in function.instructions for name in _deciding(i))
    return not read.isdisjoint(computed_from(function, deciding))


def _deciding(instruction: ir.Instruction) -> Iterator[str]:
    """The values that decide where an instruction's thread goes, what it accesses, or whether it goes on."""
    if isinstance(instruction, _ACCESSES):
        if isinstance(instruction.pointer, Local):
            yield instruction.pointer.name
    elif not isinstance(instruction, ir.Ret) and not only_computes(instruction):
        yield from uses(instruction)


def _may_compare(call: ir.CallSite) -> bool:
    """Whether a call may be an access that writes by what it reads, as OpenCL's ``atomic_cmpxchg``: any that
    touches memory, but for copies and fills."""
    return is_memory_call(call) and not (callee_name(call) or "").startswith("llvm.mem")


def _enters(module: Module, call: ir.CallSite) -> bool:
    """Whether a call may enter a definition: what it passes and gets is not followed."""
    name = callee_name(call)
    return name is None or name not in module.functions or not module.functions[name].is_declaration


# ----------------------------------------------------------------------------------------------------------
# Whole states of a machine, to see that an execution comes back to one: threads that wait for memory spin.
#
# A path that comes to a state twice is cut there: whatever follows was to be found at the first visit.
# What a thread could do instead is tried in each state of such a circle (the cycle proviso of
# partial-order methods), or a reduction could leave it out for ever. When everything was tried, circles
# that are *fair* are executions without an end: each thread that could always go on does so.
# ----------------------------------------------------------------------------------------------------------


def may_spin(module: Module) -> bool:
    """Whether an execution may come back to a state: only in a cycle, where memory is read, and never where
    each cycle counts its rounds (:func:`_counts`)."""
    for function in module.definitions():
        if any(map(_may_read, function.instructions)):
            return any(not _counts(f) for f in module.definitions())
    return False


def _may_read(instruction: Instruction) -> bool:
    """Whether an instruction may read memory: as an access, or as a call that is one (OpenCL's atomics)."""
    if isinstance(instruction, CallSite):
        return is_memory_call(instruction)
    return isinstance(instruction, Load | AtomicRMW | CmpXchg | VAArg)


def _counts(function: Function) -> bool:
    """Whether no execution of a function within its bounds comes back to a state in one of its cycles.

    Each closed path leads through the header of the outermost cycle that it has blocks of, and each is inside
    of one whose header it passes. If that header adds a constant other than 0 to a phi in each round, or each
    round adds one to a variable on the stack, a state can come back after 2^32 rounds at the earliest, which
    no bound allows.
    """
    cfg = build_cfg(function)
    forest = cycles(cfg)
    definitions = {i.result: i for i in function.instructions if isinstance(i, Binary)}
    variables = _variables(function)
    tree = dominators(cfg) if variables else None
    for cycle in forest.all:
        if not cycle.is_reducible:
            return False
        header, blocks = function.blocks[cycle.header], forest.blocks(cycle)
        inside = {function.blocks[n].name for n in blocks}
        phis = (i for i in header.instructions if isinstance(i, Phi))
        if any(_adds(phi, definitions, inside) for phi in phis):
            continue
        latches = [n for n in cfg.predecessors[cycle.header] if n in blocks]
        additions = (variable.addition(function, blocks) for variable in variables)
        if tree is None or not any(
            n is not None and all(tree.dominates(n, latch) for latch in latches) for n in additions
        ):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _StackVariable:
    """A variable on the stack that nothing looks at but plain loads and stores, so that nothing else changes
    it. ``home`` is the block of its alloca; ``stores`` are blocks and places in them."""

    name: str
    type: Type
    home: int
    stores: tuple[tuple[int, int], ...]

    def addition(self, function: Function, blocks: Collection[int]) -> int | None:
        """The block among those of a cycle that has the only store there, if that adds a constant other than
        0 to what is in the variable: the load is before it in the same block, so that no store is between
        them. A cycle that makes the variable anew in each round does not count."""
        stores = [place for place in self.stores if place[0] in blocks]
        if len(stores) != 1 or self.home in blocks:
            return None
        ((block, place),) = stores
        before = {i.result: i for i in function.blocks[block].instructions[:place]}
        store = function.blocks[block].instructions[place]
        assert isinstance(store, Store)
        step = before.get(store.value.name) if isinstance(store.value, Local) else None
        if not isinstance(step, Binary) or step.opcode not in ("add", "sub"):
            return None
        load = before.get(step.lhs.name) if isinstance(step.lhs, Local) else None
        if not isinstance(load, Load) or load.type != self.type or not isinstance(step.rhs, Int):
            return None
        loads_it = isinstance(load.pointer, Local) and load.pointer.name == self.name
        return block if loads_it and step.rhs.value != 0 else None


def _variables(function: Function) -> tuple[_StackVariable, ...]:
    """The variables on a function's stack that may count: wide enough, and only loaded and stored."""
    made: dict[str, tuple[int, Type]] = {}
    stores: dict[str, list[tuple[int, int]]] = {}
    for n, block in enumerate(function.blocks):
        for i in block.instructions:
            if isinstance(i, Alloca) and i.result is not None and isinstance(i.type, IntType):
                if i.type.bits >= 32 and i.count is None:
                    made[i.result] = n, i.type
    for n, block in enumerate(function.blocks):
        for place, i in enumerate(block.instructions):
            match i:
                case Load(pointer=Local(), volatile=False, ordering=None):
                    continue
                case Store(value=value, pointer=Local(name=name), volatile=False, ordering=None):
                    stores.setdefault(name, []).append((n, place))
                    read = {value.name} if isinstance(value, Local) else set[str]()
                case Phi(incoming=incoming):
                    read = {value.name for value, _ in incoming if isinstance(value, Local)}
                case _:
                    read = set(uses(i))
            for name in read & made.keys():
                del made[name]
    return tuple(
        _StackVariable(name, type_, home, tuple(stores.get(name, ()))) for name, (home, type_) in made.items()
    )


def _adds(phi: Phi, definitions: Mapping[str | None, Binary], inside: Collection[str]) -> bool:
    """Whether what a header's phi gets from ``inside`` its cycle is always itself and the same constant."""
    if not isinstance(phi.type, IntType) or phi.type.bits < 32:
        return False
    steps = set()
    for value, block in phi.incoming:
        if block in inside:
            step = definitions.get(value.name) if isinstance(value, Local) else None
            if step is None or step.opcode not in ("add", "sub") or not isinstance(step.rhs, Int):
                return False
            if not isinstance(step.lhs, Local) or step.lhs.name != phi.result or step.rhs.value == 0:
                return False
            steps.add((step.opcode, step.rhs.value))
    return len(steps) == 1


class _View:
    """One machine's state as data that can be compared with another run's: keys by what they say."""

    def __init__(self, machine: QueuedMachine, numbers: dict[Hashable, int], kept: dict[int, object]) -> None:
        self.machine = machine
        self._numbers = numbers
        self._alive = kept
        self._numbers_of: dict[Root, int] = {}
        self._sources = self._to_come()

    def state(self) -> Hashable:
        """All that the rest of an execution depends on, and what was seen so far; not how it came there."""
        machine = self.machine
        memory = tuple(
            (key, a.alive, None if a.cells is None else tuple(map(_piece, a.cells)))
            for key, a in sorted(machine.memory.changing(), key=lambda entry: entry[0])
        )
        pending = sorted(
            (self._key(g.key), tuple(sorted(g.operands)), g.passed_over) for g in machine.pending.values()
        )
        chosen = sorted((g.site, tuple(g.members), g.closed, self._cases(g)) for g in machine.chosen_groups)
        guessed = sorted((self._key(g.key), g.threads) for g in machine.guessed)
        threads = tuple(map(self._thread, machine.threads))
        return memory, tuple(pending), tuple(chosen), len(machine.resolved), tuple(guessed), threads

    def _cases(self, group: ChosenGroup) -> tuple[tuple[int, bool, int], ...]:
        """With what members came to an anchor that has a bound."""
        return tuple(
            sorted(
                (
                    -1 if token is None else self._key(token),
                    isinstance(v, Key | LaunchGroup),
                    self._key(v) if isinstance(v, Key | LaunchGroup) else v,
                )
                for token, v in group.cases
            )
        )

    def _thread(self, thread: Thread) -> Hashable:
        frames = []
        frame = thread.frame if thread.alive else None
        while frame is not None:
            registers = tuple(map(self._plain, frame.registers[1:]))
            recent = tuple(map(self._plain, frame.recent or ()))
            loops = tuple((at, self._key(t), n) for at, (t, n) in sorted((frame.loops or {}).items()))
            cases = tuple((at, self._key(key)) for at, key in sorted((frame.cases or {}).items()))
            frames.append((id(frame.segment), registers, recent, loops, cases))
            frame = frame.caller
        queue = tuple(
            (i.site, tuple(map(self._plain, i.operands)), i.prepared is None, i.own)
            for i in self.machine.queues[thread.number]
        )
        shown = (
            tuple(map(self._key, thread.keys)),
            thread.events,
            tuple(thread.calls.items()),
            tuple(thread.writing_calls.items()),
            None if thread.ended is None else self._plain(thread.ended.value),
        )
        came = None if thread.way is None else self._key(thread.way)
        return thread.status.value, tuple(frames), queue, shown, thread.path_at, came

    def _plain(self, value: Any) -> Hashable:
        """A register's contents; a value to come by what it comes from."""
        value = settled(value)
        if isinstance(value, Pending):
            source = self._sources.get(id(value))
            return source if source is not None else self._computed(value)
        if isinstance(value, Key):
            return "key", self._key(value)
        return value  # type: ignore[no-any-return]

    def _computed(self, value: Pending) -> Hashable:
        """What a value to come is computed by, from what: instructions of one segment share their place."""
        self._alive[id(value.evaluate)] = value.evaluate  # so that no other function gets its identity
        return "computed", value.where, id(value.evaluate), tuple(map(self._plain, value.operands))

    def _to_come(self) -> dict[int, Hashable]:
        """What no thread computes: results of accesses by their places in the queues, and of exchanges by key
        and thread."""
        machine = self.machine
        sources: dict[int, Hashable] = {
            id(issued.result): ("read", number, place)
            for number, queue in enumerate(machine.queues)
            for place, issued in enumerate(queue)
            if issued.result is not None
        }
        for (key, number), value in machine.owed.items():
            sources[id(value)] = "owed", self._key(key), number
        return sources

    def _key(self, key: Root) -> int:
        """A number for a key, the same in every run: two have one if and only if their whole terms are equal,
        where a label is the instances that chose it."""
        return fold(key, self._launch, self._link, self._numbers_of)

    def _launch(self, launch: LaunchGroup) -> int:
        return self._numbered(("launch", launch.number))

    def _link(self, key: Key, parents: tuple[int, ...]) -> int:
        own: object = key.own if key.group is None else tuple(self.machine.chosen_groups[key.group].members)
        return self._numbered((key.kind, key.site, own, parents))

    def _numbered(self, name: Hashable) -> int:
        return self._numbers.setdefault(name, len(self._numbers))


def _piece(piece: Piece) -> Hashable:
    return piece.start, piece.size, piece.kind, piece.value, piece.mask


@dataclass(slots=True)
class States:
    """The states of all executions so far in which something could happen next, numbered, with what did.

    ``current``  the states on the latest path, in order, one for each of its steps
    """

    current: list[int] = field(default_factory=list)
    _keys: dict[Hashable, int] = field(default_factory=dict)
    _alive: dict[int, object] = field(default_factory=dict)
    _numbers: dict[Hashable, int] = field(default_factory=dict)
    _edges: dict[int, dict[object, int]] = field(default_factory=dict)
    _able: dict[int, frozenset[int]] = field(default_factory=dict)
    _waiting: dict[int, tuple[Waiting, ...]] = field(default_factory=dict)

    def begin(self) -> None:
        """A new execution starts."""
        self.current = []

    def came(self, machine: QueuedMachine, steps: list[ExploredStep]) -> bool:
        """The latest execution, which has taken ``steps``, comes to a state; whether it was there before."""
        state = _View(machine, self._keys, self._alive).state()
        number = self._numbers.setdefault(state, len(self._numbers))
        if number not in self._able:
            accesses = machine.accesses()
            self._able[number] = frozenset(a.thread for a in accesses)
            self._edges[number] = {}
            self._waiting[number] = _who_waits(machine, accesses)
        if self.current:
            taken = steps[len(self.current) - 1].taken
            mover = taken.thread if isinstance(taken, Perform) else ("close", taken.threads)
            self._edges[self.current[-1]][mover] = number
        if number in self.current:
            for step in steps[self.current.index(number) : len(self.current)]:
                step.add_all()
            return True
        self.current.append(number)
        return False

    def endless(self) -> tuple[Waiting, ...] | None:
        """Who waits in an execution that cannot end, if there is one."""
        for circle in self._circles():
            always = frozenset.intersection(*(self._able[n] for n in circle))
            moving = {mover for n in circle for mover, to in self._edges[n].items() if to in circle}
            if always <= moving:
                return self._waiting[min(circle)]
        return None

    def _circles(self) -> Iterator[frozenset[int]]:
        """The strongly connected parts that have an edge (Tarjan's algorithm, without recursion)."""
        index: dict[int, int] = {}
        low: dict[int, int] = {}
        on: set[int] = set()
        stack: list[int] = []
        for root in self._edges:
            if root in index:
                continue
            work: list[tuple[int, Iterator[int]]] = []

            def enter(node: int, work: list[tuple[int, Iterator[int]]] = work) -> None:
                index[node] = low[node] = len(index)
                stack.append(node)
                on.add(node)
                work.append((node, iter(self._edges[node].values())))

            enter(root)
            while work:
                node, rest = work[-1]
                to = next(rest, None)
                if to is None:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[node])
                    if low[node] == index[node]:
                        part = set()
                        while node not in part:
                            part.add(stack[-1])
                            on.discard(stack.pop())
                        if len(part) > 1 or node in self._edges[node].values():
                            yield frozenset(part)
                elif to not in index:
                    enter(to)
                elif to in on:
                    low[node] = min(low[node], index[to])


def _who_waits(machine: QueuedMachine, accesses: Iterable[Perform]) -> tuple[Waiting, ...]:
    """Threads at exchanges, and those that would go on reading memory."""
    program = machine.program
    waiters = list(waiting(machine))
    for access in accesses:
        site: StaticInstance = access.operation
        objects = [machine.memory.allocations.get(t.object) for t in access.touches]
        names = " and ".join(o.provenance.name for o in objects if o is not None)
        kind = access.issued.access.shape.kind
        waiters.append(
            Waiting(access.thread, site, f"a {kind} of {names or 'memory'}", (), program.span(site))
        )
    return tuple(sorted(waiters, key=lambda w: w.thread))
