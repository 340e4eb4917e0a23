"""A candidate trace under way: what is known of its thread, the questions it comes to, and its values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import z3

from ...alignment.instances import BlockVisit, DynamicInstance, StaticInstance
from ...ir import instructions as ir
from ...ir import operands as op
from ...ir.calls import Control, callee_name, control, is_convergent, token_used
from ...ir.module import Function
from ...ir.operands import Local, Operand
from ...ir.types import SimpleType, Type
from ...semantics.bounds import Bound, BoundKind
from ...semantics.errors import STOPS, BoundHit, NotModelled, StackEntry, Undefined, UsageError, ending_of
from ...semantics.instructions import (
    ENDS_THREAD,
    Touch,
    base_name,
    footprint,
    operands,
    perform,
    prepare_alloca,
)
from ...semantics.instructions.result_type import result_type
from ...semantics.memory.globals import clone
from ...semantics.operations.model import Callee, Exchanging, Operands, PerThread, Subgroup
from ...semantics.operations.uninterpreted import stand_in
from ...semantics.threads.calls import EXITS, control_intrinsic
from ...semantics.threads.state import Code
from ...semantics.threads.terminators import end_path, next_in_path
from ...semantics.values.display import plain
from ...semantics.values.of_type import fill, zero
from ...semantics.values.pending import Unknown, needed
from ...semantics.values.value import Composite, Pointer, RuntimeValue, Value, any_undef, scalars
from .candidates import (
    Anchored,
    Answer,
    Beat,
    Call,
    Entered,
    EnteredFreely,
    Hangs,
    Happening,
    Header,
    Instance,
    Needs,
    Node,
    PlainCall,
    Question,
    Reading,
    Root,
    Stopped,
    Trace,
    Uncontrolled,
    Uses,
)
from .program import World, is_term

NOTHING: Needs = frozenset()


class Asks(Exception):
    """The trace comes to a question that was not answered."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question


class Activation:
    """A frame: ``registers`` by SSA name, tokens being instances; ``at`` the instruction executed next;
    ``needs`` what each depends on; ``recent`` per cycle the most recent header instance;
    ``beats`` how often each token was met."""

    __slots__ = (
        "allocas", "at", "beats", "block", "call", "caller", "code", "needs", "number", "recent", "registers",
        "result", "root", "visit",
    )  # fmt: skip

    def __init__(self, code: Code, number: int, caller: Activation | None, root: Root | None) -> None:
        self.code = code
        self.number = number
        self.caller = caller
        self.root = root
        self.registers: dict[str, Any] = {}
        self.needs: dict[str, Needs] = {}
        self.recent: list[Header | None] = [None] * code.cycles
        self.beats: dict[tuple[int, Instance], int] = {}
        self.allocas: list[Any] = []
        self.block = 0
        self.at = 0
        self.call = -1
        self.result: str | None = None
        self.visit = -1


