"""A whole state that comes back: keys up to counts of iterations, and the proof that threads go round for
ever.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...alignment import StaticInstance
from ...ir import Metadata, MetadataString, MetadataTuple
from ...ir import instructions as ir
from ...ir.calls import Control, callee_name, control, is_convergent
from ...ir.cfg import build_cfg, cycles
from .. import Endless, GoesRound, UndefinedBehaviour
from ..convergence import Key, KeyKind, LaunchGroup, Pass, Root, fold
from ..convergence.rules import Inventory, PendingGroup, waiting
from ..operations import Callee
from ..threads.recurrence import (
    DEEPEST,
    Lives,
    MemoryState,
    Watch,
    contents,
    frames_of,
    needed,
    own_state,
    registers_of,
)
from ..threads.step import PATIENCE, stack_of
from . import Entered, LogEvent, ReturnEvent, Visited, each_visit

if TYPE_CHECKING:
    from ...ir.module import Function, Module
    from ..threads import CodeBlock, Frame, Thread
    from .program import Program

# ----------------------------------------------------------------------------------------------------------
# Keys up to the counts of iterations: what of them the rest of a run can depend on.
#
# A loop's instances, and headers, have the number of the iteration in their keys (D-LOOP; D-FREE, mode
# maximal), so no state of a thread that goes round comes back as it was. Two views of the keys do come
# back:
#
# *Against what waits* (:class:`AgainstWaiting`), for a stretch in which nobody comes to an exchange. A
# thread that comes to none is asked one thing about its keys: whether it may still come to one of the
# groups that wait (:func:`~..convergence.rules.may_come`). That looks at the links of these groups' keys,
# at who holds them, and, where such a link is the n-th iteration, at how many iterations the thread is
# short of n: all numbers above the largest such n are the same. No other key decides anything.
#
# *Counted from the last* (:class:`FromTheLast`), for any stretch. A number of an iteration is only compared
# with others of the same loop, token and frame: for equality, and for how many are missing. So from all
# numbers of one loop with one token the smallest that a live thread has reached can be taken away. A thread
# that holds the token and has not begun to count has reached 0, and one that has left the loop has no say,
# for it cannot come back to that token. The same for headers with the same parents. This maps keys one to
# one, and the rules commute with it: they compare keys by identity, by site, by parents and by differences
# of these numbers.
# ----------------------------------------------------------------------------------------------------------

_Count = tuple[StaticInstance, tuple[Root, ...]]
"""What numbers are compared within: a loop and its token; a header and what it hangs from."""
_COUNTED = frozenset((KeyKind.LOOP, KeyKind.HEADER))


def _number(key: Key) -> int:
    return key.own if isinstance(key.own, int) else key.passes.n


class AgainstWaiting:
    """What threads' keys say of the groups that wait."""

    def __init__(self, groups: Iterable[PendingGroup]) -> None:
        self.links: set[Root] = set()
        self._most: dict[_Count, int] = {}
        work: list[Root] = [group.key for group in groups]
        while work:
            link = work.pop()
            if link in self.links:
                continue
            self.links.add(link)
            if isinstance(link, Key):
                work += link.parents
                if link.kind in _COUNTED:
                    count = link.site, link.parents
                    self._most[count] = max(self._most.get(count, 0), _number(link))

    def thread(self, thread: Thread, frames: Sequence[Frame], live: Sequence[Sequence[Key]]) -> Hashable:
        """All that the groups ask of one thread, with these live tokens in its frames."""
        if not self.links:
            return ()
        return (
            frozenset(link for link in self.links if link in thread.keys),
            tuple(
                (
                    self._link(frame.root),
                    tuple(map(self._link, tokens)),
                    tuple(map(self._header, frame.recent or ())),
                    tuple(
                        (at, token, self._short(StaticInstance(frame.code.name, at), (token,), n))
                        for at, (token, n) in sorted((frame.loops or {}).items())
                        if token in self.links
                    ),
                )
                for frame, tokens in zip(frames, live, strict=True)
            ),
        )

    def _link(self, root: Root | None) -> Hashable:
        return root if root in self.links else None

    def _header(self, header: Key | None) -> Hashable:
        if header is None or header in self.links:
            return header
        count = header.site, header.parents
        return (count, self._short(*count, _number(header))) if count in self._most else None

    def _short(self, site: StaticInstance, parents: tuple[Root, ...], n: int) -> int:
        most = self._most.get((site, parents))
        return 0 if most is None else min(n, most + 1)


