"""A candidate trace under way: what is known of its thread, the questions it comes to, and its values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import z3

from ..alignment.instances import DynamicInstance, StaticInstance
from ..ir.operands import Local, Operand
from ..ir.types import Type
from ..semantics.errors import BoundHit, NotModelled, StackEntry, Undefined
from ..semantics.frames import Code
from ..semantics.globals import clone
from ..semantics.unknown import Unknown
from ..semantics.values import Composite, Pointer, RuntimeValue, Value, any_undef, scalars
from ..semantics.values_of_types import fill, zero
from .shapes import Header, Instance, Needs, Root
from .tree import Answer, Happening, Node, Question, Reading
from .world import World, is_term

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
            raise BoundHit(f"call depth {limit}")
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