class Underway:
    """A thread on its candidate trace.

    ``path``, ``readings``  the thread's instances and shared accesses, those of the nodes above first
    ``known``, ``met``      how many are from above, and how many this walk has come to
    ``said``                the answers by question; ``asked`` how many there were
    ``control``             what the thread's being where it is depends on
    ``looking``             what the operands of the instruction under way depend on
    ``stored``              what the thread's own memory depends on, by object and bytes
    ``follower``            where the thread is on a given path
    """

    def __init__(self, world: World, node: Node, max_steps: int) -> None:
        self.world = world
        self.node = node
        self.launch = world.group_of(node.thread)
        self.memory = clone(world.memory)
        self.max_steps = max_steps
        self.steps = 0
        parent = node.parent
        self.path: list[Instance] = [] if parent is None else list(parent.path)
        self.known = len(self.path)
        self.readings: list[Reading] = [] if parent is None else list(parent.readings)
        self.known_readings = len(self.readings)
        self.met = self.met_readings = 0
        self.asked = 0
        self.said: dict[int, tuple[Any, Answer]] = {}
        self.counts: dict[StaticInstance, int] = {}
        self.calls: dict[str, int] = {}
        self.events: list[Happening] = []
        self.visits: list[tuple[int, int | None, str, str, StaticInstance | None]] = []
        self.inside: dict[int, list[DynamicInstance]] = {}
        self.frames = 0
        self.depth = 0
        self.frame: Activation | None = None
        self.control: Needs = frozenset()
        self.looking: Needs = frozenset()
        self.stored: dict[tuple[int, int, int], Needs] = {}
        paths = world.launch.paths
        self.follower = Follower(node.thread, None if paths is None else paths[node.thread])

    # -- questions ----------------------------------------------------------------------------------

    def decide(self, condition: Any) -> bool:
        """The path's answer to a truth value."""
        return bool(self._ask(condition)) if is_term(condition) else cast(bool, condition)

    def number(self, bits: Any) -> int:
        """The path's answer to a number."""
        return int(self._ask(bits)) if is_term(bits) else cast(int, bits)

    def pick(self, of: Instance | Reading) -> Any:
        """The path's answer to which value a result is that is no term."""
        if of.picks is None:
            of.picks = z3.Int(f"value of {of.number}")
        return self.world.values[int(self._ask(of.picks))]

    def _ask(self, term: Any) -> Answer:
        name = term.get_id()
        if name in self.said:
            return self.said[name][1]
        needs = self.control | self.looking
        if self.asked == len(self.node.answers):
            raise Asks(Question(term, needs, self._where()))
        answer = self.node.answers[self.asked]
        self.asked += 1
        self.said[name] = (term, answer)
        self.control = needs
        return answer

    def _where(self) -> tuple[tuple[int, str, int], ...]:
        found, frame = [], self.frame
        while frame is not None:
            found.append((frame.number, frame.code.name, frame.at))
            frame = frame.caller
        return tuple(reversed(found))

    def look(self, frame: Activation, wanted: Iterable[Operand]) -> list[Any]:
        """The values of an instruction's operands, which it depends on from here on."""
        values, needs = [], NOTHING
        for operand in wanted:
            values.append(self.value(frame, operand))
            if isinstance(operand, Local) and operand.name in frame.needs:
                needs |= frame.needs[operand.name]
        self.looking = needs
        return values

    def define(self, frame: Activation, name: str | None, value: Any, needs: Needs | None = None) -> None:
        """An instruction's result, which depends on its operands unless ``needs`` says otherwise."""
        if name is not None:
            frame.registers[name] = value
            needs = self.looking if needs is None else needs
            if needs:
                frame.needs[name] = needs
            else:
                frame.needs.pop(name, None)

    # -- values -------------------------------------------------------------------------------------

    def value(self, frame: Activation, operand: Operand) -> Any:
        """An operand's value. Raises NotModelled or Undefined for a constant without one."""
        if isinstance(operand, Local):
            try:
                return frame.registers[operand.name]
            except KeyError:
                raise NotModelled("a use of a value whose definition was not executed") from None
        return self.world.constant(operand)

    def fresh(self, type_: Type, of: Instance | Reading) -> Any:
        """An unknown value of a type, poison unknown too, in every scalar."""
        layout, count = self.world.program.layout, 0

        def unknown(like: RuntimeValue) -> RuntimeValue:
            nonlocal count
            if isinstance(like, Composite):
                return Composite(tuple(unknown(e) for e in like.elements))
            count += 1
            name = f"{of.number}.{count}"
            return Value(z3.BitVec(f"result {name}", like.bits), z3.Bool(f"poison {name}"))

        return unknown(fill(type_, layout, lambda scalar: Value(layout.bits(scalar))))

    def holds_pointers(self, type_: Type) -> bool:
        """Whether a value of the type is more than bits."""
        shape = zero(type_, self.world.program.layout, self.world.program.domain)
        return any(isinstance(s, Pointer) for s in scalars(shape))

    def is_poison(self, value: RuntimeValue) -> bool:
        """Whether any scalar is poison: asked, where it is not known."""
        return any(self.decide(s.poison) for s in scalars(value))

    def require_defined(self, value: Any, words: str) -> None:
        """noundef."""
        if not isinstance(value, Unknown) and (any_undef(value) or self.is_poison(value)):
            raise Undefined(f"{words} is undef or poison", "Parameter Attributes")

    # -- activations --------------------------------------------------------------------------------

    def push(
        self,
        code: Code,
        arguments: list[Any],
        root: Root | None,
        call: int,
        result: str | None,
        needs: Sequence[Needs] = (),
    ) -> None:
        """Enters a function. ``needs`` is what each argument depends on."""
        limit = self.world.program.settings.max_depth
        if self.depth >= limit:
            raise BoundHit(Bound(BoundKind.CALL_DEPTH, limit))
        frame = Activation(code, self.frames, self.frame, root)
        frame.call, frame.result = call, result
        for parameter, value in zip(code.function.parameters, arguments, strict=False):
            frame.registers[parameter.name] = value
        for parameter, one in zip(code.function.parameters, needs, strict=False):
            if one:
                frame.needs[parameter.name] = one
        self.frames += 1
        self.depth += 1
        self.frame = frame
        self.enter_block(frame, 0)

    def enter_block(self, frame: Activation, block: int) -> None:
        node = frame.code.graph.nodes[block]
        frame.block, frame.at = block, node.first
        caller = frame.caller
        site = None if caller is None else StaticInstance(caller.code.name, frame.call)
        frame.visit = len(self.visits)
        self.visits.append(
            (frame.number, None if caller is None else caller.number, frame.code.name, node.name, site)
        )

    def stack(self) -> tuple[StackEntry, ...]:
        entries: list[StackEntry] = []
        frame = self.frame
        while frame is not None and len(entries) < 100:
            name = frame.code.name
            site = StaticInstance(name, frame.at)
            entries.append(StackEntry(name, site, self.world.program.span(site)))
            frame = frame.caller
        return tuple(entries)

    # -- events -------------------------------------------------------------------------------------

    def happened(
        self,
        site: StaticInstance,
        callee: str,
        values: tuple[Any, ...],
        types: tuple[Type, ...],
        result: Any,
        type_: Type | None,
        instance: Instance | None,
        volatile: bool = False,
    ) -> None:
        """The outside sees something."""
        nth = 0
        if instance is None:
            nth = self.counts[site] = self.counts.get(site, 0) + 1
        self.events.append(Happening(site, nth, callee, values, types, result, type_, instance, volatile))