class FromTheLast:
    """The keys of live threads, with all iterations counted from the one that the last thread is in."""

    def __init__(self, frames: Iterable[tuple[Frame, int]]) -> None:
        """``frames`` are the activations of live threads, each with the instruction that it executes next."""
        self._least: dict[_Count, int] = {}
        self._known: dict[Root, Hashable] = {}
        by_root: dict[Root | None, list[tuple[Frame, int]]] = {}
        for frame, position in frames:
            by_root.setdefault(frame.root, []).append((frame, position))
            self._count_loops(frame, position)
        for fellows in by_root.values():
            self._count_headers(fellows)

    def _count_loops(self, frame: Frame, position: int) -> None:
        code = frame.code
        for at, slot in code.token_of.items():
            token = frame.registers[slot]
            if not isinstance(token, Key) or control(code.instructions[at]) is not Control.LOOP:
                continue
            tokens = frozenset([code.defined_at[slot]]) if slot in code.defined_at else frozenset()
            if code.graph.reaches(position, frozenset([at]), tokens):
                counted, n = (frame.loops or {}).get(at, (None, 0))
                self._reached((StaticInstance(code.name, at), (token,)), n if counted is token else 0)

    def _count_headers(self, fellows: Sequence[tuple[Frame, int]]) -> None:
        """Headers of frames that hang from one root: a frame without one has not come to it."""
        reached = [(dict(_headers(frame)), frame, position) for frame, position in fellows]
        nothing: frozenset[int] = frozenset()
        for count in {count for counts, _, _ in reached for count in counts}:
            for counts, frame, position in reached:
                graph = frame.code.graph
                header = frozenset([graph.block_of[count[0].index]])
                if graph.reaches(position, nothing, nothing, header):
                    self._reached(count, counts.get(count, 0))

    def _reached(self, count: _Count, n: int) -> None:
        self._least[count] = min(n, self._least.get(count, n))

    def frame(self, frame: Frame, tokens: Sequence[Key]) -> Hashable:
        """The keys of one activation, with these live tokens."""
        code, loops = frame.code, frame.loops or {}
        return (
            None if frame.root is None else self.key(frame.root),
            tuple(map(self.key, tokens)),
            tuple(None if header is None else self.key(header) for header in frame.recent or ()),
            tuple(
                (at, n - self._least.get((StaticInstance(code.name, at), (token,)), 0))
                for at, (token, n) in sorted(loops.items())
                if at in code.token_of and frame.registers[code.token_of[at]] is token
            ),
        )

    def key(self, key: Root) -> Hashable:
        """One key."""
        return fold(key, _launch, self._node, self._known)

    def _node(self, key: Key, parents: tuple[Hashable, ...]) -> Hashable:
        own: Hashable = key.own
        least = self._least.get((key.site, key.parents), 0) if key.kind in _COUNTED else 0
        if isinstance(key.own, int):
            own = key.own - least
        elif isinstance(key.own, Pass):
            own = key.own.block, key.own.n - least
        return key.kind, key.site, own, parents


def _launch(group: LaunchGroup) -> Hashable:
    return group.number


def _headers(frame: Frame) -> Iterable[tuple[_Count, int]]:
    """The headers that a frame met last, and those around them."""
    for header in frame.recent or ():
        link = header
        while link is not None:
            yield (link.site, link.parents), _number(link)
            link = link.header


