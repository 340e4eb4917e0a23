"""Small programs with memory and votes, and all that they may return, by D-MEM and D-CAUSE to the letter.

The oracle guesses every value that a thread reads or gets from a vote, runs each thread alone on its guesses,
then tries every total order of the accesses and looks whether the causes go round in a circle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from random import Random

VALUES = 4
"""All values are taken modulo this."""


@dataclass(frozen=True)
class Load:
    register: str
    place: str


@dataclass(frozen=True)
class Store:
    place: str
    value: str


@dataclass(frozen=True)
class Vote:
    register: str
    value: str


@dataclass(frozen=True)
class If:
    condition: str
    body: tuple[Op, ...]


Op = Load | Store | Vote | If


@dataclass(frozen=True)
class Program:
    """The same operations for all threads. Places: ``own``, ``peer`` (the next thread's), ``common``;
    values: a register, ``arg`` (the thread's argument) or a digit."""

    ops: tuple[Op, ...]
    arguments: tuple[int, ...]

    @property
    def threads(self) -> int:
        return len(self.arguments)


def random_program(seed: int) -> Program:
    rng = Random(seed)
    threads = 2 if rng.random() < 0.8 else 3
    left = rng.randrange(4, 8) if threads == 2 else rng.randrange(3, 6)
    guesses = 3 if threads == 2 else 2
    names = iter(f"r{n}" for n in range(20))

    def body(depth: int, known: list[str]) -> tuple[Op, ...]:
        nonlocal left, guesses
        known = list(known)
        ops: list[Op] = []
        while left > 0 and (not ops or rng.random() < (0.95 if depth == 0 else 0.5)):
            left -= 1
            kind = rng.choice(["load", "load", "store", "store", "vote", "vote", "if"])
            if kind in ("load", "vote") and guesses == 0:
                kind = "store"
            if kind == "if" and (depth == 2 or not known or left == 0):
                kind = "store"
            value = rng.choice([*known, *known, "arg", "1", "2"])
            place = rng.choice(["own", "peer", "common"])
            if kind == "load":
                guesses -= 1
                known.append(next(names))
                ops.append(Load(known[-1], place))
            elif kind == "vote":
                guesses -= 1
                known.append(next(names))
                ops.append(Vote(known[-1], value))
            elif kind == "if":
                ops.append(If(rng.choice([*known, "arg"]), body(depth + 1, known)))
            else:
                ops.append(Store(place, value))
        return tuple(ops)

    return Program(body(0, []), tuple(rng.randrange(3) for _ in range(threads)))


# -- as LLVM IR ---------------------------------------------------------------------------------------------


def llvm(program: Program) -> str:
    """The program as a module; a thread returns all its registers, digits of a number to the base VALUES."""
    lines: list[str] = []
    blocks = 0
    here = "entry"
    final: dict[str, str] = {}

    def fresh() -> str:
        nonlocal blocks
        blocks += 1
        return f"b{blocks}"

    def operand(value: str) -> str:
        return value if value.isdigit() else f"%{value}"

    def emit(ops: Sequence[Op]) -> list[str]:
        nonlocal here
        defined: list[str] = []
        for op in ops:
            match op:
                case Load(register, place):
                    lines.append(f"  %{register} = load atomic i32, ptr %{place} monotonic, align 4")
                    defined.append(register)
                case Store(place, value):
                    lines.append(f"  store atomic i32 {operand(value)}, ptr %{place} monotonic, align 4")
                case Vote(register, value):
                    lines.append(
                        f"  %{register}.sum = call i32 @subgroupAdd(i32 {operand(value)})"
                        ' [ "convergencectrl"(token %t) ]'
                    )
                    lines.append(f"  %{register} = and i32 %{register}.sum, {VALUES - 1}")
                    defined.append(register)
                case If(condition, body):
                    then, after, before = fresh(), fresh(), here
                    lines.append(f"  %c.{then} = icmp ne i32 {operand(condition)}, 0")
                    lines.append(f"  br i1 %c.{then}, label %{then}, label %{after}")
                    lines.append(f"{then}:")
                    here = then
                    inside = emit(body)
                    lines.append(f"  br label %{after}")
                    lines.append(f"{after}:")
                    for register in inside:
                        joined = f"{final.get(register, register)}.j"
                        last = final.get(register, register)
                        lines.append(f"  %{joined} = phi i32 [ 0, %{before} ], [ %{last}, %{here} ]")
                        final[register] = joined
                    here = after
                    defined += inside
        return defined

    registers = emit(program.ops)
    total = "0"
    for n, register in enumerate(registers):
        lines.append(f"  %m{n} = mul i32 {total}, {VALUES}")
        lines.append(f"  %s{n} = add i32 %m{n}, %{final.get(register, register)}")
        total = f"%s{n}"
    n = program.threads
    return (
        f"@own = global [{n} x i32] zeroinitializer\n@common = global i32 0\n"
        "declare token @llvm.experimental.convergence.entry()\ndeclare i32 @subgroupAdd(i32) convergent\n"
        "define i32 @f(i32 %tid, i32 %next, i32 %arg) convergent {\nentry:\n"
        "  %t = call token @llvm.experimental.convergence.entry()\n"
        "  %own = getelementptr i32, ptr @own, i32 %tid\n  %peer = getelementptr i32, ptr @own, i32 %next\n"
        "  %common = getelementptr i8, ptr @common, i32 0\n" + "\n".join(lines) + f"\n  ret i32 {total}\n}}\n"
    )


def registers_of(ops: Sequence[Op]) -> list[str]:
    found: list[str] = []
    for op in ops:
        match op:
            case Load(register, _) | Vote(register, _):
                found.append(register)
            case If(_, body):
                found += registers_of(body)
            case Store():
                pass
    return found


# -- the definition -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Event:
    """An access or a vote of a thread. ``causes`` are the places, in its trace, of the events whose
    values it needs: its operand, and every branch before it."""

    op: Op
    where: int
    operand: int
    value: int
    causes: frozenset[int]
    control: frozenset[int]


@dataclass(frozen=True)
class Trace:
    """``missed``: per vote that the thread does not come to, the events that its leaving needs."""

    events: tuple[Event, ...]
    registers: dict[str, int]
    missed: dict[Vote, frozenset[int]]


def traces(program: Program, thread: int) -> Iterator[Trace]:
    """The thread alone, for every guess of what it reads and gets."""
    for guesses in product(range(VALUES), repeat=len(registers_of(program.ops))):
        trace = _trace(program, thread, guesses)
        if trace is not None:
            yield trace


def _trace(program: Program, thread: int, guesses: tuple[int, ...]) -> Trace | None:
    """None if a guess for what is not executed is not 0: the same trace as with 0."""
    arg, n = program.arguments[thread], program.threads
    where = {"own": thread, "peer": (thread + 1) % n, "common": n}
    guess = dict(zip(registers_of(program.ops), guesses, strict=True))
    values: dict[str, int] = {}
    source: dict[str, int] = {}
    events: list[Event] = []
    missed: dict[Vote, frozenset[int]] = {}
    control: set[int] = set()

    def get(value: str) -> tuple[int, set[int]]:
        if value.isdigit():
            return int(value), set()
        return (arg, set()) if value == "arg" else (values[value], {source[value]})

    def skip(ops: Sequence[Op], why: set[int]) -> None:
        for op in ops:
            if isinstance(op, Vote):
                missed[op] = frozenset(why)
            elif isinstance(op, If):
                skip(op.body, why)

    def walk(ops: Sequence[Op]) -> None:
        for op in ops:
            now = frozenset(control)
            match op:
                case If(condition, body):
                    value, causes = get(condition)
                    control.update(causes)
                    if value:
                        walk(body)
                    else:
                        skip(body, control)
                case Load(register, place):
                    values[register], source[register] = guess[register], len(events)
                    events.append(Event(op, where[place], 0, guess[register], now, now))
                case Store(place, operand):
                    value, causes = get(operand)
                    events.append(Event(op, where[place], value, 0, now | causes, now))
                case Vote(register, operand):
                    value, causes = get(operand)
                    values[register], source[register] = guess[register], len(events)
                    events.append(Event(op, -1, value, guess[register], now | causes, now))

    walk(program.ops)
    if any(value and name not in values for name, value in guess.items()):
        return None
    return Trace(tuple(events), {name: values.get(name, 0) for name in guess}, missed)


def outcomes(program: Program) -> frozenset[tuple[int, ...]]:
    """What the threads may return, together."""
    found = set()
    for chosen in product(*(list(traces(program, t)) for t in range(program.threads))):
        returned = tuple(_returned(trace) for trace in chosen)
        if returned not in found and _votes_are_right(chosen) and _has_order(chosen):
            found.add(returned)
    return frozenset(found)


def _returned(trace: Trace) -> int:
    total = 0
    for value in trace.registers.values():
        total = total * VALUES + value
    return total


def _groups(chosen: Sequence[Trace]) -> dict[Op, list[tuple[int, int]]]:
    groups: dict[Op, list[tuple[int, int]]] = {}
    for thread, trace in enumerate(chosen):
        for place, event in enumerate(trace.events):
            if isinstance(event.op, Vote):
                groups.setdefault(event.op, []).append((thread, place))
    return groups


def _votes_are_right(chosen: Sequence[Trace]) -> bool:
    return all(
        chosen[t].events[p].value == sum(chosen[u].events[q].operand for u, q in members) % VALUES
        for members in _groups(chosen).values()
        for t, p in members
    )


def _has_order(chosen: Sequence[Trace]) -> bool:
    """Whether some total order of the accesses gives each read its value without a circle of causes."""
    edges: set[tuple[tuple[int, int], tuple[int, int]]] = set()
    for thread, trace in enumerate(chosen):
        for place, event in enumerate(trace.events):
            if not isinstance(event.op, Vote):
                edges |= {((thread, cause), (thread, place)) for cause in event.causes}
    for vote, members in _groups(chosen).items():
        for result in members:
            for thread, trace in enumerate(chosen):
                mine = [place for t, place in members if t == thread]
                causes = trace.events[mine[0]].causes if mine else trace.missed[vote]  # type: ignore[index]
                edges |= {((thread, cause), result) for cause in causes}
    accesses = [[p for p, e in enumerate(trace.events) if not isinstance(e.op, Vote)] for trace in chosen]

    def search(at: tuple[int, ...], memory: dict[int, int], order: list[tuple[int, int]]) -> bool:
        if all(n == len(mine) for n, mine in zip(at, accesses, strict=True)):
            return _acyclic(edges | set(pairwise(order)))
        for thread, n in enumerate(at):
            if n == len(accesses[thread]):
                continue
            place = accesses[thread][n]
            event = chosen[thread].events[place]
            after = memory
            if isinstance(event.op, Store):
                after = {**memory, event.where: event.operand}
            elif memory.get(event.where, 0) != event.value:
                continue
            if search((*at[:thread], n + 1, *at[thread + 1 :]), after, [*order, (thread, place)]):
                return True
        return False

    return search((0,) * len(chosen), {}, [])


def _acyclic(edges: set[tuple[tuple[int, int], tuple[int, int]]]) -> bool:
    after: dict[tuple[int, int], list[tuple[int, int]]] = {}
    degree: dict[tuple[int, int], int] = {}
    for a, b in edges:
        after.setdefault(a, []).append(b)
        degree[b] = degree.get(b, 0) + 1
        degree.setdefault(a, 0)
    ready = [n for n, d in degree.items() if d == 0]
    seen = 0
    while ready:
        seen += 1
        for n in after.get(ready.pop(), ()):
            degree[n] -= 1
            if degree[n] == 0:
                ready.append(n)
    return seen == len(degree)