class Follower:
    """Where a thread is on a given path (translate_control)."""

    __slots__ = ("number", "path", "path_at")

    def __init__(self, number: int, path: Sequence[str] | None) -> None:
        self.number = number
        self.path = path
        self.path_at = 0


# -- The instructions of a candidate trace that compute and that access memory


class Computing(Underway):
    """What a thread computes alone; what it reads of shared memory is an unknown."""

    def alloca(self, frame: Activation, instruction: ir.Alloca) -> None:
        values = self.look(frame, operands(instruction))
        name = instruction.result or "alloca"
        for value in values:
            if isinstance(value, Unknown):
                raise UsageError(needed(value, f"alloca %{name}"))
        size, align, space = prepare_alloca(instruction, self.world.context)(*values)
        pointer = self.memory.allocate(size, align, self.node.thread, f"%{name}", space)
        self.define(frame, name, pointer)
        frame.allocas.append(pointer)
        frame.at += 1

    def compute(self, frame: Activation, instruction: ir.Instruction) -> None:
        function, index = frame.code.name, frame.at
        values = self.look(frame, operands(instruction))
        prepared = self.world.access(function, index)
        if prepared is not None:
            self.do_access(frame, instruction, prepared, values)
        else:
            evaluate = self.world.evaluate(function, index)
            if evaluate is None:
                raise NotModelled(f"the instruction {type(instruction).__name__.lower()}")
            unknown = next((v for v in values if isinstance(v, Unknown)), None)
            result = unknown if unknown is not None else evaluate(*values)
            self.define(frame, instruction.result, result)
        frame.at += 1

    def do_access(
        self, frame: Activation, instruction: ir.Instruction, prepared: Any, values: list[Any]
    ) -> None:
        """A memory access: done at once on what is the thread's own; else one that all threads see."""
        for value in values:
            if isinstance(value, Unknown):
                raise UsageError(needed(value, f"a memory access in @{frame.code.name}"))
        thread = self.node.thread
        access = prepared(*values)
        provenance = None if access.pointer is None else access.pointer.provenance
        if provenance is not None and provenance.id > 0 and provenance.id >> 46 not in (0, thread + 1):
            raise NotModelled("an access to a stack object of another thread")
        touches = footprint(access, self.memory, thread)
        shared = [t for t in touches if self._is_shared(t.object)]
        if not shared:
            result = perform(access, self.memory, thread)
            self._own(touches)
        else:
            if len(shared) != len(touches):
                raise NotModelled("a copy between shared and private memory")
            result = self._read(frame, instruction, access, values, shared)
        self.define(frame, instruction.result, result)
        if getattr(instruction, "volatile", False):
            shape = access.shape
            shown: list[Any] = [] if access.pointer is None else [access.pointer]
            types: list[Any] = [None] * len(shown)
            if shape.type is not None:
                shown += access.operands
                types += [shape.type] * len(access.operands)
            site = StaticInstance(frame.code.name, frame.at)
            self.happened(site, shape.kind, tuple(shown), tuple(types), result, shape.type, None, True)

    def _own(self, touches: Iterable[Touch]) -> None:
        """What the thread's own memory depends on after an access to it, and what its result depends on."""
        needs = self.looking
        for touch in touches:
            place = touch[:3]
            overlapping = [p for p in self.stored if _overlap(p, place)]
            if touch.write:
                for p in overlapping:
                    if place[1] <= p[1] and p[2] <= place[2]:
                        del self.stored[p]
            else:
                needs = needs.union(*(self.stored[p] for p in overlapping))
        self.looking = needs
        for touch in touches:
            if touch.write and needs:
                self.stored[touch[:3]] = needs

    def _is_shared(self, identity: int) -> bool:
        allocation = self.memory.allocations.get(identity)
        return allocation is not None and allocation.owner is None and not allocation.constant

    def _read(
        self,
        frame: Activation,
        instruction: ir.Instruction,
        access: Any,
        values: list[Any],
        touches: list[Any],
    ) -> Any:
        if self.met_readings < self.known_readings:
            reading = self.readings[self.met_readings]
        else:
            reading = Reading(
                self.world.number(), self.node.thread, self.node, StaticInstance(frame.code.name, frame.at),
                tuple(values), frozenset(t[:3] for t in touches), any(t.write for t in touches),
                self.readings[-1] if self.readings else None, self.control | self.looking,
            )  # fmt: skip
            self.readings.append(reading)
            if access.shape.has_result:
                reading.type = result_type(instruction, self.world.program.layout)
                assert reading.type is not None
                if not self.holds_pointers(reading.type):
                    reading.result = self.fresh(reading.type, reading)
        self.met_readings += 1
        if reading.type is None:
            return None
        self.looking = frozenset((reading,))
        return reading.result if reading.result is not None else self.pick(reading)