# ----------------------------------------------------------------------------------------------------------
# A whole state that comes back proves that threads go round for ever (semantics.md, §3, *Bounds*).
#
# A run is a function of its choices. So a stretch without a choice, at the end of which everything is what
# it was at its beginning, is repeated without an end. It is a fair one: at a round's end each thread that
# could go on has had its turn, or waits for what cannot come while all others go on like that. *Everything*
# is where threads are, what their live registers and the memory hold, who waits at which exchange with
# what, and of the keys what relabelling, above, says; counts of calls and of events only where
# a result is made of them. What was traced, recorded and seen so far grows, and decides nothing.
#
# One state is kept and compared with those after it; at each power of two a new one is kept (Brent, *An
# improved Monte Carlo factorization algorithm*, BIT 1980). ``Settings.recurrence`` switches this off; the
# answer differs only in that a bound is hit instead (``tests/properties/test_endless.py``).
# ----------------------------------------------------------------------------------------------------------


class Recurrence:
    """The state that is kept: in parts, what is quick to look at first."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._watches: dict[int, Watch] = {}
        self._lives, self._counted = facts_of(program)
        self._power = self._left = 1
        self._reference: _State | None = None

    def watch(self, thread: Thread) -> Watch | None:
        """Where a thread may come back to in its next turn; ``None`` while nobody looks."""
        if thread.steps < PATIENCE or thread.depth > DEEPEST:
            return None
        known = self._watches.get(thread.number)
        if known is None:
            known = self._watches[thread.number] = Watch(thread, self._lives)
            return known
        return known if known.begin(thread) else None

    def came_back(
        self, machine: Inventory, ready: Iterable[Thread], choices: int
    ) -> Endless | UndefinedBehaviour | None:
        """Whether the state at the end of this round is the one that is kept: then, who goes round, and who
        waits; or whose behaviour is undefined, for it must make progress and makes none."""
        order = tuple([thread.number for thread in ready])
        glance = order, choices, tuple([(t.depth, t.frame and t.frame.segment) for t in machine.threads])
        kept = self._reference
        if kept is not None and kept.glance == glance and self._same(machine, kept):
            if self._program.settings.environment != "watched":
                return self._endless(machine, kept)
            if not _writes(machine, kept):
                if kept.again:
                    return self._endless(machine, kept)
                self._keep(machine, glance, again=True)
                return None
        self._left -= 1
        if not self._left:
            self._power *= 2
            self._left = self._power
            self._keep(machine, glance)
        return None

    # -- the state ------------------------------------------------------------------------------------

    def _keep(self, machine: Inventory, glance: Hashable, again: bool = False) -> None:
        self._reference = _State(
            again=again,
            glance=glance,
            groups=_groups(machine),
            guesses=len(machine.guesses),
            threads=tuple([self._thread(machine, thread) for thread in machine.threads]),
            memory=MemoryState(machine.memory),
            against_waiting=self._against_waiting(machine),
            from_the_last=self._from_the_last(machine),
            marks=tuple(map(mark_of, machine.threads)),
        )

    def _same(self, machine: Inventory, kept: _State) -> bool:
        threads = machine.threads
        if len(machine.guesses) != kept.guesses:
            return False
        if any(self._thread(machine, thread) != kept.threads[thread.number] for thread in threads):
            return False
        quiet = _groups(machine) == kept.groups
        recording = [t for t in threads if len(t.keys) != kept.marks[t.number].keys]
        if recording and not machine.program.settings.verified:
            return False  # it may meet one of its keys again (D-EQ)
        if recording and machine.order is not None and (len(recording) > 1 or not quiet):
            return False  # D-ORDER looks at all that was, too
        if quiet:
            alike = self._against_waiting(machine) == kept.against_waiting
        else:
            alike = self._from_the_last(machine) == kept.from_the_last
        return alike and kept.memory.same(machine.memory)

    def _thread(self, machine: Inventory, thread: Thread) -> Hashable:
        counts = (
            (tuple(thread.calls.items()), thread.writing_calls, thread.events if self._counted.events else 0)
            if self._counted.calls
            else None
        )
        state = own_state(thread, self._lives, machine.memory)
        return thread.status, state, counts, thread.path_at, thread.way

    def _live_tokens(self, thread: Thread, frame: Frame) -> list[Key]:
        return [v for v in registers_of(thread, frame, self._lives) if isinstance(v, Key)]

    def _against_waiting(self, machine: Inventory) -> Hashable:
        view = AgainstWaiting(machine.pending.values())
        return tuple(
            view.thread(thread, frames, [self._live_tokens(thread, frame) for frame in frames])
            for thread in machine.threads
            if (frames := frames_of(thread))
        )

    def _from_the_last(self, machine: Inventory) -> Hashable:
        stacks = [(thread, frames_of(thread)) for thread in machine.threads]
        view = FromTheLast((f, thread.position(f)) for thread, frames in stacks for f in frames)
        keys = tuple(
            tuple(view.frame(frame, self._live_tokens(thread, frame)) for frame in frames)
            for thread, frames in stacks
        )
        groups = tuple(
            (
                view.key(group.key),
                tuple(
                    (number, tuple(contents(v, machine.memory) for v in operands))
                    for number, operands in group.operands.items()
                ),
                group.passed_over,
            )
            for group in machine.pending.values()
        )
        return keys, groups

    # -- what comes back ------------------------------------------------------------------------------

    def _endless(self, machine: Inventory, kept: _State) -> Endless | UndefinedBehaviour:
        spinning = []
        visits = _visits_by_thread(machine.threads[0].log[kept.marks[0].log :])
        for thread, mark in zip(machine.threads, kept.marks, strict=True):
            if thread.steps == mark.steps or not thread.alive:
                continue
            answer = goes_round(self._program, thread, mark, visits.get(thread.number, ()))
            if isinstance(answer, UndefinedBehaviour):
                return answer
            spinning.append(answer)
        moving = {s.thread for s in spinning}
        waits = tuple(w for w in waiting(machine) if w.thread not in moving)
        periods = tuple(
            (mark.events, thread.events - mark.events)
            for thread, mark in zip(machine.threads, kept.marks, strict=True)
        )
        return Endless(tuple(spinning), waits, periods)


class ThreadMark(NamedTuple):
    """How far a thread had come: how many steps, keys and events it had, how long the log was, and in which
    activations it was."""

    steps: int
    keys: int
    events: int
    log: int
    frames: tuple[Frame, ...]


def mark_of(thread: Thread) -> ThreadMark:
    """Where a thread is now."""
    return ThreadMark(
        thread.steps, len(thread.keys), thread.events, len(thread.log), tuple(frames_of(thread))
    )


class _State(NamedTuple):
    """A state at the end of a round; ``groups`` are those that wait, and how many there were before: while
    that stays, nobody came to an exchange. ``marks`` are by thread. ``again``: it came back before."""

    again: bool
    glance: Hashable
    groups: Hashable
    guesses: int
    threads: tuple[Hashable, ...]
    memory: MemoryState
    against_waiting: Hashable
    from_the_last: Hashable
    marks: tuple[ThreadMark, ...]


def _writes(machine: Inventory, kept: _State) -> bool:
    """Whether a thread may have written to memory since. Where races are watched, what a read gives depends
    on what is known of others' writes. While nobody writes that only grows, and does so the first time
    round: who comes back twice without a write has read the same each time."""
    since = each_visit(machine.threads[0].log[kept.marks[0].log :])
    visited = (event for event in since if isinstance(event, Visited))
    return any(map(_may_write, _instructions(machine.program.module, visited)))


def _instructions(module: Module, visited: Iterable[Visited]) -> Iterator[ir.Instruction]:
    """The instructions of blocks that were entered, each once."""
    ran = {(event.function, event.block) for event in visited}
    return (
        instruction
        for function in {function for function, _ in ran}
        for block in module.functions[function].blocks
        if (function, block.name) in ran
        for instruction in block.instructions
    )


def _may_write(instruction: ir.Instruction) -> bool:
    """Whether an instruction may write to memory; of calls all but those of control intrinsics may."""
    if isinstance(instruction, ir.CallSite):
        return control(instruction) is None
    return isinstance(instruction, ir.Store | ir.AtomicRMW | ir.CmpXchg | ir.VAArg)


def _groups(machine: Inventory) -> Hashable:
    return len(machine.resolved), tuple((g.key, len(g.operands)) for g in machine.pending.values())


class RecurrenceFacts(NamedTuple):
    """What is asked of a program's text: which registers are live, and which results depend on counts."""

    lives: Lives
    counted: _Counted


def facts_of(program: Program) -> RecurrenceFacts:
    """These facts of a program, made when its first run is long."""
    known: RecurrenceFacts | None = program.recurring
    if known is None:
        known = program.recurring = RecurrenceFacts(Lives(), _counted_results(program))
    return known


class _Counted(NamedTuple):
    """Whether results that matter may depend on how many ``calls``, or ``events``, went before."""

    calls: bool
    events: bool


def _counted_results(program: Program) -> _Counted:
    calls = events = False
    module = program.module
    for function in module.definitions():
        matter = needed(function)
        for instruction in function.instructions:
            if not isinstance(instruction, ir.CallSite):
                continue
            # Where a callbr goes on is a stand-in, too, whether anybody needs its result or not.
            branches = isinstance(instruction, ir.CallBr) and not program.settings.reading
            if instruction.result not in matter and not branches:
                continue
            if control(instruction) is not None:
                continue
            name = callee_name(instruction)
            callee = module.functions.get(name or "")
            if callee is not None and not callee.is_declaration:
                continue
            if name is not None and not _depends_on_counts(program, name, instruction):
                continue
            calls = True
            convergent = is_convergent(module, instruction)
            events = events or (convergent and (name is None or is_event(program, name, instruction)))
    return _Counted(calls, events and program.settings.order == "dependence")