def _overlap(a: tuple[int, int, int], b: tuple[int, int, int]) -> bool:
    return a[0] == b[0] and a[1] < b[2] and b[1] < a[2]


# -- The terminators of a candidate trace: which edge it takes, and what happens on it


class Branching(Computing):
    """Where a thread goes: a given path says it, or a condition, which may be a question."""

    def go(self, frame: Activation, successors: tuple[str, ...], chosen: Callable[[], str]) -> None:
        """Follows an edge: the given path's, or the chosen one."""
        if self.follower.path is not None and frame.caller is None:
            here = frame.code.graph.nodes[frame.block].name
            self._edge(frame, next_in_path(cast(Any, self.follower), here, successors))
        else:
            self._edge(frame, chosen())

    def chosen(self, frame: Activation, instruction: ir.Instruction) -> str:
        match instruction:
            case ir.Br(target):
                return target
            case ir.CondBr(condition, then, otherwise):
                bits = self._decided(self.look(frame, (condition,))[0], "br")
                self.control |= self.looking
                return then if self.decide(self.world.domain.truth(bits)) else otherwise
            case ir.Switch(value, default, cases):
                bits = self._decided(self.look(frame, (value,))[0], "switch")
                self.control |= self.looking
                for case, target in cases:
                    constant = self.world.constant(case)
                    assert isinstance(constant, Value)
                    if self.decide(bits == constant.bits):
                        return target
                return default
            case ir.IndirectBr(address, targets):
                return self._block_at(frame, self.look(frame, (address,))[0], targets)
            case _:
                raise AssertionError(f"{instruction} is no branch")

    def _block_at(self, frame: Activation, address: Any, targets: Sequence[str]) -> str:
        """The block whose blockaddress a value is: undefined behaviour if it is none of the targets."""
        bits = self._decided(address, "indirectbr")
        self.control |= self.looking
        pointer = Pointer(self.number(bits), address.provenance)
        function, target = self.world.program.memory.block_at(pointer) or ("", "")
        if function != frame.code.name or target not in targets:
            raise Undefined("indirectbr to what is none of its blocks", "'indirectbr' Instruction")
        return target

    def _decided(self, value: Any, instruction: str) -> Any:
        """What a branch looks at: poison and undef are undefined behaviour."""
        if isinstance(value, Unknown):
            raise UsageError(needed(value, "a branch") + ", or give the blocks with --path")
        if self.is_poison(value):
            raise Undefined(f"{instruction} on poison", f"'{instruction}' Instruction")
        if value.undef:
            raise Undefined(f"{instruction} on undef", f"'{instruction}' Instruction")
        return value.bits

    def _edge(self, frame: Activation, target: str) -> None:
        """Phis of the target take their values all at once; a header is counted."""
        code = frame.code
        source = code.graph.nodes[frame.block].name
        number = code.graph.number[target]
        taken: list[tuple[str, Any, Needs]] = []
        for instruction in code.function.blocks[number].instructions:
            if not isinstance(instruction, ir.Phi):
                continue
            values = [o for o, block in instruction.incoming if block == source]
            if values and instruction.result is not None:
                taken.append((instruction.result, *self.look(frame, values[:1]), self.looking))
        for name, value, needs in taken:
            self.define(frame, name, value, needs)
        self.looking = NOTHING
        self.enter_block(frame, number)
        block = code.blocks[number]
        if block.heads:
            before = frame.recent[block.cycle]
            if before is not None and before.block == block.name:
                base, n = before.base, before.n + 1
            else:
                base, n = before, 1
            assert frame.root is not None
            now = Header(frame.root, code.name, block.name, base, n)
            for cycle in block.heads:
                frame.recent[cycle] = now

    def header_at(self, frame: Activation, index: int) -> Header | None:
        """The most recent instance of a header of a cycle around an instruction."""
        cycle = frame.code.blocks[frame.code.graph.block_of[index]].cycle
        return frame.recent[cycle] if frame.recent and cycle >= 0 else None

    def ret(self, frame: Activation, instruction: ir.Ret) -> Trace | None:
        value = next(iter(self.look(frame, operands(instruction))), None)
        words = self.world.module.resolve(frame.code.function.return_attributes)
        if value is not None and "noundef" in words:
            self.require_defined(value, "a noundef return value")
        if frame.caller is None and self.follower.path is not None:
            end_path(cast(Any, self.follower), frame.code.graph.nodes[frame.block].name)
        self.memory.release(*frame.allocas)
        if frame.caller is None:
            return self.ended("returned", value)
        self.frame = frame.caller
        self.depth -= 1
        self.define(frame.caller, frame.result, value)
        self.after_call(frame.caller)
        return None

    def after_call(self, frame: Activation) -> None:
        """An invoke goes on to its normal destination, a call to what stands behind it."""
        call = frame.code.instructions[frame.at]
        if isinstance(call, ir.Invoke):
            normal = call.normal
            self.go(frame, (normal,), lambda: normal)
        else:
            frame.at += 1

    def ended(self, how: str, value: Any) -> Trace:
        """The thread returned from the launched function, or exited."""
        visits = tuple(
            BlockVisit(number, caller, function, block, tuple(self.inside.get(place, ())), call)
            for place, (number, caller, function, block, call) in enumerate(self.visits)
        )
        return Trace(how, value, visits, tuple(self.events))