def _depends_on_counts(program: Program, name: str, call: ir.CallSite) -> bool:
    """Whether what a declared function gives may depend on what its thread called before: where results were
    given, and where it is unknown and may read memory."""
    if name in program.settings.inputs:
        return True
    model = program.table.model(Callee.of(name, call, program.context))
    return model is None and program.effects(name, call).reads


# -- Who goes round, and whether that is allowed
# LangRef: a function with ``mustprogress`` returns, unwinds, or interacts with the environment in an
# observable way; a loop whose latch has ``llvm.loop.mustprogress`` does so, too; ``willreturn`` promises to
# come back. Else the behaviour is undefined. A loop without any of these may go on for ever, and mean it.


def goes_round(
    program: Program, thread: Thread, mark: ThreadMark, since: Sequence[LogEvent] | None = None
) -> GoesRound | UndefinedBehaviour:
    """Where a thread goes round that is again where it was at ``mark``; or that it must not, and why.
    ``since``: which blocks and activations it entered since then, where that is known."""
    if since is None:
        since = _visits_by_thread(thread.log[mark.log :]).get(thread.number, ())
    frame = _round_goer(thread, mark.frames)
    ran = _ran(since, frame, mark)
    if _must_return(program, frame):
        why, section = "a call that must return never does", "Function Attributes, willreturn"
        return UndefinedBehaviour(why, section, thread.number, stack_of(thread, program.span))
    if _must_progress(program, frame, ran) and not _progressed(program, thread, mark, since):
        why, section = "a loop that must make progress makes none", "Function Attributes, mustprogress"
        return UndefinedBehaviour(why, section, thread.number, stack_of(thread, program.span))
    block = ran[-1] if ran else frame.code.blocks[0]
    span = program.span(StaticInstance(frame.code.name, block.entry.first))
    return GoesRound(thread.number, frame.code.name, block.name, span)


def _progressed(program: Program, thread: Thread, mark: ThreadMark, since: Sequence[LogEvent]) -> bool:
    """Whether a thread may have interacted with anybody since: it had an event, or came through a block
    with an atomic access, or with a call that may be one."""
    if thread.events > mark.events:
        return True
    own = (event for event in since if isinstance(event, Visited))
    return any(_interacts(program, instruction) for instruction in _instructions(program.module, own))