# -- One thread's candidate trace, followed symbolically to its end or to the next question
# A walk starts at the launch and is given the answers so far; it repeats the pieces that are known and
# adds the last one. Arithmetic, memory and intrinsics are the interpreter's own instruction functions.


class Steps(Branching, ABC):
    """All of a walk but its calls."""

    def follow(self) -> None:
        """Fills in the node's instances and its end."""
        node = self.node
        self.world.walk = self
        node.own, node.own_readings = self.known, self.known_readings
        try:
            node.end = self._run()
        except Asks as ask:
            node.end = ask.question
        except STOPS as stop:
            node.end = Stopped(ending_of(stop, node.thread, self.stack()))
        except UsageError as stop:
            node.end = Stopped(stop)
        node.path = self.path
        node.readings = self.readings

    def _run(self) -> Trace:
        launch, thread = self.world.launch, self.node.thread
        code = self.world.program.code(launch.function)
        entry = code.function.blocks[0].name
        path = self.follower.path
        if path is not None and (not path or path[0] != entry):
            raise UsageError(f"the path of thread {thread} does not begin with %{entry}, the entry block")
        self.push(code, list(launch.arguments[thread]) if launch.arguments else [], self.launch, -1, None)
        while True:
            self.steps += 1
            if self.steps > self.max_steps:
                raise BoundHit(Bound(BoundKind.MAX_STEPS, self.max_steps))
            ended = self._step()
            if ended is not None:
                return ended

    @abstractmethod
    def call(self, frame: Activation, call: ir.CallSite) -> Trace | None:
        """One ``call`` or ``invoke``."""

    def _step(self) -> Trace | None:
        frame = self.frame
        assert frame is not None
        instruction = frame.code.instructions[frame.at]
        match instruction:
            case ir.Phi() | ir.DebugRecord():
                self.steps -= 1
                frame.at += 1
            case ir.CallSite():
                return self.call(frame, instruction)
            case ir.Ret():
                return self.ret(frame, instruction)
            case ir.Unreachable():
                raise Undefined("unreachable was reached", "'unreachable' Instruction")
            case ir.Br() | ir.CondBr() | ir.Switch() | ir.IndirectBr():
                self.go(frame, ir.successors(instruction), lambda: self.chosen(frame, instruction))
            case ir.Alloca():
                self.alloca(frame, instruction)
            case _:
                self.compute(frame, instruction)
        return None


# -- Calls of declared functions on a candidate trace (D-CALL): exchanges, given inputs, stand-ins


class Declared(Steps):
    """What happens at a call of a function without a body, and the instances that calls make."""

    # -- instances ----------------------------------------------------------------------------------

    def instance(self, site: StaticInstance, hangs: Hangs) -> Instance:
        """Executes an instance: one of the pieces that are known, or a new one."""
        recorded = not isinstance(hangs, EnteredFreely)
        nth = 0
        if recorded:
            nth = self.counts[site] = self.counts.get(site, 0) + 1
        if self.met < self.known:
            found = self.path[self.met]
        else:
            previous = next((i for i in reversed(self.path) if i.recorded), None)
            assert self.frame is not None
            found = Instance(
                self.world.number(), self.node.thread, self.launch, site, nth, self.node, hangs, previous,
                self.frame.visit, self.frame.number,
            )  # fmt: skip
            self.path.append(found)
        self.met += 1
        if recorded:
            assert self.frame is not None
            self.inside.setdefault(self.frame.visit, []).append(found.dynamic)
        return found

    def token(self, frame: Activation, call: ir.CallSite) -> Instance | None:
        local = token_used(call)
        if local is None:
            return None
        token = frame.registers.get(local.name)
        if not isinstance(token, Instance):
            raise NotModelled("a token whose definition was not executed")
        return token

    def hangs(self, frame: Activation, call: ir.CallSite) -> Hangs:
        """D-USE with a token, D-FREE without."""
        token = self.token(frame, call)
        if token is not None:
            return Uses(token)
        return Uncontrolled(frame.root, self.header_at(frame, frame.at))

    def arguments(self, frame: Activation, call: ir.CallSite, function: Function | None) -> list[Any]:
        """The arguments' values; undefined behaviour for undef or poison where there may be none."""
        values = self.look(frame, operands(call))
        for position, (argument, value) in enumerate(zip(call.arguments, values, strict=True)):
            words = argument.attributes
            if function is not None and position < len(function.parameters):
                words = (*words, *function.parameters[position].attributes)
            if "noundef" in words:
                name = "asm" if function is None else function.name
                self.require_defined(value, f"a noundef argument of @{name}")
        return values

    # -- declared functions -------------------------------------------------------------------------

    def declared(
        self, frame: Activation, call: ir.CallSite, function: Function, convergent: bool
    ) -> Trace | None:
        """What the tables say of a declared function, in the order in which the machine asks them."""
        program, name = self.world.program, function.name
        settings = program.settings
        if name in settings.inputs:
            self._input(frame, call, function, convergent)
            self.after_call(frame)
            return None
        index, code = frame.at, frame.code.name
        if name not in settings.operations:
            if base_name(name, ENDS_THREAD) is not None or name in EXITS:
                return self._exit(frame, call, name)
            if not convergent:
                if (evaluate := self.world.intrinsic(code, index)) is not None:
                    self._pure(frame, call, evaluate)
                    return None
                if (access := self.world.access(code, index)) is not None:
                    values = self.look(frame, operands(call))
                    self.do_access(frame, call, access, values)
                    self.after_call(frame)
                    return None
        model = program.table.model(Callee(name, call.type, program.context))
        if isinstance(model, PerThread):
            self._per_thread(frame, call, convergent, model)
            return None
        if isinstance(model, Exchanging):
            if not convergent:
                raise NotModelled(f"a call of @{name}, which exchanges data, that is no convergent operation")
            self._exchange(frame, call, function, model, False)
            return None
        if convergent and (evaluate := self.world.intrinsic(code, index)) is not None:
            self._pure(frame, call, evaluate)
            return None
        if program.effects(name, call).ends:
            return self._exit(frame, call, name)
        effects = program.is_event(name, call)
        if is_void(call.type.result):
            self.void(frame, call, name, convergent, effects, function)
            self.after_call(frame)
        elif convergent:
            self._exchange(frame, call, function, self._uninterpreted(call, name, effects), True)
        else:
            self._stand_in(frame, call, name, effects)
        return None

    def _pure(self, frame: Activation, call: ir.CallSite, evaluate: Any) -> None:
        values = self.look(frame, operands(call))
        unknown = next((v for v in values if isinstance(v, Unknown)), None)
        result = unknown if unknown is not None else evaluate(*values)
        self._returned(frame, call, result)

    def _returned(self, frame: Activation, call: ir.CallSite, result: Any) -> None:
        self.define(frame, call.result, result)
        self.after_call(frame)

    def _exit(self, frame: Activation, call: ir.CallSite, name: str) -> Trace:
        """A call that ends the thread."""
        values = self.look(frame, operands(call))
        site = StaticInstance(frame.code.name, frame.at)
        self._check_shown(values, frame)
        self.happened(site, name, tuple(values), call.type.parameters, None, None, None)
        return self.ended("exited", None)

    def _check_shown(self, values: list[Any], frame: Activation) -> None:
        settings = self.world.program.settings
        if settings.unknowns and not settings.lenient:
            for value in values:
                if isinstance(value, Unknown):
                    raise UsageError(needed(value, f"a call in @{frame.code.name}"))

    def void(
        self,
        frame: Activation,
        call: ir.CallSite,
        name: str,
        convergent: bool,
        effects: bool,
        function: Function | None,
    ) -> None:
        """A callee without a model and without a result: nothing is exchanged."""
        values = self.arguments(frame, call, function)
        site = StaticInstance(frame.code.name, frame.at)
        instance = self.instance(site, self.hangs(frame, call)) if convergent else None
        if effects:
            self._check_shown(values, frame)
            self.happened(site, name, tuple(values), call.type.parameters, None, None, instance)

    def _input(self, frame: Activation, call: ir.CallSite, function: Function, convergent: bool) -> None:
        """A callee whose results were given."""
        settings, name, thread = self.world.program.settings, function.name, self.node.thread
        values = self.look(frame, operands(call))
        site = StaticInstance(frame.code.name, frame.at)
        instance = self.instance(site, self.hangs(frame, call)) if convergent else None
        nth = self.calls[name] = self.calls.get(name, 0) + 1
        streams = settings.inputs[name]
        stream = streams[thread] if thread < len(streams) else ()
        if nth > len(stream):
            raise UsageError(
                f"thread {thread} makes call {nth} of @{name}, but --input gives it {len(stream)} values"
            )
        result = stream[nth - 1]
        self.define(frame, call.result, result, NOTHING)
        if instance is not None:
            self.node.results[instance] = result
        if self.world.program.is_event(name, call):
            self._check_shown(values, frame)
            self.happened(site, name, tuple(values), call.type.parameters, result, call.type.result, instance)

    def _per_thread(self, frame: Activation, call: ir.CallSite, convergent: bool, model: PerThread) -> None:
        site = StaticInstance(frame.code.name, frame.at)
        instance = self.instance(site, self.hangs(frame, call)) if convergent else None
        values = self.look(frame, operands(call))
        unknown = next((v for v in values if isinstance(v, Unknown)), None)
        result: Any = (
            unknown
            if unknown is not None
            else model.alone(self.world.place(self.node.thread), *(self.settled(v) for v in values))
        )
        if instance is not None:
            self.node.results[instance] = result
        self._returned(frame, call, result)

    def settled(self, value: Any) -> Any:
        """A value as the path has it: what is not known of it is asked."""
        if isinstance(value, Composite):
            return Composite(tuple(self.settled(e) for e in value.elements))
        if not isinstance(value, Value):
            return value
        poison = self.decide(value.poison)
        bits = 0 if poison else self.number(value.bits)
        if isinstance(value, Pointer):
            return type(value)(bits, value.provenance, poison)
        return type(value)(bits, poison)

    def _stand_in(self, frame: Activation, call: ir.CallSite, name: str, effects: bool) -> None:
        """D-CALL for a call that is not convergent: a value of callee, thread and operands."""
        values = self.look(frame, operands(call))
        if effects:
            self._check_shown(values, frame)
        types, type_, program = call.type.parameters, call.type.result, self.world.program
        nth = self.calls[name] = self.calls.get(name, 0) + 1
        result: Any = next((v for v in values if isinstance(v, Unknown)), None)
        if result is None:
            shown = [plain(self.settled(v), t, program.layout) for v, t in zip(values, types, strict=False)]
            result = stand_in(
                name, [self.node.thread, list(shown), nth if effects else 0], type_, program.context
            )
        self.node.notes[f"@{name} has no model: its results are stand-ins"] = None
        if effects:
            site = StaticInstance(frame.code.name, frame.at)
            self.happened(site, name, tuple(values), types, result, type_, None)
        self._returned(frame, call, result)

    # -- exchanges ----------------------------------------------------------------------------------

    def _uninterpreted(self, call: ir.CallSite, name: str, effects: bool) -> Exchanging:
        """D-CALL: a value of callee, own thread and the group's operands; with side effects, of the group."""
        program, types, type_ = self.world.program, call.type.parameters, call.type.result

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            asked: list[Any] = [
                [
                    subgroup.first + lane,
                    [plain(v, t, program.layout) for v, t in zip(values, types, strict=False)],
                ]
                for lane, values in sorted(group.items())
            ]
            if not types and not effects:
                asked = []
            results = {}
            for lane in group:
                value = stand_in(name, [subgroup.first + lane, asked], type_, program.context)
                assert value is not None
                results[lane] = value
            return results

        return Exchanging(together, effects)

    def _exchange(
        self,
        frame: Activation,
        call: ir.CallSite,
        function: Function,
        model: Exchanging,
        stands_in: bool,
    ) -> None:
        """An instance of an exchange: its result is an unknown."""
        values = self.arguments(frame, call, function)
        site, type_ = StaticInstance(frame.code.name, frame.at), call.type.result
        instance = self.instance(site, self.hangs(frame, call))
        if instance.call is None:
            instance.call = Call(function.name, call.type.parameters, type_, model, stands_in)
            instance.operands = tuple(values)
            instance.needs = self.control | self.looking
            if not is_void(type_) and not self.holds_pointers(type_):
                instance.result = self.fresh(type_, instance)
        result = None
        if not is_void(type_):
            self.looking = frozenset((instance,))
            result = instance.result if instance.result is not None else self.pick(instance)
        if model.effect:
            self._check_shown(values, frame)
            self.happened(site, function.name, tuple(values), call.type.parameters, result, type_, instance)
        self._returned(frame, call, result)