def _round_goer(thread: Thread, before: Sequence[Frame]) -> Frame:
    """The innermost activation that was there all the time: others that it makes come and go."""
    known = set(map(id, before))
    for frame in frames_of(thread):
        if id(frame) in known:
            return frame
    assert thread.bottom is not None
    return thread.bottom


def _visits_by_thread(events: Iterable[LogEvent]) -> Mapping[int, list[LogEvent]]:
    """Which blocks and activations each thread entered and left."""
    visits: dict[int, list[LogEvent]] = {}
    for event in each_visit(events):
        if isinstance(event, Entered | ReturnEvent | Visited):
            visits.setdefault(event.thread, []).append(event)
    return visits


def _ran(since: Sequence[LogEvent], frame: Frame, mark: ThreadMark) -> list[CodeBlock]:
    """The blocks that a thread entered in this activation since it was at ``mark``."""
    blocks, at = [], mark.frames[0].number if mark.frames else 0
    for happened in since:
        match happened:
            case Entered(_, now) | ReturnEvent(_, now):
                at = now
            case Visited(_, _, block) if at == frame.number:
                blocks.append(frame.code.blocks[frame.code.graph.number[block]])
    return blocks


def _must_return(program: Program, frame: Frame) -> bool:
    """Whether this activation, or one that it would have to return to, promises to come back."""
    at: Frame | None = frame
    while at is not None:
        words = program.module.resolve(at.code.function.attributes)
        if at.caller is not None:
            call = at.caller.code.instructions[at.call]
            assert isinstance(call, ir.CallSite)
            words += program.module.resolve(call.attributes)
        if "willreturn" in words:
            return True
        at = at.caller
    return False


def _must_progress(program: Program, frame: Frame, ran: Sequence[CodeBlock]) -> bool:
    """Whether going round in these blocks of an activation for ever is undefined behaviour, if nothing is
    seen of it."""
    function = frame.code.function
    if "mustprogress" in program.module.resolve(function.attributes):
        return True
    return _loop_must_progress(program, function, {block.number for block in ran})


def _loop_must_progress(program: Program, function: Function, ran: set[int]) -> bool:
    """Whether a latch that was passed says so of the smallest cycle around these blocks."""
    if not ran:
        return False
    cfg = build_cfg(function)
    forest = cycles(cfg)
    around = [cycle for cycle in forest.all if ran <= set(forest.blocks(cycle))]
    if not around:
        return False
    loop = max(around, key=lambda cycle: cycle.depth)
    header = function.blocks[loop.header].name
    return any(
        header in ir.successors(block.terminator) and _says_so(program, block.terminator)
        for block in (function.blocks[number] for number in ran)
    )


def _says_so(program: Program, latch: ir.Instruction) -> bool:
    return any(kind == "llvm.loop" and _mentions(program, node) for kind, node in latch.attachments)


_MUST_PROGRESS = MetadataString(b"llvm.loop.mustprogress")


def _mentions(program: Program, node: Metadata) -> bool:
    """Whether a loop's node has the property ``llvm.loop.mustprogress``; its first element is itself."""
    loop = program.module.referenced(node)
    if not isinstance(loop, MetadataTuple):
        return False
    for element in loop.elements[1:]:
        part = None if element is None else program.module.referenced(element)
        if isinstance(part, MetadataTuple) and part.elements[:1] == (_MUST_PROGRESS,):
            return True
    return False


def _interacts(program: Program, instruction: ir.Instruction) -> bool:
    match instruction:
        case ir.Fence() | ir.AtomicRMW() | ir.CmpXchg():
            return True
        case ir.Load() | ir.Store():
            return instruction.volatile or instruction.ordering is not None
        case ir.CallSite() if control(instruction) is None:
            name = callee_name(instruction)
            function = program.module.functions.get(name or "")
            if name is None or function is None:
                return True
            return function.is_declaration and is_event(program, name, instruction)
        case _:
            return False


def is_event(program: Program, name: str, call: ir.CallSite) -> bool:
    """Whether the outside sees a call of a declared function, by the attributes of both."""
    return program.effects(name, call).is_event(program.settings.reading)