def is_void(type_: Type) -> bool:
    return isinstance(type_, SimpleType) and type_.kind == "void"


# -- Calls on a candidate trace: control intrinsics, and the functions that are entered (D-CALL)


class Walk(Declared):
    """Follows ``node.answers``, and fills in ``node``."""

    def call(self, frame: Activation, call: ir.CallSite) -> Trace | None:
        """One ``call`` or ``invoke``."""
        if isinstance(call, ir.CallBr):
            raise NotModelled("the instruction callbr")
        kind = control(call)
        if kind is not None:
            self._control(frame, call, kind)
            self.after_call(frame)
            return None
        module = self.world.module
        convergent = is_convergent(module, call)
        name = callee_name(call)
        function = module.functions.get(name) if name is not None else None
        if function is None:
            if isinstance(call.callee, op.InlineAsm):
                if not is_void(call.type.result):
                    raise NotModelled("inline assembly with a result")
                self.void(frame, call, "asm", convergent, True, None)
                self.after_call(frame)
                return None
            function = self._function_at(*self.look(frame, (call.callee,)))
            self.control |= self.looking
        if not function.is_declaration:
            self._enter(frame, call, function, convergent)
            return None
        return self.declared(frame, call, function, convergent)

    def _function_at(self, pointer: Any) -> Function:
        """The function that a pointer names."""
        if isinstance(pointer, Unknown):
            raise UsageError(needed(pointer, "a call"))
        if self.is_poison(pointer) or pointer.undef:
            raise Undefined("call through a poison or undef pointer", "'call' Instruction")
        name = self.memory.function_at(pointer)
        if name is None:
            raise Undefined("call through a pointer that is no function's address", "'call' Instruction")
        if control_intrinsic(name):
            raise Undefined(f"@{name} is called indirectly", "Convergence Control Intrinsics")
        return self.world.module.functions[name]

    def _control(self, frame: Activation, call: ir.CallSite, kind: Control) -> None:
        site = StaticInstance(frame.code.name, frame.at)
        hangs: Hangs
        match kind:
            case Control.ENTRY:
                if frame.root is None or isinstance(frame.root, PlainCall):
                    assert frame.caller is not None
                    here = StaticInstance(frame.caller.code.name, frame.call)
                    name = self.world.program.name(here)
                    words = f"{name} is no convergent operation but reaches entry: its groups are free"
                    self.node.notes[words] = None
                    frame.root = self.instance(here, EnteredFreely())
                hangs = Entered(frame.root)
            case Control.LOOP:
                token = self.token(frame, call)
                if token is None:
                    raise NotModelled("a loop intrinsic without a token")
                n = frame.beats[site.index, token] = frame.beats.get((site.index, token), 0) + 1
                hangs = Beat(token, n)
            case Control.ANCHOR:
                hangs = Anchored()
        instance = self.instance(site, hangs)
        self.define(frame, call.result, instance, NOTHING)

    # -- defined functions --------------------------------------------------------------------------

    def _enter(self, frame: Activation, call: ir.CallSite, function: Function, convergent: bool) -> None:
        given, wanted = call.type, function.type
        if (given.result, given.parameters, given.variadic) != (
            wanted.result,
            wanted.parameters,
            wanted.variadic,
        ):
            raise Undefined(
                f"@{function.name} is called with a type that it does not have", "'call' Instruction"
            )
        for parameter in function.parameters:
            if any(w.startswith(("byval", "inalloca", "preallocated")) for w in parameter.attributes):
                raise NotModelled(f"the byval parameter %{parameter.name} of @{function.name}")
        values = self.arguments(frame, call, function)
        site = StaticInstance(frame.code.name, frame.at)
        root: Root | None
        if convergent:
            root = self.instance(site, self.hangs(frame, call))
        else:
            root = self._plain_call(frame, site)
        needs = [
            frame.needs.get(a.value.name, NOTHING) if isinstance(a.value, op.Local) else NOTHING
            for a in call.arguments
        ]
        self.push(self.world.program.code(function.name), values, root, frame.at, call.result, needs)

    def _plain_call(self, frame: Activation, site: StaticInstance) -> PlainCall | None:
        program = self.world.program
        if not program.counts_headers or frame.root is None:
            return None
        slots = frame.code.region_tokens.get(site.index, ())
        held = (frame.registers.get(self.world.register(frame.code.name, slot)) for slot in slots)
        tokens = tuple(t for t in held if isinstance(t, Instance))
        return PlainCall(site, frame.root, self.header_at(frame, site.index), tokens)
